//! The loop.

use super::super::batch::{Batch, TIME};
use super::super::columns::TextSet;
use super::{MEMBER, NodeSteps, Op, Rule, SLACK, SLOT, STAYS, Step, Steps, packed, window};
use crate::fence::cpu::{AnyBits, Bits, Task, with_best};
use tablepb::visit::{self, Sink};
use tablepb::wire::{Tag, WireType, unzigzag32, unzigzag64};

/// The end of a group, as long as its end tag has not come. No input reaches it.
const OPEN: usize = u32::MAX as usize;

/// Says that a branch is rare, so that what it keeps in registers does not slow down the others.
#[cold]
#[inline]
fn cold() {}

/// Reads a row by steps into a batch, from bytes up to an end. Only with `REQUIRED` it looks for required fields that are missing.
struct Row<const REQUIRED: bool>;

impl<'r, const REQUIRED: bool> Task<&'r Steps, &'r mut Batch, &'r [u8], usize> for Row<REQUIRED> {
    type Out = bool;

    #[inline(always)]
    fn run(bits: impl Bits, steps: &Steps, batch: &mut Batch, input: &[u8], end: usize) -> bool {
        steps.run::<REQUIRED>(bits, batch, input, end)
    }
}

impl Steps {
    /// Reads a row into columns; false if it gave up. The row is `input` up to `end`, and [`SLACK`](super::SLACK) bytes follow it.
    #[inline]
    pub(in crate::read) fn row(&self, batch: &mut Batch, input: &[u8], end: usize) -> bool {
        if self.requires {
            with_best::<Row<true>, _, _, _, _>(self, batch, input, end)
        } else {
            with_best::<Row<false>, _, _, _, _>(self, batch, input, end)
        }
    }

