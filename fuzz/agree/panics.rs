//! Objects that live on: panics in the caller's code (iterators, closures, a `Buf`, a `CustomValue`, a sink) and allocations that
//! fail, each somewhere in a sequence of calls on one message, one decoder, one buffer and one struct. After each call they are whole.

use super::case::Case;
use super::valid::{self, PARTIAL, ROOMY};
use crate::common::choices::Choices;
use crate::common::scarce;
use bytes::Buf;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use tablepb::table::Kind;
use tablepb::visit::{Field, Sink, Step};
use tablepb::{CustomValue, Decoder, DynamicMessage, EncodeOptions, FieldDescriptor, Message, Value};

/// Calls that panicked, failed, and ended well.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tried {
    pub panicked: usize,
    pub failed: usize,
    pub done: usize,
}

pub fn check(input: &[u8]) -> Tried {
    run(&mut Choices::fuzzed(input))
}

/// What panics in the caller's code.
struct OnPurpose;

/// Counts down the calls of the caller's code; the last one panics.
#[derive(Clone, Copy)]
struct Fuse(usize);

impl Fuse {
    fn burn(&mut self) {
        if self.0 == 0 {
            // Unwinding allocates, and cannot say that it failed.
            scarce::no_more_failures();
            resume_unwind(Box::new(OnPurpose));
        }
        self.0 -= 1;
    }
}

/// One call, in which an allocation may fail and the caller's code may panic. Any other panic goes on.
fn attempt(choices: &mut Choices, tried: &mut Tried, call: impl FnOnce() -> bool) -> Option<bool> {
    // Most calls allocate a few times.
    let at = if choices.below(2) == 0 { usize::MAX } else { choices.below(8) };
    let for_good = choices.below(2) == 0;
    let (result, _) = scarce::with_failure(at, for_good, || catch_unwind(AssertUnwindSafe(call)));
    match result {
        Ok(done) => {
            *(if done { &mut tried.done } else { &mut tried.failed }) += 1;
            Some(done)
        }
        Err(panic) if panic.is::<OnPurpose>() => {
            tried.panicked += 1;
            None
        }
        Err(panic) => resume_unwind(panic),
    }
}

pub fn run(choices: &mut Choices) -> Tried {
    let mut tried = Tried::default();
    let case = Case::new(choices);
    let first = case.payload(choices);
    let Ok(mut message) = PARTIAL.decode_dynamic(&case.descriptor, &first) else {
        return tried;
    };
    let mut decoder = Decoder::new(&case.descriptor).with_options(PARTIAL);
    let mut buffer = Vec::new();
    let mut given = first.len();
    for _ in 0..12 {
        let input = case.any_payload(choices);
        let fuse = Fuse(choices.below(6));
        given += input.len() + 64;
        match choices.below(7) {
            0 => merged(&mut message, &input, fuse, choices, &mut tried),
            1 => decoded(&mut decoder, &input, fuse, choices, &mut tried),
            2 => visited(&mut decoder, &input, fuse, choices, &mut tried),
            3..6 => edited(&mut message, fuse, choices, &mut tried),
            _ => encoded(&message, &mut buffer, choices, &mut tried),
        }
        valid::message(&message, given);
        let mut new = Decoder::new(&case.descriptor).with_options(PARTIAL);
        match (decoder.decode(&input), new.decode(&input)) {
            (Ok(used), Ok(new)) => {
                assert!(used == new, "{used:?} by the one that lives on, {new:?} by a new one")
            }
            (used, new) => assert_eq!(used.map(drop).is_ok(), new.map(drop).is_ok(), "{input:02x?}"),
        }
        if message.encoded_len() > 1 << 13 {
            message.clear();
            given = 0;
        }
    }
    let bytes = valid::encoded(&message);
    message.clear();
    ROOMY.merge(&mut message, &bytes).expect("it was encoded");
    assert!(message == ROOMY.decode_dynamic(&case.descriptor, &bytes).expect("it was encoded"));
    structs(choices, &mut tried);
    tried
}

/// Bytes in chunks of seven; asking for one too many panics.
struct Chunks<'i>(&'i [u8], std::cell::Cell<Fuse>);

