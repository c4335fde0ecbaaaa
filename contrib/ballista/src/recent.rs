//! [`Recent`]: what plans brought, kept from task to task.

use datafusion::error::Result;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use tablepb_datafusion::{FunctionSet, ProtobufFormat};

/// How many are kept.
const MOST: usize = 16;

/// What bytes were decoded to, those that were used last.
///
/// Each task brings the bytes of its format. A format that is decoded anew loads a descriptor set and knows nothing of files: the tasks of one file would follow
/// its lengths again and again. A set of functions has the descriptor set too, and functions of two sets differ.
#[derive(Debug)]
pub(crate) struct Recent<T> {
    kept: Mutex<VecDeque<(Vec<u8>, T)>>,
    decode: fn(&[u8]) -> Result<T>,
}

/// The formats of tables and scans.
pub(crate) type Formats = Recent<ProtobufFormat>;
/// The sets of functions.
pub(crate) type Functions = Recent<FunctionSet>;

impl Default for Formats {
    fn default() -> Self {
        Self { kept: Mutex::default(), decode: ProtobufFormat::from_bytes }
    }
}

impl Default for Functions {
    fn default() -> Self {
        Self { kept: Mutex::default(), decode: FunctionSet::from_bytes }
    }
}

impl<T: Clone> Recent<T> {
    /// What these bytes stand for.
    ///
    /// # Errors
    /// They cannot be decoded.
    pub(crate) fn get(&self, bytes: &[u8]) -> Result<T> {
        // Each change leaves a whole list, also if it panics.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = match kept.iter().position(|(key, _)| key == bytes).and_then(|at| kept.remove(at)) {
            Some(entry) => entry,
            None => (bytes.to_vec(), (self.decode)(bytes)?),
        };
        let value = entry.1.clone();
        kept.push_front(entry);
        kept.truncate(MOST);
        Ok(value)
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
        for len in (1..=MOST).chain([1]) {
            formats.get(&bytes(len)).unwrap();
        }
        assert!(formats.get(b"\x0a").is_err());
        formats.get(&bytes(100)).unwrap();
        let recent = formats.kept.lock().unwrap();
        assert_eq!(recent.len(), MOST);
        let kept = |len| recent.iter().any(|(key, _)| *key == bytes(len));
        assert!(kept(100) && kept(1) && !kept(2) && kept(3));
    }
}
