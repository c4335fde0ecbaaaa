//! Names in a listing: valid characters, and fields whose names collide, in the schema or in JSON; and the names that an error needs.

use crate::schema::table::{FieldTable, Syntax};

/// The places that `collision` and `twice` need for this many fields or values: more than there can be names, of which a field
/// brings three.
pub const fn places(names: usize) -> usize {
    (4 * names).next_power_of_two()
}

/// Two names of a listing that a schema cannot have together.
pub(in crate::structs) enum Collision {
    /// Two fields have this name.
    Fields(&'static str),
    /// A field and a oneof have this name.
    Oneof(&'static str),
    /// Two fields, by their names, have the same name in JSON.
    Json(&'static str, &'static str),
}

/// A name that a field brings into the schema, by the place of the field in the listing.
#[derive(Clone, Copy)]
enum Name {
    Field(usize),
    /// `json_name`, where it differs from the derived name.
    Json(usize),
    Oneof(usize),
}

/// The first two names that collide, in the schema or in JSON. `PLACES` is what [`places`] says.
///
/// A hash table with open addressing finds them, and names are compared only where their keys are equal: comparing those of
/// 50 fields with each other takes the compiler 0.1 s.
pub(in crate::structs) const fn collision<const PLACES: usize>(
    fields: &[FieldTable],
    syntax: Syntax,
) -> Option<Collision> {
    let mut seen: [Option<(u64, Name)>; PLACES] = [None; PLACES];
    let mut i = 0;
    while i < fields.len() {
        let field = &fields[i];
        let mut found = add(&mut seen, fields, syntax, field.name(), Name::Field(i));
        if let Some(given) = given_json_name(field)
            && found.is_none()
        {
            found = add(&mut seen, fields, syntax, given, Name::Json(i));
        }
        if let Some(oneof) = field.oneof_name()
            && found.is_none()
            && !(i > 0 && in_oneof(&fields[i - 1], oneof))
        {
            found = add(&mut seen, fields, syntax, oneof, Name::Oneof(i));
        }
        if found.is_some() {
            return found;
        }
        i += 1;
    }
    None
}

const fn in_oneof(field: &FieldTable, oneof: &str) -> bool {
    match field.oneof_name() {
        Some(name) => same(name, oneof),
        None => false,
    }
}

/// Adds a name, unless it collides.
const fn add(
    seen: &mut [Option<(u64, Name)>],
    fields: &[FieldTable],
    syntax: Syntax,
    text: &str,
    name: Name,
) -> Option<Collision> {
    let key = key(text);
    let mut at = key as usize % seen.len();
    while let Some((other_key, other)) = seen[at] {
        if key == other_key {
            let found = collide(fields, syntax, other, name);
            if found.is_some() {
                return found;
            }
        }
        at = (at + 1) % seen.len();
    }
    seen[at] = Some((key, name));
    None
}

/// Whether and how two names with equal keys collide.
const fn collide(fields: &[FieldTable], syntax: Syntax, one: Name, other: Name) -> Option<Collision> {
    match (one, other) {
        (Name::Field(one), Name::Oneof(other)) | (Name::Oneof(other), Name::Field(one)) => {
            let name = fields[one].name();
            if in_oneof(&fields[other], name) { Some(Collision::Oneof(name)) } else { None }
        }
        (Name::Field(one) | Name::Json(one), Name::Field(other) | Name::Json(other)) if one != other => {
            let (one, other) = (&fields[one], &fields[other]);
            if same(one.name(), other.name()) {
                Some(Collision::Fields(one.name()))
            } else if meet_in_json(one, other, syntax) {
                Some(Collision::Json(one.name(), other.name()))
            } else {
                None
            }
        }
        _ => None,
    }
}

/// The name that two values of an enum have, if there is one.
pub(in crate::structs) const fn twice<const PLACES: usize>(
    values: &[(&'static str, i32)],
) -> Option<&'static str> {
    let mut seen: [Option<(u64, usize)>; PLACES] = [None; PLACES];
    let mut i = 0;
    while i < values.len() {
        let key = key(values[i].0);
        let mut at = key as usize % PLACES;
        while let Some((other_key, other)) = seen[at] {
            if key == other_key && same(values[i].0, values[other].0) {
                return Some(values[i].0);
            }
            at = (at + 1) % PLACES;
        }
        seen[at] = Some((key, i));
        i += 1;
    }
    None
}

/// A hash that names share with all names that are equal in camelCase: it leaves out `_` and case. The compiler interprets
/// this for each byte of each name, so there is no call.
const fn key(name: &str) -> u64 {
    let (mut key, mut rest) = (0, name.as_bytes());
    while let [byte, tail @ ..] = rest {
        if *byte != b'_' {
            key = (key & 0x7f_ffff_ffff_ffff) * 131 + (*byte | 0x20) as u64;
        }
        rest = tail;
    }
    key
}

/// Whether a pool refuses two fields because of their JSON names. In proto3 all names count, even the derived name of a field
/// that has another; in proto2 only names set by `json_name`.
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

/// The JSON name of a field, if it differs from the derived name.
const fn given_json_name(field: &FieldTable) -> Option<&'static str> {
    match field.json_name_override() {
        Some(name) if !Camel::of(field.name()).is(Camel::exactly(name)) => Some(name),
        _ => None,
    }
}

/// An iterator over the bytes of a name, unchanged or in camelCase without `_`.
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

pub(in crate::structs) const fn same(a: &str, b: &str) -> bool {
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

pub(in crate::structs) const fn is_identifier(name: &str) -> bool {
    let mut rest = name.as_bytes();
    if !matches!(rest, [b'a'..=b'z' | b'A'..=b'Z' | b'_', ..]) {
        return false;
    }
    while let [byte, tail @ ..] = rest {
        if !matches!(*byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_') {
            return false;
        }
        rest = tail;
    }
    true
}

pub(in crate::structs) const fn is_full_name(name: &str) -> bool {
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

/// The names that an error needs: of a message and its fields, and where to find those of the messages in it.
///
/// The table of a message says more, which structs need only where there is a schema at run time. A program without one has a quarter of
/// it: 16 bytes for a field of 64 on processors of 32 bits.
pub struct MessageNames {
    pub(in crate::structs) full_name: &'static str,
    pub(in crate::structs) fields: &'static [FieldName],
}

/// The name of a field.
#[derive(Clone, Copy)]
pub struct FieldName {
    name: &'static str,
    /// The field number, and [`MAP`].
    number: u32,
    inside: Inside,
}

/// The names of the message in a field, or in the values of a map.
pub type Inside = Option<fn() -> &'static MessageNames>;

/// A bit that no field number has.
const MAP: u32 = 1 << 31;

impl MessageNames {
    /// Of a message of this full name.
    pub const fn new(full_name: &'static str, fields: &'static [FieldName]) -> Self {
        Self { full_name, fields }
    }

    /// The field with a number.
    pub(in crate::structs) fn field(&self, number: u32) -> Option<&'static FieldName> {
        self.fields.iter().find(|field| field.number & !MAP == number)
    }
}

impl FieldName {
    pub(in crate::structs) const fn new(
        name: &'static str,
        number: u32,
        is_map: bool,
        inside: Inside,
    ) -> Self {
        let map = if is_map { MAP } else { 0 };
        Self { name, number: number | map, inside }
    }

    pub(in crate::structs) fn name(&self) -> &'static str {
        self.name
    }

    pub(in crate::structs) fn is_map(&self) -> bool {
        self.number & MAP != 0
    }

    pub(in crate::structs) fn inside(&self) -> Option<&'static MessageNames> {
        self.inside.map(|names| names())
    }
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

    #[test]
    #[cfg_attr(miri, ignore = "leaks memory on purpose")]
    fn names_collide_however_many_there_are() {
        use crate::schema::table::Kind;
        use alloc::{format, string::String, vec::Vec};
        const MANY: usize = 1_000;
        const PLACES: usize = places(MANY);
        let names: Vec<&'static str> = (0..MANY).map(|i| &*String::leak(format!("f{i}"))).collect();
        let plain: Vec<_> =
            (1..).zip(&names).map(|(n, name)| FieldTable::new(name, n, Kind::Int32)).collect();
        let with = |at: usize, field: FieldTable| {
            let mut fields = plain.clone();
            fields[at] = field;
            let found = [Syntax::Proto3, Syntax::Proto2].map(|syntax| collision::<PLACES>(&fields, syntax));
            found.map(|found| match found {
                Some(Collision::Fields(name)) => format!("fields {name}"),
                Some(Collision::Oneof(name)) => format!("oneof {name}"),
                Some(Collision::Json(one, other)) => format!("json {one} {other}"),
                None => "none".into(),
            })
        };
        let field = |name| FieldTable::new(name, 5_000, Kind::Int32);
        assert_eq!(with(0, plain[0]), ["none"; 2]);
        assert_eq!(with(MANY - 1, field("f0")), ["fields f0"; 2]);
        assert_eq!(with(0, field("f999")), ["fields f999"; 2]);
        assert_eq!(with(MANY - 1, field("f_7")), ["json f7 f_7", "none"]);
        assert_eq!(with(MANY - 1, field("x").json_name("f7")), ["json f7 x", "none"]);
        assert_eq!(with(3, field("x").oneof("f900")), ["oneof f900"; 2]);
        assert_eq!(with(900, field("x").oneof("f3")), ["oneof f3"; 2]);
        assert_eq!(with(900, field("x").oneof("F3")), ["none"; 2]);
        assert_eq!(with(900, field("x").oneof("x")), ["oneof x"; 2]);

        let mut values: Vec<_> = names.iter().map(|name| (*name, 0)).collect();
        assert_eq!(twice::<PLACES>(&values), None);
        values[1].0 = "F999";
        assert_eq!(twice::<PLACES>(&values), None);
        values[1].0 = "f999";
        assert_eq!(twice::<PLACES>(&values), Some("f999"));
        assert!(twice::<{ places(0) }>(&[]).is_none());
    }

    /// A pool refuses the same pairs of names.
    #[test]
    #[cfg(feature = "reflect")]
    #[cfg_attr(miri, ignore = "leaks memory on purpose")]
    fn names_in_json_meet_as_in_a_pool() {
        use crate::schema::pool::DescriptorPool;
        use crate::schema::table::{Kind, MessageTable};
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
                            let meet = collision::<{ places(2) }>(&[a, b], syntax).is_some();
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
