//! What benches without criterion share: contenders in turns, and numbers that are the same in each run.

use std::time::{Duration, Instant};

/// The least time of each contender in nanoseconds, of 40 rounds in which all of them take turns.
pub fn turns<const N: usize>(mut contenders: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut best = [Duration::MAX; N];
    for _ in 0..40 {
        for (best, run) in best.iter_mut().zip(&mut contenders) {
            run();
            let start = Instant::now();
            run();
            *best = start.elapsed().min(*best);
        }
    }
    best.map(|best| best.as_nanos() as f64)
}

/// A struct with the codecs of both crates: each member with its type, its number for either crate, and its kind in the listings of either.
#[macro_export]
macro_rules! message {
    ($name:ident as $full_name:literal { $($member:ident: $type:ty = $number:literal $tag:literal ($($kind:tt)*) [$($attribute:tt)*];)* }) => {
        #[derive(Clone, PartialEq, prost::Message)]
        struct $name {
            $(#[prost($($attribute)*, tag = $tag)] $member: $type,)*
        }
        tablepb::message! { $name as $full_name { $($member: $($kind)* = $number),* } }
    };
}

/// xorshift64: the same values in each run.
pub struct Random(u64);

impl Default for Random {
    fn default() -> Self {
        Self(88_172_645_463_325_252)
    }
}

impl Random {
    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    /// A number of up to 53 bits, each count of bits as likely as another.
    pub fn any(&mut self) -> u64 {
        let bits = 1 + self.below(53);
        self.below(1 << bits)
    }
}
