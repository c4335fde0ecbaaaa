//! Sub-messages without a frame: messages of strings and numbers, *leaves*, and *trees*, small messages of such messages and of lists.
//!
//! ```text
//! leaves(entry, leaf):                    # after the tag and the length of the first message, whose body is made
//!     loop:
//!         run the field loop over it
//!         if it stopped before the end: return it, to be continued as any other message
//!         store the hasbits
//!         if the same list continues: append the elements without content, make the next body; else the parent continues
//!
//! tree(entry, child):                     # the same; it recurses
//!     loop:
//!         run the field loop over it; where it stops: at a message, tree(); at a list, append the elements
//!         if anything else comes: empty the message and return it; it starts over in the general way
//!         store the hasbits
//!         if the same list continues: make the next body; else the parent continues
//! ```
//!
//! The parent stays where it is: it is neither written to the stack nor read from there.

use super::fields::Exit;
use super::machine::state::{
    Child, Context, FieldStart, Machine, Next, OpenMessage, mark_list_set, mark_set,
};
use crate::engine::slab::{BodyRef, Full, NIL, Slab};
use crate::schema::program::{FieldEntry, Op, Program};

/// Bytes of a tree. This bounds what is decoded twice if something else is in it.
const MAX_TREE: usize = 256;

/// What became of a field that the loop does not decode, or of a message with such fields.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Beyond {
    Decoded,
    /// The field is as it was: the general way continues with it.
    Not,
    /// A part of the field has been decoded: the message starts over.
    Partly,
}

impl<'r> OpenMessage<'r> {
    /// Makes the body of a sub-message, which the caller clears, and marks its field as set, in the common case: the message is dense, and the body fits
    /// in what the slab has. `None` is also a singular message that is set, which is merged into.
    #[inline(always)]
    pub(super) fn try_child(&mut self, slab: &mut Slab, entry: &FieldEntry, sub: &Program) -> Option<u32> {
        let slot = self.body.base + u32::from(entry.slot);
        let bit = 1u64 << (entry.bit & 63);
        // No arm may allocate, except in what the slab has already: growing it here would cost registers.
        let base = match (entry.op, self.hasbits & bit == 0) {
            (Op::Inline | Op::Group, true) if entry.flags.is_inline() => slot,
            (Op::Message | Op::Inline | Op::Group, true) => slab.try_body_at(slot, sub)?,
            (Op::ListMessage | Op::ListGroup | Op::Map, true) => slab.list_first_body(slot, sub)?,
            (Op::ListMessage | Op::ListGroup | Op::Map, false) => slab.list_push_body(slot, sub)?,
            _ => return None,
        };
        self.mark(entry);
        Some(base)
    }

    /// A message at its start, with an empty body.
    #[inline(always)]
    pub(super) fn begun(program: &'r Program, body: BodyRef, start: usize, end: usize) -> Self {
        Self { program, pos: start, end, hasbits: 0, body, group: 0, from: start }
    }

    /// Marks a field as set, and the other members of its oneof as unset.
    #[inline(always)]
    fn mark(&mut self, entry: &FieldEntry) {
        let others = if entry.flags.is_special() { self.program.oneof_mask(entry.oneof) } else { 0 };
        self.hasbits = (self.hasbits & !others) | 1u64 << (entry.bit & 63);
    }

    /// Ends a child that has been decoded, and begins the next element of its list if that follows with a tag of one byte and a length of one; everything
    /// else goes the general way.
    #[inline(always)]
    fn next_child(
        &mut self,
        child: &Self,
        bytes: &[u8],
        slab: &mut Slab,
        entry: &FieldEntry,
    ) -> Option<Self> {
        slab.set(child.body.base, child.hasbits as u32);
        self.pos = child.end;
        if !entry.flags.is_list() {
            return None;
        }
        let (slot, program) = (self.body.base + u32::from(entry.slot), child.program);
        let (mut start, mut end) = self.following_element(bytes, entry)?;
        if start == end {
            self.empty_elements(bytes, slab, entry, program, (slot, end)).ok()?;
            (start, end) = self.following_element(bytes, entry).filter(|(start, end)| start != end)?;
        }
        let base = match slab.list_push_body(slot, program) {
            Some(base) => {
                slab.clear_body(program, base);
                base
            }
            // If there is no memory, the general way reports it.
            None => slab.list_more(slot, program).ok()?,
        };
        Some(Self::begun(program, BodyRef::of(entry, base), start, end))
    }

