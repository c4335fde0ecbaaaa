//! [`Lazy`]: a message that stays bytes until it is asked for.

use super::{
    DecodeOwned, Message,
    field::{DecodeField, DecodeValue, EncodeField, EncodeValue},
    input::Input,
    kinds::{GroupOf, Nested},
    later::Deferred,
    occurrences::Occurrences,
    once::OnceBox,
    place::One,
    size::StructSizer,
    spec::{Merged, Outcome, WireSpec},
    write::StructWriter,
};
use crate::error::{DecodeError, DecodeErrorKind};
use crate::wire::{WireType, varint_len};
use core::fmt;

/// A message that stays bytes until it is asked for: a member in the place of `T`, `Box<T>` or a variant's `T`.
///
/// `T` borrows nothing from its input. Decoding the struct around it only finds where the message ends and keeps its bytes. The first
/// [`get`](Self::get) decodes them, once, whichever thread it is on. Encoding writes the bytes as they were read, to
/// the last unknown field and overlong varint, until [`get_mut`](Self::get_mut) is called; then it encodes the value.
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
/// When the struct around it is decoded: wire type, length prefix, and that so many bytes are there; for a group, all
/// that skipping it checks. Everything else, required fields and UTF-8 included, waits until the message is decoded.
/// What is wrong then is the error of every access, with its offset in the whole input and a field path that starts at `T`.
/// The options of the outer decode hold for it: what is left of the depth, unknown fields, required fields, and the
/// budget: what the outer decode left of its own is for all of its lazy messages together, in the order in which they
/// are asked for, at any depth. When it is used up, the error is `BudgetExceeded`. A message that is dropped gives
/// nothing back.
///
/// Bytes that have not been decoded are written unchecked; an encode counts one level of depth for them.
///
/// # Merging
///
/// A field that occurs again adds its bytes: decoding merges the parts in their order. If the value has been
/// changed, the part is merged into it at once.
///
/// # Memory
///
/// Three words in the struct; a box of some 90 bytes and the bytes of the message, shared by
/// [`decode_shared`](Message::decode_shared), copied otherwise; once decoded, a box with the value beside them. One that
/// is absent takes a box when it is asked for, which no budget counts.
pub struct Lazy<T> {
    /// As read; `None` if there was nothing to read, or once the value counts.
    raw: Option<One<Occurrences>>,
    /// Decoded from `raw` if that is there. Without both, the message has no fields.
    value: OnceBox<Decoded<T>>,
}

/// What has been made of the bytes.
#[derive(Clone)]
struct Decoded<T> {
    result: Result<T, DecodeError>,
    /// Whether it may have been changed, so that an encode writes it. What was only read is written as it was.
    counts: bool,
}

impl<T> Lazy<T> {
    /// A message without fields; allocates nothing.
    pub const fn new() -> Self {
        Self { raw: None, value: OnceBox::new() }
    }

    /// Without a field, decoded or not.
    fn is_absent(&self) -> bool {
        self.raw.is_none() && self.value.get().is_none_or(|value| !value.counts)
    }

    /// Whether there is nothing left to decode.
    pub fn is_decoded(&self) -> bool {
        self.value.get().is_some()
    }

    /// The bytes that an encode writes as they are; `None` if it encodes the value, as it does once
    /// [`get_mut`](Self::get_mut) has been called.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match &self.raw {
            Some(raw) => Some(raw[0].as_slice()),
            None if self.is_absent() => Some(&[]),
            None => None,
        }
    }
}

impl<T: DecodeOwned> Lazy<T> {
    /// The message, decoded by the first call.
    ///
    /// # Errors
    ///
    /// As [`Message::decode`] of the outermost message, with offsets in its input; the same for every call.
    /// `BudgetExceeded` also without memory for the value, in which case a later call tries again.
    #[inline]
    pub fn get(&self) -> Result<&T, DecodeError> {
        self.decoded()?.result.as_ref().map_err(Clone::clone)
    }

