//! `docs/prost-reflect.md`: every method that it names is in the library.

use super::unsafe_inventory::sources;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Names of methods in the code spans of a cell: `name`, `name(..)`, `Type::name`, `value.name()`.
fn methods(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2).flat_map(|span| {
        span.split(['.', ':', ' ', '&', '*']).filter_map(move |part| {
            let name = part.split(['(', '<']).next().unwrap_or_default();
            // A word in the middle of code, such as an argument, is no method.
            let called = part.contains('(') || part == span || span.ends_with(&format!("::{name}"));
            let lower = name.starts_with(|first: char| first.is_ascii_lowercase())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            (called && lower).then_some(name)
        })
    })
}

/// The names after `fn` in the sources, and those that macros make.
fn defined(root: &Path) -> BTreeSet<String> {
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    let mut names: BTreeSet<String> = ["as_bool_mut", "as_map_mut", "as_string_mut"].map(String::from).into();
    for file in files {
        let text = fs::read_to_string(file).unwrap();
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let after = line.split("fn ").skip(1);
            names.extend(after.map(|rest| {
                rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect::<String>()
            }));
        }
    }
    names
}

#[test]
fn the_methods_beside_those_of_prost_reflect_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let defined = defined(root);
    let text = fs::read_to_string(root.join("docs/prost-reflect.md")).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
    let mut found = 0;
    for (theirs, ours) in rows {
        // "The same" are all the names on the left.
        let same = if ours.starts_with("the same") { theirs } else { "" };
        for name in methods(same).chain(methods(ours)) {
            let other = ["serde", "static"].contains(&name);
            assert!(
                other || defined.contains(name),
                "docs/prost-reflect.md names `{name}`: {theirs} | {ours}"
            );
            found += 1;
        }
    }
    assert!(found > 150, "{found} names");
}

#[test]
fn a_name_is_found_in_all_its_forms() {
    let cell = "`get`, `get(field)`, `Type::of`, `pool.find(a)?`, `message.push(\"tags\", x)` and `Kind`, but no word";
    assert_eq!(methods(cell).collect::<Vec<_>>(), ["get", "get", "of", "find", "push"]);
}
