//! Field masks on messages: which paths a type has, merging and trimming by a mask.

use super::field_mask::{FieldMask, by_segments, is_within};
use crate::formats::AnyMessage;
use crate::message::partial::{PathError, PathErrorKind};
use crate::message::{
    DynamicMessage, MessageMut, MessageView, SetFieldError, SetFieldErrorKind, Value, ValueRef,
};
use crate::schema::pool::{FieldDescriptor, MessageDescriptor};
use crate::schema::table::Kind;
use crate::structs::DecodeOwned;
use crate::structs::reflect::by_schema;
use alloc::{format, string::String, string::ToString, vec::Vec};
use core::fmt::Display;

/// The most segments of a path, as many as messages nest.
const MOST_SEGMENTS: usize = 100;

impl FieldMask {
    /// All fields of a message type.
    #[must_use]
    pub fn all(descriptor: &MessageDescriptor) -> Self {
        descriptor.fields().map(|field| field.name().to_string()).collect()
    }

    /// Checks that a message type has all paths.
    ///
    /// # Errors
    /// `NoSuchField`; `NotAMessage` for a path that goes on after a list, a map or a scalar; `TooLarge` for more than 100 segments.
    pub fn check(&self, descriptor: &MessageDescriptor) -> Result<(), PathError> {
        self.paths.iter().try_for_each(|path| fields_of(descriptor, path).map(|_| ()))
    }

    /// The fields of this mask that are not in another one. A path with a part taken out becomes the paths of all other parts.
    ///
    /// ```
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::{DescriptorPool, wkt::FieldMask};
    ///
    /// static USER: MessageTable = MessageTable::new(
    ///     "pkg.User",
    ///     &[FieldTable::new("id", 1, Kind::Uint64), FieldTable::new("friend", 2, Kind::Message(|| &USER))],
    /// );
    /// let user = DescriptorPool::from_tables(&[&USER])?.message("pkg.User")?;
    /// let mask = FieldMask::all(&user).difference(&"friend.friend".parse()?, &user)?;
    /// assert_eq!(mask.to_string(), "friend.id,id");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`check`](Self::check), for both masks.
    pub fn difference(&self, other: &Self, descriptor: &MessageDescriptor) -> Result<Self, PathError> {
        self.check(descriptor)?;
        let mut kept = self.normalized().paths;
        for taken in &other.normalized().paths {
            let fields = fields_of(descriptor, taken)?;
            // In normal form there is at most one.
            let around = kept.iter().position(|path| path != taken && is_within(taken, path));
            let Some(around) = around.map(|at| kept.swap_remove(at)) else {
                kept.retain(|path| !is_within(path, taken));
                continue;
            };
            let depth = around.split('.').count();
            let mut prefix = around + ".";
            for field in fields.iter().skip(depth) {
                let others = field.parent_message().fields().filter(|other| other != field);
                kept.extend(others.map(|other| format!("{prefix}{}", other.name())));
                prefix += field.name();
                prefix.push('.');
            }
        }
        kept.sort_unstable_by(|a, b| by_segments(a, b));
        Ok(Self { paths: kept })
    }

    /// Copies the fields of the mask from one message to another: [`MaskOptions::merge`] with the defaults.
    ///
    /// # Errors
    /// As [`MaskOptions::merge`].
    pub fn merge<M: Masked>(&self, source: &M, target: &mut M) -> Result<(), PathError> {
        MaskOptions::new().merge(self, source, target)
    }

    /// Unsets the fields that are not in the mask: [`MaskOptions::trim`] with the defaults.
    ///
    /// # Errors
    /// As [`MaskOptions::trim`].
    pub fn trim<M: Masked>(&self, message: &mut M) -> Result<(), PathError> {
        MaskOptions::new().trim(self, message)
    }
}

/// How a [`FieldMask`] is applied.
///
/// ```
/// use tablepb::wkt::{FieldMask, MaskOptions};
///
/// #[derive(Debug, Default, PartialEq)]
/// struct Address { city: String, zip: String }
/// #[derive(Debug, Default, PartialEq)]
/// struct User { name: String, tags: Vec<String>, address: Option<Address> }
/// tablepb::message! {
///     Address as "pkg.Address" { city: string = 1, zip: string = 2 }
///     User as "pkg.User" { name: string = 1, tags: repeated string = 2, address: message Address = 3 }
/// }
///
/// let mut user = User { name: "a".into(), tags: vec!["x".into()], address: None };
/// let patch = User {
///     name: "b".into(),
///     tags: vec!["y".into()],
///     address: Some(Address { city: "Bern".into(), zip: "3000".into() }),
/// };
/// let mask: FieldMask = "tags,address.city".parse()?;
/// mask.merge(&patch, &mut user)?;
/// assert_eq!((user.name.as_str(), user.tags.len()), ("a", 2));
/// assert_eq!(user.address, Some(Address { city: "Bern".into(), zip: "".into() }));
///
/// MaskOptions::new().replace_lists(true).merge(&mask, &patch, &mut user)?;
/// assert_eq!(user.tags, ["y"]);
///
/// mask.trim(&mut user)?;
/// assert_eq!(user.name, "");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct MaskOptions {
    replace_messages: bool,
    replace_lists: bool,
    keep_required: bool,
}

