//! [`Rule`] and [`Category`]: what a schema promises to those who use it.

use core::fmt;
use core::str::FromStr;

/// A set of rules, for one way in which schemas are used.
///
/// The first four are those of buf, with its names (<https://buf.build/docs/breaking/rules>).
///
/// ```
/// use tablepb_schema::{Category, Rule};
///
/// assert!(Rule::FieldSameName.categories().any(|it| it == Category::WireJson));
/// assert!(Rule::FieldSameName.categories().all(|it| it != Category::Wire));
/// assert_eq!("WIRE_JSON".parse(), Ok(Category::WireJson));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Category {
    /// Generated code, by file: nothing that code includes or imports moves.
    File,
    /// Generated code, by package.
    Package,
    /// The wire format and ProtoJSON.
    WireJson,
    /// The wire format.
    Wire,
    /// Readers of columns, as those of `tablepb-arrow`: a column has the name, the type, the nulls and the place of its field.
    Columns,
    /// Rust structs with a listing ([`tablepb::message!`]): a listing goes on to say what the schema says.
    Listing,
}

impl Category {
    /// All categories.
    pub const ALL: [Self; 6] =
        [Self::File, Self::Package, Self::WireJson, Self::Wire, Self::Columns, Self::Listing];

    /// The name, in upper case: `WIRE_JSON`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "FILE",
            Self::Package => "PACKAGE",
            Self::WireJson => "WIRE_JSON",
            Self::Wire => "WIRE",
            Self::Columns => "COLUMNS",
            Self::Listing => "LISTING",
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No [`Rule`] or [`Category`] has this name.
///
/// ```
/// use tablepb_schema::Rule;
///
/// let error = "FIELD_SAME_NAMES".parse::<Rule>().unwrap_err();
/// assert_eq!(error.to_string(), "there is no such rule or category");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownRule;

impl fmt::Display for UnknownRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is no such rule or category")
    }
}

impl core::error::Error for UnknownRule {}

impl FromStr for Category {
    type Err = UnknownRule;

    fn from_str(name: &str) -> Result<Self, UnknownRule> {
        Self::ALL.into_iter().find(|it| it.name() == name).ok_or(UnknownRule)
    }
}

macro_rules! rules {
    ($($rule:ident $id:literal [$($category:ident)*] $text:literal)*) => {
        /// What must not change between two schemas. The names of buf stand for what they stand for there.
        ///
        /// ```
        /// use tablepb_schema::Rule;
        ///
        /// let rule: Rule = "FIELD_NO_DELETE".parse()?;
        /// assert_eq!((rule, rule.id()), (Rule::FieldNoDelete, "FIELD_NO_DELETE"));
        /// # Ok::<(), tablepb_schema::UnknownRule>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Rule {
            $(#[doc = $text] $rule,)*
        }

        impl Rule {
            /// All rules.
            pub const ALL: &'static [Self] = &[$(Self::$rule,)*];

            /// The name, in upper case: `FIELD_NO_DELETE`.
            #[must_use]
            pub fn id(self) -> &'static str {
                match self {
                    $(Self::$rule => $id,)*
                }
            }

            /// What the rule asks for, in a sentence.
            #[must_use]
            pub fn text(self) -> &'static str {
                match self {
                    $(Self::$rule => $text,)*
                }
            }

            /// The categories that it belongs to.
            pub fn categories(self) -> impl Iterator<Item = Category> {
                let all: &'static [Category] = match self {
                    $(Self::$rule => &[$(Category::$category,)*],)*
                };
                all.iter().copied()
            }
        }
    };
}

