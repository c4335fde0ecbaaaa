use super::*;
use arrow_schema::{DataType, Field, TimeUnit};
use tablepb::DescriptorPool;
use tablepb::table::{EnumTable, FieldTable, Kind, MessageTable, Syntax};

static COLOR: EnumTable = EnumTable::new("e.Color", &[("NONE", 0), ("RED", 1)]);
static TREE: MessageTable = MessageTable::new(
    "e.Tree",
    &[
        FieldTable::new("name", 1, Kind::String),
        FieldTable::new("left", 2, Kind::Message(|| &TREE)),
        FieldTable::new("more", 3, Kind::Message(|| &TREE)).repeated(),
    ],
);
static TIMESTAMP: MessageTable = MessageTable::new(
    "google.protobuf.Timestamp",
    &[FieldTable::new("seconds", 1, Kind::Int64), FieldTable::new("nanos", 2, Kind::Int32)],
);
static WRAPPED: MessageTable =
    MessageTable::new("google.protobuf.Int64Value", &[FieldTable::new("value", 1, Kind::Int64)]);
static ALL: MessageTable = MessageTable::new(
    "e.All",
    &[
        FieldTable::new("b", 20, Kind::Bool),
        FieldTable::new("i", 2, Kind::Sint32).optional(),
        FieldTable::new("l", 3, Kind::Fixed64).repeated(),
        FieldTable::map("m", 4, Kind::String, Kind::Message(|| &WRAPPED)),
        FieldTable::new("c", 5, Kind::Enum(|| &COLOR)),
        FieldTable::new("x", 6, Kind::String).oneof("which"),
        FieldTable::new("t", 7, Kind::Message(|| &TIMESTAMP)).oneof("which"),
        FieldTable::new("data", 8, Kind::Bytes),
    ],
);
static OLD: MessageTable = MessageTable::new(
    "e.Old",
    &[FieldTable::new("s", 1, Kind::String).required(), FieldTable::new("_unknown", 2, Kind::Int32)],
)
.syntax(Syntax::Proto2);

fn columns(
    table: &'static MessageTable,
    options: &Options,
    paths: &[&str],
) -> Result<SchemaRef, MappingError> {
    let pool = DescriptorPool::from_tables(&[table]).unwrap();
    schema(&pool.message(table.full_name()).unwrap(), options, paths)
}

fn field<'s>(schema: &'s SchemaRef, name: &str) -> &'s Field {
    schema.field_with_name(name).unwrap()
}

#[test]
fn columns_follow_the_file_with_types_presence_and_metadata() {
    let all = columns(&ALL, &Options::new(), &[]).unwrap();
    let names: Vec<_> = all.fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(names, ["b", "i", "l", "m", "c", "x", "t", "data"]);
    let nullable: Vec<_> = all.fields().iter().map(|field| field.is_nullable()).collect();
    assert_eq!(nullable, [false, true, false, false, false, true, true, false]);
    assert_eq!(field(&all, "b").data_type(), &DataType::Boolean);
    assert_eq!(field(&all, "b").metadata()[NUMBER], "20");
    assert_eq!(field(&all, "l").data_type().to_string(), "List(non-null UInt64)");
    assert_eq!(field(&all, "c").data_type(), &DataType::Int32);
    assert_eq!(field(&all, "t").metadata()[TYPE], "google.protobuf.Timestamp");
    assert!(matches!(field(&all, "t").data_type(), DataType::Struct(fields) if fields.len() == 2));
    assert_eq!(field(&all, "data").data_type(), &DataType::BinaryView);
    assert_eq!(all.metadata()[TYPE], "e.All");
    let DataType::Map(entries, false) = field(&all, "m").data_type() else { panic!("no map") };
    let DataType::Struct(entry) = entries.data_type() else { panic!("no struct") };
    assert!(!entries.is_nullable() && entry.iter().all(|field| !field.is_nullable()));
    assert_eq!((entries.name().as_str(), entry[0].name().as_str()), ("entries", "key"));
}

#[test]
fn options_change_types() {
    let options = Options::new().views(false).well_known(true).time_unit(TimeUnit::Microsecond);
    let all = columns(&ALL, &options.enums(Enums::Dictionary).oneofs(Oneofs::Union), &[]).unwrap();
    assert_eq!(field(&all, "c").data_type().to_string(), "Dictionary(Int32, Utf8)");
    assert_eq!(field(&all, "data").data_type(), &DataType::Binary);
    let DataType::Union(which, arrow_schema::UnionMode::Dense) = field(&all, "which").data_type() else {
        panic!("no union")
    };
    let ids: Vec<_> = which.iter().map(|(id, field)| (id, field.name().as_str())).collect();
    assert_eq!(ids, [(0, "none"), (6, "x"), (7, "t")]);
    let time = which.iter().find(|(id, _)| *id == 7).unwrap().1;
    assert_eq!(time.data_type(), &DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())));
    let DataType::Map(entries, _) = field(&all, "m").data_type() else { panic!("no map") };
    let DataType::Struct(entry) = entries.data_type() else { panic!("no struct") };
    assert_eq!(entry[1].data_type(), &DataType::Int64);
    assert_eq!(entry[1].metadata()[TYPE], "google.protobuf.Int64Value");
    let names = columns(&ALL, &Options::new().enums(Enums::Name), &["c"]).unwrap();
    assert_eq!(field(&names, "c").data_type(), &DataType::Utf8View);
}

