//! The paths of a projection as a tree.

use std::collections::BTreeMap;

/// What is selected of a message.
#[derive(Clone, Debug, Default)]
pub(super) struct Selection {
    /// All of it.
    pub(super) all: bool,
    /// Some fields.
    pub(super) fields: BTreeMap<String, Selection>,
}

impl Selection {
    /// The tree of some paths; everything without paths.
    pub(super) fn new(paths: &[&str]) -> Self {
        let mut root = Self { all: paths.is_empty(), fields: BTreeMap::new() };
        for path in paths {
            let mut at = &mut root;
            for segment in segments(path) {
                match segment {
                    "*" => break,
                    name => at = at.fields.entry(name.to_owned()).or_default(),
                }
            }
            at.all = true;
        }
        root
    }
}

/// The segments of a path; a name in brackets is one.
fn segments(path: &str) -> impl Iterator<Item = &str> {
    let mut in_brackets = false;
    path.split(move |c| {
        match c {
            '[' => in_brackets = true,
            ']' => in_brackets = false,
            _ => {}
        }
        c == '.' && !in_brackets
    })
}
