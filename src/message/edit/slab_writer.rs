//! Writing values into a slab and a store: strings, sub-messages and lists.

use crate::engine::slab::{ByteSpan, Full, NIL, Nesting, Slab, Text};
use crate::message::dynamic::store::Store;
use crate::message::{SetFieldError, Value};
use crate::schema::program::{Coding, FieldEntry, Program, ProgramSet};

/// The slab or the store is full, or the allocator has no memory.
#[derive(Clone, Copy, Debug)]
pub(in crate::message) struct TooLarge;

impl From<Full> for TooLarge {
    fn from(_: Full) -> Self {
        Self
    }
}

impl From<SetFieldError> for TooLarge {
    fn from(_: SetFieldError) -> Self {
        Self
    }
}

/// Writes values to a slab and the store of their strings.
pub(in crate::message) struct SlabWriter<'t> {
    pub(in crate::message) set: &'t ProgramSet,
    pub(in crate::message) slab: &'t mut Slab,
    pub(in crate::message) store: &'t mut Store,
}

impl SlabWriter<'_> {
    /// Appends bytes to the store and returns their span.
    pub(in crate::message) fn span(&mut self, bytes: &[u8]) -> Result<u64, TooLarge> {
        match self.store.append(bytes) {
            Ok(offset) => Ok(ByteSpan::new(offset as u64, bytes.len() as u64).word()),
            Err(_) => {
                self.slab.distrust();
                Err(TooLarge)
            }
        }
    }

    /// Appends bytes to the store and returns what a slot of this coding holds for them.
    pub(in crate::message) fn slot_span(&mut self, coding: Coding, bytes: &[u8]) -> Result<u64, TooLarge> {
        let span = self.span(bytes)?;
        Ok(self.marked(coding, span))
    }

    /// What a slot of this coding holds for a span: strings that must be UTF-8 carry a mark. Only the UTF-8 check sets it, so
    /// the copied bytes are checked once more.
    pub(in crate::message) fn marked(&self, coding: Coding, span: u64) -> u64 {
        let bytes = ByteSpan::from_word(span);
        let text = || Text::check(self.store.as_slice(), bytes.offset(), bytes.len() as usize);
        if coding == Coding::String { text().map_or(span, Text::pair) } else { span }
    }

    /// The body of a singular sub-message. An unset field gets an empty one.
    pub(in crate::message) fn open(
        &mut self,
        program: &Program,
        base: u32,
        position: usize,
        entry: &FieldEntry,
    ) -> Result<u32, TooLarge> {
        Ok(self.slab.open_child((program, base), position, entry, self.set.program(entry.sub))?)
    }

    /// An empty body, to be attached once it is complete.
    pub(in crate::message) fn detached_body(&mut self, entry: &FieldEntry) -> Result<u32, TooLarge> {
        Ok(self.slab.alloc_body(self.set.program(entry.sub))?)
    }

    /// A detached body of a message that stays bytes: one that is prepared, or one of a projection, whose programs only it has. `None`
    /// for other values.
    pub(in crate::message) fn detached_bytes(
        &mut self,
        entry: &FieldEntry,
        value: &Value,
    ) -> Result<Option<u32>, TooLarge> {
        match value {
            Value::Prepared(prepared) => {
                self.detached_raw(entry, prepared.as_bytes(), prepared.depth()).map(Some)
            }
            Value::Message(message) if message.is_projected() => {
                let (bytes, levels) = message.as_bytes().map_err(|_| TooLarge)?;
                self.detached_raw(entry, &bytes, levels).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn detached_raw(&mut self, entry: &FieldEntry, bytes: &[u8], levels: u32) -> Result<u32, TooLarge> {
        let nesting = Nesting::known(levels);
        let in_place = if entry.flags.is_list() {
            self.set.program(entry.sub).is_contiguous()
        } else {
            entry.flags.is_inline()
        };
        let bytes = self.span(bytes)?;
        let body = if in_place {
            let body = self.detached_body(entry)?;
            self.slab.make_raw(body, nesting)?;
            body
        } else {
            self.slab.alloc_raw(nesting)?
        };
        self.slab.add_verbatim(body, bytes as u32, (bytes >> 32) as u32)?;
        Ok(body)
    }

    /// Makes a detached body the value of a singular field.
    pub(in crate::message) fn attach(
        &mut self,
        program: &Program,
        base: u32,
        position: usize,
        entry: &FieldEntry,
        body: u32,
    ) -> Result<(), TooLarge> {
        let (slot, _) = self.slab.mark_set(program, base, position)?;
        self.place_body(entry, slot, entry.flags.is_inline(), body);
        Ok(())
    }

    /// Copies a detached body to `at`, or stores its offset there.
    pub(in crate::message) fn place_body(&mut self, entry: &FieldEntry, at: u32, in_place: bool, body: u32) {
        let sub = self.set.program(entry.sub);
        if in_place {
            self.slab.copy_words(body, sub.words() as usize, at);
        } else {
            self.slab.set(at, body);
        }
    }

    /// The slot of an empty list, to be attached once it is complete.
    pub(in crate::message) fn detached_list(&mut self) -> Result<u32, TooLarge> {
        let slot = self.slab.alloc(2)?;
        self.slab.set64(slot, 0);
        Ok(slot)
    }

    /// Makes the list at `detached` the value of a field.
    pub(in crate::message) fn attach_list(
        &mut self,
        program: &Program,
        base: u32,
        position: usize,
        detached: u32,
    ) -> Result<(), TooLarge> {
        let header = self.slab.words().get64(detached);
        let (slot, _) = self.slab.mark_set(program, base, position)?;
        self.slab.set64(slot, header);
        Ok(())
    }

    /// The slot of a list. An unset field gets an empty list, which the caller unsets again if it adds nothing.
    pub(in crate::message) fn open_list(
        &mut self,
        program: &Program,
        base: u32,
        position: usize,
    ) -> Result<u32, TooLarge> {
        Ok(self.slab.open_list(program, base, position)?)
    }

    /// Appends an empty message to the list at `slot` and returns its body.
    pub(in crate::message) fn push(&mut self, entry: &FieldEntry, slot: u32) -> Result<u32, TooLarge> {
        let sub = self.set.program(entry.sub);
        if sub.is_contiguous() {
            return Ok(self.slab.list_push_empty(slot, sub)?);
        }
        let body = self.slab.alloc_body(sub)?;
        let at = self.slab.list_grow(slot, 1, 1)?;
        self.slab.set(at, body);
        Ok(body)
    }

    /// Appends an empty message to the list at `slot` and returns its body: the shared one, unless bodies are in the list.
    pub(in crate::message) fn push_empty(&mut self, entry: &FieldEntry, slot: u32) -> Result<u32, TooLarge> {
        Ok(self.slab.list_push_empty(slot, self.set.program(entry.sub))?)
    }

    /// Sets a singular sub-message, which is not set, to an empty one and returns its body: the shared one, unless it is in its parent.
    pub(in crate::message) fn open_empty(
        &mut self,
        program: &Program,
        base: u32,
        position: usize,
        entry: &FieldEntry,
    ) -> Result<u32, TooLarge> {
        if entry.flags.is_inline() {
            return self.open(program, base, position, entry);
        }
        let (slot, _) = self.slab.mark_set(program, base, position)?;
        self.slab.set(slot, NIL);
        Ok(NIL)
    }

    /// Appends a detached body to the list at `slot`.
    pub(in crate::message) fn push_body(
        &mut self,
        entry: &FieldEntry,
        slot: u32,
        body: u32,
    ) -> Result<(), TooLarge> {
        let sub = self.set.program(entry.sub);
        let at = self.slab.list_grow(slot, sub.element_words(), 1)?;
        self.place_body(entry, at, sub.is_contiguous(), body);
        Ok(())
    }

    /// Sets a singular sub-message to a raw message without bytes and returns its body.
    pub(in crate::message) fn open_raw(
        &mut self,
        program: &Program,
        base: u32,
        position: usize,
        entry: &FieldEntry,
        nesting: Nesting,
    ) -> Result<u32, TooLarge> {
        let (slot, _) = self.slab.mark_set(program, base, position)?;
        self.raw_at(entry, slot, entry.flags.is_inline(), nesting)
    }

    /// Appends a raw message without bytes to the list at `slot` and returns its body.
    pub(in crate::message) fn push_raw(
        &mut self,
        entry: &FieldEntry,
        slot: u32,
        nesting: Nesting,
    ) -> Result<u32, TooLarge> {
        let sub = self.set.program(entry.sub);
        let at = self.slab.list_grow(slot, sub.element_words(), 1)?;
        self.raw_at(entry, at, sub.is_contiguous(), nesting)
    }

    /// Makes a raw message at `at`, or stores its offset there.
    pub(in crate::message) fn raw_at(
        &mut self,
        entry: &FieldEntry,
        at: u32,
        in_place: bool,
        nesting: Nesting,
    ) -> Result<u32, TooLarge> {
        if in_place {
            self.slab.clear_body(self.set.program(entry.sub), at);
            self.slab.make_raw(at, nesting)?;
            return Ok(at);
        }
        self.slab.set(at, NIL);
        let body = self.slab.alloc_raw(nesting)?;
        self.slab.set(at, body);
        Ok(body)
    }

    /// What a slot of this coding holds for a scalar. Strings and bytes go to the store.
    pub(in crate::message) fn slot_value(&mut self, coding: Coding, value: &Value) -> Result<u64, TooLarge> {
        match value {
            Value::String(text) => self.slot_span(coding, text.as_bytes()),
            Value::Bytes(bytes) => self.slot_span(coding, bytes),
            number => Ok(number_bits(number)),
        }
    }
}

/// The bits of a number as its slot holds them; 0 for other values.
pub(in crate::message) fn number_bits(value: &Value) -> u64 {
    match value {
        Value::Bool(v) => *v as u64,
        Value::I32(v) | Value::EnumNumber(v) => *v as u32 as u64,
        Value::U32(v) => *v as u64,
        Value::F32(v) => v.to_bits() as u64,
        Value::I64(v) => *v as u64,
        Value::U64(v) => *v,
        Value::F64(v) => v.to_bits(),
        _ => 0,
    }
}

/// Whether a field with implicit presence treats the value as unset.
pub(in crate::message) fn is_zero(value: &Value) -> bool {
    match value {
        Value::String(v) => v.is_empty(),
        Value::Bytes(v) => v.is_empty(),
        Value::Message(_) | Value::Prepared(_) | Value::List(_) | Value::Map(_) => false,
        number => number_bits(number) == 0,
    }
}
