//! The messages and stubs of gRPC's own services, written by `tablepb-build`: `tests/generated.rs` keeps them up to date.

/// Package `google.api`.
#[cfg(feature = "transcode")]
#[rustfmt::skip]
pub mod google_api {
    include!("generated/google.api.rs");
}

/// Package `google.rpc`.
#[rustfmt::skip]
pub mod google_rpc {
    include!("generated/google.rpc.rs");
}

/// Package `grpc.health.v1`.
#[cfg(feature = "health")]
#[rustfmt::skip]
pub mod health {
    include!("generated/grpc.health.v1.rs");
}

/// Package `grpc.reflection.v1`.
#[cfg(feature = "reflection")]
#[rustfmt::skip]
pub mod reflection_v1 {
    include!("generated/grpc.reflection.v1.rs");
}

/// Package `grpc.reflection.v1alpha`.
#[cfg(feature = "reflection")]
#[rustfmt::skip]
pub mod reflection_v1alpha {
    include!("generated/grpc.reflection.v1alpha.rs");
}
