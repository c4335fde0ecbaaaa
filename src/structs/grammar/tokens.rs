//! The small macros of `message!`, which translate the tokens of one field.
//!
//! `message!` passes the parts of a field in these forms: a kind is `[repeated message path]`, options are
//! `[[packed false] [json_name "x"]]`, a name is `[ident]` or `[ident "name"]`.

/// The kind of a field as a type.
#[doc(hidden)]
#[macro_export]
macro_rules! __kind {
    ([double]) => { $crate::listing::kinds::Double };
    ([float]) => { $crate::listing::kinds::Float };
    ([int32]) => { $crate::listing::kinds::Int32 };
    ([int64]) => { $crate::listing::kinds::Int64 };
    ([uint32]) => { $crate::listing::kinds::Uint32 };
    ([uint64]) => { $crate::listing::kinds::Uint64 };
    ([sint32]) => { $crate::listing::kinds::Sint32 };
    ([sint64]) => { $crate::listing::kinds::Sint64 };
    ([fixed32]) => { $crate::listing::kinds::Fixed32 };
    ([fixed64]) => { $crate::listing::kinds::Fixed64 };
    ([sfixed32]) => { $crate::listing::kinds::Sfixed32 };
    ([sfixed64]) => { $crate::listing::kinds::Sfixed64 };
    ([bool]) => { $crate::listing::kinds::Bool };
    ([string]) => { $crate::listing::kinds::String };
    ([bytes]) => { $crate::listing::kinds::Bytes };
    ([enum $($path:tt)+]) => { $crate::listing::kinds::EnumOf<$($path)+> };
    ([message $($path:tt)+]) => { $crate::listing::kinds::Nested<$($path)+> };
    ([group $($path:tt)+]) => { $crate::listing::kinds::GroupOf<$($path)+> };
    ([map < $key:tt [group $($path:tt)+] >]) => {
        $crate::listing::compile_error!("a map value is not a group")
    };
    ([map < $key:tt $value:tt >]) => {
        $crate::listing::kinds::MapEntries<$crate::listing::key!($key), $crate::listing::kind!($value)>
    };
    ([optional $($kind:tt)+]) => { $crate::listing::kind!([$($kind)+]) };
    ([required $($kind:tt)+]) => { $crate::listing::kinds::Required<$crate::listing::kind!([$($kind)+])> };
    ([repeated $($kind:tt)+]) => { $crate::listing::kinds::Repeated<$crate::listing::kind!([$($kind)+])> };
    ([custom $($kind:tt)+]) => { $crate::listing::kinds::Custom<$crate::listing::kind!([$($kind)+])> };
    // `verify!` reports it.
    ([$($kind:tt)*]) => { $crate::listing::kinds::Mistaken };
}

/// The kind of a map key as a type.
#[doc(hidden)]
#[macro_export]
macro_rules! __key {
    ([double]) => {
        $crate::listing::compile_error!("a map key is an integer, a bool or a string")
    };
    ([float]) => {
        $crate::listing::compile_error!("a map key is an integer, a bool or a string")
    };
    ([bytes]) => {
        $crate::listing::compile_error!("a map key is an integer, a bool or a string")
    };
    ([$kind:ident]) => {
        $crate::listing::kind!([$kind])
    };
    ([custom $kind:ident]) => {
        $crate::listing::kinds::Custom<$crate::listing::key!([$kind])>
    };
    ([$($kind:tt)*]) => {
        $crate::listing::compile_error!("a map key is an integer, a bool or a string")
    };
}

