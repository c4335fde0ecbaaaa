//! Random schemas with random payloads, against a plain codec that shares no code with the crate: what is accepted,
//! what is in it, how it is encoded, how it merges, and what is left after a fault.

use crate::common::bridge::{build, canonical, descriptor, fill, read};
use crate::common::choices::{Choices, choices};
use crate::common::payload::{WILD, mutate, noise, payload};
use crate::common::reference::{self, Event, Msg, Reference, Val};
use crate::common::rounds;
use crate::common::schema::{Kind, Schema};
use crate::common::schema_gen::{ALL, schema};
use proptest::prelude::*;
use std::collections::BTreeSet;
use tablepb::{DecodeErrorKind, DecodeOptions, Decoder, DynamicMessage, EncodeOptions, MessageDescriptor};

/// Required fields are a test of their own: random messages rarely have them all.
const PARTIAL: DecodeOptions = DecodeOptions::new().allow_partial(true);
const SORTED: EncodeOptions = EncodeOptions::new().allow_partial(true).deterministic(true);

struct Case {
    schema: Schema,
    descriptor: MessageDescriptor,
    message: usize,
}

impl Case {
    fn new(choices: &mut Choices) -> Self {
        let schema = schema(choices, ALL);
        let pool = schema.pool();
        let message = choices.below(schema.messages.len());
        let message = if schema.messages[message].entry_of.is_some() { 0 } else { message };
        Self { descriptor: descriptor(&schema, &pool, message), schema, message }
    }

    fn payload(&self, choices: &mut Choices) -> Vec<u8> {
        payload(&self.schema, self.message, choices, WILD)
    }

    fn reference(&self, input: &[u8]) -> (Result<Msg, reference::Fault>, Vec<Event>) {
        let mut reference = Reference::new(&self.schema);
        let result = reference.decode(self.message, input);
        (result, reference.events.into_iter().collect())
    }

    /// What the message must be encoded to.
    fn encoded(&self, msg: &Msg) -> Vec<u8> {
        reference::encode(&self.schema, self.message, msg)
    }

    fn decode(&self, input: &[u8]) -> DynamicMessage {
        let decoded = PARTIAL.decode_dynamic(&self.descriptor, input);
        decoded.unwrap_or_else(|error| panic!("{error}: {input:02x?}"))
    }
}

fn sorted(message: &DynamicMessage) -> Vec<u8> {
    let mut bytes = Vec::new();
    SORTED.encode(message, &mut bytes).unwrap();
    bytes
}

/// Everything that must hold for a message, whatever was done to it before.
fn check_valid(message: &DynamicMessage, expected: &Msg, encoded: &[u8]) {
    assert_eq!(sorted(message), encoded, "{message:?} is not {expected:?}");
    assert_eq!(message.encoded_len(), encoded.len());
    let mut plain = vec![7];
    EncodeOptions::new().allow_partial(true).encode(message, &mut plain).unwrap();
    assert_eq!(plain.len(), encoded.len() + 1);
    let again = PARTIAL.decode_dynamic(message.descriptor(), &plain[1..]);
    let again = again.unwrap_or_else(|error| panic!("{error}: {:02x?}", &plain[1..]));
    assert_eq!(&again, message);
    assert_eq!(sorted(&again), encoded);
    assert_eq!(again.encoded_len(), encoded.len());
}