impl Buf for Chunks<'_> {
    fn remaining(&self) -> usize {
        self.0.len()
    }

    fn chunk(&self) -> &[u8] {
        let mut fuse = self.1.get();
        fuse.burn();
        self.1.set(fuse);
        &self.0[..self.0.len().min(7)]
    }

    fn advance(&mut self, count: usize) {
        self.0 = &self.0[count..];
    }
}

fn merged(message: &mut DynamicMessage, input: &[u8], fuse: Fuse, choices: &mut Choices, tried: &mut Tried) {
    let chunks = Chunks(input, fuse.into());
    attempt(choices, tried, || message.merge_buf(chunks).is_ok());
}

fn decoded(decoder: &mut Decoder, input: &[u8], fuse: Fuse, choices: &mut Choices, tried: &mut Tried) {
    let chunks = Chunks(input, fuse.into());
    let decoded = attempt(choices, tried, || decoder.decode_buf(chunks).is_ok());
    if decoded == Some(true) {
        assert!(decoder.decode(input).is_ok());
    }
}

/// Panics in the midst of what is visited.
struct Events(Fuse);

impl<'i> Sink<'i> for Events {
    fn begin(&mut self, _: Field<'_>) -> Step {
        self.0.burn();
        Step::Enter
    }

    fn end(&mut self, _: Field<'_>) {
        self.0.burn();
    }

    fn u64(&mut self, _: Field<'_>, _: u64) {
        self.0.burn();
    }

    fn str(&mut self, _: Field<'_>, value: &'i str) {
        assert!(std::str::from_utf8(std::hint::black_box(value.as_bytes())).is_ok());
        self.0.burn();
    }

    fn i32s(&mut self, _: Field<'_>, _: &[i32]) {
        self.0.burn();
    }
}

fn visited(decoder: &mut Decoder, input: &[u8], fuse: Fuse, choices: &mut Choices, tried: &mut Tried) {
    attempt(choices, tried, || decoder.visit(input, &mut Events(fuse)).is_ok());
}

/// Values made beforehand, since making one takes memory too; one too many panics.
fn values(field: &FieldDescriptor) -> Option<Vec<Value>> {
    let value = |i: u32| match field.kind() {
        Kind::String => Some(Value::String("text ".repeat(200 * i as usize))),
        Kind::Bytes => Some(Value::Bytes(vec![0xff; 1000 * i as usize])),
        Kind::Bool => Some(Value::Bool(i & 1 == 1)),
        Kind::Fixed64 | Kind::Uint64 => Some(Value::U64(u64::MAX << i)),
        Kind::Fixed32 | Kind::Uint32 => Some(Value::U32(i)),
        Kind::Message(message) => Some(Value::Message(DynamicMessage::new(&message))),
        _ => None,
    };
    (1..9).map(value).collect()
}

fn edited(message: &mut DynamicMessage, fuse: Fuse, choices: &mut Choices, tried: &mut Tried) {
    let fields: Vec<FieldDescriptor> =
        message.descriptor().fields().filter(|field| field.is_list() || field.is_map()).collect();
    if fields.is_empty() {
        return;
    }
    let (field, mut fuse, bits) = (choices.pick(&fields), fuse, choices.next());
    let before = message.clone();
    // Which are kept follows from a number.
    let kept = move |index: usize| bits >> (index & 31) & 1 == 1;
    let mut index = 0;
    let mut keep = move || {
        fuse.burn();
        index += 1;
        kept(index)
    };
    let way = choices.below(3);
    let result = if field.is_map() {
        attempt(choices, tried, || message.as_mut().retain_entries(field, |_, _| keep()).is_ok())
    } else if way == 0 {
        attempt(choices, tried, || message.as_mut().retain(field, |_| keep()).is_ok())
    } else {
        let Some(values) = values(field) else { return };
        let mut values = values.into_iter().inspect(|_| fuse.burn());
        let extended = attempt(choices, tried, || message.extend(field, &mut values).is_ok());
        // Elements before the one that panicked may be there; other fields are as before.
        for other in before.descriptor().fields().filter(|other| other != field) {
            let (now, then) = (message.get(&other), before.get(&other));
            assert!(now == then || format!("{now:?}") == format!("{then:?}"), "{}", other.full_name());
        }
        assert!(extended != Some(false) || alike(message, &before), "extend failed and left something");
        extended.map(|_| true)
    };
    if result == Some(true) && (field.is_map() || way == 0) {
        let expected = (1..=len(&before, field)).filter(|&index| kept(index)).count();
        assert_eq!(len(message, field), expected, "{}", field.full_name());
    }
    let change = field.full_name();
    if result != Some(true) && (field.is_map() || way == 0) {
        assert!(
            alike(message, &before),
            "{change}: {message:?} after a call that failed, and was {before:?}"
        );
    }
}

