//! [`ListRef`]: a repeated field.

use super::read::checked;
use super::{MessageView, ValueRef};
use crate::program::{Access, Elements, Form};
use core::fmt;
use core::iter::FusedIterator;

/// A repeated field: elements by index, in wire order. `Copy`, 72 bytes.
///
/// An element by index takes constant time. [`numbers`](Self::numbers) reads numbers of a known type several times as
/// fast as [`iter`](Self::iter) reads values.
///
/// ```
/// use tablepb::{Decoder, DescriptorPool, FieldTable, Kind, MessageTable};
///
/// static TAGS: MessageTable =
///     MessageTable::new("pkg.Tags", &[FieldTable::new("tags", 1, Kind::String).repeated()]);
/// let pool = DescriptorPool::from_tables(&[&TAGS])?;
/// let mut decoder = Decoder::new(&pool.get_message_by_name("pkg.Tags").unwrap());
/// let view = decoder.decode(b"\x0a\x01a\x0a\x01b\x0a\x01c")?;
/// let tags = view.get_field_by_name("tags").and_then(|v| v.as_list()).unwrap();
/// assert_eq!(tags.get(1).and_then(|v| v.as_str()), Some("b"));
/// assert_eq!(tags.iter().rev().filter_map(|v| v.as_str()).collect::<String>(), "cba");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct ListRef<'a, 'i> {
    /// A message of the type of the elements, if they are messages; at the first element.
    first: MessageView<'a, 'i>,
    len: u32,
    /// What the elements are.
    form: Form,
    /// Words per element.
    width: u8,
}

impl<'a, 'i> ListRef<'a, 'i> {
    #[inline(always)]
    pub(super) fn new(first: MessageView<'a, 'i>, len: u32, elements: Elements) -> Self {
        Self { first, len, form: elements.form(), width: elements.width() as u8 }
    }

    /// Number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there are no elements.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// An element, or `None` beyond the end.
    #[inline]
    pub fn get(&self, index: usize) -> Option<ValueRef<'a, 'i>> {
        if index >= self.len() {
            return None;
        }
        let at = self.first.base + index as u32 * self.width as u32;
        self.element(at)
    }

    /// All elements.
    #[inline]
    pub fn iter(&self) -> ListIter<'a, 'i> {
        ListIter(*self)
    }

    /// What the elements are.
    #[inline(always)]
    pub(super) fn form(&self) -> Form {
        self.form
    }

    /// The words of all elements.
    #[inline(always)]
    pub(super) fn words(&self) -> &'a [u32] {
        self.first.words.run(self.first.base, self.len() * self.width as usize)
    }

    /// The element at its first word.
    #[inline(always)]
    fn element(&self, at: u32) -> Option<ValueRef<'a, 'i>> {
        // There are no lists in lists.
        self.first.value(self.form, at, || Some(self.first.body), || Access::NONE.elements, checked)
    }
}

impl<'a, 'i> IntoIterator for ListRef<'a, 'i> {
    type Item = ValueRef<'a, 'i>;
    type IntoIter = ListIter<'a, 'i>;

    #[inline]
    fn into_iter(self) -> ListIter<'a, 'i> {
        self.iter()
    }
}

impl PartialEq for ListRef<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other.iter()).all(|(a, b)| a == b)
    }
}

impl fmt::Debug for ListRef<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The elements of a [`ListRef`] that are left.
#[derive(Clone)]
pub struct ListIter<'a, 'i>(ListRef<'a, 'i>);

impl<'a, 'i> Iterator for ListIter<'a, 'i> {
    type Item = ValueRef<'a, 'i>;

    #[inline(always)]
    fn next(&mut self) -> Option<ValueRef<'a, 'i>> {
        let list = &mut self.0;
        list.len = list.len.checked_sub(1)?;
        let at = list.first.base;
        list.first.base += list.width as u32;
        list.element(at)
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<ValueRef<'a, 'i>> {
        let skipped = n.min(self.0.len()) as u32;
        self.0.len -= skipped;
        self.0.first.base += skipped * self.0.width as u32;
        self.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len(), Some(self.0.len()))
    }

    #[inline]
    fn count(self) -> usize {
        self.0.len()
    }

    #[inline]
    fn last(mut self) -> Option<ValueRef<'a, 'i>> {
        self.next_back()
    }
}

impl DoubleEndedIterator for ListIter<'_, '_> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let last = self.0.get(self.0.len().wrapping_sub(1))?;
        self.0.len -= 1;
        Some(last)
    }
}

impl ExactSizeIterator for ListIter<'_, '_> {}
impl FusedIterator for ListIter<'_, '_> {}
