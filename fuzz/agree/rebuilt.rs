//! A message built again from the values that were read of it, by every setter, and read by every call that other
//! checks leave out: each gives the same message, the same value, or an error that changes nothing.

use super::valid::{self, PARTIAL, ROOMY};
use std::error::Error as _;
use tablepb::dynamic::RawMessage;
use tablepb::table::Kind;
use tablepb::{
    DecodeErrorKind, DecodeOptions, Decoder, DescriptorPool, DynamicMessage, EncodeErrorKind,
    FieldDescriptor, MapKey, MapKeyRef, MapRef, Prepared, SetFieldErrorKind, Value, ValueRef,
};

/// Larger messages are left out: a value is copied once for every call.
const MOST: usize = 1 << 13;
/// Fields of one message for which the slower checks are made.
const FIELDS: usize = 6;

/// Panics if a call disagrees with the message. The message is whole: no projection decoded it.
pub fn check(message: &DynamicMessage) {
    if message.encoded_len() > MOST {
        return;
    }
    read(message);
    let mut known = message.clone();
    known.as_mut().clear_unknown_fields().unwrap();
    assert_eq!(known.unknown_fields().count(), 0);
    assert!(from_values(message) == known, "{message:?} by its values");
    assert!(from_pieces(message) == known, "{message:?} piece by piece");
    for (field, value) in message.fields().take(FIELDS) {
        refused(&mut known, &field.to_owned(), value);
    }
    encoded(message);
    prepared(message);
    shared(message);
    json(message);
}

/// Every value of the root by the calls that need no field of the schema, or the wrong one.
fn read(message: &DynamicMessage) {
    let view = message.as_view();
    let foreign =
        DescriptorPool::descriptor_proto().message("google.protobuf.FileOptions").expect("it is there");
    for field in foreign.fields() {
        let error = view.get_field(&field).expect_err("a field of another message");
        assert_eq!((error.kind(), error.field()), (SetFieldErrorKind::ForeignField, field.full_name()));
        if cfg!(debug_assertions) {
            // Other getters panic.
            continue;
        }
        assert!(view.get(&field).is_none() && !view.has_field(&field) && !view.is_selected(&field));
    }
    for oneof in foreign.oneofs().filter(|_| !cfg!(debug_assertions)) {
        assert!(view.get_oneof(&oneof).is_none());
    }
    assert!(message.get_field("no such field").is_err() && !message.has_field("no such field"));
    assert!(message.get_field(0).is_err());
    for field in view.descriptor().fields() {
        assert!(message.as_view().is_selected(&field));
        let (value, by_number) =
            (view.get_field(&field).expect("its own field"), message.get_field(field.number()).ok());
        let owned = value.to_owned();
        assert!(by_number.is_some_and(|value| alike(value, &owned)), "{} by number", field.full_name());
        let by_name = message.get_field(field.name()).ok();
        assert!(by_name.is_some_and(|value| alike(value, &owned)), "{} by name", field.full_name());
        assert_eq!(message.has_field(field.name()), message.has_field(&field));
        converted(&owned);
        match value {
            ValueRef::Map(map) => entries(map),
            ValueRef::List(list) => {
                let numbers =
                    list.numbers::<bool>().map(|all| all.clone().chain(all.rev()).collect::<Vec<_>>());
                let values = || list.iter().map_while(|value| value.as_bool());
                let both = values().chain(values().collect::<Vec<_>>().into_iter().rev());
                assert!(numbers.is_none_or(|numbers| both.eq(numbers)), "{}", field.full_name());
                assert!(
                    alike(ValueRef::List(list), &owned)
                        && list.numbers::<u64>().is_none_or(|all| all.count() == list.len())
                );
            }
            _ => {}
        }
    }
    assert_eq!(format!("{message:?}"), format!("{view:?}"));
    // The two ways to print differ in white space and commas alone.
    let solid = |text: String| text.replace([' ', '\n', ','], "");
    assert_eq!(solid(format!("{view:?}")), solid(format!("{view:#?}")));
}

