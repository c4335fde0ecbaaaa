//! Messages and statuses as answers of HTTP.

use super::bind::write_string;
use super::request::{Route, is_http_body};
use crate::pb::google_rpc;
use crate::status::Detail;
use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, TRAILER};
use http::{HeaderMap, StatusCode};
use http_body::Frame;
use http_body_util::Full;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, ready};
use tablepb::prost_reflect_names::PoolNames;
use tablepb::table::Kind;
use tablepb::wkt::Any;
use tablepb::{DescriptorPool, DynamicMessage, FieldDescriptor, Message, MessageView, json, wkt};
use tokio_stream::Stream;
use tonic::body::Body;
use tonic::metadata::MetadataMap;
use tonic::{Code, Status, Streaming};

/// A body, and its type.
pub(super) struct Content {
    kind: HeaderValue,
    bytes: Vec<u8>,
}

/// The content of a response.
pub(super) fn content(
    route: &Route,
    mut message: DynamicMessage,
    printer: &json::Printer,
) -> Result<Content, Status> {
    let Some(field) = &route.response else { return whole(message.as_view(), printer) };
    let internal = |error: tablepb::SetFieldError| Status::internal(error.to_string());
    if let Some(message) = message.get_field(field).map_err(internal)?.as_message() {
        return whole(message, printer);
    }
    // Printed in a message with nothing else.
    let Some(value) = message.take_field(field).map_err(internal)? else {
        return Ok(Content::json(default(field)));
    };
    let mut alone = DynamicMessage::new(message.descriptor());
    alone.set_field(field, value).map_err(internal)?;
    let printer = printer.pretty(false).skip_default_fields(true);
    let mut document = printer.to_vec(&alone).map_err(unprintable)?;
    if document == b"{}" {
        return Ok(Content::json(default(field)));
    }
    document.pop();
    document.drain(..value_start(&document));
    Ok(Content::json(document))
}

fn whole(message: MessageView<'_, '_>, printer: &json::Printer) -> Result<Content, Status> {
    if is_http_body(&message.descriptor()) {
        return raw(message);
    }
    printer.to_vec(&message).map(Content::json).map_err(unprintable)
}

fn unprintable(error: tablepb::EncodeError) -> Status {
    Status::internal(format!("the response has no JSON: {error}"))
}

/// Where the value begins in `{"name":value`.
fn value_start(document: &[u8]) -> usize {
    let mut at = 2;
    while document.get(at).is_some_and(|&byte| byte != b'"') {
        at += if document[at] == b'\\' { 2 } else { 1 };
    }
    document.len().min(at + 2)
}

/// The JSON of a field that is not set, and no message.
fn default(field: &FieldDescriptor) -> Vec<u8> {
    let text = match field.kind() {
        _ if field.is_map() => "{}",
        _ if field.is_list() => "[]",
        Kind::Bool => "false",
        Kind::String | Kind::Bytes => "\"\"",
        Kind::Int64 | Kind::Uint64 | Kind::Sint64 | Kind::Fixed64 | Kind::Sfixed64 => "\"0\"",
        Kind::Enum(kind) => {
            let mut out = Vec::new();
            write_string(&mut out, kind.default_value().name());
            return out;
        }
        _ => "0",
    };
    text.into()
}

/// A `google.api.HttpBody` is its data, of its type.
fn raw(message: MessageView<'_, '_>) -> Result<Content, Status> {
    let kind = message.get("content_type").and_then(|kind| kind.as_str()).filter(|kind| !kind.is_empty());
    let kind = HeaderValue::from_str(kind.unwrap_or("application/octet-stream"));
    let kind = kind.map_err(|_| Status::internal("the content type is no header"))?;
    let bytes = message.get("data").and_then(|data| data.as_bytes()).unwrap_or_default();
    Ok(Content { kind, bytes: bytes.to_vec() })
}

impl Content {
    fn json(bytes: Vec<u8>) -> Self {
        Self { kind: HeaderValue::from_static("application/json"), bytes }
    }

    /// An answer, with the headers that a server sent.
    pub fn answer(self, metadata: MetadataMap) -> http::Response<Body> {
        let mut response = http::Response::new(full(self.bytes));
        *response.headers_mut() = headers(metadata);
        response.headers_mut().insert(CONTENT_TYPE, self.kind);
        response
    }
}

fn full(bytes: Vec<u8>) -> Body {
    Body::new(Full::new(Bytes::from(bytes)))
}

/// The metadata that are headers of HTTP too: not those of gRPC, and of its body.
fn headers(metadata: MetadataMap) -> HeaderMap {
    let of_grpc = |name: &http::HeaderName| {
        name.as_str().starts_with("grpc-")
            || [CONTENT_TYPE, CONTENT_LENGTH, CONTENT_ENCODING, TRAILER].contains(name)
    };
    let mut headers = metadata.into_headers();
    let names: Vec<_> = headers.keys().filter(|name| of_grpc(name)).cloned().collect();
    for name in names {
        headers.remove(name);
    }
    headers
}

