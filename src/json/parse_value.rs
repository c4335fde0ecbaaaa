//! Values: scalars and keys.

use super::error::DeserializeErrorKind as Kind;
use super::parse::{Parser, Result};
use super::scan::unescape_to;
use crate::formats::{Decimal, Integer, JsonNumber, decode_base64};
use crate::program::{Coding, FieldEntry, Scalar};
use crate::schema::FieldFormats;

impl Parser<'_, '_, '_> {
    /// A scalar, as the word or two of its slot; nothing if it is an enum value that is to be ignored.
    #[inline]
    pub(super) fn scalar(
        &mut self,
        names: FieldFormats<'_>,
        entry: &FieldEntry,
        position: usize,
    ) -> Result<Option<u64>> {
        let start = self.scanner.at;
        Ok(Some(match entry.scalar() {
            Scalar::String => {
                if self.scanner.peek()? != b'"' {
                    return Err(self.wrong_type());
                }
                self.string(entry.coding)?
            }
            Scalar::Bytes => self.bytes()?,
            Scalar::Bool => self.boolean()?.into(),
            Scalar::F64 => self.double()?.to_bits(),
            Scalar::F32 => self.float()?.to_bits().into(),
            Scalar::Enum => return self.enumeration(names, entry, position),
            scalar => {
                if let Some(word) = self.scanner.short_integer().and_then(|value| word_of(scalar, value)) {
                    return Ok(Some(word));
                }
                self.scanner.at = start;
                let integer = self.number()?.integer();
                self.integer(scalar, integer).map_err(|kind| self.scanner.fail(start, kind))?
            }
        }))
    }

    /// An integer as a type of 32 or 64 bits has it.
    fn integer(&self, scalar: Scalar, integer: Integer) -> Result<u64> {
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

    /// A number, perhaps in quotes.
    #[inline]
    fn number(&mut self) -> Result<JsonNumber<'_>> {
        if self.scanner.peek()? == b'"' {
            return self.quoted_number();
        }
        let rest = self.scanner.input.get(self.scanner.at..).unwrap_or_default();
        match JsonNumber::scan(rest) {
            Some((number, len)) => {
                self.scanner.at += len;
                Ok(number)
            }
            None => Err(self.no_number()),
        }
    }

    fn quoted_number(&mut self) -> Result<JsonNumber<'_>> {
        let start = self.scanner.at;
        let quoted = self.scanner.string()?;
        let end = core::mem::replace(&mut self.scanner.at, start);
        let text = self.scanner.text(quoted, &mut self.scratch)?;
        let number = JsonNumber::whole(text).ok_or(Kind::InvalidNumber)?;
        self.scanner.at = end;
        Ok(number)
    }

    #[cold]
    fn no_number(&self) -> Kind {
        match self.scanner.input.get(self.scanner.at..) {
            Some([b'-']) => Kind::Incomplete,
            Some([b'-' | b'0'..=b'9', ..]) => Kind::InvalidNumber,
            _ => self.wrong_type(),
        }
    }

    pub(super) fn boolean(&mut self) -> Result<bool> {
        match self.scanner.peek()? {
            b't' => self.scanner.literal(b"true").map(|()| true),
            b'f' => self.scanner.literal(b"false").map(|()| false),
            _ => Err(self.wrong_type()),
        }
    }

    /// The text of a string that may be `NaN`, `Infinity` or `-Infinity`, which has been taken if it is.
    #[inline]
    fn special(&mut self) -> Option<f64> {
        let rest = self.scanner.input.get(self.scanner.at..).unwrap_or_default();
        if rest.first() != Some(&b'"') {
            return None;
        }
        let names = [
            (&b"\"NaN\""[..], f64::NAN),
            (b"\"Infinity\"", f64::INFINITY),
            (b"\"-Infinity\"", f64::NEG_INFINITY),
        ];
        let (name, value) = names.into_iter().find(|(name, _)| rest.starts_with(name))?;
        self.scanner.at += name.len();
        Some(value)
    }

    pub(super) fn double(&mut self) -> Result<f64> {
        if let Some((number, end)) = Decimal::short(self.scanner.input, self.scanner.at)
            && let Some(value) = number.f64()
        {
            self.scanner.at = end;
            return Ok(value);
        }
        if let Some(value) = self.special() {
            return Ok(value);
        }
        let start = self.scanner.at;
        let value = self.number()?.f64();
        value.ok_or_else(|| self.scanner.fail(start, Kind::OutOfRange))
    }

    fn float(&mut self) -> Result<f32> {
        if let Some((number, end)) = Decimal::short(self.scanner.input, self.scanner.at)
            && let Some(value) = number.f32()
        {
            self.scanner.at = end;
            return Ok(value);
        }
        if let Some(value) = self.special() {
            return Ok(value as f32);
        }
        let start = self.scanner.at;
        let value = self.number()?.f32();
        value.ok_or_else(|| self.scanner.fail(start, Kind::OutOfRange))
    }

    /// A string, which goes to the store.
    #[inline]
    pub(super) fn string(&mut self, coding: Coding) -> Result<u64> {
        let start = self.scanner.at;
        let quoted = self.scanner.string()?;
        if !quoted.escaped {
            let rest = self.scanner.text.get(quoted.start..).unwrap_or_default();
            return Ok(self.builder.text(coding, rest, quoted.end - quoted.start)?);
        }
        let raw = self.scanner.input.get(quoted.start..quoted.end).unwrap_or_default();
        let mark = self.builder.mark();
        unescape_to(raw, self.builder.store(raw.len())?);
        self.builder.span(coding, mark).ok_or_else(|| self.scanner.fail(start, Kind::InvalidUtf8))
    }

    /// Base64.
    fn bytes(&mut self) -> Result<u64> {
        let start = self.scanner.at;
        if self.scanner.peek()? != b'"' {
            return Err(self.wrong_type());
        }
        let quoted = self.scanner.string()?;
        let text = self.scanner.text(quoted, &mut self.scratch)?;
        let mark = self.builder.mark();
        if !decode_base64(text, self.builder.store(text.len() / 4 * 3 + 3)?) {
            return Err(self.scanner.fail(start, Kind::InvalidBase64));
        }
        self.builder.span(Coding::Bytes, mark).ok_or(Kind::InvalidBase64)
    }

    /// An enum value by name or number.
    fn enumeration(
        &mut self,
        names: FieldFormats<'_>,
        entry: &FieldEntry,
        position: usize,
    ) -> Result<Option<u64>> {
        let start = self.scanner.at;
        let enumeration = names.enumeration(position);
        let number = match self.scanner.peek()? {
            b'"' => {
                let quoted = self.scanner.string()?;
                let pool = self.pool;
                let name = core::str::from_utf8(self.text(quoted)?).map_err(|_| Kind::InvalidUtf8)?;
                pool.json_enum_number(enumeration, name)
            }
            b'n' if names.is_null_value(position) => {
                self.scanner.literal(b"null")?;
                Some(0)
            }
            _ => {
                let number = self.number()?.integer();
                let word =
                    self.integer(Scalar::I32, number).map_err(|kind| self.scanner.fail(start, kind))?;
                let listed = entry.coding != Coding::ClosedEnum
                    || self.builder.set.enum_contains(entry.sub, word as i32);
                listed.then_some(word as i32)
            }
        };
        if number.is_none() && self.options.deny_unknown_fields {
            return Err(self.scanner.fail(start, Kind::UnknownEnumValue));
        }
        Ok(number.map(|number| u64::from(number as u32)))
    }

    /// The key of a map entry.
    pub(super) fn map_key(&mut self, key: &FieldEntry) -> Result<u64> {
        let start = self.scanner.at;
        if key.scalar() == Scalar::String {
            return self.string(key.coding);
        }
        let quoted = self.scanner.string()?;
        let text = self.text(quoted)?;
        let word = match (key.scalar(), text) {
            (Scalar::Bool, b"true") => Ok(1),
            (Scalar::Bool, b"false") => Ok(0),
            (Scalar::Bool, _) => Err(Kind::WrongType),
            (scalar, text) => match JsonNumber::whole(text).map(|number| number.integer()) {
                Some(integer) => self.integer(scalar, integer),
                None => Err(Kind::InvalidNumber),
            },
        };
        word.map_err(|kind| self.scanner.fail(start, kind))
    }
}

/// What the slot of an integer field holds for a number of this sign and size, if it fits.
#[inline(always)]
pub(super) fn word_of(scalar: Scalar, (negative, size): (bool, u64)) -> Option<u64> {
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
