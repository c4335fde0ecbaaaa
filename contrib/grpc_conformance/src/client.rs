//! The client of the suite.

use crate::conformance::client_compat_request::cancel::CancelTiming;
use crate::conformance::conformance_service_client::ConformanceServiceClient;
use crate::conformance::{
    self as pb, ClientCompatRequest, ClientCompatResponse, ClientErrorResult, ClientResponseResult,
    Compression, ConformancePayload, HttpVersion, Protocol, client_compat_response,
};
use crate::{headers, wire};
use bytes::Bytes;
use std::time::Duration;
use tablepb::DecodeOwned;
use tablepb_tonic::status::{Detail, details};
use tokio::sync::{mpsc, oneshot};
use tokio_stream::wrappers::ReceiverStream;
use tonic::body::Body;
use tonic::client::GrpcService;
use tonic::codec::CompressionEncoding;
use tonic::metadata::MetadataMap;
use tonic::transport::Endpoint;
use tonic::{Request, Response, Status, Streaming};

type Error = Box<dyn std::error::Error>;
type BoxError = Box<dyn std::error::Error + Send + Sync>;

pub async fn run() -> Result<(), Error> {
    let (mut input, mut output) = (tokio::io::stdin(), tokio::io::stdout());
    while let Some(request) = wire::read::<ClientCompatRequest>(&mut input).await? {
        let test_name = request.test_name.clone();
        let result = match answer(request).await {
            Ok(response) => client_compat_response::Result::Response(response),
            Err(error) => {
                client_compat_response::Result::Error(ClientErrorResult { message: error.to_string() })
            }
        };
        wire::write(&mut output, &ClientCompatResponse { test_name, result: Some(result) }).await?;
    }
    Ok(())
}

async fn answer(request: ClientCompatRequest) -> Result<ClientResponseResult, Error> {
    let origin: http::Uri = format!("http://{}:{}", request.host, request.port).parse()?;
    if request.protocol() == Protocol::GrpcWeb {
        let mut builder = hyper_util::client::legacy::Client::builder(hyper_util::rt::TokioExecutor::new());
        builder.http2_only(request.http_version() == HttpVersion::HttpVersion2);
        let channel = tower::Layer::layer(&tonic_web::GrpcWebClientLayer::new(), builder.build_http());
        call(channel, origin, request).await
    } else {
        call(Endpoint::from(origin.clone()).connect().await?, origin, request).await
    }
}

/// What is known of a call so far.
#[derive(Default)]
struct Call {
    result: ClientResponseResult,
}

impl Call {
    fn headers(&mut self, metadata: &MetadataMap) {
        self.result.response_headers = headers::from_metadata(metadata);
    }

    fn payload(&mut self, payload: Option<ConformancePayload>) {
        self.result.payloads.push(payload.unwrap_or_default());
    }

    /// An error, whose metadata are headers and trailers in one if nothing came before.
    fn error(&mut self, status: &Status) {
        let metadata = headers::from_metadata(status.metadata());
        if self.result.response_headers.is_empty() {
            self.result.response_headers = metadata.clone();
        }
        self.result.response_trailers = metadata;
        let details = details(status).unwrap_or_default().into_iter().map(to_any).collect();
        self.result.error =
            Some(pb::Error { code: status.code() as i32, message: Some(status.message().into()), details });
    }

    fn unary<T>(
        mut self,
        response: Result<Response<T>, Status>,
        payload: impl Fn(T) -> Option<ConformancePayload>,
    ) -> ClientResponseResult {
        match response {
            Ok(response) => {
                // tonic has headers and trailers of one response together.
                self.headers(response.metadata());
                self.result.response_trailers = self.result.response_headers.clone();
                self.payload(payload(response.into_inner()));
            }
            Err(status) => self.error(&status),
        }
        self.result
    }
}

fn to_any(detail: Detail) -> tablepb::wkt::Any {
    match detail {
        Detail::Other(any) => any,
        // The suite has none of them.
        _ => tablepb::wkt::Any::default(),
    }
}

fn messages<M: DecodeOwned>(request: &ClientCompatRequest) -> Result<Vec<M>, Error> {
    request.request_messages.iter().map(|any| Ok(M::decode(&any.value)?)).collect()
}

