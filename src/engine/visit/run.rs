//! The loop.
//!
//! ```text
//! loop:
//!     window = the bytes at pos                else: the end of the store by other windows, or the message ends: sink.end, its parent goes on
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
use crate::engine::decode::machine::window::{self, Source, Window, Windows};
use crate::engine::decode::rare::skip_lengths;
use crate::schema::program::{Coding, FieldEntry, Op, Program, Scalar};
use crate::wire::error::DecodeErrorKind as Kind;
use crate::wire::{unzigzag32, unzigzag64, utf8};

/// The innermost message, and how far it came.
struct Open<'r> {
    program: &'r Program,
    index: u32,
    /// Offset of the next tag.
    pos: usize,
    end: usize,
    group: u32,
    /// The fields so far, and the last of them.
    seen: u64,
    last: u16,
}

/// Why the loop stopped.
enum Exit<'r> {
    /// The message has ended, or the windows that the loop reads have.
    Leave,
    /// A message that the sink wants to enter; `sink.begin` has been called.
    Enter(&'r FieldEntry, VisitedChild),
    OutOfOrder,
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
    job.levels.clear();
    let ordered = sink.in_order();
    let depth = job.options.depth_limit() as usize;
    VisitRun { job, sink, ordered, depth, missing: false }.message(index)
}

impl<'r, 'i, S: Sink<'i> + ?Sized> VisitRun<'_, 'r, 'i, S> {
    fn message(mut self, index: u32) -> Result<(Visited, bool), VisitFault> {
        let (set, pool, input) = (self.job.set, self.job.pool, self.job.input);
        let source = Source::new(input);
        let (program, last) = (set.program(index), u16::MAX);
        let mut open = Open { program, index, pos: 0, end: input.len(), group: 0, seen: 0, last };
        loop {
            let front = source.front(open.end);
            let exit = match self.fields(&mut open, front)? {
                Exit::Leave if open.pos < open.end => self.end_fields(&mut open, source)?,
                exit => exit,
            };
            match exit {
                Exit::OutOfOrder => return Ok((Visited::OutOfOrder, false)),
                Exit::Enter(entry, child) => {
                    self.enter(&mut open, entry, child)?;
                    continue;
                }
                Exit::Leave => {}
            }
            if open.pos != open.end || open.group != 0 {
                return Err((Kind::Incomplete, open.pos));
            }
            if open.program.needs_check() {
                self.missing |= may_miss(open.program, open.seen);
            }
            let Some(parent) = self.job.levels.pop() else { return Ok((Visited::Whole, self.missing)) };
            let program = set.program(parent.program);
            if let Some(entry) = program.entries().get(parent.field as usize) {
                self.sink.end(Field::new(pool, program, entry));
            }
            let pos = if parent.resume != 0 { parent.resume as usize } else { open.pos };
            let Level { program: index, end, group, seen, last, .. } = parent;
            open = Open { program, index, pos, end: end as usize, group, seen, last };
        }
    }

