//! Reading by path: the values are those of a plain walk over the fields.

use crate::common::bridge::descriptor;
use crate::common::choices::{Choices, choices};
use crate::common::payload::{WILD, payload};
use crate::common::projections::paths;
use crate::common::rounds;
use crate::common::schema_gen::{ALL, schema};
use proptest::prelude::*;
use tablepb::partial::{PathErrorKind, Projection, ValuePath};
use tablepb::table::{FieldTable, Kind, MessageTable};
use tablepb::{DecodeOptions, Decoder, DescriptorPool, DynamicMessage, MapKeyRef, MessageView, ValueRef};

const PARTIAL: DecodeOptions = DecodeOptions::new().allow_partial(true);

/// The segments of a path; names in brackets may have dots.
fn segments(path: &str) -> Vec<&str> {
    let (mut parts, mut rest) = (Vec::new(), path);
    while !rest.is_empty() {
        let end = if rest.starts_with('[') { rest.find(']').map(|at| at + 1) } else { rest.find('.') };
        let (segment, more) = rest.split_at(end.unwrap_or(rest.len()));
        parts.push(segment);
        rest = more.strip_prefix('.').unwrap_or(more);
    }
    parts
}

/// As [`MessageView::values`], without a plan. Lists and maps that are empty, and messages that are not set, have nothing.
fn walk(view: MessageView<'_, '_>, path: &[&str], found: &mut Vec<String>) {
    let Some((name, rest)) = path.split_first() else { return };
    let field = view.get_field(name).expect("a path of this schema");
    let mut below = |value: ValueRef<'_, '_>, rest: &[&str]| match value {
        ValueRef::Message(inner) if !rest.is_empty() => walk(inner, rest, found),
        value => found.push(format!("{value:?}")),
    };
    match field {
        ValueRef::List(list) => list.into_iter().for_each(|element| below(element, rest)),
        ValueRef::Map(map) => {
            let rest = rest.strip_prefix(&["value"]).unwrap_or(rest);
            map.into_iter().for_each(|(_, value)| below(value, rest));
        }
        ValueRef::Message(_) if !rest.is_empty() && view.get(*name).is_none() => {}
        value => below(value, rest),
    }
}

