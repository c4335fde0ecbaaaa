//! Projections, lazy fields and pass-through, rule by rule.

use tablepb::partial::{PathErrorKind, Projection};
use tablepb::table::{EnumTable, FieldTable, Kind, MessageTable, Syntax};
use tablepb::{
    DecodeErrorKind, DecodeOptions, Decoder, DescriptorPool, DynamicMessage, FieldDescriptor,
    MessageDescriptor, SetFieldErrorKind, Value, ValueRef,
};

static PART: MessageTable = MessageTable::new(
    "t.Part",
    &[
        FieldTable::new("name", 1, Kind::String),
        FieldTable::new("size", 2, Kind::Int32),
        FieldTable::new("part", 3, Kind::Message(|| &PART)),
        FieldTable::new("parts", 4, Kind::Message(|| &PART)).repeated(),
        FieldTable::map("by_name", 5, Kind::String, Kind::Message(|| &PART)),
        FieldTable::map("labels", 6, Kind::String, Kind::Int32),
        FieldTable::new("numbers", 7, Kind::Int32).repeated(),
        FieldTable::new("a", 8, Kind::Int32).oneof("either"),
        FieldTable::new("b", 9, Kind::String).oneof("either"),
        FieldTable::new("c", 10, Kind::Message(|| &PART)).oneof("either"),
    ],
);

fn part() -> MessageDescriptor {
    DescriptorPool::from_tables(&[&PART]).unwrap().message("t.Part").unwrap()
}

fn field(part: &MessageDescriptor, name: &str) -> FieldDescriptor {
    part.field(name).unwrap()
}

fn fault(paths: &[&str]) -> (PathErrorKind, String) {
    let error = Projection::new(&part(), paths).unwrap_err();
    assert!(error.to_string().contains(error.segment()));
    (error.kind(), error.segment().to_owned())
}

#[test]
fn a_path_that_is_wrong_is_an_error_that_names_the_segment() {
    use PathErrorKind::*;
    assert_eq!(fault(&["part.nme"]), (NoSuchField, "nme".into()));
    assert_eq!(fault(&["name", "part..name"]), (NoSuchField, "".into()));
    assert_eq!(fault(&[""]), (NoSuchField, "".into()));
    assert_eq!(fault(&["name.size"]), (NotAMessage, "name".into()));
    assert_eq!(fault(&["*.name"]), (MisplacedWildcard, "*".into()));
    assert_eq!(fault(&["by_name.name"]), (NoSuchField, "name".into()));
    assert_eq!(fault(&["by_name.key"]), (NotAMapValue, "key".into()));
    assert_eq!(fault(&["labels.value.x"]), (NotAMessage, "value".into()));
    assert_eq!(fault(&["[t.ext]"]), (NoSuchField, "[t.ext]".into()));
    let error = Projection::all(&part()).lazy(["parts", "name"]).unwrap_err();
    assert_eq!((error.kind(), error.segment(), error.path()), (NotAMessage, "name", "name"));
    assert_eq!(error.message_name(), "t.Part");
}

#[test]
fn a_recursive_path_selects_what_it_says_and_nothing_below() {
    let part = part();
    let projection = Projection::new(&part, ["part.part.name", "parts.*", "by_name.value.size"]).unwrap();
    // name, part { name, part { name, part {} } }, parts { part { name } }, by_name { k: { name, size } }
    let input = b"\x0a\x01a\x1a\x0a\x0a\x01b\x1a\x05\x0a\x01c\x1a\x00\x22\x05\x1a\x03\x0a\x01d\
        \x2a\x0a\x0a\x01k\x12\x05\x0a\x01e\x10\x07";
    let message = projection.decode(input).unwrap();
    assert_eq!(
        message.encode_to_vec().unwrap(),
        b"\x1a\x05\x1a\x03\x0a\x01c\x22\x05\x1a\x03\x0a\x01d\x2a\x07\x0a\x01k\x12\x02\x10\x07"
    );
    let map = message.get_field(&field(&part, "by_name")).unwrap().as_map().unwrap();
    let value = map.get("k").unwrap().as_message().unwrap();
    assert_eq!(value.get_field("name").ok(), Some(ValueRef::Unselected));
    assert_eq!(value.get_field("size").ok(), Some(ValueRef::I32(7)));
    let other = Projection::new(&part, ["by_name.value.name"]).unwrap();
    assert_eq!(other.decode(input).unwrap().encode_to_vec().unwrap(), b"\x2a\x08\x0a\x01k\x12\x03\x0a\x01e");
}

