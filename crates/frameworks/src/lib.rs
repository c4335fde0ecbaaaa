//! tablepb beside frameworks. Each module is a file to copy: it has no more than the framework's traits ask for.
//!
//! | | |
//! |---|---|
//! | [`framed`] | length-delimited messages over any `AsyncRead` and `AsyncWrite`, for `tokio_util::codec::Framed` |
//! | [`grpc`] | messages of a gRPC service, for `tonic::server::Grpc` and `tonic::client::Grpc` |
//!
//! Both have a codec for structs of `message!` and one for messages whose schema is known at run time.

pub mod framed;
pub mod grpc;
