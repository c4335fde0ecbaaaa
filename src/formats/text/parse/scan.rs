//! The tokens of text format: identifiers, numbers and strings.

use crate::formats::ParseErrorKind as Kind;

/// A number without its sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::formats::text) enum NumberToken<'t> {
    /// Decimal: its size, if it is below 2^64, and its text.
    Decimal(Option<u64>, &'t [u8]),
    /// Octal or hexadecimal.
    Other(Option<u64>),
    /// The text of a number with a point or an exponent, without the suffix `f`.
    Float(&'t [u8]),
}

/// A position in the input, which is UTF-8. Between tokens it is at the start of one. Where something fails, it is moved to what
/// is at fault.
pub(in crate::formats::text) struct TextScanner<'t> {
    pub(in crate::formats::text) input: &'t [u8],
    pub(in crate::formats::text) at: usize,
}

impl<'t> TextScanner<'t> {
    #[cold]
    pub(in crate::formats::text) fn fail(&mut self, at: usize, kind: Kind) -> Kind {
        self.at = at;
        kind
    }

    /// White space and comments.
    #[inline]
    pub(in crate::formats::text) fn space(&mut self) {
        while let Some(&byte) = self.input.get(self.at) {
            match byte {
                b' ' | b'\n' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'#' => {
                    let rest = self.input.get(self.at..).unwrap_or_default();
                    self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    #[inline]
    pub(in crate::formats::text) fn peek(&self) -> Option<u8> {
        self.input.get(self.at).copied()
    }

    /// Takes a character, and what separates it from the next token, if it comes next.
    #[inline]
    pub(in crate::formats::text) fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.at += 1;
            self.space();
        }
        found
    }

    /// Takes a character that must come next.
    pub(in crate::formats::text) fn must(&mut self, byte: u8) -> Result<(), Kind> {
        if self.take(byte) { Ok(()) } else { Err(self.unexpected()) }
    }

    /// What an unexpected character is: an error, or the end.
    #[cold]
    pub(in crate::formats::text) fn unexpected(&self) -> Kind {
        if self.at < self.input.len() { Kind::InvalidSyntax } else { Kind::Incomplete }
    }

    /// What a value of another type than the wanted one is.
    #[cold]
    pub(in crate::formats::text) fn wrong_type(&self) -> Kind {
        match self.peek() {
            None => Kind::Incomplete,
            Some(b'"' | b'\'' | b'{' | b'<' | b'[' | b'-' | b'.' | b'_') => Kind::WrongType,
            Some(byte) if byte.is_ascii_alphanumeric() => Kind::WrongType,
            Some(_) => Kind::InvalidSyntax,
        }
    }

    /// One `;` or `,` after a field.
    pub(in crate::formats::text) fn separator(&mut self) {
        let _ = self.take(b';') || self.take(b',');
    }

    /// How many bytes from `at` on satisfy a condition.
    #[inline]
    fn run(&self, at: usize, is: impl Fn(&u8) -> bool) -> usize {
        self.input.get(at..).unwrap_or_default().iter().take_while(|byte| is(byte)).count()
    }

    /// An identifier, without what separates it from the next token.
    #[inline]
    pub(in crate::formats::text) fn identifier(&mut self) -> Option<&'t [u8]> {
        let start = self.at;
        if !matches!(self.peek(), Some(b'a'..=b'z' | b'A'..=b'Z' | b'_')) {
            return None;
        }
        self.at += self.run(start, is_alphanumeric);
        self.input.get(start..self.at)
    }

    /// A number without sign, and what separates it from the next token; `None` if none begins here.
    pub(in crate::formats::text) fn number(&mut self) -> Result<Option<NumberToken<'t>>, Kind> {
        let start = self.at;
        let input: &'t [u8] = self.input;
        let (number, end) = match input.get(start..).unwrap_or_default() {
            [b'0', b'x' | b'X', ..] => {
                let len = self.run(start + 2, u8::is_ascii_hexdigit);
                let size = value(input.get(start + 2..start + 2 + len).unwrap_or_default(), 16);
                (Some(NumberToken::Other(size)).filter(|_| len > 0), start + 2 + len)
            }
            [b'0', b'0'..=b'9', ..] => {
                let len = self.run(start, |byte| matches!(byte, b'0'..=b'7'));
                (
                    Some(NumberToken::Other(value(input.get(start..start + len).unwrap_or_default(), 8))),
                    start + len,
                )
            }
            [b'0'..=b'9', ..] => self.decimal(start),
            [b'.', b'0'..=b'9', ..] => self.decimal(start),
            _ => return Ok(None),
        };
        // Neither a name nor a point may follow.
        let ends = !input.get(end).is_some_and(|byte| is_alphanumeric(byte) || *byte == b'.');
        match number.filter(|_| ends) {
            Some(number) => {
                self.at = end;
                self.space();
                Ok(Some(number))
            }
            None if end >= input.len() => Err(self.fail(input.len(), Kind::Incomplete)),
            None => Err(Kind::InvalidNumber),
        }
    }

