//! From JSON to the slab, without recursion and without a document in between.
//!
//! ```text
//! open the root
//! while a frame is left:
//!     object of a message: key, a field by guess or by name, and its value:
//!         a scalar, a list of them:   all of it
//!         a list of messages, a map:  a frame for it
//!         a message:                  a body for it, open it
//!     list: an element: push a body, open it
//!     map:  key, and the scalar, or a body to open; into a map aside
//!     ] or }: the map becomes the field's value; the frame goes
//! open a message: Timestamp and other well-known types of one value: parse it, set the fields
//!                 Struct, ListValue: a frame for their map or list; Value: by what comes
//!                 Any: find "@type", a builder of its own for the content, which is encoded when its frame goes
//!                 any other: {, and a frame
//! ```

use super::options::Parser;
use crate::engine::slab::{BodyRef, NIL};
use crate::formats::{ParseError, ParseErrorKind as Kind};
use crate::message::{FieldAt, MapAside, MessageBuilder};
use crate::schema::pool::{DescriptorPool, FieldFormats, FieldRef, WellKnown};
use crate::schema::program::{Coding, FieldEntry, Program, Scalar};
use crate::wire::error::{FieldPath, PathStep};
use alloc::vec::Vec;
use scan::{JsonScanner, Quoted, word_of};

pub(super) mod known;
pub(super) mod members;
pub(super) mod scan;

/// What a frame is filled from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonContainer {
    /// An object: a message.
    Message,
    /// An object: the `@type` and `value` of an `Any` whose content is one value.
    AnyValue,
    List,
    Map,
}

/// An object or list that has not ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct JsonParseFrame {
    pub(super) over: JsonContainer,
    /// It is the content of an `Any`.
    pub(super) any: bool,
    /// `@type` has been seen, or an entry has been begun.
    pub(super) marked: bool,
    /// `value` has been seen.
    pub(super) valued: bool,
    /// Level of the message.
    pub(super) depth: u32,
    /// Members or elements that were begun.
    pub(super) count: u32,
    /// The message, and its field that is being parsed; of the list or map.
    pub(super) at: FieldAt,
    /// The header of the list, or `NIL` before its first element.
    pub(super) slot: u32,
    pub(super) map: MapAside,
    pub(super) seen: Seen,
}

/// The fields and oneofs of a message that an object has had.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    /// A bit for each field. Of a wide message: where its notes begin in the parser's list.
    pub(super) fields: u64,
    /// A bit for each oneof.
    oneofs: u64,
}

/// The parent, suspended while the content of its `Any` is parsed.
pub(super) struct OuterJson<'p> {
    pub(super) builder: MessageBuilder<'p>,
    /// The `Any`.
    pub(super) body: BodyRef,
}

pub(super) struct JsonParser<'p, 'j, 'b> {
    pub(super) pool: &'p DescriptorPool,
    pub(super) options: Parser,
    pub(super) scanner: JsonScanner<'j>,
    pub(super) builder: &'b mut MessageBuilder<'p>,
    pub(super) frames: Vec<JsonParseFrame>,
    pub(super) outer: Vec<OuterJson<'p>>,
    seen: Vec<u64>,
    /// For text with escapes, and for skipping.
    pub(super) scratch: Vec<u8>,
    pub(super) follow: Follow,
}

/// Parses all of `text` into the message at `base`.
pub(super) fn parse<'p>(
    builder: &mut MessageBuilder<'p>,
    pool: &'p DescriptorPool,
    root: BodyRef,
    text: &str,
    options: Parser,
) -> Result<(), ParseError> {
    let input = text.as_bytes();
    let mut parser = JsonParser {
        pool,
        options,
        scanner: JsonScanner { input, text, at: 0 },
        builder,
        frames: Vec::new(),
        outer: Vec::new(),
        seen: Vec::new(),
        scratch: Vec::new(),
        follow: Follow::new(),
    };
    let parsed = parser.run(root);
    let Err(kind) = parsed else { return Ok(()) };
    let path = parser.path();
    // The innermost content of an Any is lost; what is around it stays.
    while let Some(outer) = parser.outer.pop() {
        *parser.builder = outer.builder;
    }
    let root = pool.message_at(root.program);
    let name = root.as_ref().map_or("", |message| message.full_name());
    Err(ParseError::new(kind, input, parser.scanner.at, name, path))
}

