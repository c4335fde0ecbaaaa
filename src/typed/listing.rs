//! What a listing must be so that a pool takes its table: checked when the listing is compiled, as far as one table
//! can say it.
//!
//! What tables say of each other (two tables of one name, the scope that enum values share) is checked when a
//! [`DescriptorPool`](crate::DescriptorPool) is made.

use super::kinds::KindMarker;
use crate::table::{Cardinality, DefaultValue, EnumTable, FieldTable, MessageTable, Syntax, TableKind};

/// Tables above this many fields are not searched for names that are given twice, which takes a step per pair.
const SEARCHED: usize = 200;

/// The table of a field, if a pool can have it.
///
/// A field that is not set is zero on the wire, and nowhere is another default written down:
///
/// ```compile_fail
/// #[derive(Default)]
/// struct Log { level: i32 }
/// tablepb::message! { Log as "example.Log" { level: int32 = 1 [default = 5] } }
/// ```
///
/// With presence, or in proto2, it can have one:
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
/// A map value that is not sent is the zero of its kind, which an enum must have:
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
/// A closed enum has presence, or no number could stand for its absence:
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
/// Names and numbers are those that protobuf has:
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

/// The table of a message, if a pool can have it.
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
/// In JSON, names lose their `_`, and two fields may not have one name there:
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
/// In proto2 this is so for names that are given as `json_name`:
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

/// Whether two fields may not have the JSON names that they have. Hashes are compared first: comparing 200 names themselves takes more steps than
/// compilers let pass without a warning.
const fn names_meet_in_json(fields: &[FieldTable], syntax: Syntax) -> bool {
    if fields.len() > SEARCHED {
        return false;
    }
    // Of each field the derived name, and the name that counts.
    let mut hashes = [(0, 0); SEARCHED];
    let mut i = 0;
    while i < fields.len() {
        let derived = Camel::of(fields[i].name()).hash();
        let hash = match given_json_name(&fields[i]) {
            Some(given) => Camel::exactly(given).hash(),
            None => derived,
        };
        let mut j = 0;
        while j < i {
            let (other_derived, other) = hashes[j];
            let alike =
                derived == other_derived || derived == other || hash == other_derived || hash == other;
            if alike && meet_in_json(&fields[i], &fields[j], syntax) {
                return true;
            }
            j += 1;
        }
        hashes[i] = (derived, hash);
        i += 1;
    }
    false
}

/// The table of an enum.
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
/// At compile time, if an open enum does not start with number 0, or a name cannot be one.
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

/// Whether a pool refuses two fields for their names in JSON. In proto3 all names count, the derived ones also of fields
/// that are given another; in proto2 those that are given.
const fn meet_in_json(a: &FieldTable, b: &FieldTable, syntax: Syntax) -> bool {
    let all = matches!(syntax, Syntax::Proto3);
    if all && Camel::of(a.name()).is(Camel::of(b.name())) {
        return true;
    }
    match (given_json_name(a), given_json_name(b)) {
        (Some(a), Some(b)) => same(a, b),
        (Some(given), None) => all && Camel::of(b.name()).is(Camel::exactly(given)),
        (None, Some(given)) => all && Camel::of(a.name()).is(Camel::exactly(given)),
        (None, None) => false,
    }
}

/// The JSON name of a field if it is not the one that is derived.
const fn given_json_name(field: &FieldTable) -> Option<&'static str> {
    match field.json_name_override() {
        Some(name) if !Camel::of(field.name()).is(Camel::exactly(name)) => Some(name),
        _ => None,
    }
}

/// The bytes of a name: as they are, or in camelCase without `_`.
#[derive(Clone, Copy)]
struct Camel<'a> {
    rest: &'a [u8],
    exact: bool,
}

impl<'a> Camel<'a> {
    const fn of(name: &'a str) -> Self {
        Self { rest: name.as_bytes(), exact: false }
    }

    const fn exactly(name: &'a str) -> Self {
        Self { rest: name.as_bytes(), exact: true }
    }

