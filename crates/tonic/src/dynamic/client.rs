//! [`DynamicClient`].

use super::{find, path};
use crate::DynamicCodec;
use http::uri::PathAndQuery;
use tablepb::schema::MethodDescriptor;
use tablepb::{DecodeOptions, DescriptorPool, DynamicMessage};
use tonic::body::Body;
use tonic::client::{Grpc, GrpcService};
use tonic::codec::CompressionEncoding;
use tonic::{IntoRequest, IntoStreamingRequest, Request, Response, Status, Streaming};

/// A client of any service of a pool, over a channel of tonic.
///
/// Methods are named `pkg.Service/Method`. Requests are messages of the type that the method has, for which
/// [`request`](Self::request) is an empty one. A clone shares the channel and the pool.
///
/// ```no_run
/// # async fn call(pool: tablepb::DescriptorPool) -> Result<(), Box<dyn std::error::Error>> {
/// use tablepb_tonic::DynamicClient;
///
/// let channel = tonic::transport::Endpoint::from_static("http://localhost:50051").connect().await?;
/// let mut client = DynamicClient::new(channel, pool);
/// let mut request = client.request("helloworld.Greeter/SayHello")?;
/// request.set_field("name", "Ada")?;
/// let reply = client.unary("helloworld.Greeter/SayHello", request).await?.into_inner();
/// println!("{}", tablepb::text::to_string(&reply)?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct DynamicClient<T> {
    grpc: Grpc<T>,
    pool: DescriptorPool,
    options: DecodeOptions,
}

