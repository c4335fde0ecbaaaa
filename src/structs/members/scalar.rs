//! Members of the types of numbers, `bool` and enums.

use super::field::{DecodeValue, EncodeValue, ScalarValue};
use super::plain::PlainValue;
use crate::schema::table::{DefaultValue, TableKind};
use crate::structs::decode::UNKNOWN;
use crate::structs::decode::input::Input;
use crate::structs::encode::size::StructSizer;
use crate::structs::encode::write::StructWriter;
use crate::structs::grammar::kinds::{self, EnumOf, ScalarKind, WireSpec};
use crate::structs::{EnumValue, Enumeration, List};
use crate::wire::error::DecodeErrorKind;
use crate::wire::read::raw;
use crate::wire::{
    Cursor, SMALL_CODE, WireType, kernels, unzigzag32, unzigzag64, varint_len, zigzag32, zigzag64,
};

macro_rules! scalars {
    ($($kind:ident $type:ty: $value:ident => $to:expr, $raw:ident => $from:expr, $variant:ident;)*) => {$(
        impl ScalarValue<kinds::$kind> for $type {
            #[inline(always)]
            fn zero() -> Self {
                Self::default()
            }

            #[inline(always)]
            fn to_raw(self) -> u64 {
                let $value = self;
                $to
            }

            #[inline(always)]
            fn from_raw($raw: u64) -> Option<Self> {
                Some($from)
            }

            #[inline(always)]
            fn from_default(value: DefaultValue<'static>) -> Option<Self> {
                scalars!(@default $type, $variant, value)
            }
        }
    )*};
    (@default bool, Bool, $value:ident) => {
        if let DefaultValue::Bool(value) = $value { Some(value) } else { None }
    };
    (@default $type:ty, $variant:ident, $value:ident) => {
        if let DefaultValue::$variant(value) = $value { Some(value as $type) } else { None }
    };
}

scalars! {
    Double f64: v => v.to_bits(), raw => f64::from_bits(raw), Float;
    Float f32: v => v.to_bits().into(), raw => f32::from_bits(raw as u32), Float;
    Int32 i32: v => v as u64, raw => raw as i32, Int;
    Int64 i64: v => v as u64, raw => raw as i64, Int;
    Uint32 u32: v => v.into(), raw => raw as u32, Uint;
    Uint64 u64: v => v, raw => raw, Uint;
    Sint32 i32: v => zigzag32(v).into(), raw => unzigzag32(raw as u32), Int;
    Sint64 i64: v => zigzag64(v), raw => unzigzag64(raw), Int;
    Fixed32 u32: v => v.into(), raw => raw as u32, Uint;
    Fixed64 u64: v => v, raw => raw, Uint;
    Sfixed32 i32: v => (v as u32).into(), raw => raw as i32, Int;
    Sfixed64 i64: v => v as u64, raw => raw as i64, Int;
    Bool bool: v => v.into(), raw => raw != 0, Bool;
}

impl<E: Enumeration> ScalarValue<EnumOf<E>> for E {
    #[inline(always)]
    fn zero() -> Self {
        E::first()
    }

    #[inline(always)]
    fn to_raw(self) -> u64 {
        self.number() as u64
    }

    #[inline(always)]
    fn from_raw(raw: u64) -> Option<Self> {
        E::from_number(raw as i32)
    }

    fn from_default(value: DefaultValue<'static>) -> Option<Self> {
        default_number::<E>(value).and_then(E::from_number)
    }
}

impl<E: Enumeration> ScalarValue<EnumOf<E>> for EnumValue<E> {
    #[inline(always)]
    fn zero() -> Self {
        Self::Known(E::first())
    }

    #[inline(always)]
    fn to_raw(self) -> u64 {
        self.number() as u64
    }

    #[inline(always)]
    fn from_raw(raw: u64) -> Option<Self> {
        match Self::from_number(raw as i32) {
            Self::Unknown(_) if E::TABLE.is_closed() => None,
            value => Some(value),
        }
    }

    fn from_default(value: DefaultValue<'static>) -> Option<Self> {
        default_number::<E>(value).map(Self::from_number)
    }
}

impl<E: Enumeration> ScalarValue<EnumOf<E>> for i32 {
    #[inline(always)]
    fn zero() -> Self {
        E::first().number()
    }

    #[inline(always)]
    fn to_raw(self) -> u64 {
        self as u64
    }

