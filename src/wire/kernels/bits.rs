//! The encoder's loops, compiled twice from one source: for any processor, and for those with BMI2 and LZCNT, where the
//! bits of a varint are spread by one instruction instead of a dozen and shifts take any register.

use super::choice::{self, Kernel};
use crate::wire::varint;

/// How this processor spreads bits. A value of a type is the proof that the processor can do what the type says.
pub(crate) trait Bits: Copy {
    /// Puts the eight lowest 7-bit groups of a value into eight bytes, lowest first; bits from 56 on are lost.
    fn spread(self, value: u64) -> u64;
}

/// Shifts and masks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnyBits;

impl Bits for AnyBits {
    #[inline(always)]
    fn spread(self, value: u64) -> u64 {
        varint::spread(value)
    }
}

/// BMI2.
#[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deposit(());

#[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
impl Bits for Deposit {
    #[inline(always)]
    fn spread(self, value: u64) -> u64 {
        // SAFETY: `deposit` alone makes a `Deposit`, where the processor has BMI2.
        unsafe { core::arch::x86_64::_pdep_u64(value, 0x7f7f_7f7f_7f7f_7f7f) }
    }
}

/// Something to do with the bits that the processor has. To be compiled for it, it must be inlined.
pub(crate) trait Work {
    /// What comes of it.
    type Out;

    /// Does it.
    fn run(self, bits: impl Bits) -> Self::Out;
}

/// Does something with the best that the processor has.
#[inline(always)]
pub(crate) fn with_bits<W: Work>(work: W) -> W::Out {
    match choice::kernel() {
        Kernel::Portable => work.run(AnyBits),
        // SAFETY: what either kernel holds proves that the processor has the features of `deposit`.
        #[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
        Kernel::Avx2(_) | Kernel::Avx512(_) => unsafe { deposit(work) },
        #[cfg(all(
            target_arch = "aarch64",
            target_feature = "neon",
            target_endian = "little",
            not(tablepb_safe)
        ))]
        Kernel::Neon(_) => work.run(AnyBits),
    }
}

/// # Safety
/// The processor has these features.
#[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn deposit<W: Work>(work: W) -> W::Out {
    work.run(Deposit(()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    struct Spread(Vec<u64>);

    impl Work for Spread {
        type Out = (Vec<u64>, &'static str);

        fn run(self, bits: impl Bits) -> Self::Out {
            (self.0.iter().map(|&value| bits.spread(value)).collect(), name_of(&bits))
        }
    }

    fn name_of<B: Bits>(_: &B) -> &'static str {
        core::any::type_name::<B>()
    }

    #[test]
    fn the_best_is_used_and_agrees() {
        let values: Vec<u64> = varint::tests::edges().collect();
        let expected: Vec<u64> = values.iter().map(|&value| AnyBits.spread(value)).collect();
        let (spread, name) = with_bits(Spread(values));
        assert_eq!(spread, expected);
        let deposits = cfg!(target_arch = "x86_64") && choice::kernel() != Kernel::Portable;
        assert_eq!(name.ends_with("AnyBits"), !deposits, "{name}");
    }
}
