//! [`RecordPlan`]: which fields of a message type are written, and their handles.

use super::error::{PlanError, PlanErrorKind};
use super::field::{Field, Flags, Owner, Slot};
use super::kind::{self, FieldKind, MapKey};
use super::node::{self, Node};
use super::{RecordWriter, definition};
use crate::schema::{FieldRef, MessageDescriptor, components};
use crate::table::Kind;
use crate::wire::Buffer;
use alloc::{borrow::ToOwned, collections::BTreeMap, format, string::String, vec::Vec};
use core::fmt;
use core::sync::atomic::{AtomicU32, Ordering};

/// A message type prepared for [`RecordWriter`], with the fields that are enabled.
///
/// All fields are enabled at first. [`disable`](Self::disable) and [`enable`](Self::enable) take the name of a field,
/// dotted for a field of a nested message (`"nat.src_port"`), or of a [`group`](Self::group) of fields. What is
/// switched is the field of the nested *type*, wherever a message of it stands, because that is what a
/// [definition](Self::to_proto) can express. Values of maps are reached as `"map.value.field"`; an extension is
/// named in brackets, `"[pkg.extension]"`.
///
/// `Send + Sync`: make a plan once, ask it for the [handles](Field) of all fields, and share it. Handles stay valid
/// when fields are switched, and for clones of the plan, so a decoder resolves its handles once and works with
/// whichever clone is in use. Making a plan takes time in the number of fields of all message types that can be
/// reached; a handle takes a name lookup.
///
/// ```
/// use tablepb::{DescriptorPool, FieldTable, Kind, MessageTable, RecordPlan, stream::frames};
///
/// static FLOW: MessageTable = MessageTable::new(
///     "example.Flow",
///     &[
///         FieldTable::new("SrcAddr", 1, Kind::Bytes),
///         FieldTable::new("Bytes", 2, Kind::Uint64),
///         FieldTable::new("SrcMAC", 3, Kind::Uint64),
///     ],
/// );
/// let pool = DescriptorPool::from_tables(&[&FLOW])?;
/// let plan = RecordPlan::new(&pool.get_message_by_name("example.Flow").unwrap()).disable("SrcMAC")?;
/// let (addr, bytes, mac) = (plan.bytes("SrcAddr")?, plan.uint64("Bytes")?, plan.uint64("SrcMAC")?);
///
/// let mut buf = Vec::new();
/// for size in [64, 1518] {
///     let mut rec = plan.record(&mut buf);
///     rec.set(bytes, size);
///     rec.set(addr, &[192, 0, 2, 1]);
///     rec.set(mac, 0x0200_5e10_0001); // disabled: not written
///     rec.set(bytes, 9); // the first value wins
///     rec.finish()?;
/// }
/// assert_eq!(frames(&buf).next().unwrap()?, b"\x10\x40\x0a\x04\xc0\x00\x02\x01");
/// assert_eq!(frames(&buf).count(), 2);
/// assert!(!plan.to_proto().contains("SrcMAC"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct RecordPlan {
    /// The owner of the handles of the first node, followed by those of the others.
    first_owner: Owner,
    pub(super) nodes: Vec<Node>,
    /// Of each group the fields, each with the message fields on the way to it.
    groups: BTreeMap<String, Vec<Vec<Place>>>,
}

/// A field of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    node: u32,
    field: u32,
}

/// The first of so many owners that are not in use. Four billion message types of plans later, they come again.
fn next_owners(count: u32) -> Owner {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    loop {
        let first = NEXT.fetch_add(count, Ordering::Relaxed);
        if Owner(first) != Owner::NONE && first.checked_add(count).is_some() {
            return Owner(first);
        }
    }
}

macro_rules! handles {
    ($($name:ident $kind:ident $keyword:literal),* $(,)?) => {$(
        #[doc = concat!("The handle of a `", $keyword, "` field, singular or repeated.")]
        ///
        /// # Errors
        /// `NotFound`, or `WrongKind`.
        pub fn $name(&self, name: &str) -> Result<Field<kind::$kind>, PlanError> {
            self.field(name)
        }
    )*};
}

