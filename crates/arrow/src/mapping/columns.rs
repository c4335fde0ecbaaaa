//! The columns of a message type, as a tree.

use super::paths::Selection;
use super::{
    Enums, MAX_COLUMNS, MAX_NESTING, MappingError, MappingErrorKind, Oneofs, Options, Presence, Recursive,
    UNKNOWN,
};
use std::collections::HashSet;
use tablepb::schema::OneofDescriptor;
use tablepb::table::Kind;
use tablepb::{EnumDescriptor, FieldDescriptor, MessageDescriptor};

/// The columns of a message type.
#[derive(Debug)]
pub(crate) struct MessageColumns {
    pub(crate) descriptor: MessageDescriptor,
    pub(crate) columns: Vec<Column>,
    /// All fields are selected; extensions may not be.
    pub(crate) whole: bool,
}

/// A column.
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) nullable: bool,
    pub(crate) content: Content,
}

/// What a column holds.
#[derive(Debug)]
pub(crate) enum Content {
    /// A field.
    Field(FieldColumn),
    /// A oneof.
    Union(UnionColumn),
    /// The name of the member of a oneof that is set.
    Member(OneofDescriptor),
    /// The unknown fields.
    Unknown,
}

/// A field.
#[derive(Debug)]
pub(crate) struct FieldColumn {
    pub(crate) field: FieldDescriptor,
    pub(crate) repeat: Repeat,
    /// One value; of a map, the value of one entry.
    pub(crate) cell: Cell,
}

/// How many values a field has.
#[derive(Debug)]
pub(crate) enum Repeat {
    One,
    List,
    /// A map with such keys.
    Map(Cell),
}

/// A oneof as a union: members with their type ids.
#[derive(Debug)]
pub(crate) struct UnionColumn {
    pub(crate) oneof: OneofDescriptor,
    pub(crate) members: Vec<(i8, Column)>,
}

/// What one value becomes.
#[derive(Debug)]
pub(crate) enum Cell {
    Bool,
    I32,
    I64,
    U32,
    U64,
    F32,
    F64,
    /// A string that is UTF-8.
    Text,
    /// Bytes, or a string that need not be UTF-8.
    Bytes,
    EnumNumber,
    EnumName(EnumDescriptor),
    EnumDictionary(EnumDescriptor),
    Message(Box<MessageColumns>),
    /// A message that is cut off: its bytes.
    Cut(MessageDescriptor),
    /// A message that is cut off, as ProtoJSON.
    Json(MessageDescriptor),
    Timestamp,
    Duration,
    /// The field of a wrapper and what it becomes.
    Wrapper(FieldDescriptor, Box<Cell>),
}

impl MessageColumns {
    /// The columns of a message type, or those that the paths select.
    pub(crate) fn new(
        descriptor: &MessageDescriptor,
        options: &Options,
        paths: &[&str],
    ) -> Result<Self, MappingError> {
        options.whole.iter().try_for_each(|(path, _)| is_message(descriptor, path))?;
        let mut builder = Builder { options, count: 0, ancestors: Vec::new(), place: Vec::new() };
        builder.message(descriptor, &Selection::new(paths))
    }
}

/// What is being built.
struct Builder<'o> {
    options: &'o Options,
    count: usize,
    /// The full names of the message types around.
    ancestors: Vec<String>,
    /// The path to the column.
    place: Vec<String>,
}

