//! The words of one dense body, by slot.

/// Read access to the words of a dense body and all after it, by slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyWords<'a>(pub(super) &'a [u32]);

impl BodyWords<'_> {
    /// The word of a slot, 0 if there is none.
    #[inline(always)]
    pub(crate) fn get(self, slot: u16) -> u32 {
        self.0.get(usize::from(slot)).copied().unwrap_or(0)
    }

    /// The two words of a slot, low word first, 0 if they are not both there.
    #[inline(always)]
    pub(crate) fn get64(self, slot: u16) -> u64 {
        match self.0.get(usize::from(slot)..usize::from(slot) + 2) {
            Some(&[low, high]) => low as u64 | (high as u64) << 32,
            _ => 0,
        }
    }

    /// The word of a slot in the low half, and the word after it, if there is one, in the high half.
    #[inline(always)]
    pub(crate) fn get64_or_32(self, slot: u16) -> u64 {
        match self.0.get(usize::from(slot)..usize::from(slot) + 2) {
            Some(&[low, high]) => low as u64 | (high as u64) << 32,
            _ => self.get(slot).into(),
        }
    }
}

/// The words of a dense body and all after it. Writing outside the slab is ignored; no slot of the body's program is there.
#[derive(Debug)]
pub(crate) struct BodyMut<'s>(pub(super) &'s mut [u32]);

impl BodyMut<'_> {
    /// Writes one word.
    #[inline(always)]
    pub(crate) fn set(&mut self, slot: u16, value: u32) {
        if let Some(word) = self.0.get_mut(slot as usize) {
            *word = value;
        }
    }

    /// Writes two words, low word first.
    #[inline(always)]
    pub(crate) fn set64(&mut self, slot: u16, value: u64) {
        if let Some([low, high]) = self.0.get_mut(slot as usize..slot as usize + 2) {
            (*low, *high) = (value as u32, (value >> 32) as u32);
        }
    }

    /// Sets a hasbit and no more.
    #[cfg_attr(not(feature = "json"), allow(dead_code, reason = "for JSON"))]
    #[inline(always)]
    pub(crate) fn mark(&mut self, bit: u8) {
        let place = if bit < 32 { 0 } else { 2 };
        if let Some(word) = self.0.get_mut(place) {
            *word |= 1 << (bit & 31);
        }
    }

    /// The words from a slot on.
    #[inline(always)]
    pub(crate) fn rest(&mut self, slot: u16) -> &mut [u32] {
        self.0.get_mut(slot as usize..).unwrap_or_default()
    }
}
