//! Compiles the encoder's loops twice from one source: for any processor, and for processors with BMI2 and LZCNT.
//!
//! BMI2 spreads the bits of a varint over its bytes with one instruction (`pdep`) instead of a dozen, and its shifts
//! take their count from any register.

use super::dispatch::{self, Kernel};
use crate::wire::varint;

/// How this processor spreads the bits of a varint. A value of an implementing type proves that the processor has the
/// instructions of that type.
pub(crate) trait Bits: Copy {
    /// Puts the eight lowest 7-bit groups of a value into eight bytes, lowest first. Drops bits 56 and up.
    fn spread(self, value: u64) -> u64;

    /// Runs a task that is part of one with these instructions. This is a call, so tasks may recurse.
    fn call<T: CpuTask>(self, task: T) -> T::Out;

    /// As [`call`](Self::call), with arguments that are passed in registers: a task is passed in memory.
    fn call_with<T: CpuCall<A, B, C, D, E>, A, B, C, D, E>(self, a: A, b: B, c: C, d: D, e: E) -> T::Out;
}

/// Shifts and masks, which every processor has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnyBits;

impl Bits for AnyBits {
    #[inline(always)]
    fn spread(self, value: u64) -> u64 {
        varint::spread(value)
    }

    #[inline(never)]
    fn call<T: CpuTask>(self, task: T) -> T::Out {
        task.run(self)
    }

    #[inline(never)]
    fn call_with<T: CpuCall<A, B, C, D, E>, A, B, C, D, E>(self, a: A, b: B, c: C, d: D, e: E) -> T::Out {
        T::run(self, a, b, c, d, e)
    }
}

/// The `pdep` instruction of BMI2. Only [`deposit`], which runs on processors with BMI2, makes a value.
#[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deposit(());

#[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
impl Bits for Deposit {
    #[inline(always)]
    fn spread(self, value: u64) -> u64 {
        // SAFETY: the processor has BMI2: only `deposit` makes a `Deposit`, and its caller has proved it.
        unsafe { core::arch::x86_64::_pdep_u64(value, 0x7f7f_7f7f_7f7f_7f7f) }
    }

    #[inline(always)]
    fn call<T: CpuTask>(self, task: T) -> T::Out {
        // SAFETY: as in `spread`: the processor has what `deposit` needs.
        unsafe { deposit(task) }
    }

    #[inline(always)]
    fn call_with<T: CpuCall<A, B, C, D, E>, A, B, C, D, E>(self, a: A, b: B, c: C, d: D, e: E) -> T::Out {
        // SAFETY: as in `spread`: the processor has what `deposit_with` needs.
        unsafe { deposit_with::<T, A, B, C, D, E>(a, b, c, d, e) }
    }
}

/// A task that runs faster with the instructions of the best processor. [`run`](Self::run) must be inlined: that is how
/// it gets compiled for them.
pub(crate) trait CpuTask {
    /// The task's result.
    type Out;

    /// Runs the task.
    fn run(self, bits: impl Bits) -> Self::Out;
}

/// A function that runs faster with the instructions of the best processor. [`run`](Self::run) must be inlined.
pub(crate) trait CpuCall<A, B, C, D, E> {
    /// What it returns.
    type Out;

    /// Runs it.
    fn run(bits: impl Bits, a: A, b: B, c: C, d: D, e: E) -> Self::Out;
}

/// Runs a task with the best instructions of this processor.
#[inline(always)]
pub(crate) fn with_best_cpu<T: CpuTask>(task: T) -> T::Out {
    match dispatch::kernel() {
        Kernel::Portable => AnyBits.call(task),
        // SAFETY: `Avx2` and `Avx512` prove that the processor has BMI1, BMI2, LZCNT and POPCNT.
        #[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
        Kernel::Avx2(_) | Kernel::Avx512(_) => unsafe { deposit(task) },
    }
}

/// The best instructions of this processor: each call chooses, so that calls within it need not. Loops do not run with this itself, so
/// nothing is spread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BestBits;

impl Bits for BestBits {
    fn spread(self, value: u64) -> u64 {
        debug_assert!(false, "a loop that did not choose its instructions");
        varint::spread(value)
    }

    #[inline(always)]
    fn call<T: CpuTask>(self, task: T) -> T::Out {
        with_best_cpu(task)
    }

    #[inline(always)]
    fn call_with<T: CpuCall<A, B, C, D, E>, A, B, C, D, E>(self, a: A, b: B, c: C, d: D, e: E) -> T::Out {
        match dispatch::kernel() {
            // SAFETY: `Avx2` and `Avx512` prove that the processor has BMI1, BMI2, LZCNT and POPCNT.
            #[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
            Kernel::Avx2(_) | Kernel::Avx512(_) => unsafe { deposit_with::<T, A, B, C, D, E>(a, b, c, d, e) },
            _ => AnyBits.call_with::<T, A, B, C, D, E>(a, b, c, d, e),
        }
    }
}

/// Runs a task compiled for BMI2.
///
/// # Safety
/// The processor has BMI1, BMI2, LZCNT and POPCNT.
#[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn deposit<T: CpuTask>(task: T) -> T::Out {
    task.run(Deposit(()))
}

/// Runs a function compiled for BMI2.
///
/// # Safety
/// The processor has BMI1, BMI2, LZCNT and POPCNT.
#[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn deposit_with<T: CpuCall<A, B, C, D, E>, A, B, C, D, E>(a: A, b: B, c: C, d: D, e: E) -> T::Out {
    T::run(Deposit(()), a, b, c, d, e)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    struct Spread(Vec<u64>);

    impl CpuTask for Spread {
        type Out = (Vec<u64>, &'static str);

        fn run(self, bits: impl Bits) -> Self::Out {
            (self.0.iter().map(|&value| bits.spread(value)).collect(), name_of(&bits))
        }
    }

    /// The same by arguments, one of them the values.
    struct SpreadCall;

    impl CpuCall<Vec<u64>, u8, u8, u8, u8> for SpreadCall {
        type Out = (Vec<u64>, &'static str);

        fn run(bits: impl Bits, values: Vec<u64>, _: u8, _: u8, _: u8, _: u8) -> Self::Out {
            Spread(values).run(bits)
        }
    }

    fn name_of<B: Bits>(_: &B) -> &'static str {
        core::any::type_name::<B>()
    }

    #[test]
    fn the_best_is_used_and_agrees() {
        let values: Vec<u64> = varint::tests::edges().collect();
        let expected: Vec<u64> = values.iter().map(|&value| AnyBits.spread(value)).collect();
        let by_arguments = BestBits.call_with::<SpreadCall, _, _, _, _, _>(values.clone(), 0, 0, 0, 0);
        let by_task = BestBits.call(Spread(values.clone()));
        assert_eq!(by_arguments, by_task);
        let (spread, name) = with_best_cpu(Spread(values));
        assert_eq!(spread, expected);
        assert_eq!((spread, name), by_task);
        let deposits = cfg!(target_arch = "x86_64") && dispatch::kernel() != Kernel::Portable;
        assert_eq!(name.ends_with("AnyBits"), !deposits, "{name}");
    }
}
