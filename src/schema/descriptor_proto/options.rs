//! The options messages and the features.

use super::shorthand::{boolean, choice, enumeration, flag, int32, message, string, sub};
use crate::table::{DefaultValue, EnumTable, FieldTable, Kind, MessageTable};
use crate::wire::Tag;

/// Extension ranges of options messages: one for the protobuf team, one for everybody.
const CUSTOM: &[(u32, u32)] = &[(990, 998), (1000, Tag::MAX_NUMBER)];

const UNINTERPRETED: FieldTable = sub("uninterpreted_option", 999, || &UNINTERPRETED_OPTION).repeated();

const fn features(number: u32) -> FieldTable {
    sub("features", number, || &FEATURE_SET)
}

/// An enum with an explicit default.
const fn default_choice(
    name: &'static str,
    number: u32,
    table: fn() -> &'static EnumTable,
    default: &'static str,
) -> FieldTable {
    choice(name, number, table).default_value(DefaultValue::Enum(default))
}

pub(super) static FILE_OPTIONS: MessageTable = message(
    "google.protobuf.FileOptions",
    &[
        string("java_package", 1),
        string("java_outer_classname", 8),
        flag("java_multiple_files", 10, false),
        boolean("java_generate_equals_and_hash", 20),
        flag("java_string_check_utf8", 27, false),
        default_choice("optimize_for", 9, || &OPTIMIZE_MODE, "SPEED"),
        string("go_package", 11),
        flag("cc_generic_services", 16, false),
        flag("java_generic_services", 17, false),
        flag("py_generic_services", 18, false),
        flag("deprecated", 23, false),
        flag("cc_enable_arenas", 31, true),
        string("objc_class_prefix", 36),
        string("csharp_namespace", 37),
        string("swift_prefix", 39),
        string("php_class_prefix", 40),
        string("php_namespace", 41),
        string("php_metadata_namespace", 44),
        string("ruby_package", 45),
        features(50),
        UNINTERPRETED,
    ],
)
.extensions(CUSTOM);

static OPTIMIZE_MODE: EnumTable = enumeration(
    "google.protobuf.FileOptions.OptimizeMode",
    &[("SPEED", 1), ("CODE_SIZE", 2), ("LITE_RUNTIME", 3)],
);

pub(super) static MESSAGE_OPTIONS: MessageTable = message(
    "google.protobuf.MessageOptions",
    &[
        flag("message_set_wire_format", 1, false),
        flag("no_standard_descriptor_accessor", 2, false),
        flag("deprecated", 3, false),
        boolean("map_entry", 7),
        boolean("deprecated_legacy_json_field_conflicts", 11),
        features(12),
        UNINTERPRETED,
    ],
)
.extensions(CUSTOM);

pub(super) static FIELD_OPTIONS: MessageTable = message(
    "google.protobuf.FieldOptions",
    &[
        default_choice("ctype", 1, || &C_TYPE, "STRING"),
        boolean("packed", 2),
        default_choice("jstype", 6, || &JS_TYPE, "JS_NORMAL"),
        flag("lazy", 5, false),
        flag("unverified_lazy", 15, false),
        flag("deprecated", 3, false),
        flag("weak", 10, false),
        flag("debug_redact", 16, false),
        choice("retention", 17, || &OPTION_RETENTION),
        choice("targets", 19, || &OPTION_TARGET_TYPE).repeated(),
        sub("edition_defaults", 20, || &EDITION_DEFAULT).repeated(),
        features(21),
        sub("feature_support", 22, || &FEATURE_SUPPORT),
        UNINTERPRETED,
    ],
)
.extensions(CUSTOM);

static C_TYPE: EnumTable =
    enumeration("google.protobuf.FieldOptions.CType", &[("STRING", 0), ("CORD", 1), ("STRING_PIECE", 2)]);

static JS_TYPE: EnumTable = enumeration(
    "google.protobuf.FieldOptions.JSType",
    &[("JS_NORMAL", 0), ("JS_STRING", 1), ("JS_NUMBER", 2)],
);

static OPTION_RETENTION: EnumTable = enumeration(
    "google.protobuf.FieldOptions.OptionRetention",
    &[("RETENTION_UNKNOWN", 0), ("RETENTION_RUNTIME", 1), ("RETENTION_SOURCE", 2)],
);

