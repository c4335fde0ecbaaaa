//! Flow collectors that write protobuf: `cargo bench --bench records`.
//!
//! The decoders of `examples/flows` on datagrams in turn, 2 to 3 MB of them: made-up sFlow and NetFlow 9, and captures that are replayed
//! (`flows/*.pcap` in the directory that `TABLEPB_DATA` names; without it those of the tests). They hand each
//! value to a collector of flows:
//!
//! - `decoding alone` adds the values up, so that nothing of the decoding can be left out.
//! - `prost`: a struct as prost's generator would make it. `used again` clears one struct for each flow, `new` makes
//!   a new one. `without encoding` stops there; else it is encoded.
//! - `typed`: a struct of `message!`, used again; with and without encoding.
//! - `record`: a `RecordWriter`, no struct; with all columns and with five.
//!
//! Before that come allocations per flow, and the least times of many rounds, of all collectors in turns: the whole of decoding and
//! encoding, beside that of new prost structs and that of one that is used again, and the encoding part, the time beyond that of
//! decoding alone. `-- --csv` prints these alone, as comma-separated values.

#[path = "../examples/flows/capture/mod.rs"]
mod capture;
#[macro_use]
#[path = "../examples/flows/collect/mod.rs"]
mod collect;
#[path = "../tests/common/heap.rs"]
mod heap;
mod profiler;
#[path = "../examples/flows/traffic/mod.rs"]
#[expect(dead_code, reason = "mixed traffic is for the example")]
mod traffic;

use capture::Outcome;
use collect::columns::{self, Address, Direction, List, Uint32, Uint64};
use collect::flow::{Flow, Records, Sink};
use collect::{Collector, Datagram};
use criterion::{Criterion, Throughput};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tablepb::record::RecordPlan;
use traffic::{NetFlow, Random, SFlow, Sent};

#[global_allocator]
static HEAP: heap::Counting = heap::Counting;

