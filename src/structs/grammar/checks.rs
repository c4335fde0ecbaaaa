//! The macros of `message!` that check one member.
//!
//! A mistake is reported once, here: by the checks of `accessor.rs` and the traits of `not_in_grammar.rs`, or by `compile_error!`. All other code
//! of an expansion compiles in spite of it.

/// Checks a member.
#[doc(hidden)]
#[macro_export]
macro_rules! __member {
    ($message:ident $field:ident [skip] [] [] $word:tt) => {};
    ($message:ident $field:ident [unknown_fields] [] [] [$word:tt]) => {{
        $crate::listing::verify!(
            @check check_keeper fit_keeper $word $crate::listing::member!(@subject &(*$message).$field, [unknown_fields])
        );
    }};
    ($message:ident $field:ident [unknown_fields] [$number:literal] [] $word:tt) => {
        $crate::listing::member! { @mistake $field "the member that keeps unknown fields has no number" }
    };
    ($message:ident $field:ident [skip] [$number:literal] [] $word:tt) => {
        $crate::listing::member! { @mistake $field "a member that is skipped has no number" }
    };
    ($message:ident $field:ident [oneof $($path:ident)::+] [] [$($arms:tt)+] [$word:tt $($words:tt)*]) => {
        $crate::listing::member! { @oneof $message $field [oneof $($path)::+] [$($arms)+] $word }
    };
    (@oneof $message:ident $field:ident $oneof:tt [$([$arm:ident $arm_kind:tt])+] $word:tt) => {{
        let $word = $crate::listing::type_of(&(*$message).$field);
        $crate::listing::HoldsOneof::check($word);
        // Names every variant: the compiler reports one that the listing forgets.
        if let $crate::listing::Some(value) = (&(*$message).$field).variant() {
            match *value {
                $($crate::listing::variant!($oneof $arm _) => {})+
            }
        }
        $($crate::listing::member! { @variant $oneof $arm $arm_kind $arm_kind })+
    }};
    (@variant [oneof $($path:tt)+] $arm:ident [$word:tt $($kind:tt)*] $whole:tt) => {{
        $crate::listing::verify!((check_variant fit_variant) [
            $crate::listing::variant_subject(
                |value| $($path)+::$arm(value),
                $crate::listing::PhantomData::<$crate::listing::kind!($whole)>,
            )
        ] $arm $word $whole);
    }};
    ($message:ident $field:ident [oneof $($path:tt)*] [$($number:literal)?] [] $word:tt) => {
        $crate::listing::member! {
            @mistake $field "the variants of a oneof are listed in braces after its enum, with their numbers"
        }
    };
    ($message:ident $field:ident [$($kind:tt)+] [$($number:literal)?] [$($arm:tt)+] $word:tt) => {
        $crate::listing::member! {
            @mistake $field "a list of variants is `oneof RustEnum { .. }`, without a number"
        }
    };
    ($message:ident $field:ident [$($kind:tt)+] [] [] $word:tt) => {
        $crate::listing::compile_error!($crate::listing::concat!(
            "`", $crate::listing::stringify!($field), "` needs a field number: `",
            $crate::listing::stringify!($field), ": ", $crate::listing::stringify!($($kind)+), " = 1`"
        ));
    };
    ($message:ident $field:ident [$first:tt $($kind:tt)*] [$number:literal] [] $word:tt) => {{
        $crate::listing::verify!((check_member fit) [
            $crate::listing::member!(@subject &(*$message).$field, $word)
        ] $field $first $word);
    }};
    (@subject $member:expr, $kind:tt) => {
        $crate::listing::subject($member, $crate::listing::PhantomData::<$crate::listing::kind!($kind)>)
    };
    (@mistake $field:ident $message:literal) => {
        $crate::listing::compile_error!($crate::listing::concat!(
            "`", $crate::listing::stringify!($field), "`: ", $message
        ));
    };
}

