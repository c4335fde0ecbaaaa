//! The names that fields have in text format: their own, `[full.name]` for extensions, and the name of its type for a group.

use super::names::TextRange;
use super::symbols::Symbol;
use super::{Container, ExtensionData, FieldData, FieldFlags, IndexRange, MessageData, NONE, PoolData};
use crate::schema::pool::DescriptorPool;
use crate::schema::program::{Room, RoomFull, sort_list};
use crate::schema::table::{Cardinality, Kind};
use alloc::{string::String, vec::Vec};

/// The name of a field in text format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextName<'p> {
    Plain(&'p str),
    /// Between brackets.
    Extension(&'p str),
}

impl PoolData {
    /// The reserved names of each message by length and then by bytes.
    pub(in crate::schema::pool) fn sort_reserved_names(
        &self,
        room: &mut Room,
    ) -> Result<Vec<TextRange>, RoomFull> {
        let mut names = room.copy(&self.reserved_names)?;
        for message in &self.messages {
            let IndexRange { start, end } = message.reserved_names;
            let run = names.get_mut(start as usize..end as usize).unwrap_or_default();
            sort_list(run, |&a, &b| self.text_order(a, self.text(b).as_bytes()).is_lt());
        }
        Ok(names)
    }

    fn message(&self, index: u32) -> Option<&MessageData> {
        self.messages.get(index as usize)
    }

    /// The name of its type, which a group goes by. Delimited fields of editions are groups in this sense if they look like
    /// those of proto2: named as their type in lower case, which is declared next to them.
    pub(in crate::schema::pool) fn group_name(&self, message: u32, field: &FieldData) -> Option<&str> {
        let Kind::Message(sub) = field.kind else { return None };
        if !field.flags.has(FieldFlags::DELIMITED) || field.extension != NONE {
            return None;
        }
        let (sub, around) = (self.message(sub)?, self.message(message)?);
        let name = self.text(sub.name.local());
        let same = self.text(field.name.local()).bytes().eq(name.bytes().map(|b| b.to_ascii_lowercase()));
        (same && sub.file == around.file && sub.parent == message).then_some(name)
    }

    /// Whether this is the extension of a MessageSet that its type declares for itself, and that goes by the name of the type.
    fn is_set_item(&self, message: u32, field: &FieldData) -> bool {
        let Kind::Message(sub) = field.kind else { return false };
        let declared_in = self.extensions.get(field.extension as usize).map(|e| e.parent);
        let in_set = self.message(message).is_some_and(|m| m.message_set);
        in_set && declared_in == Some(sub) && field.cardinality == Cardinality::Optional
    }
}

/// Accessors for `text/`.
impl DescriptorPool {
    /// The name of the field at a position of a message's list.
    pub(crate) fn text_name(&self, message: u32, field: u32) -> Option<TextName<'_>> {
        let data = self.data();
        let found = data.message(message)?.field(field)?;
        if found.extension == NONE {
            let name = data.group_name(message, found).unwrap_or(data.text(found.name.local()));
            return Some(TextName::Plain(name));
        }
        let name = match found.kind {
            Kind::Message(sub) if data.is_set_item(message, found) => data.message(sub)?.name,
            _ => found.name,
        };
        Some(TextName::Extension(data.text(name.full())))
    }

    /// The declared field of this name, or the group whose type has it; its position in the message's list.
    pub(crate) fn field_by_text_name(&self, message: u32, name: &str) -> Option<u32> {
        if let Some(field) = self.field_by_name(message, name) {
            return Some(field.index());
        }
        if !name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return None;
        }
        let mut lower = String::new();
        lower.try_reserve_exact(name.len()).ok()?;
        lower.push_str(name);
        lower.make_ascii_lowercase();
        let index = self.field_by_name(message, &lower)?.index();
        let field = self.data().message(message)?.field(index)?;
        (self.data().group_name(message, field)? == name).then_some(index)
    }

    /// The extension of this full name, or the item of a MessageSet whose type has it; its position in the message's list.
    pub(crate) fn extension_by_text_name(&self, message: u32, name: &str) -> Option<u32> {
        let data = self.data();
        match data.symbols.absolute(&data.names, name)? {
            Symbol::Extension(index) => {
                data.extensions.get(index as usize).filter(|e| e.message == message).map(|e| e.field)
            }
            Symbol::Message(sub) => {
                let declared = data.extensions_in(Container::Message(sub)).iter();
                let mut items = declared.filter_map(|&at| data.extensions.get(at as usize));
                let is_item = |e: &ExtensionData| {
                    let field = data.message(message).and_then(|m| m.field(e.field));
                    e.message == message && field.is_some_and(|f| data.is_set_item(message, f))
                };
                items.find(|e| is_item(e)).map(|e| e.field)
            }
            _ => None,
        }
    }

    /// Whether a message reserves this name.
    pub(crate) fn is_reserved_name(&self, message: u32, name: &str) -> bool {
        let data = self.data();
        let Some(message) = data.message(message) else { return false };
        let names = message.reserved_names.of(&data.sorted_reserved_names);
        names.binary_search_by(|&reserved| data.text_order(reserved, name.as_bytes())).is_ok()
    }
}
