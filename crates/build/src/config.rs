//! [`Config`]: how code is generated, with the names of prost-build.

use crate::output::File;
use crate::service::{Service, ServiceGenerator};
use crate::{BuildError, sources};
use std::path::{Path, PathBuf};
use tablepb::DescriptorPool;
use tablepb_schema::{MapType, OpenEnumType, RustOptions, RustPackages, TextType};

/// How `.proto` files become structs: a builder with the methods of `prost_build::Config`.
///
/// The defaults are what prost writes ([`RustOptions::prost`]), so that code for it compiles; [`rust_options`](Self::rust_options)
/// sets others. Settings for a part of the schema take paths, which match as in prost-build:
/// [`RustOptions`](RustOptions#paths) says how.
///
/// ```no_run
/// fn main() -> Result<(), tablepb_build::BuildError> {
///     tablepb_build::Config::new()
///         .bytes(["."])
///         .type_attribute("shop.Order", "#[derive(serde::Serialize)]")
///         .compile(&["proto/shop.proto"], &["proto"])
/// }
/// ```
#[must_use]
pub struct Config {
    pub(crate) options: RustOptions,
    pub(crate) service_generator: Option<Box<dyn ServiceGenerator>>,
    pub(crate) default_package_filename: String,
    pub(crate) include_file: Option<String>,
    out_dir: Option<PathBuf>,
    file_descriptor_set_path: Option<PathBuf>,
}

impl Config {
    /// The defaults: as prost, with the comments of the schema, into `OUT_DIR`, without code for services.
    pub fn new() -> Self {
        Self {
            options: RustOptions::prost(),
            service_generator: None,
            default_package_filename: "_".into(),
            include_file: None,
            out_dir: None,
            file_descriptor_set_path: None,
        }
    }

    fn set(&mut self, change: impl FnOnce(RustOptions) -> RustOptions) -> &mut Self {
        self.options = change(std::mem::take(&mut self.options));
        self
    }

    fn each<S: AsRef<str>>(
        &mut self,
        paths: impl IntoIterator<Item = S>,
        change: impl Fn(RustOptions, &str) -> RustOptions,
    ) -> &mut Self {
        for path in paths {
            self.set(|options| change(options, path.as_ref()));
        }
        self
    }

    /// Replaces all options of the source. Call it first: it forgets what other methods set.
    pub fn rust_options(&mut self, options: RustOptions) -> &mut Self {
        self.set(|_| options)
    }

    /// Adds an attribute to messages, enums and oneofs.
    pub fn type_attribute(&mut self, path: impl AsRef<str>, attribute: impl AsRef<str>) -> &mut Self {
        self.set(|options| options.type_attribute(path.as_ref(), attribute.as_ref()))
    }

    /// Adds an attribute to structs of messages.
    pub fn message_attribute(&mut self, path: impl AsRef<str>, attribute: impl AsRef<str>) -> &mut Self {
        self.set(|options| options.message_attribute(path.as_ref(), attribute.as_ref()))
    }

    /// Adds an attribute to enums, not those of oneofs.
    pub fn enum_attribute(&mut self, path: impl AsRef<str>, attribute: impl AsRef<str>) -> &mut Self {
        self.set(|options| options.enum_attribute(path.as_ref(), attribute.as_ref()))
    }

    /// Adds an attribute to the enums of oneofs.
    pub fn oneof_attribute(&mut self, path: impl AsRef<str>, attribute: impl AsRef<str>) -> &mut Self {
        self.set(|options| options.oneof_attribute(path.as_ref(), attribute.as_ref()))
    }

    /// Adds an attribute to members and variants.
    pub fn field_attribute(&mut self, path: impl AsRef<str>, attribute: impl AsRef<str>) -> &mut Self {
        self.set(|options| options.field_attribute(path.as_ref(), attribute.as_ref()))
    }

    /// Says where types are in Rust that are not to be written: `.google.rpc`, `::rpc`.
    pub fn extern_path(&mut self, proto_path: impl AsRef<str>, rust_path: impl AsRef<str>) -> &mut Self {
        self.set(|options| options.extern_path(proto_path.as_ref(), rust_path.as_ref()))
    }

    /// Makes `bytes` fields `bytes::Bytes`, which share the input of `decode_shared`.
    pub fn bytes<S: AsRef<str>>(&mut self, paths: impl IntoIterator<Item = S>) -> &mut Self {
        self.each(paths, |options, path| options.bytes_in(path, TextType::Shared))
    }

