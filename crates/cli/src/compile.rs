//! `tablepb compile`: a descriptor set out of `.proto` sources, as protoc makes it.

use crate::failure::Failure;
use crate::schema::Schema;
use crate::{schema, target};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use tablepb::schema::FileDescriptor;
use tablepb::wire::{Tag, WireType, Writer};

const PAGE: &str = "\
The set holds the named files, as that of protoc --descriptor_set_out: not what they import, unless
--include-imports is given, and no comments, unless --include-source-info is. The files of
protobuf itself, such as google/protobuf/timestamp.proto, are built in.

Examples:
  tablepb compile -o set.binpb user.proto
  tablepb compile -I protos -o set.binpb --include-imports protos/app/user.proto";

/// The field `file` of a `FileDescriptorSet`.
const FILE: Tag = Tag::new(1, WireType::LengthDelimited);

pub fn command() -> Command {
    Command::new("compile")
        .about("Makes a descriptor set out of .proto sources")
        .after_help(PAGE)
        .arg(
            Arg::new("files")
                .value_name("FILE")
                .help("The sources; - for standard input")
                .required(true)
                .num_args(1..)
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(schema::include_argument())
        .arg(target::argument())
        .arg(
            Arg::new("include-imports")
                .long("include-imports")
                // As protoc writes it.
                .alias("include_imports")
                .help("Put all that the files import into the set, each file before those that import it")
                .action(ArgAction::SetTrue),
        )
        .arg(
            Arg::new("include-source-info")
                .long("include-source-info")
                .alias("include_source_info")
                .help("Put comments into the set, and where everything stands in the sources")
                .action(ArgAction::SetTrue),
        )
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let schema = schema::sources(
        &schema::paths(matches, "files"),
        &schema::paths(matches, "include"),
        matches.get_flag("include-source-info"),
    )?;
    let fail = |error: tablepb::EncodeError| Failure::report(error.to_string());
    let set = if matches.get_flag("include-imports") {
        schema.pool.encode_to_vec().map_err(fail)?
    } else {
        let mut set = Vec::new();
        for file in in_order(&schema) {
            let mut writer = Writer::new(&mut set);
            writer.write_tag(FILE);
            writer.write_length_delimited(file.file_descriptor_proto_bytes()).map_err(fail)?;
        }
        set
    };
    let mut target = target::from_arguments(matches)?;
    let result = target.write_all(&set).map_err(Failure::from);
    target.finish(result)
}

/// The named files as protoc puts them: each after those that it imports, apart from what it imports through other files.
fn in_order(schema: &Schema) -> Vec<FileDescriptor> {
    let named = |file: &FileDescriptor| schema.files.iter().any(|name| name == file.name());
    let (mut seen, mut order) = (HashSet::new(), Vec::new());
    for file in schema.named() {
        let mut stack = vec![(file, false)];
        while let Some((file, imports_done)) = stack.pop() {
            if imports_done {
                order.push(file);
            } else if named(&file) && seen.insert(file.name().to_owned()) {
                let imports: Vec<_> = file.dependencies().map(|import| (import, false)).collect();
                stack.push((file, true));
                stack.extend(imports.into_iter().rev());
            }
        }
    }
    order
}
