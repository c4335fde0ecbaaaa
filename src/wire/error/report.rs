//! [`Report`]: what an error of decoding or encoding says. Both have one type for it, so that a program holds its code once.

use super::path::{FieldPath, NOWHERE, in_place};
use crate::wire::heap::Cow;
#[cfg(not(tablepb_no_alloc))]
use alloc::{boxed::Box, string::String, vec::Vec};
use core::fmt;

/// The number of a kind, its place and its path, or nothing if there was no memory for them.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Report(Option<Held<Detail>>);

/// One value in a box, or in place without an allocator.
#[cfg(not(tablepb_no_alloc))]
type Held<T> = Box<[T; 1]>;
#[cfg(tablepb_no_alloc)]
type Held<T> = [T; 1];

#[derive(Clone, PartialEq, Eq)]
struct Detail {
    kind: u8,
    offset: usize,
    message: Option<Cow<'static, str>>,
    path: FieldPath,
    /// What a frame begins with, and the byte that stands there.
    #[cfg(not(tablepb_no_alloc))]
    first: Option<(&'static str, u8)>,
    #[cfg(feature = "reflect")]
    schema: Option<super::DescriptorError>,
}

impl Report {
    #[cold]
    #[inline(never)]
    pub(super) fn new(kind: u8, offset: usize, message: Option<Cow<'static, str>>, path: FieldPath) -> Self {
        Self(boxed(Detail {
            kind,
            offset,
            message,
            path,
            #[cfg(not(tablepb_no_alloc))]
            first: None,
            #[cfg(feature = "reflect")]
            schema: None,
        }))
    }

    #[inline]
    fn get(&self) -> Option<&Detail> {
        self.0.as_ref().map(|held| &held[0])
    }

    #[inline]
    fn get_mut(&mut self) -> Option<&mut Detail> {
        self.0.as_mut().map(|held| &mut held[0])
    }

    /// The number of the kind; `None` if there was no memory for the report.
    #[inline]
    pub(super) fn kind(&self) -> Option<u8> {
        self.get().map(|detail| detail.kind)
    }

    #[inline]
    pub(super) fn offset(&self) -> usize {
        self.get().map_or(0, |detail| detail.offset)
    }

    #[inline]
    pub(super) fn path(&self) -> &FieldPath {
        self.get().map_or(&NOWHERE, |detail| &detail.path)
    }

    #[inline]
    pub(super) fn message_name(&self) -> Option<&str> {
        self.get()?.message.as_deref()
    }

    /// What is wrong with the schema.
    #[cfg(feature = "reflect")]
    pub(super) fn schema(&self) -> Option<&super::DescriptorError> {
        self.get()?.schema.as_ref()
    }

    #[cfg(feature = "reflect")]
    #[cold]
    pub(super) fn set_schema(&mut self, error: super::DescriptorError) {
        if let Some(detail) = self.get_mut() {
            detail.schema = Some(error);
        }
    }

    /// Adds `start` to the offset.
    #[inline]
    pub(super) fn move_by(&mut self, start: usize) {
        if let Some(detail) = self.get_mut() {
            detail.offset += start;
        }
    }

    /// Names the root message type, unless it has been named.
    #[cold]
    #[inline(never)]
    pub(super) fn name(&mut self, name: Cow<'static, str>) {
        if let Some(detail) = self.get_mut()
            && detail.message.is_none()
        {
            detail.message = Some(name);
        }
    }

