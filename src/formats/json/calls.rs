//! The calls, on views and dynamic messages.

use super::error::{
    DeserializeError, DeserializeErrorKind as Kind, DeserializeOptions, SerializeError, SerializeOptions,
};
use super::{parse, print};
use crate::engine::decode::check_required;
use crate::message::{DynamicMessage, MessageView};
use crate::schema::pool::MessageDescriptor;
use crate::wire::Buffer;
use crate::wire::error::FieldPath;
use alloc::{string::String, vec::Vec};

impl MessageView<'_, '_> {
    /// Appends the message as JSON.
    ///
    /// Fields come in number order, map entries in the order of the message. Nothing is allocated but room in the buffer, and memory for what
    /// has to be decoded first: the content of an `Any`, and lazy fields.
    ///
    /// ```
    /// use tablepb::{Decoder, DescriptorPool, FieldTable, Kind, MessageTable};
    ///
    /// static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("line", 1, Kind::String)]);
    /// let log = DescriptorPool::from_tables(&[&LOG])?.get_message_by_name("pkg.Log").unwrap();
    /// let mut decoder = Decoder::new(&log);
    /// let mut lines = Vec::new();
    /// for bytes in [b"\x0a\x01a", b"\x0a\x01b"] {
    ///     decoder.decode(bytes)?.to_json(&mut lines)?;
    ///     lines.push(b'\n');
    /// }
    /// assert_eq!(lines, b"{\"line\":\"a\"}\n{\"line\":\"b\"}\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`SerializeErrorKind`](super::SerializeErrorKind): values of well-known types that have no form in JSON, messages nested
    /// deeper than 100 levels, no memory. The buffer keeps its length.
    pub fn to_json(&self, buffer: &mut impl Buffer) -> Result<(), SerializeError> {
        self.to_json_with(buffer, &SerializeOptions::new())
    }

    /// As [`to_json`](Self::to_json), with options.
    ///
    /// # Errors
    /// As [`to_json`](Self::to_json).
    pub fn to_json_with(
        &self,
        buffer: &mut impl Buffer,
        options: &SerializeOptions,
    ) -> Result<(), SerializeError> {
        print::message(*self, options, buffer)
    }

    /// The message as JSON text.
    ///
    /// # Errors
    /// As [`to_json`](Self::to_json).
    pub fn to_json_string(&self) -> Result<String, SerializeError> {
        let mut buffer = Vec::new();
        self.to_json(&mut buffer)?;
        // What is printed is UTF-8.
        Ok(String::from_utf8(buffer).unwrap_or_default())
    }
}

impl DynamicMessage {
    /// Appends the message as JSON; see [`MessageView::to_json`].
    ///
    /// # Errors
    /// As [`MessageView::to_json`].
    pub fn to_json(&self, buffer: &mut impl Buffer) -> Result<(), SerializeError> {
        self.as_view().to_json(buffer)
    }

    /// As [`to_json`](Self::to_json), with options.
    ///
    /// # Errors
    /// As [`MessageView::to_json`].
    pub fn to_json_with(
        &self,
        buffer: &mut impl Buffer,
        options: &SerializeOptions,
    ) -> Result<(), SerializeError> {
        self.as_view().to_json_with(buffer, options)
    }

    /// The message as JSON text.
    ///
    /// # Errors
    /// As [`MessageView::to_json`].
    pub fn to_json_string(&self) -> Result<String, SerializeError> {
        self.as_view().to_json_string()
    }

    /// Makes a message of JSON, which must be UTF-8.
    ///
    /// ```
    /// use tablepb::json::DeserializeErrorKind;
    /// use tablepb::{DescriptorPool, DynamicMessage, FieldTable, Kind, MessageTable};
    ///
    /// static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("line_count", 1, Kind::Int64)]);
    /// let log = DescriptorPool::from_tables(&[&LOG])?.get_message_by_name("pkg.Log").unwrap();
    /// let message = DynamicMessage::from_json(&log, br#"{"lineCount": "7"}"#)?;
    /// assert_eq!(message.get_field_by_name("line_count").unwrap().as_i64(), Some(7));
    /// let error = DynamicMessage::from_json(&log, br#"{"lines": 7}"#).unwrap_err();
    /// assert_eq!(error.kind(), DeserializeErrorKind::UnknownField);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// What is wrong, at which byte, line and column, in which field.
    pub fn from_json(descriptor: &MessageDescriptor, json: &[u8]) -> Result<Self, DeserializeError> {
        Self::from_json_with(descriptor, json, &DeserializeOptions::new())
    }

