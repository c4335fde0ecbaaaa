//! Methods by HTTP and JSON: a server that returns what it is sent, and an axum service before it.

use bytes::Bytes;
use http::header;
use http_body_util::{BodyExt, Full};
use std::io::{Read, Write};
use std::path::Path;
use tablepb::{DescriptorPool, DynamicMessage, json};
use tablepb_tonic::status::{Detail, ErrorInfo, with_details};
use tablepb_tonic::transcode::{HttpRule, http_rule::Pattern};
use tablepb_tonic::{DynamicClient, DynamicServer, Transcoder};
use tokio_stream::StreamExt;
use tonic::metadata::MetadataValue;
use tonic::{Code, Request, Response, Status, Streaming};
use tower_service::Service;

type Here = Transcoder<DynamicServer>;

fn compile(file: &str, source: Option<&str>) -> DescriptorPool {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let builder =
        tablepb_schema::SourceBuilder::new().include(root.join("protos")).include(root.join("../protos"));
    let builder = match source {
        Some(source) => builder.source(file, source),
        None => builder,
    };
    builder.file(file).build().unwrap()
}

fn library() -> DescriptorPool {
    compile("library.proto", None)
}

/// Returns what it is sent, with the metadata `x-*`; `Fail` fails, and `Watch` is as many books as the first has pages, and then
/// fails if it is lent.
fn server() -> DynamicServer {
    DynamicServer::new(library()).fallback(|method, request: Request<Streaming<DynamicMessage>>| async move {
        let metadata = request.metadata().clone();
        let mut requests = request.into_inner();
        let mut sent = Vec::new();
        while let Some(message) = requests.next().await {
            sent.push(message?);
        }
        let failure = || {
            let info = ErrorInfo { reason: "NO_BOOK".into(), ..ErrorInfo::default() };
            with_details(Code::NotFound, "no \"book\"", [Detail::from(info)])
        };
        let mut answers: Vec<Result<DynamicMessage, Status>> = match method.name() {
            "Fail" => return Err(failure()),
            "Watch" => {
                let count = sent[0].get("pages").and_then(|pages| pages.as_i64()).unwrap_or_default();
                let mut answers = vec![Ok(sent[0].clone()); count as usize];
                if sent[0].get("lent").and_then(|lent| lent.as_bool()) == Some(true) {
                    answers.push(Err(failure()));
                }
                answers
            }
            _ => sent.into_iter().map(Ok).collect(),
        };
        if method.name() == "Send" {
            let count = answers.len() as i64;
            answers.truncate(1);
            if let Some(Ok(first)) = answers.first_mut() {
                first.set_field("pages", count).map_err(|error| Status::internal(error.to_string()))?;
            }
        }
        let mut response = Response::new(tokio_stream::iter(answers));
        for (name, value) in metadata.into_headers() {
            if let Some(name) = name.filter(|name| name.as_str().starts_with("x-") || name == "grpc-timeout")
            {
                let name = tonic::metadata::MetadataKey::from_bytes(format!("x-saw-{name}").as_bytes());
                let value = MetadataValue::try_from(value.as_bytes());
                response.metadata_mut().insert(name.unwrap(), value.unwrap());
            }
        }
        Ok(response)
    })
}

fn transcoder() -> Here {
    Transcoder::new(DynamicClient::new(server(), library())).unwrap()
}

struct Answer {
    status: u16,
    headers: http::HeaderMap,
    body: String,
    trailers: Option<http::HeaderMap>,
}

async fn send(transcoder: &Here, request: http::Request<Full<Bytes>>) -> Answer {
    let response = transcoder.clone().call(request).await.unwrap();
    let (head, body) = response.into_parts();
    let body = body.collect().await.unwrap();
    let trailers = body.trailers().cloned();
    let body = String::from_utf8(body.to_bytes().to_vec()).unwrap();
    Answer { status: head.status.as_u16(), headers: head.headers, body, trailers }
}

