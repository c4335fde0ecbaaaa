//! Messages to a record batch, slowly and plainly: column by column, from `DynamicMessage`s, with Arrow's builders. It knows nothing of the reader.
//! The schema says what to make of each field; a column finds its field by name.

use arrow_array::builder::{
    BinaryBuilder, BinaryViewBuilder, StringBuilder, StringDictionaryBuilder, StringViewBuilder,
};
use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Fields, SchemaRef, TimeUnit, UnionFields};
use std::sync::Arc;
use tablepb::table::Kind;
use tablepb::wire::{Reader, Writer};
use tablepb::{DynamicMessage, EncodeOptions, FieldDescriptor, MessageDescriptor, MessageView, ValueRef};
use tablepb_arrow::mapping::NUMBER;

/// A value of one row; `None` if it is null, or if a struct around it is.
type Cell<'a> = Option<ValueRef<'a, 'a>>;

/// The batch of these rows.
pub fn batch(schema: &SchemaRef, descriptor: &MessageDescriptor, rows: &[DynamicMessage]) -> RecordBatch {
    let rows: Vec<_> = rows.iter().map(|row| Some(row.as_view())).collect();
    let columns = columns(schema.fields(), descriptor, &rows);
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    RecordBatch::try_new_with_options(schema.clone(), columns, &options).expect("columns of the schema")
}

fn columns(
    fields: &Fields,
    descriptor: &MessageDescriptor,
    rows: &[Option<MessageView<'_, '_>>],
) -> Vec<ArrayRef> {
    // What a column that is not nullable has where nothing is set.
    let empty = DynamicMessage::new(descriptor);
    let column = |column: &Arc<Field>| match column.data_type() {
        _ if column.name() == "_unknown" => {
            bytes(column.data_type(), rows.iter().map(|row| row.and_then(unknown)))
        }
        DataType::Union(members, _) => union(members, descriptor, rows),
        data_type if !column.metadata().contains_key(NUMBER) => {
            member(data_type, descriptor, column.name(), rows)
        }
        data_type => {
            let field = find(descriptor, column.name());
            let default = || (!column.is_nullable()).then(|| empty.get_field(&field).unwrap());
            let cells =
                rows.iter().map(|row| row.and_then(|row| cell(row, &field)).or_else(default)).collect();
            array(data_type, column.is_nullable(), &field, cells)
        }
    };
    fields.iter().map(column).collect()
}

fn find(descriptor: &MessageDescriptor, name: &str) -> FieldDescriptor {
    match name.strip_prefix('[') {
        Some(name) => {
            let pool = descriptor.parent_pool();
            pool.extension(name.trim_end_matches(']')).expect("an extension").as_field()
        }
        None => descriptor.field(name).expect("a field"),
    }
}

fn cell<'a>(row: MessageView<'a, 'a>, field: &FieldDescriptor) -> Cell<'a> {
    let absent = field.supports_presence() && !row.has_field(field);
    (!absent).then(|| row.get_field(field).unwrap())
}

/// The name of the member of a oneof that is set.
fn member(
    data_type: &DataType,
    descriptor: &MessageDescriptor,
    oneof: &str,
    rows: &[Option<MessageView<'_, '_>>],
) -> ArrayRef {
    let oneof = descriptor.oneofs().find(|other| other.name() == oneof).expect("a oneof");
    let set = |row: MessageView<'_, '_>| oneof.fields().find(|field| row.has_field(field));
    let names = rows.iter().map(|row| row.and_then(set).map(|field| field.name().to_owned()));
    match data_type {
        DataType::Dictionary(..) => {
            let mut builder = StringDictionaryBuilder::<Int32Type>::new();
            names.for_each(|name| builder.append_option(name));
            Arc::new(builder.finish())
        }
        other => bytes(other, names.map(|name| name.map(String::into_bytes))),
    }
}

