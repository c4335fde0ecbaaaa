//! [`Tree`]: which columns make up a batch, for what walks all of them: taking back a row, and finishing.

use super::batch::Batch;
use super::columns::Gathered;
use arrow_array::types::{
    DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType,
    Float32Type, Float64Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int32Array, ListArray, MapArray, NullArray, StringArray,
    StringViewArray, StructArray, UnionArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, Field, Fields, TimeUnit};
use std::sync::Arc;

/// A column, and those in it.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub(super) kind: TreeKind,
}

/// A column: its place among those of its kind.
#[derive(Clone, Debug)]
pub(super) enum TreeKind {
    Bool(u32),
    I32(u32),
    I64(u32),
    U32(u32),
    U64(u32),
    F32(u32),
    F64(u32),
    Text(u32),
    Bytes(u32),
    Names(u32),
    Dictionary(u32),
    Time(u32),
    Gathered(u32),
    Struct {
        node: u32,
        children: Vec<Tree>,
    },
    List {
        list: u32,
        item: Box<Tree>,
    },
    Map {
        list: u32,
        entries: Box<Tree>,
    },
    Union {
        union: u32,
        members: Vec<(i8, Tree)>,
    },
    /// The name of the member of a oneof that is set: made of the columns of the members.
    Member {
        members: Vec<(String, usize)>,
    },
}

/// Calls a method of the column.
macro_rules! column {
    ($batch:expr, $store:ident, $at:expr, $column:ident => $body:expr) => {
        match $batch.stores.$store.get_mut(*$at as usize) {
            Some($column) => $body,
            None => Default::default(),
        }
    };
}

/// The same, for what changes nothing.
macro_rules! ask {
    ($batch:expr, $store:ident, $at:expr, $column:ident => $body:expr) => {
        match $batch.stores.$store.get(*$at as usize) {
            Some($column) => $body,
            None => 0,
        }
    };
}

/// The same, for what gives an array.
macro_rules! array {
    ($batch:expr, $store:ident, $at:expr, $column:ident => $body:expr) => {
        match $batch.stores.$store.get_mut(*$at as usize) {
            Some($column) => $body,
            None => Arc::new(NullArray::new(0)),
        }
    };
}

impl Tree {
    /// How many values the column has as the child of a list.
    fn len(&self, batch: &Batch) -> usize {
        match &self.kind {
            TreeKind::Bool(at) => ask!(batch, bools, at, column => column.len()),
            TreeKind::I32(at) => ask!(batch, i32s, at, column => column.len()),
            TreeKind::I64(at) => ask!(batch, i64s, at, column => column.len()),
            TreeKind::U32(at) => ask!(batch, u32s, at, column => column.len()),
            TreeKind::U64(at) => ask!(batch, u64s, at, column => column.len()),
            TreeKind::F32(at) => ask!(batch, f32s, at, column => column.len()),
            TreeKind::F64(at) => ask!(batch, f64s, at, column => column.len()),
            TreeKind::Text(at) | TreeKind::Bytes(at) => ask!(batch, texts, at, column => column.len()),
            TreeKind::Names(at) => ask!(batch, names, at, column => column.texts.len()),
            TreeKind::Dictionary(at) => ask!(batch, dictionaries, at, column => column.keys.len()),
            TreeKind::Time(at) => ask!(batch, times, at, column => column.values.len()),
            TreeKind::Gathered(at) => ask!(batch, gathered, at, column => column.len()),
            TreeKind::Struct { node, .. } => batch.nodes.get(*node as usize).map_or(0, |node| node.count),
            TreeKind::List { list, .. } | TreeKind::Map { list, .. } => {
                ask!(batch, lists, list, list => list.starts.len())
            }
            TreeKind::Union { union, .. } => ask!(batch, unions, union, union => union.ids.len()),
            // Only structs have it.
            TreeKind::Member { .. } => 0,
        }
    }

