//! [`Cache`]: the schemas that were asked for last.

use crate::error::RegistryError;
use lru::LruCache;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tablepb::schema::FileDescriptor;

/// Schemas by their ids, which never change, and for a while the ids that have none.
#[derive(Debug)]
pub(crate) struct Cache {
    entries: Mutex<LruCache<u32, Entry>>,
    absent_for: Duration,
}

#[derive(Clone, Debug)]
enum Entry {
    File(FileDescriptor),
    /// Since when the registry has none that can be used.
    Absent(RegistryError, Instant),
}

impl Cache {
    pub(crate) fn new(capacity: NonZeroUsize, absent_for: Duration) -> Self {
        Self { entries: Mutex::new(LruCache::new(capacity)), absent_for }
    }

    /// What is known of an id.
    pub(crate) fn get(&self, id: u32) -> Option<Result<FileDescriptor, RegistryError>> {
        // A map is whole whatever panicked while it was locked.
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        match entries.get(&id)? {
            Entry::File(file) => Some(Ok(file.clone())),
            Entry::Absent(error, since) if since.elapsed() < self.absent_for => Some(Err(error.clone())),
            Entry::Absent(..) => None,
        }
    }

    pub(crate) fn put(&self, id: u32, result: &Result<FileDescriptor, RegistryError>) {
        let entry = match result {
            Ok(file) => Entry::File(file.clone()),
            // Nothing is known of the schema then.
            Err(error) if error.is_transient() => return,
            Err(error) => Entry::Absent(error.clone(), Instant::now()),
        };
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).put(id, entry);
    }
}
