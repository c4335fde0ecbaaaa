//! Programs that decode parts of messages.
//!
//! [`ProgramSet::select`] makes a program set from a [`Selection`]: a program for each of its nodes, and one for each message type
//! that is decoded as a whole. Each is a copy of a program of the pool with the same layout, so either can read, copy and
//! change a message. They differ in the operations of entries (skip, stay bytes) and in the programs that decode
//! sub-messages.

use super::build::required_positions;
use super::lowered::{ProgramFlags, Unselected};
use super::set::spread_flags;
use super::{FieldEntry, Program, ProgramSet, ReadLayouts, Room, RoomFull};
use crate::wire::sync::Arc;
use alloc::vec::Vec;

/// No program.
const NONE: u32 = u32::MAX;

/// A set of programs made by a selection, and the program of its root.
#[derive(Clone, Debug)]
pub(crate) struct Selected {
    pub(crate) set: Arc<ProgramSet>,
    pub(crate) root: u32,
}

/// Bytes of programs that a selection may take for each byte of its paths.
const PER_BYTE: usize = 64;
/// Bytes that any selection may take.
const FREE: usize = 1 << 20;
/// How many times a selection may take the programs of the messages that it goes through.
const PER_PROGRAM: usize = 16;

/// A program to make: for a node, or for a whole message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Node(u32),
    Whole(u32),
}

/// The programs to make, in the order of their indices.
struct Work<'p> {
    pool: &'p ProgramSet,
    /// Index of the program of each node, or `NONE`.
    nodes: Vec<u32>,
    /// Index of the program of each whole message, or `NONE`.
    wholes: Vec<u32>,
    list: Vec<Wanted>,
    /// Counts the programs of nodes, which follow from the caller's paths.
    room: Room,
    /// Counts whole programs, which follow from the schema: no bound.
    free: Room,
}

impl<'p> Work<'p> {
    fn new(pool: &'p ProgramSet, selection: &Selection) -> Result<Self, RoomFull> {
        let mut free = Room::new(usize::MAX);
        let room = Room::new(FREE.saturating_add(selection.asked().saturating_mul(PER_BYTE)));
        let nodes = free.filled(NONE, selection.len())?;
        let wholes = free.filled(NONE, pool.programs.len())?;
        Ok(Self { pool, nodes, wholes, list: Vec::new(), room, free })
    }

    fn index(&mut self, wanted: Wanted) -> Result<u32, RoomFull> {
        let known = match wanted {
            Wanted::Node(node) => self.nodes.get_mut(node as usize),
            Wanted::Whole(message) => self.wholes.get_mut(message as usize),
        };
        let Some(known) = known else { return Ok(NONE) };
        if *known == NONE {
            *known = self.list.len() as u32;
            self.free.push(&mut self.list, wanted)?;
            if let Wanted::Whole(message) = wanted {
                self.room.widen(self.pool.program(message).weight().saturating_mul(PER_PROGRAM));
            }
        }
        Ok(*known)
    }
}

impl ProgramSet {
    /// Makes the programs of a selection. With `keep`, messages keep the bytes of fields that are not selected.
    ///
    /// Time and memory are linear in the number of fields of all reachable messages and in the length of the paths. The programs
    /// of nodes take at most 1 MiB, 64 bytes for each byte of a path, and 16 times the programs of the messages on the paths.
    ///
    /// # Errors
    /// The programs would take more, or an allocation failed.
    pub(crate) fn select(&self, selection: &Selection, keep: bool) -> Result<Selected, RoomFull> {
        let mut work = Work::new(self, selection)?;
        let root = work.index(Wanted::Node(0))?;
        let mut programs = Vec::new();
        while let Some(&wanted) = work.list.get(programs.len()) {
            let program = match wanted {
                Wanted::Whole(message) => self.whole(message, &mut work)?,
                Wanted::Node(node) => match selection.node(node) {
                    Some(node) => self.part(selection, node, keep, &mut work)?,
                    None => Program::EMPTY,
                },
            };
            work.free.push(&mut programs, program)?;
        }
        spread_flags(&mut programs, &mut work.free)?;
        let enums = self.enums.clone();
        let layouts = ReadLayouts::new(&programs, &mut work.free)?;
        let set = Arc::new_cyclic(|shared| Self { programs, layouts, enums, shared: shared.clone() });
        Ok(Selected { set, root })
    }

