//! Packed runs.

use super::super::batch::Batch;
use super::{Closed, Op, Run, window};
use crate::fence::cpu::{Bits, Task};
use tablepb::wire::{unzigzag32, unzigzag64};

/// Longer runs go to the visitor, which has kernels for them.
const LONG: usize = 128;

/// Reads a packed run of some bytes, which is not empty, into the column of its slot; false to give up. Other bytes may follow it.
pub(super) struct Packed;

impl<'r> Task<&'r mut Batch, Run, Option<&'r Closed>, (&'r [u8], usize)> for Packed {
    type Out = bool;

    #[inline(always)]
    fn run(
        bits: impl Bits,
        batch: &mut Batch,
        run: Run,
        closed: Option<&Closed>,
        (input, len): (&[u8], usize),
    ) -> bool {
        let Some(slot) = batch.table.get(run.at as usize) else { return false };
        let row = batch.row;
        let Some(list) = batch.stores.lists.get_mut(slot.list as usize) else { return false };
        let to = slot.column as usize;
        macro_rules! varints {
            ($store:ident, $value:expr) => {{
                let Some(column) = batch.stores.$store.get_mut(to) else { return false };
                list.open(row, column.len());
                varints(bits, input, len, |number| {
                    column.append($value(number));
                    true
                })
            }};
        }
        macro_rules! fixed {
            ($store:ident, $type:ty) => {{
                let Some(column) = batch.stores.$store.get_mut(to) else { return false };
                list.open(row, column.len());
                let Some((values, [])) = input.get(..len).map(<[u8]>::as_chunks) else { return false };
                column.extend_from(values.iter().map(|bytes| <$type>::from_le_bytes(*bytes)));
                true
            }};
        }
        match run.op {
            _ if len > LONG => false,
            Op::Int32 | Op::Enum => varints!(i32s, |number| number as i32),
            Op::ClosedEnum => {
                let (Some(closed), Some(column)) = (closed, batch.stores.i32s.get_mut(to)) else {
                    return false;
                };
                list.open(row, column.len());
                varints(bits, input, len, |number| {
                    column.append(number as i32);
                    closed.lists(number as i32)
                })
            }
            Op::Int64 => varints!(i64s, |number| number as i64),
            Op::Uint32 => varints!(u32s, |number| number as u32),
            Op::Uint64 => varints!(u64s, |number| number),
            Op::Sint32 => varints!(i32s, |number| unzigzag32(number as u32)),
            Op::Sint64 => varints!(i64s, unzigzag64),
            Op::Bool => varints!(bools, |number| number != 0),
            Op::Fixed32 => fixed!(u32s, u32),
            Op::Sfixed32 => fixed!(i32s, i32),
            Op::Float => fixed!(f32s, f32),
            Op::Fixed64 => fixed!(u64s, u64),
            Op::Sfixed64 => fixed!(i64s, i64),
            Op::Double => fixed!(f64s, f64),
            _ => false,
        }
    }
}

/// Reads varints one by one; false if the run is not whole, or one is not taken.
#[inline(always)]
fn varints(bits: impl Bits, input: &[u8], len: usize, mut append: impl FnMut(u64) -> bool) -> bool {
    let mut pos = 0;
    while pos < len {
        let Some(bytes) = input.get(pos..).and_then(<[u8]>::first_chunk) else { return false };
        let Some((number, more)) = window::varint(bits, bytes) else { return false };
        if !append(number) {
            return false;
        }
        pos += 1 + more;
    }
    pos == len
}
