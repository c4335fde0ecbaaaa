//! The kinds of fields as types without values, and the tables of fields.
//!
//! A kind selects the implementation of `EncodeField` for the type of a member. Its constants
//! are what the table says about the field.

use super::names::{FieldName, Inside};
use crate::schema::table::{Cardinality, EnumTable, FieldTable, MessageTable, Syntax, TableKind};
use crate::structs::{Enumeration, Message};
use crate::wire::{WireType, varint_len};
use core::marker::PhantomData;

/// A kind that does not exist: a mistake in a listing, which is reported elsewhere.
pub enum Mistaken {}

/// What the listing calls `unknown_fields`.
pub enum KeptUnknown {}

/// A kind, with or without a label.
pub trait KindMarker {
    /// The kind of a value.
    const VALUE: TableKind;
    /// The kind of the keys of a map.
    const MAP_KEY: Option<TableKind> = None;
    /// How many values the field holds.
    const CARDINALITY: Cardinality = Cardinality::Optional;
    /// Whether the field is a group.
    const DELIMITED: bool = false;
    /// Whether a message of this kind has required fields.
    const REQUIRED: bool = false;
    /// The enum of an enum kind.
    const ENUM: Option<&'static EnumTable> = None;
    /// The names of the message that it holds.
    const INSIDE: Inside = None;
    /// The wire type of one value.
    const WIRE: WireType;
}

/// A kind without a label.
pub trait ValueKind: KindMarker {}

/// A kind that can be packed: a number, `bool` or an enum.
pub trait ScalarKind: PlainKind {}

/// A kind whose members can do without presence and without a type of their own: numbers, `bool`, enums, strings and bytes.
pub trait PlainKind: ValueKind {}

macro_rules! kinds {
    ($($name:ident $wire:ident $(: $scalar:ident)?),* $(,)?) => {$(
        #[doc = concat!("The kind of the same name, [`Kind::", stringify!($name), "`](crate::table::Kind).")]
        pub enum $name {}

        impl KindMarker for $name {
            const VALUE: TableKind = TableKind::$name;
            const WIRE: WireType = WireType::$wire;
        }

        impl ValueKind for $name {}

        impl PlainKind for $name {}

        $(impl $scalar for $name {})?
    )*};
}

kinds! {
    Double Fixed64: ScalarKind,
    Float Fixed32: ScalarKind,
    Int32 Varint: ScalarKind,
    Int64 Varint: ScalarKind,
    Uint32 Varint: ScalarKind,
    Uint64 Varint: ScalarKind,
    Sint32 Varint: ScalarKind,
    Sint64 Varint: ScalarKind,
    Fixed32 Fixed32: ScalarKind,
    Fixed64 Fixed64: ScalarKind,
    Sfixed32 Fixed32: ScalarKind,
    Sfixed64 Fixed64: ScalarKind,
    Bool Varint: ScalarKind,
    String LengthDelimited,
    Bytes LengthDelimited,
}

/// `enum E`.
pub struct EnumOf<E>(PhantomData<E>);

impl<E: Enumeration> KindMarker for EnumOf<E> {
    const VALUE: TableKind = TableKind::Enum(|| E::TABLE);
    const ENUM: Option<&'static EnumTable> = Some(E::TABLE);
    const WIRE: WireType = WireType::Varint;
}

impl<E: Enumeration> ValueKind for EnumOf<E> {}

impl<E: Enumeration> PlainKind for EnumOf<E> {}

impl<E: Enumeration> ScalarKind for EnumOf<E> {}

/// `message M`.
pub struct Nested<M>(PhantomData<M>);

impl<M: Message> KindMarker for Nested<M> {
    const VALUE: TableKind = TableKind::Message(|| M::TABLE);
    const INSIDE: Inside = Some(|| M::__NAMES);
    const REQUIRED: bool = has_required(M::TABLE);
    const WIRE: WireType = WireType::LengthDelimited;
}

impl<M: Message> ValueKind for Nested<M> {}

/// `group M`.
pub struct GroupOf<M>(PhantomData<M>);

impl<M: Message> KindMarker for GroupOf<M> {
    const VALUE: TableKind = TableKind::Message(|| M::TABLE);
    const INSIDE: Inside = Some(|| M::__NAMES);
    const REQUIRED: bool = has_required(M::TABLE);
    const DELIMITED: bool = true;
    const WIRE: WireType = WireType::StartGroup;
}

impl<M: Message> ValueKind for GroupOf<M> {}

/// `custom K`: values of types of one's own, encoded as `K`.
pub struct Custom<K>(PhantomData<K>);

impl<K: ValueKind> KindMarker for Custom<K> {
    const VALUE: TableKind = K::VALUE;
    const INSIDE: Inside = K::INSIDE;
    const DELIMITED: bool = K::DELIMITED;
    const REQUIRED: bool = K::REQUIRED;
    const ENUM: Option<&'static EnumTable> = K::ENUM;
    const WIRE: WireType = K::WIRE;
}

impl<K: ValueKind> ValueKind for Custom<K> {}

/// `repeated K`.
pub struct Repeated<K>(PhantomData<K>);

