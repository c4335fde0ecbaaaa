//! The options of decoding and encoding, for structs and dynamic messages alike.

mod decode;
mod encode;

pub use decode::DecodeOptions;
pub use encode::EncodeOptions;