impl Builder<'_> {
    fn error(&self, kind: MappingErrorKind, name: &str) -> MappingError {
        let place: Vec<_> =
            self.place.iter().map(String::as_str).chain(Some(name).filter(|name| !name.is_empty())).collect();
        MappingError::new(kind, place.join("."))
    }

    fn message(
        &mut self,
        descriptor: &MessageDescriptor,
        selection: &Selection,
    ) -> Result<MessageColumns, MappingError> {
        if self.ancestors.len() >= MAX_NESTING {
            return Err(self.error(MappingErrorKind::TooDeep, descriptor.name()));
        }
        self.ancestors.push(descriptor.full_name().to_owned());
        let mut columns = Vec::new();
        let mut known = HashSet::new();
        for field in descriptor.fields() {
            known.insert(field.name().to_owned());
            let Some(part) = selected(selection, field.name()) else { continue };
            let oneof = field.containing_oneof().filter(|oneof| !oneof.is_synthetic());
            match (oneof, self.options.oneofs) {
                (Some(oneof), Oneofs::Union) if is_new(&columns, &oneof) => {
                    columns.push(self.union(oneof, selection)?);
                }
                (Some(_), Oneofs::Union) => {}
                (Some(oneof), Oneofs::Named) if is_new(&columns, &oneof) => {
                    if oneof.fields().all(|member| selected(selection, member.name()).is_some()) {
                        columns.push(self.member(oneof)?);
                    }
                    columns.push(self.field(field, part)?);
                }
                _ => columns.push(self.field(field, part)?),
            }
        }
        let mut extensions: Vec<_> = descriptor.extensions().map(|extension| extension.as_field()).collect();
        extensions.sort_by_key(FieldDescriptor::number);
        for field in extensions {
            let name = column_name(&field);
            let part = match selection.fields.get(&name) {
                Some(part) => Some(part),
                None if self.options.extensions => selected(selection, &name),
                None => None,
            };
            if let Some(part) = part {
                columns.push(self.field(field, part)?);
            }
            known.insert(name);
        }
        if let Some(name) = selection.fields.keys().find(|name| !known.contains(*name)) {
            return Err(self.error(MappingErrorKind::NoSuchField, name));
        }
        if self.options.unknown_fields && selection.all {
            self.counted(UNKNOWN)?;
            columns.push(Column { name: UNKNOWN.to_owned(), nullable: true, content: Content::Unknown });
        }
        let mut names = HashSet::new();
        if let Some(column) = columns.iter().find(|column| !names.insert(&column.name)) {
            return Err(self.error(MappingErrorKind::DuplicateName, &column.name));
        }
        self.ancestors.pop();
        Ok(MessageColumns { descriptor: descriptor.clone(), columns, whole: selection.all })
    }

    fn counted(&mut self, name: &str) -> Result<(), MappingError> {
        self.count += 1;
        if self.count > MAX_COLUMNS {
            return Err(self.error(MappingErrorKind::TooManyColumns, name));
        }
        Ok(())
    }

    fn field(&mut self, field: FieldDescriptor, selection: &Selection) -> Result<Column, MappingError> {
        let name = column_name(&field);
        self.counted(&name)?;
        self.place.push(name.clone());
        let (repeat, cell) = match field.kind() {
            Kind::Message(entry) if field.is_map() => self.map(&entry, selection)?,
            _ if field.is_list() => (Repeat::List, self.cell(&field, selection)?),
            _ => (Repeat::One, self.cell(&field, selection)?),
        };
        self.place.pop();
        let one = matches!(repeat, Repeat::One);
        // A message that is required is still absent where required fields are not checked, and has presence.
        let has_presence = one && field.supports_presence() && !field.is_required();
        let nullable =
            has_presence && (self.options.presence == Presence::Null || stays_nullable(&field, &cell));
        Ok(Column { name, nullable, content: Content::Field(FieldColumn { field, repeat, cell }) })
    }

    fn map(
        &mut self,
        entry: &MessageDescriptor,
        selection: &Selection,
    ) -> Result<(Repeat, Cell), MappingError> {
        let (Some(key), Some(value)) = (entry.map_entry_key_field(), entry.map_entry_value_field()) else {
            return Err(self.error(MappingErrorKind::NoSuchField, entry.name()));
        };
        let all = Selection { all: true, ..Selection::default() };
        let part = match selection.fields.get("value") {
            _ if selection.all => &all,
            Some(part) => part,
            None => &all,
        };
        if let Some(name) = selection.fields.keys().find(|name| *name != "value") {
            return Err(self.error(MappingErrorKind::NoSuchField, name));
        }
        self.counted("key")?;
        self.counted("value")?;
        let key = self.cell(&key, &all)?;
        Ok((Repeat::Map(key), self.cell(&value, part)?))
    }

    fn member(&mut self, oneof: OneofDescriptor) -> Result<Column, MappingError> {
        self.counted(oneof.name())?;
        Ok(Column { name: oneof.name().to_owned(), nullable: true, content: Content::Member(oneof) })
    }

    fn union(&mut self, oneof: OneofDescriptor, selection: &Selection) -> Result<Column, MappingError> {
        self.counted(oneof.name())?;
        let by_number = oneof.fields().all(|field| field.number() <= 127);
        let mut members = Vec::new();
        for (position, field) in oneof.fields().enumerate() {
            let id = if by_number { field.number() } else { position as u32 + 1 };
            let Ok(id) = i8::try_from(id) else {
                return Err(self.error(MappingErrorKind::TooManyMembers, oneof.name()));
            };
            if let Some(part) = selected(selection, field.name()) {
                let mut column = self.field(field, part)?;
                column.nullable = false;
                members.push((id, column));
            }
        }
        if let Some((_, column)) = members.iter().find(|(_, column)| column.name == super::NONE) {
            return Err(self.error(MappingErrorKind::DuplicateName, &column.name));
        }
        let name = oneof.name().to_owned();
        // A struct refuses a child that is not nullable where `none` stands, since that is null.
        Ok(Column { name, nullable: true, content: Content::Union(UnionColumn { oneof, members }) })
    }

    fn cell(&mut self, field: &FieldDescriptor, selection: &Selection) -> Result<Cell, MappingError> {
        let message = match field.kind() {
            Kind::Message(message) => message,
            kind if selection.all => return Ok(scalar(kind, field, self.options)),
            _ => return Err(self.error(MappingErrorKind::NotAMessage, "")),
        };
        if selection.all && !self.options.whole.is_empty() {
            let place = self.place.join(".");
            let is_it = |path: &str| match path.strip_prefix('.') {
                Some(name) => name == message.full_name(),
                None => path == place,
            };
            if let Some((_, what)) = self.options.whole.iter().rfind(|(path, _)| is_it(path)) {
                return self.cut(message, *what);
            }
        }
        if self.options.well_known
            && let Some(cell) = well_known(&message, self.options)
        {
            return Ok(cell);
        }
        let name = message.full_name();
        let times = self.ancestors.iter().filter(|ancestor| *ancestor == name).count();
        // A path that names fields of the message ends, so that columns for it do too.
        if selection.all && times > self.options.recursion as usize {
            return self.cut(message, self.options.recursive);
        }
        Ok(Cell::Message(Box::new(self.message(&message, selection)?)))
    }

    /// A message without columns for its fields.
    fn cut(&self, message: MessageDescriptor, what: Recursive) -> Result<Cell, MappingError> {
        match what {
            Recursive::Bytes => Ok(Cell::Cut(message)),
            Recursive::Json => Ok(Cell::Json(message)),
            Recursive::Error => Err(self.error(MappingErrorKind::RecursiveType, "")),
        }
    }
}

