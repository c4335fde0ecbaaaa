//! Differences of schemas: every kind in both directions, and what the verdicts promise for random payloads.

mod kept;

use crate::common::choices::Choices;
use crate::common::payload::{Style, TAME, payload};
use crate::common::schema::{Card, Field, Kind, Schema};
use crate::common::schema_gen::{Limits, schema};
use crate::common::{rounds, schema::Syntax};
use tablepb::table::{EnumTable, FieldTable, MessageTable};
use tablepb::{DescriptorPool, DynamicMessage};
use tablepb_schema::{Compatibility, DifferenceKind, SourceBuilder, assert_matches, diff};

fn pool(source: &str) -> DescriptorPool {
    let source =
        if source.contains("syntax") { source.into() } else { format!("syntax = \"proto3\"; {source}") };
    SourceBuilder::new().source("a.proto", source).build().unwrap_or_else(|error| panic!("{error}"))
}

/// A difference as `path Kind wire/json`, with `ok`, `if` and `no`.
fn lines(old: &str, new: &str) -> Vec<String> {
    let word = |verdict| match verdict {
        Compatibility::Compatible => "ok",
        Compatibility::Conditional => "if",
        Compatibility::Breaking => "no",
    };
    let differences = diff(&pool(old), &pool(new));
    let line = differences.iter().map(|d| {
        assert_eq!(d.is_breaking(), d.wire() == Compatibility::Breaking);
        assert_eq!(d.to_string().lines().count(), 1, "{d}");
        assert!(d.to_string().starts_with(&format!("{}: ", d.path())), "{d}");
        format!("{} {:?} {}/{}", d.path(), d.kind(), word(d.wire()), word(d.json()))
    });
    line.collect()
}

/// Two schemas, the differences from the first to the second, and those from the second to the first.
type Case = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);

