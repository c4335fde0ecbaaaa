//! How members are parsed from JSON, by kind and type.

use super::parse::{ParseField, ParseValue, Parsed, Stop, StructParser};
use crate::formats::json::{integer_word, key_word, word_of};
use crate::formats::numbers::decode_base64;
use crate::message::Prepared;
use crate::schema::program::Scalar;
use crate::schema::table::TableKind;
use crate::structs::decode::memory;
use crate::structs::grammar::kinds::{
    self, GroupOf, KindMarker, MapEntries, Nested, PlainKind, Repeated, Required, ScalarKind, ValueKind,
};
use crate::structs::members::field::ScalarValue;
use crate::structs::members::map::MapMember;
use crate::structs::members::plain::{PlainMember, PlainValue};
use crate::structs::{DecodeFrom, DecodeOwned, DecodeValue, Lazy};
use crate::wire::{zigzag32, zigzag64};
use alloc::{borrow::Cow, boxed::Box, string::String, vec::Vec};

/// How integers of a kind are stored in a message.
const fn integer<K: KindMarker>() -> Scalar {
    match K::VALUE {
        TableKind::Int32 | TableKind::Sint32 | TableKind::Sfixed32 => Scalar::I32,
        TableKind::Uint32 | TableKind::Fixed32 => Scalar::U32,
        TableKind::Int64 | TableKind::Sint64 | TableKind::Sfixed64 => Scalar::I64,
        _ => Scalar::U64,
    }
}

/// The bits of an integer, as [`ScalarValue::from_raw`] takes them.
#[inline(always)]
fn raw<K: KindMarker>(word: u64) -> u64 {
    match K::VALUE {
        TableKind::Sint32 => zigzag32(word as i32).into(),
        TableKind::Sint64 => zigzag64(word as i64),
        _ => word,
    }
}

impl<'i> StructParser<'_, 'i> {
    /// A scalar of the kind `K`, as bits.
    #[inline(always)]
    fn scalar<K: ScalarKind>(&mut self) -> Result<u64, Stop> {
        Ok(match K::VALUE {
            TableKind::Double => self.scanner.double(&mut self.scratch)?.to_bits(),
            TableKind::Float => self.scanner.float(&mut self.scratch)?.to_bits().into(),
            TableKind::Bool => self.scanner.boolean()?.into(),
            TableKind::Enum(_) => self.enumeration()? as u64,
            _ => {
                let start = self.scanner.at;
                let short = self.scanner.short_integer().and_then(|value| word_of(integer::<K>(), value));
                raw::<K>(match short {
                    Some(word) => word,
                    None => {
                        self.scanner.at = start;
                        self.long_integer(integer::<K>())?
                    }
                })
            }
        })
    }

    #[inline(never)]
    fn long_integer(&mut self, scalar: Scalar) -> Result<u64, Stop> {
        let integer = self.scanner.number(&mut self.scratch)?.integer();
        Ok(integer_word(scalar, integer)?)
    }

    /// An enum value by name or number.
    #[inline(never)]
    fn enumeration(&mut self) -> Result<i32, Stop> {
        let (names, position) = self.field();
        match self.scanner.peek()? {
            b'"' => {
                let pool = self.pool;
                let name = core::str::from_utf8(self.string()?).map_err(|_| Stop)?;
                pool.json_enum_number(names.enumeration(position), name).ok_or(Stop)
            }
            b'n' if names.is_null_value(position) => {
                self.scanner.literal(b"null")?;
                Ok(0)
            }
            _ => Ok(self.long_integer(Scalar::I32)? as i32),
        }
    }

    /// Appends base64 to an empty list.
    fn base64(&mut self, bytes: &mut Vec<u8>) -> Parsed {
        let quoted = self.scanner.string()?;
        let text = self.scanner.text(quoted, &mut self.scratch)?;
        let len = text.len() / 4 * 3 + 3;
        if bytes.capacity() < len {
            self.input.charge(len)?;
            bytes.try_reserve_exact(len).map_err(|_| Stop)?;
        }
        if decode_base64(text, bytes) { Ok(()) } else { Err(Stop) }
    }
}

/// Elements that are collected before they go to a list.
const BLOCK: usize = 32;

