//! [`RustPackages`]: a listing for each package of a pool.

use super::comments::{Comments, documentation};
use super::names::{Names, ROOT};
use super::needs::Needs;
use super::{RustOptions, print};
use alloc::borrow::ToOwned;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::{format, string::String, vec::Vec};
use core::fmt;
use tablepb::schema::ServiceDescriptor;
use tablepb::{DescriptorPool, MessageDescriptor};

/// The types of a pool as Rust source, a file for each package; what generators of code build on.
///
/// The source of a package stands in the module of the package, and the modules of all packages in one another as their names
/// say: types of `a.b` find those of `a.c` at `super::c`. [`modules`](Self::modules) is the file with these modules.
/// Types are as [`to_rust`](crate::to_rust) writes them. Well-known types are those of [`wkt`](tablepb::wkt), and other types of
/// `google.protobuf` are written only if another package has them as members, unless
/// [`well_known_types`](RustOptions::well_known_types) is off.
///
/// Takes time and memory in the size of the pool and of the source.
///
/// ```
/// use tablepb_schema::{RustOptions, RustPackages, SourceBuilder};
///
/// let pool = SourceBuilder::new()
///     .source("a.proto", r#"syntax = "proto3"; package a; message M { string s = 1; }"#)
///     .source("b.proto", r#"syntax = "proto3"; package a.b; import "a.proto"; message N { a.M m = 1; }"#)
///     .build()?;
/// let packages = RustPackages::new(&pool, &RustOptions::prost());
/// let names: Vec<&str> = packages.iter().map(|(name, _)| name).collect();
/// assert_eq!(names, ["a", "a.b"]);
/// let (_, source) = packages.iter().nth(1).unwrap();
/// assert!(source.contains("pub m: Option<super::M>,"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RustPackages {
    names: Names,
    comments: Comments,
    sources: BTreeMap<String, String>,
    services: Vec<ServiceDescriptor>,
    elsewhere: BTreeMap<u32, String>,
}

impl RustPackages {
    /// Writes the types of a pool that the options ask for.
    ///
    /// # Panics
    /// Aborts if the allocator fails.
    #[must_use]
    pub fn new(pool: &DescriptorPool, options: &RustOptions) -> Self {
        let services: Vec<_> =
            pool.services().filter(|service| options.is_wanted(service.full_name())).collect();
        let mut needs = Needs::new(pool, options);
        for file in pool.files() {
            let of_google = file.package_name() == "google.protobuf";
            if !of_google || !options.well_known {
                needs.file(&file, true);
            }
        }
        let mut elsewhere = BTreeMap::new();
        let methods = || services.iter().flat_map(ServiceDescriptor::methods);
        for message in methods().flat_map(|method| [method.input(), method.output()]) {
            match needs.elsewhere(message.full_name(), needs.has_message(&message), |name| {
                "::tablepb::wkt::".to_owned() + name
            }) {
                Some(path) => drop(elsewhere.insert(message.index(), path)),
                None => needs.message(message),
            }
        }
        let needs = needs.complete();
        let files: BTreeSet<String> =
            services.iter().map(|service| service.parent_file().name().into()).collect();
        let names = Names::new(pool, &needs, |file| files.contains(file.name()), true);
        let comments = Comments::new(pool);
        let mut sources = BTreeMap::new();
        let with_services: BTreeSet<&str> = services.iter().map(ServiceDescriptor::package_name).collect();
        for (module, package) in names.packages() {
            let source = print::listing(&needs, &names, &comments, module);
            if !source.is_empty() || with_services.contains(package) {
                sources.insert(package.into(), source);
            }
        }
        Self { names, comments, sources, services, elsewhere }
    }

    /// The packages that have types or services, in the order of their names, each with the source of its types. The package
    /// without a name is empty.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.sources.iter().map(|(package, source)| (package.as_str(), source.as_str()))
    }

    /// The services that the options ask for, in the order of the pool.
    pub fn services(&self) -> impl ExactSizeIterator<Item = &ServiceDescriptor> {
        self.services.iter()
    }

    /// The path of a message from the module of a package: `super::M`, or from the root of a crate, `::tablepb::wkt::Empty`. `None` if
    /// the message is not written, or there is no such package.
    #[must_use]
    pub fn message_path(&self, package: &str, message: &MessageDescriptor) -> Option<String> {
        if let Some(path) = self.elsewhere.get(&message.index()) {
            return Some(path.clone());
        }
        let path = self.names.message_path(self.names.package_module(package)?, message);
        (!path.is_empty()).then_some(path)
    }

    /// The comment of a definition, by its full name, as lines of Markdown in which nothing is a test or a broken link. Empty if it has
    /// none, or the pool no source information.
    #[must_use]
    pub fn comment(&self, full_name: &str) -> Vec<String> {
        self.comments.get(full_name).map_or(Vec::new(), documentation)
    }

    /// The source with a module for each package, in one another; `include` is the line that stands for the source of a package.
    ///
    /// ```
    /// use tablepb_schema::{RustOptions, RustPackages, SourceBuilder};
    ///
    /// let source = r#"syntax = "proto3"; package a.b; message M {}"#;
    /// let pool = SourceBuilder::new().source("m.proto", source).build()?;
    /// let packages = RustPackages::new(&pool, &RustOptions::prost());
    /// assert_eq!(
    ///     packages.modules(|package| format!("include!(\"{package}.rs\");")),
    ///     "/// Package `a`.\npub mod a {\n    /// Package `a.b`.\n    pub mod b {\n        include!(\"a.b.rs\");\n    }\n}\n"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn modules(&self, mut include: impl FnMut(&str) -> String) -> String {
        let mut lines = |package: &str, out: &mut String, indent: usize| {
            if self.sources.contains_key(package) {
                include(package).lines().for_each(|text| line(out, indent, text));
            }
        };
        let mut out = String::new();
        lines("", &mut out, 0);
        let mut stack = self.inner(ROOT);
        while let Some(next) = stack.pop() {
            // What is still to be closed is on the stack.
            let indent = stack.iter().filter(|next| next.is_none()).count();
            let Some(module) = next else {
                line(&mut out, indent, "}");
                continue;
            };
            let this = &self.names.modules[module as usize];
            let package = this.package.as_deref().unwrap_or_default();
            line(&mut out, indent, &format!("/// Package `{package}`."));
            line(&mut out, indent, &format!("pub mod {} {{", this.name));
            lines(package, &mut out, indent + 1);
            stack.push(None);
            stack.extend(self.inner(module));
        }
        out
    }

    /// The modules of packages in another one, the last first.
    fn inner(&self, of: u32) -> Vec<Option<u32>> {
        let mut inner: Vec<_> =
            self.names.packages().filter(|(module, _)| self.names.parent(*module) == Some(of)).collect();
        inner.sort_by(|a, b| b.1.cmp(a.1));
        inner.into_iter().map(|(module, _)| Some(module)).collect()
    }
}

fn line(out: &mut String, indent: usize, text: &str) {
    out.extend(core::iter::repeat_n("    ", indent));
    out.push_str(text);
    out.push('\n');
}

impl fmt::Debug for RustPackages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(|(package, _)| package)).finish()
    }
}
