//! Datagrams from captures, from the network or made up, on their way to an output.

use super::capture::{self, Fragments, Outcome};
use super::collect::flow::Records;
use super::collect::input::mapped;
use super::collect::tunnels::Tunnels;
use super::collect::{Collector, Datagram};
use super::output::Output;
use super::{file, file_error, traffic};
use std::error::Error;
use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use tablepb::record::RecordPlan;

/// Bytes of the stream that are buffered before a write.
const BUFFER: usize = 1 << 20;

/// When made-up traffic is received.
const MADE_UP_TIME: u64 = 1_700_000_000;

/// How long to wait for a datagram before the clock is looked at.
const WAIT: Duration = Duration::from_millis(100);

/// Datagrams on their way to the stream.
pub struct Job<'o> {
    collector: Collector,
    records: Records,
    output: Output<'o>,
    /// Time spent on decoding and encoding, without files.
    busy: Duration,
    fragments: Fragments,
    others: u64,
    /// Captures that were read to their end, and those that were not.
    whole: u64,
    broken: u64,
}

/// A stream that is whole.
pub struct Done<'o> {
    output: Output<'o>,
    whole: u64,
    broken: u64,
    flows: u64,
}

impl Done<'_> {
    /// Gives the stream its name; see [`Output::keep`]. If no capture could be used, the files of the run before stay.
    pub fn keep(&self, schema: &str) -> Result<Option<PathBuf>, Box<dyn Error>> {
        if self.broken != 0 && self.whole == 0 && self.flows == 0 {
            return Ok(None);
        }
        self.output.keep(schema)
    }

    /// The bytes of the stream.
    pub fn written(&self) -> u64 {
        self.output.written()
    }

    /// An error if some captures could not be read to their ends.
    pub fn complete(&self) -> Result<(), Box<dyn Error>> {
        match self.broken {
            0 => Ok(()),
            1 => Err("one capture could not be read to its end".into()),
            many => Err(format!("{many} captures could not be read to their ends").into()),
        }
    }
}

impl<'o> Job<'o> {
    pub fn new(plan: RecordPlan, open: Tunnels, output: Output<'o>) -> Result<Self, Box<dyn Error>> {
        Ok(Self {
            collector: Collector::new().open(open),
            records: Records::new(plan)?,
            output,
            busy: Duration::ZERO,
            fragments: Fragments::default(),
            others: 0,
            whole: 0,
            broken: 0,
        })
    }

    /// Decodes the datagrams in a capture: those before its fault, if it has one.
    pub fn read(&mut self, path: &Path) -> Result<(), Box<dyn Error>> {
        match self.read_to_end(path)? {
            Ok(()) => self.whole += 1,
            Err(fault) => {
                self.broken += 1;
                // Standard error may be closed.
                let _ = writeln!(io::stderr(), "flows: {fault}");
            }
        }
        Ok(())
    }

    /// The inner error is one of the capture, the outer one of the output.
    fn read_to_end(&mut self, path: &Path) -> Result<Result<(), String>, Box<dyn Error>> {
        let (file, cut) = match file::read(path) {
            Ok(read) => read,
            Err(error) => return Ok(Err(file_error(path, &error))),
        };
        let packets = match capture::packets(&file) {
            Ok(packets) => packets,
            Err(error) => return Ok(Err(file_error(path, &error))),
        };
        for packet in packets {
            let packet = match packet {
                Ok(packet) => packet,
                Err(error) => return Ok(Err(file_error(path, &error))),
            };
            match capture::datagram(&packet) {
                Outcome::Datagram(datagram) => self.receive(std::iter::once(datagram))?,
                Outcome::Fragment(fragment) => {
                    let whole = self.fragments.add(&fragment);
                    if let Some(datagram) = whole.as_ref().and_then(|whole| whole.datagram()) {
                        self.receive(std::iter::once(datagram))?;
                    }
                }
                Outcome::Other => self.others += 1,
            }
        }
        Ok(cut.map_or(Ok(()), |error| Err(file_error(path, &error))))
    }

    /// Decodes made-up datagrams.
    pub fn make_up(&mut self, flows: usize) -> Result<(), Box<dyn Error>> {
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

    /// Decodes what comes in at this address, and says each second how much that was.
    pub fn listen(&mut self, address: SocketAddr, seconds: Option<u64>) -> Result<(), Box<dyn Error>> {
        let socket = UdpSocket::bind(address).map_err(|error| format!("{address}: {error}"))?;
        socket.set_read_timeout(Some(WAIT))?;
        let mut log = io::stderr();
        writeln!(log, "listening at {}", socket.local_addr()?)?;
        let (start, mut told, mut buffer) = (Instant::now(), 0, vec![0; 1 << 16]);
        loop {
            match socket.recv_from(&mut buffer) {
                Ok((len, from)) => {
                    let received = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_secs();
                    let source = match from.ip() {
                        IpAddr::V4(address) => mapped(address.octets()),
                        IpAddr::V6(address) => address.octets(),
                    };
                    let payload = buffer.get(..len).unwrap_or_default();
                    self.receive(std::iter::once(Datagram { received, source, payload }))?;
                }
                Err(error) if is_nothing_yet(error.kind()) => {}
                Err(error) => return Err(format!("{address}: {error}").into()),
            }
            let now = start.elapsed().as_secs();
            if now > told {
                told = now;
                self.write()?;
                let statistics = &self.collector.statistics;
                writeln!(
                    log,
                    "{now} s: {} datagrams, {} flows, {} faults",
                    statistics.datagrams, self.records.flows, statistics.faults
                )?;
            }
            if seconds.is_some_and(|seconds| now >= seconds) {
                return Ok(());
            }
        }
    }

    fn receive<'d>(&mut self, datagrams: impl Iterator<Item = Datagram<'d>>) -> Result<(), Box<dyn Error>> {
        let start = Instant::now();
        datagrams.for_each(|datagram| self.collector.receive(&datagram, &mut self.records));
        self.busy += start.elapsed();
        self.records.check()?;
        if self.records.buffer.len() >= BUFFER { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), Box<dyn Error>> {
        self.output.write(&self.records.buffer)?;
        self.records.buffer.clear();
        Ok(())
    }

    /// Writes the remaining records and prints a summary.
    pub fn finish(mut self, out: &mut dyn Write) -> Result<Done<'o>, Box<dyn Error>> {
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
            self.output.written() as f64 / seconds / 1e6,
        )?;
        let mut note = |count: u64, what: &str| match count {
            0 => Ok(()),
            count => writeln!(out, "  {count} {what}"),
        };
        note(statistics.templates, "templates")?;
        note(statistics.options, "records of options")?;
        note(statistics.skipped, "samples that are no flows")?;
        note(self.collector.without_template(), "sets of records whose template is missing")?;
        note(self.fragments.left_out(), "fragments of datagrams that are not whole, left out")?;
        note(self.others, "packets that are not UDP, left out")?;
        let first = statistics.first_fault.map_or(String::new(), |fault| format!(" (the first: {fault})"));
        note(statistics.faults, &format!("datagrams or parts that cannot be used{first}"))?;
        Ok(Done { output: self.output, whole: self.whole, broken: self.broken, flows })
    }
}

/// Whether a read that waits for a while ended without a datagram. On Linux, a datagram that was refused elsewhere is reported
/// here.
fn is_nothing_yet(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{ConnectionRefused, ConnectionReset, Interrupted, TimedOut, WouldBlock};
    matches!(kind, WouldBlock | TimedOut | Interrupted | ConnectionRefused | ConnectionReset)
}
