//! Messages into a serializer.

use crate::formats::json::known::{number_of, put_time};
use crate::formats::json::{Printer, of_bytes};
use crate::formats::numbers::{TextOut, camel_paths, encode_base64, type_in_url};
use crate::formats::print::limit;
use crate::message::{Decoder, ListRef, MapKeyRef, MapRef, MessageView, RawMessage, ValueRef};
use crate::schema::pool::{DescriptorPool, FieldRef, MessageDescriptor, WellKnown};
use crate::schema::table;
use crate::wire::error::{EncodeErrorKind as Kind, FieldPath, PathStep};
use crate::wire::options::DecodeOptions;
use ::serde::ser::{Error, Serialize, SerializeMap, SerializeSeq, Serializer};
use alloc::{borrow::Cow, format, string::String, vec::Vec};

/// Serializes a message.
pub(super) fn message<S: Serializer>(
    view: MessageView<'_, '_>,
    serializer: S,
    options: &Printer,
) -> Result<S::Ok, S::Error> {
    let descriptor = view.descriptor();
    MessageAt { view, place: ValuePlace::root(view.pool(), options, descriptor.full_name()) }
        .serialize(serializer)
}

/// A message and where it is.
pub(super) struct MessageAt<'n, 'a, 'i> {
    pub(super) view: MessageView<'a, 'i>,
    pub(super) place: ValuePlace<'n>,
}

impl Serialize for MessageAt<'_, '_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.place.depth > limit() {
            return Err(self.place.fail(Kind::DepthExceeded));
        }
        match self.place.pool.well_known(self.view.raw().program().message()) {
            WellKnown::None => {
                let mut map = serializer.serialize_map(Some(members(self.view, &self.place)))?;
                print_members(self.view, &self.place, &mut map)?;
                map.end()
            }
            known => print_known(self.view, &self.place, known, serializer),
        }
    }
}

/// Calls `print` with each field to print.
fn each_member<E>(
    view: MessageView<'_, '_>,
    place: &ValuePlace<'_>,
    print: &mut dyn FnMut(FieldRef<'_>, ValueRef<'_, '_>) -> Result<(), E>,
) -> Result<(), E> {
    if place.options.skip_default_fields {
        return view.fields().try_for_each(|(field, value)| print(field, value));
    }
    let program = view.raw().program();
    for position in 0..program.entries().len() {
        let message = program.message();
        let field =
            FieldRef::at(place.pool, message, program.field_of(position) as u16, position as u16).to_owned();
        let value = match view.get(&field) {
            Some(value) => value,
            // What has presence is not there, and an extension that is not set is no field of the message.
            None if field.supports_presence() || field.is_extension() => continue,
            None => view.find_field(&field).unwrap_or(ValueRef::Unselected),
        };
        if !matches!(value, ValueRef::Unselected) {
            print(field.as_ref(), value)?;
        }
    }
    Ok(())
}

/// The number of members that a message has.
pub(super) fn members(view: MessageView<'_, '_>, place: &ValuePlace<'_>) -> usize {
    let mut count = 0;
    let _ = each_member(view, place, &mut |_, _| {
        count += 1;
        Ok::<(), ()>(())
    });
    count
}

/// Serializes the fields of a message as members.
pub(super) fn print_members<M: SerializeMap>(
    view: MessageView<'_, '_>,
    place: &ValuePlace<'_>,
    map: &mut M,
) -> Result<(), M::Error> {
    each_member(view, place, &mut |field, value| {
        let own = place.options.use_proto_field_name && !field.is_extension();
        let name = if own { field.name() } else { field.json_name() };
        map.serialize_entry(name, &SerializedField { field, value, place: place.field(field, None) })
    })
}

/// The value of a field and where it is.
pub(super) struct SerializedField<'n, 'a, 'i> {
    /// The field; of a list, for its elements too.
    pub(super) field: FieldRef<'n>,
    pub(super) value: ValueRef<'a, 'i>,
    pub(super) place: ValuePlace<'n>,
}

impl Serialize for SerializedField<'_, '_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let options = self.place.options;
        match self.value {
            ValueRef::Bool(value) => serializer.serialize_bool(value),
            ValueRef::I32(value) => serializer.serialize_i32(value),
            ValueRef::U32(value) => serializer.serialize_u32(value),
            ValueRef::I64(value) if options.stringify_64_bit_integers => serializer.collect_str(&value),
            ValueRef::I64(value) => serializer.serialize_i64(value),
            ValueRef::U64(value) if options.stringify_64_bit_integers => serializer.collect_str(&value),
            ValueRef::U64(value) => serializer.serialize_u64(value),
            ValueRef::F32(value) if value.is_finite() => serializer.serialize_f32(value),
            ValueRef::F32(value) => serializer.serialize_str(special(value.into())),
            ValueRef::F64(value) if value.is_finite() => serializer.serialize_f64(value),
            ValueRef::F64(value) => serializer.serialize_str(special(value)),
            ValueRef::String(text) => serializer.serialize_str(text),
            ValueRef::Bytes(bytes) => self.bytes(bytes, serializer),
            ValueRef::EnumNumber(number) => self.enumeration(number, serializer),
            ValueRef::Message(view) => MessageAt { view, place: self.place.deeper(1) }.serialize(serializer),
            ValueRef::Raw(raw) => self.raw(raw, serializer),
            ValueRef::List(list) => self.list(list, serializer),
            ValueRef::Map(map) => self.map(map, serializer),
            ValueRef::Unselected => serializer.serialize_unit(),
        }
    }
}