/// Every way to make a value gives the same one.
fn converted(value: &Value) {
    match value {
        Value::String(text) => {
            assert!(Value::from(text.as_str()) == *value && Value::from(text.clone()) == *value);
            let keys = [MapKey::from(text.as_str()), MapKey::from(text.clone())];
            assert!(keys.iter().all(|key| key.as_ref().as_str() == Some(text)));
        }
        Value::Bytes(data) => {
            assert!(Value::from(&data[..]) == *value && Value::from(data.clone()) == *value);
            assert!(Value::from(bytes::Bytes::from(data.clone())) == *value);
            let keys = [MapKey::from(&data[..]), MapKey::from(data.clone())];
            assert!(keys.iter().all(|key| key.as_ref().as_bytes() == Some(data)));
            if let Some(first) = data.first_chunk::<4>() {
                assert!(Value::from(first) == Value::Bytes(data[..4].to_vec()));
            }
        }
        Value::List(list) => {
            assert_eq!(Value::from(list.clone()).as_list().map(<[_]>::len), Some(list.len()))
        }
        Value::Map(map) => {
            let hashed: std::collections::HashMap<_, _> = map.clone().into_iter().collect();
            let made = [Value::from(map.clone()), Value::from(hashed)];
            assert!(made.iter().all(|made| made.as_map().is_some_and(|made| made.keys().eq(map.keys()))));
        }
        _ => {}
    }
}

/// The known fields as values of a message of another pool: types match by name.
pub fn across(message: &DynamicMessage, other: &DynamicMessage) {
    let mut built = DynamicMessage::new(message.descriptor());
    for ((field, _), (_, value)) in message.fields().zip(other.fields()) {
        built.set_field(&field.to_owned(), value.to_owned()).expect("a value of a type of this name");
    }
    let mut known = message.clone();
    known.as_mut().clear_unknown_fields().unwrap();
    assert!(built == known, "{message:?} by the values of another pool");
}

/// What JSON can say of the message comes back.
fn json(message: &DynamicMessage) {
    if !message.is_initialized() {
        return;
    }
    let Ok(text) = tablepb::json::to_string(message) else { return };
    match tablepb::json::message_from_slice(message.descriptor(), text.as_bytes()) {
        Ok(again) => assert_eq!(tablepb::json::to_string(&again).expect("it was read"), text),
        Err(error) => panic!("{error}: {text} of {message:?}"),
    }
}

/// A map by its keys and by the calls of its iterator.
fn entries(map: MapRef<'_, '_>) {
    assert_eq!(map.iter().size_hint(), (map.len(), Some(map.len())));
    assert_eq!((map.iter().count(), map.iter().next().is_none()), (map.len(), map.is_empty()));
    assert!(map.iter().nth(map.len()).is_none());
    for (at, (key, value)) in map.into_iter().enumerate() {
        let owned = key.to_owned();
        assert_eq!(owned.as_ref(), key);
        assert_eq!(MapKeyRef::from(&owned), key);
        assert_eq!(
            (key.as_str().is_some(), key.as_bytes().is_some()),
            match owned {
                MapKey::String(_) => (true, true),
                MapKey::Bytes(_) => (false, true),
                _ => (false, false),
            }
        );
        assert!(map.contains_key(&owned));
        assert!(map.iter().nth(at).is_some_and(|(nth, _)| nth == key), "entry {at}");
        assert!(map.get(key).is_some_and(|got| alike(got, &value.to_owned())));
        // A key of another kind finds nothing, and a string is found by its bytes.
        match key {
            MapKeyRef::Bool(_) => assert!(!map.contains_key(1u64)),
            MapKeyRef::String(text) => assert!(map.contains_key(text.as_bytes()) && !map.contains_key(true)),
            _ => assert!(!map.contains_key(true) && !map.contains_key("")),
        }
    }
}

