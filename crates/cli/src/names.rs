//! Finding the message type, or the names that were perhaps meant.

use crate::failure::Failure;
use tablepb::partial::{PathError, PathErrorKind};
use tablepb::prost_reflect_names::PoolNames;
use tablepb::{DescriptorPool, MessageDescriptor};

/// How many names a failure lists.
const LISTED: usize = 5;

/// The message type of this name; without a name, the only one there is. `place` is where the types come from.
pub fn find(pool: &DescriptorPool, place: &str, name: Option<&str>) -> Result<MessageDescriptor, Failure> {
    let Some(name) = name else { return only(pool, place) };
    let name = name.trim_start_matches('.');
    pool.get_message_by_name(name).ok_or_else(|| unknown(pool, place, name))
}

fn only(pool: &DescriptorPool, place: &str) -> Result<MessageDescriptor, Failure> {
    let names = all(pool);
    if let [name] = &names[..]
        && let Some(message) = pool.get_message_by_name(name)
    {
        return Ok(message);
    }
    let text = format!("--type is missing; {place} has\n");
    Err(Failure::Usage(text + &listing(names, 4 * LISTED)))
}

fn unknown(pool: &DescriptorPool, place: &str, name: &str) -> Failure {
    let near = nearest(all(pool), name);
    let text = format!("{place}: there is no message type {name}");
    if near.is_empty() {
        let all = all(pool);
        return Failure::Usage(format!("{text}; the set has {}\n{}", all.len(), listing(all, LISTED)));
    }
    Failure::Usage(format!("{text}; did you mean\n{}", listing(near, LISTED)))
}

/// A path that leads nowhere, with the field that was perhaps meant.
pub fn path_fault(schema: &MessageDescriptor, error: &PathError) -> Failure {
    let mut text = error.to_string();
    if error.kind() == PathErrorKind::NoSuchField
        && let Ok(message) = schema.parent_pool().message(error.message_name())
        && let Err(missing) = message.field(error.segment())
        && let Some((_, near)) = missing.detail().split_once("; ")
    {
        text += &format!(" ({near})");
    }
    Failure::Usage(text)
}

/// The names of all messages but map entries and those of protobuf itself.
fn all(pool: &DescriptorPool) -> Vec<String> {
    let own = |message: &MessageDescriptor| message.package_name() != "google.protobuf";
    let messages = pool.all_messages().filter(|message| !message.is_map_entry() && own(message));
    messages.map(|message| message.full_name().to_owned()).collect()
}

fn listing(names: Vec<String>, limit: usize) -> String {
    let mut text: String = names.iter().take(limit).map(|name| format!("  {name}\n")).collect();
    if names.len() > limit {
        text.push_str(&format!("  and {} more\n", names.len() - limit));
    }
    text
}

/// Names that differ by a package, by case or by some letters, best first.
pub fn nearest(names: Vec<String>, name: &str) -> Vec<String> {
    let wanted = last(name).to_lowercase();
    let mut near: Vec<(usize, String)> = names
        .into_iter()
        .filter_map(|candidate| {
            let found = last(&candidate).to_lowercase();
            let edits = distance(&wanted, &found);
            let part = wanted.len() > 3 && found.contains(&wanted);
            // A third of the letters may be wrong.
            (part || edits <= wanted.chars().count() / 3).then_some((edits, candidate))
        })
        .collect();
    near.sort();
    near.into_iter().map(|(_, candidate)| candidate).collect()
}

fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// The number of letters to insert, remove or replace.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
