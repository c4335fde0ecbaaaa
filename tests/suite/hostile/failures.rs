//! What holds after an operation that failed, and for an object that is used again.

use crate::common::proportion::assert_within;
use tablepb::ParseErrorKind;
use tablepb::dynamic::RawMessage;
use tablepb::json;
use tablepb::partial::Projection;
use tablepb::table::{EnumTable, FieldTable, Kind, MessageTable};
use tablepb::{
    DecodeErrorKind, DecodeOptions, Decoder, DescriptorPool, DynamicMessage, MessageDescriptor, MessageView,
    ValueRef, text,
};

static LEVEL: EnumTable = EnumTable::new("f.Level", &[("LOW", 0), ("HIGH", 1)]).closed();
static NODE: MessageTable = MessageTable::new(
    "f.Node",
    &[
        FieldTable::new("raw", 1, Kind::Bytes).oneof("value"),
        FieldTable::new("text", 2, Kind::String).oneof("value"),
        FieldTable::new("number", 3, Kind::Fixed64).oneof("value"),
        FieldTable::map("levels", 4, Kind::Uint64, Kind::Enum(|| &LEVEL)),
        FieldTable::new("numbers", 5, Kind::Fixed64).repeated(),
        FieldTable::new("children", 6, Kind::Message(|| &NODE)).repeated(),
        FieldTable::new("child", 7, Kind::Message(|| &NODE)),
        FieldTable::map("names", 8, Kind::String, Kind::Int32),
    ],
);

fn node() -> MessageDescriptor {
    DescriptorPool::from_tables(&[&NODE]).unwrap().message("f.Node").unwrap()
}

fn write_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Reads everything: how many strings there are, all of them UTF-8.
fn read(view: MessageView<'_, '_>) -> usize {
    let check = |text: &str| std::str::from_utf8(text.as_bytes()).is_ok() as usize;
    let one = |value: ValueRef<'_, '_>| match value {
        ValueRef::String(text) => {
            assert_eq!(check(text), 1, "{:02x?}", text.as_bytes());
            1
        }
        ValueRef::Message(message) => read(message),
        _ => 0,
    };
    let mut count = 0;
    for (_, value) in view.fields() {
        count += match value {
            ValueRef::List(list) => list.iter().map(one).sum(),
            ValueRef::Map(map) => map.iter().map(|(_, value)| one(value)).sum(),
            value => one(value),
        };
    }
    count
}

#[test]
fn a_map_entry_that_cannot_be_ended_leaves_its_parent_the_presence_bits_it_has() {
    let node = node();
    let text = node.field("text").unwrap();
    // The oneof goes from text to bytes that are not UTF-8, the last map entry has a number that is not listed.
    for replaced in [&b"\x0a\x04\xf7\xbf\xbf\xbf"[..], b"\x19\x10\x00\x00\x00\x04\x00\x00\x80"] {
        let mut input = replaced.to_vec();
        for key in 0..3 {
            input.extend([0x22, 4, 8, key, 16, 1]);
        }
        for _ in 0..20 {
            input.extend(b"\x32\x02\x12\x00");
        }
        input.extend([0x22, 4, 8, 9, 16, 99]);
        let mut failed = 0;
        for budget in (0..8000).step_by(4) {
            let mut message = DynamicMessage::decode(&node, b"\x12\x05hello").unwrap();
            let options = DecodeOptions::new().budget(budget);
            match options.merge(&mut message, &input) {
                Ok(()) => assert!(message.get(&text).is_none()),
                Err(error) => {
                    failed += 1;
                    assert_eq!(error.kind(), DecodeErrorKind::BudgetExceeded);
                    let kept = message.get(&text).map(|text| text.as_str() == Some("hello"));
                    assert!(kept.unwrap_or(true), "{budget}");
                }
            }
            read(message.as_view());
            let copy = DynamicMessage::decode(&node, &message.encode_to_vec().unwrap()).unwrap();
            assert_eq!(copy, message, "{budget}");
            message.merge(b"\x12\x02ok").unwrap();
            assert_eq!(message.get(&text).unwrap().as_str(), Some("ok"));
        }
        assert!(failed > 100, "{failed}");
    }
}

