//! Structs in JSON and the text format, straight where that works, and through serde; otherwise by way of their encoding and a dynamic message
//! of their table.

use super::schema::schema;
use super::transcode::to_struct;
use crate::formats::any_message::{show_as, undecoded};
use crate::formats::parsing::{Parsing, make};
use crate::formats::{ParseError, ParseErrorKind};
use crate::message::{DynamicMessage, MessageView};
use crate::schema::pool::MessageDescriptor;
use crate::structs::{DecodeOwned, Message};
use crate::wire::error::{DecodeError, DescriptorError, EncodeError};
use crate::wire::options::{DecodeOptions, EncodeOptions};
use alloc::vec::Vec;
use core::fmt;
#[cfg(feature = "serde")]
use {
    crate::formats::json::{Parser, Printer},
    ::serde::{Deserializer, Serializer, de, ser},
};

/// Whether a struct is whole is for the encoder to say, not for other formats.
const PARTIAL: EncodeOptions = EncodeOptions::new().allow_partial(true);

/// What the struct has encoded is taken back whole.
const WHOLE: DecodeOptions = DecodeOptions::new().allow_partial(true).budget(usize::MAX);

/// Shows the message as a view of its schema.
pub(in crate::structs) fn viewed<M: Message, R>(
    message: &M,
    show: impl FnOnce(MessageView<'_, '_>) -> R,
) -> Result<R, EncodeError> {
    show_as(&own_schema::<M>()?, show, |bytes| PARTIAL.encode(message, bytes))
}

fn own_schema<M: Message>() -> Result<MessageDescriptor, EncodeError> {
    schema::<M>().map_err(|error| EncodeError::without_schema(error, M::TABLE.full_name()))
}

/// A dynamic message with the content of a struct.
pub(in crate::structs) fn to_dynamic<M: Message>(message: &M) -> Result<DynamicMessage, EncodeError> {
    let descriptor = own_schema::<M>()?;
    let mut bytes = Vec::new();
    PARTIAL.encode(message, &mut bytes)?;
    let decoded = WHOLE.decode_dynamic(&descriptor, &bytes);
    decoded.map_err(|error| undecoded(&error).in_message(M::TABLE.full_name()))
}

/// The message in any form, as [`AnyMessage`](crate::AnyMessage) shows it.
pub(in crate::structs) fn show<M: Message>(
    message: &M,
    by: Option<&MessageDescriptor>,
    show: &mut dyn FnMut(MessageView<'_, '_>),
) -> Result<(), EncodeError> {
    match by.filter(|by| by.full_name() == M::TABLE.full_name()) {
        Some(by) => show_as(by, show, |bytes| PARTIAL.encode(message, bytes)),
        None => viewed(message, show),
    }
}

/// Makes a struct of text, by way of a dynamic message.
pub(in crate::structs) fn parse<M: DecodeOwned>(
    input: &[u8],
    parser: &impl Parsing,
) -> Result<M, ParseError> {
    let fail = |misfit| unparsed::<M>(misfit, input);
    let descriptor = schema::<M>().map_err(|error| fail(Misfit::Schema(error)))?;
    let message = make(&descriptor, input, parser)?;
    let options = DecodeOptions::new().allow_partial(true).budget(parser.budget_for(input.len()));
    to_struct(message.as_view(), &options).map_err(|error| fail(Misfit::Decode(error)))
}

/// Why a struct could not be a dynamic message, or become what one is.
pub(in crate::structs) enum Misfit {
    Schema(DescriptorError),
    Encode(EncodeError),
    Decode(DecodeError),
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Schema(error) => error.fmt(f),
            Self::Encode(error) => error.fmt(f),
            Self::Decode(error) => error.fmt(f),
        }
    }
}

