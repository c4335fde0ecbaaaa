//! [`Numbers`], [`Bools`], [`Times`], and how columns [grow](Growth): columns of values of one size.

use super::bits::Bits;
use super::zeros::Zeros;
use arrow_array::{ArrowPrimitiveType, BooleanArray, PrimitiveArray};
use arrow_buffer::{ArrowNativeType, Buffer, ScalarBuffer, ToByteSlice};
use arrow_schema::TimeUnit;

/// How many rows a column makes at once, if its values come by row.
const STEP: u8 = 64;

/// How many rows the first batch has room for before any have come; then room doubles. Room for a full batch would be many times what a small
/// one takes.
const FIRST: u32 = 64;

/// How the values of a column come, and how many there may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Growth {
    /// How many values the last batch had.
    hint: u32,
    /// As many values there are at most, or about as many.
    most: u32,
    /// As many rows are made at once.
    step: u8,
}

impl Growth {
    /// Values come by row: the column has rows of the default beyond those that were set, and does not know its length.
    pub(crate) fn by_row(most: usize) -> Self {
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        Self { hint: most.min(FIRST), most, step: STEP }
    }

    /// As many values as come for the entries of maps, in rows.
    pub(crate) fn by_entry() -> Self {
        Self { hint: 0, most: u32::MAX, step: STEP }
    }

    /// Values are appended: the column is as long as what came.
    pub(crate) fn appended() -> Self {
        Self { hint: 0, most: u32::MAX, step: 1 }
    }

    /// The same for the columns of messages, of which each is a row.
    pub(crate) fn rows(self) -> Self {
        Self { step: STEP, ..self }
    }

    /// The same for a column that knows its length, although its values come by row.
    pub(crate) fn one_by_one(self) -> Self {
        Self { step: 1, ..self }
    }

    /// Makes room for some more values.
    pub(crate) fn reserve<T>(self, values: &mut Vec<T>, count: usize) {
        // The next batch may have some more elements of lists, and offsets are one more than the rows.
        let some_more =
            |count: u32| if self.step == 1 { count as usize + count as usize / 16 } else { count as usize };
        let doubled = (2 * values.len()).min(some_more(self.most));
        let wanted = some_more(self.hint).max(doubled).max(values.len() + count);
        values.reserve_exact(wanted - values.len());
    }

    /// Makes a row of a column, and some after it.
    pub(crate) fn make<T: Copy>(self, values: &mut Vec<T>, row: usize, default: T) {
        if values.capacity() <= row {
            self.reserve(values, (row + 1).saturating_sub(values.len()));
        }
        let some = row.saturating_add(self.step.into()).min(values.capacity());
        values.resize(some.max(row + 1), default);
    }

    /// The growth of the next column, after one of this many rows.
    pub(crate) fn again(self, rows: usize) -> Self {
        Self { hint: u32::try_from(rows).unwrap_or(u32::MAX), ..self }
    }

    /// Takes a column of this many rows, without much memory that is not used.
    pub(crate) fn take<T: Copy>(values: &mut Vec<T>, rows: usize, default: T) -> Vec<T> {
        let mut values = std::mem::take(values);
        if values.capacity() < rows {
            values.reserve_exact(rows - values.len());
        }
        values.resize(rows, default);
        if values.capacity() - rows > rows / 8 + 64 {
            values.shrink_to_fit();
        }
        values
    }
}

/// The bytes that a vector takes in a batch of this many rows: none if nothing came for it, and it may be [`Zeros`] then.
pub(crate) fn size_of<T>(values: &Vec<T>, rows: usize, may_be_zeros: bool) -> usize {
    if values.is_empty() && may_be_zeros { 0 } else { values.capacity().max(rows) * std::mem::size_of::<T>() }
}

/// The memory of the column of the last batch, for the next one if nothing refers to it any more.
///
/// The allocator gives the memory of a dropped batch back to the system, which clears it page by page for the next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spare(Option<Buffer>);

impl Spare {
    /// The values as a buffer, whose memory is kept.
    pub(crate) fn keep<T: ArrowNativeType>(&mut self, values: Vec<T>) -> Buffer {
        let buffer = Buffer::from_vec(values);
        self.0 = Some(buffer.clone());
        buffer
    }