fn check(choices: &mut Choices) {
    let schema = schema(choices, ALL);
    let root = descriptor(&schema, &schema.pool(), 0);
    let input = payload(&schema, 0, choices, WILD);
    let chosen = paths(&root, choices, 4);
    let projection = Projection::new(&root, &chosen).expect("paths of this schema");
    let mut whole = Decoder::new(&root).with_options(PARTIAL);
    let mut part = Decoder::new(&root).with_options(PARTIAL).with_projection(&projection);
    let whole = whole.decode(&input).expect("a valid payload");
    let part = part.decode(&input).expect("a valid payload");
    for path in chosen.iter().filter(|path| !path.ends_with('*')) {
        let (made, mut expected) = (projection.path(path), Vec::new());
        if made.as_ref().is_err_and(|error| error.kind() == PathErrorKind::TooManyLists) {
            continue;
        }
        let made = made.expect("a path of the projection");
        walk(whole, &segments(path), &mut expected);
        for view in [whole, part] {
            let mut values = Vec::new();
            for value in view.values(&made) {
                values.push(format!("{value:?}"));
            }
            assert_eq!(values, expected, "{path} of {input:02x?}");
            // One by one, and the rest at once.
            let (mut one_by_one, mut all) = (view.values(&made), Vec::new());
            all.extend(one_by_one.next().map(|value| format!("{value:?}")));
            one_by_one.for_each(|value| all.push(format!("{value:?}")));
            assert_eq!(all, expected, "{path} of {input:02x?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: rounds(400), ..ProptestConfig::default() })]

    #[test]
    fn values_are_those_of_a_walk(mut choices in choices(4000)) {
        check(&mut choices);
    }
}

static SPAN: MessageTable = MessageTable::new(
    "t.Span",
    &[
        FieldTable::new("name", 1, Kind::String),
        FieldTable::new("id", 2, Kind::Uint32),
        FieldTable::map("labels", 3, Kind::String, Kind::Int32),
        FieldTable::new("parent", 4, Kind::Message(|| &SPAN)),
        FieldTable::map("links", 5, Kind::Int32, Kind::Message(|| &SPAN)),
        FieldTable::new("children", 6, Kind::Message(|| &SPAN)).repeated(),
    ],
);

const TEXT: &str = r#"name: "r" labels { key: "a" value: 1 } labels { key: "b" value: 2 }
    children { name: "x" id: 7 parent { name: "p" } links { key: 5 value { name: "l" } } }
    children { labels { key: "c" } children { name: "deep" } }"#;

fn span() -> DynamicMessage {
    let pool = DescriptorPool::from_tables(&[&SPAN]).unwrap();
    tablepb::text::message_from_str(&pool.message("t.Span").unwrap(), TEXT).unwrap()
}

#[test]
fn paths_go_through_lists_maps_and_messages() {
    let message = span();
    let values = |path: &str| {
        let path = ValuePath::new(message.descriptor(), path).unwrap();
        message.as_view().values(&path).map(|value| value.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(values("name"), [r#""r""#]);
    assert_eq!(values("children.name"), [r#""x""#, r#""""#]);
    assert_eq!(values("children.id"), ["7", "0"]);
    assert_eq!(values("children.parent.name"), [r#""p""#]);
    assert_eq!(values("children.parent").len(), 2);
    assert_eq!(values("children.children.name"), [r#""deep""#]);
    assert_eq!(values("children.links.value.name"), [r#""l""#]);
    assert_eq!(values("children.links.key"), ["5"]);
    assert_eq!((values("labels"), values("labels.value")), (vec!["1".into(), "2".into()], values("labels")));
    assert_eq!(values("children.labels.key"), [r#""c""#]);
    assert!(values("links.value.name").is_empty() && values("parent.name").is_empty());
    assert_eq!(ValueRef::from(MapKeyRef::I32(5)), ValueRef::I32(5));
}

#[test]
fn bad_paths_are_refused() {
    let message = span();
    let span = message.descriptor();
    let fault = |path: &str| {
        let error = ValuePath::new(span, path).unwrap_err();
        (error.kind(), error.segment().to_owned())
    };
    assert_eq!(fault("nme"), (PathErrorKind::NoSuchField, "nme".into()));
    assert_eq!(fault(""), (PathErrorKind::NoSuchField, "".into()));
    assert_eq!(fault("children.*"), (PathErrorKind::NoSuchField, "*".into()));
    assert_eq!(fault("name.x"), (PathErrorKind::NotAMessage, "name".into()));
    assert_eq!(fault("links.name"), (PathErrorKind::NotAMapValue, "name".into()));
    assert_eq!(fault("labels.value.x"), (PathErrorKind::NotAMessage, "labels".into()));
    let deep = ["children"; 9].join(".");
    assert_eq!(fault(&deep), (PathErrorKind::TooManyLists, "children".into()));
    assert!(ValuePath::new(span, &["children"; 8].join(".")).is_ok());
    assert!(ValuePath::new(span, &["parent"; 5000].join(".")).is_ok());

    let projection = Projection::new(span, ["children.name", "links.value.id"]).unwrap();
    for (path, selected) in [
        ("children.name", true),
        ("links.value.id", true),
        ("links.key", true),
        ("links.value.name", false),
        ("children.id", false),
        ("name", false),
        ("children.children.name", false),
    ] {
        let found = projection.path(path).map(drop);
        if path == "children.children.name" {
            let error = found.as_ref().unwrap_err();
            assert_eq!(
                error.segment(),
                "children",
                "it has the name of the field that is not selected: {error}"
            );
        }
        let made = found.map_err(|error| error.kind());
        assert_eq!(made, if selected { Ok(()) } else { Err(PathErrorKind::Unselected) }, "{path}");
    }
    let lazy = Projection::all(span).lazy(["children"]).unwrap();
    assert!(lazy.path("children").is_ok() && lazy.path("children.name").is_err());
}

#[test]
fn what_is_not_decoded_comes_in_place_of_its_values() {
    let message = span();
    let bytes = message.encode_to_vec().unwrap();
    let span = message.descriptor();
    let path = ValuePath::new(span, "children.name").unwrap();
    let lazy = Projection::all(span).lazy(["children"]).unwrap();
    let mut decoder = Decoder::new(span).with_projection(&lazy);
    let view = decoder.decode(&bytes).unwrap();
    assert!(view.values(&path).all(|value| value.as_raw().is_some()));
    let other = Projection::new(span, ["name"]).unwrap();
    let mut decoder = Decoder::new(span).with_projection(&other);
    let view = decoder.decode(&bytes).unwrap();
    assert_eq!(view.values(&path).collect::<Vec<_>>(), [ValueRef::Unselected]);
    // It has no value to copy, and is no empty list.
    let unselected = view.get_field("children").unwrap();
    assert_eq!(unselected.try_to_owned().unwrap_err().kind(), tablepb::SetFieldErrorKind::Unselected);
    let names: Vec<_> = message.as_view().values(&path).map(|value| value.as_str()).collect();
    assert_eq!(names, [Some("x"), Some("")]);
    let ids = ValuePath::new(span, "children.id").unwrap();
    let numbers: Vec<_> = message.as_view().values(&ids).map(|value| value.as_u32()).collect();
    assert_eq!(numbers, [Some(7), Some(0)]);
}

#[test]
#[cfg_attr(debug_assertions, should_panic(expected = "a path of t.Span for a message t.Other"))]
fn a_path_of_another_message_panics_or_has_no_values() {
    static OTHER: MessageTable = MessageTable::new("t.Other", &[FieldTable::new("name", 1, Kind::String)]);
    let pool = DescriptorPool::from_tables(&[&OTHER]).unwrap();
    let other = DynamicMessage::new(&pool.message("t.Other").unwrap());
    let path = ValuePath::new(span().descriptor(), "name").unwrap();
    assert_eq!(other.as_view().values(&path).count(), 0);
}