/// `METHOD path` with a body.
fn request(line: &str, body: &str) -> http::Request<Full<Bytes>> {
    let (method, path) = line.split_once(' ').unwrap();
    http::Request::builder().method(method).uri(path).body(Full::from(body.to_owned())).unwrap()
}

async fn ask(line: &str, body: &str) -> (u16, String) {
    let answer = send(&transcoder(), request(line, body)).await;
    (answer.status, answer.body)
}

#[tokio::test]
async fn fields_come_by_the_path_the_query_and_the_body() {
    for (line, body, expected) in [
        ("GET /v1/shelves/1/books/a%20b", "", r#"{"name":"shelves/1/books/a b"}"#),
        ("GET /v1/shelves/a%2Fb/books/c", "", r#"{"name":"shelves/a%2Fb/books/c"}"#),
        ("GET /v1/books/a%2Fb/c", "", r#"{"name":"a/b","author":{"firstName":"c"}}"#),
        ("GET /v1/files/a/b/c:open", "", r#"{"name":"a/b/c"}"#),
        ("GET /v1/files/:open", "", "{}"),
        // Each kind of value.
        (
            "GET /v1/books/a/b?title=x+y%26z&pages=7&lent=true",
            "",
            r#"{"name":"a","title":"x y&z","author":{"firstName":"b"},"pages":"7","lent":true}"#,
        ),
        (
            "GET /v1/files/a:open?genre=NOVEL&genres=1&genres=NONE",
            "",
            r#"{"name":"a","genre":"NOVEL","genres":["NOVEL","NONE"]}"#,
        ),
        (
            "GET /v1/files/a:open?author.years=1&author.years=-2&author.firstName=%22",
            "",
            r#"{"name":"a","author":{"firstName":"\"","years":[1,-2]}}"#,
        ),
        ("GET /v1/files/a:open?published=2020-01-02T03:04:05Z&stars=5&signed=false&mask=a.b,c_d", "", ""),
        (
            "GET /v1/files/a:open?published=2020-01-02T03:04:05Z&stars=5&signed=false&mask=a.b,cD",
            "",
            r#"{"name":"a","published":"2020-01-02T03:04:05Z","stars":5,"mask":"a.b,cD","signed":false}"#,
        ),
        (
            "GET /v1/files/a:open?cover=AQI&weight=NaN&sequel.sequel.box=3",
            "",
            r#"{"name":"a","cover":"AQI=","sequel":{"sequel":{"box":3}},"weight":"NaN"}"#,
        ),
        ("GET /v1/files/a:open?&title=&", "", r#"{"name":"a"}"#),
        // Bodies.
        ("POST /v1/books", r#"{"name":"n","labels":{"a":"b"}}"#, r#"{"name":"n","labels":{"a":"b"}}"#),
        ("POST /v1/books", "", "{}"),
        ("PATCH /v1/books/7?title=x", r#"{"title":"t","name":"no"}"#, r#"{"name":"books/7","title":"t"}"#),
        ("PUT /v1/books/a/tags", r#"["x","y"]"#, r#"["x","y"]"#),
        ("PUT /v1/books/a/tags", "[]", "[]"),
        ("PUT /v1/books/a/title", r#""x\n""#, r#""x\n""#),
        ("PUT /v1/books/a/title", r#""""#, r#""""#),
        ("LABEL /v1/books/a", r#"{"\"k\":":"v"}"#, r#"{"\"k\":":"v"}"#),
        ("LABEL /v1/books/a", "{}", "{}"),
    ] {
        let (status, found) = ask(line, body).await;
        if expected.is_empty() {
            assert_eq!(status, 400, "{line}: {found}");
        } else {
            assert_eq!((status, found.as_str()), (200, expected), "{line} {body}");
        }
    }
}

#[tokio::test]
async fn what_is_wrong_in_a_request_is_said() {
    for (line, body, status, code, expected) in [
        ("GET /v2", "", 404, 5, "no method has this path"),
        ("GET /v1/hidden", "", 404, 5, "no method has this path"),
        ("GET /v1/books", "", 405, 12, "the path is for POST"),
        ("GET /v1/books/%ff/a", "", 400, 3, "the path is not UTF-8"),
        ("GET /v1/fail?title=%ff", "", 400, 3, "the query is not UTF-8"),
        ("GET /v1/fail?nothing=1", "", 400, 3, "no field \"nothing\""),
        ("GET /v1/fail?author=1", "", 400, 3, "library.Book.author is a message"),
        ("GET /v1/fail?author.nothing=1", "", 400, 3, "library.Author has no field"),
        ("GET /v1/fail?title.x=1", "", 400, 3, "library.Book.title is no message"),
        ("GET /v1/fail?tags.x=1", "", 400, 3, "library.Book.tags is no message"),
        ("GET /v1/fail?labels.x=1", "", 400, 3, "library.Book.labels is no message"),
        ("GET /v1/fail?labels=1", "", 400, 3, "library.Book.labels is a message"),
        ("GET /v1/fail?title=1&title=2", "", 400, 3, "library.Book.title has two values"),
        ("GET /v1/fail?lent=1", "", 400, 3, "neither true nor false"),
        ("GET /v1/fail?pages=x", "", 400, 3, "pages"),
        ("GET /v1/fail?genre=POEM", "", 400, 3, "genre"),
        ("GET /v1/fail?shelf=a&box=1", "", 400, 3, "two members of one oneof"),
        ("GET /v1/files/a:open?name=b", "", 400, 3, "the field is in the path"),
        ("GET /v1/watch/x", "", 400, 3, "pages"),
        ("POST /v1/books?title=x", "{}", 400, 3, "all fields are in the body"),
        ("PATCH /v1/books/1?sequel.title=x", "{}", 400, 3, "the field is in the body"),
        ("POST /v1/books", "{\"nothing\":1}", 400, 3, "nothing"),
        ("POST /v1/books", "{", 400, 3, ""),
        // What follows a value is no other field.
        ("PUT /v1/books/a/title", "\"x\",\"lent\":true", 400, 3, ""),
        ("PUT /v1/books/a/tags", "[],\"lent\":true", 400, 3, ""),
        ("PATCH /v1/books/1", "{},\"lent\":true", 400, 3, ""),
        ("POST /v1/send", "{}\n{\"pages\":\"x\"}\n", 400, 3, "pages"),
    ] {
        let (found, answer) = ask(line, body).await;
        assert_eq!(found, status, "{line}: {answer}");
        assert!(answer.starts_with(&format!("{{\"code\":{code},\"message\":\"")), "{line}: {answer}");
        assert!(answer.replace('\\', "").contains(expected), "{line}: {answer}");
    }
    let deep = format!("GET /v1/fail?{}title=x", "sequel.".repeat(200));
    assert_eq!(ask(&deep, "").await.0, 400);
    let ignoring = transcoder().ignore_unknown_parameters(true);
    assert_eq!(send(&ignoring, request("GET /v1/files/a:open?alt=json", "")).await.status, 200);
}

#[tokio::test]
async fn errors_of_the_server_have_their_details() {
    let answer = send(&transcoder(), request("GET /v1/fail", "")).await;
    assert_eq!(answer.status, 404);
    assert_eq!(answer.headers[header::CONTENT_TYPE], "application/json");
    assert_eq!(
        answer.body,
        r#"{"code":5,"message":"no \"book\"","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"NO_BOOK"}]}"#
    );
    // A detail is printed by its type, if the pool has it. Otherwise its bytes are printed.
    let failing = |url: &'static str, value: &'static [u8]| {
        let fail = move |_, _| async move {
            let any = tablepb::wkt::Any { type_url: url.into(), value: value.into() };
            Err::<Response<DynamicMessage>, _>(with_details(Code::Aborted, "", [any]))
        };
        let server = DynamicServer::new(library()).unary("library.Books/Fail", fail).unwrap();
        Transcoder::new(DynamicClient::new(server, library())).unwrap()
    };
    for (url, value, expected) in [
        ("x/library.Author", &b"\x0a\x01A"[..], r#"{"@type":"x/library.Author","firstName":"A"}"#),
        ("x/library.Author", b"\x0a", r#"{"@type":"x/library.Author","value":"Cg=="}"#),
        ("x/y", b"\x01\x02", r#"{"@type":"x/y","value":"AQI="}"#),
    ] {
        let answer = send(&failing(url, value), request("GET /v1/fail", "")).await;
        assert_eq!(answer.status, 409);
        assert_eq!(answer.body, format!("{{\"code\":10,\"message\":\"\",\"details\":[{expected}]}}"));
    }
}

#[tokio::test]
async fn bodies_of_any_type_pass_as_they_are() {
    let mut raw = request("POST /v1/raw", "<x/>");
    raw.headers_mut().insert(header::CONTENT_TYPE, "text/xml".parse().unwrap());
    let answer = send(&transcoder(), raw).await;
    assert_eq!((answer.status, answer.body.as_str()), (200, "<x/>"));
    assert_eq!(answer.headers[header::CONTENT_TYPE], "text/xml");
    let answer = send(&transcoder(), request("POST /v1/books/a/text", "{")).await;
    assert_eq!((answer.status, answer.body.as_str()), (200, "{"));
    assert_eq!(answer.headers[header::CONTENT_TYPE], "application/octet-stream");
}

#[tokio::test]
async fn streams_are_lines() {
    let answer = send(&transcoder(), request("GET /v1/watch/2?title=x", "")).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.headers[header::CONTENT_TYPE], "application/x-ndjson");
    let line = "{\"title\":\"x\",\"pages\":\"2\"}\n";
    assert_eq!(answer.body, line.repeat(2));
    assert_eq!(answer.trailers.unwrap()["grpc-status"], "0");
    // One that fails on its way, and one that fails at once.
    let answer = send(&transcoder(), request("GET /v1/watch/1?lent=true", "")).await;
    assert_eq!(answer.status, 200);
    let lines: Vec<_> = answer.body.lines().collect();
    assert_eq!(lines[0], r#"{"pages":"1","lent":true}"#);
    assert!(
        lines[1].starts_with(r#"{"error":{"code":5,"message":"no \"book\"","details":["#),
        "{}",
        lines[1]
    );
    assert_eq!(lines.len(), 2);
    assert_eq!(answer.trailers.unwrap()["grpc-status"], "5");
    assert_eq!(ask("GET /v1/watch/0?lent=true", "").await.0, 404);
    assert_eq!(ask("GET /v1/watch/0", "").await, (200, String::new()));
    // Requests.
    let (status, body) = ask("POST /v1/send", "{\"title\":\"a\"}\n\n {\"title\":\"b\"} ").await;
    assert_eq!((status, body.as_str()), (200, r#"{"title":"a","pages":"2"}"#));
    let (status, body) = ask("POST /v1/chat/NOVEL?pages=1", "{\"years\":[1]}\n{}").await;
    let expected = "{\"author\":{\"years\":[1]},\"pages\":\"1\",\"genre\":\"NOVEL\"}\n{\"author\":{},\"pages\":\"1\",\"genre\":\"NOVEL\"}\n";
    assert_eq!((status, body.as_str()), (200, expected));
}

#[tokio::test]
async fn headers_are_metadata_both_ways() {
    let mut sent = request("GET /v1/files/a:open", "");
    for (name, value) in [
        ("x-token", "t"),
        ("x-hop", "h"),
        ("connection", "close, X-Hop"),
        ("grpc-timeout", "1S"),
        ("grpc-encoding", "nothing"),
        ("te", "x"),
    ] {
        sent.headers_mut().insert(name, value.parse().unwrap());
    }
    let answer = send(&transcoder(), sent).await;
    assert_eq!((answer.status, answer.body.as_str()), (200, r#"{"name":"a"}"#));
    assert_eq!(answer.headers["x-saw-x-token"], "t");
    assert_eq!(answer.headers["x-saw-grpc-timeout"], "1S");
    assert!(!answer.headers.contains_key("x-saw-x-hop"));
    assert!(!answer.headers.keys().any(|name| name.as_str().starts_with("grpc-")), "{:?}", answer.headers);
}

#[tokio::test]
async fn what_is_not_served_is_said_by_the_status() {
    let answer = send(&transcoder(), request("DELETE /v1/books/a/tags", "")).await;
    assert_eq!(answer.status, 405);
    assert_eq!(answer.headers[header::ALLOW], "GET, PUT");
    assert_eq!(ask("HEAD /v1/files/a:open", "").await.0, 200);
    let bounded = transcoder().max_body_size(8);
    assert_eq!(send(&bounded, request("POST /v1/books", r#"{"pages":1}"#)).await.status, 413);
    assert_eq!(send(&bounded, request("POST /v1/books", r#"{}      "#)).await.status, 200);
    let mut compressed = request("POST /v1/books", "{}");
    compressed.headers_mut().insert(header::CONTENT_ENCODING, "gzip".parse().unwrap());
    assert_eq!(send(&transcoder(), compressed).await.status, 415);
    let bounded = transcoder().parser(json::Parser::new().budget(64));
    let many = format!(r#"{{"tags":[{}"x"]}}"#, r#""x","#.repeat(1000));
    assert_eq!(send(&bounded, request("POST /v1/books", &many)).await.status, 429);
    let named =
        transcoder().printer(json::Printer::new().use_proto_field_name(true).skip_default_fields(true));
    let answer = send(&named, request("GET /v1/books/a/b", "")).await;
    assert_eq!(answer.body, r#"{"name":"a","author":{"first_name":"b"}}"#);
    for code in 0..=16 {
        let fail =
            move |_, _| async move { Err::<Response<DynamicMessage>, _>(Status::new(Code::from(code), "")) };
        let server = DynamicServer::new(library()).unary("library.Books/Fail", fail).unwrap();
        let failing = Transcoder::new(DynamicClient::new(server, library())).unwrap();
        let expected = [200, 499, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401];
        if code > 0 {
            let status = send(&failing, request("GET /v1/fail", "")).await.status;
            assert_eq!(status, expected[code as usize], "{code}");
        }
    }
}

#[tokio::test]
async fn rules_are_checked_when_they_are_made() {
    for (rule, expected) in [
        (r#"get: "v1""#, "does not begin with a slash"),
        (r#"get: "/{nothing}""#, "no field"),
        (r#"get: "/{tags}""#, "`tags` is not one value"),
        (r#"get: "/{author}""#, "`author` is not one value"),
        (r#"get: "/{labels}""#, "`labels` is not one value"),
        (r#"post: "/a" body: "nothing""#, "no field"),
        (r#"post: "/a" body: "author.first_name""#, "no field"),
        (r#"get: "/a" response_body: "nothing""#, "no field"),
        (r#"body: "*""#, "no path"),
        (r#"custom { kind: "A B" path: "/a" }"#, "no method of HTTP"),
        (
            r#"get: "/a" additional_bindings { get: "/b" additional_bindings { get: "/c" } }"#,
            "none of their own",
        ),
    ] {
        let source = format!(
            "syntax = 'proto3'; package x; import 'google/api/annotations.proto'; import 'library.proto';
             service S {{ rpc M(library.Book) returns (library.Book) {{ option (google.api.http) = {{ {rule} }}; }} }}"
        );
        let pool = compile("x.proto", Some(&source));
        let client = DynamicClient::new(server(), pool);
        let error = Transcoder::with_services(client.clone(), &["x.S"]).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(
            error.message().starts_with("x.S.M: ") && error.message().contains(expected),
            "{rule}: {error}"
        );
        // Other services of the pool are as good as they were.
        assert!(Transcoder::with_services(client.clone(), &["library.Books"]).is_ok());
        assert_eq!(
            Transcoder::with_services(client, &["library.Book"]).unwrap_err().code(),
            Code::Unimplemented
        );
    }
    let source = "syntax = 'proto3'; package x; import 'google/api/annotations.proto'; import 'library.proto';
        service S { rpc A(library.Book) returns (library.Book) { option (google.api.http) = { get: '/{name}' }; }
            rpc B(library.Book) returns (library.Book) { option (google.api.http) = { get: '/{title}' }; } }";
    let pool = compile("x.proto", Some(source));
    let both = Transcoder::with_services(DynamicClient::new(server(), pool), &["x.S"]).unwrap();
    assert_eq!(both.shadowed(), ["x.S.B"]);
    let same = HttpRule { pattern: Some(Pattern::Get("/{title}".into())), ..HttpRule::default() };
    let error = both.rule("x.S/B", &same).unwrap_err();
    assert!(error.message().contains("the same requests are for x.S.A"), "{error}");
    let rule = HttpRule { pattern: Some(Pattern::Get("/hidden/{title}".into())), ..HttpRule::default() };
    let added = transcoder().rule("library.Books/Hidden", &rule).unwrap();
    let answer = send(&added, request("GET /hidden/x", "")).await;
    assert_eq!((answer.status, answer.body.as_str()), (200, r#"{"title":"x"}"#));
    assert_eq!(added.rule("library.Books/Nothing", &rule).unwrap_err().code(), Code::Unimplemented);
    assert!(format!("{:?}", transcoder()).starts_with("Transcoder [\"library.Books.Get\""));
}

/// HTTP/1.1 as it is on the wire, and a server at the end of a channel.
#[tokio::test(flavor = "multi_thread")]
async fn an_axum_service_before_a_channel() {
    let incoming = tonic::transport::server::TcpIncoming::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = incoming.local_addr().unwrap();
    tokio::spawn(tonic::transport::Server::builder().serve_with_incoming(server(), incoming));
    let channel = tonic::transport::Endpoint::from_shared(format!("http://{address}"))
        .unwrap()
        .connect()
        .await
        .unwrap();
    let transcoder = Transcoder::new(DynamicClient::new(channel, library())).unwrap();
    let router = axum::Router::new()
        .route("/health", axum::routing::get(|| async { "well" }))
        .fallback_service(transcoder);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    let ask = move |text: String| {
        tokio::task::spawn_blocking(move || {
            let mut stream = std::net::TcpStream::connect(address).unwrap();
            stream.write_all(text.as_bytes()).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            answer
        })
    };
    let get =
        |path: &str| format!("GET {path} HTTP/1.1\r\nhost: x\r\nte: trailers\r\nconnection: close\r\n\r\n");
    assert!(ask(get("/health")).await.unwrap().ends_with("\r\n\r\nwell"));
    let answer = ask(get("/v1/files/a:open?pages=3")).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.ends_with(r#"{"name":"a","pages":"3"}"#), "{answer}");
    let answer = ask(get("/v1/watch/1?lent=true")).await.unwrap();
    assert!(
        answer.contains("{\"pages\":\"1\",\"lent\":true}\n") && answer.contains("grpc-status: 5"),
        "{answer}"
    );
    let head = ask(get("/v1/files/a:open").replace("GET", "HEAD")).await.unwrap();
    assert!(head.starts_with("HTTP/1.1 200") && head.ends_with("\r\n\r\n"), "{head}");
    let post = "POST /v1/books HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 13\r\n\r\n{\"title\":\"x\"}";
    assert!(ask(post.into()).await.unwrap().ends_with(r#"{"title":"x"}"#));
}
