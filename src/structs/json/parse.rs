//! JSON text straight to structs.
//!
//! ```text
//! object of a message: key, a field by guess or by name, and its value:
//!     null:        nothing
//!     a scalar, a list, a map: into the member
//!     a message:   into the member, one level deeper
//! ```
//!
//! Whatever is at fault, or rare, stops the parser: a key that occurs twice, a value that an enum does not list, a member that
//! keeps bytes. The text is then parsed by way of a dynamic message (`json.rs`), whose result counts: so errors and rare forms
//! exist once.
//!
//! Memory, depth and stack are those of [`Input`], which is given the text as if it were the bytes to decode.

use crate::formats::json::{AHEAD, Follow, JsonScanner, MemberKey, Parser, integer_word, key_word, word_of};
use crate::formats::numbers::{decode_base64, parse_duration, parse_timestamp};
use crate::schema::pool::{DescriptorPool, FieldFormats, MessageDescriptor, WellKnown};
use crate::schema::program::{FieldEntry, Program, Scalar};
use crate::schema::table::TableKind;
use crate::structs::decode::input::Input;
use crate::structs::grammar::kinds::{KindMarker, ScalarKind};
use crate::structs::members::field::ScalarValue;
use crate::structs::walk::fill::{Filled, MemberSource, Stop};
use crate::structs::{DecodeField, DecodeFrom, DecodeOwned, DecodeValue, List, VisitMember};
use crate::wire::options::DecodeOptions;
use crate::wire::{DEFAULT_DEPTH, MAX_LEN, utf8, zigzag32, zigzag64};
use alloc::{string::String, vec::Vec};

/// The field that is being parsed.
#[derive(Clone, Copy)]
pub struct At {
    /// The program of its message, or of its map entry.
    index: u32,
    position: u32,
    /// Of a message: its program.
    sub: u32,
}

/// How integers of a kind are stored in a message.
const fn integer<K: KindMarker>() -> Scalar {
    match K::VALUE {
        TableKind::Int32 | TableKind::Sint32 | TableKind::Sfixed32 => Scalar::I32,
        TableKind::Uint32 | TableKind::Fixed32 => Scalar::U32,
        TableKind::Int64 | TableKind::Sint64 | TableKind::Sfixed64 => Scalar::I64,
        _ => Scalar::U64,
    }
}

/// The bits of an integer, as [`ScalarValue::from_raw`] takes them.
#[inline(always)]
fn raw<K: KindMarker>(word: u64) -> u64 {
    match K::VALUE {
        TableKind::Sint32 => zigzag32(word as i32).into(),
        TableKind::Sint64 => zigzag64(word as i64),
        _ => word,
    }
}

/// Elements that are collected before they go to a list.
const BLOCK: usize = 32;

#[inline]
fn append<T: Copy, L: List<T>>(list: &mut L, block: &[T], parser: &mut StructParser<'_, '_>) -> Filled {
    list.make_room(block.len(), &mut parser.input)?;
    Ok(list.extend_by(block.iter().copied())?)
}

/// State of one parse.
pub struct StructParser<'p, 'i> {
    pool: &'p DescriptorPool,
    scanner: JsonScanner<'i>,
    input: Input<'i>,
    scratch: Vec<u8>,
    at: At,
    follow: Follow,
    options: Parser,
    /// What wide messages have had.
    seen: Vec<u64>,
    /// Since the last visit of a member.
    stopped: bool,
}

