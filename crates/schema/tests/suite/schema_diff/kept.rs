//! Services, and what messages and enums keep for later: every kind of difference in both directions.

use super::{Case, lines, pool};
use tablepb::DescriptorPool;
use tablepb::table::{EnumTable, FieldTable, Kind, MessageTable};
use tablepb_schema::{DifferenceKind, diff};

const SERVICES: &[Case] = &[
    (
        "message A {} service S { rpc Get(A) returns (A); }",
        "message A {} service S { rpc Get(A) returns (A); }",
        &[],
        &[],
    ),
    (
        "message A {}",
        "message A {} service S { rpc Get(A) returns (A); }",
        &["S ServiceAdded ok/ok"],
        &["S ServiceRemoved no/no"],
    ),
    (
        "message A {} service S { rpc Get(A) returns (A); }",
        "message A {} service S { rpc Set(A) returns (A); rpc Get(A) returns (A); }",
        &["S.Set MethodAdded ok/ok"],
        &["S.Set MethodRemoved no/no"],
    ),
    // The order of methods means nothing.
    (
        "message A {} service S { rpc Get(A) returns (A); rpc Set(A) returns (A); }",
        "message A {} service S { rpc Set(A) returns (A); rpc Get(A) returns (A); }",
        &[],
        &[],
    ),
    // Types are compared by their names, even where their content is the same; one that is the same is compared by its content.
    (
        "message A {} message B {} service S { rpc Get(A) returns (A); }",
        "message A {} message B {} service S { rpc Get(B) returns (A); }",
        &["S.Get RequestTypeChanged no/no"],
        &["S.Get RequestTypeChanged no/no"],
    ),
    (
        "message A {} message B {} service S { rpc Get(A) returns (A); }",
        "message A {} message B {} service S { rpc Get(A) returns (B); }",
        &["S.Get ResponseTypeChanged no/no"],
        &["S.Get ResponseTypeChanged no/no"],
    ),
    (
        "message A { int32 a = 1; } service S { rpc Get(A) returns (A); }",
        "message A { string a = 1; } service S { rpc Get(A) returns (A); }",
        &["A.a TypeChanged no/no"],
        &["A.a TypeChanged no/no"],
    ),
    // Each pair of the four ways to stream.
    (
        "message A {} service S { rpc Get(A) returns (A); }",
        "message A {} service S { rpc Get(stream A) returns (A); }",
        &["S.Get StreamingChanged no/no"],
        &["S.Get StreamingChanged no/no"],
    ),
    (
        "message A {} service S { rpc Get(A) returns (stream A); }",
        "message A {} service S { rpc Get(A) returns (A); }",
        &["S.Get StreamingChanged no/no"],
        &["S.Get StreamingChanged no/no"],
    ),
    (
        "message A {} service S { rpc Get(A) returns (stream A); }",
        "message A {} service S { rpc Get(stream A) returns (A); }",
        &["S.Get StreamingChanged no/no"],
        &["S.Get StreamingChanged no/no"],
    ),
    (
        "message A {} service S { rpc Get(stream A) returns (stream A); }",
        "message A {} message B {} service S { rpc Get(B) returns (B); }",
        &[
            "B MessageAdded ok/ok",
            "S.Get RequestTypeChanged no/no",
            "S.Get ResponseTypeChanged no/no",
            "S.Get StreamingChanged no/no",
        ],
        &[
            "B MessageRemoved if/if",
            "S.Get RequestTypeChanged no/no",
            "S.Get ResponseTypeChanged no/no",
            "S.Get StreamingChanged no/no",
        ],
    ),
];

