//! `tablepb check`: whether data of an old schema can be read with a new one, and the other way round.

use crate::failure::Failure;
use crate::schema::{self, Schema};
use crate::{names, target};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::io::Write;
use std::path::PathBuf;
use tablepb_schema::{Compatibility, Difference, diff};

const PAGE: &str = "\
Each schema is a .proto source if its name ends so, a directory of sources, git:REF:DIR for those of
a commit, branch or tag, and a descriptor set otherwise. Prints a line for each difference and ends
with 1 if one breaks the wire format or calls: if data that was written with one schema is lost or
misread with the other, or clients of OLD fail to call servers of NEW. With --json, names count as
well. With --strict, so does what depends on the values: numbers that may not fit, or a number that is
free for another field, because its field or its reservation is gone.

Examples:
  tablepb check old/user.proto new/user.proto
  tablepb check --json --type app.User released.binpb user.proto
  tablepb check proto --against git:main:proto";

pub fn command() -> Command {
    let file = |name: &'static str, help: &'static str| {
        Arg::new(name).value_name(name).help(help).required(true).value_parser(value_parser!(PathBuf))
    };
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).help(help).action(ArgAction::SetTrue)
    };
    Command::new("check")
        .about("Finds changes between two schemas that break what reads or writes their data")
        .after_help(PAGE)
        .arg(file("OLD", "The schema before; with --against the one after"))
        .arg(file("NEW", "The schema after").required(false).required_unless_present("against"))
        .arg(
            Arg::new("against")
                .long("against")
                .value_name("SCHEMA")
                .help("The schema before, and the one that is named is the one after")
                .conflicts_with("NEW")
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(schema::include_argument())
        .arg(schema::type_argument())
        .arg(flag("json", "What breaks JSON counts as well"))
        .arg(flag("strict", "What depends on the values counts as well"))
        .arg(target::argument())
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let include = schema::paths(matches, "include");
    let read = |name: &str| {
        let file = matches.get_one::<PathBuf>(name).cloned().unwrap_or_default();
        schema::any(&file, &include, false)
    };
    let (old, new) = if matches.contains_id("against") { ("against", "OLD") } else { ("OLD", "NEW") };
    let (old, new) = (read(old)?, read(new)?);
    let differences = differences(&old, &new, matches.get_one::<String>("type").map(String::as_str))?;
    let (json, strict) = (matches.get_flag("json"), matches.get_flag("strict"));
    let least = if strict { Compatibility::Conditional } else { Compatibility::Breaking };
    let counts =
        |difference: &&Difference| difference.wire() >= least || (json && difference.json() >= least);
    let count = differences.iter().filter(counts).count();

    let mut text: String = differences.iter().map(|difference| format!("{difference}\n")).collect();
    if differences.is_empty() {
        text.push_str("no differences\n");
    }
    let mut target = target::from_arguments(matches)?;
    let result = target.write_all(text.as_bytes()).map_err(Failure::from);
    target.finish(result)?;
    match (count, strict) {
        (0, _) => Ok(()),
        (1, false) => Err(Failure::report("1 difference breaks data or calls")),
        (count, false) => Err(Failure::report(format!("{count} differences break data or calls"))),
        (count, true) => {
            Err(Failure::report(format!("differences that break data or calls, or may break it: {count}")))
        }
    }
}

fn differences(old: &Schema, new: &Schema, name: Option<&str>) -> Result<Vec<Difference>, Failure> {
    let Some(name) = name else { return Ok(diff(&old.pool, &new.pool)) };
    let find = |schema: &Schema| names::find(&schema.pool, &schema.place, Some(name));
    Ok(diff(&find(old)?, &find(new)?))
}
