//! Compares pairs of messages, one after another: a queue, no recursion. A pair is compared once.

use super::difference::{Compatibility, Difference, DifferenceKind};
use super::enums::EnumFacts;
use super::fields;
use super::options;
use super::queue::Comparer;
use super::reserved::{Reserved, extension_ranges};
use Compatibility::{Breaking, Compatible, Conditional};
use alloc::collections::BTreeMap;
use alloc::{format, string::String, vec::Vec};
use tablepb::prost_reflect_names::{EnumNames, MessageNames};
use tablepb::schema::{EnumValueDescriptor, OneofDescriptor};
use tablepb::{EnumDescriptor, FieldDescriptor, MessageDescriptor};

impl Comparer {
    /// Compares all pairs, and those that they lead to.
    pub(super) fn run(mut self) -> Vec<Difference> {
        let mut at = 0;
        while let Some((old, new)) = self.pairs.get(at).cloned() {
            self.message(&old, &new);
            at += 1;
        }
        for (old, new) in core::mem::take(&mut self.enum_pairs) {
            EnumFacts::of(&old).compare(&EnumFacts::of(&new), &mut self);
            let bytes = EnumDescriptor::options_bytes;
            options::compare(old.full_name(), (&old, &new), bytes, EnumDescriptor::options, &mut self);
            for value in old.values() {
                if let Some(partner) = new.get_value_by_name(value.name()).or(new.get_value(value.number())) {
                    let (path, pair) = (value.full_name(), (&value, &partner));
                    let bytes = EnumValueDescriptor::options_bytes;
                    options::compare(path, pair, bytes, EnumValueDescriptor::options, &mut self);
                }
            }
        }
        self.found
    }

    fn message(&mut self, old: &MessageDescriptor, new: &MessageDescriptor) {
        let entries = old.is_map_entry() || new.is_map_entry();
        if old.full_name() != new.full_name() && !entries {
            let kind = DifferenceKind::TypeRenamed;
            self.add(old.full_name(), kind, (Compatible, Compatible), old.full_name(), new.full_name());
        }
        if old.is_message_set() != new.is_message_set() {
            let form = |set: bool| if set { "MessageSet" } else { "fields" };
            let forms = (form(old.is_message_set()), form(new.is_message_set()));
            self.add(
                old.full_name(),
                DifferenceKind::MessageSetChanged,
                (Breaking, Breaking),
                forms.0,
                forms.1,
            );
        }
        let bytes = MessageDescriptor::options_bytes;
        options::compare(old.full_name(), (old, new), bytes, MessageDescriptor::options, self);
        let pairs = self.pair_fields(old, new);
        for (old, new) in &pairs {
            fields::compare(old, new, self);
            let bytes = FieldDescriptor::options_bytes;
            options::compare(old.full_name(), (old, new), bytes, FieldDescriptor::options, self);
        }
        self.oneofs(&pairs);
        for oneof in old.oneofs() {
            if let Some(partner) = new.oneofs().find(|partner| partner.name() == oneof.name()) {
                let bytes = OneofDescriptor::options_bytes;
                options::compare(
                    oneof.full_name(),
                    (&oneof, &partner),
                    bytes,
                    OneofDescriptor::options,
                    self,
                );
            }
        }
    }

    /// The fields that both messages have: by number, or else by name. Others are new or removed.
    fn pair_fields(
        &mut self,
        old: &MessageDescriptor,
        new: &MessageDescriptor,
    ) -> Vec<(FieldDescriptor, FieldDescriptor)> {
        let mut pairs = Vec::new();
        let reserved = Reserved::of_message(new);
        let was_reserved = Reserved::of_message(old);
        if self.pools {
            was_reserved.compare(&reserved, (old.full_name(), new.full_name()), self);
            extension_ranges(old, new, self);
        }
        for field in self.fields_of(old) {
            if let Some(partner) = self.by_number(new, field.number()) {
                pairs.push((field, partner));
            } else if let Some(moved) = self.moved(&field, new, old) {
                let numbers = (format!("{}", field.number()), format!("{}", moved.number()));
                let kind = DifferenceKind::NumberChanged;
                self.add(field.full_name(), kind, (Breaking, Compatible), numbers.0, numbers.1);
                pairs.push((field, moved));
            } else {
                let verdict = match field.is_required() {
                    true => (Breaking, Breaking),
                    false => reserved.verdict(i64::from(field.number()), field.name()),
                };
                self.add(field.full_name(), DifferenceKind::FieldRemoved, verdict, fields::text(&field), "");
            }
        }
        for field in self.fields_of(new) {
            if self.by_number(old, field.number()).is_some() || self.moved(&field, old, new).is_some() {
                continue;
            }
            let reused = was_reserved.has_number(i64::from(field.number()));
            let verdict = match field.is_required() {
                true => (Breaking, Breaking),
                false if reused => (Conditional, Compatible),
                false => (Compatible, Compatible),
            };
            self.add(field.full_name(), DifferenceKind::FieldAdded, verdict, "", fields::text(&field));
        }
        pairs
    }

    /// The field of the same name in `other`, if neither message has the number of the other field.
    fn moved(
        &self,
        field: &FieldDescriptor,
        other: &MessageDescriptor,
        own: &MessageDescriptor,
    ) -> Option<FieldDescriptor> {
        if field.is_extension() {
            return None;
        }
        let moved = other.get_field_by_name(field.name())?;
        self.by_number(own, moved.number()).is_none().then_some(moved)
    }

    /// Compares the oneofs of the fields that both messages have.
    fn oneofs(&mut self, pairs: &[(FieldDescriptor, FieldDescriptor)]) {
        // How many of the fields each oneof has, and each pair of oneofs; "" stands for no oneof.
        let mut counts: BTreeMap<(String, String), (u32, bool)> = BTreeMap::new();
        let names = |(old, new): &(FieldDescriptor, FieldDescriptor)| (oneof_name(old), oneof_name(new));
        for pair in pairs {
            let (old, new) = names(pair);
            for key in [(old.clone(), "*".into()), ("*".into(), new.clone()), (old, new)] {
                counts.entry(key).or_insert((0, false)).0 += 1;
            }
        }
        for pair in pairs {
            let (old, new) = names(pair);
            let count = |a: &str, b: &str| counts.get(&(a.into(), b.into())).map_or(0, |c| c.0);
            let (of_old, of_new, both) = (count(&old, "*"), count("*", &new), count(&old, &new));
            let path = pair.0.full_name();
            // A field that stays in its oneof has not moved; those that join or leave it have.
            if old == new {
                continue;
            }
            if !old.is_empty() && !new.is_empty() && of_old == both && of_new == both {
                let first =
                    counts.get_mut(&(old.clone(), new.clone())).map(|c| core::mem::replace(&mut c.1, true));
                if first == Some(false) {
                    self.add(path, DifferenceKind::OneofRenamed, (Compatible, Compatible), old, new);
                }
                continue;
            }
            // Alone, a field is as it would be outside of the oneof.
            let alone = (old.is_empty() || of_old == 1) && (new.is_empty() || of_new == 1);
            let verdict = if alone { (Compatible, Compatible) } else { (Breaking, Breaking) };
            let word = |name: String| if name.is_empty() { "none".into() } else { name };
            self.add(path, DifferenceKind::OneofChanged, verdict, word(old), word(new));
        }
    }
}

/// The name of the oneof of a field, if it is a real one.
fn oneof_name(field: &FieldDescriptor) -> String {
    let oneof: Option<OneofDescriptor> = field.containing_oneof().filter(|oneof| !oneof.is_synthetic());
    oneof.map_or(String::new(), |oneof| oneof.name().into())
}
