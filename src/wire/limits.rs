//! Limits that every room shares.

use crate::wire::error::{DecodeErrorKind, EncodeError, EncodeErrorKind};
#[cfg(not(tablepb_no_alloc))]
use alloc::collections::TryReserveError;

/// The longest message, string, packed run or input: 2^31-1 bytes, as in C++ and Java.
///
/// Lengths and offsets up to here fit 32 bits, signed too.
pub(crate) const MAX_LEN: usize = i32::MAX as usize;

/// Nesting that is accepted unless a caller says otherwise: 100 levels below the root message, as in C++.
pub const DEFAULT_DEPTH: u32 = 100;

/// Whether structs are coded and decoded by shared functions and plain loops: on processors without an operating system, where code takes flash,
/// and where a program asks for it, as the tests do.
pub(crate) const SMALL_CODE: bool = cfg!(any(target_os = "none", tablepb_small_code));

/// Why something cannot grow: the slab of a message, its store, a buffer, a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// The budget of memory is used up, or the offsets of a slab are.
    Limit,
    /// The allocator has no memory.
    NoMemory,
    /// It would be longer than 2^31-1 bytes.
    TooLarge,
}

#[cfg(not(tablepb_no_alloc))]
impl From<TryReserveError> for Full {
    #[cold]
    fn from(_: TryReserveError) -> Self {
        Self::NoMemory
    }
}

impl From<Full> for DecodeErrorKind {
    #[cold]
    fn from(full: Full) -> Self {
        match full {
            Full::Limit => Self::BudgetExceeded,
            Full::NoMemory => Self::OutOfMemory,
            Full::TooLarge => Self::TooLarge,
        }
    }
}

impl From<Full> for EncodeErrorKind {
    #[cold]
    fn from(full: Full) -> Self {
        match full {
            // No budget bounds an encoder.
            Full::Limit | Full::NoMemory => Self::OutOfMemory,
            Full::TooLarge => Self::TooLarge,
        }
    }
}

impl From<Full> for EncodeError {
    #[cold]
    fn from(full: Full) -> Self {
        Self::new(full.into())
    }
}
