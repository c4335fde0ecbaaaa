//! Where options are in their options messages, for `SourceCodeInfo`.

use crate::compile::parse::ast::{Ast, NONE};
use crate::compile::parse::codes::label;
use crate::memory::{Room, RoomFull};
use alloc::vec::Vec;

/// The path of one option, relative to its options message.
#[derive(Clone, Copy, Debug)]
struct OptionPath {
    /// Where its name begins.
    name: u32,
    /// Its field numbers.
    start: u32,
    end: u32,
    /// The last field is repeated: this is the element, or `NONE`.
    index: u32,
    /// A part of it is for the source alone: it is not in the descriptors.
    dropped: bool,
    /// All of the option is for the source alone; after all options of the definition are read: of each of them.
    alone: bool,
}

/// The paths of the options of a file.
#[derive(Debug)]
pub(crate) struct OptionPaths {
    /// Options that are for the source alone are in the descriptors.
    retain: bool,
    paths: Vec<OptionPath>,
    numbers: Vec<i32>,
    /// The first path of the message that is read.
    begin: usize,
}

impl OptionPaths {
    pub(crate) fn new(retain: bool) -> Self {
        Self { retain, paths: Vec::new(), numbers: Vec::new(), begin: 0 }
    }

    pub(crate) fn clear(&mut self) {
        self.paths.clear();
        self.numbers.clear();
        self.begin = 0;
    }

    /// Adds the option whose name begins here and stands for these fields.
    pub(super) fn add(
        &mut self,
        ast: &Ast,
        name: u32,
        fields: impl Iterator<Item = u32>,
        room: &mut Room,
    ) -> Result<(), RoomFull> {
        let start = self.numbers.len() as u32;
        let mut path = OptionPath { name, start, end: start, index: NONE, dropped: false, alone: false };
        for field in fields.filter_map(|field| ast.fields.get(field)) {
            path.alone |= field.source_retention && !self.retain && self.numbers.len() == start as usize;
            room.push(&mut self.numbers, field.number)?;
            path.dropped |= field.source_retention && !self.retain;
            path.index = if i32::from(field.label) == label::REPEATED { 0 } else { NONE };
        }
        path.end = self.numbers.len() as u32;
        room.push(&mut self.paths, path)
    }

    /// After all options of a definition: counts the elements of repeated options.
    pub(super) fn end_message(&mut self, room: &mut Room) -> Result<(), RoomFull> {
        let own = self.paths.get(self.begin..).unwrap_or_default();
        let repeated = || (0u32..).zip(own).filter(|(_, path)| path.index != NONE).map(|(at, _)| at);
        if repeated().count() > 1 {
            let mut order = Vec::new();
            for at in repeated() {
                room.push(&mut order, at)?;
            }
            let numbers = |at: u32| own.get(at as usize).map(|path| self.numbers(path));
            order.sort_unstable_by_key(|&at| (numbers(at), at));
            let mut indices = Vec::new();
            for (i, &at) in order.iter().enumerate() {
                let same = i > 0 && numbers(at) == order.get(i - 1).and_then(|&before| numbers(before));
                let index = if same { indices.last().map_or(0, |(_, index)| index + 1) } else { 0 };
                room.push(&mut indices, (at, index))?;
            }
            for &(at, index) in &indices {
                if let Some(path) = self.paths.get_mut(self.begin + at as usize) {
                    path.index = index;
                }
            }
            room.drop_list(order);
            room.drop_list(indices);
        }
        let own = self.paths.get_mut(self.begin..).unwrap_or_default();
        let alone = own.iter().all(|path| path.alone);
        own.iter_mut().for_each(|path| path.alone = alone);
        self.begin = self.paths.len();
        Ok(())
    }

    fn numbers(&self, path: &OptionPath) -> &[i32] {
        self.numbers.get(path.start as usize..path.end as usize).unwrap_or_default()
    }

    /// After all options of a file: makes it possible to find them.
    pub(crate) fn sort(&mut self) {
        self.paths.sort_unstable_by_key(|path| path.name);
    }

    fn named(&self, name: u32) -> Option<&OptionPath> {
        self.paths.get(self.paths.binary_search_by_key(&name, |path| path.name).ok()?)
    }

    /// Whether the definition that has the option whose name begins here has options in the descriptors.
    pub(crate) fn has_options(&self, name: u32) -> bool {
        self.named(name).is_none_or(|path| !path.alone)
    }

    /// The field numbers of the option whose name begins here, and the element or `NONE`. `None` if it is not in the descriptors.
    pub(crate) fn find(&self, name: u32) -> Option<(&[i32], u32)> {
        let path = self.named(name).filter(|path| !path.dropped)?;
        Some((self.numbers(path), path.index))
    }
}
