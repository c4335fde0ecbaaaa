//! A decoded message as a tree: a stack of things to go on with, no recursion.

use super::raw;
use super::summary::Tally;
use crate::output::Output;
use crate::text;
use std::io;
use tablepb::dynamic::Fields;
use tablepb::schema::FieldRef;
use tablepb::table::Kind;
use tablepb::{ListRef, MapKeyRef, MessageView, ValueRef};

/// Prints a message of `size` bytes and counts what is in it.
pub fn print(view: MessageView<'_, '_>, size: usize, output: &mut Output<'_>) -> io::Result<Tally> {
    let mut walk = Walk { output, tally: Tally::default(), stack: Vec::new() };
    let root = Place { level: 0, depth: 0, visible: true };
    walk.output.line(0, format_args!("{} ({size} bytes)", view.descriptor().full_name()))?;
    walk.enter(view, root);
    while let Some(step) = walk.stack.pop() {
        match step {
            Step::Fields { view, fields, place } => walk.field(view, fields, place)?,
            Step::Elements { field, list, next, place } => walk.element(field, list, next, place)?,
            Step::Entries { field, entries, next, place } => walk.entry(field, entries, next, place)?,
        }
    }
    Ok(walk.tally)
}

/// Where a line stands.
#[derive(Clone, Copy)]
struct Place {
    /// Levels of indentation.
    level: usize,
    /// Levels of messages.
    depth: usize,
    /// Whether it is printed, or only counted.
    visible: bool,
}

