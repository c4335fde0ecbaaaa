//! Map entries as an attacker sends them: keys that repeat, fall, alternate and share their beginnings, over many maps, with a bound on
//! memory and an allocator that counts.

use super::case::Case;
use super::valid::PARTIAL;
use crate::common::choices::Choices;
use crate::common::heap::measure;
use crate::common::schema::{Card, Kind};
use crate::common::wire::Wire;
use std::collections::BTreeSet;
use tablepb::{DecodeErrorKind, Decoder, DynamicMessage, ValueRef};

/// Beside the budget: the error and its path, and the first blocks of small things.
const BESIDE: usize = 16 << 10;

pub fn check(input: &[u8]) -> usize {
    run(&mut Choices::fuzzed(input))
}

/// Gives how many entries were decoded.
pub fn run(choices: &mut Choices) -> usize {
    let case = Case::new(choices);
    let fields = &case.schema.messages[case.message].fields;
    let maps: Vec<(u32, Kind)> = fields
        .iter()
        .filter(|field| field.card == Card::Map && !field.extension)
        .filter_map(|field| match field.kind {
            Kind::Message(entry) => Some((field.number, case.schema.messages[entry].field(1)?.kind)),
            _ => None,
        })
        .collect();
    if maps.is_empty() {
        return 0;
    }
    let mut entries = 0;
    let mut decoder = Decoder::new(&case.descriptor);
    for _ in 0..3 {
        let (number, kind) = *choices.pick(&maps);
        let keys = keys(choices);
        let mut wire = Wire::new();
        for &key in &keys {
            wire = wire.message(number, entry(kind, key));
        }
        let input = wire.0;
        let budget =
            if choices.below(2) == 0 { 16 * input.len() } else { choices.below(16 * input.len() + 64) };
        let options = PARTIAL.budget(budget);
        let (result, used) = measure(|| options.decode_dynamic(&case.descriptor, &input));
        // A message holds its bytes too.
        bounded(used.peak, budget + input.len() + input.len() / 16 + 1024, &input);
        decoder = Decoder::new(&case.descriptor).with_options(options);
        let (_, used) = measure(|| decoder.decode(&input).map(drop));
        bounded(used.peak, budget, &input);
        match result {
            Ok(message) => entries += whole(&message, number, kind, &keys),
            Err(error) => assert_eq!(error.kind(), DecodeErrorKind::BudgetExceeded, "{error}"),
        }
    }
    drop(decoder);
    entries
}

fn bounded(peak: usize, budget: usize, input: &[u8]) {
    assert!(
        peak <= budget + BESIDE,
        "{peak} bytes for {} bytes of input, with room for {budget}",
        input.len()
    );
}

/// Numbers of keys in an order that costs something.
fn keys(choices: &mut Choices) -> Vec<u32> {
    let (count, spread) = (1 + choices.below(2_000) as u32, 1 + choices.below(2_000) as u32);
    let way = choices.below(6);
    let key = |i: u32| match way {
        0 => i,
        1 => count - i,
        2 => i % spread,
        3 => {
            if i & 1 == 0 {
                i
            } else {
                count - i
            }
        }
        4 => i.wrapping_mul(0x9e37_79b1) % spread,
        // One key over and over, and a new one at times.
        _ => {
            if i.is_multiple_of(16) {
                i
            } else {
                7
            }
        }
    };
    (0..count).map(key).collect()
}

/// An entry with the key; one that looks like others up to its end, if it is a string.
fn entry(kind: Kind, key: u32) -> Wire {
    match kind {
        Kind::Bool => Wire::new().int(1, u64::from(key & 1)),
        Kind::String => Wire::new().bytes(1, text(key)),
        kind => match kind.wire_type() {
            1 => Wire::new().fixed64(1, key.into()),
            5 => Wire::new().fixed32(1, key),
            _ => Wire::new().int(1, key.into()),
        },
    }
}

fn text(key: u32) -> String {
    format!("a beginning that all of them have {key}")
}

/// Every key once, the last value of each.
fn whole(message: &DynamicMessage, number: u32, kind: Kind, keys: &[u32]) -> usize {
    let distinct: BTreeSet<u32> =
        keys.iter().map(|&key| if kind == Kind::Bool { key & 1 } else { key }).collect();
    let Some(ValueRef::Map(map)) = message.get_field(number).ok() else {
        panic!("the map is not there");
    };
    assert_eq!(map.len(), distinct.len());
    assert_eq!(map.iter().count(), distinct.len());
    for (key, value) in map.iter() {
        assert!(map.get(key) == Some(value) || format!("{:?}", map.get(key)) == format!("{:?}", Some(value)));
    }
    keys.len()
}
