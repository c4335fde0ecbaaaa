//! The check for required fields: a walk over the messages that can miss one, on an explicit stack.

use crate::error::{FieldPath, PathStep};
use crate::program::Entry;
use crate::slab::RawView;
use alloc::vec::Vec;

/// A required field that is not set: the way to it.
#[derive(Debug)]
pub(crate) struct MissingField {
    steps: Vec<PathStep>,
}

impl MissingField {
    /// The path, field numbers only.
    pub(crate) fn path(self) -> FieldPath {
        let mut path = FieldPath::EMPTY;
        for step in self.steps {
            path.push_inner(step);
        }
        path
    }
}

/// One message on the way: where it came from, and which of its fields comes next.
struct Level<'a, 'i> {
    view: RawView<'a, 'i>,
    /// Next entry to look at, and the next element if it is a list.
    entry: usize,
    element: u32,
}

/// Finds a required field that is not set, in field number order.
pub(crate) fn find_missing(root: RawView<'_, '_>) -> Option<MissingField> {
    if !root.program().needs_check() {
        return None;
    }
    if let Some(number) = missing_in(root) {
        return Some(MissingField { steps: alloc::vec![PathStep::new(number, None, None)] });
    }
    let mut stack = alloc::vec![Level { view: root, entry: 0, element: 0 }];
    while let Some(level) = stack.last_mut() {
        let Some(child) = next_child(level) else {
            stack.pop();
            continue;
        };
        let missing = missing_in(child);
        stack.push(Level { view: child, entry: 0, element: 0 });
        if let Some(number) = missing {
            return Some(path_to(&stack, number));
        }
    }
    None
}

/// The first required field of this message that is not set.
fn missing_in(view: RawView<'_, '_>) -> Option<u32> {
    let program = view.program();
    if !program.has_required() {
        return None;
    }
    let mut entries = program.entries().iter().enumerate();
    let unset = |(index, entry): &(usize, &Entry)| {
        entry.flags.is_required() && view.slot(*index, entry).is_none()
    };
    entries.find(unset).map(|(_, entry)| entry.number())
}

/// The next sub-message that can miss a field.
fn next_child<'a, 'i>(level: &mut Level<'a, 'i>) -> Option<RawView<'a, 'i>> {
    let program = level.view.program();
    while let Some(entry) = program.entries().get(level.entry) {
        let slot = if entry.coding.is_message() && level.view.set.program(entry.sub).needs_check() {
            level.view.slot(level.entry, entry)
        } else {
            None
        };
        if let Some(slot) = slot {
            let element = level.element;
            level.element += 1;
            if entry.flags.is_list() {
                let list = level.view.list(entry, slot);
                if element < list.len() {
                    return Some(list.message(element));
                }
            } else if element == 0 {
                return Some(level.view.child(entry, slot));
            }
        }
        level.entry += 1;
        level.element = 0;
    }
    None
}

fn path_to(stack: &[Level<'_, '_>], number: u32) -> MissingField {
    let mut steps = Vec::new();
    for level in &stack[..stack.len() - 1] {
        if let Some(entry) = level.view.program().entries().get(level.entry) {
            let index = entry.flags.is_list().then(|| level.element - 1);
            steps.push(PathStep::new(entry.number(), None, index));
        }
    }
    steps.push(PathStep::new(number, None, None));
    MissingField { steps }
}
