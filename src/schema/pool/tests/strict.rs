//! Sets that C++ protobuf refuses, and what is beside them.

use super::*;
use DescriptorErrorKind as Kind;
use alloc::{format, string::String};

fn int(name: &str, number: i32) -> Proto {
    field(name, number, OPTIONAL, INT32)
}

/// `features` in options in which it has this number, one feature set.
fn features(at: u32, feature: u32, value: i32) -> Proto {
    Proto::default().sub(at, Proto::default().int(feature, value))
}

fn with_field(file: Proto, field: Proto) -> [Proto; 1] {
    [file.sub(4, message("M", [field]).sub(3, message("N", [])))]
}

#[track_caller]
fn refused(file: Proto, field: Proto, kind: Kind) {
    assert_error(with_field(file, field), kind, "p.M.a");
}

#[track_caller]
fn accepted(file: Proto, field: Proto) {
    load(with_field(file, field)).unwrap();
}

#[test]
fn features_are_refused_in_proto2_and_proto3() {
    for (at, number) in [(8, 50), (4, 12), (5, 7), (6, 34)] {
        let options = || features(number, 2, 1);
        for file in [file("f"), proto3("f")] {
            let with = match at {
                8 => file.sub(8, options()),
                4 => file.sub(4, message("M", []).sub(7, options())),
                5 => file.sub(5, enumeration("E", &[("A", 0)]).sub(3, options())),
                _ => file.sub(6, named("S").sub(3, options())),
            };
            assert_eq!(load([with]).unwrap_err().kind(), Kind::InvalidOption, "{at}");
        }
    }
    let a = || int("a", 1).sub(8, features(21, 1, 1));
    refused(file("f"), a(), Kind::InvalidOption);
    refused(proto3("f"), a(), Kind::InvalidOption);
    accepted(edition("f", 1000), a());
    let value = |file: Proto| {
        let value = named("A").int(2, 0).sub(3, features(2, 2, 1));
        load([file.sub(5, named("E").sub(2, value))]).map(drop).map_err(|e| e.kind())
    };
    assert_eq!(value(file("f")), Err(Kind::InvalidOption));
    assert_eq!(value(edition("f", 1000)), Ok(()));
}

#[test]
fn a_feature_without_a_value_is_refused() {
    for feature in 1..=8 {
        let error = load([edition("f", 1000).sub(8, features(50, feature, 0))]).unwrap_err();
        assert_eq!(error.kind(), Kind::InvalidOption, "{feature}");
    }
    // A number that no feature has is an unknown field.
    load([edition("f", 1000).sub(8, features(50, 1, 77)).sub(8, features(50, 99, 0))]).unwrap();
    let required = edition("f", 1000).sub(8, features(50, 1, 3));
    assert_eq!(load([required]).unwrap_err().kind(), Kind::InvalidOption);
}

#[test]
fn proto3_has_no_required_fields_groups_defaults_or_extensions() {
    refused(proto3("f"), field("a", 1, REQUIRED, INT32), Kind::InvalidField);
    refused(proto3("f"), typed("a", 1, OPTIONAL, GROUP, "N"), Kind::InvalidField);
    refused(proto3("f"), int("a", 1).str(7, "0"), Kind::InvalidDefault);
    let optional = int("a", 1).int(17, 1).int(9, 0).str(7, "0");
    let m = message("M", [optional]).sub(8, named("_a"));
    assert_error([proto3("f").sub(4, m)], Kind::InvalidDefault, "p.M.a");
    let ranges = message("M", []).sub(5, Proto::default().int(1, 5).int(2, 6));
    assert_error([proto3("f").sub(4, ranges)], Kind::InvalidExtension, "p.M");
    let set = message("M", []).sub(7, Proto::default().int(1, 1));
    assert_error([proto3("f").sub(4, set)], Kind::InvalidOption, "p.M");
    let base = file("b").sub(4, message("M", []).sub(5, Proto::default().int(1, 5).int(2, 6)));
    let extends = proto3("f").str(3, "b").sub(7, int("x", 5).str(2, ".p.M"));
    assert_error([base, extends], Kind::InvalidExtension, "p.x");
    let closed = || file("b").sub(5, enumeration("E", &[("A", 0)]));
    let uses = |file: Proto| file.str(3, "b").sub(4, message("M", [typed("a", 1, OPTIONAL, ENUM, "E")]));
    assert_error([closed(), uses(proto3("f"))], Kind::InvalidField, "p.M.a");
    load([closed(), uses(file("f"))]).unwrap();
}

