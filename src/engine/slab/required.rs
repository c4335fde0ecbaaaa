//! The check for required fields.

use super::walk::{Walk, WalkStep};
use super::{Full, RawView};
use crate::wire::error::{FieldPath, PathStep};

/// A required field that is not set: the path to it.
#[derive(Debug)]
pub(crate) struct MissingField {
    path: FieldPath,
}

impl MissingField {
    #[cold]
    fn new(walk: &Walk<'_, '_, ()>, number: u32) -> Self {
        let mut path = FieldPath::EMPTY;
        for (entry, element) in walk.path() {
            path.push_inner(PathStep::new(entry.number(), None, element));
        }
        path.push_inner(PathStep::new(number, None, None));
        Self { path }
    }

    /// The path, field numbers only.
    pub(crate) fn path(self) -> FieldPath {
        self.path
    }
}

/// Finds a required field that is not set, outermost first.
///
/// # Errors
/// There is no memory for the levels of the walk.
pub(crate) fn find_missing(root: RawView<'_, '_>) -> Result<Option<MissingField>, Full> {
    if !root.program().needs_check() {
        return Ok(None);
    }
    let mut walk = Walk::new(root, ());
    if let Some(number) = missing_in(root) {
        return Ok(Some(MissingField::new(&walk, number)));
    }
    loop {
        walk.make_room()?;
        match walk.next(()) {
            WalkStep::Field(..) => {}
            WalkStep::Enter(..) => {
                if let Some(number) = missing_in(walk.view()) {
                    return Ok(Some(MissingField::new(&walk, number)));
                }
            }
            WalkStep::End => {
                if walk.leave().is_none() {
                    return Ok(None);
                }
            }
        }
    }
}

/// The first required field of this message that is not set.
fn missing_in(view: RawView<'_, '_>) -> Option<u32> {
    let program = view.program();
    // Nothing of a raw message is decoded yet; decoding it checks it.
    if !program.has_required() || view.is_raw() {
        return None;
    }
    let unset = |position: u16| {
        let entry = program.entries().get(position as usize)?;
        view.slot(position as usize, entry).is_none().then(|| entry.number())
    };
    program.required().iter().find_map(|&position| unset(position))
}
