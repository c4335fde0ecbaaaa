//! Prints declarations: the order of the file, lines and the spaces in them.

use super::scan::{Piece, Scan};
use super::tree::{Body, CompactOption, Declaration, Options};
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// What stands where in a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Syntax,
    Package,
    Import,
    Option,
    Other,
}

/// A source with this layout.
pub(super) fn file(scan: &Scan<'_>, declarations: &[Declaration]) -> String {
    let mut layout = Layout { scan, out: String::new(), level: 0, printed: 0..0 };
    let some = |declaration: &&Declaration| layout.is_something(declaration);
    let mut order: Vec<&Declaration> = declarations.iter().filter(some).collect();
    order.sort_by_key(|declaration| layout.sort_key(declaration));
    let mut before = None;
    for declaration in order {
        let rank = layout.rank(declaration);
        // What stands apart before the first import or option is said of all of them.
        let first = declarations.iter().find(|other| layout.rank(other) == rank);
        let apart = first.filter(|_| before != Some(rank) && matches!(rank, Rank::Import | Rank::Option));
        match before {
            None => {}
            Some(before) if before != rank && matches!(rank, Rank::Import | Rank::Option) => layout.blank(),
            Some(Rank::Syntax) if rank == Rank::Other => layout.blank(),
            // In the order of their names nothing is left of the lines between them.
            Some(_) if matches!(rank, Rank::Import | Rank::Option) => {}
            Some(_) => layout.blank_before(declaration.first()),
        }
        before = Some(rank);
        if let Some(first) = apart {
            layout.apart(first.first());
        }
        layout.declaration(declaration);
    }
    let end = scan.pieces.len().saturating_sub(1);
    if before.is_some() && scan.pieces.last().is_some_and(|piece| !piece.leading.is_empty()) {
        layout.blank_before(end);
    }
    layout.leading(end);
    layout.out.truncate(layout.out.trim_end().len());
    if !layout.out.is_empty() {
        layout.out.push('\n');
    }
    layout.out
}

/// A file in the making. Each line begins with the end of the one before.
pub(super) struct Layout<'s> {
    pub(super) scan: &'s Scan<'s>,
    pub(super) out: String,
    pub(super) level: usize,
    /// Comments that do not stand at their token any more.
    printed: Range<usize>,
}

impl<'s> Layout<'s> {
    fn rank(&self, declaration: &Declaration) -> Rank {
        match self.scan.text(declaration.first()) {
            "syntax" | "edition" => Rank::Syntax,
            "package" => Rank::Package,
            "import" => Rank::Import,
            "option" => Rank::Option,
            _ => Rank::Other,
        }
    }

    /// Imports by their paths, `import option` last; options by their names, extensions last.
    fn sort_key(&self, declaration: &Declaration) -> (Rank, bool, String) {
        let rank = self.rank(declaration);
        let word = |at: usize| self.scan.text(declaration.head.start + at);
        let name = |range: Range<usize>| range.map(|at| self.scan.text(at)).collect();
        match rank {
            Rank::Import => (
                rank,
                word(1) == "option",
                name(declaration.head.end.saturating_sub(1)..declaration.head.end),
            ),
            Rank::Option => (
                rank,
                word(1) == "(",
                name(declaration.head.start + 1..declaration.head.end.saturating_sub(1)),
            ),
            _ => (rank, false, String::new()),
        }
    }

