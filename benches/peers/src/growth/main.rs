//! How cost grows with fields, depth and size, and what decoding takes of memory. README.md says how to read it.

#[path = "../../../../tests/common/heap.rs"]
mod heap;
mod messages;

use messages::{Generated, Level, Node, Records, Shape};
use std::hint::black_box;
use std::time::{Duration, Instant};
use tablepb::{DecodeOwned, Decoder, DescriptorPool, DynamicMessage, MessageDescriptor};

#[global_allocator]
static HEAP: heap::Counting = heap::Counting;

#[allow(missing_docs)]
mod wide {
    include!(concat!(env!("OUT_DIR"), "/wide.rs"));
}

/// Work on messages, by the name of who does it.
pub type Contenders = Vec<(&'static str, Box<dyn FnMut()>)>;

/// Makes the contenders for encoded messages: to decode them, and to encode what they decode to.
pub struct Makers {
    decode: fn(Vec<Vec<u8>>) -> Contenders,
    encode: fn(Vec<Vec<u8>>) -> Contenders,
    /// Each decodes one message, afresh.
    fresh: fn(Vec<u8>) -> Contenders,
}

/// Those of a schema.
pub fn makers<T: DecodeOwned + 'static, P: prost::Message + Default + 'static>() -> Makers {
    Makers { decode: decoders::<T, P>, encode: encoders::<T, P>, fresh: fresh::<T, P> }
}

fn schema<T: tablepb::Message>() -> MessageDescriptor {
    let pool = DescriptorPool::from_tables(&[T::TABLE]).expect("a valid schema");
    pool.message(T::TABLE.full_name()).expect("the message")
}

/// The schema for prost-reflect.
fn reflected(descriptor: &MessageDescriptor) -> prost_reflect::MessageDescriptor {
    let set = descriptor.parent_pool().encode_to_vec().expect("an encoded pool");
    let pool = prost_reflect::DescriptorPool::decode(&set[..]).expect("a descriptor set");
    pool.get_message_by_name(descriptor.full_name()).expect("the message")
}

fn decoders<T, P>(set: Vec<Vec<u8>>) -> Contenders
where
    T: DecodeOwned + 'static,
    P: prost::Message + Default + 'static,
{
    let descriptor = schema::<T>();
    let reflect = reflected(&descriptor);
    let mut decoder = Decoder::new(&descriptor);
    let [first, second, third, fourth, fifth] = [(); 5].map(|()| set.clone());
    vec![
        (
            "tablepb Decoder",
            Box::new(move || {
                for bytes in &first {
                    black_box(&decoder.decode(bytes).expect("valid"));
                }
            }),
        ),
        (
            "tablepb DynamicMessage",
            Box::new(move || {
                for bytes in &second {
                    black_box(&DynamicMessage::decode(&descriptor, bytes).expect("valid"));
                }
            }),
        ),
        (
            "tablepb struct",
            Box::new(move || {
                for bytes in &third {
                    black_box(&T::decode(bytes).expect("valid"));
                }
            }),
        ),
        (
            "prost",
            Box::new(move || {
                for bytes in &fourth {
                    black_box(&P::decode(&bytes[..]).expect("valid"));
                }
            }),
        ),
        (
            "prost-reflect",
            Box::new(move || {
                for bytes in &fifth {
                    let message = prost_reflect::DynamicMessage::decode(reflect.clone(), &bytes[..]);
                    black_box(&message.expect("valid"));
                }
            }),
        ),
    ]
}

fn fresh<T, P>(bytes: Vec<u8>) -> Contenders
where
    T: DecodeOwned + 'static,
    P: prost::Message + Default + 'static,
{
    let mut all = decoders::<T, P>(vec![bytes.clone()]);
    let descriptor = schema::<T>();
    // A decoder that is new, for its memory counts.
    all[0].1 = Box::new(move || {
        let mut decoder = Decoder::new(&descriptor);
        black_box(&decoder.decode(&bytes).expect("valid"));
    });
    all
}

fn encoders<T, P>(set: Vec<Vec<u8>>) -> Contenders
where
    T: DecodeOwned + 'static,
    P: prost::Message + Default + 'static,
{
    let descriptor = schema::<T>();
    let dynamic: Vec<_> =
        set.iter().map(|bytes| DynamicMessage::decode(&descriptor, bytes).expect("valid")).collect();
    let typed: Vec<T> = set.iter().map(|bytes| T::decode(bytes).expect("valid")).collect();
    let prost: Vec<P> = set.iter().map(|bytes| P::decode(&bytes[..]).expect("valid")).collect();
    let [mut first, mut second, mut third] = [(); 3].map(|()| Vec::<u8>::with_capacity(1 << 20));
    vec![
        (
            "tablepb DynamicMessage",
            Box::new(move || {
                for message in &dynamic {
                    first.clear();
                    black_box(message).encode(&mut first).expect("valid");
                }
            }),
        ),
        (
            "tablepb struct",
            Box::new(move || {
                for message in &typed {
                    second.clear();
                    tablepb::Message::encode(black_box(message), &mut second).expect("valid");
                }
            }),
        ),
        (
            "prost",
            Box::new(move || {
                for message in &prost {
                    third.clear();
                    prost::Message::encode(black_box(message), &mut third).expect("room");
                }
            }),
        ),
    ]
}

/// Prints the least times of many rounds, in which the contenders take turns, in nanoseconds per part.
fn times(measure: &str, number: usize, parts: usize, time: Duration, mut contenders: Contenders) {
    let mut best = vec![f64::INFINITY; contenders.len()];
    let (start, mut rounds) = (Instant::now(), 0);
    while rounds < 5 || start.elapsed() < time {
        for ((_, work), best) in contenders.iter_mut().zip(&mut best) {
            let start = cpu_seconds();
            work();
            *best = best.min(cpu_seconds() - start);
        }
        rounds += 1;
    }
    for ((name, _), best) in contenders.iter().zip(best) {
        println!("{measure},{number},{name},{:.3}", best * 1e9 / parts as f64);
    }
}

/// Time that this thread has run.
fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place to write to.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let time = Duration::from_millis(if quick { 250 } else { 800 });
    println!("measure,number,contender,value");
    for count in wide::COUNTS {
        let set = messages::wide(count);
        let (parts, makers) = (set.len() * count as usize, wide::wide(count));
        times("fields decode", count as usize, parts, time, (makers.decode)(set.clone()));
        times("fields encode", count as usize, parts, time, (makers.encode)(set));
    }
    for depth in [1, 3, 10, 30, 90] {
        let bytes = messages::deep(depth);
        let copies = 3_000 / depth;
        let contenders = decoders::<Level, Node>(vec![bytes; copies]);
        times("depth decode", depth, copies * depth, time, contenders);
    }
    for power in [10, 12, 14, 16, 18, 20, 22, 24] {
        let bytes = messages::list(1 << power);
        let (len, copies) = (bytes.len(), (1_usize << 16 >> power).max(1));
        let contenders = decoders::<Records, Generated>(vec![bytes; copies]);
        times("size decode", len, copies * len, time, contenders);
    }
    for Shape { name, bytes, makers } in messages::shapes() {
        let len = bytes.len();
        for (contender, mut work) in (makers.fresh)(bytes) {
            // Tables that are made on first use are there after the first.
            work();
            let ((), used) = heap::measure(&mut work);
            println!("memory,{name},{contender},{:.3}", used.peak as f64 / len as f64);
        }
    }
}
