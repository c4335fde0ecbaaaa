//! Protocol Buffers without generated code: a schema is a table, a `const` in Rust or loaded at run time.
//!
//! There is no protoc, no `build.rs` and no procedural macro. One schema serves three ways to work, which read and write
//! the same bytes:
//!
//! | | for | start with |
//! |---|---|---|
//! | plain structs | schemas known when you write the program | [`message!`], [`Message`] |
//! | dynamic messages | schemas known at run time: read, change, encode again | [`DescriptorPool`], [`Decoder`], [`DynamicMessage`] |
//! | records | writing straight into a buffer, without a message in memory | [`record`] |
//!
//! The [guide](_guide) has a page for each way to work, and tells you which one fits.
//!
//! Each can avoid work: [`Prepared`] encodes constant parts once, [`Projection`](partial::Projection) and [`Lazy`] leave unread fields
//! undecoded, and [`raw`] reads fields without a schema.
//!
//! Below them are [`wire`] (tags, varints, skipping; no schema) and [`stream`] (length-delimited messages in a row).
//!
//! Schemas that are `.proto` sources are compiled by the crate `tablepb-schema`, without protoc; it also writes structs and their listings, and
//! compares schemas.
//!
//! ```
//! use tablepb::{Decoder, DescriptorPool, DynamicMessage, Message};
//!
//! #[derive(Debug, Default, PartialEq)]
//! struct Project { name: String, timestamp: u64, tags: Vec<String> }
//!
//! tablepb::message! {
//!     Project as "example.Project" {
//!         name: string = 1,
//!         timestamp: uint64 = 3,
//!         tags: repeated string = 4,
//!     }
//! }
//!
//! // Structs: `encode` appends to a buffer that can be reused.
//! let project = Project { name: "tablepb".into(), timestamp: 7, tags: vec!["fast".into()] };
//! let mut buf = Vec::new();
//! project.encode(&mut buf)?;
//! assert_eq!(Project::decode(&buf)?, project);
//!
//! // The same listing at run time; `DescriptorPool::decode` takes a descriptor set instead.
//! let pool = DescriptorPool::from_tables(&[Project::TABLE])?;
//! let schema = pool.message("example.Project")?;
//! let mut message = DynamicMessage::decode(&schema, &buf)?;
//! assert_eq!(message.encode_to_vec()?, buf);
//! message.set_field("name", "renamed")?;
//!
//! // The fastest way to read: the decoder reuses its memory, strings are borrowed from the input.
//! let mut decoder = Decoder::new(&schema);
//! let view = decoder.decode(&buf)?;
//! assert_eq!(view.get_field("name")?.as_str(), Some("tablepb"));
//!
//! // Errors have a kind, a byte offset and a field path.
//! let error = decoder.decode(&buf[..4]).unwrap_err();
//! assert_eq!(error.to_string(), "the input ends inside a field at byte 1, in example.Project: name");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//!
//! - No input makes decoding panic, overflow the stack (depth 100, [`DecodeOptions::max_depth`]) or take more memory
//!   than [a budget](DecodeOptions::budget): 1 MiB + 32 bytes per byte of input.
//! - Unknown fields are kept and encoded again, unless you [discard them](DecodeOptions::discard_unknown).
//! - `encoded_len` is the number of bytes that encoding appends. A buffer keeps its length if encoding fails.
//! - If the allocator has no memory left, calls that return a `Result` return an error, with the few exceptions that they name:
//!   allocations that stable Rust cannot refuse, such as those of `Box` and `BTreeMap`.
//! - Where implementations disagree, tablepb follows C++ and the conformance suite, with one exception: a varint above
//!   64 bits is an error, where C++ drops the extra bits.
//!
//! # Features
//!
//! | | default | |
//! |---|---|---|
//! | `std` | yes | `std::io` in [`stream`], `HashMap` members, kernels chosen by the CPU at run time |
//! | `bytes` | yes | `BytesMut` as a buffer, `Bytes` members, [`DynamicMessage::decode_shared`] |
//! | `reflect` | yes | schemas at run time: [`DescriptorPool`], [`DynamicMessage`], [`Decoder`], [`partial`], [`Prepared`], [`record`], [`text`] |
//! | `json` | yes | [`json`], messages as ProtoJSON and back; with it `reflect` |
//! | `serde` | no | messages in the JSON mapping through any format of serde ([`DynamicMessage::deserialize`]); with it `json` |
//! | `bytestring` | no | `ByteString` as a type of string members: [`decode_shared`](Message::decode_shared) shares the input with them |
//! | `heapless` | no | members of fixed capacity: `heapless::String`, `heapless::Vec`, `heapless::LinearMap` |
//! | `jiff`, `chrono` | no | conversions between [`wkt::Timestamp`], [`wkt::Duration`] and the types of these crates |
//! | `serde_json` | no | conversions between [`wkt::Value`], [`wkt::Struct`], [`wkt::ListValue`] and `serde_json::Value` |
//! | `portable-atomic` | no | processors without compare-and-swap, such as thumbv6m: `Arc` and atomics of the crates `portable-atomic` and `portable-atomic-util`; your program selects their implementation |
//!
//! Programs that have all their schemas as structs of [`message!`] need none of `reflect`: with `default-features = false,
//! features = ["std", "bytes"]` the crate compiles in an eighth of the time. What stays is [`message!`], [`enumeration!`],
//! [`Lazy`], [`raw`], [`wkt`], [`stream`] and [`wire`]. Of the default features, only `bytes` has a dependency. Without `std`
//! the crate is `no_std` with `alloc`; with `RUSTFLAGS="--cfg tablepb_no_alloc"`, which a program without an allocator sets, it is
//! without, and has structs that borrow or have members of fixed capacity.
//!
//! Each change is tested on x86-64, and by emulation on aarch64, on s390x (big endian) and on i686 (32 bits). It is compiled, with and without
//! `reflect`, for wasm32-unknown-unknown, thumbv7em-none-eabihf and, with `portable-atomic`, thumbv6m-none-eabi.
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    tablepb_no_alloc,
    allow(
        clippy::large_enum_variant,
        clippy::needless_option_as_deref,
        clippy::result_large_err,
        clippy::useless_conversion,
        reason = "errors are not in a box then, and names are always borrowed"
    )
)]