    /// The content of the message that follows in the same list, if its tag has one byte, and its length too.
    #[inline(always)]
    fn following_element(&self, bytes: &[u8], entry: &FieldEntry) -> Option<(usize, usize)> {
        let &[tag, len] = bytes.get(self.pos..)?.first_chunk()?;
        let (start, end) = (self.pos + 2, self.pos + 2 + usize::from(len));
        let follows = tag < 0x80 && u32::from(tag) == entry.tag && len < 0x80 && end <= self.end;
        follows.then_some((start, end))
    }

    /// Sets the field of a message without content, which has no body of its own, and appends those that follow it in the same list. `end` is the offset
    /// after it.
    ///
    /// # Errors
    /// The list cannot grow. The field is set, and nothing was appended.
    #[inline(always)]
    pub(super) fn empty_child(
        &mut self,
        bytes: &[u8],
        slab: &mut Slab,
        entry: &FieldEntry,
        sub: &Program,
        end: usize,
    ) -> Result<(), Full> {
        let (program, base) = (self.program, self.body.base);
        if entry.flags.is_list() {
            let slot = mark_list_set(slab, program, base, &mut self.hasbits, entry)?;
            return self.empty_elements(bytes, slab, entry, sub, (slot, end));
        }
        match mark_set(slab, program, base, &mut self.hasbits, entry)? {
            // A message that is set stays as it is.
            (_, false) => {}
            (slot, true) if entry.flags.is_inline() => slab.clear_body(sub, slot),
            (slot, true) => slab.set(slot, NIL),
        }
        self.pos = end;
        Ok(())
    }

    /// Appends a message without content, which ends at `end`, to the list at `slot`, and those that follow it. If there is no memory for one of those, the
    /// position is at its tag.
    ///
    /// # Errors
    /// There is no memory for the first one. Nothing was appended.
    // By way of a frame for each, a list of messages with one bool, most of them false, was decoded at a third of prost's speed.
    #[inline(never)]
    fn empty_elements(
        &mut self,
        bytes: &[u8],
        slab: &mut Slab,
        entry: &FieldEntry,
        sub: &Program,
        (slot, end): (u32, usize),
    ) -> Result<(), Full> {
        slab.list_push_empty(slot, sub)?;
        self.pos = end;
        while let Some((start, end)) = self.following_element(bytes, entry)
            && start == end
            && slab.list_push_empty(slot, sub).is_ok()
        {
            self.pos = end;
        }
        Ok(())
    }

