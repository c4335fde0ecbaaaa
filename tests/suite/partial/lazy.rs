//! `Lazy` members: what they give after access is what an eager decode gives, what is not touched is written as it was
//! read, and a fault in them shows on access, where it is.

use crate::common::choices::{Choices, choices};
use crate::common::family::{family, schema};
use crate::common::payload::{TAME, WILD, mutate, payload};
use crate::common::samples::wrapped;
use crate::common::wire::{END, START, Wire};
use proptest::prelude::*;
use std::{collections::BTreeMap, thread};
use tablepb::{DecodeError, DecodeErrorKind, DecodeOptions, DecodeOwned, EncodeErrorKind, Lazy, Message};

family!(eager, Box);
family!(lazy, tablepb::Lazy);

type Faults = Vec<DecodeError>;

/// Decodes everything below, or gathers what is wrong with it.
trait Walk {
    fn walk(&mut self, faults: &mut Faults);
}

impl<T: Walk> Walk for Box<T> {
    fn walk(&mut self, faults: &mut Faults) {
        (**self).walk(faults);
    }
}

impl<T: Walk + DecodeOwned> Walk for Lazy<T> {
    fn walk(&mut self, faults: &mut Faults) {
        let bytes = self.as_bytes().map(<[u8]>::to_vec);
        match self.get_mut() {
            Ok(value) => value.walk(faults),
            Err(error) => {
                assert_eq!(self.as_bytes(), bytes.as_deref(), "the bytes are lost");
                assert_eq!(self.validate(), Err(error.clone()));
                faults.push(error);
            }
        }
    }
}

fn walk_all<'w, T: Walk + 'w>(all: impl IntoIterator<Item = &'w mut T>, faults: &mut Faults) {
    all.into_iter().for_each(|one| one.walk(faults));
}

macro_rules! walk_family {
    ($module:ident) => {
        impl Walk for $module::Root {
            fn walk(&mut self, faults: &mut Faults) {
                walk_all(self.one.iter_mut().chain(&mut self.list), faults);
                walk_all(self.map.values_mut().chain(&mut self.group), faults);
                if let Some($module::Choice::Inner(inner)) = &mut self.choice {
                    inner.walk(faults);
                }
                walk_all(&mut self.root, faults);
            }
        }

        impl Walk for $module::Inner {
            fn walk(&mut self, faults: &mut Faults) {
                walk_all(&mut self.inner, faults);
                walk_all(&mut self.groups, faults);
            }
        }

        impl Walk for $module::Strict {
            fn walk(&mut self, _: &mut Faults) {}
        }
    };
}

walk_family!(eager);
walk_family!(lazy);

/// Whether there is a message that another one replaces: of a oneof or with the key of another entry.
fn replaced(input: &[u8]) -> bool {
    let fields = tablepb::raw::RawFields::new(input).map_while(Result::ok).map(|field| {
        let inside = field.as_message().ok().flatten().is_some_and(|inner| replaced(inner.rest()));
        if inside { 9 } else { field.number() }
    });
    let numbers: Vec<_> = fields.collect();
    let count = |number| numbers.iter().filter(|&&n| n == number).count();
    count(4) > 1 || (count(6) > 0 && count(7) > 0) || numbers.contains(&9)
}

