//! Compares two fields.

use super::difference::{Compatibility, DifferenceKind};
use super::queue::Comparer;
use Compatibility::{Breaking, Compatible, Conditional};
use alloc::format;
use alloc::string::String as Text;
use tablepb::FieldDescriptor;
use tablepb::prost_reflect_names::EnumNames;
use tablepb::schema::FieldKind;
use tablepb::table::{DefaultValue, Kind}; // `Kind::String` has the name.

/// The field in a few words: `repeated int32 = 4`.
pub(super) fn text(field: &FieldDescriptor) -> Text {
    let label = match () {
        () if field.is_required() => "required ",
        () if field.is_list() => "repeated ",
        () => "",
    };
    format!("{label}{} = {}", kind_text(field), field.number())
}

/// The type in the words of a .proto file.
pub(crate) fn kind_text(field: &FieldDescriptor) -> Text {
    match field.kind() {
        Kind::Message(_) if field.is_map() => "map".into(),
        Kind::Message(message) => message.full_name().into(),
        Kind::Enum(enumeration) => enumeration.full_name().into(),
        other => other.name().into(),
    }
}

fn is_repeated(field: &FieldDescriptor) -> bool {
    field.is_list() || field.is_map()
}

pub(super) fn compare(old: &FieldDescriptor, new: &FieldDescriptor, out: &mut Comparer) {
    names(old, new, out);
    cardinality(old, new, out);
    types(old, new, out);
    values(old, new, out);
}

fn names(old: &FieldDescriptor, new: &FieldDescriptor, out: &mut Comparer) {
    let name = |field: &FieldDescriptor| match field.is_extension() {
        true => Text::from(field.json_name()),
        false => field.name().into(),
    };
    let json = if old.json_name() == new.json_name() { Compatible } else { Breaking };
    if name(old) != name(new) {
        out.add(old.full_name(), DifferenceKind::FieldRenamed, (Compatible, json), name(old), name(new));
    } else if json == Breaking {
        let names = (old.json_name(), new.json_name());
        out.add(old.full_name(), DifferenceKind::JsonNameChanged, (Compatible, json), names.0, names.1);
    }
}

fn cardinality(old: &FieldDescriptor, new: &FieldDescriptor, out: &mut Comparer) {
    let path = old.full_name();
    let word = |field: &FieldDescriptor| match () {
        () if field.is_required() => "required",
        () if field.is_map() => "map",
        () if field.is_list() => "repeated",
        () => "optional",
    };
    // An entry has its key and its value even if they are not written.
    let entries = old.parent_message().is_map_entry() && new.parent_message().is_map_entry();
    if is_repeated(old) != is_repeated(new) {
        let packed = |field: &FieldDescriptor| field.is_list() && field.is_packed();
        let required = old.is_required() || new.is_required();
        let wire = if packed(old) || packed(new) || required { Breaking } else { Conditional };
        out.add(path, DifferenceKind::CardinalityChanged, (wire, Breaking), word(old), word(new));
    } else if old.is_required() != new.is_required() {
        out.add(path, DifferenceKind::RequiredChanged, (Breaking, Breaking), word(old), word(new));
    } else if old.is_map() != new.is_map() {
        out.add(path, DifferenceKind::MapChanged, (Conditional, Breaking), word(old), word(new));
    } else if old.supports_presence() != new.supports_presence() && !entries {
        let word = |field: &FieldDescriptor| if field.supports_presence() { "explicit" } else { "implicit" };
        out.add(path, DifferenceKind::PresenceChanged, (Compatible, Compatible), word(old), word(new));
    }
    let lists = old.is_list() && new.is_list() && old.kind().is_packable() && new.kind().is_packable();
    if lists && old.is_packed() != new.is_packed() {
        let word = |field: &FieldDescriptor| if field.is_packed() { "packed" } else { "expanded" };
        out.add(path, DifferenceKind::PackedChanged, (Compatible, Compatible), word(old), word(new));
    }
}

