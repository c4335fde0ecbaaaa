//! [`RustOptions`]: how structs are written.

use super::paths::PathMap;
use alloc::string::String;
use tablepb::FieldDescriptor;

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
    /// `ByteString`, by way of `tablepb::bytestring` (feature `bytestring`), and `Bytes`, by way of `tablepb::bytes` (feature `bytes`); they
    /// share the input of `decode_shared`.
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
///
/// # Paths
///
/// Some options are for a part of a schema. Their paths match as those of prost-build: one that begins with a dot is a full name and
/// stands for all that is in it (`.pkg`, `.pkg.Msg`, `.pkg.Msg.field`; `.` for everything), another one is the end of a full name
/// (`field`, `Msg.field`). If an option has one value for a field, the path that says most decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RustOptions {
    strings: PathMap<TextType>,
    bytes: PathMap<TextType>,
    maps: PathMap<MapType>,
    pub(super) open_enums: OpenEnumType,
    pub(super) derives: String,
    pub(super) public: bool,
    pub(super) well_known: bool,
    pub(super) unknown_fields: bool,
    pub(super) accessors: bool,
    pub(super) keep_enum_prefix: bool,
    pub(super) no_std: bool,
    /// Each with the items that it is for.
    attributes: PathMap<(Items, String)>,
    pub(super) externs: PathMap<String>,
    boxed: PathMap<()>,
    lazy: PathMap<()>,
    serde: PathMap<()>,
    no_comments: PathMap<()>,
    only: PathMap<()>,
    except: PathMap<()>,
}

/// What an attribute is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Items(u8);

impl Items {
    pub(super) const MESSAGE: Self = Self(1);
    pub(super) const ENUM: Self = Self(2);
    pub(super) const ONEOF: Self = Self(4);
    pub(super) const FIELD: Self = Self(8);
    const TYPES: Self = Self(7);
}

impl RustOptions {
    /// Public items with owned members: `String`, `Vec<u8>`, `BTreeMap`, [`EnumValue`](tablepb::EnumValue), the types of
    /// [`wkt`](tablepb::wkt), unknown fields kept, `#[derive(Clone, Debug, Default, PartialEq)]`.
    pub fn new() -> Self {
        Self {
            strings: PathMap::new(),
            bytes: PathMap::new(),
            maps: PathMap::new(),
            open_enums: OpenEnumType::EnumValue,
            derives: "Clone, Debug, PartialEq".into(),
            public: true,
            well_known: true,
            unknown_fields: true,
            accessors: false,
            keep_enum_prefix: false,
            no_std: false,
            attributes: PathMap::new(),
            externs: PathMap::new(),
            boxed: PathMap::new(),
            lazy: PathMap::new(),
            serde: PathMap::new(),
            no_comments: PathMap::new(),
            only: PathMap::new(),
            except: PathMap::new(),
        }
    }