/// Eager and lazy must agree about this input.
fn check(input: &[u8], options: DecodeOptions) {
    let eager = options.decode::<eager::Root>(input);
    let lazy = options.decode::<lazy::Root>(input);
    let (mut lazy, eager) = match (lazy, eager) {
        (Err(late), Ok(_)) => panic!("only lazy fails: {late}"),
        (Err(late), Err(first)) => {
            // What lazy finds is what is outside, and so nothing that comes earlier.
            assert!(first.offset() <= late.offset(), "{first} but {late}");
            return;
        }
        (Ok(lazy), eager) => (lazy, eager),
    };
    let (untouched, copy) = (lazy.encode_to_vec().unwrap(), lazy.clone());
    let mut faults = Vec::new();
    lazy.walk(&mut faults);
    match eager {
        Ok(eager) => {
            assert!(faults.is_empty(), "{faults:?}");
            let partial = tablepb::EncodeOptions::new().allow_partial(true);
            let (mut one, mut other) = (Vec::new(), Vec::new());
            partial.encode(&eager, &mut one).unwrap();
            partial.encode(&lazy, &mut other).unwrap();
            assert_eq!(one, other, "{eager:?} but {lazy:?}");
            assert_eq!(copy, lazy);
            // An entry without a value gets one, and so another level.
            let again = options.max_depth(100).decode::<eager::Root>(&untouched);
            assert_eq!(again.as_ref(), Ok(&eager));
        }
        Err(error) => {
            let same = |fault: &DecodeError| {
                // A required field that is missing shows where its message ends, not where the input does.
                let missing = error.kind() == DecodeErrorKind::MissingRequired;
                // A tag that the end of a message cuts is cut elsewhere where the message has been taken out of its parent.
                let cut = error.kind() == DecodeErrorKind::Overrun;
                (fault.kind() == error.kind() || cut) && (missing || fault.offset() == error.offset())
            };
            // As it was read it is written, and so as wrong; but for what a later variant or entry has replaced.
            // A message that has a fault of its own does not get as far as to those that are lazy in it.
            let hidden = |fault: &DecodeError| fault.offset() > error.offset();
            let found = faults.iter().any(|fault| same(fault) || hidden(fault));
            assert!(found || replaced(input), "{error} is not in {faults:?}");
            if error.kind() != DecodeErrorKind::DepthExceeded && !replaced(input) {
                let again = options.decode::<eager::Root>(&untouched);
                assert_eq!(again.is_err(), !faults.is_empty(), "{error}, {again:?}, {faults:?}");
            }
            assert_eq!(copy.encode_to_vec().unwrap(), untouched);
        }
    }
}

const PARTIAL: DecodeOptions = DecodeOptions::new().allow_partial(true);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn lazy_is_eager_after_access(mut choices in choices(200)) {
        let style = if choices.once_in(2) { WILD } else { TAME };
        let input = payload(&schema(), 0, &mut choices, style);
        check(&input, PARTIAL);
        check(&input, DecodeOptions::new());
        check(&input, PARTIAL.max_depth(choices.below(4) as u32));
    }

    #[test]
    fn faults_show_on_access(mut choices in choices(200)) {
        let mut input = payload(&schema(), 0, &mut choices, TAME);
        mutate(&mut input, &mut choices);
        check(&input, PARTIAL);
    }

    #[test]
    fn merging_is_that_of_eager(mut choices in choices(200)) {
        let schema = schema();
        let parts: Vec<_> = (0..3).map(|_| payload(&schema, 0, &mut choices, TAME)).collect();
        let (mut eager, mut lazy) = (eager::Root::default(), lazy::Root::default());
        for part in &parts {
            eager.merge(part).unwrap();
            lazy.merge(part).unwrap();
            // Parts go to bytes, to bytes that have been decoded, or to a value that has been changed.
            match (choices.below(3), &mut lazy.one) {
                (1, Some(one)) => drop(one.get().unwrap().clone()),
                (2, Some(one)) => _ = one.get_mut().unwrap(),
                _ => {}
            }
        }
        let mut faults = Vec::new();
        lazy.walk(&mut faults);
        prop_assert!(faults.is_empty());
        let partial = tablepb::EncodeOptions::new().allow_partial(true);
        let (mut one, mut other) = (Vec::new(), Vec::new());
        partial.encode(&eager, &mut one).unwrap();
        partial.encode(&lazy, &mut other).unwrap();
        prop_assert_eq!(one, other);
    }
}

/// A member that is lazy itself, without presence.
#[derive(Clone, Debug, Default, PartialEq)]
struct Holder {
    before: u32,
    inner: Lazy<lazy::Inner>,
    group: Lazy<lazy::Inner>,
}

tablepb::message! {
    Holder as "pkg.Holder" { before: uint32 = 1, inner: message lazy::Inner = 2, group: group lazy::Inner = 3 }
}

#[test]
fn untouched_bytes_are_written_verbatim_until_they_are_changed() {
    // An overlong varint, an unknown field and an order that no encoder writes.
    let content = Wire::new().bytes(2, "name").tag(1, 0).overlong(5, 4).int(77, 1);
    let input = Wire::new().int(1, 7).message(2, content).tag(3, START).int(1, 6).tag(3, END).0;
    let mut holder = Holder::decode(&input).unwrap();
    assert_eq!(holder.encode_to_vec().unwrap(), input);
    assert_eq!(format!("{:?}", holder.inner), "Lazy(14 bytes)");
    assert!(!holder.inner.is_decoded() && holder.inner.as_bytes().is_some());
    assert_eq!(holder.inner.get().unwrap().name.as_deref(), Some("name"));
    assert!(holder.inner.is_decoded());
    assert!(std::ptr::eq(holder.inner.get().unwrap(), holder.inner.get().unwrap()), "decoded twice");
    assert_eq!(holder.encode_to_vec().unwrap(), input);
    assert_eq!(holder.encoded_len(), input.len());

    holder.inner.get_mut().unwrap().id = Some(1);
    assert_eq!(holder.inner.as_bytes(), None);
    let content = Wire::new().int(1, 1).bytes(2, "name").int(77, 1);
    let expected = Wire::new().int(1, 7).message(2, content).tag(3, START).int(1, 6).tag(3, END).0;
    assert_eq!(holder.encode_to_vec().unwrap(), expected);
    assert_eq!(holder.inner.clone().into_inner().unwrap().id, Some(1));
    assert_eq!(holder.clone().group.into_inner().unwrap().id, Some(6));

    holder.clear();
    assert!(holder.encode_to_vec().unwrap().is_empty());
    assert_eq!(holder, Holder::default());
}

