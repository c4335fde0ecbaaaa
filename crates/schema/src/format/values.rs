//! Prints option values and comments.

use super::layout::Layout;
use super::scan::Comment;
use super::tree::{MessageField, Value};
use alloc::vec::Vec;
use core::ops::Range;

impl Value {
    pub(super) fn first(&self) -> usize {
        match self {
            Self::Plain(range) | Self::Strings(range) => range.start,
            Self::Message { open, .. } | Self::List { open, .. } => *open,
        }
    }

    pub(super) fn last(&self) -> usize {
        match self {
            Self::Plain(range) | Self::Strings(range) => range.end.saturating_sub(1),
            Self::Message { close, .. } | Self::List { close, .. } => *close,
        }
    }

    fn is_composite(&self) -> bool {
        matches!(self, Self::Message { .. } | Self::List { .. })
    }
}

impl Layout<'_> {
    /// A value after `=` or `:`.
    pub(super) fn spaced_value(&mut self, value: &Value) {
        if let Value::Strings(range) = value {
            self.level += 1;
            self.on_lines(range.start.saturating_sub(1));
            self.leading(range.start);
            self.line();
            self.strings(range.clone());
            self.level -= 1;
            return;
        }
        self.between(value.first(), true);
        self.value(value);
    }

    /// Strings, each on a line.
    fn strings(&mut self, range: Range<usize>) {
        for at in range.clone() {
            if at > range.start {
                self.leading(at);
                self.line();
            }
            self.out.push_str(self.scan.text(at));
            if at + 1 < range.end {
                self.trailing(at);
            }
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Plain(range) => self.tokens(range.clone()),
            Value::Strings(range) => self.strings(range.clone()),
            Value::Message { open, fields, close } => self.message((*open, *close), fields),
            Value::List { open, elements, close } => self.list((*open, *close), elements),
        }
    }

    fn message(&mut self, (open, close): (usize, usize), fields: &[MessageField]) {
        let commented = self.has_comments(open, close);
        match fields {
            [] if !commented => self.out.push_str("{}"),
            [field] if !commented && !field.value.is_composite() => {
                self.out.push('{');
                self.field(field);
                self.out.push('}');
            }
            _ => {
                self.out.push('{');
                self.level += 1;
                self.on_lines(open);
                for (at, field) in fields.iter().enumerate() {
                    if at > 0 {
                        self.blank_before(field.name.start);
                    }
                    self.leading(field.name.start);
                    self.line();
                    self.field(field);
                    self.after_value(field.value.last(), field.separator, false);
                }
                self.blank_before_comments(close);
                self.leading(close);
                self.level -= 1;
                self.line();
                self.out.push('}');
            }
        }
    }

    fn field(&mut self, field: &MessageField) {
        for at in field.name.clone() {
            if at > field.name.start {
                self.between(at, false);
            }
            self.out.push_str(self.scan.text(at));
        }
        if self.scan.text(field.name.end) == ":" {
            self.between(field.name.end, false);
        }
        self.out.push(':');
        self.spaced_value(&field.value);
    }

    fn list(&mut self, (open, close): (usize, usize), elements: &[(Value, Option<usize>)]) {
        let commented = self.has_comments(open, close);
        match elements {
            [] if !commented => self.out.push_str("[]"),
            [(element, _)] if !commented && !element.is_composite() => {
                self.out.push('[');
                self.value(element);
                self.out.push(']');
            }
            _ => {
                self.out.push('[');
                self.level += 1;
                self.on_lines(open);
                for (at, (element, comma)) in elements.iter().enumerate() {
                    if at > 0 {
                        self.blank_before(element.first());
                    }
                    self.leading(element.first());
                    self.line();
                    self.value(element);
                    self.after_value(element.last(), *comma, at + 1 < elements.len());
                }
                self.blank_before_comments(close);
                self.leading(close);
                self.level -= 1;
                self.line();
                self.out.push(']');
            }
        }
    }

    /// The comments after a value and the separator that follows it, which may go.
    pub(super) fn after_value(&mut self, last: usize, separator: Option<usize>, comma: bool) {
        let Some(separator) = separator else { return self.trailing(last) };
        if comma {
            self.between(separator, false);
            self.out.push(',');
            return self.trailing(separator);
        }
        let trailing = |at: usize| self.piece(at).map_or(0..0, |piece| piece.trailing.clone());
        let leading = self.piece(separator).map_or(0..0, |piece| piece.leading.clone());
        let mut comments = trailing(last).chain(leading).chain(trailing(separator)).peekable();
        while let Some(comment) = comments.next() {
            let Some(comment) = self.scan.comments.get(comment) else { continue };
            self.out.push(' ');
            // Only the last one may end the line.
            if comments.peek().is_some() { self.in_block(comment) } else { self.comment(comment) }
        }
    }

    /// The comments after a token, on its line.
    pub(super) fn trailing(&mut self, at: usize) {
        for comment in self.piece(at).map_or(0..0, |piece| piece.trailing.clone()) {
            let Some(comment) = self.scan.comments.get(comment) else { continue };
            self.out.push(' ');
            self.comment(comment);
        }
    }

    /// A comment that does not end its line.
    pub(super) fn in_block(&mut self, comment: &Comment) {
        match self.scan.comment(comment).strip_prefix("//") {
            Some(text) => {
                self.out.push_str("/*");
                self.out.push_str(&text.trim_end().replace("*/", "* /"));
                self.out.push_str(" */");
            }
            None => self.comment(comment),
        }
    }

    /// A comment, at the level of the line.
    pub(super) fn comment(&mut self, comment: &Comment) {
        let text = self.scan.comment(comment);
        if text.starts_with("//") || !text.contains('\n') {
            self.out.push_str(text.trim_end());
            return;
        }
        let mut lines = text.lines();
        self.out.push_str(lines.next().unwrap_or_default().trim_end());
        let rest: Vec<&str> = lines.map(str::trim_end).collect();
        // The end of the comment, if it has a line of its own.
        let (inner, end) = match rest.split_last() {
            Some((last, inner)) if last.trim_start() == "*/" => (inner, true),
            _ => (rest.as_slice(), false),
        };
        let (mark, shared) = shape(inner);
        for line in inner {
            self.out.push('\n');
            if line.is_empty() {
                continue;
            }
            (0..self.level).for_each(|_| self.out.push_str("  "));
            match mark {
                Some(_) => {
                    self.out.push(' ');
                    self.out.push_str(line.trim_start());
                }
                None => {
                    self.out.push_str("   ");
                    let (spaces, text) = without_columns(line, shared);
                    (0..spaces).for_each(|_| self.out.push(' '));
                    self.out.push_str(text);
                }
            }
        }
        if end {
            self.out.push('\n');
            (0..self.level).for_each(|_| self.out.push_str("  "));
            self.out.push_str(if mark == Some('*') { " */" } else { "*/" });
        }
    }
}

/// What all lines of a block comment begin with: a mark such as `*`, or the white space that they share if there is no mark.
fn shape(inner: &[&str]) -> (Option<char>, usize) {
    let mark = |line: &&str| line.trim_start().chars().next();
    let Some(first) = inner.first() else { return (Some('*'), 0) };
    let marked = mark(first).filter(|first| !first.is_alphanumeric());
    let shared = inner.iter().filter(|line| !line.is_empty()).map(|line| columns(line)).min();
    (marked.filter(|_| inner.iter().all(|line| mark(line) == marked)), shared.unwrap_or(0))
}

/// A tab is eight columns wide.
fn width(white: char) -> usize {
    if white == '\t' { 8 } else { 1 }
}

/// The columns of white space that a line begins with.
fn columns(line: &str) -> usize {
    line.chars().take_while(|c| c.is_whitespace()).map(width).sum()
}

/// A line without its first columns: the spaces that are left of a tab, and the rest.
fn without_columns(line: &str, columns: usize) -> (usize, &str) {
    let mut gone = 0;
    for (at, white) in line.char_indices() {
        if gone >= columns {
            return (gone - columns, line.get(at..).unwrap_or_default());
        }
        gone += width(white);
    }
    (0, "")
}