    /// The program of a whole message. Its sub-messages are whole too.
    fn whole(&self, message: u32, work: &mut Work<'_>) -> Result<Program, RoomFull> {
        let mut program = self.program(message).copy(&mut work.free)?;
        program.whole = work.index(Wanted::Whole(message))?;
        for entry in program.entries.iter_mut().filter(|entry| entry.coding.is_message()) {
            entry.sub = work.index(Wanted::Whole(entry.sub))?;
        }
        program.freeze(&mut work.free)?;
        Ok(program)
    }

    /// The program of a node: skips what is not selected, and hands sub-messages to the programs of their nodes.
    fn part(
        &self,
        selection: &Selection,
        node: &Node,
        keep: bool,
        work: &mut Work<'_>,
    ) -> Result<Program, RoomFull> {
        let original = self.program(node.message);
        let whole = work.index(Wanted::Whole(node.message))?;
        work.room.take(original.weight())?;
        let mut program = original.copy(&mut work.free)?;
        // A MessageSet is decoded as a whole.
        let all = node.all || original.is_message_set();
        let child = |entry: &FieldEntry| node.field(original.position(entry) as u16);
        let selected = |entry: &FieldEntry| all || child(entry).is_some();
        // Whether a oneof has a selected member; index 0 stands for "no oneof".
        let mut oneofs = work.free.filled(false, original.oneofs() + 1)?;
        for entry in original.entries().iter().filter(|entry| selected(entry)) {
            oneofs[entry.oneof as usize] = true;
        }
        program.whole = whole;
        for entry in &mut program.entries {
            if !selected(entry) {
                entry.set_unselected(entry.oneof != 0 && oneofs[entry.oneof as usize]);
            }
            if !entry.coding.is_message() {
                continue;
            }
            let Some((child, inner)) = child(entry).and_then(|child| Some((child, selection.node(child)?)))
            else {
                entry.sub = work.index(Wanted::Whole(entry.sub))?;
                continue;
            };
            if inner.lazy {
                entry.set_lazy();
            }
            if inner.lazy || selection.is_whole(child) {
                entry.sub = work.index(Wanted::Whole(entry.sub))?;
            } else {
                entry.set_partial();
                entry.sub = work.index(Wanted::Node(child))?;
            }
        }
        (program.fixed, program.nested_fixed) = (None, Vec::new());
        // An entry with both key and value selected is complete: it has no unknown fields.
        let complete = all || (original.is_map_entry() && original.entries().iter().all(selected));
        program.unselected = match (complete, keep) {
            (true, _) => Unselected::Nothing,
            (false, true) => Unselected::Kept,
            (false, false) => Unselected::Dropped,
        };
        program.find_required(&mut work.free)?;
        program.freeze(&mut work.free)?;
        Ok(program)
    }
}

impl Program {
    /// Recomputes what follows from required fields: a field that is not selected is not required.
    fn find_required(&mut self, room: &mut Room) -> Result<(), RoomFull> {
        let has_required = self.entries.iter().any(|entry| entry.flags.is_required());
        self.flags.set(ProgramFlags::HAS_REQUIRED, has_required);
        self.flags.set(ProgramFlags::NEEDS_CHECK, has_required);
        self.required_mask = 0;
        self.required = required_positions(&self.entries, room)?;
        self.find_plain_end();
        if !self.is_wide() {
            let required = self.entries.iter().filter(|entry| entry.flags.is_required());
            self.required_mask = required.fold(0, |mask, entry| mask | 1 << (entry.bit & 63));
        }
        Ok(())
    }
}

// The fields that a projection wants, as a tree.

/// The wanted fields, as a tree with its root at index 0.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    nodes: Vec<Node>,
    /// Bytes of all paths so far: memory is granted in proportion to them.
    asked: usize,
}

/// What is wanted of a message.
#[derive(Clone, Debug)]
pub(in crate::schema::program) struct Node {
    /// Program index in the pool's set.
    pub(in crate::schema::program) message: u32,
    /// Fields without a node are wanted too, and so are unknown fields.
    pub(in crate::schema::program) all: bool,
    /// The message stays bytes.
    pub(in crate::schema::program) lazy: bool,
    /// The nodes of its fields.
    fields: NodeFields,
}

