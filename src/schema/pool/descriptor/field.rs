//! [`FieldDescriptor`], and the borrowed [`FieldRef`] that it is made of.
//!
//! An extension is a field of the message it extends, after the declared ones, so the loops and the message layer know
//! one kind of field only.

use crate::schema::pool::model::{DefaultData, ExtensionData, FieldData, FieldFlags, NONE};
use crate::schema::pool::{
    DescriptorPool, EnumDescriptor, FileDescriptor, MessageDescriptor, OneofDescriptor,
};
use crate::schema::program::{Access, ReadLayout};
use crate::schema::table::{Cardinality, DefaultValue, Kind};
use core::fmt;
use core::hash::{Hash, Hasher};

/// The type of a field in a pool.
pub type FieldKind = Kind<MessageDescriptor, EnumDescriptor>;

/// The type as the declaration of a field names it: `int32`, and `pkg.Log` for a message or an enum.
///
/// ```
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
///
/// static LOG: MessageTable = MessageTable::new(
///     "pkg.Log",
///     &[FieldTable::new("line", 1, Kind::String), FieldTable::new("cause", 2, Kind::Message(|| &LOG))],
/// );
/// let log = DescriptorPool::from_tables(&[&LOG])?.message("pkg.Log")?;
/// let types: Vec<_> = log.fields().map(|field| field.kind().to_string()).collect();
/// assert_eq!(types, ["string", "pkg.Log"]);
/// # Ok::<(), tablepb::DescriptorError>(())
/// ```
impl fmt::Display for FieldKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Message(message) => message.full_name(),
            Self::Enum(enumeration) => enumeration.full_name(),
            scalar => scalar.name(),
        })
    }
}

/// A field or extension of a message, borrowed from the pool; 16 bytes, `Copy`.
///
/// Message views yield it. [`to_owned`](Self::to_owned) makes a [`FieldDescriptor`] of it.
#[derive(Clone, Copy)]
pub struct FieldRef<'a> {
    pub(in crate::schema::pool) pool: &'a DescriptorPool,
    message: u32,
    field: u16,
    /// In number order.
    position: u16,
}

/// A field of a message.
///
/// A handle, `Send + Sync`; `Clone` increments a reference count. An extension is a field too
/// ([`ExtensionDescriptor::as_field`]); two handles of one field are equal, however they were obtained.
///
/// 40 bytes: it holds the location of the field in a message, so access by handle needs no lookup.
#[derive(Clone)]
pub struct FieldDescriptor {
    message: MessageDescriptor,
    /// The address of the message's layout. The descriptor keeps the pool alive, so no other layout can have it.
    layout: usize,
    access: Access,
}

/// The methods that fields, borrowed fields and extensions share; `$field` is the `FieldRef` of `$self`.
macro_rules! accessors {
    ($life:lifetime, $self:ident => $field:expr) => {
        /// The name without its scope.
        #[must_use]
        pub fn name(&$self) -> &$life str {
            $field.pool.data().text($field.data().name.local())
        }

        /// The full name: the scope (the message, or for an extension the scope that declares it), a dot and the name.
        #[must_use]
        pub fn full_name(&$self) -> &$life str {
            $field.pool.data().text($field.data().name.full())
        }

        /// The name in JSON: lowerCamelCase unless the schema sets another one; `[full.name]` for an extension.
        #[must_use]
        pub fn json_name(&$self) -> &$life str {
            $field.pool.data().text($field.data().json_name)
        }

        /// The field number, 1 to 2^29-1; up to 2^31-2 for an extension of a MessageSet.
        #[inline]
        #[must_use]
        pub fn number(&$self) -> u32 {
            $field.data().number
        }

        /// The type of the field; for a list, that of its elements; for a map, its entry message.
        #[must_use]
        pub fn kind(&$self) -> FieldKind {
            let pool = $field.pool;
            let kind = &$field.data().kind;
            kind.map(|&m| MessageDescriptor::new(pool, m), |&e| EnumDescriptor::new(pool, e))
        }

        /// Optional, required or repeated; maps are repeated.
        #[inline]
        #[must_use]
        pub fn cardinality(&$self) -> Cardinality {
            $field.data().cardinality
        }

        /// Whether the field holds a list: repeated and not a map.
        #[inline]
        #[must_use]
        pub fn is_list(&$self) -> bool {
            $field.data().cardinality == Cardinality::Repeated && !$field.has(FieldFlags::MAP)
        }

        /// Whether the field is a map.
        #[inline]
        #[must_use]
        pub fn is_map(&$self) -> bool {
            $field.has(FieldFlags::MAP)
        }

        /// Whether messages of the field are delimited by group tags on the wire: a proto2 group, or
        /// `features.message_encoding = DELIMITED`.
        #[inline]
        #[must_use]
        pub fn is_group(&$self) -> bool {
            $field.has(FieldFlags::DELIMITED)
        }

        /// Whether the field is encoded packed: one tag and one length for all elements. Decoding accepts both forms.
        #[inline]
        #[must_use]
        pub fn is_packed(&$self) -> bool {
            $field.has(FieldFlags::PACKED)
        }

        /// Whether the field is `required`, or `LEGACY_REQUIRED` in editions.
        #[inline]
        #[must_use]
        pub fn is_required(&$self) -> bool {
            $field.data().cardinality == Cardinality::Required
        }

        /// Whether "not set" differs from "set to the default value". Never true for lists and maps, always for messages
        /// and members of oneofs, <https://protobuf.dev/programming-guides/field_presence/>.
        #[inline]
        #[must_use]
        pub fn supports_presence(&$self) -> bool {
            $field.has(FieldFlags::PRESENCE)
        }

        /// Whether decoding refuses strings that are not UTF-8. False for proto2, which accepts any bytes.
        #[inline]
        #[must_use]
        pub fn validates_utf8(&$self) -> bool {
            $field.has(FieldFlags::UTF8)
        }

        /// Whether the field is marked `deprecated`.
        #[must_use]
        pub fn is_deprecated(&$self) -> bool {
            $field.has(FieldFlags::DEPRECATED)
        }

        /// The explicit default value in the schema. Without one, the default is zero, empty, or the first value of the
        /// enum.
        #[must_use]
        pub fn explicit_default(&$self) -> Option<DefaultValue<$life>> {
            let data = $field.pool.data();
            Some(match *data.default_of($field.data())? {
                DefaultData::Bool(v) => DefaultValue::Bool(v),
                DefaultData::Int(v) => DefaultValue::Int(v),
                DefaultData::Uint(v) => DefaultValue::Uint(v),
                DefaultData::Float(v) => DefaultValue::Float(v),
                DefaultData::String(v) => DefaultValue::String(data.text(v)),
                DefaultData::Bytes(v) => DefaultValue::Bytes(data.bytes(v)),
                DefaultData::Enum(v) => DefaultValue::Enum(match $field.data().kind {
                    Kind::Enum(e) => data.values(e).get(v as usize).map_or("", |v| data.text(v.name.local())),
                    _ => "",
                }),
            })
        }

        /// The field's `google.protobuf.FieldOptions`, encoded, custom options included.
        #[must_use]
        pub fn options_bytes(&$self) -> &$life [u8] {
            $field.pool.data().bytes($field.data().options)
        }
    };
}

