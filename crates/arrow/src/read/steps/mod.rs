//! The fields of all messages as [`Steps`]: what each tag says to do, so that usual rows need no sink.
//!
//! ```text
//! row:
//!     loop:
//!         the message ends: go on with the one around it, or done
//!         window = 24 bytes at pos
//!         step = the step after the last one        # encoders write fields in the order of their numbers
//!         its tag is not here: look the tag up, or skip an unknown field
//!         match step.op: read the value, store it in the column of the step
//! ```
//!
//! Preconditions: [`SLACK`] bytes can be read after the row, or it gives up; the batch has begun the row. Messages around the one that is
//! being read are on the stack of the batch.
//!
//! The loop gives up at whatever is rare or wrong: groups that are not selected, numbers that a closed enum does not list, missing required fields, long packed runs, faults. The
//! caller takes the row back and reads it by [`tablepb::Decoder::visit`], which finds the error. So steps are never the only way to a result. A batch has no
//! steps at all if one of its message types is a MessageSet or has more than 64 required fields: all of its rows are read by the visitor.

mod build;
mod packed;
mod run;
mod window;

pub(super) use build::{NodeType, steps};

/// Bytes that are read after the end of a row.
pub(super) const SLACK: usize = 64;
/// Marks a step that is not for a plain field: `to` is its place in the table of slots.
const SLOT: u32 = 1 << 31;
/// Marks the members of oneofs that steps set; others are marked by their numbers.
const MEMBER: u32 = 1 << 30;

/// What one tag says to do.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
struct Step {
    /// The tag as it is on the wire, first byte lowest, and which bits of four bytes belong to it.
    tag: u32,
    mask: u32,
    /// The column among those of its kind; of messages the node, with [`SLOT`] a slot, of packed runs one of [`Steps::runs`].
    to: u32,
    /// [`STAYS`], and a oneof, counted from 1.
    rare: u16,
    op: Op,
    /// One more than the length of the tag.
    past: u8,
}

/// The same field is likely to come next.
const STAYS: u16 = 1 << 15;

impl Step {
    /// No tag is like it: it ends the steps of a node, and what follows it belongs to another node.
    const END: Self = Self { tag: 1, mask: 0, to: u32::MAX, rare: 0, op: Op::GiveUp, past: 1 };
}

/// How a value is read, and what kind of column it goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Op {
    Int32,
    Enum,
    /// Of a closed enum, which [`Steps::rules`] has.
    ClosedEnum,
    Int64,
    Uint32,
    Uint64,
    Sint32,
    Sint64,
    Bool,
    Fixed32,
    Sfixed32,
    Float,
    Fixed64,
    Sfixed64,
    Double,
    String,
    Bytes,
    /// A message: a plain field, an element of a list, an entry of a map, anything else.
    Struct,
    Element,
    Entry,
    Message,
    /// A group in a plain field, with [`SLOT`] an element of a list of them; and its end.
    Group,
    EndGroup,
    /// A packed run.
    Packed,
    /// Fields that are not selected.
    SkipVarint,
    SkipFixed32,
    SkipFixed64,
    SkipLength,
    /// A field that the run does not read.
    GiveUp,
}

/// The steps of all nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    /// Of each node: those in the order of the wire, other forms of lists, [`Step::END`].
    steps: Vec<Step>,
    nodes: Vec<NodeSteps>,
    /// Packed runs.
    runs: Vec<Run>,
    /// What proto2 asks of a field beside its value, for each step; empty if it asks nothing.
    rules: Vec<Rule>,
    /// The numbers of closed enums.
    enums: Vec<Closed>,
    /// Some message has a required field.
    requires: bool,
}

/// A packed run: its slot, the kind of its values, and of a closed enum the place among [`Steps::enums`].
#[derive(Clone, Copy, Debug)]
struct Run {
    at: u32,
    op: Op,
    closed: u32,
}

/// What proto2 asks of a field.
#[derive(Clone, Copy, Debug)]
struct Rule {
    /// The bit of a required field among those of its message.
    required: u64,
    /// The place of a closed enum among [`Steps::enums`].
    closed: u32,
}

impl Rule {
    const NONE: Self = Self { required: 0, closed: u32::MAX };
}

/// The numbers that a closed enum lists: all from the first one on, as many as there are without a gap, and others in order.
#[derive(Clone, Debug)]
struct Closed {
    first: i32,
    count: u32,
    others: Vec<i32>,
}

impl Closed {
    #[inline(always)]
    fn lists(&self, number: i32) -> bool {
        (number.wrapping_sub(self.first) as u32) < self.count || self.others.binary_search(&number).is_ok()
    }
}

/// The steps of a node.
#[derive(Clone, Debug)]
struct NodeSteps {
    first: u32,
    /// For field numbers whose tags are short the likely step, counted from `first`, or the first one, whose tag is another.
    short: Vec<u16>,
    /// Tags in order, and their steps.
    tags: Vec<(u32, u32)>,
    /// The numbers of all fields, in order.
    numbers: Vec<u32>,
    /// The bits of all required fields.
    required: u64,
}
