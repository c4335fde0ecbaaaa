//! [`Batch`]: the rows of a batch that is being filled.

use super::columns::{Bits, Bools, Dictionary, Gathered, Names, Numbers, Source, Texts, Times, Zeros};
use super::keys::MapKeys;
use super::lists::{List, Union};
use arrow_buffer::Buffer;
use tablepb::{DecodeOptions, Decoder};

/// No column, list, node or oneof.
pub(super) const NONE: u32 = u32::MAX;
/// The start of the table of a message that is ignored: no slot is there.
pub(super) const IGNORED: usize = usize::MAX / 2;
/// Marks the node of a message that is a time, whose end makes its value.
pub(super) const TIME: u32 = 1 << 31;

/// Where the values of a field go. Its size is a power of two, because it is looked up for each message.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Slot {
    pub(super) kind: SlotKind,
    pub(super) how: How,
    /// The place among the columns of its kind; for messages, the node.
    pub(super) column: u32,
    /// The list, or for members of unions the union.
    pub(super) list: u32,
    /// The oneof.
    pub(super) oneof: u32,
    /// The member of the oneof; of a union, its type id.
    pub(super) member: u32,
}

impl Slot {
    pub(super) const ABSENT: Self =
        Self { kind: SlotKind::Value, how: How::Absent, column: NONE, list: NONE, oneof: NONE, member: 0 };
}

/// What a slot is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlotKind {
    /// Numbers, strings, and what is ignored: the type of the value says which kind of column it goes to.
    Value,
    /// An enum as a name, and as a dictionary.
    Name,
    Dictionary,
    /// A message; an entry of a map.
    Struct,
    Map,
    /// A message that is one value: a time, which is also `column`; a wrapper of such a column.
    Time(u32),
    Wrapper(Scalar, u32),
    /// A message that is kept as bytes.
    Cut,
    /// The fields of a time.
    Seconds,
    Nanos,
}

/// The kinds of columns that wrappers have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    Bool,
    I32,
    I64,
    U32,
    U64,
    F32,
    F64,
    Text,
}

/// How a value comes into its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// In the row of the message.
    Plain,
    /// As the next element of a list.
    List,
    /// As [`Plain`](Self::Plain), if no other member of its oneof is there.
    Oneof,
    /// Into the child of a union.
    Union,
    /// Not at all.
    Absent,
    /// Not at all, but other members of the oneof must not be there.
    AbsentMember,
}

/// The columns of a message type in one place of the schema.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    /// Where its slots start in the table, one for each field in the order of the numbers.
    pub(super) base: usize,
    /// The bytes of a row in which nothing is set.
    pub(super) width: usize,
    /// How many messages there are, for lists and unions.
    pub(super) count: usize,
    pub(super) valid: Bits,
    pub(super) nullable: bool,
    /// The column of unknown fields, or [`NONE`].
    pub(super) unknown: u32,
    /// If its messages are times, their column, or else [`NONE`].
    pub(super) time: u32,
}

/// The columns, by kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Stores {
    pub(super) bools: Vec<Bools>,
    pub(super) i32s: Vec<Numbers<i32>>,
    pub(super) i64s: Vec<Numbers<i64>>,
    pub(super) u32s: Vec<Numbers<u32>>,
    pub(super) u64s: Vec<Numbers<u64>>,
    pub(super) f32s: Vec<Numbers<f32>>,
    pub(super) f64s: Vec<Numbers<f64>>,
    pub(super) texts: Vec<Texts>,
    pub(super) names: Vec<Names>,
    pub(super) dictionaries: Vec<Dictionary>,
    pub(super) times: Vec<Times>,
    pub(super) gathered: Vec<Gathered>,
    pub(super) lists: Vec<List>,
    /// Of each list that is a map, its keys.
    pub(super) map_keys: Vec<Option<MapKeys>>,
    pub(super) unions: Vec<Union>,
    /// Of each oneof the row, counted from 1, and the member that came last.
    pub(super) oneofs: Vec<(usize, u32)>,
    /// Decoders that check messages that are kept as bytes, one for each such column of `gathered`.
    pub(super) checks: Vec<Option<(Decoder, DecodeOptions)>>,
}

