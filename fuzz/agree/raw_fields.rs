//! Fields without a schema: walking agrees with the reader, and an edit changes what its path leads to and nothing else.

use super::case::Case;
use crate::common::choices::Choices;
use crate::common::payload::mutate;
use tablepb::raw::{RawFields, RawStep, RawValue};
use tablepb::wire::{Reader, WireType};

/// The first byte says whether the rest is a message as it stands.
pub fn check(input: &[u8]) {
    match input.split_first() {
        Some((1, rest)) if rest.len() > 4 => {
            let (decisions, message) = rest.split_at(4);
            all(message, &mut Choices::fuzzed(decisions));
        }
        _ => run(&mut Choices::fuzzed(input)),
    }
}

pub fn run(choices: &mut Choices) {
    let case = Case::new(choices);
    let mut message = case.payload(choices);
    if choices.once_in(4) {
        mutate(&mut message, choices);
    }
    all(&message, choices);
}

fn all(message: &[u8], choices: &mut Choices) {
    let valid = walk(message, 0);
    assert_eq!(valid, Reader::new(message).skip_message().is_ok(), "{message:02x?}");
    for _ in 0..4 {
        let path = path(message, choices);
        edit(message, &path, choices, valid);
    }
}

/// Whether all fields could be read; looks into what may be messages.
fn walk(message: &[u8], depth: u32) -> bool {
    let mut end = 0;
    for field in RawFields::new(message) {
        let Ok(field) = field else { return false };
        assert_eq!(field.offset(), end, "{message:02x?}");
        assert_eq!(field.span(), &message[end..end + field.span().len()]);
        end += field.span().len();
        let mut reader = Reader::new(field.span());
        let tag = reader.next_tag().expect("a tag").expect("a tag");
        assert_eq!(tag, field.tag());
        reader.skip_field(tag).expect("a field");
        assert_eq!(reader.remaining(), 0);
        if let Ok(Some(_)) = field.as_message()
            && depth < 8
        {
            let inner = walk(field.bytes(), depth + 1);
            assert!(inner || field.wire_type() != WireType::StartGroup, "{message:02x?}");
        }
    }
    assert_eq!(end, message.len());
    true
}

/// A path that exists more often than not.
fn path(message: &[u8], choices: &mut Choices) -> Vec<RawStep> {
    let mut path = Vec::new();
    let mut fields = RawFields::new(message);
    while path.len() < 6 {
        let list: Vec<_> = fields.clone().filter_map(Result::ok).collect();
        if list.is_empty() || choices.once_in(5) {
            break;
        }
        let number = if choices.once_in(12) { 77 } else { choices.pick(&list).number() };
        let step = if choices.once_in(3) { RawStep::nth(number, choices.below(3)) } else { number.into() };
        path.push(step);
        match fields.follow(&[step]).ok().flatten().and_then(|field| field.as_message().ok().flatten()) {
            Some(inner) => fields = inner,
            None => break,
        }
    }
    path
}

fn edit(message: &[u8], path: &[RawStep], choices: &mut Choices, valid: bool) {
    let bytes = vec![7; choices.below(300)];
    let value = match choices.below(5) {
        0 => RawValue::Varint(choices.bits()),
        1 => RawValue::Fixed32(choices.next()),
        2 => RawValue::Fixed64(choices.bits()),
        3 => RawValue::Group(b"\x08\x01\x13\x14"),
        _ => RawValue::LengthDelimited(&bytes),
    };
    let fields = RawFields::new(message);
    let before = b"before".to_vec();
    let mut out = before.clone();
    match fields.replace(path, value, &mut out) {
        Ok(true) => {
            let edited = &out[6..];
            let at = RawFields::new(edited).follow(path).expect("the way is valid").expect("it was replaced");
            assert_eq!(at.value(), value, "{path:?} in {message:02x?}");
            assert!(!valid || walk(edited, 0), "{path:?} in {message:02x?} gives {edited:02x?}");
            // Putting back what was there gives the message, if lengths are as short as can be.
            let old = fields.follow(path).expect("as before").expect("as before");
            let mut back = Vec::new();
            assert_eq!(RawFields::new(edited).replace(path, old.value(), &mut back), Ok(true));
            let again = RawFields::new(&back).follow(path).expect("as before").expect("as before");
            assert_eq!(again.value(), old.value());
        }
        Ok(false) => assert_eq!(out[6..], *message, "{path:?}"),
        Err(_) => assert_eq!(out, before),
    }
    let mut out = before.clone();
    match fields.remove(path, &mut out) {
        Ok(true) => assert!(out.len() < 6 + message.len()),
        Ok(false) => assert_eq!(out[6..], *message),
        Err(_) => assert_eq!(out, before),
    }
    let mut out = before.clone();
    match fields.append(path, 1 + choices.below(3000) as u32, value, &mut out) {
        // Only that may be shorter: a length that was longer than it need be.
        Ok(true) => assert!(!valid || walk(&out[6..], 0)),
        Ok(false) => assert_eq!(out[6..], *message),
        Err(_) => assert_eq!(out, before),
    }
}
