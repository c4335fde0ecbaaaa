//! Paths of field masks: `foo_bar.baz` in a message, `fooBar.baz` in JSON.

use super::TextOut;
use alloc::vec::Vec;

/// Prints a path in camelCase; false, and nothing is of use, if it would not come back.
pub(crate) fn camel_path(out: &mut TextOut<'_>, path: &[u8]) -> bool {
    let mut capital = false;
    for &byte in path {
        let letter = match (capital, byte) {
            (false, b'_') => {
                capital = true;
                continue;
            }
            (true, b'a'..=b'z') => byte.to_ascii_uppercase(),
            (false, b'a'..=b'z' | b'0'..=b'9' | b'.') => byte,
            _ => return false,
        };
        capital = false;
        out.byte(letter);
    }
    !capital
}

/// Appends a path from JSON in snake_case; room for twice its length has been reserved. False if it is no path.
pub(crate) fn snake_path(path: &[u8], out: &mut Vec<u8>) -> bool {
    for &byte in path {
        match byte {
            b'A'..=b'Z' => out.extend_from_slice(&[b'_', byte.to_ascii_lowercase()]),
            b'a'..=b'z' | b'0'..=b'9' | b'.' => out.push(byte),
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_both_ways() {
        let camel = |path: &str| {
            let mut buffer = Vec::new();
            let mut out = TextOut::new(&mut buffer);
            let fits = camel_path(&mut out, path.as_bytes());
            out.finish().unwrap();
            fits.then(|| alloc::string::String::from_utf8(buffer).unwrap())
        };
        let snake = |path: &str| {
            let mut out = Vec::new();
            snake_path(path.as_bytes(), &mut out).then(|| alloc::string::String::from_utf8(out).unwrap())
        };
        for (own, json) in [("foo_bar", "fooBar"), ("a.b_c.d1", "a.bC.d1"), ("", ""), ("f_o_o", "fOO")] {
            assert_eq!(camel(own).as_deref(), Some(json));
            assert_eq!(snake(json).as_deref(), Some(own));
        }
        for own in ["fooBar", "foo__bar", "foo_3", "foo_", "foo_.b", "a\"b", "a,b"] {
            assert_eq!(camel(own), None, "{own}");
        }
        for json in ["foo_bar", "foo-bar", "foo bar", "\u{e9}"] {
            assert_eq!(snake(json), None, "{json}");
        }
    }
}
