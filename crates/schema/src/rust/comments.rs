//! The comments of a schema as documentation: which definition has which, and text that rustdoc shows as it was meant.

use alloc::{collections::BTreeMap, format, string::String, vec::Vec};
use tablepb::schema::{FileDescriptor, MethodDescriptor, ServiceDescriptor};
use tablepb::{DescriptorPool, EnumDescriptor, Message, MessageDescriptor, message};

// The part of `FileDescriptorProto` that has comments.
#[derive(Default)]
struct FileProto<'a> {
    info: Option<SourceInfo<'a>>,
}
#[derive(Default)]
struct SourceInfo<'a> {
    locations: Vec<Location<'a>>,
}
#[derive(Default)]
struct Location<'a> {
    path: Vec<i32>,
    leading: &'a str,
    trailing: &'a str,
}
message! {
    FileProto<'a> as "google.protobuf.FileDescriptorProto" syntax "proto2" {
        info as "source_code_info": message SourceInfo = 9,
    }
    SourceInfo<'a> as "google.protobuf.SourceCodeInfo" syntax "proto3" {
        locations as "location": repeated message Location = 1,
    }
    Location<'a> as "google.protobuf.SourceCodeInfo.Location" syntax "proto3" {
        path: repeated int32 = 1,
        leading as "leading_comments": string = 3,
        trailing as "trailing_comments": string = 4,
    }
}

/// The comments of a pool, by full name; that of an enum value has the name of its enum before it.
#[derive(Default)]
pub(super) struct Comments(BTreeMap<String, String>);

impl Comments {
    /// Empty if the pool has no source information.
    pub(super) fn new(pool: &DescriptorPool) -> Self {
        let mut comments = Self::default();
        for file in pool.files() {
            comments.file(&file);
        }
        comments
    }

    pub(super) fn get(&self, full_name: &str) -> Option<&str> {
        self.0.get(full_name).map(String::as_str)
    }

    fn file(&mut self, file: &FileDescriptor) {
        let bytes = file.file_descriptor_proto_bytes();
        // A set whose comments are not UTF-8 has none.
        let info = FileProto::decode(bytes).ok().and_then(|file| file.info).unwrap_or_default();
        let mut by_path = BTreeMap::new();
        for location in &info.locations {
            let text = if location.leading.trim().is_empty() { location.trailing } else { location.leading };
            if !text.trim().is_empty() {
                by_path.insert(location.path.as_slice(), text);
            }
        }
        if !by_path.is_empty() {
            Paths { found: &mut self.0, by_path }.file(file);
        }
    }
}

/// Gives the comments of a file to what stands at their paths.
struct Paths<'a> {
    found: &'a mut BTreeMap<String, String>,
    by_path: BTreeMap<&'a [i32], &'a str>,
}

impl Paths<'_> {
    fn file(&mut self, file: &FileDescriptor) {
        let mut messages: Vec<(Vec<i32>, MessageDescriptor)> = Vec::new();
        messages.extend(file.messages().zip(0..).map(|(message, i)| (Vec::from([4, i]), message)));
        while let Some((path, message)) = messages.pop() {
            self.add(&path, message.full_name());
            for (field, i) in message.fields().zip(0..) {
                self.part(&path, [2, i], field.full_name());
            }
            for (oneof, i) in message.oneofs().zip(0..) {
                self.part(&path, [8, i], oneof.full_name());
            }
            for (enumeration, i) in message.child_enums().zip(0..) {
                self.enumeration(&[&path[..], &[4, i]].concat(), &enumeration);
            }
            messages.extend(
                message.child_messages().zip(0..).map(|(inner, i)| ([&path[..], &[3, i]].concat(), inner)),
            );
        }
        for (enumeration, i) in file.enums().zip(0..) {
            self.enumeration(&[5, i], &enumeration);
        }
        for (service, i) in file.services().zip(0..) {
            self.service(&[6, i], &service);
        }
    }

    fn enumeration(&mut self, path: &[i32], enumeration: &EnumDescriptor) {
        self.add(path, enumeration.full_name());
        for (value, i) in enumeration.values().zip(0..) {
            self.part(path, [2, i], &value_name(enumeration, value.name()));
        }
    }

    fn service(&mut self, path: &[i32], service: &ServiceDescriptor) {
        self.add(path, service.full_name());
        for (method, i) in service.methods().zip(0..) {
            self.part(path, [2, i], MethodDescriptor::full_name(&method));
        }
    }

    fn part(&mut self, path: &[i32], step: [i32; 2], full_name: &str) {
        self.add(&[path, &step].concat(), full_name);
    }

    fn add(&mut self, path: &[i32], full_name: &str) {
        if let Some(text) = self.by_path.get(path) {
            self.found.insert(full_name.into(), (*text).into());
        }
    }
}

/// The path of an enum value, as prost-build has it: in the enum, and not beside it.
pub(super) fn value_name(enumeration: &EnumDescriptor, value: &str) -> String {
    format!("{}.{value}", enumeration.full_name())
}

