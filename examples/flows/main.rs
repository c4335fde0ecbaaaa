//! A flow collector: sFlow, NetFlow and IPFIX in, length-delimited protobuf out, and no message in memory in between.
//!
//! ```text
//! cargo run --release --example flows                          # on traffic that it makes up
//! cargo run --release --example flows -- capture.pcap          # on captures
//! cargo run --release --example flows -- --disable L2,NAT capture.pcap
//! cargo run --release --example flows -- --listen 127.0.0.1:2055 --seconds 60
//! ```
//!
//! `collect/` decodes datagrams and hands each value to a record while it does; `columns.rs` in it is the schema.
//! `file.rs` and `capture/` read captures, `traffic/` makes datagrams up; `job.rs` leads them into an `output.rs`; `table.rs` prints.

mod arguments;
mod capture;
mod collect;
mod file;
mod job;
mod output;
mod table;
mod traffic;

use arguments::Arguments;
use collect::columns;
use job::Job;
use output::Output;
use std::error::Error;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;
use table::Table;
use tablepb::Decoder;
use tablepb::record::RecordPlan;
use tablepb::stream::FrameReader;

/// How many flows are made up if nothing says how many.
const MADE_UP_FLOWS: usize = 100_000;

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

fn run(stdout: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let Some(arguments) = Arguments::parse(std::env::args_os().skip(1))? else {
        return Ok(stdout.write_all(arguments::USAGE.as_bytes())?);
    };
    let plan = plan(&arguments)?;
    if arguments.list_columns {
        return Ok(list_columns(&plan, stdout)?);
    }
    let schema = plan.to_proto();
    if arguments.schema {
        return Ok(stdout.write_all(schema.as_bytes())?);
    }
    if arguments.to_stdout() {
        let job = work(&arguments, &plan, Output::to(Box::new(stdout)))?;
        return job.finish(&mut io::stderr())?.complete();
    }
    let job = work(&arguments, &plan, Output::in_directory(&arguments.out)?)?;
    let done = job.finish(stdout)?;
    let Some(stream) = done.keep(&schema)? else { return done.complete() };
    writeln!(stdout, "{}: {} bytes", stream.display(), done.written())?;
    writeln!(
        stdout,
        "{}: message {}, definition {:016x}",
        stream.with_extension("proto").display(),
        plan.message_name(),
        plan.schema_hash()
    )?;
    read_back(&arguments, &plan, &stream, stdout)?;
    done.complete()
}

/// All datagrams, on their way to an output.
fn work<'o>(arguments: &Arguments, plan: &RecordPlan, output: Output<'o>) -> Result<Job<'o>, Box<dyn Error>> {
    let mut job = Job::new(plan.clone(), arguments.open, output)?;
    if let Some(address) = arguments.listen {
        job.listen(address, arguments.seconds)?;
    } else if arguments.captures.is_empty() {
        job.make_up(arguments.flows.unwrap_or(MADE_UP_FLOWS))?;
    } else {
        arguments.captures.iter().try_for_each(|path| job.read(path))?;
    }
    Ok(job)
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
    // So each set of columns has a message name of its own.
    Ok(plan.hash_in_name(arguments.hashed_name))
}

fn list_columns(plan: &RecordPlan, out: &mut dyn Write) -> io::Result<()> {
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

/// Reads the stream with the schema alone and prints the first flows.
fn read_back(
    arguments: &Arguments,
    plan: &RecordPlan,
    stream: &Path,
    out: &mut dyn Write,
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
