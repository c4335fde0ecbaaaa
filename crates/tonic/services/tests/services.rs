//! Services over loopback: structs, dynamic messages and prost in all pairings; reflection, health and details beside those of tonic.

mod support;

use support::{Served, channel, dynamic, feature, features, guide, point, serve, serve_dynamic};
use tablepb::{DecodeOptions, DynamicMessage, text};
use tablepb_services::helloworld::greeter_client::GreeterClient;
use tablepb_services::helloworld::greeter_server::GreeterServer;
use tablepb_services::helloworld::{HelloReply, HelloRequest};
use tablepb_services::routeguide::route_guide_client::RouteGuideClient;
use tablepb_services::routeguide::{Feature, Point, Rectangle, RouteNote, RouteSummary};
use tablepb_services::{MyGreeter, pool};
use tablepb_tonic::DynamicClient;
use tokio_stream::StreamExt;
use tonic::codec::CompressionEncoding;
use tonic::transport::Server;
use tonic::{Code, Request};

/// All four kinds of methods, by the stubs.
async fn ask_by_stubs(server: &Served) {
    let mut client = RouteGuideClient::new(channel(server).await);
    let found = client.get_feature(point(2, 2)).await.unwrap().into_inner();
    assert_eq!(found, feature("B", 2, 2));
    let all = Rectangle { lo: Some(point(2, 1)), hi: Some(point(9, 9)) };
    let found: Vec<Feature> =
        client.list_features(all).await.unwrap().into_inner().map(Result::unwrap).collect().await;
    assert_eq!(found, [feature("B", 2, 2), feature("C", 3, 3)]);
    let route = tokio_stream::iter([point(1, 1), point(2, 2), point(3, 2)]);
    let summary = client.record_route(route).await.unwrap().into_inner();
    assert_eq!(
        summary,
        RouteSummary { point_count: 3, feature_count: 2, distance: summary.distance, elapsed_time: 0 }
    );
    let note = |message: &str| RouteNote { location: Some(point(7, 7)), message: message.into() };
    let notes = tokio_stream::iter(["a", "b", "c"].map(note));
    let mut answers = client.route_chat(notes).await.unwrap().into_inner();
    let mut found = Vec::new();
    while let Some(answer) = answers.next().await {
        found.push(answer.unwrap().message);
    }
    assert_eq!(found, ["a", "a", "b"]);
}

/// All four kinds of methods, by name.
async fn ask_by_name(server: &Served) {
    let pool = pool().unwrap();
    let mut client = DynamicClient::new(channel(server).await, pool.clone());
    let message = |name: &str, source: &str| dynamic(&pool, name, source);
    let found =
        client.unary("routeguide.RouteGuide/GetFeature", message("Point", "latitude: 2 longitude: 2")).await;
    let expected = message("Feature", "name: 'B' location { latitude: 2 longitude: 2 }");
    assert_eq!(found.unwrap().into_inner(), expected);
    let all = message("Rectangle", "lo { latitude: 2 longitude: 1 } hi { latitude: 9 longitude: 9 }");
    let found =
        client.server_streaming("/routeguide.RouteGuide/ListFeatures", all).await.unwrap().into_inner();
    let found: Vec<DynamicMessage> = found.map(Result::unwrap).collect().await;
    assert_eq!((found.len(), &found[0]), (2, &expected));
    let points =
        ["latitude: 1 longitude: 1", "latitude: 2 longitude: 2"].map(|source| message("Point", source));
    let summary =
        client.client_streaming("routeguide.RouteGuide.RecordRoute", tokio_stream::iter(points)).await;
    let summary = text::to_string(&summary.unwrap().into_inner()).unwrap();
    assert!(summary.starts_with("point_count:2,feature_count:2"), "{summary}");
    let notes =
        ["a", "b"].map(|text| message("RouteNote", &format!("location {{ latitude: 8 }} message: '{text}'")));
    let answers =
        client.streaming("routeguide.RouteGuide/RouteChat", tokio_stream::iter(notes.clone())).await;
    let answers: Vec<DynamicMessage> = answers.unwrap().into_inner().map(Result::unwrap).collect().await;
    assert_eq!(answers, [notes[0].clone()]);
}