#[test]
fn editions_have_no_required_label_group_type_or_packed_option() {
    refused(edition("f", 1000), field("a", 1, REQUIRED, INT32), Kind::InvalidField);
    refused(edition("f", 1000), typed("a", 1, OPTIONAL, GROUP, "N"), Kind::InvalidField);
    let packed = field("a", 1, REPEATED, INT32).sub(8, Proto::default().int(2, 1));
    refused(edition("f", 1000), packed.clone(), Kind::InvalidField);
    accepted(file("f"), packed);
    let optional = int("a", 1).int(17, 1);
    refused(edition("f", 1000), optional, Kind::InvalidOneof);
}

#[test]
fn java_string_check_utf8_is_not_of_editions() {
    let checked =
        |file: Proto| load([file.sub(8, Proto::default().int(27, 1))]).map(drop).map_err(|e| e.kind());
    assert_eq!(checked(file("f")), Ok(()));
    assert_eq!(checked(proto3("f")), Ok(()));
    assert_eq!(checked(edition("f", 1000)), Err(Kind::InvalidOption));
}

#[test]
fn an_edition_beside_a_syntax_is_refused() {
    for file in [file("f"), file("f").str(12, "proto2"), proto3("f")] {
        let error = load([file.int(14, 1000)]).unwrap_err();
        assert_eq!(error.kind(), Kind::UnsupportedEdition);
    }
    // A number that the enum does not list is an unknown field.
    load([proto3("f").int(14, 77)]).unwrap();
}

#[test]
fn import_option_is_of_edition_2024() {
    let imports = |file: Proto| load([file.str(15, "x")]).map(drop).map_err(|e| e.kind());
    assert_eq!(imports(edition("f", 1000)), Err(Kind::InvalidOption));
    assert_eq!(imports(proto3("f")), Err(Kind::InvalidOption));
    assert_eq!(imports(edition("f", 1001)), Ok(()));
}

/// Edition 2026 is 2024 at run time: its new defaults are rules for sources.
#[test]
fn edition_2026_changes_no_message() {
    let fields = || {
        let (list, name) = (field("list", 1, REPEATED, INT32), field("name", 2, OPTIONAL, STRING));
        [list, name, typed("color", 3, OPTIONAL, ENUM, "E")]
    };
    let of = |number| {
        let file = edition("f", number).sub(4, message("M", fields()));
        let pool = load([file.sub(5, enumeration("E", &[("A", 0)]))]).unwrap();
        let m = pool.find_message("p.M").unwrap();
        let facts = |f: crate::FieldDescriptor| (f.is_packed(), f.supports_presence(), f.validates_utf8());
        let closed = pool.find_enum("p.E").unwrap().is_closed();
        (m.fields().map(facts).collect::<Vec<_>>(), closed, pool)
    };
    let ((new, open, pool), (old, _, _)) = (of(1002), of(1001));
    assert_eq!((new, open), (old, false));
    assert!(pool.find_file("f").unwrap().to_proto().starts_with("edition = \"2026\";\n"));
    let limits = |value| features(7, 9, value);
    let with = |value| edition("f", 1002).sub(5, enumeration("E", &[("A", 0)]).sub(3, limits(value)));
    load([with(2)]).unwrap();
    assert_eq!(load([with(0)]).unwrap_err().kind(), Kind::InvalidOption);
}

