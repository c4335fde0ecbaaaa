//! A dynamic message straight into a struct.
//!
//! ```text
//! message: for each field that is set, the member of its number, and
//!     a scalar, a string:  into the member
//!     a list, a map:       each element, made and filled
//!     a message:           into the member, one level deeper
//! unknown fields are decoded into the struct
//! ```
//!
//! What is rare stops the source: a field of another kind than the member, messages that are kept as bytes. The struct is then made by way of
//! the encoding, whose result counts.

use crate::engine::slab::{BodyRef, RawList, RawView, text_at};
use crate::schema::program::{Coding, FieldEntry};
use crate::schema::table::{Cardinality, TableKind};
use crate::structs::decode::input::Input;
use crate::structs::grammar::kinds::{KindMarker, ScalarKind};
use crate::structs::members::field::ScalarValue;
use crate::structs::walk::fill::{Filled, MemberSource, Stop};
use crate::structs::{DecodeField, DecodeFrom, DecodeValue, List, VisitMember};
use crate::wire::options::DecodeOptions;
use crate::wire::{utf8, zigzag32, zigzag64};
use alloc::{string::String, vec::Vec};

/// How a slab keeps values of a kind.
const fn coding_of<K: KindMarker>() -> Coding {
    match K::VALUE {
        TableKind::Int32 | TableKind::Enum(_) => Coding::Int32,
        TableKind::Uint32 => Coding::Uint32,
        TableKind::Int64 | TableKind::Uint64 => Coding::Varint64,
        TableKind::Sint32 => Coding::Sint32,
        TableKind::Sint64 => Coding::Sint64,
        TableKind::Bool => Coding::Bool,
        TableKind::Fixed32 | TableKind::Sfixed32 | TableKind::Float => Coding::Fixed32,
        TableKind::Fixed64 | TableKind::Sfixed64 | TableKind::Double => Coding::Fixed64,
        TableKind::String => Coding::String,
        TableKind::Bytes => Coding::Bytes,
        TableKind::Message(_) if K::DELIMITED => Coding::Group,
        TableKind::Message(_) => Coding::Message,
    }
}

/// Whether a field has the same form on the wire as the member, and the same number of values. Strings may be bytes, and enums closed.
#[inline(always)]
fn fits<K: KindMarker>(entry: &FieldEntry) -> bool {
    let (is_list, is_map) = const { (matches!(K::CARDINALITY, Cardinality::Repeated), K::MAP_KEY.is_some()) };
    if entry.flags.is_list() != is_list || entry.flags.is_map() != is_map {
        return false;
    }
    is_map
        || match (entry.coding, const { coding_of::<K>() }) {
            (Coding::ClosedEnum, Coding::Int32)
            | (Coding::Bytes, Coding::String)
            | (Coding::String, Coding::Bytes) => true,
            (field, member) => field == member,
        }
}

/// A struct with the content of a message, if the source did not stop. Required fields are not checked.
pub(super) fn fill<'i, M: DecodeFrom<'i>>(view: RawView<'_, 'i>, options: &DecodeOptions) -> Option<M> {
    let entry = FieldEntry::none(0);
    let input = Input::new(&[], options);
    let mut source = ViewSource {
        view,
        entry: &entry,
        slot: 0,
        is_element: false,
        input,
        options: *options,
        filled: None,
    };
    let mut message = M::unset();
    source.body(&mut message).ok()?;
    Some(message)
}

/// State of one fill.
struct ViewSource<'a, 'i> {
    /// The message that the current field belongs to.
    view: RawView<'a, 'i>,
    entry: &'a FieldEntry,
    /// Where the value is; of a message in a list, its body.
    slot: u32,
    /// The value is an element of the field.
    is_element: bool,
    input: Input<'i>,
    options: DecodeOptions,
    /// Of the last member that was visited.
    filled: Option<Filled>,
}

/// The bits of a scalar, as [`ScalarValue::from_raw`] takes them.
#[inline(always)]
fn raw_of<K: ScalarKind>(word: u64) -> u64 {
    match K::VALUE {
        TableKind::Sint32 => zigzag32(word as i32).into(),
        TableKind::Sint64 => zigzag64(word as i64),
        _ => word,
    }
}

impl<'a, 'i> ViewSource<'a, 'i> {
    /// The message that the source is at.
    fn body<M: DecodeFrom<'i>>(&mut self, message: &mut M) -> Filled {
        let view = self.view;
        if view.is_verbatim() || view.is_raw() || view.program().keeps_bytes() {
            return Err(Stop);
        }
        let mut fields = view.set_fields();
        while let Some((_, entry, slot)) = fields.next(view) {
            (self.entry, self.slot, self.is_element) = (entry, slot, false);
            // Stays `None` if the struct lacks the field.
            self.filled = None;
            message.__member(entry.number(), self);
            match self.filled {
                Some(filled) => filled?,
                None if M::__KEEPS_UNKNOWN => return Err(Stop),
                None => {}
            }
        }
        if view.spans().next().is_some() { self.unknown(message) } else { Ok(()) }
    }

    /// The unknown fields of the message that the source is at.
    #[cold]
    fn unknown<M: DecodeFrom<'i>>(&mut self, message: &mut M) -> Filled {
        let options = self.options.max_depth(self.input.depth_left);
        for span in self.view.spans() {
            let bytes = self.view.bytes_at(span.offset, span.len);
            // What has a tag apart from its bytes is an unlisted value of a closed enum.
            if span.tag.is_some() || options.merge(message, bytes).is_err() {
                return Err(Stop);
            }
        }
        Ok(())
    }

    fn list(&self) -> Result<RawList<'a, 'i>, Stop> {
        if self.is_element { Err(Stop) } else { Ok(self.view.list(self.entry, self.slot)) }
    }

    /// Goes to the key or value of the map entry that the source is at.
    #[inline(always)]
    fn part(&mut self, entry: BodyRef, position: usize) -> Filled {
        self.view.body = entry;
        self.is_element = false;
        self.entry = self.view.program().entries().get(position).ok_or(Stop)?;
        self.slot = self.view.slot(position, self.entry).ok_or(Stop)?;
        Ok(())
    }
}

