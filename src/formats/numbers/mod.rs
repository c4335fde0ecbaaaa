//! What the text formats share: numbers, base64, points in time, field masks, and a buffer to print to.
//!
//! Nothing here knows a schema, a message or the grammar of a whole format; `json/` and `text/` build on it.

#[cfg(feature = "reflect")]
mod base64;
mod digits;
#[cfg(feature = "reflect")]
mod floats;
#[cfg(feature = "reflect")]
mod number;
mod out;
#[cfg(feature = "reflect")]
mod shortest;
#[cfg(feature = "reflect")]
mod swar;
mod time;

#[cfg(feature = "reflect")]
pub(crate) use base64::{
    camel_paths, decode as decode_base64, encode as encode_base64, snake_path, type_in_url,
};
#[cfg(feature = "json")]
pub(crate) use digits::{put_element, put_quoted_i64, put_quoted_u64};
pub(crate) use digits::{put_i64, put_u64};
#[cfg(feature = "json")]
pub(crate) use floats::{Decimal, put_short_f32};
#[cfg(feature = "reflect")]
pub(crate) use floats::{put_f32, put_f64};
#[cfg(feature = "json")]
pub(crate) use number::TWENTY_DIGITS;
#[cfg(feature = "reflect")]
pub(crate) use number::{Integer, JsonNumber};
pub(crate) use out::TextOut;
#[cfg(feature = "json")]
pub(crate) use swar::read_digits;
pub(crate) use time::{
    MAX_SECONDS, MIN_SECONDS, is_duration, is_timestamp, parse_duration, parse_timestamp, put_duration,
    put_timestamp,
};