/// Nodes by position of the entry, in two sorted levels of at most 256 items: an insertion moves at most 512 items, so 65 535
/// fields in any order do not take quadratic time.
#[derive(Clone, Debug, Default)]
struct NodeFields(Vec<(u8, Vec<(u8, u32)>)>);

impl NodeFields {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn get(&self, position: u16) -> Option<u32> {
        let [high, low] = position.to_be_bytes();
        let (_, page) = self.0.get(self.0.binary_search_by_key(&high, |page| page.0).ok()?)?;
        page.get(page.binary_search_by_key(&low, |field| field.0).ok()?).map(|field| field.1)
    }

    /// Adds a field that is not there.
    fn insert(&mut self, position: u16, node: u32) -> Result<(), RoomFull> {
        let [high, low] = position.to_be_bytes();
        let mut added = Vec::new();
        let at = self.0.binary_search_by_key(&high, |page| page.0);
        let page = match at {
            Ok(at) => self.0.get_mut(at).map_or(&mut added, |page| &mut page.1),
            Err(_) => &mut added,
        };
        page.try_reserve(1).map_err(|_| RoomFull::Allocation)?;
        let (Ok(place) | Err(place)) = page.binary_search_by_key(&low, |field| field.0);
        page.insert(place, (low, node));
        if let Err(at) = at {
            self.0.try_reserve(1).map_err(|_| RoomFull::Allocation)?;
            self.0.insert(at, (high, added));
        }
        Ok(())
    }

    fn nodes(&self) -> impl Iterator<Item = u32> {
        self.0.iter().flat_map(|page| page.1.iter().map(|field| field.1))
    }
}

impl Node {
    fn new(message: u32, all: bool) -> Self {
        Self { message, all, lazy: false, fields: NodeFields::default() }
    }

    pub(in crate::schema::program) fn field(&self, position: u16) -> Option<u32> {
        self.fields.get(position)
    }
}

impl Selection {
    /// A selection of this message without any fields.
    pub(crate) fn new(message: u32) -> Result<Self, RoomFull> {
        let mut nodes = Vec::new();
        nodes.try_reserve_exact(1).map_err(|_| RoomFull::Allocation)?;
        nodes.push(Node::new(message, false));
        Ok(Self { nodes, asked: 0 })
    }

    /// Counts the bytes of a path.
    pub(crate) fn ask(&mut self, path: &str) {
        self.asked = self.asked.saturating_add(path.len());
    }

    /// The node of a field. A new node wants all of its message if its parent does. `message` is the message type of the
    /// field, `u32::MAX` for other fields.
    pub(crate) fn field(&mut self, node: u32, position: u16, message: u32) -> Result<u32, RoomFull> {
        let next = self.nodes.len() as u32;
        let Some(parent) = self.node(node) else { return Ok(node) };
        if let Some(known) = parent.field(position) {
            return Ok(known);
        }
        self.nodes.try_reserve(1).map_err(|_| RoomFull::Allocation)?;
        let Some(parent) = self.nodes.get_mut(node as usize) else { return Ok(node) };
        parent.fields.insert(position, next)?;
        let all = parent.all;
        self.nodes.push(Node::new(message, all));
        Ok(next)
    }

    /// Whether all of a node is wanted, and no field below it has a node.
    pub(crate) fn is_whole(&self, node: u32) -> bool {
        self.node(node).is_some_and(|node| node.all && node.fields.is_empty())
    }

    /// Selects all fields below a node.
    pub(crate) fn want_all(&mut self, node: u32) -> Result<(), RoomFull> {
        let mut todo = Vec::new();
        let mut next = Some(node);
        while let Some(node) = next.and_then(|node| self.nodes.get_mut(node as usize)) {
            node.all = true;
            for child in node.fields.nodes() {
                todo.try_reserve(1).map_err(|_| RoomFull::Allocation)?;
                todo.push(child);
            }
            next = todo.pop();
        }
        Ok(())
    }

    /// Selects a message and keeps it as bytes.
    pub(crate) fn make_lazy(&mut self, node: u32) -> Result<(), RoomFull> {
        self.want_all(node)?;
        if let Some(node) = self.nodes.get_mut(node as usize) {
            node.lazy = true;
        }
        Ok(())
    }

