//! The store of a [`DynamicMessage`](crate::message::DynamicMessage): bytes of its own, or shared `Bytes`.

use crate::engine::slab::{NIL, RawView, Walk, WalkStep};
use crate::schema::program::{Coding, FieldEntry};
use crate::wire::{Full, MAX_LEN};
use alloc::vec::Vec;

/// Spare bytes for strings set after a decode, least and most: a sixteenth of the input between these bounds. Without them, the
/// first setter would move the whole store.
const EDIT_ROOM: (usize, usize) = (12, 1024);

/// The bytes of strings, bytes fields and unknown fields. It only grows until it is cleared.
#[derive(Clone, Debug)]
pub(in crate::message) struct Store(Holder);

#[derive(Clone, Debug)]
enum Holder {
    Own(Vec<u8>),
    #[cfg(feature = "bytes")]
    Shared(bytes::Bytes),
}

impl Store {
    pub(in crate::message) const fn new() -> Self {
        Self(Holder::Own(Vec::new()))
    }

    #[cfg(feature = "bytes")]
    pub(in crate::message) fn shared(bytes: &bytes::Bytes) -> Self {
        Self(Holder::Shared(bytes.clone()))
    }

    #[inline]
    pub(in crate::message) fn as_slice(&self) -> &[u8] {
        match &self.0 {
            Holder::Own(bytes) => bytes,
            #[cfg(feature = "bytes")]
            Holder::Shared(bytes) => bytes,
        }
    }

    pub(in crate::message) fn len(&self) -> usize {
        self.as_slice().len()
    }

    /// Drops the contents. Keeps the memory unless it is shared.
    pub(in crate::message) fn clear(&mut self) {
        match &mut self.0 {
            Holder::Own(bytes) => bytes.clear(),
            #[cfg(feature = "bytes")]
            Holder::Shared(_) => *self = Self::new(),
        }
    }

    /// Appends bytes and returns their offset. The first call on shared bytes copies them.
    ///
    /// # Errors
    /// [`Full`]. The store does not change.
    pub(in crate::message) fn append(&mut self, bytes: &[u8]) -> Result<usize, Full> {
        let start = self.len();
        if !bytes.is_empty() {
            self.room(bytes.len())?.extend_from_slice(bytes);
        }
        Ok(start)
    }

    /// Appends all that is left of a buffer and returns the offset. The first call on shared bytes copies them.
    ///
    /// # Errors
    /// [`Full`]. The store does not change.
    #[cfg(feature = "bytes")]
    pub(in crate::message) fn append_buf(&mut self, input: &mut impl bytes::Buf) -> Result<usize, Full> {
        let start = self.len();
        let len = input.remaining();
        if len > 0 {
            crate::wire::output::chunk::read_chunks(input, len, self.room(len)?)?;
        }
        Ok(start)
    }

