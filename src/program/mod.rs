//! A schema lowered for the loops: one [`Program`] per message type, checked once.
//!
//! A program knows where each field of a message lives in the slab, which tag announces it and what to do with
//! it. It holds indices only and knows no descriptor pool: pools and const tables are both described to it as
//! [`MessageSpec`]s. Everything a loop relies on (slots inside the body, sub-programs that exist, entries sorted
//! by field number) is established by [`ProgramSet::new`] and cannot change afterwards.

mod access;
mod coding;
mod entry;
mod fixed;
mod layout;
mod lowered;
mod nested_fixed;
mod room;
mod select;
mod set;
mod spec;
mod write;

pub(crate) use access::{Access, Elements, PAGE, PresencePage, ReadLayout, ReadLayouts};
pub(crate) use coding::{Coding, Op, ReadKind, Scalar, WriteKind};
pub(crate) use entry::FieldEntry;
pub(crate) use fixed::FixedLayout;
pub(crate) use lowered::{Program, WIDE_GROUP};
pub(crate) use nested_fixed::{MAX_NESTED_LEN, NestedFixedLayout};
pub(crate) use room::{NoRoom, Room};
pub(crate) use select::{Selected, Selection};
pub(crate) use set::{LowerError, ProgramSet, SpecSource};
pub(crate) use spec::{EnumSpec, FieldSpec, MessageSpec, Presence};
pub(crate) use write::WriteEntry;
