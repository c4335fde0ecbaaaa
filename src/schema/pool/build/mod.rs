//! Builds a checked pool from the files of a set.
//!
//! ```text
//! counts      count all definitions, reserve the lists
//! declare     per file: index and full name of each definition; queue references
//! symbols     sort the names, report duplicates
//! resolve     turn queued references into indices; attach extensions
//! check       each message and enum as a whole
//! lower       programs
//! ```
//!
//! Input is not trusted: no step panics or recurses, time is at most n log n in the size of the input, and all memory
//! is charged to a [`Room`]. Types are looked up in all files of the pool, imported or not: protoc has checked the
//! imports of its output, and for other sets a larger scope does no harm.

mod check;
mod counts;
mod declare;
mod defaults;
mod fields;
mod files;
mod imports;
mod json;
mod ranges;
mod resolve;

use super::Result;
use super::descriptor::options::PoolOptions;
use super::lower;
use super::model::features::{FeatureOverrides, Features};
use super::model::names::TextRange;
use super::model::symbols::{Duplicate, Scope, Symbol, SymbolBuilder};
use super::model::{FieldData, NONE, PoolData, Span};
use super::read::Options;
use crate::schema::program::{Room, RoomFull};
use crate::wire::error::{DescriptorError, DescriptorErrorKind};
use alloc::vec::Vec;
use core::cell::RefCell;
use core::fmt;
use counts::Counts;
use files::FileSource;

pub(super) use files::FileInput;

/// The most fields of one message, extensions included.
const MAX_FIELDS: usize = 65_534;

/// A field whose type is not resolved yet.
#[derive(Clone, Copy, Debug)]
enum FieldSlot {
    Field { message: u32, field: u32 },
    Extension(u32),
}

/// A queued reference from a field to a message or enum.
#[derive(Clone, Copy, Debug)]
struct PendingType<'i> {
    target: FieldSlot,
    type_code: i32,
    type_name: &'i str,
    default: Option<&'i str>,
    features: Features,
    /// The features set on the field itself.
    own: FeatureOverrides,
    scope: Scope,
    file: u32,
}

/// An extension whose extendee is not resolved yet.
#[derive(Debug)]
struct PendingExtension<'i> {
    extendee: &'i str,
    scope: Scope,
    data: FieldData,
}

#[derive(Clone, Copy, Debug)]
struct PendingMethod<'i> {
    service: u32,
    method: u32,
    input: &'i str,
    output: &'i str,
}

/// Collects files until [`finish`](Self::finish).
#[derive(Debug)]
struct Builder<'i> {
    data: PoolData,
    symbols: SymbolBuilder<'i>,
    room: Room,
    limits: PoolOptions,
    /// The number of fields and extensions so far.
    fields: usize,
    /// The bytes of the current file, and their offset in the store.
    raw: (&'i [u8], u32),
    /// The features that the oneofs of the current message set for their members.
    oneof_features: Vec<FeatureOverrides>,
    types: Vec<PendingType<'i>>,
    extensions: Vec<PendingExtension<'i>>,
    methods: Vec<PendingMethod<'i>>,
    /// The messages whose JSON names are to be checked.
    json: Vec<(u32, json::Rule)>,
    /// A list that the JSON checks reuse.
    scratch: Vec<u32>,
    json_keys: Vec<u128>,
    /// The faults so far, where not the first one ends it all.
    found: RefCell<Vec<DescriptorError>>,
}

/// Builds a pool from `count` encoded `FileDescriptorProto`s of `len` bytes together.
pub(super) fn pool(
    files: &mut dyn Iterator<Item = FileInput<'_>>,
    count: usize,
    len: usize,
    options: &PoolOptions,
) -> Result<PoolData> {
    let memory = options.memory_for(len);
    let mut room = Room::new(memory);
    room.take(size_of::<PoolData>() + 2 * size_of::<usize>())?;
    // Memory for an error message.
    room.take(memory.min(4096) / 2)?;
    let files = files::list(files, count, &mut room)?;
    let mut counts = Counts::default();
    for file in &files {
        counts.add_file(file.bytes, options.depth_limit(), &mut room)?;
    }
    let mut builder = Builder::new(&files, options, room)?;
    builder.reserve(&counts)?;
    let checked = builder.check(files);
    let mut found = builder.found.take();
    if let Err(error) = checked {
        if found.try_reserve(1).is_err() {
            return Err(DescriptorError::OUT_OF_MEMORY);
        }
        found.push(error);
    }
    if !found.is_empty() {
        return Err(found.remove(0).with_others(found));
    }
    builder.finish()
}