#[cfg_attr(
    tablepb_no_alloc,
    allow(dead_code, unused_imports, reason = "the rest is for members that own memory")
)]
mod structs;

#[cfg(not(tablepb_no_alloc))]
extern crate alloc;
#[cfg(all(tablepb_no_alloc, any(feature = "std", feature = "bytes", feature = "reflect", test)))]
compile_error!(
    "`--cfg tablepb_no_alloc` is for a program without an allocator, and so without the features `std`, `bytes` and `reflect`"
);
#[cfg(any(test, tablepb_safe))]
extern crate std;

// Only documentation. The pages use the default features.
#[cfg(all(any(doc, doctest), feature = "std", feature = "bytes", feature = "json"))]
pub mod _guide;
#[cfg(feature = "reflect")]
mod engine;
mod formats;
#[cfg(feature = "reflect")]
mod message;
#[cfg_attr(not(feature = "reflect"), doc(hidden))]
pub mod schema;
#[cfg(not(tablepb_no_alloc))]
pub mod stream;
#[cfg_attr(
    not(feature = "reflect"),
    allow(dead_code, unused_imports, reason = "the rest is for dynamic messages")
)]
pub mod wire;

#[cfg(feature = "bytes")]
pub use bytes;
#[cfg(feature = "bytestring")]
pub use bytestring;