    pub(super) fn piece(&self, at: usize) -> Option<&'s Piece> {
        self.scan.pieces.get(at)
    }

    /// Begins a line.
    pub(super) fn line(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        (0..self.level).for_each(|_| self.out.push_str("  "));
    }

    /// Leaves an empty line before the next line, unless there is one.
    fn blank(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }

    /// The empty line of the source before a token and its comments.
    pub(super) fn blank_before(&mut self, at: usize) {
        let Some(piece) = self.piece(at) else { return };
        let first = self.scan.comments.get(piece.leading.start).filter(|_| !piece.leading.is_empty());
        if first.map_or(piece.blank, |comment| comment.blank) {
            self.blank();
        }
    }

    /// The comments before a token that have an empty line between them and the rest.
    fn apart(&mut self, at: usize) {
        let Some(piece) = self.piece(at) else { return };
        let blank = |at: usize| self.scan.comments.get(at).is_some_and(|comment| comment.blank);
        let leading = piece.leading.clone();
        let end = if piece.blank {
            Some(leading.end)
        } else {
            leading.clone().rev().find(|&at| at > leading.start && blank(at))
        };
        let Some(end) = end.filter(|&end| end > leading.start) else { return };
        for (i, at) in (leading.start..end).enumerate() {
            let Some(comment) = self.scan.comments.get(at) else { continue };
            if i > 0 && comment.blank {
                self.blank();
            }
            self.line();
            self.comment(comment);
        }
        self.blank();
        self.printed = leading.start..end;
    }

    /// As [`blank_before`](Self::blank_before), if there are comments.
    pub(super) fn blank_before_comments(&mut self, at: usize) {
        if self.piece(at).is_some_and(|piece| !piece.leading.is_empty()) {
            self.blank_before(at);
        }
    }

    /// The comments before a token, each on lines of its own, and the empty line between them and the token.
    pub(super) fn leading(&mut self, at: usize) {
        let Some(piece) = self.piece(at) else { return };
        for comment in piece.leading.clone() {
            let first = comment == piece.leading.start || self.printed.end == comment;
            let kept = !self.printed.contains(&comment);
            let Some(comment) = self.scan.comments.get(comment).filter(|_| kept) else { continue };
            if !first && comment.blank {
                self.blank();
            }
            self.line();
            self.comment(comment);
        }
        if piece.leading.clone().any(|comment| !self.printed.contains(&comment)) && piece.blank {
            self.blank();
        }
    }

    /// Whether it is more than a semicolon.
    fn is_something(&self, declaration: &Declaration) -> bool {
        let piece = self.piece(declaration.end);
        !declaration.head.is_empty()
            || declaration.body.is_some()
            || piece.is_some_and(|piece| !piece.leading.is_empty() || !piece.trailing.is_empty())
    }

    fn declaration(&mut self, declaration: &Declaration) {
        self.leading(declaration.first());
        if declaration.head.is_empty() && declaration.body.is_none() {
            // A lone semicolon.
            return self.on_lines(declaration.end);
        }
        self.line();
        self.tokens(declaration.head.clone());
        if let Some(value) = &declaration.value {
            self.spaced_value(value);
        }
        if let Some(options) = &declaration.options {
            self.between(options.open, true);
            self.options(options);
        }
        match &declaration.body {
            Some(body) => self.body(body, declaration.end),
            None => {
                self.between(declaration.end, false);
                self.out.push(';');
            }
        }
        self.trailing(declaration.end);
    }

    /// Trailing comments on lines of their own.
    pub(super) fn on_lines(&mut self, at: usize) {
        for comment in self.piece(at).map_or(0..0, |piece| piece.trailing.clone()) {
            let Some(comment) = self.scan.comments.get(comment) else { continue };
            self.line();
            self.comment(comment);
        }
    }

    fn body(&mut self, body: &Body, close: usize) {
        let brace = |at: usize| self.piece(at);
        let empty = body.declarations.is_empty()
            && brace(body.open).is_none_or(|piece| piece.trailing.is_empty())
            && brace(close).is_none_or(|piece| piece.leading.is_empty());
        self.between(body.open, true);
        self.out.push_str(if empty { "{}" } else { "{" });
        if empty {
            return;
        }
        self.trailing(body.open);
        self.level += 1;
        let some = |declaration: &&Declaration| self.is_something(declaration);
        let declarations: Vec<&Declaration> = body.declarations.iter().filter(some).collect();
        for (at, declaration) in declarations.into_iter().enumerate() {
            if at > 0 {
                self.blank_before(declaration.first());
            }
            self.declaration(declaration);
        }
        if !body.declarations.is_empty() && self.piece(close).is_some_and(|piece| !piece.leading.is_empty()) {
            self.blank_before(close);
        }
        let comments = self.piece(close).map_or(0..0, |piece| piece.leading.clone());
        for (at, comment) in comments.enumerate() {
            let Some(comment) = self.scan.comments.get(comment) else { continue };
            if at > 0 && comment.blank {
                self.blank();
            }
            self.line();
            self.comment(comment);
        }
        self.level -= 1;
        self.line();
        self.out.push('}');
    }

    fn options(&mut self, options: &Options) {
        if let [option] = options.list.as_slice()
            && !self.stands_apart(options, option)
        {
            self.out.push('[');
            self.option(option);
            if let Some(comma) = option.comma {
                self.between(comma, false);
            }
            self.between(options.close, false);
            self.out.push(']');
            return;
        }
        self.out.push('[');
        self.level += 1;
        self.on_lines(options.open);
        for (at, option) in options.list.iter().enumerate() {
            self.blank_before_comments(option.name.start);
            self.leading(option.name.start);
            self.line();
            self.option(option);
            self.after_value(option.value.last(), option.comma, at + 1 < options.list.len());
        }
        self.blank_before_comments(options.close);
        self.leading(options.close);
        self.level -= 1;
        self.line();
        self.out.push(']');
    }

    /// Whether comments stand between the brackets and the only option in them.
    fn stands_apart(&self, options: &Options, option: &CompactOption) -> bool {
        let commented = |at: usize| self.piece(at).is_some_and(|piece| !piece.leading.is_empty());
        let last = option.comma.unwrap_or_else(|| option.value.last());
        commented(option.name.start)
            || self.piece(options.open).is_some_and(|piece| !piece.trailing.is_empty())
            || commented(options.close) && self.scan.are_lines_apart(last, options.close)
    }

    fn option(&mut self, option: &CompactOption) {
        self.tokens(option.name.clone());
        self.between(option.name.end, true);
        self.out.push('=');
        self.spaced_value(&option.value);
    }

    /// Tokens of one line, with the spaces and comments between them.
    pub(super) fn tokens(&mut self, range: Range<usize>) {
        for at in range.clone() {
            if at > range.start {
                self.between(at, self.is_spaced(&range, at));
            }
            self.out.push_str(self.scan.text(at));
        }
    }

    /// What stands before a token in a line that goes on: a space, or the comments of the source with the spaces that they have there.
    pub(super) fn between(&mut self, at: usize, spaced: bool) {
        let after = |at: usize| self.piece(at).map_or(0..0, |piece| piece.trailing.clone());
        let before = self.piece(at).map_or(0..0, |piece| piece.leading.clone());
        let mut end = None;
        for comment in at.checked_sub(1).map_or(0..0, after).chain(before) {
            let Some(comment) = self.scan.comments.get(comment) else { continue };
            if self.scan.has_space_at(comment.span.start.wrapping_sub(1))
                && !self.out.ends_with(['(', '[', ' '])
            {
                self.out.push(' ');
            }
            self.in_block(comment);
            end = Some(comment.span.end);
        }
        let tight = matches!(self.scan.text(at), ";" | "," | ")" | "]");
        if end.map_or(spaced, |end| !tight && self.scan.has_space_at(end)) {
            self.out.push(' ');
        }
    }

    /// Whether a space stands before a token.
    fn is_spaced(&self, range: &Range<usize>, at: usize) -> bool {
        let (before, text) = (self.scan.text(at - 1), self.scan.text(at));
        match (before, text) {
            (_, "," | ")" | ">" | ";" | "]" | "<") | ("(" | "<" | "[", _) => false,
            // A type that begins with a dot, not one that goes on after it.
            ("optional" | "repeated" | "required" | "stream" | "extend", ".") => {
                self.piece(at).is_some_and(|piece| piece.spaced)
            }
            (_, ".") => before == ",",
            (".", _) => false,
            (_, "(") => !(self.scan.text(range.start) == "rpc" && at == range.start + 2),
            ("-", _) => !text.starts_with(|first: char| {
                first.is_ascii_digit() || first == '.' || first == 'i' || first == 'n'
            }),
            _ => true,
        }
    }

    /// Whether a comment stands in a range of tokens, but for those before its first and after its last one.
    pub(super) fn has_comments(&self, first: usize, last: usize) -> bool {
        (first..=last).any(|at| {
            self.piece(at).is_some_and(|piece| {
                (at > first && !piece.leading.is_empty()) || (at < last && !piece.trailing.is_empty())
            })
        })
    }
}

impl Declaration {
    /// Its first token.
    pub(super) fn first(&self) -> usize {
        match &self.body {
            _ if !self.head.is_empty() => self.head.start,
            Some(body) => body.open,
            None => self.end,
        }
    }
}
