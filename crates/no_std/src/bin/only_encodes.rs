//! Only encodes: `tests/links.rs` looks at what it links.

use std::hint::black_box;
use tablepb::Message;
use tablepb_no_std::Reading;

fn main() {
    let reading = Reading { sensor: black_box("oven"), uptime: 7, temperature: Some(1.5), raw: &[] };
    let encoded = reading.encode_to_slice(black_box(&mut [0; 32]));
    std::process::exit(i32::from(black_box(encoded).is_err()));
}