impl<'a> FieldRef<'a> {
    pub(crate) fn new(pool: &'a DescriptorPool, message: u32, field: u32) -> Self {
        let program = pool.programs().program(message);
        let position = program.entry_of(field as usize).map_or(u16::MAX, |(position, _)| position as u16);
        Self { pool, message, field: field as u16, position }
    }

    /// The field with this position in number order, which is that of its program entry.
    #[inline(always)]
    pub(crate) fn at(pool: &'a DescriptorPool, message: u32, field: u16, position: u16) -> Self {
        Self { pool, message, field, position }
    }

    #[inline]
    pub(in crate::schema::pool) fn data(self) -> &'a FieldData {
        &self.pool.data().messages[self.message as usize].fields[self.field as usize]
    }

    #[inline]
    pub(in crate::schema::pool) fn has(self, flag: FieldFlags) -> bool {
        self.data().flags.has(flag)
    }

    accessors!('a, self => self);

    /// The message that has the field; for an extension, its extendee.
    #[must_use]
    pub fn containing_message(self) -> MessageDescriptor {
        MessageDescriptor::new(self.pool, self.message)
    }

    /// The oneof that the field is a member of, synthetic ones included.
    #[must_use]
    pub fn containing_oneof(self) -> Option<OneofDescriptor> {
        let oneof = crate::schema::pool::descriptor_pool::index(self.data().oneof)?;
        Some(OneofDescriptor::new(&self.containing_message(), oneof))
    }

    /// Whether the field is an extension.
    #[inline]
    #[must_use]
    pub fn is_extension(self) -> bool {
        self.data().extension != NONE
    }

    /// The field as an extension; `None` for declared fields.
    #[must_use]
    pub fn as_extension(self) -> Option<ExtensionDescriptor> {
        crate::schema::pool::descriptor_pool::index(self.data().extension)
            .map(|i| ExtensionDescriptor::new(self.pool, i))
    }

    /// An owned handle of the field.
    #[must_use]
    pub fn to_owned(self) -> FieldDescriptor {
        let layout = self.pool.programs().read_layout(self.message);
        let access = layout.and_then(|layout| layout.field(self.position)).copied();
        FieldDescriptor {
            message: self.containing_message(),
            layout: layout.map_or(0, |layout| core::ptr::from_ref(layout).addr()),
            access: access.unwrap_or(Access::NONE),
        }
    }

    /// The pool the field belongs to.
    #[inline]
    pub(crate) fn pool(self) -> &'a DescriptorPool {
        self.pool
    }

    /// Kind with message and enum indices of the pool.
    #[inline]
    pub(crate) fn raw_kind(self) -> Kind<u32, u32> {
        self.data().kind
    }

    /// Position in the message's list of fields and extensions, the field index of its program.
    #[inline]
    pub(crate) fn index(self) -> u32 {
        self.field as u32
    }

    /// Position of the field in number order: of its entry in the program.
    #[inline]
    pub(crate) fn position(self) -> u32 {
        self.position as u32
    }

    /// The index of the message in the pool.
    #[inline]
    pub(crate) fn message_index(self) -> u32 {
        self.message
    }

    /// The number of an enum field that is not set: that of its default, or of the first value.
    pub(crate) fn default_number(self) -> i32 {
        let data = self.data();
        let Kind::Enum(enumeration) = data.kind else { return 0 };
        let at = match self.pool.data().default_of(data) {
            Some(&DefaultData::Enum(position)) => position,
            _ => 0,
        };
        self.pool.data().values(enumeration).get(at as usize).map_or(0, |v| v.number)
    }
}

