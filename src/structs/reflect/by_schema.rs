//! Structs in other formats, by way of their encoding and a dynamic message of their table.

use super::schema::schema;
use crate::message::{Decoder, DynamicMessage, MessageView};
use crate::schema::pool::MessageDescriptor;
use crate::structs::{DecodeOwned, Message};
use crate::wire::error::{DecodeError, DescriptorError, EncodeError};
use crate::wire::options::{DecodeOptions, EncodeOptions};
use alloc::vec::Vec;

/// Whether a struct is whole is for the encoder to say, not for other formats.
const PARTIAL: EncodeOptions = EncodeOptions::new().allow_partial(true);

/// What the struct has encoded is taken back whole.
const WHOLE: DecodeOptions = DecodeOptions::new().allow_partial(true).budget(usize::MAX);

/// Why a struct could not be made a dynamic message, or the other way round.
pub(in crate::structs) enum Failure {
    /// The tables are no schema, or there is no memory for a pool.
    Schema(DescriptorError),
    Encode(EncodeError),
    /// What the one takes and the other does not: mostly that it needs more memory.
    Decode(DecodeError),
}

fn bytes<M: Message>(message: &M) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    message.encode_with(&mut bytes, PARTIAL).map_err(Failure::Encode)?;
    Ok(bytes)
}

/// Prints the message as a view of its schema.
pub(in crate::structs) fn print<M: Message, E>(
    message: &M,
    failed: impl Fn(Failure) -> E,
    print: impl FnOnce(MessageView<'_, '_>) -> Result<(), E>,
) -> Result<(), E> {
    let descriptor = schema::<M>().map_err(|error| failed(Failure::Schema(error)))?;
    let bytes = bytes(message).map_err(&failed)?;
    let mut decoder = Decoder::new(&descriptor).with_options(WHOLE);
    print(decoder.decode(&bytes).map_err(|error| failed(Failure::Decode(error)))?)
}

/// Makes a struct of what is parsed; `budget` is the memory that it may take.
pub(in crate::structs) fn parse<M: DecodeOwned, E>(
    budget: usize,
    failed: impl Fn(Failure) -> E,
    parse: impl FnOnce(&MessageDescriptor) -> Result<DynamicMessage, E>,
) -> Result<M, E> {
    let descriptor = schema::<M>().map_err(|error| failed(Failure::Schema(error)))?;
    let message = parse(&descriptor)?;
    let bytes = encoded(&message).map_err(&failed)?;
    let options = DecodeOptions::new().allow_partial(true).budget(budget);
    M::decode_with(&bytes, options).map_err(|error| failed(Failure::Decode(error)))
}

/// Merges what is parsed into a struct.
pub(in crate::structs) fn merge<M: DecodeOwned, E>(
    message: &mut M,
    budget: usize,
    failed: impl Fn(Failure) -> E,
    merge: impl FnOnce(&mut DynamicMessage) -> Result<(), E>,
) -> Result<(), E> {
    let descriptor = schema::<M>().map_err(|error| failed(Failure::Schema(error)))?;
    let before = bytes(message).map_err(&failed)?;
    let decoded = DynamicMessage::decode_with(&descriptor, &before, WHOLE);
    let mut merged = decoded.map_err(|error| failed(Failure::Decode(error)))?;
    merge(&mut merged)?;
    let bytes = encoded(&merged).map_err(&failed)?;
    // Members that are skipped stay.
    message.clear();
    let held = before.len().saturating_mul(32);
    let options = DecodeOptions::new().allow_partial(true).budget(budget.saturating_add(held));
    message.merge_with(&bytes, options).map_err(|error| {
        // A type of one's own refuses what the schema takes. What was there is read again from its encoding: some of it is lost if there is no
        // memory for it, or if a type refuses or changes its own encoding.
        message.clear();
        let _ = message.merge_with(&before, WHOLE);
        failed(Failure::Decode(error))
    })
}

fn encoded(message: &DynamicMessage) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    message.encode_with(&mut bytes, PARTIAL).map_err(Failure::Encode)?;
    Ok(bytes)
}
