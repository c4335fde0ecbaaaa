//! `docs/unsafe.md` names every file with unsafe code, and how many blocks there are.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The sources in a directory and those in it.
pub fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// `unsafe { }` and `unsafe impl` outside of comments.
fn blocks(source: &str) -> usize {
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.map(|line| line.matches("unsafe {").count() + line.matches("unsafe impl").count()).sum()
}

#[test]
fn every_unsafe_block_is_in_the_inventory() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    let found: BTreeMap<String, usize> = files
        .iter()
        .map(|path| (path, blocks(&fs::read_to_string(path).unwrap())))
        .filter(|&(_, count)| count > 0)
        .map(|(path, count)| (path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/"), count))
        .collect();
    assert!(found.len() > 10, "{found:?}");

    // Rows are "| `file` | blocks | why | .. |"; those of the second tables have no number there.
    let text = fs::read_to_string(root.join("docs/unsafe.md")).unwrap();
    let row = |line: &str| {
        let mut cells = line.split('|').map(str::trim).skip(1);
        let file = cells.next()?.strip_prefix('`')?.strip_suffix('`')?.to_owned();
        Some((file, cells.next()?.parse().ok()?))
    };
    let listed: BTreeMap<String, usize> = text.lines().filter_map(row).collect();
    assert_eq!(found, listed, "the unsafe code on the left, docs/unsafe.md on the right");
    for file in found.keys() {
        assert_eq!(
            text.matches(&format!("| `{file}` |")).count(),
            2,
            "{file}: a row for the reason, one for the gain"
        );
    }
}
