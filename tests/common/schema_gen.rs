//! Random schemas: every kind, cardinality and presence, oneofs, maps, groups, extensions, MessageSets, closed and
//! open enums, wide, small and recursive types, field numbers of all sizes.

use super::choices::Choices;
use super::schema::{Card, Field, File, Kind, SCALARS, Schema, Syntax};

/// What a schema may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub syntaxes: &'static [Syntax],
    pub message_sets: bool,
    pub wide: bool,
}

/// All that the crate supports.
pub const ALL: Limits = Limits {
    syntaxes: &[Syntax::Proto3, Syntax::Proto2, Syntax::Edition2023],
    message_sets: true,
    wide: true,
};

/// A schema of one or two files; message 0 is one with fields, which can reach most of the others.
pub fn schema(choices: &mut Choices, limits: Limits) -> Schema {
    let mut schema = Schema::default();
    for _ in 0..1 + choices.below(2) {
        let syntax = *choices.pick(limits.syntaxes);
        let file = schema.file(syntax);
        if syntax == Syntax::Edition2023 {
            schema.files[file] = features(choices);
        }
        add_enums(&mut schema, file, choices);
        let first = schema.messages.len();
        for i in 0..1 + choices.below(5) {
            schema.message(file, &format!("M{i}"));
        }
        let messages = schema.messages.len();
        for message in first..messages {
            fill(&mut schema, message, messages, choices, limits);
        }
    }
    schema
}

fn features(choices: &mut Choices) -> File {
    let usual = File::new(Syntax::Edition2023);
    let mut flip = |value: bool| value ^ choices.once_in(4);
    File {
        implicit: flip(usual.implicit),
        packed: flip(usual.packed),
        utf8: flip(usual.utf8),
        delimited: flip(usual.delimited),
        closed: flip(usual.closed),
        ..usual
    }
}

fn add_enums(schema: &mut Schema, file: usize, choices: &mut Choices) {
    const LISTS: [&[i32]; 4] = [&[0, 1, 2], &[0, -1, 63, 64], &[0, i32::MAX, i32::MIN], &[0]];
    const CLOSED: [&[i32]; 3] = [&[1, 2, -1], &[70, 3], &[0, 5, 200]];
    for i in 0..2 {
        let usual = schema.files[file].closed;
        let may_differ = schema.files[file].syntax == Syntax::Edition2023;
        let closed = if may_differ { usual ^ choices.once_in(3) } else { usual };
        let numbers =
            if closed && choices.below(2) == 1 { choices.pick(&CLOSED) } else { choices.pick(&LISTS) };
        schema.enumeration(file, &format!("E{i}"), closed, numbers);
    }
}

fn fill(schema: &mut Schema, message: usize, messages: usize, choices: &mut Choices, limits: Limits) {
    let file = schema.files[schema.messages[message].file];
    if file.syntax != Syntax::Proto3 && choices.once_in(3) {
        let range = choices.pick(&[(1000, 1999), (16, 31), (536_870_000, 536_870_911)]);
        schema.messages[message].extensions = Some(*range);
    }
    if limits.message_sets && file.syntax == Syntax::Proto2 && message > 0 && choices.once_in(6) {
        schema.messages[message].message_set = true;
        schema.messages[message].extensions = Some((4, i32::MAX as u32 - 1));
    }
    let count = match choices.below(8) {
        0..4 => choices.below(6),
        4..7 => choices.below(20),
        _ if limits.wide => 60 + choices.below(200),
        _ => 30,
    };
    schema.messages[message].oneofs =
        if count > 3 && !schema.messages[message].message_set { choices.below(3) } else { 0 };
    let mut previous = 0;
    for _ in 0..count {
        let Some(number) = number(schema, message, previous, choices) else { continue };
        previous = number;
        add_field(schema, message, messages, number, choices);
    }
    drop_empty_oneofs(schema, message);
}

/// A number that is free.
fn number(schema: &Schema, message: usize, previous: u32, choices: &mut Choices) -> Option<u32> {
    let this = &schema.messages[message];
    let in_range = this.extensions.filter(|_| this.message_set || choices.once_in(4));
    let number = match (choices.below(12), in_range) {
        (roll, Some((first, last))) => {
            let last = last.min((1 << 29) - 1);
            first + if roll < 6 { choices.below(8) as u32 } else { choices.next() % (last - first + 1) }
        }
        (0..8, _) => previous + 1,
        (8..10, _) => previous + 1 + choices.below(20) as u32,
        (10, _) => 1 + choices.below(3000) as u32,
        _ => 1 + choices.next() % ((1 << 29) - 1),
    };
    let extension = this.extensions.is_some_and(|(first, last)| (first..=last).contains(&number));
    let free = this.fields.iter().all(|f| f.number != number)
        && number < 1 << 29
        && !(19_000..20_000).contains(&number)
        && (extension || in_range.is_none());
    free.then_some(number)
}

