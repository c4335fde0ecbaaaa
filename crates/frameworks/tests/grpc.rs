//! A service of one unary and one streaming method, called in process: requests go through tonic's client, framing and server.

use http::uri::PathAndQuery;
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use tablepb::{DescriptorPool, DynamicMessage, Message, MessageDescriptor, message};
use tablepb_frameworks::grpc::{DynamicCodec, MessageCodec};
use tokio_stream::{Stream, StreamExt};
use tonic::body::Body;
use tonic::{Code, Request, Response, Status};

#[derive(Debug, Default, PartialEq)]
struct Ask {
    words: Vec<String>,
}
message! { Ask as "example.Ask" { words: repeated string = 1 } }

#[derive(Debug, Default, PartialEq)]
struct Answer {
    text: String,
    count: u32,
}
message! { Answer as "example.Answer" { text: string = 1, count: uint32 = 2 } }

fn join(ask: Ask) -> Answer {
    Answer { count: ask.words.len() as u32, text: ask.words.join(" ") }
}

/// The server's methods.
#[derive(Clone)]
struct Join;

impl tonic::server::UnaryService<Ask> for Join {
    type Response = Answer;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Answer>, Status>> + Send>>;

    fn call(&mut self, request: Request<Ask>) -> Self::Future {
        Box::pin(async move { Ok(Response::new(join(request.into_inner()))) })
    }
}

impl tonic::server::ServerStreamingService<Ask> for Join {
    type Response = Answer;
    type ResponseStream = Pin<Box<dyn Stream<Item = Result<Answer, Status>> + Send>>;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Self::ResponseStream>, Status>> + Send>>;

    fn call(&mut self, request: Request<Ask>) -> Self::Future {
        let answers = request.into_inner().words.into_iter().map(|word| Ok(join(Ask { words: vec![word] })));
        Box::pin(async move { Ok(Response::new(Box::pin(tokio_stream::iter(answers)) as _)) })
    }
}

/// The server as the client's channel.
#[derive(Clone)]
struct Local;

impl tower_service::Service<http::Request<Body>> for Local {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<http::Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let mut server = tonic::server::Grpc::new(MessageCodec::<Answer, Ask>::default());
        Box::pin(async move {
            Ok(match request.uri().path() {
                "/example.Joiner/Join" => server.unary(Join, request).await,
                _ => server.server_streaming(Join, request).await,
            })
        })
    }
}

fn descriptors() -> (MessageDescriptor, MessageDescriptor) {
    let pool = DescriptorPool::from_tables(&[Ask::TABLE, Answer::TABLE]).unwrap();
    (pool.message("example.Ask").unwrap(), pool.message("example.Answer").unwrap())
}

fn words(count: usize) -> Vec<String> {
    (0..count).map(|i| format!("word{i}")).collect()
}

#[tokio::test(flavor = "current_thread")]
async fn a_client_of_structs_calls_a_server_of_structs() {
    let mut client = tonic::client::Grpc::new(Local);
    // Up to messages that no chunk of a buffer holds.
    for count in [0, 1, 100, 20_000] {
        let ask = Ask { words: words(count) };
        let path = PathAndQuery::from_static("/example.Joiner/Join");
        let codec = MessageCodec::<Ask, Answer>::default();
        let answer: Response<Answer> = client.unary(Request::new(ask), path, codec).await.unwrap();
        assert_eq!(answer.into_inner(), join(Ask { words: words(count) }));
    }
}

#[tokio::test(flavor = "current_thread")]
async fn a_client_that_loads_its_schema_calls_the_same_server() {
    let (ask, answer) = descriptors();
    let mut client = tonic::client::Grpc::new(Local);
    let request = DynamicMessage::decode(&ask, &Ask { words: words(3) }.encode_to_vec().unwrap()).unwrap();
    let path = PathAndQuery::from_static("/example.Joiner/Each");
    let codec = DynamicCodec::receiving(answer.clone());
    let answers = client.server_streaming(Request::new(request), path, codec).await.unwrap().into_inner();
    let answers: Vec<DynamicMessage> = answers.map(Result::unwrap).collect().await;
    let expected = words(3).into_iter().map(|word| join(Ask { words: vec![word] }));
    let expected =
        expected.map(|one| DynamicMessage::decode(&answer, &one.encode_to_vec().unwrap()).unwrap());
    assert_eq!(answers, expected.collect::<Vec<_>>());
}

#[tokio::test(flavor = "current_thread")]
async fn a_request_that_is_no_message_is_an_invalid_argument() {
    // The client sends an `Answer` whose first field is not UTF-8 for the server's `Ask`.
    #[derive(Default)]
    struct Raw {
        bytes: Vec<u8>,
    }
    message! { Raw as "example.Raw" { bytes: bytes = 1 } }
    let mut client = tonic::client::Grpc::new(Local);
    let path = PathAndQuery::from_static("/example.Joiner/Join");
    let codec = MessageCodec::<Raw, Answer>::default();
    let request = Request::new(Raw { bytes: b"\xff".to_vec() });
    let status = client.unary(request, path, codec).await.map(drop).unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().contains("words"), "{}", status.message());
}
