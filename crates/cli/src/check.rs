//! `tablepb check`: whether data of an old schema can be read with a new one, and the other way round.

use crate::failure::Failure;
use crate::faults::{Found, Severity, Shown};
use crate::schema::{self, Schema};
use crate::{faults, names, target};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::path::{Path, PathBuf};
use tablepb_schema::{Category, Compatibility, Difference, Rule, breaches, diff};

const PAGE: &str = "\
Each schema is a .proto source if its name ends so, a directory of sources, git:REF:DIR for those of
a commit, branch or tag, and a descriptor set otherwise. Prints a line for each difference and ends
with 1 if one breaks the wire format or calls: if data that was written with one schema is lost or
misread with the other, or clients of OLD fail to call servers of NEW. With --json, names count as
well. With --strict, so does what depends on the values: numbers that may not fit, or a number that is
free for another field, because its field or its reservation is gone.

With --rules the question is another one: not what becomes of data, but whether names, types and
options stay, by the rules of buf and with its names. A line for each rule that NEW does not keep, with
its place in the source, ends with 1. The categories are FILE and PACKAGE (generated code), WIRE_JSON,
WIRE, COLUMNS (readers of columns) and LISTING (Rust structs with a listing).

Examples:
  tablepb check old/user.proto new/user.proto
  tablepb check --json --type app.User released.binpb user.proto
  tablepb check proto --against git:main:proto
  tablepb check --rules FILE --except FIELD_SAME_DEFAULT old new
  tablepb check --rules WIRE_JSON --error-format github proto --against git:main:proto";

pub fn command() -> Command {
    let file = |name: &'static str, help: &'static str| {
        Arg::new(name).value_name(name).help(help).required(true).value_parser(value_parser!(PathBuf))
    };
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).help(help).action(ArgAction::SetTrue)
    };
    let rules = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("NAMES")
            .help(help)
            .action(ArgAction::Append)
            .value_delimiter(',')
    };
    let command = Command::new("check")
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
        .arg(
            rules("rules", "Check these rules and categories of rules, commas between them")
                .conflicts_with_all(["type", "json", "strict"]),
        )
        .arg(rules("except", "Leave out these").requires("rules"))
        .arg(flag("list-rules", "Show the rules and their categories, and end").exclusive(true))
        .arg(faults::format_argument().requires("rules"))
        .arg(target::argument());
    #[cfg(feature = "grpc")]
    let command = crate::grpc::arguments(command);
    command
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    if matches.get_flag("list-rules") {
        return target::print(matches, list().as_bytes());
    }
    let rules = rules(matches)?;
    let read = |name: &str, places: bool| {
        let place = matches.get_one::<PathBuf>(name).cloned().unwrap_or_default();
        read(&place, matches, places)
    };
    let (old, new) = if matches.contains_id("against") { ("against", "OLD") } else { ("OLD", "NEW") };
    let (old, new) = (read(old, false)?, read(new, rules.is_some())?);
    match rules {
        Some(rules) => by_rules(matches, &rules, &old, &new),
        None => by_content(matches, &old, &new),
    }
}

/// A schema: of a running server, or of files.
fn read(place: &Path, matches: &ArgMatches, places: bool) -> Result<Schema, Failure> {
    if let Some(address) = place.to_str().and_then(|place| place.strip_prefix("grpc:")) {
        #[cfg(feature = "grpc")]
        return crate::grpc::schema(address, matches);
        #[cfg(not(feature = "grpc"))]
        return Err(Failure::Usage(format!(
            "grpc:{address}: servers are asked by builds with the feature `grpc` only"
        )));
    }
    let mut include = schema::paths(matches, "include");
    if include.is_empty() && place.extension().is_some_and(|end| end == "proto") {
        // Files are compared by their names, and old/a.proto and new/a.proto are one file.
        let own = place.parent().filter(|own| !own.as_os_str().is_empty());
        include = own.into_iter().chain([Path::new(".")]).map(Path::to_owned).collect();
    }
    schema::any(place, &include, places)
}

/// All rules, a line each.
fn list() -> String {
    let mut text = String::new();
    for rule in Rule::ALL {
        let categories: Vec<&str> = rule.categories().map(Category::name).collect();
        text += &format!("{:<46} {:<48} {}\n", rule.id(), categories.join(", "), rule.text());
    }
    text
}

/// The rules that `--rules` and `--except` say.
fn rules(matches: &ArgMatches) -> Result<Option<Vec<Rule>>, Failure> {
    let named = |option: &str| -> Result<Vec<Rule>, Failure> {
        let mut rules = Vec::new();
        for name in matches.get_many::<String>(option).into_iter().flatten() {
            if let Ok(category) = name.parse::<Category>() {
                let of = |rule: &&Rule| rule.categories().any(|it| it == category);
                rules.extend(Rule::ALL.iter().filter(of).copied());
            } else {
                let wrong = |error| Failure::Usage(format!("--{option}: {error}: {name}{}", nearest(name)));
                rules.push(name.parse().map_err(wrong)?);
            }
        }
        Ok(rules)
    };
    let (mut rules, except) = (named("rules")?, named("except")?);
    rules.retain(|rule| !except.contains(rule));
    Ok(matches.contains_id("rules").then_some(rules))
}

/// What may have been meant.
fn nearest(name: &str) -> String {
    let known = Category::ALL.map(Category::name).into_iter().chain(Rule::ALL.iter().map(|rule| rule.id()));
    match names::nearest(known.map(String::from).collect(), name).first() {
        Some(id) => format!("; did you mean {id}"),
        None => "; --list-rules shows them".into(),
    }
}

fn by_rules(matches: &ArgMatches, rules: &[Rule], old: &Schema, new: &Schema) -> Result<(), Failure> {
    let shown = Shown::of_format(matches);
    let breaches = breaches(&old.pool, &new.pool);
    let found = breaches.iter().filter(|breach| rules.contains(&breach.rule())).map(|breach| Found {
        file: breach.file(),
        line: breach.line(),
        column: breach.column(),
        width: 0,
        kind: breach.rule().id().into(),
        message: format!("{}: {}", breach.rule(), breach.message()),
    });
    let found: Vec<Found<'_>> = found.collect();
    target::print(matches, shown.lines(&found, Severity::Error, &new.roots).as_bytes())?;
    match found.len() {
        0 => Ok(()),
        1 => Err(Failure::report("1 change breaks a rule")),
        count => Err(Failure::report(format!("{count} changes break rules"))),
    }
}

fn by_content(matches: &ArgMatches, old: &Schema, new: &Schema) -> Result<(), Failure> {
    let differences = differences(old, new, matches.get_one::<String>("type").map(String::as_str))?;
    let (json, strict) = (matches.get_flag("json"), matches.get_flag("strict"));
    let least = if strict { Compatibility::Conditional } else { Compatibility::Breaking };
    let counts =
        |difference: &&Difference| difference.wire() >= least || (json && difference.json() >= least);
    let count = differences.iter().filter(counts).count();

    let mut text: String = differences.iter().map(|difference| format!("{difference}\n")).collect();
    if differences.is_empty() {
        text.push_str("no differences\n");
    }
    target::print(matches, text.as_bytes())?;
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
