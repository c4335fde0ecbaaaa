//! The wire format without schemas: a stable layer that stands alone.
//!
//! [`Reader`] takes a message apart field by field, [`Writer`] appends one to a [`Buffer`]; both know varints,
//! fixed-width values, length-delimited bytes, groups and packed runs, <https://protobuf.dev/programming-guides/encoding/>.
//! They need no schema, no allocation per field, and neither `std` nor any other crate.
//!
//! Readers check everything that the bytes alone can tell:
//!
//! | item | accepted | else |
//! |---|---|---|
//! | tag | at most 5 bytes, at most 2^32-1 | [`InvalidTag`](crate::DecodeErrorKind::InvalidTag) |
//! | field number | not 0 | [`InvalidFieldNumber`](crate::DecodeErrorKind::InvalidFieldNumber) |
//! | wire type | 0 to 5 | [`InvalidWireType`](crate::DecodeErrorKind::InvalidWireType) |
//! | length | at most 5 bytes, at most 2^31-1 | [`InvalidLength`](crate::DecodeErrorKind::InvalidLength) |
//! | varint | at most 10 bytes, at most 2^64-1 | [`VarintOverflow`](crate::DecodeErrorKind::VarintOverflow) |
//! | group | ends with its own number | [`UnexpectedEndGroup`](crate::DecodeErrorKind::UnexpectedEndGroup) |
//! | nesting | 100 levels, or as told | [`DepthExceeded`](crate::DecodeErrorKind::DepthExceeded) |
//!
//! Overlong forms within these limits are accepted, as C++ does and the conformance suite wants it. The same rules
//! hold for fields that are skipped.
//!
//! The invariant of this room: no position ever passes the end of its slice, and no write passes the end of its
//! window. Every other room reads and writes bytes through it.

pub(crate) mod buffer;
pub(crate) mod cursor;
pub(crate) mod kernels;
mod limits;
pub(crate) mod message_set;
mod packed;
pub(crate) mod raw;
mod reader;
mod reverse;
mod spare;
mod tag;
pub(crate) mod tail;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
pub mod utf8;
mod varint;
mod writer;

pub use buffer::Buffer;
pub use limits::DEFAULT_DEPTH;
pub use packed::{PackedFixed32, PackedFixed64, PackedVarints};
pub use reader::Reader;
pub use tag::{Tag, WireType};
pub use varint::{unzigzag32, unzigzag64, varint_len, zigzag32, zigzag64};
pub use writer::Writer;

#[allow(unused_imports, reason = "for the encoders and decoders")]
pub(crate) use {
    cursor::{Cursor, CursorOverflow},
    kernels::{Bits, CpuTask, with_best_cpu},
    limits::MAX_LEN,
    packed::count_varints,
    raw::WireFault,
    reverse::{ReverseCursor, TagWord, last_varint},
    spare::Written,
    varint::{gather, long_varint, short_varint},
};
