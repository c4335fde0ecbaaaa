//! The macros of `message!` that give access to one member, and check it.
//!
//! A mistake is reported once, here: by the checks of `accessor.rs` and the traits of `not_in_grammar.rs`, or by `compile_error!`. All other code
//! of an expansion compiles in spite of it.

/// The function that gives access to a member.
#[doc(hidden)]
#[macro_export]
macro_rules! __member {
    ($type:tt $lives:tt $field:ident [skip] [] [] $word:tt) => {};
    ($type:tt $lives:tt $field:ident [unknown_fields] [] [] [$word:tt]) => {
        $crate::listing::member! { @access $type $lives $field Keeper fit_keeper (
            $crate::listing::kinds::KeptUnknown
        ) |candidate| {
            $crate::listing::verify!(@check check_keeper fit_keeper $word candidate.2);
        } }
    };
    ($type:tt $lives:tt $field:ident [unknown_fields] [$number:literal] [] $word:tt) => {
        $crate::listing::member! { @mistake $field "the member that keeps unknown fields has no number" }
    };
    ($type:tt $lives:tt $field:ident [skip] [$number:literal] [] $word:tt) => {
        $crate::listing::member! { @mistake $field "a member that is skipped has no number" }
    };
    (@mistake $field:ident $message:literal) => {
        $crate::listing::compile_error!($crate::listing::concat!(
            "`", $crate::listing::stringify!($field), "`: ", $message
        ));
        #[allow(non_snake_case, dead_code)]
        fn $field() -> $crate::listing::Access<(), $crate::listing::Broken> {
            $crate::listing::Access((), $crate::listing::Broken)
        }
    };
    (
        $type:tt $lives:tt $field:ident [oneof $first:ident $(:: $path:ident)*] [] [$($arm:ident)+]
        [$word:tt $($words:tt)*]
    ) => {
        $crate::listing::member! { @oneof $type $lives $field [$first $(:: $path)*] [$($arm)+] $word }
    };
    ($type:tt $lives:tt $field:ident [oneof $($path:tt)*] [$($number:literal)?] [] $word:tt) => {
        $crate::listing::member! {
            @mistake $field "the variants of a oneof are listed in braces after its enum, with their numbers"
        }
    };
    ($type:tt $lives:tt $field:ident [$($kind:tt)+] [$($number:literal)?] [$($arm:ident)+] $word:tt) => {
        $crate::listing::member! {
            @mistake $field "a list of variants is `oneof RustEnum { .. }`, without a number"
        }
    };
    ($type:tt $lives:tt $field:ident [$($kind:tt)+] [] [] $word:tt) => {
        $crate::listing::compile_error!($crate::listing::concat!(
            "`", $crate::listing::stringify!($field), "` needs a field number: `",
            $crate::listing::stringify!($field), ": ", $crate::listing::stringify!($($kind)+), " = 1`"
        ));
    };
    ($type:tt $lives:tt $field:ident [$first:tt $($kind:tt)*] [$number:literal] [] $word:tt) => {
        $crate::listing::member! { @access $type $lives $field Member fit (
            $crate::listing::kind!([$first $($kind)*])
        ) |candidate| {
            $crate::listing::verify!((check_member fit) [candidate.2] $field $first [$first $($kind)*]);
        } }
    };
    (@access [$type:ident] [$($life:lifetime)*] $field:ident $access:ident $method:ident ($kind:ty) |$candidate:ident| $check:tt) => {
        #[allow(non_snake_case)]
        #[inline(always)]
        fn $field<$($life,)* '__input: $($life +)*>()
            -> impl $crate::listing::$access<'__input, $type<$($life),*>> + use<$($life,)* '__input>
        {
            #[allow(unused_imports)]
            use $crate::listing::Unfit as _;
            let $candidate = $crate::listing::Candidate::<'__input, $kind, $type<$($life),*>, _, _, _>(
                |message| &(*message).$field,
                |message| &mut (*message).$field,
                $crate::listing::Subject($crate::listing::PhantomData),
                $crate::listing::PhantomData,
            );
            // Checked, and no code is generated for it.
            if false $check
            $crate::listing::Access($candidate, $candidate.2.$method())
        }
    };
    (@oneof [$type:ident] [$($life:lifetime)*] $field:ident $path:tt [$($arm:ident)+] $word:tt) => {
        /// Names every variant: the compiler reports one that the listing forgets.
        #[allow(non_snake_case, dead_code)]
        fn $field<$($life),*>(message: &$type<$($life),*>) {
            #[allow(unused_imports)]
            use $crate::listing::{NoOneof as _, OneofMember as _};
            let $word = $crate::listing::type_of(|message: &$type<$($life),*>| &(*message).$field);
            $crate::listing::HoldsOneof::check($word);
            if let $crate::listing::Some(value) = (&(*message).$field).variant() {
                match *value {
                    $($crate::listing::arm!($path $arm _) => {})+
                }
            }
        }
    };
}

/// The function that gives access to a variant of a oneof.
#[doc(hidden)]
#[macro_export]
macro_rules! __variant {
    ($type:tt $lives:tt $field:ident [oneof $first:ident $(:: $path:ident)*] $arm:ident [$word:tt $($kind:tt)*]) => {
        $crate::listing::variant! {
            @access $type $lives $field [$first $(:: $path)*] $arm ($crate::listing::kind!([$word $($kind)*])) |candidate| {
                $crate::listing::verify!((check_variant fit_variant) [candidate.3] $arm $word [$word $($kind)*]);
            }
        }
    };
    // `member!` reports it.
    ($type:tt $lives:tt $field:ident [$($kind:tt)*] $arm:ident $arm_kind:tt) => {
        $crate::listing::variant! { @broken $type $lives $arm }
    };
    (@access [$type:ident] [$($life:lifetime)*] $field:ident [$($path:tt)+] $arm:ident ($kind:ty) |$candidate:ident| $check:tt) => {
        #[allow(non_snake_case)]
        #[inline(always)]
        fn $arm<$($life,)* '__input: $($life +)*>()
            -> impl $crate::listing::Variant<'__input, $type<$($life),*>> + use<$($life,)* '__input>
        {
            #[allow(unused_imports)]
            use $crate::listing::{NoOneof as _, OneofMember as _, Unfit as _};
            let $candidate = $crate::listing::CandidateVariant::<'__input, $kind, $type<$($life),*>, _, _, _, _>(
                |message| match (&(*message).$field).variant() {
                    $crate::listing::Some($($path)+::$arm(value)) => $crate::listing::Some(value),
                    _ => $crate::listing::None,
                },
                |message| match (&mut (*message).$field).variant_mut() {
                    $crate::listing::Some($($path)+::$arm(value)) => $crate::listing::Some(value),
                    _ => $crate::listing::None,
                },
                |message, value| (&mut (*message).$field).set_variant($($path)+::$arm(value)),
                $crate::listing::Subject($crate::listing::PhantomData),
                $crate::listing::PhantomData,
            );
            if false $check
            $crate::listing::Access($candidate, $candidate.3.fit_variant())
        }
    };
    (@broken [$type:ident] [$($life:lifetime)*] $arm:ident) => {
        #[allow(non_snake_case)]
        fn $arm() -> $crate::listing::Access<(), $crate::listing::Broken> {
            $crate::listing::Access((), $crate::listing::Broken)
        }
    };
}

/// Checks that the kind exists, and that it fits the member. The word stands where the error is to be.
#[doc(hidden)]
#[macro_export]
macro_rules! __verify {
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
    ($what:tt $subject:tt $field:ident $word:tt [map < $key:tt $kind:tt >]) => {
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
