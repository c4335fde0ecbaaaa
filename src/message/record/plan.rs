//! [`RecordPlan`]: the enabled fields of a message type, and how handles are resolved by name.

use super::definition::PlanNode;
use super::field::{Field, Flags, Handle, NodeId};
use super::kind::{HandleKind, KeyKind};
use super::{definition, kind};
use crate::message::partial::{PathError, PathErrorKind};
use crate::schema::pool::{FieldRef, MessageDescriptor, components};
use crate::schema::table::Kind;
use crate::wire::sync::{AtomicU32, Ordering};
use alloc::{borrow::ToOwned, format, string::String, vec::Vec};
use core::fmt;

/// A message type prepared for writing records of it, with the set of fields that are enabled.
///
/// All fields are enabled at first. [`disable`](Self::disable) and [`enable`](Self::enable) take the name of a field,
/// with dots for fields of nested messages (`"nat.src_port"`), or the name of a [`group`](Self::group) of fields. The
/// values of a map are reached as `"map.value.field"`, an extension by its full name in brackets, `"[pkg.extension]"`.
/// Disabling a field of a nested message disables it in the message *type*: in every message of that type in a record,
/// because the printed [definition](Self::to_proto) has each type once.
///
/// `Send + Sync`. Make a plan once, resolve the [handles](Field) of all fields from it, and share it between threads.
/// A handle works with every clone of the plan, whichever fields each enables. Making a plan takes time and memory in proportion to the number of
/// fields of all message types that can be reached; resolving a handle is a lookup by name.
///
/// ```
/// use tablepb::record::RecordPlan;
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::{DescriptorPool, stream::frames};
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
/// let plan = RecordPlan::new(&pool.message("example.Flow")?).disable("SrcMAC")?;
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
    /// Never empty: the root comes first.
    pub(super) nodes: Vec<PlanNode>,
    /// By name, sorted: the fields of each group, each with the message fields that lead to it.
    groups: Vec<(String, Vec<Vec<NodeField>>)>,
    pub(super) hash_in_name: bool,
}

/// A field of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NodeField {
    node: u32,
    field: u32,
}

/// Gives ids to the nodes of a new plan. After four billion nodes in one process, ids repeat.
fn assign_ids(nodes: &mut [PlanNode]) {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    let count = nodes.len() as u32;
    let first = loop {
        let first = NEXT.fetch_add(count, Ordering::Relaxed);
        if NodeId(first) != NodeId::NONE && first.checked_add(count).is_some() {
            break first;
        }
    };
    for (id, node) in (first..).zip(nodes) {
        node.id = NodeId(id);
    }
}

/// Methods that resolve handles, one for each kind of field, by a method `field` that is generic over the kind.
macro_rules! handles {
    () => {
        handles! {
            double Double "double", float Float "float",
            int32 Int32 "int32", int64 Int64 "int64", uint32 Uint32 "uint32", uint64 Uint64 "uint64",
            sint32 Sint32 "sint32", sint64 Sint64 "sint64", fixed32 Fixed32 "fixed32", fixed64 Fixed64 "fixed64",
            sfixed32 Sfixed32 "sfixed32", sfixed64 Sfixed64 "sfixed64", bool Bool "bool",
            string Str "string", bytes Bytes "bytes", enumeration Enum "enum", message Submessage "message",
        }
    };
    ($($name:ident $kind:ident $keyword:literal),* $(,)?) => {$(
        #[doc = concat!("The handle of a `", $keyword, "` field, singular or repeated.")]
        ///
        /// # Errors
        /// As [`field`](Self::field).
        pub fn $name(&self, name: &str) -> Result<Field<kind::$kind>, PathError> {
            self.field(name)
        }
    )*};
}

impl RecordPlan {
    /// A plan for a message type, with all fields enabled.
    #[must_use]
    pub fn new(message: &MessageDescriptor) -> Self {
        let mut nodes = definition::reachable(message);
        assign_ids(&mut nodes);
        Self { nodes, groups: Vec::new(), hash_in_name: false }
    }

