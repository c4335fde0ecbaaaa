//! The JSON names that options give to enum values, `(pb.enumvalue.json).string`, by the rules of protoc.

use super::{Builder, DescriptorErrorKind, Result};
use crate::schema::pool::model::JsonValueData;
use crate::schema::program::sort_indices;
use core::fmt::Arguments;

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
                return self.clash(b, a.value);
            }
        }
        self.data.json_values_by_name = by_name;
        for value in &self.data.json_values {
            self.check_json_value(value)?;
        }
        let mut enums = self.data.json_values.iter().map(|v| v.enumeration);
        let mut last = None;
        while let Some(enumeration) = enums.find(|e| last != Some(*e)) {
            self.check_aliases(enumeration)?;
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
