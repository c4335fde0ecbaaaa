//! [`ReflectionClient`].

use super::v1::server_reflection_client::ServerReflectionClient;
use super::v1::server_reflection_request::MessageRequest as Ask;
use super::v1::server_reflection_response::MessageResponse as Answer;
use super::v1::{ServerReflectionRequest, ServerReflectionResponse};
use super::v1alpha::server_reflection_client::ServerReflectionClient as OldClient;
use std::collections::HashSet;
use tablepb::schema::{PoolBuilder, PoolOptions};
use tablepb::{DescriptorPool, Message, message};
use tokio_stream::StreamExt;
use tonic::body::Body;
use tonic::client::GrpcService;
use tonic::{Code, Response, Status, Streaming};

/// Loads the schema of a running server: files once each, and within bounds, whatever the server answers.
///
/// It asks by `grpc.reflection.v1`, and by v1alpha if the server does not know that.
///
/// ```no_run
/// # async fn load() -> Result<(), Box<dyn std::error::Error>> {
/// use tablepb_tonic::reflection::ReflectionClient;
///
/// let channel = tonic::transport::Endpoint::from_static("http://localhost:50051").connect().await?;
/// let mut client = ReflectionClient::new(channel);
/// let services = client.services().await?;
/// let pool = client.pool(&services).await?;
/// # let _ = pool;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ReflectionClient<T> {
    channel: T,
    options: PoolOptions,
    max_bytes: usize,
    max_files: usize,
    host: String,
}

/// What a file calls itself.
#[derive(Default)]
struct FileName<'a> {
    name: &'a str,
}

message! {
    FileName<'a> as "google.protobuf.FileDescriptorProto" { name: string = 1 }
}

/// How long a chain of imports may be: each of its files is a round of questions.
const MAX_ROUNDS: usize = 256;

