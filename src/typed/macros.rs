//! `message!`: the grammar of a listing and its expansion.
//!
//! No macro here recurses over fields; one repetition matches them all, so that a thousand fields expand as well
//! as one. `message!` matches the grammar and makes every part of a field one token tree; `__message!` writes the
//! implementations; the small macros behind it turn the tokens of one kind or option into Rust.

/// Binds structs to protobuf messages: one listing is the table and the codec.
///
/// The struct is an ordinary Rust struct with named members, written beside the listing; it implements
/// [`Default`]. Every member that is on the wire is listed, in any order, under its Rust name. The macro
/// implements [`Message`](crate::Message) and [`DecodeFrom`](crate::DecodeFrom). A member whose type does not fit
/// its kind, or that does not exist, is a compile error at its name in the listing.
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
/// - Without `as "name"` the name in the schema is the Rust name.
/// - `syntax` is `"proto3"` unless it is said otherwise. In proto2 repeated numbers are not packed.
/// - `path` names a struct or enum, without lifetimes: `message Log` for `struct Log<'a>`.
/// - `group` is a message between group tags, the DELIMITED encoding of editions.
/// - The number is a literal, 1 to 536870911, and used once; a mistake is a compile error.
/// - `default` takes a literal or constant of the kind, or the name of an enum value: `[default = GREEN]`.
/// - Doc comments may stand before fields and listings.
///
/// # Members
///
/// | kind | Rust types of a value |
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
/// | `message M`, `group M` | `M`, `Box<M>` |
///
/// Presence follows from the member's type:
///
/// - `T` has none: it is written unless it has the zero value, or that of `[default = ..]`, at which decoding
///   starts. A message without presence is written unless it is empty; it cannot be a `Box`.
/// - `Option<T>` is written if it is `Some`. The table says `optional` if the listing does, or if the member is
///   an `Option` of anything but a message.
/// - `required` takes `Option<T>`. `encode` and `decode` fail if it is `None`; `merge` does not look.
/// - `repeated` takes `Vec<T>`. Packed and unpacked fields are read either way.
/// - `map` takes `HashMap<K, V>` (feature `std`) or `BTreeMap<K, V>`, which writes in key order.
/// - `oneof` takes `Option` of an enum whose variants hold one `T` each. All variants are listed.
/// - `unknown_fields` takes [`UnknownFieldSet`](crate::UnknownFieldSet), or `Vec<u8>` for the bytes alone.
///
/// Borrowed members borrow from the input that is decoded; encoding takes them from anywhere.
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
/// A type that does not fit does not compile:
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
                        $($crate::__private::table!(
                            $kind $name $number $options
                            {
                                $crate::__private::member!($field);
                                $field::<$crate::__private::kind!($kind), Self, _>(|message| &message.$field)
                            }
                        ),)?
                        $($($crate::__private::table!(
                            $arm_kind $arm_name $arm_number $arm_options {
                                $crate::__private::variant!($arm);
                                $arm::<$crate::__private::kind!($arm_kind), _, _>(
                                    |value| $crate::__private::arm!($kind $arm value)
                                )
                            }
                        ).oneof($crate::__private::name!($name)),)+)?
                    )*]
                },
            );

            fn clear(&mut self) {
                let Self { $($field,)* .. } = self;
                $(
                    $($crate::__private::reset!($kind $number $options $field);)?
                    $crate::__private::clear!($kind $field);
                )*
            }

            fn visit_fields<V: $crate::__private::Visit>(&self, visitor: &mut V) {
                const LISTED: &[u32] = &[$($($number,)? $($($arm_number,)+)?)*];
                const ORDER: &[u32] = &$crate::__private::in_order([$($($number,)? $($($arm_number,)+)?)*]);
                let Self { $($field,)* .. } = self;
                if const { $crate::__private::ascend(LISTED) } {
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
                    for number in ORDER {
                        match *number {
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
                }
                $($crate::__private::unknown!($kind visitor.unknown($crate::__private::UnknownMember::bytes($field)));)*
            }
        }

        #[allow(elided_lifetimes_in_paths)]
        impl<$($life,)* '__input: $($life +)*> $crate::DecodeFrom<'__input> for $type<$($life),*> {
            fn unset() -> Self {
                let mut message = <Self as $crate::__private::Default>::default();
                if const { $crate::__private::has_plain_defaults(<Self as $crate::Message>::TABLE) } {
                    $crate::Message::clear(&mut message);
                }
                message
            }

            fn merge_fields<C: $crate::__private::Calls>(
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
                while let $crate::__private::Some(start) = input.next() {
                    let bits = input.tag()?;
                    let outcome = match bits >> 3 {
                        $(
                            $($number => C::field::<$crate::__private::kind!($kind), _>(
                                $field,
                                bits,
                                $crate::__private::spec!($number $options $syntax),
                                input,
                            ),)?
                            $($($arm_number => {
                                let spec = $crate::__private::spec!($arm_number $arm_options $syntax);
                                if let $crate::__private::Some($crate::__private::arm!($kind $arm value)) = $field {
                                    C::arm::<$crate::__private::kind!($arm_kind), _>(
                                        value, bits, spec, input,
                                    )
                                } else {
                                    input.new_arm::<$crate::__private::kind!($arm_kind), _>(
                                        bits,
                                        spec,
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

/// The kind of a field as a type.
#[doc(hidden)]
#[macro_export]
macro_rules! __kind {
    ([double]) => { $crate::__private::kinds::Double };
    ([float]) => { $crate::__private::kinds::Float };
    ([int32]) => { $crate::__private::kinds::Int32 };
    ([int64]) => { $crate::__private::kinds::Int64 };
    ([uint32]) => { $crate::__private::kinds::Uint32 };
    ([uint64]) => { $crate::__private::kinds::Uint64 };
    ([sint32]) => { $crate::__private::kinds::Sint32 };
    ([sint64]) => { $crate::__private::kinds::Sint64 };
    ([fixed32]) => { $crate::__private::kinds::Fixed32 };
    ([fixed64]) => { $crate::__private::kinds::Fixed64 };
    ([sfixed32]) => { $crate::__private::kinds::Sfixed32 };
    ([sfixed64]) => { $crate::__private::kinds::Sfixed64 };
    ([bool]) => { $crate::__private::kinds::Bool };
    ([string]) => { $crate::__private::kinds::String };
    ([bytes]) => { $crate::__private::kinds::Bytes };
    ([enum $($path:tt)+]) => { $crate::__private::kinds::Enum<$($path)+> };
    ([message $($path:tt)+]) => { $crate::__private::kinds::Nested<$($path)+> };
    ([group $($path:tt)+]) => { $crate::__private::kinds::Group<$($path)+> };
    ([map < $key:tt $value:tt >]) => {
        $crate::__private::kinds::Map<$crate::__private::key!($key), $crate::__private::kind!($value)>
    };
    ([optional $($kind:tt)+]) => { $crate::__private::kind!([$($kind)+]) };
    ([required $($kind:tt)+]) => { $crate::__private::kinds::Required<$crate::__private::kind!([$($kind)+])> };
    ([repeated $($kind:tt)+]) => { $crate::__private::kinds::Repeated<$crate::__private::kind!([$($kind)+])> };
    ([$($kind:tt)*]) => {
        $crate::__private::compile_error!($crate::__private::concat!(
            "`", $crate::__private::stringify!($($kind)*), "` is not a kind of field"
        ))
    };
}

/// The kind of a map key as a type.
#[doc(hidden)]
#[macro_export]
macro_rules! __key {
    ([double]) => {
        $crate::__private::compile_error!("a map key is an integer, a bool or a string")
    };
    ([float]) => {
        $crate::__private::compile_error!("a map key is an integer, a bool or a string")
    };
    ([bytes]) => {
        $crate::__private::compile_error!("a map key is an integer, a bool or a string")
    };
    ([$kind:ident]) => {
        $crate::__private::kind!([$kind])
    };
    ([$($kind:tt)*]) => {
        $crate::__private::compile_error!("a map key is an integer, a bool or a string")
    };
}

/// The table of one field.
#[doc(hidden)]
#[macro_export]
macro_rules! __table {
    ($kind:tt $name:tt $number:literal [$([$option:ident $setting:expr])*] $explicit:expr) => {{
        let table = $crate::__private::field_table::<$crate::__private::kind!($kind)>(
            $crate::__private::name!($name), $number, $explicit, $crate::__private::optional!($kind),
        );
        $(let table = $crate::__private::option!(table $kind $option $setting);)*
        table
    }};
}

/// A function that wants what a member must be and has its name, so that errors say it: whether the member has
/// presence.
#[doc(hidden)]
#[macro_export]
macro_rules! __member {
    ($field:ident) => {
        #[allow(non_snake_case)]
        const fn $field<K, M, F>(_get: fn(&M) -> &F) -> bool
        where
            K: $crate::__private::FieldKind,
            F: $crate::__private::Field<K>,
        {
            F::EXPLICIT
        }
    };
}

/// The same for a variant of a oneof, whose presence is that of the oneof.
#[doc(hidden)]
#[macro_export]
macro_rules! __variant {
    ($arm:ident) => {
        #[allow(non_snake_case)]
        const fn $arm<K, T, O>(_new: fn(T) -> O) -> bool
        where
            K: $crate::__private::FieldKind,
            T: $crate::__private::Single<K>,
        {
            false
        }
    };
}

/// The same for the member of a oneof.
#[doc(hidden)]
#[macro_export]
macro_rules! __oneof {
    ($field:ident $($arm:ident)+) => {
        const fn $field<M, F: $crate::__private::OneofMember>(_get: fn(&M) -> &F) {}
    };
}

/// The same for the member that keeps unknown fields.
#[doc(hidden)]
#[macro_export]
macro_rules! __keeper {
    ($field:ident) => {
        const fn $field<M, F: $crate::__private::UnknownMember>(_get: fn(&M) -> &F) {}
    };
}

/// Whether the listing says `optional`.
#[doc(hidden)]
#[macro_export]
macro_rules! __optional {
    ([optional $($kind:tt)+]) => {
        true
    };
    ([$($kind:tt)+]) => {
        false
    };
}

/// An option in the table.
#[doc(hidden)]
#[macro_export]
macro_rules! __option {
    ($table:ident $kind:tt packed $setting:expr) => { $table.packed($setting) };
    ($table:ident $kind:tt json_name $setting:expr) => { $table.json_name($setting) };
    ($table:ident $kind:tt default $setting:expr) => {
        $table.default_value($crate::__private::default!($kind $setting))
    };
    ($table:ident $kind:tt $option:ident $setting:expr) => {
        $crate::__private::compile_error!("options of a field are `packed`, `default` and `json_name`")
    };
}

/// What the passes know of a field beside its kind and default value.
#[doc(hidden)]
#[macro_export]
macro_rules! __spec {
    ($number:literal [[packed $packed:expr] $($more:tt)*] $syntax:tt) => {
        $crate::__private::spec!($number [$($more)*] $syntax).packed($packed)
    };
    ($number:literal [$first:tt $($more:tt)*] $syntax:tt) => {
        $crate::__private::spec!($number [$($more)*] $syntax)
    };
    ($number:literal [] $syntax:tt) => {
        $crate::__private::Spec::new($number, $crate::__private::syntax!($syntax))
    };
}

/// Shows a member to a visitor.
#[doc(hidden)]
#[macro_export]
macro_rules! __show {
    ($visitor:ident $kind:tt $number:literal [[default $value:expr] $($more:tt)*] $syntax:tt $field:ident) => {
        $visitor.field_or::<$crate::__private::kind!($kind), _>(
            $crate::__private::default!($kind $value),
            $crate::__private::spec!($number [] $syntax),
            $field,
        )
    };
    ($visitor:ident $kind:tt $number:literal [[json_name $name:expr] $($more:tt)*] $syntax:tt $field:ident) => {
        $crate::__private::show!($visitor $kind $number [$($more)*] $syntax $field)
    };
    ($visitor:ident $kind:tt $number:literal $options:tt $syntax:tt $field:ident) => {
        $visitor.field::<$crate::__private::kind!($kind), _>(
            $crate::__private::spec!($number $options $syntax),
            $field,
        )
    };
}

/// Clears a member.
#[doc(hidden)]
#[macro_export]
macro_rules! __reset {
    ($kind:tt $number:literal [[default $value:expr] $($more:tt)*] $field:ident) => {
        $crate::__private::Field::<$crate::__private::kind!($kind)>::clear_to(
            $field,
            $crate::__private::default!($kind $value),
        )
    };
    ($kind:tt $number:literal [$first:tt $($more:tt)*] $field:ident) => {
        $crate::__private::reset!($kind $number [$($more)*] $field)
    };
    ($kind:tt $number:literal [] $field:ident) => {
        $crate::__private::Field::<$crate::__private::kind!($kind)>::clear($field)
    };
}

/// A default value, of the type that the kind wants.
#[doc(hidden)]
#[macro_export]
macro_rules! __default {
    ([optional $($kind:tt)+] $value:expr) => { $crate::__private::default!([$($kind)+] $value) };
    ([required $($kind:tt)+] $value:expr) => { $crate::__private::default!([$($kind)+] $value) };
    ([double] $value:expr) => { $crate::DefaultValue::Float($value as f64) };
    ([float] $value:expr) => { $crate::DefaultValue::Float($value as f64) };
    ([bool] $value:expr) => { $crate::DefaultValue::Bool($value) };
    ([string] $value:expr) => { $crate::DefaultValue::String($value) };
    ([bytes] $value:expr) => { $crate::DefaultValue::Bytes($value) };
    ([uint32] $value:expr) => { $crate::DefaultValue::Uint($value as u32 as u64) };
    ([fixed32] $value:expr) => { $crate::DefaultValue::Uint($value as u32 as u64) };
    ([uint64] $value:expr) => { $crate::DefaultValue::Uint($value as u64) };
    ([fixed64] $value:expr) => { $crate::DefaultValue::Uint($value as u64) };
    ([int32] $value:expr) => { $crate::DefaultValue::Int($value as i32 as i64) };
    ([sint32] $value:expr) => { $crate::DefaultValue::Int($value as i32 as i64) };
    ([sfixed32] $value:expr) => { $crate::DefaultValue::Int($value as i32 as i64) };
    ([int64] $value:expr) => { $crate::DefaultValue::Int($value as i64) };
    ([sint64] $value:expr) => { $crate::DefaultValue::Int($value as i64) };
    ([sfixed64] $value:expr) => { $crate::DefaultValue::Int($value as i64) };
    ([enum $($path:tt)+] $value:expr) => {
        $crate::DefaultValue::Enum($crate::__private::stringify!($value))
    };
    ([$($kind:tt)+] $value:expr) => {
        $crate::__private::compile_error!("only numbers, `bool`, `string`, `bytes` and enums have a default")
    };
}

/// The variant of a oneof, as a pattern or an expression.
#[doc(hidden)]
#[macro_export]
macro_rules! __arm {
    ([oneof $first:ident $(:: $path:ident)*] $arm:ident $value:ident) => { $first $(:: $path)* :: $arm($value) };
    ([$($kind:tt)+] $arm:ident $value:ident) => {
        $crate::__private::compile_error!("a list of variants is `oneof RustEnum { .. }`")
    };
}

/// A statement for the member that keeps unknown fields; nothing for others.
#[doc(hidden)]
#[macro_export]
macro_rules! __unknown {
    ([unknown_fields] $($statement:tt)+) => { $($statement)+; };
    ([$($kind:tt)+] $($statement:tt)+) => {};
}

/// Clears the members that are not fields.
#[doc(hidden)]
#[macro_export]
macro_rules! __clear {
    ([unknown_fields] $field:ident) => {
        $crate::__private::UnknownMember::bytes_mut($field).clear()
    };
    ([oneof $($path:tt)+] $field:ident) => {
        *$field = $crate::__private::None
    };
    ([$($kind:tt)+] $field:ident) => {};
}

/// The name in the schema.
#[doc(hidden)]
#[macro_export]
macro_rules! __name {
    ([$ident:ident]) => {
        $crate::__private::unraw($crate::__private::stringify!($ident))
    };
    ([$ident:ident $name:literal]) => {
        $name
    };
}

/// The syntax of a header.
#[doc(hidden)]
#[macro_export]
macro_rules! __syntax {
    ([]) => {
        $crate::Syntax::Proto3
    };
    (["proto3"]) => {
        $crate::Syntax::Proto3
    };
    (["proto2"]) => {
        $crate::Syntax::Proto2
    };
    ([$other:tt]) => {
        $crate::__private::compile_error!("the syntax is \"proto2\" or \"proto3\"")
    };
}
