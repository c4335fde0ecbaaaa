//! Structs straight to JSON text.
//!
//! ```text
//! object of a message: for each field that is set: comma and name, prebuilt, and
//!     a scalar, a list or a map:  all of it
//!     a message:                  its object, one level deeper
//! ```
//!
//! Whatever is an error in JSON, or is kept as bytes, or could be read in two ways, stops the printer. The message is then
//! printed by way of a dynamic message (`json.rs`), whose result counts: so errors and rare forms exist once.

use crate::formats::json::{JsonStyle, Printer, put_whole};
use crate::formats::numbers::{encode_base64, put_element, put_i64, put_quoted_i64, put_quoted_u64, put_u64};
use crate::formats::print::Style;
use crate::schema::pool::{FieldFormats, FieldRef, MessageDescriptor, WellKnown};
use crate::schema::program::{FieldEntry, Program};
use crate::schema::table::{DefaultValue, TableKind};
use crate::structs::decode::stack::StackBound;
use crate::structs::encode::visit_fields;
use crate::structs::grammar::kinds::{KindMarker, ScalarKind, WireSpec};
use crate::structs::members::field::ScalarValue;
use crate::structs::walk::show::{MemberSink, ShowValue, is_listed};
use crate::structs::{EncodeField, EncodeValue, Message, VisitFields};
use crate::wire::output::buffer::sealed::RawBuffer;
use crate::wire::{DEFAULT_DEPTH, Reader, WireType, unzigzag32, unzigzag64};
use core::mem::replace;

/// State of one pass.
pub struct StructPrinter<'p, 'b> {
    json: JsonStyle<'p, 'b>,
    /// The message, or the map entry, that the current field belongs to.
    object: Object<'p>,
    /// How many objects and lists are open.
    level: u32,
    depth_left: u32,
    stack: StackBound,
    /// Fields without presence are printed if they are not set, too.
    all: bool,
    /// The rest is not printed.
    stopped: bool,
}

/// Where in a message the printer is.
#[derive(Clone, Copy)]
struct Object<'p> {
    program: &'p Program,
    names: FieldFormats<'p>,
    /// The current field.
    position: usize,
    /// The first position where the next field can be.
    next: usize,
    /// Nothing has been printed inside.
    first: bool,
    /// Keys are labels, written as they are.
    plain: bool,
    /// The JSON of the message is that of its only field.
    bare: bool,
    /// The message is a `google.protobuf.Value`.
    value: bool,
}

impl<'p> Object<'p> {
    #[inline(always)]
    fn new(json: &JsonStyle<'p, '_>, program: u32) -> Self {
        let program = json.pool.programs().program(program);
        let (names, plain) = (json.pool.field_formats(program.message()), json.plain);
        Self { program, names, position: 0, next: 0, first: true, plain, bare: false, value: false }
    }

    fn entry(&self) -> Option<&'p FieldEntry> {
        self.program.entries().get(self.position)
    }
}

/// Appends a message as JSON. Gives false if the printer stopped; the buffer has its old length then.
pub(in crate::structs) fn print<M: Message>(
    message: &M,
    descriptor: &MessageDescriptor,
    buffer: &mut dyn RawBuffer,
    options: &Printer,
) -> bool {
    let (pool, index) = (descriptor.parent_pool(), descriptor.index());
    let json = JsonStyle::new(pool, options, buffer);
    let object = Object::new(&json, index);
    let mut printer = StructPrinter {
        json,
        object,
        level: 0,
        depth_left: DEFAULT_DEPTH,
        stack: StackBound::here(),
        all: !options.skip_default_fields,
        stopped: false,
    };
    printer.body(message, index);
    if printer.has_stopped() {
        printer.json.out.abandon();
        return false;
    }
    printer.json.out.finish().is_ok()
}

/// A scalar by its value in JSON.
enum Plain {
    Signed(i64),
    Unsigned(u64),
    Signed64(i64),
    Unsigned64(u64),
    Double(f64),
    Float(f32),
    Bool(bool),
    Enum(i32),
}

impl Plain {
    /// The value of these bits, as [`ScalarValue::to_raw`] gives them.
    #[inline(always)]
    fn of<K: ScalarKind>(raw: u64) -> Self {
        match K::VALUE {
            TableKind::Int32 | TableKind::Sfixed32 => Self::Signed(i64::from(raw as i32)),
            TableKind::Sint32 => Self::Signed(unzigzag32(raw as u32).into()),
            TableKind::Uint32 | TableKind::Fixed32 => Self::Unsigned(u64::from(raw as u32)),
            TableKind::Int64 | TableKind::Sfixed64 => Self::Signed64(raw as i64),
            TableKind::Sint64 => Self::Signed64(unzigzag64(raw)),
            TableKind::Double => Self::Double(f64::from_bits(raw)),
            TableKind::Float => Self::Float(f32::from_bits(raw as u32)),
            TableKind::Bool => Self::Bool(raw != 0),
            TableKind::Enum(_) => Self::Enum(raw as i32),
            _ => Self::Unsigned64(raw),
        }
    }

