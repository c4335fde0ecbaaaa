//! [`ReflectionServer`].

use super::index::Index;
use super::v1::server_reflection_request::MessageRequest as Ask;
use super::v1::server_reflection_response::MessageResponse as Answer;
use super::v1::{
    ErrorResponse, ExtensionNumberResponse, ExtensionRequest, FileDescriptorResponse, ListServiceResponse,
    ServerReflectionRequest, ServerReflectionResponse, ServiceResponse,
};
use super::{v1, v1alpha};
use std::collections::HashSet;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tablepb::DescriptorPool;
use tokio_stream::Stream;
use tonic::{Code, Request, Response, Status, Streaming};

/// What tells clients the schema of a server; a clone shares it.
///
/// Files are sent with all that they import, each once in a stream.
#[derive(Clone, Debug)]
pub struct ReflectionServer {
    index: Arc<Index>,
}

impl ReflectionServer {
    /// Tells the schemas of these pools, and all services of them. A pool made from tables has no services; one of a descriptor
    /// set, as `file_descriptor_set_path` of `tablepb-build` writes it, has.
    pub fn new(pools: impl IntoIterator<Item = DescriptorPool>) -> Self {
        Self { index: Arc::new(Index::new(pools.into_iter().collect(), None)) }
    }

    /// Tells the schemas of these pools, and these services: those that the server has.
    pub fn with_services<S: Into<String>>(
        pools: impl IntoIterator<Item = DescriptorPool>,
        services: impl IntoIterator<Item = S>,
    ) -> Self {
        let services = services.into_iter().map(Into::into).collect();
        Self { index: Arc::new(Index::new(pools.into_iter().collect(), Some(services))) }
    }

    /// The service `grpc.reflection.v1.ServerReflection`.
    pub fn v1(&self) -> v1::server_reflection_server::ServerReflectionServer<Self> {
        v1::server_reflection_server::ServerReflectionServer::new(self.clone())
    }

    /// The service `grpc.reflection.v1alpha.ServerReflection`, which older clients ask.
    pub fn v1alpha(&self) -> v1alpha::server_reflection_server::ServerReflectionServer<Self> {
        v1alpha::server_reflection_server::ServerReflectionServer::new(self.clone())
    }
}

/// The responses of a stream of requests, one to each.
pub struct Responses {
    index: Arc<Index>,
    requests: Streaming<ServerReflectionRequest>,
    /// The names of the files that the client has.
    sent: HashSet<String>,
}

impl fmt::Debug for Responses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Responses")
    }
}

impl Stream for Responses {
    type Item = Result<ServerReflectionResponse, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let request = std::task::ready!(Pin::new(&mut self.requests).poll_next(context));
        let this = &mut *self;
        Poll::Ready(request.map(|request| {
            let request = request?;
            Ok(ServerReflectionResponse {
                valid_host: request.host.clone(),
                message_response: Some(answer(&this.index, &mut this.sent, &request)),
                original_request: Some(request),
            })
        }))
    }
}

/// The service of one version.
macro_rules! version {
    ($module:ident) => {
        #[tonic::async_trait]
        impl $module::server_reflection_server::ServerReflection for ReflectionServer {
            type ServerReflectionInfoStream = Responses;

            async fn server_reflection_info(
                &self,
                request: Request<Streaming<ServerReflectionRequest>>,
            ) -> Result<Response<Responses>, Status> {
                let (index, requests) = (self.index.clone(), request.into_inner());
                Ok(Response::new(Responses { index, requests, sent: HashSet::new() }))
            }
        }
    };
}

version!(v1);
version!(v1alpha);

fn answer(index: &Index, sent: &mut HashSet<String>, request: &ServerReflectionRequest) -> Answer {
    let mut files = |file| {
        let file_descriptor_proto = index.with_imports(file, sent);
        Answer::FileDescriptorResponse(FileDescriptorResponse { file_descriptor_proto })
    };
    match &request.message_request {
        Some(Ask::FileByFilename(name)) => {
            index.file(name).map(files).unwrap_or_else(|| not_found("file", name))
        }
        Some(Ask::FileContainingSymbol(name)) => {
            index.symbol(name).map(files).unwrap_or_else(|| not_found("symbol", name))
        }
        Some(Ask::FileContainingExtension(ExtensionRequest { containing_type, extension_number })) => {
            let found = index.extension(containing_type, *extension_number);
            found.map(&mut files).unwrap_or_else(|| not_found("extension", containing_type))
        }
        Some(Ask::AllExtensionNumbersOfType(name)) => {
            let numbers = |extension_number| {
                let base_type_name = name.clone();
                Answer::AllExtensionNumbersResponse(ExtensionNumberResponse {
                    base_type_name,
                    extension_number,
                })
            };
            index.extension_numbers(name).map(numbers).unwrap_or_else(|| not_found("message", name))
        }
        Some(Ask::ListServices(_)) => {
            let service = index.services().iter().map(|name| ServiceResponse { name: name.clone() });
            Answer::ListServicesResponse(ListServiceResponse { service: service.collect() })
        }
        None => error(Code::InvalidArgument, "nothing is asked for".into()),
    }
}

fn not_found(what: &str, name: &str) -> Answer {
    error(Code::NotFound, format!("{what} not found: {name}"))
}

fn error(code: Code, error_message: String) -> Answer {
    Answer::ErrorResponse(ErrorResponse { error_code: code as i32, error_message })
}
