//! Only decodes: `tests/links.rs` looks at what it links.

use std::hint::black_box;
use tablepb::Message;
use tablepb_no_std::Command;

fn main() {
    let decoded = Command::decode(black_box(b"\x0a\x04oven\x10\x07"));
    std::process::exit(i32::from(black_box(decoded).is_err()));
}
