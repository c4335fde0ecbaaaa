//! The route guide at an address: `guide-server 127.0.0.1:50051`. It has a thousand places: place N lies at N, N.

use std::net::SocketAddr;
use tablepb_services::Guide;
use tablepb_services::routeguide::route_guide_server::RouteGuideServer;
use tablepb_services::routeguide::{Feature, Point};
use tonic::transport::Server;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address: SocketAddr = std::env::args().nth(1).ok_or("guide-server HOST:PORT")?.parse()?;
    let place =
        |at| Feature { name: format!("place {at}"), location: Some(Point { latitude: at, longitude: at }) };
    let guide = Guide::new((0..1000).map(place).collect());
    println!("the route guide is at {address}");
    Server::builder().add_service(RouteGuideServer::new(guide)).serve(address).await?;
    Ok(())
}
