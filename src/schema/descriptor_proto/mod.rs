//! descriptor.proto as const tables.
//!
//! Complete as of protobuf v36: <https://github.com/protocolbuffers/protobuf/blob/main/src/google/protobuf/descriptor.proto>.
//! The pool of these tables decodes descriptor sets and options. Reserved numbers and the options of descriptor.proto's
//! own fields are missing, since tables cannot express them.

mod options;
mod shorthand;

use super::DescriptorPool;
use super::proto::FileProto;
use super::tables;
use crate::error::DescriptorError;
use crate::table::{EnumTable, MessageTable};
use alloc::vec::Vec;
use options::*;
use shorthand::{boolean, choice, enumeration, flag, int32, message, string, sub};

/// The pool of descriptor.proto. With `std` it is made once; without, for every call.
pub(super) fn pool() -> DescriptorPool {
    let make = || DescriptorPool::make_builtin().unwrap_or_default();
    #[cfg(feature = "std")]
    {
        static POOL: std::sync::OnceLock<DescriptorPool> = std::sync::OnceLock::new();
        POOL.get_or_init(make).clone()
    }
    #[cfg(not(feature = "std"))]
    make()
}

/// The file made from the tables.
pub(super) fn file() -> Result<Vec<FileProto<'static>>, DescriptorError> {
    let mut files = tables::files(ALL)?;
    for file in &mut files {
        file.name = "google/protobuf/descriptor.proto".into();
    }
    Ok(files)
}

/// In the order of descriptor.proto, including messages that no field refers to.
static ALL: &[&MessageTable] = &[
    &FILE_DESCRIPTOR_SET,
    &FILE,
    &MESSAGE,
    &EXTENSION_RANGE_OPTIONS,
    &FIELD,
    &ONEOF,
    &ENUM,
    &ENUM_VALUE,
    &SERVICE,
    &METHOD,
    &FILE_OPTIONS,
    &MESSAGE_OPTIONS,
    &FIELD_OPTIONS,
    &ONEOF_OPTIONS,
    &ENUM_OPTIONS,
    &ENUM_VALUE_OPTIONS,
    &SERVICE_OPTIONS,
    &METHOD_OPTIONS,
    &UNINTERPRETED_OPTION,
    &FEATURE_SET,
    &VISIBILITY_FEATURE,
    &PROTO_LIMITS_FEATURE,
    &FEATURE_SET_DEFAULTS,
    &SOURCE_CODE_INFO,
    &GENERATED_CODE_INFO,
];

static FILE_DESCRIPTOR_SET: MessageTable =
    message("google.protobuf.FileDescriptorSet", &[sub("file", 1, || &FILE).repeated()])
        .extensions(&[(536_000_000, 536_000_000)]);

static FILE: MessageTable = message(
    "google.protobuf.FileDescriptorProto",
    &[
        string("name", 1),
        string("package", 2),
        string("dependency", 3).repeated(),
        int32("public_dependency", 10).repeated(),
        int32("weak_dependency", 11).repeated(),
        string("option_dependency", 15).repeated(),
        sub("message_type", 4, || &MESSAGE).repeated(),
        sub("enum_type", 5, || &ENUM).repeated(),
        sub("service", 6, || &SERVICE).repeated(),
        sub("extension", 7, || &FIELD).repeated(),
        sub("options", 8, || &FILE_OPTIONS),
        sub("source_code_info", 9, || &SOURCE_CODE_INFO),
        string("syntax", 12),
        choice("edition", 14, || &EDITION),
    ],
);

static MESSAGE: MessageTable = message(
    "google.protobuf.DescriptorProto",
    &[
        string("name", 1),
        sub("field", 2, || &FIELD).repeated(),
        sub("extension", 6, || &FIELD).repeated(),
        sub("nested_type", 3, || &MESSAGE).repeated(),
        sub("enum_type", 4, || &ENUM).repeated(),
        sub("extension_range", 5, || &EXTENSION_RANGE).repeated(),
        sub("oneof_decl", 8, || &ONEOF).repeated(),
        sub("options", 7, || &MESSAGE_OPTIONS),
        sub("reserved_range", 9, || &RESERVED_RANGE).repeated(),
        string("reserved_name", 10).repeated(),
        choice("visibility", 11, || &SYMBOL_VISIBILITY),
    ],
);

static EXTENSION_RANGE: MessageTable = message(
    "google.protobuf.DescriptorProto.ExtensionRange",
    &[int32("start", 1), int32("end", 2), sub("options", 3, || &EXTENSION_RANGE_OPTIONS)],
);

static RESERVED_RANGE: MessageTable =
    message("google.protobuf.DescriptorProto.ReservedRange", &[int32("start", 1), int32("end", 2)]);

static FIELD: MessageTable = message(
    "google.protobuf.FieldDescriptorProto",
    &[
        string("name", 1),
        int32("number", 3),
        choice("label", 4, || &FIELD_LABEL),
        choice("type", 5, || &FIELD_TYPE),
        string("type_name", 6),
        string("extendee", 2),
        string("default_value", 7),
        int32("oneof_index", 9),
        string("json_name", 10),
        sub("options", 8, || &FIELD_OPTIONS),
        boolean("proto3_optional", 17),
    ],
);

