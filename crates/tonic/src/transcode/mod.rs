//! [`Transcoder`]: methods of gRPC by HTTP and JSON, as the options `google.api.http` of a schema say.
//!
//! The rules are those of [google/api/http.proto](https://github.com/googleapis/googleapis/blob/master/google/api/http.proto): all templates of
//! paths, `body`, `response_body`, `additional_bindings`; parameters of the query for the fields that neither the path nor the body has.
//!
//! | of a request | |
//! |---|---|
//! | path | The template with the most literal segments is taken. A variable of one segment is decoded; one of several keeps `%2F`. |
//! | query | `book.author.name=x`, by names or names in JSON; a list is a parameter for each element. Enums by name or number, `Timestamp`, `Duration`, `FieldMask` and wrappers as their JSON. |
//! | body | JSON whatever its type says; a `google.api.HttpBody` is any bytes. A stream of requests is one value in each line. |
//! | headers | are metadata, but for those of the connection and of the body |
//!
//! | of a response | |
//! |---|---|
//! | one message | JSON; a `google.api.HttpBody` its data, of its type |
//! | a stream | a line of JSON for each message. Where it fails, the last line is `{"error": ..}`, and the trailers have `grpc-status` and `grpc-message`. |
//! | an error | a `google.rpc.Status` in JSON, with its details, and the status of HTTP that google/rpc/code.proto gives |
//! | metadata | are headers |

mod bind;
mod request;
mod response;
mod routes;
mod template;

pub use crate::pb::google_api::{CustomHttpPattern, HttpRule, http_rule};

use crate::DynamicClient;
use bytes::Bytes;
use http::header::{ALLOW, CONTENT_ENCODING, CONTENT_TYPE, HeaderValue};
use http::{HeaderMap, HeaderName, Method, StatusCode};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use request::{Parts, Reading, Route};
use response::{Lines, content, error, http_status};
use routes::{Found, Routes};
use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tablepb::schema::{MethodDescriptor, ServiceDescriptor};
use tablepb::{DynamicMessage, Message, json};
use tonic::body::Body;
use tonic::client::GrpcService;
use tonic::metadata::MetadataMap;
use tonic::{Extensions, Request, Status};
use tower_service::Service;

/// The options of a method.
#[derive(Clone, Debug, Default, PartialEq)]
struct Options {
    /// The extension `google.api.http`.
    http: Option<HttpRule>,
}

tablepb::message! {
    Options as "google.protobuf.MethodOptions" {
        http: optional message HttpRule = 72_295_728,
    }
}

type Error = Box<dyn std::error::Error + Send + Sync>;

/// A service that answers HTTP and JSON by calls of gRPC: the methods of a pool by their options `google.api.http`, over a channel of
/// tonic or a [`DynamicServer`](crate::DynamicServer) of the same process.
///
/// It is the fallback of an axum router, or a service of hyper. A clone shares everything. A body has at most 4 MiB by default;
/// JSON has the bounds of its parser, messages those of the client.
///
/// ```no_run
/// # async fn serve(pool: tablepb::DescriptorPool) -> Result<(), Box<dyn std::error::Error>> {
/// use tablepb_tonic::{DynamicClient, Transcoder};
///
/// let channel = tonic::transport::Endpoint::from_static("http://localhost:50051").connect().await?;
/// let transcoder = Transcoder::new(DynamicClient::new(channel, pool))?;
/// let router = axum::Router::new().fallback_service(transcoder);
/// axum::serve(tokio::net::TcpListener::bind("127.0.0.1:8080").await?, router).await?;
/// # Ok(())
/// # }
/// ```
pub struct Transcoder<T> {
    client: DynamicClient<T>,
    shared: Arc<Shared>,
}

#[derive(Clone)]
struct Shared {
    tree: Routes,
    routes: Vec<Arc<Route>>,
    shadowed: Vec<String>,
    reading: Reading,
    printer: json::Printer,
    max_body_size: usize,
}

impl<T: Clone> Clone for Transcoder<T> {
    fn clone(&self) -> Self {
        Self { client: self.client.clone(), shared: Arc::clone(&self.shared) }
    }
}

impl<T> fmt::Debug for Transcoder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Transcoder ")?;
        f.debug_list().entries(self.shared.routes.iter().map(|route| route.method.full_name())).finish()
    }
}