    /// The loop with windows anywhere in the store, for the last bytes of it.
    #[inline(never)]
    fn end_fields(&mut self, open: &mut Open<'r>, source: Source<'i>) -> Result<Exit<'r>, VisitFault> {
        self.fields(open, source.end(open.end))
    }

    /// The loop itself, over the innermost message.
    #[inline(always)]
    fn fields(&mut self, open: &mut Open<'r>, windows: impl Windows) -> Result<Exit<'r>, VisitFault> {
        let (set, pool, input, ordered) = (self.job.set, self.job.pool, self.job.input, self.ordered);
        let Open { program, mut pos, end, mut seen, mut last, .. } = *open;
        let exit = loop {
            let Some(head) = windows.at(pos) else { break Exit::Leave };
            // Notes that a field comes, unless it must not come now.
            macro_rules! comes {
                ($entry:expr) => {{
                    if ordered {
                        if comes_again(program, $entry, seen, last) {
                            break Exit::OutOfOrder;
                        }
                        last = program.position($entry) as u16;
                    }
                    seen |= 1u64 << ($entry.bit & 63);
                }};
            }
            let first = head.byte(0, 0);
            let (tag, len, found) = if first < 0x80 {
                (first as u32, 1, Some(program.one_byte(first)))
            } else {
                let Some((tag, len)) = window::long_tag(head) else {
                    return Err((Kind::InvalidTag, pos));
                };
                (tag, len, program.find(tag >> 3))
            };
            let (entry, op) = match found {
                Some(entry) if entry.tag == tag => (entry, entry.op),
                _ if tag == open.group && tag != 0 => {
                    (pos, open.end, open.group) = (pos + len, pos + len, 0);
                    break Exit::Leave;
                }
                _ => match self.unexpected(program, pos, end)? {
                    UnexpectedField::Skipped(next) => {
                        pos = next;
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
                            pos = child.resume;
                            continue;
                        }
                        break Exit::Enter(entry, child);
                    }
                },
            };
            // The value of a varint; moves `pos` after it.
            macro_rules! varint {
                () => {{
                    let Some((number, bytes)) = window::varint(head, len) else {
                        return Err((Kind::VarintOverflow, pos + len));
                    };
                    pos += len + bytes;
                    number
                }};
            }
            // Start and end of a length-delimited value.
            macro_rules! span {
                () => {{
                    let Some((bytes, prefix)) = window::length(head, len) else {
                        return Err((Kind::InvalidLength, pos + len));
                    };
                    let start = pos + len + prefix;
                    if start + bytes > end {
                        return Err((Kind::Incomplete, pos + len));
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
                        let next = skip_lengths(input, pos + len, end, tag);
                        pos = next?;
                        continue;
                    }
                    _ => {}
                }
                if op.is_skip() {
                    // An unselected member of a oneof replaces a selected one.
                    let replaces = program.is_wide() || seen & program.oneof_mask(entry.oneof) != 0;
                    if ordered && entry.oneof != 0 && replaces {
                        break Exit::OutOfOrder;
                    }
                    pos = self.skip(pos, end)?;
                    continue;
                }
                if op == Op::Packed || op == Op::Wide && entry.flags.is_packed() {
                    let (start, value_end) = span!();
                    pos = value_end;
                    if start < value_end {
                        comes!(entry);
                        self.run(field!(), entry, start, value_end)?;
                    }
                    continue;
                }
                // Two levels: the elements, and the messages in them.
                if op == Op::ListFixedMessage && self.job.levels.len() + 1 < self.depth {
                    comes!(entry);
                    let run = Run { field: field!(), tag, end };
                    let next = self.fixed_list(run, set.program(entry.sub), pos, len);
                    if next != pos {
                        pos = next;
                        continue;
                    }
                }
            }
            match entry.coding {
                Coding::Int32 => {
                    comes!(entry);
                    let value = varint!() as i32;
                    if entry.is(Scalar::Enum) {
                        self.sink.enum_number(field!(), value);
                    } else {
                        self.sink.i32(field!(), value);
                    }
                }
                Coding::Uint32 => {
                    comes!(entry);
                    let value = varint!() as u32;
                    self.sink.u32(field!(), value);
                }
                Coding::Varint64 => {
                    comes!(entry);
                    let value = varint!();
                    if entry.is(Scalar::I64) {
                        self.sink.i64(field!(), value as i64);
                    } else {
                        self.sink.u64(field!(), value);
                    }
                }
                Coding::Sint32 => {
                    comes!(entry);
                    let value = unzigzag32(varint!() as u32);
                    self.sink.i32(field!(), value);
                }
                Coding::Sint64 => {
                    comes!(entry);
                    let value = unzigzag64(varint!());
                    self.sink.i64(field!(), value);
                }
                Coding::Bool => {
                    comes!(entry);
                    let value = varint!() != 0;
                    self.sink.bool(field!(), value);
                }
                Coding::ClosedEnum => {
                    let start = pos + len;
                    let value = varint!() as i32;
                    if set.enum_contains(entry.sub, value) {
                        comes!(entry);
                        self.sink.enum_number(field!(), value);
                    } else {
                        self.unlisted(program, tag, start, pos);
                    }
                }
                Coding::Fixed32 => {
                    comes!(entry);
                    pos += len + 4;
                    self.four(field!(), entry, head.word(len) as u32);
                }
                Coding::Fixed64 => {
                    comes!(entry);
                    pos += len + 8;
                    self.eight(field!(), entry, head.word(len));
                }
                Coding::String => {
                    comes!(entry);
                    let (start, value_end) = span!();
                    pos = value_end;
                    let rest = input.get(start..).unwrap_or_default();
                    match utf8::from_prefix(rest, value_end - start) {
                        Some(text) => self.sink.str(field!(), text),
                        None => return Err((Kind::InvalidUtf8, start)),
                    }
                }
                Coding::Bytes => {
                    comes!(entry);
                    let (start, value_end) = span!();
                    pos = value_end;
                    let bytes = input.get(start..value_end).unwrap_or_default();
                    let text = if entry.is(Scalar::String) { utf8::from_utf8(bytes) } else { None };
                    match text {
                        Some(text) => self.sink.str(field!(), text),
                        None => self.sink.bytes(field!(), bytes),
                    }
                }
                Coding::Message => {
                    let prefix = pos + len;
                    let (start, value_end) = span!();
                    pos = value_end;
                    let (start, end) = (start, value_end);
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
                    break Exit::Enter(entry, child);
                }
                Coding::Group => {
                    comes!(entry);
                    let step = self.sink.begin(field!());
                    if step != Step::Enter {
                        let next = self.skip(pos, end)?;
                        if step == Step::Content {
                            self.group_content(field!(), tag, pos + len, next);
                        }
                        pos = next;
                        continue;
                    }
                    let (start, end) = (pos + len, end);
                    let child = VisitedChild { start, end, group: tag + 1, resume: 0 };
                    break Exit::Enter(entry, child);
                }
            }
        };
        (open.pos, open.seen, open.last) = (pos, seen, last);
        Ok(exit)
    }

    /// Pushes the innermost message as a parent and goes on with a child of it. `sink.begin` has been called.
    #[inline(always)]
    fn enter(
        &mut self,
        open: &mut Open<'r>,
        entry: &FieldEntry,
        child: VisitedChild,
    ) -> Result<(), VisitFault> {
        if self.job.levels.len() >= self.depth {
            return Err((Kind::DepthExceeded, child.start));
        }
        if self.job.levels.len() == self.job.levels.capacity() {
            self.job.levels.try_reserve(1).map_err(|_| (Kind::OutOfMemory, child.start))?;
        }
        self.job.levels.push(Level {
            end: open.end as u32,
            resume: child.resume as u32,
            program: open.index,
            field: open.program.position(entry) as u16,
            last: open.last,
            group: open.group,
            seen: open.seen,
        });
        *open = Open {
            program: self.job.set.program(entry.sub),
            index: entry.sub,
            pos: child.start,
            end: child.end,
            group: child.group,
            seen: 0,
            last: u16::MAX,
        };
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