#[test]
fn values_take_the_place_of_bytes() {
    let inner = || lazy::Inner { id: Some(1), ..Default::default() };
    let holder = Holder { before: 0, inner: inner().into(), group: Lazy::default() };
    assert_eq!(holder.encode_to_vec().unwrap(), b"\x12\x02\x08\x01");
    assert_eq!(holder.inner, Holder::decode(b"\x12\x02\x08\x01").unwrap().inner);
    assert_ne!(holder.inner, Lazy::new());
    assert_eq!(holder.inner.get().unwrap(), &inner());
    assert_eq!(Lazy::<lazy::Inner>::new().get().unwrap(), &lazy::Inner::default());
    // Empty members without presence are not written, members with it are.
    assert!(
        Holder { inner: lazy::Inner::default().into(), ..Default::default() }
            .encode_to_vec()
            .unwrap()
            .is_empty()
    );
    let root = lazy::Root { one: Some(Lazy::new()), ..Default::default() };
    assert_eq!(root.encode_to_vec().unwrap(), b"\x12\x00");
}

#[test]
fn errors_have_the_offset_in_the_whole_input() {
    // root.root.one.name is not UTF-8; `name` starts at byte 12 of the input.
    let inner = Wire::new().int(1, 1).bytes(2, b"a\xff");
    let middle = Wire::new().int(1, 5).message(2, inner);
    let input = Wire::new().int(1, 3).message(9, middle).0;
    let root = lazy::Root::decode(&input).unwrap();
    let expected = eager::Root::decode(&input).unwrap_err();
    let middle = root.root.as_ref().unwrap().get().unwrap();
    let error = middle.one.as_ref().unwrap().get().unwrap_err();
    assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::InvalidUtf8, expected.offset()));
    assert_eq!(error.to_string(), "a string is not valid UTF-8 at byte 12, in pkg.Inner: name");
    // Of two occurrences, the second is at fault; and what the first lacks the second does not complete.
    let part = |bytes: &[u8]| Wire::new().bytes(2, bytes);
    let input = part(b"\x08\x01").raw(&part(b"\x08").0).raw(&part(b"\x05").0).0;
    let root = lazy::Root::decode(&input).unwrap();
    let error = root.one.unwrap().get().unwrap_err();
    assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::Overrun, 7));
    assert_eq!(eager::Root::decode(&input).unwrap_err().offset(), 7);
}

#[test]
fn a_group_too_deep_is_at_fault_at_its_tag() {
    let group = |inner: Wire| Wire::new().tag(5, START).raw(&inner.0).tag(5, END);
    let unknown = Wire::new().tag(8, START).tag(8, END);
    let input = Wire::new().message(2, group(unknown)).0;
    let options = PARTIAL.max_depth(2);
    let error = options.decode::<eager::Root>(&input).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::DepthExceeded, 3));
    let root = options.decode::<lazy::Root>(&input).unwrap();
    assert_eq!(root.one.unwrap().get().unwrap_err().offset(), 3);
}

#[test]
fn required_fields_are_checked_on_access_if_they_are_at_all() {
    let inner = Wire::new().int(1, 1).tag(5, START).tag(5, END);
    let input = Wire::new().message(2, inner).0;
    let missing = |root: &lazy::Root| {
        let inner = root.one.as_ref().unwrap().get()?;
        inner.groups[0].get().map(|_| ())
    };
    let error = missing(&lazy::Root::decode(&input).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "a required field is not set at byte 5, in pkg.Strict: must");
    assert_eq!(missing(&PARTIAL.decode::<lazy::Root>(&input).unwrap()), Ok(()));
    let mut merged = lazy::Root::default();
    merged.merge(&input).unwrap();
    assert_eq!(missing(&merged), Ok(()));
}

