//! Faults of sources, for a person or for another program.

use crate::failure::Failure;
use crate::query::cell;
use crate::roots::Roots;
use clap::{Arg, ArgMatches, Command, value_parser};
use std::fmt::Write;
use tablepb_schema::{SourceDiagnostic, SourceError};

/// How faults are shown, and how many.
#[derive(Clone, Copy, Default)]
pub struct Shown {
    form: Form,
    /// How many are shown, if another number than by default.
    pub most: Option<u32>,
    /// The bound on memory and on what is read, if another one than by default.
    pub memory: Option<usize>,
}

#[derive(Clone, Copy, Default)]
enum Form {
    #[default]
    Human,
    Json,
    Gcc,
    Msvc,
    Github,
}

/// Whether a compiler goes on.
#[derive(Clone, Copy)]
pub enum Severity {
    Warning,
    Error,
}

/// A fault at a place of a source.
pub struct Found<'f> {
    pub file: &'f str,
    /// From 1; 0 if the place is not known.
    pub line: usize,
    pub column: usize,
    pub width: usize,
    pub kind: String,
    pub message: String,
}

impl<'f> From<&'f SourceDiagnostic> for Found<'f> {
    fn from(fault: &'f SourceDiagnostic) -> Self {
        let message = match fault.detail() {
            "" => fault.kind().to_string(),
            detail => format!("{}: {detail}", fault.kind()),
        };
        Self {
            file: fault.file(),
            line: fault.line(),
            column: fault.column(),
            width: fault.width(),
            kind: format!("{:?}", fault.kind()),
            message,
        }
    }
}

/// `--error-format`.
pub fn format_argument() -> Arg {
    Arg::new("error-format")
        .long("error-format")
        // As protoc writes it.
        .alias("error_format")
        .value_name("FORM")
        .help("How faults are shown: human, json (an object a line), gcc, msvc, github")
        .value_parser(["human", "json", "gcc", "msvc", "github"])
        .hide_possible_values(true)
}

/// Adds `--error-format`, `--max-errors` and `--memory`.
pub fn arguments(command: Command) -> Command {
    command
        .arg(format_argument())
        .arg(
            Arg::new("max-errors")
                .long("max-errors")
                .value_name("COUNT")
                .help("How many faults are shown; 100 without it")
                .value_parser(value_parser!(u32).range(1..)),
        )
        .arg(
            Arg::new("memory")
                .long("memory")
                .value_name("SIZE")
                .help("The most memory to compile with, as 512M or 2G, and the most of a source that is read")
                .value_parser(size),
        )
}

/// A number of bytes: `4096`, `512K`, `64M`, `2G`.
fn size(text: &str) -> Result<usize, String> {
    let text = text.trim().trim_end_matches(['b', 'B', 'i']);
    let (digits, shift) = match text.to_ascii_uppercase().as_bytes() {
        [.., b'K'] => (&text[..text.len() - 1], 10),
        [.., b'M'] => (&text[..text.len() - 1], 20),
        [.., b'G'] => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let number = digits.trim().parse::<usize>().ok().filter(|&number| number > 0);
    number
        .and_then(|number| number.checked_mul(1 << shift))
        .ok_or_else(|| "a size was expected, as 512M".into())
}

impl Shown {
    /// What [`arguments`] say.
    pub fn from_arguments(matches: &ArgMatches) -> Self {
        let memory = matches.get_one::<usize>("memory").copied();
        Self { memory, most: matches.get_one("max-errors").copied(), ..Self::of_format(matches) }
    }

    /// What [`format_argument`] says.
    pub fn of_format(matches: &ArgMatches) -> Self {
        let form = match matches.get_one::<String>("error-format").map(String::as_str) {
            Some("json") => Form::Json,
            Some("gcc") => Form::Gcc,
            Some("msvc") => Form::Msvc,
            Some("github") => Form::Github,
            _ => Form::Human,
        };
        Self { form, ..Self::default() }
    }

    /// The failure that shows the faults.
    pub fn failure(self, error: &SourceError, roots: &Roots) -> Failure {
        if error.diagnostics().is_empty() || matches!(self.form, Form::Human) {
            return Failure::report(error.to_string());
        }
        Failure::Lines(self.diagnostics(error.diagnostics(), Severity::Error, roots))
    }

    /// A line for each.
    pub fn diagnostics(self, faults: &[SourceDiagnostic], severity: Severity, roots: &Roots) -> String {
        self.lines(&faults.iter().map(Found::from).collect::<Vec<_>>(), severity, roots)
    }

    /// A line for each.
    pub fn lines(self, faults: &[Found<'_>], severity: Severity, roots: &Roots) -> String {
        let mut lines = String::new();
        for fault in faults {
            // Other programs open files, and do not know the names of imports.
            let file = roots
                .on_disk(fault.file)
                .map_or_else(|| fault.file.to_owned(), |path| path.display().to_string());
            let file = file.strip_prefix("./").unwrap_or(&file);
            self.line(&mut lines, fault, severity, file);
            lines.push('\n');
        }
        lines
    }

    fn line(self, out: &mut String, fault: &Found<'_>, severity: Severity, file: &str) {
        let Found { line, column, width, ref kind, ref message, .. } = *fault;
        // Only a warning says what it is among lines for persons, as with protoc.
        let (word, mark) = match severity {
            Severity::Warning => ("warning", "warning: "),
            Severity::Error => ("error", ""),
        };
        // Writing to a String cannot fail.
        let _ = match (self.form, line) {
            (Form::Json, _) => {
                let end = column + width;
                write!(
                    out,
                    "{{\"path\":{},\"start_line\":{line},\"start_column\":{column},\"end_line\":{line},\"end_column\":{end},\
                     \"type\":{},\"message\":{}}}",
                    quoted(file),
                    quoted(kind),
                    quoted(message)
                )
            }
            (Form::Github, 0) => write!(out, "::{word} file={}::{}", property(file), data(message)),
            (Form::Github, _) => write!(
                out,
                "::{word} file={},line={line},col={column},endLine={line},endColumn={}::{}",
                property(file),
                column + width,
                data(message)
            ),
            // As protoc has them.
            (_, 0) => write!(out, "{file}: {mark}{message}"),
            (Form::Msvc, _) => write!(out, "{file}({line}) : {word} in column={column}: {message}"),
            (Form::Gcc | Form::Human, _) => write!(out, "{file}:{line}:{column}: {mark}{message}"),
        };
    }
}

/// A string of JSON.
fn quoted(text: &str) -> String {
    let mut out = Vec::new();
    cell::json_string(text, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// The message of a command of GitHub.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a command of GitHub.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