impl RecordPlan {
    /// A plan for a message type, all fields enabled.
    pub fn new(message: &MessageDescriptor) -> Self {
        let nodes = node::reachable(message);
        Self { first_owner: next_owners(nodes.len() as u32), nodes, groups: BTreeMap::new() }
    }

    /// The message type, with all its fields.
    pub fn descriptor(&self) -> &MessageDescriptor {
        &self.root().message
    }

    pub(super) fn root(&self) -> &Node {
        // The root is made by `new` and never taken away.
        &self.nodes[0]
    }

    /// Starts a record at the end of the buffer: nothing of it is in there before [`RecordWriter::finish`].
    #[inline(always)]
    pub fn record<'b, B: Buffer>(&'b self, buf: &'b mut B) -> RecordWriter<'b> {
        RecordWriter::new(self, buf)
    }

    handles! {
        double Double "double", float Float "float",
        int32 Int32 "int32", int64 Int64 "int64", uint32 Uint32 "uint32", uint64 Uint64 "uint64",
        sint32 Sint32 "sint32", sint64 Sint64 "sint64", fixed32 Fixed32 "fixed32", fixed64 Fixed64 "fixed64",
        sfixed32 Sfixed32 "sfixed32", sfixed64 Sfixed64 "sfixed64", bool Bool "bool",
        string String "string", bytes Bytes "bytes", enumeration Enum "enum", message Message "message",
    }

    /// The handle of a map field.
    ///
    /// ```
    /// use tablepb::record::kind;
    /// use tablepb::{DescriptorPool, FieldTable, Kind, MessageTable, RecordPlan};
    ///
    /// static HOST: MessageTable =
    ///     MessageTable::new("pkg.Host", &[FieldTable::map("tags", 1, Kind::String, Kind::Uint64)]);
    /// let pool = DescriptorPool::from_tables(&[&HOST])?;
    /// let plan = RecordPlan::new(&pool.get_message_by_name("pkg.Host").unwrap());
    /// let tags = plan.map::<kind::String, kind::Uint64>("tags")?;
    /// let mut buf = Vec::new();
    /// let mut rec = plan.record(&mut buf);
    /// rec.insert(tags, "a", 1);
    /// assert_eq!(rec.finish()?, b"\x07\x0a\x05\x0a\x01a\x10\x01");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `NotFound`, or `WrongKind`.
    pub fn map<K: MapKey, V: FieldKind>(&self, name: &str) -> Result<Field<kind::Map<K, V>>, PlanError> {
        self.field(name)
    }

    /// The handle of a field, of the kind that is asked for.
    ///
    /// # Errors
    /// `NotFound`; `WrongKind`; `Unsupported` for an extension of a MessageSet.
    pub fn field<K: FieldKind>(&self, name: &str) -> Result<Field<K>, PlanError> {
        let place = self.find(name)?;
        let (node, field) = self.at(place).ok_or_else(|| self.not_found(name))?;
        if node.message.is_message_set() {
            return Err(self.error(PlanErrorKind::Unsupported, name, String::new()));
        }
        if !is_of_kind::<K>(field) {
            let detail = format!("it is {}", type_name(field));
            return Err(self.error(PlanErrorKind::WrongKind, name, detail));
        }
        let prefix = node::prefix(field);
        debug_assert!(prefix.has(Flags::ONEOF) == node.shared_bit(place.field).is_some());
        Ok(Field::new(Slot::new(prefix, self.owner(place.node), place.field)))
    }