#[test]
fn strings_are_whole_after_a_failure_however_old_the_memory_is() {
    let node = node();
    let mut message = DynamicMessage::new(&node);
    // Words that would be a string of four bytes, with every bit that could be a mark.
    let numbers: Vec<u8> = (0..600).flat_map(|_| (3u64 | 4 << 32 | 1 << 63).to_le_bytes()).collect();
    let mut old = vec![0x2a, 0xc0, 0x25];
    old.extend(&numbers);
    let mut input = vec![];
    for i in 0..60u8 {
        input.extend(b"\x32\x08\x12\x06\xc3\xa9\xc3\xa9\xc3\xa9");
        input.extend([0x42, 5, 0x0a, 1, b'a' + i % 26, 16, i]);
    }
    for cut in (0..=input.len()).step_by(7) {
        message.clear();
        message.merge(&old).unwrap();
        message.clear();
        let _ = DecodeOptions::new().budget(cut * 9).merge(&mut message, &input[..cut]);
        read(message.as_view());
        message.merge(b"\x32\x04\x12\x02ok").unwrap();
        assert!(read(message.as_view()) >= 1);
        let copy = message.as_view().to_owned();
        assert_eq!(copy, message);
    }
}

#[test]
fn a_decoder_takes_small_messages_after_a_large_one() {
    let node = node();
    let smalls =
        [&b"\x3a\x00"[..], b"\x3a\x02\x3a\x00", b"\x42\x03\x0a\x01a", b"\x12\x01a", b"\x32\x00\x32\x00"];
    for numbers in [1_000usize, 20_000, 40_000, 300_000] {
        let mut large = DynamicMessage::new(&node);
        large.set_field("numbers", vec![tablepb::Value::U64(7); numbers]).unwrap();
        let large = large.encode_to_vec().unwrap();
        for shrink in [None, Some(0), Some(1 << 20)] {
            let mut decoder = Decoder::new(&node);
            decoder.decode(&large).unwrap();
            if let Some(bytes) = shrink {
                decoder.shrink_to(bytes);
            }
            for small in smalls {
                let fresh = DynamicMessage::decode(&node, small).unwrap();
                assert_eq!(
                    decoder.decode(small).unwrap(),
                    fresh.as_view(),
                    "{numbers} {shrink:?} {small:02x?}"
                );
            }
        }
    }
}

#[test]
fn decoders_that_keep_bytes_are_as_good_as_new_after_a_large_message() {
    let node = node();
    let numbers = [&[0x2a, 0x80, 0x7d][..], &[0xff; 16_000]].concat();
    let inputs = [
        &b"\x3a\x00"[..],
        b"\x3a\x04\x12\x02ab\x3a\x02\x32\x00",
        b"\x32\x04\x12\x02ab\x32\x00\x32\x02\x3a\x00\xf8\x01\x07",
        b"\x42\x05\x0a\x01a\x10\x01\x3a\x02\x08\x01",
    ];
    let lazy = Projection::all(&node).lazy(["*"]).unwrap();
    let passing = Projection::new(&node, ["child.text"]).unwrap().pass_through();
    for projection in [lazy, passing] {
        let mut used = Decoder::new(&node).with_projection(&projection);
        for input in inputs {
            // Words that are all ones are left of the one before.
            used.decode(&numbers).unwrap();
            let mut fresh = Decoder::new(&node).with_projection(&projection);
            let (used, fresh) = (used.decode(input).unwrap(), fresh.decode(input).unwrap());
            assert_eq!(used, fresh, "{input:02x?}");
            assert_eq!(used.encode_to_vec().unwrap(), fresh.encode_to_vec().unwrap(), "{input:02x?}");
            assert_eq!(format!("{:?}", used.to_owned()), format!("{:?}", fresh.to_owned()), "{input:02x?}");
        }
    }
}

#[test]
fn memory_that_is_not_in_use_can_be_given_up() {
    let node = node();
    let numbers = [&[0x2a, 0x80, 0x7d][..], &[0xff; 16_000]].concat();
    let mut decoder = Decoder::new(&node);
    decoder.decode(&numbers).unwrap();
    assert!(decoder.capacity() >= numbers.len());
    decoder.decode(b"\x12\x02ok").unwrap();
    decoder.shrink_to(1000);
    assert!(decoder.capacity() <= 1100, "{}", decoder.capacity());
    let mut message = DynamicMessage::decode(&node, &numbers).unwrap();
    message.clear();
    assert!(message.capacity() >= 2 * numbers.len());
    message.merge(b"\x12\x02ok").unwrap();
    message.shrink_to(0);
    assert!(message.capacity() <= 200, "{}", message.capacity());
    assert_eq!(message, DynamicMessage::decode(&node, b"\x12\x02ok").unwrap());
}

