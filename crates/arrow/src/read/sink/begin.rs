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

    /// Begins a message in a plain field or a oneof, in the last row of its node; false if it is nested too deep.
    #[inline(always)]
    pub(in crate::read) fn begin_struct(&mut self, node: u32, resume: (u32, u32)) -> bool {
        let Some(of) = self.nodes.get_mut(node as usize) else { return false };
        if of.nullable {
            of.valid.set(self.row);
        }
        let base = of.base;
        self.resume = resume;
        self.enter(node, base, self.row);
        self.depth() <= self.max_depth
    }

    /// Begins an element of the list of messages of a slot, and gives its node.
    #[inline(always)]
    pub(in crate::read) fn begin_element(&mut self, at: usize) -> Option<u32> {
        let slot = *self.table.get(at)?;
        let of = self.nodes.get_mut(slot.column as usize)?;
        let (row, base, width) = (of.count, of.base, of.width);
        of.count += 1;
        if of.nullable {
            of.valid.set(row);
        }
        self.stores.lists.get_mut(slot.list as usize)?.open(self.row, row);
        self.begin_in_list(slot.column, base, (row, width))
    }

    /// Begins an entry of the map of a slot, and gives its node.
    #[inline(always)]
    pub(in crate::read) fn begin_map_entry(&mut self, at: usize) -> Option<u32> {
        let slot = *self.table.get(at)?;
        let of = self.nodes.get_mut(slot.column as usize)?;
        let (row, base, width) = (of.count, of.base, of.width);
        of.count += 1;
        let list = self.stores.lists.get_mut(slot.list as usize)?;
        list.open(self.row, row);
        if list.starts.last().is_some_and(|&start| row == start as usize + 1) {
            self.maps.push((slot.list, self.row));
        }
        self.begin_in_list(slot.column, base, (row, width))
    }

    #[inline(always)]
    fn begin_in_list(&mut self, node: u32, base: usize, (row, width): (usize, usize)) -> Option<u32> {
        if !self.spend(width) {
            return None;
        }
        self.enter(node, base, row);
        (self.depth() <= self.max_depth).then_some(node)
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
    pub(in crate::read) fn begin_rare(&mut self, at: usize) -> Step {
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
        self.enter(slot.column | TIME, self.base_of(slot.column), row);
        Some(Step::Enter)
    }

    /// Ends a time, or a message that is ignored.
    #[inline(never)]
    pub(in crate::read) fn end_time(&mut self, node: u32, row: usize) {
        if let Some(node) = self.nodes.get((node & !TIME) as usize)
            && let Some(column) = self.stores.times.get_mut(node.time as usize)
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