static FIELD_TYPE: EnumTable = enumeration(
    "google.protobuf.FieldDescriptorProto.Type",
    &[
        ("TYPE_DOUBLE", 1),
        ("TYPE_FLOAT", 2),
        ("TYPE_INT64", 3),
        ("TYPE_UINT64", 4),
        ("TYPE_INT32", 5),
        ("TYPE_FIXED64", 6),
        ("TYPE_FIXED32", 7),
        ("TYPE_BOOL", 8),
        ("TYPE_STRING", 9),
        ("TYPE_GROUP", 10),
        ("TYPE_MESSAGE", 11),
        ("TYPE_BYTES", 12),
        ("TYPE_UINT32", 13),
        ("TYPE_ENUM", 14),
        ("TYPE_SFIXED32", 15),
        ("TYPE_SFIXED64", 16),
        ("TYPE_SINT32", 17),
        ("TYPE_SINT64", 18),
    ],
);

static FIELD_LABEL: EnumTable = enumeration(
    "google.protobuf.FieldDescriptorProto.Label",
    &[("LABEL_OPTIONAL", 1), ("LABEL_REPEATED", 3), ("LABEL_REQUIRED", 2)],
);

static ONEOF: MessageTable = message(
    "google.protobuf.OneofDescriptorProto",
    &[string("name", 1), sub("options", 2, || &ONEOF_OPTIONS)],
);

static ENUM: MessageTable = message(
    "google.protobuf.EnumDescriptorProto",
    &[
        string("name", 1),
        sub("value", 2, || &ENUM_VALUE).repeated(),
        sub("options", 3, || &ENUM_OPTIONS),
        sub("reserved_range", 4, || &ENUM_RESERVED_RANGE).repeated(),
        string("reserved_name", 5).repeated(),
        choice("visibility", 6, || &SYMBOL_VISIBILITY),
    ],
);

static ENUM_RESERVED_RANGE: MessageTable =
    message("google.protobuf.EnumDescriptorProto.EnumReservedRange", &[int32("start", 1), int32("end", 2)]);

static ENUM_VALUE: MessageTable = message(
    "google.protobuf.EnumValueDescriptorProto",
    &[string("name", 1), int32("number", 2), sub("options", 3, || &ENUM_VALUE_OPTIONS)],
);

static SERVICE: MessageTable = message(
    "google.protobuf.ServiceDescriptorProto",
    &[string("name", 1), sub("method", 2, || &METHOD).repeated(), sub("options", 3, || &SERVICE_OPTIONS)],
);

static METHOD: MessageTable = message(
    "google.protobuf.MethodDescriptorProto",
    &[
        string("name", 1),
        string("input_type", 2),
        string("output_type", 3),
        sub("options", 4, || &METHOD_OPTIONS),
        flag("client_streaming", 5, false),
        flag("server_streaming", 6, false),
    ],
);

static SYMBOL_VISIBILITY: EnumTable = enumeration(
    "google.protobuf.SymbolVisibility",
    &[("VISIBILITY_UNSET", 0), ("VISIBILITY_LOCAL", 1), ("VISIBILITY_EXPORT", 2)],
);

static FEATURE_SET_DEFAULTS: MessageTable = message(
    "google.protobuf.FeatureSetDefaults",
    &[
        sub("defaults", 1, || &FEATURE_SET_EDITION_DEFAULT).repeated(),
        choice("minimum_edition", 4, || &EDITION),
        choice("maximum_edition", 5, || &EDITION),
    ],
);

static FEATURE_SET_EDITION_DEFAULT: MessageTable = message(
    "google.protobuf.FeatureSetDefaults.FeatureSetEditionDefault",
    &[
        choice("edition", 3, || &EDITION),
        sub("overridable_features", 4, || &FEATURE_SET),
        sub("fixed_features", 5, || &FEATURE_SET),
    ],
);

static SOURCE_CODE_INFO: MessageTable =
    message("google.protobuf.SourceCodeInfo", &[sub("location", 1, || &LOCATION).repeated()])
        .extensions(&[(536_000_000, 536_000_000)]);

static LOCATION: MessageTable = message(
    "google.protobuf.SourceCodeInfo.Location",
    &[
        int32("path", 1).repeated().packed(true),
        int32("span", 2).repeated().packed(true),
        string("leading_comments", 3),
        string("trailing_comments", 4),
        string("leading_detached_comments", 6).repeated(),
    ],
);

static GENERATED_CODE_INFO: MessageTable =
    message("google.protobuf.GeneratedCodeInfo", &[sub("annotation", 1, || &ANNOTATION).repeated()]);

static ANNOTATION: MessageTable = message(
    "google.protobuf.GeneratedCodeInfo.Annotation",
    &[
        int32("path", 1).repeated().packed(true),
        string("source_file", 2),
        int32("begin", 3),
        int32("end", 4),
        choice("semantic", 5, || &SEMANTIC),
    ],
);

static SEMANTIC: EnumTable = enumeration(
    "google.protobuf.GeneratedCodeInfo.Annotation.Semantic",
    &[("NONE", 0), ("SET", 1), ("ALIAS", 2)],
);

#[cfg(test)]
mod tests;
