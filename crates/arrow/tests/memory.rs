//! Peaks of memory: a batch, a hostile message, a length that does not come.

use arrow_array::{Array, ArrayRef, Int32Array, RecordBatch};
use arrow_buffer::Buffer;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use tablepb::MessageDescriptor;
use tablepb::stream::append_frame;
use tablepb::wire::Writer;
use tablepb_arrow::mapping::{Enums, Oneofs, Options};
use tablepb_arrow::write::WriterBuilder;
use tablepb_arrow::{BadRows, ErrorKind, ReaderBuilder};
use tablepb_schema::SourceBuilder;

/// Counts what is allocated.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: `System` does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(live, Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How far memory rises while this runs.
fn peak<T>(run: impl FnOnce() -> T) -> (usize, T) {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let result = run();
    (PEAK.load(Relaxed) - before, result)
}

const SOURCE: &str = r#"
syntax = "proto3";
package m;
message Row {
  int64 a = 1; optional double b = 2; string c = 3; bytes d = 4; bool e = 5;
  repeated int32 f = 6; repeated string g = 7; map<string, int64> h = 8; Row i = 9; repeated Item j = 10;
}
message Item { string name = 1; repeated double values = 2; }
"#;

/// One test: what other tests allocate at the same time would count.
#[test]
fn memory_follows_the_batch() {
    recursive_types_are_in_proportion();
    columns_that_nothing_sets_take_nothing();
    columns_that_name_members_take_nothing_where_none_is_set();
    columns_that_few_rows_set_are_in_a_budget();
    let pool = SourceBuilder::new().source("m.proto", SOURCE).build().unwrap();
    let row = pool.message("m.Row").unwrap();
    for (count, batch_size) in [(8192, 8192), (10, 8192), (1024, 8192), (1024, usize::MAX), (8193, 20_000)] {
        let block = rows(&row, count);
        for views in [true, false] {
            a_batch_takes_little_more_than_its_columns(&row, &block, (count, batch_size), views);
        }
    }
    the_size_of_a_batch_reserves_nothing(&row);
    one_row_is_bounded(&row);
    bad_rows_leave_nothing(&row);
    names_of_enums_are_counted();
    numbers_of_bad_rows_are_forgotten();
    columns_of_a_oneof_are_listed_once();
    names_of_an_enum_are_there_once();
}

/// Reads rows of which there may be many, and keeps the batches. Returns the rows that came, how far memory rose and the bytes of the rows.
fn all_batches(
    builder: &ReaderBuilder,
    rows: impl Iterator<Item = Vec<u8>>,
) -> (Result<usize, ErrorKind>, usize, usize) {
    let mut decoder = builder.build_decoder().unwrap();
    let (mut batches, mut input) = (Vec::new(), 0);
    let (rise, result) = peak(|| {
        let mut count = 0;
        for row in rows {
            input += row.len();
            loop {
                match decoder.push(&row) {
                    Ok(true) => break,
                    Ok(false) => batches.extend(decoder.flush().unwrap()),
                    // What came before is there, and the row is to come again.
                    Err(error) if matches!(error.kind(), ErrorKind::ColumnsBudget) => {
                        assert_eq!(error.consumed(), 0);
                        assert!(decoder.is_full() && decoder.flush().unwrap().is_some());
                        assert!(decoder.push(&row).unwrap());
                        return Err(ErrorKind::ColumnsBudget);
                    }
                    Err(error) => panic!("{error}"),
                }
            }
            count += 1;
        }
        batches.extend(decoder.flush().unwrap());
        Ok(count)
    });
    (result, rise, input)
}

