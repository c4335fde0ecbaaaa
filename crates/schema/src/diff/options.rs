//! Compares the options of two definitions. Data does not show them, but code may be written by them.

use super::difference::{Compatibility, DifferenceKind};
use super::queue::Comparer;
use alloc::collections::BTreeMap;
use alloc::string::String;
use tablepb::{DynamicMessage, text};

/// What other kinds of differences are about.
const ELSEWHERE: [&str; 5] = ["allow_alias", "features", "map_entry", "message_set_wire_format", "packed"];

/// Compares the options of two definitions by their bytes, and if those differ by the messages.
pub(super) fn compare<D>(
    path: &str,
    (old, new): (&D, &D),
    bytes: impl Fn(&D) -> &[u8],
    message: impl Fn(&D) -> DynamicMessage,
    out: &mut Comparer,
) {
    if !out.pools || bytes(old) == bytes(new) {
        return;
    }
    let (old, new) = (texts(message(old)), texts(message(new)));
    let none = String::from("none");
    for name in old.keys().chain(new.keys().filter(|name| !old.contains_key(*name))) {
        let (old, new) = (old.get(name).unwrap_or(&none), new.get(name).unwrap_or(&none));
        if old != new {
            let verdict = (Compatibility::Compatible, Compatibility::Compatible);
            out.add(path, DifferenceKind::OptionChanged, verdict, old.clone(), new.clone());
        }
    }
}

/// Each option that is set as text, by its name.
fn texts(mut options: DynamicMessage) -> BTreeMap<String, String> {
    let descriptor = options.descriptor().clone();
    let mut texts = BTreeMap::new();
    for (field, value) in options.take_fields().unwrap_or_default() {
        let mut alone = DynamicMessage::new(&descriptor);
        let is_elsewhere = !field.is_extension() && ELSEWHERE.contains(&field.name());
        if is_elsewhere || alone.set_field(&field, value).is_err() {
            continue;
        }
        if let Ok(text) = text::to_string(&alone) {
            texts.insert(field.full_name().into(), text);
        }
    }
    texts
}