    /// Whether something came for the column.
    fn has_any(&self, batch: &Batch) -> bool {
        match &self.kind {
            TreeKind::Struct { node, .. } => {
                batch.nodes.get(*node as usize).is_some_and(|node| node.valid.size() > 0)
            }
            _ => self.len(batch) > 0,
        }
    }

    /// The bytes that the column takes in a batch of this many rows. One for which nothing came takes none.
    pub(super) fn size(&self, batch: &Batch, rows: usize) -> usize {
        match &self.kind {
            TreeKind::Bool(at) => ask!(batch, bools, at, column => column.size()),
            TreeKind::I32(at) => ask!(batch, i32s, at, column => column.size(rows)),
            TreeKind::I64(at) => ask!(batch, i64s, at, column => column.size(rows)),
            TreeKind::U32(at) => ask!(batch, u32s, at, column => column.size(rows)),
            TreeKind::U64(at) => ask!(batch, u64s, at, column => column.size(rows)),
            TreeKind::F32(at) => ask!(batch, f32s, at, column => column.size(rows)),
            TreeKind::F64(at) => ask!(batch, f64s, at, column => column.size(rows)),
            TreeKind::Text(at) | TreeKind::Bytes(at) => ask!(batch, texts, at, column => column.size(rows)),
            TreeKind::Names(at) => ask!(batch, names, at, column => column.texts.size(rows)),
            TreeKind::Dictionary(at) => ask!(batch, dictionaries, at, column => column.size(rows)),
            TreeKind::Time(at) => ask!(batch, times, at, column => column.values.size(rows)),
            TreeKind::Gathered(at) => ask!(batch, gathered, at, column => column.size(rows)),
            TreeKind::Struct { node, children } => {
                let validity = batch.nodes.get(*node as usize).map_or(0, |node| node.valid.size());
                validity + sizes(children, batch, rows)
            }
            TreeKind::List { list, item: child } | TreeKind::Map { list, entries: child } => {
                ask!(batch, lists, list, list => list.size(rows)) + child.size(batch, child.len(batch))
            }
            TreeKind::Union { union, members } => {
                let members = members.iter().map(|(id, member)| {
                    member.size(batch, ask!(batch, unions, union, union => union.count(*id)))
                });
                // Type ids and offsets are there for rows without a member too.
                5 * rows + members.sum::<usize>()
            }
            // `sizes` counts it.
            TreeKind::Member { .. } => 0,
        }
    }

    /// Takes back the rows from `rows` on.
    pub(super) fn truncate(&self, batch: &mut Batch, rows: usize) {
        match &self.kind {
            TreeKind::Bool(at) => column!(batch, bools, at, column => column.truncate(rows)),
            TreeKind::I32(at) => column!(batch, i32s, at, column => column.truncate(rows)),
            TreeKind::I64(at) => column!(batch, i64s, at, column => column.truncate(rows)),
            TreeKind::U32(at) => column!(batch, u32s, at, column => column.truncate(rows)),
            TreeKind::U64(at) => column!(batch, u64s, at, column => column.truncate(rows)),
            TreeKind::F32(at) => column!(batch, f32s, at, column => column.truncate(rows)),
            TreeKind::F64(at) => column!(batch, f64s, at, column => column.truncate(rows)),
            TreeKind::Text(at) | TreeKind::Bytes(at) => {
                column!(batch, texts, at, column => column.truncate(rows));
            }
            TreeKind::Names(at) => column!(batch, names, at, column => column.texts.truncate(rows)),
            TreeKind::Dictionary(at) => {
                column!(batch, dictionaries, at, column => column.truncate(rows))
            }
            TreeKind::Time(at) => column!(batch, times, at, column => column.values.truncate(rows)),
            TreeKind::Gathered(at) => column!(batch, gathered, at, column => column.truncate(rows)),
            TreeKind::Struct { node, children } => {
                if let Some(node) = batch.nodes.get_mut(*node as usize) {
                    node.valid.truncate(rows);
                    node.count = node.count.min(rows);
                }
                children.iter().for_each(|child| child.truncate(batch, rows));
            }
            TreeKind::List { list, item: child } | TreeKind::Map { list, entries: child } => {
                let start = column!(batch, lists, list, list => {
                    let start = list.starts.get(rows).copied();
                    list.starts.truncate(rows);
                    start
                });
                if let Some(start) = start {
                    child.truncate(batch, start as usize);
                }
            }
            TreeKind::Union { union, members } => {
                column!(batch, unions, union, union => union.truncate(rows));
                for (id, member) in members {
                    let rows = column!(batch, unions, union, union => union.count(*id));
                    member.truncate(batch, rows);
                }
            }
            TreeKind::Member { .. } => {}
        }
    }