fn decode_and_encode(case: &Case, input: &[u8]) {
    let (expected, events) = case.reference(input);
    let expected = expected.unwrap_or_else(|e| panic!("the generator makes valid payloads: {e:?}"));
    let encoded = case.encoded(&expected);
    let message = case.decode(input);
    if !events.contains(&Event::UncheckedString) {
        assert_eq!(read(message.as_view()), canonical(&expected));
    }
    check_valid(&message, &expected, &encoded);
    assert_eq!(message.clone(), message);

    let mut decoder = Decoder::new(&case.descriptor).with_options(PARTIAL);
    let view = decoder.decode(input).unwrap();
    assert_eq!(view, message.as_view());
    assert_eq!(view.to_owned(), message);
    let mut bytes = Vec::new();
    SORTED.encode(&view, &mut bytes).unwrap();
    assert_eq!(bytes, encoded);
    #[cfg(feature = "bytes")]
    let shared = DynamicMessage::decode_shared(&case.descriptor, &input.to_vec().into());
    #[cfg(not(feature = "bytes"))]
    let shared = DynamicMessage::decode(&case.descriptor, input);
    let mut slice = vec![0; encoded.len()];
    #[cfg(feature = "bytes")]
    in_buffers(case, input, &message);

    let initialized = reference::is_initialized(&case.schema, case.message, &expected);
    assert_eq!(message.is_initialized(), initialized);
    assert_eq!(message.encode_to_vec().is_ok(), initialized);
    assert_eq!(message.encode_to_slice(&mut slice).is_ok(), initialized);
    match (DynamicMessage::decode(&case.descriptor, input), shared) {
        (Ok(strict), Ok(shared)) => {
            assert!(initialized);
            assert_eq!((&strict, &shared), (&message, &message));
            assert_eq!(DynamicMessage::decode(&case.descriptor, &slice).unwrap(), message);
        }
        (strict, shared) => {
            let error = strict.unwrap_err();
            assert_eq!(error.kind(), DecodeErrorKind::MissingRequired);
            assert_eq!(shared.unwrap_err(), error);
            assert!(!initialized);
        }
    }
}

/// The input as a buffer of several chunks, and the message written to buffers with room in the first chunk and without.
#[cfg(feature = "bytes")]
fn in_buffers(case: &Case, input: &[u8], message: &DynamicMessage) {
    use bytes::{Buf, BytesMut};
    use tablepb::EncodeErrorKind;

    let mut decoder = Decoder::new(&case.descriptor).with_options(PARTIAL);
    for at in [0, input.len() / 2, input.len()] {
        let (first, rest) = input.split_at(at);
        assert_eq!(decoder.decode_buf(first.chain(rest)).unwrap(), message.as_view());
        let mut merged = DynamicMessage::new(&case.descriptor);
        let mut chunks = first.chain(rest).chain(&b""[..]);
        merged.merge_buf(&mut chunks).unwrap();
        assert_eq!((&merged, chunks.remaining()), (message, 0));
    }
    let Ok(expected) = message.encode_to_vec() else {
        let mut buffer = BytesMut::from(&b"before"[..]);
        message.encode_buf(&mut buffer).unwrap_err();
        assert_eq!(buffer, &b"before"[..]);
        return;
    };
    // Without room, with the room of one byte less, with all the room, and with room for whole words at the end.
    for room in [0, expected.len().saturating_sub(1), expected.len(), expected.len() + 40] {
        let mut buffer = BytesMut::with_capacity(6 + room);
        buffer.extend_from_slice(b"before");
        message.encode_buf(&mut buffer).unwrap();
        assert_eq!(buffer.strip_prefix(b"before"), Some(&expected[..]));
        for reserves in [false, true] {
            let mut buffer = BytesMut::with_capacity(6 + room);
            buffer.extend_from_slice(b"before");
            let reserve = |buffer: &mut BytesMut, len| buffer.reserve(if reserves { len } else { 0 });
            EncodeOptions::new().encode_reserving(message, &mut buffer, reserve).unwrap();
            assert_eq!(buffer.strip_prefix(b"before"), Some(&expected[..]));
        }
        let mut memory = vec![b'.'; room];
        let mut slice = &mut memory[..];
        let result = message.encode_buf(&mut slice);
        let left = slice.len();
        match room >= expected.len() {
            true => assert_eq!((result, left), (Ok(()), room - expected.len())),
            false => {
                assert_eq!((result.unwrap_err().kind(), left), (EncodeErrorKind::BufferTooSmall, room));
            }
        }
    }
}

fn merge(case: &Case, a: &[u8], b: &[u8]) {
    let both = [a, b].concat();
    let (expected, _) = case.reference(&both);
    let expected = expected.unwrap();
    let encoded = case.encoded(&expected);
    let mut merged = case.decode(a);
    merged.merge(b).unwrap();
    check_valid(&merged, &expected, &encoded);
    assert_eq!(merged, case.decode(&both));

    // What was encoded merges as any other bytes.
    let (a_again, b_again) = (sorted(&case.decode(a)), sorted(&case.decode(b)));
    let mut again = case.decode(&a_again);
    again.merge(&b_again).unwrap();
    assert_eq!(again, case.decode(&[a_again, b_again].concat()));

    // Memory that is used again forgets what was in it.
    merged.clear();
    assert_eq!(merged, DynamicMessage::new(&case.descriptor));
    assert_eq!(merged.encoded_len(), 0);
    merged.merge(b).unwrap();
    assert_eq!(merged, case.decode(b));
    let mut decoder = Decoder::new(&case.descriptor).with_options(PARTIAL);
    for input in [a, b, &both, a] {
        assert_eq!(decoder.decode(input).unwrap(), case.decode(input).as_view());
    }
}

