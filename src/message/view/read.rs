//! Reading the fields of a [`MessageView`], by descriptor, name or number.

use crate::engine::slab::{ByteSpan, List, Words, text_at};
use crate::message::edit::field_key::{OwnField, absent, foreign, no_field, resolve};
use crate::message::error::SetFieldError;
use crate::message::{FieldKey, ListRef, MapRef, MessageView, RawMessage, ValueRef};
use crate::schema::pool::{FieldRef, OneofDescriptor};
use crate::schema::program::{Access, Elements, PAGE, PresencePage, ReadKind, ReadLayout};
use crate::wire::utf8;
use core::fmt;
use core::iter::FusedIterator;
use core::num::NonZeroU32;

/// One value's location; read exactly once, by the method for its form.
pub(in crate::message) trait Location {
    fn word(&mut self) -> Option<u32>;

    /// Two words, low word first.
    fn word64(&mut self) -> Option<u64>;

    /// The offset of the body at the location.
    fn body(&mut self) -> Option<u32>;

    /// The list whose header is at the location.
    fn list(&mut self) -> Option<List>;
}

/// The location of a field or of an element by index: a slot.
pub(in crate::message) struct SlotAt<'a> {
    words: Words<'a>,
    at: u32,
}

impl Location for SlotAt<'_> {
    #[inline(always)]
    fn word(&mut self) -> Option<u32> {
        self.words.find(self.at)
    }

    #[inline(always)]
    fn word64(&mut self) -> Option<u64> {
        self.words.find64(self.at)
    }

    #[inline(always)]
    fn body(&mut self) -> Option<u32> {
        Some(self.at)
    }

    #[inline(always)]
    fn list(&mut self) -> Option<List> {
        Some(self.words.list(self.at))
    }
}

impl<'a, 'i> MessageView<'a, 'i> {
    /// A view of another body of the same slab; `bits` is its first word.
    #[inline(always)]
    pub(in crate::message) fn at(&self, layout: &'a ReadLayout, base: u32, bits: u32) -> Self {
        Self { layout, base, bits, ..*self }
    }

    /// A message of the same slab, decoded or raw.
    #[inline(always)]
    fn message_at(&self, layout: &'a ReadLayout, base: u32) -> Option<ValueRef<'a, 'i>> {
        // The empty message has no words: it reads as zeros.
        let header = self.words.get64(base);
        let view = self.at(layout, base, header as u32);
        if header >> 32 != 0
            && let Some(depth) = raw_depth(self.words, base)
        {
            return Some(ValueRef::Raw(RawMessage::new(self.pool, view.raw(), depth)));
        }
        Some(ValueRef::Message(view))
    }

