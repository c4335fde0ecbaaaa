//! One value of a message by its path, `a.b[3].c["k"].d`: read, set and cleared.
//!
//! ```text
//! path    = segment { "." segment }
//! segment = (name | "[" extension "]") [ "[" element "]" ]
//! element = index of a list, key of a map; a string key in double quotes, with \" and \\
//! ```

use super::projection::{PathError, PathErrorKind};
use crate::message::{
    DynamicMessage, MapKey, MapKeyRef, MessageMut, MessageView, SetFieldError, SetFieldErrorKind, Value,
    ValueRef,
};
use crate::schema::pool::{FieldDescriptor, MessageDescriptor};
use crate::schema::table::Kind;
use alloc::{format, string::String, vec::Vec};

/// One segment: a field of a message, and an element of it.
struct PathStep<'p> {
    field: FieldDescriptor,
    element: Option<Element>,
    /// What the segment is in the path, and where it ends there.
    text: &'p str,
}

enum Element {
    Index(usize),
    Key(MapKey),
}

/// A path, with all names and elements looked up in the schema.
struct Resolved<'p> {
    path: &'p str,
    steps: Vec<PathStep<'p>>,
}

impl<'p> Resolved<'p> {
    fn new(root: &MessageDescriptor, path: &'p str) -> Result<Self, PathError> {
        let mut steps: Vec<PathStep<'p>> = Vec::new();
        let (mut message, mut rest) = (root.clone(), path);
        loop {
            let (name, after) = name_of(rest);
            let fault = |kind, text: &str| PathError::new(kind, text, message.full_name(), path);
            let field = super::projection::find(&message, name);
            let field = field.ok_or_else(|| fault(PathErrorKind::NoSuchField, name))?;
            let (element, after) = match after.strip_prefix('[') {
                None => (None, after),
                Some(inner) => {
                    let (text, after) =
                        bracketed(inner).ok_or_else(|| fault(PathErrorKind::Malformed, after))?;
                    (
                        Some(element_of(&field, text).ok_or_else(|| wrong_element(&field, text, &fault))?),
                        after,
                    )
                }
            };
            let text = rest.get(..rest.len() - after.len()).unwrap_or(rest);
            let inner = value_message(&field, element.is_some());
            steps.try_reserve(1).map_err(|_| PathError::TOO_LARGE)?;
            steps.push(PathStep { field, element, text });
            match (after.strip_prefix('.'), inner) {
                (Some(more), Some(inner)) => (rest, message) = (more, inner),
                (Some(_), None) => return Err(fault(PathErrorKind::NotAMessage, text)),
                (None, _) if after.is_empty() => return Ok(Self { path, steps }),
                (None, _) => return Err(fault(PathErrorKind::Malformed, after)),
            }
        }
    }

    /// A fault at a step.
    #[cold]
    fn fault(&self, kind: PathErrorKind, step: &PathStep<'_>) -> PathError {
        PathError::new(kind, step.text, step.field.parent_message().full_name(), self.path)
    }

    /// The element of a step is not there.
    #[cold]
    fn no_element(&self, step: &PathStep<'_>) -> PathError {
        let kind = match step.element {
            Some(Element::Key(_)) => PathErrorKind::NoSuchKey,
            _ => PathErrorKind::OutOfRange,
        };
        self.fault(kind, step)
    }

    /// Why a setter refused the value at a step.
    #[cold]
    fn refused(&self, step: &PathStep<'_>, error: &SetFieldError) -> PathError {
        match error.kind() {
            SetFieldErrorKind::TooLarge => PathError::TOO_LARGE,
            SetFieldErrorKind::OutOfRange => self.no_element(step),
            _ => self.fault(PathErrorKind::InvalidValue, step).with_detail(format!("{error}")),
        }
    }
}

/// The name at the start of a segment, an extension with its brackets, and what follows it.
fn name_of(rest: &str) -> (&str, &str) {
    let end = match rest.strip_prefix('[') {
        Some(inner) => inner.find(']').map_or(rest.len(), |end| end + 2),
        None => rest.find(['.', '[']).unwrap_or(rest.len()),
    };
    rest.split_at(end)
}

