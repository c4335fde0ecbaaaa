//! Where in a message the value is that is being printed.

use crate::formats::json::{SerializeErrorKind as Kind, SerializeOptions, path_step};
use crate::schema::pool::{DescriptorPool, FieldRef};
use crate::wire::error::FieldPath;
use ::serde::ser::Error;
use alloc::format;

/// A value in a message: how it came about, for errors, and what is the same for all values.
#[derive(Clone, Copy)]
pub(super) struct ValuePlace<'n> {
    pub(super) options: &'n SerializeOptions,
    pub(super) pool: &'n DescriptorPool,
    /// The level of the message, 0 for the root.
    pub(super) depth: u32,
    /// The full name of the root.
    root: &'n str,
    step: Option<PlaceStep<'n>>,
}

#[derive(Clone, Copy)]
struct PlaceStep<'n> {
    around: &'n ValuePlace<'n>,
    field: FieldRef<'n>,
    index: Option<usize>,
}

impl<'n> ValuePlace<'n> {
    pub(super) fn root(pool: &'n DescriptorPool, options: &'n SerializeOptions, root: &'n str) -> Self {
        Self { options, pool, depth: 0, root, step: None }
    }

    /// A field in the message here, or an element of its list.
    pub(super) fn field<'m>(&'m self, field: FieldRef<'m>, index: Option<usize>) -> ValuePlace<'m> {
        ValuePlace { step: Some(PlaceStep { around: self, field, index }), ..*self }
    }

    /// An element of the list here.
    pub(super) fn element(self, index: usize) -> Self {
        Self { step: self.step.map(|step| PlaceStep { index: Some(index), ..step }), ..self }
    }

    /// The same place, so many levels deeper.
    pub(super) fn deeper(self, levels: u32) -> Self {
        Self { depth: self.depth + levels, ..self }
    }

    /// An error about the value here.
    #[cold]
    pub(super) fn fail<E: Error>(&self, kind: Kind) -> E {
        let mut path = FieldPath::EMPTY;
        let mut place = self;
        while let Some(PlaceStep { around, field, index }) = &place.step {
            let index = index.and_then(|index| u32::try_from(index).ok());
            path.push_outer(path_step(field.number(), field.name(), index));
            place = around;
        }
        E::custom(match path.is_empty() {
            true => format!("{kind}, in {}", self.root),
            false => format!("{kind}, in {}: {path}", self.root),
        })
    }
}
