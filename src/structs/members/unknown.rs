//! [`UnknownFieldSet`]: fields that the listing does not have.

use crate::wire;
use crate::wire::error::{DecodeError, DecodeErrorKind};
use crate::wire::{Reader, WireType};
use alloc::vec::Vec;
use core::fmt;

/// The unknown fields of a message: the bytes as read, in the order of the input.
///
/// A member of this type, listed as `unknown: unknown_fields`, keeps fields whose number the listing does not have,
/// fields with another wire type than listed, and unlisted values of closed enums. An encode writes them after all other
/// fields. A struct without such a member drops them.
///
/// Memory: the bytes of the fields, nothing per field.
///
/// ```
/// use tablepb::{Message, UnknownFieldSet};
///
/// #[derive(Default)]
/// struct Empty { rest: UnknownFieldSet }
/// tablepb::message! { Empty as "example.Empty" { rest: unknown_fields } }
///
/// let empty = Empty::decode(&[0x08, 0x2a])?;
/// assert_eq!(empty.rest.reader().read_tag()?.number(), 1);
/// assert_eq!(empty.encode_to_vec()?, [0x08, 0x2a]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct UnknownFieldSet {
    bytes: Vec<u8>,
}

impl UnknownFieldSet {
    /// An empty set. Allocates nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self { bytes: Vec::new() }
    }

    /// Whether there are no fields.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The encoded fields, with their tags.
    #[inline]
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Reads the fields one by one.
    #[inline]
    #[must_use]
    pub fn reader(&self) -> Reader<'_> {
        Reader::new(&self.bytes)
    }

    /// Appends encoded fields.
    ///
    /// # Errors
    ///
    /// If `fields` is not a sequence of complete fields; `BudgetExceeded` if the allocator fails. Nothing is appended then.
    #[inline]
    pub fn append(&mut self, fields: &[u8]) -> Result<(), DecodeError> {
        wire::Reader::new(fields).skip_message()?;
        let room = self.bytes.try_reserve(fields.len());
        room.map_err(|_| DecodeError::new(DecodeErrorKind::BudgetExceeded, 0))?;
        self.bytes.extend_from_slice(fields);
        Ok(())
    }

    /// Removes all fields and keeps the memory.
    #[inline]
    pub fn clear(&mut self) {
        self.bytes.clear();
    }
}

/// A member that can hold unknown fields: [`UnknownFieldSet`] or `Vec<u8>`.
#[diagnostic::on_unimplemented(
    message = "a member of type `{Self}` cannot keep unknown fields",
    label = "this member has the type `{Self}`, its listing says `unknown_fields`",
    note = "it is an `UnknownFieldSet` or a `Vec<u8>`"
)]
pub trait UnknownMember: 'static {
    /// The encoded fields.
    fn bytes(&self) -> &[u8];

    /// The encoded fields, to append to.
    fn bytes_mut(&mut self) -> &mut Vec<u8>;
}

impl UnknownMember for UnknownFieldSet {
    #[inline]
    fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    #[inline]
    fn bytes_mut(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }
}

impl UnknownMember for Vec<u8> {
    #[inline]
    fn bytes(&self) -> &[u8] {
        self
    }

    #[inline]
    fn bytes_mut(&mut self) -> &mut Vec<u8> {
        self
    }
}

/// The fields by number, as on the wire: varints in decimal, fixed numbers in hexadecimal, other fields as bytes; of a group, those
/// between its tags and the end tag.
impl fmt::Debug for UnknownFieldSet {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UnknownFieldSet ")?;
        let mut fields = f.debug_map();
        let mut reader = self.reader();
        // A `Vec<u8>` that became a set by `append` holds whole fields, so nothing fails.
        while let Ok(Some(tag)) = reader.next_tag() {
            let number = tag.number();
            let done = match tag.wire_type() {
                WireType::Varint => reader.read_varint().map(|v| _ = fields.entry(&number, &v)),
                WireType::Fixed32 => {
                    reader.read_fixed32().map(|v| _ = fields.entry(&number, &format_args!("{v:#010x}")))
                }
                WireType::Fixed64 => {
                    reader.read_fixed64().map(|v| _ = fields.entry(&number, &format_args!("{v:#018x}")))
                }
                WireType::LengthDelimited => reader.read_length_delimited().map(|v| {
                    fields.entry(&number, &format_args!("b\"{}\"", v.escape_ascii()));
                }),
                _ => {
                    let rest = reader.rest();
                    reader.skip_field_at(tag, u32::MAX).map(|()| {
                        let len = rest.len() - reader.rest().len();
                        let group = rest.get(..len).unwrap_or_default();
                        fields.entry(&number, &format_args!("{{b\"{}\"}}", group.escape_ascii()));
                    })
                }
            };
            if done.is_err() {
                break;
            }
        }
        fields.finish()
    }
}