/// Three levels of eight fields each were 7.2 GiB for 260 KB.
fn recursive_types_are_in_proportion() {
    let fields: String = (1..=8).map(|i| format!("R r{i} = {i};")).collect();
    let source = format!("syntax = \"proto3\"; message R {{ {fields} int64 id = 9; }}");
    let pool = SourceBuilder::new().source("r.proto", source).build().unwrap();
    let of = pool.message("R").unwrap();
    // Each row goes another way down.
    let rows = || {
        (0..20_000_u32).map(|row| {
            let tag = |level: u32| (row / 8_u32.pow(level) % 8 + 1) as u8 * 8 + 2;
            vec![tag(0), 11, tag(1), 9, tag(2), 7, 0x48, 1, 0x48, 2, 0x48, 0x83, 1]
        })
    };
    let (result, rise, input) = all_batches(&ReaderBuilder::new(&of).batch_size(usize::MAX), rows());
    assert_eq!((result.ok(), input), (Some(20_000), 260_000));
    assert!(rise <= 2 * ((1 << 20) + 32 * input), "{rise}");
    for levels in [1, 2, 3] {
        let builder =
            ReaderBuilder::new(&of).options(Options::new().recursion(levels)).batch_size(usize::MAX);
        let (result, rise, input) = all_batches(&builder, rows());
        let bound = (64 << 20) + 32 * input;
        // Vectors that double.
        assert!(rise <= 2 * bound + (8 << 20), "{levels} levels: {rise}, {result:?}");
    }
}

/// A tree of types, each of which has eight fields of the next one: 4 096 ways down, of which the rows go none.
fn columns_that_nothing_sets_take_nothing() {
    let levels: String = (0..4)
        .map(|level| {
            let fields: String = (1..=8).map(|i| format!("L{} f{i} = {i};", level + 1)).collect();
            format!("message L{level} {{ {fields} }}")
        })
        .collect();
    let source = format!(
        "syntax = \"proto3\"; {levels} message L4 {{ int64 a = 1; string b = 2; repeated bool c = 3; }}"
    );
    let pool = SourceBuilder::new().source("l.proto", source).build().unwrap();
    let of = pool.message("L0").unwrap();
    for options in [Options::new(), Options::new().views(false)] {
        let builder = ReaderBuilder::new(&of).options(options);
        let mut decoder = builder.build_decoder().unwrap();
        for round in 0..2 {
            let (rise, batch) = peak(|| {
                (0..8192).for_each(|_| assert!(decoder.push(b"").unwrap()));
                decoder.flush().unwrap().unwrap()
            });
            assert_eq!(batch.num_rows(), 8192);
            // Arrays, of which there are 17 000, without their values.
            assert!(rise < 12 << 20, "round {round}: {rise}");
        }
    }
}

/// A thousand oneofs, of which a row sets none or one.
fn columns_that_name_members_take_nothing_where_none_is_set() {
    let oneofs: String = (0..1000)
        .map(|i| format!("oneof o{i} {{ int32 a{i} = {}; string b{i} = {}; }}", 2 * i + 1, 2 * i + 2))
        .collect();
    let source = format!("syntax = \"proto3\"; message O {{ {oneofs} }}");
    let pool = SourceBuilder::new().source("o.proto", source).build().unwrap();
    let of = pool.message("O").unwrap();
    for options in [Options::new(), Options::new().views(false), Options::new().enums(Enums::Dictionary)] {
        let builder = ReaderBuilder::new(&of).options(options.oneofs(Oneofs::Named));
        let mut decoder = builder.build_decoder().unwrap();
        for message in [&b""[..], b"\x08\x07"] {
            let (rise, batch) = peak(|| {
                (0..8192).for_each(|_| assert!(decoder.push(message).unwrap()));
                decoder.flush().unwrap().unwrap()
            });
            assert_eq!((batch.num_rows(), batch.num_columns()), (8192, 3000));
            assert_eq!(batch.column(0).null_count(), if message.is_empty() { 8192 } else { 0 });
            assert!(rise < 4 << 20, "{rise}");
        }
    }
}