/// Checks that a path names messages: a field, or the elements or values of one; or a type. A pool need not have the types that Google defines.
fn is_message(descriptor: &MessageDescriptor, path: &str) -> Result<(), MappingError> {
    let error = |kind| MappingError::new(kind, path.to_owned());
    if let Some(name) = path.strip_prefix('.') {
        let is_known = name.starts_with("google.protobuf.") || descriptor.parent_pool().message(name).is_ok();
        return if is_known { Ok(()) } else { Err(error(MappingErrorKind::NoSuchType)) };
    }
    let mut inside = Some(descriptor.clone());
    for name in path.split('.') {
        let outer = inside.ok_or_else(|| error(MappingErrorKind::NotAMessage))?;
        let field = outer.field(name).map_err(|_| error(MappingErrorKind::NoSuchField))?;
        let value = match field.kind() {
            Kind::Message(entry) if field.is_map() => entry.map_entry_value_field().map(|value| value.kind()),
            kind => Some(kind),
        };
        inside = match value {
            Some(Kind::Message(message)) => Some(message),
            _ => None,
        };
    }
    inside.map(drop).ok_or_else(|| error(MappingErrorKind::NotAMessage))
}

/// What is selected of a field, if it is selected.
fn selected<'s>(selection: &'s Selection, name: &str) -> Option<&'s Selection> {
    static ALL: Selection = Selection { all: true, fields: std::collections::BTreeMap::new() };
    match selection.fields.get(name) {
        _ if selection.all => Some(&ALL),
        part => part,
    }
}

