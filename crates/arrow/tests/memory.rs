//! Peaks of memory: a batch, a hostile message, a length that does not come.

use arrow_buffer::Buffer;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use tablepb::stream::append_frame;
use tablepb::{DescriptorPool, DynamicMessage};
use tablepb_arrow::{BadRows, ErrorKind, ReaderBuilder};

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
    let pool = DescriptorPool::builder().source("m.proto", SOURCE).build().unwrap();
    let row = pool.get_message_by_name("m.Row").unwrap();
    let mut block = Vec::new();
    for at in 0..8192 {
        let text = format!(
            "a: {at} b: 1.5 c: 'row number {at}' d: 'some bytes of row {at}' e: true f: [1, 2, 3, {at}] g: 'x' g: 'a longer text {at}' \
             h {{ key: 'k{at}' value: {at} }} i {{ a: 1 c: 'inner' }} j {{ name: 'item' values: [1, 2, 3] }} j {{ }}"
        );
        let message = DynamicMessage::parse_text_format(&row, &text).unwrap().encode_to_vec().unwrap();
        append_frame(&message, &mut block).unwrap();
    }
    let block = Buffer::from_vec(block);
    for views in [true, false] {
        let options = tablepb_arrow::mapping::Options::new().recursion(1).views(views);
        let mut decoder = ReaderBuilder::new(&row).options(options).build_decoder().unwrap();
        for round in 0..3 {
            let (rise, batch) = peak(|| {
                assert_eq!(decoder.decode_block(&block).unwrap(), block.len());
                decoder.flush().unwrap().unwrap()
            });
            assert_eq!(batch.num_rows(), 8192);
            let live = LIVE.load(Relaxed);
            drop(batch);
            // Without the block, which views share.
            let size = live - LIVE.load(Relaxed);
            assert!(
                rise <= 2 * size + block.len(),
                "views {views}, round {round}: {rise} for a batch of {size}"
            );
        }
    }
    let mut decoder = ReaderBuilder::new(&row).build_decoder().unwrap();
    // Empty items take two bytes each and 20 and more in columns: the budget of the row, 1 MiB and 32 bytes for each of its own, bounds them.
    let hostile = b"\x52\x00".repeat(200_000);
    let (rise, _) = peak(|| decoder.push(&hostile).is_ok());
    assert!(rise <= 2 * ((1 << 20) + 32 * hostile.len()), "{rise}");
    let (rise, result) = peak(|| decoder.decode(b"\xff\xff\xff\xff\x07"));
    assert!(matches!(result.unwrap_err().kind(), ErrorKind::BudgetExceeded));
    assert!(rise < 10_000, "{rise}");
    // Bad rows leave nothing, before the first row and after it.
    let skipping = ReaderBuilder::new(&row).bad_rows(BadRows::Skip).batch_bytes(10 << 20);
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