fn types(old: &FieldDescriptor, new: &FieldDescriptor, out: &mut Comparer) {
    match (old.kind(), new.kind()) {
        (Kind::Message(before), Kind::Message(after)) => {
            if old.is_group() != new.is_group() {
                let word = |group: bool| if group { "delimited" } else { "length-prefixed" };
                let words = (word(old.is_group()), word(new.is_group()));
                let kind = DifferenceKind::EncodingChanged;
                out.add(old.full_name(), kind, (Breaking, Compatible), words.0, words.1);
            }
            out.messages(&before, &after);
        }
        (Kind::Enum(before), Kind::Enum(after)) => out.enums(&before, &after),
        (before, after) if before.name() == after.name() => {}
        (before, after) => {
            let groups = old.is_group() || new.is_group();
            let verdict = if groups { (Breaking, Breaking) } else { type_change(&before, &after) };
            out.add(old.full_name(), DifferenceKind::TypeChanged, verdict, kind_text(old), kind_text(new));
        }
    }
}

/// What a change of type means: "Updating A Message Type" in <https://protobuf.dev/programming-guides/proto3/#updating>.
fn type_change(old: &FieldKind, new: &FieldKind) -> (Compatibility, Compatibility) {
    use Kind::*;
    let integer = |kind: &FieldKind| matches!(kind, Int32 | Int64 | Uint32 | Uint64);
    let varint = |kind: &FieldKind| integer(kind) || matches!(kind, Bool | Enum(_));
    let embedded = |kind: &FieldKind| matches!(kind, Bytes | Message(_));
    match (old, new) {
        (a, b) if integer(a) && integer(b) => (Conditional, Conditional),
        (a, b) if varint(a) && varint(b) => (Conditional, Breaking),
        (Sint32 | Sint64, Sint32 | Sint64)
        | (Fixed32 | Sfixed32, Fixed32 | Sfixed32)
        | (Fixed64 | Sfixed64, Fixed64 | Sfixed64) => (Conditional, Conditional),
        (String | Bytes, String | Bytes) => (Conditional, Breaking),
        (a, b) if embedded(a) && embedded(b) => (Conditional, Breaking),
        // JSON has one form for all numbers.
        (a, b) if number(a) && number(b) => (Breaking, Conditional),
        _ => (Breaking, Breaking),
    }
}

fn number(kind: &FieldKind) -> bool {
    kind.is_packable() && !matches!(kind, Kind::Bool | Kind::Enum(_))
}

fn values(old: &FieldDescriptor, new: &FieldDescriptor, out: &mut Comparer) {
    let (before, after) = (old.kind(), new.kind());
    if matches!((&before, &after), (Kind::String, Kind::String))
        && old.validates_utf8() != new.validates_utf8()
    {
        let word = |field: &FieldDescriptor| if field.validates_utf8() { "VERIFY" } else { "NONE" };
        let kind = DifferenceKind::Utf8Changed;
        out.add(old.full_name(), kind, (Conditional, Conditional), word(old), word(new));
    }
    if before.name() == after.name()
        && !is_repeated(old)
        && !is_repeated(new)
        && !matches!(before, Kind::Message(_))
        && !old.parent_message().is_map_entry()
        && default_text(old) != default_text(new)
    {
        let kind = DifferenceKind::DefaultChanged;
        let texts = (default_text(old), default_text(new));
        out.add(old.full_name(), kind, (Conditional, Conditional), texts.0, texts.1);
    }
}

/// The default as text; that of an enum is its number.
fn default_text(field: &FieldDescriptor) -> Text {
    match (field.kind(), field.explicit_default()) {
        (Kind::Enum(of), Some(DefaultValue::Enum(name))) => {
            format!("{}", of.get_value_by_name(name).unwrap_or_else(|| of.default_value()).number())
        }
        (Kind::Enum(of), _) => format!("{}", of.default_value().number()),
        (_, Some(DefaultValue::Bool(value))) => format!("{value}"),
        (_, Some(DefaultValue::Int(value))) => format!("{value}"),
        (_, Some(DefaultValue::Uint(value))) => format!("{value}"),
        // The float 1.1 is another f64.
        (_, Some(DefaultValue::Float(value))) => format!("{:?}", value + 0.0),
        (_, Some(DefaultValue::String(value))) => format!("{value:?}"),
        (_, Some(DefaultValue::Bytes(value))) => format!("\"{}\"", value.escape_ascii()),
        (Kind::Bool, _) => "false".into(),
        (Kind::String | Kind::Bytes, _) => "\"\"".into(),
        (Kind::Float | Kind::Double, _) => "0.0".into(),
        _ => "0".into(),
    }
}