static OPTION_TARGET_TYPE: EnumTable = enumeration(
    "google.protobuf.FieldOptions.OptionTargetType",
    &[
        ("TARGET_TYPE_UNKNOWN", 0),
        ("TARGET_TYPE_FILE", 1),
        ("TARGET_TYPE_EXTENSION_RANGE", 2),
        ("TARGET_TYPE_MESSAGE", 3),
        ("TARGET_TYPE_FIELD", 4),
        ("TARGET_TYPE_ONEOF", 5),
        ("TARGET_TYPE_ENUM", 6),
        ("TARGET_TYPE_ENUM_ENTRY", 7),
        ("TARGET_TYPE_SERVICE", 8),
        ("TARGET_TYPE_METHOD", 9),
    ],
);

static EDITION_DEFAULT: MessageTable = message(
    "google.protobuf.FieldOptions.EditionDefault",
    &[choice("edition", 3, || &EDITION), string("value", 2)],
);

static FEATURE_SUPPORT: MessageTable = message(
    "google.protobuf.FieldOptions.FeatureSupport",
    &[
        choice("edition_introduced", 1, || &EDITION),
        choice("edition_deprecated", 2, || &EDITION),
        string("deprecation_warning", 3),
        choice("edition_removed", 4, || &EDITION),
        string("removal_error", 5),
    ],
);

pub(super) static ONEOF_OPTIONS: MessageTable =
    message("google.protobuf.OneofOptions", &[features(1), UNINTERPRETED]).extensions(CUSTOM);

pub(super) static ENUM_OPTIONS: MessageTable = message(
    "google.protobuf.EnumOptions",
    &[
        boolean("allow_alias", 2),
        flag("deprecated", 3, false),
        boolean("deprecated_legacy_json_field_conflicts", 6),
        features(7),
        UNINTERPRETED,
    ],
)
.extensions(CUSTOM);

pub(super) static ENUM_VALUE_OPTIONS: MessageTable = message(
    "google.protobuf.EnumValueOptions",
    &[
        flag("deprecated", 1, false),
        features(2),
        flag("debug_redact", 3, false),
        sub("feature_support", 4, || &FEATURE_SUPPORT),
        UNINTERPRETED,
    ],
)
.extensions(CUSTOM);

pub(super) static SERVICE_OPTIONS: MessageTable =
    message("google.protobuf.ServiceOptions", &[features(34), flag("deprecated", 33, false), UNINTERPRETED])
        .extensions(CUSTOM);

pub(super) static METHOD_OPTIONS: MessageTable = message(
    "google.protobuf.MethodOptions",
    &[
        flag("deprecated", 33, false),
        default_choice("idempotency_level", 34, || &IDEMPOTENCY_LEVEL, "IDEMPOTENCY_UNKNOWN"),
        features(35),
        UNINTERPRETED,
    ],
)
.extensions(CUSTOM);

static IDEMPOTENCY_LEVEL: EnumTable = enumeration(
    "google.protobuf.MethodOptions.IdempotencyLevel",
    &[("IDEMPOTENCY_UNKNOWN", 0), ("NO_SIDE_EFFECTS", 1), ("IDEMPOTENT", 2)],
);

pub(super) static EXTENSION_RANGE_OPTIONS: MessageTable = message(
    "google.protobuf.ExtensionRangeOptions",
    &[
        UNINTERPRETED,
        sub("declaration", 2, || &DECLARATION).repeated(),
        features(50),
        default_choice("verification", 3, || &VERIFICATION_STATE, "UNVERIFIED"),
    ],
)
.extensions(CUSTOM);

static DECLARATION: MessageTable = message(
    "google.protobuf.ExtensionRangeOptions.Declaration",
    &[
        int32("number", 1),
        string("full_name", 2),
        string("type", 3),
        boolean("reserved", 5),
        boolean("repeated", 6),
    ],
);

static VERIFICATION_STATE: EnumTable = enumeration(
    "google.protobuf.ExtensionRangeOptions.VerificationState",
    &[("DECLARATION", 0), ("UNVERIFIED", 1)],
);

pub(super) static UNINTERPRETED_OPTION: MessageTable = message(
    "google.protobuf.UninterpretedOption",
    &[
        sub("name", 2, || &NAME_PART).repeated(),
        string("identifier_value", 3),
        FieldTable::new("positive_int_value", 4, Kind::Uint64),
        FieldTable::new("negative_int_value", 5, Kind::Int64),
        FieldTable::new("double_value", 6, Kind::Double),
        FieldTable::new("string_value", 7, Kind::Bytes),
        string("aggregate_value", 8),
    ],
);

static NAME_PART: MessageTable = message(
    "google.protobuf.UninterpretedOption.NamePart",
    &[string("name_part", 1).required(), boolean("is_extension", 2).required()],
);

