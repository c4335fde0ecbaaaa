//! Values and the fields that they are for: defaults, and whether they fit.

use super::fit::Fit;
use super::resolved_field::ResolvedField;
use crate::message::{DynamicMessage, Value};
use crate::schema::pool::{ExtensionDescriptor, FieldDescriptor};

impl Value {
    /// The value that the field has when it is not set: its default, zero, empty, or an empty message.
    ///
    /// # Panics
    /// If the allocator fails.
    ///
    /// ```
    /// use tablepb::{DescriptorPool, FieldTable, Kind, MessageTable, Value};
    ///
    /// static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("level", 1, Kind::Int32)]);
    /// let log = DescriptorPool::from_tables(&[&LOG])?.get_message_by_name("pkg.Log").unwrap();
    /// let level = log.get_field(1).unwrap();
    /// assert_eq!(Value::default_value_for_field(&level), Value::I32(0));
    /// assert!(Value::I32(0).is_default_for_field(&level) && !Value::I32(1).is_default_for_field(&level));
    /// assert!(Value::U64(7).is_valid_for_field(&level) && !Value::U64(1 << 40).is_valid_for_field(&level));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn default_value_for_field(field: &FieldDescriptor) -> Self {
        DynamicMessage::new(field.parent_message()).get_field(field).to_owned()
    }

    /// Whether the value is the one that the field has when it is not set. Compares as `==` does.
    ///
    /// # Panics
    /// If the allocator fails.
    #[must_use]
    pub fn is_default_for_field(&self, field: &FieldDescriptor) -> bool {
        *self == Self::default_value_for_field(field)
    }

    /// Whether a setter takes the value for the field, as it is or [converted](Self#conversions). A message of another pool is taken by
    /// its name; whether its bytes fit, only the setter finds out.
    #[must_use]
    pub fn is_valid_for_field(&self, field: &FieldDescriptor) -> bool {
        let descriptor = field.as_ref();
        let set = field.parent_pool().programs();
        let found = set.program(descriptor.message_index()).entry_of(descriptor.index() as usize);
        let Some((position, entry)) = found else { return false };
        let field = ResolvedField { descriptor, position, entry: *entry, set };
        matches!(field.check(self), Ok(Fit::Same | Fit::Converted))
    }
}

impl FieldDescriptor {
    /// The value that the field has when it is not set; see [`Value::default_value_for_field`].
    ///
    /// # Panics
    /// If the allocator fails.
    #[must_use]
    pub fn default_value(&self) -> Value {
        Value::default_value_for_field(self)
    }
}

impl ExtensionDescriptor {
    /// The value that the extension has when it is not set; see [`Value::default_value_for_field`].
    ///
    /// # Panics
    /// If the allocator fails.
    #[must_use]
    pub fn default_value(&self) -> Value {
        Value::default_value_for_field(&self.as_field())
    }
}
