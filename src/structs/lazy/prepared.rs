//! [`Prepared`] messages made from structs, and as members of structs.

use crate::message::{Prepare, Prepared, Type};
use crate::structs::decode::budget::Budget;
use crate::structs::decode::input::Input;
use crate::structs::decode::memory::merge_aside;
use crate::structs::decode::{UNKNOWN, is_position};
use crate::structs::encode::size::StructSizer;
use crate::structs::encode::write::StructWriter;
use crate::structs::grammar::kinds::{GroupOf, KindMarker, Nested, WireSpec, has_required};
use crate::structs::members::field::{DecodeValue, EncodeValue};
use crate::structs::message::check_required;
use crate::structs::{DecodeFrom, DecodeOwned, Message};
use crate::wire::error::{DecodeError, DecodeErrorKind, EncodeError};
use crate::wire::options::{DecodeOptions, EncodeOptions};
use crate::wire::read::raw;
use crate::wire::sync::Arc;
use crate::wire::{WireType, varint_len};
use alloc::vec::Vec;
use core::mem::replace;

impl<M: Message> Prepare for M {
    fn encode_prepared(&self, buffer: &mut Vec<u8>, options: EncodeOptions) -> Result<(), EncodeError> {
        options.encode(self, buffer)
    }

    fn prepared_type(&self) -> Type {
        Type::Table(M::TABLE)
    }
}

impl<M: DecodeOwned> Prepared<M> {
    /// Checks that `bytes` encode a message of this type, required fields included, and copies them.
    ///
    /// # Errors
    ///
    /// As [`Message::decode`].
    ///
    /// ```
    /// use tablepb::{Message, Prepared};
    ///
    /// #[derive(Default)]
    /// struct Resource { name: String }
    /// tablepb::message! { Resource as "example.Resource" { name: string = 1 } }
    ///
    /// let prepared = Prepared::<Resource>::from_bytes(b"\x0a\x04web1")?;
    /// assert_eq!(prepared.as_bytes(), b"\x0a\x04web1");
    /// assert!(Prepared::<Resource>::from_bytes(b"\x0a\x01\xff").is_err());
    /// # Ok::<(), tablepb::DecodeError>(())
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let options = DecodeOptions::new();
        let mut input = Input::new(bytes, &options);
        let (message, depth) = input.whole::<M>()?;
        if input.has_required() {
            check_required(&message, bytes.len())?;
        }
        Ok(Self::from_parts(bytes.into(), Type::Table(M::TABLE), depth, true))
    }

    /// This message with a `part` appended. `message` is the decoded part; its messages nest `deep` levels.
    fn merged(
        &self,
        part: &[u8],
        message: &M,
        deep: u32,
        input: &mut Input<'_>,
    ) -> Result<Self, DecodeErrorKind> {
        let before = self.as_bytes();
        let len = before.len() + part.len();
        // The parts are joined in a `Vec` before they are copied into the `Arc`.
        let twice = if before.is_empty() { 0 } else { len };
        input.charge(len)?;
        input.charge(twice)?;
        let bytes: Arc<[u8]> = if before.is_empty() { part.into() } else { [before, part].concat().into() };
        input.refund(twice);
        let whole = |message: &M| check_required(message, 0).is_ok();
        let complete = match !input.has_required() || whole(message) {
            complete if before.is_empty() => complete,
            true if self.is_complete() => true,
            // One part may set a required field that the other lacks, so both are checked together.
            _ => input.again(&bytes, whole)?,
        };
        Ok(Self::from_parts(bytes, Type::Table(M::TABLE), deep.max(self.depth()), complete))
    }
}

/// The length of a prepared message, which counts as one level plus its own depth.
#[inline]
fn size<M>(prepared: &Prepared<M>, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
    if !prepared.is_complete() {
        sizer.missing(spec);
    }
    sizer.spliced(spec, prepared.as_bytes().len(), prepared.depth())
}

impl<M: Message> EncodeValue<Nested<M>> for Prepared<M> {
    #[inline]
    fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
        let len = size(self, spec, sizer);
        spec.tag_len() + varint_len(len) as u64 + len
    }

    #[inline]
    fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
        writer.prefixed_tag(spec);
        writer.cursor.write_length_delimited(self.as_bytes());
    }
}

impl<M: Message> EncodeValue<GroupOf<M>> for Prepared<M> {
    #[inline]
    fn size(&self, spec: WireSpec, sizer: &mut StructSizer<'_, '_>) -> u64 {
        2 * spec.tag_len() + size(self, spec, sizer)
    }

    #[inline]
    fn write(&self, spec: WireSpec, writer: &mut StructWriter<'_, '_, '_>) {
        writer.tag::<GroupOf<M>>(spec);
        writer.cursor.write_slice(self.as_bytes());
        writer.end_group(spec);
    }
}

