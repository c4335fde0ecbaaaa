//! [`DynamicMessage`]: a message that owns its memory.

use super::copy::Owned;
use super::decoder::{named, programs};
use super::live_size::live_size;
use super::slab_writer::TooLarge;
use super::store::{Store, StoreFull};
use super::{MessageMut, MessageView};
use crate::decode::{self, DecodeOptions, Job, Scratch};
use crate::error::{DecodeError, DecodeErrorKind, boxed};
use crate::program::Selected;
use crate::schema::MessageDescriptor;
use crate::slab::{NIL, RawView, Slab};
use alloc::boxed::Box;

/// A merge may take so many times the memory that the message holds, beside the budget of its input: a list moves to a block
/// of twice its size (two more), and the slab that has to hold both is moved, too.
pub(super) const MERGE_FACTOR: usize = 4;
/// Messages below this size are not searched for garbage, in bytes.
const COMPACT_MIN: usize = 4096;

/// A message of a run-time schema, owned and mutable.
///
/// Two allocations whatever it holds: a slab for the fields, and the bytes that strings, bytes and unknown fields
/// point into. Decoding copies the input once, with room for short strings to be set; [`clear`](Self::clear) keeps the memory for the next message.
/// Setters append and leave garbage behind; when there is more garbage than live data, the next setter called on
/// the message compacts it. `Send + Sync`; `Clone` copies memory.
///
/// ```
/// use tablepb::{DescriptorPool, DynamicMessage, FieldTable, Kind, MessageTable};
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
/// let user = pool.get_message_by_name("pkg.User").unwrap();
/// let field = |name| user.get_field_by_name(name).unwrap();
///
/// let mut message = DynamicMessage::new(&user);
/// message.set_field(&field("id"), 7u64)?;
/// message.push(&field("emails"), "a@example.com")?;
/// message.insert(&field("labels"), "admin", 1)?;
///
/// let bytes = message.encode_to_vec()?;
/// let copy = DynamicMessage::decode(&user, &bytes)?;
/// assert_eq!(copy, message);
/// assert_eq!(copy.get_field_by_name("id").and_then(|v| v.as_u64()), Some(7));
/// assert_eq!(copy.get_field_by_name("no such field"), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct DynamicMessage {
    descriptor: MessageDescriptor,
    /// The programs, if they are not those of the pool.
    selected: Option<Box<[Selected; 1]>>,
    slab: Slab,
    store: Store,
    /// The body; `NIL` until something is written.
    base: u32,
    /// Look for garbage when this many bytes are in use.
    compact_at: usize,
}

// Up to this size compilers move a struct by a few instructions. Eight bytes more made decoding a message of one field 10 ns
// slower (68 to 78).
const _: () = assert!(size_of::<DynamicMessage>() <= 128);

impl DynamicMessage {
    /// An empty message of this type. Allocates nothing.
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

    /// Decodes a message, with a copy of the input.
    ///
    /// # Errors
    /// What is wrong, at which byte, in which field.
    pub fn decode(descriptor: &MessageDescriptor, input: &[u8]) -> Result<Self, DecodeError> {
        Self::decode_with(descriptor, input, DecodeOptions::new())
    }

