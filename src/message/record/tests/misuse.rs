//! Misuse of a writer: each case ends in an error, none in a record that cannot be read.

use super::*;
use crate::wire::error::EncodeErrorKind;
use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

/// Nests by messages and by maps of messages; a map of numbers can be innermost.
static NEST: MessageTable = MessageTable::new(
    "pkg.Nest",
    &[
        FieldTable::new("deep", 1, Kind::Message(|| &NEST)),
        FieldTable::map("maps", 2, Kind::Uint32, Kind::Message(|| &NEST)),
        FieldTable::map("numbers", 3, Kind::Uint32, Kind::Uint32),
    ],
);

/// The handles of a plan for [`NEST`].
#[derive(Clone, Copy)]
struct Nest {
    deep: Field<kind::Submessage>,
    maps: Field<kind::MapOf<kind::Uint32, kind::Submessage>>,
    numbers: Field<kind::MapOf<kind::Uint32, kind::Uint32>>,
}

impl Nest {
    fn of(plan: &RecordPlan) -> Self {
        Self {
            deep: plan.message("deep").unwrap(),
            maps: plan.map("maps").unwrap(),
            numbers: plan.map("numbers").unwrap(),
        }
    }

    /// Writes this many nested messages, in the innermost this many nested maps, and in the innermost of these a map of
    /// numbers if `numbers` is set.
    fn write(self, rec: &mut RecordWriter<'_>, messages: u32, maps: u32, numbers: bool) {
        match (messages, maps) {
            (1.., _) => rec.message(self.deep, |rec| self.write(rec, messages - 1, maps, numbers)),
            (0, 1..) => rec.insert_message(self.maps, 7, |rec| self.write(rec, 0, maps - 1, numbers)),
            (0, 0) if numbers => rec.insert(self.numbers, 1, 2),
            (0, 0) => {}
        }
    }
}

#[test]
fn maps_are_nested_as_deep_as_the_decoder_reads_them_and_no_deeper() {
    let plan = RecordPlan::new(&message(&NEST));
    let nest = Nest::of(&plan);
    for maps in [0, 1, 2, 25, 49, 50, 51, 75, 99, 100, 101] {
        for levels in [98, 99, 100, 101, 102, 2 * maps, 2 * maps + 1] {
            for numbers in [false, true] {
                let Some(messages) = u32::checked_sub(levels, 2 * maps + u32::from(numbers)) else {
                    continue;
                };
                let mut buf = Vec::new();
                let mut rec = plan.record(&mut buf);
                nest.write(&mut rec, messages, maps, numbers);
                match rec.finish() {
                    Ok(record) => {
                        assert!(levels <= 100, "{messages} messages, {maps} maps, {numbers}");
                        let body = crate::stream::read_frame(&mut &*record).unwrap().unwrap();
                        DynamicMessage::decode(plan.descriptor(), body).unwrap();
                    }
                    Err(error) => {
                        assert!(levels > 100, "{messages} messages, {maps} maps, {numbers}: {error}");
                        assert_eq!(error.kind(), EncodeErrorKind::DepthExceeded);
                    }
                }
            }
        }
    }
}

/// Exchanges two writers with records of different lengths; both must fail with `Interrupted` and leave their buffers
/// alone.
fn two_writers(
    swap: impl for<'b> FnOnce(&mut RecordWriter<'b>, &mut RecordWriter<'b>, Field<kind::Submessage>),
) {
    let plan = flow();
    let (text, inner) = (plan.string("string").unwrap(), plan.message("inner").unwrap());
    let (mut first, mut second) = (b"first".to_vec(), b"second".to_vec());
    {
        let mut a = plan.record(&mut first);
        a.set(text, &"a".repeat(1000));
        let mut b = plan.record(&mut second);
        swap(&mut a, &mut b, inner);
        let (a, b) = (a.finish().map(<[u8]>::to_vec), b.finish().map(<[u8]>::to_vec));
        for record in [a, b] {
            assert_eq!(record.unwrap_err().kind(), EncodeErrorKind::Interrupted);
        }
    }
    assert_eq!((&first[..], &second[..]), (&b"first"[..], &b"second"[..]));
}

#[test]
fn writers_swapped_at_the_same_depth_are_both_interrupted() {
    two_writers(|a, b, inner| {
        a.message(inner, |x| b.message(inner, |y| core::mem::swap(x, y)));
    });
}

#[test]
fn a_writer_that_comes_back_at_another_depth_is_interrupted() {
    two_writers(|a, b, inner| {
        a.message(inner, |x| {
            core::mem::swap(x, b);
            let deep = x.plan().message("inner.deep").unwrap();
            // `b` now holds the writer that was `a`, inside of one message.
            b.message(deep, |y| core::mem::swap(y, x));
            x.message(deep, |_| ());
        });
    });
}

#[test]
fn maps_of_swapped_writers_are_interrupted() {
    two_writers(|a, b, _| {
        let by_port = a.plan().map::<kind::Fixed32, kind::Submessage>("by_port").unwrap();
        a.insert_message(by_port, 1, |x| b.insert_message(by_port, 2, |y| core::mem::swap(x, y)));
    });
}

#[test]
fn writers_swapped_twice_continue() {
    let plan = flow();
    let (inner, id) = (plan.message("inner").unwrap(), plan.uint64("inner.id").unwrap());
    let (mut first, mut second) = (Vec::new(), Vec::new());
    let (mut a, mut b) = (plan.record(&mut first), plan.record(&mut second));
    a.message(inner, |x| {
        core::mem::swap(x, &mut b);
        core::mem::swap(x, &mut b);
        x.set(id, 1);
    });
    assert_eq!(a.finish().unwrap(), b"\x05\xca\x01\x02\x08\x01");
    assert_eq!(b.finish().unwrap(), b"\0");
}

#[test]
fn after_a_panic_the_record_is_interrupted_whichever_calls_follow() {
    let plan = flow();
    let (outer, nested) = (plan.uint32("uint32").unwrap(), plan.uint64("inner.id").unwrap());
    let inner = plan.message("inner").unwrap();
    let by_port = plan.map::<kind::Fixed32, kind::Submessage>("by_port").unwrap();
    let packed = plan.sint32("packed").unwrap();
    type Break<'p> = &'p dyn Fn(&mut RecordWriter<'_>);
    let breaks: [Break<'_>; 3] = [
        &|rec| rec.message(inner, |_| panic!("on purpose")),
        &|rec| rec.insert_message(by_port, 1, |_| panic!("on purpose")),
        &|rec| rec.extend(packed, core::iter::once(1).chain(core::iter::from_fn(|| panic!("on purpose")))),
    ];
    for broken in breaks {
        for stale in 0..4 {
            let mut buf = b"before".to_vec();
            let mut rec = plan.record(&mut buf);
            assert!(catch_unwind(AssertUnwindSafe(|| broken(&mut rec))).is_err());
            match stale {
                0 => rec.set(outer, 1),
                1 => rec.set(nested, 1),
                2 => (0..101).for_each(|_| rec.message(inner, |rec| rec.set(outer, 1))),
                _ => {}
            }
            assert_eq!(rec.finish().unwrap_err().kind(), EncodeErrorKind::Interrupted);
            assert_eq!(buf, b"before");
        }
    }
}