    #[inline(always)]
    fn print(self, printer: &mut StructPrinter<'_, '_>) {
        let (quoted, in_value) = (printer.json.options.stringify_64_bit_integers, printer.is_in_value());
        let json = &mut printer.json;
        match self {
            Self::Signed64(value) if quoted => put_quoted_i64(&mut json.out, value),
            Self::Unsigned64(value) if quoted => put_quoted_u64(&mut json.out, value),
            Self::Signed(value) | Self::Signed64(value) => put_i64(&mut json.out, value),
            Self::Unsigned(value) | Self::Unsigned64(value) => put_u64(&mut json.out, value),
            Self::Float(value) => json.float(value),
            // A `google.protobuf.Value` holds finite numbers only.
            Self::Double(value) if !value.is_finite() && in_value => printer.stop(),
            Self::Double(value) => json.double(value),
            Self::Bool(true) => json.out.array(b"true"),
            Self::Bool(false) => json.out.array(b"false"),
            Self::Enum(_) if in_value => json.out.array(b"null"),
            Self::Enum(number) => {
                let field = printer.place();
                printer.json.enumeration(field, number);
            }
        }
    }

    /// An element on one line, after a bracket or comma.
    #[inline(always)]
    fn print_after(self, lead: u8, printer: &mut StructPrinter<'_, '_>) {
        let quoted = printer.json.options.stringify_64_bit_integers;
        let out = &mut printer.json.out;
        match self {
            Self::Signed64(value) if quoted => put_element::<true>(out, lead, value.into()),
            Self::Unsigned64(value) if quoted => put_element::<true>(out, lead, value.into()),
            Self::Signed(value) | Self::Signed64(value) => put_element::<false>(out, lead, value.into()),
            Self::Unsigned(value) | Self::Unsigned64(value) => put_element::<false>(out, lead, value.into()),
            other => {
                out.byte(lead);
                other.print(printer);
            }
        }
    }
}

