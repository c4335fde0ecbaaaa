//! [`Projection`]: the fields that are decoded; [`PathError`]: why a path into messages was refused.

use crate::message::{Decoder, DynamicMessage};
use crate::schema::pool::{FieldDescriptor, MessageDescriptor, components};
use crate::schema::program::{ProgramSet, RoomFull, Selected, Selection};
use crate::schema::table::Kind;
use crate::wire::error::{DecodeError, Opaque, error_kind, opaque_error, text};
use crate::wire::options::DecodeOptions;
use alloc::string::String;
use core::alloc::Layout;
use core::fmt;

/// The fields of a message type that are decoded. Other fields are skipped, or kept as bytes, and message fields can
/// stay undecoded until they are read.
///
/// Make a projection once per schema and share it. Making one takes time and memory in proportion to the number of
/// fields of all message types that the message can reach; `Clone` counts references.
///
/// # Paths
/// A path is a list of field names, as in the `.proto` file, separated by dots. Extensions are written as their full
/// names in brackets: `resource_spans.scope_spans.spans.name`, `options.[pkg.my_option]`.
/// - A path goes through every element of a repeated field: `spans.name` is the name of every span.
/// - A path that ends at a message selects all of it. So does a last segment `*`: `spans.*`.
/// - A path that ends at a map selects the whole map, as does `labels.value`; `labels.value.x` selects one field of
///   values that are messages. Keys are always decoded.
/// - Message types may contain themselves: each path selects what it names, and not the same field further down.
///
/// # Unselected fields
/// To [`get`](crate::MessageView::get), [`has_field`](crate::MessageView::has_field) and
/// [`fields`](crate::MessageView::fields), an unselected field is not set.
/// [`get_field`](crate::MessageView::get_field) returns [`ValueRef::Unselected`](crate::ValueRef::Unselected) for it and
/// not a default value, because the input was not examined; [`is_selected`](crate::MessageView::is_selected) tells the
/// two apart beforehand. A selected member of a oneof is not set if an unselected member follows it in the input.
/// Unknown fields are unselected, except in messages that are selected as a whole.
///
/// Unselected fields are dropped, unless the projection [passes them through](Self::pass_through).
///
/// # Memory
/// A projection takes at most 1 MiB, plus 64 bytes for each byte of its paths, plus 16 times the memory that the pool
/// takes for the message types that the paths go through; more is an error
/// ([`TooLarge`](super::PathErrorKind::TooLarge)), as is an allocation that fails. In addition it copies, once each,
/// what the pool keeps for the message types that are decoded as a whole.
///
/// # What is checked
/// In every message that is decoded: the tags and lengths of all fields, and that fields end within it. In selected
/// fields: everything. In unselected fields: only the tags of groups, which determine where they end, but not UTF-8, nested
/// messages or required fields.
///
/// ```
/// use tablepb::partial::Projection;
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::{Decoder, DescriptorPool, ValueRef};
///
/// static SPAN: MessageTable = MessageTable::new(
///     "pkg.Span",
///     &[FieldTable::new("name", 1, Kind::String), FieldTable::new("parent", 2, Kind::Message(|| &SPAN))],
/// );
/// static TRACE: MessageTable =
///     MessageTable::new("pkg.Trace", &[FieldTable::new("spans", 1, Kind::Message(|| &SPAN)).repeated()]);
/// let pool = DescriptorPool::from_tables(&[&TRACE])?;
/// let trace = pool.message("pkg.Trace")?;
///
/// let names = Projection::new(&trace, ["spans.name"])?;
/// let mut decoder = Decoder::new(&trace).with_projection(&names);
/// let view = decoder.decode(b"\x0a\x08\x0a\x01a\x12\x03\x0a\x01b\x0a\x03\x0a\x01c")?;
/// let spans = view.get_field("spans")?.as_list().unwrap();
/// let name = |i| spans.get(i)?.as_message()?.get_field("name").ok()?.as_str();
/// assert_eq!((name(0), name(1)), (Some("a"), Some("c")));
/// let first = spans.get(0).unwrap().as_message().unwrap();
/// assert_eq!(first.get_field("parent").ok(), Some(ValueRef::Unselected));
///
/// let error = Projection::new(&trace, ["spans.nme"]).unwrap_err();
/// assert_eq!(error.to_string(), "no such field: nme in pkg.Span, in the path spans.nme");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[must_use]
pub struct Projection {
    descriptor: MessageDescriptor,
    selection: Selection,
    /// Unselected fields are kept as bytes.
    passes_through: bool,
    selected: Selected,
}

