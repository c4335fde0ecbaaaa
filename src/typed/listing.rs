//! The tables of a listing, checked at compile time by the rules of a pool.
//!
//! Rules that involve several tables (names of messages, the scope that enum values share) are checked when a
//! [`DescriptorPool`](crate::DescriptorPool) is built.

use super::{
    kinds::KindMarker,
    names::{SEARCHED, is_full_name, is_identifier, names_meet_in_json, same},
};
use crate::table::{Cardinality, DefaultValue, EnumTable, FieldTable, MessageTable, Syntax, TableKind};

/// Checks the table of a field.
///
/// In proto3, a field without presence has no default value:
///
/// ```compile_fail
/// #[derive(Default)]
/// struct Log { level: i32 }
/// tablepb::message! { Log as "example.Log" { level: int32 = 1 [default = 5] } }
/// ```
///
/// A field with presence, or in proto2, may have one:
///
/// ```
/// #[derive(Default)]
/// struct Log { level: Option<i32> }
/// tablepb::message! { Log as "example.Log" { level: int32 = 1 [default = 5] } }
/// #[derive(Default)]
/// struct Old { level: i32 }
/// tablepb::message! { Old as "example.Old" syntax "proto2" { level: int32 = 1 [default = 5] } }
/// ```
///
/// A missing map value is 0, so the first number of an enum in a map must be 0:
///
/// ```compile_fail
/// #[derive(Clone, Copy)]
/// enum Color { Red = 1 }
/// tablepb::enumeration! { Color as "example.Color" syntax "proto2" { Red = 1 } }
/// #[derive(Default)]
/// struct Log { colors: std::collections::HashMap<i32, Color> }
/// tablepb::message! { Log as "example.Log" { colors: map<int32, enum Color> = 1 } }
/// ```
///
/// In proto3, a closed enum needs presence:
///
/// ```compile_fail
/// #[derive(Clone, Copy)]
/// enum Color { Red = 0 }
/// tablepb::enumeration! { Color as "example.Color" syntax "proto2" { Red = 0 } }
/// #[derive(Default)]
/// struct Log { color: i32 }
/// tablepb::message! { Log as "example.Log" { color: enum Color = 1 } }
/// ```
///
/// Names and numbers must be valid in protobuf:
///
/// ```compile_fail
/// #[derive(Default)]
/// struct Log { level: i32 }
/// tablepb::message! { Log as "example.Log" { level as "the level": int32 = 1 } }
/// ```
///
/// ```compile_fail
/// #[derive(Default)]
/// struct Log { level: i32 }
/// tablepb::message! { Log as "example.Log" { level: int32 = 19000 } }
/// ```
///
/// ```compile_fail
/// #[derive(Default)]
/// struct Inner {}
/// #[derive(Default)]
/// struct Log { inner: std::collections::HashMap<i32, Inner> }
/// tablepb::message! { Inner as "example.Inner" {} Log as "example.Log" { inner: map<int32, group Inner> = 1 } }
/// ```
///
/// # Panics
///
/// At compile time.
pub const fn checked<K: KindMarker>(field: FieldTable, syntax: Syntax) -> FieldTable {
    assert!(is_identifier(field.name()), "a name is letters, digits and `_`, and no digit first");
    if let Some(name) = field.oneof_name() {
        assert!(is_identifier(name), "a name is letters, digits and `_`, and no digit first");
    }
    let number = field.number();
    assert!(number >= 1 && number <= 536_870_911, "field numbers are 1 to 536870911");
    assert!(number < 19_000 || number > 19_999, "the field numbers 19000 to 19999 are kept for protobuf");
    let map = field.map_key().is_some();
    let zero_first = match K::ENUM {
        Some(table) => matches!(table.values(), [(_, 0), ..]),
        None => true,
    };
    assert!(zero_first || !map, "the first value of an enum in a map has the number 0");
    let implicit = matches!(syntax, Syntax::Proto3)
        && matches!(field.cardinality(), Cardinality::Optional)
        && !map
        && !field.is_optional()
        && field.oneof_name().is_none()
        && !matches!(field.kind(), TableKind::Message(_));
    let closed = match K::ENUM {
        Some(table) => table.is_closed(),
        None => false,
    };
    assert!(!closed || !implicit, "in proto3 a closed enum has presence: make the member an `Option`");
    if let Some(default) = field.default() {
        assert!(!implicit, "in proto3 a field without presence has no default: make the member an `Option`");
        if let (DefaultValue::Enum(name), Some(table)) = (default, K::ENUM) {
            assert!(has_value(table, name), "the default is not the name of a value of the enum");
        }
    }
    field
}

