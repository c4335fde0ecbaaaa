//! Messages, what they reserve, oneofs and extensions; their fields are in `fields.rs`.

use super::{Block, MAX_DEPTH, Parsed, Parser};
use crate::compile::error::SourceErrorKind;
use crate::compile::parse::ast::{Body, Chain, Message, NONE, Oneof, Range, Span, TO_MAX};
use crate::compile::parse::lexer::{Token, TokenKind};
use tablepb::schema::Edition;

pub(super) fn span(token: Token) -> Span {
    Span::new(token.start, token.end)
}

impl<'s> Parser<'s, '_> {
    /// What a message, or for `NONE` the file, declares.
    pub(super) fn body(&mut self, parent: u32) -> Option<&mut Body> {
        match parent {
            NONE => self.ast.files.get_mut(self.file as usize).map(|file| &mut file.body),
            message => self.ast.messages.get_mut(message).map(|message| &mut message.body),
        }
    }

    pub(super) fn add_message(&mut self, message: Message) -> Parsed<u32> {
        let parent = message.parent;
        let mut chain = self.body(parent).map(|body| body.messages).unwrap_or_default();
        let index = self.ast.messages.push(self.room, &mut chain, message)?;
        if let Some(body) = self.body(parent) {
            body.messages = chain;
        }
        Ok(index)
    }

    pub(super) fn add_extension(&mut self, field: crate::compile::parse::ast::Field) -> Parsed<u32> {
        let parent = field.declared_in;
        let mut chain = self.body(parent).map(|body| body.extensions).unwrap_or_default();
        let index = self.ast.fields.push(self.room, &mut chain, field)?;
        if let Some(body) = self.body(parent) {
            body.extensions = chain;
        }
        Ok(index)
    }

    pub(super) fn message_definition(&mut self, parent: u32, visibility: u8) -> Parsed {
        self.take();
        let name = self.identifier("the name of the message")?;
        let message = Message {
            name: span(name),
            at: name.start,
            file: self.file,
            parent,
            visibility,
            ..Message::default()
        };
        self.open_message(message)
    }

    /// Adds a message and opens its block.
    pub(super) fn open_message(&mut self, message: Message) -> Parsed {
        if self.depth >= MAX_DEPTH {
            return Err(self.fail(SourceErrorKind::TooDeep, &format_args!("more than {MAX_DEPTH} messages")));
        }
        if !self.is_symbol(b'{') {
            return Err(self.expected(&"\"{\""));
        }
        let index = self.add_message(message)?;
        self.take();
        self.depth += 1;
        Ok(self.room.push(&mut self.blocks, Block::Message(index))?)
    }

    pub(super) fn end_message(&mut self, index: u32) -> Parsed {
        self.take();
        self.depth -= 1;
        self.blocks.pop();
        self.synthetic_oneofs(index)
    }

    pub(super) fn message_statement(&mut self, index: u32) -> Parsed {
        if self.try_symbol(b';') {
            return Ok(());
        }
        let word = if self.token.kind == TokenKind::Identifier { self.text_of(self.token) } else { "" };
        match word {
            "message" => self.message_definition(index, 0),
            "enum" => self.enum_definition(index, 0),
            "extensions" => self.extension_ranges(index),
            "reserved" => self.message_reserved(index),
            "extend" => self.extend_definition(index),
            "option" => self.message_option(index),
            "oneof" => self.oneof_definition(index),
            "export" | "local" if self.edition >= Edition::Edition2024 => self.visible_definition(index),
            _ => self.labelled_field(index),
        }
    }

    fn message_option(&mut self, index: u32) -> Parsed {
        let Some(message) = self.ast.messages.get(index) else { return Ok(()) };
        let mut chain = message.options;
        let parsed = self.option_statement(&mut chain);
        let encodings = parsed.as_ref().map(|note| self.encodings_of(note)).unwrap_or_default();
        let set = matches!(&parsed, Ok(note) if note.name == "message_set_wire_format" && !note.longer
            && self.text_of(note.value) == "true");
        if let Some(message) = self.ast.messages.get_mut(index) {
            message.options = chain;
            message.encodings = encodings.or(message.encodings);
            message.message_set |= set;
        }
        parsed.map(drop)
    }

    /// `extensions 100 to 199, 500 [..];`
    fn extension_ranges(&mut self, index: u32) -> Parsed {
        self.take();
        let mut added = Chain::default();
        let Some(message) = self.ast.messages.get(index) else { return Ok(()) };
        let mut chain = message.ranges;
        let mut first = NONE;
        loop {
            let range = self.range("a field number", false)?;
            let at = self.ast.ranges.push(self.room, &mut chain, range)?;
            if first == NONE {
                first = at;
            }
            if !self.try_symbol(b',') {
                break;
            }
        }
        if let Some(message) = self.ast.messages.get_mut(index) {
            message.ranges = chain;
        }
        self.bracketed_options(&mut added)?;
        while let Some(range) = self.ast.ranges.get_mut(first) {
            range.options = added;
            first = self.ast.ranges.after(first);
        }
        self.end_of_statement()
    }

    /// `5`, `5 to 9` or `5 to max`: for messages with an exclusive end.
    fn range(&mut self, what: &'static str, of_enum: bool) -> Parsed<Range> {
        let start = if of_enum { self.signed_int(what)? } else { self.int(what)? };
        let mut end = start;
        if self.try_word("to") {
            end = match self.try_word("max") {
                true if of_enum => i32::MAX,
                true => return Ok(Range { start, end: TO_MAX, options: Chain::default() }),
                false if of_enum => self.signed_int("a number or \"max\"")?,
                false => self.int("a number or \"max\"")?,
            };
        }
        let end = if of_enum { end } else { end.wrapping_add(1) };
        Ok(Range { start, end, options: Chain::default() })
    }

    fn message_reserved(&mut self, index: u32) -> Parsed {
        let Some(message) = self.ast.messages.get(index) else { return Ok(()) };
        let (mut ranges, mut names) = (message.reserved, message.reserved_names);
        let parsed = self.reserved(&mut ranges, &mut names, false);
        if let Some(message) = self.ast.messages.get_mut(index) {
            (message.reserved, message.reserved_names) = (ranges, names);
        }
        parsed
    }

    /// `reserved 2, 9 to 11;`, `reserved "name";`, and in editions `reserved name;`
    pub(super) fn reserved(&mut self, ranges: &mut Chain, names: &mut Chain, of_enum: bool) -> Parsed {
        self.take();
        if matches!(self.token.kind, TokenKind::String | TokenKind::Identifier) {
            let quoted = self.token.kind == TokenKind::String;
            if quoted != self.is_legacy() {
                let form = if quoted { "an identifier, without quotes" } else { "a string" };
                let detail = format_args!("a reserved name is {form}");
                self.fail(SourceErrorKind::NotInEdition, &detail);
            }
            loop {
                let name = match quoted {
                    true => self.string_value("a name in quotes")?.0,
                    false => span(self.identifier("a name")?),
                };
                self.ast.names.push(self.room, names, name)?;
                if !self.try_symbol(b',') {
                    return self.end_of_statement();
                }
            }
        }
        loop {
            let range = self.range("a number or a name", of_enum)?;
            self.ast.ranges.push(self.room, ranges, range)?;
            if !self.try_symbol(b',') {
                return self.end_of_statement();
            }
        }
    }

    fn oneof_definition(&mut self, message: u32) -> Parsed {
        self.take();
        let name = self.identifier("the name of the oneof")?;
        self.symbol(b'{')?;
        let Some(found) = self.ast.messages.get(message) else { return Ok(()) };
        let (mut chain, index) = (found.oneofs, found.oneof_count);
        let oneof = Oneof { name: span(name), index, at: name.start, ..Oneof::default() };
        let oneof = self.ast.oneofs.push(self.room, &mut chain, oneof)?;
        if let Some(message) = self.ast.messages.get_mut(message) {
            (message.oneofs, message.oneof_count) = (chain, index + 1);
        }
        Ok(self.room.push(&mut self.blocks, Block::Oneof { message, oneof, members: 0 })?)
    }

    pub(super) fn oneof_statement(&mut self, message: u32, oneof: u32, seen: u32) -> Parsed {
        if seen != 0 && self.try_symbol(b'}') {
            self.blocks.pop();
            return Ok(());
        }
        if let Some(Block::Oneof { members, .. }) = self.blocks.last_mut() {
            *members = 1;
        }
        if self.is_word("option") {
            let mut chain = self.ast.oneofs.get(oneof).map(|oneof| oneof.options).unwrap_or_default();
            let parsed = self.option_statement(&mut chain);
            if let Some(oneof) = self.ast.oneofs.get_mut(oneof) {
                oneof.options = chain;
            }
            return parsed.map(drop);
        }
        self.oneof_member(message, oneof)
    }

    pub(super) fn extend_definition(&mut self, declared_in: u32) -> Parsed {
        self.take();
        let (extendee, token) = self.message_type()?;
        self.symbol(b'{')?;
        let block = Block::Extend { declared_in, extendee, at: token.start, members: 0 };
        Ok(self.room.push(&mut self.blocks, block)?)
    }

    pub(super) fn extend_statement(
        &mut self,
        declared_in: u32,
        extendee: Span,
        at: u32,
        seen: u32,
    ) -> Parsed {
        if seen != 0 && self.try_symbol(b'}') {
            self.blocks.pop();
            return Ok(());
        }
        if let Some(Block::Extend { members, .. }) = self.blocks.last_mut() {
            *members = 1;
        }
        self.extension_field(declared_in, extendee, at)
    }
}
