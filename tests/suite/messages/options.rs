//! The verbs of options do with their options what the short forms do with the defaults.

use tablepb::bytes::{Buf, Bytes};
use tablepb::partial::Projection;
use tablepb::schema::{DescriptorErrorKind, PoolOptions};
use tablepb::table::{FieldTable, Kind, MessageTable, Syntax};
use tablepb::{
    DecodeErrorKind, DecodeOptions, DescriptorPool, DynamicMessage, EncodeErrorKind, EncodeOptions, Message,
};

#[derive(Debug, Default, PartialEq)]
struct Log {
    line: String,
    unknown: Vec<u8>,
}

tablepb::message! { Log as "options.Log" { line: string = 1, unknown: unknown_fields } }

const INPUT: &[u8] = b"\x0a\x02hi\x10\x07";

/// No unknown fields, so that it shows that the options count.
const KNOWN: DecodeOptions = DecodeOptions::new().discard_unknown(true);

const NO_ROOM: DecodeOptions = DecodeOptions::new().budget(1);

#[test]
fn structs_are_decoded_by_every_verb() {
    let known = Log { line: "hi".into(), unknown: vec![] };
    let shared = Bytes::from_static(INPUT);
    assert_eq!(KNOWN.decode::<Log>(INPUT).unwrap(), known);
    assert_eq!(KNOWN.decode_shared::<Log>(&shared).unwrap(), known);
    // In one chunk and in two.
    assert_eq!(KNOWN.decode_buf::<Log>(shared.clone()).unwrap(), known);
    assert_eq!(KNOWN.decode_buf::<Log>((&INPUT[..3]).chain(&INPUT[3..])).unwrap(), known);
    let framed = [&[6], INPUT, b"rest"].concat();
    let mut rest = &framed[..];
    assert_eq!(KNOWN.decode_length_delimited::<Log>(&mut rest).unwrap(), known);
    assert_eq!(rest, b"rest");
    let mut merged = Log { line: "old".into(), unknown: vec![] };
    KNOWN.merge(&mut merged, INPUT).unwrap();
    assert_eq!(merged, known);
    assert_ne!(Log::decode(INPUT).unwrap(), known);
    for error in [
        NO_ROOM.decode::<Log>(INPUT).unwrap_err(),
        NO_ROOM.decode_shared::<Log>(&shared).unwrap_err(),
        NO_ROOM.decode_buf::<Log>(shared.clone()).unwrap_err(),
        NO_ROOM.decode_buf::<Log>((&INPUT[..3]).chain(&INPUT[3..])).unwrap_err(),
        NO_ROOM.decode_length_delimited::<Log>(&mut &framed[..]).unwrap_err(),
        NO_ROOM.merge(&mut Log::default(), INPUT).unwrap_err(),
    ] {
        assert_eq!(error.kind(), DecodeErrorKind::BudgetExceeded);
    }
}

#[test]
fn dynamic_messages_are_decoded_by_every_verb() {
    let pool = DescriptorPool::from_tables(&[Log::TABLE]).unwrap();
    let log = pool.message("options.Log").unwrap();
    let all = Projection::all(&log);
    let shared = Bytes::from_static(INPUT);
    let mut merged = DynamicMessage::new(&log);
    KNOWN.merge(&mut merged, INPUT).unwrap();
    for message in [
        merged,
        KNOWN.decode_dynamic(&log, INPUT).unwrap(),
        KNOWN.decode_dynamic_shared(&log, &shared).unwrap(),
        KNOWN.decode_dynamic_buf(&log, (&INPUT[..3]).chain(&INPUT[3..])).unwrap(),
        KNOWN.decode_selected(&all, INPUT).unwrap(),
        KNOWN.decode_selected_shared(&all, &shared).unwrap(),
    ] {
        assert_eq!(message.encode_to_vec().unwrap(), INPUT[..4]);
    }
    for error in [
        NO_ROOM.merge(&mut DynamicMessage::new(&log), INPUT).unwrap_err(),
        NO_ROOM.decode_dynamic(&log, INPUT).unwrap_err(),
        NO_ROOM.decode_dynamic_shared(&log, &shared).unwrap_err(),
        NO_ROOM.decode_dynamic_buf(&log, INPUT).unwrap_err(),
        NO_ROOM.decode_selected(&all, INPUT).unwrap_err(),
        NO_ROOM.decode_selected_shared(&all, &shared).unwrap_err(),
    ] {
        assert_eq!(error.kind(), DecodeErrorKind::BudgetExceeded);
    }
}

#[test]
fn every_form_of_a_message_is_encoded_with_options() {
    let pool = DescriptorPool::from_tables(&[Log::TABLE]).unwrap();
    let mut message = DynamicMessage::decode(&pool.message("options.Log").unwrap(), INPUT).unwrap();
    let (options, mut buf) = (EncodeOptions::new().deterministic(true), Vec::new());
    options.encode(&Log::decode(INPUT).unwrap(), &mut buf).unwrap();
    options.encode(&message, &mut buf).unwrap();
    options.encode(&message.as_view(), &mut buf).unwrap();
    options.encode(&message.as_mut(), &mut buf).unwrap();
    assert_eq!(buf, INPUT.repeat(4));
}

#[test]
fn pools_grow_within_the_bounds_that_are_given() {
    let (pool, set) = (DescriptorPool::new(), b"\x0a\x0a\x0a\x01f\x22\x05\x0a\x03Log");
    assert!(PoolOptions::new().add(&pool, set).unwrap().message("Log").is_ok());
    let error = PoolOptions::new().max_messages(0).add(&pool, set).unwrap_err();
    assert_eq!(error.kind(), DescriptorErrorKind::TooMany);
}

/// Into a slice as into a buffer: in key order on request, without required fields on request, and nothing is written if it does not fit.
#[test]
fn messages_are_encoded_to_slices_by_the_options() {
    static MAP: MessageTable = MessageTable::new(
        "options.Map",
        &[FieldTable::map("m", 1, Kind::Uint32, Kind::Bool), FieldTable::new("r", 2, Kind::Bool).required()],
    )
    .syntax(Syntax::Proto2);
    let pool = DescriptorPool::from_tables(&[&MAP]).unwrap();
    let partial = DecodeOptions::new().allow_partial(true);
    let bytes = b"\x0a\x04\x08\x09\x10\x01\x0a\x04\x08\x02\x10\x01";
    let message = partial.decode_dynamic(&pool.message("options.Map").unwrap(), bytes).unwrap();
    let (sorted, mut slice) = ([&bytes[6..], &bytes[..6]].concat(), [0; 12]);
    assert!(EncodeOptions::new().encode_to_slice(&message, &mut slice).is_err());
    let options = EncodeOptions::new().allow_partial(true);
    for options in [options, options.deterministic(true)] {
        let expected = if options == options.deterministic(true) { &sorted[..] } else { &bytes[..] };
        assert_eq!(options.encode_to_slice(&message, &mut slice).unwrap(), 12);
        assert_eq!(slice, expected);
        assert_eq!(options.encode_to_slice(&message.as_view(), &mut slice).unwrap(), 12);
        assert_eq!(slice, expected);
    }
    let mut short = [7; 11];
    let error = options.encode_to_slice(&message, &mut short).unwrap_err();
    assert_eq!((error.kind(), short), (EncodeErrorKind::BufferTooSmall, [7; 11]));
}
