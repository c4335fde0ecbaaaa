//! Keys: what they name, and guesses of the next field.

/// Guesses that are kept.
const GUESSES: usize = 256;

/// How many fields are compared with a key, should the guess fail, before it is searched for.
pub(crate) const AHEAD: usize = 6;

/// What a key names.
pub(crate) enum MemberKey {
    /// The field at this position.
    Field(usize),
    /// Nothing that is kept.
    Other,
    /// There is no key: the object has ended.
    End,
}

/// Which field comes after another one. Members come in the same order in most objects of a type, so the field that a search found
/// the last time is likely; without one, the next field of the schema.
pub(crate) struct Follow {
    /// 1 + position of the field, by the one before and the type.
    positions: [u16; GUESSES],
}

impl Follow {
    pub(crate) fn new() -> Self {
        Self { positions: [0; GUESSES] }
    }

    #[inline(always)]
    fn place(index: u32, next: usize) -> usize {
        (index as usize).wrapping_mul(37).wrapping_add(next) % GUESSES
    }

    /// The likely field where `next` is the next one of the schema.
    #[inline(always)]
    pub(crate) fn guess(&self, index: u32, next: usize) -> usize {
        match self.positions.get(Self::place(index, next)) {
            None | Some(0) => next,
            Some(&position) => position as usize - 1,
        }
    }

    pub(crate) fn learn(&mut self, index: u32, next: usize, position: usize) {
        if let Some(place) = self.positions.get_mut(Self::place(index, next)) {
            *place = position as u16 + 1;
        }
    }
}
