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
    /// Sorts ranges of (first, last).
    ///
    /// # Errors
    /// An empty range, or one that overlaps with another.
    pub(super) fn new(mut ranges: Vec<(i64, i64, Use)>) -> Result<Self, (i64, i64)> {
        sort_list(&mut ranges, |a, b| (a.0, a.1) < (b.0, b.1));
        if let Some(&(first, last, _)) = ranges.iter().find(|(first, last, _)| first > last) {
            return Err((first, last));
        }
        for pair in ranges.windows(2) {
            if let &[(_, last, _), (next, end, _)] = pair
                && next <= last
            {
                return Err((next, end));
            }
        }
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

    #[test]
    fn numbers_are_found_in_their_range() {
        let ranges =
            Ranges::new(vec![(10, 20, Use::Reserved), (1, 1, Use::Extensions), (21, 21, Use::Extensions)])
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
        assert!(Ranges::new(vec![(2, 1, Use::Reserved)]).is_err());
        assert!(Ranges::new(vec![(1, 5, Use::Reserved), (5, 6, Use::Extensions)]).is_err());
        assert!(Ranges::new(vec![(1, 9, Use::Reserved), (3, 4, Use::Reserved)]).is_err());
    }
}
