//! Programs that decode parts of messages.
//!
//! A [`Selection`] is a tree of the fields wanted. [`ProgramSet::select`] makes a set of its own of it: a program for
//! each node, and one for each message type that is decoded as a whole. All are copies of the programs of the pool
//! with the same layout, so that a message can be read, copied and changed by either; what differs is the operation of
//! an entry (skip, stay bytes) and which program decodes the sub-message.

use super::lowered::{LeftOut, required_positions};
use super::set::mark_required;
use super::{Bodies, Entry, Program, ProgramSet};
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::{vec, vec::Vec};

/// The fields wanted, as a tree with the root at 0.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    nodes: Vec<Node>,
}

/// What is wanted of a message.
#[derive(Clone, Debug)]
struct Node {
    /// Program index in the pool's set.
    message: u32,
    /// Fields without a node of their own are wanted, unknown ones included.
    all: bool,
    /// The message is to stay bytes.
    lazy: bool,
    /// Nodes of fields, by position of the entry.
    fields: BTreeMap<u16, u32>,
}

/// A set of programs made by a selection, and the program of its root.
#[derive(Clone, Debug)]
pub(crate) struct Selected {
    pub(crate) set: Arc<ProgramSet>,
    pub(crate) root: u32,
}

impl Selection {
    /// Nothing of this message.
    pub(crate) fn new(message: u32) -> Self {
        Self { nodes: vec![Node { message, all: false, lazy: false, fields: BTreeMap::new() }] }
    }

    /// The node of a field, made if it is not there: with all of its message if all of this one is wanted. `message`
    /// is the message of the field, `u32::MAX` for other fields.
    pub(crate) fn field(&mut self, node: u32, position: u16, message: u32) -> u32 {
        let next = self.nodes.len() as u32;
        let Some(parent) = self.nodes.get_mut(node as usize) else { return node };
        let all = parent.all;
        let child = *parent.fields.entry(position).or_insert(next);
        if child == next {
            self.nodes.push(Node { message, all, lazy: false, fields: BTreeMap::new() });
        }
        child
    }

    /// Whether all of a node is wanted, and nothing below it asked for by itself.
    pub(crate) fn is_whole(&self, node: u32) -> bool {
        self.node(node).is_some_and(|node| node.all && node.fields.is_empty())
    }

    /// Wants all of a node.
    pub(crate) fn want_all(&mut self, node: u32) {
        let mut todo = vec![node];
        while let Some(node) = todo.pop().and_then(|node| self.nodes.get_mut(node as usize)) {
            node.all = true;
            todo.extend(node.fields.values());
        }
    }

    /// Makes the messages of a node stay bytes.
    pub(crate) fn make_lazy(&mut self, node: u32) {
        self.want_all(node);
        if let Some(node) = self.nodes.get_mut(node as usize) {
            node.lazy = true;
        }
    }

    fn node(&self, node: u32) -> Option<&Node> {
        self.nodes.get(node as usize)
    }
}

/// A program to be made: of a node, or of a whole message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Wanted {
    Node(u32),
    Whole(u32),
}

/// The programs to be made, each with the index it will have.
struct Work {
    known: BTreeMap<Wanted, u32>,
    list: Vec<Wanted>,
}

impl Work {
    fn index(&mut self, wanted: Wanted) -> u32 {
        let Self { known, list } = self;
        *known.entry(wanted).or_insert_with(|| {
            list.push(wanted);
            list.len() as u32 - 1
        })
    }
}

impl ProgramSet {
    /// Makes the programs of a selection of messages of this set; fields that are not selected are kept as bytes if
    /// `keep`. Takes time and memory in the number of fields of all messages that can be reached.
    pub(crate) fn select(&self, selection: &Selection, keep: bool) -> Selected {
        let mut work = Work { known: BTreeMap::new(), list: Vec::new() };
        let root = work.index(Wanted::Node(0));
        let mut programs = Vec::new();
        while let Some(&wanted) = work.list.get(programs.len()) {
            let program = match wanted {
                Wanted::Whole(message) => self.whole(message, &mut work),
                Wanted::Node(node) => match selection.node(node) {
                    Some(node) => self.part(selection, node, keep, &mut work),
                    None => Program::EMPTY,
                },
            };
            programs.push(program);
        }
        mark_required(&mut programs);
        let enums = self.enums.clone();
        let bodies = Bodies::new(&programs);
        let set = Arc::new_cyclic(|shared| Self { programs, bodies, enums, shared: shared.clone() });
        Selected { set, root }
    }

    /// The program of a message, with the indices of the new set.
    fn whole(&self, message: u32, work: &mut Work) -> Program {
        let mut program = self.program(message).clone();
        program.whole = work.index(Wanted::Whole(message));
        program.each_entry(|entry| {
            if entry.coding.is_message() {
                entry.sub = work.index(Wanted::Whole(entry.sub));
            }
        });
        program
    }