#[tokio::test]
async fn stubs_and_dynamic_clients_ask_a_server_of_stubs() {
    let server = serve(Server::builder().add_service(guide())).await;
    ask_by_stubs(&server).await;
    ask_by_name(&server).await;
}

/// The same, through a proxy that knows the schema at run time only.
#[tokio::test]
async fn stubs_and_dynamic_clients_ask_through_a_dynamic_proxy() {
    let server = serve(Server::builder().add_service(guide())).await;
    let proxy = serve_dynamic(support::proxy(&server).await).await;
    ask_by_stubs(&proxy).await;
    ask_by_name(&proxy).await;
}

#[tokio::test]
async fn stubs_and_dynamic_clients_ask_a_dynamic_server() {
    let server = serve_dynamic(support::dynamic_guide()).await;
    ask_by_stubs(&server).await;
    ask_by_name(&server).await;
}

#[tokio::test]
async fn compressed_messages_are_those_that_were_sent() {
    let gzip = CompressionEncoding::Gzip;
    let greeter = GreeterServer::new(MyGreeter).accept_compressed(gzip).send_compressed(gzip);
    let server = serve(Server::builder().add_service(greeter)).await;
    // Short and long, which are decoded in two ways.
    for len in [3, 100_000] {
        let name = "n".repeat(len);
        let mut client =
            GreeterClient::new(channel(&server).await).send_compressed(gzip).accept_compressed(gzip);
        let reply = client.say_hello(HelloRequest { name: name.clone() }).await.unwrap().into_inner();
        assert_eq!(reply.message, format!("Hello {name}!"));
        let mut client = DynamicClient::new(channel(&server).await, pool().unwrap());
        client = client.send_compressed(gzip).accept_compressed(gzip);
        let mut request = client.request("helloworld.Greeter/SayHello").unwrap();
        request.set_field("name", name.as_str()).unwrap();
        let reply = client.unary("helloworld.Greeter/SayHello", request).await.unwrap().into_inner();
        assert_eq!(text::to_string(&reply).unwrap(), format!("message:\"Hello {name}!\""));
    }
}

#[tokio::test]
async fn wrong_calls_are_refused_before_anything_is_sent() {
    let server = serve(Server::builder().add_service(guide())).await;
    let pool = pool().unwrap();
    let mut client = DynamicClient::new(channel(&server).await, pool.clone());
    let point = dynamic(&pool, "Point", "");
    for (method, code, text) in [
        ("routeguide.RouteGide/GetFeature", Code::Unimplemented, "routeguide.RouteGuide"),
        ("routeguide.RouteGuide/Get", Code::Unimplemented, "has no method Get"),
        ("Get", Code::Unimplemented, "is no name of a method"),
        (
            "routeguide.RouteGuide/ListFeatures",
            Code::InvalidArgument,
            "takes one message and returns a stream of messages",
        ),
        (
            "helloworld.Greeter/SayHello",
            Code::InvalidArgument,
            "takes helloworld.HelloRequest, and not routeguide.Point",
        ),
    ] {
        let status = client.unary(method, point.clone()).await.unwrap_err();
        assert_eq!(status.code(), code, "{method}");
        assert!(status.message().contains(text), "{}", status.message());
    }
    // In a stream it is an error that ends the call.
    let other = dynamic(&pool, "Rectangle", "");
    let summary = client
        .client_streaming("routeguide.RouteGuide/RecordRoute", tokio_stream::iter([point, other]))
        .await;
    assert!(summary.is_err(), "{summary:?}");
}

