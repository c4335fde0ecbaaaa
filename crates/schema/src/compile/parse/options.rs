//! Options: where each stands, and what has to be known of it before it is interpreted.

use super::{Parsed, Parser};
use crate::compile::error::SourceErrorKind;
use crate::compile::parse::ast::{Chain, Encodings, Presence, RawOption};
use crate::compile::parse::lexer::{Lexer, Token, TokenKind};

/// What was read of an option.
#[derive(Clone, Copy, Debug)]
pub(super) struct OptionNote<'s> {
    /// The name, if it is one identifier without parentheses; of a longer name, the first part.
    pub(super) name: &'s str,
    /// There are more parts.
    pub(super) longer: bool,
    /// The first token of the value.
    pub(super) value: Token,
    start: u32,
    end: u32,
}

impl<'s> Parser<'s, '_> {
    /// `option NAME = VALUE;`
    pub(super) fn option_statement(&mut self, chain: &mut Chain) -> Parsed<OptionNote<'s>> {
        self.word("option")?;
        let note = self.option_assignment(chain)?;
        self.end_of_statement()?;
        Ok(note)
    }

    /// `NAME = VALUE`
    pub(super) fn option_assignment(&mut self, chain: &mut Chain) -> Parsed<OptionNote<'s>> {
        let first = self.token;
        let plain = first.kind == TokenKind::Identifier;
        let mut longer = false;
        loop {
            if self.try_symbol(b'(') {
                self.extension_name()?;
                self.symbol(b')')?;
            } else {
                self.identifier("the name of an option")?;
            }
            if !self.try_symbol(b'.') {
                break;
            }
            longer = true;
        }
        self.symbol(b'=')?;
        let value = self.token;
        self.option_value()?;
        let raw = RawOption { name: first.start, value: value.start };
        self.ast.options.push(self.room, chain, raw)?;
        let name = if plain { self.text_of(first) } else { "" };
        Ok(OptionNote { name, longer, value, start: first.start, end: self.last_end })
    }

    fn extension_name(&mut self) -> Parsed {
        if self.token.kind == TokenKind::Identifier {
            self.take();
        } else if !self.is_symbol(b'.') {
            return Err(self.expected(&"the name of an extension"));
        }
        while self.try_symbol(b'.') {
            self.identifier("an identifier")?;
        }
        Ok(())
    }

    fn option_value(&mut self) -> Parsed {
        let negative = self.try_symbol(b'-');
        match self.token.kind {
            TokenKind::Identifier if negative && !matches!(self.text_of(self.token), "inf" | "nan") => {
                Err(self.expected(&"a number"))
            }
            TokenKind::Identifier => {
                self.take();
                Ok(())
            }
            TokenKind::Integer | TokenKind::Float => self.any_number(),
            TokenKind::String if !negative => self.string("a string").map(drop),
            TokenKind::Symbol if self.is_symbol(b'{') && !negative => self.aggregate(),
            _ => Err(self.expected(&"the value of the option")),
        }
    }

    /// Tokens up to the brace that closes the first one. What stands between them is read when the type is known.
    pub(super) fn aggregate(&mut self) -> Parsed {
        let open = self.token;
        let mut depth = 0usize;
        while !self.at_end() {
            match self.take().symbol {
                b'{' => depth += 1,
                b'}' if depth == 1 => return Ok(()),
                b'}' => depth -= 1,
                _ => {}
            }
        }
        Err(self.fail_at(SourceErrorKind::InvalidSyntax, open, &"no brace closes this value"))
    }

    /// The features in an option that decide how fields are encoded.
    pub(super) fn encodings_of(&self, note: &OptionNote<'s>) -> Encodings {
        let mut encodings = Encodings::default();
        if note.name != "features" {
            return encodings;
        }
        self.pairs(note, |name, value| match (name, value) {
            ("repeated_field_encoding", "PACKED") => encodings.packed = Some(true),
            ("repeated_field_encoding", "EXPANDED") => encodings.packed = Some(false),
            ("message_encoding", "DELIMITED") => encodings.delimited = Some(true),
            ("message_encoding", "LENGTH_PREFIXED") => encodings.delimited = Some(false),
            ("field_presence", "EXPLICIT") => encodings.presence = Some(Presence::Explicit),
            ("field_presence", "IMPLICIT") => encodings.presence = Some(Presence::Implicit),
            ("field_presence", "LEGACY_REQUIRED") => encodings.presence = Some(Presence::Required),
            ("enum_type", "CLOSED") => encodings.closed = Some(true),
            ("enum_type", "OPEN") => encodings.closed = Some(false),
            _ => {}
        });
        encodings
    }

    /// The identifiers in an option that follow each other, with nothing but punctuation between them.
    fn pairs(&self, note: &OptionNote<'s>, mut pair: impl FnMut(&'s str, &'s str)) {
        let mut lexer = Lexer::new(self.text, note.start);
        let mut before = "";
        loop {
            let token = lexer.next();
            if token.start >= note.end || token.kind == TokenKind::End {
                return;
            }
            match token.kind {
                TokenKind::Identifier => {
                    let word = self.text_of(token);
                    pair(before, word);
                    before = word;
                }
                TokenKind::Symbol => {}
                _ => before = "",
            }
        }
    }
}
