//! The definition of the records of a plan: as source and as a hash.

use super::*;
use crate::message::record::definition::canonical;

#[test]
fn the_source_has_enabled_fields_only() {
    let plan = flow().enable_only(["uint32", "one_string", "inners.ids", "colors"]).unwrap();
    assert_eq!(
        plan.to_proto(),
        "syntax = \"proto3\";\n\npackage pkg;\n\nenum Color {\n  RED = 0;\n  GREEN = 1;\n}\n\n\
               message Flow {\n  uint32 uint32 = 5;\n  oneof one {\n    string one_string = 19;\n  }\n  \
               repeated Inner inners = 26;\n  map<bool, Color> colors = 29;\n}\n\n\
               message Inner {\n  repeated uint32 ids = 3;\n}\n"
    );
    let none = flow().enable_only::<[&str; 0]>([]).unwrap();
    assert_eq!(none.to_proto(), "syntax = \"proto3\";\n\npackage pkg;\n\nmessage Flow {}\n");
    let all = flow();
    assert_eq!(all.to_proto(), all.descriptor().to_proto());
    let old = RecordPlan::new(&message(&OLD)).disable("body").unwrap().disable("bodies").unwrap();
    assert!(!old.to_proto().contains("group Body"));
}

#[test]
fn a_group_of_nested_fields_enables_the_messages_that_lead_to_them() {
    let plan = flow().group("ids", ["inners.ids", "inner.name"]).unwrap();
    let named = flow().enable_only(["inners.ids", "inner.name"]).unwrap();
    let only = plan.clone().enable_only(["ids"]).unwrap();
    assert_eq!(only.to_proto(), named.to_proto());
    assert!(only.is_enabled("inners") && only.is_enabled("ids") && !only.is_enabled("uint32"));
    let without = plan.disable("ids").unwrap();
    assert!(without.is_enabled("inners") && !without.is_enabled("inners.ids"));
}

#[test]
fn the_canonical_form_is_as_documented() {
    let plan =
        flow().enable_only(["uint32", "maybe", "one_string", "packed", "loose", "inner.name", "colors"]);
    assert_eq!(
        canonical(&plan.unwrap()),
        "message pkg.Flow\n\
         5 implicit uint32 uint32\n\
         17 explicit uint32 maybe\n\
         19 explicit string one_string oneof one\n\
         21 packed sint32 packed\n\
         22 repeated uint32 loose\n\
         25 explicit message pkg.Inner inner\n\
         29 repeated map bool enum pkg.Color colors\n\
         enum pkg.Color\n0 RED\n1 GREEN\n\
         message pkg.Inner\n2 implicit string name\n"
    );
    let old = RecordPlan::new(&message(&OLD));
    assert_eq!(
        canonical(&old),
        "message pkg.old.Old\n\
         1 required int32 id\n\
         2 explicit int32 zero\n\
         3 explicit group pkg.old.Old.Body body\n\
         5 explicit enum pkg.old.Shade shade\n\
         6 packed enum pkg.old.Shade shades\n\
         7 repeated map string enum pkg.old.Shade by_name\n\
         400 repeated group pkg.old.Old.Body bodies\n\
         message pkg.old.Old.Body\n1 required string key\n2 explicit int32 value\n\
         closed enum pkg.old.Shade\n-2 LIGHT\n0 NONE\n1 DARK\n"
    );
}

#[test]
fn defaults_are_part_of_the_definition() {
    use crate::schema::table::DefaultValue::*;
    static DEFAULTS: MessageTable = MessageTable::new(
        "pkg.D",
        &[
            FieldTable::new("b", 1, Kind::Bool).default_value(Bool(true)),
            FieldTable::new("i", 2, Kind::Int32).default_value(Int(-5)),
            FieldTable::new("u", 3, Kind::Uint64).default_value(Uint(u64::MAX)),
            FieldTable::new("f", 4, Kind::Double).default_value(Float(-1.5)),
            FieldTable::new("s", 5, Kind::String).default_value(String("a b")),
            FieldTable::new("y", 6, Kind::Bytes).default_value(Bytes(b"\xff")),
            FieldTable::new("e", 7, Kind::Enum(|| &SHADE)).default_value(Enum("LIGHT")),
        ],
    )
    .syntax(Syntax::Proto2);
    let text = canonical(&RecordPlan::new(&message(&DEFAULTS)));
    let values: Vec<_> =
        text.lines().filter_map(|line| line.split_once(" default ")).map(|(_, v)| v).collect();
    assert_eq!(values, ["1", "-5", "18446744073709551615", "bff8000000000000", "612062", "ff", "LIGHT"]);
}

/// These hashes must never change: streams are named by them.
#[test]
fn the_hash_is_stable() {
    let plan = flow();
    assert_eq!(plan.schema_hash(), 12_571_193_943_871_477_499);
    let few = plan.clone().enable_only(["uint32", "inner.name"]).unwrap();
    assert_eq!(few.schema_hash(), 1_503_914_922_199_391_882);
    assert_eq!(plan.clone().disable("far").unwrap().enable("far").unwrap().schema_hash(), plan.schema_hash());
    let again = RecordPlan::new(&message(&FLOW)).enable_only(["inner.name", "uint32"]).unwrap();
    assert_eq!(again.schema_hash(), few.schema_hash());
    let mut hashes: Vec<u64> = plan
        .descriptor()
        .fields()
        .map(|field| plan.clone().disable(field.name()).unwrap().schema_hash())
        .collect();
    hashes.push(plan.schema_hash());
    let count = hashes.len();
    hashes.sort();
    hashes.dedup();
    assert_eq!(hashes.len(), count, "every field matters");
    // The order of declaration does not change the hash.
    static BACKWARDS: MessageTable = MessageTable::new(
        "pkg.Inner",
        &[
            FieldTable::new("deep", 4, Kind::Message(|| &BACKWARDS)),
            FieldTable::new("ids", 3, Kind::Uint32).repeated(),
            FieldTable::new("name", 2, Kind::String),
            FieldTable::new("id", 1, Kind::Uint64),
        ],
    );
    let (first, second) = (RecordPlan::new(&message(&INNER)), RecordPlan::new(&message(&BACKWARDS)));
    assert_eq!(first.schema_hash(), second.schema_hash());
}
