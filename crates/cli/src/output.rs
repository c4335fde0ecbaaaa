//! Lines with indentation.

use std::fmt;
use std::io::{self, Write};

/// Where lines go, and whether long things are abbreviated.
pub struct Output<'w> {
    writer: &'w mut dyn Write,
    pub full: bool,
    /// The line that is being made: the writer gets it in one piece.
    text: String,
}

impl<'w> Output<'w> {
    pub fn new(writer: &'w mut dyn Write, full: bool) -> Self {
        Self { writer, full, text: String::new() }
    }

    /// A line, two spaces in for each level.
    pub fn line(&mut self, level: usize, text: fmt::Arguments<'_>) -> io::Result<()> {
        self.text.clear();
        self.text.extend(std::iter::repeat_n("  ", level));
        // Writing to a String cannot fail.
        let _ = fmt::Write::write_fmt(&mut self.text, text);
        self.text.push('\n');
        self.writer.write_all(self.text.as_bytes())
    }

    /// The lines of a text, further in by this many levels.
    pub fn lines(&mut self, level: usize, text: &str) -> io::Result<()> {
        text.lines().try_for_each(|line| self.line(level, format_args!("{line}")))
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