    /// The array of a column with this many rows; an empty column stays.
    fn array(&self, batch: &mut Batch, field: &Field, rows: usize) -> Result<ArrayRef, ArrowError> {
        Ok(match &self.kind {
            TreeKind::Bool(at) => {
                array!(batch, bools, at, column => Arc::new(column.take(rows, &mut batch.zeros)))
            }
            TreeKind::I32(at) => {
                array!(batch, i32s, at, column => Arc::new(column.take::<Int32Type>(rows, &mut batch.zeros)))
            }
            TreeKind::I64(at) => {
                array!(batch, i64s, at, column => Arc::new(column.take::<Int64Type>(rows, &mut batch.zeros)))
            }
            TreeKind::U32(at) => {
                array!(batch, u32s, at, column => Arc::new(column.take::<UInt32Type>(rows, &mut batch.zeros)))
            }
            TreeKind::U64(at) => {
                array!(batch, u64s, at, column => Arc::new(column.take::<UInt64Type>(rows, &mut batch.zeros)))
            }
            TreeKind::F32(at) => {
                array!(batch, f32s, at, column => Arc::new(column.take::<Float32Type>(rows, &mut batch.zeros)))
            }
            TreeKind::F64(at) => {
                array!(batch, f64s, at, column => Arc::new(column.take::<Float64Type>(rows, &mut batch.zeros)))
            }
            TreeKind::Text(at) => {
                array!(batch, texts, at, column => column.take(rows, &batch.blocks, true, &mut batch.zeros)?)
            }
            TreeKind::Bytes(at) => {
                array!(batch, texts, at, column => column.take(rows, &batch.blocks, false, &mut batch.zeros)?)
            }
            TreeKind::Names(at) => {
                array!(batch, names, at, column => column.texts.take(rows, &batch.blocks, true, &mut batch.zeros)?)
            }
            TreeKind::Dictionary(at) => {
                array!(batch, dictionaries, at, column => column.take(rows, &mut batch.zeros)?)
            }
            TreeKind::Gathered(at) => {
                array!(batch, gathered, at, column => column.take(rows, &mut batch.zeros)?)
            }
            TreeKind::Time(at) => time(batch, *at, rows),
            TreeKind::Struct { node, children } => {
                let nulls = batch.nodes.get_mut(*node as usize).and_then(|node| {
                    node.count = 0;
                    if node.nullable { node.valid.take_nulls(rows, &mut batch.zeros) } else { None }
                });
                Arc::new(structs(batch, field, children, rows, nulls)?)
            }
            TreeKind::List { list, item } => Arc::new(lists(batch, field, *list, item, rows)?),
            TreeKind::Map { list, entries } => maps(batch, field, *list, entries, rows)?,
            TreeKind::Union { union, members } => Arc::new(unions(batch, field, *union, members, rows)?),
            // `structs` makes it.
            TreeKind::Member { .. } => return Err(wrong(field)),
        })
    }
}

/// Makes null what stands in rows that could not be read. A union has no member there.
pub(super) fn null_where_bad(array: &mut ArrayRef, good: &NullBuffer) -> Result<(), ArrowError> {
    if !matches!(array.data_type(), DataType::Union(..)) {
        let nulls = NullBuffer::union(array.nulls(), Some(good));
        *array = arrow_array::make_array(array.to_data().into_builder().nulls(nulls).build()?);
    }
    Ok(())
}

fn wrong(field: &Field) -> ArrowError {
    ArrowError::SchemaError(format!("column {} has another type than its schema", field.name()))
}

