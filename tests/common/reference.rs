//! A protobuf codec that is as plain as it can be: recursive, on sorted maps, one function per thing. It shares no
//! code with the crate under test and says what is right: whether bytes are accepted, what is in them, what is
//! wrong with them and where, and how the message is encoded.
//!
//! Sources: <https://protobuf.dev/programming-guides/encoding/>, the conformance suite, and C++ where both are
//! silent.

use super::schema::{Card, Field, Kind, Message, Schema};
use super::wire::{BYTES, END, START, VARINT, Wire};
use std::collections::{BTreeMap, BTreeSet};
use tablepb::DecodeErrorKind;

/// A message. Only what is set is there; unknown fields are one string of bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Msg {
    pub fields: BTreeMap<u32, Val>,
    pub unknown: Vec<u8>,
}

impl Msg {
    pub fn without_unknown(&self) -> Msg {
        self.map_messages(&|msg| Msg { unknown: Vec::new(), ..msg })
    }

    /// The message with this done to it and to all messages in it, from the inside out.
    pub fn map_messages(&self, change: &impl Fn(Msg) -> Msg) -> Msg {
        let fields = self.fields.iter().map(|(number, value)| (*number, value.map_messages(change)));
        change(Msg { fields: fields.collect(), unknown: self.unknown.clone() })
    }
}

/// A value; numbers as the bits that are kept of them, 32-bit ones without sign extension.
#[derive(Clone, Debug, PartialEq)]
pub enum Val {
    Num(u64),
    Bytes(Vec<u8>),
    Msg(Msg),
    List(Vec<Val>),
    Map(BTreeMap<Key, Val>),
}

impl Val {
    fn map_messages(&self, change: &impl Fn(Msg) -> Msg) -> Val {
        match self {
            Val::Msg(inner) => Val::Msg(inner.map_messages(change)),
            Val::List(list) => Val::List(list.iter().map(|v| v.map_messages(change)).collect()),
            Val::Map(map) => Val::Map(map.iter().map(|(k, v)| (k.clone(), v.map_messages(change))).collect()),
            other => other.clone(),
        }
    }
}

/// A map key, in the order of the deterministic encoding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    Int(i128),
    Text(Vec<u8>),
}

/// What is wrong, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: DecodeErrorKind,
    pub offset: usize,
}

/// What implementations are known to disagree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// A known field with a wire type that its kind does not have.
    WrongWireType,
    /// A number that its closed enum does not list.
    UnlistedEnum,
    /// A string that is not UTF-8 and need not be.
    UncheckedString,
    /// A tag of more than five bytes whose value would be a valid tag.
    OverlongTag,
    /// A length of more than five bytes, or above 2^31-1.
    OverlongLength,
    /// An unknown field that is not a group, as deep as messages may be nested.
    UnknownAtLimit,
    /// A message of MessageSet format.
    MessageSet,
    /// A map entry with more than one value.
    SecondMapValue,
    /// A map field with a wire type other than that of its entries.
    MapWireType,
    /// -0.0 in a field without presence, or in a map.
    NegativeZero,
    /// Left to callers, who know whether it matters: a required field that is not set.
    MissingRequired,
}

/// The decoder.
pub struct Reference<'s> {
    schema: &'s Schema,
    depth_limit: u32,
    pub events: BTreeSet<Event>,
}

/// The message being decoded: how far it reaches and what ends it.
#[derive(Clone, Copy)]
struct Bounds {
    end: usize,
    /// The number of the group, if it is one.
    group: Option<u32>,
    /// Messages and groups around it.
    depth: u32,
    /// Some length, not the end of the input, bounds it.
    bounded: bool,
}

type Decoded<T> = Result<T, Fault>;

fn fault<T>(kind: DecodeErrorKind, offset: usize) -> Decoded<T> {
    Err(Fault { kind, offset })
}

impl<'s> Reference<'s> {
    pub fn new(schema: &'s Schema) -> Self {
        Self { schema, depth_limit: 100, events: BTreeSet::new() }
    }

    pub fn with_depth(self, depth_limit: u32) -> Self {
        Self { depth_limit, ..self }
    }

    /// Decodes a message of this type.
    pub fn decode(&mut self, message: usize, input: &[u8]) -> Decoded<Msg> {
        let mut msg = Msg::default();
        self.merge(message, &mut msg, input)?;
        Ok(msg)
    }