rules! {
    EnumNoDelete "ENUM_NO_DELETE" [File] "Enums stay in their files."
    EnumSameJsonFormat "ENUM_SAME_JSON_FORMAT" [File Package WireJson] "Enums that have a JSON form keep it."
    EnumSameType "ENUM_SAME_TYPE" [File Package Listing] "Enums stay open or closed."
    EnumValueNoDelete "ENUM_VALUE_NO_DELETE" [File Package Listing] "Enum values are not deleted."
    EnumValueNoDeleteUnlessNameReserved "ENUM_VALUE_NO_DELETE_UNLESS_NAME_RESERVED" [WireJson]
        "The names of deleted enum values are reserved."
    EnumValueNoDeleteUnlessNumberReserved "ENUM_VALUE_NO_DELETE_UNLESS_NUMBER_RESERVED" [WireJson Wire]
        "The numbers of deleted enum values are reserved."
    EnumValueSameName "ENUM_VALUE_SAME_NAME" [File Package WireJson Columns Listing] "Enum values keep their names."
    ExtensionMessageNoDelete "EXTENSION_MESSAGE_NO_DELETE" [File Package] "Numbers that are left to extensions stay so."
    ExtensionNoDelete "EXTENSION_NO_DELETE" [File] "Extensions stay in their files."
    FieldNoDelete "FIELD_NO_DELETE" [File Package Columns Listing] "Fields are not deleted."
    FieldNoDeleteUnlessNameReserved "FIELD_NO_DELETE_UNLESS_NAME_RESERVED" [WireJson]
        "The names of deleted fields are reserved."
    FieldNoDeleteUnlessNumberReserved "FIELD_NO_DELETE_UNLESS_NUMBER_RESERVED" [WireJson Wire]
        "The numbers of deleted fields are reserved."
    FieldSameCardinality "FIELD_SAME_CARDINALITY" [File Package Columns Listing]
        "Fields stay singular with or without presence, required, lists or maps."
    FieldSameCppStringType "FIELD_SAME_CPP_STRING_TYPE" [File Package] "Strings keep their type in C++."
    FieldSameDefault "FIELD_SAME_DEFAULT" [File Package WireJson Wire Columns Listing] "Fields keep their defaults."
    FieldSameJavaUtf8Validation "FIELD_SAME_JAVA_UTF8_VALIDATION" [File Package] "Strings are validated in Java as before."
    FieldSameJsonName "FIELD_SAME_JSON_NAME" [File Package WireJson Listing] "Fields keep their names in JSON."
    FieldSameJstype "FIELD_SAME_JSTYPE" [File Package] "Integers of 64 bits keep their type in JavaScript."
    FieldSameName "FIELD_SAME_NAME" [File Package WireJson Columns Listing] "Fields keep their names."
    FieldSameOneof "FIELD_SAME_ONEOF" [File Package WireJson Wire Columns Listing] "Fields stay in their oneofs."
    FieldSameOrder "FIELD_SAME_ORDER" [Columns] "The fields of a message keep their order, and new ones come after them."
    FieldSameType "FIELD_SAME_TYPE" [File Package Columns Listing] "Fields keep their types."
    FieldSameUtf8Validation "FIELD_SAME_UTF8_VALIDATION" [File Package Listing] "Strings are validated as before."
    FieldWireCompatibleCardinality "FIELD_WIRE_COMPATIBLE_CARDINALITY" [Wire]
        "Cardinalities change only to what is read in the same way."
    FieldWireCompatibleType "FIELD_WIRE_COMPATIBLE_TYPE" [Wire] "Types change only to what is read in the same way."
    FieldWireJsonCompatibleCardinality "FIELD_WIRE_JSON_COMPATIBLE_CARDINALITY" [WireJson]
        "Cardinalities change only to what is read in the same way, in JSON too."
    FieldWireJsonCompatibleType "FIELD_WIRE_JSON_COMPATIBLE_TYPE" [WireJson]
        "Types change only to what is read in the same way, in JSON too."
    FileNoDelete "FILE_NO_DELETE" [File] "Files are not deleted."
    FileSameCcEnableArenas "FILE_SAME_CC_ENABLE_ARENAS" [File Package] "The option cc_enable_arenas stays."
    FileSameCcGenericServices "FILE_SAME_CC_GENERIC_SERVICES" [File Package] "The option cc_generic_services stays."
    FileSameCsharpNamespace "FILE_SAME_CSHARP_NAMESPACE" [File Package] "The option csharp_namespace stays."
    FileSameGoPackage "FILE_SAME_GO_PACKAGE" [File Package] "The option go_package stays."
    FileSameJavaGenericServices "FILE_SAME_JAVA_GENERIC_SERVICES" [File Package] "The option java_generic_services stays."
    FileSameJavaMultipleFiles "FILE_SAME_JAVA_MULTIPLE_FILES" [File Package] "The option java_multiple_files stays."
    FileSameJavaOuterClassname "FILE_SAME_JAVA_OUTER_CLASSNAME" [File Package] "The option java_outer_classname stays."
    FileSameJavaPackage "FILE_SAME_JAVA_PACKAGE" [File Package] "The option java_package stays."
    FileSameObjcClassPrefix "FILE_SAME_OBJC_CLASS_PREFIX" [File Package] "The option objc_class_prefix stays."
    FileSameOptimizeFor "FILE_SAME_OPTIMIZE_FOR" [File Package] "The option optimize_for stays."
    FileSamePackage "FILE_SAME_PACKAGE" [File Package WireJson Wire Columns Listing] "Files keep their packages."
    FileSamePhpClassPrefix "FILE_SAME_PHP_CLASS_PREFIX" [File Package] "The option php_class_prefix stays."
    FileSamePhpMetadataNamespace "FILE_SAME_PHP_METADATA_NAMESPACE" [File Package] "The option php_metadata_namespace stays."
    FileSamePhpNamespace "FILE_SAME_PHP_NAMESPACE" [File Package] "The option php_namespace stays."
    FileSamePyGenericServices "FILE_SAME_PY_GENERIC_SERVICES" [File Package] "The option py_generic_services stays."
    FileSameRubyPackage "FILE_SAME_RUBY_PACKAGE" [File Package] "The option ruby_package stays."
    FileSameSwiftPrefix "FILE_SAME_SWIFT_PREFIX" [File Package] "The option swift_prefix stays."
    FileSameSyntax "FILE_SAME_SYNTAX" [File Package] "Files stay proto2, proto3 or of an edition."
    MessageNoDelete "MESSAGE_NO_DELETE" [File] "Messages stay in their files."
    MessageNoRemoveStandardDescriptorAccessor "MESSAGE_NO_REMOVE_STANDARD_DESCRIPTOR_ACCESSOR" [File Package]
        "The option no_standard_descriptor_accessor is not set later."
    MessageSameJsonFormat "MESSAGE_SAME_JSON_FORMAT" [File Package WireJson] "Messages that have a JSON form keep it."
    MessageSameRequiredFields "MESSAGE_SAME_REQUIRED_FIELDS" [File Package WireJson Wire Columns Listing]
        "Required fields are neither added nor deleted."
    OneofNoDelete "ONEOF_NO_DELETE" [File Package Listing] "Oneofs are not deleted."
    PackageEnumNoDelete "PACKAGE_ENUM_NO_DELETE" [Package Columns Listing] "Enums stay in their packages."
    PackageExtensionNoDelete "PACKAGE_EXTENSION_NO_DELETE" [Package] "Extensions stay in their packages."
    PackageMessageNoDelete "PACKAGE_MESSAGE_NO_DELETE" [Package Columns Listing] "Messages stay in their packages."
    PackageNoDelete "PACKAGE_NO_DELETE" [Package Columns Listing] "Packages are not deleted."
    PackageServiceNoDelete "PACKAGE_SERVICE_NO_DELETE" [Package] "Services stay in their packages."
    ReservedEnumNoDelete "RESERVED_ENUM_NO_DELETE" [File Package WireJson Wire] "What an enum reserves stays reserved."
    ReservedMessageNoDelete "RESERVED_MESSAGE_NO_DELETE" [File Package WireJson Wire] "What a message reserves stays reserved."
    RpcNoDelete "RPC_NO_DELETE" [File Package] "Methods are not deleted."
    RpcSameClientStreaming "RPC_SAME_CLIENT_STREAMING" [File Package WireJson Wire] "Clients stream as before."
    RpcSameIdempotencyLevel "RPC_SAME_IDEMPOTENCY_LEVEL" [File Package WireJson Wire] "Methods keep their idempotency level."
    RpcSameRequestType "RPC_SAME_REQUEST_TYPE" [File Package WireJson Wire] "Methods take the same type."
    RpcSameResponseType "RPC_SAME_RESPONSE_TYPE" [File Package WireJson Wire] "Methods return the same type."
    RpcSameServerStreaming "RPC_SAME_SERVER_STREAMING" [File Package WireJson Wire] "Servers stream as before."
    ServiceNoDelete "SERVICE_NO_DELETE" [File] "Services stay in their files."
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

impl FromStr for Rule {
    type Err = UnknownRule;

    fn from_str(id: &str) -> Result<Self, UnknownRule> {
        Self::ALL.iter().copied().find(|it| it.id() == id).ok_or(UnknownRule)
    }
}