    const fn next(&mut self) -> Option<u8> {
        let mut capital = false;
        while let [byte, tail @ ..] = self.rest {
            self.rest = tail;
            if self.exact || *byte != b'_' {
                return Some(if capital { byte.to_ascii_uppercase() } else { *byte });
            }
            capital = true;
        }
        None
    }

    /// FNV-1a.
    const fn hash(mut self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        while let Some(byte) = self.next() {
            hash = (hash ^ byte as u64).wrapping_mul(0x100_0000_01b3);
        }
        hash
    }

    const fn is(mut self, mut other: Self) -> bool {
        loop {
            match (self.next(), other.next()) {
                (None, None) => return true,
                (Some(a), Some(b)) if a == b => {}
                _ => return false,
            }
        }
    }
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

const fn same(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    while let ([x, rest @ ..], [y, others @ ..]) = (a, b) {
        if *x != *y {
            return false;
        }
        (a, b) = (rest, others);
    }
    true
}

const fn is_identifier(name: &str) -> bool {
    let mut rest = name.as_bytes();
    if !matches!(rest, [b'a'..=b'z' | b'A'..=b'Z' | b'_', ..]) {
        return false;
    }
    while let [byte, tail @ ..] = rest {
        if !byte.is_ascii_alphanumeric() && *byte != b'_' {
            return false;
        }
        rest = tail;
    }
    true
}

const fn is_full_name(name: &str) -> bool {
    let (mut rest, mut first) = (name.as_bytes(), true);
    while let [byte, tail @ ..] = rest {
        let fits = match *byte {
            b'.' => !first,
            b'0'..=b'9' => !first,
            byte => byte.is_ascii_alphabetic() || byte == b'_',
        };
        if !fits {
            return false;
        }
        first = *byte == b'.';
        rest = tail;
    }
    !first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (name, fits) in [
            ("a", true),
            ("_", true),
            ("a1_", true),
            ("", false),
            ("1a", false),
            ("ä", false),
            ("a b", false),
        ] {
            assert_eq!((is_identifier(name), is_full_name(name)), (fits, fits), "{name}");
        }
        for (name, fits) in
            [("a.b", true), ("a.b.C1", true), (".a", false), ("a.", false), ("a..b", false), ("a.1", false)]
        {
            assert_eq!((is_identifier(name), is_full_name(name)), (false, fits), "{name}");
        }
        assert!(same("", "") && same("ab", "ab") && !same("ab", "ac") && !same("a", "ab"));
    }

    /// A pool takes the same pairs of names.
    #[test]
    fn names_in_json_meet_as_in_a_pool() {
        use crate::{schema::DescriptorPool, table::Kind};
        use alloc::{boxed::Box, vec};
        let names = ["a_b", "aB", "AB", "a_b_", "_a_b", "_aB", "a__b", "ab"];
        let given = [None, Some("aB"), Some("ab"), Some("a_b"), Some("x")];
        let field = |name, number, json: Option<&'static str>| {
            let field = FieldTable::new(name, number, Kind::Int32);
            json.map_or(field, |json| field.json_name(json))
        };
        for syntax in [Syntax::Proto2, Syntax::Proto3] {
            for (i, one) in names.iter().enumerate() {
                for other in &names[i + 1..] {
                    for json in given {
                        for other_json in given {
                            let (a, b) = (field(one, 1, json), field(other, 2, other_json));
                            let meet = names_meet_in_json(&[a, b], syntax);
                            let fields = Box::leak(vec![a, b].into_boxed_slice());
                            let table =
                                Box::leak(Box::new(MessageTable::new("json.M", fields).syntax(syntax)));
                            let pool = DescriptorPool::from_tables(&[table]);
                            assert_eq!(
                                pool.is_err(),
                                meet,
                                "{one} {json:?} {other} {other_json:?} {syntax:?}"
                            );
                        }
                    }
                }
            }
        }
    }
}
