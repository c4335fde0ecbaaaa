//! Default values and JSON names as descriptors have them.

use crate::compile::parse::ast::{NONE, Span, Texts};
use crate::compile::parse::codes::type_code;
use crate::compile::parse::lexer::{Lexer, TokenKind, float, integer};
use crate::compile::parse::strings::unescape;
use crate::compile::wire::Out;
use crate::memory::{Room, RoomFull};
use alloc::vec::Vec;
use core::fmt;

/// The text of a default value of a type, from where it stands in the source.
pub(crate) fn default_text(texts: &Texts, code: i32, at: u32, room: &mut Room) -> Result<Vec<u8>, RoomFull> {
    let mut out = Vec::new();
    match code {
        type_code::STRING => {
            unescape(&texts.sources, at, &mut out, room)?;
        }
        type_code::BYTES => {
            let mut raw = Vec::new();
            unescape(&texts.sources, at, &mut raw, room)?;
            for &byte in &raw {
                escape(byte, &mut out, room)?;
            }
            room.drop_list(raw);
        }
        type_code::DOUBLE | type_code::FLOAT => {
            let value = number_at(texts, at);
            let text = if code == type_code::FLOAT { float_text(value as f32) } else { double_text(value) };
            room.extend(&mut out, text.get().as_bytes())?;
        }
        type_code::BOOL | type_code::ENUM | type_code::MESSAGE | 0 => {
            room.extend(&mut out, word_at(texts, at).as_bytes())?;
        }
        _ => {
            let mut lexer = Lexer::new(&texts.sources, at);
            let mut token = lexer.next();
            let negative = token.symbol == b'-';
            if negative {
                token = lexer.next();
            }
            let value = integer(texts.get(Span::new(token.start, token.end))).unwrap_or(0);
            let sign = if negative && value != 0 { "-" } else { "" };
            let text = Short::new(format_args!("{sign}{value}"));
            room.extend(&mut out, text.get().as_bytes())?;
        }
    }
    Ok(out)
}

/// The token that begins here.
fn word_at(texts: &Texts, at: u32) -> &str {
    let token = Lexer::new(&texts.sources, at).next();
    texts.get(Span::new(token.start, token.end))
}

/// The number with its sign that begins here.
pub(crate) fn number_at(texts: &Texts, at: u32) -> f64 {
    let mut lexer = Lexer::new(&texts.sources, at);
    let mut token = lexer.next();
    let negative = token.symbol == b'-';
    if negative {
        token = lexer.next();
    }
    let text = texts.get(Span::new(token.start, token.end));
    let value = match (token.kind, text) {
        (TokenKind::Integer, _) => integer(text).map_or_else(|| float(text), |value| value as f64),
        (_, "inf") => f64::INFINITY,
        (_, "nan") => f64::NAN,
        _ => float(text),
    };
    if negative { -value } else { value }
}

/// As C++'s `CEscape`.
fn escape(byte: u8, out: &mut Vec<u8>, room: &mut Room) -> Result<(), RoomFull> {
    let short = match byte {
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        b'"' | b'\'' | b'\\' => byte,
        b' '..=b'~' => return room.push(out, byte),
        _ => {
            let octal = [b'\\', b'0' + (byte >> 6), b'0' + (byte >> 3 & 7), b'0' + (byte & 7)];
            return room.extend(out, &octal);
        }
    };
    room.extend(out, &[b'\\', short])
}

/// A short text, for which nothing is allocated.
struct Short {
    bytes: [u8; 64],
    len: usize,
}

impl Short {
    fn new(text: fmt::Arguments<'_>) -> Self {
        let mut this = Self { bytes: [0; 64], len: 0 };
        // No number is longer.
        let _ = fmt::write(&mut this, text);
        this
    }

    fn get(&self) -> &str {
        self.bytes.get(..self.len).and_then(|bytes| core::str::from_utf8(bytes).ok()).unwrap_or("")
    }
}

impl fmt::Write for Short {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        let place = self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

/// As C++'s `SimpleDtoa`: 15 digits, or 17 if 15 are another number.
fn double_text(value: f64) -> Short {
    let short = general(value, 15);
    if short.get().parse() == Ok(value) || !value.is_finite() { short } else { general(value, 17) }
}

/// As C++'s `SimpleFtoa`: 6 digits, or 9.
fn float_text(value: f32) -> Short {
    let short = general(value.into(), 6);
    if short.get().parse() == Ok(value) || !value.is_finite() { short } else { general(value.into(), 9) }
}

/// As `%.*g` of C.
fn general(value: f64, precision: usize) -> Short {
    if value.is_nan() {
        return Short::new(format_args!("nan"));
    }
    if value.is_infinite() {
        return Short::new(format_args!("{}", if value > 0.0 { "inf" } else { "-inf" }));
    }
    let scientific = Short::new(format_args!("{:.*e}", precision - 1, value));
    let (mantissa, exponent) = scientific.get().split_once('e').unwrap_or((scientific.get(), "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if exponent < -4 || exponent >= precision as i32 {
        let mantissa = without_zeros(mantissa);
        let sign = if exponent < 0 { '-' } else { '+' };
        return Short::new(format_args!("{mantissa}e{sign}{:02}", exponent.unsigned_abs()));
    }
    let fixed = Short::new(format_args!("{:.*}", (precision as i32 - 1 - exponent) as usize, value));
    Short::new(format_args!("{}", without_zeros(fixed.get())))
}

/// Without zeros at the end, and without the point if only zeros follow.
fn without_zeros(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

/// Writes a JSON name: the one that is given, or the field's own in camel case.
pub(crate) fn json_name(
    texts: &Texts,
    (name, given): (Span, u32),
    number: i32,
    out: &mut Out,
    room: &mut Room,
) -> Result<(), RoomFull> {
    let start = out.begin(room, number)?;
    if given != NONE {
        unescape(&texts.sources, given, &mut out.bytes, room)?;
    } else {
        for byte in crate::json_name::json_name(texts.get(name)) {
            room.push(&mut out.bytes, byte)?;
        }
    }
    out.end(room, start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_printed_as_c_does() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.5, "1.5"),
            (1e10, "10000000000"),
            (1e15, "1e+15"),
            (1.234e-5, "1.234e-05"),
            (0.0001, "0.0001"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e300, "1e+300"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(double_text(value).get(), text);
        }
        for (value, text) in [
            (1.5f32, "1.5"),
            (0.1, "0.1"),
            (16_777_216.0, "16777216"),
            (1e6, "1e+06"),
            (3.402_823_5e38, "3.40282347e+38"),
        ] {
            assert_eq!(float_text(value).get(), text);
        }
    }
}
