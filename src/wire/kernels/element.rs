//! Shared by all kernels: the words of an element, and its varint.
//!
//! An element of a list has one word (32-bit kinds, `bool`, enums) or two (64-bit kinds, low word first).

use crate::wire::Cursor;
use crate::wire::varint::{unzigzag32, unzigzag64, zigzag32, zigzag64};

/// Where a kernel stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Number of values decoded.
    pub(crate) done: usize,
    /// The position after them.
    pub(crate) pos: usize,
}

/// How the varint of an element is decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Plain,
    Zigzag,
    Bool,
}

/// [`Meaning`] as a type parameter, so that each kernel is compiled for one.
pub(crate) trait VarintForm {
    #[doc(hidden)]
    const MEANING: Meaning;
}

macro_rules! forms {
    ($(#[$doc:meta] $form:ident;)*) => {$(
        #[$doc]
        pub(crate) enum $form {}

        impl VarintForm for $form {
            const MEANING: Meaning = Meaning::$form;
        }
    )*};
}

forms! {
    /// The low bits as they are.
    Plain;
    /// Zigzag, of 32 or 64 bits as the element has words.
    Zigzag;
    /// 0 or 1.
    Bool;
}

/// The words that store a decoded varint: one, truncated to 32 bits, or two, low word first.
#[inline(always)]
pub(super) fn element<const N: usize, F: VarintForm>(varint: u64) -> [u32; N] {
    let value = match F::MEANING {
        Meaning::Plain => varint,
        Meaning::Zigzag if N == 1 => unzigzag32(varint as u32) as u64,
        Meaning::Zigzag => unzigzag64(varint) as u64,
        Meaning::Bool => u64::from(varint != 0),
    };
    core::array::from_fn(|word| (value >> (32 * word)) as u32)
}

/// How the words of an element are encoded as a varint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Plain,
    /// One word, sign-extended to 64 bits.
    Signed,
    Zigzag,
}

/// [`Packing`] as a type parameter.
pub(crate) trait Packs {
    #[doc(hidden)]
    const PACKING: Packing;
}

/// One signed word: `int32` and enums.
pub(crate) enum Signed {}

impl Packs for Plain {
    const PACKING: Packing = Packing::Plain;
}

impl Packs for Signed {
    const PACKING: Packing = Packing::Signed;
}

impl Packs for Zigzag {
    const PACKING: Packing = Packing::Zigzag;
}

/// The value to encode for an element.
#[inline(always)]
pub(super) fn varint<const N: usize, P: Packs>(words: &[u32; N]) -> u64 {
    let high = words.get(1).copied().unwrap_or(0);
    let value = u64::from(words[0]) | u64::from(high) << 32;
    match P::PACKING {
        Packing::Plain => value,
        Packing::Signed => value as i32 as i64 as u64,
        Packing::Zigzag if N == 1 => zigzag32(value as i32).into(),
        Packing::Zigzag => zigzag64(value as i64),
    }
}

/// Encodes a run one value at a time.
#[inline(always)]
pub(super) fn one_by_one<const N: usize, P: Packs>(run: &[[u32; N]], out: &mut Cursor<'_>) {
    for words in run {
        out.put_varint(varint::<N, P>(words));
    }
}
