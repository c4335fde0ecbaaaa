//! [`Zeros`]: what columns share for which nothing came.

use arrow_array::ArrayRef;
use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer, ScalarBuffer};
use arrow_schema::ArrowError;

/// Zeros, which are the values, validity and offsets of columns for which nothing came: such columns cost no memory, however many there are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Zeros(Option<Buffer>, Option<(Form, ArrayRef)>);

/// Rows of a column of bytes, whether they are views, whether they are null, and whether they are text.
type Form = (usize, bool, bool, bool);

impl Zeros {
    fn bytes(&mut self, len: usize) -> Buffer {
        match &self.0 {
            Some(zeros) if zeros.len() >= len => zeros.slice_with_length(0, len),
            _ => {
                // Aligned for values of any type.
                let zeros = Buffer::from_vec(vec![0_u128; len.div_ceil(16)]);
                self.0 = Some(zeros.clone());
                zeros.slice_with_length(0, len)
            }
        }
    }

    /// The column of bytes of this form, which Arrow checks once: thousands of columns would take the time of all their rows.
    pub(crate) fn array(
        &mut self,
        form: Form,
        make: impl FnOnce(&mut Self) -> Result<ArrayRef, ArrowError>,
    ) -> Result<ArrayRef, ArrowError> {
        match &self.1 {
            Some((known, array)) if *known == form => Ok(array.clone()),
            _ => {
                let array = make(self)?;
                self.1 = Some((form, array.clone()));
                Ok(array)
            }
        }
    }

    /// As many zeros.
    pub(crate) fn get<T: ArrowNativeType>(&mut self, count: usize) -> ScalarBuffer<T> {
        ScalarBuffer::new(self.bytes(count * size_of::<T>()), 0, count)
    }

    /// As many bits that are not set.
    pub(crate) fn bits(&mut self, count: usize) -> BooleanBuffer {
        BooleanBuffer::new(self.bytes(count.div_ceil(64) * 8), 0, count)
    }
}
