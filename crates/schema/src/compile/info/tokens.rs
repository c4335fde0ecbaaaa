//! Tokens with line and column, and the comments between them.

use crate::compile::parse::ast::{File, Span};
use crate::compile::parse::lexer::{self, Lexer, TokenKind};

/// A token and its place as `SourceCodeInfo` counts it: lines and columns from 0 on, in bytes, a tab up to the next eighth column.
#[derive(Clone, Copy)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) symbol: u8,
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) end_column: u32,
}

/// The tokens of a file.
pub(super) struct Tokens<'s> {
    text: &'s str,
    lexer: Lexer<'s>,
    /// How far lines and columns have been counted, and the counts.
    at: usize,
    line: u32,
    column: u32,
    pub(super) current: Token,
    pub(super) previous: Token,
}

/// The comments after a token that ends a declaration.
#[derive(Debug, Default)]
pub(super) struct Comments {
    /// Of the declaration that ended.
    pub(super) trailing: Span,
    /// Of the declaration that comes next.
    pub(super) leading: Span,
}

impl<'s> Tokens<'s> {
    /// At the first token.
    pub(super) fn new(sources: &'s str, file: &File) -> Self {
        let text = sources.get(..file.end as usize).unwrap_or(sources);
        let mark = text.get(file.start as usize..).is_some_and(|rest| rest.starts_with('\u{feff}'));
        let start = file.start + if mark { 3 } else { 0 };
        let none =
            Token { kind: TokenKind::End, symbol: 0, start, end: start, line: 0, column: 0, end_column: 0 };
        let mut this = Self {
            text,
            lexer: Lexer::new(text, start),
            at: file.start as usize,
            line: 0,
            column: 0,
            current: none,
            previous: none,
        };
        let first = this.lexer.next();
        this.current = this.located(first);
        this
    }

    pub(super) fn text(&self, token: Token) -> &'s str {
        self.text.get(token.start as usize..token.end as usize).unwrap_or("")
    }

    pub(super) fn is(&self, word: &str) -> bool {
        self.text(self.current) == word
    }

    /// The token after this one, without its place.
    pub(super) fn peek(&self) -> Token {
        let next = self.lexer.clone().next();
        Token { kind: next.kind, symbol: next.symbol, start: next.start, end: next.end, ..self.current }
    }

    pub(super) fn at_end(&self) -> bool {
        self.current.kind == TokenKind::End
    }

    /// Goes to the next token; the one that was there.
    pub(super) fn take(&mut self) -> Token {
        let next = self.lexer.next();
        self.previous = self.current;
        self.current = self.located(next);
        self.previous
    }

    fn located(&mut self, token: lexer::Token) -> Token {
        self.count_to(token.start as usize);
        let (line, column) = (self.line, self.column);
        self.count_to(token.end as usize);
        Token {
            kind: token.kind,
            symbol: token.symbol,
            start: token.start,
            end: token.end,
            line,
            column,
            end_column: self.column,
        }
    }

    fn count_to(&mut self, end: usize) {
        for &byte in self.text.as_bytes().get(self.at..end).unwrap_or_default() {
            match byte {
                b'\n' => (self.line, self.column) = (self.line + 1, 0),
                b'\t' => self.column += 8 - self.column % 8,
                _ => self.column += 1,
            }
        }
        self.at = self.at.max(end);
    }

    /// The comments between the token before this one and this one. Those that belong to no declaration go to `detached`.
    pub(super) fn comments<E>(&self, mut detached: impl FnMut(Span) -> Result<(), E>) -> Result<Comments, E> {
        // Nothing is before the first token.
        let first = self.previous.kind == TokenKind::End;
        let mut scan = Scan {
            bytes: self.text.as_bytes(),
            at: self.previous.end as usize,
            end: self.current.start as usize,
            comment: None,
            count: 0,
            can_trail: !first,
            trailing: Span::EMPTY,
            detached: &mut detached,
        };
        // Comments on one line with both tokens may belong to either.
        let mut same_line = !first && self.previous.line == self.current.line;
        if !first {
            scan.blanks();
            match scan.comment_here() {
                Some(comment) => {
                    let newlines = scan.bytes.get(comment.start as usize..scan.at).unwrap_or_default();
                    let newlines = newlines.iter().filter(|&&byte| byte == b'\n').count() as u32;
                    let ends = self.previous.line + if comment.line { 0 } else { newlines };
                    same_line |= ends == self.current.line;
                    scan.comment = Some(comment);
                    scan.flush()?;
                }
                None if !scan.newline() => return Ok(Comments::default()),
                None => {}
            }
        }
        scan.rest()?;
        let ends_scope = self.at_end() || matches!(self.current.symbol, b'}' | b']' | b')');
        if ends_scope {
            scan.flush()?;
        }
        if same_line && !self.at_end() {
            scan.detach()?;
        }
        let leading = scan.comment.map_or(Span::EMPTY, Comment::span);
        Ok(Comments { trailing: scan.trailing, leading })
    }
}