/// What stands in brackets, without its opening one, and what follows them.
fn bracketed(inner: &str) -> Option<(&str, &str)> {
    let mut end = 0;
    if let Some(text) = inner.strip_prefix('"') {
        let mut escaped = false;
        let close = text.bytes().position(|byte| {
            let closes = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            closes
        });
        end = close? + 2;
    } else {
        end += inner.find(']')?;
    }
    let after = inner.get(end..)?.strip_prefix(']')?;
    Some((inner.get(..end)?, after))
}

/// The element of this field that the text names.
fn element_of(field: &FieldDescriptor, text: &str) -> Option<Element> {
    if field.is_list() {
        return text.parse().ok().map(Element::Index);
    }
    let key = match map_key_kind(field)? {
        Kind::Bool => MapKey::Bool(text.parse().ok()?),
        Kind::String => MapKey::String(unquoted(text)?),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => MapKey::I32(text.parse().ok()?),
        Kind::Uint32 | Kind::Fixed32 => MapKey::U32(text.parse().ok()?),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => MapKey::I64(text.parse().ok()?),
        _ => MapKey::U64(text.parse().ok()?),
    };
    Some(Element::Key(key))
}

fn map_key_kind(field: &FieldDescriptor) -> Option<crate::schema::pool::FieldKind> {
    match field.kind() {
        Kind::Message(entry) if field.is_map() => entry.map_entry_key_field().map(|key| key.kind()),
        _ => None,
    }
}

/// A string without its quotes and backslashes.
fn unquoted(text: &str) -> Option<String> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    let mut plain = String::new();
    plain.try_reserve(inner.len()).ok()?;
    let mut rest = inner.chars();
    while let Some(next) = rest.next() {
        plain.push(if next == '\\' { rest.next().filter(|next| ['"', '\\'].contains(next))? } else { next });
    }
    Some(plain)
}

#[cold]
fn wrong_element(
    field: &FieldDescriptor,
    text: &str,
    fault: &dyn Fn(PathErrorKind, &str) -> PathError,
) -> PathError {
    let takes = match map_key_kind(field) {
        _ if field.is_list() => "an index",
        None => "no element: it is neither a list nor a map",
        Some(Kind::String) => "a key in double quotes",
        Some(Kind::Bool) => "true or false",
        Some(_) => "an integer of its key's type",
    };
    fault(PathErrorKind::WrongKind, text).with_detail(format!("{} takes {takes}", field.name()))
}

/// The type of the messages in a field, or in its elements.
fn value_message(field: &FieldDescriptor, element: bool) -> Option<MessageDescriptor> {
    match field.kind() {
        Kind::Message(entry) if field.is_map() => match entry.map_entry_value_field()?.kind() {
            Kind::Message(message) if element => Some(message),
            _ => None,
        },
        Kind::Message(message) if element == field.is_list() => Some(message),
        _ => None,
    }
}

/// The element of a list or map.
fn element_at<'a, 'i>(value: ValueRef<'a, 'i>, element: &Element) -> Option<ValueRef<'a, 'i>> {
    match element {
        Element::Index(index) => value.as_list()?.get(*index),
        Element::Key(key) => value.as_map()?.get(MapKeyRef::from(key)),
    }
}

