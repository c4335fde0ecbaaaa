//! Runs of numbers of every kind, and strings: what the kernels for the processor at hand make of them is what a plain
//! loop does, decoding and encoding.

use crate::common::bridge::{descriptor, read};
use crate::common::reference::{self, Reference};
use crate::common::schema::{Card, Kind, SCALARS, Schema, Syntax};
use crate::common::wire::Wire;
use std::sync::LazyLock;
use tablepb::raw::RawFields;
use tablepb::wire::Reader;
use tablepb::{Decoder, EncodeOptions, MessageDescriptor};

const SORTED: EncodeOptions = EncodeOptions::new().deterministic(true);

/// A list of every kind, and one of a closed and of an open enum.
static LISTS: LazyLock<(Schema, MessageDescriptor)> = LazyLock::new(|| {
    let mut schema = Schema::default();
    let file = schema.file(Syntax::Edition2023);
    let lists = schema.message(file, "Lists");
    let closed = schema.enumeration(file, "Closed", true, &[0, 1, 2, 3, 100, -1]);
    let open = schema.enumeration(file, "Open", false, &[0, 1]);
    for (number, kind) in (1..).zip(SCALARS.into_iter().chain([Kind::Enum(closed), Kind::Enum(open)])) {
        schema.add(lists, number, kind, Card::Repeated);
    }
    let message = descriptor(&schema, &schema.pool(), lists);
    (schema, message)
});

/// The first byte picks the kind, the second what is before and after the run, the rest is the run.
pub fn check(input: &[u8]) -> bool {
    let Some((&[kind, around], run)) = input.split_first_chunk::<2>() else { return false };
    let (schema, message) = &*LISTS;
    let number = 1 + u32::from(kind) % schema.messages[0].fields.len() as u32;
    // So that the run begins at any place in a word, and ends near the end of the input or not.
    let before = Wire::new().int(900, 1 << (around & 0x1f));
    let after = Wire::new().bytes(901, vec![0x80; usize::from(around >> 5) * 12]);
    let payload = before.bytes(number, run).raw(&after.0).0;
    let expected = Reference::new(schema).decode(0, &payload);
    let mut decoder = Decoder::new(message);
    match (decoder.decode(&payload), expected) {
        (Ok(view), Ok(expected)) => {
            assert_eq!(read(view), crate::common::bridge::canonical(&expected), "{payload:02x?}");
            let mut bytes = Vec::new();
            SORTED.encode(&view, &mut bytes).expect("it was decoded");
            assert_eq!(bytes, reference::encode(schema, 0, &expected), "{payload:02x?}");
            assert_eq!(view.encoded_len(), bytes.len());
            raw(&payload, run);
            true
        }
        (Err(error), Err(fault)) => {
            assert_eq!((error.kind(), error.offset()), (fault.kind, fault.offset), "{error}: {payload:02x?}");
            raw(&payload, run);
            false
        }
        (got, expected) => panic!("{got:?}, not {expected:?}: {payload:02x?}"),
    }
}

/// The iterators over a run that needs no schema.
fn raw(payload: &[u8], run: &[u8]) {
    let field = RawFields::new(payload).nth(1).expect("three fields").expect("well formed");
    assert_eq!(field.bytes(), run);
    let varints = field.as_packed_varints().expect("length-delimited");
    let mut reader = Reader::new(run);
    let mut count = 0;
    for value in varints.clone() {
        match (value, reader.read_varint()) {
            (Ok(value), Ok(plain)) => assert_eq!(value, plain),
            (Err(error), Err(plain)) => {
                assert_eq!(error.kind() == plain.kind(), error.kind() != tablepb::DecodeErrorKind::Overrun);
                break;
            }
            (value, plain) => panic!("{value:?}, not {plain:?}: {run:02x?}"),
        }
        count += 1;
    }
    if reader.remaining() == 0 {
        assert_eq!(varints.count_values(), count, "{run:02x?}");
    }
    let four: Vec<u32> = run.chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect();
    match field.as_packed_fixed32() {
        Ok(values) => assert!(run.len().is_multiple_of(4) && values.expect("length-delimited").eq(four)),
        Err(_) => assert!(!run.len().is_multiple_of(4)),
    }
    let eight: Vec<u64> = run.chunks_exact(8).map(|c| u64::from_le_bytes(c.try_into().unwrap())).collect();
    match field.as_packed_fixed64() {
        Ok(values) => assert!(run.len().is_multiple_of(8) && values.expect("length-delimited").eq(eight)),
        Err(_) => assert!(!run.len().is_multiple_of(8)),
    }
    assert_eq!(field.as_str().ok().flatten(), std::str::from_utf8(run).ok());
}
