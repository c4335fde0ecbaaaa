//! Rows that go straight into columns, against the same rows without that: random types, options, and wires.

use crate::library::choices::Choices;
use crate::reader::{any_options, path};
use crate::typed_rows::{descriptor, row};
use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_schema::TimeUnit;
use tablepb::DecodeOptions;
use tablepb::stream::append_frame;
use tablepb_arrow::{BadRows, ReaderBuilder};

/// Fewer rounds without optimisation. `TABLEPB_SEEDS=FIRST..END` says which instead.
fn rounds() -> std::ops::Range<u64> {
    let usual = if cfg!(debug_assertions) { 0..300 } else { 0..20_000 };
    let Ok(seeds) = std::env::var("TABLEPB_SEEDS") else { return usual };
    let (first, end) = seeds.split_once("..").expect("FIRST..END");
    first.parse().expect("a number")..end.parse().expect("a number")
}

/// What became of rows.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    batches: Vec<RecordBatch>,
    errors: Vec<String>,
    skipped: u64,
}

/// Reads the rows as a block, and gives how many of them steps have read.
fn by_block(builder: &ReaderBuilder, rows: &[Vec<u8>]) -> (Outcome, u64) {
    let mut bytes = Vec::new();
    rows.iter().for_each(|row| append_frame(row, &mut bytes).expect("a small message"));
    let block = Buffer::from_vec(bytes);
    let (mut decoder, mut outcome, mut at) =
        (builder.build_decoder().expect("a schema"), Outcome::default(), 0);
    while at < block.len() {
        let before = at;
        match decoder.decode_block(&block.slice(at)) {
            Ok(taken) => at += taken,
            Err(error) => {
                at += error.consumed();
                outcome.errors.push(error.to_string());
            }
        }
        assert!(at > before);
        if decoder.is_full() {
            outcome.batches.extend(decoder.flush().expect("a batch"));
        }
    }
    outcome.batches.extend(decoder.flush().expect("a batch"));
    outcome.skipped = decoder.skipped();
    (outcome, decoder.rows_by_steps())
}

/// The same, row by row.
fn by_push(builder: &ReaderBuilder, rows: &[Vec<u8>]) -> (Outcome, u64) {
    let (mut decoder, mut outcome) = (builder.build_decoder().expect("a schema"), Outcome::default());
    for row in rows {
        if decoder.is_full() {
            outcome.batches.extend(decoder.flush().expect("a batch"));
        }
        match decoder.push(row) {
            Ok(taken) => assert!(taken),
            Err(error) => outcome.errors.push(error.to_string()),
        }
    }
    outcome.batches.extend(decoder.flush().expect("a batch"));
    outcome.skipped = decoder.skipped();
    (outcome, decoder.rows_by_steps())
}

/// Reads rows with steps and without; gives how many of them steps have read, of twice as many.
pub fn agree(seed: u64, builder: &ReaderBuilder, rows: &[Vec<u8>]) -> u64 {
    let without = builder.clone().without_steps();
    let mut by_steps = 0;
    for read in [by_block, by_push] {
        let (expected, none) = read(&without, rows);
        assert_eq!(none, 0);
        let (found, read_by_steps) = read(builder, rows);
        for batch in &found.batches {
            for column in batch.columns() {
                column.to_data().validate_full().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            }
        }
        assert_eq!(found.errors, expected.errors, "seed {seed}");
        assert_eq!(found, expected, "seed {seed}");
        by_steps += read_by_steps;
    }
    by_steps
}

/// Random options of all kinds.
fn builder(choices: &mut Choices) -> ReaderBuilder {
    let descriptor = descriptor(choices);
    let unit = *choices.pick(&[TimeUnit::Nanosecond, TimeUnit::Second, TimeUnit::Microsecond]);
    let options = any_options(choices).recursion(choices.below(3) as u32);
    let options = options.well_known(choices.below(3) > 0).time_unit(unit);
    let mut decode = DecodeOptions::new()
        .discard_unknown(choices.once_in(4))
        .allow_partial(choices.below(2) == 0)
        .max_depth(if choices.once_in(16) { choices.below(5) as u32 } else { 100 });
    if choices.once_in(16) {
        decode = decode.budget(choices.below(400));
    }
    let mut builder = ReaderBuilder::new(&descriptor)
        .options(options)
        .decode_options(decode)
        .bad_rows(*choices.pick(&[BadRows::Fail, BadRows::Skip, BadRows::Null]));
    if choices.once_in(4) {
        builder = builder.batch_size(1 + choices.below(9));
    }
    if choices.once_in(8) {
        builder = builder.batch_bytes(choices.below(4000));
    }
    if choices.once_in(3) {
        let paths = 1 + choices.below(4);
        let paths: Vec<_> = (0..paths).filter_map(|_| path(&descriptor, choices)).collect();
        builder = builder.projection(paths);
    }
    builder
}

#[test]
fn rows_are_the_same_with_steps_and_without() {
    let (mut cases, mut all, mut by_steps) = (0, 0, 0);
    for seed in rounds() {
        let mut choices = Choices::seeded(seed);
        let builder = builder(&mut choices);
        let Ok(schema) = builder.schema() else { continue };
        if schema.flattened_fields().len() > 1_000 {
            continue;
        }
        let decoder = builder.build_decoder().expect("a schema");
        let rows: Vec<_> = (0..24).map(|_| row(decoder.descriptor(), &mut choices)).collect();
        by_steps += agree(seed, &builder, &rows);
        all += 2 * rows.len() as u64;
        cases += 1;
    }
    println!("{cases} cases, {all} rows, {by_steps} of them by steps");
    assert!(cases > rounds().count() * 3 / 4, "{cases} cases");
    assert!(by_steps > all / 2, "{by_steps} of {all}");
}
