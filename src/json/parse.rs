//! From JSON to the slab, without recursion and without a document in between.
//!
//! ```text
//! open the root
//! while a frame is left:
//!     object of a message: key, a field by guess or by name, and its value:
//!         a scalar:           parse it, set it
//!         a list, a map:      a frame for it
//!         a message:          a body for it, open it
//!     list: an element: push the scalar, or push a body and open it
//!     map:  key, and the scalar, or a body to open; into a map aside
//!     ] or }: the map becomes the field's value; the frame goes
//! open a message: Timestamp and other well-known types of one value: parse it, set the fields
//!                 Struct, ListValue: a frame for their map or list; Value: by what comes
//!                 Any: find "@type", a builder of its own for the content, which is encoded when its frame goes
//!                 any other: {, and a frame
//! ```
//!
//! The guess: members come in the same order in most objects of a type. `follow` has, for a type and the field before, the field that
//! a search found the last time; without it, the next field of the schema. Should the guess fail, the fields after the last one
//! are compared, because what is not set is left out, and only then the name is searched for.

use super::error::{DeserializeError, DeserializeErrorKind as Kind, step};
use super::options::DeserializeOptions;
use super::scan::{Quoted, Scanner};
use crate::error::FieldPath;
use crate::message::{FieldAt, MapAside, MessageBuilder, NoRoom};
use crate::program::{FieldEntry, Program};
use crate::schema::{DescriptorPool, FieldFormats, FieldRef, WellKnown};
use crate::slab::{ByteSpan, NIL};
use crate::wire::utf8;
use alloc::vec::Vec;

/// What a frame is filled from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Container {
    /// An object: a message.
    Message,
    /// An object: the `@type` and `value` of an `Any` whose content is one value.
    AnyValue,
    List,
    Map,
}

/// An object or list that has not ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParseFrame {
    pub(super) over: Container,
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
    /// Where the fields that were seen are noted.
    seen: usize,
}

/// What waits for the content of an `Any`.
pub(super) struct Outer<'p> {
    pub(super) builder: MessageBuilder<'p>,
    pub(super) index: u32,
    pub(super) base: u32,
}

/// Guesses that are kept.
const GUESSES: usize = 256;
/// How many fields are compared with a key, should the guess fail, before it is searched for.
const AHEAD: usize = 6;

pub(super) type Result<T> = core::result::Result<T, Kind>;

impl From<NoRoom> for Kind {
    fn from(full: NoRoom) -> Self {
        match full {
            NoRoom::Budget => Self::BudgetExceeded,
            NoRoom::TooLarge => Self::TooLarge,
        }
    }
}

pub(super) struct Parser<'p, 'j, 'b> {
    pub(super) pool: &'p DescriptorPool,
    pub(super) options: DeserializeOptions,
    pub(super) scanner: Scanner<'j>,
    pub(super) builder: &'b mut MessageBuilder<'p>,
    pub(super) frames: Vec<ParseFrame>,
    pub(super) outer: Vec<Outer<'p>>,
    seen: Vec<u64>,
    /// For text with escapes, and for skipping.
    pub(super) scratch: Vec<u8>,
    /// 1 + position of the field that came after another one.
    follow: [u16; GUESSES],
}

/// Parses all of `input` into the message at `base`.
pub(super) fn parse<'p>(
    builder: &mut MessageBuilder<'p>,
    pool: &'p DescriptorPool,
    (index, base): (u32, u32),
    input: &[u8],
    options: DeserializeOptions,
) -> core::result::Result<(), DeserializeError> {
    let root = pool.message_at(index);
    let name = root.as_ref().map_or("", |message| message.full_name());
    if !utf8::is_valid(input)
        && let Err(error) = core::str::from_utf8(input)
    {
        let fault = Kind::InvalidUtf8;
        return Err(DeserializeError::new(fault, input, error.valid_up_to(), name, FieldPath::EMPTY));
    }
    let mut parser = Parser {
        pool,
        options,
        scanner: Scanner { input, at: 0 },
        builder,
        frames: Vec::new(),
        outer: Vec::new(),
        seen: Vec::new(),
        scratch: Vec::new(),
        follow: [0; GUESSES],
    };
    let parsed = parser.run(index, base);
    let Err(kind) = parsed else { return Ok(()) };
    let path = parser.path();
    // The innermost content of an Any is lost; what is around it stays.
    while let Some(outer) = parser.outer.pop() {
        *parser.builder = outer.builder;
    }
    Err(DeserializeError::new(kind, input, parser.scanner.at, name, path))
}

