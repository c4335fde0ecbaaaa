//! `tablepb bench`: how fast messages of a schema are decoded and encoded here.

use crate::failure::Failure;
use crate::messages::{self, Parser};
use crate::{format, schema, source};
use clap::{Arg, ArgMatches, Command, value_parser};
use std::hint::black_box;
use std::io::{self, Write};
use std::time::{Duration, Instant};
use tablepb::json;
use tablepb::{Decoder, DynamicMessage, EncodeError, MessageDescriptor};

const PAGE: &str = "\
The messages are read into memory and gone through again and again on one core. Each line is the
fastest of all rounds, in bytes of the wire per second. A pass over the fields steps over strings,
bytes and messages without reading them, so it has no bytes per second.

Example:
  tablepb bench --proto user.proto --type app.User --from delimited users.bin";

/// The round that does not read all bytes.
const PASS: &str = "pass over the fields";

/// Less time than this is not measured: the clock is read at both ends, which takes as long as a small message, and it has steps.
const SPAN: Duration = Duration::from_millis(1);

/// More input than this is not gone into.
const LIMIT: usize = 64 << 20;

pub fn command() -> Command {
    schema::arguments(Command::new("bench"))
        .about("Measures how fast messages are decoded and encoded")
        .after_help(PAGE)
        .arg(source::file_argument("The messages; - or nothing for standard input"))
        .arg(format::argument("from", "binary", "The format of the input, as for decode"))
        .arg(
            Arg::new("milliseconds")
                .long("milliseconds")
                .value_name("TIME")
                .help("How long each line takes")
                .default_value("500")
                .value_parser(value_parser!(u64).range(1..=60_000)),
        )
        .arg(source::decompress_argument())
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let schema = schema::required(matches)?;
    let from = format::value(matches, "from");
    let mut messages = Vec::new();
    let mut bytes = 0;
    let (mut parser, mut decoder) = (Parser::new(&schema, from), Decoder::new(&schema));
    let mut payloads = source::from_arguments(matches, from)?;
    while bytes < LIMIT
        && let Some(payload) = payloads.next()?
    {
        let payload = parser.parse(&payload)?;
        messages::decode(&mut decoder, &payload)?;
        bytes += payload.bytes.len();
        messages.push(payload.bytes.to_vec());
    }
    if bytes == 0 {
        return Err(Failure::report("there are no bytes to measure"));
    }
    let time = Duration::from_millis(matches.get_one("milliseconds").copied().unwrap_or(500));
    let mut stdout = io::stdout().lock();
    let mean = bytes / messages.len();
    writeln!(stdout, "{}: {} messages, {mean} bytes in the mean\n", schema.full_name(), messages.len())?;
    for (name, round) in rounds() {
        let best = best(time, || round(&schema, &mut decoder, &messages))?;
        let (pace, each) = (bytes as f64 / best / 1e6, best / messages.len() as f64 * 1e9);
        let pace = if name == PASS { " ".repeat(14) } else { format!("{pace:>9.0} MB/s") };
        writeln!(stdout, "{name:<28} {pace} {each:>12.1} ns each")?;
    }
    Ok(())
}

/// One way through all messages.
type Round = fn(&MessageDescriptor, &mut Decoder, &[Vec<u8>]) -> Result<(), String>;

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn rounds() -> [(&'static str, Round); 5] {
    [
        ("decode, memory reused", |_, decoder, messages| {
            messages.iter().try_for_each(|bytes| {
                black_box(decoder.decode(bytes).map_err(text)?);
                Ok(())
            })
        }),
        ("decode, a message of its own", |schema, _, messages| {
            let decode =
                |bytes: &Vec<u8>| DynamicMessage::decode(schema, bytes).map(|it| drop(black_box(it)));
            messages.iter().try_for_each(|bytes| decode(bytes).map_err(text))
        }),
        ("decode and encode", |_, decoder, messages| {
            let mut buffer = Vec::new();
            messages.iter().try_for_each(|bytes| {
                buffer.clear();
                let view = decoder.decode(bytes).map_err(text)?;
                view.encode(&mut buffer).map_err(|error: EncodeError| text(error))?;
                black_box(&buffer);
                Ok(())
            })
        }),
        ("decode and print as JSON", |_, decoder, messages| {
            let mut buffer = Vec::new();
            messages.iter().try_for_each(|bytes| {
                buffer.clear();
                let view = decoder.decode(bytes).map_err(text)?;
                json::Printer::new().append(&mut buffer, &view).map_err(text)?;
                black_box(&buffer);
                Ok(())
            })
        }),
        (PASS, |_, _, messages| {
            let skip = |bytes: &Vec<u8>| tablepb::wire::Reader::new(black_box(bytes)).skip_message();
            messages.iter().try_for_each(|bytes| skip(bytes).map_err(text))
        }),
    ]
}

/// The seconds of the fastest round in this time; there are three at least, and short ones are timed together.
fn best(time: Duration, mut round: impl FnMut() -> Result<(), String>) -> Result<f64, Failure> {
    let (start, mut best, mut count, mut rounds) = (Instant::now(), f64::INFINITY, 0, 1_u32);
    while count < 3 || start.elapsed() < time {
        let before = Instant::now();
        for _ in 0..rounds {
            round().map_err(Failure::Report)?;
        }
        let spent = before.elapsed();
        if spent < SPAN {
            rounds = rounds.saturating_mul(2);
            continue;
        }
        best = best.min(spent.as_secs_f64() / f64::from(rounds));
        count += 1;
    }
    Ok(best)
}
