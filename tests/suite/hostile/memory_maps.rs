//! Memory of what is beside the message: keys that become unique, copies of inputs, stacks. All of it counts against the budget, and all of it is
//! in `capacity`.

use crate::common::heap::{held, measure};
use crate::common::wire::Wire;
use bytes::Buf;
use std::collections::{BTreeMap, HashMap};
use tablepb::json;
use tablepb::partial::Projection;
use tablepb::table::{FieldTable, Kind, MessageTable};
use tablepb::text;
use tablepb::visit::{Field, Sink, Step};
use tablepb::{
    DecodeErrorKind, DecodeOptions, Decoder, DescriptorPool, DynamicMessage, MessageDescriptor, SmallMap,
};

/// A map for each kind of key but `bool`, which has two keys.
static MAPS: MessageTable = MessageTable::new(
    "t.Maps",
    &[
        FieldTable::map("m1", 1, Kind::Int32, Kind::Int32),
        FieldTable::map("m2", 2, Kind::String, Kind::String),
        FieldTable::map("m3", 3, Kind::Uint64, Kind::Message(|| &MAPS)),
        FieldTable::map("m4", 4, Kind::Int64, Kind::Bytes),
        FieldTable::map("m5", 5, Kind::Uint32, Kind::Bool),
        FieldTable::map("m6", 6, Kind::Sint32, Kind::Double),
        FieldTable::map("m7", 7, Kind::Sint64, Kind::Int32),
        FieldTable::map("m8", 8, Kind::Fixed32, Kind::Int32),
        FieldTable::map("m9", 9, Kind::Fixed64, Kind::Int32),
        FieldTable::map("m10", 10, Kind::Sfixed32, Kind::Int32),
        FieldTable::map("m11", 11, Kind::Sfixed64, Kind::Int32),
        FieldTable::new("list", 12, Kind::Message(|| &MAPS)).repeated(),
        FieldTable::new("inner", 13, Kind::Message(|| &MAPS)),
        FieldTable::new("text", 14, Kind::String),
    ],
);

/// The least that a block of an allocator, an error and what it says may take beside a budget.
const SLACK: usize = 16 << 10;

fn maps() -> MessageDescriptor {
    DescriptorPool::from_tables(&[&MAPS]).unwrap().message("t.Maps").unwrap()
}

/// The key of this number, as field 1 of an entry.
fn key(field: u32, number: u32) -> Wire {
    match field {
        2 => Wire::new().bytes(1, number.to_string()),
        8 | 10 => Wire::new().fixed32(1, number),
        9 | 11 => Wire::new().fixed64(1, number.into()),
        _ => Wire::new().int(1, number.into()),
    }
}

/// 33 keys, so that repeated ones stay until the end; then the empty one again and again.
fn repeated(field: u32, count: usize) -> Vec<u8> {
    let many = (1..34).fold(Wire::new(), |wire, number| wire.message(field, key(field, number)));
    [many.0, Wire::new().message(field, Wire::new()).0.repeat(count)].concat()
}

/// As many keys, all different.
fn different(field: u32, count: usize) -> Vec<u8> {
    let entry = |wire: Wire, number: usize| wire.message(field, key(field, number as u32 * 7919 + 1));
    (0..count / 8).fold(Wire::new(), entry).0
}

/// Many maps that are settled at the end.
fn many_maps(count: usize) -> Vec<u8> {
    let entries = (0..40).fold(Wire::new(), |wire, number| wire.message(1, key(1, number)));
    Wire::new().message(12, entries).0.repeat(count / 80)
}

/// Budgets from a generous one down to next to nothing: none is exceeded, the largest is enough, and the smallest is not.
fn sweep(what: &str, len: usize, mut run: impl FnMut(usize) -> bool) {
    let most = (1 << 16) + 100 * len;
    let (mut done, mut refused, mut worst) = (false, 0, 0.0f64);
    for budget in core::iter::successors(Some(most), |budget| Some(budget / 8 * 5)).take(16) {
        let (ok, used) = measure(|| run(budget));
        worst = worst.max(used.peak as f64 / budget as f64);
        assert!(used.peak <= budget + SLACK, "{what}: {} for a budget of {budget}, {ok}", used.peak);
        (done, refused) = (done || ok, refused + usize::from(!ok));
    }
    println!("{what}: {worst:.3} of the budget at most, {refused} refused");
    assert!(done && refused > 0, "{what}: {refused} refused");
}

