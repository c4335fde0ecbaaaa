//! Frames of a stream: whatever pieces a source gives them in, they are those of the whole, and so is the fault. Headers of gRPC and of
//! a schema registry: what is read can be written, and reads as before.

use crate::common::choices::Choices;
use std::io::{self, Read};
use tablepb::DecodeErrorKind;
use tablepb::stream::{
    FrameError, FrameReader, append_frame, confluent, decode_length_delimiter, frames, grpc,
    length_delimiter_len, read_frame, write_frame,
};

/// Longer frames are refused, so that this is tried too.
const MOST: usize = 2_000;

pub fn check(input: &[u8]) {
    grpc_frames(input);
    confluent_record(input);
    run(&mut Choices::fuzzed(input));
}

pub fn run(choices: &mut Choices) {
    let mut stream = Vec::new();
    for _ in 0..choices.below(12) {
        let most = *choices.pick(&[0, 1, 20, 127, 128, 300, 2_100]);
        let payload = vec![choices.next() as u8; choices.below(most + 1)];
        let start = stream.len();
        append_frame(&payload, &mut stream).expect("short");
        assert_eq!(stream.len() - start, length_delimiter_len(payload.len()) + payload.len());
        let mut written = Vec::new();
        write_frame(&mut written, &payload).expect("memory takes all");
        assert_eq!(stream[start..], written);
    }
    match choices.below(4) {
        0 => stream.truncate(choices.below(stream.len() + 1)),
        1 => stream.extend(choices.bytes(12)),
        2 if !stream.is_empty() => {
            let at = choices.below(stream.len());
            stream[at] = choices.next() as u8;
        }
        _ => {}
    }
    grpc_frames(&stream);
    let header = [0, 0, 0, 0, choices.below(2) as u8, choices.below(12) as u8];
    confluent_record(&[&header[..], &choices.bytes(12)].concat());
    let (whole, fault) = at_once(&stream);
    let source = Pieces { rest: &stream, choices: choices.clone(), blocks: true };
    let mut reader = FrameReader::new(source).max_frame_len(MOST);
    let mut position = 0;
    for payload in &whole {
        assert_eq!(reader.position(), position as u64);
        let got = next(&mut reader).expect("a frame of the whole").expect("a frame of the whole");
        assert_eq!(got, *payload);
        // As the prefix was, which may be longer than it need be.
        position = reader.position() as usize;
    }
    for _ in 0..2 {
        match (next(&mut reader), fault) {
            (Ok(None), None) => {}
            (Err(error), Some(fault)) => assert_eq!(error, fault),
            (got, fault) => panic!("{got:?}, not {fault:?}"),
        }
    }
}

/// Frames of gRPC, and what is left of the bytes after the last whole one.
fn grpc_frames(stream: &[u8]) {
    let (mut rest, mut again) = (stream, Vec::new());
    let fault = loop {
        match grpc::read_frame(&mut rest, MOST) {
            Ok(Some(frame)) => {
                let written = grpc::append_frame_with(&mut again, frame.compressed, |buf| {
                    buf.extend_from_slice(frame.payload);
                    Ok::<(), tablepb::EncodeError>(())
                });
                written.expect("short");
            }
            Ok(None) => break None,
            Err(error) => break Some(error.kind()),
        }
    };
    assert_eq!([&again, rest].concat(), stream);
    match (fault, rest) {
        (Some(DecodeErrorKind::InvalidFrame), [flag, ..]) => assert!(*flag > 1),
        (Some(DecodeErrorKind::FrameTooLarge), [_, len @ ..]) => {
            assert!(u32::from_be_bytes(*len.first_chunk().expect("a header")) > MOST as u32);
        }
        (None, [_, len @ ..]) if len.len() >= 4 => {
            assert!(len.len() - 4 < u32::from_be_bytes(*len.first_chunk().expect("a header")) as usize);
        }
        (None, _) => {}
        (fault, rest) => panic!("{fault:?} at {rest:?}"),
    }
}

/// A record of a schema registry, from bytes that may be none.
fn confluent_record(bytes: &[u8]) {
    let Ok(record) = confluent::read_record(bytes) else { return };
    assert!(bytes.ends_with(record.payload));
    let indexes: Vec<usize> = record.indexes.iter().collect();
    assert!(!indexes.is_empty() && indexes.len() <= confluent::MAX_INDEXES);
    let mut again = Vec::new();
    confluent::append_header(record.schema_id, &indexes, &mut again).expect("as they were read");
    // Varints may be longer than they need be.
    assert!(again.len() <= bytes.len() - record.payload.len());
    again.extend_from_slice(record.payload);
    let same = confluent::read_record(&again).expect("it was written");
    assert_eq!((same.schema_id, same.payload), (record.schema_id, record.payload));
    assert!(same.indexes.iter().eq(indexes));
}

/// The frames of a slice, and what ends them.
fn at_once(stream: &[u8]) -> (Vec<&[u8]>, Option<(DecodeErrorKind, usize)>) {
    let mut found = Vec::new();
    let mut rest = stream;
    let mut iterated = frames(stream);
    loop {
        let start = stream.len() - rest.len();
        assert_eq!(iterated.position(), start);
        match (read_frame(&mut rest), iterated.next()) {
            (Ok(Some(a)), Some(Ok(b))) if a.len() <= MOST => {
                assert_eq!(a, b);
                found.push(a);
            }
            (Ok(Some(_)), Some(Ok(_))) => return (found, Some((DecodeErrorKind::FrameTooLarge, start))),
            (Ok(None), None) if rest.is_empty() => return (found, None),
            (got, Some(Err(error))) => {
                assert!(if error.kind() == DecodeErrorKind::Incomplete {
                    got == Ok(None)
                } else {
                    got.is_err()
                });
                // What is too long is refused before it is missed.
                let len = decode_length_delimiter(&mut &stream[start..]);
                let too_large = len.is_ok_and(|len| len > MOST);
                let kind = if too_large { DecodeErrorKind::FrameTooLarge } else { error.kind() };
                return (found, Some((kind, start)));
            }
            (a, b) => panic!("{a:?} one by one, {b:?} by iterating"),
        }
    }
}

/// The next frame, however often the source has nothing yet.
fn next(reader: &mut FrameReader<Pieces<'_>>) -> Result<Option<Vec<u8>>, (DecodeErrorKind, usize)> {
    loop {
        match reader.next_frame() {
            Ok(frame) => return Ok(frame.map(<[u8]>::to_vec)),
            Err(FrameError::Decode(error)) => return Err((error.kind(), error.offset())),
            Err(FrameError::Io(error)) => assert_eq!(error.kind(), io::ErrorKind::WouldBlock),
        }
    }
}

/// A source of small pieces, which is interrupted and has nothing at times.
struct Pieces<'s> {
    rest: &'s [u8],
    choices: Choices,
    blocks: bool,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.choices.below(12) {
            0 => return Err(io::ErrorKind::Interrupted.into()),
            1 if self.blocks => return Err(io::ErrorKind::WouldBlock.into()),
            _ => {}
        }
        let most = *self.choices.pick(&[1, 2, 7, 100, 5_000]);
        let len = self.rest.len().min(buf.len()).min(most);
        let (piece, rest) = self.rest.split_at(len);
        buf[..len].copy_from_slice(piece);
        self.rest = rest;
        Ok(len)
    }
}
