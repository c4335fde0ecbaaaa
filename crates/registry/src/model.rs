//! What registries are told, and what they answer.

use serde::{Deserialize, Serialize};
use tablepb::schema::FileDescriptor;

/// The kind of schemas that this crate is for, as registries call it.
pub(crate) const PROTOBUF: &str = "PROTOBUF";

/// A schema to register or to look for: the text of a `.proto` file, and where its imports are.
///
/// ```
/// use tablepb_registry::Schema;
///
/// let text = r#"syntax = "proto3"; import "item.proto"; message Order { Item item = 1; }"#;
/// let schema = Schema::new(text).reference("item.proto", "items", 2);
/// assert_eq!(schema.references()[0].subject, "items");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    text: String,
    references: Vec<Reference>,
}

/// An import of a schema: the version of a subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The path of the import statement.
    pub name: String,
    /// The subject that has the imported schema.
    pub subject: String,
    /// Its version there.
    pub version: u32,
}

impl Schema {
    /// A schema of this text, without references. Registries have the files of `google/protobuf`.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), references: Vec::new() }
    }

    /// Says where an import is: the path of the import statement, a subject and a version.
    #[must_use]
    pub fn reference(mut self, name: impl Into<String>, subject: impl Into<String>, version: u32) -> Self {
        self.references.push(Reference { name: name.into(), subject: subject.into(), version });
        self
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The references, in the order in which they came.
    #[must_use]
    pub fn references(&self) -> &[Reference] {
        &self.references
    }
}

/// Which version of a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// The last one that was registered.
    Latest,
    /// The one with this number; the first is 1.
    Number(u32),
}

/// A schema that a subject has.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Registered {
    /// The subject.
    pub subject: String,
    /// The version of the subject.
    pub version: u32,
    /// The id, which records have.
    pub id: u32,
    /// The compiled file, with what it imports in its pool.
    pub file: FileDescriptor,
}

/// A schema as registries have it on the wire.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Question<'a> {
    pub(crate) schema_type: &'static str,
    pub(crate) schema: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(crate) references: &'a [Reference],
}

impl<'a> From<&'a Schema> for Question<'a> {
    fn from(schema: &'a Schema) -> Self {
        Self { schema_type: PROTOBUF, schema: &schema.text, references: &schema.references }
    }
}

/// The answer to questions for a schema. Those by id have no subject; without a type it is Avro.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Answer {
    pub(crate) schema_type: Option<String>,
    pub(crate) schema: String,
    #[serde(default)]
    pub(crate) references: Vec<Reference>,
    #[serde(default)]
    pub(crate) subject: String,
    #[serde(default)]
    pub(crate) version: u32,
    #[serde(default)]
    pub(crate) id: u32,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Id {
    pub(crate) id: u32,
}

/// Where a schema is in a subject.
#[derive(Debug, Deserialize)]
pub(crate) struct Place {
    pub(crate) subject: String,
    pub(crate) version: u32,
    pub(crate) id: u32,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Compatible {
    pub(crate) is_compatible: bool,
}

/// An error of a registry.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Refusal {
    pub(crate) error_code: u32,
    pub(crate) message: String,
}
