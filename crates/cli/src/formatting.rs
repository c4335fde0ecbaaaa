//! `tablepb fmt`: sources in one layout.

use crate::failure::Failure;
use crate::{schema, source, target};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use similar::TextDiff;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const PAGE: &str = "\
The layout is that of buf format: two spaces for each level, imports and options of the file sorted,
several options in brackets on lines of their own, at most one empty line in a row. Comments stay.
Sources are not compiled, so that imports need not be there. Without -w, --check or --diff the
formatted source goes to standard output.

Examples:
  tablepb fmt -w proto                  # all sources of a directory, in place
  tablepb fmt --check --diff proto      # for CI: 1 if a file would change, and how
  tablepb fmt - < user.proto            # in an editor";

pub fn command() -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).help(help).action(ArgAction::SetTrue)
    };
    Command::new("fmt")
        .about("Formats .proto sources")
        .after_help(PAGE)
        .arg(
            Arg::new("files")
                .value_name("FILE")
                .help("Sources, or directories of them; - for standard input")
                .required(true)
                .num_args(1..)
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(flag("write", "Change the files").short('w').conflicts_with_all(["check", "diff"]))
        .arg(flag("check", "Name the files that would change, and fail if there is one"))
        .arg(flag("diff", "Show what would change"))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let files = schema::in_directories(schema::paths(matches, "files"))?;
    let [write, check, diff] = ["write", "check", "diff"].map(|name| matches.get_flag(name));
    let several = files.len() > 1;
    if several && !write && !check && !diff {
        return Err(Failure::Usage("several files need -w, --check or --diff".into()));
    }
    let mut out = target::stdout();
    let (mut changed, mut faulty) = (0, 0);
    for file in &files {
        let name = file.display().to_string();
        let old = read(file, &name)?;
        let new = match tablepb_schema::format(&name, &old) {
            Ok(new) => new,
            // The other files are formatted all the same.
            Err(error) if several => {
                faulty += 1;
                let _ = writeln!(io::stderr(), "{error}");
                continue;
            }
            Err(error) => return Err(Failure::report(error.to_string())),
        };
        changed += u32::from(old != new);
        if diff && old != new {
            let difference = TextDiff::from_lines(&old, &new);
            write!(out, "{}", difference.unified_diff().header(&name, &name))?;
        } else if check && old != new {
            writeln!(out, "{name}")?;
        } else if write && old != new {
            replace(file, &new)?;
        } else if !write && !check && !diff {
            write!(out, "{new}")?;
        }
    }
    out.finish(Ok(()))?;
    match (faulty, changed) {
        (0, 1..) if check => Err(Failure::report(format!("{} not formatted", counted(changed)))),
        (0, _) => Ok(()),
        (faulty, _) => Err(Failure::report(format!("{} with faults", counted(faulty)))),
    }
}

fn counted(files: u32) -> String {
    if files == 1 { "1 file".into() } else { format!("{files} files") }
}

fn read(file: &Path, name: &str) -> Result<String, Failure> {
    let (_, bytes) = source::read_schema(file)?;
    String::from_utf8(bytes).map_err(|_| Failure::report(format!("{name}: not UTF-8")))
}

fn replace(file: &Path, text: &str) -> Result<(), Failure> {
    if file.as_os_str() == "-" {
        return Err(Failure::Usage("-w needs files".into()));
    }
    let mut target = target::to_file(file)?;
    let written = target.write_all(text.as_bytes()).map_err(Failure::from);
    target.finish(written)
}
