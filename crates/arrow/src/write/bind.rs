//! A plan with the arrays of one batch.

use super::WriteErrorKind;
use super::arrays::{Integers, Numbers, Spans, floats, look_up};
use super::plan::{FieldPlan, Item, MessagePlan, Presence, Shape, ValuePlan};
use super::sets::{BITS, Chunk};
use super::wire::{Coding, Cut, Domain, Scalar, Tag};
use crate::texts::Texts;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, TimeUnit};
use tablepb::MessageDescriptor;

/// The arrays of a message.
pub(super) struct Message<'a> {
    pub(super) fields: Vec<Bound<'a>>,
    /// The columns of oneofs that have several.
    pub(super) oneofs: Vec<Oneof<'a>>,
    pub(super) unknown: Option<Unknown<'a>>,
    /// Which fields of a row are set, if many may be null.
    pub(super) sets: Vec<Chunk<'a>>,
}

/// Unknown fields as bytes.
pub(super) struct Unknown<'a> {
    pub(super) path: &'a str,
    pub(super) nulls: Option<&'a NullBuffer>,
    pub(super) texts: Texts<'a>,
}

/// The columns of the members of a oneof.
pub(super) type Oneof<'a> = Vec<(usize, Validity<'a>)>;

/// The array of a field.
pub(super) struct Bound<'a> {
    pub(super) plan: &'a FieldPlan,
    pub(super) member: Option<Member<'a>>,
    pub(super) content: Content<'a>,
    /// The members of its oneof among the fields of its [`Chunk`], if all of them are.
    pub(super) members: Option<u64>,
}

/// Which rows of a union have this member, and where.
pub(super) struct Member<'a> {
    pub(super) id: i8,
    pub(super) ids: &'a [i8],
    pub(super) offsets: Option<&'a [i32]>,
}

/// The values of a field.
pub(super) enum Content<'a> {
    One(Column<'a>),
    Packed(Lists<'a>, &'a Tag, Column<'a>),
    List(Lists<'a>, Column<'a>),
    /// Keys and values.
    Map(Entries<'a>, &'a Tag, Box<[Column<'a>; 2]>),
}

/// Which keys are in which row, and which values if these are a list of their own.
pub(super) struct Entries<'a> {
    pub(super) nulls: Option<&'a NullBuffer>,
    pub(super) keys: Lists<'a>,
    pub(super) values: Option<Lists<'a>>,
}

/// Which elements are in which row.
pub(super) struct Lists<'a> {
    pub(super) nulls: Option<&'a NullBuffer>,
    pub(super) spans: Spans<'a>,
}

/// Which rows have a value, and where.
pub(super) struct Validity<'a> {
    nulls: Option<&'a NullBuffer>,
    /// The keys of a dictionary, and which of its values are null.
    keys: Option<(Integers<'a>, Option<&'a NullBuffer>)>,
}

/// Values with their validity.
pub(super) struct Column<'a> {
    validity: Validity<'a>,
    pub(super) tag: &'a Tag,
    pub(super) values: Values<'a>,
}

