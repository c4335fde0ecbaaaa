//! Maps: repeated messages with a key, field 1, and a value, field 2.
//!
//! An encode writes key and value of every entry, as C++ does. In a decode, the later of two entries with the same key
//! wins, a missing key or value is the default value, and unknown fields of an entry are dropped. An entry with an unlisted
//! value of a closed enum goes to the unknown fields as a whole,
//! <https://protobuf.dev/programming-guides/proto3/#maps>.

use super::field::{DecodeValue, EncodeValue};
use crate::schema::table::Syntax;
use crate::structs::decode::input::Input;
use crate::structs::decode::memory::merge_aside;
use crate::structs::decode::{UNKNOWN, is_position, tag};
use crate::structs::encode::size::StructSizer;
use crate::structs::encode::write::StructWriter;
use crate::structs::grammar::kinds::{KindMarker, WireSpec};
use crate::wire::error::DecodeErrorKind;
use core::ops::ControlFlow::{Break, Continue};

const KEY: WireSpec = WireSpec::new(1, Syntax::Proto3);
const VALUE: WireSpec = WireSpec::new(2, Syntax::Proto3);

#[inline]
pub(super) fn size_entries<
    'm,
    K: EncodeValue<KK> + 'm,
    V: EncodeValue<VK> + 'm,
    KK: KindMarker,
    VK: KindMarker,
>(
    entries: impl Iterator<Item = (&'m K, &'m V)>,
    spec: WireSpec,
    sizer: &mut StructSizer<'_, '_>,
) -> u64 {
    let mut total = 0;
    for (i, (key, value)) in entries.enumerate() {
        let entry = |sizer: &mut StructSizer<'_, '_>| key.size(KEY, sizer) + value.size(VALUE, sizer);
        total += spec.tag_len() + sizer.prefixed(spec, entry);
        sizer.locate(spec, i);
    }
    total
}

#[inline]
pub(super) fn write_entries<
    'm,
    K: EncodeValue<KK> + 'm,
    V: EncodeValue<VK> + 'm,
    KK: KindMarker,
    VK: KindMarker,
>(
    entries: impl Iterator<Item = (&'m K, &'m V)>,
    spec: WireSpec,
    writer: &mut StructWriter<'_, '_, '_>,
) {
    for (key, value) in entries {
        writer.tag_and_length(spec, |sizer| key.size(KEY, sizer) + value.size(VALUE, sizer));
        key.write(KEY, writer);
        value.write(VALUE, writer);
    }
}

/// Reads the length of an entry and merges its fields. Returns [`UNKNOWN`] if the entry is unknown as a whole.
#[inline]
fn read_entry<'i, K: DecodeValue<'i, KK>, V: DecodeValue<'i, VK>, KK: KindMarker, VK: KindMarker>(
    key: &mut K,
    value: &mut V,
    pos: usize,
    input: &mut Input<'i>,
) -> usize {
    let mut known = true;
    let end = input.prefixed(pos, |input, mut pos| {
        let (buf, mut has_value) = (input.buf, false);
        while pos < buf.len() {
            let start = pos;
            let (bits, after) = tag(buf, start);
            pos = match bits >> 3 {
                1 => key.merge(after, bits, input),
                2 => value.merge(after, bits, input),
                _ => UNKNOWN,
            };
            if bits == VALUE.tag::<VK>() as u32 {
                // Only a closed enum refuses a value of its own wire type. The last value decides.
                known = pos != UNKNOWN;
                has_value = true;
            }
            if !is_position(pos) {
                pos = match input.settle(pos, start, 0, None) {
                    Continue(next) => next,
                    Break(end) => return end,
                };
            }
        }
        // An entry without a message has an empty one, which may lack required fields.
        input.required |= const { VK::REQUIRED } && !has_value;
        pos
    });
    if is_position(end) && !known { UNKNOWN } else { end }
}

/// Merges an entry and inserts it.
#[inline]
pub(super) fn merge_entry<
    'i,
    K: DecodeValue<'i, KK>,
    V: DecodeValue<'i, VK>,
    KK: KindMarker,
    VK: KindMarker,
