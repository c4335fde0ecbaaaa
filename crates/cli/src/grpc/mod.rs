//! gRPC from the command line (feature `grpc`): `call`, `list` and `describe`, with the flags of grpcurl where it has them.
//!
//! The schema comes from sources, from a descriptor set, or from the server by reflection.

pub mod call;
mod connection;
pub mod describe;
mod documents;
pub mod list;

use crate::failure::Failure;
use connection::Server;
use std::future::Future;
use tonic::Status;

/// Runs something of tonic's on this thread.
fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Failure::report(format!("starting: {error}")))?.block_on(work)
}

/// An error of a call: its code, its text and its details, each on a line.
fn failure(status: &Status) -> Failure {
    let mut text = format!("{:?}: {}", status.code(), status.message());
    match tablepb_tonic::status::details(status) {
        Ok(details) => details.iter().for_each(|detail| text += &format!("\n  {detail:?}")),
        Err(error) => text += &format!("\n  the details cannot be read: {error}"),
    }
    Failure::Status { code: status.code() as u8, text }
}