macro_rules! prost_struct {
    (
        Uint64 { $($u64:ident = $u64_number:literal,)* }
        Uint32 { $($u32:ident = $u32_number:literal,)* }
        Address { $($address:ident = $address_number:literal,)* }
        Direction { $($direction:ident = $direction_number:literal,)* }
        List { $($list:ident = $list_number:literal,)* }
    ) => {
        /// What prost's generator would make of the schema.
        #[allow(non_snake_case, reason = "the names of the columns")]
        #[derive(Clone, PartialEq, prost::Message)]
        struct Generated {
            $(#[prost(uint64, tag = $u64_number)] $u64: u64,)*
            $(#[prost(uint32, tag = $u32_number)] $u32: u32,)*
            $(#[prost(bytes = "vec", tag = $address_number)] $address: Vec<u8>,)*
            $(#[prost(int32, tag = $direction_number)] $direction: i32,)*
            $(#[prost(uint32, repeated, tag = $list_number)] $list: Vec<u32>,)*
        }
    };
}

macro_rules! typed_struct {
    (
        Uint64 { $($u64:ident = $u64_number:literal,)* }
        Uint32 { $($u32:ident = $u32_number:literal,)* }
        Address { $($address:ident = $address_number:literal,)* }
        Direction { $($direction:ident = $direction_number:literal,)* }
        List { $($list:ident = $list_number:literal,)* }
    ) => {
        /// The same for tablepb.
        #[allow(non_snake_case, reason = "the names of the columns")]
        #[derive(Clone, Debug, Default, PartialEq)]
        struct Typed {
            $($u64: u64,)*
            $($u32: u32,)*
            $($address: Vec<u8>,)*
            $($direction: i32,)*
            $($list: Vec<u32>,)*
        }

        tablepb::message! {
            Typed as "flows.Flow" {
                $($u64: uint64 = $u64_number,)*
                $($u32: uint32 = $u32_number,)*
                $($address: bytes = $address_number,)*
                $($direction: int32 = $direction_number,)*
                $($list: repeated uint32 = $list_number,)*
            }
        }
    };
}

/// Lets a struct take the values of a flow, the first of each column.
macro_rules! flow {
    (
        Uint64 { $($u64:ident = $u64_number:literal,)* }
        Uint32 { $($u32:ident = $u32_number:literal,)* }
        Address { $($address:ident = $address_number:literal,)* }
        Direction { $($direction:ident = $direction_number:literal,)* }
        List { $($list:ident = $list_number:literal,)* }
    ) => {
        flow!(@Generated $($u64)*; $($u32)*; $($address)*; $($direction)*; $($list)*);
        flow!(@Typed $($u64)*; $($u32)*; $($address)*; $($direction)*; $($list)*);
    };
    (@$type:ident $($u64:ident)*; $($u32:ident)*; $($address:ident)*; $($direction:ident)*; $($list:ident)*) => {
        impl Flow for $type {
            #[inline(always)]
            fn uint64(&mut self, column: Uint64, value: u64) {
                match column { $(Uint64::$u64 => if self.$u64 == 0 { self.$u64 = value },)* }
            }

            #[inline(always)]
            fn uint32(&mut self, column: Uint32, value: u32) {
                match column { $(Uint32::$u32 => if self.$u32 == 0 { self.$u32 = value },)* }
            }

            #[inline(always)]
            fn address(&mut self, column: Address, value: &[u8; 16]) {
                match column { $(Address::$address => if self.$address.is_empty() {
                    self.$address.extend_from_slice(value);
                })* }
            }

            #[inline(always)]
            fn direction(&mut self, column: Direction, value: i32) {
                match column { $(Direction::$direction => if self.$direction == 0 { self.$direction = value },)* }
            }

            #[inline(always)]
            fn list(&mut self, column: List, values: impl Iterator<Item = u32>) {
                match column { $(List::$list => self.$list.extend(values),)* }
            }
        }
    };
}

columns!(prost_struct);
columns!(typed_struct);
columns!(flow);

/// A struct of one flow.
trait Struct: Flow + Default {
    /// What there is to do with it when it is filled.
    fn done(&mut self, out: &mut Out);
    /// Makes it empty again, with its memory.
    fn reuse(&mut self);
}

impl Struct for Generated {
    #[inline]
    fn done(&mut self, out: &mut Out) {
        out.flows += 1;
        match out.encode {
            true => prost::Message::encode_length_delimited(self, &mut out.buffer).unwrap(),
            false => drop(black_box(&*self)),
        }
    }

    #[inline]
    fn reuse(&mut self) {
        prost::Message::clear(self);
    }
}

impl Struct for Typed {
    #[inline]
    fn done(&mut self, out: &mut Out) {
        out.flows += 1;
        match out.encode {
            true => tablepb::Message::encode_length_delimited(&*self, &mut out.buffer).unwrap(),
            false => drop(black_box(&*self)),
        }
    }

    #[inline]
    fn reuse(&mut self) {
        tablepb::Message::clear(self);
    }
}

/// Where structs go.
struct Out {
    buffer: Vec<u8>,
    flows: u64,
    encode: bool,
}

/// Collects into structs.
struct Structs<T> {
    flow: T,
    out: Out,
    reuse: bool,
}

impl<T: Struct> Structs<T> {
    fn new(encode: bool, reuse: bool) -> Self {
        Self { flow: T::default(), out: Out { buffer: Vec::new(), flows: 0, encode }, reuse }
    }
}

impl<T: Struct> Sink for Structs<T> {
    type Flow<'s>
        = T
    where
        T: 's;

    #[inline]
    fn flow<E>(&mut self, fill: impl FnOnce(&mut T) -> Result<(), E>) -> Result<(), E> {
        match self.reuse {
            true => self.flow.reuse(),
            false => self.flow = T::default(),
        }
        fill(&mut self.flow)?;
        self.flow.done(&mut self.out);
        Ok(())
    }
}

/// Adds the values up.
#[derive(Default)]
struct Sum(u64);

impl Sink for Sum {
    type Flow<'s> = Self;

    #[inline]
    fn flow<E>(&mut self, fill: impl FnOnce(&mut Self) -> Result<(), E>) -> Result<(), E> {
        fill(self)
    }
}

impl Flow for Sum {
    #[inline(always)]
    fn uint64(&mut self, _: Uint64, value: u64) {
        self.0 = self.0.wrapping_add(value);
    }

    #[inline(always)]
    fn uint32(&mut self, _: Uint32, value: u32) {
        self.0 = self.0.wrapping_add(value.into());
    }

    #[inline(always)]
    fn address(&mut self, _: Address, value: &[u8; 16]) {
        let value = u128::from_le_bytes(*value);
        self.0 = self.0.wrapping_add(value as u64 ^ (value >> 64) as u64);
    }

    #[inline(always)]
    fn direction(&mut self, _: Direction, value: i32) {
        self.0 = self.0.wrapping_add(value as u64);
    }

    #[inline(always)]
    fn list(&mut self, _: List, values: impl Iterator<Item = u32>) {
        values.for_each(|value| self.0 = self.0.wrapping_add(value.into()));
    }
}

/// A collector of flows that the bench runs.
trait Collects: Sink {
    /// Encoded flows so far, which are forgotten when there are many.
    fn buffer(&mut self) -> Option<&mut Vec<u8>>;
}

impl<T: Struct> Collects for Structs<T> {
    fn buffer(&mut self) -> Option<&mut Vec<u8>> {
        Some(&mut self.out.buffer)
    }
}

impl Collects for Records {
    fn buffer(&mut self) -> Option<&mut Vec<u8>> {
        Some(&mut self.buffer)
    }
}

impl Collects for Sum {
    fn buffer(&mut self) -> Option<&mut Vec<u8>> {
        black_box(self.0);
        None
    }
}

/// Datagrams in turn.
struct Work {
    sent: Vec<Sent>,
    templates: Vec<Sent>,
    flows: usize,
}

impl Work {
    fn sflow() -> Self {
        let mut random = Random::new(1);
        let (sent, flows): (Vec<_>, Vec<_>) = (0..1800).map(|_| SFlow::datagram(&mut random)).unzip();
        Self { sent, templates: Vec::new(), flows: flows.iter().sum() }
    }

    fn netflow9() -> Self {
        let (mut random, mut netflow) = (Random::new(2), NetFlow::new());
        let templates = netflow.templates();
        let (sent, flows): (Vec<_>, Vec<_>) = (0..1500).map(|_| netflow.version9(&mut random)).unzip();
        Self { sent, templates, flows: flows.iter().sum() }
    }

    /// The datagrams of captures, as often as makes 2 MB. The exporters' templates are known.
    fn captures() -> Self {
        let recorded = std::env::var_os("TABLEPB_DATA").map(|data| PathBuf::from(data).join("flows"));
        let made = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/flows");
        let directory = recorded.filter(|path| path.is_dir()).unwrap_or_else(made);
        let mut files: Vec<_> =
            std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "pcap"));
        files.sort();
        let mut once: Vec<Sent> = Vec::new();
        for file in files {
            let bytes = std::fs::read(file).unwrap();
            for packet in capture::packets(&bytes).unwrap() {
                if let Outcome::Datagram(datagram) = capture::datagram(&packet.unwrap()) {
                    once.push((datagram.source, datagram.payload.to_vec()));
                }
            }
        }
        let bytes: usize = once.iter().map(|(_, payload)| payload.len()).sum();
        let sent: Vec<Sent> = once.iter().cycle().take(once.len() * (2_000_000 / bytes)).cloned().collect();
        let mut work = Self { sent, templates: once, flows: 0 };
        let mut counted = Structs::<Generated>::new(false, true);
        work.run(&mut work.collector(), &mut counted);
        work.flows = counted.out.flows as usize;
        work
    }

    /// A collector that knows the templates.
    fn collector(&self) -> Collector {
        let mut collector = Collector::new();
        self.templates.iter().for_each(|sent| receive(&mut collector, sent, &mut Sum::default()));
        collector
    }

    /// All datagrams once.
    fn run(&self, collector: &mut Collector, sink: &mut impl Collects) {
        for sent in &self.sent {
            receive(collector, sent, sink);
        }
    }

    fn bytes(&self) -> u64 {
        self.sent.iter().map(|(_, payload)| payload.len() as u64).sum()
    }
}

fn receive(collector: &mut Collector, (source, payload): &Sent, sink: &mut impl Collects) {
    if let Some(buffer) = sink.buffer()
        && buffer.len() > 1 << 18
    {
        buffer.clear();
    }
    collector.receive(&Datagram { received: 1_700_000_000, source: *source, payload }, sink);
}

fn all() -> RecordPlan {
    columns::plan().unwrap()
}

fn five() -> RecordPlan {
    all().enable_only(["SrcAddr", "DstAddr", "SrcPort", "DstPort", "Bytes"]).unwrap()
}

fn records(plan: RecordPlan) -> Records {
    Records::new(plan).unwrap()
}

/// That all collectors write the same.
fn check(work: &Work) {
    let (mut prost, mut typed, mut record) =
        (Structs::<Generated>::new(true, true), Structs::<Typed>::new(true, false), records(all()));
    for sent in &work.sent[..work.sent.len().min(100)] {
        receive(&mut work.collector(), sent, &mut prost);
        receive(&mut work.collector(), sent, &mut typed);
        receive(&mut work.collector(), sent, &mut record);
        let (mut stream, mut of_prost) = (&record.buffer[..], &prost.out.buffer[..]);
        while !stream.is_empty() {
            let flow: Generated = prost::Message::decode_length_delimited(&mut stream).unwrap();
            assert_eq!(flow, prost::Message::decode_length_delimited(&mut of_prost).unwrap());
        }
        assert!(of_prost.is_empty());
        assert_eq!(prost.out.buffer, typed.out.buffer);
        for buffer in [&mut prost.out.buffer, &mut typed.out.buffer, &mut record.buffer] {
            buffer.clear();
        }
    }
}

/// The least time for all datagrams.
struct Least {
    name: &'static str,
    time: Duration,
    run: Box<dyn FnMut()>,
}

/// What one flow costs.
struct Cost {
    name: &'static str,
    /// Allocations after a first round.
    allocations: f64,
    nanoseconds: f64,
}

impl Least {
    fn new(name: &'static str, work: &'static Work, mut sink: impl Collects + 'static) -> Self {
        let mut collector = work.collector();
        let run = Box::new(move || work.run(&mut collector, &mut sink));
        Self { name, time: Duration::MAX, run }
    }

    fn round(&mut self) {
        let start = Instant::now();
        (self.run)();
        self.time = self.time.min(start.elapsed());
    }
}

/// What the collectors cost, all of them in turns.
fn costs(work: &'static Work, rounds: usize) -> [Cost; 6] {
    let mut contenders = [
        Least::new("decoding alone", work, Sum::default()),
        Least::new("prost, new", work, Structs::<Generated>::new(true, false)),
        Least::new("prost, used again", work, Structs::<Generated>::new(true, true)),
        Least::new("typed, used again", work, Structs::<Typed>::new(true, true)),
        Least::new("record", work, records(all())),
        Least::new("record, five columns", work, records(five())),
    ];
    contenders.iter_mut().for_each(Least::round);
    let flows = work.flows as f64;
    let allocations =
        contenders.each_mut().map(|least| heap::measure(|| least.round()).1.count as f64 / flows);
    for _ in 0..rounds {
        contenders.iter_mut().for_each(Least::round);
    }
    let mut allocations = allocations.into_iter();
    contenders.map(|Least { name, time, .. }| Cost {
        name,
        allocations: allocations.next().unwrap_or_default(),
        nanoseconds: time.as_secs_f64() * 1e9 / flows,
    })
}

/// The whole costs, and the part beyond that of decoding alone.
fn print_costs(costs: &[Cost; 6]) {
    let [alone, new, again, ..] = costs.each_ref().map(|cost| cost.nanoseconds);
    for Cost { name, allocations, nanoseconds: whole } in costs {
        println!(
            "  {name:<22} {whole:>6.1} ns per flow, {:>4.0} % beside new prost structs, {:>4.0} % beside one used again; \
             encoding {:>6.1} ns, {:.2} of one used again; {allocations:.2} allocations",
            100.0 * (whole / new - 1.0),
            100.0 * (whole / again - 1.0),
            whole - alone,
            (whole - alone) / (again - alone)
        );
    }
}

fn bench(criterion: &mut Criterion, name: &str, work: &'static Work, rounds: usize) {
    println!("{name}: {} flows in {} datagrams of {} bytes", work.flows, work.sent.len(), work.bytes());
    print_costs(&costs(work, rounds));
    let mut group = criterion.benchmark_group(format!("flows: {name}"));
    group.throughput(Throughput::Elements(work.flows as u64));
    let mut run = |name: &str, mut run: Box<dyn FnMut()>| {
        group.bench_function(name, |b| b.iter(&mut run));
    };
    let of = |least: Least| least.run;
    run("decoding alone", of(Least::new("", work, Sum::default())));
    run("prost, new", of(Least::new("", work, Structs::<Generated>::new(true, false))));
    run("prost, used again", of(Least::new("", work, Structs::<Generated>::new(true, true))));
    run("prost, without encoding", of(Least::new("", work, Structs::<Generated>::new(false, true))));
    run("typed, used again", of(Least::new("", work, Structs::<Typed>::new(true, true))));
    run("typed, without encoding", of(Least::new("", work, Structs::<Typed>::new(false, true))));
    run("record", of(Least::new("", work, records(all()))));
    run("record, five columns", of(Least::new("", work, records(five()))));
    group.finish();
}

/// Traffic by its name.
type Traffic = (&'static str, fn() -> Work);

fn main() {
    let has = |name: &str| std::env::args().any(|argument| argument == name);
    let mut criterion = Criterion::default()
        .sample_size(40)
        .measurement_time(Duration::from_secs(2))
        .warm_up_time(Duration::from_millis(500))
        .with_profiler(profiler::profiler());
    let csv = has("--csv");
    if csv {
        println!("traffic,contender,flows,nanoseconds,allocations");
    } else {
        criterion = criterion.configure_from_args();
    }
    let traffic: [Traffic; 3] =
        [("sFlow", Work::sflow), ("NetFlow 9", Work::netflow9), ("captures", Work::captures)];
    for (name, work) in traffic {
        let work: &Work = Box::leak(Box::new(work()));
        check(work);
        if !csv {
            bench(&mut criterion, name, work, if has("--quick") { 20 } else { 150 });
            continue;
        }
        for Cost { name: contender, allocations, nanoseconds } in costs(work, 100) {
            println!("{name},{contender:?},{},{nanoseconds:.1},{allocations:.2}", work.flows);
        }
    }
    criterion.final_summary();
}