    /// An empty vector.
    pub(crate) fn take<T: ArrowNativeType>(&mut self) -> Vec<T> {
        let kept = self.0.take().and_then(|buffer| buffer.into_vec().ok());
        let mut values: Vec<T> = kept.unwrap_or_default();
        values.clear();
        values
    }
}

/// A column of numbers. Rows that are left out hold the default.
#[derive(Clone, Debug)]
pub(crate) struct Numbers<T> {
    values: Vec<T>,
    spare: Spare,
    valid: Bits,
    default: T,
    growth: Growth,
    nullable: bool,
}

impl<T: ArrowNativeType> Numbers<T> {
    pub(crate) fn new(nullable: bool, default: T, growth: Growth) -> Self {
        let (values, spare, valid) = Default::default();
        Self { values, spare, valid, default, growth, nullable }
    }

    /// The number of values that were [appended](Growth::appended).
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Sets the value of a row, which is the last one, or comes after it.
    #[inline(always)]
    pub(crate) fn set(&mut self, row: usize, value: T) {
        match self.values.get_mut(row) {
            Some(to) => *to = value,
            None => self.set_slowly(row, value),
        }
        if self.nullable {
            self.valid.set(row);
        }
    }

    #[cold]
    #[inline(never)]
    fn set_slowly(&mut self, row: usize, value: T) {
        if self.values.capacity() == 0 {
            self.values = self.spare.take();
        }
        self.growth.make(&mut self.values, row, self.default);
        if let Some(to) = self.values.get_mut(row) {
            *to = value;
        }
    }

    /// Makes sure that a row has a value: what it has, or the default.
    pub(crate) fn touch(&mut self, row: usize) {
        let value = self.get(row);
        self.set(row, value);
    }

    /// Appends values. The column is not nullable.
    #[inline(always)]
    pub(crate) fn extend(&mut self, values: &[T]) {
        if self.values.capacity() - self.values.len() < values.len() {
            self.reserve(values.len());
        }
        self.values.extend_from_slice(values);
    }

    /// Appends a value. The column is not nullable.
    #[inline(always)]
    pub(crate) fn append(&mut self, value: T) {
        if self.values.len() == self.values.capacity() {
            self.reserve(1);
        }
        self.values.push(value);
    }

    /// Makes room for values to be appended: as many as the last batch had, or twice as many as there are.
    #[cold]
    #[inline(never)]
    fn reserve(&mut self, count: usize) {
        if self.values.capacity() == 0 {
            self.values = self.spare.take();
        }
        self.growth.reserve(&mut self.values, count);
    }

    /// As [`extend`](Self::extend).
    #[inline(always)]
    pub(crate) fn extend_from(&mut self, values: impl ExactSizeIterator<Item = T>) {
        if self.values.capacity() - self.values.len() < values.len() {
            self.reserve(values.len());
        }
        self.values.extend(values);
    }

    pub(crate) fn get(&self, row: usize) -> T {
        self.values.get(row).copied().unwrap_or(self.default)
    }

    pub(crate) fn truncate(&mut self, rows: usize) {
        self.values.truncate(rows);
        self.valid.truncate(rows);
    }

    /// The column with this many rows; an empty one stays.
    pub(crate) fn take<A: ArrowPrimitiveType<Native = T>>(
        &mut self,
        rows: usize,
        zeros: &mut Zeros,
    ) -> PrimitiveArray<A> {
        let nulls = if self.nullable { self.valid.take_nulls(rows, zeros) } else { None };
        if self.values.is_empty() && self.may_be_zeros() {
            return PrimitiveArray::new(zeros.get(rows), nulls);
        }
        let values = Growth::take(&mut self.values, rows, self.default);
        self.growth = self.growth.again(rows);
        PrimitiveArray::new(ScalarBuffer::new(self.spare.keep(values), 0, rows), nulls)
    }

    /// Whether rows that are left out hold zeros, or are null.
    fn may_be_zeros(&self) -> bool {
        self.nullable || self.default.to_byte_slice().iter().all(|&byte| byte == 0)
    }

    /// The bytes that it takes in a batch of this many rows.
    pub(crate) fn size(&self, rows: usize) -> usize {
        size_of(&self.values, rows, self.may_be_zeros()) + self.valid.size()
    }
}

/// A column of `bool`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bools {
    bits: Bits,
    len: usize,
    valid: Bits,
    nullable: bool,
    default: bool,
}

