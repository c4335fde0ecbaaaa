//! The fields of wide messages.

use super::pass::Pass;
use crate::engine::slab::SetFields;
use crate::schema::program::{Program, WriteEntry};
use crate::wire::output::cursor::{CursorRoom, Filled};
use crate::wire::{Bits, CpuCall, Cursor};

/// The set fields of a wide message.
pub(super) struct Wide;

impl<'a, 'i, 'w> CpuCall<&mut Pass<'a, 'i>, CursorRoom<'w>, &'a Program, u32, ()> for Wide {
    type Out = Filled<'w>;

    #[inline(always)]
    fn run(
        bits: impl Bits,
        pass: &mut Pass<'a, 'i>,
        room: CursorRoom<'w>,
        program: &'a Program,
        base: u32,
        (): (),
    ) -> Filled<'w> {
        let (words, mut out) = (pass.view.words, Cursor::of(room));
        let mut fields = SetFields::new(program, words, base);
        while let Some((position, _, slot)) = fields.next_of(program, words, base) {
            let (Some(write), Some(entries)) =
                (program.writes().get(position), program.entries().get(position..))
            else {
                break;
            };
            // One field at a time, as the first one of a body that begins at its slot.
            let write = WriteEntry { slot: 0, ..*write };
            pass.fields(&mut out, (&[write], entries), (slot, 1), bits);
        }
        out.filled()
    }
}
