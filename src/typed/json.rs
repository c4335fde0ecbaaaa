//! Structs as JSON.

use super::by_schema::{self, Failure};
use super::{DecodeOwned, Message};
use crate::error::{DecodeErrorKind, EncodeErrorKind};
use crate::json::{
    DeserializeError, DeserializeErrorKind, DeserializeOptions, SerializeError, SerializeErrorKind,
    SerializeOptions,
};
use crate::message::DynamicMessage;
use crate::wire::Buffer;

pub(super) fn print<M: Message>(
    message: &M,
    buffer: &mut impl Buffer,
    options: &SerializeOptions,
) -> Result<(), SerializeError> {
    let name = M::TABLE.full_name();
    let failed = |failure: Failure| match failure {
        Failure::Schema => SerializeError::of(SerializeErrorKind::InvalidMessage, name),
        Failure::Encode(error) => {
            let kind = match error.kind() {
                EncodeErrorKind::DepthExceeded => SerializeErrorKind::DepthExceeded,
                EncodeErrorKind::OutOfMemory => SerializeErrorKind::OutOfMemory,
                _ => SerializeErrorKind::InvalidMessage,
            };
            SerializeError::of(kind, name).on(error.path())
        }
        Failure::Decode(error) => {
            let kind = match error.kind() {
                DecodeErrorKind::OutOfMemory | DecodeErrorKind::BudgetExceeded => {
                    SerializeErrorKind::OutOfMemory
                }
                _ => SerializeErrorKind::InvalidMessage,
            };
            SerializeError::of(kind, name).on(error.path())
        }
    };
    by_schema::print(message, failed, |view| view.to_json_with(buffer, options))
}

pub(super) fn parse<M: DecodeOwned>(
    json: &[u8],
    options: &DeserializeOptions,
) -> Result<M, DeserializeError> {
    by_schema::parse(options.budget_for(json.len()), failed::<M>(json), |descriptor| {
        DynamicMessage::from_json_with(descriptor, json, options)
    })
}

pub(super) fn merge<M: DecodeOwned>(
    message: &mut M,
    json: &[u8],
    options: &DeserializeOptions,
) -> Result<(), DeserializeError> {
    let budget = options.budget_for(json.len());
    by_schema::merge(message, budget, failed::<M>(json), |merged| merged.merge_json_with(json, options))
}

fn failed<M: Message>(json: &[u8]) -> impl Fn(Failure) -> DeserializeError {
    |failure| {
        let name = M::TABLE.full_name();
        let Failure::Decode(error) = failure else {
            return DeserializeError::of(DeserializeErrorKind::InvalidMessage, json, name);
        };
        let kind = match error.kind() {
            DecodeErrorKind::BudgetExceeded => DeserializeErrorKind::BudgetExceeded,
            DecodeErrorKind::OutOfMemory => DeserializeErrorKind::OutOfMemory,
            DecodeErrorKind::DepthExceeded => DeserializeErrorKind::DepthExceeded,
            DecodeErrorKind::TooLarge => DeserializeErrorKind::TooLarge,
            _ => DeserializeErrorKind::InvalidMessage,
        };
        DeserializeError::of(kind, json, name).on(error.path())
    }
}