    #[inline(always)]
    fn from_raw(raw: u64) -> Option<Self> {
        let number = raw as i32;
        if E::TABLE.is_closed() && E::from_number(number).is_none() { None } else { Some(number) }
    }

    fn from_default(value: DefaultValue<'static>) -> Option<Self> {
        default_number::<E>(value)
    }
}

impl<K: ScalarKind, T: ScalarValue<K>> PlainValue<K> for T {
    #[inline(always)]
    fn is_set(&self) -> bool {
        differ::<K, _>(*self, T::zero())
    }

    #[inline]
    fn is_set_or(&self, default: DefaultValue<'static>) -> bool {
        differ::<K, _>(*self, T::from_default(default).unwrap_or_else(T::zero))
    }

    #[inline(always)]
    fn reset(&mut self, default: Option<DefaultValue<'static>>) {
        *self = default.and_then(T::from_default).unwrap_or_else(T::zero);
    }

    #[inline(always)]
    fn merge_next(&mut self, number: u32, bytes: &[u8], pos: &mut usize) -> bool {
        next::<K, _>(self, number, bytes, pos)
    }

    #[cfg(feature = "json")]
    #[inline]
    fn set_number(&mut self, number: i64) -> bool {
        let fits = matches!(K::VALUE, TableKind::Int64 | TableKind::Int32);
        let value = T::from_raw(number as u64).filter(|_| fits);
        value.is_some_and(|value| {
            *self = value;
            true
        })
    }
}

fn default_number<E: Enumeration>(value: DefaultValue<'static>) -> Option<i32> {
    let DefaultValue::Enum(name) = value else { return None };
    E::TABLE.values().iter().find(|value| value.0 == name).map(|value| value.1)
}

/// Compares bits: a negative zero is not the default of a float.
#[inline(always)]
fn differ<K: ScalarKind, T: ScalarValue<K>>(a: T, b: T) -> bool {
    a.to_raw() != b.to_raw()
}

/// The length of a value without its tag.
#[inline(always)]
pub(in crate::structs) fn scalar_len<K: ScalarKind>(raw: u64) -> u64 {
    match K::WIRE {
        WireType::Fixed32 => 4,
        WireType::Fixed64 => 8,
        _ => varint_len(raw) as u64,
    }
}

/// Writes tag and value.
#[inline(always)]
pub(in crate::structs) fn put_tagged<K: ScalarKind>(cursor: &mut Cursor<'_>, spec: WireSpec, raw: u64) {
    let tag = spec.tag::<K>();
    match K::WIRE {
        WireType::Fixed32 => cursor.write_tagged_fixed32(tag, raw as u32),
        WireType::Fixed64 => cursor.write_tagged_fixed64(tag, raw),
        _ => cursor.write_tagged_varint(tag, raw),
    }
}

/// Writes a value without its tag.
#[inline(always)]
pub(in crate::structs) fn put_scalar<K: ScalarKind>(cursor: &mut Cursor<'_>, raw: u64) {
    match K::WIRE {
        WireType::Fixed32 => cursor.write_fixed32(raw as u32),
        WireType::Fixed64 => cursor.write_fixed64(raw),
        _ => cursor.write_varint(raw),
    }
}

#[inline(always)]
fn get<K: ScalarKind>(buf: &[u8], pos: usize) -> Result<(u64, usize), DecodeErrorKind> {
    match K::WIRE {
        WireType::Fixed32 => raw::fixed32(buf, pos).map(|(raw, pos)| (raw.into(), pos)),
        WireType::Fixed64 => raw::fixed64(buf, pos),
        _ => raw::varint(buf, pos),
    }
}

/// Merges the field `number` if it is at `pos`, with a tag of one byte and a number of fixed width.
#[inline(always)]
fn next<K: ScalarKind, T: ScalarValue<K>>(
    member: &mut T,
    number: u32,
    bytes: &[u8],
    pos: &mut usize,
) -> bool {
    let Some((&tag, rest)) = bytes.get(*pos..).and_then(<[u8]>::split_first) else { return false };
    let raw = match K::WIRE {
        WireType::Fixed32 => rest.first_chunk().map(|&value| u32::from_le_bytes(value).into()),
        WireType::Fixed64 => rest.first_chunk().map(|&value| u64::from_le_bytes(value)),
        _ => None,
    };
    match raw.and_then(T::from_raw) {
        Some(value) if u32::from(tag) == number << 3 | K::WIRE as u32 => {
            *member = value;
            *pos += 1 + scalar_len::<K>(0) as usize;
            true
        }
        _ => false,
    }
}