    /// The bytes of the span at a slot.
    #[inline(always)]
    pub(in crate::message) fn span(&self, slot: u32) -> Option<&'i [u8]> {
        self.pair(self.words.find64(slot)?)
    }

    /// The bytes of a span.
    #[inline(always)]
    fn pair(&self, span: u64) -> Option<&'i [u8]> {
        ByteSpan::from_word(span).bytes(self.store)
    }

    /// The slot at an offset.
    #[inline(always)]
    pub(in crate::message) fn slot_at(&self, at: u32) -> SlotAt<'a> {
        SlotAt { words: self.words, at }
    }

    /// The value at a location; `None` for a list or map without elements.
    ///
    /// Only messages, lists and maps call `sub` for their type, only lists and maps call `elements`. `text` makes the value of a
    /// string that was not validated.
    ///
    /// A location outside of the slab, which does not occur, is `None` too. Zero instead would be a second way to every use of
    /// the value, and jumps are what reading costs: one jump less per field made it 1.04x to 1.06x as fast.
    #[inline(always)]
    pub(in crate::message) fn value(
        &self,
        form: ReadKind,
        mut location: impl Location,
        sub: impl Fn() -> Option<&'a ReadLayout>,
        elements: impl Fn() -> Elements,
        text: impl Fn(&'i [u8]) -> ValueRef<'a, 'i>,
    ) -> Option<ValueRef<'a, 'i>> {
        Some(match form {
            ReadKind::Bool => ValueRef::Bool(location.word()? != 0),
            ReadKind::I32 => ValueRef::I32(location.word()? as i32),
            ReadKind::U32 => ValueRef::U32(location.word()?),
            ReadKind::F32 => ValueRef::F32(f32::from_bits(location.word()?)),
            ReadKind::Enum => ValueRef::EnumNumber(location.word()? as i32),
            ReadKind::I64 => ValueRef::I64(location.word64()? as i64),
            ReadKind::U64 => ValueRef::U64(location.word64()?),
            ReadKind::F64 => ValueRef::F64(f64::from_bits(location.word64()?)),
            ReadKind::String => ValueRef::String(text_at(self.words, self.store, location.word64()?)?),
            ReadKind::UncheckedString => text(self.pair(location.word64()?)?),
            ReadKind::Bytes => ValueRef::Bytes(self.pair(location.word64()?)?),
            ReadKind::Message => self.message_at(sub()?, location.word()?)?,
            ReadKind::Body => self.message_at(sub()?, location.body()?)?,
            ReadKind::List => match location.list()? {
                List { len: 0, .. } => return None,
                List { ptr, len } => {
                    ValueRef::List(ListRef::new(self.at(self.element(sub), ptr, 0), len, elements()))
                }
            },
            ReadKind::Map => match location.list()? {
                List { len: 0, .. } => return None,
                List { ptr, len } => {
                    ValueRef::Map(MapRef::new(self.at(sub()?, ptr, 0), len, elements().width()))
                }
            },
        })
    }

    /// The type of a list's elements. Scalars have none and get that of this message.
    #[inline(always)]
    fn element(&self, sub: impl Fn() -> Option<&'a ReadLayout>) -> &'a ReadLayout {
        sub().unwrap_or(self.layout)
    }

    /// The message type of this program index.
    #[inline(always)]
    pub(in crate::message) fn sub(&self, index: u32) -> Option<&'a ReadLayout> {
        self.set.read_layout(index)
    }

    /// The value of a field of this message at its slot; `None` for a list or map without elements.
    #[inline(always)]
    pub(in crate::message) fn field(&self, access: &Access, slot: u32) -> Option<ValueRef<'a, 'i>> {
        self.value(access.form, self.slot_at(slot), || self.sub(access.sub), || access.elements, checked)
    }

    /// The slot of a field, if it is set.
    fn slot(&self, access: &Access) -> Option<u32> {
        slot(self.words, self.base, access)
    }

    /// A field of this message, if it is set.
    fn read(&self, access: &Access) -> Option<ValueRef<'a, 'i>> {
        self.field(access, self.slot(access)?)
    }

    /// The field at a position in number order.
    #[inline(always)]
    pub(in crate::message) fn access(&self, position: u16) -> &'a Access {
        static NONE: Access = Access::NONE;
        self.layout.field(position).unwrap_or(&NONE)
    }

    /// The value of a field, or `None` if it is unset.
    ///
    /// Unlike those of [`get_field`](Self::get_field), strings live as long as the input.
    ///
    /// # Panics
    /// With debug assertions, if the field is of another message; see [`FieldKey`](crate::message::FieldKey#foreign-fields).
    #[inline(always)]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn get(&self, field: impl FieldKey) -> Option<ValueRef<'a, 'i>> {
        match field.find(self) {
            Some(OwnField(access)) => self.get_own(access),
            None => {
                self.absent(&field);
                None
            }
        }
    }

    /// The value of a field of this message, if it is set.
    #[inline(always)]
    fn get_own(&self, access: &Access) -> Option<ValueRef<'a, 'i>> {
        let (form, slot) = match self.bits & access.bit {
            0 if access.bit != 0 => return None,
            0 => slot_slow(self.words, self.store, self.base, access)?,
            _ => (access.form, self.base + access.slot as u32),
        };
        // `slot_slow` validates strings, so `text` needs no call here. Compilers cannot prove such a call unnecessary and would
        // branch on the form of every number.
        self.value(form, self.slot_at(slot), || self.sub(access.sub), || access.elements, ValueRef::Bytes)
    }

    /// A key names no field of the message: what getters do that return no error.
    #[cold]
    #[cfg_attr(debug_assertions, track_caller)]
    fn absent(&self, field: &impl FieldKey) {
        absent(self.pool, self.message(), field.key());
    }

    /// The value of a field, or its default if it is unset: the default of the schema, zero, empty, or an empty message.
    ///
    /// [`ValueRef::Unselected`] if a projection left the field out, so that it is not known whether the field is set.
    ///
    /// # Errors
    /// `NoSuchField` if no field has the name or number; the error shows the nearest name. `ForeignField` if the field is of another message.
    ///
    /// ```
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::{DescriptorPool, DynamicMessage};
    ///
    /// static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("level", 1, Kind::Int32)]);
    /// let log = DescriptorPool::from_tables(&[&LOG])?.message("pkg.Log")?;
    /// let message = DynamicMessage::new(&log);
    /// assert_eq!(message.get_field("level")?.as_i32(), Some(0));
    /// let error = message.get_field("levle").unwrap_err();
    /// assert_eq!(error.to_string(), "no such field: levle in pkg.Log; did you mean level?");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn get_field(&self, field: impl FieldKey) -> Result<ValueRef<'a, 'a>, SetFieldError>
    where
        'i: 'a,
    {
        match field.find(self) {
            Some(OwnField(access)) => Ok(self.value_of(access)),
            None => Err(no_field(self.pool, self.message(), field.key())),
        }
    }

    /// The value of a field, or its default; nothing if the message has no such field.
    pub(crate) fn find_field(&self, field: impl FieldKey) -> Option<ValueRef<'a, 'a>>
    where
        'i: 'a,
    {
        field.find(self).map(|OwnField(access)| self.value_of(access))
    }

    /// The value of a field of this message, or its default.
    #[inline(always)]
    fn value_of(&self, access: &Access) -> ValueRef<'a, 'a>
    where
        'i: 'a,
    {
        match self.get_own(access) {
            Some(value) => value,
            None => self.default(access),
        }
    }

    /// Whether the message knows the field's value: false if a [`Projection`](crate::partial::Projection) left the field out and no
    /// setter has set it since, and for names and numbers that the message does not have.
    ///
    /// For a field that was left out, [`get`](Self::get) returns `None`, [`has_field`](Self::has_field) false and
    /// [`get_field`](Self::get_field) [`ValueRef::Unselected`]. That is so too for a field that is unset in a message which a setter gave
    /// as a whole to a projected one; encoding does not miss such a field if it is required.
    ///
    /// # Panics
    /// With debug assertions, if the field is of another message; see [`FieldKey`](crate::message::FieldKey#foreign-fields).
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn is_selected(&self, field: impl FieldKey) -> bool {
        match field.find(self) {
            Some(OwnField(access)) => !self.is_left_out(access.position) || self.slot(access).is_some(),
            None => {
                self.absent(&field);
                false
            }
        }
    }

    /// The value of the field at a position in number order, if it is set.
    #[inline]
    pub(crate) fn get_at(&self, position: u16) -> Option<ValueRef<'a, 'i>> {
        self.get_own(self.access(position))
    }

    /// Whether a projection left out the field at a position in number order.
    pub(crate) fn is_left_out(&self, position: u16) -> bool {
        self.raw().program().entries().get(position as usize).is_some_and(|entry| entry.op.is_skip())
    }

    /// Whether a field is set. A field with explicit presence is set once it has been written; any other field is set if it is
    /// not zero or empty.
    ///
    /// # Panics
    /// With debug assertions, if the field is of another message; see [`FieldKey`](crate::message::FieldKey#foreign-fields).
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn has_field(&self, field: impl FieldKey) -> bool {
        match field.find(self) {
            Some(OwnField(access)) => self.has(access),
            None => {
                self.absent(&field);
                false
            }
        }
    }

    fn has(&self, access: &Access) -> bool {
        match self.slot(access) {
            Some(slot) => {
                !matches!(access.form, ReadKind::List | ReadKind::Map) || self.words.list(slot).len > 0
            }
            None => false,
        }
    }

    /// The set member of a oneof and its value; `None` if no member is set.
    ///
    /// # Panics
    /// With debug assertions, if the oneof is of another message; see [`FieldKey`](crate::message::FieldKey#foreign-fields).
    #[must_use]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn get_oneof(&self, oneof: &OneofDescriptor) -> Option<(FieldRef<'a>, ValueRef<'a, 'i>)> {
        let message = oneof.parent_message();
        let own = message.parent_pool() == self.pool && message.index() == self.message();
        let resolved = |field| if own { Some(field) } else { resolve(self.pool, self.message(), field) };
        let mut members = oneof.field_refs().filter_map(resolved).peekable();
        if members.peek().is_none() {
            foreign(self.pool, self.message(), oneof.full_name());
        }
        members.find_map(|field| {
            let access = self.access(field.position() as u16);
            Some((self.own(access), self.read(access)?))
        })
    }
}

