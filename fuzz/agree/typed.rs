//! Structs against dynamic messages of the same listings: eager, lazy and prepared members, closed enums, required
//! fields, groups, maps.

use crate::common::choices::Choices;
use crate::common::family::{family, schema};
use crate::common::payload::{TAME, WILD, mutate, payload};
use crate::common::schema::Schema;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use tablepb::{
    DecodeError, DecodeErrorKind, DecodeOptions, DecodeOwned, DescriptorPool, DynamicMessage, EncodeOptions,
    EnumValue, Lazy, Message, MessageDescriptor, SmallMap, UnknownFieldSet,
};

family!(eager, Box);
family!(lazy, tablepb::Lazy);

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Level {
    #[default]
    Low = 0,
    High = -2,
}

tablepb::enumeration! {
    Level as "closed.Level" syntax "proto2" { Low as "LOW" = 0, High as "HIGH" = -2 }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Arm {
    Number(i64),
    Data(Vec<u8>),
    Inner(Box<Closed>),
}

/// Without strings: those of proto2 need not be text, but those of structs are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Closed {
    pub id: Option<i32>,
    pub level: Option<EnumValue<Level>>,
    pub levels: Vec<Level>,
    pub packed: Vec<Level>,
    pub by_level: BTreeMap<i32, Level>,
    pub group: Option<Box<Closed>>,
    pub groups: Vec<Closed>,
    pub named: SmallMap<i64, Closed>,
    pub arm: Option<Arm>,
    pub numbers: Vec<f64>,
    pub words: Vec<Vec<u8>>,
    pub unknown: UnknownFieldSet,
}

tablepb::message! {
    Closed as "closed.Closed" syntax "proto2" {
        id: optional int32 = 1,
        level: enum Level = 2 [default = HIGH],
        levels: repeated enum Level = 3,
        packed: repeated enum Level = 4 [packed = true],
        by_level: map<int32, enum Level> = 5,
        group: group Closed = 6,
        groups: repeated group Closed = 7,
        named: map<int64, message Closed> = 8,
        arm: oneof Arm { Number as "number": sint64 = 9, Data as "data": bytes = 10, Inner as "inner": message Closed = 11 },
        numbers: repeated double = 12 [packed = true],
        words: repeated bytes = 13,
        unknown: unknown_fields,
    }
}

const ALL: DecodeOptions = DecodeOptions::new();
const SORTED: EncodeOptions = EncodeOptions::new().deterministic(true);

static FAMILY: LazyLock<(Schema, MessageDescriptor)> =
    LazyLock::new(|| (schema(), descriptor::<eager::Root>()));
static CLOSED: LazyLock<MessageDescriptor> = LazyLock::new(descriptor::<Closed>);

fn descriptor<M: Message>() -> MessageDescriptor {
    let pool = DescriptorPool::from_tables(&[M::TABLE]).expect("the tables are right");
    pool.message(M::TABLE.full_name()).expect("it is in the tables")
}

/// The first byte says what the rest is: a payload of one of the two, or decisions.
pub fn check(input: &[u8]) {
    match input.split_first() {
        Some((0, rest)) => _ = agree::<Closed>(&CLOSED, rest, ALL),
        Some((1, rest)) => members(rest),
        _ => run(&mut Choices::fuzzed(input)),
    }
}

pub fn run(choices: &mut Choices) {
    let (schema, _) = &*FAMILY;
    let style = *choices.pick(&[WILD, TAME]);
    let mut input = payload(schema, 0, choices, style);
    if choices.below(2) == 0 {
        mutate(&mut input, choices);
    }
    members(&input);
    agree::<Closed>(&CLOSED, &input, ALL);
}

/// Kind, offset and path. Of a required field that is missing in a map's value, structs do not count the entries.
fn place(error: &DecodeError) -> (DecodeErrorKind, usize, String) {
    let path = match error.kind() {
        DecodeErrorKind::MissingRequired => String::new(),
        _ => error.path().to_string(),
    };
    (error.kind(), error.offset(), path)
}