const RESERVED: &[Case] = &[
    ("message M { reserved 3; }", "message M {}", &["M ReservedRemoved if/ok"], &["M ReservedAdded ok/ok"]),
    (
        "message M { reserved \"a\"; }",
        "message M {}",
        &["M ReservedRemoved ok/if"],
        &["M ReservedAdded ok/ok"],
    ),
    (
        "message M { reserved 3; reserved \"a\"; }",
        "message M { reserved 4; reserved \"b\"; }",
        &[
            "M ReservedRemoved if/ok",
            "M ReservedRemoved ok/if",
            "M ReservedAdded ok/ok",
            "M ReservedAdded ok/ok",
        ],
        &[
            "M ReservedRemoved if/ok",
            "M ReservedRemoved ok/if",
            "M ReservedAdded ok/ok",
            "M ReservedAdded ok/ok",
        ],
    ),
    // The same numbers in other ranges.
    ("message M { reserved 1 to 3, 4 to 6; }", "message M { reserved 1, 5 to 6, 2 to 4; }", &[], &[]),
    (
        "enum E { A = 0; reserved -3; }",
        "enum E { A = 0; }",
        &["E ReservedRemoved if/ok"],
        &["E ReservedAdded ok/ok"],
    ),
    (
        "enum E { A = 0; reserved \"B\"; }",
        "enum E { A = 0; }",
        &["E ReservedRemoved ok/if"],
        &["E ReservedAdded ok/ok"],
    ),
    (
        "syntax = \"proto2\"; message M { extensions 4 to 9; }",
        "syntax = \"proto2\"; message M {}",
        &["M ExtensionRangeRemoved if/if"],
        &["M ExtensionRangeAdded ok/ok"],
    ),
    (
        "syntax = \"proto2\"; message M { extensions 4 to 9; }",
        "syntax = \"proto2\"; message M { extensions 7 to 9, 4 to 5, 6; }",
        &[],
        &[],
    ),
];

#[test]
fn services_and_reservations_are_compared_in_both_directions() {
    for (old, new, there, back) in SERVICES.iter().chain(RESERVED) {
        assert_eq!(lines(old, new), *there, "{old}\n{new}");
        assert_eq!(lines(new, old), *back, "back from {new}\n{old}");
    }
}

/// The differences as they are printed.
fn printed(old: &str, new: &str) -> Vec<String> {
    diff(&pool(old), &pool(new)).iter().map(|it| it.to_string()).collect()
}

#[test]
fn numbers_that_are_no_longer_reserved_are_listed() {
    let message = |ranges: &str| match ranges {
        "" => "message M {}".to_owned(),
        ranges => format!("message M {{ reserved {ranges}; }}"),
    };
    for (old, new, numbers) in [
        ("3", "", "3"),
        ("1 to 9", "", "1 to 9"),
        ("1 to 9", "4", "1 to 3, 5 to 9"),
        ("1 to 9", "1, 9", "2 to 8"),
        ("1 to 3, 4 to 6", "2", "1, 3 to 6"),
        ("5 to 6", "1 to 5", "6"),
        ("5 to 9, 20", "1 to 6, 8 to 30", "7"),
        ("100 to max", "", "100 to max"),
        ("100 to max", "200 to 536870910", "100 to 199, 536870911"),
        ("536870911", "", "536870911"),
    ] {
        let line = format!("M: the reservation is removed: {numbers} (depends on the values)");
        let lines = printed(&message(old), &message(new));
        assert_eq!(lines.first(), Some(&line), "{old} without {new}");
    }
    let numbers = printed("enum E { A = 0; reserved -9 to -1, 5 to max; }", "enum E { A = 0; reserved -1; }");
    assert_eq!(numbers, ["E: the reservation is removed: -9 to -2, 5 to max (depends on the values)"]);
    let names = printed("message M { reserved \"b\", \"a\"; }", "message M { reserved \"c\"; }");
    assert_eq!(
        names,
        [
            "M: the reservation is removed: \"a\", \"b\" (in JSON it depends on the values)",
            "M: the reservation is new: \"c\" (compatible)",
        ]
    );
    let set = |ranges: &str| {
        format!(
            "syntax = \"proto2\"; message M {{ option message_set_wire_format = true; extensions {ranges}; }}"
        )
    };
    let ranges = printed(&set("4 to max"), &set("4 to 9"));
    assert_eq!(ranges, ["M: the extension range is removed: 10 to max (depends on the values)"]);
}

