//! Looks at each message and enum as a whole, once everything is resolved.

use super::ranges::{Ranges, Use};
use super::{Builder, DescriptorErrorKind as Kind, Result};
use crate::schema::model::{EnumData, FieldData, FieldFlags, MessageData, NONE};
use crate::schema::proto::Edition;
use crate::table::{Cardinality, Kind as FieldKind};
use crate::wire::Tag;
use alloc::{collections::BTreeSet, format, string::String, vec::Vec};

/// Numbers kept for implementations of protobuf.
const INTERNAL: core::ops::RangeInclusive<u32> = 19_000..=19_999;

/// What is wrong, and with which field of the message or value of the enum; `None` for the whole.
type Fault = (Kind, Option<usize>, String);

impl Builder<'_> {
    pub(super) fn check_all(&mut self) -> Result<()> {
        for message in &mut self.data.messages {
            mark_synthetic(message);
        }
        for message in &self.data.messages {
            self.check_message(message).map_err(|(kind, field, detail)| {
                let field = field.and_then(|f| message.fields.get(f));
                let extension = field.and_then(|f| self.data.extensions.get(f.extension as usize));
                let file = extension.map_or(message.file, |e| e.file);
                self.fail(kind, file, field.map_or(message.name, |f| f.name).full(), detail)
            })?;
        }
        for enumeration in &self.data.enums {
            self.check_enum(enumeration).map_err(|(kind, value, detail)| {
                let name = value.and_then(|v| enumeration.values.get(v)).map_or(enumeration.name, |v| v.name);
                self.fail(kind, enumeration.file, name.full(), detail)
            })?;
        }
        Ok(())
    }

    fn check_message(&self, message: &MessageData) -> core::result::Result<(), Fault> {
        let ranges = message_ranges(message)?;
        let reserved: BTreeSet<&str> = message.reserved_names.iter().map(|&n| self.data.text(n)).collect();
        let mut numbers: Vec<(u32, usize)> = Vec::with_capacity(message.fields.len());
        for (i, field) in message.fields.iter().enumerate() {
            self.check_field(message, field, &ranges).map_err(|(kind, detail)| (kind, Some(i), detail))?;
            if field.extension == NONE && reserved.contains(self.data.text(field.name.local())) {
                return Err((Kind::InvalidName, Some(i), "the name is reserved".into()));
            }
            numbers.push((field.number, i));
        }
        numbers.sort_unstable();
        for pair in numbers.windows(2) {
            if let &[(number, first), (next, second)] = pair
                && number == next
            {
                let other = message.fields.get(first).map_or("", |f| self.data.text(f.name.full()));
                return Err((
                    Kind::DuplicateNumber,
                    Some(second),
                    format!("{number} is the number of {other}"),
                ));
            }
        }
        self.check_oneofs(message)?;
        if message.map_entry && !self.is_map_entry(message) {
            let detail = "a map entry is a nested message of two optional fields, a key = 1 and a value = 2";
            return Err((Kind::InvalidMapEntry, None, detail.into()));
        }
        if message.message_set && message.declared > 0 {
            return Err((Kind::InvalidField, None, "a MessageSet has extensions only".into()));
        }
        Ok(())
    }

    fn check_field(
        &self,
        message: &MessageData,
        field: &FieldData,
        ranges: &Ranges,
    ) -> core::result::Result<(), (Kind, String)> {
        let number = field.number;
        if number == 0 || number > Tag::MAX_NUMBER || INTERNAL.contains(&number) {
            return Err((Kind::InvalidNumber, format!("{number}")));
        }
        let used = ranges.find(number.into());
        if field.extension != NONE {
            if used != Some(Use::Extensions) {
                let name = self.data.text(message.name.full());
                return Err((
                    Kind::InvalidExtension,
                    format!("{number} is not an extension number of {name}"),
                ));
            }
        } else if let Some(used) = used {
            let what = if used == Use::Reserved { "reserved" } else { "kept for extensions" };
            return Err((Kind::InvalidNumber, format!("{number} is {what}")));
        }
        Ok(())
    }

    fn check_oneofs(&self, message: &MessageData) -> core::result::Result<(), Fault> {
        for oneof in &message.oneofs {
            if oneof.fields.is_empty() {
                return Err((
                    Kind::InvalidOneof,
                    None,
                    format!("{} is empty", self.data.text(oneof.name.local())),
                ));
            }
        }
        let proto3 = self.data.files.get(message.file as usize).is_some_and(|f| f.edition == Edition::Proto3);
        for (i, field) in message.fields.iter().enumerate() {
            if !field.flags.has(FieldFlags::PROTO3_OPTIONAL) || field.extension != NONE {
                continue;
            }
            let alone = message.oneofs.get(field.oneof as usize).is_some_and(|o| o.fields.len() == 1);
            if !proto3 || !alone {
                let detail = "proto3_optional outside of proto3, or not alone in its oneof";
                return Err((Kind::InvalidOneof, Some(i), detail.into()));
            }
        }
        Ok(())
    }

    fn is_map_entry(&self, message: &MessageData) -> bool {
        let [key, value] = message.fields.as_slice() else { return false };
        let plain = |field: &FieldData, number| {
            field.number == number && field.oneof == NONE && field.cardinality == Cardinality::Optional
        };
        let zero_first = match value.kind {
            FieldKind::Enum(e) => {
                let first = self.data.enums.get(e as usize).and_then(|e| e.values.first());
                first.is_some_and(|v| v.number == 0)
            }
            _ => true,
        };
        message.parent != NONE
            && plain(key, 1)
            && plain(value, 2)
            && key.kind.is_map_key()
            && zero_first
            && message.oneofs.is_empty()
            && message.messages.is_empty()
            && message.enums.is_empty()
            && message.extensions.is_empty()
            && message.extension_ranges.is_empty()
    }

    fn check_enum(&self, data: &EnumData) -> core::result::Result<(), Fault> {
        let Some(first) = data.values.first() else {
            return Err((Kind::InvalidField, None, "an enum without values".into()));
        };
        if !data.closed && first.number != 0 {
            return Err((Kind::InvalidNumber, Some(0), "the first value of an open enum is 0".into()));
        }
        let ranges =
            data.reserved_ranges.iter().map(|&(first, last)| (first.into(), last.into(), Use::Reserved));
        let ranges = Ranges::new(ranges.collect()).map_err(bad_range)?;
        let reserved: BTreeSet<&str> = data.reserved_names.iter().map(|&n| self.data.text(n)).collect();
        for (i, value) in data.values.iter().enumerate() {
            if ranges.find(value.number.into()).is_some() {
                return Err((Kind::InvalidNumber, Some(i), format!("{} is reserved", value.number)));
            }
            if reserved.contains(self.data.text(value.name.local())) {
                return Err((Kind::InvalidName, Some(i), "the name is reserved".into()));
            }
        }
        for pair in data.by_number.windows(2) {
            let number = |at: u32| data.values.get(at as usize).map_or(0, |v| v.number);
            if let &[a, b] = pair
                && !data.allow_alias
                && number(a) == number(b)
            {
                let detail = format!("{} has a name already, and there is no allow_alias", number(b));
                return Err((Kind::DuplicateNumber, Some(b as usize), detail));
            }
        }
        Ok(())
    }
}