/// Parses all of `json`; nothing if the parser stopped.
pub(in crate::structs) fn parse<M: DecodeOwned>(
    json: &[u8],
    descriptor: &MessageDescriptor,
    options: &Parser,
) -> Option<M> {
    if json.len() > MAX_LEN {
        return None;
    }
    // All at once: then no string needs a check of its own.
    let text = utf8::from_utf8(json)?;
    let mut bounds = DecodeOptions::new().max_depth(options.max_depth.min(DEFAULT_DEPTH));
    if let Some(bytes) = options.budget {
        bounds = bounds.budget(bytes);
    }
    let index = descriptor.index();
    let mut parser = StructParser {
        pool: descriptor.parent_pool(),
        scanner: JsonScanner { input: json, text, at: 0 },
        input: Input::new(json, &bounds),
        scratch: Vec::new(),
        at: At { index, position: 0, sub: index },
        follow: Follow::new(),
        options: *options,
        seen: Vec::new(),
        stopped: false,
    };
    let mut message = M::unset();
    parser.scanner.whitespace();
    parser.body(&mut message, index).ok()?;
    parser.scanner.whitespace();
    (parser.scanner.at == json.len()).then_some(message)
}

/// The fields and oneofs of a message that an object has had, a bit for each.
struct SeenMembers {
    fields: u64,
    oneofs: u64,
    /// Of a message with more fields than a word has bits: where its bits begin in the parser's list.
    wide: Option<usize>,
}

/// Sets a bit; stops at one that is set.
#[inline(always)]
fn note(word: &mut u64, bit: usize) -> Filled {
    let bit = 1 << (bit & 63);
    if *word & bit != 0 {
        return Err(Stop);
    }
    *word |= bit;
    Ok(())
}

