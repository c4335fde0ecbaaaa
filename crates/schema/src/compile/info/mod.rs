//! `SourceCodeInfo`: where each definition stands, and its comments.
//!
//! Only builders that ask for it pay for it: a second walk over a source that is known to be valid (`walk.rs`), with lines, columns
//! and comments (`tokens.rs`). Locations come in the order in which protoc begins them, so the bytes are those of
//! `protoc --include_source_info`.

mod parts;
mod tokens;
mod walk;

use crate::compile::options::OptionPaths;
use crate::compile::parse::ast::{File, NONE, Span};
use crate::compile::wire::Out;
use crate::memory::{Room, RoomFull};
use alloc::vec::Vec;
use tokens::{Token, comment_text};

/// The deepest path: two numbers for each of 32 messages, and as many as the longest name of an option.
const MAX_PATH: usize = 256;

/// What a location adds to the path of the one around it.
#[derive(Clone, Copy)]
enum Step {
    One(i32),
    Two(i32, i32),
    /// The options of a definition, of which one has a name that begins here.
    Options(i32, u32),
    /// The option whose name begins here.
    Option(u32),
    Same,
}

/// `SourceCodeInfo.Location`.
#[derive(Clone, Copy)]
struct Location {
    /// The location around it, or `NONE`.
    parent: u32,
    step: Step,
    line: u32,
    column: u32,
    /// `NONE` while it is open.
    end_line: u32,
    end_column: u32,
    /// Its comments, or `NONE`.
    notes: u32,
}

/// The comments of a location.
#[derive(Clone, Copy)]
struct Notes {
    leading: Span,
    trailing: Span,
    /// Its part of the detached comments.
    start: u32,
    end: u32,
}

/// The locations of a file.
#[derive(Default)]
struct Info {
    locations: Vec<Location>,
    notes: Vec<Notes>,
    detached: Vec<Span>,
}

/// Writes the `SourceCodeInfo` of a file, with its tag.
pub(super) fn write(
    number: i32,
    sources: &str,
    file: &File,
    paths: &mut OptionPaths,
    out: &mut Out,
    room: &mut Room,
) -> Result<(), RoomFull> {
    paths.sort();
    let info = walk::walk(sources, file, room)?;
    let start = out.begin(room, number)?;
    for location in &info.locations {
        info.location(location, sources, paths, out, room)?;
    }
    out.end(room, start)?;
    let Info { locations, notes, detached } = info;
    room.drop_list(locations);
    room.drop_list(notes);
    room.drop_list(detached);
    Ok(())
}

impl Info {
    fn location(
        &self,
        location: &Location,
        sources: &str,
        paths: &OptionPaths,
        out: &mut Out,
        room: &mut Room,
    ) -> Result<(), RoomFull> {
        let mut path = [0; MAX_PATH];
        let Some(from) = self.path(location, paths, &mut path) else { return Ok(()) };
        let start = out.begin(room, 1)?;
        packed(1, path.get(from..).unwrap_or_default().iter().copied(), out, room)?;
        let last = [location.end_line as i32, location.end_column as i32];
        let last = if location.end_line == location.line { &last[1..] } else { &last[..] };
        let first = [location.line as i32, location.column as i32];
        packed(2, first.iter().chain(last).copied(), out, room)?;
        if let Some(notes) = self.notes.get(location.notes as usize) {
            for (number, span) in [(3, notes.leading), (4, notes.trailing)] {
                comment(number, sources, span, false, out, room)?;
            }
            let range = notes.start as usize..notes.end as usize;
            for &span in self.detached.get(range).unwrap_or_default() {
                comment(6, sources, span, true, out, room)?;
            }
        }
        out.end(room, start)
    }

    /// Fills in the path of a location from the end of `path` on; where it begins, or `None` for options that are not kept.
    fn path(&self, location: &Location, paths: &OptionPaths, path: &mut [i32; MAX_PATH]) -> Option<usize> {
        let mut at = MAX_PATH;
        let mut put = |numbers: &[i32]| {
            let from = at.checked_sub(numbers.len())?;
            path.get_mut(from..at)?.copy_from_slice(numbers);
            at = from;
            Some(())
        };
        let mut next = Some(location);
        while let Some(location) = next {
            match location.step {
                Step::One(number) => put(&[number])?,
                Step::Two(number, index) => put(&[number, index])?,
                Step::Options(number, name) => put(&[paths.has_options(name).then_some(number)?])?,
                Step::Option(name) => {
                    let (numbers, index) = paths.find(name)?;
                    if index != NONE {
                        put(&[index as i32])?;
                    }
                    put(numbers)?;
                }
                Step::Same => {}
            }
            next = self.locations.get(location.parent as usize);
        }
        Some(at)
    }
}

/// A packed list of `int32`, if it is not empty.
fn packed(
    number: i32,
    values: impl Iterator<Item = i32>,
    out: &mut Out,
    room: &mut Room,
) -> Result<(), RoomFull> {
    let mut values = values.peekable();
    if values.peek().is_none() {
        return Ok(());
    }
    let start = out.begin(room, number)?;
    for value in values {
        out.varint(room, i64::from(value) as u64)?;
    }
    out.end(room, start)
}

/// The text of a comment; if it is empty, only with `empty`.
fn comment(
    number: i32,
    sources: &str,
    span: Span,
    empty: bool,
    out: &mut Out,
    room: &mut Room,
) -> Result<(), RoomFull> {
    let before = out.bytes.len();
    let range = span.start as usize..(span.start + span.len) as usize;
    let start = out.begin(room, number)?;
    for part in comment_text(sources.get(range).unwrap_or("")) {
        room.extend(&mut out.bytes, part.as_bytes())?;
    }
    if out.bytes.len() == start && !empty {
        out.bytes.truncate(before);
        return Ok(());
    }
    out.end(room, start)
}

impl Location {
    fn new(parent: u32, step: Step, first: Token) -> Self {
        let (line, column) = (first.line, first.column);
        Self { parent, step, line, column, end_line: NONE, end_column: 0, notes: NONE }
    }
}
