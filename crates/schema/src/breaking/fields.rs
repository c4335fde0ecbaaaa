//! Rules for fields and extensions.

use super::files::{Kept, stays};
use super::places::At;
use super::{Checker, Rule};
use crate::diff::kind_text;
use crate::features;
use crate::named::Ranges;
use alloc::collections::BTreeMap;
use alloc::string::String as Text;
use alloc::{format, vec::Vec};
use tablepb::schema::FieldKind;
use tablepb::table::Kind;
use tablepb::{EnumDescriptor, FieldDescriptor, MessageDescriptor, Value};

const EXTENSIONS: Kept =
    Kept { what: "extension", in_file: Rule::ExtensionNoDelete, in_package: Rule::PackageExtensionNoDelete };

/// Fields of `FieldDescriptorProto`.
const NAME: &[i32] = &[1];
const TYPE: &[i32] = &[5];
const TYPE_NAME: &[i32] = &[6];
const DEFAULT_VALUE: &[i32] = &[7];
const JSON_NAME: &[i32] = &[10];
/// Its options: `ctype`, `jstype` and features.
const CTYPE: &[i32] = &[8, 1];
const JSTYPE: &[i32] = &[8, 6];
const UTF8_VALIDATION: &[i32] = &[8, 21, 4];
const CPP_STRING_TYPE: &[i32] = &[8, 21, 1000, 2];
const JAVA_UTF8_VALIDATION: &[i32] = &[8, 21, 1001, 2];

/// The fields of a message that is in both schemas.
pub(super) fn check(checker: &mut Checker<'_>, old: &MessageDescriptor, new: &MessageDescriptor) {
    for field in old.fields() {
        match new.get_field(field.number()) {
            Some(partner) => compare(checker, &field, &partner),
            None => deleted(checker, &field, new),
        }
    }
    order(checker, old, new);
}

/// The extensions of all messages, by the message and their number.
pub(super) fn check_extensions(checker: &mut Checker<'_>) {
    let (old, new) = (checker.old, checker.new);
    let key = |field: &FieldDescriptor| (Text::from(field.parent_message().full_name()), field.number());
    let partners: BTreeMap<_, _> = new.extensions.values().map(|it| (key(&it.as_field()), it)).collect();
    for (name, before) in &old.extensions {
        let there = new.extensions.get(name).map(|it| it.parent_file());
        stays(checker, &EXTENSIONS, name, &before.parent_file(), there.as_ref());
        let field = before.as_field();
        if let Some(partner) = partners.get(&key(&field)) {
            compare(checker, &field, &partner.as_field());
        }
    }
}

fn deleted(checker: &mut Checker<'_>, field: &FieldDescriptor, new: &MessageDescriptor) {
    let (number, name) = (field.number(), field.name());
    let text = format!("field {number} {name:?} of {} was deleted", new.full_name());
    let mut add = |rule, end: &str| checker.add(rule, At::Message(new), &[], format!("{text}{end}"));
    add(Rule::FieldNoDelete, "");
    if !Ranges::of_message(new, new.reserved_ranges()).has(i64::from(number)) {
        add(Rule::FieldNoDeleteUnlessNumberReserved, " and its number is not reserved");
    }
    if !new.reserved_names().any(|reserved| reserved == name) {
        add(Rule::FieldNoDeleteUnlessNameReserved, " and its name is not reserved");
    }
}

/// The fields of both schemas have one order, and are the first ones of the new one.
fn order(checker: &mut Checker<'_>, old: &MessageDescriptor, new: &MessageDescriptor) {
    let kept = old.fields().filter(|field| new.get_field(field.number()).is_some());
    let moved = kept.zip(new.fields()).find(|(before, after)| before.number() != after.number());
    if let Some((before, after)) = moved {
        let text = format!("{} stands where {:?} was", describe(&after), before.name());
        checker.add(Rule::FieldSameOrder, At::Field(&after), &[], text);
    }
}

