//! Options and features of definitions: what is set at a definition, or around it.

use alloc::vec::Vec;
use tablepb::schema::{Edition, FileDescriptor};
use tablepb::{DynamicMessage, EnumDescriptor, FieldDescriptor, MessageDescriptor, MessageView};

/// `FeatureSet.JsonFormat.ALLOW`.
const ALLOW: i32 = 1;
/// `CppFeatures.StringType`.
const VIEW: i32 = 1;
const CORD: i32 = 2;
const STRING: i32 = 3;
/// `JavaFeatures.Utf8Validation.VERIFY`.
const JAVA_VERIFY: i32 = 2;

/// The options of a definition and of all around it, from the inside out.
struct Chain {
    options: Vec<DynamicMessage>,
    file: FileDescriptor,
}

impl Chain {
    fn new(file: FileDescriptor) -> Self {
        Self { options: Vec::new(), file }
    }

    fn push(&mut self, bytes: &[u8], options: impl FnOnce() -> DynamicMessage) {
        if !bytes.is_empty() {
            self.options.push(options());
        }
    }

    fn around(mut self, message: Option<MessageDescriptor>) -> Self {
        let mut message = message;
        while let Some(it) = message {
            self.push(it.options_bytes(), || it.options());
            message = it.parent_message();
        }
        let file = self.file.clone();
        self.push(file.options_bytes(), || file.options());
        self
    }

    fn of_field(field: &FieldDescriptor) -> Self {
        let mut chain = Self::new(field.parent_file());
        chain.push(field.options_bytes(), || field.options());
        if let Some(oneof) = field.containing_oneof() {
            chain.push(oneof.options_bytes(), || oneof.options());
        }
        match field.as_extension() {
            Some(extension) => chain.around(extension.parent_message()),
            None => chain.around(Some(field.parent_message().clone())),
        }
    }

    /// A feature that is an enum, of `FeatureSet` or of an extension of it.
    fn feature(&self, extension: Option<&str>, name: &str) -> Option<i32> {
        self.options.iter().find_map(|options| {
            let set = of(options.as_view(), "features")?;
            let Some(extension) = extension else { return enum_of(set, name) };
            let extension = set.descriptor().extensions().find(|it| it.full_name() == extension)?.as_field();
            let it = if set.has_field(&extension) { set.get(&extension)? } else { return None };
            enum_of(it.as_message()?, name)
        })
    }
}

fn of<'a, 'i>(message: MessageView<'a, 'i>, name: &str) -> Option<MessageView<'a, 'i>> {
    if message.has_field(name) { message.get(name)?.as_message() } else { None }
}

fn enum_of(message: MessageView<'_, '_>, name: &str) -> Option<i32> {
    if message.has_field(name) { message.get(name)?.as_enum_number() } else { None }
}

/// `features.json_format` is `ALLOW`.
fn allows_json(file: &FileDescriptor, chain: impl FnOnce() -> Chain) -> bool {
    match file.edition() {
        // These have no features.
        Edition::Proto2 => false,
        Edition::Proto3 => true,
        _ => chain().feature(None, "json_format").unwrap_or(ALLOW) == ALLOW,
    }
}

pub(crate) fn message_allows_json(message: &MessageDescriptor) -> bool {
    let file = message.parent_file();
    allows_json(&file, || Chain::new(file.clone()).around(Some(message.clone())))
}

pub(crate) fn enum_allows_json(enumeration: &EnumDescriptor) -> bool {
    let file = enumeration.parent_file();
    allows_json(&file, || {
        let mut chain = Chain::new(file.clone());
        chain.push(enumeration.options_bytes(), || enumeration.options());
        chain.around(enumeration.parent_message())
    })
}

/// An option of a field that is an enum.
pub(crate) fn field_option(field: &FieldDescriptor, name: &str) -> Option<i32> {
    if field.options_bytes().is_empty() { None } else { enum_of(field.options().as_view(), name) }
}

/// The type of a string in C++: the option `ctype` before edition 2024, the feature `(pb.cpp).string_type` since 2023.
pub(crate) fn cpp_string(field: &FieldDescriptor) -> &'static str {
    let chain = Chain::of_field(field);
    let has_option = chain.file.edition() <= Edition::Edition2023;
    if has_option {
        match field_option(field, "ctype") {
            Some(0) => return "STRING",
            Some(1) => return "CORD",
            Some(2) => return "STRING_PIECE",
            _ => {}
        }
    }
    let default = if has_option { STRING } else { VIEW };
    match chain.feature(Some("pb.cpp"), "string_type").unwrap_or(default) {
        VIEW => "VIEW",
        CORD => "CORD",
        _ => "STRING",
    }
}

/// Whether Java verifies that a string is UTF-8: by the option of the file, and by features in editions.
pub(crate) fn java_verifies(field: &FieldDescriptor) -> bool {
    let chain = Chain::of_field(field);
    let option = chain.options.last().filter(|it| it.descriptor().name() == "FileOptions").and_then(|file| {
        let name = "java_string_check_utf8";
        if file.has_field(name) { file.get(name)?.as_bool() } else { None }
    });
    let verifies = match (option, chain.file.edition()) {
        (Some(check), _) => check,
        (None, Edition::Proto2 | Edition::Proto3) => false,
        (None, _) => chain.feature(Some("pb.java"), "utf8_validation") == Some(JAVA_VERIFY),
    };
    verifies || field.validates_utf8()
}
