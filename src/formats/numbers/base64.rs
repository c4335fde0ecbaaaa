//! Base64, by tables: written with the standard alphabet and padding; read with either alphabet, padded or not.

use super::TextOut;
use alloc::vec::Vec;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Two characters for every twelve bits.
static PAIRS: [[u8; 2]; 4096] = {
    let mut pairs = [[0; 2]; 4096];
    let mut i = 0;
    while i < 4096 {
        pairs[i] = [ALPHABET[i >> 6], ALPHABET[i & 63]];
        i += 1;
    }
    pairs
};

/// Set where a character is not base64.
const BAD: u32 = 1 << 31;

/// The six bits of every character of either alphabet, where the first to fourth character of four have them.
static BITS: [[u32; 256]; 4] = {
    let mut bits = [[BAD; 256]; 4];
    let mut i = 0;
    while i < 64 {
        let mut place = 0;
        while place < 4 {
            let value = (i as u32) << (18 - 6 * place);
            bits[place][ALPHABET[i] as usize] = value;
            match i {
                62 => bits[place][b'-' as usize] = value,
                63 => bits[place][b'_' as usize] = value,
                _ => {}
            }
            place += 1;
        }
        i += 1;
    }
    bits
};

fn pair(bits: u32) -> [u8; 2] {
    PAIRS.get(bits as usize & 4095).copied().unwrap_or_default()
}

/// Prints bytes.
pub(crate) fn encode(out: &mut TextOut<'_>, bytes: &[u8]) {
    let (blocks, rest) = bytes.as_chunks::<12>();
    for block in blocks {
        let text = out.window::<16>();
        for (three, four) in block.as_chunks::<3>().0.iter().zip(text.as_chunks_mut::<4>().0) {
            *four = quantum(*three);
        }
        out.advance(16);
    }
    let (threes, rest) = rest.as_chunks::<3>();
    for three in threes {
        out.array(&quantum(*three));
    }
    match *rest {
        [a] => {
            let [first, second, ..] = quantum([a, 0, 0]);
            out.array(&[first, second, b'=', b'=']);
        }
        [a, b] => {
            let [first, second, third, _] = quantum([a, b, 0]);
            out.array(&[first, second, third, b'=']);
        }
        _ => {}
    }
}

#[inline(always)]
fn quantum([a, b, c]: [u8; 3]) -> [u8; 4] {
    let bits = u32::from_be_bytes([0, a, b, c]);
    let ([first, second], [third, fourth]) = (pair(bits >> 12), pair(bits));
    [first, second, third, fourth]
}

/// The 24 bits that four characters stand for.
#[inline(always)]
fn bits_of(quantum: [u8; 4]) -> u32 {
    let mut bits = 0;
    for (table, byte) in BITS.iter().zip(quantum) {
        bits |= table.get(usize::from(byte)).copied().unwrap_or(BAD);
    }
    bits
}

/// Appends the bytes that `text` stands for; room for three quarters of it has been reserved. Gives false if it is not base64, and
/// then what was appended is of no use.
pub(crate) fn decode(text: &[u8], out: &mut Vec<u8>) -> bool {
    let text = match text {
        [unpadded @ .., b'=', b'='] | [unpadded @ .., b'='] if text.len().is_multiple_of(4) => unpadded,
        text => text,
    };
    let (quanta, rest) = text.as_chunks::<4>();
    let start = out.len();
    out.resize(start + 3 * quanta.len(), 0);
    let (threes, _) = out.get_mut(start..).unwrap_or_default().as_chunks_mut::<3>();
    let mut all = 0;
    for (quantum, three) in quanta.iter().zip(threes) {
        let bits = bits_of(*quantum);
        all |= bits;
        let [_, first, second, third] = bits.to_be_bytes();
        *three = [first, second, third];
    }
    // What is missing counts as zeros.
    let (last, len) = match *rest {
        [] => (0, 0),
        [a, b] => (bits_of([a, b, b'A', b'A']), 1),
        [a, b, c] => (bits_of([a, b, c, b'A']), 2),
        _ => return false,
    };
    let [_, bytes @ ..] = last.to_be_bytes();
    out.extend_from_slice(bytes.get(..len).unwrap_or_default());
    (all | last) & BAD == 0
}

// Paths of field masks: `foo_bar.baz` in a message, `fooBar.baz` in JSON.

/// Prints the paths of a field mask in lowerCamelCase, with commas between them; false if one of them cannot be written so.
pub(crate) fn camel_paths<'p>(out: &mut TextOut<'_>, paths: impl Iterator<Item = &'p [u8]>) -> bool {
    paths.enumerate().all(|(index, path)| {
        if index > 0 {
            out.byte(b',');
        }
        camel_path(out, path)
    })
}