#[test]
fn what_is_left_of_the_depth_is_kept() {
    let nested = |levels| {
        Wire::new()
            .message(2, wrapped(levels, Wire::new().int(1, 1), |inner| Wire::new().message(4, inner)))
            .0
    };
    for (levels, fits) in [(99, true), (100, false)] {
        let mut root = lazy::Root::decode(&nested(levels)).unwrap();
        let mut faults = Vec::new();
        root.walk(&mut faults);
        assert_eq!(faults.is_empty(), fits);
        assert_eq!(eager::Root::decode(&nested(levels)).is_ok(), fits);
        if let [error] = &faults[..] {
            let expected = eager::Root::decode(&nested(levels)).unwrap_err();
            assert_eq!((error.kind(), error.offset()), (expected.kind(), expected.offset()));
        }
    }
    // One level is counted for bytes that nobody has looked at.
    let root =
        lazy::Root { one: Some(lazy::Root::decode(&nested(0)).unwrap().one.unwrap()), ..Default::default() };
    let mut buf = Vec::new();
    let error = tablepb::EncodeOptions::new().max_depth(0).encode(&root, &mut buf).unwrap_err();
    assert_eq!((error.kind(), error.path().to_string()), (EncodeErrorKind::DepthExceeded, "one".into()));
    tablepb::EncodeOptions::new().max_depth(1).encode(&root, &mut buf).unwrap();
}

