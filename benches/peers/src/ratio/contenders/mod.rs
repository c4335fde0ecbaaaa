//! The contenders: each is a way to decode, read, encode or edit the messages of a payload set.

#[cfg(feature = "rivals")]
pub mod buffa;
#[cfg(feature = "google")]
pub mod google;
pub mod prost;
#[cfg(feature = "rivals")]
pub mod quick;
#[cfg(feature = "rivals")]
pub mod reflect;
pub mod tablepb;
pub mod typed;

use crate::payloads::Payloads;
use crate::reading::Handles;
use ::tablepb::MessageDescriptor;
use bytes::BytesMut;
use std::fmt;
use std::hint::black_box;
use std::rc::Rc;

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Bytes to message.
    Decode,
    /// Bytes to message, and every field read into a checksum.
    Read,
    /// Message to bytes, into a reused buffer.
    Encode,
    /// Bytes to message, one field set, message to bytes.
    Edit,
}

impl Mode {
    pub const ALL: &[Self] = &[Self::Decode, Self::Read, Self::Encode, Self::Edit];

    pub fn name(self) -> &'static str {
        match self {
            Self::Decode => "decode",
            Self::Read => "read",
            Self::Encode => "encode",
            Self::Edit => "edit",
        }
    }
}

/// What kind of message a contender makes; only the same compares like with like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Label {
    /// A message that owns its memory. Decoding makes and drops one each time.
    Fresh,
    /// As `Fresh`, but the memory of the message before is reused.
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
pub struct Setup {
    /// They live as long as the process, so that messages may borrow from them.
    pub payloads: &'static Payloads,
    pub descriptor: MessageDescriptor,
    pub handles: Rc<Handles>,
    /// The field that editing sets: a string or a number, in the first elements of repeated messages.
    pub edit: &'static [u32],
}

/// What editing sets.
pub const EDITED: &str = "edited";
pub const EDITED_NUMBER: u32 = 77;

/// A way to do the work of a mode.
pub trait Contender {
    /// Who, for example `prost`.
    fn name(&self) -> &'static str;

    fn label(&self) -> Label;

    /// Does the work for the messages of the set in this order; the loop is in here, so that nothing is dispatched
    /// inside of it. Reading gives the checksum.
    fn pass(&mut self, set: &Payloads, order: &[u32]) -> u64;

    /// Encodes what it makes of one message, to be compared before anything is measured.
    fn encoded(&mut self, set: &Payloads, index: usize) -> Vec<u8>;
}

/// A contender that starts from bytes, with whatever it keeps between messages.
struct FromBytes<S, P, E> {
    name: &'static str,
    label: Label,
    state: S,
    one: P,
    encoded: E,
}

impl<S, P: Fn(&mut S, &[u8]) -> u64, E: Fn(&mut S, &[u8]) -> Vec<u8>> Contender for FromBytes<S, P, E> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn label(&self) -> Label {
        self.label
    }

    fn pass(&mut self, set: &Payloads, order: &[u32]) -> u64 {
        let mut sum = 0u64;
        for index in order {
            let message = &set.messages[*index as usize];
            sum = sum.wrapping_add((self.one)(&mut self.state, black_box(message)));
        }
        sum
    }

    fn encoded(&mut self, set: &Payloads, index: usize) -> Vec<u8> {
        (self.encoded)(&mut self.state, &set.messages[index])
    }
}

fn from_bytes<S: 'static>(
    name: &'static str,
    label: Label,
    state: S,
    one: impl Fn(&mut S, &[u8]) -> u64 + 'static,
    encoded: impl Fn(&mut S, &[u8]) -> Vec<u8> + 'static,
) -> Box<dyn Contender> {
    Box::new(FromBytes { name, label, state, one, encoded })
}

/// What contenders encode into; it keeps its memory.
trait Output: AsRef<[u8]> + Default {
    fn clear(&mut self);
}

impl Output for Vec<u8> {
    fn clear(&mut self) {
        self.clear();
    }
}

impl Output for BytesMut {
    fn clear(&mut self) {
        self.clear();
    }
}

/// A contender that encodes messages that are there already.
struct ToBytes<M, O, P> {
    name: &'static str,
    label: Label,
    messages: Vec<M>,
    output: O,
    one: P,
}

impl<M, O: Output, P: FnMut(&M, &mut O)> Contender for ToBytes<M, O, P> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn label(&self) -> Label {
        self.label
    }

    fn pass(&mut self, _: &Payloads, order: &[u32]) -> u64 {
        for index in order {
            self.output.clear();
            (self.one)(black_box(&self.messages[*index as usize]), &mut self.output);
            black_box(&self.output);
        }
        0
    }

    fn encoded(&mut self, _: &Payloads, index: usize) -> Vec<u8> {
        self.output.clear();
        (self.one)(&self.messages[index], &mut self.output);
        self.output.as_ref().to_vec()
    }
}

fn to_bytes<M: 'static, O: Output + 'static>(
    name: &'static str,
    label: Label,
    setup: &Setup,
    make: impl Fn(&'static [u8]) -> M,
    one: impl FnMut(&M, &mut O) + 'static,
) -> Box<dyn Contender> {
    let messages = setup.payloads.messages.iter().map(|bytes| make(bytes)).collect();
    Box::new(ToBytes { name, label, messages, output: O::default(), one })
}
