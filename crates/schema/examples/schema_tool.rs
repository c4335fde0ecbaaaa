//! A tool for schemas: it loads descriptor sets and `.proto` sources, lists what they define, prints it as `.proto`, and tells what
//! a change breaks.
//!
//! ```text
//! cargo run --package tablepb-schema --example schema_tool -- list set.binpb
//! cargo run --package tablepb-schema --example schema_tool -- print api.proto pkg.Message
//! cargo run --package tablepb-schema --example schema_tool -- compare old.proto new.proto
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use tablepb::schema::EnumValueDescriptor;
use tablepb::{DescriptorPool, FieldDescriptor};
use tablepb_schema::SourceBuilder;

include!("../../../examples/common/say.rs");

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A source with all that it imports from its directory, or a descriptor set.
fn load(path: &str) -> Outcome<DescriptorPool> {
    let path = Path::new(path);
    if path.extension().is_none_or(|extension| extension != "proto") {
        return Ok(DescriptorPool::decode(&std::fs::read(path)?)?);
    }
    let name = path.file_name().and_then(|name| name.to_str()).ok_or("no file name")?;
    Ok(SourceBuilder::new().include(path.parent().unwrap_or(path)).file(name).build()?)
}

fn list(pool: &DescriptorPool) {
    for file in pool.files() {
        say!("{}: {:?}", file.name(), file.edition());
        for message in file.messages() {
            say!("  message {}: {} fields", message.full_name(), message.fields().len());
        }
        for kind in file.enums() {
            say!("  enum {}: {} values", kind.full_name(), kind.values().len());
        }
        for service in file.services() {
            say!("  service {}: {} methods", service.full_name(), service.methods().len());
        }
    }
}

fn print(pool: &DescriptorPool, name: Option<&str>) -> Outcome<()> {
    match name {
        None => pool.files().for_each(|file| say!("// {}\n{}", file.name(), file.to_proto().trim_end())),
        Some(name) => match (pool.message(name).ok(), pool.enumeration(name).ok()) {
            (Some(message), _) => say!("{}", message.to_proto().trim_end()),
            (_, Some(kind)) => say!("{}", kind.to_proto().trim_end()),
            _ => return Err(format!("no message type or enum {name}").into()),
        },
    }
    Ok(())
}

/// What readers rely on: the cardinality, type and name of each field, and the name of each value of an enum.
fn promises(pool: &DescriptorPool) -> BTreeMap<(String, i64), String> {
    let fields = pool.all_messages().flat_map(|message| {
        let promise = |field: FieldDescriptor| {
            let text = format!("{:?} {} {}", field.cardinality(), field.kind(), field.name());
            ((message.full_name().to_string(), i64::from(field.number())), text)
        };
        message.fields().map(promise).collect::<Vec<_>>()
    });
    let values = pool.all_enums().flat_map(|kind| {
        let promise = |value: EnumValueDescriptor| {
            ((kind.full_name().to_string(), i64::from(value.number())), value.name().to_string())
        };
        kind.values().map(promise).collect::<Vec<_>>()
    });
    fields.chain(values).collect()
}

/// Prints what the new schema no longer promises.
fn compare(old: &DescriptorPool, new: &DescriptorPool) -> Outcome<()> {
    let (old, mut new) = (promises(old), promises(new));
    let changes = old.into_iter().map(|(at, was)| (new.remove(&at), at, was));
    let broken = changes.filter(|(is, _, was)| is.as_ref() != Some(was));
    let broken = broken.inspect(|(is, (name, number), was)| {
        say!("{name} {number}: was {was}, is {}", is.as_deref().unwrap_or("gone"));
    });
    match broken.count() {
        0 => Ok(()),
        count => Err(format!("the new schema breaks the old one in {count} places").into()),
    }
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["list", schema] => list(&load(schema)?),
        ["print", schema] => print(&load(schema)?, None)?,
        ["print", schema, name] => print(&load(schema)?, Some(name))?,
        ["compare", old, new] => compare(&load(old)?, &load(new)?)?,
        _ => return Err("usage: schema_tool list SCHEMA | print SCHEMA [NAME] | compare OLD NEW".into()),
    }
    Ok(())
}
