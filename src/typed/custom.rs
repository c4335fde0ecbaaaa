//! Values of types of one's own: [`CustomValue`], listed as `custom kind`.
//!
//! A custom value is encoded as the value that it gives, and made of the value that is decoded. What is decoded is checked, so a
//! value that the type refuses is an error with a path.

use super::{
    field::{DecodeField, DecodeValue, EncodeField, EncodeValue, ScalarValue},
    input::Input,
    kinds::{self, Custom, GroupOf, Nested, ScalarKind, ValueKind},
    scalar::{put_scalar, scalar_len},
    size::StructSizer,
    spec::{Merged, Outcome, WireSpec},
    write::StructWriter,
};
use crate::error::DecodeErrorKind;
use crate::table::DefaultValue;
use alloc::{boxed::Box, sync::Arc, vec::Vec};
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
/// | `SystemTime` (feature `std`) | `custom message Timestamp`, of [`wkt`](crate::wkt) |
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
/// Decoding fails with [`InvalidValue`](DecodeErrorKind::InvalidValue) where [`from_encoded`](Self::from_encoded) gives `None`. The
/// offset is after the value, or where a packed run begins.
pub trait CustomValue: Sized {
    /// What is encoded in place of the value: of a type that is listed for the kind.
    type Encoded<'a>;

    /// The value to encode. It is asked for twice in an encode, and must be the same: otherwise the result is unspecified, though
    /// not undefined.
    fn to_encoded(&self) -> Self::Encoded<'_>;

    /// The value of what was decoded, or `None` if there is no such value. Memory of its own is charged to the budget as
    /// the length of the string or bytes; an allocator that fails aborts.
    fn from_encoded(encoded: Self::Encoded<'_>) -> Option<Self>;

    /// Where decoding starts; not seen after it. Of a message, it should encode to nothing, since decoding merges into it.
    ///
    /// A member without presence is this value as long as its field is unset, if `from_encoded` refuses the default value of the kind: zero
    /// or empty.
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
    NonZeroI32 as i32, unset Self::MIN;
    NonZeroI64 as i64, unset Self::MIN;
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
    Arc<str> as str;
    Box<[u8]> as [u8];
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

impl<K: ScalarKind, T: CustomValue> EncodeValue<Custom<K>> for T
where
    for<'a> T::Encoded<'a>: ScalarValue<K>,
{
    #[inline]
    fn size(&self, spec: WireSpec, _: &mut StructSizer<'_, '_>) -> u64 {
        spec.tag_len() + scalar_len::<K>(self.to_encoded().to_raw())
    }

    #[inline]
    fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
        writer.tag::<K>(spec);
        put_scalar::<K>(writer.cursor, self.to_encoded().to_raw());
    }

    fn size_all(list: &[Self], spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
        let payload = list.iter().map(|value| scalar_len::<K>(value.to_encoded().to_raw())).sum();
        match (spec.packed, list.is_empty()) {
            (_, true) => 0,
            (true, _) => spec.tag_len() + sizer.run(payload),
            (false, _) => list.len() as u64 * spec.tag_len() + payload,
        }
    }

    fn write_all(list: &[Self], spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
        if list.is_empty() {
            return;
        }
        if !spec.packed {
            return list.iter().for_each(|value| value.write(spec, writer));
        }
        writer.prefixed_tag(spec);
        writer.length();
        list.iter().for_each(|value| put_scalar::<K>(writer.cursor, value.to_encoded().to_raw()));
    }
}

impl<'i, K: ScalarKind, T: CustomValue> DecodeValue<'i, Custom<K>> for T
where
    for<'a> T::Encoded<'a>: ScalarValue<K>,
{
    #[inline]
    fn fresh(_: &mut Input<'i>) -> Result<Self, DecodeErrorKind> {
        Ok(T::unset())
    }

    #[inline]
    fn merge(&mut self, bits: u32, spec: WireSpec, input: &mut Input<'i>) -> Merged {
        let mut encoded = <T::Encoded<'i> as ScalarValue<K>>::zero();
        let merged = DecodeValue::<K>::merge(&mut encoded, bits, spec, input);
        if merged == Ok(Outcome::Done) {
            *self = T::from_encoded(encoded).ok_or(DecodeErrorKind::InvalidValue)?;
        }
        merged
    }

    /// Decodes the whole run, and then makes values of it.
    fn merge_all(list: &mut Vec<Self>, bits: u32, spec: WireSpec, input: &mut Input<'i>) -> Merged {
        let (start, mut run) = (input.pos, Vec::<T::Encoded<'i>>::new());
        let outcome = DecodeValue::<K>::merge_all(&mut run, bits, spec, input)?;
        let end = input.pos;
        for encoded in run.iter().copied() {
            let Some(value) = T::from_encoded(encoded) else {
                input.pos = start;
                return Err(input.at_index(list.len(), DecodeErrorKind::InvalidValue));
            };
            input.reserve(list, 1)?;
            list.push(value);
        }
        input.pos = end;
        input.refund(run.capacity() * size_of::<T::Encoded<'i>>());
        Ok(outcome)
    }
}

/// Strings and bytes.
macro_rules! delimited {
    ($($kind:ident $target:ty;)*) => {$(
        impl<T> EncodeValue<Custom<kinds::$kind>> for T
        where
            T: for<'a> CustomValue<Encoded<'a> = &'a $target>,
        {
            #[inline]
            fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
                EncodeValue::<kinds::$kind>::size(&self.to_encoded(), spec, sizer)
            }

            #[inline]
            fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
                EncodeValue::<kinds::$kind>::write(&self.to_encoded(), spec, writer);
            }
        }

        impl<'i, T> DecodeValue<'i, Custom<kinds::$kind>> for T
        where
            T: for<'a> CustomValue<Encoded<'a> = &'a $target>,
        {
            #[inline]
            fn fresh(_: &mut Input<'i>) -> Result<Self, DecodeErrorKind> {
                Ok(T::unset())
            }

            #[inline]
            fn merge(&mut self, bits: u32, spec: WireSpec, input: &mut Input<'i>) -> Merged {
                let mut encoded: &'i $target = Default::default();
                let merged = DecodeValue::<kinds::$kind>::merge(&mut encoded, bits, spec, input);
                if merged == Ok(Outcome::Done) {
                    input.charge(encoded.len())?;
                    *self = T::from_encoded(encoded).ok_or(DecodeErrorKind::InvalidValue)?;
                }
                merged
            }
        }
    )*};
}

delimited! {
    String str;
    Bytes [u8];
}

/// Messages. Occurrences of a field merge, as those of other messages do.
macro_rules! messages {
    ($($kind:ident),*) => {$(
        impl<M, T> EncodeValue<Custom<$kind<M>>> for T
        where
            M: crate::Message,
            T: for<'a> CustomValue<Encoded<'a> = M>,
        {
            #[inline]
            fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
                EncodeValue::<$kind<M>>::size(&self.to_encoded(), spec, sizer)
            }

            #[inline]
            fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
                EncodeValue::<$kind<M>>::write(&self.to_encoded(), spec, writer);
            }
        }

        impl<'i, M, T> DecodeValue<'i, Custom<$kind<M>>> for T
        where
            M: super::DecodeFrom<'i>,
            T: for<'a> CustomValue<Encoded<'a> = M>,
        {
            #[inline]
            fn fresh(input: &mut Input<'i>) -> Result<Self, DecodeErrorKind> {
                input.may_nest()?;
                Ok(T::unset())
            }

            fn merge(&mut self, bits: u32, spec: WireSpec, input: &mut Input<'i>) -> Merged {
                let mut encoded = self.to_encoded();
                let merged = DecodeValue::<$kind<M>>::merge(&mut encoded, bits, spec, input);
                if merged == Ok(Outcome::Done) {
                    *self = T::from_encoded(encoded).ok_or(DecodeErrorKind::InvalidValue)?;
                }
                merged
            }
        }
    )*};
}

