//! What the parser reads, as flat lists: definitions of all files side by side, referring to each other by index.
//!
//! The parts of a definition (fields of a message, options of a field) are a [`Chain`] through the list of all such parts,
//! so a definition without parts costs nothing, nothing is nested and nothing recurses. Names and values are spans of the
//! sources.

use crate::schema::pool::Edition;
use crate::schema::program::{Room, RoomFull};
use alloc::string::String;
use alloc::vec::Vec;

/// No index.
pub(super) const NONE: u32 = u32::MAX;

/// Bit of a position that says: in the names that the parser made, not in the sources.
const MADE: u32 = 1 << 31;

/// The most bytes of all sources together.
pub(super) const MAX_TEXT: usize = (MADE - 1) as usize;

/// A piece of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) len: u32,
}

impl Span {
    pub(super) const EMPTY: Self = Self { start: 0, len: 0 };

    /// A piece of the sources.
    pub(super) const fn new(start: u32, end: u32) -> Self {
        Self { start, len: end - start }
    }

    pub(super) const fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// The texts of all files, one after the other, and names that are not there as such: `MapEntry`, the field of a group.
#[derive(Debug, Default)]
pub(super) struct Texts {
    pub(super) sources: String,
    made: String,
}

impl Texts {
    pub(super) fn get(&self, span: Span) -> &str {
        text_in(&self.sources, &self.made, span)
    }
}

/// A piece of the sources or of the names that were made.
pub(super) fn text_in<'t>(sources: &'t str, made: &'t str, span: Span) -> &'t str {
    let (text, start) = match span.start & MADE {
        0 => (sources, span.start as usize),
        _ => (made, (span.start & !MADE) as usize),
    };
    text.get(start..start + span.len as usize).unwrap_or("")
}

/// A text that is not in the sources.
pub(super) fn make_text(made: &mut String, room: &mut Room, text: &str) -> Result<Span, RoomFull> {
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
pub(super) struct Chain {
    first: u32,
    last: u32,
}

impl Default for Chain {
    fn default() -> Self {
        Self { first: NONE, last: NONE }
    }
}

impl Chain {
    pub(super) const fn is_empty(self) -> bool {
        self.first == NONE
    }
}

/// All parts of one sort.
#[derive(Debug)]
pub(super) struct Parts<T> {
    items: Vec<T>,
    next: Vec<u32>,
}

impl<T> Default for Parts<T> {
    fn default() -> Self {
        Self { items: Vec::new(), next: Vec::new() }
    }
}

impl<T> Parts<T> {
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Adds a part at the end of a chain; its index.
    pub(super) fn push(&mut self, room: &mut Room, chain: &mut Chain, item: T) -> Result<u32, RoomFull> {
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

    pub(super) fn get(&self, index: u32) -> Option<&T> {
        self.items.get(index as usize)
    }

    pub(super) fn get_mut(&mut self, index: u32) -> Option<&mut T> {
        self.items.get_mut(index as usize)
    }

    pub(super) fn all(&self) -> &[T] {
        &self.items
    }

    /// Forgets all parts and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.items.clear();
        self.next.clear();
    }

    /// Both chains as one.
    pub(super) fn join(&mut self, first: Chain, second: Chain) -> Chain {
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
    pub(super) fn after(&self, index: u32) -> u32 {
        self.next.get(index as usize).copied().unwrap_or(NONE)
    }

    /// The parts of a chain with their indices.
    pub(super) fn of(&self, chain: Chain) -> impl Iterator<Item = (u32, &T)> + '_ {
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
pub(super) struct File {
    pub(super) name: Span,
    /// Where its source stands.
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) edition: Edition,
    /// With dots, without spaces.
    pub(super) package: Span,
    pub(super) has_package: bool,
    /// The index of its package.
    pub(super) scope: u32,
    pub(super) imports: Chain,
    /// Who sees its types.
    pub(super) visibility: DefaultVisibility,
    /// There is an option import.
    pub(super) option_imports: bool,
    pub(super) body: Body,
    pub(super) services: Chain,
    pub(super) options: Chain,
    pub(super) encodings: Encodings,
    /// It is needed to understand options, and no part of the pool.
    pub(super) hidden: bool,
}

/// `features.default_symbol_visibility`: who sees types without `export` and `local`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DefaultVisibility {
    ExportAll,
    ExportTopLevel,
    LocalAll,
    /// As `LocalAll`, and nested types cannot be exported.
    Strict,
}

impl DefaultVisibility {
    /// Whether other files see a type with this `SymbolVisibility`.
    pub(super) fn exports(self, visibility: u8, nested: bool) -> bool {
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
pub(super) struct Body {
    pub(super) messages: Chain,
    pub(super) enums: Chain,
    pub(super) extensions: Chain,
}

/// The word after `import`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImportKind {
    Plain,
    Public,
    Weak,
    Option,
}

#[derive(Debug)]
pub(super) struct Import {
    pub(super) name: Span,
    pub(super) kind: ImportKind,
    /// The file, once it has been found.
    pub(super) file: u32,
    pub(super) at: u32,
}

/// `features.field_presence`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    Explicit,
    Implicit,
    Required,
}

/// The features that decide how a field is encoded, as far as they are set: they are needed to encode options.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Encodings {
    pub(super) packed: Option<bool>,
    pub(super) delimited: Option<bool>,
    pub(super) presence: Option<Presence>,
    /// Of an enum, or of all in a file.
    pub(super) closed: Option<bool>,
}

impl Encodings {
    /// These, and where they are silent those of what encloses them.
    pub(super) fn or(self, outer: Self) -> Self {
        Self {
            packed: self.packed.or(outer.packed),
            delimited: self.delimited.or(outer.delimited),
            presence: self.presence.or(outer.presence),
            closed: self.closed.or(outer.closed),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum MessageKind {
    #[default]
    Plain,
    Group,
    MapEntry,
}

#[derive(Debug, Default)]
pub(super) struct Message {
    pub(super) name: Span,
    /// Where its name stands in the source.
    pub(super) at: u32,
    pub(super) file: u32,
    /// The message around it, or `NONE`.
    pub(super) parent: u32,
    pub(super) kind: MessageKind,
    /// `message_set_wire_format = true`.
    pub(super) message_set: bool,
    /// `SymbolVisibility`.
    pub(super) visibility: u8,
    pub(super) body: Body,
    pub(super) fields: Chain,
    pub(super) oneofs: Chain,
    pub(super) oneof_count: u32,
    pub(super) ranges: Chain,
    pub(super) reserved: Chain,
    pub(super) reserved_names: Chain,
    pub(super) options: Chain,
    pub(super) encodings: Encodings,
}

#[derive(Debug, Default)]
pub(super) struct Field {
    /// Without underscores in front for a group: its name in lower case.
    pub(super) name: Span,
    pub(super) at: u32,
    pub(super) number: i32,
    /// `FieldDescriptorProto.Label`.
    pub(super) label: u8,
    /// `FieldDescriptorProto.Type`, or 0 until a type name is resolved.
    pub(super) type_code: u8,
    pub(super) proto3_optional: bool,
    /// `retention = RETENTION_SOURCE`.
    pub(super) source_retention: bool,
    /// Bits of the `targets` of an option, by `OptionTargetType`; 0 for all.
    pub(super) targets: u16,
    /// The option `packed`, and features.
    pub(super) encodings: Encodings,
    pub(super) type_name: Span,
    pub(super) type_at: u32,
    /// The message or enum of that name.
    pub(super) target: u32,
    pub(super) extendee: Span,
    pub(super) extendee_at: u32,
    /// The message that has the field: for an extension, the one that it extends.
    pub(super) message: u32,
    /// The message that declares it, or `NONE`.
    pub(super) declared_in: u32,
    pub(super) file: u32,
    pub(super) oneof: u32,
    /// Where the value of `default` begins, or `NONE`.
    pub(super) default: u32,
    /// Where the value of `json_name` begins, or `NONE`.
    pub(super) json_name: u32,
    /// Where the value of `feature_support` begins, or `NONE`.
    pub(super) support: u32,
    pub(super) options: Chain,
}

#[derive(Debug, Default)]
pub(super) struct Oneof {
    pub(super) name: Span,
    /// Its place among the oneofs of its message.
    pub(super) index: u32,
    pub(super) at: u32,
    pub(super) options: Chain,
}

/// The end of a range up to `max`, until it is known what that is.
pub(super) const TO_MAX: i32 = -1;

/// First number and end, exclusive for messages and inclusive for enums.
#[derive(Debug, Default)]
pub(super) struct Range {
    pub(super) start: i32,
    pub(super) end: i32,
    pub(super) options: Chain,
}

#[derive(Debug, Default)]
pub(super) struct Enum {
    pub(super) name: Span,
    pub(super) at: u32,
    pub(super) file: u32,
    pub(super) parent: u32,
    pub(super) visibility: u8,
    pub(super) values: Chain,
    pub(super) reserved: Chain,
    pub(super) reserved_names: Chain,
    pub(super) options: Chain,
    pub(super) encodings: Encodings,
}

#[derive(Debug, Default)]
pub(super) struct EnumValue {
    pub(super) name: Span,
    pub(super) at: u32,
    pub(super) number: i32,
    pub(super) owner: u32,
    pub(super) support: u32,
    pub(super) options: Chain,
}

#[derive(Debug, Default)]
pub(super) struct Service {
    pub(super) name: Span,
    pub(super) at: u32,
    pub(super) file: u32,
    pub(super) methods: Chain,
    pub(super) options: Chain,
}

#[derive(Debug, Default)]
pub(super) struct Method {
    pub(super) name: Span,
    pub(super) at: u32,
    pub(super) service: u32,
    pub(super) input: Span,
    pub(super) input_at: u32,
    pub(super) output: Span,
    pub(super) output_at: u32,
    pub(super) input_message: u32,
    pub(super) output_message: u32,
    pub(super) client_streaming: bool,
    pub(super) server_streaming: bool,
    /// It has braces, in which there may be no option.
    pub(super) braces: bool,
    pub(super) options: Chain,
}

/// An option as it stands in the source.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RawOption {
    /// Where its name begins.
    pub(super) name: u32,
    /// Where its value begins.
    pub(super) value: u32,
}

/// All files.
#[derive(Debug, Default)]
pub(super) struct Ast {
    pub(super) files: Vec<File>,
    pub(super) imports: Parts<Import>,
    pub(super) messages: Parts<Message>,
    pub(super) fields: Parts<Field>,
    pub(super) oneofs: Parts<Oneof>,
    pub(super) ranges: Parts<Range>,
    pub(super) names: Parts<Span>,
    pub(super) enums: Parts<Enum>,
    pub(super) values: Parts<EnumValue>,
    pub(super) services: Parts<Service>,
    pub(super) methods: Parts<Method>,
    pub(super) options: Parts<RawOption>,
}

impl Texts {
    /// The sources, and where names are made: apart, because the parser reads the ones while it writes the others.
    pub(super) fn split(&mut self) -> (&str, &mut String) {
        (&self.sources, &mut self.made)
    }
}
