//! [`Formats`]: formats that plans brought, kept from task to task.

use datafusion::error::Result;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use tablepb_datafusion::ProtobufFormat;

/// How many formats are kept; with each of them, where messages start in the files that were read.
const MAX_FORMATS: usize = 16;

/// The formats that were used last.
///
/// Each task brings the bytes of its format. A format that is decoded anew loads a descriptor set and knows nothing of files: the tasks of one file would follow
/// its lengths again and again.
#[derive(Debug, Default)]
pub(crate) struct Formats {
    recent: Mutex<VecDeque<(Vec<u8>, ProtobufFormat)>>,
}

impl Formats {
    /// The format of these bytes.
    ///
    /// # Errors
    /// As [`ProtobufFormat::from_bytes`].
    pub(crate) fn get(&self, bytes: &[u8]) -> Result<ProtobufFormat> {
        // Each change leaves a whole list, also if it panics.
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = match recent.iter().position(|(key, _)| key == bytes).and_then(|at| recent.remove(at)) {
            Some(kept) => kept,
            None => (bytes.to_vec(), ProtobufFormat::from_bytes(bytes)?),
        };
        let format = kept.1.clone();
        recent.push_front(kept);
        recent.truncate(MAX_FORMATS);
        Ok(format)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablepb::DescriptorPool;
    use tablepb::table::{FieldTable, Kind, MessageTable};
    use tablepb_datafusion::ProtobufOptions;

    static LOG: MessageTable = MessageTable::new("example.Log", &[FieldTable::new("line", 1, Kind::String)]);

    fn bytes(max_row_len: usize) -> Vec<u8> {
        let log = DescriptorPool::from_tables(&[&LOG]).unwrap().message("example.Log").unwrap();
        let options = ProtobufOptions::new().with_max_row_len(max_row_len);
        ProtobufFormat::new(&log, options).unwrap().to_bytes().unwrap()
    }

    #[test]
    fn the_formats_that_were_used_last_are_kept() {
        let formats = Formats::default();
        for len in (1..=MAX_FORMATS).chain([1]) {
            formats.get(&bytes(len)).unwrap();
        }
        assert!(formats.get(b"\x0a").is_err());
        formats.get(&bytes(100)).unwrap();
        let recent = formats.recent.lock().unwrap();
        assert_eq!(recent.len(), MAX_FORMATS);
        let kept = |len| recent.iter().any(|(key, _)| *key == bytes(len));
        assert!(kept(100) && kept(1) && !kept(2) && kept(3));
    }
}
