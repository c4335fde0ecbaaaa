//! `tablepb call`, `list` and `describe` of the command-line tool, against servers on loopback.

mod support;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use support::{Served, guide, serve};
use tablepb_services::helloworld::greeter_server::{Greeter, GreeterServer};
use tablepb_services::helloworld::{HelloReply, HelloRequest};
use tablepb_services::pool;
use tablepb_tonic::reflection::ReflectionServer;
use tablepb_tonic::status::{BadRequest, bad_request::FieldViolation, with_details};
use tonic::transport::Server;
use tonic::{Code, Request, Response, Status};

/// The tool, built with the feature.
fn tool() -> &'static Path {
    static TOOL: OnceLock<PathBuf> = OnceLock::new();
    TOOL.get_or_init(|| {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("command");
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cli/Cargo.toml");
        let mut command = Command::new(env!("CARGO"));
        command.args(["build", "--quiet", "--features", "grpc", "--manifest-path"]).arg(manifest);
        let status = command.arg("--target-dir").arg(&target).status().unwrap();
        assert!(status.success());
        target.join("debug").join(format!("tablepb{}", std::env::consts::EXE_SUFFIX))
    })
}

/// Runs the tool beside the server, which has this thread's runtime.
async fn run(arguments: &[&str], input: &str) -> Output {
    let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).into()).collect();
    let input = input.to_owned();
    let work = move || {
        let mut command = Command::new(tool());
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    };
    tokio::task::spawn_blocking(work).await.unwrap()
}

async fn shows(arguments: &[&str], input: &str, expected: &str) {
    let output = run(arguments, input).await;
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!((out.as_str(), err.as_str(), output.status.code()), (expected, "", Some(0)), "{arguments:?}");
}

async fn fails(arguments: &[&str], input: &str, code: i32, part: &str) {
    let output = run(arguments, input).await;
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
    assert!(text.contains(part), "{part}\nis not in\n{text}");
}

/// Greets those that have a name and says who asks; refuses others with details.
struct Picky;

#[tonic::async_trait]
impl Greeter for Picky {
    async fn say_hello(&self, request: Request<HelloRequest>) -> Result<Response<HelloReply>, Status> {
        let from = request
            .metadata()
            .get("x-from")
            .and_then(|value| value.to_str().ok())
            .unwrap_or("nobody")
            .to_owned();
        let name = request.into_inner().name;
        if name == "slow" {
            tokio::time::sleep(std::time::Duration::from_secs(20)).await;
        }
        if name.is_empty() {
            let violation =
                FieldViolation { field: "name".into(), description: "is empty".into(), ..Default::default() };
            return Err(with_details(
                Code::InvalidArgument,
                "no name",
                [BadRequest { field_violations: vec![violation] }],
            ));
        }
        Ok(Response::new(HelloReply { message: format!("Hello {name} from {from}!") }))
    }
}

