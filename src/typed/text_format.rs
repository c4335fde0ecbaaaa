//! Structs in text format.

use super::by_schema::{self, Failure};
use super::{DecodeOwned, Message};
use crate::error::{DecodeErrorKind, EncodeError, EncodeErrorKind};
use crate::message::DynamicMessage;
use crate::text::{FormatOptions, ParseError, ParseErrorKind, ParseOptions};
use crate::wire::Buffer;

pub(super) fn print<M: Message>(
    message: &M,
    buffer: &mut impl Buffer,
    options: &FormatOptions,
) -> Result<(), EncodeError> {
    let failed = |failure: Failure| match failure {
        Failure::Encode(error) => error,
        Failure::Schema(error) => EncodeError::without_schema(error, M::TABLE.full_name()),
        // What a struct has encoded is a message of its table.
        Failure::Decode(_) => EncodeError::new(EncodeErrorKind::OutOfMemory),
    };
    by_schema::print(message, failed, |view| view.append_text_format(buffer, options))
}

pub(super) fn parse<M: DecodeOwned>(text: &str, options: &ParseOptions) -> Result<M, ParseError> {
    by_schema::parse(options.budget_for(text.len()), failed::<M>(text), |descriptor| {
        DynamicMessage::parse_text_format_with(descriptor, text, options)
    })
}

pub(super) fn merge<M: DecodeOwned>(
    message: &mut M,
    text: &str,
    options: &ParseOptions,
) -> Result<(), ParseError> {
    let budget = options.budget_for(text.len());
    by_schema::merge(message, budget, failed::<M>(text), |merged| {
        merged.merge_text_format_with(text, options)
    })
}

fn failed<M: Message>(text: &str) -> impl Fn(Failure) -> ParseError {
    |failure| {
        let (text, name) = (text.as_bytes(), M::TABLE.full_name());
        let error = match failure {
            Failure::Decode(error) => error,
            Failure::Schema(error) => return ParseError::without_schema(error, name),
            Failure::Encode(_) => return ParseError::of(ParseErrorKind::InvalidMessage, text, name),
        };
        let kind = match error.kind() {
            DecodeErrorKind::BudgetExceeded => ParseErrorKind::BudgetExceeded,
            DecodeErrorKind::OutOfMemory => ParseErrorKind::OutOfMemory,
            DecodeErrorKind::DepthExceeded => ParseErrorKind::DepthExceeded,
            DecodeErrorKind::TooLarge => ParseErrorKind::TooLarge,
            _ => ParseErrorKind::InvalidMessage,
        };
        ParseError::of(kind, text, name).on(error.path())
    }
}
