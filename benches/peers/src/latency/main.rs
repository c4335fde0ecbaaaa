//! How long single encodes and decodes take while many run at once. README.md says what is measured.

mod contenders;
#[path = "../../../../tests/common/heap.rs"]
mod heap;
mod record;

use clap::{Parser, ValueEnum};
use contenders::{Contender, contenders};
use hdrhistogram::Histogram;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use record::Record;
use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

#[global_allocator]
static HEAP: heap::Counting = heap::Counting;

/// The stack of a thread of its own.
const STACK: usize = 256 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Shape {
    Small,
    Large,
}

/// Times single encodes and decodes of a project record, many at once.
#[derive(Debug, Parser)]
struct Arguments {
    /// How many of each.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    operations: u32,
    /// How many threads of their own run at once.
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    threads: u32,
    /// Only this record.
    #[arg(long)]
    shape: Option<Shape>,
    /// Print comma-separated values.
    #[arg(long)]
    csv: bool,
}

/// Where operations run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Threads,
    Pool,
}

/// What is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Encode,
    Decode,
}

impl Operation {
    /// Does it once, with the message at this index.
    fn run(self, contender: &dyn Contender, index: usize, place: Place) {
        match self {
            Self::Encode => drop(black_box(contender.encode(index))),
            Self::Decode => contender.decode(index, place == Place::Pool),
        }
    }
}

fn main() {
    let arguments = Arguments::parse();
    if arguments.csv {
        println!("record,place,operation,contender,bytes,allocations,p50,p90,p95,p99,p99.9,max");
    }
    for shape in [Shape::Small, Shape::Large] {
        if arguments.shape.is_none_or(|only| only == shape) {
            let records = match shape {
                Shape::Small => record::small(),
                Shape::Large => record::large(),
            };
            measure(&arguments, shape, &records);
        }
    }
}

fn measure(arguments: &Arguments, shape: Shape, records: &[Record]) {
    let contenders = contenders(records);
    for place in [Place::Threads, Place::Pool] {
        for operation in [Operation::Encode, Operation::Decode] {
            let [shape, place_name, operation_name] =
                [format!("{shape:?}"), format!("{place:?}"), format!("{operation:?}")]
                    .map(|name| name.to_lowercase());
            if !arguments.csv {
                println!("\n{shape} record, {operation_name}, {place_name}: microseconds");
                println!(
                    "{:<18}{:>9}{:>8}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}",
                    "", "bytes", "allocs", "p50", "p90", "p95", "p99", "p99.9", "max"
                );
            }
            for contender in &contenders {
                let contender = &**contender;
                if operation == Operation::Encode && !contender.encodes() {
                    continue;
                }
                let allocations = allocations(contender, operation, place);
                let times = times(arguments, contender, operation, place);
                let mut cells: Vec<f64> =
                    [50.0, 90.0, 95.0, 99.0, 99.9].map(|p| micros(times.value_at_percentile(p))).into();
                cells.push(micros(times.max()));
                let bytes = contender.bytes();
                let name = contender.name();
                if arguments.csv {
                    let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:.3}")).collect();
                    println!(
                        "{shape},{place_name},{operation_name},{name},{bytes},{allocations:.2},{}",
                        cells.join(",")
                    );
                } else {
                    let cells: String = cells.iter().map(|cell| format!("{cell:>10.2}")).collect();
                    println!("{name:<18}{bytes:>9}{allocations:>8.1}{cells}");
                }
            }
        }
    }
}

fn micros(nanos: u64) -> f64 {
    nanos as f64 / 1e3
}

/// Allocations of one operation, in the mean of some.
fn allocations(contender: &dyn Contender, operation: Operation, place: Place) -> f64 {
    const SOME: usize = 64;
    // Memory that is kept from one to the next is there after the first.
    operation.run(contender, 0, place);
    let ((), used) = heap::measure(|| (0..SOME).for_each(|index| operation.run(contender, index, place)));
    used.count as f64 / SOME as f64
}

/// The times of all operations, in nanoseconds.
fn times(
    arguments: &Arguments,
    contender: &dyn Contender,
    operation: Operation,
    place: Place,
) -> Histogram<u64> {
    let timed = |index: usize| {
        let start = Instant::now();
        operation.run(contender, index, place);
        start.elapsed()
    };
    let count = arguments.operations as usize;
    let times: Vec<Duration> = match place {
        Place::Pool => {
            let pool = ThreadPoolBuilder::new().build().expect("a pool of threads");
            // The first ones are slower: caches, and the memory of each thread.
            pool.install(|| {
                (0..count / 10 + 1).into_par_iter().for_each(|index| {
                    timed(index);
                })
            });
            pool.install(|| (0..count).into_par_iter().map(timed).collect())
        }
        Place::Threads => {
            let mut times = Vec::with_capacity(count);
            while times.len() < count {
                let first = times.len();
                let wave = (arguments.threads as usize).min(count - first);
                thread::scope(|scope| {
                    let timed = &timed;
                    let threads: Vec<_> = (first..first + wave)
                        .map(|index| {
                            let thread = thread::Builder::new().stack_size(STACK);
                            thread.spawn_scoped(scope, move || timed(index)).expect("a thread")
                        })
                        .collect();
                    times.extend(threads.into_iter().map(|thread| thread.join().expect("no panic")));
                });
            }
            times
        }
    };
    // To an hour, three digits.
    let mut histogram = Histogram::new_with_bounds(1, 3_600_000_000_000, 3).expect("valid bounds");
    for time in times {
        histogram.saturating_record((time.as_nanos() as u64).max(1));
    }
    histogram
}
