//! [`ValuePath`]: a field path made ready for reading, and [`Values`], the values at its end.

use super::projection::Projection;
use super::projection::{PathError, PathErrorKind};
use crate::message::{ListIter, MapIter, MessageView, ValueRef};
use crate::schema::pool::{FieldDescriptor, MessageDescriptor, components};
use crate::schema::table::Kind;
use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;
use core::ops::ControlFlow;

/// How many lists and maps a path may go through. Their iterators are kept in place, so that reading allocates nothing.
const MOST_LISTS: usize = 8;

/// A field path of a message type, made ready for reading: [`MessageView::values`] gives every value at its end, without a lookup per
/// level.
///
/// A path is written as for a [`Projection`](Projection#paths), without wildcards, and goes through every element of a list and every
/// value of a map; `labels.key` goes to the keys. Make one once per schema: it holds a descriptor of the field at the end and a few
/// bytes per segment. `Send + Sync`.
///
/// ```
/// use tablepb::partial::Projection;
/// use tablepb::table::{FieldTable, Kind, MessageTable};
/// use tablepb::{Decoder, DescriptorPool};
///
/// static SPAN: MessageTable = MessageTable::new(
///     "pkg.Span",
///     &[FieldTable::new("name", 1, Kind::String), FieldTable::new("start", 2, Kind::Uint64)],
/// );
/// static TRACE: MessageTable =
///     MessageTable::new("pkg.Trace", &[FieldTable::new("spans", 1, Kind::Message(|| &SPAN)).repeated()]);
/// let trace = DescriptorPool::from_tables(&[&TRACE])?.message("pkg.Trace")?;
///
/// let projection = Projection::new(&trace, ["spans.name"])?;
/// let name = projection.path("spans.name")?;
/// let mut decoder = Decoder::new(&trace).with_projection(&projection);
/// let view = decoder.decode(b"\x0a\x03\x0a\x01a\x0a\x05\x0a\x01b\x10\x07")?;
/// let names: Vec<_> = view.values(&name).filter_map(|value| value.as_str()).collect();
/// assert_eq!(names, ["a", "b"]);
///
/// let error = projection.path("spans.start").unwrap_err();
/// assert_eq!(error.to_string(), "the projection does not select the field: start in pkg.Span, in the path spans.start");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ValuePath {
    root: MessageDescriptor,
    steps: Vec<PathPart>,
    /// The field at the end.
    field: FieldDescriptor,
    /// It is neither a list nor a part of a map.
    singular: bool,
}

/// One field on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PathPart {
    /// In number order.
    position: u16,
    /// The keys of a map, not its values.
    keys: bool,
}

impl ValuePath {
    /// A path from a message type.
    ///
    /// # Errors
    /// `NoSuchField`, `NotAMessage` or `NotAMapValue`, with the path and the segment at fault; `TooManyLists` for a path through more
    /// than eight lists and maps; `TooLarge` if the allocator fails.
    pub fn new(descriptor: &MessageDescriptor, path: &str) -> Result<Self, PathError> {
        let fault = |kind, segment: &str, message: &MessageDescriptor| {
            PathError::new(kind, segment, message.full_name(), path)
        };
        let (mut steps, mut message, mut lists) = (Vec::new(), descriptor.clone(), 0);
        let mut segments = components(path).peekable();
        loop {
            let segment = segments.next().unwrap_or_default();
            let Some(field) = super::projection::find(&message, segment) else {
                return Err(fault(PathErrorKind::NoSuchField, segment, &message));
            };
            let (mut end, mut keys) = (field.clone(), false);
            if let (true, Kind::Message(entry)) = (field.is_map(), field.kind()) {
                let part = segments.next().unwrap_or("value");
                keys = part == "key";
                let next = if keys { entry.map_entry_key_field() } else { entry.map_entry_value_field() };
                end = match next {
                    Some(next) if keys || part == "value" => next,
                    _ => return Err(fault(PathErrorKind::NotAMapValue, part, &entry)),
                };
            }
            lists += usize::from(field.is_list() || field.is_map());
            if lists > MOST_LISTS {
                return Err(fault(PathErrorKind::TooManyLists, segment, &message));
            }
            steps.try_reserve(1).map_err(|_| PathError::TOO_LARGE)?;
            steps.push(PathPart { position: field.as_ref().position() as u16, keys });
            if segments.peek().is_none() {
                let singular = !field.is_list() && !field.is_map();
                return Ok(Self { root: descriptor.clone(), steps, field: end, singular });
            }
            message = match end.kind() {
                Kind::Message(next) => next,
                _ => return Err(fault(PathErrorKind::NotAMessage, segment, &message)),
            };
        }
    }

