//! Selects the kernel that this processor runs.
//!
//! On x86-64 with `std` the processor is asked once per process, without it the target features of the build decide. Other
//! processors run the portable kernel.

/// A kernel that this processor can run. A kernel that needs special instructions holds a proof that the processor has
/// them. Only this file makes proofs, after asking the processor or the build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kernel {
    Portable,
    #[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
    Avx2(x86_64::Avx2),
    #[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
    Avx512(x86_64::Avx512),
}

impl Kernel {
    /// Runs shorter than this many bytes are decoded one value at a time. Measured with predictable and with random lengths
    /// of values: AVX-512 wins from four bytes on.
    #[inline(always)]
    pub(super) const fn min_len(self) -> usize {
        match self {
            #[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
            Self::Avx512(_) => 4,
            _ => 16,
        }
    }
}

/// Whether this processor has the instructions BMI1, BMI2, LZCNT and POPCNT, and runs `pext` and `pdep` in a few cycles.
///
/// The kernels of this crate are chosen so. A crate with loops of its own over varints may compile them for these instructions and ask
/// here, once for each loop: the answer is the same for as long as the process runs. It is `false` on processors other than x86-64 and
/// on AMD's before Zen 3, whose `pext` takes hundreds of cycles. Without `std` the target features of the build decide.
///
/// ```
/// #[cfg(target_arch = "x86_64")]
/// assert!(!tablepb::wire::has_fast_pext() || std::arch::is_x86_feature_detected!("bmi2"));
/// ```
#[must_use]
pub fn has_fast_pext() -> bool {
    kernel() != Kernel::Portable
}

#[cfg(any(not(target_arch = "x86_64"), tablepb_safe))]
use constant as here;
#[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
use x86_64 as here;

pub(super) use here::kernel;
#[cfg(test)]
pub(super) use here::kernels;

#[cfg(any(not(target_arch = "x86_64"), tablepb_safe))]
mod constant {
    use crate::wire::kernels::dispatch::Kernel;

    #[inline(always)]
    pub(crate) fn kernel() -> Kernel {
        Kernel::Portable
    }

    /// All kernels that this processor has.
    #[cfg(test)]
    pub(crate) fn kernels() -> alloc::vec::Vec<Kernel> {
        alloc::vec![Kernel::Portable]
    }
}

#[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
mod x86_64 {
    use crate::wire::kernels::dispatch::Kernel;

    #[cfg(feature = "std")]
    macro_rules! has {
        ($($feature:tt)*) => { $(std::arch::is_x86_feature_detected!($feature))&&* };
    }

    #[cfg(not(feature = "std"))]
    macro_rules! has {
        ($($feature:tt)*) => { $(cfg!(target_feature = $feature))&&* };
    }

    /// Proof that the processor has the instructions of the kernels `avx512` and `pack512`: AVX-512 F, BW, VBMI and VBMI2, BMI1,
    /// BMI2, POPCNT, LZCNT.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) struct Avx512(());

    /// Proof that the processor has the instructions of the kernel `avx2`, and a fast `pext`: AVX2, BMI1, BMI2, POPCNT, LZCNT.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) struct Avx2(());

    impl Avx512 {
        fn detect() -> Option<Self> {
            has!("avx512f" "avx512bw" "avx512vbmi" "avx512vbmi2" "bmi1" "bmi2" "popcnt" "lzcnt")
                .then_some(Self(()))
        }
    }

    impl Avx2 {
        #[cfg_attr(
            not(feature = "std"),
            expect(clippy::nonminimal_bool, reason = "constants, without detection")
        )]
        #[cfg_attr(not(feature = "std"), expect(clippy::overly_complex_bool_expr, reason = "the same"))]
        /// AMD before Zen 3 runs `pext` in microcode, hundreds of cycles per value. All AMD processors have SSE4a
        /// and no other maker's do; Zen 3 brought VAES.
        fn detect() -> Option<Self> {
            (has!("avx2" "bmi1" "bmi2" "popcnt" "lzcnt") && (!has!("sse4a") || has!("vaes")))
                .then_some(Self(()))
        }
    }

    fn best() -> Kernel {
        match (Avx512::detect(), Avx2::detect()) {
            (Some(has), _) => Kernel::Avx512(has),
            (None, Some(has)) => Kernel::Avx2(has),
            (None, None) => Kernel::Portable,
        }
    }

    #[cfg(not(feature = "std"))]
    #[inline(always)]
    pub(crate) fn kernel() -> Kernel {
        best()
    }

    #[cfg(feature = "std")]
    #[inline(always)]
    pub(crate) fn kernel() -> Kernel {
        use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

        /// The kernel that `ask` found, as a number; 0 before the first call.
        static BEST: AtomicU8 = AtomicU8::new(0);

        #[cold]
        #[inline(never)]
        fn ask() -> Kernel {
            let best = best();
            let number = match best {
                Kernel::Portable => 1,
                Kernel::Avx2(_) => 2,
                Kernel::Avx512(_) => 3,
            };
            BEST.store(number, Relaxed);
            best
        }

        // Threads that race here find the same kernel. Only `ask` stores, so 2 and 3 prove what it found.
        match BEST.load(Relaxed) {
            1 => Kernel::Portable,
            2 => Kernel::Avx2(Avx2(())),
            3 => Kernel::Avx512(Avx512(())),
            _ => ask(),
        }
    }

    /// All kernels that this processor has.
    #[cfg(test)]
    pub(crate) fn kernels() -> alloc::vec::Vec<Kernel> {
        let mut all = alloc::vec![Kernel::Portable];
        all.extend(Avx2::detect().map(Kernel::Avx2));
        all.extend(Avx512::detect().map(Kernel::Avx512));
        all
    }
}

#[cfg(test)]
pub(super) mod last {
    //! The kernel that was called last, which tests ask for.

    use crate::wire::kernels::dispatch::Kernel;
    use core::cell::Cell;

    extern crate std;

    std::thread_local! {
        pub(crate) static RAN: Cell<Option<Kernel>> = const { Cell::new(None) };
    }
}
