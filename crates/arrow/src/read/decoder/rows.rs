//! One row: taken, put in order first, or refused.

use super::super::batch::Fault;
use super::super::columns::Source;
use super::super::error::{Error, ErrorKind};
use super::super::tree::sizes;
use super::{BadRows, Decoder, SLACK};
use tablepb::EncodeOptions;
use tablepb::visit::Visited;

/// What steps made of a row.
enum BySteps {
    /// It is in the columns.
    Whole,
    /// They gave up somewhere in it.
    GaveUp,
    NotTried,
}

/// As many rows in a row count; then one of 32 is tried.
const MOST_GIVEN_UP: u32 = 5;

/// The longest message that is copied to be padded.
const MAX_PADDED: usize = 64 << 10;

/// The largest value of a column, with its validity; and as many rows a column makes at once.
const LARGEST: usize = 17;
const MADE: usize = 64;

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
    pub(in crate::read) fn row(
        &mut self,
        message: &[u8],
        padded: Option<&[u8]>,
        source: Source,
    ) -> Result<bool, Error> {
        if self.is_full() {
            return Ok(false);
        }
        if message.len() > self.max_row_len {
            return self.refused(ErrorKind::BudgetExceeded, message.len());
        }
        // All of its columns, set or not, fit in most batches.
        let most = self.bytes.saturating_add(16 * message.len() + self.batch.root_width());
        if most > self.columns_may_take(message.len()) && !self.columns_fit(message.len())? {
            return Ok(false);
        }
        let allowed = self.decode.budget_for(message.len());
        self.batch.begin_row(source, allowed);
        match self.by_steps(message, padded, source) {
            BySteps::Whole if self.maps_are_unique() => {
                self.good_row(message.len());
                return Ok(true);
            }
            BySteps::Whole => return self.other_row(message, None),
            BySteps::GaveUp => {
                self.take_back();
                self.batch.begin_row(source, allowed);
            }
            BySteps::NotTried => {}
        }
        match self.messages.visit(message, &mut self.batch) {
            Ok(Visited::Whole) if self.batch.fault.is_none() && self.maps_are_unique() => {
                self.good_row(message.len());
                Ok(true)
            }
            Ok(_) => self.other_row(message, None),
            Err(error) => self.other_row(message, Some(error)),
        }
    }

    /// Appends a row in which nothing is set, and which is not a message; false if the batch is full.
    pub(in crate::read) fn push_absent(&mut self) -> Result<bool, Error> {
        if self.is_full() {
            return Ok(false);
        }
        let most = self.bytes.saturating_add(self.batch.root_width());
        if most > self.columns_may_take(0) && !self.columns_fit(0)? {
            return Ok(false);
        }
        self.batch.rows += 1;
        self.bytes = self.bytes.saturating_add(self.batch.root_width());
        Ok(true)
    }

    /// The bytes that the columns of the batch take.
    pub(in crate::read) fn columns_take(&self) -> usize {
        sizes(&self.trees, &self.batch, self.batch.rows)
    }

    /// How many bytes the columns of the batch may take with one more message of this length.
    #[inline]
    fn columns_may_take(&self, len: usize) -> usize {
        self.columns_budget.saturating_add(self.input.saturating_add(len).saturating_mul(32))
    }

    /// Counts what the columns take, and whether a message of this length fits too; if not, the batch is full.
    ///
    /// # Errors
    /// `ColumnsBudget`: they take more than they may.
    #[cold]
    #[inline(never)]
    fn columns_fit(&mut self, len: usize) -> Result<bool, Error> {
        let (rows, allowed) = (self.batch.rows, self.columns_may_take(len));
        self.bytes = self.columns_take();
        // A field takes two bytes or more. In columns for which nothing came before it makes all rows.
        let first = (len / 2).saturating_mul(LARGEST * (rows + MADE));
        let most = first.min(self.batch.root_width().saturating_mul(rows + MADE));
        if rows > 0 && self.bytes.saturating_add(most) > allowed {
            let error =
                (self.bytes > allowed / 2).then(|| Error::new(ErrorKind::ColumnsBudget, self.messages_seen));
            self.bytes = self.batch_bytes;
            return error.map_or(Ok(false), Err);
        }
        Ok(true)
    }

    /// Reads a row by steps. After rows for which they gave up, more and more rows go without them.
    #[inline]
    fn by_steps(&mut self, message: &[u8], padded: Option<&[u8]>, source: Source) -> BySteps {
        let Some(steps) = &self.steps else { return BySteps::NotTried };
        if self.without_steps > 0 {
            self.without_steps -= 1;
            return BySteps::NotTried;
        }
        let whole = match (padded, source) {
            (Some(padded), _) => steps.row(&mut self.batch, padded, message.len()),
            (None, Source::Copied) if message.len() <= MAX_PADDED => {
                self.padded.clear();
                self.padded.extend_from_slice(message);
                self.padded.extend_from_slice(&[0; SLACK]);
                steps.row(&mut self.batch, &self.padded, message.len())
            }
            _ => return BySteps::NotTried,
        };
        if whole {
            self.given_up = 0;
            self.rows_by_steps += 1;
            return BySteps::Whole;
        }
        self.given_up = (self.given_up + 1).min(MOST_GIVEN_UP);
        self.without_steps = (1 << self.given_up) - 2;
        BySteps::GaveUp
    }

    #[inline]
    fn good_row(&mut self, len: usize) {
        if self.bad_rows == BadRows::Null {
            self.good.set(self.batch.rows);
        }
        self.batch.rows += 1;
        self.messages_seen += 1;
        self.input += len;
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
            Ok(view) => options.encode(&view, &mut scratch).map_err(|_| ErrorKind::BudgetExceeded),
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
            Some(Fault::NoJson) => Err(Refused::Bad(ErrorKind::NoJson)),
            Some(Fault::Time) => Err(Refused::Bad(ErrorKind::TimeOutOfRange)),
            Some(_) => Err(Refused::Bad(ErrorKind::BudgetExceeded)),
        }
    }

    /// Takes back what a row has left in the columns.
    pub(super) fn take_back(&mut self) {
        let rows = self.batch.rows;
        self.trees.iter().for_each(|tree| tree.truncate(&mut self.batch, rows));
        self.batch.stores.oneofs.fill((0, 0));
    }

    /// Deals with a bad row; true if it was taken.
    #[cold]
    pub(in crate::read) fn refused(&mut self, kind: ErrorKind, len: usize) -> Result<bool, Error> {
        let error = Error::new(kind, self.messages_seen);
        // What bad rows leave in buffers, which is at most three copies, ends the batch at some time; without any row, nothing is left.
        if self.batch.rows > 0 {
            self.bytes = self.bytes.saturating_add(32 * len);
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