impl MaskOptions {
    /// The defaults: messages are merged, lists and maps extended, and required fields trimmed as others.
    #[must_use]
    pub const fn new() -> Self {
        Self { replace_messages: false, replace_lists: false, keep_required: false }
    }

    /// Whether a message at the end of a path takes the place of that in the target, in place of being merged into it.
    #[must_use]
    pub const fn replace_messages(mut self, yes: bool) -> Self {
        self.replace_messages = yes;
        self
    }

    /// Whether a list or map at the end of a path takes the place of that in the target, in place of being added to it.
    #[must_use]
    pub const fn replace_lists(mut self, yes: bool) -> Self {
        self.replace_lists = yes;
        self
    }

    /// Whether [`trim`](Self::trim) keeps required fields: of a required message those that it requires, or all if it requires none.
    #[must_use]
    pub const fn keep_required(mut self, yes: bool) -> Self {
        self.keep_required = yes;
        self
    }

    /// Copies the fields of the mask from `source` to `target`, which are of one type. A field that the source does not have is unset in the
    /// target; messages on the way to it are made. A mask without paths changes nothing.
    ///
    /// A struct goes by way of its encoding, so this costs an encode and a decode of both.
    ///
    /// # Errors
    /// As [`FieldMask::check`], and then the target does not change. `InvalidValue` if the messages are of different types, or a struct
    /// refuses its new content; `TooLarge` if the allocator fails: a `DynamicMessage` may be merged in part then, a struct does not change.
    pub fn merge<M: Masked>(&self, mask: &FieldMask, source: &M, target: &mut M) -> Result<(), PathError> {
        let paths = mask.normalized().paths;
        target.__edit(&mut |to| {
            let descriptor = to.descriptor().clone();
            let found = paths.iter().map(|path| fields_of(&descriptor, path));
            let found = found.collect::<Result<Vec<_>, _>>()?;
            let mut merged = Ok(());
            let shown = source.__show(Some(&descriptor), &mut |from| {
                merged = self.merge_paths(&found, from, to);
            });
            shown.map_err(|error| unfit(descriptor.full_name(), &error))?;
            merged
        })
    }

    fn merge_paths(
        &self,
        paths: &[Vec<FieldDescriptor>],
        source: MessageView<'_, '_>,
        target: &mut DynamicMessage,
    ) -> Result<(), PathError> {
        if source.descriptor() != *target.descriptor() {
            return Err(unfit(
                target.descriptor().full_name(),
                &format_args!("the source is a {}", source.descriptor().full_name()),
            ));
        }
        paths.iter().try_for_each(|fields| {
            self.merge_path(fields, source, target.as_mut()).map_err(|error| refused(&error, fields))
        })
    }

    /// Unsets the fields of a message that are not in the mask. Unknown fields and extensions stay. A mask without paths changes nothing.
    ///
    /// A struct goes by way of its encoding, so this costs an encode and a decode.
    ///
    /// # Errors
    /// As [`merge`](Self::merge).
    pub fn trim<M: Masked>(&self, mask: &FieldMask, message: &mut M) -> Result<(), PathError> {
        let paths = mask.normalized().paths;
        message.__edit(&mut |message| {
            let descriptor = message.descriptor().clone();
            paths.iter().try_for_each(|path| fields_of(&descriptor, path).map(|_| ()))?;
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            if paths.is_empty() { Ok(()) } else { self.trim_message(&paths, message.as_mut()) }
        })
    }

    /// Merges the field at the end of a path.
    fn merge_path(
        &self,
        fields: &[FieldDescriptor],
        source: MessageView<'_, '_>,
        mut target: MessageMut<'_>,
    ) -> Result<(), SetFieldError> {
        let Some((last, parents)) = fields.split_last() else { return Ok(()) };
        let mut from = Some(source);
        for field in parents {
            from = from.and_then(|view| view.get(field)?.as_message());
            target = target.into_message_mut(field)?;
        }
        let value = from.and_then(|view| view.get(last));
        let replaced = if last.is_list() || last.is_map() {
            self.replace_lists
        } else {
            self.replace_messages || !matches!(last.kind(), Kind::Message(_))
        };
        if replaced {
            return match value {
                Some(value) => target.set_field(last, value.try_to_owned()?),
                None => target.clear_field(last),
            };
        }
        match value.map(ValueRef::try_to_owned).transpose()? {
            Some(Value::List(values)) => target.extend(last, values),
            Some(Value::Map(entries)) => {
                entries.into_iter().try_for_each(|(key, value)| target.insert(last, key, value))
            }
            Some(Value::Message(message)) => {
                let merged = match target.as_view().get(last).map(ValueRef::try_to_owned).transpose()? {
                    Some(Value::Message(mut before)) => {
                        // Both are of one type, so that only memory can be missing.
                        before.transcode_from(&message).map_err(|_| SetFieldError::TOO_LARGE)?;
                        before
                    }
                    _ => message,
                };
                target.set_field(last, merged)
            }
            Some(value) => target.set_field(last, value),
            None => Ok(()),
        }
    }