    /// The message type that the path begins at.
    #[must_use]
    pub fn descriptor(&self) -> &MessageDescriptor {
        &self.root
    }

    /// The field at the end; for a map, that of its keys or values.
    #[must_use]
    pub fn field(&self) -> &FieldDescriptor {
        &self.field
    }
}

impl fmt::Debug for ValuePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ValuePath({} to {})", self.root.full_name(), self.field.full_name())
    }
}

impl Projection {
    /// A path for reading the messages that this projection decodes.
    ///
    /// # Errors
    /// As [`ValuePath::new`]; `Unselected` if the projection does not select the field or leaves a message on the way undecoded.
    pub fn path(&self, path: &str) -> Result<ValuePath, PathError> {
        let found = ValuePath::new(self.descriptor(), path)?;
        let mut program = self.selected().set.program(self.selected().root);
        for (i, step) in found.steps.iter().enumerate() {
            let Some(entry) = program.entries().get(step.position as usize) else { break };
            let mut next = self.selected().set.program(entry.sub);
            let mut op = entry.op;
            if entry.flags.is_map() && !step.keys && !op.is_skip() {
                let Some(value) = next.entries().get(1) else { break };
                (op, next) = (value.op, self.selected().set.program(value.sub));
            }
            let last = i + 1 == found.steps.len();
            if op.is_skip() || op.is_lazy() && !last {
                let message = self.descriptor().parent_pool().message_at(program.message());
                let field = message.as_ref().and_then(|message| message.field_by_number(entry.number()));
                let segment = field.map_or("", |field| field.name());
                let message = message.as_ref().map_or("", |message| message.full_name());
                return Err(PathError::new(PathErrorKind::Unselected, segment, message, path));
            }
            program = next;
        }
        Ok(found)
    }
}

impl<'a, 'i> MessageView<'a, 'i> {
    /// Every value at the end of a path, in the order of the message. Allocates nothing.
    ///
    /// Gives each element of a list and each value of a map at the end. Any other field gives one value for each message that has
    /// it: its default if it is not set, so that the values of several fields of one message go together. Messages on the way that
    /// are not set have no values.
    ///
    /// What is not decoded comes in place of its values: [`ValueRef::Unselected`] for a field that a projection left out,
    /// [`ValueRef::Raw`] for a lazy one.
    ///
    /// # Panics
    /// With debug assertions, if the path is of another message type or pool. In other builds there are no values then.
    #[must_use]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn values<'v>(&self, path: &'v ValuePath) -> Values<'a, 'v>
    where
        'i: 'v,
    {
        let fits = self.is_of(&path.root);
        debug_assert!(
            fits,
            "a path of {} for a message {}",
            path.root.full_name(),
            self.descriptor().full_name()
        );
        Values { path, root: fits.then_some(*self), lists: [const { None }; MOST_LISTS], open: 0 }
    }
}

/// Iterator over the values at the end of a path; see [`MessageView::values`].
#[derive(Clone)]
pub struct Values<'a, 'v> {
    path: &'v ValuePath,
    /// The message, until the first value is asked for.
    root: Option<MessageView<'a, 'v>>,
    lists: [Option<OpenList<'a, 'v>>; MOST_LISTS],
    /// How many of them are open.
    open: usize,
}

/// A list or map on the way.
#[derive(Clone)]
struct OpenList<'a, 'v> {
    /// The step that it is at.
    at: usize,
    rest: PathTail<'a, 'v>,
}

#[derive(Clone)]
enum PathTail<'a, 'v> {
    List(ListIter<'a, 'v>),
    Map(MapIter<'a, 'v>),
}

