//! Conflicts between the JSON names of a message's fields, by the rules of C++.

use super::{Builder, DescriptorErrorKind, Result};
use crate::schema::pool::model::names::camel_chars;
use crate::schema::pool::model::{FieldData, FieldFlags, JsonValueData};
use crate::schema::program::{sort_indices, sort_key, sort_keys};
use core::cmp::Ordering;
use core::fmt::Arguments;

/// Which JSON names of a message must be distinct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Default names (camelCase) and custom names.
    All,
    /// Custom names among each other.
    Given,
}

impl Rule {
    /// The rule for a message; `legacy` is `deprecated_legacy_json_field_conflicts`, `strict` is `json_format = ALLOW`.
    pub(super) fn of(legacy: bool, strict: bool) -> Option<Self> {
        match (legacy, strict) {
            (true, _) => None,
            (false, true) => Some(Self::All),
            (false, false) => Some(Self::Given),
        }
    }
}

/// Marks an index of a field whose JSON name is custom. Sorting asks many times, so it is found out once per field.
const CUSTOM: u32 = 1 << 31;

/// A JSON name of a field, custom or default.
#[derive(Clone, Copy)]
struct JsonNameUse<'a> {
    field: u32,
    name: &'a str,
    /// A custom name that counts.
    given: bool,
    /// The name is the field's own, to be compared in camelCase.
    own: bool,
}

impl JsonNameUse<'_> {
    fn chars(&self) -> impl Iterator<Item = char> + '_ {
        let exact = (!self.own).then(|| self.name.chars());
        let camel = self.own.then(|| camel_chars(self.name, false));
        exact.into_iter().flatten().chain(camel.into_iter().flatten())
    }

    fn compare(&self, other: &Self) -> Ordering {
        if self.own || other.own { self.chars().cmp(other.chars()) } else { self.name.cmp(other.name) }
    }
}

impl Builder<'_> {
    pub(super) fn check_json_names(&mut self) -> Result<()> {
        for (message, rule) in core::mem::take(&mut self.json) {
            let custom = self.data.messages.get(message as usize).is_some_and(|message| {
                message.fields.iter().any(|field| field.flags.has(FieldFlags::CUSTOM_JSON))
            });
            if rule != Rule::Given && (custom || self.has_default_clash(message)?) {
                self.check_names(message, |_| true, |_, _| true, false)?;
            }
            if !custom {
                continue;
            }
            match rule {
                Rule::All => self.check_names(message, |_| true, |a, b| a || b, true)?,
                Rule::Given => self.check_names(message, |given| given, |a, b| a && b, true)?,
            }
        }
        Ok(())
    }

    /// Whether two fields of a message have the same default JSON name, where no field has a name of its own.
    fn has_default_clash(&mut self, message: u32) -> Result<bool> {
        let Some(data) = self.data.messages.get(message as usize) else { return Ok(false) };
        let declared = data.fields.get(..data.declared as usize).unwrap_or(&[]);
        // Without `_` the names differ, since those of fields do.
        if declared.iter().all(|field| field.json_name == field.name.local()) {
            return Ok(false);
        }
        let name = |field: &FieldData| self.data.text(field.json_name).as_bytes();
        let key = |(index, field)| sort_key(name(field).len() as u32, name(field), index);
        let mut keys = core::mem::take(&mut self.json_keys);
        keys.clear();
        self.room.reserve(&mut keys, declared.len())?;
        keys.extend((0..).zip(declared).map(key));
        let at = |index: u32| declared.get(index as usize).map(name);
        sort_keys(&mut keys, &mut |a, b| at(a).cmp(&at(b)));
        let same =
            |pair: &[u128]| matches!(pair, &[a, b] if a >> 32 == b >> 32 && at(a as u32) == at(b as u32));
        let clash = keys.windows(2).any(same);
        self.json_keys = keys;
        Ok(clash)
    }

    /// Reports two fields with the same name, among the fields that `counts` selects, if `clash` forbids the pair.
    fn check_names(
        &mut self,
        message: u32,
        counts: fn(bool) -> bool,
        clash: fn(bool, bool) -> bool,
        with_given: bool,
    ) -> Result<()> {
        let mut names = core::mem::take(&mut self.scratch);
        let Some(data) = self.data.messages.get(message as usize) else { return Ok(()) };
        let declared = data.fields.get(..data.declared as usize).unwrap_or(&[]);
        let texts = |data: &FieldData| (self.data.text(data.name.local()), self.data.text(data.json_name));
        let candidate = |marked: u32| -> Option<JsonNameUse<'_>> {
            let (field, custom) = (marked & !CUSTOM, marked & CUSTOM != 0);
            let (name, json) = texts(declared.get(field as usize)?);
            let own = custom && !with_given;
            Some(JsonNameUse { field, name: if own { name } else { json }, given: custom && with_given, own })
        };
        names.clear();
        self.room.reserve(&mut names, declared.len())?;
        names.extend((0..).zip(declared).filter_map(|(field, data)| {
            let custom = data.flags.has(FieldFlags::CUSTOM_JSON);
            counts(custom && with_given).then_some(if custom { field | CUSTOM } else { field })
        }));
        let order = |a: u32, b: u32| match (candidate(a), candidate(b)) {
            (Some(a), Some(b)) => a.compare(&b),
            _ => Ordering::Equal,
        };
        sort_indices(&mut names, &mut |a, b| order(a, b).then((a & !CUSTOM).cmp(&(b & !CUSTOM))));
        for pair in names.windows(2) {
            let &[a, b] = pair else { continue };
            let (Some(first), Some(second)) = (candidate(a), candidate(b)) else { continue };
            if order(a, b) == Ordering::Equal && clash(first.given, second.given) {
                let (at, other) = (second.field.max(first.field), second.field.min(first.field));
                let name = |i: u32| declared.get(i as usize).map_or_else(Default::default, |f| f.name);
                let other = self.data.text(name(other).local());
                let detail = format_args!("it has the name of {other} in JSON");
                let kind = DescriptorErrorKind::DuplicateName;
                self.keep(self.fail(kind, data.file, name(at).full(), detail))?;
            }
        }
        self.scratch = names;
        Ok(())
    }
}