impl<'p> JsonParser<'p, '_, '_> {
    fn run(&mut self, root: BodyRef) -> Result<(), Kind> {
        self.scanner.whitespace();
        self.open(root, 0)?;
        while let Some(frame) = self.frames.last() {
            match frame.over {
                JsonContainer::Message => self.members()?,
                JsonContainer::AnyValue => self.any_members()?,
                JsonContainer::List => self.elements()?,
                JsonContainer::Map => self.entries()?,
            }
        }
        self.scanner.whitespace();
        if self.scanner.at < self.scanner.input.len() {
            return Err(Kind::TrailingBytes);
        }
        Ok(())
    }

    /// Adds a frame.
    #[inline]
    pub(super) fn push(&mut self, over: JsonContainer, at: FieldAt, depth: u32) -> Result<(), Kind> {
        self.builder.make_room(&mut self.frames, 1, 8)?;
        let mut seen = Seen::default();
        if over == JsonContainer::Message {
            let program = self.builder.set.program(at.body.program);
            if program.is_wide() {
                seen.fields = self.begin_notes(program)?;
            }
        }
        self.frames.push(JsonParseFrame {
            over,
            any: false,
            marked: false,
            valued: false,
            depth,
            count: 0,
            at,
            slot: NIL,
            map: MapAside::default(),
            seen,
        });
        Ok(())
    }

    /// Makes room for notes about a wide message, and says where they begin.
    #[cold]
    fn begin_notes(&mut self, program: &Program) -> Result<u64, Kind> {
        let start = self.seen.len();
        let words = program.seen_words();
        self.builder.make_room(&mut self.seen, words, 8)?;
        self.seen.resize(start + words, 0);
        Ok(start as u64)
    }

    /// The innermost object or list has ended.
    pub(super) fn pop(&mut self) -> Result<(), Kind> {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let (any, over, at, seen) = (frame.any, frame.over, frame.at, frame.seen);
        self.frames.truncate(self.frames.len() - 1);
        if over == JsonContainer::Message && self.builder.set.program(at.body.program).is_wide() {
            self.seen.truncate(seen.fields as usize);
        }
        if any { self.end_any(at) } else { Ok(()) }
    }

    /// Notes a field of the last frame's message; says whether that was noted before.
    #[inline]
    pub(super) fn note_field(&mut self, program: &Program, position: usize) -> bool {
        let Some(frame) = self.frames.last_mut() else { return false };
        if program.is_wide() {
            return note(&mut self.seen, frame.seen.fields as usize, position);
        }
        let before = frame.seen.fields;
        frame.seen.fields |= 1 << (position & 63);
        frame.seen.fields == before
    }

    /// As [`note_field`](Self::note_field), for a oneof, given as in an entry.
    #[inline]
    pub(super) fn note_oneof(&mut self, program: &Program, oneof: u16) -> bool {
        let Some(frame) = self.frames.last_mut() else { return false };
        let oneof = oneof as usize - 1;
        if program.is_wide() {
            return note(&mut self.seen, frame.seen.fields as usize, program.entries().len() + oneof);
        }
        let before = frame.seen.oneofs;
        frame.seen.oneofs |= 1 << (oneof & 63);
        frame.seen.oneofs == before
    }

    /// The frame that was just pushed may be one of a map.
    pub(super) fn begin_map(&mut self, over: JsonContainer) -> Result<(), Kind> {
        if over == JsonContainer::Map
            && let Some(frame) = self.frames.last_mut()
        {
            frame.map = self.builder.map()?;
        }
        Ok(())
    }

    /// The field at a position of a program.
    #[inline]
    pub(super) fn field(&self, program: &Program, position: usize) -> FieldRef<'p> {
        FieldRef::at(self.pool, program.message(), program.field_of(position) as u16, position as u16)
    }

    /// The text of a string.
    #[inline]
    pub(super) fn text(&mut self, quoted: Quoted) -> Result<&[u8], Kind> {
        self.scanner.text(quoted, &mut self.scratch)
    }

    /// The fields that lead to where the parser is.
    #[cold]
    fn path(&self) -> FieldPath {
        let mut path = FieldPath::EMPTY;
        for (at, frame) in self.frames.iter().enumerate() {
            let list = matches!(frame.over, JsonContainer::List | JsonContainer::Map);
            let FieldAt { body, position } = frame.at;
            // The list's own frame adds this field, with an index: do not add it twice.
            let said = self.frames.get(at + 1).is_some_and(|next| {
                let same = (next.at.body, next.at.position) == (body, position);
                matches!(next.over, JsonContainer::List | JsonContainer::Map) && same
            });
            let program = self.builder.set.program(body.program);
            if said || position >= program.entries().len() {
                continue;
            }
            let field = self.field(program, position);
            let index = (list && frame.over == JsonContainer::List).then(|| frame.count.saturating_sub(1));
            path.push_inner(PathStep::named(field.number(), field.name(), index));
        }
        path
    }
}

