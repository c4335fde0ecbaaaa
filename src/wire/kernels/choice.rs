//! Which kernel this processor runs.
//!
//! On x86-64 the processor is asked once per process with `std`; without, the target features of the build decide, as
//! they do elsewhere: aarch64 has NEON, or a calling convention for processors that have not.

/// A kernel that this processor has all instructions for: only this module makes the ones that need any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kernel {
    Portable,
    #[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
    Avx2,
    #[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
    Avx512,
    #[cfg(all(
        target_arch = "aarch64",
        target_feature = "neon",
        target_endian = "little",
        not(tablepb_safe)
    ))]
    Neon,
}

impl Kernel {
    /// Runs of fewer bytes are decoded one by one. Measured with lengths that can and cannot be foreseen.
    #[inline(always)]
    pub(super) const fn least(self) -> usize {
        match self {
            #[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
            Self::Avx512 => 4,
            _ => 16,
        }
    }
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
    use super::Kernel;

    const KERNELS: &[Kernel] = &[
        Kernel::Portable,
        #[cfg(all(
            target_arch = "aarch64",
            target_feature = "neon",
            target_endian = "little",
            not(tablepb_safe)
        ))]
        Kernel::Neon,
    ];

    #[inline(always)]
    pub(crate) fn kernel() -> Kernel {
        const { KERNELS[KERNELS.len() - 1] }
    }

    /// All kernels that this processor has.
    #[cfg(test)]
    pub(crate) fn kernels() -> alloc::vec::Vec<Kernel> {
        KERNELS.to_vec()
    }
}

#[cfg(all(target_arch = "x86_64", not(tablepb_safe)))]
mod x86_64 {
    use super::Kernel;

    #[cfg(feature = "std")]
    macro_rules! has {
        ($($feature:tt)*) => { $(std::arch::is_x86_feature_detected!($feature))&&* };
    }

    #[cfg(not(feature = "std"))]
    macro_rules! has {
        ($($feature:tt)*) => { $(cfg!(target_feature = $feature))&&* };
    }

    fn avx512() -> bool {
        has!("avx512f" "avx512bw" "avx512vbmi" "avx512vbmi2" "bmi1" "bmi2" "popcnt" "lzcnt")
    }

    #[cfg_attr(
        not(feature = "std"),
        expect(clippy::nonminimal_bool, reason = "constants, without detection")
    )]
    #[cfg_attr(not(feature = "std"), expect(clippy::overly_complex_bool_expr, reason = "the same"))]
    /// AMD before Zen 3 runs `pext` in microcode, hundreds of cycles per value. All AMD processors have SSE4a and
    /// no other maker's do; Zen 3 brought VAES.
    fn avx2() -> bool {
        has!("avx2" "bmi1" "bmi2" "popcnt" "lzcnt") && (!has!("sse4a") || has!("vaes"))
    }

    fn best() -> Kernel {
        match () {
            () if avx512() => Kernel::Avx512,
            () if avx2() => Kernel::Avx2,
            () => Kernel::Portable,
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

        const KERNELS: [Kernel; 3] = [Kernel::Portable, Kernel::Avx2, Kernel::Avx512];
        /// One more than the index of the best kernel, 0 before the first use.
        static BEST: AtomicU8 = AtomicU8::new(0);

        #[cold]
        #[inline(never)]
        fn ask() -> Kernel {
            let best = best();
            BEST.store(best as u8 + 1, Relaxed);
            best
        }

        // Every thread that comes too early finds the same.
        match KERNELS.get(usize::from(BEST.load(Relaxed)).wrapping_sub(1)) {
            Some(&kernel) => kernel,
            None => ask(),
        }
    }

    /// All kernels that this processor has.
    #[cfg(test)]
    pub(crate) fn kernels() -> alloc::vec::Vec<Kernel> {
        let mut all = alloc::vec![Kernel::Portable];
        all.extend(avx2().then_some(Kernel::Avx2));
        all.extend(avx512().then_some(Kernel::Avx512));
        all
    }
}