fn prepared<T>(request: &ClientCompatRequest, message: T) -> Request<T> {
    let mut prepared = Request::new(message);
    *prepared.metadata_mut() = MetadataMap::from_headers(headers::to_map(&request.request_headers));
    if let Some(timeout) = request.timeout_ms {
        prepared.set_timeout(Duration::from_millis(timeout.into()));
    }
    prepared
}

/// What a call is cut off by: its deadline, and the cancel of the suite after all requests were sent.
async fn within<T>(
    request: &ClientCompatRequest,
    all_sent: Option<oneshot::Receiver<()>>,
    call: impl Future<Output = Result<T, Status>>,
) -> Result<T, Status> {
    let cancel = match request.cancel.as_ref().and_then(|cancel| cancel.cancel_timing.as_ref()) {
        Some(CancelTiming::AfterCloseSendMs(ms)) => Some(*ms),
        Some(CancelTiming::BeforeCloseSend(_)) => Some(100),
        _ => None,
    };
    let deadline = async {
        match request.timeout_ms {
            Some(ms) => tokio::time::sleep(Duration::from_millis(ms.into())).await,
            None => std::future::pending().await,
        }
    };
    let cancelled = async {
        let Some(ms) = cancel else { return std::future::pending().await };
        if let Some(all_sent) = all_sent {
            let _ = all_sent.await;
        }
        tokio::time::sleep(Duration::from_millis(ms.into())).await;
    };
    tokio::select! {
        biased;
        () = deadline => Err(Status::deadline_exceeded("the deadline has passed")),
        () = cancelled => Err(Status::cancelled("the call was cancelled")),
        result = call => match result {
            // tonic and servers may notice the deadline first, and call it a cancel.
            Err(status) if request.timeout_ms.is_some() && status.code() == tonic::Code::Cancelled => {
                Err(Status::deadline_exceeded(status.message()))
            }
            result => result,
        },
    }
}

/// The messages of a stream, each after the delay, and what tells that all were sent. In full duplex each waits for the response to the
/// one before it, of which `received` tells.
fn feed<M: Send + 'static>(
    request: &ClientCompatRequest,
    all: Vec<M>,
    mut received: Option<mpsc::Receiver<()>>,
) -> (ReceiverStream<M>, oneshot::Receiver<()>) {
    let (sender, receiver) = mpsc::channel(1);
    let (sent, all_sent) = oneshot::channel();
    let delay = Duration::from_millis(request.request_delay_ms.into());
    let never_closes = matches!(
        request.cancel.as_ref().and_then(|cancel| cancel.cancel_timing.as_ref()),
        Some(CancelTiming::BeforeCloseSend(_))
    );
    tokio::spawn(async move {
        for message in all {
            tokio::time::sleep(delay).await;
            if sender.send(message).await.is_err() {
                return;
            }
            if let Some(received) = &mut received {
                let _ = received.recv().await;
            }
        }
        let _ = sent.send(());
        if never_closes {
            std::future::pending::<()>().await;
        }
    });
    (ReceiverStream::new(receiver), all_sent)
}