    /// The message type, with its disabled fields too.
    #[must_use]
    pub fn descriptor(&self) -> &MessageDescriptor {
        &self.root().message
    }

    pub(super) fn root(&self) -> &PlanNode {
        // `new` makes the root, and nothing removes nodes.
        &self.nodes[0]
    }

    handles!();

    /// The handle of a map field.
    ///
    /// ```
    /// use tablepb::record::kind;
    /// use tablepb::record::RecordPlan;
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::DescriptorPool;
    ///
    /// static HOST: MessageTable =
    ///     MessageTable::new("pkg.Host", &[FieldTable::map("tags", 1, Kind::String, Kind::Uint64)]);
    /// let pool = DescriptorPool::from_tables(&[&HOST])?;
    /// let plan = RecordPlan::new(&pool.message("pkg.Host")?);
    /// let tags = plan.map::<kind::Str, kind::Uint64>("tags")?;
    /// let mut buf = Vec::new();
    /// let mut rec = plan.record(&mut buf);
    /// rec.insert(tags, "a", 1);
    /// assert_eq!(rec.finish()?, b"\x07\x0a\x05\x0a\x01a\x10\x01");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`field`](Self::field).
    pub fn map<K: KeyKind, V: HandleKind>(&self, name: &str) -> Result<Field<kind::MapOf<K, V>>, PathError> {
        self.field(name)
    }

