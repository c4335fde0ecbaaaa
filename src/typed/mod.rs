//! Plain structs as messages: the macro `message!` binds a struct to a listing of fields.
//!
//! A listing is expanded twice: into a [`MessageTable`](crate::MessageTable), and into one call per field and
//! pass, each chosen by the kind of the field and the Rust type of its member. There is no interpretation at run
//! time; what the passes know of a field is inlined.
//!
//! | file | |
//! |---|---|
//! | `macros.rs`, `tokens.rs` | `message!`: the grammar and the expansion |
//! | `kinds.rs`, `listing.rs` | kinds as types, and the table of a listing |
//! | `spec.rs` | what the passes know of a field: [`WireSpec`](spec::WireSpec); what a merge tells: [`Outcome`](spec::Outcome) |
//! | `field.rs` | what a member must do, as one value of a kind or as a field |
//! | `scalar.rs`, `packed.rs` | numbers, `bool` and enums; packed runs of these |
//! | `text.rs`, `nested.rs` | strings and bytes; messages |
//! | `lazy.rs`, `occurrences.rs`, `once.rs` | messages that stay bytes until they are asked for |
//! | `prepared.rs` | messages that were encoded once |
//! | `member.rs`, `map.rs`, `small_map.rs` | members of many values or none: `Option`, `Vec`, maps |
//! | `size.rs`, `sizes.rs` | the sizing pass, and the nested lengths that it leaves for the writing pass |
//! | `write.rs`, `output.rs` | the writing pass, and where it writes: a buffer, a `Vec`, a slice |
//! | `input.rs`, `later.rs` | the decoding pass; messages that it passes over |
//! | `place.rs`, `stack.rs` | keep large values out of recursive frames, and bound the bytes of stack |
//! | `budget.rs` | what a decode may still allocate |
//! | `path_trace.rs` | the fields around a fault, named when the error is made |
//! | `calls.rs` | whether the code of a field is inlined or called |
//! | `message.rs` | the trait [`Message`] |
//! | `schema.rs`, `json.rs` | the schema at run time, and JSON by way of it |
//!
//! Invariant: what the writing pass writes is what the sizing pass sized, value for value and length for length.

mod budget;
pub mod calls;
mod enumeration;
pub mod field;
pub mod input;
#[cfg(feature = "json")]
mod json;
pub mod kinds;
mod later;
mod lazy;
mod listing;
mod macros;
mod map;
mod member;
mod message;
mod nested;
mod occurrences;
mod once;
mod output;
mod packed;
mod path_trace;
mod place;
mod prepared;
mod scalar;
mod schema;
mod size;
mod sizes;
mod small_map;
mod spec;
mod stack;
mod text;
mod tokens;
mod unknown;
mod write;

// The traits of members and the states of the passes name each other: the files of the room take these from here.
use field::{DecodeValue, EncodeField, EncodeValue, VisitFields};

pub use enumeration::{EnumValue, Enumeration};
pub use lazy::Lazy;
pub use message::{DecodeFrom, DecodeOwned, Message};
pub use small_map::SmallMap;
pub use unknown::UnknownFieldSet;

/// What the macros expand to.
pub mod expansion {
    pub use super::calls::Calls;
    pub use super::field::{EncodeField, EncodeValue, OneofMember, VisitFields};
    pub use super::input::Input;
    pub use super::kinds::{self, KindMarker, ascend, field_table, has_required, in_order, is_fixed, unraw};
    pub use super::listing::{checked, enum_table, message_table};
    pub use super::schema::SchemaCell;
    pub use super::spec::{Outcome, WireSpec};
    pub use super::unknown::UnknownMember;
    pub use crate::{
        __arm as arm, __clear as clear, __default as default, __keeper as keeper, __key as key,
        __kind as kind, __member as member, __name as name, __oneof as oneof, __option as option,
        __optional as optional, __reset as reset, __show as show, __spec as spec, __syntax as syntax,
        __table as table, __unknown as unknown, __variant as variant,
    };
    pub use alloc::vec::Vec;
    pub use core::{
        compile_error, concat,
        default::Default,
        option::Option::{self, None, Some},
        result::Result::{self, Ok},
        stringify,
    };
}
