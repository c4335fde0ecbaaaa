//! Reader, writer and cursor together.

use super::*;
use alloc::vec::Vec;

#[test]
fn varints_survive_writing_and_reading() {
    for bit in 0..64 {
        for value in [1_u64 << bit, (1 << bit) - 1, u64::MAX >> bit, !0 << bit] {
            let mut buf = Vec::new();
            Writer::new(&mut buf).write_varint(value);
            assert_eq!(buf.len(), varint_len(value));
            assert_eq!(raw::varint(&buf, 0), Ok((value, buf.len())));
            buf.resize(24, 0xff);
            assert_eq!(raw::varint(&buf, 0), Ok((value, varint_len(value))));
        }
    }
}
