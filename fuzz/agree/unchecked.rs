//! Messages kept as bytes, unchecked: lazy fields of hostile content, taken out, and set into other messages. They are
//! written as they are, and whatever reads them finds an error or what a decode finds.

use super::case::Case;
use super::valid::{self, PARTIAL, ROOMY};
use crate::common::choices::Choices;
use crate::common::payload::{mutate, noise};
use crate::common::wire::Wire;
use tablepb::partial::Projection;
use tablepb::table::Kind;
use tablepb::{DynamicMessage, FieldDescriptor, Prepared, Value, ValueRef};

pub fn check(input: &[u8]) -> usize {
    run(&mut Choices::fuzzed(input))
}

/// Gives how many unchecked messages were set.
pub fn run(choices: &mut Choices) -> usize {
    let case = Case::new(choices);
    let singular = |field: &FieldDescriptor| {
        matches!(field.kind(), Kind::Message(_)) && !field.is_map() && !field.is_group()
    };
    let fields: Vec<FieldDescriptor> = case.descriptor.fields().filter(singular).collect();
    if fields.is_empty() {
        return 0;
    }
    let first = case.payload(choices);
    let Ok(mut message) = PARTIAL.decode_dynamic(&case.descriptor, &first) else { return 0 };
    let (mut set, mut given) = (0, first.len());
    for _ in 0..8 {
        let field = choices.pick(&fields);
        let Some(prepared) = unchecked(&case, field, choices) else { continue };
        given += 8 * prepared.as_bytes().len() + 64;
        let value = Value::Prepared(prepared.clone());
        let target = *choices.pick(&[0, 1, 2]);
        let done = match (field.is_list(), target) {
            (true, 0) => message.set_field(field, Value::List(vec![value; 3])),
            (true, _) => message.push(field, value),
            (false, _) => message.set_field(field, value),
        };
        if done.is_ok() {
            set += 1;
            is_kept(&message, field, &prepared);
        }
        reads(&message, given);
    }
    set
}

/// A message of the field's type that is whatever bytes.
fn unchecked(case: &Case, field: &FieldDescriptor, choices: &mut Choices) -> Option<Prepared> {
    let mut bytes = match choices.below(3) {
        0 => noise(choices, 40),
        1 => vec![choices.next() as u8; choices.below(4)],
        _ => case.payload(choices),
    };
    mutate(&mut bytes, choices);
    let input = Wire::new().bytes(field.number(), &bytes).0;
    let lazy = Projection::new(&case.descriptor, [field.name()]).ok()?.lazy([field.name()]).ok()?;
    let holder = PARTIAL.decode_selected(&lazy, &input).ok()?;
    let prepared = match holder.get_field(field.number()).ok()? {
        ValueRef::Raw(raw) => raw.to_owned(),
        ValueRef::List(list) => match list.get(0)? {
            ValueRef::Raw(raw) => raw.to_owned(),
            _ => return None,
        },
        _ => return None,
    };
    assert_eq!(prepared.as_bytes(), bytes);
    Some(prepared)
}

/// The bytes are written as they are.
fn is_kept(message: &DynamicMessage, field: &FieldDescriptor, prepared: &Prepared) {
    if prepared.as_bytes().is_empty() {
        return;
    }
    let written = message.encode_with_partial();
    let expected = Wire::new().bytes(field.number(), prepared.as_bytes()).0;
    let found = written.windows(expected.len()).any(|part| part == expected);
    assert!(found, "{:02x?} is not in {written:02x?}", prepared.as_bytes());
}

trait EncodeWithPartial {
    fn encode_with_partial(&self) -> Vec<u8>;
}

impl EncodeWithPartial for DynamicMessage {
    fn encode_with_partial(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        valid::ANY.encode(self, &mut bytes).expect("whatever a message holds can be encoded");
        assert_eq!(bytes.len(), self.encoded_len());
        bytes
    }
}

/// Every reader ends, with an error where a decode has one.
fn reads(message: &DynamicMessage, given: usize) {
    valid::values(message.as_view(), given);
    let bytes = message.encode_with_partial();
    let copy = message.as_view().to_owned();
    assert_eq!(copy.encode_with_partial(), bytes);
    assert_eq!(message.clone().encode_with_partial(), bytes);
    let whole = ROOMY.decode_dynamic(message.descriptor(), &bytes);
    let _ = format!("{message:?}");
    let _ = message.is_initialized();
    let (json, text) = (tablepb::json::to_string(message), tablepb::text::to_string(message).unwrap());
    std::hint::black_box(text);
    if let (Ok(whole), Ok(json)) = (&whole, &json) {
        // What is kept as bytes prints as what it decodes to.
        if let Ok(expected) = tablepb::json::to_string(whole) {
            assert_eq!(json, &expected, "{bytes:02x?}");
        }
    }
    for field in message.descriptor().fields() {
        let mut changed = message.clone();
        if matches!(field.kind(), Kind::Message(_))
            && !field.is_list()
            && !field.is_map()
            && changed.message_mut(&field).is_ok()
        {
            valid::values(changed.as_view(), given);
            let _ = changed.encode_with_partial();
        }
    }
}