#[tokio::test]
async fn a_dynamic_server_checks_what_is_registered_and_what_comes_out() {
    let pool = pool().unwrap();
    let server = || tablepb_tonic::DynamicServer::new(pool.clone());
    let answer =
        |_, request: Request<DynamicMessage>| async move { Ok(tonic::Response::new(request.into_inner())) };
    let code = |result: Result<tablepb_tonic::DynamicServer, tonic::Status>| result.unwrap_err().code();
    assert_eq!(code(server().unary("routeguide.RouteGuide/Nothing", answer)), Code::Unimplemented);
    assert_eq!(code(server().unary("routeguide.RouteGuide/RouteChat", answer)), Code::InvalidArgument);
    // It answers with the request, which is of another type.
    let server = serve_dynamic(server().unary("routeguide.RouteGuide/GetFeature", answer).unwrap()).await;
    let mut client = RouteGuideClient::new(channel(&server).await);
    let status = client.get_feature(point(1, 1)).await.unwrap_err();
    assert_eq!(status.code(), Code::Internal);
    assert!(
        status.message().contains("routeguide.Feature was expected, and not routeguide.Point"),
        "{}",
        status.message()
    );
    let status = client.list_features(Rectangle::default()).await.unwrap_err();
    assert_eq!(status.code(), Code::Unimplemented);
}

/// A server of the same process in the place of a channel: requests have the scheme and the authority that are given.
#[tokio::test]
async fn a_client_asks_a_server_of_the_same_process() {
    #[derive(Clone)]
    struct Origin(tablepb_tonic::DynamicServer, std::sync::Arc<std::sync::Mutex<String>>);
    impl tower_service::Service<http::Request<tonic::body::Body>> for Origin {
        type Response = http::Response<tonic::body::Body>;
        type Error = std::convert::Infallible;
        type Future = <tablepb_tonic::DynamicServer as tower_service::Service<
            http::Request<tonic::body::Body>,
        >>::Future;
        fn poll_ready(
            &mut self,
            _: &mut std::task::Context<'_>,
        ) -> std::task::Poll<Result<(), std::convert::Infallible>> {
            std::task::Poll::Ready(Ok(()))
        }
        fn call(&mut self, request: http::Request<tonic::body::Body>) -> Self::Future {
            *self.1.lock().unwrap() = request.uri().to_string();
            self.0.call(request)
        }
    }
    let seen = std::sync::Arc::default();
    let server = Origin(support::dynamic_guide(), std::sync::Arc::clone(&seen));
    let origin = http::Uri::from_static("https://example.com");
    let mut client = DynamicClient::with_origin(server, pool().unwrap(), origin);
    let request = dynamic(client.pool(), "Point", "latitude: 2 longitude: 2");
    let found = client.unary("routeguide.RouteGuide/GetFeature", request).await.unwrap().into_inner();
    assert_eq!(found, dynamic(client.pool(), "Feature", "name: 'B' location { latitude: 2 longitude: 2 }"));
    assert_eq!(*seen.lock().unwrap(), "https://example.com/routeguide.RouteGuide/GetFeature");
}

/// Bounds of a codec of one's own, and of a dynamic server.
#[tokio::test]
async fn bounds_of_requests_are_kept() {
    struct Small;
    impl tablepb_tonic::CodecOptions for Small {
        fn decode_options() -> DecodeOptions {
            DecodeOptions::new().budget(10)
        }
    }
    let server = serve(Server::builder().add_service(GreeterServer::new(MyGreeter))).await;
    let mut grpc = tonic::client::Grpc::new(channel(&server).await);
    grpc.ready().await.unwrap();
    let request = Request::new(HelloRequest { name: "a name that is longer than the budget".into() });
    let codec = tablepb_tonic::BoundedCodec::<HelloRequest, HelloReply, Small>::new();
    let path = http::uri::PathAndQuery::from_static("/helloworld.Greeter/SayHello");
    let status = grpc.unary(request, path, codec).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}");
    let bounded = support::dynamic_guide().decode_options(DecodeOptions::new().budget(10));
    let server = serve_dynamic(bounded).await;
    let mut client = RouteGuideClient::new(channel(&server).await);
    assert_eq!(client.get_feature(point(1, 1)).await.unwrap_err().code(), Code::ResourceExhausted);
    let bounded = support::dynamic_guide().max_decoding_message_size(1);
    let server = serve_dynamic(bounded).await;
    let mut client = RouteGuideClient::new(channel(&server).await);
    assert_eq!(client.get_feature(point(1, 1)).await.unwrap_err().code(), Code::OutOfRange);
    assert!(client.get_feature(Point::default()).await.is_ok());
}