/// Prints a path in camelCase; false, and nothing is of use, if it would not come back.
fn camel_path(out: &mut TextOut<'_>, path: &[u8]) -> bool {
    let mut capital = false;
    for &byte in path {
        let letter = match (capital, byte) {
            (false, b'_') => {
                capital = true;
                continue;
            }
            (true, b'a'..=b'z') => byte.to_ascii_uppercase(),
            (false, b'a'..=b'z' | b'0'..=b'9' | b'.') => byte,
            _ => return false,
        };
        capital = false;
        out.byte(letter);
    }
    !capital
}

/// Appends a path from JSON in snake_case; room for twice its length has been reserved. False if it is no path.
pub(crate) fn snake_path(path: &[u8], out: &mut Vec<u8>) -> bool {
    for &byte in path {
        match byte {
            b'A'..=b'Z' => out.extend_from_slice(&[b'_', byte.to_ascii_lowercase()]),
            b'a'..=b'z' | b'0'..=b'9' | b'.' => out.push(byte),
            _ => return false,
        }
    }
    true
}

// The URL that says which message type is in a `google.protobuf.Any`.

/// The name of the type that a URL ends with, for JSON and text format: as in C++, something must stand before the last slash.
pub(crate) fn type_in_url(url: &[u8]) -> Option<&str> {
    let slash = url.iter().rposition(|&byte| byte == b'/').filter(|&slash| slash > 0)?;
    let name = core::str::from_utf8(url.get(slash + 1..)?).ok()?;
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(bytes: &[u8]) -> Vec<u8> {
        let mut buffer = Vec::new();
        let mut out = TextOut::new(&mut buffer);
        encode(&mut out, bytes);
        out.finish().unwrap();
        buffer
    }

    fn decoded(text: &[u8]) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        decode(text, &mut bytes).then_some(bytes)
    }

    #[test]
    fn the_vectors_of_rfc_4648() {
        let vectors: [(&str, &str); 7] = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, text) in vectors {
            assert_eq!(encoded(plain.as_bytes()), text.as_bytes());
            assert_eq!(decoded(text.as_bytes()).as_deref(), Some(plain.as_bytes()));
            assert_eq!(decoded(text.trim_end_matches('=').as_bytes()).as_deref(), Some(plain.as_bytes()));
        }
        assert_eq!(decoded(b"-_"), decoded(b"+/"));
        assert_eq!(decoded(b"-_"), Some(alloc::vec![0xfb]));
    }

    #[test]
    fn what_is_no_base64_is_refused() {
        for text in [
            "A", "AAAAA", "=", "==", "A=", "A==", "AAA==", "AAAA=", "AAAA==", "AA=A", "A A=", "AA\u{e9}",
            "!AAA",
        ] {
            assert_eq!(decoded(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn all_lengths_come_back() {
        let bytes: Vec<u8> = (0..100u32).map(|i| (i * 37 + i * i) as u8).collect();
        for len in 0..bytes.len() {
            let text = encoded(&bytes[..len]);
            assert_eq!(text.len(), len.div_ceil(3) * 4);
            assert_eq!(decoded(&text).as_deref(), Some(&bytes[..len]));
        }
    }
}

#[cfg(test)]
mod mask_tests {
    use super::*;

    #[test]
    fn paths_both_ways() {
        let camel = |path: &str| {
            let mut buffer = Vec::new();
            let mut out = TextOut::new(&mut buffer);
            let fits = camel_path(&mut out, path.as_bytes());
            out.finish().unwrap();
            fits.then(|| alloc::string::String::from_utf8(buffer).unwrap())
        };
        let snake = |path: &str| {
            let mut out = Vec::new();
            snake_path(path.as_bytes(), &mut out).then(|| alloc::string::String::from_utf8(out).unwrap())
        };
        for (own, json) in [("foo_bar", "fooBar"), ("a.b_c.d1", "a.bC.d1"), ("", ""), ("f_o_o", "fOO")] {
            assert_eq!(camel(own).as_deref(), Some(json));
            assert_eq!(snake(json).as_deref(), Some(own));
        }
        for own in ["fooBar", "foo__bar", "foo_3", "foo_", "foo_.b", "a\"b", "a,b"] {
            assert_eq!(camel(own), None, "{own}");
        }
        for json in ["foo_bar", "foo-bar", "foo bar", "\u{e9}"] {
            assert_eq!(snake(json), None, "{json}");
        }
    }
}
