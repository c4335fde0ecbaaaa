//! tonic's example helloworld/server.rs.

use tablepb_services::MyGreeter;
use tablepb_services::helloworld::greeter_server::GreeterServer;
use tonic::transport::Server;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let addr = "[::1]:50051".parse()?;
    println!("GreeterServer listening on {addr}");
    let reflection = tablepb_tonic::reflection::ReflectionServer::new([tablepb_services::pool()?]);
    Server::builder()
        .add_service(GreeterServer::new(MyGreeter))
        .add_service(reflection.v1())
        .serve(addr)
        .await?;
    Ok(())
}