fn structs(
    batch: &mut Batch,
    field: &Field,
    children: &[Tree],
    rows: usize,
    nulls: Option<NullBuffer>,
) -> Result<StructArray, ArrowError> {
    let DataType::Struct(fields) = field.data_type() else { return Err(wrong(field)) };
    let arrays = arrays(batch, fields, children, rows)?;
    StructArray::try_new_with_length(fields.clone(), arrays, nulls, rows)
}

fn lists(
    batch: &mut Batch,
    field: &Field,
    list: u32,
    item: &Tree,
    rows: usize,
) -> Result<ListArray, ArrowError> {
    let DataType::List(of) = field.data_type() else { return Err(wrong(field)) };
    let len = item.len(batch);
    let offsets = column!(batch, lists, &list, list => list.take(rows, len, &mut batch.zeros));
    let values = item.array(batch, of, len)?;
    ListArray::try_new(of.clone(), OffsetBuffer::new(offsets), values, None)
}

/// The bytes that the columns of a message take in a batch of this many rows.
pub(super) fn sizes(columns: &[Tree], batch: &Batch, rows: usize) -> usize {
    let size = |column: &Tree| match &column.kind {
        // Where no member was set, it is nulls, which columns share.
        TreeKind::Member { members } if members.iter().any(|(_, at)| columns[*at].has_any(batch)) => {
            rows * (20 + members.iter().map(|(name, _)| name.len()).max().unwrap_or(0))
        }
        _ => column.size(batch, rows),
    };
    columns.iter().map(size).sum()
}