/// The unknown fields as on the wire: what is left of the message without the known ones.
fn unknown(row: MessageView<'_, '_>) -> Option<Vec<u8>> {
    row.unknown_fields().next()?;
    let mut rest = row.to_owned();
    let descriptor = row.descriptor();
    let extensions = descriptor.extensions().map(|extension| extension.as_field());
    descriptor.fields().chain(extensions).for_each(|field| rest.clear_field(&field).unwrap());
    let mut bytes = Vec::new();
    EncodeOptions::new().allow_partial(true).encode(&rest, &mut bytes).expect("a small message");
    Some(with_short_tags(&bytes))
}

/// The fields with their tags in the shortest form, which columns have.
fn with_short_tags(fields: &[u8]) -> Vec<u8> {
    let (mut short, mut reader) = (Vec::new(), Reader::new(fields));
    while !reader.is_empty() {
        let tag = reader.read_tag().expect("fields");
        let start = reader.position();
        reader.skip_field(tag).expect("fields");
        Writer::new(&mut short).write_tag(tag);
        short.extend_from_slice(&fields[start..reader.position()]);
    }
    short
}

/// Bytes, of any type that holds them.
fn bytes(data_type: &DataType, values: impl Iterator<Item = Option<Vec<u8>>>) -> ArrayRef {
    let text = |value: Option<Vec<u8>>| value.map(|value| String::from_utf8(value).expect("UTF-8"));
    match data_type {
        DataType::Utf8 => {
            let mut builder = StringBuilder::new();
            values.for_each(|value| builder.append_option(text(value)));
            Arc::new(builder.finish())
        }
        DataType::Utf8View => {
            let mut builder = StringViewBuilder::new();
            values.for_each(|value| builder.append_option(text(value)));
            Arc::new(builder.finish())
        }
        DataType::Binary => {
            let mut builder = BinaryBuilder::new();
            values.for_each(|value| builder.append_option(value));
            Arc::new(builder.finish())
        }
        DataType::BinaryView => {
            let mut builder = BinaryViewBuilder::new();
            values.for_each(|value| builder.append_option(value));
            Arc::new(builder.finish())
        }
        other => panic!("bytes as {other}"),
    }
}

fn numbers<T: ArrowPrimitiveType>(
    nullable: bool,
    cells: Vec<Cell<'_>>,
    number: impl Fn(ValueRef<'_, '_>) -> T::Native,
) -> PrimitiveArray<T> {
    let zero = (!nullable).then_some(T::Native::default());
    cells.into_iter().map(|cell| cell.map(&number).or(zero)).collect()
}

/// A column of one field.
fn array(data_type: &DataType, nullable: bool, field: &FieldDescriptor, cells: Vec<Cell<'_>>) -> ArrayRef {
    if let (Kind::Message(message), false, false) =
        (field.kind(), field.is_map(), field.is_list() && is_list(data_type))
    {
        return messages(data_type, nullable, &message, cells);
    }
    if field.is_map() {
        return map(data_type, field, &cells);
    }
    match data_type {
        DataType::Boolean => {
            let bools = cells
                .iter()
                .map(|cell| cell.map(|value| value.as_bool().unwrap()).or((!nullable).then_some(false)));
            Arc::new(bools.collect::<BooleanArray>())
        }
        DataType::Int32 => Arc::new(numbers::<Int32Type>(nullable, cells, |value| {
            value.as_enum_number().or(value.as_i32()).unwrap()
        })),
        DataType::Int64 => Arc::new(numbers::<Int64Type>(nullable, cells, |value| value.as_i64().unwrap())),
        DataType::UInt32 => Arc::new(numbers::<UInt32Type>(nullable, cells, |value| value.as_u32().unwrap())),
        DataType::UInt64 => Arc::new(numbers::<UInt64Type>(nullable, cells, |value| value.as_u64().unwrap())),
        DataType::Float32 => {
            Arc::new(numbers::<Float32Type>(nullable, cells, |value| value.as_f32().unwrap()))
        }
        DataType::Float64 => {
            Arc::new(numbers::<Float64Type>(nullable, cells, |value| value.as_f64().unwrap()))
        }
        DataType::Dictionary(..) => {
            let mut builder = StringDictionaryBuilder::<Int32Type>::new();
            let texts = cells
                .into_iter()
                .map(|cell| cell.map(|value| text(value, field)).or((!nullable).then(Vec::new)));
            texts.for_each(|value| {
                builder.append_option(value.map(|value| String::from_utf8(value).unwrap()))
            });
            Arc::new(builder.finish())
        }
        DataType::List(item) => {
            let lists = cells.iter().map(|cell| {
                cell.map_or(Vec::new(), |list| list.as_list().unwrap().iter().map(Some).collect())
            });
            let lists: Vec<Vec<_>> = lists.collect();
            let offsets = OffsetBuffer::from_lengths(lists.iter().map(Vec::len));
            let values = array(item.data_type(), false, field, lists.concat());
            Arc::new(ListArray::new(item.clone(), offsets, values, None))
        }
        other => {
            let texts = cells
                .into_iter()
                .map(|cell| cell.map(|value| text(value, field)).or((!nullable).then(Vec::new)));
            bytes(other, texts)
        }
    }
}

