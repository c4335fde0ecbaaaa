//! [`MemberView`]: a struct as printers see it, by what it shows of its members.
//!
//! What is no message in memory is decoded first, as in slabs: members that keep bytes, values that are encoded as a message, and messages with
//! unknown fields that their schema knows (a number that a closed enum does not list).

use super::view::BLOCK;
use super::{Fault, Over, Place, PrintView, Printing, Step, Stored, Style, encoded_fields, print_slab};
use crate::message::Detached;
use crate::schema::member::{Encodes, MemberRef, Members, Part};
use crate::schema::program::{Coding, FieldEntry, Program, ProgramSet};
use crate::wire::{Full, Tag, WireType};
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::marker::PhantomData;

/// A struct, or something that stands for a message in one.
#[derive(Clone, Copy)]
enum Node<'m> {
    Message(&'m dyn Members),
    Encoded(&'m [u8]),
    Made(&'m dyn Encodes),
    /// A map entry: key and value.
    Entry([MemberRef<'m>; 2]),
    /// A message without fields.
    Empty,
}

/// A message of a struct, and its program.
#[derive(Clone, Copy)]
pub(crate) struct MemberBody<'m> {
    node: Node<'m>,
    program: u32,
}

/// Messages in structs.
pub(crate) struct InStruct<'m>(PhantomData<&'m ()>);

impl<'m> Stored for InStruct<'m> {
    type Body = MemberBody<'m>;
    type Slot = MemberRef<'m>;
    type Cursor = MemberCursor;
    type Entries = Vec<[MemberRef<'m>; 2]>;
    /// Numbers and values of the fields that are set, of the messages that are open.
    type Fields = Vec<(u32, MemberRef<'m>)>;

    #[inline]
    fn end(cursor: &MemberCursor, fields: &mut Vec<(u32, MemberRef<'m>)>) {
        fields.truncate(cursor.start);
    }
}

/// How far the fields of a message have been read.
#[derive(Clone, Copy)]
pub(crate) struct MemberCursor {
    /// Its fields in the list of all.
    start: usize,
    next: usize,
    end: usize,
    /// The position in the program where the next field is looked for.
    position: usize,
}

/// A struct as a message of a schema.
#[derive(Clone, Copy)]
pub(crate) struct MemberView<'a, 'm> {
    set: &'a ProgramSet,
    body: MemberBody<'m>,
}

/// A list or map of a struct.
#[derive(Clone, Copy)]
pub(crate) struct MemberList<'a, 'm> {
    set: &'a ProgramSet,
    owner: Node<'m>,
    number: u32,
    len: usize,
    /// The program of its messages.
    sub: u32,
    /// Its enum is closed: numbers that it does not list are no elements.
    closed: bool,
}

/// Prints a struct whose schema has the program `index`.
///
/// # Errors
/// As [`print_slab`].
pub(crate) fn print_members<'p, P: Style<'p>>(
    style: &mut P,
    message: &dyn Members,
    index: u32,
    place: Place,
) -> Result<(), Fault<P::Error>> {
    let set = style.pool().programs();
    let root = MemberView { set, body: MemberBody { node: Node::Message(message), program: index } };
    let mut printing = Printing::<P, InStruct<'_>>::new(style, place);
    let done = printing.run(root);
    done.map_err(|error| (error, printing.path()))
}

impl<'m, 'p, P: Style<'p>> Printing<'_, P, InStruct<'m>> {
    fn run(&mut self, root: MemberView<'_, 'm>) -> Result<(), P::Error> {
        let mut next = self.open(root, self.place.depth)?;
        loop {
            if let Step::Decode(body, content, depth) = next {
                self.decode(root.at(body), content, depth)?;
                next = Step::GoOn;
            } else if self.frames.is_empty() {
                return Ok(());
            } else {
                next = self.steps(root, 0)?;
            }
            if self.style.has_failed() {
                return Err(Full::NoMemory.into());
            }
        }
    }

    /// Decodes a message, or the content of an `Any`, and prints it.
    fn decode(
        &mut self,
        view: MemberView<'_, 'm>,
        content: Option<(&'m [u8], u32)>,
        depth: u32,
    ) -> Result<(), P::Error> {
        let mut options = self.style.decode_options(self.level_inside(), depth);
        let made;
        let encoded = match (content, view.body.node) {
            (Some(content), _) => content,
            (None, Node::Encoded(bytes)) => (bytes, view.body.program),
            (None, node) => {
                // What is in memory as a struct may be in memory once more.
                options = options.budget(usize::MAX);
                let bytes = match node {
                    Node::Message(message) => message.encoded(),
                    Node::Made(message) => message.encoded(),
                    _ => Ok(Vec::new()),
                };
                made = bytes.map_err(|error| self.style.unencoded(error))?;
                (&made[..], view.body.program)
            }
        };
        let set = self.style.pool().programs();
        match Detached::encoded(set, encoded, &options) {
            Ok(decoded) if content.is_none() || self.is_whole(decoded.view(set)) => {
                self.begin_any(view, content, depth)?;
                let last = self.frames.last();
                let level = last.map_or(self.place.level, |frame| Some(frame.open.level));
                let inside = last.map_or(self.place.inside, |frame| frame.open.over == Over::Any);
                print_slab(self.style, decoded.view(set), Place { level, depth, inside }).map_err(
                    |(error, path)| {
                        self.inside = path;
                        error
                    },
                )
            }
            decoded => {
                decoded.map_or_else(|error| self.undecoded(&error, encoded.1), |_| Ok(()))?;
                match content {
                    Some(_) => self.push_fields(view, depth),
                    None => self.style.invalid(core::iter::once(encoded.0), self.level_inside()),
                }
            }
        }
    }
}

impl<'a, 'm> MemberView<'a, 'm> {
    fn with(self, node: Node<'m>, program: u32) -> Self {
        Self { body: MemberBody { node, program }, ..self }
    }

    /// A message in the place of a value.
    fn message(self, value: MemberRef<'m>, program: u32) -> Self {
        let node = match value {
            MemberRef::Message(message) => Node::Message(message),
            MemberRef::Encoded(bytes) => Node::Encoded(bytes),
            MemberRef::Made(message) => Node::Made(message),
            _ => Node::Empty,
        };
        self.with(node, program)
    }

    /// Whether a value is one of the field: numbers that a closed enum does not list are unknown fields.
    #[inline(always)]
    fn is_listed(self, entry: &FieldEntry, value: MemberRef<'m>) -> bool {
        match value {
            _ if entry.coding != Coding::ClosedEnum => true,
            MemberRef::Scalar(word) => self.set.enum_contains(entry.sub, word as i32),
            MemberRef::List(_) => self.list(entry, value).count() != 0,
            _ => true,
        }
    }

    /// Whether a field has values that its closed enum does not list.
    #[cold]
    fn has_unlisted(self, entry: &FieldEntry) -> bool {
        let Node::Message(message) = self.body.node else { return false };
        match message.read(entry.number(), Part::Whole) {
            MemberRef::Scalar(word) => !self.set.enum_contains(entry.sub, word as i32),
            MemberRef::List(len) => self.list(entry, MemberRef::List(len)).count() != len,
            // Values are looked at by who goes through the map.
            MemberRef::Map(len) => {
                let list = self.list(entry, MemberRef::Map(len));
                self.entries(list, false).is_none_or(|entries| entries.len() != len)
            }
            _ => false,
        }
    }
}

impl MemberList<'_, '_> {
    /// The number of elements that are listed.
    #[cold]
    fn count(self) -> usize {
        let (mut from, mut count, mut block) = (0, 0, [0; BLOCK]);
        while from < self.len {
            count += MemberView::block(self, &mut from, &mut block);
        }
        count
    }
}

impl<'a, 'm> PrintView<'a, 'm> for MemberView<'a, 'm> {
    type Stored = InStruct<'m>;
    type List = MemberList<'a, 'm>;

    fn at(self, body: MemberBody<'m>) -> Self {
        Self { body, ..self }
    }

    fn body(self) -> MemberBody<'m> {
        self.body
    }

    fn program(self) -> &'a Program {
        self.set.program(self.body.program)
    }

    #[inline]
    fn is_encoded(self, all: bool) -> bool {
        let message = match self.body.node {
            Node::Message(message) => message,
            Node::Encoded(_) | Node::Made(_) => return true,
            Node::Entry(_) | Node::Empty => return false,
        };
        let (kept, entries) = (message.kept(), self.program().entries());
        let is_closed = |entry: &&FieldEntry| {
            let of = if entry.flags.is_map() {
                self.set.program(entry.sub).entries().get(1)
            } else {
                Some(*entry)
            };
            of.is_some_and(|entry| entry.coding == Coding::ClosedEnum)
        };
        (!kept.is_empty() && !are_unknown(kept, entries))
            || all && entries.iter().filter(is_closed).any(|entry| self.has_unlisted(entry))
    }

    fn cursor(self, fields: &mut Vec<(u32, MemberRef<'m>)>) -> Option<MemberCursor> {
        let start = fields.len();
        let collected = match self.body.node {
            Node::Message(message) => message.collect(fields),
            _ => true,
        };
        let end = fields.len();
        collected.then_some(MemberCursor { start, next: start, end, position: 0 })
    }

    #[inline]
    fn next(
        self,
        program: &'a Program,
        cursor: &mut MemberCursor,
        fields: &Vec<(u32, MemberRef<'m>)>,
    ) -> Option<(usize, &'a FieldEntry, MemberRef<'m>)> {
        while cursor.next < cursor.end
            && let Some(&(number, value)) = fields.get(cursor.next)
        {
            cursor.next += 1;
            // Both are in the order of numbers, so each entry is passed over once.
            let entry = loop {
                let entry = program.entries().get(cursor.position)?;
                cursor.position += 1;
                if entry.number() == number {
                    break entry;
                }
            };
            if self.is_listed(entry, value) {
                return Some((cursor.position - 1, entry, value));
            }
        }
        None
    }

    #[inline]
    fn slot(self, position: usize, entry: &FieldEntry) -> Option<MemberRef<'m>> {
        let value = match self.body.node {
            Node::Message(message) => message.read(entry.number(), Part::Whole),
            Node::Entry(pair) => pair.get(position).copied().unwrap_or(MemberRef::Unset),
            _ => MemberRef::Unset,
        };
        let set = !matches!(value, MemberRef::Unset | MemberRef::List(0) | MemberRef::Map(0));
        (set && self.is_listed(entry, value)).then_some(value)
    }

    #[inline]
    fn word(self, _: &FieldEntry, slot: MemberRef<'m>) -> u64 {
        if let MemberRef::Scalar(word) = slot { word } else { 0 }
    }

    #[inline]
    fn text(self, slot: MemberRef<'m>) -> (&'m [u8], usize) {
        if let MemberRef::Bytes(bytes) = slot { (bytes, bytes.len()) } else { (&[], 0) }
    }

    fn child(self, entry: &FieldEntry, slot: MemberRef<'m>) -> Self {
        self.message(slot, entry.sub)
    }

    fn empty(self, entry: &FieldEntry) -> Self {
        self.with(Node::Empty, entry.sub)
    }

    fn list(self, entry: &FieldEntry, slot: MemberRef<'m>) -> MemberList<'a, 'm> {
        let len = if let MemberRef::List(len) | MemberRef::Map(len) = slot { len } else { 0 };
        let closed = entry.coding == Coding::ClosedEnum;
        MemberList {
            set: self.set,
            owner: self.body.node,
            number: entry.number(),
            len,
            sub: entry.sub,
            closed,
        }
    }

    fn len(list: MemberList<'a, 'm>) -> usize {
        list.len
    }

    fn block(list: MemberList<'a, 'm>, from: &mut usize, block: &mut [u64; BLOCK]) -> usize {
        while *from < list.len
            && let Node::Message(owner) = list.owner
            && let MemberRef::List(mut count @ 1..) = owner.read(list.number, Part::Scalars(*from, block))
        {
            *from += count;
            if list.closed {
                let (all, mut kept) = (*block, 0);
                for word in all.into_iter().take(count) {
                    if list.set.enum_contains(list.sub, word as i32)
                        && let Some(place) = block.get_mut(kept)
                    {
                        *place = word;
                        kept += 1;
                    }
                }
                count = kept;
            }
            if count > 0 {
                return count;
            }
        }
        0
    }

    fn text_at(list: MemberList<'a, 'm>, index: usize) -> (&'m [u8], usize) {
        let Node::Message(owner) = list.owner else { return (&[], 0) };
        match owner.read(list.number, Part::Element(index)) {
            MemberRef::Bytes(bytes) => (bytes, bytes.len()),
            _ => (&[], 0),
        }
    }

    fn message_at(self, list: MemberList<'a, 'm>, index: usize) -> Self {
        let value = match list.owner {
            Node::Message(owner) => owner.read(list.number, Part::Element(index)),
            _ => MemberRef::Unset,
        };
        self.message(value, list.sub)
    }

    fn entries(self, list: MemberList<'a, 'm>, sorted: bool) -> Option<Vec<[MemberRef<'m>; 2]>> {
        let mut entries = Vec::new();
        entries.try_reserve_exact(list.len).ok()?;
        if let Node::Message(owner) = list.owner {
            owner.read(list.number, Part::Entries(&mut entries));
        }
        if let [key, value, ..] = self.set.program(list.sub).entries() {
            if value.coding == Coding::ClosedEnum {
                // An entry whose value the enum does not list is unknown as a whole.
                entries.retain(|[_, number]| match number {
                    MemberRef::Scalar(word) => self.set.enum_contains(value.sub, *word as i32),
                    _ => true,
                });
            }
            if sorted {
                entries.sort_unstable_by(|[one, _], [other, _]| compare(one, other, key));
            }
        }
        Some(entries)
    }

    fn pair(self, list: MemberList<'a, 'm>, entries: &Vec<[MemberRef<'m>; 2]>, index: usize) -> Option<Self> {
        entries.get(index).map(|&pair| self.with(Node::Entry(pair), list.sub))
    }

    fn unknown(self) -> impl Iterator<Item = (Tag, &'m [u8])> {
        encoded_fields(if let Node::Message(message) = self.body.node { message.kept() } else { &[] })
    }
}

/// Compares keys of a map, as the deterministic encoding orders them.
fn compare(one: &MemberRef<'_>, other: &MemberRef<'_>, key: &FieldEntry) -> Ordering {
    match (one, other) {
        (MemberRef::Bytes(one), MemberRef::Bytes(other)) => one.cmp(other),
        (MemberRef::Scalar(one), MemberRef::Scalar(other)) if key.flags.is_signed() => {
            (*one as i64).cmp(&(*other as i64))
        }
        (MemberRef::Scalar(one), MemberRef::Scalar(other)) => one.cmp(other),
        _ => Ordering::Equal,
    }
}

/// Whether all of these fields are none of the message: a struct can keep a field that is known, with a number that its enum
/// does not have. What may not be valid counts as known.
#[cold]
fn are_unknown(fields: &[u8], entries: &[FieldEntry]) -> bool {
    let mut reader = crate::wire::Reader::new(fields);
    while let Ok(tag) = reader.next_tag() {
        let Some(tag) = tag else { return true };
        let known = entries.iter().any(|entry| entry.number() == tag.number());
        if known || tag.wire_type() == WireType::StartGroup || reader.skip_field(tag).is_err() {
            return false;
        }
    }
    false
}