/// Notes something of a wide message whose notes begin at `start`; says whether that was noted before.
#[cold]
fn note(seen: &mut [u64], start: usize, bit: usize) -> bool {
    let Some(word) = seen.get_mut(start + bit / 64) else { return false };
    let before = *word;
    *word |= 1 << (bit % 64);
    *word == before
}

// Lists and maps.

/// Words that are collected before they go to a list.
const BLOCK: usize = 32;

/// Elements on their way to a list of scalars: appended by the block, not one by one.
struct Block {
    words: [u32; BLOCK],
    len: usize,
    /// The header of the list, or `NIL` before its first element.
    slot: u32,
}

impl JsonParser<'_, '_, '_> {
    /// A list of scalars, which needs no frame unless something is wrong with it.
    pub(in crate::formats::json) fn scalars(
        &mut self,
        at: FieldAt,
        names: FieldFormats<'_>,
        entry: &FieldEntry,
        depth: u32,
    ) -> Result<(), Kind> {
        self.scanner.take(b'[').map_err(|_| self.scanner.wrong_type())?;
        let mut count = 0;
        let mut block = Block { words: [0; BLOCK], len: 0, slot: NIL };
        let parsed = self.elements_to(&mut block, at, (names, entry), &mut count);
        // Those before one that is at fault are kept.
        let parsed = self.flush(&mut block, at, entry.coding).and(parsed);
        if parsed.is_err() && self.push(JsonContainer::List, at, depth).is_ok() {
            // Keeps the index for the error path.
            if let Some(frame) = self.frames.last_mut() {
                frame.count = count;
            }
        }
        parsed
    }

    /// ```text
    /// the first element, and the others after a comma:
    ///     an integer of an integer type, as most are: by the words of its digits
    ///     anything else: as where it is no list
    ///     into the block; a block that is full, into the list
    /// ```
    fn elements_to(
        &mut self,
        block: &mut Block,
        at: FieldAt,
        (names, entry): (FieldFormats<'_>, &FieldEntry),
        count: &mut u32,
    ) -> Result<(), Kind> {
        let (scalar, words) = (entry.scalar(), entry.coding.words() as usize);
        let integer = matches!(scalar, Scalar::I32 | Scalar::U32 | Scalar::I64 | Scalar::U64);
        while self.scanner.more(*count, b']')? {
            *count += 1;
            let start = self.scanner.at;
            let mut word = None;
            if integer {
                word = self.scanner.short_integer().and_then(|value| word_of(scalar, value));
            }
            if word.is_none() {
                self.scanner.at = start;
                if self.scanner.peek()? == b'n' && !self.element_takes_null(names, entry, at.position) {
                    return Err(self.scanner.wrong_type());
                }
                word = self.scalar(names, entry, at.position)?;
            }
            let Some(word) = word else { continue };
            if let Some([low, high]) = block.words.get_mut(block.len..block.len + 2) {
                (*low, *high) = (word as u32, (word >> 32) as u32);
            }
            block.len += words;
            if block.len + 2 > BLOCK {
                self.flush(block, at, entry.coding)?;
            }
        }
        Ok(())
    }

    /// Appends what is in the block to the list.
    fn flush(&mut self, block: &mut Block, at: FieldAt, coding: Coding) -> Result<(), Kind> {
        let words = block.words.get(..core::mem::take(&mut block.len)).unwrap_or_default();
        Ok(self.builder.extend(at, &mut block.slot, coding, words)?)
    }

    /// The messages of a list, until one of them needs more than one frame or the list ends.
    pub(in crate::formats::json) fn elements(&mut self) -> Result<(), Kind> {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let (at, depth, mut count, mut slot) = (frame.at, frame.depth + 1, frame.count, frame.slot);
        let program = self.builder.set.program(at.body.program);
        let Some(entry) = program.entries().get(at.position) else { return Err(Kind::UnknownField) };
        let names = self.pool.field_formats(program.message());
        let plain = self.known(entry.sub) == WellKnown::None && depth <= self.options.max_depth;
        let frames = self.frames.len();
        while self.scanner.more(count, b']')? {
            count += 1;
            if let Some(frame) = self.frames.last_mut() {
                frame.count = count;
            }
            if self.scanner.peek()? == b'n' && !self.element_takes_null(names, entry, at.position) {
                return Err(self.scanner.wrong_type());
            }
            let empty = plain && self.scanner.rest().starts_with(b"{}");
            let body = self.builder.push_message(at, &mut slot, entry, empty)?;
            if empty {
                self.scanner.at += 2;
                continue;
            }
            if let Some(frame) = self.frames.last_mut() {
                frame.slot = slot;
            }
            self.open(BodyRef::of(entry, body), depth)?;
            // Most messages of lists hold no others: their members are parsed from here, and the list goes on.
            if plain {
                self.members()?;
            }
            if self.frames.len() != frames {
                return Ok(());
            }
        }
        self.pop()
    }

    /// The entries of a map, until one of them needs a frame or the map ends.
    pub(in crate::formats::json) fn entries(&mut self) -> Result<(), Kind> {
        let Some(&frame) = self.frames.last() else { return Ok(()) };
        let program = self.builder.set.program(frame.at.body.program);
        let Some(entry) = program.entries().get(frame.at.position) else { return Err(Kind::UnknownField) };
        let pair = self.builder.set.program(entry.sub);
        let [key, value] = pair.entries() else { return Err(Kind::UnknownField) };
        let names = self.pool.field_formats(pair.message());
        let (mut count, mut map) = (frame.count, frame.map);
        if frame.marked {
            self.builder.end_entry(&mut map, entry);
        }
        while self.scanner.more(count, b'}')? {
            count += 1;
            let key = self.map_key(key)?;
            self.scanner.colon()?;
            if self.scanner.peek()? == b'n' && !self.element_takes_null(names, value, 1) {
                return Err(self.scanner.wrong_type());
            }
            if !value.coding.is_message() {
                if let Some(word) = self.scalar(names, value, 1)? {
                    let base = self.builder.entry(&mut map, entry, key)?;
                    self.builder.set(
                        FieldAt { body: BodyRef::of(entry, base), position: 1 },
                        value.coding,
                        word,
                    )?;
                    self.builder.end_entry(&mut map, entry);
                }
                continue;
            }
            let base = self.builder.entry(&mut map, entry, key)?;
            if let Some(frame) = self.frames.last_mut() {
                (frame.count, frame.map, frame.marked) = (count, map, true);
            }
            return self.message(
                FieldAt { body: BodyRef::of(entry, base), position: 1 },
                value,
                frame.depth + 2,
            );
        }
        if !self.builder.end_map(frame.at, map, entry, !self.options.allow_duplicate_keys)? {
            return Err(Kind::DuplicateKey);
        }
        self.pop()
    }
}

