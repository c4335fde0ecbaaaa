//! [`DynamicServer`].

use super::{find, find_known, path};
use crate::DynamicCodec;
use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tablepb::schema::MethodDescriptor;
use tablepb::{DecodeOptions, DescriptorPool, DynamicMessage};
use tokio_stream::Stream;
use tonic::body::Body;
use tonic::codec::CompressionEncoding;
use tonic::server::{ClientStreamingService, Grpc, ServerStreamingService, StreamingService, UnaryService};
use tonic::{Request, Response, Status, Streaming};
use tower_service::Service;

/// The responses of a method that is a stream.
pub type BoxStream = Pin<Box<dyn Stream<Item = Result<DynamicMessage, Status>> + Send>>;
type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;
type Handler<Q, R> =
    Arc<dyn Fn(MethodDescriptor, Request<Q>) -> BoxFuture<Result<Response<R>, Status>> + Send + Sync>;

/// A server of methods that are registered at run time: gateways, mocks, proxies.
///
/// It is a service for `tonic::transport::Server::serve`, or the fallback of an axum router beside other services. Methods are named
/// `pkg.Service/Method`; those that nothing is registered for go to the [`fallback`](Self::fallback), or are `UNIMPLEMENTED`. A clone shares
/// everything.
///
/// ```no_run
/// # async fn serve(pool: tablepb::DescriptorPool) -> Result<(), Box<dyn std::error::Error>> {
/// use tablepb::DynamicMessage;
/// use tablepb::schema::MethodDescriptor;
/// use tablepb_tonic::DynamicServer;
/// use tonic::{Request, Response, Status};
///
/// let greet = |method: MethodDescriptor, request: Request<DynamicMessage>| async move {
///     let name = request.get_ref().get("name").and_then(|name| name.as_str()).unwrap_or("you");
///     let mut reply = DynamicMessage::new(&method.output());
///     let set = reply.set_field("message", format!("Hello {name}!"));
///     set.map_err(|error| Status::internal(error.to_string()))?;
///     Ok(Response::new(reply))
/// };
/// let server = DynamicServer::new(pool).unary("helloworld.Greeter/SayHello", greet)?;
/// tonic::transport::Server::builder().serve("127.0.0.1:50051".parse()?, server).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct DynamicServer {
    pool: DescriptorPool,
    methods: Arc<HashMap<String, Method>>,
    fallback: Option<Handler<Streaming<DynamicMessage>, BoxStream>>,
    limits: Limits,
}

#[derive(Clone)]
struct Method {
    descriptor: MethodDescriptor,
    handler: Handlers,
}

#[derive(Clone)]
enum Handlers {
    Unary(Handler<DynamicMessage, DynamicMessage>),
    ServerStreaming(Handler<DynamicMessage, BoxStream>),
    ClientStreaming(Handler<Streaming<DynamicMessage>, DynamicMessage>),
    Streaming(Handler<Streaming<DynamicMessage>, BoxStream>),
}

#[derive(Clone, Default)]
struct Limits {
    options: DecodeOptions,
    decoding: Option<usize>,
    encoding: Option<usize>,
    accept: Vec<CompressionEncoding>,
    send: Vec<CompressionEncoding>,
}

impl DynamicServer {
    /// A server of a schema, without methods.
    pub fn new(pool: DescriptorPool) -> Self {
        Self { pool, methods: Arc::default(), fallback: None, limits: Limits::default() }
    }

    /// Registers a method of one request and one response. A second one for the same method takes its place.
    ///
    /// # Errors
    /// `UNIMPLEMENTED` if the pool has no such method, `INVALID_ARGUMENT` if it has streams.
    pub fn unary<H, F>(self, method: &str, handler: H) -> Result<Self, Status>
    where
        H: Fn(MethodDescriptor, Request<DynamicMessage>) -> F + Send + Sync + 'static,
        F: Future<Output = Result<Response<DynamicMessage>, Status>> + Send + 'static,
    {
        let handler: Handler<_, _> = Arc::new(move |method, request| Box::pin(handler(method, request)));
        self.register(method, Handlers::Unary(handler))
    }