impl<'a, 'i> MemberSource<'i> for ViewSource<'a, 'i> {
    type EntryValue = BodyRef;

    #[inline(always)]
    fn input(&mut self) -> &mut Input<'i> {
        &mut self.input
    }

    #[inline(always)]
    fn scalar<K: ScalarKind>(&mut self) -> Result<u64, Stop> {
        Ok(raw_of::<K>(self.view.scalar(self.entry, self.slot)))
    }

    #[inline]
    fn key<K: ScalarKind>(&mut self) -> Result<u64, Stop> {
        if fits::<K>(self.entry) { self.scalar::<K>() } else { Err(Stop) }
    }

    fn scalars<K: ScalarKind, T: ScalarValue<K>, L: List<T>>(&mut self, list: &mut L) -> Filled {
        let from = self.list()?;
        list.make_room(from.len() as usize, &mut self.input)?;
        let run = from.run();
        match self.entry.coding.words() {
            1 => run
                .iter()
                .try_for_each(|word| Ok(list.put(T::from_raw(raw_of::<K>((*word).into())).ok_or(Stop)?)?)),
            _ => run.as_chunks().0.iter().try_for_each(|[low, high]: &[u32; 2]| {
                let word = u64::from(*low) | u64::from(*high) << 32;
                Ok(list.put(T::from_raw(raw_of::<K>(word)).ok_or(Stop)?)?)
            }),
        }
    }

    #[inline]
    fn text(&mut self, text: &mut String) -> Filled {
        let found = self.borrowed_text()?;
        Ok(self.input.assign(text, found)?)
    }

    #[inline]
    fn bytes(&mut self, bytes: &mut Vec<u8>) -> Filled {
        let found = self.borrowed_bytes()?;
        Ok(self.input.assign_bytes(bytes, found)?)
    }

    #[inline]
    fn borrowed_text(&mut self) -> Result<&'i str, Stop> {
        let pair = self.view.words.get64(self.slot);
        let text = match self.entry.coding {
            Coding::String => text_at(self.view.words, self.view.store, pair),
            _ => utf8::from_utf8(self.view.pair(pair)),
        };
        text.ok_or(Stop)
    }

    #[inline]
    fn borrowed_bytes(&mut self) -> Result<&'i [u8], Stop> {
        Ok(self.view.span(self.slot))
    }

    fn message<M: DecodeFrom<'i>>(&mut self, message: &mut M) -> Filled {
        self.input.look_at_stack::<M>()?;
        let depth = self.input.depth_left.checked_sub(1).ok_or(Stop)?;
        let outer = (self.view.body, self.entry, self.slot, self.is_element);
        let base = if self.is_element { self.slot } else { self.view.child(self.entry, self.slot).body.base };
        self.view.body = BodyRef::of(self.entry, base);
        self.input.depth_left = depth;
        self.body(message)?;
        self.input.depth_left = depth + 1;
        (self.view.body, self.entry, self.slot, self.is_element) = outer;
        Ok(())
    }

    fn len_hint(&self) -> usize {
        self.list().map_or(0, |list| list.len() as usize)
    }

    #[inline(always)]
    fn elements(&mut self, mut fill: impl FnMut(&mut Self) -> Filled) -> Filled {
        let list = self.list()?;
        let is_message = self.entry.coding.is_message();
        for at in 0..list.len() {
            self.slot = if is_message { list.message_base(at) } else { list.at(at) };
            self.is_element = true;
            fill(self)?;
        }
        Ok(())
    }

    fn entries(&mut self, mut fill: impl FnMut(&mut Self, BodyRef) -> Filled) -> Filled {
        let list = self.list()?;
        let outer = self.view.body;
        self.input.depth_left = self.input.depth_left.checked_sub(1).ok_or(Stop)?;
        for at in 0..list.len() {
            let entry = list.message(at).body;
            self.part(entry, 0)?;
            fill(self, entry)?;
        }
        self.input.depth_left += 1;
        self.view.body = outer;
        Ok(())
    }

    #[inline]
    fn entry_value(&mut self, entry: BodyRef) -> Filled {
        self.part(entry, 1)
    }
}

impl<'i> VisitMember<'i> for ViewSource<'_, 'i> {
    #[inline(never)]
    fn field<K: KindMarker, F: DecodeField<'i, K>>(&mut self, field: &mut F) {
        self.filled = Some(if fits::<K>(self.entry) { field.fill(self) } else { Err(Stop) });
    }

    #[inline(never)]
    fn arm<K: KindMarker, T: DecodeValue<'i, K>>(&mut self, set: impl FnOnce(T)) {
        if !fits::<K>(self.entry) {
            self.filled = Some(Err(Stop));
            return;
        }
        let filled = self.aside(
            |input| T::fresh(input),
            |value, source| value.fill(source),
            |value, _| {
                set(value);
                Ok(())
            },
        );
        self.filled = Some(filled);
    }
}
