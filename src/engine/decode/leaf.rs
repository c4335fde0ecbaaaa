//! Sub-messages without messages: strings and numbers, and what the field loop loads as a whole.
//!
//! ```text
//! leaf(entry, start, end, base):          # after the tag and the length of the first message, whose body is made
//!     loop:
//!         run the field loop over it
//!         if it stopped before the end: push the parent; continue inside, as in any other message
//!         store the hasbits
//!         if the same list continues: make the next body; else return to the parent
//! ```
//!
//! The parent stays where it is: it is neither written to the stack nor read from there.

use super::fields::Run;
use super::machine::state::{Child, Machine, Next};
use crate::schema::program::FieldEntry;

impl<'r> Machine<'r, '_> {
    /// Decodes a message whose program is a leaf, and those that follow it in the same list. The tag of the first is at the position of the
    /// loop, its content from `start` to `end`, its empty body at `base`.
    ///
    /// What the loop does not decode itself, faults and the end of the front part included, is left to the general way: no field has been begun
    /// when the loop stops.
    #[inline(never)]
    pub(super) fn leaf(
        &mut self,
        entry: &'r FieldEntry,
        mut start: usize,
        mut end: usize,
        mut base: u32,
    ) -> Next {
        let program = self.set.program(entry.sub);
        let slot = self.open.body.base + u32::from(entry.slot);
        loop {
            let mut run = Run { program, pos: start, end, hasbits: 0, base, below: 1 };
            self.run(&mut run);
            if run.pos != end {
                let child = Child { start, end, group: 0, resume: 0 };
                let next = self.push(entry, child, base, run.hasbits);
                if next == Next::Continue {
                    self.open.pos = run.pos;
                }
                return next;
            }
            self.slab.set(base, run.hasbits as u32);
            self.open.pos = end;
            if !entry.flags.is_list() {
                return Next::Continue;
            }
            // A tag of one byte and a length of one; everything else goes the general way.
            let Some(&[tag, len, ..]) = self.source.until(self.open.end).at(end) else {
                return Next::Continue;
            };
            let content = end + 2;
            if tag >= 0x80
                || u32::from(tag) != entry.tag
                || len == 0
                || len >= 0x80
                || content + usize::from(len) > self.open.end
            {
                return Next::Continue;
            }
            let Some(next) = self.slab.list_push_body(slot, program) else { return Next::Continue };
            self.slab.clear_body(program, next);
            (base, start, end) = (next, content, content + usize::from(len));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::decode::decode_raw;
    use crate::engine::encode::encode_raw;
    use crate::engine::slab::Slab;
    use crate::schema::program::{FieldSpec, MessageSpec, Presence, ProgramSet};
    use crate::schema::table::Kind;
    use crate::wire::options::DecodeOptions;
    use crate::wire::testing::Wire;
    use alloc::string::ToString;
    use alloc::{vec, vec::Vec};

    /// A tree with leaves, large and small ones, singular and in lists. Or the same types with a list more that no message has, so that none
    /// is a leaf.
    fn schema(leaf: bool) -> ProgramSet {
        let field = |number, kind, presence| FieldSpec::new(number, kind, presence);
        let tree = vec![
            field(1, Kind::Message(1), Presence::Explicit),
            field(2, Kind::Message(1), Presence::Repeated),
            field(3, Kind::String, Presence::Implicit),
            field(4, Kind::Message(0), Presence::Explicit),
            field(5, Kind::Message(2), Presence::Explicit),
            field(6, Kind::Message(2), Presence::Repeated),
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
            large.push(field(900, Kind::Int32, Presence::Repeated));
            small.push(field(900, Kind::Int32, Presence::Repeated));
        }
        let message = |fields| MessageSpec { fields, ..Default::default() };
        let set = ProgramSet::new(&[message(tree), message(large), message(small)], &[]).unwrap();
        assert_eq!([0, 1, 2].map(|index| set.program(index).is_leaf()), [false, leaf, leaf]);
        set
    }

    /// A tree with `padding` bytes before and `after` bytes after what matters, so that the end of the front part lies anywhere in it.
    fn tree(padding: usize, after: usize) -> Vec<u8> {
        let large = || Wire::new().int(1, 300).bytes(2, "é".as_bytes()).bytes(3, b"b").int(5, 1);
        let small = || Wire::new().int(1, u64::MAX).int(2, 1);
        let inner =
            Wire::new().message(1, large()).message(2, large()).message(2, large()).message(5, small());
        let text = |len: usize| vec![b'x'; len];
        Wire::new()
            .bytes(3, &text(padding))
            .message(1, large())
            .message(1, Wire::new().int(5, 2))
            .message(4, inner)
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
        for &(padding, after) in paddings {
            let whole = tree(padding, after);
            assert!(same(&whole, &options));
            for levels in 0..4 {
                assert_eq!(same(&whole, &options.max_depth(levels)), levels >= 2);
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
