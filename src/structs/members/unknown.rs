//! [`UnknownFieldSet`]: fields that the listing does not have.

use super::field::UnknownMember;
use crate::structs::{DecodeFrom, Message};
use crate::wire;
use crate::wire::error::{DecodeError, DecodeErrorKind, EncodeError};
use crate::wire::fields::RawFields;
use crate::wire::options::DecodeOptions;
use crate::wire::{Reader, WireType};
use alloc::vec::Vec;
use core::fmt;

/// The unknown fields of a message: the bytes as read, in the order of the input.
///
/// A member of this type, listed as `unknown: unknown_fields`, keeps fields whose number the listing does not have,
/// fields with another wire type than listed, and unlisted values of closed enums. An encode writes them after all other
/// fields. A struct without such a member drops them.
///
/// Memory: the bytes of the fields, nothing per field. Two sets are equal if their bytes are: the same fields in another order are another
/// set. A struct literal takes [`UnknownFieldSet::new()`](Self::new) for the member.
///
/// # Extensions
///
/// A struct has no members for the extensions of its message, so they are unknown fields. A listing of them, as of a message, reads and
/// writes them by type: [`read`](Self::read), [`write`](Self::write).
///
/// ```
/// use tablepb::{Message, UnknownFieldSet};
///
/// #[derive(Default)]
/// struct Account { id: u64, unknown: UnknownFieldSet }
/// /// `extend Account { optional string note = 100; repeated sint32 marks = 101; }`
/// #[derive(Debug, Default, PartialEq)]
/// struct Notes { note: Option<String>, marks: Vec<i32> }
/// tablepb::message! {
///     Account as "pkg.Account" { id: uint64 = 1, unknown: unknown_fields }
///     Notes as "pkg.Notes" { note: string = 100, marks: repeated sint32 = 101 }
/// }
///
/// let mut account = Account { id: 7, unknown: UnknownFieldSet::new() };
/// account.unknown.write(&Notes { note: Some("a".into()), marks: vec![-1] })?;
/// let account = Account::decode(&account.encode_to_vec()?)?;
/// let mut notes: Notes = account.unknown.read()?;
/// assert_eq!(notes, Notes { note: Some("a".into()), marks: vec![-1] });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Fields by number
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

    /// The fields, with their numbers and values.
    ///
    /// ```
    /// use tablepb::{UnknownFieldSet, raw::RawValue};
    ///
    /// let mut unknown = UnknownFieldSet::new();
    /// unknown.append(b"\x08\x2a\x12\x01a")?;
    /// let field = unknown.fields().find_last(1)?.unwrap();
    /// assert_eq!(field.value(), RawValue::Varint(42));
    /// assert!(unknown.remove(1) && !unknown.remove(1));
    /// assert_eq!(unknown.as_bytes(), b"\x12\x01a");
    /// # Ok::<(), tablepb::DecodeError>(())
    /// ```
    #[must_use]
    pub fn fields(&self) -> RawFields<'_> {
        RawFields::new(&self.bytes)
    }

    /// Decodes those of the fields that a listing has, with the options of [`Message::decode`].
    ///
    /// # Errors
    ///
    /// As [`Message::decode`]; offsets are those in the set.
    pub fn read<'i, M: DecodeFrom<'i>>(&'i self) -> Result<M, DecodeError> {
        DecodeOptions::new().decode(&self.bytes)
    }

    /// Removes all fields that a listing has, and appends those of `message`.
    ///
    /// # Errors
    ///
    /// As [`Message::encode`]. The set does not change then.
    pub fn write<M: Message>(&mut self, message: &M) -> Result<(), EncodeError> {
        let old = self.bytes.len();
        message.encode(&mut self.bytes)?;
        let listed = |number| M::TABLE.fields().iter().any(|field| field.number() == number);
        retain(&mut self.bytes, old, |number| !listed(number));
        Ok(())
    }

    /// Removes all fields with this number; true if there were any. Allocates nothing.
    pub fn remove(&mut self, number: u32) -> bool {
        let old = self.bytes.len();
        retain(&mut self.bytes, old, |other| other != number);
        self.bytes.len() < old
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

/// Drops those of the fields in the first `len` bytes that are not to be kept.
fn retain(bytes: &mut Vec<u8>, len: usize, keep: impl Fn(u32) -> bool) {
    let (mut from, mut kept) = (0, 0);
    while let Some((number, field)) = bytes.get(from..len).and_then(first_field) {
        if keep(number) {
            bytes.copy_within(from..from + field, kept);
            kept += field;
        }
        from += field;
    }
    bytes.drain(kept..from);
}

/// The number of the first field, and the length of it with its tag.
fn first_field(bytes: &[u8]) -> Option<(u32, usize)> {
    let mut reader = Reader::new(bytes);
    let tag = reader.next_tag().ok()??;
    reader.skip_field_at(tag, u32::MAX).ok()?;
    Some((tag.number(), bytes.len() - reader.rest().len()))
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