messages!(Nested, GroupOf);

/// Without presence: as the encoded value.
impl<K: ValueKind, T: CustomValue + EncodeValue<Custom<K>>> EncodeField<Custom<K>> for T
where
    for<'a> T::Encoded<'a>: EncodeField<K>,
{
    #[inline]
    fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
        EncodeField::<K>::size(&self.to_encoded(), spec, sizer)
    }

    #[inline]
    fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
        EncodeField::<K>::write(&self.to_encoded(), spec, writer);
    }

    fn clear(&mut self) {
        let mut encoded = self.to_encoded();
        EncodeField::<K>::clear(&mut encoded);
        *self = T::from_encoded(encoded).unwrap_or_else(T::unset);
    }

    fn size_or(
        &self,
        default: DefaultValue<'static>,
        spec: WireSpec,
        sizer: &mut StructSizer<'_, '_>,
    ) -> u64 {
        EncodeField::<K>::size_or(&self.to_encoded(), default, spec, sizer)
    }

    fn write_or(
        &self,
        default: DefaultValue<'static>,
        spec: WireSpec,
        writer: &mut StructWriter<'_, '_, '_>,
    ) {
        EncodeField::<K>::write_or(&self.to_encoded(), default, spec, writer);
    }

    fn clear_to(&mut self, default: DefaultValue<'static>) {
        let mut encoded = self.to_encoded();
        EncodeField::<K>::clear_to(&mut encoded, default);
        *self = T::from_encoded(encoded).unwrap_or_else(T::unset);
    }
}

