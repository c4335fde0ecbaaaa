//! Reading the wire without a schema.

pub(crate) mod raw;
pub(super) mod reader;

/// The tags of a MessageSet.
///
/// Each extension of a MessageSet is an item: a group with field number 1 that holds the extension's number and its message.
///
/// ```text
/// ITEM  TYPE_ID varint  MESSAGE length bytes  ITEM_END
/// ```
#[cfg(feature = "reflect")]
pub(crate) mod message_set {
    use crate::wire::WireType;

    /// Starts an item: group 1.
    pub(crate) const ITEM: u8 = tag_byte(1, WireType::StartGroup);
    /// Ends an item.
    pub(crate) const ITEM_END: u8 = tag_byte(1, WireType::EndGroup);
    /// The number of the extension: a varint, `type_id = 2`.
    pub(crate) const TYPE_ID: u8 = tag_byte(2, WireType::Varint);
    /// The message: length-delimited, `message = 3`.
    pub(crate) const MESSAGE: u8 = tag_byte(3, WireType::LengthDelimited);

    /// The largest number of an extension: 2^31-2. It is no field number of a tag, so it may be above 2^29-1.
    pub(crate) const MAX_NUMBER: u32 = i32::MAX as u32 - 1;

    /// A tag of one byte.
    const fn tag_byte(number: u8, wire_type: WireType) -> u8 {
        number << 3 | wire_type as u8
    }
}
