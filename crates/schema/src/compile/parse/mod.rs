//! Sources to lists of definitions.
//!
//! The grammar is that of C++ protobuf's `compiler/parser.cc`, and so is the way on after a fault: the statement is skipped.
//! Definitions that stand in each other are kept on an explicit stack of at most [`MAX_DEPTH`] levels; nothing recurses.

pub(crate) mod ast;
pub(crate) mod codes;
mod definitions;
mod enums;
mod fields;
pub(crate) mod lexer;
mod options;
mod services;
mod statements;
pub(crate) mod strings;
mod synthetic;

use crate::compile::error::{Faults, SourceErrorKind};
use crate::compile::parse::ast::{Ast, Chain, Span, make_text};
use crate::compile::parse::lexer::{Lexer, Token, TokenKind, integer, is_octal_or_hex};
use crate::memory::{Room, RoomFull};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use tablepb::schema::Edition;

/// How deep messages may be nested, as in C++.
const MAX_DEPTH: usize = 32;

/// Why a statement is not read to its end.
#[derive(Debug)]
pub(super) enum Halt {
    /// A fault was noted.
    Fault,
    Full(RoomFull),
}

impl From<RoomFull> for Halt {
    fn from(full: RoomFull) -> Self {
        Self::Full(full)
    }
}

pub(super) type Parsed<T = ()> = Result<T, Halt>;

/// A block that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    Message(u32),
    /// Members of a oneof of a message.
    Oneof {
        message: u32,
        oneof: u32,
        members: u32,
    },
    /// Extensions declared in a message or, for `NONE`, the file.
    Extend {
        declared_in: u32,
        extendee: Span,
        at: u32,
        members: u32,
    },
}

/// Reads one file.
pub(super) struct Parser<'s, 'a> {
    text: &'s str,
    lexer: Lexer<'s>,
    token: Token,
    /// Where the token before this one ends.
    last_end: u32,
    made: &'a mut String,
    ast: &'a mut Ast,
    room: &'a mut Room,
    faults: &'a mut Faults,
    file: u32,
    edition: Edition,
    blocks: Vec<Block>,
    /// Messages among the blocks.
    depth: usize,
}

/// Reads the file at an index of `ast`, whose source is the end of `text`.
pub(super) fn parse(
    text: &str,
    made: &mut String,
    ast: &mut Ast,
    room: &mut Room,
    faults: &mut Faults,
    file: u32,
) -> Result<(), RoomFull> {
    let Some(start) = ast.files.get(file as usize).map(|file| file.start) else { return Ok(()) };
    // A byte order mark.
    let skipped = text.get(start as usize..).is_some_and(|rest| rest.starts_with('\u{feff}'));
    let start = if skipped { start + 3 } else { start };
    let mut lexer = Lexer::new(text, start);
    let token = lexer.next();
    let mut parser = Parser {
        text,
        lexer,
        token,
        last_end: start,
        made,
        ast,
        room,
        faults,
        file,
        edition: Edition::Proto2,
        blocks: Vec::new(),
        depth: 0,
    };
    parser.note_lexer();
    match parser.file() {
        Ok(()) | Err(Halt::Fault) => {}
        Err(Halt::Full(full)) => return Err(full),
    }
    let Parser { blocks, room, .. } = parser;
    room.drop_list(blocks);
    Ok(())
}