impl<K: KindMarker> KindMarker for Repeated<K> {
    const VALUE: TableKind = K::VALUE;
    const INSIDE: Inside = K::INSIDE;
    const ENUM: Option<&'static EnumTable> = K::ENUM;
    const CARDINALITY: Cardinality = Cardinality::Repeated;
    const DELIMITED: bool = K::DELIMITED;
    const WIRE: WireType = K::WIRE;
}

/// `required K`.
pub struct Required<K>(PhantomData<K>);

impl<K: KindMarker> KindMarker for Required<K> {
    const VALUE: TableKind = K::VALUE;
    const INSIDE: Inside = K::INSIDE;
    const ENUM: Option<&'static EnumTable> = K::ENUM;
    const CARDINALITY: Cardinality = Cardinality::Required;
    const DELIMITED: bool = K::DELIMITED;
    const WIRE: WireType = K::WIRE;
}

/// `map<K, V>`.
pub struct MapEntries<K, V>(PhantomData<(K, V)>);

impl<K: KindMarker, V: KindMarker> KindMarker for MapEntries<K, V> {
    const VALUE: TableKind = V::VALUE;
    const INSIDE: Inside = V::INSIDE;
    const MAP_KEY: Option<TableKind> = Some(K::VALUE);
    const ENUM: Option<&'static EnumTable> = V::ENUM;
    const CARDINALITY: Cardinality = Cardinality::Repeated;
    const WIRE: WireType = WireType::LengthDelimited;
}

/// What is known of a listed field: its table, its name in errors, the values of its enum.
#[derive(Clone, Copy)]
pub struct Fact {
    /// The table, to which options are added.
    pub table: FieldTable,
    name: FieldName,
    values: Option<&'static EnumTable>,
}

impl Fact {
    /// The values of the enum, if it is of an enum kind.
    pub(in crate::structs) const fn values(&self) -> Option<&'static EnumTable> {
        self.values
    }
}

/// The tables of all fields.
pub const fn tables<const N: usize>(facts: &[Fact; N]) -> [FieldTable; N] {
    let (mut tables, mut i) = ([FieldTable::new("", 0, TableKind::Bool); N], 0);
    while i < N {
        tables[i] = facts[i].table;
        i += 1;
    }
    tables
}

/// The names of all fields.
pub const fn names<const N: usize>(facts: &[Fact; N]) -> [FieldName; N] {
    let (mut names, mut i) = ([FieldName::new("", 0, false, None); N], 0);
    while i < N {
        names[i] = facts[i].name;
        i += 1;
    }
    names
}

/// What is known of a listed field, without its options.
///
/// `member`: the member has presence. `listed`: the listing says `optional`. Messages have presence in any case, so for
/// them `member` does not make the field `optional`.
pub(super) const fn field_fact<K: KindMarker>(
    name: &'static str,
    number: u32,
    member: bool,
    listed: bool,
    oneof: Option<&'static str>,
) -> Fact {
    let name = unraw(name);
    let explicit = listed || (member && !matches!(K::VALUE, TableKind::Message(_)));
    let table = match K::MAP_KEY {
        Some(key) => FieldTable::map(name, number, key, K::VALUE),
        None => FieldTable::new(name, number, K::VALUE),
    };
    let table = match K::CARDINALITY {
        Cardinality::Optional if explicit => table.optional(),
        Cardinality::Optional => table,
        Cardinality::Required => table.required(),
        Cardinality::Repeated if K::MAP_KEY.is_none() => table.repeated(),
        Cardinality::Repeated => table,
    };
    let table = if K::DELIMITED { table.delimited() } else { table };
    let table = match oneof {
        Some(oneof) => table.oneof(oneof),
        None => table,
    };
    Fact { table, name: FieldName::new(name, number, K::MAP_KEY.is_some(), K::INSIDE), values: K::ENUM }
}

/// Whether it is a singular number or `bool`.
pub const fn is_number<K: KindMarker>() -> bool {
    let numeric = matches!(K::WIRE, WireType::Varint | WireType::Fixed32 | WireType::Fixed64);
    numeric && K::ENUM.is_none() && !matches!(K::CARDINALITY, Cardinality::Repeated)
}

/// The name of a Rust identifier in protobuf: `r#type` is `type`.
pub const fn unraw(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [b'r', b'#', ..] => name.split_at(2).1,
        _ => name,
    }
}

/// Whether all fields are singular fixed-width numbers with one-byte tags, in the order of their numbers, as in points
/// and vertices.
const fn is_fixed(table: &MessageTable) -> bool {
    let mut rest = table.fields();
    let mut last = 0;
    while let [field, tail @ ..] = rest {
        let fixed = matches!(
            field.kind(),
            TableKind::Float
                | TableKind::Fixed32
                | TableKind::Sfixed32
                | TableKind::Double
                | TableKind::Fixed64
                | TableKind::Sfixed64
        );
        let plain = field.map_key().is_none()
            && field.oneof_name().is_none()
            && matches!(field.cardinality(), Cardinality::Optional);
        if !fixed || !plain || field.number() <= last || field.number() > 15 {
            return false;
        }
        last = field.number();
        rest = tail;
    }
    last > 0
}

