//! From protobuf to Arrow batches and back: tablepb-arrow beside ptars and beside JSON values. See README.md.

mod measure;
mod rivals;
mod shapes;

use arrow_array::BinaryArray;
use measure::{Contender, Time, measure};
use rivals::Rivals;
use shapes::Shape;
use std::time::Duration;
use tablepb::wire::Reader;
use tablepb::{Decoder, Projection};

/// The contender to which the others are compared.
const OURS: &str = "tablepb-arrow";

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let quick = words.iter().any(|word| word == "--quick");
    let chosen: Vec<&String> = words.iter().filter(|word| !word.starts_with("--")).collect();
    let limit = Duration::from_millis(if quick { 300 } else { 3_000 });
    for shape in shapes::all(1_024) {
        if chosen.is_empty() || chosen.iter().any(|word| shape.name.contains(word.as_str())) {
            report(&shape, limit);
        }
    }
}

fn report(shape: &Shape, limit: Duration) {
    let bytes: usize = shape.rows.iter().map(Vec::len).sum();
    println!(
        "{}: {} rows, {} bytes, {} a row",
        shape.name,
        shape.rows.len(),
        bytes,
        bytes / shape.rows.len()
    );
    let array: BinaryArray = shape.rows.iter().map(Some).collect();
    let rivals = Rivals::new(&shape.descriptor);
    print("to Arrow", shape.rows.len(), bytes, &read(shape, &array, &rivals, limit));
    if shape.columns.is_empty() {
        print("to protobuf", shape.rows.len(), bytes, &write(shape, &array, &rivals, limit));
    }
}

fn read(shape: &Shape, array: &BinaryArray, rivals: &Rivals, limit: Duration) -> Vec<Time> {
    let block = shape.delimited();
    let mut decoder = Decoder::new(&shape.descriptor);
    let projection =
        Projection::new(&shape.descriptor, shape.columns.iter().copied()).expect("columns of the shape");
    if !shape.columns.is_empty() {
        decoder = decoder.with_projection(&projection);
    }
    let contenders = vec![
        Contender::new("ptars", || rivals.ptars(array).num_rows()),
        Contender::new("JSON values, arrow-json", || rivals.json(array).num_rows()),
        Contender::new("messages only", || {
            each(&block, |row| drop(decoder.decode(row).expect("valid rows")))
        }),
        Contender::new("skipping", || {
            each(&block, |row| Reader::new(row).skip_message().expect("valid rows"))
        }),
    ];
    measure(contenders, shape.rows.len(), limit)
}

fn write(shape: &Shape, array: &BinaryArray, rivals: &Rivals, limit: Duration) -> Vec<Time> {
    let batch = rivals.ptars(array);
    measure(vec![Contender::new("ptars", || rivals.ptars_back(&batch))], shape.rows.len(), limit)
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

fn print(title: &str, rows: usize, bytes: usize, times: &[Time]) {
    println!("  {title:<28} {:>9} {:>9} {:>8}", "Mrows/s", "MB/s", "ratio");
    let ours = times.iter().find(|time| time.name == OURS).unwrap_or(&times[0]).seconds;
    for Time { name, seconds } in times {
        let (rows, bytes) = (rows as f64 / seconds / 1e6, bytes as f64 / seconds / 1e6);
        println!("    {name:<26} {rows:>9.3} {bytes:>9.0} {:>8.2}", seconds / ours);
    }
}
