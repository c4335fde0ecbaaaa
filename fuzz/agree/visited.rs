//! What a visit hands over, written down again in its order, is the message that decoding gives; what one of them refuses, the other one
//! refuses with the same error.

use super::case::Case;
use super::valid::PARTIAL;
use crate::common::bridge::read;
use crate::common::choices::Choices;
use crate::common::payload::{mutate, noise};
use std::collections::HashSet;
use tablepb::Decoder;
use tablepb::table::Kind;
use tablepb::visit::{Field, Sink, Step, Visited};
use tablepb::wire::{Tag, WireType, Writer, zigzag32, zigzag64};

/// The first byte says whether the second half of the input is a payload as it stands.
pub fn check(input: &[u8]) {
    let Some((&first, rest)) = input.split_first() else { return };
    let (decisions, raw) = rest.split_at(rest.len() / 2);
    if first & 1 == 1 {
        agree(&Case::new(&mut Choices::fuzzed(decisions)), raw);
    } else {
        run(&mut Choices::fuzzed(rest));
    }
}

/// How many payloads came in order, and how many did not.
pub fn run(choices: &mut Choices) -> (u32, u32) {
    let case = Case::new(choices);
    let mut found = (0, 0);
    for _ in 0..3 {
        let mut input =
            if choices.once_in(5) { case.large_payload(choices, 3_000) } else { case.any_payload(choices) };
        match choices.below(6) {
            0 => mutate(&mut input, choices),
            1 => input.extend(noise(choices, 24)),
            _ => {}
        }
        match agree(&case, &input) {
            Some(Visited::Whole) => found.0 += 1,
            Some(Visited::OutOfOrder) => found.1 += 1,
            None => {}
        }
    }
    found
}

/// How far a sink that wants order came, if the payload is accepted.
fn agree(case: &Case, input: &[u8]) -> Option<Visited> {
    let mut decoder = Decoder::new(&case.descriptor).with_options(PARTIAL);
    let mut visitor = Decoder::new(&case.descriptor).with_options(PARTIAL);
    let mut echo = Echo::default();
    let visited = visitor.visit(input, &mut echo);
    // A visitor that is used again, after an error too.
    let mut again = Echo::default();
    assert_eq!(visitor.visit(input, &mut again), visited);
    assert_eq!(again.whole, echo.whole);
    match (decoder.decode(input), visited) {
        (Ok(view), Ok(visited)) => {
            assert_eq!((visited, echo.open.len()), (Visited::Whole, 0));
            let written = PARTIAL.decode_dynamic(&case.descriptor, &echo.whole).expect("written again");
            // By values: a tag may be longer on the wire than it need be, and unknown fields keep it.
            assert_eq!(read(written.as_view()), read(view), "{input:02x?}");
        }
        (Err(error), Err(visited)) => {
            assert_eq!(visited.to_string(), error.to_string());
            return None;
        }
        (Err(error), Ok(_)) if error.kind() == tablepb::DecodeErrorKind::BudgetExceeded => return None,
        (decoded, visited) => panic!("{decoded:?}, but {visited:?}: {input:02x?}"),
    }
    let strict = Decoder::new(&case.descriptor).decode(input).map(|_| Visited::Whole);
    let got = Decoder::new(&case.descriptor).visit(input, &mut Echo::default());
    assert_eq!(got.map_err(|e| e.to_string()), strict.map_err(|e| e.to_string()), "{input:02x?}");

    let mut ordered = Echo { ordered: true, ..Echo::default() };
    let result = visitor.visit(input, &mut ordered).expect("it was accepted");
    assert_eq!(ordered.came_again, None, "{input:02x?}");
    match result {
        Visited::Whole => {
            assert_eq!(ordered.whole, echo.whole, "{input:02x?}");
            assert_eq!(echo.came_again, None, "{input:02x?}");
        }
        Visited::OutOfOrder => {
            // Or at the first field of a large message; or at a packed run without any number that its enum lists.
            let seen = ordered.open.last().map_or(&ordered.outermost, |level| &level.seen);
            let closed = case.schema.enums.iter().any(|each| each.closed);
            assert!(echo.came_again.is_some() || seen.fields.is_empty() || closed, "{input:02x?}");
        }
    }
    let mut skipping = Skipping { seed: input.len() as u32, inner: Echo::default() };
    assert_eq!(visitor.visit(input, &mut skipping), Ok(Visited::Whole), "{input:02x?}");
    assert!(skipping.inner.whole.len() <= echo.whole.len());
    Some(result)
}

/// Writes down what it receives.
#[derive(Default)]
struct Echo {
    whole: Vec<u8>,
    /// The messages that are open.
    open: Vec<Level>,
    outermost: Seen,
    ordered: bool,
    /// The last field that came again after it was complete.
    came_again: Option<String>,
}

#[derive(Default)]
struct Level {
    bytes: Vec<u8>,
    seen: Seen,
}

/// The fields of a message that came, the members of oneofs by the oneof, and the last one.
#[derive(Default)]
struct Seen {
    fields: HashSet<String>,
    last: u32,
}

