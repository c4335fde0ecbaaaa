//! The wire format without schemas: a stable layer that stands alone.
//!
//! [`Reader`] reads a message field by field, [`Writer`] appends one to a [`Buffer`]. Both know varints, fixed-width
//! values, length-delimited bytes, groups and packed runs, <https://protobuf.dev/programming-guides/encoding/>.
//! They need no schema, no allocation per field, and neither `std` nor any other crate.
//!
//! Readers check everything that can be checked without a schema:
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
//! Overlong varints within these limits are accepted, as in C++ and as the conformance suite requires. Skipped fields are
//! checked by the same rules.
//!
//! ```
//! use tablepb::wire::{Reader, Tag, WireType, Writer};
//!
//! const ID: Tag = Tag::new(1, WireType::Varint);
//! let mut bytes = Vec::new();
//! let mut writer = Writer::new(&mut bytes);
//! writer.write_tag(ID);
//! writer.write_varint(150);
//! assert_eq!(bytes, [0x08, 0x96, 0x01]);
//!
//! let mut reader = Reader::new(&bytes);
//! assert_eq!(reader.next_tag()?, Some(ID));
//! assert_eq!(reader.read_varint()?, 150);
//! # Ok::<(), tablepb::DecodeError>(())
//! ```

pub(crate) mod output;
pub(crate) mod read;

#[cfg_attr(
    not(feature = "reflect"),
    allow(dead_code, unused_imports, unused_macros, reason = "the rest is for dynamic messages")
)]
pub(crate) mod error;
pub(crate) mod fields;
pub(crate) mod heap;
pub(crate) mod options;
#[cfg(not(tablepb_no_alloc))]
pub(crate) mod sync;

pub(crate) mod kernels;
mod limits;
mod tag;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
pub mod utf8;
mod varint;
mod writer;

pub use error::PathStep;
pub use kernels::has_fast_pext;
pub use limits::DEFAULT_DEPTH;
pub use output::buffer::Buffer;
pub use read::raw::{PackedFixed32, PackedFixed64, PackedVarints};
pub use read::reader::Reader;
pub use tag::{Tag, WireType};
pub use varint::{unzigzag32, unzigzag64, varint_len, zigzag32, zigzag64};
pub use writer::Writer;

#[allow(unused_imports, reason = "for the encoders and decoders")]
pub(crate) use kernels::{BestBits, Bits, CpuCall, CpuTask, with_best_cpu};
#[allow(unused_imports, reason = "for the encoders and decoders")]
pub(crate) use limits::{Full, MAX_LEN, SMALL_CODE};
#[allow(unused_imports, reason = "for the encoders and decoders")]
pub(crate) use output::cursor::{Cursor, CursorOverflow};
pub(crate) use output::spare::Written;
#[allow(unused_imports, reason = "for the encoders and decoders")]
pub(crate) use read::raw::{WireFault, count_varints};
#[allow(unused_imports, reason = "for the encoders and decoders")]
pub(crate) use tag::TagWord;
#[cfg(feature = "reflect")]
pub(crate) use varint::push_varint;
#[allow(unused_imports, reason = "for the encoders and decoders")]
pub(crate) use varint::{gather, long_varint, short_varint};