/// The rules of protoc 36 for `(pb.enumvalue.json).string`.
#[test]
fn json_names_of_enum_values_are_distinct() {
    let value = |(name, number, json): (&str, i32, Option<&str>)| {
        let value = named(name).int(2, number);
        match json {
            Some(json) => value.sub(3, Proto::default().sub(998, Proto::default().str(1, json))),
            None => value,
        }
    };
    type Listed<'a> = [(&'a str, i32, Option<&'a str>); 3];
    let of = |values: Listed<'_>| {
        let e = named("E").subs(2, values.map(value)).sub(3, Proto::default().int(2, 1));
        load([edition("f", 1002).sub(5, e)]).map(|pool| pool.find_enum("p.E").unwrap())
    };
    let good = of([("A", 0, None), ("B", 1, Some("b \"")), ("C", 2, Some(""))]).unwrap();
    assert_eq!(good.values().map(|v| v.json_name().into()).collect::<Vec<String>>(), ["A", "b \"", ""]);
    let source = good.to_proto();
    assert!(source.contains("B = 1 [(.pb.enumvalue.json).string = \"b \\\"\"];"), "{source}");
    for (values, kind, name) in [
        ([("A", 0, Some("B")), ("B", 1, None), ("C", 2, None)], Kind::DuplicateName, "p.A"),
        ([("A", 0, Some("B")), ("B", 1, Some("y")), ("C", 2, None)], Kind::DuplicateName, "p.A"),
        ([("A", 0, Some("x")), ("B", 1, None), ("C", 2, Some("x"))], Kind::DuplicateName, "p.C"),
        ([("A", 0, None), ("B", 1, Some("x\0")), ("C", 2, None)], Kind::InvalidOption, "p.B"),
        ([("A", 0, None), ("B", 1, Some("x")), ("C", 1, None)], Kind::InvalidOption, "p.C"),
        ([("A", 0, None), ("B", 1, None), ("C", 1, Some("B"))], Kind::InvalidOption, "p.C"),
    ] {
        let error = of(values).unwrap_err();
        assert_eq!((error.kind(), error.name()), (kind, name), "{error}");
    }
    for values in [
        [("A", 0, Some("A")), ("B", 1, Some("x")), ("C", 1, Some("x"))],
        [("A", 0, None), ("B", 1, Some("C")), ("C", 1, Some("C"))],
    ] {
        of(values).unwrap();
    }
}

#[test]
fn features_fit_their_field() {
    let with = |field: Proto, feature, value| field.sub(8, features(21, feature, value));
    let bad = |field: Proto, feature, value| {
        refused(edition("f", 1000), with(field, feature, value), Kind::InvalidOption);
    };
    let good = |field: Proto, feature, value| accepted(edition("f", 1000), with(field, feature, value));
    let list = |kind| field("a", 1, REPEATED, kind);
    let one = |kind| field("a", 1, OPTIONAL, kind);
    let sub = |label| typed("a", 1, label, MESSAGE, "N");
    bad(list(INT32), 1, 1);
    bad(sub(OPTIONAL), 1, 2);
    good(sub(OPTIONAL), 1, 3);
    bad(one(INT32), 3, 2);
    bad(list(STRING), 3, 1);
    good(list(STRING), 3, 2);
    good(list(INT32), 3, 1);
    bad(one(INT32), 4, 3);
    good(one(STRING), 4, 3);
    good(list(STRING), 4, 3);
    bad(one(INT32), 5, 2);
    good(sub(REPEATED), 5, 2);
    let member = with(int("a", 1).int(9, 0), 1, 1);
    let m = message("M", [member]).sub(8, named("o"));
    assert_error([edition("f", 1000).sub(4, m)], Kind::InvalidOption, "p.M.a");
    let extension = |value| {
        let m = message("M", []).sub(5, Proto::default().int(1, 5).int(2, 6));
        let x = with(int("x", 5).str(2, "M"), 1, value);
        load([edition("f", 1000).sub(4, m).sub(7, x)]).unwrap_err().kind()
    };
    assert_eq!((extension(1), extension(3)), (Kind::InvalidOption, Kind::InvalidOption));
}

#[test]
fn members_of_oneofs_and_extensions_have_defaults_in_files_of_implicit_presence() {
    let implicit = || edition("f", 1000).sub(8, features(50, 1, 2));
    let default = |field: Proto| field.str(7, "5");
    let oneof = |message: Proto| message.sub(8, named("o"));
    let member = message("M", [default(int("a", 1)).int(9, 0)]);
    load([implicit().sub(4, oneof(member))]).unwrap();
    let extended = message("M", []).sub(5, Proto::default().int(1, 5).int(2, 6));
    load([implicit().sub(4, extended).sub(7, default(int("x", 5)).str(2, "M"))]).unwrap();
    refused(implicit(), default(int("a", 1)), Kind::InvalidDefault);
}

