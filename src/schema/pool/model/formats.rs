//! What JSON and text format need of a schema: fields by name, values of enums both ways, well-known types.

use super::names::TextRange;
use super::{FieldData, FieldFormat, FieldName, FormatData, IndexRange, NONE, PoolData, WellKnown};
use crate::schema::pool::DescriptorPool;
use crate::schema::program::{
    Coding, FieldEntry, Program, ProgramSet, Room, RoomFull, Scalar, sort_key, sort_keys,
};
use crate::schema::table::Kind;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// Labels up to this length are compared and copied as a whole.
const WINDOW: usize = 32;
const HALF: usize = WINDOW / 2;

/// The names of the fields of one message, by position in number order.
#[derive(Clone, Copy)]
pub(crate) struct FieldFormats<'p> {
    fields: &'p [FieldFormat],
    text: &'p [u8],
    labels: &'p [u8],
}

/// A field: the formats of its message, and its position.
pub(crate) type FormatField<'p> = (FieldFormats<'p>, usize);

#[cfg_attr(not(feature = "json"), allow(dead_code, reason = "for a format"))]
impl<'p> FieldFormats<'p> {
    /// The text from a name on, and the length of the name.
    #[inline(always)]
    fn rest(self, text: TextRange) -> (&'p [u8], usize) {
        let (start, len) = text.place();
        let rest = self.text.get(start..).unwrap_or_default();
        (rest, len.min(rest.len()))
    }

    /// `,"name":` with the name in JSON: the text from it on, and its length. Nothing if the name has characters that are escaped, or
    /// if there is no such field.
    #[inline(always)]
    pub(crate) fn label(self, position: usize) -> Option<(&'p [u8], usize)> {
        let field = self.fields.get(position)?;
        let rest = self.labels.get(field.label as usize..)?;
        let len = usize::from(field.label_len);
        (len > 0 && len <= rest.len()).then_some((rest, len))
    }

    /// The text from a label of at most 32 bytes on, and the length of the label.
    #[cfg(feature = "json")]
    #[inline(always)]
    pub(crate) fn short_label(self, position: usize) -> Option<(&'p [u8; WINDOW], usize)> {
        let field = self.fields.get(position)?;
        let window = self.labels.get(field.label as usize..)?.first_chunk()?;
        let len = usize::from(field.label_len);
        (len.wrapping_sub(1) < WINDOW).then_some((window, len))
    }

    /// Whether the messages of a field are flat: their fields are singular scalars, none of them in a oneof, and they are neither wide
    /// nor well-known types.
    #[cfg(feature = "json")]
    #[inline(always)]
    pub(crate) fn is_flat(self, position: usize) -> bool {
        self.fields.get(position).is_some_and(|field| field.marks & FieldFormat::FLAT != 0)
    }

    /// The name in the schema: the text from it on, and its length.
    #[inline]
    pub(crate) fn own(self, position: usize) -> Option<(&'p [u8], usize)> {
        self.fields.get(position).map(|field| self.rest(field.own))
    }

    /// The name in text format: the text from it on, and its length; nothing if it is not the name in the schema.
    #[inline]
    pub(crate) fn plain_text(self, position: usize) -> Option<(&'p [u8], usize)> {
        let field = self.fields.get(position).filter(|field| field.marks & FieldFormat::RENAMED == 0)?;
        Some(self.rest(field.own))
    }

    /// The length of the label of a field without its first `skip` bytes, if `rest` begins with that.
    #[inline(always)]
    pub(crate) fn takes_label(self, position: usize, skip: usize, rest: &[u8]) -> Option<usize> {
        let (label, len) = self.label(position)?;
        let (label, len) = (label.get(skip..)?, len - skip);
        let same = match (label.first_chunk::<WINDOW>(), rest.first_chunk::<WINDOW>()) {
            (Some(label), Some(rest)) if len <= HALF => begin_alike(label, rest, len),
            (Some(one), Some(other)) if len <= WINDOW => {
                one.first_chunk::<HALF>() == other.first_chunk()
                    && label.get(HALF..len) == rest.get(HALF..len)
            }
            _ => label.get(..len) == rest.get(..len),
        };
        same.then_some(len)
    }