const FIELDS: &[Case] = &[
    ("message M {}", "message M {}", &[], &[]),
    // New and removed.
    ("message M {}", "message M { int32 a = 1; }", &["M.a FieldAdded ok/ok"], &["M.a FieldRemoved if/if"]),
    (
        "message M { reserved 1 to 3; reserved \"a\"; }",
        "message M { int32 a = 1; }",
        &["M ReservedRemoved if/ok", "M ReservedRemoved ok/if", "M.a FieldAdded if/ok"],
        &["M ReservedAdded ok/ok", "M ReservedAdded ok/ok", "M.a FieldRemoved ok/ok"],
    ),
    (
        "message M { int32 a = 1; }",
        "message M { reserved 1; }",
        &["M ReservedAdded ok/ok", "M.a FieldRemoved ok/if"],
        &["M ReservedRemoved if/ok", "M.a FieldAdded if/ok"],
    ),
    (
        "message M { int32 a = 2; }",
        "message M { reserved 7, 1 to 3; reserved \"a\"; }",
        &["M ReservedAdded ok/ok", "M ReservedAdded ok/ok", "M.a FieldRemoved ok/ok"],
        &["M ReservedRemoved if/ok", "M ReservedRemoved ok/if", "M.a FieldAdded if/ok"],
    ),
    (
        "syntax = \"proto2\"; message M {}",
        "syntax = \"proto2\"; message M { required int32 a = 1; }",
        &["M.a FieldAdded no/no"],
        &["M.a FieldRemoved no/no"],
    ),
    (
        "message M { int32 a = 1; }",
        "message M { int32 a = 2; }",
        &["M.a NumberChanged no/ok"],
        &["M.a NumberChanged no/ok"],
    ),
    // A number that another field has now.
    (
        "message M { int32 a = 1; }",
        "message M { string b = 1; }",
        &["M.a FieldRenamed ok/no", "M.a TypeChanged no/no"],
        &["M.b FieldRenamed ok/no", "M.b TypeChanged no/no"],
    ),
    (
        "message M { int32 a = 1; int32 b = 2; }",
        "message M { int32 b = 1; int32 a = 2; }",
        &["M.a FieldRenamed ok/no", "M.b FieldRenamed ok/no"],
        &["M.b FieldRenamed ok/no", "M.a FieldRenamed ok/no"],
    ),
    // Names.
    (
        "message M { int32 a = 1; }",
        "message M { int32 b = 1; }",
        &["M.a FieldRenamed ok/no"],
        &["M.b FieldRenamed ok/no"],
    ),
    (
        "message M { int32 a = 1; }",
        "message M { int32 b = 1 [json_name = \"a\"]; }",
        &["M.a FieldRenamed ok/ok"],
        &["M.b FieldRenamed ok/ok"],
    ),
    (
        "message M { int32 a = 1; }",
        "message M { int32 a = 1 [json_name = \"b\"]; }",
        &["M.a JsonNameChanged ok/no"],
        &["M.a JsonNameChanged ok/no"],
    ),
    // Cardinality.
    (
        "message M { int32 a = 1; }",
        "message M { repeated int32 a = 1; }",
        &["M.a CardinalityChanged no/no"],
        &["M.a CardinalityChanged no/no"],
    ),
    (
        "message M { int32 a = 1; }",
        "message M { repeated int32 a = 1 [packed = false]; }",
        &["M.a CardinalityChanged if/no"],
        &["M.a CardinalityChanged if/no"],
    ),
    (
        "message M { string a = 1; }",
        "message M { repeated string a = 1; }",
        &["M.a CardinalityChanged if/no"],
        &["M.a CardinalityChanged if/no"],
    ),
    (
        "message M { M a = 1; }",
        "message M { repeated M a = 1; }",
        &["M.a CardinalityChanged if/no"],
        &["M.a CardinalityChanged if/no"],
    ),
    (
        "message M { repeated int32 a = 1; }",
        "message M { repeated int32 a = 1 [packed = false]; }",
        &["M.a PackedChanged ok/ok"],
        &["M.a PackedChanged ok/ok"],
    ),
    (
        "message M { int32 a = 1; }",
        "message M { optional int32 a = 1; }",
        &["M.a PresenceChanged ok/ok"],
        &["M.a PresenceChanged ok/ok"],
    ),
    (
        "syntax = \"proto2\"; message M { optional int32 a = 1; }",
        "syntax = \"proto2\"; message M { required int32 a = 1; }",
        &["M.a RequiredChanged no/no"],
        &["M.a RequiredChanged no/no"],
    ),
    (
        "syntax = \"proto2\"; message M { repeated string a = 1; }",
        "syntax = \"proto2\"; message M { required string a = 1; }",
        &["M.a CardinalityChanged no/no"],
        &["M.a CardinalityChanged no/no"],
    ),
    // Maps.
    (
        "message M { map<int32, string> a = 1; }",
        "message M { message E { int32 key = 1; string value = 2; } repeated E a = 1; }",
        &["M.E MessageAdded ok/ok", "M.a MapChanged if/no"],
        &["M.E MessageRemoved if/if", "M.a MapChanged if/no"],
    ),
    (
        "message M { map<int32, string> a = 1; }",
        "message M { map<int64, bool> a = 1; }",
        &["M.AEntry.key TypeChanged if/if", "M.AEntry.value TypeChanged no/no"],
        &["M.AEntry.key TypeChanged if/if", "M.AEntry.value TypeChanged no/no"],
    ),
    (
        "message M { map<int32, string> a = 1; }",
        "message M { map<int32, string> b = 1; }",
        &["M.a FieldRenamed ok/no"],
        &["M.b FieldRenamed ok/no"],
    ),
    // Groups.
    (
        "syntax = \"proto2\"; message M { optional G g = 1; message G { optional int32 a = 1; } }",
        "syntax = \"proto2\"; message M { optional group G = 1 { optional int32 a = 1; } }",
        &["M.g EncodingChanged no/ok"],
        &["M.g EncodingChanged no/ok"],
    ),
    // Values.
    (
        "syntax = \"proto2\"; message M { optional int32 a = 1; }",
        "syntax = \"proto2\"; message M { optional int32 a = 1 [default = 5]; }",
        &["M.a DefaultChanged if/if"],
        &["M.a DefaultChanged if/if"],
    ),
    (
        "syntax = \"proto2\"; message M { optional float a = 1; optional bytes b = 2; }",
        "syntax = \"proto2\"; message M { optional float a = 1 [default = 0]; optional bytes b = 2 [default = \"\"]; }",
        &[],
        &[],
    ),
    (
        "syntax = \"proto2\"; message M { optional string a = 1; }",
        "message M { optional string a = 1; }",
        &["M.a Utf8Changed if/if"],
        &["M.a Utf8Changed if/if"],
    ),
    // Messages.
    ("message M {}", "message M {} message N {}", &["N MessageAdded ok/ok"], &["N MessageRemoved if/if"]),
    (
        "message M { A a = 1; } message A { int32 x = 1; } message B { int32 x = 1; }",
        "message M { B a = 1; } message A { int32 x = 1; } message B { int64 x = 1; }",
        &["B.x TypeChanged if/if", "A TypeRenamed ok/ok", "A.x TypeChanged if/if"],
        &["B.x TypeChanged if/if", "B TypeRenamed ok/ok", "B.x TypeChanged if/if"],
    ),
    (
        "syntax = \"proto2\"; message M { extensions 4 to 9; }",
        "syntax = \"proto2\"; message M { option message_set_wire_format = true; extensions 4 to 9; }",
        &["M MessageSetChanged no/no"],
        &["M MessageSetChanged no/no"],
    ),
    (
        "syntax = \"proto2\"; package p; message M { optional int32 a = 4; }",
        "syntax = \"proto2\"; package p; message M { extensions 4; } extend M { optional int32 a = 4; }",
        &["p.M ExtensionRangeAdded ok/ok", "p.M.a FieldRenamed ok/no"],
        &["p.M ExtensionRangeRemoved if/if", "p.a FieldRenamed ok/no"],
    ),
];