    /// Merges into a message; after a fault, what came before it has been merged.
    pub fn merge(&mut self, message: usize, msg: &mut Msg, input: &[u8]) -> Decoded<()> {
        let bounds = Bounds { end: input.len(), group: None, depth: 0, bounded: false };
        self.fields(message, msg, input, 0, bounds).map(drop)
    }

    /// The fields of a message; gives the position after it.
    fn fields(
        &mut self,
        message: usize,
        msg: &mut Msg,
        input: &[u8],
        mut at: usize,
        bounds: Bounds,
    ) -> Decoded<usize> {
        let this = &self.schema.messages[message];
        loop {
            if at == bounds.end {
                return if bounds.group.is_some() { fault(bounds.short(), at) } else { Ok(at) };
            }
            let start = at;
            let (number, wire_type, behind) = self.tag(input, at, bounds)?;
            at = behind;
            if wire_type == END {
                if bounds.group == Some(number) {
                    return Ok(at);
                }
                return fault(DecodeErrorKind::UnexpectedEndGroup, start);
            }
            if this.message_set && (number, wire_type) == (1, START) {
                self.events.insert(Event::MessageSet);
                at = self.item(message, msg, input, start, at, bounds)?;
                continue;
            }
            match this.field(number) {
                Some(field) if self.fits(field, wire_type) => {
                    at = self.field(this, msg, field, input, (start, at, wire_type), bounds)?;
                }
                known => {
                    if let Some(field) = known {
                        let map = field.card == Card::Map;
                        self.events.insert(if map { Event::MapWireType } else { Event::WrongWireType });
                    }
                    at = self.skip(input, (start, at), number, wire_type, bounds)?;
                    msg.unknown.extend_from_slice(&input[start..at]);
                }
            }
        }
    }

    fn fits(&self, field: &Field, wire_type: u32) -> bool {
        if let Kind::Message(_) = field.kind {
            return wire_type == if field.delimited { START } else { BYTES };
        }
        wire_type == field.kind.wire_type()
            || (field.card == Card::Repeated && field.kind.is_packable() && wire_type == BYTES)
    }

    fn field(
        &mut self,
        owner: &Message,
        msg: &mut Msg,
        field: &Field,
        input: &[u8],
        (start, at, wire_type): (usize, usize, u32),
        bounds: Bounds,
    ) -> Decoded<usize> {
        if field.card == Card::Map {
            return self.map_entry(msg, field, input, start, at, bounds);
        }
        if let Kind::Message(sub) = field.kind {
            let child = self.child(field, input, start, at, bounds)?;
            clear_oneof(owner, msg, field);
            let inner = match (field.card, msg.fields.entry(field.number)) {
                (Card::Repeated, entry) => {
                    let Val::List(list) = entry.or_insert(Val::List(Vec::new())) else { unreachable!() };
                    list.push(Val::Msg(Msg::default()));
                    list.last_mut()
                }
                (_, entry) => Some(entry.or_insert(Val::Msg(Msg::default()))),
            };
            let Some(Val::Msg(inner)) = inner else { unreachable!() };
            return self.fields(sub, inner, input, child.0, child.1);
        }
        if wire_type == BYTES && field.kind.is_packable() {
            return self.packed(owner, msg, field, input, at, bounds);
        }
        let (value, behind) = self.scalar(field, input, at, bounds)?;
        if field.card == Card::Implicit {
            self.look_at_zero(field, &value);
        }
        if self.is_unlisted(field, &value) {
            msg.unknown.extend_from_slice(&input[start..behind]);
            return Ok(behind);
        }
        store(owner, msg, field, value);
        Ok(behind)
    }

    /// Where a sub-message starts, and its bounds.
    fn child(
        &mut self,
        field: &Field,
        input: &[u8],
        start: usize,
        at: usize,
        bounds: Bounds,
    ) -> Decoded<(usize, Bounds)> {
        let (at, end, group) = match field.delimited {
            true => (at, bounds.end, Some(field.number)),
            false => {
                let (end, at) = self.length(input, at, bounds)?;
                (at, end, None)
            }
        };
        if bounds.depth >= self.depth_limit {
            return fault(DecodeErrorKind::DepthExceeded, start);
        }
        let bounded = bounds.bounded || group.is_none();
        Ok((at, Bounds { end, group, depth: bounds.depth + 1, bounded }))
    }

