//! [`Lazy`]: a member that is decoded on first access.

pub(super) mod occurrences;
pub(super) mod once;
#[cfg(feature = "reflect")]
pub(super) mod prepared;

use super::decode::input::Input;
use super::decode::{FAULT, UNKNOWN};
use super::encode::size::StructSizer;
use super::encode::write::StructWriter;
use super::grammar::kinds::{GroupOf, Nested, WireSpec};
use super::lazy::occurrences::Occurrences;
use super::lazy::once::OnceBox;
use super::members::field::{DecodeField, DecodeValue, EncodeField, EncodeValue};
use super::{DecodeOwned, Message};
use crate::wire::error::{DecodeError, DecodeErrorKind};
use crate::wire::{WireType, varint_len};
use core::fmt;
use occurrences::Deferred;

/// A message that is kept as bytes until its first access.
///
/// `Lazy<T>` takes the place of `T` or `Box<T>` in a member or in the variant of a oneof. `T` may not borrow from the
/// input. Decoding the outer struct keeps the bytes of the message. The first [`get`](Self::get), on any thread,
/// decodes them. Encoding writes the bytes exactly as they were read. After [`get_mut`](Self::get_mut) it encodes the
/// value instead. Without the feature `std` it is not `Sync`: one thread at a time uses it.
///
/// ```
/// use tablepb::{Lazy, Message};
///
/// #[derive(Debug, Default, PartialEq)]
/// struct Resource { name: String }
/// #[derive(Default)]
/// struct Metric { resource: Lazy<Resource>, points: Vec<i64> }
///
/// tablepb::message! {
///     Resource as "example.Resource" { name: string = 1 }
///     Metric as "example.Metric" { resource: message Resource = 1, points: repeated int64 = 2 }
/// }
///
/// let bytes = b"\x0a\x06\x0a\x04web1\x12\x02\x01\x02";
/// let mut metric = Metric::decode(bytes)?;
/// assert_eq!(metric.points, [1, 2]);
/// assert!(!metric.resource.is_decoded());
/// assert_eq!(metric.encode_to_vec()?, bytes);
///
/// assert_eq!(metric.resource.get()?.name, "web1");
/// metric.resource.get_mut()?.name.push('0');
/// assert_eq!(metric.encode_to_vec()?, b"\x0a\x07\x0a\x05web10\x12\x02\x01\x02");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # What is checked, and when
///
/// The outer decode checks the wire type, the length prefix and that all bytes are present; for a group it checks tags
/// and lengths up to the end tag. Everything else, including UTF-8 and required fields, is checked on first access. A
/// fault found then is returned by every access. Its offset is in the whole input; its field path starts at `T`.
///
/// The options of the outer decode apply: the remaining depth, the choices for unknown and required fields, and the
/// remaining budget. All lazy messages of a decode, at any depth, share this budget in the order of their first access.
/// Once it is used up, the error is `BudgetExceeded`. Dropping a message returns nothing to the budget.
///
/// An encode writes undecoded bytes without a check and counts one level of depth for them.
///
/// # Merging
///
/// If the field occurs again, its bytes are appended, and decoding merges the parts in order. After
/// [`get_mut`](Self::get_mut), a new part is merged into the value at once.
///
/// # Memory
///
/// Six words in the struct, and a copy of the bytes of the message. [`decode_shared`](Message::decode_shared) shares the
/// bytes instead, at the cost of a box of some 90 bytes, as a field that occurs again does. The decoded value lies in a
/// box. Access to an absent message allocates a box too, which counts against no budget.
pub struct Lazy<T> {
    /// The bytes as read; `None` if the field did not occur, or after `get_mut`.
    raw: Option<Occurrences>,
    /// Decoded from `raw`, if there is one. With neither, the message has no fields.
    value: OnceBox<Decoded<T>>,
}

/// The result of decoding.
struct Decoded<T> {
    result: Result<T, DecodeError>,
    /// Whether an encode writes the value, because it may have changed. Otherwise it writes the bytes.
    counts: bool,
    /// What decoding has taken of the budget of the first input.
    spent: usize,
}

/// A copy has used nothing of the budget, so it returns nothing to it.
impl<T: Clone> Clone for Decoded<T> {
    fn clone(&self) -> Self {
        Self { result: self.result.clone(), counts: self.counts, spent: 0 }
    }
}

impl<T> Lazy<T> {
    /// A message without fields; allocates nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self { raw: None, value: OnceBox::new() }
    }

    /// Whether the field is absent, even if an access made an empty value for it.
    pub(super) fn is_absent(&self) -> bool {
        self.raw.is_none() && self.value.get().is_none_or(|value| !value.counts)
    }

    /// Whether the message has been decoded.
    pub fn is_decoded(&self) -> bool {
        self.value.get().is_some()
    }

    /// The bytes that an encode writes; `None` after [`get_mut`](Self::get_mut), when it encodes the value.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match &self.raw {
            Some(raw) => Some(raw.as_slice()),
            None if self.is_absent() => Some(&[]),
            None => None,
        }
    }
}

