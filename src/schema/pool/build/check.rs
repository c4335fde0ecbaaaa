//! Checks each message and enum as a whole, after all names are resolved.

use super::declare::Around;
use super::ranges::{Ranges, Use};
use super::{Builder, DescriptorError, DescriptorErrorKind, FieldSlot, PendingType, Result};
use crate::schema::pool::model::features::{Edition, FeatureOverrides, FieldPresence, label, type_code};
use crate::schema::pool::model::names::{Name, TextRange};
use crate::schema::pool::model::{Container, FieldData, FieldFlags, IndexRange, MessageData, NONE, PoolData};
use crate::schema::pool::read::{self, FieldDef, FileDef, Options, children};
use crate::schema::program::{Room, RoomFull, sort_list};
use crate::schema::table::{Cardinality, Kind};
use crate::wire::Tag;
use crate::wire::read::message_set;
use alloc::vec::Vec;
use core::fmt::Arguments;
use core::ops::Range;

/// Field numbers reserved for implementations of protobuf.
const INTERNAL: core::ops::RangeInclusive<u32> = 19_000..=19_999;

/// Kind, field at fault (`None`: the message as a whole) and detail.
type CheckFault<'a> = (DescriptorErrorKind, Option<usize>, Arguments<'a>);

impl Builder<'_> {
    pub(super) fn check_all(&mut self) -> Result<()> {
        self.mark_synthetic();
        for at in 0..self.data.messages.len() {
            self.check_message(at)?;
        }
        for at in 0..self.data.enums.len() {
            self.check_enum(at)?;
        }
        Ok(())
    }

    /// An error about a message, or one of its fields or extensions.
    #[cold]
    fn message_fault(&self, message: &MessageData, (kind, field, detail): CheckFault<'_>) -> DescriptorError {
        let field = field.and_then(|f| message.fields.get(f));
        let extension = field.and_then(|f| self.data.extensions.get(f.extension as usize));
        let file = extension.map_or(message.file, |e| e.file);
        self.fail(kind, file, field.map_or(message.name, |f| f.name).full(), detail)
    }

    fn check_message(&mut self, at: usize) -> Result<()> {
        let Some(message) = self.data.messages.get(at) else { return Ok(()) };
        let ranges = message_ranges(&self.data, message, &mut self.room)?;
        let refuse =
            |first, last| self.keep(self.bad_range(message.file, message.name.full(), (first, last)));
        let limit = if message.message_set { message_set::MAX_NUMBER } else { Tag::MAX_NUMBER };
        for &(first, last, _) in
            ranges.iter().filter(|(first, last, _)| *first == 0 || *last > i64::from(limit))
        {
            refuse(first, last)?;
        }
        let ranges = Ranges::new(ranges, refuse)?;
        let mut numbers: Vec<(u32, u32)> = Vec::new();
        self.room.reserve(&mut numbers, message.fields.len())?;
        for (i, field) in message.fields.iter().enumerate() {
            self.note(self.check_field(message, i, field, &ranges))?;
            numbers.push((field.number, i as u32));
        }
        self.room.drop_list(ranges.into_list());
        sort_list(&mut numbers, |a, b| a < b);
        for pair in numbers.windows(2) {
            if let &[(number, first), (next, second)] = pair
                && number == next
                // Otherwise it is no number of a field, and that was said.
                && number != 0
            {
                let other = message.field(first).map_or("", |f| self.data.text(f.name.full()));
                let detail = format_args!("{number} is the number of {other}");
                let fault = (DescriptorErrorKind::DuplicateNumber, Some(second as usize), detail);
                self.keep(self.message_fault(message, fault))?;
            }
        }
        self.room.drop_list(numbers);
        self.check_oneofs(message)?;
        self.note(self.check_shape(at as u32, message))?;
        let (names, file) = (message.reserved_names, message.file);
        let fields = 0..message.declared;
        let taken = |data: &PoolData, i| data.messages.get(at)?.field(i).map(|f| f.name);
        self.check_reserved(names, (file, message.name.full()), fields, &taken)
    }

    /// Checks what a message can be as a whole: the entry of a map, a MessageSet, one with extensions.
    fn check_shape(&self, at: u32, message: &MessageData) -> Result<()> {
        let whole = |kind, detail| Err(self.message_fault(message, (kind, None, detail)));
        if message.map_entry && !self.is_map_entry(at, message) {
            let detail = "a map entry is a nested message of two optional fields, a key = 1 and a value = 2";
            return whole(DescriptorErrorKind::InvalidMapEntry, format_args!("{detail}"));
        }
        if message.message_set && message.declared > 0 {
            let detail = format_args!("a MessageSet has extensions only");
            return whole(DescriptorErrorKind::InvalidField, detail);
        }
        if message.extension_ranges != IndexRange::default()
            && !message.extension_ranges.of(&self.data.extension_ranges).is_empty()
            && self.edition(message.file) == Edition::Proto3
        {
            return whole(DescriptorErrorKind::InvalidExtension, format_args!("extension numbers in proto3"));
        }
        Ok(())
    }

    /// Checks that each name is reserved once only and that no field or value of the owner has it. `name` gives the name of a
    /// definition by index.
    fn check_reserved(
        &mut self,
        names: IndexRange,
        (file, owner): (u32, TextRange),
        definitions: Range<u32>,
        name: &dyn Fn(&PoolData, u32) -> Option<Name>,
    ) -> Result<()> {
        let mut reserved = self.room.copy(names.of(&self.data.reserved_names))?;
        self.data.names.sort(&mut reserved);
        for pair in reserved.windows(2) {
            if let &[a, b] = pair
                && self.data.text(a) == self.data.text(b)
            {
                let name = self.data.text(a);
                let detail = format_args!("{name:?} is reserved twice");
                self.keep(self.fail(DescriptorErrorKind::InvalidName, file, owner, detail))?;
            }
        }
        for definition in definitions.filter_map(|i| name(&self.data, i)) {
            let local = self.data.text(definition.local());
            if reserved.binary_search_by(|&r| self.data.text(r).cmp(local)).is_ok() {
                let kind = DescriptorErrorKind::InvalidName;
                self.keep(self.fail(kind, file, definition.full(), "the name is reserved"))?;
            }
        }
        self.room.drop_list(reserved);
        Ok(())
    }

    fn check_field(
        &self,
        message: &MessageData,
        at: usize,
        field: &FieldData,
        ranges: &Ranges,
    ) -> Result<()> {
        let number = field.number;
        let fail = |kind, detail| Err(self.message_fault(message, (kind, Some(at), detail)));
        let set = message.message_set && field.extension != NONE;
        let most = if set { message_set::MAX_NUMBER } else { Tag::MAX_NUMBER };
        if number == 0 || number > most || INTERNAL.contains(&number) {
            return fail(DescriptorErrorKind::InvalidNumber, format_args!("{number}"));
        }
        match (ranges.find(number.into()), field.extension != NONE) {
            (Some(Use::Extensions), true) | (None, false) => Ok(()),
            (_, true) => {
                let name = self.data.text(message.name.full());
                fail(
                    DescriptorErrorKind::InvalidExtension,
                    format_args!("{number} is not an extension number of {name}"),
                )
            }
            (Some(Use::Reserved), false) => {
                fail(DescriptorErrorKind::InvalidNumber, format_args!("{number} is reserved"))
            }
            (Some(Use::Extensions), false) => {
                fail(DescriptorErrorKind::InvalidNumber, format_args!("{number} is kept for extensions"))
            }
        }
    }

    fn check_oneofs(&self, message: &MessageData) -> Result<()> {
        let fail = |field, detail| {
            self.keep(self.message_fault(message, (DescriptorErrorKind::InvalidOneof, field, detail)))
        };
        let oneofs = self.data.oneofs(message);
        for empty in oneofs.iter().filter(|o| o.fields == IndexRange::default()) {
            let name = self.data.text(empty.name.local());
            let detail = format_args!("{name} is empty");
            let kind = DescriptorErrorKind::InvalidOneof;
            self.keep(self.fail(kind, message.file, empty.name.full(), detail))?;
        }
        for (i, field) in message.fields.iter().enumerate() {
            if !field.flags.has(FieldFlags::PROTO3_OPTIONAL) || field.extension != NONE {
                continue;
            }
            if !oneofs.get(field.oneof as usize).is_some_and(|o| o.synthetic) {
                fail(Some(i), format_args!("proto3_optional, and not alone in its oneof"))?;
            }
        }
        if !oneofs.is_sorted_by_key(|o| o.synthetic) {
            fail(None, format_args!("a oneof after the synthetic ones"))?;
        }
        Ok(())
    }

    /// Marks the oneofs that protoc made for a proto3 `optional` field, their only member.
    fn mark_synthetic(&mut self) {
        for message in &self.data.messages {
            let oneofs = message.oneofs.start as usize..message.oneofs.end as usize;
            for oneof in self.data.oneofs.get_mut(oneofs).into_iter().flatten() {
                let &[only] = oneof.fields.of(&self.data.members) else { continue };
                let field = message.field(only);
                oneof.synthetic = field.is_some_and(|f| f.flags.has(FieldFlags::PROTO3_OPTIONAL));
            }
        }
    }

    fn is_map_entry(&self, index: u32, message: &MessageData) -> bool {
        let [key, value] = message.fields.as_slice() else { return false };
        let plain = |field: &FieldData, number, name| {
            field.number == number
                && field.oneof == NONE
                && field.cardinality == Cardinality::Optional
                && self.data.text(field.name.local()) == name
        };
        let zero_first = match value.kind {
            Kind::Enum(e) => self.data.values(e).first().is_some_and(|v| v.number == 0),
            _ => true,
        };
        message.parent != NONE
            && plain(key, 1, "key")
            && plain(value, 2, "value")
            && key.kind.is_map_key()
            && zero_first
            && self.data.oneofs(message).is_empty()
            && message.extension_ranges.of(&self.data.extension_ranges).is_empty()
            && !self.holds_definitions(index)
    }

    /// Whether a message declares messages, enums or extensions.
    fn holds_definitions(&self, index: u32) -> bool {
        let (data, owner) = (&self.data, Container::Message(index));
        !data.messages_in(owner).is_empty()
            || !data.enums_in(owner).is_empty()
            || !data.extensions_in(owner).is_empty()
    }

    fn check_enum(&mut self, at: usize) -> Result<()> {
        let Some(data) = self.data.enums.get(at) else { return Ok(()) };
        let (file, name, values) = (data.file, data.name.full(), data.values.of(&self.data.values));
        let Some(first) = values.first() else {
            return self.keep(self.fail(
                DescriptorErrorKind::InvalidField,
                file,
                name,
                "an enum without values",
            ));
        };
        if !data.closed && first.number != 0 {
            let detail = "the first value of an open enum is 0";
            self.keep(self.fail(DescriptorErrorKind::InvalidNumber, file, first.name.full(), detail))?;
        }
        let reserved = data.reserved_ranges.of(&self.data.enum_reserved_ranges).iter();
        let ranges = reserved.map(|&(first, last)| (first.into(), last.into(), Use::Reserved));
        let list = self.room.list(ranges)?;
        let ranges = Ranges::new(list, |first, last| self.keep(self.bad_range(file, name, (first, last))))?;
        for value in values.iter().filter(|v| ranges.find(v.number.into()).is_some()) {
            let detail = format_args!("{} is reserved", value.number);
            self.keep(self.fail(DescriptorErrorKind::InvalidNumber, file, value.name.full(), detail))?;
        }
        self.room.drop_list(ranges.into_list());
        let value = |at: u32| values.get(at as usize);
        for pair in data.values.of(&self.data.by_number).windows(2) {
            if let &[a, b] = pair
                && let (Some(a), Some(b)) = (value(a), value(b))
                && !data.allow_alias
                && a.number == b.number
            {
                let detail = format_args!("{} has a name already, and there is no allow_alias", b.number);
                let kind = DescriptorErrorKind::DuplicateNumber;
                self.keep(self.fail(kind, file, b.name.full(), detail))?;
            }
        }
        let (names, count) = (data.reserved_names, values.len() as u32);
        self.check_reserved(names, (file, name), 0..count, &|data, i| {
            data.values(at as u32).get(i as usize).map(|v| v.name)
        })
    }

    #[cold]
    fn bad_range(&self, file: u32, name: TextRange, (first, last): (i64, i64)) -> DescriptorError {
        let detail = format_args!("range {first} to {last} is empty, out of bounds or overlaps with another");
        self.fail(DescriptorErrorKind::InvalidNumber, file, name, detail)
    }
}