#[test]
fn implicit_presence_with_a_closed_enum_is_refused() {
    let closed = |first| enumeration("E", &[("A", first)]).sub(3, features(7, 2, 2));
    let with = |first, label, presence: Proto| {
        let a = typed("a", 1, label, ENUM, "E").sub(8, presence);
        load([edition("f", 1000).sub(5, closed(first)).sub(4, message("M", [a]))])
    };
    let implicit = || features(21, 1, 2);
    for first in [0, 1] {
        let error = with(first, OPTIONAL, implicit()).unwrap_err();
        assert_eq!((error.kind(), error.name()), (Kind::InvalidField, "p.M.a"));
        with(first, OPTIONAL, Proto::default()).unwrap();
    }
    // A list has no presence that a file could make implicit.
    let file = edition("f", 1000).sub(8, features(50, 1, 2)).sub(5, closed(1));
    load([file.sub(4, message("M", [typed("a", 1, REPEATED, ENUM, "E")]))]).unwrap();
}

#[test]
fn names_in_json_do_not_meet() {
    let fields = |a: Proto, b: Proto| message("M", [a, b]);
    let error = |file: Proto, m: Proto| load([file.sub(4, m)]).map(drop).map_err(|e| e.kind());
    let twice = || fields(int("foo_bar", 1), int("fooBar", 2));
    assert_eq!(error(proto3("f"), twice()), Err(Kind::DuplicateName));
    assert_eq!(error(edition("f", 1000), twice()), Err(Kind::DuplicateName));
    assert_eq!(error(file("f"), twice()), Ok(()));
    let best_effort = edition("f", 1000).sub(8, features(50, 6, 2));
    assert_eq!(error(best_effort, twice()), Ok(()));
    let given = || fields(int("a", 1).str(10, "x"), int("b", 2).str(10, "x"));
    assert_eq!(error(file("f"), given()), Err(Kind::DuplicateName));
    let meets = || fields(int("a", 1).str(10, "b"), int("b", 2));
    assert_eq!(error(proto3("f"), meets()), Err(Kind::DuplicateName));
    assert_eq!(error(file("f"), meets()), Ok(()));
    let swapped = || fields(int("a", 1).str(10, "b"), int("b", 2).str(10, "a"));
    assert_eq!(error(proto3("f"), swapped()), Ok(()));
    let legacy = |m: Proto| m.sub(7, Proto::default().int(11, 1));
    assert_eq!(error(proto3("f"), legacy(twice())), Ok(()));
    assert_eq!(error(proto3("f"), legacy(given())), Ok(()));
    refused(file("f"), int("a", 1).str(10, "[a]"), Kind::InvalidName);
    refused(file("f"), int("a", 1).str(10, "a\0"), Kind::InvalidName);
    let m = message("M", []).sub(5, Proto::default().int(1, 5).int(2, 6));
    let extension =
        |json| load([file("f").sub(4, m.clone()).sub(7, int("x_y", 5).str(2, "M").str(10, json))]);
    assert_eq!(extension("x").unwrap_err().kind(), Kind::InvalidName);
    extension("xY").unwrap();
}

#[test]
fn synthetic_oneofs_come_last() {
    let optional = |oneof| int("a", 1).int(9, oneof).int(17, 1);
    let member = |oneof| int("b", 2).int(9, oneof);
    let m = |optional: Proto, member: Proto, oneofs: [&str; 2]| {
        message("M", [optional, member]).subs(8, oneofs.map(named))
    };
    load([proto3("f").sub(4, m(optional(1), member(0), ["o", "_a"]))]).unwrap();
    let first = m(optional(0), member(1), ["_a", "o"]);
    assert_error([proto3("f").sub(4, first)], Kind::InvalidOneof, "p.M");
}

#[test]
fn map_entries_have_a_key_and_a_value_by_name() {
    for (key, value) in [("k", "value"), ("key", "v")] {
        let entry = entry("AEntry", field(key, 1, OPTIONAL, STRING), field(value, 2, OPTIONAL, INT32));
        let m = message("M", [typed("a", 1, REPEATED, MESSAGE, "AEntry")]).sub(3, entry);
        assert_message_error([m], Kind::InvalidMapEntry, "p.M.AEntry");
    }
}

#[test]
fn what_is_reserved_is_reserved_once() {
    let m = message("M", []).str(10, "a").str(10, "b").str(10, "a");
    assert_message_error([m], Kind::InvalidName, "p.M");
    let e = enumeration("E", &[("A", 0)]).str(5, "B").str(5, "B");
    assert_error([file("f").sub(5, e)], Kind::InvalidName, "p.E");
}

