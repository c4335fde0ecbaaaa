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

use crate::formats::ParseErrorKind;
use crate::formats::json::{AHEAD, Follow, JsonScanner, MemberKey, Parser};
use crate::formats::numbers::{parse_duration, parse_timestamp};
use crate::schema::pool::{DescriptorPool, FieldFormats, MessageDescriptor, WellKnown};
use crate::schema::program::{FieldEntry, Program};
use crate::structs::decode::input::Input;
use crate::structs::decode::memory;
use crate::structs::grammar::kinds::KindMarker;
use crate::structs::{DecodeField, DecodeFrom, DecodeOwned, DecodeValue, VisitMember};
use crate::wire::error::DecodeErrorKind;
use crate::wire::options::DecodeOptions;
use crate::wire::{DEFAULT_DEPTH, MAX_LEN, utf8};
use alloc::vec::Vec;

/// The text is left to the parser of dynamic messages.
#[derive(Clone, Copy, Debug)]
pub struct Stop;

pub type Parsed = Result<(), Stop>;

impl From<ParseErrorKind> for Stop {
    #[inline]
    fn from(_: ParseErrorKind) -> Self {
        Self
    }
}

impl From<DecodeErrorKind> for Stop {
    #[inline]
    fn from(_: DecodeErrorKind) -> Self {
        Self
    }
}

/// Parses one value of the kind `K`.
pub trait ParseValue<'i, K: KindMarker>: Sized {
    /// Parses a value into an empty one.
    fn parse(&mut self, parser: &mut StructParser<'_, 'i>) -> Parsed;

    /// Parses the key of a map entry.
    #[inline]
    fn parse_key(&mut self, parser: &mut StructParser<'_, 'i>) -> Parsed {
        self.parse(parser)
    }

    /// Parses the elements of a list.
    fn parse_all(list: &mut Vec<Self>, parser: &mut StructParser<'_, 'i>) -> Parsed
    where
        Self: DecodeValue<'i, K>,
    {
        let at = parser.at;
        parser.elements(|parser| {
            memory::push_fresh(list, &mut parser.input)?;
            parser.at = at;
            list.last_mut().map_or(Err(Stop), |value| value.parse(parser))
        })
    }
}

/// Parses a field of the kind `K` into a member of a struct.
pub trait ParseField<'i, K: KindMarker> {
    /// Parses a value that is not `null`; the field is not set yet.
    fn parse(&mut self, parser: &mut StructParser<'_, 'i>) -> Parsed;

    /// Sets an integer field without presence. False for any other.
    #[inline]
    fn set_number(&mut self, _number: i64) -> bool {
        false
    }
}

/// The field that is being parsed.
#[derive(Clone, Copy)]
pub(in crate::structs) struct At {
    /// The program of its message, or of its map entry.
    index: u32,
    position: u32,
    /// Of a message: its program.
    sub: u32,
}

/// State of one parse.
pub struct StructParser<'p, 'i> {
    pub(in crate::structs) pool: &'p DescriptorPool,
    pub(in crate::structs) scanner: JsonScanner<'i>,
    pub(in crate::structs) input: Input<'i>,
    pub(in crate::structs) scratch: Vec<u8>,
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
fn note(word: &mut u64, bit: usize) -> Parsed {
    let bit = 1 << (bit & 63);
    if *word & bit != 0 {
        return Err(Stop);
    }
    *word |= bit;
    Ok(())
}

impl<'p, 'i> StructParser<'p, 'i> {
    /// The message in the current field, one level deeper.
    pub(in crate::structs) fn message<M: DecodeFrom<'i>>(&mut self, message: &mut M) -> Parsed {
        self.input.look_at_stack::<M>()?;
        let depth = self.input.depth_left.checked_sub(1).ok_or(Stop)?;
        self.input.depth_left = depth;
        self.body(message, self.at.sub)?;
        self.input.depth_left = depth + 1;
        Ok(())
    }