impl<T: DecodeOwned> Lazy<T> {
    /// The message. The first call decodes it.
    ///
    /// # Errors
    ///
    /// As [`Message::decode`] of the outer message, with offsets in its input; every call returns the same error.
    /// `BudgetExceeded` also if the value itself cannot be allocated; a later call then tries again.
    #[inline]
    pub fn get(&self) -> Result<&T, DecodeError> {
        self.decoded()?.result.as_ref().map_err(Clone::clone)
    }

    /// The message for changes. This drops the bytes, so an encode writes the value.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get); after an error the bytes are still there.
    pub fn get_mut(&mut self) -> Result<&mut T, DecodeError> {
        self.get()?;
        self.raw = None;
        match self.value.get_mut() {
            Some(value) => {
                value.counts = true;
                value.result.as_mut().map_err(|error| error.clone())
            }
            None => unreachable!("`get` has filled it"),
        }
    }

    /// The message by value, decoded if it was not.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    pub fn into_inner(self) -> Result<T, DecodeError> {
        match self.value.into_inner() {
            Some(value) => value.result,
            None => decode(self.raw.as_ref()).result,
        }
    }

    /// Checks the message by decoding it; the value is kept. Lazy messages inside it are not decoded.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    pub fn validate(&self) -> Result<(), DecodeError> {
        self.get().map(|_| ())
    }

    #[inline]
    fn decoded(&self) -> Result<&Decoded<T>, DecodeError> {
        match self.value.get() {
            Some(value) => Ok(value),
            None => self.fill(),
        }
    }

    fn fill(&self) -> Result<&Decoded<T>, DecodeError> {
        let raw = self.raw.as_ref();
        let affords = raw.is_none_or(|raw| raw.affords(size_of::<Decoded<T>>()));
        let value = if affords { self.value.get_or_init(|| decode(raw)) } else { None };
        value.ok_or_else(|| {
            let offset = raw.map_or(0, Occurrences::offset);
            DecodeError::new(DecodeErrorKind::BudgetExceeded, offset).in_message(T::TABLE.full_name())
        })
    }

    /// Adds an occurrence of the field.
    #[inline(always)]
    fn append(&mut self, part: Deferred<'_>, input: &mut Input<'_>) -> Result<(), DecodeErrorKind> {
        if self.raw.is_some() {
            return self.append_again(part, input);
        }
        self.raw = Some(Occurrences::first(part, input)?);
        // An access may have made an empty value.
        if self.value.get().is_some() {
            self.value = OnceBox::new();
        }
        Ok(())
    }

    /// Adds an occurrence after the first one.
    #[cold]
    fn append_again(&mut self, part: Deferred<'_>, input: &mut Input<'_>) -> Result<(), DecodeErrorKind> {
        if let Some(raw) = &mut self.raw {
            raw.append(part, input)?;
            // The next access decodes all parts again, so the old value's share of the budget goes back. Without a value nothing has been
            // taken: a look at the budgets of all inputs for each of many merges would take time in the square of their number.
            if let Some(value) = self.value.get() {
                raw.refund(value.spent);
                self.value = OnceBox::new();
            }
        }
        Ok(())
    }

    /// The value after `get_mut`, when it has replaced the bytes.
    fn own(&mut self) -> Option<&mut T> {
        match self.value.get_mut() {
            Some(Decoded { result: Ok(value), counts: true, .. }) => Some(value),
            _ => None,
        }
    }
}

#[inline]
fn decode<T: DecodeOwned>(raw: Option<&Occurrences>) -> Decoded<T> {
    let mut spent = 0;
    let result = match raw {
        Some(raw) => raw.decode(size_of::<Decoded<T>>(), &mut spent),
        None => Ok(T::unset()),
    };
    Decoded { result, counts: false, spent }
}

/// What an encode writes.
enum LazyContent<'l, T> {
    Bytes(&'l [u8]),
    Value(&'l T),
}

impl<T> Lazy<T> {
    #[inline]
    fn content(&self) -> LazyContent<'_, T> {
        match (&self.raw, self.value.get()) {
            (Some(raw), _) => LazyContent::Bytes(raw.as_slice()),
            (None, Some(Decoded { result: Ok(value), counts: true, .. })) => LazyContent::Value(value),
            (None, _) => LazyContent::Bytes(&[]),
        }
    }
}

/// A decoded value, which an encode writes.
impl<T> From<T> for Lazy<T> {
    fn from(value: T) -> Self {
        Self { raw: None, value: OnceBox::with(Decoded { result: Ok(value), counts: true, spent: 0 }) }
    }
}

impl<T> Default for Lazy<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Clone> Clone for Lazy<T> {
    fn clone(&self) -> Self {
        let value = self.value.get().map_or_else(OnceBox::new, |value| OnceBox::with(value.clone()));
        Self { raw: self.raw.clone(), value }
    }
}