async fn server() -> Served {
    let reflection = ReflectionServer::new([pool().unwrap()]).v1();
    serve(
        Server::builder().add_service(GreeterServer::new(Picky)).add_service(guide()).add_service(reflection),
    )
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn all_kinds_of_methods_are_called() {
    let server = server().await;
    let address = server.address.to_string();
    let call = |method| ["call", "--plaintext", &address, method].map(str::to_owned);
    let with = |method, more: &[&str]| {
        call(method).into_iter().chain(more.iter().map(|text| (*text).into())).collect::<Vec<String>>()
    };
    let shows = async |method, more: &[&str], input: &str, expected: &str| {
        let arguments = with(method, more);
        shows(&arguments.iter().map(String::as_str).collect::<Vec<_>>(), input, expected).await;
    };
    let hello = "helloworld.Greeter/SayHello";
    shows(hello, &["-d", "{\"name\": \"Ada\"}"], "", "{\n  \"message\": \"Hello Ada from nobody!\"\n}\n")
        .await;
    let header = ["-d", "@", "-H", "x-from: Bob", "--to", "text"];
    shows(
        "helloworld.Greeter.SayHello",
        &header,
        "{\"name\":\n\"Ada\"}\n",
        "message: \"Hello Ada from Bob!\"\n",
    )
    .await;
    let all = "{\"lo\":{\"latitude\":2,\"longitude\":1},\"hi\":{\"latitude\":9,\"longitude\":9}}";
    let found = "{\"name\":\"B\",\"location\":{\"latitude\":2,\"longitude\":2}}\n{\"name\":\"C\",\"location\":{\"latitude\":3,\"longitude\":3}}\n";
    shows("routeguide.RouteGuide/ListFeatures", &["-d", all, "--to", "ndjson"], "", found).await;
    let points = "{\"latitude\":1,\"longitude\":1} {\"latitude\":1,\"longitude\":1}\n{\"latitude\":5}";
    let summary = run(
        &["call", "--plaintext", &address, "routeguide.RouteGuide/RecordRoute", "-d", "@", "--to", "ndjson"],
        points,
    )
    .await;
    let summary = String::from_utf8(summary.stdout).unwrap();
    assert_eq!(summary, "{\"pointCount\":3,\"featureCount\":2}\n");
    let notes = "{\"message\":\"a\"}{\"message\":\"b\"}";
    shows("routeguide.RouteGuide/RouteChat", &["-d", notes, "--to", "ndjson"], "", "{\"message\":\"a\"}\n")
        .await;
    // Without -d: one empty message, and no message in a stream.
    shows("routeguide.RouteGuide/GetFeature", &[], "", "{}\n").await;
    shows("routeguide.RouteGuide/RecordRoute", &["--to", "ndjson"], "", "{}\n").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_goes_wrong_has_its_exit_code() {
    let server = server().await;
    let address = server.address.to_string();
    let hello = ["call", "--plaintext", &address, "helloworld.Greeter/SayHello"];
    let with = |more: &[&'static str]| [&hello[..], more].concat();
    fails(&hello, "", 64 + 3, "InvalidArgument: no name\n  BadRequest").await;
    fails(&with(&["-d", "{\"name\":\"slow\"}", "--max-time", "0.2"]), "", 64 + 4, "DeadlineExceeded").await;
    fails(&with(&["-d", "{\"nam\":\"x\"}"]), "", 1, "--data, message 1: ").await;
    fails(&with(&["-d", "{} {}"]), "", 2, "the method takes one message, and 2 were given").await;
    fails(&with(&["-d", "@/no/such/file"]), "", 1, "/no/such/file").await;
    fails(&with(&["-H", "x"]), "", 2, "has no colon").await;
    let stream = ["call", "--plaintext", &address, "routeguide.RouteGuide/RecordRoute", "-d", "@"];
    fails(&stream, "{\"latitude\":1}{\"latitude\":\"x\"}", 1, "standard input, message 2: ").await;
    fails(&["call", "--plaintext", &address, "helloworld.Greeter/Say"], "", 2, "has no method Say").await;
    fails(&["call", "--plaintext", &address, "helloworld.Greter/Say"], "", 64 + 5, "NotFound").await;
    fails(&["call", "--plaintext", "127.0.0.1:1", "a.B/C"], "", 64 + 14, "Unavailable").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn services_and_definitions_are_shown() {
    let server = server().await;
    let address = server.address.to_string();
    let service = "routeguide.RouteGuide";
    shows(&["list", "--plaintext", &address], "", "helloworld.Greeter\nrouteguide.RouteGuide\n").await;
    let methods =
        ["GetFeature", "ListFeatures", "RecordRoute", "RouteChat"].map(|name| format!("{service}.{name}\n"));
    shows(&["list", "--plaintext", &address, service], "", &methods.concat()).await;
    let greeter = "// helloworld.Greeter\nservice Greeter {\n  rpc SayHello(.helloworld.HelloRequest) returns (.helloworld.HelloReply);\n}\n";
    shows(&["describe", "--plaintext", &address, "helloworld.Greeter"], "", greeter).await;
    shows(&["describe", "--plaintext", &address, "helloworld.Greeter/SayHello"], "", greeter).await;
    let output = run(&["describe", "--plaintext", &address, "routeguide.Point"], "").await;
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("message Point {") && text.contains("int32 latitude = 1;"), "{text}");
    fails(&["describe", "--plaintext", &address, "routeguide.Pint"], "", 64 + 5, "NotFound").await;
    // From a schema of one's own the server is not asked.
    let proto = Path::new(env!("CARGO_MANIFEST_DIR")).join("protos/helloworld.proto");
    let proto = proto.to_str().unwrap();
    shows(&["list", "--proto", proto, "localhost:1"], "", "helloworld.Greeter\n").await;
    let hello = [
        "call",
        "--plaintext",
        "--proto",
        proto,
        &address,
        "helloworld.Greeter/SayHello",
        "-d",
        "{\"name\":\"x\"}",
        "--to",
        "ndjson",
    ];
    shows(&hello, "", "{\"message\":\"Hello x from nobody!\"}\n").await;
}

/// With a certificate of its own, by the name that it has, and by another one.
#[tokio::test(flavor = "multi_thread")]
async fn tls_is_checked() {
    let certified = rcgen::generate_simple_self_signed(["shop.example".to_owned()]).unwrap();
    let (pem, key) = (certified.cert.pem(), certified.signing_key.serialize_pem());
    let tls =
        tonic::transport::ServerTlsConfig::new().identity(tonic::transport::Identity::from_pem(&pem, key));
    let server =
        serve(Server::builder().tls_config(tls).unwrap().add_service(GreeterServer::new(Picky))).await;
    let address = server.address.to_string();
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("authority.pem");
    std::fs::write(&file, pem).unwrap();
    let proto = Path::new(env!("CARGO_MANIFEST_DIR")).join("protos/helloworld.proto");
    let (proto, file) = (proto.to_str().unwrap(), file.to_str().unwrap());
    let hello = [
        &address,
        "helloworld.Greeter/SayHello",
        "--proto",
        proto,
        "-d",
        "{\"name\":\"x\"}",
        "--to",
        "ndjson",
    ];
    let secure = [&["call", "--cacert", file, "--authority", "shop.example"][..], &hello].concat();
    shows(&secure, "", "{\"message\":\"Hello x from nobody!\"}\n").await;
    fails(&[&["call", "--cacert", file][..], &hello].concat(), "", 64 + 14, "Unavailable").await;
    fails(&[&["call"][..], &hello].concat(), "", 64 + 14, "Unavailable").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schema_is_checked_against_the_server() {
    let server = server().await;
    let address = format!("grpc:{}", server.address);
    let protos = Path::new(env!("CARGO_MANIFEST_DIR")).join("protos");
    let source = protos.join("helloworld.proto");
    let text = std::fs::read_to_string(&source).unwrap();
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("checked");
    std::fs::create_dir_all(&directory).unwrap();
    let file = directory.join("helloworld.proto");
    std::fs::write(&file, text.replace("string name = 1", "int32 name = 1")).unwrap();
    let (source, file) = (source.display().to_string(), file.display().to_string());
    let names = "FIELD_SAME_NAME,FIELD_SAME_TYPE,RPC_NO_DELETE";
    shows(&["check", "--plaintext", "--rules", names, &source, "--against", &address], "", "").await;
    let changed =
        ["check", "--plaintext", "--rules", "FIELD_WIRE_COMPATIBLE_TYPE", &file, "--against", &address];
    fails(&changed, "", 1, "1 change breaks a rule").await;
    // The server has services that the file does not have.
    fails(&["check", "--plaintext", &address, &source], "", 1, "breaks data or calls").await;
    fails(&["check", "--plaintext", "grpc:127.0.0.1:1", &file], "", 78, "").await;
}
