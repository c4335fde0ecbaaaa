//! Every kind of error, with the definition and the file at fault.

use super::*;
use DescriptorErrorKind as Kind;
use alloc::{format, string::ToString, vec};

fn int(name: &str, number: i32) -> Proto {
    field(name, number, OPTIONAL, INT32)
}

fn range(start: i32, end: i32) -> Proto {
    Proto::default().int(1, start).int(2, end)
}

#[test]
fn malformed() {
    let error = DescriptorPool::decode(b"\x0a\x06\x0a\x01f\x22\x7f\x00").unwrap_err();
    assert_eq!(error.kind(), Kind::Malformed);
    let decode = error.decode_error().unwrap();
    assert_eq!(format!("{}", decode.path()), "file[0].message_type[0]");
    assert_eq!(decode.message_name(), Some("google.protobuf.FileDescriptorSet"));
}

/// The offset is that in the set, wherever in it a part ends too early.
#[test]
fn a_malformed_set_has_the_offset_from_its_start() {
    let message = message("M", [int("a", 1)]);
    for (cut, path) in [
        (file("f").sub(4, message.clone()).bytes(4, b"\x0a\x05M"), "file[1].message_type[1]"),
        (file("f").sub(4, message.clone().bytes(2, b"\x0a")), "file[1].message_type[0].field[1]"),
        (file("f").bytes(8, b"\x0a\x01a\x80"), "file[1].options"),
    ] {
        let bytes = set([file("other"), cut]);
        let error = DescriptorPool::decode(&bytes).unwrap_err();
        let decode = error.decode_error().unwrap();
        assert_eq!(decode.path().to_string(), path, "{error}");
        assert!(decode.offset() <= bytes.len() && decode.offset() > bytes.len() - 6, "{error}");
    }
    let error =
        crate::schema::pool::PoolBuilder::new().add_file_descriptor_set(b"\x0a\x01f\x0a").unwrap_err();
    assert_eq!(error.decode_error().unwrap().offset(), 4);
}

#[test]
fn one_file_in_place_of_a_set_is_named() {
    let one = file("log.proto").sub(4, message("Log", [int("level", 1)])).0;
    let error = DescriptorPool::decode(&one).unwrap_err();
    assert!(error.to_string().contains("looks like one FileDescriptorProto"), "{error}");
    assert_eq!(error.kind(), Kind::Malformed);
}

#[test]
fn names() {
    assert_error([Proto::default()], Kind::InvalidName, "");
    assert_error([named("f").str(2, "a..b")], Kind::InvalidName, "a..b");
    assert_error([named("f").str(2, "a.1")], Kind::InvalidName, "a.1");
    assert_message_error([message("", [])], Kind::InvalidName, "p");
    assert_message_error([message("M-", [])], Kind::InvalidName, "p");
    assert_message_error([message("M", [int("a b", 1)])], Kind::InvalidName, "p.M");
    assert_message_error([message("M", [int("é", 1)])], Kind::InvalidName, "p.M");
    assert_message_error([Proto::default().bytes(1, b"\xff")], Kind::InvalidName, "");
    assert_message_error([message("M", [int("a", 1)]).str(10, "a")], Kind::InvalidName, "p.M.a");
    assert_error([file("f").sub(5, enumeration("E", &[("a.b", 0)]))], Kind::InvalidName, "p");
}

#[test]
fn duplicate_names() {
    let m = || message("M", []);
    assert_message_error([m(), m()], Kind::DuplicateName, "p.M");
    assert_message_error([message("M", [int("a", 1), int("a", 2)])], Kind::DuplicateName, "p.M.a");
    assert_message_error(
        [message("M", [int("a", 1)]).sub(3, message("a", []))],
        Kind::DuplicateName,
        "p.M.a",
    );
    let twice = [file("f").sub(4, m()), file("g").sub(4, m())];
    let error = load(twice).unwrap_err();
    assert_eq!((error.kind(), error.file()), (Kind::DuplicateName, "g"));
    assert!(error.detail().contains("a message in f"), "{error}");
    // A message named as the package of another file.
    assert_error([named("f").sub(4, message("p", [])), file("g")], Kind::DuplicateName, "p");
    let values = file("f").sub(5, enumeration("A", &[("X", 0)])).sub(5, enumeration("B", &[("X", 0)]));
    let error = load([values]).unwrap_err();
    assert!(error.detail().contains("scope around the enum"), "{error}");
    assert_error([file("f"), proto3("f")], Kind::DuplicateName, "f");
    let extension = || int("x", 10).str(2, "M");
    assert_error([file("f").sub(4, m()).sub(7, extension()).sub(7, extension())], Kind::DuplicateName, "p.x");
}