/// A message of another schema, and one that is too deep or too large for its bounds.
#[tokio::test]
async fn faults_of_messages_are_statuses() {
    let server = serve(Server::builder().add_service(guide())).await;
    let source = "syntax = \"proto3\"; package routeguide; message Point { Point a = 1; bytes b = 2; }
        service RouteGuide { rpc GetFeature(Point) returns (Point); }";
    let other = tablepb_schema::SourceBuilder::new().source("o.proto", source).build().unwrap();
    let mut client = DynamicClient::new(channel(&server).await, other.clone());
    let request =
        text::message_from_str(&other.message("routeguide.Point").unwrap(), "a {} b: 'abc'").unwrap();
    // Wire types that are not those of the schema are unknown fields.
    let reply = client.unary("routeguide.RouteGuide/GetFeature", request).await;
    assert!(reply.is_ok(), "{reply:?}");
    let mut client = DynamicClient::new(channel(&server).await, pool().unwrap());
    client = client.decode_options(DecodeOptions::new().budget(10));
    let request = dynamic(&pool().unwrap(), "Point", "latitude: 2 longitude: 2");
    let status = client.unary("routeguide.RouteGuide/GetFeature", request).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}");
    let status = support::raw(&server, "/helloworld.Greeter/SayHello", b"\x0a\xff").await.unwrap_err();
    assert_eq!(status.code(), Code::Unimplemented);
    let status = support::raw(&server, "/routeguide.RouteGuide/GetFeature", b"\x0a\xff").await.unwrap_err();
    assert_eq!(status.code(), Code::Internal, "{status:?}");
    assert!(status.message().starts_with("the message cannot be decoded: "), "{status:?}");
    // The server goes on.
    ask_by_stubs(&server).await;
}

mod prost_messages {
    #[derive(Clone, PartialEq, prost::Message)]
    pub struct HelloRequest {
        #[prost(string, tag = "1")]
        pub name: String,
    }
    #[derive(Clone, PartialEq, prost::Message)]
    pub struct HelloReply {
        #[prost(string, tag = "1")]
        pub message: String,
    }
}

#[tokio::test]
async fn a_client_of_prost_asks_a_server_of_tablepb() {
    let server = serve(Server::builder().add_service(GreeterServer::new(MyGreeter))).await;
    for name in ["Ada".to_owned(), "x".repeat(10_000)] {
        let mut grpc = tonic::client::Grpc::new(channel(&server).await);
        grpc.ready().await.unwrap();
        let request = Request::new(prost_messages::HelloRequest { name: name.clone() });
        let codec = tonic_prost::ProstCodec::default();
        let path = http::uri::PathAndQuery::from_static("/helloworld.Greeter/SayHello");
        let reply: prost_messages::HelloReply = grpc.unary(request, path, codec).await.unwrap().into_inner();
        assert_eq!(reply.message, format!("Hello {name}!"));
    }
}

#[tokio::test]
async fn structs_have_the_schema_that_was_compiled() {
    let pool = pool().unwrap();
    for (table, name) in [
        (<HelloRequest as tablepb::Message>::TABLE, "helloworld.HelloRequest"),
        (<HelloReply as tablepb::Message>::TABLE, "helloworld.HelloReply"),
        (<Point as tablepb::Message>::TABLE, "routeguide.Point"),
        (<RouteNote as tablepb::Message>::TABLE, "routeguide.RouteNote"),
    ] {
        tablepb_schema::assert_matches(table, &pool.message(name).unwrap());
    }
    assert_eq!(features().len(), 3);
}