    /// The handle of a field of kind `K`: for code that is generic over the kind.
    ///
    /// # Errors
    /// `NoSuchField` if there is no such field, `WrongKind` if it is of another kind, `Unsupported` for an extension of a
    /// MessageSet.
    ///
    /// ```
    /// use tablepb::record::kind;
    /// use tablepb::partial::PathErrorKind;
    /// use tablepb::record::RecordPlan;
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::DescriptorPool;
    ///
    /// static PORT: MessageTable = MessageTable::new("pkg.Port", &[FieldTable::new("up", 1, Kind::Bool)]);
    /// let pool = DescriptorPool::from_tables(&[&PORT])?;
    /// let plan = RecordPlan::new(&pool.message("pkg.Port")?);
    /// assert_eq!(plan.field::<kind::Bool>("up")?, plan.bool("up")?);
    /// let error = plan.field::<kind::Str>("up").unwrap_err();
    /// assert_eq!(error.kind(), PathErrorKind::WrongKind);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn field<K: HandleKind>(&self, name: &str) -> Result<Field<K>, PathError> {
        Ok(Field::new(self.handle(name, K::KEY, K::KIND)?))
    }

    /// The handle of a field of this kind, or of a map with these keys.
    fn handle(&self, name: &str, key: Option<Kind<(), ()>>, kind: Kind<(), ()>) -> Result<Handle, PathError> {
        let at = self.find(name)?;
        let (node, field) = self.node_field(at).ok_or_else(|| self.not_found(name))?;
        if node.message.is_message_set() {
            return Err(self.error(PathErrorKind::Unsupported, name, String::new()));
        }
        if !is_of_kind(field, key, kind) {
            let detail = format!("it is {}", type_name(field));
            return Err(self.error(PathErrorKind::WrongKind, name, detail));
        }
        let prefix = definition::prefix(field);
        debug_assert!(prefix.has(Flags::ONEOF) == node.oneof_bit(at.field).is_some());
        Ok(Handle::new(prefix, node.id, at.field))
    }

    /// Declares a group: one name to disable and enable several fields by. A field can be in several groups.
    ///
    /// ```
    /// use tablepb::record::RecordPlan;
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::DescriptorPool;
    ///
    /// static FLOW: MessageTable = MessageTable::new(
    ///     "pkg.Flow",
    ///     &[FieldTable::new("src_mac", 1, Kind::Uint64), FieldTable::new("dst_mac", 2, Kind::Uint64)],
    /// );
    /// let pool = DescriptorPool::from_tables(&[&FLOW])?;
    /// let plan = RecordPlan::new(&pool.message("pkg.Flow")?);
    /// let plan = plan.group("mac", ["src_mac", "dst_mac"])?.disable("mac")?;
    /// assert!(!plan.is_enabled("src_mac") && !plan.is_enabled("mac"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `NoSuchField` if one of the fields does not exist, `DuplicateName` if a field or another group has the name.
    pub fn group<I>(mut self, name: &str, fields: I) -> Result<Self, PathError>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let (Err(at), Err(_)) = (self.group_position(name), self.find(name)) else {
            return Err(self.error(PathErrorKind::DuplicateName, name, String::new()));
        };
        let paths: Result<Vec<Vec<NodeField>>, _> =
            fields.into_iter().map(|field| self.path(field.as_ref())).collect();
        self.groups.insert(at, (name.to_owned(), paths?));
        Ok(self)
    }

    /// The names of the groups, sorted.
    #[must_use]
    pub fn groups(&self) -> impl ExactSizeIterator<Item = &str> + '_ {
        self.groups.iter().map(|(name, _)| name.as_str())
    }

    /// Disables a field, or the fields of a group: no record has them.
    ///
    /// # Errors
    /// `NoSuchField` if no field and no group has the name.
    pub fn disable(self, name: &str) -> Result<Self, PathError> {
        self.set_all_enabled(name, false)
    }

    /// Enables a field, or the fields of a group, again.
    ///
    /// # Errors
    /// `NoSuchField` if no field and no group has the name.
    pub fn enable(self, name: &str) -> Result<Self, PathError> {
        self.set_all_enabled(name, true)
    }

    /// Enables these fields and groups, and disables all other fields of the message type.
    ///
    /// The name of a field of a nested message enables the message fields that lead to it too, and disables the other
    /// fields of the messages on its path.
    ///
    /// # Errors
    /// `NoSuchField` if no field and no group has the name.
    pub fn enable_only<I>(mut self, names: I) -> Result<Self, PathError>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let mut paths = Vec::new();
        for name in names {
            match self.group_named(name.as_ref()) {
                Some(group) => paths.extend_from_slice(group),
                None => paths.push(self.path(name.as_ref())?),
            }
        }
        let mut cleared = Vec::from([0]);
        cleared.extend(paths.iter().flatten().map(|field| field.node));
        for &node in &cleared {
            let Some(node) = self.nodes.get_mut(node as usize) else { continue };
            (0..node.field_count()).for_each(|field| node.disabled.insert(field));
        }
        paths.into_iter().flatten().for_each(|field| self.set_enabled(field, true));
        Ok(self)
    }

    /// Whether a field, or every field of a group, is enabled; false if no field and no group has the name.
    ///
    /// For a field of a nested message, the answer does not depend on whether the messages around it are enabled.
    #[must_use]
    pub fn is_enabled(&self, name: &str) -> bool {
        match self.group_named(name) {
            Some(paths) => paths.iter().filter_map(|path| path.last()).all(|&field| self.has_enabled(field)),
            None => self.find(name).is_ok_and(|field| self.has_enabled(field)),
        }
    }

    /// The position of a group, or the one that it would have.
    fn group_position(&self, name: &str) -> Result<usize, usize> {
        self.groups.binary_search_by(|(group, _)| group.as_str().cmp(name))
    }

    fn group_named(&self, name: &str) -> Option<&[Vec<NodeField>]> {
        let at = self.group_position(name).ok()?;
        self.groups.get(at).map(|(_, paths)| paths.as_slice())
    }

    fn set_all_enabled(mut self, name: &str, enabled: bool) -> Result<Self, PathError> {
        let fields = match self.group_named(name) {
            Some(group) => group.iter().filter_map(|path| path.last().copied()).collect(),
            None => Vec::from([self.find(name)?]),
        };
        fields.into_iter().for_each(|field| self.set_enabled(field, enabled));
        Ok(self)
    }

    fn set_enabled(&mut self, at: NodeField, enabled: bool) {
        if let Some(node) = self.nodes.get_mut(at.node as usize) {
            match enabled {
                true => node.disabled.remove(at.field),
                false => node.disabled.insert(at.field),
            }
        }
    }

    fn has_enabled(&self, at: NodeField) -> bool {
        self.nodes.get(at.node as usize).is_some_and(|node| !node.disabled.has(at.field))
    }

    /// A field, and the node that it is in.
    fn node_field(&self, at: NodeField) -> Option<(&PlanNode, FieldRef<'_>)> {
        let node = self.nodes.get(at.node as usize)?;
        Some((node, node.field(at.field)?))
    }

    fn find(&self, name: &str) -> Result<NodeField, PathError> {
        self.path(name)?.pop().ok_or_else(|| self.not_found(name))
    }

    /// Resolves a dotted name to the message fields that lead to a field, and that field.
    fn path(&self, name: &str) -> Result<Vec<NodeField>, PathError> {
        let mut path = Vec::new();
        let (mut node, mut in_map, mut at_value) = (Some(0), false, false);
        for component in components(name) {
            // The child of a map field is the node of its values, so the component `value` goes nowhere.
            at_value = core::mem::take(&mut in_map);
            if at_value && component == "value" {
                continue;
            } else if at_value {
                break;
            }
            let found = node.and_then(|at: u32| {
                let node = self.nodes.get(at as usize)?;
                Some((at, node, named(node, component)?))
            });
            let (at, message, field) = found.ok_or_else(|| self.not_found(name))?;
            path.push(NodeField { node: at, field: field.index() });
            (node, in_map) = (message.child(field.index()), field.is_map());
        }
        // The key and the value of a map entry cannot be disabled.
        if at_value { Err(self.not_found(name)) } else { Ok(path) }
    }

    /// The name that leads to the messages in a field: that of a message field, or that of a map with `.value` after it, which
    /// may be there already.
    ///
    /// # Errors
    /// `NoSuchField`, `WrongKind`.
    pub(super) fn path_of_messages(&self, name: &str) -> Result<String, PathError> {
        let (map_or_message, value) = match (self.find(name), name.strip_suffix(".value")) {
            (Err(_), Some(map)) if self.find(map).is_ok_and(|at| self.is_map(at)) => (map, ".value"),
            (Ok(at), _) if self.is_map(at) => (name, ".value"),
            _ => (name, ""),
        };
        let at = self.find(map_or_message)?;
        let (node, field) = self.node_field(at).ok_or_else(|| self.not_found(name))?;
        match node.child(field.index()) {
            Some(_) => Ok(format!("{map_or_message}{value}")),
            None => Err(self.error(PathErrorKind::WrongKind, name, format!("it is {}", type_name(field)))),
        }
    }

    fn is_map(&self, at: NodeField) -> bool {
        self.node_field(at).is_some_and(|(_, field)| field.is_map())
    }

    fn not_found(&self, name: &str) -> PathError {
        self.error(PathErrorKind::NoSuchField, name, String::new())
    }

    fn error(&self, kind: PathErrorKind, name: &str, detail: String) -> PathError {
        PathError::new(kind, name, self.descriptor().full_name(), "").with_detail(detail)
    }
}

