//! tablepb beside frameworks. The module is a file to copy: it has no more than the framework's traits ask for.
//!
//! | | |
//! |---|---|
//! | [`framed`] | length-delimited messages over any `AsyncRead` and `AsyncWrite`, for `tokio_util::codec::Framed` |
//!
//! It has a codec for structs of `message!` and one for messages whose schema is known at run time. gRPC is a crate of its own, `crates/tonic`.

pub mod framed;
