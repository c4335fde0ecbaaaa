//! Scalars.

use super::TextParser;
use super::scan::{NumberToken, special};
use crate::formats::numbers::{Integer, JsonNumber};
use crate::formats::text::error::ParseErrorKind as Kind;
use crate::formats::text::strings::unescape_to;
use crate::schema::program::{Coding, FieldEntry, Program, Scalar};

impl TextParser<'_, '_, '_> {
    /// A scalar, as the word or two of its slot.
    pub(in crate::formats::text) fn scalar(
        &mut self,
        program: &Program,
        entry: &FieldEntry,
        position: usize,
    ) -> Result<u64, Kind> {
        Ok(match entry.scalar() {
            Scalar::String | Scalar::Bytes => self.string(entry.coding)?,
            Scalar::Bool => self.boolean()?.into(),
            Scalar::F64 => self.float(|number| number.f64(), |text| text.parse().ok())?.to_bits(),
            // To the nearest 32-bit number in one step; there and back again is exact.
            Scalar::F32 => {
                let parse = |text: &str| text.parse::<f32>().ok().map(f64::from);
                (self.float(|number| number.f32().map(f64::from), parse)? as f32).to_bits().into()
            }
            Scalar::Enum => self.enumeration(program, entry, position)?,
            scalar => self.integer(scalar)?,
        })
    }

    /// One literal or several in a row, which go to the store.
    fn string(&mut self, coding: Coding) -> Result<u64, Kind> {
        let (start, mark) = (self.scanner.at, self.builder.mark());
        loop {
            let content = self.scanner.at + 1;
            let raw = self.scanner.literal()?;
            let store = self.builder.store(raw.len())?;
            if let Err(at) = unescape_to(raw, store) {
                return Err(self.scanner.fail(content + at, Kind::InvalidString));
            }
            if !matches!(self.scanner.peek(), Some(b'"' | b'\'')) {
                break;
            }
        }
        self.builder.span(coding, mark).ok_or_else(|| self.scanner.fail(start, Kind::InvalidUtf8))
    }

    fn boolean(&mut self) -> Result<bool, Kind> {
        let start = self.scanner.at;
        if let Some(name) = self.scanner.identifier() {
            self.scanner.space();
            return match name {
                b"true" | b"True" | b"t" => Ok(true),
                b"false" | b"False" | b"f" => Ok(false),
                _ => Err(self.scanner.fail(start, Kind::WrongType)),
            };
        }
        match self.scanner.number()? {
            Some(NumberToken::Decimal(Some(bit @ 0..=1), _) | NumberToken::Other(Some(bit @ 0..=1))) => {
                Ok(bit == 1)
            }
            Some(NumberToken::Float(_)) => Err(self.scanner.fail(start, Kind::WrongType)),
            Some(_) => Err(self.scanner.fail(start, Kind::OutOfRange)),
            None => Err(self.scanner.wrong_type()),
        }
    }

    /// An integer with its sign.
    fn whole(&mut self, start: usize) -> Result<Integer, Kind> {
        let negative = self.scanner.take(b'-');
        match self.scanner.number()? {
            Some(NumberToken::Decimal(Some(size), _) | NumberToken::Other(Some(size))) => {
                Ok(Integer::Whole { negative, size })
            }
            Some(NumberToken::Float(_)) => Err(self.scanner.fail(start, Kind::InvalidNumber)),
            Some(_) => Ok(Integer::Huge),
            None => Err(self.scanner.wrong_type()),
        }
    }

    /// An integer as a type of 32 or 64 bits has it.
    fn integer(&mut self, scalar: Scalar) -> Result<u64, Kind> {
        let start = self.scanner.at;
        let signed = matches!(scalar, Scalar::I32 | Scalar::I64);
        // Unsigned numbers have no sign, not even zero.
        if !signed && self.scanner.peek() == Some(b'-') {
            return Err(Kind::OutOfRange);
        }
        let integer = self.whole(start)?;
        let value = match scalar {
            Scalar::I32 => {
                integer.signed(i32::MIN.into(), i32::MAX.into()).map(|value| u64::from(value as i32 as u32))
            }
            Scalar::I64 => integer.signed(i64::MIN, i64::MAX).map(|value| value as u64),
            Scalar::U32 => integer.unsigned(u32::MAX.into()),
            _ => integer.unsigned(u64::MAX),
        };
        value.ok_or_else(|| self.scanner.fail(start, Kind::OutOfRange))
    }

    /// A decimal number, infinity or NaN. What is too large becomes infinite.
    fn float(
        &mut self,
        exact: impl Fn(&JsonNumber<'_>) -> Option<f64>,
        parse: impl Fn(&str) -> Option<f64>,
    ) -> Result<f64, Kind> {
        let negative = self.scanner.take(b'-');
        let start = self.scanner.at;
        let size = match self.scanner.identifier() {
            Some(name) => {
                let value = special(name).ok_or_else(|| self.scanner.fail(start, Kind::WrongType))?;
                self.scanner.space();
                value
            }
            None => match self.scanner.number()? {
                Some(NumberToken::Decimal(_, text) | NumberToken::Float(text)) => {
                    // JSON has no numbers such as `.5` and `5.`, and none that are infinite.
                    let value = JsonNumber::whole(text).and_then(|number| exact(&number));
                    let text = core::str::from_utf8(text).unwrap_or_default();
                    value
                        .or_else(|| parse(text))
                        .ok_or_else(|| self.scanner.fail(start, Kind::InvalidNumber))?
                }
                Some(NumberToken::Other(_)) => return Err(self.scanner.fail(start, Kind::InvalidNumber)),
                None => return Err(self.scanner.wrong_type()),
            },
        };
        Ok(if negative { -size } else { size })
    }

    /// An enum value by name or number.
    fn enumeration(&mut self, program: &Program, entry: &FieldEntry, position: usize) -> Result<u64, Kind> {
        let start = self.scanner.at;
        let enumeration = self.pool.field_formats(program.message()).enumeration(position);
        let number = if let Some(name) = self.scanner.identifier() {
            self.scanner.space();
            self.pool.enum_number(enumeration, core::str::from_utf8(name).unwrap_or_default())
        } else {
            let integer = self.whole(start)?;
            let number = integer.signed(i32::MIN.into(), i32::MAX.into());
            let number = number.ok_or_else(|| self.scanner.fail(start, Kind::OutOfRange))? as i32;
            let listed =
                entry.coding != Coding::ClosedEnum || self.builder.set.enum_contains(entry.sub, number);
            listed.then_some(number)
        };
        let number = number.ok_or_else(|| self.scanner.fail(start, Kind::UnknownEnumValue))?;
        Ok(u64::from(number as u32))
    }
}
