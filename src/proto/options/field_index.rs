//! Fields that are looked for by what they are, sorted once: going through the fields of a message for each of its values would take
//! the product of both.

use crate::program::{Room, RoomFull, sort_list};
use crate::proto::ast::Ast;
use crate::proto::codes::label;
use alloc::vec::Vec;

#[derive(Debug, Default)]
pub(super) struct FieldIndex {
    made: bool,
    /// Message and field, of all required fields.
    required: Vec<(u32, u32)>,
    /// Of the extensions of MessageSets that the message of their type declares: that message, the set and the field.
    items: Vec<(u32, u32, u32)>,
}

impl FieldIndex {
    /// Goes through all fields, the first time.
    pub(super) fn make(&mut self, ast: &Ast, room: &mut Room) -> Result<(), RoomFull> {
        if self.made {
            return Ok(());
        }
        for (index, field) in (0..).zip(ast.fields.all()) {
            if i32::from(field.label) == label::REQUIRED {
                room.push(&mut self.required, (field.message, index))?;
            }
            if !field.extendee.is_empty()
                && field.target == field.declared_in
                && ast.messages.get(field.message).is_some_and(|set| set.message_set)
            {
                room.push(&mut self.items, (field.target, field.message, index))?;
            }
        }
        sort_list(&mut self.required, |a, b| a < b);
        sort_list(&mut self.items, |a, b| a < b);
        self.made = true;
        Ok(())
    }

    /// The required fields of a message, in the order of their declaration.
    pub(super) fn required(&self, message: u32) -> &[(u32, u32)] {
        let from = self.required.partition_point(|&(of, _)| of < message);
        let all = self.required.get(from..).unwrap_or_default();
        all.get(..all.partition_point(|&(of, _)| of == message)).unwrap_or_default()
    }

    /// The first extension of a MessageSet that this message declares for itself.
    pub(super) fn item(&self, message: u32, set: u32) -> Option<u32> {
        let at = self.items.partition_point(|&(of, its_set, _)| (of, its_set) < (message, set));
        let &(of, its_set, field) = self.items.get(at)?;
        ((of, its_set) == (message, set)).then_some(field)
    }
}
