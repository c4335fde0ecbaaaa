//! Field masks and comparisons beside C++: cases of `FieldMaskUtil` and `MessageDifferencer` (3.21.12), by `tests/data/cpp/masks.cc`.

use std::collections::BTreeMap;
use tablepb::compare::Comparison;
use tablepb::wkt::{FieldMask, MaskOptions};
use tablepb::{DynamicMessage, text};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Color {
    Red = 0,
    Green = 1,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Node {
    a: Option<i32>,
    s: Option<String>,
    n: Vec<i32>,
    m: Option<Box<Node>>,
    ms: Vec<Node>,
    k: BTreeMap<String, i32>,
    r: Option<Box<Strict>>,
    d: Option<f64>,
    c: Option<Color>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Strict {
    x: Option<i32>,
    y: Option<i32>,
    m: Option<Box<Node>>,
    must: Option<Box<Node>>,
    strict: Option<Leaf>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Leaf {
    z: Option<i32>,
    w: Option<i32>,
}

tablepb::enumeration! { Color as "masks.Node.Color" syntax "proto2" { Red as "RED" = 0, Green as "GREEN" = 1 } }

tablepb::message! {
    Node as "masks.Node" syntax "proto2" {
        a: int32 = 1,
        s: string = 2 [default = "none"],
        n: repeated int32 = 3,
        m: message Node = 4,
        ms: repeated message Node = 5,
        k: map<string, int32> = 6,
        r: message Strict = 7,
        d: double = 8,
        c: enum Color = 9,
    }
    Strict as "masks.Strict" syntax "proto2" {
        x: required int32 = 1,
        y: int32 = 2,
        m: message Node = 3,
        must: required message Node = 4,
        strict: required message Leaf = 5,
    }
    Leaf as "masks.Leaf" syntax "proto2" { z: required int32 = 1, w: int32 = 2 }
}

/// A message by the way of each storage.
struct Both(Node, DynamicMessage);

impl Both {
    fn of(source: &str) -> Self {
        let parser = text::Parser::new().allow_partial(true);
        let node: Node = parser.from_str(source).unwrap();
        let pool = tablepb::DescriptorPool::from_tables(&[<Node as tablepb::Message>::TABLE]).unwrap();
        let descriptor = pool.message("masks.Node").unwrap();
        Self(node, parser.message_from_str(&descriptor, source).unwrap())
    }

    /// Both are what C++ has.
    fn check(&self, expected: &str, case: &str) {
        let expected = Both::of(expected);
        assert_eq!(self.0, expected.0, "{case}");
        let exact = Comparison::new();
        assert_eq!(exact.differences(&self.1, &expected.1).unwrap(), [], "{case}");
        assert_eq!(exact.differences(&self.0, &self.1).unwrap(), [], "{case}");
        assert_eq!(exact.differences(&self.1, &self.0).unwrap(), [], "{case}");
    }
}

fn mask(paths: &str) -> FieldMask {
    paths.parse().unwrap()
}

/// As C++ prints the results of a set operation.
fn set_operation(what: &str, a: &str, b: &str) -> String {
    let (a, other) = (mask(a), mask(b));
    let node = Both::of("").1.descriptor().clone();
    match what {
        "normal" => a.normalized().to_string(),
        "union" => a.union(&other).to_string(),
        "intersection" => a.intersection(&other).to_string(),
        "difference" => a.difference(&other, &node).unwrap().to_string(),
        _ => a.covers(b).to_string(),
    }
}

fn comparison(options: &str) -> Comparison {
    let mut comparison = Comparison::new();
    // In C++ options go to a field of a type, wherever the type is.
    let everywhere = |name: &str| ["", "m.", "ms.", "m.m."].map(|around| format!("{around}{name}"));
    for option in options.split_whitespace() {
        comparison = match option {
            "ignore" => everywhere("a").iter().fold(comparison, |all, path| all.ignore(path)),
            "set" => everywhere("n").iter().fold(comparison, |all, path| all.as_set(path)),
            "messages" => comparison.as_set("ms"),
            "key" => comparison.by_key("ms", ["s"]),
            "tolerance" => comparison.tolerance(0.0, 1e-9),
            "equivalent" => comparison.unset_is_default(true),
            other => panic!("{other}"),
        };
    }
    comparison
}

#[test]
fn masks_and_comparisons_are_those_of_cpp() {
    let cases = include_str!("../../data/cpp/masks.tsv");
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    for case in cases.lines() {
        let [what, options, a, b, expected] = case.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{case}")
        };
        *seen.entry(what).or_default() += 1;
        let (paths, flags) = options.split_once(' ').unwrap_or((options, ""));
        match what {
            "merge" => {
                let options = MaskOptions::new()
                    .replace_messages(flags.contains("messages"))
                    .replace_lists(flags.contains("lists"));
                let (source, mut target) = (Both::of(a), Both::of(b));
                options.merge(&mask(paths), &source.0, &mut target.0).unwrap();
                options.merge(&mask(paths), &source.1, &mut target.1).unwrap();
                target.check(expected, case);
            }
            "trim" => {
                let options = MaskOptions::new().keep_required(flags.contains("required"));
                let mut node = Both::of(a);
                options.trim(&mask(paths), &mut node.0).unwrap();
                options.trim(&mask(paths), &mut node.1).unwrap();
                node.check(expected, case);
            }
            "compare" => {
                let (comparison, a, b) = (comparison(options), Both::of(a), Both::of(b));
                let equal = expected == "true";
                let found = comparison.differences(&a.0, &b.0).unwrap();
                assert_eq!(found.is_empty(), equal, "{case}\n{found:?}");
                for other in [comparison.differences(&a.1, &b.1), comparison.differences(&a.0, &b.1)] {
                    assert_eq!(other.unwrap(), found, "{case}");
                }
            }
            _ => assert_eq!(set_operation(what, a, b), expected, "{case}"),
        }
    }
    assert!(seen.len() == 8 && seen.values().all(|&count| count >= 60), "{seen:?}");
}