const ONEOFS: &[Case] = &[
    // Alone, a field may move into a oneof that is new, and out of it.
    (
        "message M { optional int32 a = 1; }",
        "message M { oneof o { int32 a = 1; } }",
        &["M.a OneofChanged ok/ok"],
        &["M.a OneofChanged ok/ok"],
    ),
    (
        "message M { optional int32 a = 1; }",
        "message M { oneof o { int32 a = 1; int32 b = 2; } }",
        &["M.b FieldAdded ok/ok", "M.a OneofChanged ok/ok"],
        &["M.b FieldRemoved if/if", "M.a OneofChanged ok/ok"],
    ),
    (
        "message M { optional int32 a = 1; optional int32 b = 2; }",
        "message M { oneof o { int32 a = 1; int32 b = 2; } }",
        &["M.a OneofChanged no/no", "M.b OneofChanged no/no"],
        &["M.a OneofChanged no/no", "M.b OneofChanged no/no"],
    ),
    (
        "message M { oneof o { int32 a = 1; } optional int32 b = 2; }",
        "message M { oneof o { int32 a = 1; int32 b = 2; } }",
        // The one that moves: the other stays where it is.
        &["M.b OneofChanged no/no"],
        &["M.b OneofChanged no/no"],
    ),
    (
        "message M { oneof o { int32 a = 1; int32 b = 2; } }",
        "message M { oneof p { int32 a = 1; int32 b = 2; } }",
        &["M.a OneofRenamed ok/ok"],
        &["M.a OneofRenamed ok/ok"],
    ),
    (
        "message M { oneof o { int32 a = 1; int32 b = 2; } }",
        "message M { oneof o { int32 a = 1; } oneof p { int32 b = 2; } }",
        &["M.b OneofChanged no/no"],
        &["M.b OneofChanged no/no"],
    ),
];

