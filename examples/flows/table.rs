//! Flows as a table for people.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::net::Ipv6Addr;
use tablepb::schema::FieldRef;
use tablepb::{MessageView, ValueRef};

/// The columns with higher numbers are only printed if they are asked for.
const LAST_MAIN_COLUMN: u32 = 15;

/// The first flows of a stream, as text, by column.
#[derive(Debug)]
pub struct Table {
    max_rows: usize,
    wide: bool,
    rows: Vec<BTreeMap<u32, String>>,
    /// Name and width, by number.
    columns: BTreeMap<u32, (String, usize)>,
}

impl Table {
    pub fn new(max_rows: usize, wide: bool) -> Self {
        Self { max_rows, wide, rows: Vec::new(), columns: BTreeMap::new() }
    }

    /// Adds a flow, if there is room.
    pub fn add(&mut self, flow: MessageView<'_, '_>) {
        if self.rows.len() >= self.max_rows {
            return;
        }
        let mut row = BTreeMap::new();
        for (field, value) in flow.fields() {
            if self.wide || field.number() <= LAST_MAIN_COLUMN {
                let name = match &value {
                    ValueRef::EnumNumber(number) => value_name(&field, *number),
                    _ => None,
                };
                let text = name.unwrap_or_else(|| text(field.name(), &value));
                let name = || (field.name().to_string(), field.name().len());
                let (_, width) = self.columns.entry(field.number()).or_insert_with(name);
                *width = text.len().max(*width);
                row.insert(field.number(), text);
            }
        }
        self.rows.push(row);
    }

    pub fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let line = |out: &mut dyn Write, cell: &dyn Fn(u32) -> String| {
            let cells = self.columns.iter().map(|(&number, &(_, width))| format!("{:>width$}", cell(number)));
            writeln!(out, "{}", cells.collect::<Vec<_>>().join("  "))
        };
        if self.rows.is_empty() {
            return Ok(());
        }
        line(out, &|number| self.columns.get(&number).map_or(String::new(), |(name, _)| name.clone()))?;
        for row in &self.rows {
            line(out, &|number| row.get(&number).cloned().unwrap_or_default())?;
        }
        Ok(())
    }
}

/// The name of a number of an enum, if it has one.
fn value_name(field: &FieldRef<'_>, number: i32) -> Option<String> {
    let kind = field.kind();
    Some(kind.as_enum()?.get_value(number)?.name().to_string())
}

fn text(name: &str, value: &ValueRef<'_, '_>) -> String {
    match (name, value) {
        ("SrcMAC" | "DstMAC", ValueRef::U64(mac)) => {
            let [_, _, mac @ ..] = mac.to_be_bytes();
            mac.map(|byte| format!("{byte:02x}")).join(":")
        }
        ("EType", ValueRef::U32(kind)) => format!("{kind:04x}"),
        (_, ValueRef::U64(number)) => number.to_string(),
        (_, ValueRef::U32(number)) => number.to_string(),
        (_, ValueRef::EnumNumber(number)) => number.to_string(),
        (_, ValueRef::Bytes(bytes)) => address(bytes),
        (_, ValueRef::List(list)) => {
            let items: Vec<String> = list.iter().map(|item| text("", &item)).collect();
            items.join(" ")
        }
        (_, other) => format!("{other:?}"),
    }
}

/// An address of 16 bytes.
fn address(bytes: &[u8]) -> String {
    let Ok(octets) = <[u8; 16]>::try_from(bytes) else { return format!("{bytes:02x?}") };
    let address = Ipv6Addr::from(octets);
    address.to_ipv4_mapped().map_or_else(|| address.to_string(), |v4| v4.to_string())
}
