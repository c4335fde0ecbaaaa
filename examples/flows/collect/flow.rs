//! The traits [`Sink`] and [`Flow`] that receive decoded flows, and [`Records`], which writes them as protobuf.
//!
//! Decoders know these traits only, and pass on each value as they decode it.

use super::columns::{Address, Direction, Handles, List, Uint32, Uint64};
use tablepb::EncodeError;
use tablepb::partial::PathError;
use tablepb::record::{RecordPlan, RecordWriter};

/// Takes flows.
pub trait Sink {
    type Flow<'s>: Flow
    where
        Self: 's;

    /// Takes a flow with the values that `fill` passes. If `fill` fails, the flow is discarded.
    fn flow<E>(&mut self, fill: impl FnOnce(&mut Self::Flow<'_>) -> Result<(), E>) -> Result<(), E>;
}

/// Takes the values of one flow. The first value of a column counts; zeros are ignored.
pub trait Flow {
    fn uint64(&mut self, column: Uint64, value: u64);
    fn uint32(&mut self, column: Uint32, value: u32);
    fn address(&mut self, column: Address, value: &[u8; 16]);
    /// A number of the enum of directions.
    fn direction(&mut self, column: Direction, value: i32);
    /// Appends to a list.
    fn list(&mut self, column: List, values: impl Iterator<Item = u32>);
}

/// A flow that takes nothing.
pub struct Ignored;

impl Flow for Ignored {
    fn uint64(&mut self, _: Uint64, _: u64) {}
    fn uint32(&mut self, _: Uint32, _: u32) {}
    fn address(&mut self, _: Address, _: &[u8; 16]) {}
    fn direction(&mut self, _: Direction, _: i32) {}
    fn list(&mut self, _: List, _: impl Iterator<Item = u32>) {}
}

/// Writes each flow as a record, one after the other into one buffer.
pub struct Records {
    plan: RecordPlan,
    handles: Handles,
    /// A length-delimited stream of whole records.
    pub buffer: Vec<u8>,
    /// The number of flows so far.
    pub flows: u64,
    error: Option<EncodeError>,
}

impl Records {
    /// # Errors
    /// The plan lacks a column.
    pub fn new(plan: RecordPlan) -> Result<Self, PathError> {
        let handles = Handles::new(&plan)?;
        Ok(Self { plan, handles, buffer: Vec::new(), flows: 0, error: None })
    }

    /// # Errors
    /// The first error in a record.
    pub fn check(&mut self) -> Result<(), EncodeError> {
        self.error.take().map_or(Ok(()), Err)
    }
}

impl Sink for Records {
    type Flow<'s> = Record<'s>;

    #[inline]
    fn flow<E>(&mut self, fill: impl FnOnce(&mut Record<'_>) -> Result<(), E>) -> Result<(), E> {
        let mut record = Record { writer: self.plan.record(&mut self.buffer), handles: &self.handles };
        // If `fill` fails, dropping the record leaves the buffer unchanged.
        fill(&mut record)?;
        match record.writer.finish() {
            Ok(_) => self.flows += 1,
            Err(error) => drop(self.error.get_or_insert(error)),
        }
        Ok(())
    }
}

/// One flow of [`Records`].
pub struct Record<'s> {
    writer: RecordWriter<'s>,
    handles: &'s Handles,
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
    fn direction(&mut self, column: Direction, value: i32) {
        self.writer.set(self.handles.direction[column as usize], value);
    }

    #[inline(always)]
    fn list(&mut self, column: List, values: impl Iterator<Item = u32>) {
        self.writer.extend(self.handles.list[column as usize], values);
    }
}