/// Whether all fields of a message are singular fixed-width numbers, in order; see `is_fixed`.
#[inline(always)]
pub const fn is_fixed_message<M: Message>() -> bool {
    const { is_fixed(M::TABLE) }
}

/// Whether the message itself has required fields.
pub const fn has_required(table: &MessageTable) -> bool {
    let mut rest = table.fields();
    while let [field, tail @ ..] = rest {
        if matches!(field.cardinality(), Cardinality::Required) {
            return true;
        }
        rest = tail;
    }
    false
}

/// Whether the message has fields of message types.
pub const fn has_messages(table: &MessageTable) -> bool {
    let mut rest = table.fields();
    while let [field, tail @ ..] = rest {
        if matches!(field.kind(), TableKind::Message(_)) {
            return true;
        }
        rest = tail;
    }
    false
}

/// Whether no length in the message has to be known before it is written but those of strings, bytes and packed runs; and nothing is required.
pub const fn is_flat(table: &MessageTable) -> bool {
    let mut rest = table.fields();
    while let [field, tail @ ..] = rest {
        if field.map_key().is_some() || matches!(field.cardinality(), Cardinality::Required) {
            return false;
        }
        rest = tail;
    }
    !has_messages(table)
}

/// Whether the numbers ascend, so that fields are written in the order of the listing.
pub const fn ascend(numbers: &[u32]) -> bool {
    let mut rest = numbers;
    while let [first, tail @ ..] = rest {
        if let [second, ..] = tail
            && *first >= *second
        {
            return false;
        }
        rest = tail;
    }
    true
}

/// Field numbers, sorted: merged in runs of 1, 2, 4 and so on, unless they are in order, as mostly.
pub const fn in_order<const N: usize>(mut numbers: [u32; N]) -> [u32; N] {
    let mut width = if ascend(&numbers) { N } else { 1 };
    while width < N {
        let (from, mut start) = (numbers, 0);
        while start < N {
            let middle = if N - start < width { N } else { start + width };
            let end = if N - middle < width { N } else { middle + width };
            let (mut left, mut right) = (start, middle);
            while start < end {
                if left < middle && (right == end || from[left] <= from[right]) {
                    numbers[start] = from[left];
                    left += 1;
                } else {
                    numbers[start] = from[right];
                    right += 1;
                }
                start += 1;
            }
        }
        width *= 2;
    }
    numbers
}

/// The number that has the place in `order` that `number` has in `listed`.
///
/// # Panics
///
/// At compile time, if `number` is not listed.
pub const fn in_place_of(number: u32, listed: &[u32], order: &[u32]) -> u32 {
    let mut at = 0;
    while listed[at] != number {
        at += 1;
    }
    order[at]
}

// Number and options of a field.

/// Number and options of a listed field.
#[derive(Clone, Copy, Debug)]
pub struct WireSpec {
    /// The field number.
    pub number: u32,
    /// Whether a repeated field of a scalar kind is written packed.
    pub packed: bool,
}

impl WireSpec {
    /// A field without options.
    #[inline(always)]
    pub const fn new(number: u32, syntax: Syntax) -> Self {
        Self { number, packed: matches!(syntax, Syntax::Proto3) }
    }

    /// The option `[packed = ..]`.
    #[inline(always)]
    pub const fn packed(mut self, packed: bool) -> Self {
        self.packed = packed;
        self
    }

    /// The tag, as a varint.
    #[inline(always)]
    pub(crate) const fn tag<K: KindMarker>(self) -> u64 {
        (self.number as u64) << 3 | K::WIRE as u64
    }

    /// The length of the tag; it does not depend on the wire type.
    #[inline(always)]
    pub(crate) const fn tag_len(self) -> u64 {
        varint_len((self.number as u64) << 3) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_ordered() {
        assert_eq!(in_order([3, 1, 2, 1]), [1, 1, 2, 3]);
        assert!(in_order([]).is_empty());
        let mut numbers = [0; 100];
        for (i, number) in numbers.iter_mut().enumerate() {
            *number = (i as u32 * 37 + 11) % 89;
        }
        for len in 0..100 {
            let mut some: [u32; 100] = [u32::MAX; 100];
            some[..len].copy_from_slice(&numbers[..len]);
            let mut sorted = some;
            sorted.sort_unstable();
            assert_eq!(in_order(some), sorted);
        }
        assert_eq!(in_order([5, 4, 3, 2, 1]), [1, 2, 3, 4, 5]);
        let (listed, order) = ([7, 3, 9], [3, 7, 9]);
        assert_eq!(listed.map(|number| in_place_of(number, &listed, &order)), order);
        assert!(ascend(&[1, 2, 9]) && ascend(&[]) && !ascend(&[1, 3, 2]) && !ascend(&[1, 1]));
    }

    #[test]
    fn raw_identifiers_lose_their_mark() {
        assert_eq!([unraw("r#type"), unraw("type"), unraw("r")], ["type", "type", "r"]);
    }
}