    /// Trims a message to paths in normal form, which it has. Recurses once for each segment of a path.
    fn trim_message<'p>(&self, paths: &[&'p str], mut message: MessageMut<'_>) -> Result<(), PathError> {
        let set: Vec<FieldDescriptor> =
            message.as_view().fields().map(|(field, _)| field.to_owned()).collect();
        for field in set.iter().filter(|field| !field.is_extension()) {
            let own = |path: &&str| is_within(path, field.name());
            let within: Vec<&'p str> = paths.iter().copied().filter(own).collect();
            let trimmed = match within.as_slice() {
                [] if self.keep_required && field.is_required() => match field.kind() {
                    // Of a required message, too, only what it requires is kept, if that is anything.
                    Kind::Message(inner) if inner.fields().any(|field| field.is_required()) => {
                        let inner = message.message_mut(field);
                        let inner = inner.map_err(|error| refused(&error, core::slice::from_ref(field)))?;
                        self.trim_message(&[], inner)?;
                        Ok(())
                    }
                    _ => Ok(()),
                },
                [] => message.clear_field(field),
                [whole] if *whole == field.name() => Ok(()),
                parts => {
                    let inner_of = |path: &&'p str| path.get(field.name().len() + 1..);
                    let parts: Vec<&str> = parts.iter().filter_map(inner_of).collect();
                    let inner = message.message_mut(field);
                    let inner = inner.map_err(|error| refused(&error, core::slice::from_ref(field)))?;
                    self.trim_message(&parts, inner)?;
                    Ok(())
                }
            };
            trimmed.map_err(|error| refused(&error, core::slice::from_ref(field)))?;
        }
        Ok(())
    }
}

/// The fields of a path of a message type.
fn fields_of(root: &MessageDescriptor, path: &str) -> Result<Vec<FieldDescriptor>, PathError> {
    let mut fields: Vec<FieldDescriptor> = Vec::new();
    let mut message = Some(root.clone());
    for segment in path.split('.') {
        let name = message.as_ref().map_or("", |message| message.full_name());
        let fault = |kind| Err(PathError::new(kind, segment, name, path));
        let Some(parent) = &message else {
            let before = fields.last().map_or("", |field| field.name());
            return Err(PathError::new(PathErrorKind::NotAMessage, before, root.full_name(), path));
        };
        let Some(field) = parent.find_field(segment) else { return fault(PathErrorKind::NoSuchField) };
        if fields.len() == MOST_SEGMENTS {
            return fault(PathErrorKind::TooLarge);
        }
        message = match field.kind() {
            Kind::Message(inner) if !field.is_list() && !field.is_map() => Some(inner),
            _ => None,
        };
        fields.try_reserve(1).map_err(|_| PathError::TOO_LARGE)?;
        fields.push(field);
    }
    Ok(fields)
}

#[cold]
fn refused(error: &SetFieldError, fields: &[FieldDescriptor]) -> PathError {
    let Some(last) = fields.last().filter(|_| error.kind() != SetFieldErrorKind::TooLarge) else {
        return PathError::TOO_LARGE;
    };
    let fault =
        PathError::new(PathErrorKind::InvalidValue, last.name(), last.parent_message().full_name(), "");
    fault.with_detail(format!("{error}"))
}

/// What a mask is applied to: a [`DynamicMessage`], or a struct of [`message!`](crate::message!) that does not borrow from its input.
///
/// Sealed: this crate implements it.
pub trait Masked: AnyMessage {
    #[doc(hidden)]
    fn __edit(
        &mut self,
        edit: &mut dyn FnMut(&mut DynamicMessage) -> Result<(), PathError>,
    ) -> Result<(), PathError>;
}

impl Masked for DynamicMessage {
    fn __edit(
        &mut self,
        edit: &mut dyn FnMut(&mut DynamicMessage) -> Result<(), PathError>,
    ) -> Result<(), PathError> {
        edit(self)
    }
}

impl<M: DecodeOwned> Masked for M {
    fn __edit(
        &mut self,
        edit: &mut dyn FnMut(&mut DynamicMessage) -> Result<(), PathError>,
    ) -> Result<(), PathError> {
        by_schema::edit(self, usize::MAX, |misfit| unfit(M::TABLE.full_name(), &misfit), edit)
    }
}

#[cold]
fn unfit(message: &str, error: &dyn Display) -> PathError {
    PathError::new(PathErrorKind::InvalidValue, "", message, "").with_detail(error.to_string())
}