/// Whether an owned value is what was read, by all of its getters.
fn alike(value: ValueRef<'_, '_>, owned: &Value) -> bool {
    let scalars = value.as_bool() == owned.as_bool()
        && value.as_i32() == owned.as_i32()
        && value.as_i64() == owned.as_i64()
        && value.as_u32() == owned.as_u32()
        && value.as_u64() == owned.as_u64()
        && value.as_f32().map(f32::to_bits) == owned.as_f32().map(f32::to_bits)
        && value.as_f64().map(f64::to_bits) == owned.as_f64().map(f64::to_bits)
        && value.as_str() == owned.as_str()
        && value.as_bytes() == owned.as_bytes()
        && value.as_enum_number() == owned.as_enum_number();
    let parts = match (value.as_list(), value.as_map()) {
        (Some(list), _) => owned.as_list().is_some_and(|owned| {
            list.len() == owned.len() && list.into_iter().zip(owned).all(|(value, owned)| alike(value, owned))
        }),
        (_, Some(map)) => owned.as_map().is_some_and(|owned| {
            map.len() == owned.len()
                && map.iter().all(|(key, value)| owned.get(&key.to_owned()).is_some_and(|o| alike(value, o)))
        }),
        _ => owned.as_list().is_none() && owned.as_map().is_none(),
    };
    let message = match (value, owned) {
        (ValueRef::Message(view), owned) => owned.as_message().is_some_and(|owned| owned.as_view() == view),
        (ValueRef::Raw(raw), Value::Prepared(owned)) => {
            owned.as_bytes() == raw.to_vec() && owned.full_name() == raw.descriptor().full_name()
        }
        (_, owned) => owned.as_message().is_none() && !matches!(owned, Value::Prepared(_)),
    };
    scalars && parts && message
}

/// The known fields, each set to its value as a whole.
fn from_values(message: &DynamicMessage) -> DynamicMessage {
    let mut built = DynamicMessage::new(message.descriptor());
    for (field, value) in message.fields() {
        let (field, owned) = (field.to_owned(), value.to_owned());
        assert!(alike(value, &owned), "{}: {value:?} and {owned:?}", field.full_name());
        let by_name = message.descriptor().field(field.name()).ok();
        match by_name.filter(|by_name| *by_name == field) {
            Some(_) => built.set_field(field.name(), owned).expect("a value of its kind"),
            None => built.set_field(&field, owned).expect("a value of its kind"),
        }
        assert!(built.has_field(&field), "{}", field.full_name());
    }
    built
}

/// The known fields again: elements and entries one by one and last first, messages into messages that are there.
fn from_pieces(message: &DynamicMessage) -> DynamicMessage {
    let mut built = DynamicMessage::new(message.descriptor());
    for (field, value) in message.fields() {
        let field = field.to_owned();
        match value {
            ValueRef::List(list) => {
                for element in list {
                    built.push(&field, element.to_owned()).expect("a value of its kind");
                }
                // Each once more, from the end.
                for (at, element) in list.iter().enumerate().rev() {
                    built.as_mut().set_element(&field, at, element.to_owned()).expect("an element");
                }
            }
            ValueRef::Map(map) => {
                let mut entries: Vec<_> = map.iter().collect();
                entries.reverse();
                for (key, value) in entries {
                    built.insert(&field, key.to_owned(), value.to_owned()).expect("an entry of its kinds");
                }
            }
            ValueRef::Message(inner) => {
                let mut target = built.message_mut(&field).expect("a message");
                for (field, value) in inner.fields() {
                    target.set_field(&field.to_owned(), value.to_owned()).expect("a value of its kind");
                }
                if inner.unknown_fields().next().is_some() {
                    // Setters do not take unknown fields.
                    built.set_field(&field, inner.to_owned()).expect("a message");
                }
            }
            value => {
                built.set_field(&field, value.to_owned()).expect("a value of its kind");
            }
        }
    }
    built
}

