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
    ([map < $key:tt [group $($path:tt)+] >]) => { $crate::listing::kinds::Mistaken };
    ([map < $key:tt $value:tt >]) => {
        $crate::listing::kinds::MapEntries<$crate::listing::key!(kind $key), $crate::listing::kind!($value)>
    };
    ([optional $($kind:tt)+]) => { $crate::listing::kind!([$($kind)+]) };
    ([required $($kind:tt)+]) => { $crate::listing::kinds::Required<$crate::listing::kind!([$($kind)+])> };
    ([repeated $($kind:tt)+]) => { $crate::listing::kinds::Repeated<$crate::listing::kind!([$($kind)+])> };
    ([custom $($kind:tt)+]) => { $crate::listing::kinds::Custom<$crate::listing::kind!([$($kind)+])> };
    ([unknown_fields]) => { $crate::listing::kinds::KeptUnknown };
    // `verify!` reports it.
    ([$($kind:tt)*]) => { $crate::listing::kinds::Mistaken };
}

/// A map key: `kind` is its kind as a type, `check` is nothing, or an error if it is not the kind of a key.
#[doc(hidden)]
#[macro_export]
macro_rules! __key {
    ($what:ident [int32]) => { $crate::listing::key!(@key $what [int32]) };
    ($what:ident [int64]) => { $crate::listing::key!(@key $what [int64]) };
    ($what:ident [uint32]) => { $crate::listing::key!(@key $what [uint32]) };
    ($what:ident [uint64]) => { $crate::listing::key!(@key $what [uint64]) };
    ($what:ident [sint32]) => { $crate::listing::key!(@key $what [sint32]) };
    ($what:ident [sint64]) => { $crate::listing::key!(@key $what [sint64]) };
    ($what:ident [fixed32]) => { $crate::listing::key!(@key $what [fixed32]) };
    ($what:ident [fixed64]) => { $crate::listing::key!(@key $what [fixed64]) };
    ($what:ident [sfixed32]) => { $crate::listing::key!(@key $what [sfixed32]) };
    ($what:ident [sfixed64]) => { $crate::listing::key!(@key $what [sfixed64]) };
    ($what:ident [bool]) => { $crate::listing::key!(@key $what [bool]) };
    ($what:ident [string]) => { $crate::listing::key!(@key $what [string]) };
    (kind [custom $kind:ident]) => { $crate::listing::kinds::Custom<$crate::listing::key!(kind [$kind])> };
    (check [custom $kind:ident]) => { $crate::listing::key!(check [$kind]) };
    (@key kind $kind:tt) => { $crate::listing::kind!($kind) };
    (@key check $kind:tt) => {};
    (kind $other:tt) => { $crate::listing::kinds::Mistaken };
    (check $other:tt) => {
        $crate::listing::compile_error!("a map key is an integer, a bool or a string")
    };
}