impl<'p> StructPrinter<'p, '_> {
    #[inline]
    fn has_stopped(&self) -> bool {
        self.stopped || self.json.out.has_failed()
    }

    /// The current field.
    #[inline]
    fn place(&self) -> (FieldFormats<'p>, usize) {
        (self.object.names, self.object.position)
    }

    /// Whether the current field is one of a `google.protobuf.Value`.
    #[inline]
    fn is_in_value(&self) -> bool {
        self.object.value
    }

    /// Goes to the field with this number, which is `next` unless oneofs come before it. Fields come in the order of their
    /// numbers, so each is passed over once.
    #[inline(always)]
    fn seek(&mut self, number: u32) {
        let object = &mut self.object;
        let mut position = object.next;
        while object.program.entries().get(position).is_some_and(|entry| entry.number() != number) {
            position += 1;
        }
        (object.position, object.next) = (position, position + 1);
    }

    /// Goes to a field that is set, and prints its key.
    #[inline(always)]
    fn key(&mut self, number: u32) {
        self.seek(number);
        let object = &mut self.object;
        let first = replace(&mut object.first, false);
        match object.names.label(object.position).filter(|_| object.plain) {
            // The comma is the first byte of the label.
            Some((label, len)) => {
                let skip = usize::from(first);
                self.json.out.part(label.get(skip..).unwrap_or_default(), len - skip);
            }
            None => self.odd_key(first),
        }
    }

    #[inline(never)]
    fn odd_key(&mut self, first: bool) {
        if !self.object.bare {
            self.json.odd_name((self.object.names, self.object.position), first, self.level);
        }
    }

    /// Goes past a field that is not set.
    #[inline(always)]
    fn pass(&mut self, number: u32) {
        if self.all {
            self.unset(number);
        } else {
            self.object.next += 1;
        }
    }

    /// A field that is not set, which is printed if it has no presence.
    #[inline(never)]
    fn unset(&mut self, number: u32) {
        if self.object.bare {
            return;
        }
        self.seek(number);
        let Some(entry) = self.object.entry() else { return self.stop() };
        if !entry.flags.is_list() && !entry.flags.is_implicit() {
            return;
        }
        self.object.next = self.object.position;
        self.key(number);
        if entry.flags.is_map() {
            self.json.out.array(b"{}");
        } else if entry.flags.is_list() {
            self.json.out.array(b"[]");
        } else {
            self.default(entry);
        }
    }

    /// The value that the current field has while it is not set.
    fn default(&mut self, entry: &FieldEntry) {
        let Object { program, position, .. } = self.object;
        let (message, field) = (program.message(), program.field_of(position) as u16);
        self.json.default(FieldRef::at(self.json.pool, message, field, position as u16), entry);
    }

    /// A message, of the type that this program is of.
    #[inline(never)]
    fn body<M: Message>(&mut self, message: &M, program: u32) {
        let outer = replace(&mut self.object, Object::new(&self.json, program));
        match self.json.pool.well_known(self.object.program.message()) {
            WellKnown::None => {
                self.json.out.byte(b'{');
                self.level += 1;
                visit_fields(message, self);
                self.level -= 1;
                if self.json.options.pretty && !self.object.first {
                    self.json.line(self.level);
                }
                self.json.out.byte(b'}');
            }
            known @ (WellKnown::Timestamp | WellKnown::Duration) => self.time(message, known),
            WellKnown::Any | WellKnown::FieldMask => self.stop(),
            known => self.bare(message, known),
        }
        self.object = outer;
    }

    /// A message whose JSON is that of its only field.
    fn bare<M: Message>(&mut self, message: &M, known: WellKnown) {
        let value = known == WellKnown::Value;
        (self.object.plain, self.object.bare, self.object.value) = (false, true, value);
        visit_fields(message, self);
        if !self.object.first {
            return;
        }
        match known {
            WellKnown::Struct => self.json.out.array(b"{}"),
            WellKnown::ListValue => self.json.out.array(b"[]"),
            WellKnown::Value => self.json.out.array(b"null"),
            _ => {
                self.object.position = 0;
                match self.object.entry() {
                    Some(entry) => self.default(entry),
                    None => self.stop(),
                }
            }
        }
    }

    /// A message of seconds and nanoseconds.
    fn time<M: Message>(&mut self, message: &M, known: WellKnown) {
        let mut buffer = [0; TIME_LEN];
        let len = message.encode_to_slice(&mut buffer);
        let time = len.ok().and_then(|len| seconds_and_nanos(buffer.get(..len)?));
        if time.is_none_or(|(seconds, nanos)| self.json.time(known, seconds, nanos).is_err()) {
            self.stop();
        }
    }

    fn open(&mut self, bracket: u8) {
        self.json.out.byte(bracket);
        self.level += 1;
    }

    /// Goes to the element with this index.
    #[inline]
    fn element(&mut self, at: usize) {
        if at > 0 {
            self.json.out.byte(b',');
        }
        if self.json.options.pretty {
            self.json.line(self.level);
        }
    }

    fn close(&mut self, bracket: u8) {
        self.level -= 1;
        if self.json.options.pretty {
            self.json.line(self.level);
        }
        self.json.out.byte(bracket);
    }

    /// Out of line, so that a message of many fields has little code for each, and none in its frame.
    #[inline(never)]
    fn set<K: KindMarker, F: EncodeField<K>>(&mut self, number: u32, field: &F) {
        self.key(number);
        field.show(self);
    }
}

impl MemberSink for StructPrinter<'_, '_> {
    /// Leaves the message to the printer of dynamic messages.
    #[cold]
    fn stop(&mut self) {
        self.stopped = true;
    }

    #[inline]
    fn scalar<K: ScalarKind>(&mut self, raw: u64) {
        Plain::of::<K>(raw).print(self);
    }

    #[inline]
    fn key<K: ScalarKind>(&mut self, raw: u64) {
        let out = &mut self.json.out;
        match Plain::of::<K>(raw) {
            Plain::Signed(value) | Plain::Signed64(value) => put_quoted_i64(out, value),
            Plain::Unsigned(value) | Plain::Unsigned64(value) => put_quoted_u64(out, value),
            Plain::Bool(true) => out.array(b"\"true\""),
            Plain::Bool(false) => out.array(b"\"false\""),
            // Other kinds cannot be map keys.
            _ => self.stop(),
        }
    }

    fn scalars<K: ScalarKind, T: ScalarValue<K>>(&mut self, list: &[T]) {
        if self.json.options.pretty {
            return self.list(list, |value, printer| ShowValue::<K>::show(value, printer));
        }
        let mut lead = b'[';
        for value in list {
            let raw = value.to_raw();
            if !is_listed::<K, T>(raw) {
                return self.stop();
            }
            Plain::of::<K>(raw).print_after(replace(&mut lead, b','), self);
        }
        self.json.out.byte(b']');
    }

