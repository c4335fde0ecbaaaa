//! Strings as JSON has them: eight bytes at a time as long as nothing is escaped.

use crate::formats::numbers::TextOut;

const ONES: u64 = u64::MAX / 0xff;
const HIGH: u64 = ONES << 7;

/// Bit 7 of each byte that a JSON string escapes: control characters, `"` and `\`. Exact up to the first such byte; those after it
/// may be marked for no reason, because the subtractions carry.
#[inline(always)]
pub(super) fn special(word: u64) -> u64 {
    let quote = (word ^ (ONES * b'"' as u64)).wrapping_sub(ONES);
    let slash = (word ^ (ONES * b'\\' as u64)).wrapping_sub(ONES);
    (word.wrapping_sub(ONES * b' ' as u64) | quote | slash) & !word & HIGH
}

/// Strings up to this length are copied and looked at as a whole.
const WINDOW: usize = 32;
/// Longer ones are looked at in blocks of so many bytes.
const BLOCK: usize = 64;

/// Whether a JSON string escapes a byte. Without a branch, so that loops over it become vector instructions.
#[inline(always)]
fn is_special(byte: u8) -> bool {
    (byte < b' ') | (byte == b'"') | (byte == b'\\')
}

/// Whether one of the first `len` bytes of a window is escaped; `len` is at most [`WINDOW`]. No branch depends on it.
#[inline(always)]
fn has_special(window: &[u8; WINDOW], len: usize) -> bool {
    /// From `WINDOW - len` on: `len` bytes that count, and zeros.
    const MASKS: [u8; 2 * WINDOW] = {
        let mut masks = [0; 2 * WINDOW];
        let mut i = 0;
        while i < WINDOW {
            masks[i] = 0xff;
            i += 1;
        }
        masks
    };
    let masks = MASKS.get(WINDOW.wrapping_sub(len)..).and_then(|masks| masks.first_chunk::<WINDOW>());
    let Some(mask) = masks else { return true };
    let special = |byte: &u8| if is_special(*byte) { 0xff } else { 0 };
    window.iter().zip(mask).fold(0, |found, (byte, mask)| found | (special(byte) & mask)) != 0
}

/// The first position from `at` on that a JSON string escapes; the length of `bytes` if there is none.
///
/// ```text
/// two words, in which most strings end; then block after block that has nothing to find, and words again
/// ```
#[inline]
pub(super) fn special_from(bytes: &[u8], mut at: usize) -> usize {
    let mut words = 2;
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let found = special(u64::from_le_bytes(*chunk));
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
        words -= 1;
        if words == 0 {
            at = plain_blocks(bytes, at);
            words = BLOCK / 8;
        }
    }
    let special = bytes.get(at..).unwrap_or_default().iter().position(|byte| is_special(*byte));
    special.map_or(bytes.len(), |place| at + place)
}

/// Where the first block from `at` on begins that has something to escape, or is not whole.
#[inline(never)]
fn plain_blocks(bytes: &[u8], at: usize) -> usize {
    let (blocks, _) = bytes.get(at..).unwrap_or_default().as_chunks::<BLOCK>();
    let has = |block: &[u8; BLOCK]| block.iter().fold(false, |found, byte| found | is_special(*byte));
    at + BLOCK * blocks.iter().position(has).unwrap_or(blocks.len())
}

/// The first position from `at` on that a JSON string escapes, if it is before `end`.
#[inline]
pub(super) fn find_special(bytes: &[u8], at: usize, end: usize) -> Option<usize> {
    let part = bytes.get(..end).unwrap_or(bytes);
    Some(special_from(part, at)).filter(|position| *position < part.len())
}

/// Prints the first `len` bytes of `rest`, which are UTF-8, as a JSON string.
#[inline]
pub(super) fn put(out: &mut TextOut<'_>, rest: &[u8], len: usize) {
    if let Some(text) = rest.first_chunk::<WINDOW>()
        && len <= WINDOW
        && !has_special(text, len)
    {
        let window = out.window::<{ WINDOW + 2 }>();
        let [quote, place @ ..] = window;
        *quote = b'"';
        if let Some(place) = place.first_chunk_mut() {
            *place = *text;
        }
        if let Some(quote) = window.get_mut(len + 1) {
            *quote = b'"';
        }
        return out.advance(len + 2);
    }
    put_long(out, rest.get(..len).unwrap_or(rest));
}