/// Calls that do not fit the field: the error names it and gives the value back, and the message stays as it is.
fn refused(message: &mut DynamicMessage, field: &FieldDescriptor, value: ValueRef<'_, '_>) {
    use SetFieldErrorKind::{ForeignField, InvalidShape, InvalidType, NoSuchField, OutOfRange};
    let before = message.clone();
    let mut target = message.as_mut();
    let (list, map) = (value.as_list(), value.as_map());
    let of_message = matches!(field.kind(), Kind::Message(_)) && map.is_none();
    let wrong = if matches!(value, ValueRef::Bool(_)) { Value::U64(7) } else { Value::Bool(true) };
    let refuse = |error: tablepb::SetFieldError, kind: SetFieldErrorKind, given: Option<&Value>| {
        assert_eq!((error.kind(), error.field()), (kind, field.full_name()));
        let text = error.to_string();
        let verb = if kind == InvalidShape { " is " } else { " expects " };
        assert!(text.starts_with(&kind.to_string()) && text.contains(verb), "{text}");
        assert!(error.decode_error().is_none() && error.source().is_none());
        // Printed, for NaN is not equal to itself.
        assert_eq!(format!("{:?}", error.into_value()), format!("{:?}", given));
    };
    let error = target.set_field(field, Value::List(vec![Value::List(vec![])])).unwrap_err();
    refuse(error, InvalidType, Some(&Value::List(vec![Value::List(vec![])])));
    if list.is_some() || map.is_some() {
        refuse(target.set_field(field, wrong.clone()).unwrap_err(), InvalidType, Some(&wrong));
        refuse(target.message_mut(field).map(drop).unwrap_err(), InvalidShape, None);
    }
    match list {
        Some(list) => {
            let (len, same) = (list.len(), list.get(0).expect("it is not empty").to_owned());
            let error = target.set_element(field, len, same.clone()).unwrap_err();
            refuse(error, OutOfRange, Some(&same));
            refuse(target.remove_element(field, len).unwrap_err(), OutOfRange, None);
            refuse(
                target.push(field, Value::Map(Default::default())).unwrap_err(),
                InvalidType,
                Some(&Value::Map(Default::default())),
            );
            let error = target.element_mut(field, len).map(drop).unwrap_err();
            refuse(error, if of_message { OutOfRange } else { InvalidShape }, None);
        }
        None => {
            refuse(target.push(field, wrong.clone()).unwrap_err(), InvalidShape, Some(&wrong));
            refuse(target.set_element(field, 0, wrong.clone()).unwrap_err(), InvalidShape, Some(&wrong));
            refuse(target.remove_element(field, 0).unwrap_err(), InvalidShape, None);
            refuse(target.push_message(field).map(drop).unwrap_err(), InvalidShape, None);
            refuse(target.element_mut(field, 0).map(drop).unwrap_err(), InvalidShape, None);
        }
    }
    match map.and_then(|map| map.iter().next()) {
        Some((key, value)) => {
            let other = if matches!(key, MapKeyRef::Bool(_)) { MapKey::U64(1) } else { MapKey::Bool(true) };
            let value = value.to_owned();
            let list = Value::List(vec![]);
            refuse(target.insert(field, other.clone(), list.clone()).unwrap_err(), InvalidType, Some(&list));
            refuse(target.insert(field, key.to_owned(), list.clone()).unwrap_err(), InvalidType, Some(&list));
            refuse(target.remove(field, other.clone()).unwrap_err(), InvalidType, None);
            let entry = target.entry_mut(field, other).map(drop).unwrap_err();
            refuse(entry, if value.as_message().is_some() { InvalidType } else { InvalidShape }, None);
        }
        None => {
            refuse(target.insert(field, 1, wrong.clone()).unwrap_err(), InvalidShape, Some(&wrong));
            refuse(target.remove(field, 1).unwrap_err(), InvalidShape, None);
            refuse(target.entry_mut(field, 1).map(drop).unwrap_err(), InvalidShape, None);
        }
    }
    let foreign = DescriptorPool::descriptor_proto().all_messages().next().expect("it has messages");
    let foreign = foreign.fields().next().expect("it has fields");
    let unknown = [
        target.set_field(&foreign, wrong.clone()).unwrap_err(),
        target.push(&foreign, wrong.clone()).unwrap_err(),
        target.insert(&foreign, 1, wrong.clone()).unwrap_err(),
    ];
    for error in unknown {
        assert_eq!((error.kind(), error.field()), (ForeignField, foreign.full_name()));
        assert_eq!(error.into_value().as_ref(), Some(&wrong));
    }
    assert_eq!(target.clear_field(&foreign).unwrap_err().kind(), ForeignField);
    let error = target.set_field("no such field", wrong.clone()).unwrap_err();
    assert_eq!((error.kind(), error.field()), (NoSuchField, "no such field"));
    assert_eq!(error.into_value(), Some(wrong));
    assert!(*message == before, "{before:?} is {message:?} after calls that failed");
    let mut without = before.clone();
    without.as_mut().clear_field(field).expect("it has the field");
    assert!(!without.has_field(field));
    message.clear_field(field).unwrap();
    assert!(*message == without);
    if let (Some(map), ValueRef::Map(_)) = (before.get(field).and_then(|value| value.as_map()), value) {
        // Entry by entry too.
        let mut emptied = before.clone();
        for (key, _) in map.iter() {
            if of_message_values(field) {
                emptied.entry_mut(field, key.to_owned()).expect("it is there");
            }
            assert_eq!(emptied.remove(field, key.to_owned()), Ok(true));
            assert_eq!(emptied.remove(field, key.to_owned()), Ok(false));
        }
        assert!(emptied == without);
    }
    *message = before;
}