/// One row sets all fields, and others set one.
fn columns_that_few_rows_set_are_in_a_budget() {
    let fields: String = (1..=4000).map(|i| format!("int64 f{i} = {i};")).collect();
    let source = format!("syntax = \"proto3\"; message W {{ {fields} }}");
    let pool = SourceBuilder::new().source("w.proto", source).build().unwrap();
    let of = pool.message("W").unwrap();
    let mut all = Vec::new();
    for i in 1..=4000 {
        Writer::new(&mut all).write_varint(i << 3);
        all.push(1);
    }
    let builder = ReaderBuilder::new(&of).batch_size(usize::MAX).batch_bytes(1 << 30);
    for first in [0, 1500] {
        let rows = || (0..100_000).map(|row| if row == first { all.clone() } else { b"\x08\x01".to_vec() });
        let (result, rise, input) = all_batches(&builder, rows());
        assert!(matches!(result, Err(ErrorKind::ColumnsBudget)), "{result:?}");
        assert!(rise <= 2 * ((64 << 20) + 32 * input) + (8 << 20), "{rise} for {input}");
        // Who has the memory says so.
        let (result, ..) = all_batches(&builder.clone().columns_budget(1 << 30), rows().take(4_000));
        assert_eq!(result.ok(), Some(4_000));
        // Rows that are skipped do not hide it.
        let skipping = builder.clone().bad_rows(BadRows::Skip);
        assert!(matches!(all_batches(&skipping, rows()).0, Err(ErrorKind::ColumnsBudget)));
    }
}

/// Each column had a table of all names of its enum, and a list of views up to the last name that it used.
fn names_of_an_enum_are_there_once() {
    let fields: String = (1..=200).map(|i| format!("E f{i} = {i};")).collect();
    let values: String = (0..5000).map(|i| format!("NAME_OF_A_VALUE_{i} = {i};")).collect();
    let source = format!("syntax = \"proto3\"; enum E {{ {values} }} message M {{ {fields} }}");
    let pool = SourceBuilder::new().source("e.proto", source).build().unwrap();
    let of = pool.message("M").unwrap();
    let mut row = Vec::new();
    for i in 1..=200 {
        Writer::new(&mut row).write_varint(i << 3);
        Writer::new(&mut row).write_varint(4999);
    }
    for enums in [Enums::Name, Enums::Dictionary] {
        let builder = ReaderBuilder::new(&of).options(Options::new().enums(enums));
        let (used, batch) = peak(|| {
            let mut decoder = builder.build_decoder().unwrap();
            assert!(decoder.push(&row).unwrap());
            decoder.flush().unwrap().unwrap()
        });
        assert!(used < 4 << 20, "{enums:?}: {used}");
        let (used, mut writer) = peak(|| WriterBuilder::new(&of).build(&batch.schema()).unwrap());
        assert!(used < 2 << 20, "{enums:?}: {used}");
        let mut stream = Vec::new();
        writer.write(&batch, &mut stream).unwrap();
        assert_eq!(&stream[2..], row);
    }
}

/// Each member of a oneof had a list of all others: of thousands, hundreds of megabytes.
fn columns_of_a_oneof_are_listed_once() {
    const MEMBERS: usize = 2000;
    let members: String = (1..=MEMBERS).map(|i| format!("int32 a_{i} = {i};")).collect();
    let source = format!("syntax = \"proto3\"; message O {{ oneof one {{ {members} }} }}");
    let pool = SourceBuilder::new().source("o.proto", source).build().unwrap();
    let of = pool.message("O").unwrap();
    let column = |i: usize| {
        let set = (i == MEMBERS / 2).then_some(7);
        (format!("a{i}"), Arc::new(Int32Array::from(vec![set, None])) as ArrayRef, true)
    };
    let batch = RecordBatch::try_from_iter_with_nullable((1..=MEMBERS).map(column)).unwrap();
    let mut stream = Vec::new();
    let (used, ()) = peak(|| {
        let mut writer = WriterBuilder::new(&of).build(&batch.schema()).unwrap();
        writer.write(&batch, &mut stream).unwrap();
    });
    assert_eq!(stream, b"\x03\xc0\x3e\x07\x00");
    assert!(used < MEMBERS * 1024, "{used} bytes");
}

/// Rows with something in every column.
fn rows(row: &MessageDescriptor, count: usize) -> Buffer {
    let mut block = Vec::new();
    for at in 0..count {
        let text = format!(
            "a: {at} b: 1.5 c: 'row number {at}' d: 'some bytes of row {at}' e: true f: [1, 2, 3, {at}] g: 'x' g: 'a longer text {at}' \
             h {{ key: 'k{at}' value: {at} }} i {{ a: 1 c: 'inner' }} j {{ name: 'item' values: [1, 2, 3] }} j {{ }}"
        );
        let message = tablepb::text::message_from_str(row, &text).unwrap().encode_to_vec().unwrap();
        append_frame(&message, &mut block).unwrap();
    }
    Buffer::from_vec(block)
}