// The JSON names that options give to enum values, `(pb.enumvalue.json).string`, by the rules of protoc.

impl Builder<'_> {
    /// Sorts the names, and checks that a name means one number and that a number has one name.
    pub(super) fn check_json_values(&mut self) -> Result<()> {
        let data = &self.data;
        let key = |i: u32| data.json_values.get(i as usize).map(|v| (v.enumeration, data.text(v.name)));
        let mut by_name = self.room.list(0..data.json_values.len() as u32)?;
        sort_indices(&mut by_name, &mut |a, b| key(a).cmp(&key(b)).then(a.cmp(&b)));
        for pair in by_name.windows(2) {
            if let &[a, b] = pair
                && key(a) == key(b)
                && let (Some(a), Some(b)) =
                    (data.json_values.get(a as usize), data.json_values.get(b as usize))
                && self.number(a.enumeration, a.value) != self.number(b.enumeration, b.value)
            {
                self.note(self.clash(b, a.value))?;
            }
        }
        self.data.json_values_by_name = by_name;
        for value in &self.data.json_values {
            self.note(self.check_json_value(value))?;
        }
        let mut enums = self.data.json_values.iter().map(|v| v.enumeration);
        let mut last = None;
        while let Some(enumeration) = enums.find(|e| last != Some(*e)) {
            self.note(self.check_aliases(enumeration))?;
            last = Some(enumeration);
        }
        Ok(())
    }

    fn check_json_value(&self, value: &JsonValueData) -> Result<()> {
        let name = self.data.text(value.name);
        if name.contains('\0') {
            return self.json_fault(
                DescriptorErrorKind::InvalidOption,
                value.enumeration,
                value.value,
                format_args!("NUL in its name in JSON"),
            );
        }
        match self.data.enum_value(value.enumeration, name) {
            Some(other)
                if self.number(value.enumeration, other) != self.number(value.enumeration, value.value) =>
            {
                self.clash(value, other)
            }
            _ => Ok(()),
        }
    }

    /// Checks that all values with the same number have the same name in JSON, or none of them one.
    fn check_aliases(&self, enumeration: u32) -> Result<()> {
        for (position, value) in (0..).zip(self.data.values(enumeration)) {
            let first = self.data.value_position(enumeration, value.number).unwrap_or(position);
            let json = |position| self.data.json_value(enumeration, position);
            if json(first) != json(position) {
                return self.json_fault(
                    DescriptorErrorKind::InvalidOption,
                    enumeration,
                    position,
                    format_args!("its name in JSON is not that of the other values with its number"),
                );
            }
        }
        Ok(())
    }

    fn number(&self, enumeration: u32, position: u32) -> Option<i32> {
        self.data.values(enumeration).get(position as usize).map(|v| v.number)
    }

    #[cold]
    fn clash(&self, value: &JsonValueData, other: u32) -> Result<()> {
        let other = self.data.values(value.enumeration).get(other as usize);
        let other = other.map_or("", |v| self.data.text(v.name.local()));
        self.json_fault(
            DescriptorErrorKind::DuplicateName,
            value.enumeration,
            value.value,
            format_args!("it has the name of {other} in JSON"),
        )
    }

    #[cold]
    fn json_fault(
        &self,
        kind: DescriptorErrorKind,
        enumeration: u32,
        position: u32,
        detail: Arguments<'_>,
    ) -> Result<()> {
        let file = self.data.enums.get(enumeration as usize).map_or(0, |e| e.file);
        let name = self.data.values(enumeration).get(position as usize).map(|v| v.name.full());
        Err(self.fail(kind, file, name.unwrap_or_default(), detail))
    }
}
