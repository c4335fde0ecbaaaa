//! The services of gRPC itself, beside those of tonic, which use prost.

mod support;

use support::{Served, channel, guide, serve};
use tablepb::wkt::{Any, Duration};
use tablepb::{DescriptorPool, Message};
use tablepb_services::helloworld::greeter_server::GreeterServer;
use tablepb_services::{MyGreeter, pool};
use tablepb_tonic::health::{HealthClient, ServingStatus, health_reporter};
use tablepb_tonic::reflection::{ReflectionClient, ReflectionServer, v1};
use tablepb_tonic::status::{self, Detail, bad_request, help, precondition_failure, quota_failure};
use tokio_stream::StreamExt;
use tonic::transport::Server;
use tonic::{Code, Status};
use tonic_types::StatusExt;

fn reflection() -> ReflectionServer {
    ReflectionServer::new([pool().unwrap()])
}

#[tokio::test]
async fn a_client_loads_the_schema_that_the_server_has() {
    let both = Server::builder().add_service(guide()).add_service(reflection().v1());
    let old = Server::builder().add_service(guide()).add_service(reflection().v1alpha());
    for router in [both, old] {
        let server = serve(router).await;
        let mut client = ReflectionClient::new(channel(&server).await);
        let services = client.services().await.unwrap();
        assert_eq!(services, ["helloworld.Greeter", "routeguide.RouteGuide"]);
        let found = client.pool(&services).await.unwrap();
        let source = |pool: &DescriptorPool, name| pool.file(name).unwrap().to_proto();
        for name in ["helloworld.proto", "route_guide.proto"] {
            assert_eq!(source(&found, name), source(&pool().unwrap(), name));
        }
        let one = client.pool(&["routeguide.RouteGuide"]).await.unwrap();
        assert!(one.message("routeguide.Point").is_ok() && one.message("helloworld.HelloReply").is_err());
        assert_eq!(client.pool(&["routeguide.Nothing"]).await.unwrap_err().code(), Code::NotFound);
    }
    // Services that are named, of which the pool may know more.
    let named = ReflectionServer::with_services([pool().unwrap()], ["routeguide.RouteGuide"]);
    let server = serve(Server::builder().add_service(named.v1())).await;
    let services = ReflectionClient::new(channel(&server).await).services().await.unwrap();
    assert_eq!(services, ["routeguide.RouteGuide"]);
    // A server without reflection.
    let server = serve(Server::builder().add_service(guide())).await;
    let status = ReflectionClient::new(channel(&server).await).services().await.unwrap_err();
    assert_eq!(status.code(), Code::Unimplemented);
}

/// The service of tonic answers our client, with a schema of several files.
#[tokio::test]
async fn a_client_loads_the_schema_of_a_server_of_prost() {
    let set = imports().encode_to_vec().unwrap();
    let service = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(&set)
        .include_reflection_service(false)
        .build_v1()
        .unwrap();
    let server = serve(Server::builder().add_service(service)).await;
    let mut client = ReflectionClient::new(channel(&server).await);
    assert_eq!(client.services().await.unwrap(), ["a.S"]);
    let found = client.pool(&["a.S"]).await.unwrap();
    let mut names: Vec<String> = found.files().map(|file| file.name().to_owned()).collect();
    names.sort();
    assert_eq!(names, ["a.proto", "b.proto", "c.proto", "google/protobuf/timestamp.proto"]);
}

fn imports() -> DescriptorPool {
    let a = r#"syntax = "proto3"; package a; import "b.proto"; import "c.proto"; message A { b.B b = 1; c.C c = 2; }
        service S { rpc Do(A) returns (A); }"#;
    let b = r#"syntax = "proto3"; package b; import "c.proto"; import "google/protobuf/timestamp.proto";
        message B { c.C c = 1; google.protobuf.Timestamp t = 2; }"#;
    let c = r#"syntax = "proto2"; package c; message C { extensions 10 to 20; optional int32 f = 1; oneof o { int32 g = 2; } enum In { I = 0; } }
        extend C { optional int32 e = 12; optional int32 d = 11; } enum E { V = 0; }"#;
    let builder =
        tablepb_schema::SourceBuilder::new().source("a.proto", a).source("b.proto", b).source("c.proto", c);
    builder.build().unwrap()
}

