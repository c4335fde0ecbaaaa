//! Rules for messages, oneofs and enums.

use super::files::{Kept, stays};
use super::places::At;
use super::{Checker, Rule, fields};
use crate::features;
use crate::named::Ranges;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::{format, string::String, vec::Vec};
use tablepb::{EnumDescriptor, MessageDescriptor};

const MESSAGES: Kept =
    Kept { what: "message", in_file: Rule::MessageNoDelete, in_package: Rule::PackageMessageNoDelete };
const ENUMS: Kept = Kept { what: "enum", in_file: Rule::EnumNoDelete, in_package: Rule::PackageEnumNoDelete };

/// `features.json_format` in the descriptors of messages and of enums.
const MESSAGE_JSON_FORMAT: [i32; 3] = [7, 12, 6];
const ENUM_JSON_FORMAT: [i32; 3] = [3, 7, 6];
/// `features.enum_type` of an enum.
const ENUM_TYPE: [i32; 3] = [3, 7, 2];
/// `options.no_standard_descriptor_accessor` of a message.
const ACCESSOR: [i32; 2] = [7, 2];

pub(super) fn check(checker: &mut Checker<'_>) {
    let (old, new) = (checker.old, checker.new);
    for (name, before) in &old.messages {
        let after = new.messages.get(name);
        stays(checker, &MESSAGES, name, &before.parent_file(), after.map(|it| it.parent_file()).as_ref());
        if let Some(after) = after {
            messages(checker, before, after);
        }
    }
    for (name, before) in &old.enums {
        let after = new.enums.get(name);
        stays(checker, &ENUMS, name, &before.parent_file(), after.map(|it| it.parent_file()).as_ref());
        if let Some(after) = after {
            enums(checker, before, after);
        }
    }
}

fn messages(checker: &mut Checker<'_>, old: &MessageDescriptor, new: &MessageDescriptor) {
    let (at, name) = (At::Message(new), new.full_name());
    let accessor = |message: &MessageDescriptor| {
        let options = message.options();
        !message.options_bytes().is_empty()
            && options.get("no_standard_descriptor_accessor").and_then(|it| it.as_bool()) == Some(true)
    };
    if !accessor(old) && accessor(new) {
        let text = format!("the option no_standard_descriptor_accessor of {name} changes from false to true");
        checker.add(Rule::MessageNoRemoveStandardDescriptorAccessor, at, &[&ACCESSOR], text);
    }
    if features::message_allows_json(old) && !features::message_allows_json(new) {
        let text = format!("the JSON format of {name} changes from ALLOW to LEGACY_BEST_EFFORT");
        checker.add(Rule::MessageSameJsonFormat, at, &[&MESSAGE_JSON_FORMAT], text);
    }
    for oneof in old.oneofs().filter(|oneof| !oneof.is_synthetic()) {
        if !new.oneofs().any(|it| it.name() == oneof.name()) {
            let text = format!("oneof {:?} of {name} was deleted", oneof.name());
            checker.add(Rule::OneofNoDelete, at, &[], text);
        }
    }
    required(checker, old, new);
    let of = |message: &MessageDescriptor| Ranges::of_message(message, message.extension_ranges());
    for gone in of(old).lost(&of(new)) {
        let text = format!("{name} no longer leaves {gone} to extensions");
        checker.add(Rule::ExtensionMessageNoDelete, at, &[], text);
    }
    let of = |message: &MessageDescriptor| Ranges::of_message(message, message.reserved_ranges());
    let texts = unreserved((of(old), of(new)), (names(old.reserved_names()), names(new.reserved_names())));
    for text in texts {
        checker.add(Rule::ReservedMessageNoDelete, at, &[], format!("{name} no longer reserves {text}"));
    }
    fields::check(checker, old, new);
}