impl<'i> Builder<'i> {
    fn new(files: &[FileSource<'i>], options: &PoolOptions, mut room: Room) -> Result<Self> {
        let mut data = PoolData::default();
        let bytes = files.iter().map(|file| file.bytes.len()).sum();
        room.reserve(&mut data.store, bytes)?;
        room.reserve(&mut data.files, files.len())?;
        let packages = files::packages(files, &mut data.names, &mut room)?;
        let symbols = SymbolBuilder::new(&packages, &mut room)?;
        room.drop_list(packages);
        Ok(Self {
            data,
            symbols,
            room,
            limits: *options,
            fields: 0,
            raw: (&[], 0),
            oneof_features: Vec::new(),
            types: Vec::new(),
            extensions: Vec::new(),
            methods: Vec::new(),
            json: Vec::new(),
            scratch: Vec::new(),
            json_keys: Vec::new(),
            found: RefCell::default(),
        })
    }

    /// Reserves the lists for the counted definitions.
    fn reserve(&mut self, counts: &Counts) -> Result<(), RoomFull> {
        let (data, room) = (&mut self.data, &mut self.room);
        room.reserve(&mut data.messages, counts.messages)?;
        room.reserve(&mut data.oneofs, counts.oneofs)?;
        room.reserve(&mut data.enums, counts.enums)?;
        room.reserve(&mut data.values, counts.values)?;
        room.reserve(&mut data.by_number, counts.values)?;
        room.reserve(&mut data.extensions, counts.extensions)?;
        room.reserve(&mut data.services, counts.services)?;
        room.reserve(&mut data.methods, counts.methods)?;
        room.reserve(&mut data.extension_ranges, counts.ranges)?;
        room.reserve(&mut data.reserved_ranges, counts.reserved)?;
        room.reserve(&mut self.json, counts.messages)?;
        room.reserve(&mut self.extensions, counts.extensions)?;
        room.reserve(&mut self.methods, counts.methods)?;
        self.symbols.reserve(counts.names(), counts.messages + counts.services, room)
    }

    /// Declares, resolves and checks everything.
    fn check(&mut self, files: Vec<FileSource<'i>>) -> Result<()> {
        for file in &files {
            self.declare_file(file).map_err(|error| error.in_file(file.name))?;
        }
        self.data.files_by_name = files::by_name(&files, &mut self.room)?;
        self.room.drop_list(files);
        self.resolve_imports()?;
        let empty = SymbolBuilder::new(&[], &mut self.room)?;
        let symbols = core::mem::replace(&mut self.symbols, empty);
        let gives_way = |symbol| self.data.gives_way(symbol);
        let mut duplicates = Vec::new();
        let most = self.limits.fault_limit();
        self.data.symbols =
            symbols.build(&self.data.names, &gives_way, &mut duplicates, most, &mut self.room)?;
        for duplicate in duplicates {
            self.keep(self.duplicate(duplicate))?;
        }
        self.resolve_types()?;
        self.attach_extensions()?;
        self.resolve_methods()?;
        self.data.find_owners(&mut self.room)?;
        self.check_all()?;
        self.check_json_names()?;
        self.check_json_values()?;
        let scratch = core::mem::take(&mut self.scratch);
        self.room.drop_list(scratch);
        let keys = core::mem::take(&mut self.json_keys);
        self.room.drop_list(keys);
        Ok(())
    }

    /// The pool of what was checked.
    fn finish(mut self) -> Result<PoolData> {
        self.data.programs = lower::programs(&self.data, &mut self.room)?;
        self.data.find_formats(&mut self.room)?;
        Ok(self.data)
    }

    /// As [`keep`](Self::keep), of a check that may have found a fault.
    fn note(&self, checked: Result<()>) -> Result<()> {
        match checked {
            Ok(()) => Ok(()),
            Err(error) => self.keep(error),
        }
    }

    /// Keeps the fault of one definition if others are asked for, so that they are looked for. An error ends the work.
    #[cold]
    fn keep(&self, error: DescriptorError) -> Result<()> {
        use DescriptorErrorKind::{BudgetExceeded, OutOfMemory, TooDeep, TooMany};
        let ends = matches!(error.kind(), BudgetExceeded | OutOfMemory | TooDeep | TooMany);
        let Ok(mut found) = self.found.try_borrow_mut() else { return Err(error) };
        if ends || found.len() + 1 >= self.limits.fault_limit() || found.try_reserve(1).is_err() {
            return Err(error);
        }
        found.push(error);
        Ok(())
    }

    /// An error about a definition.
    #[cold]
    fn fail(
        &self,
        kind: DescriptorErrorKind,
        file: u32,
        name: TextRange,
        detail: impl fmt::Display,
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
        let values = match is_value(duplicate.first) || is_value(duplicate.second) {
            true => "; the values of an enum are named in the scope around the enum",
            false => "",
        };
        let elsewhere = self.data.files.get(first_file as usize).filter(|_| first_file != second_file);
        let (of, file) = elsewhere.map_or(("", ""), |file| (" in ", self.data.text(file.name)));
        let detail = format_args!("{second} and {first}{of}{file}{values}");
        self.fail(DescriptorErrorKind::DuplicateName, second_file, name.unwrap_or_default(), detail)
    }

    /// The span in the store of a part of the current file.
    fn place(&self, part: &[u8]) -> Span {
        let (file, at) = self.raw;
        let from = part.as_ptr().addr().wrapping_sub(file.as_ptr().addr());
        if part.is_empty() || from > file.len() {
            return Span::default();
        }
        let start = at.saturating_add(from as u32);
        Span { start, end: start.saturating_add(part.len() as u32) }
    }

    /// The span of an options message. It refers to the bytes of the file, unless options come in several pieces,
    /// which are joined.
    fn options(&mut self, options: &Options<'i>) -> Result<Span> {
        if options.occurrences == 1 {
            return Ok(options.pieces().next().map_or(Span::default(), |piece| self.place(piece)));
        }
        let start = self.data.store.len();
        for piece in options.pieces() {
            self.room.extend(&mut self.data.store, piece)?;
        }
        self.stored_from(start)
    }

    fn store(&mut self, bytes: &[u8]) -> Result<Span> {
        let start = self.data.store.len();
        self.room.extend(&mut self.data.store, bytes)?;
        self.stored_from(start)
    }

    fn stored_from(&self, start: usize) -> Result<Span> {
        match (u32::try_from(start), u32::try_from(self.data.store.len())) {
            (Ok(start), Ok(end)) => Ok(Span { start, end }),
            _ => Err(too_many("more than 4 GiB of descriptors")),
        }
    }
}

#[cold]
fn too_many(detail: &str) -> DescriptorError {
    DescriptorError::new(DescriptorErrorKind::TooMany, "", detail)
}

impl From<RoomFull> for DescriptorError {
    #[cold]
    fn from(full: RoomFull) -> Self {
        match full {
            RoomFull::Limit(limit) => Self::beyond(limit),
            RoomFull::Allocation => Self::OUT_OF_MEMORY,
        }
    }
}

/// The sort of a symbol, for error messages, and its file.
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

/// The full name of a symbol. `None` for packages, and for extensions, which are not attached yet.
fn name_of(data: &PoolData, symbol: Symbol) -> Option<TextRange> {
    let name = match symbol {
        Symbol::Message(m) => data.messages.get(m as usize)?.name,
        Symbol::Enum(e) => data.enums.get(e as usize)?.name,
        Symbol::EnumValue { enumeration, value } => data.values(enumeration).get(value as usize)?.name,
        Symbol::Field { message, field } => data.messages.get(message as usize)?.field(field)?.name,
        Symbol::Oneof { message, oneof } => {
            data.oneofs(data.messages.get(message as usize)?).get(oneof as usize)?.name
        }
        Symbol::Service(s) => data.services.get(s as usize)?.name,
        Symbol::Method { service, method } => {
            data.services.get(service as usize)?.methods.of(&data.methods).get(method as usize)?.name
        }
        Symbol::Package | Symbol::Extension(_) => return None,
    };
    Some(name.full())
}
