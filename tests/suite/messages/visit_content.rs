//! Messages that a sink takes as bytes.

use tablepb::table::{FieldTable, Kind, MessageTable};
use tablepb::visit::{Field, Sink, Step};
use tablepb::{Decoder, DescriptorPool};

static NODE: MessageTable = MessageTable::new(
    "c.Node",
    &[
        FieldTable::new("name", 1, Kind::String),
        FieldTable::new("child", 2, Kind::Message(|| &NODE)),
        FieldTable::new("group", 3, Kind::Message(|| &NODE)).delimited(),
        FieldTable::new("far", 500, Kind::Message(|| &NODE)).delimited(),
        FieldTable::map("ids", 5, Kind::Int32, Kind::Message(|| &NODE)),
        FieldTable::new("points", 6, Kind::Message(|| &POINT)).repeated(),
        FieldTable::new("lines", 7, Kind::Message(|| &LINE)).repeated(),
    ],
);

static POINT: MessageTable = MessageTable::new(
    "c.Point",
    &[FieldTable::new("x", 1, Kind::Float), FieldTable::new("y", 2, Kind::Float)],
);

static LINE: MessageTable = MessageTable::new(
    "c.Line",
    &[FieldTable::new("a", 1, Kind::Message(|| &POINT)), FieldTable::new("b", 2, Kind::Message(|| &POINT))],
);

/// Takes fields of one name as bytes, enters the others, and notes what comes.
struct Contents {
    name: &'static str,
    found: Vec<Vec<u8>>,
    ends: usize,
    names: usize,
}

impl<'i> Sink<'i> for Contents {
    fn begin(&mut self, field: Field<'_>) -> Step {
        if field.descriptor().name() == self.name { Step::Content } else { Step::Enter }
    }

    fn content(&mut self, field: Field<'_>, content: &'i [u8]) {
        assert_eq!(field.descriptor().name(), self.name);
        self.found.push(content.to_vec());
    }

    fn end(&mut self, _: Field<'_>) {
        self.ends += 1;
    }

    fn str(&mut self, _: Field<'_>, _: &'i str) {
        self.names += 1;
    }
}

/// What a sink that takes fields of this name as bytes gets of a message, which ends with a name. Other messages end so many times.
fn contents(name: &'static str, input: &[u8], ends: usize) -> Vec<Vec<u8>> {
    let pool = DescriptorPool::from_tables(&[&NODE]).unwrap();
    let mut decoder = Decoder::new(&pool.message("c.Node").unwrap());
    let mut sink = Contents { name, found: Vec::new(), ends: 0, names: 0 };
    decoder.visit(&[input, b"\x0a\x01n"].concat(), &mut sink).unwrap();
    assert_eq!((sink.ends, sink.names), (ends, 1), "what comes after it is visited");
    sink.found
}

#[test]
fn a_message_is_handed_over_as_it_is_on_the_wire() {
    // A string that is no UTF-8: the content is not checked.
    assert_eq!(contents("child", b"\x12\x03\x0a\x01\xff\x12\x00", 0), [&b"\x0a\x01\xff"[..], b""]);
    assert_eq!(contents("ids", b"\x2a\x02\x08\x01", 0), [b"\x08\x01"]);
    assert_eq!(contents("value", b"\x2a\x06\x08\x01\x12\x02\x08\x03", 1), [b"\x08\x03"]);
}

#[test]
fn a_group_is_handed_over_without_its_end_tag_however_long_that_is() {
    // 3 << 3 | 4 = 0x1c, and 500 << 3 | 4 = 0xa4 0x1f.
    for (start, name) in [(&b"\x1b"[..], "group"), (b"\xa3\x1f", "far")] {
        let canonical: &[u8] = if name == "group" { b"\x1c" } else { b"\xa4\x1f" };
        for content in [&b""[..], b"\x0d\x00\x00\x00\x80", b"\x10\x1c", b"\x10\xa4\x1f", b"\x1b\x1c"] {
            for longer in canonical.len()..=5 {
                let mut end = canonical.to_vec();
                while end.len() < longer {
                    *end.last_mut().unwrap() |= 0x80;
                    end.push(0);
                }
                assert_eq!(contents(name, &[start, content, &end].concat(), 0), [content], "{name} {end:x?}");
            }
        }
    }
}

#[test]
fn messages_of_fixed_shape_are_handed_over_one_by_one() {
    let point = |x: f32| [&b"\x0d"[..], &x.to_le_bytes(), b"\x15", &2f32.to_le_bytes()].concat();
    let within = |tag: u8, bytes: &[u8]| [&[tag, bytes.len() as u8], bytes].concat();
    let points: Vec<_> = (0..10).map(|x| point(x as f32)).collect();
    let list: Vec<u8> = points.iter().flat_map(|point| within(0x32, point)).collect();
    assert_eq!(contents("points", &list, 0), points);
    // Lines of two points each, the first one without its y.
    let line = |at: usize| [within(0x0a, &points[at][..5]), within(0x12, &points[at])].concat();
    let whole = |at: usize| [within(0x0a, &points[at]), within(0x12, &points[at])].concat();
    let lines: Vec<_> = (0..10).map(|at| if at % 3 == 0 { line(at) } else { whole(at) }).collect();
    let list: Vec<u8> = lines.iter().flat_map(|line| within(0x3a, line)).collect();
    assert_eq!(contents("lines", &list, 0), lines);
    assert_eq!(contents("b", &list, 20), points);
    let first: Vec<_> = (0..10).map(|at| points[at][..if at % 3 == 0 { 5 } else { 10 }].to_vec()).collect();
    assert_eq!(contents("a", &list, 20), first);
}

#[test]
fn what_does_not_end_is_an_error() {
    let pool = DescriptorPool::from_tables(&[&NODE]).unwrap();
    let mut decoder = Decoder::new(&pool.message("c.Node").unwrap());
    for bad in [&b"\x12\x03\x0a"[..], b"\x1b\x08", b"\x1b\x08\x01", b"\x1b\x1b\x1c", b"\x1b\x24"] {
        for name in ["child", "group"] {
            let mut sink = Contents { name, found: Vec::new(), ends: 0, names: 0 };
            assert!(decoder.visit(bad, &mut sink).is_err(), "{bad:x?}");
            assert!(sink.found.is_empty());
        }
    }
}