    /// As [`decode`](Self::decode), with options.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn decode_with(
        descriptor: &MessageDescriptor,
        input: &[u8],
        options: DecodeOptions,
    ) -> Result<Self, DecodeError> {
        Self::new(descriptor).decoded(input, options)
    }

    /// An empty message for what a selection made for this message type wants.
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
    pub(crate) fn decoded(mut self, input: &[u8], options: DecodeOptions) -> Result<Self, DecodeError> {
        let len = input.len();
        let too_large = |full: StoreFull| DecodeError::new(full.into(), 0);
        // The copy of the input counts as well.
        let may_miss = match options.budget_for(len).checked_sub(len) {
            Some(left) => {
                self.store.append(input).map_err(too_large).and_then(|at| self.run(at, left, &options))
            }
            None => Err(DecodeError::new(DecodeErrorKind::BudgetExceeded, 0)),
        };
        self.checked(may_miss, len, &options)
    }

    /// Decodes a message that shares the input instead of copying it. The first setter or merge that adds bytes
    /// copies it after all.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    #[cfg(feature = "bytes")]
    pub fn decode_shared(descriptor: &MessageDescriptor, input: &bytes::Bytes) -> Result<Self, DecodeError> {
        Self::new(descriptor).decoded_shared(input)
    }

    /// Decodes into an empty message, which shares the input.
    #[cfg(feature = "bytes")]
    pub(crate) fn decoded_shared(mut self, input: &bytes::Bytes) -> Result<Self, DecodeError> {
        self.store = Store::shared(input);
        let options = DecodeOptions::new();
        let may_miss = self.run(0, options.budget_for(input.len()), &options);
        self.checked(may_miss, input.len(), &options)
    }

    fn checked(
        self,
        may_miss: Result<bool, DecodeError>,
        len: usize,
        options: &DecodeOptions,
    ) -> Result<Self, DecodeError> {
        let checked = may_miss.and_then(|may_miss| {
            if may_miss && !options.allows_partial() {
                decode::check_required(self.raw(), len)
            } else {
                Ok(())
            }
        });
        match checked {
            Ok(()) => Ok(self),
            Err(error) => Err(named(&self.descriptor, error)),
        }
    }

    /// Decodes the store from `start` on.
    fn run(&mut self, start: usize, budget: usize, options: &DecodeOptions) -> Result<bool, DecodeError> {
        let Self { descriptor, selected, slab, store, base, .. } = self;
        let (set, index) = programs(descriptor, selected.as_deref().map(|[selected]| selected));
        let mut scratch = Scratch::new();
        // The body, and one word per four bytes of input: a good guess, and a small one.
        let guess = descriptor.program().words() as usize + (store.len() - start) / 4;
        let held = slab.capacity();
        // Lists that the message has already may move to blocks of twice the size, and the slab with them: that is not the
        // input's to pay.
        slab.set_limit(decode::slab_share(budget).saturating_add(MERGE_FACTOR.saturating_mul(held)));
        if held == 0 {
            slab.expect(guess.min(budget / 16));
        }
        let job = Job { set, store: store.as_slice(), start, slab, scratch: &mut scratch, options };
        if *base == NIL {
            let decoded = decode::fresh(job, index, budget, base);
            self.slab.expect_no_more();
            // What was just decoded is hardly garbage: nobody needs to look before it has grown.
            self.compact_at = 2 * (self.slab.used() + self.store.len()) + COMPACT_MIN;
            return decoded;
        }
        decode::merge(job, index, *base)
    }

    /// Merges an encoded message into this one: singular fields are replaced, messages merged, lists appended to,
    /// map entries inserted, as if this message's bytes stood before the input.
    ///
    /// Required fields are not checked.
    ///
    /// # Errors
    /// As [`decode`](Self::decode). The message is valid afterwards and holds what was read before the fault; a
    /// number that is cut off may have any value. From then on reading a string costs a check of its bytes, until the message
    /// is cleared; a copy is free of that. As [`materialize`](Self::materialize), which comes first if parts
    /// of the message are kept as bytes.
    pub fn merge(&mut self, input: &[u8]) -> Result<(), DecodeError> {
        self.merge_with(input, DecodeOptions::new())
    }

    /// As [`merge`](Self::merge), with options.
    ///
    /// # Errors
    /// As [`merge`](Self::merge).
    pub fn merge_with(&mut self, input: &[u8], options: DecodeOptions) -> Result<(), DecodeError> {
        self.materialize()?;
        self.compact_if_due();
        let start = match self.store.append(input) {
            Ok(start) => start,
            Err(full) => return Err(named(&self.descriptor, DecodeError::new(full.into(), 0))),
        };
        match self.run(start, options.budget_for(input.len()), &options) {
            Ok(_) => Ok(()),
            Err(error) => Err(named(&self.descriptor, error)),
        }
    }

    pub(super) fn from_view(view: MessageView<'_, '_>) -> Result<Self, TooLarge> {
        let Owned { slab, store, base } = Owned::of(view.raw())?;
        let selected = match view.raw().set.share() {
            Some(set) => Some(boxed(Selected { set, root: view.raw().index }).ok_or(TooLarge)?),
            None => None,
        };
        Ok(Self { selected, slab, store, base, ..Self::new(&view.descriptor()) })
    }

    /// Unsets all fields and drops the unknown ones, and forgets the projection that decoded the message; keeps the
    /// memory.
    pub fn clear(&mut self) {
        self.slab.clear();
        self.store.clear();
        self.selected = None;
        self.base = NIL;
        self.compact_at = COMPACT_MIN;
    }

    /// Gives back memory above `bytes`, as far as it is not in use.
    pub fn shrink_to(&mut self, bytes: usize) {
        self.compact_if_due();
        self.slab.shrink_to(bytes);
        self.store.shrink_to(bytes);
    }

    /// Memory held, in bytes.
    pub fn capacity(&self) -> usize {
        self.slab.capacity() + self.store.capacity()
    }

    /// Whether parts of the message may be kept as bytes.
    pub(super) fn keeps_bytes(&self) -> bool {
        self.slab.has_verbatim()
    }

    /// Whether a projection decoded it.
    pub(super) fn is_projected(&self) -> bool {
        self.selected.is_some()
    }

    #[inline]
    fn raw(&self) -> RawView<'_, '_> {
        let (set, index) = programs(&self.descriptor, self.selected.as_deref().map(|[selected]| selected));
        RawView { words: self.slab.words(), store: self.store.as_slice(), set, index, base: self.base }
    }

    /// The message, borrowed.
    #[inline]
    pub fn as_view(&self) -> MessageView<'_, '_> {
        MessageView::new(self.descriptor.parent_pool(), self.raw())
    }

    /// The message, mutably borrowed.
    pub fn as_mut(&mut self) -> MessageMut<'_> {
        self.compact_if_due();
        let Self { descriptor, selected, slab, store, base, .. } = self;
        slab.set_limit(usize::MAX);
        if *base == NIL
            && let Ok(body) = slab.alloc_body(descriptor.program())
        {
            *base = body;
        }
        let (set, index) = programs(descriptor, selected.as_deref().map(|[selected]| selected));
        MessageMut::new(descriptor.parent_pool(), set, (index, *base), slab, store)
    }

    /// The parts that a parser of text writes to: type, slab, store and the body's offset.
    #[cfg(feature = "json")]
    pub(super) fn parts(&mut self) -> (&MessageDescriptor, &mut Slab, &mut Store, &mut u32) {
        (&self.descriptor, &mut self.slab, &mut self.store, &mut self.base)
    }

    /// A message that was just built holds no garbage: measure it once it has doubled.
    #[cfg(feature = "json")]
    pub(super) fn compact_later(&mut self) {
        self.compact_at = 2 * (self.slab.used() + self.store.len()) + COMPACT_MIN;
    }

    /// Copies the live data to new memory if there is more garbage.
    ///
    /// What is garbage is found by weighing what is live, whenever the message has grown to twice its size since it
    /// was weighed last: setters and merges need not account for what they leave behind, and a message that only
    /// grows pays for one walk per doubling.
    fn compact_if_due(&mut self) {
        if self.slab.used() + self.store.len() < self.compact_at {
            return;
        }
        // Without the memory to look, the next one looks.
        let Some((words, bytes)) = live_size(self.raw()) else { return };
        if self.slab.used() + self.store.len() > 2 * (4 * words + bytes) + COMPACT_MIN {
            self.compact();
        }
        self.compact_at = 2 * (self.slab.used() + self.store.len()) + COMPACT_MIN;
    }

    fn compact(&mut self) {
        if let Ok(Owned { slab, store, base }) = Owned::of(self.raw()) {
            (self.slab, self.store, self.base) = (slab, store, base);
        }
    }

    /// The message type.
    pub fn descriptor(&self) -> &MessageDescriptor {
        &self.descriptor
    }
}
