//! Structs in JSON and the text format: straight where that works, otherwise by way of their encoding and a dynamic message of their table.

use super::schema::schema;
use crate::formats::parsing::{Parsing, make};
use crate::formats::{ParseError, ParseErrorKind};
use crate::message::{Decoder, DynamicMessage, MessageView};
use crate::structs::{DecodeOwned, Message};
use crate::wire::error::{DecodeError, DecodeErrorKind, DescriptorError, EncodeError, EncodeErrorKind};
use crate::wire::options::{DecodeOptions, EncodeOptions};
use alloc::vec::Vec;

/// Whether a struct is whole is for the encoder to say, not for other formats.
const PARTIAL: EncodeOptions = EncodeOptions::new().allow_partial(true);

/// What the struct has encoded is taken back whole.
const WHOLE: DecodeOptions = DecodeOptions::new().allow_partial(true).budget(usize::MAX);

/// Shows the message as a view of its schema.
pub(in crate::structs) fn viewed<M: Message, R>(
    message: &M,
    show: impl FnOnce(MessageView<'_, '_>) -> R,
) -> Result<R, EncodeError> {
    let name = M::TABLE.full_name();
    let descriptor = schema::<M>().map_err(|error| EncodeError::without_schema(error, name))?;
    let mut bytes = Vec::new();
    PARTIAL.encode(message, &mut bytes)?;
    let mut decoder = Decoder::new(&descriptor).with_options(WHOLE);
    let view = decoder.decode(&bytes).map_err(|error| {
        // What a struct has encoded is a message of its table, so mostly this is a lack of memory.
        let kind = match error.kind() {
            DecodeErrorKind::OutOfMemory | DecodeErrorKind::BudgetExceeded => EncodeErrorKind::OutOfMemory,
            _ => EncodeErrorKind::InvalidMessage,
        };
        EncodeError::at(kind, error.path().try_copy(), name)
    })?;
    Ok(show(view))
}

/// Makes a struct of text, by way of a dynamic message.
pub(in crate::structs) fn parse<M: DecodeOwned>(
    input: &[u8],
    parser: &impl Parsing,
) -> Result<M, ParseError> {
    let descriptor = schema::<M>().map_err(without_schema::<M>)?;
    let message = make(&descriptor, input, parser)?;
    let bytes = encoded::<M>(&message, input)?;
    let options = DecodeOptions::new().allow_partial(true).budget(parser.budget_for(input.len()));
    options.decode(&bytes).map_err(|error| undecoded::<M>(&error, input))
}

/// Merges what is parsed into a struct.
pub(in crate::structs) fn merge<M: DecodeOwned>(
    message: &mut M,
    input: &[u8],
    parser: &impl Parsing,
    merge: impl FnOnce(&mut DynamicMessage) -> Result<(), ParseError>,
) -> Result<(), ParseError> {
    let descriptor = schema::<M>().map_err(without_schema::<M>)?;
    let mut before = Vec::new();
    PARTIAL.encode(message, &mut before).map_err(|_| unencoded::<M>(input))?;
    let decoded = WHOLE.decode_dynamic(&descriptor, &before);
    let mut merged = decoded.map_err(|error| undecoded::<M>(&error, input))?;
    merge(&mut merged)?;
    let bytes = encoded::<M>(&merged, input)?;
    // Members that are skipped stay.
    message.clear();
    let held = before.len().saturating_mul(32);
    let budget = parser.budget_for(input.len()).saturating_add(held);
    WHOLE.budget(budget).merge(message, &bytes).map_err(|error| {
        // A type of one's own refuses what the schema takes. What was there is read again from its encoding: some of it is lost if there is no
        // memory for it, or if a type refuses or changes its own encoding.
        message.clear();
        let _ = WHOLE.merge(message, &before);
        undecoded::<M>(&error, input)
    })
}

fn encoded<M: Message>(message: &DynamicMessage, input: &[u8]) -> Result<Vec<u8>, ParseError> {
    let mut bytes = Vec::new();
    PARTIAL.encode(message, &mut bytes).map_err(|_| unencoded::<M>(input))?;
    Ok(bytes)
}

#[cold]
fn without_schema<M: Message>(error: DescriptorError) -> ParseError {
    ParseError::without_schema(error, M::TABLE.full_name())
}

#[cold]
fn unencoded<M: Message>(input: &[u8]) -> ParseError {
    ParseError::of(ParseErrorKind::InvalidMessage, input, M::TABLE.full_name())
}

#[cold]
fn undecoded<M: Message>(error: &DecodeError, input: &[u8]) -> ParseError {
    ParseError::of_bytes(error, input, M::TABLE.full_name())
}

#[cfg(test)]
mod tests {
    #![allow(unused_assignments, reason = "by `message!`, whose lints count inside of its own crate")]

    use super::*;
    use crate::wire::error::DescriptorErrorKind;

    mod one {
        #[derive(Debug, Default)]
        pub(super) struct Part {
            pub(super) a: i32,
        }
        crate::message! { Part as "schema.Part" { a: int32 = 1 } }
    }

    mod other {
        #[derive(Debug, Default)]
        pub(super) struct Part {
            pub(super) b: i32,
        }
        crate::message! { Part as "schema.Part" { b: int32 = 1 } }
    }

    #[derive(Debug, Default)]
    struct Both {
        one: Option<one::Part>,
        other: Option<other::Part>,
    }
    crate::message! { Both as "schema.Both" { one: message one::Part = 1, other: message other::Part = 2 } }

    /// Two different tables of one name are all that keeps listings from having a schema.
    #[test]
    fn errors_of_structs_without_a_schema_show_the_descriptor_error() {
        let both = Both::default();
        let print =
            crate::formats::text::Printer::new().append(&mut alloc::vec::Vec::new(), &both).unwrap_err();
        assert_eq!(print.kind(), EncodeErrorKind::InvalidSchema);
        let parse = crate::text::from_str::<Both>("").unwrap_err();
        assert_eq!(parse.kind(), ParseErrorKind::InvalidSchema);
        for (error, text) in [
            (print.descriptor_error(), alloc::format!("{print}")),
            (parse.descriptor_error(), alloc::format!("{parse}")),
        ] {
            let error = error.unwrap();
            assert_eq!((error.kind(), error.name()), (DescriptorErrorKind::DuplicateName, "schema.Part"));
            assert!(text.ends_with(&alloc::format!(", in schema.Both: {error}")), "{text}");
        }
        #[cfg(feature = "json")]
        {
            assert_eq!(
                crate::json::to_string(&both).unwrap_err().descriptor_error(),
                print.descriptor_error()
            );
            assert_eq!(
                crate::json::from_slice::<Both>(b"{}").unwrap_err().descriptor_error(),
                print.descriptor_error()
            );
        }
    }
}
