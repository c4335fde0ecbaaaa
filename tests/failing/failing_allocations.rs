//! Memory that is refused: each operation with its k-th allocation failing, for every k, alone and with all that
//! follow. It ends with an error or with the right result, never with an abort, and what it worked on can be used
//! again.
//!
//! An abort takes the process with it, so every operation runs in a process of its own, which says how far it got.

use crate::agree::valid;
use crate::common::attempts::{self, Attempt};
use crate::common::bridge::descriptor;
use crate::common::samples::{self, rich_payload};
use crate::common::scarce::with_failure;
use crate::common::wire::Wire;
use tablepb::ParseErrorKind;
use tablepb::partial::Projection;
use tablepb::raw::{RawFields, RawValue};
use tablepb::table::{FieldTable, Kind, MessageTable};
use tablepb::text;
use tablepb::{
    DecodeError, DecodeErrorKind, Decoder, DescriptorPool, DynamicMessage, MapKey, Message,
    MessageDescriptor, Prepared, Value, wkt,
};

fn rich() -> MessageDescriptor {
    let schema = samples::rich();
    descriptor(&schema, &schema.pool(), 0)
}

/// Some of everything, with maps and lists that must grow.
fn large_payload() -> Vec<u8> {
    let mut payload = Wire(rich_payload());
    for key in 0..40 {
        payload = payload.message(5, Wire::new().int(1, key).int(2, key));
        payload =
            payload.message(12, Wire::new().bytes(1, format!("{key}")).message(2, Wire::new().int(1, 1)));
        payload = payload.message(13, Wire::new().int(1, key & 1).int(2, 77));
        payload = payload.bytes(11, "text").message(9, Wire::new().bytes(2, "s").int(99, 1));
    }
    payload.bytes(4, [1; 300]).bytes(27, [1; 3000]).0
}

/// A decode that gives a message or an error.
fn decodes(decode: impl Fn(&[u8]) -> Result<DynamicMessage, DecodeError> + 'static) -> Attempt {
    let input = large_payload();
    let expected = DynamicMessage::decode(&rich(), &input).expect("a valid payload").encode_to_vec();
    let expected = expected.expect("it was decoded");
    Box::new(move |k, for_good| {
        let (result, failed) = with_failure(k, for_good, || decode(&input));
        match &result {
            Ok(message) => {
                valid::message(message, input.len());
                assert_eq!(message.encode_to_vec().expect("it was decoded"), expected);
            }
            Err(error) => {
                assert!(failed, "no allocation failed, and the decode did");
                assert_eq!(error.kind(), DecodeErrorKind::OutOfMemory, "{error}");
            }
        }
        (result.is_err(), failed)
    })
}

/// Whether a decode succeeded; if it did not, for want of memory and nothing else.
fn succeeded<T>(result: Result<T, DecodeError>) -> bool {
    result.map_err(|error| assert_eq!(error.kind(), DecodeErrorKind::OutOfMemory, "{error}")).is_ok()
}

/// All that must hold, of a message and of what it becomes when all of it is decoded.
fn check(message: &DynamicMessage) {
    valid::values(message.as_view(), 1 << 16);
    valid::encoded(message);
    assert!(message.clone() == *message);
    let mut all = message.clone();
    all.materialize().expect("what was kept is valid");
    valid::message(&all, 1 << 16);
}

/// Changes to a message, made anew for each; after an error it is as before if that is `exact`, and valid in any case.
/// What is given to the call is made before.
fn changes<V: Clone + 'static>(
    make: impl Fn() -> DynamicMessage + 'static,
    exact: bool,
    given: V,
    mut change: impl FnMut(&mut DynamicMessage, V) -> bool + 'static,
) -> Attempt {
    Box::new(move |k, for_good| {
        let mut message = make();
        let (before, value) = (message.clone(), given.clone());
        let (done, failed) = with_failure(k, for_good, || change(&mut message, value));
        assert!(done || failed, "no allocation failed, and the call did");
        check(&message);
        if !done && exact {
            assert!(message == before, "{message:?} was {before:?} before a call that failed");
        }
        assert!(change(&mut message, given.clone()), "it fails again, with memory for all");
        check(&message);
        // Anything else is as well as before.
        message.merge(&rich_payload()).expect("a valid payload");
        check(&message);
        message.clear();
        message.merge(&rich_payload()).expect("a valid payload");
        assert!(
            message
                == DynamicMessage::decode(message.descriptor(), &rich_payload()).expect("a valid payload")
        );
        (!done, failed)
    })
}

