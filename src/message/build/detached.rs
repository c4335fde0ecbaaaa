//! Messages that printers decode into slabs of their own: the content of an `Any`, and messages that were kept as bytes.

use crate::engine::decode::{self, Job, Scratch};
use crate::engine::slab::{BodyRef, Full, RawView, Slab};
use crate::schema::program::ProgramSet;
use crate::wire::error::DecodeError;
use crate::wire::options::DecodeOptions;
use alloc::vec::Vec;

/// A message in a slab of its own. Its strings are in a store that others have too.
pub(crate) struct Detached<'i> {
    slab: Slab,
    store: &'i [u8],
    body: BodyRef,
}

impl<'i> Detached<'i> {
    /// Decodes a message that was kept as bytes, by the programs of `set`, which know all of its fields.
    ///
    /// # Errors
    /// As [`decode::merge`].
    pub(crate) fn raw(
        set: &ProgramSet,
        raw: RawView<'_, 'i>,
        options: &DecodeOptions,
    ) -> Result<Self, DecodeError> {
        let parts = raw.spans().map(|span| (span.offset as usize, (span.offset + span.len) as usize));
        Self::from_parts(set, raw.program().message(), raw.store, parts, options)
    }

    /// Decodes a message of this type.
    ///
    /// # Errors
    /// As [`decode::merge`].
    pub(crate) fn encoded(
        set: &ProgramSet,
        (bytes, message): (&'i [u8], u32),
        options: &DecodeOptions,
    ) -> Result<Self, DecodeError> {
        Self::from_parts(set, message, bytes, core::iter::once((0, bytes.len())), options)
    }

    /// Decodes parts of a store as one message. They are given by their start and end.
    fn from_parts(
        set: &ProgramSet,
        program: u32,
        store: &'i [u8],
        parts: impl Iterator<Item = (usize, usize)> + Clone,
        options: &DecodeOptions,
    ) -> Result<Self, DecodeError> {
        let (mut slab, mut scratch) = (Slab::new(), Scratch::new());
        slab.set_limit(options.budget_for(parts.clone().map(|(start, end)| end - start).sum()));
        let base = slab.alloc_body(set.program(program)).map_err(|full| DecodeError::new(full.into(), 0))?;
        let body = BodyRef { program, base };
        for (start, end) in parts {
            let job = Job { set, store, start, end, slab: &mut slab, scratch: &mut scratch, options };
            decode::merge(job, body)?;
        }
        Ok(Self { slab, store, body })
    }

    /// The message; `set` is the one that decoded it.
    pub(crate) fn view<'a>(&'a self, set: &'a ProgramSet) -> RawView<'a, 'i> {
        RawView { words: self.slab.words(), store: self.store, set, body: self.body }
    }
}

/// The detached messages that a printer has open, the innermost one last. A printer keeps frames of messages, lists and maps;
/// those from a certain one on read the slab of the same detached message, and it goes when they are gone.
pub(crate) struct DetachedStack<'i>(Vec<(Detached<'i>, usize)>);

impl<'i> DetachedStack<'i> {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    /// Opens a message that the frames from `floor` on read.
    pub(crate) fn push(&mut self, message: Detached<'i>, floor: usize) -> Result<(), Full> {
        self.0.try_reserve(1).map_err(|_| Full::NoMemory)?;
        self.0.push((message, floor));
        Ok(())
    }

    /// Drops the innermost message if none of its frames is among the first `frames`; says whether it did.
    pub(crate) fn drop_unread(&mut self, frames: usize) -> bool {
        let unread = self.0.last().is_some_and(|&(_, floor)| floor >= frames);
        if unread {
            self.0.pop();
        }
        unread
    }

    /// The first frame that reads the innermost message.
    pub(crate) fn floor(&self) -> usize {
        self.0.last().map_or(0, |&(_, floor)| floor)
    }

    /// The innermost message; `root` if none is open.
    pub(crate) fn innermost<'a>(&'a self, root: RawView<'a, 'i>, set: &'a ProgramSet) -> RawView<'a, 'i> {
        self.0.last().map_or(root, |(message, _)| message.view(set))
    }
}
