//! Structs as JSON: straight where that works, otherwise by way of a dynamic message, which gives the same result or the error.

#[cfg(feature = "json")]
pub(super) mod parse;
#[cfg(feature = "json")]
pub(super) mod print;

use super::json::{parse as json_parse, print as json_print};
use super::reflect::by_schema;
use super::reflect::schema::schema;
use super::{DecodeOwned, Message, check_required};
use crate::formats::ParseError;
use crate::formats::json::{self, Parser, Printer};
use crate::wire::error::EncodeError;
use crate::wire::output::buffer::sealed::RawBuffer;

pub(super) fn print<M: Message>(
    message: &M,
    buffer: &mut dyn RawBuffer,
    printer: &Printer,
) -> Result<(), EncodeError> {
    if schema::<M>().is_ok_and(|descriptor| json_print::print(message, &descriptor, buffer, printer)) {
        return Ok(());
    }
    by_schema::viewed(message, |view| json::print(view, buffer, printer))?
}

pub(super) fn parse<M: DecodeOwned>(input: &[u8], parser: &Parser) -> Result<M, ParseError> {
    match straight(input, parser) {
        Some(message) => Ok(message),
        None => by_schema::parse(input, parser),
    }
}

/// A struct straight from JSON, if nothing is at fault or rare.
fn straight<M: DecodeOwned>(json: &[u8], options: &Parser) -> Option<M> {
    let descriptor = schema::<M>().ok()?;
    let message: M = json_parse::parse(json, &descriptor, options)?;
    let unchecked = !options.allow_partial && descriptor.program().needs_check();
    (!unchecked || check_required(&message, 0).is_ok()).then_some(message)
}

#[cfg(test)]
mod tests {
    #![allow(unused_assignments, reason = "by `message!`, whose lints count inside of its own crate")]

    use super::*;
    use crate::structs::wkt;
    use crate::structs::{EnumValue, SmallMap, UnknownFieldSet};
    use alloc::{boxed::Box, collections::BTreeMap, string::String, vec::Vec};

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Color {
        Red = 0,
        Green = 1,
    }

    #[derive(Debug, PartialEq)]
    enum Choice {
        Text(String),
        Tree(Box<Tree>),
    }

    #[derive(Debug, Default, PartialEq)]
    struct Tree {
        name: String,
        data: Vec<u8>,
        color: EnumValue<Color>,
        numbers: Vec<i64>,
        counts: BTreeMap<bool, f32>,
        small: SmallMap<i32, Tree>,
        left: Option<Box<Tree>>,
        trees: Vec<Tree>,
        choice: Option<Choice>,
        time: Option<wkt::Timestamp>,
        length: wkt::Duration,
        value: Option<wkt::Value>,
        wrapped: Vec<wkt::Int64Value>,
        mask: Option<wkt::FieldMask>,
        unknown: UnknownFieldSet,
    }

    crate::enumeration! { Color as "straight.Color" { Red as "RED" = 0, Green as "GREEN" = 1 } }

    crate::message! {
        Tree as "straight.Tree" {
            name: string = 1,
            data: bytes = 2,
            color: enum Color = 3,
            numbers: repeated int64 = 4,
            counts: map<bool, float> = 5,
            small: map<int32, message Tree> = 6,
            left: message Tree = 7,
            trees: repeated message Tree = 8,
            choice: oneof Choice { Text as "text": string = 9, Tree as "tree": message Tree = 10 },
            time: message wkt::Timestamp = 11,
            length: message wkt::Duration = 12,
            value: message wkt::Value = 13,
            wrapped: repeated message wkt::Int64Value = 14,
            mask: message wkt::FieldMask = 15,
            unknown: unknown_fields,
        }
    }

    const JSON: &str =
        r#"{"name":"a\n","data":"AQI=","color":"GREEN","numbers":["1","-2"],"counts":{"true":1.5},"#;
    const REST: &str = r#""small":{"7":{}},"left":{"name":"b"},"trees":[{},{"text":""}],"tree":{"color":5},"#;
    const KNOWN: &str = r#""time":"1970-01-01T00:00:07Z","length":"-1.500s","value":{"k":[null,1,"x",true,{}]},"wrapped":["3"]}"#;

    fn prints_straight(tree: &Tree, options: &Printer) -> bool {
        let mut buffer = b"before".to_vec();
        let done = json_print::print(tree, &schema::<Tree>().unwrap(), &mut buffer, options);
        assert_eq!(done, buffer != b"before");
        done
    }

    fn parse_straight(json: &str) -> Option<Tree> {
        straight(json.as_bytes(), &Parser::new())
    }

    /// The tests of results do not see which way they came; this one does.
    #[test]
    fn what_is_usual_goes_straight() {
        let json = [JSON, REST, KNOWN].concat();
        let mut tree = parse_straight(&json).unwrap();
        assert_eq!(json::to_string(&tree).unwrap(), json);
        for options in [
            Printer::new(),
            Printer::new().pretty(true).use_proto_field_name(true),
            Printer::new().skip_default_fields(false).use_enum_numbers(true),
        ] {
            assert!(prints_straight(&tree, &options));
        }
        tree.unknown.append(b"\xa0\x06\x01").unwrap();
        assert!(prints_straight(&tree, &Printer::new()));
        assert!(parse_straight(" { \"name\" : null , \"trees\" : [ ] } ").is_some());
    }

    #[test]
    fn what_is_rare_does_not() {
        for json in [
            "",
            "{",
            "{} x",
            r#"{"mask":"a"}"#,
            r#"{"name":1}"#,
            r#"{"name":"","name":""}"#,
            r#"{"text":"","tree":{}}"#,
            r#"{"counts":{"true":1,"true":2}}"#,
            r#"{"color":"BLUE"}"#,
            r#"{"length":"1"}"#,
            r#"{"other":1}"#,
        ] {
            assert_eq!(parse_straight(json), None, "{json}");
        }
        let mask = Tree { mask: Some(wkt::FieldMask::default()), ..Tree::default() };
        assert!(!prints_straight(&mask, &Printer::new()));
        let mut unknown = Tree::default();
        unknown.unknown.append(b"\x18\x07").unwrap();
        assert!(!prints_straight(&unknown, &Printer::new()));
    }
}