/// The columns of a message with this many rows. All are emptied, also after a failure.
///
/// # Errors
/// If Arrow refuses the values.
pub(super) fn arrays(
    batch: &mut Batch,
    fields: &Fields,
    children: &[Tree],
    rows: usize,
) -> Result<Vec<ArrayRef>, ArrowError> {
    let (mut arrays, mut oneofs, mut failed) = (Vec::with_capacity(children.len()), Vec::new(), None);
    for (at, (child, field)) in children.iter().zip(fields).enumerate() {
        let array = match &child.kind {
            TreeKind::Member { members } => {
                oneofs.push((at, members));
                Ok(Arc::new(NullArray::new(rows)) as ArrayRef)
            }
            _ => child.array(batch, field, rows),
        };
        match array {
            Ok(array) => arrays.push(array),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    if let Some(error) = failed {
        return Err(error);
    }
    // What names the member is made of the columns of the members.
    for (at, members) in oneofs {
        let none = members.iter().all(|(_, at)| arrays[*at].null_count() == rows);
        arrays[at] = match fields[at].data_type() {
            DataType::Dictionary(..) => {
                let numbers = (0..rows).map(|row| member_at(members, &arrays, row).map(|at| at as i32));
                let keys = match none {
                    true => {
                        let nulls = NullBuffer::new(batch.zeros.bits(rows));
                        Int32Array::try_new(batch.zeros.get(rows), Some(nulls))?
                    }
                    false => numbers.collect(),
                };
                let names = StringArray::from_iter_values(members.iter().map(|(name, _)| name));
                // A key is a place in `members`, and there is a name for each.
                Arc::new(DictionaryArray::new(keys, Arc::new(names)))
            }
            data_type if none => {
                let views = *data_type == DataType::Utf8View;
                Gathered::new(views, true, true, Vec::new()).take(rows, &mut batch.zeros)?
            }
            data_type => member_names(data_type, members, &arrays, rows),
        };
    }
    Ok(arrays)
}

/// The member that is set in a row: its column is not null.
fn member_at(members: &[(String, usize)], columns: &[ArrayRef], row: usize) -> Option<usize> {
    members.iter().position(|(_, at)| columns[*at].is_valid(row))
}

/// Of each row the name of the member that is set.
fn member_names(
    data_type: &DataType,
    members: &[(String, usize)],
    columns: &[ArrayRef],
    rows: usize,
) -> ArrayRef {
    let names = (0..rows).map(|row| member_at(members, columns, row).map(|at| members[at].0.as_str()));
    match data_type {
        DataType::Utf8View => Arc::new(names.collect::<StringViewArray>()),
        _ => Arc::new(names.collect::<StringArray>()),
    }
}

fn maps(
    batch: &mut Batch,
    field: &Field,
    list: u32,
    entries: &Tree,
    rows: usize,
) -> Result<ArrayRef, ArrowError> {
    let TreeKind::Struct { node, children } = &entries.kind else { return Err(wrong(field)) };
    let len = entries.len(batch);
    let offsets = column!(batch, lists, &list, list => list.take(rows, len, &mut batch.zeros));
    if let Some(node) = batch.nodes.get_mut(*node as usize) {
        node.count = 0;
    }
    let offsets = OffsetBuffer::new(offsets);
    Ok(match field.data_type() {
        DataType::Map(of, ordered) => {
            let entries = structs(batch, of, children, len, None)?;
            Arc::new(MapArray::try_new(of.clone(), offsets, entries, None, *ordered)?)
        }
        DataType::List(of) => {
            let entries = structs(batch, of, children, len, None)?;
            Arc::new(ListArray::try_new(of.clone(), offsets, Arc::new(entries), None)?)
        }
        DataType::Struct(parts) => {
            let mut lists: Vec<ArrayRef> = Vec::with_capacity(2);
            for (child, part) in children.iter().zip(parts) {
                let DataType::List(of) = part.data_type() else { return Err(wrong(part)) };
                let values = child.array(batch, of, len)?;
                lists.push(Arc::new(ListArray::try_new(of.clone(), offsets.clone(), values, None)?));
            }
            Arc::new(StructArray::try_new_with_length(parts.clone(), lists, None, rows)?)
        }
        _ => return Err(wrong(field)),
    })
}

fn unions(
    batch: &mut Batch,
    field: &Field,
    union: u32,
    members: &[(i8, Tree)],
    rows: usize,
) -> Result<UnionArray, ArrowError> {
    let DataType::Union(of, _) = field.data_type() else { return Err(wrong(field)) };
    let taken = column!(batch, unions, &union, union => {
        union.fill(rows);
        std::mem::take(union)
    });
    let mut children: Vec<ArrayRef> = vec![Arc::new(NullArray::new(taken.count(0)))];
    for ((id, member), (_, field)) in members.iter().zip(of.iter().skip(1)) {
        children.push(member.array(batch, field, taken.count(*id))?);
    }
    UnionArray::try_new(of.clone(), taken.ids.into(), Some(taken.offsets.into()), children)
}

fn time(batch: &mut Batch, at: u32, rows: usize) -> ArrayRef {
    let Some(column) = batch.stores.times.get_mut(at as usize) else { return Arc::new(NullArray::new(rows)) };
    macro_rules! timestamp {
        ($type:ty) => {
            Arc::new(column.values.take::<$type>(rows, &mut batch.zeros).with_timezone("UTC"))
        };
    }
    match column.unit() {
        (TimeUnit::Second, true) => timestamp!(TimestampSecondType),
        (TimeUnit::Millisecond, true) => timestamp!(TimestampMillisecondType),
        (TimeUnit::Microsecond, true) => timestamp!(TimestampMicrosecondType),
        (TimeUnit::Nanosecond, true) => timestamp!(TimestampNanosecondType),
        (TimeUnit::Second, false) => {
            Arc::new(column.values.take::<DurationSecondType>(rows, &mut batch.zeros))
        }
        (TimeUnit::Millisecond, false) => {
            Arc::new(column.values.take::<DurationMillisecondType>(rows, &mut batch.zeros))
        }
        (TimeUnit::Microsecond, false) => {
            Arc::new(column.values.take::<DurationMicrosecondType>(rows, &mut batch.zeros))
        }
        (TimeUnit::Nanosecond, false) => {
            Arc::new(column.values.take::<DurationNanosecondType>(rows, &mut batch.zeros))
        }
    }
}
