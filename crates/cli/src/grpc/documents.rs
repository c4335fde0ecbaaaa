//! JSON documents one after another, with any white space in between: what `call` sends.

use crate::failure::Failure;
use std::io::{BufRead, Read};

/// The longest document, that of a message.
const LONGEST: u64 = (1 << 31) - 1;

/// Documents of a reader.
pub struct Documents<R> {
    reader: R,
    name: String,
    count: u64,
}

impl<R: BufRead> Documents<R> {
    pub fn new(reader: R, name: impl Into<String>) -> Self {
        Self { reader, name: name.into(), count: 0 }
    }

    /// Where the last document comes from.
    pub fn place(&self) -> String {
        format!("{}, message {}", self.name, self.count)
    }

    /// The next document, or `None` at the end. It is one by its braces only; what is in them is for a parser.
    pub fn next(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        let fail = |error: std::io::Error| Failure::file(&self.name, &error);
        let mut document = Vec::new();
        let (mut depth, mut in_string, mut escaped) = (0_u64, false, false);
        for byte in self.reader.by_ref().bytes() {
            let byte = byte.map_err(fail)?;
            if document.is_empty() && byte.is_ascii_whitespace() {
                continue;
            }
            document.push(byte);
            if document.len() as u64 > LONGEST {
                return Err(Failure::report(format!("{}: a message is longer than 2^31-1 bytes", self.name)));
            }
            match byte {
                _ if escaped => escaped = false,
                b'\\' if in_string => escaped = true,
                b'"' => in_string = !in_string,
                b'{' | b'[' if !in_string => depth += 1,
                b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
                // A value without braces, as of a wrapper, ends with its line.
                b'\n' if !in_string && depth == 0 => break,
                _ => {}
            }
            if depth == 0 && !in_string && matches!(byte, b'}' | b']') {
                break;
            }
        }
        let found = !document.is_empty();
        self.count += u64::from(found);
        Ok(found.then_some(document))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let mut documents = Documents::new(text.as_bytes(), "x");
        let mut found = Vec::new();
        while let Some(document) = documents.next().unwrap() {
            found.push(String::from_utf8(document).unwrap());
        }
        found
    }

    #[test]
    fn documents_end_with_their_braces() {
        assert_eq!(
            all(" {} {\"a\":[{}]}\n\n{\n \"b\": \"}\\\"{\"\n}"),
            ["{}", "{\"a\":[{}]}", "{\n \"b\": \"}\\\"{\"\n}"]
        );
        assert_eq!(all("\"3s\"\n[1]"), ["\"3s\"\n", "[1]"]);
        assert_eq!(all(" \n"), [""; 0]);
        assert_eq!(all("{\"a\": 1"), ["{\"a\": 1"]);
    }
}
