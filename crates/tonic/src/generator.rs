//! [`Generator`]: stubs for tonic out of services, for a build script.

use proc_macro2::TokenStream;
use tablepb_build::{Method, Service, ServiceGenerator};
use tonic_build::{Attributes, CodeGenBuilder};

/// Writes clients and servers of tonic for the services of a schema; what [`generator`](crate::generator) returns.
///
/// The code is that of `tonic-build`, with a codec of this crate. The options are those of `tonic_prost_build`.
#[derive(Debug)]
pub struct Generator {
    client: bool,
    server: bool,
    codec: String,
    builder: CodeGenBuilder,
    attributes: Attributes,
}

impl Generator {
    pub(crate) fn new() -> Self {
        let (codec, builder) = ("tablepb_tonic::Codec".into(), CodeGenBuilder::new());
        Self { client: true, server: true, codec, builder, attributes: Attributes::default() }
    }

    /// Sets whether clients are written; `true` by default.
    #[must_use]
    pub fn build_client(mut self, enable: bool) -> Self {
        self.client = enable;
        self
    }

    /// Sets whether servers are written; `true` by default.
    #[must_use]
    pub fn build_server(mut self, enable: bool) -> Self {
        self.server = enable;
        self
    }

    /// Sets whether clients have `connect`, which needs tonic's feature `transport`; `true` by default.
    #[must_use]
    pub fn build_transport(mut self, enable: bool) -> Self {
        self.builder.build_transport(enable);
        self
    }

    /// Sets whether the package is part of the path of a method, as gRPC has it; `true` by default.
    #[must_use]
    pub fn emit_package(mut self, enable: bool) -> Self {
        self.builder.emit_package(enable);
        self
    }

    /// Sets whether methods of servers take `Arc<Self>` instead of `&self`; `false` by default.
    #[must_use]
    pub fn use_arc_self(mut self, enable: bool) -> Self {
        self.builder.use_arc_self(enable);
        self
    }

    /// Sets whether methods of servers have a body that answers `UNIMPLEMENTED`; `false` by default.
    #[must_use]
    pub fn generate_default_stubs(mut self, enable: bool) -> Self {
        self.builder.generate_default_stubs(enable);
        self
    }

    /// Adds an attribute to the modules of clients and servers, by the full name of a service.
    #[must_use]
    pub fn module_attribute(mut self, path: &str, attribute: &str) -> Self {
        self.attributes.push_mod(path, attribute);
        self
    }

    /// Adds an attribute to the structs of clients and servers, by the full name of a service.
    #[must_use]
    pub fn struct_attribute(mut self, path: &str, attribute: &str) -> Self {
        self.attributes.push_struct(path, attribute);
        self
    }

    /// Adds an attribute to the traits of servers, by the full name of a service.
    #[must_use]
    pub fn trait_attribute(mut self, path: &str, attribute: &str) -> Self {
        self.attributes.push_trait(path, attribute);
        self
    }

    /// Sets the path of the codec, a type with `Default`: `tablepb_tonic::Codec` by default. A
    /// `tablepb_tonic::BoundedCodec` has bounds of its own.
    #[must_use]
    pub fn codec(mut self, path: &str) -> Self {
        self.codec = path.into();
        self
    }
}

impl ServiceGenerator for Generator {
    fn generate(&mut self, service: &Service, out: &mut String) {
        let mut attributes = self.attributes.clone();
        if service.methods.iter().any(mentions_deprecated) {
            attributes.push_mod(service.descriptor.full_name(), "#[allow(deprecated)]");
        }
        self.builder.attributes(attributes);
        let service = Described {
            service,
            methods: service
                .methods
                .iter()
                .map(|method| Call { method, codec: self.codec.clone() })
                .collect(),
        };
        let mut tokens = TokenStream::new();
        // The types are in the module around that of the client.
        if self.client {
            tokens.extend(self.builder.generate_client(&service, "super"));
        }
        if self.server {
            tokens.extend(self.builder.generate_server(&service, "super"));
        }
        let file: syn::File =
            syn::parse2(tokens).expect("tonic-build writes Rust, if codec and attributes are Rust");
        out.push_str(&prettyplease::unparse(&file));
    }
}

fn mentions_deprecated(method: &Method) -> bool {
    method.deprecated
        || method.descriptor.input().is_deprecated()
        || method.descriptor.output().is_deprecated()
}

/// A service for tonic-build.
struct Described<'s> {
    service: &'s Service,
    methods: Vec<Call<'s>>,
}

struct Call<'s> {
    method: &'s Method,
    codec: String,
}

impl<'s> tonic_build::Service for Described<'s> {
    type Comment = String;
    type Method = Call<'s>;

    fn name(&self) -> &str {
        &self.service.name
    }

    fn package(&self) -> &str {
        &self.service.package
    }

    fn identifier(&self) -> &str {
        &self.service.proto_name
    }

    fn methods(&self) -> &[Call<'s>] {
        &self.methods
    }

    fn comment(&self) -> &[String] {
        &self.service.comments
    }
}

impl tonic_build::Method for Call<'_> {
    type Comment = String;

    fn name(&self) -> &str {
        &self.method.name
    }

    fn identifier(&self) -> &str {
        &self.method.proto_name
    }

    fn codec_path(&self) -> &str {
        &self.codec
    }

    fn client_streaming(&self) -> bool {
        self.method.client_streaming
    }

    fn server_streaming(&self) -> bool {
        self.method.server_streaming
    }

    fn comment(&self) -> &[String] {
        &self.method.comments
    }

    fn deprecated(&self) -> bool {
        self.method.deprecated
    }

    fn request_response_name(&self, proto_path: &str, _: bool) -> (TokenStream, TokenStream) {
        let path = |name: &str| {
            let is_absolute = name.starts_with("::") || name.starts_with("crate::");
            let text = if is_absolute { name.into() } else { format!("{proto_path}::{name}") };
            text.parse::<TokenStream>().expect("a path of a type is Rust")
        };
        (path(&self.method.input_type), path(&self.method.output_type))
    }
}
