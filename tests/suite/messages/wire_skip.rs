//! Skipping agrees with reading on random fields, on their truncations, and on them with bits flipped.

use crate::agree::wire_skip as agree;
use tablepb::wire::{Tag, WireType, Writer};
use tablepb::{DecodeErrorKind, EncodeError};

/// A small generator of reproducible numbers (splitmix64).
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// A number of any magnitude.
    fn value(&mut self) -> u64 {
        let bits = self.below(64);
        self.next() >> bits
    }
}

fn fields(rng: &mut Rng, writer: &mut Writer<'_, Vec<u8>>, depth: u32) -> Result<(), EncodeError> {
    for _ in 0..rng.below(5) {
        let number = 1 + (rng.value() as u32 >> 3).min(Tag::MAX_NUMBER - 1);
        let tag = |wire_type| Tag::new(number, wire_type);
        match rng.below(if depth > 0 { 7 } else { 5 }) {
            0 => {
                writer.write_tag(tag(WireType::Varint));
                writer.write_varint(rng.value());
            }
            1 => {
                writer.write_tag(tag(WireType::Fixed64));
                writer.write_fixed64(rng.next());
            }
            2 => {
                writer.write_tag(tag(WireType::Fixed32));
                writer.write_fixed32(rng.next() as u32);
            }
            3 => {
                writer.write_tag(tag(WireType::LengthDelimited));
                let ascii = if rng.below(2) == 0 { 0x7f } else { 0xff };
                let bytes: Vec<u8> = (0..rng.below(40)).map(|_| rng.next() as u8 & ascii).collect();
                writer.write_length_delimited(&bytes)?;
            }
            4 => {
                writer.write_tag(tag(WireType::LengthDelimited));
                let values: Vec<u64> = (0..rng.below(9)).map(|_| rng.value()).collect();
                writer.write_packed_varints(values)?;
            }
            5 => {
                writer.write_message(tag(WireType::LengthDelimited), |child| fields(rng, child, depth - 1))?
            }
            _ => writer.write_group(number, |group| fields(rng, group, depth - 1))?,
        }
    }
    Ok(())
}

#[test]
fn valid_messages_and_their_neighbours() {
    let mut rng = Rng(7);
    let (mut refused, mut checked) = (0, 0);
    for _ in 0..crate::common::rounds(400) {
        let mut buf = Vec::new();
        fields(&mut rng, &mut Writer::new(&mut buf), 4).unwrap();
        assert_eq!(agree::check(&buf, 4), Ok(()));
        for len in 0..buf.len() {
            let cut = agree::check(&buf[..len], 4);
            // A cut is only seen if it is not between two fields; nothing else can be wrong.
            assert!(matches!(cut, Ok(()) | Err((DecodeErrorKind::Incomplete, _))), "{cut:?}");
            refused += usize::from(cut.is_err());
            for bit in 0..8 {
                buf[len] ^= 1 << bit;
                refused += usize::from(agree::check(&buf, rng.below(6) as u32).is_err());
                buf[len] ^= 1 << bit;
            }
            checked += 9;
        }
    }
    assert!(
        refused > checked / 10 && checked > crate::common::rounds(100_000) as usize,
        "{refused} of {checked} refused"
    );
}

#[test]
fn bytes_from_a_small_alphabet() {
    const ALPHABET: [u8; 12] = [0x08, 0x0a, 0x0b, 0x0c, 0x0d, 0x13, 0x14, 0x00, 0x01, 0x80, 0x0e, 0xff];
    let mut rng = Rng(11);
    let mut accepted = 0;
    for round in 0..crate::common::rounds(200_000) {
        let len = round % 14;
        let buf: Vec<u8> = (0..len).map(|_| ALPHABET[rng.below(12) as usize]).collect();
        accepted += usize::from(agree::check(&buf, rng.below(4) as u32).is_ok());
    }
    assert!(accepted > crate::common::rounds(10_000) as usize, "{accepted} accepted");
}
