//! Walks over a valid source and notes the place of each definition, in the order of C++ protobuf's `compiler/parser.cc`.
//!
//! A location begins at the token that is next and ends at the one before. Comments are looked at where a declaration ends: at
//! `;`, `{` and `}`. Messages, oneofs and `extend` are on an explicit stack.

use super::tokens::{Token, Tokens};
use super::{Info, Location, Notes, Step};
use crate::compile::parse::ast::{File, NONE, Span};
use crate::compile::parse::codes::type_code_of;
use crate::compile::parse::lexer::TokenKind;
use crate::memory::{Room, RoomFull};
use alloc::vec::Vec;

pub(super) type Done<T = ()> = Result<T, RoomFull>;

/// What is declared so far in a file or message.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) messages: i32,
    pub(super) enums: i32,
    pub(super) extensions: i32,
    /// Of a file: services.
    pub(super) fields: i32,
    pub(super) oneofs: i32,
    pub(super) ranges: i32,
    pub(super) reserved: i32,
    pub(super) reserved_names: i32,
}

/// A block that is open.
#[derive(Clone, Copy)]
pub(super) struct Block {
    kind: Kind,
    location: u32,
    /// For a group: the location of its field.
    field: u32,
    pub(super) counts: Counts,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    File,
    Message,
    Oneof,
    /// With the name of the message that is extended.
    Extend {
        first: Token,
        last: Token,
    },
}

impl PartialEq for Token {
    fn eq(&self, other: &Self) -> bool {
        self.start == other.start
    }
}

/// Imports of a file by the word after `import`.
#[derive(Default)]
pub(super) struct Imports {
    all: i32,
    public: i32,
    weak: i32,
    option: i32,
}

pub(super) struct Walker<'s, 'r> {
    pub(super) tokens: Tokens<'s>,
    pub(super) info: Info,
    pub(super) room: &'r mut Room,
    pub(super) blocks: Vec<Block>,
    imports: Imports,
    /// The comments in front of the declaration that is next.
    leading: Span,
    detached: Vec<Span>,
}

/// All locations of a file.
pub(super) fn walk(sources: &str, file: &File, room: &mut Room) -> Done<Info> {
    let mut walker = Walker {
        tokens: Tokens::new(sources, file),
        info: Info::default(),
        room,
        blocks: Vec::new(),
        imports: Imports::default(),
        leading: Span::EMPTY,
        detached: Vec::new(),
    };
    walker.file()?;
    let Walker { info, room, blocks, detached, .. } = walker;
    room.drop_list(blocks);
    room.drop_list(detached);
    Ok(info)
}

impl Walker<'_, '_> {
    fn file(&mut self) -> Done {
        let Self { tokens, detached, room, .. } = self;
        self.leading = tokens.comments(|span| room.push(detached, span))?.leading;
        let root = self.open(NONE, Step::Same)?;
        self.block(Kind::File, root, NONE)?;
        while !self.tokens.at_end() {
            self.statement()?;
        }
        self.close(root);
        Ok(())
    }

    // Places.

    /// A location that begins here.
    pub(super) fn open(&mut self, parent: u32, step: Step) -> Done<u32> {
        self.open_at(parent, step, self.tokens.current)
    }

    pub(super) fn open_at(&mut self, parent: u32, step: Step, first: Token) -> Done<u32> {
        self.room.push(&mut self.info.locations, Location::new(parent, step, first))?;
        Ok(self.info.locations.len() as u32 - 1)
    }

    /// Ends a location at the token before this one.
    pub(super) fn close(&mut self, location: u32) {
        self.close_at(location, self.tokens.previous);
    }

    pub(super) fn close_at(&mut self, location: u32, last: Token) {
        if let Some(found) = self.info.locations.get_mut(location as usize) {
            (found.end_line, found.end_column) = (last.line, last.end_column);
        }
    }

    /// A location of the tokens that `read` takes.
    pub(super) fn within(&mut self, parent: u32, step: Step, read: impl FnOnce(&mut Self)) -> Done<u32> {
        let location = self.open(parent, step)?;
        read(self);
        self.close(location);
        Ok(location)
    }

