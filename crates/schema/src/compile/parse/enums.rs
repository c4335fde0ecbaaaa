//! Enums and their values.

use super::definitions::span;
use super::{Parsed, Parser};
use crate::compile::error::SourceErrorKind;
use crate::compile::parse::ast::{Chain, Enum, EnumValue, NONE};
use crate::compile::parse::lexer::Token;
use alloc::vec::Vec;

impl<'s> Parser<'s, '_> {
    pub(super) fn enum_definition(&mut self, parent: u32, visibility: u8) -> Parsed {
        self.take();
        let name = self.identifier("the name of the enum")?;
        self.symbol(b'{')?;
        let found =
            Enum { name: span(name), at: name.start, file: self.file, parent, visibility, ..Enum::default() };
        let mut chain = self.body(parent).map(|body| body.enums).unwrap_or_default();
        let index = self.ast.enums.push(self.room, &mut chain, found)?;
        if let Some(body) = self.body(parent) {
            body.enums = chain;
        }
        let mut alias = None;
        while !self.try_symbol(b'}') {
            if self.at_end() {
                return Err(self.expected(&"\"}\""));
            }
            let start = self.token.start;
            let parsed = self.enum_statement(index, &mut alias);
            self.go_on(start, parsed)?;
        }
        self.check_alias(index, name, alias)
    }

    fn enum_statement(&mut self, index: u32, alias: &mut Option<bool>) -> Parsed {
        if self.try_symbol(b';') {
            return Ok(());
        }
        let Some(found) = self.ast.enums.get(index) else { return Ok(()) };
        let (mut values, mut chain, mut encodings) = (found.values, found.options, found.encodings);
        let (mut ranges, mut names) = (found.reserved, found.reserved_names);
        if self.is_word("option") {
            let parsed = self.option_statement(&mut chain);
            if let Ok(note) = &parsed {
                if note.name == "allow_alias" && !note.longer && alias.is_none() {
                    *alias = Some(self.text_of(note.value) == "true");
                }
                encodings = self.encodings_of(note).or(encodings);
            }
            if let Some(found) = self.ast.enums.get_mut(index) {
                (found.options, found.encodings) = (chain, encodings);
            }
            return parsed.map(drop);
        }
        if self.is_word("reserved") {
            let parsed = self.reserved(&mut ranges, &mut names, true);
            if let Some(found) = self.ast.enums.get_mut(index) {
                (found.reserved, found.reserved_names) = (ranges, names);
            }
            return parsed;
        }
        let name = self.identifier("the name of a value")?;
        self.symbol(b'=')?;
        let number = self.signed_int("a number")?;
        let (mut options, mut support) = (Chain::default(), NONE);
        self.options_with(&mut options, |_, note| {
            if note.name == "feature_support" {
                support = note.value.start;
            }
        })?;
        let value = EnumValue { name: span(name), at: name.start, number, owner: index, support, options };
        self.ast.values.push(self.room, &mut values, value)?;
        if let Some(found) = self.ast.enums.get_mut(index) {
            found.values = values;
        }
        self.end_of_statement()
    }

    /// `allow_alias` has to say something.
    fn check_alias(&mut self, index: u32, name: Token, alias: Option<bool>) -> Parsed {
        let Some(found) = self.ast.enums.get(index) else { return Ok(()) };
        if alias == Some(false) {
            let detail = "allow_alias = false has no effect";
            self.faults.add(SourceErrorKind::InvalidOption, name.start, name.end, &detail);
        }
        if alias == Some(true) {
            let mut numbers: Vec<i32> = Vec::new();
            for (_, value) in self.ast.values.of(found.values) {
                self.room.push(&mut numbers, value.number)?;
            }
            numbers.sort_unstable();
            if !numbers.windows(2).any(|two| two.first() == two.last()) {
                let detail = "allow_alias = true, but no two values have the same number";
                self.faults.add(SourceErrorKind::InvalidOption, name.start, name.end, &detail);
            }
            self.room.drop_list(numbers);
        }
        Ok(())
    }
}
