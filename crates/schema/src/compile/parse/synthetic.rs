//! The names of synthetic oneofs: `_`, the name of the field, and before them as many `X` as it takes.
//!
//! Only a field `f` and a field `_f` try the same names, so these two share a count of the `X` that were tried: no name is tried
//! twice, and names that are made need not be looked up.

use super::{Parsed, Parser};
use crate::compile::parse::ast::{NONE, Oneof, Span, make_text, text_in};
use crate::memory::{Room, RoomFull};
use alloc::string::String;
use alloc::vec::Vec;

/// The most `X` before a name. Only fields that have one name, which is an error, or that are named after each other need more.
const MAX_PREFIX: u8 = 60;

/// The names in a message, sorted, and for each how many `X` were tried before `_` and it.
struct Taken<'s> {
    sources: &'s str,
    names: Vec<Span>,
    tried: Vec<u8>,
}

impl Taken<'_> {
    fn text<'m>(&'m self, made: &'m str, at: usize) -> Option<&'m str> {
        self.names.get(at).map(|&name| text_in(self.sources, made, name))
    }

    /// Where a name is or would be.
    fn place(&self, made: &str, name: &str) -> usize {
        self.names.partition_point(|&other| text_in(self.sources, made, other) < name)
    }

    fn has(&self, made: &str, name: &str) -> bool {
        self.text(made, self.place(made, name)) == Some(name)
    }

    /// Makes the name of the oneof of a field, in `name`.
    fn make(&mut self, made: &str, own: &str, name: &mut String, room: &mut Room) -> Result<(), RoomFull> {
        let plain = own.strip_prefix('_').unwrap_or(own);
        // A name with an underscore gets no other one.
        let shared = !plain.starts_with('_') && self.has(made, plain);
        let place = self.place(made, if shared { plain } else { own });
        let mut tried = self.tried.get(place).copied().unwrap_or(MAX_PREFIX);
        name.clear();
        room.extend_text(name, usize::from(MAX_PREFIX) + 2 + own.len())?;
        (0..tried).for_each(|_| name.push('X'));
        name.push_str(if own.starts_with('_') { "" } else { "_" });
        name.push_str(own);
        while tried < MAX_PREFIX && self.has(made, name) {
            name.insert(0, 'X');
            tried += 1;
        }
        if let Some(count) = self.tried.get_mut(place) {
            *count = MAX_PREFIX.min(tried + 1);
        }
        Ok(())
    }
}

impl<'s> Parser<'s, '_> {
    /// The names of the fields and oneofs of a message.
    fn taken(&mut self, index: u32) -> Result<Taken<'s>, RoomFull> {
        let mut names: Vec<Span> = Vec::new();
        if let Some(message) = self.ast.messages.get(index) {
            for (_, field) in self.ast.fields.of(message.fields) {
                self.room.push(&mut names, field.name)?;
            }
            for (_, oneof) in self.ast.oneofs.of(message.oneofs) {
                self.room.push(&mut names, oneof.name)?;
            }
        }
        let (sources, made) = (self.text, &*self.made);
        names.sort_unstable_by(|&a, &b| text_in(sources, made, a).cmp(text_in(sources, made, b)));
        let tried = self.room.filled(0, names.len())?;
        Ok(Taken { sources, names, tried })
    }

    /// The oneof that each `optional` field of proto3 has for itself.
    pub(super) fn synthetic_oneofs(&mut self, index: u32) -> Parsed {
        let Some(message) = self.ast.messages.get(index) else { return Ok(()) };
        if !self.ast.fields.of(message.fields).any(|(_, field)| field.proto3_optional) {
            return Ok(());
        }
        let (fields, mut oneofs, mut count) = (message.fields, message.oneofs, message.oneof_count);
        let mut taken = self.taken(index)?;
        let mut name = String::new();
        let mut at = self.ast.fields.of(fields).next().map_or(NONE, |(index, _)| index);
        while let Some(field) = self.ast.fields.get_mut(at) {
            if field.proto3_optional {
                let own = text_in(self.text, self.made, field.name);
                taken.make(self.made, own, &mut name, self.room)?;
                let span = make_text(self.made, self.room, &name)?;
                let oneof = Oneof { name: span, index: count, at: field.at, ..Oneof::default() };
                count += 1;
                field.oneof = self.ast.oneofs.push(self.room, &mut oneofs, oneof)?;
            }
            at = self.ast.fields.after(at);
        }
        if let Some(message) = self.ast.messages.get_mut(index) {
            (message.oneofs, message.oneof_count) = (oneofs, count);
        }
        self.room.drop_list(taken.names);
        self.room.drop_list(taken.tried);
        self.room.drop_list(name.into_bytes());
        Ok(())
    }
}
