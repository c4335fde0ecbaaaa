//! [`Lines`]: lines of JSON.

use super::Sink;
use crate::pipeline::Roll;
use arrow_json::LineDelimitedWriter;
use std::error::Error;
use std::io::Write;

/// A line of JSON for each row, as Arrow has it: names of columns, null left out.
#[derive(Debug)]
pub struct Lines<W> {
    out: W,
}

impl<W: Write> Lines<W> {
    /// Lines into what is written to, such as standard output.
    pub fn new(out: W) -> Self {
        Self { out }
    }
}

impl<W: Write> Sink for Lines<W> {
    fn write(&mut self, _: &str, roll: &Roll) -> Result<(), Box<dyn Error>> {
        // Whole lines or none of this range.
        let mut writer = LineDelimitedWriter::new(Vec::new());
        for batch in &roll.batches {
            writer.write(batch)?;
        }
        writer.finish()?;
        self.out.write_all(&writer.into_inner())?;
        self.out.flush()?;
        Ok(())
    }
}
