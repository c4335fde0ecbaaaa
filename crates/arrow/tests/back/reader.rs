//! Batches of the reader beside those of the oracle: random schemas, values, options, and wires as no encoder writes them, by messages, by
//! chunks of a stream and by blocks; and bad rows among good ones.

use crate::library::choices::Choices;
use crate::library::payload::{WILD, mutate, payload};
use crate::library::schema_gen::{ALL, schema};
use crate::oracle;
use crate::steps::agree;
use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_schema::{DataType, Field, Fields};
use tablepb::stream::append_frame;
use tablepb::table::Kind;
use tablepb::{DynamicMessage, MessageDescriptor};
use tablepb_arrow::mapping::{Enums, Maps, Oneofs, Options, Presence, TYPE};
use tablepb_arrow::{BadRows, ReaderBuilder, WriteErrorKind, WriterBuilder};

/// Fewer rounds without optimisation.
const ROUNDS: u64 = if cfg!(debug_assertions) { 100 } else { 4_000 };

pub fn any_options(choices: &mut Choices) -> Options {
    Options::new()
        .views(choices.below(2) == 0)
        .enums(*choices.pick(&[Enums::Number, Enums::Name, Enums::Dictionary]))
        .oneofs(*choices.pick(&[Oneofs::Columns, Oneofs::Union, Oneofs::Named]))
        .maps(*choices.pick(&[Maps::Map, Maps::Entries, Maps::Lists]))
        .presence(*choices.pick(&[Presence::Null, Presence::Null, Presence::Default]))
        .unknown_fields(choices.below(2) == 0)
        .extensions(choices.below(2) == 0)
        .recursion(*choices.pick(&[0, 1, 4, 5]))
}

/// Whether some messages are cut off: their bytes need not be those that the oracle encodes.
fn has_cut(fields: &Fields) -> bool {
    let cut = |field: &Field| match field.data_type() {
        DataType::Binary | DataType::BinaryView => field.metadata().contains_key(TYPE),
        DataType::List(item) => {
            let bytes = matches!(item.data_type(), DataType::Binary | DataType::BinaryView);
            bytes && field.metadata().contains_key(TYPE) || has_cut(&[item.clone()].into())
        }
        DataType::Map(entries, _) => has_cut(&[entries.clone()].into()),
        DataType::Struct(fields) => has_cut(fields),
        DataType::Union(members, _) => has_cut(&members.iter().map(|(_, member)| member.clone()).collect()),
        _ => false,
    };
    fields.iter().any(|field| cut(field))
}

/// A path to a field, through messages.
pub fn path(descriptor: &MessageDescriptor, choices: &mut Choices) -> Option<String> {
    let fields: Vec<_> = descriptor.fields().collect();
    let field = fields.get(choices.below(fields.len()))?;
    match field.kind() {
        Kind::Message(message) if !field.is_map() && choices.below(3) > 0 => {
            let rest = path(&message, choices);
            Some(rest.map_or(field.name().to_owned(), |rest| format!("{}.{rest}", field.name())))
        }
        _ => Some(field.name().to_owned()),
    }
}

/// A random type and rows on the wire, good and bad.
struct Case {
    descriptor: MessageDescriptor,
    builder: ReaderBuilder,
    rows: Vec<Vec<u8>>,
    expected: RecordBatch,
}

fn case(seed: u64, options: Option<&Options>, most: usize) -> Option<Case> {
    let mut choices = Choices::seeded(seed);
    let schema = schema(&mut choices, ALL);
    let descriptor = schema.pool().message(&schema.full_name(0)).expect("message 0");
    let options = options.cloned().unwrap_or_else(|| any_options(&mut choices));
    let mut builder = ReaderBuilder::new(&descriptor).options(options).bad_rows(BadRows::Skip);
    let projected = choices.once_in(3);
    if projected {
        let paths = 1 + choices.below(4);
        builder = builder
            .projection((0..paths).filter_map(|_| path(&descriptor, &mut choices)).collect::<Vec<_>>());
    }
    // Some types have more columns than a batch may, and some so many that they would take all of the time.
    let columns = builder.schema().ok().filter(|schema| schema.flattened_fields().len() < 2_000)?;
    let (mut rows, mut good) = (Vec::new(), Vec::new());
    for _ in 0..choices.below(most) {
        let mut row = payload(&schema, 0, &mut choices, WILD);
        if has_cut(columns.fields()) {
            let Ok(message) = DynamicMessage::decode(&descriptor, &row) else { continue };
            row = message.encode_to_vec().expect("a small message");
        } else if !projected && choices.once_in(6) {
            // Under a projection what is not selected need not be valid.
            mutate(&mut row, &mut choices);
        }
        match DynamicMessage::decode(&descriptor, &row) {
            Ok(message) => good.push(message),
            Err(_) if projected => continue,
            Err(_) => {}
        }
        rows.push(row);
    }
    let expected = oracle::batch(&columns, &descriptor, &good);
    Some(Case { descriptor, builder, rows, expected })
}