/// What the values are.
pub(super) enum Values<'a> {
    Plain(Plain<'a>),
    Message(Cut, Message<'a>),
    Bytes(Cut, Texts<'a>),
    Json(Cut, &'a MessageDescriptor, Texts<'a>),
    /// Counts of units, of which so many are a second.
    Timestamp(Cut, &'a [i64], i64),
    Duration(Cut, &'a [i64], i64),
    /// With the tag of the value in the wrapper.
    Wrapper(Cut, &'a Tag, Plain<'a>),
}

/// Values that are no messages.
pub(super) enum Plain<'a> {
    Number(Coding, Numbers<'a>),
    /// `true` if UTF-8 is to be checked.
    Text(bool, Texts<'a>),
}

/// The error of arrays that are not those of the plan, which the check of the schema rules out.
const OTHER: WriteErrorKind = WriteErrorKind::SchemaMismatch;

impl<'a> Message<'a> {
    pub(super) fn new(plan: &'a MessagePlan, columns: &'a [ArrayRef]) -> Result<Self, WriteErrorKind> {
        let array = |index: usize| columns.get(index).map(|array| &**array).ok_or(OTHER);
        let mut fields = room(plan.fields.len())?;
        for field in &plan.fields {
            fields.push(Bound::new(field, array(field.column)?)?);
        }
        let mut oneofs = room(plan.oneofs.len())?;
        for columns in &plan.oneofs {
            let mut members = room(columns.len())?;
            for &column in columns {
                members.push((column, Validity::new(array(column)?)?));
            }
            oneofs.push(members);
        }
        let unknown = match &plan.unknown {
            Some((column, path)) => {
                let array = array(*column)?;
                Some(Unknown { path, nulls: array.nulls(), texts: Texts::new(array).ok_or(OTHER)? })
            }
            None => None,
        };
        let mut nulls = room(fields.len())?;
        nulls.extend(fields.iter().map(Bound::left_out));
        let sets = Chunk::all(&nulls)?;
        for chunk in fields.chunks_mut(BITS).take(sets.len()) {
            let mut of = [None; BITS];
            of.iter_mut().zip(&*chunk).for_each(|(of, field)| *of = field.plan.oneof);
            for field in &mut *chunk {
                let Some(columns) = field.plan.oneof.and_then(|oneof| plan.oneofs.get(oneof)) else {
                    continue;
                };
                let bit = |(at, of): (usize, &Option<usize>)| u64::from(*of == field.plan.oneof) << at;
                let members = of.iter().enumerate().map(bit).fold(0, |all, bit| all | bit);
                field.members = (members.count_ones() as usize == columns.len()).then_some(members);
            }
        }
        Ok(Self { fields, oneofs, unknown, sets })
    }
}

/// Room for so many elements.
pub(super) fn room<T>(count: usize) -> Result<Vec<T>, WriteErrorKind> {
    let mut list = Vec::new();
    list.try_reserve_exact(count).map_err(|_| WriteErrorKind::OutOfMemory)?;
    Ok(list)
}

impl<'a> Bound<'a> {
    fn new(plan: &'a FieldPlan, array: &'a dyn Array) -> Result<Self, WriteErrorKind> {
        let Some(id) = plan.member else {
            return Ok(Self {
                plan,
                member: None,
                content: Content::new(&plan.shape, array)?,
                members: None,
            });
        };
        let union = array.as_union_opt().ok_or(OTHER)?;
        let offsets = union.offsets().map(|offsets| &offsets[..]);
        let member = Some(Member { id, ids: union.type_ids(), offsets });
        Ok(Self { plan, member, content: Content::new(&plan.shape, union.child(id))?, members: None })
    }
}

impl<'a> Bound<'a> {
    /// Where the field is null, if it is left out there.
    fn left_out(&self) -> Option<&'a NullBuffer> {
        if self.member.is_some() || self.plan.presence == Presence::Required {
            return None;
        }
        let nulls = match &self.content {
            Content::One(column) => column.validity.nulls,
            Content::Packed(lists, ..) | Content::List(lists, _) => lists.nulls,
            // Of two lists one may be null and the other not, which is an error.
            Content::Map(entries, ..) if entries.values.is_some() => entries.nulls,
            Content::Map(entries, ..) => entries.keys.nulls,
        };
        nulls.filter(|nulls| nulls.null_count() > 0)
    }
}

impl<'a> Content<'a> {
    fn new(shape: &'a Shape, array: &'a dyn Array) -> Result<Self, WriteErrorKind> {
        match (shape, array.as_struct_opt()) {
            (Shape::One(value), _) => return Ok(Self::One(Column::new(value, array)?)),
            (Shape::Map(tag, key, value), Some(parts)) => {
                let [keys, values] = parts.columns() else { return Err(OTHER) };
                let ((key_lists, keys), (value_lists, values)) = (Lists::new(keys)?, Lists::new(values)?);
                let entries = Entries { nulls: array.nulls(), keys: key_lists, values: Some(value_lists) };
                return Ok(Self::Map(
                    entries,
                    tag,
                    Box::new([Column::new(key, keys)?, Column::new(value, values)?]),
                ));
            }
            _ => {}
        }
        let (lists, values) = Lists::new(array)?;
        Ok(match shape {
            Shape::One(value) => Self::One(Column::new(value, array)?),
            Shape::Packed(tag, value) => Self::Packed(lists, tag, Column::new(value, values)?),
            Shape::List(value) => Self::List(lists, Column::new(value, values)?),
            Shape::Map(tag, key, value) => {
                let entries = values.as_struct_opt().ok_or(OTHER)?;
                let [keys, values] = entries.columns() else { return Err(OTHER) };
                let entries = Entries { nulls: None, keys: lists, values: None };
                Self::Map(entries, tag, Box::new([Column::new(key, keys)?, Column::new(value, values)?]))
            }
        })
    }
}

impl<'a> Lists<'a> {
    /// A list or a map, and its elements.
    fn new(array: &'a dyn Array) -> Result<(Self, &'a dyn Array), WriteErrorKind> {
        let (spans, values): (_, &dyn Array) = match array.data_type() {
            DataType::List(_) => {
                (Spans::Small(array.as_list::<i32>().value_offsets()), array.as_list::<i32>().values())
            }
            DataType::LargeList(_) => {
                (Spans::Large(array.as_list::<i64>().value_offsets()), array.as_list::<i64>().values())
            }
            DataType::FixedSizeList(_, size) => {
                (Spans::Fixed(*size as usize), array.as_fixed_size_list().values())
            }
            DataType::Map(..) => (Spans::Small(array.as_map().value_offsets()), array.as_map().entries()),
            _ => return Err(OTHER),
        };
        Ok((Self { nulls: array.nulls(), spans }, values))
    }
}

impl<'a> Column<'a> {
    fn new(plan: &'a ValuePlan, array: &'a dyn Array) -> Result<Self, WriteErrorKind> {
        let (validity, tag) = (Validity::new(array)?, &plan.tag);
        let Some(dictionary) = array.as_any_dictionary_opt() else {
            return Ok(Self { validity, tag, values: Values::new(plan, array)? });
        };
        let values = &**dictionary.values();
        let values = match &plan.item {
            // Each name is looked up once, not once a row.
            Item::Named(names) => {
                let texts = Texts::new(values).ok_or(OTHER)?;
                let mut numbers = room(values.len())?;
                numbers.extend((0..values.len()).map(|i| look_up(texts.get(i), names)));
                Values::Plain(Plain::Number(Coding::Varint, Numbers::Looked(numbers)))
            }
            _ => Values::new(plan, values)?,
        };
        Ok(Self { validity, tag, values })
    }

    /// Where the value of a row is, or `None` if it is null.
    #[inline]
    pub(super) fn at(&self, i: usize) -> Option<usize> {
        self.validity.at(i)
    }
}

impl<'a> Validity<'a> {
    fn new(array: &'a dyn Array) -> Result<Self, WriteErrorKind> {
        let Some(dictionary) = array.as_any_dictionary_opt() else {
            return Ok(Self { nulls: array.nulls(), keys: None });
        };
        let keys = Integers::new(dictionary.keys()).ok_or(OTHER)?;
        Ok(Self { nulls: dictionary.keys().nulls(), keys: Some((keys, dictionary.values().nulls())) })
    }

    /// Where the value of a row is, or `None` if it is null.
    #[inline]
    pub(super) fn at(&self, i: usize) -> Option<usize> {
        if self.nulls.is_some_and(|nulls| nulls.is_null(i)) {
            return None;
        }
        let Some((keys, nulls)) = &self.keys else { return Some(i) };
        let i = keys.get(i) as usize;
        (!nulls.is_some_and(|nulls| nulls.is_null(i))).then_some(i)
    }
}

impl<'a> Values<'a> {
    fn new(plan: &'a ValuePlan, array: &'a dyn Array) -> Result<Self, WriteErrorKind> {
        let texts = || Texts::new(array).ok_or(OTHER);
        Ok(match &plan.item {
            Item::Scalar(_) | Item::Named(_) | Item::Text(_) => Self::Plain(Plain::new(&plan.item, array)?),
            Item::Message(message, cut) => {
                let columns = array.as_struct_opt().ok_or(OTHER)?.columns();
                Self::Message(*cut, Message::new(message, columns)?)
            }
            Item::Bytes(cut) => Self::Bytes(*cut, texts()?),
            Item::Json(message, cut) => Self::Json(*cut, message, texts()?),
            Item::Timestamp(cut) => {
                let (counts, units) = timestamps(array)?;
                Self::Timestamp(*cut, counts, units)
            }
            Item::Duration(cut) => {
                let (counts, units) = durations(array)?;
                Self::Duration(*cut, counts, units)
            }
            Item::Wrapper(value, cut) => Self::Wrapper(*cut, &value.tag, Plain::new(&value.item, array)?),
        })
    }
}

impl<'a> Plain<'a> {
    fn new(item: &'a Item, array: &'a dyn Array) -> Result<Self, WriteErrorKind> {
        let texts = || Texts::new(array).ok_or(OTHER);
        Ok(match item {
            Item::Scalar(scalar) => Self::Number(scalar.coding, numbers(*scalar, array)?),
            Item::Named(names) => Self::Number(Coding::Varint, Numbers::Named(texts()?, names)),
            Item::Text(check) => Self::Text(*check, texts()?),
            _ => return Err(OTHER),
        })
    }
}

fn numbers(scalar: Scalar, array: &dyn Array) -> Result<Numbers<'_>, WriteErrorKind> {
    match scalar.domain {
        Domain::Bool => {
            return array.as_boolean_opt().map(|bools| Numbers::Bool(bools.values())).ok_or(OTHER);
        }
        Domain::F32 => return floats(array, false).ok_or(OTHER),
        Domain::F64 => return floats(array, true).ok_or(OTHER),
        _ => {}
    }
    Ok(match (scalar.domain, Integers::new(array).ok_or(OTHER)?) {
        (Domain::I32, Integers::I32(values)) => Numbers::I32(values),
        (Domain::I64, Integers::I64(values)) => Numbers::I64(values),
        (Domain::U32, Integers::U32(values)) => Numbers::U32(values),
        (Domain::U64, Integers::U64(values)) => Numbers::U64(values),
        (Domain::I32, other) => Numbers::Ranged(other, i32::MIN.into()..1 << 31),
        (Domain::I64, other) => Numbers::Ranged(other, i64::MIN.into()..1 << 63),
        (Domain::U32, other) => Numbers::Ranged(other, 0..1 << 32),
        (_, other) => Numbers::Ranged(other, 0..1 << 64),
    })
}

fn timestamps(array: &dyn Array) -> Result<(&[i64], i64), WriteErrorKind> {
    let DataType::Timestamp(unit, _) = array.data_type() else { return Err(OTHER) };
    Ok(match unit {
        TimeUnit::Second => (array.as_primitive::<TimestampSecondType>().values(), 1),
        TimeUnit::Millisecond => (array.as_primitive::<TimestampMillisecondType>().values(), 1_000),
        TimeUnit::Microsecond => (array.as_primitive::<TimestampMicrosecondType>().values(), 1_000_000),
        TimeUnit::Nanosecond => (array.as_primitive::<TimestampNanosecondType>().values(), 1_000_000_000),
    })
}

fn durations(array: &dyn Array) -> Result<(&[i64], i64), WriteErrorKind> {
    let DataType::Duration(unit) = array.data_type() else { return Err(OTHER) };
    Ok(match unit {
        TimeUnit::Second => (array.as_primitive::<DurationSecondType>().values(), 1),
        TimeUnit::Millisecond => (array.as_primitive::<DurationMillisecondType>().values(), 1_000),
        TimeUnit::Microsecond => (array.as_primitive::<DurationMicrosecondType>().values(), 1_000_000),
        TimeUnit::Nanosecond => (array.as_primitive::<DurationNanosecondType>().values(), 1_000_000_000),
    })
}