#[test]
fn unselected_is_not_unset() {
    let part = part();
    let projection = Projection::new(&part, ["name"]).unwrap();
    let mut message = projection.decode(b"\x10\x05").unwrap();
    let (name, size) = (field(&part, "name"), field(&part, "size"));
    assert_eq!((message.get(&name), message.get_field(&name)), (None, Ok(ValueRef::String(""))));
    assert_eq!((message.get(&size), message.get_field(&size)), (None, Ok(ValueRef::Unselected)));
    assert_eq!((message.as_view().is_selected(&name), message.as_view().is_selected(&size)), (true, false));
    assert_eq!((message.has_field(&size), message.fields().count()), (false, 0));
    assert_eq!(message.get_field(2).ok(), Some(ValueRef::Unselected));
    message.set_field(&size, 3).unwrap();
    assert_eq!(
        (message.get_field(&size), message.as_view().is_selected(&size)),
        (Ok(ValueRef::I32(3)), true)
    );
    assert_eq!(message.encode_to_vec().unwrap(), b"\x10\x03");
    message.clear();
    assert_eq!(message.get_field(&size), Ok(ValueRef::I32(0)));
}

#[test]
fn a_later_member_of_a_oneof_counts_whether_it_is_selected_or_not() {
    let part = part();
    let projection = Projection::new(&part, ["a"]).unwrap();
    let has_a = |input: &[u8]| projection.decode(input).unwrap().has_field("a");
    assert!(has_a(b"\x40\x05"));
    assert!(!has_a(b"\x40\x05\x4a\x01x"));
    assert!(!has_a(b"\x40\x05\x52\x00"));
    assert!(has_a(b"\x4a\x01x\x40\x05"));
    // What is kept of members that were overruled does not come back.
    let keeping = Projection::new(&part, ["a", "name"]).unwrap().pass_through();
    for (input, expected) in [
        (&b"\x4a\x01x\x40\x05"[..], &b"\x0a\x01n\x40\x05"[..]),
        (b"\x40\x05\x4a\x01x", b"\x0a\x01n\x4a\x01x"),
        (b"\x52\x02\x10\x01\x40\x05\x52\x02\x18\x02", b"\x0a\x01n\x52\x02\x18\x02"),
        (b"\x52\x02\x10\x01\x52\x02\x10\x02", b"\x0a\x01n\x52\x02\x10\x01\x52\x02\x10\x02"),
    ] {
        let mut message = DecodeOptions::new().decode_selected(&keeping, input).unwrap();
        assert_eq!(message.encode_to_vec().unwrap(), input);
        message.set_field("name", "n").unwrap();
        assert_eq!(message.encode_to_vec().unwrap(), expected, "{input:x?}");
    }
    let mut message = keeping.decode(b"\x4a\x01x").unwrap();
    message.set_field("a", 1).unwrap();
    assert_eq!(message.encode_to_vec().unwrap(), b"\x40\x01");
}

#[test]
fn what_is_passed_through_is_the_input_and_edits_copy_the_rest() {
    let part = part();
    let projection = Projection::new(&part, ["part.part.name", "parts.name"]).unwrap().pass_through();
    // Overlong lengths, unknown fields, a field twice, any order: what no encoder writes.
    let input = b"\x78\x01\x10\x85\x80\x00\x1a\x8b\x00\x10\x01\x1a\x04\x10\x07\x0a\x00\x7a\x01z\x22\x05\x10\x02\x0a\x01a\
        \x0a\x01n\x0a\x01m\x22\x03\x0a\x01b";
    let mut message = projection.decode(input).unwrap();
    assert_eq!(message.encode_to_vec().unwrap(), input);
    // The second element changes; the first one, which is bytes, does not.
    message.element_mut(&field(&part, "parts"), 1).unwrap().set_field("name", "new").unwrap();
    assert_eq!(
        message.encode_to_vec().unwrap(),
        b"\x1a\x0b\x10\x01\x1a\x04\x10\x07\x0a\x00\x7a\x01z\x22\x05\x10\x02\x0a\x01a\x22\x05\x0a\x03new\
            \x78\x01\x10\x85\x80\x00\x0a\x01n\x0a\x01m"
    );
    // A field that was not selected: its bytes go.
    message.set_field("name", "set").unwrap();
    assert!(message.encode_to_vec().unwrap().starts_with(b"\x0a\x03set\x1a"));
    assert!(message.encode_to_vec().unwrap().ends_with(b"\x78\x01\x10\x85\x80\x00"));
    message.clear_field(&field(&part, "size")).unwrap();
    assert!(message.encode_to_vec().unwrap().ends_with(b"\x78\x01"));
    message.as_mut().clear_unknown_fields().unwrap();
    assert!(message.encode_to_vec().unwrap().ends_with(b"new"));
}