    /// As [`name`](Self::name), with a copy of the name, if there is memory for it.
    #[cfg(not(tablepb_no_alloc))]
    #[cold]
    #[inline(never)]
    pub(super) fn copy_name(&mut self, name: &str) {
        if let Some(name) = copy_of(name) {
            self.name(name);
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn set_path(&mut self, path: FieldPath) {
        if let Some(old) = self.path_mut() {
            *old = path;
        }
    }

    #[inline]
    pub(super) fn path_mut(&mut self) -> Option<&mut FieldPath> {
        self.get_mut().map(|detail| &mut detail.path)
    }

    /// Notes what a frame begins with, and the byte that stands there.
    #[cfg(not(tablepb_no_alloc))]
    #[cold]
    pub(super) fn set_first(&mut self, rule: &'static str, found: u8) {
        if let Some(detail) = self.get_mut() {
            detail.first = Some((rule, found));
        }
    }

    /// `: rule, not found`, if that is known.
    #[cfg(not(tablepb_no_alloc))]
    pub(super) fn show_first(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.get().and_then(|detail| detail.first) {
            Some((rule, found)) => write!(f, ": {rule}, not {found:#04x}"),
            None => Ok(()),
        }
    }

    /// `, in package.Message: path.to.field`, as far as it is known.
    #[inline]
    pub(super) fn show_place(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        in_place(f, self.message_name(), self.path())
    }
}

/// Gives a struct around a [`Report`] its kind, what is known of the place, and `Debug`.
macro_rules! reported_error {
    ($error:ident, $kind:ident) => {
        impl $error {
            /// The kind of fault.
            pub fn kind(&self) -> $kind {
                self.0.kind().map_or(
                    $crate::wire::error::ErrorKind::WITHOUT_MEMORY,
                    $crate::wire::error::ErrorKind::of_number,
                )
            }

            /// The full name of the root message type, where a schema was at hand.
            #[inline]
            pub fn message_name(&self) -> Option<&str> {
                self.0.message_name()
            }

            /// Names the root message type, unless it has been named.
            #[cold]
            #[inline]
            pub(crate) fn in_message(mut self, name: &'static str) -> Self {
                self.0.name(name.into());
                self
            }

            /// As [`in_message`](Self::in_message), with a copy of the name, if there is memory for it.
            #[cfg(not(tablepb_no_alloc))]
            #[cold]
            #[inline]
            pub(crate) fn in_message_copied(mut self, name: &str) -> Self {
                self.0.copy_name(name);
                self
            }

            #[cold]
            pub(crate) fn with_path(mut self, path: $crate::wire::error::FieldPath) -> Self {
                self.0.set_path(path);
                self
            }

            /// The path for editing; `None` if there was no memory for the error.
            pub(crate) fn path_mut(&mut self) -> Option<&mut $crate::wire::error::FieldPath> {
                self.0.path_mut()
            }
        }

        $crate::wire::error::debug_error!($error);
    };
}

pub(super) use reported_error;

// How the errors of the crate are built: a public kind, and private details in a box, one pointer wide.
//
// `Box::new` aborts without memory, the very situation in which a program needs an error. `Opaque` allocates
// fallibly; an error without memory for its details has the kind `ErrorKind::WITHOUT_MEMORY` and nothing else.

/// The kind of an error: a public enum, declared by [`error_kind!`](crate::wire::error::error_kind).
pub(crate) trait ErrorKind: Copy {
    /// The kind reported if there is no memory for the error itself.
    const WITHOUT_MEMORY: Self;

    /// The place of the kind among all kinds of its enum.
    fn number(self) -> u8;

    /// The kind at that place.
    fn of_number(number: u8) -> Self;
}

/// A kind and its details, or nothing if there was no memory for them.
#[cfg(not(tablepb_no_alloc))]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Opaque<K, D>(Option<Box<[(K, D); 1]>>);

#[cfg(not(tablepb_no_alloc))]
impl<K: ErrorKind, D> Opaque<K, D> {
    /// An error for which there was no memory.
    pub(crate) const NO_MEMORY: Self = Self(None);

    #[cold]
    #[inline]
    pub(crate) fn new(kind: K, detail: D) -> Self {
        Self(boxed((kind, detail)))
    }

    #[inline]
    pub(crate) fn kind(&self) -> K {
        self.0.as_deref().map_or(K::WITHOUT_MEMORY, |[(kind, _)]| *kind)
    }

    #[inline]
    pub(crate) fn get(&self) -> Option<&D> {
        self.0.as_deref().map(|[(_, detail)]| detail)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self) -> Option<&mut D> {
        self.0.as_deref_mut().map(|[(_, detail)]| detail)
    }

    #[inline]
    pub(crate) fn into_inner(self) -> Option<D> {
        self.0.map(|one| {
            let [(_, detail)] = *one;
            detail
        })
    }
}

/// Without an allocator a value is held in place.
#[cfg(tablepb_no_alloc)]
fn boxed<T>(value: T) -> Option<Held<T>> {
    Some([value])
}

/// A value in a box, or `None` if there is no memory for it.
#[cfg(not(tablepb_no_alloc))]
#[inline]
pub(crate) fn boxed<T>(value: T) -> Option<Box<[T; 1]>> {
    let mut one = Vec::new();
    one.try_reserve_exact(1).ok()?;
    // It is exact; the comparison tells the compiler, which then has no code for growing and shrinking.
    if one.capacity() != 1 {
        return None;
    }
    one.push(value);
    one.try_into().ok()
}

/// A copy of a name, or `None` if there is no memory for it.
#[cfg(not(tablepb_no_alloc))]
#[cold]
#[inline]
pub(crate) fn copy_of(name: &str) -> Option<Cow<'static, str>> {
    let mut copy = String::new();
    copy.try_reserve_exact(name.len()).ok()?;
    copy.push_str(name);
    Some(copy.into())
}

/// The most bytes of a text in an error: names and values come from the input, and may be long.
#[cfg(not(tablepb_no_alloc))]
const MAX_TEXT: usize = 1000;

/// A `String` that takes the first [`MAX_TEXT`] bytes, and fewer where there is no memory.
#[cfg(not(tablepb_no_alloc))]
struct BoundedText(String);

#[cfg(not(tablepb_no_alloc))]
impl fmt::Write for BoundedText {
    #[inline]
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let left = MAX_TEXT.saturating_sub(self.0.len());
        let fits = text.len() <= left;
        let end = (0..=left.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
        let text = end.and_then(|end| text.get(..end)).unwrap_or("");
        self.0.try_reserve(text.len()).map_err(|_| fmt::Error)?;
        self.0.push_str(text);
        if fits { Ok(()) } else { Err(fmt::Error) }
    }
}

/// The start of a value as text, as far as there is memory for it.
#[cfg(not(tablepb_no_alloc))]
#[cold]
#[inline]
pub(crate) fn text(value: impl fmt::Display) -> String {
    let mut text = BoundedText(String::new());
    // An error means only that the text is truncated.
    let _ = fmt::write(&mut text, format_args!("{value}"));
    text.0
}

/// The lengths of texts.
pub(crate) const fn text_lengths<const N: usize>(texts: [&str; N]) -> [u8; N] {
    let (mut lengths, mut i) = ([0; N], 0);
    while i < N {
        assert!(texts[i].len() < 256);
        lengths[i] = texts[i].len() as u8;
        i += 1;
    }
    lengths
}

/// One of many texts that are stored as one: a pointer to each would take 40 bytes of a program, relocation included.
#[cold]
#[inline]
pub(crate) fn text_at(index: usize, texts: &'static str, lengths: &[u8]) -> &'static str {
    let mut rest = texts;
    for (i, &len) in lengths.iter().enumerate() {
        let Some((text, others)) = rest.split_at_checked(len.into()) else { break };
        if i == index {
            return text;
        }
        rest = others;
    }
    ""
}

/// Declares the kinds of an error: a public enum, what each variant says, and the one for an error without memory.
macro_rules! error_kind {
    (
        $(#[$meta:meta])*
        pub enum $kind:ident, without memory $fallback:ident {
            $($(#[$doc:meta])* $variant:ident = $text:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $kind {
            $($(#[$doc])* $variant,)+
        }

        impl $crate::wire::error::ErrorKind for $kind {
            const WITHOUT_MEMORY: Self = Self::$fallback;

            #[inline]
            fn number(self) -> u8 {
                self as u8
            }

            #[inline]
            fn of_number(number: u8) -> Self {
                const ALL: &[$kind] = &[$($kind::$variant),+];
                ALL.get(usize::from(number)).copied().unwrap_or(Self::WITHOUT_MEMORY)
            }
        }

        impl core::fmt::Display for $kind {
            #[inline]
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                const LENGTHS: &[u8] = &$crate::wire::error::text_lengths([$($text),+]);
                f.write_str($crate::wire::error::text_at(*self as usize, concat!($($text),+), LENGTHS))
            }
        }
    };
}

/// Gives a struct around an [`Opaque`] its method `kind`, and `Debug`: the name of the type and the message.
macro_rules! opaque_error {
    ($error:ident, $kind:ident) => {
        impl $error {
            /// The kind of fault.
            pub fn kind(&self) -> $kind {
                self.0.kind()
            }
        }

        $crate::wire::error::debug_error!($error);
    };
}

/// `Debug` of an error: the name of the type and the message.
macro_rules! debug_error {
    ($error:ident) => {
        impl core::fmt::Debug for $error {
            #[inline]
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, concat!(stringify!($error), "({})"), self)
            }
        }
    };
}

pub(crate) use {debug_error, error_kind, opaque_error};