    /// A location of one token.
    pub(super) fn token(&mut self, parent: u32, number: i32) -> Done<Token> {
        let token = self.tokens.current;
        self.within(parent, Step::One(number), |this| {
            this.tokens.take();
        })?;
        Ok(token)
    }

    /// Takes a token that ends a declaration, with the comments after it. Those before it belong to `location`.
    pub(super) fn end(&mut self, location: u32) -> Done {
        let closes = self.tokens.current.symbol == b'}';
        self.tokens.take();
        let pending = self.detached.len();
        let Self { tokens, detached, room, .. } = self;
        let found = tokens.comments(|span| room.push(detached, span))?;
        let leading = core::mem::replace(&mut self.leading, found.leading);
        if location == NONE {
            if closes {
                self.detached.drain(..pending);
            }
            return Ok(());
        }
        let start = self.info.detached.len() as u32;
        let before = self.detached.get(..pending).unwrap_or_default();
        self.room.extend(&mut self.info.detached, before)?;
        self.detached.drain(..pending);
        let end = self.info.detached.len() as u32;
        if leading.is_empty() && found.trailing.is_empty() && start == end {
            return Ok(());
        }
        let notes = Notes { leading, trailing: found.trailing, start, end };
        self.room.push(&mut self.info.notes, notes)?;
        if let Some(found) = self.info.locations.get_mut(location as usize) {
            found.notes = self.info.notes.len() as u32 - 1;
        }
        Ok(())
    }

    pub(super) fn block(&mut self, kind: Kind, location: u32, field: u32) -> Done {
        let block = Block { kind, location, field, counts: Counts::default() };
        self.room.push(&mut self.blocks, block)
    }

    /// The file or message around, with what it declares.
    fn around(&mut self) -> Option<&mut Block> {
        self.blocks.iter_mut().rev().find(|block| matches!(block.kind, Kind::File | Kind::Message))
    }

    /// The location of the file or message around, whether it is a file, and a count, which goes up by one.
    pub(super) fn next(&mut self, count: fn(&mut Counts) -> &mut i32) -> (u32, bool, i32) {
        let Some(block) = self.around() else { return (NONE, true, 0) };
        let count = count(&mut block.counts);
        *count += 1;
        (block.location, block.kind == Kind::File, *count - 1)
    }

    // Statements.

    fn statement(&mut self) -> Done {
        let Some(&Block { kind, location, field, .. }) = self.blocks.last() else { return Ok(()) };
        match (kind, self.tokens.current.symbol) {
            (Kind::File, b'}') => self.end(NONE),
            (_, b'}') => {
                self.end(NONE)?;
                self.close(location);
                self.close(field);
                self.blocks.pop();
                Ok(())
            }
            (_, b';') => self.end(NONE),
            (Kind::Oneof, _) if self.tokens.is("option") => self.option_statement(location, 2),
            (Kind::Oneof, _) => {
                let (parent, _, index) = self.next(|counts| &mut counts.fields);
                let location = self.open(parent, Step::Two(2, index))?;
                self.field(location)
            }
            (Kind::Extend { first, last }, _) => {
                let (_, _, index) = self.next(|counts| &mut counts.extensions);
                let member = self.open(location, Step::One(index))?;
                let extendee = self.open_at(member, Step::One(2), first)?;
                self.close_at(extendee, last);
                self.labelled(member)
            }
            (Kind::File, _) => self.top_level(location),
            (Kind::Message, _) => self.in_message(location),
        }
    }

    fn top_level(&mut self, root: u32) -> Done {
        match self.tokens.text(self.tokens.current) {
            // The path of `syntax` for both.
            "syntax" | "edition" => self.simple(root, 12),
            "package" => self.simple(root, 2),
            "import" => self.import(root),
            "option" => self.option_statement(root, 8),
            "service" => self.service(),
            _ => self.definition(),
        }
    }

