//! Values: scalars and keys.

use super::JsonParser;
use super::scan::unescape_to;
use super::scan_value::{integer_word, key_word, word_of};
use crate::formats::json::error::DeserializeErrorKind as Kind;
use crate::formats::numbers::decode_base64;
use crate::schema::pool::FieldFormats;
use crate::schema::program::{Coding, FieldEntry, Scalar};

impl JsonParser<'_, '_, '_> {
    /// A scalar, as the word or two of its slot; nothing if it is an enum value that is to be ignored.
    #[inline]
    pub(in crate::formats::json) fn scalar(
        &mut self,
        names: FieldFormats<'_>,
        entry: &FieldEntry,
        position: usize,
    ) -> Result<Option<u64>, Kind> {
        let start = self.scanner.at;
        Ok(Some(match entry.scalar() {
            Scalar::String => {
                if self.scanner.peek()? != b'"' {
                    return Err(self.scanner.wrong_type());
                }
                self.string(entry.coding)?
            }
            Scalar::Bytes => self.bytes()?,
            Scalar::Bool => self.scanner.boolean()?.into(),
            Scalar::F64 => self.scanner.double(&mut self.scratch)?.to_bits(),
            Scalar::F32 => self.scanner.float(&mut self.scratch)?.to_bits().into(),
            Scalar::Enum => return self.enumeration(names, entry, position),
            scalar => {
                if let Some(word) = self.scanner.short_integer().and_then(|value| word_of(scalar, value)) {
                    return Ok(Some(word));
                }
                self.scanner.at = start;
                let integer = self.scanner.number(&mut self.scratch)?.integer();
                integer_word(scalar, integer).map_err(|kind| self.scanner.fail(start, kind))?
            }
        }))
    }

    /// A string, which goes to the store.
    #[inline]
    pub(in crate::formats::json) fn string(&mut self, coding: Coding) -> Result<u64, Kind> {
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
    fn bytes(&mut self) -> Result<u64, Kind> {
        let start = self.scanner.at;
        if self.scanner.peek()? != b'"' {
            return Err(self.scanner.wrong_type());
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
    ) -> Result<Option<u64>, Kind> {
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
                let number = self.scanner.number(&mut self.scratch)?.integer();
                let word =
                    integer_word(Scalar::I32, number).map_err(|kind| self.scanner.fail(start, kind))?;
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
    pub(in crate::formats::json) fn map_key(&mut self, key: &FieldEntry) -> Result<u64, Kind> {
        let start = self.scanner.at;
        if key.scalar() == Scalar::String {
            return self.string(key.coding);
        }
        let quoted = self.scanner.string()?;
        let text = self.text(quoted)?;
        key_word(key.scalar(), text).map_err(|kind| self.scanner.fail(start, kind))
    }
}
