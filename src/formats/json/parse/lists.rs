//! Lists and maps.

use super::scan_value::word_of;
use super::{JsonContainer, JsonParser};
use crate::engine::slab::{BodyRef, NIL};
use crate::formats::json::error::DeserializeErrorKind as Kind;
use crate::message::FieldAt;
use crate::schema::pool::{FieldFormats, WellKnown};
use crate::schema::program::{Coding, FieldEntry, Scalar};

/// Words that are collected before they go to a list.
const BLOCK: usize = 32;

/// Elements on their way to a list of scalars: appended by the block, not one by one.
struct Block {
    words: [u32; BLOCK],
    len: usize,
    /// The header of the list, or `NIL` before its first element.
    slot: u32,
}

impl JsonParser<'_, '_, '_> {
    /// A list of scalars, which needs no frame unless something is wrong with it.
    pub(in crate::formats::json) fn scalars(
        &mut self,
        at: FieldAt,
        names: FieldFormats<'_>,
        entry: &FieldEntry,
        depth: u32,
    ) -> Result<(), Kind> {
        self.scanner.take(b'[').map_err(|_| self.scanner.wrong_type())?;
        let mut count = 0;
        let mut block = Block { words: [0; BLOCK], len: 0, slot: NIL };
        let parsed = self.elements_to(&mut block, at, (names, entry), &mut count);
        // Those before one that is at fault are kept.
        let parsed = self.flush(&mut block, at, entry.coding).and(parsed);
        if parsed.is_err() && self.push(JsonContainer::List, at, depth).is_ok() {
            // So that the path of the error has the element.
            if let Some(frame) = self.frames.last_mut() {
                frame.count = count;
            }
        }
        parsed
    }

    /// ```text
    /// the first element, and the others after a comma:
    ///     an integer of an integer type, as most are: by the words of its digits
    ///     anything else: as where it is no list
    ///     into the block; a block that is full, into the list
    /// ```
    fn elements_to(
        &mut self,
        block: &mut Block,
        at: FieldAt,
        (names, entry): (FieldFormats<'_>, &FieldEntry),
        count: &mut u32,
    ) -> Result<(), Kind> {
        let (scalar, words) = (entry.scalar(), entry.coding.words() as usize);
        let integer = matches!(scalar, Scalar::I32 | Scalar::U32 | Scalar::I64 | Scalar::U64);
        while self.scanner.more(*count, b']')? {
            *count += 1;
            let start = self.scanner.at;
            let mut word = None;
            if integer {
                word = self.scanner.short_integer().and_then(|value| word_of(scalar, value));
            }
            if word.is_none() {
                self.scanner.at = start;
                if self.scanner.peek()? == b'n' && !self.element_takes_null(names, entry, at.position) {
                    return Err(self.scanner.wrong_type());
                }
                word = self.scalar(names, entry, at.position)?;
            }
            let Some(word) = word else { continue };
            if let Some([low, high]) = block.words.get_mut(block.len..block.len + 2) {
                (*low, *high) = (word as u32, (word >> 32) as u32);
            }
            block.len += words;
            if block.len + 2 > BLOCK {
                self.flush(block, at, entry.coding)?;
            }
        }
        Ok(())
    }

    /// Appends what is in the block to the list.
    fn flush(&mut self, block: &mut Block, at: FieldAt, coding: Coding) -> Result<(), Kind> {
        let words = block.words.get(..core::mem::take(&mut block.len)).unwrap_or_default();
        Ok(self.builder.extend(at, &mut block.slot, coding, words)?)
    }

    /// The messages of a list, until one of them needs more than one frame or the list ends.
    pub(in crate::formats::json) fn elements(&mut self) -> Result<(), Kind> {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let (at, depth, mut count, mut slot) = (frame.at, frame.depth + 1, frame.count, frame.slot);
        let program = self.builder.set.program(at.body.program);
        let Some(entry) = program.entries().get(at.position) else { return Err(Kind::UnknownField) };
        let names = self.pool.field_formats(program.message());
        let plain = self.known(entry.sub) == WellKnown::None && depth <= self.options.max_depth;
        let frames = self.frames.len();
        while self.scanner.more(count, b']')? {
            count += 1;
            if let Some(frame) = self.frames.last_mut() {
                frame.count = count;
            }
            if self.scanner.peek()? == b'n' && !self.element_takes_null(names, entry, at.position) {
                return Err(self.scanner.wrong_type());
            }
            let empty = plain && self.scanner.rest().starts_with(b"{}");
            let body = self.builder.push_message(at, &mut slot, entry, empty)?;
            if empty {
                self.scanner.at += 2;
                continue;
            }
            if let Some(frame) = self.frames.last_mut() {
                frame.slot = slot;
            }
            self.open(BodyRef::of(entry, body), depth)?;
            // Most messages of lists hold no others: their members are parsed from here, and the list goes on.
            if plain {
                self.members()?;
            }
            if self.frames.len() != frames {
                return Ok(());
            }
        }
        self.pop()
    }

    /// The entries of a map, until one of them needs a frame or the map ends.
    pub(in crate::formats::json) fn entries(&mut self) -> Result<(), Kind> {
        let Some(&frame) = self.frames.last() else { return Ok(()) };
        let program = self.builder.set.program(frame.at.body.program);
        let Some(entry) = program.entries().get(frame.at.position) else { return Err(Kind::UnknownField) };
        let pair = self.builder.set.program(entry.sub);
        let [key, value] = pair.entries() else { return Err(Kind::UnknownField) };
        let names = self.pool.field_formats(pair.message());
        let (mut count, mut map) = (frame.count, frame.map);
        if frame.marked {
            self.builder.end_entry(&mut map, entry);
        }
        while self.scanner.more(count, b'}')? {
            count += 1;
            let key = self.map_key(key)?;
            self.scanner.colon()?;
            if self.scanner.peek()? == b'n' && !self.element_takes_null(names, value, 1) {
                return Err(self.scanner.wrong_type());
            }
            if !value.coding.is_message() {
                if let Some(word) = self.scalar(names, value, 1)? {
                    let base = self.builder.entry(&mut map, entry, key)?;
                    self.builder.set(
                        FieldAt { body: BodyRef::of(entry, base), position: 1 },
                        value.coding,
                        word,
                    )?;
                    self.builder.end_entry(&mut map, entry);
                }
                continue;
            }
            let base = self.builder.entry(&mut map, entry, key)?;
            if let Some(frame) = self.frames.last_mut() {
                (frame.count, frame.map, frame.marked) = (count, map, true);
            }
            return self.message(
                FieldAt { body: BodyRef::of(entry, base), position: 1 },
                value,
                frame.depth + 2,
            );
        }
        if !self.builder.end_map(frame.at, map, entry, !self.options.allow_duplicate_keys)? {
            return Err(Kind::DuplicateKey);
        }
        self.pop()
    }
}