    /// The name in JSON.
    #[inline(always)]
    pub(crate) fn json(self, position: usize) -> Option<&'p [u8]> {
        let (rest, len) = self.rest(self.fields.get(position)?.json);
        rest.get(..len)
    }

    /// The enum of an enum field.
    #[inline]
    pub(crate) fn enumeration(self, position: usize) -> u32 {
        self.fields.get(position).map_or(u32::MAX, |field| field.enumeration)
    }

    /// Whether a field is a singular scalar of a message that is not wide, and in no oneof.
    #[inline(always)]
    pub(crate) fn is_plain(self, position: usize) -> bool {
        self.fields.get(position).is_some_and(|field| field.plain)
    }

    /// Whether the enum of an enum field is `google.protobuf.NullValue`, whose value is `null` in JSON.
    #[inline]
    pub(crate) fn is_null_value(self, position: usize) -> bool {
        self.fields.get(position).is_some_and(|field| field.marks & FieldFormat::NULL != 0)
    }
}

/// Whether the first `len` bytes of two windows are the same; `len` is at most [`HALF`]. No branch depends on it.
#[inline(always)]
fn begin_alike(one: &[u8; WINDOW], other: &[u8; WINDOW], len: usize) -> bool {
    let word = |window: &[u8; WINDOW]| u128::from_le_bytes(window.first_chunk().copied().unwrap_or_default());
    // By length: as many bytes that count.
    const MASKS: [u128; HALF + 1] = {
        let mut masks = [0; HALF + 1];
        let mut i = 1;
        while i <= HALF {
            masks[i] = u128::MAX >> (128 - 8 * i);
            i += 1;
        }
        masks
    };
    (word(one) ^ word(other)) & MASKS.get(len).copied().unwrap_or(u128::MAX) == 0
}

impl PoolData {
    /// Fills in what this file is about; programs have been made.
    pub(in crate::schema::pool) fn find_formats(&mut self, room: &mut Room) -> Result<(), RoomFull> {
        let mut formats = Vec::new();
        room.reserve(&mut formats, self.messages.len())?;
        let mut count = 0;
        for message in &self.messages {
            for field in &message.fields {
                count += 1 + usize::from(!self.same(field.json_name, field.name.local()));
            }
        }
        let mut fields: Vec<FieldFormat> = Vec::new();
        room.reserve(&mut fields, self.messages.iter().map(|m| m.fields.len()).sum())?;
        let mut labels: Vec<u8> = Vec::new();
        let all = self.messages.iter().flat_map(|message| &message.fields);
        room.reserve(&mut labels, all.map(|field| self.label(field).len() + 4).sum::<usize>() + WINDOW)?;
        let mut names: Vec<FieldName> = Vec::new();
        room.reserve(&mut names, count)?;
        let (mut unsorted, mut keys): (Vec<FieldName>, Vec<u128>) = (Vec::new(), Vec::new());
        for (index, message) in self.messages.iter().enumerate() {
            let start = names.len();
            for (at, field) in message.fields.iter().enumerate() {
                let at = at as u32;
                names.push(FieldName { text: field.json_name, field: at });
                // An extension goes by its full name in brackets only.
                if !self.same(field.json_name, field.name.local())
                    && !self.text(field.json_name).starts_with('[')
                {
                    names.push(FieldName { text: field.name.local(), field: at });
                }
            }
            let is_own = |name: &FieldName| {
                message.field(name.field).is_some_and(|field| field.json_name != name.text)
            };
            unsorted.clear();
            keys.clear();
            room.extend(&mut unsorted, names.get(start..).unwrap_or_default())?;
            room.reserve(&mut keys, unsorted.len())?;
            keys.extend((0..).zip(&unsorted).map(|(index, name)| {
                let text = self.text(name.text).as_bytes();
                sort_key(text.len() as u32, text, index)
            }));
            // If the schema name of one field is the JSON name of another, the JSON name wins.
            sort_keys(&mut keys, &mut |a, b| match (unsorted.get(a as usize), unsorted.get(b as usize)) {
                (Some(a), Some(b)) => {
                    let order = self.order(a, self.text(b.text).as_bytes());
                    order.then(is_own(a).cmp(&is_own(b))).then(a.field.cmp(&b.field))
                }
                _ => Ordering::Equal,
            });
            for (place, &key) in names.iter_mut().skip(start).zip(&keys) {
                *place = unsorted.get(key as u32 as usize).copied().unwrap_or(*place);
            }
            let names = IndexRange { start: start as u32, end: names.len() as u32 };
            let start = fields.len();
            let program = self.programs.program(index as u32);
            let in_order =
                (0..message.fields.len()).filter_map(|at| message.field(program.field_of(at) as u32));
            for (field, entry) in in_order.zip(program.entries()).take(message.fields.len()) {
                let plain = !entry.flags.is_special() && !entry.flags.is_list() && !entry.coding.is_message();
                fields.push(FieldFormat { plain, ..self.field_format(index as u32, field, &mut labels) });
            }
            let flat = fields.get(start..).is_some_and(|run| run.iter().all(|field| field.plain));
            let fields = IndexRange { start: start as u32, end: fields.len() as u32 };
            let known = well_known(self, index as u32);
            formats.push(FormatData { names, fields, known, flat: flat && known == WellKnown::None });
        }
        room.drop_list(unsorted);
        room.drop_list(keys);
        self.mark_flat(&formats, &mut fields);
        labels.extend([0; WINDOW]);
        self.sorted_reserved_names = self.sort_reserved_names(room)?;
        (self.formats, self.field_names, self.field_formats, self.labels) = (formats, names, fields, labels);
        Ok(())
    }

