//! What is looked for by what it is, sorted once: going through the fields of a message for each of its values would take
//! the product of both.

use crate::compile::check::support::Support;
use crate::compile::parse::ast::{Ast, NONE, Presence, Texts};
use crate::compile::parse::codes::label;
use crate::memory::{Room, RoomFull};
use alloc::vec::Vec;

#[derive(Debug, Default)]
pub(super) struct FieldIndex {
    made: bool,
    /// Message and field, of all required fields.
    required: Vec<(u32, u32)>,
    /// Of the extensions of MessageSets that the message of their type declares: that message, the set and the field.
    items: Vec<(u32, u32, u32)>,
    /// Enum and number, of all values of enums, once a number is looked for.
    numbers: Option<Vec<(u32, i32)>>,
    /// What each `feature_support` says, by where it stands, once one is looked for: it may be as long as a source.
    supports: Option<Vec<(u32, Support)>>,
}

impl FieldIndex {
    /// Goes through all fields, the first time.
    pub(super) fn make(&mut self, ast: &Ast, room: &mut Room) -> Result<(), RoomFull> {
        if self.made {
            return Ok(());
        }
        for (index, field) in (0..).zip(ast.fields.all()) {
            if i32::from(field.label) == label::REQUIRED
                || field.encodings.presence == Some(Presence::Required)
            {
                room.push(&mut self.required, (field.message, index))?;
            }
            if !field.extendee.is_empty()
                && field.target == field.declared_in
                && ast.messages.get(field.message).is_some_and(|set| set.message_set)
            {
                room.push(&mut self.items, (field.target, field.message, index))?;
            }
        }
        self.required.sort_unstable();
        self.items.sort_unstable();
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

    /// Whether an enum has a value with this number.
    pub(super) fn lists(
        &mut self,
        ast: &Ast,
        owner: u32,
        number: i32,
        room: &mut Room,
    ) -> Result<bool, RoomFull> {
        let numbers = match self.numbers.take() {
            Some(numbers) => numbers,
            None => {
                let mut numbers =
                    room.list(ast.values.all().iter().map(|value| (value.owner, value.number)))?;
                numbers.sort_unstable();
                numbers
            }
        };
        Ok(self.numbers.insert(numbers).binary_search(&(owner, number)).is_ok())
    }

    /// What the `feature_support` says that stands here.
    pub(super) fn support(
        &mut self,
        (ast, texts): (&Ast, &Texts),
        at: u32,
        room: &mut Room,
    ) -> Result<Support, RoomFull> {
        if at == NONE {
            return Ok(Support::default());
        }
        let supports = match self.supports.take() {
            Some(supports) => supports,
            None => {
                let mut supports = Vec::new();
                let fields = ast.fields.all().iter().map(|field| field.support);
                let values = ast.values.all().iter().map(|value| value.support);
                for at in fields.chain(values).filter(|&at| at != NONE) {
                    room.push(&mut supports, (at, Support::read(texts, at)))?;
                }
                supports.sort_unstable_by_key(|a| a.0);
                supports
            }
        };
        let supports = self.supports.insert(supports);
        let found = supports.binary_search_by_key(&at, |&(at, _)| at).ok();
        Ok(found.and_then(|index| supports.get(index)).map(|&(_, support)| support).unwrap_or_default())
    }
}