impl<'p, 'i> StructParser<'p, 'i> {
    /// A message, of the type that this program is of.
    fn body<M: DecodeFrom<'i>>(&mut self, message: &mut M, index: u32) -> Filled {
        let program = self.pool.programs().program(index);
        let position = match self.pool.well_known(program.message()) {
            WellKnown::None => {
                self.scanner.take(b'{')?;
                return self.members(message, index, program);
            }
            WellKnown::Timestamp => {
                let (seconds, nanos) = parse_timestamp(self.string()?).ok_or(Stop)?;
                return set_time(message, seconds, nanos.into());
            }
            WellKnown::Duration => {
                let (seconds, nanos) = parse_duration(self.string()?).ok_or(Stop)?;
                return set_time(message, seconds, nanos.into());
            }
            WellKnown::Any | WellKnown::FieldMask => return Err(Stop),
            WellKnown::Value => match self.scanner.peek()? {
                b'n' => 0,
                b'"' => 2,
                b't' | b'f' => 3,
                b'{' => 4,
                b'[' => 5,
                _ => 1,
            },
            WellKnown::Struct | WellKnown::ListValue | WellKnown::Wrapper => 0,
        };
        let entry = program.entries().get(position).ok_or(Stop)?;
        self.member(message, (index, position), entry)
    }

    /// The members of an object.
    ///
    /// ```text
    /// loop:
    ///     if the input goes on with the comma, name and colon of the likely field: that one, by one comparison
    ///     else: white space, comma, and the name is compared with those of the next fields, or searched for
    ///     white space, and the value: into the member
    /// ```
    #[inline(never)]
    fn members<M: DecodeFrom<'i>>(&mut self, message: &mut M, index: u32, program: &'p Program) -> Filled {
        let names = self.pool.field_formats(program.message());
        let mut seen = self.begin_seen(program)?;
        let (mut first, mut next) = (true, 0);
        loop {
            let rest = self.scanner.rest();
            if rest.first() == Some(&b'}') {
                self.scanner.at += 1;
                break;
            }
            let guess = self.follow.guess(index, next);
            // The label begins with the comma, which the first member lacks.
            let position = match names.takes_label(guess, first.into(), rest) {
                Some(len) => {
                    self.scanner.at += len;
                    guess
                }
                None => match self.key(first, (index, next), program, names)? {
                    MemberKey::Field(position) => position,
                    MemberKey::Other => {
                        first = false;
                        self.scanner.skip(self.options.max_depth, &mut self.scratch)?;
                        continue;
                    }
                    MemberKey::End => break,
                },
            };
            (first, next) = (false, position + 1);
            let entry = program.entries().get(position).ok_or(Stop)?;
            self.note(&mut seen, position)?;
            if self.scanner.value() == b'n' && !self.takes_null(names, entry, position) {
                self.scanner.literal(b"null")?;
                continue;
            }
            if entry.oneof != 0 {
                self.note_oneof(&mut seen, program, entry.oneof)?;
            }
            self.member(message, (index, position), entry)?;
        }
        if let Some(start) = seen.wide {
            self.seen.truncate(start);
        }
        Ok(())
    }

    #[inline(always)]
    fn begin_seen(&mut self, program: &Program) -> Result<SeenMembers, Stop> {
        let wide = if program.entries().len() > 64 { Some(self.begin_wide(program)?) } else { None };
        Ok(SeenMembers { fields: 0, oneofs: 0, wide })
    }

    /// Makes room for the bits of a wide message, and says where they begin.
    #[cold]
    #[inline(never)]
    fn begin_wide(&mut self, program: &Program) -> Result<usize, Stop> {
        let start = self.seen.len();
        let words = program.seen_words();
        self.input.reserve(&mut self.seen, words)?;
        self.seen.resize(start + words, 0);
        Ok(start)
    }

    /// Notes a field; stops at one that was noted before.
    #[inline(always)]
    fn note(&mut self, seen: &mut SeenMembers, position: usize) -> Filled {
        let word = match seen.wide {
            None => &mut seen.fields,
            Some(start) => self.seen.get_mut(start + position / 64).ok_or(Stop)?,
        };
        note(word, position)
    }

    /// As [`note`](Self::note), for a oneof, given as in an entry.
    #[inline]
    fn note_oneof(&mut self, seen: &mut SeenMembers, program: &Program, oneof: u16) -> Filled {
        let bit = usize::from(oneof) - 1;
        match seen.wide {
            None => note(&mut seen.oneofs, bit),
            Some(start) => {
                let bit = program.entries().len() + bit;
                note(self.seen.get_mut(start + bit / 64).ok_or(Stop)?, bit)
            }
        }
    }

    /// The value of a member.
    #[inline(always)]
    fn member<M: DecodeFrom<'i>>(
        &mut self,
        message: &mut M,
        (index, position): (u32, usize),
        entry: &FieldEntry,
    ) -> Filled {
        self.at = At { index, position: position as u32, sub: entry.sub };
        // Stays true if the struct lacks the field: then no member is visited.
        self.stopped = true;
        message.__member(entry.number(), self);
        if self.stopped { Err(Stop) } else { Ok(()) }
    }

    /// What comes next in an object, if it is not the likely field.
    #[inline(never)]
    fn key(
        &mut self,
        first: bool,
        (index, next): (u32, usize),
        program: &Program,
        names: FieldFormats<'_>,
    ) -> Result<MemberKey, Stop> {
        if !self.scanner.more((!first).into(), b'}')? {
            return Ok(MemberKey::End);
        }
        let guess = self.follow.guess(index, next);
        for position in core::iter::once(guess).chain(next..next + AHEAD) {
            if let Some(len) = names.takes_label(position, 1, self.scanner.rest()) {
                self.scanner.at += len;
                return Ok(MemberKey::Field(position));
            }
        }
        let pool = self.pool;
        let name = self.string()?;
        let field = pool.field_by_any_name(program.message(), name);
        let position = field.and_then(|field| program.entry_of(field as usize)).map(|(position, _)| position);
        if position.is_none() && self.options.deny_unknown_fields {
            return Err(Stop);
        }
        if let Some(position) = position {
            self.follow.learn(index, next, position);
        }
        self.scanner.colon()?;
        Ok(position.map_or(MemberKey::Other, MemberKey::Field))
    }

    /// Whether `null` is a value of the field, and not its absence.
    #[cold]
    fn takes_null(&self, names: FieldFormats<'_>, entry: &FieldEntry, position: usize) -> bool {
        if entry.flags.is_list() {
            return false;
        }
        if entry.coding.is_message() {
            let program = self.pool.programs().program(entry.sub);
            return self.pool.well_known(program.message()) == WellKnown::Value;
        }
        names.is_null_value(position)
    }

    /// The text of a string.
    #[inline]
    fn string(&mut self) -> Result<&[u8], Stop> {
        let quoted = self.scanner.string()?;
        Ok(self.scanner.text(quoted, &mut self.scratch)?)
    }

    /// The fields of the message of the current field, and its position.
    fn place(&self) -> (FieldFormats<'p>, usize) {
        let program = self.pool.programs().program(self.at.index);
        (self.pool.field_formats(program.message()), self.at.position as usize)
    }

    #[inline(never)]
    fn long_integer(&mut self, scalar: Scalar) -> Result<u64, Stop> {
        let integer = self.scanner.number(&mut self.scratch)?.integer();
        Ok(integer_word(scalar, integer)?)
    }

    /// An enum value by name or number.
    #[inline(never)]
    fn enumeration(&mut self) -> Result<i32, Stop> {
        let (names, position) = self.place();
        match self.scanner.peek()? {
            b'"' => {
                let pool = self.pool;
                let name = core::str::from_utf8(self.string()?).map_err(|_| Stop)?;
                pool.json_enum_number(names.enumeration(position), name).ok_or(Stop)
            }
            b'n' if names.is_null_value(position) => {
                self.scanner.literal(b"null")?;
                Ok(0)
            }
            _ => Ok(self.long_integer(Scalar::I32)? as i32),
        }
    }

    /// Appends base64 to an empty list.
    fn base64(&mut self, bytes: &mut Vec<u8>) -> Filled {
        let quoted = self.scanner.string()?;
        let text = self.scanner.text(quoted, &mut self.scratch)?;
        let len = text.len() / 4 * 3 + 3;
        if bytes.capacity() < len {
            self.input.charge(len)?;
            bytes.try_reserve_exact(len).map_err(|_| Stop)?;
        }
        if decode_base64(text, bytes) { Ok(()) } else { Err(Stop) }
    }
}