impl Bools {
    pub(crate) fn new(nullable: bool, default: bool) -> Self {
        Self { nullable, default, ..Self::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(crate) fn set(&mut self, row: usize, value: bool) {
        self.fill(row);
        if value {
            self.bits.set(row);
        } else {
            self.bits.unset(row);
        }
        self.len = row + 1;
        if self.nullable {
            self.valid.set(row);
        }
    }

    /// Appends a value. The column is not nullable.
    pub(crate) fn append(&mut self, value: bool) {
        self.set(self.len, value);
    }

    pub(crate) fn touch(&mut self, row: usize) {
        let value = self.get(row);
        self.set(row, value);
    }

    pub(crate) fn get(&self, row: usize) -> bool {
        if row < self.len { self.bits.get(row) } else { self.default }
    }

    #[inline]
    fn fill(&mut self, rows: usize) {
        if self.default {
            (self.len..rows).for_each(|row| self.bits.set(row));
        }
        self.len = self.len.max(rows);
    }

    pub(crate) fn truncate(&mut self, rows: usize) {
        self.len = self.len.min(rows);
        self.bits.truncate(rows);
        self.valid.truncate(rows);
    }

    pub(crate) fn take(&mut self, rows: usize, zeros: &mut Zeros) -> BooleanArray {
        self.fill(rows);
        self.len = 0;
        let nulls = if self.nullable { self.valid.take_nulls(rows, zeros) } else { None };
        BooleanArray::new(self.bits.take(rows, zeros), nulls)
    }

    /// The bytes that it takes in a batch of any number of rows.
    pub(crate) fn size(&self) -> usize {
        self.bits.size() + self.valid.size()
    }
}

/// A column of `Timestamp` or `Duration`, and the parts of the value that is being read.
#[derive(Clone, Debug)]
pub(crate) struct Times {
    pub(crate) values: Numbers<i64>,
    pub(crate) seconds: i64,
    pub(crate) nanos: i32,
    unit: TimeUnit,
    is_timestamp: bool,
}

impl Times {
    pub(crate) fn new(values: Numbers<i64>, unit: TimeUnit, is_timestamp: bool) -> Self {
        Self { values, seconds: 0, nanos: 0, unit, is_timestamp }
    }

    /// A value begins, or goes on if the row has one.
    pub(crate) fn begin(&mut self, row: usize) {
        if self.values.len() <= row {
            (self.seconds, self.nanos) = (0, 0);
            self.values.set(row, 0);
        }
    }

    /// A value ends; false if it does not fit.
    pub(crate) fn end(&mut self, row: usize) -> bool {
        let value = self.value();
        self.values.set(row, value.unwrap_or(0));
        value.is_some()
    }

    /// The value in its unit: the whole of it is rounded, so parts of different signs, which are not valid but decode, count for what they are together.
    fn value(&self) -> Option<i64> {
        let divisor = match self.unit {
            TimeUnit::Second => 1_000_000_000,
            TimeUnit::Millisecond => 1_000_000,
            TimeUnit::Microsecond => 1_000,
            TimeUnit::Nanosecond => 1,
        };
        let total = i128::from(self.seconds) * 1_000_000_000 + i128::from(self.nanos);
        // A division of 128 bits is a call.
        if let Ok(total) = i64::try_from(total) {
            return Some(if self.is_timestamp { total.div_euclid(divisor) } else { total / divisor });
        }
        let divisor = i128::from(divisor);
        i64::try_from(if self.is_timestamp { total.div_euclid(divisor) } else { total / divisor }).ok()
    }

    pub(crate) fn unit(&self) -> (TimeUnit, bool) {
        (self.unit, self.is_timestamp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_doubles_up_to_a_full_batch() {
        for (most, room) in [(10, [10, 10, 10]), (100, [64, 100, 100]), (usize::MAX, [64, 128, 8192])] {
            let (growth, mut values) = (Growth::by_row(most), Vec::<u64>::new());
            let mut made = Vec::new();
            for row in 0..most.min(5000) {
                growth.make(&mut values, row, 7);
                made.push(values.capacity());
            }
            let at = |row: usize| made[row.min(made.len() - 1)];
            assert_eq!([at(0), at(64), at(4999)], room);
        }
    }
}