fn add_field(schema: &mut Schema, message: usize, messages: usize, number: u32, choices: &mut Choices) {
    let this = &schema.messages[message];
    let file = schema.files[this.file];
    let extension = this.extensions.is_some_and(|(first, last)| (first..=last).contains(&number));
    let (message_set, oneofs) = (this.message_set, this.oneofs);
    let card = match choices.below(10) {
        _ if message_set => Card::Optional,
        0..5 => Card::Optional,
        5..8 => Card::Repeated,
        8 if !extension => Card::Map,
        9 if !extension && file.syntax != Syntax::Proto3 => Card::Required,
        _ => Card::Optional,
    };
    if card == Card::Map {
        let keys: Vec<Kind> = SCALARS.into_iter().filter(|k| k.is_map_key()).collect();
        let key = *choices.pick(&keys);
        // The value an entry lacks is the first one of its enum, which must therefore be 0.
        let value = Some(kind(schema, message, messages, choices)).filter(|kind| match *kind {
            Kind::Enum(e) => schema.enums[e].numbers[0] == 0,
            _ => true,
        });
        schema.add_map(message, number, key, value.unwrap_or(Kind::Int32));
        return;
    }
    let mut kind = if message_set {
        Kind::Message(any_message(schema, messages, choices))
    } else {
        kind(schema, message, messages, choices)
    };
    let mut field = Field::new(&file, number, kind, card);
    field.extension = extension;
    let is_message = matches!(kind, Kind::Message(_));
    if card == Card::Optional && !extension && oneofs > 0 && choices.once_in(3) {
        field.oneof = Some(choices.below(oneofs));
    } else if card == Card::Optional && !extension && !is_message {
        let implicit = match file.syntax {
            Syntax::Proto2 => false,
            Syntax::Proto3 => choices.below(4) != 3,
            Syntax::Edition2023 => file.implicit ^ choices.once_in(4),
        };
        if implicit {
            // Without presence there is no telling an unlisted number from an unset field.
            if let Kind::Enum(e) = kind
                && schema.enums[e].closed
            {
                kind = Kind::Sint32;
                field.kind = kind;
            }
            field.card = Card::Implicit;
        }
    }
    if kind.is_packable() && card == Card::Repeated && choices.once_in(3) {
        field.packed = !field.packed;
    }
    if is_message && file.syntax != Syntax::Proto3 && !message_set && choices.once_in(3) {
        field.delimited = !field.delimited;
    }
    if kind == Kind::String && file.syntax == Syntax::Edition2023 && choices.once_in(4) {
        field.utf8 = !field.utf8;
    }
    if message_set {
        field.delimited = false;
    }
    schema.messages[message].fields.push(field);
}

fn kind(schema: &Schema, message: usize, messages: usize, choices: &mut Choices) -> Kind {
    match choices.below(8) {
        0..5 => *choices.pick(&SCALARS),
        5 => {
            let proto3 = schema.files[schema.messages[message].file].syntax == Syntax::Proto3;
            let fits: Vec<usize> =
                (0..schema.enums.len()).filter(|&e| !(proto3 && schema.enums[e].closed)).collect();
            Kind::Enum(*choices.pick(&fits))
        }
        _ => Kind::Message(any_message(schema, messages, choices)),
    }
}

/// Any message of this file or an earlier one that is not a map entry.
fn any_message(schema: &Schema, messages: usize, choices: &mut Choices) -> usize {
    let index = choices.below(messages);
    if schema.messages[index].entry_of.is_none() { index } else { messages - 1 }
}

fn drop_empty_oneofs(schema: &mut Schema, message: usize) {
    let this = &mut schema.messages[message];
    let used: Vec<usize> =
        (0..this.oneofs).filter(|&o| this.fields.iter().any(|f| f.oneof == Some(o))).collect();
    for field in &mut this.fields {
        field.oneof = field.oneof.and_then(|o| used.iter().position(|&u| u == o));
    }
    this.oneofs = used.len();
}
