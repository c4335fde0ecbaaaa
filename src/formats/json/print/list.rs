//! Lists of scalars.

use super::JsonPrinter;
use crate::engine::slab::RawView;
use crate::formats::numbers::put_element;
use crate::schema::pool::FormatField;
use crate::schema::program::{FieldEntry, Scalar};

impl JsonPrinter<'_, '_> {
    /// A list of scalars.
    pub(in crate::formats::json) fn scalars(
        &mut self,
        field: FormatField<'_>,
        entry: &FieldEntry,
        view: RawView<'_, '_>,
        slot: u32,
    ) {
        let (run, words) = (view.list(entry, slot).run(), entry.coding.words());
        if self.options.pretty || run.is_empty() {
            return self.any_scalars(field, entry, view, (run, words));
        }
        if words == 1 {
            self.words(field, entry, view, run);
        } else {
            self.pairs(field, entry, view, run);
        }
        self.out.byte(b']');
    }

    /// Elements of one word, of which there is at least one. Each kind has a loop of its own, and the bracket or comma before an
    /// element is written with it.
    fn words(&mut self, field: FormatField<'_>, entry: &FieldEntry, view: RawView<'_, '_>, run: &[u32]) {
        let mut before = b'[';
        let mut lead = || core::mem::replace(&mut before, b',');
        match entry.scalar() {
            Scalar::I32 => {
                for &word in run {
                    put_element::<false>(&mut self.out, lead(), (word as i32).into());
                }
            }
            Scalar::U32 => {
                for &word in run {
                    put_element::<false>(&mut self.out, lead(), word.into());
                }
            }
            Scalar::F32 => {
                for &word in run {
                    self.out.byte(lead());
                    self.float(f32::from_bits(word));
                }
            }
            _ => {
                for &word in run {
                    self.out.byte(lead());
                    self.any_scalar(field, entry, word.into(), view.store);
                }
            }
        }
    }

    /// As [`words`](Self::words), of two words.
    fn pairs(&mut self, field: FormatField<'_>, entry: &FieldEntry, view: RawView<'_, '_>, run: &[u32]) {
        let mut before = b'[';
        let mut lead = || core::mem::replace(&mut before, b',');
        let quoted = self.options.stringify_64_bit_integers;
        let all = run.as_chunks::<2>().0.iter().map(|[low, high]| u64::from(*low) | u64::from(*high) << 32);
        match entry.scalar() {
            Scalar::I64 if quoted => {
                for word in all {
                    put_element::<true>(&mut self.out, lead(), (word as i64).into());
                }
            }
            Scalar::U64 if quoted => {
                for word in all {
                    put_element::<true>(&mut self.out, lead(), word.into());
                }
            }
            Scalar::F64 => {
                for word in all {
                    self.out.byte(lead());
                    self.double(f64::from_bits(word));
                }
            }
            _ => {
                for word in all {
                    self.out.byte(lead());
                    self.any_scalar(field, entry, word, view.store);
                }
            }
        }
    }

    /// A list with elements on lines of their own, or without any.
    #[inline(never)]
    fn any_scalars(
        &mut self,
        field: FormatField<'_>,
        entry: &FieldEntry,
        view: RawView<'_, '_>,
        (run, words): (&[u32], u32),
    ) {
        let level = self.level();
        self.out.byte(b'[');
        for (element, value) in run.chunks_exact(words as usize).enumerate() {
            if element > 0 {
                self.out.byte(b',');
            }
            self.line(level + 1);
            let word = match *value {
                [low, high] => u64::from(low) | u64::from(high) << 32,
                _ => value.first().copied().unwrap_or_default().into(),
            };
            self.any_scalar(field, entry, word, view.store);
        }
        if !run.is_empty() {
            self.line(level);
        }
        self.out.byte(b']');
    }
}