// Rare cases are functions that return registers. A function that returned a `ValueRef` would write it to memory, and then
// compilers pass the values of all fields through memory: 9.4 ns per scalar field instead of 5.2, 210 ns per message of 16
// fields in 5 messages instead of 65.

/// The slot of a field, if it is set.
#[inline]
fn slot(words: Words<'_>, base: u32, access: &Access) -> Option<u32> {
    match access.slot {
        _ if access.field == Access::NONE.field => None,
        0 => words.wide_find(base, access.position as usize),
        slot => {
            // Hasbits 0..32 are word 0 of a body, 32..64 word 2.
            let bits = words.get(base + if access.position & 32 != 0 { 2 } else { 0 });
            (bits >> (access.position & 31) & 1 != 0).then_some(base + slot as u32)
        }
    }
}

/// The form and slot of a field without a bit in the first word, if it is set. Validates a string that decoding did not:
/// the form is `Bytes` if it is not UTF-8.
#[cold]
#[inline(never)]
fn slot_slow(words: Words<'_>, store: &[u8], base: u32, access: &Access) -> Option<(ReadKind, u32)> {
    let slot = slot(words, base, access)?;
    let form = match access.form {
        ReadKind::UncheckedString if utf8::is_valid(ByteSpan::from_word(words.get64(slot)).bytes(store)?) => {
            ReadKind::String
        }
        ReadKind::UncheckedString => ReadKind::Bytes,
        form => form,
    };
    Some((form, slot))
}