#[inline]
fn append<T: Copy>(list: &mut Vec<T>, block: &[T], parser: &mut StructParser<'_, '_>) -> Parsed {
    parser.input.reserve(list, block.len())?;
    list.extend_from_slice(block);
    Ok(())
}

impl<'i, K: ScalarKind, T: ScalarValue<K>> ParseValue<'i, K> for T {
    #[inline]
    fn parse(&mut self, parser: &mut StructParser<'_, 'i>) -> Parsed {
        // A number that the enum does not list is unknown to a struct.
        *self = T::from_raw(parser.scalar::<K>()?).ok_or(Stop)?;
        Ok(())
    }

    fn parse_key(&mut self, parser: &mut StructParser<'_, 'i>) -> Parsed {
        let scalar = if matches!(K::VALUE, TableKind::Bool) { Scalar::Bool } else { integer::<K>() };
        let word = key_word(scalar, parser.string()?)?;
        *self = T::from_raw(raw::<K>(word)).ok_or(Stop)?;
        Ok(())
    }

    /// By the block: a short list is allocated once, with the capacity that it needs.
    fn parse_all(list: &mut Vec<Self>, parser: &mut StructParser<'_, 'i>) -> Parsed {
        let (mut block, mut len) = ([T::zero(); BLOCK], 0);
        parser.elements(|parser| {
            let value = T::from_raw(parser.scalar::<K>()?).ok_or(Stop)?;
            if len == BLOCK {
                append(list, &block, parser)?;
                len = 0;
            }
            if let Some(place) = block.get_mut(len) {
                *place = value;
            }
            len += 1;
            Ok(())
        })?;
        append(list, block.get(..len).unwrap_or_default(), parser)
    }
}

impl<'i, K: PlainKind, T: PlainMember + PlainValue<K> + ParseValue<'i, K>> ParseField<'i, K> for T {
    #[inline]
    fn parse(&mut self, parser: &mut StructParser<'_, 'i>) -> Parsed {
        ParseValue::parse(self, parser)
    }

    #[inline]
    fn set_number(&mut self, number: i64) -> bool {
        PlainValue::set_number(self, number)
    }
}

impl<'i> ParseValue<'i, kinds::String> for String {
    #[inline]
    fn parse(&mut self, parser: &mut StructParser<'_, 'i>) -> Parsed {
        let quoted = parser.scanner.string()?;
        let text = if quoted.escaped {
            let text = parser.scanner.text(quoted, &mut parser.scratch)?;
            core::str::from_utf8(text).map_err(|_| Stop)?
        } else {
            parser.scanner.text.get(quoted.start..quoted.end).ok_or(Stop)?
        };
        Ok(parser.input.assign(self, text)?)
    }
}

impl<'i> ParseValue<'i, kinds::Bytes> for Vec<u8> {
    #[inline]
    fn parse(&mut self, parser: &mut StructParser<'_, 'i>) -> Parsed {
        self.clear();
        parser.base64(self)
    }
}

#[cfg(feature = "bytes")]
impl<'i> ParseValue<'i, kinds::Bytes> for bytes::Bytes {
    fn parse(&mut self, parser: &mut StructParser<'_, 'i>) -> Parsed {
        let (mut decoded, mut bytes) = (Vec::new(), Vec::new());
        parser.base64(&mut decoded)?;
        // Without capacity to spare, `Bytes` takes the block as it is, and allocates nothing that could fail.
        parser.input.assign_bytes(&mut bytes, &decoded)?;
        *self = bytes.into();
        Ok(())
    }
}

#[cfg(feature = "bytestring")]
impl<'i> ParseValue<'i, kinds::String> for bytestring::ByteString {
    fn parse(&mut self, parser: &mut StructParser<'_, 'i>) -> Parsed {
        let (mut parsed, mut text) = (String::new(), Vec::new());
        ParseValue::<kinds::String>::parse(&mut parsed, parser)?;
        // Without capacity to spare, as `Bytes` above.
        parser.input.assign_bytes(&mut text, parsed.as_bytes())?;
        *self = bytes::Bytes::from(text).try_into().map_err(|_| Stop)?;
        Ok(())
    }
}

