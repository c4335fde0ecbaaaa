//! Where the values of a column or a condition are: in a message, or in one of the elements that rows are made of.

use super::cell;
use crate::failure::Failure;
use std::cmp::Ordering;
use tablepb::partial::ValuePath;
use tablepb::schema::FieldKind;
use tablepb::table::Kind;
use tablepb::{FieldDescriptor, MessageDescriptor, MessageView, ValueRef};

/// What a row is made of.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    pub message: MessageView<'a, 'a>,
    /// The element of the list, with `--unnest`.
    pub element: Option<ValueRef<'a, 'a>>,
}

/// The list whose elements are rows.
pub struct Elements {
    name: String,
    pub path: ValuePath,
}

impl Elements {
    pub fn new(schema: &MessageDescriptor, name: &str) -> Result<Self, Failure> {
        let path = path(schema, name)?;
        if !path.field().is_list() {
            return Err(Failure::Usage(format!("--unnest {name}: the path of a list was expected")));
        }
        Ok(Self { name: name.to_owned(), path })
    }

    /// What follows the list in a path, `""` for the list itself; `None` if the path is not in it.
    fn rest<'p>(&self, path: &'p str) -> Option<&'p str> {
        let rest = path.strip_prefix(&*self.name)?;
        if rest.is_empty() { Some(rest) } else { rest.strip_prefix('.') }
    }
}

/// A path, from the message or from the element.
pub struct Place {
    of_element: bool,
    /// `None` for the element itself.
    path: Option<ValuePath>,
    pub kind: FieldKind,
    /// The fields on the way.
    steps: Vec<FieldDescriptor>,
    /// There can be several values, and they come as an array.
    pub several: bool,
}

pub fn path(schema: &MessageDescriptor, name: &str) -> Result<ValuePath, Failure> {
    ValuePath::new(schema, name).map_err(|error| Failure::Usage(error.to_string()))
}

impl Place {
    pub fn new(schema: &MessageDescriptor, name: &str, elements: Option<&Elements>) -> Result<Self, Failure> {
        // For its error, which has the whole path.
        let whole = path(schema, name)?;
        let Some((elements, rest)) = elements.and_then(|elements| Some((elements, elements.rest(name)?)))
        else {
            return Ok(Self::from(schema, name, whole, false));
        };
        match elements.path.field().kind() {
            Kind::Message(element) if !rest.is_empty() => {
                Ok(Self::from(&element, rest, path(&element, rest)?, true))
            }
            kind => Ok(Self { of_element: true, path: None, kind, steps: Vec::new(), several: false }),
        }
    }

    fn from(schema: &MessageDescriptor, name: &str, path: ValuePath, of_element: bool) -> Self {
        let ends = name.match_indices('.').map(|(end, _)| end).chain([name.len()]);
        let field = |end| Some(ValuePath::new(schema, name.get(..end)?).ok()?.field().clone());
        let steps: Vec<FieldDescriptor> = ends.filter_map(field).collect();
        let many = |field: &FieldDescriptor| {
            field.is_list() || field.is_map() || field.parent_message().is_map_entry()
        };
        let several = steps.iter().any(many);
        Self { of_element, kind: path.field().kind(), path: Some(path), steps, several }
    }

    /// Calls a function with each value until it returns true. Whether it did. A message that is not set is no value.
    pub fn any(&self, row: Row<'_>, test: impl FnMut(ValueRef<'_, '_>) -> bool) -> bool {
        if matches!(self.kind, Kind::Message(_)) && !self.several && !self.is_set(row) {
            return false;
        }
        match (self.start(row), &self.path) {
            (Some(view), Some(path)) => view.values(path).any(test),
            (None, None) => row.element.is_some_and(test),
            _ => false,
        }
    }

