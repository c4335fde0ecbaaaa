//! Records of random schemas, plans and values. A record must decode to the message that a model builds with setters; a
//! pool made of the printed definition must decode it too; the hash must be the hash of the printed definition.
//!
//! `model.rs` makes random calls and the expected message, `calls.rs` makes calls by kind.

use crate::agree::records::model;
use crate::common::choices::{Choices, choices};
use crate::common::protoc::{Dir, Protoc};
use crate::common::rounds;
use model::{Case, Model, fields, name_of};
use proptest::prelude::*;
use tablepb::record::RecordPlan;
use tablepb::schema::Edition;
use tablepb::{DecodeOptions, DescriptorPool, DynamicMessage, EncodeErrorKind, EncodeOptions, stream};

const PARTIAL: DecodeOptions = DecodeOptions::new().allow_partial(true);
const SORTED: EncodeOptions = EncodeOptions::new().allow_partial(true).deterministic(true);

fn sorted(message: &DynamicMessage) -> Vec<u8> {
    let mut bytes = Vec::new();
    SORTED.encode(message, &mut bytes).unwrap();
    bytes
}

/// Writes records one after the other and compares each with the model.
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
                let decoded = PARTIAL.decode_dynamic(&root, &body).unwrap();
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
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 100 } else { 20_000 }))]

    #[test]
    fn records_are_what_setters_build(mut choices in choices(800)) {
        check(&mut choices);
    }
}

#[test]
fn records_of_long_runs() {
    let mut records = 0;
    for seed in 0..if cfg!(debug_assertions) { 150 } else { 20_000 } {
        records += check(&mut Choices::seeded(seed)).1.len();
    }
    assert!(records > 125, "{records}");
}

/// The hash of a plan for a printed definition, with all fields enabled.
fn hash_of(set: &[u8], name: &str) -> u64 {
    let pool = DescriptorPool::decode(set).unwrap();
    RecordPlan::new(&pool.message(name).unwrap()).schema_hash()
}

#[test]
#[ignore = "needs protoc"]
fn needs_protoc_printed_definitions_read_the_records_and_have_their_hash() {
    let protoc = Protoc::find();
    let (mut compiled, mut read) = (0, 0);
    for seed in 0..400 {
        let (case, bodies) = check(&mut Choices::seeded(seed));
        let file = case.plan.descriptor().parent_file();
        // Left out: schemas of several files, because types in imported files keep their disabled fields, and proto2,
        // because .proto source cannot express every group that a descriptor can.
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
                // The generator makes schemas that protoc refuses; protoc must then refuse the whole definition too.
                dir.write("whole.proto", &file.to_proto());
                let whole = protoc.compile(&dir.0, &["whole.proto".into()]);
                assert!(whole.is_err(), "{error}\n{}", case.plan.to_proto());
                continue;
            }
        };
        let name = case.plan.descriptor().full_name();
        assert_eq!(hash_of(&set, name), case.plan.schema_hash(), "{}", case.plan.to_proto());
        let pool = DescriptorPool::decode(&set).unwrap();
        let cut = pool.message(name).unwrap();
        for body in &bodies {
            let message = DynamicMessage::decode(&cut, body).unwrap();
            assert!(!has_unknown(message.as_view()), "{message:?}");
            read += 1;
        }
        compiled += 1;
    }
    assert!(compiled > 10 && read > 20, "{compiled} definitions, {read} records");
}

/// Whether the message has an unknown field, at any depth.
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
    for seed in 0..u64::from(rounds(200)) {
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
