//! [`MapKeys`]: whether the keys of a map differ.

use super::batch::{Batch, Scalar};
use super::columns::Key;
use std::collections::HashSet;

/// As many keys are compared with each other.
const FEW: usize = 16;

/// The keys of a map: the node of its entries, and kind and place of the column of keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct MapKeys {
    pub(super) node: u32,
    pub(super) scalar: Scalar,
    pub(super) column: u32,
}

impl MapKeys {
    /// Whether the keys of a row of the list of entries differ.
    pub(super) fn are_unique(self, batch: &Batch, list: u32, row: usize) -> bool {
        let Some(list) = batch.stores.lists.get(list as usize) else { return true };
        let count = batch.nodes.get(self.node as usize).map_or(0, |node| node.count);
        let end = list.starts.get(row + 1).map_or(count, |&end| end as usize);
        let start = list.starts.get(row).map_or(end, |&start| start as usize);
        let (stores, at) = (&batch.stores, self.column as usize);
        macro_rules! words {
            ($store:ident) => {
                stores.$store.get(at).is_none_or(|keys| unique(start, end, |row| keys.get(row)))
            };
        }
        match self.scalar {
            Scalar::Bool => words!(bools),
            Scalar::I32 => words!(i32s),
            Scalar::I64 => words!(i64s),
            Scalar::U32 => words!(u32s),
            Scalar::U64 => words!(u64s),
            Scalar::F32 | Scalar::F64 => true,
            Scalar::Text => stores.texts.get(at).is_none_or(|keys| {
                let key = |row| -> Key<'_> { keys.key(row, &batch.blocks) };
                end - start <= FEW && keys.surely_differ(start, end) || unique(start, end, key)
            }),
        }
    }
}

/// Whether the keys between two rows differ.
fn unique<K: Copy + Eq + std::hash::Hash>(start: usize, end: usize, key_at: impl Fn(usize) -> K) -> bool {
    if end - start <= FEW {
        return (start..end).all(|a| {
            let key = key_at(a);
            (start..a).all(|b| key_at(b) != key)
        });
    }
    // Its hasher has secret keys, so keys that somebody chose cost no more.
    let mut seen = HashSet::with_capacity(end - start);
    (start..end).all(|row| seen.insert(key_at(row)))
}