impl<K: ScalarKind, T: ScalarValue<K>> EncodeValue<K> for T {
    #[inline(always)]
    fn size(&self, spec: WireSpec, _: &mut StructSizer<'_, '_>) -> u64 {
        spec.tag_len() + scalar_len::<K>(self.to_raw())
    }

    #[inline(always)]
    fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
        put_tagged::<K>(writer.cursor, spec, self.to_raw());
    }

    #[inline]
    fn size_all(list: &[Self], spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
        let payload = run_len::<K, T>(list);
        match (spec.packed, list.is_empty()) {
            (_, true) => 0,
            (true, _) => spec.tag_len() + sizer.run(payload),
            (false, _) => list.len() as u64 * spec.tag_len() + payload,
        }
    }

    #[inline]
    fn write_all(list: &[Self], spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
        if list.is_empty() {
            return;
        }
        if !spec.packed {
            return writer.each(list, |value, writer| EncodeValue::<K>::write(value, spec, writer));
        }
        if writer.tag_and_run(spec, || run_len::<K, T>(list)) {
            write_run::<K, T>(list, writer.cursor);
        }
    }
}

impl<'i, K: ScalarKind, T: ScalarValue<K>> DecodeValue<'i, K> for T {
    #[inline(always)]
    fn fresh(_: &mut Input<'i>) -> Result<Self, DecodeErrorKind> {
        Ok(T::zero())
    }

    #[inline(always)]
    fn merge(&mut self, pos: usize, bits: u32, input: &mut Input<'i>) -> usize {
        if bits & 7 != K::WIRE as u32 {
            return UNKNOWN;
        }
        match get::<K>(input.buf, pos) {
            Ok((raw, end)) => match T::from_raw(raw) {
                Some(value) => {
                    *self = value;
                    end
                }
                None => UNKNOWN,
            },
            Err(kind) => input.fault(kind, pos),
        }
    }

    #[inline]
    fn merge_all<L: List<Self>>(list: &mut L, pos: usize, bits: u32, input: &mut Input<'i>) -> usize {
        if bits & 7 == WireType::LengthDelimited as u32 {
            return merge_packed(list, pos, bits, input);
        }
        if bits & 7 != K::WIRE as u32 {
            return UNKNOWN;
        }
        match get::<K>(input.buf, pos) {
            Ok((raw, end)) => match T::from_raw(raw) {
                Some(value) => {
                    input.pos = end;
                    if let Err(kind) = list.make_room(1, input) {
                        return input.fault_in(list.count(), kind, end);
                    }
                    match list.put(value) {
                        Ok(()) => end,
                        Err(kind) => input.fault_in(list.count(), kind, pos),
                    }
                }
                None => UNKNOWN,
            },
            Err(kind) => input.fault_in(list.count(), kind, pos),
        }
    }
}

// Packed runs of numbers, `bool` and enums.
//
// The kernels of `wire` read and write words of 32 bits. Values are converted through a buffer of 256 words, which the
// compiler vectorizes.

/// The values decoded at once, in long runs and in short ones. Short runs clear a smaller buffer.
const STEP: usize = 256;
const SHORT: usize = 16;
/// Runs of up to this many bytes are decoded value by value: 44 to 36 ns for up to four numbers, prost 35.
const TINY: usize = 8;

/// Appends a packed run. Varints are counted first, so the list grows once and only for values that are present.
#[inline]
pub(in crate::structs) fn merge_packed<'i, K: ScalarKind, T: ScalarValue<K>, L: List<T>>(
    list: &mut L,
    pos: usize,
    bits: u32,
    input: &mut Input<'i>,
) -> usize {
    let Some((run, end)) = input.bytes(pos) else { return input.at_index(list.count()) };
    input.pos = end;
    let start = end - run.len();
    match K::WIRE {
        WireType::Fixed32 => {
            fixed::<4, K, T, L>(list, run, end, input, |bytes| u32::from_le_bytes(bytes).into())
        }
        WireType::Fixed64 => fixed::<8, K, T, L>(list, run, end, input, u64::from_le_bytes),
        _ => varints::<K, T, L>(list, bits >> 3, start, end, input),
    }
}

