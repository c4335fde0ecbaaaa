//! The fields of a message into columns.

mod begin;

use super::batch::{Batch, Fault, How, Slot, SlotKind, TIME};
use tablepb::visit::{Field, Sink, Step};
use tablepb::wire::Tag;

impl Batch {
    /// The place of a field in the table.
    #[inline(always)]
    fn at(&self, field: Field<'_>) -> usize {
        self.base + field.index()
    }

    #[inline(always)]
    fn slot(&self, at: usize) -> Slot {
        self.table.get(at).copied().unwrap_or(Slot::ABSENT)
    }

    /// The column of a plain field, by its place in the table.
    #[inline(always)]
    fn plain(&self, at: usize) -> usize {
        self.plain.get(at).map_or(usize::MAX, |&column| column as usize)
    }

    /// An enum as a name or in a dictionary.
    #[inline(never)]
    fn named(&mut self, slot: Slot, value: i32) {
        let at = slot.column as usize;
        let len = match slot.kind {
            SlotKind::Name => self.stores.names.get(at).map_or(0, |column| column.texts.len()),
            _ => self.stores.dictionaries.get(at).map_or(0, |column| column.keys.len()),
        };
        let Some(row) = self.place(slot, len) else { return };
        let added = match slot.kind {
            SlotKind::Name => self.stores.names.get_mut(at).and_then(|column| column.set(row, value)),
            _ => self.stores.dictionaries.get_mut(at).map(|column| column.set(row, value)),
        };
        match added {
            Some(0) => {}
            Some(bytes) => _ = self.spend(bytes),
            None => self.fail(Fault::Full),
        }
    }

    /// A message that is kept as bytes or as JSON, in a field by its place in the table.
    pub(in crate::read) fn cut(&mut self, at: usize, content: &[u8]) {
        let slot = self.slot(at);
        let depth = self.max_depth.saturating_sub(self.depth() + 1);
        let at = slot.column as usize;
        let Some((len, json)) = self.stores.gathered.get(at).map(|column| (column.len(), column.is_json()))
        else {
            return;
        };
        let Some(row) = self.place(slot, len) else { return };
        if json {
            return self.cut_json(at, row, depth, content);
        }
        if let Some(check) = self.stores.checks.get_mut(at)
            && let Some((decoder, options)) = check.take()
        {
            let mut decoder = decoder.with_options(options.max_depth(depth));
            let valid = decoder.visit(content, &mut Nothing).is_ok();
            *check = Some((decoder, options));
            if !valid {
                return self.fail(Fault::Invalid);
            }
        }
        if let Some(column) = self.stores.gathered.get_mut(at)
            && !column.append(row, [content, &[]])
        {
            self.fail(Fault::Full);
        }
    }

    /// A message that becomes JSON. One that comes in parts is put together first, for the parts of its JSON are not the JSON of the whole.
    #[inline(never)]
    fn cut_json(&mut self, at: usize, row: usize, depth: u32, content: &[u8]) {
        let (Some(column), Some(check)) = (self.stores.gathered.get_mut(at), self.stores.checks.get_mut(at))
        else {
            return;
        };
        if row < column.len() {
            return self.fail(Fault::OutOfOrder);
        }
        let Some((decoder, options)) = check.take() else { return };
        let mut json = Vec::new();
        let mut decoder = decoder.with_options(options.max_depth(depth));
        let printed = decoder.decode(content).map(|message| tablepb::json::append(&mut json, &message));
        let fault = match printed {
            Ok(Ok(())) if column.append(row, [&json, &[]]) => None,
            Ok(Ok(())) => Some(Fault::Full),
            Ok(Err(_)) => Some(Fault::NoJson),
            Err(_) => Some(Fault::Invalid),
        };
        *check = Some((decoder, options));
        match fault {
            Some(fault) => self.fail(fault),
            None => _ = self.spend(json.len()),
        }
    }

    /// A field of a time.
    #[inline(never)]
    fn time_part(&mut self, slot: Slot, value: i64) {
        if let Some(column) = self.stores.times.get_mut(slot.column as usize) {
            match slot.kind {
                SlotKind::Seconds => column.seconds = value,
                _ => column.nanos = value as i32,
            }
        }
    }
}

