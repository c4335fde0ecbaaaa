//! [`PathWalk`]: adds the field at the end of a path to a selection.

use super::{ProjectionError, ProjectionErrorKind};
use crate::schema::pool::{FieldDescriptor, MessageDescriptor, components};
use crate::schema::program::{RoomFull, Selection};
use crate::schema::table::Kind;

/// A field path, and the selection that it is added to.
pub(super) struct PathWalk<'w> {
    pub(super) selection: &'w mut Selection,
    pub(super) root: &'w MessageDescriptor,
    pub(super) path: &'w str,
}

/// The end of a path, with its node in the selection.
enum PathEnd {
    /// All fields of a message: the last segment is `*`.
    All(u32, MessageDescriptor),
    Field(u32, FieldDescriptor),
}

impl PathWalk<'_> {
    /// Selects the field, or the message, at the end of the path.
    pub(super) fn select(mut self) -> Result<(), ProjectionError> {
        let (PathEnd::All(node, _) | PathEnd::Field(node, _)) = self.walk()?;
        Ok(self.selection.want_all(node)?)
    }

    /// Selects the fields at the end of the path, and leaves the messages in them undecoded.
    pub(super) fn make_lazy(mut self) -> Result<(), ProjectionError> {
        match self.walk()? {
            PathEnd::Field(node, field) => match self.lazy_field(node, &field)? {
                true => Ok(()),
                false => {
                    Err(self.fault(ProjectionErrorKind::NotAMessage, self.last(), field.parent_message()))
                }
            },
            // A MessageSet is decoded as a whole, with every message in it.
            PathEnd::All(node, message) if message.is_message_set() => Ok(self.selection.want_all(node)?),
            PathEnd::All(node, message) => {
                let extensions = message.extensions().map(|extension| extension.as_field());
                for field in message.fields().chain(extensions) {
                    // A map of scalars has no message, so it gets no node, which would select it.
                    if let Kind::Message(index) = field.as_ref().raw_kind()
                        && holds_messages(&field)
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

    /// Leaves the messages of a field undecoded; false if its values are no messages.
    fn lazy_field(&mut self, node: u32, field: &FieldDescriptor) -> Result<bool, RoomFull> {
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

    /// The node of the values of a map. Selects the keys too.
    fn value_node(&mut self, node: u32, entry: &MessageDescriptor, value: u32) -> Result<u32, RoomFull> {
        let position = |field: Option<FieldDescriptor>| {
            let position = field.and_then(|f| entry.program().entry_of(f.as_ref().index() as usize));
            position.map_or(0, |(position, _)| position as u16)
        };
        let key = self.selection.field(node, position(entry.map_entry_key_field()), u32::MAX)?;
        self.selection.want_all(key)?;
        self.selection.field(node, position(entry.map_entry_value_field()), value)
    }

    /// Follows the path from the root, and adds the nodes that the selection lacks.
    fn walk(&mut self) -> Result<PathEnd, ProjectionError> {
        self.selection.ask(self.path);
        let (mut node, mut message) = (0, self.root.clone());
        let mut segments = components(self.path).peekable();
        loop {
            let segment = segments.next().unwrap_or_default();
            let last = segments.peek().is_none();
            if segment == "*" {
                return match last {
                    true => Ok(PathEnd::All(node, message)),
                    false => Err(self.fault(ProjectionErrorKind::MisplacedWildcard, segment, &message)),
                };
            }
            if message.is_message_set() {
                return Err(self.fault(ProjectionErrorKind::Unsupported, segment, &message));
            }
            let Some(field) = find(&message, segment) else {
                return Err(self.fault(ProjectionErrorKind::NoSuchField, segment, &message));
            };
            let next = match field.as_ref().raw_kind() {
                Kind::Message(index) => self.root.parent_pool().message_at(index),
                _ => None,
            };
            let index = next.as_ref().map_or(u32::MAX, |next| next.index());
            node = if message.is_map_entry() {
                if message.map_entry_value_field().as_ref() != Some(&field) {
                    return Err(self.fault(ProjectionErrorKind::NotAMapValue, segment, &message));
                }
                self.value_node(node, &message.clone(), index)?
            } else {
                let entry = message.program().entry_of(field.as_ref().index() as usize);
                let position = entry.map_or(u16::MAX, |(position, _)| position as u16);
                self.selection.field(node, position, index)?
            };
            if last {
                return Ok(PathEnd::Field(node, field));
            }
            message = match next {
                Some(next) => next,
                None => return Err(self.fault(ProjectionErrorKind::NotAMessage, segment, &message)),
            };
        }
    }

    fn last(&self) -> &str {
        components(self.path).last().unwrap_or_default()
    }

    #[cold]
    fn fault(
        &self,
        kind: ProjectionErrorKind,
        segment: &str,
        message: &MessageDescriptor,
    ) -> ProjectionError {
        ProjectionError::new(kind, segment, message.full_name(), self.path)
    }
}

/// Whether the values of a message field or map are messages.
fn holds_messages(field: &FieldDescriptor) -> bool {
    match field.kind() {
        Kind::Message(entry) if field.is_map() => {
            entry.map_entry_value_field().is_some_and(|value| matches!(value.kind(), Kind::Message(_)))
        }
        kind => matches!(kind, Kind::Message(_)),
    }
}

/// The field of this name, or the extension whose full name is given in brackets.
pub(super) fn find(message: &MessageDescriptor, segment: &str) -> Option<FieldDescriptor> {
    match segment.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(name) => message.get_extension_by_full_name(name).map(|extension| extension.as_field()),
        None => message.get_field_by_name(segment),
    }
}
