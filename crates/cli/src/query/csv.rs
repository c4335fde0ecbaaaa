//! Comma-separated values, as RFC 4180 has them, with line feeds.

use super::cell;
use crate::failure::Failure;
use crate::source::Payload;
use std::io::Write;
use tablepb::partial::ValuePath;
use tablepb::schema::FieldKind;
use tablepb::{FieldDescriptor, MessageDescriptor, MessageView, ValueRef};

/// The columns, one for each path.
pub struct Table {
    columns: Vec<Column>,
    line: Vec<u8>,
    cell: Vec<u8>,
}

struct Column {
    name: String,
    path: ValuePath,
    kind: FieldKind,
    /// The fields on the way.
    steps: Vec<FieldDescriptor>,
    /// There can be several values, and they come as an array.
    several: bool,
}

impl Table {
    pub fn new(schema: &MessageDescriptor, paths: &[&str]) -> Result<Self, Failure> {
        if paths.is_empty() {
            return Err(Failure::Usage("--to csv needs --select, for the columns".into()));
        }
        let column = |&path: &&str| {
            let found = ValuePath::new(schema, path).map_err(|error| Failure::Usage(error.to_string()))?;
            let kind = found.field().kind();
            let steps = steps(schema, path);
            let many = |field: &FieldDescriptor| {
                field.is_list() || field.is_map() || field.parent_message().is_map_entry()
            };
            let several = steps.iter().any(many);
            Ok(Column { name: path.into(), path: found, kind, steps, several })
        };
        let columns = paths.iter().map(column).collect::<Result<_, Failure>>()?;
        Ok(Self { columns, line: Vec::new(), cell: Vec::new() })
    }

    /// Writes the names of the columns.
    pub fn head(&self, out: &mut impl Write) -> Result<(), Failure> {
        let mut line = Vec::new();
        for (index, column) in self.columns.iter().enumerate() {
            append(index, column.name.as_bytes(), &mut line);
        }
        line.push(b'\n');
        Ok(out.write_all(&line)?)
    }

    /// Writes the values of a message.
    pub fn row(
        &mut self,
        payload: &Payload<'_>,
        view: MessageView<'_, '_>,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let (line, cell) = (&mut self.line, &mut self.cell);
        line.clear();
        for (index, column) in self.columns.iter().enumerate() {
            cell.clear();
            let values = (column.several || column.is_set(view)).then(|| view.values(&column.path));
            for (count, value) in values.into_iter().flatten().enumerate() {
                if column.several {
                    cell.push(if count == 0 { b'[' } else { b',' });
                }
                match value {
                    ValueRef::Message(view) => message(payload, view, !column.several, cell)?,
                    value => cell::append(&column.kind, value, !column.several, cell),
                }
            }
            match (column.several, cell.is_empty()) {
                (true, true) => cell.extend(b"[]"),
                (true, false) => cell.push(b']'),
                _ => {}
            }
            append(index, cell, line);
        }
        line.push(b'\n');
        Ok(out.write_all(line)?)
    }
}

/// The fields of a path from the root; of a map, that of its keys or values.
fn steps(schema: &MessageDescriptor, path: &str) -> Vec<FieldDescriptor> {
    let ends = path.match_indices('.').map(|(end, _)| end).chain([path.len()]);
    let field = |end| Some(ValuePath::new(schema, path.get(..end)?).ok()?.field().clone());
    ends.filter_map(field).collect()
}

impl Column {
    /// The one value is there: neither a message on the way nor a field with presence is missing.
    fn is_set<'a>(&self, mut view: MessageView<'a, 'a>) -> bool {
        self.steps.iter().all(|field| {
            let set = !field.supports_presence() || view.has_field(field);
            if let Ok(ValueRef::Message(message)) = view.get_field(field) {
                view = message;
            }
            set
        })
    }
}

/// Appends a message in JSON; those that are strings there, such as timestamps, without quotes if they stand alone.
fn message(
    payload: &Payload<'_>,
    view: MessageView<'_, '_>,
    alone: bool,
    cell: &mut Vec<u8>,
) -> Result<(), Failure> {
    let start = cell.len();
    tablepb::json::append(cell, &view).map_err(|error| Failure::message(payload, format_args!("{error}")))?;
    let json = &cell[start..];
    if alone && json.starts_with(b"\"") && !json.contains(&b'\\') {
        cell.retain(|&byte| byte != b'"');
    }
    Ok(())
}

/// Appends a cell, in quotes if it needs them.
fn append(index: usize, cell: &[u8], line: &mut Vec<u8>) {
    if index > 0 {
        line.push(b',');
    }
    let special = |byte: &u8| matches!(byte, b',' | b'"' | b'\n' | b'\r');
    if !cell.iter().any(special) {
        return line.extend(cell);
    }
    line.push(b'"');
    for &byte in cell {
        line.push(byte);
        if byte == b'"' {
            line.push(byte);
        }
    }
    line.push(b'"');
}
