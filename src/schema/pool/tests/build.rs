//! What a pool says about small schemas.

use super::*;
use crate::prost_reflect_names::*;
use crate::schema::pool::{Edition, FieldDescriptor, MessageDescriptor};
use crate::schema::table::{Cardinality, DefaultValue, Kind};
use alloc::{string::String, string::ToString, vec};

fn only_message(file: Proto) -> MessageDescriptor {
    load([file]).unwrap().find_message("p.M").unwrap()
}

fn get(message: &MessageDescriptor, name: &str) -> FieldDescriptor {
    message.field(name).unwrap()
}

/// `FieldOptions { features { number: value } }`
fn feature(number: u32, value: i32) -> Proto {
    Proto::default().sub(21, Proto::default().int(number, value))
}

#[test]
fn handles_are_shared_compared_and_hashed_by_pool() {
    fn shared<T: Send + Sync + Clone + core::hash::Hash + Eq + core::fmt::Debug>(_: &T) {}
    let bytes = set([file("f").sub(4, message("M", [field("a", 1, OPTIONAL, INT32)]))]);
    let (pool, other) = (DescriptorPool::decode(&bytes).unwrap(), DescriptorPool::decode(&bytes).unwrap());
    let message = pool.find_message("p.M").unwrap();
    shared(&pool);
    shared(&message);
    shared(&message.get_field(1).unwrap());
    shared(&message.get_field(1).unwrap().as_ref());
    assert_eq!(size_of::<crate::schema::pool::FieldRef<'_>>(), size_of::<usize>() + 8);
    assert_eq!(pool.clone().find_message("p.M"), Some(message.clone()));
    assert_ne!(other.find_message("p.M"), Some(message.clone()));
    assert_ne!(pool, other);
    assert_eq!(alloc::format!("{:?}", message.get_field(1).unwrap()), "FieldDescriptor(p.M.a)");
}

#[test]
fn names_scopes_and_lookups() {
    let inner =
        message("Inner", [typed("up", 1, OPTIONAL, MESSAGE, "Outer")]).sub(4, enumeration("E", &[("A", 0)]));
    let outer = message(
        "Outer",
        [typed("inner", 1, OPTIONAL, MESSAGE, "Inner"), typed("e", 2, REPEATED, ENUM, "Outer.Inner.E")],
    )
    .sub(3, inner);
    let service = named("S").sub(2, named("Call").str(2, "Outer").str(3, ".p.Outer.Inner").int(6, 1));
    let pool = load([file("f.proto").sub(4, outer).sub(6, service)]).unwrap();

    let outer = pool.find_message("p.Outer").unwrap();
    let inner = pool.find_message("p.Outer.Inner").unwrap();
    assert_eq!((inner.name(), inner.full_name(), inner.package_name()), ("Inner", "p.Outer.Inner", "p"));
    assert_eq!(inner.parent_message(), Some(outer.clone()));
    assert_eq!(outer.child_messages().collect::<Vec<_>>(), vec![inner.clone()]);
    assert_eq!(get(&outer, "inner").kind(), Kind::Message(inner.clone()));
    assert_eq!(get(&inner, "up").kind(), Kind::Message(outer.clone()));
    let e = pool.find_enum("p.Outer.Inner.E").unwrap();
    assert_eq!(get(&outer, "e").kind(), Kind::Enum(e.clone()));
    assert_eq!(e.value("A").unwrap().full_name(), "p.Outer.Inner.A");
    assert_eq!(get(&outer, "e").full_name(), "p.Outer.e");
    let method = pool.find_service("p.S").unwrap().methods().next().unwrap();
    assert_eq!((method.full_name(), method.input(), method.output()), ("p.S.Call", outer.clone(), inner));
    assert!(method.is_server_streaming() && !method.is_client_streaming());
    for none in ["", "p", "Outer", ".p.Outer", "p.Outer.inner", "p.Outer.", "p.Outer.Inner.A"] {
        assert!(pool.find_message(none).is_none(), "{none}");
    }
    assert!(outer.field("Inner").is_err() && outer.get_field(3).is_none());
    let file = pool.find_file("f.proto").unwrap();
    assert_eq!((file.messages().len(), file.services().len(), pool.all_messages().len()), (1, 1, 2));
    assert!(pool.find_file("g.proto").is_none());
}

#[test]
fn a_type_code_is_not_needed() {
    let untyped = |name: &str, number, type_name| named(name).int(3, number).str(6, type_name);
    let fields = [untyped("m", 1, "M"), untyped("e", 2, "E")];
    let message = only_message(file("f").sub(4, message("M", fields)).sub(5, enumeration("E", &[("A", 3)])));
    assert!(matches!(get(&message, "m").kind(), Kind::Message(_)));
    assert!(matches!(get(&message, "e").kind(), Kind::Enum(_)));
    assert_eq!(get(&message, "m").cardinality(), Cardinality::Optional);
}

#[test]
fn files_come_in_any_order() {
    let a = file("a").str(3, "b").sub(4, message("A", [typed("b", 1, OPTIONAL, MESSAGE, ".p.B")]));
    let b = file("b").str(3, "c").int(10, 0);
    let c = file("c").sub(4, message("B", []));
    let pool = load([a, b.clone(), c]).unwrap();
    let a = pool.find_file("a").unwrap();
    assert_eq!(a.dependencies().map(|f| f.name().to_string()).collect::<Vec<_>>(), ["b"]);
    assert_eq!(a.public_dependencies().count(), 0);
    let b = pool.find_file("b").unwrap();
    assert_eq!(b.public_dependencies().map(|f| f.name().to_string()).collect::<Vec<_>>(), ["c"]);
}

#[test]
fn weak_and_option_imports_may_be_missing() {
    let pool = load([edition("a", 1001).str(3, "weak").int(11, 0).str(15, "options")]).unwrap();
    assert_eq!(pool.find_file("a").unwrap().dependencies().count(), 0);
}

#[test]
fn presence_by_syntax() {
    let fields = || {
        [
            field("number", 1, OPTIONAL, INT32),
            typed("message", 2, OPTIONAL, MESSAGE, "M"),
            field("list", 3, REPEATED, INT32),
            field("member", 4, OPTIONAL, INT32).int(9, 0),
        ]
    };
    let oneof = || Proto::default().sub(8, named("o"));
    let with_oneof = |m: Proto| Proto([m.0, oneof().0].concat());
    let presence = |file: Proto| {
        let m = only_message(file.sub(4, with_oneof(message("M", fields()))));
        ["number", "message", "list", "member"].map(|name| get(&m, name).supports_presence())
    };
    assert_eq!(presence(file("f")), [true, true, false, true]);
    assert_eq!(presence(proto3("f")), [false, true, false, true]);
    assert_eq!(presence(edition("f", 1000)), [true, true, false, true]);
    let implicit = Proto::default().sub(50, Proto::default().int(1, 2));
    assert_eq!(presence(edition("f", 1001).sub(8, implicit)), [false, true, false, true]);
}

#[test]
fn packing_and_utf8_by_syntax() {
    let option = |yes| Proto::default().int(2, yes);
    let fields = |yes, no| {
        [
            field("plain", 1, REPEATED, INT32),
            field("yes", 2, REPEATED, INT32).sub(8, yes),
            field("no", 3, REPEATED, INT32).sub(8, no),
            field("s", 4, OPTIONAL, STRING),
            field("strings", 5, REPEATED, STRING),
        ]
    };
    let facts_of = |file: Proto, yes, no| {
        let m = only_message(file.sub(4, message("M", fields(yes, no))));
        let packed = ["plain", "yes", "no", "strings"].map(|n| get(&m, n).is_packed());
        (packed, get(&m, "s").validates_utf8())
    };
    let facts = |file| facts_of(file, option(1), option(0));
    assert_eq!(facts(file("f")), ([false, true, false, false], false));
    assert_eq!(facts(proto3("f")), ([true, true, false, false], true));
    // In editions it is a feature.
    let features = |file| facts_of(file, feature(3, 1), feature(3, 2));
    assert_eq!(features(edition("f", 1000)), ([true, true, false, false], true));
    assert_eq!(features(edition("f", 9999)), ([true, true, false, false], true));
}

#[test]
fn features_are_inherited_and_overridden() {
    let fields = [
        typed("group", 1, OPTIONAL, MESSAGE, "M"),
        typed("plain", 2, OPTIONAL, MESSAGE, "M").sub(8, feature(5, 1)),
        field("required", 3, OPTIONAL, INT32).sub(8, feature(1, 3)),
        field("expanded", 4, REPEATED, INT32).sub(8, feature(3, 2)),
        field("bytes", 5, OPTIONAL, STRING).sub(8, feature(4, 3)),
        typed("map", 6, REPEATED, MESSAGE, "MapEntry").sub(8, feature(4, 3)),
    ];
    let delimited = Proto::default().sub(50, Proto::default().int(5, 2));
    let map = entry("MapEntry", field("key", 1, OPTIONAL, STRING), typed("value", 2, OPTIONAL, MESSAGE, "M"));
    let closed = Proto::default().sub(7, Proto::default().int(2, 2));
    let file = edition("f", 1000)
        .sub(8, delimited)
        .sub(4, message("M", fields).sub(3, map))
        .sub(5, enumeration("Closed", &[("ONE", 1)]).sub(3, closed))
        .sub(5, enumeration("Open", &[("ZERO", 0)]));
    let m = only_message(file);
    assert!(get(&m, "group").is_group() && !get(&m, "plain").is_group());
    assert!(get(&m, "required").is_required());
    assert!(!get(&m, "expanded").is_packed());
    assert!(!get(&m, "bytes").validates_utf8());
    let map = get(&m, "map");
    assert!(map.is_map() && !map.is_list() && !map.is_group());
    let Kind::Message(entry) = map.kind() else { panic!() };
    assert!(entry.is_map_entry());
    assert!(!entry.map_entry_key_field().unwrap().validates_utf8(), "the rule of the map field");
    assert!(!entry.map_entry_value_field().unwrap().is_group());
    let pool = m.parent_pool();
    assert!(pool.find_enum("p.Closed").unwrap().is_closed());
    assert!(!pool.find_enum("p.Open").unwrap().is_closed());
}

#[test]
fn proto3_optional_and_its_oneof() {
    let m = message(
        "M",
        [field("a", 1, OPTIONAL, INT32).int(9, 1).int(17, 1), field("b", 2, OPTIONAL, INT32).int(9, 0)],
    )
    .sub(8, named("real"))
    .sub(8, named("_a"));
    let m = only_message(proto3("f").sub(4, m));
    assert!(get(&m, "a").supports_presence() && get(&m, "a").containing_oneof().unwrap().is_synthetic());
    let real = get(&m, "b").containing_oneof().unwrap();
    assert!(!real.is_synthetic());
    assert_eq!((real.full_name(), real.fields().collect::<Vec<_>>()), ("p.M.real", vec![get(&m, "b")]));
    assert_eq!(m.oneofs().len(), 2);
}

#[test]
fn groups_required_and_json_names() {
    let m = message(
        "M",
        [
            typed("data", 1, REPEATED, GROUP, "Data"),
            field("must_have", 2, REQUIRED, INT32),
            field("odd", 3, OPTIONAL, INT32).str(10, "@odd"),
        ],
    )
    .sub(3, message("Data", []));
    let m = only_message(file("f").sub(4, m));
    assert!(get(&m, "data").is_group() && get(&m, "data").is_list());
    assert!(get(&m, "must_have").is_required());
    assert_eq!(get(&m, "must_have").json_name(), "mustHave");
    assert_eq!(m.get_field_by_json_name("@odd"), Some(get(&m, "odd")));
}

#[test]
fn extensions_are_fields_of_the_extendee() {
    let extension =
        |name: &str, number, extendee: &str| field(name, number, OPTIONAL, INT32).str(2, extendee);
    let base = message("M", [field("a", 1, OPTIONAL, INT32)]).sub(5, Proto::default().int(1, 10).int(2, 100));
    let scope = message("Scope", []).sub(6, typed("in_scope", 11, REPEATED, MESSAGE, "Scope").str(2, "M"));
    let pool = load([
        file("b").str(3, "a").sub(7, extension("outer", 10, ".p.M")).sub(4, scope),
        file("a").sub(4, base),
    ])
    .unwrap();
    let m = pool.find_message("p.M").unwrap();
    assert_eq!((m.fields().len(), m.extensions().len()), (1, 2));
    let outer = m.get_extension(10).unwrap();
    assert_eq!((outer.full_name(), outer.json_name(), outer.number()), ("p.outer", "[p.outer]", 10));
    assert_eq!(outer.parent_file().name(), "b");
    assert_eq!(m.get_field(10), None, "an extension is not a declared field");
    assert_eq!(m.field("outer").ok(), None);
    let inner = m.get_extension_by_full_name("p.Scope.in_scope").unwrap();
    assert_eq!(inner.parent_message().unwrap().full_name(), "p.Scope");
    assert_eq!(inner.containing_message(), m);
    assert_eq!(pool.find_extension("p.Scope.in_scope"), Some(inner.clone()));
    assert!(inner.as_field().is_extension() && inner.as_field().parent_message() == &m);
    // The position in the message's list is the field index of the program.
    for (position, number) in [(0, 1), (1, 10), (2, 11)] {
        assert_eq!(m.field_at(position).unwrap().number(), number);
        let (entry, _) = m.program().by_number(number).unwrap();
        assert_eq!(m.program().field_of(entry), position);
    }
    assert!(m.extension_ranges().eq(core::iter::once(10..100)));
}

#[test]
fn defaults_are_parsed() {
    let fields = [
        field("i", 1, OPTIONAL, INT32).str(7, "-5"),
        field("d", 2, OPTIONAL, DOUBLE).str(7, "-inf"),
        field("s", 3, OPTIONAL, STRING).str(7, "a\"b"),
        field("b", 4, OPTIONAL, BYTES).str(7, "\\001\\n\\\""),
        typed("e", 5, OPTIONAL, ENUM, "E").str(7, "TWO"),
        typed("first", 6, OPTIONAL, ENUM, "E"),
        field("none", 7, OPTIONAL, INT32),
        field("empty", 8, OPTIONAL, STRING).str(7, ""),
    ];
    let m = only_message(
        file("f").sub(4, message("M", fields)).sub(5, enumeration("E", &[("ONE", 1), ("TWO", 2)])),
    );
    let default = |name: &str| -> String { alloc::format!("{:?}", get(&m, name).explicit_default()) };
    assert_eq!(get(&m, "i").explicit_default(), Some(DefaultValue::Int(-5)));
    assert_eq!(get(&m, "d").explicit_default(), Some(DefaultValue::Float(f64::NEG_INFINITY)));
    assert_eq!(get(&m, "s").explicit_default(), Some(DefaultValue::String("a\"b")));
    assert_eq!(get(&m, "b").explicit_default(), Some(DefaultValue::Bytes(b"\x01\n\"")));
    assert_eq!(get(&m, "e").explicit_default(), Some(DefaultValue::Enum("TWO")));
    assert_eq!(default("none"), "None");
    assert_eq!(get(&m, "empty").explicit_default(), Some(DefaultValue::String("")));
    assert_eq!(get(&m, "e").as_ref().default_number(), 2);
    assert_eq!(get(&m, "first").as_ref().default_number(), 1);
}

#[test]
fn enums_by_number_and_name() {
    let aliases = Proto::default().int(2, 1).int(3, 1);
    let e = enumeration("E", &[("ZERO", 0), ("B", 7), ("A", 7), ("NEG", -3)])
        .sub(3, aliases)
        .sub(4, Proto::default().int(1, 100).int(2, i32::MAX))
        .str(5, "OLD");
    let pool = load([file("f").sub(5, e)]).unwrap();
    let e = pool.find_enum("p.E").unwrap();
    assert_eq!(e.get_value(7).unwrap().name(), "B", "the first name of a number");
    assert_eq!(e.get_value(-3).unwrap().name(), "NEG");
    assert_eq!((e.get_value(1), e.value("E").ok()), (None, None));
    assert_eq!(e.value("A").unwrap().number(), 7);
    assert!(e.allows_alias() && e.is_deprecated() && e.is_closed());
    assert_eq!(e.reserved_ranges().collect::<Vec<_>>(), [100..=i32::MAX]);
    assert_eq!(e.reserved_names().collect::<Vec<_>>(), ["OLD"]);
    assert_eq!(e.default_value().name(), "ZERO");
}

#[test]
fn options_and_files_keep_their_bytes() {
    // Unknown field 50000 of an options message is a custom option.
    let custom = Proto::default().int(3, 1).str(50000, "custom");
    let f = file("f")
        .sub(4, message("M", [field("a", 1, OPTIONAL, INT32).sub(8, custom.clone())]).sub(7, custom.clone()));
    let m = only_message(f.clone());
    assert_eq!(m.options_bytes(), custom.0);
    assert_eq!(get(&m, "a").options_bytes(), custom.0);
    assert!(m.is_deprecated() && get(&m, "a").is_deprecated());
    assert_eq!(m.parent_file().file_descriptor_proto_bytes(), f.0);
    assert_eq!(m.parent_file().options_bytes(), b"");
}

#[test]
fn files_are_added_to_a_new_pool() {
    let a = file("a").sub(4, message("A", []).sub(5, Proto::default().int(1, 1).int(2, 9)));
    let b = file("b").str(3, "a").sub(7, field("x", 1, OPTIONAL, INT32).str(2, "A"));
    let first = load([a.clone()]).unwrap();
    let second = first.add_file_descriptor_set(&set([a.clone(), b])).unwrap();
    assert_eq!((first.files().len(), second.files().len()), (1, 2));
    assert_eq!(first.find_message("p.A").unwrap().extensions().len(), 0);
    assert_eq!(second.find_message("p.A").unwrap().extensions().len(), 1);
    let error = first.add_file_descriptor_set(&set([file("a")])).unwrap_err();
    assert_eq!((error.kind(), error.name()), (DescriptorErrorKind::DuplicateName, "a"));
    let error = first.add_file_descriptor_set(b"\x0a\x05\x0a").unwrap_err();
    assert_eq!(error.decode_error().unwrap().offset(), 1, "offsets are those of the new set");
}

#[test]
fn editions_and_syntaxes() {
    for (file, expected) in [
        (file("f"), Edition::Proto2),
        (file("f").str(12, "proto2"), Edition::Proto2),
        (proto3("f"), Edition::Proto3),
        (edition("f", 1000), Edition::Edition2023),
        (edition("f", 1001), Edition::Edition2024),
        (edition("f", 1002), Edition::Edition2026),
        (edition("f", 9999), Edition::Unstable),
    ] {
        let pool = load([file]).unwrap();
        assert_eq!(pool.find_file("f").unwrap().edition(), expected);
    }
}

#[test]
fn an_empty_pool_answers() {
    let pool = DescriptorPool::new();
    assert_eq!((pool.files().len(), pool.all_messages().len(), pool.all_enums().len()), (0, 0, 0));
    assert!(pool.find_message("a").is_none() && pool.find_file("").is_none());
    assert_eq!(DescriptorPool::decode(b"").unwrap().files().len(), 0);
}

/// prost-reflect has these on every descriptor, and so has docs/prost-reflect.md.
#[test]
fn every_descriptor_knows_its_pool_and_file() {
    let values = enumeration("E", &[("A", 0)]);
    let extension = int_extension();
    let method = named("Get").str(2, ".p.M").str(3, ".p.M");
    let with_oneof = message("M", [field("a", 1, OPTIONAL, INT32).int(9, 0)])
        .sub(8, named("o"))
        .sub(5, Proto::default().int(1, 10).int(2, 20));
    let file =
        file("f").sub(4, with_oneof).sub(5, values).sub(6, named("S").sub(2, method)).sub(7, extension);
    let pool = load([file]).unwrap();
    let oneof = pool.find_message("p.M").unwrap().oneofs().next().unwrap();
    let value = pool.find_enum("p.E").unwrap().default_value();
    let service = pool.find_service("p.S").unwrap();
    let method = service.methods().next().unwrap();
    let extension = pool.find_extension("p.x").unwrap();
    for of in [oneof.parent_pool(), value.parent_pool(), method.parent_pool(), extension.parent_pool()] {
        assert_eq!(*of, pool);
    }
    for of in [oneof.parent_file(), value.parent_file(), method.parent_file(), extension.parent_file()] {
        assert_eq!(of.name(), "f");
    }
    assert_eq!((service.package_name(), extension.package_name()), ("p", "p"));
}

fn int_extension() -> Proto {
    field("x", 10, OPTIONAL, INT32).str(2, ".p.M")
}
