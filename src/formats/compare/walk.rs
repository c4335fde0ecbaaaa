//! The way through two messages.

use super::{Comparison, Difference, Rule};
use crate::message::{MapRef, MessageView, ValueRef};
use crate::schema::pool::FieldRef;
use crate::schema::table::Kind;
use alloc::{collections::BTreeMap, format, string::String, string::ToString, vec::Vec};
use core::fmt::Write;
use core::mem::take;

/// Deeper messages are compared as a whole: the walk recurses.
const MOST_LEVELS: u32 = 100;

/// Appends the differences.
pub(super) fn compare(
    comparison: &Comparison,
    a: MessageView<'_, '_>,
    b: MessageView<'_, '_>,
    found: &mut Vec<Difference>,
) {
    let (left, right) = (a.descriptor(), b.descriptor());
    if left != right {
        let (before, after) = (left.full_name().to_string(), right.full_name().to_string());
        found.push(Difference { path: String::new(), before: Some(before), after: Some(after) });
        return;
    }
    let mut walk =
        CompareWalk { comparison, path: String::new(), names: String::new(), levels: MOST_LEVELS, found };
    walk.message(a, b);
}

struct CompareWalk<'c> {
    comparison: &'c Comparison,
    /// Of the current value, with elements; and as rules have it, without.
    path: String,
    names: String,
    levels: u32,
    found: &'c mut Vec<Difference>,
}

/// A field that is set in either message.
type Pair<'a, 'i, 'b, 'j> = (Option<ValueRef<'a, 'i>>, Option<ValueRef<'b, 'j>>);