/// Checks that the kind exists, and that it fits the member. The word stands where the error is to be.
#[doc(hidden)]
#[macro_export]
macro_rules! __verify {
    ($what:tt $subject:tt $field:ident $word:tt [custom optional $($kind:tt)+]) => {
        $crate::listing::verify!(@custom $field)
    };
    ($what:tt $subject:tt $field:ident $word:tt [custom required $($kind:tt)+]) => {
        $crate::listing::verify!(@custom $field)
    };
    ($what:tt $subject:tt $field:ident $word:tt [custom repeated $($kind:tt)+]) => {
        $crate::listing::verify!(@custom $field)
    };
    ($what:tt $subject:tt $field:ident $word:tt [custom map $($kind:tt)+]) => {
        $crate::listing::verify!(@custom $field)
    };
    ($what:tt $subject:tt $field:ident $word:tt [optional map $($kind:tt)+]) => {
        $crate::listing::verify!(@mistake $field "a map has no label")
    };
    (@custom $field:ident) => {
        $crate::listing::verify!(@mistake $field "after `custom` stands the kind of one value; a label stands before it")
    };
    (@mistake $field:ident $message:literal) => {
        $crate::listing::compile_error!($crate::listing::concat!(
            "`", $crate::listing::stringify!($field), "`: ", $message
        ))
    };
    ($what:tt $subject:tt $field:ident $word:tt [optional $($kind:tt)+]) => {
        $crate::listing::verify!($what $subject $field $word [$($kind)+])
    };
    ($what:tt $subject:tt $field:ident $word:tt [required $($kind:tt)+]) => {
        $crate::listing::verify!($what $subject $field $word [$($kind)+])
    };
    ($what:tt $subject:tt $field:ident $word:tt [repeated $($kind:tt)+]) => {
        $crate::listing::verify!($what $subject $field $word [$($kind)+])
    };
    ($what:tt $subject:tt $field:ident $word:tt [custom $($kind:tt)+]) => {
        $crate::listing::verify!($what $subject $field $word [$($kind)+])
    };
    ($what:tt $subject:tt $field:ident $word:tt [map < $key:tt [group $($path:tt)+] >]) => {
        $crate::listing::compile_error!("a map value is not a group")
    };
    ($what:tt $subject:tt $field:ident $word:tt [map < $key:tt $kind:tt >]) => {
        $crate::listing::key!(check $key);
        $crate::listing::verify!($what $subject $field $word $kind)
    };
    ($what:tt $subject:tt $field:ident $word:tt [message $($path:tt)+]) => {
        $crate::listing::verify!(@listed check_message fit_message $word ($($path)+));
        $crate::listing::verify!(@fits $what $subject $word)
    };
    ($what:tt $subject:tt $field:ident $word:tt [group $($path:tt)+]) => {
        $crate::listing::verify!(@listed check_message fit_message $word ($($path)+));
        $crate::listing::verify!(@fits $what $subject $word)
    };
    ($what:tt $subject:tt $field:ident enum [enum $($path:tt)+]) => {
        $crate::listing::verify!(@listed check_enum fit_enum found ($($path)+));
        $crate::listing::verify!(@fits $what $subject found)
    };
    ($what:tt $subject:tt $field:ident $word:tt [enum $($path:tt)+]) => {
        $crate::listing::verify!(@listed check_enum fit_enum $word ($($path)+));
        $crate::listing::verify!(@fits $what $subject $word)
    };
    (@listed $check:ident $fit:ident $word:tt ($path:ty)) => {
        $crate::listing::verify!(@check $check $fit $word $crate::listing::Listed($crate::listing::PhantomData::<$path>));
    };
    (@fits ($check:ident $fit:ident) [$($subject:tt)+] $word:tt) => {
        $crate::listing::verify!(@check $check $fit $word $($subject)+.subject());
    };
    (@check $check:ident $fit:ident $word:tt $subject:expr) => {
        let subject = $subject;
        let $word = &subject.$fit();
        $crate::listing::$check(subject, $word);
    };
    (@no_kind $word:tt $($mistake:tt)+) => {
        let $word = $crate::listing::PhantomData::<$crate::listing::mistakes::Word>;
        $crate::listing::mistakes::$($mistake)+::check($word);
    };
    ($what:tt $subject:tt $field:ident $word:tt [double]) => { $crate::listing::verify!(@fits $what $subject $word) };
    ($what:tt $subject:tt $field:ident $word:tt [float]) => { $crate::listing::verify!(@fits $what $subject $word) };
    ($what:tt $subject:tt $field:ident $word:tt [int32]) => { $crate::listing::verify!(@fits $what $subject $word) };
    ($what:tt $subject:tt $field:ident $word:tt [int64]) => { $crate::listing::verify!(@fits $what $subject $word) };
    ($what:tt $subject:tt $field:ident $word:tt [uint32]) => { $crate::listing::verify!(@fits $what $subject $word) };
    ($what:tt $subject:tt $field:ident $word:tt [uint64]) => { $crate::listing::verify!(@fits $what $subject $word) };
    ($what:tt $subject:tt $field:ident $word:tt [sint32]) => { $crate::listing::verify!(@fits $what $subject $word) };
    ($what:tt $subject:tt $field:ident $word:tt [sint64]) => { $crate::listing::verify!(@fits $what $subject $word) };
    ($what:tt $subject:tt $field:ident $word:tt [fixed32]) => { $crate::listing::verify!(@fits $what $subject $word) };
    ($what:tt $subject:tt $field:ident $word:tt [fixed64]) => { $crate::listing::verify!(@fits $what $subject $word) };
    ($what:tt $subject:tt $field:ident $word:tt [sfixed32]) => { $crate::listing::verify!(@fits $what $subject $word) };
    ($what:tt $subject:tt $field:ident $word:tt [sfixed64]) => { $crate::listing::verify!(@fits $what $subject $word) };
    ($what:tt $subject:tt $field:ident $word:tt [bool]) => { $crate::listing::verify!(@fits $what $subject $word) };
    ($what:tt $subject:tt $field:ident $word:tt [string]) => { $crate::listing::verify!(@fits $what $subject $word) };
    ($what:tt $subject:tt $field:ident $word:tt [bytes]) => { $crate::listing::verify!(@fits $what $subject $word) };
    ($what:tt $subject:tt $field:ident $word:tt [i8]) => { $crate::listing::verify!(@no_kind $word I8) };
    ($what:tt $subject:tt $field:ident $word:tt [i16]) => { $crate::listing::verify!(@no_kind $word I16) };
    ($what:tt $subject:tt $field:ident $word:tt [i32]) => { $crate::listing::verify!(@no_kind $word I32) };
    ($what:tt $subject:tt $field:ident $word:tt [i64]) => { $crate::listing::verify!(@no_kind $word I64) };
    ($what:tt $subject:tt $field:ident $word:tt [isize]) => { $crate::listing::verify!(@no_kind $word Isize) };
    ($what:tt $subject:tt $field:ident $word:tt [u8]) => { $crate::listing::verify!(@no_kind $word U8) };
    ($what:tt $subject:tt $field:ident $word:tt [u16]) => { $crate::listing::verify!(@no_kind $word U16) };
    ($what:tt $subject:tt $field:ident $word:tt [u32]) => { $crate::listing::verify!(@no_kind $word U32) };
    ($what:tt $subject:tt $field:ident $word:tt [u64]) => { $crate::listing::verify!(@no_kind $word U64) };
    ($what:tt $subject:tt $field:ident $word:tt [usize]) => { $crate::listing::verify!(@no_kind $word Usize) };
    ($what:tt $subject:tt $field:ident $word:tt [f32]) => { $crate::listing::verify!(@no_kind $word F32) };
    ($what:tt $subject:tt $field:ident $word:tt [f64]) => { $crate::listing::verify!(@no_kind $word F64) };
    ($what:tt $subject:tt $field:ident $word:tt [int]) => { $crate::listing::verify!(@no_kind $word Int) };
    ($what:tt $subject:tt $field:ident $word:tt [uint]) => { $crate::listing::verify!(@no_kind $word Uint) };
    ($what:tt $subject:tt $field:ident $word:tt [boolean]) => { $crate::listing::verify!(@no_kind $word Boolean) };
    ($what:tt $subject:tt $field:ident $word:tt [str]) => { $crate::listing::verify!(@no_kind $word Str) };
    ($what:tt $subject:tt $field:ident $word:tt [String]) => { $crate::listing::verify!(@no_kind $word String) };
    ($what:tt $subject:tt $field:ident $word:tt [Bytes]) => { $crate::listing::verify!(@no_kind $word Bytes) };
    ($what:tt $subject:tt $field:ident $word:tt [$($kind:tt)*]) => {
        $crate::listing::compile_error!($crate::listing::concat!(
            "`", $crate::listing::stringify!($field), "`: `", $crate::listing::stringify!($($kind)*),
            "` is no kind of field; the docs of `message!` list them, a struct is `message Name` and an enum `enum Name`"
        ));
    };
}
