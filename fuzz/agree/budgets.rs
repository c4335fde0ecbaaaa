//! Merges that fail: for want of memory at every word, for want of levels, for want of bytes. After each the message
//! is valid, and can be merged into and changed as before.

use super::case::Case;
use super::valid::{self, PARTIAL, ROOMY};
use crate::common::choices::Choices;
use tablepb::table::Kind;
use tablepb::wire::Reader;
use tablepb::{DecodeError, DecodeErrorKind, DynamicMessage, FieldDescriptor, Value};

/// Merges tried and failed, for those who want to know that something was tried.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tried {
    pub merges: usize,
    pub failed: usize,
}

/// Most budgets tried for one merge: a fuzzer is better off with more merges.
const BUDGETS: (usize, usize) = (40, 200);

pub fn check(input: &[u8]) -> Tried {
    tried(&mut Choices::fuzzed(input), BUDGETS.0)
}

pub fn run(choices: &mut Choices) -> Tried {
    tried(choices, BUDGETS.1)
}

fn tried(choices: &mut Choices, budgets: usize) -> Tried {
    let mut tried = Tried::default();
    let case = Case::new(choices);
    let one = case.payload(choices);
    let Ok(base) = PARTIAL.decode_dynamic(&case.descriptor, &one) else { return tried };
    let two = case.any_payload(choices);
    // A failure at each word is another failure.
    let (mut budget, step) = (0, 4 << choices.below(3));
    if choices.below(2) == 0 {
        budget = choices.below(4 * two.len() + 64) & !3;
    }
    for _ in 0..budgets {
        let mut message = base.clone();
        tried.merges += 1;
        let merged = PARTIAL.budget(budget).merge(&mut message, &two);
        valid::message(&message, one.len() + two.len());
        if let Err(error) = &merged {
            kept(&base, &two, error, &message);
        }
        match merged {
            Err(error) if error.kind() == DecodeErrorKind::BudgetExceeded => tried.failed += 1,
            _ => break,
        }
        budget += step;
    }
    for _ in 0..8 {
        let options = PARTIAL.max_depth(choices.below(6) as u32);
        let cut = choices.below(two.len() + 1);
        for (input, options) in [(&two[..], options), (&two[..cut], PARTIAL)] {
            let mut message = base.clone();
            tried.merges += 1;
            tried.failed += usize::from(options.merge(&mut message, input).is_err());
            valid::message(&message, one.len() + two.len());
        }
    }
    lives_on(&case, base, one.len(), choices, &mut tried);
    tried
}

/// What was read before the fault is there: all fields of the root but the one at fault are as if the input ended
/// before it.
fn kept(base: &DynamicMessage, input: &[u8], error: &DecodeError, message: &DynamicMessage) {
    if !valid::is_limit(error.kind()) {
        return;
    }
    // The end of a field may be the fault, which is where the next one begins.
    let (mut start, mut at_fault) = (0, Vec::new());
    let mut reader = Reader::new(input);
    while let Ok(Some(tag)) = reader.next_tag() {
        at_fault.push(tag.number());
        if reader.skip_field(tag).is_err() || reader.position() > error.offset() {
            break;
        }
        if reader.position() < error.offset() {
            (start, at_fault) = (reader.position(), Vec::new());
        }
    }
    let mut expected = base.clone();
    ROOMY.merge(&mut expected, &input[..start]).expect("the fault is later");
    let descriptor = message.descriptor();
    let oneof = |field: &FieldDescriptor| field.containing_oneof().map(|oneof| oneof.full_name().to_owned());
    let oneofs: Vec<_> = at_fault.iter().filter_map(|n| oneof(&descriptor.get_field(*n)?)).collect();
    let others = |field: &FieldDescriptor| {
        !at_fault.contains(&field.number()) && oneof(field).is_none_or(|oneof| !oneofs.contains(&oneof))
    };
    // An item of a MessageSet has its number inside.
    if descriptor.is_message_set() {
        return;
    }
    for field in descriptor.fields().filter(others) {
        let name = field.name();
        assert!(
            same(message, &expected, &field),
            "{error}, in one of {at_fault:?} from {start} on: {name} is {:?}, and was {:?} before, {input:02x?}",
            message.get(&field),
            expected.get(&field)
        );
    }
}

/// One message through many failures and changes.
fn lives_on(
    case: &Case,
    mut message: DynamicMessage,
    mut given: usize,
    choices: &mut Choices,
    tried: &mut Tried,
) {
    for _ in 0..12 {
        let input = case.any_payload(choices);
        given += input.len();
        let budget = choices.below(message.capacity() + 4 * input.len() + 64) & !3;
        let options = match choices.below(4) {
            0 => PARTIAL,
            1 => PARTIAL.max_depth(choices.below(6) as u32),
            _ => PARTIAL.budget(budget),
        };
        tried.merges += 1;
        tried.failed += usize::from(options.merge(&mut message, &input).is_err());
        valid::message(&message, given);
        changed(&mut message, given, choices);
        if choices.once_in(6) {
            message.clear();
            given = 0;
            assert_eq!(message.as_view().fields().count(), 0);
            assert_eq!(message.encoded_len(), 0);
        }
        if message.encoded_len() > 1 << 14 {
            break;
        }
    }
    // What failed before leaves nothing that a decode of the same bytes would not have.
    let bytes = valid::encoded(&message);
    message.clear();
    ROOMY.merge(&mut message, &bytes).expect("it was encoded");
    assert!(message == ROOMY.decode_dynamic(&case.descriptor, &bytes).expect("it was encoded"));
}

/// Setting a field changes this field, and the other members of its oneof.
fn changed(message: &mut DynamicMessage, given: usize, choices: &mut Choices) {
    let fields: Vec<FieldDescriptor> = message.descriptor().fields().collect();
    if fields.is_empty() {
        return;
    }
    let before = message.clone();
    let field = choices.pick(&fields).clone();
    let done = match field.kind() {
        Kind::Message(_) if field.is_map() => false,
        Kind::Message(_) if field.is_list() => message.push_message(&field).is_ok(),
        Kind::Message(_) => message.message_mut(&field).is_ok(),
        Kind::String if field.is_list() => message.push(&field, "pushed").is_ok(),
        Kind::String => message.set_field(&field, "set").is_ok(),
        Kind::Bytes if !field.is_list() => message.set_field(&field, vec![0xff; 9]).is_ok(),
        Kind::Fixed64 if !field.is_list() => message.set_field(&field, Value::U64(u64::MAX)).is_ok(),
        _ => {
            message.clear_field(&field).unwrap();
            assert!(!message.has_field(&field));
            true
        }
    };
    if done {
        valid::message(message, given + 16);
    }
    for other in fields.iter().filter(|other| {
        other.number() != field.number()
            && (field.containing_oneof().is_none() || other.containing_oneof() != field.containing_oneof())
    }) {
        assert!(same(message, &before, other), "setting {} changes {}", field.name(), other.name());
    }
}

fn same(a: &DynamicMessage, b: &DynamicMessage, field: &FieldDescriptor) -> bool {
    // As debug output, where NaN is equal to itself.
    a.get(field) == b.get(field) || format!("{:?}", a.get(field)) == format!("{:?}", b.get(field))
}