impl<'a, 'v> Values<'a, 'v> {
    /// Goes down from a message to the next value, or to the next list, which is opened.
    #[inline]
    fn descend(&mut self, mut view: MessageView<'a, 'v>, mut at: usize) -> Option<ValueRef<'a, 'v>> {
        let path = self.path;
        loop {
            let step = path.steps.get(at)?;
            let last = at + 1 == path.steps.len();
            let rest = match view.get_at(step.position) {
                None => return path.unset(view, step.position, last),
                Some(ValueRef::List(list)) => PathTail::List(list.iter()),
                Some(ValueRef::Map(map)) => PathTail::Map(map.iter()),
                Some(ValueRef::Message(inner)) if !last => {
                    (view, at) = (inner, at + 1);
                    continue;
                }
                Some(value) => return Some(value),
            };
            *self.lists.get_mut(self.open)? = Some(OpenList { at, rest });
            self.open += 1;
            return None;
        }
    }

    /// Hands the values from a step on to `each`, until it breaks. Recurses at lists and maps only, of which there are few.
    fn walk<B>(
        path: &'v ValuePath,
        mut view: MessageView<'a, 'v>,
        mut at: usize,
        each: &mut impl FnMut(ValueRef<'a, 'v>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        while let Some(step) = path.steps.get(at) {
            let last = at + 1 == path.steps.len();
            let mut part = |value| match value {
                ValueRef::Message(inner) if !last => Self::walk(path, inner, at + 1, each),
                value => each(value),
            };
            match view.get_at(step.position) {
                Some(ValueRef::List(list)) => return list.iter().try_for_each(part),
                Some(ValueRef::Map(map)) if step.keys => {
                    return map.iter().try_for_each(|(key, _)| each(key.into()));
                }
                Some(ValueRef::Map(map)) => return map.iter().try_for_each(|(_, value)| part(value)),
                Some(ValueRef::Message(inner)) if !last => (view, at) = (inner, at + 1),
                Some(value) => return each(value),
                None => {
                    return path.unset(view, step.position, last).map_or(ControlFlow::Continue(()), each);
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Hands all values to `each`, until it breaks: two and a half times as fast as one by one.
    #[inline]
    pub(super) fn try_each<B>(
        mut self,
        mut each: impl FnMut(ValueRef<'a, 'v>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if let Some(root) = self.root.take() {
            return Self::walk(self.path, root, 0, &mut each);
        }
        self.try_for_each(each)
    }
}

impl ValuePath {
    /// What a field that is not set gives.
    fn unset<'a, 'v>(
        &'v self,
        view: MessageView<'a, 'v>,
        position: u16,
        last: bool,
    ) -> Option<ValueRef<'a, 'v>> {
        if view.is_left_out(position) {
            return Some(ValueRef::Unselected);
        }
        (last && self.singular).then(|| view.default_at(position, self.field.as_ref()))
    }
}

/// The values that are left.
impl fmt::Debug for Values<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl<'a, 'v> Iterator for Values<'a, 'v> {
    type Item = ValueRef<'a, 'v>;

    #[inline]
    fn next(&mut self) -> Option<ValueRef<'a, 'v>> {
        if let Some(root) = self.root.take()
            && let Some(value) = self.descend(root, 0)
        {
            return Some(value);
        }
        let path = self.path;
        loop {
            let list = self.lists.get_mut(self.open.checked_sub(1)?)?.as_mut()?;
            let at = list.at;
            let value = match &mut list.rest {
                PathTail::List(list) => list.next(),
                PathTail::Map(map) => map.next().map(|(key, value)| match path.steps.get(at) {
                    Some(step) if step.keys => key.into(),
                    _ => value,
                }),
            };
            match value {
                None => self.open -= 1,
                Some(ValueRef::Message(inner)) if at + 1 < path.steps.len() => {
                    if let Some(value) = self.descend(inner, at + 1) {
                        return Some(value);
                    }
                }
                Some(value) => return Some(value),
            }
        }
    }

    #[inline]
    fn fold<B, F: FnMut(B, ValueRef<'a, 'v>) -> B>(self, init: B, mut f: F) -> B {
        // It is put back each time, so it is there in the end.
        let mut folded = Some(init);
        let _: ControlFlow<()> = self.try_each(|value| {
            folded = folded.take().map(|all| f(all, value));
            ControlFlow::Continue(())
        });
        folded.expect("a fold has a result")
    }
}

impl FusedIterator for Values<'_, '_> {}

// Filling columns with the values at the end of a path.