/// What JSON has for a number that is not finite.
fn special(value: f64) -> &'static str {
    match value {
        f64::INFINITY => "Infinity",
        f64::NEG_INFINITY => "-Infinity",
        _ => "NaN",
    }
}

impl<'n> SerializedField<'n, '_, '_> {
    /// Base64; of a string, invalid UTF-8 is replaced by U+FFFD.
    fn bytes<S: Serializer>(&self, bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        if matches!(self.field.raw_kind(), table::Kind::String) {
            return serializer.serialize_str(&String::from_utf8_lossy(bytes));
        }
        let text = printed(&self.place, |out| encode_base64(out, bytes))?;
        serializer.serialize_str(&text)
    }

    fn enumeration<S: Serializer>(&self, number: i32, serializer: S) -> Result<S::Ok, S::Error> {
        let pool = self.place.pool;
        let table::Kind::Enum(enumeration) = self.field.raw_kind() else {
            return serializer.serialize_i32(number);
        };
        if pool.is_null_value(enumeration) {
            return serializer.serialize_unit();
        }
        let name = match self.place.options.use_enum_numbers {
            true => None,
            false => pool.enum_json_name(enumeration, number).or(pool.enum_name(enumeration, number)),
        };
        match name {
            Some(name) => serializer.serialize_str(name),
            None => serializer.serialize_i32(number),
        }
    }

    fn raw<S: Serializer>(&self, raw: RawMessage<'_, '_>, serializer: S) -> Result<S::Ok, S::Error> {
        let descriptor = raw.descriptor();
        let mut decoder = decoder(&descriptor, self.place.depth + 1);
        let view = raw.decode(&mut decoder).map_err(|error| self.place.fail(of_bytes(&error)))?;
        MessageAt { view, place: self.place.deeper(1) }.serialize(serializer)
    }

    fn list<S: Serializer>(&self, list: ListRef<'_, '_>, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(list.len()))?;
        for (index, value) in list.iter().enumerate() {
            // The place names the field already: it is that of the list.
            let place = self.place.element(index);
            seq.serialize_element(&SerializedField { field: self.field, value, place })?;
        }
        seq.end()
    }

    fn map<S: Serializer>(&self, map: MapRef<'_, '_>, serializer: S) -> Result<S::Ok, S::Error> {
        let table::Kind::Message(entry) = self.field.raw_kind() else { return serializer.serialize_unit() };
        let entry = value_field(self.place.pool, entry);
        let mut members = serializer.serialize_map(Some(map.len()))?;
        for (key, value) in map {
            // A message in a map is in an entry.
            let place = self.place.deeper(1);
            members.serialize_entry(&*key_text(key), &SerializedField { field: entry, value, place })?;
        }
        members.end()
    }
}

/// The value of a map entry.
fn value_field(pool: &DescriptorPool, entry: u32) -> FieldRef<'_> {
    let program = pool.programs().program(entry);
    FieldRef::at(pool, entry, program.field_of(1) as u16, 1)
}

