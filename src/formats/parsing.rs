//! Text into dynamic messages, whatever the format.

use super::error::{ParseError, ParseErrorKind};
use crate::engine::decode::check_required;
use crate::engine::slab::BodyRef;
use crate::message::{DynamicMessage, MessageBuilder};
use crate::schema::pool::{DescriptorPool, MessageDescriptor};
use crate::wire::error::{DecodeErrorKind, FieldPath};
use crate::wire::utf8;

/// The parser of a format, with its options.
pub(crate) trait Parsing {
    fn budget_for(&self, len: usize) -> usize;

    fn allows_partial(&self) -> bool;

    /// Parses all of `text`, which is UTF-8, into a message.
    fn fill<'p>(
        &self,
        builder: &mut MessageBuilder<'p>,
        pool: &'p DescriptorPool,
        root: BodyRef,
        text: &str,
    ) -> Result<(), ParseError>;
}

/// A new message of text; its required fields are checked.
pub(crate) fn make(
    descriptor: &MessageDescriptor,
    input: &[u8],
    parser: &impl Parsing,
) -> Result<DynamicMessage, ParseError> {
    let mut message = DynamicMessage::new(descriptor);
    parse(&mut message, input, parser)?;
    if !parser.allows_partial()
        && descriptor.program().needs_check()
        && let Err(error) = check_required(message.as_view().raw(), input.len())
    {
        let kind = match error.kind() {
            DecodeErrorKind::MissingRequired => ParseErrorKind::MissingRequired,
            _ => ParseErrorKind::OutOfMemory,
        };
        let path = descriptor.name_path(error.path());
        return Err(ParseError::new(kind, input, input.len(), descriptor.full_name(), path));
    }
    Ok(message)
}

/// Merges text into a message. Required fields are not checked.
pub(super) fn merge(
    message: &mut DynamicMessage,
    input: &[u8],
    parser: &impl Parsing,
) -> Result<(), ParseError> {
    if message.materialize().is_err() {
        let name = message.descriptor().full_name();
        return Err(ParseError::of(ParseErrorKind::InvalidMessage, input, name));
    }
    message.compact_if_due();
    parse(message, input, parser)
}

fn parse(message: &mut DynamicMessage, input: &[u8], parser: &impl Parsing) -> Result<(), ParseError> {
    let descriptor = message.descriptor().clone();
    let name = descriptor.full_name();
    // All at once: then no string needs a check of its own.
    let Some(text) = utf8::from_utf8(input) else {
        let valid = core::str::from_utf8(input).map_or_else(|error| error.valid_up_to(), str::len);
        return Err(ParseError::new(ParseErrorKind::InvalidUtf8, input, valid, name, FieldPath::EMPTY));
    };
    message.built(
        input.len(),
        parser.budget_for(input.len()),
        |builder, pool, root| parser.fill(builder, pool, root, text),
        |error| error.kind() == ParseErrorKind::BudgetExceeded,
        |room| ParseError::of(room.into(), input, name),
    )
}