    /// A message, of the type that this program is of.
    fn body<M: DecodeFrom<'i>>(&mut self, message: &mut M, index: u32) -> Parsed {
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
    fn members<M: DecodeFrom<'i>>(&mut self, message: &mut M, index: u32, program: &'p Program) -> Parsed {
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
    fn note(&mut self, seen: &mut SeenMembers, position: usize) -> Parsed {
        let word = match seen.wide {
            None => &mut seen.fields,
            Some(start) => self.seen.get_mut(start + position / 64).ok_or(Stop)?,
        };
        note(word, position)
    }

    /// As [`note`](Self::note), for a oneof, given as in an entry.
    #[inline]
    fn note_oneof(&mut self, seen: &mut SeenMembers, program: &Program, oneof: u16) -> Parsed {
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
    ) -> Parsed {
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
    pub(in crate::structs) fn string(&mut self) -> Result<&[u8], Stop> {
        let quoted = self.scanner.string()?;
        Ok(self.scanner.text(quoted, &mut self.scratch)?)
    }

    /// The fields of the message of the current field, and its position.
    pub(in crate::structs) fn field(&self) -> (FieldFormats<'p>, usize) {
        let program = self.pool.programs().program(self.at.index);
        (self.pool.field_formats(program.message()), self.at.position as usize)
    }

    /// Runs `parse` at each element of a list.
    #[inline(always)]
    pub(in crate::structs) fn elements(&mut self, mut parse: impl FnMut(&mut Self) -> Parsed) -> Parsed {
        self.scanner.take(b'[')?;
        self.input.pos = self.scanner.at;
        let mut count = 0;
        while self.scanner.more(count, b']')? {
            count = 1;
            parse(self)?;
        }
        Ok(())
    }

    /// Runs `parse` at each key of a map; the current field is then that of the value. Entries count as messages.
    pub(in crate::structs) fn entries(&mut self, mut parse: impl FnMut(&mut Self, At) -> Parsed) -> Parsed {
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
            parse(self, at)?;
        }
        self.input.depth_left += count;
        Ok(())
    }

    /// The colon after the key of a map entry, and its value.
    pub(in crate::structs) fn entry_value<K: KindMarker, V: DecodeValue<'i, K>>(
        &mut self,
        value: &mut V,
        at: At,
    ) -> Parsed {
        self.scanner.colon()?;
        self.at = at;
        value.parse(self)
    }

    /// Makes a value, parses into it, and passes it to `finish`. During the parse, a large value is on the heap: the frame is
    /// one of a recursion.
    #[inline]
    pub(in crate::structs) fn aside<T>(
        &mut self,
        make: impl FnOnce(&mut Input<'i>) -> Result<T, DecodeErrorKind>,
        parse: impl FnOnce(&mut T, &mut Self) -> Parsed,
        finish: impl FnOnce(T, &mut Self) -> Parsed,
    ) -> Parsed {
        if const { size_of::<T>() <= memory::SMALL_VALUE } {
            let mut value = make(&mut self.input)?;
            parse(&mut value, self)?;
            return finish(value, self);
        }
        let mut room = memory::make_on_heap(&mut self.input, make)?;
        parse(room.last_mut().ok_or(Stop)?, self)?;
        self.finish_aside(room, finish)
    }
}

impl<'i> StructParser<'_, 'i> {
    #[inline(never)]
    fn finish_aside<T>(&mut self, mut room: Vec<T>, finish: impl FnOnce(T, &mut Self) -> Parsed) -> Parsed {
        let value = room.pop().ok_or(Stop)?;
        let parsed = finish(value, self);
        self.input.refund(size_of::<T>());
        parsed
    }
}

impl<'i> VisitMember<'i> for StructParser<'_, 'i> {
    #[inline(never)]
    fn field<K: KindMarker, F: DecodeField<'i, K>>(&mut self, field: &mut F) {
        self.stopped = field.parse(self).is_err();
    }

    #[inline(never)]
    fn arm<K: KindMarker, T: DecodeValue<'i, K>>(&mut self, set: impl FnOnce(T)) {
        let parsed = self.aside(
            |input| T::fresh(input),
            |value, parser| value.parse(parser),
            |value, _| {
                set(value);
                Ok(())
            },
        );
        self.stopped = parsed.is_err();
    }
}

/// Sets the fields of a message of seconds and nanoseconds.
fn set_time<'i, M: DecodeFrom<'i>>(message: &mut M, seconds: i64, nanos: i64) -> Parsed {
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