impl<T> Transcoder<T>
where
    T: GrpcService<Body>,
    T::ResponseBody: http_body::Body + Send + 'static,
    <T::ResponseBody as http_body::Body>::Error: Into<Error>,
{
    /// A service of all methods in the client's pool that have the option. Requests are sent by the client.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if an option is wrong, with the method and the reason: no template, a field that does not exist, a variable that
    /// is no single value. Of two methods for the same requests the first one has them; [`shadowed`](Self::shadowed) has the other.
    pub fn new(client: DynamicClient<T>) -> Result<Self, Status> {
        let services: Vec<_> = client.pool().services().collect();
        Self::with(client, &services)
    }

    /// A service of the methods of some services, named `pkg.Service`: the pool has others, which it imports or which are of other
    /// servers.
    ///
    /// # Errors
    /// `UNIMPLEMENTED` if the pool has no such service; as [`new`](Self::new).
    pub fn with_services(client: DynamicClient<T>, services: &[&str]) -> Result<Self, Status> {
        let found = services.iter().map(|name| client.pool().service(name));
        let found: Result<Vec<_>, _> = found.collect();
        let found = found.map_err(|error| Status::unimplemented(error.to_string()))?;
        Self::with(client, &found)
    }

    fn with(client: DynamicClient<T>, services: &[ServiceDescriptor]) -> Result<Self, Status> {
        let shared = Shared {
            tree: Routes::default(),
            routes: Vec::new(),
            shadowed: Vec::new(),
            reading: Reading { parser: json::Parser::new(), ignore_unknown: false },
            printer: json::Printer::new(),
            max_body_size: 4 << 20,
        };
        let mut this = Self { client, shared: Arc::new(shared) };
        for method in services.iter().flat_map(|service| service.methods()) {
            let options = Options::decode(method.options_bytes())
                .map_err(|error| Status::invalid_argument(format!("{}: {error}", method.full_name())))?;
            if let Some(rule) = options.http {
                this.add(&method, &rule, true)?;
            }
        }
        Ok(this)
    }

    /// Adds a rule for a method, named `pkg.Service/Method`, beside those that its option has.
    ///
    /// ```no_run
    /// # fn add<T>(transcoder: tablepb_tonic::Transcoder<T>) -> Result<(), tonic::Status> where
    /// #     T: tonic::client::GrpcService<tonic::body::Body>,
    /// #     T::ResponseBody: http_body::Body + Send + 'static,
    /// #     <T::ResponseBody as http_body::Body>::Error: Into<Box<dyn std::error::Error + Send + Sync>> {
    /// use tablepb_tonic::transcode::{HttpRule, http_rule::Pattern};
    ///
    /// let rule = HttpRule { pattern: Some(Pattern::Get("/v1/{name=shelves/*}".into())), ..HttpRule::default() };
    /// let transcoder = transcoder.rule("shop.Shelves/Get", &rule)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `UNIMPLEMENTED` if the pool has no such method; `INVALID_ARGUMENT` if the requests are for another method already; as
    /// [`new`](Self::new).
    pub fn rule(mut self, method: &str, rule: &HttpRule) -> Result<Self, Status> {
        let method = self.client.method(method)?;
        self.add(&method, rule, false)?;
        Ok(self)
    }

    fn add(&mut self, method: &MethodDescriptor, rule: &HttpRule, gives_way: bool) -> Result<(), Status> {
        let shared = Arc::make_mut(&mut self.shared);
        let wrong = |text: String| Status::invalid_argument(format!("{}: {text}", method.full_name()));
        if rule.additional_bindings.iter().any(|inner| !inner.additional_bindings.is_empty()) {
            return Err(wrong("additional bindings have none of their own".into()));
        }
        for rule in std::iter::once(rule).chain(&rule.additional_bindings) {
            let (route, verb, template) = Route::new(method.clone(), rule).map_err(wrong)?;
            match shared.tree.add(verb, &template, shared.routes.len()) {
                Ok(()) => shared.routes.push(Arc::new(route)),
                Err(_) if gives_way => shared.shadowed.push(method.full_name().to_owned()),
                Err(other) => {
                    let other = shared.routes[other].method.full_name();
                    return Err(wrong(format!("the same requests are for {other}")));
                }
            }
        }
        Ok(())
    }

    /// Sets how JSON is read.
    #[must_use]
    pub fn parser(mut self, parser: json::Parser) -> Self {
        Arc::make_mut(&mut self.shared).reading.parser = parser;
        self
    }

    /// Sets how JSON is written.
    #[must_use]
    pub fn printer(mut self, printer: json::Printer) -> Self {
        Arc::make_mut(&mut self.shared).printer = printer;
        self
    }

    /// Takes parameters of the query that are no fields, and does nothing with them; otherwise they are `INVALID_ARGUMENT`.
    #[must_use]
    pub fn ignore_unknown_parameters(mut self, ignore: bool) -> Self {
        Arc::make_mut(&mut self.shared).reading.ignore_unknown = ignore;
        self
    }

    /// Bounds the body of a request, in bytes; 4 MiB by default.
    #[must_use]
    pub fn max_body_size(mut self, limit: usize) -> Self {
        Arc::make_mut(&mut self.shared).max_body_size = limit;
        self
    }

    /// The full names of methods with a rule whose requests are for a method before them: they cannot be called by that rule.
    pub fn shadowed(&self) -> &[String] {
        &self.shared.shadowed
    }

    /// The client that makes the calls.
    pub fn client(&self) -> &DynamicClient<T> {
        &self.client
    }

    /// Answers a request.
    async fn serve<B>(mut self, request: http::Request<B>) -> http::Response<Body>
    where
        B: http_body::Body + Send + 'static,
        B::Error: Into<Error>,
    {
        let pool = self.client.pool().clone();
        let answered = self.answer(request).await;
        answered.unwrap_or_else(|Refused { http, status, allow }| {
            let mut response = error(http, &status, &pool);
            if let Some(allow) = allow {
                response.headers_mut().insert(ALLOW, allow);
            }
            response
        })
    }

    async fn answer<B>(&mut self, request: http::Request<B>) -> Result<http::Response<Body>, Refused>
    where
        B: http_body::Body + Send + 'static,
        B::Error: Into<Error>,
    {
        let (head, body) = request.into_parts();
        let path = head.uri.path().strip_prefix('/').unwrap_or_default();
        let mut segments: Vec<&str> = if path.is_empty() { vec![] } else { path.split('/').collect() };
        let (route, verb) = self.route(&head.method, &segments)?;
        if let Some(last) = segments.last_mut().filter(|_| verb) {
            *last = last.rsplit_once(':').map_or(*last, |(stem, _)| stem);
        }
        let text = |name: HeaderName| {
            head.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
        };
        let parts = Parts {
            segments: &segments,
            query: head.uri.query().unwrap_or_default(),
            content_type: text(CONTENT_TYPE),
        };
        let params = route.params(&parts, &self.shared.reading)?;
        let body = if route.has_body() {
            if !matches!(text(CONTENT_ENCODING), "" | "identity") {
                let text = "the body is compressed";
                return Err(Refused::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, Status::unimplemented(text)));
            }
            read(body, self.shared.max_body_size).await?
        } else {
            Bytes::new()
        };
        let message = |body: &[u8]| route.request(&params, body, &parts, &self.shared.reading);
        // A stream of requests is checked whole before the call: one that fails half way would end like one that is complete.
        let requests = if route.method.is_client_streaming() && !route.takes_any_body() && route.has_body() {
            lines(&body).map(message).collect::<Result<Vec<_>, _>>()?
        } else {
            vec![message(&body)?]
        };
        Ok(self.call(route.clone(), metadata(head.headers), requests).await?)
    }

    /// The route of a request, and whether its path has a verb.
    fn route(&self, method: &Method, segments: &[&str]) -> Result<(Arc<Route>, bool), Refused> {
        let find = |method| {
            let found = self.shared.tree.find(method, segments);
            found.ok_or_else(|| Status::invalid_argument("the path is not UTF-8"))
        };
        let mut found = find(method)?;
        // The route of GET answers HEAD; hyper leaves the body of the answer out.
        if *method == Method::HEAD && !matches!(found, Found::Route(..)) {
            found = find(&Method::GET)?;
        }
        match found {
            Found::Route(at, verb) => Ok((Arc::clone(&self.shared.routes[at]), verb)),
            Found::Nothing => {
                Err(Refused::new(StatusCode::NOT_FOUND, Status::not_found("no method has this path")))
            }
            Found::Methods(methods) => {
                let names: Vec<_> = methods.iter().map(Method::as_str).collect();
                let text = format!("the path is for {}", names.join(", "));
                let refused = Refused::new(StatusCode::METHOD_NOT_ALLOWED, Status::unimplemented(text));
                Err(Refused { allow: HeaderValue::try_from(names.join(", ")).ok(), ..refused })
            }
        }
    }

    async fn call(
        &mut self,
        route: Arc<Route>,
        metadata: MetadataMap,
        mut requests: Vec<DynamicMessage>,
    ) -> Result<http::Response<Body>, Status> {
        let name = route.method.full_name().to_owned();
        let method = &route.method;
        let extensions = Extensions::default();
        if !method.is_client_streaming() {
            let request = requests.pop().ok_or_else(|| Status::internal("no request"))?;
            let request = Request::from_parts(metadata, extensions, request);
            if !method.is_server_streaming() {
                let (metadata, message, _) = self.client.unary(&name, request).await?.into_parts();
                return Ok(content(&route, message, &self.shared.printer)?.answer(metadata));
            }
            let response = self.client.server_streaming(&name, request).await?;
            return self.stream(route, response).await;
        }
        let requests = Request::from_parts(metadata, extensions, tokio_stream::iter(requests));
        if !method.is_server_streaming() {
            let (metadata, message, _) = self.client.client_streaming(&name, requests).await?.into_parts();
            return Ok(content(&route, message, &self.shared.printer)?.answer(metadata));
        }
        let response = self.client.streaming(&name, requests).await?;
        self.stream(route, response).await
    }

    async fn stream(
        &self,
        route: Arc<Route>,
        response: tonic::Response<tonic::Streaming<DynamicMessage>>,
    ) -> Result<http::Response<Body>, Status> {
        let (metadata, mut stream, _) = response.into_parts();
        let first = stream.message().await?;
        let with = (route, self.shared.printer, self.client.pool().clone());
        Lines::answer(metadata, with, first, stream)
    }
}

