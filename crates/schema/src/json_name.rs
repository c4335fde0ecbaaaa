//! The name of a field in JSON.

/// The bytes of the JSON name that protoc gives a field: `_` is dropped and the letter after it is made a capital,
/// <https://protobuf.dev/programming-guides/json/#field-names>.
pub(crate) fn json_name(field: &str) -> impl Iterator<Item = u8> {
    let mut capital = false;
    field.bytes().filter_map(move |byte| {
        let after = core::mem::replace(&mut capital, byte == b'_');
        (byte != b'_').then(|| if after { byte.to_ascii_uppercase() } else { byte })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_after_underscores_are_capitals() {
        for (field, name) in [
            ("foo_bar__baz_1", "fooBarBaz1"),
            ("FooBar", "FooBar"),
            ("_a_", "A"),
            ("foo_1x_b", "foo1xB"),
            ("", ""),
        ] {
            assert!(json_name(field).eq(name.bytes()), "{field}");
        }
    }
}
