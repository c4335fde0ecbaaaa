//! Bytes out of text.

use super::number::{self, Number};
use super::varint;
use std::fmt;

/// What is wrong, and where: line and column from 1, in bytes.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault {
    pub line: usize,
    pub column: usize,
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at line {}, column {}", self.what, self.line, self.column)
    }
}

/// What is open.
enum Open {
    /// `{`: where its content begins, and how much longer its length is than it need be.
    Length { start: usize, longer: usize },
    /// `!{`: the field number.
    Group { number: i64 },
}

/// Braces in braces.
const MAX_DEPTH: usize = 1000;

struct Assembler<'t> {
    text: &'t str,
    at: usize,
    out: Vec<u8>,
    open: Vec<Open>,
    /// Where a tag stands whose wire type is not known yet, and its field number.
    untyped: Option<(usize, i64)>,
    /// `long-form:N`, and where it stands.
    longer: Option<(usize, usize)>,
}

/// The bytes that a text stands for.
///
/// A stack takes the place of recursion. A group stays open up to its own brace, so that `}` closes what was opened last.
pub fn assemble(text: &str) -> Result<Vec<u8>, Fault> {
    let open = Vec::new();
    let mut this = Assembler { text, at: 0, out: Vec::new(), open, untyped: None, longer: None };
    while let Some(first) = this.skip_space() {
        let start = this.at;
        this.token(first, start)?;
    }
    if let Some((_, at)) = this.longer {
        return Err(this.fault(at, "long-form stands before a brace or an integer"));
    }
    match this.open.is_empty() {
        true => Ok(this.out),
        false => Err(this.fault(text.len(), "a brace is not closed")),
    }
}

impl<'t> Assembler<'t> {
    fn fault(&self, at: usize, what: impl Into<String>) -> Fault {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        let line = before.iter().filter(|&&byte| byte == b'\n').count();
        let column = before.iter().rev().take_while(|&&byte| byte != b'\n').count();
        Fault { line: line + 1, column: column + 1, what: what.into() }
    }

