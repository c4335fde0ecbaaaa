//! What the parser reads, as flat lists: definitions of all files side by side, referring to each other by index.
//!
//! The parts of a definition (fields of a message, options of a field) are a [`Chain`] through the list of all such parts,
//! so a definition without parts costs nothing, nothing is nested and nothing recurses. Names and values are spans of the
//! sources.

use crate::memory::{Room, RoomFull};
use alloc::string::String;
use alloc::vec::Vec;
use tablepb::schema::Edition;

/// No index.
pub(crate) const NONE: u32 = u32::MAX;

/// Bit of a position that says: in the names that the parser made, not in the sources.
const MADE: u32 = 1 << 31;

/// The most bytes of all sources together.
pub(crate) const MAX_TEXT: usize = (MADE - 1) as usize;

/// A piece of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

impl Span {
    pub(crate) const EMPTY: Self = Self { start: 0, len: 0 };

    /// Whether it is a piece of the sources, and was not made.
    pub(crate) const fn in_sources(self) -> bool {
        self.start & MADE == 0
    }

    /// A piece of the sources.
    pub(crate) const fn new(start: u32, end: u32) -> Self {
        Self { start, len: end - start }
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// The texts of all files, one after the other, and names that are not there as such: `MapEntry`, the field of a group.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    pub(crate) sources: String,
    made: String,
}

impl Texts {
    pub(crate) fn get(&self, span: Span) -> &str {
        text_in(&self.sources, &self.made, span)
    }
}

/// A piece of the sources or of the names that were made.
pub(crate) fn text_in<'t>(sources: &'t str, made: &'t str, span: Span) -> &'t str {
    let (text, start) = match span.start & MADE {
        0 => (sources, span.start as usize),
        _ => (made, (span.start & !MADE) as usize),
    };
    text.get(start..start + span.len as usize).unwrap_or("")
}

/// A text that is not in the sources.
pub(crate) fn make_text(made: &mut String, room: &mut Room, text: &str) -> Result<Span, RoomFull> {
    room.extend_text(made, text.len())?;
    let start = made.len();
    if start + text.len() > MAX_TEXT {
        return Err(RoomFull::Limit(MAX_TEXT));
    }
    made.push_str(text);
    Ok(Span { start: start as u32 | MADE, len: text.len() as u32 })
}

/// The parts of a definition, in the order of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chain {
    first: u32,
    last: u32,
}

impl Default for Chain {
    fn default() -> Self {
        Self { first: NONE, last: NONE }
    }
}

impl Chain {
    pub(crate) const fn is_empty(self) -> bool {
        self.first == NONE
    }
}

/// All parts of one sort.
#[derive(Debug)]
pub(crate) struct Parts<T> {
    items: Vec<T>,
    next: Vec<u32>,
}

impl<T> Default for Parts<T> {
    fn default() -> Self {
        Self { items: Vec::new(), next: Vec::new() }
    }
}

impl<T> Parts<T> {
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// Adds a part at the end of a chain; its index.
    pub(crate) fn push(&mut self, room: &mut Room, chain: &mut Chain, item: T) -> Result<u32, RoomFull> {
        let index = self.items.len() as u32;
        room.push(&mut self.items, item)?;
        room.push(&mut self.next, NONE)?;
        if let Some(last) = self.next.get_mut(chain.last as usize) {
            *last = index;
        } else {
            chain.first = index;
        }
        chain.last = index;
        Ok(index)
    }

    pub(crate) fn get(&self, index: u32) -> Option<&T> {
        self.items.get(index as usize)
    }

    pub(crate) fn get_mut(&mut self, index: u32) -> Option<&mut T> {
        self.items.get_mut(index as usize)
    }

    pub(crate) fn all(&self) -> &[T] {
        &self.items
    }

    /// Forgets all parts and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.items.clear();
        self.next.clear();
    }

    /// Both chains as one.
    pub(crate) fn join(&mut self, first: Chain, second: Chain) -> Chain {
        match self.next.get_mut(first.last as usize) {
            Some(last) if !second.is_empty() => {
                *last = second.first;
                Chain { first: first.first, last: second.last }
            }
            Some(_) => first,
            None => second,
        }
    }

    /// The index after this one in its chain.
    pub(crate) fn after(&self, index: u32) -> u32 {
        self.next.get(index as usize).copied().unwrap_or(NONE)
    }

    /// The parts of a chain with their indices.
    pub(crate) fn of(&self, chain: Chain) -> impl Iterator<Item = (u32, &T)> + '_ {
        let mut at = chain.first;
        core::iter::from_fn(move || {
            let item = self.items.get(at as usize)?;
            let index = at;
            at = self.after(index);
            Some((index, item))
        })
    }
}

