//! Comments, from the `SourceCodeInfo` of a file.
//!
//! What is printed gives the same comments when it is compiled: those before a definition stand right before it, those after it on its
//! line or, if they have more lines, on the lines after it, and detached ones between empty lines.

use super::ProtoPrinter;
use crate::schema::pool::model::PoolData;
use crate::schema::pool::read;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// `FileDescriptorProto.source_code_info`, and `SourceCodeInfo.location`.
const SOURCE_CODE_INFO: u32 = 9;
const LOCATION: u32 = 1;

/// The comments of a location.
#[derive(Clone, Default)]
struct Notes<'a> {
    leading: &'a str,
    trailing: &'a str,
    detached: Vec<&'a str>,
}

/// The comments of a file, by the path of the definition.
#[derive(Default)]
pub(super) struct Comments<'a> {
    own: BTreeMap<Vec<i32>, Notes<'a>>,
    /// Of statements that declare several things, `extend`, `extensions` and `reserved`, by the path of the first one.
    lists: BTreeMap<Vec<i32>, Notes<'a>>,
}

impl<'a> Comments<'a> {
    /// `None` if the file has none.
    pub(super) fn read(data: &'a PoolData, file: u32) -> Option<Self> {
        let proto = data.bytes(data.files.get(file as usize)?.proto);
        let mut this = Self::default();
        // The statement before this location, if it may declare several things.
        let mut list: Option<Vec<i32>> = None;
        for info in read::children(proto, SOURCE_CODE_INFO) {
            for location in read::children(info, LOCATION) {
                let mut path = Vec::new();
                // A pool has checked them.
                let _ = read::ints(location, 1, &mut |number| {
                    path.push(number);
                    Ok(())
                });
                if let Some((_, statement)) = path.split_last()
                    && let Some(list) = list.take().filter(|list| list == statement)
                {
                    // Also without comments, so that no statement gets those of another.
                    let notes = this.own.remove(&list).unwrap_or_default();
                    this.lists.insert(path.clone(), notes);
                }
                let texts = |number| {
                    read::children(location, number).filter_map(|text| core::str::from_utf8(text).ok())
                };
                let notes = Notes {
                    leading: texts(3).last().unwrap_or(""),
                    trailing: texts(4).last().unwrap_or(""),
                    detached: texts(6).collect(),
                };
                // A field number without an index: a statement, or one value.
                list = (path.len() % 2 == 1).then(|| path.clone());
                if !(notes.leading.is_empty() && notes.trailing.is_empty() && notes.detached.is_empty()) {
                    this.own.insert(path, notes);
                }
            }
        }
        (!this.own.is_empty() || !this.lists.is_empty()).then_some(this)
    }
}

impl<'a> ProtoPrinter<'a> {
    /// The comments of what is declared under the definition that is printed.
    fn notes(&self, step: &[i32], list: bool) -> Option<&Notes<'a>> {
        let comments = self.comments.as_ref()?;
        let path = [&self.path[..], step].concat();
        if list { comments.lists.get(&path) } else { comments.own.get(&path) }
    }

    pub(super) fn prints_comments(&self) -> bool {
        self.comments.is_some()
    }

    /// Whether a statement with comments begins with this.
    pub(super) fn begins_list(&self, step: &[i32]) -> bool {
        self.notes(step, true).is_some()
    }

    /// Prints the comments before a definition, after any empty line.
    pub(super) fn before(&mut self, step: &[i32], list: bool) {
        let Some(notes) = self.notes(step, list).cloned() else { return };
        for detached in &notes.detached {
            self.empty_line();
            self.comment(detached);
            self.empty_line();
        }
        self.comment(notes.leading);
    }

    /// Prints the comment after a definition, or after the brace that opens it.
    pub(super) fn after(&mut self, step: &[i32], list: bool) {
        let Some(trailing) = self.notes(step, list).map(|notes| notes.trailing) else { return };
        let mut lines = lines(trailing);
        match (lines.next(), lines.next()) {
            (None, _) => {}
            (Some(line), None) => {
                self.out.truncate(self.out.trim_end_matches('\n').len());
                self.out.push_str(" //");
                self.text(line);
            }
            _ => {
                self.comment(trailing);
                self.empty_line();
            }
        }
    }

    /// An empty line, unless there is one.
    fn empty_line(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    fn comment(&mut self, text: &str) {
        for line in lines(text) {
            for _ in 0..self.indent {
                self.out.push_str("  ");
            }
            self.out.push_str("//");
            self.text(line);
        }
    }

    /// A line of a comment. A comment ends at NUL, which only sets that no compiler has made have.
    fn text(&mut self, line: &str) {
        self.out.extend(line.chars().map(|c| if c == '\0' { ' ' } else { c }));
        self.out.push('\n');
    }
}

/// The lines of a comment. A newline ends the last one, unless it was a block comment.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let whole = text.strip_suffix('\n').unwrap_or(text);
    whole.split('\n').take(if text.is_empty() { 0 } else { usize::MAX })
}
