//! The loop.
//!
//! ```text
//! loop:
//!     window = 24 bytes at pos                 else: switch to the padded tail, or the message ends: sink.end, its parent goes on
//!     (tag, len) = varint in window
//!     entry = program[field number]
//!     if entry.tag != tag: unexpected()        (end of group, unknown field, list in the other form, item of a MessageSet)
//!     not selected:  skip it
//!     packed run:    numbers.rs
//!     message:       sink.begin; push the parent, go on with the child
//!     otherwise:     read the value, hand it over
//! ```
//!
//! Preconditions are those of the field loop of `decode/`: programs are checked, and windows are readable. A value may
//! reach beyond the end of its message; it is handed over, and the next round finds `pos > end`. Parents are on an explicit stack.
//!
//! After a fault the caller decodes the input again for the error. So the loop reports no path, and may be less exact about
//! which fault comes first.

use super::fixed::Run;
use super::state::{Level, VisitFault, VisitJob, VisitRun, VisitedChild};
use super::unexpected::UnexpectedField;
use super::{Field, Sink, Step, Visited};
use crate::engine::decode::machine::window::{self, PaddedStore, PaddedTail};
use crate::engine::decode::rare::skip_lengths;
use crate::schema::program::{Coding, FieldEntry, Op, Program, Scalar};
use crate::wire::error::DecodeErrorKind as Kind;
use crate::wire::{unzigzag32, unzigzag64, utf8};

/// What the innermost message is, besides its position and its fields so far.
struct Open<'r> {
    program: &'r Program,
    index: u32,
    end: usize,
    group: u32,
    last: u16,
}

/// Visits a message with the program of this index; true beside the answer if a required field may be missing.
///
/// # Errors
/// A fault that decoding finds as well, or no memory for the stack of parents.
#[inline]
pub(crate) fn visit<'i, S: Sink<'i> + ?Sized>(
    job: VisitJob<'_, 'i>,
    index: u32,
    sink: &mut S,
) -> Result<(Visited, bool), VisitFault> {
    let mut tail = PaddedTail::EMPTY;
    tail.fill(job.input);
    job.levels.clear();
    let ordered = sink.in_order();
    let depth = job.options.depth_limit() as usize;
    VisitRun { job, sink, ordered, depth, missing: false }.message(&tail, index)
}