const ENUMS: &[Case] = &[
    (
        "enum E { A = 0; }",
        "enum E { A = 0; B = 1; }",
        &["E.B EnumValueAdded ok/if"],
        &["E.B EnumValueRemoved if/if"],
    ),
    (
        "enum E { A = 0; B = 1; }",
        "enum E { A = 0; reserved 1 to max; reserved \"B\"; }",
        &["E ReservedAdded ok/ok", "E ReservedAdded ok/ok", "E.B EnumValueRemoved ok/ok"],
        &["E ReservedRemoved if/ok", "E ReservedRemoved ok/if", "E.B EnumValueAdded if/if"],
    ),
    (
        "syntax = \"proto2\"; enum E { A = 0; }",
        "syntax = \"proto2\"; enum E { A = 0; B = 1; }",
        &["E.B EnumValueAdded if/if"],
        &["E.B EnumValueRemoved if/if"],
    ),
    (
        "enum E { A = 0; B = 1; }",
        "enum E { A = 0; B = 2; }",
        &["E.B EnumValueRenumbered no/ok"],
        &["E.B EnumValueRenumbered no/ok"],
    ),
    (
        "enum E { A = 0; B = 1; }",
        "enum E { A = 0; C = 1; }",
        &["E.B EnumValueRenamed ok/no"],
        &["E.C EnumValueRenamed ok/no"],
    ),
    (
        "enum E { A = 0; }",
        "enum E { option allow_alias = true; A = 0; B = 0; }",
        &["E.B EnumValueAdded ok/if"],
        &["E.B EnumValueRenamed ok/no"],
    ),
    (
        "enum E { A = 0; }",
        "syntax = \"proto2\"; enum E { A = 0; }",
        &["E EnumOpennessChanged if/if"],
        &["E EnumOpennessChanged if/if"],
    ),
    (
        "enum E { A = 0; }",
        "enum F { B = 0; }",
        &["E EnumRemoved if/if", "F EnumAdded ok/ok"],
        &["F EnumRemoved if/if", "E EnumAdded ok/ok"],
    ),
    (
        "syntax = \"proto2\"; message M { optional E e = 1; } enum E { A = 0; B = 1; }",
        "syntax = \"proto2\"; message M { optional E e = 1; } enum E { B = 1; A = 0; }",
        &["M.e DefaultChanged if/if"],
        &["M.e DefaultChanged if/if"],
    ),
    (
        "message M { E e = 1; } enum E { A = 0; } enum F { B = 0; }",
        "message M { F e = 1; } enum E { A = 0; } enum F { B = 0; }",
        &["E TypeRenamed ok/ok", "E.A EnumValueRenamed ok/no"],
        &["F TypeRenamed ok/ok", "F.B EnumValueRenamed ok/no"],
    ),
];

#[test]
fn every_kind_in_both_directions() {
    for (old, new, there, back) in FIELDS.iter().chain(ONEOFS).chain(ENUMS) {
        assert_eq!(lines(old, new), *there, "{old}\n{new}");
        assert_eq!(lines(new, old), *back, "back from {new}\n{old}");
    }
}

/// The types that may take each other's place, in groups; the others break the wire format.
#[test]
fn every_change_of_type() {
    const TYPES: [&str; 17] = [
        "int32", "int64", "uint32", "uint64", "bool", "E", "sint32", "sint64", "fixed32", "sfixed32",
        "fixed64", "sfixed64", "string", "bytes", "M", "float", "double",
    ];
    const GROUPS: [&[&str]; 6] = [
        &["int32", "int64", "uint32", "uint64", "bool", "E"],
        &["sint32", "sint64"],
        &["fixed32", "sfixed32"],
        &["fixed64", "sfixed64"],
        &["string", "bytes"],
        &["bytes", "M"],
    ];
    for old in TYPES {
        for new in TYPES {
            let source = |kind: &str| format!("message M {{ {kind} a = 1; }} enum E {{ A = 0; }}");
            let found = lines(&source(old), &source(new));
            let found: Vec<_> = found.iter().filter(|line| !line.contains("PresenceChanged")).collect();
            if old == new {
                assert!(found.is_empty(), "{old} {new} {found:?}");
                continue;
            }
            let fits = GROUPS.iter().any(|group| group.contains(&old) && group.contains(&new));
            let start = if fits { "M.a TypeChanged if/" } else { "M.a TypeChanged no/" };
            assert!(found.len() == 1 && found[0].starts_with(start), "{old} {new} {found:?}");
        }
    }
}

