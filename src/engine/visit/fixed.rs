//! Messages of fixed shape, accepted by one masked comparison as `decode/fixed.rs` does: points, and messages of points.
//!
//! ```text
//! fixed_list(pos):                         # pos is after the first tag
//!     loop:
//!         not of the shape: stop           # all fields, or some of them in order, because encoders leave out zeros
//!         sink.begin; hand over every number; sink.end
//!         if the same tag follows: pos = after it
//!         else: stop
//! ```
//!
//! No parent is pushed, and the field is looked up once for all elements that follow each other. A shape has been checked as a whole
//! before anything of it is handed over.

use super::state::VisitRun;
use super::{Field, Sink, Step};
use crate::engine::decode::same_tag;
use crate::schema::program::{Coding, FieldEntry, FixedLayout, NestedFixedLayout, Program, Scalar};

/// Elements of one list that follow each other: the field, its tag, and the offset at which the message with the list ends.
#[derive(Clone, Copy)]
pub(super) struct Run<'r> {
    pub(super) field: Field<'r>,
    pub(super) tag: u32,
    pub(super) end: usize,
}

impl<'r, 'i, S: Sink<'i> + ?Sized> VisitRun<'_, 'r, 'i, S> {
    /// Hands over elements of fixed shape while they follow each other; the first tag, of `len` bytes, is at `tag_start`. Gives the
    /// offset after the last element, which is `tag_start` if the first one has another form.
    #[inline(never)]
    pub(super) fn fixed_list(
        &mut self,
        run: Run<'r>,
        sub: &'r Program,
        tag_start: usize,
        len: usize,
    ) -> usize {
        let first = (tag_start, tag_start + len);
        match (sub.fixed(), sub.nested_fixed()) {
            (Some(layout), _) => self.elements(
                run,
                first,
                |bytes, len| has_shape(layout, bytes, len),
                |visit, bytes, len, _| visit.numbers(sub, layout, bytes, len),
            ),
            (None, Some(layout)) => self.elements(
                run,
                first,
                |bytes, len| has_nested_shape(layout, bytes, len),
                |visit, bytes, len, at| visit.messages(sub, layout, bytes, (at, len)),
            ),
            (None, None) => tag_start,
        }
    }

    #[inline(always)]
    fn elements(
        &mut self,
        run: Run<'r>,
        (mut tag_start, mut pos): (usize, usize),
        accepts: impl Fn(&[u8], usize) -> bool,
        hand_over: impl Fn(&mut Self, &[u8], usize, usize),
    ) -> usize {
        let input = self.job.input;
        // A shape is at most 127 bytes long, so its length prefix is one byte.
        while let Some(&len) = input.get(pos)
            && let Some(bytes) = input.get(pos + 1..)
            && pos + 1 + usize::from(len) <= run.end
            && accepts(bytes, len.into())
        {
            let next = pos + 1 + usize::from(len);
            match self.sink.begin(run.field) {
                Step::Enter => {
                    hand_over(self, bytes, len.into(), pos + 1);
                    self.sink.end(run.field);
                }
                Step::Skip => {}
                Step::Content => self.content(run.field, pos + 1, next),
            }
            tag_start = next;
            match same_tag(input, tag_start, run.end, run.tag) {
                Some(next) => pos = next,
                None => break,
            }
        }
        tag_start
    }

    /// Hands over the fields of a message between two offsets; false if it is not of fixed shape.
    #[inline(always)]
    pub(super) fn fixed_message(&mut self, program: &'r Program, start: usize, end: usize) -> bool {
        let Some(layout) = program.fixed() else { return false };
        let bytes = self.job.input.get(start..).unwrap_or_default();
        let shaped = has_shape(layout, bytes, end - start);
        if shaped {
            self.numbers(program, layout, bytes, end - start);
        }
        shaped
    }

    /// Hands over the messages in a message of messages of fixed shape.
    #[inline(always)]
    fn messages(
        &mut self,
        program: &'r Program,
        layout: &'r NestedFixedLayout,
        bytes: &[u8],
        (at, len): (usize, usize),
    ) {
        if len != layout.len {
            return self.some_messages(program, layout, bytes, (at, len));
        }
        for (entry, part) in program.entries().iter().zip(&layout.parts) {
            self.part(program, entry, &part.shape, bytes, (at, part.from, part.shape.len));
        }
    }

    /// Hands over some messages in a message, each perhaps without some of its numbers.
    #[inline(never)]
    fn some_messages(
        &mut self,
        program: &'r Program,
        layout: &'r NestedFixedLayout,
        bytes: &[u8],
        (at, len): (usize, usize),
    ) {
        each_part(layout, bytes, len, |position, from, len| {
            if let (Some(entry), Some(part)) = (program.entries().get(position), layout.parts.get(position)) {
                self.part(program, entry, &part.shape, bytes, (at, from, len));
            }
            true
        });
    }

    /// Hands over one message in another one: its entry, its shape, and where its content is: offset of the other one in the input, place in that,
    /// length.
    #[inline(always)]
    fn part(
        &mut self,
        program: &'r Program,
        entry: &'r FieldEntry,
        shape: &'r FixedLayout,
        bytes: &[u8],
        (at, from, len): (usize, usize, usize),
    ) {
        let field = Field::new(self.job.pool, program, entry);
        let Some(bytes) = bytes.get(from..) else { return };
        match self.sink.begin(field) {
            Step::Enter => {
                self.numbers(self.job.set.program(entry.sub), shape, bytes, len);
                self.sink.end(field);
            }
            Step::Skip => {}
            Step::Content => self.content(field, at + from, at + from + len),
        }
    }

