//! Where the allocator has no memory, maps, copies and merges are errors, and messages are whole before and after.

use crate::common::scarce::sweep;
use crate::common::wire::Wire;
use tablepb::partial::{Projection, ValuePath};
use tablepb::table::{FieldTable, Kind, MessageTable};
use tablepb::{
    DecodeErrorKind, DecodeOptions, Decoder, DescriptorPool, DynamicMessage, MapKeyRef, MessageDescriptor,
    ValueRef,
};
use tablepb::{json, text};

static NODE: MessageTable = MessageTable::new(
    "t.Node",
    &[
        FieldTable::map("counts", 1, Kind::String, Kind::Int32),
        FieldTable::map("nodes", 2, Kind::Int32, Kind::Message(|| &NODE)),
        FieldTable::new("name", 3, Kind::String),
        FieldTable::new("list", 4, Kind::Message(|| &NODE)).repeated(),
        FieldTable::new("names", 5, Kind::String).repeated(),
    ],
);

fn node() -> MessageDescriptor {
    DescriptorPool::from_tables(&[&NODE]).unwrap().message("t.Node").unwrap()
}

/// Entries of both maps, of some keys out of a few: some come twice.
fn entries(from: u64, count: u64) -> Vec<u8> {
    let one = |i: u64| {
        let (key, value) = (format!("key {}", i * 7 % 60), Wire::new().bytes(3, format!("node {i}")));
        let count = Wire::new().bytes(1, key).int(2, i);
        Wire::new().message(1, count).message(2, Wire::new().int(1, i * 5 % 40).message(2, value)).0
    };
    (from..from + count).flat_map(one).collect()
}

/// Every key once, and found.
fn check_maps(message: &DynamicMessage) {
    for name in ["counts", "nodes"] {
        let value = message.get_field(name).unwrap();
        let map = value.as_map().unwrap();
        let mut keys: Vec<MapKeyRef<'_>> = map.iter().map(|(key, _)| key).collect();
        for (key, value) in map {
            assert_eq!(map.get(key), Some(value), "{key:?} of {name}");
        }
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), map.len(), "keys of {name} twice");
    }
    let bytes = message.encode_to_vec().unwrap();
    assert_eq!(&DynamicMessage::decode(message.descriptor(), &bytes).unwrap(), message);
}

/// Sorting the entries of a map, and noting which maps to sort, ended the process.
#[test]
fn a_map_that_there_is_no_memory_to_sort_has_every_key_once() {
    let node = node();
    let mut failures = 0;
    // Where the slab grows differs with the sizes: for a list, for an index, or for neither.
    let few = (9..40).step_by(3).flat_map(|before| (1..60).step_by(7).map(move |more| (before, more)));
    for (before, more) in [(0, 50), (5, 4), (8, 1), (200, 5), (200, 300)].into_iter().chain(few) {
        let start = DynamicMessage::decode(&node, &entries(0, before)).unwrap();
        let input = entries(before, more);
        let whole = DynamicMessage::decode(&node, &entries(0, before + more)).unwrap();
        failures += sweep(
            || start.clone(),
            |message| message.merge(&input).is_ok(),
            |mut message, merged, failed| {
                check_maps(&message);
                assert!(failed || merged);
                assert!(!merged || message == whole);
                for name in ["counts", "nodes"] {
                    // What was there is there still, though perhaps with a value that was merged.
                    let (old, new) = (start.get_field(name).unwrap(), message.get_field(name).unwrap());
                    let new = new.as_map().unwrap();
                    assert!(old.as_map().unwrap().iter().all(|(key, _)| new.contains_key(key)));
                }
                message.merge(&input).unwrap();
                check_maps(&message);
                assert_eq!(message, whole);
            },
        );
    }
    assert!(failures > 100, "{failures}");
    // A decoder that has failed decodes as if it had not.
    let input = entries(0, 100);
    let whole = DynamicMessage::decode(&node, &input).unwrap();
    let failures = sweep(
        || Decoder::new(&node),
        |decoder| decoder.decode(&input).is_ok(),
        |mut decoder, _, _| assert_eq!(decoder.decode(&input).unwrap(), whole.as_view()),
    );
    assert!(failures > 5, "{failures}");
}

