//! [`DynamicMessage`]: a message that owns its memory.

pub(super) mod copy;
pub(super) mod edits;
pub(super) mod passthrough;
pub(super) mod store;

use super::decoder::{named, programs};
use super::dynamic::copy::Owned;
use super::dynamic::store::Store;
use super::edit::slab_writer::TooLarge;
use super::{MessageMut, MessageView};
use crate::engine::decode::{self, Job, Outcome, Scratch};
use crate::engine::slab::{BodyRef, NIL, RawView, Slab};
use crate::schema::pool::MessageDescriptor;
use crate::schema::program::Selected;
use crate::wire::Full;
use crate::wire::error::{DecodeError, DecodeErrorKind, boxed};
use crate::wire::options::DecodeOptions;
use alloc::boxed::Box;
use store::live_size;

/// A merge may take this many times the memory that the message holds, on top of the budget of its input. A list moves to a
/// block of twice its size, and where it was stays: three times, if all lists move. The slab itself moves as it grows, and holds its
/// old block until then: whatever it has on the way there, up to three times, and what it comes to, three times.
pub(super) const MERGE_FACTOR: usize = 6;
/// Messages that use fewer bytes than this are not compacted.
const COMPACT_MIN: usize = 4096;

/// A message of a run-time schema, owned and mutable.
///
/// It makes two allocations, however many fields it has: one for the fields, one for the bytes of strings and unknown
/// fields. Decoding copies the input once, with room for setting a few short strings. Types whose fields are all numbers,
/// or messages of numbers, need no copy, unless a message has unknown fields. [`clear`](Self::clear) keeps the
/// memory for the next message. Setters append and leave garbage. When more than half of the memory in use is garbage, a
/// later setter compacts the message. It looks for garbage when the memory in use has doubled; after a compaction,
/// when the memory of fields is four times as much.
/// `Send + Sync`; `Clone` copies the memory.
///
/// ```
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::{DescriptorPool, DynamicMessage};
///
/// static USER: MessageTable = MessageTable::new(
///     "pkg.User",
///     &[
///         FieldTable::new("id", 1, Kind::Uint64),
///         FieldTable::new("emails", 2, Kind::String).repeated(),
///         FieldTable::map("labels", 3, Kind::String, Kind::Int32),
///     ],
/// );
/// let pool = DescriptorPool::from_tables(&[&USER])?;
/// let user = pool.message("pkg.User")?;
/// let field = |name| user.field(name).unwrap();
///
/// let mut message = DynamicMessage::new(&user);
/// message.set_field(&field("id"), 7u64)?;
/// message.push(&field("emails"), "a@example.com")?;
/// message.insert(&field("labels"), "admin", 1)?;
///
/// let bytes = message.encode_to_vec()?;
/// let copy = DynamicMessage::decode(&user, &bytes)?;
/// assert_eq!(copy, message);
/// assert_eq!(copy.get_field("id")?.as_u64(), Some(7));
/// assert_eq!(copy.get_field("ids").unwrap_err().to_string(), "no such field: ids in pkg.User; did you mean id?");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct DynamicMessage {
    descriptor: MessageDescriptor,
    /// The programs of the projection that decoded the message, if one did.
    selected: Option<Box<[Selected; 1]>>,
    slab: Slab,
    store: Store,
    /// The offset of the body; `NIL` until something is written.
    base: u32,
    /// Measure the garbage once this many bytes are in use.
    compact_at: usize,
}

// Compilers move structs up to this size inline. Eight bytes more slowed decoding a message of one field from 68 to 78 ns.
const _: () = assert!(size_of::<DynamicMessage>() <= 128);

impl DynamicMessage {
    /// An empty message of this type. Allocates nothing.
    #[must_use]
    pub fn new(descriptor: &MessageDescriptor) -> Self {
        Self {
            descriptor: descriptor.clone(),
            selected: None,
            slab: Slab::new(),
            store: Store::new(),
            base: NIL,
            compact_at: COMPACT_MIN,
        }
    }