#[test]
fn changing_a_part_of_an_unselected_field_decodes_it_first() {
    let part = part();
    let projection = Projection::new(&part, ["name"]).unwrap().pass_through();
    // Packed and not, in turns.
    let mut message =
        projection.decode(b"\x3a\x02\x01\x02\x38\x03\x3a\x01\x04\x32\x05\x0a\x01k\x10\x01").unwrap();
    message.push(&field(&part, "numbers"), 5).unwrap();
    message.insert(&field(&part, "labels"), "l", 2).unwrap();
    let expected = b"\x32\x05\x0a\x01k\x10\x01\x32\x05\x0a\x01l\x10\x02\x3a\x05\x01\x02\x03\x04\x05";
    assert_eq!(message.encode_to_vec().unwrap(), expected);

    // Bytes that are no message: the setter says where, and the message is as it was.
    let input = b"\x0a\x01n\x1a\x02\x10\xff";
    let mut message = projection.decode(input).unwrap();
    let error = message.message_mut(&field(&part, "part")).unwrap_err();
    assert_eq!(error.kind(), SetFieldErrorKind::InvalidMessage);
    let cause = error.decode_error().unwrap();
    assert_eq!((cause.kind(), cause.offset()), (DecodeErrorKind::Overrun, 6));
    assert_eq!(cause.path().to_string(), "part.size");
    assert_eq!(message.encode_to_vec().unwrap(), input);
    assert_eq!(message.get_field(&field(&part, "part")), Ok(ValueRef::Unselected));
    assert_eq!(message.materialize().unwrap_err().offset(), 6);
    assert_eq!(message.merge(b"").unwrap_err().offset(), 6);
    assert_eq!(message.encode_to_vec().unwrap(), input);
}

#[test]
fn a_projected_message_goes_into_others_as_bytes() {
    let part = part();
    let projection = Projection::new(&part, ["name"]).unwrap().pass_through();
    let inner = projection.decode(b"\x10\x05\x0a\x01n").unwrap();
    let mut outer = DynamicMessage::new(&part);
    outer.set_field("part", inner.clone()).unwrap();
    outer.push(&field(&part, "parts"), inner).unwrap();
    assert_eq!(outer.encode_to_vec().unwrap(), b"\x1a\x05\x10\x05\x0a\x01n\x22\x05\x10\x05\x0a\x01n");
    let first = outer.message_mut(&field(&part, "part")).unwrap();
    assert_eq!(first.as_view().get_field("size").ok(), Some(ValueRef::I32(5)));
    let full = DynamicMessage::decode(&part, b"\x10\x06").unwrap();
    let mut projected = Projection::new(&part, ["part.name"]).unwrap().pass_through().decode(b"").unwrap();
    projected.set_field("part", Value::Message(full)).unwrap();
    assert_eq!(projected.encode_to_vec().unwrap(), b"\x1a\x02\x10\x06");
}

#[test]
fn lazy_fields_keep_offset_and_depth() {
    let part = part();
    let options = DecodeOptions::new().max_depth(2);
    let mut outer = Decoder::new(&part).with_options(options).with_lazy(["part", "by_name"]).unwrap();
    let mut inner = Decoder::new(&part);
    let nested =
        |levels| (0..levels).fold(Vec::new(), |m: Vec<u8>, _| [&[0x1a, m.len() as u8], &m[..]].concat());
    for levels in 2..6 {
        let input = nested(levels);
        let view = outer.decode(&input).unwrap();
        let raw = view.get_field(&field(&part, "part")).unwrap().as_raw().unwrap();
        assert_eq!((raw.offset(), raw.len(), raw.depth_left()), (2, input.len() - 2, 1));
        let full = options.decode_dynamic(&part, &input);
        match raw.decode(&mut inner) {
            Ok(view) => assert_eq!(
                Some(view.to_owned()),
                full.unwrap().get_field("part").unwrap().as_message().map(|m| m.to_owned())
            ),
            Err(error) => assert_eq!(
                (error.kind(), error.offset()),
                (full.as_ref().unwrap_err().kind(), full.unwrap_err().offset())
            ),
        }
    }
    // No level is left for the field itself.
    let mut flat = Decoder::new(&part).with_options(options.max_depth(0)).with_lazy(["*"]).unwrap();
    let error = flat.decode(b"\x10\x01\x1a\x00").unwrap_err();
    assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::DepthExceeded, 2));
    assert_eq!(error.path().to_string(), "part");
    // A map entry without a value has an empty one.
    let view = outer.decode(b"\x2a\x03\x0a\x01k").unwrap();
    let map = view.get_field(&field(&part, "by_name")).unwrap().as_map().unwrap();
    assert!(map.get("k").unwrap().as_raw().unwrap().is_empty());
}