/// A block comment, or line comments after each other.
#[derive(Clone, Copy)]
struct Comment {
    start: u32,
    end: u32,
    line: bool,
}

impl Comment {
    fn span(self) -> Span {
        Span::new(self.start, self.end)
    }
}

/// What lies between two tokens. The steps are those of C++'s `Tokenizer::NextWithComments`.
struct Scan<'s, 'd, D> {
    bytes: &'s [u8],
    at: usize,
    end: usize,
    /// The one that was read last, if it is not known yet what it belongs to.
    comment: Option<Comment>,
    /// Comments of which that is known.
    count: u32,
    can_trail: bool,
    trailing: Span,
    detached: &'d mut D,
}

impl<E, D: FnMut(Span) -> Result<(), E>> Scan<'_, '_, D> {
    fn peek(&self) -> Option<u8> {
        if self.at < self.end { self.bytes.get(self.at).copied() } else { None }
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | 0x0b | 0x0c)) {
            self.at += 1;
        }
    }

    fn newline(&mut self) -> bool {
        let there = self.peek() == Some(b'\n');
        self.at += usize::from(there);
        there
    }

    /// Reads the comment that begins here, a line comment with its newline.
    fn comment_here(&mut self) -> Option<Comment> {
        let start = self.at;
        let rest = self.bytes.get(start..self.end)?;
        let (len, line) = match rest {
            [b'/', b'/', ..] => {
                (rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |at| at + 1), true)
            }
            [b'/', b'*', inner @ ..] => {
                (inner.windows(2).position(|two| two == b"*/").map_or(rest.len(), |at| at + 4), false)
            }
            _ => return None,
        };
        self.at += len;
        Some(Comment { start: start as u32, end: self.at as u32, line })
    }

    fn rest(&mut self) -> Result<(), E> {
        loop {
            self.blanks();
            if let Some(comment) = self.comment_here() {
                match &mut self.comment {
                    Some(before) if before.line && comment.line => before.end = comment.end,
                    _ => {
                        self.flush()?;
                        self.comment = Some(comment);
                    }
                }
                if !comment.line {
                    self.blanks();
                    self.newline();
                }
            } else if self.newline() {
                // An empty line.
                self.flush()?;
                self.can_trail = false;
            } else {
                return Ok(());
            }
        }
    }

    /// The last comment does not belong to what comes next.
    fn flush(&mut self) -> Result<(), E> {
        let Some(comment) = self.comment.take() else { return Ok(()) };
        self.count += 1;
        if core::mem::take(&mut self.can_trail) {
            self.trailing = comment.span();
            return Ok(());
        }
        (self.detached)(comment.span())
    }

    /// A single comment belongs neither to the declaration before it nor to the one after it.
    fn detach(&mut self) -> Result<(), E> {
        if self.count + u32::from(self.comment.is_some()) == 1 {
            let trailing = core::mem::take(&mut self.trailing);
            if !trailing.is_empty() {
                (self.detached)(trailing)?;
            }
            self.flush()?;
        }
        Ok(())
    }
}

/// The parts of a comment that are text: without the slashes of line comments, without the stars in front of lines.
pub(super) fn comment_text(comment: &str) -> impl Iterator<Item = &str> {
    let blank = [' ', '\t', '\r', '\u{b}', '\u{c}'];
    let line = comment.starts_with("//");
    let inner = if line { comment } else { comment.get(2..comment.len().saturating_sub(2)).unwrap_or("") };
    inner.split_inclusive('\n').enumerate().map(move |(i, part)| {
        if line {
            let part = part.trim_start_matches(blank);
            part.get(2..).unwrap_or("")
        } else if i == 0 {
            part
        } else {
            let part = part.trim_start_matches(blank);
            part.strip_prefix('*').unwrap_or(part)
        }
    })
}
