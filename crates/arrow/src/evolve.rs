//! [`Adapter`]: batches that another version of a message type has made.
//!
//! ```text
//! columns of the other version, renamed by their numbers -> Writer -> messages -> ArrayDecoder -> columns of this version
//! ```
//!
//! Messages are what the two versions have in common, so what a change means is what it means on the wire.

use crate::mapping::NUMBER;
use crate::read::{ArrayDecoder, BadRows, ReaderBuilder};
use crate::write::{Writer, WriterBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, ListArray, MapArray, RecordBatch, RecordBatchOptions, StructArray, UnionArray,
};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields, Schema, SchemaRef, UnionFields};
use core::fmt;
use std::collections::HashSet;
use std::sync::Arc;
use tablepb::table::Kind;
use tablepb::{FieldDescriptor, MessageDescriptor};

/// Makes batches of one version of a message type out of those of another: older and newer files become one table.
///
/// A column belongs to the field of its number, which is in its metadata ([`NUMBER`]). A column without a number belongs to the field of its name, and a union to the
/// oneof of its members. What this version does not have is left out. What the other version does not have is unset: the default, or null with presence. Integers may be of
/// another width, if the values fit. Enums may be numbers or names. [`changes`](Self::changes) says what differs.
///
/// Each batch is written as messages and read again, which costs as much as both. Bad rows are errors, whatever [`bad_rows`](ReaderBuilder::bad_rows) says.
///
/// ```
/// use arrow_array::cast::AsArray;
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
/// use tablepb_arrow::{Adapter, ReaderBuilder};
///
/// static OLD: MessageTable = MessageTable::new("example.Log", &[FieldTable::new("line", 1, Kind::String)]);
/// static NEW: MessageTable = MessageTable::new(
///     "example.Log",
///     &[FieldTable::new("text", 1, Kind::String), FieldTable::new("level", 2, Kind::Int32)],
/// );
/// let of = |table| -> Result<_, Box<dyn std::error::Error>> {
///     Ok(ReaderBuilder::new(&DescriptorPool::from_tables(&[table])?.message("example.Log")?))
/// };
/// let mut decoder = of(&OLD)?.build_decoder()?;
/// decoder.push(b"\x0a\x02hi")?;
/// let old = decoder.flush()?.unwrap();
///
/// let mut adapter = Adapter::new(&of(&NEW)?, &old.schema())?;
/// let changes: Vec<_> = adapter.changes().iter().map(ToString::to_string).collect();
/// assert_eq!(changes, ["text: was named line", "level: is new"]);
/// let new = adapter.adapt(&old)?;
/// assert_eq!(new.column_by_name("text").unwrap().as_string_view().value(0), "hi");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Adapter {
    written: SchemaRef,
    renamed: SchemaRef,
    writer: Writer,
    decoder: ArrayDecoder,
    schema: SchemaRef,
    changes: Vec<Change>,
}

/// What differs between two versions: the column of this one, or of the other one if this one has none, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    path: String,
    kind: ChangeKind,
}

/// How a column differs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChangeKind {
    /// The other version does not have it.
    New,
    /// This version does not have it, or it is not selected: it is left out.
    LeftOut,
    /// It had this name.
    Named(String),
    /// It had this type. Columns of messages differ in their own columns.
    Typed(DataType),
}

impl Change {
    /// The column: names with dots between them.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// How it differs.
    #[must_use]
    pub fn kind(&self) -> &ChangeKind {
        &self.kind
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path)?;
        match &self.kind {
            ChangeKind::New => f.write_str("is new"),
            ChangeKind::LeftOut => f.write_str("is left out"),
            ChangeKind::Named(name) => write!(f, "was named {name}"),
            ChangeKind::Typed(data_type) => write!(f, "was of type {data_type}"),
        }
    }
}

impl Adapter {
    /// An adapter for batches with the schema `written`, which becomes that of the reader.
    ///
    /// # Errors
    /// Those of [`ReaderBuilder::schema`]; a column whose type does not fit its field, with its path; a required field of which the other version has no column; a union
    /// whose members are not in one oneof here.
    pub fn new(reader: &ReaderBuilder, written: &SchemaRef) -> Result<Self, ArrowError> {
        // A bad row that is skipped would be a row of defaults.
        let reader = reader.clone().bad_rows(BadRows::Fail);
        let (descriptor, schema) = (reader.descriptor(), reader.schema()?);
        let fields = renamed(written.fields(), descriptor)?;
        let mut changes = Vec::new();
        compare(written.fields(), &fields, schema.fields(), "", &mut changes);
        let renamed = Arc::new(Schema::new_with_metadata(fields, written.metadata().clone()));
        let writer = WriterBuilder::new(descriptor).extra_columns(true).build(&renamed)?;
        let decoder = reader.build_array_decoder()?;
        Ok(Self { written: written.clone(), renamed, writer, decoder, schema, changes })
    }