impl<'i> MemberSource<'i> for StructParser<'_, 'i> {
    type EntryValue = At;

    #[inline(always)]
    fn input(&mut self) -> &mut Input<'i> {
        &mut self.input
    }

    #[inline(always)]
    fn scalar<K: ScalarKind>(&mut self) -> Result<u64, Stop> {
        Ok(match K::VALUE {
            TableKind::Double => self.scanner.double(&mut self.scratch)?.to_bits(),
            TableKind::Float => self.scanner.float(&mut self.scratch)?.to_bits().into(),
            TableKind::Bool => self.scanner.boolean()?.into(),
            TableKind::Enum(_) => self.enumeration()? as u64,
            _ => {
                let start = self.scanner.at;
                let short = self.scanner.short_integer().and_then(|value| word_of(integer::<K>(), value));
                raw::<K>(match short {
                    Some(word) => word,
                    None => {
                        self.scanner.at = start;
                        self.long_integer(integer::<K>())?
                    }
                })
            }
        })
    }

    fn key<K: ScalarKind>(&mut self) -> Result<u64, Stop> {
        let scalar = if matches!(K::VALUE, TableKind::Bool) { Scalar::Bool } else { integer::<K>() };
        Ok(raw::<K>(key_word(scalar, self.string()?)?))
    }

    /// By the block: a short list is allocated once, with the capacity that it needs.
    fn scalars<K: ScalarKind, T: ScalarValue<K>, L: List<T>>(&mut self, list: &mut L) -> Filled {
        let (mut block, mut len) = ([T::zero(); BLOCK], 0);
        self.elements(|parser| {
            let value = T::from_raw(parser.scalar::<K>()?).ok_or(Stop)?;
            if len == BLOCK {
                append(list, &block, parser)?;
                len = 0;
            }
            if let Some(place) = block.get_mut(len) {
                *place = value;
            }
            len += 1;
            Ok(())
        })?;
        append(list, block.get(..len).unwrap_or_default(), self)
    }

    #[inline]
    fn text(&mut self, text: &mut String) -> Filled {
        let quoted = self.scanner.string()?;
        let found = if quoted.escaped {
            let found = self.scanner.text(quoted, &mut self.scratch)?;
            core::str::from_utf8(found).map_err(|_| Stop)?
        } else {
            self.scanner.text.get(quoted.start..quoted.end).ok_or(Stop)?
        };
        Ok(self.input.assign(text, found)?)
    }

    #[inline]
    fn bytes(&mut self, bytes: &mut Vec<u8>) -> Filled {
        bytes.clear();
        self.base64(bytes)
    }

    /// One level deeper.
    fn message<M: DecodeFrom<'i>>(&mut self, message: &mut M) -> Filled {
        self.input.look_at_stack::<M>()?;
        let depth = self.input.depth_left.checked_sub(1).ok_or(Stop)?;
        self.input.depth_left = depth;
        self.body(message, self.at.sub)?;
        self.input.depth_left = depth + 1;
        Ok(())
    }

    #[inline(always)]
    fn elements(&mut self, mut fill: impl FnMut(&mut Self) -> Filled) -> Filled {
        let at = self.at;
        self.scanner.take(b'[')?;
        self.input.pos = self.scanner.at;
        let mut count = 0;
        while self.scanner.more(count, b']')? {
            count = 1;
            self.at = at;
            fill(self)?;
        }
        Ok(())
    }

    fn entries(&mut self, mut fill: impl FnMut(&mut Self, At) -> Filled) -> Filled {
        self.scanner.take(b'{')?;
        self.input.pos = self.scanner.at;
        let index = self.at.sub;
        let value = self.pool.programs().program(index).entries().get(1).ok_or(Stop)?;
        let at = At { index, position: 1, sub: value.sub };
        let mut count = 0;
        while self.scanner.more(count, b'}')? {
            if count == 0 {
                self.input.depth_left = self.input.depth_left.checked_sub(1).ok_or(Stop)?;
            }
            count = 1;
            fill(self, at)?;
        }
        self.input.depth_left += count;
        Ok(())
    }

    #[inline]
    fn entry_value(&mut self, at: At) -> Filled {
        self.scanner.colon()?;
        self.at = at;
        Ok(())
    }
}

