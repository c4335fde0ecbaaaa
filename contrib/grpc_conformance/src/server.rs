//! The service of the suite.

use crate::conformance::conformance_service_server::{ConformanceService, ConformanceServiceServer};
use crate::conformance::{
    self as pb, BidiStreamRequest, BidiStreamResponse, ClientStreamRequest, ClientStreamResponse,
    ConformancePayload, Header, IdempotentUnaryRequest, IdempotentUnaryResponse, Protocol,
    ServerCompatRequest, ServerCompatResponse, ServerStreamRequest, ServerStreamResponse,
    StreamResponseDefinition, UnaryRequest, UnaryResponse, UnaryResponseDefinition, UnimplementedRequest,
    UnimplementedResponse, conformance_payload::RequestInfo, unary_response_definition,
};
use crate::{headers, wire};
use bytes::Bytes;
use http::HeaderMap;
use http_body::{Body, Frame};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tablepb::Message;
use tablepb::wkt::Any;
use tablepb_tonic::status;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tokio_stream::{Stream, StreamExt};
use tonic::codec::CompressionEncoding;
use tonic::metadata::MetadataMap;
use tonic::transport::Server;
use tonic::{Code, Request, Response, Status, Streaming};

type Error = Box<dyn std::error::Error>;

pub async fn run() -> Result<(), Error> {
    let request: ServerCompatRequest = wire::read(&mut tokio::io::stdin()).await?.ok_or("no request")?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = u32::from(listener.local_addr()?.port());
    let response = ServerCompatResponse { host: "127.0.0.1".into(), port, ..Default::default() };
    wire::write(&mut tokio::io::stdout(), &response).await?;
    let mut service = ConformanceServiceServer::new(Suite);
    for encoding in [CompressionEncoding::Gzip, CompressionEncoding::Deflate, CompressionEncoding::Zstd] {
        service = service.accept_compressed(encoding).send_compressed(encoding);
    }
    if request.message_receive_limit > 0 {
        service = service.max_decoding_message_size(request.message_receive_limit as usize);
    }
    let service = Trailing(service);
    let incoming = TcpListenerStream::new(listener);
    if request.protocol() == Protocol::GrpcWeb {
        let service = tower::Layer::layer(&tonic_web::GrpcWebLayer::new(), service);
        Server::builder().accept_http1(true).serve_with_incoming(service, incoming).await?;
    } else {
        Server::builder().serve_with_incoming(service, incoming).await?;
    }
    Ok(())
}

/// Trailers of a response that is no error, which tonic has no call for.
#[derive(Clone)]
struct Trailers(HeaderMap);

/// Adds the [`Trailers`] of responses.
#[derive(Clone)]
struct Trailing<S>(S);

impl<S, B> tower_service::Service<http::Request<B>> for Trailing<S>
where
    S: tower_service::Service<http::Request<B>, Response = http::Response<tonic::body::Body>>,
    S::Future: Send + 'static,
{
    type Response = http::Response<tonic::body::Body>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        let response = self.0.call(request);
        Box::pin(async move {
            let mut response = response.await?;
            Ok(match response.extensions_mut().remove::<Trailers>() {
                Some(Trailers(map)) => {
                    response.map(|body| tonic::body::Body::new(WithTrailers { body, map }))
                }
                None => response,
            })
        })
    }
}

impl<S: tonic::server::NamedService> tonic::server::NamedService for Trailing<S> {
    const NAME: &'static str = S::NAME;
}

struct WithTrailers {
    body: tonic::body::Body,
    map: HeaderMap,
}

impl Body for WithTrailers {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = std::task::ready!(Pin::new(&mut self.body).poll_frame(context));
        Poll::Ready(frame.map(|frame| {
            let frame = frame?;
            Ok(match frame.into_trailers() {
                Ok(mut trailers) => {
                    trailers.extend(std::mem::take(&mut self.map));
                    Frame::trailers(trailers)
                }
                Err(frame) => frame,
            })
        }))
    }
}

/// The service.
struct Suite;