/// Why a row cannot be taken as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// A member of a oneof comes after another one, or a map has a key twice: the message is to be put in order first.
    OutOfOrder,
    /// A message that is kept as bytes is not valid.
    Invalid,
    /// A time does not fit.
    Time,
    /// A message has no JSON form.
    NoJson,
    /// The row takes more memory than it may.
    Budget,
    /// A buffer is full.
    Full,
}

/// A message around the one that is being read.
#[derive(Clone, Copy, Debug)]
struct Frame {
    base: usize,
    row: usize,
    node: u32,
    /// Where steps go on.
    resume: (u32, u32),
}

/// The rows of a batch that is being filled, and the row that is being read.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) table: Vec<Slot>,
    /// Of each slot the column, if the field is plain, or else [`NONE`].
    pub(super) plain: Vec<u32>,
    pub(super) nodes: Vec<Node>,
    pub(super) stores: Stores,
    /// The blocks that views point into.
    pub(super) blocks: Vec<Buffer>,
    /// What columns share for which nothing came.
    pub(super) zeros: Zeros,
    pub(super) source: Source,
    /// The number of rows.
    pub(super) rows: usize,
    /// The message that is being read: its slots, its row in their columns, its node.
    pub(super) base: usize,
    pub(super) row: usize,
    pub(super) node: u32,
    frames: Vec<Frame>,
    /// Where [`Steps`](super::steps::Steps) go on after the message that begins next: its end, and the step.
    pub(super) resume: (u32, u32),
    pub(super) fault: Option<Fault>,
    /// The bytes that lists of messages added to the row, and how many there may be.
    pub(super) spent: usize,
    pub(super) allowed: usize,
    /// Maps with more than one entry: the list, and the row in it.
    pub(super) maps: Vec<(u32, usize)>,
    pub(super) max_depth: u32,
}

impl Batch {
    pub(super) fn new(table: Vec<Slot>, nodes: Vec<Node>, stores: Stores, max_depth: u32) -> Self {
        let is_plain = |slot: &Slot| slot.kind == SlotKind::Value && slot.how == How::Plain;
        Self {
            plain: table.iter().map(|slot| if is_plain(slot) { slot.column } else { NONE }).collect(),
            table,
            nodes,
            stores,
            blocks: Vec::new(),
            zeros: Zeros::default(),
            source: Source::Copied,
            rows: 0,
            base: 0,
            row: 0,
            node: 0,
            frames: Vec::new(),
            resume: (0, 0),
            fault: None,
            spent: 0,
            allowed: 0,
            maps: Vec::new(),
            max_depth,
        }
    }

    /// A row begins.
    #[inline]
    pub(super) fn begin_row(&mut self, source: Source, allowed: usize) {
        (self.base, self.node, self.row) =
            (self.nodes.first().map_or(IGNORED, |root| root.base), 0, self.rows);
        (self.source, self.allowed, self.spent, self.fault) = (source, allowed, 0, None);
        self.frames.clear();
        self.maps.clear();
    }

    /// Notes why the row cannot be taken, and ignores the rest of it.
    #[cold]
    #[inline(never)]
    pub(super) fn fail(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
        (self.base, self.node) = (IGNORED, NONE);
        for frame in &mut self.frames {
            (frame.base, frame.node) = (IGNORED, NONE);
        }
    }

    /// The bytes of a row in which nothing is set.
    pub(super) fn root_width(&self) -> usize {
        self.nodes.first().map_or(0, |root| root.width)
    }

    /// Copies the strings if they are a small part of the blocks that they keep.
    pub(super) fn detach_few(&mut self) {
        let kept: usize = self.blocks.iter().map(Buffer::len).sum();
        let used: usize = self.stores.texts.iter().map(Texts::borrowed).sum();
        if used < kept / 4 {
            self.stores.texts.iter_mut().for_each(|column| column.detach(&self.blocks));
            self.blocks.clear();
        }
    }

