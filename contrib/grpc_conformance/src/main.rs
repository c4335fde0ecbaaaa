//! `tablepb-grpc-conformance server` and `.. client`: what connectconformance runs.

mod client;
mod headers;
mod server;
mod wire;

#[allow(missing_docs)]
mod conformance {
    tablepb::include_proto!("connectrpc.conformance.v1");
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    match std::env::args().nth(1).as_deref() {
        Some("server") => server::run().await,
        Some("client") => client::run().await,
        _ => Err("server or client".into()),
    }
}
