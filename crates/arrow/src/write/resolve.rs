//! Columns to fields: makes the plan and finds what does not fit.

use super::plan::{FieldPlan, Item, MessagePlan, Presence, Shape, ValuePlan};
use super::wire::{Cut, Domain, Scalar, Tag};
use super::{WriteError, WriteErrorKind};
use crate::mapping::{NUMBER, TYPE, UNKNOWN};
use arrow_schema::{DataType, Field, Fields};
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use tablepb::prost_reflect_names::MessageNames;
use tablepb::schema::{FieldKind, OneofDescriptor};
use tablepb::table::Kind;
use tablepb::wire::WireType;
use tablepb::{EnumDescriptor, FieldDescriptor, MessageDescriptor};

/// The most levels of messages in each other, as decoders have it.
const MAX_DEPTH: u32 = 100;

/// Makes the plan of a message type and its columns.
pub(super) struct Resolver {
    /// Columns without a field are left out.
    pub(super) extra: bool,
    pub(super) depth: u32,
    /// The numbers of the names of the enums so far.
    pub(super) names: HashMap<EnumDescriptor, Arc<HashMap<String, i32>>>,
}

/// What is known of a message while its columns are resolved.
struct Columns<'d> {
    descriptor: &'d MessageDescriptor,
    path: &'d str,
    /// The numbers in the metadata of the columns are those of this message type.
    numbered: bool,
    numbers: HashSet<u32>,
    /// The numbers of the fields by their JSON names, once a column has no other name.
    json_names: OnceCell<HashMap<String, u32>>,
    fields: Vec<(FieldPlan, Option<String>)>,
}

