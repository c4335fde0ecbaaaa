//! The names that an error needs: of a message and its fields, and where to find those of the messages in it.
//!
//! The table of a message says more, which structs need only where there is a schema at run time. A program without one has a quarter of
//! it: 16 bytes for a field of 64 on processors of 32 bits.

/// The names of a message.
pub struct MessageNames {
    pub(in crate::structs) full_name: &'static str,
    pub(in crate::structs) fields: &'static [FieldName],
}

/// The name of a field.
pub struct FieldName {
    name: &'static str,
    /// The field number, and [`MAP`].
    number: u32,
    inside: Inside,
}

/// The names of the message in a field, or in the values of a map.
pub type Inside = Option<fn() -> &'static MessageNames>;

/// A bit that no field number has.
const MAP: u32 = 1 << 31;

impl MessageNames {
    /// Of a message of this full name.
    pub const fn new(full_name: &'static str, fields: &'static [FieldName]) -> Self {
        Self { full_name, fields }
    }

    /// The field with a number.
    pub(in crate::structs) fn field(&self, number: u32) -> Option<&'static FieldName> {
        self.fields.iter().find(|field| field.number & !MAP == number)
    }
}

impl FieldName {
    pub(in crate::structs) const fn new(
        name: &'static str,
        number: u32,
        is_map: bool,
        inside: Inside,
    ) -> Self {
        let map = if is_map { MAP } else { 0 };
        Self { name, number: number | map, inside }
    }

    pub(in crate::structs) fn name(&self) -> &'static str {
        self.name
    }

    pub(in crate::structs) fn is_map(&self) -> bool {
        self.number & MAP != 0
    }

    pub(in crate::structs) fn inside(&self) -> Option<&'static MessageNames> {
        self.inside.map(|names| names())
    }
}
