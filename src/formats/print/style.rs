//! [`Style`]: what JSON and the text format print differently.

use super::{text, text_in};
use crate::engine::slab::{RawList, RawView};
use crate::schema::pool::{DescriptorPool, FieldFormats, FieldRef, FormatField};
use crate::schema::program::{FieldEntry, Program};
use crate::wire::Full;
use crate::wire::error::DecodeError;

/// What a frame iterates over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    /// The fields of a message that are set.
    Fields,
    /// All fields of a message, one by one.
    EveryField,
    /// Key and value of a map entry that is a message.
    Entry,
    /// The messages of a list.
    List,
    /// The entries of a map.
    Map,
    /// Nothing: an `Any`, whose content has frames of its own.
    Any,
}

/// An object, message or list that is open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Open {
    pub(crate) over: Over,
    /// How many are open, as the style counts them.
    pub(crate) level: u32,
    /// Nothing has been written inside.
    pub(crate) first: bool,
    /// It is the content of an `Any` that goes on in the object of the `Any`.
    pub(crate) inside: bool,
}

/// How a message is printed.
pub(crate) enum Form<'a, 'i> {
    /// By its fields.
    Fields,
    /// It has been printed.
    Done,
    /// As this message, one level deeper.
    As(RawView<'a, 'i>),
    /// As its first field, a list or map.
    FirstField,
    /// An `Any` with this content, of this type.
    Any(&'i [u8], u32),
}

/// A form of text for messages.
pub(crate) trait Style<'p> {
    type Error: From<Full>;
    /// The entries of a map are members of an object, in any order; otherwise they are messages in a list, ordered by their keys.
    const OBJECTS: bool;

    fn pool(&self) -> &'p DescriptorPool;
    fn has_failed(&self) -> bool;
    /// Fields are printed in the order of their declarations.
    fn declared_order(&self) -> bool;
    /// Fields without presence are printed if they are not set, too.
    fn shows_unset(&self) -> bool;
    /// Unknown fields are printed.
    fn shows_unknown(&self) -> bool;

    /// The level of what is opened inside of something of the level `around`.
    fn level(&self, around: Option<u32>, over: Over, inside: bool) -> u32;
    fn open(&mut self, open: &Open);
    fn close(&mut self, open: &Open);
    /// The name of a field, and what separates it from the one before.
    fn name(&mut self, program: &Program, field: FormatField<'p>, first: bool, level: u32);
    /// Between a name and a message.
    fn before_message(&mut self);
    /// Between a name and any other value.
    fn before_value(&mut self);
    /// Before an element of a list.
    fn before_element(&mut self, first: bool, level: u32);
    /// A list or map without elements.
    fn nothing(&mut self, map: bool);

    /// A number.
    fn number(&mut self, field: FormatField<'p>, entry: &FieldEntry, word: u64);
    /// The first `len` bytes of `rest`, of a field of strings or bytes.
    fn text(&mut self, entry: &FieldEntry, rest: &[u8], len: usize);
    /// A list of numbers on one line, by the words of its elements.
    fn numbers(&mut self, field: FormatField<'p>, entry: &FieldEntry, run: &[u32]);
    /// Whether lists of scalars are on one line.
    fn on_one_line(&self) -> bool;
    /// The key of an entry, which is a string whatever its type.
    fn key(&mut self, entry: &FieldEntry, word: u64, text: (&[u8], usize));

    /// Whether a message may be so deep.
    fn may_nest(&self, depth: u32) -> Result<(), Self::Error>;
    /// How a message is printed.
    fn form<'a, 'i>(&mut self, view: RawView<'a, 'i>, depth: u32) -> Result<Form<'a, 'i>, Self::Error>;
    /// Whether messages of this field are printed by [`flat`](Self::flat).
    fn is_flat(&self, names: FieldFormats<'p>, position: usize, depth: u32) -> bool;
    /// A message of singular scalars, as a whole.
    fn flat(&mut self, view: RawView<'_, '_>);
    /// An `Any` begins whose content has this type.
    fn begin_any(&mut self, url: &[u8], content: u32, open: &Open);
    /// Bytes are no message. An error ends all; otherwise they are printed by their numbers.
    fn undecoded(&self, error: &DecodeError) -> Result<(), Self::Error>;
    /// Whether the content of an `Any` that lacks required fields is printed as bytes.
    fn needs_whole_any(&self) -> bool;
    /// The unknown fields of a message; returns whether nothing is written inside still.
    fn unknown(&mut self, view: RawView<'_, '_>, open: &Open) -> Result<bool, Self::Error>;
    /// Bytes that are no message, in the place of one.
    fn invalid<'i>(&mut self, parts: impl Iterator<Item = &'i [u8]>, level: u32) -> Result<(), Self::Error>;

    /// A scalar at a slot.
    #[inline(always)]
    fn scalar(&mut self, field: FormatField<'p>, entry: &FieldEntry, view: RawView<'_, '_>, slot: u32) {
        if entry.coding.is_text() {
            let (rest, len) = text(view, slot);
            self.text(entry, rest, len);
        } else {
            self.number(field, entry, view.scalar(entry, slot));
        }
    }

    /// A list of scalars, of which there is at least one.
    fn scalars(&mut self, field: FormatField<'p>, entry: &FieldEntry, list: RawList<'_, '_>, level: u32) {
        if !entry.coding.is_text() && self.on_one_line() {
            return self.numbers(field, entry, list.run());
        }
        let over = Over::List;
        let mut open = Open { over, level: self.level(Some(level), over, false), first: true, inside: false };
        self.open(&open);
        for value in list.run().chunks_exact(entry.coding.words() as usize) {
            self.before_element(core::mem::replace(&mut open.first, false), open.level);
            let word = match *value {
                [low, high] => u64::from(low) | u64::from(high) << 32,
                _ => value.first().copied().unwrap_or_default().into(),
            };
            if entry.coding.is_text() {
                let (rest, len) = text_in(list.view.store, word);
                self.text(entry, rest, len);
            } else {
                self.number(field, entry, word);
            }
        }
        self.close(&open);
    }

    /// The scalar of a field that is not set and has no presence, or of an entry that lacks its key or value.
    fn default(&mut self, field: FieldRef<'p>, entry: &FieldEntry) {
        if entry.coding.is_text() {
            return self.text(entry, &[], 0);
        }
        let word = match entry.scalar() {
            crate::schema::program::Scalar::Enum => field.default_number() as u32 as u64,
            _ => 0,
        };
        let of = (self.pool().field_formats(field.message_index()), field.position() as usize);
        self.number(of, entry, word);
    }
}