    /// Decodes a message whose program is a leaf, and those that follow it in the same list. The tag of the first is at the position of this
    /// message, their parent. `depth` is that of the leaves.
    ///
    /// Returns the leaf in which something comes that the loop does not decode itself, a fault included: the general way continues in it. No
    /// field has been begun when the loop stops.
    #[inline(never)]
    fn leaves(
        &mut self,
        context: &Context<'r, '_>,
        depth: usize,
        slab: &mut Slab,
        entry: &FieldEntry,
        (start, end, base): (usize, usize, u32),
    ) -> Option<OpenMessage<'r>> {
        // Copied once, not for each element.
        let context = *context;
        let program = context.set.program(entry.sub);
        let mut leaf = Self::begun(program, BodyRef::of(entry, base), start, end);
        loop {
            leaf.fields(&context, depth, slab);
            if leaf.pos != leaf.end {
                return Some(leaf);
            }
            leaf = self.next_child(&leaf, context.source.bytes(), slab, entry)?;
        }
    }

    /// As [`leaves`](Self::leaves), for messages that are trees. Returns the child in which something comes that has no place in a tree, at its start and
    /// empty again.
    #[inline(never)]
    fn tree(
        &mut self,
        context: &Context<'r, '_>,
        depth: usize,
        slab: &mut Slab,
        entry: &FieldEntry,
        (start, end, base): (usize, usize, u32),
    ) -> Option<OpenMessage<'r>> {
        let program = context.set.program(entry.sub);
        let mut child = Self::begun(program, BodyRef::of(entry, base), start, end);
        loop {
            let top = slab.top();
            if child.whole(context, depth, slab) != Beyond::Decoded {
                // All that was allocated since belongs to the child.
                slab.free_from(top);
                slab.clear_body(program, child.body.base);
                return Some(Self::begun(program, child.body, child.from, child.end));
            }
            child = self.next_child(&child, context.source.bytes(), slab, entry)?;
        }
    }

    /// Decodes this message to its end, or up to a field that takes a frame or is wrong. Its hasbits are not in the slab yet.
    #[inline(always)]
    pub(super) fn whole(&mut self, context: &Context<'r, '_>, depth: usize, slab: &mut Slab) -> Beyond {
        loop {
            let exit = self.run(context, context.source.end(self.end), depth, slab);
            if let Exit::Leave = exit {
                return if self.pos == self.end { Beyond::Decoded } else { Beyond::Not };
            }
            match self.beyond(context, depth, slab, exit) {
                Beyond::Decoded => {}
                stopped => return stopped,
            }
        }
    }

    /// Decodes the field at which the loop stopped, if that takes no frame: a tree or a list. `depth` is that of this message.
    #[inline(always)]
    fn beyond(&mut self, context: &Context<'r, '_>, depth: usize, slab: &mut Slab, exit: Exit<'r>) -> Beyond {
        match exit {
            Exit::Enter(entry, start, end) => {
                let sub = context.set.program(entry.sub);
                if end - start > MAX_TREE || !context.may_nest(depth) || !sub.is_tree() {
                    return Beyond::Not;
                }
                if start == end {
                    return match self.empty_child(context.source.bytes(), slab, entry, sub, end) {
                        Ok(()) => Beyond::Decoded,
                        Err(_) => Beyond::Not,
                    };
                }
                let Some(base) = self.try_child(slab, entry, sub) else { return Beyond::Not };
                slab.clear_body(sub, base);
                match self.tree(context, depth + 1, slab, entry, (start, end, base)) {
                    None => Beyond::Decoded,
                    Some(_) => Beyond::Partly,
                }
            }
            Exit::Slow(Some(entry), tag, len) if entry.is_elements() => {
                let (tag_start, value_start) = (self.pos, self.pos + len);
                let field = FieldStart { program: self.program, tag, tag_start, value_start, end: self.end };
                match self.elements(context.source.bytes(), slab, field, entry, entry.op) {
                    Ok(next) => self.pos = next,
                    Err(_) => return Beyond::Partly,
                }
                Beyond::Decoded
            }
            _ => Beyond::Not,
        }
    }
}