// What a first program needs.
pub use formats::{AnyMessage, MergeBytes};
#[cfg(feature = "reflect")]
pub use formats::{MergeText, ParseError, ParseErrorKind, ParseText};
#[cfg(feature = "reflect")]
pub use message::{
    Decoder, DynamicMessage, FieldKey, ListRef, MapKey, MapKeyRef, MapRef, MessageMut, MessageView, Prepared,
    SetFieldError, SetFieldErrorKind, Value, ValueRef,
};
#[cfg(feature = "reflect")]
pub use schema::pool::{DescriptorPool, EnumDescriptor, FieldDescriptor, MessageDescriptor};
pub use structs::{CustomValue, DecodeFrom, DecodeOwned, EnumValue, Enumeration, FixedList, Message};
#[cfg(not(tablepb_no_alloc))]
pub use structs::{Lazy, SmallMap, UnknownFieldSet};
#[cfg(feature = "reflect")]
pub use wire::error::DescriptorError;
pub use wire::error::{DecodeError, DecodeErrorKind, EncodeError, EncodeErrorKind, FieldPath};
pub use wire::options::{DecodeOptions, EncodeOptions};

// The rest by module.
#[cfg(feature = "reflect")]
pub use engine::visit;
#[cfg(feature = "json")]
pub use formats::json;
#[cfg(feature = "reflect")]
pub use formats::{compare, prost_reflect_names, text};
#[cfg(feature = "reflect")]
pub use message::record;
pub use structs::wkt;

/// Parts of dynamic messages: their iterators, mutable fields, unknown fields, and messages that are kept as bytes.
///
/// | of a message | |
/// |---|---|
/// | [`MessageView::fields`], [`ListRef::iter`], [`MapRef::iter`] | [`Fields`](dynamic::Fields), [`ListIter`](dynamic::ListIter), [`MapIter`](dynamic::MapIter) |
/// | [`ListRef::numbers`] | [`Numbers`](dynamic::Numbers) |
/// | [`MessageMut::fields_mut`] | [`FieldsMut`](dynamic::FieldsMut), [`FieldMut`](dynamic::FieldMut) |
/// | [`MessageView::unknown_fields`] | [`UnknownFields`](dynamic::UnknownFields), [`UnknownField`](dynamic::UnknownField) |
/// | [`ValueRef::Raw`] | [`RawMessage`](dynamic::RawMessage) |
///
/// ```
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::{DescriptorPool, ListRef, text};
///
/// static LOG: MessageTable = MessageTable::new(
///     "pkg.Log",
///     &[FieldTable::new("line", 1, Kind::String), FieldTable::new("codes", 2, Kind::Int32).repeated()],
/// );
/// let log = DescriptorPool::from_tables(&[&LOG])?.message("pkg.Log")?;
/// let message = text::message_from_str(&log, "line: 'a' codes: [2, 3]")?;
/// let names: Vec<_> = message.fields().map(|(field, _)| field.name()).collect();
/// assert_eq!(names, ["line", "codes"]);
/// let codes: ListRef<'_, '_> = message.get_field("codes")?.as_list().unwrap();
/// assert_eq!(codes.numbers::<i32>().unwrap().sum::<i32>(), 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "reflect")]
pub mod dynamic {
    pub use crate::message::{
        FieldMut, Fields, FieldsMut, ListIter, MapIter, Number, Numbers, RawMessage, UnknownField,
        UnknownFields,
    };
}

/// Parts of messages by their paths.
///
/// | of a message | |
/// |---|---|
/// | decode some fields, drop the others or pass them through | [`Projection`](partial::Projection) |
/// | read every value at the end of a path | [`ValuePath`](partial::ValuePath), [`MessageView::values`] |
/// | read, set and clear one value | [`MessageView::get_path`], [`MessageMut::set_path`], [`MessageMut::clear_path`] |
/// | why a path was refused | [`PathError`](partial::PathError) |
///
/// ```
/// use tablepb::partial::{Projection, ValuePath};
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
///
/// static NODE: MessageTable = MessageTable::new(
///     "pkg.Node",
///     &[FieldTable::new("name", 1, Kind::String), FieldTable::new("nodes", 2, Kind::Message(|| &NODE)).repeated()],
/// );
/// let node = DescriptorPool::from_tables(&[&NODE])?.message("pkg.Node")?;
/// let names = Projection::new(&node, ["nodes.name"])?;
/// let message = names.decode(b"\x0a\x04root\x12\x03\x0a\x01a\x12\x03\x0a\x01b")?;
/// let path = ValuePath::new(&node, "nodes.name")?;
/// let found: Vec<_> = message.as_view().values(&path).filter_map(|name| name.as_str()).collect();
/// assert_eq!(found, ["a", "b"]);
/// assert_eq!(message.get_path("nodes[1].name")?.as_str(), Some("b"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "reflect")]
pub mod partial {
    pub use crate::message::Prepare;
    pub use crate::message::partial::{PathError, PathErrorKind, Projection, ValuePath, Values};
}

