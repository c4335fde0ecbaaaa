//! The schemas of the topic, by the ids that a schema registry would have given them.

use std::error::Error;
use tablepb::MessageDescriptor;
use tablepb_arrow::SchemaStore;
use tablepb_schema::SourceBuilder;

/// What a registry answers to `GET /schemas/ids/{id}`.
const SCHEMAS: [(u32, &str); 2] =
    [(7, include_str!("../schemas/7.proto")), (9, include_str!("../schemas/9.proto"))];

/// The newest version of orders, whose fields are the columns.
pub const NEWEST: u32 = 9;

/// All versions.
///
/// # Errors
/// A schema that does not compile, with file, line and column.
pub fn store() -> Result<SchemaStore, Box<dyn Error>> {
    let mut store = SchemaStore::new();
    for (id, text) in SCHEMAS {
        let name = format!("{id}.proto");
        let pool = SourceBuilder::new().source(&*name, text).build()?;
        store.insert(id, pool.file(&name)?);
    }
    Ok(store)
}

/// The type of orders in one version, and the indexes that lead to it.
///
/// # Errors
/// An id that the store does not have.
pub fn order(store: &SchemaStore, id: u32) -> Result<(MessageDescriptor, usize), Box<dyn Error>> {
    let file = store.get(id).ok_or("no schema with this id")?;
    let found = file.messages().enumerate().find(|(_, message)| message.name() == "Order");
    let (index, message) = found.ok_or("the schema has no orders")?;
    Ok((message, index))
}