async fn call<T>(
    channel: T,
    origin: http::Uri,
    request: ClientCompatRequest,
) -> Result<ClientResponseResult, Error>
where
    T: GrpcService<Body> + Send,
    T::Error: Into<BoxError>,
    T::ResponseBody: http_body::Body<Data = Bytes> + Send + 'static,
    <T::ResponseBody as http_body::Body>::Error: Into<BoxError> + Send,
{
    let mut client = ConformanceServiceClient::with_origin(channel, origin);
    for encoding in [CompressionEncoding::Gzip, CompressionEncoding::Deflate, CompressionEncoding::Zstd] {
        client = client.accept_compressed(encoding);
    }
    match request.compression() {
        Compression::Gzip => client = client.send_compressed(CompressionEncoding::Gzip),
        Compression::Deflate => client = client.send_compressed(CompressionEncoding::Deflate),
        Compression::Zstd => client = client.send_compressed(CompressionEncoding::Zstd),
        _ => {}
    }
    if request.message_receive_limit > 0 {
        client = client.max_decoding_message_size(request.message_receive_limit as usize);
    }
    let call = Call::default();
    let first = |name: &str| format!("{name} has no request");
    match request.method.as_deref().unwrap_or_default() {
        "Unary" => {
            let message: pb::UnaryRequest = messages(&request)?.pop().ok_or_else(|| first("Unary"))?;
            let response = within(&request, None, client.unary(prepared(&request, message))).await;
            Ok(call.unary(response, |response| response.payload))
        }
        "IdempotentUnary" => {
            let message: pb::IdempotentUnaryRequest =
                messages(&request)?.pop().ok_or_else(|| first("IdempotentUnary"))?;
            let response = within(&request, None, client.idempotent_unary(prepared(&request, message))).await;
            Ok(call.unary(response, |response| response.payload))
        }
        "Unimplemented" => {
            let response =
                within(&request, None, client.unimplemented(prepared(&request, pb::UnimplementedRequest {})))
                    .await;
            Ok(call.unary(response, |_| None))
        }
        "ClientStream" => {
            let (stream, all_sent) = feed(&request, messages::<pb::ClientStreamRequest>(&request)?, None);
            let sent = client.client_stream(prepared(&request, stream));
            let response = within(&request, Some(all_sent), sent).await;
            Ok(call.unary(response, |response| response.payload))
        }
        "ServerStream" => {
            let message: pb::ServerStreamRequest =
                messages(&request)?.pop().ok_or_else(|| first("ServerStream"))?;
            let call = std::sync::Mutex::new(call);
            let receive = async {
                receive(
                    &request,
                    None,
                    client.server_stream(prepared(&request, message)).await?,
                    &call,
                    |m| m.payload,
                )
                .await
            };
            let result = within(&request, None, receive).await;
            Ok(finish(call, result))
        }
        "BidiStream" => {
            let (tell, received) = mpsc::channel(1024);
            let full_duplex = request.stream_type() == pb::StreamType::FullDuplexBidiStream;
            let received = full_duplex.then_some(received);
            let (stream, all_sent) = feed(&request, messages::<pb::BidiStreamRequest>(&request)?, received);
            let call = std::sync::Mutex::new(call);
            let receive = async {
                receive(
                    &request,
                    Some(tell),
                    client.bidi_stream(prepared(&request, stream)).await?,
                    &call,
                    |m| m.payload,
                )
                .await
            };
            let result = within(&request, Some(all_sent), receive).await;
            Ok(finish(call, result))
        }
        other => Err(format!("there is no method {other}").into()),
    }
}

fn finish(call: std::sync::Mutex<Call>, result: Result<(), Status>) -> ClientResponseResult {
    let mut call = call.into_inner().unwrap_or_default();
    if let Err(status) = result {
        call.error(&status);
    }
    call.result
}

async fn receive<M>(
    request: &ClientCompatRequest,
    tell: Option<mpsc::Sender<()>>,
    response: Response<Streaming<M>>,
    call: &std::sync::Mutex<Call>,
    payload: impl Fn(M) -> Option<ConformancePayload>,
) -> Result<(), Status> {
    let with = |change: &mut dyn FnMut(&mut Call)| {
        change(&mut call.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    };
    with(&mut |call| call.headers(response.metadata()));
    let mut stream = response.into_inner();
    let limit = match request.cancel.as_ref().and_then(|cancel| cancel.cancel_timing.as_ref()) {
        Some(CancelTiming::AfterNumResponses(count)) => Some(*count),
        _ => None,
    };
    let mut count = 0;
    loop {
        if limit == Some(count) {
            return Err(Status::cancelled("the call was cancelled"));
        }
        let Some(message) = stream.message().await? else { break };
        let mut found = payload(message);
        with(&mut |call| call.payload(found.take()));
        count += 1;
        if let Some(tell) = &tell {
            let _ = tell.try_send(());
        }
    }
    if let Some(trailers) = stream.trailers().await? {
        with(&mut |call| call.result.response_trailers = headers::from_metadata(&trailers));
    }
    Ok(())
}