    /// What prost writes, so that code for its types compiles: maps are `HashMap`, members of open enums `i32` with
    /// [accessors](Self::accessors), unknown fields are dropped, and types derive `Eq` and `Hash` where their members have them.
    ///
    /// Fields of closed enums, those of proto2, have the enum itself.
    ///
    /// ```
    /// use tablepb_schema::{RustOptions, SourceBuilder, to_rust};
    ///
    /// let source = r#"syntax = "proto3"; package p; enum E { E_A = 0; } message M { E e = 1; map<string, bytes> m = 2; }"#;
    /// let pool = SourceBuilder::new().source("m.proto", source).build()?;
    /// let rust = to_rust(&pool, &RustOptions::prost());
    /// assert!(rust.contains("pub e: i32,\n    pub m: std::collections::HashMap<String, Vec<u8>>,\n}"));
    /// assert!(rust.contains("pub fn e(&self) -> E {"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn prost() -> Self {
        Self::new()
            .maps(MapType::HashMap)
            .open_enums(OpenEnumType::Number)
            .accessors(true)
            .unknown_fields(false)
            .derives("Clone, Debug, PartialEq, Eq, Hash")
    }

    /// Sets the type of `string` fields; `Owned` by default. A struct with a borrowed member, its own or that of a message in
    /// it, has the lifetime `'a`.
    pub fn strings(self, strings: TextType) -> Self {
        self.strings_in(".", strings)
    }

    /// Sets the type of the `string` fields at a [path](Self#paths).
    pub fn strings_in(mut self, path: &str, strings: TextType) -> Self {
        self.strings.insert(path, strings);
        self
    }

    /// Sets the type of `bytes` fields; `Owned` by default.
    pub fn bytes(self, bytes: TextType) -> Self {
        self.bytes_in(".", bytes)
    }

    /// Sets the type of the `bytes` fields at a [path](Self#paths).
    pub fn bytes_in(mut self, path: &str, bytes: TextType) -> Self {
        self.bytes.insert(path, bytes);
        self
    }

    /// Sets the type of map fields; `BTreeMap` by default.
    pub fn maps(self, maps: MapType) -> Self {
        self.maps_in(".", maps)
    }

    /// Sets the type of the map fields at a [path](Self#paths).
    pub fn maps_in(mut self, path: &str, maps: MapType) -> Self {
        self.maps.insert(path, maps);
        self
    }

    /// Sets the type of fields of open enums; `EnumValue` by default.
    pub fn open_enums(mut self, open_enums: OpenEnumType) -> Self {
        self.open_enums = open_enums;
        self
    }

    /// Sets the traits that structs and the enums of oneofs derive, with commas between them; `Clone, Debug, PartialEq` by
    /// default. Structs derive `Default` in any case, which `message!` needs. `Eq` and `Hash` are left out where a
    /// member does not have them: floating point numbers, maps that are no `BTreeMap` (`Hash`), lazy members (`Hash`), `wkt::Value`,
    /// types of [other crates](Self::extern_path). Other traits go to every type as they are.
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

    /// Sets whether types have the accessors of prost; `false` by default.
    ///
    /// A scalar or enum member with presence has a method of its name, which returns its value, or its default in the schema. Members
    /// of type `i32` for an enum are read as the enum (numbers that it does not list as its default), and have `set_..`, or `push_..`
    /// if repeated. Enums have `as_str_name` and `from_str_name`. A member whose accessor would hide a method of
    /// [`Message`](tablepb::Message), or of another member, has none.
    pub fn accessors(mut self, accessors: bool) -> Self {
        self.accessors = accessors;
        self
    }

    /// Sets whether variants are without the name of their enum before them, `Red` for `COLOR_RED` of `Color`; `true` by default.
    pub fn strip_enum_prefix(mut self, strip: bool) -> Self {
        self.keep_enum_prefix = !strip;
        self
    }

    /// Sets whether the source compiles without `std`; `false` by default. The crate then has `extern crate alloc;` at its root;
    /// maps cannot be `HashMap`.
    pub fn no_std(mut self, no_std: bool) -> Self {
        self.no_std = no_std;
        self
    }

    /// Adds an attribute to the messages, enums and oneofs at a [path](Self#paths); more than one line is allowed.
    pub fn type_attribute(self, path: &str, attribute: &str) -> Self {
        self.attribute(Items::TYPES, path, attribute)
    }

    /// Adds an attribute to the structs of the messages at a [path](Self#paths).
    pub fn message_attribute(self, path: &str, attribute: &str) -> Self {
        self.attribute(Items::MESSAGE, path, attribute)
    }

    /// Adds an attribute to the enums at a [path](Self#paths); not to those of oneofs.
    pub fn enum_attribute(self, path: &str, attribute: &str) -> Self {
        self.attribute(Items::ENUM, path, attribute)
    }

    /// Adds an attribute to the enums of the oneofs at a [path](Self#paths).
    pub fn oneof_attribute(self, path: &str, attribute: &str) -> Self {
        self.attribute(Items::ONEOF, path, attribute)
    }

    /// Adds an attribute to the members and variants at a [path](Self#paths): of fields, oneofs and enum values. The path of
    /// a field of a oneof may have the name of the oneof in it, as in prost.
    pub fn field_attribute(self, path: &str, attribute: &str) -> Self {
        self.attribute(Items::FIELD, path, attribute)
    }

    fn attribute(mut self, items: Items, path: &str, attribute: &str) -> Self {
        self.attributes.insert(path, (items, attribute.into()));
        self
    }

    /// Says that a message, an enum, or all types of a package, are in Rust at this path: of another crate, say. They are not written.
    ///
    /// `.google.rpc` and `::rpc` makes `google.rpc.Status` `::rpc::Status`, and what is nested in it is in `::rpc::status`. The types
    /// implement [`Message`](tablepb::Message) or [`Enumeration`](tablepb::Enumeration), and own what they have.
    pub fn extern_path(mut self, path: &str, rust: &str) -> Self {
        self.externs.insert(path, rust.into());
        self
    }

    /// Puts the singular message fields, and the fields of oneofs, at a [path](Self#paths) into a `Box`.
    pub fn boxed(mut self, path: &str) -> Self {
        self.boxed.insert(path, ());
        self
    }

    /// Makes the singular message fields, and those of oneofs, at a [path](Self#paths) [`Lazy`](tablepb::Lazy): their bytes are
    /// kept, and decoded on first access. Fields of messages that borrow, and of well-known types, stay as they are.
    pub fn lazy(mut self, path: &str) -> Self {
        self.lazy.insert(path, ());
        self
    }

    /// Makes the structs at a [path](Self#paths) implement `Serialize`, and `Deserialize` unless they borrow, in the JSON mapping (feature
    /// `serde` of tablepb).
    pub fn serde(mut self, path: &str) -> Self {
        self.serde.insert(path, ());
        self
    }

    /// Leaves out the comments of the schema at a [path](Self#paths). They are there only if the pool has source information.
    pub fn disable_comments(mut self, path: &str) -> Self {
        self.no_comments.insert(path, ());
        self
    }

    /// Writes only the types and services at this [path](Self#paths), with the types that they need. May be called more than
    /// once; without a call, everything is written.
    pub fn only(mut self, path: &str) -> Self {
        self.only.insert(path, ());
        self
    }

    /// Does not write the types and services at this [path](Self#paths), unless another type needs them.
    pub fn except(mut self, path: &str) -> Self {
        self.except.insert(path, ());
        self
    }

    pub(super) fn strings_of(&self, field: &FieldDescriptor) -> TextType {
        self.strings.best(field.full_name()).copied().unwrap_or_default()
    }

    pub(super) fn bytes_of(&self, field: &FieldDescriptor) -> TextType {
        self.bytes.best(field.full_name()).copied().unwrap_or_default()
    }

    pub(super) fn maps_of(&self, field: &FieldDescriptor) -> MapType {
        self.maps.best(field.full_name()).copied().unwrap_or_default()
    }

    pub(super) fn is_boxed(&self, field: &FieldDescriptor) -> bool {
        self.boxed.has(field.full_name())
    }

    pub(super) fn is_lazy(&self, field: &FieldDescriptor) -> bool {
        self.lazy.has(field.full_name())
    }

    pub(super) fn has_serde(&self, full_name: &str) -> bool {
        self.serde.has(full_name)
    }

    pub(super) fn has_comments(&self, full_name: &str) -> bool {
        !self.no_comments.has(full_name)
    }

    /// Whether a type or a service is wanted by itself.
    pub(super) fn is_wanted(&self, full_name: &str) -> bool {
        (self.only.is_empty() || self.only.has(full_name)) && !self.except.has(full_name)
    }

    /// The attributes of an item. A field of a oneof has a second name, with the name of the oneof in it.
    pub(super) fn attributes_of<'s>(
        &'s self,
        items: Items,
        full_name: &'s str,
        second: Option<&'s str>,
    ) -> impl Iterator<Item = &'s str> {
        let of = move |(path, (of, text)): &'s (String, (Items, String))| {
            let is = |name: &str| super::paths::matches(path, name);
            (of.0 & items.0 != 0 && (is(full_name) || second.is_some_and(is))).then_some(text.as_str())
        };
        self.attributes.entries().iter().filter_map(of)
    }

    /// The path in Rust of a type that is elsewhere.
    pub(super) fn external(&self, full_name: &str) -> Option<String> {
        let mut end = full_name.len();
        loop {
            let found = self
                .externs
                .entries()
                .iter()
                .rev()
                .find(|(path, _)| path.trim_start_matches('.') == &full_name[..end]);
            if let Some((_, rust)) = found {
                return Some(super::case::inside(rust, full_name[end..].trim_start_matches('.')));
            }
            end = match full_name[..end].rfind('.') {
                Some(end) => end,
                None if end == 0 => return None,
                None => 0,
            };
        }
    }
}

impl Default for RustOptions {
    fn default() -> Self {
        Self::new()
    }
}
