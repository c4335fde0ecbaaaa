//! Packed runs.
//!
//! ```text
//! run(pos, end):
//!     until pos == end:
//!         decode up to 256 values into a buffer by a kernel         # wire/kernels, chosen for the processor
//!         hand them over as a slice
//! ```
//!
//! Nothing is counted first, because nothing has to grow. Numbers of closed enums go one by one, since those that the enum does not
//! list leave the run.

use super::state::{VisitFault, VisitRun};
use super::{Field, Sink};
use crate::schema::program::{Coding, FieldEntry, Scalar};
use crate::wire::error::DecodeErrorKind as Kind;
use crate::wire::kernels::{self, Bool, Plain, VarintForm, Zigzag};
use crate::wire::read::raw;

/// The values handed over at once, in long runs and in short ones: a buffer is cleared for each run.
const STEP: usize = 256;
const SHORT: usize = 16;

impl<'i, S: Sink<'i> + ?Sized> VisitRun<'_, '_, 'i, S> {
    /// Visits a packed run between two offsets, which is not empty.
    #[inline(never)]
    pub(super) fn run(
        &mut self,
        field: Field<'_>,
        entry: &FieldEntry,
        start: usize,
        end: usize,
    ) -> Result<(), VisitFault> {
        match (entry.coding, entry.scalar()) {
            (Coding::Fixed32, Scalar::F32) => {
                self.fixed::<4, _>(start, end, f32::from_le_bytes, |sink, values| sink.f32s(field, values))
            }
            (Coding::Fixed32, Scalar::I32) => {
                self.fixed::<4, _>(start, end, i32::from_le_bytes, |sink, values| sink.i32s(field, values))
            }
            (Coding::Fixed32, _) => {
                self.fixed::<4, _>(start, end, u32::from_le_bytes, |sink, values| sink.u32s(field, values))
            }
            (Coding::Fixed64, Scalar::F64) => {
                self.fixed::<8, _>(start, end, f64::from_le_bytes, |sink, values| sink.f64s(field, values))
            }
            (Coding::Fixed64, Scalar::I64) => {
                self.fixed::<8, _>(start, end, i64::from_le_bytes, |sink, values| sink.i64s(field, values))
            }
            (Coding::Fixed64, _) => {
                self.fixed::<8, _>(start, end, u64::from_le_bytes, |sink, values| sink.u64s(field, values))
            }
            (Coding::Varint64, Scalar::I64) => self.varints::<2, Plain, _>(
                start,
                end,
                |words| long(words) as i64,
                |sink, v| sink.i64s(field, v),
            ),
            (Coding::Varint64, _) => {
                self.varints::<2, Plain, _>(start, end, long, |sink, values| sink.u64s(field, values))
            }
            (Coding::Sint64, _) => self.varints::<2, Zigzag, _>(
                start,
                end,
                |words| long(words) as i64,
                |sink, v| sink.i64s(field, v),
            ),
            (Coding::Sint32, _) => {
                self.varints::<1, Zigzag, _>(start, end, |[word]| word as i32, |sink, v| sink.i32s(field, v))
            }
            (Coding::Bool, _) => {
                self.varints::<1, Bool, _>(start, end, |[word]| word != 0, |sink, v| sink.bools(field, v))
            }
            (Coding::ClosedEnum, _) => self.closed_enum(field, entry, start, end),
            (_, Scalar::Enum) => self.varints::<1, Plain, _>(
                start,
                end,
                |[word]| word as i32,
                |sink, v| sink.enum_numbers(field, v),
            ),
            (_, Scalar::I32) => {
                self.varints::<1, Plain, _>(start, end, |[word]| word as i32, |sink, v| sink.i32s(field, v))
            }
            // The words of the kernel are the values.
            _ if end - start > SHORT => self.words::<1, Plain, STEP>(start, end, |sink, words| {
                sink.u32s(field, words.as_flattened());
            }),
            _ => self.varints::<1, Plain, _>(start, end, |[word]| word, |sink, v| sink.u32s(field, v)),
        }
    }

    #[inline(always)]
    fn fixed<const N: usize, T: Copy + Default>(
        &mut self,
        start: usize,
        end: usize,
        value: impl Fn([u8; N]) -> T,
        hand_over: impl Fn(&mut S, &[T]),
    ) -> Result<(), VisitFault> {
        let (values, rest) = self.job.input.get(start..end).unwrap_or_default().as_chunks::<N>();
        if !rest.is_empty() {
            return Err((Kind::InvalidPacked, start));
        }
        let mut buffer = [T::default(); STEP];
        for part in values.chunks(STEP) {
            for (to, from) in buffer.iter_mut().zip(part) {
                *to = value(*from);
            }
            hand_over(self.sink, buffer.get(..part.len()).unwrap_or_default());
        }
        Ok(())
    }

    #[inline(always)]
    fn varints<const W: usize, F: VarintForm, T: Copy + Default>(
        &mut self,
        start: usize,
        end: usize,
        value: impl Fn([u32; W]) -> T,
        hand_over: impl Fn(&mut S, &[T]),
    ) -> Result<(), VisitFault> {
        // Up to eight bytes are one word, which needs no kernel.
        if let Some((run, count)) = kernels::short(self.job.input, start, end) {
            let (mut words, mut values) = ([[0; W]; 8], [T::default(); 8]);
            let words = words.get_mut(..count).unwrap_or_default();
            kernels::decode_short::<W, F>(run, words);
            for (to, from) in values.iter_mut().zip(&*words) {
                *to = value(*from);
            }
            hand_over(self.sink, values.get(..count).unwrap_or_default());
            return Ok(());
        }
        if end - start <= SHORT {
            self.parts::<W, F, T, SHORT>(start, end, value, hand_over)
        } else {
            self.parts::<W, F, T, STEP>(start, end, value, hand_over)
        }
    }

    #[inline(always)]
    fn parts<const W: usize, F: VarintForm, T: Copy + Default, const AT_ONCE: usize>(
        &mut self,
        start: usize,
        end: usize,
        value: impl Fn([u32; W]) -> T,
        hand_over: impl Fn(&mut S, &[T]),
    ) -> Result<(), VisitFault> {
        let mut values = [T::default(); AT_ONCE];
        self.words::<W, F, AT_ONCE>(start, end, |sink, words| {
            for (to, from) in values.iter_mut().zip(words) {
                *to = value(*from);
            }
            hand_over(sink, values.get(..words.len()).unwrap_or_default());
        })
    }

    /// Decodes a run in parts of at most `AT_ONCE` values.
    #[inline(always)]
    fn words<const W: usize, F: VarintForm, const AT_ONCE: usize>(
        &mut self,
        start: usize,
        end: usize,
        mut hand_over: impl FnMut(&mut S, &[[u32; W]]),
    ) -> Result<(), VisitFault> {
        let (mut words, mut pos) = ([[0; W]; AT_ONCE], start);
        while pos < end {
            let part = kernels::decode_some::<W, F>(self.job.input, pos, end, &mut words);
            if part.done == 0 {
                return Err((Kind::Overrun, part.pos));
            }
            hand_over(self.sink, words.get(..part.done).unwrap_or_default());
            pos = part.pos;
        }
        Ok(())
    }

    fn closed_enum(
        &mut self,
        field: Field<'_>,
        entry: &FieldEntry,
        start: usize,
        end: usize,
    ) -> Result<(), VisitFault> {
        let run = self.job.input.get(..end).unwrap_or_default();
        let mut pos = start;
        while pos < end {
            let (value, next) = raw::varint(run, pos).map_err(|kind| (kind, pos))?;
            if self.job.set.enum_contains(entry.sub, value as i32) {
                self.sink.enum_number(field, value as i32);
            } else {
                self.unlisted(field.program(), entry.number() << 3, pos, next);
            }
            pos = next;
        }
        Ok(())
    }
}

/// Two words, low one first.
#[inline(always)]
fn long([low, high]: [u32; 2]) -> u64 {
    u64::from(low) | u64::from(high) << 32
}
