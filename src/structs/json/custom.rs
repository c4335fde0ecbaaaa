//! JSON of custom values: that of the values that are encoded in their place.

use super::parse::{ParseField, ParseValue, Parsed, Stop, StructParser};
use super::print::{PrintField, PrintValue, StructPrinter};
use crate::schema::table::DefaultValue;
use crate::structs::grammar::kinds::{self, Custom, GroupOf, Nested, ScalarKind, ValueKind};
use crate::structs::members::field::ScalarValue;
use crate::structs::{CustomValue, DecodeFrom};
use alloc::{string::String, vec::Vec};

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
        let mut text = String::new();
        ParseValue::<kinds::String>::parse(&mut text, parser)?;
        *self = T::from_encoded(&text).ok_or(Stop)?;
        Ok(())
    }
}

impl<'i, T: for<'a> CustomValue<Encoded<'a> = &'a [u8]>> ParseValue<'i, Custom<kinds::Bytes>> for T {
    fn parse(&mut self, parser: &mut StructParser<'_, 'i>) -> Parsed {
        let mut bytes = Vec::new();
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