fn key_text(key: MapKeyRef<'_>) -> Cow<'_, str> {
    use alloc::string::ToString;
    match key {
        MapKeyRef::Bool(key) => Cow::Borrowed(if key { "true" } else { "false" }),
        MapKeyRef::I32(key) => key.to_string().into(),
        MapKeyRef::I64(key) => key.to_string().into(),
        MapKeyRef::U32(key) => key.to_string().into(),
        MapKeyRef::U64(key) => key.to_string().into(),
        MapKeyRef::String(key) => key.into(),
        MapKeyRef::Bytes(key) => String::from_utf8_lossy(key),
    }
}

/// A decoder for a message at this level.
pub(super) fn decoder(descriptor: &MessageDescriptor, depth: u32) -> Decoder {
    let options = DecodeOptions::new().allow_partial(true).max_depth(limit().saturating_sub(depth));
    Decoder::new(descriptor).with_options(options)
}

/// What `print` prints.
pub(super) fn printed<E: Error>(
    place: &ValuePlace<'_>,
    print: impl FnOnce(&mut TextOut<'_>),
) -> Result<String, E> {
    let mut buffer = Vec::new();
    let mut out = TextOut::new(&mut buffer);
    print(&mut out);
    out.finish().map_err(|_| place.fail(Kind::OutOfMemory))?;
    String::from_utf8(buffer).map_err(|_| place.fail(Kind::OutOfMemory))
}

// Messages that are one value in the JSON mapping, into a serializer.

/// Serializes a message of a well-known type.
pub(super) fn print_known<S: Serializer>(
    view: MessageView<'_, '_>,
    place: &ValuePlace<'_>,
    known: WellKnown,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match known {
        WellKnown::Timestamp | WellKnown::Duration => serializer.serialize_str(&time(view, place, known)?),
        WellKnown::FieldMask => serializer.serialize_str(&field_mask(view, place)?),
        WellKnown::Any => any(view, place, serializer),
        WellKnown::Value => value(view, place, serializer),
        // The one field they have, as it is.
        _ => match field(view, place, 1) {
            Some(field) => field.serialize(serializer),
            None => serializer.serialize_unit(),
        },
    }
}

/// A field of this number, whether it is set or not.
fn field<'n, 'a>(
    view: MessageView<'a, 'a>,
    place: &'n ValuePlace<'n>,
    number: u32,
) -> Option<SerializedField<'n, 'a, 'a>> {
    let program = view.raw().program();
    let position = number as usize - 1;
    program.entries().get(position)?;
    let field =
        FieldRef::at(place.pool, program.message(), program.field_of(position) as u16, position as u16);
    let value = view.find_field(number)?;
    Some(SerializedField { field, value, place: place.field(field, None) })
}

fn time<E: Error>(view: MessageView<'_, '_>, place: &ValuePlace<'_>, known: WellKnown) -> Result<String, E> {
    let (seconds, nanos) = (number_of(view.raw(), 0), number_of(view.raw(), 1));
    let mut fits = true;
    let text = printed(place, |out| fits = put_time(out, known, seconds, nanos))?;
    if fits { Ok(text) } else { Err(place.fail(Kind::OutOfRange)) }
}

fn field_mask<E: Error>(view: MessageView<'_, '_>, place: &ValuePlace<'_>) -> Result<String, E> {
    let paths = view.get(1).and_then(ValueRef::as_list).into_iter().flatten();
    let paths = paths.map(|path| path.as_str().unwrap_or("?").as_bytes());
    let mut fits = true;
    let text = printed(place, |out| fits = camel_paths(out, paths))?;
    if fits { Ok(text) } else { Err(place.fail(Kind::InvalidFieldMask)) }
}

/// A `google.protobuf.Value`.
fn value<S: Serializer>(
    view: MessageView<'_, '_>,
    place: &ValuePlace<'_>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match view.fields().next() {
        None | Some((_, ValueRef::EnumNumber(_))) => serializer.serialize_unit(),
        Some((_, ValueRef::F64(value))) if !value.is_finite() => Err(place.fail(Kind::NotFinite)),
        Some((field, value)) => {
            SerializedField { field, value, place: place.field(field, None) }.serialize(serializer)
        }
    }
}

/// An object with `@type`, and the members of the content or its `value`.
fn any<S: Serializer>(
    view: MessageView<'_, '_>,
    place: &ValuePlace<'_>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let url = view.get(1).and_then(ValueRef::as_str).unwrap_or_default();
    let bytes = view.get(2).and_then(ValueRef::as_bytes).unwrap_or_default();
    if url.is_empty() && bytes.is_empty() {
        return serializer.serialize_map(Some(0))?.end();
    }
    let descriptor = type_in_url(url.as_bytes()).and_then(|name| place.pool.find_message(name));
    let descriptor = descriptor.ok_or_else(|| place.fail(Kind::UnknownType))?;
    let mut decoder = decoder(&descriptor, place.depth + 1);
    let content = decoder.decode(bytes).map_err(|error| place.fail(of_bytes(&error)))?;
    let inner = place.deeper(1);
    if place.pool.well_known(descriptor.index()) != WellKnown::None {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("@type", url)?;
        map.serialize_entry("value", &MessageAt { view: content, place: inner })?;
        return map.end();
    }
    let mut map = serializer.serialize_map(Some(1 + members(content, &inner)))?;
    map.serialize_entry("@type", url)?;
    print_members(content, &inner, &mut map)?;
    map.end()
}

// Where in a message the value is that is being printed.

/// A value in a message: how it came about, for errors, and what is the same for all values.
#[derive(Clone, Copy)]
pub(super) struct ValuePlace<'n> {
    pub(super) options: &'n Printer,
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
    pub(super) fn root(pool: &'n DescriptorPool, options: &'n Printer, root: &'n str) -> Self {
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
            path.push_outer(PathStep::named(field.number(), field.name(), index));
            place = around;
        }
        E::custom(match path.is_empty() {
            true => format!("{kind}, in {}", self.root),
            false => format!("{kind}, in {}: {path}", self.root),
        })
    }
}