/// The ranges of a message as (first, last).
fn message_ranges(
    data: &PoolData,
    message: &MessageData,
    room: &mut Room,
) -> Result<Vec<(i64, i64, Use)>, RoomFull> {
    let extensions = message.extension_ranges.of(&data.extension_ranges);
    let reserved = message.reserved_ranges.of(&data.reserved_ranges);
    let mut ranges = Vec::new();
    room.reserve(&mut ranges, extensions.len() + reserved.len())?;
    let extensions = extensions.iter().map(|r| (r.start, r.end, Use::Extensions));
    let reserved = reserved.iter().map(|&(start, end)| (start, end, Use::Reserved));
    ranges.extend(
        extensions.chain(reserved).map(|(start, end, used)| (start.into(), i64::from(end) - 1, used)),
    );
    Ok(ranges)
}

// Rules of proto2, proto3 and editions for labels, groups, defaults and features, as in C++.

impl Builder<'_> {
    /// Checks file options and imports against the edition.
    pub(super) fn check_file(&self, root: Around, file: &FileDef<'_>) -> Result<()> {
        let invalid =
            |detail| Err(self.fail(DescriptorErrorKind::InvalidOption, root.file, root.name, detail));
        if file.edition < Edition::Edition2024
            && children(file.bytes, read::file::OPTION_DEPENDENCY).next().is_some()
        {
            return invalid("`import option` is of edition 2024");
        }
        if file.edition.is_legacy() {
            return Ok(());
        }
        if root.features.field_presence == FieldPresence::LegacyRequired {
            return invalid("fields cannot be required by default");
        }
        if file.options.java_utf8 {
            return invalid("java_string_check_utf8 is not of editions");
        }
        Ok(())
    }

    /// Checks the options of any definition against the edition.
    pub(super) fn check_options(&self, around: Around, name: TextRange, options: &Options<'_>) -> Result<()> {
        let detail = if options.has_features && around.edition.is_legacy() {
            "features are of editions"
        } else if options.unknown_feature {
            "a feature without a value"
        } else if options.message_set && around.edition == Edition::Proto3 {
            "a MessageSet in proto3"
        } else {
            return Ok(());
        };
        Err(self.fail(DescriptorErrorKind::InvalidOption, around.file, name, detail))
    }

    /// Checks the label of a field, and properties that editions express as features.
    pub(super) fn check_label(&self, around: Around, data: &FieldData, proto: &FieldDef<'_>) -> Result<()> {
        if proto.proto3_optional && around.edition != Edition::Proto3 {
            let detail = "proto3_optional outside of proto3";
            return Err(self.fail(DescriptorErrorKind::InvalidOneof, around.file, data.name.full(), detail));
        }
        let required = proto.label == label::REQUIRED;
        let extension = data.extension != NONE;
        let detail = match around.edition {
            Edition::Proto2 => match () {
                () if required && extension => "an extension is not required",
                () => return Ok(()),
            },
            Edition::Proto3 => match () {
                () if required => "required in proto3",
                () if proto.type_code == type_code::GROUP => "a group in proto3",
                () => return Ok(()),
            },
            _ => match () {
                () if required => "required in an edition, where it is a feature",
                () if proto.type_code == type_code::GROUP => "a group in an edition, where it is a feature",
                () if proto.options.packed.is_some() => "packed in an edition, where it is a feature",
                () => return Ok(()),
            },
        };
        Err(self.fail(DescriptorErrorKind::InvalidField, around.file, data.name.full(), detail))
    }

    /// Checks the features set on a field against its kind. The fields of a map entry are exempt: protoc copies the
    /// features of the map field to them.
    pub(super) fn check_features(&self, file: u32, field: &FieldData, own: FeatureOverrides) -> Result<()> {
        let repeated = field.cardinality == Cardinality::Repeated;
        let is_message = matches!(field.kind, Kind::Message(_));
        let has_strings = match field.kind {
            Kind::Message(entry) if field.flags.has(FieldFlags::MAP) => {
                let fields = self.data.messages.get(entry as usize).map_or(&[][..], |m| &m.fields);
                fields.iter().any(|f| matches!(f.kind, Kind::String))
            }
            kind => matches!(kind, Kind::String),
        };
        let packable = repeated && field.kind.is_packable();
        let map = field.flags.has(FieldFlags::MAP);
        let wrong_presence = match own.field_presence {
            None => None,
            Some(_) if field.oneof != NONE => Some("presence of a member of a oneof"),
            Some(_) if repeated => Some("presence of a repeated field"),
            Some(_) if field.extension != NONE => Some("presence of an extension"),
            Some(FieldPresence::Implicit) if is_message => Some("implicit presence of a message"),
            Some(_) => None,
        };
        let detail = match wrong_presence {
            Some(detail) => detail,
            None if own.packed.is_some() && !repeated => "an encoding for lists",
            None if own.packed == Some(true) && !packable => "packed, which these elements cannot be",
            None if own.verify_utf8.is_some() && !has_strings => "UTF-8 where there are no strings",
            None if own.delimited.is_some() && (!is_message || map) => "an encoding for messages",
            None => return Ok(()),
        };
        Err(self.fail(
            DescriptorErrorKind::InvalidOption,
            file,
            field.name.full(),
            format_args!("a feature: {detail}"),
        ))
    }

    /// Checks that a proto3 field has no default and no closed enum type.
    pub(super) fn check_proto3(
        &self,
        edition: Edition,
        file: u32,
        field: &FieldData,
        has_default: bool,
    ) -> Result<()> {
        let (kind, detail) = match field.kind {
            _ if edition != Edition::Proto3 => return Ok(()),
            _ if has_default => (DescriptorErrorKind::InvalidDefault, "a default value in proto3"),
            Kind::Enum(e) if self.data.enums.get(e as usize).is_some_and(|e| e.closed) => {
                (DescriptorErrorKind::InvalidField, "a closed enum in proto3")
            }
            _ => return Ok(()),
        };
        Err(self.fail(kind, file, field.name.full(), detail))
    }

    /// Checks a field of message or enum type after it is resolved.
    pub(super) fn check_resolved(&self, pending: &PendingType<'_>, field: &FieldData) -> Result<()> {
        let edition = self.edition(pending.file);
        self.check_proto3(edition, pending.file, field, pending.default.is_some())?;
        if edition.is_legacy() {
            return Ok(());
        }
        let in_entry = match pending.target {
            FieldSlot::Field { message, .. } => {
                self.data.messages.get(message as usize).is_some_and(|m| m.map_entry)
            }
            FieldSlot::Extension(_) => false,
        };
        // The fields of a map entry have the features of the map field and are always set.
        if in_entry {
            return Ok(());
        }
        if let Kind::Enum(e) = field.kind
            && field.cardinality == Cardinality::Optional
            && !field.flags.has(FieldFlags::PRESENCE)
            && self.data.enums.get(e as usize).is_some_and(|e| e.closed)
        {
            let detail = "implicit presence with a closed enum";
            return Err(self.fail(
                DescriptorErrorKind::InvalidField,
                pending.file,
                field.name.full(),
                detail,
            ));
        }
        self.check_features(pending.file, field, pending.own)
    }

    pub(super) fn edition(&self, file: u32) -> Edition {
        self.data.files.get(file as usize).map_or(Edition::Proto2, |f| f.edition)
    }
}

/// Whether proto3 can extend a message: only the options messages.
pub(super) fn proto3_extends(full_name: &str) -> bool {
    let options =
        ["File", "Message", "Field", "Enum", "EnumValue", "Service", "Method", "Oneof", "ExtensionRange"];
    let name = full_name.strip_prefix("google.protobuf.").and_then(|name| name.strip_suffix("Options"));
    name.is_some_and(|name| options.contains(&name))
}