/// Decodes and compares both messages. Two messages that cannot be decoded are equal if their bytes are. Two absent
/// messages are equal without being decoded.
impl<T: DecodeOwned + PartialEq> PartialEq for Lazy<T> {
    fn eq(&self, other: &Self) -> bool {
        // `T` may contain a `Lazy<T>`: decoding absent ones level after level would never end.
        if self.is_absent() && other.is_absent() {
            return true;
        }
        match (self.get(), other.get()) {
            (Ok(one), Ok(other)) => one == other,
            (Err(_), Err(_)) => self.as_bytes() == other.as_bytes(),
            _ => false,
        }
    }
}

impl<T: DecodeOwned + Eq> Eq for Lazy<T> {}

/// The message if it is decoded, otherwise the number of bytes.
impl<T: fmt::Debug> fmt::Debug for Lazy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.value.get(), self.as_bytes()) {
            (Some(Decoded { result: Ok(value), .. }), _) => f.debug_tuple("Lazy").field(value).finish(),
            (Some(Decoded { result: Err(error), .. }), _) => f.debug_tuple("Lazy").field(error).finish(),
            (None, bytes) => write!(f, "Lazy({} bytes)", bytes.unwrap_or_default().len()),
        }
    }
}

impl<M: Message> EncodeValue<Nested<M>> for Lazy<M> {
    #[inline]
    fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
        match self.content() {
            LazyContent::Value(value) => EncodeValue::<Nested<M>>::size(value, spec, sizer),
            LazyContent::Bytes(bytes) => {
                let len = sizer.spliced(spec, bytes.len(), 0);
                spec.tag_len() + varint_len(len) as u64 + len
            }
        }
    }

    #[inline]
    fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
        match self.content() {
            LazyContent::Value(value) => EncodeValue::<Nested<M>>::write(value, spec, writer),
            LazyContent::Bytes(bytes) => {
                writer.prefixed_tag(spec);
                writer.cursor.write_length_delimited(bytes);
            }
        }
    }
}

impl<M: Message> EncodeValue<GroupOf<M>> for Lazy<M> {
    #[inline]
    fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
        match self.content() {
            LazyContent::Value(value) => EncodeValue::<GroupOf<M>>::size(value, spec, sizer),
            LazyContent::Bytes(bytes) => 2 * spec.tag_len() + sizer.spliced(spec, bytes.len(), 0),
        }
    }

    #[inline]
    fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
        match self.content() {
            LazyContent::Value(value) => EncodeValue::<GroupOf<M>>::write(value, spec, writer),
            LazyContent::Bytes(bytes) => {
                writer.tag::<GroupOf<M>>(spec);
                writer.cursor.write_slice(bytes);
                writer.end_group(spec);
            }
        }
    }
}

macro_rules! lazy {
    ($($kind:ident: $wire:ident, $read:ident;)*) => {$(
        impl<'i, M: DecodeOwned> DecodeValue<'i, $kind<M>> for Lazy<M> {
            #[inline]
            fn fresh(_: &mut Input<'i>) -> Result<Self, DecodeErrorKind> {
                Ok(Self::new())
            }

            #[inline]
            fn merge(&mut self, pos: usize, bits: u32, input: &mut Input<'i>) -> usize {
                if bits & 7 != WireType::$wire as u32 {
                    return UNKNOWN;
                }
                if let Some(value) = self.own() {
                    return DecodeValue::<$kind<M>>::merge(value, pos, bits, input);
                }
                let Some((part, end)) = input.$read(pos, bits >> 3) else { return FAULT };
                input.pos = end;
                match self.append(part, input) {
                    Ok(()) => end,
                    Err(kind) => input.fault(kind, end),
                }
            }
        }

        /// Without `Option` the member has no presence: it is written unless it is empty.
        impl<M: Message> EncodeField<$kind<M>> for Lazy<M> {
            #[inline]
            fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
                match self.content() {
                    LazyContent::Value(value) => EncodeField::<$kind<M>>::size(value, spec, sizer),
                    LazyContent::Bytes(&[]) => 0,
                    LazyContent::Bytes(_) => EncodeValue::<$kind<M>>::size(self, spec, sizer),
                }
            }

            #[inline]
            fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
                match self.content() {
                    LazyContent::Value(value) => EncodeField::<$kind<M>>::write(value, spec, writer),
                    LazyContent::Bytes(&[]) => {}
                    LazyContent::Bytes(_) => EncodeValue::<$kind<M>>::write(self, spec, writer),
                }
            }

            #[inline]
            fn clear(&mut self) {
                *self = Self::new();
            }
        }

        impl<'i, M: DecodeOwned> DecodeField<'i, $kind<M>> for Lazy<M> {
            #[inline]
            fn merge(&mut self, pos: usize, bits: u32, input: &mut Input<'i>) -> usize {
                DecodeValue::<$kind<M>>::merge(self, pos, bits, input)
            }
        }
    )*};
}

lazy! {
    Nested: LengthDelimited, deferred;
    GroupOf: StartGroup, deferred_group;
}

/// The documentation promises six words.
const _: () = assert!(size_of::<Lazy<u8>>() <= 6 * size_of::<u64>());