    /// What can be declared in a file and in a message.
    fn definition(&mut self) -> Done {
        // `export` and `local` have no place of their own.
        if matches!(self.tokens.text(self.tokens.current), "export" | "local") {
            self.tokens.take();
        }
        match self.tokens.text(self.tokens.current) {
            "message" => self.message(),
            "enum" => self.enumeration(),
            "extend" => self.extend(),
            // What no valid source has.
            _ => {
                self.tokens.take();
                Ok(())
            }
        }
    }

    fn in_message(&mut self, message: u32) -> Done {
        let text = self.tokens.text(self.tokens.current);
        let next = self.tokens.peek();
        match text {
            "message" | "enum" | "extend" => self.definition(),
            "export" | "local" if matches!(self.tokens.text(next), "message" | "enum") => self.definition(),
            "option" => self.option_statement(message, 7),
            "extensions" => self.extension_ranges(message),
            "reserved" => self.reserved(message, (9, 10)),
            "oneof" => self.oneof(),
            _ => {
                let (parent, _, index) = self.next(|counts| &mut counts.fields);
                let location = self.open(parent, Step::Two(2, index))?;
                self.labelled(location)
            }
        }
    }

    /// A statement without parts.
    fn simple(&mut self, parent: u32, number: i32) -> Done {
        let location = self.open(parent, Step::One(number))?;
        self.skip_to_end();
        self.end(location)?;
        self.close(location);
        Ok(())
    }

    fn skip_to_end(&mut self) {
        while !self.tokens.at_end() && !matches!(self.tokens.current.symbol, b';' | b'{' | b'}') {
            self.tokens.take();
        }
    }

    fn import(&mut self, root: u32) -> Done {
        let first = self.tokens.take();
        let word = self.tokens.text(self.tokens.current);
        let option = word == "option";
        let count = if option { &mut self.imports.option } else { &mut self.imports.all };
        *count += 1;
        let step = Step::Two(if option { 15 } else { 3 }, *count - 1);
        let location = self.open_at(root, step, first)?;
        let modifier = match word {
            "public" => Some((10, &mut self.imports.public)),
            "weak" => Some((11, &mut self.imports.weak)),
            _ => None,
        };
        if let Some((number, count)) = modifier {
            *count += 1;
            let step = Step::Two(number, *count - 1);
            self.within(root, step, |this| {
                this.tokens.take();
            })?;
        }
        self.skip_to_end();
        self.end(location)?;
        self.close(location);
        Ok(())
    }

    fn message(&mut self) -> Done {
        let (parent, file, index) = self.next(|counts| &mut counts.messages);
        let location = self.open(parent, Step::Two(if file { 4 } else { 3 }, index))?;
        self.tokens.take();
        self.token(location, 1)?;
        self.end(location)?;
        self.block(Kind::Message, location, NONE)
    }

    fn oneof(&mut self) -> Done {
        let (parent, _, index) = self.next(|counts| &mut counts.oneofs);
        let location = self.open(parent, Step::Two(8, index))?;
        self.tokens.take();
        self.token(location, 1)?;
        self.end(location)?;
        self.block(Kind::Oneof, location, NONE)
    }

    fn extend(&mut self) -> Done {
        let Some(&mut Block { kind, location, .. }) = self.around() else { return Ok(()) };
        let location = self.open(location, Step::One(if kind == Kind::File { 7 } else { 6 }))?;
        self.tokens.take();
        let first = self.tokens.current;
        self.skip_to_end();
        let last = self.tokens.previous;
        self.end(location)?;
        self.block(Kind::Extend { first, last }, location, NONE)
    }

    fn labelled(&mut self, field: u32) -> Done {
        if matches!(self.tokens.text(self.tokens.current), "optional" | "required" | "repeated") {
            self.token(field, 4)?;
        }
        self.field(field)
    }