/// The client of tonic-reflection asks our service all that there is to ask.
#[tokio::test]
async fn a_client_of_prost_gets_an_answer_to_each_question() {
    use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
    use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
    use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
    use tonic_reflection::pb::v1::{ExtensionRequest, ServerReflectionRequest};

    let server = serve(Server::builder().add_service(ReflectionServer::new([imports()]).v1())).await;
    let ask = |request: MessageRequest| {
        let server = &server;
        async move {
            let request = ServerReflectionRequest { host: "h".into(), message_request: Some(request) };
            let mut client = ServerReflectionClient::new(channel(server).await);
            let mut responses = client
                .server_reflection_info(tokio_stream::once(request.clone()))
                .await
                .unwrap()
                .into_inner();
            let response = responses.next().await.unwrap().unwrap();
            assert_eq!((response.valid_host.as_str(), response.original_request), ("h", Some(request)));
            assert!(responses.next().await.is_none());
            match response.message_response.unwrap() {
                MessageResponse::FileDescriptorResponse(files) => {
                    let name = |file: &Vec<u8>| {
                        let file: prost_types::FileDescriptorProto =
                            prost::Message::decode(file.as_slice()).unwrap();
                        file.name.unwrap()
                    };
                    files.file_descriptor_proto.iter().map(name).collect::<Vec<_>>().join(" ")
                }
                MessageResponse::AllExtensionNumbersResponse(numbers) => {
                    format!("{} {:?}", numbers.base_type_name, numbers.extension_number)
                }
                MessageResponse::ListServicesResponse(list) => {
                    format!("{:?}", list.service.iter().map(|s| &s.name).collect::<Vec<_>>())
                }
                MessageResponse::ErrorResponse(error) => {
                    format!("{}: {}", error.error_code, error.error_message)
                }
            }
        }
    };
    use MessageRequest::*;
    for name in ["c.proto"] {
        assert_eq!(ask(FileByFilename(name.into())).await, name);
    }
    let all = ask(FileByFilename("a.proto".into())).await;
    assert!(all.starts_with("a.proto ") && all.split(' ').count() == 4, "{all}");
    for name in ["c.C", ".c.C", "c.C.f", "c.C.o", "c.C.In", "c.C.I", "c.E", "c.V", "c.e"] {
        assert_eq!(ask(FileContainingSymbol(name.into())).await, "c.proto", "{name}");
    }
    for name in ["a.S", "a.S.Do", "a.A"] {
        assert!(ask(FileContainingSymbol(name.into())).await.starts_with("a.proto "), "{name}");
    }
    for name in ["", "c", "c.C.x", "a.S.Dont", "V", "c.In", "x.y"] {
        assert_eq!(ask(FileContainingSymbol(name.into())).await, format!("5: symbol not found: {name}"));
    }
    assert_eq!(ask(FileByFilename("d.proto".into())).await, "5: file not found: d.proto");
    let extension = |number| {
        FileContainingExtension(ExtensionRequest { containing_type: "c.C".into(), extension_number: number })
    };
    assert_eq!(ask(extension(12)).await, "c.proto");
    assert_eq!(ask(extension(13)).await, "5: extension not found: c.C");
    assert_eq!(ask(extension(-1)).await, "5: extension not found: c.C");
    assert_eq!(ask(AllExtensionNumbersOfType("c.C".into())).await, "c.C [11, 12]");
    assert_eq!(ask(AllExtensionNumbersOfType("c.D".into())).await, "5: message not found: c.D");
    assert_eq!(ask(ListServices(String::new())).await, "[\"a.S\"]");
}

/// Files come once in a stream.
#[tokio::test]
async fn a_stream_sends_no_file_twice_unless_it_is_asked_for() {
    let server = serve(Server::builder().add_service(ReflectionServer::new([imports()]).v1())).await;
    let ask = |name: &str| v1::ServerReflectionRequest {
        host: String::new(),
        message_request: Some(v1::server_reflection_request::MessageRequest::FileByFilename(name.into())),
    };
    let mut client = v1::server_reflection_client::ServerReflectionClient::new(channel(&server).await);
    let requests = tokio_stream::iter([ask("b.proto"), ask("a.proto"), ask("c.proto")]);
    let responses = client.server_reflection_info(requests).await.unwrap().into_inner();
    let count =
        |response: Result<v1::ServerReflectionResponse, Status>| match response.unwrap().message_response {
            Some(v1::server_reflection_response::MessageResponse::FileDescriptorResponse(files)) => {
                files.file_descriptor_proto.len()
            }
            other => panic!("{other:?}"),
        };
    assert_eq!(responses.map(count).collect::<Vec<_>>().await, [3, 1, 1]);
}

/// Answers with whatever it is made to.
#[derive(Clone)]
struct Hostile(fn(&Asked) -> v1::server_reflection_response::MessageResponse);

use v1::server_reflection_request::MessageRequest as Asked;

