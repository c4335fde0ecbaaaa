//! The same calls by tablepb and by prost, over loopback in one process, in turns: `cargo bench --bench beside_prost`.
//!
//! One thread has the server and another one the client. Times are medians of rounds; a ratio above 1 says that tablepb is faster, or
//! that it has less memory. Memory is what is allocated on both ends while streams stay open, each after its first message.

#![allow(missing_docs)]

use bytes::Bytes;
use std::alloc::{GlobalAlloc, Layout, System};
use std::pin::Pin;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio_stream::{Stream, StreamExt};
use tonic::client::Grpc;
use tonic::codec::Codec;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Request, Response, Status};

/// The system's allocator, and the bytes that are allocated now.
struct Counting;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: each method is that of the system's allocator, with its arguments.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(layout.size(), Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        ALLOCATED.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A request of some text, tags and attributes, as services have them.
#[derive(Clone, Debug, Default, PartialEq)]
struct Ours {
    id: u64,
    name: String,
    tags: Vec<String>,
    values: Vec<f64>,
    body: Bytes,
    children: Vec<Ours>,
}
tablepb::message! {
    Ours as "bench.Message" {
        id: uint64 = 1,
        name: string = 2,
        tags: repeated string = 3,
        values: repeated double = 4,
        body: bytes = 5,
        children: repeated message Ours = 6,
    }
}

#[derive(Clone, PartialEq, prost::Message)]
struct Theirs {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(string, repeated, tag = "3")]
    tags: Vec<String>,
    #[prost(double, repeated, tag = "4")]
    values: Vec<f64>,
    #[prost(bytes = "bytes", tag = "5")]
    body: Bytes,
    #[prost(message, repeated, tag = "6")]
    children: Vec<Theirs>,
}

trait Message: Clone + Send + Sync + 'static {
    type Codec: Codec<Encode = Self, Decode = Self> + Default + Clone + Send + Sync + 'static;
    fn of(bytes: &[u8]) -> Self;
}

impl Message for Ours {
    type Codec = tablepb_tonic::Codec<Ours, Ours>;
    fn of(bytes: &[u8]) -> Self {
        tablepb::Message::decode(bytes).expect("a message")
    }
}

#[derive(Clone, Default)]
struct ProstCodec;

impl Codec for ProstCodec {
    type Encode = Theirs;
    type Decode = Theirs;
    type Encoder = <tonic_prost::ProstCodec<Theirs, Theirs> as Codec>::Encoder;
    type Decoder = <tonic_prost::ProstCodec<Theirs, Theirs> as Codec>::Decoder;
    fn encoder(&mut self) -> Self::Encoder {
        tonic_prost::ProstCodec::<Theirs, Theirs>::default().encoder()
    }
    fn decoder(&mut self) -> Self::Decoder {
        tonic_prost::ProstCodec::<Theirs, Theirs>::default().decoder()
    }
}

impl Message for Theirs {
    type Codec = ProstCodec;
    fn of(bytes: &[u8]) -> Self {
        prost::Message::decode(bytes).expect("a message")
    }
}

/// Answers with the request, once, many times, or once and then no more while the stream stays open.
#[derive(Clone)]
struct Echo<M> {
    stays_open: bool,
    message: std::marker::PhantomData<fn() -> M>,
}

impl<M: Message> tonic::server::UnaryService<M> for Echo<M> {
    type Response = M;
    type Future = std::future::Ready<Result<Response<M>, Status>>;
    fn call(&mut self, request: Request<M>) -> Self::Future {
        std::future::ready(Ok(Response::new(request.into_inner())))
    }
}

impl<M: Message> tonic::server::ServerStreamingService<M> for Echo<M> {
    type Response = M;
    type ResponseStream = Pin<Box<dyn Stream<Item = Result<M, Status>> + Send>>;
    type Future = std::future::Ready<Result<Response<Self::ResponseStream>, Status>>;
    fn call(&mut self, request: Request<M>) -> Self::Future {
        let message = request.into_inner();
        let stream: Self::ResponseStream = if self.stays_open {
            Box::pin(tokio_stream::once(Ok(message)).chain(tokio_stream::pending()))
        } else {
            Box::pin(tokio_stream::iter((0..STREAMED).map(move |_| Ok(message.clone()))))
        };
        std::future::ready(Ok(Response::new(stream)))
    }
}

const STREAMED: usize = 1_000_000;
const OPEN: usize = 1000;

impl<M: Message> tower_service::Service<http::Request<tonic::body::Body>> for Echo<M> {
    type Response = http::Response<tonic::body::Body>;
    type Error = std::convert::Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Self::Error>> {
        std::task::Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<tonic::body::Body>) -> Self::Future {
        let path = request.uri().path();
        let unary = path.ends_with("Unary");
        let echo = Self { stays_open: path.ends_with("Open"), ..self.clone() };
        Box::pin(async move {
            let mut grpc = tonic::server::Grpc::new(M::Codec::default());
            Ok(if unary {
                grpc.unary(echo, request).await
            } else {
                grpc.server_streaming(echo, request).await
            })
        })
    }
}

