//! Lists as members for `repeated`: `Vec`, which grows within the budget, and types of fixed capacity.

use super::field::{DecodeField, DecodeValue, EncodeField, EncodeValue};
use crate::structs::decode::input::Input;
use crate::structs::encode::size::StructSizer;
use crate::structs::encode::write::StructWriter;
use crate::structs::grammar::kinds::{Repeated, ValueKind, WireSpec};
use crate::wire::error::DecodeErrorKind;
#[cfg(not(tablepb_no_alloc))]
use alloc::vec::Vec;

/// A list of fixed capacity, as a member for `repeated`, that needs no allocator.
///
/// `heapless::Vec` implements it with the feature `heapless`. Decoding appends to the list. A value for which it has no room
/// is an error, [`CapacityExceeded`](DecodeErrorKind::CapacityExceeded), with the offset and the path of the element; the list keeps the
/// elements before it, as a `Vec` does without memory.
///
/// ```
/// use tablepb::{DecodeErrorKind, FixedList, Message};
///
/// /// Up to four numbers.
/// #[derive(Debug, Default, PartialEq)]
/// struct Four { len: usize, items: [u32; 4] }
///
/// impl FixedList for Four {
///     type Item = u32;
///
///     fn as_slice(&self) -> &[u32] {
///         &self.items[..self.len]
///     }
///
///     fn as_mut_slice(&mut self) -> &mut [u32] {
///         &mut self.items[..self.len]
///     }
///
///     fn try_push(&mut self, item: u32) -> Result<(), u32> {
///         *self.items.get_mut(self.len).ok_or(item)? = item;
///         self.len += 1;
///         Ok(())
///     }
///
///     fn truncate(&mut self, len: usize) {
///         self.len = self.len.min(len);
///     }
/// }
///
/// #[derive(Debug, Default, PartialEq)]
/// struct Run { samples: Four }
/// tablepb::message! { Run as "example.Run" { samples: repeated uint32 = 1 } }
///
/// assert_eq!(Run::decode(b"\x0a\x02\x07\x09")?.samples.as_slice(), [7, 9]);
/// let error = Run::decode(b"\x0a\x05\x01\x02\x03\x04\x05").unwrap_err();
/// assert_eq!(error.kind(), DecodeErrorKind::CapacityExceeded);
/// assert_eq!((error.path().to_string(), error.offset()), ("samples[4]".into(), 6));
/// # Ok::<(), tablepb::DecodeError>(())
/// ```
pub trait FixedList {
    /// The type of the elements: one that [`message!`](crate::message) takes for the kind.
    type Item;

    /// The elements. An encode asks for them twice, and they must be the same.
    fn as_slice(&self) -> &[Self::Item];

    /// The elements, to change.
    fn as_mut_slice(&mut self) -> &mut [Self::Item];

    /// Appends an element.
    ///
    /// # Errors
    ///
    /// The element, if there is no room for it. The list is unchanged.
    fn try_push(&mut self, item: Self::Item) -> Result<(), Self::Item>;

    /// Keeps the first `len` elements; does nothing if there are fewer.
    fn truncate(&mut self, len: usize);
}

#[cfg(feature = "heapless")]
impl<T, const N: usize, L: heapless::LenType> FixedList for heapless::Vec<T, N, L> {
    type Item = T;

    #[inline]
    fn as_slice(&self) -> &[T] {
        self
    }

    #[inline]
    fn as_mut_slice(&mut self) -> &mut [T] {
        self
    }

    #[inline]
    fn try_push(&mut self, item: T) -> Result<(), T> {
        self.push(item)
    }

    #[inline]
    fn truncate(&mut self, len: usize) {
        self.truncate(len);
    }
}

/// What decoding asks of a list. `put` and `extend_by` follow `make_room`, which a list of fixed capacity does not need.
pub trait List<T> {
    fn count(&self) -> usize;

    fn last_element(&mut self) -> Option<&mut T>;

