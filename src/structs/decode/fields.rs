//! The field loop.

use super::input::Input;
use super::memory::new_arm;
use super::{UNKNOWN, tag};
use crate::structs::encode::is_wide;
use crate::structs::grammar::kinds::{KindMarker, is_fixed_message, is_number};
use crate::structs::members::field::{DecodeField, DecodeValue, VisitMember};
use crate::structs::{DecodeFrom, Message};
use core::marker::PhantomData;
use core::ops::ControlFlow::{Break, Continue};

/// Merges fields from `pos` to the end of the group with this number, or with 0 of the innermost message. Returns the position there, or a code of
/// [`decode`](super).
///
/// ```text
/// while a field is next:
///     the member of its number: merge(member, pos) -> pos    shared by all members of the same kind and type
///     after the end of the message: settle                   unknown field, end-group tag, fault
/// ```
// The compiler may inline it in the loop over a list of small messages.
#[inline]
pub(in crate::structs) fn merge_fields<'i, M: DecodeFrom<'i>>(
    message: &mut M,
    mut pos: usize,
    group: u32,
    input: &mut Input<'i>,
) -> usize {
    input.begin::<M>();
    let bytes = input.up_to_end();
    if const { is_fixed_message::<M>() } {
        // Points and vertices mostly have all of their fields, in order. The loop decodes the rest.
        pos = merge_fixed(message, bytes, pos);
    }
    while pos < bytes.len() {
        let start = pos;
        let (bits, value) = tag(bytes, start);
        let mut merge = Merge::<M> { pos: value, bits, input, end: UNKNOWN, message: PhantomData };
        message.__member(bits >> 3, &mut merge);
        pos = merge.end;
        if pos > bytes.len() {
            pos = match input.settle(pos, start, group, message.__unknown()) {
                Continue(next) => next,
                Break(end) => return end,
            };
        }
    }
    input.end(group, pos)
}

/// Merges the first fields, while they are in order, of a message of fixed-width numbers with tags of one byte. Returns the position after them.
#[inline(always)]
fn merge_fixed<'i, M: DecodeFrom<'i>>(message: &mut M, bytes: &[u8], pos: usize) -> usize {
    let mut next = Next { bytes, pos, number: 0, is_next: true };
    // Written out, so that each is the code of one member or none. A loop over the numbers would search for the member.
    macro_rules! next {
        ($($number:literal)*) => {$(
            if next.is_next {
                next.number = $number;
                message.__member($number, &mut next);
            }
        )*};
    }
    next! { 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 }
    next.pos
}

/// Merges the field of a fixed-width number, if it is the one at `pos`.
struct Next<'b> {
    bytes: &'b [u8],
    pos: usize,
    number: u32,
    is_next: bool,
}

impl<'i> VisitMember<'i> for Next<'_> {
    #[inline(always)]
    fn field<K: KindMarker, F: DecodeField<'i, K>>(&mut self, field: &mut F) {
        self.is_next = field.merge_next(self.number, self.bytes, &mut self.pos);
    }

    fn arm<K: KindMarker, T: DecodeValue<'i, K>>(&mut self, _: impl FnOnce(T)) {}
}

/// Merges the field at `pos`, after its tag `bits`, into a member of `M`.
struct Merge<'a, 'i, M> {
    pos: usize,
    bits: u32,
    input: &'a mut Input<'i>,
    /// The position after it, or a code; not set if the message has no such member.
    end: usize,
    message: PhantomData<M>,
}

impl<'i, M: Message> VisitMember<'i> for Merge<'_, 'i, M> {
    const MERGES: bool = true;

    #[inline(always)]
    fn field<K: KindMarker, F: DecodeField<'i, K>>(&mut self, field: &mut F) {
        self.end = if const { is_number::<K>() && !is_wide(M::TABLE) } {
            // Less than a call, where the compiler prefers speed.
            field.merge(self.pos, self.bits, self.input)
        } else {
            merge_field::<K, F>(field, self.pos, self.bits, self.input)
        };
    }

    #[inline(always)]
    fn value<K: KindMarker, T: DecodeValue<'i, K>>(&mut self, value: &mut T) {
        self.end = merge_value::<K, T>(value, self.pos, self.bits, self.input);
    }

    #[inline(always)]
    fn arm<K: KindMarker, T: DecodeValue<'i, K>>(&mut self, set: impl FnOnce(T)) {
        self.end = new_arm::<K, T>(self.pos, self.bits, self.input, set);
    }
}

/// One function for all members of the same kind and type, of all messages.
#[inline(never)]
fn merge_field<'i, K: KindMarker, F: DecodeField<'i, K>>(
    field: &mut F,
    pos: usize,
    bits: u32,
    input: &mut Input<'i>,
) -> usize {
    field.merge(pos, bits, input)
}

/// One function for all variants of the same kind and type, of all oneofs.
#[inline(never)]
fn merge_value<'i, K: KindMarker, T: DecodeValue<'i, K>>(
    value: &mut T,
    pos: usize,
    bits: u32,
    input: &mut Input<'i>,
) -> usize {
    value.merge(pos, bits, input)
}