#[test]
fn numbers() {
    for bad in [0, -1, 19_000, 19_999, 1 << 29, i32::MAX] {
        assert_message_error([message("M", [int("a", bad)])], Kind::InvalidNumber, "p.M.a");
    }
    for good in [1, 18_999, 20_000, (1 << 29) - 1] {
        load([file("f").sub(4, message("M", [int("a", good)]))]).unwrap();
    }
    assert_message_error([message("M", [int("a", 5), int("b", 5)])], Kind::DuplicateNumber, "p.M.b");
    let m = |number| message("M", [int("a", number)]).sub(9, range(5, 10)).sub(5, range(20, 30));
    for bad in [5, 9, 20, 29] {
        assert_message_error([m(bad)], Kind::InvalidNumber, "p.M.a");
    }
    load([file("f").sub(4, m(10))]).unwrap();
    for (start, end) in [(0, 5), (5, 5), (6, 5), (-2, 5), (5, (1 << 29) + 1)] {
        assert_message_error([message("M", []).sub(9, range(start, end))], Kind::InvalidNumber, "p.M");
        assert_message_error([message("M", []).sub(5, range(start, end))], Kind::InvalidNumber, "p.M");
    }
    let overlap = message("M", []).sub(9, range(5, 10)).sub(5, range(9, 12));
    assert_message_error([overlap], Kind::InvalidNumber, "p.M");
}

#[test]
fn enums() {
    let bad = |file: Proto, e, kind, name| assert_error([file.sub(5, e)], kind, name);
    bad(file("f"), enumeration("E", &[]), Kind::InvalidField, "p.E");
    bad(file("f"), enumeration("E", &[("A", 1), ("B", 1)]), Kind::DuplicateNumber, "p.B");
    bad(proto3("f"), enumeration("E", &[("A", 1)]), Kind::InvalidNumber, "p.A");
    bad(file("f"), enumeration("E", &[("A", 1)]).sub(4, range(1, 1)), Kind::InvalidNumber, "p.A");
    bad(file("f"), enumeration("E", &[("A", 1)]).sub(4, range(5, 4)), Kind::InvalidNumber, "p.E");
    bad(file("f"), enumeration("E", &[("A", 1)]).str(5, "A"), Kind::InvalidName, "p.A");
}

#[test]
fn types() {
    let m = |f: Proto| [message("M", [f])];
    assert_message_error(m(typed("a", 1, OPTIONAL, MESSAGE, "N")), Kind::UnresolvedType, "p.M.a");
    assert_message_error(m(typed("a", 1, OPTIONAL, MESSAGE, ".M")), Kind::UnresolvedType, "p.M.a");
    assert_message_error(m(typed("a", 1, OPTIONAL, ENUM, "M")), Kind::UnresolvedType, "p.M.a");
    assert_message_error(m(typed("a", 1, OPTIONAL, MESSAGE, "M.a")), Kind::UnresolvedType, "p.M.a");
    assert_message_error(m(typed("a", 1, OPTIONAL, INT32, "M")), Kind::InvalidField, "p.M.a");
    assert_message_error(m(field("a", 1, OPTIONAL, MESSAGE)), Kind::InvalidField, "p.M.a");
    assert_message_error(m(field("a", 1, OPTIONAL, 99)), Kind::InvalidField, "p.M.a");
    assert_message_error(m(named("a").int(3, 1)), Kind::InvalidField, "p.M.a");
    let service = named("S").sub(2, named("Call").str(2, "M").str(3, "N"));
    assert_error([file("f").sub(4, message("M", [])).sub(6, service)], Kind::UnresolvedType, "p.S.Call");
}