fn setters(case: &Case, input: &[u8]) {
    let (expected, events) = case.reference(input);
    if events.contains(&Event::UncheckedString) {
        return;
    }
    let expected = expected.unwrap().without_unknown();
    let encoded = case.encoded(&expected);
    let mut all = Vec::new();
    for way in 0..12 {
        let mut built = DynamicMessage::new(&case.descriptor);
        // A message that had other contents before is no different.
        if way % 4 == 3 {
            built.merge(input).unwrap();
            built.clear();
        }
        fill(&case.schema, case.message, &expected, &mut built.as_mut(), way);
        assert_eq!(read(built.as_view()), expected, "way {way}");
        check_valid(&built, &expected, &encoded);
        all.push(built);
    }
    let pool = case.descriptor.parent_pool();
    all.push(build(&case.schema, pool, case.message, &expected));
    let options = PARTIAL.discard_unknown(true);
    all.push(options.decode_dynamic(&case.descriptor, input).unwrap());
    for pair in all.windows(2) {
        assert_eq!(pair[0], pair[1]);
    }
}

/// Bytes of any sort: the same answer, the same fault, and the same message afterwards.
fn broken(case: &Case, before: &[u8], input: &[u8]) {
    let (expected, _) = case.reference(input);
    let got = PARTIAL.decode_dynamic(&case.descriptor, input);
    let mut decoder = Decoder::new(&case.descriptor).with_options(PARTIAL);
    let viewed = decoder.decode(input).map(|view| view.to_owned());
    assert_eq!(got, viewed);
    match (&got, &expected) {
        (Ok(message), Ok(expected)) => check_valid(message, expected, &case.encoded(expected)),
        (Err(error), Err(fault)) => {
            assert_eq!(
                (error.kind(), error.offset()),
                (fault.kind, fault.offset),
                "{error} for {input:02x?}"
            );
        }
        (got, expected) => panic!("{got:?}, not {expected:?} for {input:02x?}"),
    }
    // What was read before the fault stays, behind what was there.
    let mut msg = Msg::default();
    let mut reference = Reference::new(&case.schema);
    reference.merge(case.message, &mut msg, before).unwrap();
    let fault = reference.merge(case.message, &mut msg, input).err();
    let mut merged = case.decode(before);
    assert_eq!(merged.merge(input).err().map(|e| e.kind()), fault.map(|f| f.kind));
    let encoded = case.encoded(&msg);
    if sorted(&merged) == encoded {
        return check_valid(&merged, &msg, &encoded);
    }
    // A value that is cut off may have been stored with what came behind it, before the loop saw the end.
    let kind = fault.unwrap_or_else(|| panic!("{merged:?} is not {msg:?}")).kind;
    assert!(matches!(kind, DecodeErrorKind::Incomplete | DecodeErrorKind::Overrun), "{kind:?}");
    let got = read(merged.as_view());
    assert!(differences(&case.schema, case.message, &got, &canonical(&msg)) <= 1, "{got:?} is not {msg:?}");
    check_valid(&merged, &got, &sorted(&merged));
}