#[tonic::async_trait]
impl v1::server_reflection_server::ServerReflection for Hostile {
    type ServerReflectionInfoStream = std::pin::Pin<
        Box<dyn tokio_stream::Stream<Item = Result<v1::ServerReflectionResponse, Status>> + Send>,
    >;

    async fn server_reflection_info(
        &self,
        request: tonic::Request<tonic::Streaming<v1::ServerReflectionRequest>>,
    ) -> Result<tonic::Response<Self::ServerReflectionInfoStream>, Status> {
        let answer = self.0;
        let responses = request.into_inner().map(move |request| {
            let request = request?;
            let message_response = request.message_request.as_ref().map(answer);
            Ok(v1::ServerReflectionResponse {
                valid_host: String::new(),
                original_request: Some(request),
                message_response,
            })
        });
        Ok(tonic::Response::new(Box::pin(responses)))
    }
}

fn file(name: &str, import: &str) -> Vec<u8> {
    let mut file = prost_types::FileDescriptorProto { name: Some(name.into()), ..Default::default() };
    if !import.is_empty() {
        file.dependency.push(import.into());
    }
    prost::Message::encode_to_vec(&file)
}

fn files(file_descriptor_proto: Vec<Vec<u8>>) -> v1::server_reflection_response::MessageResponse {
    v1::server_reflection_response::MessageResponse::FileDescriptorResponse(v1::FileDescriptorResponse {
        file_descriptor_proto,
    })
}

#[tokio::test]
async fn a_hostile_server_makes_a_client_take_no_more_than_its_bounds() {
    let serve_hostile = async |answer| {
        serve(
            Server::builder()
                .add_service(v1::server_reflection_server::ServerReflectionServer::new(Hostile(answer))),
        )
        .await
    };
    let ask = async |server: &Served| {
        let client = ReflectionClient::new(channel(server).await).max_bytes(100_000).max_files(50);
        client.clone().pool(&["x.Y"]).await.unwrap_err()
    };
    // A file that imports another one for each that is asked for, without an end.
    let server = serve_hostile(|asked| match asked {
        Asked::FileByFilename(name) => files(vec![file(name, &format!("{name}x"))]),
        _ => files(vec![file("a", "x")]),
    });
    assert_eq!(ask(&server.await).await.code(), Code::ResourceExhausted);
    // Never the file that is asked for.
    let server = serve_hostile(|_| files(vec![file("a", "b")])).await;
    assert_eq!(ask(&server).await.code(), Code::DataLoss);
    // One that is too large, and many of which each is small enough.
    let server = serve_hostile(|_| files(vec![vec![0; 200_000]])).await;
    assert_eq!(ask(&server).await.code(), Code::OutOfRange);
    let server = serve_hostile(|_| files((0..60).map(|i| file(&format!("{i}"), "")).collect())).await;
    assert_eq!(ask(&server).await.code(), Code::ResourceExhausted);
    // An answer without files, files that import each other, and bytes that are no file.
    let server = serve_hostile(|_| files(Vec::new())).await;
    assert_eq!(ask(&server).await.code(), Code::DataLoss);
    let server = serve_hostile(|_| files(vec![file("a", "b"), file("b", "a")])).await;
    assert_eq!(ask(&server).await.code(), Code::DataLoss);
    let server = serve_hostile(|_| files(vec![vec![0xff]])).await;
    assert_eq!(ask(&server).await.code(), Code::DataLoss);
    let error = |_: &Asked| {
        let error = v1::ErrorResponse { error_code: 12, error_message: "x".into() };
        v1::server_reflection_response::MessageResponse::ErrorResponse(error)
    };
    assert_eq!(ask(&serve_hostile(error).await).await.code(), Code::Internal);
}

#[tokio::test]
async fn health_is_told_to_clients_of_both() {
    let (reporter, service) = health_reporter();
    reporter.set_serving::<GreeterServer<MyGreeter>>();
    let server = serve(Server::builder().add_service(service)).await;
    let mut client = HealthClient::new(channel(&server).await);
    let request = |service: &str| tablepb_tonic::health::HealthCheckRequest { service: service.into() };
    let mut theirs = tonic_health::pb::health_client::HealthClient::new(channel(&server).await);
    for (service, status) in [("", 1), ("helloworld.Greeter", 1)] {
        assert_eq!(client.check(request(service)).await.unwrap().into_inner().status, status);
        let request = tonic_health::pb::HealthCheckRequest { service: service.into() };
        assert_eq!(theirs.check(request).await.unwrap().into_inner().status, status);
    }
    assert_eq!(client.check(request("x")).await.unwrap_err().code(), Code::NotFound);
    // The present state, each change, and nothing where nothing changes.
    let mut watched = client.watch(request("x")).await.unwrap().into_inner();
    let mut next = async || watched.next().await.unwrap().unwrap().status();
    assert_eq!(next().await, ServingStatus::ServiceUnknown);
    reporter.set_service_status("y", ServingStatus::Serving);
    reporter.set_service_status("x", ServingStatus::NotServing);
    assert_eq!(next().await, ServingStatus::NotServing);
    reporter.set_service_status("x", ServingStatus::NotServing);
    reporter.set_service_status("x", ServingStatus::Serving);
    assert_eq!(next().await, ServingStatus::Serving);
    reporter.clear_service_status("x");
    assert_eq!(next().await, ServingStatus::ServiceUnknown);
    let list = client.list(tablepb_tonic::health::HealthListRequest {}).await.unwrap().into_inner();
    let mut names: Vec<_> = list.statuses.keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(names, ["", "helloworld.Greeter", "y"]);
    reporter.shutdown();
    assert_eq!(client.check(request("")).await.unwrap().into_inner().status(), ServingStatus::NotServing);
}