>(
    pos: usize,
    input: &mut Input<'i>,
    insert: impl FnOnce(K, V, &mut Input<'i>) -> Result<(), DecodeErrorKind>,
) -> usize {
    let merged = merge_aside(
        input,
        |input| Ok((K::fresh(input)?, V::fresh(input)?)),
        |(key, value), input| read_entry(key, value, pos, input),
        |(key, value), end, input| {
            if !is_position(end) {
                return end;
            }
            input.pos = end;
            match insert(key, value, input) {
                Ok(()) => end,
                Err(kind) => input.fault(kind, end),
            }
        },
    );
    merged.unwrap_or_else(|kind| input.fault(kind, pos))
}

/// A map, whatever its kinds.
pub trait MapMember {
    /// The type of the keys.
    type Key;
    /// The type of the values.
    type Value;

    /// Adds an entry, or replaces its value, within the budget. Gives whether the key is new.
    fn insert_entry(
        &mut self,
        key: Self::Key,
        value: Self::Value,
        input: &mut Input<'_>,
    ) -> Result<bool, DecodeErrorKind>;

    /// The entries, in the order of the map.
    #[cfg(feature = "reflect")]
    fn entries(&self) -> impl Iterator<Item = (&Self::Key, &Self::Value)>;
}

/// Gives a type of maps the traits of members. `$entries` is a macro for the entries of a pass, `$reserve` makes room for an entry.
macro_rules! maps {
    ([$($generics:tt)*] $map:ty where $bound:path, $entries:ident, $reserve:ident, insert |$old:ident| $is_old:expr) => {
        impl<K, V, KK, VK, $($generics)*> EncodeField<MapEntries<KK, VK>> for $map
        where
            K: EncodeValue<KK> + Ord + $bound,
            V: EncodeValue<VK>,
            KK: KindMarker,
            VK: KindMarker,
        {
            #[inline(always)]
            fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
                $entries!(self, sizer, |entries| size_entries(entries, spec, sizer), sizer.no_memory(spec))
            }

            #[inline(always)]
            fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
                $entries!(self, writer, |entries| write_entries(entries, spec, writer), writer.no_memory());
            }

            #[inline(always)]
            fn clear(&mut self) {
                // `clear` of an empty map is slower than this test.
                if !self.is_empty() {
                    self.clear();
                }
            }
        }

        impl<'i, K, V, KK, VK, $($generics)*> DecodeField<'i, MapEntries<KK, VK>> for $map
        where
            K: DecodeValue<'i, KK> + Ord + $bound,
            V: DecodeValue<'i, VK>,
            KK: KindMarker,
            VK: KindMarker,
        {
            #[inline]
            fn merge(&mut self, pos: usize, bits: u32, input: &mut Input<'i>) -> usize {
                if bits & 7 != WireType::LengthDelimited as u32 {
                    return UNKNOWN;
                }
                merge_entry(pos, input, |key, value, input| self.insert_entry(key, value, input).map(|_| ()))
            }
        }

        impl<K: Ord + $bound, V, $($generics)*> MapMember for $map {
            type Key = K;
            type Value = V;

            #[inline(always)]
            fn insert_entry(
                &mut self,
                key: K,
                value: V,
                input: &mut Input<'_>,
            ) -> Result<bool, DecodeErrorKind> {
                let charged = $reserve(self, &key, input)?;
                let $old = self.insert(key, value);
                if $is_old {
                    // The key was present, so the entry took no memory.
                    input.refund(charged);
                    return Ok(false);
                }
                Ok(true)
            }

            #[cfg(feature = "reflect")]
            #[inline]
            fn entries(&self) -> impl Iterator<Item = (&K, &V)> {
                self.iter()
            }
        }
    };
}

pub(super) use maps;

/// Maps of fixed capacity as members: those of `heapless`.
#[cfg(feature = "heapless")]
mod fixed {
    use super::{MapMember, merge_entry, size_entries, write_entries};
    use crate::structs::decode::UNKNOWN;
    use crate::structs::decode::input::Input;
    use crate::structs::encode::size::StructSizer;
    use crate::structs::encode::write::StructWriter;
    use crate::structs::grammar::kinds::{KindMarker, MapEntries, WireSpec};
    use crate::structs::members::field::{DecodeField, DecodeValue, EncodeField, EncodeValue};
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
}