impl Projection {
    /// A projection that selects the fields at the end of these paths. Without paths it selects nothing, except of a MessageSet, which is
    /// decoded as a whole.
    ///
    /// # Errors
    /// `NoSuchField`, `NotAMessage`, `MisplacedWildcard`, `NotAMapValue` or `Unsupported`, with the path and the segment at
    /// fault; `TooLarge`.
    pub fn new<P: AsRef<str>>(
        descriptor: &MessageDescriptor,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<Self, PathError> {
        let mut selection = Selection::new(descriptor.index())?;
        for path in paths {
            PathWalk { selection: &mut selection, root: descriptor, path: path.as_ref() }.select()?;
        }
        Ok(Self::compile(descriptor, selection, false)?)
    }

    /// A projection that selects everything, as a start for making fields [lazy](Self::lazy).
    pub fn all(descriptor: &MessageDescriptor) -> Self {
        let all = || {
            let mut selection = Selection::new(descriptor.index())?;
            selection.want_all(0)?;
            Self::compile(descriptor, selection, false)
        };
        all().unwrap_or_else(|_: RoomFull| out_of_memory())
    }

    fn compile(
        descriptor: &MessageDescriptor,
        selection: Selection,
        passes_through: bool,
    ) -> Result<Self, RoomFull> {
        let selected = descriptor.parent_pool().programs().select(&selection, passes_through)?;
        Ok(Self { descriptor: descriptor.clone(), selection, passes_through, selected })
    }

    /// Leaves the messages in these fields undecoded; selects the fields if they were not selected.
    ///
    /// Such a field reads as [`ValueRef::Raw`](crate::ValueRef::Raw), which a decoder of the caller decodes, with offsets
    /// in the whole input and the remaining depth. Its bytes are not checked before that. They are written unchanged.
    ///
    /// A path that ends at a map names the values of the map. A path that ends with `*` names all message fields of a
    /// message, and all maps with message values; in a MessageSet, which is decoded as a whole, it names none.
    /// `lazy(["*"])` leaves every message in the root undecoded.
    ///
    /// # Errors
    /// As [`new`](Self::new), and `NotAMessage` for a path that ends at a field of another kind.
    ///
    /// ```
    /// use tablepb::partial::Projection;
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::{Decoder, DescriptorPool, ValueRef};
    ///
    /// static HOST: MessageTable = MessageTable::new("pkg.Host", &[FieldTable::new("name", 1, Kind::String)]);
    /// static LOG: MessageTable =
    ///     MessageTable::new("pkg.Log", &[FieldTable::new("host", 1, Kind::Message(|| &HOST))]);
    /// let pool = DescriptorPool::from_tables(&[&LOG])?;
    /// let log = pool.message("pkg.Log")?;
    ///
    /// let mut logs = Decoder::new(&log).with_projection(&Projection::all(&log).lazy(["host"])?);
    /// let mut hosts = Decoder::new(&pool.message("pkg.Host")?);
    /// let view = logs.decode(b"\x0a\x06\x0a\x04web1")?;
    /// let ValueRef::Raw(raw) = view.get_field("host")? else { panic!() };
    /// assert_eq!((raw.offset(), raw.len(), raw.depth_left()), (2, 6, 99));
    /// let host = raw.decode(&mut hosts)?;
    /// assert_eq!(host.get_field("name")?.as_str(), Some("web1"));
    ///
    /// let view = logs.decode(b"\x0a\x06\x0a\x05web1")?;
    /// let ValueRef::Raw(raw) = view.get_field("host")? else { panic!() };
    /// assert_eq!(raw.decode(&mut hosts).unwrap_err().offset(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn lazy<P: AsRef<str>>(mut self, paths: impl IntoIterator<Item = P>) -> Result<Self, PathError> {
        for path in paths {
            PathWalk { selection: &mut self.selection, root: &self.descriptor, path: path.as_ref() }
                .make_lazy()?;
        }
        Ok(Self::compile(&self.descriptor, self.selection, self.passes_through)?)
    }

