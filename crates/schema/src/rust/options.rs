//! [`RustOptions`]: how structs are written.

use alloc::string::String;

/// The Rust type of `string` fields, or of `bytes` fields, in [`RustOptions`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextType {
    /// `String` and `Vec<u8>`.
    #[default]
    Owned,
    /// `&'a str` and `&'a [u8]`, which refer to the input.
    Borrowed,
    /// `Cow<'a, str>` and `Cow<'a, [u8]>`.
    Cow,
    /// `String` and `bytes::Bytes`, by way of `tablepb::bytes` (feature `bytes`).
    Shared,
}

/// The Rust type of map fields, in [`RustOptions`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MapType {
    /// `BTreeMap`, written in key order.
    #[default]
    BTreeMap,
    /// `HashMap` (feature `std`).
    HashMap,
    /// [`SmallMap`](tablepb::SmallMap), the fastest up to 16 entries.
    SmallMap,
}

/// The Rust type of fields of open enums, in [`RustOptions`]. Fields of closed enums have the enum itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OpenEnumType {
    /// [`EnumValue<E>`](tablepb::EnumValue), which keeps unlisted numbers.
    #[default]
    EnumValue,
    /// `i32`, as in prost.
    Number,
    /// The enum: unlisted numbers go to the unknown fields.
    Listed,
}

/// How [`to_rust`](crate::to_rust) writes structs.
///
/// ```
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
/// use tablepb_schema::{RustOptions, TextType, to_rust};
///
/// static LOG: MessageTable = MessageTable::new("pkg.Log", &[FieldTable::new("line", 1, Kind::String)]);
/// let log = DescriptorPool::from_tables(&[&LOG])?.message("pkg.Log")?;
/// let options = RustOptions::new().strings(TextType::Borrowed).unknown_fields(false).derives("Debug");
/// assert!(to_rust(&log, &options).contains(
///     "\
/// #[derive(Debug, Default)]
/// pub struct Log<'a> {
///     pub line: &'a str,
/// }
///
/// tablepb::message! {
///     Log<'a> as \"pkg.Log\" {
///         line: string = 1,
///     }
/// }
/// "
/// ));
/// # Ok::<(), tablepb::DescriptorError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RustOptions {
    pub(super) strings: TextType,
    pub(super) bytes: TextType,
    pub(super) maps: MapType,
    pub(super) open_enums: OpenEnumType,
    pub(super) derives: String,
    pub(super) public: bool,
    pub(super) well_known: bool,
    pub(super) unknown_fields: bool,
}

impl RustOptions {
    /// Public items with owned members: `String`, `Vec<u8>`, `BTreeMap`, [`EnumValue`](tablepb::EnumValue), the types of
    /// [`wkt`](tablepb::wkt), unknown fields kept, `#[derive(Clone, Debug, Default, PartialEq)]`.
    pub fn new() -> Self {
        Self {
            strings: TextType::Owned,
            bytes: TextType::Owned,
            maps: MapType::BTreeMap,
            open_enums: OpenEnumType::EnumValue,
            derives: "Clone, Debug, PartialEq".into(),
            public: true,
            well_known: true,
            unknown_fields: true,
        }
    }

    /// Sets the type of `string` fields; `Owned` by default. A struct with a borrowed member, its own or that of a message in
    /// it, has the lifetime `'a`.
    pub fn strings(mut self, strings: TextType) -> Self {
        self.strings = strings;
        self
    }

    /// Sets the type of `bytes` fields; `Owned` by default.
    pub fn bytes(mut self, bytes: TextType) -> Self {
        self.bytes = bytes;
        self
    }

    /// Sets the type of map fields; `BTreeMap` by default.
    pub fn maps(mut self, maps: MapType) -> Self {
        self.maps = maps;
        self
    }

    /// Sets the type of fields of open enums; `EnumValue` by default.
    pub fn open_enums(mut self, open_enums: OpenEnumType) -> Self {
        self.open_enums = open_enums;
        self
    }

    /// Sets the traits that structs and the enums of oneofs derive, with commas between them; `Clone, Debug, PartialEq` by
    /// default. Structs derive `Default` in any case, which `message!` needs. `Eq` and `Hash` are left out where a
    /// member does not have them: floating point numbers, maps that are no `BTreeMap`, `wkt::Value`. Other traits go to
    /// every type as they are.
    pub fn derives(mut self, derives: &str) -> Self {
        self.derives = derives.into();
        self
    }

    /// Sets whether items are `pub` or `pub(crate)`; `true` by default.
    pub fn public(mut self, public: bool) -> Self {
        self.public = public;
        self
    }

    /// Sets whether fields of well-known types have the types of [`wkt`](tablepb::wkt); `true` by default. Otherwise they are
    /// generated like others. The types of `wkt` do not keep unknown fields.
    pub fn well_known_types(mut self, well_known: bool) -> Self {
        self.well_known = well_known;
        self
    }

    /// Sets whether structs have a member of [`UnknownFieldSet`](tablepb::UnknownFieldSet); `true` by default. Without it,
    /// decoding drops what the listing does not have.
    pub fn unknown_fields(mut self, keep: bool) -> Self {
        self.unknown_fields = keep;
        self
    }
}

impl Default for RustOptions {
    fn default() -> Self {
        Self::new()
    }
}
