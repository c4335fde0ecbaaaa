//! gRPC from the command line (feature `grpc`): `call`, `list` and `describe`, with the flags of grpcurl where it has them.
//!
//! The schema comes from sources, from a descriptor set, or from the server by reflection.

pub mod call;
mod connection;
pub mod describe;
mod documents;
pub mod list;

use crate::failure::Failure;
use crate::roots::Roots;
use crate::schema::Schema;
use clap::ArgMatches;
use connection::Server;
pub use connection::server_arguments as arguments;
use std::future::Future;
use tonic::Status;

/// Runs something of tonic's on this thread.
fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Failure::report(format!("starting: {error}")))?.block_on(work)
}

/// The schema of a running server.
pub fn schema(address: &str, matches: &ArgMatches) -> Result<Schema, Failure> {
    let pool = block_on(connection::reflected(address, matches))?;
    let files = pool.files().map(|file| file.name().to_owned()).collect();
    Ok(Schema { pool, files, place: format!("grpc:{address}"), roots: Roots::default() })
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