    /// Keeps unselected fields as bytes, so that encoding writes them again. Each message that is partly decoded then
    /// takes 20 more bytes of memory, however many fields it leaves out.
    ///
    /// A message that has not been changed is written byte for byte as it was read. A view never changes. A setter
    /// changes the message it is called on and the messages around it: they are then written with their selected fields
    /// first, in number order, followed by their unselected fields, byte for byte and in wire order. Setting an
    /// unselected field replaces its bytes. Changing a part of one, such as an element or a field of its message, decodes
    /// its bytes first. Other messages are still written as they were read.
    ///
    /// A setter of an unselected field takes time in the number of fields that its message keeps as bytes. To set many of them, call
    /// [`materialize`](DynamicMessage::materialize) first.
    ///
    /// ```
    /// use tablepb::partial::Projection;
    /// use tablepb::table::{FieldTable, Kind, MessageTable};
    /// use tablepb::DescriptorPool;
    ///
    /// static LOG: MessageTable = MessageTable::new(
    ///     "pkg.Log",
    ///     &[FieldTable::new("level", 1, Kind::Int32), FieldTable::new("text", 2, Kind::String)],
    /// );
    /// let pool = DescriptorPool::from_tables(&[&LOG])?;
    /// let log = pool.message("pkg.Log")?;
    ///
    /// let levels = Projection::new(&log, ["level"])?.pass_through();
    /// let input = b"\x12\x02hi\x5a\x01?\x08\x03";
    /// let mut message = levels.decode(input)?;
    /// assert_eq!(message.encode_to_vec()?, input);
    /// message.set_field("level", 4)?;
    /// assert_eq!(message.encode_to_vec()?, b"\x08\x04\x12\x02hi\x5a\x01?");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pass_through(self) -> Self {
        // As many programs as there are now, so the bound on their memory holds; only an allocation can fail.
        Self::compile(&self.descriptor, self.selection, true).unwrap_or_else(|_| out_of_memory())
    }

    /// The message type.
    #[must_use]
    pub fn descriptor(&self) -> &MessageDescriptor {
        &self.descriptor
    }

    /// The programs.
    pub(super) fn selected(&self) -> &Selected {
        &self.selected
    }

    /// Decodes a message that owns its memory, including a copy of the input.
    ///
    /// The message remembers which fields were selected until it is [cleared](DynamicMessage::clear), [merged into](DynamicMessage::merge) or
    /// [materialised](DynamicMessage::materialize).
    ///
    /// # Errors
    /// As [`DynamicMessage::decode`]; see [what is checked](Self#what-is-checked).
    pub fn decode(&self, input: &[u8]) -> Result<DynamicMessage, DecodeError> {
        DecodeOptions::new().decode_selected(self, input)
    }

    /// As [`decode`](Self::decode), but shares the input. A setter that adds bytes copies it.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    #[cfg(feature = "bytes")]
    pub fn decode_shared(&self, input: &bytes::Bytes) -> Result<DynamicMessage, DecodeError> {
        DecodeOptions::new().decode_selected_shared(self, input)
    }
}

/// The verbs of projections, with these options.
impl DecodeOptions {
    /// As [`Projection::decode`], with these options.
    ///
    /// # Errors
    /// As [`Projection::decode`].
    pub fn decode_selected(
        &self,
        projection: &Projection,
        input: &[u8],
    ) -> Result<DynamicMessage, DecodeError> {
        DynamicMessage::with_selected(&projection.descriptor, &projection.selected)?.decoded(input, *self)
    }

