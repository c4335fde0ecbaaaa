//! One row: taken, put in order first, or refused.

use super::super::batch::Fault;
use super::super::columns::Source;
use super::super::error::{Error, ErrorKind};
use super::{BadRows, Decoder};
use tablepb::EncodeOptions;
use tablepb::visit::Visited;

/// Why a row was not taken.
enum Refused {
    /// The batch has no room for it.
    Full,
    /// It is bad.
    Bad(ErrorKind),
}

impl Decoder {
    /// Appends a row; false if the batch is full.
    #[inline]
    pub(in crate::read) fn row(&mut self, message: &[u8], source: Source) -> Result<bool, Error> {
        if self.is_full() {
            return Ok(false);
        }
        if message.len() > self.max_row_len {
            return self.refused(ErrorKind::BudgetExceeded, message.len());
        }
        let allowed = self.decode.budget_for(message.len());
        self.batch.begin_row(source, allowed);
        match self.messages.visit(message, &mut self.batch) {
            Ok(Visited::Whole) if self.batch.fault.is_none() && self.maps_are_unique() => {
                self.good_row(message.len());
                Ok(true)
            }
            Ok(_) => self.other_row(message, None),
            Err(error) => self.other_row(message, Some(error)),
        }
    }

    #[inline]
    fn good_row(&mut self, len: usize) {
        if self.bad_rows == BadRows::Null {
            self.good.set(self.batch.rows);
        }
        self.batch.rows += 1;
        self.messages_seen += 1;
        self.bytes = self.bytes.saturating_add(16 * len + self.batch.spent + self.batch.root_width());
    }

    /// A row that could not be taken at once.
    #[cold]
    #[inline(never)]
    fn other_row(&mut self, message: &[u8], error: Option<tablepb::DecodeError>) -> Result<bool, Error> {
        let fault = self.batch.fault.take();
        self.take_back();
        let again = match (error, fault) {
            (Some(error), _) => Err(Refused::Bad(ErrorKind::Decode(error))),
            (None, Some(Fault::Full)) => Err(Refused::Full),
            (None, _) => self.row_in_order(message),
        };
        match again {
            Ok(()) => {
                self.good_row(message.len());
                Ok(true)
            }
            Err(Refused::Full) if self.batch.rows > 0 => {
                self.bytes = self.batch_bytes;
                Ok(false)
            }
            Err(Refused::Full) => self.refused(ErrorKind::BudgetExceeded, message.len()),
            Err(Refused::Bad(kind)) => self.refused(kind, message.len()),
        }
    }

    /// Puts a message in order by decoding and encoding it, and reads it again.
    fn row_in_order(&mut self, message: &[u8]) -> Result<(), Refused> {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        let options = EncodeOptions::new()
            .max_depth(self.decode.depth_limit())
            .allow_partial(self.decode.allows_partial());
        let encoded = match self.messages.decode(message) {
            Ok(view) => view.encode_with(&mut scratch, options).map_err(|_| ErrorKind::BudgetExceeded),
            Err(error) => Err(ErrorKind::Decode(error)),
        };
        let result = encoded.map_err(Refused::Bad).and_then(|()| self.ordered_row(&scratch));
        self.scratch = scratch;
        if result.is_err() {
            self.take_back();
        }
        result
    }

    fn ordered_row(&mut self, message: &[u8]) -> Result<(), Refused> {
        self.batch.begin_row(Source::Copied, self.decode.budget_for(message.len()));
        if let Err(error) = self.messages.visit(message, &mut self.batch) {
            return Err(Refused::Bad(ErrorKind::Decode(error)));
        }
        match self.batch.fault {
            None => Ok(()),
            Some(Fault::Full) => Err(Refused::Full),
            Some(Fault::Time) => Err(Refused::Bad(ErrorKind::TimeOutOfRange)),
            Some(_) => Err(Refused::Bad(ErrorKind::BudgetExceeded)),
        }
    }

    /// Takes back what a row has left in the columns.
    fn take_back(&mut self) {
        let rows = self.batch.rows;
        self.trees.iter().for_each(|tree| tree.truncate(&mut self.batch, rows));
        self.batch.stores.oneofs.fill((0, 0));
    }

    /// Deals with a bad row; true if it was taken.
    #[cold]
    pub(in crate::read) fn refused(&mut self, kind: ErrorKind, len: usize) -> Result<bool, Error> {
        let error = Error::new(kind, self.messages_seen);
        // What bad rows leave in buffers ends the batch at some time; without any row, nothing is left.
        if self.batch.rows > 0 {
            self.bytes = self.bytes.saturating_add(16 * len);
        }
        match self.bad_rows {
            BadRows::Fail => {
                self.messages_seen += 1;
                return Err(error);
            }
            BadRows::Skip => self.skipped += 1,
            BadRows::Null => {
                let text = error.to_string();
                self.bytes = self.bytes.saturating_add(text.len() + len.min(1) + self.batch.root_width());
                self.errors.push((self.batch.rows, text));
                self.batch.rows += 1;
            }
        }
        self.messages_seen += 1;
        Ok(true)
    }

    /// Whether the keys of all maps of the row differ.
    #[inline]
    fn maps_are_unique(&self) -> bool {
        self.batch.maps.is_empty() || self.check_maps()
    }

    #[inline(never)]
    fn check_maps(&self) -> bool {
        let batch = &self.batch;
        batch.maps.iter().all(|&(list, row)| match batch.stores.map_keys.get(list as usize) {
            Some(Some(keys)) => keys.are_unique(batch, list, row),
            _ => true,
        })
    }
}
