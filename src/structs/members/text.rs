//! String and bytes members, owned or borrowed from the input.

use super::field::{DecodeValue, EncodeValue};
use super::plain::PlainValue;
use crate::schema::table::DefaultValue;
use crate::structs::decode::input::Input;
use crate::structs::decode::{FAULT, UNKNOWN};
use crate::structs::encode::size::StructSizer;
use crate::structs::encode::write::StructWriter;
use crate::structs::grammar::kinds;
use crate::structs::grammar::kinds::WireSpec;
use crate::wire::error::DecodeErrorKind;
use crate::wire::{WireType, varint_len};
#[cfg(not(tablepb_no_alloc))]
use alloc::{borrow::Cow, string::String, vec::Vec};

/// Implements the member traits for a type of strings or bytes, given how to set it, clear it and set its default.
macro_rules! delimited {
    (
        [$($life:lifetime)? $(; $($generics:tt)*)?] $kind:ident $type:ty as $target:ty, from $read:ident,
        set |$this:ident, $value:ident, $input:ident| $set:expr,
        clear |$old:ident| $clear:expr,
        default |$unset:ident, $variant:ident| $default:expr $(,)?
    ) => {
        impl<$($life)? $($($generics)*)?> EncodeValue<kinds::$kind> for $type {
            #[inline(always)]
            fn size(&self, spec: WireSpec, _: &mut StructSizer<'_, '_>) -> u64 {
                let len = AsRef::<[u8]>::as_ref(view::<$target>(self)).len() as u64;
                spec.tag_len() + varint_len(len) as u64 + len
            }

            #[inline(always)]
            fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
                let tag = spec.tag::<kinds::$kind>();
                writer.cursor.write_tagged_bytes(tag, view::<$target>(self).as_ref());
            }
        }

        impl<'i $(: $life, $life)? $(, $($generics)*)?> DecodeValue<'i, kinds::$kind> for $type {
            #[inline(always)]
            fn fresh(_: &mut Input<'i>) -> Result<Self, DecodeErrorKind> {
                Ok(Self::default())
            }

            #[inline(always)]
            fn merge(&mut self, pos: usize, bits: u32, $input: &mut Input<'i>) -> usize {
                if bits & 7 != WireType::LengthDelimited as u32 {
                    return UNKNOWN;
                }
                let Some(($value, end)) = $input.$read(pos) else { return FAULT };
                let $this = self;
                match $set {
                    Ok(()) => end,
                    Err(kind) => $input.fault(kind, end),
                }
            }
        }

        impl<$($life)? $($($generics)*)?> PlainValue<kinds::$kind> for $type {
            #[inline(always)]
            fn is_set(&self) -> bool {
                !self.is_empty()
            }

            #[inline]
            fn is_set_or(&self, default: DefaultValue<'static>) -> bool {
                !matches!(default, DefaultValue::$kind(value) if *value == **self)
            }

            #[inline]
            fn reset(&mut self, default: Option<DefaultValue<'static>>) {
                let $old = &mut *self;
                $clear;
                if let Some(DefaultValue::$kind($variant)) = default {
                    let $unset = self;
                    $default;
                }
            }
        }
    };
}

/// Replaces what needs no memory.
#[inline(always)]
fn set<T>(member: &mut T, value: T) -> Result<(), DecodeErrorKind> {
    *member = value;
    Ok(())
}

/// The content of a member, owned or borrowed.
#[inline(always)]
fn view<T: ?Sized + AsRef<[u8]>>(value: &T) -> &T {
    value
}

#[cfg(not(tablepb_no_alloc))]
delimited! {
    [] String String as str, from str,
    set |this, value, input| input.assign(this, value),
    clear |old| old.clear(),
    default |unset, value| unset.push_str(value),
}

delimited! {
    ['a] String &'a str as str, from str,
    set |this, value, input| set(this, value),
    clear |old| *old = "",
    default |unset, value| *unset = value,
}

#[cfg(not(tablepb_no_alloc))]
delimited! {
    ['a] String Cow<'a, str> as str, from str,
    set |this, value, input| set(this, Cow::Borrowed(value)),
    clear |old| *old = Cow::Borrowed(""),
    default |unset, value| *unset = Cow::Borrowed(value),
}

#[cfg(not(tablepb_no_alloc))]
delimited! {
    [] Bytes Vec<u8> as [u8], from bytes,
    set |this, value, input| input.assign_bytes(this, value),
    clear |old| old.clear(),
    default |unset, value| unset.extend_from_slice(value),
}

delimited! {
    ['a] Bytes &'a [u8] as [u8], from bytes,
    set |this, value, input| set(this, value),
    clear |old| *old = &[],
    default |unset, value| *unset = value,
}

#[cfg(not(tablepb_no_alloc))]
delimited! {
    ['a] Bytes Cow<'a, [u8]> as [u8], from bytes,
    set |this, value, input| set(this, Cow::Borrowed(value)),
    clear |old| *old = Cow::Borrowed(&[]),
    default |unset, value| *unset = Cow::Borrowed(value),
}

#[cfg(feature = "bytes")]
delimited! {
    [] Bytes bytes::Bytes as [u8], from bytes,
    set |this, value, input| input.shared_or_copied(value).map(|bytes| *this = bytes),
    clear |old| old.clear(),
    default |unset, value| *unset = bytes::Bytes::from_static(value),
}

#[cfg(feature = "bytestring")]
delimited! {
    [] String bytestring::ByteString as str, from str,
    set |this, value, input| input.shared_or_copied(value.as_bytes()).and_then(|bytes| {
        // It is a string already; to take it without another look would be unsafe.
        *this = bytes.try_into().map_err(|_| DecodeErrorKind::InvalidUtf8)?;
        Ok(())
    }),
    clear |old| *old = bytestring::ByteString::new(),
    default |unset, value| *unset = bytestring::ByteString::from_static(value),
}

// A default value that does not fit leaves the member empty.

#[cfg(feature = "heapless")]
delimited! {
    [; const N: usize, L: heapless::LenType] String heapless::String<N, L> as str, from str,
    set |this, value, input| {
        this.clear();
        this.push_str(value).map_err(|_| DecodeErrorKind::CapacityExceeded)
    },
    clear |old| old.clear(),
    default |unset, value| unset.push_str(value).unwrap_or_default(),
}

#[cfg(feature = "heapless")]
delimited! {
    [; const N: usize, L: heapless::LenType] Bytes heapless::Vec<u8, N, L> as [u8], from bytes,
    set |this, value, input| {
        this.clear();
        this.extend_from_slice(value).map_err(|_| DecodeErrorKind::CapacityExceeded)
    },
    clear |old| old.clear(),
    default |unset, value| unset.extend_from_slice(value).unwrap_or_default(),
}

#[cfg(feature = "bytes")]
impl Input<'_> {
    /// A part of the input: shares the memory of its owner, or is a copy.
    #[inline]
    fn shared_or_copied(&mut self, value: &[u8]) -> Result<bytes::Bytes, DecodeErrorKind> {
        if let Some(owner) = self.shared() {
            return Ok(owner.slice_ref(value));
        }
        let mut copy = Vec::new();
        self.charge(value.len())?;
        copy.try_reserve_exact(value.len()).map_err(|_| DecodeErrorKind::OutOfMemory)?;
        copy.extend_from_slice(value);
        Ok(copy.into())
    }
}
