//! The schema of a server, as reflection asks for it.

use std::collections::HashSet;
use tablepb::DescriptorPool;
use tablepb::prost_reflect_names::PoolNames;
use tablepb::schema::FileDescriptor;

/// Pools, of which the first that has an answer gives it.
#[derive(Debug)]
pub(super) struct Index {
    pools: Vec<DescriptorPool>,
    services: Vec<String>,
}

impl Index {
    pub(super) fn new(pools: Vec<DescriptorPool>, services: Option<Vec<String>>) -> Self {
        let all =
            || pools.iter().flat_map(DescriptorPool::services).map(|service| service.full_name().to_owned());
        let mut services = services.unwrap_or_else(|| all().collect());
        services.sort();
        services.dedup();
        Self { pools, services }
    }

    pub(super) fn services(&self) -> &[String] {
        &self.services
    }

    pub(super) fn file(&self, name: &str) -> Option<FileDescriptor> {
        self.pools.iter().find_map(|pool| pool.get_file_by_name(name))
    }

    /// The file of a type, a service or an extension, or of what is in one: a method, a field, a oneof, an enum value.
    pub(super) fn symbol(&self, name: &str) -> Option<FileDescriptor> {
        let name = name.strip_prefix('.').unwrap_or(name);
        self.pools.iter().find_map(|pool| definition(pool, name).or_else(|| part(pool, name)))
    }

    pub(super) fn extension(&self, message: &str, number: i32) -> Option<FileDescriptor> {
        let number = u32::try_from(number).ok()?;
        let found = |pool: &DescriptorPool| pool.get_message_by_name(message)?.get_extension(number);
        self.pools.iter().find_map(found).map(|extension| extension.parent_file())
    }

    /// The numbers of all extensions of a message; `None` if there is no such message.
    pub(super) fn extension_numbers(&self, message: &str) -> Option<Vec<i32>> {
        let message = self.pools.iter().find_map(|pool| pool.get_message_by_name(message))?;
        let mut numbers: Vec<i32> = message.extensions().map(|extension| extension.number() as i32).collect();
        numbers.sort_unstable();
        Some(numbers)
    }

    /// A file with all that it imports and that was not sent before, each after what it imports.
    pub(super) fn with_imports(&self, file: FileDescriptor, sent: &mut HashSet<String>) -> Vec<Vec<u8>> {
        let mut files = Vec::new();
        // What was asked for comes in any case, and first: some clients read no more.
        sent.insert(file.name().to_owned());
        files.push(file.file_descriptor_proto_bytes().to_vec());
        let mut todo: Vec<FileDescriptor> = file.dependencies().collect();
        while let Some(file) = todo.pop() {
            if sent.insert(file.name().to_owned()) {
                files.push(file.file_descriptor_proto_bytes().to_vec());
                todo.extend(file.dependencies());
            }
        }
        files
    }
}

fn definition(pool: &DescriptorPool, name: &str) -> Option<FileDescriptor> {
    if let Some(message) = pool.get_message_by_name(name) {
        return Some(message.parent_file());
    }
    if let Some(enumeration) = pool.get_enum_by_name(name) {
        return Some(enumeration.parent_file());
    }
    if let Some(service) = pool.get_service_by_name(name) {
        return Some(service.parent_file());
    }
    pool.get_extension_by_name(name).map(|extension| extension.parent_file())
}

fn part(pool: &DescriptorPool, name: &str) -> Option<FileDescriptor> {
    let (parent, last) = name.rsplit_once('.').unwrap_or(("", name));
    if let Some(service) = pool.get_service_by_name(parent) {
        return service.methods().any(|method| method.name() == last).then(|| service.parent_file());
    }
    let message = pool.get_message_by_name(parent);
    if let Some(message) = &message
        && (message.fields().any(|field| field.name() == last)
            || message.oneofs().any(|oneof| oneof.name() == last))
    {
        return Some(message.parent_file());
    }
    // Values stand beside their enum.
    let has = |e: &tablepb::EnumDescriptor| e.values().any(|value| value.name() == last);
    match message {
        Some(message) => message.child_enums().find(has).map(|e| e.parent_file()),
        None => pool
            .files()
            .filter(|file| file.package_name() == parent)
            .find(|file| file.enums().any(|enumeration| has(&enumeration))),
    }
}