/// A set of numbers as a list of bits is the oracle.
#[test]
fn any_two_sets_of_reserved_numbers_are_compared() {
    let source = |bits: u32| {
        let numbers: Vec<String> =
            (0..10).filter(|i| bits >> i & 1 == 1).map(|i| format!("reserved {};", i + 1)).collect();
        format!("message M {{ {} }}", numbers.join(" "))
    };
    let mut bits = 1u32;
    for _ in 0..500 {
        bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (old, new) = (bits >> 8 & 0x3ff, bits >> 20 & 0x3ff);
        let differences = diff(&pool(&source(old)), &pool(&source(new)));
        let listed = |kind: DifferenceKind| {
            let found = differences.iter().find(|it| it.kind() == kind);
            let text = found
                .map_or("", |it| if it.new_value().is_empty() { it.old_value() } else { it.new_value() });
            text.split(", ").filter(|range| !range.is_empty()).fold(0u32, |set, range| {
                let (first, last) = range.split_once(" to ").unwrap_or((range, range));
                let number = |text: &str| text.parse::<u32>().expect("a number");
                (number(first)..=number(last)).fold(set, |set, number| set | 1 << (number - 1))
            })
        };
        assert_eq!(listed(DifferenceKind::ReservedRemoved), old & !new, "{old:b} to {new:b}");
        assert_eq!(listed(DifferenceKind::ReservedAdded), new & !old, "{old:b} to {new:b}");
    }
}

#[test]
fn a_field_that_stays_in_its_oneof_is_not_said_to_move() {
    let lines = printed(
        "message M { oneof o { int32 a = 1; int32 b = 2; int32 c = 3; } }",
        "message M { oneof o { int32 a = 1; int32 b = 2; } optional int32 c = 3; }",
    );
    assert_eq!(lines, ["M.c: the oneof changes from o to none (breaks the wire format)"]);
    let lines = printed(
        "message M { oneof o { int32 a = 1; int32 b = 2; } oneof p { int32 c = 3; } }",
        "message M { oneof o { int32 a = 1; } oneof p { int32 b = 2; int32 c = 3; } }",
    );
    assert_eq!(lines, ["M.b: the oneof changes from o to p (breaks the wire format)"]);
}

#[test]
fn changes_of_methods_are_said_to_break_calls() {
    let lines = printed(
        "package p; message A {} message B {} service S { rpc Get(A) returns (A); rpc Set(A) returns (stream A); } service T {}",
        "package p; message A {} message B {} service S { rpc Get(B) returns (A); rpc Set(A) returns (A); }",
    );
    assert_eq!(
        lines,
        [
            "p.S.Get: the request type changes from p.A to p.B (breaks calls)",
            "p.S.Set: the streaming changes from server streaming to unary (breaks calls)",
            "p.T: the service is removed (breaks calls)",
        ]
    );
}

#[test]
fn services_of_two_versions_have_the_same_types_after_the_package() {
    let source = |package: &str| {
        format!(
            "package {package}; message A {{ message In {{}} }} service S {{ rpc Get(A.In) returns (A); }}"
        )
    };
    let pools = [pool(&source("app.v1")), pool(&source("app.v2"))];
    let [old, new] = [&pools[0], &pools[1]].map(|pool| pool.files().next().expect("a file"));
    let kinds = |differences: Vec<tablepb_schema::Difference>| -> Vec<String> {
        differences.iter().map(|it| format!("{} {:?}", it.path(), it.kind())).collect()
    };
    let expected = ["app.v1.S ServiceRenamed", "app.v1.A TypeRenamed", "app.v1.A.In TypeRenamed"];
    assert_eq!(kinds(diff(&old, &new)), expected);
    // The service brings its types with it.
    let service = |pool: &DescriptorPool| pool.services().next().expect("a service");
    let expected = ["app.v1.S ServiceRenamed", "app.v1.A.In TypeRenamed", "app.v1.A TypeRenamed"];
    assert_eq!(kinds(diff(&service(&pools[0]), &service(&pools[1]))), expected);
    assert!(diff(&old, &old).is_empty());
}

