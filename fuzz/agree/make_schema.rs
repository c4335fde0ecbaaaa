//! A descriptor set from decisions: whatever the bytes are, the set is one that a pool accepts.

use tablepb::wire::{Tag, WireType, Writer};

/// Bytes taken one after the other; zeros when there are no more.
struct Decisions<'d>(std::slice::Iter<'d, u8>);

impl Decisions<'_> {
    fn below(&mut self, end: u8) -> u8 {
        self.0.next().map_or(0, |byte| byte % end)
    }
}

type Out<'b> = Writer<'b, Vec<u8>>;

/// Numbers of `FieldDescriptorProto.Type`.
const ENUM: u64 = 14;
const MESSAGE: u64 = 11;
const GROUP: u64 = 10;
/// Numbers of `FieldDescriptorProto.Label`.
const OPTIONAL: u64 = 1;
const REQUIRED: u64 = 2;
const REPEATED: u64 = 3;

fn number(out: &mut Out<'_>, field: u32, value: u64) {
    out.write_tag(Tag::new(field, WireType::Varint));
    out.write_varint(value);
}

fn text(out: &mut Out<'_>, field: u32, value: &str) {
    out.write_tag(Tag::new(field, WireType::LengthDelimited));
    out.write_length_delimited(value.as_bytes()).expect("short");
}

fn message(out: &mut Out<'_>, field: u32, write: impl FnOnce(&mut Out<'_>)) {
    let tag = Tag::new(field, WireType::LengthDelimited);
    out.write_message(tag, |child| {
        write(child);
        Ok(())
    })
    .expect("short");
}

/// A set of one file.
pub fn descriptor_set(decisions: &[u8]) -> Vec<u8> {
    let mut decisions = Decisions(decisions.iter());
    let mut set = Vec::new();
    message(&mut Writer::new(&mut set), 1, |file| {
        let proto2 = decisions.below(2) == 0;
        text(file, 1, "f.proto");
        text(file, 12, if proto2 { "proto2" } else { "proto3" });
        let messages = 1 + decisions.below(4);
        for index in 0..messages {
            message(file, 4, |out| one_message(out, index, messages, proto2, &mut decisions));
        }
        message(file, 5, |out| {
            text(out, 1, "E");
            for (value, name) in ["E0", "E1", "E2"].iter().enumerate() {
                message(out, 2, |out| {
                    text(out, 1, name);
                    number(out, 2, if value == 2 { u64::MAX } else { value as u64 });
                });
            }
        });
    });
    set
}

fn one_message(out: &mut Out<'_>, index: u8, messages: u8, proto2: bool, decisions: &mut Decisions<'_>) {
    text(out, 1, &format!("M{index}"));
    // Most types are small, some are wide.
    let fields = if decisions.below(8) == 7 { 60 + decisions.below(60) } else { decisions.below(12) };
    let mut next = 0;
    let mut oneof = false;
    let mut maps = Vec::new();
    for field in 0..fields {
        next += match decisions.below(16) {
            15 => 1_000,
            step @ 12..=14 => u32::from(step),
            _ => 1,
        };
        let shape = decisions.below(8);
        if shape == 7 {
            maps.push((field, next));
            continue;
        }
        message(out, 2, |out| {
            text(out, 1, &format!("f{field}"));
            number(out, 3, next.into());
            let label = match shape {
                0..=3 => OPTIONAL,
                4 if proto2 => REQUIRED,
                4 => OPTIONAL,
                _ => REPEATED,
            };
            number(out, 4, label);
            let kind = kind(out, messages, proto2, decisions);
            if label == REPEATED && !matches!(kind, 9..=12) {
                let packed = decisions.below(2).into();
                message(out, 8, |options| number(options, 2, packed));
            }
            if label == OPTIONAL && shape == 3 {
                number(out, 9, 0);
                oneof = true;
            }
        });
    }
    for (field, number) in maps {
        map(out, index, field, number, messages, decisions);
    }
    if oneof {
        message(out, 8, |out| text(out, 1, "choice"));
    }
}

/// The type of a field, and its name.
fn kind(out: &mut Out<'_>, messages: u8, proto2: bool, decisions: &mut Decisions<'_>) -> u64 {
    let kind = match 1 + u64::from(decisions.below(18)) {
        GROUP if !proto2 => MESSAGE,
        kind => kind,
    };
    number(out, 5, kind);
    match kind {
        ENUM => text(out, 6, ".E"),
        MESSAGE | GROUP => text(out, 6, &format!(".M{}", decisions.below(messages))),
        _ => {}
    }
    kind
}

/// A map field and its entry type.
fn map(out: &mut Out<'_>, index: u8, field: u8, at: u32, messages: u8, decisions: &mut Decisions<'_>) {
    const KEYS: [u64; 12] = [3, 4, 5, 6, 7, 8, 9, 13, 15, 16, 17, 18];
    let entry = format!("F{field}Entry");
    message(out, 3, |out| {
        text(out, 1, &entry);
        message(out, 2, |out| {
            text(out, 1, "key");
            number(out, 3, 1);
            number(out, 4, OPTIONAL);
            number(out, 5, KEYS[usize::from(decisions.below(12))]);
        });
        message(out, 2, |out| {
            text(out, 1, "value");
            number(out, 3, 2);
            number(out, 4, OPTIONAL);
            // No groups in maps.
            kind(out, messages, false, decisions);
        });
        message(out, 7, |options| number(options, 7, 1));
    });
    message(out, 2, |out| {
        text(out, 1, &format!("f{field}"));
        number(out, 3, at.into());
        number(out, 4, REPEATED);
        number(out, 5, MESSAGE);
        text(out, 6, &format!(".M{index}.{entry}"));
    });
}
