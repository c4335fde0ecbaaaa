//! Memory: how much a decode takes at most, whatever the input, and how often anything is allocated.

use crate::common::bridge::{descriptor, field};
use crate::common::heap::{Use, measure};
use crate::common::samples::{self, rich_payload};
use crate::common::schema::{Card, Kind, Schema, Syntax};
use crate::common::wire::Wire;
use tablepb::partial::Projection;
use tablepb::{DecodeError, DecodeErrorKind, DecodeOptions, Decoder, DynamicMessage, MessageDescriptor};

const MIB: usize = 1 << 20;
/// Large enough that the mebibyte which is free does not matter, if that does not take too long.
const SIZE: usize = if cfg!(debug_assertions) { MIB / 16 } else { 4 * MIB };

/// A schema of its own for what the rich one lacks; message 0.
fn shapes() -> Schema {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto2);
    let root = schema.message(file, "Root");
    let closed = schema.enumeration(file, "Closed", true, &[0, 1]);
    let mut with = |name, count, kind| {
        let message = schema.message(file, name);
        (1..=count).for_each(|n| _ = schema.add(message, n, kind, Card::Optional));
        message
    };
    let six = with("Six", 6, Kind::Int32);
    let forty = with("Forty", 40, Kind::Int64);
    let ninety = with("Ninety", 90, Kind::Int32);
    let wide = with("Wide", 500, Kind::Int64);
    let lists = schema.message(file, "Lists");
    (1..=20).for_each(|n| _ = schema.add(lists, n, Kind::Int32, Card::Repeated));
    let maps = schema.message(file, "Maps");
    (1..=8).for_each(|n| _ = schema.add_map(maps, n, Kind::Int32, Kind::Int32));
    let arms = schema.message(file, "Arms");
    schema.messages[arms].oneofs = 1;
    (1..=100).for_each(|n| schema.add(arms, n, Kind::Int32, Card::Optional).oneof = Some(0));
    for (number, message) in
        [(1, six), (2, six), (3, forty), (4, ninety), (5, wide), (6, lists), (7, maps), (8, arms)]
    {
        schema.add(root, number, Kind::Message(message), Card::Repeated);
    }
    schema.add(root, 9, Kind::String, Card::Repeated);
    schema.add(root, 10, Kind::Bytes, Card::Repeated);
    schema.add_map(root, 11, Kind::String, Kind::String);
    schema.add(root, 12, Kind::Bool, Card::Repeated).packed = true;
    schema.add(root, 13, Kind::Sint64, Card::Repeated).packed = true;
    schema.add(root, 14, Kind::Enum(closed), Card::Repeated).packed = true;
    schema.add(root, 15, Kind::Message(arms), Card::Optional);
    schema
}

/// Small pieces that make large messages, many times over.
fn amplifiers() -> Vec<(&'static str, Wire)> {
    let w = Wire::new;
    vec![
        ("empty messages", w().message(1, w())),
        ("empty messages in two lists", w().message(1, w()).message(2, w())),
        ("empty messages of a large type", w().message(3, w())),
        ("one of forty fields", w().message(3, w().int(1, 1))),
        ("one of ninety fields", w().message(4, w().int(1, 1))),
        ("one of five hundred fields", w().message(5, w().int(1, 1))),
        ("three of five hundred fields", w().message(5, w().int(1, 1).int(200, 1).int(500, 1))),
        ("lists of one", w().message(6, w().int(1, 1))),
        ("twenty lists of one", w().message(6, (1..=20).fold(w(), |w, n| w.int(n, 1)))),
        ("maps of one", w().message(7, w().message(1, w()))),
        ("eight maps of one", w().message(7, (1..=8).fold(w(), |w, n| w.message(n, Wire::new())))),
        ("empty strings", w().bytes(9, [])),
        ("empty strings in two lists", w().bytes(9, []).bytes(10, [])),
        ("empty map entries", w().message(11, w())),
        ("packed bools", w().bytes(12, [1; 100])),
        ("packed integers", w().bytes(13, [1; 100])),
        ("packed runs of one", w().bytes(13, [1])),
        ("numbers the enum does not list", w().bytes(14, [7; 100])),
        ("unknown varints", w().int(127, 0)),
        ("unknown and known fields in turn", w().bytes(9, []).int(15, 0)),
        ("messages with an unknown field", w().message(1, w().int(15, 0))),
        ("members of a wide oneof in turn", w().message(15, (1..=100).fold(w(), |w, n| w.int(n, 1)))),
        ("unknown groups", w().group(127, w())),
    ]
}

