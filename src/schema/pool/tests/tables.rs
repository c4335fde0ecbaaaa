//! Pools from const tables.

use super::*;
use crate::schema::pool::Edition;
use crate::schema::table::{Cardinality, DefaultValue, EnumTable, FieldTable, Kind, MessageTable, Syntax};
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
    let order = pool.find_message("shop.v1.Order").unwrap();
    assert_eq!(order.parent_file().edition(), Edition::Proto3);
    assert_eq!(order.parent_file().package_name(), "shop.v1");
    assert_eq!(order.parent_file().dependencies().next().unwrap().name(), "money.proto");
    let item = pool.find_message("shop.v1.Order.Item").unwrap();
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
    assert!(pool.find_enum("shop.v1.Color").unwrap().allows_alias());
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
    assert!(more.find_message("p.X").is_some() && more.find_message("money.Cash").is_some());
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
    let message = pool.find_message(name).unwrap();
    let fact = |f: crate::schema::pool::FieldDescriptor| {
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
    let old = mixed.find_message("mixed.Old").unwrap();
    assert_eq!(old.get_field(1).unwrap().cardinality(), Cardinality::Required);
    assert!(old.get_field(2).unwrap().is_group() && !old.get_field(4).unwrap().is_packed());
    assert!(old.extension_ranges().eq(core::iter::once(100..200)));
    let new = mixed.find_message("mixed.New").unwrap();
    assert!(!new.get_field(2).unwrap().supports_presence() && new.get_field(3).unwrap().is_packed());
    assert!(new.get_field(4).unwrap().validates_utf8());
    assert!(mixed.find_enum("mixed.Closed").unwrap().is_closed());
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
    assert_eq!(pool.find_message("Alone").unwrap().parent_file().package_name(), "");
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

fn file_names(pool: &DescriptorPool) -> Vec<String> {
    pool.files().map(|file| file.name().to_string()).collect()
}

/// The pool of the tables, and that of its own descriptor set, which every implementation has to take.
#[track_caller]
fn sound(roots: &[&'static MessageTable]) -> DescriptorPool {
    let pool = pool(roots);
    DescriptorPool::decode(&pool.encode_to_vec().unwrap()).unwrap();
    pool
}

#[test]
fn types_of_two_packages_that_need_each_other_have_one_file() {
    let pool = sound(&[&LEFT]);
    assert_eq!(file_names(&pool), ["no-package.proto"]);
    let right = pool.find_message("right.R").unwrap();
    assert_eq!(right.parent_message().unwrap().full_name(), "right");
    assert_eq!(right.get_field(1).unwrap().kind().as_message().unwrap().full_name(), "left.L");
}

static NODE: MessageTable =
    MessageTable::new("p.Node", &[FieldTable::new("child", 1, Kind::Message(|| &CHILD))]);
static CHILD: MessageTable =
    MessageTable::new("p.Tree.Deep.Child", &[FieldTable::new("node", 1, Kind::Message(|| &NODE))]);
static TREE: MessageTable =
    MessageTable::new("p.Tree", &[FieldTable::new("root", 1, Kind::Message(|| &NODE))]);
static FLAG: EnumTable = EnumTable::new("p.Tree.Other.Flag", &[("OFF", 0)]);
static FLAGGED: MessageTable = MessageTable::new(
    "p.Flagged",
    &[FieldTable::new("flag", 1, Kind::Enum(|| &FLAG)), FieldTable::new("node", 2, Kind::Message(|| &NODE))],
);

#[test]
fn a_message_around_a_type_need_not_be_reached() {
    for roots in [&[&NODE][..], &[&CHILD], &[&FLAGGED], &[&NODE, &FLAGGED]] {
        let pool = sound(roots);
        assert_eq!(file_names(&pool), ["p.proto"]);
        let child = pool.find_message("p.Tree.Deep.Child").unwrap();
        assert_eq!(child.parent_message().unwrap().full_name(), "p.Tree.Deep");
        assert_eq!(pool.find_message("p.Tree").unwrap().fields().len(), 0);
    }
    // Nor one between two messages.
    let pool = sound(&[&TREE]);
    let child = pool.find_message("p.Tree.Deep.Child").unwrap();
    assert_eq!(child.parent_file().package_name(), "p");
    assert_eq!(pool.find_message("p.Tree").unwrap().fields().len(), 1);
}

static A1: MessageTable = MessageTable::new("x.A1", &[]);
static B1: MessageTable = MessageTable::new("y.B1", &[FieldTable::new("a", 1, Kind::Message(|| &A1))]);
static A2: MessageTable = MessageTable::new("x.A2", &[FieldTable::new("b", 1, Kind::Message(|| &B1))]);

#[test]
fn packages_that_import_each_other_have_several_files() {
    let pool = sound(&[&A2]);
    assert_eq!(file_names(&pool), ["x.proto", "x-2.proto", "y-1.proto"]);
    assert_eq!(pool.find_message("x.A2").unwrap().parent_file().package_name(), "x");
    assert_eq!(file_names(&sound(&[&B1])), ["x.proto", "y.proto"]);
}

static CLOSED: EnumTable = EnumTable::new("pa.E", &[("X", 1)]).closed();
static USER: MessageTable = MessageTable::new(
    "pb.M",
    &[
        FieldTable::new("e", 1, Kind::Enum(|| &CLOSED)).optional(),
        FieldTable::new("list", 2, Kind::Enum(|| &CLOSED)).repeated(),
        FieldTable::new("one", 3, Kind::Enum(|| &CLOSED)).oneof("o"),
    ],
);

#[test]
fn a_closed_enum_of_another_package_is_in_an_edition() {
    let pool = sound(&[&USER]);
    let editions: Vec<_> = pool.files().map(|file| file.edition()).collect();
    assert_eq!(editions, [Edition::Proto2, Edition::Edition2023]);
    assert!(pool.find_enum("pa.E").unwrap().is_closed());
}

static JSON_OLD: MessageTable = MessageTable::new(
    "json.Old",
    &[FieldTable::new("a_b", 1, Kind::Int32), FieldTable::new("aB", 2, Kind::Message(|| &JSON_NEW))],
)
.syntax(Syntax::Proto2);
static JSON_NEW: MessageTable =
    MessageTable::new("json.Old.New", &[FieldTable::new("a", 1, Kind::Message(|| &JSON_OLD))]);

#[test]
fn names_that_proto2_allows_in_json_are_allowed_beside_proto3() {
    let pool = sound(&[&JSON_OLD]);
    assert_eq!(pool.files().next().unwrap().edition(), Edition::Edition2023);
    // As bytes, since descriptors do not show the feature: ALLOW in the nested message, LEGACY_BEST_EFFORT in the outer one.
    let bytes = pool.files().next().unwrap().file_descriptor_proto_bytes().to_vec();
    let has = |options: &[u8]| bytes.windows(options.len()).any(|part| part == options);
    assert!(has(b"\x62\x02\x30\x01") && has(b"\x62\x02\x30\x02"));
}

static SIGNAL: EnumTable = EnumTable::new("s.Signal", &[("UNKNOWN", 0), ("field", 1)]);
static STATE: EnumTable = EnumTable::new("s.State", &[("UNKNOWN", 0), ("Message", 1), ("Signal", 2)]);
static MANY: EnumTable = EnumTable::new(
    "s.Many",
    &[
        ("A", 0),
        ("B", 1),
        ("C", 2),
        ("D", 3),
        ("E", 4),
        ("F", 5),
        ("G", 6),
        ("H", 7),
        ("I", 8),
        ("J", 9),
        ("K", 10),
        ("L", 11),
        ("M", 12),
        ("N", 13),
        ("O", 14),
        ("P", 15),
        ("UNKNOWN", 16),
        ("State", 17),
    ],
);
static SHARED: MessageTable = MessageTable::new(
    "s.Message",
    &[
        FieldTable::new("Inner", 1, Kind::Message(|| &SHARED_INNER)),
        FieldTable::new("signal", 2, Kind::Enum(|| &SIGNAL)),
        FieldTable::new("state", 3, Kind::Enum(|| &STATE)),
        FieldTable::new("many", 4, Kind::Enum(|| &MANY)),
        FieldTable::map("by_name", 5, Kind::String, Kind::Int32),
        FieldTable::map("byName", 6, Kind::String, Kind::String),
        FieldTable::new("Entry", 7, Kind::Message(|| &SHARED_ENTRY)),
        FieldTable::new("ByNameEntry", 8, Kind::Int32),
    ],
)
.syntax(Syntax::Proto2);
static SHARED_INNER: MessageTable = MessageTable::new("s.Message.Inner", &[]);
static SHARED_ENTRY: MessageTable = MessageTable::new("s.Message.XByNameEntry", &[]);

/// Tables do not know each other, so no listing could refuse what a file of all of them would.
#[test]
fn names_that_only_a_file_keeps_apart_may_be_equal() {
    let pool = pool(&[&SHARED]);
    let message = pool.find_message("s.Message").unwrap();
    for (number, name) in
        (1..).zip(["Inner", "signal", "state", "many", "by_name", "byName", "Entry", "ByNameEntry"])
    {
        assert_eq!(message.field(name).ok().map(|field| field.number()), Some(number), "{name}");
        assert_eq!(message.get_field(number).unwrap().name(), name);
    }
    assert_eq!(pool.find_message("s.Message.Inner").unwrap().parent_message(), Some(message));
    for (name, values) in
        [("s.Signal", SIGNAL.values()), ("s.State", STATE.values()), ("s.Many", MANY.values())]
    {
        let enumeration = pool.find_enum(name).unwrap();
        for &(value, number) in values {
            assert_eq!(enumeration.value(value).ok().map(|v| v.number()), Some(number), "{name}.{value}");
        }
    }
    let more = pool.add_file_descriptor_set(&set([file("x").sub(4, message_named("X"))])).unwrap();
    assert!(more.find_message("s.Message.Inner").is_some());
    // A set of files says it, and is refused.
    let error = DescriptorPool::decode(&pool.encode_to_vec().unwrap()).unwrap_err();
    assert_eq!(error.kind(), DescriptorErrorKind::DuplicateName);
}

fn message_named(name: &str) -> Proto {
    message(name, [])
}

static SYNTHETIC: MessageTable = MessageTable::new(
    "o.M",
    &[
        FieldTable::new("a", 1, Kind::Int32).optional(),
        FieldTable::new("_a", 2, Kind::Int32),
        FieldTable::new("b", 3, Kind::Int32).oneof("X_a"),
    ],
);

#[test]
fn a_synthetic_oneof_has_a_free_name() {
    let pool = sound(&[&SYNTHETIC]);
    let a = pool.find_message("o.M").unwrap().get_field(1).unwrap();
    assert_eq!(a.containing_oneof().unwrap().name(), "XX_a");
}

static IN_ANY: MessageTable =
    MessageTable::new("google.protobuf.any.M", &[FieldTable::new("a", 1, Kind::Message(|| &ANY))]);
static ANY: MessageTable = MessageTable::new(
    "google.protobuf.Any",
    &[FieldTable::new("type_url", 1, Kind::String), FieldTable::new("value", 2, Kind::Bytes)],
);

#[test]
fn the_file_of_a_package_is_not_that_of_a_well_known_type() {
    assert_eq!(
        file_names(&sound(&[&IN_ANY])),
        ["google/protobuf/any-types.proto", "google/protobuf/any.proto"]
    );
}

macro_rules! holder {
    ($inner:expr) => {{
        static INNER: MessageTable = MessageTable::new("twice.Inner", &[$inner]);
        static OUTER: MessageTable =
            MessageTable::new("twice.Outer", &[FieldTable::new("inner", 1, Kind::Message(|| &INNER))]);
        &OUTER
    }};
}

#[test]
fn tables_of_one_name_say_the_same_all_the_way_down() {
    let float = || {
        holder!(FieldTable::new("a", 1, Kind::Float).optional().default_value(DefaultValue::Float(f64::NAN)))
    };
    let same = [
        float(),
        holder!(FieldTable::new("a", 1, Kind::Float).optional().default_value(DefaultValue::Float(f64::NAN))),
    ];
    assert_eq!(pool(&same).files().len(), 1);
    for other in [
        holder!(FieldTable::new("a", 1, Kind::Float).optional().default_value(DefaultValue::Float(0.0))),
        holder!(FieldTable::new("a", 1, Kind::Float).optional()),
        holder!(FieldTable::new("a", 1, Kind::Float).oneof("o")),
    ] {
        let error = DescriptorPool::from_tables(&[float(), other]).unwrap_err();
        assert_eq!((error.kind(), error.name()), (DescriptorErrorKind::DuplicateName, "twice.Inner"));
    }
}

static DEEP: MessageTable = MessageTable::new(
    "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z.a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z.a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z.M",
    &[FieldTable::new("a", 1, Kind::Message(|| &SHALLOW))],
);
static SHALLOW: MessageTable = MessageTable::new("A", &[FieldTable::new("deep", 1, Kind::Message(|| &DEEP))]);

#[test]
fn bounds_of_sets_do_not_hold_for_tables() {
    assert_eq!(pool(&[&DEEP]).find_message(DEEP.full_name()).unwrap().fields().len(), 1);
}