impl<'r, 'i, S: Sink<'i> + ?Sized> VisitRun<'_, 'r, 'i, S> {
    fn message(mut self, tail: &PaddedTail, index: u32) -> Result<(Visited, bool), VisitFault> {
        let (set, pool, input) = (self.job.set, self.job.pool, self.job.input);
        let ordered = self.ordered;
        let mut source = PaddedStore::new(input, tail);
        let program = set.program(index);
        let mut open = Open { program, index, end: input.len(), group: 0, last: u16::MAX };
        // Of the part of the input that is being read.
        let mut pos = 0;
        let mut seen = 0u64;
        'message: loop {
            let program = open.program;
            let (origin, end) = (source.origin(), open.end);
            let windows = source.until(end);
            while let Some(head) = windows.at(pos) {
                // Notes that a field comes, unless it must not come now.
                macro_rules! comes {
                    ($entry:expr) => {{
                        if ordered {
                            if comes_again(program, $entry, seen, open.last) {
                                return Ok((Visited::OutOfOrder, false));
                            }
                            open.last = program.position($entry) as u16;
                        }
                        seen |= 1u64 << ($entry.bit & 63);
                    }};
                }
                let first = head[0];
                let (tag, len, found) = if first < 0x80 {
                    (first as u32, 1, Some(program.one_byte(first)))
                } else {
                    let Some((tag, len)) = window::long_tag(head) else {
                        return Err((Kind::InvalidTag, pos + origin));
                    };
                    (tag, len, program.find(tag >> 3))
                };
                let (entry, op) = match found {
                    Some(entry) if entry.tag == tag => (entry, entry.op),
                    _ if tag == open.group && tag != 0 => {
                        (pos, open.end, open.group) = (pos + len, pos + len, 0);
                        break;
                    }
                    _ => match self.unexpected(program, pos + origin, end + origin)? {
                        UnexpectedField::Skipped(next) => {
                            pos = next - origin;
                            continue;
                        }
                        UnexpectedField::OtherForm(entry, op) => (entry, op),
                        UnexpectedField::Item(entry, child) => {
                            comes!(entry);
                            let field = Field::new(pool, program, entry);
                            let step = self.sink.begin(field);
                            if step != Step::Enter {
                                if step == Step::Content {
                                    self.content(field, child.start, child.end);
                                }
                                pos = child.resume - origin;
                                continue;
                            }
                            self.enter(&mut open, &mut source, (&mut pos, &mut seen), entry, child)?;
                            continue 'message;
                        }
                    },
                };
                let value = window::after_tag(head, len);
                // The value of a varint; moves `pos` after it.
                macro_rules! varint {
                    () => {
                        varint!(varint)
                    };
                    ($read:ident) => {{
                        let Some((number, bytes)) = window::$read(value) else {
                            return Err((Kind::VarintOverflow, pos + len + origin));
                        };
                        pos += len + bytes;
                        number
                    }};
                }
                // Start and end of a length-delimited value.
                macro_rules! span {
                    () => {{
                        let Some((bytes, prefix)) = window::length(value) else {
                            return Err((Kind::InvalidLength, pos + len + origin));
                        };
                        let start = pos + len + prefix;
                        if start + bytes > end {
                            return Err((Kind::Incomplete, pos + len + origin));
                        }
                        (start, start + bytes)
                    }};
                }
                // Made where it is used: one that slow fields take by reference would be stored for all fields.
                macro_rules! field {
                    () => {
                        Field::new(pool, program, entry)
                    };
                }
                // One comparison for most fields.
                if op > Op::Inline {
                    // Most fields that a projection does not select, as in `decode/fields.rs`.
                    match op {
                        Op::SkipVarint => {
                            varint!();
                            continue;
                        }
                        Op::SkipFixed32 => {
                            pos += len + 4;
                            continue;
                        }
                        Op::SkipFixed64 => {
                            pos += len + 8;
                            continue;
                        }
                        Op::SkipLength => {
                            let next = skip_lengths(source.bytes(), pos + len, end, tag);
                            pos = next.map_err(|(kind, at)| (kind, at + origin))?;
                            continue;
                        }
                        _ => {}
                    }
                    if op.is_skip() {
                        // An unselected member of a oneof replaces a selected one.
                        let replaces = program.is_wide() || seen & program.oneof_mask(entry.oneof) != 0;
                        if ordered && entry.oneof != 0 && replaces {
                            return Ok((Visited::OutOfOrder, false));
                        }
                        pos = self.skip(pos + origin, end + origin)? - origin;
                        continue;
                    }
                    if op == Op::Packed || op == Op::Wide && entry.flags.is_packed() {
                        let (start, value_end) = span!();
                        pos = value_end;
                        if start < value_end {
                            comes!(entry);
                            self.run(field!(), entry, start + origin, value_end + origin)?;
                        }
                        continue;
                    }
                    // Two levels: the elements, and the messages in them.
                    if op == Op::ListFixedMessage && self.job.levels.len() + 1 < self.depth {
                        comes!(entry);
                        let run = Run { field: field!(), tag, end: end + origin };
                        let next = self.fixed_list(run, set.program(entry.sub), pos + origin, len);
                        if next != pos + origin {
                            pos = next - origin;
                            continue;
                        }
                    }
                }
                match entry.coding {
                    Coding::Int32 => {
                        comes!(entry);
                        let value = varint!(wide_varint) as i32;
                        if entry.is(Scalar::Enum) {
                            self.sink.enum_number(field!(), value);
                        } else {
                            self.sink.i32(field!(), value);
                        }
                    }
                    Coding::Uint32 => {
                        comes!(entry);
                        let value = varint!(wide_varint) as u32;
                        self.sink.u32(field!(), value);
                    }
                    Coding::Varint64 => {
                        comes!(entry);
                        let value = varint!(wide_varint);
                        if entry.is(Scalar::I64) {
                            self.sink.i64(field!(), value as i64);
                        } else {
                            self.sink.u64(field!(), value);
                        }
                    }
                    Coding::Sint32 => {
                        comes!(entry);
                        let value = unzigzag32(varint!(wide_varint) as u32);
                        self.sink.i32(field!(), value);
                    }
                    Coding::Sint64 => {
                        comes!(entry);
                        let value = unzigzag64(varint!(wide_varint));
                        self.sink.i64(field!(), value);
                    }
                    Coding::Bool => {
                        comes!(entry);
                        let value = varint!() != 0;
                        self.sink.bool(field!(), value);
                    }
                    Coding::ClosedEnum => {
                        let start = pos + len + origin;
                        let value = varint!() as i32;
                        if set.enum_contains(entry.sub, value) {
                            comes!(entry);
                            self.sink.enum_number(field!(), value);
                        } else {
                            self.unlisted(program, tag, start, pos + origin);
                        }
                    }
                    Coding::Fixed32 => {
                        comes!(entry);
                        pos += len + 4;
                        self.four(field!(), entry, window::word(value) as u32);
                    }
                    Coding::Fixed64 => {
                        comes!(entry);
                        pos += len + 8;
                        self.eight(field!(), entry, window::word(value));
                    }
                    Coding::String => {
                        comes!(entry);
                        let (start, value_end) = span!();
                        pos = value_end;
                        let rest = input.get(start + origin..).unwrap_or_default();
                        match utf8::from_prefix(rest, value_end - start) {
                            Some(text) => self.sink.str(field!(), text),
                            None => return Err((Kind::InvalidUtf8, start + origin)),
                        }
                    }
                    Coding::Bytes => {
                        comes!(entry);
                        let (start, value_end) = span!();
                        pos = value_end;
                        let bytes = input.get(start + origin..value_end + origin).unwrap_or_default();
                        let text = if entry.is(Scalar::String) { utf8::from_utf8(bytes) } else { None };
                        match text {
                            Some(text) => self.sink.str(field!(), text),
                            None => self.sink.bytes(field!(), bytes),
                        }
                    }
                    Coding::Message => {
                        let prefix = pos + len + origin;
                        let (start, value_end) = span!();
                        pos = value_end;
                        let (start, end) = (start + origin, value_end + origin);
                        if self.job.levels.len() >= self.depth {
                            return Err((Kind::DepthExceeded, start));
                        }
                        if entry.flags.is_map() && self.is_unlisted_entry(entry, start, end)? {
                            self.unlisted(program, tag, prefix, end);
                            continue;
                        }
                        comes!(entry);
                        let step = self.sink.begin(field!());
                        if step != Step::Enter {
                            if step == Step::Content {
                                self.content(field!(), start, end);
                            }
                            continue;
                        }
                        let sub = set.program(entry.sub);
                        if self.fixed_message(sub, start, end) {
                            self.sink.end(field!());
                            continue;
                        }
                        let child = VisitedChild { start, end, group: 0, resume: 0 };
                        self.enter(&mut open, &mut source, (&mut pos, &mut seen), entry, child)?;
                        continue 'message;
                    }
                    Coding::Group => {
                        comes!(entry);
                        let step = self.sink.begin(field!());
                        if step != Step::Enter {
                            let next = self.skip(pos + origin, end + origin)?;
                            if step == Step::Content {
                                self.group_content(field!(), tag, pos + len + origin, next);
                            }
                            pos = next - origin;
                            continue;
                        }
                        let (start, end) = (pos + len + origin, end + origin);
                        let child = VisitedChild { start, end, group: tag + 1, resume: 0 };
                        self.enter(&mut open, &mut source, (&mut pos, &mut seen), entry, child)?;
                        continue 'message;
                    }
                }
            }
            if pos < open.end {
                let by = source.enter_tail();
                (pos, open.end) = (pos - by, open.end - by);
                continue;
            }
            if pos != open.end || open.group != 0 {
                return Err((Kind::Incomplete, pos + origin));
            }
            if program.needs_check() {
                self.missing |= may_miss(program, seen);
            }
            let Some(parent) = self.job.levels.pop() else { return Ok((Visited::Whole, self.missing)) };
            let program = set.program(parent.program);
            if let Some(entry) = program.entries().get(parent.field as usize) {
                self.sink.end(Field::new(pool, program, entry));
            }
            if parent.resume != 0 {
                pos = parent.resume as usize - origin;
            }
            let end = parent.end as usize - origin;
            open = Open { program, index: parent.program, end, group: parent.group, last: parent.last };
            seen = parent.seen;
        }
    }

    /// Pushes the innermost message as a parent and goes on with a child of it. `sink.begin` has been called.
    #[inline(always)]
    fn enter(
        &mut self,
        open: &mut Open<'r>,
        source: &mut PaddedStore<'_>,
        (pos, seen): (&mut usize, &mut u64),
        entry: &FieldEntry,
        child: VisitedChild,
    ) -> Result<(), VisitFault> {
        let origin = source.origin();
        if self.job.levels.len() >= self.depth {
            return Err((Kind::DepthExceeded, child.start));
        }
        if self.job.levels.len() == self.job.levels.capacity() {
            self.job.levels.try_reserve(1).map_err(|_| (Kind::OutOfMemory, child.start))?;
        }
        self.job.levels.push(Level {
            end: (open.end + origin) as u32,
            resume: child.resume as u32,
            program: open.index,
            field: open.program.position(entry) as u16,
            last: open.last,
            group: open.group,
            seen: *seen,
        });
        *open = Open {
            program: self.job.set.program(entry.sub),
            index: entry.sub,
            end: child.end - origin,
            group: child.group,
            last: u16::MAX,
        };
        (*pos, *seen) = (child.start - origin, 0);
        Ok(())
    }
}

/// Whether a required field of a message with these fields may be missing, or one of the message that a map entry is without.
fn may_miss(program: &Program, seen: u64) -> bool {
    (program.is_wide() && program.has_required())
        || program.required_mask() & !seen != 0
        || program.is_map_entry() && seen & 2 == 0
}

/// Whether a field changes, or adds to, one that is complete. Wide messages have no bits for their fields.
#[inline]
fn comes_again(program: &Program, entry: &FieldEntry, seen: u64, last: u16) -> bool {
    let came = seen & 1u64 << (entry.bit & 63) != 0;
    program.is_wide()
        || if entry.flags.is_list() {
            came && program.position(entry) != last as usize
        } else {
            came || entry.oneof != 0 && seen & program.oneof_mask(entry.oneof) != 0
        }
}