fn descriptor_of(schema: &Schema) -> MessageDescriptor {
    descriptor(schema, &schema.pool(), 0)
}

/// The promise: a mebibyte, and 32 bytes per byte of input.
fn promised(input: usize) -> usize {
    MIB + 32 * input
}

/// How a piece of work ended, and what it took.
fn outcome<T>(work: impl FnOnce() -> Result<T, DecodeError>) -> (Option<DecodeErrorKind>, Use) {
    let (result, used) = measure(work);
    (result.err().map(|error| error.kind()), used)
}

#[test]
fn no_input_takes_more_than_the_budget() {
    let root = descriptor_of(&shapes());
    for (name, piece) in amplifiers() {
        let input = Wire::repeat(piece.clone(), SIZE / piece.0.len()).0;
        let view = outcome(|| Decoder::new(&root).decode(&input).map(drop));
        let owned = outcome(|| DynamicMessage::decode(&root, &input));
        let shared = input.clone().into();
        let shared = outcome(|| DynamicMessage::decode_shared(&root, &shared));
        for (what, (fault, used)) in [("view", view), ("owned", owned), ("shared", shared)] {
            let per_byte = used.peak as f64 / input.len() as f64;
            println!("{name}, {what}: {per_byte:.1} bytes per byte, {} allocations, {fault:?}", used.count);
            assert!(used.peak <= promised(input.len()), "{name}, {what}: {used:?}");
            assert!(fault.is_none_or(|kind| kind == DecodeErrorKind::BudgetExceeded), "{name}: {fault:?}");
        }
    }
}

