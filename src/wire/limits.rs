//! Limits that every room shares.

/// The longest message, string, packed run or input: 2^31-1 bytes, as in C++ and Java.
///
/// Lengths and offsets up to here fit 32 bits, signed too.
pub(crate) const MAX_LEN: usize = i32::MAX as usize;

/// Nesting that is accepted unless a caller says otherwise: 100 levels below the root message, as in C++.
pub const DEFAULT_DEPTH: u32 = 100;
