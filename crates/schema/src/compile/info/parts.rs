//! Ranges, reserved names, enums and services: what has no messages in it.

use super::walk::{Counts, Done, Kind, Walker};
use super::{Location, Step};
use crate::compile::parse::ast::NONE;
use crate::compile::parse::lexer::TokenKind;

impl Walker<'_, '_> {
    pub(super) fn extension_ranges(&mut self, message: u32) -> Done {
        let all = self.open(message, Step::One(5))?;
        self.tokens.take();
        let first = self.info.locations.len() as u32;
        let count = self.ranges(all, |counts| &mut counts.ranges)?;
        if self.tokens.current.symbol == b'[' {
            let options = self.open(first, Step::One(3))?;
            self.bracketed(options, NONE)?;
            self.close(options);
            let end = self.info.locations.len() as u32;
            // Each range has its start and its end.
            for range in 1..count {
                let copy = self.info.locations.len() as u32;
                for index in options..end {
                    let Some(&found) = self.info.locations.get(index as usize) else { continue };
                    let parent = if index == options { first + 3 * range } else { copy };
                    self.room.push(&mut self.info.locations, Location { parent, ..found })?;
                }
            }
        }
        self.end(all)?;
        self.close(all);
        Ok(())
    }

    /// Ranges with commas between them; how many.
    fn ranges(&mut self, all: u32, count: fn(&mut Counts) -> &mut i32) -> Done<u32> {
        let mut number = 0;
        loop {
            let (_, _, index) = self.next(count);
            let range = self.open(all, Step::One(index))?;
            let first = self.tokens.current;
            self.within(range, Step::One(1), Self::value)?;
            if self.tokens.is("to") {
                self.tokens.take();
                self.within(range, Step::One(2), Self::value)?;
            } else {
                let end = self.open_at(range, Step::One(2), first)?;
                // Of a negative number protoc marks the sign, its first token.
                self.close_at(end, first);
            }
            self.close(range);
            number += 1;
            if self.tokens.current.symbol != b',' {
                return Ok(number);
            }
            self.tokens.take();
        }
    }

    pub(super) fn reserved(&mut self, parent: u32, (ranges, names): (i32, i32)) -> Done {
        let first = self.tokens.take();
        let is_name = matches!(self.tokens.current.kind, TokenKind::String | TokenKind::Identifier);
        let all = self.open_at(parent, Step::One(if is_name { names } else { ranges }), first)?;
        if is_name {
            while let Some(block) = self.blocks.last_mut() {
                block.counts.reserved_names += 1;
                let step = Step::One(block.counts.reserved_names - 1);
                self.within(all, step, Self::value)?;
                if self.tokens.current.symbol != b',' {
                    break;
                }
                self.tokens.take();
            }
        } else {
            self.ranges(all, |counts| &mut counts.reserved)?;
        }
        self.end(all)?;
        self.close(all);
        Ok(())
    }

    pub(super) fn enumeration(&mut self) -> Done {
        let (parent, file, index) = self.next(|counts| &mut counts.enums);
        let location = self.open(parent, Step::Two(if file { 5 } else { 4 }, index))?;
        self.tokens.take();
        self.token(location, 1)?;
        self.end(location)?;
        self.block(Kind::Message, location, NONE)?;
        let mut values = 0;
        while !self.tokens.at_end() && self.tokens.current.symbol != b'}' {
            match self.tokens.text(self.tokens.current) {
                ";" => self.end(NONE)?,
                "option" => self.option_statement(location, 3)?,
                "reserved" => self.reserved(location, (4, 5))?,
                _ => {
                    let value = self.open(location, Step::Two(2, values))?;
                    values += 1;
                    self.token(value, 1)?;
                    self.tokens.take();
                    self.within(value, Step::One(2), Self::value)?;
                    if self.tokens.current.symbol == b'[' {
                        let options = self.open(value, Step::One(3))?;
                        self.bracketed(options, NONE)?;
                        self.close(options);
                    }
                    self.end(value)?;
                    self.close(value);
                }
            }
        }
        self.end(NONE)?;
        self.close(location);
        self.blocks.pop();
        Ok(())
    }

    pub(super) fn service(&mut self) -> Done {
        let (root, _, index) = self.next(|counts| &mut counts.fields);
        let location = self.open(root, Step::Two(6, index))?;
        self.tokens.take();
        self.token(location, 1)?;
        self.end(location)?;
        let mut methods = 0;
        while !self.tokens.at_end() && self.tokens.current.symbol != b'}' {
            match self.tokens.text(self.tokens.current) {
                ";" => self.end(NONE)?,
                "option" => self.option_statement(location, 3)?,
                _ => {
                    self.method(location, methods)?;
                    methods += 1;
                }
            }
        }
        self.end(NONE)?;
        self.close(location);
        Ok(())
    }

    fn method(&mut self, service: u32, index: i32) -> Done {
        let method = self.open(service, Step::Two(2, index))?;
        self.tokens.take();
        self.token(method, 1)?;
        for (streaming, name) in [(5, 2), (6, 3)] {
            // The parenthesis, and before the second one `returns`.
            while !self.tokens.at_end() && self.tokens.take().symbol != b'(' {}
            if self.tokens.is("stream") {
                self.token(method, streaming)?;
            }
            self.within(method, Step::One(name), Self::dotted)?;
            self.tokens.take();
        }
        let braces = self.tokens.current.symbol == b'{';
        self.end(method)?;
        while braces && !self.tokens.at_end() {
            match self.tokens.current.symbol {
                b';' => self.end(NONE)?,
                b'}' => {
                    self.end(NONE)?;
                    break;
                }
                _ => self.option_statement(method, 4)?,
            }
        }
        self.close(method);
        Ok(())
    }
}