    /// Hands over the fields of a message of fixed shape.
    #[inline(always)]
    fn numbers(&mut self, program: &'r Program, layout: &'r FixedLayout, bytes: &[u8], len: usize) {
        match layout.all_u32 {
            Some(2) if layout.floats && len == layout.len => self.floats::<2>(program, bytes),
            Some(3) if layout.floats && len == layout.len => self.floats::<3>(program, bytes),
            Some(4) if layout.floats && len == layout.len => self.floats::<4>(program, bytes),
            _ => self.some_numbers(program, layout, bytes, len),
        }
    }

    /// Hands over `N` values of `float`, each after a tag of one byte.
    #[inline(always)]
    fn floats<const N: usize>(&mut self, program: &'r Program, bytes: &[u8]) {
        let pool = self.job.pool;
        let Some(entries) = program.entries().first_chunk::<N>() else { return };
        for (i, entry) in entries.iter().enumerate() {
            let value = bytes.get(1 + 5 * i..).and_then(<[u8]>::first_chunk);
            self.sink
                .f32(Field::new(pool, program, entry), value.map_or(0.0, |value| f32::from_le_bytes(*value)));
        }
    }

    /// Hands over numbers of four and eight bytes, perhaps not all of the shape.
    #[inline(never)]
    fn some_numbers(&mut self, program: &'r Program, layout: &'r FixedLayout, bytes: &[u8], len: usize) {
        let pool = self.job.pool;
        each_number(layout, bytes, len, |position, from| {
            let Some(entry) = program.entries().get(position) else { return };
            let field = Field::new(pool, program, entry);
            let value = bytes.get(from..).unwrap_or_default();
            if let (Some(value), Coding::Fixed64) = (value.first_chunk(), entry.coding) {
                self.eight(field, entry, u64::from_le_bytes(*value));
            } else if let Some(value) = value.first_chunk() {
                self.four(field, entry, u32::from_le_bytes(*value));
            }
        });
    }

    /// Hands over a number of four bytes.
    #[inline(always)]
    pub(super) fn four(&mut self, field: Field<'_>, entry: &FieldEntry, word: u32) {
        if entry.is(Scalar::F32) {
            self.sink.f32(field, f32::from_bits(word));
        } else if entry.is(Scalar::I32) {
            self.sink.i32(field, word as i32);
        } else {
            self.sink.u32(field, word);
        }
    }

    /// Hands over a number of eight bytes.
    #[inline(always)]
    pub(super) fn eight(&mut self, field: Field<'_>, entry: &FieldEntry, word: u64) {
        if entry.is(Scalar::F64) {
            self.sink.f64(field, f64::from_bits(word));
        } else if entry.is(Scalar::I64) {
            self.sink.i64(field, word as i64);
        } else {
            self.sink.u64(field, word);
        }
    }
}

/// Whether a message has the fields of the layout, or some of them in order.
#[inline(always)]
fn has_shape(layout: &FixedLayout, bytes: &[u8], len: usize) -> bool {
    match bytes.first_chunk() {
        Some(bytes) if len == layout.len && layout.all_u32.is_some() => layout.accepts_all_u32(bytes),
        _ => has_part_of_shape(layout, bytes, len),
    }
}

#[inline(never)]
fn has_part_of_shape(layout: &FixedLayout, bytes: &[u8], len: usize) -> bool {
    (layout.optional || len == layout.len)
        && bytes.get(..len).is_some_and(|bytes| each_number(layout, bytes, len, |_, _| {}))
}

/// As [`has_shape`], for a message of messages.
#[inline(always)]
fn has_nested_shape(layout: &NestedFixedLayout, bytes: &[u8], len: usize) -> bool {
    if len == layout.len
        && let Some(bytes) = bytes.first_chunk()
    {
        return layout.accepts(bytes);
    }
    has_part_of_nested_shape(layout, bytes, len)
}

#[inline(never)]
fn has_part_of_nested_shape(layout: &NestedFixedLayout, bytes: &[u8], len: usize) -> bool {
    let shape_at = |position: usize, from: usize, len: usize| {
        let shape = layout.parts.get(position).map(|part| &part.shape);
        let bytes = bytes.get(from..);
        matches!((shape, bytes), (Some(shape), Some(bytes)) if has_shape(shape, bytes, len))
    };
    layout.optional && len < layout.len && each_part(layout, bytes, len, shape_at)
}

/// Calls `each` with position and place of every number that is there; false if there is anything else.
#[inline(always)]
fn each_number(layout: &FixedLayout, bytes: &[u8], len: usize, mut each: impl FnMut(usize, usize)) -> bool {
    let mut at = 0;
    for (position, field) in layout.fields.iter().enumerate() {
        if at < len && bytes.get(at) == Some(&field.tag) {
            each(position, at + 1);
            at += if field.eight { 9 } else { 5 };
        }
    }
    at == len
}

/// Calls `each` with position, place and length of every message that is there, until it says no; false then, or if there is anything
/// else.
#[inline(always)]
fn each_part(
    layout: &NestedFixedLayout,
    bytes: &[u8],
    len: usize,
    mut each: impl FnMut(usize, usize, usize) -> bool,
) -> bool {
    let mut at = 0;
    for (position, part) in layout.parts.iter().enumerate() {
        let Some(&[tag, part_len]) = bytes.get(at..).and_then(<[u8]>::first_chunk) else { return false };
        if at < len && tag == part.tag {
            let from = at + 2;
            at = from + usize::from(part_len);
            if at > len || !each(position, from, part_len.into()) {
                return false;
            }
        }
    }
    at == len
}