/// Changes a struct as a dynamic message. `budget` bounds the memory that it takes beyond what it held before.
pub(in crate::structs) fn edit<M: DecodeOwned, E>(
    message: &mut M,
    budget: usize,
    fail: impl Fn(Misfit) -> E,
    edit: impl FnOnce(&mut DynamicMessage) -> Result<(), E>,
) -> Result<(), E> {
    let descriptor = schema::<M>().map_err(|error| fail(Misfit::Schema(error)))?;
    let mut before = Vec::new();
    PARTIAL.encode(message, &mut before).map_err(|error| fail(Misfit::Encode(error)))?;
    let decoded = WHOLE.decode_dynamic(&descriptor, &before);
    let mut edited = decoded.map_err(|error| fail(Misfit::Decode(error)))?;
    edit(&mut edited)?;
    let bytes = encoded(&edited).map_err(|error| fail(Misfit::Encode(error)))?;
    // Members that are skipped stay.
    message.clear();
    let held = before.len().saturating_mul(32);
    WHOLE.budget(budget.saturating_add(held)).merge(message, &bytes).map_err(|error| {
        // A type of one's own refuses what the schema takes. What was there is read again from its encoding: some of it is lost if there is no
        // memory for it, or if a type refuses or changes its own encoding.
        message.clear();
        let _ = WHOLE.merge(message, &before);
        fail(Misfit::Decode(error))
    })
}

/// Merges what is parsed into a struct.
pub(in crate::structs) fn merge<M: DecodeOwned>(
    message: &mut M,
    input: &[u8],
    parser: &impl Parsing,
    merge: impl FnOnce(&mut DynamicMessage) -> Result<(), ParseError>,
) -> Result<(), ParseError> {
    edit(message, parser.budget_for(input.len()), |misfit| unparsed::<M>(misfit, input), merge)
}

fn encoded(message: &DynamicMessage) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = Vec::new();
    PARTIAL.encode(message, &mut bytes)?;
    Ok(bytes)
}

#[cold]
fn unparsed<M: Message>(misfit: Misfit, input: &[u8]) -> ParseError {
    let name = M::TABLE.full_name();
    match misfit {
        Misfit::Schema(error) => ParseError::without_schema(error, name),
        Misfit::Encode(_) => ParseError::of(ParseErrorKind::InvalidMessage, input, name),
        Misfit::Decode(error) => ParseError::of_bytes(&error, input, name),
    }
}

/// Serializes a struct, in the JSON mapping.
#[cfg(feature = "serde")]
pub fn serialize<M: Message, S: Serializer>(message: &M, serializer: S) -> Result<S::Ok, S::Error> {
    // JSON numbers are `f64` to many readers; other formats have integers.
    let printer = Printer::new().stringify_64_bit_integers(serializer.is_human_readable());
    viewed(message, |view| printer.serialize(&view, serializer)).map_err(ser::Error::custom)?
}

/// Deserializes a struct, in the JSON mapping.
#[cfg(feature = "serde")]
pub fn deserialize<'de, M: DecodeOwned, D: Deserializer<'de>>(deserializer: D) -> Result<M, D::Error> {
    let descriptor = schema::<M>().map_err(de::Error::custom)?;
    let message = Parser::new().deserialize(&descriptor, deserializer)?;
    message.transcode_to().map_err(de::Error::custom)
}

#[cfg(test)]
mod tests {
    #![allow(unused_assignments, reason = "by `message!`, whose lints count inside of its own crate")]

    use super::*;
    use crate::wire::error::{DescriptorErrorKind, EncodeErrorKind};

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

    #[derive(Debug, Default)]
    struct Line {
        text: alloc::string::String,
    }
    crate::message! { Line as "schema.Line" syntax "proto2" { text: string = 1 } }

    /// A dynamic message takes any bytes for a string of proto2, and it was an error about "the bytes of a nested message".
    #[test]
    fn text_that_is_no_utf8_is_an_error_about_a_string() {
        for error in [
            crate::text::from_str::<Line>(r#"text: "\xff""#).unwrap_err(),
            crate::text::merge_from_str(&mut Line::default(), r#"text: "\xff""#).unwrap_err(),
        ] {
            assert_eq!(
                (error.kind(), alloc::format!("{}", error.path())),
                (ParseErrorKind::InvalidUtf8, "text".into())
            );
        }
        assert_eq!(crate::text::from_str::<Line>(r#"text: "\303\244""#).unwrap().text, "ä");
    }
}
