//! Finds the definitions of a file that a message or enum needs.

use super::{Indices, Keep, keep_all};
use crate::schema::pool::model::{Container, FieldFlags, NONE, PoolData};
use crate::schema::table::Kind;
use alloc::vec::Vec;

/// Top-level definitions of one file. A type needs the top-level message around it, and that message needs the types of
/// all fields in it.
#[derive(Debug, Default)]
pub(super) struct Subset {
    pub(super) messages: Indices,
    pub(super) enums: Indices,
    pub(super) extensions: Indices,
}

/// A search over a queue of messages.
struct Search<'a> {
    data: &'a PoolData,
    file: u32,
    keep: &'a Keep<'a>,
    /// Whether a message needs its extensions.
    extends: bool,
    wanted: Subset,
    /// Messages whose contents are not visited yet.
    todo: Vec<u32>,
}

impl Subset {
    pub(super) fn of_message(data: &PoolData, index: u32) -> Self {
        let file = data.messages.get(index as usize).map_or(NONE, |m| m.file);
        Search::new(data, file, &keep_all).run(|search| search.message(index))
    }

    /// Includes those extensions of the same file that `keep` accepts.
    pub(super) fn of_record(data: &PoolData, index: u32, keep: &Keep<'_>) -> Self {
        let file = data.messages.get(index as usize).map_or(NONE, |m| m.file);
        let search = Search { extends: true, ..Search::new(data, file, keep) };
        search.run(|search| search.message(index))
    }

    pub(super) fn of_enum(data: &PoolData, index: u32) -> Self {
        let file = data.enums.get(index as usize).map_or(NONE, |e| e.file);
        Search::new(data, file, &keep_all).run(|search| search.enumeration(index))
    }
}

impl<'a> Search<'a> {
    fn new(data: &'a PoolData, file: u32, keep: &'a Keep<'a>) -> Self {
        Self { data, file, keep, extends: false, wanted: Subset::default(), todo: Vec::new() }
    }

    fn run(mut self, start: impl FnOnce(&mut Self)) -> Subset {
        start(&mut self);
        if self.defines_options() {
            let (data, file) = (self.data, self.file);
            let here = data.extensions.iter().enumerate().filter(|(_, e)| e.file == file);
            here.for_each(|(index, _)| self.extension(index as u32));
        }
        while let Some(index) = self.todo.pop() {
            self.content(index);
        }
        self.wanted
    }

    /// Whether the file declares custom options. Any definition may use them, and their values may hold any extension,
    /// so such a file needs all its extensions.
    fn defines_options(&self) -> bool {
        self.data.extensions.iter().filter(|e| e.file == self.file).any(|extension| {
            let extendee = self.data.messages.get(extension.message as usize);
            let name = extendee.map_or("", |m| self.data.text(m.name.full()));
            name.starts_with("google.protobuf.") && name.ends_with("Options")
        })
    }

    /// Adds the top-level message around a message.
    fn message(&mut self, mut index: u32) {
        while let Some(message) = self.data.messages.get(index as usize) {
            if message.file != self.file {
                return;
            }
            if message.parent == NONE {
                if self.wanted.messages.insert(index) {
                    self.todo.push(index);
                }
                return;
            }
            index = message.parent;
        }
    }

    fn enumeration(&mut self, index: u32) {
        let Some(enumeration) = self.data.enums.get(index as usize) else { return };
        if enumeration.parent != NONE {
            self.message(enumeration.parent);
        } else if enumeration.file == self.file {
            self.wanted.enums.insert(index);
        }
    }

    fn extension(&mut self, index: u32) {
        let Some(&extension) = self.data.extensions.get(index as usize) else { return };
        if extension.parent == NONE {
            self.wanted.extensions.insert(index);
        } else {
            self.message(extension.parent);
        }
        self.message(extension.message);
        let message = self.data.messages.get(extension.message as usize);
        if let Some(field) = message.and_then(|m| m.field(extension.field)) {
            self.kind(field.kind);
        }
    }

    fn kind(&mut self, kind: Kind<u32, u32>) {
        match kind {
            Kind::Message(index) => self.message(index),
            Kind::Enum(index) => self.enumeration(index),
            _ => {}
        }
    }

    /// Adds the types of fields and extensions in a message, and queues its nested messages.
    fn content(&mut self, index: u32) {
        let Some(message) = self.data.messages.get(index as usize) else { return };
        let mut dropped_entries = Indices::default();
        for (at, field) in message.fields.iter().take(message.declared as usize).enumerate() {
            match field.kind {
                kind if (self.keep)(index, at as u32) => self.kind(kind),
                Kind::Message(entry) if field.flags.has(FieldFlags::MAP) => {
                    dropped_entries.insert(entry);
                }
                _ => {}
            }
        }
        let owner = Container::Message(index);
        for &extension in self.data.extensions_in(owner) {
            self.extension(extension);
        }
        let extensions = message.fields.iter().enumerate().skip(message.declared as usize);
        for (at, field) in extensions {
            if self.extends && (self.keep)(index, at as u32) {
                self.extension(field.extension);
            }
        }
        let messages = self.data.messages_in(owner);
        self.todo.extend(messages.iter().filter(|&&m| !dropped_entries.contains(m)));
    }
}
