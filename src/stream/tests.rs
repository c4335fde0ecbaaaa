//! Frames in memory and over `std::io` must agree.

use super::*;
use crate::wire::error::EncodeErrorKind;
use alloc::{string::ToString, vec, vec::Vec};

/// Payloads around every length at which a prefix or a buffer grows.
fn payloads() -> Vec<Vec<u8>> {
    [0, 1, 127, 128, 129, 4096, 8189, 8190, 8191, 8192, 16_383, 16_384, 40_000, 0, 3]
        .iter()
        .enumerate()
        .map(|(i, &len)| vec![i as u8; len])
        .collect()
}

fn framed(payloads: &[Vec<u8>]) -> Vec<u8> {
    let mut buf = Vec::new();
    for payload in payloads {
        append_frame(payload, &mut buf).unwrap();
    }
    buf
}

#[test]
fn prefixes_are_varints() {
    for (len, prefix) in [
        (0, &[0][..]),
        (127, &[127]),
        (128, &[0x80, 1]),
        (16_384, &[0x80, 0x80, 1]),
        (0x7fff_ffff, &[0xff, 0xff, 0xff, 0xff, 7]),
    ] {
        let mut buf = Vec::new();
        encode_length_delimiter(len, &mut buf).unwrap();
        assert_eq!((&buf[..], length_delimiter_len(len)), (prefix, prefix.len()));
        let mut input = &buf[..];
        assert_eq!((decode_length_delimiter(&mut input), input.len()), (Ok(len), 0));
    }
    let mut buf = vec![9];
    let error = encode_length_delimiter(0x8000_0000, &mut buf).unwrap_err();
    assert_eq!((error.kind(), &buf[..]), (EncodeErrorKind::TooLarge, &[9][..]));
}

#[test]
fn bad_prefixes_are_errors_and_short_ones_are_not() {
    for bad in [&[0xff, 0xff, 0xff, 0xff, 8][..], &[0x80, 0x80, 0x80, 0x80, 0x80, 0]] {
        let mut input = bad;
        assert_eq!(read_frame(&mut input).unwrap_err().kind(), DecodeErrorKind::InvalidLength);
        assert_eq!(decode_length_delimiter(&mut input).unwrap_err().kind(), DecodeErrorKind::InvalidLength);
        assert_eq!(frames(bad).next().unwrap().unwrap_err().kind(), DecodeErrorKind::InvalidLength);
        assert_eq!(input, bad);
    }
    for short in [&[][..], &[0x80], &[0xff, 0xff, 0xff, 0xff], &[0xff, 0xff, 0xff, 0xff, 7], &[2, 1]] {
        let mut input = short;
        assert_eq!((read_frame(&mut input), input), (Ok(None), short));
    }
    assert_eq!(decode_length_delimiter(&mut &[0x80][..]).unwrap_err().kind(), DecodeErrorKind::Incomplete);
}

#[test]
fn slices_give_back_the_payloads_of_every_truncation() {
    let payloads: Vec<_> = payloads().into_iter().filter(|payload| payload.len() < 200).collect();
    let buf = framed(&payloads);
    for len in 0..=buf.len() {
        let mut input = &buf[..len];
        let mut count = 0;
        while let Some(payload) = read_frame(&mut input).unwrap() {
            assert_eq!(payload, payloads[count]);
            count += 1;
        }
        let mut iter = frames(&buf[..len]);
        assert!(iter.by_ref().take(count).eq(payloads[..count].iter().map(|payload| Ok(&payload[..]))));
        assert_eq!(iter.position(), len - input.len());
        match iter.next() {
            None => assert!(input.is_empty()),
            Some(last) => {
                let error = last.unwrap_err();
                assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::Incomplete, len - input.len()));
                assert!(iter.next().is_none());
            }
        }
    }
}

#[cfg(feature = "std")]
mod io {
    use super::*;
    use std::io::{self, Read};