fn a_batch_takes_little_more_than_its_columns(
    row: &MessageDescriptor,
    block: &Buffer,
    (count, batch_size): (usize, usize),
    views: bool,
) {
    let builder = ReaderBuilder::new(row).options(Options::new().recursion(1).views(views));
    let builder = builder.batch_size(batch_size);
    // Without the block, which views share, the schema, and the decoder, which keeps the memory of the last batch.
    let size = {
        let mut decoder = builder.build_decoder().unwrap();
        assert_eq!(decoder.decode_block(block).unwrap(), block.len());
        let batch = decoder.flush().unwrap().unwrap();
        let _schema = decoder.schema();
        drop(decoder);
        let live = LIVE.load(Relaxed);
        drop(batch);
        live - LIVE.load(Relaxed)
    };
    assert!(size > block.len() / 2, "{size}");
    let before = LIVE.load(Relaxed);
    let mut decoder = builder.build_decoder().unwrap();
    let empty = LIVE.load(Relaxed) - before;
    for round in 0..3 {
        let kept = LIVE.load(Relaxed) - before;
        let (rise, batch) = peak(|| {
            assert_eq!(decoder.decode_block(block).unwrap(), block.len());
            decoder.flush().unwrap().unwrap()
        });
        assert_eq!(batch.num_rows(), count);
        assert!(
            kept + rise <= empty + 2 * size + block.len(),
            "{count} of {batch_size} rows, views {views}, round {round}: {kept} and {rise} for a batch of {size}"
        );
        // A batch that is still there when the next one is made is not kept.
        if round == 1 {
            decoder.decode_block(block).unwrap();
            let live = LIVE.load(Relaxed);
            drop(batch);
            assert!(live - LIVE.load(Relaxed) > size / 2, "{live}");
            decoder.flush().unwrap().unwrap();
        }
    }
}

fn the_size_of_a_batch_reserves_nothing(row: &MessageDescriptor) {
    for views in [true, false] {
        let builder = ReaderBuilder::new(row).options(Options::new().views(views)).batch_size(usize::MAX);
        let mut decoder = builder.build_decoder().unwrap();
        let (rise, batch) = peak(|| {
            assert!(decoder.push(b"\x08\x01").unwrap());
            decoder.flush().unwrap().unwrap()
        });
        assert_eq!(batch.num_rows(), 1);
        assert!(rise < 50_000, "{rise}");
    }
}

fn one_row_is_bounded(row: &MessageDescriptor) {
    let mut decoder = ReaderBuilder::new(row).build_decoder().unwrap();
    // Empty items take two bytes each and 20 and more in columns: the budget of the row, 1 MiB and 32 bytes for each of its own, bounds them.
    let hostile = b"\x52\x00".repeat(200_000);
    let (rise, _) = peak(|| decoder.push(&hostile).is_ok());
    assert!(rise <= 2 * ((1 << 20) + 32 * hostile.len()), "{rise}");
    let (rise, result) = peak(|| decoder.decode(b"\xff\xff\xff\xff\x07"));
    assert!(matches!(result.unwrap_err().kind(), ErrorKind::BudgetExceeded));
    assert!(rise < 10_000, "{rise}");
}

/// Neither before the first row nor after it.
fn bad_rows_leave_nothing(row: &MessageDescriptor) {
    let skipping = ReaderBuilder::new(row).bad_rows(BadRows::Skip).batch_bytes(10 << 20);
    let bad = [&b"\x1a\x7f"[..], &[b'x'; 127], b"\x1a\x01\xff"].concat();
    let mut frames = Vec::new();
    (0..1000).for_each(|_| append_frame(&bad, &mut frames).unwrap());
    for first in [false, true] {
        for in_blocks in [false, true] {
            let mut decoder = skipping.build_decoder().unwrap();
            assert!(!first || decoder.push(b"\x08\x01").unwrap());
            let (rise, _) = peak(|| {
                for _ in 0..40 {
                    let mut taken = 0;
                    while taken < frames.len() {
                        taken += match in_blocks {
                            true => decoder.decode_block(&Buffer::from(&frames[taken..])).unwrap(),
                            false => decoder.decode(&frames[taken..]).unwrap(),
                        };
                        if decoder.is_full() {
                            decoder.flush().unwrap().unwrap();
                        }
                    }
                }
            });
            assert_eq!(decoder.skipped(), 40_000);
            assert!(rise < 2 << 20, "{rise}");
        }
    }
}

