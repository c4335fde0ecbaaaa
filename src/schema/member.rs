//! The fields of a message that is in no slab, as formats read them: structs with a listing show their members so.

use crate::wire::error::EncodeError;
use alloc::vec::Vec;

/// A field, or one value of it.
#[derive(Clone, Copy)]
pub enum MemberRef<'m> {
    /// Not set: an encode does not write it.
    Unset,
    /// The bits of a number, `bool` or enum.
    Scalar(u64),
    /// A string, or bytes.
    Bytes(&'m [u8]),
    /// A message.
    Message(&'m dyn Members),
    /// A message that is kept as bytes.
    Encoded(&'m [u8]),
    /// A message that a value of another type is encoded as.
    Made(&'m dyn Encodes),
    /// A list, and how many elements it has.
    List(usize),
    /// A map, and how many entries it has.
    Map(usize),
}

/// A part of a field.
pub enum Part<'r, 'm> {
    /// The field as a whole.
    Whole,
    /// An element of a list.
    Element(usize),
    /// The elements of a list of numbers from this index on: as many as there are and fit, which the answer counts.
    Scalars(usize, &'r mut [u64]),
    /// Keys and values of a map, as many as the list has room for.
    Entries(&'r mut Vec<[MemberRef<'m>; 2]>),
}

/// A value that is encoded as a message.
pub trait Encodes {
    /// Encodes the message; required fields may be missing.
    fn encoded(&self) -> Result<Vec<u8>, EncodeError>;
}

/// A message whose fields are read by number.
pub trait Members {
    /// A field, or a part of it.
    fn read<'m>(&'m self, number: u32, part: Part<'_, 'm>) -> MemberRef<'m>;

    /// Appends the numbers and values of the fields that are set, in the order of their numbers. Returns false if there is no memory.
    fn collect<'m>(&'m self, to: &mut Vec<(u32, MemberRef<'m>)>) -> bool;

    /// The unknown fields that are kept, encoded.
    fn kept(&self) -> &[u8];

    /// Encodes the message; required fields may be missing.
    fn encoded(&self) -> Result<Vec<u8>, EncodeError>;
}