/// Tables can list neither, so that a listing matches a schema that has them.
#[test]
fn reservations_do_not_count_beside_a_table() {
    static M: MessageTable = MessageTable::new("M", &[FieldTable::new("a", 1, Kind::Int32)]);
    static E: EnumTable = EnumTable::new("E", &[("A", 0)]).closed();
    let source = "syntax = \"proto2\"; message M { optional int32 a = 1; extensions 4 to 9; reserved 2; reserved \"b\"; }
        enum E { A = 0; reserved 1; }";
    let pool = pool(source);
    let of_message = diff(&M, &pool.message("M").expect("a message"));
    assert!(of_message.iter().all(|it| it.kind() == DifferenceKind::PresenceChanged), "{of_message:?}");
    assert!(diff(&E, &pool.enumeration("E").expect("an enum")).is_empty());
}

/// Options of each sort of definition, by value; those that have a kind of their own are listed once.
#[test]
fn options_are_compared_by_value() {
    let source = |file: &str,
                  message: &str,
                  field: &str,
                  oneof: &str,
                  one: &str,
                  value: &str,
                  method: &str| {
        format!(
            "syntax = \"proto2\"; package p; import \"google/protobuf/descriptor.proto\";
             option java_package = \"{file}\";
             message Note {{ optional string text = 1; repeated int32 n = 2; }}
             extend google.protobuf.FieldOptions {{ optional Note note = 50000; repeated string tags = 50001; }}
             message M {{
               option deprecated = {message};
               repeated int32 a = 1 [{field}];
               oneof o {{ option (of_oneof) = {oneof}; int32 b = 2; }}
             }}
             extend google.protobuf.OneofOptions {{ optional int32 of_oneof = 50000; }}
             enum E {{ {one} A = 0 [deprecated = {value}]; }}
             service S {{ option deprecated = {value}; rpc Get(M) returns (M) {{ option idempotency_level = {method}; }} }}"
        )
    };
    let old =
        source("a", "true", "(note) = { text: 'x' n: [1, 2] }, (tags) = 'u'", "1", "", "true", "IDEMPOTENT");
    let new = source(
        "b",
        "false",
        "(note) = { n: [1, 2] text: 'y' }, (tags) = 'u', packed = true, ctype = CORD",
        "2",
        "option deprecated = true;",
        "false",
        "NO_SIDE_EFFECTS",
    );
    let mut found = printed(&old, &new);
    found.sort();
    let option = |path: &str, old: &str, new: &str| {
        format!("{path}: the option changes from {old} to {new} (compatible)")
    };
    let mut expected = vec![
        option("a.proto", "java_package:\"a\"", "java_package:\"b\""),
        option("p.A", "deprecated:true", "deprecated:false"),
        option("p.E", "none", "deprecated:true"),
        option("p.M", "deprecated:true", "deprecated:false"),
        option("p.M.a", "[p.note]{text:\"x\",n:[1,2]}", "[p.note]{text:\"y\",n:[1,2]}"),
        option("p.M.a", "none", "ctype:CORD"),
        "p.M.a: the encoding of the list changes from expanded to packed (compatible)".to_owned(),
        option("p.M.o", "[p.of_oneof]:1", "[p.of_oneof]:2"),
        option("p.S", "deprecated:true", "deprecated:false"),
        option("p.S.Get", "idempotency_level:IDEMPOTENT", "idempotency_level:NO_SIDE_EFFECTS"),
    ];
    expected.sort();
    assert_eq!(found, expected);
    assert!(printed(&old, &old).is_empty());
}
