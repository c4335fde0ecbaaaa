//! Merging into members of types of one's own and of closed enums: what a type refuses leaves the rest alone, and the budget
//! counts what is kept.

use tablepb::{CustomValue, DecodeErrorKind, DecodeOptions, UnknownFieldSet, wire::Writer};

#[derive(Clone, Debug, Default, PartialEq)]
struct Sensor {
    name: String,
    level: u8,
    levels: Vec<u8>,
    wide: Vec<Wide>,
    cache: u32,
}

/// A number that takes much memory.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Wide([u32; 16]);

impl CustomValue for Wide {
    type Encoded<'a> = u32;

    fn to_encoded(&self) -> u32 {
        self.0[0]
    }

    fn from_encoded(number: u32) -> Option<Self> {
        Some(Self([number; 16]))
    }

    fn unset() -> Self {
        Self([0; 16])
    }
}

tablepb::message! {
    Sensor as "custom.Sensor" {
        name: string = 1,
        level: custom uint32 = 2,
        levels: repeated custom uint32 = 3,
        wide: repeated custom uint32 = 4 [packed = false],
        cache: skip,
    }
}

/// The schema takes the number, the type does not: the struct had lost what it held.
#[test]
fn json_and_text_that_a_type_refuses_leave_the_struct_as_it_was() {
    let before = Sensor { name: "a".into(), level: 7, levels: vec![1, 2], wide: Vec::new(), cache: 5 };
    for json in [r#"{"name": "b", "level": 300}"#, r#"{"levels": [3, 256]}"#] {
        let mut sensor = before.clone();
        tablepb::json::merge_from_slice(&mut sensor, json.as_bytes()).unwrap_err();
        assert_eq!(sensor, before, "{json}");
    }
    for text in ["name: 'b' level: 300", "levels: [3, 256]"] {
        let mut sensor = before.clone();
        tablepb::text::merge_from_str(&mut sensor, text).unwrap_err();
        assert_eq!(sensor, before, "{text}");
    }
    let mut sensor = before.clone();
    tablepb::json::merge_from_slice(&mut sensor, br#"{"level": 8, "levels": [3]}"#).unwrap();
    assert_eq!(sensor, Sensor { level: 8, levels: vec![1, 2, 3], ..before });
}

/// Each element gave the budget more than it took.
#[test]
fn elements_of_types_of_ones_own_are_paid_for_when_they_are_merged() {
    let one_by_one = |tag| [tag, 5].repeat(10_000);
    let runs = b"\x22\x0a\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01".repeat(1_000);
    let mixed = [one_by_one(0x18), one_by_one(0x20)].concat();
    let small = 10_000;
    let wide = 10_000 * size_of::<Wide>();
    for (input, all) in
        [(one_by_one(0x18), small), (one_by_one(0x20), wide), (runs, wide), (mixed, small + wide)]
    {
        for (budget, enough) in [(all / 10, false), (all - all / 10, false), (all * 3, true)] {
            let mut sensor = Sensor::default();
            let merged = DecodeOptions::new().budget(budget).merge(&mut sensor, &input);
            assert_eq!(merged.is_ok(), enough, "{budget} of {all}");
            assert!(enough || merged.unwrap_err().kind() == DecodeErrorKind::BudgetExceeded);
            let held = sensor.levels.len() + size_of_val(&*sensor.wide);
            assert!(held <= budget, "{held} bytes of {budget}");
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Up = 1,
}

tablepb::enumeration! { Step as "custom.Step" syntax "proto2" { Up as "UP" = 1 } }

#[derive(Debug, Default, PartialEq)]
struct Steps {
    steps: Vec<Step>,
    unknown: UnknownFieldSet,
}

tablepb::message! { Steps as "custom.Steps" { steps: repeated enum Step = 1, unknown: unknown_fields } }

/// Each number that the enum does not list was charged as the longest one.
#[test]
fn a_merge_takes_what_a_decode_takes_also_with_numbers_that_a_closed_enum_does_not_list() {
    let mut input = Vec::new();
    Writer::new(&mut input).write_varint(1 << 3 | 2);
    Writer::new(&mut input).write_length_delimited(&[2; 20_000]).unwrap();
    let mut taken = 0;
    for budget in (0..600_000).step_by(10_000) {
        let options = DecodeOptions::new().budget(budget);
        let decoded = options.decode::<Steps>(&input);
        let mut merged = Steps::default();
        let result = options.merge(&mut merged, &input);
        assert!(result.is_ok() || decoded.is_err(), "{budget}");
        if let Ok(decoded) = decoded {
            assert_eq!(decoded, merged);
            taken += 1;
        }
    }
    assert!(taken > 0);
}