impl<'r> Machine<'r, '_> {
    /// Whether a child is decoded without a frame.
    #[inline(always)]
    pub(super) fn takes_no_frame(&self, sub: &Program, start: usize, end: usize) -> bool {
        sub.is_leaf() || end - start <= MAX_TREE && start >= self.framed_until && sub.is_tree()
    }

    /// Decodes a child without a frame, and those that follow it in the same list. Its content is from `start` to `end`, its empty body at `base`.
    #[inline(always)]
    pub(super) fn frameless(&mut self, entry: &'r FieldEntry, start: usize, end: usize, base: u32) -> Next {
        let (depth, sub) = (self.scratch.stack.len() + 1, self.set.program(entry.sub));
        if sub.is_leaf() {
            return match self.open.leaves(&self.context, depth, self.slab, entry, (start, end, base)) {
                None => Next::Continue,
                Some(leaf) => self.continue_in(entry, leaf),
            };
        }
        match self.open.tree(&self.context.of_trees(depth), depth, self.slab, entry, (start, end, base)) {
            None => Next::Continue,
            Some(child) => {
                // What stopped this one is in its siblings too, more likely than not.
                self.framed_until = self.open.end;
                self.continue_in(entry, child)
            }
        }
    }

    /// Pushes the parent and continues in a child.
    #[cold]
    #[inline(never)]
    fn continue_in(&mut self, entry: &'r FieldEntry, leaf: OpenMessage<'r>) -> Next {
        let child = Child { start: leaf.from, end: leaf.end, group: 0, resume: 0 };
        let next = self.push(entry, child, leaf.body.base, leaf.hasbits);
        if next == Next::Continue {
            self.open.pos = leaf.pos;
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::decode::decode_raw;
    use crate::engine::encode::encode_raw;
    use crate::engine::slab::Slab;
    use crate::schema::program::{FieldSpec, MessageSpec, Presence, ProgramSet};
    use crate::schema::table::Kind;
    use crate::wire::error::DecodeErrorKind;
    use crate::wire::options::DecodeOptions;
    use crate::wire::testing::Wire;
    use alloc::string::ToString;
    use alloc::{vec, vec::Vec};

    /// A tree with leaves, large and small ones, singular and in lists. Or the same types with a group more that no message has, so that none
    /// is a leaf or a tree.
    fn schema(leaf: bool) -> ProgramSet {
        let field = |number, kind, presence| FieldSpec::new(number, kind, presence);
        let tree = vec![
            field(1, Kind::Message(1), Presence::Explicit),
            field(2, Kind::Message(1), Presence::Repeated),
            field(3, Kind::String, Presence::Implicit),
            field(4, Kind::Message(0), Presence::Explicit),
            field(5, Kind::Message(2), Presence::Explicit),
            field(6, Kind::Message(2), Presence::Repeated),
            FieldSpec { packed: true, ..field(7, Kind::Sint32, Presence::Repeated) },
            field(8, Kind::String, Presence::Repeated),
            field(9, Kind::Uint64, Presence::Repeated),
            field(15, Kind::Message(1), Presence::Repeated),
            field(16, Kind::Message(1), Presence::Repeated),
            field(31, Kind::Message(2), Presence::Repeated),
            field(32, Kind::Message(1), Presence::Repeated),
            field(2048, Kind::Message(2), Presence::Repeated),
        ];
        let mut large = vec![
            field(1, Kind::Uint64, Presence::Implicit),
            field(2, Kind::String, Presence::Explicit),
            field(3, Kind::Bytes, Presence::Implicit),
            field(4, Kind::Fixed32, Presence::Explicit),
            field(5, Kind::Sint64, Presence::Implicit),
        ];
        let mut small =
            vec![field(1, Kind::Int64, Presence::Implicit), field(2, Kind::Bool, Presence::Explicit)];
        if !leaf {
            let group = || FieldSpec { delimited: true, ..field(900, Kind::Message(2), Presence::Explicit) };
            large.push(group());
            small.push(group());
        }
        let message = |fields| MessageSpec { fields, ..Default::default() };
        let set = ProgramSet::new(&[message(tree), message(large), message(small)], &[]).unwrap();
        assert_eq!([0, 1, 2].map(|index| set.program(index).is_leaf()), [false, leaf, leaf]);
        assert_eq!([0, 1, 2].map(|index| set.program(index).is_tree()), [leaf; 3]);
        set
    }

    fn large() -> Wire {
        Wire::new().int(1, 300).bytes(2, "é".as_bytes()).bytes(3, b"b").int(5, 1)
    }

    fn small() -> Wire {
        Wire::new().int(1, u64::MAX).int(2, 1)
    }

    /// A small tree, in which a field with a message comes twice.
    fn inner() -> Wire {
        let lists = || Wire::new().bytes(7, &[1, 2, 0xff, 1]).bytes(8, "ä".as_bytes()).int(9, 300);
        let leaves = Wire::new().message(1, large()).message(2, large()).message(2, large());
        leaves.message(5, small()).message(4, lists().message(4, small())).message(4, lists())
    }

    /// A tree with `padding` bytes before and `after` bytes after what matters, so that the end of the front part lies anywhere in it.
    fn tree(padding: usize, after: usize) -> Vec<u8> {
        let text = |len: usize| vec![b'x'; len];
        Wire::new()
            .bytes(3, &text(padding))
            .message(1, large())
            .message(1, Wire::new().int(5, 2))
            .message(4, inner())
            .times(3, Wire::new().message(2, large()))
            .message(5, small())
            .message(1, Wire::new().int(1, 7))
            .times(2, Wire::new().message(6, small()))
            .message(2, Wire::new())
            .times(2, Wire::new().message(15, large()))
            // The first byte of a longer tag may be all of the tag as a number.
            .times(3, Wire::new().message(16, large()))
            .times(5, Wire::new().message(31, small()))
            .bytes(3, &text(after))
            .times(2, Wire::new().message(31, small()))
            .times(2, Wire::new().message(32, large()))
            .times(2, Wire::new().message(2048, small()))
            .done()
    }

    #[test]
    fn leaves_are_what_the_general_way_makes_of_them_whatever_the_input_is() {
        let sets = [schema(true), schema(false)];
        // The words of a reused slab are those of messages with unknown fields.
        let dirt =
            Wire::new().times(40, Wire::new().message(2, Wire::new().bytes(2, b"text").int(77, 1))).done();
        let mut slab = Slab::new();
        let mut same = |input: &[u8], options: &DecodeOptions| {
            let [left, right] = sets.each_ref().map(|set| {
                decode_raw(set, 0, &dirt, &mut slab, &DecodeOptions::new()).unwrap();
                let decoded = decode_raw(set, 0, input, &mut slab, options).map(encode_raw);
                decoded.map_err(|error| (error.kind(), error.offset(), error.to_string()))
            });
            assert_eq!(left, right, "{input:02x?}");
            left.is_ok()
        };
        let options = DecodeOptions::new();
        let (mut good, mut bad) = (0, 0);
        let paddings: &[_] = if cfg!(miri) { &[(0, 0)] } else { &[(0, 0), (50, 0), (0, 20), (0, 60)] };
        let wholes = paddings.iter().map(|&(padding, after)| (tree(padding, after), 3));
        // Messages without content, one of which has some when it comes again.
        let empty = Wire::new().message(5, Wire::new()).message(4, Wire::new().message(1, Wire::new()));
        let set_before = Wire::new().message(5, small()).message(5, Wire::new());
        let small = [(inner(), 2), (empty.message(5, small()), 2), (set_before, 1)];
        for (whole, depth) in wholes.chain(small.map(|(whole, depth)| (whole.done(), depth))) {
            assert!(same(&whole, &options));
            for levels in 0..5 {
                assert_eq!(same(&whole, &options.max_depth(levels)), levels >= depth);
            }
            for at in (0..whole.len()).step_by(if cfg!(miri) { 29 } else { 1 }) {
                let mut variants = vec![whole[..at].to_vec()];
                for by in [1, 2, 0x7f, 0x80, 0xff] {
                    let mut other = whole.clone();
                    other[at] = other[at].wrapping_add(by);
                    variants.push(other);
                }
                for input in variants {
                    *(if same(&input, &options) { &mut good } else { &mut bad }) += 1;
                }
            }
        }
        let least = if cfg!(miri) { 2 } else { 20 };
        assert!(good > least && bad > least, "{good} {bad}");
    }

    /// Each took a frame, and a small message that held one was decoded twice.
    #[test]
    fn messages_without_content_are_elements_of_their_lists_wherever_they_are() {
        let sets = [schema(true), schema(false)];
        let lists = [(2, large()), (6, small()), (16, large()), (31, small())];
        let patterns: &[u32] = if cfg!(miri) { &[0b01_0110] } else { &(0..64).collect::<Vec<_>>() };
        for ((number, full), &pattern) in
            lists.iter().flat_map(|list| patterns.iter().map(move |p| (list, p)))
        {
            let element = |at: u32| if pattern >> at & 1 != 0 { full.clone() } else { Wire::new() };
            let list = (0..6).fold(Wire::new(), |list, at| list.message(*number, element(at)));
            // In the outermost message, a small one and a large one, and in a small tree.
            let (text, elements) = (Wire::new().bytes(3, &[b'x'; 300]).done(), list.clone().done());
            let [first, second] = if *number < 3 { [&elements, &text] } else { [&text, &elements] };
            let padded = Wire::new().raw(first).raw(second);
            for input in [list.clone(), padded, Wire::new().message(4, list)].map(Wire::done) {
                for set in &sets {
                    let mut slab = Slab::new();
                    let mut limit = 0;
                    while let Err(error) =
                        decode_raw(set, 0, &input, &mut slab, &DecodeOptions::new().budget(limit))
                    {
                        assert_eq!(error.kind(), DecodeErrorKind::BudgetExceeded);
                        limit += if cfg!(miri) { 300 } else { 20 };
                    }
                    let view = decode_raw(set, 0, &input, &mut slab, &DecodeOptions::new()).unwrap();
                    assert_eq!(encode_raw(view), input);
                }
            }
        }
    }

    /// Of a type whose bodies lie outside of its lists, they take a word each.
    #[test]
    fn messages_without_content_take_no_body() {
        let set = schema(true);
        assert!(!set.program(1).is_contiguous() && set.program(1).words() > 4);
        let used = |element: Wire| {
            let mut slab = Slab::new();
            let input = Wire::new().times(1 << 10, Wire::new().message(2, element)).done();
            decode_raw(&set, 0, &input, &mut slab, &DecodeOptions::new()).unwrap();
            slab.used()
        };
        assert!(used(Wire::new()) < 5 * 1024, "{}", used(Wire::new()));
        assert!(used(large()) > 20 * 1024);
    }

    #[test]
    fn a_tree_that_starts_over_takes_no_more_memory() {
        let set = schema(true);
        let (numbers, unknown) = (Wire::new().bytes(7, &[1; 100]), Wire::new().int(77, 1));
        let used = |content: Vec<u8>| {
            // The outermost message is too large to be one of the trees.
            let input = Wire::new().bytes(3, &[b'x'; 300]).bytes(4, &content).done();
            let mut slab = Slab::new();
            let view = decode_raw(&set, 0, &input, &mut slab, &DecodeOptions::new()).unwrap();
            assert_eq!(encode_raw(view).len(), input.len());
            slab.used()
        };
        let [numbers, unknown] = [numbers.done(), unknown.done()];
        assert_eq!(used([&numbers[..], &unknown].concat()), used([unknown, numbers].concat()));
    }

    /// The fence around strings: a slot that holds an old word would be a marked string after a stale hasbit.
    #[test]
    fn slots_of_strings_are_cleared_in_every_leaf_of_a_list() {
        let set = schema(true);
        let element = || Wire::new().int(1, 5).int(5, 1);
        let input = Wire::new().times(12, Wire::new().message(2, element())).done();
        let mut slab = Slab::new();
        // Words that look like marked strings, where the bodies will be.
        slab.set_limit(1 << 16);
        let old = slab.alloc(1000).unwrap();
        slab.run_mut(old, 1000).fill(1 << 31);
        let view = decode_raw(&set, 0, &input, &mut slab, &DecodeOptions::new()).unwrap();
        let (entry, text) = (&view.program().entries()[1], &set.program(1).entries()[1]);
        assert!(entry.flags.is_list() && text.coding == crate::schema::program::Coding::String);
        let list = view.list(entry, view.slot(1, entry).unwrap());
        assert_eq!(list.len(), 12);
        for i in 0..list.len() {
            let body = list.message(i).body.base;
            assert_eq!(view.words.get64(body + u32::from(text.slot)), 0, "element {i}");
            assert!(view.words.get64(body + u32::from(set.program(1).entries()[0].slot)) == 5);
        }
    }
}