impl<'i, K: ValueKind, T: CustomValue + DecodeValue<'i, Custom<K>>> DecodeField<'i, Custom<K>> for T
where
    for<'a> T::Encoded<'a>: EncodeField<K>,
{
    #[inline]
    fn merge(&mut self, bits: u32, spec: WireSpec, input: &mut Input<'i>) -> Merged {
        DecodeValue::<Custom<K>>::merge(self, bits, spec, input)
    }
}

#[cfg(feature = "json")]
mod json {
    //! JSON of custom values: that of the encoded ones.

    use super::{
        super::DecodeFrom, Custom, CustomValue, GroupOf, Nested, ScalarKind, ScalarValue, ValueKind, kinds,
    };
    use crate::table::DefaultValue;
    use crate::typed::json_parse::{ParseField, ParseValue, Parsed, Stop, StructParser};
    use crate::typed::json_print::{PrintField, PrintValue, StructPrinter};

    impl<K: ValueKind, T: CustomValue> PrintValue<Custom<K>> for T
    where
        for<'a> T::Encoded<'a>: PrintValue<K>,
    {
        #[inline]
        fn print(&self, printer: &mut StructPrinter<'_, '_>) {
            self.to_encoded().print(printer);
        }

        #[inline]
        fn print_key(&self, printer: &mut StructPrinter<'_, '_>) {
            self.to_encoded().print_key(printer);
        }
    }

    impl<K: ValueKind, T: CustomValue> PrintField<Custom<K>> for T
    where
        for<'a> T::Encoded<'a>: PrintField<K>,
    {
        #[inline]
        fn is_set(&self) -> bool {
            self.to_encoded().is_set()
        }

        #[inline]
        fn is_set_or(&self, default: DefaultValue<'static>) -> bool {
            self.to_encoded().is_set_or(default)
        }

        #[inline]
        fn print(&self, printer: &mut StructPrinter<'_, '_>) {
            PrintField::<K>::print(&self.to_encoded(), printer);
        }
    }

    impl<'i, K: ScalarKind, T: CustomValue> ParseValue<'i, Custom<K>> for T
    where
        for<'a> T::Encoded<'a>: ScalarValue<K>,
    {
        fn parse(&mut self, parser: &mut StructParser<'_, 'i>) -> Parsed {
            let mut encoded = <T::Encoded<'i> as ScalarValue<K>>::zero();
            ParseValue::<K>::parse(&mut encoded, parser)?;
            *self = T::from_encoded(encoded).ok_or(Stop)?;
            Ok(())
        }

        fn parse_key(&mut self, parser: &mut StructParser<'_, 'i>) -> Parsed {
            let mut encoded = <T::Encoded<'i> as ScalarValue<K>>::zero();
            ParseValue::<K>::parse_key(&mut encoded, parser)?;
            *self = T::from_encoded(encoded).ok_or(Stop)?;
            Ok(())
        }
    }

    impl<'i, T: for<'a> CustomValue<Encoded<'a> = &'a str>> ParseValue<'i, Custom<kinds::String>> for T {
        fn parse(&mut self, parser: &mut StructParser<'_, 'i>) -> Parsed {
            let mut text = alloc::string::String::new();
            ParseValue::<kinds::String>::parse(&mut text, parser)?;
            *self = T::from_encoded(&text).ok_or(Stop)?;
            Ok(())
        }
    }

    impl<'i, T: for<'a> CustomValue<Encoded<'a> = &'a [u8]>> ParseValue<'i, Custom<kinds::Bytes>> for T {
        fn parse(&mut self, parser: &mut StructParser<'_, 'i>) -> Parsed {
            let mut bytes = alloc::vec::Vec::new();
            ParseValue::<kinds::Bytes>::parse(&mut bytes, parser)?;
            *self = T::from_encoded(&bytes).ok_or(Stop)?;
            Ok(())
        }
    }

    macro_rules! messages {
        ($($kind:ident),*) => {$(
            impl<'i, M: DecodeFrom<'i>, T: for<'a> CustomValue<Encoded<'a> = M>> ParseValue<'i, Custom<$kind<M>>> for T {
                fn parse(&mut self, parser: &mut StructParser<'_, 'i>) -> Parsed {
                    let mut encoded = M::unset();
                    ParseValue::<$kind<M>>::parse(&mut encoded, parser)?;
                    *self = T::from_encoded(encoded).ok_or(Stop)?;
                    Ok(())
                }
            }
        )*};
    }

    messages!(Nested, GroupOf);

    impl<'i, K: ValueKind, T: CustomValue + ParseValue<'i, Custom<K>>> ParseField<'i, Custom<K>> for T {
        #[inline]
        fn parse(&mut self, parser: &mut StructParser<'_, 'i>) -> Parsed {
            ParseValue::<Custom<K>>::parse(self, parser)
        }
    }
}
