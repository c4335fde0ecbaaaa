//! A flow collector: sFlow, NetFlow and IPFIX in, length-delimited protobuf out, and no message in memory in between.
//!
//! ```text
//! cargo run --release --example flows                          # on traffic that it makes up
//! cargo run --release --example flows -- capture.pcap          # on captures
//! cargo run --release --example flows -- --disable L2,NAT capture.pcap
//! ```
//!
//! `collect/` decodes datagrams and hands each value to a record while it does; `columns.rs` in it is the schema.
//! `capture/` reads captures, `traffic/` makes datagrams up, `table.rs` prints.

mod arguments;
mod capture;
mod collect;
mod table;
mod traffic;

use arguments::Arguments;
use capture::Outcome;
use collect::flow::Records;
use collect::{Collector, Datagram, columns};
use std::error::Error;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use table::Table;
use tablepb::stream::FrameReader;
use tablepb::{Decoder, RecordPlan};

/// Bytes of the stream that are buffered before a write.
const BUFFER: usize = 1 << 20;

/// When made-up traffic is received.
const MADE_UP_TIME: u64 = 1_700_000_000;

fn main() -> ExitCode {
    let mut stdout = BufWriter::new(io::stdout().lock());
    let result = run(&mut stdout).and_then(|()| Ok(stdout.flush()?));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // The reader closed the pipe.
        Err(error) if is_closed_pipe(&*error) => ExitCode::SUCCESS,
        Err(error) => {
            // Both streams may lose their reader.
            let _ = stdout.flush();
            let _ = writeln!(io::stderr(), "flows: {error}");
            ExitCode::FAILURE
        }
    }
}

