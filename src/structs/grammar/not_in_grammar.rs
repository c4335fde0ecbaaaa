//! The macros that find the mistake in a listing that is not in the grammar.
//!
//! They take field after field, eight at a time where fields are simple, and stop at the first that is not in the grammar. The type gets
//! implementations that are never run, so that the mistake is the only error.

/// The mistake before the braces of a listing.
#[doc(hidden)]
#[macro_export]
macro_rules! __header_mistake {
    () => {
        $crate::listing::compile_error!("expected a listing: `Struct as \"package.Name\" { .. }`");
    };
    (#[$note:meta] $($rest:tt)*) => {
        $crate::listing::header_mistake! { $($rest)* }
    };
    // A listing in the grammar, with others that are not.
    (
        $type:ident $(<$($life:lifetime),+ $(,)?>)? as $full:literal $(syntax $syntax:tt)? {$($body:tt)*} $($rest:tt)*
    ) => {
        $crate::message! {
            $type $(<$($life),+>)? as $full $(syntax $syntax)? {$($body)*}
        }
        $crate::listing::header_mistake! { @after $type [$($rest)*] }
    };
    (@after $type:ident [, $($rest:tt)*]) => {
        $crate::listing::compile_error!($crate::listing::concat!(
            "no `,` after the listing of `", $crate::listing::stringify!($type), "`"
        ));
    };
    (@after $type:ident [; $($rest:tt)*]) => {
        $crate::listing::compile_error!($crate::listing::concat!(
            "no `;` after the listing of `", $crate::listing::stringify!($type), "`"
        ));
    };
    (@after $type:ident [$($rest:tt)+]) => {
        $crate::listing::header_mistake! { $($rest)* }
    };
    (@stop [$($life:lifetime)*] $type:ident $($message:expr),+) => {
        $crate::listing::compile_error!($crate::listing::concat!(
            "`", $crate::listing::stringify!($type), "`: ", $($message),+
        ));
        $crate::listing::inert! { [$type] [$($life)*] }
    };
    ($type:ident $(<$($life:lifetime),+ $(,)?>)? as $full:literal syntax {$($body:tt)*} $($rest:tt)*) => {
        $crate::listing::header_mistake! { @stop [$($($life)+)?] $type "`syntax` is followed by \"proto2\" or \"proto3\"" }
    };
    ($type:ident $(<$($life:lifetime),+ $(,)?>)? as $full:literal $other:tt $($rest:tt)*) => {
        $crate::listing::header_mistake! {
            @stop [$($($life)+)?] $type "expected the fields in braces, found `", $crate::listing::stringify!($other), "`"
        }
    };
    ($type:ident $(<$($life:lifetime),+ $(,)?>)? as $full:literal) => {
        $crate::listing::header_mistake! { @stop [$($($life)+)?] $type "expected the fields in braces" }
    };
    ($type:ident $(<$($life:lifetime),+ $(,)?>)? as $full:tt $($rest:tt)*) => {
        $crate::listing::header_mistake! {
            @stop [$($($life)+)?] $type "expected the full name in quotes, as in `as \"package.Name\"`, found `",
            $crate::listing::stringify!($full), "`"
        }
    };
    ($type:ident $(<$($life:lifetime),+ $(,)?>)? {$($body:tt)*} $($rest:tt)*) => {
        $crate::listing::header_mistake! {
            @stop [$($($life)+)?] $type "expected `as \"package.Name\"` before the fields"
        }
    };
    ($type:ident < $other:ident $($rest:tt)*) => {
        $crate::listing::compile_error!($crate::listing::concat!(
            "`", $crate::listing::stringify!($type), "`: only lifetimes are parameters of a listing, found `",
            $crate::listing::stringify!($other), "`"
        ));
    };
    (struct $type:ident $($rest:tt)*) => {
        $crate::listing::compile_error!($crate::listing::concat!(
            "`", $crate::listing::stringify!($type), "`: the struct is written outside; its listing is `",
            $crate::listing::stringify!($type), " as \"package.Name\" { .. }`"
        ));
        $crate::listing::inert! { [$type] [] }
    };
    ($type:ident $($rest:tt)*) => {
        $crate::listing::header_mistake! {
            @stop [] $type "expected `as \"package.Name\" { .. }` after the name of the struct"
        }
    };
    ($other:tt $($rest:tt)*) => {
        $crate::listing::compile_error!($crate::listing::concat!(
            "expected the name of a struct, found `", $crate::listing::stringify!($other), "`"
        ));
    };
}