impl Resolver {
    /// The plan for a message whose columns are these, of a schema or struct with this type in its metadata; `path` ends with a dot unless it is empty.
    pub(super) fn message(
        &mut self,
        descriptor: &MessageDescriptor,
        columns: &Fields,
        of_type: Option<&str>,
        path: &str,
    ) -> Result<MessagePlan, WriteError> {
        let place = path.strip_suffix('.').unwrap_or(path);
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(WriteError::new(WriteErrorKind::TooDeep, place));
        }
        // A number says nothing about the fields of another type.
        let numbered = of_type == Some(descriptor.full_name());
        let mut known = Columns {
            descriptor,
            path,
            numbered,
            numbers: HashSet::new(),
            json_names: OnceCell::new(),
            fields: Vec::new(),
        };
        let mut unknown = None;
        for (index, column) in columns.iter().enumerate() {
            if let Some(field) = known.find_field(column) {
                let place = format!("{path}{}", column.name());
                self.column(&mut known, index, &field, column, None, place)?;
            } else if let (DataType::Union(..), Some(oneof)) =
                (column.data_type(), find_oneof(descriptor, column))
            {
                self.union(&mut known, index, &oneof, column)?;
            } else if column.name() == UNKNOWN && is_binary(column.data_type()) && unknown.is_none() {
                unknown = Some((index, format!("{path}{UNKNOWN}")));
            } else if names_members(column.data_type()) && find_oneof(descriptor, column).is_some() {
                // It says what the columns of the members say.
            } else if !self.extra {
                let error = WriteError::new(WriteErrorKind::NoSuchField, &format!("{path}{}", column.name()));
                return Err(error.with_detail(descriptor.full_name().to_owned()));
            }
        }
        self.depth -= 1;
        let mut required = descriptor.fields().filter(FieldDescriptor::is_required);
        if let Some(field) = required.find(|field| !known.numbers.contains(&field.number())) {
            let error = WriteError::new(WriteErrorKind::MissingRequired, place);
            return Err(error.with_detail(field.full_name().to_owned()));
        }
        let (fields, oneofs) = known.finish()?;
        Ok(MessagePlan { fields, oneofs, unknown })
    }

    /// One field that has a column, or a part of one.
    fn column(
        &mut self,
        known: &mut Columns<'_>,
        index: usize,
        field: &FieldDescriptor,
        column: &Field,
        member: Option<i8>,
        path: String,
    ) -> Result<(), WriteError> {
        if !known.numbers.insert(field.number()) {
            return Err(WriteError::new(WriteErrorKind::DuplicateField, &path)
                .with_detail(field.full_name().to_owned()));
        }
        let in_set = known.descriptor.is_message_set();
        let shape = self.shape(field, column, &path, in_set)?;
        let presence = match () {
            () if field.is_required() => Presence::Required,
            () if field.supports_presence() => Presence::Explicit,
            () => Presence::Implicit,
        };
        let (number, column) = (field.number(), index);
        let plan = FieldPlan { path, number, column, member, oneof: None, presence, shape };
        let oneof = field.containing_oneof().filter(|oneof| !oneof.is_synthetic());
        known.fields.push((plan, oneof.map(|oneof| oneof.full_name().to_owned())));
        Ok(())
    }

    fn union(
        &mut self,
        known: &mut Columns<'_>,
        index: usize,
        oneof: &OneofDescriptor,
        column: &Field,
    ) -> Result<(), WriteError> {
        let DataType::Union(members, _) = column.data_type() else { return Ok(()) };
        let path = format!("{}{}.", known.path, column.name());
        for (id, member) in members.iter().filter(|(_, member)| *member.data_type() != DataType::Null) {
            let found = known.find_field(member);
            if self.extra && found.is_none() {
                continue;
            }
            let field = found.filter(|field| {
                field.containing_oneof().is_some_and(|other| other.full_name() == oneof.full_name())
            });
            let Some(field) = field else {
                let error = WriteError::new(WriteErrorKind::NoSuchField, &format!("{path}{}", member.name()));
                return Err(error.with_detail(oneof.full_name().to_owned()));
            };
            let place = format!("{path}{}", member.name());
            self.column(known, index, &field, member, Some(id), place)?;
        }
        Ok(())
    }

    fn shape(
        &mut self,
        field: &FieldDescriptor,
        column: &Field,
        path: &str,
        in_set: bool,
    ) -> Result<Shape, WriteError> {
        let mismatch = || mismatch(path, column.data_type(), field);
        if let (true, Kind::Message(entry)) = (field.is_map(), field.kind()) {
            let (Some([key, value]), Some(key_field), Some(value_field)) =
                (map_parts(column.data_type()), entry.map_entry_key_field(), entry.map_entry_value_field())
            else {
                return Err(mismatch());
            };
            let tag = Tag::new(field.number(), WireType::LengthDelimited);
            let mut part = |field: &FieldDescriptor, (column, data_type): (&Field, &DataType)| {
                self.value(field, column, data_type, &format!("{path}.{}", field.name()), false)
            };
            return Ok(Shape::Map(tag, part(&key_field, key)?, part(&value_field, value)?));
        }
        if !field.is_list() {
            return Ok(Shape::One(self.value(field, column, column.data_type(), path, in_set)?));
        }
        let (DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _)) =
            column.data_type()
        else {
            return Err(mismatch());
        };
        let value = self.value(field, column, item.data_type(), path, in_set)?;
        let packed = field.is_packed() && matches!(value.item, Item::Scalar(_) | Item::Named(_));
        let run = Tag::new(field.number(), WireType::LengthDelimited);
        Ok(if packed { Shape::Packed(run, value) } else { Shape::List(value) })
    }

    /// A value of this type; `column` has the metadata, also that of the elements of a list.
    fn value(
        &mut self,
        field: &FieldDescriptor,
        column: &Field,
        data_type: &DataType,
        path: &str,
        in_set: bool,
    ) -> Result<ValuePlan, WriteError> {
        let data_type = match data_type {
            DataType::Dictionary(_, values) => values,
            other => other,
        };
        if matches!(data_type, DataType::Dictionary(..)) {
            return Err(mismatch(path, data_type, field));
        }
        let kind = field.kind();
        if let Kind::Message(message) = &kind {
            return self.message_value((field, message), column, data_type, path, in_set);
        }
        let (item, wire_type) = match (Scalar::of(&kind), &kind) {
            (_, Kind::Enum(descriptor)) if is_text(data_type) => {
                (Item::Named(self.names(descriptor)), WireType::Varint)
            }
            (Some(scalar), _) if fits(scalar.domain, data_type) => (Item::Scalar(scalar), scalar.wire_type()),
            (None, _) if is_text(data_type) => (Item::Text(false), WireType::LengthDelimited),
            (None, _) if is_binary(data_type) => {
                let check = matches!(kind, FieldKind::String) && field.validates_utf8();
                (Item::Text(check), WireType::LengthDelimited)
            }
            _ => return Err(mismatch(path, data_type, field)),
        };
        Ok(ValuePlan { tag: Tag::new(field.number(), wire_type), item })
    }

    /// The numbers of the names of an enum, which its columns share.
    fn names(&mut self, descriptor: &EnumDescriptor) -> Arc<HashMap<String, i32>> {
        let all = || descriptor.values().map(|value| (value.name().to_owned(), value.number())).collect();
        self.names.entry(descriptor.clone()).or_insert_with(|| Arc::new(all())).clone()
    }

    fn message_value(
        &mut self,
        (field, message): (&FieldDescriptor, &MessageDescriptor),
        column: &Field,
        data_type: &DataType,
        path: &str,
        in_set: bool,
    ) -> Result<ValuePlan, WriteError> {
        let number = field.number();
        let (tag, cut) = match () {
            () if in_set => (Tag::new(1, WireType::StartGroup), Cut::Item(number)),
            () if field.is_group() => {
                (Tag::new(number, WireType::StartGroup), Cut::Group(Tag::new(number, WireType::EndGroup)))
            }
            () => (Tag::new(number, WireType::LengthDelimited), Cut::Length),
        };
        let of_type = column.metadata().get(TYPE).map(String::as_str);
        let item = match data_type {
            DataType::Struct(columns) => {
                Item::Message(self.message(message, columns, of_type, &format!("{path}."))?, cut)
            }
            DataType::Timestamp(..) if message.full_name() == "google.protobuf.Timestamp" => {
                Item::Timestamp(cut)
            }
            DataType::Duration(_) if message.full_name() == "google.protobuf.Duration" => Item::Duration(cut),
            other => match wrapped(message) {
                Some(value) => Item::Wrapper(Box::new(self.value(&value, column, other, path, false)?), cut),
                None if is_binary(other) => Item::Bytes(cut),
                None if is_text(other) && of_type == Some(message.full_name()) => {
                    Item::Json(message.clone(), cut)
                }
                None => return Err(mismatch(path, other, field)),
            },
        };
        Ok(ValuePlan { tag, item })
    }
}

