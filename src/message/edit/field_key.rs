//! [`FieldKey`]: what names a field of a message.
//!
//! A field of another message is *foreign*. There is one rule for it, here and in `read.rs`: see [`FieldKey`].

use crate::message::error::{SetFieldError, SetFieldErrorKind};
use crate::message::{MessageView, Value};
use crate::schema::pool::{DescriptorPool, ExtensionDescriptor, FieldDescriptor, FieldRef, nearest};
use crate::schema::program::{Access, FieldEntry, ProgramSet, ReadLayout};
use crate::schema::table::Kind;
use crate::wire::error::text;
use alloc::string::String;
use core::fmt;
use sealed::Sealed;

pub(in crate::message) mod sealed {
    use super::{Key, MessageView, OwnField};

    pub trait Sealed {
        /// The key for setters.
        fn key(&self) -> Key<'_>;

        /// What a getter needs of the field, if the message has it.
        fn find<'f>(&'f self, view: &MessageView<'f, '_>) -> Option<OwnField<'f>>;
    }
}

/// What names a field of a message: a reference to a [`FieldDescriptor`] or [`ExtensionDescriptor`], a [`FieldRef`], a name (`&str`) or a
/// number (`u32`).
///
/// An extension is named by its full name in brackets, `"[pkg.my_extension]"`. A descriptor is the fastest: names are searched for
/// on each call, and so are numbers above a few hundred.
///
/// # Foreign fields
/// A descriptor may come from another pool, as when two parts of a program load the same schema. If the message has a field of
/// the same full name and number, and is of the same full name as the message of the descriptor, that field is meant. Each access
/// then compares these names; descriptors of the message's own pool don't pay for that. For any other foreign field
/// - setters and [`get_field`](MessageView::get_field) return an error of the kind
///   [`ForeignField`](crate::message::SetFieldErrorKind::ForeignField), which names the field and the message;
/// - [`get`](MessageView::get), `has_field`, `is_selected` and `get_oneof`, which cannot return an error, panic in builds with debug
///   assertions. In others the field reads as unset.
///
/// A name or number that the message does not have is [`NoSuchField`](crate::message::SetFieldErrorKind::NoSuchField) to setters and
/// `get_field`, with the nearest name of a field, and unset to the others.
///
/// This trait is sealed.
///
/// ```
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::{DescriptorPool, DynamicMessage, SetFieldErrorKind};
///
/// static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("line", 1, Kind::String)]);
/// static HOST: MessageTable = MessageTable::new("pkg.Host", &[FieldTable::new("name", 1, Kind::String)]);
/// let pool = DescriptorPool::from_tables(&[&LOG, &HOST])?;
/// let log = pool.message("pkg.Log")?;
/// let mut message = DynamicMessage::new(&log);
/// message.set_field("line", "by name")?;
/// message.set_field(1, "by number")?;
/// message.set_field(&log.get_field(1).unwrap(), "by descriptor")?;
///
/// // The same schema, loaded once more.
/// let again = DescriptorPool::from_tables(&[&LOG])?.message("pkg.Log")?;
/// assert_eq!(message.get_field(&again.get_field(1).unwrap())?.as_str(), Some("by descriptor"));
///
/// let name = pool.message("pkg.Host")?.get_field(1).unwrap();
/// let error = message.set_field(&name, "web1").unwrap_err();
/// assert_eq!(error.kind(), SetFieldErrorKind::ForeignField);
/// assert_eq!(error.to_string(), "the field is of another message: pkg.Host.name, and the message is a pkg.Log");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name a field",
    label = "expected a reference to a field's descriptor, a name (`&str`) or a number (`u32`)"
)]
pub trait FieldKey: Sealed {}

/// What a getter needs of a field.
#[derive(Clone, Copy)]
pub struct OwnField<'f>(pub(in crate::message) &'f Access);

/// A key that setters resolve.
#[derive(Clone, Copy)]
pub enum Key<'k> {
    Field(FieldRef<'k>),
    Name(&'k str),
    Number(u32),
}

/// References are keys, and references to them, of which closures of iterators have many. Owned descriptors do not implement it: clippy would
/// ask for them by value, and a field is used more than once.
macro_rules! keys {
    ($($type:ty, $self:ident => $key:expr, $find:expr;)*) => {
        $(impl FieldKey for $type {}

        impl Sealed for $type {
            #[inline(always)]
            fn key(&$self) -> Key<'_> {
                $key
            }

            #[inline(always)]
            fn find<'f>(&'f $self, view: &MessageView<'f, '_>) -> Option<OwnField<'f>> {
                $find(view, $self)
            }
        })*
    };
}

