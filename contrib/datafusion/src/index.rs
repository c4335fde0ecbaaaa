//! Where messages start: [`FileIndex`], one for each file, and [`Indexes`].
//!
//! Only the lengths of all messages before it tell where a message starts. To read a part of a file, one task follows the lengths up to there, once; long contents
//! are jumped over. The index keeps some of the places.

use crate::error::ScanErrorKind;
use crate::input::{BLOCK, Input, Prefix, StoredFile, prefix};
use datafusion::error::Result;
use object_store::{ObjectMeta, path::Path};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How far one task follows lengths before another one may go on.
const STRIDE: u64 = 64 << 20;
/// How many places of a file and how many files are kept.
const MAX_PLACES: u64 = 4096;
const MAX_FILES: usize = 4096;
/// The bytes that are read at once to follow lengths: they stay in a cache of the processor.
const SCAN: usize = 128 << 10;

/// Where a message starts, and its number; at the end of the file, where the next one would.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) offset: u64,
    pub(crate) row: u64,
}

/// Where messages of a file start, as far as known.
#[derive(Debug)]
pub(crate) struct FileIndex {
    /// For an offset, the first message that starts there or later.
    places: Mutex<BTreeMap<u64, Place>>,
    /// One task at a time follows lengths.
    scanning: tokio::sync::Mutex<()>,
    meta: ObjectMeta,
}

impl FileIndex {
    fn new(meta: ObjectMeta) -> Self {
        let places = BTreeMap::from([(0, Place { offset: 0, row: 0 })]);
        Self { places: Mutex::new(places), scanning: tokio::sync::Mutex::default(), meta }
    }

    /// The first message that starts at an offset or later. Costs a scan of lengths from the last known place.
    ///
    /// # Errors
    /// As of the store; `Truncated` if the file ends within the last message before the offset; a bad length.
    pub(crate) async fn first_from(&self, file: &StoredFile, offset: u64) -> Result<Place> {
        loop {
            let _turn = self.scanning.lock().await;
            let place = self.last_known(offset);
            if place.offset >= offset {
                return Ok(place);
            }
            let end = offset.min(place.offset + STRIDE);
            let found = self.follow(file, place, end).await?;
            lock(&self.places).insert(end, found);
        }
    }

    /// The number of messages, if it is known.
    pub(crate) fn rows(&self) -> Option<u64> {
        lock(&self.places).get(&self.meta.size).map(|place| place.row)
    }

    /// The number of messages that start in a range, if it is known. In a compressed file all belong to its first byte.
    pub(crate) fn rows_between(&self, range: Range<u64>, is_compressed: bool) -> Option<u64> {
        if is_compressed {
            return self.rows().map(|rows| if range.start == 0 { rows } else { 0 });
        }
        let known = |offset| {
            let place = self.last_known(offset);
            (place.offset >= offset).then_some(place.row)
        };
        known(range.end.min(self.meta.size))?.checked_sub(known(range.start)?)
    }

    /// Notes how many messages the file has.
    pub(crate) fn note_rows(&self, rows: u64) {
        let end = self.meta.size;
        lock(&self.places).insert(end, Place { offset: end, row: rows });
    }

    /// The answer for the last offset at or before this one for which it is known; it is the answer for this one if it is not before it.
    fn last_known(&self, offset: u64) -> Place {
        let start = Place { offset: 0, row: 0 };
        lock(&self.places).range(..=offset).next_back().map_or(start, |(_, place)| *place)
    }

    /// Follows lengths from a message to the first one that starts at `end` or later, and notes places on the way.
    async fn follow(&self, file: &StoredFile, from: Place, end: u64) -> Result<Place> {
        let step = (self.meta.size / MAX_PLACES).max(BLOCK as u64);
        let (mut place, mut next_note) = (from, from.offset + step);
        let mut input = Input::open(file, place.offset).await?;
        // What is read, and where in it the message at `place` starts.
        let (mut read, mut at) = (Vec::new(), 0);
        while place.offset < end {
            match prefix(&read[at.min(read.len())..], file.max_row_len) {
                Prefix::Frame(len) => {
                    let next = Place { offset: place.offset + len as u64, row: place.row + 1 };
                    if next.offset > self.meta.size {
                        return Err(file.error(place.row, place.offset, ScanErrorKind::Truncated));
                    }
                    (place, at) = (next, at + len);
                    if place.offset >= next_note && place.offset < end {
                        lock(&self.places).insert(place.offset, place);
                        next_note = place.offset + step;
                    }
                }
                Prefix::Bad(kind) => return Err(file.error(place.row, place.offset, kind)),
                Prefix::Cut => {
                    input.skip(at.saturating_sub(read.len()) as u64, place.offset).await?;
                    read.drain(..at.min(read.len()));
                    at = 0;
                    let before = read.len();
                    input.fill(&mut read, SCAN).await?;
                    if read.len() == before {
                        return Err(file.error(place.row, place.offset, ScanErrorKind::Truncated));
                    }
                    // A query that was cancelled stops here.
                    tokio::task::yield_now().await;
                }
            }
        }
        Ok(place)
    }
}

/// The indexes of files, kept from query to query: at most 4 096 files, of at most 64 KiB each.
#[derive(Debug, Default)]
pub(crate) struct Indexes {
    files: Mutex<HashMap<(String, Path), Arc<FileIndex>>>,
}

impl Indexes {
    /// The index of a file of a store; an empty one if there is none, or if the file changed since.
    pub(crate) fn of(&self, store: &str, meta: &ObjectMeta) -> Arc<FileIndex> {
        let mut files = lock(&self.files);
        let key = (store.to_owned(), meta.location.clone());
        if let Some(index) = files.get(&key)
            && index.meta == *meta
        {
            return index.clone();
        }
        if files.len() >= MAX_FILES {
            files.clear();
        }
        let index = Arc::new(FileIndex::new(meta.clone()));
        files.insert(key, index.clone());
        index
    }
}

/// What is in the maps is whole at any time, also after a panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