#[test]
fn imports() {
    let error = load([file("f").str(3, "g")]).unwrap_err();
    assert_eq!((error.kind(), error.name(), error.file()), (Kind::MissingImport, "g", "f"));
    assert_error([file("f").str(3, "f")], Kind::ImportCycle, "");
    let cycle = [file("a").str(3, "b"), file("b").str(3, "c"), file("c").str(3, "b"), file("d")];
    let error = load(cycle).unwrap_err();
    assert_eq!(error.kind(), Kind::ImportCycle);
    assert_error([file("f").str(3, "g").str(3, "g"), file("g")], Kind::DuplicateName, "g");
    assert_error([file("f").int(10, 0)], Kind::MissingImport, "f");
    assert_error([file("f").str(3, "g").int(10, -1), file("g")], Kind::MissingImport, "f");
}

#[test]
fn oneofs() {
    let member = |index| int("a", 1).int(9, index);
    let m = |f: Proto| [message("M", [f]).sub(8, named("o"))];
    for bad in [-1, 1, i32::MAX, i32::MIN] {
        assert_message_error(m(member(bad)), Kind::InvalidOneof, "p.M.a");
    }
    assert_message_error(m(int("a", 1)), Kind::InvalidOneof, "p.M.o");
    assert_message_error(m(field("a", 1, REPEATED, INT32).int(9, 0)), Kind::InvalidOneof, "p.M.a");
    assert_message_error(m(field("a", 1, REQUIRED, INT32).int(9, 0)), Kind::InvalidOneof, "p.M.a");
    assert_message_error(m(member(0).int(17, 1)), Kind::InvalidOneof, "p.M.a");
    let two = message("M", [member(0).int(17, 1), int("b", 2).int(9, 0)]).sub(8, named("o"));
    assert_error([proto3("f").sub(4, two)], Kind::InvalidOneof, "p.M.a");
    assert_error([proto3("f").sub(4, message("M", [int("a", 1).int(17, 1)]))], Kind::InvalidOneof, "p.M.a");
}

#[test]
fn extensions() {
    let base = || message("M", []).sub(5, range(10, 20));
    let bad = |e: Proto, kind, name| assert_error([file("f").sub(4, base()).sub(7, e)], kind, name);
    bad(int("x", 9).str(2, "M"), Kind::InvalidExtension, "p.x");
    bad(int("x", 20).str(2, "M"), Kind::InvalidExtension, "p.x");
    bad(int("x", 10).str(2, "N"), Kind::UnresolvedType, "p.x");
    bad(int("x", 10), Kind::InvalidExtension, "p");
    bad(int("x", 10).str(2, "M").int(9, 0), Kind::InvalidOneof, "p.x");
    let twice = file("f").sub(4, base()).sub(7, int("x", 10).str(2, "M")).sub(7, int("y", 10).str(2, "M"));
    assert_error([twice], Kind::DuplicateNumber, "p.y");
    assert_message_error([message("M", [int("a", 1).str(2, "M")])], Kind::InvalidExtension, "p.M");
    let set = || message("M", []).sub(5, range(4, i32::MAX)).sub(7, Proto::default().int(1, 1));
    let in_set = |e: Proto| file("f").sub(4, set()).sub(7, e);
    assert_error([in_set(int("x", 10).str(2, "M"))], Kind::InvalidExtension, "p.x");
    let list = typed("x", 10, REPEATED, MESSAGE, "M").str(2, "M");
    assert_error([in_set(list)], Kind::InvalidExtension, "p.x");
    load([in_set(typed("x", 10, OPTIONAL, MESSAGE, "M").str(2, "M"))]).unwrap();
    let set_with_field = message("M", [int("a", 1)]).sub(7, Proto::default().int(1, 1));
    assert_message_error([set_with_field], Kind::InvalidField, "p.M");
}

#[test]
fn defaults() {
    let m = |f: Proto, text: &str| [message("M", [f.str(7, text)])];
    for (kind, text) in
        [(INT32, "1.5"), (INT32, "2147483648"), (DOUBLE, "x"), (BYTES, "\\q"), (8, "yes"), (13, "-1")]
    {
        assert_message_error(m(field("a", 1, OPTIONAL, kind), text), Kind::InvalidDefault, "p.M.a");
    }
    assert_message_error(m(field("a", 1, REPEATED, INT32), "1"), Kind::InvalidDefault, "p.M.a");
    assert_message_error(m(typed("a", 1, OPTIONAL, MESSAGE, "M"), "1"), Kind::InvalidDefault, "p.M.a");
    assert_error([proto3("f").subs(4, m(int("a", 1), "1"))], Kind::InvalidDefault, "p.M.a");
    let e = typed("a", 1, OPTIONAL, ENUM, "E");
    let of_enum = |text: &str| file("f").subs(4, m(e.clone(), text)).sub(5, enumeration("E", &[("A", 0)]));
    assert_error([of_enum("B")], Kind::InvalidDefault, "p.M.a");
    assert_error([of_enum("0")], Kind::InvalidDefault, "p.M.a");
    load([of_enum("A")]).unwrap();
}