    /// The same.
    #[inline(always)]
    fn run<const REQUIRED: bool>(
        &self,
        bits: impl Bits,
        batch: &mut Batch,
        input: &[u8],
        end: usize,
    ) -> bool {
        let (mut pos, mut end) = (0, end);
        // The required fields of the message that is being read, and of those around it.
        let (mut seen, mut around) = (0, Vec::new());
        macro_rules! enter {
            () => {
                if REQUIRED {
                    around.push(std::mem::take(&mut seen));
                }
            };
        }
        // A group that does not end would read the rows after this one.
        let Some(input) = input.get(..end + SLACK) else { return false };
        // From the likely step on.
        let mut likely = self.of_node(0);
        loop {
            if pos >= end {
                if pos > end || REQUIRED && self.here(batch).is_none_or(|node| node.required & !seen != 0) {
                    return false;
                }
                if REQUIRED {
                    seen = around.pop().unwrap_or(0);
                }
                let Some((node, row)) = batch.leave() else { return true };
                (end, likely) = (batch.resume.0 as usize, self.last(batch.resume.1 as usize));
                if node & TIME != 0 {
                    cold();
                    batch.end_time(node, row);
                    if batch.fault.is_some() {
                        return false;
                    }
                }
                continue;
            }
            let Some(window) = window::at(input, pos) else { return false };
            let head = window::head(window);
            let Some((mut step, mut next)) = likely.split_first() else { return false };
            if head & step.mask != step.tag {
                cold();
                match self.other(batch, window) {
                    Some(found) => likely = found,
                    None => match self.unknown(batch, input, pos, end) {
                        Some(after) => {
                            pos = after;
                            continue;
                        }
                        None => return false,
                    },
                }
                match likely.split_first() {
                    Some(found) => (step, next) = found,
                    None => return false,
                }
            }
            // One more than the length of the tag: so a varint of one byte ends where its tag and `past` say, and no addition waits for it.
            let past = usize::from(step.past);
            let to = step.to as usize;
            let value = window::after_tag(window, past.wrapping_sub(1));
            macro_rules! varint {
                () => {
                    varint!(varint)
                };
                ($read:ident) => {{
                    let Some((number, more)) = window::$read(bits, value) else { return false };
                    pos = pos + past + more;
                    number
                }};
            }
            macro_rules! fixed {
                ($bytes:literal) => {{
                    pos += past + ($bytes - 1);
                    window::word(value)
                }};
            }
            // Start and length of a length-delimited value; `pos` is moved after it.
            macro_rules! span {
                () => {{
                    let Some((bytes, more)) = window::length(value) else { return false };
                    let start = pos + past + more;
                    pos = start + bytes;
                    if pos > end {
                        return false;
                    }
                    (start, bytes)
                }};
            }
            macro_rules! store {
                ($store:ident, $rare:ident, $value:expr) => {{
                    let value = $value;
                    let row = batch.row;
                    match batch.stores.$store.get_mut(to) {
                        Some(column) => column.set(row, value),
                        None => {
                            cold();
                            batch.$rare(to & !(SLOT as usize), value);
                            if batch.fault.is_some() {
                                return false;
                            }
                        }
                    }
                }};
            }
            if REQUIRED {
                seen |= self.rule(likely.len()).required;
            }
            let rest = likely.len();
            if step.rare == 0 {
                likely = next;
            } else {
                let oneof = step.rare & !STAYS;
                if oneof != 0 && !batch.is_member(oneof - 1, MEMBER | next.len() as u32) {
                    return false;
                }
                likely = if step.rare & STAYS != 0 { likely } else { next };
            }
            match step.op {
                Op::Int32 => store!(i32s, rare_i32, varint!() as i32),
                Op::Enum => store!(i32s, rare_enum, varint!(short_varint) as i32),
                Op::ClosedEnum => {
                    let number = varint!(short_varint) as i32;
                    // A number that is not listed is an unknown field, which the visitor knows how to keep.
                    if !self.enums.get(self.rule(rest).closed as usize).is_some_and(|of| of.lists(number)) {
                        return false;
                    }
                    store!(i32s, rare_enum, number);
                }
                Op::Int64 => store!(i64s, rare_i64, varint!() as i64),
                Op::Uint32 => store!(u32s, rare_u32, varint!() as u32),
                Op::Uint64 => store!(u64s, rare_u64, varint!()),
                Op::Sint32 => store!(i32s, rare_i32, unzigzag32(varint!() as u32)),
                Op::Sint64 => store!(i64s, rare_i64, unzigzag64(varint!())),
                Op::Bool => store!(bools, rare_bool, varint!(short_varint) != 0),
                Op::Fixed32 => store!(u32s, rare_u32, fixed!(4) as u32),
                Op::Sfixed32 => store!(i32s, rare_i32, fixed!(4) as i32),
                Op::Float => store!(f32s, rare_f32, f32::from_bits(fixed!(4) as u32)),
                Op::Fixed64 => store!(u64s, rare_u64, fixed!(8)),
                Op::Sfixed64 => store!(i64s, rare_i64, fixed!(8) as i64),
                Op::Double => store!(f64s, rare_f64, f64::from_bits(fixed!(8))),
                Op::String => {
                    let (start, bytes) = span!();
                    let Some(rest) = input.get(start..) else { return false };
                    let row = batch.row;
                    match batch.stores.texts.get_mut(to) {
                        Some(column) => {
                            if column.set_prefix(row, rest, bytes, &batch.source, true) != TextSet::Done {
                                return false;
                            }
                        }
                        None => {
                            cold();
                            let text = rest.get(..bytes).and_then(tablepb::wire::utf8::from_utf8);
                            let Some(text) = text else { return false };
                            batch.rare_str(to & !(SLOT as usize), text);
                            if batch.fault.is_some() {
                                return false;
                            }
                        }
                    }
                }
                Op::Bytes => {
                    let (start, bytes) = span!();
                    let Some(rest) = input.get(start..) else { return false };
                    let row = batch.row;
                    match batch.stores.texts.get_mut(to) {
                        Some(column) => {
                            if column.set_prefix(row, rest, bytes, &batch.source, false) != TextSet::Done {
                                return false;
                            }
                        }
                        None => {
                            cold();
                            batch.rare_bytes(to & !(SLOT as usize), rest.get(..bytes).unwrap_or_default());
                            if batch.fault.is_some() {
                                return false;
                            }
                        }
                    }
                }
                Op::Struct => {
                    let (start, bytes) = span!();
                    if !batch.begin_struct(step.to, (end as u32, likely.len() as u32)) {
                        return false;
                    }
                    enter!();
                    (pos, end, likely) = (start, start + bytes, self.of_node(to));
                }
                Op::Element | Op::Entry => {
                    let (start, bytes) = span!();
                    batch.resume = (end as u32, likely.len() as u32);
                    let node = match step.op {
                        Op::Element => batch.begin_element(to & !(SLOT as usize)),
                        _ => batch.begin_map_entry(to & !(SLOT as usize)),
                    };
                    let Some(node) = node else { return false };
                    enter!();
                    (pos, end, likely) = (start, start + bytes, self.of_node(node as usize));
                }
                Op::Group => {
                    pos += past - 1;
                    let resume = (end as u32, likely.len() as u32);
                    let node = if step.to & SLOT == 0 {
                        batch.begin_struct(step.to, resume).then_some(step.to)
                    } else {
                        batch.resume = resume;
                        batch.begin_element(to & !(SLOT as usize))
                    };
                    let Some(node) = node else { return false };
                    enter!();
                    // Where it goes beyond the message around it, its end tag does too.
                    (end, likely) = (OPEN, self.of_node(node as usize));
                }
                Op::EndGroup => {
                    pos += past - 1;
                    end = pos;
                }
                Op::Message => {
                    cold();
                    let (start, bytes) = span!();
                    let slot = to & !(SLOT as usize);
                    if batch.depth() >= batch.max_depth {
                        return false;
                    }
                    batch.resume = (end as u32, likely.len() as u32);
                    match batch.begin_rare(slot) {
                        visit::Step::Enter => {
                            enter!();
                            let node = batch.table.get(slot).map_or(usize::MAX, |slot| slot.column as usize);
                            (pos, end, likely) = (start, start + bytes, self.of_node(node));
                        }
                        visit::Step::Content => {
                            batch.cut(slot, input.get(start..start + bytes).unwrap_or_default());
                        }
                        visit::Step::Skip => {}
                    }
                    if batch.fault.is_some() {
                        return false;
                    }
                }
                Op::Packed => {
                    let (start, bytes) = span!();
                    let (Some(rest), Some(&run)) = (input.get(start..), self.runs.get(to)) else {
                        return false;
                    };
                    let closed = self.enums.get(run.closed as usize);
                    if bytes > 0
                        && !bits.call::<packed::Packed, _, _, _, _>(batch, run, closed, (rest, bytes))
                    {
                        return false;
                    }
                }
                Op::SkipVarint => {
                    varint!();
                }
                Op::SkipFixed32 => pos += past + 3,
                Op::SkipFixed64 => pos += past + 7,
                Op::SkipLength => {
                    span!();
                }
                Op::GiveUp => return false,
            }
        }
    }

