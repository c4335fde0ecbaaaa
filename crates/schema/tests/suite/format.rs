//! The layout of sources: what it is, and what it keeps.

use crate::common::{choices::Choices, rounds};
use tablepb_schema::{SourceBuilder, format};

const SOURCE: &str = r#"/* Licence
   * of it */
syntax = 'proto3';
import "google/protobuf/struct.proto";
package a.b;   // the package

// All imports.

import "google/protobuf/any.proto";
option java_package="x";   option (file) = { list: [1,2] one<x: 1>; text: "a" "b" };

message Empty { }
message M { // opened
  int32 a=1[deprecated=true];int64 b = 2 [ deprecated = true,
    json_name = 'c' ];   // trailing
  // before


  // and again
  map < string,.google.protobuf.Any > m=3;
  oneof o { string t=4; } ;

  /*
       block
         deeper
  */
  repeated .a.b.M
      more = 5;
  reserved 6,7  to max ; reserved "x" ,"y";
  // last
}
service S { rpc Do(stream M)returns(M){} rpc Other ( M ) returns ( stream .a.b.M ) { option deprecated=true; } }
// the end"#;

const FORMATTED: &str = r#"/* Licence
 * of it */
syntax = 'proto3';
package a.b; // the package

// All imports.

import "google/protobuf/any.proto";
import "google/protobuf/struct.proto";

option java_package = "x";
option (file) = {
  list: [
    1,
    2
  ]
  one: {x: 1}
  text:
    "a"
    "b"
};

message Empty {}
message M { // opened
  int32 a = 1 [deprecated = true];
  int64 b = 2 [
    deprecated = true,
    json_name = 'c'
  ]; // trailing
  // before

  // and again
  map<string, .google.protobuf.Any> m = 3;
  oneof o {
    string t = 4;
  }

  /*
     block
       deeper
  */
  repeated .a.b.M more = 5;
  reserved 6, 7 to max;
  reserved "x", "y";
  // last
}
service S {
  rpc Do(stream M) returns (M) {}
  rpc Other(M) returns (stream .a.b.M) {
    option deprecated = true;
  }
}
// the end
"#;

#[test]
fn a_source_has_one_layout() {
    assert_eq!(format("a.proto", SOURCE).unwrap(), FORMATTED);
    assert_eq!(format("a.proto", FORMATTED).unwrap(), FORMATTED);
    assert_eq!(format("a.proto", &SOURCE.replace('\n', "\r\n")).unwrap(), FORMATTED);
    assert_eq!(format("a.proto", "").unwrap(), "");
    assert_eq!(format("a.proto", "\n\n// only this\n\n").unwrap(), "// only this\n");
}

#[test]
fn what_cannot_be_read_is_an_error_with_its_place() {
    for (source, expected) in [
        ("message A {", "a.proto:1:12: "),
        ("message A }", "a.proto:1:11: "),
        ("message A {}\n}", "a.proto:2:1: "),
        ("option a = ;", "a.proto:1:12: "),
        ("message A { int32 a = 1 [x] }", "a.proto:1:27: "),
        ("option a = { b 1 };", "a.proto:1:16: "),
        ("a /* no end", "a.proto:1:3: "),
        ("a = \"no end;\n", "a.proto:1:5: "),
    ] {
        let error = format("a.proto", source).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{source}: {error}");
    }
    let deep = format!("option a = {};", "{ a: ".repeat(10_000));
    assert!(format("a.proto", &deep).is_err());
    assert!(format("a.proto", &"message A {".repeat(10_000)).is_err());
}

/// Sources of all forms.
const SOURCES: [&str; 6] = [
    include_str!("../data/proto2.proto"),
    include_str!("../data/proto3.proto"),
    include_str!("../data/edition2024.proto"),
    include_str!("../data/comments2.proto"),
    include_str!("../data/comments2024.proto"),
    SOURCE,
];

/// What a source declares, as the lines of the printed descriptor: the order of imports may change.
fn declared(source: &str) -> Option<Vec<String>> {
    let pool = SourceBuilder::new().source("a.proto", source).build().ok()?;
    let mut lines: Vec<String> = pool.file("a.proto").ok()?.to_proto().lines().map(Into::into).collect();
    lines.sort_unstable();
    Some(lines)
}

/// The words of a source, but for quotes and what separates values.
fn words(source: &str) -> Vec<String> {
    let separators = |c: char| c.is_whitespace() || "\u{feff}{}<>[]();:,/*\"'=.-".contains(c);
    let mut words: Vec<String> =
        source.split(separators).filter(|word| !word.is_empty()).map(Into::into).collect();
    words.sort_unstable();
    words
}

#[track_caller]
fn keeps(source: &str) {
    let formatted = format("a.proto", source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    assert_eq!(words(&formatted), words(source), "{source}");
    assert_eq!(declared(&formatted), declared(source), "{source}\n{formatted}");
    let again = format("a.proto", &formatted).unwrap();
    assert_eq!(again, formatted, "not settled:\n{source}");
}

#[test]
fn nothing_is_lost() {
    SOURCES.into_iter().for_each(keeps);
    assert!(SOURCES.iter().filter(|source| declared(source).is_some()).count() >= 3);
}

/// Comments and line ends anywhere between tokens.
#[test]
fn comments_stay_wherever_they_are() {
    for seed in 0..u64::from(rounds(400)) {
        let mut choices = Choices::seeded(seed);
        let mut source = SOURCES[choices.below(SOURCES.len())].to_owned();
        for at in 0..1 + choices.below(4) {
            let gaps: Vec<usize> = gaps(&source);
            let gap = gaps[choices.below(gaps.len())];
            let comment = match choices.below(5) {
                0 => format!(" /* c{at} */ "),
                1 => format!("/* c{at}\n   d{at} */"),
                2 => format!("\n// c{at}\n"),
                3 => format!(" // c{at}\n\n"),
                _ => "\n".into(),
            };
            source.insert_str(gap, &comment);
        }
        keeps(&source);
    }
}

/// The places next to the punctuation of a source, outside of strings and comments.
fn gaps(source: &str) -> Vec<usize> {
    let (mut gaps, mut rest) = (Vec::new(), source);
    while let Some(next) = rest.chars().next() {
        let at = source.len() - rest.len();
        let skipped = match next {
            '"' | '\'' => {
                let mut escaped = false;
                let close = rest.char_indices().skip(1).find(|&(_, c)| {
                    let closes = c == next && !escaped;
                    escaped = c == '\\' && !escaped;
                    closes
                });
                close.map_or(rest.len(), |(close, _)| close + 1)
            }
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '{' | '}' | ';' | ',' | '=' | '[' | ']' | '(' | ')' => {
                gaps.extend([at, at + 1]);
                1
            }
            _ => next.len_utf8(),
        };
        rest = &rest[skipped..];
    }
    gaps
}