/// Entries for one input: enough that the smallest budget is too small.
const COUNT: usize = if cfg!(debug_assertions) { 1 << 13 } else { 1 << 17 };

#[test]
fn making_keys_unique_takes_no_more_than_the_budget() {
    let descriptor = maps();
    let mut inputs: Vec<(String, Vec<u8>)> = Vec::new();
    for field in 1..=11 {
        inputs.push((format!("m{field}, repeated"), repeated(field, COUNT)));
        inputs.push((format!("m{field}, different"), different(field, COUNT)));
    }
    inputs.push(("many maps".into(), many_maps(COUNT)));
    let two = [repeated(1, COUNT / 2), repeated(2, COUNT / 2)].concat();
    inputs.push(("two maps".into(), two));
    let projection = Projection::new(&descriptor, ["m1", "m2", "list.m1"]).unwrap().pass_through();
    for (name, input) in &inputs {
        let options = |budget| DecodeOptions::new().budget(budget);
        let decoder = |budget| Decoder::new(&descriptor).with_options(options(budget));
        sweep(&format!("{name}, view"), input.len(), |budget| decoder(budget).decode(input).is_ok());
        sweep(&format!("{name}, owned"), input.len(), |budget| {
            options(budget).decode_dynamic(&descriptor, input).is_ok()
        });
        sweep(&format!("{name}, chunks"), input.len(), |budget| {
            decoder(budget).decode_buf(input[..5].chain(&input[5..])).is_ok()
        });
        sweep(&format!("{name}, merge"), input.len(), |budget| {
            options(budget).merge(&mut DynamicMessage::new(&descriptor), input).is_ok()
        });
        let cut = input.len() - 2;
        for budget in [1 << 16, 1 << 18, 1 << 20, 1 << 22] {
            let mut used = decoder(budget).with_projection(&projection);
            let (_, projected) = measure(|| used.decode(input).is_ok());
            let (_, cut) = measure(|| decoder(budget).decode(&input[..cut]).is_ok());
            assert!(projected.peak.max(cut.peak) <= budget + SLACK, "{name}: {projected:?} {cut:?}");
        }
    }
}

/// What a merge may take more, it takes because of what the message holds.
#[test]
fn making_keys_unique_in_a_merge_takes_the_budget_and_six_times_the_message() {
    let descriptor = maps();
    for field in 1..=11 {
        let (start, more) = (different(field, COUNT), repeated(field, COUNT / 2));
        let message = DynamicMessage::decode(&descriptor, &start).unwrap();
        let mut merged = 0;
        // Lists double, so entries of two bytes take up to 48 times as much.
        for budget in [1, 4, 16, 64].map(|times| times * more.len()) {
            let mut copy = message.clone();
            let bound = budget + SLACK + 6 * copy.capacity();
            let (ok, used) = measure(|| DecodeOptions::new().budget(budget).merge(&mut copy, &more).is_ok());
            assert!(used.peak <= bound, "m{field}: {used:?} for {budget} and {}", message.capacity());
            merged += usize::from(ok);
            let keys = copy.get_field(field).unwrap().as_map().unwrap();
            assert!(keys.len() >= message.get_field(field).unwrap().as_map().unwrap().len());
        }
        assert!((1..4).contains(&merged), "m{field}: {merged}");
    }
}

#[test]
fn making_keys_of_text_unique_takes_no_more_than_the_budget() {
    let descriptor = maps();
    let count = COUNT / 4;
    let many: Vec<String> = (1..34).map(|i| format!("\"{i}\":0")).collect();
    let json = format!("{{\"m1\":{{{}{}}}}}", many.join(","), ",\"0\":0".repeat(count));
    let strings = format!("{{\"m2\":{{\"a\":\"{}\"{}}}}}", "x".repeat(count), ",\"\":\"yy\"".repeat(count));
    for json in [json, strings] {
        sweep("JSON", json.len(), |budget| {
            let options = json::Parser::new().allow_duplicate_keys(true).budget(budget);
            options.message_from_slice(&descriptor, json.as_bytes()).is_ok()
        });
    }
    let many: String = (1..34).map(|i| format!("m1{{key:{i}}}")).collect();
    let entries: String = (1..41).map(|i| format!("m1{{key:{i}}}")).collect();
    let texts = [
        many + &"m1{}".repeat(count),
        format!("list{{{entries}}}").repeat(count / 80),
        "m2{key:'a key' value:'and a value'}".repeat(count),
    ];
    for text in &texts {
        sweep("text format", text.len(), |budget| {
            text::Parser::new().budget(budget).message_from_str(&descriptor, text).is_ok()
        });
    }
}

