//! From plain file descriptors to a checked pool.
//!
//! `declare` takes one file at a time and gives every definition its index and its full name; what refers to other
//! definitions waits. Once all files are in, `resolve` turns names into indices and `check` looks at each message
//! and enum as a whole. Input is not trusted: no step panics, recurses, or takes more than n log n time in the
//! size of the input. Types are looked up in all files of the pool, imported or not; protoc has checked imports,
//! and where it has not, a larger scope does no harm.

mod check;
mod declare;
mod defaults;
mod fields;
mod imports;
mod ranges;
mod resolve;

use super::features::Features;
use super::lower;
use super::model::{FieldData, NONE, PoolData, Span};
use super::names::{Names, NamesFull, Text};
use super::proto::FileProto;
use super::symbols::{Duplicate, Scope, Symbol, SymbolBuilder};
use crate::error::{DescriptorError, DescriptorErrorKind};
use alloc::{borrow::Cow, collections::BTreeMap, format, string::String, vec::Vec};

type Result<T> = core::result::Result<T, DescriptorError>;

/// Messages may be declared inside each other this deep, as in C++.
pub(super) const MAX_NESTING: usize = 32;
/// Fields of one message, extensions included.
const MAX_FIELDS: usize = 65_534;
/// Components of a name: the scopes that a relative name is looked for in.
const MAX_COMPONENTS: usize = 100;

/// Where a field waits for its type.
#[derive(Clone, Copy, Debug)]
enum Target {
    Field { message: u32, field: u32 },
    Extension(u32),
}

/// A field of message or enum type.
#[derive(Debug)]
struct PendingType<'i> {
    target: Target,
    type_code: i32,
    type_name: Cow<'i, str>,
    default: Option<Cow<'i, str>>,
    features: Features,
    scope: Scope,
    file: u32,
}

/// An extension that waits for the message it extends.
#[derive(Debug)]
struct PendingExtension<'i> {
    extendee: Cow<'i, str>,
    scope: Scope,
    data: FieldData,
}

#[derive(Debug)]
struct PendingMethod<'i> {
    service: u32,
    method: u32,
    input: Cow<'i, str>,
    output: Cow<'i, str>,
}

/// Collects files until [`finish`](Self::finish).
#[derive(Debug)]
pub(super) struct Builder<'i> {
    data: PoolData,
    symbols: SymbolBuilder,
    /// File index by name.
    files: BTreeMap<Cow<'i, str>, u32>,
    types: Vec<PendingType<'i>>,
    extensions: Vec<PendingExtension<'i>>,
    methods: Vec<PendingMethod<'i>>,
}

impl<'i> Builder<'i> {
    /// An empty builder whose names take at most `names_budget` bytes.
    pub(super) fn new(names_budget: usize) -> Self {
        Self {
            data: PoolData { names: Names::with_budget(names_budget), ..Default::default() },
            symbols: SymbolBuilder::new(),
            files: BTreeMap::new(),
            types: Vec::new(),
            extensions: Vec::new(),
            methods: Vec::new(),
        }
    }

    /// Adds a file, `raw` being its `FileDescriptorProto`. A file that is in already, byte for byte, is skipped.
    pub(super) fn add(&mut self, file: FileProto<'i>, raw: &[u8]) -> Result<()> {
        if let Some(known) = self.files.get(&file.name) {
            let same = self.data.files.get(*known as usize).is_some_and(|f| self.data.bytes(f.proto) == raw);
            if same {
                return Ok(());
            }
            let detail = "two different files of this name";
            return Err(DescriptorError::new(DescriptorErrorKind::DuplicateName, file.name, detail));
        }
        let name = file.name.clone();
        self.declare_file(file, raw).map_err(|e| e.in_file(&name))
    }

    /// Resolves and checks everything.
    pub(super) fn finish(mut self) -> Result<PoolData> {
        self.resolve_imports()?;
        let symbols = core::mem::replace(&mut self.symbols, SymbolBuilder::new());
        self.data.symbols = symbols.build(&self.data.names).map_err(|d| self.duplicate(d))?;
        self.resolve_types()?;
        self.attach_extensions()?;
        self.resolve_methods()?;
        self.check_all()?;
        self.data.files_by_name = self.files.into_values().collect();
        self.data.names.shrink();
        self.data.store.shrink_to_fit();
        self.data.programs = lower::programs(&self.data)?;
        Ok(self.data)
    }

