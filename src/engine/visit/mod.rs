//! Decoding straight into a sink: no message is made, the fields are handed over as they are read.
//!
//! A [`Sink`] has a method for each type of value. [`Decoder::visit`](crate::Decoder::visit) reads a message with the tables that
//! `decode` uses and checks what `decode` checks: tags, lengths, UTF-8, nesting, required fields. It takes memory for nothing but the
//! messages that are open.
//!
//! ```
//! use tablepb::visit::{Field, Sink};
//! use tablepb::table::{FieldTable, Kind, MessageTable};
//! use tablepb::{Decoder, DescriptorPool};
//!
//! static POINT: MessageTable =
//!     MessageTable::new("e.Point", &[FieldTable::new("x", 1, Kind::Sint32), FieldTable::new("y", 2, Kind::Sint32)]);
//! static LINE: MessageTable =
//!     MessageTable::new("e.Line", &[FieldTable::new("points", 1, Kind::Message(|| &POINT)).repeated()]);
//!
//! /// Adds up all coordinates.
//! struct Sum(i64);
//!
//! impl Sink<'_> for Sum {
//!     fn i32(&mut self, _: Field<'_>, value: i32) {
//!         self.0 += i64::from(value);
//!     }
//! }
//!
//! let pool = DescriptorPool::from_tables(&[&LINE])?;
//! let mut decoder = Decoder::new(&pool.message("e.Line")?);
//! let mut sum = Sum(0);
//! decoder.visit(b"\x0a\x04\x08\x02\x10\x04\x0a\x02\x08\x06", &mut sum)?;
//! assert_eq!(sum.0, 6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Order
//!
//! Values come in the order of the wire. That order is free: a singular field may come again, and the last value counts; a message may
//! come in parts, which are merged; a member of a oneof replaces another one; the elements of a list may stand apart. Encoders
//! hardly ever write that, but they may (protobuf.dev, *Encoding*, "Last One Wins"). A sink that cannot deal with it says so by
//! [`Sink::in_order`]: then visiting stops at the first such field, with [`Visited::OutOfOrder`], and the caller decodes into a
//! message instead.
//!
//! Under a projection, a member of a oneof that is not selected replaces a selected one too. It is not handed over; a sink that wants order
//! is stopped by it.

mod fixed;
mod numbers;
mod run;
mod state;
mod unexpected;

pub(crate) use run::visit;
pub use state::Field;
pub(crate) use state::{Level, VisitFault, VisitJob};

use crate::wire::Tag;

