//! Readers: bounds, positions after an error, groups, packed runs.

use super::*;

#[test]
fn a_child_that_reaches_beyond_its_parent_is_an_overrun() {
    let w = Wire::new;
    // In all of them the message of field 3 is two bytes long and more bytes follow.
    let bodies: [(&str, Wire); 7] = [
        ("length", w().tag(4, BYTES).varint(8).raw(&[0; 8])),
        ("group", w().tag(31, START).raw(&[0; 4])),
        ("fixed32", w().tag(1, FIXED32).raw(&[0; 4])),
        ("fixed64", w().tag(1, FIXED64).raw(&[0; 8])),
        ("varint", w().tag(1, VARINT).raw(&[0x80, 0])),
        ("tag", w().int(1, 1).raw(&[0x08])),
        ("length prefix", w().tag(1, BYTES).raw(&[0x80, 0])),
    ];
    for (name, body) in bodies {
        let body = body.done();
        let mut buf = Wire::new().int(1, 7).announced(3, 2, &body).done();
        buf.truncate(buf.len().max(6));
        let mut reader = Reader::new(&buf);
        let tag = reader.read_tag().unwrap();
        reader.skip_field(tag).unwrap();
        reader.read_tag().unwrap();
        let mut child = reader.read_message().unwrap();
        assert_eq!((child.position(), child.remaining(), reader.position()), (4, 2, 6), "{name}");
        let error = child.skip_message().err();
        let expected = match name {
            // Two whole bytes: the child ends before the third.
            "tag" => None,
            "group" => Some((Kind::Overrun, 6)),
            _ => Some((Kind::Overrun, 5)),
        };
        assert_eq!(error.map(|error| (error.kind(), error.offset())), expected, "{name}");
    }
}

#[test]
fn the_end_is_incomplete_outside_and_an_overrun_inside() {
    let mut reader = Reader::new(&[]);
    assert_eq!(reader.next_tag(), Ok(None));
    assert_eq!(reader.read_tag().unwrap_err().kind(), Kind::Incomplete);
    let mut child = Reader::new(&[0, 9]).read_message().unwrap();
    assert_eq!(child.next_tag(), Ok(None));
    assert_eq!(child.read_tag().unwrap_err().kind(), Kind::Overrun);
    assert_eq!(child.read_fixed64().unwrap_err().offset(), 1);
}

#[test]
fn a_reader_stays_where_it_failed() {
    fn failing<'i, T>(
        buf: &'i [u8],
        read: impl Fn(&mut Reader<'i>) -> Result<T, DecodeError>,
    ) -> (Kind, usize) {
        let mut reader = Reader::new(buf);
        reader.read_varint().unwrap();
        let error = read(&mut reader).map(|_| ()).unwrap_err();
        assert_eq!((reader.position(), reader.rest()), (1, &buf[1..]), "{error}");
        (error.kind(), error.offset())
    }
    let start = Tag::new(1, WireType::StartGroup);
    assert_eq!(failing(&[0, 0x80], |r| r.read_varint()), (Kind::Incomplete, 1));
    assert_eq!(failing(&[0, 6], |r| r.read_tag()), (Kind::InvalidFieldNumber, 1));
    assert_eq!(failing(&[0, 1, 2, 3], |r| r.read_fixed32()), (Kind::Incomplete, 1));
    assert_eq!(failing(&[0, 1, 2, 3], |r| r.read_fixed64()), (Kind::Incomplete, 1));
    assert_eq!(failing(&[0, 3, 2, 3], |r| r.read_length_delimited()), (Kind::Incomplete, 1));
    assert_eq!(failing(&[0, 3, 2, 3], |r| r.read_message()), (Kind::Incomplete, 1));
    assert_eq!(failing(&[0, 3, 2, 3], |r| r.read_str()), (Kind::Incomplete, 1));
    assert_eq!(failing(&[0, 0x82, 0, 0xc3, 0x28], |r| r.read_str()), (Kind::InvalidUtf8, 3));
    assert_eq!(failing(&[0, 3, 1, 2, 3], |r| r.read_packed_fixed32()), (Kind::InvalidPacked, 2));
    assert_eq!(failing(&[0, 4, 1, 2, 3, 4], |r| r.read_packed_fixed64()), (Kind::InvalidPacked, 2));
    assert_eq!(failing(&[0, 3, 1], |r| r.read_packed_varints()), (Kind::Incomplete, 1));
    assert_eq!(failing(&[0, 8, 1, 0x14], |r| r.read_group(start)), (Kind::UnexpectedEndGroup, 3));
    assert_eq!(failing(&[0, 8, 1, 0x14], |r| r.skip_field(start)), (Kind::UnexpectedEndGroup, 3));
    let varint = Tag::new(1, WireType::Varint);
    assert_eq!(failing(&[0, 8], |r| r.read_group(varint)).0, Kind::UnexpectedEndGroup);
}

