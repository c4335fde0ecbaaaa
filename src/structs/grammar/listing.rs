//! The tables of a listing, checked at compile time by the rules of a pool.
//!
//! Rules that involve several tables (names of messages, the scope that enum values share) are checked when a
//! [`DescriptorPool`](crate::DescriptorPool) is built.

use super::kinds::Fact;
use super::names::{Collision, collision, is_full_name, is_identifier, same, twice};
use crate::schema::table::{Cardinality, DefaultValue, EnumTable, FieldTable, Syntax, TableKind};

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
#[track_caller]
const fn check_field(field: &FieldTable, values: Option<&EnumTable>, syntax: Syntax) {
    if !is_identifier(field.name()) {
        refuse(&["`", field.name(), "` is no name of a field: letters, digits and `_`, and no digit first"]);
    }
    if let Some(name) = field.oneof_name()
        && !is_identifier(name)
    {
        refuse(&["`", name, "` is no name of a oneof: letters, digits and `_`, and no digit first"]);
    }
    let number = field.number();
    if number < 1 || number > 536_870_911 {
        refuse(&["`", field.name(), "`: field numbers are 1 to 536870911"]);
    }
    if number >= 19_000 && number <= 19_999 {
        refuse(&["`", field.name(), "`: the field numbers 19000 to 19999 are kept for protobuf"]);
    }
    let map = field.map_key().is_some();
    let zero_first = match values {
        Some(table) => matches!(table.values(), [(_, 0), ..]),
        None => true,
    };
    if !zero_first && map {
        refuse(&["`", field.name(), "`: the first value of an enum in a map has the number 0"]);
    }
    let implicit = matches!(syntax, Syntax::Proto3)
        && matches!(field.cardinality(), Cardinality::Optional)
        && !map
        && !field.is_optional()
        && field.oneof_name().is_none()
        && !matches!(field.kind(), TableKind::Message(_));
    let closed = match values {
        Some(table) => table.is_closed(),
        None => false,
    };
    if closed && implicit {
        refuse(&["`", field.name(), "`: in proto3 a closed enum has presence: make the member an `Option`"]);
    }
    if let Some(default) = field.default() {
        if implicit {
            refuse(&[
                "`",
                field.name(),
                "`: in proto3 a field without presence has no default: make the member an `Option`",
            ]);
        }
        if let (DefaultValue::Enum(name), Some(table)) = (default, values)
            && !has_value(table, name)
        {
            refuse(&[
                "`",
                field.name(),
                "`: the enum has no value with the name of the default, `",
                name,
                "`",
            ]);
        }
    }
}

/// Panics with the text of these parts, at compile time and in the place of the caller.
#[track_caller]
const fn refuse(parts: &[&str]) -> ! {
    let (mut text, mut len, mut i) = ([0_u8; 512], 0, 0);
    while i < parts.len() {
        let (part, mut at) = (parts[i].as_bytes(), 0);
        while at < part.len() && len < text.len() {
            text[len] = part[at];
            (at, len) = (at + 1, len + 1);
        }
        i += 1;
    }
    match core::str::from_utf8(text.split_at(len).0) {
        Ok(text) => panic!("{}", text),
        Err(_) => panic!("a name in the listing is too long"),
    }
}

/// The table of a message, checked. `PLACES` is `places` of the number of fields. Two fields may not have the same name:
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
#[track_caller]
pub const fn check<const PLACES: usize>(
    full_name: &'static str,
    syntax: Syntax,
    fields: &'static [FieldTable],
    facts: &[Fact],
    numbers: &[u32],
) {
    check_full_name(full_name);
    let mut i = 0;
    while i < fields.len() {
        check_field(&fields[i], facts[i].values(), syntax);
        i += 1;
    }
    i = 1;
    while i < numbers.len() {
        if numbers[i - 1] == numbers[i] {
            let (first, second) = named(fields, numbers[i]);
            refuse(&["`", first, "` and `", second, "` have the same field number"]);
        }
        i += 1;
    }
    match collision::<PLACES>(fields, syntax) {
        Some(Collision::Fields(name)) => refuse(&["two fields have the name `", name, "`"]),
        Some(Collision::Oneof(name)) => refuse(&["a field and a oneof have the name `", name, "`"]),
        Some(Collision::Json(first, second)) => {
            refuse(&["`", first, "` and `", second, "` have the same name in JSON"])
        }
        None => {}
    }
}

/// The names of the first and the last field with this number.
const fn named(fields: &[FieldTable], number: u32) -> (&'static str, &'static str) {
    let (mut first, mut last, mut i) = ("", "", 0);
    while i < fields.len() {
        if fields[i].number() == number {
            last = fields[i].name();
            if first.is_empty() {
                first = last;
            }
        }
        i += 1;
    }
    (first, last)
}

#[track_caller]
const fn check_full_name(name: &'static str) {
    if !is_full_name(name) {
        refuse(&["`", name, "` is no full name: identifiers with dots between them, as in `package.Name`"]);
    }
}

/// The table of an enum, checked. `PLACES` is `places` of the number of values.
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
#[track_caller]
pub const fn enum_table<const PLACES: usize>(
    full_name: &'static str,
    values: &'static [(&'static str, i32)],
    closed: bool,
) -> EnumTable {
    check_full_name(full_name);
    let mut i = 0;
    while i < values.len() {
        if !is_identifier(values[i].0) {
            refuse(&[
                "`",
                values[i].0,
                "` is no name of a value: letters, digits and `_`, and no digit first",
            ]);
        }
        i += 1;
    }
    if let Some(name) = twice::<PLACES>(values) {
        refuse(&["two values have the name `", name, "`"]);
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
