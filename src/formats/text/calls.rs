//! The calls, on views and dynamic messages.

use super::error::{FormatOptions, ParseError, ParseErrorKind as Kind, ParseOptions};
use super::parse;
use super::print::message as print;
use crate::engine::decode::check_required;
use crate::message::{DynamicMessage, MessageView};
use crate::schema::pool::MessageDescriptor;
use crate::wire::Buffer;
use crate::wire::error::{DecodeErrorKind, EncodeError};
use alloc::{string::String, vec::Vec};
use core::fmt;

impl MessageView<'_, '_> {
    /// The message in text format, on one line and without unknown fields.
    ///
    /// ```
    /// use tablepb::text::FormatOptions;
    /// use tablepb::{Decoder, DescriptorPool, FieldTable, Kind, MessageTable};
    ///
    /// static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("line", 1, Kind::String)]);
    /// let log = DescriptorPool::from_tables(&[&LOG])?.get_message_by_name("pkg.Log").unwrap();
    /// let mut decoder = Decoder::new(&log);
    /// let view = decoder.decode(b"\x0a\x02hi\x10\x07")?;
    /// assert_eq!(view.to_text_format(), r#"line:"hi""#);
    /// let all = FormatOptions::new().pretty(true).skip_unknown_fields(false);
    /// assert_eq!(view.to_text_format_with_options(&all), "line: \"hi\"\n2: 7");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Map entries come in the order of their keys. There is no limit to the depth. A message that is kept as bytes, such as a
    /// lazy field, is decoded; if it is not valid, or takes too much memory, its fields are printed by number.
    ///
    /// # Panics
    /// If the allocator fails; [`append_text_format`](Self::append_text_format) returns an error.
    #[must_use]
    pub fn to_text_format(&self) -> String {
        self.to_text_format_with_options(&FormatOptions::new())
    }

    /// As [`to_text_format`](Self::to_text_format), with options.
    ///
    /// # Panics
    /// As [`to_text_format`](Self::to_text_format).
    #[must_use]
    pub fn to_text_format_with_options(&self, options: &FormatOptions) -> String {
        let mut buffer = Vec::new();
        self.append_text_format(&mut buffer, options).unwrap_or_else(|error| panic!("{error}"));
        // What is printed is UTF-8.
        String::from_utf8(buffer).unwrap_or_default()
    }

    /// Appends the message in text format.
    ///
    /// # Errors
    /// [`OutOfMemory`](crate::EncodeErrorKind::OutOfMemory), and nothing else. The buffer keeps its length.
    pub fn append_text_format(
        &self,
        buffer: &mut impl Buffer,
        options: &FormatOptions,
    ) -> Result<(), EncodeError> {
        print(*self, options, false, buffer).map_err(EncodeError::from)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, options: &FormatOptions, named: bool) -> fmt::Result {
        let mut buffer = Vec::new();
        print(*self, &options.pretty(f.alternate()), named, &mut buffer).map_err(|_| fmt::Error)?;
        f.write_str(core::str::from_utf8(&buffer).unwrap_or_default())
    }
}

/// [Text format](MessageView::to_text_format) on one line, or indented with `{:#}`.
impl fmt::Display for MessageView<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, &FormatOptions::new(), false)
    }
}

/// The type and, in braces, the fields in text format, unknown fields by number: `pkg.Log{line:"hi",9:7}`.
impl fmt::Debug for MessageView<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, &FormatOptions::new().skip_unknown_fields(false), true)
    }
}

impl fmt::Display for DynamicMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.as_view(), f)
    }
}

impl fmt::Debug for DynamicMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.as_view(), f)
    }
}

impl DynamicMessage {
    /// The message in text format; see [`MessageView::to_text_format`].
    ///
    /// # Panics
    /// As [`MessageView::to_text_format`].
    pub fn to_text_format(&self) -> String {
        self.as_view().to_text_format()
    }

    /// As [`to_text_format`](Self::to_text_format), with options.
    ///
    /// # Panics
    /// As [`MessageView::to_text_format`].
    pub fn to_text_format_with_options(&self, options: &FormatOptions) -> String {
        self.as_view().to_text_format_with_options(options)
    }

    /// Appends the message in text format.
    ///
    /// # Errors
    /// As [`MessageView::append_text_format`].
    pub fn append_text_format(
        &self,
        buffer: &mut impl Buffer,
        options: &FormatOptions,
    ) -> Result<(), EncodeError> {
        self.as_view().append_text_format(buffer, options)
    }