    /// Registers a method of one request and a stream of responses.
    ///
    /// # Errors
    /// `UNIMPLEMENTED` if the pool has no such method, `INVALID_ARGUMENT` if it has other streams.
    pub fn server_streaming<H, F, S>(self, method: &str, handler: H) -> Result<Self, Status>
    where
        H: Fn(MethodDescriptor, Request<DynamicMessage>) -> F + Send + Sync + 'static,
        F: Future<Output = Result<Response<S>, Status>> + Send + 'static,
        S: Stream<Item = Result<DynamicMessage, Status>> + Send + 'static,
    {
        self.register(method, Handlers::ServerStreaming(stream_handler(handler)))
    }

    /// Registers a method of a stream of requests and one response.
    ///
    /// # Errors
    /// As [`server_streaming`](Self::server_streaming).
    pub fn client_streaming<H, F>(self, method: &str, handler: H) -> Result<Self, Status>
    where
        H: Fn(MethodDescriptor, Request<Streaming<DynamicMessage>>) -> F + Send + Sync + 'static,
        F: Future<Output = Result<Response<DynamicMessage>, Status>> + Send + 'static,
    {
        let handler: Handler<_, _> = Arc::new(move |method, request| Box::pin(handler(method, request)));
        self.register(method, Handlers::ClientStreaming(handler))
    }

    /// Registers a method of two streams.
    ///
    /// # Errors
    /// As [`server_streaming`](Self::server_streaming).
    pub fn streaming<H, F, S>(self, method: &str, handler: H) -> Result<Self, Status>
    where
        H: Fn(MethodDescriptor, Request<Streaming<DynamicMessage>>) -> F + Send + Sync + 'static,
        F: Future<Output = Result<Response<S>, Status>> + Send + 'static,
        S: Stream<Item = Result<DynamicMessage, Status>> + Send + 'static,
    {
        self.register(method, Handlers::Streaming(stream_handler(handler)))
    }

    /// Registers what serves all other methods of the pool, each as two streams: what a proxy does.
    #[must_use]
    pub fn fallback<H, F, S>(mut self, handler: H) -> Self
    where
        H: Fn(MethodDescriptor, Request<Streaming<DynamicMessage>>) -> F + Send + Sync + 'static,
        F: Future<Output = Result<Response<S>, Status>> + Send + 'static,
        S: Stream<Item = Result<DynamicMessage, Status>> + Send + 'static,
    {
        self.fallback = Some(stream_handler(handler));
        self
    }

    /// Sets how requests are decoded: bounds on memory and depth.
    #[must_use]
    pub fn decode_options(mut self, options: DecodeOptions) -> Self {
        self.limits.options = options;
        self
    }

    /// Bounds the size of a request, in bytes; 4 MiB by default.
    #[must_use]
    pub fn max_decoding_message_size(mut self, limit: usize) -> Self {
        self.limits.decoding = Some(limit);
        self
    }

    /// Bounds the size of a response, in bytes; no bound by default.
    #[must_use]
    pub fn max_encoding_message_size(mut self, limit: usize) -> Self {
        self.limits.encoding = Some(limit);
        self
    }

    /// Takes compressed requests.
    #[must_use]
    pub fn accept_compressed(mut self, encoding: CompressionEncoding) -> Self {
        self.limits.accept.push(encoding);
        self
    }

    /// Compresses responses for clients that take them.
    #[must_use]
    pub fn send_compressed(mut self, encoding: CompressionEncoding) -> Self {
        self.limits.send.push(encoding);
        self
    }

    fn register(mut self, name: &str, handler: Handlers) -> Result<Self, Status> {
        let descriptor = find(&self.pool, name)?;
        let streams = match handler {
            Handlers::Unary(_) => (false, false),
            Handlers::ServerStreaming(_) => (false, true),
            Handlers::ClientStreaming(_) => (true, false),
            Handlers::Streaming(_) => (true, true),
        };
        if streams != (descriptor.is_client_streaming(), descriptor.is_server_streaming()) {
            let text = format!("{} has other streams", descriptor.full_name());
            return Err(Status::invalid_argument(text));
        }
        let path = path(&descriptor);
        Arc::make_mut(&mut self.methods).insert(path, Method { descriptor, handler });
        Ok(self)
    }