#[test]
fn a_lazy_field_that_comes_twice_is_both() {
    let part = part();
    let mut outer = Decoder::new(&part).with_lazy(["*"]).unwrap();
    let mut inner = Decoder::new(&part);
    let input = b"\x1a\x03\x0a\x01a\x10\x01\x1a\x04\x10\x05\x38\x01";
    let view = outer.decode(input).unwrap();
    let raw = view.get_field(&field(&part, "part")).unwrap().as_raw().unwrap();
    assert_eq!(raw.as_bytes(), None);
    let parts: Vec<_> = raw.parts().collect();
    assert_eq!(parts, [(2, &b"\x0a\x01a"[..]), (9, &b"\x10\x05\x38\x01"[..])]);
    assert_eq!(raw.to_vec(), b"\x0a\x01a\x10\x05\x38\x01");
    let full = DynamicMessage::decode(&part, input).unwrap();
    let expected = full.get_field(&field(&part, "part")).unwrap().as_message().unwrap();
    assert_eq!(raw.decode(&mut inner).unwrap(), expected);
    let error = outer.decode(b"\x1a\x00\x1a\x02\x10\xff").unwrap();
    let raw = error.get_field(&field(&part, "part")).unwrap().as_raw().unwrap();
    assert_eq!(raw.decode(&mut inner).unwrap_err().offset(), 5);
}