impl CompareWalk<'_> {
    fn message(&mut self, a: MessageView<'_, '_>, b: MessageView<'_, '_>) {
        let (mut in_a, mut in_b) = (a.fields().peekable(), b.fields().peekable());
        loop {
            // Fields come in the order of their numbers.
            let (next_a, next_b) =
                (in_a.peek().map(|(f, _)| f.number()), in_b.peek().map(|(f, _)| f.number()));
            let Some(number) = next_a.into_iter().chain(next_b).min() else { break };
            let left = in_a.next_if(|(field, _)| field.number() == number);
            let right = in_b.next_if(|(field, _)| field.number() == number);
            let Some((field, _)) = left.or(right) else { break };
            let mut values = (left.map(|(_, value)| value), right.map(|(_, value)| value));
            let implicit = !field.supports_presence() && !field.is_list() && !field.is_map();
            if self.comparison.unset_is_default || implicit {
                // Without presence a field that is not set has its default value.
                values = (values.0.or(a.get_field(field).ok()), values.1.or(b.get_field(field).ok()));
            }
            self.field(field, values);
        }
        if !self.comparison.ignore_unknown {
            self.unknown(a, b);
        }
    }

    fn field(&mut self, field: FieldRef<'_>, values: Pair<'_, '_, '_, '_>) {
        let extension = field.as_extension().is_some();
        let name = if extension { format!("[{}]", field.full_name()) } else { field.name().into() };
        let (path, names) = (self.path.len(), self.names.len());
        for text in [&mut self.path, &mut self.names] {
            if !text.is_empty() {
                text.push('.');
            }
            text.push_str(&name);
        }
        let rules = &self.comparison.rules;
        let rule = rules.iter().rev().find(|(path, _)| *path == self.names).map(|(_, rule)| rule);
        if rule != Some(&Rule::Ignore) {
            self.values(field, values, rule);
        }
        self.path.truncate(path);
        self.names.truncate(names);
    }

    fn values(&mut self, field: FieldRef<'_>, values: Pair<'_, '_, '_, '_>, rule: Option<&Rule>) {
        match values {
            (Some(ValueRef::List(a)), Some(ValueRef::List(b))) => {
                self.list(field, a.iter().collect(), b.iter().collect(), rule)
            }
            (Some(ValueRef::List(a)), None) => self.list(field, a.iter().collect(), Vec::new(), rule),
            (None, Some(ValueRef::List(b))) => self.list(field, Vec::new(), b.iter().collect(), rule),
            (Some(ValueRef::Map(a)), Some(ValueRef::Map(b))) => self.map(field, Some(a), Some(b)),
            (Some(ValueRef::Map(a)), None) => self.map(field, Some(a), None),
            (None, Some(ValueRef::Map(b))) => self.map(field, None, Some(b)),
            values => self.value(field, values),
        }
    }

    /// One value, which either message or both have.
    fn value(&mut self, field: FieldRef<'_>, values: Pair<'_, '_, '_, '_>) {
        match values {
            (Some(ValueRef::Message(a)), Some(ValueRef::Message(b))) if self.levels > 0 => {
                self.levels -= 1;
                self.message(a, b);
                self.levels += 1;
            }
            (Some(a), Some(b)) if self.are_equal(a, b) => {}
            (a, b) => self.differ(a.map(|a| shown(field, a)), b.map(|b| shown(field, b))),
        }
    }

    fn differ(&mut self, before: Option<String>, after: Option<String>) {
        self.found.push(Difference { path: self.path.clone(), before, after });
    }

    fn are_equal(&self, a: ValueRef<'_, '_>, b: ValueRef<'_, '_>) -> bool {
        match (a, b) {
            (ValueRef::F64(a), ValueRef::F64(b)) => self.are_close(a, b) || a.to_bits() == b.to_bits(),
            (ValueRef::F32(a), ValueRef::F32(b)) => {
                self.are_close(a.into(), b.into()) || a.to_bits() == b.to_bits()
            }
            // What a projection left out is not known.
            (ValueRef::Unselected, ValueRef::Unselected) => true,
            (a, b) => a == b,
        }
    }

    fn are_close(&self, a: f64, b: f64) -> bool {
        let Comparison { fraction, margin, .. } = *self.comparison;
        let loosely = fraction > 0.0 || margin > 0.0;
        let far = (a - b).abs();
        loosely && (a == b || far <= margin || far.is_finite() && far <= fraction * a.abs().max(b.abs()))
    }

    /// Runs `compare` at an element, whose place is written by `place`.
    fn at(&mut self, place: core::fmt::Arguments<'_>, compare: impl FnOnce(&mut Self)) {
        let len = self.path.len();
        // Writing to a `String` cannot fail.
        let _ = self.path.write_fmt(place);
        compare(self);
        self.path.truncate(len);
    }

    fn list(
        &mut self,
        field: FieldRef<'_>,
        a: Vec<ValueRef<'_, '_>>,
        b: Vec<ValueRef<'_, '_>>,
        rule: Option<&Rule>,
    ) {
        let pairs = match rule {
            Some(Rule::AsSet) => self.as_set(field, &a, &b),
            Some(Rule::ByKey(keys)) => by_key(keys, &a, &b),
            _ => (0..a.len().max(b.len())).map(|at| (a.get(at).map(|_| at), b.get(at).map(|_| at))).collect(),
        };
        for (left, right) in pairs {
            let values = (left.and_then(|at| a.get(at).copied()), right.and_then(|at| b.get(at).copied()));
            if let Some(at) = left.or(right) {
                self.at(format_args!("[{at}]"), |walk| walk.value(field, values));
            }
        }
    }

    /// Each element with one that is equal, the rest alone.
    fn as_set(
        &mut self,
        field: FieldRef<'_>,
        a: &[ValueRef<'_, '_>],
        b: &[ValueRef<'_, '_>],
    ) -> Vec<Matched> {
        let (mut pairs, mut rest): (Vec<Matched>, Vec<usize>) = (Vec::new(), (0..b.len()).collect());
        for (at, left) in a.iter().enumerate() {
            // Most sets are in the same order.
            let equal = rest
                .iter()
                .position(|&other| b.get(other).is_some_and(|right| self.match_up(field, *left, *right)));
            match equal {
                Some(other) => _ = rest.remove(other),
                None => pairs.push((Some(at), None)),
            }
        }
        pairs.extend(rest.into_iter().map(|other| (None, Some(other))));
        pairs
    }

    /// Whether two values have no difference.
    fn match_up(&mut self, field: FieldRef<'_>, a: ValueRef<'_, '_>, b: ValueRef<'_, '_>) -> bool {
        let mut found = Vec::new();
        let mut walk = CompareWalk {
            comparison: self.comparison,
            path: String::new(),
            names: take(&mut self.names),
            levels: self.levels,
            found: &mut found,
        };
        walk.value(field, (Some(a), Some(b)));
        self.names = walk.names;
        found.is_empty()
    }

    fn map(&mut self, field: FieldRef<'_>, a: Option<MapRef<'_, '_>>, b: Option<MapRef<'_, '_>>) {
        let owned = field.to_owned();
        let Kind::Message(entry) = owned.kind() else { return };
        let Some(value) = entry.map_entry_value_field() else { return };
        let names = self.names.len();
        self.names.push_str(".value");
        for (key, left) in a.iter().flat_map(MapRef::iter) {
            let right = b.as_ref().and_then(|b| b.get(key));
            self.at(format_args!("[{}]", ValueRef::from(key)), |walk| {
                walk.value(value.as_ref(), (Some(left), right))
            });
        }
        for (key, right) in b.iter().flat_map(MapRef::iter) {
            if a.as_ref().is_none_or(|a| !a.contains_key(key)) {
                self.at(format_args!("[{}]", ValueRef::from(key)), |walk| {
                    walk.value(value.as_ref(), (None, Some(right)))
                });
            }
        }
        self.names.truncate(names);
    }

    /// Unknown fields, by number: the order of fields with different numbers does not count.
    fn unknown(&mut self, a: MessageView<'_, '_>, b: MessageView<'_, '_>) {
        let mut by_number: BTreeMap<u32, [RawValues<'_>; 2]> = BTreeMap::new();
        for (side, view) in [a, b].into_iter().enumerate() {
            for field in view.unknown_fields() {
                let sides = by_number.entry(field.number()).or_default();
                if let Some(fields) = sides.get_mut(side) {
                    fields.push((field.tag().get(), field.value()));
                }
            }
        }
        for (number, [left, right]) in by_number {
            if left != right {
                let dot = if self.path.is_empty() { "" } else { "." };
                let texts = [left, right].map(|fields| (!fields.is_empty()).then(|| bytes_of(&fields)));
                let [before, after] = texts;
                self.at(format_args!("{dot}<{number}>"), |walk| walk.differ(before, after));
            }
        }
    }
}