/// What is known of one field, with its options.
#[doc(hidden)]
#[macro_export]
macro_rules! __fact {
    ($fact:expr, $kind:tt []) => { $fact };
    ($fact:expr, $kind:tt [$([$option:ident $setting:expr])+]) => {{
        let mut fact = $fact;
        let table = fact.table;
        $(let table = $crate::listing::option!(table $kind $option $setting);)+
        fact.table = table;
        fact
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

/// A member with its kind.
#[doc(hidden)]
#[macro_export]
macro_rules! __at {
    ($kind:tt $member:expr) => {
        $crate::listing::At($member, $crate::listing::PhantomData::<$crate::listing::kind!($kind)>)
    };
}

/// Passes a member to a visitor.
#[doc(hidden)]
#[macro_export]
macro_rules! __show {
    ($visitor:ident $kind:tt $number:literal [[default $value:expr] $($more:tt)*] $syntax:tt $member:expr) => {
        $crate::listing::at!($kind $member).show_or(
            $crate::listing::default!($kind $value),
            $crate::listing::spec!($number [] $syntax),
            $visitor,
        )
    };
    ($visitor:ident $kind:tt $number:literal [[json_name $name:expr] $($more:tt)*] $syntax:tt $member:expr) => {
        $crate::listing::show!($visitor $kind $number [$($more)*] $syntax $member)
    };
    ($visitor:ident $kind:tt $number:literal $options:tt $syntax:tt $member:expr) => {
        $crate::listing::at!($kind $member).show($crate::listing::spec!($number $options $syntax), $visitor)
    };
}

/// Passes the variant of a oneof that is set to a visitor, if it is one of these.
#[doc(hidden)]
#[macro_export]
macro_rules! __show_oneof {
    ($visitor:ident [oneof $($path:tt)+] $syntax:tt $member:expr, $($arms:tt)+) => {
        $crate::listing::show_oneof! { @oneof $visitor [oneof $($path)+] $syntax $member, $($arms)+ }
    };
    (@oneof $visitor:ident $oneof:tt $syntax:tt $member:expr, $([$arm:ident $kind:tt $number:literal $options:tt])+) => {
        match ($member).variant() {
            $($crate::listing::Some($crate::listing::variant!($oneof $arm value)) => {
                $crate::listing::at!($kind value).show_arm($crate::listing::spec!($number $options $syntax), $visitor)
            })+
            _ => {}
        }
    };
    // `member!` reports it.
    ($visitor:ident $kind:tt $syntax:tt $member:expr, $($arm:tt)+) => { () };
}

/// A variant of a oneof, as a pattern.
#[doc(hidden)]
#[macro_export]
macro_rules! __variant {
    ([oneof $($path:tt)+] $arm:ident $value:pat) => { $($path)+::$arm($value) };
}

/// Passes a variant to a visitor of one field.
#[doc(hidden)]
#[macro_export]
macro_rules! __visit_arm {
    ([oneof $($path:tt)+] $arm:ident $kind:tt $message:ident $field:ident $visitor:ident) => {
        match (&mut (*$message).$field).variant_mut() {
            $crate::listing::Some($($path)+::$arm(value)) if __V::MERGES => {
                $crate::listing::at!($kind value).visit_arm($visitor)
            }
            _ => $crate::listing::arm!([$($path)+] $arm $kind $message $field).visit_new($visitor),
        }
    };
    ($kind:tt $arm:ident $arm_kind:tt $message:ident $field:ident $visitor:ident) => { () };
}

/// The function that sets a variant to a new value, with its kind.
#[doc(hidden)]
#[macro_export]
macro_rules! __arm {
    ([$($path:tt)+] $arm:ident $kind:tt $message:ident $field:ident) => {
        $crate::listing::Arm(
            |value| (&mut (*$message).$field).set_variant($($path)+::$arm(value)),
            $crate::listing::PhantomData::<$crate::listing::kind!($kind)>,
            $crate::listing::PhantomData,
        )
    };
}

/// Unsets a member.
#[doc(hidden)]
#[macro_export]
macro_rules! __unset {
    ($number:literal $kind:tt [[default $value:expr] $($more:tt)*] $member:expr) => {
        $crate::listing::at!($kind $member).unset_to($crate::listing::default!($kind $value))
    };
    ($number:literal $kind:tt [$first:tt $($more:tt)*] $member:expr) => {
        $crate::listing::unset!($number $kind [$($more)*] $member)
    };
    ($number:literal $kind:tt [] $member:expr) => {
        $crate::listing::at!($kind $member).unset()
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
    ([unknown_fields] $member:expr) => {
        if let $crate::listing::Some(kept) = $crate::listing::at!([unknown_fields] $member).kept() {
            kept.clear();
        }
    };
    ([oneof $($path:tt)+] $member:expr) => {
        ($member).clear_variant()
    };
    ([$($kind:tt)+] $member:expr) => {};
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
