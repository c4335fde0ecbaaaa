//! The columns of one value of a field.

use super::super::batch::{How, NONE, Scalar, Slot, SlotKind};
use super::super::columns::{Bools, Dictionary, Names, Numbers, Texts, Times};
use super::super::tree::{Tree, TreeKind};
use super::{Layout, Placed, add, positions, scalar_of, slot_of};
use crate::mapping::Cell;
use tablepb::{DefaultValue, EnumDescriptor, FieldDescriptor, Kind};

impl Layout<'_> {
    /// One value of a field.
    pub(super) fn cell(&mut self, field: &FieldDescriptor, cell: &Cell, nullable: bool) -> Placed {
        if !matches!(cell, Cell::Message(columns) if !columns.whole) {
            self.paths.push(self.place.clone());
        }
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
                let column = $column;
                let column = add(&mut self.stores.$store, column);
                let tree = Tree { kind: TreeKind::$kind(column) };
                Placed { kind: SlotKind::Value, column, tree, width: $width + usize::from(nullable) }
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
            Cell::Text | Cell::Bytes => {
                let default = match default {
                    Some(DefaultValue::String(text)) => text.as_bytes(),
                    Some(DefaultValue::Bytes(bytes)) => bytes,
                    _ => b"",
                };
                let width = self.text_width() + default.len();
                let column = Texts::new(self.options.views, nullable, default, growth);
                match cell {
                    Cell::Text => placed!(Text, texts, column, width),
                    _ => placed!(Bytes, texts, column, width),
                }
            }
            Cell::EnumNumber => {
                let default = enum_default(field);
                placed!(I32, i32s, Numbers::new(nullable, default, growth), 4)
            }
            Cell::EnumName(descriptor) => {
                let names = Names::new(descriptor, enum_default(field), self.options.views, nullable, growth);
                let placed = placed!(Names, names, names, self.text_width());
                Placed { kind: SlotKind::Name, ..placed }
            }
            Cell::EnumDictionary(descriptor) => {
                let dictionary = Dictionary::new(descriptor, enum_default(field), nullable, growth);
                let placed = placed!(Dictionary, dictionaries, dictionary, 4);
                Placed { kind: SlotKind::Dictionary, ..placed }
            }
            Cell::Message(columns) => {
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
                let tree = Tree { kind: TreeKind::Struct { node, children } };
                Placed { kind: SlotKind::Struct, column: node, tree, width: width + 1 }
            }
            Cell::Cut(descriptor) => {
                let column = self.gathered(nullable, Some(descriptor));
                let tree = Tree { kind: TreeKind::Gathered(column) };
                Placed { kind: SlotKind::Cut, column, tree, width: self.text_width() }
            }
            Cell::Timestamp | Cell::Duration => self.time(field, matches!(cell, Cell::Timestamp), nullable),
            Cell::Wrapper(inner, cell) => self.wrapper(inner, cell, nullable),
        }
    }

    fn time(&mut self, field: &FieldDescriptor, is_timestamp: bool, nullable: bool) -> Placed {
        let values = Numbers::new(nullable, 0, self.growth.one_by_one());
        let column = add(&mut self.stores.times, Times::new(values, self.options.time_unit, is_timestamp));
        let mut node = NONE;
        if let Kind::Message(message) = field.kind() {
            node = self.empty_node(&message, false);
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

/// The number of an enum field that is not set.
fn enum_default(field: &FieldDescriptor) -> i32 {
    let Kind::Enum(descriptor) = field.kind() else { return 0 };
    let named = match field.explicit_default() {
        Some(DefaultValue::Enum(name)) => EnumDescriptor::get_value_by_name(&descriptor, name),
        _ => None,
    };
    named.unwrap_or_else(|| descriptor.default_value()).number()
}
