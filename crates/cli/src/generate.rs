//! `tablepb generate`: structs in the source tree, as `tablepb-build` writes them in a build script.

use crate::failure::Failure;
use crate::schema;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::path::{Path, PathBuf};
use tablepb_build::Config;

const PAGE: &str = "\
Each package is a file of structs with their listings, for programs that use tablepb as a library,
with the names and types of prost. Files that are the same are not written. The options are those
of tablepb_build::Config::parameter, such as

  unknown_fields              structs keep the fields that the schema does not have
  bytes=.pkg.Msg.field        bytes::Bytes; . is everything
  type_attribute=.pkg=#[..]   an attribute for the types of a package
  extern_path=.google.rpc=::rpc
  include_file=mod.rs         one file more, with a module for each package

Examples:
  tablepb generate -I proto -o src/proto --opt include_file=mod.rs proto/shop.proto
  tablepb generate -o src/proto --check proto/shop.proto   # for CI: 1 if a file is out of date";

pub fn command() -> Command {
    Command::new("generate")
        .about("Writes Rust structs for a schema, a file for each package")
        .after_help(PAGE)
        .arg(
            Arg::new("files")
                .value_name("SCHEMA")
                .help("The .proto sources, or one descriptor set")
                .required(true)
                .num_args(1..)
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(schema::include_argument())
        .arg(
            Arg::new("out")
                .short('o')
                .long("out")
                .value_name("DIR")
                .help("Where the files are written")
                .default_value(".")
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(
            Arg::new("opt")
                .long("opt")
                .value_name("NAME[=VALUE]")
                .help("How the structs are written; can be given more than once")
                .action(ArgAction::Append),
        )
        .arg(
            Arg::new("check")
                .long("check")
                .help("Write nothing, and fail if a file is not what would be written")
                .action(ArgAction::SetTrue),
        )
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let files = schema::paths(matches, "files");
    let include = schema::paths(matches, "include");
    let is_source =
        |file: &PathBuf| file.extension().is_some_and(|end| end == "proto") || file.as_os_str() == "-";
    let schema = match files.as_slice() {
        [file] if !is_source(file) => schema::any(file, &include, true)?,
        files => schema::sources(files, &include, true)?,
    };
    let out = matches.get_one::<PathBuf>("out").cloned().unwrap_or_default();
    let mut config = Config::new();
    config.out_dir(&out);
    for option in matches.get_many::<String>("opt").into_iter().flatten() {
        config.parameter(option).map_err(|error| Failure::Usage(format!("--opt: {error}")))?;
    }
    if matches.get_flag("check") {
        return check(&mut config, &schema.pool, &out);
    }
    config.compile_pool(&schema.pool).map_err(|error| Failure::report(error.to_string()))
}

/// Fails with the names of the files that are not what would be written.
fn check(config: &mut Config, pool: &tablepb::DescriptorPool, out: &Path) -> Result<(), Failure> {
    let files = config.generate(pool).map_err(|error| Failure::report(error.to_string()))?;
    let stale = files.iter().filter(|file| !file.is_written(out));
    let names: Vec<String> = stale.map(|file| out.join(file.name()).display().to_string()).collect();
    match names.is_empty() {
        true => Ok(()),
        false => Err(Failure::report(format!("out of date: {}", names.join(", ")))),
    }
}