#[derive(Default)]
struct Ordered {
    numbers: BTreeMap<i32, i32>,
    texts: BTreeMap<String, String>,
}

#[derive(Default)]
struct Hashed {
    numbers: HashMap<i32, i32>,
    texts: HashMap<String, String>,
}

#[derive(Default)]
struct Small {
    numbers: SmallMap<i32, i32>,
    texts: SmallMap<String, String>,
}

tablepb::message! { Ordered as "t.Ordered" { numbers: map<int32, int32> = 1, texts: map<string, string> = 2 } }
tablepb::message! { Hashed as "t.Hashed" { numbers: map<int32, int32> = 1, texts: map<string, string> = 2 } }
tablepb::message! { Small as "t.Small" { numbers: map<int32, int32> = 1, texts: map<string, string> = 2 } }

#[test]
fn maps_of_structs_take_no_more_than_the_budget() {
    for field in [1, 2] {
        let input = different(field, COUNT);
        let again = repeated(field, COUNT);
        fn run<T: tablepb::DecodeOwned>(what: &str, different: &[u8], repeated: &[u8]) {
            sweep(what, different.len(), |budget| {
                DecodeOptions::new().budget(budget).decode::<T>(different).is_ok()
            });
            for budget in [0, 1 << 10, 1 << 14, 1 << 18, 1 << 22] {
                let run = || DecodeOptions::new().budget(budget).decode::<T>(repeated).is_ok();
                let (_, used) = measure(run);
                assert!(used.peak <= budget + SLACK, "{what}: {used:?} for {budget}");
            }
        }
        run::<Ordered>("BTreeMap", &input, &again);
        run::<Hashed>("HashMap", &input, &again);
        run::<Small>("SmallMap", &input, &again);
    }
}

/// Each level costs little on the wire, and a frame of the stack.
#[test]
fn a_deep_message_and_its_stack_take_no_more_than_the_budget_together() {
    let descriptor = maps();
    let deep = (0..8_000).fold(Wire::new(), |inner, _| Wire::new().message(13, inner));
    let flat = Wire::repeat(Wire::new().message(12, Wire::new().bytes(14, "a")), 8_000);
    for input in [deep.0.clone(), [flat.0, deep.0].concat()] {
        let options = DecodeOptions::new().max_depth(u32::MAX);
        let mut done = 0;
        for step in 1..=40 {
            let budget = step * 100_000;
            let decode = || {
                let mut decoder = Decoder::new(&descriptor).with_options(options.budget(budget));
                decoder.decode(&input).err().map_or(0, |error| error.path().steps().len())
            };
            let (levels, used) = measure(decode);
            let ok = levels == 0;
            // The paths of errors are beside the budget: a step of 40 bytes and a name for each level, in a list that grows, and that of
            // the first try.
            assert!(used.peak <= budget + SLACK + 224 * levels, "{used:?} for {budget}, {levels} levels");
            // A decoder that has memory of its own takes what a new one takes.
            let mut warm = Decoder::new(&descriptor).with_options(options.budget(usize::MAX));
            warm.decode(&input).unwrap();
            assert_eq!(warm.with_options(options.budget(budget)).decode(&input).is_ok(), ok, "{budget}");
            done += usize::from(ok);
        }
        assert!(done > 0 && done < 40, "{done}");
    }
}

