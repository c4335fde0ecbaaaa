//! Field paths, turned into a selection of the programs.

use super::{ProjectionError, ProjectionErrorKind as Fault};
use crate::program::{Full, Selection};
use crate::schema::{FieldDescriptor, MessageDescriptor, components};
use crate::table::Kind;

/// A path on its way into a selection.
pub(super) struct Way<'w> {
    pub(super) selection: &'w mut Selection,
    pub(super) root: &'w MessageDescriptor,
    pub(super) path: &'w str,
}

/// What a path leads to.
enum End {
    /// All fields of the message of a node.
    All(u32, MessageDescriptor),
    /// One field, with its node.
    Field(u32, FieldDescriptor),
}

impl Way<'_> {
    /// Selects what the path leads to.
    pub(super) fn select(mut self) -> Result<(), ProjectionError> {
        let (End::All(node, _) | End::Field(node, _)) = self.walk()?;
        Ok(self.selection.want_all(node)?)
    }

    /// Leaves the messages that the path leads to undecoded.
    pub(super) fn make_lazy(mut self) -> Result<(), ProjectionError> {
        match self.walk()? {
            End::Field(node, field) => match self.lazy_field(node, &field)? {
                true => Ok(()),
                false => Err(self.fault(Fault::NotAMessage, self.last(), field.parent_message())),
            },
            // A MessageSet is decoded as a whole: none of its messages can wait.
            End::All(node, message) if message.is_message_set() => Ok(self.selection.want_all(node)?),
            End::All(node, message) => {
                let extensions = message.extensions().map(|extension| extension.as_field());
                for field in message.fields().chain(extensions) {
                    if let Kind::Message(index) = field.as_ref().raw_kind()
                        && let Some((position, _)) =
                            message.program().entry_of(field.as_ref().index() as usize)
                    {
                        let child = self.selection.field(node, position as u16, index)?;
                        self.lazy_field(child, &field)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// Makes the messages of a field lazy; false if it has none.
    fn lazy_field(&mut self, node: u32, field: &FieldDescriptor) -> Result<bool, Full> {
        let Kind::Message(index) = field.as_ref().raw_kind() else { return Ok(false) };
        if !field.is_map() {
            self.selection.make_lazy(node)?;
            return Ok(true);
        }
        let entry = self.root.parent_pool().message_at(index);
        let Some((entry, value)) =
            entry.and_then(|entry| Some((entry.clone(), entry.map_entry_value_field()?)))
        else {
            return Ok(false);
        };
        let Kind::Message(index) = value.as_ref().raw_kind() else { return Ok(false) };
        let child = self.value_node(node, &entry, index)?;
        self.selection.make_lazy(child)?;
        Ok(true)
    }

    /// The node of the values of a map, whose keys are read in any case.
    fn value_node(&mut self, node: u32, entry: &MessageDescriptor, value: u32) -> Result<u32, Full> {
        let position = |field: Option<FieldDescriptor>| {
            let position = field.and_then(|f| entry.program().entry_of(f.as_ref().index() as usize));
            position.map_or(0, |(position, _)| position as u16)
        };
        let key = self.selection.field(node, position(entry.map_entry_key_field()), u32::MAX)?;
        self.selection.want_all(key)?;
        self.selection.field(node, position(entry.map_entry_value_field()), value)
    }

    /// Goes along the path and makes nodes of what is not there.
    fn walk(&mut self) -> Result<End, ProjectionError> {
        self.selection.ask(self.path);
        let (mut node, mut message) = (0, self.root.clone());
        let mut segments = components(self.path).peekable();
        loop {
            let segment = segments.next().unwrap_or_default();
            let last = segments.peek().is_none();
            if segment == "*" {
                return match last {
                    true => Ok(End::All(node, message)),
                    false => Err(self.fault(Fault::MisplacedWildcard, segment, &message)),
                };
            }
            if message.is_message_set() {
                return Err(self.fault(Fault::Unsupported, segment, &message));
            }
            let Some(field) = find(&message, segment) else {
                return Err(self.fault(Fault::NoSuchField, segment, &message));
            };
            let next = match field.as_ref().raw_kind() {
                Kind::Message(index) => self.root.parent_pool().message_at(index),
                _ => None,
            };
            let index = next.as_ref().map_or(u32::MAX, |next| next.index());
            node = if message.is_map_entry() {
                if message.map_entry_value_field().as_ref() != Some(&field) {
                    return Err(self.fault(Fault::NotAMapValue, segment, &message));
                }
                self.value_node(node, &message.clone(), index)?
            } else {
                let entry = message.program().entry_of(field.as_ref().index() as usize);
                let position = entry.map_or(u16::MAX, |(position, _)| position as u16);
                self.selection.field(node, position, index)?
            };
            if last {
                return Ok(End::Field(node, field));
            }
            message = match next {
                Some(next) => next,
                None => return Err(self.fault(Fault::NotAMessage, segment, &message)),
            };
        }
    }

    fn last(&self) -> &str {
        components(self.path).last().unwrap_or_default()
    }

    #[cold]
    fn fault(&self, kind: Fault, segment: &str, message: &MessageDescriptor) -> ProjectionError {
        ProjectionError::new(kind, segment, message.full_name(), self.path)
    }
}

/// The field of this name, or the extension of this full name in brackets.
fn find(message: &MessageDescriptor, segment: &str) -> Option<FieldDescriptor> {
    match segment.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(name) => message.get_extension_by_full_name(name).map(|extension| extension.as_field()),
        None => message.get_field_by_name(segment),
    }
}
