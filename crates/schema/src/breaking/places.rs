//! Where definitions stand in their sources, as far as descriptors say so (`SourceCodeInfo`).

use alloc::collections::BTreeMap;
use alloc::{string::String, vec, vec::Vec};
use tablepb::schema::{FileDescriptor, MethodDescriptor, ServiceDescriptor};
use tablepb::{DescriptorPool, DynamicMessage, EnumDescriptor, FieldDescriptor, MessageDescriptor};

/// Line and column, from 1.
pub(super) type Place = (usize, usize);

/// A path of `SourceCodeInfo.Location`: field numbers and indexes from `FileDescriptorProto` on.
type Path = Vec<i32>;

/// A definition of a schema.
#[derive(Clone, Copy)]
pub(super) enum At<'d> {
    File(&'d FileDescriptor),
    Message(&'d MessageDescriptor),
    /// A field, an extension, or what an entry of a map has.
    Field(&'d FieldDescriptor),
    Enum(&'d EnumDescriptor),
    Service(&'d ServiceDescriptor),
    Method(&'d MethodDescriptor),
}

impl At<'_> {
    pub(super) fn file(self) -> FileDescriptor {
        match self {
            Self::File(it) => it.clone(),
            Self::Message(it) => it.parent_file(),
            Self::Field(it) => it.parent_file(),
            Self::Enum(it) => it.parent_file(),
            Self::Service(it) => it.parent_file(),
            Self::Method(it) => it.parent_file(),
        }
    }

    /// The path in its file; empty for the file.
    fn path(self) -> Path {
        match self {
            Self::File(_) => vec![],
            Self::Message(it) => of_message(it),
            Self::Field(it) => of_field(it),
            Self::Enum(it) => of_enum(it),
            Self::Service(it) => of_service(it),
            Self::Method(it) => of_method(it),
        }
    }
}

/// The number of a field of `FileDescriptorProto` or of what is in it.
fn number(number: i32, position: Option<usize>) -> [i32; 2] {
    // What is not among its parent's is in no place.
    [number, position.and_then(|at| i32::try_from(at).ok()).unwrap_or(-1)]
}

fn below(path: Path, last: [i32; 2]) -> Path {
    [path, last.to_vec()].concat()
}

fn of_message(message: &MessageDescriptor) -> Path {
    let is_it = |other: MessageDescriptor| other.full_name() == message.full_name();
    match message.parent_message() {
        Some(parent) => below(of_message(&parent), number(3, parent.child_messages().position(is_it))),
        None => below(vec![], number(4, message.parent_file().messages().position(is_it))),
    }
}

fn of_enum(enumeration: &EnumDescriptor) -> Path {
    let is_it = |other: EnumDescriptor| other.full_name() == enumeration.full_name();
    match enumeration.parent_message() {
        Some(parent) => below(of_message(&parent), number(4, parent.child_enums().position(is_it))),
        None => below(vec![], number(5, enumeration.parent_file().enums().position(is_it))),
    }
}

/// The path of a field, and of the map field for those of an entry.
fn of_field(field: &FieldDescriptor) -> Path {
    let name = field.full_name();
    if let Some(extension) = field.as_extension() {
        return match extension.parent_message() {
            Some(parent) => {
                let at = parent.child_extensions().position(|it| it.full_name() == name);
                below(of_message(&parent), number(6, at))
            }
            None => {
                let at = extension.parent_file().extensions().position(|it| it.full_name() == name);
                below(vec![], number(7, at))
            }
        };
    }
    let message = field.parent_message();
    if let (true, Some(parent)) = (message.is_map_entry(), message.parent_message()) {
        let has = |it: FieldDescriptor| {
            it.kind().as_message().is_some_and(|of| of.full_name() == message.full_name())
        };
        return below(of_message(&parent), number(2, parent.fields().position(has)));
    }
    below(of_message(message), number(2, message.fields().position(|it| it.full_name() == name)))
}

fn of_service(service: &ServiceDescriptor) -> Path {
    let at = service.parent_file().services().position(|it| it.full_name() == service.full_name());
    below(vec![], number(6, at))
}

fn of_method(method: &MethodDescriptor) -> Path {
    let service = method.parent_service();
    let at = service.methods().position(|it| it.full_name() == method.full_name());
    below(of_service(service), number(2, at))
}

/// The places of one schema, read file by file when they are needed.
#[derive(Default)]
pub(super) struct Places {
    files: BTreeMap<String, BTreeMap<Path, Place>>,
}

impl Places {
    /// The place of the first part of a definition that has one, or else of the definition itself.
    pub(super) fn find(&mut self, at: At<'_>, parts: &[&[i32]]) -> Option<Place> {
        let file = at.file();
        let known = self.files.entry(file.name().into()).or_insert_with(|| read(&file).unwrap_or_default());
        let path = at.path();
        let parts = parts.iter().map(|part| [&path, *part].concat());
        // The whole file is no place.
        let whole = (!path.is_empty()).then(|| path.clone());
        parts.chain(whole).find_map(|path| known.get(&path).copied())
    }
}

fn read(file: &FileDescriptor) -> Option<BTreeMap<Path, Place>> {
    let descriptor =
        DescriptorPool::descriptor_proto().message("google.protobuf.FileDescriptorProto").ok()?;
    let proto = DynamicMessage::decode(&descriptor, file.file_descriptor_proto_bytes()).ok()?;
    let info = proto.get("source_code_info")?.as_message()?;
    let mut places = BTreeMap::new();
    for location in info.get("location")?.as_list()?.iter() {
        let location = location.as_message()?;
        let numbers = |name: &str| -> Option<Path> {
            Some(location.get(name)?.as_list()?.iter().filter_map(|it| it.as_i32()).collect())
        };
        if let (Some(path), Some([line, column, ..])) = (numbers("path"), numbers("span").as_deref()) {
            let from_one = |number: &i32| usize::try_from(*number).unwrap_or_default().saturating_add(1);
            places.entry(path).or_insert((from_one(line), from_one(column)));
        }
    }
    Some(places)
}