/// One number. Most fields are plain: nothing is copied or called for them.
macro_rules! number {
    ($store:ident, $rare:ident, $this:ident, $field:ident, $value:ident) => {{
        let at = $this.at($field);
        let plain = $this.plain(at);
        match $this.stores.$store.get_mut(plain) {
            Some(column) => column.set($this.row, $value),
            None => $this.$rare(at, $value),
        }
    }};
}

/// One string or bytes.
macro_rules! text {
    ($set:ident, $rare:ident, $this:ident, $field:ident, $value:ident) => {{
        let at = $this.at($field);
        let plain = $this.plain(at);
        match $this.stores.texts.get_mut(plain) {
            Some(column) => {
                if !column.$set($this.row, $value, $this.source) {
                    $this.fail(Fault::Full);
                }
            }
            None => $this.$rare(at, $value),
        }
    }};
}

/// The same, in a field that is not plain.
macro_rules! rare_text {
    ($set:ident, $this:ident, $at:ident, $value:ident) => {{
        let slot = $this.slot($at);
        let len = $this.stores.texts.get(slot.column as usize).map_or(0, |column| column.len());
        let Some(row) = $this.place(slot, len) else { return };
        if let Some(column) = $this.stores.texts.get_mut(slot.column as usize)
            && !column.$set(row, $value, $this.source)
        {
            $this.fail(Fault::Full);
        }
    }};
}

/// One number that is not in a plain field.
macro_rules! rare_number {
    ($store:ident, $this:ident, $slot:expr, $value:ident) => {{
        let slot = $slot;
        let len = $this.stores.$store.get(slot.column as usize).map_or(0, |column| column.len());
        let Some(row) = $this.place(slot, len) else { return };
        if let Some(column) = $this.stores.$store.get_mut(slot.column as usize) {
            column.set(row, $value);
        }
    }};
}

/// Elements of a list.
macro_rules! run {
    ($store:ident, $this:ident, $slot:expr, $values:ident) => {{
        let slot = $slot;
        let Some(column) = $this.stores.$store.get_mut(slot.column as usize) else { return };
        let Some(list) = $this.stores.lists.get_mut(slot.list as usize) else { return };
        list.open($this.row, column.len());
        column.extend($values);
    }};
}

macro_rules! rare {
    ($($rare:ident, $store:ident, $type:ty;)*) => {$(
        #[inline(never)]
        pub(in crate::read) fn $rare(&mut self, at: usize, value: $type) {
            rare_number!($store, self, self.slot(at), value);
        }
    )*};
}

/// Values of fields that are not plain: in lists, oneofs and times, or without a column.
impl Batch {
    rare! {
        rare_bool, bools, bool;
        rare_u32, u32s, u32;
        rare_u64, u64s, u64;
        rare_f32, f32s, f32;
        rare_f64, f64s, f64;
    }

    #[inline(never)]
    pub(in crate::read) fn rare_i32(&mut self, at: usize, value: i32) {
        let slot = self.slot(at);
        if slot.kind != SlotKind::Value {
            return self.time_part(slot, value.into());
        }
        rare_number!(i32s, self, slot, value);
    }

    #[inline(never)]
    pub(in crate::read) fn rare_i64(&mut self, at: usize, value: i64) {
        let slot = self.slot(at);
        if slot.kind != SlotKind::Value {
            return self.time_part(slot, value);
        }
        rare_number!(i64s, self, slot, value);
    }

    #[inline(never)]
    pub(in crate::read) fn rare_enum(&mut self, at: usize, value: i32) {
        let slot = self.slot(at);
        if slot.kind != SlotKind::Value {
            return self.named(slot, value);
        }
        rare_number!(i32s, self, slot, value);
    }

    #[inline(never)]
    pub(in crate::read) fn rare_str(&mut self, at: usize, value: &str) {
        rare_text!(set_str, self, at, value);
    }

    #[inline(never)]
    pub(in crate::read) fn rare_bytes(&mut self, at: usize, value: &[u8]) {
        rare_text!(set_bytes, self, at, value);
    }
}

