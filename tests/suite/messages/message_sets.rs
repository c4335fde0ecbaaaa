//! MessageSets: extension numbers beyond those of fields, and what selects parts of a message.

use crate::common::wire::Wire;
use tablepb::partial::{PathErrorKind, Projection};
use tablepb::schema::DescriptorErrorKind;
use tablepb::visit::{Field, Sink, Step};
use tablepb::wire::Tag;
use tablepb::{
    DecodeError, DecodeErrorKind, Decoder, DescriptorPool, DynamicMessage, MessageDescriptor, Value,
};

/// Around what a field number can be, and the largest ones.
const NUMBERS: [u32; 8] =
    [4, 18_999, 536_870_911, 536_870_912, 1_073_741_823, 1_073_741_824, 1_610_612_736, 2_147_483_646];

/// `message Set { option message_set_wire_format = true; extensions 4 to max; }`, an extension `x<number>` of type
/// `Item` for each number, and `message Holder { optional Set set = 1; }`.
fn schema(numbers: &[u32]) -> Wire {
    let field = |name: &str, number: u32, type_name: &str| {
        let head = Wire::new().bytes(1, name).int(3, number.into()).int(4, 1);
        head.int(5, 11).bytes(6, type_name)
    };
    let range = Wire::new().int(1, 4).int(2, 2_147_483_647);
    let set = Wire::new().bytes(1, "Set").message(5, range).message(7, Wire::new().int(1, 1));
    let text = Wire::new().bytes(1, "text").int(3, 1).int(4, 1).int(5, 9);
    let item = Wire::new().bytes(1, "Item").message(2, text);
    let holder = Wire::new().bytes(1, "Holder").message(2, field("set", 1, "Set"));
    let file = Wire::new().bytes(1, "set.proto").message(4, set).message(4, item).message(4, holder);
    let file = numbers.iter().fold(file, |file, &number| {
        file.message(7, field(&format!("x{number}"), number, "Item").bytes(2, "Set"))
    });
    Wire::new().message(1, file)
}

fn message(name: &str) -> MessageDescriptor {
    DescriptorPool::decode(&schema(&NUMBERS).0).unwrap().message(name).unwrap()
}

/// One item, as encoders write it.
fn item(number: u32, text: &str) -> Wire {
    Wire::new().group(1, Wire::new().int(2, number.into()).message(3, Wire::new().bytes(1, text)))
}

#[test]
fn extensions_of_a_message_set_have_numbers_up_to_two_to_the_31() {
    let set = message("Set");
    let input: Vec<u8> = NUMBERS.iter().flat_map(|&n| item(n, &format!("t{n}")).0).collect();
    let decoded = DynamicMessage::decode(&set, &input).unwrap();
    assert_eq!(decoded.unknown_fields().count(), 0);
    let mut built = DynamicMessage::new(&set);
    for number in NUMBERS {
        let field = set.get_extension(number).unwrap().as_field();
        assert_eq!((field.number(), field.name()), (number, &*format!("x{number}")));
        let text = decoded.get_field(&field).unwrap().as_message().unwrap();
        let expected = format!("t{number}");
        assert_eq!(text.get_field("text").unwrap().as_str(), Some(&*expected));
        let mut inner = DynamicMessage::new(&message_of(&field));
        inner.set_field("text", &*expected).unwrap();
        built.set_field(&field, Value::Message(inner)).unwrap();
    }
    assert!(built == decoded);
    assert_eq!(decoded.encode_to_vec().unwrap(), input);
    assert_eq!(built.encoded_len(), input.len());
    assert_eq!(built.encode_to_vec().unwrap(), input);
    // A view of it, and in another message.
    let mut decoder = Decoder::new(&set);
    assert_eq!(decoder.decode(&input).unwrap().fields().count(), NUMBERS.len());
    let outer = Wire::new().bytes(1, &input).0;
    let holder = DynamicMessage::decode(&message("Holder"), &outer).unwrap();
    assert_eq!(holder.encode_to_vec().unwrap(), outer);
}