/// The table of a message, checked. Two fields may not have the same name:
///
/// ```compile_fail
/// #[derive(Default)]
/// struct Log { level: i32, depth: i32 }
/// tablepb::message! { Log as "example.Log" { level: int32 = 1, depth as "level": int32 = 2 } }
/// ```
///
/// ```compile_fail
/// #[derive(Default)]
/// struct Log { level: i32 }
/// tablepb::message! { Log as "example..Log" { level: int32 = 1 } }
/// ```
///
/// JSON names are in camelCase without `_`. Two fields may not have the same JSON name:
///
/// ```compile_fail
/// #[derive(Default)]
/// struct Log { max_level: i32, maxLevel: i32 }
/// tablepb::message! { Log as "example.Log" { max_level: int32 = 1, maxLevel: int32 = 2 } }
/// ```
///
/// ```compile_fail
/// #[derive(Default)]
/// struct Log { level: i32, depth: i32 }
/// tablepb::message! { Log as "example.Log" { level: int32 = 1, depth: int32 = 2 [json_name = "level"] } }
/// ```
///
/// In proto2, only names set by `json_name` may collide:
///
/// ```compile_fail
/// #[derive(Default)]
/// struct Log { level: i32, depth: i32 }
/// tablepb::message! {
///     Log as "example.Log" syntax "proto2" {
///         level: int32 = 1 [json_name = "l"],
///         depth: int32 = 2 [json_name = "l"],
///     }
/// }
/// ```
///
/// ```
/// #[derive(Default)]
/// struct Log { max_level: i32, maxLevel: i32 }
/// tablepb::message! { Log as "example.Log" syntax "proto2" { max_level: int32 = 1, maxLevel: int32 = 2 } }
/// # let pool = tablepb::DescriptorPool::from_tables(&[<Log as tablepb::Message>::TABLE]);
/// # assert!(pool.is_ok());
/// ```
///
/// # Panics
///
/// At compile time.
pub const fn message_table(
    full_name: &'static str,
    syntax: Syntax,
    fields: &'static [FieldTable],
) -> MessageTable {
    assert!(is_full_name(full_name), "a full name is identifiers with dots between them");
    let mut i = 0;
    while i < fields.len() && fields.len() <= SEARCHED {
        let mut j = 0;
        while j < fields.len() {
            assert!(i == j || !same(fields[i].name(), fields[j].name()), "two fields have the same name");
            if let Some(oneof) = fields[j].oneof_name() {
                assert!(!same(fields[i].name(), oneof), "a field has the name of a oneof");
            }
            j += 1;
        }
        i += 1;
    }
    assert!(!names_meet_in_json(fields, syntax), "two fields have the same name in JSON");
    MessageTable::new(full_name, fields).syntax(syntax)
}

/// The table of an enum, checked.
///
/// ```compile_fail
/// #[derive(Clone, Copy)]
/// enum Color { Red = 1 }
/// tablepb::enumeration! { Color as "example.Color" { Red = 1 } }
/// ```
///
/// ```compile_fail
/// #[derive(Clone, Copy)]
/// enum Color { Red = 0, Green = 1 }
/// tablepb::enumeration! { Color as "example.Color" { Red = 0, Green as "Red" = 1 } }
/// ```
///
/// # Panics
///
/// At compile time, if the first number of an open enum is not 0, or a name is invalid or used twice.
pub const fn enum_table(
    full_name: &'static str,
    values: &'static [(&'static str, i32)],
    closed: bool,
) -> EnumTable {
    assert!(is_full_name(full_name), "a full name is identifiers with dots between them");
    let mut i = 0;
    while i < values.len() {
        assert!(is_identifier(values[i].0), "a name is letters, digits and `_`, and no digit first");
        let mut j = if values.len() <= SEARCHED { i + 1 } else { values.len() };
        while j < values.len() {
            assert!(!same(values[i].0, values[j].0), "two values have the same name");
            j += 1;
        }
        i += 1;
    }
    let table = EnumTable::new(full_name, values);
    if closed {
        return table.closed();
    }
    assert!(matches!(values, [(_, 0), ..]), "the first value of an open enum has the number 0");
    table
}

const fn has_value(table: &EnumTable, name: &str) -> bool {
    let mut rest = table.values();
    while let [(value, _), tail @ ..] = rest {
        if same(value, name) {
            return true;
        }
        rest = tail;
    }
    false
}