/// Schemas as data: tables built by `const fn`, in `&'static` memory.
///
/// | | |
/// |---|---|
/// | a message type, its fields | [`MessageTable::new`](table::MessageTable::new), [`FieldTable::new`](table::FieldTable::new), [`FieldTable::map`](table::FieldTable::map) |
/// | what a field is | [`Kind`](table::Kind), [`Cardinality`](table::Cardinality), `repeated`, `optional`, `required`, `oneof`, `packed`, `default_value` |
/// | an enum | [`EnumTable::new`](table::EnumTable::new), `closed` |
/// | load them | [`DescriptorPool::from_tables`] |
///
/// A [`MessageTable`](table::MessageTable) lists [`FieldTable`](table::FieldTable)s; a field of message or enum type names its table by a function, so
/// that messages may be recursive. Tables cost nothing until they are used, and are checked when a
/// [`DescriptorPool`] is made from them.
///
/// ```
/// use tablepb::table::{EnumTable, FieldTable, Kind, MessageTable};
///
/// static COLOR: EnumTable = EnumTable::new("example.Color", &[("RED", 0), ("GREEN", 1)]);
/// static NODE: MessageTable = MessageTable::new(
///     "example.Node",
///     &[
///         FieldTable::new("name", 1, Kind::String),
///         FieldTable::new("color", 2, Kind::Enum(|| &COLOR)),
///         FieldTable::new("children", 3, Kind::Message(|| &NODE)).repeated(),
///         FieldTable::map("weights", 4, Kind::String, Kind::Double),
///     ],
/// );
/// assert_eq!(NODE.fields()[2].name(), "children");
/// ```
pub mod table {
    pub use crate::schema::table::{
        Cardinality, DefaultValue, EnumTable, FieldTable, Kind, MessageTable, Syntax, TableKind,
    };
}

/// Fields without a schema: read and edited on the wire.
///
/// | of an encoded message | |
/// |---|---|
/// | all fields in their order; the last one with a number; one by a path | [`RawFields`](raw::RawFields): an iterator, [`find_last`](raw::RawFields::find_last), [`follow`](raw::RawFields::follow) |
/// | a field: number, value, offsets, the message in it | [`RawField`](raw::RawField), [`RawValue`](raw::RawValue) |
/// | another message with one field changed | [`replace`](raw::RawFields::replace), [`remove`](raw::RawFields::remove), [`append`](raw::RawFields::append) |
///
/// ```
/// use tablepb::raw::RawFields;
///
/// let numbers: Result<Vec<_>, _> = RawFields::new(b"\x08\x07\x12\x02hi").map(|field| field.map(|f| f.number())).collect();
/// assert_eq!(numbers?, [1, 2]);
/// # Ok::<(), tablepb::DecodeError>(())
/// ```
pub mod raw {
    pub use crate::wire::fields::{RawField, RawFields, RawStep, RawValue};
}

/// What the macros expand to; not part of the public interface.
#[doc(hidden)]
pub mod listing {
    pub use crate::structs::expansion::*;
}

/// Compiles and runs the code of the README.
#[cfg(all(doctest, feature = "std", feature = "json"))]
#[doc = include_str!("../README.md")]
mod readme {}
