//! Structs without memory: every allocation of a decode fails once, which is an error and never an abort.
//!
//! Allocations without a fallible form in stable Rust are not tested: `Box<M>`, `BTreeMap`, the `Arc` of `Prepared`, and the
//! budget that `Lazy` members share, an `Arc`.

#![cfg(feature = "std")]

use crate::common::scarce::{sweep, with_failure, with_failure_sparing};
use std::collections::HashMap;
use tablepb::{
    DecodeError, DecodeErrorKind, DecodeOptions, EncodeErrorKind, EncodeOptions, EnumValue, Lazy, Message,
    SmallMap, UnknownFieldSet,
};

/// The size of the budget that lazy members share: two counts of an `Arc`, what is left, and the options.
const SHARED_BUDGET: usize = size_of::<[usize; 3]>() + size_of::<DecodeOptions>();

/// What comes of `run` if the allocation after so many fails, and whether one has.
fn without<T>(allocations: usize, run: impl FnOnce() -> T) -> (T, bool) {
    with_failure_sparing(allocations, SHARED_BUDGET, run)
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Color {
    Red = 0,
}

#[allow(clippy::large_enum_variant)]
#[derive(Debug, PartialEq)]
enum Choice {
    Number(i32),
    Text(String),
    Part(Part),
}

#[derive(Debug, Default, PartialEq)]
struct Part {
    text: String,
    parts: Vec<Part>,
    /// Makes it so large that it waits on the heap while it is merged.
    rest: [u64; 32],
}

#[derive(Debug, Default, PartialEq)]
struct Rich {
    text: String,
    blob: Vec<u8>,
    texts: Vec<String>,
    numbers: Vec<i64>,
    colors: Vec<EnumValue<Color>>,
    parts: Vec<Part>,
    table: HashMap<String, Part>,
    small: SmallMap<i32, String>,
    choice: Option<Choice>,
    option: Option<Part>,
    lazy: Lazy<Part>,
    lazies: Vec<Lazy<Part>>,
    #[cfg(feature = "bytes")]
    shared: bytes::Bytes,
    unknown: UnknownFieldSet,
}

tablepb::enumeration! { Color as "memory.Color" syntax "proto2" { Red = 0 } }

tablepb::message! {
    Part as "memory.Part" { text: string = 1, parts: repeated message Part = 2, rest: skip }
}

#[cfg(feature = "bytes")]
tablepb::message! {
    Rich as "memory.Rich" {
        text: string = 1,
        blob: bytes = 2,
        texts: repeated string = 3,
        numbers: repeated int64 = 4,
        colors: repeated enum Color = 5,
        parts: repeated message Part = 6,
        table: map<string, message Part> = 7,
        small: map<int32, string> = 8,
        choice: oneof Choice { Number as "number": int32 = 9, Text as "words": string = 10, Part as "part": message Part = 11 },
        option: message Part = 12,
        lazy: message Part = 13,
        lazies: repeated message Part = 14,
        shared: bytes = 15,
        unknown: unknown_fields,
    }
}

#[cfg(feature = "bytes")]
fn input() -> Vec<u8> {
    let part = b"\x0a\x03abc\x12\x00\x12\x03\x0a\x01x";
    let mut input = Vec::new();
    let mut writer = tablepb::wire::Writer::new(&mut input);
    let mut field = |number: u64, bytes: &[u8]| {
        writer.write_varint(number << 3 | 2);
        writer.write_length_delimited(bytes).unwrap();
    };
    let entry = [&b"\x0a\x01k\x12"[..], &[part.len() as u8], part].concat();
    for _ in 0..2 {
        for number in [1, 2, 3, 3, 10, 15] {
            field(number, b"some text");
        }
        for number in [6, 6, 11, 12, 13, 13, 14, 14] {
            field(number, part);
        }
        field(4, &[1, 2, 3, 4, 5, 6, 7, 8, 9]);
        field(5, &[0, 7, 0, 200, 1]);
        field(7, &entry);
        field(8, b"\x08\x01\x12\x02ab");
        field(100, b"unknown");
    }
    input
}

/// Reads what was put off.
#[cfg(feature = "bytes")]
fn read(rich: &Rich) -> Result<usize, DecodeError> {
    let mut parts = rich.lazy.get()?.parts.len();
    for lazy in &rich.lazies {
        parts += lazy.get()?.parts.len();
    }
    Ok(parts)
}

#[cfg(feature = "bytes")]
/// No memory, for the value or to keep what was decoded later.
fn short_of_memory(kind: DecodeErrorKind) -> bool {
    matches!(kind, DecodeErrorKind::OutOfMemory | DecodeErrorKind::BudgetExceeded)
}

#[test]
fn a_decode_without_memory_is_an_error() {
    let input = input();
    let whole = Rich::decode(&input).unwrap();
    let mut failed = 0;
    for allocations in 0.. {
        let (result, short) = without(allocations, || Rich::decode(&input));
        match result {
            Ok(rich) => assert!(!short && rich == whole, "{allocations}"),
            Err(error) => {
                assert!(short && short_of_memory(error.kind()), "{allocations}: {error}")
            }
        }
        if !short {
            break;
        }
        failed += 1;
    }
    assert!(failed > 60, "{failed}");
}

#[cfg(feature = "bytes")]
#[test]
fn a_merge_without_memory_leaves_a_valid_message() {
    let input = input();
    for allocations in 0.. {
        let mut rich = Rich::decode(&input[..20]).unwrap_or_default();
        let (result, short) = without(allocations, || rich.merge(&input));
        assert_eq!(result.is_err(), short, "{allocations}");
        // It can be used as it is: written, read, and merged into.
        let bytes = rich.encode_to_vec().unwrap();
        assert_eq!(Rich::decode(&bytes).unwrap().encoded_len(), bytes.len(), "{allocations}");
        rich.clear();
        rich.merge(&input).unwrap();
        assert_eq!((rich.texts.len(), read(&rich).unwrap()), (4, 16), "{allocations}");
        if !short {
            break;
        }
    }
}

#[cfg(feature = "bytes")]
#[test]
fn reading_what_was_put_off_without_memory_is_an_error() {
    let input = input();
    for allocations in 0.. {
        let rich = Rich::decode(&input).unwrap();
        let before = rich.encode_to_vec().unwrap();
        let (result, short) = without(allocations, || read(&rich));
        match result {
            Ok(parts) => assert!(!short && parts == 16),
            Err(error) => assert!(short && short_of_memory(error.kind()), "{error}"),
        }
        assert_eq!(rich.encode_to_vec().unwrap(), before);
        if !short {
            break;
        }
    }
}

/// By way of a dynamic message, if the way without one fails: then the failure of one allocation can go unnoticed.
#[cfg(feature = "bytes")]
#[test]
fn json_without_memory_is_an_error() {
    let json = r#"{"text":"some\ntext","blob":"AAECAwQFBgcICQ==","texts":["a","b","c","d","e"],"numbers":["1","2"],"parts":[{"text":"abc"},{}],"table":{"k":{"parts":[{}]},"l":{}},"small":{"1":"x","2":"y"},"part":{"text":"abc"},"option":{"parts":[{"text":"x"}]},"shared":"AAEC"}"#;
    let whole = tablepb::json::from_slice::<Rich>(json.as_bytes()).unwrap();
    let text = tablepb::json::to_string(&whole).unwrap();
    let (mut failed, mut errors) = (0, 0);
    for for_good in [false, true] {
        for allocations in 0.. {
            let (parsed, short) =
                with_failure(allocations, for_good, || tablepb::json::from_slice::<Rich>(json.as_bytes()));
            match parsed {
                Ok(rich) => assert_eq!(rich, whole, "{allocations}"),
                Err(_) => errors += usize::from(short),
            }
            if !short {
                break;
            }
            failed += 1;
        }
        for allocations in 0.. {
            let mut buffer = b"before".to_vec();
            let (printed, short) =
                with_failure(allocations, for_good, || tablepb::json::append(&mut buffer, &whole));
            match printed {
                Ok(()) => assert_eq!(&buffer[6..], text.as_bytes(), "{allocations}"),
                Err(_) => assert!(short && buffer == b"before"),
            }
            if !short {
                break;
            }
            failed += 1;
        }
    }
    assert!(failed > 40 && errors > 20, "{failed} {errors}");
}

#[derive(Debug, Default, PartialEq)]
struct Maps {
    table: HashMap<String, i32>,
    small: SmallMap<i32, i32>,
    inner: Option<Box<Maps>>,
}

tablepb::message! {
    Maps as "memory.Maps" {
        table: map<string, int32> = 1,
        small: map<int32, int32> = 2,
        inner: message Maps = 3,
    }
}

/// Putting the entries in the order of their keys took memory that ended the process.
#[test]
fn maps_in_the_order_of_their_keys_without_memory_are_an_error() {
    let maps = || Maps {
        table: (0..20).map(|n| (format!("key {n}"), n)).collect(),
        small: (0..30).rev().map(|n| (n, -n)).collect(),
        inner: None,
    };
    let message = Maps { inner: Some(Box::new(maps())), ..maps() };
    let options = EncodeOptions::new().deterministic(true);
    let mut expected = Vec::new();
    options.encode(&message, &mut expected).unwrap();
    assert_eq!(Maps::decode(&expected).unwrap(), message);
    for room in [0, 8 * expected.len()] {
        let failures = sweep(
            || {
                let mut buffer = b"before".to_vec();
                buffer.reserve(room);
                buffer
            },
            |buffer| options.encode(&message, buffer),
            |mut buffer, result, failed| {
                match result {
                    Ok(()) => assert!(!failed && buffer[6..] == expected),
                    Err(error) => {
                        assert!(failed && buffer == b"before");
                        assert_eq!(error.kind(), EncodeErrorKind::OutOfMemory, "{error}");
                    }
                }
                buffer.truncate(6);
                options.encode(&message, &mut buffer).unwrap();
                assert_eq!(buffer[6..], expected);
            },
        );
        // Two lists for each map, in the pass that sizes and in the one that writes.
        assert!(failures >= 2 * 2 * 2 * 4, "{failures}");
    }
}
