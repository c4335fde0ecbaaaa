//! The small macros of `message!`, which translate the tokens of one field.
//!
//! `message!` passes the parts of a field in these forms: a kind is `[repeated message path]`, options are
//! `[[packed false] [json_name "x"]]`, a name is `[ident]` or `[ident "name"]`.

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
    ([enum $($path:tt)+]) => { $crate::__private::kinds::EnumOf<$($path)+> };
    ([message $($path:tt)+]) => { $crate::__private::kinds::Nested<$($path)+> };
    ([group $($path:tt)+]) => { $crate::__private::kinds::GroupOf<$($path)+> };
    ([map < $key:tt [group $($path:tt)+] >]) => {
        $crate::__private::compile_error!("a map value is not a group")
    };
    ([map < $key:tt $value:tt >]) => {
        $crate::__private::kinds::MapEntries<$crate::__private::key!($key), $crate::__private::kind!($value)>
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

/// Whether a member has presence, by a function with the name of the member and the trait bound of its kind, so that the
/// error about an unsuitable type is at that name.
#[doc(hidden)]
#[macro_export]
macro_rules! __member {
    ($field:ident) => {
        #[allow(non_snake_case)]
        const fn $field<K, M, F>(_get: fn(&M) -> &F) -> bool
        where
            K: $crate::__private::KindMarker,
            F: $crate::__private::EncodeField<K>,
        {
            F::EXPLICIT
        }
    };
}

/// The same for a variant of a oneof.
#[doc(hidden)]
#[macro_export]
macro_rules! __variant {
    ($arm:ident) => {
        #[allow(non_snake_case)]
        const fn $arm<K, T, O>(_new: fn(T) -> O) -> bool
        where
            K: $crate::__private::KindMarker,
            T: $crate::__private::EncodeValue<K>,
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

/// Sets an option in the table.
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

/// The `WireSpec` of a field.
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
        $crate::__private::WireSpec::new($number, $crate::__private::syntax!($syntax))
    };
}

/// Passes a member to a visitor.
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
    ($kind:tt [[default $value:expr] $($more:tt)*] $member:expr) => {
        $crate::__private::EncodeField::<$crate::__private::kind!($kind)>::clear_to(
            $member,
            $crate::__private::default!($kind $value),
        )
    };
    ($kind:tt [$first:tt $($more:tt)*] $member:expr) => {
        $crate::__private::reset!($kind [$($more)*] $member)
    };
    ($kind:tt [] $member:expr) => {
        $crate::__private::EncodeField::<$crate::__private::kind!($kind)>::clear($member)
    };
}

/// A default value, as the type that the kind needs.
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

/// A statement for the member that keeps unknown fields; nothing for other members.
#[doc(hidden)]
#[macro_export]
macro_rules! __unknown {
    ([unknown_fields] $($statement:tt)+) => { $($statement)+; };
    ([$($kind:tt)+] $($statement:tt)+) => {};
}

/// Clears the member that keeps unknown fields.
#[doc(hidden)]
#[macro_export]
macro_rules! __clear {
    ([unknown_fields] $member:tt) => {
        $crate::__private::UnknownMember::bytes_mut($member).clear()
    };
    ([oneof $($path:tt)+] $member:tt) => {
        *$member = $crate::__private::None
    };
    ([$($kind:tt)+] $member:tt) => {};
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

/// The syntax of a listing.
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