fn is_list(data_type: &DataType) -> bool {
    matches!(data_type, DataType::List(_))
}

/// A string, bytes, or the name of an enum value.
fn text(value: ValueRef<'_, '_>, field: &FieldDescriptor) -> Vec<u8> {
    match (value, field.kind()) {
        (ValueRef::String(value), _) => value.into(),
        (ValueRef::Bytes(value), _) => value.into(),
        (ValueRef::EnumNumber(number), Kind::Enum(descriptor)) => match descriptor.get_value(number) {
            Some(value) => value.name().into(),
            None => number.to_string().into_bytes(),
        },
        other => panic!("{other:?} as text"),
    }
}

/// The seconds or nanoseconds of a time.
fn part(row: MessageView<'_, '_>, number: u32) -> i128 {
    match row.get_field(number).ok() {
        Some(ValueRef::I64(seconds)) => seconds.into(),
        Some(ValueRef::I32(nanos)) => nanos.into(),
        other => panic!("{other:?} in a time"),
    }
}

fn messages(
    data_type: &DataType,
    nullable: bool,
    descriptor: &MessageDescriptor,
    cells: Vec<Cell<'_>>,
) -> ArrayRef {
    let rows: Vec<_> =
        cells.iter().map(|cell| cell.map(|value| value.as_message().expect("a message"))).collect();
    match data_type {
        DataType::Struct(fields) => {
            let nulls = nullable.then(|| NullBuffer::from_iter(rows.iter().map(Option::is_some)));
            let children = columns(fields, descriptor, &rows);
            Arc::new(
                StructArray::try_new_with_length(fields.clone(), children, nulls, rows.len())
                    .expect("children"),
            )
        }
        DataType::Timestamp(unit, _) | DataType::Duration(unit) => times(data_type, unit, nullable, &rows),
        other
            if descriptor.full_name().starts_with("google.protobuf.")
                && descriptor.name().ends_with("Value") =>
        {
            let value = descriptor.get_field(1).expect("a value");
            let cells = rows.iter().map(|row| row.map(|row| row.get_field(&value).unwrap())).collect();
            array(other, nullable, &value, cells)
        }
        DataType::Utf8 | DataType::Utf8View => {
            let json = |row: MessageView<'_, '_>| tablepb::json::to_string(&row).expect("JSON").into_bytes();
            bytes(data_type, rows.iter().map(|row| row.map(json).or((!nullable).then(Vec::new))))
        }
        other => {
            let encoded = |row: MessageView<'_, '_>| {
                let mut bytes = Vec::new();
                EncodeOptions::new().allow_partial(true).encode(&row, &mut bytes).expect("a small message");
                bytes
            };
            bytes(other, rows.iter().map(|row| row.map(encoded).or((!nullable).then(Vec::new))))
        }
    }
}

