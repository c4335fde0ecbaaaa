//! Settings by path, matched as prost-build matches them.

use alloc::{string::String, vec::Vec};

/// Values by the path of a type, field or package. A path that begins with a dot is a full name and stands for all that is in
/// it, `.` for everything; another one is the end of a full name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PathMap<T>(Vec<(String, T)>);

impl<T> PathMap<T> {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    pub(super) fn insert(&mut self, path: &str, value: T) {
        self.0.push((path.into(), value));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn entries(&self) -> &[(String, T)] {
        &self.0
    }

    /// All values for this full name, in the order in which they were set.
    pub(super) fn all<'s>(&'s self, full_name: &'s str) -> impl Iterator<Item = &'s T> {
        self.0.iter().filter(move |(path, _)| rank(path, full_name).is_some()).map(|(_, value)| value)
    }

    pub(super) fn has(&self, full_name: &str) -> bool {
        self.all(full_name).next().is_some()
    }

    /// The value whose path says most: the whole name, then the longest end of it, then the longest beginning. Of equal paths
    /// the last one.
    pub(super) fn best(&self, full_name: &str) -> Option<&T> {
        let ranked = self.0.iter().filter_map(|(path, value)| Some((rank(path, full_name)?, value)));
        ranked.max_by_key(|(rank, _)| *rank).map(|(_, value)| value)
    }
}

pub(super) fn matches(path: &str, full_name: &str) -> bool {
    rank(path, full_name).is_some()
}

/// How much a path says about a full name, which has no dot before it; `None` if it does not match.
fn rank(path: &str, full_name: &str) -> Option<(u8, usize)> {
    match path.strip_prefix('.') {
        Some(prefix) if prefix == full_name => Some((2, prefix.len())),
        Some("") => Some((0, 0)),
        Some(prefix) => full_name.strip_prefix(prefix)?.starts_with('.').then_some((0, prefix.len())),
        None => {
            let before = full_name.strip_suffix(path)?;
            (before.is_empty() || before.ends_with('.')).then_some((1, path.len()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(paths: &[&'static str]) -> PathMap<&'static str> {
        let mut map = PathMap::new();
        paths.iter().for_each(|path| map.insert(path, *path));
        map
    }

    #[test]
    fn paths_match_whole_parts_of_names() {
        let all = map(&[
            ".", ".a", ".a.B", ".a.B.c", "c", "B.c", "a.B.c", ".a.", ".b", "x.c", "C", ".a.B.cc", "", "a",
        ]);
        let found: Vec<_> = all.all("a.B.c").copied().collect();
        assert_eq!(found, [".", ".a", ".a.B", ".a.B.c", "c", "B.c", "a.B.c"]);
        assert!(!all.has("") || all.all("").eq([&".", &""]));
    }

    #[test]
    fn the_best_path_says_most() {
        let order = [".", ".a", ".a.B", "c", "B.c", "a.B.c", ".a.B.c"];
        for end in 1..=order.len() {
            let mut some = order[..end].to_vec();
            assert_eq!(map(&some).best("a.B.c"), some.last(), "{some:?}");
            some.reverse();
            assert_eq!(map(&some).best("a.B.c"), some.first(), "{some:?}");
        }
        assert_eq!(map(&["x"]).best("a.B.c"), None);
        let mut twice = PathMap::new();
        twice.insert("c", 1);
        twice.insert("c", 2);
        assert_eq!(twice.best("a.c"), Some(&2));
    }
}