pub(super) static FEATURE_SET: MessageTable = message(
    "google.protobuf.FeatureSet",
    &[
        choice("field_presence", 1, || &FIELD_PRESENCE),
        choice("enum_type", 2, || &ENUM_TYPE),
        choice("repeated_field_encoding", 3, || &REPEATED_FIELD_ENCODING),
        choice("utf8_validation", 4, || &UTF8_VALIDATION),
        choice("message_encoding", 5, || &MESSAGE_ENCODING),
        choice("json_format", 6, || &JSON_FORMAT),
        choice("enforce_naming_style", 7, || &ENFORCE_NAMING_STYLE),
        choice("default_symbol_visibility", 8, || &DEFAULT_SYMBOL_VISIBILITY),
        choice("enforce_proto_limits", 9, || &ENFORCE_PROTO_LIMITS),
    ],
)
.extensions(&[(1000, 9994), (9995, 9999), (10_000, 10_000)]);

static FIELD_PRESENCE: EnumTable = enumeration(
    "google.protobuf.FeatureSet.FieldPresence",
    &[("FIELD_PRESENCE_UNKNOWN", 0), ("EXPLICIT", 1), ("IMPLICIT", 2), ("LEGACY_REQUIRED", 3)],
);

static ENUM_TYPE: EnumTable = enumeration(
    "google.protobuf.FeatureSet.EnumType",
    &[("ENUM_TYPE_UNKNOWN", 0), ("OPEN", 1), ("CLOSED", 2)],
);

static REPEATED_FIELD_ENCODING: EnumTable = enumeration(
    "google.protobuf.FeatureSet.RepeatedFieldEncoding",
    &[("REPEATED_FIELD_ENCODING_UNKNOWN", 0), ("PACKED", 1), ("EXPANDED", 2)],
);

static UTF8_VALIDATION: EnumTable = enumeration(
    "google.protobuf.FeatureSet.Utf8Validation",
    &[("UTF8_VALIDATION_UNKNOWN", 0), ("VERIFY", 2), ("NONE", 3)],
);

static MESSAGE_ENCODING: EnumTable = enumeration(
    "google.protobuf.FeatureSet.MessageEncoding",
    &[("MESSAGE_ENCODING_UNKNOWN", 0), ("LENGTH_PREFIXED", 1), ("DELIMITED", 2)],
);

static JSON_FORMAT: EnumTable = enumeration(
    "google.protobuf.FeatureSet.JsonFormat",
    &[("JSON_FORMAT_UNKNOWN", 0), ("ALLOW", 1), ("LEGACY_BEST_EFFORT", 2)],
);

static ENFORCE_NAMING_STYLE: EnumTable = enumeration(
    "google.protobuf.FeatureSet.EnforceNamingStyle",
    &[("ENFORCE_NAMING_STYLE_UNKNOWN", 0), ("STYLE2024", 1), ("STYLE_LEGACY", 2), ("STYLE2026", 3)],
);

pub(super) static VISIBILITY_FEATURE: MessageTable =
    message("google.protobuf.FeatureSet.VisibilityFeature", &[]);

static DEFAULT_SYMBOL_VISIBILITY: EnumTable = enumeration(
    "google.protobuf.FeatureSet.VisibilityFeature.DefaultSymbolVisibility",
    &[
        ("DEFAULT_SYMBOL_VISIBILITY_UNKNOWN", 0),
        ("EXPORT_ALL", 1),
        ("EXPORT_TOP_LEVEL", 2),
        ("LOCAL_ALL", 3),
        ("STRICT", 4),
    ],
);

pub(super) static PROTO_LIMITS_FEATURE: MessageTable =
    message("google.protobuf.FeatureSet.ProtoLimitsFeature", &[]);

static ENFORCE_PROTO_LIMITS: EnumTable = enumeration(
    "google.protobuf.FeatureSet.ProtoLimitsFeature.EnforceProtoLimits",
    &[("PROTO_LIMITS_UNKNOWN", 0), ("LEGACY_NO_EXPLICIT_LIMITS", 1), ("PROTO_LIMITS2026", 2)],
);

pub(super) static EDITION: EnumTable = enumeration(
    "google.protobuf.Edition",
    &[
        ("EDITION_UNKNOWN", 0),
        ("EDITION_LEGACY", 900),
        ("EDITION_PROTO2", 998),
        ("EDITION_PROTO3", 999),
        ("EDITION_2023", 1000),
        ("EDITION_2024", 1001),
        ("EDITION_2026", 1002),
        ("EDITION_UNSTABLE", 9999),
        ("EDITION_1_TEST_ONLY", 1),
        ("EDITION_2_TEST_ONLY", 2),
        ("EDITION_99997_TEST_ONLY", 99_997),
        ("EDITION_99998_TEST_ONLY", 99_998),
        ("EDITION_99999_TEST_ONLY", 99_999),
        ("EDITION_MAX", i32::MAX),
    ],
);
