//! [`List`], [`Union`]: which elements, and which member, each row has.

use super::columns::{Spare, Zeros, size_of};
use arrow_buffer::ScalarBuffer;

/// Where the elements of each row start.
#[derive(Clone, Debug, Default)]
pub(super) struct List {
    pub(super) starts: Vec<i32>,
    spare: Spare,
    hint: usize,
}

impl List {
    /// Makes sure that the list of a row has begun; `len` is the number of elements of all rows so far.
    #[inline(always)]
    pub(super) fn open(&mut self, row: usize, len: usize) {
        if self.starts.len() == row && self.starts.capacity() > row {
            self.starts.push(len as i32);
        } else if self.starts.len() <= row {
            self.fill(row + 1, len);
        }
    }

    #[inline(never)]
    pub(super) fn fill(&mut self, rows: usize, len: usize) {
        if self.starts.capacity() == 0 {
            self.starts = self.spare.take();
            self.starts.reserve_exact(self.hint.max(rows));
        }
        self.starts.resize(rows, len as i32);
    }

    /// The bytes that they take in a batch of this many rows.
    pub(super) fn size(&self, rows: usize) -> usize {
        size_of(&self.starts, rows + 1, true)
    }

    /// Where the lists of this many rows start, and the end of the last one.
    pub(super) fn take(&mut self, rows: usize, len: usize, zeros: &mut Zeros) -> ScalarBuffer<i32> {
        if self.starts.is_empty() && len == 0 {
            return zeros.get(rows + 1);
        }
        self.fill(rows + 1, len);
        self.hint = rows + 1;
        ScalarBuffer::new(self.spare.keep(std::mem::take(&mut self.starts)), 0, rows + 1)
    }
}

/// A dense union. Type id 0 says that no member is set.
#[derive(Clone, Debug, Default)]
pub(super) struct Union {
    pub(super) ids: Vec<i8>,
    pub(super) offsets: Vec<i32>,
    /// Of each id, as far as there are any, how many rows have it.
    counts: Vec<i32>,
}

impl Union {
    /// The row in the child of a member, which has `len` rows.
    pub(super) fn enter(&mut self, row: usize, id: i8, len: usize) -> usize {
        if let Some(&offset) = self.offsets.get(row) {
            return offset as usize;
        }
        self.fill(row);
        self.push(id, len as i32);
        len
    }

    #[inline]
    fn push(&mut self, id: i8, offset: i32) {
        let at = id as usize;
        if self.counts.len() <= at {
            self.counts.resize(at + 1, 0);
        }
        if let Some(count) = self.counts.get_mut(at) {
            *count += 1;
        }
        self.ids.push(id);
        self.offsets.push(offset);
    }

    /// Fills rows without a member.
    pub(super) fn fill(&mut self, rows: usize) {
        while self.ids.len() < rows {
            self.push(0, self.count(0) as i32);
        }
    }

    /// Takes back the rows from `rows` on, and looks at no others.
    pub(super) fn truncate(&mut self, rows: usize) {
        for id in self.ids.drain(rows.min(self.ids.len())..) {
            if let Some(count) = self.counts.get_mut(id as usize) {
                *count -= 1;
            }
        }
        self.offsets.truncate(rows);
    }

    /// How many rows have a member.
    pub(super) fn count(&self, id: i8) -> usize {
        self.counts.get(id as usize).map_or(0, |&count| count as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    /// The least time of taking back a row a thousand times, after this many rows.
    fn taking_back(rows: usize) -> Duration {
        let mut union = Union::default();
        (0..rows).for_each(|row| _ = union.enter(row, (row % 20) as i8, 0));
        let time = |_| {
            let start = Instant::now();
            for _ in 0..1000 {
                union.enter(rows + 1, 19, 0);
                union.truncate(rows);
                assert_eq!(std::hint::black_box(union.count(19)), rows / 20);
            }
            start.elapsed()
        };
        (0..5).map(time).min().unwrap()
    }

    #[test]
    fn taking_back_a_row_takes_no_longer_after_many_rows() {
        let (few, many) = (taking_back(100), taking_back(200_000));
        assert!(many < 20 * few + Duration::from_millis(1), "{many:?} after many rows, {few:?} after few");
    }
}
