//! Errors with details: `google.rpc.Status` in `tonic::Status`, as the `grpc-status-details-bin` of gRPC has it.
//!
//! | | |
//! |---|---|
//! | [`with_details`] | a `tonic::Status` that has them |
//! | [`details`] | those of a `tonic::Status` |
//! | [`Detail`] | one: a type of google/rpc/error_details.proto, or any message |
//!
//! ```
//! use tablepb_tonic::status::{BadRequest, Detail, bad_request::FieldViolation, details, with_details};
//! use tonic::Code;
//!
//! let violation = FieldViolation { field: "user.age".into(), description: "is negative".into(), ..Default::default() };
//! let status = with_details(Code::InvalidArgument, "bad user", [BadRequest { field_violations: vec![violation] }]);
//! let found = details(&status)?;
//! let Detail::BadRequest(bad) = &found[0] else { panic!("{found:?}") };
//! assert_eq!(bad.field_violations[0].field, "user.age");
//! # Ok::<(), tablepb::DecodeError>(())
//! ```

pub use crate::pb::google_rpc::{
    BadRequest, DebugInfo, ErrorInfo, Help, LocalizedMessage, PreconditionFailure, QuotaFailure, RequestInfo,
    ResourceInfo, RetryInfo, bad_request, help, precondition_failure, quota_failure,
};

use crate::pb::google_rpc;
use tablepb::wkt::Any;
use tablepb::{DecodeError, Message};
use tonic::{Code, Status};

/// What type URLs begin with.
const PREFIX: &str = "type.googleapis.com/";

macro_rules! details {
    ($($name:ident: $doc:literal,)+) => {
        /// A detail of an error.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum Detail {
            $(#[doc = $doc] $name($name),)+
            /// A message of another type.
            Other(Any),
        }

        impl Detail {
            /// Those of the types, and of `google.protobuf.Any`.
            #[cfg(feature = "transcode")]
            pub(crate) fn tables() -> Vec<&'static tablepb::table::MessageTable> {
                vec![Any::TABLE, $($name::TABLE,)+]
            }

            fn to_any(&self) -> Any {
                match self {
                    $(Self::$name(detail) => Any {
                        type_url: format!("{PREFIX}{}", $name::TABLE.full_name()),
                        // It has no required fields, and is no deeper than two levels.
                        value: detail.encode_to_vec().unwrap_or_default(),
                    },)+
                    Self::Other(any) => any.clone(),
                }
            }

            fn from_any(any: Any) -> Result<Self, DecodeError> {
                let name = any.type_url.rsplit('/').next().unwrap_or_default();
                $(if name == $name::TABLE.full_name() {
                    return $name::decode(&any.value).map(Self::$name);
                })+
                Ok(Self::Other(any))
            }
        }

        $(impl From<$name> for Detail {
            fn from(detail: $name) -> Self {
                Self::$name(detail)
            }
        })+
    };
}

details! {
    ErrorInfo: "The cause.",
    RetryInfo: "When a client may try again.",
    DebugInfo: "Where it comes from, for a developer.",
    QuotaFailure: "Limits that are used up.",
    PreconditionFailure: "Conditions that are not met.",
    BadRequest: "Fields of the request that are wrong.",
    RequestInfo: "The request.",
    ResourceInfo: "What was asked for.",
    Help: "Where help is.",
    LocalizedMessage: "A text for users.",
}

impl From<Any> for Detail {
    fn from(any: Any) -> Self {
        Self::Other(any)
    }
}

/// A status with details, which come to a client in the order given.
///
/// tonic sends them as metadata, which servers bound: keep them to a few KiB.
pub fn with_details<D: Into<Detail>>(
    code: Code,
    message: impl Into<String>,
    details: impl IntoIterator<Item = D>,
) -> Status {
    let message = message.into();
    let details = details.into_iter().map(|detail| detail.into().to_any()).collect();
    let status = google_rpc::Status { code: code as i32, message: message.clone(), details };
    // Every `Any` can be encoded.
    Status::with_details(code, message, status.encode_to_vec().unwrap_or_default().into())
}

/// The details of a status; empty if it has none.
///
/// # Errors
/// They are no `google.rpc.Status`, or one of the known types is no message of its type. The status itself is good all the same.
pub fn details(status: &Status) -> Result<Vec<Detail>, DecodeError> {
    let status = google_rpc::Status::decode(status.details())?;
    status.details.into_iter().map(Detail::from_any).collect()
}
