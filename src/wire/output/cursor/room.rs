//! [`CursorRoom`]: what a function gets that writes a part of a message and is not inlined.

use crate::wire::output::spare::{SpareFill, SpareRoom, Written};

/// The room of a [`Cursor`](super::Cursor), for a function that is not inlined: it is passed, and [`Filled`] is returned, in registers. A cursor
/// that is passed and returned is copied as blocks right after its parts were stored, and such loads wait for the stores.
pub(crate) struct CursorRoom<'w>(pub(super) SpareRoom<'w>);

/// What was written into a [`CursorRoom`]; `None` if something did not fit.
pub(crate) type Filled<'w> = Option<Written<'w>>;

/// The call of a function that fills a [`CursorRoom`], with its arguments.
pub(crate) trait FillRoom {
    fn fill(self, room: CursorRoom<'_>) -> Filled<'_>;
}

/// Gives a task its room.
pub(super) struct Task<T>(pub(super) T);

impl<T: FillRoom> SpareFill for Task<T> {
    #[inline(always)]
    fn fill(self, room: SpareRoom<'_>) -> Filled<'_> {
        self.0.fill(CursorRoom(room))
    }
}