fn is_closed_pipe(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

fn run(stdout: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let Some(arguments) = Arguments::parse(std::env::args_os().skip(1))? else {
        return Ok(stdout.write_all(arguments::USAGE.as_bytes())?);
    };
    let plan = plan(&arguments)?;
    if arguments.list_columns {
        return Ok(list_columns(&plan, stdout)?);
    }
    fs::create_dir_all(&arguments.out).map_err(|error| file_error(&arguments.out, &error))?;
    let (stream, schema) = (arguments.out.join("flows.binpb"), arguments.out.join("flows.proto"));
    fs::write(&schema, plan.to_proto()).map_err(|error| file_error(&schema, &error))?;

    let file = File::create(&stream).map_err(|error| file_error(&stream, &error))?;
    let mut job = Job::new(plan.clone(), file)?;
    match arguments.captures.is_empty() {
        true => job.make_up(arguments.flows)?,
        false => arguments.captures.iter().try_for_each(|path| job.read(path))?,
    }
    let written = job.finish(stdout)?;
    writeln!(stdout, "{}: {written} bytes", stream.display())?;
    writeln!(
        stdout,
        "{}: message {}, definition {:016x}",
        schema.display(),
        columns::MESSAGE,
        plan.schema_hash()
    )?;
    read_back(&arguments, &plan, &stream, stdout)
}

/// The plan with the requested columns.
fn plan(arguments: &Arguments) -> Result<RecordPlan, Box<dyn Error>> {
    let hint = |error| format!("{error}; --columns lists what there is");
    let mut plan = columns::plan()?;
    if let Some(only) = &arguments.only {
        plan = plan.enable_only(only).map_err(hint)?;
    }
    for name in &arguments.disabled {
        plan = plan.disable(name).map_err(hint)?;
    }
    Ok(plan)
}

fn list_columns(plan: &RecordPlan, out: &mut impl Write) -> io::Result<()> {
    let mut fields: Vec<_> = plan.descriptor().fields().collect();
    fields.sort_by_key(|field| field.number());
    for field in fields {
        let groups = columns::GROUPS.iter().filter(|(_, columns)| columns.contains(&field.name()));
        let groups: Vec<&str> = groups.map(|(name, _)| *name).collect();
        let off = if plan.is_enabled(field.name()) { "" } else { " (left out)" };
        writeln!(out, "{:>2} {:<17}{}{off}", field.number(), field.name(), groups.join(" "))?;
    }
    Ok(())
}

fn file_error(path: &Path, error: &dyn Error) -> String {
    format!("{}: {error}", path.display())
}

/// Datagrams on their way to the stream.
struct Job {
    collector: Collector,
    records: Records,
    stream: File,
    written: u64,
    /// Time spent on decoding and encoding, without files.
    busy: Duration,
    fragments: u64,
    others: u64,
}

impl Job {
    fn new(plan: RecordPlan, stream: File) -> Result<Self, Box<dyn Error>> {
        let (collector, records) = (Collector::new(), Records::new(plan)?);
        Ok(Self { collector, records, stream, written: 0, busy: Duration::ZERO, fragments: 0, others: 0 })
    }

    /// Decodes the datagrams in a capture.
    fn read(&mut self, path: &Path) -> Result<(), Box<dyn Error>> {
        let file = fs::read(path).map_err(|error| file_error(path, &error))?;
        for packet in capture::packets(&file).map_err(|error| file_error(path, &error))? {
            let packet = match packet {
                Ok(packet) => packet,
                Err(error) => {
                    // Keep the packets before the fault.
                    writeln!(io::stderr(), "flows: {}", file_error(path, &error))?;
                    break;
                }
            };
            match capture::datagram(&packet) {
                Outcome::Datagram(datagram) => self.receive(std::iter::once(datagram))?,
                Outcome::Fragment => self.fragments += 1,
                Outcome::Other => self.others += 1,
            }
        }
        Ok(())
    }

    /// Decodes made-up datagrams.
    fn make_up(&mut self, flows: usize) -> Result<(), Box<dyn Error>> {
        let sent = traffic::mixed(flows, 0);
        for some in sent.chunks(256) {
            let datagrams = some.iter();
            self.receive(datagrams.map(|(source, payload)| Datagram {
                received: MADE_UP_TIME,
                source: *source,
                payload,
            }))?;
        }
        Ok(())
    }

    fn receive<'d>(&mut self, datagrams: impl Iterator<Item = Datagram<'d>>) -> Result<(), Box<dyn Error>> {
        let start = Instant::now();
        datagrams.for_each(|datagram| self.collector.receive(&datagram, &mut self.records));
        self.busy += start.elapsed();
        self.records.check()?;
        if self.records.buffer.len() >= BUFFER { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), Box<dyn Error>> {
        self.stream.write_all(&self.records.buffer)?;
        self.written += self.records.buffer.len() as u64;
        self.records.buffer.clear();
        Ok(())
    }

    /// Writes the remaining records, prints a summary and returns the length of the stream.
    fn finish(mut self, out: &mut impl Write) -> Result<u64, Box<dyn Error>> {
        self.write()?;
        let (flows, seconds) = (self.records.flows, self.busy.as_secs_f64().max(1e-9));
        let statistics = &self.collector.statistics;
        writeln!(
            out,
            "decoded {} datagrams of {} bytes to {flows} flows in {:.1} ms: {:.2} million flows/s, {:.0} MB/s in, {:.0} MB/s out",
            statistics.datagrams,
            statistics.bytes,
            seconds * 1e3,
            flows as f64 / seconds / 1e6,
            statistics.bytes as f64 / seconds / 1e6,
            self.written as f64 / seconds / 1e6,
        )?;
        let mut note = |count: u64, what: &str| match count {
            0 => Ok(()),
            count => writeln!(out, "  {count} {what}"),
        };
        note(statistics.templates, "templates")?;
        note(statistics.options, "records of options")?;
        note(statistics.skipped, "samples that are no flows")?;
        note(self.collector.without_template(), "sets of records whose template is missing")?;
        note(self.fragments, "fragments of datagrams, left out")?;
        note(self.others, "packets that are not UDP, left out")?;
        let first = statistics.first_fault.map_or(String::new(), |fault| format!(" (the first: {fault})"));
        note(statistics.faults, &format!("datagrams or parts that cannot be used{first}"))?;
        Ok(self.written)
    }
}

/// Reads the stream with the schema alone and prints the first flows.
fn read_back(
    arguments: &Arguments,
    plan: &RecordPlan,
    stream: &Path,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let file = File::open(stream).map_err(|error| file_error(stream, &error))?;
    let mut reader = FrameReader::new(file);
    let mut decoder = Decoder::new(plan.descriptor());
    let mut table = Table::new(arguments.rows, arguments.wide);
    let (start, mut flows) = (Instant::now(), 0_u64);
    while let Some(frame) = reader.next_frame().map_err(|error| file_error(stream, &error))? {
        let flow = decoder.decode(frame).map_err(|error| file_error(stream, &error))?;
        table.add(flow);
        flows += 1;
    }
    let seconds = start.elapsed().as_secs_f64().max(1e-9);
    writeln!(
        out,
        "read back {flows} flows in {:.1} ms: {:.2} million flows/s",
        seconds * 1e3,
        flows as f64 / seconds / 1e6
    )?;
    writeln!(out)?;
    Ok(table.print(out)?)
}