/// Wherever the budget ends: in the entries, before they are sorted, or where the index is made.
#[test]
fn a_map_that_has_no_room_for_a_larger_index_has_every_key_once() {
    let node = node();
    // Keys that were there come again, before and behind new ones.
    let keys = (0..10).chain(100..700).chain(3..9).chain(650..660);
    let one = |i: u64| Wire::new().message(1, Wire::new().bytes(1, i.to_string()).int(2, i)).0;
    let input: Vec<u8> = keys.flat_map(one).collect();
    let start = DynamicMessage::decode(&node, &(0..20).flat_map(one).collect::<Vec<u8>>()).unwrap();
    let (mut merged, mut refused) = (0, 0);
    for budget in (4_000..60_000).step_by(600) {
        let mut message = start.clone();
        match DecodeOptions::new().budget(budget).merge(&mut message, &input) {
            Ok(()) => merged += 1,
            Err(_) => refused += 1,
        }
        let value = message.get_field("counts").unwrap();
        let map = value.as_map().unwrap();
        let mut keys: Vec<_> = map.iter().map(|(key, _)| key).collect();
        assert!(
            keys.iter()
                .all(|key| map.get(*key).map(|v| v.as_i32().unwrap().to_string()).as_deref() == key.as_str())
        );
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), map.len(), "budget {budget}");
        assert!((0..20).all(|i| map.contains_key(i.to_string().as_str())));
    }
    assert!(merged > 10 && refused > 10, "{merged} and {refused}");
}

static WIDE: MessageTable = MessageTable::new(
    "t.Wide",
    &[
        FieldTable::map("wide", 1, Kind::Int32, Kind::Message(|| &WIDE)),
        FieldTable::new("a", 2, Kind::Double),
        FieldTable::new("b", 3, Kind::Double),
        FieldTable::new("c", 4, Kind::Double),
    ],
);

/// An entry that lacks its value has an empty one, wherever memory ends.
#[test]
fn entries_that_lack_a_value_have_one_or_are_not_there() {
    let wide = DescriptorPool::from_tables(&[&WIDE]).unwrap().message("t.Wide").unwrap();
    let input: Vec<u8> = (0..60).flat_map(|i| Wire::new().message(1, Wire::new().int(1, i)).0).collect();
    let source: String = (0..60).map(|i| format!("wide {{ key: {i} }} ")).collect();
    let whole = DynamicMessage::decode(&wide, &input).unwrap();
    let check = |message: &mut DynamicMessage| {
        let value = message.get_field("wide").unwrap();
        let map = value.as_map().unwrap();
        assert!(
            map.iter().all(|(_, value)| value.as_message().is_some_and(|value| value.encoded_len() == 0))
        );
        let entries = map.len();
        assert_eq!(DynamicMessage::decode(&wide, &message.encode_to_vec().unwrap()).unwrap(), *message);
        message.merge(&input).unwrap();
        assert_eq!(*message, whole);
        entries
    };
    let start = || DynamicMessage::new(&wide);
    let checked = |mut message: DynamicMessage, merged: bool, failed: bool| {
        let entries = check(&mut message);
        assert!(failed && !merged || merged && entries == 60);
    };
    let failures = sweep(start, |message| message.merge(&input).is_ok(), checked);
    // Values that are kept as bytes, too.
    let lazy_failures = sweep(
        || Decoder::new(&wide).with_lazy(["wide"]).unwrap(),
        |decoder| decoder.decode(&input).is_ok(),
        |mut decoder, decoded, failed| {
            assert!(failed || decoded);
            let bytes = decoder.decode(&input).unwrap().encode_to_vec().unwrap();
            assert_eq!(DynamicMessage::decode(&wide, &bytes).unwrap(), whole);
        },
    );
    let texts = sweep(start, |message| text::merge_from_str(message, &source).is_ok(), checked);
    assert!(failures > 3 && lazy_failures > 3 && texts > 3, "{failures}, {lazy_failures} and {texts}");
    // By budgets there are more places to fail at.
    let (mut decodes, mut texts) = (0, 0);
    for budget in (500..12_000).step_by(8) {
        let (mut decoded, mut parsed) = (start(), start());
        let merged = DecodeOptions::new().budget(budget).merge(&mut decoded, &input).is_ok();
        assert!(check(&mut decoded) == 60 || !merged);
        let told = text::Parser::new().budget(budget).merge_from_str(&mut parsed, &source).is_ok();
        assert!(check(&mut parsed) == 60 || !told);
        (decodes, texts) = (decodes + usize::from(!merged), texts + usize::from(!told));
    }
    assert!(decodes > 100 && texts > 100, "{decodes} and {texts}");
}