    /// As [`Projection::decode_shared`], with these options.
    ///
    /// # Errors
    /// As [`Projection::decode_shared`].
    #[cfg(feature = "bytes")]
    pub fn decode_selected_shared(
        &self,
        projection: &Projection,
        input: &bytes::Bytes,
    ) -> Result<DynamicMessage, DecodeError> {
        DynamicMessage::with_selected(&projection.descriptor, &projection.selected)?
            .decoded_shared(input, *self)
    }
}

/// Ends a call that cannot return an error the way any failed allocation ends it.
#[cold]
fn out_of_memory() -> ! {
    alloc::alloc::handle_alloc_error(Layout::new::<ProgramSet>())
}

impl fmt::Debug for Projection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Projection({})", self.descriptor.full_name())
    }
}

/// Decoding with a projection.
impl Decoder {
    /// Decodes messages of the projection's type from now on, and of them the fields that it selects; see [`Projection`].
    pub fn with_projection(self, projection: &Projection) -> Self {
        self.with_selected(&projection.descriptor, &projection.selected)
    }

    /// Leaves the messages in these fields undecoded; `["*"]` names all message fields.
    ///
    /// Short for [`with_projection`](Self::with_projection) of [`Projection::all`] made [`lazy`](Projection::lazy), so it
    /// replaces a projection set before.
    ///
    /// # Errors
    /// As [`Projection::lazy`].
    pub fn with_lazy<P: AsRef<str>>(self, paths: impl IntoIterator<Item = P>) -> Result<Self, PathError> {
        let projection = Projection::all(self.descriptor()).lazy(paths)?;
        Ok(self.with_projection(&projection))
    }
}

// `PathWalk`: adds the field at the end of a path to a selection.

/// A field path, and the selection that it is added to.
pub(super) struct PathWalk<'w> {
    pub(super) selection: &'w mut Selection,
    pub(super) root: &'w MessageDescriptor,
    pub(super) path: &'w str,
}

/// The end of a path, with its node in the selection.
enum PathEnd {
    /// All fields of a message: the last segment is `*`.
    All(u32, MessageDescriptor),
    Field(u32, FieldDescriptor),
}