fn fixed<const N: usize, K: ScalarKind, T: ScalarValue<K>, L: List<T>>(
    list: &mut L,
    run: &[u8],
    end: usize,
    input: &mut Input<'_>,
    bits: fn([u8; N]) -> u64,
) -> usize {
    let (values, rest) = run.as_chunks::<N>();
    if !rest.is_empty() {
        return input.fault_in(list.count(), DecodeErrorKind::InvalidPacked, end - run.len());
    }
    if let Err(kind) = list.make_room(values.len(), input) {
        return input.fault_in(list.count(), kind, end);
    }
    let before = list.count();
    // Every bit pattern is a valid fixed-width number, and the iterator has an exact length, so this compiles to a copy.
    match list.extend_by(values.iter().map(|&bytes| T::from_raw(bits(bytes)).unwrap_or_else(T::zero))) {
        Ok(()) => end,
        Err(kind) => {
            let at = list.count();
            input.fault_in(at, kind, end - run.len() + N * (at - before))
        }
    }
}

/// Appends the varints from `start` to `end`.
fn varints<K: ScalarKind, T: ScalarValue<K>, L: List<T>>(
    list: &mut L,
    number: u32,
    start: usize,
    end: usize,
    input: &mut Input<'_>,
) -> usize {
    let tiny = SMALL_CODE || end - start <= TINY;
    let count = match tiny {
        true => input.buf.get(start..end).unwrap_or_default().iter().filter(|&&byte| byte < 0x80).count(),
        false => kernels::count(input.buf, start, end),
    };
    if let Err(kind) = list.make_room(count, input) {
        return input.fault_in(list.count(), kind, end);
    }
    if tiny {
        return one_by_one::<K, T, L>(list, number, start, end, input);
    }
    let pos = if count <= SHORT {
        many::<SHORT, K, T, L>(list, input.buf, start, end, count)
    } else {
        many::<STEP, K, T, L>(list, input.buf, start, end, count)
    };
    if pos == end { end } else { one_by_one::<K, T, L>(list, number, pos, end, input) }
}

/// Decodes up to a fault or an unlisted enum number. Returns the position.
fn many<const STEP: usize, K: ScalarKind, T: ScalarValue<K>, L: List<T>>(
    list: &mut L,
    buf: &[u8],
    pos: usize,
    end: usize,
    count: usize,
) -> usize {
    match const { K::VALUE } {
        TableKind::Int64 | TableKind::Uint64 | TableKind::Sint64 => {
            many_of::<STEP, 2, kernels::Plain, K, T, L>(list, buf, pos, end, count)
        }
        TableKind::Bool => many_of::<STEP, 1, kernels::Bool, K, T, L>(list, buf, pos, end, count),
        _ => many_of::<STEP, 1, kernels::Plain, K, T, L>(list, buf, pos, end, count),
    }
}

fn many_of<
    const STEP: usize,
    const N: usize,
    F: kernels::VarintForm,
    K: ScalarKind,
    T: ScalarValue<K>,
    L: List<T>,
>(
    list: &mut L,
    buf: &[u8],
    mut pos: usize,
    end: usize,
    mut count: usize,
) -> usize {
    let mut words = [[0; N]; STEP];
    while count > 0 {
        let Some(room) = words.get_mut(..count.min(STEP)) else { break };
        let step = kernels::decode::<N, F>(buf, pos, end, room);
        let value = |word: &[u32; N]| {
            let high = word.get(1).copied().unwrap_or(0);
            T::from_raw(u64::from(word[0]) | u64::from(high) << 32)
        };
        let Some(values) = room.get(..step.done) else { break };
        let before = list.count();
        if !values.iter().all(|word| value(word).is_some()) {
            break;
        }
        // A full list keeps what fits; `one_by_one` finds the value that does not.
        if list.extend_by(values.iter().map(|word| value(word).unwrap_or_else(T::zero))).is_err() {
            return past(pos, list.count() - before, buf, end);
        }
        (pos, count) = (step.pos, count - step.done);
        if step.done < room.len() {
            break;
        }
    }
    pos
}

/// The position after `count` varints.
#[cold]
fn past(mut pos: usize, count: usize, buf: &[u8], end: usize) -> usize {
    let run = buf.get(..end).unwrap_or_default();
    for _ in 0..count {
        pos = raw::varint(run, pos).map_or(end, |(_, next)| next);
    }
    pos
}

