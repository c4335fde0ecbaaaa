//! `message!`: the grammar of a listing and its expansion.
//!
//! `message!` takes an invocation apart into listings, and `__listing!` matches one against the grammar and wraps every part of a
//! field in one token tree. `__bind!` generates the implementations. The macros of `checks.rs` make the access to a member and check it;
//! those of `tokens.rs` translate the tokens of one kind, option or name. All fields are matched by one repetition, not by
//! recursion, so a listing of a thousand fields stays within the recursion limit. Only what is not in the grammar goes to the macros of
//! `not_in_grammar.rs`, which take it apart step by step and name the mistake.
//!
//! The first word of a kind is matched as a `tt`, because only then does it keep its place in the source for errors; an
//! `ident` loses it.

/// Binds structs to protobuf messages: implements [`Message`](crate::Message) and [`DecodeFrom`](crate::DecodeFrom).
///
/// You write an ordinary struct with named members and [`Default`], and list all of its members, in any order. A member
/// that is not a field of the message is listed as `skip`. A member that the listing forgets is a compile error ("missing field .. in initializer"); so
/// are a member that does not exist, a Rust type that does not fit the kind of its field, and a name or number that protobuf forbids.
///
/// ```
/// use std::collections::HashMap;
/// use tablepb::{EnumValue, Message, UnknownFieldSet};
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// enum Color { Red = 0, Green = 1 }
/// tablepb::enumeration! { Color as "example.Color" { Red as "RED" = 0, Green as "GREEN" = 1 } }
///
/// #[derive(Debug, PartialEq)]
/// enum Value { Number(i32), Text(String) }
///
/// #[derive(Debug, Default, PartialEq)]
/// struct Project {
///     name: String,
///     id: Option<i32>,
///     samples: Vec<f64>,
///     counts: HashMap<String, i32>,
///     parent: Option<Box<Project>>,
///     color: EnumValue<Color>,
///     value: Option<Value>,
///     unknown: UnknownFieldSet,
/// }
///
/// tablepb::message! {
///     Project as "example.Project" {
///         name: string = 1,
///         id: optional int32 = 2,
///         samples: repeated double = 3 [packed = false],
///         counts: map<string, int32> = 7,
///         parent: message Project = 8,
///         color: enum Color = 9,
///         value: oneof Value { Number as "number": int32 = 10, Text as "text": string = 11 },
///         unknown: unknown_fields,
///     }
/// }
///
/// let project = Project { name: "a".into(), value: Some(Value::Number(7)), ..Project::default() };
/// let bytes = project.encode_to_vec()?;
/// assert_eq!(bytes, [0x0a, 0x01, b'a', 0x50, 0x07]);
/// assert_eq!(Project::decode(&bytes)?, project);
/// assert_eq!(Project::TABLE.fields().len(), 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Grammar
///
/// ```text
/// message! { Listing .. }
/// Listing = Struct [<'a, ..>] as "package.Name" [syntax "proto2"] { Field, .. }
/// Field   = member [as "name"]: [label] kind = number [[option, ..]]
///         | member [as "name"]: map<kind, kind> = number
///         | member [as "name"]: oneof RustEnum { Variant [as "name"]: kind = number [[option, ..]], .. }
///         | member: unknown_fields
///         | member: skip
/// label   = optional | required | repeated
/// kind    = [custom] plain
/// plain   = double | float | int32 | int64 | uint32 | uint64 | sint32 | sint64 | fixed32 | fixed64
///         | sfixed32 | sfixed64 | bool | string | bytes | message path | group path | enum path
/// option  = packed = bool | default = value | json_name = "name"
/// ```
///
/// - `as "name"` sets the name in the schema; the default is the Rust name.
/// - `syntax` is `"proto3"` by default. In proto2, repeated numbers are not packed by default.
/// - `path` names a struct or enum without lifetimes: `message Log` for `struct Log<'a>`.
/// - `group` is a message between group tags, the DELIMITED encoding of editions.
/// - A field number is a literal from 1 to 536870911 outside 19000 to 19999, used once.
/// - `default` takes a literal or constant of the kind, or the name of an enum value: `[default = GREEN]`.
/// - Doc comments may precede fields and listings.
/// - `#[serde]` before a listing (feature `serde`) implements serde's `Serialize` and, for a struct that does not borrow, `Deserialize`, in the JSON
///   mapping; see [`json`](crate::json). Formats that are not for people get 64-bit integers as numbers. Costs an encode and a decode beside
///   serde's own work: for JSON, the module `json` is faster. Without it the struct may have serde's derives.
/// - An invalid schema does not compile: invalid names and numbers; two fields with the same name, or the same JSON name;
///   in proto3, a default or a closed enum without presence; a map of an enum whose first number is not 0.
///   [`DescriptorPool::from_tables`](crate::DescriptorPool::from_tables) checks what involves more than one message.
///
/// # Members
///
/// | kind | Rust types `T` of a value |
/// |---|---|
/// | `double`, `float` | `f64`, `f32` |
/// | `int32`, `sint32`, `sfixed32` | `i32` |
/// | `int64`, `sint64`, `sfixed64` | `i64` |
/// | `uint32`, `fixed32` | `u32` |
/// | `uint64`, `fixed64` | `u64` |
/// | `bool` | `bool` |
/// | `string` | `String`, `&'a str`, `Cow<'a, str>`, with the features of their names `bytestring::ByteString`, `heapless::String<N>` |
/// | `bytes` | `Vec<u8>`, `&'a [u8]`, `Cow<'a, [u8]>`, `bytes::Bytes`, `heapless::Vec<u8, N>` |
/// | `enum E` | `E`, [`EnumValue<E>`](crate::EnumValue), `i32` |
/// | `message M`, `group M` | `M`, `Box<M>`, [`Lazy<M>`](crate::Lazy), [`Prepared<M>`](crate::Prepared) |
/// | `custom` and a kind | types with [`CustomValue`](crate::CustomValue): your own, and `u8`, `NonZeroU32`, `[u8; N]`, `Arc<str>`, `SystemTime` and others |
///
/// The type of the member decides whether the field has presence:
///
/// - `T` has no presence. It is written unless it has its default value: zero or empty, or the value of
///   `[default = ..]`. A message without presence is written unless it encodes to nothing, and an empty one counts as
///   absent: its required fields are not checked. It cannot be a `Box` or `Prepared`.
/// - `Option<T>` has presence and is written if it is `Some`. In the schema, such a field is `optional`, with or without
///   the word in the listing; messages have presence anyway.
/// - `required` takes `Option<T>`. `encode` and `decode` fail on `None`; `merge` does not check it.
/// - `repeated` takes `Vec<T>`, and lists of fixed capacity: `heapless::Vec<T, N>` and your own, see [`FixedList`](crate::FixedList). Decoding
///   accepts packed and unpacked numbers.
/// - `map` takes `HashMap<K, V, S>` (feature `std`); `BTreeMap<K, V>`, written in key order; or
///   [`SmallMap<K, V>`](crate::SmallMap), the fastest up to 16 entries; or `heapless::LinearMap<K, V, N>`.
/// - `oneof` takes an `Option` of an enum whose variants hold one `T` each. The listing names all variants.
/// - `skip` takes any type. The member is not encoded. Decoding sets it to its value in `Default`; merging and clearing
///   leave it as it is.
/// - `unknown_fields` takes [`UnknownFieldSet`](crate::UnknownFieldSet) or `Vec<u8>`.
///
/// Decoded members of type `&'a str`, `&'a [u8]` and `Cow` borrow from the input. `Bytes` and `ByteString` share the memory of an input that is
/// decoded by [`decode_shared`](crate::Message::decode_shared), and need no lifetime; all of it stays in memory while one of them does. A
/// `ByteString` is checked for UTF-8 twice.
///
/// What a member of fixed capacity has no room for is an error, [`CapacityExceeded`](crate::DecodeErrorKind::CapacityExceeded). A string or
/// bytes member is empty then, a list or map holds what came before. A `[default = ..]` that has no room leaves the member empty.
///
/// ```
/// use tablepb::Message;
///
/// #[derive(Default)]
/// struct Log<'a> { source: &'a str, body: &'a [u8] }
///
/// tablepb::message! { Log<'a> as "example.Log" { source: string = 1, body: bytes = 2 } }
///
/// let input = *b"\x0a\x03web\x12\x02ok";
/// let log = Log::decode(&input)?;
/// assert_eq!((log.source, log.body), ("web", &b"ok"[..]));
/// # Ok::<(), tablepb::DecodeError>(())
/// ```
///
/// A member whose type does not fit its kind does not compile:
///
/// ```compile_fail,E0277
/// #[derive(Default)]
/// struct Project { name: u64 }
///
/// tablepb::message! { Project as "example.Project" { name: string = 1 } }
/// ```
///
/// Nor does a listing that forgets a member, whose value would be lost. `skip` says that this is intended:
///
/// ```compile_fail,E0063
/// #[derive(Default)]
/// struct Project { name: String, cache: Option<u64> }
///
/// tablepb::message! { Project as "example.Project" { name: string = 1 } }
/// ```
///
/// ```
/// use tablepb::Message;
///
/// #[derive(Default)]
/// struct Project { name: String, cache: Option<u64> }
///
/// tablepb::message! { Project as "example.Project" { name: string = 1, cache: skip } }
///
/// let mut project = Project { name: "a".into(), cache: Some(7) };
/// let bytes = project.encode_to_vec()?;
/// assert_eq!(Project::decode(&bytes)?.cache, None);
/// project.merge(&bytes)?;
/// assert_eq!(project.cache, Some(7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[macro_export]
macro_rules! message {
    // Without notes, so that the name can be a `tt`, which keeps its place in the source: a lifetime that it lacks is reported there.
    ($(
        $type:tt $(<$($life:lifetime),+ $(,)?>)? as $full:literal $(syntax $syntax:tt)? {$($body:tt)*}
    )+) => {$(
        $crate::listing::listing! { [$type] [$($($life)+)?] [$full] [$($syntax)?] $($body)* }
    )+};
    ($(
        $(#[$($note:tt)+])*
        $type:ident $(<$($life:lifetime),+ $(,)?>)? as $full:literal $(syntax $syntax:tt)? {$($body:tt)*}
    )+) => {$(
        $crate::listing::listing! { [$type] [$($($life)+)?] [$full] [$($syntax)?] $($body)* }
        $crate::listing::noted! { $type [$($($life)+)?] $([$($note)+])* }
    )+};
    ($($other:tt)*) => {
        $crate::listing::header_mistake! { $($other)* }
    };
}

/// Includes the code that `tablepb-build` wrote for a package, from `OUT_DIR`.
///
/// The module around it is named as the package, if other packages have its types as members. The package without a name is `"_"`.
///
/// ```ignore
/// pub mod shop {
///     tablepb::include_proto!("shop");
/// }
/// ```
#[macro_export]
macro_rules! include_proto {
    ($package:literal) => {
        include!(concat!(env!("OUT_DIR"), "/", $package, ".rs"));
    };
}

/// The notes before a listing: `#[serde]`, and doc comments, which are for readers.
#[doc(hidden)]
#[macro_export]
macro_rules! __noted {
    ($type:ident $lives:tt) => {};
    ($type:ident $lives:tt [serde] $($notes:tt)*) => {
        $crate::listing::serde! { $type $lives }
        $crate::listing::noted! { $type $lives $($notes)* }
    };
    ($type:ident $lives:tt [doc $($doc:tt)*] $($notes:tt)*) => {
        $crate::listing::noted! { $type $lives $($notes)* }
    };
    ($type:ident $lives:tt $other:tt $($notes:tt)*) => {
        $crate::listing::compile_error!("before a listing stand doc comments and `#[serde]`");
    };
}

/// `Serialize`, and `Deserialize` unless the struct borrows.
#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde {
    ($type:ident [$($life:lifetime)*]) => {
        #[allow(deprecated)]
        impl<$($life),*> $crate::listing::Serialize for $type<$($life),*> {
            fn serialize<__S: $crate::listing::Serializer>(
                &self,
                serializer: __S,
            ) -> $crate::listing::Result<__S::Ok, __S::Error> {
                $crate::listing::serialize(self, serializer)
            }
        }
        $crate::listing::deserialize! { $type [$($life)*] }
    };
}