impl Columns<'_> {
    /// The field of a column: by name, JSON name or the name of an extension in brackets, or by the number in its metadata.
    ///
    /// The name comes first: a column keeps its metadata where a query gives it the name of another field.
    fn find_field(&self, column: &Field) -> Option<FieldDescriptor> {
        let (descriptor, name) = (self.descriptor, column.name());
        let by_name = match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
            Some(name) => descriptor.get_extension_by_full_name(name).map(|found| found.as_field()),
            None => descriptor.get_field_by_name(name).or_else(|| self.by_json_name(name)),
        };
        by_name.or_else(|| {
            let number = column.metadata().get(NUMBER).filter(|_| self.numbered)?.parse().ok()?;
            let extension = || Some(descriptor.get_extension(number)?.as_field());
            descriptor.get_field(number).or_else(extension)
        })
    }

    /// [`MessageDescriptor::get_field_by_json_name`] goes through all fields, which it would do for each column.
    fn by_json_name(&self, name: &str) -> Option<FieldDescriptor> {
        let names = self.json_names.get_or_init(|| {
            let mut names = HashMap::new();
            for field in self.descriptor.fields() {
                names.entry(field.json_name().to_owned()).or_insert(field.number());
            }
            names
        });
        self.descriptor.get_field(*names.get(name)?)
    }

    /// The fields from the highest number down, and the columns of each oneof that has several.
    fn finish(self) -> Result<(Vec<FieldPlan>, Vec<Vec<usize>>), WriteError> {
        let mut indexes: HashMap<&str, usize> = HashMap::new();
        // The columns of each oneof, and whether one of them is a union.
        let mut oneofs: Vec<(Vec<usize>, bool)> = Vec::new();
        let mut of_field = Vec::with_capacity(self.fields.len());
        for (plan, name) in &self.fields {
            let Some(name) = name else {
                of_field.push(None);
                continue;
            };
            let index = *indexes.entry(name).or_insert(oneofs.len());
            if index == oneofs.len() {
                oneofs.push((Vec::new(), false));
            }
            of_field.push(Some(index));
            if let Some((columns, in_union)) = oneofs.get_mut(index) {
                // The members of a union come one after the other.
                if columns.last() != Some(&plan.column) {
                    columns.push(plan.column);
                }
                *in_union |= plan.member.is_some();
            }
        }
        let mut fields = Vec::with_capacity(self.fields.len());
        for ((mut plan, _), oneof) in self.fields.into_iter().zip(of_field) {
            plan.oneof = oneof.filter(|&index| oneofs.get(index).is_some_and(|(all, _)| all.len() > 1));
            if plan.oneof.and_then(|index| oneofs.get(index)).is_some_and(|&(_, in_union)| in_union) {
                return Err(WriteError::new(WriteErrorKind::DuplicateField, &plan.path));
            }
            fields.push(plan);
        }
        fields.sort_by_key(|plan| std::cmp::Reverse(plan.number));
        Ok((fields, oneofs.into_iter().map(|(columns, _)| columns).collect()))
    }
}

