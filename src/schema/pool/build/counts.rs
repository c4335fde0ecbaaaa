//! Counts all definitions before the first one is built, so that the lists of a pool are allocated once, at their
//! exact size.

use crate::schema::pool::Result;
use crate::schema::pool::read::{self, Children, children};
use crate::schema::program::{Room, RoomFull};
use alloc::vec::Vec;

/// Numbers of definitions, by kind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) messages: usize,
    pub(super) fields: usize,
    pub(super) oneofs: usize,
    pub(super) enums: usize,
    pub(super) values: usize,
    pub(super) extensions: usize,
    pub(super) services: usize,
    pub(super) methods: usize,
    pub(super) ranges: usize,
    pub(super) reserved: usize,
}

impl Counts {
    /// Adds the definitions of a file. Malformed bytes count as nothing here; reading them reports the error.
    pub(super) fn add_file(&mut self, bytes: &[u8], depth: usize, room: &mut Room) -> Result<(), RoomFull> {
        for service in children(bytes, read::file::SERVICE) {
            self.services += 1;
            self.methods += children(service, read::METHOD).count();
        }
        self.extensions += children(bytes, read::file::EXTENSION).count();
        children(bytes, read::file::ENUM).for_each(|bytes| self.add_enum(bytes));
        let mut levels: Vec<Children<'_>> = Vec::new();
        room.push(&mut levels, children(bytes, read::file::MESSAGE))?;
        while let Some(level) = levels.last_mut() {
            let Some(message) = level.next() else {
                levels.pop();
                continue;
            };
            if self.add_message(message) && levels.len() <= depth {
                room.push(&mut levels, children(message, read::message::MESSAGE))?;
            }
        }
        room.drop_list(levels);
        Ok(())
    }

    /// The number of definitions that have a name.
    pub(super) fn names(&self) -> usize {
        let types = self.messages + self.enums + self.services + self.extensions;
        types + self.fields + self.oneofs + self.values + self.methods
    }

    /// Counts what a message holds. Whether messages are nested in it.
    fn add_message(&mut self, bytes: &[u8]) -> bool {
        self.messages += 1;
        let mut nests = false;
        for (number, part) in read::all_children(bytes) {
            match number {
                read::message::FIELD => self.fields += 1,
                read::message::MESSAGE => nests = true,
                read::message::ENUM => self.add_enum(part),
                read::message::EXTENSION_RANGE => self.ranges += 1,
                read::message::EXTENSION => self.extensions += 1,
                read::message::ONEOF => self.oneofs += 1,
                read::message::RESERVED_RANGE => self.reserved += 1,
                _ => {}
            }
        }
        nests
    }

    fn add_enum(&mut self, bytes: &[u8]) {
        self.enums += 1;
        self.values += children(bytes, read::enumeration::VALUE).count();
    }
}