/// A struct and a dynamic message; the struct if both accept the input.
fn agree<M: Message + DecodeOwned>(
    descriptor: &MessageDescriptor,
    input: &[u8],
    options: DecodeOptions,
) -> Option<M> {
    match (options.decode::<M>(input), options.decode_dynamic(descriptor, input)) {
        (Ok(typed), Ok(dynamic)) => {
            let (mut ours, mut theirs) = (vec![], vec![]);
            SORTED.encode(&typed, &mut ours).expect("it was decoded");
            SORTED.encode(&dynamic, &mut theirs).expect("it was decoded");
            assert!(ours == theirs, "structs write {ours:02x?}, messages {theirs:02x?}: {input:02x?}");
            assert_eq!((typed.encoded_len(), dynamic.encoded_len()), (ours.len(), ours.len()));
            let mut sliced = vec![0; ours.len()];
            assert_eq!(typed.encode_to_slice(&mut sliced).expect("as long as it is"), ours.len());
            assert!(M::decode(&sliced).is_ok(), "{input:02x?} is written as {sliced:02x?}");
            merged::<M>(descriptor, input);
            Some(typed)
        }
        (Err(typed), Err(dynamic)) => {
            let budget = [&typed, &dynamic].iter().any(|e| e.kind() == DecodeErrorKind::BudgetExceeded);
            assert!(budget || place(&typed) == place(&dynamic), "{typed}, {dynamic}: {input:02x?}");
            None
        }
        (Err(error), Ok(_)) | (Ok(_), Err(error)) => {
            assert_eq!(error.kind(), DecodeErrorKind::BudgetExceeded, "{error} in one: {input:02x?}");
            None
        }
    }
}

/// Merged in two pieces, and after a merge that failed, a struct can be written and used again.
fn merged<M: Message + DecodeOwned>(descriptor: &MessageDescriptor, input: &[u8]) {
    let mut typed = M::decode(input).expect("it was decoded before");
    let mut dynamic = DynamicMessage::decode(descriptor, input).expect("it was decoded before");
    assert_eq!(typed.merge(input).is_ok(), dynamic.merge(input).is_ok());
    let options = DecodeOptions::new().budget(input.len() * 3);
    let cut = &input[..input.len() * 2 / 3];
    let _ = (typed.merge(cut), options.merge(&mut typed, input));
    if let Ok(bytes) = typed.encode_to_vec() {
        assert_eq!(typed.encoded_len(), bytes.len());
        if let Err(error) = M::decode(&bytes) {
            let limits = [DecodeErrorKind::BudgetExceeded, DecodeErrorKind::MissingRequired];
            assert!(limits.contains(&error.kind()), "{error}: {input:02x?}, then {bytes:02x?}");
        }
    }
    typed.clear();
    assert_eq!(typed.encoded_len(), 0);
}

/// Members that are decoded later give what others do.
fn members(input: &[u8]) {
    let (_, descriptor) = &*FAMILY;
    // Some of these structs keep no unknown fields.
    let eager = agree::<eager::Root>(descriptor, input, ALL.discard_unknown(true));
    let Ok(lazy) = lazy::Root::decode(input) else {
        assert!(eager.is_none(), "{input:02x?}");
        return;
    };
    let untouched = lazy.encode_to_vec();
    let valid =
        lazy.one.iter().chain(&lazy.list).chain(lazy.map.values()).chain(&lazy.group).all(inner_is_valid)
            && lazy.root.iter().all(|root| root.get().is_ok());
    if let Some(eager) = eager {
        assert!(valid, "{input:02x?}");
        assert_eq!(lazy.list.len(), eager.list.len());
        for (a, b) in lazy.list.iter().zip(&eager.list) {
            let again = ALL
                .discard_unknown(true)
                .decode::<eager::Inner>(&a.get().expect("valid").encode_to_vec().expect("valid"));
            assert_eq!(again.expect("valid").encode_to_vec(), b.encode_to_vec(), "{input:02x?}");
        }
        for bytes in [untouched, lazy.encode_to_vec()] {
            let again = ALL.discard_unknown(true).decode::<eager::Root>(&bytes.expect("valid"));
            assert_eq!(again.expect("it was encoded").encode_to_vec(), eager.encode_to_vec(), "{input:02x?}");
        }
    }
}

fn inner_is_valid(inner: &Lazy<lazy::Inner>) -> bool {
    inner.get().is_ok_and(|value| {
        value.inner.iter().all(inner_is_valid) && value.groups.iter().all(|group| group.get().is_ok())
    })
}
