//! Words that are no kinds of fields, though one would think so. Each has a trait whose error says what to write.

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
