//! A schema lowered for the loops: one [`Program`] per message type, checked once.
//!
//! A program knows where each field of a message lives in the slab, which tag announces it and what to do with
//! it. It holds indices only and knows no descriptor pool: pools and const tables are both described to it as
//! [`MessageSpec`]s. Everything a loop relies on (slots inside the body, sub-programs that exist, entries sorted
//! by field number) is established by [`ProgramSet::new`] and cannot change afterwards.

mod access;
mod entry;
mod fixed;
mod layout;
mod lowered;
mod parts;
mod room;
mod select;
mod set;
mod sort;
mod spec;
mod write;

pub(crate) use access::{Access, Bodies, Body, Elements, Form, WINDOW, Window};
pub(crate) use entry::{Coding, Entry, Op, Scalar};
pub(crate) use fixed::FixedShape;
pub(crate) use lowered::{Program, WIDE_GROUP};
pub(crate) use parts::{MAX_PARTS_LEN, PartsShape};
pub(crate) use room::{Full, Room};
pub(crate) use select::{Selected, Selection};
pub(crate) use set::{Fault, ProgramSet, Source};
pub(crate) use sort::{sort_indices, sort_pairs};
pub(crate) use spec::{EnumSpec, FieldSpec, MessageSpec, Shape};
pub(crate) use write::{How, WriteEntry};
