//! Equality of messages.

use crate::engine::encode::RawEncoder;
use crate::engine::slab::{BodyRef, RawView, Walk, WalkStep};
use crate::message::{DynamicMessage, MessageView};
use crate::schema::program::{Coding, FieldEntry};
use crate::wire::error::EncodeErrorKind;
use crate::wire::options::EncodeOptions;
use crate::wire::short_varint;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

/// Two messages are equal if they have the same type of the same pool, the same fields set and the same values. Lists are
/// compared in order, maps in any order, numbers by their bits (a NaN equals itself, 0.0 and -0.0 differ), unknown fields by
/// their bytes. Messages that are kept as bytes are compared by their bytes, and never equal decoded ones.
///
/// Does not recurse. Messages nested more than eight deep need a little memory; the process aborts if the allocator fails.
impl PartialEq for MessageView<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        self.pool() == other.pool() && self.message() == other.message() && equal(self.raw(), other.raw())
    }
}

impl PartialEq for DynamicMessage {
    fn eq(&self, other: &Self) -> bool {
        self.as_view() == other.as_view()
    }
}

impl Eq for MessageView<'_, '_> {}
impl Eq for DynamicMessage {}

/// Walks over `a`, and keeps with each message the index and base of its counterpart in `b`.
fn equal(a: RawView<'_, '_>, b: RawView<'_, '_>) -> bool {
    if !same_outline(a, b) {
        return false;
    }
    let mut walk = Walk::new(a, b.body);
    let mut here = b;
    loop {
        match walk.next(BodyRef::NONE) {
            WalkStep::Field(position, entry, slot) => {
                if !same_value(walk.view(), here, position, entry, slot) {
                    return false;
                }
            }
            WalkStep::Enter(position) => {
                let child = walk.view();
                match counterpart(child, here, position, walk.element()) {
                    Some(other) if same_outline(child, other) => here = other,
                    _ => return false,
                }
                *walk.data() = here.body;
            }
            WalkStep::End => {
                if walk.leave().is_none() {
                    return true;
                }
                here = b.at(*walk.data());
            }
        }
    }
}

/// Whether the same fields are set, lists have the same lengths, and unknown fields or verbatim bytes are equal.
fn same_outline(a: RawView<'_, '_>, b: RawView<'_, '_>) -> bool {
    let (mut in_a, mut in_b) = (a.set_fields(), b.set_fields());
    loop {
        let next_a = next_set(a, &mut in_a);
        let next_b = next_set(b, &mut in_b);
        if next_a != next_b {
            return false;
        }
        if next_a.is_none() {
            break;
        }
    }
    if a.is_verbatim() != b.is_verbatim() || a.is_raw() != b.is_raw() {
        return false;
    }
    let unknown = |view: RawView<'_, '_>| view.spans().next().is_some();
    match (unknown(a), unknown(b)) {
        (false, false) => true,
        (true, true) => unknown_bytes(a).eq(unknown_bytes(b)),
        _ => false,
    }
}

/// The position of the next set field, and its length if it is a list. Skips empty lists.
fn next_set(view: RawView<'_, '_>, fields: &mut crate::engine::slab::SetFields) -> Option<(usize, u32)> {
    loop {
        let (position, entry, slot) = fields.next(view)?;
        if !entry.flags.is_list() {
            return Some((position, 0));
        }
        let len = view.words.list(slot).len;
        if len > 0 {
            return Some((position, len));
        }
    }
}

fn unknown_bytes<'i>(view: RawView<'_, 'i>) -> impl Iterator<Item = u8> {
    view.spans().flat_map(move |span| {
        let (tag, len) = span.tag.map_or(([0; 8], 0), |tag| short_varint(tag.into()));
        tag.into_iter().take(len).chain(view.bytes_at(span.offset, span.len).iter().copied())
    })
}

fn same_value(
    a: RawView<'_, '_>,
    b: RawView<'_, '_>,
    position: usize,
    entry: &FieldEntry,
    slot: u32,
) -> bool {
    let Some(other) = b.slot(position, entry) else {
        // An empty list equals an unset one.
        return entry.flags.is_list() && a.words.list(slot).len == 0;
    };
    let spans = matches!(entry.coding, Coding::String | Coding::Bytes);
    if entry.flags.is_list() {
        let (x, y) = (a.list(entry, slot), b.list(entry, other));
        return match spans {
            true => x.len() == y.len() && (0..x.len()).all(|i| x.span(i) == y.span(i)),
            false => x.run() == y.run(),
        };
    }
    match entry.coding {
        _ if spans => a.span(slot) == b.span(other),
        _ => a.scalar(entry, slot) == b.scalar(entry, other),
    }
}

/// The message in `b`, the other parent, that corresponds to `child`.
fn counterpart<'a, 'i>(
    child: RawView<'_, '_>,
    b: RawView<'a, 'i>,
    position: usize,
    element: u32,
) -> Option<RawView<'a, 'i>> {
    // A projection may have decoded one of the two, so `b` may have another program than `a`.
    let entry = b.program().entries().get(position)?;
    let slot = b.slot(position, entry)?;
    if !entry.flags.is_list() {
        return Some(b.child(entry, slot));
    }
    let list = b.list(entry, slot);
    let at = if entry.flags.is_map() { list.map_find(child.map_key())? } else { element };
    (at < list.len()).then(|| list.message(at))
}

// Hashes of messages.

/// Map entries in the order of their keys, so that equal messages are equal bytes.
const ALL: EncodeOptions = EncodeOptions::new().deterministic(true).allow_partial(true).max_depth(u32::MAX);

/// Equal messages have equal hashes. Costs an encode with maps in key order, and memory for it.
///
/// # Panics
/// If the allocator fails.
impl Hash for MessageView<'_, '_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.descriptor().hash(state);
        let mut bytes = Vec::new();
        match RawEncoder::new(self.raw(), ALL).append(&mut bytes, false) {
            Ok(_) => bytes.hash(state),
            Err(error) if error.kind() == EncodeErrorKind::OutOfMemory => panic!("{error}"),
            // Above 2 GiB. Equal messages are of equal length.
            Err(_) => self.encoded_len().hash(state),
        }
    }
}

/// As for a [`MessageView`].
impl Hash for DynamicMessage {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_view().hash(state);
    }
}
