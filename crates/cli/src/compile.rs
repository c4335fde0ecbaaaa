//! `tablepb compile`: a descriptor set out of `.proto` sources, as protoc makes it.

use crate::failure::Failure;
use crate::faults::{Severity, Shown};
use crate::schema::{Compiled, Schema, Sources};
use crate::{faults, schema, target};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use tablepb::schema::FileDescriptor;
use tablepb::wire::{Tag, WireType, Writer};

const PAGE: &str = "\
The set holds the named files, as that of protoc --descriptor_set_out: not what they import, unless
--include-imports is given, and no comments, unless --include-source-info is. The files of
protobuf itself, such as google/protobuf/timestamp.proto, are built in. What is not wrong and yet worth
saying of a named file goes to standard error, as with protoc: imports that it does not need, JSON names
of proto2 that conflict, reserved names that are no identifiers, options that its edition deprecates.

Examples:
  tablepb compile -o set.binpb user.proto
  tablepb compile -I protos -o set.binpb --include-imports protos/app/user.proto
  tablepb compile -I protos -o set.binpb --error-format github protos   # all of a directory";

/// The field `file` of a `FileDescriptorSet`.
const FILE: Tag = Tag::new(1, WireType::LengthDelimited);

pub fn command() -> Command {
    let command = Command::new("compile")
        .about("Makes a descriptor set out of .proto sources")
        .after_help(PAGE)
        .arg(
            Arg::new("files")
                .value_name("FILE")
                .help(
                    "The sources, or directories of them; - for standard input, @FILE for lines of arguments",
                )
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
        .arg(
            Arg::new("retain-options")
                .long("retain-options")
                .alias("retain_options")
                .help("Keep options that are for the source alone")
                .action(ArgAction::SetTrue),
        )
        .arg(
            Arg::new("descriptor-set-in")
                .long("descriptor-set-in")
                .alias("descriptor_set_in")
                .value_name("SETS")
                .help("Descriptor sets with files that are imported, as in a list of paths")
                .action(ArgAction::Append)
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(
            Arg::new("fatal-warnings")
                .long("fatal-warnings")
                .alias("fatal_warnings")
                .help("Fail if there is a warning, and write nothing")
                .action(ArgAction::SetTrue),
        )
        .arg(
            Arg::new("dependency-out")
                .long("dependency-out")
                .alias("dependency_out")
                .value_name("FILE")
                .help("Write a rule for make: the output, and the files on disk that it is made of")
                .requires("output")
                .value_parser(value_parser!(PathBuf)),
        );
    faults::arguments(command)
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let shown = Shown::from_arguments(matches);
    let Sources { schema, warnings } = schema::sources_with(
        &schema::in_directories(schema::paths(matches, "files"))?,
        &schema::paths(matches, "include"),
        matches.get_flag("include-source-info"),
        Compiled {
            shown,
            retain_options: matches.get_flag("retain-options"),
            imports: schema::imports(&sets(matches))?,
            warn: true,
        },
    )?;
    if !warnings.is_empty() {
        let lines = shown.diagnostics(&warnings, Severity::Warning, &schema.roots);
        if matches.get_flag("fatal-warnings") {
            return Err(Failure::Lines(lines));
        }
        // A result is not lost for a stream of messages that is closed.
        let _ = std::io::stderr().write_all(lines.as_bytes());
    }
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
    target.finish(result)?;
    match matches.get_one::<PathBuf>("dependency-out") {
        Some(file) => {
            let output = matches.get_one::<PathBuf>("output").cloned().unwrap_or_default();
            std::fs::write(file, rule(&output, &schema))
                .map_err(|error| Failure::file(&file.display().to_string(), &error))
        }
        None => Ok(()),
    }
}

/// The values of `--descriptor-set-in`, each of which may name several sets, as for protoc.
fn sets(matches: &ArgMatches) -> Vec<PathBuf> {
    let lists = schema::paths(matches, "descriptor-set-in");
    lists.iter().flat_map(std::env::split_paths).collect()
}

/// A rule for make, as protoc writes it.
fn rule(output: &Path, schema: &Schema) -> String {
    let escaped = |path: &Path| path.display().to_string().replace(' ', "\\ ");
    let on_disk = schema.pool.files().filter_map(|file| schema.roots.on_disk(file.name()));
    let paths: Vec<String> = on_disk.map(|path| escaped(&path)).collect();
    format!("{}: {}\n", escaped(output), paths.join("\\\n "))
}

/// The named files as protoc puts them: each after those that it imports, apart from what it imports through other files.
fn in_order(schema: &Schema) -> Vec<FileDescriptor> {
    let names: HashSet<&str> = schema.files.iter().map(String::as_str).collect();
    let named = |file: &FileDescriptor| names.contains(file.name());
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