    fn packed(
        &mut self,
        owner: &Message,
        msg: &mut Msg,
        field: &Field,
        input: &[u8],
        at: usize,
        bounds: Bounds,
    ) -> Decoded<usize> {
        let (end, mut at) = self.length(input, at, bounds)?;
        let width = match field.kind.wire_type() {
            1 => 8,
            5 => 4,
            _ => 1,
        };
        if (end - at) % width != 0 {
            return fault(DecodeErrorKind::InvalidPacked, at);
        }
        let bounds = Bounds { end, bounded: true, ..bounds };
        while at < end {
            let start = at;
            let (value, behind) = self.scalar(field, input, at, bounds)?;
            at = behind;
            if self.is_unlisted(field, &value) {
                msg.unknown.extend(Wire::new().tag(field.number, VARINT).raw(&input[start..at]).0);
            } else {
                store(owner, msg, field, value);
            }
        }
        Ok(end)
    }

    fn map_entry(
        &mut self,
        msg: &mut Msg,
        field: &Field,
        input: &[u8],
        start: usize,
        at: usize,
        bounds: Bounds,
    ) -> Decoded<usize> {
        let Kind::Message(entry) = field.kind else { unreachable!() };
        let (mut at, bounds) = self.child(field, input, start, at, bounds)?;
        let entry = &self.schema.messages[entry];
        let mut parts = Msg::default();
        let mut unlisted = false;
        let mut stopped = None;
        while at < bounds.end {
            match self.entry_field(entry, &mut parts, &mut unlisted, input, at, bounds) {
                Ok(behind) => at = behind,
                Err(fault) => {
                    // What is there of the entry is kept, as after the end of any other message.
                    (stopped, unlisted) = (Some(fault), false);
                    break;
                }
            }
        }
        if unlisted {
            msg.unknown.extend_from_slice(&input[start..at]);
            return Ok(at);
        }
        let mut part =
            |i: usize| parts.fields.remove(&(i as u32 + 1)).unwrap_or_else(|| self.zero(&entry.fields[i]));
        let (key, value) = (key_of(&entry.fields[0], part(0)), part(1));
        let map = msg.fields.entry(field.number).or_insert(Val::Map(BTreeMap::new()));
        let Val::Map(map) = map else { unreachable!() };
        map.insert(key, value);
        stopped.map_or(Ok(at), Err)
    }

    /// One field of a map entry; those that are not the key or the value are dropped.
    fn entry_field(
        &mut self,
        entry: &Message,
        parts: &mut Msg,
        unlisted: &mut bool,
        input: &[u8],
        start: usize,
        bounds: Bounds,
    ) -> Decoded<usize> {
        let (number, wire_type, at) = self.tag(input, start, bounds)?;
        if wire_type == END {
            return fault(DecodeErrorKind::UnexpectedEndGroup, start);
        }
        let field = entry.field(number);
        let Some(field) = field.filter(|f| self.fits(f, wire_type)) else {
            if field.is_some() {
                self.events.insert(Event::WrongWireType);
            }
            return self.skip(input, (start, at), number, wire_type, bounds);
        };
        if number == 2 && (*unlisted || parts.fields.contains_key(&2)) {
            self.events.insert(Event::SecondMapValue);
        }
        if let Kind::Message(_) = field.kind {
            return self.field(entry, parts, field, input, (start, at, wire_type), bounds);
        }
        let (value, behind) = self.scalar(field, input, at, bounds)?;
        self.look_at_zero(field, &value);
        if self.is_unlisted(field, &value) {
            *unlisted = true;
        } else {
            *unlisted &= number == 1;
            parts.fields.insert(number, value);
        }
        Ok(behind)
    }

    fn zero(&self, field: &Field) -> Val {
        match field.kind {
            Kind::String | Kind::Bytes => Val::Bytes(Vec::new()),
            Kind::Message(_) => Val::Msg(Msg::default()),
            Kind::Enum(e) => Val::Num(self.schema.enums[e].numbers[0] as u32 as u64),
            _ => Val::Num(0),
        }
    }