#[test]
fn an_input_over_the_budget_is_refused_before_it_is_copied() {
    let descriptor = maps();
    let input = Wire::new().bytes(14, vec![b'a'; 8 << 20]).0;
    let options = DecodeOptions::new().budget(64 << 10);
    let chunks = || input[..5].chain(&input[5..]);
    let small = DynamicMessage::decode(&descriptor, b"\x72\x01a").unwrap();
    let mut decoder = Decoder::new(&descriptor).with_options(options);
    let mut message = small.clone();
    let too_much = Some(DecodeErrorKind::BudgetExceeded);
    let results = [
        measure(|| decoder.decode_buf(chunks()).err().map(|error| error.kind())),
        measure(|| options.decode_dynamic(&descriptor, &input).err().map(|error| error.kind())),
        measure(|| options.merge(&mut message, &input).err().map(|error| error.kind())),
    ];
    for (i, (kind, used)) in results.into_iter().enumerate() {
        assert_eq!(kind, too_much, "{i}");
        assert!(used.peak <= 4 << 10, "{i}: {used:?}");
    }
    assert_eq!(message, small);
    options.merge(&mut message, b"\x72\x01b").unwrap();
    assert_eq!(message.get_field("text").unwrap().as_str(), Some("b"));
    // Nothing is copied here; the input is the caller's.
    assert!(decoder.decode(&input).is_ok());
    assert!(decoder.decode_buf(b"\x72".chain(&b"\x01b"[..])).is_ok());
    // What fits is copied once, without room for more.
    let roomy = DecodeOptions::new().budget(input.len() + (64 << 10));
    let (ok, used) = measure(|| Decoder::new(&descriptor).with_options(roomy).decode_buf(chunks()).is_ok());
    assert!(ok && used.peak <= input.len() + (64 << 10), "{used:?}");
}

/// Enters every message.
struct Everything;

impl Sink<'_> for Everything {
    fn begin(&mut self, _: Field<'_>) -> Step {
        Step::Enter
    }
}

fn is_what_is_held(what: &str, capacity: usize, held: usize) {
    assert!(
        capacity.abs_diff(held) <= held / 10 + 64,
        "{what}: a capacity of {capacity}, and {held} are held"
    );
}

#[test]
fn the_capacity_of_a_decoder_is_what_it_holds_and_gives_back() {
    let descriptor = maps();
    let deep = (0..2_000).fold(Wire::new(), |inner, _| Wire::new().message(13, inner)).0;
    let inputs = [repeated(1, COUNT), different(2, COUNT), many_maps(COUNT), deep];
    let options = DecodeOptions::new().budget(1 << 30).max_depth(u32::MAX);
    for (i, input) in inputs.iter().enumerate() {
        let before = held();
        let mut decoder = Decoder::new(&descriptor).with_options(options);
        let agrees = |what: &str, decoder: &mut Decoder| {
            is_what_is_held(&format!("{what} {i}"), decoder.capacity(), held() - before);
            decoder.shrink_to(0);
            is_what_is_held(&format!("{what} {i}, given back"), decoder.capacity(), held() - before);
            assert!(decoder.capacity() <= 64, "{what} {i}: {}", decoder.capacity());
        };
        decoder.decode(input).unwrap();
        agrees("decode", &mut decoder);
        decoder.decode_buf(input[..5].chain(&input[5..])).unwrap();
        agrees("decode_buf", &mut decoder);
        decoder.visit(input, &mut Everything).unwrap();
        agrees("visit", &mut decoder);
        decoder.decode(&input[..input.len() - 1]).unwrap_err();
        agrees("an error", &mut decoder);
    }
}

#[test]
fn the_capacity_of_a_message_is_what_it_holds_and_gives_back() {
    let descriptor = maps();
    let projection = Projection::new(&descriptor, ["m1", "m2"]).unwrap().pass_through();
    for input in [repeated(1, COUNT), different(2, COUNT), many_maps(COUNT), b"\x72\x01a".to_vec()] {
        let makes: [&dyn Fn() -> DynamicMessage; 3] = [
            &|| DynamicMessage::decode(&descriptor, &input).unwrap(),
            &|| projection.decode(&input).unwrap(),
            &|| {
                let mut message = DynamicMessage::new(&descriptor);
                message.merge(&input).unwrap();
                message.merge(&input).unwrap();
                message
            },
        ];
        for make in makes {
            let before = held();
            let mut message = make();
            is_what_is_held("a message", message.capacity(), held() - before);
            message.clear();
            message.shrink_to(0);
            is_what_is_held("a cleared message", message.capacity(), held() - before);
            assert!(message.capacity() <= 64, "{}", message.capacity());
        }
    }
}