macro_rules! prepared {
    ($($kind:ident),*) => {$(
        impl<'i, M: DecodeOwned> DecodeValue<'i, $kind<M>> for Prepared<M> {
            fn fresh(_: &mut Input<'i>) -> Result<Self, DecodeErrorKind> {
                Ok(Self::from_parts(Arc::default(), Type::Table(M::TABLE), 0, const { !has_required(M::TABLE) }))
            }

            fn merge(&mut self, pos: usize, bits: u32, input: &mut Input<'i>) -> usize {
                if bits & 7 != $kind::<M>::WIRE as u32 {
                    return UNKNOWN;
                }
                let merged = merge_aside(
                    input,
                    |_| Ok(M::unset()),
                    |message, input| {
                        input.fathom(|input| DecodeValue::<$kind<M>>::merge(message, pos, bits, input))
                    },
                    |message, (end, levels), input| {
                        if !is_position(end) {
                            return end;
                        }
                        let part = input.merged(pos, $kind::<M>::WIRE);
                        match self.merged(part, &message, levels - 1, input) {
                            Ok(merged) => {
                                *self = merged;
                                end
                            }
                            Err(kind) => input.fault(kind, end),
                        }
                    },
                );
                merged.unwrap_or_else(|kind| input.fault(kind, pos))
            }
        }
    )*};
}

prepared!(Nested, GroupOf);

// The decoding pass for `Prepared` members: decodes a message to check it, perhaps again, and measures its depth.

/// The charge for decoding a message again, besides its bytes.
const AGAIN: usize = 64;

impl<'i> Input<'i> {
    /// Decodes the whole input without a check of required fields, and returns the message and its depth.
    pub(in crate::structs) fn whole<M: DecodeFrom<'i>>(&mut self) -> Result<(M, u32), DecodeError> {
        let mut message = M::unset();
        self.root(&mut message)?;
        Ok((message, self.depth_left - self.lowest))
    }

    /// Runs `work` and returns how many levels deeper it went.
    pub(in crate::structs) fn fathom<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> (T, u32) {
        let (lowest, depth_left) = (replace(&mut self.lowest, self.depth_left), self.depth_left);
        let result = work(self);
        let levels = depth_left - self.lowest;
        self.lowest = self.lowest.min(lowest);
        (result, levels)
    }

    /// The bytes of the message that has just been merged; its tag ended at `start`.
    pub(in crate::structs) fn merged(&self, start: usize, wire_type: WireType) -> &'i [u8] {
        match wire_type {
            WireType::StartGroup => self.buf.get(start..self.group_end).unwrap_or_default(),
            _ => raw::length_delimited(self.buf, start).map_or(&[], |(bytes, _)| bytes),
        }
    }

    /// Whether a message with required fields occurred.
    pub(in crate::structs) fn has_required(&self) -> bool {
        self.required
    }

    /// Decodes a message whose parts have been decoded before, and passes it to `look`. The budget pays each time: otherwise
    /// prepared messages inside prepared messages, split in two at every level, take time exponential in their depth.
    pub(in crate::structs) fn again<M: DecodeOwned>(
        &mut self,
        whole: &[u8],
        look: impl FnOnce(&M) -> bool,
    ) -> Result<bool, DecodeErrorKind> {
        self.charge(whole.len().saturating_add(AGAIN))?;
        let looked = merge_aside(
            self,
            |_| Ok(M::unset()),
            |message, outer| {
                let mut input = Input::part(whole, 0, &outer.options);
                (input.budget, input.stack) = (outer.budget.lend(), outer.stack);
                let result = input.root(message);
                let left = input.budget.end();
                drop(input);
                outer.budget.take_back(left);
                result.map(|_| ()).map_err(|error| error.kind())
            },
            |message, decoded, _| decoded.map(|()| look(&message)),
        );
        looked.and_then(|looked| looked)
    }
}

/// For messages that are decoded again.
impl<'p> Budget<'p> {
    /// Lends everything to an inner decode whose message is dropped.
    pub(in crate::structs) fn lend(&mut self) -> Budget<'p> {
        Budget { left: replace(&mut self.left, 0), granted: self.granted, own: None, from: self.from }
    }

    /// Ends the inner budget: what is left of it, and what it was granted.
    pub(in crate::structs) fn end(&mut self) -> (usize, usize) {
        (replace(&mut self.left, 0), self.granted)
    }

    /// Takes the result of [`end`](Self::end) back.
    pub(in crate::structs) fn take_back(&mut self, (left, granted): (usize, usize)) {
        (self.left, self.granted) = (left, granted);
    }
}