    /// As [`from_json`](Self::from_json), with options.
    ///
    /// # Errors
    /// As [`from_json`](Self::from_json).
    pub fn from_json_with(
        descriptor: &MessageDescriptor,
        json: &[u8],
        options: &DeserializeOptions,
    ) -> Result<Self, DeserializeError> {
        let mut message = Self::new(descriptor);
        message.parse_json(json, options)?;
        if !options.allow_partial && descriptor.program().needs_check() {
            message.check_json(json)?;
        }
        Ok(message)
    }

    /// Merges JSON into the message: singular fields are replaced, messages merged, lists appended to, map entries inserted. `null`
    /// leaves a field as it is.
    ///
    /// Required fields are not checked.
    ///
    /// ```
    /// use tablepb::{DescriptorPool, DynamicMessage, FieldTable, Kind, MessageTable};
    ///
    /// static LOG: MessageTable = MessageTable::new(
    ///     "pkg.Log",
    ///     &[FieldTable::new("line", 1, Kind::String), FieldTable::new("tags", 2, Kind::String).repeated()],
    /// );
    /// let log = DescriptorPool::from_tables(&[&LOG])?.get_message_by_name("pkg.Log").unwrap();
    /// let mut message = DynamicMessage::from_json(&log, br#"{"line": "a", "tags": ["x"]}"#)?;
    /// message.merge_json(br#"{"line": "b", "tags": ["y"]}"#)?;
    /// assert_eq!(message.to_json_string()?, r#"{"line":"b","tags":["x","y"]}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`from_json`](Self::from_json). The message is valid afterwards and holds what was read before the fault.
    /// [`InvalidMessage`](Kind::InvalidMessage) if bytes that it has not decoded yet are not a message.
    pub fn merge_json(&mut self, json: &[u8]) -> Result<(), DeserializeError> {
        self.merge_json_with(json, &DeserializeOptions::new())
    }

    /// As [`merge_json`](Self::merge_json), with options.
    ///
    /// # Errors
    /// As [`merge_json`](Self::merge_json).
    pub fn merge_json_with(
        &mut self,
        json: &[u8],
        options: &DeserializeOptions,
    ) -> Result<(), DeserializeError> {
        if self.materialize().is_err() {
            let name = self.descriptor().full_name();
            return Err(DeserializeError::new(Kind::InvalidMessage, json, 0, name, FieldPath::EMPTY));
        }
        // Looks for garbage, as all that changes the message does.
        self.as_mut();
        self.parse_json(json, options)
    }

    fn parse_json(&mut self, json: &[u8], options: &DeserializeOptions) -> Result<(), DeserializeError> {
        let descriptor = self.descriptor().clone();
        self.built(
            json.len(),
            options.budget_for(json.len()),
            |builder, pool, root| parse::parse(builder, pool, root, json, *options),
            |error| error.kind() == Kind::BudgetExceeded,
            |room| {
                let kind = Kind::from(room);
                DeserializeError::new(kind, json, 0, descriptor.full_name(), FieldPath::EMPTY)
            },
        )
    }

    /// Whether all required fields are set.
    fn check_json(&self, json: &[u8]) -> Result<(), DeserializeError> {
        let Err(error) = check_required(self.as_view().raw(), json.len()) else { return Ok(()) };
        let kind = match error.kind() {
            crate::wire::error::DecodeErrorKind::MissingRequired => Kind::MissingRequired,
            _ => Kind::OutOfMemory,
        };
        let path = self.descriptor().name_path(error.path());
        Err(DeserializeError::new(kind, json, json.len(), self.descriptor().full_name(), path))
    }
}