#[test]
fn map_entries() {
    let key = || field("key", 1, OPTIONAL, STRING);
    let value = || int("value", 2);
    let map = |f: Proto, entry: Proto| [message("M", [f]).sub(3, entry)];
    let a = || typed("a", 1, REPEATED, MESSAGE, "AEntry");
    load([file("f").subs(4, map(a(), entry("AEntry", key(), value())))]).unwrap();
    for (key, value) in [
        (field("key", 1, OPTIONAL, DOUBLE), value()),
        (field("key", 1, OPTIONAL, BYTES), value()),
        (field("key", 1, REPEATED, STRING), value()),
        (field("key", 3, OPTIONAL, STRING), value()),
        (value(), key()),
        (key(), field("value", 2, REQUIRED, INT32)),
    ] {
        assert_message_error(map(a(), entry("AEntry", key, value)), Kind::InvalidMapEntry, "p.M.AEntry");
    }
    let extension = || int("x", 5).str(2, "N");
    for (number, part) in [(3, message("In", [])), (4, enumeration("In", &[("A", 0)])), (6, extension())] {
        let holds = || entry("AEntry", key(), value()).sub(number, part.clone());
        let stranger = message("N", []).sub(5, Proto::default().int(1, 5).int(2, 6));
        let [m] = map(a(), holds());
        assert_message_error([m, stranger], Kind::InvalidMapEntry, "p.M.AEntry");
    }
    let one_field = message("AEntry", [key()]).sub(7, Proto::default().int(7, 1));
    assert_message_error(map(a(), one_field), Kind::InvalidMapEntry, "p.M.AEntry");
    let good = || entry("AEntry", key(), value());
    let singular = typed("a", 1, OPTIONAL, MESSAGE, "AEntry");
    assert_message_error(map(singular, good()), Kind::InvalidMapEntry, "p.M.a");
    let group = typed("a", 1, REPEATED, GROUP, "AEntry");
    assert_message_error(map(group, good()), Kind::InvalidMapEntry, "p.M.a");
    let misnamed = typed("b", 1, REPEATED, MESSAGE, "AEntry");
    assert_message_error(map(misnamed, good()), Kind::InvalidMapEntry, "p.M.b");
    let stranger = message("N", [typed("a", 1, REPEATED, MESSAGE, "M.AEntry")]);
    let [m] = map(a(), good());
    assert_message_error([m, stranger], Kind::InvalidMapEntry, "p.N.a");
    assert_message_error([good()], Kind::InvalidMapEntry, "p.AEntry");
    let no_zero = file("f")
        .subs(4, map(a(), entry("AEntry", key(), typed("value", 2, OPTIONAL, ENUM, "E"))))
        .sub(5, enumeration("E", &[("A", 1)]));
    assert_error([no_zero], Kind::InvalidMapEntry, "p.M.AEntry");
}

#[test]
fn editions() {
    for (syntax, edition) in [("proto4", 0), ("editions", 0), ("editions", 1003), ("editions", 99_999)] {
        let error = load(vec![file("f").str(12, syntax).int(14, edition)]).unwrap_err();
        assert_eq!((error.kind(), error.file()), (Kind::UnsupportedEdition, "f"), "{syntax} {edition}");
    }
}

#[test]
fn depth_and_size() {
    let nested = |levels| (1..levels).fold(message("M", []), |inner, _| message("M", []).sub(3, inner));
    load([file("f").sub(4, nested(32))]).unwrap();
    let error = load([file("f").sub(4, nested(33))]).unwrap_err();
    assert_eq!(error.kind(), Kind::TooDeep);
    let error = load([file("f").sub(4, message("M", (0..65_535).map(|i| int("a", i))))]).unwrap_err();
    assert_eq!((error.kind(), error.name()), (Kind::TooMany, "p.M"));
}