    /// Decodes a message. Copies the input, unless nothing in the message can refer to it.
    ///
    /// # Errors
    /// If the input is not a valid message. The error has a kind, a byte offset and a field path.
    pub fn decode(descriptor: &MessageDescriptor, input: &[u8]) -> Result<Self, DecodeError> {
        DecodeOptions::new().decode_dynamic(descriptor, input)
    }

    /// An empty message that decodes with the programs of a projection.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub(crate) fn with_selected(
        descriptor: &MessageDescriptor,
        selected: &Selected,
    ) -> Result<Self, DecodeError> {
        let no_memory = || DecodeError::new(DecodeErrorKind::OutOfMemory, 0);
        let selected = boxed(selected.clone()).ok_or_else(no_memory)?;
        Ok(Self { selected: Some(selected), ..Self::new(descriptor) })
    }

    /// Decodes into an empty message.
    #[inline]
    pub(crate) fn decoded(mut self, input: &[u8], options: DecodeOptions) -> Result<Self, DecodeError> {
        let (len, mut may_miss) = (input.len(), false);
        let decoded = match self.refers_to_input() {
            true => self.run_copy(len, options, |store| store.append(input), &mut may_miss),
            false => self.run_in_place(input, options, &mut may_miss),
        };
        // In place up to here: each move of a message is 16 loads, which wait for the stores before.
        match self.check(decoded, may_miss, len, &options) {
            Ok(()) => Ok(self),
            Err(error) => Err(error),
        }
    }

    /// Decodes input that only unknown fields refer to, and copies it if there are some.
    fn run_in_place(
        &mut self,
        input: &[u8],
        options: DecodeOptions,
        may_miss: &mut bool,
    ) -> Result<(), DecodeError> {
        let options = options.for_copy(input.len()).map_err(at_start)?;
        self.run(Some(input), 0, &options, may_miss)?;
        if self.slab.has_unknown() {
            self.store.append(input).map_err(at_start)?;
        }
        Ok(())
    }

    /// Whether a field of the message can refer to the bytes that it is decoded from.
    fn refers_to_input(&self) -> bool {
        self.selected.is_some() || self.descriptor.program().has_spans()
    }

    /// Decodes a message that shares the input instead of copying it. The first setter or merge that adds strings
    /// copies the input.
    ///
    /// # Errors
    /// As [`decode`](Self::decode). The process aborts if the allocator fails in the first clone of `Bytes`, which is here unless they were
    /// cloned before.
    #[cfg(feature = "bytes")]
    pub fn decode_shared(descriptor: &MessageDescriptor, input: &bytes::Bytes) -> Result<Self, DecodeError> {
        DecodeOptions::new().decode_dynamic_shared(descriptor, input)
    }

    /// Decodes the rest of any [`Buf`](bytes::Buf), which is read to its end, also if there is an error. Copies each chunk once, as
    /// [`decode`](Self::decode) copies its input.
    ///
    /// ```
    /// use tablepb::bytes::Buf;
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::{DescriptorPool, DynamicMessage, ValueRef};
    ///
    /// static PORT: MessageTable = MessageTable::new("pkg.Port", &[FieldTable::new("id", 1, Kind::Uint32)]);
    /// let pool = DescriptorPool::from_tables(&[&PORT])?;
    /// let chunks = (&b"\x08"[..]).chain(&b"\x07"[..]);
    /// let port = DynamicMessage::decode_buf(&pool.message("pkg.Port")?, chunks)?;
    /// assert_eq!(port.get_field("id").ok(), Some(ValueRef::U32(7)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    #[cfg(feature = "bytes")]
    pub fn decode_buf(descriptor: &MessageDescriptor, input: impl bytes::Buf) -> Result<Self, DecodeError> {
        DecodeOptions::new().decode_dynamic_buf(descriptor, input)
    }

    /// Decodes into an empty message that shares the input.
    #[cfg(feature = "bytes")]
    pub(crate) fn decoded_shared(
        mut self,
        input: &bytes::Bytes,
        options: DecodeOptions,
    ) -> Result<Self, DecodeError> {
        self.store = Store::shared(input);
        let mut may_miss = false;
        let decoded = self.run(None, 0, &options, &mut may_miss);
        self.check(decoded, may_miss, input.len(), &options).map(|()| self)
    }

    /// The result of a decode of `len` bytes: checks required fields if one may be missing, and names the message and fields in an error.
    #[inline]
    fn check(
        &self,
        decoded: Result<(), DecodeError>,
        may_miss: bool,
        len: usize,
        options: &DecodeOptions,
    ) -> Result<(), DecodeError> {
        let error = match decoded {
            Ok(()) if !may_miss || options.allows_partial() => return Ok(()),
            Ok(()) => decode::check_required(self.raw(), len).err(),
            Err(error) => Some(error),
        };
        error.map_or(Ok(()), |error| Err(named(&self.descriptor, error)))
    }

    /// Decodes `len` bytes that `append` adds to the store. `may_miss` becomes true if a required field may be missing.
    #[inline]
    fn run_copy(
        &mut self,
        len: usize,
        options: DecodeOptions,
        append: impl FnOnce(&mut Store) -> Result<usize, Full>,
        may_miss: &mut bool,
    ) -> Result<(), DecodeError> {
        let options = options.for_copy(len).map_err(at_start)?;
        let start = append(&mut self.store).map_err(at_start)?;
        self.run(None, start, &options, may_miss)
    }

    /// Decodes the store, or bytes in place of it, from `start` on. `may_miss` becomes true if a required field may be missing.
    fn run(
        &mut self,
        bytes: Option<&[u8]>,
        start: usize,
        options: &DecodeOptions,
        may_miss: &mut bool,
    ) -> Result<(), DecodeError> {
        let Self { descriptor, selected, slab, store, base, .. } = self;
        let store = bytes.unwrap_or(store.as_slice());
        let budget = options.budget_for(store.len() - start);
        let (set, index) = programs(descriptor, selected.as_deref().map(|[selected]| selected));
        let mut scratch = Scratch::new();
        let held = slab.capacity();
        // Lists that the message already has may grow and move. That does not count against the budget of the input.
        slab.set_limit(decode::slab_share(budget).saturating_add(MERGE_FACTOR.saturating_mul(held)));
        if held == 0 {
            slab.expect_message(descriptor.program(), store.len() - start, budget / 16);
        }
        let end = store.len();
        let mut job = Job { set, store, start, end, slab, scratch: &mut scratch, options };
        if *base == NIL {
            let mut outcome = Outcome::NONE;
            let decoded = decode::decode_fresh(&mut job, index, budget, &mut outcome);
            *base = outcome.base;
            self.slab.expect_no_more();
            self.compact_later();
            *may_miss |= outcome.may_miss;
            return decoded;
        }
        *may_miss |= decode::merge(job, BodyRef { program: index, base: *base })?;
        Ok(())
    }

    /// Merges an encoded message into this one: singular fields are replaced, sub-messages merged, lists extended,
    /// map entries inserted. The result is that of decoding this message's bytes followed by the input.
    ///
    /// Required fields are not checked.
    ///
    /// # Errors
    /// As [`decode`](Self::decode). The message stays valid and holds what was read before the fault; a number that the input
    /// cuts off may have any value. From then on, reading a string validates it again, which is slower, until the message is
    /// cleared or copied.
    ///
    /// Parts of the message that are kept as bytes are decoded first; see [`materialize`](Self::materialize).
    pub fn merge(&mut self, input: &[u8]) -> Result<(), DecodeError> {
        self.merge_bytes(input, &DecodeOptions::new())
    }

    pub(crate) fn merge_bytes(&mut self, input: &[u8], options: &DecodeOptions) -> Result<(), DecodeError> {
        self.merge_from(input.len(), *options, |store| store.append(input))
    }

    /// Merges the rest of any [`Buf`](bytes::Buf), which is read to its end, also if there is an error. Copies each chunk once, as
    /// [`merge`](Self::merge) copies its input.
    ///
    /// # Errors
    /// As [`merge`](Self::merge).
    #[cfg(feature = "bytes")]
    pub fn merge_buf(&mut self, mut input: impl bytes::Buf) -> Result<(), DecodeError> {
        let len = input.remaining();
        let merged = self.merge_from(len, DecodeOptions::new(), |store| store.append_buf(&mut input));
        input.advance(input.remaining());
        merged
    }

    /// Merges `len` bytes that `append` adds to the store.
    #[inline]
    fn merge_from(
        &mut self,
        len: usize,
        options: DecodeOptions,
        append: impl FnOnce(&mut Store) -> Result<usize, Full>,
    ) -> Result<(), DecodeError> {
        self.materialize()?;
        self.compact_if_due();
        match self.run_copy(len, options, append, &mut false) {
            Ok(()) => Ok(()),
            Err(error) => Err(named(&self.descriptor, error)),
        }
    }

    pub(super) fn from_view(view: MessageView<'_, '_>) -> Result<Self, TooLarge> {
        let Owned { slab, store, base } = Owned::of(view.raw())?;
        let selected = match view.raw().set.share() {
            Some(set) => Some(boxed(Selected { set, root: view.raw().body.program }).ok_or(TooLarge)?),
            None => None,
        };
        Ok(Self { selected, slab, store, base, ..Self::new(&view.descriptor()) })
    }

    /// Unsets all fields, drops the unknown ones and forgets the projection that decoded the message. Keeps the
    /// memory.
    pub fn clear(&mut self) {
        self.slab.clear();
        self.store.clear();
        self.selected = None;
        self.base = NIL;
        self.compact_at = COMPACT_MIN;
    }

    /// Frees unused memory above `bytes`.
    pub fn shrink_to(&mut self, bytes: usize) {
        self.compact_if_due();
        self.slab.shrink_to(bytes);
        self.store.shrink_to(bytes.saturating_sub(self.slab.capacity()));
    }

    /// The memory allocated, in bytes.
    pub fn capacity(&self) -> usize {
        let selected = self.selected.as_ref().map_or(0, |_| size_of::<Selected>());
        self.slab.capacity() + self.store.capacity() + selected
    }

    /// Whether parts of the message may be verbatim or raw.
    pub(super) fn keeps_bytes(&self) -> bool {
        self.slab.has_verbatim()
    }

    /// Whether a projection decoded the message.
    pub(super) fn is_projected(&self) -> bool {
        self.selected.is_some()
    }

    #[inline]
    fn raw(&self) -> RawView<'_, '_> {
        let (set, program) = programs(&self.descriptor, self.selected.as_deref().map(|[selected]| selected));
        let body = BodyRef { program, base: self.base };
        RawView { words: self.slab.words(), store: self.store.as_slice(), set, body }
    }

    /// Borrows the message for reading.
    #[inline]
    pub fn as_view(&self) -> MessageView<'_, '_> {
        MessageView::new(self.descriptor.parent_pool(), self.raw())
    }

    /// Borrows the message for writing.
    pub fn as_mut(&mut self) -> MessageMut<'_> {
        self.compact_if_due();
        let Self { descriptor, selected, slab, store, base, .. } = self;
        slab.set_limit(usize::MAX);
        if *base == NIL
            && let Ok(body) = slab.alloc_outermost(descriptor.program())
        {
            *base = body;
        }
        let (set, program) = programs(descriptor, selected.as_deref().map(|[selected]| selected));
        MessageMut::new(descriptor.parent_pool(), set, BodyRef { program, base: *base }, slab, store)
    }

    /// The parts that a parser of text writes to: type, slab, store and the body's offset.
    pub(super) fn parts(&mut self) -> (&MessageDescriptor, &mut Slab, &mut Store, &mut u32) {
        (&self.descriptor, &mut self.slab, &mut self.store, &mut self.base)
    }

    /// A message that was just made holds no garbage: measure it once it has doubled.
    pub(super) fn compact_later(&mut self) {
        self.compact_at = next_measure(self.slab.used(), self.store.len());
    }

    /// Compacts the message if more than half of the bytes in use are garbage.
    ///
    /// One walk measures the live data, each time the bytes in use have doubled since the last walk. So setters and merges
    /// keep no account of their garbage, and a message that only grows pays for one walk per doubling.
    ///
    /// A compacted list has room for what it holds. The next element moves it to a block of twice its size: a few elements make three
    /// times the words, most of them garbage. So the words have to become four times as many before the next walk; with twice as
    /// many, each merge of an element into two lists in turn copied the message (290 µs for 5 bytes).
    pub(crate) fn compact_if_due(&mut self) {
        let used = self.slab.used().saturating_add(self.store.len());
        if used < self.compact_at {
            return;
        }
        // Without memory for the walk, the next setter tries again.
        let Some((words, bytes)) = live_size(self.raw()) else { return };
        let compacted = used > next_measure(words.saturating_mul(4), bytes) && self.compact();
        let in_slab = self.slab.used();
        self.compact_at =
            next_measure(if compacted { in_slab.saturating_mul(2) } else { in_slab }, self.store.len());
    }

    /// Copies what is live; false without memory for that.
    fn compact(&mut self) -> bool {
        let copy = Owned::of(self.raw());
        let copied = copy.is_ok();
        if let Ok(Owned { slab, store, base }) = copy {
            (self.slab, self.store, self.base) = (slab, store, base);
        }
        copied
    }

    /// The message type.
    pub fn descriptor(&self) -> &MessageDescriptor {
        &self.descriptor
    }
}

