//! Messages in messages, and maps.

use super::RecordWriter;
use super::bits::Bits;
use super::field::{Field, Flags, Slot};
use super::kind::{self, MapKey, Scalar};
use super::raw::Raw;
use super::repeated::Run;
use super::writer::in_field;
use crate::error::EncodeErrorKind;
use crate::message::Prepared;
use crate::table::Kind;
use crate::wire::{WireType, short_varint};

/// How deep messages may be nested, as everywhere by default.
const MAX_DEPTH: u32 = 100;

/// The message around the one that is being written.
struct Outer {
    skip: Bits,
    node: u32,
    /// Where the length of the inner message goes, and the bytes kept free for it.
    start: usize,
    width: usize,
    depth: u32,
    /// The buffer that is written to, by address: no two writers have the same.
    buffer: usize,
}

/// The tag of a field of a map entry: one byte, since its number is 1 or 2.
#[inline(always)]
const fn entry_tag(number: u8, wire_type: WireType) -> [u8; 8] {
    [number << 3 | wire_type as u8, 0, 0, 0, 0, 0, 0, 0]
}

const VALUE_MESSAGE: [u8; 8] = entry_tag(2, WireType::LengthDelimited);

impl RecordWriter<'_> {
    /// Writes a message, whose fields `write` appends, unless the field is singular and has been written.
    ///
    /// `write` is given this writer, which takes the handles of the nested message type then, those with dotted names,
    /// and no others. It is not called if the message is not written: for a field that is disabled, or singular and
    /// written already. A message without fields is written too. As many bytes are kept free for the length as the
    /// last message of the type took; the message is moved by the difference if that was wrong.
    ///
    /// Keeps the errors of [`set`](Self::set), and `DepthExceeded` for messages nested more than 100 deep; the entry of
    /// a map counts as a message, and so does a message that is its value. `Interrupted` if `write` panics, or leaves
    /// another writer in the place of the one it was given.
    ///
    /// ```
    /// use tablepb::{DescriptorPool, FieldTable, Kind, MessageTable, RecordPlan};
    ///
    /// static NAT: MessageTable = MessageTable::new("pkg.Nat", &[FieldTable::new("port", 1, Kind::Uint32)]);
    /// static FLOW: MessageTable =
    ///     MessageTable::new("pkg.Flow", &[FieldTable::new("nat", 1, Kind::Message(|| &NAT))]);
    /// let pool = DescriptorPool::from_tables(&[&FLOW])?;
    /// let plan = RecordPlan::new(&pool.get_message_by_name("pkg.Flow").unwrap());
    /// let (nat, port) = (plan.message("nat")?, plan.uint32("nat.port")?);
    /// let mut buf = Vec::new();
    /// let mut rec = plan.record(&mut buf);
    /// rec.message(nat, |rec| rec.set(port, 443));
    /// assert_eq!(rec.finish()?, b"\x05\x0a\x03\x08\xbb\x03");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn message(&mut self, field: Field<kind::Message>, write: impl FnOnce(&mut Self)) {
        let slot = field.slot;
        if self.admits(slot) {
            self.mark(slot);
            if let Some(outer) = self.enter(slot, slot.prefix.bytes(), slot.prefix.len(), 1) {
                write(self);
                self.leave(slot, outer, 1);
            }
        }
    }

    /// Writes a message that was encoded before, unless the field is singular and has been written.
    ///
    /// Its bytes are written as they are, fields that the plan disables in that message included.
    ///
    /// Keeps `WrongMessage` if the field is of another message type, by full name, `DepthExceeded` if a message in
    /// it would be more than 100 deep, `MissingRequired` if it was decoded without a required field, and the errors of
    /// [`set`](Self::set).
    #[inline]
    pub fn prepared<T>(&mut self, field: Field<kind::Message>, prepared: &Prepared<T>) {
        if self.admits(field.slot) {
            self.splice(field.slot, prepared);
        }
    }

    /// Appends an entry to a map. An entry with the same key replaces this one when the record is read.
    ///
    /// Key and value are written even if they are zero. Keeps the errors of [`set`](Self::set), and `DepthExceeded` in
    /// a message that is nested 100 deep.
    #[inline]
    pub fn insert<'k, 'v, K: MapKey, V: Scalar>(
        &mut self,
        field: Field<kind::Map<K, V>>,
        key: K::Value<'k>,
        value: V::Value<'v>,
    ) {
        let slot = field.slot;
        if !self.admits(slot) {
            return;
        }
        if self.depth >= MAX_DEPTH {
            // The entry is a message, too deep to be read.
            return self.fail(EncodeErrorKind::DepthExceeded, Some(slot.bit()));
        }
        let (key, value) = (K::raw(key), V::raw(value));
        if matches!(V::KIND, Kind::Enum(())) && slot.prefix.has(Flags::CLOSED) && !self.lists(slot, value) {
            return;
        }
        self.put_length(slot, 2 + key.size() + value.size());
        self.put_tagged(entry_tag(1, key.wire_type()), 1, key);
        self.put_tagged(entry_tag(2, value.wire_type()), 1, value);
    }

    /// Appends an entry to a map from keys to messages; `write` appends the fields of the message, as in
    /// [`message`](Self::message).
    ///
    /// ```
    /// use tablepb::record::kind;
    /// use tablepb::{DescriptorPool, FieldTable, Kind, MessageTable, RecordPlan};
    ///
    /// static PORT: MessageTable = MessageTable::new("pkg.Port", &[FieldTable::new("up", 1, Kind::Bool)]);
    /// static HOST: MessageTable = MessageTable::new(
    ///     "pkg.Host",
    ///     &[FieldTable::map("ports", 1, Kind::Uint32, Kind::Message(|| &PORT))],
    /// );
    /// let pool = DescriptorPool::from_tables(&[&HOST])?;
    /// let plan = RecordPlan::new(&pool.get_message_by_name("pkg.Host").unwrap());
    /// let ports = plan.map::<kind::Uint32, kind::Message>("ports")?;
    /// let up = plan.bool("ports.value.up")?;
    /// let mut buf = Vec::new();
    /// let mut rec = plan.record(&mut buf);
    /// rec.insert_message(ports, 7, |rec| rec.set(up, true));
    /// assert_eq!(rec.finish()?, b"\x08\x0a\x06\x08\x07\x12\x02\x08\x01");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn insert_message<K: MapKey>(
        &mut self,
        field: Field<kind::Map<K, kind::Message>>,
        key: K::Value<'_>,
        write: impl FnOnce(&mut Self),
    ) {
        let slot = field.slot;
        if !self.admits(slot) {
            return;
        }
        let key = K::raw(key);
        let Some((start, width)) = self.open_entry(slot, key) else { return };
        if let Some(outer) = self.enter(slot, VALUE_MESSAGE, 1, 2) {
            write(self);
            self.leave(slot, outer, 2);
        }
        // After an error, whatever it does is never committed.
        self.close_length(start, width);
    }

    /// Starts a map entry with its key: where its length goes, and the bytes kept free for it.
    fn open_entry(&mut self, slot: Slot, key: Raw<'_>) -> Option<(usize, usize)> {
        let child = self.plan.nodes.get(self.current()?.child(slot.bit())? as usize)?;
        let width = child.width();
        let written = self.out.put_pair(slot.prefix.bytes(), slot.prefix.len(), [0; 8], width);
        if !written {
            self.too_large();
            return None;
        }
        let start = self.out.len() - width;
        self.put_tagged(entry_tag(1, key.wire_type()), 1, key);
        Some((start, width))
    }

    /// Starts a nested message: its tag and room for its length. It takes one level, or two as the value of a map, whose
    /// entry is a message as well.
    fn enter(&mut self, slot: Slot, tag: [u8; 8], tag_len: usize, levels: u32) -> Option<Outer> {
        let plan = self.plan;
        let node = self.current()?.child(slot.bit())?;
        let child = plan.nodes.get(node as usize)?;
        if self.depth + levels > MAX_DEPTH {
            self.fail(EncodeErrorKind::DepthExceeded, Some(slot.bit()));
            return None;
        }
        let width = if slot.prefix.has(Flags::GROUP) { 0 } else { child.width() };
        if !self.out.put_pair(tag, tag_len, [0; 8], width) {
            self.too_large();
            return None;
        }
        let depth = self.depth;
        self.depth += levels;
        self.owner = plan.owner(node);
        self.run = Run::NONE;
        Some(Outer {
            skip: core::mem::replace(&mut self.skip, child.disabled.begin()),
            node: core::mem::replace(&mut self.node, node),
            start: self.out.len() - width,
            width,
            depth,
            buffer: self.out.buffer(),
        })
    }

    /// Ends a nested message, which takes so many levels.
    fn leave(&mut self, slot: Slot, outer: Outer, levels: u32) {
        if (self.depth != outer.depth + levels) | (self.out.buffer() != outer.buffer) {
            // Another writer was put in this one's place, or this one comes back from there: its innermost message
            // is not the one that ends here, and never will be.
            return self.fail(EncodeErrorKind::Interrupted, None);
        }
        self.check_required();
        let child = self.current();
        self.depth = outer.depth;
        self.node = outer.node;
        self.skip = outer.skip;
        self.run = Run::NONE;
        if let Some(error) = self.error.take() {
            let field = self.current().and_then(|node| node.field(slot.bit()));
            self.error = Some(match field {
                Some(field) => in_field(error, field),
                None => error,
            });
            return;
        }
        self.owner = self.plan.owner(self.node);
        if slot.prefix.has(Flags::GROUP) {
            if !self.out.put(slot.prefix.end_bytes(), slot.prefix.len()) {
                self.too_large();
            }
        } else {
            let width = self.close_length(outer.start, outer.width);
            child.inspect(|child| child.set_width(width));
        }
    }

    fn splice<T>(&mut self, slot: Slot, prepared: &Prepared<T>) {
        let bytes = prepared.as_bytes();
        let child = self.current().and_then(|node| self.plan.nodes.get(node.child(slot.bit())? as usize));
        if child.is_none_or(|child| child.message.full_name() != prepared.full_name()) {
            return self.fail(EncodeErrorKind::WrongMessage, Some(slot.bit()));
        }
        if self.depth + prepared.depth() >= MAX_DEPTH {
            return self.fail(EncodeErrorKind::DepthExceeded, Some(slot.bit()));
        }
        if !prepared.is_complete() {
            return self.fail(EncodeErrorKind::MissingRequired, Some(slot.bit()));
        }
        self.mark(slot);
        if slot.prefix.has(Flags::GROUP) {
            let len = slot.prefix.len();
            let written = self.out.put(slot.prefix.bytes(), len)
                && self.out.put_slice(bytes)
                && self.out.put(slot.prefix.end_bytes(), len);
            if !written {
                self.too_large();
            }
        } else {
            self.put_tagged(slot.prefix.bytes(), slot.prefix.len(), Raw::Bytes(bytes));
        }
    }

    /// A tag and a length.
    #[inline(always)]
    pub(super) fn put_length(&mut self, slot: Slot, len: usize) {
        let (word, width) = short_varint(len as u64);
        if len > crate::wire::MAX_LEN
            || !self.out.put_pair(slot.prefix.bytes(), slot.prefix.len(), word, width)
        {
            self.too_large();
        }
    }
}