/// A file: its source and what it declares.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) name: Span,
    /// Where its source stands.
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) edition: Edition,
    /// With dots, without spaces.
    pub(crate) package: Span,
    pub(crate) has_package: bool,
    /// The index of its package.
    pub(crate) scope: u32,
    pub(crate) imports: Chain,
    /// Who sees its types.
    pub(crate) visibility: DefaultVisibility,
    /// There is an option import.
    pub(crate) option_imports: bool,
    pub(crate) body: Body,
    pub(crate) services: Chain,
    pub(crate) options: Chain,
    pub(crate) encodings: Encodings,
    /// It is needed to understand options, and no part of the pool.
    pub(crate) hidden: bool,
}

/// `features.default_symbol_visibility`: who sees types without `export` and `local`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DefaultVisibility {
    ExportAll,
    ExportTopLevel,
    LocalAll,
    /// As `LocalAll`, and nested types cannot be exported.
    Strict,
}

impl DefaultVisibility {
    /// Whether other files see a type with this `SymbolVisibility`.
    pub(crate) fn exports(self, visibility: u8, nested: bool) -> bool {
        match (visibility, self) {
            (1, _) => false,
            (2, _) | (_, Self::ExportAll) => true,
            (_, Self::ExportTopLevel) => !nested,
            _ => false,
        }
    }
}

/// What both files and messages declare.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Body {
    pub(crate) messages: Chain,
    pub(crate) enums: Chain,
    pub(crate) extensions: Chain,
}

/// The word after `import`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImportKind {
    Plain,
    Public,
    Weak,
    Option,
}

#[derive(Debug)]
pub(crate) struct Import {
    pub(crate) name: Span,
    pub(crate) kind: ImportKind,
    /// The file, once it has been found.
    pub(crate) file: u32,
    pub(crate) at: u32,
}

/// `features.field_presence`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Explicit,
    Implicit,
    Required,
}

/// The features that decide how a field is encoded, as far as they are set: they are needed to encode options.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Encodings {
    pub(crate) packed: Option<bool>,
    pub(crate) delimited: Option<bool>,
    pub(crate) presence: Option<Presence>,
    /// Of an enum, or of all in a file.
    pub(crate) closed: Option<bool>,
}