impl<'p> Parser<'p, '_, '_> {
    fn run(&mut self, index: u32, base: u32) -> Result<()> {
        self.scanner.whitespace();
        self.open(index, base, 0)?;
        while let Some(frame) = self.frames.last() {
            match frame.over {
                Container::Message => self.members()?,
                Container::AnyValue => self.any_members()?,
                Container::List => self.elements()?,
                Container::Map => self.entries()?,
            }
        }
        self.scanner.whitespace();
        if self.scanner.at < self.scanner.input.len() {
            return Err(Kind::TrailingBytes);
        }
        Ok(())
    }

    /// Adds a frame.
    pub(super) fn push(&mut self, over: Container, at: FieldAt, depth: u32) -> Result<()> {
        if self.frames.len() == self.frames.capacity() {
            let more = self.frames.len().max(8);
            self.builder.charge(2 * more * size_of::<ParseFrame>())?;
            self.frames.try_reserve_exact(more).map_err(|_| Kind::BudgetExceeded)?;
        }
        let seen = self.seen.len();
        if over == Container::Message {
            let program = self.builder.set.program(at.index);
            let words = (program.entries().len() + program.oneofs()).div_ceil(64);
            if self.seen.capacity() - seen < words {
                let more = words.max(self.seen.capacity()).max(8);
                self.builder.charge(2 * more * size_of::<u64>())?;
                self.seen.try_reserve_exact(more).map_err(|_| Kind::BudgetExceeded)?;
            }
            self.seen.resize(seen + words, 0);
        }
        self.frames.push(ParseFrame {
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

    /// The innermost object or list has ended.
    pub(super) fn pop(&mut self) -> Result<()> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        self.seen.truncate(frame.seen);
        if frame.any { self.end_any(frame.at) } else { Ok(()) }
    }

    /// Notes something of a frame's message; says whether that was noted before.
    fn note(&mut self, frame: &ParseFrame, bit: usize) -> bool {
        let Some(word) = self.seen.get_mut(frame.seen + bit / 64) else { return false };
        let before = *word >> (bit % 64) & 1 != 0;
        *word |= 1 << (bit % 64);
        before
    }

    /// The members of a message, until one of them needs a frame or the message ends.
    fn members(&mut self) -> Result<()> {
        let Some(&frame) = self.frames.last() else { return Ok(()) };
        let FieldAt { index, base, .. } = frame.at;
        let program = self.builder.set.program(index);
        let names = self.pool.field_formats(program.message());
        let (mut count, mut next) = (frame.count, frame.slot as usize);
        let frames = self.frames.len();
        while self.scanner.more(count, b'}').map_err(|kind| self.between_members(kind))? {
            count += 1;
            let start = self.scanner.at;
            let found = self.key((index, next), program, names);
            let found = found.map_err(|kind| self.between_members(kind))?;
            if self.scanner.input.get(self.scanner.at.wrapping_sub(1)) != Some(&b':') {
                self.scanner.colon()?;
            }
            self.scanner.whitespace();
            let Some(position) = found else {
                self.other_member(start)?;
                continue;
            };
            next = position + 1;
            if let Some(frame) = self.frames.last_mut() {
                (frame.count, frame.slot, frame.at.position) = (count, next as u32, position);
            }
            self.member(&frame, FieldAt { index, base, position }, program, start)?;
            if self.frames.len() != frames {
                return Ok(());
            }
        }
        self.pop()
    }

    /// An error that is about no field, and not about the last one either.
    #[cold]
    fn between_members(&mut self, kind: Kind) -> Kind {
        if let Some(frame) = self.frames.last_mut() {
            frame.at.position = usize::MAX;
        }
        kind
    }

    /// The value of a member whose key is known.
    #[inline]
    fn member(&mut self, frame: &ParseFrame, at: FieldAt, program: &'p Program, start: usize) -> Result<()> {
        let Some(entry) = program.entries().get(at.position) else { return Err(Kind::UnknownField) };
        let twice = self.note(frame, at.position);
        if twice {
            if !self.options.allow_duplicate_keys {
                return Err(self.scanner.fail(start, Kind::DuplicateKey));
            }
            self.builder.unset(at);
        }
        let byte = self.scanner.peek()?;
        if byte == b'n' && !self.takes_null(program, entry, at.position) {
            return self.scanner.literal(b"null");
        }
        if entry.oneof != 0 && self.note(frame, program.entries().len() + entry.oneof as usize - 1) && !twice
        {
            return Err(self.scanner.fail(start, Kind::DuplicateOneof));
        }
        if entry.flags.is_list() && !entry.coding.is_message() {
            return self.scalars(at, program, entry, frame.depth);
        }
        if entry.flags.is_list() {
            let (over, open) =
                if entry.flags.is_map() { (Container::Map, b'{') } else { (Container::List, b'[') };
            if byte != open {
                return Err(self.wrong_type());
            }
            self.scanner.at += 1;
            self.push(over, at, frame.depth)?;
            return self.begin_map(over);
        }
        if entry.coding.is_message() {
            return self.message(at, entry, frame.depth + 1);
        }
        match self.scalar(program, entry, at.position)? {
            Some(word) if entry.flags.is_implicit() && is_zero(entry, word) => self.builder.unset(at),
            Some(word) => self.builder.set(at, entry.coding, word)?,
            None => {}
        }
        Ok(())
    }

    /// The frame that was just pushed may be one of a map.
    pub(super) fn begin_map(&mut self, over: Container) -> Result<()> {
        if over == Container::Map
            && let Some(frame) = self.frames.last_mut()
        {
            frame.map = self.builder.map()?;
        }
        Ok(())
    }

    /// The value of a singular message.
    fn message(&mut self, at: FieldAt, entry: &FieldEntry, depth: u32) -> Result<()> {
        if depth <= self.options.max_depth && self.is_empty_object(entry) {
            return Ok(self.builder.empty_message(at, entry)?);
        }
        let body = self.builder.message(at, entry)?;
        self.open(entry.sub, body, depth)
    }

    /// Takes `{}`, if that comes next and stands for an empty message.
    fn is_empty_object(&mut self, entry: &FieldEntry) -> bool {
        let empty = self.scanner.input.get(self.scanner.at..).is_some_and(|rest| rest.starts_with(b"{}"))
            && self.known(entry.sub) == WellKnown::None;
        self.scanner.at += if empty { 2 } else { 0 };
        empty
    }

    /// Which well-known type the message of a program is.
    pub(super) fn known(&self, index: u32) -> WellKnown {
        self.pool.well_known(self.builder.set.program(index).message())
    }

    /// Whether `null` is a value of the field, and not its absence.
    #[cold]
    fn takes_null(&self, program: &Program, entry: &FieldEntry, position: usize) -> bool {
        if entry.flags.is_list() {
            return false;
        }
        self.element_takes_null(program, entry, position)
    }

    /// Whether `null` is a value of an element of this list or map, and not an error.
    #[cold]
    pub(super) fn element_takes_null(&self, program: &Program, entry: &FieldEntry, position: usize) -> bool {
        if entry.coding.is_message() {
            return self.known(entry.sub) == WellKnown::Value;
        }
        let names = self.pool.field_formats(program.message());
        names.is_null_value(position)
    }

    /// The field at a position of a program.
    #[inline]
    pub(super) fn field(&self, program: &Program, position: usize) -> FieldRef<'p> {
        FieldRef::at(self.pool, program.message(), program.field_of(position) as u16, position as u16)
    }

    /// The field that the key here names, if there is one; the key has been taken.
    #[inline]
    fn key(
        &mut self,
        (index, next): (u32, usize),
        program: &Program,
        names: FieldFormats<'_>,
    ) -> Result<Option<usize>> {
        let place = (index as usize).wrapping_mul(37).wrapping_add(next) % GUESSES;
        let guess = self.follow.get(place).copied().unwrap_or_default();
        let guess = if guess == 0 { next } else { guess as usize - 1 };
        if let Some((b'"', rest)) = self.scanner.input.get(self.scanner.at..).and_then(<[u8]>::split_first) {
            let _ = rest;
            let rest = self.scanner.input.get(self.scanner.at..).unwrap_or_default();
            if let Some(len) = names.takes_label(guess, 1, rest) {
                self.scanner.at += len;
                return Ok(Some(guess));
            }
            // Fields that are not set are left out, so one of the next is likely.
            for position in next..next + AHEAD {
                if let Some(len) = names.takes_label(position, 1, rest) {
                    self.scanner.at += len;
                    return Ok(Some(position));
                }
            }
        }
        self.key_by_name(program, place)
    }

    #[inline(never)]
    fn key_by_name(&mut self, program: &Program, place: usize) -> Result<Option<usize>> {
        let start = self.scanner.at;
        let quoted = self.scanner.string()?;
        let name = self.scanner.text(quoted, &mut self.scratch)?;
        let field = self.pool.field_by_any_name(program.message(), name);
        let position = field.and_then(|field| program.entry_of(field as usize)).map(|(position, _)| position);
        match position {
            Some(position) => {
                if let Some(guess) = self.follow.get_mut(place) {
                    *guess = position as u16 + 1;
                }
                Ok(Some(position))
            }
            None => {
                let frame = self.frames.last_mut();
                if let Some(frame) = frame
                    && frame.any
                    && name == b"@type"
                {
                    return match core::mem::replace(&mut frame.marked, true)
                        && !self.options.allow_duplicate_keys
                    {
                        true => Err(self.scanner.fail(start, Kind::DuplicateKey)),
                        false => Ok(None),
                    };
                }
                if self.options.deny_unknown_fields {
                    return Err(self.scanner.fail(start, Kind::UnknownField));
                }
                Ok(None)
            }
        }
    }

    /// The value of a member that is no field.
    fn other_member(&mut self, _start: usize) -> Result<()> {
        self.scanner.skip(self.options.max_depth, &mut self.scratch)
    }

    /// A list of scalars, which needs no frame unless something is wrong with it.
    fn scalars(&mut self, at: FieldAt, program: &'p Program, entry: &FieldEntry, depth: u32) -> Result<()> {
        self.scanner.take(b'[').map_err(|_| self.wrong_type())?;
        let (mut count, mut slot) = (0, NIL);
        let parsed = self.scalars_to(at, (program, entry), &mut count, &mut slot);
        if parsed.is_err() && self.push(Container::List, at, depth).is_ok() {
            // So that the path of the error has the element.
            if let Some(frame) = self.frames.last_mut() {
                frame.count = count;
            }
        }
        parsed
    }

    fn scalars_to(
        &mut self,
        at: FieldAt,
        (program, entry): (&'p Program, &FieldEntry),
        count: &mut u32,
        slot: &mut u32,
    ) -> Result<()> {
        while self.scanner.more(*count, b']')? {
            *count += 1;
            if self.scanner.peek()? == b'n' && !self.element_takes_null(program, entry, at.position) {
                return Err(self.wrong_type());
            }
            if let Some(word) = self.scalar(program, entry, at.position)? {
                self.builder.push(at, slot, entry.coding, word)?;
            }
        }
        Ok(())
    }

    /// The messages of a list, until one of them needs a frame or the list ends.
    fn elements(&mut self) -> Result<()> {
        let Some(&frame) = self.frames.last() else { return Ok(()) };
        let program = self.builder.set.program(frame.at.index);
        let Some(entry) = program.entries().get(frame.at.position) else { return Err(Kind::UnknownField) };
        let (mut count, mut slot) = (frame.count, frame.slot);
        let frames = self.frames.len();
        while self.scanner.more(count, b']')? {
            count += 1;
            if let Some(frame) = self.frames.last_mut() {
                frame.count = count;
            }
            if self.scanner.peek()? == b'n' && !self.element_takes_null(program, entry, frame.at.position) {
                return Err(self.wrong_type());
            }
            let depth = frame.depth + 1;
            let empty = depth <= self.options.max_depth && self.is_empty_object(entry);
            let body = self.builder.push_message(frame.at, &mut slot, entry, empty)?;
            if empty {
                continue;
            }
            if let Some(frame) = self.frames.last_mut() {
                frame.slot = slot;
            }
            self.open(entry.sub, body, depth)?;
            if self.frames.len() != frames {
                return Ok(());
            }
        }
        self.pop()
    }

    /// The entries of a map, until one of them needs a frame or the map ends.
    fn entries(&mut self) -> Result<()> {
        let Some(&frame) = self.frames.last() else { return Ok(()) };
        let program = self.builder.set.program(frame.at.index);
        let Some(entry) = program.entries().get(frame.at.position) else { return Err(Kind::UnknownField) };
        let pair = self.builder.set.program(entry.sub);
        let [key, value] = pair.entries() else { return Err(Kind::UnknownField) };
        let (mut count, mut map) = (frame.count, frame.map);
        if frame.marked {
            self.builder.end_entry(&mut map, entry);
        }
        while self.scanner.more(count, b'}')? {
            count += 1;
            let key = self.map_key(key)?;
            self.scanner.colon()?;
            if self.scanner.peek()? == b'n' && !self.element_takes_null(pair, value, 1) {
                return Err(self.wrong_type());
            }
            if !value.coding.is_message() {
                if let Some(word) = self.scalar(pair, value, 1)? {
                    let base = self.builder.entry(&mut map, entry, key)?;
                    self.builder.set(FieldAt { index: entry.sub, base, position: 1 }, value.coding, word)?;
                    self.builder.end_entry(&mut map, entry);
                }
                continue;
            }
            let base = self.builder.entry(&mut map, entry, key)?;
            if let Some(frame) = self.frames.last_mut() {
                (frame.count, frame.map, frame.marked) = (count, map, true);
            }
            return self.message(FieldAt { index: entry.sub, base, position: 1 }, value, frame.depth + 2);
        }
        if !self.builder.end_map(frame.at, map, entry, !self.options.allow_duplicate_keys)? {
            return Err(Kind::DuplicateKey);
        }
        self.pop()
    }

    /// The kind of fault where a value of another type is wanted.
    #[cold]
    pub(super) fn wrong_type(&self) -> Kind {
        match self.scanner.input.get(self.scanner.at) {
            None => Kind::Incomplete,
            Some(b'"' | b'{' | b'[' | b't' | b'f' | b'n' | b'-' | b'0'..=b'9') => Kind::WrongType,
            Some(_) => Kind::InvalidSyntax,
        }
    }

    /// The text of a string.
    #[inline]
    pub(super) fn text(&mut self, quoted: Quoted) -> Result<&[u8]> {
        self.scanner.text(quoted, &mut self.scratch)
    }

    /// The fields that lead to where the parser is.
    #[cold]
    fn path(&self) -> FieldPath {
        let mut path = FieldPath::EMPTY;
        for (at, frame) in self.frames.iter().enumerate() {
            let list = matches!(frame.over, Container::List | Container::Map);
            let FieldAt { index, base, position } = frame.at;
            // A list says more of its field than the message that has it.
            let said = self.frames.get(at + 1).is_some_and(|next| {
                let same = (next.at.index, next.at.base, next.at.position) == (index, base, position);
                matches!(next.over, Container::List | Container::Map) && same
            });
            let program = self.builder.set.program(index);
            if said || position >= program.entries().len() {
                continue;
            }
            let field = self.field(program, position);
            let index = (list && frame.over == Container::List).then(|| frame.count.saturating_sub(1));
            path.push_inner(step(field.number(), field.name(), index));
        }
        path
    }
}

/// Whether a value is the zero of its type.
#[inline]
pub(super) fn is_zero(entry: &FieldEntry, word: u64) -> bool {
    use crate::program::Coding;
    match entry.coding {
        Coding::String | Coding::Bytes => ByteSpan::from_word(word).len() == 0,
        _ => word == 0,
    }
}
