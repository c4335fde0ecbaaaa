//! What was seen, in numbers.

use crate::failure::Failure;
use crate::output::Output;
use std::time::Duration;

/// What a walk over a message has counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Messages and groups, the root included.
    pub messages: u64,
    /// Values of fields, each element of a list counted.
    pub fields: u64,
    /// Levels of messages below the root.
    pub depth: usize,
    pub unknown_fields: u64,
    pub unknown_bytes: u64,
}

/// Totals over all messages of a run.
pub struct Summary {
    payloads: u64,
    bytes: u64,
    tally: Tally,
    decode: Duration,
    encode: Option<(Duration, bool, u64)>,
}

impl Summary {
    pub fn new() -> Self {
        Self { payloads: 0, bytes: 0, tally: Tally::default(), decode: Duration::ZERO, encode: None }
    }

    pub fn decoded(&mut self, bytes: usize, time: Duration) {
        self.payloads += 1;
        self.bytes += bytes as u64;
        self.decode += time;
    }

    pub fn encoded(&mut self, again: &[u8], before: &[u8], time: Duration) {
        let (total, same, bytes) = self.encode.unwrap_or((Duration::ZERO, true, 0));
        self.encode = Some((total + time, same && again == before, bytes + again.len() as u64));
    }

    pub fn add(&mut self, tally: Tally) {
        self.tally.messages += tally.messages;
        self.tally.fields += tally.fields;
        self.tally.depth = self.tally.depth.max(tally.depth);
        self.tally.unknown_fields += tally.unknown_fields;
        self.tally.unknown_bytes += tally.unknown_bytes;
    }

    pub fn print(&self, output: &mut Output<'_>) -> Result<(), Failure> {
        let Tally { messages, fields, depth, unknown_fields, unknown_bytes } = self.tally;
        output.line(0, format_args!(""))?;
        if self.payloads != 1 {
            output.line(0, format_args!("payloads  {}", self.payloads))?;
        }
        output.line(0, format_args!("bytes     {}", self.bytes))?;
        output.line(0, format_args!("messages  {messages}, {depth} deep"))?;
        output.line(0, format_args!("fields    {fields}"))?;
        let name = if self.encode.is_some() { "decoded" } else { "checked" };
        if let Some((time, same, bytes)) = self.encode {
            output.line(0, format_args!("unknown   {unknown_fields} fields, {unknown_bytes} bytes"))?;
            output.line(0, format_args!("{name}   in {}", self.pace(self.decode)))?;
            let same = if same { "the same bytes" } else { "other bytes, as valid" };
            output.line(0, format_args!("encoded   {bytes} bytes in {time:.1?}, {same}"))?;
        } else {
            output.line(0, format_args!("{name}   in {}", self.pace(self.decode)))?;
        }
        Ok(())
    }

    /// A time, and what it means per second where it is long enough to say so.
    fn pace(&self, time: Duration) -> String {
        if time < Duration::from_micros(20) {
            return format!("{time:.1?}");
        }
        format!("{time:.1?}, {:.0} MB/s", self.bytes as f64 / time.as_secs_f64() / 1e6)
    }
}