#[test]
fn threads_share_it_and_decode_once() {
    let input = Wire::new().message(2, Wire::new().bytes(2, "x".repeat(1000))).0;
    for _ in 0..50 {
        let root = lazy::Root::decode(&input).unwrap();
        let one = root.one.as_ref().unwrap();
        let places = thread::scope(|scope| {
            let get = || std::ptr::from_ref(one.get().unwrap()).addr();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(get)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        assert!(places.iter().all(|&place| place == places[0]));
    }
    fn shared<T: Send + Sync>() {}
    shared::<Lazy<lazy::Inner>>();
}

#[test]
#[ignore = "long: 100 million accesses of four threads"]
fn threads_that_share_many_of_them_see_the_same() {
    // One in ten is at fault.
    let part = |at: u64| match at % 10 {
        9 => Wire::new().int(1, at).tag(2, 2).raw(b"\x09short"),
        _ => Wire::new().int(1, at).bytes(2, "x".repeat(at as usize)),
    };
    let input = (0..250).fold(Wire::new(), |input, at| input.message(3, part(at))).0;
    for round in 0..100 {
        let roots: Vec<_> = (0..1000).map(|_| lazy::Root::decode(&input).unwrap()).collect();
        let walk = |first: usize, step: usize| {
            let (mut sum, mut faults) = (0_u64, 0_u64);
            for at in 0..roots.len() * 250 {
                let at = (first + at * step) % (roots.len() * 250);
                match roots[at / 250].list[at % 250].get() {
                    Ok(inner) => sum ^= (std::ptr::from_ref(inner).addr() as u64).rotate_left(at as u32) >> 8,
                    Err(_) => faults += 1,
                }
            }
            (sum, faults)
        };
        // Steps that share no divisor with the number of members reach each of them once.
        let seen: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = [(0, 1), (0, 1), (125_000, 249_999), (round, 7)]
                .map(|(first, step)| scope.spawn(move || walk(first, step)))
                .into();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(seen.iter().all(|one| *one == seen[0]), "{seen:?}");
        assert_eq!(seen[0].1, 25_000);
    }
}

#[test]
fn many_small_parts_take_memory_in_proportion() {
    let part = Wire::new().message(2, Wire::new().int(1, 1));
    let input = Wire::repeat(part.clone(), 200_000).0;
    let root = lazy::Root::decode(&input).unwrap();
    assert_eq!(root.one.unwrap().get().unwrap().id, Some(1));
    let many = Wire::repeat(Wire::new().message(3, Wire::new().int(1, 1)), 20_000).0;
    let root = lazy::Root::decode(&many).unwrap();
    assert_eq!(root.list.len(), 20_000);
    let budget = DecodeOptions::new().budget(1000);
    assert_eq!(budget.decode::<lazy::Root>(&many).unwrap_err().kind(), DecodeErrorKind::BudgetExceeded);
}

#[test]
fn all_parts_of_a_message_have_one_budget() {
    // Each part alone is far below the budget: a group takes some 100 bytes of memory.
    let groups = Wire::repeat(Wire::new().tag(5, START).tag(5, END), 1000);
    let input = Wire::repeat(Wire::new().message(2, groups), 100).0;
    let root = PARTIAL.budget(4 << 20).decode::<lazy::Root>(&input).unwrap();
    let error = root.one.unwrap().get().unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::BudgetExceeded);
    let root = PARTIAL.budget(100 << 20).decode::<lazy::Root>(&input).unwrap();
    assert_eq!(root.one.unwrap().get().unwrap().groups.len(), 100_000);
}

#[test]
fn a_copy_gives_nothing_back_to_the_budget() {
    // Two members of 40 KB that take much more when they are decoded.
    let groups = || Wire::repeat(Wire::new().tag(5, START).tag(5, END), 20_000);
    let members = |content: Wire| Wire::new().message(2, content.clone()).group(5, content).0;
    let input = members(groups());
    let at_once = |budget| PARTIAL.budget(budget).decode::<lazy::Root>(&input);
    // A further input has a budget of its own.
    let in_pieces = |budget| {
        let mut root = lazy::Root::decode(&members(Wire::new().int(1, 7)))?;
        PARTIAL.budget(budget).merge(&mut root, &input).map(|()| root)
    };
    let ways: [&dyn Fn(usize) -> Result<lazy::Root, DecodeError>; 2] = [&at_once, &in_pieces];
    let read = |member: &Option<Lazy<lazy::Inner>>| member.as_ref().is_some_and(|inner| inner.get().is_ok());
    for make in ways {
        // The budget is for one of the two.
        let least = (1..1000).map(|step| step << 16).find(|&b| make(b).is_ok_and(|root| read(&root.one)));
        let used = || {
            let root = make(least.unwrap()).unwrap();
            assert!(read(&root.one));
            root
        };
        assert!(!read(&used().group));
        let root = used();
        for _ in 0..3 {
            let mut copy = root.clone();
            copy.merge(b"\x12\x00").unwrap();
            assert!(!copy.one.unwrap().is_decoded());
        }
        assert!(!read(&root.group));
        // The message itself gives back what it has drawn, because it is decoded again.
        let mut root = used();
        root.merge(b"\x12\x00").unwrap();
        assert!(read(&root.group));
    }
}

#[cfg(feature = "bytes")]
#[test]
fn shared_input_is_shared() {
    let input = tablepb::bytes::Bytes::from(Wire::new().message(2, Wire::new().bytes(2, "shared")).0);
    let root = lazy::Root::decode_shared(&input).unwrap();
    let bytes = root.one.as_ref().unwrap().as_bytes().unwrap();
    assert_eq!(bytes.as_ptr(), input[2..].as_ptr());
    let mut root = root;
    root.merge(&input).unwrap();
    assert_eq!(root.one.as_ref().unwrap().as_bytes().unwrap().len(), 16);
    // The parts of a field that occurs twice in one input are copied, and the copy is charged.
    let twice = tablepb::bytes::Bytes::from([&input[..], &input[..]].concat());
    let both = lazy::Root::decode_shared(&twice).unwrap().one.unwrap();
    assert_eq!(both.as_bytes().unwrap(), [&input[2..], &input[2..]].concat());
    assert_eq!(both.get().unwrap().name.as_deref(), Some("shared"));
    let long = Wire::new().message(2, Wire::new().bytes(2, "x".repeat(10_000))).0;
    let long = tablepb::bytes::Bytes::from([&long[..], &long[..]].concat());
    let within =
        |budget| DecodeOptions::new().budget(budget).decode_shared::<lazy::Root>(&long).map_err(|e| e.kind());
    assert_eq!(within(20_000).map(drop), Err(DecodeErrorKind::BudgetExceeded));
    assert!(within(25_000).is_ok());
    assert_eq!(root.one.unwrap().get().unwrap().name.as_deref(), Some("shared"));
}

#[test]
fn an_entry_of_a_map_without_value_is_empty() {
    let input = Wire::new().message(4, Wire::new().int(1, 7)).0;
    let root = lazy::Root::decode(&input).unwrap();
    assert_eq!(root.map, BTreeMap::from([(7, Lazy::new())]));
}

/// Used by the helpers of the other tests only.
#[test]
fn the_generator_reaches_every_member() {
    let schema = schema();
    let mut seen = [false; 10];
    for seed in 0..300 {
        let input = payload(&schema, 0, &mut Choices::seeded(seed), TAME);
        for field in tablepb::raw::RawFields::new(&input) {
            seen[(field.unwrap().number() as usize).min(8 + 1)] = true;
        }
    }
    assert_eq!(seen, [false, true, true, true, true, true, true, true, seen[8], true]);
}
