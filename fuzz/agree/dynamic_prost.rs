//! What dynamic messages, structs and prost make of the same bytes.
//!
//! Shared by the fuzz target `dynamic_prost` and by `tests/suite/peers/agreement.rs`. Dynamic messages and structs must agree
//! in everything: the message, or kind, offset and path of the error. prost must agree but for the points that
//! [`Explained`] lists, and a disagreement is only explained if the reason is found in the input.

#[path = "rich.rs"]
pub mod rich;

use prost::Message as _;
use rich::{Rich, generated};
use std::sync::LazyLock;
use tablepb::table::Kind;
use tablepb::wire::{Reader, Tag, WireType};
use tablepb::{
    DecodeError, DecodeErrorKind, DecodeOptions, DescriptorPool, DynamicMessage, EncodeOptions,
    FieldDescriptor, Message as _, MessageDescriptor,
};

/// Why tablepb and prost 0.14 do not agree about whether an input is a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Explained {
    /// A known field with a wire type that its kind does not have: tablepb keeps it as an unknown field, as C++
    /// does; prost refuses it.
    WrongWireType,
    /// The same for a map field: prost does not look at its wire type and reads an entry.
    MapWireType,
    /// An unknown field in a message at the depth limit: prost counts every unknown field as a level, tablepb
    /// and C++ count groups only.
    UnknownAtLimit,
    /// A tag of more than five bytes: refused by tablepb, as the conformance suite demands; accepted by prost if
    /// its value is a tag.
    OverlongTag,
    /// A length of more than five bytes or above 2^31-1: refused by tablepb, as by C++; accepted by prost.
    OverlongLength,
    /// More memory than the budget of tablepb; prost has none.
    Budget,
}

static SCHEMA: LazyLock<MessageDescriptor> = LazyLock::new(|| {
    let pool = DescriptorPool::from_tables(&[Rich::TABLE]).expect("the tables are right");
    pool.message("agree.Rich").expect("it is in the tables")
});

/// Panics if the ways disagree without a reason; gives the reason if they disagree for one.
pub fn check(input: &[u8]) -> Result<(), Explained> {
    let dynamic = DynamicMessage::decode(&SCHEMA, input);
    structs_agree(input, &dynamic);
    let reasons = reasons(input);
    if reasons.contains(&Explained::MapWireType) {
        return Err(Explained::MapWireType);
    }
    match (dynamic, generated::Rich::decode(input)) {
        (Ok(message), Ok(other)) => {
            messages_agree(input, &message, &other);
            Ok(())
        }
        (Err(_), Err(_)) => Ok(()),
        (Ok(_), Err(error)) => match reasons.first() {
            Some(reason) => Err(*reason),
            None => panic!("prost alone refuses {input:02x?}: {error}"),
        },
        (Err(error), Ok(_)) => match error.kind() {
            DecodeErrorKind::InvalidTag => Err(Explained::OverlongTag),
            DecodeErrorKind::InvalidLength => Err(Explained::OverlongLength),
            DecodeErrorKind::BudgetExceeded => Err(Explained::Budget),
            _ => panic!("tablepb alone refuses {input:02x?}: {error}"),
        },
    }
}

/// A struct and a dynamic message of the same listing.
fn structs_agree(input: &[u8], dynamic: &Result<DynamicMessage, DecodeError>) {
    let options = EncodeOptions::new().deterministic(true);
    match (&Rich::decode(input), dynamic) {
        (Ok(typed), Ok(dynamic)) => {
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            options.encode(typed, &mut ours).expect("it was decoded");
            options.encode(dynamic, &mut theirs).expect("it was decoded");
            assert!(
                ours == theirs,
                "structs write {ours:02x?}, dynamic messages {theirs:02x?}: {input:02x?}"
            );
            assert_eq!(
                (typed.encoded_len(), dynamic.encoded_len()),
                (ours.len(), ours.len()),
                "{input:02x?}"
            );
        }
        (Err(a), Err(b)) => {
            // The memory of structs and slabs differs, and with it when the budget is used up.
            if [a, b].iter().all(|error| error.kind() != DecodeErrorKind::BudgetExceeded) {
                let place = |e: &DecodeError| (e.kind(), e.offset(), e.path().to_string());
                assert_eq!(place(a), place(b), "structs and dynamic messages, {input:02x?}");
            }
        }
        (Err(error), Ok(_)) | (Ok(_), Err(error)) => {
            let kind = error.kind();
            assert_eq!(kind, DecodeErrorKind::BudgetExceeded, "structs or dynamic messages, {input:02x?}");
        }
    }
}

/// prost drops unknown fields; what it writes must be the same message without them.
fn messages_agree(input: &[u8], message: &DynamicMessage, other: &generated::Rich) {
    let bytes = other.encode_to_vec();
    let other = DynamicMessage::decode(&SCHEMA, &bytes).expect("prost wrote it");
    let options = DecodeOptions::new().discard_unknown(true);
    let known = options.decode_dynamic(&SCHEMA, input).expect("it was decoded before");
    assert_eq!(known, other, "tablepb and prost read {input:02x?}");

    let again = message.encode_to_vec().expect("it was decoded");
    let back = generated::Rich::decode(&again[..]).expect("tablepb wrote it");
    // Compared as bytes, since NaN is not equal to itself.
    assert!(back.encode_to_vec() == bytes, "prost reads something else from {again:02x?}, from {input:02x?}");
}

/// Looks for what prost does not read as tablepb does, up to the first fault.
fn reasons(input: &[u8]) -> Vec<Explained> {
    let mut found = Vec::new();
    let mut open = vec![(Reader::new(input), Some(SCHEMA.clone()))];
    while let Some((mut reader, schema)) = open.pop() {
        let tag = match reader.next_tag() {
            Ok(Some(tag)) => tag,
            Ok(None) => continue,
            Err(_) => break,
        };
        let field = schema.as_ref().and_then(|schema| schema.get_field(tag.number()));
        let field = match field {
            Some(field) if fits(&field, tag) => Some(field),
            Some(field) => {
                let map = field.is_map();
                found.push(if map { Explained::MapWireType } else { Explained::WrongWireType });
                None
            }
            None => {
                // A group at the limit is refused by both.
                found.extend((reader.depth_left() == 0).then_some(Explained::UnknownAtLimit));
                None
            }
        };
        let child = field.and_then(|field| match field.kind() {
            Kind::Message(message) => Some(message),
            _ => None,
        });
        let inner = match tag.wire_type() {
            WireType::StartGroup => reader.read_group(tag).map(Some),
            WireType::LengthDelimited if child.is_some() => reader.read_message().map(Some),
            _ => reader.skip_field(tag).map(|()| None),
        };
        let Ok(inner) = inner else { break };
        open.push((reader, schema));
        open.extend(inner.map(|inner| (inner, child)));
    }
    found
}

/// Whether values of the field come with this tag.
fn fits(field: &FieldDescriptor, tag: Tag) -> bool {
    let packed = field.is_list() && field.kind().is_packable();
    match tag.wire_type() {
        WireType::StartGroup => field.is_group(),
        WireType::LengthDelimited => !field.is_group() && (packed || field.kind().wire_type() == 2),
        wire_type => field.kind().wire_type() == wire_type as u8,
    }
}
