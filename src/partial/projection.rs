//! [`Projection`]: the fields that a decode is for.

use super::ProjectionError;
use super::paths::Way;
use crate::decode::DecodeOptions;
use crate::error::DecodeError;
use crate::message::{Decoder, DynamicMessage};
use crate::program::{Full, ProgramSet, Selected, Selection};
use crate::schema::MessageDescriptor;
use core::alloc::Layout;
use core::fmt;

/// The fields of a message type that a decode is for: the others are skipped at the speed of the wire, or kept as
/// bytes, and message fields can be left undecoded until they are asked for.
///
/// Made once per schema and shared: making one takes time and memory in the number of fields of all message types that
/// the message can reach; `Clone` counts references to the programs.
///
/// # Paths
/// A path is field names (those of the `.proto` file) separated by dots, with the full names of extensions in brackets:
/// `resource_spans.scope_spans.spans.name`, `options.[pkg.my_option]`.
/// - Repeated fields are gone through: `spans.name` is the name of every span.
/// - A path that ends at a message selects all of it. So does `*`, which can only be the last segment: `spans.*`.
/// - A map field selects the whole map. `labels.value` is the same; `labels.value.x` selects a field of the values,
///   which are messages. Keys are always read.
/// - Message types may contain themselves: each path selects what it says and nothing below.
///
/// # Fields that are not selected
/// For [`get`](crate::MessageView::get), [`has_field`](crate::MessageView::has_field) and
/// [`fields`](crate::MessageView::fields) such a field is not set, and [`get_field`](crate::MessageView::get_field)
/// gives [`ValueRef::Unselected`](crate::ValueRef::Unselected), not a default value, because nobody looked;
/// [`is_selected`](crate::MessageView::is_selected) tells beforehand. A member of a oneof is not set if a later
/// member that is not selected was. Unknown fields count as not selected, except in messages that are selected as a
/// whole.
///
/// They are dropped, unless the projection is one that [passes them through](Self::pass_through).
///
/// # Memory
/// Each path makes programs of its own for the messages that it goes through. They take at most 1 MiB, 64 bytes for each
/// byte of the paths, and 16 times the programs of these message types in the pool; more is an error
/// ([`TooLarge`](super::ProjectionErrorKind::TooLarge)), as is an allocation that fails. Beside these there are copies of
/// the programs of all message types that are decoded as a whole.
///
/// # What is checked
/// In every message that is decoded, the tags and lengths of all fields, and that fields end where their message does.
/// In selected fields, everything. In fields that are not selected, nothing but the tags of groups, by which they end:
/// not UTF-8, not what is in nested messages, and not whether required fields are there.
///
/// ```
/// use tablepb::{Decoder, DescriptorPool, FieldTable, Kind, MessageTable, Projection, ValueRef};
///
/// static SPAN: MessageTable = MessageTable::new(
///     "pkg.Span",
///     &[FieldTable::new("name", 1, Kind::String), FieldTable::new("parent", 2, Kind::Message(|| &SPAN))],
/// );
/// static TRACE: MessageTable =
///     MessageTable::new("pkg.Trace", &[FieldTable::new("spans", 1, Kind::Message(|| &SPAN)).repeated()]);
/// let pool = DescriptorPool::from_tables(&[&TRACE])?;
/// let trace = pool.get_message_by_name("pkg.Trace").unwrap();
///
/// let names = Projection::new(&trace, ["spans.name"])?;
/// let mut decoder = Decoder::new(&trace).with_projection(&names);
/// let view = decoder.decode(b"\x0a\x08\x0a\x01a\x12\x03\x0a\x01b\x0a\x03\x0a\x01c")?;
/// let spans = view.get_field_by_name("spans").unwrap().as_list().unwrap();
/// let name = |i| spans.get(i)?.as_message()?.get_field_by_name("name")?.as_str();
/// assert_eq!((name(0), name(1)), (Some("a"), Some("c")));
/// let first = spans.get(0).unwrap().as_message().unwrap();
/// assert_eq!(first.get_field_by_name("parent"), Some(ValueRef::Unselected));
///
/// let error = Projection::new(&trace, ["spans.nme"]).unwrap_err();
/// assert_eq!(error.to_string(), "no such field: nme in pkg.Span, in the path spans.nme");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Projection {
    descriptor: MessageDescriptor,
    selection: Selection,
    keeps: bool,
    selected: Selected,
}