impl Encodings {
    /// These, and where they are silent those of what encloses them.
    pub(crate) fn or(self, outer: Self) -> Self {
        Self {
            packed: self.packed.or(outer.packed),
            delimited: self.delimited.or(outer.delimited),
            presence: self.presence.or(outer.presence),
            closed: self.closed.or(outer.closed),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum MessageKind {
    #[default]
    Plain,
    Group,
    MapEntry,
}

#[derive(Debug, Default)]
pub(crate) struct Message {
    pub(crate) name: Span,
    /// Where its name stands in the source.
    pub(crate) at: u32,
    pub(crate) file: u32,
    /// The message around it, or `NONE`.
    pub(crate) parent: u32,
    pub(crate) kind: MessageKind,
    /// `message_set_wire_format = true`.
    pub(crate) message_set: bool,
    /// `SymbolVisibility`.
    pub(crate) visibility: u8,
    pub(crate) body: Body,
    pub(crate) fields: Chain,
    pub(crate) oneofs: Chain,
    pub(crate) oneof_count: u32,
    pub(crate) ranges: Chain,
    pub(crate) reserved: Chain,
    pub(crate) reserved_names: Chain,
    pub(crate) options: Chain,
    pub(crate) encodings: Encodings,
}

#[derive(Debug, Default)]
pub(crate) struct Field {
    /// Without underscores in front for a group: its name in lower case.
    pub(crate) name: Span,
    pub(crate) at: u32,
    pub(crate) number: i32,
    /// `FieldDescriptorProto.Label`.
    pub(crate) label: u8,
    /// `FieldDescriptorProto.Type`, or 0 until a type name is resolved.
    pub(crate) type_code: u8,
    pub(crate) proto3_optional: bool,
    /// `retention = RETENTION_SOURCE`.
    pub(crate) source_retention: bool,
    /// `jstype` with another value than `JS_NORMAL`.
    pub(crate) jstype: bool,
    /// `lazy = true`, or `unverified_lazy = true`.
    pub(crate) lazy: bool,
    /// Bits of the `targets` of an option, by `OptionTargetType`; 0 for all.
    pub(crate) targets: u16,
    /// The option `packed`, and features.
    pub(crate) encodings: Encodings,
    pub(crate) type_name: Span,
    pub(crate) type_at: u32,
    /// The message or enum of that name.
    pub(crate) target: u32,
    pub(crate) extendee: Span,
    pub(crate) extendee_at: u32,
    /// The message that has the field: for an extension, the one that it extends.
    pub(crate) message: u32,
    /// The message that declares it, or `NONE`.
    pub(crate) declared_in: u32,
    pub(crate) file: u32,
    pub(crate) oneof: u32,
    /// Where the value of `default` begins, or `NONE`.
    pub(crate) default: u32,
    /// Where the value of `json_name` begins, or `NONE`.
    pub(crate) json_name: u32,
    /// Where the value of `feature_support` begins, or `NONE`.
    pub(crate) support: u32,
    pub(crate) options: Chain,
}

impl Field {
    /// Whether its type was not found.
    pub(crate) fn is_unresolved(&self) -> bool {
        !self.type_name.is_empty() && self.target == NONE
    }
}

#[derive(Debug, Default)]
pub(crate) struct Oneof {
    pub(crate) name: Span,
    /// Its place among the oneofs of its message.
    pub(crate) index: u32,
    pub(crate) at: u32,
    pub(crate) options: Chain,
}

/// The end of a range up to `max`, until it is known what that is.
pub(crate) const TO_MAX: i32 = -1;

/// First number and end, exclusive for messages and inclusive for enums.
#[derive(Debug, Default)]
pub(crate) struct Range {
    pub(crate) start: i32,
    pub(crate) end: i32,
    pub(crate) options: Chain,
}

#[derive(Debug, Default)]
pub(crate) struct Enum {
    pub(crate) name: Span,
    pub(crate) at: u32,
    pub(crate) file: u32,
    pub(crate) parent: u32,
    pub(crate) visibility: u8,
    pub(crate) values: Chain,
    pub(crate) reserved: Chain,
    pub(crate) reserved_names: Chain,
    pub(crate) options: Chain,
    pub(crate) encodings: Encodings,
}

#[derive(Debug, Default)]
pub(crate) struct EnumValue {
    pub(crate) name: Span,
    pub(crate) at: u32,
    pub(crate) number: i32,
    pub(crate) owner: u32,
    pub(crate) support: u32,
    pub(crate) options: Chain,
}

#[derive(Debug, Default)]
pub(crate) struct Service {
    pub(crate) name: Span,
    pub(crate) at: u32,
    pub(crate) file: u32,
    pub(crate) methods: Chain,
    pub(crate) options: Chain,
}

#[derive(Debug, Default)]
pub(crate) struct Method {
    pub(crate) name: Span,
    pub(crate) at: u32,
    pub(crate) service: u32,
    pub(crate) input: Span,
    pub(crate) input_at: u32,
    pub(crate) output: Span,
    pub(crate) output_at: u32,
    pub(crate) input_message: u32,
    pub(crate) output_message: u32,
    pub(crate) client_streaming: bool,
    pub(crate) server_streaming: bool,
    /// It has braces, in which there may be no option.
    pub(crate) braces: bool,
    pub(crate) options: Chain,
}

/// An option as it stands in the source.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RawOption {
    /// Where its name begins.
    pub(crate) name: u32,
    /// Where its value begins.
    pub(crate) value: u32,
}

/// All files.
#[derive(Debug, Default)]
pub(crate) struct Ast {
    pub(crate) files: Vec<File>,
    pub(crate) imports: Parts<Import>,
    pub(crate) messages: Parts<Message>,
    pub(crate) fields: Parts<Field>,
    pub(crate) oneofs: Parts<Oneof>,
    pub(crate) ranges: Parts<Range>,
    pub(crate) names: Parts<Span>,
    pub(crate) enums: Parts<Enum>,
    pub(crate) values: Parts<EnumValue>,
    pub(crate) services: Parts<Service>,
    pub(crate) methods: Parts<Method>,
    pub(crate) options: Parts<RawOption>,
    /// What was skipped after faults, in order: start and end.
    pub(crate) skipped: Vec<(u32, u32)>,
}

impl Texts {
    /// The sources, and where names are made: apart, because the parser reads the ones while it writes the others.
    pub(crate) fn split(&mut self) -> (&str, &mut String) {
        (&self.sources, &mut self.made)
    }
}