    /// Forgets what is left of a batch whose columns were taken.
    pub(super) fn clear(&mut self) {
        self.rows = 0;
        self.blocks.clear();
        self.stores.oneofs.fill((0, 0));
    }

    /// The messages around the one that is being read.
    pub(super) fn depth(&self) -> u32 {
        self.frames.len() as u32
    }

    /// Goes into a message.
    #[inline(always)]
    pub(super) fn enter(&mut self, node: u32, base: usize, row: usize) {
        if self.frames.len() == self.frames.capacity() {
            self.more_frames();
        }
        self.frames.push(Frame { base: self.base, row: self.row, node: self.node, resume: self.resume });
        (self.base, self.row, self.node) = (base, row, node);
    }

    #[cold]
    #[inline(never)]
    fn more_frames(&mut self) {
        self.frames.reserve(16);
    }

    /// The start of the slots of a node.
    pub(super) fn base_of(&self, node: u32) -> usize {
        self.nodes.get(node as usize).map_or(IGNORED, |node| node.base)
    }

    /// Leaves it, and says which node and row it was; `None` in the outermost message. Sets where steps go on.
    #[inline(always)]
    pub(super) fn leave(&mut self) -> Option<(u32, usize)> {
        let left = (self.node, self.row);
        let frame = self.frames.pop()?;
        (self.base, self.row, self.node, self.resume) = (frame.base, frame.row, frame.node, frame.resume);
        Some(left)
    }

    /// Notes the member of a oneof; false if another member came before.
    #[inline(always)]
    pub(super) fn is_member(&mut self, oneof: u16, member: u32) -> bool {
        let now = (self.row + 1, member);
        let Some(oneof) = self.stores.oneofs.get_mut(usize::from(oneof)) else { return false };
        let is_first = oneof.0 != now.0 || oneof.1 == now.1;
        *oneof = now;
        is_first
    }

    /// Counts what a message of a list takes, before anything of it is read.
    #[inline(always)]
    pub(super) fn spend(&mut self, width: usize) -> bool {
        self.spent += width;
        if self.spent > self.allowed {
            self.fail(Fault::Budget);
        }
        self.spent <= self.allowed
    }

    /// The row in its column that a value goes to; `len` is the number of values that the column has.
    #[inline(always)]
    pub(super) fn place(&mut self, slot: Slot, len: usize) -> Option<usize> {
        match slot.how {
            How::Plain => Some(self.row),
            How::List => {
                self.stores.lists.get_mut(slot.list as usize)?.open(self.row, len);
                Some(len)
            }
            How::Oneof => {
                let now = (self.row + 1, slot.member);
                let oneof = self.stores.oneofs.get_mut(slot.oneof as usize)?;
                if oneof.0 == now.0 && oneof.1 != now.1 {
                    return self.out_of_order();
                }
                *oneof = now;
                Some(self.row)
            }
            _ => self.place_rare(slot, len),
        }
    }

    #[cold]
    #[inline(never)]
    fn out_of_order(&mut self) -> Option<usize> {
        self.fail(Fault::OutOfOrder);
        None
    }

    #[inline(never)]
    fn place_rare(&mut self, slot: Slot, len: usize) -> Option<usize> {
        if slot.how == How::Absent {
            return None;
        }
        let now = (self.row + 1, slot.member);
        let oneof = self.stores.oneofs.get_mut(slot.oneof as usize)?;
        if oneof.0 == now.0 && oneof.1 != now.1 {
            return self.out_of_order();
        }
        *oneof = now;
        match slot.how {
            How::Union => {
                let union = self.stores.unions.get_mut(slot.list as usize)?;
                Some(union.enter(self.row, slot.member as i8, len))
            }
            _ => None,
        }
    }
}