    /// Marks the fields whose messages are flat.
    fn mark_flat(&self, formats: &[FormatData], fields: &mut [FieldFormat]) {
        for (index, message) in formats.iter().enumerate() {
            let IndexRange { start, end } = message.fields;
            let run = fields.get_mut(start as usize..end as usize).unwrap_or_default();
            for (field, entry) in run.iter_mut().zip(self.programs.program(index as u32).entries()) {
                let sub = || self.programs.program(entry.sub).message() as usize;
                if entry.coding.is_message() && formats.get(sub()).is_some_and(|format| format.flat) {
                    field.marks |= FieldFormat::FLAT;
                }
            }
        }
    }

    /// Whether two texts are the same; mostly they are stored once.
    fn same(&self, a: TextRange, b: TextRange) -> bool {
        a == b || self.text(a) == self.text(b)
    }

    /// How the name of a field compares with another text.
    fn order(&self, name: &FieldName, text: &[u8]) -> Ordering {
        self.text_order(name.text, text)
    }

    /// How a name compares with another text: by length and then by bytes.
    pub(in crate::schema::pool) fn text_order(&self, name: TextRange, text: &[u8]) -> Ordering {
        let (_, len) = name.place();
        len.cmp(&text.len()).then_with(|| self.text(name).as_bytes().cmp(text))
    }

    /// The name in JSON, if it can be a label.
    fn label(&self, field: &FieldData) -> &str {
        let plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\';
        let name = self.text(field.json_name);
        if name.len() < usize::from(u16::MAX) - 4 && name.bytes().all(plain) { name } else { "" }
    }

    /// The format of a field, whose label goes to `labels`; there is room.
    fn field_format(&self, message: u32, field: &FieldData, labels: &mut Vec<u8>) -> FieldFormat {
        let start = labels.len();
        let name = self.label(field);
        if !name.is_empty() {
            for part in [",\"", name, "\":"] {
                labels.extend_from_slice(part.as_bytes());
            }
        }
        let enumeration = match field.kind {
            Kind::Enum(index) => index,
            _ => u32::MAX,
        };
        let mut marks = if self.is_null_value(enumeration) { FieldFormat::NULL } else { 0 };
        if field.extension != NONE || self.group_name(message, field).is_some() {
            marks |= FieldFormat::RENAMED;
        }
        FieldFormat {
            json: field.json_name,
            own: field.name.local(),
            enumeration,
            label: start as u32,
            label_len: (labels.len() - start) as u16,
            marks,
            plain: false,
        }
    }

    /// Whether an enum is `google.protobuf.NullValue`.
    fn is_null_value(&self, enumeration: u32) -> bool {
        let found = self.enums.get(enumeration as usize);
        found.is_some_and(|e| self.text(e.name.full()) == "google.protobuf.NullValue")
    }
}

