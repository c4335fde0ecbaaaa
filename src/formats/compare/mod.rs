//! Comparing messages: what differs, by path. In tests: [`assert_message_eq!`].
//!
//! Any message is compared with any other one: structs, views and dynamic messages, of one pool or of several. The rules are those of C++'s
//! `MessageDifferencer`.
//!
//! ```
//! use tablepb::compare::{Comparison, differences};
//!
//! #[derive(Default)]
//! struct Row { id: u32, score: f64 }
//! #[derive(Default)]
//! struct Table { name: String, rows: Vec<Row> }
//! tablepb::message! {
//!     Row as "pkg.Row" { id: uint32 = 1, score: double = 2 }
//!     Table as "pkg.Table" { name: string = 1, rows: repeated message Row = 2 }
//! }
//!
//! let old = Table { name: "a".into(), rows: vec![Row { id: 7, score: 1.0 }, Row { id: 8, score: 2.0 }] };
//! let new = Table { name: "b".into(), rows: vec![Row { id: 8, score: 2.0 }, Row { id: 7, score: 1.0 + 1e-12 }] };
//! let found = differences(&old, &new)?;
//! assert_eq!(found[0].to_string(), r#"name: "a" -> "b""#);
//! assert_eq!(found.len(), 5);
//!
//! let loosely = Comparison::new().ignore("name").by_key("rows", ["id"]).tolerance(0.0, 1e-9);
//! assert_eq!(loosely.differences(&old, &new)?, []);
//! # Ok::<(), tablepb::EncodeError>(())
//! ```
//!
//! | | |
//! |---|---|
//! | [`differences`] | all differences, with the defaults |
//! | [`Comparison`] | the same with options |
//! | [`assert_message_eq!`] | panics with the differences |

mod walk;

use super::any_message::AnyMessage;
use crate::wire::error::EncodeError;
use alloc::{string::String, vec::Vec};
use core::fmt::{self, Debug, Display, Formatter};

#[doc(inline)]
pub use crate::__assert_message_eq as assert_message_eq;

/// One difference between two messages.
///
/// Displays as a line: `user.name: "a" -> "b"`, `tags[2]: added "x"`, `labels["k"]: removed 7`.
#[derive(Clone, PartialEq, Eq)]
pub struct Difference {
    path: String,
    before: Option<String>,
    after: Option<String>,
}

impl Difference {
    /// Where it is, as [`get_path`](crate::MessageView::get_path) takes it: in the first message, or in the second one if it was added. `""`
    /// for messages of different types; an unknown field is its number in angle brackets, `user.<12>`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The value in the first message, in text format; `None` if it was added.
    #[must_use]
    pub fn before(&self) -> Option<&str> {
        self.before.as_deref()
    }

    /// The value in the second message, in text format; `None` if it was removed.
    #[must_use]
    pub fn after(&self) -> Option<&str> {
        self.after.as_deref()
    }
}

impl Display for Difference {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => write!(f, "{before} -> {after}"),
            (None, Some(after)) => write!(f, "added {after}"),
            (before, _) => write!(f, "removed {}", before.as_deref().unwrap_or_default()),
        }
    }
}

impl Debug for Difference {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "`{self}`")
    }
}

/// All differences between two messages, in the order of the field numbers; [`Comparison::differences`] with the defaults.
///
/// # Errors
/// As [`Comparison::differences`].
pub fn differences<A: AnyMessage, B: AnyMessage>(a: &A, b: &B) -> Result<Vec<Difference>, EncodeError> {
    Comparison::new().differences(a, b)
}

/// How a list is compared.
#[derive(Clone, Debug, PartialEq)]
enum Rule {
    Ignore,
    AsSet,
    ByKey(Vec<String>),
}

/// How messages are compared. By default all fields count, lists in their order, and numbers by their bits, as `==` compares views. A field
/// without presence that is not set has its default value.
///
/// Fields are named by paths without elements, `"rows.cells.name"`; a map's values are at `"map.value"`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    rules: Vec<(String, Rule)>,
    fraction: f64,
    margin: f64,
    unset_is_default: bool,
    ignore_unknown: bool,
}

impl Comparison {
    /// The defaults.
    #[must_use]
    pub const fn new() -> Self {
        Self { rules: Vec::new(), fraction: 0.0, margin: 0.0, unset_is_default: false, ignore_unknown: false }
    }

    /// Leaves out a field, with all that is in it.
    #[must_use]
    pub fn ignore(self, path: &str) -> Self {
        self.with(path, Rule::Ignore)
    }