#[test]
fn what_a_budget_allows_does_not_depend_on_what_was_decoded_before() {
    let node = node();
    let mut nested = vec![];
    for _ in 0..60 {
        let mut outer = vec![0x3a];
        write_varint(&mut outer, nested.len() as u64);
        outer.extend(&nested);
        nested = outer;
    }
    let mut flat = b"\x32\x04\x12\x02ab".repeat(200);
    flat.extend(b"\x42\x05\x0a\x01a\x10\x01".repeat(50));
    let mut used = Decoder::new(&node);
    used.decode(&flat.repeat(50)).unwrap();
    used.decode(&nested).unwrap();
    for input in [&nested, &flat] {
        for budget in (0..24_000).step_by(97) {
            let options = DecodeOptions::new().budget(budget);
            let mut fresh = Decoder::new(&node).with_options(options);
            let mut again = used.clone().with_options(options);
            // A clone holds less than the original; the original is used as well.
            used = used.with_options(options);
            let fresh = fresh.decode(input).is_ok();
            assert_eq!(used.decode(input).is_ok(), fresh, "{budget}");
            assert_eq!(again.decode(input).is_ok(), fresh, "{budget}");
        }
    }
}

/// A slab that held less than a body, and could not grow beside what it held, was not given up for one that can.
#[test]
fn a_decoder_with_little_memory_left_takes_what_a_new_one_takes() {
    let node = node();
    let (mut taken, mut refused) = (0, 0);
    for kept in (0..400).step_by(8) {
        for budget in (0..600).step_by(7) {
            let options = DecodeOptions::new().budget(budget);
            let mut used = Decoder::new(&node);
            used.decode(b"\x3a\x00").unwrap();
            used.shrink_to(kept);
            let fresh = Decoder::new(&node).with_options(options).decode(b"\x12\x01a").is_ok();
            assert_eq!(used.with_options(options).decode(b"\x12\x01a").is_ok(), fresh, "{kept} {budget}");
            *(if fresh { &mut taken } else { &mut refused }) += 1;
        }
    }
    assert!(taken > 100 && refused > 100, "{taken} {refused}");
}

#[test]
fn a_message_takes_small_merges_however_large_it_is() {
    let node = node();
    let numbers: Vec<u8> = [&[0x2a, 0xe8, 7][..], &[7; 1000]].concat();
    let chunks = [numbers, b"\x32\x04\x12\x02ab".repeat(160), b"\x32\x00".repeat(500)];
    for chunk in chunks {
        let mut message = DynamicMessage::new(&node);
        let total = if cfg!(debug_assertions) { 500_000 } else { 10_000_000 };
        for _ in 0..total / chunk.len() {
            message.merge(&chunk).unwrap();
        }
        let bytes = message.encode_to_vec().unwrap();
        assert!(bytes.len() > total / 10 * 9);
        assert!(
            message.capacity() <= 32 * bytes.len() + (1 << 20),
            "{} of {}",
            message.capacity(),
            bytes.len()
        );
    }
}

/// In a copy each list has room for what it holds, so one more element of each makes all of them move, one after the other. The slab moves too,
/// more than once, and after the first time there was not the room for the last list, or for the index of the map.
#[test]
fn a_message_takes_one_more_element_of_each_list_when_all_of_them_are_full() {
    let node = node();
    let more = [&b"\x29\x07\0\0\0\0\0\0\0"[..], b"\x32\x00", b"\x42\x08\x0a\x04more\x10\x01"];
    // Sizes between two powers of two: how much the slab has beyond what it needs is chance.
    for count in [80_000, 100_000, 130_000, 131_072] {
        for shape in 1..8 {
            let mut bytes = vec![];
            for k in 0..count {
                if shape & 1 != 0 {
                    bytes.extend(more[0]);
                }
                if shape & 2 != 0 {
                    bytes.extend(more[1]);
                }
                if shape & 4 != 0 {
                    bytes.extend([0x42, 0x0b, 0x0a, 7]);
                    bytes.extend(format!("{k:07x}").as_bytes());
                    bytes.extend([0x10, 1]);
                }
            }
            let options = DecodeOptions::new().budget(256 * bytes.len());
            let message = options.decode_dynamic(&node, &bytes).unwrap();
            let each: Vec<u8> =
                (0..3).filter(|bit| shape >> bit & 1 != 0).flat_map(|bit| more[bit].to_vec()).collect();
            for order in [each.clone(), each.repeat(2)] {
                let mut copy = message.clone();
                copy.merge(&order).unwrap_or_else(|error| panic!("{count} {shape}: {error}"));
                let held = message.capacity();
                assert!(copy.capacity() <= 6 * held, "{count} {shape}: {} of {held}", copy.capacity());
            }
        }
    }
}