impl FieldDescriptor {
    pub(in crate::schema::pool) fn new(message: &MessageDescriptor, index: u32) -> Self {
        FieldRef::new(message.parent_pool(), message.index(), index).to_owned()
    }

    /// The field, borrowed.
    #[inline]
    #[must_use]
    pub fn as_ref(&self) -> FieldRef<'_> {
        let Access { field, position, .. } = self.access;
        FieldRef::at(self.message.parent_pool(), self.message.index(), field, position)
    }

    accessors!('_, self => self.as_ref());

    /// The pool the field belongs to.
    #[inline]
    #[must_use]
    pub fn parent_pool(&self) -> &DescriptorPool {
        self.message.parent_pool()
    }

    /// The location of the field in a message with this layout, if it is a field of that message.
    #[inline(always)]
    pub(crate) fn access_in(&self, layout: &ReadLayout) -> Option<&Access> {
        (self.layout == core::ptr::from_ref(layout).addr()).then_some(&self.access)
    }

    /// The message that has the field; for an extension, its extendee.
    #[inline]
    #[must_use]
    pub fn parent_message(&self) -> &MessageDescriptor {
        &self.message
    }

    /// The file that declares the field.
    #[must_use]
    pub fn parent_file(&self) -> FileDescriptor {
        match self.as_extension() {
            Some(extension) => extension.parent_file(),
            None => self.message.parent_file(),
        }
    }

    /// The oneof that the field is a member of, synthetic ones included.
    #[must_use]
    pub fn containing_oneof(&self) -> Option<OneofDescriptor> {
        self.as_ref().containing_oneof()
    }

    /// Whether the field is an extension.
    #[must_use]
    pub fn is_extension(&self) -> bool {
        self.as_ref().is_extension()
    }

    /// The field as an extension; `None` for declared fields.
    #[must_use]
    pub fn as_extension(&self) -> Option<ExtensionDescriptor> {
        self.as_ref().as_extension()
    }
}

impl PartialEq for FieldDescriptor {
    fn eq(&self, other: &Self) -> bool {
        self.as_ref() == other.as_ref()
    }
}

impl Eq for FieldDescriptor {}

impl Hash for FieldDescriptor {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_ref().hash(state);
    }
}

impl PartialEq for FieldRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.pool == other.pool && (self.message, self.field) == (other.message, other.field)
    }
}

impl Eq for FieldRef<'_> {}

impl Hash for FieldRef<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.pool, self.message, self.field).hash(state);
    }
}

impl<'a> From<&'a FieldDescriptor> for FieldRef<'a> {
    fn from(field: &'a FieldDescriptor) -> Self {
        field.as_ref()
    }
}

/// An extension: a field of a message that is declared outside of it, with a number from its extension ranges.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ExtensionDescriptor {
    pool: DescriptorPool,
    index: u32,
}

described!(@package ExtensionDescriptor, self => (&self.pool, self.data().file));

impl ExtensionDescriptor {
    pub(in crate::schema::pool) fn new(pool: &DescriptorPool, index: u32) -> Self {
        Self { pool: pool.clone(), index }
    }

    fn data(&self) -> &ExtensionData {
        &self.pool.data().extensions[self.index as usize]
    }

    pub(crate) fn field_ref(&self) -> FieldRef<'_> {
        FieldRef::new(&self.pool, self.data().message, self.data().field)
    }

    accessors!('_, self => self.field_ref());

    /// The extension as a field of the message that it extends.
    #[must_use]
    pub fn as_field(&self) -> FieldDescriptor {
        self.field_ref().to_owned()
    }

    /// The extendee: the message that has the field.
    #[must_use]
    pub fn containing_message(&self) -> MessageDescriptor {
        MessageDescriptor::new(&self.pool, self.data().message)
    }

    /// The pool the extension belongs to.
    #[must_use]
    pub fn parent_pool(&self) -> &DescriptorPool {
        &self.pool
    }

    /// The file that declares the extension.
    #[must_use]
    pub fn parent_file(&self) -> FileDescriptor {
        FileDescriptor::new(&self.pool, self.data().file)
    }

    /// The message that declares the extension, which is only the scope of its name.
    #[must_use]
    pub fn parent_message(&self) -> Option<MessageDescriptor> {
        crate::schema::pool::descriptor_pool::index(self.data().parent)
            .map(|i| MessageDescriptor::new(&self.pool, i))
    }
}