/// The field of this name, or the extension whose full name is given in brackets.
fn named<'n>(node: &'n PlanNode, name: &str) -> Option<FieldRef<'n>> {
    match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
        Some(extension) => {
            let number = node.message.find_extension(extension)?.number();
            node.message.field_by_number(number)
        }
        None => node.message.field_by_name(name),
    }
}

/// The kind without its message or enum type.
fn erased<M, E>(kind: Kind<M, E>) -> Kind<(), ()> {
    kind.map(|_| (), |_| ())
}

fn is_of_kind(field: FieldRef<'_>, key: Option<Kind<(), ()>>, kind: Kind<(), ()>) -> bool {
    let part = |number| definition::map_part(field, number).map(|part| erased(part.kind()));
    match key {
        Some(key) => field.is_map() && part(1) == Some(key) && part(2) == Some(kind),
        None => !field.is_map() && erased(field.kind()) == kind,
    }
}

/// The type of a field as a schema declares it, for the text of errors.
fn type_name(field: FieldRef<'_>) -> String {
    let part = |number| definition::map_part(field, number).map_or("?", |part| part.kind().name());
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

// `PlanPath`: a nested message of a plan, from which the handles of its fields are resolved.

/// A nested message of a [`RecordPlan`], by its path: resolves the handles of its fields by their names in that message.
///
/// [`RecordPlan::at`] makes one. Names are looked up as the plan looks up the path, a dot and the name; errors show them
/// in full. Resolving a handle is a lookup by name and joins two strings.
///
/// ```
/// use tablepb::record::RecordPlan;
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::DescriptorPool;
///
/// static NAT: MessageTable = MessageTable::new("pkg.Nat", &[FieldTable::new("port", 1, Kind::Uint32)]);
/// static FLOW: MessageTable =
///     MessageTable::new("pkg.Flow", &[FieldTable::new("nat", 1, Kind::Message(|| &NAT))]);
/// let pool = DescriptorPool::from_tables(&[&FLOW])?;
/// let plan = RecordPlan::new(&pool.message("pkg.Flow")?);
/// let nat = plan.at("nat")?;
/// assert_eq!(nat.uint32("port")?, plan.uint32("nat.port")?);
/// assert_eq!(nat.uint32("prot").unwrap_err().segment(), "nat.prot");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct PlanPath<'p> {
    plan: &'p RecordPlan,
    path: String,
}

