//! Names in brackets: extensions, and the URLs of types.

use crate::formats::numbers::type_in_url;

/// Whether a byte may stand in brackets.
pub(super) fn is_url_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.~!$&()*+,;=%/".contains(&byte)
}

fn is_identifier(text: &[u8]) -> bool {
    let starts = text.first().is_some_and(|byte| !byte.is_ascii_digit());
    starts && text.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// Whether this is a full name: identifiers with dots between them.
pub(super) fn is_full_name(text: &[u8]) -> bool {
    text.split(|&byte| byte == b'.').all(is_identifier)
}

/// The name of the type that a URL ends with; nothing if it is no URL that may stand in brackets.
pub(super) fn type_name(url: &[u8]) -> Option<&str> {
    let name = type_in_url(url)?;
    let prefix = url.get(..url.len() - name.len() - 1)?;
    let is_hex = |at: usize| prefix.get(at).is_some_and(u8::is_ascii_hexdigit);
    let escaped = |(at, &byte): (usize, &u8)| byte != b'%' || (is_hex(at + 1) && is_hex(at + 2));
    let valid = prefix.first().is_some_and(|&byte| byte != b'/')
        && prefix.iter().all(|&byte| is_url_byte(byte))
        && prefix.iter().enumerate().all(escaped);
    (valid && is_full_name(name.as_bytes())).then_some(name)
}
