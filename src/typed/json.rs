//! Structs as JSON, by way of their encoding and a dynamic message of their table.

use super::schema::schema;
use super::{DecodeOwned, Message};
use crate::error::{DecodeError, DecodeErrorKind, EncodeError, EncodeErrorKind};
use crate::json::{
    DeserializeError, DeserializeErrorKind, DeserializeOptions, SerializeError, SerializeErrorKind,
    SerializeOptions,
};
use crate::message::{Decoder, DynamicMessage};
use crate::options::{DecodeOptions, EncodeOptions};
use crate::wire::Buffer;
use alloc::vec::Vec;

/// Whether a struct is whole is for the encoder to say, not for JSON.
const PARTIAL: EncodeOptions = EncodeOptions::new().allow_partial(true);

pub(super) fn print<M: Message>(
    message: &M,
    buffer: &mut impl Buffer,
    options: &SerializeOptions,
) -> Result<(), SerializeError> {
    let no_schema = |_| SerializeError::of(SerializeErrorKind::InvalidMessage, M::TABLE.full_name());
    let descriptor = schema::<M>().map_err(no_schema)?;
    let bytes = bytes(message).map_err(|error| {
        let kind = match error.kind() {
            EncodeErrorKind::DepthExceeded => SerializeErrorKind::DepthExceeded,
            EncodeErrorKind::OutOfMemory => SerializeErrorKind::OutOfMemory,
            _ => SerializeErrorKind::InvalidMessage,
        };
        SerializeError::of(kind, M::TABLE.full_name()).on(error.path())
    })?;
    let mut decoder = Decoder::new(&descriptor).with_options(whole());
    let view = decoder.decode(&bytes).map_err(|error| {
        let kind = match error.kind() {
            DecodeErrorKind::OutOfMemory | DecodeErrorKind::BudgetExceeded => SerializeErrorKind::OutOfMemory,
            _ => SerializeErrorKind::InvalidMessage,
        };
        SerializeError::of(kind, M::TABLE.full_name()).on(error.path())
    })?;
    view.to_json_with(buffer, options)
}

fn bytes<M: Message>(message: &M) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = Vec::new();
    message.encode_with(&mut bytes, PARTIAL)?;
    Ok(bytes)
}

/// What the struct has encoded is taken back whole.
const fn whole() -> DecodeOptions {
    DecodeOptions::new().allow_partial(true).budget(usize::MAX)
}

pub(super) fn parse<M: DecodeOwned>(
    json: &[u8],
    options: &DeserializeOptions,
) -> Result<M, DeserializeError> {
    let descriptor = schema::<M>().map_err(|_| invalid::<M>(json))?;
    let message = DynamicMessage::from_json_with(&descriptor, json, options)?;
    let bytes = encoded::<M>(&message, json)?;
    let limits = limits(json, options);
    M::decode_with(&bytes, limits).map_err(|error| refused::<M>(json, &error))
}

pub(super) fn merge<M: DecodeOwned>(
    message: &mut M,
    json: &[u8],
    options: &DeserializeOptions,
) -> Result<(), DeserializeError> {
    let descriptor = schema::<M>().map_err(|_| invalid::<M>(json))?;
    let before = bytes(message).map_err(|_| invalid::<M>(json))?;
    let mut merged = DynamicMessage::decode_with(&descriptor, &before, whole())
        .map_err(|error| refused::<M>(json, &error))?;
    merged.merge_json_with(json, options)?;
    let bytes = encoded::<M>(&merged, json)?;
    // Members that are not listed stay; if there is no memory for the others, some of them are lost.
    message.clear();
    let held = before.len().saturating_mul(32);
    let limits = limits(json, options);
    let limits = limits.budget(limits.budget_for(bytes.len()).saturating_add(held));
    message.merge_with(&bytes, limits).map_err(|error| refused::<M>(json, &error))
}

fn limits(json: &[u8], options: &DeserializeOptions) -> DecodeOptions {
    DecodeOptions::new().allow_partial(true).budget(options.budget_for(json.len()))
}

fn encoded<M: Message>(message: &DynamicMessage, json: &[u8]) -> Result<Vec<u8>, DeserializeError> {
    let mut bytes = Vec::new();
    let encoded = message.encode_with(&mut bytes, PARTIAL);
    encoded.map(|()| bytes).map_err(|_| invalid::<M>(json))
}

#[cold]
fn invalid<M: Message>(json: &[u8]) -> DeserializeError {
    DeserializeError::of(DeserializeErrorKind::InvalidMessage, json, M::TABLE.full_name())
}

/// What the struct does not take, though the schema does: mostly that it needs more memory.
#[cold]
fn refused<M: Message>(json: &[u8], error: &DecodeError) -> DeserializeError {
    let kind = match error.kind() {
        DecodeErrorKind::BudgetExceeded => DeserializeErrorKind::BudgetExceeded,
        DecodeErrorKind::OutOfMemory => DeserializeErrorKind::OutOfMemory,
        DecodeErrorKind::DepthExceeded => DeserializeErrorKind::DepthExceeded,
        DecodeErrorKind::TooLarge => DeserializeErrorKind::TooLarge,
        _ => DeserializeErrorKind::InvalidMessage,
    };
    DeserializeError::of(kind, json, M::TABLE.full_name()).on(error.path())
}