/// Decodes a short run, or what `many` has left: reports a fault, and stores unlisted enum numbers for the unknown fields.
fn one_by_one<K: ScalarKind, T: ScalarValue<K>, L: List<T>>(
    list: &mut L,
    number: u32,
    mut pos: usize,
    end: usize,
    input: &mut Input<'_>,
) -> usize {
    let run = input.buf.get(..end).unwrap_or_default();
    let mut strays = false;
    while pos < end {
        let (raw, next) = match raw::varint(run, pos) {
            Ok(read) => read,
            Err(kind) => return input.fault_in(list.count(), raw::within(true, kind), pos),
        };
        match T::from_raw(raw) {
            Some(value) => {
                if let Err(kind) = list.put(value) {
                    return input.fault_in(list.count(), kind, pos);
                }
            }
            None => {
                if let Err(kind) = input.stray(number, run.get(pos..next).unwrap_or_default()) {
                    return input.fault_in(list.count(), kind, end);
                }
                strays = true;
            }
        }
        pos = next;
    }
    if strays { input.with_strays(end) } else { end }
}

/// The length of a run, without its prefix.
#[inline]
pub(in crate::structs) fn run_len<K: ScalarKind, T: ScalarValue<K>>(list: &[T]) -> u64 {
    match (K::WIRE, const { K::VALUE }) {
        (WireType::Fixed32, _) => 4 * list.len() as u64,
        (WireType::Fixed64, _) => 8 * list.len() as u64,
        (_, TableKind::Bool) => list.len() as u64,
        _ if SMALL_CODE || list.len() < kernels::MIN_PACK_LEN => {
            list.iter().map(|value| varint_len(value.to_raw()) as u64).sum()
        }
        (_, TableKind::Int64 | TableKind::Uint64 | TableKind::Sint64) => {
            len_of::<2, kernels::Plain, K, T>(list)
        }
        (_, TableKind::Int32 | TableKind::Enum(_)) => len_of::<1, kernels::Signed, K, T>(list),
        _ => len_of::<1, kernels::Plain, K, T>(list),
    }
}

fn len_of<const N: usize, P: kernels::Packs, K: ScalarKind, T: ScalarValue<K>>(list: &[T]) -> u64 {
    let mut total = 0;
    in_words::<N, K, T>(list, |run| total += kernels::packed_len::<N, P>(run));
    total
}

/// Writes a run, without its length prefix.
#[inline]
pub(in crate::structs) fn write_run<K: ScalarKind, T: ScalarValue<K>>(list: &[T], cursor: &mut Cursor<'_>) {
    if SMALL_CODE {
        return list.iter().for_each(|value| put_scalar::<K>(cursor, value.to_raw()));
    }
    match (K::WIRE, const { K::VALUE }) {
        (WireType::Fixed32, _) => in_words::<1, K, T>(list, |run| cursor.put_words(run.as_flattened())),
        (WireType::Fixed64, _) => in_words::<2, K, T>(list, |run| cursor.put_words(run.as_flattened())),
        _ if list.len() < kernels::MIN_PACK_LEN => {
            list.iter().for_each(|value| cursor.write_varint(value.to_raw()))
        }
        (_, TableKind::Int64 | TableKind::Uint64 | TableKind::Sint64) => {
            in_words::<2, K, T>(list, |run| kernels::pack::<2, kernels::Plain>(run, cursor));
        }
        (_, TableKind::Int32 | TableKind::Enum(_)) => {
            in_words::<1, K, T>(list, |run| kernels::pack::<1, kernels::Signed>(run, cursor));
        }
        _ => in_words::<1, K, T>(list, |run| kernels::pack::<1, kernels::Plain>(run, cursor)),
    }
}

/// Calls `each` with the values as words, [`STEP`] values at a time.
#[inline]
fn in_words<const N: usize, K: ScalarKind, T: ScalarValue<K>>(list: &[T], mut each: impl FnMut(&[[u32; N]])) {
    let mut words = [[0; N]; STEP];
    for part in list.chunks(STEP) {
        for (words, value) in words.iter_mut().zip(part) {
            let raw = value.to_raw();
            *words = core::array::from_fn(|word| (raw >> (32 * word)) as u32);
        }
        each(words.get(..part.len()).unwrap_or_default());
    }
}
