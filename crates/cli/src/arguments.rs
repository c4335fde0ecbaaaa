//! The command line.

use crate::inspect;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::path::PathBuf;

/// What the tool is asked to do.
pub enum Request {
    /// Show what it does, on built-in data.
    Sample,
    Inspect(inspect::Arguments),
}

/// Parses the command line; ends the process for `--help` and for mistakes.
pub fn parse() -> Request {
    let mut matches = command().get_matches();
    match matches.remove_subcommand() {
        Some((name, matches)) if name == "inspect" => Request::Inspect(inspect_arguments(matches)),
        _ => Request::Sample,
    }
}

fn command() -> Command {
    Command::new("tablepb")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Looks into Protocol Buffers payloads. Without arguments: what it does, on built-in data.")
        .after_help("Exit codes: 0 all went well, 1 bad input, 2 wrong arguments.")
        .subcommand(inspect_command())
}

fn inspect_command() -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).help(help).action(ArgAction::SetTrue)
    };
    Command::new("inspect")
        .about("Prints a payload as a tree, with sizes and unknown fields")
        .after_help(
            "Without --descriptors and --type the bare structure of the wire is shown.\n\
             A descriptor set: protoc --include_imports --descriptor_set_out=set.binpb your.proto",
        )
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .help("The payload; - or nothing for standard input")
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(
            Arg::new("descriptors")
                .long("descriptors")
                .value_name("FILE")
                .help("A descriptor set with the message type")
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(
            Arg::new("type")
                .long("type")
                .value_name("NAME")
                .help("The full name of the message type, package included")
                .requires("descriptors"),
        )
        .arg(flag("delimited", "FILE is a stream of messages, each after its length as a varint"))
        .arg(flag("full", "Do not abbreviate long lists, strings and bytes"))
}

fn inspect_arguments(mut matches: ArgMatches) -> inspect::Arguments {
    inspect::Arguments {
        descriptors: matches.remove_one("descriptors"),
        type_name: matches.remove_one("type"),
        delimited: matches.get_flag("delimited"),
        full: matches.get_flag("full"),
        file: matches.remove_one("file"),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_contradicts_itself_nowhere() {
        super::command().debug_assert();
    }
}