// Keys: what they name, and guesses of the next field.

/// Guesses that are kept.
const GUESSES: usize = 256;

/// How many fields are compared with a key, should the guess fail, before it is searched for.
pub(crate) const AHEAD: usize = 6;

/// What a key names.
pub(crate) enum MemberKey {
    /// The field at this position.
    Field(usize),
    /// Nothing that is kept.
    Other,
    /// There is no key: the object has ended.
    End,
}

/// Which field comes after another one. Members come in the same order in most objects of a type, so the field that a search found
/// the last time is likely; without one, the next field of the schema.
pub(crate) struct Follow {
    /// 1 + position of the field, by the one before and the type.
    positions: [u16; GUESSES],
}

impl Follow {
    pub(crate) fn new() -> Self {
        Self { positions: [0; GUESSES] }
    }

    #[inline(always)]
    fn place(index: u32, next: usize) -> usize {
        (index as usize).wrapping_mul(37).wrapping_add(next) % GUESSES
    }

    /// The likely field where `next` is the next one of the schema.
    #[inline(always)]
    pub(crate) fn guess(&self, index: u32, next: usize) -> usize {
        match self.positions.get(Self::place(index, next)) {
            None | Some(0) => next,
            Some(&position) => position as usize - 1,
        }
    }

    pub(crate) fn learn(&mut self, index: u32, next: usize, position: usize) {
        if let Some(place) = self.positions.get_mut(Self::place(index, next)) {
            *place = position as u16 + 1;
        }
    }
}
