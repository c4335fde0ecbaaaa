//! What is kept as bytes prints, compares and copies as what is decoded does: lazy fields, pass-through projections, prepared
//! messages, with every well-known type in every place.

use crate::common::choices::Choices;
use crate::common::known_types::{all, payload};
use crate::common::rounds;
use crate::common::wire::Wire;
use tablepb::EncodeErrorKind;
use tablepb::json;
use tablepb::partial::Projection;
use tablepb::text;
use tablepb::{
    DecodeOptions, Decoder, DynamicMessage, MessageDescriptor, MessageView, Prepared, Value, ValueRef,
};

/// Everything that is printed of a message.
fn prints(view: MessageView<'_, '_>) -> Vec<Result<String, String>> {
    let json = [
        json::Printer::new(),
        json::Printer::new().pretty(true).use_proto_field_name(true),
        json::Printer::new().skip_default_fields(false),
    ];
    let text = [
        text::Printer::new(),
        text::Printer::new().pretty(true).expand_any(false),
        text::Printer::new().skip_default_fields(false).skip_unknown_fields(false),
        text::Printer::new().print_message_fields_in_index_order(true),
    ];
    let json = json.iter().map(|options| {
        let mut buffer = Vec::new();
        let printed = options.append(&mut buffer, &view);
        printed.map(|()| String::from_utf8(buffer).unwrap()).map_err(|e| e.to_string())
    });
    json.chain(text.iter().map(|options| Ok(options.to_string(&view).unwrap()))).collect()
}

/// The same values, with every message in bytes.
fn prepared(value: ValueRef<'_, '_>) -> Value {
    let of = |view: MessageView<'_, '_>| Prepared::decode(&view.descriptor(), &view.encode_to_vec().unwrap());
    match value {
        ValueRef::Message(view) => of(view).unwrap().into(),
        ValueRef::List(list) => Value::List(list.iter().map(prepared).collect()),
        ValueRef::Map(map) => {
            Value::Map(map.iter().map(|(key, value)| (key.to_owned(), prepared(value))).collect())
        }
        other => other.to_owned(),
    }
}

fn kept(all: &MessageDescriptor, input: &[u8]) -> Vec<(&'static str, DynamicMessage)> {
    let projection = Projection::all(all);
    let every = projection.clone().lazy(["*"]).unwrap();
    let deeper = projection.lazy(["f117.*", "f217.*", "f317.*", "f417.*", "[k.f517].*"]).unwrap();
    let lazy = every.decode(input).unwrap();
    let mut view = Decoder::new(all).with_lazy(["*"]).unwrap();
    let view = view.decode(input).unwrap();
    let mut by_value = DynamicMessage::new(all);
    lazy.fields().for_each(|(field, value)| by_value.set_field(&field.to_owned(), value.to_owned()).unwrap());
    let whole = DynamicMessage::decode(all, input).unwrap();
    let mut set = DynamicMessage::new(all);
    whole.fields().for_each(|(field, value)| set.set_field(&field.to_owned(), prepared(value)).unwrap());
    vec![
        ("lazy", lazy.clone()),
        ("passed through", every.clone().pass_through().decode(input).unwrap()),
        ("lazy further down", deeper.decode(input).unwrap()),
        ("passed through further down", deeper.pass_through().decode(input).unwrap()),
        ("copied from a view", view.to_owned()),
        ("encoded and decoded", every.decode(&lazy.encode_to_vec().unwrap()).unwrap()),
        ("set to values that are bytes", by_value),
        ("set to prepared messages", set),
    ]
}

#[test]
fn what_is_kept_as_bytes_prints_as_what_is_decoded() {
    let all = all();
    for seed in 0..rounds(1200) {
        let input = payload(&mut Choices::seeded(seed.into()));
        let plain = DynamicMessage::decode(&all, &input).unwrap();
        let printed = prints(plain.as_view());
        let mut lazy = Decoder::new(&all).with_lazy(["*"]).unwrap();
        assert_eq!(prints(lazy.decode(&input).unwrap()), printed, "a view of {input:02x?}");
        for (how, mut message) in kept(&all, &input) {
            // The entries of a map that is set are in the order of their keys.
            let is_set = how.starts_with("set to");
            let expected = if is_set { rebuilt(&plain) } else { plain.clone() };
            assert_eq!(prints(message.as_view()), prints(expected.as_view()), "{how}: {input:02x?}");
            assert!(message == message.clone());
            message.materialize().unwrap();
            assert_eq!(message, expected, "{how}, then materialised: {input:02x?}");
        }
    }
}

/// The message with each of its fields set to a copy of its value.
fn rebuilt(message: &DynamicMessage) -> DynamicMessage {
    let mut rebuilt = DynamicMessage::new(message.descriptor());
    message
        .fields()
        .for_each(|(field, value)| rebuilt.set_field(&field.to_owned(), value.to_owned()).unwrap());
    rebuilt
}

/// It was an invalid message to the printer of one that is kept as bytes.
#[test]
fn a_message_that_is_too_deep_for_json_is_so_in_bytes_too() {
    let all = all();
    for levels in [98, 99, 100, 101, 120] {
        let mut input = Vec::new();
        (0..levels).for_each(|_| input = Wire::new().bytes(117, &input).0);
        let deep = DecodeOptions::new().max_depth(200);
        let kind = |message: &DynamicMessage| {
            tablepb::json::to_string(message).map(drop).map_err(|error| error.kind())
        };
        let expected = if levels <= 100 { Ok(()) } else { Err(EncodeErrorKind::DepthExceeded) };
        assert_eq!(kind(&deep.decode_dynamic(&all, &input).unwrap()), expected, "{levels}");
        let lazy = deep.decode_selected(&Projection::all(&all).lazy(["*"]).unwrap(), &input).unwrap();
        assert_eq!(kind(&lazy), expected, "{levels}, lazily");
    }
}

/// `{"f100":{}}` is no timestamp, and reads as a struct where a `Value` is.
#[test]
fn an_empty_well_known_message_that_is_kept_as_bytes_has_its_form_in_json() {
    let all = all();
    for (number, json) in [
        (100, r#""1970-01-01T00:00:00Z""#),
        (101, r#""0s""#),
        (102, r#""""#),
        (103, "{}"),
        (104, "null"),
        (105, "[]"),
        (106, "{}"),
        (107, "{}"),
        (108, "0"),
        (110, r#""0""#),
        (114, "false"),
        (115, r#""""#),
        (117, "{}"),
    ] {
        let input = Wire::new().bytes(number, "").0;
        let expected = format!("{{\"f{number}\":{json}}}");
        for (how, message) in kept(&all, &input) {
            assert_eq!(tablepb::json::to_string(&message).unwrap(), expected, "{how}");
        }
    }
}
