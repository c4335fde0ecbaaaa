//! How members are printed as JSON, by kind and type.

use super::print::{PrintField, PrintValue, StructPrinter, has_fields};
use crate::formats::json::put_whole;
use crate::formats::numbers::{encode_base64, put_element, put_i64, put_quoted_i64, put_quoted_u64, put_u64};
use crate::message::Prepared;
use crate::schema::table::{DefaultValue, TableKind};
use crate::structs::grammar::kinds::{
    self, GroupOf, KindMarker, MapEntries, Nested, PlainKind, Repeated, Required, ScalarKind, ValueKind,
};
use crate::structs::members::field::ScalarValue;
use crate::structs::members::map::MapMember;
use crate::structs::members::plain::{PlainMember, PlainValue};
use crate::structs::{Lazy, Message};
use crate::wire::{unzigzag32, unzigzag64};
use alloc::{borrow::Cow, boxed::Box, string::String, vec::Vec};
use core::mem::replace;

/// A scalar by its value in JSON.
enum Plain {
    Signed(i64),
    Unsigned(u64),
    Signed64(i64),
    Unsigned64(u64),
    Double(f64),
    Float(f32),
    Bool(bool),
    Enum(i32),
}

impl Plain {
    /// The value of these bits, as [`ScalarValue::to_raw`] gives them.
    #[inline(always)]
    fn of<K: ScalarKind>(raw: u64) -> Self {
        match K::VALUE {
            TableKind::Int32 | TableKind::Sfixed32 => Self::Signed(i64::from(raw as i32)),
            TableKind::Sint32 => Self::Signed(unzigzag32(raw as u32).into()),
            TableKind::Uint32 | TableKind::Fixed32 => Self::Unsigned(u64::from(raw as u32)),
            TableKind::Int64 | TableKind::Sfixed64 => Self::Signed64(raw as i64),
            TableKind::Sint64 => Self::Signed64(unzigzag64(raw)),
            TableKind::Double => Self::Double(f64::from_bits(raw)),
            TableKind::Float => Self::Float(f32::from_bits(raw as u32)),
            TableKind::Bool => Self::Bool(raw != 0),
            TableKind::Enum(_) => Self::Enum(raw as i32),
            _ => Self::Unsigned64(raw),
        }
    }

    #[inline(always)]
    fn print(self, printer: &mut StructPrinter<'_, '_>) {
        let (quoted, in_value) = (printer.json.options.stringify_64_bit_integers, printer.is_in_value());
        let json = &mut printer.json;
        match self {
            Self::Signed64(value) if quoted => put_quoted_i64(&mut json.out, value),
            Self::Unsigned64(value) if quoted => put_quoted_u64(&mut json.out, value),
            Self::Signed(value) | Self::Signed64(value) => put_i64(&mut json.out, value),
            Self::Unsigned(value) | Self::Unsigned64(value) => put_u64(&mut json.out, value),
            Self::Float(value) => json.float(value),
            // A `google.protobuf.Value` holds finite numbers only.
            Self::Double(value) if !value.is_finite() && in_value => printer.stop(),
            Self::Double(value) => json.double(value),
            Self::Bool(true) => json.out.array(b"true"),
            Self::Bool(false) => json.out.array(b"false"),
            Self::Enum(_) if in_value => json.out.array(b"null"),
            Self::Enum(number) => {
                let field = printer.field();
                printer.json.enumeration(field, number);
            }
        }
    }

    /// An element on one line, after a bracket or comma.
    #[inline(always)]
    fn print_after(self, lead: u8, printer: &mut StructPrinter<'_, '_>) {
        let quoted = printer.json.options.stringify_64_bit_integers;
        let out = &mut printer.json.out;
        match self {
            Self::Signed64(value) if quoted => put_element::<true>(out, lead, value.into()),
            Self::Unsigned64(value) if quoted => put_element::<true>(out, lead, value.into()),
            Self::Signed(value) | Self::Signed64(value) => put_element::<false>(out, lead, value.into()),
            Self::Unsigned(value) | Self::Unsigned64(value) => put_element::<false>(out, lead, value.into()),
            other => {
                out.byte(lead);
                other.print(printer);
            }
        }
    }
}

/// The value of a scalar; `None` for a number that a closed enum does not list: it is an unknown field on the wire.
#[inline(always)]
fn listed<K: ScalarKind, T: ScalarValue<K>>(value: T) -> Option<Plain> {
    let raw = value.to_raw();
    if matches!(K::VALUE, TableKind::Enum(_)) && T::from_raw(raw).is_none() {
        return None;
    }
    Some(Plain::of::<K>(raw))
}

impl<K: ScalarKind, T: ScalarValue<K>> PrintValue<K> for T {
    #[inline]
    fn print(&self, printer: &mut StructPrinter<'_, '_>) {
        match listed::<K, T>(*self) {
            Some(value) => value.print(printer),
            None => printer.stop(),
        }
    }

    #[inline]
    fn print_key(&self, printer: &mut StructPrinter<'_, '_>) {
        let out = &mut printer.json.out;
        match Plain::of::<K>(self.to_raw()) {
            Plain::Signed(value) | Plain::Signed64(value) => put_quoted_i64(out, value),
            Plain::Unsigned(value) | Plain::Unsigned64(value) => put_quoted_u64(out, value),
            Plain::Bool(true) => out.array(b"\"true\""),
            Plain::Bool(false) => out.array(b"\"false\""),
            // Other kinds cannot be map keys.
            _ => printer.stop(),
        }
    }

