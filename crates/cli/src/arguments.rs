//! The command line: which commands there are, and what runs them.

use crate::failure::Failure;
#[cfg(feature = "grpc")]
use crate::grpc;
use crate::{
    bench, check, compile, conf, convert, differ, edits, formatting, generate, guess, inspect, print, query,
    sample, stats, target,
};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, ColorChoice, Command, value_parser};
use clap_complete::Shell;
use std::ffi::OsString;
use std::path::PathBuf;

/// A command: its arguments, and what it does.
type Entry = (fn() -> Command, fn(&ArgMatches) -> Result<(), Failure>);

const COMMANDS: &[Entry] = &[
    (inspect::command, inspect::run),
    (convert::decode_command, convert::run),
    (convert::encode_command, convert::run),
    (query::command, query::run),
    (edits::set_command, edits::set),
    (edits::unset_command, edits::unset),
    (differ::command, differ::run),
    (compile::command, compile::run),
    (print::command, print::run),
    (generate::command, generate::run),
    (check::command, check::run),
    (formatting::command, formatting::run),
    (stats::command, stats::run),
    (conf::command, conf::run),
    (guess::command, guess::run),
    (bench::command, bench::run),
    #[cfg(feature = "grpc")]
    (grpc::call::command, grpc::call::run),
    #[cfg(feature = "grpc")]
    (grpc::list::command, grpc::list::run),
    #[cfg(feature = "grpc")]
    (grpc::describe::command, grpc::describe::run),
    (completions_command, completions),
    (man_command, man),
];

/// Parses the command line, which ends the process for `--help` and for mistakes, and does what it says.
pub fn run() -> Result<(), Failure> {
    let matches = command().get_matches_from(expanded(std::env::args_os())?);
    let Some((name, matches)) = matches.subcommand() else { return sample::run() };
    let entry = COMMANDS.iter().find(|(command, _)| command().get_name() == name);
    entry.map_or(Ok(()), |(_, run)| run(matches))
}

/// The arguments with the lines of a file in the place of `@FILE`, as protoc has it: of commands that take many sources, for other commands
/// have values that begin so.
fn expanded(arguments: impl Iterator<Item = OsString>) -> Result<Vec<OsString>, Failure> {
    let mut all: Vec<OsString> = Vec::new();
    for argument in arguments {
        let takes = all
            .get(1)
            .is_some_and(|name| ["compile", "fmt", "generate"].iter().any(|command| name == *command));
        let file = argument.to_str().and_then(|text| text.strip_prefix('@')).filter(|_| takes);
        match file {
            Some(file) => {
                let lines = std::fs::read_to_string(file).map_err(|error| Failure::file(file, &error))?;
                all.extend(lines.lines().map(str::trim).filter(|line| !line.is_empty()).map(OsString::from));
            }
            None => all.push(argument),
        }
    }
    Ok(all)
}

fn command() -> Command {
    Command::new("tablepb")
        .version(env!("CARGO_PKG_VERSION"))
        .about(
            "Works with Protocol Buffers, without protoc. Without arguments: what it does, on built-in data.",
        )
        .after_help(
            "`tablepb COMMAND --help` has a page with examples.\n\
             Exit codes: 0 all went well, 1 bad input, 2 wrong arguments.",
        )
        // Off where the output is no terminal, and with NO_COLOR.
        .color(ColorChoice::Auto)
        .subcommands(COMMANDS.iter().map(|(command, _)| command()))
}

fn completions_command() -> Command {
    let shells = ["bash", "zsh", "fish", "elvish", "powershell"];
    Command::new("completions")
        .about("Prints a script that completes command lines in a shell")
        .after_help("Example:\n  source <(tablepb completions bash)")
        .arg(
            Arg::new("shell")
                .value_name("SHELL")
                .help("The shell")
                .required(true)
                .value_parser(PossibleValuesParser::new(shells)),
        )
        .arg(target::argument())
}

fn completions(matches: &ArgMatches) -> Result<(), Failure> {
    let name = matches.get_one::<String>("shell").map_or("", String::as_str);
    let shell: Shell = name.parse().map_err(Failure::Usage)?;
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "tablepb", &mut script);
    target::print(matches, &script)
}

fn man_command() -> Command {
    Command::new("man")
        .about("Writes manual pages, one for the tool and one for each command")
        .after_help("Example:\n  tablepb man -o ~/.local/share/man/man1 && man tablepb-query")
        .arg(
            Arg::new("output")
                .short('o')
                .long("output")
                .value_name("DIR")
                .help("The directory for the pages; it is made if it is not there")
                .required(true)
                .value_parser(value_parser!(PathBuf)),
        )
}

fn man(matches: &ArgMatches) -> Result<(), Failure> {
    let directory = matches.get_one::<PathBuf>("output").cloned().unwrap_or_default();
    let fail = |error: std::io::Error| Failure::file(&directory.display().to_string(), &error);
    std::fs::create_dir_all(&directory).map_err(fail)?;
    let whole = command();
    let pages = whole.get_subcommands().map(|command| {
        let name = format!("tablepb-{}", command.get_name());
        let called = format!("tablepb {}", command.get_name());
        (name.clone(), command.clone().display_name(name).bin_name(called))
    });
    for (name, command) in pages.chain([("tablepb".to_owned(), whole.clone())]) {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page).map_err(fail)?;
        std::fs::write(directory.join(format!("{name}.1")), page).map_err(fail)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_contradicts_itself_nowhere() {
        super::command().debug_assert();
    }
}
