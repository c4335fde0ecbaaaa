//! The two encoding passes of structs: sizes, then bytes.
//!
//! The code that encodes a field is inlined into the function of its message, or called. Decoding calls functions that all messages share, but for
//! numbers, of which the same bound decides. Inlined code is the fastest, but the optimizer takes more than linear time: a thousand inlined fields
//! compile in a minute, a thousand called ones in seconds. So messages with more than [`IN_PLACE`] fields use calls.

pub(super) mod output;
pub(super) mod size;
pub(super) mod sizes;
pub(super) mod write;

use crate::schema::table::{DefaultValue, MessageTable};
use crate::structs::grammar::kinds::{KindMarker, WireSpec};
use crate::structs::{EncodeField, EncodeValue, Message, VisitFields};
use crate::wire::SMALL_CODE;

/// The most fields whose code is inlined. Unoptimized code has room for every temporary of every field in the frame, and
/// there is a frame per level, so debug builds inline fewer. Small code inlines none: ten messages of seven fields took 31 458 bytes on
/// thumbv7em, 26 160 with this bound at 0.
const IN_PLACE: usize = if SMALL_CODE {
    0
} else if cfg!(debug_assertions) {
    8
} else {
    64
};

/// Whether the code that encodes the fields, or decodes numbers, is called.
pub const fn is_wide(table: &MessageTable) -> bool {
    table.fields().len() > IN_PLACE
}

/// A visitor whose code is called for every field.
pub(in crate::structs) struct Calling<'v, V>(pub(in crate::structs) &'v mut V);

impl<V: VisitFields> VisitFields for Calling<'_, V> {
    #[inline(never)]
    fn field<K: KindMarker, F: EncodeField<K>>(&mut self, spec: WireSpec, field: &F) {
        self.0.field(spec, field);
    }

    #[inline(never)]
    fn field_or<K: KindMarker, F: EncodeField<K>>(
        &mut self,
        default: DefaultValue<'static>,
        spec: WireSpec,
        field: &F,
    ) {
        self.0.field_or(default, spec, field);
    }

    #[inline(never)]
    fn arm<K: KindMarker, T: EncodeValue<K>>(&mut self, spec: WireSpec, value: &T) {
        self.0.arm(spec, value);
    }

    fn unknown(&mut self, fields: &[u8]) {
        self.0.unknown(fields);
    }
}

/// Passes every field to a visitor, in the order of field numbers.
#[inline]
pub(in crate::structs) fn visit_fields<M: Message, V: VisitFields>(message: &M, visitor: &mut V) {
    if const { is_wide(M::TABLE) } {
        message.__visit_fields(&mut Calling(visitor));
    } else {
        message.__visit_fields(visitor);
    }
}