/// Counts of a unit: rounded down for timestamps, towards zero for durations.
fn times(
    data_type: &DataType,
    unit: &TimeUnit,
    nullable: bool,
    rows: &[Option<MessageView<'_, '_>>],
) -> ArrayRef {
    let count = |row| {
        let nanos = part(row, 1) * 1_000_000_000 + part(row, 2);
        let unit = match unit {
            TimeUnit::Second => 1_000_000_000,
            TimeUnit::Millisecond => 1_000_000,
            TimeUnit::Microsecond => 1_000,
            TimeUnit::Nanosecond => 1,
        };
        let floor = matches!(data_type, DataType::Timestamp(..));
        i64::try_from(if floor { nanos.div_euclid(unit) } else { nanos / unit }).expect("times that fit")
    };
    let counts: Int64Array =
        rows.iter().map(|row| row.map(count).or_else(|| (!nullable).then_some(0))).collect();
    // Both types are numbers of 64 bits with another name.
    let data = counts.into_data().into_builder().data_type(data_type.clone());
    make_array(data.build().expect("numbers"))
}

fn map(data_type: &DataType, field: &FieldDescriptor, cells: &[Cell<'_>]) -> ArrayRef {
    let Kind::Message(entry) = field.kind() else { panic!("a map") };
    let (mut keys, mut values, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
    for cell in cells {
        let before = keys.len();
        for (key, value) in cell.iter().flat_map(|map| map.as_map().expect("a map").iter()) {
            keys.push(Some(ValueRef::from(key)));
            values.push(Some(value));
        }
        lengths.push(keys.len() - before);
    }
    let offsets = OffsetBuffer::from_lengths(lengths);
    let parts = |key: &DataType, value: &DataType| {
        let keys = array(key, false, &entry.map_entry_key_field().unwrap(), keys);
        vec![keys, array(value, false, &entry.map_entry_value_field().unwrap(), values)]
    };
    let both = |fields: &Fields| (fields[0].data_type().clone(), fields[1].data_type().clone());
    let element = |list: DataType| match list {
        DataType::List(item) => item,
        other => panic!("{other} as a list"),
    };
    match data_type {
        DataType::Struct(fields) => {
            let (keys, values) = both(fields);
            let items = [element(keys), element(values)];
            let parts = parts(items[0].data_type(), items[1].data_type());
            let lists = items.into_iter().zip(parts);
            let lists = lists.map(|(item, values)| ListArray::new(item, offsets.clone(), values, None));
            Arc::new(StructArray::new(
                fields.clone(),
                lists.map(|list| Arc::new(list) as ArrayRef).collect(),
                None,
            ))
        }
        DataType::Map(entries, _) | DataType::List(entries) => {
            let DataType::Struct(fields) = entries.data_type() else { panic!("entries") };
            let (keys, values) = both(fields);
            let all = StructArray::new(fields.clone(), parts(&keys, &values), None);
            match data_type {
                DataType::Map(..) => Arc::new(MapArray::new(entries.clone(), offsets, all, None, false)),
                _ => Arc::new(ListArray::new(entries.clone(), offsets, Arc::new(all), None)),
            }
        }
        other => panic!("a map as {other}"),
    }
}

fn union(
    members: &UnionFields,
    descriptor: &MessageDescriptor,
    rows: &[Option<MessageView<'_, '_>>],
) -> ArrayRef {
    let mut ids = vec![0_i8; rows.len()];
    let mut offsets = vec![0_i32; rows.len()];
    let mut children: Vec<ArrayRef> = Vec::new();
    for (id, member) in members.iter().skip(1) {
        let field = find(descriptor, member.name());
        let mut cells = Vec::new();
        for (i, row) in rows.iter().enumerate() {
            if let Some(value) = row.and_then(|row| cell(row, &field)) {
                (ids[i], offsets[i]) = (id, cells.len() as i32);
                cells.push(Some(value));
            }
        }
        children.push(array(member.data_type(), member.is_nullable(), &field, cells));
    }
    let mut none = 0;
    for i in (0..rows.len()).filter(|&i| ids[i] == 0) {
        offsets[i] = none;
        none += 1;
    }
    children.insert(0, Arc::new(NullArray::new(none as usize)));
    let union = UnionArray::try_new(
        members.clone(),
        ScalarBuffer::from(ids),
        Some(ScalarBuffer::from(offsets)),
        children,
    );
    Arc::new(union.expect("a union"))
}
