//! Sources with faults, and all that is said about each: `tests/data/faults.txt`. `TABLEPB_BLESS` writes it anew.

use crate::common::protoc::{Dir, Protoc};
use std::fmt::Write;
use tablepb_schema::{SourceBuilder, SourceError};

const GOLDEN: &str = include_str!("../data/faults.txt");

/// Title, source, and what is expected.
fn cases() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    GOLDEN.split("=== ").skip(1).map(|case| {
        let (title, rest) = case.split_once('\n').expect("a title");
        let (source, expected) = rest.split_once("\n---\n").expect("a line that ends the source");
        (title, source, expected.trim_end())
    })
}

fn faults(source: &str) -> SourceError {
    SourceBuilder::new().source("a.proto", source).build().expect_err(source)
}

/// A line for each: place, kind and detail.
fn lines(error: &SourceError) -> String {
    let line =
        |text: String| text.lines().next().unwrap_or_default().trim_start_matches("a.proto:").to_owned();
    error.diagnostics().iter().map(|diagnostic| line(diagnostic.to_string())).collect::<Vec<_>>().join("\n")
}

#[test]
fn all_faults_of_a_source_are_found() {
    let mut golden = String::new();
    let mut wrong = Vec::new();
    for (title, source, expected) in cases() {
        let found = lines(&faults(source));
        if found != expected {
            wrong.push(format!("{title}\n{source}\nexpected\n{expected}\nfound\n{found}"));
        }
        write!(golden, "=== {title}\n{source}\n---\n{found}\n\n").unwrap();
    }
    if std::env::var_os("TABLEPB_BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/faults.txt");
        std::fs::write(path, golden.trim_end().to_owned() + "\n").unwrap();
        return;
    }
    assert!(wrong.is_empty(), "TABLEPB_BLESS=1 writes it anew\n{}", wrong.join("\n\n"));
    assert!(cases().count() > 50);
}

/// Each source has the same faults in a set of files.
#[test]
fn files_with_faults_do_not_hide_those_of_others() {
    let mut builder = SourceBuilder::new().max_faults(1000);
    let mut expected = Vec::new();
    // In a package of its own, so that names of one are not in the way of those of another.
    let own = |source: &str| {
        !source.contains("package")
            && !source.contains("import")
            && source.starts_with("syntax = \"proto3\"; ")
    };
    for (number, (_, source, _)) in cases().filter(|(_, source, _)| own(source)).enumerate() {
        let place = "syntax = \"proto3\"; ".len();
        let source = format!("{}package p{number}; {}", &source[..place], &source[place..]);
        let name = format!("{number:02}.proto");
        expected.extend(
            faults(&source).diagnostics().iter().map(|fault| (name.clone(), fault.line(), fault.column())),
        );
        builder = builder.source(name, source);
    }
    let error = builder.build().unwrap_err();
    let found =
        error.diagnostics().iter().map(|fault| (fault.file().to_owned(), fault.line(), fault.column()));
    assert_eq!(found.collect::<Vec<_>>(), expected);
    assert!(expected.len() > 80);
}

#[test]
fn as_many_faults_are_listed_as_asked_for() {
    let source = format!("syntax = \"proto3\"; message A {{ {} }}", "B b = 0; ".repeat(300));
    assert_eq!(faults(&source).diagnostics().len(), 100);
    for most in [0, 1, 7, 250] {
        let error = SourceBuilder::new().source("a.proto", &*source).max_faults(most).build().unwrap_err();
        assert_eq!(error.diagnostics().len(), most.max(1));
    }
}

/// Not fewer than protoc, which stops after the syntax of a file and after its names.
#[test]
#[ignore = "needs_protoc: compares with it"]
fn needs_protoc_as_many_faults_as_protoc() {
    let (protoc, dir) = (Protoc::find(), Dir::new("faults"));
    let (mut ours, mut theirs) = (0, 0);
    for (title, source, _) in cases() {
        dir.write("a.proto", source);
        let text = protoc.compile(&dir.0, &["a.proto".to_owned()]).expect_err(title);
        let mut places: Vec<&str> = text.lines().filter(|line| !line.contains("warning:")).collect();
        places.sort_unstable();
        places.dedup();
        let found = faults(source).diagnostics().len();
        println!("{found:3} {:3}  {title}", places.len());
        (ours, theirs) = (ours + found, theirs + places.len());
    }
    println!("{ours} faults, protoc {theirs}");
    assert!(ours >= theirs);
}
