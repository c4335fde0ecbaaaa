//! Conflicts between the JSON names of a message's fields, by the rules of C++.

use super::{Builder, DescriptorErrorKind, Result};
use crate::program::sort_indices;
use crate::schema::names::{camel_chars, is_json_name};
use core::cmp::Ordering;

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

/// A JSON name of a field, custom or default.
#[derive(Clone, Copy)]
struct Candidate<'a> {
    field: u32,
    name: &'a str,
    /// A custom name, compared as it is; a default name is compared in camelCase.
    given: bool,
}

impl Candidate<'_> {
    fn chars(&self) -> impl Iterator<Item = char> + '_ {
        let exact = self.given.then(|| self.name.chars());
        let camel = (!self.given).then(|| camel_chars(self.name, false));
        exact.into_iter().flatten().chain(camel.into_iter().flatten())
    }

    fn compare(&self, other: &Self) -> Ordering {
        self.chars().cmp(other.chars())
    }
}

impl Builder<'_> {
    pub(super) fn check_json_names(&mut self) -> Result<()> {
        for (message, rule) in core::mem::take(&mut self.json) {
            if rule != Rule::Given {
                self.check_names(message, |_| true, |_, _| true, false)?;
            }
            match rule {
                Rule::All => self.check_names(message, |_| true, |a, b| a || b, true)?,
                Rule::Given => self.check_names(message, |given| given, |a, b| a && b, true)?,
            }
        }
        Ok(())
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
        let candidate = |field: u32| -> Option<Candidate<'_>> {
            let data = declared.get(field as usize)?;
            let (name, json) = (self.data.text(data.name.local()), self.data.text(data.json_name));
            let given = with_given && !is_json_name(json, name);
            Some(Candidate { field, name: if given { json } else { name }, given })
        };
        names.clear();
        self.room.reserve(&mut names, declared.len())?;
        names.extend((0..declared.len() as u32).filter(|&i| candidate(i).is_some_and(|c| counts(c.given))));
        let order = |a: u32, b: u32| match (candidate(a), candidate(b)) {
            (Some(a), Some(b)) => a.compare(&b),
            _ => Ordering::Equal,
        };
        sort_indices(&mut names, &mut |a, b| order(a, b).then(a.cmp(&b)));
        for pair in names.windows(2) {
            let &[a, b] = pair else { continue };
            let (Some(first), Some(second)) = (candidate(a), candidate(b)) else { continue };
            if order(a, b) == Ordering::Equal && clash(first.given, second.given) {
                let (at, other) = (second.field.max(first.field), second.field.min(first.field));
                let name = |i: u32| declared.get(i as usize).map_or_else(Default::default, |f| f.name);
                let other = self.data.text(name(other).local());
                let detail = format_args!("it has the name of {other} in JSON");
                return Err(self.fail(
                    DescriptorErrorKind::DuplicateName,
                    data.file,
                    name(at).full(),
                    detail,
                ));
            }
        }
        self.scratch = names;
        Ok(())
    }
}
