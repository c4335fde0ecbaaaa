//! The values of JSON that become one number: booleans, integers and floating-point numbers, also in quotes.

use super::scan::JsonScanner;
use crate::formats::json::error::DeserializeErrorKind as Kind;
use crate::formats::numbers::{Decimal, Integer, JsonNumber};
use crate::schema::program::Scalar;
use alloc::vec::Vec;

impl<'j> JsonScanner<'j> {
    /// The kind of fault where a value of another type is wanted.
    #[cold]
    pub(crate) fn wrong_type(&self) -> Kind {
        match self.input.get(self.at) {
            None => Kind::Incomplete,
            Some(b'"' | b'{' | b'[' | b't' | b'f' | b'n' | b'-' | b'0'..=b'9') => Kind::WrongType,
            Some(_) => Kind::InvalidSyntax,
        }
    }

    /// A number, perhaps in quotes.
    #[inline]
    pub(crate) fn number<'t>(&mut self, scratch: &'t mut Vec<u8>) -> Result<JsonNumber<'t>, Kind>
    where
        'j: 't,
    {
        if self.peek()? == b'"' {
            return self.quoted_number(scratch);
        }
        let rest = self.input.get(self.at..).unwrap_or_default();
        match JsonNumber::scan(rest) {
            Some((number, len)) => {
                self.at += len;
                Ok(number)
            }
            None => Err(self.no_number()),
        }
    }

    fn quoted_number<'t>(&mut self, scratch: &'t mut Vec<u8>) -> Result<JsonNumber<'t>, Kind>
    where
        'j: 't,
    {
        let start = self.at;
        let quoted = self.string()?;
        let end = core::mem::replace(&mut self.at, start);
        let text = self.text(quoted, scratch)?;
        let number = JsonNumber::whole(text).ok_or(Kind::InvalidNumber)?;
        self.at = end;
        Ok(number)
    }

    #[cold]
    fn no_number(&self) -> Kind {
        match self.input.get(self.at..) {
            Some([b'-']) => Kind::Incomplete,
            Some([b'-' | b'0'..=b'9', ..]) => Kind::InvalidNumber,
            _ => self.wrong_type(),
        }
    }

    pub(crate) fn boolean(&mut self) -> Result<bool, Kind> {
        match self.peek()? {
            b't' => self.literal(b"true").map(|()| true),
            b'f' => self.literal(b"false").map(|()| false),
            _ => Err(self.wrong_type()),
        }
    }

    /// The text of a string that may be `NaN`, `Infinity` or `-Infinity`, which has been taken if it is.
    #[inline]
    fn special(&mut self) -> Option<f64> {
        let rest = self.input.get(self.at..).unwrap_or_default();
        if rest.first() != Some(&b'"') {
            return None;
        }
        let names = [
            (&b"\"NaN\""[..], f64::NAN),
            (b"\"Infinity\"", f64::INFINITY),
            (b"\"-Infinity\"", f64::NEG_INFINITY),
        ];
        let (name, value) = names.into_iter().find(|(name, _)| rest.starts_with(name))?;
        self.at += name.len();
        Some(value)
    }

    pub(crate) fn double(&mut self, scratch: &mut Vec<u8>) -> Result<f64, Kind> {
        if let Some((number, end)) = Decimal::short(self.input, self.at)
            && let Some(value) = number.f64()
        {
            self.at = end;
            return Ok(value);
        }
        if let Some(value) = self.special() {
            return Ok(value);
        }
        let start = self.at;
        let value = self.number(scratch)?.f64();
        value.ok_or_else(|| self.fail(start, Kind::OutOfRange))
    }

    pub(crate) fn float(&mut self, scratch: &mut Vec<u8>) -> Result<f32, Kind> {
        if let Some((number, end)) = Decimal::short(self.input, self.at)
            && let Some(value) = number.f32()
        {
            self.at = end;
            return Ok(value);
        }
        if let Some(value) = self.special() {
            return Ok(value as f32);
        }
        let start = self.at;
        let value = self.number(scratch)?.f32();
        value.ok_or_else(|| self.fail(start, Kind::OutOfRange))
    }
}

/// An integer as a type of 32 or 64 bits has it.
pub(crate) fn integer_word(scalar: Scalar, integer: Integer) -> Result<u64, Kind> {
    let value = match scalar {
        Scalar::I32 => {
            integer.signed(i32::MIN.into(), i32::MAX.into()).map(|value| u64::from(value as i32 as u32))
        }
        Scalar::I64 => integer.signed(i64::MIN, i64::MAX).map(|value| value as u64),
        Scalar::U32 => integer.unsigned(u32::MAX.into()),
        _ => integer.unsigned(u64::MAX),
    };
    value.ok_or(if integer == Integer::Fraction { Kind::InvalidNumber } else { Kind::OutOfRange })
}

/// The key of a map as a word or two; not for strings. As in C++, the key of an integer type has neither a point nor an exponent, and one without
/// sign no minus.
pub(crate) fn key_word(scalar: Scalar, text: &[u8]) -> Result<u64, Kind> {
    match (scalar, text) {
        (Scalar::Bool, b"true") => Ok(1),
        (Scalar::Bool, b"false") => Ok(0),
        (Scalar::Bool, _) => Err(Kind::WrongType),
        _ => {
            let number = JsonNumber::whole(text).filter(JsonNumber::is_plain).ok_or(Kind::InvalidNumber)?;
            let minus = matches!(scalar, Scalar::U32 | Scalar::U64) && text.starts_with(b"-");
            if minus { Err(Kind::OutOfRange) } else { integer_word(scalar, number.integer()) }
        }
    }
}

/// What the slot of an integer field holds for a number of this sign and size, if it fits.
#[inline(always)]
pub(crate) fn word_of(scalar: Scalar, (negative, size): (bool, u64)) -> Option<u64> {
    let value = if negative { size.wrapping_neg() } else { size };
    // As many negative numbers as others, and the one below them.
    let least = u64::from(negative);
    let fits = match scalar {
        Scalar::I32 => size <= i32::MAX as u64 + least,
        Scalar::I64 => size <= i64::MAX as u64 + least,
        Scalar::U32 => size <= u32::MAX.into() && (!negative || size == 0),
        _ => !negative || size == 0,
    };
    let word = if matches!(scalar, Scalar::I32) { u64::from(value as u32) } else { value };
    fits.then_some(word)
}