fn same(seed: u64, way: &str, batch: &RecordBatch, expected: &RecordBatch) {
    assert_eq!(batch.num_rows(), expected.num_rows(), "seed {seed}, {way}");
    for (i, field) in batch.schema().fields().iter().enumerate() {
        let (column, expected) = (batch.column(i), expected.column(i));
        column
            .to_data()
            .validate_full()
            .unwrap_or_else(|error| panic!("seed {seed}, {way}, column {i}: {error}"));
        assert_eq!(column, expected, "seed {seed}, {way}, column {i}, {}", field.name());
    }
}

fn check(seed: u64, options: Option<&Options>, most: usize) -> Option<usize> {
    let Case { descriptor, builder, rows, expected } = case(seed, options, most)?;
    agree(seed, &builder, &rows);
    let mut decoder = builder.build_decoder().expect("a schema");
    for row in &rows {
        decoder.push(row).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
    assert_eq!(decoder.skipped() as usize, rows.len() - expected.num_rows(), "seed {seed}");
    let batch = decoder.flush().expect("a batch");
    let batch = batch.unwrap_or_else(|| RecordBatch::new_empty(decoder.schema()));
    same(seed, "push", &batch, &expected);

    let mut stream = Vec::new();
    rows.iter().for_each(|row| append_frame(row, &mut stream).expect("a small message"));
    let mut rest = &stream[..];
    let mut choices = Choices::seeded(!seed);
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at((1 + choices.below(40)).min(rest.len()));
        assert_eq!(
            decoder.decode(chunk).unwrap_or_else(|error| panic!("seed {seed}: {error}")),
            chunk.len(),
            "seed {seed}"
        );
        rest = after;
    }
    assert!(!decoder.has_partial_row(), "seed {seed}");
    let batch = decoder.flush().expect("a batch").unwrap_or_else(|| RecordBatch::new_empty(decoder.schema()));
    same(seed, "chunks", &batch, &expected);

    let block = Buffer::from_vec(stream.clone());
    assert_eq!(
        decoder.decode_block(&block).unwrap_or_else(|error| panic!("seed {seed}: {error}")),
        block.len(),
        "seed {seed}"
    );
    let batch = decoder.flush().expect("a batch").unwrap_or_else(|| RecordBatch::new_empty(decoder.schema()));
    same(seed, "block", &batch, &expected);

    // Small batches one after the other.
    let reader = builder.clone().batch_size(1 + choices.below(3)).build(&stream[..]).expect("a schema");
    let batches =
        reader.collect::<Result<Vec<_>, _>>().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let mut start = 0;
    for batch in &batches {
        same(seed, "reader", batch, &expected.slice(start, batch.num_rows()));
        start += batch.num_rows();
    }
    assert_eq!(start, expected.num_rows(), "seed {seed}");

    // And back, to what the batch of the oracle gives.
    let mut writer = match WriterBuilder::new(&descriptor).build(&batch.schema()) {
        Ok(writer) => writer,
        // A projection may leave out required fields.
        Err(error) if error.kind() == WriteErrorKind::MissingRequired => return Some(batch.num_rows()),
        Err(error) => panic!("seed {seed}: {error}"),
    };
    let back = writer.to_array(&batch).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    assert_eq!(back, writer.to_array(&expected).expect("the same values"), "seed {seed}");
    Some(batch.num_rows())
}

#[test]
fn batches_equal_those_of_the_oracle() {
    let rows: Vec<usize> = (0..ROUNDS).filter_map(|seed| check(seed, None, 12)).collect();
    assert!(rows.len() as u64 > ROUNDS / 2, "{} of {ROUNDS}", rows.len());
    assert!(rows.iter().sum::<usize>() as u64 > ROUNDS, "{rows:?}");
}

/// Each choice, with the defaults of the others and with a preset.
fn each_choice() -> Vec<(&'static str, Options)> {
    use Options as O;
    vec![
        ("defaults", O::new()),
        ("arrow", O::arrow().well_known(false)),
        ("portable", O::portable().well_known(false)),
        ("without views", O::new().views(false)),
        ("enum names", O::new().enums(Enums::Name)),
        ("enum dictionaries", O::new().enums(Enums::Dictionary)),
        ("unions", O::new().oneofs(Oneofs::Union)),
        ("named members", O::new().oneofs(Oneofs::Named)),
        ("named members, dictionaries", O::new().oneofs(Oneofs::Named).enums(Enums::Dictionary)),
        ("maps as entries", O::new().maps(Maps::Entries)),
        ("maps as lists", O::new().maps(Maps::Lists)),
        ("defaults for what is not set", O::new().presence(Presence::Default)),
        ("unknown fields", O::new().unknown_fields(true)),
        ("extensions", O::new().extensions(true)),
        ("recursion", O::new().recursion(2)),
    ]
}

/// In release builds 100 000 rows for each.
#[test]
fn batches_equal_those_of_the_oracle_by_each_choice() {
    let (most, enough) = if cfg!(debug_assertions) { (40, 300) } else { (400, 100_000) };
    for (at, (name, options)) in each_choice().iter().enumerate() {
        let mut rows = 0;
        // Other types for each.
        for seed in (at as u64 + 2) << 40.. {
            rows += check(seed, Some(options), most).unwrap_or(0);
            if rows >= enough {
                break;
            }
        }
        println!("{name}: {rows} rows");
    }
}
