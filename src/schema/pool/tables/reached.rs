//! The tables that a pool is made of.

use crate::schema::pool::Result;
use crate::schema::table::{EnumTable, FieldTable, Kind, MessageTable, TableKind};
use crate::wire::error::{DescriptorError, DescriptorErrorKind};
use alloc::{collections::BTreeMap, format, vec::Vec};

/// All tables reachable from the roots, in the order of discovery, and their indices by full name.
///
/// All maps in this room are of the same type: each other type would add 3 000 lines of IR to the build.
#[derive(Default)]
pub(super) struct Reached {
    pub(super) messages: Vec<&'static MessageTable>,
    pub(super) enums: Vec<&'static EnumTable>,
    pub(super) message_of: BTreeMap<&'static str, u32>,
    pub(super) enum_of: BTreeMap<&'static str, u32>,
    /// Tables that say the same as one of `messages`, in another place of memory.
    copies: Vec<&'static MessageTable>,
}

impl Reached {
    pub(super) fn from(roots: &[&'static MessageTable]) -> Result<Self> {
        let mut this = Self::default();
        let mut todo: Vec<&'static MessageTable> = roots.iter().rev().copied().collect();
        while let Some(table) = todo.pop() {
            let next = this.messages.len() as u32;
            let at = *this.message_of.entry(table.full_name()).or_insert(next);
            match this.messages.get(at as usize) {
                None => this.messages.push(table),
                Some(known) if core::ptr::eq(*known, table) => continue,
                Some(_) if this.copies.iter().any(|copy| core::ptr::eq(*copy, table)) => continue,
                Some(known) if same_message(known, table) => this.copies.push(table),
                Some(_) => return Err(twice(table.full_name())),
            }
            for field in table.fields().iter().rev() {
                match field.kind() {
                    Kind::Message(inner) => todo.push(inner()),
                    Kind::Enum(inner) => this.add_enum(inner())?,
                    _ => {}
                }
            }
        }
        Ok(this)
    }

    fn add_enum(&mut self, table: &'static EnumTable) -> Result<()> {
        let next = self.enums.len() as u32;
        let at = *self.enum_of.entry(table.full_name()).or_insert(next);
        match self.enums.get(at as usize) {
            None => self.enums.push(table),
            Some(known) if known.values() == table.values() && known.is_closed() == table.is_closed() => {}
            Some(_) => return Err(twice(table.full_name())),
        }
        Ok(())
    }
}

/// Compares two tables of one name, fields by their text: types are functions, whose addresses mean nothing, and a default that is
/// not a number is equal to itself.
fn same_message(a: &MessageTable, b: &MessageTable) -> bool {
    let same_field = |(a, b): (&FieldTable, &FieldTable)| {
        type_name(a.kind()) == type_name(b.kind()) && format!("{a:?}") == format!("{b:?}")
    };
    (a.syntax_version(), a.is_message_set(), a.extension_ranges())
        == (b.syntax_version(), b.is_message_set(), b.extension_ranges())
        && a.fields().len() == b.fields().len()
        && a.fields().iter().zip(b.fields()).all(same_field)
}

fn type_name(kind: TableKind) -> &'static str {
    match kind {
        Kind::Message(table) => table().full_name(),
        Kind::Enum(table) => table().full_name(),
        other => other.name(),
    }
}

#[cold]
fn twice(full_name: &str) -> DescriptorError {
    DescriptorError::new(DescriptorErrorKind::DuplicateName, full_name, "two different tables of this name")
}
