//! The fields that a projection wants, as a tree.

use crate::schema::program::RoomFull;
use alloc::vec::Vec;

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
