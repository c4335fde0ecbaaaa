//! Schemas by the ids in records.

use std::error::Error;
use tablepb::MessageDescriptor;
use tablepb::stream::confluent;
use tablepb_arrow::SchemaStore;
use tablepb_registry::{Registry, RegistryError, Version};

/// The schemas of a registry, as far as records had their ids.
#[derive(Debug)]
pub struct Schemas {
    registry: Registry,
    store: SchemaStore,
}

impl Schemas {
    /// The schemas of a registry, which is not asked for any yet.
    #[must_use]
    pub fn new(registry: Registry) -> Self {
        Self { registry, store: SchemaStore::new() }
    }

    /// The message type of the values of a topic: the first of the newest schema in its subject, or the one of this name.
    ///
    /// # Errors
    /// Those of the registry; a schema without such a type.
    pub fn newest(&self, topic: &str, message: Option<&str>) -> Result<MessageDescriptor, Box<dyn Error>> {
        let subject = format!("{topic}-value");
        let file = self.registry.version(&subject, Version::Latest)?.file;
        match message {
            Some(name) => Ok(file.parent_pool().message(name)?),
            None => {
                file.messages().next().ok_or_else(|| format!("the schema of {subject} has no message").into())
            }
        }
    }

    /// The schemas, with that of this record if the registry has it and it can be used.
    ///
    /// # Errors
    /// The registry does not answer, so that nothing is known of the record yet.
    pub fn of(&mut self, record: &[u8]) -> Result<&SchemaStore, RegistryError> {
        if let Ok(read) = confluent::read_record(record)
            && self.store.get(read.schema_id).is_none()
        {
            match self.registry.file(read.schema_id) {
                Ok(file) => _ = self.store.insert(read.schema_id, file),
                Err(error) if error.is_transient() => return Err(error),
                // It is a bad record. The registry remembers for a while that there is no schema for it.
                Err(_) => {}
            }
        }
        Ok(&self.store)
    }
}