fn well_known(data: &PoolData, index: u32) -> WellKnown {
    let name = data.messages.get(index as usize).map_or("", |m| data.text(m.name.full()));
    let Some(name) = name.strip_prefix("google.protobuf.") else { return WellKnown::None };
    let (known, fits) = match name {
        "Any" => (WellKnown::Any, ANY),
        "Timestamp" => (WellKnown::Timestamp, TIME),
        "Duration" => (WellKnown::Duration, TIME),
        "FieldMask" => (WellKnown::FieldMask, MASK),
        "Struct" => (WellKnown::Struct, STRUCT),
        "Value" => (WellKnown::Value, VALUE),
        "ListValue" => (WellKnown::ListValue, LIST),
        "DoubleValue" => (WellKnown::Wrapper, &[Form::One(Scalar::F64)][..]),
        "FloatValue" => (WellKnown::Wrapper, &[Form::One(Scalar::F32)][..]),
        "Int64Value" => (WellKnown::Wrapper, &[Form::One(Scalar::I64)][..]),
        "UInt64Value" => (WellKnown::Wrapper, &[Form::One(Scalar::U64)][..]),
        "Int32Value" => (WellKnown::Wrapper, &[Form::One(Scalar::I32)][..]),
        "UInt32Value" => (WellKnown::Wrapper, &[Form::One(Scalar::U32)][..]),
        "BoolValue" => (WellKnown::Wrapper, &[Form::One(Scalar::Bool)][..]),
        "StringValue" => (WellKnown::Wrapper, &[Form::One(Scalar::String)][..]),
        "BytesValue" => (WellKnown::Wrapper, &[Form::One(Scalar::Bytes)][..]),
        _ => return WellKnown::None,
    };
    let program = data.programs.program(index);
    let fits = has_forms(data, &data.programs, program, fits) && has_oneofs(program, known);
    if fits { known } else { WellKnown::None }
}

/// Whether the fields can be set together as in the well-known type: one of those of `Value`, all of those of any other.
fn has_oneofs(program: &Program, known: WellKnown) -> bool {
    let entries = program.entries();
    let mut pairs = entries.iter().zip(entries.iter().skip(1));
    let exclude = |(a, b): (&FieldEntry, &FieldEntry)| a.oneof == b.oneof && a.oneof != 0;
    if known == WellKnown::Value { pairs.all(exclude) } else { !pairs.any(exclude) }
}

