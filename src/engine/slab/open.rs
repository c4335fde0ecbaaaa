//! Singular sub-messages and lists of a message in the slab, made if the field is not set: for setters, copies and parsers of text.
//!
//! The decoder does not use this: it keeps the hasbits of open messages in registers (`decode/child.rs`).

use super::{Full, NIL, Slab};
use crate::schema::program::{FieldEntry, Program};

impl Slab {
    /// The body of a singular sub-message. A field that is not set gets an empty one. `program` and `base` are those of the parent,
    /// `sub` the program of the child.
    #[inline(always)]
    pub(crate) fn open_child(
        &mut self,
        (program, base): (&Program, u32),
        position: usize,
        entry: &FieldEntry,
        sub: &Program,
    ) -> Result<u32, Full> {
        if entry.flags.is_inline() {
            let (slot, fresh) = self.mark_set(program, base, position)?;
            if fresh {
                self.clear_body(sub, slot);
            }
            return Ok(slot);
        }
        let slot = self.words().slot(program, base, position, entry);
        let old = slot.map_or(NIL, |slot| self.get(slot));
        if old != NIL {
            return Ok(old);
        }
        let body = self.alloc_body(sub)?;
        let (slot, _) = self.mark_set(program, base, position)?;
        self.set(slot, body);
        Ok(body)
    }

    /// The header of a list. A field that is not set gets an empty list, which the caller unsets again if it adds nothing.
    #[inline]
    pub(crate) fn open_list(&mut self, program: &Program, base: u32, position: usize) -> Result<u32, Full> {
        let (slot, fresh) = self.mark_set(program, base, position)?;
        if fresh {
            self.set64(slot, 0);
        }
        Ok(slot)
    }
}
