//! Messages that begin and end.

use super::super::batch::{Batch, Fault, How, IGNORED, NONE, Scalar, Slot, SlotKind, TIME};
use tablepb::visit::Step;

impl Batch {
    /// Begins a message that is not a plain field, or says that it is to be ignored.
    #[inline(always)]
    fn begin_message(&mut self, slot: Slot) -> Option<Step> {
        let node = slot.column;
        let count = self.nodes.get(node as usize)?.count;
        let row = self.place(slot, count)?;
        let of = self.nodes.get_mut(node as usize)?;
        let (base, width) = (of.base, of.width);
        if of.nullable {
            of.valid.set(row);
        }
        if slot.how == How::List || slot.how == How::Union && row == count {
            of.count += 1;
            if !self.spend(width) {
                return None;
            }
        }
        self.enter(node, base, row);
        Some(Step::Enter)
    }

    /// Begins an entry of a map.
    #[inline(always)]
    fn begin_entry(&mut self, slot: Slot) -> Option<Step> {
        let of = self.nodes.get_mut(slot.column as usize)?;
        let (base, count, width) = (of.base, of.count, of.width);
        of.count += 1;
        let list = self.stores.lists.get_mut(slot.list as usize)?;
        list.open(self.row, count);
        // Keys are compared at the end of the row, where there is more than one.
        if list.starts.last().is_some_and(|&start| count == start as usize + 1) {
            self.maps.push((slot.list, self.row));
        }
        if !self.spend(width) {
            return None;
        }
        self.enter(slot.column, base, count);
        Some(Step::Enter)
    }

    /// Begins a message that is not a plain field.
    #[inline(never)]
    pub(super) fn begin_rare(&mut self, at: usize) -> Step {
        let slot = self.slot(at);
        let step = match slot.kind {
            SlotKind::Struct => self.begin_message(slot),
            SlotKind::Map => self.begin_entry(slot),
            SlotKind::Time(column) => self.begin_time(slot, column),
            SlotKind::Wrapper(scalar, column) => self.begin_wrapper(slot, scalar, column),
            SlotKind::Cut => return Step::Content,
            _ => self.place(slot, 0).and(None),
        };
        step.unwrap_or_else(|| {
            // Its content is checked, and ignored.
            self.enter(NONE, IGNORED, 0);
            Step::Enter
        })
    }

    fn begin_time(&mut self, slot: Slot, column: u32) -> Option<Step> {
        let len = self.stores.times.get(column as usize)?.values.len();
        let row = self.place(slot, len)?;
        self.stores.times.get_mut(column as usize)?.begin(row);
        self.enter(column | TIME, self.base_of(slot.column), row);
        Some(Step::Enter)
    }

    /// Ends a time, or a message that is ignored.
    #[inline(never)]
    pub(super) fn end_time(&mut self, node: u32, row: usize) {
        if node != NONE
            && let Some(column) = self.stores.times.get_mut((node & !TIME) as usize)
            && !column.end(row)
        {
            self.fail(Fault::Time);
        }
    }

    fn begin_wrapper(&mut self, slot: Slot, scalar: Scalar, column: u32) -> Option<Step> {
        let at = column as usize;
        macro_rules! touch {
            ($store:ident) => {{
                let len = self.stores.$store.get(at)?.len();
                let row = self.place(slot, len)?;
                self.stores.$store.get_mut(at)?.touch(row);
                row
            }};
        }
        let row = match scalar {
            Scalar::Bool => touch!(bools),
            Scalar::I32 => touch!(i32s),
            Scalar::I64 => touch!(i64s),
            Scalar::U32 => touch!(u32s),
            Scalar::U64 => touch!(u64s),
            Scalar::F32 => touch!(f32s),
            Scalar::F64 => touch!(f64s),
            Scalar::Text => touch!(texts),
        };
        self.enter(slot.column, self.base_of(slot.column), row);
        Some(Step::Enter)
    }
}
