//! Broken text: every cut and every bit flip of samples, and what repeats a million times.

use crate::agree::valid;
use crate::common::text_schema::pool;

const SAMPLES: [&str; 3] = [
    "i32: -0x1F i64: 017 u32: 1; flag: t, single: .5f double: -inf text: 'a' \"\\u00e9\\377\" color: BLUE # c\nchild < ints: [1, 2] >",
    "children [{}, <i32:1>] by_name{value{} key:'k'} by_id{key:1 value:inf} by_id{key:1} one_child{} MyGroup{x:1} Groups{} i32: 5",
    "[t.ext]:5 [t . exts]:['a'] any{[a/b%2f/t.All]{set{[t.Item]{x:1}}}} gone:[1,{a:2}] Left{} open{color:77 text:'\u{e9}'}",
];

/// Whether a merge into a message that has something is accepted; afterwards it is valid, and takes what is right.
fn merge(text: &str) -> bool {
    let all = pool().message("t.All").unwrap();
    let mut message =
        tablepb::text::message_from_str(&all, "i32: 1 by_id { key: 1 } children { text: 'x' }").unwrap();
    let result = tablepb::text::merge_from_str(&mut message, text);
    valid::message(&message, 100 + text.len());
    if let Err(error) = &result {
        assert!(error.offset() <= text.len() && !error.to_string().is_empty());
    }
    tablepb::text::merge_from_str(&mut message, SAMPLES[1]).unwrap();
    assert_eq!(message.get_field("i32").unwrap().as_i32(), Some(5));
    let fresh = tablepb::text::message_from_str(&all, text);
    assert_eq!(fresh.is_ok(), result.is_ok(), "{text}");
    result.is_ok()
}

#[test]
fn every_cut_of_a_sample() {
    for sample in SAMPLES {
        let ends = (0..sample.len()).filter(|&end| sample.is_char_boundary(end));
        let accepted = ends.filter(|&end| merge(&sample[..end])).count();
        // A text may be cut between fields.
        assert!((3..40).contains(&accepted), "{accepted}");
    }
}

#[test]
fn every_bit_flip_of_a_sample() {
    let (mut accepted, mut tried) = (0, 0);
    for sample in SAMPLES {
        for at in 0..sample.len() {
            for bit in 0..7 {
                let mut bytes = sample.as_bytes().to_vec();
                bytes[at] ^= 1 << bit;
                // What is no UTF-8 is no `str`.
                let Ok(text) = String::from_utf8(bytes) else { continue };
                tried += 1;
                accepted += usize::from(merge(&text));
            }
        }
    }
    assert!(accepted > tried / 20 && accepted < tried / 2, "{accepted} of {tried}");
}

#[test]
#[ignore = "long without optimisation"]
fn a_million_of_everything() {
    let all = pool().message("t.All").unwrap();
    for part in [
        "by_id{key:1}",
        "by_id{}",
        "''",
        "text:''",
        "{",
        "child{",
        "[",
        "[[",
        "<",
        "i32:",
        "ints:[",
        "ints:1 ",
        "gone{",
        "gone:[",
        "\\",
        "#\n",
        "9",
        "[t.ext]",
        "any{[a/t.All]{",
    ] {
        for start in ["", "text:", "double:1e", "child", "ints:[1", "gone:"] {
            let text = format!("{start}{}", part.repeat(1_000_000));
            let result = tablepb::text::message_from_str(&all, &text);
            if let Ok(message) = result {
                valid::message(&message, text.len());
            }
        }
    }
}