    /// A MessageSet item: the first type id and the first payload count, in either order.
    fn item(
        &mut self,
        message: usize,
        msg: &mut Msg,
        input: &[u8],
        start: usize,
        mut at: usize,
        bounds: Bounds,
    ) -> Decoded<usize> {
        if bounds.depth >= self.depth_limit {
            return fault(DecodeErrorKind::DepthExceeded, start);
        }
        let inner = Bounds { group: Some(1), depth: bounds.depth + 1, ..bounds };
        let (mut type_id, mut payload) = (None, None);
        loop {
            let (number, wire_type, value) = self.tag(input, at, inner)?;
            let tag_at = at;
            match (number, wire_type) {
                (1, END) => {
                    at = value;
                    break;
                }
                (_, END) => return fault(DecodeErrorKind::UnexpectedEndGroup, tag_at),
                (2, VARINT) => {
                    let (id, next) = self.varint(input, value, inner)?;
                    let id = id as u32;
                    if id == 0 {
                        return fault(DecodeErrorKind::InvalidFieldNumber, tag_at);
                    }
                    type_id.get_or_insert(id);
                    at = next;
                }
                (3, BYTES) => {
                    let (end, value) = self.length(input, value, inner)?;
                    payload.get_or_insert((value, end));
                    at = end;
                }
                _ => at = self.skip(input, (tag_at, value), number, wire_type, inner)?,
            }
        }
        let this = &self.schema.messages[message];
        let field = type_id.and_then(|id| this.field(id));
        let (Some(field), Some((from, end))) = (field, payload) else {
            msg.unknown.extend_from_slice(&input[start..at]);
            return Ok(at);
        };
        let Kind::Message(sub) = field.kind else { unreachable!() };
        let bounds = Bounds { end, group: None, depth: bounds.depth + 1, bounded: true };
        let Val::Msg(inner) = msg.fields.entry(field.number).or_insert(Val::Msg(Msg::default())) else {
            unreachable!()
        };
        self.fields(sub, inner, input, from, bounds)?;
        Ok(at)
    }

    /// For values that are not written when they are zero.
    fn look_at_zero(&mut self, field: &Field, value: &Val) {
        let negative = match field.kind {
            Kind::Float => 1 << 31,
            Kind::Double => 1 << 63,
            _ => return,
        };
        if *value == Val::Num(negative) {
            self.events.insert(Event::NegativeZero);
        }
    }

    fn is_unlisted(&mut self, field: &Field, value: &Val) -> bool {
        let (Kind::Enum(e), Val::Num(number)) = (field.kind, value) else { return false };
        let unlisted =
            self.schema.enums[e].closed && !self.schema.enums[e].numbers.contains(&(*number as i32));
        if unlisted {
            self.events.insert(Event::UnlistedEnum);
        }
        unlisted
    }

    /// One value that is not a message.
    fn scalar(&mut self, field: &Field, input: &[u8], at: usize, bounds: Bounds) -> Decoded<(Val, usize)> {
        if let Kind::String | Kind::Bytes = field.kind {
            let (end, at) = self.length(input, at, bounds)?;
            let bytes = &input[at..end];
            if field.kind == Kind::String && std::str::from_utf8(bytes).is_err() {
                if field.utf8 {
                    return fault(DecodeErrorKind::InvalidUtf8, at);
                }
                self.events.insert(Event::UncheckedString);
            }
            return Ok((Val::Bytes(bytes.to_vec()), end));
        }
        let (bits, behind) = match field.kind.wire_type() {
            0 => self.varint(input, at, bounds)?,
            wire_type => fixed(input, at, wire_type, bounds)?,
        };
        let value = match field.kind {
            Kind::Bool => (bits != 0).into(),
            Kind::Sint32 => ((bits as u32 >> 1) as i32 ^ -(bits as i32 & 1)) as u32 as u64,
            Kind::Sint64 => ((bits >> 1) as i64 ^ -(bits as i64 & 1)) as u64,
            kind if kind.is_32_bit() => bits as u32 as u64,
            _ => bits,
        };
        Ok((Val::Num(value), behind))
    }

    /// A value of which only the extent matters; `from` is the start of its tag.
    fn skip(
        &mut self,
        input: &[u8],
        (from, mut at): (usize, usize),
        number: u32,
        wire_type: u32,
        bounds: Bounds,
    ) -> Decoded<usize> {
        let at_limit = bounds.depth >= self.depth_limit;
        match wire_type {
            START if at_limit => return fault(DecodeErrorKind::DepthExceeded, from),
            START => {}
            _ if at_limit => _ = self.events.insert(Event::UnknownAtLimit),
            _ => {}
        }
        match wire_type {
            VARINT => return Ok(self.varint(input, at, bounds)?.1),
            BYTES => return Ok(self.length(input, at, bounds)?.0),
            START => {}
            wire_type => return Ok(fixed(input, at, wire_type, bounds)?.1),
        }
        let inner = Bounds { depth: bounds.depth + 1, ..bounds };
        loop {
            let start = at;
            let (next, wire_type, value) = self.tag(input, at, bounds)?;
            if wire_type == END && next == number {
                return Ok(value);
            } else if wire_type == END {
                return fault(DecodeErrorKind::UnexpectedEndGroup, start);
            }
            at = self.skip(input, (start, value), next, wire_type, inner)?;
        }
    }