/// The bytes in use, or the bound on them, for a message of this much in its slab and in its store: twice that, and what is never
/// compacted. The largest number where addresses cannot count it: a slab and a store together may be longer than 4 GiB.
const fn next_measure(slab: usize, store: usize) -> usize {
    slab.saturating_add(store).saturating_mul(2).saturating_add(COMPACT_MIN)
}

/// An error before the first field.
#[cold]
fn at_start(kind: impl Into<DecodeErrorKind>) -> DecodeError {
    DecodeError::new(kind.into(), 0)
}

/// The verbs of dynamic messages, with these options.
impl DecodeOptions {
    /// Decodes a dynamic message, as [`DynamicMessage::decode`] does with the defaults.
    ///
    /// ```
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::{DecodeOptions, DescriptorPool};
    ///
    /// static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("line", 1, Kind::String)]);
    /// let log = DescriptorPool::from_tables(&[&LOG])?.message("pkg.Log")?;
    /// let strict = DecodeOptions::new().discard_unknown(true);
    /// let message = strict.decode_dynamic(&log, b"\x0a\x02hi\x10\x07")?;
    /// assert_eq!(message.encode_to_vec()?, b"\x0a\x02hi");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`DynamicMessage::decode`], within these limits.
    pub fn decode_dynamic(
        &self,
        descriptor: &MessageDescriptor,
        input: &[u8],
    ) -> Result<DynamicMessage, DecodeError> {
        DynamicMessage::new(descriptor).decoded(input, *self)
    }

