//! Unknown fields: by number, with a guess at what their bytes are.

use super::TextStyle;
use crate::formats::numbers::put_u64;
use crate::formats::text::strings;
use crate::wire::Full;
use crate::wire::read::raw;
use crate::wire::{Tag, WireType};
use alloc::vec::Vec;

/// How many levels of bytes are taken for messages where they could be some, as in C++. Each level is passed over once more to
/// find that out, so this bounds the time.
const GUESSES: u32 = 10;
/// How deep groups in such bytes may be.
const GROUPS: u32 = 100;

/// A message or group that has been opened.
struct OpenUnknown<'i> {
    /// Its fields; of a group, with what follows its end.
    rest: &'i [u8],
    guesses: u32,
    /// Nothing has been written inside.
    first: bool,
}

impl TextStyle<'_, '_> {
    /// Unknown fields of a message at this level. `first` says whether nothing has been written inside before, and the
    /// answer whether that is still so.
    pub(super) fn unknown_fields<'i>(
        &mut self,
        fields: impl Iterator<Item = (Tag, &'i [u8])>,
        level: u32,
        mut first: bool,
    ) -> Result<bool, Full> {
        for (tag, value) in fields {
            self.separate(level, first);
            first = false;
            let mut open = Vec::new();
            self.unknown_value(tag, value, GUESSES, &mut open)?;
            self.opened(&mut open, level)?;
        }
        Ok(first)
    }

    /// The rest of what has been opened inside of a field at this level. Groups are walked through to their end, which is not
    /// looked for on each level.
    fn opened(&mut self, open: &mut Vec<OpenUnknown<'_>>, level: u32) -> Result<(), Full> {
        while let Some(top) = open.last_mut() {
            let (first, guesses) = (top.first, top.guesses);
            let next = next_tag(top.rest).filter(|(tag, _)| tag.wire_type() != WireType::EndGroup);
            let Some((tag, start)) = next else {
                let after = next_tag(top.rest).and_then(|(_, start)| top.rest.get(start..));
                open.pop();
                if let (Some(around), Some(after)) = (open.last_mut(), after) {
                    around.rest = after;
                }
                self.close_brace(level + open.len() as u32 + 1, first);
                continue;
            };
            top.first = false;
            let value = top.rest.get(start..).unwrap_or_default();
            self.separate(level + open.len() as u32, first);
            let at = open.len() - 1;
            let rest = self.unknown_value(tag, value, guesses, open)?;
            if let Some(around) = open.get_mut(at) {
                around.rest = rest;
            }
        }
        Ok(())
    }

    /// Number and value of a field, whose value is at the start of `bytes`; a message or group is opened. Gives what follows.
    fn unknown_value<'i>(
        &mut self,
        tag: Tag,
        bytes: &'i [u8],
        guesses: u32,
        open: &mut Vec<OpenUnknown<'i>>,
    ) -> Result<&'i [u8], Full> {
        put_u64(&mut self.out, tag.number().into());
        let mut inside = None;
        let after = match tag.wire_type() {
            WireType::Varint => raw::varint(bytes, 0).map(|(value, after)| {
                self.colon();
                put_u64(&mut self.out, value);
                after
            }),
            WireType::Fixed32 => raw::fixed32(bytes, 0).map(|(value, after)| {
                self.hexadecimal(value.into(), 8);
                after
            }),
            WireType::Fixed64 => raw::fixed64(bytes, 0).map(|(value, after)| {
                self.hexadecimal(value, 16);
                after
            }),
            WireType::LengthDelimited => raw::length_delimited(bytes, 0).map(|(value, after)| {
                if guesses > 0 && could_be_message(value) {
                    inside = Some(value);
                } else {
                    self.colon();
                    strings::put_bytes(&mut self.out, value);
                }
                after
            }),
            WireType::StartGroup | WireType::EndGroup => {
                inside = Some(bytes);
                Ok(0)
            }
        };
        if let Some(rest) = inside {
            open.try_reserve(1).map_err(|_| Full::NoMemory)?;
            self.pad();
            self.open_brace(1);
            open.push(OpenUnknown { rest, guesses: guesses.saturating_sub(1), first: true });
        }
        // Unknown fields are whole, so reading them does not fail.
        Ok(after.ok().and_then(|after| bytes.get(after..)).unwrap_or_default())
    }

    fn hexadecimal(&mut self, value: u64, digits: u32) {
        self.colon();
        self.out.array(b"0x");
        for digit in (0..digits).rev() {
            let digit = (value >> (4 * digit) & 15) as u8;
            self.out.byte(if digit < 10 { b'0' + digit } else { b'a' + digit - 10 });
        }
    }
}

fn next_tag(bytes: &[u8]) -> Option<(Tag, usize)> {
    raw::tag(bytes, 0).ok()
}

/// Tags and values of encoded fields, up to one that is not valid.
pub(super) fn encoded_fields(mut rest: &[u8]) -> impl Iterator<Item = (Tag, &[u8])> {
    core::iter::from_fn(move || {
        let (tag, start) = next_tag(rest)?;
        let end = raw::skip_value(rest, start, rest.len(), tag, GROUPS).ok()?;
        let value = rest.get(start..end)?;
        rest = rest.get(end..)?;
        Some((tag, value))
    })
}

/// Whether bytes are fields, and at least one of them.
fn could_be_message(bytes: &[u8]) -> bool {
    let mut at = 0;
    while at < bytes.len() {
        let end = raw::tag(bytes, at)
            .ok()
            .and_then(|(tag, start)| raw::skip_value(bytes, start, bytes.len(), tag, GROUPS).ok());
        match end {
            Some(end) => at = end,
            None => return false,
        }
    }
    !bytes.is_empty()
}