#[test]
fn files_are_compared_by_the_names_after_the_package() {
    let sources = ["v1", "v2"].map(|version| {
        pool(&format!("package p.{version}; message M {{ message N {{ int32 a = 1; }} N n = 1; }}"))
    });
    let [old, new] = sources.each_ref().map(|pool| pool.files().next().unwrap());
    let kinds: Vec<_> = diff(&old, &new).iter().map(|d| (d.path().to_string(), d.kind())).collect();
    assert_eq!(
        kinds,
        [("p.v1.M".into(), DifferenceKind::TypeRenamed), ("p.v1.M.N".into(), DifferenceKind::TypeRenamed)]
    );
}

static ENUM: EnumTable = EnumTable::new("p.E", &[("A", 0), ("B", 1)]);
static TABLE: MessageTable = MessageTable::new(
    "p.M",
    &[
        FieldTable::new("a", 1, tablepb::table::Kind::Int32),
        FieldTable::new("e", 2, tablepb::table::Kind::Enum(|| &ENUM)),
    ],
);
static BROKEN: MessageTable =
    MessageTable::new("p.M", &[FieldTable::new("a b", 1, tablepb::table::Kind::Int32)]);

/// All drifts are in one panic, one a line. A table has no extensions, and they are no drift.
#[test]
fn a_listing_that_has_drifted() {
    let same = "syntax = \"proto3\"; package p; message M { int32 a = 1; E e = 2; } enum E { A = 0; B = 1; }";
    let message = pool(same).message("p.M").unwrap();
    assert_matches(&TABLE, &message);
    assert_matches(&ENUM, &pool(same).enumeration("p.E").unwrap());
    let drifted = "syntax = \"proto2\"; package p; message M { optional int64 a = 1; optional string b = 3; extensions 9; }
        extend M { optional int32 x = 9; }";
    let message = pool(drifted).message("p.M").unwrap();
    let panic = std::panic::catch_unwind(|| assert_matches(&TABLE, &message)).unwrap_err();
    assert_eq!(
        panic.downcast_ref::<String>().unwrap(),
        "the schemas differ:\n  \
         p.M.e: the field is removed: p.E = 2 (depends on the values)\n  \
         p.M.b: the field is new: string = 3 (compatible)\n  \
         p.M.a: presence changes from implicit to explicit (compatible)\n  \
         p.M.a: the type changes from int32 to int64 (depends on the values)"
    );
    let invalid = diff(&BROKEN, &pool(same).message("p.M").unwrap());
    assert_eq!(invalid[0].kind(), DifferenceKind::InvalidTable);
    assert!(invalid[0].is_breaking() && invalid[0].to_string().contains("a b"), "{}", invalid[0]);
}

/// Types that refer to each other in n² pairs are compared in linear time, and the rest is said to be left out.
#[test]
fn comparisons_are_bounded() {
    let cycle = |n: usize| {
        let message = |i: usize| format!("message M{i} {{ M{} next = 1; }}", (i + 1) % n);
        pool(&(0..n).map(message).collect::<String>())
    };
    let (old, new) = (cycle(97), cycle(101));
    let first = |pool: &DescriptorPool| pool.message("M0").unwrap();
    let differences = diff(&first(&old), &first(&new));
    assert!(differences.len() <= 4 * 198 + 1, "{}", differences.len());
    assert_eq!(differences.last().unwrap().kind(), DifferenceKind::NotCompared);
    assert!(diff(&first(&old), &first(&old)).is_empty());
}