impl<'a, 'i> MessageView<'a, 'i> {
    /// The value at a path: `"order.lines[2].price"`, `r#"labels["env"]"#`, `"[pkg.extension].id"`.
    ///
    /// Names are those of the schema. `[2]` is an element of a list, `["key"]`, `[7]` or `[true]` the value of a map entry; a string key
    /// has `\"` and `\\` for quotes and backslashes. What is not set has its default value, as in [`get_field`](Self::get_field), on the way
    /// too. Costs a lookup by name for each segment; for many messages, and for all elements of lists, use a
    /// [`ValuePath`](crate::partial::ValuePath).
    ///
    /// ```
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::{DescriptorPool, DynamicMessage};
    ///
    /// static NODE: MessageTable = MessageTable::new(
    ///     "pkg.Node",
    ///     &[
    ///         FieldTable::new("name", 1, Kind::String),
    ///         FieldTable::new("nodes", 2, Kind::Message(|| &NODE)).repeated(),
    ///         FieldTable::map("labels", 3, Kind::String, Kind::Int32),
    ///         FieldTable::new("next", 4, Kind::Message(|| &NODE)),
    ///     ],
    /// );
    /// let node = DescriptorPool::from_tables(&[&NODE])?.message("pkg.Node")?;
    /// let mut message = DynamicMessage::new(&node);
    /// message.set_path("next.next.name", "deep")?;
    /// message.set_path(r#"next.labels["a.b"]"#, 7)?;
    /// message.push_message("nodes")?;
    /// message.set_path("nodes[0].name", "first")?;
    ///
    /// assert_eq!(message.get_path("next.next.name")?.as_str(), Some("deep"));
    /// assert_eq!(message.get_path(r#"next.labels["a.b"]"#)?.as_i32(), Some(7));
    /// assert_eq!(message.as_view().get_path("nodes[0].next.name")?.as_str(), Some(""));
    /// message.clear_path("next.next")?;
    /// assert_eq!(message.get_path("next.next.name")?.as_str(), Some(""));
    ///
    /// let error = message.set_path("nodes[1].name", "x").unwrap_err();
    /// assert_eq!(error.to_string(), "the index is beyond the end of the list: nodes[1] in pkg.Node, in the path nodes[1].name");
    /// let error = message.set_path("next.labels[\"a\"]", "x").unwrap_err();
    /// assert_eq!(error.segment(), "labels[\"a\"]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `NoSuchField`, `NotAMessage`, `WrongKind` or `Malformed` for a path that the type does not have; `OutOfRange`, `NoSuchKey` for an
    /// element that is not there; `Unselected` for what a projection left out, or keeps as bytes; `TooLarge` if the allocator fails. The
    /// error names the segment.
    pub fn get_path(&self, path: &str) -> Result<ValueRef<'a, 'a>, PathError>
    where
        'i: 'a,
    {
        let resolved = Resolved::new(&self.descriptor(), path)?;
        let mut view = *self;
        let (last, parents) = resolved.steps.split_last().ok_or(PathError::TOO_LARGE)?;
        for step in parents {
            let value = view.value_at_step(&resolved, step)?;
            view = value.as_message().ok_or_else(|| resolved.fault(PathErrorKind::Unselected, step))?;
        }
        view.value_at_step(&resolved, last)
    }

    fn value_at_step(
        &self,
        resolved: &Resolved<'_>,
        step: &PathStep<'_>,
    ) -> Result<ValueRef<'a, 'a>, PathError>
    where
        'i: 'a,
    {
        let value = match self.get_field(&step.field) {
            Err(error) => return Err(resolved.refused(step, &error)),
            Ok(ValueRef::Unselected) => return Err(resolved.fault(PathErrorKind::Unselected, step)),
            Ok(value) => value,
        };
        match &step.element {
            None => Ok(value),
            Some(element) => element_at(value, element).ok_or_else(|| resolved.no_element(step)),
        }
    }
}