/// A message with all sorts of fields.
fn full(rich: &MessageDescriptor) -> impl Fn() -> DynamicMessage + 'static {
    let rich = rich.clone();
    move || DynamicMessage::decode(&rich, &rich_payload()).expect("a valid payload")
}

/// A setter that is given this value, on an empty message and on one with all sorts of fields.
fn sets(number: u32, value: Value) -> [Attempt; 2] {
    let rich = rich();
    let field = rich.get_field(number).expect("a field");
    let empty = rich.clone();
    let make: [Box<dyn Fn() -> DynamicMessage>; 2] =
        [Box::new(move || DynamicMessage::new(&empty)), Box::new(full(&rich))];
    make.map(|make| {
        let field = field.clone();
        changes(make, true, value.clone(), move |message, value| message.set_field(&field, value).is_ok())
    })
}

fn inner(rich: &MessageDescriptor) -> Value {
    Value::Message(DynamicMessage::decode(rich, &rich_payload()).expect("a valid payload"))
}

/// A message of messages in `Any`s, and some JSON of it.
fn with_any() -> (MessageDescriptor, String) {
    static HOLDER: MessageTable = MessageTable::new(
        "t.Holder",
        &[
            FieldTable::new("any", 1, Kind::Message(|| wkt::Any::TABLE)),
            FieldTable::new("more", 2, Kind::Message(|| wkt::Any::TABLE)).repeated(),
            FieldTable::new("text", 3, Kind::String),
            FieldTable::map("counts", 4, Kind::String, Kind::Int32),
        ],
    );
    let pool = DescriptorPool::from_tables(&[&HOLDER]).expect("a valid table");
    let inner = r#"{"@type":"x/t.Holder","text":"a text of some length, which the store must grow for"}"#;
    let any = format!(r#"{{"@type":"x/t.Holder","any":{inner},"more":[{inner},{inner}]}}"#);
    (pool.message("t.Holder").expect("a message"), format!(r#"{{"any":{any},"more":[{any}]}}"#))
}

/// The input as a buffer of two chunks.
fn in_chunks(input: &[u8]) -> impl bytes::Buf {
    let (first, rest) = input.split_at(input.len() / 3);
    bytes::Buf::chain(first, rest)
}

fn operation(name: &str) -> Vec<Attempt> {
    let rich = rich();
    let field = |number| rich.get_field(number).expect("a field");
    let input = large_payload();
    match name {
        "decode" => {
            let rich = rich.clone();
            vec![decodes(move |input| DynamicMessage::decode(&rich, input))]
        }
        "decode_buf" => {
            let rich = rich.clone();
            vec![decodes(move |input| DynamicMessage::decode_buf(&rich, in_chunks(input)))]
        }
        "decode_shared" => {
            // The first clone of a vector's bytes makes them shared, which is an allocation of the crate `bytes`.
            let shared = bytes::Bytes::from(input);
            std::mem::forget(shared.clone());
            let rich = rich.clone();
            vec![decodes(move |_| DynamicMessage::decode_shared(&rich, &shared))]
        }
        "decoder" => {
            let expected = DynamicMessage::decode(&rich, &input).expect("a valid payload");
            vec![Box::new(move |k, for_good| {
                let mut decoder = Decoder::new(&rich);
                let (done, failed) = with_failure(k, for_good, || succeeded(decoder.decode(&input)));
                assert!(done || failed);
                let again = decoder.decode(&input).expect("with memory for all");
                assert!(again == expected.as_view());
                (!done, failed)
            })]
        }
        "decoder_buf" => {
            let expected = DynamicMessage::decode(&rich, &input).expect("a valid payload");
            vec![Box::new(move |k, for_good| {
                let mut decoder = Decoder::new(&rich);
                let (done, failed) =
                    with_failure(k, for_good, || succeeded(decoder.decode_buf(in_chunks(&input))));
                assert!(done || failed);
                let again = decoder.decode_buf(in_chunks(&input)).expect("with memory for all");
                assert!(again == expected.as_view());
                (!done, failed)
            })]
        }
        "merge_buf" => {
            let merge = |message: &mut DynamicMessage, input: Vec<u8>| {
                succeeded(message.merge_buf(in_chunks(&input)))
            };
            let empty = rich.clone();
            vec![
                changes(move || DynamicMessage::new(&empty), false, input.clone(), merge),
                changes(full(&rich), false, rich_payload(), merge),
            ]
        }
        "merge" => {
            let (short, long) = (rich_payload(), input);
            let empty = rich.clone();
            let cleared = rich.clone();
            let merge = |message: &mut DynamicMessage, input: Vec<u8>| succeeded(message.merge(&input));
            let cleared = move || {
                let mut message = DynamicMessage::decode(&cleared, &rich_payload()).expect("a valid payload");
                message.clear();
                message
            };
            vec![
                changes(move || DynamicMessage::new(&empty), false, long.clone(), merge),
                changes(full(&rich), false, short.clone(), merge),
                changes(full(&rich), false, long.clone(), merge),
                changes(cleared, false, long, merge),
            ]
        }
        "set_field" => {
            let list = Value::List((0..50).map(Value::I32).collect());
            let texts = Value::List((0..50).map(|n| Value::String(format!("text {n}"))).collect());
            let map = Value::Map((0..30).map(|n| (MapKey::I32(n), Value::I32(n))).collect());
            let map_of_messages =
                Value::Map((0..3).map(|n| (MapKey::String(format!("{n}")), inner(&rich))).collect());
            let messages = Value::List(vec![inner(&rich), inner(&rich)]);
            let values = [
                (1, Value::I32(5)),
                (2, Value::String("a string that is longer than what there is".repeat(9))),
                (16, Value::String("member".repeat(20))),
                (15, inner(&rich)),
                (3, inner(&rich)),
                (22, Value::Bytes(vec![0xff; 2000])),
                (4, list),
                (11, texts),
                (5, map),
                (12, map_of_messages),
                (9, messages),
            ];
            values.into_iter().flat_map(|(number, value)| sets(number, value)).collect()
        }
        "parts" => {
            let (texts, numbers, counts, words, one) = (field(11), field(4), field(5), field(12), field(3));
            let list = field(9);
            let (key, text) = (MapKey::from("a key of some length"), Value::from("a text"));
            let first = list.clone();
            vec![
                changes(full(&rich), true, 7, move |m, value| m.push(&numbers, value).is_ok()),
                changes(full(&rich), true, text, move |m, value| m.push(&texts, value).is_ok()),
                changes(full(&rich), true, 77, move |m, value| m.insert(&counts, value, 1).is_ok()),
                changes(full(&rich), true, key, move |m, key| m.entry_mut(&words, key).is_ok()),
                changes(full(&rich), true, (), move |m, ()| m.push_message(&list).is_ok()),
                changes(full(&rich), true, (), move |m, ()| m.message_mut(&one).is_ok()),
                changes(full(&rich), true, (), move |m, ()| m.element_mut(&first, 0).is_ok()),
                changes(full(&rich), true, ["a", "b"].map(Value::from), |m, values| {
                    m.extend("f11", values).is_ok()
                }),
                changes(full(&rich), true, (), |m, ()| m.as_mut().retain("f9", |_| false).is_ok()),
                changes(full(&rich), true, (), |m, ()| m.as_mut().retain_entries("f5", |_, _| false).is_ok()),
                changes(full(&rich), true, (), |m, ()| m.take_field("f11").is_ok()),
                changes(full(&rich), true, (), |m, ()| m.take_unknown_fields().is_ok()),
                changes(full(&rich), true, Value::U64(1), |m, value| m.set_field("f1", value).is_ok()),
            ]
        }
        // What a projection decoded is written as bytes: no `Arc` is made of them.
        "projected" => {
            let projection = Projection::new(&rich, ["f1", "f9.f2"]).expect("paths").pass_through();
            let part = projection.decode(&rich_payload()).expect("a valid payload");
            let part = || Value::Message(part.clone());
            let (list, one, words) = (field(9), field(3), field(12));
            let (pushed, key) = (list.clone(), MapKey::from("a key of some length"));
            let element = list.clone();
            let mut attempts = vec![
                changes(full(&rich), true, part(), move |m, value| m.push(&pushed, value).is_ok()),
                changes(full(&rich), true, part(), move |m, value| {
                    m.as_mut().set_element(&element, 0, value).is_ok()
                }),
                changes(full(&rich), true, (key, part()), move |m, (key, value)| {
                    m.insert(&words, key, value).is_ok()
                }),
                changes(full(&rich), true, vec![part(), part()], |m, values| m.extend("f9", values).is_ok()),
                changes(full(&rich), true, part(), move |m, value| m.set_field(&one, value).is_ok()),
            ];
            let map = Value::Map([(MapKey::String("k".into()), part())].into());
            for (number, value) in [(3, part()), (9, Value::List(vec![part(), part()])), (12, map)] {
                attempts.extend(sets(number, value));
            }
            attempts
        }
        // Values without maps and raw messages: the nodes of a `BTreeMap` and the `Arc` of a `Prepared` abort.
        "takes" => {
            let lists = Wire::new()
                .int(1, 5)
                .bytes(2, "a text")
                .bytes(11, "b")
                .bytes(11, "c")
                .message(9, Wire::new().bytes(2, "a text of an element").int(4, 7));
            let make = move || DynamicMessage::decode(&rich, &lists.0).expect("a valid payload");
            let mut attempts: Vec<Attempt> = vec![
                changes(make.clone(), true, (), |m, ()| m.take_fields().is_ok()),
                changes(make.clone(), true, (), |m, ()| m.as_mut().take_extensions().is_ok()),
            ];
            for name in ["f1", "f2", "f9", "f11"] {
                attempts.push(changes(make.clone(), true, (), move |m, ()| m.take_field(name).is_ok()));
            }
            let lazy = Projection::all(make().descriptor()).pass_through();
            let kept = move || lazy.decode(&make().encode_to_vec().expect("short")).expect("a valid payload");
            attempts.push(changes(kept.clone(), true, (), |m, ()| m.take_fields().is_ok()));
            attempts.push(changes(kept.clone(), true, (), |m, ()| m.clear_field("f2").is_ok()));
            attempts.push(changes(kept, true, Value::from("text"), |m, value| {
                m.as_mut().set_element("f11", 1, value).is_ok()
            }));
            attempts
        }
        "pass_through" => {
            let projection = Projection::new(&rich, ["f1", "f9.f2"]).expect("paths").pass_through();
            let make = move || projection.decode(&rich_payload()).expect("a valid payload");
            let (number, text, list, unselected) = (field(1), field(2), field(9), field(24));
            vec![
                changes(make.clone(), true, 99, move |m, value| m.set_field(&number, value).is_ok()),
                changes(make.clone(), true, Value::from("text"), move |m, value| {
                    m.set_field(&text, value).is_ok()
                }),
                changes(make.clone(), true, (), move |m, ()| m.push_message(&list).is_ok()),
                changes(make.clone(), true, 1, move |m, value| m.push(&unselected, value).is_ok()),
                changes(make, false, (), |m, ()| m.materialize().is_ok()),
            ]
        }
        "encode" => {
            let message = DynamicMessage::decode(&rich, &input).expect("a valid payload");
            let expected = message.encode_to_vec().expect("it was decoded");
            let view = message.clone();
            let other = message.clone();
            let (again, sorted_too) = (expected.clone(), expected.len());
            vec![
                Box::new(move |k, for_good| {
                    let (bytes, failed) = with_failure(k, for_good, || message.encode_to_vec());
                    assert!(bytes.is_ok() || failed);
                    assert!(bytes.as_ref().is_ok_and(|bytes| *bytes == expected) || bytes.is_err());
                    (bytes.is_err(), failed)
                }),
                Box::new(move |k, for_good| {
                    let mut buffer = vec![1, 2, 3];
                    let (done, failed) = with_failure(k, for_good, || view.encode(&mut buffer).is_ok());
                    assert!(done || failed);
                    assert_eq!(buffer[..3], [1, 2, 3]);
                    assert!(if done { buffer[3..] == again } else { buffer.len() == 3 });
                    (!done, failed)
                }),
                Box::new(move |k, for_good| {
                    let mut buffer = Vec::new();
                    let options = tablepb::EncodeOptions::new().deterministic(true);
                    let (done, failed) =
                        with_failure(k, for_good, || options.encode(&other, &mut buffer).is_ok());
                    assert!(done || failed);
                    assert_eq!(buffer.len(), if done { sorted_too } else { 0 });
                    (!done, failed)
                }),
            ]
        }
        "raw" => {
            let lazy = Projection::all(&rich).lazy(["f3", "f9"]).expect("paths");
            let (payload, path) = (rich_payload(), [3u32, 1]);
            let message = lazy.decode(&payload).expect("a valid payload");
            let prepared = rich.clone();
            vec![
                Box::new({
                    let payload = payload.clone();
                    move |k, for_good| {
                        let mut out = vec![7];
                        let (done, failed) = with_failure(k, for_good, || {
                            RawFields::new(&payload).replace(&path, RawValue::Varint(300), &mut out).is_ok()
                        });
                        assert!(done || (failed && out == [7]));
                        (!done, failed)
                    }
                }),
                Box::new(move |k, for_good| {
                    let raw = message.get_field(3).expect("a field");
                    let tablepb::ValueRef::Raw(raw) = raw else { panic!("{raw:?} is lazy") };
                    let mut decoder = Decoder::new(&raw.descriptor());
                    let (done, failed) = with_failure(k, for_good, || raw.decode(&mut decoder).is_ok());
                    assert!(done || failed);
                    assert!(raw.decode(&mut decoder).is_ok());
                    (!done, failed)
                }),
                Box::new(move |k, for_good| {
                    let (made, failed) = with_failure(k, for_good, || Prepared::decode(&prepared, &payload));
                    assert!(made.is_ok() || failed);
                    (made.is_err(), failed)
                }),
            ]
        }
        "json" => {
            let empty = rich.clone();
            let message = DynamicMessage::decode(&rich, &input).expect("a valid payload");
            let json = tablepb::json::to_string(&message).expect("all of it has a form in JSON");
            let expected = json.clone();
            let merge = |message: &mut DynamicMessage, json: String| {
                let merged = tablepb::json::merge_from_slice(message, json.as_bytes());
                merged.map_err(|error| assert_eq!(error.kind(), ParseErrorKind::OutOfMemory)).is_ok()
            };
            let (any, content) = with_any();
            let again = any.clone();
            vec![
                changes(move || DynamicMessage::new(&empty), false, json.clone(), merge),
                changes(full(&rich), false, json.clone(), merge),
                Box::new(move |k, for_good| {
                    let mut buffer = vec![1, 2, 3];
                    let (done, failed) =
                        with_failure(k, for_good, || tablepb::json::append(&mut buffer, &message).is_ok());
                    assert!(done || failed);
                    assert!(if done { buffer[3..] == *expected.as_bytes() } else { buffer == [1, 2, 3] });
                    (!done, failed)
                }),
                Box::new(move |k, for_good| {
                    let parse = || tablepb::json::message_from_slice(&any, content.as_bytes());
                    let (made, failed) = with_failure(k, for_good, parse);
                    assert!(made.is_ok() || failed);
                    let kind = made.as_ref().map_err(|error| error.kind());
                    assert_eq!(kind.err(), made.is_err().then_some(ParseErrorKind::OutOfMemory));
                    let printed =
                        made.map(|message| tablepb::json::to_string(&message).expect("it was parsed"));
                    assert!(printed.as_ref().is_ok_and(|json| *json == content) || printed.is_err());
                    (printed.is_err(), failed)
                }),
                Box::new(move |k, for_good| {
                    let (_, content) = with_any();
                    let message =
                        tablepb::json::message_from_slice(&again, content.as_bytes()).expect("valid");
                    let (json, failed) = with_failure(k, for_good, || tablepb::json::to_string(&message));
                    assert!(json.is_ok() || failed);
                    (json.is_err(), failed)
                }),
            ]
        }
        "text" => {
            let empty = rich.clone();
            let message = DynamicMessage::decode(&rich, &input).expect("a valid payload");
            let text = tablepb::text::to_string(&message).unwrap();
            let expected = text.clone();
            let merge = |message: &mut DynamicMessage, text: String| {
                let merged = tablepb::text::merge_from_str(message, &text);
                merged.map_err(|error| assert_eq!(error.kind(), ParseErrorKind::OutOfMemory)).is_ok()
            };
            let (any, _) = with_any();
            let again = any.clone();
            const CONTENT: &str = r#"any{[a/t.Holder]{any{[a/t.Holder]{counts:[{key:"k",value:7}]}}}},counts:[{key:"a",value:1}]"#;
            vec![
                changes(move || DynamicMessage::new(&empty), false, text.clone(), merge),
                changes(full(&rich), false, text.clone(), merge),
                Box::new(move |k, for_good| {
                    let mut buffer = vec![1, 2, 3];
                    let print = || text::Printer::new().append(&mut buffer, &message).is_ok();
                    let (done, failed) = with_failure(k, for_good, print);
                    assert!(done || failed);
                    assert!(if done { buffer[3..] == *expected.as_bytes() } else { buffer == [1, 2, 3] });
                    (!done, failed)
                }),
                Box::new(move |k, for_good| {
                    let parse = || tablepb::text::message_from_str(&any, CONTENT);
                    let (made, failed) = with_failure(k, for_good, parse);
                    assert!(made.is_ok() || failed);
                    let kind = made.as_ref().map_err(|error| error.kind());
                    assert_eq!(kind.err(), made.is_err().then_some(ParseErrorKind::OutOfMemory));
                    let printed = made.map(|message| tablepb::text::to_string(&message).unwrap());
                    assert!(printed.as_ref().is_ok_and(|text| text == CONTENT) || printed.is_err());
                    (printed.is_err(), failed)
                }),
                Box::new(move |k, for_good| {
                    let message = tablepb::text::message_from_str(&again, CONTENT).expect("valid");
                    let mut buffer = Vec::new();
                    let print = || text::Printer::new().append(&mut buffer, &message).is_ok();
                    let (done, failed) = with_failure(k, for_good, print);
                    // Without memory to decode the content of an Any, it is printed as bytes.
                    assert!(done || (failed && buffer.is_empty()));
                    assert!(failed || buffer == CONTENT.as_bytes());
                    (!done, failed)
                }),
            ]
        }
        "schema" => {
            let set = samples::rich().descriptor_set();
            vec![Box::new(move |k, for_good| {
                let (pool, failed) = with_failure(k, for_good, || DescriptorPool::decode(&set));
                assert!(pool.is_ok() || failed);
                if let Ok(pool) = &pool {
                    assert!(pool.message("p0.Rich").is_ok());
                }
                (pool.is_err(), failed)
            })]
        }
        other => panic!("no operation {other}"),
    }
}

/// The process.
#[test]
fn child() {
    attempts::child(operation);
}

fn run(name: &str, for_good: bool) {
    attempts::run("failing_allocations::child", name, for_good, arcs(name, for_good));
}

/// Steps at which an `Arc` is made, which aborts: the standard library has no other way. The pool and its programs
/// are in one each, and so are the bytes of prepared messages.
fn arcs(name: &str, for_good: bool) -> usize {
    match (name, for_good) {
        ("schema", _) => 2,
        ("raw", false) => 1,
        ("raw", true) => 8,
        _ => 0,
    }
}

macro_rules! operations {
    ($($test:ident: $name:literal, $for_good:literal;)*) => {
        $(#[test]
        fn $test() {
            run($name, $for_good);
        })*
    };
}

operations! {
    decode_survives_one: "decode", false;
    decode_survives_all: "decode", true;
    decode_buf_survives_one: "decode_buf", false;
    decode_buf_survives_all: "decode_buf", true;
    a_decoder_of_buffers_survives_one: "decoder_buf", false;
    a_decoder_of_buffers_survives_all: "decoder_buf", true;
    merge_buf_survives_one: "merge_buf", false;
    merge_buf_survives_all: "merge_buf", true;
    decode_shared_survives_one: "decode_shared", false;
    decode_shared_survives_all: "decode_shared", true;
    a_decoder_survives_one: "decoder", false;
    a_decoder_survives_all: "decoder", true;
    merge_survives_one: "merge", false;
    merge_survives_all: "merge", true;
    set_field_survives_one: "set_field", false;
    set_field_survives_all: "set_field", true;
    changes_of_parts_survive_one: "parts", false;
    changes_of_parts_survive_all: "parts", true;
    pass_through_edits_survive_one: "pass_through", false;
    pass_through_edits_survive_all: "pass_through", true;
    projected_values_survive_one: "projected", false;
    projected_values_survive_all: "projected", true;
    taking_values_survives_one: "takes", false;
    taking_values_survives_all: "takes", true;
    encode_survives_one: "encode", false;
    encode_survives_all: "encode", true;
    raw_and_prepared_survive_one: "raw", false;
    raw_and_prepared_survive_all: "raw", true;
    json_survives_one: "json", false;
    json_survives_all: "json", true;
    text_survives_one: "text", false;
    text_survives_all: "text", true;
    loading_a_schema_survives_one: "schema", false;
    loading_a_schema_survives_all: "schema", true;
}
