//! The page, put together of its sections, and the table of the README.

use crate::data::Table;
use crate::{article, columns, drawn, experiments, measure, speed};
use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Where sections take values from and put pictures.
pub struct Place<'p> {
    data: &'p Path,
    docs: &'p Path,
}

impl Place<'_> {
    /// The values that a program has printed.
    pub fn read(&self, name: &str) -> Result<Table, Box<dyn Error>> {
        Table::read(&self.data.join(name).with_extension("csv"))
    }

    /// The path of a picture.
    pub fn picture(&self, name: &str) -> std::path::PathBuf {
        self.docs.join("benchmarks").join(name).with_extension("svg")
    }
}

/// A picture in the page.
pub fn image(name: &str, what: &str) -> String {
    format!("![{what}](benchmarks/{name}.svg)\n\n")
}

/// A table of Markdown: columns of short cells are aligned right, but for the first.
pub fn table(columns: &[String], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let short = |at: usize| rows.iter().all(|row| row[at].chars().count() < 22);
    let marks: Vec<String> =
        (0..columns.len()).map(|at| if at == 0 || !short(at) { "---" } else { "--:" }.to_owned()).collect();
    line(columns) + &line(&marks) + &rows.iter().map(|row| line(row)).collect::<String>() + "\n"
}

pub fn heads(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Writes page and pictures; gives the table for the README and those for docs/columns.md.
pub fn write(data: &Path, docs: &Path) -> Result<[String; 2], Box<dyn Error>> {
    let place = Place { data, docs };
    let mut page = String::from("# Benchmarks\n\n");
    page += "Written by `cargo run --release --manifest-path benches/peers/Cargo.toml --features report --bin report` from the values in \
        [benchmarks/data](benchmarks/data); no measured number in it is typed. ";
    page += "The measuring programs check that all contenders make the same of the same messages. \
        Ratios below 1, where a rival is faster, are bold.\n\n";
    page += &environment(&place)?;
    page += &speed::protobuf(&place)?;
    page += &speed::json(&place)?;
    page += &article::figures(&place)?;
    page += &experiments::partial(&place)?;
    page += &experiments::records(&place)?;
    page += &experiments::latency(&place)?;
    page += &experiments::growth(&place)?;
    page += &experiments::sizes(&place)?;
    page += &commands();
    fs::write(docs.join("benchmarks.md"), page)?;
    let [drawn_line, line] = [environment_line(&place, "random")?, environment_line(&place, "ratio")?];
    Ok([
        drawn::summary(&place)? + &drawn_line + "\n" + &speed::summary(&place)? + &line,
        columns::tables(&place)?,
    ])
}

/// The machine and the versions.
fn environment(place: &Place<'_>) -> Result<String, Box<dyn Error>> {
    let mut text = String::from("| | |\n|---|---|\n");
    for row in place.read("environment")?.rows() {
        writeln!(text, "| {} | {} |", row.text("name"), row.text("value"))?;
    }
    text += "\nTimes differ by some per cent from run to run; ratios are of one process in which contenders take turns.\n\n";
    Ok(text)
}

fn environment_line(place: &Place<'_>, program: &str) -> Result<String, Box<dyn Error>> {
    let environment = place.read("environment")?;
    let of = |name: &str| {
        let rows = environment.with(&[("name", name)]);
        rows.first().map_or(String::new(), |row| row.text("value").to_owned())
    };
    let command =
        measure::PROGRAMS.iter().find(|known| known.name == program).map_or("", |known| known.command);
    let measured = of(&format!("{program} measured"));
    Ok(format!("Measured on {measured}, with {}: `{command}`.\n", of("compiler")))
}

/// What is run for what.
fn commands() -> String {
    let mut text = String::from("## Commands\n\n```sh\n");
    for program in &measure::PROGRAMS {
        text += program.command;
        text.push('\n');
    }
    text + "```\n\nThe README of each directory in `benches` explains what its program measures and how.\n"
}

const BEGIN: &str = "<!-- benchmarks: written by benches/peers -->\n";
const END: &str = "<!-- end of benchmarks -->";

/// Puts a text between the two marks of a file.
pub fn between_marks(path: &Path, text: &str) -> Result<(), Box<dyn Error>> {
    let page = fs::read_to_string(path)?;
    let parts = page.split_once(BEGIN).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let (before, after) = parts.ok_or_else(|| format!("{}: no marks around its figures", path.display()))?;
    Ok(fs::write(path, format!("{before}{BEGIN}\n{text}\n{END}{after}"))?)
}
