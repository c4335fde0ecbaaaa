//! "Did you mean": the nearest of the names that there are.

use crate::wire::error::{DescriptorError, DescriptorErrorKind, text};

/// The most bytes of a name that is compared: the time is in proportion to the product of two lengths.
const LONGEST: usize = 128;

/// The most names that are compared: a program may look up names that come from its input, in a schema of 65 535 fields.
const MOST_NAMES: usize = 4096;

/// The name that differs in the fewest edits from one that was not found, if these are few for its length.
///
/// The last part of a full name counts, too: `Log` is near `pkg.Log`.
#[cold]
pub(crate) fn nearest<N: AsRef<str>>(name: &str, known: impl Iterator<Item = N>) -> Option<N> {
    let most = (name.len() / 3).clamp(1, 4);
    let mut best: Option<(usize, N)> = None;
    for known in known.take(MOST_NAMES) {
        let full = known.as_ref();
        let last = full.rsplit('.').next().unwrap_or(full);
        let by_last = if !name.contains('.') && last != full { edits(name, last, most) } else { None };
        let Some(edits) = edits(name, full, most).or(by_last.map(|edits| edits + 1)) else { continue };
        if best.as_ref().is_none_or(|(fewest, _)| edits < *fewest) {
            best = Some((edits, known));
        }
    }
    best.map(|(_, known)| known)
}

/// How many insertions, deletions, replacements and swaps of neighbours make one name of the other (optimal string alignment), if
/// at most `most`. Letters of other case are the same.
fn edits(a: &str, b: &str, most: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > most || a.len().max(b.len()) > LONGEST {
        return None;
    }
    let (a, b) = (a.as_bytes(), b.as_bytes());
    // Two rows back, the row above and this one. No cell is above `LONGEST`.
    let mut rows = [[0_u8; LONGEST + 1]; 3];
    for (cell, column) in rows[1].iter_mut().zip(0..) {
        *cell = column;
    }
    for (i, x) in a.iter().enumerate() {
        let [before, above, row] = &mut rows;
        row[0] = i as u8 + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = above[j] + u8::from(!x.eq_ignore_ascii_case(y));
            let mut cell = replaced.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i - 1] == *y && b[j - 1] == *x {
                cell = cell.min(before[j - 1] + 1);
            }
            row[j + 1] = cell;
        }
        rows.rotate_left(1);
    }
    Some(usize::from(rows[1][b.len()])).filter(|&edits| edits <= most)
}

/// The error of a look-up by name in a pool.
#[cold]
pub(super) fn not_found<N: AsRef<str>>(
    what: &str,
    name: &str,
    known: impl Iterator<Item = N>,
) -> DescriptorError {
    absent(what, name, nearest(name, known).as_ref().map(AsRef::as_ref))
}

/// The error of a look-up by name in a message or an enum of this full name.
#[cold]
pub(super) fn not_found_in<N: AsRef<str>>(
    what: &str,
    within: &str,
    name: &str,
    known: impl Iterator<Item = N>,
) -> DescriptorError {
    absent(what, &text(format_args!("{within}.{name}")), nearest(name, known).as_ref().map(AsRef::as_ref))
}

fn absent(what: &str, name: &str, near: Option<&str>) -> DescriptorError {
    match near {
        Some(near) => {
            let detail = format_args!("no such {what}; did you mean {near}?");
            DescriptorError::new(DescriptorErrorKind::NotFound, name, detail)
        }
        None => DescriptorError::new(DescriptorErrorKind::NotFound, name, format_args!("no such {what}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        for (a, b, count) in [
            ("", "a", Some(1)),
            ("level", "level", Some(0)),
            ("levle", "level", Some(1)),
            ("lvel", "level", Some(1)),
            ("leevel", "level", Some(1)),
            ("Level", "level", Some(0)),
            ("abcd", "badc", Some(2)),
            ("kitten", "sitting", Some(3)),
            ("abc", "xyz", Some(3)),
            ("a", "abcdef", None),
            ("abcd", "wxyz", None),
        ] {
            assert_eq!(edits(a, b, 3), count, "{a} {b}");
            assert_eq!(edits(b, a, 3), count, "{b} {a}");
        }
    }

    #[test]
    fn the_nearest_name_is_near() {
        let names = ["pkg.Log", "pkg.Logs", "pkg.Host"];
        assert_eq!(nearest("pkg.Lgo", names.into_iter()), Some("pkg.Log"));
        assert_eq!(nearest("Log", names.into_iter()), Some("pkg.Log"));
        assert_eq!(nearest("pkg.hots", names.into_iter()), Some("pkg.Host"));
        assert_eq!(nearest("other.Thing", names.into_iter()), None);
        assert_eq!(nearest(&"x".repeat(1000), names.into_iter()), None);
    }
}
