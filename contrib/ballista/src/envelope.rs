//! The bytes that the codecs write: a mark, then a message.

use crate::recent::Functions;
use datafusion::common::internal_datafusion_err;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::ScalarUDF;
use std::sync::Arc;
use tablepb::{DecodeFrom, Message};
use tablepb_datafusion::FunctionSet;

/// Bytes of other codecs are protobuf messages, and none of those begins so: `t` would end a group that was not begun.
const MARK: &[u8] = b"tablepb\0";

/// A table: [`ListingTableScanNode`](datafusion_proto::protobuf::ListingTableScanNode) without a format and without paths, which lose their patterns there.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Table {
    pub(crate) format: Vec<u8>,
    pub(crate) listing: Vec<u8>,
    pub(crate) locations: Vec<Location>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Location {
    pub(crate) url: String,
    pub(crate) glob: Option<String>,
}

/// A scan: [`FileScanExecConf`](datafusion_proto::protobuf::FileScanExecConf), and what that has no fields for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Scan {
    pub(crate) format: Vec<u8>,
    pub(crate) config: Vec<u8>,
    /// For each file, in the order of the groups.
    pub(crate) versions: Vec<Version>,
    /// The limit there has 32 bits.
    pub(crate) limit: Option<u64>,
    /// A [`PhysicalExprNode`](datafusion_proto::protobuf::PhysicalExprNode): which rows are wanted.
    pub(crate) predicate: Option<Vec<u8>>,
}

/// A function over messages: the bytes of its set.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Function {
    pub(crate) set: Vec<u8>,
}

/// By what a store knows that a file has changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Version {
    pub(crate) e_tag: Option<String>,
    pub(crate) version: Option<String>,
}

tablepb::message! {
    Table as "tablepb.ballista.Table" {
        format: bytes = 1,
        listing: bytes = 2,
        locations: repeated message Location = 3,
    }
    Location as "tablepb.ballista.Location" {
        url: string = 1,
        glob: optional string = 2,
    }
    Scan as "tablepb.ballista.Scan" {
        format: bytes = 1,
        config: bytes = 2,
        versions: repeated message Version = 3,
        limit: optional uint64 = 4,
        predicate: optional bytes = 5,
    }
    Function as "tablepb.ballista.Function" {
        set: bytes = 1,
    }
    Version as "tablepb.ballista.Version" {
        e_tag: optional string = 1,
        version: optional string = 2,
    }
}

/// Appends a function over messages; false if it is another one.
pub(crate) fn write_function(function: &ScalarUDF, into: &mut Vec<u8>) -> Result<bool> {
    let Some(set) = FunctionSet::bytes_of(function) else { return Ok(false) };
    write(&Function { set: set? }, into).map(|()| true)
}

/// A function over messages; `None` for bytes of another codec.
pub(crate) fn read_function(
    name: &str,
    bytes: &[u8],
    functions: &Functions,
) -> Option<Result<Arc<ScalarUDF>>> {
    let function = read::<Function>(bytes)?;
    Some(function.and_then(|function| functions.get(&function.set)?.function(name)))
}

/// Appends the mark and a message.
pub(crate) fn write(message: &impl Message, into: &mut Vec<u8>) -> Result<()> {
    let bytes = message.encode_to_vec().map_err(external)?;
    into.extend_from_slice(MARK);
    into.extend_from_slice(&bytes);
    Ok(())
}

/// The message after the mark; `None` for bytes of another codec.
pub(crate) fn read<'b, T: Message + DecodeFrom<'b>>(bytes: &'b [u8]) -> Option<Result<T>> {
    let message = bytes.strip_prefix(MARK)?;
    Some(T::decode(message).map_err(external))
}

pub(crate) fn external(error: impl std::error::Error + Send + Sync + 'static) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

/// Parts of a plan that do not fit together, as a writer of another version may leave them.
pub(crate) fn misfit(what: &str) -> DataFusionError {
    internal_datafusion_err!("a plan over protobuf files that was not made by this version: {what}")
}