fn message_of(field: &tablepb::FieldDescriptor) -> MessageDescriptor {
    match field.kind() {
        tablepb::table::Kind::Message(message) => message,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_field_with_a_tag_of_the_low_bits_is_not_an_extension_of_a_message_set() {
    let set = message("Set");
    for number in NUMBERS.iter().filter(|n| **n >= 1 << 29) {
        let low = number & ((1 << 29) - 1);
        if low == 0 || NUMBERS.contains(&low) {
            continue;
        }
        let values =
            [Wire::new().int(low, 0), Wire::new().bytes(low, "x"), Wire::new().group(low, Wire::new())];
        for Wire(input) in values {
            let decoded = DynamicMessage::decode(&set, &input).unwrap();
            assert_eq!(decoded.encode_to_vec().unwrap(), input, "{number}");
        }
    }
}

/// The numbers of the items, and the texts in them, without those of the number that is skipped.
#[derive(Default)]
struct Visited(Vec<String>, Option<u32>);

impl<'i> Sink<'i> for Visited {
    fn begin(&mut self, field: Field<'_>) -> Step {
        self.0.push(field.number().to_string());
        if self.1 == Some(field.number()) { Step::Skip } else { Step::Enter }
    }

    fn str(&mut self, _: Field<'_>, value: &'i str) {
        self.0.push(value.into());
    }

    fn unknown(&mut self, tag: Tag, _: &'i [u8]) {
        self.0.push(format!("unknown {}", tag.number()));
    }
}

/// An item with these type ids, and a payload in front of them or after them.
fn item_of(ids: &[u64], payload_first: bool) -> Vec<u8> {
    let payload = |item: Wire| item.message(3, Wire::new().bytes(1, "hi"));
    let start = if payload_first { payload(Wire::new()) } else { Wire::new() };
    let item = ids.iter().fold(start, |item, &id| item.int(2, id));
    Wire::new().group(1, if payload_first { item } else { payload(item) }).0
}

#[test]
fn a_type_id_has_32_bits_as_in_other_implementations() {
    let set = message("Set");
    for number in NUMBERS {
        for high in [1u64 << 32, 1 << 35, 1 << 63, u64::MAX << 32] {
            for payload_first in [false, true] {
                let input = item_of(&[high | u64::from(number)], payload_first);
                let decoded = DynamicMessage::decode(&set, &input).unwrap();
                assert_eq!(decoded.encode_to_vec().unwrap(), item(number, "hi").0, "{input:02x?}");
                let mut items = Visited::default();
                Decoder::new(&set).visit(&input, &mut items).unwrap();
                assert_eq!(items.0, [number.to_string(), "hi".into()]);
            }
        }
    }
}

#[test]
fn a_type_id_of_zero_is_an_error_as_the_field_number_zero_is() {
    let set = message("Set");
    let mut decoder = Decoder::new(&set);
    for ids in [&[0][..], &[1 << 32], &[4, 0], &[0, 4], &[77, 0]] {
        for payload_first in [false, true] {
            let input = item_of(ids, payload_first);
            let mut merged = DynamicMessage::decode(&set, &item(4, "kept").0).unwrap();
            let error = merged.merge(&input).unwrap_err();
            assert_eq!(error.kind(), DecodeErrorKind::InvalidFieldNumber, "{input:02x?}");
            let id = ids.iter().position(|id| *id as u32 == 0).unwrap();
            // A tag of one byte for the item, for each type id, and the payload of six bytes.
            assert_eq!(error.offset(), 1 + 2 * id + if payload_first { 6 } else { 0 });
            assert_eq!(merged.encode_to_vec().unwrap(), item(4, "kept").0);
            merged.merge(&item(18_999, "more").0).unwrap();
            assert_eq!(merged.fields().count(), 2);

            let place = |error: DecodeError| (error.kind(), error.offset());
            let expected = place(error);
            assert_eq!(place(decoder.decode(&input).unwrap_err()), expected);
            assert_eq!(place(decoder.visit(&input, &mut Visited::default()).unwrap_err()), expected);
            assert_eq!(decoder.decode(&item(4, "again").0).unwrap().fields().count(), 1);
        }
    }
}

#[test]
fn numbers_beyond_those_of_a_message_set_are_refused() {
    for number in [0, 3, 2_147_483_647, 4_294_967_295] {
        let error = DescriptorPool::decode(&schema(&[number]).0).unwrap_err();
        let expected = [DescriptorErrorKind::InvalidNumber, DescriptorErrorKind::InvalidExtension];
        assert!(expected.contains(&error.kind()), "{number}: {error}");
    }
    let twice = DescriptorPool::decode(&schema(&[1 << 30, 1 << 30]).0).unwrap_err();
    assert_eq!(twice.kind(), DescriptorErrorKind::DuplicateName);
}

#[test]
fn a_message_set_is_printed_with_all_its_numbers() {
    let source = message("Set").parent_file().to_proto();
    assert!(source.contains("extensions 4 to max;"), "{source}");
    assert!(source.contains("optional Item x2147483646 = 2147483646;"), "{source}");
}

#[test]
fn all_fields_of_a_message_set_can_be_named_lazy_and_are_decoded_as_a_whole() {
    let set = message("Set");
    let input = item(NUMBERS[7], "t").0;
    let mut lazy = Decoder::new(&set).with_lazy(["*"]).unwrap();
    let view = lazy.decode(&input).unwrap();
    let (field, value) = view.fields().next().unwrap();
    assert_eq!(field.number(), NUMBERS[7]);
    let text = value.as_message().unwrap().get_field("text").unwrap();
    assert_eq!(text.as_str(), Some("t"));
    assert_eq!(view.encode_to_vec().unwrap(), input);
    let all = Projection::new(&set, ["*"]).unwrap().decode(&input).unwrap();
    assert_eq!(all.fields().count(), 1);
    let inner = Projection::new(&message("Holder"), ["set.*"]).unwrap();
    let outer = Wire::new().bytes(1, &input).0;
    assert_eq!(inner.decode(&outer).unwrap().encode_to_vec().unwrap(), outer);
    let error = Projection::new(&set, ["[x4]"]).unwrap_err();
    assert_eq!(error.kind(), PathErrorKind::Unsupported);
}

/// Items were decoded all the same, and written once more as bytes after a change, which undid it.
#[test]
fn a_projection_without_paths_decodes_a_message_set_as_a_whole() {
    let set = message("Set");
    let input = item(4, "old").raw(&item(77, "unknown").0).0;
    for projection in [Projection::new(&set, [""; 0]), Projection::new(&set, ["*"])] {
        for projection in [projection.clone().unwrap(), projection.unwrap().pass_through()] {
            let mut message = projection.decode(&input).unwrap();
            assert!(message.as_view().is_selected(4) && message.has_field(4));
            assert_eq!(message.encode_to_vec().unwrap(), input);
            message.message_mut(4).unwrap().set_field("text", "new").unwrap();
            assert_eq!(message.encode_to_vec().unwrap(), item(4, "new").raw(&item(77, "unknown").0).0);
        }
    }
}

/// All items have the same tag, whether their types are known or not.
#[test]
fn an_item_of_a_known_type_may_follow_one_of_an_unknown_type() {
    let unknown = item(77, "unknown");
    let input = Wire::repeat(unknown.clone(), 2).raw(&item(4, "known").0).raw(&unknown.0).0;
    let decoded = DynamicMessage::decode(&message("Set"), &input).unwrap();
    assert!(decoded.has_field(4));
    assert_eq!(decoded.as_view().unknown_fields().count(), 3);
    let written = item(4, "known").raw(&Wire::repeat(unknown, 3).0).0;
    assert_eq!(decoded.encode_to_vec().unwrap(), written);
}

#[test]
fn items_of_a_message_set_are_visited_as_messages() {
    // The payload before the type id, an unknown type, and one that is skipped.
    let turned = Wire::new().group(1, Wire::new().message(3, Wire::new().bytes(1, "c")).int(2, 4));
    let items = [item(2_147_483_646, "a"), item(77, "b"), item(18_999, "skipped"), turned];
    let set: Vec<u8> = items.iter().flat_map(|item| item.0.clone()).collect();
    let expected = ["2147483646", "a", "unknown 1", "18999", "4", "c"];
    let mut found = Visited(Vec::new(), Some(18_999));
    Decoder::new(&message("Set")).visit(&set, &mut found).unwrap();
    assert_eq!(found.0, expected);
    let mut found = Visited(Vec::new(), Some(18_999));
    Decoder::new(&message("Holder")).visit(&Wire::new().bytes(1, &set).0, &mut found).unwrap();
    assert_eq!(found.0[1..], expected);
}

#[test]
fn items_of_a_message_set_are_handed_over_as_bytes() {
    /// The numbers of the items, and their messages.
    #[derive(Default)]
    struct Items(Vec<(u32, Vec<u8>)>);

    impl<'i> Sink<'i> for Items {
        fn begin(&mut self, _: Field<'_>) -> Step {
            Step::Content
        }

        fn content(&mut self, field: Field<'_>, content: &'i [u8]) {
            self.0.push((field.number(), content.to_vec()));
        }
    }

    let turned = Wire::new().group(1, Wire::new().message(3, Wire::new().bytes(1, "c")).int(2, 4));
    let set: Vec<u8> = [item(18_999, "a"), turned].iter().flat_map(|item| item.0.clone()).collect();
    let mut found = Items::default();
    Decoder::new(&message("Set")).visit(&set, &mut found).unwrap();
    assert_eq!(found.0, [(18_999, Wire::new().bytes(1, "a").0), (4, Wire::new().bytes(1, "c").0)]);
}