/// Why a request has no answer of a server.
struct Refused {
    http: StatusCode,
    status: Status,
    allow: Option<HeaderValue>,
}

impl Refused {
    fn new(http: StatusCode, status: Status) -> Self {
        Self { http, status, allow: None }
    }
}

impl From<Status> for Refused {
    fn from(status: Status) -> Self {
        Self::new(http_status(status.code()), status)
    }
}

/// The whole of a body.
async fn read<B>(body: B, limit: usize) -> Result<Bytes, Refused>
where
    B: http_body::Body,
    B::Error: Into<Error>,
{
    match Limited::new(body, limit).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => {
            let text = format!("the body has more than {limit} bytes");
            Err(Refused::new(StatusCode::PAYLOAD_TOO_LARGE, Status::resource_exhausted(text)))
        }
        Err(error) => Err(Status::unknown(format!("the body cannot be read: {error}")).into()),
    }
}

/// The lines that are not empty.
fn lines(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    body.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty())
}

/// What of the headers is for the server: not what is about this connection, and about the body as it comes.
fn metadata(mut headers: HeaderMap) -> MetadataMap {
    const OF_THIS_HOP: [&str; 16] = [
        "accept",
        "accept-encoding",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "expect",
        "host",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ];
    // RFC 9110, 7.6.1: the connection's header names others.
    let named: Vec<String> = headers
        .get_all("connection")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(',').map(|name| name.trim().to_ascii_lowercase()))
        .collect();
    let names: Vec<HeaderName> = headers
        .keys()
        .filter(|name| {
            let name = name.as_str();
            OF_THIS_HOP.contains(&name)
                || named.iter().any(|found| found == name)
                || (name.starts_with("grpc-") && name != "grpc-timeout")
        })
        .cloned()
        .collect();
    for name in names {
        headers.remove(name);
    }
    MetadataMap::from_headers(headers)
}

impl<T, B> Service<http::Request<B>> for Transcoder<T>
where
    T: GrpcService<Body> + Clone + Send + Sync + 'static,
    T::Future: Send,
    T::ResponseBody: http_body::Body + Send + 'static,
    <T::ResponseBody as http_body::Body>::Error: Into<Error>,
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Error>,
{
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        let transcoder = self.clone();
        Box::pin(async move { Ok(transcoder.serve(request).await) })
    }
}