/// In how many values two messages differ; the members of a oneof are one.
fn differences(schema: &Schema, message: usize, a: &Msg, b: &Msg) -> usize {
    let this = &schema.messages[message];
    let numbers: BTreeSet<u32> = a.fields.keys().chain(b.fields.keys()).copied().collect();
    let mut oneofs = BTreeSet::new();
    let mut count = usize::from(a.unknown != b.unknown);
    for number in numbers {
        let field = this.field(number).unwrap();
        count += match (a.fields.get(&number), b.fields.get(&number), field.kind) {
            (a, b, _) if a == b => 0,
            (Some(Val::Msg(a)), Some(Val::Msg(b)), Kind::Message(sub)) => differences(schema, sub, a, b),
            (Some(Val::List(a)), Some(Val::List(b)), Kind::Message(sub)) if a.len() == b.len() => {
                let messages = a.iter().zip(b).filter_map(|pair| match pair {
                    (Val::Msg(a), Val::Msg(b)) => Some((a, b)),
                    _ => None,
                });
                messages.map(|(a, b)| differences(schema, sub, a, b)).sum()
            }
            _ => field.oneof.map_or(1, |oneof| usize::from(oneofs.insert(oneof))),
        };
    }
    count
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 3_000, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(rounds(300)))]

    #[test]
    fn decoding_and_encoding_agree_with_the_reference(mut choices in choices(3000)) {
        let case = Case::new(&mut choices);
        for _ in 0..6 {
            decode_and_encode(&case, &case.payload(&mut choices));
        }
    }

    #[test]
    fn merging_is_decoding_both(mut choices in choices(3000)) {
        let case = Case::new(&mut choices);
        for _ in 0..4 {
            merge(&case, &case.payload(&mut choices), &case.payload(&mut choices));
        }
    }

    #[test]
    fn setters_build_the_same_message(mut choices in choices(3000)) {
        let case = Case::new(&mut choices);
        for _ in 0..3 {
            setters(&case, &case.payload(&mut choices));
        }
    }

    #[test]
    fn broken_bytes_get_the_right_fault(mut choices in choices(3000)) {
        let case = Case::new(&mut choices);
        for _ in 0..4 {
            let before = case.payload(&mut choices);
            let mut input = case.payload(&mut choices);
            mutate(&mut input, &mut choices);
            broken(&case, &before, &input);
            let noise = noise(&mut choices, 24);
            broken(&case, &before, &noise);
        }
    }
}

/// The same without end to the decisions, so that the schemas are larger.
#[test]
fn large_schemas() {
    let seeds =
        std::env::var("TABLEPB_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(u64::from(rounds(150)));
    for seed in 0..seeds {
        let mut choices = Choices::seeded(seed);
        let case = Case::new(&mut choices);
        for _ in 0..3 {
            let (a, b) = (case.payload(&mut choices), case.payload(&mut choices));
            decode_and_encode(&case, &a);
            merge(&case, &a, &b);
            setters(&case, &b);
            let mut input = b.clone();
            mutate(&mut input, &mut choices);
            broken(&case, &a, &input);
        }
    }
    println!("{seeds} schemas");
}

/// The generators would prove little if they left something out.
#[test]
fn the_generators_use_everything() {
    let mut seen = BTreeSet::new();
    let mut see = |what: String| seen.insert(what);
    let mut events = BTreeSet::new();
    for seed in 0..200 {
        let mut choices = Choices::seeded(seed);
        let case = Case::new(&mut choices);
        for message in &case.schema.messages {
            let syntax = case.schema.files[message.file].syntax;
            for field in &message.fields {
                let kind = match field.kind {
                    Kind::Message(_) => "message".into(),
                    Kind::Enum(e) => format!("enum, closed {}", case.schema.enums[e].closed),
                    kind => format!("{kind:?}"),
                };
                see(format!("{:?} {kind}", field.card));
                see(format!("{syntax:?} {:?}", field.card));
                let oneof = field.oneof.is_some();
                see(format!("{syntax:?} delimited {}, oneof {oneof}", field.delimited));
                see(format!("packed {}, utf8 {}", field.packed, field.utf8));
                see(format!("extension {}", field.extension));
            }
            see(format!("wide {}", message.fields.len() > 64));
            see(format!("set {}, with fields {}", message.message_set, !message.fields.is_empty()));
        }
        for _ in 0..4 {
            let (_, found) = case.reference(&case.payload(&mut choices));
            events.extend(found);
            let mut broken = case.payload(&mut choices);
            mutate(&mut broken, &mut choices);
            events.extend(case.reference(&broken).1);
        }
    }
    // 15 scalars, messages and two sorts of enum, each with its cardinalities: implicit presence is not for
    // messages and closed enums, and maps count by their entries.
    let count = |prefix: &str| seen.iter().filter(|s| s.starts_with(prefix)).count();
    let counts = ["Implicit", "Optional", "Required", "Repeated", "Map"].map(count);
    assert_eq!(counts, [16, 18, 18, 18, 1], "{seen:#?}");
    assert_eq!(["Proto2", "Proto3", "Edition2023"].map(count), [4 + 4, 4 + 2, 5 + 4], "{seen:#?}");
    assert_eq!(["packed", "extension", "wide", "set"].map(count), [4, 2, 2, 4], "{seen:#?}");
    assert_eq!(events.len(), 9, "{events:?}");
}