#[test]
fn groups_are_read_as_messages() {
    let inner = Wire::new().int(1, 150).group(2, Wire::new().int(5, 1)).bytes(3, &[0x0c, 0x8c, 0x80]);
    let buf = Wire::new().int(9, 9).group(1, inner.clone()).int(4, 4).done();
    let mut reader = Reader::new(&buf);
    reader.skip_field_at(Tag::new(9, WireType::Varint), 0).unwrap();
    reader.read_varint().unwrap();
    let tag = reader.read_tag().unwrap();
    let mut group = reader.read_group(tag).unwrap();
    assert_eq!((group.position(), group.depth_left(), group.rest()), (3, 99, &inner.done()[..]));
    assert_eq!(group.skip_message(), Ok(()));
    assert_eq!(reader.read_tag(), Ok(Tag::new(4, WireType::Varint)));
}

#[test]
fn packed_runs_give_their_values() {
    let values = [0, 1, 127, 128, 300, u64::MAX, 1 << 35];
    let mut buf = Vec::new();
    let mut writer = Writer::new(&mut buf);
    writer.write_packed_varints(values).unwrap();
    writer.write_packed_fixed32(&[1, u32::MAX, 3]).unwrap();
    writer.write_packed_fixed64(&[1, u64::MAX]).unwrap();
    writer.write_packed_varints([]).unwrap();

    let mut reader = Reader::new(&buf);
    let run = reader.read_packed_varints().unwrap();
    assert_eq!(run.count_values(), values.len());
    let (low, high) = run.size_hint();
    assert!(low <= values.len() && high.is_some_and(|high| high >= values.len()));
    assert_eq!(run.collect::<Result<Vec<_>, _>>(), Ok(values.to_vec()));
    let run = reader.read_packed_fixed32().unwrap();
    assert_eq!((run.len(), run.collect()), (3, vec![1, u32::MAX, 3]));
    let run = reader.read_packed_fixed64().unwrap();
    assert_eq!((run.len(), run.collect()), (2, vec![1, u64::MAX]));
    assert_eq!(reader.read_packed_varints().unwrap().next(), None);
    assert!(reader.is_empty());
}

#[test]
fn packed_faults_name_the_value_and_end_the_run() {
    let overflow = Wire::new().varint_of(0, 11).done();
    for (body, kind) in [(&[0x80, 0x80][..], Kind::Overrun), (&overflow, Kind::VarintOverflow)] {
        let buf = Wire::new().int(1, 1).bytes(2, &[&[5, 6], body].concat()).raw(&[0; 20]).done();
        let mut reader = Reader::new(&buf);
        let first = reader.read_tag().unwrap();
        reader.skip_field(first).unwrap();
        reader.read_tag().unwrap();
        let mut run = reader.read_packed_varints().unwrap();
        assert_eq!((run.next(), run.next()), (Some(Ok(5)), Some(Ok(6))));
        let error = run.next().unwrap().unwrap_err();
        assert_eq!((error.kind(), error.offset()), (kind, 6));
        assert_eq!((run.next(), run.size_hint(), run.rest()), (None, (0, Some(0)), &[][..]));
    }
}

#[test]
fn values_are_counted_without_decoding() {
    let mut run = Vec::new();
    for count in 0..if cfg!(miri) { 70 } else { 1200_usize } {
        assert_eq!(count_varints(&run), count);
        run = Wire::new().raw(&run).varint_of(0, 1 + count % 10).done();
    }
    assert_eq!(count_varints(&[0x7f; 1021]), 1021);
}
