//! The columns of one value of a field.

use super::super::batch::{How, NONE, Scalar, Slot, SlotKind};
use super::super::columns::{Bools, Dictionary, Gathered, Listed, Names, Numbers, Texts, Times};
use super::super::tree::{Tree, TreeKind};
use super::{Layout, Placed, add, positions, scalar_of, slot_of};
use crate::mapping::{Cell, MessageColumns};
use std::sync::Arc;
use tablepb::table::{DefaultValue, Kind};
use tablepb::{DynamicMessage, EnumDescriptor, FieldDescriptor};

impl Layout<'_> {
    /// One value of a field.
    pub(super) fn cell(&mut self, field: &FieldDescriptor, cell: &Cell, nullable: bool) -> Placed {
        if !matches!(cell, Cell::Message(columns) if !columns.whole) {
            self.paths.push(self.place.clone());
        }
        match cell {
            Cell::EnumNumber | Cell::EnumName(_) | Cell::EnumDictionary(_) => {
                self.enumeration(field, cell, nullable)
            }
            Cell::Message(columns) => self.message(columns, nullable),
            Cell::Cut(descriptor) | Cell::Json(descriptor) => {
                let json = matches!(cell, Cell::Json(_));
                // What a map entry without a value has: the JSON of the empty message, if there is one.
                let absent = match json && !nullable {
                    true => tablepb::json::to_vec(&DynamicMessage::new(descriptor)).unwrap_or_default(),
                    false => Vec::new(),
                };
                let width = self.text_width(0) + absent.len();
                let column = Gathered::new(self.options.views, nullable, json, absent);
                let column = self.gathered(column, Some(descriptor));
                let tree = Tree { kind: TreeKind::Gathered(column) };
                Placed { kind: SlotKind::Cut, column, tree, width }
            }
            Cell::Timestamp | Cell::Duration => self.time(field, matches!(cell, Cell::Timestamp), nullable),
            Cell::Wrapper(inner, cell) => self.wrapper(inner, cell, nullable),
            _ => self.scalar(field, cell, nullable),
        }
    }

    /// A number, a `bool`, a string or bytes.
    fn scalar(&mut self, field: &FieldDescriptor, cell: &Cell, nullable: bool) -> Placed {
        let growth = self.growth;
        let default = field.explicit_default().filter(|_| !nullable);
        let int = match default {
            Some(DefaultValue::Int(value)) => value,
            Some(DefaultValue::Uint(value)) => value as i64,
            _ => 0,
        };
        let float = match default {
            Some(DefaultValue::Float(value)) => value,
            _ => 0.0,
        };
        macro_rules! placed {
            ($kind:ident, $store:ident, $column:expr, $width:expr) => {{
                let column = add(&mut self.stores.$store, $column);
                placed(SlotKind::Value, TreeKind::$kind(column), column, $width + usize::from(nullable))
            }};
        }
        match cell {
            Cell::Bool => {
                let default = matches!(default, Some(DefaultValue::Bool(true)));
                placed!(Bool, bools, Bools::new(nullable, default), 1)
            }
            Cell::I32 => placed!(I32, i32s, Numbers::new(nullable, int as i32, growth), 4),
            Cell::I64 => placed!(I64, i64s, Numbers::new(nullable, int, growth), 8),
            Cell::U32 => placed!(U32, u32s, Numbers::new(nullable, int as u32, growth), 4),
            Cell::U64 => placed!(U64, u64s, Numbers::new(nullable, int as u64, growth), 8),
            Cell::F32 => placed!(F32, f32s, Numbers::new(nullable, float as f32, growth), 4),
            Cell::F64 => placed!(F64, f64s, Numbers::new(nullable, float, growth), 8),
            _ => {
                let default = match default {
                    Some(DefaultValue::String(text)) => text.as_bytes(),
                    Some(DefaultValue::Bytes(bytes)) => bytes,
                    _ => b"",
                };
                let width = self.text_width(default.len());
                let column = Texts::new(self.options.views, nullable, default, growth);
                match cell {
                    Cell::Text => placed!(Text, texts, column, width),
                    _ => placed!(Bytes, texts, column, width),
                }
            }
        }
    }

    /// An enum as the options want it.
    fn enumeration(&mut self, field: &FieldDescriptor, cell: &Cell, nullable: bool) -> Placed {
        let (default, growth, validity) = (enum_default(field), self.growth, usize::from(nullable));
        match cell {
            Cell::EnumName(descriptor) => {
                let names =
                    Names::new(self.listed(descriptor), default, self.options.views, nullable, growth);
                let width = self.text_width(names.default_len()) + validity;
                let column = add(&mut self.stores.names, names);
                placed(SlotKind::Name, TreeKind::Names(column), column, width)
            }
            Cell::EnumDictionary(descriptor) => {
                let dictionary = Dictionary::new(self.listed(descriptor), default, nullable, growth);
                let column = add(&mut self.stores.dictionaries, dictionary);
                placed(SlotKind::Dictionary, TreeKind::Dictionary(column), column, 4 + validity)
            }
            _ => {
                let column = add(&mut self.stores.i32s, Numbers::new(nullable, default, growth));
                placed(SlotKind::Value, TreeKind::I32(column), column, 4 + validity)
            }
        }
    }

    /// The names of an enum. Columns times values would not be linear.
    fn listed(&mut self, descriptor: &EnumDescriptor) -> Arc<Listed> {
        let listed = self.listed.entry(descriptor.clone());
        listed.or_insert_with(|| Arc::new(Listed::new(descriptor))).clone()
    }

    fn message(&mut self, columns: &MessageColumns, nullable: bool) -> Placed {
        let node = self.node(columns, nullable);
        let paths = self.paths.len();
        // Each message is a row of its columns.
        let growth = self.growth;
        self.growth = growth.rows();
        let children = self.columns(columns, node);
        self.growth = growth;
        if columns.whole {
            self.paths.truncate(paths);
        }
        let width = self.nodes.get(node as usize).map_or(0, |node| node.width);
        placed(SlotKind::Struct, TreeKind::Struct { node, children }, node, width + 1)
    }

    fn time(&mut self, field: &FieldDescriptor, is_timestamp: bool, nullable: bool) -> Placed {
        let values = Numbers::new(nullable, 0, self.growth.one_by_one());
        let column = add(&mut self.stores.times, Times::new(values, self.options.time_unit, is_timestamp));
        let mut node = NONE;
        if let Kind::Message(message) = field.kind() {
            node = self.empty_node(&message, false);
            if let Some(node) = self.nodes.get_mut(node as usize) {
                node.time = column;
            }
            let positions = positions(&message);
            for (number, kind) in [(1, SlotKind::Seconds), (2, SlotKind::Nanos)] {
                let slot = Slot { kind, how: How::Plain, column, ..Slot::ABSENT };
                self.set_slot(node, positions.get(&number), slot);
            }
        }
        let tree = Tree { kind: TreeKind::Time(column) };
        Placed { kind: SlotKind::Time(column), column: node, tree, width: 9 }
    }

    fn wrapper(&mut self, inner: &FieldDescriptor, cell: &Cell, nullable: bool) -> Placed {
        let paths = self.paths.len();
        let placed = self.cell(inner, cell, nullable);
        self.paths.truncate(paths);
        let scalar = scalar_of(&placed.tree).map_or(Scalar::Text, |(scalar, _)| scalar);
        let message = inner.parent_message();
        let node = self.empty_node(message, false);
        let slot = Slot { how: How::Plain, ..slot_of(&placed) };
        self.set_slot(node, positions(message).get(&inner.number()), slot);
        Placed { kind: SlotKind::Wrapper(scalar, placed.column), column: node, ..placed }
    }
}

fn placed(kind: SlotKind, tree: TreeKind, column: u32, width: usize) -> Placed {
    Placed { kind, column, tree: Tree { kind: tree }, width }
}

/// The number of an enum field that is not set.
fn enum_default(field: &FieldDescriptor) -> i32 {
    let Kind::Enum(descriptor) = field.kind() else { return 0 };
    let named = match field.explicit_default() {
        Some(DefaultValue::Enum(name)) => EnumDescriptor::value(&descriptor, name).ok(),
        _ => None,
    };
    named.unwrap_or_else(|| descriptor.default_value()).number()
}