fn of_message_values(field: &FieldDescriptor) -> bool {
    let Kind::Message(entry) = field.kind() else { return false };
    entry.map_entry_value_field().is_some_and(|value| matches!(value.kind(), Kind::Message(_)))
}

/// Other buffers hold the same bytes, and those without room nothing.
fn encoded(message: &DynamicMessage) {
    let bytes = valid::encoded(message);
    if message.encode_to_vec().is_err() {
        return;
    }
    let mut buffer = Vec::new();
    message.encode(&mut buffer).expect("as before");
    let mut other = bytes::BytesMut::new();
    message.encode_buf(&mut other).expect("as before");
    assert!(buffer == bytes && other == bytes);
    let mut delimited = Vec::new();
    message.encode_length_delimited(&mut delimited).expect("as before");
    assert!(delimited.ends_with(&bytes));
    if let Some(less) = bytes.len().checked_sub(1) {
        let mut small = vec![7; less];
        let errors =
            [message.encode_to_slice(&mut small).map(drop), message.encode_buf(&mut small.as_mut_slice())];
        for error in errors {
            assert_eq!(error.expect_err("there is no room").kind(), EncodeErrorKind::BufferTooSmall);
        }
        assert_eq!(small, vec![7; less]);
    }
}

/// A message that was encoded before is the message, wherever it is put.
fn prepared(message: &DynamicMessage) {
    let Ok(whole) = Prepared::new(message) else {
        assert!(message.encode_to_vec().is_err());
        return;
    };
    assert_eq!(whole.as_bytes(), valid::encoded(message));
    assert_eq!(whole.full_name(), message.descriptor().full_name());
    // The depth is the least that encoding needs, and that of bytes the least that decoding needs: that counts unknown groups.
    let encodes = |depth| valid::ANY.max_depth(depth).encode(message, &mut Vec::new()).is_ok();
    assert!(encodes(whole.depth()) && (whole.depth() == 0 || !encodes(whole.depth() - 1)), "{whole:?}");
    match Prepared::decode(message.descriptor(), whole.as_bytes()) {
        Ok(again) => {
            let options = |depth| ROOMY.max_depth(depth);
            let decodes =
                |depth| options(depth).decode_dynamic(message.descriptor(), again.as_bytes()).is_ok();
            assert!(again == whole && again.depth() >= whole.depth());
            assert!(
                decodes(again.depth()) && (again.depth() == 0 || !decodes(again.depth() - 1)),
                "{again:?}"
            );
        }
        Err(error) => assert!(valid::is_limit(error.kind()), "{error}"),
    }
    for (field, value) in message.fields().take(FIELDS) {
        let one = match value {
            ValueRef::Message(view) => Some(view),
            ValueRef::List(list) => list.get(0).and_then(|first| first.as_message()),
            _ => None,
        };
        let Some(part) = one.and_then(|view| Prepared::new(&view.to_owned()).ok()) else { continue };
        placed(message, &field.to_owned(), value.as_list().is_some(), &part);
    }
}

