//! From protobuf to Arrow batches and back: tablepb-arrow beside ptars, loops by hand, Avro and JSON values. See docs/columns.md.

mod avro;
mod by_hand;
mod measure;
mod rivals;
mod shapes;

use arrow_array::{Array, BinaryArray, RecordBatch};
use arrow_buffer::Buffer;
use avro::Avro;
use measure::{Contender, Time, measure};
use rivals::Rivals;
use shapes::Shape;
use std::time::Duration;
use tablepb::Decoder;
use tablepb::partial::Projection;
use tablepb::wire::Reader;
use tablepb_arrow::mapping::Options;
use tablepb_arrow::{ReaderBuilder, WriterBuilder};

/// The contender to which the others are compared.
const OURS: &str = "tablepb-arrow";

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |option: &str| words.iter().any(|word| word == option);
    let chosen: Vec<&String> = words.iter().filter(|word| !word.starts_with("--")).collect();
    let limit = Duration::from_millis(if has("--quick") { 300 } else { 3_000 });
    if has("--csv") {
        println!("direction,shape,contender,rows,bytes,nanoseconds,times");
    }
    for shape in shapes::all(1_024) {
        if chosen.is_empty() || chosen.iter().any(|word| shape.name.contains(word.as_str())) {
            report(&shape, limit, has("--csv"));
        }
    }
}

fn report(shape: &Shape, limit: Duration, csv: bool) {
    let bytes: usize = shape.rows.iter().map(Vec::len).sum();
    let rows = shape.rows.len();
    if !csv {
        println!("{}: {rows} rows, {bytes} bytes, {} a row", shape.name, bytes / rows);
    }
    let array: BinaryArray = shape.rows.iter().map(Some).collect();
    let rivals = Rivals::new(&shape.descriptor);
    let print = |direction: &str, times: &[Time]| match csv {
        true => print_csv(direction, shape.name, (rows, bytes), times),
        false => print(direction, (rows, bytes), times),
    };
    print("to columns", &read(shape, &array, &rivals, limit));
    if shape.columns.is_empty() {
        print("to messages", &write(shape, &array, &rivals, limit));
    }
}

fn read(shape: &Shape, array: &BinaryArray, rivals: &Rivals, limit: Duration) -> Vec<Time> {
    let block = Buffer::from_vec(shape.delimited());
    let mut decoder = Decoder::new(&shape.descriptor);
    let projection =
        Projection::new(&shape.descriptor, shape.columns.iter().copied()).expect("columns of the shape");
    if !shape.columns.is_empty() {
        decoder = decoder.with_projection(&projection);
    }
    let mut ours = decoder_of(shape, OPTIONS);
    let mut strings = decoder_of(shape, OPTIONS.views(false));
    let mut pushed = decoder_of(shape, OPTIONS);
    let mut columns = builder_of(shape, OPTIONS).build_array_decoder().expect("a schema");
    let mut avro = Avro::new(&by_block(&mut ours, &block));
    let by_hand = by_hand::reader(shape.name);
    let mut contenders = vec![
        Contender::new(OURS, || by_block(&mut ours, &block).num_rows()),
        Contender::new("tablepb-arrow, no views", || by_block(&mut strings, &block).num_rows()),
        Contender::new("tablepb-arrow, push", || {
            shape.rows.iter().for_each(|row| assert!(pushed.push(row).expect("valid rows")));
            pushed.flush().expect("a batch").expect("rows").num_rows()
        }),
        Contender::new("tablepb-arrow, a column", || columns.decode(array).expect("valid rows").len()),
        Contender::new("ptars", || rivals.ptars(array).num_rows()),
        Contender::new("JSON values, arrow-json", || rivals.json(array).num_rows()),
        Contender::new("messages only", || each(&block, |row| assert!(decoder.decode(row).is_ok()))),
        Contender::new("skipping", || {
            each(&block, |row| Reader::new(row).skip_message().expect("valid rows"))
        }),
    ];
    if let Some(by_hand) = by_hand {
        contenders.push(Contender::new("prost and builders by hand", move || by_hand(array).num_rows()));
    }
    if let Some(avro) = &mut avro {
        contenders.push(Contender::new("arrow-avro, from Avro", || avro.read()));
    }
    measure(contenders, shape.rows.len(), limit)
}