#[test]
fn presets_are_choices_by_one_name() {
    let types = |options: Options| {
        let all = columns(&ALL, &options, &[]).unwrap();
        all.fields().iter().map(|field| field.data_type().to_string()).collect::<Vec<_>>().join("; ")
    };
    let portable = types(Options::portable());
    assert!(!portable.contains("View") && !portable.contains("Union"), "{portable}");
    assert!(portable.contains("; Utf8; ") && portable.contains("Timestamp(µs, \"UTC\")"), "{portable}");
    let arrow = types(Options::arrow());
    assert!(arrow.contains("View") && arrow.contains("Union") && arrow.contains("Dictionary"), "{arrow}");
    assert!(arrow.contains("Timestamp(ns, \"UTC\")"), "{arrow}");
    let tree = columns(&TREE, &Options::portable(), &[]).unwrap();
    assert_eq!(field(&tree, "left").data_type(), &DataType::Utf8);
}

#[test]
fn recursion_is_cut_off() {
    for times in 0..3 {
        let tree = columns(&TREE, &Options::new().recursion(times), &[]).unwrap();
        let mut at = field(&tree, "left").clone();
        for _ in 0..times {
            let DataType::Struct(fields) = at.data_type().clone() else { panic!("cut off too early") };
            at = (*fields[1]).clone();
        }
        assert_eq!((at.data_type(), at.is_nullable()), (&DataType::BinaryView, true));
        assert_eq!(at.metadata()[TYPE], "e.Tree");
    }
    let error = columns(&TREE, &Options::new().recursion(20), &[]).unwrap_err();
    assert!(matches!(error.kind(), MappingErrorKind::TooManyColumns));
    let chain = columns(&TREE, &Options::new().recursion(200), &["left.name"]);
    assert_eq!(
        field(&chain.unwrap(), "left").data_type().to_string(),
        "Struct(\"name\": non-null Utf8View, metadata: {\"tablepb.number\": \"1\"})"
    );
}

#[test]
fn paths_name_fields_deeper_than_recursion_allows() {
    for recursive in [Recursive::Bytes, Recursive::Error] {
        let options = Options::new().recursive(recursive);
        let tree = columns(&TREE, &options, &["left.name", "left.left.name", "more.left.name"]).unwrap();
        let DataType::Struct(left) = field(&tree, "left").data_type() else { panic!("cut off") };
        let DataType::Struct(left) = left[1].data_type() else { panic!("cut off") };
        let names: Vec<_> = left.iter().map(|field| field.name().as_str()).collect();
        assert_eq!(names, ["name"]);
        let DataType::List(more) = field(&tree, "more").data_type() else { panic!("no list") };
        assert!(matches!(more.data_type(), DataType::Struct(fields) if fields.len() == 1));
    }
    // A path that ends at such a message names no field in it.
    for path in ["left.left", "left.left.*"] {
        let tree = columns(&TREE, &Options::new(), &[path]).unwrap();
        let DataType::Struct(left) = field(&tree, "left").data_type() else { panic!("cut off") };
        assert_eq!((left.len(), left[0].data_type()), (1, &DataType::BinaryView));
        let error = columns(&TREE, &Options::new().recursive(Recursive::Error), &[path]).unwrap_err();
        assert_eq!(error.to_string(), "the message type is in itself: left.left");
    }
    let path = vec!["left"; MAX_NESTING].join(".");
    let error = columns(&TREE, &Options::new(), &[&format!("{path}.name")]).unwrap_err();
    assert!(matches!(error.kind(), MappingErrorKind::TooDeep));
}

#[test]
fn paths_select() {
    let some = columns(&ALL, &Options::new(), &["t.nanos", "b", "m.value.value"]).unwrap();
    let names: Vec<_> = some.fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(names, ["b", "m", "t"]);
    assert!(matches!(field(&some, "t").data_type(), DataType::Struct(fields) if fields.len() == 1));
    assert_eq!(columns(&ALL, &Options::new(), &["*"]).unwrap(), columns(&ALL, &Options::new(), &[]).unwrap());
    let error = columns(&ALL, &Options::new(), &["t.nano"]).unwrap_err();
    assert_eq!(error.to_string(), "no such field: t.nano");
    let error = columns(&ALL, &Options::new(), &["b.x"]).unwrap_err();
    assert!(matches!(error.kind(), MappingErrorKind::NotAMessage) && error.place().starts_with('b'));
    assert_eq!(columns(&ALL, &Options::new(), &["m.key"]).unwrap_err().to_string(), "no such field: m.key");
}

#[test]
fn a_name_stands_once() {
    let error = columns(&OLD, &Options::new().unknown_fields(true), &[]).unwrap_err();
    assert_eq!(error.to_string(), "two columns of this name: _unknown");
    let old = columns(&OLD, &Options::new(), &[]).unwrap();
    assert_eq!(field(&old, "s").data_type(), &DataType::BinaryView);
    assert!(!field(&old, "s").is_nullable());
}
