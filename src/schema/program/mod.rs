//! A schema lowered for the loops: one [`Program`] per message type, checked once.
//!
//! A program says where each field of a message lives in the slab, which tag it has, and what to do with it. It holds
//! indices only and knows no descriptor: pools and const tables describe their messages as [`MessageSpec`]s.
//! `ProgramSet::of` checks everything that the loops rely on (slots inside the body, sub-programs that exist, entries sorted
//! by field number); nothing changes afterwards.
//!
//! ```text
//! spec.rs    the input: messages, fields and enums by index       enums.rs   the numbers of enums
//! coding.rs  what a field is: Coding, and all that follows from it
//! entry.rs   a field for the decode loop     write.rs  for the encoder     access.rs  for getters
//! layout.rs  slots                           fixed.rs, nested_fixed.rs  messages of fixed shape
//! build.rs   makes a program                 set.rs    makes all of a schema
//! selection.rs  the fields that a projection wants                select.rs  makes the programs for them
//! lowered.rs the program itself              room.rs   the memory budget
//! ```

pub(crate) mod budget;

mod access;
mod build;
mod coding;
mod entry;
mod fixed;
mod layout;
mod lowered;
mod select;
mod set;

pub(crate) use access::{Access, Elements, PAGE, PresencePage, ReadLayout, ReadLayouts};
pub(crate) use budget::{Room, RoomFull, Sortable, heapsort, sort_indices, sort_key, sort_keys, sort_list};
pub(crate) use coding::{Coding, Op, ReadKind, Scalar, WriteKind};
pub(crate) use entry::{FieldEntry, groups};
pub(crate) use fixed::{FixedLayout, MAX_NESTED_LEN, NestedFixedLayout, WINDOW as FIXED_WINDOW};
#[cfg(test)]
pub(crate) use lowered::EnumSpec;
pub(crate) use lowered::{FieldSpec, MessageSpec, Presence, Program, SpecSource, WIDE_GROUP, WriteEntry};
pub(crate) use select::{Selected, Selection};
pub(crate) use set::{LowerError, ProgramSet};