/// What is recursive is cut off where ptars cuts it off.
const OPTIONS: Options = Options::new().recursion(0);

fn builder_of(shape: &Shape, options: Options) -> ReaderBuilder {
    ReaderBuilder::new(&shape.descriptor).projection(shape.columns.iter().copied()).options(options)
}

fn decoder_of(shape: &Shape, options: Options) -> tablepb_arrow::Decoder {
    builder_of(shape, options).build_decoder().expect("a schema")
}

fn by_block(decoder: &mut tablepb_arrow::Decoder, block: &Buffer) -> RecordBatch {
    assert_eq!(decoder.decode_block(block).expect("valid rows"), block.len());
    decoder.flush().expect("a batch").expect("rows")
}

/// The way back: the batch that each reader made, to bytes.
fn write(shape: &Shape, array: &BinaryArray, rivals: &Rivals, limit: Duration) -> Vec<Time> {
    let block = Buffer::from_vec(shape.delimited());
    let batch = by_block(&mut decoder_of(shape, OPTIONS), &block);
    let mut writer =
        WriterBuilder::new(&shape.descriptor).build(&batch.schema()).expect("columns of the mapping");
    let mut buffer = Vec::new();
    writer.write(&batch, &mut buffer).expect("rows");
    assert_eq!(buffer, block.as_slice(), "{}", shape.name);
    let theirs = rivals.ptars(array);
    let mut decoder = Decoder::new(&shape.descriptor);
    let contenders = vec![
        Contender::new(OURS, || {
            buffer.clear();
            writer.write(&batch, &mut buffer).expect("rows");
            batch.num_rows()
        }),
        Contender::new("ptars", || rivals.ptars_back(&theirs)),
        Contender::new("decoding and encoding", || {
            let mut buffer = Vec::new();
            each(&block, |row| {
                let message = decoder.decode(row).expect("valid rows");
                message.encode_length_delimited(&mut buffer).expect("small messages");
            })
        }),
    ];
    measure(contenders, shape.rows.len(), limit)
}

/// Calls `work` with each message of a block of delimited ones; gives their number.
fn each(block: &[u8], mut work: impl FnMut(&[u8])) -> usize {
    let (mut reader, mut rows) = (Reader::new(block), 0);
    while !reader.rest().is_empty() {
        work(reader.read_length_delimited().expect("valid frames"));
        rows += 1;
    }
    rows
}

fn ours(times: &[Time]) -> f64 {
    times.iter().find(|time| time.name == OURS).unwrap_or(&times[0]).seconds
}

fn print(title: &str, (rows, bytes): (usize, usize), times: &[Time]) {
    println!("  {title:<28} {:>9} {:>9} {:>8}", "Mrows/s", "MB/s", "ratio");
    let ours = ours(times);
    for Time { name, seconds } in times {
        let (rows, bytes) = (rows as f64 / seconds / 1e6, bytes as f64 / seconds / 1e6);
        println!("    {name:<26} {rows:>9.3} {bytes:>9.0} {:>8.2}", seconds / ours);
    }
}

/// How many times as long as tablepb-arrow each one takes.
fn print_csv(direction: &str, shape: &str, (rows, bytes): (usize, usize), times: &[Time]) {
    let ours = ours(times);
    for Time { name, seconds } in times {
        let times = seconds / ours;
        println!(
            "{direction},\"{shape}\",\"{name}\",{rows},{bytes},{:.1},{times:.3}",
            seconds * 1e9 / rows as f64
        );
    }
}