    /// The message in which the path begins; `None` for the element itself.
    fn start<'a>(&self, row: Row<'a>) -> Option<MessageView<'a, 'a>> {
        self.path.as_ref()?;
        if self.of_element { row.element.and_then(ValueRef::as_message) } else { Some(row.message) }
    }

    /// The value is there: neither a message on the way nor a field with presence is missing. Of several, any.
    pub fn is_set(&self, row: Row<'_>) -> bool {
        let Some(mut view) = self.start(row) else { return self.path.is_none() };
        if self.several {
            return self.any(row, |_| true);
        }
        self.steps.iter().all(|field| {
            let set = !field.supports_presence() || view.has_field(field);
            if let Ok(ValueRef::Message(message)) = view.get_field(field) {
                view = message;
            }
            set
        })
    }

    /// Whether a field is more than its default: for those without presence.
    pub fn is_given(&self, row: Row<'_>) -> bool {
        let mut view = match self.start(row) {
            Some(view) if !self.several => view,
            _ => return self.is_set(row),
        };
        self.steps.iter().all(|field| {
            let set = view.has_field(field);
            if let Ok(ValueRef::Message(message)) = view.get_field(field) {
                view = message;
            }
            set
        })
    }

    /// Appends the values: one, or an array. `alone` has text without quotes.
    pub fn append(&self, row: Row<'_>, alone: bool, cell: &mut Vec<u8>) -> Result<(), tablepb::EncodeError> {
        let (start, mut count, mut failed) = (cell.len(), 0, None);
        if self.several || self.is_set(row) {
            self.any(row, |value| {
                if self.several {
                    cell.push(if count == 0 { b'[' } else { b',' });
                }
                count += 1;
                let alone = alone && !self.several;
                match value {
                    ValueRef::Message(view) => failed = message(view, alone, cell).err(),
                    value => cell::append(&self.kind, value, alone, cell),
                }
                failed.is_some()
            });
        }
        match (self.several, count, cell.len() == start) {
            (true, 0, _) => cell.extend(b"[]"),
            (true, ..) => cell.push(b']'),
            (false, 0, true) if !alone => cell.extend(b"null"),
            _ => {}
        }
        failed.map_or(Ok(()), Err)
    }

    /// The one value, to compare with those of other rows; of several the first.
    pub fn scalar(&self, row: Row<'_>) -> Scalar {
        let mut found = Scalar::Unset;
        if self.several || self.is_set(row) {
            self.any(row, |value| {
                found = Scalar::of(value);
                true
            });
        }
        found
    }
}

/// Appends a message in JSON; those that are strings there, such as timestamps, without quotes if they stand alone.
fn message(view: MessageView<'_, '_>, alone: bool, cell: &mut Vec<u8>) -> Result<(), tablepb::EncodeError> {
    let start = cell.len();
    tablepb::json::append(cell, &view)?;
    let json = &cell[start..];
    if alone && json.starts_with(b"\"") && !json.contains(&b'\\') {
        cell.retain(|&byte| byte != b'"');
    }
    Ok(())
}

/// A value in the order of its kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    Unset,
    Integer(i128),
    Float(f64),
    Text(Vec<u8>),
}

impl Scalar {
    pub fn of(value: ValueRef<'_, '_>) -> Self {
        match value {
            ValueRef::Bool(v) => Self::Integer(v.into()),
            ValueRef::I32(v) | ValueRef::EnumNumber(v) => Self::Integer(v.into()),
            ValueRef::I64(v) => Self::Integer(v.into()),
            ValueRef::U32(v) => Self::Integer(v.into()),
            ValueRef::U64(v) => Self::Integer(v.into()),
            ValueRef::F32(v) => Self::Float(v.into()),
            ValueRef::F64(v) => Self::Float(v),
            ValueRef::String(v) => Self::Text(v.into()),
            ValueRef::Bytes(v) => Self::Text(v.into()),
            ValueRef::Message(view) => nanos(view).map_or(Self::Unset, Self::Integer),
            ValueRef::Unselected | ValueRef::Raw(_) | ValueRef::List(_) | ValueRef::Map(_) => Self::Unset,
        }
    }

    /// What is not set is before all else.
    pub fn compare(&self, other: &Self) -> Ordering {
        let number = |scalar: &Self| match scalar {
            Self::Integer(value) => Some(*value as f64),
            Self::Float(value) => Some(*value),
            _ => None,
        };
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => a.cmp(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (a, b) => match (number(a), number(b)) {
                (Some(a), Some(b)) => a.total_cmp(&b),
                _ => a.rank().cmp(&b.rank()),
            },
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Unset => 0,
            Self::Integer(_) | Self::Float(_) => 1,
            Self::Text(_) => 2,
        }
    }
}

/// A time or a duration as nanoseconds.
pub fn nanos(view: MessageView<'_, '_>) -> Option<i128> {
    if !is_time(&view.descriptor()) {
        return None;
    }
    let number = |name: &str| {
        let value = view.get_field(name).ok()?;
        value.as_i64().or(value.as_i32().map(i64::from))
    };
    Some(i128::from(number("seconds")?) * 1_000_000_000 + i128::from(number("nanos")?))
}

pub fn is_time(message: &MessageDescriptor) -> bool {
    matches!(message.full_name(), "google.protobuf.Timestamp" | "google.protobuf.Duration")
}