impl PathWalk<'_> {
    /// Selects the field, or the message, at the end of the path.
    pub(super) fn select(mut self) -> Result<(), PathError> {
        let (PathEnd::All(node, _) | PathEnd::Field(node, _)) = self.walk()?;
        Ok(self.selection.want_all(node)?)
    }

    /// Selects the fields at the end of the path, and leaves the messages in them undecoded.
    pub(super) fn make_lazy(mut self) -> Result<(), PathError> {
        match self.walk()? {
            PathEnd::Field(node, field) => match self.lazy_field(node, &field)? {
                true => Ok(()),
                false => Err(self.fault(PathErrorKind::NotAMessage, self.last(), field.parent_message())),
            },
            // A MessageSet is decoded as a whole, with every message in it.
            PathEnd::All(node, message) if message.is_message_set() => Ok(self.selection.want_all(node)?),
            PathEnd::All(node, message) => {
                let extensions = message.extensions().map(|extension| extension.as_field());
                for field in message.fields().chain(extensions) {
                    // A map of scalars has no message, so it gets no node, which would select it.
                    if let Kind::Message(index) = field.as_ref().raw_kind()
                        && holds_messages(&field)
                        && let Some((position, _)) =
                            message.program().entry_of(field.as_ref().index() as usize)
                    {
                        let child = self.selection.field(node, position as u16, index)?;
                        self.lazy_field(child, &field)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// Leaves the messages of a field undecoded; false if its values are no messages.
    fn lazy_field(&mut self, node: u32, field: &FieldDescriptor) -> Result<bool, RoomFull> {
        let Kind::Message(index) = field.as_ref().raw_kind() else { return Ok(false) };
        if !field.is_map() {
            self.selection.make_lazy(node)?;
            return Ok(true);
        }
        let entry = self.root.parent_pool().message_at(index);
        let Some((entry, value)) =
            entry.and_then(|entry| Some((entry.clone(), entry.map_entry_value_field()?)))
        else {
            return Ok(false);
        };
        let Kind::Message(index) = value.as_ref().raw_kind() else { return Ok(false) };
        let child = self.value_node(node, &entry, index)?;
        self.selection.make_lazy(child)?;
        Ok(true)
    }

    /// The node of the values of a map. Selects the keys too.
    fn value_node(&mut self, node: u32, entry: &MessageDescriptor, value: u32) -> Result<u32, RoomFull> {
        let position = |field: Option<FieldDescriptor>| {
            let position = field.and_then(|f| entry.program().entry_of(f.as_ref().index() as usize));
            position.map_or(0, |(position, _)| position as u16)
        };
        let key = self.selection.field(node, position(entry.map_entry_key_field()), u32::MAX)?;
        self.selection.want_all(key)?;
        self.selection.field(node, position(entry.map_entry_value_field()), value)
    }

    /// Follows the path from the root, and adds the nodes that the selection lacks.
    fn walk(&mut self) -> Result<PathEnd, PathError> {
        self.selection.ask(self.path);
        let (mut node, mut message) = (0, self.root.clone());
        let mut segments = components(self.path).peekable();
        loop {
            let segment = segments.next().unwrap_or_default();
            let last = segments.peek().is_none();
            if segment == "*" {
                return match last {
                    true => Ok(PathEnd::All(node, message)),
                    false => Err(self.fault(PathErrorKind::MisplacedWildcard, segment, &message)),
                };
            }
            if message.is_message_set() {
                return Err(self.fault(PathErrorKind::Unsupported, segment, &message));
            }
            let Some(field) = find(&message, segment) else {
                return Err(self.fault(PathErrorKind::NoSuchField, segment, &message));
            };
            let next = match field.as_ref().raw_kind() {
                Kind::Message(index) => self.root.parent_pool().message_at(index),
                _ => None,
            };
            let index = next.as_ref().map_or(u32::MAX, |next| next.index());
            node = if message.is_map_entry() {
                if message.map_entry_value_field().as_ref() != Some(&field) {
                    return Err(self.fault(PathErrorKind::NotAMapValue, segment, &message));
                }
                self.value_node(node, &message.clone(), index)?
            } else {
                let entry = message.program().entry_of(field.as_ref().index() as usize);
                let position = entry.map_or(u16::MAX, |(position, _)| position as u16);
                self.selection.field(node, position, index)?
            };
            if last {
                return Ok(PathEnd::Field(node, field));
            }
            message = match next {
                Some(next) => next,
                None => return Err(self.fault(PathErrorKind::NotAMessage, segment, &message)),
            };
        }
    }

    fn last(&self) -> &str {
        components(self.path).last().unwrap_or_default()
    }

    #[cold]
    fn fault(&self, kind: PathErrorKind, segment: &str, message: &MessageDescriptor) -> PathError {
        PathError::new(kind, segment, message.full_name(), self.path)
    }
}

/// Whether the values of a message field or map are messages.
fn holds_messages(field: &FieldDescriptor) -> bool {
    match field.kind() {
        Kind::Message(entry) if field.is_map() => {
            entry.map_entry_value_field().is_some_and(|value| matches!(value.kind(), Kind::Message(_)))
        }
        kind => matches!(kind, Kind::Message(_)),
    }
}

/// The field of this name, or the extension whose full name is given in brackets.
pub(super) fn find(message: &MessageDescriptor, segment: &str) -> Option<FieldDescriptor> {
    match segment.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(name) => message.find_extension(name).map(|extension| extension.as_field()),
        None => message.find_field(segment),
    }
}

error_kind! {
    /// The kind of a [`PathError`].
    pub enum PathErrorKind, without memory TooLarge {
        /// The message has no such field; for a [`RecordPlan`](crate::record::RecordPlan), it has no such group of fields either.
        NoSuchField = "no such field",
        /// The path continues after a field that is not a message.
        NotAMessage = "the field is not a message",
        /// A `*` that is not the last segment.
        MisplacedWildcard = "`*` must be the last segment",
        /// A path goes on after a map with something other than `value`: `labels.name`, where `labels.value.name` is meant. To read
        /// keys, a [`ValuePath`](super::ValuePath) may end in `key`.
        NotAMapValue = "a path into a map goes on with `value`",
        /// A path into a MessageSet, which is decoded and written as a whole.
        Unsupported = "a MessageSet has no parts",
        /// A path for reading that the projection does not decode: [`Projection::path`](super::Projection::path).
        Unselected = "the projection does not select the field",
        /// A path for reading through more than eight lists and maps.
        TooManyLists = "the path goes through too many lists and maps",
        /// The field of a plan is of another kind than its handle.
        WrongKind = "the field is of another kind",
        /// A field or a group of a plan already has the name.
        DuplicateName = "a field or group has this name already",
        /// A path with a bracket or a quote that is not closed, or with something after one.
        Malformed = "the path is malformed",
        /// The list has no element with this index.
        OutOfRange = "the index is beyond the end of the list",
        /// The map has no entry with this key.
        NoSuchKey = "the map has no such key",
        /// The field at the end of the path does not take the value.
        InvalidValue = "the field does not take the value",
        /// The paths take too much memory, or an allocation failed: see [`Projection`](super::Projection#memory).
        TooLarge = "the paths take too much memory",
    }
}

/// Why a path was refused, by a [`Projection`](super::Projection), a [`ValuePath`](super::ValuePath), a
/// [`RecordPlan`](crate::record::RecordPlan), a message or a [`FieldMask`](crate::wkt::FieldMask): kind, segment at fault, message type, the path, and a detail.
///
/// One pointer wide.
#[derive(Clone, PartialEq, Eq)]
pub struct PathError(Opaque<PathErrorKind, PathDetail>);

opaque_error!(PathError, PathErrorKind);

#[derive(Clone, PartialEq, Eq)]
struct PathDetail {
    segment: String,
    message: String,
    /// Empty if the segment is all of it.
    path: String,
    detail: String,
}

impl PathError {
    #[cold]
    pub(crate) fn new(kind: PathErrorKind, segment: &str, message: &str, path: &str) -> Self {
        let (segment, message, path) = (text(segment), text(message), text(path));
        Self(Opaque::new(kind, PathDetail { segment, message, path, detail: String::new() }))
    }

    /// The same, with a detail.
    #[cold]
    pub(crate) fn with_detail(mut self, detail: String) -> Self {
        if let Some(inner) = self.0.get_mut() {
            inner.detail = detail;
        }
        self
    }

    /// There is no room, not even for saying where.
    pub(crate) const TOO_LARGE: Self = Self(Opaque::NO_MEMORY);

    /// The segment of the path that is at fault, of a plan the name; `""` if it is all of them.
    #[must_use]
    pub fn segment(&self) -> &str {
        self.0.get().map_or("", |inner| &inner.segment)
    }

    /// The full name of the message type in which the segment was looked for.
    #[must_use]
    pub fn message_name(&self) -> &str {
        self.0.get().map_or("", |inner| &inner.message)
    }

    /// The path that was given; `""` if the segment is all of it.
    #[must_use]
    pub fn path(&self) -> &str {
        self.0.get().map_or("", |inner| &inner.path)
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(inner) = self.0.get() else { return write!(f, "{}", self.kind()) };
        write!(f, "{}: {} in {}", self.kind(), inner.segment, inner.message)?;
        if !inner.path.is_empty() {
            write!(f, ", in the path {}", inner.path)?;
        }
        if inner.detail.is_empty() { Ok(()) } else { write!(f, " ({})", inner.detail) }
    }
}

impl From<RoomFull> for PathError {
    #[cold]
    fn from(_: RoomFull) -> Self {
        Self::TOO_LARGE
    }
}

impl core::error::Error for PathError {}
