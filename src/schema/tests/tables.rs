//! Pools from const tables.

use super::*;
use crate::schema::Edition;
use crate::table::{Cardinality, DefaultValue, EnumTable, FieldTable, Kind, MessageTable, Syntax};
use alloc::{string::String, string::ToString};

static COLOR: EnumTable = EnumTable::new("shop.v1.Color", &[("RED", 0), ("GREEN", 1), ("LIME", 1)]);
static ITEM: MessageTable = MessageTable::new(
    "shop.v1.Order.Item",
    &[
        FieldTable::new("sku", 1, Kind::String),
        FieldTable::new("color", 2, Kind::Enum(|| &COLOR)),
        FieldTable::new("parent", 3, Kind::Message(|| &ORDER)),
        FieldTable::new("note", 4, Kind::String).optional(),
        FieldTable::new("card", 5, Kind::Int64).oneof("payment"),
        FieldTable::new("cash", 6, Kind::Message(|| &CASH)).oneof("payment"),
    ],
);
static ORDER: MessageTable = MessageTable::new(
    "shop.v1.Order",
    &[
        FieldTable::new("items", 1, Kind::Message(|| &ITEM)).repeated(),
        FieldTable::map("by_name", 2, Kind::String, Kind::Message(|| &ITEM)),
        FieldTable::new("counts", 3, Kind::Int32).repeated(),
        FieldTable::new("loose", 4, Kind::Int32).repeated().packed(false),
        FieldTable::new("other", 5, Kind::Bytes).json_name("else"),
    ],
);
static CASH: MessageTable = MessageTable::new("money.Cash", &[FieldTable::new("cents", 1, Kind::Sint64)]);

