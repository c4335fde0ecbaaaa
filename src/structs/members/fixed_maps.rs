//! Maps of fixed capacity as members: those of `heapless`.

use super::field::{DecodeField, DecodeValue, EncodeField, EncodeValue};
use super::map::{MapMember, maps, merge_entry, size_entries, write_entries};
use crate::structs::decode::end::UNKNOWN;
use crate::structs::decode::input::Input;
use crate::structs::encode::size::StructSizer;
use crate::structs::encode::write::StructWriter;
use crate::structs::grammar::kinds::{KindMarker, MapEntries, WireSpec};
use crate::wire::WireType;
use crate::wire::error::DecodeErrorKind;

/// The entries of a map of fixed capacity. On request they are found one by one in key order: quadratic, but without memory.
macro_rules! found_in_order {
    ($map:expr, $pass:ident, |$entries:ident| $body:expr, $no_memory:expr) => {
        if $pass.sorted {
            let after = |last: Option<(&_, &_)>| {
                $map.iter()
                    .filter(|entry| last.is_none_or(|last| entry.0 > last.0))
                    .min_by_key(|entry| entry.0)
            };
            let $entries = core::iter::successors(after(None), |last| after(Some(*last)));
            $body
        } else {
            let $entries = $map.iter();
            $body
        }
    };
}

maps! {
    [const N: usize] heapless::LinearMap<K, V, N> where Ord,
    found_in_order, check_room, insert |old| matches!(old, Ok(Some(_)))
}

/// Whether there is room for the entry, or its key is there already. Charges nothing.
fn check_room<K: Eq, V, const N: usize>(
    map: &mut heapless::LinearMap<K, V, N>,
    key: &K,
    _: &mut Input<'_>,
) -> Result<usize, DecodeErrorKind> {
    if map.is_full() && !map.contains_key(key) { Err(DecodeErrorKind::CapacityExceeded) } else { Ok(0) }
}
