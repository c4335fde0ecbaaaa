//! From the text of a schema and its references to a compiled file.

use crate::error::{RegistryError, RegistryErrorKind};
use crate::http::Http;
use crate::model::{Answer, PROTOBUF, Reference};
use crate::registry::version_path;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::collections::{BTreeMap, HashSet};
use tablepb::DescriptorPool;
use tablepb::schema::{FileDescriptor, PoolBuilder};
use tablepb_schema::SourceBuilder;

/// The most files that a schema may refer to, and the most that import each other one inside the other.
const MOST_FILES: usize = 1000;
const MOST_LEVELS: usize = 100;
/// How many times the longest answer all of them may have.
const MOST_BYTES: usize = 16;

/// The files of a schema, those that it refers to first.
struct Files<'h> {
    http: &'h Http,
    /// The texts by the paths of their imports.
    texts: BTreeMap<String, String>,
    /// Where they are from.
    places: BTreeMap<String, (String, u32)>,
    bytes: usize,
    /// The imports around the one that is read.
    around: HashSet<String>,
}

/// Compiles a schema with all that it refers to, as a file of this name.
pub(crate) fn compile(
    http: &Http,
    answer: Answer,
    name: &str,
    place: &str,
) -> Result<FileDescriptor, RegistryError> {
    let mut files =
        Files { http, texts: BTreeMap::new(), places: BTreeMap::new(), bytes: 0, around: HashSet::new() };
    files.add(name, answer, place)?;
    let pool = files.build(name, None)?;
    pool.file(name).map_err(|_| RegistryError::new(RegistryErrorKind::NoSuchMessage, name))
}

impl Files<'_> {
    /// Adds a schema and all that it refers to.
    fn add(&mut self, name: &str, answer: Answer, place: &str) -> Result<(), RegistryError> {
        let wrong = |kind| RegistryError::new(kind, place);
        match answer.schema_type.as_deref() {
            Some(PROTOBUF) => {}
            other => return Err(wrong(RegistryErrorKind::OtherType(other.unwrap_or("AVRO").into()))),
        }
        self.bytes = self.bytes.saturating_add(answer.schema.len());
        let too_many = self.places.len() > MOST_FILES || self.around.len() > MOST_LEVELS;
        if too_many || self.bytes > self.http.limits.answer.saturating_mul(MOST_BYTES) {
            let text = "it refers to too many schemas, or too long ones";
            return Err(wrong(RegistryErrorKind::References(text.into())));
        }
        self.around.insert(name.to_owned());
        for reference in &answer.references {
            self.refer(reference, place)?;
        }
        self.around.remove(name);
        let text =
            if is_base64(&answer.schema) { self.source(name, &answer.schema, place)? } else { answer.schema };
        self.texts.insert(name.to_owned(), text);
        Ok(())
    }

    fn refer(&mut self, reference: &Reference, place: &str) -> Result<(), RegistryError> {
        let Reference { name, subject, version } = reference;
        let wrong = |text: String| RegistryError::new(RegistryErrorKind::References(text.into()), place);
        if self.around.contains(name) {
            return Err(wrong(format!("{name} imports itself")));
        }
        match self.places.get(name) {
            Some((other, _)) if other != subject => {
                return Err(wrong(format!("{name} is in the subject {other}, and in {subject}")));
            }
            // Imports of imports may be of several versions. The newest has what the others have.
            Some((_, newest)) if newest >= version => return Ok(()),
            _ => self.places.insert(name.clone(), (subject.clone(), *version)),
        };
        let path = version_path(subject, &version.to_string());
        let answer = self.http.get(&path)?;
        self.add(name, answer, &path)
    }

    /// The text of a file that is an encoded `FileDescriptorProto` in base64, as clients of several languages register them.
    fn source(&self, name: &str, base64: &str, place: &str) -> Result<String, RegistryError> {
        let wrong = |text: String| RegistryError::new(RegistryErrorKind::Answer(text.into()), place);
        let mut file = STANDARD.decode(base64.trim()).map_err(|error| wrong(error.to_string()))?;
        // Of several names the last one counts.
        let mut writer = tablepb::wire::Writer::new(&mut file);
        writer.write_tag(tablepb::wire::Tag::new(1, tablepb::wire::WireType::LengthDelimited));
        writer.write_length_delimited(name.as_bytes()).map_err(|error| wrong(error.to_string()))?;
        let mut builder = PoolBuilder::new();
        builder.add_file_descriptor_proto(&file).map_err(|error| wrong(error.to_string()))?;
        // The files of Google are in nobody's references.
        let imports = builder.missing_imports().iter().map(|import| format!("import {import:?};")).collect();
        let mut builder = PoolBuilder::from_pool(&self.build(name, Some(imports))?);
        let pool = builder.add_file_descriptor_proto(&file).and_then(|()| builder.build());
        let file = pool.and_then(|pool| pool.file(name)).map_err(|error| wrong(error.to_string()))?;
        Ok(file.to_proto())
    }

    /// Compiles what is there, and another file of this text.
    fn build(&self, name: &str, other: Option<String>) -> Result<DescriptorPool, RegistryError> {
        let mut builder = SourceBuilder::new();
        for (name, text) in &self.texts {
            builder = builder.source(name, text);
        }
        if let Some(text) = other {
            builder = builder.source("schemas/ids/imports.proto", text);
        }
        builder.build().map_err(|error| RegistryError::new(RegistryErrorKind::Schema(error.into()), name))
    }
}

/// Whether a schema is base64, which no source is that defines anything.
fn is_base64(schema: &str) -> bool {
    let schema = schema.trim();
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    !schema.is_empty() && schema.len().is_multiple_of(4) && schema.bytes().all(is_digit)
}