    /// Answers a request.
    async fn serve<B>(self, request: http::Request<B>) -> http::Response<Body>
    where
        B: http_body::Body + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>> + Send + 'static,
    {
        let registered = self.methods.get(request.uri().path()).cloned();
        let method = registered.map_or_else(
            || {
                let unknown = || Status::unimplemented(format!("no such method: {}", request.uri().path()));
                let handler = self.fallback.clone().ok_or_else(unknown)?;
                let descriptor = find_known(&self.pool, request.uri().path()).ok_or_else(unknown)?;
                Ok(Method { descriptor, handler: Handlers::Streaming(handler) })
            },
            Ok,
        );
        let Method { descriptor, handler } = match method {
            Ok(method) => method,
            Err(status) => return Status::into_http(status),
        };
        let codec =
            DynamicCodec::new(descriptor.output(), descriptor.input()).decode_options(self.limits.options);
        let mut grpc = Grpc::new(codec);
        for encoding in &self.limits.accept {
            grpc = grpc.accept_compressed(*encoding);
        }
        for encoding in &self.limits.send {
            grpc = grpc.send_compressed(*encoding);
        }
        grpc = grpc.apply_max_message_size_config(self.limits.decoding, self.limits.encoding);
        match handler {
            Handlers::Unary(handler) => grpc.unary(ToOne { descriptor, handler }, request).await,
            Handlers::ServerStreaming(handler) => {
                grpc.server_streaming(ToStream { descriptor, handler }, request).await
            }
            Handlers::ClientStreaming(handler) => {
                grpc.client_streaming(ToOne { descriptor, handler }, request).await
            }
            Handlers::Streaming(handler) => grpc.streaming(ToStream { descriptor, handler }, request).await,
        }
    }
}

fn stream_handler<Q, H, F, S>(handler: H) -> Handler<Q, BoxStream>
where
    H: Fn(MethodDescriptor, Request<Q>) -> F + Send + Sync + 'static,
    F: Future<Output = Result<Response<S>, Status>> + Send + 'static,
    S: Stream<Item = Result<DynamicMessage, Status>> + Send + 'static,
{
    Arc::new(move |method, request| {
        let future = handler(method, request);
        Box::pin(async move { Ok(future.await?.map(|stream| Box::pin(stream) as BoxStream)) })
    })
}

/// A handler as tonic calls it.
struct ToStream<Q> {
    descriptor: MethodDescriptor,
    handler: Handler<Q, BoxStream>,
}

struct ToOne<Q> {
    descriptor: MethodDescriptor,
    handler: Handler<Q, DynamicMessage>,
}

impl UnaryService<DynamicMessage> for ToOne<DynamicMessage> {
    type Response = DynamicMessage;
    type Future = BoxFuture<Result<Response<DynamicMessage>, Status>>;

    fn call(&mut self, request: Request<DynamicMessage>) -> Self::Future {
        (self.handler)(self.descriptor.clone(), request)
    }
}

impl ClientStreamingService<DynamicMessage> for ToOne<Streaming<DynamicMessage>> {
    type Response = DynamicMessage;
    type Future = BoxFuture<Result<Response<DynamicMessage>, Status>>;

    fn call(&mut self, request: Request<Streaming<DynamicMessage>>) -> Self::Future {
        (self.handler)(self.descriptor.clone(), request)
    }
}

impl ServerStreamingService<DynamicMessage> for ToStream<DynamicMessage> {
    type Response = DynamicMessage;
    type ResponseStream = BoxStream;
    type Future = BoxFuture<Result<Response<BoxStream>, Status>>;

    fn call(&mut self, request: Request<DynamicMessage>) -> Self::Future {
        (self.handler)(self.descriptor.clone(), request)
    }
}

impl StreamingService<DynamicMessage> for ToStream<Streaming<DynamicMessage>> {
    type Response = DynamicMessage;
    type ResponseStream = BoxStream;
    type Future = BoxFuture<Result<Response<BoxStream>, Status>>;

    fn call(&mut self, request: Request<Streaming<DynamicMessage>>) -> Self::Future {
        (self.handler)(self.descriptor.clone(), request)
    }
}

impl<B> Service<http::Request<B>> for DynamicServer
where
    B: http_body::Body + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>> + Send + 'static,
{
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        let server = self.clone();
        Box::pin(async move { Ok(server.serve(request).await) })
    }
}

impl fmt::Debug for DynamicServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DynamicServer ")?;
        let mut methods: Vec<_> = self.methods.keys().collect();
        methods.sort();
        f.debug_list().entries(methods).finish()
    }
}