    /// The program of a node.
    fn part(&self, selection: &Selection, node: &Node, keep: bool, work: &mut Work) -> Program {
        let mut program = self.program(node.message).clone();
        let original = self.program(node.message);
        let selected =
            |entry: &Entry| node.all || node.fields.contains_key(&(original.position(entry) as u16));
        // Of each oneof, whether a member is selected.
        let mut oneofs = vec![false; original.oneofs() + 1];
        for entry in original.entries().iter().filter(|entry| selected(entry)) {
            oneofs[entry.oneof as usize] = true;
        }
        program.whole = work.index(Wanted::Whole(node.message));
        program.each_entry(|entry| {
            if !selected(entry) {
                entry.set_unselected(entry.oneof != 0 && oneofs[entry.oneof as usize]);
            }
            if !entry.coding.is_message() {
                return;
            }
            let child = node.fields.get(&(original.position(entry) as u16));
            let Some((child, inner)) = child.and_then(|&child| Some((child, selection.node(child)?))) else {
                entry.sub = work.index(Wanted::Whole(entry.sub));
                return;
            };
            if inner.lazy {
                entry.set_lazy();
            }
            if inner.lazy || selection.is_whole(child) {
                entry.sub = work.index(Wanted::Whole(entry.sub));
            } else {
                entry.set_partial();
                entry.sub = work.index(Wanted::Node(child));
            }
        });
        (program.fixed, program.parts) = (None, None);
        // A map entry has its key and its value, and nothing unknown.
        let complete = node.all || (original.map_entry && original.entries().iter().all(selected));
        program.left_out = match (complete, keep) {
            (true, _) => LeftOut::Nothing,
            (false, true) => LeftOut::Kept,
            (false, false) => LeftOut::Dropped,
        };
        program.find_required();
        program
    }
}

impl Program {
    /// Changes every copy of every entry.
    fn each_entry(&mut self, mut change: impl FnMut(&mut Entry)) {
        for entry in &mut self.entries {
            change(entry);
        }
        let entries = &self.entries;
        let near = (self.near_from..).zip(&mut self.near);
        for (number, place) in near.chain((0..).zip(&mut self.fast)) {
            let changed = entries.binary_search_by_key(&number, |entry| entry.number());
            if let Some(entry) = changed.ok().and_then(|at| entries.get(at)) {
                *place = *entry;
            }
        }
    }

    /// Finds anew which fields are required.
    fn find_required(&mut self) {
        self.has_required = self.entries.iter().any(|entry| entry.flags.is_required());
        self.needs_check = self.has_required;
        self.required_mask = 0;
        self.required = required_positions(&self.entries);
        self.find_plain_end();
        if !self.wide {
            let required = self.entries.iter().filter(|entry| entry.flags.is_required());
            self.required_mask = required.fold(0, |mask, entry| mask | 1 << (entry.bit & 63));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{FieldSpec, MessageSpec, Op, Shape};
    use crate::table::Kind;

    /// A node with a number, two children and a name that is required; the children are nodes.
    fn nodes() -> ProgramSet {
        let spec = MessageSpec {
            fields: vec![
                FieldSpec::new(1, Kind::Int32, Shape::Implicit),
                FieldSpec::new(2, Kind::Message(0), Shape::Explicit),
                FieldSpec::new(3, Kind::Message(0), Shape::Repeated),
                FieldSpec::new(100, Kind::String, Shape::Required),
            ],
            ..Default::default()
        };
        ProgramSet::new(&[spec], &[]).unwrap()
    }

    #[test]
    fn a_selection_of_a_recursive_message_is_finite() {
        let pool = nodes();
        let mut selection = Selection::new(0);
        let child = selection.field(0, 1, 0);
        let grandchild = selection.field(child, 2, 0);
        selection.want_all(grandchild);
        let Selected { set, root } = pool.select(&selection, true);
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
        let mut selection = Selection::new(0);
        selection.want_all(0);
        let lazy = selection.field(0, 2, 0);
        selection.make_lazy(lazy);
        let Selected { set, root } = pool.select(&selection, false);
        let program = set.program(root);
        let ops: Vec<Op> = program.entries().iter().map(|entry| entry.op).collect();
        assert_eq!(ops, [Op::Varint32, Op::Message, Op::ListLazy, Op::String]);
        assert!(!program.is_partial() && program.has_required());
    }

    #[test]
    fn the_programs_of_a_selection_can_be_shared_from_a_reference() {
        let pool = nodes();
        let Selected { set, .. } = pool.select(&Selection::new(0), false);
        assert!(pool.share().is_none());
        assert!(Arc::ptr_eq(&set.share().unwrap(), &set));
    }
}
