//! Differences: what they say, and between which forms.

use std::collections::BTreeMap;
use tablepb::compare::{Comparison, assert_message_eq, differences};
use tablepb::{AnyMessage, DescriptorPool, DynamicMessage, Message, UnknownFieldSet, text};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Color {
    Red = 0,
    Green = 1,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Item {
    id: u32,
    note: Option<String>,
    ratio: Option<f32>,
    color: Option<Color>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Cart {
    name: String,
    items: Vec<Item>,
    tags: Vec<String>,
    counts: BTreeMap<i32, Item>,
    first: Option<Item>,
    unknown: UnknownFieldSet,
}

tablepb::enumeration! { Color as "pkg.Color" { Red as "RED" = 0, Green as "GREEN" = 1 } }

tablepb::message! {
    Item as "pkg.Item" { id: uint32 = 1, note: string = 2, ratio: float = 3, color: enum Color = 4 }
    Cart as "pkg.Cart" {
        name: string = 1,
        items: repeated message Item = 2,
        tags: repeated string = 3,
        counts: map<int32, message Item> = 4,
        first: message Item = 5,
        unknown: unknown_fields,
    }
}

fn cart(source: &str) -> Cart {
    text::from_str(source).unwrap()
}

/// The differences as lines, the same for structs and messages of another pool.
fn lines(comparison: &Comparison, a: &Cart, b: &Cart) -> Vec<String> {
    let found = comparison.differences(a, b).unwrap();
    let (left, right) = (a.to_dynamic().unwrap(), b.to_dynamic().unwrap());
    let pool = DescriptorPool::from_tables(&[Cart::TABLE]).unwrap();
    let mut other = DynamicMessage::new(&pool.message("pkg.Cart").unwrap());
    other.transcode_from(b).unwrap();
    assert_ne!(other.descriptor(), left.descriptor());
    assert_eq!(comparison.differences(&left, &right).unwrap(), found);
    assert_eq!(comparison.differences(&left.as_view(), b).unwrap(), found);
    assert_eq!(comparison.differences(a, &right).unwrap(), found);
    assert_eq!(comparison.differences(&left, &other).unwrap(), found);
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn a_difference_has_a_path_and_both_values() {
    let a = cart(
        r#"name: "a" items { id: 1 color: GREEN } items { id: 2 note: "x" } tags: "p" tags: "q" counts { key: 7 value { id: 7 } }
           counts { key: 8 value {} } first {}"#,
    );
    let mut b = cart(
        r#"items { id: 1 color: RED } items { id: 3 } items { note: "new" } tags: "p"
           counts { key: 7 value { id: 70 } } counts { key: 9 value { id: 9 } }"#,
    );
    b.unknown.append(b"\x78\x01\xa2\x06\x01z").unwrap();
    let expected = [
        r#"name: "a" -> """#,
        "items[0].color: GREEN -> RED",
        "items[1].id: 2 -> 3",
        r#"items[1].note: removed "x""#,
        r#"items[2]: added {note:"new"}"#,
        r#"tags[1]: removed "q""#,
        "counts[7].id: 7 -> 70",
        "counts[8]: removed {}",
        "counts[9]: added {id:9}",
        "first: removed {}",
        r#"<15>: added b"\x01""#,
        r#"<100>: added b"\x01z""#,
    ];
    assert_eq!(lines(&Comparison::new(), &a, &b), expected);
    assert_eq!(lines(&Comparison::new(), &a, &a), [""; 0]);
    let rest = Comparison::new()
        .ignore("items")
        .ignore("counts.value.id")
        .ignore("name")
        .as_set("tags")
        .ignore_unknown_fields(true)
        .unset_is_default(true);
    assert_eq!(
        lines(&rest, &a, &b),
        ["tags[1]: removed \"q\"", "counts[8]: removed {}", "counts[9]: added {id:9}"]
    );
}

#[test]
fn elements_go_together_by_keys() {
    let a = cart(r#"items { id: 1 note: "a" ratio: 1 } items { id: 1 note: "b" } items { id: 2 }"#);
    let b = cart(
        r#"items { id: 2 note: "c" } items { id: 1 note: "b" } items { id: 1 note: "a" ratio: 1.0001 }"#,
    );
    let by_both = Comparison::new().by_key("items", ["id", "note"]);
    assert_eq!(
        lines(&by_both, &a, &b),
        ["items[0].ratio: 1 -> 1.0001", "items[2]: removed {id:2}", r#"items[0]: added {id:2,note:"c"}"#]
    );
    assert_eq!(lines(&by_both.clone().tolerance(1e-3, 0.0), &a, &b).len(), 2);
    // The last rule for a path counts.
    assert_eq!(lines(&by_both.ignore("items"), &a, &b), [""; 0]);
}

#[test]
fn messages_of_different_types_differ() {
    let found = differences(&Item::default(), &Cart::default()).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].path(), found[0].to_string().as_str()), ("", "pkg.Item -> pkg.Cart"));
}

#[test]
#[should_panic(expected = "the messages differ:\n  name: \"a\" -> \"b\"\n  first: added {id:1}")]
fn an_assertion_shows_the_differences() {
    let (a, b) = (cart("name: 'a'"), cart("name: 'b' first { id: 1 }"));
    assert_message_eq!(a, a);
    assert_message_eq!(a, b, Comparison::new().ignore("name").ignore("first"));
    assert_message_eq!(a, b);
}
