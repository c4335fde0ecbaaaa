//! Extension and reserved ranges of a message or an enum.

use crate::schema::program::sort_list;
use alloc::vec::Vec;

/// The purpose of a range of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Extensions,
    Reserved,
}

/// Disjoint ranges in ascending order, both ends included.
#[derive(Debug)]
pub(super) struct Ranges(Vec<(i64, i64, Use)>);

impl Ranges {
    /// Sorts ranges of (first, last). Leaves out those that are empty or overlap with one before them, after `refuse` was told.
    ///
    /// # Errors
    /// Those of `refuse`.
    pub(super) fn new<E>(
        mut ranges: Vec<(i64, i64, Use)>,
        mut refuse: impl FnMut(i64, i64) -> Result<(), E>,
    ) -> Result<Self, E> {
        sort_list(&mut ranges, |a, b| (a.0, a.1) < (b.0, b.1));
        let mut end = i64::MIN;
        let mut kept = 0;
        for at in 0..ranges.len() {
            let Some(&(first, last, _)) = ranges.get(at) else { break };
            if first > last || first <= end {
                refuse(first, last)?;
                continue;
            }
            end = last;
            ranges.swap(kept, at);
            kept += 1;
        }
        ranges.truncate(kept);
        Ok(Self(ranges))
    }

    /// The list, whose memory the caller releases.
    pub(super) fn into_list(self) -> Vec<(i64, i64, Use)> {
        self.0
    }

    /// The purpose of the range that holds a number.
    pub(super) fn find(&self, number: i64) -> Option<Use> {
        let at = self.0.partition_point(|&(_, last, _)| last < number);
        self.0.get(at).filter(|(first, ..)| *first <= number).map(|&(.., used)| used)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn ranges(list: Vec<(i64, i64, Use)>) -> Result<Ranges, (i64, i64)> {
        Ranges::new(list, |first, last| Err((first, last)))
    }

    #[test]
    fn numbers_are_found_in_their_range() {
        let ranges =
            ranges(vec![(10, 20, Use::Reserved), (1, 1, Use::Extensions), (21, 21, Use::Extensions)])
                .unwrap();
        let expect = [(0, None), (1, Some(Use::Extensions)), (2, None), (9, None), (10, Some(Use::Reserved))];
        for (number, used) in expect {
            assert_eq!(ranges.find(number), used, "{number}");
        }
        assert_eq!(ranges.find(20), Some(Use::Reserved));
        assert_eq!(ranges.find(21), Some(Use::Extensions));
        assert_eq!(ranges.find(22), None);
    }

    #[test]
    fn bad_ranges_are_refused() {
        assert!(ranges(vec![(2, 1, Use::Reserved)]).is_err());
        assert!(ranges(vec![(1, 5, Use::Reserved), (5, 6, Use::Extensions)]).is_err());
        assert!(ranges(vec![(1, 9, Use::Reserved), (3, 4, Use::Reserved)]).is_err());
        // The others count.
        let list = vec![
            (1, 9, Use::Reserved),
            (3, 4, Use::Extensions),
            (7, 5, Use::Reserved),
            (10, 10, Use::Reserved),
        ];
        let mut refused = vec![];
        let found = Ranges::new(list, |first, last| {
            refused.push((first, last));
            Ok::<(), ()>(())
        });
        assert_eq!(refused, [(3, 4), (7, 5)]);
        assert_eq!(found.unwrap().into_list(), [(1, 9, Use::Reserved), (10, 10, Use::Reserved)]);
    }
}
