//! The smallest part of an input that is still a difference.

use crate::mutate::tokens;

/// Leaves out pieces, larger ones first, as long as what is left still differs.
fn pieces<T: Clone>(mut all: Vec<T>, mut differs: impl FnMut(&[T]) -> bool) -> Vec<T> {
    let mut size = all.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < all.len() {
            let end = (at + size).min(all.len());
            let fewer = [&all[..at], &all[end..]].concat();
            if differs(&fewer) { all = fewer } else { at = end }
        }
        size /= 2;
    }
    all
}

pub fn bytes(input: &[u8], differs: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    pieces(input.to_vec(), differs)
}

pub fn text(input: &str, mut differs: impl FnMut(&str) -> bool) -> String {
    pieces(tokens(input), |tokens| differs(&tokens.concat())).concat()
}
