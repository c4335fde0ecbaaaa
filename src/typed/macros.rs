//! `message!`: the grammar of a listing and its expansion.
//!
//! `message!` matches the grammar and wraps every part of a field in one token tree. `__message!` generates the
//! implementations. The macros of `tokens.rs` translate the tokens of one kind, option or name. All fields are matched by
//! one repetition, not by recursion, so a listing of a thousand fields stays within the recursion limit.

/// Binds structs to protobuf messages: implements [`Message`](crate::Message) and [`DecodeFrom`](crate::DecodeFrom).
///
/// You write an ordinary struct with named members and [`Default`], and list the members that are fields, in any order.
/// Members that are not listed are not encoded; decoding sets them to their default. If a member does not exist, or its
/// type does not fit its kind, the compiler reports an error at its name in the listing.
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
/// label   = optional | required | repeated
/// kind    = double | float | int32 | int64 | uint32 | uint64 | sint32 | sint64 | fixed32 | fixed64
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
/// | `string` | `String`, `&'a str`, `Cow<'a, str>` |
/// | `bytes` | `Vec<u8>`, `&'a [u8]`, `Cow<'a, [u8]>`, `bytes::Bytes` |
/// | `enum E` | `E`, [`EnumValue<E>`](crate::EnumValue), `i32` |
/// | `message M`, `group M` | `M`, `Box<M>`, [`Lazy<M>`](crate::Lazy), [`Prepared<M>`](crate::Prepared) |
///
/// The type of the member decides whether the field has presence:
///
/// - `T` has no presence. It is written unless it has its default value: zero or empty, or the value of
///   `[default = ..]`. A message without presence is written unless it encodes to nothing, and an empty one counts as
///   absent: its required fields are not checked. It cannot be a `Box` or `Prepared`.
/// - `Option<T>` has presence and is written if it is `Some`. In the schema, such a field is `optional`, with or without
///   the word in the listing; messages have presence anyway.
/// - `required` takes `Option<T>`. `encode` and `decode` fail on `None`; `merge` does not check it.
/// - `repeated` takes `Vec<T>`. Decoding accepts packed and unpacked numbers.
/// - `map` takes `HashMap<K, V, S>` (feature `std`); `BTreeMap<K, V>`, written in key order; or
///   [`SmallMap<K, V>`](crate::SmallMap), the fastest up to 16 entries.
/// - `oneof` takes an `Option` of an enum whose variants hold one `T` each. The listing names all variants.
/// - `unknown_fields` takes [`UnknownFieldSet`](crate::UnknownFieldSet) or `Vec<u8>`.
///
/// Decoded members of type `&'a str`, `&'a [u8]` and `Cow` borrow from the input.
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
/// ```compile_fail
/// #[derive(Default)]
/// struct Project { name: u64 }
///
/// tablepb::message! { Project as "example.Project" { name: string = 1 } }
/// ```
#[macro_export]
macro_rules! message {
    ($(
        $(#[$note:meta])*
        $type:ident $(<$($life:lifetime),+ $(,)?>)? as $full:literal $(syntax $syntax:tt)? {$(
            $(#[$doc:meta])*
            $field:ident $(as $name:literal)?:
                $($kind:ident)+ $(:: $path:ident)*
                $(< $($key:ident)+, $($value:ident)+ $(:: $value_path:ident)* $(,)? >)?
                $({$(
                    $(#[$arm_doc:meta])*
                    $arm:ident $(as $arm_name:literal)?:
                        $($arm_kind:ident)+ $(:: $arm_path:ident)* = $arm_number:literal
                        $([$($arm_option:ident = $arm_setting:expr),+ $(,)?])?
                ),+ $(,)?})?
                $(= $number:literal $([$($option:ident = $setting:expr),+ $(,)?])?)?
        ),* $(,)?}
    )+) => {$(
        $crate::__message! {
            [$type] [$($($life)+)?] [$full] [$($syntax)?]
            $({
                $field
                [$field $($name)?]
                [$($kind)+ $(:: $path)* $(< [$($key)+] [$($value)+ $(:: $value_path)*] >)?]
                [$($number [$($([$option $setting])+)?])?]
                $([$([
                    $arm
                    [$arm $($arm_name)?]
                    [$($arm_kind)+ $(:: $arm_path)*]
                    $arm_number
                    [$($([$arm_option $arm_setting])+)?]
                ])+])?
            })*
        }
    )+};
}

/// The implementations for one listing.
#[doc(hidden)]
#[macro_export]
macro_rules! __message {
    (
        [$type:ident] [$($life:lifetime)*] [$full:literal] $syntax:tt
        $({
            $field:ident $name:tt $kind:tt
            [$($number:literal $options:tt)?]
            $([$([$arm:ident $arm_name:tt $arm_kind:tt $arm_number:literal $arm_options:tt])+])?
        })*
    ) => {
        // Evaluates the table, and so its checks, even if nothing uses it.
        #[allow(elided_lifetimes_in_paths)]
        const _: () = { let _ = <$type as $crate::Message>::TABLE; };

        #[allow(elided_lifetimes_in_paths)]
        impl<$($life),*> $crate::Message for $type<$($life),*> {
            const TABLE: &'static $crate::MessageTable = &$crate::__private::message_table(
                $full,
                $crate::__private::syntax!($syntax),
                const {
                    $(
                        $crate::__private::unknown!($kind {
                            $crate::__private::keeper!($field);
                            $field::<Self, _>(|message| &message.$field)
                        });
                        $({
                            $crate::__private::oneof!($field $($arm)+);
                            $field::<Self, _>(|message| &message.$field)
                        })?
                    )*
                    &[$(
                        $($crate::__private::checked::<$crate::__private::kind!($kind)>(
                            $crate::__private::table!(
                                $kind $name $number $options
                                {
                                    $crate::__private::member!($field);
                                    $field::<$crate::__private::kind!($kind), Self, _>(|message| &message.$field)
                                }
                            ),
                            $crate::__private::syntax!($syntax),
                        ),)?
                        $($($crate::__private::checked::<$crate::__private::kind!($arm_kind)>(
                            $crate::__private::table!(
                                $arm_kind $arm_name $arm_number $arm_options {
                                    $crate::__private::variant!($arm);
                                    $arm::<$crate::__private::kind!($arm_kind), _, _>(
                                        |value| $crate::__private::arm!($kind $arm value)
                                    )
                                }
                            ).oneof($crate::__private::name!($name)),
                            $crate::__private::syntax!($syntax),
                        ),)+)?
                    )*]
                },
            );

            fn __schema() -> $crate::__private::Option<&'static $crate::__private::SchemaCell> {
                static CELL: $crate::__private::SchemaCell = $crate::__private::SchemaCell::new();
                $crate::__private::Some(&CELL)
            }

            fn clear(&mut self) {
                let Self { $($field,)* .. } = self;
                $(
                    $($crate::__private::reset!($kind $options $field);)?
                    $crate::__private::clear!($kind $field);
                )*
            }

            fn __visit_fields<__V: $crate::__private::VisitFields>(&self, visitor: &mut __V) {
                const __LISTED: &[u32] = &[$($($number,)? $($($arm_number,)+)?)*];
                const __ORDER: &[u32] = &$crate::__private::in_order([$($($number,)? $($($arm_number,)+)?)*]);
                // One field, given at compile time: all other arms are gone before code is generated.
                #[inline]
                #[allow(unused_variables)]
                fn __visit_number<$($life,)* const __NUMBER: u32, __V: $crate::__private::VisitFields>(
                    message: &$type<$($life),*>,
                    visitor: &mut __V,
                ) {
                    let $type { $($field,)* .. } = message;
                    match __NUMBER {
                        $(
                            $($number => $crate::__private::show!(visitor $kind $number $options $syntax $field),)?
                            $($($arm_number => {
                                if let $crate::__private::Some(
                                    $crate::__private::arm!($kind $arm value)
                                ) = $field {
                                    visitor.arm::<$crate::__private::kind!($arm_kind), _>(
                                        $crate::__private::spec!($arm_number $arm_options $syntax),
                                        value,
                                    );
                                }
                            })+)?
                        )*
                        _ => {}
                    }
                }
                let Self { $($field,)* .. } = self;
                // A message without fields visits nothing.
                let _ = &visitor;
                if const { $crate::__private::ascend(__LISTED) } {
                    $(
                        $($crate::__private::show!(visitor $kind $number $options $syntax $field);)?
                        $(match $field {
                            $($crate::__private::Some($crate::__private::arm!($kind $arm value)) => {
                                visitor.arm::<$crate::__private::kind!($arm_kind), _>(
                                    $crate::__private::spec!($arm_number $arm_options $syntax),
                                    value,
                                );
                            })+
                            $crate::__private::None => {}
                        })?
                    )*
                } else {
                    // In place of each field, the one that belongs there.
                    $(
                        $(__visit_number::<{ $crate::__private::in_place_of($number, __LISTED, __ORDER) }, _>(
                            self, visitor,
                        );)?
                        $($(__visit_number::<
                            { $crate::__private::in_place_of($arm_number, __LISTED, __ORDER) }, _,
                        >(self, visitor);)+)?
                    )*
                }
                $($crate::__private::unknown!($kind visitor.unknown($crate::__private::UnknownMember::bytes($field)));)*
            }
        }

        #[allow(elided_lifetimes_in_paths)]
        impl<$($life,)* '__input: $($life +)*> $crate::DecodeFrom<'__input> for $type<$($life),*> {
            fn unset() -> Self {
                #[allow(unused_mut)]
                let mut message = <Self as $crate::__private::Default>::default();
                $(
                    $($crate::__private::reset!($kind $options &mut message.$field);)?
                    $crate::__private::clear!($kind (&mut message.$field));
                )*
                message
            }

            fn __member<__V: $crate::__private::VisitMember<'__input>>(&mut self, number: u32, visitor: &mut __V) {
                let Self { $($field,)* .. } = self;
                // A message without fields visits nothing, and unknown fields are none of these.
                let _ = ($(&$field,)* &visitor);
                match number {
                    $(
                        $($number => visitor.field::<$crate::__private::kind!($kind), _>($field),)?
                        $($($arm_number => visitor.arm::<$crate::__private::kind!($arm_kind), _>(
                            |value| *$field = $crate::__private::Some($crate::__private::arm!($kind $arm value)),
                        ),)+)?
                    )*
                    _ => {}
                }
            }

            fn merge_fields<__C: $crate::__private::Calls>(
                &mut self,
                input: &mut $crate::__private::Input<'__input>,
                group: u32,
            ) -> $crate::__private::Result<(), $crate::DecodeErrorKind> {
                if const { $crate::__private::has_required(<Self as $crate::Message>::TABLE) } {
                    input.require();
                }
                let Self { $($field,)* .. } = self;
                #[allow(unused_mut)]
                let mut unknown = $crate::__private::None::<&mut $crate::__private::Vec<u8>>;
                $($crate::__private::unknown!(
                    $kind unknown = $crate::__private::Some($crate::__private::UnknownMember::bytes_mut($field))
                );)*
                if const { $crate::__private::is_fixed(<Self as $crate::Message>::TABLE) } {
                    // Points and vertices mostly have all of their fields, in order. The loop decodes the rest.
                    let _ = true $($(&& __C::next::<$crate::__private::kind!($kind), _>(
                        $field,
                        $crate::__private::spec!($number $options $syntax),
                        input,
                    ))?)*;
                }
                while let $crate::__private::Some(start) = input.next() {
                    let bits = input.tag()?;
                    let outcome = match bits >> 3 {
                        $(
                            $($number => __C::field::<$crate::__private::kind!($kind), _>(
                                $field,
                                bits,
                                $crate::__private::spec!($number $options $syntax),
                                input,
                            ),)?
                            $($($arm_number => {
                                let spec = $crate::__private::spec!($arm_number $arm_options $syntax);
                                if let $crate::__private::Some($crate::__private::arm!($kind $arm value)) = $field {
                                    __C::arm::<$crate::__private::kind!($arm_kind), _>(
                                        value, bits, spec, input,
                                    )
                                } else {
                                    __C::new_arm::<$crate::__private::kind!($arm_kind), _>(
                                        bits,
                                        spec,
                                        input,
                                        |value| *$field = $crate::__private::Some(
                                            $crate::__private::arm!($kind $arm value)
                                        ),
                                    )
                                }
                            })+)?
                        )*
                        _ => $crate::__private::Ok($crate::__private::Outcome::Unknown),
                    };
                    if outcome != $crate::__private::Ok($crate::__private::Outcome::Done)
                        && input.settle(outcome, bits, start, group, unknown.as_deref_mut())?
                    {
                        return $crate::__private::Ok(());
                    }
                }
                input.end(group)
            }
        }
    };
}
