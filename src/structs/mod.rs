//! Plain structs as messages. The macro `message!` binds a struct to a listing of its fields.
//!
//! A listing expands to a [`MessageTable`](crate::table::MessageTable), to one call for each field that encoding visits, and to one `match` on the
//! number of a field, by which decoding, formats and dynamic messages reach a member. Decoding calls one function for all members of the same kind and type, of
//! all structs, with the member and a position. The kind and the type select it at compile time, so no table is interpreted at run time.
//!
//! | file | |
//! |---|---|
//! | `macros.rs`, `tokens.rs` | `message!`: the grammar and the expansion |
//! | `checks.rs`, `accessor.rs`, `oneof.rs` | access to one member, and the check of its type, which is reported once |
//! | `not_in_grammar.rs` | what is not in the grammar, and words that are no kinds: errors that name the mistake |
//! | `kinds.rs` | the kinds of fields as types; number and options of a field, [`WireSpec`](grammar::kinds::WireSpec) |
//! | `listing.rs`, `names.rs` | the table of a listing, checked at compile time |
//! | `field.rs` | the traits of members |
//! | `scalar.rs` | numbers, `bool` and enums; packed runs |
//! | `text.rs`, `nested.rs` | strings and bytes; messages |
//! | `custom.rs` | values of types of one's own |
//! | `lazy/mod.rs`, `occurrences.rs`, `once.rs` | messages decoded on first access |
//! | `prepared.rs` | messages encoded in advance; decoding them to check them |
//! | `plain.rs`, `list.rs` | members without presence, and `Option`; lists |
//! | `map.rs`, `growing_maps.rs`, `small_map.rs` | map members, those of fixed capacity; memory and order of those that grow; `SmallMap` |
//! | `encode/mod.rs` | inlines the code that encodes a field or calls it |
//! | `size.rs`, `sizes.rs` | the sizing pass; the nested lengths it keeps for the writing pass |
//! | `write.rs`, `output.rs` | the writing pass; its output: a buffer, a `Vec` or a slice |
//! | `decode/mod.rs` | what a function that decodes returns: a position, or a code after every position |
//! | `fields.rs` | the field loop, for all messages |
//! | `input.rs`, `memory.rs` | the state of a decode; the memory of members, and large values out of recursive frames |
//! | `stack.rs` | bounds the stack in bytes |
//! | `budget.rs` | the memory budget of a decode |
//! | `path_trace.rs` | the field path of an error |
//! | `message.rs` | the trait [`Message`] |
//! | `schema.rs`, `by_schema.rs` | the schema at run time; other formats by way of it |
//! | `walk/`: `show.rs`, `fill.rs` | members shown to a sink and filled from a source, whatever the format |
//! | `json/`: `print.rs`, `parse.rs` | JSON as such a sink and source; what is at fault or rare by way of the schema |
//!
//! Invariant: both encode passes visit the same values in the same order and find the same lengths.

pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod grammar;
pub(crate) mod members;
pub(crate) mod reflect;

pub mod wkt;

mod convert;
#[cfg(feature = "json")]
mod json;
#[cfg(not(tablepb_no_alloc))]
mod lazy;
mod message;
#[cfg(feature = "reflect")]
/// One way through the members of a struct for everything but the wire: `show.rs` out of it, `fill.rs` into it. JSON and dynamic messages are
/// sinks and sources.
mod walk {
    pub(super) mod fill;
    pub(super) mod show;
}

// These traits take the state of a pass, and the states of the passes call these traits. The files import them from here,
// so that no two files import each other.
#[cfg(feature = "reflect")]
use members::field::{DecodeField, VisitMember};
use members::field::{DecodeValue, EncodeField, EncodeValue, VisitFields};
use members::list::List;
#[cfg(feature = "json")]
use message::check_required;
#[cfg(not(feature = "reflect"))]
use no_walk::{FillField, FillValue, ShowField, ShowValue};
#[cfg(feature = "reflect")]
use walk::fill::{FillField, FillValue};
#[cfg(feature = "reflect")]
use walk::show::{ShowField, ShowValue};

#[cfg(not(tablepb_no_alloc))]
pub use lazy::Lazy;
pub use members::custom::CustomValue;
pub use members::enumeration::{EnumValue, Enumeration};
pub use members::list::FixedList;
#[cfg(not(tablepb_no_alloc))]
pub use members::small_map::SmallMap;
#[cfg(not(tablepb_no_alloc))]
pub use members::unknown::UnknownFieldSet;
pub use message::{DecodeFrom, DecodeOwned, Message};

/// What `walk/` asks of members, without the feature `reflect`: nothing.
#[cfg(not(feature = "reflect"))]
mod no_walk {
    pub trait ShowValue<K> {}

    impl<T, K> ShowValue<K> for T {}

    pub trait ShowField<K> {}

    impl<T, K> ShowField<K> for T {}

    pub trait FillValue<'i, K> {}

    impl<T, K> FillValue<'_, K> for T {}

    pub trait FillField<'i, K> {}

    impl<T, K> FillField<'_, K> for T {}
}

/// The items that expansions of the macros name.
pub mod expansion {
    pub use super::grammar::accessor::{
        Arm, At, Broken, Fits, FitsVariant, Keeps, Listed, ListedEnum, ListedMessage, Unfit, check_enum,
        check_keeper, check_member, check_message, check_variant, member_fact, subject, variant_fact,
        variant_subject,
    };
    pub use super::grammar::kinds::{self, ascend, in_order, in_place_of, unraw};
    pub use super::grammar::kinds::{Fact, WireSpec, names, tables};
    pub use super::grammar::listing::{check, enum_table};
    pub use super::grammar::names::places;
    pub use super::grammar::names::{FieldName, MessageNames};
    pub use super::grammar::not_in_grammar::mistakes;
    pub use super::members::field::{VisitFields, VisitMember};
    pub use super::members::oneof::{HoldsOneof, NoOneof, OneofMember, type_of};
    #[cfg(feature = "serde")]
    pub use super::reflect::by_schema::{deserialize, serialize};
    pub use super::reflect::schema::SchemaCell;
    #[cfg(feature = "serde")]
    pub use crate::__deserialize as deserialize;
    pub use crate::wire::heap::Vec;
    pub use crate::{
        __arm as arm, __at as at, __bind as bind, __clear as clear, __default as default, __fact as fact,
        __field_mistake as field_mistake, __header_mistake as header_mistake, __inert as inert, __key as key,
        __kind as kind, __listed as listed, __listing as listing, __member as member, __name as name,
        __noted as noted, __option as option, __optional as optional, __serde as serde, __show as show,
        __show_oneof as show_oneof, __spec as spec, __syntax as syntax, __unknown as unknown,
        __unless as unless, __unset as unset, __variant as variant, __verify as verify,
        __visit_arm as visit_arm,
    };
    #[cfg(feature = "serde")]
    pub use ::serde::{Deserialize, Deserializer, Serialize, Serializer};
    pub use core::{
        compile_error, concat,
        convert::TryFrom,
        default::Default,
        fmt::{self, Display, Formatter},
        marker::PhantomData,
        option::Option::{self, None, Some},
        panic,
        result::Result,
        str::FromStr,
        stringify,
    };
}
