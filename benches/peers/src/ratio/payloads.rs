//! Sets of encoded messages, and the order in which a round visits them.

use crate::random::Random;

/// Where messages are when they are worked on, and what the predictors know about them. Each alone says little.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Regime {
    /// A small set, visited again and again: messages and schema are in the first two caches, as in a service that
    /// encodes what it has just built. Each round visits in a new random order, or predictors would learn it.
    InCache,
    /// Too many distinct messages for the predictors to learn and for the first two caches to hold, each once a round.
    OutOfCache,
}

impl Regime {
    pub const ALL: &[Self] = &[Self::InCache, Self::OutOfCache];

    pub fn name(self) -> &'static str {
        match self {
            Self::InCache => "in cache",
            Self::OutOfCache => "out of cache",
        }
    }
}

/// In cache, a round visits at least so many bytes.
const ROUND: usize = 512 << 10;

/// The least number of messages in a set: with fewer, there is no order to speak of.
const LEAST: usize = 4;

/// A message counts for at least so many bytes of a set: some shapes have hardly any.
const SMALL: usize = 8;

/// Distinct messages of one shape.
pub struct Payloads {
    pub messages: Vec<Vec<u8>>,
    /// Of all messages together.
    pub bytes: usize,
    /// How often a round visits each message.
    pub repeats: usize,
    shuffled: bool,
}

impl Payloads {
    /// As many messages as it takes to reach a size.
    pub fn collect(regime: Regime, size: usize, mut make: impl FnMut() -> Vec<u8>) -> Self {
        let (mut messages, mut bytes, mut counted) = (Vec::new(), 0, 0);
        while counted < size || messages.len() < LEAST {
            let message = make();
            bytes += message.len();
            counted += message.len().max(SMALL);
            messages.push(message);
        }
        let shuffled = regime == Regime::InCache;
        let repeats = if shuffled { ROUND.div_ceil(counted).max(4) } else { 1 };
        Self { messages, bytes, repeats, shuffled }
    }

    /// The order of one round, as indexes of messages.
    pub fn order(&self, random: &mut Random) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.messages.len() as u32).collect();
        if self.shuffled {
            order = order.repeat(self.repeats);
            for last in (1..order.len()).rev() {
                order.swap(last, random.index(last + 1));
            }
        }
        order
    }
}