impl Echo {
    fn value(&mut self, field: Field<'_>, wire_type: WireType, write: impl FnOnce(&mut Writer<'_, Vec<u8>>)) {
        self.comes(field);
        let tag = Tag::new(field.number(), wire_type);
        let mut writer = Writer::new(self.open.last_mut().map_or(&mut self.whole, |level| &mut level.bytes));
        writer.write_tag(tag);
        write(&mut writer);
    }

    /// Notes a field, and whether it may come now.
    fn comes(&mut self, field: Field<'_>) {
        let descriptor = field.descriptor();
        assert_eq!(descriptor.number(), field.number());
        assert_eq!(
            (descriptor.is_map(), descriptor.is_list() || descriptor.is_map()),
            (field.is_map(), field.is_repeated())
        );
        let name = match descriptor.containing_oneof() {
            Some(oneof) => oneof.name().to_owned(),
            None => field.number().to_string(),
        };
        let seen = self.open.last_mut().map_or(&mut self.outermost, |level| &mut level.seen);
        let came = !seen.fields.insert(name);
        if came && !(field.is_repeated() && seen.last == field.number()) {
            self.came_again = Some(descriptor.full_name().to_owned());
        }
        seen.last = field.number();
    }

    fn varint(&mut self, field: Field<'_>, value: u64) {
        self.value(field, WireType::Varint, |writer| writer.write_varint(value));
    }

    fn fixed32(&mut self, field: Field<'_>, value: u32) {
        self.value(field, WireType::Fixed32, |writer| writer.write_fixed32(value));
    }

    fn fixed64(&mut self, field: Field<'_>, value: u64) {
        self.value(field, WireType::Fixed64, |writer| writer.write_fixed64(value));
    }
}

impl<'i> Sink<'i> for Echo {
    fn in_order(&self) -> bool {
        self.ordered
    }

    fn begin(&mut self, field: Field<'_>) -> Step {
        self.comes(field);
        self.open.push(Level::default());
        Step::Enter
    }

    fn end(&mut self, field: Field<'_>) {
        let level = self.open.pop().expect("it began");
        let target = self.open.last_mut().map_or(&mut self.whole, |level| &mut level.bytes);
        let mut writer = Writer::new(target);
        if field.descriptor().is_group() {
            writer.write_tag(Tag::new(field.number(), WireType::StartGroup));
            writer.write_raw(&level.bytes);
            writer.write_tag(Tag::new(field.number(), WireType::EndGroup));
        } else {
            writer.write_tag(Tag::new(field.number(), WireType::LengthDelimited));
            writer.write_length_delimited(&level.bytes).expect("short");
        }
    }

    fn bool(&mut self, field: Field<'_>, value: bool) {
        assert!(matches!(field.descriptor().kind(), Kind::Bool));
        self.varint(field, value.into());
    }

    fn i32(&mut self, field: Field<'_>, value: i32) {
        match field.descriptor().kind() {
            Kind::Int32 => self.varint(field, value as i64 as u64),
            Kind::Sint32 => self.varint(field, zigzag32(value).into()),
            Kind::Sfixed32 => self.fixed32(field, value as u32),
            kind => panic!("{kind:?}"),
        }
    }

    fn i64(&mut self, field: Field<'_>, value: i64) {
        match field.descriptor().kind() {
            Kind::Int64 => self.varint(field, value as u64),
            Kind::Sint64 => self.varint(field, zigzag64(value)),
            Kind::Sfixed64 => self.fixed64(field, value as u64),
            kind => panic!("{kind:?}"),
        }
    }

    fn u32(&mut self, field: Field<'_>, value: u32) {
        match field.descriptor().kind() {
            Kind::Uint32 => self.varint(field, value.into()),
            Kind::Fixed32 => self.fixed32(field, value),
            kind => panic!("{kind:?}"),
        }
    }

    fn u64(&mut self, field: Field<'_>, value: u64) {
        match field.descriptor().kind() {
            Kind::Uint64 => self.varint(field, value),
            Kind::Fixed64 => self.fixed64(field, value),
            kind => panic!("{kind:?}"),
        }
    }

    fn f32(&mut self, field: Field<'_>, value: f32) {
        assert!(matches!(field.descriptor().kind(), Kind::Float));
        self.fixed32(field, value.to_bits());
    }

    fn f64(&mut self, field: Field<'_>, value: f64) {
        assert!(matches!(field.descriptor().kind(), Kind::Double));
        self.fixed64(field, value.to_bits());
    }

    fn enum_number(&mut self, field: Field<'_>, value: i32) {
        assert!(matches!(field.descriptor().kind(), Kind::Enum(_)));
        self.varint(field, value as i64 as u64);
    }

    fn str(&mut self, field: Field<'_>, value: &'i str) {
        assert!(matches!(field.descriptor().kind(), Kind::String));
        self.value(field, WireType::LengthDelimited, |writer| {
            writer.write_length_delimited(value.as_bytes()).expect("short");
        });
    }

    fn bytes(&mut self, field: Field<'_>, value: &'i [u8]) {
        assert!(matches!(field.descriptor().kind(), Kind::Bytes | Kind::String));
        self.value(field, WireType::LengthDelimited, |writer| {
            writer.write_length_delimited(value).expect("short");
        });
    }

    fn unknown(&mut self, tag: Tag, value: &'i [u8]) {
        let target = self.open.last_mut().map_or(&mut self.whole, |level| &mut level.bytes);
        let mut writer = Writer::new(target);
        writer.write_tag(tag);
        writer.write_raw(value);
    }
}

/// Skips some messages.
struct Skipping {
    seed: u32,
    inner: Echo,
}

impl<'i> Sink<'i> for Skipping {
    fn begin(&mut self, field: Field<'_>) -> Step {
        self.seed = self.seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if self.seed >> 30 == 0 {
            return Step::Skip;
        }
        self.inner.begin(field)
    }

    fn end(&mut self, field: Field<'_>) {
        self.inner.end(field);
    }

    fn str(&mut self, field: Field<'_>, value: &'i str) {
        self.inner.str(field, value);
    }
}