    /// The message, to be changed: its bytes are given up, and an encode writes the value.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get); the bytes stay then.
    pub fn get_mut(&mut self) -> Result<&mut T, DecodeError> {
        self.get()?;
        self.raw = None;
        match self.value.get_mut() {
            Some(value) => {
                value.counts = true;
                value.result.as_mut().map_err(|error| error.clone())
            }
            None => unreachable!("it has been filled"),
        }
    }

    /// The message itself.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    pub fn into_inner(self) -> Result<T, DecodeError> {
        match self.value.into_inner() {
            Some(value) => value.result,
            None => decode(self.raw.as_deref()),
        }
    }

    /// Decodes the message, if it has not been, to see whether it can be. Lazy messages in it stay bytes.
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
        let raw = self.raw.as_deref();
        let affords = raw.is_none_or(|[raw]| raw.affords(size_of::<Decoded<T>>()));
        let make = || Decoded { result: decode(raw), counts: false };
        let value = if affords { self.value.get_or_init(make) } else { None };
        value.ok_or_else(|| {
            let offset = raw.map_or(0, |[raw]| raw.offset());
            DecodeError::new(DecodeErrorKind::BudgetExceeded, offset).in_message(T::TABLE.full_name())
        })
    }

    /// Takes one more occurrence.
    #[inline]
    fn append(&mut self, part: Deferred<'_>, input: &mut Input<'_>) -> Result<(), DecodeErrorKind> {
        match self.raw.as_deref_mut() {
            Some([raw]) => {
                raw.append(part, input)?;
                // Decoding begins anew.
                raw.refund();
            }
            None => self.raw = Some(Occurrences::first(part, input)?),
        }
        self.value = OnceBox::new();
        Ok(())
    }

    /// The value, if it counts and not the bytes.
    fn own(&mut self) -> Option<&mut T> {
        match self.value.get_mut() {
            Some(Decoded { result: Ok(value), counts: true }) => Some(value),
            _ => None,
        }
    }
}

fn decode<T: DecodeOwned>(raw: Option<&[Occurrences; 1]>) -> Result<T, DecodeError> {
    match raw {
        Some([raw]) => raw.decode(size_of::<Decoded<T>>()),
        None => Ok(T::unset()),
    }
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
            (Some(raw), _) => LazyContent::Bytes(raw[0].as_slice()),
            (None, Some(Decoded { result: Ok(value), counts: true })) => LazyContent::Value(value),
            (None, _) => LazyContent::Bytes(&[]),
        }
    }
}

/// A value that is decoded already.
impl<T> From<T> for Lazy<T> {
    fn from(value: T) -> Self {
        Self { raw: None, value: OnceBox::with(Decoded { result: Ok(value), counts: true }) }
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

/// Compares the messages, for which both are decoded; those that cannot be are equal if their bytes are. Two without
/// fields are equal and not decoded.
impl<T: DecodeOwned + PartialEq> PartialEq for Lazy<T> {
    fn eq(&self, other: &Self) -> bool {
        // A message that holds itself would never end.
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

/// The message if it is decoded, else the number of bytes.
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
                writer.cursor.put_length_delimited(bytes);
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
                writer.cursor.put_slice(bytes);
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
            fn merge(&mut self, bits: u32, spec: WireSpec, input: &mut Input<'i>) -> Merged {
                if bits & 7 != WireType::$wire as u32 {
                    return Ok(Outcome::Unknown);
                }
                if let Some(value) = self.own() {
                    return DecodeValue::<$kind<M>>::merge(value, bits, spec, input);
                }
                let part = input.$read(spec)?;
                self.append(part, input)?;
                Ok(Outcome::Done)
            }
        }

        /// As a message that is a member itself, it is written when it has something to write.
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
            fn merge(&mut self, bits: u32, spec: WireSpec, input: &mut Input<'i>) -> Merged {
                DecodeValue::<$kind<M>>::merge(self, bits, spec, input)
            }
        }
    )*};
}

lazy! {
    Nested: LengthDelimited, deferred;
    GroupOf: StartGroup, deferred_group;
}
