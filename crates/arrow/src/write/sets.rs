//! Which fields of a row are set: where most are null, those that are not are found without a look at each.

use super::WriteErrorKind;
use super::bind::room;
use arrow_buffer::NullBuffer;
use std::cell::Cell;

/// Rows of a block, and fields of a chunk: the bits of a word.
pub(super) const BITS: usize = 64;

/// Fewer fields that may be null are looked at one by one. A block costs each of its rows about as much as three such looks.
const FEW: usize = 6;

/// Fields that may be null, 64 of a message at most, and which of them the rows of a block have.
pub(super) struct Chunk<'a> {
    nulls: Vec<Option<&'a NullBuffer>>,
    /// The block in `rows`, counted from 1.
    block: Cell<usize>,
    /// Of each row a bit for each field.
    rows: Vec<Cell<u64>>,
}

impl<'a> Chunk<'a> {
    /// The chunks of the fields of a message: of each where it is null, if it may be left out where it is. None if few may.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub(super) fn all(nulls: &[Option<&'a NullBuffer>]) -> Result<Vec<Self>, WriteErrorKind> {
        if nulls.iter().flatten().count() < FEW {
            return Ok(Vec::new());
        }
        let mut chunks = room(nulls.len().div_ceil(BITS))?;
        for nulls in nulls.chunks(BITS) {
            let mut chunk = Self { nulls: room(nulls.len())?, block: Cell::new(0), rows: room(BITS)? };
            chunk.nulls.extend_from_slice(nulls);
            chunk.rows.resize_with(BITS, Cell::default);
            chunks.push(chunk);
        }
        Ok(chunks)
    }

    /// A bit for each field of a row, which is 0 if it is null.
    #[inline]
    pub(super) fn get(&self, row: usize) -> u64 {
        if self.block.get() != row / BITS + 1 {
            self.turn(row / BITS);
        }
        self.rows[row % BITS].get()
    }

    /// Turns the bitmaps of fields into those of the rows of a block.
    #[inline(never)]
    fn turn(&self, block: usize) {
        let mut bits = [0; BITS];
        for (bits, nulls) in bits.iter_mut().zip(&self.nulls) {
            *bits = nulls.map_or(u64::MAX, |nulls| word(nulls, block * BITS));
        }
        transpose(&mut bits);
        for (row, bits) in self.rows.iter().zip(bits) {
            row.set(bits);
        }
        self.block.set(block + 1);
    }
}

/// Which of the 64 rows from one on are valid. Bits after the last row mean nothing.
fn word(nulls: &NullBuffer, row: usize) -> u64 {
    let at = nulls.offset() + row;
    let bytes = nulls.validity().get(at / 8..).unwrap_or_default();
    let mut word = [0; 16];
    // 64 bits from the middle of a byte on are in nine bytes.
    let len = bytes.len().min(9);
    word[..len].copy_from_slice(&bytes[..len]);
    (u128::from_le_bytes(word) >> (at % 8)) as u64
}

/// Bit `i` of word `k` becomes bit `k` of word `i` (H. S. Warren, Hacker's Delight, 7-3): squares of 32, 16 .. bits change places.
fn transpose(words: &mut [u64; BITS]) {
    let (mut size, mut mask) = (BITS / 2, u64::from(u32::MAX));
    while size != 0 {
        let mut k = 0;
        while k < BITS {
            let change = (words[k] >> size ^ words[k | size]) & mask;
            words[k | size] ^= change;
            words[k] ^= change << size;
            k = ((k | size) + 1) & !size;
        }
        size /= 2;
        mask ^= mask << size;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_the_bits_of_their_fields() {
        let is_valid = |field: usize, row: usize| (field * 7 + row * 13 + field * row).is_multiple_of(3);
        // Parts of longer bitmaps, so that they begin in the middle of bytes.
        let nulls: Vec<NullBuffer> = (0..100)
            .map(|field| {
                let before = field % 11;
                let valid = (0..before + 150).map(|at| at >= before && is_valid(field, at - before));
                NullBuffer::from_iter(valid).slice(before, 150)
            })
            .collect();
        let fields: Vec<_> =
            nulls.iter().enumerate().map(|(field, nulls)| (field % 5 != 0).then_some(nulls)).collect();
        let chunks = Chunk::all(&fields).unwrap();
        assert_eq!(chunks.len(), 2);
        for row in (0..150).chain((0..150).rev()) {
            for (field, nulls) in fields.iter().enumerate() {
                let expected = nulls.is_none_or(|nulls| nulls.is_valid(row));
                assert_eq!(chunks[field / 64].get(row) >> (field % 64) & 1 == 1, expected, "{field} {row}");
            }
        }
        assert!(Chunk::all(&fields[..6]).unwrap().is_empty());
    }
}