impl Projection {
    /// A projection to the fields that the paths name. Without paths it selects nothing.
    ///
    /// # Errors
    /// Which segment of which path is wrong, and why.
    pub fn new<P: AsRef<str>>(
        descriptor: &MessageDescriptor,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<Self, ProjectionError> {
        let mut selection = Selection::new(descriptor.index())?;
        for path in paths {
            Way { selection: &mut selection, root: descriptor, path: path.as_ref() }.select()?;
        }
        Ok(Self::compile(descriptor, selection, false)?)
    }

    /// A projection to everything, to make fields of it [lazy](Self::lazy).
    pub fn all(descriptor: &MessageDescriptor) -> Self {
        let all = || {
            let mut selection = Selection::new(descriptor.index())?;
            selection.want_all(0)?;
            Self::compile(descriptor, selection, false)
        };
        all().unwrap_or_else(|_: Full| out_of_memory())
    }

    fn compile(descriptor: &MessageDescriptor, selection: Selection, keeps: bool) -> Result<Self, Full> {
        let selected = descriptor.parent_pool().programs().select(&selection, keeps)?;
        Ok(Self { descriptor: descriptor.clone(), selection, keeps, selected })
    }

    /// Leaves the messages of these fields undecoded, and selects the fields if they were not: they read as
    /// [`ValueRef::Raw`](crate::ValueRef::Raw), which a decoder of the caller decodes, with offsets in the whole input
    /// and the depth that is left. Nothing in them is checked until then. They are written as they are.
    ///
    /// A path that ends at a map means its values, and `*` all message fields of a message and all maps of messages;
    /// of a MessageSet, which is decoded as a whole, it means none.
    /// `lazy(["*"])` is all there is.
    ///
    /// # Errors
    /// As [`new`](Self::new), and `NotAMessage` for a path that ends at another field.
    ///
    /// ```
    /// use tablepb::{Decoder, DescriptorPool, FieldTable, Kind, MessageTable, Projection, ValueRef};
    ///
    /// static HOST: MessageTable = MessageTable::new("pkg.Host", &[FieldTable::new("name", 1, Kind::String)]);
    /// static LOG: MessageTable =
    ///     MessageTable::new("pkg.Log", &[FieldTable::new("host", 1, Kind::Message(|| &HOST))]);
    /// let pool = DescriptorPool::from_tables(&[&LOG])?;
    /// let log = pool.get_message_by_name("pkg.Log").unwrap();
    ///
    /// let mut logs = Decoder::new(&log).with_projection(&Projection::all(&log).lazy(["host"])?);
    /// let mut hosts = Decoder::new(&pool.get_message_by_name("pkg.Host").unwrap());
    /// let view = logs.decode(b"\x0a\x06\x0a\x04web1")?;
    /// let Some(ValueRef::Raw(raw)) = view.get_field_by_name("host") else { panic!() };
    /// assert_eq!((raw.offset(), raw.len(), raw.depth_left()), (2, 6, 99));
    /// let host = raw.decode(&mut hosts)?;
    /// assert_eq!(host.get_field_by_name("name").unwrap().as_str(), Some("web1"));
    ///
    /// let view = logs.decode(b"\x0a\x06\x0a\x05web1")?;
    /// let Some(ValueRef::Raw(raw)) = view.get_field_by_name("host") else { panic!() };
    /// assert_eq!(raw.decode(&mut hosts).unwrap_err().offset(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn lazy<P: AsRef<str>>(
        mut self,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<Self, ProjectionError> {
        for path in paths {
            Way { selection: &mut self.selection, root: &self.descriptor, path: path.as_ref() }
                .make_lazy()?;
        }
        Ok(Self::compile(&self.descriptor, self.selection, self.keeps)?)
    }

    /// Keeps what is not selected as bytes, to be written again. Each message that is partly decoded then takes 20
    /// bytes more, whatever it leaves out.
    ///
    /// A message that has not been changed is written as it came, byte for byte, in the order of the wire: a view
    /// always is. A setter changes the message it is called on and those around it: their selected fields are then
    /// written as others are, in number order, and behind them, in the order of the wire, every field that was not
    /// selected, byte for byte. Setting a field that was not selected replaces its bytes; changing a part of it (an
    /// element, a field of the message) decodes these bytes first. Messages beside those are not touched.
    ///
    /// ```
    /// use tablepb::{DescriptorPool, FieldTable, Kind, MessageTable, Projection};
    ///
    /// static LOG: MessageTable = MessageTable::new(
    ///     "pkg.Log",
    ///     &[FieldTable::new("level", 1, Kind::Int32), FieldTable::new("text", 2, Kind::String)],
    /// );
    /// let pool = DescriptorPool::from_tables(&[&LOG])?;
    /// let log = pool.get_message_by_name("pkg.Log").unwrap();
    ///
    /// let levels = Projection::new(&log, ["level"])?.pass_through();
    /// let input = b"\x12\x02hi\x5a\x01?\x08\x03";
    /// let mut message = levels.decode(input)?;
    /// assert_eq!(message.encode_to_vec()?, input);
    /// message.set_field_by_name("level", 4)?;
    /// assert_eq!(message.encode_to_vec()?, b"\x08\x04\x12\x02hi\x5a\x01?");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pass_through(self) -> Self {
        // As many programs as there are now, which fitted.
        Self::compile(&self.descriptor, self.selection, true).unwrap_or_else(|_| out_of_memory())
    }

