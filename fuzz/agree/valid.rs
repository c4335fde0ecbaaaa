//! What must hold for every message, whatever was done to it and however that ended.

use std::collections::BTreeSet;
use tablepb::{
    DecodeErrorKind, DecodeOptions, Decoder, DynamicMessage, EncodeErrorKind, EncodeOptions, FieldDescriptor,
    ListRef, MapKeyRef, MapRef, MessageView, ValueRef,
};

/// Deeper than any message here.
const LEVELS: u32 = 400;
/// Required fields may be missing, nothing else.
pub const PARTIAL: DecodeOptions = DecodeOptions::new().allow_partial(true);
/// The same without the limits.
pub const ROOMY: DecodeOptions = PARTIAL.max_depth(LEVELS).budget(1 << 30);
/// Encodes whatever there is.
pub const ANY: EncodeOptions = EncodeOptions::new().allow_partial(true).max_depth(LEVELS);

/// Reads every value in every way, and encodes the message, decodes, copies and compares it.
///
/// `input` is how many bytes have been put into the message in all: it cannot hold more values than that.
pub fn message(message: &DynamicMessage, input: usize) {
    read_again(message, input);
    let copy = message.clone();
    assert!(copy == *message, "{message:?} is not its clone");
    let owned = message.as_view().to_owned();
    assert!(owned == *message, "{message:?} is not its copy {owned:?}");
}

/// The same without copies, for a message whose store is large.
pub fn read_again(message: &DynamicMessage, input: usize) {
    values(message.as_view(), input);
    let bytes = encoded(message);
    let again = match ROOMY.decode_dynamic(message.descriptor(), &bytes) {
        Ok(again) => again,
        Err(error) => panic!("{message:?} encodes as {bytes:02x?}, which does not decode: {error}"),
    };
    assert!(again == *message, "{message:?} encodes as {bytes:02x?}, which is {again:?}");
    assert_eq!(encoded(&again), bytes, "{message:?} is encoded in another way when it is decoded again");
}

/// The message encoded in all ways, which must agree about its length.
pub fn encoded(message: &DynamicMessage) -> Vec<u8> {
    let mut bytes = vec![7];
    ANY.encode(message, &mut bytes).expect("whatever a message holds can be encoded");
    let bytes = bytes.split_off(1);
    assert_eq!(message.encoded_len(), bytes.len(), "the length of {message:?}");
    let mut sorted = Vec::new();
    ANY.deterministic(true).encode(message, &mut sorted).expect("as before");
    assert_eq!(sorted.len(), bytes.len(), "in order of keys {message:?}");
    match message.encode_to_vec() {
        Ok(plain) => {
            assert_eq!(plain, bytes);
            let mut slice = vec![0; bytes.len()];
            assert_eq!(message.as_view().encode_to_slice(&mut slice), Ok(bytes.len()));
            assert_eq!(slice, bytes);
            let mut delimited = Vec::new();
            message.as_view().encode_length_delimited(&mut delimited).expect("as before");
            assert!(delimited.ends_with(&bytes) && delimited.len() > bytes.len());
        }
        Err(error) => {
            let kind = error.kind();
            assert!(
                matches!(kind, EncodeErrorKind::MissingRequired | EncodeErrorKind::DepthExceeded),
                "{kind:?}: {message:?}"
            );
            assert!(kind == EncodeErrorKind::DepthExceeded || !message.is_initialized());
        }
    }
    bytes
}

/// The kinds of errors that a decode of a valid input may end with for want of something.
pub fn is_limit(kind: DecodeErrorKind) -> bool {
    matches!(kind, DecodeErrorKind::BudgetExceeded | DecodeErrorKind::DepthExceeded)
}

/// Reads everything by iterating and by descriptor.
pub fn values(view: MessageView<'_, '_>, input: usize) {
    let mut left = 64 + 8 * input;
    walk(view, &mut left);
}

fn count(left: &mut usize) {
    *left = left.checked_sub(1).expect("there are more values than bytes were given");
}

fn walk(view: MessageView<'_, '_>, left: &mut usize) {
    let mut set = BTreeSet::new();
    for (field, value) in view.fields() {
        let name = field.full_name();
        assert!(set.insert(field.number()), "{name} twice");
        count(left);
        let field = field.to_owned();
        let got = view.get(&field).unwrap_or_else(|| panic!("{name} is listed and not set"));
        assert!(alike(got, value), "{name} is {value:?}, by descriptor {got:?}");
        assert!(
            view.get_field(&field).is_ok_and(|got| alike(got, value)) && view.has_field(&field),
            "{name}"
        );
        let by_number = view.get_field(field.number()).ok();
        assert!(by_number.is_some_and(|got| alike(got, value)), "{name} by number");
        if view.descriptor().field(field.name()).ok().as_ref() == Some(&field) {
            let by_name = view.get_field(field.name()).ok();
            assert!(by_name.is_some_and(|got| alike(got, value)), "{name} by name");
            assert!(view.has_field(field.name()), "{name} by name");
        }
        if let Some(oneof) = field.containing_oneof() {
            let member = view.get_oneof(&oneof).map(|(member, _)| member.number());
            assert_eq!(member, Some(field.number()), "the oneof of {name}");
        }
        one_value(&field, value, left);
    }
    let descriptor = view.descriptor();
    let extensions = descriptor.extensions().map(|extension| extension.as_field());
    for field in descriptor.fields().chain(extensions) {
        if set.contains(&field.number()) {
            continue;
        }
        assert!(
            view.get(&field).is_none() && !view.has_field(&field),
            "{} is not listed, and is {:?} in {view:?}",
            field.full_name(),
            view.get(&field)
        );
        match view.get_field(&field).expect("a field of the message") {
            ValueRef::String(text) => valid_text(&field, text),
            ValueRef::Message(inner) => assert_eq!(inner.fields().count(), 0, "{}", field.full_name()),
            ValueRef::List(list) => assert!(list.is_empty()),
            ValueRef::Map(map) => assert!(map.is_empty()),
            _ => {}
        }
    }
    for unknown in view.unknown_fields() {
        count(left);
        assert!(unknown.number() > 0 && unknown.value().len() < 1 << 31);
    }
}