    /// As [`DynamicMessage::decode_shared`], with these options.
    ///
    /// # Errors
    /// As [`DynamicMessage::decode_shared`].
    #[cfg(feature = "bytes")]
    pub fn decode_dynamic_shared(
        &self,
        descriptor: &MessageDescriptor,
        input: &bytes::Bytes,
    ) -> Result<DynamicMessage, DecodeError> {
        DynamicMessage::new(descriptor).decoded_shared(input, *self)
    }

    /// As [`DynamicMessage::decode_buf`], with these options.
    ///
    /// # Errors
    /// As [`DynamicMessage::decode`].
    #[cfg(feature = "bytes")]
    pub fn decode_dynamic_buf(
        &self,
        descriptor: &MessageDescriptor,
        mut input: impl bytes::Buf,
    ) -> Result<DynamicMessage, DecodeError> {
        let (mut message, mut may_miss) = (DynamicMessage::new(descriptor), false);
        let len = input.remaining();
        let append = |store: &mut Store| store.append_buf(&mut input);
        let decoded = message.run_copy(len, *self, append, &mut may_miss);
        input.advance(input.remaining());
        message.check(decoded, may_miss, len, self).map(|()| message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where addresses have 32 bits, slab and store may be 2 GiB each.
    #[test]
    fn the_size_at_which_a_message_is_measured_does_not_overflow() {
        assert_eq!(next_measure(1000, 24), 2048 + COMPACT_MIN);
        let half = usize::MAX / 2;
        for (slab, store) in
            [(half, half), (usize::MAX, 0), (half, 1), (0, half + 1), (usize::MAX, usize::MAX)]
        {
            assert_eq!(next_measure(slab, store), usize::MAX, "{slab} {store}");
        }
    }
}