    /// A source that gives at most `step` bytes at a time and is interrupted before each of them.
    struct Slow<'a> {
        bytes: &'a [u8],
        step: usize,
        interrupt: bool,
    }

    impl Read for Slow<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            self.interrupt = !self.interrupt;
            if self.interrupt {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let step = self.step.min(buf.len());
            self.bytes.read(&mut buf[..step])
        }
    }

    fn slow(bytes: &[u8], step: usize) -> FrameReader<Slow<'_>> {
        FrameReader::new(Slow { bytes, step, interrupt: false })
    }

    fn decode_fault(error: FrameError) -> (DecodeErrorKind, usize) {
        match error {
            FrameError::Decode(error) => (error.kind(), error.offset()),
            FrameError::Io(error) => panic!("{error}"),
        }
    }

    #[test]
    fn every_step_gives_the_same_frames() {
        let payloads = payloads();
        let buf = framed(&payloads);
        for step in [1, 2, 3, 7, 4096, 8191, 8192, 8193, 1 << 20] {
            let mut reader = slow(&buf, step);
            for payload in &payloads {
                assert_eq!(reader.next_frame().unwrap(), Some(&payload[..]));
            }
            assert!(reader.next_frame().unwrap().is_none());
            assert!(reader.next_frame().unwrap().is_none());
            assert_eq!(reader.position(), buf.len() as u64);
        }
    }

    #[test]
    fn written_frames_are_appended_frames() {
        let payloads = payloads();
        let mut written = Vec::new();
        for payload in &payloads {
            write_frame(&mut written, payload).unwrap();
        }
        assert_eq!(written, framed(&payloads));
    }

    #[test]
    fn truncation_is_incomplete_at_the_start_of_the_frame() {
        let buf = framed(&[vec![1; 3], vec![2; 200]]);
        for len in 0..buf.len() {
            let mut reader = FrameReader::new(&buf[..len]);
            let last = loop {
                match reader.next_frame() {
                    Ok(Some(_)) => {}
                    Ok(None) => break None,
                    Err(error) => break Some(decode_fault(error)),
                }
            };
            let expected = match len {
                0 | 4 => None,
                1..4 => Some((DecodeErrorKind::Incomplete, 0)),
                _ => Some((DecodeErrorKind::Incomplete, 4)),
            };
            assert_eq!(last, expected, "{len} bytes");
        }
    }

    #[test]
    fn limits_hold_and_announced_lengths_take_no_memory() {
        let buf = framed(&[vec![1; 3], vec![2; 4]]);
        let mut reader = FrameReader::new(&buf[..]).max_frame_len(3);
        assert_eq!(reader.next_frame().unwrap(), Some(&[1; 3][..]));
        for _ in 0..2 {
            let fault = decode_fault(reader.next_frame().unwrap_err());
            assert_eq!(fault, (DecodeErrorKind::FrameTooLarge, 4));
        }

        let announced = [0xff, 0xff, 0xff, 0xff, 7, 1, 2, 3];
        let mut reader = FrameReader::new(&announced[..]).max_frame_len(usize::MAX);
        assert_eq!(decode_fault(reader.next_frame().unwrap_err()), (DecodeErrorKind::Incomplete, 0));
        assert!(reader.buf.capacity() <= 8192);

        let invalid = [0xff, 0xff, 0xff, 0xff, 8, 1];
        let fault = decode_fault(FrameReader::new(&invalid[..]).next_frame().unwrap_err());
        assert_eq!(fault, (DecodeErrorKind::InvalidLength, 0));
    }

    /// A source of parts, between which it would block.
    struct Parts(Vec<Vec<u8>>);

    impl Read for Parts {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            match self.0.pop() {
                Some(part) if part.is_empty() => Err(io::ErrorKind::WouldBlock.into()),
                Some(part) => (&part[..]).read(buf),
                None => Ok(0),
            }
        }
    }

    #[test]
    fn a_source_that_would_block_loses_nothing() {
        let mut parts: Vec<_> =
            framed(&[b"first".to_vec(), b"second".to_vec()]).chunks(3).map(<[u8]>::to_vec).collect();
        parts = parts.into_iter().flat_map(|part| [vec![], part]).collect();
        parts.reverse();
        let mut reader = FrameReader::new(Parts(parts));
        let mut frames = Vec::new();
        let mut blocked = 0;
        loop {
            match reader.next_frame() {
                Ok(Some(frame)) => frames.push(frame.to_vec()),
                Ok(None) => break,
                Err(error) => {
                    assert_eq!(io::Error::from(error).kind(), io::ErrorKind::WouldBlock);
                    blocked += 1;
                }
            }
        }
        assert_eq!((frames, blocked), (vec![b"first".to_vec(), b"second".to_vec()], 5));
    }

    #[test]
    fn errors_become_io_errors() {
        let kind = |kind| io::Error::from(FrameError::Decode(DecodeError::new(kind, 0))).kind();
        assert_eq!(kind(DecodeErrorKind::Incomplete), io::ErrorKind::UnexpectedEof);
        assert_eq!(kind(DecodeErrorKind::FrameTooLarge), io::ErrorKind::InvalidData);
    }
}