fn len(message: &DynamicMessage, field: &FieldDescriptor) -> usize {
    let value = message.get_field(field).unwrap();
    value.as_list().map_or(0, |list| list.len()) + value.as_map().map_or(0, |map| map.len())
}

fn alike(a: &DynamicMessage, b: &DynamicMessage) -> bool {
    a == b || format!("{a:?}") == format!("{b:?}")
}

fn encoded(message: &DynamicMessage, buffer: &mut Vec<u8>, choices: &mut Choices, tried: &mut Tried) {
    let before = buffer.clone();
    buffer.shrink_to(before.len() + choices.below(32));
    let options =
        EncodeOptions::new().allow_partial(true).max_depth(400).deterministic(choices.below(2) == 0);
    let encoded = attempt(choices, tried, || options.encode(message, buffer).is_ok());
    assert!(buffer.starts_with(&before));
    match encoded {
        Some(true) => assert_eq!(buffer.len(), before.len() + message.encoded_len()),
        _ => assert_eq!(buffer.len(), before.len(), "an encode that failed has left something"),
    }
    buffer.truncate(choices.below(64));
}

thread_local! {
    static FUSE: std::cell::Cell<Fuse> = const { std::cell::Cell::new(Fuse(usize::MAX)) };
}

fn burn() {
    let mut fuse = FUSE.get();
    fuse.burn();
    FUSE.set(fuse);
}

/// Panics when it is converted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Touchy(u32);

impl CustomValue for Touchy {
    type Encoded<'a> = u32;

    fn to_encoded(&self) -> u32 {
        burn();
        self.0
    }

    fn from_encoded(number: u32) -> Option<Self> {
        burn();
        (number % 7 != 6).then_some(Self(number))
    }

    fn unset() -> Self {
        Self(0)
    }
}

/// Without a `Box`, whose allocation cannot be an error.
#[derive(Clone, Debug, Default, PartialEq)]
struct Part {
    name: String,
    touchy: Touchy,
    touchies: Vec<Touchy>,
    parts: Vec<Part>,
}

tablepb::message! { Part as "panics.Part" {
    name: string = 1,
    touchy: custom uint32 = 2,
    touchies: repeated custom uint32 = 3,
    parts: repeated message Part = 5,
} }

/// Encodes, decodes and merges structs whose members panic.
fn structs(choices: &mut Choices, tried: &mut Tried) {
    let mut whole = Part { name: "whole".into(), ..Part::default() };
    for level in 0..choices.below(4) {
        let touchies = (0..choices.below(4)).map(|n| Touchy(7 * n as u32)).collect();
        let inner = std::mem::take(&mut whole);
        let name = "n".repeat(40 * level);
        whole = Part { name, touchy: Touchy(8), touchies, parts: vec![inner; level] };
    }
    let bytes = whole.encode_to_vec().expect("nothing panics yet");
    let (mut merged, mut buffer) = (Part::default(), b"before".to_vec());
    for _ in 0..8 {
        FUSE.set(Fuse(choices.below(12)));
        let start = buffer.len();
        match choices.below(3) {
            0 => {
                let done = attempt(choices, tried, || whole.encode(&mut buffer).is_ok());
                let added = &buffer[start..];
                assert!(if done == Some(true) { added == bytes } else { added.is_empty() });
            }
            1 => {
                merged = Part::default();
                let done = attempt(choices, tried, || merged.merge(&bytes).is_ok());
                assert!(done != Some(true) || merged == whole);
            }
            _ => {
                let mut decoded = None;
                attempt(choices, tried, || {
                    decoded = Part::decode(&bytes).ok();
                    decoded.is_some()
                });
                assert!(decoded.is_none_or(|decoded| decoded == whole));
            }
        }
        FUSE.set(Fuse(usize::MAX));
        let again = merged.encode_to_vec().expect("nothing panics now");
        assert_eq!(Part::decode(&again).expect("it was encoded"), merged);
    }
}
