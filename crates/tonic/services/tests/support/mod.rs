//! Servers on loopback, and what they serve.

#![allow(dead_code, missing_docs)]

use std::net::SocketAddr;
use tablepb::{DescriptorPool, DynamicMessage, text};
use tablepb_services::routeguide::route_guide_server::RouteGuideServer;
use tablepb_services::routeguide::{Feature, Point};
use tablepb_services::{Guide, pool};
use tablepb_tonic::{DynamicClient, DynamicServer};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::server::Router;
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Request, Response, Status, Streaming};

/// A server that ends with this value.
pub struct Served {
    pub address: SocketAddr,
    task: JoinHandle<()>,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn listen() -> (TcpListenerStream, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    (TcpListenerStream::new(listener), address)
}

pub async fn serve(router: Router) -> Served {
    let (incoming, address) = listen().await;
    let task = tokio::spawn(async move { router.serve_with_incoming(incoming).await.unwrap() });
    Served { address, task }
}

pub async fn serve_dynamic(server: DynamicServer) -> Served {
    let (incoming, address) = listen().await;
    let task =
        tokio::spawn(async move { Server::builder().serve_with_incoming(server, incoming).await.unwrap() });
    Served { address, task }
}

pub async fn channel(server: &Served) -> Channel {
    Endpoint::from_shared(format!("http://{}", server.address)).unwrap().connect().await.unwrap()
}

pub fn point(latitude: i32, longitude: i32) -> Point {
    Point { latitude, longitude }
}

pub fn feature(name: &str, latitude: i32, longitude: i32) -> Feature {
    Feature { name: name.into(), location: Some(point(latitude, longitude)) }
}

pub fn features() -> Vec<Feature> {
    vec![feature("A", 1, 1), feature("B", 2, 2), feature("C", 3, 3)]
}

pub fn guide() -> RouteGuideServer<Guide> {
    RouteGuideServer::new(Guide::new(features()))
}

/// A message of the route guide, by its text.
pub fn dynamic(pool: &DescriptorPool, name: &str, source: &str) -> DynamicMessage {
    text::message_from_str(&pool.message(&format!("routeguide.{name}")).unwrap(), source).unwrap()
}

/// Hands all calls to another server.
pub async fn proxy(to: &Served) -> DynamicServer {
    let client = DynamicClient::new(channel(to).await, pool().unwrap());
    DynamicServer::new(pool().unwrap()).fallback(
        move |method, request: Request<Streaming<DynamicMessage>>| {
            let mut client = client.clone();
            async move {
                let requests = request.into_inner().map_while(Result::ok);
                let name = format!("{}/{}", method.parent_service().full_name(), method.name());
                client.streaming(&name, requests).await
            }
        },
    )
}

/// The route guide without a struct.
pub fn dynamic_guide() -> DynamicServer {
    let pool = pool().unwrap();
    let all = [
        "name: 'A' location { latitude: 1 longitude: 1 }",
        "name: 'B' location { latitude: 2 longitude: 2 }",
    ];
    let all: Vec<_> = all.iter().map(|source| dynamic(&pool, "Feature", source)).collect();
    let third = dynamic(&pool, "Feature", "name: 'C' location { latitude: 3 longitude: 3 }");
    let (second, listed) = (all[1].clone(), vec![all[1].clone(), third]);
    let summary = |text: &str| dynamic(&pool, "RouteSummary", text);
    let (two, three) =
        (summary("point_count: 2 feature_count: 2"), summary("point_count: 3 feature_count: 2"));
    let server = DynamicServer::new(pool.clone())
        .unary("routeguide.RouteGuide/GetFeature", move |_, _| {
            let answer = second.clone();
            async move { Ok(Response::new(answer)) }
        })
        .unwrap();
    let server = server
        .server_streaming("routeguide.RouteGuide/ListFeatures", move |_, _| {
            let listed: Vec<Result<_, Status>> = listed.clone().into_iter().map(Ok).collect();
            async move { Ok(Response::new(tokio_stream::iter(listed))) }
        })
        .unwrap();
    let server = server
        .client_streaming(
            "routeguide.RouteGuide/RecordRoute",
            move |_, request: Request<Streaming<DynamicMessage>>| {
                let (two, three) = (two.clone(), three.clone());
                async move {
                    let count =
                        request.into_inner().fold(0, |count, point| count + i32::from(point.is_ok())).await;
                    Ok(Response::new(if count == 2 { two } else { three }))
                }
            },
        )
        .unwrap();
    server
        .streaming(
            "routeguide.RouteGuide/RouteChat",
            |_, request: Request<Streaming<DynamicMessage>>| async move {
                // The notes before each one, of at most three.
                let notes: Result<Vec<DynamicMessage>, Status> = request.into_inner().collect().await;
                let notes = notes?;
                let before = (0..notes.len())
                    .flat_map(|at| notes[..at].to_vec())
                    .map(Ok)
                    .collect::<Vec<Result<_, Status>>>();
                Ok(Response::new(tokio_stream::iter(before)))
            },
        )
        .unwrap()
}

/// Sends bytes as they are.
pub async fn raw(
    server: &Served,
    path: &'static str,
    bytes: &'static [u8],
) -> Result<Response<Vec<u8>>, Status> {
    struct Raw;
    impl tonic::codec::Codec for Raw {
        type Encode = &'static [u8];
        type Decode = Vec<u8>;
        type Encoder = Self;
        type Decoder = Self;
        fn encoder(&mut self) -> Self {
            Self
        }
        fn decoder(&mut self) -> Self {
            Self
        }
    }
    impl tonic::codec::Encoder for Raw {
        type Item = &'static [u8];
        type Error = Status;
        fn encode(
            &mut self,
            item: &'static [u8],
            out: &mut tonic::codec::EncodeBuf<'_>,
        ) -> Result<(), Status> {
            bytes::BufMut::put_slice(out, item);
            Ok(())
        }
    }
    impl tonic::codec::Decoder for Raw {
        type Item = Vec<u8>;
        type Error = Status;
        fn decode(&mut self, input: &mut tonic::codec::DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
            let len = bytes::Buf::remaining(input);
            Ok(Some(bytes::Buf::copy_to_bytes(input, len).to_vec()))
        }
    }
    let mut grpc = tonic::client::Grpc::new(channel(server).await);
    grpc.ready().await.map_err(|error| Status::unknown(error.to_string()))?;
    grpc.unary(Request::new(bytes), http::uri::PathAndQuery::from_static(path), Raw).await
}
