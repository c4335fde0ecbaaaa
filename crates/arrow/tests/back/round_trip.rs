//! Random messages, through batches of the oracle, back to the same messages.

use crate::library::choices::Choices;
use crate::library::payload::{Style, TAME, WILD, payload};
use crate::library::schema_gen::{ALL, schema};
use crate::oracle;
use arrow_array::RecordBatch;
use tablepb::stream::frames;
use tablepb::{DynamicMessage, MessageDescriptor};
use tablepb_arrow::mapping::{self, Enums, Maps, Oneofs, Options};
use tablepb_arrow::write::WriterBuilder;
use tablepb_arrow::{Adapter, ReaderBuilder};

/// Fewer rounds without optimisation.
const ROUNDS: u64 = if cfg!(debug_assertions) { 100 } else { 4_000 };

/// Options that keep all there is, so that the messages come back whole.
fn whole(choices: &mut Choices) -> Options {
    Options::new()
        .extensions(true)
        .unknown_fields(true)
        .views(choices.below(2) == 0)
        .enums(*choices.pick(&[Enums::Number, Enums::Name, Enums::Dictionary]))
        .oneofs(*choices.pick(&[Oneofs::Columns, Oneofs::Union, Oneofs::Named]))
        .maps(*choices.pick(&[Maps::Map, Maps::Entries, Maps::Lists]))
        .recursion(choices.below(3) as u32)
}

/// Up to eight messages of a random type; `None` where the type has too many columns.
fn case(seed: u64, style: Style) -> Option<(MessageDescriptor, Vec<DynamicMessage>, mapping::Options)> {
    let mut choices = Choices::seeded(seed);
    let schema = schema(&mut choices, ALL);
    let descriptor = schema.pool().message(&schema.full_name(0)).expect("message 0");
    let options = whole(&mut choices);
    let rows = (0..choices.below(9)).filter_map(|_| {
        let bytes = payload(&schema, 0, &mut choices, style);
        // Rows without a required field are no messages.
        DynamicMessage::decode(&descriptor, &bytes).ok()
    });
    let rows = rows.collect();
    Some((descriptor, rows, options))
}

fn check(seed: u64, style: Style) -> Option<()> {
    let (descriptor, rows, options) = case(seed, style)?;
    let schema = mapping::schema(&descriptor, &options, &[])
        .ok()
        .filter(|schema| schema.flattened_fields().len() < 2_000)?;
    let batch = oracle::batch(&schema, &descriptor, &rows);
    let mut writer =
        WriterBuilder::new(&descriptor).build(&schema).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    let mut stream = Vec::new();
    writer.write(&batch, &mut stream).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    let written: Vec<_> = frames(&stream).map(|frame| frame.expect("frames")).collect();
    assert_eq!(written.len(), rows.len(), "seed {seed}");
    for (i, (row, written)) in rows.iter().zip(&written).enumerate() {
        let expected = row.encode_to_vec().expect("a small message");
        assert_eq!(*written, expected, "seed {seed}, row {i}, {descriptor:?}");
    }
    let array = writer.to_array(&batch).expect("the same rows");
    assert!(array.iter().flatten().eq(written.iter().copied()), "seed {seed}");

    // The column of them is the batch again, and so is the batch of the same version.
    let reader = ReaderBuilder::new(&descriptor).options(options);
    let structs = reader.build_array_decoder().expect("columns").decode(&array).expect("the same rows");
    assert_eq!(RecordBatch::from(structs).columns(), batch.columns(), "seed {seed}, {descriptor:?}");
    let mut adapter = Adapter::new(&reader, &schema).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    assert_eq!(adapter.changes(), [], "seed {seed}");
    assert_eq!(adapter.adapt(&batch).expect("the same rows"), batch, "seed {seed}, {descriptor:?}");
    Some(())
}

#[test]
fn messages_come_back_byte_by_byte() {
    let checked = (0..ROUNDS).filter_map(|seed| check(seed, TAME)).count();
    assert!(checked as u64 > ROUNDS / 2, "{checked} of {ROUNDS}");
}

#[test]
fn wild_messages_come_back_byte_by_byte() {
    // Numbers that enums do not list would have the shortest tags in columns, whatever they had before.
    let style = Style { unlisted: false, ..WILD };
    let checked = (0..ROUNDS).filter_map(|seed| check(seed + (1 << 32), style)).count();
    assert!(checked as u64 > ROUNDS / 2, "{checked} of {ROUNDS}");
}