/// The table of one field, with its options.
#[doc(hidden)]
#[macro_export]
macro_rules! __table {
    ($field:expr, $kind:tt [$([$option:ident $setting:expr])*]) => {{
        let table = $field;
        $(let table = $crate::listing::option!(table $kind $option $setting);)*
        table
    }};
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

/// Sets an option in the table.
#[doc(hidden)]
#[macro_export]
macro_rules! __option {
    ($table:ident $kind:tt packed $setting:expr) => { $table.packed($setting) };
    ($table:ident $kind:tt json_name $setting:expr) => { $table.json_name($setting) };
    ($table:ident $kind:tt default $setting:expr) => {
        $table.default_value($crate::listing::default!($kind $setting))
    };
    ($table:ident $kind:tt $option:ident $setting:expr) => {
        $crate::listing::compile_error!("options of a field are `packed`, `default` and `json_name`")
    };
}

/// The `WireSpec` of a field.
#[doc(hidden)]
#[macro_export]
macro_rules! __spec {
    ($number:literal [[packed $packed:expr] $($more:tt)*] $syntax:tt) => {
        $crate::listing::spec!($number [$($more)*] $syntax).packed($packed)
    };
    ($number:literal [$first:tt $($more:tt)*] $syntax:tt) => {
        $crate::listing::spec!($number [$($more)*] $syntax)
    };
    ($number:literal [] $syntax:tt) => {
        $crate::listing::WireSpec::new($number, $crate::listing::syntax!($syntax))
    };
}

/// Passes a member to a visitor.
#[doc(hidden)]
#[macro_export]
macro_rules! __show {
    ($visitor:ident $kind:tt $number:literal [[default $value:expr] $($more:tt)*] $syntax:tt ($member:expr) $message:ident) => {
        $crate::listing::show_or(
            $member,
            $message,
            $crate::listing::default!($kind $value),
            $crate::listing::spec!($number [] $syntax),
            $visitor,
        )
    };
    ($visitor:ident $kind:tt $number:literal [[json_name $name:expr] $($more:tt)*] $syntax:tt $member:tt $message:ident) => {
        $crate::listing::show!($visitor $kind $number [$($more)*] $syntax $member $message)
    };
    ($visitor:ident $kind:tt $number:literal $options:tt $syntax:tt ($member:expr) $message:ident) => {
        $crate::listing::show($member, $message, $crate::listing::spec!($number $options $syntax), $visitor)
    };
}

/// Clears a member.
#[doc(hidden)]
#[macro_export]
macro_rules! __reset {
    ($kind:tt [[default $value:expr] $($more:tt)*] ($member:expr) $message:tt $number:literal) => {
        $crate::listing::clear_to($member, $message, $crate::listing::default!($kind $value))
    };
    ($kind:tt [$first:tt $($more:tt)*] $member:tt $message:tt $number:literal) => {
        $crate::listing::reset!($kind [$($more)*] $member $message $number)
    };
    ($kind:tt [] ($member:expr) $message:tt $number:literal) => {
        $crate::listing::clear_member($member, $message)
    };
}

/// A default value, as the type that the kind needs.
#[doc(hidden)]
#[macro_export]
macro_rules! __default {
    ([optional $($kind:tt)+] $value:expr) => { $crate::listing::default!([$($kind)+] $value) };
    ([required $($kind:tt)+] $value:expr) => { $crate::listing::default!([$($kind)+] $value) };
    ([custom $($kind:tt)+] $value:expr) => { $crate::listing::default!([$($kind)+] $value) };
    ([double] $value:expr) => { $crate::table::DefaultValue::Float($value as f64) };
    ([float] $value:expr) => { $crate::table::DefaultValue::Float($value as f64) };
    ([bool] $value:expr) => { $crate::table::DefaultValue::Bool($value) };
    ([string] $value:expr) => { $crate::table::DefaultValue::String($value) };
    ([bytes] $value:expr) => { $crate::table::DefaultValue::Bytes($value) };
    ([uint32] $value:expr) => { $crate::table::DefaultValue::Uint($value as u32 as u64) };
    ([fixed32] $value:expr) => { $crate::table::DefaultValue::Uint($value as u32 as u64) };
    ([uint64] $value:expr) => { $crate::table::DefaultValue::Uint($value as u64) };
    ([fixed64] $value:expr) => { $crate::table::DefaultValue::Uint($value as u64) };
    ([int32] $value:expr) => { $crate::table::DefaultValue::Int($value as i32 as i64) };
    ([sint32] $value:expr) => { $crate::table::DefaultValue::Int($value as i32 as i64) };
    ([sfixed32] $value:expr) => { $crate::table::DefaultValue::Int($value as i32 as i64) };
    ([int64] $value:expr) => { $crate::table::DefaultValue::Int($value as i64) };
    ([sint64] $value:expr) => { $crate::table::DefaultValue::Int($value as i64) };
    ([sfixed64] $value:expr) => { $crate::table::DefaultValue::Int($value as i64) };
    ([enum $($path:tt)+] $value:expr) => {
        $crate::table::DefaultValue::Enum($crate::listing::unraw($crate::listing::stringify!($value)))
    };
    ([$($kind:tt)+] $value:expr) => {
        $crate::listing::compile_error!("only numbers, `bool`, `string`, `bytes` and enums have a default")
    };
}

/// The type of a listing. A type without lifetimes is only its name, so that an error about one that is missing has the place of the name.
#[doc(hidden)]
#[macro_export]
macro_rules! __listed {
    ([$type:tt] []) => { $type };
    ([$type:tt] [$($life:lifetime)+]) => { $type<$($life),+> };
}

/// The variant of a oneof, as a pattern.
#[doc(hidden)]
#[macro_export]
macro_rules! __arm {
    ([$($path:tt)+] $arm:ident $value:pat) => { $($path)+::$arm($value) };
}

/// A statement for the member that keeps unknown fields; nothing for other members.
#[doc(hidden)]
#[macro_export]
macro_rules! __unknown {
    ([unknown_fields] $($statement:tt)+) => { $($statement)+; };
    ([$($kind:tt)+] $($statement:tt)+) => {};
}

/// Clears the member that keeps unknown fields, or that of a oneof.
#[doc(hidden)]
#[macro_export]
macro_rules! __clear {
    ([unknown_fields] $members:ident $field:ident $message:tt) => {
        $crate::listing::Keeper::get_mut($members::$field(), $message).clear()
    };
    ([oneof $($path:tt)+] $members:ident $field:ident $message:tt) => {
        $crate::listing::clear_oneof!($message $field)
    };
    ([$($kind:tt)+] $members:ident $field:ident $message:tt) => {};
}

/// Clears the member of a oneof.
#[doc(hidden)]
#[macro_export]
macro_rules! __clear_oneof {
    ($message:tt $field:ident) => {{
        #[allow(unused_imports)]
        use $crate::listing::{NoOneof as _, OneofMember as _};
        (&mut $message.$field).clear_variant()
    }};
}

/// The name in the schema.
#[doc(hidden)]
#[macro_export]
macro_rules! __name {
    ([$ident:ident]) => {
        $crate::listing::unraw($crate::listing::stringify!($ident))
    };
    ([$ident:ident $name:literal]) => {
        $name
    };
}

/// The syntax of a listing.
#[doc(hidden)]
#[macro_export]
macro_rules! __syntax {
    ([]) => {
        $crate::table::Syntax::Proto3
    };
    (["proto3"]) => {
        $crate::table::Syntax::Proto3
    };
    (["proto2"]) => {
        $crate::table::Syntax::Proto2
    };
    ([$other:tt]) => {
        $crate::listing::compile_error!("the syntax is \"proto2\" or \"proto3\"")
    };
}