    fn tag(&mut self, input: &[u8], at: usize, bounds: Bounds) -> Decoded<(u32, u32, usize)> {
        let limit = u32::MAX.into();
        let (bits, behind) = match long(input, at, bounds, 5, limit, DecodeErrorKind::InvalidTag) {
            Err(found) => {
                let lenient = long(input, at, bounds, 10, limit, DecodeErrorKind::InvalidTag);
                if found.kind == DecodeErrorKind::InvalidTag && lenient.is_ok() {
                    self.events.insert(Event::OverlongTag);
                }
                return Err(found);
            }
            Ok(found) => found,
        };
        let (number, wire_type) = ((bits >> 3) as u32, bits as u32 & 7);
        if number == 0 {
            return fault(DecodeErrorKind::InvalidFieldNumber, at);
        }
        if wire_type > 5 {
            return fault(DecodeErrorKind::InvalidWireType, at);
        }
        Ok((number, wire_type, behind))
    }

    /// The end of what a length announces, and its start.
    fn length(&mut self, input: &[u8], at: usize, bounds: Bounds) -> Decoded<(usize, usize)> {
        let too_long = DecodeErrorKind::InvalidLength;
        let (len, start) = match long(input, at, bounds, 5, i32::MAX as u64, too_long) {
            Err(found) if found.kind == too_long => {
                self.events.insert(Event::OverlongLength);
                return Err(found);
            }
            other => other?,
        };
        if len > (bounds.end - start) as u64 {
            return fault(bounds.short(), at);
        }
        Ok((start + len as usize, start))
    }

    fn varint(&mut self, input: &[u8], at: usize, bounds: Bounds) -> Decoded<(u64, usize)> {
        long(input, at, bounds, 10, u64::MAX, DecodeErrorKind::VarintOverflow)
    }
}

impl Bounds {
    /// What it is called when the bytes end too early.
    fn short(&self) -> DecodeErrorKind {
        if self.bounded { DecodeErrorKind::Overrun } else { DecodeErrorKind::Incomplete }
    }
}

/// A varint of at most `most` bytes and at most `limit`.
fn long(
    input: &[u8],
    at: usize,
    bounds: Bounds,
    most: usize,
    limit: u64,
    too_long: DecodeErrorKind,
) -> Decoded<(u64, usize)> {
    let mut value = 0u128;
    for i in 0..most {
        if at + i >= bounds.end {
            return fault(bounds.short(), at);
        }
        let byte = input[at + i];
        value |= u128::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            return if value > limit.into() { fault(too_long, at) } else { Ok((value as u64, at + i + 1)) };
        }
    }
    fault(too_long, at)
}

fn fixed(input: &[u8], at: usize, wire_type: u32, bounds: Bounds) -> Decoded<(u64, usize)> {
    let width = if wire_type == 1 { 8 } else { 4 };
    if bounds.end - at < width {
        return fault(bounds.short(), at);
    }
    let value = input[at..at + width].iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
    Ok((value, at + width))
}

/// Unsets the other members of the field's oneof.
fn clear_oneof(owner: &Message, msg: &mut Msg, field: &Field) {
    if field.oneof.is_some() {
        for other in owner.fields.iter().filter(|o| o.oneof == field.oneof && o.number != field.number) {
            msg.fields.remove(&other.number);
        }
    }
}

fn store(owner: &Message, msg: &mut Msg, field: &Field, value: Val) {
    clear_oneof(owner, msg, field);
    match field.card {
        Card::Repeated => {
            let Val::List(list) = msg.fields.entry(field.number).or_insert(Val::List(Vec::new())) else {
                unreachable!()
            };
            list.push(value);
        }
        Card::Implicit if value == Val::Num(0) || value == Val::Bytes(Vec::new()) => {
            msg.fields.remove(&field.number);
        }
        _ => {
            msg.fields.insert(field.number, value);
        }
    }
}

