//! From the columns of a message type to the slots of a batch and the tree that finishes it.

mod cells;

use super::batch::{Batch, How, IGNORED, NONE, Node, Scalar, Slot, SlotKind, Stores};
use super::columns::{Gathered, Growth, Listed};
use super::keys::MapKeys;
use super::lists::{List, Union};
use super::steps::{NodeType, Steps, steps};
use super::tree::{Tree, TreeKind};
use crate::mapping::{Cell, Column, Content, MessageColumns, Options, Repeat};
use std::collections::HashMap;
use std::sync::Arc;
use tablepb::table::Kind;
use tablepb::{DecodeOptions, Decoder, EnumDescriptor, FieldDescriptor, MessageDescriptor};

/// A batch without rows, the tree of its columns, and the paths that a decoder has to read.
pub(super) fn lay_out(
    columns: &MessageColumns,
    options: &Options,
    decode: DecodeOptions,
    rows: usize,
) -> (Batch, Vec<Tree>, Vec<String>, Option<Steps>) {
    let mut layout = Layout {
        options,
        decode,
        table: Vec::new(),
        nodes: Vec::new(),
        types: Vec::new(),
        stores: Stores::default(),
        paths: Vec::new(),
        place: String::new(),
        growth: Growth::by_row(rows),
        listed: HashMap::new(),
    };
    let root = layout.node(columns, false);
    let trees = layout.columns(columns, root);
    let batch = Batch::new(layout.table, layout.nodes, layout.stores, decode.depth_limit());
    let steps = steps(&batch, &layout.types, decode.allows_partial());
    (batch, trees, layout.paths, steps)
}

/// Marks the number of a member of a oneof that is not selected.
const UNSELECTED: u32 = 1 << 31;

struct Layout<'o> {
    options: &'o Options,
    decode: DecodeOptions,
    table: Vec<Slot>,
    nodes: Vec<Node>,
    types: Vec<NodeType>,
    stores: Stores,
    paths: Vec<String>,
    place: String,
    /// How the values of the columns that are being made come.
    growth: Growth,
    /// The names of the enums so far.
    listed: HashMap<EnumDescriptor, Arc<Listed>>,
}

/// What a cell became: the kind and place of its slot, its tree, and the bytes of a row in which it is not set.
struct Placed {
    kind: SlotKind,
    column: u32,
    tree: Tree,
    width: usize,
}

/// Adds a column to those of its kind.
fn add<T>(columns: &mut Vec<T>, column: T) -> u32 {
    columns.push(column);
    columns.len() as u32 - 1
}

/// The positions of the fields of a message, by number.
fn positions(descriptor: &MessageDescriptor) -> HashMap<u32, usize> {
    let extensions = descriptor.extensions().map(|extension| extension.as_field().number());
    let mut numbers: Vec<_> = descriptor.fields().map(|field| field.number()).chain(extensions).collect();
    numbers.sort_unstable();
    numbers.into_iter().enumerate().map(|(position, number)| (number, position)).collect()
}

