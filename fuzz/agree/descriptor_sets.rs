//! Descriptor sets, valid and not: loading ends, what was loaded can be found and printed, and is the same when it is
//! loaded again from what the pool keeps.

use super::any_schema::make_schema;
use super::case::Case;
use crate::common::choices::Choices;
use crate::common::payload::mutate;
use tablepb::DescriptorPool;
use tablepb::record::RecordPlan;
use tablepb::table::Kind;

/// The first byte says whether the rest is a set as it stands.
pub fn check(input: &[u8]) -> bool {
    match input.split_first() {
        Some((0, rest)) => set(rest),
        Some((1, rest)) => set(&make_schema::descriptor_set(rest)),
        _ => run(&mut Choices::fuzzed(input)),
    }
}

pub fn run(choices: &mut Choices) -> bool {
    let mut bytes = Case::new(choices).schema.descriptor_set();
    for _ in 0..choices.below(3) {
        mutate(&mut bytes, choices);
    }
    set(&bytes)
}

/// Whether the set is accepted.
fn set(bytes: &[u8]) -> bool {
    let pool = match DescriptorPool::decode(bytes) {
        Ok(pool) => pool,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return false;
        }
    };
    let mut again = Vec::new();
    for file in pool.files() {
        again.push(0x0a);
        tablepb::stream::append_frame(file.file_descriptor_proto_bytes(), &mut again).expect("short");
    }
    let second = DescriptorPool::decode(&again).expect("what the pool keeps of its files");
    assert_eq!(pool.files().len(), second.files().len());
    for (a, b) in pool.files().zip(second.files()) {
        let text = a.to_proto();
        assert_eq!(text, b.to_proto());
        assert!(balanced(&text), "{text}");
    }
    // Loaded twice, a file is there once.
    let twice = pool.add_file_descriptor_set(bytes).expect("the same files");
    assert_eq!(twice.files().len(), pool.files().len());
    found(&pool);
    true
}

fn found(pool: &DescriptorPool) {
    for message in pool.all_messages() {
        assert_eq!(pool.message(message.full_name()).ok().as_ref(), Some(&message));
        let _ = message.to_proto();
        for field in message.fields() {
            assert_eq!(message.get_field(field.number()).as_ref(), Some(&field));
            assert_eq!(message.field(field.name()).ok().as_ref(), Some(&field));
            let _ = (field.explicit_default(), field.json_name().len(), field.options().encoded_len());
            match field.kind() {
                Kind::Message(of) => assert!(pool.message(of.full_name()).is_ok()),
                Kind::Enum(of) => assert!(of.get_value(of.default_value().number()).is_some()),
                _ => {}
            }
        }
        for extension in message.extensions() {
            assert_eq!(pool.extension(extension.full_name()).ok().as_ref(), Some(&extension));
        }
    }
    if let Some(message) = pool.all_messages().find(|message| !message.is_map_entry()) {
        let plan = RecordPlan::new(&message);
        let _ = (plan.to_proto(), plan.schema_hash());
    }
}

/// Every brace is closed, those in strings and comments left out.
fn balanced(text: &str) -> bool {
    let mut depth = 0i32;
    for line in text.lines() {
        let (mut quote, mut escaped) = (None, false);
        for c in line.split("//").next().unwrap_or_default().chars() {
            match (quote, c) {
                (Some(_), '\\') if !escaped => {
                    escaped = true;
                    continue;
                }
                (Some(open), c) if c == open && !escaped => quote = None,
                (None, '"' | '\'') => quote = Some(c),
                (None, '{') => depth += 1,
                (None, '}') => depth -= 1,
                _ => {}
            }
            escaped = false;
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}