/// Changes a schema at a few places, without the ones that make it invalid.
fn mutate(schema: &Schema, choices: &mut Choices) -> Schema {
    let mut new = schema.clone();
    for _ in 0..1 + choices.below(3) {
        let message = choices.below(new.messages.len());
        if new.messages[message].message_set || new.messages[message].entry_of.is_some() {
            continue;
        }
        let file = new.files[new.messages[message].file];
        let fields = new.messages[message].fields.len();
        match choices.below(5) {
            0 => {
                let number = 4000 + choices.below(1000) as u32;
                if new.messages[message].field(number).is_none() {
                    let card = *choices.pick(&[Card::Optional, Card::Repeated]);
                    let field = Field::new(&file, number, Kind::Sint32, card);
                    new.messages[message].fields.push(field);
                }
            }
            _ if fields == 0 => {}
            1 => {
                let at = choices.below(fields);
                let field = new.messages[message].fields[at].clone();
                if field.oneof.is_none() && field.card != Card::Map {
                    new.messages[message].fields.remove(at);
                }
            }
            2 => {
                let at = choices.below(fields);
                let field = &mut new.messages[message].fields[at];
                if field.card == Card::Repeated && field.kind.is_packable() {
                    field.packed = !field.packed;
                }
            }
            3 => {
                let at = choices.below(fields);
                let field = &mut new.messages[message].fields[at];
                let kind =
                    *choices.pick(&[Kind::Int64, Kind::Uint32, Kind::Sfixed32, Kind::String, Kind::Bytes]);
                if field.kind != kind
                    && field.card != Card::Map
                    && field.kind.is_packable() == kind.is_packable()
                    && !field.delimited
                {
                    field.kind = kind;
                }
            }
            _ => {
                let at = choices.below(fields);
                let field = &mut new.messages[message].fields[at];
                if field.card == Card::Optional
                    && field.oneof.is_none()
                    && !field.kind.is_packable()
                    && !field.delimited
                {
                    field.card = Card::Repeated;
                }
            }
        }
    }
    new
}

const LIMITS: Limits = Limits {
    syntaxes: &[Syntax::Proto2, Syntax::Proto3, Syntax::Edition2023],
    message_sets: false,
    wide: false,
};

/// Two schemas decode each other's payloads as the verdicts say. If all differences are compatible (apart from removed
/// fields that are not required, whose number nothing else has here), what goes through the other schema comes back unchanged. If none is
/// breaking and no string may be invalid, it is decoded.
#[test]
fn verdicts_hold_for_random_payloads() {
    let (mut lossless, mut readable) = (0, 0);
    for seed in 0..u64::from(rounds(800)) {
        let choices = &mut Choices::seeded(seed);
        let old = schema(choices, LIMITS);
        let new = mutate(&old, choices);
        let (old_pool, new_pool) = (old.pool(), new.pool());
        let name = old.full_name(0);
        let [there, back] = [&old_pool, &new_pool].map(|pool| pool.message(&name).unwrap());
        let differences = diff(&there, &back);
        assert_eq!(differences.len(), diff(&back, &there).len(), "{differences:#?}");
        let kinds = |wanted: fn(DifferenceKind) -> bool| differences.iter().all(|d| wanted(d.kind()));
        let compatible = differences.iter().all(|d| {
            d.wire() == Compatibility::Compatible
                || (d.kind() == DifferenceKind::FieldRemoved && !d.is_breaking())
        });
        let breaking = differences.iter().any(|d| d.is_breaking());
        let valid_text = kinds(|kind| kind != DifferenceKind::TypeChanged);
        for (schema, from, to) in [(&old, &there, &back), (&new, &back, &there)] {
            let style = Style { unknown: false, raw_strings: false, ..TAME };
            let bytes = payload(schema, 0, choices, style);
            let Ok(message) = DynamicMessage::decode(from, &bytes) else { continue };
            let through = DynamicMessage::decode(to, &bytes);
            if compatible {
                let through =
                    through.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{differences:#?}"));
                let again = DynamicMessage::decode(from, &through.encode_to_vec().unwrap()).unwrap();
                assert_eq!(again, message, "seed {seed}\n{differences:#?}");
                lossless += u32::from(!differences.is_empty());
            } else if !breaking && valid_text {
                assert!(through.is_ok(), "seed {seed}: {through:?}\n{differences:#?}");
                readable += 1;
            }
        }
    }
    assert!(lossless > rounds(800) / 8 && readable > rounds(800) / 40, "{lossless} {readable}");
}