#[test]
fn no_json_takes_more_than_the_budget() {
    let root = descriptor_of(&shapes());
    let fields = [
        ("f1", "{}"),
        ("f3", "{}"),
        ("f3", r#"{"f1":1}"#),
        ("f4", r#"{"f1":1}"#),
        ("f5", r#"{"f1":1}"#),
        ("f5", r#"{"f1":1,"f200":1,"f500":1}"#),
        ("f6", r#"{"f1":[1],"f2":[1]}"#),
        ("f7", r#"{"f1":{"1":1},"f2":{"1":1},"f3":{}}"#),
        ("f8", r#"{"f1":1}"#),
        ("f9", r#""""#),
        (
            "f9", r#""a
""#,
        ),
        ("f10", r#""AA==""#),
        ("f12", "true"),
        ("f13", "1"),
    ];
    for (name, element) in fields {
        let list = vec![element; SIZE / (element.len() + 1)].join(",");
        for json in
            [format!(r#"{{"{name}":[{list}]}}"#), format!(r#"{{"{name}":[{list}"#), format!("[{list}]")]
        {
            let (result, used) =
                measure(|| tablepb::json::message_from_slice(&root, json.as_bytes()).map(drop));
            let kind = result.err().map(|error| error.kind());
            println!(
                "{name} {element}: {:.1} bytes per byte, {kind:?}",
                used.peak as f64 / json.len() as f64
            );
            assert!(used.peak <= promised(json.len()), "{name} {element}: {used:?}");
        }
    }
    let map = (0..SIZE / 10).fold(String::new(), |map, key| map + &format!(r#""{key}":"","#));
    let (result, used) = measure(|| {
        tablepb::json::message_from_slice(
            &root,
            format!(r#"{{"f11":{{{}}}}}"#, map.trim_end_matches(',')).as_bytes(),
        )
    });
    assert!(result.is_ok() && used.peak <= promised(map.len()) + 2 * map.len(), "{used:?}");
}

#[test]
fn no_text_takes_more_than_the_budget() {
    let root = descriptor_of(&shapes());
    let fields = [
        ("f1", "{}"),
        ("f3", "{}"),
        ("f3", "{f1:1}"),
        ("f4", "{f1:1}"),
        ("f5", "{f1:1}"),
        ("f5", "{f1:1 f200:1 f500:1}"),
        ("f6", "{f1:1 f2:1}"),
        ("f7", "{f1{} f2{} f3{}}"),
        ("f7", "{f1{key:1} f2{key:1} f3{key:1}}"),
        ("f8", "{f1:1}"),
        ("f9", "''"),
        ("f9", r"'\x41'"),
        ("f10", r"'\377'"),
        ("f12", "t"),
        ("f13", "1"),
    ];
    for (name, element) in fields {
        let list = vec![element; SIZE / (element.len() + 1)].join(",");
        let each = format!("{name}:{element} ");
        for text in [
            format!("{name}:[{list}]"),
            format!("{name}:[{list}"),
            each.repeat(SIZE / each.len()),
            format!("[{list}]"),
        ] {
            let (result, used) = measure(|| tablepb::text::message_from_str(&root, &text).map(drop));
            let kind = result.err().map(|error| error.kind());
            println!(
                "{name} {element}: {:.1} bytes per byte, {kind:?}",
                used.peak as f64 / text.len() as f64
            );
            assert!(used.peak <= promised(text.len()), "{name} {element}: {used:?}");
        }
    }
    let map = (0..SIZE / 16).fold(String::new(), |map, key| map + &format!("f11{{key:'{key}'}}"));
    let (result, used) = measure(|| tablepb::text::message_from_str(&root, &map));
    assert!(result.is_ok() && used.peak <= promised(map.len()), "{:?} {used:?}", result.err());
}

/// Projections of the same messages: one field of each sub-message, everything lazy, and both with bytes kept.
fn projections(root: &MessageDescriptor) -> Vec<(&'static str, Projection)> {
    let names =
        ["f1.f1", "f2.f1", "f3.f1", "f4.f1", "f5.f1", "f6.f1", "f7.f1", "f8.f1", "f9", "f14", "f15.f1"];
    let some = Projection::new(root, names).unwrap();
    let lazy = Projection::all(root).lazy(["*"]).unwrap();
    let both = Projection::new(root, names).unwrap().lazy(["f3", "f8"]).unwrap().pass_through();
    vec![("some", some.clone()), ("some kept", some.pass_through()), ("lazy", lazy), ("both", both)]
}

#[test]
fn no_projection_takes_more_than_the_budget() {
    let root = descriptor_of(&shapes());
    for (how, projection) in projections(&root) {
        for (name, piece) in amplifiers() {
            let input = Wire::repeat(piece.clone(), SIZE / piece.0.len()).0;
            let decoder = || Decoder::new(&root).with_projection(&projection);
            let view = outcome(|| decoder().decode(&input).map(drop));
            let owned = outcome(|| projection.decode(&input));
            for (what, (fault, used)) in [("view", view), ("owned", owned)] {
                assert!(used.peak <= promised(input.len()), "{how}, {name}, {what}: {used:?}");
                assert!(
                    fault.is_none_or(|kind| kind == DecodeErrorKind::BudgetExceeded),
                    "{name}: {fault:?}"
                );
            }
        }
    }
}

/// What takes less than 28 bytes per byte is accepted: growing must not cost what the promise allows to keep.
#[test]
fn the_budget_is_for_messages_not_for_growing() {
    let root = descriptor_of(&shapes());
    for (name, piece) in amplifiers() {
        let input = Wire::repeat(piece.clone(), SIZE / piece.0.len()).0;
        let unlimited = DecodeOptions::new().budget(usize::MAX);
        let message = unlimited.decode_dynamic(&root, &input).unwrap();
        let (copy, used) = measure(|| message.clone());
        assert!(copy.capacity() >= used.kept);
        let accepted = DynamicMessage::decode(&root, &input).is_ok();
        assert!(accepted || used.kept > 28 * input.len(), "{name}: {} for {}", used.kept, input.len());
    }
}

#[test]
fn a_smaller_budget_holds_as_well() {
    let root = descriptor_of(&shapes());
    let rich = descriptor_of(&samples::rich());
    let mut inputs: Vec<_> = amplifiers()
        .into_iter()
        .map(|(name, piece)| (name, &root, Wire::repeat(piece.clone(), 20_000 / piece.0.len()).0))
        .collect();
    inputs.push(("a rich message", &rich, rich_payload().repeat(100)));
    // What an error takes: itself, its path, its names.
    const ERROR: usize = 2048;
    for (name, descriptor, input) in &inputs {
        let mut accepted = 0;
        for budget in [0, 100, 1000, 10_000, 30_000, 100_000, 1_000_000, 3_000_000] {
            let options = DecodeOptions::new().budget(budget);
            let mut decoder = Decoder::new(descriptor).with_options(options);
            let view = outcome(|| decoder.decode(input).map(drop));
            let owned = outcome(|| options.decode_dynamic(descriptor, input));
            for (fault, used) in [view, owned] {
                assert!(used.peak <= budget + ERROR, "{name} with {budget}: {used:?}");
                assert!(
                    fault.is_none_or(|kind| kind == DecodeErrorKind::BudgetExceeded),
                    "{name}: {fault:?}"
                );
                accepted += usize::from(fault.is_none());
            }
            // An input that is refused leaves a decoder that works.
            assert!(decoder.decode(&[]).is_ok() || budget < 1000);
        }
        assert!(accepted >= 2, "{name}: {accepted}");
    }
}

#[test]
fn three_fields_of_five_hundred_take_what_three_fields_take() {
    let root = descriptor_of(&shapes());
    const COUNT: usize = 5000;
    for numbers in [[1, 2, 3], [1, 200, 500], [15, 16, 450]] {
        let row = numbers.iter().fold(Wire::new(), |w, &n| w.int(n, 1));
        let wire = row.0.len() + 2;
        let input = Wire::repeat(Wire::new().message(5, row), COUNT).0;
        let message = DynamicMessage::decode(&root, &input).unwrap();
        let (_, used) = measure(|| message.as_view().to_owned());
        let each = used.kept / COUNT;
        println!("{numbers:?}: {each} bytes for {wire}");
        assert!(each <= (32 * wire).max(256), "{each} bytes for {wire}");
    }
}

#[test]
fn unknown_fields_take_little() {
    let root = descriptor_of(&shapes());
    for piece in [Wire::new().int(127, 0), Wire::new().bytes(127, "abc"), Wire::new().group(127, Wire::new())]
    {
        let input = Wire::repeat(piece.clone(), SIZE / piece.0.len()).0;
        let (_, view) = outcome(|| Decoder::new(&root).decode(&input).map(drop));
        let (_, owned) = outcome(|| DynamicMessage::decode(&root, &input));
        assert!(view.peak <= 1 << 12 && owned.peak <= 4 * input.len(), "{view:?} {owned:?}");
    }
}

/// The bytes are not touched, so the system does not really have to provide them. Where addresses have 32 bits, no slice
/// is as long.
#[test]
#[cfg(target_pointer_width = "64")]
fn inputs_above_two_gibibytes_are_refused() {
    let root = descriptor_of(&shapes());
    let input = vec![0; 1 << 31];
    let mut decoder = Decoder::new(&root);
    let (view, used) = outcome(|| decoder.decode(&input).map(drop));
    assert_eq!(view, Some(DecodeErrorKind::TooLarge));
    assert!(used.peak < 1 << 12, "{used:?}");
    let (owned, used) = outcome(|| DynamicMessage::decode(&root, &input));
    assert_eq!(owned, Some(DecodeErrorKind::TooLarge));
    assert!(used.peak < 1 << 12, "{used:?}");
    let mut message = DynamicMessage::decode(&root, &[0x4a, 1, b'a']).unwrap();
    let before = message.clone();
    assert_eq!(message.merge(&input).unwrap_err().kind(), DecodeErrorKind::TooLarge);
    assert_eq!(message, before);
    assert!(decoder.decode(&[0x4a, 1, b'a']).is_ok());
}

/// Inputs that a program might see one after the other.
fn ordinary() -> Vec<(MessageDescriptor, Vec<u8>)> {
    let rich = descriptor_of(&samples::rich());
    let root = descriptor_of(&shapes());
    let map = |w: Wire, k: u64| w.message(5, Wire::new().int(1, k * 7919 % 1000).int(2, k));
    let mut inputs = vec![
        (rich.clone(), rich_payload()),
        (rich.clone(), rich_payload().repeat(50)),
        (rich.clone(), samples::nested(8).0),
        (rich, (0..2000).fold(Wire::new(), map).0),
    ];
    for (_, piece) in amplifiers() {
        inputs.push((root.clone(), Wire::repeat(piece, 30).0));
    }
    inputs
}

#[test]
#[cfg_attr(tablepb_poison, ignore = "the look at all strings after a decode allocates")]
fn a_decoder_that_has_warmed_up_allocates_nothing() {
    for (i, (descriptor, input)) in ordinary().iter().enumerate() {
        let mut decoder = Decoder::new(descriptor);
        decoder.decode(input).unwrap();
        let (_, used) = measure(|| {
            for _ in 0..3 {
                decoder.decode(input).unwrap();
                decoder.decode(&[]).unwrap();
            }
        });
        assert_eq!(used.count, 0, "input {i}: {used:?}");
    }
}

#[test]
fn encoding_into_a_warm_buffer_allocates_nothing() {
    // As deep as the default limit allows, too.
    let deep = [13, 50, 100].map(|levels| (descriptor_of(&samples::rich()), samples::nested(levels).0));
    for (i, (descriptor, input)) in ordinary().iter().chain(&deep).enumerate() {
        let message = DynamicMessage::decode(descriptor, input).unwrap();
        let mut buffer = Vec::new();
        message.encode(&mut buffer).unwrap();
        let len = buffer.len();
        let mut slice = vec![0; len];
        let (_, used) = measure(|| {
            for _ in 0..3 {
                buffer.clear();
                message.encode(&mut buffer).unwrap();
                assert_eq!(message.encoded_len(), len);
            }
        });
        assert_eq!(used.count, 0, "input {i}: {used:?}");
        // A new vector is one allocation of just its size.
        let (bytes, used) = measure(|| message.encode_to_vec().unwrap());
        assert_eq!(bytes.capacity(), len);
        assert_eq!(used.count, 1, "input {i}: {used:?}");
        assert_eq!(message.encode_to_slice(&mut slice).unwrap(), len);
    }
}

#[test]
fn reading_and_comparing_allocate_nothing() {
    let schema = samples::rich();
    let rich = descriptor_of(&schema);
    let message = DynamicMessage::decode(&rich, &rich_payload()).unwrap();
    let fields: Vec<_> = schema.messages[0].fields.iter().map(|f| field(&rich, f.number)).collect();
    let copy = message.clone();
    let (seen, used) = measure(|| {
        assert!(message == copy && message.is_initialized());
        let mut seen = 0;
        for field in &fields {
            seen += usize::from(message.has_field(field));
            seen += usize::from(
                message.get_field(field).unwrap().as_list().is_some_and(|list| list.iter().len() > 0),
            );
        }
        seen + message.fields().count() + message.unknown_fields().count()
    });
    assert!(seen > 20);
    assert_eq!(used.count, 0, "{used:?}");
}

#[test]
fn a_dynamic_message_is_few_allocations() {
    for (i, (descriptor, input)) in ordinary().iter().enumerate() {
        let (message, used) = measure(|| DynamicMessage::decode(descriptor, input).unwrap());
        println!("{i}: {} bytes, {} allocations", input.len(), used.count);
        assert!(used.count <= 16, "input {i} of {} bytes: {used:?}", input.len());
        let (copy, used) = measure(|| message.clone());
        assert!(used.count <= 2, "{used:?}");
        let (_, used) = measure(move || drop(copy));
        assert_eq!(used.count, 0);
        // Clearing keeps the memory; what a merge needs beside is small.
        let mut message = message;
        let (_, used) = measure(|| {
            message.clear();
            message.merge(input).unwrap();
        });
        assert!(used.count <= 12 && used.kept == 0, "input {i}: {used:?}");
    }
    let empty = descriptor_of(&samples::t());
    assert_eq!(measure(|| DynamicMessage::new(&empty)).1.count, 0);
}

/// What a message of numbers takes is known before the first one is set, and a few small messages in a message are expected.
#[test]
fn small_messages_are_made_in_one_block() {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Proto2);
    let outer = schema.message(file, "Outer");
    let inner = schema.message(file, "Inner");
    (1..=3).for_each(|n| _ = schema.add(inner, n, Kind::Int32, Card::Optional));
    (1..=3).for_each(|n| _ = schema.add(outer, n, Kind::Message(inner), Card::Optional));
    let outer = descriptor_of(&schema);
    let tablepb::table::Kind::Message(inner) = outer.get_field(1).unwrap().kind() else {
        panic!("a message")
    };

    let build = || {
        let mut message = DynamicMessage::new(&inner);
        for number in 1..=3 {
            message.set_field(&inner.get_field(number).unwrap(), 300).unwrap();
        }
        message
    };
    let (built, used) = measure(build);
    assert!(used.count == 1 && used.kept <= 32, "{used:?}");
    let (copy, used) = measure(|| built.as_view().to_owned());
    assert!(used.count == 1 && used.kept <= 32 && copy == built, "{used:?}");
    // Without memory beyond the numbers, the first unknown field makes it grow.
    let mut merged = copy;
    merged.merge(&Wire::new().int(9, 1).0).unwrap();
    assert_eq!(merged.encode_to_vec().unwrap(), [built.encode_to_vec().unwrap(), vec![72, 1]].concat());

    let part = built.encode_to_vec().unwrap();
    let input = (1..=3).fold(Wire::new(), |wire, number| wire.bytes(number, &part));
    let (message, used) = measure(|| DynamicMessage::decode(&outer, &input.0).unwrap());
    // Numbers do not refer to the input, so it is not copied. The first parents of the decode need no block.
    assert!(used.count == 1 && message.encode_to_vec().unwrap() == input.0, "{used:?}");
}
