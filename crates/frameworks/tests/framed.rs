//! Messages through `tokio_util::codec::Framed`, in pieces of any size, and frames that are refused.

use bytes::{Bytes, BytesMut};
use futures_util::SinkExt;
use tablepb::{DescriptorPool, DynamicMessage, Message, message};
use tablepb_frameworks::framed::{DynamicCodec, MessageCodec};
use tokio_stream::StreamExt;
use tokio_util::codec::{Decoder, Framed, FramedRead};

#[derive(Clone, Debug, Default, PartialEq)]
struct Log {
    line: String,
    body: Bytes,
    codes: Vec<u32>,
}

message! {
    Log as "example.Log" {
        line: string = 1,
        body: bytes = 2,
        codes: repeated uint32 = 3,
    }
}

fn logs() -> Vec<Log> {
    let log = |i: u32| Log {
        line: "x".repeat(i as usize * 37),
        body: Bytes::from(vec![i as u8; i as usize * 11]),
        codes: (0..i).collect(),
    };
    (0..40).map(log).collect()
}

#[tokio::test(flavor = "current_thread")]
async fn structs_and_dynamic_messages_are_framed_alike() {
    let pool = DescriptorPool::from_tables(&[Log::TABLE]).unwrap();
    let descriptor = pool.message("example.Log").unwrap();
    // A pipe of 13 bytes: every frame comes in pieces.
    let (here, there) = tokio::io::duplex(13);
    let mut sender = Framed::new(here, MessageCodec::<Log>::new(1 << 20));
    let mut receiver = Framed::new(there, DynamicCodec::new(descriptor, 1 << 20));
    let there_and_back = async {
        while let Some(message) = receiver.next().await {
            receiver.send(message.unwrap()).await.unwrap();
        }
    };
    let back = async {
        let mut back = Vec::new();
        for log in logs() {
            sender.send(log).await.unwrap();
            back.push(sender.next().await.unwrap().unwrap());
        }
        drop(sender);
        back
    };
    let (back, ()) = tokio::join!(back, there_and_back);
    assert_eq!(back, logs());
}

#[test]
fn frames_above_the_bound_are_refused_before_they_arrive() {
    let mut codec = MessageCodec::<Log>::new(100);
    let mut received = BytesMut::from(&b"\x65"[..]);
    let error = codec.decode(&mut received).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidData);
    let mut received = BytesMut::from(&b"\x64\x0a"[..]);
    assert!(codec.decode(&mut received).unwrap().is_none(), "it may still come");
}

#[tokio::test(flavor = "current_thread")]
async fn a_fault_in_a_message_is_an_error_of_the_stream() {
    let input = &b"\x03\x0a\x01a\x02\x0a\x05\x03\x0a\x01b"[..];
    let items: Vec<_> = FramedRead::new(input, MessageCodec::<Log>::new(100)).collect().await;
    assert_eq!(items[0].as_ref().unwrap().line, "a");
    let error = items[1].as_ref().unwrap_err();
    assert!(error.to_string().contains("example.Log"), "{error}");
    // `DynamicMessage` gives the same error.
    let pool = DescriptorPool::from_tables(&[Log::TABLE]).unwrap();
    let same = DynamicMessage::decode(&pool.message("example.Log").unwrap(), b"\x0a\x05");
    assert_eq!(error.to_string(), same.unwrap_err().to_string());
}