    /// A field after its label.
    fn field(&mut self, field: u32) -> Done {
        let word = self.tokens.text(self.tokens.current);
        let plain = self.tokens.current.kind == TokenKind::Identifier;
        let group = plain && word == "group";
        let map = plain && word == "map" && self.tokens.peek().symbol == b'<';
        if plain && type_code_of(word).is_some() {
            self.token(field, 5)?;
        } else {
            self.within(field, Step::One(6), |this| if map { this.map_type() } else { this.dotted() })?;
        }
        let name = self.token(field, 1)?;
        self.tokens.take();
        self.token(field, 3)?;
        if self.tokens.current.symbol == b'[' {
            let options = self.open(field, Step::One(8))?;
            self.bracketed(options, field)?;
            self.close(options);
        }
        if group {
            return self.group(field, name);
        }
        if map {
            self.next(|counts| &mut counts.messages);
        }
        self.end(field)?;
        self.close(field);
        Ok(())
    }

    fn map_type(&mut self) {
        while !self.tokens.at_end() && self.tokens.take().symbol != b'>' {}
    }

    pub(super) fn dotted(&mut self) {
        if self.tokens.current.symbol == b'.' {
            self.tokens.take();
        }
        self.tokens.take();
        while self.tokens.current.symbol == b'.' {
            self.tokens.take();
            self.tokens.take();
        }
    }

    fn group(&mut self, field: u32, name: Token) -> Done {
        let (parent, file, index) = self.next(|counts| &mut counts.messages);
        let found = self.info.locations.get(field as usize).copied();
        let location = self.open(parent, Step::Two(if file { 4 } else { 3 }, index))?;
        if let (Some(found), Some(group)) = (found, self.info.locations.get_mut(location as usize)) {
            (group.line, group.column) = (found.line, found.column);
        }
        for (parent, number) in [(location, 1), (field, 6)] {
            let part = self.open_at(parent, Step::One(number), name)?;
            self.close_at(part, name);
        }
        self.end(location)?;
        self.block(Kind::Message, location, field)
    }

    /// Options in brackets, of a field also its default value and its JSON name.
    pub(super) fn bracketed(&mut self, options: u32, field: u32) -> Done {
        while !self.tokens.at_end() && self.tokens.take().symbol != b']' {
            let word = self.tokens.text(self.tokens.current);
            match word {
                "default" if field != NONE => {
                    self.tokens.take();
                    self.tokens.take();
                    self.within(field, Step::One(7), Self::value)?;
                }
                "json_name" if field != NONE => {
                    let location = self.open(field, Step::One(10))?;
                    self.tokens.take();
                    self.tokens.take();
                    self.within(location, Step::Same, Self::value)?;
                    self.close(location);
                }
                _ => {
                    let name = self.tokens.current.start;
                    if let Some(Location { step, .. }) = self.info.locations.get_mut(options as usize)
                        && let Step::One(number) = *step
                    {
                        *step = Step::Options(number, name);
                    }
                    let option = self.open(options, Step::Option(name))?;
                    self.assignment();
                    self.close(option);
                }
            }
        }
        Ok(())
    }

    pub(super) fn option_statement(&mut self, parent: u32, number: i32) -> Done {
        let name = self.tokens.peek().start;
        let options = self.open(parent, Step::Options(number, name))?;
        let option = self.open(options, Step::Option(name))?;
        self.tokens.take();
        self.assignment();
        self.end(option)?;
        self.close(option);
        self.close(options);
        Ok(())
    }

    fn assignment(&mut self) {
        while !self.tokens.at_end() && self.tokens.take().symbol != b'=' {}
        self.value();
    }

    /// A value: with a sign, of strings that stand next to each other, or in braces.
    pub(super) fn value(&mut self) {
        let first = self.tokens.take();
        if first.symbol == b'-' {
            self.tokens.take();
        }
        let mut depth = usize::from(first.symbol == b'{');
        while depth > 0 && !self.tokens.at_end() {
            match self.tokens.take().symbol {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {}
            }
        }
        while first.kind == TokenKind::String && self.tokens.current.kind == TokenKind::String {
            self.tokens.take();
        }
    }
}