#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! __deserialize {
    ($type:ident []) => {
        #[allow(deprecated)]
        impl<'de> $crate::listing::Deserialize<'de> for $type {
            fn deserialize<__D: $crate::listing::Deserializer<'de>>(
                deserializer: __D,
            ) -> $crate::listing::Result<Self, __D::Error> {
                $crate::listing::deserialize(deserializer)
            }
        }
    };
    ($type:ident $lives:tt) => {};
}

#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde {
    ($type:ident $lives:tt) => {
        $crate::listing::compile_error!("`#[serde]` needs the feature `serde` of tablepb");
    };
}

/// One listing. The second rule is for listings that are not in the grammar.
#[doc(hidden)]
#[macro_export]
macro_rules! __listing {
    (
        $type:tt $lives:tt $full:tt $syntax:tt
        $(
            $(#[$doc:meta])*
            $field:ident $(as $name:literal)?:
                $first:tt $($kind:ident)* $(:: $path:ident)*
                $(< $($key:ident)+, $($value:ident)+ $(:: $value_path:ident)* $(,)? >)?
                $({$(
                    $(#[$arm_doc:meta])*
                    $arm:ident $(as $arm_name:literal)?:
                        $arm_first:tt $($arm_kind:ident)* $(:: $arm_path:ident)* = $arm_number:literal
                        $([$($arm_option:ident = $arm_setting:expr),+ $(,)?])?
                ),+ $(,)?})?
                $(= $number:literal $([$($option:ident = $setting:expr),+ $(,)?])?)?
        ),* $(,)?
    ) => {
        $crate::listing::bind! {
            $type $lives $lives $full $syntax
            $({
                $field
                [$field $($name)?]
                [$first $($kind)* $(:: $path)* $(< [$($key)+] [$($value)+ $(:: $value_path)*] >)?]
                [$($number [$($([$option $setting])+)?])?]
                [$([$([
                    $arm
                    [$arm $($arm_name)?]
                    [$arm_first $($arm_kind)* $(:: $arm_path)*]
                    $arm_number
                    [$($([$arm_option $arm_setting])+)?]
                ])+])?]
            })*
        }
    };
    ($type:tt $lives:tt $full:tt $syntax:tt $($body:tt)*) => {
        $crate::listing::field_mistake! { [$type $lives $full $syntax] $($body)* }
    };
}

/// The implementations for one listing.
#[doc(hidden)]
#[macro_export]
macro_rules! __bind {
    (
        [$type:tt] [$($life:lifetime)*] $lives:tt [$full:literal] $syntax:tt
        $({
            $field:ident $name:tt $kind:tt
            [$($number:literal $options:tt)?]
            [$([$([$arm:ident $arm_name:tt $arm_kind:tt $arm_number:literal $arm_options:tt])+])?]
        })*
    ) => {
        // What is deprecated is encoded and decoded like the rest.
        #[allow(elided_lifetimes_in_paths, deprecated)]
        const _: () = {
            type __Listed<$($life),*> = $crate::listing::listed!([$type] $lives);

            #[allow(unused_imports)]
            use $crate::listing::{NoOneof as _, OneofMember as _, Unfit as _};

            /// Checks every member, and reports the mistakes.
            #[allow(dead_code, unused_variables)]
            fn __check<$($life),*>(message: &__Listed<$($life),*>) {
                $($crate::listing::member! { message $field $kind [$($number)?] [$($([$arm $arm_kind])+)?] $kind })*
            }

            /// Names every member: the compiler reports one that the listing forgets.
            #[allow(dead_code, clippy::diverging_sub_expression, unreachable_code)]
            fn __every_member<$($life),*>() -> __Listed<$($life),*> {
                __Listed { $($field: $crate::listing::panic!(),)* }
            }

            /// The number that belongs in the place of `LISTED`, for the order of the numbers.
            struct __InPlaceOf<const LISTED: u32>;

            #[allow(dead_code)]
            impl<const LISTED: u32> __InPlaceOf<LISTED> {
                // Searched for only where the answer is another.
                const NUMBER: u32 = if __ASCENDS {
                    LISTED
                } else {
                    $crate::listing::in_place_of(LISTED, __LISTED, __ORDER)
                };
            }

            const __LISTED: &[u32] = &[$($($number,)? $($($arm_number,)+)?)*];
            const __ASCENDS: bool = $crate::listing::ascend(__LISTED);
            const __ORDER: &[u32] = &$crate::listing::in_order([$($($number,)? $($($arm_number,)+)?)*]);

            #[allow(unused_variables)]
            const fn __facts<$($life),*>() -> [$crate::listing::Fact; __LISTED.len()] {
                [$(
                    $($crate::listing::fact!(
                        $crate::listing::member_fact(
                            |message: &$crate::listing::listed!([__Listed] $lives)| $crate::listing::at!($kind &(*message).$field).fitting(),
                            $crate::listing::name!($name),
                            $number,
                            $crate::listing::optional!($kind),
                        ),
                        $kind $options
                    ),)?
                    $($($crate::listing::fact!(
                        $crate::listing::variant_fact(
                            || $crate::listing::at!($arm_kind ()).fitting(),
                            $crate::listing::name!($arm_name),
                            $arm_number,
                            $crate::listing::name!($name),
                        ),
                        $arm_kind $arm_options
                    ),)+)?
                )*]
            }

            const __FACTS: &[$crate::listing::Fact; __LISTED.len()] = &__facts();
            const __FIELDS: &[$crate::table::FieldTable] = &$crate::listing::tables(__FACTS);
            /// For errors.
            static __FIELD_NAMES: &[$crate::listing::FieldName] = &$crate::listing::names(__FACTS);

            const _: () = $crate::listing::check::<{ $crate::listing::places(__LISTED.len()) }>(
                $full,
                $crate::listing::syntax!($syntax),
                __FIELDS,
                __FACTS,
                __ORDER,
            );

            impl<$($life),*> $crate::Message for __Listed<$($life),*> {
                const TABLE: &'static $crate::table::MessageTable =
                    &$crate::table::MessageTable::new($full, __FIELDS).syntax($crate::listing::syntax!($syntax));

                const __NAMES: &'static $crate::listing::MessageNames =
                    &$crate::listing::MessageNames::new($full, __FIELD_NAMES);

                const __KEEPS_UNKNOWN: bool = {
                    #[allow(unused_mut)]
                    let mut keeps = false;
                    $($crate::listing::unknown!($kind keeps = true);)*
                    keeps
                };

                fn __schema() -> $crate::listing::Option<&'static $crate::listing::SchemaCell> {
                    static CELL: $crate::listing::SchemaCell = $crate::listing::SchemaCell::new();
                    $crate::listing::Some(&CELL)
                }

                #[inline(always)]
                fn clear(&mut self) {
                    $(
                        $($crate::listing::unset!($number $kind $options &mut (*self).$field);)?
                        $crate::listing::clear!($kind &mut (*self).$field);
                    )*
                }

                fn __visit_fields<__V: $crate::listing::VisitFields>(&self, visitor: &mut __V) {
                    // The field that belongs in the place of another: the other arms are gone before code is generated.
                    #[inline]
                    #[allow(unused_variables, unreachable_patterns)]
                    fn __visit_in_place_of<$($life,)* const __NUMBER: u32, __V: $crate::listing::VisitFields>(
                        message: &__Listed<$($life),*>,
                        visitor: &mut __V,
                    ) {
                        match __InPlaceOf::<__NUMBER>::NUMBER {
                            $(
                                $($number => $crate::listing::show!(
                                    visitor $kind $number $options $syntax &(*message).$field
                                ),)?
                                $($($arm_number => $crate::listing::show_oneof!(
                                    visitor $kind $syntax &(*message).$field, [$arm $arm_kind $arm_number $arm_options]
                                ),)+)?
                            )*
                            _ => {}
                        }
                    }
                    // A message without fields visits nothing.
                    let _ = &visitor;
                    if const { __ASCENDS } {
                        $(
                            $($crate::listing::show!(visitor $kind $number $options $syntax &(*self).$field);)?
                            $($crate::listing::show_oneof!(
                                visitor $kind $syntax &(*self).$field, $([$arm $arm_kind $arm_number $arm_options])+
                            );)?
                        )*
                    } else {
                        $(
                            $(__visit_in_place_of::<$number, _>(self, visitor);)?
                            $($(__visit_in_place_of::<$arm_number, _>(self, visitor);)+)?
                        )*
                    }
                    $($crate::listing::unknown!($kind $crate::listing::at!($kind &(*self).$field).show_unknown(visitor));)*
                }
            }

            impl<$($life,)* '__input: $($life +)*> $crate::DecodeFrom<'__input> for __Listed<$($life),*> {
                #[inline(always)]
                #[allow(unreachable_patterns)]
                fn __member<__V: $crate::listing::VisitMember<'__input>>(&mut self, number: u32, visitor: &mut __V) {
                    // A message without fields visits nothing.
                    let _ = &visitor;
                    match number {
                        $(
                            $($number => $crate::listing::at!($kind &mut (*self).$field).visit(visitor),)?
                            $($($arm_number => $crate::listing::visit_arm!($kind $arm $arm_kind self $field visitor),)+)?
                        )*
                        _ => {}
                    }
                }

                #[inline]
                fn __unknown(&mut self) -> $crate::listing::Option<&mut $crate::listing::Vec<u8>> {
                    $($crate::listing::unknown!($kind return $crate::listing::at!($kind &mut (*self).$field).kept());)*
                    #[allow(unreachable_code)]
                    $crate::listing::None
                }
            }
        };
    };
}