/// What receives the fields of a message.
///
/// Every method has a default, which ignores the value; packed runs go to the method for one value by default. Strings and bytes
/// borrow from the input. After an error the sink has seen everything before the fault, and perhaps the value at fault.
///
/// The trait can be used as `dyn Sink`; then each value costs a virtual call.
#[allow(unused_variables, reason = "the names are documentation")]
pub trait Sink<'i> {
    /// Whether visiting stops at the first field that changes, or adds to, one that is already complete: a singular field or
    /// message that comes again, another member of the same oneof, an element of a list after another field. Asked
    /// once for each message of the outermost level.
    ///
    /// Large message types, of more than 40 to 64 fields, are not visited in order: the answer is [`Visited::OutOfOrder`] at
    /// their first field. Two entries of a map may have the same key; the last one counts.
    fn in_order(&self) -> bool {
        false
    }

    /// A message begins: a singular one, an element of a list, an item of a MessageSet, or a map entry, which has the fields `key`
    /// (number 1) and `value` (number 2). Either one may be missing and is its default then.
    ///
    /// [`Step::Skip`] skips its content, of which nothing but the length is checked; [`end`](Self::end) is not called then.
    /// [`Step::Content`] does as well, and hands it to [`content`](Self::content).
    fn begin(&mut self, field: Field<'_>) -> Step {
        Step::Enter
    }

    /// The encoded message that began last, of a group without its end tag, as it is on the wire: the answer to [`Step::Content`]. Nothing
    /// but its length is checked, of a group the tags in it too; a [`Decoder`](crate::Decoder) of its type checks the rest.
    fn content(&mut self, field: Field<'_>, content: &'i [u8]) {}

    /// The message that began last ends.
    fn end(&mut self, field: Field<'_>) {}

    /// A `bool`.
    fn bool(&mut self, field: Field<'_>, value: bool) {}

    /// An `int32`, `sint32` or `sfixed32`.
    fn i32(&mut self, field: Field<'_>, value: i32) {}

    /// An `int64`, `sint64` or `sfixed64`.
    fn i64(&mut self, field: Field<'_>, value: i64) {}

    /// A `uint32` or `fixed32`.
    fn u32(&mut self, field: Field<'_>, value: u32) {}

    /// A `uint64` or `fixed64`.
    fn u64(&mut self, field: Field<'_>, value: u64) {}

    /// A `float`.
    fn f32(&mut self, field: Field<'_>, value: f32) {}

    /// A `double`.
    fn f64(&mut self, field: Field<'_>, value: f64) {}

    /// The number of an enum value. Numbers that a closed enum does not list are unknown fields, and a map entry with such a value is
    /// unknown as a whole.
    fn enum_number(&mut self, field: Field<'_>, value: i32) {}

    /// A string.
    fn str(&mut self, field: Field<'_>, value: &'i str) {}

    /// Bytes; also a string that is not UTF-8, where the schema does not ask for it.
    fn bytes(&mut self, field: Field<'_>, value: &'i [u8]) {}

    /// Some elements of a packed run of `bool`; a long run comes in several parts.
    fn bools(&mut self, field: Field<'_>, values: &[bool]) {
        values.iter().for_each(|&value| self.bool(field, value));
    }

    /// As [`bools`](Self::bools), for the types of [`i32`](Self::i32).
    fn i32s(&mut self, field: Field<'_>, values: &[i32]) {
        values.iter().for_each(|&value| self.i32(field, value));
    }

    /// As [`bools`](Self::bools), for the types of [`i64`](Self::i64).
    fn i64s(&mut self, field: Field<'_>, values: &[i64]) {
        values.iter().for_each(|&value| self.i64(field, value));
    }

    /// As [`bools`](Self::bools), for the types of [`u32`](Self::u32).
    fn u32s(&mut self, field: Field<'_>, values: &[u32]) {
        values.iter().for_each(|&value| self.u32(field, value));
    }

    /// As [`bools`](Self::bools), for the types of [`u64`](Self::u64).
    fn u64s(&mut self, field: Field<'_>, values: &[u64]) {
        values.iter().for_each(|&value| self.u64(field, value));
    }

    /// As [`bools`](Self::bools), for `float`.
    fn f32s(&mut self, field: Field<'_>, values: &[f32]) {
        values.iter().for_each(|&value| self.f32(field, value));
    }

    /// As [`bools`](Self::bools), for `double`.
    fn f64s(&mut self, field: Field<'_>, values: &[f64]) {
        values.iter().for_each(|&value| self.f64(field, value));
    }

    /// As [`bools`](Self::bools), for enums.
    fn enum_numbers(&mut self, field: Field<'_>, values: &[i32]) {
        values.iter().for_each(|&value| self.enum_number(field, value));
    }

    /// A field that the schema does not have, or a number that a closed enum does not list; `value` is as on the wire, with its length
    /// prefix, or of a group the fields and the end tag. Map entries have none, and
    /// [`DecodeOptions::discard_unknown`](crate::DecodeOptions::discard_unknown) keeps them away.
    fn unknown(&mut self, tag: Tag, value: &'i [u8]) {}
}

/// What to do with a message that begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Visit its fields.
    Enter,
    /// Skip them.
    Skip,
    /// Skip them, and hand over the message as bytes: [`Sink::content`].
    Content,
}

/// How far a message was visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visited {
    /// To its end.
    Whole,
    /// Up to a field that a sink of [`Sink::in_order`] cannot take; what comes after it was not checked.
    OutOfOrder,
}