    /// The steps of a node, and what comes after them.
    #[inline(always)]
    fn of_node(&self, node: usize) -> &[Step] {
        let first = self.nodes.get(node).map_or(usize::MAX, |node| node.first as usize);
        self.steps.get(first..).unwrap_or_default()
    }

    /// What proto2 asks of the field of the first of so many steps, which go to the last one.
    #[inline(always)]
    fn rule(&self, count: usize) -> Rule {
        self.rules.get(self.steps.len().wrapping_sub(count)).copied().unwrap_or(Rule::NONE)
    }

    /// As many steps, to the last one.
    #[inline(always)]
    fn last(&self, count: usize) -> &[Step] {
        self.steps.get(self.steps.len().wrapping_sub(count)..).unwrap_or_default()
    }

    /// The step of the tag at the start of a window, which is not the likely one; `None` if there is none.
    #[inline(never)]
    fn other(&self, batch: &Batch, window: &[u8; window::WINDOW]) -> Option<&[Step]> {
        let (node, head) = (self.here(batch)?, window::head(window));
        // Trying the next four steps first was 0.6x where fields come at random: how many are left out is not foreseen.
        let short = node.short.get(window::short_number(head)).copied().unwrap_or_default();
        let at = node.first as usize + usize::from(short);
        if self.steps.get(at).is_some_and(|step| step.mask != 0 && head & step.mask == step.tag) {
            return self.steps.get(at..);
        }
        let len = window.iter().take(4).position(|byte| *byte < 0x80)? as u32 + 1;
        let tag = head & (u32::MAX >> (32 - 8 * len));
        let at = node.tags.binary_search_by_key(&tag, |tag| tag.0).ok()?;
        self.steps.get(node.tags.get(at)?.1 as usize..)
    }

    /// The steps of the message that is being read.
    fn here(&self, batch: &Batch) -> Option<&NodeSteps> {
        self.nodes.get((batch.node & !TIME) as usize)
    }

    /// Takes an unknown field, and gives the position after it; `None` to give up.
    #[inline(never)]
    fn unknown(&self, batch: &mut Batch, input: &[u8], pos: usize, end: usize) -> Option<usize> {
        let (bits, len) = window::varint(AnyBits, input.get(pos..)?.first_chunk()?)?;
        let len = len + 1;
        let tag = u32::try_from(bits).ok().and_then(|bits| Tag::from_bits(bits).ok())?;
        let node = self.here(batch)?;
        if len > 5 || node.numbers.binary_search(&tag.number()).is_ok() {
            return None;
        }
        let after = skip(input, pos + len, end, tag)?;
        batch.unknown(tag, input.get(pos + len..after)?);
        batch.fault.is_none().then_some(after)
    }
}

/// The end of a value that is skipped; `None` for groups and faults.
fn skip(input: &[u8], pos: usize, end: usize, tag: Tag) -> Option<usize> {
    let value = input.get(pos..)?.first_chunk()?;
    let after = match tag.wire_type() {
        WireType::Varint => pos + 1 + window::varint(AnyBits, value)?.1,
        WireType::Fixed64 => pos + 8,
        WireType::Fixed32 => pos + 4,
        WireType::LengthDelimited => {
            let (bytes, more) = window::length(value)?;
            pos + 1 + more + bytes
        }
        _ => return None,
    };
    (after <= end).then_some(after)
}