fn required(checker: &mut Checker<'_>, old: &MessageDescriptor, new: &MessageDescriptor) {
    let rule = Rule::MessageSameRequiredFields;
    let is_required = |message: &MessageDescriptor, number: u32| {
        message.get_field(number).is_some_and(|field| field.is_required())
    };
    for field in old.fields().filter(|it| it.is_required() && !is_required(new, it.number())) {
        let text = format!(
            "required field {} {:?} of {} was deleted",
            field.number(),
            field.name(),
            new.full_name()
        );
        checker.add(rule, At::Message(new), &[], text);
    }
    for field in new.fields().filter(|it| it.is_required() && !is_required(old, it.number())) {
        let text =
            format!("required field {} {:?} of {} was added", field.number(), field.name(), new.full_name());
        checker.add(rule, At::Field(&field), &[], text);
    }
}

fn names<'n>(names: impl Iterator<Item = &'n str>) -> BTreeSet<&'n str> {
    names.collect()
}

/// What is reserved no longer, a text for each range of numbers and for each name.
fn unreserved(
    (old, new): (Ranges, Ranges),
    (old_names, new_names): (BTreeSet<&str>, BTreeSet<&str>),
) -> Vec<String> {
    old.lost(&new)
        .into_iter()
        .chain(old_names.difference(&new_names).map(|name| format!("{name:?}")))
        .collect()
}

fn enums(checker: &mut Checker<'_>, old: &EnumDescriptor, new: &EnumDescriptor) {
    let (at, name) = (At::Enum(new), new.full_name());
    let form = |enumeration: &EnumDescriptor| if enumeration.is_closed() { "closed" } else { "open" };
    if old.is_closed() != new.is_closed() {
        let text = format!("enum {name} changes from {} to {}", form(old), form(new));
        checker.add(Rule::EnumSameType, at, &[&ENUM_TYPE], text);
    }
    if features::enum_allows_json(old) && !features::enum_allows_json(new) {
        let text = format!("the JSON format of enum {name} changes from ALLOW to LEGACY_BEST_EFFORT");
        checker.add(Rule::EnumSameJsonFormat, at, &[&ENUM_JSON_FORMAT], text);
    }
    let (numbers, names_new) = (Ranges::of_enum(new), names(new.reserved_names()));
    for text in unreserved(
        (Ranges::of_enum(old), Ranges::of_enum(new)),
        (names(old.reserved_names()), names_new.clone()),
    ) {
        let text = format!("enum {name} no longer reserves {text}");
        checker.add(Rule::ReservedEnumNoDelete, at, &[], text);
    }
    let (before, after) = (values(old), values(new));
    for (number, old_names) in &before {
        let shown = old_names.keys().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
        let Some(new_names) = after.get(number) else {
            let text = format!("value {number} {shown} of enum {name} was deleted");
            let mut add = |rule, end: &str| checker.add(rule, at, &[], format!("{text}{end}"));
            add(Rule::EnumValueNoDelete, "");
            if !numbers.has(i64::from(*number)) {
                add(Rule::EnumValueNoDeleteUnlessNumberReserved, " and its number is not reserved");
            }
            if !old_names.keys().all(|name| names_new.contains(name.as_str())) {
                add(Rule::EnumValueNoDeleteUnlessNameReserved, " and its name is not reserved");
            }
            continue;
        };
        // More names than before are aliases.
        if !old_names.keys().all(|name| new_names.contains_key(name)) {
            let now = new_names.keys().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
            for index in new_names.values() {
                let text = format!("value {number} of enum {name} changes its name from {shown} to {now}");
                let value = [2, *index];
                let number_of_value = [2, *index, 2];
                checker.add(Rule::EnumValueSameName, at, &[&number_of_value, &value], text);
            }
        }
    }
}

/// The names of each number, with their places in the enum.
fn values(enumeration: &EnumDescriptor) -> BTreeMap<i32, BTreeMap<String, i32>> {
    let mut values: BTreeMap<i32, BTreeMap<String, i32>> = BTreeMap::new();
    for (value, index) in enumeration.values().zip(0..) {
        values.entry(value.number()).or_default().insert(value.name().into(), index);
    }
    values
}