impl RecordPlan {
    /// The message that a path of field names leads to, to resolve the handles of its fields from.
    ///
    /// The path is that of a message field, or of a map of messages, whose values may be named by `.value` after it; all but the
    /// last name must be those of such fields, too. [`PlanPath`] has an example.
    ///
    /// # Errors
    /// `NoSuchField` if there is no such field, `WrongKind` if it holds no messages.
    pub fn at(&self, path: &str) -> Result<PlanPath<'_>, PathError> {
        Ok(PlanPath { plan: self, path: self.path_of_messages(path)? })
    }
}

impl<'p> PlanPath<'p> {
    /// The plan.
    #[must_use]
    pub fn plan(&self) -> &'p RecordPlan {
        self.plan
    }

    /// The path of the message, as names in this message are looked up: `map.value` for the values of a map.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// A message nested in this one.
    ///
    /// # Errors
    /// As [`RecordPlan::at`].
    pub fn at(&self, path: &str) -> Result<Self, PathError> {
        self.plan.at(&self.full(path))
    }

    handles!();

    /// The handle of a map field.
    ///
    /// # Errors
    /// As [`RecordPlan::field`].
    pub fn map<K: KeyKind, V: HandleKind>(&self, name: &str) -> Result<Field<kind::MapOf<K, V>>, PathError> {
        self.field(name)
    }

    /// The handle of a field of kind `K`.
    ///
    /// # Errors
    /// As [`RecordPlan::field`].
    pub fn field<K: HandleKind>(&self, name: &str) -> Result<Field<K>, PathError> {
        self.plan.field(&self.full(name))
    }

    fn full(&self, name: &str) -> String {
        format!("{}.{name}", self.path)
    }
}

impl fmt::Debug for PlanPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PlanPath({}.{})", self.plan.descriptor().full_name(), self.path)
    }
}

// Why a plan refused a name.