impl<T> ReflectionClient<T>
where
    T: GrpcService<Body> + Clone + Send,
    T::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    T::ResponseBody: http_body::Body<Data = bytes::Bytes> + Send + 'static,
    <T::ResponseBody as http_body::Body>::Error: Into<Box<dyn std::error::Error + Send + Sync>> + Send,
    T::Future: Send,
{
    /// A client over a channel. At first a schema may have 64 MiB and 20 000 files, and its pool what
    /// [`PoolOptions`] allow.
    pub fn new(channel: T) -> Self {
        Self {
            channel,
            options: PoolOptions::new(),
            max_bytes: 64 << 20,
            max_files: 20_000,
            host: String::new(),
        }
    }

    /// Bounds the length of all files together, in bytes; a single response has at most as many.
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Bounds the number of files.
    #[must_use]
    pub fn max_files(mut self, files: usize) -> Self {
        self.max_files = files;
        self
    }

    /// Sets the bounds of the pool.
    #[must_use]
    pub fn pool_options(mut self, options: PoolOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets the host in requests; empty by default.
    #[must_use]
    pub fn host(mut self, host: impl Into<String>) -> Self {
        self.host = host.into();
        self
    }

    /// The full names of the services that the server tells of.
    ///
    /// # Errors
    /// What the server answers; `RESOURCE_EXHAUSTED` if that is larger than allowed, `DATA_LOSS` if it is no answer to the question.
    pub async fn services(&mut self) -> Result<Vec<String>, Status> {
        match self.ask(Ask::ListServices(String::new())).await? {
            Answer::ListServicesResponse(list) => {
                Ok(list.service.into_iter().map(|service| service.name).collect())
            }
            _ => Err(no_answer()),
        }
    }

    /// A pool with these types, services or extensions, by their full names, and all files that theirs import.
    ///
    /// # Errors
    /// As [`services`](Self::services); `NOT_FOUND` if the server does not have one; `DATA_LOSS` if the files are no schema.
    pub async fn pool<S: AsRef<str>>(&mut self, symbols: &[S]) -> Result<DescriptorPool, Status> {
        let builder = PoolBuilder::new().with_options(self.options);
        let mut files =
            Files { builder, names: HashSet::new(), bytes: self.max_bytes, files: self.max_files };
        for symbol in symbols {
            self.fetch(Ask::FileContainingSymbol(symbol.as_ref().into()), &mut files).await?;
        }
        for _ in 0..MAX_ROUNDS {
            let missing: Vec<String> =
                files.builder.missing_imports().into_iter().map(str::to_owned).collect();
            if missing.is_empty() {
                let wrong = |error| Status::data_loss(format!("the schema of the server is wrong: {error}"));
                return files.builder.build().map_err(wrong);
            }
            for name in missing {
                // It may have come with another one.
                if !files.names.contains(&name) {
                    self.fetch(Ask::FileByFilename(name.clone()), &mut files).await?;
                }
                if !files.names.contains(&name) {
                    return Err(Status::data_loss(format!(
                        "the answer to a question for {name} does not have it"
                    )));
                }
            }
        }
        Err(Status::resource_exhausted("the imports of the server's schema have no end"))
    }

    async fn fetch(&mut self, ask: Ask, files: &mut Files) -> Result<(), Status> {
        match self.ask(ask).await? {
            Answer::FileDescriptorResponse(found) if !found.file_descriptor_proto.is_empty() => {
                found.file_descriptor_proto.iter().try_for_each(|file| files.add(file))
            }
            _ => Err(no_answer()),
        }
    }

    /// Asks by v1, and by v1alpha if the server does not know that.
    ///
    /// Each stream has one question, and the client reads one answer: a server cannot send more.
    async fn ask(&mut self, ask: Ask) -> Result<Answer, Status> {
        let request = ServerReflectionRequest { host: self.host.clone(), message_request: Some(ask) };
        let mut client =
            ServerReflectionClient::new(self.channel.clone()).max_decoding_message_size(self.max_bytes);
        let answers = client.server_reflection_info(tokio_stream::once(request.clone())).await;
        match first(answers).await {
            Err(status) if status.code() == Code::Unimplemented => {
                let mut client =
                    OldClient::new(self.channel.clone()).max_decoding_message_size(self.max_bytes);
                content(first(client.server_reflection_info(tokio_stream::once(request)).await).await?)
            }
            answer => content(answer?),
        }
    }
}

/// The first message of a stream.
async fn first(
    answers: Result<Response<Streaming<ServerReflectionResponse>>, Status>,
) -> Result<ServerReflectionResponse, Status> {
    answers?.into_inner().next().await.unwrap_or_else(|| Err(no_answer()))
}

/// What an answer holds. The code of an error in it is that of the status.
fn content(answer: ServerReflectionResponse) -> Result<Answer, Status> {
    match answer.message_response {
        Some(Answer::ErrorResponse(error)) => {
            let code = match Code::from_i32(error.error_code) {
                Code::Ok => Code::Unknown,
                // That says that the server has no reflection.
                Code::Unimplemented => Code::Internal,
                code => code,
            };
            Err(Status::new(code, error.error_message))
        }
        Some(answer) => Ok(answer),
        None => Err(no_answer()),
    }
}

fn no_answer() -> Status {
    Status::data_loss("the server's reflection does not answer what was asked")
}

/// The files so far, and what may still come.
struct Files {
    builder: PoolBuilder,
    names: HashSet<String>,
    bytes: usize,
    files: usize,
}

impl Files {
    /// Adds a file. Servers send one more than once, with each that imports it; the first counts.
    fn add(&mut self, file: &[u8]) -> Result<(), Status> {
        let wrong = |error| Status::data_loss(format!("a file of the server is none: {error}"));
        let name = FileName::decode(file).map_err(wrong)?.name;
        if self.names.contains(name) {
            return Ok(());
        }
        let left = self.bytes.checked_sub(file.len()).zip(self.files.checked_sub(1));
        let Some((bytes, files)) = left else {
            return Err(Status::resource_exhausted("the schema of the server is larger than allowed"));
        };
        self.builder
            .add_file_descriptor_proto(file)
            .map_err(|error| Status::resource_exhausted(error.to_string()))?;
        (self.bytes, self.files) = (bytes, files);
        self.names.insert(name.into());
        Ok(())
    }
}
