//! [`RawStep`]: one step of a path on the wire.

use crate::wire::error::{DecodeError, FieldPath, PathStep};

/// One step of a path on the wire: a field number, and which occurrence of the field.
///
/// A number alone is the last occurrence; `(number, index)` is the one that `index` others precede. The elements of a
/// packed run are no occurrences of their own.
///
/// ```
/// use tablepb::{RawFields, RawStep};
///
/// let tags = RawFields::new(b"\x0a\x01a\x0a\x01b");
/// let first = tags.follow(&[(1, 0)])?.unwrap();
/// let last = tags.follow(&[RawStep::last(1)])?.unwrap();
/// assert_eq!((first.as_str()?, last.as_str()?), (Some("a"), Some("b")));
/// # Ok::<(), tablepb::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RawStep {
    number: u32,
    index: Option<usize>,
}

impl RawStep {
    /// The last occurrence of a field.
    #[must_use]
    pub const fn last(number: u32) -> Self {
        Self { number, index: None }
    }

    /// The occurrence of a field that `index` others precede.
    #[must_use]
    pub const fn nth(number: u32, index: usize) -> Self {
        Self { number, index: Some(index) }
    }

    /// The field number.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.number
    }

    /// Which occurrence, from 0; `None` is the last.
    #[must_use]
    pub const fn index(self) -> Option<usize> {
        self.index
    }
}

impl From<u32> for RawStep {
    fn from(number: u32) -> Self {
        Self::last(number)
    }
}

impl From<(u32, usize)> for RawStep {
    fn from((number, index): (u32, usize)) -> Self {
        Self::nth(number, index)
    }
}

/// Gives an error the path of the message that it is in: the first `depth` steps.
#[cold]
pub(super) fn in_path<S: Into<RawStep> + Copy>(error: DecodeError, path: &[S], depth: usize) -> DecodeError {
    let mut steps = FieldPath::EMPTY;
    for &step in path.iter().take(depth) {
        let RawStep { number, index } = step.into();
        steps.push_inner(PathStep::new(number, None, index.and_then(|index| u32::try_from(index).ok())));
    }
    error.with_path(steps)
}
