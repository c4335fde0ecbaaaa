//! Names of enum values that are the same without the name of their enum, as generated code may have them: protoc refuses them where JSON is
//! strict.

use crate::compile::error::{Faults, SourceErrorKind};
use crate::compile::parse::ast::{Ast, EnumValue, Texts};
use crate::memory::{Room, RoomFull};
use alloc::vec::Vec;
use tablepb::schema::Edition;

/// Words that switch the rule off; which definition they are of is not looked into.
const LENIENT: [&str; 2] = ["json_format", "deprecated_legacy_json_field_conflicts"];

/// Checks all enums of files in proto3 and in editions.
pub(crate) fn check(ast: &Ast, texts: &Texts, faults: &mut Faults, room: &mut Room) -> Result<(), RoomFull> {
    let strict = room.list(ast.files.iter().map(|file| {
        let text = texts.sources.get(file.start as usize..file.end as usize).unwrap_or_default();
        file.edition != Edition::Proto2 && !file.hidden && !LENIENT.iter().any(|word| text.contains(word))
    }))?;
    for found in ast.enums.all() {
        if strict.get(found.file as usize) != Some(&true) {
            continue;
        }
        let enumeration = texts.get(found.name);
        let mut values = Vec::new();
        for (_, value) in ast.values.of(found.values) {
            room.push(&mut values, value)?;
        }
        let name = |value: &EnumValue| stripped(texts.get(value.name), enumeration);
        // In a group of equal names the first one counts.
        values.sort_unstable_by(|a, b| pascal(name(a)).cmp(pascal(name(b))).then(a.at.cmp(&b.at)));
        for same in values.chunk_by(|a, b| pascal(name(a)).eq(pascal(name(b)))) {
            let Some((first, others)) = same.split_first() else { continue };
            let other = |value: &&&EnumValue| {
                value.number != first.number && texts.get(value.name) != texts.get(first.name)
            };
            for value in others.iter().filter(other) {
                let detail = format_args!(
                    "{} is the same as {} without the name of the enum and whatever the case",
                    texts.get(value.name),
                    texts.get(first.name)
                );
                faults.add(SourceErrorKind::InvalidSchema, value.at, value.at + value.name.len, &detail);
            }
        }
        room.drop_list(values);
    }
    room.drop_list(strict);
    Ok(())
}

/// The name without that of the enum in front, wherever underscores and capitals are; all of it if nothing else is left. C++'s
/// `PrefixRemover`.
fn stripped<'n>(name: &'n str, enumeration: &str) -> &'n str {
    let mut prefix =
        enumeration.bytes().filter(|byte| *byte != b'_').map(|byte| byte.to_ascii_lowercase()).peekable();
    let mut rest = name.bytes().enumerate().peekable();
    while let Some(&wanted) = prefix.peek() {
        match rest.next() {
            Some((_, b'_')) => {}
            Some((_, byte)) if byte.to_ascii_lowercase() == wanted => {
                prefix.next();
            }
            _ => return name,
        }
    }
    let start = rest.find(|&(_, byte)| byte != b'_').map_or(name.len(), |(at, _)| at);
    name.get(start..).filter(|rest| !rest.is_empty()).unwrap_or(name)
}

/// The letters of a name in `PascalCase`.
fn pascal(name: &str) -> impl Iterator<Item = u8> + '_ {
    let mut upper = true;
    name.bytes().filter_map(move |byte| {
        if byte == b'_' {
            upper = true;
            return None;
        }
        let letter = if upper { byte.to_ascii_uppercase() } else { byte.to_ascii_lowercase() };
        upper = false;
        Some(letter)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_enum_is_left_out() {
        for (name, enumeration, expected) in [
            ("FOO_BAR_BAZ", "FooBar", "BAZ"),
            ("foobarBaz", "FooBar", "Baz"),
            ("FO_OBAR__1", "FooBar", "1"),
            ("FOO_BAR", "FooBar", "FOO_BAR"),
            ("FOO_BAR_", "FooBar", "FOO_BAR_"),
            ("FOO", "FooBar", "FOO"),
            ("_FOO", "Foo", "_FOO"),
            ("XFOO", "Foo", "XFOO"),
        ] {
            assert_eq!(stripped(name, enumeration), expected, "{name}");
        }
        assert!(pascal("foo_BAR").eq("FooBar".bytes()));
    }
}