    fn make_room(&mut self, additional: usize, input: &mut Input<'_>) -> Result<(), DecodeErrorKind>;

    /// Room for the element whose length prefix is at `pos`, which may be the only one.
    fn make_first_room(
        &mut self,
        pos: usize,
        bits: u32,
        input: &mut Input<'_>,
    ) -> Result<(), DecodeErrorKind>;

    fn put(&mut self, value: T) -> Result<(), DecodeErrorKind>;

    fn extend_by(&mut self, values: impl Iterator<Item = T>) -> Result<(), DecodeErrorKind>;

    fn keep_first(&mut self, len: usize);
}

#[cfg(not(tablepb_no_alloc))]
impl<T> List<T> for Vec<T> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn last_element(&mut self) -> Option<&mut T> {
        self.last_mut()
    }

    #[inline(always)]
    fn make_room(&mut self, additional: usize, input: &mut Input<'_>) -> Result<(), DecodeErrorKind> {
        input.reserve(self, additional)
    }

    #[inline(always)]
    fn make_first_room(
        &mut self,
        pos: usize,
        bits: u32,
        input: &mut Input<'_>,
    ) -> Result<(), DecodeErrorKind> {
        if input.merging { Ok(()) } else { input.reserve_only(self, pos, bits) }
    }

    #[inline(always)]
    fn put(&mut self, value: T) -> Result<(), DecodeErrorKind> {
        // There is room; the comparison is that of `push`, which then has no code for growing.
        if self.len() < self.capacity() {
            self.push(value);
        }
        Ok(())
    }

    #[inline(always)]
    fn extend_by(&mut self, values: impl Iterator<Item = T>) -> Result<(), DecodeErrorKind> {
        self.extend(values);
        Ok(())
    }

    #[inline]
    fn keep_first(&mut self, len: usize) {
        self.truncate(len);
    }
}

impl<L: FixedList> List<L::Item> for L {
    #[inline]
    fn count(&self) -> usize {
        self.as_slice().len()
    }

    #[inline]
    fn last_element(&mut self) -> Option<&mut L::Item> {
        self.as_mut_slice().last_mut()
    }

    #[inline]
    fn make_room(&mut self, _: usize, _: &mut Input<'_>) -> Result<(), DecodeErrorKind> {
        Ok(())
    }

    #[inline]
    fn make_first_room(&mut self, _: usize, _: u32, _: &mut Input<'_>) -> Result<(), DecodeErrorKind> {
        Ok(())
    }

    #[inline]
    fn put(&mut self, value: L::Item) -> Result<(), DecodeErrorKind> {
        self.try_push(value).map_err(|_| DecodeErrorKind::CapacityExceeded)
    }

    #[inline]
    fn extend_by(&mut self, mut values: impl Iterator<Item = L::Item>) -> Result<(), DecodeErrorKind> {
        values.try_for_each(|value| self.put(value))
    }

    #[inline]
    fn keep_first(&mut self, len: usize) {
        self.truncate(len);
    }
}

/// Gives a type of lists the traits of members.
macro_rules! lists {
    ([$($generics:tt)*] $list:ty, of $item:ty, as_slice |$this:ident| $slice:expr, clear |$old:ident| $clear:expr) => {
        impl<K: ValueKind, $($generics)*> EncodeField<Repeated<K>> for $list
        where
            $item: EncodeValue<K>,
        {
            #[inline(always)]
            fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
                let $this = self;
                <$item>::size_all($slice, spec, sizer)
            }

            #[inline(always)]
            fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
                let $this = self;
                <$item>::write_all($slice, spec, writer);
            }

            #[inline(always)]
            fn clear(&mut self) {
                let $old = self;
                $clear;
            }
        }

        impl<'i, K: ValueKind, $($generics)*> DecodeField<'i, Repeated<K>> for $list
        where
            $item: DecodeValue<'i, K>,
        {
            #[inline(always)]
            fn merge(&mut self, pos: usize, bits: u32, input: &mut Input<'i>) -> usize {
                <$item>::merge_all(self, pos, bits, input)
            }
        }
    };
}

#[cfg(not(tablepb_no_alloc))]
lists! { [T] Vec<T>, of T, as_slice |list| list, clear |list| list.clear() }

lists! { [L: FixedList] L, of L::Item, as_slice |list| list.as_slice(), clear |list| list.truncate(0) }
