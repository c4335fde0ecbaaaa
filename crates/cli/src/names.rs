//! Finding the message type, or the names that were perhaps meant.

use crate::failure::Failure;
use std::path::Path;
use tablepb::{DescriptorPool, MessageDescriptor};

/// How many names a failure lists.
const LISTED: usize = 5;

/// The message type of this name in the descriptor set of this file.
pub fn load(file: &Path, name: &str) -> Result<MessageDescriptor, Failure> {
    let pool = pool(file)?;
    let name = name.trim_start_matches('.');
    pool.get_message_by_name(name).ok_or_else(|| unknown(&pool, file, name))
}

/// The failure for a type that was not named.
pub fn missing(file: &Path) -> Failure {
    match pool(file) {
        Ok(pool) => {
            let text = format!("--type is missing; {} has\n", file.display());
            Failure::Usage(text + &listing(all(&pool), 4 * LISTED))
        }
        Err(failure) => failure,
    }
}

fn pool(file: &Path) -> Result<DescriptorPool, Failure> {
    let name = file.display().to_string();
    let bytes = std::fs::read(file).map_err(|error| Failure::file(&name, &error))?;
    DescriptorPool::decode(&bytes).map_err(|error| Failure::descriptors(&name, &bytes, &error))
}

fn unknown(pool: &DescriptorPool, file: &Path, name: &str) -> Failure {
    let near = nearest(pool, name);
    let text = format!("{}: there is no message type {name}", file.display());
    if near.is_empty() {
        let all = all(pool);
        return Failure::report(format!("{text}; the set has {}\n{}", all.len(), listing(all, LISTED)));
    }
    Failure::report(format!("{text}; did you mean\n{}", listing(near, LISTED)))
}

/// The names of all messages but map entries.
fn all(pool: &DescriptorPool) -> Vec<String> {
    let messages = pool.all_messages().filter(|message| !message.is_map_entry());
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
fn nearest(pool: &DescriptorPool, name: &str) -> Vec<String> {
    let wanted = last(name).to_lowercase();
    let mut near: Vec<(usize, String)> = all(pool)
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
