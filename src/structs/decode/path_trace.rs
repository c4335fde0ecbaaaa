//! The field path of a fault, collected as field numbers while a pass returns, and named from the tables at the end.

use crate::structs::grammar::names::MessageNames;
use crate::wire::error::{FieldPath, PathStep};

/// A path that begins with the innermost field. It becomes the path of the error in its place, so there is no second list.
///
/// Without memory for a step it stays empty: a path with a gap would be wrong.
#[derive(Default)]
pub(in crate::structs) struct PathTrace(FieldPath);

impl PathTrace {
    pub(in crate::structs) const fn new() -> Self {
        Self(FieldPath::EMPTY)
    }

    /// Adds the field around the path so far.
    #[cold]
    #[inline(never)]
    pub(in crate::structs) fn push(&mut self, number: u32, index: Option<usize>) {
        let index = index.and_then(|index| u32::try_from(index).ok());
        self.0.push_inner(PathStep::new(number, None, index));
    }

    /// Sets the index of the outermost step, if it is the field `number` and has no index.
    #[cold]
    #[inline]
    pub(in crate::structs) fn locate(&mut self, number: u32, index: usize) {
        if let Some(step) = self.0.steps_mut().last_mut()
            && (step.number(), step.index()) == (number, None)
        {
            step.set_index(u32::try_from(index).ok());
        }
    }

    /// The path from the root message, with names.
    #[cold]
    #[inline(never)]
    pub(in crate::structs) fn named(self, root: &'static MessageNames) -> FieldPath {
        let Self(mut path) = self;
        path.steps_mut().reverse();
        let mut place = TraceNode::Message(root);
        for step in path.steps_mut() {
            let (name, inside) = place.field(step.number());
            if let Some(name) = name {
                step.set_name(name);
            }
            place = inside;
        }
        path
    }
}

/// The message or entry that contains the next step.
enum TraceNode {
    Message(&'static MessageNames),
    /// A map entry, with the message that its value is.
    Entry(Option<&'static MessageNames>),
    Nothing,
}

impl TraceNode {
    /// The name of a field and the node of its value.
    #[inline]
    fn field(self, number: u32) -> (Option<&'static str>, Self) {
        match self {
            Self::Message(names) => match names.field(number) {
                Some(map) if map.is_map() => (Some(map.name()), Self::Entry(map.inside())),
                Some(field) => (Some(field.name()), Self::value(field.inside())),
                None => (None, Self::Nothing),
            },
            Self::Entry(_) if number == 1 => (Some("key"), Self::Nothing),
            Self::Entry(inside) => (Some("value"), Self::value(inside)),
            Self::Nothing => (None, Self::Nothing),
        }
    }

    #[inline]
    fn value(inside: Option<&'static MessageNames>) -> Self {
        inside.map_or(Self::Nothing, Self::Message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structs::Message;
    use alloc::string::{String, ToString};
    use alloc::{collections::BTreeMap, vec::Vec};

    #[derive(Default)]
    struct Node {
        name: String,
        children: Vec<Node>,
        by_name: BTreeMap<String, Node>,
    }

    crate::message! {
        Node as "example.Node" {
            name: string = 1,
            children: repeated message Node = 3,
            by_name: map<string, message Node> = 4,
        }
    }

    const NODE: &MessageNames = Node::__NAMES;

    #[test]
    fn steps_are_named_from_the_root() {
        let mut trail = PathTrace::new();
        trail.push(1, None);
        trail.locate(3, 9);
        trail.push(3, None);
        trail.locate(3, 7);
        trail.locate(3, 8);
        trail.push(3, Some(2));
        assert_eq!(trail.named(NODE).to_string(), "children[2].children[7].name");
    }

    #[test]
    fn numbers_without_a_field_stay_numbers() {
        let mut trail = PathTrace::new();
        trail.push(6, None);
        trail.push(5, None);
        assert_eq!(trail.named(NODE).to_string(), "#5.#6");
    }

    #[test]
    fn entries_have_keys_and_values() {
        let mut trail = PathTrace::new();
        trail.push(1, None);
        trail.push(4, None);
        assert_eq!(trail.named(NODE).to_string(), "by_name.key");
        let mut trail = PathTrace::new();
        trail.push(1, None);
        trail.push(2, None);
        trail.push(4, None);
        assert_eq!(trail.named(NODE).to_string(), "by_name.value.name");
    }
}