/// Prints text that may have no bytes after it.
///
/// Up to [`WINDOW`] bytes are loaded as two halves that overlap unless the length is a power of two.
#[inline]
pub(crate) fn put_whole(out: &mut TextOut<'_>, text: &[u8]) {
    let len = text.len();
    if len > WINDOW {
        return put_long(out, text);
    }
    let window = out.window::<{ WINDOW + 2 }>();
    let [quote, place @ ..] = window;
    *quote = b'"';
    let found = match len {
        16.. => put_halves::<16>(place, text, |half| {
            let (words, _) = half.as_chunks::<8>();
            words.iter().fold(0, |found, word| found | special(u64::from_le_bytes(*word)))
        }),
        8.. => put_halves::<8>(place, text, |half| special(u64::from_le_bytes(*half))),
        4.. => put_halves::<4>(place, text, |half| {
            let [a, b, c, d] = *half;
            special(u64::from_le_bytes([a, b, c, d, a, b, c, d]))
        }),
        _ => {
            let mut word = ONES * b' ' as u64;
            for (at, byte) in text.iter().enumerate() {
                word ^= u64::from(byte ^ b' ') << (8 * at);
            }
            if let Some(place) = place.first_chunk_mut() {
                *place = word.to_le_bytes();
            }
            special(word)
        }
    };
    if found != 0 {
        return put_long(out, text);
    }
    if let Some(quote) = window.get_mut(len + 1) {
        *quote = b'"';
    }
    out.advance(len + 2);
}

/// Copies text of `N` to `2 * N` bytes as its first and its last `N` bytes, and looks at both.
#[inline(always)]
fn put_halves<const N: usize>(
    place: &mut [u8; WINDOW + 1],
    text: &[u8],
    look: impl Fn(&[u8; N]) -> u64,
) -> u64 {
    let (Some(first), Some(last)) = (text.first_chunk::<N>(), text.last_chunk::<N>()) else { return 1 };
    if let Some(place) = place.first_chunk_mut() {
        *place = *first;
    }
    if let Some(place) = place.get_mut(text.len() - N..).and_then(|rest| rest.first_chunk_mut()) {
        *place = *last;
    }
    look(first) | look(last)
}

/// Prints any text.
#[inline(never)]
fn put_long(out: &mut TextOut<'_>, text: &[u8]) {
    out.byte(b'"');
    match find_special(text, 0, text.len()) {
        None => out.slice(text),
        Some(first) => put_escaped(out, text, first),
    }
    out.byte(b'"');
}

/// Prints text of which the byte at `first` is the first to be escaped.
#[inline(never)]
fn put_escaped(out: &mut TextOut<'_>, text: &[u8], first: usize) {
    let (mut from, mut special) = (0, Some(first));
    while let Some(at) = special {
        out.slice(text.get(from..at).unwrap_or_default());
        put_escape(out, text.get(at).copied().unwrap_or_default());
        from = at + 1;
        special = find_special(text, from, text.len());
    }
    out.slice(text.get(from..).unwrap_or_default());
}

fn put_escape(out: &mut TextOut<'_>, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let letter = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        _ => {
            let digit = |bits: u8| HEX.get(usize::from(bits & 15)).copied().unwrap_or_default();
            return out.array(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte)]);
        }
    };
    out.array(&[b'\\', letter]);
}

/// Prints bytes, replacing invalid UTF-8 by U+FFFD, as C++ does.
#[cold]
#[inline(never)]
pub(super) fn put_lossy(out: &mut TextOut<'_>, bytes: &[u8]) {
    out.byte(b'"');
    for chunk in bytes.utf8_chunks() {
        let text = chunk.valid().as_bytes();
        match find_special(text, 0, text.len()) {
            None => out.slice(text),
            Some(first) => put_escaped(out, text, first),
        }
        if !chunk.invalid().is_empty() {
            out.slice("\u{fffd}".as_bytes());
        }
    }
    out.byte(b'"');
}

/// Four hexadecimal digits.
fn hex4(text: &[u8]) -> Option<u32> {
    text.first_chunk::<4>()?
        .iter()
        .try_fold(0, |value, &byte| Some(value << 4 | char::from(byte).to_digit(16)?))
}

/// The character that an escape at the start of `rest` stands for, and the length of the escape; the backslash is its first byte.
pub(super) fn unescape(rest: &[u8]) -> Option<(char, usize)> {
    let simple = match *rest.get(1)? {
        byte @ (b'"' | b'\\' | b'/') => char::from(byte),
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'u' => return unescape_unicode(rest),
        _ => return None,
    };
    Some((simple, 2))
}