impl<'i> VisitMember<'i> for StructParser<'_, 'i> {
    #[inline(never)]
    fn field<K: KindMarker, F: DecodeField<'i, K>>(&mut self, field: &mut F) {
        self.stopped = field.fill(self).is_err();
    }

    #[inline(never)]
    fn arm<K: KindMarker, T: DecodeValue<'i, K>>(&mut self, set: impl FnOnce(T)) {
        let filled = self.aside(
            |input| T::fresh(input),
            |value, parser| value.fill(parser),
            |value, _| {
                set(value);
                Ok(())
            },
        );
        self.stopped = filled.is_err();
    }
}

/// Sets the fields of a message of seconds and nanoseconds.
fn set_time<'i, M: DecodeFrom<'i>>(message: &mut M, seconds: i64, nanos: i64) -> Filled {
    for (field, number) in [(1, seconds), (2, nanos)] {
        let mut set = SetNumber { number, is_set: false };
        message.__member(field, &mut set);
        if !set.is_set {
            return Err(Stop);
        }
    }
    Ok(())
}

/// Sets an integer field.
struct SetNumber {
    number: i64,
    is_set: bool,
}

impl<'i> VisitMember<'i> for SetNumber {
    fn field<K: KindMarker, F: DecodeField<'i, K>>(&mut self, field: &mut F) {
        self.is_set = field.set_number(self.number);
    }

    fn arm<K: KindMarker, T: DecodeValue<'i, K>>(&mut self, _: impl FnOnce(T)) {}
}