    /// The message type.
    pub fn descriptor(&self) -> &MessageDescriptor {
        &self.descriptor
    }

    /// Decodes a message that owns its memory, with a copy of the input. It goes on knowing what was selected until it
    /// is [cleared](DynamicMessage::clear), [merged into](DynamicMessage::merge) or
    /// [materialised](DynamicMessage::materialize).
    ///
    /// # Errors
    /// As [`DynamicMessage::decode`]; see [what is checked](Self#what-is-checked).
    pub fn decode(&self, input: &[u8]) -> Result<DynamicMessage, DecodeError> {
        self.decode_with(input, DecodeOptions::new())
    }

    /// As [`decode`](Self::decode), with options.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn decode_with(&self, input: &[u8], options: DecodeOptions) -> Result<DynamicMessage, DecodeError> {
        DynamicMessage::with_selected(&self.descriptor, &self.selected)?.decoded(input, options)
    }

    /// As [`decode`](Self::decode), sharing the input instead of copying it until a setter adds bytes.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    #[cfg(feature = "bytes")]
    pub fn decode_shared(&self, input: &bytes::Bytes) -> Result<DynamicMessage, DecodeError> {
        DynamicMessage::with_selected(&self.descriptor, &self.selected)?.decoded_shared(input)
    }
}

/// What cannot return an error ends as any allocation that fails does.
#[cold]
fn out_of_memory() -> ! {
    alloc::alloc::handle_alloc_error(Layout::new::<ProgramSet>())
}

impl fmt::Debug for Projection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Projection({})", self.descriptor.full_name())
    }
}

/// Decoding for a projection.
impl Decoder {
    /// Decodes what a projection selects, of messages of the projection's type from now on; see [`Projection`].
    pub fn with_projection(self, projection: &Projection) -> Self {
        self.with_selected(&projection.descriptor, &projection.selected)
    }

    /// Leaves the messages of these fields undecoded; `["*"]` is all message fields. See [`Projection::lazy`], of
    /// which this is a shorthand; it takes the place of a projection.
    ///
    /// # Errors
    /// As [`Projection::lazy`].
    pub fn with_lazy<P: AsRef<str>>(
        self,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<Self, ProjectionError> {
        let projection = Projection::all(self.descriptor()).lazy(paths)?;
        Ok(self.with_projection(&projection))
    }
}
