//! Runs the measurements and writes docs/benchmarks.md, its pictures and the table of the README. README.md says how.

mod article;
mod chart;
mod columns;
mod data;
mod drawn;
mod experiments;
mod measure;
mod page;
mod speed;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
Runs the measurements, stores what they print in docs/benchmarks/data, and writes docs/benchmarks.md, docs/benchmarks/*.svg
and the tables of README.md and docs/columns.md.

  --read         measure nothing: make the page of what is stored
  --read DIR     the same of the files in another directory
  --only NAME    measure only this and read the rest (may be repeated):
                 random, ratio, json, latency, partial, records, growth, columns, sizes
  --out DIR      write benchmarks.md and the pictures there instead of docs, and leave README.md and docs/columns.md alone";

struct Arguments {
    read: Option<PathBuf>,
    reads: bool,
    only: Vec<String>,
    out: Option<PathBuf>,
}

fn arguments() -> Result<Arguments, String> {
    let mut parsed = Arguments { read: None, reads: false, only: Vec::new(), out: None };
    let mut words = std::env::args().skip(1).peekable();
    while let Some(word) = words.next() {
        match &*word {
            "--read" => {
                parsed.reads = true;
                parsed.read = words.next_if(|next| !next.starts_with("--")).map(PathBuf::from);
            }
            "--only" => parsed.only.push(words.next().ok_or("--only needs a name")?),
            "--out" => parsed.out = Some(words.next().ok_or("--out needs a directory")?.into()),
            "--help" => return Err(HELP.to_owned()),
            _ => return Err(format!("unknown argument {word}\n\n{HELP}")),
        }
    }
    let known = |name: &String| measure::PROGRAMS.iter().any(|program| program.name == *name);
    match parsed.only.iter().find(|name| !known(name)) {
        Some(name) => Err(format!("there is no measurement {name}\n\n{HELP}")),
        None => Ok(parsed),
    }
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(text) => {
            println!("{text}");
            return ExitCode::FAILURE;
        }
    };
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("report: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let stored = root.join("docs/benchmarks/data");
    let data = arguments.read.as_ref().unwrap_or(&stored);
    if !arguments.reads {
        std::fs::create_dir_all(data)?;
        let wanted = |name: &str| arguments.only.is_empty() || arguments.only.iter().any(|only| only == name);
        let mut measured = Vec::new();
        for program in measure::PROGRAMS.iter().filter(|program| wanted(program.name)) {
            measure::run(&root, program, data)?;
            measured.push(program.name);
            // After each one: a later one may fail.
            measure::environment(&root, data, &measured)?;
        }
    }
    let docs = arguments.out.clone().unwrap_or_else(|| root.join("docs"));
    std::fs::create_dir_all(docs.join("benchmarks"))?;
    let [summary, columns] = page::write(data, &docs)?;
    if arguments.out.is_none() {
        page::between_marks(&root.join("README.md"), &summary)?;
        page::between_marks(&root.join("docs/columns.md"), &columns)?;
    }
    Ok(())
}