fn any(message: &impl Message) -> Any {
    Any {
        type_url: format!("type.googleapis.com/{}", full_name(message)),
        value: message.encode_to_vec().unwrap_or_default(),
    }
}

fn full_name<M: Message>(_: &M) -> &'static str {
    M::TABLE.full_name()
}

fn info<T>(request: &Request<T>) -> RequestInfo {
    let timeout =
        request.metadata().get("grpc-timeout").and_then(|value| value.to_str().ok()).and_then(milliseconds);
    let request_headers = headers::from_metadata(request.metadata());
    RequestInfo { request_headers, timeout_ms: timeout, ..Default::default() }
}

fn milliseconds(timeout: &str) -> Option<i64> {
    let (number, unit) = timeout.split_at_checked(timeout.len().checked_sub(1)?)?;
    let number: i64 = number.parse().ok()?;
    Some(match unit {
        "H" => number * 3_600_000,
        "M" => number * 60_000,
        "S" => number * 1000,
        "m" => number,
        "u" => number / 1000,
        "n" => number / 1_000_000,
        _ => return None,
    })
}

/// An error of the suite as a status, with headers and trailers: both are one block if nothing was sent before.
fn status(error: &pb::Error, more: Option<Any>, metadata: &[&[Header]]) -> Status {
    let details: Vec<Any> = error.details.iter().cloned().chain(more).collect();
    let mut status = status::with_details(Code::from_i32(error.code), error.message(), details);
    let mut map = HeaderMap::new();
    metadata.iter().for_each(|headers| map.extend(headers::to_map(headers)));
    *status.metadata_mut() = MetadataMap::from_headers(map);
    status
}

fn response<T>(message: T, response_headers: &[Header], trailers: &[Header]) -> Response<T> {
    let mut response = Response::new(message);
    *response.metadata_mut() = MetadataMap::from_headers(headers::to_map(response_headers));
    response.extensions_mut().insert(Trailers(headers::to_map(trailers)));
    response
}

async fn one(
    info: RequestInfo,
    definition: Option<UnaryResponseDefinition>,
) -> Result<(ConformancePayload, Vec<Header>, Vec<Header>), Status> {
    let definition = definition.unwrap_or_default();
    tokio::time::sleep(Duration::from_millis(definition.response_delay_ms.into())).await;
    let (headers, trailers) = (definition.response_headers, definition.response_trailers);
    let data = match definition.response {
        Some(unary_response_definition::Response::Error(error)) => {
            return Err(status(&error, Some(any(&info)), &[&headers, &trailers]));
        }
        Some(unary_response_definition::Response::ResponseData(data)) => data,
        None => Vec::new(),
    };
    Ok((ConformancePayload { data, request_info: Some(info) }, headers, trailers))
}

