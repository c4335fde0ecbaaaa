//! Clients that lie, stop half way and go away: each gets a status, the others are served, and memory is bounded.
//!
//! By frames of HTTP/2 as they are, beside stubs and dynamic servers.

mod support;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::time::Duration;
use support::{Served, channel, dynamic_guide, feature, guide, point, serve, serve_dynamic};
use tablepb_services::routeguide::route_guide_client::RouteGuideClient;
use tablepb_services::routeguide::{RouteNote, RouteSummary};
use tablepb_tonic::{Codec, DynamicServer};
use tokio_stream::StreamExt;
use tonic::Code;
use tonic::codec::CompressionEncoding;
use tonic::transport::Server;

const MIB: usize = 1 << 20;

/// The most memory that this process had, in bytes, since the last call of `forget`. `None` where nothing says it.
fn peak() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<usize>().ok().map(|kib| kib * 1024)
}

fn forget() {
    // Where this cannot be written, the peak is that of the whole run: a harder test.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// A message of gRPC.
fn framed(compressed: bool, claim: usize, bytes: &[u8]) -> Bytes {
    let mut out = vec![u8::from(compressed)];
    out.extend((claim as u32).to_be_bytes());
    out.extend(bytes);
    out.into()
}

fn whole(bytes: &[u8]) -> Bytes {
    framed(false, bytes.len(), bytes)
}

/// What a request of these bytes, in frames of at most 16 KiB, is answered with: `grpc-status`, or `None` if the stream is cut off.
async fn send(server: &Served, path: &str, encoding: Option<&str>, body: Bytes) -> Option<i32> {
    let stream = tokio::net::TcpStream::connect(server.address).await.unwrap();
    let (client, connection) = h2::client::handshake(stream).await.unwrap();
    let connection = tokio::spawn(connection);
    let mut client = client.ready().await.unwrap();
    let mut request = http::Request::post(format!("http://{}{path}", server.address))
        .header("content-type", "application/grpc")
        .header("te", "trailers");
    if let Some(encoding) = encoding {
        request = request.header("grpc-encoding", encoding);
    }
    let (response, mut sender) = client.send_request(request.body(()).unwrap(), false).unwrap();
    let mut rest = body;
    loop {
        let part = rest.split_to(rest.len().min(16 << 10));
        // The server may have answered before it had all.
        if sender.send_data(part, rest.is_empty()).is_err() || rest.is_empty() {
            break;
        }
        tokio::task::yield_now().await;
    }
    let answered = tokio::time::timeout(Duration::from_secs(20), async {
        let response = response.await.ok()?;
        let status = |headers: &http::HeaderMap| headers.get("grpc-status")?.to_str().ok()?.parse().ok();
        if let Some(status) = status(response.headers()) {
            return Some(status);
        }
        let mut body = response.into_body();
        while let Some(data) = body.data().await {
            let _ = body.flow_control().release_capacity(data.ok()?.len());
        }
        status(&body.trailers().await.ok()??)
    });
    let answered = answered.await.expect("an answer within 20 seconds");
    connection.abort();
    answered
}

/// The server answers as if nothing had been.
async fn is_well(server: &Served) {
    let mut client = RouteGuideClient::new(channel(server).await);
    let found = client.get_feature(point(2, 2)).await.unwrap().into_inner();
    assert_eq!(found, feature("B", 2, 2));
}

/// Zeros, compressed to a thousandth.
fn bomb(len: usize) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let zeros = [0; 1 << 16];
    (0..len >> 16).for_each(|_| encoder.write_all(&zeros).unwrap());
    encoder.finish().unwrap()
}

