//! [`FieldMask`]: sets of field paths; `masked.rs` applies them to messages.

use crate::structs::convert::ConvertError;
use alloc::{string::String, vec::Vec};
use core::cmp::Ordering;
use core::fmt;
use core::str::FromStr;

/// `google.protobuf.FieldMask`: paths of fields.
///
/// In JSON the paths are one string, joined by commas, in camel case. A path is a field name of the schema, or several joined by dots, and
/// stands for the field with all that is in it.
///
/// The operations are those of C++'s `FieldMaskUtil`; what they return is in [normal form](Self::normalized). With the feature `reflect`, masks
/// are applied to messages: [`merge`](Self::merge), [`trim`](Self::trim).
///
/// ```
/// use tablepb::wkt::FieldMask;
///
/// let mask: FieldMask = ["user.name", "id", "user"].into_iter().collect();
/// assert_eq!(mask.normalized().paths, ["id", "user"]);
/// let other: FieldMask = "user.mail,age".parse()?;
/// assert_eq!(mask.union(&other).to_string(), "age,id,user");
/// assert_eq!(mask.intersection(&other).to_string(), "user.mail");
/// assert!(mask.covers("user.mail") && !other.covers("user"));
/// # Ok::<(), tablepb::wkt::ConvertError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FieldMask {
    /// The paths: field names of the schema, joined by dots.
    pub paths: Vec<String>,
}

crate::message! {
    FieldMask as "google.protobuf.FieldMask" { paths: repeated string = 1 }
}

impl FieldMask {
    /// The same set: without paths that another one covers, sorted by their segments.
    #[must_use]
    pub fn normalized(&self) -> Self {
        Self::of(self.paths.iter().map(String::as_str).collect())
    }

    /// Whether a path, or a field around it, is in the mask.
    #[must_use]
    pub fn covers(&self, path: &str) -> bool {
        self.paths.iter().any(|other| is_within(path, other))
    }

    /// The fields of either mask.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self::of(self.paths.iter().chain(&other.paths).map(String::as_str).collect())
    }

    /// The fields of both masks.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let covered = |paths: &'_ Self, by: &Self| -> Vec<String> {
            paths.paths.iter().filter(|path| by.covers(path)).cloned().collect()
        };
        let (both, more) = (covered(self, other), covered(other, self));
        Self::of(both.iter().chain(&more).map(String::as_str).collect())
    }

    /// The normal form of these paths.
    fn of(mut paths: Vec<&str>) -> Self {
        paths.retain(|path| !path.is_empty());
        paths.sort_unstable_by(|a, b| by_segments(a, b));
        // After a path come those within it.
        let mut kept: Vec<&str> = Vec::new();
        for path in paths {
            if kept.last().is_none_or(|last| !is_within(path, last)) {
                kept.push(path);
            }
        }
        kept.into_iter().collect()
    }
}

pub(super) fn by_segments(a: &str, b: &str) -> Ordering {
    a.split('.').cmp(b.split('.'))
}

/// Whether a path is another one, or leads to something in it.
pub(super) fn is_within(path: &str, around: &str) -> bool {
    path.strip_prefix(around).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

impl<P: Into<String>> FromIterator<P> for FieldMask {
    fn from_iter<I: IntoIterator<Item = P>>(paths: I) -> Self {
        Self { paths: paths.into_iter().map(Into::into).collect() }
    }
}

/// The paths, joined by commas, as they are. JSON has them in camel case.
impl fmt::Display for FieldMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, path) in self.paths.iter().enumerate() {
            if at > 0 {
                f.write_str(",")?;
            }
            f.write_str(path)?;
        }
        Ok(())
    }
}

/// Paths with commas between them; empty ones are left out.
impl FromStr for FieldMask {
    type Err = ConvertError;

    /// # Errors
    ///
    /// None: what is no path of a message type is found where the mask is applied.
    fn from_str(paths: &str) -> Result<Self, ConvertError> {
        Ok(paths.split(',').filter(|path| !path.is_empty()).collect())
    }
}
