//! Layout of `.proto` sources: one form for all, that of `buf format`.
//!
//! | file | |
//! |---|---|
//! | `scan.rs` | tokens with the comments around them |
//! | `tree.rs` | declarations and option values as ranges of tokens |
//! | `layout.rs` | prints declarations: order of the file, lines, spaces |
//! | `values.rs` | prints option values and comments |
//!
//! Nothing is looked up: a source is formatted without its imports. What is printed has the tokens and comments of the source; that is checked
//! at the end, so that nothing can be lost.

mod layout;
mod scan;
mod tree;
mod values;

use crate::compile::{SourceError, syntax_error};
use alloc::{string::String, vec::Vec};
use scan::{Scan, TokenText};

/// Formats a `.proto` source as `buf format` does. `name` is for errors.
///
/// Two spaces for each level; syntax, package, imports and options of the file first, imports and options sorted; one option in brackets on its
/// line, several on lines of their own; at most one empty line in a row. Comments stay with what they are at. A source that is formatted
/// already does not change. Takes time and memory in proportion to the source.
///
/// ```
/// let source = "syntax=\"proto3\";\nmessage A{ int32 b=1 [deprecated=true,json_name=\"x\"]; // the first\n}";
/// let formatted = "\
/// syntax = \"proto3\";
///
/// message A {
///   int32 b = 1 [
///     deprecated = true,
///     json_name = \"x\"
///   ]; // the first
/// }
/// ";
/// assert_eq!(tablepb_schema::format("a.proto", source)?, formatted);
/// assert_eq!(tablepb_schema::format("a.proto", formatted)?, formatted);
/// # Ok::<(), tablepb_schema::SourceError>(())
/// ```
///
/// # Errors
///
/// If the source has no form that can be kept: a token that does not exist, or a bracket or statement without an end. The error has the place.
/// Whether it compiles is not looked at.
pub fn format(name: &str, source: &str) -> Result<String, SourceError> {
    // The byte order mark is not part of the source.
    let text = source.strip_prefix('\u{feff}').unwrap_or(source);
    let fault = |(fault, at): (&str, u32)| syntax_error(name, text, fault, at);
    let scan = Scan::new(text).map_err(fault)?;
    let tree = tree::file(&scan).map_err(fault)?;
    let printed = layout::file(&scan, &tree);
    let same = Scan::new(&printed).is_ok_and(|again| kept(&scan) == kept(&again));
    if !same {
        let word =
            |comment: &&scan::Comment| scan.words(comment).next().is_some_and(|word| !printed.contains(word));
        let at = scan.comments.iter().find(word).map_or(0, |comment| comment.span.start as u32);
        return Err(fault(("this cannot be formatted: move the comment", at)));
    }
    Ok(printed)
}

/// What formatting keeps, in an order of its own: tokens but separators, and the words of comments.
fn kept<'s>(scan: &'s Scan<'_>) -> Vec<TokenText<'s>> {
    let mut all: Vec<TokenText<'s>> = scan.content().collect();
    all.sort_unstable();
    all
}