    /// The schema of the batches that it makes.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// What differs, in the order of this version's columns, those that are left out last.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Makes a batch of this version.
    ///
    /// # Errors
    /// A batch with another schema; a value that does not fit its field, with row and column; what the reader refuses. The adapter can be used.
    pub fn adapt(&mut self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        if batch.schema_ref().fields() != self.written.fields() {
            return Err(ArrowError::SchemaError("a batch with another schema than the adapter's".into()));
        }
        let columns = batch.columns().iter().zip(self.renamed.fields());
        let columns = columns.map(|(array, field)| with_names(array, field)).collect::<Result<_, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let renamed = RecordBatch::try_new_with_options(self.renamed.clone(), columns, &options)?;
        let messages = self.writer.to_array(&renamed)?;
        let (_, columns, _) = self.decoder.decode(&messages)?.into_parts();
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
    }
}

/// The number of a column.
fn number(field: &Field) -> Option<u32> {
    field.metadata().get(NUMBER)?.parse().ok()
}

/// Columns with the names that their fields have in this version. One whose number this version does not have gets a name that no field has.
fn renamed(fields: &Fields, descriptor: &MessageDescriptor) -> Result<Fields, ArrowError> {
    fields.iter().map(|field| renamed_field(field, descriptor)).collect()
}

fn renamed_field(field: &FieldRef, descriptor: &MessageDescriptor) -> Result<FieldRef, ArrowError> {
    if let DataType::Union(members, mode) = field.data_type() {
        let (name, members) = renamed_union(field.name(), members, descriptor)?;
        let data_type = DataType::Union(members, *mode);
        return Ok(Arc::new(field.as_ref().clone().with_name(name).with_data_type(data_type)));
    }
    let known = match number(field) {
        Some(number) => by_number(descriptor, number),
        None => descriptor.field(field.name().as_str()).ok(),
    };
    let name = match &known {
        Some(known) if known.is_extension() => format!("[{}]", known.full_name()),
        Some(known) => known.name().to_owned(),
        None if number(field).is_some() => format!("{}\0", field.name()),
        None => field.name().clone(),
    };
    let message = known.and_then(|known| match known.kind() {
        Kind::Message(message) => Some(message),
        _ => None,
    });
    let data_type = match message {
        Some(message) => with_fields(field.data_type(), &message)?,
        None => field.data_type().clone(),
    };
    Ok(Arc::new(field.as_ref().clone().with_name(name).with_data_type(data_type)))
}

fn by_number(descriptor: &MessageDescriptor, number: u32) -> Option<FieldDescriptor> {
    let extension = || descriptor.get_extension(number).map(|extension| extension.as_field());
    descriptor.get_field(number).or_else(extension)
}

/// The name of a oneof, and its members, in this version.
fn renamed_union(
    name: &str,
    members: &UnionFields,
    descriptor: &MessageDescriptor,
) -> Result<(String, UnionFields), ArrowError> {
    let known = members.iter().filter_map(|(_, member)| by_number(descriptor, number(member)?));
    let mut oneofs: Vec<_> =
        known.map(|known| known.containing_oneof().map(|oneof| oneof.name().to_owned())).collect();
    oneofs.dedup();
    let name = match &oneofs[..] {
        [] => name.to_owned(),
        [Some(oneof)] => oneof.clone(),
        // The writer would find no field for some of them.
        _ => {
            let text = format!("the members of the union {name} are no oneof in {}", descriptor.full_name());
            return Err(ArrowError::SchemaError(text));
        }
    };
    let members = members.iter().map(|(id, member)| match number(member) {
        Some(_) => Ok((id, renamed_field(member, descriptor)?)),
        None => Ok((id, member.clone())),
    });
    Ok((name, members.collect::<Result<_, ArrowError>>()?))
}

