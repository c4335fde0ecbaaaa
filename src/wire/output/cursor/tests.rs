use super::*;
use crate::wire::{WireType, varint};
use alloc::{vec, vec::Vec};

/// One item: how it is put, and its bytes.
type Item = (fn(&mut Cursor<'_>, u64), u64, Vec<u8>);

fn items() -> Vec<Item> {
    let mut items: Vec<Item> = vec![
        (|cursor, value| cursor.put_byte(value as u8), 7, vec![7]),
        (|cursor, value| cursor.put_fixed32(value as u32), 0x0403_0201, vec![1, 2, 3, 4]),
        (|cursor, value| cursor.put_fixed64(value), 0x0807_0605_0403_0201, (1..9).collect()),
        (|cursor, _| cursor.put_slice(b"slice"), 0, b"slice".to_vec()),
        (|cursor, _| cursor.put_slice(&[]), 0, vec![]),
        (|cursor, _| cursor.write_length_delimited(b"abc"), 0, b"\x03abc".to_vec()),
        (|cursor, value| cursor.write_byte(value as u8), 7, vec![7]),
        (|cursor, value| cursor.write_tagged_varint(0x7f, value), 0x7f, vec![0x7f, 0x7f]),
        (|cursor, value| cursor.write_tagged_varint(0x7f, value), 0x80, vec![0x7f, 0x80, 1]),
        (|cursor, value| cursor.write_tagged_varint(0x80, value), 0x7f, vec![0x80, 1, 0x7f]),
        (
            |cursor, value| cursor.write_tagged_fixed32(0x7d, value as u32),
            0x0403_0201,
            vec![0x7d, 1, 2, 3, 4],
        ),
        (
            |cursor, value| cursor.write_tagged_fixed32(0x85, value as u32),
            0x0403_0201,
            vec![0x85, 1, 1, 2, 3, 4],
        ),
        (
            |cursor, value| cursor.write_tagged_fixed64(9, value),
            0x0807_0605_0403_0201,
            (1..9).fold(vec![9], |mut bytes, byte| {
                bytes.push(byte);
                bytes
            }),
        ),
        (|cursor, value| cursor.write_tagged_fixed64(0x81, value), 1, vec![0x81, 1, 1, 0, 0, 0, 0, 0, 0, 0]),
        (|cursor, _| cursor.write_tagged_bytes(0x1a, b"abc"), 0, b"\x1a\x03abc".to_vec()),
        (|cursor, value| cursor.write_fixed32(value as u32), 0x0403_0201, vec![1, 2, 3, 4]),
        (|cursor, value| cursor.write_fixed64(value), 0x0807_0605_0403_0201, (1..9).collect()),
        (|cursor, _| cursor.write_slice(b"slice"), 0, b"slice".to_vec()),
        (|cursor, _| cursor.put_prefix(&[5; 40], 3), 0, vec![5; 3]),
        (|cursor, _| cursor.put_prefix(&[5; 40], 33), 0, vec![5; 33]),
        (|cursor, _| cursor.put_prefix(&[5; 4], 3), 0, vec![5; 3]),
        (|cursor, _| cursor.put_word(*b"abcdefgh", 2), 0, b"ab".to_vec()),
        (|cursor, _| cursor.put_word(*b"abcdefgh", 8), 0, b"abcdefgh".to_vec()),
        (|cursor, _| cursor.put_tag(Tag::new(20, WireType::Fixed32)), 0, vec![0xa5, 1]),
    ];
    for value in varint::tests::edges() {
        items.push((|cursor, value| cursor.put_varint(value), value, varint::tests::reference(value)));
        items.push((|cursor, value| cursor.write_varint(value), value, varint::tests::reference(value)));
    }
    items
}

#[test]
fn items_fit_exactly_or_overflow() {
    let (some, rooms) = if cfg!(miri) { (41, 7) } else { (1, 1) };
    for (put, value, bytes) in items().into_iter().step_by(some) {
        for room in (0..bytes.len() + 40).step_by(rooms) {
            let mut memory = vec![MaybeUninit::uninit(); room];
            let mut cursor = Cursor::new(&mut memory);
            put(&mut cursor, value);
            let written = cursor.written();
            match cursor.finish() {
                Ok(proof) => assert_eq!((proof.as_slice(), written), (&bytes[..], bytes.len())),
                Err(CursorOverflow) => assert!(room < bytes.len(), "{bytes:02x?} in {room}"),
            }
        }
    }
}

#[test]
fn overflow_sticks() {
    let mut memory = [0; 6];
    let mut cursor = Cursor::over(&mut memory);
    cursor.put_byte(1);
    cursor.put_fixed64(2);
    assert_eq!((cursor.written(), cursor.room()), (1, 0));
    cursor.put_byte(3);
    cursor.put_slice(&[]);
    assert_eq!(cursor.finish().err(), Some(CursorOverflow));
}

#[test]
fn items_follow_each_other() {
    let mut expected = Vec::new();
    let mut memory = vec![0; 8192];
    let mut cursor = Cursor::over(&mut memory);
    for (put, value, bytes) in items().into_iter().step_by(if cfg!(miri) { 13 } else { 1 }) {
        put(&mut cursor, value);
        expected.extend(bytes);
    }
    let written = cursor.finish().map(|proof| proof.as_slice().to_vec());
    assert_eq!(written, Ok(expected));
}