#[test]
fn grpc_frames_come_back_from_any_pieces() {
    let mut buf = Vec::new();
    for payload in &payloads() {
        grpc::append_frame(payload, &mut buf).unwrap();
    }
    for limit in [grpc::HEADER_LEN - 1, 100, 9000, buf.len()] {
        let (mut end, mut start) = (0, 0);
        let mut read = Vec::new();
        while start < buf.len() {
            let mut input = &buf[start..end];
            match grpc::read_frame(&mut input, 40_000).unwrap() {
                Some(frame) => {
                    assert!(!frame.compressed);
                    read.push(frame.payload.to_vec());
                    start = end - input.len();
                }
                None => {
                    assert_eq!(input.len(), end - start);
                    end = (end + limit).min(buf.len());
                }
            }
        }
        assert_eq!(read, payloads());
    }
}

#[test]
fn grpc_headers_are_checked_before_their_payload_is_there() {
    let kind = |bytes: &[u8], most| {
        let mut input = bytes;
        let error = grpc::read_frame(&mut input, most).unwrap_err();
        assert_eq!(input, bytes);
        (error.kind(), error.offset())
    };
    assert_eq!(kind(&[2], 9), (DecodeErrorKind::InvalidFrame, 0));
    assert_eq!(kind(&[255, 0, 0, 0, 0], 9), (DecodeErrorKind::InvalidFrame, 0));
    assert_eq!(kind(&[1, 0, 0, 0, 10], 9), (DecodeErrorKind::FrameTooLarge, 1));
    assert_eq!(kind(&[0, 0x80, 0, 0, 0], usize::MAX), (DecodeErrorKind::FrameTooLarge, 1));
    for short in [&[][..], &[1], &[0, 0, 0, 0], &[0, 0, 0, 0, 2, 7], &[0, 0x7f, 0xff, 0xff, 0xff, 7]] {
        let mut input = short;
        assert_eq!((grpc::read_frame(&mut input, usize::MAX), input), (Ok(None), short));
    }
    let mut input = &[1, 0, 0, 0, 1, 7, 8][..];
    let frame = grpc::read_frame(&mut input, 1).unwrap().unwrap();
    assert_eq!((frame.compressed, frame.payload, input), (true, &[7][..], &[8][..]));
}

#[test]
fn a_grpc_frame_that_fails_leaves_nothing() {
    let mut buf = vec![9];
    let written = grpc::append_frame_with(&mut buf, true, |buf| {
        buf.extend([1, 2, 3]);
        Ok::<(), EncodeError>(())
    });
    assert_eq!((written, &buf[..]), (Ok(()), &[9, 1, 0, 0, 0, 3, 1, 2, 3][..]));
    let failed = grpc::append_frame_with(&mut buf, true, |buf| {
        buf.extend([4; 100]);
        Err(EncodeError::new(EncodeErrorKind::DepthExceeded))
    });
    assert_eq!((failed.unwrap_err().kind(), buf.len()), (EncodeErrorKind::DepthExceeded, 9));
    // It took away what was there before.
    let shorter = grpc::append_frame_with(&mut buf, true, |buf| {
        buf.truncate(3);
        Ok::<(), EncodeError>(())
    });
    assert_eq!((shorter.unwrap_err().kind(), &buf[..]), (EncodeErrorKind::TooLarge, &[9, 1, 0][..]));
}

#[test]
fn confluent_headers_come_back() {
    for indexes in [&[0][..], &[1], &[0, 0], &[5, 0, 300, 0x7fff_ffff], &[3; confluent::MAX_INDEXES]] {
        let mut record = vec![];
        confluent::append_header(0xdead_beef, indexes, &mut record).unwrap();
        assert_eq!(record.len() == 6, indexes == [0]);
        let header = record.len();
        record.extend(b"message");
        let read = confluent::read_record(&record).unwrap();
        assert_eq!((read.schema_id, read.payload), (0xdead_beef, &b"message"[..]));
        assert!(read.indexes.iter().eq(indexes.iter().copied()));
        for len in 0..header {
            let error = confluent::read_record(&record[..len]).unwrap_err();
            assert_eq!(error.kind(), DecodeErrorKind::Incomplete, "{len} of {header}");
        }
        assert!(confluent::read_record(&record[..header]).unwrap().payload.is_empty());
    }
    let mut none = vec![];
    confluent::append_header(1, &[], &mut none).unwrap();
    assert_eq!(none, [0, 0, 0, 0, 1, 0]);
    // One index that is 0, spelled out.
    assert!(confluent::read_record(&[0, 0, 0, 0, 1, 2, 0, 7]).unwrap().indexes.iter().eq([0]));
}

