//! Names in a listing: valid characters, and fields whose names collide, in the schema or in JSON.

use crate::table::{FieldTable, Syntax};

/// Tables with more fields are not searched for equal names, which takes a step per pair of fields.
pub(super) const SEARCHED: usize = 200;

/// Whether the JSON names of two fields collide. Hashes are compared first: comparing the names of 200 fields takes more
/// steps at compile time than the compiler allows without a warning.
pub(super) const fn names_meet_in_json(fields: &[FieldTable], syntax: Syntax) -> bool {
    if fields.len() > SEARCHED {
        return false;
    }
    // The hashes of the derived name and of the effective name of each field.
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

pub(super) const fn same(a: &str, b: &str) -> bool {
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

pub(super) const fn is_identifier(name: &str) -> bool {
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

pub(super) const fn is_full_name(name: &str) -> bool {
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

    /// A pool refuses the same pairs of names.
    #[test]
    #[cfg(feature = "reflect")]
    #[cfg_attr(miri, ignore = "leaks memory on purpose")]
    fn names_in_json_meet_as_in_a_pool() {
        use crate::{
            schema::DescriptorPool,
            table::{Kind, MessageTable},
        };
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
