//! [`ExtensionDescriptor`].

use super::field::accessors;
use crate::schema::pool::MessageDescriptor;
use crate::schema::pool::model::{DefaultData, ExtensionData, FieldFlags};
use crate::schema::pool::{
    DescriptorPool, EnumDescriptor, FieldDescriptor, FieldKind, FieldRef, FileDescriptor,
};
use crate::schema::table::{Cardinality, DefaultValue, Kind};
use core::fmt;

/// An extension: a field of a message that is declared outside of it, with a number from its extension ranges.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ExtensionDescriptor {
    pool: DescriptorPool,
    index: u32,
}

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

    /// The package of the file that declares it, or `""`.
    #[must_use]
    pub fn package_name(&self) -> &str {
        let data = self.pool.data();
        data.files.get(self.data().file as usize).map_or("", |file| data.text(file.package))
    }

    /// The message that declares the extension, which is only the scope of its name.
    #[must_use]
    pub fn parent_message(&self) -> Option<MessageDescriptor> {
        crate::schema::pool::descriptor_pool::index(self.data().parent)
            .map(|i| MessageDescriptor::new(&self.pool, i))
    }
}

impl fmt::Debug for ExtensionDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExtensionDescriptor({})", self.full_name())
    }
}
