//! Where the values of a column or a condition are: in a message, or in one of the elements that rows are made of.

use super::cell;
use crate::failure::Failure;
use crate::names;
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
    ValuePath::new(schema, name).map_err(|error| names::path_fault(schema, &error))
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
    pub fn any(&self, row: Row<'_>, mut test: impl FnMut(ValueRef<'_, '_>) -> bool) -> bool {
        match (self.start(row), &self.path) {
            (Some(view), Some(path)) if self.several => view.values(path).any(test),
            (Some(view), Some(_)) => self
                .one(view)
                .is_some_and(|(value, set)| (set || !matches!(self.kind, Kind::Message(_))) && test(value)),
            (None, None) => row.element.is_some_and(test),
            _ => false,
        }
    }

    /// The one value, its default if it is not set, and whether it is there: neither a message on the way nor a field with presence is
    /// missing. By the fields on the way: a `ValuePath`, which looks for several values, took three times as long.
    fn one<'a>(&self, mut view: MessageView<'a, 'a>) -> Option<(ValueRef<'a, 'a>, bool)> {
        let (last, before) = self.steps.split_last()?;
        let mut set = true;
        for field in before {
            set &= view.has_field(field);
            view = view.get_field(field).ok()?.as_message()?;
        }
        set &= !last.supports_presence() || view.has_field(last);
        Some((view.get_field(last).ok()?, set))
    }

    /// The one value, if it is there.
    pub fn value<'a>(&self, row: Row<'a>) -> Option<ValueRef<'a, 'a>> {
        match self.start(row) {
            Some(view) => self.one(view).filter(|(_, set)| *set).map(|(value, _)| value),
            None if self.path.is_none() => row.element,
            None => None,
        }
    }

    /// The message in which the path begins; `None` for the element itself.
    fn start<'a>(&self, row: Row<'a>) -> Option<MessageView<'a, 'a>> {
        self.path.as_ref()?;
        if self.of_element { row.element.and_then(ValueRef::as_message) } else { Some(row.message) }
    }

    /// The value is there. Of several, any.
    fn is_set(&self, row: Row<'_>) -> bool {
        if self.several { self.any(row, |_| true) } else { self.value(row).is_some() }
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
        if !self.several {
            return match self.value(row) {
                Some(value) => self.append_one(value, alone, cell),
                None => {
                    cell.extend(if alone { &b""[..] } else { b"null" });
                    Ok(())
                }
            };
        }
        let (mut count, mut failed) = (0, None);
        self.any(row, |value| {
            cell.push(if count == 0 { b'[' } else { b',' });
            count += 1;
            failed = self.append_one(value, false, cell).err();
            failed.is_some()
        });
        cell.extend(if count == 0 { &b"[]"[..] } else { b"]" });
        failed.map_or(Ok(()), Err)
    }

    /// Appends one value.
    pub fn append_one(
        &self,
        value: ValueRef<'_, '_>,
        alone: bool,
        cell: &mut Vec<u8>,
    ) -> Result<(), tablepb::EncodeError> {
        match value {
            ValueRef::Message(view) => message(view, alone, cell)?,
            value => cell::append(&self.kind, value, alone, cell),
        }
        Ok(())
    }

    /// Appends what tells the values of this place from others: what is equal here has equal cells.
    pub fn append_key(&self, row: Row<'_>, key: &mut Vec<u8>) -> Result<(), tablepb::EncodeError> {
        let start = key.len();
        // Whether it is set, and the length.
        key.extend([0; 9]);
        let value = if self.several { None } else { self.value(row) };
        key[start] = (self.several || value.is_some()).into();
        match value {
            Some(ValueRef::Bool(value)) => key.push(value.into()),
            Some(ValueRef::I32(value) | ValueRef::EnumNumber(value)) => key.extend(value.to_le_bytes()),
            Some(ValueRef::I64(value)) => key.extend(value.to_le_bytes()),
            Some(ValueRef::U32(value)) => key.extend(value.to_le_bytes()),
            Some(ValueRef::U64(value)) => key.extend(value.to_le_bytes()),
            Some(ValueRef::String(value)) => key.extend(value.as_bytes()),
            Some(ValueRef::Bytes(value)) => key.extend(value),
            None if !self.several => {}
            _ => self.append(row, false, key)?,
        }
        let len = (key.len() - start - 9) as u64;
        key[start + 1..start + 9].copy_from_slice(&len.to_le_bytes());
        Ok(())
    }

    /// The one value, to compare with those of other rows; of several the first.
    pub fn scalar(&self, row: Row<'_>) -> Scalar {
        let mut found = Scalar::Unset;
        if !self.several {
            return self.value(row).map_or(Scalar::Unset, Scalar::of);
        }
        self.any(row, |value| {
            found = Scalar::of(value);
            true
        });
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