/// The status of HTTP: what google/rpc/code.proto says.
pub(super) fn http_status(code: Code) -> StatusCode {
    match code {
        Code::Ok => StatusCode::OK,
        Code::InvalidArgument | Code::FailedPrecondition | Code::OutOfRange => StatusCode::BAD_REQUEST,
        Code::Unauthenticated => StatusCode::UNAUTHORIZED,
        Code::PermissionDenied => StatusCode::FORBIDDEN,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::AlreadyExists | Code::Aborted => StatusCode::CONFLICT,
        Code::ResourceExhausted => StatusCode::TOO_MANY_REQUESTS,
        // "Client closed request", which has no name.
        Code::Cancelled => StatusCode::from_u16(499).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
        Code::Unimplemented => StatusCode::NOT_IMPLEMENTED,
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Code::DeadlineExceeded => StatusCode::GATEWAY_TIMEOUT,
        Code::Unknown | Code::Internal | Code::DataLoss => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// An answer that is an error: a `google.rpc.Status` in JSON.
pub(super) fn error(http: StatusCode, status: &Status, pool: &DescriptorPool) -> http::Response<Body> {
    let mut response = http::Response::new(full(status_json(status, pool)));
    *response.status_mut() = http;
    *response.headers_mut() = headers(status.metadata().clone());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn status_json(status: &Status, pool: &DescriptorPool) -> Vec<u8> {
    let mut out = format!("{{\"code\":{},\"message\":", status.code() as i32).into_bytes();
    write_string(&mut out, status.message());
    let details = google_rpc::Status::decode(status.details()).unwrap_or_default().details;
    for (at, any) in details.iter().enumerate() {
        out.extend_from_slice(if at == 0 { b",\"details\":[" } else { b"," });
        out.extend(detail_json(any, pool));
    }
    out.extend_from_slice(if details.is_empty() { b"}" } else { b"]}" });
    out
}

/// A detail by the types of gRPC or of the pool; of other types its bytes.
fn detail_json(any: &Any, pool: &DescriptorPool) -> Vec<u8> {
    static OF_GRPC: LazyLock<Option<DescriptorPool>> =
        LazyLock::new(|| DescriptorPool::from_tables(&Detail::tables()).ok());
    let by = |pool: &DescriptorPool| {
        let kind = pool.get_message_by_name("google.protobuf.Any")?;
        let message = DynamicMessage::decode(&kind, &any.encode_to_vec().ok()?).ok()?;
        json::to_vec(&message).ok()
    };
    OF_GRPC.as_ref().and_then(by).or_else(|| by(pool)).unwrap_or_else(|| {
        let mut out = b"{\"@type\":".to_vec();
        write_string(&mut out, &any.type_url);
        out.extend_from_slice(b",\"value\":");
        // Bytes, whose mapping to JSON has no way to fail.
        let _ = json::append(&mut out, &wkt::BytesValue { value: any.value.clone() });
        out.push(b'}');
        out
    })
}

/// A stream of responses: a line for each, or their bytes one after the other.
pub(super) struct Lines {
    route: Arc<Route>,
    printer: json::Printer,
    first: Option<Content>,
    stream: Streaming<DynamicMessage>,
    pool: DescriptorPool,
    /// What comes after the last line.
    end: Option<HeaderMap>,
}

impl Lines {
    /// The answer of a stream; its first message was read, for a stream that fails at once is an error like others.
    pub fn answer(
        metadata: MetadataMap,
        (route, printer, pool): (Arc<Route>, json::Printer, DescriptorPool),
        first: Option<DynamicMessage>,
        stream: Streaming<DynamicMessage>,
    ) -> Result<http::Response<Body>, Status> {
        let first = first.map(|message| content(&route, message, &printer)).transpose()?;
        let kind = match &first {
            Some(content) if content.kind != "application/json" => content.kind.clone(),
            _ => HeaderValue::from_static("application/x-ndjson"),
        };
        let body = Self { route, printer, first, stream, pool, end: None };
        let mut response = http::Response::new(Body::new(body));
        *response.headers_mut() = headers(metadata);
        response.headers_mut().insert(CONTENT_TYPE, kind);
        // Without it HTTP/1.1 sends no trailers.
        response.headers_mut().insert(TRAILER, HeaderValue::from_static("grpc-status, grpc-message"));
        Ok(response)
    }

    /// A message of the body.
    fn line(content: Content) -> Frame<Bytes> {
        let Content { kind, mut bytes } = content;
        if kind == "application/json" {
            bytes.push(b'\n');
        }
        Frame::data(bytes.into())
    }

    /// The last line of a stream that fails; the trailers say the same.
    fn fail(&mut self, status: &Status) -> Frame<Bytes> {
        let mut line = b"{\"error\":".to_vec();
        line.extend(status_json(status, &self.pool));
        line.extend_from_slice(b"}\n");
        self.end = Some(trailers(status));
        Frame::data(line.into())
    }
}

fn trailers(status: &Status) -> HeaderMap {
    let mut trailers = HeaderMap::new();
    // A message that cannot be a header, which is too large, is in the last line all the same.
    if status.add_header(&mut trailers).is_err() {
        trailers.insert("grpc-status", HeaderValue::from(status.code() as i32));
    }
    trailers.remove("grpc-status-details-bin");
    trailers
}

impl http_body::Body for Lines {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(Self::line(first))));
        }
        if let Some(trailers) = self.end.take() {
            // Nothing comes after them.
            return Poll::Ready((!trailers.is_empty()).then(|| {
                self.end = Some(HeaderMap::new());
                Ok(Frame::trailers(trailers))
            }));
        }
        let next = ready!(Pin::new(&mut self.stream).poll_next(context));
        let found = match next {
            Some(Ok(message)) => content(&self.route, message, &self.printer),
            Some(Err(status)) => Err(status),
            None => {
                self.end = Some(HeaderMap::new());
                return Poll::Ready(Some(Ok(Frame::trailers(trailers(&Status::ok(""))))));
            }
        };
        Poll::Ready(Some(Ok(match found {
            Ok(content) => Self::line(content),
            Err(status) => self.fail(&status),
        })))
    }
}
