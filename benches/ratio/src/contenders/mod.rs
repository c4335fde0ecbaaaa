//! The contenders: each is a way to decode, read or encode the messages of a payload set.

pub mod prost;
pub mod tablepb;

use crate::payloads::Payloads;
use ::tablepb::MessageDescriptor;
use std::fmt;

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Decode,
}

impl Mode {
    pub const ALL: &[Self] = &[Self::Decode];

    pub fn name(self) -> &'static str {
        match self {
            Self::Decode => "decode",
        }
    }
}

/// What the result of a contender is; only the same compares like with like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Label {
    /// A message that owns its memory, made and dropped each time.
    Fresh,
    /// Memory of the message before is used again.
    Reused,
    /// Strings and bytes point into the input.
    Borrowed,
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Fresh => "fresh owned",
            Self::Reused => "reused",
            Self::Borrowed => "borrowed",
        })
    }
}

/// What contenders are made from.
pub struct Setup<'s> {
    pub payloads: &'s Payloads,
    pub descriptor: MessageDescriptor,
}

/// A way to do the work of a mode.
pub trait Contender {
    /// Who, for example `prost`.
    fn name(&self) -> &'static str;

    fn label(&self) -> Label;

    /// Does the work for every message of the set; the loop is in here, so that nothing is dispatched inside of it.
    /// Reading gives the checksum.
    fn pass(&mut self, set: &Payloads) -> u64;

    /// Encodes what it makes of one message, to be compared before anything is measured.
    fn encoded(&mut self, set: &Payloads, index: usize) -> Vec<u8>;
}