#[test]
fn what_is_skipped_must_end_where_its_message_does() {
    let part = part();
    let projection = Projection::new(&part, ["name"]).unwrap();
    let fault = |input: &[u8]| {
        let error = projection.decode(input).unwrap_err();
        let full = DynamicMessage::decode(&part, input).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (full.kind(), full.offset()));
        assert_eq!(error.path().is_empty(), full.path().is_empty());
        error.kind()
    };
    assert_eq!(fault(b"\x4a\x05x"), DecodeErrorKind::Incomplete);
    assert_eq!(fault(b"\x22\x00\x22\x02x"), DecodeErrorKind::Incomplete);
    assert_eq!(fault(b"\x10\xff"), DecodeErrorKind::Incomplete);
    assert_eq!(fault(b"\x4a\xff\xff\xff\xff\x0f"), DecodeErrorKind::InvalidLength);
    assert_eq!(fault(b"\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), DecodeErrorKind::VarintOverflow);
    // What is in it is nobody's business.
    assert!(projection.decode(b"\x4a\x01\xff\x1a\x02\x10\xff").is_ok());
}

#[test]
fn a_list_is_skipped_up_to_a_longer_tag_that_starts_like_its_own() {
    static FAR: MessageTable = MessageTable::new(
        "t.Far",
        &[
            FieldTable::new("near", 22, Kind::String).repeated(),
            FieldTable::new("far", 38, Kind::Fixed64),
            FieldTable::new("name", 1, Kind::String),
        ],
    );
    let far = DescriptorPool::from_tables(&[&FAR]).unwrap().message("t.Far").unwrap();
    let projection = Projection::new(&far, ["far"]).unwrap();
    // b2 01 is the tag of 22 and b2 02 that of 38 as a string.
    let input = b"\xb2\x01\x01a\xb2\x02\x01b\xb1\x02\x01\0\0\0\0\0\0\0\xb2\x01\x00";
    let message = projection.decode(input).unwrap();
    assert_eq!(message.get_field("far").ok(), Some(ValueRef::U64(1)));
}

#[test]
fn a_required_field_is_missed_where_it_is_selected() {
    static STRICT: MessageTable = MessageTable::new(
        "t.Strict",
        &[
            FieldTable::new("must", 1, Kind::Int32).required(),
            FieldTable::new("may", 2, Kind::Int32).optional(),
            FieldTable::new("inner", 3, Kind::Message(|| &STRICT)),
        ],
    )
    .syntax(Syntax::Proto2);
    let strict = DescriptorPool::from_tables(&[&STRICT]).unwrap().message("t.Strict").unwrap();
    // Neither the message nor the one in it has its required field.
    let neither = b"\x1a\x02\x10\x01";
    let cases: [(&[&str], &[u8], Option<&str>); 8] = [
        (&["must"], neither, Some("must")),
        (&["may"], neither, None),
        (&["inner.may"], neither, None),
        (&["inner.must"], neither, Some("inner.must")),
        (&["must", "inner.must"], b"\x08\x01\x1a\x02\x10\x01", Some("inner.must")),
        (&["must", "inner.may"], b"\x08\x01\x1a\x02\x10\x01", None),
        (&["must", "inner.inner.must"], b"\x08\x01\x1a\x02\x1a\x00", Some("inner.inner.must")),
        (&["*"], b"\x08\x01\x1a\x02\x08\x01", None),
    ];
    for (paths, input, missing) in cases {
        let projection = Projection::new(&strict, paths).unwrap();
        for projection in [projection.clone(), projection.pass_through()] {
            let mut decoder = Decoder::new(&strict).with_projection(&projection);
            let view = decoder.decode(input).map(|view| view.encode_to_vec().is_ok());
            let owned = projection.decode(input).map(|message| message.encode_to_vec().is_ok());
            for decoded in [view, owned] {
                match (decoded, missing) {
                    (Ok(encodes), None) => assert!(encodes, "{paths:?}"),
                    (Err(error), Some(path)) => {
                        let found = (error.kind(), error.path().to_string());
                        assert_eq!(found, (DecodeErrorKind::MissingRequired, path.to_owned()), "{paths:?}");
                    }
                    (decoded, missing) => panic!("{paths:?}: {decoded:?}, not {missing:?}"),
                }
            }
        }
    }
}

#[test]
fn numbers_that_a_closed_enum_lacks_pass_through_once() {
    static LEVEL: EnumTable = EnumTable::new("t.Level", &[("LOW", 0), ("HIGH", 1)]).closed();
    static GAUGE: MessageTable = MessageTable::new(
        "t.Gauge",
        &[
            FieldTable::new("level", 1, Kind::Enum(|| &LEVEL)),
            FieldTable::new("levels", 2, Kind::Enum(|| &LEVEL)).repeated(),
            FieldTable::new("gauge", 3, Kind::Message(|| &GAUGE)),
            FieldTable::new("name", 4, Kind::String),
        ],
    )
    .syntax(Syntax::Proto2);
    let gauge = DescriptorPool::from_tables(&[&GAUGE]).unwrap().message("t.Gauge").unwrap();
    let inner = b"\x08\x09\x10\x01\x10\x07\x22\x01n";
    let input = [&inner[..], &[0x1a, inner.len() as u8], inner].concat();
    for paths in
        [&["level", "levels", "gauge.level", "gauge.levels"][..], &["gauge.level"], &["gauge.levels"]]
    {
        let projection = Projection::new(&gauge, paths).unwrap().pass_through();
        let mut decoder = Decoder::new(&gauge).with_projection(&projection);
        let view = decoder.decode(&input).unwrap();
        assert_eq!(view.encode_to_vec().unwrap(), input, "{paths:?}");
        let mut owned = projection.decode(&input).unwrap();
        // A change splits the message, which keeps the numbers too.
        owned.message_mut(&field(&gauge, "gauge")).unwrap().set_field("name", "m").unwrap();
        owned.materialize().unwrap();
        let mut whole = DynamicMessage::decode(&gauge, &input).unwrap();
        whole.message_mut(&field(&gauge, "gauge")).unwrap().set_field("name", "m").unwrap();
        assert_eq!(owned, whole, "{paths:?}");
    }
}

#[test]
fn an_enum_member_of_a_oneof_counts_if_it_lists_the_number() {
    static SIDE: EnumTable = EnumTable::new("t.Side", &[("LEFT", 0), ("RIGHT", 1)]).closed();
    static CHOICE: MessageTable = MessageTable::new(
        "t.Choice",
        &[
            FieldTable::new("number", 1, Kind::Int32).oneof("choice"),
            FieldTable::new("side", 2, Kind::Enum(|| &SIDE)).oneof("choice"),
            FieldTable::new("text", 3, Kind::String).oneof("choice"),
            FieldTable::new("flag", 4, Kind::Bool).oneof("choice"),
        ],
    )
    .syntax(Syntax::Proto2);
    let choice = DescriptorPool::from_tables(&[&CHOICE]).unwrap().message("t.Choice").unwrap();
    let projection = Projection::new(&choice, ["number"]).unwrap();
    for (later, kept) in [
        (&b"\x10\x09"[..], Some(5)),
        (b"\x10\x01", None),
        (b"\x1a\x01\x09", None),
        (b"\x20\x01", None),
        (b"\x20\x00", None),
    ] {
        let message = projection.decode(&[b"\x08\x05", later].concat()).unwrap();
        let number = message.get(&field(&choice, "number")).and_then(|value| value.as_i32());
        assert_eq!(number, kept, "{later:02x?}");
    }
}
