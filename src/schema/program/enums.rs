//! The numbers of enums.

use super::spec::SpecSource;
use super::{Room, RoomFull, sort_list};
use alloc::vec::Vec;

/// The numbers of an enum.
#[derive(Debug)]
pub(crate) struct EnumNumbers {
    /// Bit n: number n is listed, for 0..64.
    small: u64,
    /// All numbers, of a closed enum.
    sorted: Vec<i32>,
    /// The first number listed.
    pub(super) default: i32,
    pub(super) closed: bool,
}

impl EnumNumbers {
    pub(super) fn new<S: SpecSource + ?Sized>(
        source: &S,
        index: u32,
        room: &mut Room,
    ) -> Result<Self, RoomFull> {
        let default = source.enum_number(index, 0).unwrap_or(0);
        let closed = source.is_closed(index);
        let mut sorted = Vec::new();
        if closed {
            room.reserve(&mut sorted, source.enum_numbers(index))?;
            sorted.extend((0..source.enum_numbers(index)).filter_map(|at| source.enum_number(index, at)));
            sort_list(&mut sorted, |a, b| a < b);
            sorted.dedup();
        }
        let small = sorted.iter().filter(|n| (0..64).contains(*n)).fold(0, |bits, n| bits | 1 << n);
        Ok(Self { small, sorted, default, closed })
    }

    /// Whether the closed enum lists the number.
    #[inline]
    pub(crate) fn contains(&self, number: i32) -> bool {
        if (0..64).contains(&number) {
            self.small >> number & 1 != 0
        } else {
            self.sorted.binary_search(&number).is_ok()
        }
    }
}