    #[inline]
    fn text(&mut self, text: &str) {
        put_whole(&mut self.json.out, text.as_bytes());
    }

    #[inline]
    fn bytes(&mut self, bytes: &[u8]) {
        let out = &mut self.json.out;
        out.byte(b'"');
        encode_base64(out, bytes);
        out.byte(b'"');
    }

    /// One level deeper.
    fn message<M: Message>(&mut self, message: &M) {
        let Some(entry) = self.object.entry() else { return self.stop() };
        let Some(depth) = self.depth_left.checked_sub(1) else { return self.stop() };
        if !self.stack.has_room() || self.has_stopped() {
            return self.stop();
        }
        self.depth_left = depth;
        self.body(message, entry.sub);
        self.depth_left = depth + 1;
    }

    fn list<T>(&mut self, list: &[T], show: impl Fn(&T, &mut Self)) {
        self.open(b'[');
        for (at, value) in list.iter().enumerate() {
            self.element(at);
            show(value, self);
            if self.has_stopped() {
                return;
            }
        }
        self.close(b']');
    }

    /// Entries count as messages.
    fn map<'m, K: ShowValue<KK> + 'm, V: ShowValue<VK> + 'm, KK: KindMarker, VK: KindMarker>(
        &mut self,
        entries: impl Iterator<Item = (&'m K, &'m V)>,
    ) {
        let Some(entry) = self.object.entry() else { return self.stop() };
        let Some(depth) = self.depth_left.checked_sub(1) else { return self.stop() };
        self.depth_left = depth;
        let outer = replace(&mut self.object, Object::new(&self.json, entry.sub));
        self.open(b'{');
        for (at, (key, value)) in entries.enumerate() {
            self.element(at);
            self.object.position = 0;
            key.show_key(self);
            self.json.colon();
            self.object.position = 1;
            value.show(self);
            if self.has_stopped() {
                return;
            }
        }
        self.close(b'}');
        self.object = outer;
        self.depth_left = depth + 1;
    }
}

impl VisitFields for StructPrinter<'_, '_> {
    #[inline]
    fn field<K: KindMarker, F: EncodeField<K>>(&mut self, spec: WireSpec, field: &F) {
        if field.is_set() {
            self.set::<K, F>(spec.number, field);
        } else {
            self.pass(spec.number);
        }
    }

    #[inline]
    fn field_or<K: KindMarker, F: EncodeField<K>>(
        &mut self,
        default: DefaultValue<'static>,
        spec: WireSpec,
        field: &F,
    ) {
        if field.is_set_or(default) {
            self.set::<K, F>(spec.number, field);
        } else {
            self.pass(spec.number);
        }
    }

    #[inline(never)]
    fn arm<K: KindMarker, T: EncodeValue<K>>(&mut self, spec: WireSpec, value: &T) {
        self.key(spec.number);
        value.show(self);
    }

    fn unknown(&mut self, fields: &[u8]) {
        if !fields.is_empty() && !are_unknown(fields, self.object.program.entries()) {
            self.stop();
        }
    }
}

/// Whether the message has none of these fields: a struct can keep a field that is known, with a number that its enum
/// does not have. What may not be valid counts as known.
#[cold]
fn are_unknown(fields: &[u8], entries: &[FieldEntry]) -> bool {
    let mut reader = Reader::new(fields);
    while let Ok(tag) = reader.next_tag() {
        let Some(tag) = tag else { return true };
        let known = entries.iter().any(|entry| entry.number() == tag.number());
        if known || tag.wire_type() == WireType::StartGroup || reader.skip_field(tag).is_err() {
            return false;
        }
    }
    false
}

/// The most bytes of a message of seconds and nanoseconds.
const TIME_LEN: usize = 22;

/// The fields of an encoded message of seconds and nanoseconds.
fn seconds_and_nanos(fields: &[u8]) -> Option<(i64, i64)> {
    let mut reader = Reader::new(fields);
    let (mut seconds, mut nanos) = (0, 0);
    while let Some(tag) = reader.next_tag().ok()? {
        match (tag.number(), tag.wire_type()) {
            (1, WireType::Varint) => seconds = reader.read_varint().ok()? as i64,
            (2, WireType::Varint) => nanos = i64::from(reader.read_varint().ok()? as i32),
            _ => return None,
        }
    }
    Some((seconds, nanos))
}
