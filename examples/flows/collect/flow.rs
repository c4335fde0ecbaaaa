//! Where decoded flows go: [`Sink`] and [`Flow`], and [`Records`], which writes them as protobuf.
//!
//! Decoders know these traits only. They hand over each value when they come across it; nothing is collected first.

use super::columns::{Address, Handles, List, Uint32, Uint64};
use tablepb::{EncodeError, PlanError, RecordPlan, RecordWriter};

/// Takes flows.
pub trait Sink {
    type Flow<'s>: Flow
    where
        Self: 's;

    /// Starts a flow; nothing of it counts until [`Flow::finish`].
    fn begin(&mut self) -> Self::Flow<'_>;
}

/// Takes the values of one flow. The first value of a column stays, zeros are no values.
pub trait Flow {
    fn uint64(&mut self, column: Uint64, value: u64);
    fn uint32(&mut self, column: Uint32, value: u32);
    fn address(&mut self, column: Address, value: &[u8; 16]);
    /// Appends to a list.
    fn list(&mut self, column: List, values: impl Iterator<Item = u32>);
    /// Ends the flow. One that is dropped instead never was.
    fn finish(self);
}

/// Writes every flow as a record, behind each other into one buffer.
pub struct Records {
    plan: RecordPlan,
    handles: Handles,
    /// A length-delimited stream of whole records.
    pub buffer: Vec<u8>,
    /// How many there have been.
    pub flows: u64,
    error: Option<EncodeError>,
}

impl Records {
    /// # Errors
    /// The plan lacks a column.
    pub fn new(plan: RecordPlan) -> Result<Self, PlanError> {
        let handles = Handles::new(&plan)?;
        Ok(Self { plan, handles, buffer: Vec::new(), flows: 0, error: None })
    }

    /// # Errors
    /// The first thing that went wrong in a record, if any.
    pub fn check(&mut self) -> Result<(), EncodeError> {
        self.error.take().map_or(Ok(()), Err)
    }
}

impl Sink for Records {
    type Flow<'s> = Record<'s>;

    #[inline]
    fn begin(&mut self) -> Record<'_> {
        Record {
            writer: self.plan.record(&mut self.buffer),
            handles: &self.handles,
            flows: &mut self.flows,
            error: &mut self.error,
        }
    }
}

/// One flow of [`Records`].
pub struct Record<'s> {
    writer: RecordWriter<'s>,
    handles: &'s Handles,
    flows: &'s mut u64,
    error: &'s mut Option<EncodeError>,
}

impl Flow for Record<'_> {
    #[inline(always)]
    fn uint64(&mut self, column: Uint64, value: u64) {
        self.writer.set(self.handles.uint64[column as usize], value);
    }

    #[inline(always)]
    fn uint32(&mut self, column: Uint32, value: u32) {
        self.writer.set(self.handles.uint32[column as usize], value);
    }

    #[inline(always)]
    fn address(&mut self, column: Address, value: &[u8; 16]) {
        self.writer.set(self.handles.address[column as usize], value);
    }

    #[inline(always)]
    fn list(&mut self, column: List, values: impl Iterator<Item = u32>) {
        self.writer.extend(self.handles.list[column as usize], values);
    }

    #[inline]
    fn finish(self) {
        match self.writer.finish() {
            Ok(_) => *self.flows += 1,
            Err(error) => drop(self.error.get_or_insert(error)),
        }
    }
}
