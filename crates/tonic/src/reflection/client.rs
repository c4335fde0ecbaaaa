//! [`ReflectionClient`].

use super::{v1, v1alpha};
use std::collections::{BTreeMap, HashSet};
use tablepb::schema::PoolOptions;
use tablepb::{DescriptorPool, Message, message};
use tokio_stream::StreamExt;
use tonic::body::Body;
use tonic::client::GrpcService;
use tonic::{Code, Status};

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

/// A file, and what it imports.
#[derive(Default)]
struct FileProto<'a> {
    name: &'a str,
    dependencies: Vec<&'a str>,
}

/// A `FileDescriptorSet`.
#[derive(Default)]
struct Set<'a> {
    files: Vec<&'a [u8]>,
}

message! {
    FileProto<'a> as "google.protobuf.FileDescriptorProto" {
        name: string = 1,
        dependencies as "dependency": repeated string = 3,
    }
    Set<'a> as "google.protobuf.FileDescriptorSet" {
        files as "file": repeated bytes = 1,
    }
}

/// What is asked; the versions have the same questions.
enum Ask<'a> {
    Services,
    Symbol(&'a str),
    File(&'a str),
}

enum Answer {
    Services(Vec<String>),
    Files(Vec<Vec<u8>>),
}

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
        match self.ask(&Ask::Services).await? {
            Answer::Services(names) => Ok(names),
            Answer::Files(_) => Err(no_answer()),
        }
    }

    /// A pool with these types, services or extensions, by their full names, and all files that theirs import.
    ///
    /// # Errors
    /// As [`services`](Self::services); `NOT_FOUND` if the server does not have one; `DATA_LOSS` if the files are no schema.
    pub async fn pool<S: AsRef<str>>(&mut self, symbols: &[S]) -> Result<DescriptorPool, Status> {
        let mut files = Files {
            by_name: BTreeMap::new(),
            bytes: self.max_bytes,
            files: self.max_files,
            missing: Vec::new(),
        };
        for symbol in symbols {
            self.fetch(&Ask::Symbol(symbol.as_ref()), &mut files).await?;
            while let Some(name) = files.missing.pop() {
                if !files.by_name.contains_key(&name) {
                    self.fetch(&Ask::File(&name), &mut files).await?;
                    if !files.by_name.contains_key(&name) {
                        return Err(Status::data_loss(format!(
                            "the answer to a question for {name} does not have it"
                        )));
                    }
                }
            }
        }
        let set = files.in_order().encode_to_vec().map_err(|error| Status::data_loss(error.to_string()))?;
        self.options
            .decode(&set)
            .map_err(|error| Status::data_loss(format!("the schema of the server is wrong: {error}")))
    }

    async fn fetch(&mut self, ask: &Ask<'_>, files: &mut Files) -> Result<(), Status> {
        match self.ask(ask).await? {
            Answer::Files(found) if !found.is_empty() => {
                found.into_iter().try_for_each(|file| files.add(file))
            }
            _ => Err(no_answer()),
        }
    }

    async fn ask(&mut self, ask: &Ask<'_>) -> Result<Answer, Status> {
        match self.ask_v1(ask).await {
            Err(status) if status.code() == Code::Unimplemented => self.ask_v1alpha(ask).await,
            answer => answer,
        }
    }
}

/// The question by one version.
macro_rules! version {
    ($method:ident $module:ident) => {
        impl<T> ReflectionClient<T>
        where
            T: GrpcService<Body> + Clone + Send,
            T::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
            T::ResponseBody: http_body::Body<Data = bytes::Bytes> + Send + 'static,
            <T::ResponseBody as http_body::Body>::Error:
                Into<Box<dyn std::error::Error + Send + Sync>> + Send,
            T::Future: Send,
        {
            async fn $method(&mut self, ask: &Ask<'_>) -> Result<Answer, Status> {
                use $module::server_reflection_client::ServerReflectionClient;
                use $module::server_reflection_request::MessageRequest;
                use $module::server_reflection_response::MessageResponse;

                let message_request = Some(match ask {
                    Ask::Services => MessageRequest::ListServices(String::new()),
                    Ask::Symbol(name) => MessageRequest::FileContainingSymbol((*name).into()),
                    Ask::File(name) => MessageRequest::FileByFilename((*name).into()),
                });
                let request = $module::ServerReflectionRequest { host: self.host.clone(), message_request };
                let mut client = ServerReflectionClient::new(self.channel.clone())
                    .max_decoding_message_size(self.max_bytes);
                // One question to a stream, so that a server cannot answer what nobody asked.
                let mut responses =
                    client.server_reflection_info(tokio_stream::once(request)).await?.into_inner();
                let response = responses.next().await.unwrap_or_else(|| Err(no_answer()))?;
                match response.message_response {
                    Some(MessageResponse::FileDescriptorResponse(files)) => {
                        Ok(Answer::Files(files.file_descriptor_proto))
                    }
                    Some(MessageResponse::ListServicesResponse(list)) => {
                        Ok(Answer::Services(list.service.into_iter().map(|service| service.name).collect()))
                    }
                    Some(MessageResponse::ErrorResponse(error)) => {
                        let code = match Code::from_i32(error.error_code) {
                            Code::Ok => Code::Unknown,
                            // Not as a server that does not know the method.
                            Code::Unimplemented => Code::Internal,
                            code => code,
                        };
                        Err(Status::new(code, error.error_message))
                    }
                    _ => Err(no_answer()),
                }
            }
        }
    };
}

version!(ask_v1 v1);
version!(ask_v1alpha v1alpha);

fn no_answer() -> Status {
    Status::data_loss("the server's reflection does not answer what was asked")
}

/// The files so far, and what may still come.
struct Files {
    by_name: BTreeMap<String, (Vec<u8>, Vec<String>)>,
    bytes: usize,
    files: usize,
    missing: Vec<String>,
}

impl Files {
    fn add(&mut self, file: Vec<u8>) -> Result<(), Status> {
        let proto = FileProto::decode(&file)
            .map_err(|error| Status::data_loss(format!("a file of the server is none: {error}")))?;
        let name = proto.name.to_owned();
        if self.by_name.contains_key(&name) {
            return Ok(());
        }
        let left = self.bytes.checked_sub(file.len()).zip(self.files.checked_sub(1));
        let Some((bytes, files)) = left else {
            return Err(Status::resource_exhausted("the schema of the server is larger than allowed"));
        };
        (self.bytes, self.files) = (bytes, files);
        let dependencies: Vec<String> = proto.dependencies.iter().map(|name| (*name).to_owned()).collect();
        self.missing.extend(dependencies.iter().filter(|name| !self.by_name.contains_key(*name)).cloned());
        self.by_name.insert(name, (file, dependencies));
        Ok(())
    }

    /// Each file after those that it imports. Files that import each other come in any order, which the pool refuses.
    fn in_order(&self) -> Set<'_> {
        let (mut seen, mut files) = (HashSet::new(), Vec::new());
        for name in self.by_name.keys() {
            let mut stack = vec![(name.as_str(), false)];
            while let Some((name, imports_done)) = stack.pop() {
                let Some((bytes, dependencies)) = self.by_name.get(name) else { continue };
                if imports_done {
                    files.push(bytes.as_slice());
                } else if seen.insert(name) {
                    stack.push((name, true));
                    stack.extend(dependencies.iter().map(|import| (import.as_str(), false)));
                }
            }
        }
        Set { files }
    }
}