fn all_details() -> Vec<Detail> {
    let violation =
        || bad_request::FieldViolation { field: "f".into(), description: "d".into(), ..Default::default() };
    let quota =
        || quota_failure::Violation { subject: "s".into(), description: "d".into(), ..Default::default() };
    let condition = || precondition_failure::Violation {
        r#type: "t".into(),
        subject: "s".into(),
        description: "d".into(),
    };
    let link = || help::Link { description: "d".into(), url: "u".into() };
    vec![
        status::ErrorInfo {
            reason: "R".into(),
            domain: "d".into(),
            metadata: [("k".into(), "v".into())].into(),
        }
        .into(),
        status::RetryInfo { retry_delay: Some(Duration { seconds: 3, nanos: 500 }) }.into(),
        status::DebugInfo { stack_entries: vec!["a".into(), "b".into()], detail: "d".into() }.into(),
        status::QuotaFailure { violations: vec![quota()] }.into(),
        status::PreconditionFailure { violations: vec![condition()] }.into(),
        status::BadRequest { field_violations: vec![violation()] }.into(),
        status::RequestInfo { request_id: "i".into(), serving_data: "s".into() }.into(),
        status::ResourceInfo {
            resource_type: "t".into(),
            resource_name: "n".into(),
            owner: "o".into(),
            description: "d".into(),
        }
        .into(),
        status::Help { links: vec![link()] }.into(),
        status::LocalizedMessage { locale: "de".into(), message: "m".into() }.into(),
    ]
}

/// Details go through metadata, and are those of tonic-types, both ways.
#[tokio::test]
async fn details_are_those_of_prost() {
    let ours = status::with_details(Code::InvalidArgument, "bad", all_details());
    assert_eq!((ours.code(), ours.message()), (Code::InvalidArgument, "bad"));
    assert_eq!(status::details(&ours).unwrap(), all_details());
    let theirs = ours.get_error_details();
    assert_eq!(theirs.error_info().unwrap().reason, "R");
    assert_eq!(theirs.retry_info().unwrap().retry_delay.unwrap(), std::time::Duration::new(3, 500));
    assert_eq!(theirs.debug_info().unwrap().stack_entries, ["a", "b"]);
    assert_eq!(theirs.quota_failure().unwrap().violations[0].subject, "s");
    assert_eq!(theirs.precondition_failure().unwrap().violations[0].r#type, "t");
    assert_eq!(theirs.bad_request().unwrap().field_violations[0].field, "f");
    assert_eq!(theirs.request_info().unwrap().request_id, "i");
    assert_eq!(theirs.resource_info().unwrap().owner, "o");
    assert_eq!(theirs.help().unwrap().links[0].url, "u");
    assert_eq!(theirs.localized_message().unwrap().locale, "de");
    let back = Status::with_error_details(Code::InvalidArgument, "bad", theirs);
    let mut found = status::details(&back).unwrap();
    assert_eq!(found.len(), 10);
    found.retain(|detail| !all_details().contains(detail));
    assert_eq!(found, []);
    // Others, none, and what is no status.
    let any = Any { type_url: "x/y.Z".into(), value: vec![1] };
    let other = status::with_details(Code::Aborted, "", [any.clone()]);
    assert_eq!(status::details(&other).unwrap(), [Detail::Other(any)]);
    assert_eq!(status::details(&Status::aborted("x")).unwrap(), []);
    assert!(status::details(&Status::with_details(Code::Aborted, "x", vec![0xff_u8].into())).is_err());
    let broken = Any { type_url: format!("x/{}", status::Help::TABLE.full_name()), value: vec![0xff] };
    assert!(status::details(&status::with_details(Code::Aborted, "", [broken])).is_err());
}