/// A message with a list of an enum, whose names have 200 bytes each.
fn colors() -> MessageDescriptor {
    let (none, red) = ("N".repeat(200), "R".repeat(200));
    let source = format!(
        "syntax = 'proto3'; package m; enum Color {{ {none} = 0; {red} = 1; }}
         message Colors {{ Color one = 1; repeated Color colors = 2; repeated Colors more = 3; }}"
    );
    let pool = SourceBuilder::new().source("c.proto", source).build().unwrap();
    pool.message("m.Colors").unwrap()
}

/// A packed run of this many bytes, each of which is a number.
fn packed(count: usize, number: impl Fn(usize) -> u8) -> Vec<u8> {
    let mut message = vec![0x12];
    Writer::new(&mut message).write_varint(count as u64);
    message.extend((0..count).map(number));
    message
}

/// A byte of a packed run may have a name of any length.
fn names_of_enums_are_counted() {
    let named = Options::new().recursion(1).enums(Enums::Name);
    let count = 400_000;
    let (run, elements) = (packed(count, |at| at as u8 % 2), b"\x1a\x00".repeat(200_000));
    // Views are 16 bytes, whatever the name; and the vector that holds them doubles.
    let mut decoder = ReaderBuilder::new(&colors()).options(named.clone()).build_decoder().unwrap();
    let (rise, batch) = peak(|| {
        assert!(decoder.push(&run).unwrap());
        decoder.flush().unwrap().unwrap()
    });
    assert!(rise <= 3 * 16 * count + (64 << 10), "{rise}");
    let values = batch.column(1).to_data();
    values.validate_full().unwrap();
    let buffers: usize = values.child_data()[0].buffers().iter().skip(1).map(Buffer::len).sum();
    // The two names, and the one of rows that are left out.
    assert_eq!(buffers, 3 * 200);
    // Names that are copied for each value count against the budget of the row, and so do those of fields that are left out.
    for hostile in [&run, &elements] {
        let builder = ReaderBuilder::new(&colors()).options(named.clone().views(false));
        let mut decoder = builder.build_decoder().unwrap();
        let (rise, result) = peak(|| decoder.push(hostile));
        assert!(matches!(result.unwrap_err().kind(), ErrorKind::BudgetExceeded));
        assert!(rise <= 3 * ((1 << 20) + 32 * hostile.len()), "{rise}");
        // And a row of them that is not large is read, and counts.
        let (few, mut rows) = (packed(1000, |_| 1), 0);
        let mut decoder = builder.batch_bytes(4 << 20).build_decoder().unwrap();
        let (rise, _) = peak(|| {
            while decoder.push(&few).unwrap() {
                rows += 1
            }
        });
        assert!(rows > 5 && rise <= 2 * (4 << 20) + (2 << 20), "{rows} rows, {rise}");
    }
}

/// Numbers that an enum does not list become values of the dictionary, also those of rows that turn out bad.
fn numbers_of_bad_rows_are_forgotten() {
    let options = Options::new().recursion(0).enums(Enums::Dictionary);
    let builder = ReaderBuilder::new(&colors()).options(options).bad_rows(BadRows::Skip);
    for first in [false, true] {
        let mut decoder = builder.clone().batch_bytes(4 << 20).build_decoder().unwrap();
        assert!(!first || decoder.push(b"\x08\x01").unwrap());
        let (rise, _) = peak(|| {
            for row in 0..100_000_u32 {
                // Two numbers, and a string without its bytes.
                let mut bad = vec![0x12, 8];
                for number in [2 * row + 5, 2 * row + 6] {
                    Writer::new(&mut bad).write_varint((1 << 21 | number).into());
                }
                bad.push(0x0a);
                if !decoder.push(&bad).unwrap() {
                    decoder.flush().unwrap().unwrap();
                }
            }
        });
        assert!(rise <= 12 << 20, "{rise}");
    }
}
