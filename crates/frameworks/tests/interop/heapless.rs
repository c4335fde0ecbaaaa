//! Members of fixed capacity beside those that grow: the same bytes, JSON and text, and an error with a place for what does not fit.

use heapless::{LinearMap, String as Text, Vec as List};
use proptest::prelude::*;
use std::collections::BTreeMap;
use tablepb::{
    AnyMessage, DecodeErrorKind, DecodeOptions, DescriptorPool, DynamicMessage, EncodeOptions, EnumValue,
    Message, json, text,
};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Off = 0,
    On = 1,
}
tablepb::enumeration! { Mode as "pkg.Mode" { Off as "OFF" = 0, On as "ON" = 1 } }

#[derive(Clone, Copy, Debug, PartialEq)]
enum Level {
    Low = 1,
    High = 2,
}
tablepb::enumeration! { Level as "pkg.Level" syntax "proto2" { Low as "LOW" = 1, High as "HIGH" = 2 } }

#[derive(Clone, Debug, Default, PartialEq)]
struct Point {
    x: i32,
    label: Text<6>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct GrowingPoint {
    x: i32,
    label: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Fixed {
    name: Text<8>,
    alias: Option<Text<8, u8>>,
    raw: List<u8, 6>,
    blob: Option<List<u8, 4, u8>>,
    small: List<i32, 20>,
    large: List<u64, 20>,
    zigzag: List<i64, 4>,
    bits: List<bool, 8>,
    words: List<u32, 4>,
    wide: List<f64, 4, u8>,
    modes: List<EnumValue<Mode>, 4>,
    loose: List<i32, 3>,
    names: List<Text<5>, 3>,
    points: List<Point, 3>,
    ages: LinearMap<u32, Text<4>, 3>,
    spots: LinearMap<Text<4>, Point, 2>,
    bytes: List<u8, 4>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Growing {
    name: String,
    alias: Option<String>,
    raw: Vec<u8>,
    blob: Option<Vec<u8>>,
    small: Vec<i32>,
    large: Vec<u64>,
    zigzag: Vec<i64>,
    bits: Vec<bool>,
    words: Vec<u32>,
    wide: Vec<f64>,
    modes: Vec<EnumValue<Mode>>,
    loose: Vec<i32>,
    names: Vec<String>,
    points: Vec<GrowingPoint>,
    ages: BTreeMap<u32, String>,
    spots: BTreeMap<String, GrowingPoint>,
    bytes: Vec<u8>,
}

macro_rules! listings {
    ($($message:ident $point:ident;)*) => {$(
        tablepb::message! { $point as "pkg.Point" { x: sint32 = 1, label: string = 2 } }
        tablepb::message! {
            $message as "pkg.All" {
                name: string = 1,
                alias: optional string = 2,
                raw: bytes = 3,
                blob: optional bytes = 4,
                small: repeated int32 = 5,
                large: repeated uint64 = 6,
                zigzag: repeated sint64 = 7,
                bits: repeated bool = 8,
                words: repeated fixed32 = 9,
                wide: repeated double = 10,
                modes: repeated enum Mode = 11,
                loose: repeated int32 = 12 [packed = false],
                names: repeated string = 13,
                points: repeated message $point = 14,
                ages: map<uint32, string> = 15,
                spots: map<string, message $point> = 16,
                bytes: bytes = 17,
            }
        }
    )*};
}

listings! { Fixed Point; Growing GrowingPoint; }

prop_compose! {
    fn point()(x in any::<i32>(), label in "[a-zü]{0,3}") -> GrowingPoint {
        GrowingPoint { x, label }
    }
}

prop_compose! {
    fn first()(
        name in "[a-z]{0,8}",
        alias in proptest::option::of("[a-zé]{0,4}"),
        raw in proptest::collection::vec(any::<u8>(), 0..=6),
        blob in proptest::option::of(proptest::collection::vec(any::<u8>(), 0..=4)),
        small in proptest::collection::vec(any::<i32>(), 0..=20),
        large in proptest::collection::vec(any::<u64>(), 0..=20),
        zigzag in proptest::collection::vec(any::<i64>(), 0..=4),
        bits in proptest::collection::vec(any::<bool>(), 0..=8),
        words in proptest::collection::vec(any::<u32>(), 0..=4),
        wide in proptest::collection::vec(-1e9..1e9, 0..=4),
    ) -> Growing {
        Growing { name, alias, raw, blob, small, large, zigzag, bits, words, wide, ..Growing::default() }
    }
}

prop_compose! {
    fn growing()(
        start in first(),
        modes in proptest::collection::vec((0..4).prop_map(EnumValue::from_number), 0..=4),
        loose in proptest::collection::vec(any::<i32>(), 0..=3),
        names in proptest::collection::vec("[a-z]{0,5}", 0..=3),
        points in proptest::collection::vec(point(), 0..=3),
        ages in proptest::collection::btree_map(any::<u32>(), "[a-z]{0,4}", 0..=3),
        spots in proptest::collection::btree_map("[a-z]{0,4}", point(), 0..=2),
        bytes in proptest::collection::vec(any::<u8>(), 0..=4),
    ) -> Growing {
        Growing { modes, loose, names, points, ages, spots, bytes, ..start }
    }
}

/// In the order of keys.
fn encoded(message: &impl AnyMessage) -> Vec<u8> {
    let mut bytes = Vec::new();
    EncodeOptions::new().deterministic(true).encode(message, &mut bytes).unwrap();
    bytes
}

proptest! {
    #[test]
    fn bytes_json_and_text_are_those_of_members_that_grow(growing in growing(), other in growing()) {
        let bytes = encoded(&growing);
        let fixed = Fixed::decode(&bytes)?;
        prop_assert_eq!(&encoded(&fixed), &bytes);
        let mut slice = [0; 2000];
        let len = fixed.encode_to_slice(&mut slice)?;
        prop_assert_eq!(len, fixed.encoded_len());
        prop_assert_eq!(&Growing::decode(&slice[..len])?, &growing);

        let written = json::to_string(&growing)?;
        prop_assert_eq!(&Fixed::decode(&bytes)?, &fixed);
        let read: Fixed = json::from_str(&written)?;
        prop_assert_eq!(&read, &fixed);
        prop_assert_eq!(json::from_str::<Growing>(&json::to_string(&fixed)?)?, growing.clone());
        prop_assert_eq!(text::from_str::<Fixed>(&text::to_string(&growing)?)?, fixed.clone());
        prop_assert_eq!(text::from_str::<Growing>(&text::to_string(&fixed)?)?, growing.clone());

        let all = DescriptorPool::from_tables(&[Fixed::TABLE])?.message("pkg.All")?;
        let dynamic = DynamicMessage::decode(&all, &bytes)?;
        prop_assert_eq!(dynamic.as_view().to_struct::<Fixed>()?, fixed.clone());
        prop_assert_eq!(fixed.to_dynamic()?.as_view().to_struct::<Growing>()?, growing.clone());

        // A second message, if it fits, and the same decode into what is there.
        let (mut merged, mut both) = (fixed.clone(), growing.clone());
        let more = encoded(&other);
        both.merge(&more)?;
        let result = merged.merge(&more);
        match Fixed::decode(&encoded(&both)) {
            Ok(expected) => {
                prop_assert_eq!(result.map_err(|error| error.to_string()), Ok(()));
                prop_assert_eq!(encoded(&merged), encoded(&expected));
            }
            Err(_) => prop_assert_eq!(result.unwrap_err().kind(), DecodeErrorKind::CapacityExceeded),
        }
        // After either it takes the next message.
        Message::clear(&mut merged);
        prop_assert_eq!(&merged, &Fixed::default());
        merged.merge(&bytes)?;
        prop_assert_eq!(&merged, &fixed);
    }

    #[test]
    fn inputs_at_fault_are_refused_alike(growing in growing(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        let mut bytes = encoded(&growing);
        prop_assume!(!bytes.is_empty());
        let at = at.index(bytes.len());
        if cut { bytes.truncate(at) } else { bytes[at] = byte }
        match (Fixed::decode(&bytes), Growing::decode(&bytes)) {
            (Ok(fixed), Ok(growing)) => {
                prop_assert_eq!(encoded(&fixed), encoded(&growing));
            }
            (Err(fixed), _) if fixed.kind() == DecodeErrorKind::CapacityExceeded => {}
            (Err(fixed), Err(growing)) => prop_assert_eq!(fixed.to_string(), growing.to_string()),
            (fixed, growing) => prop_assert!(false, "{:?} {:?}", fixed, growing),
        }
    }
}

/// Kind, place and offset of what does not fit.
#[test]
fn what_does_not_fit_is_an_error_with_its_place() {
    let cases: [(&[u8], &str, usize); 14] = [
        (b"\x08\x00\x0a\x09abcdefghi", "name", 13),
        (b"\x12\x09abcdefghi", "alias", 11),
        (b"\x1a\x07abcdefg", "raw", 9),
        (b"\x22\x05abcde", "blob", 7),
        (b"\x3a\x05\x01\x02\x03\x04\x05", "zigzag[4]", 6),
        (b"\x3a\x03\x01\x02\x03\x3a\x03\x80\x01\x05", "zigzag[4]", 9),
        (b"\x38\x01\x38\x02\x38\x03\x38\x04\x38\x05", "zigzag[4]", 9),
        (b"\x42\x09\x01\x00\x01\x00\x01\x00\x01\x00\x01", "bits[8]", 10),
        (b"\x4a\x14AAAABBBBCCCCDDDDEEEE", "words[4]", 18),
        (b"\x5a\x05\x01\x00\x07\x01\x01", "modes[4]", 6),
        (b"\x60\x01\x60\x02\x60\x03\x60\x04", "loose[3]", 7),
        (b"\x6a\x00\x6a\x00\x6a\x06abcdef", "names[2]", 12),
        (b"\x72\x00\x72\x00\x72\x02\x08\x02\x72\x00", "points[3]", 9),
        (b"\x7a\x02\x08\x01\x7a\x02\x08\x02\x7a\x02\x08\x01\x7a\x02\x08\x03\x7a\x02\x08\x04", "ages", 20),
    ];
    for (input, path, offset) in cases {
        let error = Fixed::decode(input).unwrap_err();
        assert_eq!(error.kind(), DecodeErrorKind::CapacityExceeded, "{path}");
        assert_eq!((error.path().to_string().as_str(), error.offset()), (path, offset));
        // The same by JSON, where the place is that of the text.
        let json = json::to_string(&Growing::decode(input).unwrap()).unwrap();
        let error = json::from_str::<Fixed>(&json).unwrap_err();
        assert!(error.to_string().contains("no room"), "{error}");
    }
    // The elements before it stay, as they do without memory.
    let mut fixed = Fixed::default();
    assert!(fixed.merge(b"\x3a\x05\x01\x02\x03\x04\x05").is_err());
    assert_eq!(fixed.zigzag, [-1, 1, -2, 2]);
    assert!(fixed.merge(b"\x0a\x09abcdefghi").is_err());
    assert_eq!(fixed.name, "");
}

/// A list of the numbers of a closed enum: unlisted ones go elsewhere, and take no room.
#[test]
fn unlisted_numbers_of_closed_enums_take_no_room() {
    #[derive(Debug, Default, PartialEq)]
    struct Levels {
        levels: List<Level, 2>,
        unknown: tablepb::UnknownFieldSet,
    }
    tablepb::message! { Levels as "pkg.Levels" syntax "proto2" { levels: repeated enum Level = 1 [packed = true], unknown: unknown_fields } }

    let levels = Levels::decode(b"\x0a\x04\x01\x07\x02\x09").unwrap();
    assert_eq!(levels.levels, [Level::Low, Level::High]);
    assert_eq!(levels.unknown.as_bytes(), b"\x08\x07\x08\x09");
    let error = Levels::decode(b"\x0a\x04\x01\x07\x02\x01").unwrap_err();
    assert_eq!(
        (error.kind(), error.path().to_string(), error.offset()),
        (DecodeErrorKind::CapacityExceeded, "levels[2]".into(), 5)
    );
}

/// A member of fixed capacity takes nothing from the budget.
#[test]
fn they_need_no_budget() {
    let bytes = b"\x0a\x03abc\x3a\x02\x01\x02\x72\x02\x08\x02";
    let fixed: Fixed = DecodeOptions::new().budget(0).decode(bytes).unwrap();
    assert_eq!((fixed.name.as_str(), fixed.zigzag.len(), fixed.points.len()), ("abc", 2, 1));
    assert_eq!(
        DecodeOptions::new().budget(0).decode::<Growing>(bytes).unwrap_err().kind(),
        DecodeErrorKind::BudgetExceeded
    );
}