fn describe(field: &FieldDescriptor) -> Text {
    let (number, of) = (field.number(), field.parent_message().full_name());
    match field.is_extension() {
        true => format!("extension {number} {:?} of {of}", field.full_name()),
        false => format!("field {number} {:?} of {of}", field.name()),
    }
}

fn compare(checker: &mut Checker<'_>, old: &FieldDescriptor, new: &FieldDescriptor) {
    let mut add = |rule, parts: &[&[i32]], change: Text| {
        checker.add(rule, At::Field(new), parts, format!("{} changes {change}", describe(new)));
    };
    names(old, new, &mut add);
    cardinality(old, new, &mut add);
    types(old, new, &mut add);
    values(old, new, &mut add);
    // An entry belongs to its field.
    if let (true, Kind::Message(old), Kind::Message(new)) =
        (old.is_map() && new.is_map(), old.kind(), new.kind())
    {
        for (before, after) in old.fields().zip(new.fields()) {
            compare(checker, &before, &after);
        }
    }
}

/// Adds a breach: the rule, the parts of the field where it shows, and what changes.
type Add<'a> = &'a mut dyn FnMut(Rule, &[&[i32]], Text);

fn names(old: &FieldDescriptor, new: &FieldDescriptor, add: Add<'_>) {
    let name = |field: &FieldDescriptor| match field.is_extension() {
        true => Text::from(field.full_name()),
        false => field.name().into(),
    };
    if name(old) != name(new) {
        add(Rule::FieldSameName, &[NAME], format!("its name from {:?} to {:?}", name(old), name(new)));
    }
    if !old.is_extension() && old.json_name() != new.json_name() {
        let text = format!("its JSON name from {:?} to {:?}", old.json_name(), new.json_name());
        add(Rule::FieldSameJsonName, &[JSON_NAME], text);
    }
    let oneof = |field: &FieldDescriptor| {
        let oneof = field.containing_oneof().filter(|oneof| !oneof.is_synthetic());
        oneof.map_or(Text::from("no oneof"), |oneof| format!("oneof {:?}", oneof.name()))
    };
    if oneof(old) != oneof(new) {
        add(Rule::FieldSameOneof, &[], format!("from {} to {}", oneof(old), oneof(new)));
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cardinality {
    Explicit,
    Implicit,
    Required,
    List,
    Map,
}

impl Cardinality {
    fn of(field: &FieldDescriptor) -> Self {
        match () {
            () if field.is_map() => Self::Map,
            () if field.is_list() => Self::List,
            () if field.is_required() => Self::Required,
            () if field.supports_presence() => Self::Explicit,
            () => Self::Implicit,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Explicit => "optional with explicit presence",
            Self::Implicit => "optional with implicit presence",
            Self::Required => "required",
            Self::List => "repeated",
            Self::Map => "map",
        }
    }
}

fn cardinality(old: &FieldDescriptor, new: &FieldDescriptor, add: Add<'_>) {
    use Cardinality::{Implicit, List, Map};
    // Both are there in an entry, whatever its file says.
    if old.parent_message().is_map_entry() && new.parent_message().is_map_entry() {
        return;
    }
    let (before, after) = (Cardinality::of(old), Cardinality::of(new));
    let singular = |it| if it == Implicit { Cardinality::Explicit } else { it };
    let (json_before, json_after) = (singular(before), singular(after));
    let wire = |it| if it == Map { List } else { it };
    let text = || format!("its cardinality from {} to {}", before.name(), after.name());
    if before != after {
        add(Rule::FieldSameCardinality, &[], text());
    }
    if json_before != json_after {
        add(Rule::FieldWireJsonCompatibleCardinality, &[], text());
    }
    if wire(json_before) != wire(json_after) {
        add(Rule::FieldWireCompatibleCardinality, &[], text());
    }
}

/// The type in the words of a .proto file; that of a group says so.
fn type_text(field: &FieldDescriptor) -> Text {
    let text = kind_text(field);
    if field.is_group() { format!("group {text}") } else { text }
}

/// Types of one number are read alike; what the values are, a schema does not say.
fn wire_group(field: &FieldDescriptor) -> u8 {
    use Kind::*;
    match field.kind() {
        Int32 | Int64 | Uint32 | Uint64 | Bool => 1,
        Sint32 | Sint64 => 2,
        String => 3,
        Bytes => 4,
        Fixed32 | Sfixed32 => 5,
        Fixed64 | Sfixed64 => 6,
        Double => 7,
        Float => 8,
        Message(_) if field.is_group() => 9,
        Message(_) => 10,
        Enum(_) => 11,
    }
}

/// The same, in JSON too.
fn json_group(field: &FieldDescriptor) -> u8 {
    use Kind::*;
    match field.kind() {
        Int32 | Uint32 => 1,
        Int64 | Uint64 => 2,
        Bool => 12,
        Sint32 => 13,
        Sint64 => 14,
        _ => wire_group(field),
    }
}

/// All values of the old enum have their names and numbers in the new one, and the enums have one short name.
fn goes_on(old: &EnumDescriptor, new: &EnumDescriptor) -> bool {
    let there = |name: &str, number| new.value(name).is_ok_and(|value| value.number() == number);
    old.name() == new.name() && old.values().all(|value| there(value.name(), value.number()))
}

fn types(old: &FieldDescriptor, new: &FieldDescriptor, add: Add<'_>) {
    let text = || format!("its type from {} to {}", type_text(old), type_text(new));
    let parts: &[&[i32]] = &[TYPE_NAME, TYPE];
    let (before, after) = (old.kind(), new.kind());
    let renamed = match (&before, &after) {
        // The name of an entry follows that of its field.
        (Kind::Message(_), Kind::Message(_)) if old.is_map() && new.is_map() => false,
        (Kind::Message(a), Kind::Message(b)) => a.full_name() != b.full_name(),
        (Kind::Enum(a), Kind::Enum(b)) => a.full_name() != b.full_name(),
        _ => false,
    };
    let same = before.name() == after.name() && old.is_group() == new.is_group();
    if !same || renamed {
        add(Rule::FieldSameType, parts, text());
    }
    let other = match (&before, &after) {
        (Kind::Enum(a), Kind::Enum(b)) => renamed && !goes_on(a, b),
        _ => renamed,
    };
    let text_to_bytes = matches!((&before, &after), (Kind::String, Kind::Bytes));
    if other || (wire_group(old) != wire_group(new) && !text_to_bytes) {
        add(Rule::FieldWireCompatibleType, parts, text());
    }
    if other || json_group(old) != json_group(new) {
        add(Rule::FieldWireJsonCompatibleType, parts, text());
    }
}

fn values(old: &FieldDescriptor, new: &FieldDescriptor, add: Add<'_>) {
    if let (Some(before), Some(after)) = (Default::of(old), Default::of(new))
        && !(before.is_zero() && after.is_zero())
        && !before.equals(&after)
    {
        let text = format!("its default from {} to {}", before.text(), after.text());
        add(Rule::FieldSameDefault, &[DEFAULT_VALUE], text);
    }
    let (before, after) = (old.kind(), new.kind());
    let is_text = |kind: &FieldKind| matches!(kind, Kind::String | Kind::Bytes);
    let entries = old.parent_message().is_map_entry() && new.parent_message().is_map_entry();
    if is_text(&before) && is_text(&after) && !entries {
        let (before, after) = (features::cpp_string(old), features::cpp_string(new));
        // A STRING takes what was a STRING_PIECE.
        if before != after && (before, after) != ("STRING_PIECE", "STRING") {
            let text = format!("its type in C++ from {before} to {after}");
            add(Rule::FieldSameCppStringType, &[CTYPE, CPP_STRING_TYPE], text);
        }
    }
    let word = |verifies| if verifies { "VERIFY" } else { "NONE" };
    if matches!((&before, &after), (Kind::String, Kind::String)) {
        let (is, will) = (old.validates_utf8(), new.validates_utf8());
        if is != will {
            let text = format!("its UTF-8 validation from {} to {}", word(is), word(will));
            add(Rule::FieldSameUtf8Validation, &[UTF8_VALIDATION], text);
        }
        let (is, will) = (features::java_verifies(old), features::java_verifies(new));
        if is != will {
            let text = format!("its UTF-8 validation in Java from {} to {}", word(is), word(will));
            add(Rule::FieldSameJavaUtf8Validation, &[JAVA_UTF8_VALIDATION], text);
        }
    }
    let long = |kind: &FieldKind| {
        matches!(kind, Kind::Int64 | Kind::Uint64 | Kind::Sint64 | Kind::Fixed64 | Kind::Sfixed64)
    };
    if long(&before) && long(&after) {
        let jstype = |field| match features::field_option(field, "jstype") {
            Some(1) => "JS_STRING",
            Some(2) => "JS_NUMBER",
            _ => "JS_NORMAL",
        };
        if jstype(old) != jstype(new) {
            let text = format!("its type in JavaScript from {} to {}", jstype(old), jstype(new));
            add(Rule::FieldSameJstype, &[JSTYPE], text);
        }
    }
}

/// A default value, as far as it can be compared with one of another type: by number, or by bytes.
enum Default {
    Bytes(Vec<u8>),
    Integer(i128),
    Float(f64, bool),
}

impl Default {
    /// That of a field that can have one.
    fn of(field: &FieldDescriptor) -> Option<Self> {
        let message = matches!(field.kind(), Kind::Message(_));
        if message || field.is_list() || field.is_map() {
            return None;
        }
        Some(match field.default_value() {
            Value::Bool(value) => Self::Integer(value.into()),
            Value::I32(value) | Value::EnumNumber(value) => Self::Integer(value.into()),
            Value::I64(value) => Self::Integer(value.into()),
            Value::U32(value) => Self::Integer(value.into()),
            Value::U64(value) => Self::Integer(value.into()),
            Value::F32(value) => Self::Float(value.into(), true),
            Value::F64(value) => Self::Float(value, false),
            Value::String(text) => Self::Bytes(text.into_bytes()),
            Value::Bytes(bytes) => Self::Bytes(bytes),
            _ => return None,
        })
    }

    fn is_zero(&self) -> bool {
        match self {
            Self::Bytes(bytes) => bytes.is_empty(),
            Self::Integer(value) => *value == 0,
            // A negative zero is written.
            Self::Float(value, _) => value.to_bits() == 0,
        }
    }

    fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Bytes(a), Self::Bytes(b)) => a == b,
            (Self::Integer(a), Self::Integer(b)) => a == b,
            (Self::Float(a, _), Self::Float(b, _)) if a.is_nan() || b.is_nan() => a.is_nan() && b.is_nan(),
            // A float is compared with a double as a float: 1.1 is another double.
            (Self::Float(a, short_a), Self::Float(b, short_b)) if short_a != short_b => {
                *a as f32 == *b as f32
            }
            (Self::Float(a, _), Self::Float(b, _)) => a == b,
            (Self::Integer(a), Self::Float(b, _)) | (Self::Float(b, _), Self::Integer(a)) => {
                *b as i128 == *a && *a as f64 == *b
            }
            _ => false,
        }
    }

    fn text(&self) -> Text {
        match self {
            Self::Bytes(bytes) => format!("\"{}\"", bytes.escape_ascii()),
            Self::Integer(value) => format!("{value}"),
            Self::Float(value, true) => format!("{}", *value as f32),
            Self::Float(value, false) => format!("{value}"),
        }
    }
}