impl<'s> Parser<'s, '_> {
    fn text_of(&self, token: Token) -> &'s str {
        self.text.get(token.start as usize..token.end as usize).unwrap_or("")
    }

    /// Goes to the next token; the one that was there.
    fn take(&mut self) -> Token {
        let token = self.token;
        self.last_end = token.end;
        self.token = self.lexer.next();
        if self.lexer.fault.is_some() {
            self.note_lexer();
        }
        token
    }

    #[cold]
    fn note_lexer(&mut self) {
        if let Some((fault, at)) = self.lexer.fault.take() {
            self.faults.add(SourceErrorKind::InvalidToken, at, at + 1, &fault.text());
        }
    }

    #[cold]
    fn fail_at(&mut self, kind: SourceErrorKind, token: Token, detail: &dyn fmt::Display) -> Halt {
        self.faults.add(kind, token.start, token.end, detail);
        Halt::Fault
    }

    /// A fault at the token that is next.
    #[cold]
    fn fail(&mut self, kind: SourceErrorKind, detail: &dyn fmt::Display) -> Halt {
        self.fail_at(kind, self.token, detail)
    }

    /// What is next is not what should be there.
    #[cold]
    fn expected(&mut self, what: &dyn fmt::Display) -> Halt {
        if self.token.kind == TokenKind::End {
            // At the end of the last token: after it there may be empty lines.
            let (start, end) = (self.last_end.saturating_sub(1), self.last_end);
            let detail = format_args!("the file ends where {what} is expected");
            self.faults.add(SourceErrorKind::InvalidSyntax, start, end, &detail);
            return Halt::Fault;
        }
        self.fail(SourceErrorKind::InvalidSyntax, &format_args!("expected {what}"))
    }

    fn at_end(&self) -> bool {
        self.token.kind == TokenKind::End
    }

    fn is_symbol(&self, symbol: u8) -> bool {
        self.token.symbol == symbol
    }

    /// Takes a symbol if it is next.
    fn try_symbol(&mut self, symbol: u8) -> bool {
        let there = self.is_symbol(symbol);
        if there {
            self.take();
        }
        there
    }

    fn symbol(&mut self, symbol: u8) -> Parsed {
        if self.try_symbol(symbol) {
            return Ok(());
        }
        Err(self.expected(&format_args!("\"{}\"", symbol as char)))
    }

    fn is_word(&self, word: &str) -> bool {
        self.token.kind == TokenKind::Identifier && self.text_of(self.token) == word
    }

    /// Takes a keyword if it is next.
    fn try_word(&mut self, word: &str) -> bool {
        let there = self.is_word(word);
        if there {
            self.take();
        }
        there
    }

    fn word(&mut self, word: &str) -> Parsed {
        if self.try_word(word) { Ok(()) } else { Err(self.expected(&format_args!("\"{word}\""))) }
    }

    fn identifier(&mut self, what: &'static str) -> Parsed<Token> {
        if self.token.kind == TokenKind::Identifier { Ok(self.take()) } else { Err(self.expected(&what)) }
    }

    /// An integer of at most `most`.
    fn number(&mut self, most: u64, what: &'static str) -> Parsed<u64> {
        if self.token.kind != TokenKind::Integer {
            return Err(self.expected(&what));
        }
        let value = integer(self.text_of(self.token)).filter(|&value| value <= most);
        if value.is_none() {
            self.fail(SourceErrorKind::InvalidNumber, &format_args!("larger than {most}"));
        }
        self.take();
        // The rest of the statement is read with whatever number.
        Ok(value.unwrap_or(0))
    }

    /// A number that is a double if no integer type has it. Octal and hexadecimal ones are integers in any case.
    fn any_number(&mut self) -> Parsed {
        let text = self.text_of(self.token);
        if is_octal_or_hex(text) && integer(text).is_none() {
            self.fail(SourceErrorKind::InvalidNumber, &format_args!("larger than {}", u64::MAX));
        }
        self.take();
        Ok(())
    }

    /// A number from 0 to 2^31-1.
    fn int(&mut self, what: &'static str) -> Parsed<i32> {
        Ok(self.number(i32::MAX as u64, what)? as i32)
    }

    /// The same with a sign.
    fn signed_int(&mut self, what: &'static str) -> Parsed<i32> {
        if self.try_symbol(b'-') {
            return Ok((self.number(1 << 31, what)? as i64).wrapping_neg() as i32);
        }
        self.int(what)
    }

    /// Strings that stand next to each other; where the first one begins.
    fn string(&mut self, what: &'static str) -> Parsed<Token> {
        if self.token.kind != TokenKind::String {
            return Err(self.expected(&what));
        }
        let first = self.take();
        while self.token.kind == TokenKind::String {
            self.take();
        }
        Ok(Token { end: self.last_end, ..first })
    }

    /// The value of strings that stand next to each other.
    fn string_value(&mut self, what: &'static str) -> Parsed<(Span, Token)> {
        let token = self.string(what)?;
        let raw = self.text_of(token);
        // Almost always one string without escapes.
        let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or("");
        if !inner.bytes().any(|byte| matches!(byte, b'\\' | b'"' | b'\'')) {
            return Ok((Span { start: token.start + 1, len: inner.len() as u32 }, token));
        }
        let mut bytes = Vec::new();
        crate::compile::parse::strings::unescape(self.text, token.start, &mut bytes, self.room)?;
        let span = match core::str::from_utf8(&bytes) {
            Ok(value) => make_text(self.made, self.room, value)?,
            Err(_) => {
                self.fail_at(SourceErrorKind::InvalidToken, token, &"this name is not valid UTF-8");
                Span::EMPTY
            }
        };
        self.room.drop_list(bytes);
        Ok((span, token))
    }

    /// A name with dots, and one in front if `absolute` is allowed; without spaces.
    fn dotted(&mut self, absolute: bool, what: &'static str) -> Parsed<(Span, Token)> {
        let first = self.token;
        if absolute {
            self.try_symbol(b'.');
        }
        let mut len = u32::from(self.last_end == first.end && first.symbol == b'.');
        let part = self.identifier(what)?;
        len += part.end - part.start;
        while self.try_symbol(b'.') {
            let part = self.identifier("an identifier")?;
            len += 1 + part.end - part.start;
        }
        let whole = Token { end: self.last_end, ..first };
        let span = Span::new(whole.start, whole.end);
        if span.len == len {
            return Ok((span, whole));
        }
        Ok((self.without_spaces(whole)?, whole))
    }

    /// A dotted name that has spaces or comments in it.
    #[cold]
    fn without_spaces(&mut self, whole: Token) -> Parsed<Span> {
        let mut name = String::new();
        let mut lexer = Lexer::new(self.text, whole.start);
        loop {
            let token = lexer.next();
            if token.kind == TokenKind::End || token.start >= whole.end {
                break;
            }
            let part = self.text_of(token);
            self.room.extend_text(&mut name, part.len())?;
            name.push_str(part);
        }
        let span = make_text(self.made, self.room, &name)?;
        self.room.drop_list(name.into_bytes());
        Ok(span)
    }

    fn end_of_statement(&mut self) -> Parsed {
        self.symbol(b';')
    }

    /// After a fault: to the end of the statement, or to the brace that closes the block around it.
    #[cold]
    fn skip_statement(&mut self) {
        while !self.at_end() {
            match self.token.symbol {
                b';' => {
                    self.take();
                    return;
                }
                b'{' => {
                    self.skip_block();
                    // A value in braces, and not a block.
                    if !matches!(self.token.symbol, b']' | b',' | b')' | b';') {
                        return;
                    }
                }
                b'}' => return,
                _ => {
                    self.take();
                }
            }
        }
    }

    /// From an opening brace to the one that closes it.
    #[cold]
    fn skip_block(&mut self) {
        let mut depth = 0usize;
        while !self.at_end() {
            let symbol = self.take().symbol;
            depth += usize::from(symbol == b'{');
            if symbol == b'}' {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return;
                }
            }
        }
    }

    /// Notes that all from `start` on was not understood.
    #[cold]
    fn note_skipped(&mut self, start: u32) -> Result<(), RoomFull> {
        self.room.push(&mut self.ast.skipped, (start, self.last_end))
    }

    /// What the statement from `start` on gave: after a fault, the way on to the next.
    fn go_on(&mut self, start: u32, parsed: Parsed) -> Result<(), RoomFull> {
        match parsed {
            Ok(()) => Ok(()),
            Err(Halt::Fault) => {
                self.skip_statement();
                self.note_skipped(start)
            }
            Err(Halt::Full(full)) => Err(full),
        }
    }

    /// A list of options in brackets, if there is one.
    fn bracketed_options(&mut self, chain: &mut Chain) -> Parsed {
        if !self.try_symbol(b'[') {
            return Ok(());
        }
        loop {
            self.option_assignment(chain)?;
            if !self.try_symbol(b',') {
                return self.symbol(b']');
            }
        }
    }
}