fn pool(roots: &[&'static MessageTable]) -> DescriptorPool {
    DescriptorPool::from_tables(roots).unwrap()
}

#[test]
fn packages_become_files_and_names_nest() {
    let pool = pool(&[&ITEM]);
    let files: Vec<_> = pool.files().map(|f| f.name().to_string()).collect();
    assert_eq!(files, ["money.proto", "shop/v1.proto"]);
    let order = pool.get_message_by_name("shop.v1.Order").unwrap();
    assert_eq!(order.parent_file().edition(), Edition::Proto3);
    assert_eq!(order.parent_file().package_name(), "shop.v1");
    assert_eq!(order.parent_file().dependencies().next().unwrap().name(), "money.proto");
    let item = pool.get_message_by_name("shop.v1.Order.Item").unwrap();
    assert_eq!(item.parent_message(), Some(order.clone()));
    assert!(!item.get_field(1).unwrap().supports_presence());
    assert!(item.get_field(4).unwrap().containing_oneof().unwrap().is_synthetic());
    let payment = item.get_field(5).unwrap().containing_oneof().unwrap();
    assert_eq!((payment.name(), payment.is_synthetic(), payment.fields().len()), ("payment", false, 2));
    let by_name = order.get_field(2).unwrap();
    let Kind::Message(entry) = by_name.kind() else { panic!() };
    assert_eq!((by_name.is_map(), entry.full_name()), (true, "shop.v1.Order.ByNameEntry"));
    assert!(order.get_field(3).unwrap().is_packed() && !order.get_field(4).unwrap().is_packed());
    assert_eq!(order.get_field(5).unwrap().json_name(), "else");
    assert!(pool.get_enum_by_name("shop.v1.Color").unwrap().allows_alias());
}

#[test]
fn a_pool_of_tables_has_bytes_like_any_other() {
    let pool = pool(&[&ORDER]);
    let files = pool.files().map(|f| Proto(f.file_descriptor_proto_bytes().to_vec()));
    let again = load(files).unwrap();
    for (a, b) in pool.all_messages().zip(again.all_messages()) {
        assert_eq!(a.full_name(), b.full_name());
        assert_eq!(alloc::format!("{:?}", a.data()), alloc::format!("{:?}", b.data()));
    }
    let more = pool.add_file_descriptor_set(&set([file("x").sub(4, message("X", []))])).unwrap();
    assert!(more.get_message_by_name("p.X").is_some() && more.get_message_by_name("money.Cash").is_some());
}

static MIXED_GROUP: MessageTable =
    MessageTable::new("mixed.Old.Part", &[FieldTable::new("n", 1, Kind::Int32)]).syntax(Syntax::Proto2);
static MIXED_CLOSED: EnumTable = EnumTable::new("mixed.Closed", &[("ONE", 1), ("TWO", 2)]).closed();
static MIXED_OLD: MessageTable = MessageTable::new(
    "mixed.Old",
    &[
        FieldTable::new("must", 1, Kind::Int32).required(),
        FieldTable::new("part", 2, Kind::Message(|| &MIXED_GROUP)).delimited(),
        FieldTable::new("closed", 3, Kind::Enum(|| &MIXED_CLOSED)).default_value(DefaultValue::Enum("TWO")),
        FieldTable::new("ints", 4, Kind::Int32).repeated(),
        FieldTable::new("text", 5, Kind::String),
        FieldTable::map("texts", 6, Kind::Int32, Kind::String),
        FieldTable::new("ratio", 7, Kind::Float).default_value(DefaultValue::Float(0.1)),
        FieldTable::new("raw", 8, Kind::Bytes).default_value(DefaultValue::Bytes(b"\x00\"\xff")),
    ],
)
.syntax(Syntax::Proto2)
.extensions(&[(100, 199)]);
static MIXED_NEW: MessageTable = MessageTable::new(
    "mixed.New",
    &[
        FieldTable::new("old", 1, Kind::Message(|| &MIXED_OLD)),
        FieldTable::new("n", 2, Kind::Int32),
        FieldTable::new("ints", 3, Kind::Int32).repeated(),
        FieldTable::new("text", 4, Kind::String),
    ],
);

fn facts(pool: &DescriptorPool, name: &str) -> Vec<String> {
    let message = pool.get_message_by_name(name).unwrap();
    let fact = |f: crate::schema::FieldDescriptor| {
        alloc::format!(
            "{} {:?} packed {} group {} presence {} utf8 {} {:?}",
            f.name(),
            f.cardinality(),
            f.is_packed(),
            f.is_group(),
            f.supports_presence(),
            f.validates_utf8(),
            f.explicit_default()
        )
    };
    message.fields().map(fact).collect()
}

#[test]
fn mixed_syntaxes_become_an_edition_that_says_the_same() {
    let (mixed, old) = (pool(&[&MIXED_NEW]), pool(&[&MIXED_OLD]));
    let edition = |pool: &DescriptorPool| pool.files().next().unwrap().edition();
    assert_eq!((edition(&mixed), edition(&old)), (Edition::Edition2023, Edition::Proto2));
    assert_eq!(facts(&mixed, "mixed.Old"), facts(&old, "mixed.Old"));
    let old = mixed.get_message_by_name("mixed.Old").unwrap();
    assert_eq!(old.get_field(1).unwrap().cardinality(), Cardinality::Required);
    assert!(old.get_field(2).unwrap().is_group() && !old.get_field(4).unwrap().is_packed());
    assert!(old.extension_ranges().eq(core::iter::once(100..200)));
    let new = mixed.get_message_by_name("mixed.New").unwrap();
    assert!(!new.get_field(2).unwrap().supports_presence() && new.get_field(3).unwrap().is_packed());
    assert!(new.get_field(4).unwrap().validates_utf8());
    assert!(mixed.get_enum_by_name("mixed.Closed").unwrap().is_closed());
}

#[test]
fn the_same_table_may_come_often() {
    assert_eq!(pool(&[&ORDER, &ITEM, &ORDER, &CASH]).files().len(), 2);
    assert_eq!(pool(&[]).files().len(), 0);
}

static NO_PACKAGE: MessageTable = MessageTable::new("Alone", &[FieldTable::new("b", 1, Kind::Bool)]);

#[test]
fn no_package() {
    let pool = pool(&[&NO_PACKAGE]);
    assert_eq!(pool.get_message_by_name("Alone").unwrap().parent_file().package_name(), "");
}

#[track_caller]
fn refused(table: &'static MessageTable, kind: DescriptorErrorKind, name: &str) {
    let error = DescriptorPool::from_tables(&[table]).unwrap_err();
    assert_eq!((error.kind(), error.name()), (kind, name), "{error}");
}

macro_rules! table {
    ($name:literal, $($field:expr),*) => {{
        static TABLE: MessageTable = MessageTable::new($name, &[$($field),*]);
        &TABLE
    }};
}

#[test]
fn bad_tables_are_refused() {
    use DescriptorErrorKind::*;
    refused(table!("t.M", FieldTable::new("a", 0, Kind::Int32)), InvalidNumber, "t.M.a");
    refused(table!("t.M", FieldTable::new("a", u32::MAX, Kind::Int32)), InvalidNumber, "t.M.a");
    refused(
        table!("t.M", FieldTable::new("a", 1, Kind::Int32), FieldTable::new("b", 1, Kind::Int32)),
        DuplicateNumber,
        "t.M.b",
    );
    refused(table!("t.M", FieldTable::new("a-b", 1, Kind::Int32)), InvalidName, "t.M");
    refused(table!("t..M", FieldTable::new("a", 1, Kind::Int32)), InvalidName, "t.");
    refused(table!("t.M", FieldTable::map("a", 1, Kind::Double, Kind::Int32)), InvalidMapEntry, "t.M.AEntry");
    refused(
        table!("t.M", FieldTable::new("a", 1, Kind::Int32).default_value(DefaultValue::String("1"))),
        InvalidDefault,
        "t.M.a",
    );
    refused(table!("t.M", FieldTable::new("a", 1, Kind::Int32).delimited()), InvalidField, "t.M.a");
    refused(table!("t.M", FieldTable::new("a", 1, Kind::Int32).repeated().optional()), InvalidField, "t.M.a");
    let other = table!("money.Cash", FieldTable::new("dollars", 1, Kind::Sint64));
    let error = DescriptorPool::from_tables(&[&CASH, other]).unwrap_err();
    assert_eq!((error.kind(), error.name()), (DuplicateName, "money.Cash"));
}

static LEFT: MessageTable = MessageTable::new("left.L", &[FieldTable::new("r", 1, Kind::Message(|| &RIGHT))]);
static RIGHT: MessageTable =
    MessageTable::new("right.R", &[FieldTable::new("l", 1, Kind::Message(|| &LEFT))]);

#[test]
fn packages_that_need_each_other_have_no_files() {
    let error = DescriptorPool::from_tables(&[&LEFT]).unwrap_err();
    assert_eq!(error.kind(), DescriptorErrorKind::ImportCycle);
}