/// The type with the columns of messages in it renamed. The entry of a map is a message too.
fn with_fields(data_type: &DataType, message: &MessageDescriptor) -> Result<DataType, ArrowError> {
    let inside = |field: &FieldRef| -> Result<FieldRef, ArrowError> {
        let data_type = with_fields(field.data_type(), message)?;
        Ok(Arc::new(field.as_ref().clone().with_data_type(data_type)))
    };
    Ok(match data_type {
        DataType::Struct(fields) => DataType::Struct(renamed(fields, message)?),
        DataType::List(item) => DataType::List(inside(item)?),
        DataType::Map(entries, sorted) => DataType::Map(inside(entries)?, *sorted),
        other => other.clone(),
    })
}

/// The array with the names of this type.
fn with_names(array: &ArrayRef, field: &Field) -> Result<ArrayRef, ArrowError> {
    if array.data_type() == field.data_type() {
        return Ok(array.clone());
    }
    Ok(match field.data_type() {
        DataType::Struct(fields) => {
            let (_, columns, nulls) = array.as_struct().clone().into_parts();
            let columns = columns.iter().zip(fields).map(|(column, field)| with_names(column, field));
            let columns = columns.collect::<Result<_, _>>()?;
            Arc::new(StructArray::try_new_with_length(fields.clone(), columns, nulls, array.len())?)
        }
        DataType::List(item) => {
            let (_, offsets, values, nulls) = array.as_list::<i32>().clone().into_parts();
            Arc::new(ListArray::try_new(item.clone(), offsets, with_names(&values, item)?, nulls)?)
        }
        DataType::Map(entries, sorted) => {
            let (_, offsets, inner, nulls, _) = array.as_map().clone().into_parts();
            let inner = with_names(&(Arc::new(inner) as ArrayRef), entries)?.as_struct().clone();
            Arc::new(MapArray::try_new(entries.clone(), offsets, inner, nulls, *sorted)?)
        }
        DataType::Union(members, _) => {
            let (_, ids, offsets, columns) = array.as_union().clone().into_parts();
            let columns = columns.iter().zip(members.iter());
            let columns = columns.map(|(column, (_, member))| with_names(column, member));
            Arc::new(UnionArray::try_new(members.clone(), ids, offsets, columns.collect::<Result<_, _>>()?)?)
        }
        _ => array.clone(),
    })
}

/// Notes what differs between columns of the other version, with their names there and here, and those of this version.
fn compare(written: &Fields, renamed: &Fields, ours: &Fields, around: &str, changes: &mut Vec<Change>) {
    let place = |name: &str| if around.is_empty() { name.to_owned() } else { format!("{around}.{name}") };
    let mut matched = HashSet::new();
    for field in ours {
        let path = place(field.name());
        let Some(at) = renamed.iter().position(|other| other.name() == field.name()) else {
            changes.push(Change { path, kind: ChangeKind::New });
            continue;
        };
        matched.insert(at);
        let (before, now) = (&written[at], &renamed[at]);
        if before.name() != field.name() {
            changes.push(Change { path: path.clone(), kind: ChangeKind::Named(before.name().clone()) });
        }
        compare_types(before.data_type(), now.data_type(), field.data_type(), &path, changes);
    }
    for (at, field) in written.iter().enumerate() {
        if !matched.contains(&at) {
            changes.push(Change { path: place(field.name()), kind: ChangeKind::LeftOut });
        }
    }
}

fn compare_types(
    written: &DataType,
    renamed: &DataType,
    ours: &DataType,
    path: &str,
    changes: &mut Vec<Change>,
) {
    match (written, renamed, ours) {
        (DataType::Struct(written), DataType::Struct(renamed), DataType::Struct(ours)) => {
            compare(written, renamed, ours, path, changes);
        }
        (DataType::List(written), DataType::List(renamed), DataType::List(ours))
        | (DataType::Map(written, _), DataType::Map(renamed, _), DataType::Map(ours, _)) => {
            compare_types(written.data_type(), renamed.data_type(), ours.data_type(), path, changes);
        }
        (DataType::Union(written, _), DataType::Union(renamed, _), DataType::Union(ours, _)) => {
            let fields =
                |members: &UnionFields| members.iter().map(|(_, member)| member.clone()).collect::<Fields>();
            compare(&fields(written), &fields(renamed), &fields(ours), path, changes);
        }
        (written, _, ours) if written != ours => {
            changes.push(Change { path: path.to_owned(), kind: ChangeKind::Typed(written.clone()) });
        }
        _ => {}
    }
}
