//! The tokens of JSON: white space, strings, literals, and values to skip.

use crate::formats::ParseErrorKind as Kind;
use crate::formats::json::strings::{find_special, special_from, unescape};
use crate::formats::numbers::{Decimal, Integer, JsonNumber, TWENTY_DIGITS, read_digits};
use crate::schema::program::Scalar;
use alloc::vec::Vec;

/// A string in the input, without its quotes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quoted {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// There are escapes in it, which have been looked at only so far as to find the end.
    pub(crate) escaped: bool,
}

/// A position in the input. Where something fails, it is moved to what is at fault.
pub(crate) struct JsonScanner<'j> {
    pub(crate) input: &'j [u8],
    /// The same, known to be UTF-8.
    pub(crate) text: &'j str,
    pub(crate) at: usize,
}

impl<'j> JsonScanner<'j> {
    #[cold]
    pub(crate) fn fail(&mut self, at: usize, kind: Kind) -> Kind {
        self.at = at;
        kind
    }

    /// The input from here on.
    #[inline(always)]
    pub(crate) fn rest(&self) -> &'j [u8] {
        self.input.get(self.at..).unwrap_or_default()
    }

    #[inline(always)]
    pub(crate) fn whitespace(&mut self) {
        // Most often there is none, or one space.
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.input.get(self.at) {
            self.at += 1;
        }
    }

    /// Skips white space, and returns the first byte of the next value; 0 at the end of the input.
    #[inline(always)]
    pub(crate) fn value(&mut self) -> u8 {
        match self.input.get(self.at) {
            Some(&byte) if byte > b' ' => byte,
            _ => {
                self.whitespace();
                self.input.get(self.at).copied().unwrap_or_default()
            }
        }
    }

    /// The next byte, which stays.
    #[inline(always)]
    pub(crate) fn peek(&self) -> Result<u8, Kind> {
        self.input.get(self.at).copied().ok_or(Kind::Incomplete)
    }

    /// What an unexpected byte is: an error, or the end.
    #[cold]
    pub(crate) fn unexpected(&self) -> Kind {
        if self.at < self.input.len() { Kind::InvalidSyntax } else { Kind::Incomplete }
    }

    #[inline(always)]
    pub(crate) fn take(&mut self, byte: u8) -> Result<(), Kind> {
        if self.input.get(self.at) != Some(&byte) {
            return Err(self.unexpected());
        }
        self.at += 1;
        Ok(())
    }

    /// The colon after a key, and white space around it.
    #[inline(always)]
    pub(crate) fn colon(&mut self) -> Result<(), Kind> {
        self.whitespace();
        self.take(b':')?;
        self.whitespace();
        Ok(())
    }

    /// Whether another member or element follows, after so many; false at the closing bracket, which has been taken.
    #[inline(always)]
    pub(crate) fn more(&mut self, count: u32, close: u8) -> Result<bool, Kind> {
        self.whitespace();
        let byte = self.peek()?;
        if byte == close {
            self.at += 1;
            return Ok(false);
        }
        if count > 0 {
            self.take(b',')?;
            self.whitespace();
        }
        Ok(true)
    }

    /// `true`, `false` or `null`.
    pub(crate) fn literal(&mut self, literal: &[u8]) -> Result<(), Kind> {
        let rest = self.input.get(self.at..).unwrap_or_default();
        if rest.starts_with(literal) {
            self.at += literal.len();
            return Ok(());
        }
        Err(if literal.starts_with(rest) { Kind::Incomplete } else { Kind::InvalidSyntax })
    }

    /// A whole number of 64 bits without point and exponent, perhaps in quotes, which is what most numbers are: its sign and size.
    /// Otherwise the position is of no use.
    #[inline(always)]
    pub(crate) fn short_integer(&mut self) -> Option<(bool, u64)> {
        let mut start = self.at;
        let mut first = *self.input.get(start)?;
        let quoted = first == b'"';
        if quoted {
            start += 1;
            first = *self.input.get(start)?;
        }
        let negative = first == b'-';
        if negative {
            start += 1;
            first = *self.input.get(start)?;
        }
        let mut size = 0;
        let end = read_digits(self.input, start, &mut size);
        let next = self.input.get(end);
        let ends = if quoted { next == Some(&b'"') } else { !matches!(next, Some(b'.' | b'e' | b'E')) };
        let fits = match end - start {
            0 => false,
            1 => true,
            2..=19 => first != b'0',
            20 => first == b'1' && size >= TWENTY_DIGITS,
            _ => false,
        };
        if !fits || !ends {
            return None;
        }
        self.at = end + usize::from(quoted);
        Some((negative, size))
    }

    /// The string that begins here.
    #[inline]
    pub(crate) fn string(&mut self) -> Result<Quoted, Kind> {
        self.take(b'"')?;
        let start = self.at;
        let end = special_from(self.input, start);
        if self.input.get(end) == Some(&b'"') {
            self.at = end + 1;
            return Ok(Quoted { start, end, escaped: false });
        }
        self.odd_string(start, end)
    }

    /// A string in which something else than the end comes first, at `at`.
    #[inline(never)]
    fn odd_string(&mut self, start: usize, at: usize) -> Result<Quoted, Kind> {
        match self.input.get(at) {
            Some(b'\\') => self.escaped_string(start, at),
            Some(_) => Err(self.fail(at, Kind::InvalidString)),
            None => Err(self.fail(self.input.len(), Kind::Incomplete)),
        }
    }

    /// A string with the first backslash at `at`.
    fn escaped_string(&mut self, start: usize, mut at: usize) -> Result<Quoted, Kind> {
        loop {
            match self.input.get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    return Ok(Quoted { start, end: at, escaped: true });
                }
                Some(b'\\') => {
                    let rest = self.input.get(at..).unwrap_or_default();
                    match unescape(rest) {
                        Some((_, len)) => at += len,
                        None if is_cut(rest) => return Err(self.fail(self.input.len(), Kind::Incomplete)),
                        None => return Err(self.fail(at, Kind::InvalidString)),
                    }
                }
                Some(_) => return Err(self.fail(at, Kind::InvalidString)),
                None => return Err(self.fail(self.input.len(), Kind::Incomplete)),
            }
            at = find_special(self.input, at, self.input.len()).unwrap_or(self.input.len());
        }
    }

    /// The text of a string; one with escapes is written to `scratch`.
    #[inline]
    pub(crate) fn text<'t>(&self, quoted: Quoted, scratch: &'t mut Vec<u8>) -> Result<&'t [u8], Kind>
    where
        'j: 't,
    {
        let raw: &'j [u8] = self.input.get(quoted.start..quoted.end).unwrap_or_default();
        if !quoted.escaped {
            return Ok(raw);
        }
        scratch.clear();
        scratch.try_reserve(raw.len()).map_err(|_| Kind::OutOfMemory)?;
        unescape_to(raw, scratch);
        Ok(scratch)
    }

    /// Skips a value of any kind, with at most so many levels of objects and lists.
    pub(crate) fn skip(&mut self, levels: u32, open: &mut Vec<u8>) -> Result<(), Kind> {
        open.clear();
        loop {
            // At the start of a value.
            match self.peek()? {
                b'"' => {
                    self.string()?;
                }
                b'{' | b'[' => {
                    if open.len() >= levels as usize {
                        return Err(Kind::DepthExceeded);
                    }
                    open.try_reserve(1).map_err(|_| Kind::OutOfMemory)?;
                    // `]` is `[` + 2, and `}` is `{` + 2.
                    open.push(self.peek()? + 2);
                    self.at += 1;
                    if self.enter(open, 0)? {
                        continue;
                    }
                }
                b't' => self.literal(b"true")?,
                b'f' => self.literal(b"false")?,
                b'n' => self.literal(b"null")?,
                _ => {
                    let rest = self.input.get(self.at..).unwrap_or_default();
                    let (_, len) =
                        crate::formats::numbers::JsonNumber::scan(rest).ok_or(Kind::InvalidSyntax)?;
                    self.at += len;
                }
            }
            // The value ends here; so may its parents.
            loop {
                if open.is_empty() {
                    return Ok(());
                }
                if self.enter(open, 1)? {
                    break;
                }
            }
        }
    }

    /// Goes to the next value of the innermost object or list, after its key; false if that has ended.
    fn enter(&mut self, open: &mut Vec<u8>, count: u32) -> Result<bool, Kind> {
        let close = open.last().copied().unwrap_or_default();
        if !self.more(count, close)? {
            open.pop();
            return Ok(false);
        }
        if close == b'}' {
            self.string()?;
            self.colon()?;
        }
        Ok(true)
    }
}

/// Whether an escape that could not be read may only lack its end.
fn is_cut(rest: &[u8]) -> bool {
    let len = match rest {
        [_, b'u', ..] => 6,
        _ => 2,
    };
    rest.len() < len && rest.iter().skip(2).all(u8::is_ascii_hexdigit)
}

/// Appends text with escapes that have been found to be valid; room for all of it has been reserved.
pub(in crate::formats::json) fn unescape_to(raw: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while at < raw.len() {
        let next = find_special(raw, at, raw.len()).unwrap_or(raw.len());
        out.extend_from_slice(raw.get(at..next).unwrap_or_default());
        let Some((character, len)) = raw.get(next..).and_then(unescape) else { return };
        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        at = next + len;
    }
}

// The values of JSON that become one number: booleans, integers and floating-point numbers, also in quotes.

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