fn one_value(field: &FieldDescriptor, value: ValueRef<'_, '_>, left: &mut usize) {
    match value {
        ValueRef::String(text) => valid_text(field, text),
        ValueRef::Bytes(bytes) => drop(std::hint::black_box(bytes.to_vec())),
        ValueRef::Message(inner) => walk(inner, left),
        ValueRef::Raw(raw) => {
            assert_eq!(raw.to_vec().len(), raw.len(), "{}", field.full_name());
            assert!(raw.as_bytes().is_none_or(|bytes| bytes.len() == raw.len()));
            let mut decoder = Decoder::new(&raw.descriptor()).with_options(PARTIAL);
            if let Ok(inner) = raw.decode(&mut decoder) {
                let mut left = 64 + 8 * raw.len();
                walk(inner, &mut left);
            }
        }
        ValueRef::List(list) => elements(field, list, left),
        ValueRef::Map(map) => entries(field, map, left),
        ValueRef::Unselected => panic!("{} is listed and not selected", field.full_name()),
        _ => {}
    }
}

/// What has the type `&str` is UTF-8, whatever the library says.
fn valid_text(field: &FieldDescriptor, text: &str) {
    let bytes = std::hint::black_box(text.as_bytes());
    assert!(std::str::from_utf8(bytes).is_ok(), "not UTF-8 in {}: {bytes:02x?}", field.full_name());
}

fn elements(field: &FieldDescriptor, list: ListRef<'_, '_>, left: &mut usize) {
    assert!(!list.is_empty() && field.is_list(), "{} is set and empty", field.full_name());
    let mut index = 0;
    for value in list.iter() {
        count(left);
        if index < 3 || index + 1 == list.len() {
            assert!(list.get(index).is_some_and(|got| alike(got, value)), "{}[{index}]", field.full_name());
        }
        one_value(field, value, left);
        index += 1;
    }
    assert_eq!(index, list.len(), "{}", field.full_name());
    assert!(list.get(index).is_none());
    let last = list.get(index - 1).expect("the last one");
    assert!(
        list.iter().next_back().is_some_and(|got| alike(got, last)),
        "{} from the end",
        field.full_name()
    );
    assert!(list.iter().last().is_some_and(|got| alike(got, last)), "{}, the last", field.full_name());
    assert!(list.iter().nth(index - 1).is_some_and(|got| alike(got, last)), "{}, the nth", field.full_name());
    assert!(
        list.iter().nth(index).is_none()
            && list.iter().count() == index
            && list.iter().rev().count() == index
    );
    numbers(list, last);
}

/// Numbers of a list as numbers, which are its values.
fn numbers(list: ListRef<'_, '_>, last: ValueRef<'_, '_>) {
    macro_rules! of {
        ($($type:ty: $get:ident),*) => {$(
            if let Some(mut all) = list.numbers::<$type>() {
                assert_eq!(all.len(), list.len());
                assert_eq!(all.next_back().map(|n| n.to_le_bytes()), last.$get().map(|n| n.to_le_bytes()));
                assert_eq!(all.fold(1, |count, _| count + 1), list.len());
                let nth = list.numbers::<$type>().and_then(|mut all| all.nth(list.len() - 1));
                assert_eq!(nth.map(|n| n.to_le_bytes()), last.$get().map(|n| n.to_le_bytes()));
            }
        )*};
    }
    if !matches!(last, ValueRef::EnumNumber(_)) {
        of!(i32: as_i32, i64: as_i64, u32: as_u32, u64: as_u64, f32: as_f32, f64: as_f64);
    }
}

fn entries(field: &FieldDescriptor, map: MapRef<'_, '_>, left: &mut usize) {
    assert!(!map.is_empty() && field.is_map(), "{} is set and empty", field.full_name());
    let mut keys = BTreeSet::new();
    let mut entries = 0;
    for (key, value) in map.iter() {
        count(left);
        entries += 1;
        if let MapKeyRef::String(text) = key {
            valid_text(field, text);
        }
        // Keys of fields without validation may be no text.
        if key != MapKeyRef::String("\u{fffd}") {
            assert!(keys.insert(key.to_owned()), "{key:?} twice in {}", field.full_name());
            assert!(map.get(key).is_some_and(|got| alike(got, value)), "{key:?} in {}", field.full_name());
        }
        one_value(field, value, left);
    }
    assert_eq!(entries, map.len(), "{}", field.full_name());
}

/// Equal, NaN to itself, and lists, maps and messages by size: their parts are looked at one by one.
fn alike(a: ValueRef<'_, '_>, b: ValueRef<'_, '_>) -> bool {
    match (a, b) {
        (ValueRef::F32(a), ValueRef::F32(b)) => a.to_bits() == b.to_bits(),
        (ValueRef::F64(a), ValueRef::F64(b)) => a.to_bits() == b.to_bits(),
        (ValueRef::List(a), ValueRef::List(b)) => a.len() == b.len(),
        (ValueRef::Map(a), ValueRef::Map(b)) => a.len() == b.len(),
        (ValueRef::Message(a), ValueRef::Message(b)) => a.descriptor() == b.descriptor(),
        (ValueRef::Raw(a), ValueRef::Raw(b)) => a.len() == b.len(),
        (a, b) => a == b,
    }
}