/// Whether none of the columns is of this oneof.
fn is_new(columns: &[Column], oneof: &OneofDescriptor) -> bool {
    !columns.iter().any(|column| match &column.content {
        Content::Union(UnionColumn { oneof: other, .. }) | Content::Member(other) => {
            other.full_name() == oneof.full_name()
        }
        _ => false,
    })
}

/// Whether the column of a field with presence stays nullable under [`Presence::Default`], because no default would do.
fn stays_nullable(field: &FieldDescriptor, cell: &Cell) -> bool {
    let in_oneof = field.containing_oneof().is_some_and(|oneof| !oneof.is_synthetic());
    let is_value =
        matches!(cell, Cell::Cut(_) | Cell::Json(_) | Cell::Timestamp | Cell::Duration | Cell::Wrapper(..));
    in_oneof || is_value
}

/// The name of the column of a field: that of the field, of an extension its full name in brackets.
fn column_name(field: &FieldDescriptor) -> String {
    if field.is_extension() { format!("[{}]", field.full_name()) } else { field.name().to_owned() }
}

/// What one value that is no message becomes.
fn scalar(kind: tablepb::schema::FieldKind, field: &FieldDescriptor, options: &Options) -> Cell {
    match kind {
        Kind::Bool => Cell::Bool,
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Cell::I32,
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Cell::I64,
        Kind::Uint32 | Kind::Fixed32 => Cell::U32,
        Kind::Uint64 | Kind::Fixed64 => Cell::U64,
        Kind::Float => Cell::F32,
        Kind::Double => Cell::F64,
        Kind::String if field.validates_utf8() => Cell::Text,
        Kind::String | Kind::Bytes | Kind::Message(_) => Cell::Bytes,
        Kind::Enum(descriptor) => match options.enums {
            Enums::Number => Cell::EnumNumber,
            Enums::Name => Cell::EnumName(descriptor),
            Enums::Dictionary => Cell::EnumDictionary(descriptor),
        },
    }
}

/// What a well-known type becomes; `None` for other types, and for types of such a name with other fields.
fn well_known(message: &MessageDescriptor, options: &Options) -> Option<Cell> {
    let name = message.full_name().strip_prefix("google.protobuf.")?;
    let single = |number: u32, kinds: &dyn Fn(&tablepb::schema::FieldKind) -> bool| {
        message.get_field(number).filter(|field| !field.is_list() && !field.is_map() && kinds(&field.kind()))
    };
    match name {
        "Timestamp" | "Duration" => {
            single(1, &|kind| matches!(kind, Kind::Int64))?;
            single(2, &|kind| matches!(kind, Kind::Int32))?;
            Some(if name == "Timestamp" { Cell::Timestamp } else { Cell::Duration })
        }
        "BoolValue" | "Int32Value" | "Int64Value" | "UInt32Value" | "UInt64Value" | "FloatValue"
        | "DoubleValue" | "StringValue" | "BytesValue" => {
            let value = single(1, &|kind| !matches!(kind, Kind::Message(_) | Kind::Enum(_)))?;
            let cell = scalar(value.kind(), &value, options);
            Some(Cell::Wrapper(value, Box::new(cell)))
        }
        _ => None,
    }
}
