//! Plain structs as messages. The macro `message!` binds a struct to a listing of its fields.
//!
//! A listing expands to a [`MessageTable`](crate::MessageTable) and to one call per field and pass (size, write, merge).
//! The kind of the field and the Rust type of its member select the implementation of each call at compile time, so no
//! table is interpreted at run time.
//!
//! | file | |
//! |---|---|
//! | `macros.rs`, `tokens.rs` | `message!`: the grammar and the expansion |
//! | `checks.rs`, `accessor.rs`, `oneof.rs` | access to one member, and the check of its type, which is reported once |
//! | `grammar.rs`, `mistakes.rs` | what is not in the grammar, and words that are no kinds: errors that name the mistake |
//! | `kinds.rs` | the kinds of fields as types |
//! | `listing.rs`, `names.rs` | the table of a listing, checked at compile time |
//! | `spec.rs` | number and options of a field, [`WireSpec`](spec::WireSpec); the result of a merge, [`Outcome`](spec::Outcome) |
//! | `field.rs` | the traits of members |
//! | `scalar.rs`, `packed.rs` | numbers, `bool` and enums; packed runs |
//! | `text.rs`, `nested.rs` | strings and bytes; messages |
//! | `custom.rs`, `custom_members.rs`, `custom_json.rs` | values of types of one's own |
//! | `lazy.rs`, `occurrences.rs`, `once.rs` | messages decoded on first access |
//! | `prepared.rs`, `again.rs` | messages encoded in advance; decoding them to check them |
//! | `member.rs`, `map.rs`, `small_map.rs` | `Option`, `Vec` and map members |
//! | `size.rs`, `sizes.rs` | the sizing pass; the nested lengths it keeps for the writing pass |
//! | `write.rs`, `output.rs` | the writing pass; its output: a buffer, a `Vec` or a slice |
//! | `input.rs`, `memory.rs`, `later.rs` | the decoding pass; the memory of members; messages decoded later |
//! | `place.rs`, `stack.rs` | keep large values out of recursive frames; bound the stack in bytes |
//! | `budget.rs` | the memory budget of a decode |
//! | `path_trace.rs` | the field path of an error |
//! | `calls.rs` | inlines the code of a field or calls it |
//! | `message.rs` | the trait [`Message`] |
//! | `schema.rs`, `by_schema.rs`, `text_format.rs` | the schema at run time; other formats by way of it |
//! | `no_schema.rs` | stands for `schema.rs` without the feature `reflect` |
//! | `json.rs`, `json_print.rs`, `json_parse.rs`, `json_*_values.rs` | JSON straight from and to structs; what is at fault or rare by way of the schema |
//!
//! Invariant: both encode passes visit the same values in the same order and find the same lengths.

pub mod wkt;

pub mod accessor;
#[cfg(feature = "reflect")]
mod again;
mod budget;
#[cfg(feature = "reflect")]
mod by_schema;
pub mod calls;
mod checks;
mod custom;
#[cfg(feature = "json")]
mod custom_json;
mod custom_members;
mod enumeration;
pub mod field;
mod grammar;
pub mod input;
#[cfg(feature = "json")]
mod json;
#[cfg(feature = "json")]
mod json_parse;
#[cfg(feature = "json")]
mod json_parse_values;
#[cfg(feature = "json")]
mod json_print;
#[cfg(feature = "json")]
mod json_print_values;
pub mod kinds;
mod later;
mod lazy;
mod listing;
mod macros;
mod map;
mod member;
mod memory;
mod message;
pub mod mistakes;
mod names;
mod nested;
#[cfg(not(feature = "json"))]
mod no_json;
mod occurrences;
mod once;
pub mod oneof;
mod output;
mod packed;
mod path_trace;
mod place;
#[cfg(feature = "reflect")]
mod prepared;
mod scalar;
#[cfg(feature = "reflect")]
mod schema;
#[cfg(not(feature = "reflect"))]
#[path = "no_schema.rs"]
mod schema;
mod size;
mod sizes;
mod small_map;
mod spec;
mod stack;
mod text;
#[cfg(feature = "reflect")]
mod text_format;
mod tokens;
#[cfg(feature = "reflect")]
mod transcode;
mod unknown;
mod write;

// These traits take the state of a pass, and the states of the passes call these traits. The files import them from here,
// so that no two files import each other.
use field::{DecodeValue, EncodeField, EncodeValue, VisitFields};
#[cfg(not(feature = "json"))]
use no_json::{ParseField, ParseValue, PrintField, PrintValue};
#[cfg(feature = "json")]
use {
    field::{DecodeField, VisitMember},
    json_parse::{ParseField, ParseValue},
    json_print::{PrintField, PrintValue},
    message::check_required,
};

pub use custom::CustomValue;
pub use enumeration::{EnumValue, Enumeration};
pub use lazy::Lazy;
pub use message::{DecodeFrom, DecodeOwned, Message};
pub use small_map::SmallMap;
pub use unknown::UnknownFieldSet;

/// The items that expansions of the macros name.
pub mod expansion {
    pub use super::accessor::{
        Access, Broken, Candidate, CandidateVariant, Fits, FitsVariant, Keeper, Keeps, ListedEnum,
        ListedMessage, Member, Subject, Unfit, Variant, clear_member, clear_to, member_enum, member_table,
        merge, merge_variant, next, show, show_or, show_variant, unset, variant_enum, variant_table, visit,
        visit_variant,
    };
    pub use super::calls::Calls;
    pub use super::field::{VisitFields, VisitMember};
    pub use super::input::Input;
    pub use super::kinds::{self, ascend, in_order, in_place_of, is_fixed_message, unraw};
    pub use super::listing::{check, enum_table};
    pub use super::mistakes;
    pub use super::names::places;
    pub use super::oneof::{HoldsOneof, NoOneof, OneofMember, type_of};
    pub use super::schema::SchemaCell;
    pub use super::spec::{Outcome, WireSpec};
    pub use crate::{
        __arm as arm, __bind as bind, __clear as clear, __clear_oneof as clear_oneof, __default as default,
        __field_mistake as field_mistake, __header_mistake as header_mistake, __inert as inert, __key as key,
        __kind as kind, __listed as listed, __listing as listing, __member as member, __name as name,
        __option as option, __optional as optional, __reset as reset, __show as show, __spec as spec,
        __syntax as syntax, __table as table, __unknown as unknown, __variant as variant, __verify as verify,
    };
    pub use alloc::vec::Vec;
    pub use core::{
        compile_error, concat,
        default::Default,
        marker::PhantomData,
        option::Option::{self, None, Some},
        panic,
        result::Result::{self, Ok},
        stringify,
    };
}
