//! Values of types of one's own: [`CustomValue`], listed as `custom kind`.
//!
//! `custom_members.rs` encodes and decodes them, `json/custom.rs` prints and parses them.

use alloc::boxed::Box;
#[cfg(target_has_atomic = "ptr")]
use alloc::sync::Arc;
use core::num::{NonZeroI32, NonZeroI64, NonZeroU32, NonZeroU64};

/// A type of one's own for the values of a field, listed as `custom kind`.
///
/// The type says which value is encoded in its place, one of a type that [`message!`](crate::message) lists for the kind: a
/// number, `&str`, `&[u8]`, an enum or a message. It fits wherever such a value does: alone, in `Option`, in `Vec` for `repeated`,
/// in maps and in oneofs. JSON and text format show the value that is encoded.
///
/// | the library has | for |
/// |---|---|
/// | `u8`, `u16`, [`NonZeroU32`] | `custom uint32`, `custom fixed32` |
/// | `i8`, `i16`, [`NonZeroI32`] | `custom int32`, `custom sint32`, `custom sfixed32` |
/// | `usize`, [`NonZeroU64`] | `custom uint64`, `custom fixed64` |
/// | `isize`, [`NonZeroI64`] | `custom int64`, `custom sint64`, `custom sfixed64` |
/// | `Box<str>`, `Arc<str>` | `custom string` |
/// | `[u8; N]`, `Box<[u8]>`, `Arc<[u8]>` | `custom bytes` |
/// | `SystemTime` (feature `std`) | `custom message Timestamp`, of [`wkt`](crate::structs::wkt) |
///
/// A `NonZero` type has no value for an unset field: list it as an `Option`, or an unset field reads, and is written, as 1.
///
/// ```
/// use tablepb::{CustomValue, DecodeErrorKind, Message};
///
/// #[derive(Clone, Copy, Debug, Default, PartialEq)]
/// struct Uuid([u8; 16]);
///
/// impl CustomValue for Uuid {
///     type Encoded<'a> = &'a [u8];
///
///     fn to_encoded(&self) -> &[u8] {
///         &self.0
///     }
///
///     fn from_encoded(bytes: &[u8]) -> Option<Self> {
///         bytes.try_into().ok().map(Self)
///     }
///
///     fn unset() -> Self {
///         Self::default()
///     }
/// }
///
/// #[derive(Debug, Default, PartialEq)]
/// struct Span { id: Uuid, parent: Option<Uuid>, links: Vec<Uuid>, level: u8 }
///
/// tablepb::message! {
///     Span as "example.Span" {
///         id: custom bytes = 1,
///         parent: custom bytes = 2,
///         links: repeated custom bytes = 3,
///         level: custom uint32 = 4,
///     }
/// }
///
/// let span = Span { id: Uuid([7; 16]), parent: None, links: vec![Uuid([8; 16])], level: 200 };
/// assert_eq!(Span::decode(&span.encode_to_vec()?)?, span);
///
/// let error = Span::decode(b"\x1a\x02ab").unwrap_err();
/// assert_eq!(error.kind(), DecodeErrorKind::InvalidValue);
/// assert_eq!(error.path().to_string(), "links[0]");
/// assert!(Span::decode(b"\x20\x80\x02").is_err(), "256 is no u8");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Decoding fails with [`InvalidValue`](crate::DecodeErrorKind::InvalidValue) where [`from_encoded`](Self::from_encoded) gives `None`. The
/// offset is after the value; in a list of numbers it is where the packed run begins, or the number if the list is not packed.
pub trait CustomValue: Sized {
    /// What is encoded in place of the value: of a type that is listed for the kind.
    type Encoded<'a>;

    /// The value to encode. It is asked for twice in an encode, and must be the same: otherwise the result is unspecified, though
    /// not undefined.
    fn to_encoded(&self) -> Self::Encoded<'_>;

    /// The value of what was decoded, or `None` if there is no such value. Memory of its own is charged to the budget as
    /// the length of the string or bytes; an allocator that fails aborts.
    fn from_encoded(encoded: Self::Encoded<'_>) -> Option<Self>;

    /// The value that a member holds before its field is decoded.
    ///
    /// What is decoded replaces it, except a message, which is merged into it: a type that is encoded as a message should
    /// give one that encodes to nothing. If the field is not in the input, a member without presence gets the value of
    /// `from_encoded` for the default of the kind (zero or empty), and keeps this one only if `from_encoded` refuses that.
    fn unset() -> Self;
}

/// A number, `bool` or enum as a custom value.
macro_rules! checked {
    ($($type:ty as $encoded:ty, unset $unset:expr;)*) => {$(
        impl CustomValue for $type {
            type Encoded<'a> = $encoded;

            #[inline]
            fn to_encoded(&self) -> $encoded {
                // Each fits: types are converted to wider ones, and `usize` has at most 64 bits.
                <$encoded>::try_from(*self).unwrap_or_default()
            }

            #[inline]
            fn from_encoded(encoded: $encoded) -> Option<Self> {
                Self::try_from(encoded).ok()
            }

            #[inline]
            fn unset() -> Self {
                $unset
            }
        }
    )*};
}

checked! {
    u8 as u32, unset 0;
    u16 as u32, unset 0;
    i8 as i32, unset 0;
    i16 as i32, unset 0;
    usize as u64, unset 0;
    isize as i64, unset 0;
    NonZeroU32 as u32, unset Self::MIN;
    NonZeroU64 as u64, unset Self::MIN;
    NonZeroI32 as i32, unset const { Self::new(1).unwrap() };
    NonZeroI64 as i64, unset const { Self::new(1).unwrap() };
}

macro_rules! pointers {
    ($($type:ty as $target:ty;)*) => {$(
        impl CustomValue for $type {
            type Encoded<'a> = &'a $target;

            #[inline]
            fn to_encoded(&self) -> &$target {
                self
            }

            #[inline]
            fn from_encoded(encoded: &$target) -> Option<Self> {
                Some(encoded.into())
            }

            #[inline]
            fn unset() -> Self {
                Self::default()
            }
        }
    )*};
}

pointers! {
    Box<str> as str;
    Box<[u8]> as [u8];
}

// The standard library's, which processors without compare-and-swap do not have.
#[cfg(target_has_atomic = "ptr")]
pointers! {
    Arc<str> as str;
    Arc<[u8]> as [u8];
}

impl<const N: usize> CustomValue for [u8; N] {
    type Encoded<'a> = &'a [u8];

    #[inline]
    fn to_encoded(&self) -> &[u8] {
        self
    }

    #[inline]
    fn from_encoded(encoded: &[u8]) -> Option<Self> {
        encoded.try_into().ok()
    }

    #[inline]
    fn unset() -> Self {
        [0; N]
    }
}