type Entries<'a, 'i> = Box<dyn ExactSizeIterator<Item = (MapKeyRef<'i>, ValueRef<'a, 'i>)> + 'a>;

/// Something to go on with.
enum Step<'a, 'i> {
    Fields { view: MessageView<'a, 'i>, fields: Fields<'a, 'i>, place: Place },
    Elements { field: FieldRef<'a>, list: ListRef<'a, 'i>, next: usize, place: Place },
    Entries { field: FieldRef<'a>, entries: Entries<'a, 'i>, next: usize, place: Place },
}

struct Walk<'o, 'w, 'a, 'i> {
    output: &'o mut Output<'w>,
    tally: Tally,
    stack: Vec<Step<'a, 'i>>,
}

impl<'a, 'i: 'a> Walk<'_, '_, 'a, 'i> {
    /// Begins a message whose fields stand one level further in.
    fn enter(&mut self, view: MessageView<'a, 'i>, place: Place) {
        self.tally.messages += 1;
        self.tally.depth = self.tally.depth.max(place.depth);
        let place = Place { level: place.level + 1, ..place };
        self.stack.push(Step::Fields { view, fields: view.fields(), place });
    }

    /// The next field of a message; after the last one, the unknown fields.
    fn field(
        &mut self,
        view: MessageView<'a, 'i>,
        mut fields: Fields<'a, 'i>,
        place: Place,
    ) -> io::Result<()> {
        let Some((field, value)) = fields.next() else { return self.unknown(view, place) };
        self.stack.push(Step::Fields { view, fields, place });
        match value {
            ValueRef::Map(map) => {
                let entries = Box::new(map.iter());
                self.stack.push(Step::Entries { field, entries, next: 0, place });
                Ok(())
            }
            ValueRef::List(list) if on_one_line(field) => self.numbers(field, list, place),
            ValueRef::List(list) => {
                self.stack.push(Step::Elements { field, list, next: 0, place });
                Ok(())
            }
            value => self.value(&text::field_name(field), field, value, place),
        }
    }

    /// One value: a line, and a message's fields to follow.
    fn value(
        &mut self,
        label: &str,
        field: FieldRef<'a>,
        value: ValueRef<'a, 'i>,
        place: Place,
    ) -> io::Result<()> {
        self.tally.fields += 1;
        if let ValueRef::Message(message) = value {
            if place.visible {
                let descriptor = message.descriptor();
                let (name, size) = (descriptor.name(), message.encoded_len());
                self.output.line(place.level, format_args!("{label}: {name} ({size} bytes)"))?;
            }
            self.enter(message, Place { depth: place.depth + 1, ..place });
        } else if place.visible {
            let text = text::scalar(&value_kind(field), value, self.output.full);
            self.output.line(place.level, format_args!("{label}: {text}"))?;
        }
        Ok(())
    }

    /// The next element of a list of strings, bytes or messages.
    fn element(
        &mut self,
        field: FieldRef<'a>,
        list: ListRef<'a, 'i>,
        next: usize,
        place: Place,
    ) -> io::Result<()> {
        let Some(value) = list.get(next) else { return Ok(()) };
        self.stack.push(Step::Elements { field, list, next: next + 1, place });
        let place = self.abbreviate(field, next, list.len(), place)?;
        let label =
            if place.visible { format!("{}[{next}]", text::field_name(field)) } else { String::new() };
        self.value(&label, field, value, place)
    }

    /// The next entry of a map.
    fn entry(
        &mut self,
        field: FieldRef<'a>,
        mut entries: Entries<'a, 'i>,
        next: usize,
        place: Place,
    ) -> io::Result<()> {
        let length = next + entries.len();
        let Some((key, value)) = entries.next() else { return Ok(()) };
        self.stack.push(Step::Entries { field, entries, next: next + 1, place });
        let place = self.abbreviate(field, next, length, place)?;
        let label = if place.visible {
            format!("{}[{}]", text::field_name(field), text::key(key))
        } else {
            String::new()
        };
        self.value(&label, field, value, place)
    }

    /// Whether this element is still shown; says once how many are not.
    fn abbreviate(
        &mut self,
        field: FieldRef<'a>,
        next: usize,
        length: usize,
        place: Place,
    ) -> io::Result<Place> {
        let shown = self.output.shown(length);
        if place.visible && next == shown {
            let name = text::field_name(field);
            self.output.line(place.level, format_args!("{name}: … {} more", length - shown))?;
        }
        Ok(Place { visible: place.visible && next < shown, ..place })
    }

    /// A list of numbers, on one line.
    fn numbers(&mut self, field: FieldRef<'a>, list: ListRef<'a, 'i>, place: Place) -> io::Result<()> {
        self.tally.fields += list.len() as u64;
        if !place.visible {
            return Ok(());
        }
        let kind = field.kind();
        let shown = self.output.shown_numbers(list.len());
        let texts: Vec<_> = list.iter().take(shown).map(|v| text::scalar(&kind, v, true)).collect();
        let more =
            if shown < list.len() { format!(", … {} more", list.len() - shown) } else { String::new() };
        let (name, length, kind) = (text::field_name(field), list.len(), kind.name());
        let line = format_args!("{name}: [{}{more}] ({length} x {kind})", texts.join(", "));
        self.output.line(place.level, line)
    }

    /// The unknown fields of a message.
    fn unknown(&mut self, view: MessageView<'a, 'i>, place: Place) -> io::Result<()> {
        let mut count = 0;
        let shown = if self.output.full { usize::MAX } else { crate::output::LIST };
        for field in view.unknown_fields() {
            self.tally.unknown_fields += 1;
            self.tally.unknown_bytes += (field.tag().len() + field.value().len()) as u64;
            if place.visible && count < shown {
                raw::unknown(field.tag(), field.value(), place.level, self.output)?;
            }
            count += 1;
        }
        if place.visible && count > shown {
            self.output.line(place.level, format_args!("unknown: … {} more", count - shown))?;
        }
        Ok(())
    }
}

/// Numbers, bools and enums.
fn on_one_line(field: FieldRef<'_>) -> bool {
    field.kind().is_packable()
}

/// The kind of one value: of a map, that of its values.
fn value_kind(field: FieldRef<'_>) -> tablepb::schema::FieldKind {
    match field.kind() {
        Kind::Message(entry) if field.is_map() => match entry.map_entry_value_field() {
            Some(value) => value.kind(),
            None => Kind::Message(entry),
        },
        kind => kind,
    }
}
