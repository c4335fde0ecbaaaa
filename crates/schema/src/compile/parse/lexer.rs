//! Tokens of a `.proto` source, as C++ protobuf's `io::Tokenizer` has them.
//!
//! The lexer keeps nothing but its position, so any part of a source can be read again: the parser notes where an option
//! stands, and its value is read when its type is known.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    End,
    Identifier,
    Integer,
    Float,
    /// With its quotes.
    String,
    /// One character of punctuation.
    Symbol,
}

/// What is wrong with a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LexFault {
    Character,
    OpenString,
    Escape,
    OpenComment,
    NestedComment,
    NumberEnd,
    Number,
}

impl LexFault {
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Character => "this character has no meaning outside of strings and comments",
            Self::OpenString => "a string must end on the line where it begins",
            Self::Escape => "this escape sequence does not exist",
            Self::OpenComment => "this comment has no end",
            Self::NestedComment => "comments cannot stand in each other",
            Self::NumberEnd => "a space is missing between number and identifier",
            Self::Number => "this is not a number",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// The character of a symbol, otherwise 0.
    pub(crate) symbol: u8,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// Reads tokens one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Lexer<'s> {
    bytes: &'s [u8],
    at: usize,
    /// The first fault since it was taken, and its place.
    pub(crate) fault: Option<(LexFault, u32)>,
}

/// Bits of what a byte may be part of.
const LETTER: u8 = 1;
const DIGIT: u8 = 2;
const HEX: u8 = 4;
const SPACE: u8 = 8;
const OTHER: u8 = 16;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut i = 0;
    while i < 256 {
        let byte = i as u8;
        classes[i] = match byte {
            b'a'..=b'f' | b'A'..=b'F' => LETTER | HEX,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => LETTER,
            b'0'..=b'9' => DIGIT | HEX,
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => SPACE,
            0x21..=0x7e => 0,
            _ => OTHER,
        };
        i += 1;
    }
    classes
};

const fn is(byte: u8, class: u8) -> bool {
    CLASSES[byte as usize] & class != 0
}

impl<'s> Lexer<'s> {
    /// Reads `text` from `at` on. Offsets of tokens are those in `text`.
    pub(crate) fn new(text: &'s str, at: u32) -> Self {
        Self { bytes: text.as_bytes(), at: at as usize, fault: None }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    #[cold]
    fn fail(&mut self, fault: LexFault, at: usize) {
        if self.fault.is_none() {
            self.fault = Some((fault, at as u32));
        }
    }

    fn skip(&mut self, class: u8) {
        while self.peek().is_some_and(|byte| is(byte, class)) {
            self.at += 1;
        }
    }

    /// The next token. At the end of the text it is `End`, however often it is asked for.
    pub(crate) fn next(&mut self) -> Token {
        loop {
            self.skip(SPACE);
            let start = self.at;
            let Some(byte) = self.peek() else { return self.token(TokenKind::End, start) };
            if is(byte, LETTER) {
                self.at += 1;
                self.skip(LETTER | DIGIT);
                return self.token(TokenKind::Identifier, start);
            }
            match byte {
                b'/' if self.peek_at(1) == Some(b'/') => self.skip_line(),
                b'/' if self.peek_at(1) == Some(b'*') => self.skip_block(start),
                b'"' | b'\'' => {
                    self.string(start, byte);
                    return self.token(TokenKind::String, start);
                }
                b'0'..=b'9' => return self.number(start),
                b'.' if self.peek_at(1).is_some_and(|b| is(b, DIGIT)) => return self.number(start),
                _ if is(byte, OTHER) => {
                    self.fail(LexFault::Character, start);
                    self.skip(OTHER);
                }
                _ => {
                    self.at += 1;
                    return Token { symbol: byte, ..self.token(TokenKind::Symbol, start) };
                }
            }
        }
    }

    fn token(&self, kind: TokenKind, start: usize) -> Token {
        Token { kind, symbol: 0, start: start as u32, end: self.at as u32 }
    }

    fn skip_line(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    }

    fn skip_block(&mut self, start: usize) {
        self.at += 2;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match (byte, self.peek()) {
                (b'*', Some(b'/')) => {
                    self.at += 1;
                    return;
                }
                (b'/', Some(b'*')) => self.fail(LexFault::NestedComment, self.at - 1),
                _ => {}
            }
        }
        self.fail(LexFault::OpenComment, start);
    }

