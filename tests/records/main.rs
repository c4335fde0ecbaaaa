//! Records of random schemas, plans and values: what is in the buffer is the message that setters build when they are
//! called by the rules of records; the printed definition reads it, and the hash is that of the definition.
//!
//! `model.rs` makes calls at random and keeps what must come of them, `calls.rs` makes them by kind.

mod calls;
#[path = "../common/mod.rs"]
mod common;
mod model;

use common::choices::{Choices, choices};
use common::protoc::{Dir, Protoc};
use model::{Case, Model, fields, name_of};
use proptest::prelude::*;
use tablepb::{
    DecodeOptions, DescriptorPool, DynamicMessage, Edition, EncodeErrorKind, EncodeOptions, RecordPlan,
    stream,
};

const PARTIAL: DecodeOptions = DecodeOptions::new().allow_partial(true);
const SORTED: EncodeOptions = EncodeOptions::new().allow_partial(true).deterministic(true);

fn sorted(message: &DynamicMessage) -> Vec<u8> {
    let mut bytes = Vec::new();
    message.encode_with(&mut bytes, SORTED).unwrap();
    bytes
}

/// Writes records behind each other and compares each.
fn check(choices: &mut Choices) -> (Case, Vec<Vec<u8>>) {
    let case = Case::new(choices);
    let root = case.plan.descriptor().clone();
    let (mut buf, mut bodies) = (b"before".to_vec(), Vec::new());
    for _ in 0..3 {
        let before = buf.clone();
        let mut model = Model { case: &case, choices, is_partial: false };
        let mut rec = case.plan.record(&mut buf);
        let expected = model.write(&mut rec, &root, "", 0);
        let is_partial = model.is_partial;
        match rec.finish() {
            Ok(record) => {
                assert!(!is_partial, "a required field is missing");
                let mut rest = record;
                let body = stream::read_frame(&mut rest).unwrap().unwrap().to_vec();
                assert!(rest.is_empty());
                assert_eq!(record.len(), body.len() + stream::length_delimiter_len(body.len()));
                let decoded = DynamicMessage::decode_with(&root, &body, PARTIAL).unwrap();
                assert_eq!(decoded.unknown_fields().count(), 0);
                assert_eq!(sorted(&decoded), sorted(&expected), "{decoded:?} is not {expected:?}");
                assert!(buf.starts_with(&before));
                bodies.push(body);
            }
            Err(error) => {
                assert_eq!(error.kind(), EncodeErrorKind::MissingRequired);
                assert!(is_partial, "{error}");
                assert_eq!(buf, before);
            }
        }
    }
    (case, bodies)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 400 } else { 20_000 }))]

    #[test]
    fn records_are_what_setters_build(mut choices in choices(800)) {
        check(&mut choices);
    }
}

#[test]
fn records_of_long_runs() {
    let mut records = 0;
    for seed in 0..if cfg!(debug_assertions) { 600 } else { 20_000 } {
        records += check(&mut Choices::seeded(seed)).1.len();
    }
    assert!(records > 500, "{records}");
}

/// The hash that a plan for the whole of this definition has.
fn hash_of(set: &[u8], name: &str) -> u64 {
    let pool = DescriptorPool::decode(set).unwrap();
    RecordPlan::new(&pool.get_message_by_name(name).unwrap()).schema_hash()
}

#[test]
fn printed_definitions_read_the_records_and_have_their_hash() {
    let Some(protoc) = Protoc::find() else { return };
    let (mut compiled, mut read) = (0, 0);
    for seed in 0..400 {
        let (case, bodies) = check(&mut Choices::seeded(seed));
        let file = case.plan.descriptor().parent_file();
        // Definitions in other files are imported, and not cut down. Groups of proto2 have no names of their own in a
        // source, so that not all that a descriptor can say can be printed.
        if case.files > 1
            || file.edition() == Edition::Proto2
            || compiled >= 25
            || !protoc.knows(file.edition())
        {
            continue;
        }
        let dir = Dir::new(&format!("records-{seed}"));
        dir.write("record.proto", &case.plan.to_proto());
        let set = match protoc.compile(&dir.0, &["record.proto".into()]) {
            Ok(set) => set,
            Err(error) => {
                // The generator allows itself what protoc refuses; then it must refuse the whole as well.
                dir.write("whole.proto", &file.to_proto());
                let whole = protoc.compile(&dir.0, &["whole.proto".into()]);
                assert!(whole.is_err(), "{error}\n{}", case.plan.to_proto());
                continue;
            }
        };
        let name = case.plan.descriptor().full_name();
        assert_eq!(hash_of(&set, name), case.plan.schema_hash(), "{}", case.plan.to_proto());
        let pool = DescriptorPool::decode(&set).unwrap();
        let cut = pool.get_message_by_name(name).unwrap();
        for body in &bodies {
            let message = DynamicMessage::decode(&cut, body).unwrap();
            assert!(!has_unknown(message.as_view()), "{message:?}");
            read += 1;
        }
        compiled += 1;
    }
    assert!(compiled > 10 && read > 20, "{compiled} definitions, {read} records");
}

/// Whether there is an unknown field, at any depth.
fn has_unknown(message: tablepb::MessageView<'_, '_>) -> bool {
    use tablepb::ValueRef;
    let mut inner = Vec::new();
    for (_, value) in message.fields() {
        match value {
            ValueRef::Message(message) => inner.push(message),
            ValueRef::List(list) => inner.extend(list.iter().filter_map(|element| element.as_message())),
            ValueRef::Map(map) => inner.extend(map.iter().filter_map(|(_, value)| value.as_message())),
            _ => {}
        }
    }
    message.unknown_fields().next().is_some() || inner.into_iter().any(has_unknown)
}

#[test]
fn hashes_tell_definitions_apart() {
    for seed in 0..200 {
        let case = Case::new(&mut Choices::seeded(seed));
        let root = case.plan.descriptor();
        let again = RecordPlan::new(root);
        let whole = again.schema_hash();
        for field in fields(root) {
            let name = name_of(root, &field);
            let less = again.clone().disable(&name).unwrap();
            assert_ne!(less.schema_hash(), whole, "without {name}");
            assert_eq!(less.enable(&name).unwrap().schema_hash(), whole);
        }
    }
}