keys! {
    &FieldDescriptor, self => Key::Field(self.as_ref()), find_descriptor;
    &&FieldDescriptor, self => Key::Field(self.as_ref()), find_descriptor;
    &ExtensionDescriptor, self => Key::Field(self.field_ref()), find_extension;
    &&ExtensionDescriptor, self => Key::Field(self.field_ref()), find_extension;
    FieldRef<'_>, self => Key::Field(*self), find_ref;
    &str, self => Key::Name(self), find_named;
    &&str, self => Key::Name(self), find_named;
    &String, self => Key::Name(self), find_named;
    &&String, self => Key::Name(self), find_named;
    u32, self => Key::Number(*self), find_numbered;
}

#[inline(always)]
fn find_descriptor<'f>(view: &MessageView<'f, '_>, field: &'f FieldDescriptor) -> Option<OwnField<'f>> {
    match field.access_in(view.layout) {
        Some(access) => Some(OwnField(access)),
        None => find_elsewhere(view.pool, view.layout, field).map(OwnField),
    }
}

fn find_extension<'f>(view: &MessageView<'f, '_>, field: &ExtensionDescriptor) -> Option<OwnField<'f>> {
    find_other(view.pool, view.layout, field.field_ref()).map(OwnField)
}

fn find_ref<'f>(view: &MessageView<'f, '_>, field: &FieldRef<'_>) -> Option<OwnField<'f>> {
    find_other(view.pool, view.layout, *field).map(OwnField)
}

fn find_named<'f>(view: &MessageView<'f, '_>, name: &str) -> Option<OwnField<'f>> {
    let field = named(view.pool, view.message(), name)?;
    view.layout.field(field.position() as u16).map(OwnField)
}

fn find_numbered<'f>(view: &MessageView<'f, '_>, number: &u32) -> Option<OwnField<'f>> {
    let (position, _) = view.set.program(view.layout.program).by_number(*number)?;
    view.layout.field(position as u16).map(OwnField)
}

/// What a getter needs of a field that the layout does not know by its address: of a message that a projection decoded, or of a
/// field of another message. It takes what the getter has at hand, so that getters make no `FieldRef`: that took four instructions.
#[cold]
#[inline(never)]
fn find_elsewhere<'f>(
    pool: &DescriptorPool,
    layout: &'f ReadLayout,
    field: &FieldDescriptor,
) -> Option<&'f Access> {
    find_other(pool, layout, field.as_ref())
}

/// As `find_elsewhere`.
fn find_other<'f>(pool: &DescriptorPool, layout: &'f ReadLayout, field: FieldRef<'_>) -> Option<&'f Access> {
    if field.pool() == pool && field.message_index() == layout.message {
        return layout.field(field.position() as u16);
    }
    layout.field(resolve(pool, layout.message, field)?.position() as u16)
}

/// What getters that return no error do about a field that the message does not have: one of another message is a mistake of the program.
#[cold]
#[inline(never)]
#[cfg_attr(debug_assertions, track_caller)]
pub(in crate::message) fn absent(pool: &DescriptorPool, message: u32, key: Key<'_>) {
    if let Key::Field(field) = key {
        foreign(pool, message, field.full_name());
    }
}

/// The field of this name of the message of this index, or the extension whose full name is given in brackets.
pub(in crate::message) fn named<'p>(
    pool: &'p DescriptorPool,
    message: u32,
    name: &str,
) -> Option<FieldRef<'p>> {
    match name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(extension) => pool.extension_by_name(message, extension),
        None => pool.field_by_name(message, name),
    }
}

/// The field of this number of the message of this index.
pub(in crate::message) fn numbered(pool: &DescriptorPool, message: u32, number: u32) -> Option<FieldRef<'_>> {
    let program = pool.programs().program(message);
    let (position, _) = program.by_number(number)?;
    Some(FieldRef::new(pool, message, program.field_of(position) as u32))
}

/// The field of the message of this index that a descriptor means: its own, or one of the same names and number.
#[cold]
#[inline(never)]
pub(in crate::message) fn resolve<'p>(
    pool: &'p DescriptorPool,
    message: u32,
    field: FieldRef<'_>,
) -> Option<FieldRef<'p>> {
    if field.pool() == pool && field.message_index() == message {
        return Some(FieldRef::new(pool, message, field.index()));
    }
    let own = numbered(pool, message, field.number())?;
    let alike = own.full_name() == field.full_name()
        && own.containing_message().full_name() == field.containing_message().full_name();
    alike.then_some(own)
}

