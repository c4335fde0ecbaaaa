//! The URL that says which message type is in a `google.protobuf.Any`.

/// The name of the type that a URL ends with, for JSON and text format: as in C++, something must stand before the last slash.
pub(crate) fn type_in_url(url: &[u8]) -> Option<&str> {
    let slash = url.iter().rposition(|&byte| byte == b'/').filter(|&slash| slash > 0)?;
    let name = core::str::from_utf8(url.get(slash + 1..)?).ok()?;
    (!name.is_empty()).then_some(name)
}