async fn all_faults(server: &Served) {
    let gib = 1 << 30;
    let groups = [&[0x2b; 5000][..], &[0x2c; 5000]].concat();
    let claim = [&[0x12][..], &[0x80, 0x80, 0x80, 0x80, 0x04], b"short"].concat();
    let bomb = bomb(256 * MIB);
    let internal = Code::Internal as i32;
    for (name, encoding, body, expected) in [
        // tonic's own check, before anything is read.
        ("a frame of 1 GiB that never comes", None, framed(false, gib, b""), &[Code::OutOfRange as i32][..]),
        ("a frame of 1 GiB", None, framed(false, gib, &[0; MIB]), &[Code::OutOfRange as i32]),
        ("half a frame", None, framed(false, 100, &[0x12; 50]), &[internal, Code::Unknown as i32]),
        ("half a header", None, Bytes::from_static(b"\0\0"), &[internal, Code::Unknown as i32]),
        ("half a message", None, whole(b"\x12\x05ab"), &[internal]),
        ("a string of 1 GiB that never comes", None, whole(&claim), &[internal]),
        ("messages in messages, which are unknown", None, whole(&groups), &[internal]),
        ("no UTF-8", None, whole(b"\x12\x01\xff"), &[internal]),
        ("an encoding that nobody knows", Some("x"), whole(b""), &[Code::Unimplemented as i32]),
        ("compressed by no encoding", None, framed(true, 1, b"x"), &[internal]),
        ("no gzip", Some("gzip"), framed(true, 3, b"abc"), &[internal, Code::Unknown as i32]),
        (
            "a bomb",
            Some("gzip"),
            framed(true, bomb.len(), &bomb),
            &[Code::OutOfRange as i32, Code::ResourceExhausted as i32, internal],
        ),
    ] {
        forget();
        let before = peak();
        let found = send(server, "/routeguide.RouteGuide/RouteChat", encoding, body).await;
        let found = found.unwrap_or_else(|| panic!("{name}: cut off"));
        assert!(expected.contains(&found), "{name}: {found}");
        if let (Some(before), Some(after)) = (before, peak()) {
            // The bound of a message is 4 MiB, of what it takes 1 MiB and 32 times its bytes; the body itself is in this process too.
            assert!(after < before + 64 * MIB, "{name}: {} MiB", (after - before) / MIB);
        }
        is_well(server).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_of_clients_are_statuses_within_bounds() {
    let router = Server::builder().add_service(guide().accept_compressed(CompressionEncoding::Gzip));
    all_faults(&serve(router).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_of_clients_are_statuses_of_dynamic_servers_too() {
    let server: DynamicServer = dynamic_guide().accept_compressed(CompressionEncoding::Gzip);
    all_faults(&serve_dynamic(server).await).await;
}

/// A thousand streams at a time, over ten connections; each hundredth goes away after two of its notes.
#[tokio::test(flavor = "multi_thread")]
async fn streams_that_are_cut_off_are_not_in_the_way_of_others() {
    let server = serve(Server::builder().add_service(guide())).await;
    let mut channels = Vec::new();
    for _ in 0..10 {
        channels.push(channel(&server).await);
    }
    let tasks = (0..1000).map(|at: i32| {
        let mut client = RouteGuideClient::new(channels[at as usize % 10].clone());
        tokio::spawn(async move {
            let note = move |n: i32| RouteNote { location: Some(point(at, at)), message: n.to_string() };
            let (sender, receiver) = tokio::sync::mpsc::channel(1);
            let notes = tokio_stream::wrappers::ReceiverStream::new(receiver);
            let mut answers = client.route_chat(notes).await.unwrap().into_inner();
            let count = if at % 100 == 0 { 2 } else { 5 };
            for n in 0..count {
                sender.send(note(n)).await.unwrap();
                for before in 0..n {
                    assert_eq!(answers.next().await.unwrap().unwrap(), note(before));
                }
            }
            if count == 5 {
                drop(sender);
                assert!(answers.next().await.is_none());
            }
            // Otherwise the answers are dropped while the server waits for more.
            count
        })
    });
    let tasks: Vec<_> = tasks.collect();
    let mut whole = 0;
    for task in tasks {
        whole += i32::from(task.await.unwrap() == 5);
    }
    assert_eq!(whole, 990);
    is_well(&server).await;
}

/// Clients that do not wait for the answer, and connections that break.
#[tokio::test(flavor = "multi_thread")]
async fn calls_that_are_cancelled_leave_nothing() {
    let server = serve(Server::builder().add_service(guide())).await;
    for at in 0..50 {
        let mut client = RouteGuideClient::new(channel(&server).await);
        let points = tokio_stream::iter((0..).map(|n| point(n, n))).throttle(Duration::from_millis(1));
        let call = client.record_route(points);
        let cut = tokio::time::timeout(Duration::from_millis(at % 10), call).await;
        assert!(cut.is_err());
    }
    is_well(&server).await;
    let mut client = RouteGuideClient::new(channel(&server).await);
    let summary = client.record_route(tokio_stream::iter([point(1, 1)])).await.unwrap().into_inner();
    assert_eq!(summary, RouteSummary { point_count: 1, feature_count: 1, ..RouteSummary::default() });
}

/// A stream has nothing of its own beside tonic's buffers: as much as with prost's codec.
#[test]
fn a_codec_takes_no_memory() {
    assert_eq!(size_of::<Codec<RouteNote, RouteNote>>(), 0);
}
