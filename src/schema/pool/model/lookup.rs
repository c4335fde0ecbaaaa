//! Lookups in the data of a pool.

use super::names::TextRange;
use super::symbols::Symbol;
use super::{
    Container, DefaultData, EnumData, EnumValueData, FieldData, MessageData, NONE, OneofData, PoolData, Span,
};
use crate::schema::program::{Room, RoomFull, sort_indices};
use core::cmp::Ordering;

/// Enums of at most so many values are searched one by one; a look into the symbols takes as long as that.
const FEW_VALUES: usize = 16;

impl PoolData {
    /// The text of a name.
    pub(in crate::schema::pool) fn text(&self, text: TextRange) -> &str {
        self.names.get(text)
    }

    /// The bytes of a span.
    pub(in crate::schema::pool) fn bytes(&self, span: Span) -> &[u8] {
        self.store.get(span.start as usize..span.end as usize).unwrap_or(&[])
    }

    /// The file of this name.
    pub(in crate::schema::pool) fn file_position(&self, name: &str) -> Option<u32> {
        let name_of = |&i: &u32| self.files.get(i as usize).map_or("", |f| self.text(f.name));
        let at = self.files_by_name.binary_search_by(|i| name_of(i).cmp(name)).ok()?;
        self.files_by_name.get(at).copied()
    }

    /// Messages declared directly in a file or message, in the order of the file.
    pub(in crate::schema::pool) fn messages_in(&self, owner: Container) -> &[u32] {
        owned(&self.owned_messages, owner, |i| self.message_owner(i))
    }

    /// Enums declared directly in a file or message, in the order of the file.
    pub(in crate::schema::pool) fn enums_in(&self, owner: Container) -> &[u32] {
        owned(&self.owned_enums, owner, |i| self.enum_owner(i))
    }

    /// Extensions declared directly in a file or message, in the order of the file.
    pub(in crate::schema::pool) fn extensions_in(&self, owner: Container) -> &[u32] {
        owned(&self.owned_extensions, owner, |i| self.extension_owner(i))
    }

    /// Fills the lists that back `messages_in`, `enums_in` and `extensions_in`.
    pub(in crate::schema::pool) fn find_owners(&mut self, room: &mut Room) -> Result<(), RoomFull> {
        let mut by_owner = |count: usize, owner: &dyn Fn(u32) -> Container| {
            let mut list = room.list(0..count as u32)?;
            sort_indices(&mut list, &mut |a, b| owner(a).cmp(&owner(b)).then(a.cmp(&b)));
            Ok(list)
        };
        let messages = by_owner(self.messages.len(), &|i| self.message_owner(i))?;
        let enums = by_owner(self.enums.len(), &|i| self.enum_owner(i))?;
        let extensions = by_owner(self.extensions.len(), &|i| self.extension_owner(i))?;
        (self.owned_messages, self.owned_enums, self.owned_extensions) = (messages, enums, extensions);
        Ok(())
    }

    fn message_owner(&self, index: u32) -> Container {
        let message = self.messages.get(index as usize);
        message.map_or(Container::File(NONE), |m| Container::of(m.file, m.parent))
    }

    fn enum_owner(&self, index: u32) -> Container {
        self.enums.get(index as usize).map_or(Container::File(NONE), |e| Container::of(e.file, e.parent))
    }

    fn extension_owner(&self, index: u32) -> Container {
        self.extensions.get(index as usize).map_or(Container::File(NONE), |e| Container::of(e.file, e.parent))
    }

    /// The oneofs of a message.
    pub(in crate::schema::pool) fn oneofs(&self, message: &MessageData) -> &[OneofData] {
        message.oneofs.of(&self.oneofs)
    }

    /// The values of an enum; empty for an index out of range.
    pub(in crate::schema::pool) fn values(&self, enumeration: u32) -> &[EnumValueData] {
        self.enums.get(enumeration as usize).map_or(&[], |e| e.values.of(&self.values))
    }

    /// The explicit default of a field.
    pub(in crate::schema::pool) fn default_of(&self, field: &FieldData) -> Option<&DefaultData> {
        self.defaults.get(field.default as usize)
    }