impl Layout<'_> {
    /// A node for messages of a type, without slots for any field.
    fn empty_node(&mut self, descriptor: &MessageDescriptor, nullable: bool) -> u32 {
        let base = self.table.len();
        let len = descriptor.fields().len() + descriptor.extensions().len();
        self.table.resize(base + len, Slot::ABSENT);
        let node = Node { base, nullable, unknown: NONE, time: NONE, ..Node::default() };
        self.types.push(NodeType { descriptor: descriptor.clone(), whole: true });
        add(&mut self.nodes, node)
    }

    fn node(&mut self, columns: &MessageColumns, nullable: bool) -> u32 {
        let node = self.empty_node(&columns.descriptor, nullable);
        if let Some(of) = self.types.get_mut(node as usize) {
            of.whole = columns.whole;
        }
        node
    }

    fn set_slot(&mut self, node: u32, position: Option<&usize>, slot: Slot) {
        let base = self.nodes.get(node as usize).map_or(IGNORED, |node| node.base);
        if let Some(position) = position
            && let Some(to) = self.table.get_mut(base + position)
        {
            *to = slot;
        }
    }

    /// Goes into a path segment.
    fn within<T>(&mut self, name: &str, inside: impl FnOnce(&mut Self) -> T) -> T {
        let len = self.place.len();
        if len > 0 {
            self.place.push('.');
        }
        self.place.push_str(name);
        let result = inside(self);
        self.place.truncate(len);
        result
    }

    /// The columns of a message.
    fn columns(&mut self, columns: &MessageColumns, node: u32) -> Vec<Tree> {
        let positions = positions(&columns.descriptor);
        let oneofs = self.oneofs(columns, node, &positions);
        let (mut trees, mut width) = (Vec::new(), 0);
        for column in &columns.columns {
            let (tree, bytes) = match &column.content {
                Content::Field(_) => self.field(column, node, &positions, &oneofs, None),
                Content::Unknown => {
                    let at = self.gathered(
                        Gathered::new(self.options.views, column.nullable, false, Vec::new()),
                        None,
                    );
                    // What is discarded comes to no column, which is null then.
                    if let Some(node) = self.nodes.get_mut(node as usize)
                        && !self.decode.discards_unknown()
                    {
                        node.unknown = at;
                    }
                    (Tree { kind: TreeKind::Gathered(at) }, self.text_width(0))
                }
                Content::Member(oneof) => {
                    let place = |number| columns.columns.iter().position(|column| is_of(column, number));
                    let member =
                        |field: FieldDescriptor| Some((field.name().to_owned(), place(field.number())?));
                    let members: Vec<_> = oneof.fields().filter_map(member).collect();
                    let longest = members.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
                    (Tree { kind: TreeKind::Member { members } }, self.text_width(longest) + 1)
                }
                Content::Union(union) => {
                    let at = add(&mut self.stores.unions, Union::default());
                    let mut members = Vec::new();
                    for (id, member) in &union.members {
                        let growth = std::mem::replace(&mut self.growth, Growth::appended());
                        let (tree, _) = self.field(member, node, &positions, &oneofs, Some((at, *id)));
                        self.growth = growth;
                        members.push((*id, tree));
                    }
                    (Tree { kind: TreeKind::Union { union: at, members } }, 5)
                }
            };
            trees.push(tree);
            width += bytes;
        }
        if let Some(node) = self.nodes.get_mut(node as usize) {
            node.width = width.max(1);
        }
        trees
    }

    /// The oneofs of which a member is selected, by name. Members that are not selected get a slot here, and are read.
    fn oneofs(
        &mut self,
        columns: &MessageColumns,
        node: u32,
        positions: &HashMap<u32, usize>,
    ) -> HashMap<String, u32> {
        let mut chosen = Vec::new();
        for column in &columns.columns {
            match &column.content {
                Content::Field(field) => chosen.push(field.field.number()),
                Content::Union(union) => {
                    for (_, member) in &union.members {
                        if let Content::Field(field) = &member.content {
                            chosen.push(field.field.number());
                        }
                    }
                }
                Content::Unknown | Content::Member(_) => {}
            }
        }
        let mut oneofs = HashMap::new();
        for oneof in columns.descriptor.oneofs() {
            let members: Vec<_> = oneof.fields().collect();
            if members.len() < 2 && self.options.oneofs != crate::mapping::Oneofs::Union
                || !members.iter().any(|field| chosen.contains(&field.number()))
                || oneof.is_synthetic()
            {
                continue;
            }
            let at = add(&mut self.stores.oneofs, (0, 0));
            oneofs.insert(oneof.full_name().to_owned(), at);
            let chosen = |field: &&FieldDescriptor| chosen.contains(&field.number());
            for field in members.iter().filter(|field| !chosen(field)) {
                let member = UNSELECTED | field.number();
                let slot = Slot { how: How::AbsentMember, oneof: at, member, ..Slot::ABSENT };
                self.set_slot(node, positions.get(&field.number()), slot);
                self.within(field.name(), |this| this.paths.push(this.place.clone()));
            }
        }
        oneofs
    }

    /// The column of a field: its tree, and the bytes of a row in which it is not set.
    fn field(
        &mut self,
        column: &Column,
        node: u32,
        positions: &HashMap<u32, usize>,
        oneofs: &HashMap<String, u32>,
        union: Option<(u32, i8)>,
    ) -> (Tree, usize) {
        let Content::Field(content) = &column.content else {
            return (Tree { kind: TreeKind::Gathered(NONE) }, 0);
        };
        let (field, nullable) = (&content.field, column.nullable);
        let oneof = field.containing_oneof().and_then(|oneof| oneofs.get(oneof.full_name()).copied());
        self.within(&column.name, |this| {
            let growth = this.growth;
            match content.repeat {
                Repeat::One => {}
                Repeat::List => this.growth = Growth::appended(),
                Repeat::Map(_) => this.growth = Growth::by_entry(),
            }
            let (mut slot, tree, width) = match &content.repeat {
                Repeat::Map(key) => this.map(field, key, &content.cell),
                Repeat::One => {
                    let placed = this.cell(field, &content.cell, nullable);
                    let slot = Slot { how: How::Plain, ..slot_of(&placed) };
                    (slot, placed.tree, placed.width)
                }
                Repeat::List => {
                    let placed = this.cell(field, &content.cell, false);
                    let list = this.list(None);
                    let slot = Slot { how: How::List, list, ..slot_of(&placed) };
                    (slot, Tree { kind: TreeKind::List { list, item: Box::new(placed.tree) } }, 4)
                }
            };
            this.growth = growth;
            if let Some(oneof) = oneof {
                (slot.how, slot.oneof, slot.member) = (How::Oneof, oneof, field.number());
            }
            if let Some((union, id)) = union {
                (slot.how, slot.list, slot.member) = (How::Union, union, id as u32);
            }
            this.set_slot(node, positions.get(&field.number()), slot);
            (tree, width)
        })
    }

    /// A list, or a map with such keys.
    fn list(&mut self, keys: Option<MapKeys>) -> u32 {
        self.stores.map_keys.push(keys);
        add(&mut self.stores.lists, List::default())
    }

    fn map(&mut self, field: &FieldDescriptor, key: &Cell, value: &Cell) -> (Slot, Tree, usize) {
        let mut keys = None;
        let mut trees = Vec::new();
        let mut node = NONE;
        if let Kind::Message(entry) = field.kind()
            && let (Some(key_field), Some(value_field)) =
                (entry.map_entry_key_field(), entry.map_entry_value_field())
        {
            node = self.empty_node(&entry, false);
            let mut width = 0;
            // The path of a map stands for all of it; keys are decoded with any part of the values.
            for (position, field, cell) in [(0, key_field, key), (1, value_field, value)] {
                let placed = match position {
                    0 => {
                        let paths = self.paths.len();
                        let key = self.cell(&field, cell, false);
                        self.paths.truncate(paths);
                        key
                    }
                    _ => self.within("value", |this| this.cell(&field, cell, false)),
                };
                let slot = Slot { how: How::Plain, ..slot_of(&placed) };
                self.set_slot(node, Some(&position), slot);
                trees.push(placed.tree);
                width += placed.width;
            }
            if let Some(node) = self.nodes.get_mut(node as usize) {
                node.width = width;
            }
        }
        if let Some(tree) = trees.first() {
            keys = scalar_of(tree).map(|(scalar, column)| MapKeys { node, scalar, column });
        }
        let list = self.list(keys);
        let slot = Slot { kind: SlotKind::Map, how: How::List, column: node, list, ..Slot::ABSENT };
        let entries = Box::new(Tree { kind: TreeKind::Struct { node, children: trees } });
        (slot, Tree { kind: TreeKind::Map { list, entries } }, 4)
    }

    /// The bytes of a row of strings with a default of this length, which is copied once where there are views.
    fn text_width(&self, default: usize) -> usize {
        if self.options.views { 16 } else { 4 + default }
    }

    /// A column of bytes in pieces, of messages of a type if they are to be checked.
    fn gathered(&mut self, column: Gathered, check: Option<&MessageDescriptor>) -> u32 {
        self.stores.checks.push(check.map(|descriptor| (Decoder::new(descriptor), self.decode)));
        add(&mut self.stores.gathered, column)
    }
}

fn is_of(column: &Column, number: u32) -> bool {
    matches!(&column.content, Content::Field(of) if of.field.number() == number)
}

/// The kind and the place of a column of scalars.
fn scalar_of(tree: &Tree) -> Option<(Scalar, u32)> {
    Some(match tree.kind {
        TreeKind::Bool(at) => (Scalar::Bool, at),
        TreeKind::I32(at) => (Scalar::I32, at),
        TreeKind::I64(at) => (Scalar::I64, at),
        TreeKind::U32(at) => (Scalar::U32, at),
        TreeKind::U64(at) => (Scalar::U64, at),
        TreeKind::F32(at) => (Scalar::F32, at),
        TreeKind::F64(at) => (Scalar::F64, at),
        TreeKind::Text(at) | TreeKind::Bytes(at) => (Scalar::Text, at),
        _ => return None,
    })
}

fn slot_of(placed: &Placed) -> Slot {
    Slot { kind: placed.kind, column: placed.column, ..Slot::ABSENT }
}
