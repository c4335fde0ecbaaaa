//! The greeter of tonic's first example.

use crate::helloworld::greeter_server::Greeter;
use crate::helloworld::{HelloReply, HelloRequest};
use tonic::{Request, Response, Status};

/// Greets by name.
#[derive(Clone, Copy, Debug, Default)]
pub struct MyGreeter;

#[tonic::async_trait]
impl Greeter for MyGreeter {
    async fn say_hello(&self, request: Request<HelloRequest>) -> Result<Response<HelloReply>, Status> {
        let reply = HelloReply { message: format!("Hello {}!", request.into_inner().name) };
        Ok(Response::new(reply))
    }
}