    /// A string up to its closing quote, or to the end of the line.
    fn string(&mut self, start: usize, quote: u8) {
        self.at += 1;
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' | 0 => break,
                b'\\' => self.escape(),
                _ => {
                    self.at += 1;
                    if byte == quote {
                        return;
                    }
                }
            }
        }
        self.fail(LexFault::OpenString, start);
    }

    /// One escape sequence; checks its form, and that a code point exists.
    fn escape(&mut self) {
        let start = self.at;
        let digits = |from: usize, len: usize| {
            self.bytes.get(from..from + len).is_some_and(|all| all.iter().all(|&b| is(b, HEX)))
        };
        let len = match self.peek_at(1) {
            Some(b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'\\' | b'?' | b'\'' | b'"') => 2,
            Some(b'0'..=b'7') => 2,
            Some(b'x') if digits(start + 2, 1) => 3,
            Some(b'u') if digits(start + 2, 4) => 6,
            Some(b'U') if digits(start + 2, 8) && self.is_code_point(start + 2) => 10,
            Some(b'\n') | None => 0,
            Some(_) => 1,
        };
        if len < 2 {
            self.fail(LexFault::Escape, start);
        }
        self.at += len.max(1);
    }

    /// Whether eight digits of an escape `\U` are at most 0x10ffff.
    fn is_code_point(&self, at: usize) -> bool {
        matches!(self.bytes.get(at..at + 3), Some(b"000"))
            || matches!(self.bytes.get(at..at + 4), Some(b"0010"))
    }

    fn number(&mut self, start: usize) -> Token {
        let mut kind = TokenKind::Integer;
        if self.peek() == Some(b'0') && matches!(self.peek_at(1), Some(b'x' | b'X')) {
            self.at += 2;
            if !self.peek().is_some_and(|b| is(b, HEX)) {
                self.fail(LexFault::Number, start);
            }
            self.skip(HEX);
        } else if self.peek() == Some(b'0') && self.peek_at(1).is_some_and(|b| is(b, DIGIT)) {
            self.skip(DIGIT);
            let digits = self.bytes.get(start..self.at).unwrap_or_default();
            if digits.iter().any(|&b| b > b'7') {
                self.fail(LexFault::Number, start);
            }
        } else {
            self.skip(DIGIT);
            if self.peek() == Some(b'.') {
                kind = TokenKind::Float;
                self.at += 1;
                self.skip(DIGIT);
            }
            if matches!(self.peek(), Some(b'e' | b'E')) {
                kind = TokenKind::Float;
                self.at += 1;
                self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
                if !self.peek().is_some_and(|b| is(b, DIGIT)) {
                    self.fail(LexFault::Number, start);
                }
                self.skip(DIGIT);
            }
        }
        match self.peek() {
            Some(byte) if is(byte, LETTER) => self.fail(LexFault::NumberEnd, self.at),
            Some(b'.') => self.fail(LexFault::Number, start),
            _ => {}
        }
        self.token(kind, start)
    }
}

/// The value of an integer token: decimal, octal or hexadecimal; `None` above 2^64-1.
pub(crate) fn integer(text: &str) -> Option<u64> {
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (text.get(2..)?, 16),
        [b'0', _, ..] => (text.get(1..)?, 8),
        _ => (text, 10),
    };
    u64::from_str_radix(digits, radix).ok()
}

/// Whether a number token is an octal or hexadecimal integer.
pub(crate) fn is_octal_or_hex(text: &str) -> bool {
    matches!(text.as_bytes(), [b'0', second, ..] if !matches!(second, b'.' | b'e' | b'E'))
}

/// The value of a number token as a double: infinite beyond the largest.
pub(crate) fn float(text: &str) -> f64 {
    // `1e` is refused by the lexer; what else C++ takes, such as `1.` and `.5`, Rust takes too.
    text.parse().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn tokens(text: &str) -> Vec<(TokenKind, &str)> {
        let mut lexer = Lexer::new(text, 0);
        let mut all = Vec::new();
        loop {
            let token = lexer.next();
            if token.kind == TokenKind::End {
                assert_eq!(lexer.fault, None, "{text}");
                return all;
            }
            all.push((token.kind, &text[token.start as usize..token.end as usize]));
        }
    }

    #[test]
    fn tokens_are_told_apart() {
        use TokenKind::*;
        assert_eq!(
            tokens("a_1/*x*/=// y\n-0x1F .5 1. 2e-3 017 \"s\\\"\" '\\x4'[a.b]"),
            [
                (Identifier, "a_1"),
                (Symbol, "="),
                (Symbol, "-"),
                (Integer, "0x1F"),
                (Float, ".5"),
                (Float, "1."),
                (Float, "2e-3"),
                (Integer, "017"),
                (String, "\"s\\\"\""),
                (String, "'\\x4'"),
                (Symbol, "["),
                (Identifier, "a"),
                (Symbol, "."),
                (Identifier, "b"),
                (Symbol, "]"),
            ]
        );
    }

    #[test]
    fn faults_have_a_kind_and_a_place() {
        for (text, fault) in [
            ("a \u{1}", (LexFault::Character, 2)),
            ("é", (LexFault::Character, 0)),
            ("'a\n'", (LexFault::OpenString, 0)),
            ("\"a", (LexFault::OpenString, 0)),
            ("'\\q'", (LexFault::Escape, 1)),
            ("'\\x'", (LexFault::Escape, 1)),
            ("'\\u12'", (LexFault::Escape, 1)),
            ("'\\U00110000'", (LexFault::Escape, 1)),
            ("a /* b", (LexFault::OpenComment, 2)),
            ("a /* b /* c */", (LexFault::NestedComment, 7)),
            ("/*/**/", (LexFault::NestedComment, 2)),
            ("12ab", (LexFault::NumberEnd, 2)),
            ("1e", (LexFault::Number, 0)),
            ("0x", (LexFault::Number, 0)),
            ("089", (LexFault::Number, 0)),
        ] {
            let mut lexer = Lexer::new(text, 0);
            while lexer.next().kind != TokenKind::End {}
            assert_eq!(lexer.fault, Some(fault), "{text:?}");
        }
    }

    #[test]
    fn integers_have_three_forms() {
        assert_eq!(integer("18446744073709551615"), Some(u64::MAX));
        assert_eq!(integer("18446744073709551616"), None);
        assert_eq!((integer("0x1f"), integer("017"), integer("0")), (Some(31), Some(15), Some(0)));
        assert_eq!((float("1."), float(".5"), float("1e999")), (1.0, 0.5, f64::INFINITY));
    }
}