    /// An error about a definition.
    #[cold]
    fn fail(
        &self,
        kind: DescriptorErrorKind,
        file: u32,
        name: Text,
        detail: impl Into<String>,
    ) -> DescriptorError {
        let error = DescriptorError::new(kind, self.data.text(name), detail);
        match self.data.files.get(file as usize) {
            Some(file) => error.in_file(self.data.text(file.name)),
            None => error,
        }
    }

    #[cold]
    fn duplicate(&self, duplicate: Duplicate) -> DescriptorError {
        let (first, first_file) = describe(&self.data, duplicate.first);
        let (second, second_file) = describe(&self.data, duplicate.second);
        let name_of = |symbol| match symbol {
            Symbol::Extension(index) => self.extensions.get(index as usize).map(|e| e.data.name.full()),
            other => name_of(&self.data, other),
        };
        let name = name_of(duplicate.second).or(name_of(duplicate.first));
        let is_value = |s| matches!(s, Symbol::EnumValue { .. });
        let mut detail = format!("{second} and {first}");
        if first_file != second_file
            && let Some(file) = self.data.files.get(first_file as usize)
        {
            detail = format!("{detail} in {}", self.data.text(file.name));
        }
        if is_value(duplicate.first) || is_value(duplicate.second) {
            detail += "; the values of an enum are named in the scope around the enum";
        }
        self.fail(DescriptorErrorKind::DuplicateName, second_file, name.unwrap_or_default(), detail)
    }

    fn store(&mut self, bytes: &[u8]) -> Result<Span> {
        let start = self.data.store.len();
        match start.checked_add(bytes.len()).and_then(|end| u32::try_from(end).ok()) {
            Some(end) => {
                self.data.store.extend_from_slice(bytes);
                Ok(Span { start: start as u32, end })
            }
            None => Err(too_many("more than 4 GiB of descriptors")),
        }
    }
}

#[cold]
fn too_many(detail: &str) -> DescriptorError {
    DescriptorError::new(DescriptorErrorKind::TooMany, "", detail)
}

impl From<NamesFull> for DescriptorError {
    #[cold]
    fn from(_: NamesFull) -> Self {
        too_many("full names take more than 32 times the size of the descriptors")
    }
}

/// What a symbol is, for an error message, and its file.
fn describe(data: &PoolData, symbol: Symbol) -> (&'static str, u32) {
    let message = |m: u32| data.messages.get(m as usize).map_or(NONE, |m| m.file);
    let service = |s: u32| data.services.get(s as usize).map_or(NONE, |s| s.file);
    let enumeration = |e: u32| data.enums.get(e as usize).map_or(NONE, |e| e.file);
    match symbol {
        Symbol::Package => ("a package", NONE),
        Symbol::Message(m) => ("a message", message(m)),
        Symbol::Enum(e) => ("an enum", enumeration(e)),
        Symbol::EnumValue { enumeration: e, .. } => ("an enum value", enumeration(e)),
        Symbol::Field { message: m, .. } => ("a field", message(m)),
        Symbol::Oneof { message: m, .. } => ("a oneof", message(m)),
        Symbol::Extension(e) => ("an extension", data.extensions.get(e as usize).map_or(NONE, |e| e.file)),
        Symbol::Service(s) => ("a service", service(s)),
        Symbol::Method { service: s, .. } => ("a method", service(s)),
    }
}

/// The full name of a symbol; packages have none of their own, and extensions are not in their place yet.
fn name_of(data: &PoolData, symbol: Symbol) -> Option<Text> {
    let name = match symbol {
        Symbol::Message(m) => data.messages.get(m as usize)?.name,
        Symbol::Enum(e) => data.enums.get(e as usize)?.name,
        Symbol::EnumValue { enumeration, value } => {
            data.enums.get(enumeration as usize)?.values.get(value as usize)?.name
        }
        Symbol::Field { message, field } => data.messages.get(message as usize)?.field(field)?.name,
        Symbol::Oneof { message, oneof } => {
            data.messages.get(message as usize)?.oneofs.get(oneof as usize)?.name
        }
        Symbol::Service(s) => data.services.get(s as usize)?.name,
        Symbol::Method { service, method } => {
            data.services.get(service as usize)?.methods.get(method as usize)?.name
        }
        Symbol::Package | Symbol::Extension(_) => return None,
    };
    Some(name.full())
}