/// The first mistake in the fields of a listing.
#[doc(hidden)]
#[macro_export]
macro_rules! __field_mistake {
    (@stop [[$type:ident] $lives:tt $full:tt $syntax:tt] $field:ident $($message:expr),+) => {
        $crate::listing::compile_error!($crate::listing::concat!(
            "`", $crate::listing::stringify!($field), "`: ", $($message),+
        ));
        $crate::listing::inert! { [$type] $lives }
    };
    // Simple fields, eight at a time.
    ($listing:tt
        $f1:ident $(as $n1:literal)?: $k1:ident $($q1:ident)? = $v1:literal,
        $f2:ident $(as $n2:literal)?: $k2:ident $($q2:ident)? = $v2:literal,
        $f3:ident $(as $n3:literal)?: $k3:ident $($q3:ident)? = $v3:literal,
        $f4:ident $(as $n4:literal)?: $k4:ident $($q4:ident)? = $v4:literal,
        $f5:ident $(as $n5:literal)?: $k5:ident $($q5:ident)? = $v5:literal,
        $f6:ident $(as $n6:literal)?: $k6:ident $($q6:ident)? = $v6:literal,
        $f7:ident $(as $n7:literal)?: $k7:ident $($q7:ident)? = $v7:literal,
        $f8:ident $(as $n8:literal)?: $k8:ident $($q8:ident)? = $v8:literal,
        $($rest:tt)*
    ) => {
        $crate::listing::field_mistake! { $listing $($rest)* }
    };
    ($listing:tt #[$doc:meta] $($rest:tt)*) => {
        $crate::listing::field_mistake! { $listing $($rest)* }
    };
    // A field in the grammar.
    ($listing:tt
        $field:ident $(as $name:literal)?:
            $first:tt $($kind:ident)* $(:: $path:ident)*
            $(< $($key:ident)+, $($value:ident)+ $(:: $value_path:ident)* $(,)? >)?
            $({$(
                $(#[$arm_doc:meta])*
                $arm:ident $(as $arm_name:literal)?:
                    $arm_first:tt $($arm_kind:ident)* $(:: $arm_path:ident)* = $arm_number:literal
                    $([$($arm_option:ident = $arm_setting:expr),+ $(,)?])?
            ),+ $(,)?})?
            $(= $number:literal $([$($option:ident = $setting:expr),+ $(,)?])?)?,
        $($rest:tt)*
    ) => {
        $crate::listing::field_mistake! { $listing $($rest)* }
    };
    // No comma between two fields.
    ($listing:tt
        $field:ident $(as $name:literal)?:
            $kind:ident $($more:ident)* $(:: $path:ident)* = $number:literal $([$($options:tt)*])?
        $next:ident $($rest:tt)*
    ) => {
        $crate::listing::field_mistake! {
            @stop $listing $field "expected `,` after the field, found `", $crate::listing::stringify!($next), "`"
        }
    };
    ($listing:tt
        $field:ident $(as $name:literal)?:
            $kind:ident $($more:ident)* $(:: $path:ident)* = $number:literal; $($rest:tt)*
    ) => {
        $crate::listing::field_mistake! { @stop $listing $field "expected `,` after the field, found `;`" }
    };
    ($listing:tt
        $field:ident $(as $name:literal)?:
            $kind:ident $($more:ident)* $(:: $path:ident)* = $number:literal [$($options:tt)*] $($rest:tt)*
    ) => {
        $crate::listing::field_mistake! { @stop $listing $field
            "expected options as in `[packed = false]`, found `[", $crate::listing::stringify!($($options)*), "]`"
        }
    };
    ($listing:tt $field:ident $(as $name:literal)?: Vec <$($rest:tt)*) => {
        $crate::listing::field_mistake! { @stop $listing $field "`Vec<..>` is no kind of field; a list is `repeated kind`" }
    };
    ($listing:tt $field:ident $(as $name:literal)?: Option <$($rest:tt)*) => {
        $crate::listing::field_mistake! {
            @stop $listing $field "`Option<..>` is no kind of field; list the kind alone, or `optional kind`"
        }
    };
    ($listing:tt $field:ident $(as $name:literal)?: map <$($rest:tt)*) => {
        $crate::listing::field_mistake! { @stop $listing $field "expected a map as in `map<string, int32> = 1`" }
    };
    ($listing:tt $field:ident $(as $name:literal)?: $kind:ident <$($rest:tt)*) => {
        $crate::listing::field_mistake! {
            @stop $listing $field "`", $crate::listing::stringify!($kind), "<..>` is no kind of field"
        }
    };
    ($listing:tt $field:ident $(as $name:literal)?: &$($rest:tt)*) => {
        $crate::listing::field_mistake! {
            @stop $listing $field "a reference is no kind of field; list `string`, `bytes` or another kind"
        }
    };
    ($listing:tt $field:ident $(as $name:literal)?: $kind:ident $($more:ident)* $(:: $path:ident)* {$($arms:tt)*} $($rest:tt)*) => {
        $crate::listing::field_mistake! {
            @stop $listing $field "expected variants as in `oneof Value { Number: int32 = 1, Text: string = 2 }`"
        }
    };
    ($listing:tt
        $field:ident $(as $name:literal)?:
            $kind:ident $($more:ident)* $(:: $path:ident)* = $number:tt $($rest:tt)*
    ) => {
        $crate::listing::field_mistake! {
            @stop $listing $field "expected a field number and `,`, found `", $crate::listing::stringify!($number $($rest)*), "`"
        }
    };
    ($listing:tt
        $field:ident $(as $name:literal)?:
            $kind:ident $($more:ident)* $(:: $path:ident)* $number:literal $($rest:tt)*
    ) => {
        $crate::listing::field_mistake! {
            @stop $listing $field "expected `=` before the field number ", $crate::listing::stringify!($number)
        }
    };
    // The order of .proto files.
    ($listing:tt map <$key:ident, $($value:ident).+> $field:ident = $($rest:tt)*) => {
        $crate::listing::field_mistake! { @proto $listing $field
            $crate::listing::stringify!(map<$key, $($value).+>)
        }
    };
    ($listing:tt $label:ident $($kind:ident).+ $field:ident = $($rest:tt)*) => {
        $crate::listing::field_mistake! { @proto $listing $field $crate::listing::stringify!($label $($kind).+) }
    };
    ($listing:tt $($kind:ident).+ $field:ident = $($rest:tt)*) => {
        $crate::listing::field_mistake! { @proto $listing $field $crate::listing::stringify!($($kind).+) }
    };
    (@proto $listing:tt $field:ident $kind:expr) => {
        $crate::listing::field_mistake! { @stop $listing $field
            "the name stands before the kind: `", $crate::listing::stringify!($field), ": ", $kind, " = 1`"
        }
    };
    ($listing:tt $field:ident as $name:ident $($rest:tt)*) => {
        $crate::listing::field_mistake! {
            @stop $listing $field "expected the name in quotes, as in `as \"name\"`, found `",
            $crate::listing::stringify!($name), "`"
        }
    };
    ($listing:tt $field:ident = $($rest:tt)*) => {
        $crate::listing::field_mistake! { @stop $listing $field "expected `:` and the kind before `=`" }
    };
    ($listing:tt $field:ident $(as $name:literal)?: $($rest:tt)*) => {
        $crate::listing::field_mistake! {
            @stop $listing $field "expected a kind and a field number, as in `", $crate::listing::stringify!($field), ": string = 1`"
        }
    };
    ($listing:tt $field:ident $($rest:tt)*) => {
        $crate::listing::field_mistake! {
            @stop $listing $field "expected `:`, a kind and a field number, as in `", $crate::listing::stringify!($field), ": string = 1`"
        }
    };
    ([[$type:ident] $lives:tt $full:tt $syntax:tt] $other:tt $($rest:tt)*) => {
        $crate::listing::compile_error!($crate::listing::concat!(
            "expected a member of `", $crate::listing::stringify!($type), "`, found `",
            $crate::listing::stringify!($other), "`"
        ));
        $crate::listing::inert! { [$type] $lives }
    };
    ([[$type:ident] $lives:tt $full:tt $syntax:tt]) => {
        $crate::listing::compile_error!($crate::listing::concat!(
            "the listing of `", $crate::listing::stringify!($type), "` is not in the grammar of `message!`"
        ));
        $crate::listing::inert! { [$type] $lives }
    };
}

/// Implementations for a type whose listing has a mistake, so that there is no second error.
#[doc(hidden)]
#[macro_export]
macro_rules! __inert {
    ([$type:ident] [$($life:lifetime)*]) => {
        impl<$($life),*> $crate::Message for $type<$($life),*> {
            const TABLE: &'static $crate::table::MessageTable = &$crate::table::MessageTable::new("", &[]);
            fn clear(&mut self) {}
            fn __visit_fields<__V: $crate::listing::VisitFields>(&self, _: &mut __V) {}
        }

        impl<$($life,)* '__input: $($life +)*> $crate::DecodeFrom<'__input> for $type<$($life),*> {}
    };
}

/// Words that are no kinds of fields, though one would think so. Each has a trait whose error says what to write.
pub mod mistakes {
    use core::marker::PhantomData;

    /// A word in a listing that is no kind.
    pub struct Word;

    macro_rules! mistakes {
        ($($trait:ident $message:literal;)*) => {$(
            #[doc = $message]
            #[diagnostic::on_unimplemented(message = $message, label = "no kind of field")]
            pub trait $trait: Sized {
                /// Does nothing.
                fn check(_: PhantomData<Self>) {}
            }
        )*};
    }

    mistakes! {
        I8 "`i8` is no kind of field; did you mean `int32`?";
        I16 "`i16` is no kind of field; did you mean `int32`?";
        I32 "`i32` is no kind of field; did you mean `int32`?";
        I64 "`i64` is no kind of field; did you mean `int64`?";
        Isize "`isize` is no kind of field; did you mean `int64`?";
        U8 "`u8` is no kind of field; did you mean `uint32`?";
        U16 "`u16` is no kind of field; did you mean `uint32`?";
        U32 "`u32` is no kind of field; did you mean `uint32`?";
        U64 "`u64` is no kind of field; did you mean `uint64`?";
        Usize "`usize` is no kind of field; did you mean `uint64`?";
        F32 "`f32` is no kind of field; did you mean `float`?";
        F64 "`f64` is no kind of field; did you mean `double`?";
        Int "`int` is no kind of field; did you mean `int32`?";
        Uint "`uint` is no kind of field; did you mean `uint32`?";
        Boolean "`boolean` is no kind of field; did you mean `bool`?";
        Str "`str` is no kind of field; did you mean `string`?";
        String "`String` is no kind of field; did you mean `string`?";
        Bytes "`Bytes` is no kind of field; did you mean `bytes`?";
    }
}
