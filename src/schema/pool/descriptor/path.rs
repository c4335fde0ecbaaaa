//! Dotted names.

/// The components of a dotted name. Dots inside brackets belong to the name of an extension and do not separate.
pub(crate) fn components(name: &str) -> impl Iterator<Item = &str> {
    let mut in_brackets = false;
    name.split(move |c| {
        in_brackets = match c {
            '[' => true,
            ']' => false,
            _ => in_brackets,
        };
        c == '.' && !in_brackets
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn dots_separate_outside_of_brackets() {
        let parts = |name| components(name).collect::<Vec<_>>();
        assert_eq!(parts("a.b.c"), ["a", "b", "c"]);
        assert_eq!(parts("a.[x.y.z].b"), ["a", "[x.y.z]", "b"]);
        assert_eq!(
            (parts(""), parts("a..b"), parts("[a.b")),
            ([""].into(), ["a", "", "b"].into(), ["[a.b"].into())
        );
    }
}
