//! `tablepb print`: a schema as `.proto` source, as JSON or as Rust.

use crate::failure::Failure;
use crate::schema::{self, Schema};
use crate::{names, target};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command, value_parser};
use std::path::PathBuf;
use tablepb::json;
use tablepb::wire::{Tag, WireType, Writer};
use tablepb::{DescriptorPool, DynamicMessage, MessageDescriptor};
use tablepb_schema::{RustOptions, to_rust};

const PAGE: &str = "\
The schema is a .proto source if its name ends so, and a descriptor set otherwise. JSON is that of
google.protobuf.FileDescriptorSet, without custom options. Rust is structs and enums with their
listings, for programs that use tablepb as a library.

Examples:
  tablepb print set.binpb
  tablepb print --type app.User set.binpb
  tablepb print --to json user.proto
  tablepb print --to rust -o src/user.rs user.proto";

const SET: &str = "google.protobuf.FileDescriptorSet";

pub fn command() -> Command {
    Command::new("print")
        .about("Shows a schema as .proto source, JSON or Rust")
        .after_help(PAGE)
        .arg(
            Arg::new("schema")
                .value_name("SCHEMA")
                .help("A .proto source or a descriptor set; - or nothing for a set on standard input")
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(schema::include_argument())
        .arg(schema::type_argument())
        .arg(
            Arg::new("to")
                .long("to")
                .value_name("FORMAT")
                .help("proto, json or rust")
                .default_value("proto")
                .hide_possible_values(true)
                .value_parser(PossibleValuesParser::new(["proto", "json", "rust"])),
        )
        .arg(target::argument())
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let file = matches.get_one::<PathBuf>("schema").cloned().unwrap_or_else(|| "-".into());
    let to = matches.get_one::<String>("to").map_or("proto", String::as_str);
    let schema = schema::any(&file, &schema::paths(matches, "include"), to == "proto")?;
    let message = match matches.get_one::<String>("type") {
        Some(name) => Some(names::find(&schema.pool, &schema.place, Some(name))?),
        None => None,
    };
    let text = match (to, message) {
        ("json", message) => to_json(&schema, message.as_ref())?,
        ("rust", Some(message)) => to_rust(&message, &RustOptions::new()),
        // All files in one: they refer to each other.
        ("rust", None) => to_rust(&schema.pool, &RustOptions::new()),
        (_, Some(message)) => message.to_proto(),
        (_, None) => to_proto(&schema),
    };
    target::print(matches, text.as_bytes())
}

/// The named files as sources, each after its name if there are several.
fn to_proto(schema: &Schema) -> String {
    let several = schema.named().count() > 1;
    let mut text = String::new();
    for file in schema.named() {
        if several {
            let before = if text.is_empty() { "" } else { "\n" };
            text.push_str(&format!("{before}// {}\n", file.name()));
        }
        text.push_str(&file.to_proto());
    }
    text
}

/// The named files, or the file of a message type, as a `FileDescriptorSet` in JSON.
fn to_json(schema: &Schema, message: Option<&MessageDescriptor>) -> Result<String, Failure> {
    let of_message = message.map(MessageDescriptor::parent_file);
    let mut set = Vec::new();
    for file in of_message.is_none().then(|| schema.named()).into_iter().flatten().chain(of_message) {
        let mut writer = Writer::new(&mut set);
        writer.write_tag(Tag::new(1, WireType::LengthDelimited));
        let written = writer.write_length_delimited(file.file_descriptor_proto_bytes());
        written.map_err(|error| Failure::report(error.to_string()))?;
    }
    let pool = DescriptorPool::descriptor_proto();
    let descriptor = names::find(&pool, "descriptor.proto", Some(SET))?;
    let set =
        DynamicMessage::decode(&descriptor, &set).map_err(|error| Failure::report(error.to_string()))?;
    let mut json = Vec::new();
    json::Printer::new()
        .pretty(true)
        .append(&mut json, &set)
        .map_err(|error| Failure::report(error.to_string()))?;
    json.push(b'\n');
    Ok(String::from_utf8_lossy(&json).into_owned())
}