type Responses<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl ConformanceService for Suite {
    async fn unary(&self, request: Request<UnaryRequest>) -> Result<Response<UnaryResponse>, Status> {
        let mut info = info(&request);
        let request = request.into_inner();
        info.requests.push(any(&request));
        let (payload, headers, trailers) = one(info, request.response_definition).await?;
        Ok(response(UnaryResponse { payload: Some(payload) }, &headers, &trailers))
    }

    async fn idempotent_unary(
        &self,
        request: Request<IdempotentUnaryRequest>,
    ) -> Result<Response<IdempotentUnaryResponse>, Status> {
        let mut info = info(&request);
        let request = request.into_inner();
        info.requests.push(any(&request));
        let (payload, headers, trailers) = one(info, request.response_definition).await?;
        Ok(response(IdempotentUnaryResponse { payload: Some(payload) }, &headers, &trailers))
    }

    async fn unimplemented(
        &self,
        _: Request<UnimplementedRequest>,
    ) -> Result<Response<UnimplementedResponse>, Status> {
        Err(Status::unimplemented("the suite asks for it"))
    }

    async fn client_stream(
        &self,
        request: Request<Streaming<ClientStreamRequest>>,
    ) -> Result<Response<ClientStreamResponse>, Status> {
        let (mut info, mut definition) = (info(&request), None);
        let mut requests = request.into_inner();
        while let Some(request) = requests.next().await {
            let request = request?;
            if info.requests.is_empty() {
                definition = request.response_definition.clone();
            }
            info.requests.push(any(&request));
        }
        let (payload, headers, trailers) = one(info, definition).await?;
        Ok(response(ClientStreamResponse { payload: Some(payload) }, &headers, &trailers))
    }

    type ServerStreamStream = Responses<ServerStreamResponse>;

    async fn server_stream(
        &self,
        request: Request<ServerStreamRequest>,
    ) -> Result<Response<Self::ServerStreamStream>, Status> {
        let mut info = info(&request);
        let request = request.into_inner();
        info.requests.push(any(&request));
        let definition = request.response_definition.unwrap_or_default();
        let (headers, trailers) = (definition.response_headers.clone(), definition.response_trailers.clone());
        let stream = all(definition, info, |payload| ServerStreamResponse { payload: Some(payload) }).await?;
        Ok(response(stream, &headers, &trailers))
    }

    type BidiStreamStream = Responses<BidiStreamResponse>;

    async fn bidi_stream(
        &self,
        request: Request<Streaming<BidiStreamRequest>>,
    ) -> Result<Response<Self::BidiStreamStream>, Status> {
        let mut info = info(&request);
        let mut requests = request.into_inner();
        let first = match requests.next().await {
            Some(request) => request?,
            None => BidiStreamRequest::default(),
        };
        info.requests.push(any(&first));
        let definition = first.response_definition.unwrap_or_default();
        let (headers, trailers) = (definition.response_headers.clone(), definition.response_trailers.clone());
        let wrap = |payload| BidiStreamResponse { payload: Some(payload) };
        let stream = if first.full_duplex {
            each(definition, info, requests).await?
        } else {
            while let Some(request) = requests.next().await {
                info.requests.push(any(&request?));
            }
            all(definition, info, wrap).await?
        };
        Ok(response(stream, &headers, &trailers))
    }
}

/// All responses of a definition, the first one with what came.
async fn all<T: Send + 'static>(
    definition: StreamResponseDefinition,
    info: RequestInfo,
    wrap: impl Fn(ConformancePayload) -> T + Send + 'static,
) -> Result<Responses<T>, Status> {
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        let mut info = Some(info);
        for data in definition.response_data {
            tokio::time::sleep(Duration::from_millis(definition.response_delay_ms.into())).await;
            if sender.send(Ok(wrap(ConformancePayload { data, request_info: info.take() }))).await.is_err() {
                return;
            }
        }
        if let Some(error) = definition.error {
            // An error without a response before it tells of the request.
            let more = info.as_ref().map(any);
            let _ = sender.send(Err(status(&error, more, &[&definition.response_trailers]))).await;
        }
    });
    Ok(Box::pin(ReceiverStream::new(receiver)))
}

/// A response to each request.
async fn each(
    definition: StreamResponseDefinition,
    info: RequestInfo,
    mut requests: Streaming<BidiStreamRequest>,
) -> Result<Responses<BidiStreamResponse>, Status> {
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        let mut next = Some(info);
        for data in definition.response_data {
            let info = match next.take() {
                Some(info) => info,
                None => match requests.next().await {
                    Some(Ok(request)) => RequestInfo { requests: vec![any(&request)], ..Default::default() },
                    Some(Err(status)) => return drop(sender.send(Err(status)).await),
                    // The rest goes without requests.
                    None => RequestInfo::default(),
                },
            };
            tokio::time::sleep(Duration::from_millis(definition.response_delay_ms.into())).await;
            let payload = ConformancePayload { data, request_info: Some(info) };
            if sender.send(Ok(BidiStreamResponse { payload: Some(payload) })).await.is_err() {
                return;
            }
        }
        if let Some(error) = definition.error {
            let more = next.as_ref().map(any);
            let _ = sender.send(Err(status(&error, more, &[&definition.response_trailers]))).await;
        }
    });
    Ok(Box::pin(ReceiverStream::new(receiver)))
}
