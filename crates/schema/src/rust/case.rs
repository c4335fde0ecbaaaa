//! Names in Rust: UpperCamelCase and snake_case with the words of prost (crate `heck`), and identifiers that Rust keeps for
//! itself.

use alloc::{format, string::String};

/// The identifier that [`to_rust`](crate::to_rust) makes of a name in a schema: in UpperCamelCase, as of a type, or in snake_case, as of
/// a member, with the words of prost.
///
/// ```
/// use tablepb_schema::rust_name;
///
/// assert_eq!((rust_name("HTTPServer", true), rust_name("GetAll", false)), ("HttpServer".into(), "get_all".into()));
/// assert_eq!((rust_name("self", true), rust_name("type", false)), ("Self_".into(), "r#type".into()));
/// ```
#[must_use]
pub fn rust_name(name: &str, is_type: bool) -> String {
    identifier(if is_type { upper_camel(name) } else { snake(name) })
}

/// `FooBar` for `foo_bar`, `fooBar` and `FOO_BAR`; `HttpServer` for `HTTPServer`.
pub(super) fn upper_camel(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    words(name, |c, first| out.push(if first { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }));
    out
}

/// `foo_bar` for `FooBar` and `fooBar`; `http_server` for `HTTPServer`.
pub(super) fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    words(name, |c, first| {
        if first && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    });
    out
}

/// Hands out the characters of all words, and whether they begin one. A word ends at `_`, before a capital that follows a small
/// letter, and before the last of several capitals if a small letter follows it. A digit continues what it follows.
fn words(name: &str, mut take: impl FnMut(char, bool)) {
    let (mut first, mut small, mut capital) = (true, false, false);
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        if !c.is_ascii_alphanumeric() {
            (first, small, capital) = (true, false, false);
            continue;
        }
        let before_small = chars.peek().is_some_and(char::is_ascii_lowercase);
        if c.is_ascii_uppercase() && (small || (capital && before_small)) {
            first = true;
        }
        take(c, first);
        first = false;
        if c.is_ascii_alphabetic() {
            (small, capital) = (c.is_ascii_lowercase(), c.is_ascii_uppercase());
        }
    }
}

/// An identifier: `_` before a digit or where no letter is left, `_` after the four words that cannot be raw, and `r#` for
/// other keywords.
pub(super) fn identifier(name: String) -> String {
    const NOT_RAW: &[&str] = &["self", "Self", "super", "crate"];
    const KEYWORDS: &[&str] = &[
        "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
        "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
        "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static",
        "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where",
        "while", "yield",
    ];
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return format!("_{}", if name.is_empty() { "0" } else { &name });
    }
    if NOT_RAW.contains(&name.as_str()) {
        return name + "_";
    }
    if KEYWORDS.contains(&name.as_str()) { format!("r#{name}") } else { name }
}

/// The path of what has a name of the schema in what has a path of Rust.
pub(super) fn inside(rust: &str, name: &str) -> String {
    let mut path = String::from(rust);
    let mut parts = name.split('.').filter(|part| !part.is_empty()).peekable();
    while let Some(part) = parts.next() {
        let last = parts.peek().is_none();
        path.push_str("::");
        path.push_str(&identifier(if last { upper_camel(part) } else { snake(part) }));
    }
    path
}

/// The name of an enum value without the name of the enum before it, as prost has it: `Red` for `COLOR_RED` of `Color`.
pub(super) fn variant(enumeration: &str, value: &str) -> String {
    let name = upper_camel(value);
    let rest = name.strip_prefix(&upper_camel(enumeration)).unwrap_or(&name);
    let stripped = rest.starts_with(|c: char| c.is_ascii_uppercase());
    identifier(if stripped { rest.into() } else { name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_prost() {
        let camel =
            ["foo_bar", "fooBar", "FOO_BAR", "HTTPServer", "foo1bar2", "FOO1Bar", "_a__b_", "X", "aB1C"];
        assert_eq!(
            camel.map(upper_camel),
            ["FooBar", "FooBar", "FooBar", "HttpServer", "Foo1bar2", "Foo1Bar", "AB", "X", "AB1c"]
        );
        let snake_case =
            ["FooBar", "fooBar", "FOO_BAR", "HTTPServer", "field_name1_", "__a", "Field0name5", "OTLP2"];
        assert_eq!(
            snake_case.map(snake),
            ["foo_bar", "foo_bar", "foo_bar", "http_server", "field_name1", "a", "field0name5", "otlp2"]
        );
    }

    #[test]
    fn every_name_becomes_an_identifier() {
        let names = ["type", "self", "Self", "crate", "super", "gen", "union", "", "1a"];
        let expected = ["r#type", "self_", "Self_", "crate_", "super_", "r#gen", "union", "_0", "_1a"];
        assert_eq!(names.map(|name| identifier(name.into())), expected);
    }

    #[test]
    fn prefixes_of_enums_go() {
        let values = [
            ("Color", "COLOR_RED"),
            ("Color", "COLORED"),
            ("Color", "RED"),
            ("Color", "COLOR"),
            ("Color", "COLOR_2D"),
            ("E", "E_SELF"),
        ];
        let expected = ["Red", "Colored", "Red", "Color", "Color2d", "Self_"];
        assert_eq!(values.map(|(enumeration, value)| variant(enumeration, value)), expected);
    }
}
