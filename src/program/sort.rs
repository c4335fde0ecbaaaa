//! Sorting for cold code, compiled once: an instance of the standard sort is 2 700 lines of IR for each order.
//!
//! In place, without allocation, and n log n for any input.

use core::cmp::Ordering;

/// Sorts indices by what they stand for.
pub(crate) fn sort_indices(list: &mut [u32], order: &mut dyn FnMut(u32, u32) -> Ordering) {
    list.sort_unstable_by(|&a, &b| order(a, b));
}

/// Sorts pairs by the first number, then by the second.
pub(crate) fn sort_pairs(list: &mut [(u32, u32)]) {
    list.sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn indices_follow_the_order_that_is_given() {
        let names = ["d", "b", "a", "c", "b"];
        let mut list = Vec::from([0, 1, 2, 3, 4]);
        sort_indices(&mut list, &mut |a, b| names[a as usize].cmp(names[b as usize]).then(a.cmp(&b)));
        assert_eq!(list, [2, 1, 4, 3, 0]);
    }

    #[test]
    fn sorting_compares_n_log_n_times() {
        // A saw, an organ pipe and equal keys are slow for simple quicksorts.
        let orders: [fn(u32) -> u32; 4] = [|i| i % 64, |i| i.min(4096 - i), |_| 7, |i| i ^ 0xaaa];
        for key in orders {
            let (mut list, mut count) = ((0..4096).collect::<Vec<u32>>(), 0);
            sort_indices(&mut list, &mut |a, b| {
                count += 1;
                key(a).cmp(&key(b))
            });
            assert!(list.is_sorted_by_key(|&i| key(i)) && count < 2 * 4096 * 12, "{count}");
        }
    }
}