/// The lines of a comment as Markdown in which nothing is a test, a link that leads nowhere, or HTML: what rustdoc would run or warn
/// of. Text between backticks stays as it is, if it is no block.
pub(super) fn documentation(comment: &str) -> Vec<String> {
    let mut lines: Vec<&str> = comment.lines().map(str::trim_end).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    // The space after `//`, if all lines have it.
    let spaced = lines.iter().all(|line| line.is_empty() || line.starts_with(' '));
    let mut out = Vec::new();
    let mut block = Block::None;
    let mut after_blank = true;
    for line in lines {
        let line = if spaced { line.get(1..).unwrap_or("") } else { line };
        let fence = line.trim_start().get(..3).filter(|start| matches!(*start, "```" | "~~~"));
        let indented = line.starts_with("    ") || line.trim_start_matches(' ').starts_with('\t');
        match block {
            Block::Fence(open) => {
                out.push(line.into());
                if fence == Some(open) {
                    block = Block::None;
                }
            }
            _ if fence.is_some() => {
                close(&mut block, &mut out);
                block = Block::Fence(if line.trim_start().starts_with('`') { "```" } else { "~~~" });
                // Without a language, or with any, rustdoc might take it for Rust.
                let indent = line.len() - line.trim_start().len();
                out.push(format!("{}{}text", &line[..indent.min(3)], fence.unwrap_or_default()));
            }
            Block::Indented if line.is_empty() || indented => out.push(line.into()),
            _ if indented && after_blank => {
                out.push("```text".into());
                out.push(line.into());
                block = Block::Indented;
            }
            _ => {
                close(&mut block, &mut out);
                out.push(escaped(line));
            }
        }
        after_blank = line.is_empty();
    }
    match block {
        Block::Fence(open) => out.push(open.into()),
        _ => close(&mut block, &mut out),
    }
    out
}

/// Where a line of a comment stands.
enum Block {
    None,
    Fence(&'static str),
    Indented,
}

/// Ends a block of indented lines, before the empty lines at its end.
fn close(block: &mut Block, out: &mut Vec<String>) {
    if matches!(block, Block::Indented) {
        let end = out.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        out.insert(end, "```".into());
    }
    *block = Block::None;
}

/// A line without links to items and HTML, and with addresses as links.
fn escaped(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    // Whether an odd number of backticks came before: what is in code stays.
    let codes = line.matches('`').count() / 2 * 2;
    let mut ticks = 0;
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let in_code = ticks % 2 == 1 && ticks < codes;
        ticks += usize::from(c == '`');
        let address = address_length(rest);
        if !in_code && address > 0 && !out.ends_with(['(', '<', '"']) {
            out = out + "<" + &rest[..address] + ">";
            rest = &rest[address..];
            continue;
        }
        if !in_code && address > 0 {
            out.push_str(&rest[..address]);
            rest = &rest[address..];
            continue;
        }
        if !in_code && matches!(c, '[' | ']' | '<' | '>') && !out.ends_with('\\') {
            // A link with an address, and one that is between angle brackets, work.
            let works = match c {
                '[' => rest.split_once(']').is_some_and(|(_, after)| after.starts_with("(http")),
                ']' => rest.starts_with("](http"),
                '<' => address_length(&rest[1..]) > 0,
                _ => out.rsplit_once('<').is_some_and(|(before, address)| {
                    address_length(address) == address.len() && !before.ends_with('\\')
                }),
            };
            if !works {
                out.push('\\');
            }
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    out
}

/// The bytes of the address that the text begins with; 0 if it begins with none.
fn address_length(text: &str) -> usize {
    if !text.starts_with("http://") && !text.starts_with("https://") {
        return 0;
    }
    let ends = |c: char| {
        c.is_whitespace()
            || matches!(c, '<' | '>' | '"' | '`' | ')' | ']' | '[' | '\\' | '{' | '}' | '|' | '^' | '\'')
    };
    let address = &text[..text.find(ends).unwrap_or(text.len())];
    let address = address.trim_end_matches(['.', ',', ':', ';', '!', '?', '*', '_']);
    if address.ends_with("//") { 0 } else { address.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_comment_is_a_test() {
        let comment = " A code:\n\n     let x = 1;\n\n     y\n\n and\n ```\n z [a]\n ```\n ~~~rust\n q\n";
        assert_eq!(
            documentation(comment),
            [
                "A code:",
                "",
                "```text",
                "    let x = 1;",
                "",
                "    y",
                "```",
                "",
                "and",
                "```text",
                "z [a]",
                "```",
                "~~~text",
                "q",
                "~~~"
            ]
        );
        // What follows a line of text is part of its paragraph.
        assert_eq!(documentation(" a\n     b\n"), ["a", "    b"]);
        assert_eq!(documentation("a\n b\n\n"), ["a", " b"]);
        assert_eq!(documentation("\ta"), ["```text", "\ta", "```"]);
    }

    #[test]
    fn links_and_tags_are_text_and_addresses_are_links() {
        let lines = [
            (" [Foo][a.b.Foo] is a[0]", "\\[Foo\\]\\[a.b.Foo\\] is a\\[0\\]"),
            (" map<string, T> `a[0] <b>` x", "map\\<string, T\\> `a[0] <b>` x"),
            (" see https://a.b/c_d. Or", "see <https://a.b/c_d>. Or"),
            (" [x](https://a.b) <http://c>", "[x](https://a.b) <http://c>"),
            (" (https://a.b)", "(https://a.b)"),
            (" it's ` [a]", "it's ` \\[a\\]"),
            (" \\[a\\]", "\\[a\\]"),
            (" https://", "https://"),
        ];
        for (comment, expected) in lines {
            assert_eq!(documentation(comment), [expected]);
        }
    }
}