fn key_of(field: &Field, value: Val) -> Key {
    match value {
        Val::Bytes(bytes) => Key::Text(bytes),
        Val::Num(bits) if field.kind.is_signed() && field.kind.is_32_bit() => Key::Int((bits as i32).into()),
        Val::Num(bits) if field.kind.is_signed() => Key::Int((bits as i64).into()),
        Val::Num(bits) => Key::Int(bits.into()),
        _ => unreachable!("a key is a number or a string"),
    }
}

/// The deterministic encoding: fields in number order, maps in key order, unknown fields last.
pub fn encode(schema: &Schema, message: usize, msg: &Msg) -> Vec<u8> {
    let mut out = Wire::new();
    let this = &schema.messages[message];
    for (&number, value) in &msg.fields {
        let field = this.field(number).expect("a field of the message");
        out = match (value, field.kind) {
            (Val::Msg(inner), Kind::Message(sub)) if this.message_set => {
                let item = Wire::new().int(2, number.into()).bytes(3, encode(schema, sub, inner));
                out.group(1, item)
            }
            (Val::Map(map), Kind::Message(entry)) => map.iter().fold(out, |out, (key, value)| {
                let parts = &schema.messages[entry].fields;
                let key = match key {
                    Key::Text(bytes) => Val::Bytes(bytes.clone()),
                    Key::Int(value) => Val::Num(match parts[0].kind.is_32_bit() {
                        true => *value as u32 as u64,
                        false => *value as u64,
                    }),
                };
                out.message(number, one(schema, &parts[1], value, one(schema, &parts[0], &key, Wire::new())))
            }),
            (Val::List(list), _) if field.packed => {
                if list.is_empty() {
                    out
                } else {
                    out.bytes(number, list.iter().fold(Wire::new(), |out, v| bare(field, v, out)).0)
                }
            }
            (Val::List(list), _) => list.iter().fold(out, |out, v| one(schema, field, v, out)),
            (value, _) => one(schema, field, value, out),
        };
    }
    out.raw(&msg.unknown).0
}

/// One value behind its tag.
fn one(schema: &Schema, field: &Field, value: &Val, out: Wire) -> Wire {
    match (value, field.kind) {
        (Val::Bytes(bytes), _) => out.bytes(field.number, bytes),
        (Val::Msg(inner), Kind::Message(sub)) if field.delimited => {
            out.group(field.number, Wire(encode(schema, sub, inner)))
        }
        (Val::Msg(inner), Kind::Message(sub)) => out.bytes(field.number, encode(schema, sub, inner)),
        (number, kind) => bare(field, number, out.tag(field.number, kind.wire_type())),
    }
}

/// A number without a tag.
fn bare(field: &Field, value: &Val, out: Wire) -> Wire {
    let Val::Num(bits) = *value else { unreachable!() };
    match field.kind {
        Kind::Float | Kind::Fixed32 | Kind::Sfixed32 => out.raw(&(bits as u32).to_le_bytes()),
        Kind::Double | Kind::Fixed64 | Kind::Sfixed64 => out.raw(&bits.to_le_bytes()),
        Kind::Int32 | Kind::Enum(_) => out.varint(bits as i32 as i64 as u64),
        Kind::Sint32 => out.varint(((bits as i32) << 1 ^ bits as i32 >> 31) as u32 as u64),
        Kind::Sint64 => out.varint(((bits as i64) << 1 ^ bits as i64 >> 63) as u64),
        _ => out.varint(bits),
    }
}

/// Whether all required fields are set, everywhere.
pub fn is_initialized(schema: &Schema, message: usize, msg: &Msg) -> bool {
    let this = &schema.messages[message];
    let all = |value: &Val, kind| match (value, kind) {
        (Val::Msg(inner), Kind::Message(sub)) => is_initialized(schema, sub, inner),
        _ => true,
    };
    this.fields.iter().all(|field| match msg.fields.get(&field.number) {
        None => field.card != Card::Required,
        Some(Val::List(list)) => list.iter().all(|v| all(v, field.kind)),
        Some(Val::Map(map)) => {
            let Kind::Message(entry) = field.kind else { unreachable!() };
            map.values().all(|v| all(v, schema.messages[entry].fields[1].kind))
        }
        Some(value) => all(value, field.kind),
    })
}