/// The message in place of a field or of the first element, as a message and prepared.
fn placed(message: &DynamicMessage, field: &FieldDescriptor, list: bool, part: &Prepared) {
    let (mut decoded, mut kept) = (message.clone(), message.clone());
    let Kind::Message(inner) = field.kind() else { unreachable!() };
    let whole = ROOMY.decode_dynamic(&inner, part.as_bytes()).expect("it was encoded");
    match list {
        true => {
            kept.as_mut().set_element(field, 0, part).expect("an element");
            kept.push(field, part.clone()).expect("a message");
            decoded.as_mut().set_element(field, 0, whole.clone()).expect("an element");
            decoded.push(field, whole.clone()).expect("a message");
        }
        false => {
            kept.set_field(field, part).expect("a message");
            decoded.set_field(field, whole.clone()).expect("a message");
        }
    }
    assert_eq!(valid::encoded(&kept), valid::encoded(&decoded), "{}", field.full_name());
    let value = kept.get(field).expect("it was set");
    let raw = value.as_list().map_or(value, |list| list.get(0).expect("an element"));
    raw_message(raw.as_raw().expect("it was not decoded"), &whole);
    assert!(kept.clone() == kept && kept.as_view().to_owned() == kept);
    match list {
        true => {
            let last = kept.get(field).and_then(|value| value.as_list()).expect("a list").len() - 1;
            kept.as_mut().element_mut(field, last).expect("it is valid");
            kept.element_mut(field, 0).expect("it is valid");
        }
        false => {
            kept.message_mut(field).expect("it is valid");
        }
    }
    assert!(kept == decoded, "{kept:?} decoded in place is {decoded:?}");
}

/// A message that is bytes, read by all of its calls.
fn raw_message(raw: RawMessage<'_, '_>, whole: &DynamicMessage) {
    let bytes = raw.to_vec();
    assert_eq!(bytes, valid::encoded(whole));
    assert_eq!(
        (raw.len(), raw.is_empty(), raw.as_bytes()),
        (bytes.len(), bytes.is_empty(), Some(&bytes[..]))
    );
    assert!(raw.parts().all(|(offset, part)| offset >= raw.offset() && bytes.starts_with(part)));
    assert_eq!(
        format!("{raw:?}"),
        format!("{} {{ {} raw bytes }}", whole.descriptor().full_name(), bytes.len())
    );
    let mut decoder = Decoder::new(whole.descriptor()).with_options(PARTIAL);
    assert!(raw.decode(&mut decoder).is_ok_and(|view| view == whole.as_view()));
    let other = DescriptorPool::descriptor_proto().all_messages().next().expect("it has messages");
    let error = raw.decode(&mut Decoder::new(&other)).expect_err("a decoder of other messages");
    assert_eq!(error.kind(), DecodeErrorKind::WrongMessage);
    assert_eq!(raw.to_owned().as_bytes(), bytes);
}

/// A message that shares its bytes is like any other, before and after it has bytes of its own.
fn shared(message: &DynamicMessage) {
    let bytes = bytes::Bytes::from(valid::encoded(message));
    let strict = DecodeOptions::new().decode_dynamic(message.descriptor(), &bytes);
    match (DynamicMessage::decode_shared(message.descriptor(), &bytes), strict) {
        (Ok(mut shared), Ok(mut own)) => {
            assert!(shared == own && shared.clone() == own);
            let merged = (shared.merge(&bytes), own.merge(&bytes));
            assert_eq!(merged.0.is_ok(), merged.1.is_ok());
            assert!(merged.0.is_err() || shared == own);
            shared.shrink_to(0);
            assert!(merged.0.is_err() || shared == own);
            shared.clear();
            assert!(
                shared == DynamicMessage::new(message.descriptor()) && shared.unknown_fields().count() == 0
            );
        }
        (Err(shared), Err(own)) => assert_eq!(shared.to_string(), own.to_string()),
        // The copy of the input counts against the budget.
        (Ok(_), Err(error)) => assert_eq!(error.kind(), DecodeErrorKind::BudgetExceeded),
        (Err(error), Ok(_)) => panic!("{error}"),
    }
}
