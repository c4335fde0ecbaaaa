//! Lines with indentation.

use std::fmt;
use std::io::{self, Write};

/// Where lines go, and whether long things are abbreviated.
pub struct Output<'w> {
    writer: &'w mut dyn Write,
    pub full: bool,
}

impl<'w> Output<'w> {
    pub fn new(writer: &'w mut dyn Write, full: bool) -> Self {
        Self { writer, full }
    }

    /// A line, two spaces in for each level.
    pub fn line(&mut self, level: usize, text: fmt::Arguments<'_>) -> io::Result<()> {
        writeln!(self.writer, "{:1$}{text}", "", 2 * level)
    }

    /// The number of elements shown of a list of this length.
    pub fn shown(&self, length: usize) -> usize {
        // An ellipsis for a single element would take as much room as the element.
        if self.full || length <= LIST + 1 { length } else { LIST }
    }

    /// The number of numbers shown of a list of this length.
    pub fn shown_numbers(&self, length: usize) -> usize {
        if self.full || length <= NUMBERS + 1 { length } else { NUMBERS }
    }
}

/// Elements shown of lists that take a line for each element.
pub const LIST: usize = 8;
/// Elements shown of lists that stand on one line.
const NUMBERS: usize = 16;