/// A merge into a message without memory had a body first, and could not begin again with all of its budget as a new message does.
#[test]
fn an_empty_message_takes_by_a_merge_what_a_new_one_takes() {
    let node = node();
    let message =
        DynamicMessage::decode(&node, &b"\x32\x04\x12\x02ab\x42\x05\x0a\x01k\x10\x01".repeat(300)).unwrap();
    let bytes = message.encode_to_vec().unwrap();
    let (json, text) = (json::to_string(&message).unwrap(), text::to_string(&message).unwrap());
    let (mut taken, mut refused) = (0, 0);
    for budget in (1_000..60_000).step_by(137) {
        let options = DecodeOptions::new().budget(budget);
        let (of_json, of_text) = (json::Parser::new().budget(budget), text::Parser::new().budget(budget));
        let new = [
            options.decode_dynamic(&node, &bytes).is_ok(),
            of_json.message_from_str(&node, &json).is_ok(),
            of_text.message_from_str(&node, &text).is_ok(),
        ];
        // One that was large before is as good as a new one.
        for large in [false, true] {
            let empty = || {
                let mut empty = if large { message.clone() } else { DynamicMessage::new(&node) };
                empty.clear();
                empty
            };
            let merged = [
                options.merge(&mut empty(), &bytes).is_ok(),
                of_json.merge_from_str(&mut empty(), &json).is_ok(),
                of_text.merge_from_str(&mut empty(), &text).is_ok(),
            ];
            assert_eq!(merged, new, "{budget}, {large}");
        }
        for one in new {
            if one { taken += 1 } else { refused += 1 }
        }
    }
    assert!(taken > 100 && refused > 100, "{taken} {refused}");
}