    /// Sets the type of `bytes` fields.
    pub fn bytes_type<S: AsRef<str>>(
        &mut self,
        bytes: TextType,
        paths: impl IntoIterator<Item = S>,
    ) -> &mut Self {
        self.each(paths, |options, path| options.bytes_in(path, bytes))
    }

    /// Sets the type of `string` fields. Messages with borrowed members have a lifetime, and are no messages of services.
    pub fn string_type<S: AsRef<str>>(
        &mut self,
        strings: TextType,
        paths: impl IntoIterator<Item = S>,
    ) -> &mut Self {
        self.each(paths, |options, path| options.strings_in(path, strings))
    }

    /// Sets the type of map fields.
    pub fn map_type<S: AsRef<str>>(
        &mut self,
        maps: MapType,
        paths: impl IntoIterator<Item = S>,
    ) -> &mut Self {
        self.each(paths, |options, path| options.maps_in(path, maps))
    }

    /// Makes map fields `BTreeMap`, written in key order.
    pub fn btree_map<S: AsRef<str>>(&mut self, paths: impl IntoIterator<Item = S>) -> &mut Self {
        self.map_type(MapType::BTreeMap, paths)
    }

    /// Sets the type of fields of open enums; [`OpenEnumType::Number`] by default, `i32` with accessors.
    pub fn open_enums(&mut self, open_enums: OpenEnumType) -> &mut Self {
        self.set(|options| options.open_enums(open_enums))
    }

    /// Puts singular message fields into a `Box`.
    pub fn boxed(&mut self, path: impl AsRef<str>) -> &mut Self {
        self.each([path], RustOptions::boxed)
    }

    /// Makes singular message fields [`Lazy`](tablepb::Lazy): decoded on first access.
    pub fn lazy<S: AsRef<str>>(&mut self, paths: impl IntoIterator<Item = S>) -> &mut Self {
        self.each(paths, RustOptions::lazy)
    }

    /// Makes structs implement `Serialize` and `Deserialize` in the JSON mapping (feature `serde` of tablepb).
    pub fn serde<S: AsRef<str>>(&mut self, paths: impl IntoIterator<Item = S>) -> &mut Self {
        self.each(paths, RustOptions::serde)
    }

    /// Leaves out the comments of the schema.
    pub fn disable_comments<S: AsRef<str>>(&mut self, paths: impl IntoIterator<Item = S>) -> &mut Self {
        self.each(paths, RustOptions::disable_comments)
    }

    /// Sets whether structs keep the fields that the schema does not have; `false` by default, as in prost.
    pub fn unknown_fields(&mut self, keep: bool) -> &mut Self {
        self.set(|options| options.unknown_fields(keep))
    }

    /// Sets whether the code compiles without `std`; `false` by default. Maps are then `BTreeMap` by default, and the crate has
    /// `extern crate alloc;`.
    pub fn no_std(&mut self, no_std: bool) -> &mut Self {
        let maps = if no_std { MapType::BTreeMap } else { MapType::HashMap };
        self.set(|options| options.no_std(no_std).maps(maps))
    }

    /// Sets whether variants are without the name of their enum before them; `true` by default.
    pub fn strip_enum_prefix(&mut self, strip: bool) -> &mut Self {
        self.set(|options| options.strip_enum_prefix(strip))
    }

    /// Writes only these types and services, with all types that they need.
    pub fn only<S: AsRef<str>>(&mut self, paths: impl IntoIterator<Item = S>) -> &mut Self {
        self.each(paths, RustOptions::only)
    }

    /// Does not write these types and services, unless others need them.
    pub fn except<S: AsRef<str>>(&mut self, paths: impl IntoIterator<Item = S>) -> &mut Self {
        self.each(paths, RustOptions::except)
    }

    /// Writes code for services with this generator.
    pub fn service_generator(&mut self, generator: impl ServiceGenerator + 'static) -> &mut Self {
        self.service_generator = Some(Box::new(generator));
        self
    }

    /// Sets the name of the file for the package without a name; `_` by default.
    pub fn default_package_filename(&mut self, name: impl Into<String>) -> &mut Self {
        self.default_package_filename = name.into();
        self
    }

    /// Writes one file more, with a module for each package, in one another.
    pub fn include_file(&mut self, name: impl Into<String>) -> &mut Self {
        self.include_file = Some(name.into());
        self
    }

    /// Sets the directory of the files; `OUT_DIR` by default.
    pub fn out_dir(&mut self, directory: impl Into<PathBuf>) -> &mut Self {
        self.out_dir = Some(directory.into());
        self
    }

