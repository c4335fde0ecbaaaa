//! The byte store of a [`DynamicMessage`](super::DynamicMessage): its own bytes, or `Bytes` it shares.

use crate::error::DecodeErrorKind;
use crate::wire::MAX_LEN;
use alloc::collections::TryReserveError;
use alloc::vec::Vec;

/// Least and most room for strings to be set, in bytes; between them, a sixteenth of the first input. Otherwise the first
/// setter would move everything.
const EDIT_ROOM: (usize, usize) = (12, 1024);

/// Bytes that strings, bytes and unknown fields point into. Only ever appended to.
#[derive(Clone, Debug)]
pub(super) struct Store(Holder);

#[derive(Clone, Debug)]
enum Holder {
    Own(Vec<u8>),
    #[cfg(feature = "bytes")]
    Shared(bytes::Bytes),
}

/// Why bytes could not be appended. The store is as before.
#[derive(Clone, Copy, Debug)]
pub(super) enum StoreFull {
    /// The store would be longer than 2^31-1 bytes.
    TooLarge,
    /// The allocator has no memory.
    NoMemory,
}

impl From<StoreFull> for DecodeErrorKind {
    fn from(full: StoreFull) -> Self {
        match full {
            StoreFull::TooLarge => Self::TooLarge,
            StoreFull::NoMemory => Self::BudgetExceeded,
        }
    }
}

impl From<TryReserveError> for StoreFull {
    fn from(_: TryReserveError) -> Self {
        Self::NoMemory
    }
}

impl Store {
    pub(super) const fn new() -> Self {
        Self(Holder::Own(Vec::new()))
    }

    #[cfg(feature = "bytes")]
    pub(super) fn shared(bytes: &bytes::Bytes) -> Self {
        Self(Holder::Shared(bytes.clone()))
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[u8] {
        match &self.0 {
            Holder::Own(bytes) => bytes,
            #[cfg(feature = "bytes")]
            Holder::Shared(bytes) => bytes,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.as_slice().len()
    }

    /// Forgets the contents and keeps the memory, if it is its own.
    pub(super) fn clear(&mut self) {
        match &mut self.0 {
            Holder::Own(bytes) => bytes.clear(),
            #[cfg(feature = "bytes")]
            Holder::Shared(_) => *self = Self::new(),
        }
    }

    /// Appends bytes and gives their offset. Shared bytes are copied the first time.
    ///
    /// # Errors
    /// There is no room for them, or no memory; the store is as before.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<usize, StoreFull> {
        let start = self.len();
        if !bytes.is_empty() {
            self.room(bytes.len())?.extend_from_slice(bytes);
        }
        Ok(start)
    }

    /// The store to append so many bytes to, for which there is room. Shared bytes are copied the first time.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    #[inline]
    pub(super) fn room(&mut self, len: usize) -> Result<&mut Vec<u8>, StoreFull> {
        if len > MAX_LEN - self.len().min(MAX_LEN) {
            return Err(StoreFull::TooLarge);
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
            Holder::Shared(_) => Err(StoreFull::TooLarge),
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(own: &mut Vec<u8>, len: usize) -> Result<(), StoreFull> {
        if own.capacity() == 0 {
            own.try_reserve_exact(len + (len / 16).clamp(EDIT_ROOM.0, EDIT_ROOM.1))?;
        }
        Ok(own.try_reserve(len)?)
    }

    /// The bytes, to be appended to elsewhere; shared ones are copied. The store is empty until it gets them back.
    #[cfg(feature = "json")]
    pub(super) fn take(&mut self) -> Result<Vec<u8>, StoreFull> {
        match core::mem::replace(&mut self.0, Holder::Own(Vec::new())) {
            Holder::Own(own) => Ok(own),
            #[cfg(feature = "bytes")]
            Holder::Shared(shared) => {
                let mut own = Vec::new();
                if own.try_reserve_exact(shared.len()).is_err() {
                    self.0 = Holder::Shared(shared);
                    return Err(StoreFull::NoMemory);
                }
                own.extend_from_slice(&shared);
                Ok(own)
            }
        }
    }

    /// A store of these bytes.
    #[cfg(feature = "json")]
    pub(super) fn from_vec(bytes: Vec<u8>) -> Self {
        Self(Holder::Own(bytes))
    }

    /// Memory held, in bytes.
    pub(super) fn capacity(&self) -> usize {
        match &self.0 {
            Holder::Own(bytes) => bytes.capacity(),
            #[cfg(feature = "bytes")]
            Holder::Shared(bytes) => bytes.len(),
        }
    }

    pub(super) fn shrink_to(&mut self, len: usize) {
        match &mut self.0 {
            Holder::Own(bytes) => bytes.shrink_to(len),
            #[cfg(feature = "bytes")]
            Holder::Shared(_) => {}
        }
    }
}
