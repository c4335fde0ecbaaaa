//! Values that are skipped: those of reserved names, of numbers, and of unknown fields if they are allowed.

use super::TextParser;
use super::scan::{closing, special};
use crate::formats::ParseErrorKind as Kind;
use crate::formats::text::strings;
use crate::formats::text::strings::is_url_byte;

/// Closes a list without a colon before it, which has messages only. A list of any values is closed by its own bracket here.
const MESSAGES: u8 = b')';

impl TextParser<'_, '_, '_> {
    /// Skips the value of a field, which follows a colon or does not, with at most so many levels of messages.
    pub(in crate::formats::text) fn skip(&mut self, colon: bool, levels: u32) -> Result<(), Kind> {
        // `scratch` has, for each message and list that is open, what closes it.
        self.scratch.clear();
        let (mut scalar, mut depth) = (colon, 0);
        loop {
            // At the start of a value.
            let in_list = matches!(self.scratch.last(), Some(&(b']' | MESSAGES)));
            let mut ended = true;
            match self.scanner.peek() {
                Some(byte @ (b'{' | b'<')) => {
                    if depth >= levels {
                        return Err(Kind::DepthExceeded);
                    }
                    self.note_byte(closing(byte))?;
                    depth += 1;
                    self.scanner.take(byte);
                    ended = false;
                }
                Some(b'[') if !in_list => {
                    self.scanner.take(b'[');
                    if !self.scanner.take(b']') {
                        self.note_byte(if scalar { b']' } else { MESSAGES })?;
                        continue;
                    }
                }
                _ if scalar => self.skip_scalar()?,
                _ => return Err(self.scanner.wrong_type()),
            }
            // It has ended, or it is a message that has begun.
            loop {
                let Some(&close) = self.scratch.last() else { return Ok(()) };
                if matches!(close, b']' | MESSAGES) {
                    if self.scanner.take(b',') {
                        scalar = close == b']';
                        break;
                    }
                    self.scanner.must(b']')?;
                    self.scratch.pop();
                    continue;
                }
                if ended {
                    self.scanner.separator();
                }
                if self.scanner.take(close) {
                    self.scratch.pop();
                    depth -= 1;
                    ended = true;
                    continue;
                }
                scalar = self.skip_name()?;
                break;
            }
        }
    }

    /// Skips a name and the colon after it; says whether there was one.
    fn skip_name(&mut self) -> Result<bool, Kind> {
        let scanner = &mut self.scanner;
        if scanner.take(b'[') {
            while scanner.peek().is_some_and(is_url_byte) {
                scanner.at += 1;
                scanner.space();
            }
            scanner.must(b']')?;
        } else if scanner.identifier().is_some() || scanner.field_number()? {
            scanner.space();
        } else {
            return Err(scanner.unexpected());
        }
        Ok(scanner.take(b':'))
    }

    fn skip_scalar(&mut self) -> Result<(), Kind> {
        let scanner = &mut self.scanner;
        if let Some(b'"' | b'\'') = scanner.peek() {
            while let Some(b'"' | b'\'') = scanner.peek() {
                let start = scanner.at + 1;
                let raw = scanner.literal()?;
                strings::check(raw).map_err(|at| scanner.fail(start + at, Kind::InvalidString))?;
            }
            return Ok(());
        }
        let negative = scanner.take(b'-');
        let start = scanner.at;
        if let Some(name) = scanner.identifier() {
            if negative && special(name).is_none() {
                return Err(scanner.fail(start, Kind::InvalidNumber));
            }
            scanner.space();
            return Ok(());
        }
        match scanner.number()? {
            Some(_) => Ok(()),
            None => Err(scanner.unexpected()),
        }
    }
}
