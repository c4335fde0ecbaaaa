//! Tokens with the comments around them.

use crate::compile::{Lexer, TokenKind};
use alloc::vec::Vec;
use core::ops::Range;

/// A token and where the comments before it are in the list of comments.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) span: Range<usize>,
    /// Before it, and not on the line of the token before that.
    pub(super) leading: Range<usize>,
    /// After it, on its line.
    pub(super) trailing: Range<usize>,
    /// White space stands before it.
    pub(super) spaced: bool,
    /// An empty line stands before it, after its comments.
    pub(super) blank: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Comment {
    pub(super) span: Range<usize>,
    /// An empty line stands before it.
    pub(super) blank: bool,
}

/// A source in tokens; the last one is its end.
pub(super) struct Scan<'s> {
    pub(super) source: &'s str,
    pub(super) pieces: Vec<Piece>,
    pub(super) comments: Vec<Comment>,
}

/// A token, or a word of a comment.
pub(super) type TokenText<'s> = &'s str;

impl<'s> Scan<'s> {
    /// The error is what is wrong, and where.
    pub(super) fn new(source: &'s str) -> Result<Self, (&'static str, u32)> {
        let mut scan = Self { source, pieces: Vec::new(), comments: Vec::new() };
        let mut lexer = Lexer::new(source, 0);
        let mut end = 0;
        loop {
            let token = lexer.next();
            if let Some((fault, at)) = lexer.fault {
                return Err((fault.text(), at));
            }
            let is_end = token.kind == TokenKind::End;
            let start = if is_end { source.len() } else { token.start as usize };
            let leading = scan.gap(end..start);
            let gap = source.get(end..start).unwrap_or_default();
            let last = scan.comments.get(leading.clone()).and_then(|comments| comments.last());
            let after = source.get(last.map_or(end, |comment| comment.span.end)..start).unwrap_or_default();
            scan.pieces.push(Piece {
                span: start..if is_end { start } else { token.end as usize },
                leading,
                trailing: 0..0,
                spaced: !gap.is_empty(),
                blank: has_blank(after),
            });
            if is_end {
                return Ok(scan);
            }
            end = token.end as usize;
        }
    }

    /// Reads the comments of a gap between tokens. Those that trail the token before go to it; the others are returned.
    fn gap(&mut self, gap: Range<usize>) -> Range<usize> {
        let first = self.comments.len();
        let text = |range: Range<usize>| self.source.get(range).unwrap_or_default();
        let (mut at, mut before) = (gap.start, gap.start);
        let mut found: Vec<Comment> = Vec::new();
        while let Some(offset) = text(at..gap.end).find('/') {
            let start = at + offset;
            let rest = text(start..gap.end);
            let len = match rest.strip_prefix("/*") {
                Some(inner) => inner.find("*/").map_or(rest.len(), |end| end + 4),
                None => rest.find('\n').unwrap_or(rest.len()),
            };
            found.push(Comment { span: start..start + len, blank: has_blank(text(before..start)) });
            (at, before) = (start + len, start + len);
        }
        // On the line of the token before, with the end of the line after them.
        let line = text(gap.clone());
        let mut trailing = 0;
        if !self.pieces.is_empty() {
            let mut from = gap.start;
            for comment in &found {
                if text(from..comment.span.start).contains('\n') {
                    break;
                }
                trailing += 1;
                from = comment.span.end;
            }
            let next_line = text(from..gap.end).contains('\n') || gap.end == self.source.len();
            if !next_line && trailing == found.len() && !line.contains('\n') {
                trailing = 0;
            }
        }
        self.comments.extend(found);
        let (middle, last) = (first + trailing, self.comments.len());
        if let Some(piece) = self.pieces.last_mut() {
            piece.trailing = first..middle;
        }
        middle..last
    }

    /// Whether white space stands at this byte.
    pub(super) fn has_space_at(&self, at: usize) -> bool {
        self.source.as_bytes().get(at).is_some_and(u8::is_ascii_whitespace)
    }

    /// Whether a line ends between two tokens.
    pub(super) fn are_lines_apart(&self, first: usize, second: usize) -> bool {
        let between = match (self.pieces.get(first), self.pieces.get(second)) {
            (Some(first), Some(second)) => self.source.get(first.span.end..second.span.start),
            _ => None,
        };
        between.is_some_and(|between| between.contains('\n'))
    }

    pub(super) fn text(&self, at: usize) -> &'s str {
        self.pieces.get(at).and_then(|piece| self.source.get(piece.span.clone())).unwrap_or_default()
    }

    pub(super) fn comment(&self, comment: &Comment) -> &'s str {
        self.source.get(comment.span.clone()).unwrap_or_default()
    }

    /// The tokens that formatting keeps, and the words of comments.
    pub(super) fn content(&self) -> impl Iterator<Item = TokenText<'_>> {
        let tokens = (0..self.pieces.len()).map(|at| self.text(at));
        // Separators in values are those of the layout.
        let tokens = tokens.filter(|text| !matches!(*text, "," | ";" | ":" | "{" | "}" | "<" | ">" | ""));
        tokens.chain(self.comments.iter().flat_map(|comment| self.words(comment)))
    }

    /// The words of a comment, without its marks.
    pub(super) fn words(&self, comment: &Comment) -> impl Iterator<Item = TokenText<'s>> {
        let words = self.comment(comment).split_whitespace().map(|word| word.trim_matches(['/', '*']));
        words.filter(|word| !word.is_empty())
    }
}

/// Whether a gap has an empty line: two ends of lines with nothing but white space between them.
fn has_blank(gap: &str) -> bool {
    let mut ends = gap.match_indices('\n').map(|(at, _)| at);
    let mut before = ends.next();
    ends.any(|end| {
        let between = before.replace(end).and_then(|start| gap.get(start..end));
        between.is_some_and(|between| between.trim().is_empty())
    })
}