/// All of the store that moved to make room for a string of three bytes counted against the budget of that string.
#[test]
fn a_message_takes_small_texts_however_many_bytes_of_strings_it_holds() {
    let node = node();
    for size in [1 << 20, 3 << 20] {
        let mut set = DynamicMessage::new(&node);
        set.message_mut("child").unwrap().set_field("text", "x".repeat(size)).unwrap();
        let bytes = set.encode_to_vec().unwrap();
        let mut shared = DynamicMessage::decode_shared(&node, &bytes.into()).unwrap();
        for message in [&mut set, &mut shared] {
            for _ in 0..40 {
                tablepb::json::merge_from_slice(message, br#"{"text": "abc", "names": {"d\n": 1}}"#).unwrap();
                tablepb::json::merge_from_slice(message, br#"{"raw": "AAAA"}"#).unwrap();
                tablepb::text::merge_from_str(message, r#"text: "abc" names { key: "e" value: 2 }"#).unwrap();
            }
            assert!(message.capacity() <= 8 * size, "{} for {size}", message.capacity());
            // What does not fit into the budget and twice what the message holds is refused.
            let json = [br#"{"text": ""#, "y".repeat(5 * size).as_bytes(), br#""}"#].concat();
            let scarce = json::Parser::new().budget(size / 2);
            let error = scarce.merge_from_slice(&mut message.clone(), &json).unwrap_err();
            assert_eq!(error.kind(), ParseErrorKind::BudgetExceeded);
            tablepb::json::merge_from_slice(message, &json).unwrap();
            assert_eq!(message.get_field("text").unwrap().as_str().map(str::len), Some(5 * size));
        }
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "measures time: for release builds")]
fn an_unselected_oneof_costs_the_same_however_many_members_it_has() {
    let wide = |members: usize| {
        let mut source = Vec::new();
        let field = |name: &[u8], number: usize| {
            let mut field = vec![0x0a, name.len() as u8];
            field.extend(name);
            field.push(0x18);
            write_varint(&mut field, number as u64);
            field.extend(b"\x20\x01\x28\x05\x48\x00");
            field
        };
        let mut message = b"\x0a\x01W".to_vec();
        for i in 0..members {
            let field = field(format!("f{i}").as_bytes(), i + 1);
            message.push(0x12);
            write_varint(&mut message, field.len() as u64);
            message.extend(field);
        }
        message.extend(b"\x42\x03\x0a\x01o");
        let mut file = b"\x0a\x01f".to_vec();
        file.push(0x22);
        write_varint(&mut file, message.len() as u64);
        file.extend(message);
        source.push(0x0a);
        write_varint(&mut source, file.len() as u64);
        source.extend(file);
        let pool = DescriptorPool::decode(&source).unwrap();
        let wide = pool.message("W").unwrap();
        Projection::new(&wide, ["f5"]).unwrap()
    };
    let (few, many) = (wide(70), wide(5_000));
    let input = b"\x08\x01".repeat(50_000);
    let run = |projection: &Projection| drop(projection.decode(&input).unwrap());
    assert_within(8, || run(&few), || run(&many));
}

#[test]
fn a_map_that_grows_by_merges_inserts_and_removals_finds_every_key() {
    use std::collections::BTreeMap;
    let node = node();
    let names = node.field("names").unwrap();
    let mut message = DynamicMessage::new(&node);
    let mut model = BTreeMap::new();
    let mut random = 1u64;
    let mut next = |below: u64| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) % below
    };
    for step in 0..400 {
        if step % 3 == 0 {
            for _ in 0..next(20) {
                let key = format!("{:04}", next(4000));
                let there = model.remove(&key).is_some();
                assert_eq!(message.remove(&names, key.as_str()).unwrap(), there);
            }
        }
        if step % 5 == 0 {
            for _ in 0..next(60) {
                let (key, value) = (format!("{:04}", next(4000)), next(100) as i32);
                message.insert(&names, key.as_str(), value).unwrap();
                model.insert(key, value);
            }
        }
        let mut chunk = vec![];
        for _ in 0..next(150) {
            let (key, value) = (format!("{:04}", next(4000)), next(100) as i32);
            chunk.extend([0x42, 8, 0x0a, 4]);
            chunk.extend(key.as_bytes());
            chunk.extend([0x10, value as u8]);
            model.insert(key, value);
        }
        message.merge(&chunk).unwrap();
        if step % 20 == 0 {
            let map = message.get_field(&names).unwrap().as_map().unwrap();
            assert_eq!(map.len(), model.len());
            assert!(model.iter().all(|(key, &value)| map.get(key.as_str()).unwrap().as_i32() == Some(value)));
            assert!(map.get("none").is_none());
        }
    }
    assert!(model.len() > 2000);
    assert_eq!(DynamicMessage::decode(&node, &message.encode_to_vec().unwrap()).unwrap(), message);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "measures time: for release builds")]
fn merging_a_map_piece_by_piece_takes_time_in_proportion() {
    let node = node();
    let chunks: Vec<Vec<u8>> = (0..1600u32)
        .map(|chunk| {
            let mut bytes = vec![];
            for i in 0..50 {
                let key = (chunk * 50 + i).wrapping_mul(2654435761);
                bytes.extend([0x42, 0x0c, 0x0a, 8]);
                bytes.extend(format!("{key:08x}").as_bytes());
                bytes.extend([0x10, 1]);
            }
            bytes
        })
        .collect();
    let merge = |chunks: &[Vec<u8>]| {
        let mut message = DynamicMessage::new(&node);
        chunks.iter().for_each(|chunk| message.merge(chunk).unwrap());
    };
    // Sixteen times the entries: 21 with n log n, 64 with the 3/2th power, 256 if quadratic. The larger map leaves the cache,
    // which another program on the machine may take all of: 44 are allowed.
    assert_within(11, || (0..4).for_each(|_| merge(&chunks[..100])), || merge(&chunks));
}

#[test]
fn a_message_in_many_parts_takes_what_it_takes_in_one() {
    let node = node();
    let child = node.field("child").unwrap();
    fn raw<'a, 'i>(view: MessageView<'a, 'i>, field: &tablepb::FieldDescriptor) -> RawMessage<'a, 'i> {
        match view.get(field) {
            Some(ValueRef::Raw(raw)) => raw,
            other => panic!("{other:?}"),
        }
    }
    // Each part has messages in it, or one has many.
    let nested = b"\x3a\x05\x3a\x03\x12\x01a".to_vec();
    for (part, count) in
        [(nested, 5_000), (b"\x3a\x7e".iter().copied().chain(b"\x32\x00".repeat(63)).collect(), 900)]
    {
        let input = part.repeat(count);
        let whole = DynamicMessage::decode(&node, &input).unwrap();
        let mut lazy = Decoder::new(&node).with_lazy(["child"]).unwrap();
        let mut decoder = Decoder::new(&node);
        let part = raw(lazy.decode(&input).unwrap(), &child);
        let decoded = part.decode(&mut decoder).unwrap();
        assert_eq!(decoded, whole.get_field(&child).unwrap().as_message().unwrap());
        // A decoder that has more memory already accepts no more and no less.
        let body = decoded.encode_to_vec().unwrap().len();
        for budget in (body..40 * body).step_by(body * 3) {
            let options = DecodeOptions::new().budget(budget);
            let cold = part.decode(&mut Decoder::new(&node).with_options(options)).is_ok();
            decoder = decoder.with_options(options);
            assert_eq!(part.decode(&mut decoder).is_ok(), cold, "{budget}");
        }
    }
}