    fn rest(&self) -> &'t [u8] {
        &self.text.as_bytes()[self.at..]
    }

    /// The first byte of the next token.
    fn skip_space(&mut self) -> Option<u8> {
        loop {
            match self.rest().first()? {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'#' => {
                    self.at += self.rest().iter().position(|&byte| byte == b'\n').unwrap_or(self.rest().len())
                }
                &first => return Some(first),
            }
        }
    }

    fn token(&mut self, first: u8, start: usize) -> Result<(), Fault> {
        match first {
            b'{' => {
                self.at += 1;
                self.type_is(2);
                let longer = self.longer.take().map_or(0, |(longer, _)| longer);
                self.room(start)?;
                self.open.push(Open::Length { start: self.out.len(), longer });
            }
            b'!' => {
                if self.rest().get(1) != Some(&b'{') {
                    return Err(self.fault(start, "{ was expected after !"));
                }
                self.at += 2;
                self.no_longer()?;
                let Some((_, number)) = self.untyped else {
                    return Err(self.fault(start, "a group !{ follows a field number without a wire type"));
                };
                self.type_is(3);
                self.room(start)?;
                self.open.push(Open::Group { number });
            }
            b'}' => self.close(start)?,
            b'"' => {
                let bytes = self.quoted(start)?;
                self.bytes(0, &bytes)?;
            }
            b'`' => {
                let bytes = self.hex(start)?;
                self.bytes(0, &bytes)?;
            }
            _ => self.word(start)?,
        }
        Ok(())
    }

    /// Lengths are put in when braces close, so that what is in many of them would be moved many times.
    fn room(&self, start: usize) -> Result<(), Fault> {
        if self.open.len() < MAX_DEPTH { Ok(()) } else { Err(self.fault(start, "braces are too deep")) }
    }

    /// The wire type of the tag before, if it has none.
    fn type_is(&mut self, wire_type: u8) {
        if let Some((at, _)) = self.untyped.take() {
            self.out[at] |= wire_type;
        }
    }

    fn no_longer(&self) -> Result<(), Fault> {
        match self.longer {
            None => Ok(()),
            Some((_, at)) => Err(self.fault(at, "long-form stands before a brace or an integer")),
        }
    }

    fn bytes(&mut self, wire_type: u8, bytes: &[u8]) -> Result<(), Fault> {
        self.no_longer()?;
        self.type_is(wire_type);
        self.out.extend(bytes);
        Ok(())
    }

    fn close(&mut self, start: usize) -> Result<(), Fault> {
        self.at += 1;
        self.type_is(0);
        match self.open.pop() {
            None => return Err(self.fault(start, "there is no brace to close")),
            Some(Open::Group { number }) => {
                let longer = self.longer.take().map_or(0, |(longer, _)| longer);
                varint((number << 3 | 4) as u64, longer, &mut self.out);
            }
            Some(Open::Length { start, longer }) => {
                self.no_longer()?;
                let mut prefix = Vec::new();
                varint((self.out.len() - start) as u64, longer, &mut prefix);
                self.out.splice(start..start, prefix);
            }
        }
        Ok(())
    }

    fn quoted(&mut self, start: usize) -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::new();
        self.at += 1;
        loop {
            match *self.rest() {
                [] => return Err(self.fault(start, "a string is not closed")),
                [b'"', ..] => {
                    self.at += 1;
                    return Ok(bytes);
                }
                [b'\\', escape, ..] => {
                    let value = self.escape(escape)?;
                    bytes.push(value);
                }
                [byte, ..] => {
                    self.at += 1;
                    bytes.push(byte);
                }
            }
        }
    }

    /// The byte that an escape stands for; `at` is at its backslash.
    fn escape(&mut self, escape: u8) -> Result<u8, Fault> {
        let start = self.at;
        self.at += 2;
        match escape {
            b'n' => Ok(b'\n'),
            b'"' | b'\\' => Ok(escape),
            b'x' => {
                let digits = self.text.get(self.at..self.at + 2);
                let digits = digits.filter(|it| it.bytes().all(|byte| byte.is_ascii_hexdigit()));
                self.at += 2;
                digits
                    .and_then(|digits| u8::from_str_radix(digits, 16).ok())
                    .ok_or_else(|| self.fault(start, "two hexadecimal digits were expected after \\x"))
            }
            b'0'..=b'7' => {
                let digits = self.text.as_bytes()[start + 1..].iter().take(3);
                let len = digits.take_while(|byte| matches!(byte, b'0'..=b'7')).count();
                self.at = start + 1 + len;
                u8::from_str_radix(&self.text[start + 1..self.at], 8)
                    .map_err(|_| self.fault(start, "the escape is more than a byte"))
            }
            _ => {
                Err(self.fault(start, "there is no such escape: \\n, \\\", \\\\, \\x00 and \\000 are known"))
            }
        }
    }

    fn hex(&mut self, start: usize) -> Result<Vec<u8>, Fault> {
        self.at += 1;
        let Some(len) = self.rest().iter().position(|&byte| byte == b'`') else {
            return Err(self.fault(start, "a hex literal is not closed"));
        };
        let digits = &self.rest()[..len];
        self.at += len + 1;
        let pairs = digits.chunks(2).map(|pair| match pair {
            [a, b] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => {
                let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or(0) as u8;
                Some(digit(*a) << 4 | digit(*b))
            }
            _ => None,
        });
        pairs
            .collect::<Option<Vec<u8>>>()
            .ok_or_else(|| self.fault(start, "a hex literal has pairs of hexadecimal digits"))
    }

    fn word(&mut self, start: usize) -> Result<(), Fault> {
        let ends = |byte: &u8| {
            matches!(
                byte,
                b' ' | b'\t' | b'\n' | b'\r' | b'{' | b'}' | b'[' | b']' | b'`' | b'"' | b'#' | b'!'
            )
        };
        let len = self.rest().iter().skip(1).position(ends).map_or(self.rest().len(), |at| at + 1);
        let word = self.text.get(start..start + len).unwrap_or("");
        self.at += len;
        if let Some(count) = word.strip_prefix("long-form:") {
            self.no_longer()?;
            let longer = count.parse::<usize>().ok().filter(|&longer| longer <= 1 << 20);
            let longer = longer.ok_or_else(|| {
                self.fault(start, "long-form is followed by a number of bytes, at most 2^20")
            })?;
            self.longer = Some((longer, start));
            return Ok(());
        }
        let fixed: (u8, &[u8]) = match word {
            "true" => (0, &[1]),
            "false" => (0, &[0]),
            "inf32" => (5, &f32::INFINITY.to_le_bytes()),
            "-inf32" => (5, &f32::NEG_INFINITY.to_le_bytes()),
            "inf64" => (1, &f64::INFINITY.to_le_bytes()),
            "-inf64" => (1, &f64::NEG_INFINITY.to_le_bytes()),
            _ => return self.number(word, start),
        };
        self.bytes(fixed.0, fixed.1)
    }

    fn number(&mut self, word: &str, start: usize) -> Result<(), Fault> {
        let read =
            number::read(word).ok_or_else(|| self.fault(start, format!("{word:?} means nothing here")))?;
        match read.map_err(|what| self.fault(start, what))? {
            Number::Fixed32(value) => self.bytes(5, &value.to_le_bytes()),
            Number::Fixed64(value) => self.bytes(1, &value.to_le_bytes()),
            Number::Varint(value) => {
                let longer = self.longer.take().map_or(0, |(longer, _)| longer);
                self.type_is(0);
                varint(value, longer, &mut self.out);
                Ok(())
            }
            Number::Tag { number, wire_type } => {
                let longer = self.longer.take().map_or(0, |(longer, _)| longer);
                self.type_is(0);
                let at = self.out.len();
                varint((number << 3 | i64::from(wire_type.unwrap_or(0))) as u64, longer, &mut self.out);
                self.untyped = if wire_type.is_none() { Some((at, number)) } else { None };
                Ok(())
            }
        }
    }
}
