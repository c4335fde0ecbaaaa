//! What text formats have in common: numbers, base64, points in time, field masks, and a buffer to print to.
//!
//! Nothing here knows a schema, a message or the grammar of a whole format; `json/` and `text/` build on it.

mod base64;
mod digits;
mod mask;
mod nearest;
mod number;
mod out;
mod powers;
mod shortest;
mod swar;
mod time;

pub(crate) use base64::{decode as decode_base64, encode as encode_base64};
pub(crate) use digits::{put_element, put_f32, put_f64, put_i64, put_quoted_i64, put_quoted_u64, put_u64};
pub(crate) use mask::{camel_path, snake_path};
pub(crate) use number::{Decimal, Integer, JsonNumber, TWENTY_DIGITS};
pub(crate) use out::TextOut;
pub(crate) use swar::read_digits;
pub(crate) use time::{
    MAX_DURATION, MAX_SECONDS, MIN_SECONDS, parse_duration, parse_timestamp, put_duration, put_timestamp,
};