fn message_ranges(message: &MessageData) -> core::result::Result<Ranges, Fault> {
    // A MessageSet may be extended with any positive int32; of those, numbers above 2^29-1 have no tag.
    let limit = if message.message_set { i32::MAX as u32 } else { Tag::MAX_NUMBER + 1 };
    let mut ranges = Vec::with_capacity(message.extension_ranges.len() + message.reserved_ranges.len());
    let extensions = message.extension_ranges.iter().map(|r| (r.start, r.end, Use::Extensions));
    let reserved = message.reserved_ranges.iter().map(|&(start, end)| (start, end, Use::Reserved));
    for (start, end, used) in extensions.chain(reserved) {
        if start == 0 || end > limit {
            return Err(bad_range((start.into(), end.into())));
        }
        ranges.push((start.into(), i64::from(end) - 1, used));
    }
    Ranges::new(ranges).map_err(bad_range)
}

#[cold]
fn bad_range((first, last): (i64, i64)) -> Fault {
    (
        Kind::InvalidNumber,
        None,
        format!("range {first} to {last} is empty, out of bounds or overlaps with another"),
    )
}

/// A oneof is synthetic when protoc made it for the `optional` of its only member.
fn mark_synthetic(message: &mut MessageData) {
    for oneof in &mut message.oneofs {
        if let &[only] = oneof.fields.as_slice() {
            let field = message.fields.get(only as usize);
            oneof.synthetic = field.is_some_and(|f| f.flags.has(FieldFlags::PROTO3_OPTIONAL));
        }
    }
}