    /// Declares a group: a name for several fields that are switched together. A field can be in several groups.
    ///
    /// # Errors
    /// `NotFound` for a field; `DuplicateName` if a field or another group has the name.
    pub fn group<I>(mut self, name: &str, fields: I) -> Result<Self, PlanError>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        if self.groups.contains_key(name) || self.find(name).is_ok() {
            return Err(self.error(PlanErrorKind::DuplicateName, name, String::new()));
        }
        let paths: Result<Vec<Vec<Place>>, _> =
            fields.into_iter().map(|field| self.path(field.as_ref())).collect();
        self.groups.insert(name.to_owned(), paths?);
        Ok(self)
    }

    /// The names of the groups, sorted.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = &str> + '_ {
        self.groups.keys().map(String::as_str)
    }

    /// Keeps a field, or the fields of a group, out of all records from here on.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn disable(self, name: &str) -> Result<Self, PlanError> {
        self.switch(name, false)
    }

    /// Takes a field, or the fields of a group, into records again.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn enable(self, name: &str) -> Result<Self, PlanError> {
        self.switch(name, true)
    }

    /// Enables these fields and groups, and disables all others.
    ///
    /// A field of a nested message enables the message fields on the way to it, and of the nested message only what
    /// is named.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn enable_only<I>(mut self, names: I) -> Result<Self, PlanError>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let mut paths = Vec::new();
        for name in names {
            match self.groups.get(name.as_ref()) {
                Some(group) => paths.extend_from_slice(group),
                None => paths.push(self.path(name.as_ref())?),
            }
        }
        let mut cleared = Vec::from([0]);
        cleared.extend(paths.iter().flatten().map(|place| place.node));
        for &node in &cleared {
            let Some(node) = self.nodes.get_mut(node as usize) else { continue };
            (0..node.field_count()).for_each(|field| node.disabled.insert(field));
        }
        paths.into_iter().flatten().for_each(|place| self.put(place, true));
        Ok(self)
    }

    /// Whether a field is enabled, or all fields of a group; false for a name that is neither.
    ///
    /// That of a nested message does not ask whether the messages around it are enabled.
    pub fn is_enabled(&self, name: &str) -> bool {
        match self.groups.get(name) {
            Some(paths) => paths.iter().filter_map(|path| path.last()).all(|&place| self.is_on(place)),
            None => self.find(name).is_ok_and(|place| self.is_on(place)),
        }
    }

    /// A .proto file with the message type, and what it needs, that has the enabled fields only.
    ///
    /// As [`MessageDescriptor::to_proto`]: what is defined in other files is imported from there, and disabled fields
    /// of types in other files stay in those. Enabled extensions of the same file come along; those of other files
    /// are there.
    pub fn to_proto(&self) -> String {
        definition::print(self)
    }

    /// A hash of the definition that [`to_proto`](Self::to_proto) prints, to name it by.
    ///
    /// The same message type with the same fields enabled has the same hash, on every platform and in every release;
    /// so a stream can name its schema, and a reader find it. It is the 64-bit FNV-1a hash (offset basis
    /// 0xcbf29ce484222325, prime 0x100000001b3) of this text in UTF-8, each line ended by a line feed:
    ///
    /// - first the message type of the plan, then all message types and enums that its enabled fields lead to, by full
    ///   name in byte order;
    /// - for a message type the line `message` *full name*, and for each enabled field, in order of numbers,
    ///   *number* *label* *type* *name*, with one space between;
    /// - the label is `implicit`, `explicit` (with presence), `required`, `repeated` or `packed`;
    /// - the type is the keyword of a scalar; `message`, `group` or `enum` and the full name; or `map` *key type*
    ///   *value type*;
    /// - where they apply, ` oneof ` and its name, then ` default ` and the value follow in the line of a field. A
    ///   number is written in decimal, a floating-point one as the 16 hexadecimal digits of its binary64 bits, a
    ///   string or bytes as hexadecimal digits, an enum value as its name;
    /// - for an enum the line `enum` *full name* or `closed enum` *full name*, and for each value, in order of
    ///   numbers, then names, *number* *name*.
    ///
    /// Order of declaration, options, comments and reserved ranges have no part in it.
    pub fn schema_hash(&self) -> u64 {
        definition::hash(self)
    }

    fn switch(mut self, name: &str, on: bool) -> Result<Self, PlanError> {
        let places = match self.groups.get(name) {
            Some(group) => group.iter().filter_map(|path| path.last().copied()).collect(),
            None => Vec::from([self.find(name)?]),
        };
        places.into_iter().for_each(|place| self.put(place, on));
        Ok(self)
    }

    fn put(&mut self, place: Place, on: bool) {
        if let Some(node) = self.nodes.get_mut(place.node as usize) {
            match on {
                true => node.disabled.remove(place.field),
                false => node.disabled.insert(place.field),
            }
        }
    }

    fn is_on(&self, place: Place) -> bool {
        self.nodes.get(place.node as usize).is_some_and(|node| !node.disabled.has(place.field))
    }

    fn at(&self, place: Place) -> Option<(&Node, FieldRef<'_>)> {
        let node = self.nodes.get(place.node as usize)?;
        Some((node, node.field(place.field)?))
    }

    fn find(&self, name: &str) -> Result<Place, PlanError> {
        self.path(name)?.pop().ok_or_else(|| self.not_found(name))
    }

    /// The fields that a dotted name goes through.
    fn path(&self, name: &str) -> Result<Vec<Place>, PlanError> {
        let mut path = Vec::new();
        let (mut next, mut in_map, mut in_value) = (Some(0), false, false);
        for component in components(name) {
            in_value = core::mem::take(&mut in_map);
            if in_value && component == "value" {
                continue;
            } else if in_value {
                break;
            }
            let node = next.and_then(|index: u32| Some((index, self.nodes.get(index as usize)?)));
            let found = node.and_then(|(index, node)| Some((index, node, named(node, component)?)));
            let (index, node, field) = found.ok_or_else(|| self.not_found(name))?;
            path.push(Place { node: index, field: field.index() });
            (next, in_map) = (node.child(field.index()), field.is_map());
        }
        if in_value { Err(self.not_found(name)) } else { Ok(path) }
    }

    fn not_found(&self, name: &str) -> PlanError {
        self.error(PlanErrorKind::NotFound, name, String::new())
    }

    fn error(&self, kind: PlanErrorKind, name: &str, detail: String) -> PlanError {
        PlanError::new(kind, name, self.descriptor().full_name(), detail)
    }

    /// The owner of the handles of a node.
    #[inline]
    pub(super) fn owner(&self, node: u32) -> Owner {
        Owner(self.first_owner.0 + node)
    }
}

/// The field of this name, or the extension of this name in brackets.
fn named<'n>(node: &'n Node, name: &str) -> Option<FieldRef<'n>> {
    match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
        Some(extension) => {
            let number = node.message.get_extension_by_full_name(extension)?.number();
            node.message.field_by_number(number)
        }
        None => node.message.field_by_name(name),
    }
}

fn bare<M, E>(kind: Kind<M, E>) -> Kind<(), ()> {
    kind.map(|_| (), |_| ())
}

fn is_of_kind<K: FieldKind>(field: FieldRef<'_>) -> bool {
    let part = |number| node::map_part(field, number).map(|part| bare(part.kind()));
    match K::KEY {
        Some(key) => field.is_map() && part(1) == Some(key) && part(2) == Some(K::KIND),
        None => !field.is_map() && bare(field.kind()) == K::KIND,
    }
}

/// What a field is, for people.
fn type_name(field: FieldRef<'_>) -> String {
    let part = |number| node::map_part(field, number).map_or("?", |part| part.kind().name());
    match field.is_map() {
        true => format!("map<{}, {}>", part(1), part(2)),
        false => field.kind().name().to_owned(),
    }
}

impl fmt::Debug for RecordPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecordPlan({})", self.descriptor().full_name())
    }
}