    /// Makes room for `len` more bytes and returns the `Vec` to append them to. The first call on shared bytes copies them.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    #[inline]
    pub(in crate::message) fn room(&mut self, len: usize) -> Result<&mut Vec<u8>, Full> {
        if len > MAX_LEN - self.len().min(MAX_LEN) {
            return Err(Full::TooLarge);
        }
        #[cfg(feature = "bytes")]
        if let Holder::Shared(shared) = &self.0 {
            let mut own = Vec::new();
            own.try_reserve_exact(shared.len() + len)?;
            own.extend_from_slice(shared);
            self.0 = Holder::Own(own);
        }
        match &mut self.0 {
            Holder::Own(own) => {
                if own.capacity() - own.len() < len {
                    Self::grow(own, len)?;
                }
                Ok(own)
            }
            #[cfg(feature = "bytes")]
            Holder::Shared(_) => Err(Full::TooLarge),
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(own: &mut Vec<u8>, len: usize) -> Result<(), Full> {
        if own.capacity() == 0 {
            own.try_reserve_exact(len + (len / 16).clamp(EDIT_ROOM.0, EDIT_ROOM.1))?;
        }
        Ok(own.try_reserve(len)?)
    }

    /// Takes the bytes out, to be appended to by a builder. Shared bytes are copied. The store is empty until it gets them back.
    pub(in crate::message) fn take(&mut self) -> Result<Vec<u8>, Full> {
        match core::mem::replace(&mut self.0, Holder::Own(Vec::new())) {
            Holder::Own(own) => Ok(own),
            #[cfg(feature = "bytes")]
            Holder::Shared(shared) => {
                let mut own = Vec::new();
                if own.try_reserve_exact(shared.len()).is_err() {
                    self.0 = Holder::Shared(shared);
                    return Err(Full::NoMemory);
                }
                own.extend_from_slice(&shared);
                Ok(own)
            }
        }
    }

    /// A store of these bytes.
    pub(in crate::message) fn from_vec(bytes: Vec<u8>) -> Self {
        Self(Holder::Own(bytes))
    }

    /// The memory allocated or shared, in bytes.
    pub(in crate::message) fn capacity(&self) -> usize {
        match &self.0 {
            Holder::Own(bytes) => bytes.capacity(),
            #[cfg(feature = "bytes")]
            Holder::Shared(bytes) => bytes.len(),
        }
    }

    pub(in crate::message) fn shrink_to(&mut self, len: usize) {
        match &mut self.0 {
            Holder::Own(bytes) => bytes.shrink_to(len),
            #[cfg(feature = "bytes")]
            Holder::Shared(_) => {}
        }
    }
}

// The live size of a message: everything else in its memory is garbage.

/// Words of a message of which nothing has been decoded: its body, and what stands before its spans.
const RAW: usize = 6;

/// The slab words and store bytes that a message and its sub-messages take; `None` without memory for the walk.
///
/// Words are counted once each, and one more for a message, which has two: their sum is less than twice the words of the slab, and does
/// not overflow. Bytes may be counted more than once: what is set from one prepared message many times is in the store many times, but
/// parts of copies share it.
pub(in crate::message) fn live_size(view: RawView<'_, '_>) -> Option<(usize, usize)> {
    // The walk keeps with each message whether a verbatim message encloses it.
    let mut walk = Walk::new(view, false);
    let (mut words, mut bytes) = (view.program().words() as usize, 0usize);
    loop {
        walk.make_room().ok()?;
        let inside = *walk.data();
        match walk.next(inside || walk.view().is_verbatim()) {
            WalkStep::Field(_, entry, slot) => {
                let (more_words, more_bytes) = live_size_of_values(walk.view(), entry, slot);
                words += more_words;
                if !inside && !walk.view().is_verbatim() {
                    bytes = bytes.saturating_add(more_bytes);
                }
            }
            // One more word: the offset in a list, or the group table of a wide body. All empty messages share a body, but those that
            // are in their list or parent.
            WalkStep::Enter(..) => {
                let view = walk.view();
                words += 1 + match view.program().words() as usize {
                    _ if view.body.base == NIL => 0,
                    body if view.is_raw() => body.min(RAW),
                    body => body,
                };
            }
            WalkStep::End => {
                for span in walk.view().spans() {
                    words += 2 + 2 * usize::from(span.tag.is_some());
                    bytes = bytes.saturating_add(if inside { 0 } else { span.len as usize });
                }
                if walk.leave().is_none() {
                    return Some((words, bytes));
                }
            }
        }
    }
}

fn live_size_of_values(view: RawView<'_, '_>, entry: &FieldEntry, slot: u32) -> (usize, usize) {
    let spans = matches!(entry.coding, Coding::String | Coding::Bytes);
    if !entry.flags.is_list() {
        return (0, if spans { view.span(slot).len() } else { 0 });
    }
    let list = view.list(entry, slot);
    let lengths = (0..list.len()).map(|i| list.span(i).len());
    let bytes = if spans { lengths.fold(0, usize::saturating_add) } else { 0 };
    (list.len() as usize * entry.coding.words() as usize, bytes)
}
