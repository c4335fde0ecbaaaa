//! Loops over varints, compiled twice from one source: for any processor, and for those that move bits by one instruction.
//!
//! `pext` puts the bits of a varint together, `pdep` spreads them, each in place of a dozen shifts and masks. With the rest of a loop around
//! it, flows are read 1.15 and written 1.1 times as fast (`benches/peers`, `columns`; docs/measurements.md).

/// How this processor moves the bits of varints. A value of a type proves that the processor has its instructions.
pub(crate) trait Bits: Copy {
    /// The lower seven bits of each byte, put together, lowest first.
    fn gather(self, bytes: u64) -> u64;

    /// The eight lowest groups of seven bits, each in a byte, lowest first.
    fn spread(self, value: u64) -> u64;

    /// Runs a task with these instructions. This is a call, so tasks may recurse.
    fn call<T: Task<A, B, C, D>, A, B, C, D>(self, a: A, b: B, c: C, d: D) -> T::Out;
}

/// A function that runs with the instructions of a processor. It has four arguments, some of them perhaps `()`: were they fields of one
/// struct, the compiler would not know that references among them are apart (spans were read 0.9 times as fast).
pub(crate) trait Task<A, B, C, D> {
    /// What it returns.
    type Out;

    /// Runs it. It has to be inlined, with all that moves bits in it: so it is compiled for these instructions. A closure in it may be a
    /// function of its own, which is not.
    fn run(bits: impl Bits, a: A, b: B, c: C, d: D) -> Self::Out;
}

/// Shifts and masks, which every processor has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AnyBits;

impl Bits for AnyBits {
    #[inline(always)]
    fn gather(self, bytes: u64) -> u64 {
        let v = bytes & GROUPS;
        // From 2^8 to 2^7, and then from 2^16 to 2^14, times what is in the upper half of each pair.
        let v = v - ((v & 0x7f00_7f00_7f00_7f00) >> 1);
        let v = v - 3 * ((v & 0x3fff_0000_3fff_0000) >> 2);
        (v & 0xffff_ffff) | (v >> 32) << 28
    }

    #[inline(always)]
    fn spread(self, value: u64) -> u64 {
        let word = (value & 0x0fff_ffff) | (value & 0x00ff_ffff_f000_0000) << 4;
        let word = (word & 0x0000_3fff_0000_3fff) | (word & 0x0fff_c000_0fff_c000) << 2;
        (word & 0x007f_007f_007f_007f) | (word & 0x3f80_3f80_3f80_3f80) << 1
    }

    #[inline(never)]
    fn call<T: Task<A, B, C, D>, A, B, C, D>(self, a: A, b: B, c: C, d: D) -> T::Out {
        T::run(self, a, b, c, d)
    }
}

/// The seven lower bits of each byte.
const GROUPS: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// `pext` and `pdep`. Only [`fast`], which runs on processors that have them, makes a value.
#[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct FastBits(());

#[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
impl Bits for FastBits {
    #[inline(always)]
    fn gather(self, bytes: u64) -> u64 {
        // SAFETY: the processor has BMI2: only `fast` makes a `FastBits`, and its caller has proved it.
        unsafe { core::arch::x86_64::_pext_u64(bytes, GROUPS) }
    }

    #[inline(always)]
    fn spread(self, value: u64) -> u64 {
        // SAFETY: as in `gather`.
        unsafe { core::arch::x86_64::_pdep_u64(value, GROUPS) }
    }

    #[inline(always)]
    fn call<T: Task<A, B, C, D>, A, B, C, D>(self, a: A, b: B, c: C, d: D) -> T::Out {
        // SAFETY: as in `gather`: the processor has what `fast` needs.
        unsafe { fast::<T, A, B, C, D>(a, b, c, d) }
    }
}

/// Runs a task with the best instructions of this processor.
#[inline]
pub(crate) fn with_best<T: Task<A, B, C, D>, A, B, C, D>(a: A, b: B, c: C, d: D) -> T::Out {
    #[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
    if tablepb::wire::has_fast_pext() {
        // SAFETY: the library has asked the processor for BMI1, BMI2, LZCNT and POPCNT.
        return unsafe { fast::<T, A, B, C, D>(a, b, c, d) };
    }
    AnyBits.call::<T, A, B, C, D>(a, b, c, d)
}

/// Runs a task compiled for these instructions.
///
/// # Safety
/// The processor has BMI1, BMI2, LZCNT and POPCNT.
#[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn fast<T: Task<A, B, C, D>, A, B, C, D>(a: A, b: B, c: C, d: D) -> T::Out {
    T::run(FastBits(()), a, b, c, d)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Both;

    impl Task<u64, (), (), ()> for Both {
        type Out = (u64, u64);

        #[inline(always)]
        fn run(bits: impl Bits, word: u64, (): (), (): (), (): ()) -> Self::Out {
            (bits.gather(word), bits.spread(word))
        }
    }

    /// The name of the bits that a task gets.
    struct Name;

    impl Task<(), (), (), ()> for Name {
        type Out = &'static str;

        #[inline(always)]
        fn run(bits: impl Bits, (): (), (): (), (): (), (): ()) -> Self::Out {
            std::any::type_name_of_val(&bits)
        }
    }

    #[test]
    fn fast_bits_are_used_where_there_are_any() {
        let fast = cfg!(not(tablepb_safe)) && tablepb::wire::has_fast_pext();
        let name = with_best::<Name, _, _, _, _>((), (), (), ());
        assert_eq!(name.ends_with("FastBits"), fast, "{name}");
    }

    #[test]
    fn the_best_moves_bits_as_any_processor_does() {
        let mut value = 0x0123_4567_89ab_cdef_u64;
        for round in 0..10_000 {
            // A step of xorshift64, and words of few bits.
            value ^= value << 13;
            value ^= value >> 7;
            value ^= value << 17;
            let word = if round % 2 == 0 { value } else { value >> (round % 64) };
            let (gathered, spread) = AnyBits.call::<Both, _, _, _, _>(word, (), (), ());
            assert_eq!(with_best::<Both, _, _, _, _>(word, (), (), ()), (gathered, spread), "{word:x}");
            let groups = (0..8).map(|i| (word >> (8 * i) & 0x7f) << (7 * i));
            assert_eq!(gathered, groups.sum::<u64>(), "{word:x}");
            assert_eq!(AnyBits.gather(spread), word & (u64::MAX >> 8), "{word:x}");
        }
    }
}
