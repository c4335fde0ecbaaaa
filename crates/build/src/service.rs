//! What a [`ServiceGenerator`] is given: services and methods, with their types as paths of Rust.

use tablepb::schema::{MethodDescriptor, ServiceDescriptor};
use tablepb_schema::RustPackages;

/// Writes code for services, after the types of their package.
///
/// Closures of `&Service` and `&mut String` are generators.
///
/// ```
/// use tablepb_build::{Config, Service};
///
/// let source = r#"syntax = "proto3"; package shop; message Ask {} service Orders { rpc FindAll(Ask) returns (stream Ask); }"#;
/// let pool = tablepb_schema::SourceBuilder::new().source("shop.proto", source).build()?;
/// let mut config = Config::new();
/// config.service_generator(|service: &Service, out: &mut String| {
///     for method in &service.methods {
///         *out += &format!("// {} {} -> {}\n", method.name, method.input_type, method.output_type);
///     }
/// });
/// let files = config.generate(&pool)?;
/// assert!(files[0].content().ends_with("\n// find_all Ask -> Ask\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ServiceGenerator {
    /// Appends the code for a service to that of its package.
    fn generate(&mut self, service: &Service, out: &mut String);
}

impl<F: FnMut(&Service, &mut String)> ServiceGenerator for F {
    fn generate(&mut self, service: &Service, out: &mut String) {
        self(service, out);
    }
}

/// A service of a schema.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Service {
    /// Its name in Rust: `OrderService`.
    pub name: String,
    /// Its name in the schema.
    pub proto_name: String,
    /// Its package; empty if it has none.
    pub package: String,
    /// Its comment, as lines of Markdown.
    pub comments: Vec<String>,
    /// Whether it has `option deprecated = true`.
    pub deprecated: bool,
    /// Its methods, in the order of the schema.
    pub methods: Vec<Method>,
    /// The service itself, with its options.
    pub descriptor: ServiceDescriptor,
}

/// A method of a [`Service`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Method {
    /// Its name in Rust: `find_all`.
    pub name: String,
    /// Its name in the schema.
    pub proto_name: String,
    /// Its comment, as lines of Markdown.
    pub comments: Vec<String>,
    /// The request, as a path from the module of the package, or one that begins with `::` or `crate::`.
    pub input_type: String,
    /// The response, as a path like that of the request.
    pub output_type: String,
    /// Whether the client sends any number of requests.
    pub client_streaming: bool,
    /// Whether the server sends any number of responses.
    pub server_streaming: bool,
    /// Whether it has `option deprecated = true`.
    pub deprecated: bool,
    /// The method itself, with its options.
    pub descriptor: MethodDescriptor,
}

impl Service {
    pub(crate) fn new(packages: &RustPackages, descriptor: &ServiceDescriptor) -> Self {
        let package = descriptor.package_name();
        let method = |method: MethodDescriptor| Method {
            name: tablepb_schema::rust_name(method.name(), false),
            proto_name: method.name().into(),
            comments: packages.comment(method.full_name()),
            // Every message of a service is written, or somewhere else.
            input_type: packages.message_path(package, &method.input()).unwrap_or_default(),
            output_type: packages.message_path(package, &method.output()).unwrap_or_default(),
            client_streaming: method.is_client_streaming(),
            server_streaming: method.is_server_streaming(),
            deprecated: method.is_deprecated(),
            descriptor: method,
        };
        Self {
            name: tablepb_schema::rust_name(descriptor.name(), true),
            proto_name: descriptor.name().into(),
            package: package.into(),
            comments: packages.comment(descriptor.full_name()),
            deprecated: descriptor.is_deprecated(),
            methods: descriptor.methods().map(method).collect(),
            descriptor: descriptor.clone(),
        }
    }
}