impl MessageMut<'_> {
    /// Sets the value at a path as [`get_path`](MessageView::get_path) takes it. Messages on the way that are not set, and entries of maps, are
    /// made; elements of lists must be there.
    ///
    /// # Errors
    /// As [`get_path`](MessageView::get_path); `InvalidValue`, with the reason of [`set_field`](Self::set_field), if the field does not take
    /// the value. The message does not change.
    pub fn set_path(&mut self, path: &str, value: impl Into<Value>) -> Result<(), PathError> {
        let resolved = Resolved::new(&self.descriptor(), path)?;
        let (mut target, steps) = self.reborrow().existing(&resolved)?;
        let Some((first, made)) = steps.split_first() else { return Err(PathError::TOO_LARGE) };
        // The last one may be there: its list says so.
        let absent = if made.is_empty() { made } else { steps };
        if let Some(step) = absent.iter().find(|step| matches!(step.element, Some(Element::Index(_)))) {
            return Err(resolved.no_element(step));
        }
        // What is not there yet is made aside, from the end of the path on: so a value that is refused changes nothing.
        let mut value = value.into();
        for step in made.iter().rev() {
            let mut message = DynamicMessage::new(step.field.parent_message());
            message.as_mut().put_at(&resolved, step, value)?;
            value = Value::from(message);
        }
        target.put_at(&resolved, first, value)
    }

    /// Unsets the field at a path as [`get_path`](MessageView::get_path) takes it, or removes the element of the list or map. Nothing happens if
    /// a message on the way, or an entry of a map, is not there.
    ///
    /// # Errors
    /// As [`get_path`](MessageView::get_path), but not `NoSuchKey`. The message does not change.
    pub fn clear_path(&mut self, path: &str) -> Result<(), PathError> {
        let resolved = Resolved::new(&self.descriptor(), path)?;
        let (mut target, steps) = self.reborrow().existing(&resolved)?;
        let [step] = steps else {
            let absent = steps.iter().find(|step| matches!(step.element, Some(Element::Index(_))));
            return absent.map_or(Ok(()), |step| Err(resolved.no_element(step)));
        };
        let cleared = match &step.element {
            None => target.clear_field(&step.field),
            Some(Element::Index(index)) => target.remove_element(&step.field, *index),
            Some(Element::Key(key)) => target.remove(&step.field, key.clone()).map(|_| ()),
        };
        cleared.map_err(|error| resolved.refused(step, &error))
    }

    /// The last message of the path that exists, and the steps from there.
    fn existing<'r, 'p>(
        self,
        resolved: &'r Resolved<'p>,
    ) -> Result<(MessageMut<'r>, &'r [PathStep<'p>]), PathError>
    where
        Self: 'r,
    {
        let (mut target, mut steps): (MessageMut<'r>, _) = (self, resolved.steps.as_slice());
        while let [step, rest @ ..] = steps {
            if rest.is_empty() || !target.as_view().has_step(resolved, step)? {
                break;
            }
            let field = &step.field;
            let inner = match &step.element {
                None => target.into_message_mut(field),
                Some(Element::Index(index)) => target.into_element_mut(field, *index),
                Some(Element::Key(key)) => target.into_entry_mut(field, key.clone()),
            };
            (target, steps) = (inner.map_err(|error| resolved.refused(step, &error))?, rest);
        }
        Ok((target, steps))
    }

    /// Sets what a step names.
    fn put_at(
        &mut self,
        resolved: &Resolved<'_>,
        step: &PathStep<'_>,
        value: Value,
    ) -> Result<(), PathError> {
        let set = match &step.element {
            None => self.set_field(&step.field, value),
            Some(Element::Index(index)) => self.set_element(&step.field, *index, value),
            Some(Element::Key(key)) => self.insert(&step.field, key.clone(), value),
        };
        set.map_err(|error| resolved.refused(step, &error))
    }
}

impl MessageView<'_, '_> {
    /// Whether the message that a step names is there; what is kept as bytes is, and is decoded to go on.
    fn has_step(&self, resolved: &Resolved<'_>, step: &PathStep<'_>) -> Result<bool, PathError> {
        let value = self.get_field(&step.field).map_err(|error| resolved.refused(step, &error))?;
        match (&step.element, value) {
            (None, ValueRef::Unselected) => Ok(true),
            (None, _) => Ok(self.has_field(&step.field)),
            (Some(_), ValueRef::Unselected) => Err(resolved.fault(PathErrorKind::Unselected, step)),
            (Some(element), value) => Ok(element_at(value, element).is_some()),
        }
    }
}

impl DynamicMessage {
    /// As [`MessageView::get_path`].
    ///
    /// # Errors
    /// As [`MessageView::get_path`].
    pub fn get_path(&self, path: &str) -> Result<ValueRef<'_, '_>, PathError> {
        self.as_view().get_path(path)
    }

    /// As [`MessageMut::set_path`].
    ///
    /// # Errors
    /// As [`MessageMut::set_path`].
    pub fn set_path(&mut self, path: &str, value: impl Into<Value>) -> Result<(), PathError> {
        self.as_mut().set_path(path, value)
    }

    /// As [`MessageMut::clear_path`].
    ///
    /// # Errors
    /// As [`MessageMut::clear_path`].
    pub fn clear_path(&mut self, path: &str) -> Result<(), PathError> {
        self.as_mut().clear_path(path)
    }
}