/// The depth limit of a raw message; `None` if the message is decoded and has only unknown fields.
#[cold]
#[inline(never)]
fn raw_depth(words: Words<'_>, base: u32) -> Option<u32> {
    words.raw_depth(base)
}

/// The value of a string field without UTF-8 validation: bytes if it is not UTF-8.
#[inline(always)]
pub(in crate::message) fn checked<'a, 'i>(bytes: &'i [u8]) -> ValueRef<'a, 'i> {
    match text(bytes) {
        Some(text) => ValueRef::String(text),
        None => ValueRef::Bytes(bytes),
    }
}

#[cold]
#[inline(never)]
fn text(bytes: &[u8]) -> Option<&str> {
    utf8::from_utf8(bytes)
}

// `Fields`: iterator over the set fields of a message.

/// Iterator over the set fields of a message, in field number order; see [`MessageView::fields`].
///
/// Skips lists and maps without elements. Takes a step per set field, not per field of the type.
#[derive(Clone)]
pub struct Fields<'a, 'i> {
    view: MessageView<'a, 'i>,
    /// The remaining hasbits of this page.
    bits: u32,
    /// The fields that the hasbits stand for.
    page: &'a PresencePage,
    /// The offset that slots count from: the body, or for a wide message the next slot in the group's block.
    slots: u32,
}

/// The fields that are left.
impl fmt::Debug for Fields<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.clone().map(|(field, value)| (field.name(), value))).finish()
    }
}

impl<'a, 'i> Fields<'a, 'i> {
    #[inline(always)]
    pub(in crate::message) fn new(view: MessageView<'a, 'i>) -> Self {
        let page = &view.layout.page;
        Self { view, bits: view.bits & page.mask, page, slots: view.base }
    }
}

/// The next word of hasbits.
struct Group<'a> {
    page: &'a PresencePage,
    bits: NonZeroU32,
    slots: u32,
}

/// The first of the last `left` pages with a set field.
///
/// It takes and returns numbers, so the state of the iterator stays in registers.
#[cold]
#[inline(never)]
fn next_group<'a>(words: Words<'_>, base: u32, layout: &'a ReadLayout, left: u32) -> Option<Group<'a>> {
    let pages = layout.more_pages.as_slice();
    let first = pages.len().checked_sub(left as usize)?;
    let found = |page: &'a PresencePage, bits: u32, slots: u32| {
        Some(Group { page, bits: NonZeroU32::new(bits & page.mask)?, slots })
    };
    if !layout.is_wide() {
        return found(pages.get(first)?, words.get(base + 2), base);
    }
    let mut rank = words.wide_before(base, first as u32);
    loop {
        let group = words.wide_group(base, rank, pages.len())?;
        // The groups of oneofs come last and have no page.
        let page = pages.get(group.number as usize)?;
        if let Some(found) = found(page, group.hasbits, group.block) {
            return Some(found);
        }
        rank += 1;
    }
}

impl<'a, 'i> Iterator for Fields<'a, 'i> {
    type Item = (FieldRef<'a>, ValueRef<'a, 'i>);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let bits = match NonZeroU32::new(self.bits) {
                Some(bits) => bits,
                None if self.page.left == 0 => return None,
                None => {
                    let view = &self.view;
                    let group = next_group(view.words, view.base, view.layout, self.page.left)?;
                    (self.page, self.slots) = (group.page, group.slots);
                    group.bits
                }
            };
            self.bits = bits.get() & (bits.get() - 1);
            let bit = bits.trailing_zeros();
            let field = &self.page.fields[bit as usize & (PAGE - 1)];
            let slot = self.slots + field.slot as u32;
            self.slots += self.view.layout.stride;
            let value = self.view.value(
                field.form,
                self.view.slot_at(slot),
                || self.view.sub(field.sub),
                || field.elements,
                checked,
            );
            if let Some(value) = value {
                return Some((self.view.own_at(self.page.first + bit as u16), value));
            }
        }
    }
}

impl FusedIterator for Fields<'_, '_> {}