    /// Makes a message of text format.
    ///
    /// ```
    /// use tablepb::{DescriptorPool, DynamicMessage, FieldTable, Kind, MessageTable};
    ///
    /// static LOG: MessageTable = MessageTable::new(
    ///     "pkg.Log",
    ///     &[
    ///         FieldTable::new("line", 1, Kind::String),
    ///         FieldTable::map("counts", 2, Kind::String, Kind::Int32),
    ///         FieldTable::new("parent", 3, Kind::Message(|| &LOG)),
    ///     ],
    /// );
    /// let log = DescriptorPool::from_tables(&[&LOG])?.get_message_by_name("pkg.Log").unwrap();
    /// let text = r#"
    ///     line: "two " 'lines\n'  # strings in a row are one
    ///     counts { key: "a" value: 0x10 }
    ///     counts: [{ key: "b" }, { key: "c" value: -1 }]
    ///     parent < line: "x" >;
    /// "#;
    /// let message = DynamicMessage::parse_text_format(&log, text)?;
    /// assert_eq!(
    ///     message.to_text_format(),
    ///     r#"line:"two lines\n",counts:[{key:"a",value:16},{key:"b",value:0},{key:"c",value:-1}],parent{line:"x"}"#
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// What is wrong, at which byte, line and column, in which field.
    pub fn parse_text_format(descriptor: &MessageDescriptor, text: &str) -> Result<Self, ParseError> {
        Self::parse_text_format_with(descriptor, text, &ParseOptions::new())
    }

    /// As [`parse_text_format`](Self::parse_text_format), with options.
    ///
    /// # Errors
    /// As [`parse_text_format`](Self::parse_text_format).
    pub fn parse_text_format_with(
        descriptor: &MessageDescriptor,
        text: &str,
        options: &ParseOptions,
    ) -> Result<Self, ParseError> {
        let mut message = Self::new(descriptor);
        message.parse_text(text, *options)?;
        if !options.allow_partial && descriptor.program().needs_check() {
            message.check_text(text)?;
        }
        Ok(message)
    }

    /// Merges text format into the message: singular fields are replaced, messages merged, lists appended to, map entries inserted.
    ///
    /// Required fields are not checked. A singular field may occur once in the text, whether the message has it or not.
    ///
    /// ```
    /// use tablepb::{DescriptorPool, DynamicMessage, FieldTable, Kind, MessageTable};
    ///
    /// static LOG: MessageTable = MessageTable::new(
    ///     "pkg.Log",
    ///     &[FieldTable::new("line", 1, Kind::String), FieldTable::new("tags", 2, Kind::String).repeated()],
    /// );
    /// let log = DescriptorPool::from_tables(&[&LOG])?.get_message_by_name("pkg.Log").unwrap();
    /// let mut message = DynamicMessage::parse_text_format(&log, "line: 'a' tags: 'x'")?;
    /// message.merge_text_format("line: 'b' tags: 'y'")?;
    /// assert_eq!(message.to_text_format(), r#"line:"b",tags:["x","y"]"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`parse_text_format`](Self::parse_text_format). The message is valid afterwards and holds what was read before the fault,
    /// but for the map entry or the content of an `Any` that the fault is in. [`InvalidMessage`](Kind::InvalidMessage) if bytes
    /// that it has not decoded yet are not a message.
    pub fn merge_text_format(&mut self, text: &str) -> Result<(), ParseError> {
        self.merge_text_format_with(text, &ParseOptions::new())
    }

    /// As [`merge_text_format`](Self::merge_text_format), with options.
    ///
    /// # Errors
    /// As [`merge_text_format`](Self::merge_text_format).
    pub fn merge_text_format_with(&mut self, text: &str, options: &ParseOptions) -> Result<(), ParseError> {
        if self.materialize().is_err() {
            let name = self.descriptor().full_name();
            return Err(ParseError::of(Kind::InvalidMessage, text.as_bytes(), name));
        }
        // Looks for garbage, as all that changes the message does.
        self.as_mut();
        self.parse_text(text, options.allow_partial(true))
    }

    fn parse_text(&mut self, text: &str, options: ParseOptions) -> Result<(), ParseError> {
        let descriptor = self.descriptor().clone();
        self.built(
            text.len(),
            options.budget_for(text.len()),
            |builder, pool, root| parse::parse(builder, pool, root, text, options),
            |error| error.kind() == Kind::BudgetExceeded,
            |room| {
                let kind = Kind::from(room);
                ParseError::of(kind, text.as_bytes(), descriptor.full_name())
            },
        )
    }

    /// Whether all required fields are set.
    fn check_text(&self, text: &str) -> Result<(), ParseError> {
        let Err(error) = check_required(self.as_view().raw(), text.len()) else { return Ok(()) };
        let kind = match error.kind() {
            DecodeErrorKind::MissingRequired => Kind::MissingRequired,
            _ => Kind::OutOfMemory,
        };
        let descriptor = self.descriptor();
        let path = descriptor.name_path(error.path());
        Err(ParseError::new(kind, text.as_bytes(), text.len(), descriptor.full_name(), path))
    }
}