    /// Position of the first value with this number.
    pub(in crate::schema::pool) fn value_position(&self, enumeration: u32, number: i32) -> Option<u32> {
        let values = self.values(enumeration);
        let number_at = |&at: &u32| values.get(at as usize).map_or(0, |v| v.number);
        let by_number = self.enums.get(enumeration as usize)?.values.of(&self.by_number);
        let at = by_number.partition_point(|p| number_at(p) < number);
        by_number.get(at).copied().filter(|p| number_at(p) == number)
    }

    /// The JSON name that the options of an enum value give it.
    pub(in crate::schema::pool) fn json_value(&self, enumeration: u32, value: u32) -> Option<&str> {
        let key = (enumeration, value);
        let at = self.json_values.binary_search_by_key(&key, |v| (v.enumeration, v.value)).ok()?;
        self.json_values.get(at).map(|v| self.text(v.name))
    }

    /// Position of the value whose options give it this JSON name.
    pub(in crate::schema::pool) fn value_of_json(&self, enumeration: u32, name: &str) -> Option<u32> {
        let at = |&i: &u32| self.json_values.get(i as usize);
        let found = self.json_values_by_name.binary_search_by(|i| {
            at(i).map_or(Ordering::Less, |v| (v.enumeration, self.text(v.name)).cmp(&(enumeration, name)))
        });
        self.json_values_by_name.get(found.ok()?).and_then(at).map(|v| v.value)
    }

    /// Position of the value of this name in an enum.
    pub(in crate::schema::pool) fn enum_value(&self, enumeration: u32, name: &str) -> Option<u32> {
        let values = self.values(enumeration);
        if values.len() <= FEW_VALUES {
            let is = |value: &EnumValueData| {
                let text = value.name.local();
                text.place().1 == name.len() && self.text(text) == name
            };
            return values.iter().position(is).map(|at| at as u32);
        }
        let EnumData { scope, file, .. } = *self.enums.get(enumeration as usize)?;
        match self.symbols.member(&self.names, scope, name)? {
            Symbol::EnumValue { enumeration: e, value } if e == enumeration => Some(value),
            // Its name is another definition's too.
            _ if self.is_of_tables(file) => {
                values.iter().position(|value| self.text(value.name.local()) == name).map(|at| at as u32)
            }
            _ => None,
        }
    }

    /// Position of the declared field of this name in a message.
    pub(in crate::schema::pool) fn field_position(&self, message: u32, name: &str) -> Option<u32> {
        let data = self.messages.get(message as usize)?;
        match self.symbols.member(&self.names, data.scope, name)? {
            Symbol::Field { message: m, field } if m == message => Some(field),
            _ if self.is_of_tables(data.file) => {
                let mut declared = data.fields.iter().take(data.declared as usize);
                declared.position(|field| self.text(field.name.local()) == name).map(|at| at as u32)
            }
            _ => None,
        }
    }

    pub(in crate::schema::pool) fn is_of_tables(&self, file: u32) -> bool {
        self.files.get(file as usize).is_some_and(|file| file.of_tables)
    }

    /// Whether a definition leaves its name to another one. In a set of files, all names of a scope differ, and the values of an enum are
    /// named in the scope around it. Tables do not know each other, so this holds only for the names of types: values, fields and oneofs are
    /// found in their own type.
    pub(in crate::schema::pool) fn gives_way(&self, symbol: Symbol) -> bool {
        let message = |at: u32| self.messages.get(at as usize).map(|message| message.file);
        let file = match symbol {
            Symbol::EnumValue { enumeration, .. } => self.enums.get(enumeration as usize).map(|e| e.file),
            Symbol::Field { message: at, .. } | Symbol::Oneof { message: at, .. } => message(at),
            _ => None,
        };
        file.is_some_and(|file| self.is_of_tables(file))
    }
}

/// The elements with this owner, in a list sorted by owner.
fn owned(list: &[u32], owner: Container, owner_of: impl Fn(u32) -> Container) -> &[u32] {
    let start = list.partition_point(|&i| owner_of(i) < owner);
    let rest = list.get(start..).unwrap_or(&[]);
    rest.get(..rest.partition_point(|&i| owner_of(i) == owner)).unwrap_or(&[])
}