/// The character that a `\u` escape gives, and the length of the escape: 12 for a surrogate pair.
fn unescape_unicode(rest: &[u8]) -> Option<(char, usize)> {
    let first = hex4(rest.get(2..)?)?;
    if !(0xd800..0xe000).contains(&first) {
        return Some((char::from_u32(first)?, 6));
    }
    let [b'\\', b'u', second @ ..] = rest.get(6..)? else { return None };
    let second = hex4(second)?;
    if first >= 0xdc00 || !(0xdc00..0xe000).contains(&second) {
        return None;
    }
    let value = 0x1_0000 + ((first - 0xd800) << 10 | (second - 0xdc00));
    Some((char::from_u32(value)?, 12))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{string::String, vec, vec::Vec};

    fn printed(text: &[u8]) -> String {
        let mut buffer = Vec::new();
        let mut out = TextOut::new(&mut buffer);
        put(&mut out, text, text.len());
        out.finish().unwrap();
        String::from_utf8(buffer).unwrap()
    }

    #[test]
    fn every_byte_at_every_place() {
        for byte in 0..=0x7fu8 {
            for at in 0..20 {
                let mut text = vec![b'x'; 20];
                text[at] = byte;
                let escaped = byte < b' ' || byte == b'"' || byte == b'\\';
                assert_eq!(find_special(&text, 0, 20), escaped.then_some(at));
                assert_eq!(find_special(&text, 0, at), None);
                let json = printed(&text);
                let mut back = Vec::new();
                crate::formats::json::parse::scan::unescape_to(
                    &json.as_bytes()[1..json.len() - 1],
                    &mut back,
                );
                assert_eq!(back, text);
                assert_eq!(json.len() > 22, escaped);
            }
        }
        assert_eq!(printed("\"\\\n\u{1}é\u{10ffff}".as_bytes()), "\"\\\"\\\\\\n\\u0001é\u{10ffff}\"");
    }

    /// Every length around the widths of words, windows and blocks, with and without bytes after the text.
    #[test]
    fn every_length_and_every_place_of_an_escape() {
        let plain: Vec<u8> = (0..160u8).map(|i| b'a' + i % 26).collect();
        let step = if cfg!(miri) { 23 } else { 1 };
        for len in (0..=140).step_by(step) {
            for special in [None, Some(b'"'), Some(b'\\'), Some(0), Some(0x1f), Some(0x7f), Some(b' ')] {
                for at in (0..len).step_by(step).chain([len]) {
                    let mut text = plain.clone();
                    // With `at == len` the special byte lies past the end and must not be found.
                    if let Some(byte) = special {
                        text[at] = byte;
                    }
                    let is = |byte: &u8| *byte < b' ' || matches!(byte, b'"' | b'\\');
                    let first = text.iter().position(is).unwrap_or(text.len());
                    assert_eq!(special_from(&text, 0), first);
                    assert_eq!(special_from(&text[..len], 0), first.min(len));
                    assert_eq!(find_special(&text, 0, len), (first < len).then_some(first));
                    if let Some(window) = text.first_chunk()
                        && len <= WINDOW
                    {
                        assert_eq!(has_special(window, len), first < len);
                    }
                    let mut buffer = Vec::new();
                    let mut out = TextOut::new(&mut buffer);
                    put(&mut out, &text, len);
                    put(&mut out, &text[..len], len);
                    put_whole(&mut out, &text[..len]);
                    out.finish().unwrap();
                    let once = printed(&text[..len]);
                    assert_eq!(String::from_utf8(buffer).unwrap(), once.repeat(3));
                    assert_eq!(once.len() > len + 2, first < len);
                }
            }
        }
    }

    #[test]
    fn escapes_and_surrogates() {
        for (text, expected) in [
            (r"\n", Some(('\n', 2))),
            (r"\u0041", Some(('A', 6))),
            (r"\ud83d\ude00", Some(('\u{1f600}', 12))),
            (r"\uDBFF\uDFFF", Some(('\u{10ffff}', 12))),
            (r"\ud83d", None),
            (r"\ude00", None),
            (r"\ude00\ud83d", None),
            (r"\ud83dx\ude0", None),
            (r"\ud83d\u0041", None),
            (r"\u12", None),
            (r"\u12g4", None),
            (r"\u+123", None),
            (r"\x", None),
            (r"\", None),
        ] {
            assert_eq!(unescape(text.as_bytes()), expected, "{text}");
        }
    }
}