    /// Takes an integer in the place of a name, as unknown fields are printed: by number; says whether there is one.
    pub(in crate::formats::text) fn field_number(&mut self) -> Result<bool, Kind> {
        let start = self.at;
        match self.number()? {
            None => Ok(false),
            Some(NumberToken::Float(_)) => Err(self.fail(start, Kind::InvalidSyntax)),
            Some(_) => Ok(true),
        }
    }

    fn decimal(&self, start: usize) -> (Option<NumberToken<'t>>, usize) {
        let whole = self.run(start, u8::is_ascii_digit);
        let mut end = start + whole;
        let mut float = self.input.get(end) == Some(&b'.');
        if float {
            end += 1 + self.run(end + 1, u8::is_ascii_digit);
        }
        if let Some(b'e' | b'E') = self.input.get(end) {
            float = true;
            let sign = usize::from(matches!(self.input.get(end + 1), Some(b'+' | b'-')));
            let digits = self.run(end + 1 + sign, u8::is_ascii_digit);
            end += 1 + sign + digits;
            if digits == 0 {
                return (None, end);
            }
        }
        let text = self.input.get(start..end).unwrap_or_default();
        let suffix = matches!(self.input.get(end), Some(b'f' | b'F'));
        if float || suffix {
            return (Some(NumberToken::Float(text)), end + usize::from(suffix));
        }
        (Some(NumberToken::Decimal(value(text, 10), text)), end)
    }

    /// The content of the string literal that begins here, without quotes, and what separates it from the next token.
    pub(in crate::formats::text) fn literal(&mut self) -> Result<&'t [u8], Kind> {
        let quote =
            self.peek().filter(|byte| matches!(byte, b'"' | b'\'')).ok_or_else(|| self.wrong_type())?;
        let start = self.at + 1;
        let mut at = start;
        loop {
            at += self.run(at, |&byte| byte != quote && !matches!(byte, b'\\' | b'\n' | 0));
            match self.input.get(at) {
                Some(&byte) if byte == quote => break,
                // Which escape it is can wait; the character after it does not end the string.
                Some(b'\\') if !matches!(self.input.get(at + 1), Some(b'\n' | 0)) => at += 2,
                Some(_) => return Err(self.fail(at, Kind::InvalidString)),
                None => return Err(self.fail(self.input.len(), Kind::Incomplete)),
            }
        }
        self.at = at + 1;
        self.space();
        Ok(self.input.get(start..at).unwrap_or_default())
    }
}

fn is_alphanumeric(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

/// What closes a message that begins with this character.
pub(in crate::formats::text) fn closing(open: u8) -> u8 {
    if open == b'<' { b'>' } else { b'}' }
}

/// Infinity and NaN.
pub(in crate::formats::text) fn special(name: &[u8]) -> Option<f64> {
    let is = |text: &[u8]| name.eq_ignore_ascii_case(text);
    match () {
        () if is(b"inf") || is(b"infinity") => Some(f64::INFINITY),
        () if is(b"nan") => Some(f64::NAN),
        () => None,
    }
}

/// The number that digits stand for, if it is below 2^64.
fn value(digits: &[u8], radix: u32) -> Option<u64> {
    digits.iter().try_fold(0u64, |value, &byte| {
        let digit = char::from(byte).to_digit(radix)?;
        value.checked_mul(radix.into())?.checked_add(digit.into())
    })
}
