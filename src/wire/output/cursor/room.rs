//! [`CursorRoom`]: what a function gets that writes a part of a message and is not inlined.

use crate::wire::output::spare::{SpareRoom, Written};

/// The room of a [`Cursor`](super::Cursor), for a function that is not inlined: it is passed, and [`Filled`] is returned, in registers. A cursor
/// that is passed and returned is copied as blocks right after its parts were stored, and such loads wait for the stores.
pub(crate) struct CursorRoom<'w>(pub(super) SpareRoom<'w>);

/// What was written into a [`CursorRoom`]; `None` if something did not fit.
pub(crate) type Filled<'w> = Option<Written<'w>>;