    /// Also writes the schema as a descriptor set, with comments: for reflection, say.
    pub fn file_descriptor_set_path(&mut self, path: impl Into<PathBuf>) -> &mut Self {
        self.file_descriptor_set_path = Some(path.into());
        self
    }

    /// Compiles `.proto` files with all that they import, and writes a file for each package.
    ///
    /// `protos` are paths of files in the directories of `includes`, in which imports are looked for, too. Files that have not
    /// changed are not written. Tells cargo which files were read.
    ///
    /// # Errors
    /// A fault in a schema, with its place, its line and a caret; a file that cannot be read or written; no directory is set and there
    /// is no `OUT_DIR`. Nothing was written after a fault in a schema.
    pub fn compile(
        &mut self,
        protos: &[impl AsRef<Path>],
        includes: &[impl AsRef<Path>],
    ) -> Result<(), BuildError> {
        let protos: Vec<&Path> = protos.iter().map(AsRef::as_ref).collect();
        let includes: Vec<&Path> = includes.iter().map(AsRef::as_ref).collect();
        let (pool, read) = sources::compile(&protos, &includes)?;
        // Only a build script is listened to.
        if std::env::var_os("OUT_DIR").is_some() {
            read.iter().for_each(|path| println!("cargo:rerun-if-changed={}", path.display()));
        }
        self.compile_pool(&pool)
    }

    /// As [`compile`](Self::compile), from a schema that is there already.
    ///
    /// # Errors
    /// As [`compile`](Self::compile).
    pub fn compile_pool(&mut self, pool: &DescriptorPool) -> Result<(), BuildError> {
        let Some(directory) = self.out_dir.clone().or_else(|| std::env::var_os("OUT_DIR").map(PathBuf::from))
        else {
            return Err(BuildError::new("no out_dir is set, and there is no OUT_DIR outside of a build.rs"));
        };
        for file in self.generate(pool)? {
            file.write(&directory)?;
        }
        if let Some(path) = &self.file_descriptor_set_path {
            let set = pool.encode_to_vec().map_err(|error| BuildError::caused("", error))?;
            let fail =
                |error| BuildError::caused(format_args!("{} cannot be written: ", path.display()), error);
            std::fs::write(path, set).map_err(fail)?;
        }
        Ok(())
    }

    /// The files for a schema, without writing them.
    ///
    /// # Errors
    /// Two packages have one file name, as `a` and the package without a name can have.
    pub fn generate(&mut self, pool: &DescriptorPool) -> Result<Vec<File>, BuildError> {
        let packages = RustPackages::new(pool, &self.options);
        let mut files: Vec<File> = Vec::new();
        for (package, source) in packages.iter() {
            let mut content = String::from(HEADER);
            content += source;
            if let Some(generator) = &mut self.service_generator {
                let of_package = packages.services().filter(|service| service.package_name() == package);
                for service in of_package {
                    if !content.ends_with("\n\n") {
                        content.push('\n');
                    }
                    generator.generate(&Service::new(&packages, service), &mut content);
                }
            }
            if source.is_empty() && content == HEADER {
                // Services alone, and no generator for them.
                content.pop();
            }
            let name = file_name(package, &self.default_package_filename);
            if files.iter().any(|file| file.name() == name) {
                return Err(BuildError::new(format!(
                    "two packages would be in {name}: see default_package_filename"
                )));
            }
            files.push(File::new(name, content, Some(package.into())));
        }
        if let Some(name) = &self.include_file {
            let default = &self.default_package_filename;
            // Files of a directory of the crate are found beside this one.
            let include = |package: &str| match (file_name(package, default), &self.out_dir) {
                (file, None) => format!("include!(concat!(env!(\"OUT_DIR\"), \"/{file}\"));"),
                (file, Some(_)) => format!("include!(\"{file}\");"),
            };
            let mut content = String::from(HEADER);
            content += &packages.modules(include);
            files.push(File::new(name.clone(), content, None));
        }
        Ok(files)
    }
}

/// How files begin.
const HEADER: &str = "// @generated by tablepb-build from .proto files; changes are lost.\n\n";

fn file_name(package: &str, default: &str) -> String {
    format!("{}.rs", if package.is_empty() { default } else { package })
}

impl Default for Config {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut show = f.debug_struct("Config");
        show.field("options", &self.options).field("out_dir", &self.out_dir);
        show.field("include_file", &self.include_file).finish_non_exhaustive()
    }
}