impl<T> DynamicClient<T>
where
    T: GrpcService<Body>,
    T::ResponseBody: http_body::Body + Send + 'static,
    <T::ResponseBody as http_body::Body>::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    /// A client over a channel.
    pub fn new(channel: T, pool: DescriptorPool) -> Self {
        Self { grpc: Grpc::new(channel), pool, options: DecodeOptions::new() }
    }

    /// A client over a service that needs the scheme and the authority of requests.
    pub fn with_origin(channel: T, pool: DescriptorPool, origin: http::Uri) -> Self {
        Self { grpc: Grpc::with_origin(channel, origin), pool, options: DecodeOptions::new() }
    }

    /// Sets how responses are decoded: bounds on memory and depth.
    #[must_use]
    pub fn decode_options(mut self, options: DecodeOptions) -> Self {
        self.options = options;
        self
    }

    /// Compresses requests.
    #[must_use]
    pub fn send_compressed(mut self, encoding: CompressionEncoding) -> Self {
        self.grpc = self.grpc.send_compressed(encoding);
        self
    }

    /// Takes compressed responses.
    #[must_use]
    pub fn accept_compressed(mut self, encoding: CompressionEncoding) -> Self {
        self.grpc = self.grpc.accept_compressed(encoding);
        self
    }

    /// Bounds the size of a response, in bytes; 4 MiB by default.
    #[must_use]
    pub fn max_decoding_message_size(mut self, limit: usize) -> Self {
        self.grpc = self.grpc.max_decoding_message_size(limit);
        self
    }

    /// Bounds the size of a request, in bytes; no bound by default.
    #[must_use]
    pub fn max_encoding_message_size(mut self, limit: usize) -> Self {
        self.grpc = self.grpc.max_encoding_message_size(limit);
        self
    }

    /// The schema.
    pub fn pool(&self) -> &DescriptorPool {
        &self.pool
    }

    /// The method of this name.
    ///
    /// # Errors
    /// `UNIMPLEMENTED` if the pool has none, with the nearest name of a service.
    pub fn method(&self, name: &str) -> Result<MethodDescriptor, Status> {
        find(&self.pool, name)
    }

    /// An empty request of a method.
    ///
    /// # Errors
    /// As [`method`](Self::method).
    pub fn request(&self, method: &str) -> Result<DynamicMessage, Status> {
        Ok(DynamicMessage::new(&self.method(method)?.input()))
    }

    /// Sends one request, and returns the one response.
    ///
    /// # Errors
    /// What the server answers; `UNIMPLEMENTED` if the pool has no such method, `INVALID_ARGUMENT` if the request is of another
    /// type or the method is a stream on one of its sides: nothing is sent then.
    pub async fn unary(
        &mut self,
        method: &str,
        request: impl IntoRequest<DynamicMessage>,
    ) -> Result<Response<DynamicMessage>, Status> {
        let method = self.checked(method, false, false)?;
        let request = one(&method, request.into_request())?;
        let codec = self.start(&method).await?;
        self.grpc.unary(request, target(&method)?, codec).await
    }

    /// Sends one request, and returns the stream of responses.
    ///
    /// # Errors
    /// As [`unary`](Self::unary).
    pub async fn server_streaming(
        &mut self,
        method: &str,
        request: impl IntoRequest<DynamicMessage>,
    ) -> Result<Response<Streaming<DynamicMessage>>, Status> {
        let method = self.checked(method, false, true)?;
        let request = one(&method, request.into_request())?;
        let codec = self.start(&method).await?;
        self.grpc.server_streaming(request, target(&method)?, codec).await
    }

    /// Sends a stream of requests, and returns the one response.
    ///
    /// # Errors
    /// As [`unary`](Self::unary). A request of another type ends the call with an error.
    pub async fn client_streaming(
        &mut self,
        method: &str,
        requests: impl IntoStreamingRequest<Message = DynamicMessage>,
    ) -> Result<Response<DynamicMessage>, Status> {
        let method = self.checked(method, true, false)?;
        let codec = self.start(&method).await?;
        let requests = requests.into_streaming_request();
        self.grpc.client_streaming(requests, target(&method)?, codec).await
    }

    /// Sends a stream of requests, and returns the stream of responses: for any method, whatever streams it has.
    ///
    /// # Errors
    /// As [`client_streaming`](Self::client_streaming), but for the streams.
    pub async fn streaming(
        &mut self,
        method: &str,
        requests: impl IntoStreamingRequest<Message = DynamicMessage>,
    ) -> Result<Response<Streaming<DynamicMessage>>, Status> {
        let method = self.method(method)?;
        let codec = self.start(&method).await?;
        let requests = requests.into_streaming_request();
        self.grpc.streaming(requests, target(&method)?, codec).await
    }

    fn checked(&self, name: &str, client: bool, server: bool) -> Result<MethodDescriptor, Status> {
        let method = self.method(name)?;
        if (method.is_client_streaming(), method.is_server_streaming()) == (client, server) {
            return Ok(method);
        }
        let kind = |streams| if streams { "a stream of messages" } else { "one message" };
        Err(Status::invalid_argument(format!(
            "{} takes {} and returns {}",
            method.full_name(),
            kind(method.is_client_streaming()),
            kind(method.is_server_streaming()),
        )))
    }

    async fn start(&mut self, method: &MethodDescriptor) -> Result<DynamicCodec, Status> {
        self.grpc.ready().await.map_err(|error| {
            let error: Box<dyn std::error::Error + Send + Sync> = error.into();
            Status::unknown(format!("the channel is not ready: {error}"))
        })?;
        Ok(DynamicCodec::new(method.input(), method.output()).decode_options(self.options))
    }
}

fn target(method: &MethodDescriptor) -> Result<PathAndQuery, Status> {
    PathAndQuery::try_from(path(method)).map_err(|error| Status::internal(error.to_string()))
}

fn one(
    method: &MethodDescriptor,
    request: Request<DynamicMessage>,
) -> Result<Request<DynamicMessage>, Status> {
    let found = request.get_ref().descriptor();
    if found.full_name() == method.input().full_name() {
        return Ok(request);
    }
    let (expected, found) = (method.input(), found.full_name());
    Err(Status::invalid_argument(format!(
        "{} takes {}, and not {found}",
        method.full_name(),
        expected.full_name()
    )))
}
