//! What has been seen of each field.

use std::collections::BTreeMap;
use tablepb::DecodeError;
use tablepb::wire::{Reader, Tag, WireType};

/// Levels of messages below the root that are looked into; deeper ones are bytes. Sources nest no deeper.
const DEPTH: usize = 31;
/// Message types that are told apart; what is in further ones is bytes.
const TYPES: usize = 2_000;
/// Fields that a guess has; further ones are left out.
const FIELDS: usize = 10_000;

/// The message types, the root first.
pub struct Shapes {
    pub types: Vec<BTreeMap<u32, Field>>,
    /// The number of the last message, of those in others too.
    serial: u64,
    /// Fields of all types.
    fields: usize,
}

/// What the values of a field have in common.
#[derive(Debug)]
pub struct Field {
    /// The kind of its first value; of others, messages keep the values as unknown fields.
    pub wire: WireType,
    /// A message had it twice.
    pub repeated: bool,
    /// All values with a length are text, without control characters.
    pub text: bool,
    /// The type of its messages, as long as all values read as messages.
    pub message: Option<usize>,
    pub negative: bool,
    /// All values look like floating-point numbers.
    pub float: bool,
    /// The message that had it last, to find repetitions.
    last: u64,
}

impl Shapes {
    pub fn new() -> Self {
        Self { types: vec![BTreeMap::new()], serial: 0, fields: 0 }
    }

    /// Learns from a message that is well formed.
    pub fn add(&mut self, bytes: &[u8]) {
        self.serial += 1;
        let mut stack = vec![(Reader::new(bytes), 0, self.serial)];
        while let Some((mut reader, shape, number)) = stack.pop() {
            let Ok(Some(tag)) = reader.next_tag() else { continue };
            let new = self.types.len();
            let deeper = stack.len() < DEPTH && new < TYPES;
            let fields = &mut self.types[shape];
            if self.fields == FIELDS && !fields.contains_key(&tag.number()) {
                // Whatever the schema does not have is an unknown field.
                if reader.skip_field(tag).is_ok() {
                    stack.push((reader, shape, number));
                }
                continue;
            }
            let field = fields.entry(tag.number()).or_insert_with(|| {
                self.fields += 1;
                Field::new(tag.wire_type())
            });
            field.repeated |= field.last == number;
            field.last = number;
            let Ok(child) = field.learn(tag, &mut reader, deeper) else { continue };
            stack.push((reader, shape, number));
            let Some((child, message)) = child.zip(field.message) else { continue };
            let message = if message == UNSEEN {
                field.message = Some(new);
                self.types.push(BTreeMap::new());
                new
            } else {
                message
            };
            self.serial += 1;
            stack.push((child, message, self.serial));
        }
    }
}

/// A message type of which no message has been seen.
pub const UNSEEN: usize = usize::MAX;

impl Field {
    fn new(wire: WireType) -> Self {
        Self {
            wire,
            repeated: false,
            text: true,
            message: Some(UNSEEN),
            negative: false,
            float: true,
            last: 0,
        }
    }

    /// Learns from the value after a tag, and returns the message that it may be.
    fn learn<'i>(
        &mut self,
        tag: Tag,
        reader: &mut Reader<'i>,
        deeper: bool,
    ) -> Result<Option<Reader<'i>>, DecodeError> {
        if self.wire != tag.wire_type() && tag.wire_type() == WireType::LengthDelimited {
            self.become_bytes();
        }
        match tag.wire_type() {
            wire if wire != self.wire => reader.skip_field(tag)?,
            WireType::Varint => self.negative |= (reader.read_varint()? as i64) < 0,
            WireType::Fixed32 => self.float &= is_float(f32::from_bits(reader.read_fixed32()?).into()),
            WireType::Fixed64 => self.float &= is_float(f64::from_bits(reader.read_fixed64()?)),
            WireType::StartGroup => {
                if self.message == Some(UNSEEN) && !deeper {
                    self.message = None;
                }
                return reader.read_group(tag).map(Some);
            }
            WireType::EndGroup => {}
            WireType::LengthDelimited => {
                let inside = reader.clone().read_message().ok().filter(|_| self.message.is_some());
                return Ok(self.see(reader.read_length_delimited()?, inside, deeper));
            }
        }
        Ok(None)
    }

    /// A decoder of a number would take a value with a length for packed numbers.
    fn become_bytes(&mut self) {
        self.wire = WireType::LengthDelimited;
        (self.text, self.message) = (false, None);
    }

    /// Learns from a value with a length, and returns the message that it may be.
    fn see<'i>(&mut self, bytes: &[u8], inside: Option<Reader<'i>>, deeper: bool) -> Option<Reader<'i>> {
        let spacing = |c: char| matches!(c, '\t' | '\r' | '\n');
        self.text &=
            std::str::from_utf8(bytes).is_ok_and(|text| text.chars().all(|c| spacing(c) || !c.is_control()));
        let whole = inside.filter(|inside| inside.clone().skip_message().is_ok());
        let fresh = self.message == Some(UNSEEN);
        if whole.is_none() || fresh && !deeper {
            self.message = None;
            return None;
        }
        whole
    }

    /// The type of its messages, if that is what it has.
    pub fn message(&self) -> Option<usize> {
        let message = self.message.filter(|&message| message != UNSEEN);
        match self.wire {
            WireType::StartGroup => message,
            WireType::LengthDelimited if !self.text => message,
            _ => None,
        }
    }
}

/// Numbers that people use, and zero.
fn is_float(value: f64) -> bool {
    value == 0.0 || (1e-6..1e12).contains(&value.abs())
}