/// The tags and values of the unknown fields with one number.
type RawValues<'i> = Vec<(u32, &'i [u8])>;

/// The positions of elements that belong together.
type Matched = (Option<usize>, Option<usize>);

/// Elements with the same values in these fields.
fn by_key(keys: &[String], a: &[ValueRef<'_, '_>], b: &[ValueRef<'_, '_>]) -> Vec<Matched> {
    let key = |value: &ValueRef<'_, '_>| -> Vec<String> {
        let view = value.as_message();
        let part =
            |name: &String| view.and_then(|view| view.get_path(name).ok().map(|value| value.to_string()));
        keys.iter().map(|name| part(name).unwrap_or_default()).collect()
    };
    let mut rest: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
    for (at, value) in b.iter().enumerate().rev() {
        rest.entry(key(value)).or_default().push(at);
    }
    let mut pairs: Vec<Matched> = a
        .iter()
        .enumerate()
        .map(|(at, value)| (Some(at), rest.get_mut(&key(value)).and_then(Vec::pop)))
        .collect();
    let mut added: Vec<usize> = rest.into_values().flatten().collect();
    added.sort_unstable();
    pairs.extend(added.into_iter().map(|at| (None, Some(at))));
    pairs
}

/// A value in text format, enum values by name.
fn shown(field: FieldRef<'_>, value: ValueRef<'_, '_>) -> String {
    if let (ValueRef::EnumNumber(number), Kind::Enum(enumeration)) = (value, field.to_owned().kind())
        && let Some(value) = enumeration.get_value(number)
    {
        return value.name().to_string();
    }
    value.to_string()
}

fn bytes_of(fields: &[(u32, &[u8])]) -> String {
    let mut text = String::new();
    for (_, bytes) in fields {
        let space = if text.is_empty() { "" } else { " " };
        let _ = write!(text, "{space}b\"{}\"", bytes.escape_ascii());
    }
    text
}