/// Starts a server on a thread of its own.
fn serve<M: Message>() -> std::net::SocketAddr {
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            tell.send(listener.local_addr().expect("an address")).expect("a listener");
            let echo = Echo::<M> { stays_open: false, message: std::marker::PhantomData };
            // Otherwise small answers wait for the next packet.
            let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
            Server::builder().serve_with_incoming(echo, incoming).await.expect("a server");
        });
    });
    told.recv().expect("an address")
}

async fn client<M: Message>() -> Grpc<Channel> {
    let endpoint = Endpoint::from_shared(format!("http://{}", serve::<M>())).expect("an address");
    Grpc::new(endpoint.connect().await.expect("a server"))
}

async fn unary<M: Message>(client: &mut Grpc<Channel>, message: &M, count: usize) -> Duration {
    let start = Instant::now();
    for _ in 0..count {
        client.ready().await.expect("ready");
        let path = http::uri::PathAndQuery::from_static("/bench.Echo/Unary");
        client.unary(Request::new(message.clone()), path, M::Codec::default()).await.expect("a response");
    }
    start.elapsed() / count as u32
}

async fn stream<M: Message>(client: &mut Grpc<Channel>, message: &M) -> Duration {
    let start = Instant::now();
    client.ready().await.expect("ready");
    let path = http::uri::PathAndQuery::from_static("/bench.Echo/Stream");
    let responses = client.server_streaming(Request::new(message.clone()), path, M::Codec::default()).await;
    let mut responses = responses.expect("a stream").into_inner();
    let mut count = 0;
    while let Some(message) = responses.next().await {
        message.expect("a message");
        count += 1;
    }
    assert_eq!(count, STREAMED);
    start.elapsed() / STREAMED as u32
}

/// The bytes that a stream has while it is open, on both ends.
async fn open<M: Message>(client: &mut Grpc<Channel>, message: &M) -> usize {
    // What was open before is freed by the server's thread.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let path = http::uri::PathAndQuery::from_static("/bench.Echo/Open");
    let (mut streams, before) = (Vec::with_capacity(OPEN), ALLOCATED.load(Relaxed));
    for _ in 0..OPEN {
        client.ready().await.expect("ready");
        let request = Request::new(message.clone());
        let responses = client.server_streaming(request, path.clone(), M::Codec::default()).await;
        let mut responses = responses.expect("a stream").into_inner();
        responses.next().await.expect("a response").expect("a message");
        streams.push(responses);
    }
    (ALLOCATED.load(Relaxed) - before) / OPEN
}

fn median<T: Copy + Ord>(mut values: Vec<T>) -> T {
    values.sort();
    values[values.len() / 2]
}

/// Some 100 bytes, and 100 KB of structure.
fn payloads() -> [(&'static str, Vec<u8>); 2] {
    let small = |id: u64| Ours {
        id,
        name: format!("request number {id}"),
        tags: vec!["alpha".into(), "beta".into()],
        values: vec![0.5, 1.5, 2.5],
        body: Bytes::from_static(b"some bytes that nobody looks at"),
        children: Vec::new(),
    };
    let large = Ours { children: (0..1000).map(small).collect(), ..small(0) };
    [("100 bytes", small(7)), ("100 KB", large)]
        .map(|(name, m)| (name, tablepb::Message::encode_to_vec(&m).expect("bytes")))
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (mut ours, mut theirs) = (client::<Ours>().await, client::<Theirs>().await);
    println!("| call | tablepb | prost | ratio |\n|---|--:|--:|--:|");
    let show = |name: String, a: Duration, b: Duration| {
        println!("| {name} | {a:.2?} | {b:.2?} | {:.2} |", b.as_secs_f64() / a.as_secs_f64());
    };
    for ((name, bytes), count) in payloads().into_iter().zip([1000, 50]) {
        let (a, b) = (Ours::of(&bytes), Theirs::of(&bytes));
        let (mut of_ours, mut of_theirs) = (Vec::new(), Vec::new());
        for _ in 0..15 {
            of_ours.push(unary(&mut ours, &a, count).await);
            of_theirs.push(unary(&mut theirs, &b, count).await);
        }
        show(format!("unary, {name} ({} B)", bytes.len()), median(of_ours), median(of_theirs));
    }
    let bytes = tablepb::Message::encode_to_vec(&Ours { id: 7, name: "small".into(), ..Ours::default() })
        .expect("bytes");
    let (a, b) = (Ours::of(&bytes), Theirs::of(&bytes));
    let (mut of_ours, mut of_theirs) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        of_ours.push(stream(&mut ours, &a).await);
        of_theirs.push(stream(&mut theirs, &b).await);
    }
    show(
        format!("stream of {STREAMED} messages of {} B, each", bytes.len()),
        median(of_ours),
        median(of_theirs),
    );
    let (mut of_ours, mut of_theirs) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        of_ours.push(open(&mut ours, &a).await);
        of_theirs.push(open(&mut theirs, &b).await);
    }
    let (a, b) = (median(of_ours), median(of_theirs));
    println!("| memory of an open stream | {a} B | {b} B | {:.2} |", b as f64 / a as f64);
}