    fn print_all(list: &[Self], printer: &mut StructPrinter<'_, '_>) {
        if printer.json.options.pretty {
            return printer.list(list, |value, printer| PrintValue::<K>::print(value, printer));
        }
        let mut lead = b'[';
        for value in list {
            match listed::<K, T>(*value) {
                Some(value) => value.print_after(replace(&mut lead, b','), printer),
                None => return printer.stop(),
            }
        }
        printer.json.out.byte(b']');
    }
}

impl<K: PlainKind, T: PlainMember + PlainValue<K>> PrintField<K> for T {
    #[inline(always)]
    fn is_set(&self) -> bool {
        PlainValue::is_set(self)
    }

    #[inline]
    fn is_set_or(&self, default: DefaultValue<'static>) -> bool {
        PlainValue::is_set_or(self, default)
    }

    #[inline]
    fn print(&self, printer: &mut StructPrinter<'_, '_>) {
        PrintValue::print(self, printer);
    }
}

/// Strings and bytes.
macro_rules! delimited {
    ($([$($life:lifetime)?] $kind:ident $type:ty: |$value:ident, $printer:ident| $print:expr;)*) => {$(
        impl<$($life)?> PrintValue<kinds::$kind> for $type {
            #[inline]
            fn print(&self, $printer: &mut StructPrinter<'_, '_>) {
                let $value: &[u8] = self.as_ref();
                $print
            }
        }
    )*};
}

fn put_bytes(bytes: &[u8], printer: &mut StructPrinter<'_, '_>) {
    let out = &mut printer.json.out;
    out.byte(b'"');
    encode_base64(out, bytes);
    out.byte(b'"');
}

delimited! {
    [] String String: |text, printer| put_whole(&mut printer.json.out, text);
    ['a] String &'a str: |text, printer| put_whole(&mut printer.json.out, text);
    [] Bytes Vec<u8>: |bytes, printer| put_bytes(bytes, printer);
    ['a] Bytes &'a [u8]: |bytes, printer| put_bytes(bytes, printer);
    ['a] Bytes Cow<'a, [u8]>: |bytes, printer| put_bytes(bytes, printer);
}

#[cfg(feature = "bytes")]
delimited! {
    [] Bytes bytes::Bytes: |bytes, printer| put_bytes(bytes, printer);
}

#[cfg(feature = "bytestring")]
delimited! {
    [] String bytestring::ByteString: |text, printer| put_whole(&mut printer.json.out, text);
}

impl PrintValue<kinds::String> for Cow<'_, str> {
    #[inline]
    fn print(&self, printer: &mut StructPrinter<'_, '_>) {
        put_whole(&mut printer.json.out, self.as_bytes());
    }
}

macro_rules! messages {
    ($($kind:ident),*) => {$(
        impl<M: Message> PrintValue<$kind<M>> for M {
            #[inline]
            fn print(&self, printer: &mut StructPrinter<'_, '_>) {
                printer.message(self);
            }
        }

        impl<M: Message> PrintValue<$kind<M>> for Box<M> {
            #[inline]
            fn print(&self, printer: &mut StructPrinter<'_, '_>) {
                printer.message(&**self);
            }
        }

        /// Its bytes have not been looked at.
        impl<M: Message> PrintValue<$kind<M>> for Lazy<M> {
            fn print(&self, printer: &mut StructPrinter<'_, '_>) {
                printer.stop();
            }
        }

        /// A message in bytes.
        impl<M: Message> PrintValue<$kind<M>> for Prepared<M> {
            fn print(&self, printer: &mut StructPrinter<'_, '_>) {
                printer.stop();
            }
        }

        /// Without presence: set unless it is empty.
        impl<M: Message> PrintField<$kind<M>> for M {
            #[inline]
            fn is_set(&self) -> bool {
                has_fields(self)
            }

            #[inline]
            fn print(&self, printer: &mut StructPrinter<'_, '_>) {
                printer.message(self);
            }
        }

        impl<M: Message> PrintField<$kind<M>> for Lazy<M> {
            #[inline]
            fn is_set(&self) -> bool {
                !self.is_absent()
            }

            fn print(&self, printer: &mut StructPrinter<'_, '_>) {
                printer.stop();
            }
        }
    )*};
}

messages!(Nested, GroupOf);

impl<K: ValueKind, T: PrintValue<K>> PrintField<K> for Option<T> {
    #[inline(always)]
    fn is_set(&self) -> bool {
        self.is_some()
    }

    #[inline]
    fn print(&self, printer: &mut StructPrinter<'_, '_>) {
        if let Some(value) = self {
            value.print(printer);
        }
    }
}

impl<K: ValueKind, T: PrintValue<K>> PrintField<Required<K>> for Option<T> {
    #[inline(always)]
    fn is_set(&self) -> bool {
        self.is_some()
    }

    #[inline]
    fn print(&self, printer: &mut StructPrinter<'_, '_>) {
        PrintField::<K>::print(self, printer);
    }
}

impl<K: ValueKind, T: PrintValue<K>> PrintField<Repeated<K>> for Vec<T> {
    #[inline(always)]
    fn is_set(&self) -> bool {
        !self.is_empty()
    }

    #[inline]
    fn print(&self, printer: &mut StructPrinter<'_, '_>) {
        T::print_all(self, printer);
    }
}

impl<KK: KindMarker, VK: KindMarker, F: MapMember> PrintField<MapEntries<KK, VK>> for F
where
    F::Key: PrintValue<KK>,
    F::Value: PrintValue<VK>,
{
    #[inline(always)]
    fn is_set(&self) -> bool {
        self.entries().next().is_some()
    }

    #[inline]
    fn print(&self, printer: &mut StructPrinter<'_, '_>) {
        printer.map::<F::Key, F::Value, KK, VK>(self.entries());
    }
}
