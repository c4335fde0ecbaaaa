//! Structs in text format.

use super::by_schema::{self, Failure};
use crate::formats::text::{FormatOptions, ParseError, ParseErrorKind, ParseOptions};
use crate::message::DynamicMessage;
use crate::structs::{DecodeOwned, Message};
use crate::wire::Buffer;
use crate::wire::error::{DecodeErrorKind, EncodeError, EncodeErrorKind};

pub(in crate::structs) fn print<M: Message>(
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

pub(in crate::structs) fn parse<M: DecodeOwned>(text: &str, options: &ParseOptions) -> Result<M, ParseError> {
    by_schema::parse(options.budget_for(text.len()), failed::<M>(text), |descriptor| {
        DynamicMessage::parse_text_format_with(descriptor, text, options)
    })
}

pub(in crate::structs) fn merge<M: DecodeOwned>(
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
        let print = both.append_text_format(&mut alloc::vec::Vec::new(), &FormatOptions::new()).unwrap_err();
        assert_eq!(print.kind(), EncodeErrorKind::InvalidSchema);
        let parse = Both::parse_text_format("").unwrap_err();
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
            assert_eq!(both.to_json_string().unwrap_err().descriptor_error(), print.descriptor_error());
            assert_eq!(Both::from_json(b"{}").unwrap_err().descriptor_error(), print.descriptor_error());
        }
    }
}