/// The columns of the keys and of the values of a map, and what their elements are.
fn map_parts(data_type: &DataType) -> Option<[(&Field, &DataType); 2]> {
    let named =
        |parts: &Fields| matches!(&parts[..], [key, value] if key.name() == "key" && value.name() == "value");
    let (parts, of_lists) = match data_type {
        DataType::Map(entries, _) | DataType::List(entries) | DataType::LargeList(entries) => {
            let DataType::Struct(parts) = entries.data_type() else { return None };
            // Arrow fixes the places in a map, not the names.
            (Some(parts).filter(|parts| matches!(data_type, DataType::Map(..)) || named(parts))?, false)
        }
        DataType::Struct(parts) => (Some(parts).filter(|parts| named(parts))?, true),
        _ => return None,
    };
    let [key, value] = &parts[..] else { return None };
    let element = |part| match Field::data_type(part) {
        DataType::List(item) | DataType::LargeList(item) if of_lists => Some((part, item.data_type())),
        data_type => Some((part, data_type)).filter(|_| !of_lists),
    };
    Some([element(key)?, element(value)?])
}

fn mismatch(path: &str, data_type: &DataType, field: &FieldDescriptor) -> WriteError {
    let detail = format!("{data_type} for {} {}", field.kind(), field.full_name());
    WriteError::new(WriteErrorKind::TypeMismatch, path).with_detail(detail)
}

/// Whether a column may have the names of the members of a oneof.
fn names_members(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_text(values),
        other => is_text(other),
    }
}

fn find_oneof(descriptor: &MessageDescriptor, column: &Field) -> Option<OneofDescriptor> {
    descriptor.oneofs().find(|oneof| oneof.name() == column.name() && !oneof.is_synthetic())
}

/// The field of a wrapper, if the type is one.
fn wrapped(message: &MessageDescriptor) -> Option<FieldDescriptor> {
    let name = message.full_name().strip_prefix("google.protobuf.")?;
    const WRAPPERS: [&str; 9] =
        ["Bool", "Int32", "Int64", "UInt32", "UInt64", "Float", "Double", "String", "Bytes"];
    let value =
        message.get_field(1).filter(|value| !value.is_list() && !matches!(value.kind(), Kind::Message(_)));
    value.filter(|_| name.strip_suffix("Value").is_some_and(|name| WRAPPERS.contains(&name)))
}

pub(super) fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

fn is_binary(data_type: &DataType) -> bool {
    use DataType::{Binary, BinaryView, FixedSizeBinary, LargeBinary};
    matches!(data_type, Binary | LargeBinary | BinaryView | FixedSizeBinary(_))
}

/// Whether a column of this type may be for a field with such values.
fn fits(domain: Domain, data_type: &DataType) -> bool {
    match domain {
        Domain::Bool => *data_type == DataType::Boolean,
        Domain::I32 | Domain::I64 | Domain::U32 | Domain::U64 => data_type.is_integer(),
        Domain::F32 => *data_type == DataType::Float32,
        Domain::F64 => matches!(data_type, DataType::Float64 | DataType::Float32),
    }
}