/// Text needs bytes of its own where those of the message are shared with its input.
#[test]
fn texts_merged_into_shared_bytes_without_memory_change_nothing() {
    let node = node();
    let input = bytes::Bytes::from(entries(0, 20));
    let start = DynamicMessage::decode(&node, &input).unwrap();
    let failures = sweep(
        || DynamicMessage::decode_shared(&node, &input).unwrap(),
        |message| {
            let json = json::merge_from_str(message, r#"{"name": "a"}"#).is_ok();
            json && text::merge_from_str(message, "names: 'b'").is_ok()
        },
        |mut message, merged, failed| {
            assert!(failed || merged);
            check_maps(&message);
            message.clear_field("name").unwrap();
            message.clear_field("names").unwrap();
            assert_eq!(message, start);
        },
    );
    assert!(failures > 3, "{failures}");
}

#[test]
fn inserts_without_memory_leave_the_map_as_it_was() {
    let node = node();
    let (counts, nodes) = (node.get_field(1).unwrap(), node.get_field(2).unwrap());
    let mut failures = 0;
    for before in [0, 1, 7, 8, 9, 40, 150] {
        let start = DynamicMessage::decode(&node, &entries(0, before)).unwrap();
        for (key, id) in [("key 7", 5), ("another key", 1000)] {
            failures += sweep(
                || (start.clone(), Some(key.to_owned())),
                |(message, key)| {
                    let inserted = message.insert(&counts, key.take().unwrap(), 77).is_ok();
                    (inserted, message.entry_mut(&nodes, id).is_ok())
                },
                |(mut message, _), (inserted, opened), failed| {
                    check_maps(&message);
                    assert!(failed || inserted && opened);
                    let map = message.get_field(&counts).unwrap().as_map().unwrap();
                    let old = start.get_field(&counts).unwrap().as_map().unwrap();
                    assert_eq!(map.get(key), if inserted { Some(ValueRef::I32(77)) } else { old.get(key) });
                    let (map, old) = (message.get_field(&nodes), start.get_field(&nodes));
                    let (map, old) = (map.unwrap().as_map().unwrap(), old.unwrap().as_map().unwrap());
                    assert_eq!(map.contains_key(id), opened || old.contains_key(id));
                    message.insert(&counts, key, 78).unwrap();
                    message.entry_mut(&nodes, id).unwrap();
                    check_maps(&message);
                },
            );
        }
    }
    assert!(failures > 30, "{failures}");
}

/// The allocator fails for the slab, for the bytes of strings and for copies of keys.
#[test]
fn setters_without_memory_leave_no_empty_list_that_is_set() {
    let node = node();
    let [counts, nodes, name, list, names] = [1, 2, 3, 4, 5].map(|number| node.get_field(number).unwrap());
    let text = "more than a message of no bytes has room for".repeat(30);
    let start = DynamicMessage::decode(&node, b"\x1a\x01n").unwrap();
    type Setter<'s> = &'s dyn Fn(&mut DynamicMessage, String) -> bool;
    let setters: [Setter<'_>; 5] = [
        &|message, text| message.push(&names, text).is_ok(),
        &|message, text| message.insert(&counts, text, 1).is_ok(),
        &|message, text| message.set_field(&name, text).is_ok(),
        &|message, _| (0..40).all(|_| message.push_message(&list).is_ok()),
        &|message, _| (0..40).all(|key| message.entry_mut(&nodes, key).is_ok()),
    ];
    let mut failures = 0;
    for setter in setters {
        let mut whole = start.clone();
        assert!(setter(&mut whole, text.clone()));
        failures += sweep(
            || (start.clone(), Some(text.clone())),
            |(message, text)| setter(message, text.take().unwrap()),
            |(mut message, _), done, failed| {
                assert!(done || failed);
                if !done {
                    // What was pushed before the failure goes; an empty list that is set would be shown.
                    message.clear_field(&list).unwrap();
                    message.clear_field(&nodes).unwrap();
                    assert_eq!(format!("{message:?}"), format!("{start:?}"));
                    assert!(setter(&mut message, text.clone()));
                }
                assert_eq!(message, whole);
            },
        );
    }
    assert!(failures > 10, "{failures}");
}

#[test]
fn a_copy_without_memory_is_an_error() {
    let node = node();
    let part = |i: u64| Wire::new().bytes(3, format!("node {i}")).message(4, Wire::new().bytes(3, "inner"));
    let list = (0..20).fold(Wire(entries(0, 30)), |wire, i| wire.message(4, part(i)).int(9, i));
    let whole = DynamicMessage::decode(&node, &list.0).unwrap();
    let passing = Projection::new(&node, ["name", "list.list.name"]).unwrap().pass_through();
    let mut changed = passing.decode(&list.0).unwrap();
    changed.set_field("name", "changed").unwrap();
    let deep = (0..12).fold(Wire(entries(0, 3)), |inner, _| Wire::new().message(4, inner));
    let deep = DynamicMessage::decode(&node, &deep.0).unwrap();
    for message in [whole, passing.decode(&list.0).unwrap(), changed, deep] {
        let failures = sweep(
            || (),
            |()| message.as_view().try_to_owned(),
            |(), copy, failed| match copy {
                Ok(copy) => assert_eq!((&copy, copy.encode_to_vec()), (&message, message.encode_to_vec())),
                Err(error) => assert!(failed && error.to_string().contains("memory")),
            },
        );
        assert!(failures > 3, "{failures}");
        let value = message.get_field("list").unwrap();
        let failures =
            sweep(|| (), |()| value.try_to_owned(), |(), copy, failed| assert!(failed || copy.is_ok()));
        assert!(failures > 0 || message.get_field("list").ok() == Some(ValueRef::Unselected));
    }
}

/// A message of numbers copies its input after it has been decoded, if there are unknown fields in it.
#[test]
fn a_message_of_numbers_without_memory_for_its_unknown_fields_is_an_error() {
    static NUMBERS: MessageTable =
        MessageTable::new("t.Numbers", &[FieldTable::new("all", 1, Kind::Uint64).repeated()]);
    let pool = DescriptorPool::from_tables(&[&NUMBERS]).unwrap();
    let numbers = pool.message("t.Numbers").unwrap();
    let input = Wire::new().bytes(2, "unknown").bytes(1, [7; 1000]).bytes(2, "unknown").0;
    let whole = DynamicMessage::decode(&numbers, &input).unwrap();
    assert_eq!(whole.unknown_fields().count(), 2);
    let failures = sweep(
        || (),
        |()| DynamicMessage::decode(&numbers, &input),
        |(), decoded, failed| match decoded {
            Ok(message) => assert_eq!(message, whole),
            Err(error) => {
                assert!(failed);
                let kind = error.kind();
                assert!(matches!(kind, DecodeErrorKind::BudgetExceeded | DecodeErrorKind::OutOfMemory));
            }
        },
    );
    assert!(failures >= 3, "{failures}: the slab, and the store");
}

/// The copy of a string that a path leads to took memory that ended the process.
#[test]
fn values_of_paths_are_copied_or_an_error() {
    let node = node();
    let input = [entries(0, 5), Wire::new().bytes(3, "a name").0].concat();
    let message = DynamicMessage::decode(&node, &input).unwrap();
    let names = ValuePath::new(&node, "nodes.value.name").unwrap();
    let view = message.as_view();
    let failures = sweep(
        || (),
        |()| view.values(&names).map(|value| value.try_to_owned().map(drop)).filter(Result::is_ok).count(),
        |(), copied, failed| assert_eq!(copied == 5, !failed, "{copied} of 5"),
    );
    assert!(failures >= 5, "{failures}");
}

/// A decode that runs out of its budget asks for all of it at once, and starts over. If the allocator refuses that, it ends with the error of the first try.
#[test]
fn a_decode_that_cannot_start_over_is_an_error() {
    static NAMES: MessageTable =
        MessageTable::new("t.Names", &[FieldTable::new("names", 1, Kind::String).repeated()]);
    let names = DescriptorPool::from_tables(&[&NAMES]).unwrap().message("t.Names").unwrap();
    let input = b"\x0a\x00".repeat(1000);
    // Between what the elements take, and what they take while their list grows.
    let options = DecodeOptions::new().budget(12_000);
    let mut started_over = 0;
    let failures = sweep(
        || Decoder::new(&names).with_options(options),
        |decoder| {
            decoder.decode(&input).map(|view| view.get_field("names").unwrap().as_list().unwrap().len())
        },
        |mut decoder, decoded, failed| {
            match decoded {
                Ok(len) => assert_eq!(len, 1000),
                Err(error) => {
                    let kind = error.kind();
                    assert!(
                        failed
                            && matches!(kind, DecodeErrorKind::BudgetExceeded | DecodeErrorKind::OutOfMemory)
                    );
                    started_over += u32::from(kind == DecodeErrorKind::BudgetExceeded);
                }
            }
            assert_eq!(decoder.decode(b"\x0a\x01a").unwrap().encode_to_vec().unwrap(), b"\x0a\x01a");
        },
    );
    assert!(failures >= 3 && started_over >= 1, "{failures} {started_over}");
}
