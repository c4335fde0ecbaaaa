//! Writers: lengths that are filled in, and what a failed write leaves.

use super::*;

#[test]
fn lengths_of_messages_are_filled_in() {
    for len in [0, 1, 126, 127, 128, 129, 16_383, 16_384, 16_385, 70_000, (1 << 21) - 1, 1 << 21] {
        if cfg!(miri) && len > 200 {
            continue;
        }
        let body = vec![0xab; len];
        let tag = Tag::new(1, WireType::LengthDelimited);
        let mut buf = vec![0x7f];
        let mut writer = Writer::new(&mut buf);
        writer
            .write_message(tag, |outer| {
                outer.write_message(Tag::new(500, WireType::LengthDelimited), |inner| {
                    inner.write_raw(&body);
                    Ok(())
                })
            })
            .unwrap();
        let inner = Wire::new().bytes(500, &body);
        assert_eq!(buf, Wire::new().raw(&[0x7f]).message(1, inner).done(), "{len} bytes");
    }
}

#[test]
fn failed_writes_leave_the_buffer_as_it_was() {
    let fail = || EncodeError::new(EncodeErrorKind::MissingRequired);
    let mut buf = vec![1, 2];
    let mut writer = Writer::new(&mut buf);
    let result = writer.write_message(Tag::new(1, WireType::LengthDelimited), |child| {
        child.write_fixed64(5);
        child.write_group(3, |_| Err(fail()))
    });
    assert_eq!(result.unwrap_err().kind(), EncodeErrorKind::MissingRequired);
    let result = Writer::new(&mut buf).write_group(1, |group| {
        group.write_varint(1 << 40);
        Err(fail())
    });
    assert_eq!(result.unwrap_err().kind(), EncodeErrorKind::MissingRequired);
    let error = Writer::new(&mut buf).write_length(MAX_LEN + 1).unwrap_err();
    assert_eq!((error.kind(), &buf[..]), (EncodeErrorKind::TooLarge, &[1, 2][..]));
}

/// What every kind of buffer must hold after the same writes.
fn written(mut buf: impl Buffer) -> Vec<u8> {
    let mut writer = Writer::new(&mut buf);
    writer.write_tag(Tag::new(1, WireType::Fixed32));
    writer.write_fixed32(0x0403_0201);
    writer.write_tag(Tag::new(2, WireType::Fixed64));
    writer.write_fixed64(1);
    writer.write_tag(Tag::new(3, WireType::LengthDelimited));
    writer.write_length_delimited(b"abc").unwrap();
    writer
        .write_group(4, |group| {
            group.write_tag(Tag::new(5, WireType::Varint));
            group.write_varint(zigzag64(-3));
            Ok(())
        })
        .unwrap();
    buf.as_bytes().to_vec()
}

#[test]
fn buffers_agree() {
    let expected = Wire::new()
        .tag(1, FIXED32)
        .raw(&[1, 2, 3, 4])
        .tag(2, FIXED64)
        .raw(&1_u64.to_le_bytes())
        .bytes(3, b"abc")
        .group(4, Wire::new().int(5, 5))
        .done();
    assert_eq!(written(Vec::new()), expected);
    #[cfg(feature = "bytes")]
    assert_eq!(written(bytes::BytesMut::new()), expected);
    assert_eq!(Reader::new(&expected).skip_message(), Ok(()));
}