/// What calls do about a field of another message when they cannot return an error.
#[cold]
#[inline(never)]
#[cfg_attr(debug_assertions, track_caller)]
pub(in crate::message) fn foreign(pool: &DescriptorPool, message: u32, field: &str) {
    if cfg!(debug_assertions) {
        let message = pool.message_at(message);
        let message = message.as_ref().map_or("", |message| message.full_name());
        panic!("the field is of another message: {field}, and the message is a {message}");
    }
}

// `ResolvedField`: a field descriptor resolved in a message's program, which setters work with.

/// A field of the message that a setter changes.
#[derive(Clone, Copy)]
pub(in crate::message) struct ResolvedField<'p> {
    pub(in crate::message) descriptor: FieldRef<'p>,
    pub(in crate::message) position: usize,
    pub(in crate::message) entry: FieldEntry,
    pub(in crate::message) set: &'p ProgramSet,
}

impl<'p> ResolvedField<'p> {
    /// The key field (0) or the value field (1) of a map.
    pub(in crate::message) fn map_part(&self, part: usize) -> Option<ResolvedField<'p>> {
        let program = self.set.program(self.entry.sub);
        let entry = *program.entries().get(part)?;
        let descriptor =
            FieldRef::new(self.descriptor.pool(), program.message(), program.field_of(part) as u32);
        Some(ResolvedField { descriptor, position: part, entry, set: self.set })
    }

    /// The words of an element of the list, or of the map.
    pub(in crate::message) fn element_words(&self) -> u32 {
        let coding = self.entry.coding;
        if coding.is_message() { self.set.program(self.entry.sub).element_words() } else { coding.words() }
    }

    /// An error about this field.
    #[cold]
    pub(in crate::message) fn error(&self, kind: SetFieldErrorKind, value: Option<Value>) -> SetFieldError {
        let expected = text(Expected(self));
        SetFieldError::new(kind, self.descriptor.full_name(), expected, String::new(), value)
    }
}

/// What a field takes: `repeated int32`, `map<string, message pkg.Log>`.
pub(in crate::message) struct Expected<'f>(pub(in crate::message) &'f ResolvedField<'f>);

impl fmt::Display for Expected<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = |field: &ResolvedField<'_>, f: &mut fmt::Formatter<'_>| match field.descriptor.kind() {
            Kind::Message(message) => write!(f, "message {}", message.full_name()),
            Kind::Enum(enumeration) => write!(f, "enum {}", enumeration.full_name()),
            kind => f.write_str(kind.name()),
        };
        let flags = self.0.entry.flags;
        if !flags.is_map() {
            f.write_str(if flags.is_list() { "repeated " } else { "" })?;
            return one(self.0, f);
        }
        let (Some(key), Some(value)) = (self.0.map_part(0), self.0.map_part(1)) else { return Ok(()) };
        f.write_str("map<")?;
        one(&key, f)?;
        f.write_str(", ")?;
        one(&value, f)?;
        f.write_str(">")
    }
}

/// The field that a key means in a message of this index.
pub(in crate::message) fn own_field<'p>(
    pool: &'p DescriptorPool,
    message: u32,
    key: Key<'_>,
) -> Result<FieldRef<'p>, SetFieldError> {
    let found = match key {
        Key::Field(field) if field.message_index() == message && field.pool() == pool => {
            return Ok(FieldRef::at(pool, message, field.index() as u16, field.position() as u16));
        }
        Key::Field(field) => resolve(pool, message, field),
        Key::Name(name) => named(pool, message, name),
        Key::Number(number) => numbered(pool, message, number),
    };
    found.ok_or_else(|| no_field(pool, message, key))
}

/// Why a key names no field of a message.
#[cold]
pub(in crate::message) fn no_field(pool: &DescriptorPool, message: u32, key: Key<'_>) -> SetFieldError {
    let message = pool.message_at(message);
    let name_of = message.as_ref().map_or("", |message| message.full_name());
    let unresolved = |kind, field: &str| SetFieldError::unresolved(kind, field, name_of);
    match key {
        Key::Field(field) => unresolved(SetFieldErrorKind::ForeignField, field.full_name()),
        Key::Name(name) => {
            let near = message.as_ref().and_then(|message| nearest(name, message.field_names()));
            unresolved(SetFieldErrorKind::NoSuchField, name).did_you_mean(near)
        }
        Key::Number(number) => unresolved(SetFieldErrorKind::NoSuchField, &text(number)),
    }
}