/// What a field of a well-known type is.
#[derive(Clone, Copy)]
enum Form {
    One(Scalar),
    Many(Scalar),
    Message(&'static str),
    Messages(&'static str),
    Map(&'static str),
}

const ANY: &[Form] = &[Form::One(Scalar::String), Form::One(Scalar::Bytes)];
const TIME: &[Form] = &[Form::One(Scalar::I64), Form::One(Scalar::I32)];
const MASK: &[Form] = &[Form::Many(Scalar::String)];
const STRUCT: &[Form] = &[Form::Map("google.protobuf.Value")];
const VALUE: &[Form] = &[
    Form::One(Scalar::Enum),
    Form::One(Scalar::F64),
    Form::One(Scalar::String),
    Form::One(Scalar::Bool),
    Form::Message("google.protobuf.Struct"),
    Form::Message("google.protobuf.ListValue"),
];
const LIST: &[Form] = &[Form::Messages("google.protobuf.Value")];

/// Whether a message has just these fields, from number 1 on.
fn has_forms(data: &PoolData, set: &ProgramSet, program: &Program, forms: &[Form]) -> bool {
    let entries = program.entries();
    let is = |sub: u32, name: &str| {
        let message = data.messages.get(set.program(sub).message() as usize);
        message.is_some_and(|m| data.text(m.name.full()) == name)
    };
    let scalar = |entry: &FieldEntry, scalar: Scalar| !entry.coding.is_message() && entry.scalar() == scalar;
    !program.is_wide()
        && entries.len() == forms.len()
        && entries.iter().zip(forms).zip(1..).all(|((entry, form), number)| {
            let (list, map) = (entry.flags.is_list(), entry.flags.is_map());
            let message = entry.coding == Coding::Message;
            entry.number() == number
                && match *form {
                    Form::One(kind) => !list && scalar(entry, kind),
                    Form::Many(kind) => list && scalar(entry, kind),
                    Form::Message(name) => !list && message && is(entry.sub, name),
                    Form::Messages(name) => list && !map && message && is(entry.sub, name),
                    Form::Map(name) => match set.program(entry.sub).entries() {
                        [key, value] if map => {
                            scalar(key, Scalar::String)
                                && value.coding == Coding::Message
                                && is(value.sub, name)
                        }
                        _ => false,
                    },
                }
        })
}

/// Accessors for `json/` and other text formats.
#[cfg_attr(not(feature = "json"), allow(dead_code, reason = "for a format"))]
impl DescriptorPool {
    /// Which well-known type a message is.
    #[inline]
    pub(crate) fn well_known(&self, message: u32) -> WellKnown {
        self.data().formats.get(message as usize).map_or(WellKnown::None, |f| f.known)
    }

    /// The fields of a message.
    #[inline]
    pub(crate) fn field_formats(&self, message: u32) -> FieldFormats<'_> {
        let data = self.data();
        let run = data.formats.get(message as usize).map_or(IndexRange::default(), |f| f.fields);
        FieldFormats {
            fields: run.of(&data.field_formats),
            text: data.names.as_bytes(),
            labels: &data.labels,
        }
    }

    /// The field of this JSON name, or of this name in the schema; an extension by its full name in brackets. Gives its position
    /// in the fields of the message.
    pub(crate) fn field_by_any_name(&self, message: u32, name: &[u8]) -> Option<u32> {
        let data = self.data();
        let names = data.formats.get(message as usize)?.names.of(&data.field_names);
        let at = names.partition_point(|n| data.order(n, name) == Ordering::Less);
        let found = names.get(at).filter(|n| data.text(n.text).as_bytes() == name)?;
        Some(found.field)
    }

    /// Whether an enum is `google.protobuf.NullValue`.
    #[cfg(feature = "serde")]
    pub(crate) fn is_null_value(&self, enumeration: u32) -> bool {
        self.data().is_null_value(enumeration)
    }

    /// The number that an enum's value of this name has.
    pub(crate) fn enum_number(&self, enumeration: u32, name: &str) -> Option<i32> {
        let data = self.data();
        let at = data.enum_value(enumeration, name)?;
        data.values(enumeration).get(at as usize).map(|v| v.number)
    }

    /// The number that an enum's value of this name has, or the one whose options give it this JSON name; or the name is a number,
    /// which a closed enum has to list.
    pub(crate) fn json_enum_number(&self, enumeration: u32, name: &str) -> Option<i32> {
        self.enum_number(enumeration, name).or_else(|| {
            let data = self.data();
            if let Some(at) = data.value_of_json(enumeration, name) {
                return data.values(enumeration).get(at as usize).map(|v| v.number);
            }
            // As JSON writes it: no `+5`, no `05`.
            let digits = name.strip_prefix('-').unwrap_or(name);
            if digits != "0" && !digits.starts_with(|first| matches!(first, '1'..='9')) {
                return None;
            }
            let number = name.parse().ok()?;
            let open = !data.enums.get(enumeration as usize)?.closed;
            (open || data.value_position(enumeration, number).is_some()).then_some(number)
        })
    }

    /// The JSON name that the options of the enum value with this number give it.
    #[inline]
    pub(crate) fn enum_json_name(&self, enumeration: u32, number: i32) -> Option<&str> {
        let data = self.data();
        if data.json_values.is_empty() {
            return None;
        }
        data.json_value(enumeration, data.value_position(enumeration, number)?)
    }

    /// The name of the first value of an enum with this number.
    #[inline]
    pub(crate) fn enum_name(&self, enumeration: u32, number: i32) -> Option<&str> {
        let data = self.data();
        let values = data.values(enumeration);
        // Most enums list 0, 1, 2 and so on.
        let guess = values.get(number as usize).filter(|v| v.number == number);
        let value = match guess {
            Some(value) if !data.enums.get(enumeration as usize)?.allow_alias => value,
            _ => values.get(data.value_position(enumeration, number)? as usize)?,
        };
        Some(data.text(value.name.local()))
    }
}