    /// How many nodes there are.
    pub(in crate::schema::program) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes of all paths so far.
    pub(in crate::schema::program) fn asked(&self) -> usize {
        self.asked
    }

    pub(in crate::schema::program) fn node(&self, node: u32) -> Option<&Node> {
        self.nodes.get(node as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::program::{FieldSpec, MessageSpec, Op, Presence};
    use crate::schema::table::Kind;
    use alloc::vec;

    /// A node with a number, two children and a name that is required; the children are nodes.
    fn nodes() -> ProgramSet {
        let spec = MessageSpec {
            fields: vec![
                FieldSpec::new(1, Kind::Int32, Presence::Implicit),
                FieldSpec::new(2, Kind::Message(0), Presence::Explicit),
                FieldSpec::new(3, Kind::Message(0), Presence::Repeated),
                FieldSpec::new(100, Kind::String, Presence::Required),
            ],
            ..Default::default()
        };
        ProgramSet::new(&[spec], &[]).unwrap()
    }

    #[test]
    fn a_selection_of_a_recursive_message_is_finite() {
        let pool = nodes();
        let mut selection = Selection::new(0).unwrap();
        let child = selection.field(0, 1, 0).unwrap();
        let grandchild = selection.field(child, 2, 0).unwrap();
        selection.want_all(grandchild).unwrap();
        let Selected { set, root } = pool.select(&selection, true).unwrap();
        let program = set.program(root);
        let ops: Vec<Op> = program.entries().iter().map(|entry| entry.op).collect();
        assert_eq!(ops, [Op::SkipVarint, Op::Inline, Op::SkipLength, Op::SkipLength]);
        assert!(program.keeps_bytes() && !program.has_required());
        assert_eq!(program.find(100).unwrap().op, Op::SkipLength);
        let child = set.program(program.entries()[1].sub);
        assert_eq!((child.entries()[1].op, child.entries()[2].op), (Op::SkipLength, Op::ListMessage));
        let whole = set.program(child.entries()[2].sub);
        assert!(!whole.is_partial() && whole.has_required());
        assert_eq!(whole.entries()[1].sub, child.whole());
        assert_eq!((program.whole(), program.message()), (child.whole(), 0));
        assert_eq!(set.programs.len(), 3);
    }

    #[test]
    fn a_lazy_field_of_a_whole_message_leaves_the_rest_whole() {
        let pool = nodes();
        let mut selection = Selection::new(0).unwrap();
        selection.want_all(0).unwrap();
        let lazy = selection.field(0, 2, 0).unwrap();
        selection.make_lazy(lazy).unwrap();
        let Selected { set, root } = pool.select(&selection, false).unwrap();
        let program = set.program(root);
        let ops: Vec<Op> = program.entries().iter().map(|entry| entry.op).collect();
        assert_eq!(ops, [Op::Varint32, Op::Message, Op::ListLazy, Op::String]);
        assert!(!program.is_partial() && program.has_required());
    }

    #[test]
    fn the_programs_of_a_selection_can_be_shared_from_a_reference() {
        let pool = nodes();
        let Selected { set, .. } = pool.select(&Selection::new(0).unwrap(), false).unwrap();
        assert!(pool.share().is_none());
        assert!(Arc::ptr_eq(&set.share().unwrap(), &set));
    }
}

#[cfg(test)]
mod selection_tests {
    use super::*;

    #[test]
    fn fields_are_found_in_whatever_order_they_came() {
        let mut selection = Selection::new(0).unwrap();
        // Descending, and by a stride that has no factor in common with their number.
        let count = if cfg!(miri) { 600 } else { 60_000u32 };
        for from in [(0..count).rev().collect::<Vec<_>>(), (0..count).map(|i| i * 7_919 % count).collect()] {
            for position in from {
                let node = selection.field(0, position as u16, u32::MAX).unwrap();
                assert_eq!(selection.field(0, position as u16, u32::MAX).unwrap(), node);
                assert_eq!(node, count - position);
            }
        }
        assert_eq!(selection.nodes.len() as u32, count + 1);
        assert_eq!(selection.node(0).unwrap().fields.nodes().count() as u32, count);
        assert!(!selection.is_whole(0) && selection.node(0).unwrap().field(count as u16).is_none());
    }
}