macro_rules! sink {
    ($($one:ident, $run:ident, $type:ty, $store:ident, $rare:ident;)*) => {$(
        #[inline(always)]
        fn $one(&mut self, field: Field<'_>, value: $type) {
            number!($store, $rare, self, field, value);
        }

        #[inline]
        fn $run(&mut self, field: Field<'_>, values: &[$type]) {
            run!($store, self, self.slot(self.at(field)), values);
        }
    )*};
}

impl<'i> Sink<'i> for Batch {
    sink! {
        u32, u32s, u32, u32s, rare_u32;
        u64, u64s, u64, u64s, rare_u64;
        f32, f32s, f32, f32s, rare_f32;
        f64, f64s, f64, f64s, rare_f64;
    }

    #[inline]
    fn bool(&mut self, field: Field<'_>, value: bool) {
        number!(bools, rare_bool, self, field, value);
    }

    #[inline(always)]
    fn i32(&mut self, field: Field<'_>, value: i32) {
        number!(i32s, rare_i32, self, field, value);
    }

    #[inline]
    fn i32s(&mut self, field: Field<'_>, values: &[i32]) {
        run!(i32s, self, self.slot(self.at(field)), values);
    }

    #[inline(always)]
    fn i64(&mut self, field: Field<'_>, value: i64) {
        number!(i64s, rare_i64, self, field, value);
    }

    #[inline]
    fn i64s(&mut self, field: Field<'_>, values: &[i64]) {
        run!(i64s, self, self.slot(self.at(field)), values);
    }

    #[inline(always)]
    fn enum_number(&mut self, field: Field<'_>, value: i32) {
        number!(i32s, rare_enum, self, field, value);
    }

    fn enum_numbers(&mut self, field: Field<'_>, values: &[i32]) {
        let slot = self.slot(self.at(field));
        if slot.kind != SlotKind::Value {
            for &value in values {
                if self.fault.is_some() {
                    break;
                }
                self.named(slot, value);
            }
            return;
        }
        run!(i32s, self, slot, values);
    }

    #[inline(always)]
    fn str(&mut self, field: Field<'_>, value: &'i str) {
        text!(set_str, rare_str, self, field, value);
    }

    #[inline(always)]
    fn bytes(&mut self, field: Field<'_>, value: &'i [u8]) {
        text!(set_bytes, rare_bytes, self, field, value);
    }

    #[inline(always)]
    fn begin(&mut self, field: Field<'_>) -> Step {
        let at = self.at(field);
        if let Some(slot) = self.table.get(at)
            && matches!((slot.kind, slot.how), (SlotKind::Struct, How::Plain))
            && let Some(node) = self.nodes.get_mut(slot.column as usize)
        {
            if node.nullable {
                node.valid.set(self.row);
            }
            let (of, base) = (slot.column, node.base);
            self.enter(of, base, self.row);
            return Step::Enter;
        }
        self.begin_rare(at)
    }

    #[inline]
    fn end(&mut self, _: Field<'_>) {
        let Some((node, row)) = self.leave() else { return };
        if node & TIME != 0 {
            self.end_time(node, row);
        }
    }

    fn content(&mut self, field: Field<'_>, content: &'i [u8]) {
        self.cut(self.at(field), content);
    }

    fn unknown(&mut self, tag: Tag, value: &'i [u8]) {
        let Some(node) = self.nodes.get(self.node as usize) else { return };
        let Some(column) = self.stores.gathered.get_mut(node.unknown as usize) else { return };
        let mut bytes = [0; 5];
        let len = put_tag(tag, &mut bytes);
        if !column.append(self.row, [bytes.get(..len).unwrap_or_default(), value]) {
            self.fail(Fault::Full);
        }
    }
}

/// A tag as a varint; its length.
fn put_tag(tag: Tag, bytes: &mut [u8; 5]) -> usize {
    let mut left = tag.get();
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = left as u8 & 0x7f | if left > 0x7f { 0x80 } else { 0 };
        left >>= 7;
        if left == 0 {
            return at + 1;
        }
    }
    bytes.len()
}

/// A message that is only checked.
struct Nothing;

impl Sink<'_> for Nothing {}