/// The error tells a reader that a record has another framing.
#[test]
fn a_wrong_first_byte_and_the_framing_that_was_expected_are_in_the_error() {
    let error = confluent::read_record(b"\x0a\x01a").unwrap_err();
    let text = "the header of the frame is not valid at byte 0: a record in Confluent's framing begins with 0x00, not 0x0a";
    assert_eq!(error.to_string(), text);
    let error = grpc::read_frame(&mut &b"\xff"[..], 9).unwrap_err();
    let text =
        "the header of the frame is not valid at byte 0: a frame of gRPC begins with 0x00 or 0x01, not 0xff";
    assert_eq!(error.to_string(), text);
    assert!(!confluent::read_record(&[0, 0, 0, 0, 1, 1]).unwrap_err().to_string().contains("0x"));
}

#[test]
fn confluent_headers_are_bounded() {
    let kind = |bytes: &[u8]| {
        let error = confluent::read_record(bytes).unwrap_err();
        (error.kind(), error.offset())
    };
    assert_eq!(kind(&[1, 0, 0, 0, 1, 0]), (DecodeErrorKind::InvalidFrame, 0));
    assert_eq!(kind(&[0, 0, 0, 0, 1, 1]), (DecodeErrorKind::InvalidFrame, 5), "-1 indexes");
    assert_eq!(kind(&[0, 0, 0, 0, 1, 66]), (DecodeErrorKind::InvalidFrame, 5), "33 indexes");
    assert_eq!(kind(&[0, 0, 0, 0, 1, 4, 0, 1]), (DecodeErrorKind::InvalidFrame, 7), "the index -1");
    assert_eq!(kind(&[0, 0, 0, 0, 1, 2, 0x80, 0x80, 0x80, 0x80, 0x10]), (DecodeErrorKind::InvalidFrame, 6));
    let endless = [&[0, 0, 0, 0, 1][..], &[0xff; 11]].concat();
    assert_eq!(kind(&endless), (DecodeErrorKind::VarintOverflow, 5));
    for bad in [&[0; confluent::MAX_INDEXES + 1][..], &[1 << 31]] {
        let mut buf = vec![9];
        let error = confluent::append_header(1, bad, &mut buf).unwrap_err();
        assert_eq!((error.kind(), &buf[..]), (EncodeErrorKind::TooLarge, &[9][..]));
    }
}

#[cfg(feature = "bytes")]
#[test]
fn split_frames_are_those_that_are_read() {
    let stream = framed(&payloads());
    let mut received = bytes::BytesMut::new();
    let mut split = Vec::new();
    for piece in stream.chunks(1000) {
        received.extend_from_slice(piece);
        while let Some(payload) = split_frame(&mut received).unwrap() {
            split.push(payload.to_vec());
        }
    }
    assert_eq!((split, received.len()), (payloads(), 0));
    let mut bad = bytes::BytesMut::from(&[0xff, 0xff, 0xff, 0xff, 8, 1][..]);
    assert_eq!(split_frame(&mut bad).unwrap_err().kind(), DecodeErrorKind::InvalidLength);
    assert_eq!(bad.len(), 6);

    // A bound refuses a frame as soon as its prefix is there, and no other one.
    for (input, len) in
        [(&b"\x03"[..], None), (b"\x03ab", None), (b"\x03abc", Some(3)), (b"", None), (b"\0", Some(0))]
    {
        let mut buf = bytes::BytesMut::from(input);
        assert_eq!(split_frame_within(&mut buf, 3).unwrap().map(|frame| frame.len()), len);
        assert_eq!(buf.len(), if len.is_some() { 0 } else { input.len() });
    }
    for input in [&b"\x04"[..], b"\x04abcd", b"\xff\xff\xff\xff\x07", b"\x84\x00"] {
        let mut buf = bytes::BytesMut::from(input);
        assert_eq!(split_frame_within(&mut buf, 3).unwrap_err().kind(), DecodeErrorKind::FrameTooLarge);
        assert_eq!(buf, input);
    }
    assert_eq!(split_frame_within(&mut bytes::BytesMut::from(&b"\x84"[..]), 3), Ok(None));
}

#[cfg(feature = "std")]
#[test]
fn errors_become_those_of_std_io() {
    use std::io::ErrorKind::*;
    for (kind, expected) in [
        (DecodeErrorKind::Incomplete, UnexpectedEof),
        (DecodeErrorKind::OutOfMemory, OutOfMemory),
        (DecodeErrorKind::InvalidUtf8, InvalidData),
    ] {
        assert_eq!(std::io::Error::from(DecodeError::new(kind, 3)).kind(), expected);
    }
    let error = std::io::Error::from(EncodeError::new(EncodeErrorKind::TooLarge));
    assert_eq!(error.kind(), InvalidInput);
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<EncodeError>()).unwrap();
    assert_eq!(inner.kind(), EncodeErrorKind::TooLarge);
    assert_eq!(std::io::Error::from(EncodeError::new(EncodeErrorKind::OutOfMemory)).kind(), OutOfMemory);
}
