//! tonic's example helloworld/client.rs.

use tablepb_services::helloworld::HelloRequest;
use tablepb_services::helloworld::greeter_client::GreeterClient;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut client = GreeterClient::connect("http://[::1]:50051").await?;
    let request = tonic::Request::new(HelloRequest { name: "Tonic".into() });
    let response = client.say_hello(request).await?;
    println!("RESPONSE={response:?}");
    Ok(())
}