/// Members that borrow from the input are not made of JSON.
macro_rules! borrowed {
    ($($kind:ident $type:ty;)*) => {$(
        impl<'i, 'a> ParseValue<'i, kinds::$kind> for $type {
            fn parse(&mut self, _: &mut StructParser<'_, 'i>) -> Parsed {
                Err(Stop)
            }
        }
    )*};
}

borrowed! {
    String &'a str;
    String Cow<'a, str>;
    Bytes &'a [u8];
    Bytes Cow<'a, [u8]>;
}

/// Members without presence are parsed as values.
macro_rules! fields {
    ($([$($generics:tt)*] $kind:ty, $type:ty;)*) => {$(
        impl<'i, $($generics)*> ParseField<'i, $kind> for $type {
            #[inline]
            fn parse(&mut self, parser: &mut StructParser<'_, 'i>) -> Parsed {
                ParseValue::<$kind>::parse(self, parser)
            }
        }
    )*};
}

fields! {
    [M: DecodeFrom<'i>] Nested<M>, M;
    [M: DecodeFrom<'i>] GroupOf<M>, M;
    [M: DecodeOwned] Nested<M>, Lazy<M>;
    [M: DecodeOwned] GroupOf<M>, Lazy<M>;
}

macro_rules! messages {
    ($($kind:ident),*) => {$(
        impl<'i, M: DecodeFrom<'i>> ParseValue<'i, $kind<M>> for M {
            #[inline]
            fn parse(&mut self, parser: &mut StructParser<'_, 'i>) -> Parsed {
                parser.message(self)
            }
        }

        impl<'i, M: DecodeFrom<'i>> ParseValue<'i, $kind<M>> for Box<M> {
            #[inline]
            fn parse(&mut self, parser: &mut StructParser<'_, 'i>) -> Parsed {
                parser.message(&mut **self)
            }
        }

        /// It keeps the bytes of the message.
        impl<'i, M: DecodeOwned> ParseValue<'i, $kind<M>> for Lazy<M> {
            fn parse(&mut self, _: &mut StructParser<'_, 'i>) -> Parsed {
                Err(Stop)
            }
        }

        /// It is the bytes of the message.
        impl<'i, M: DecodeOwned> ParseValue<'i, $kind<M>> for Prepared<M> {
            fn parse(&mut self, _: &mut StructParser<'_, 'i>) -> Parsed {
                Err(Stop)
            }
        }
    )*};
}

messages!(Nested, GroupOf);

impl<'i, K: ValueKind, T: DecodeValue<'i, K>> ParseField<'i, K> for Option<T> {
    #[inline]
    fn parse(&mut self, parser: &mut StructParser<'_, 'i>) -> Parsed {
        memory::insert_fresh(self, &mut parser.input)?.parse(parser)
    }
}

impl<'i, K: ValueKind, T: DecodeValue<'i, K>> ParseField<'i, Required<K>> for Option<T> {
    #[inline]
    fn parse(&mut self, parser: &mut StructParser<'_, 'i>) -> Parsed {
        ParseField::<K>::parse(self, parser)
    }
}

impl<'i, K: ValueKind, T: DecodeValue<'i, K>> ParseField<'i, Repeated<K>> for Vec<T> {
    #[inline]
    fn parse(&mut self, parser: &mut StructParser<'_, 'i>) -> Parsed {
        T::parse_all(self, parser)
    }
}

impl<'i, KK: KindMarker, VK: KindMarker, F: MapMember> ParseField<'i, MapEntries<KK, VK>> for F
where
    F::Key: DecodeValue<'i, KK>,
    F::Value: DecodeValue<'i, VK>,
{
    #[inline]
    fn parse(&mut self, parser: &mut StructParser<'_, 'i>) -> Parsed {
        parser.entries(|parser, at| {
            parser.aside(
                |input| Ok((F::Key::fresh(input)?, F::Value::fresh(input)?)),
                |(key, value), parser| {
                    key.parse_key(parser)?;
                    parser.entry_value(value, at)
                },
                |(key, value), parser| {
                    // A key that occurs twice is an error, or the last one wins.
                    if self.insert_entry(key, value, &mut parser.input)? { Ok(()) } else { Err(Stop) }
                },
            )
        })
    }
}
