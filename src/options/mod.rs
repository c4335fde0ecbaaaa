//! What a decode may use and checks, and what an encode writes: the choices that structs and messages in the slab share.

mod decode;
mod encode;

pub use decode::DecodeOptions;
pub use encode::EncodeOptions;