    /// Compares a list as a set: in any order, each element with one that is equal. Costs up to n comparisons for each of n elements.
    #[must_use]
    pub fn as_set(self, path: &str) -> Self {
        self.with(path, Rule::AsSet)
    }

    /// Compares a list of messages as a map: elements with equal values in all of these fields belong together, in any order.
    #[must_use]
    pub fn by_key<K: Into<String>>(self, path: &str, keys: impl IntoIterator<Item = K>) -> Self {
        self.with(path, Rule::ByKey(keys.into_iter().map(Into::into).collect()))
    }

    /// Floats are equal if they differ by at most `margin`, or by `fraction` of the larger one; both are 0 by default. With either, 0.0
    /// equals -0.0.
    #[must_use]
    pub const fn tolerance(mut self, fraction: f64, margin: f64) -> Self {
        self.fraction = fraction;
        self.margin = margin;
        self
    }

    /// Whether a field that is set to its default value equals one that is not set, and an empty message one that is not set.
    #[must_use]
    pub const fn unset_is_default(mut self, yes: bool) -> Self {
        self.unset_is_default = yes;
        self
    }

    /// Whether unknown fields are left out.
    #[must_use]
    pub const fn ignore_unknown_fields(mut self, yes: bool) -> Self {
        self.ignore_unknown = yes;
        self
    }

    fn with(mut self, path: &str, rule: Rule) -> Self {
        self.rules.push((path.into(), rule));
        self
    }

    /// All differences between two messages, in the order of the field numbers.
    ///
    /// Messages of one type in two pools, and structs, are compared by the schema of the first message that has a descriptor; the other one is
    /// encoded and decoded for that. Messages of different types differ, without a path. Messages that a lazy decoder or a projection kept as
    /// bytes are compared by their bytes; so are those nested deeper than 100 levels, as a whole. Allocates paths and texts, and the process
    /// aborts without memory for them.
    ///
    /// # Errors
    /// As `encode` of a struct or message that is encoded for it, but for required fields.
    pub fn differences<A: AnyMessage, B: AnyMessage>(
        &self,
        a: &A,
        b: &B,
    ) -> Result<Vec<Difference>, EncodeError> {
        let mut found = Vec::new();
        let by = a.__descriptor().or_else(|| b.__descriptor());
        let mut compared = Ok(());
        a.__show(by.as_ref(), &mut |a| {
            let by = a.descriptor();
            compared = b.__show(Some(&by), &mut |b| walk::compare(self, a, b, &mut found));
        })?;
        compared.map(|()| found)
    }
}

/// Panics if two messages, or references to them, differ: with the differences one to a line. As a third argument it takes a [`Comparison`].
///
/// ```should_panic
/// use tablepb::compare::{Comparison, assert_message_eq};
///
/// #[derive(Default)]
/// struct Log { line: String, at: u64 }
/// tablepb::message! { Log as "pkg.Log" { line: string = 1, at: uint64 = 2 } }
///
/// let (a, b) = (Log { line: "a".into(), at: 1 }, Log { line: "a".into(), at: 2 });
/// assert_message_eq!(a, b, Comparison::new().ignore("at"));
/// assert_message_eq!(a, b); // "the messages differ:\n  at: 1 -> 2"
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __assert_message_eq {
    ($left:expr, $right:expr $(,)?) => {
        $crate::compare::assert_message_eq!($left, $right, $crate::compare::Comparison::new())
    };
    ($left:expr, $right:expr, $comparison:expr $(,)?) => {{
        use $crate::AnyMessage as _;
        // Calls of a method, so that messages and references to them are taken, as `assert_eq!` takes them.
        match ($left.__by_ref(), $right.__by_ref(), &$comparison) {
            (left, right, comparison) => $crate::compare::__assert(left, right, comparison),
        }
    }};
}

/// What [`assert_message_eq!`] calls.
#[doc(hidden)]
#[track_caller]
pub fn __assert<A: AnyMessage, B: AnyMessage>(a: &A, b: &B, comparison: &Comparison) {
    match comparison.differences(a, b) {
        Ok(found) if found.is_empty() => {}
        Ok(found) => {
            let mut lines = String::new();
            for difference in &found {
                lines += &alloc::format!("\n  {difference}");
            }
            panic!("the messages differ:{lines}");
        }
        Err(error) => panic!("the messages cannot be compared: {error}"),
    }
}