#[test]
fn a_field_has_no_extendee_and_an_extension_is_not_required() {
    let a = int("a", 1).str(2, "");
    assert_message_error([message("M", [a])], Kind::InvalidExtension, "p.M");
    let m = message("M", []).sub(5, Proto::default().int(1, 5).int(2, 6));
    let x = field("x", 5, REQUIRED, INT32).str(2, "M");
    assert_error([file("f").sub(4, m).sub(7, x)], Kind::InvalidField, "p.x");
}

#[test]
fn strings_in_the_message_of_a_field_are_no_strings_of_the_field() {
    // `utf8_validation`, which protoc allows for strings and for maps that have them.
    let utf8 = || features(21, 4, 3);
    let holder = || message("N", [field("text", 1, OPTIONAL, STRING)]);
    let with = |field: Proto| load([edition("f", 1000).sub(4, message("M", [field])).sub(4, holder())]);
    let a = |kind| field("a", 1, OPTIONAL, kind).sub(8, utf8());
    with(a(STRING)).unwrap();
    assert!(with(a(INT32)).is_err());
    let of_message = typed("a", 1, OPTIONAL, MESSAGE, "N").sub(8, utf8());
    assert_eq!(with(of_message).unwrap_err().kind(), Kind::InvalidOption);
    let of_list = typed("a", 1, REPEATED, MESSAGE, "N").sub(8, utf8());
    assert_eq!(with(of_list).unwrap_err().kind(), Kind::InvalidOption);
}

#[test]
fn parts_that_are_not_used_are_well_formed() {
    // The length of this field is 5, and the bytes are missing.
    let cut = || Proto(alloc::vec![0x0a, 5]);
    let with_info = |info: Proto| load([file("f").sub(9, info)]).map(drop).map_err(|error| error.kind());
    with_info(Proto::default().sub(1, Proto::default().bytes(1, &[4, 0]))).unwrap();
    assert!(with_info(Proto::default().sub(1, cut())).is_err());
    assert!(with_info(Proto::default().sub(1, Proto::default().bytes(1, &[0x80]))).is_err());
    // An unknown field may hold any bytes.
    with_info(Proto::default().sub(2, cut())).unwrap();

    let with_option = |number, option: Proto| {
        load([file("f").sub(8, Proto::default().sub(number, option))]).map(drop).map_err(|error| error.kind())
    };
    with_option(999, Proto::default().sub(2, Proto::default().str(1, "name"))).unwrap();
    assert!(with_option(999, cut()).is_err());
    assert!(with_option(999, Proto::default().sub(2, cut())).is_err());
    with_option(998, cut()).unwrap();
}

#[test]
fn bytes_of_defaults_are_those_of_their_escapes() {
    let text = r##"\a\b\f\n\r\t\v\\\'\"\?\101\x41A"##;
    let bytes = b"\x07\x08\x0c\n\r\t\x0b\\'\"?AAA";
    let data = field("a", 1, OPTIONAL, BYTES).str(7, text);
    let pool = load(with_field(file("f"), data)).unwrap();
    let of = |pool: &DescriptorPool| {
        let field = pool.message("p.M").unwrap().field("a").unwrap();
        field.default_value().as_bytes().unwrap().to_vec()
    };
    assert_eq!(of(&pool), bytes);
    assert_eq!(of(&DescriptorPool::decode(&pool.encode_to_vec().unwrap()).unwrap()), bytes);
}

#[test]
fn bounds_hold_and_say_so() {
    use crate::schema::pool::PoolOptions;
    let nested = message("M", [int("a", 1), int("b", 2)]).sub(3, message("N", [int("c", 1)]));
    let set = set([file("f").sub(4, nested)]);
    let load = |options: PoolOptions| options.decode(&set).map(drop);
    let kind = |options| load(options).unwrap_err().kind();
    let all = PoolOptions::new;
    load(all().max_messages(2).max_fields(3).max_depth(2)).unwrap();
    assert_eq!(kind(all().max_messages(1)), Kind::TooMany);
    assert_eq!(kind(all().max_fields(2)), Kind::TooMany);
    assert_eq!(kind(all().max_depth(1)), Kind::TooDeep);
    let error = load(all().memory(1000)).unwrap_err();
    assert_eq!(error.kind(), Kind::BudgetExceeded);
    assert!(format!("{error}").contains("more than 1000 bytes"), "{error}");
    assert_eq!((all().memory_for(10), all().max_depth(99).depth_limit()), ((1 << 20) + 320, 32));
}
