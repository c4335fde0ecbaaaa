//! Structs recurse: how much stack they take, for structs of 24 to 3 000 bytes and everything that nests.

#![cfg(feature = "std")]

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use tablepb::{DecodeErrorKind, DecodeOptions, DecodeOwned, Lazy, Message, Prepared, SmallMap};

thread_local! {
    /// The lowest address of a local that was seen.
    static LOWEST: Cell<usize> = const { Cell::new(usize::MAX) };
}

#[inline(never)]
fn here() -> usize {
    let local = 0_u8;
    std::ptr::from_ref(&local).addr()
}

/// A member of some size that is no field. It is made at every level, and tells how deep the stack is then.
struct Pad<const N: usize>([u64; N]);

impl<const N: usize> Default for Pad<N> {
    fn default() -> Self {
        LOWEST.set(LOWEST.get().min(here()));
        Self([0; N])
    }
}

/// A recursive struct with `N` words beside its fields.
macro_rules! nodes {
    ($($module:ident: $words:literal;)*) => {$(
        #[allow(dead_code, clippy::large_enum_variant)]
        mod $module {
            use super::*;

            #[derive(Default)]
            pub struct Boxed { pub next: Option<Box<Boxed>>, pad: Pad<$words> }

            #[derive(Default)]
            pub struct Listed { pub next: Vec<Listed>, pad: Pad<$words> }

            pub enum Choice { Boxed(Box<Node>), Inner(Inner), Text(String) }

            #[derive(Default)]
            pub struct Inner { pub list: Vec<Node>, pad: Pad<$words> }

            #[derive(Default)]
            pub struct Node {
                pub boxed: Option<Box<Node>>,
                pub list: Vec<Node>,
                pub group: Option<Box<Node>>,
                pub groups: Vec<Node>,
                pub hash: HashMap<i32, Node>,
                pub tree: BTreeMap<i32, Node>,
                pub small: SmallMap<i32, Node>,
                pub choice: Option<Choice>,
                pub ready: Option<Prepared<Node>>,
                pub readies: HashMap<i32, Prepared<Node>>,
                pub later: Lazy<Node>,
                pub plain: Inner,
                pub option: Option<Inner>,
                pub must: Option<i32>,
                pub text: String,
                pub numbers: Vec<i32>,
                pad: Pad<$words>,
            }

            tablepb::message! {
                Boxed as "depth.Boxed" { next: message Boxed = 1, pad: skip }
                Listed as "depth.Listed" { next: repeated message Listed = 1, pad: skip }
                Inner as "depth.Inner" { list: repeated message Node = 1, pad: skip }
                Node as "depth.Node" {
                    boxed: message Node = 1,
                    list: repeated message Node = 2,
                    group: group Node = 3,
                    groups: repeated group Node = 4,
                    hash: map<int32, message Node> = 5,
                    tree: map<int32, message Node> = 6,
                    small: map<int32, message Node> = 7,
                    choice: oneof Choice { Boxed: message Node = 8, Inner: message Inner = 9, Text: string = 10 },
                    ready: message Node = 11,
                    readies: map<int32, message Node> = 12,
                    later: message Node = 13,
                    plain: message Inner = 14,
                    option: message Inner = 15,
                    must: optional int32 = 16,
                    text: string = 17,
                    numbers: repeated int32 = 18,
                    pad: skip,
                }
            }

            pub fn all() {
                let size = size_of::<Boxed>();
                measured::<Boxed>(size, "box", &[Nest::Message(1)]);
                measured::<Listed>(size, "list", &[Nest::Message(1)]);
                for (way, nest) in super::WAYS {
                    measured::<Node>(size_of::<Node>(), way, nest);
                }
            }
        }
    )*};
}

nodes! {
    words_1: 1;
    words_8: 8;
    words_40: 40;
    words_82: 82;
    words_330: 330;
}

#[derive(Clone, Copy)]
enum Nest {
    Message(u32),
    Group(u32),
    /// An entry with the message as its value, which is two levels.
    Entry(u32),
}

const WAYS: &[(&str, &[Nest])] = &[
    ("boxes", &[Nest::Message(1)]),
    ("lists", &[Nest::Message(2)]),
    ("groups", &[Nest::Group(3)]),
    ("lists of groups", &[Nest::Group(4)]),
    ("hash maps", &[Nest::Entry(5)]),
    ("tree maps", &[Nest::Entry(6)]),
    ("small maps", &[Nest::Entry(7)]),
    ("boxed arms", &[Nest::Message(8)]),
    ("arms", &[Nest::Message(1), Nest::Message(9)]),
    ("prepared", &[Nest::Message(11)]),
    ("maps of prepared", &[Nest::Entry(12)]),
    ("lazy", &[Nest::Message(13)]),
    ("plain", &[Nest::Message(1), Nest::Message(14)]),
    ("options", &[Nest::Message(1), Nest::Message(15)]),
    (
        "everything",
        &[
            Nest::Message(1),
            Nest::Message(15),
            Nest::Entry(5),
            Nest::Message(11),
            Nest::Message(1),
            Nest::Message(14),
            Nest::Group(4),
            Nest::Entry(12),
            Nest::Message(1),
            Nest::Message(9),
            Nest::Message(8),
        ],
    ),
];

/// This many levels or one less; the innermost ways come last.
fn nested(ways: &[Nest], levels: usize) -> Vec<u8> {
    let mut input = Vec::new();
    let mut left = levels;
    for way in ways.iter().cycle() {
        let mut outer = Vec::new();
        let mut writer = tablepb::wire::Writer::new(&mut outer);
        let mut delimited = |number: u32, bytes: &[u8]| {
            writer.write_varint(u64::from(number) << 3 | 2);
            writer.write_length_delimited(bytes).unwrap();
        };
        match *way {
            Nest::Message(number) if left >= 1 => delimited(number, &input),
            Nest::Entry(number) if left >= 2 => {
                let mut entry = vec![0x12];
                tablepb::wire::Writer::new(&mut entry).write_length_delimited(&input).unwrap();
                delimited(number, &entry);
                left -= 1;
            }
            Nest::Group(number) if left >= 1 => {
                writer.write_varint(u64::from(number) << 3 | 3);
                outer.extend_from_slice(&input);
                tablepb::wire::Writer::new(&mut outer).write_varint(u64::from(number) << 3 | 4);
            }
            _ => return input,
        }
        left -= 1;
        input = outer;
    }
    input
}

/// What a decode may use, which is promised.
const LIMIT: usize = if cfg!(debug_assertions) { 1 << 20 } else { 256 << 10 };

/// The stack of a thread, with room for what is beside the levels.
const STACK: usize = LIMIT + (128 << 10);

/// Runs on a small stack.
fn on_small_stack(run: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap();
}

/// Decodes 100 levels on a small stack, and what was decoded is encoded, merged into and dropped there.
fn measured<M: DecodeOwned>(size: usize, way: &'static str, nest: &'static [Nest]) {
    let input = nested(nest, 100);
    let options = DecodeOptions::new().budget(1 << 30);
    on_small_stack(move || {
        let start = here();
        LOWEST.set(start);
        let message = options.decode::<M>(&input).unwrap_or_else(|error| panic!("{size}, {way}: {error}"));
        let used = start - LOWEST.get();
        if std::env::var_os("STACK").is_some() {
            eprintln!("{size:5} bytes, {way}: {used} bytes of stack, {} a level", used / 100);
        }
        // Not in proportion to the size of the struct.
        assert!(used < 100 * (size / 8 + PER_LEVEL), "{size} bytes, {way}: {used} bytes of stack");
        let bytes = message.encode_to_vec().unwrap();
        assert_eq!(bytes.len(), message.encoded_len());
        let mut merged = message;
        options.merge(&mut merged, &bytes).unwrap();
        merged.clear();
        // What is put off is entered when it is asked for.
        let deeper = options.decode::<M>(&nested(nest, 102)).map(drop);
        assert_eq!(deeper.is_ok(), way == "lazy");
        assert!(deeper.is_ok() || deeper.unwrap_err().kind() == DecodeErrorKind::DepthExceeded);
    });
}

/// Without optimisation everything that is inlined has room of its own in a frame. Frames of a release build differ by some per cent
/// when the compiler divides the crate in another way (1 021 bytes a level were seen); the promise, `LIMIT`, is twice as much.
const PER_LEVEL: usize = if cfg!(debug_assertions) { 4500 } else { 1250 };

/// A message whose frames are as large as those of a struct that nobody has thought of.
#[derive(Default)]
struct Fat {
    next: Option<Box<Fat>>,
    group: Option<Box<Fat>>,
}

mod fat {
    use super::Fat;
    use tablepb::listing::kinds::{GroupOf, Nested};
    use tablepb::listing::{VisitFields, VisitMember, WireSpec};
    use tablepb::table::{FieldTable, Kind, MessageTable, Syntax};
    use tablepb::{DecodeFrom, Message};

    static TABLE: MessageTable = MessageTable::new(
        "depth.Fat",
        &[
            FieldTable::new("next", 1, Kind::Message(|| &TABLE)),
            FieldTable::new("group", 2, Kind::Message(|| &TABLE)).delimited(),
        ],
    );

    impl Message for Fat {
        const TABLE: &'static MessageTable = &TABLE;

        fn clear(&mut self) {
            (self.next, self.group) = (None, None);
        }

        fn __visit_fields<V: VisitFields>(&self, visitor: &mut V) {
            visitor.field::<Nested<Fat>, _>(WireSpec::new(1, Syntax::Proto3), &self.next);
        }
    }

    impl<'i> DecodeFrom<'i> for Fat {
        fn __member<V: VisitMember<'i>>(&mut self, number: u32, visitor: &mut V) {
            let frame = std::hint::black_box([1_u8; 16 << 10]);
            match number {
                2 => visitor.field::<GroupOf<Fat>, _>(&mut self.group),
                _ => visitor.field::<Nested<Fat>, _>(&mut self.next),
            }
            assert_eq!(frame[7], 1);
        }
    }
}

/// The bytes of stack are bounded, and not the levels alone.
#[test]
fn what_would_take_too_much_stack_is_too_deep() {
    on_small_stack(|| {
        assert!(Fat::decode(&nested(&[Nest::Message(1)], 8)).is_ok());
        let error = Fat::decode(&nested(&[Nest::Message(1)], 100)).map(drop).unwrap_err();
        assert_eq!(error.kind(), DecodeErrorKind::DepthExceeded);
        let levels = error.path().steps().len();
        assert!((8..=65).contains(&levels), "{error}");
        // Each level has a tag and a length of two bytes at first, and the tag of the one too deep is at fault.
        assert!(error.offset() >= 2 * (levels - 1) && error.offset() <= 4 * levels, "{error}");
        let mut merged = Fat::default();
        assert!(merged.merge(&nested(&[Nest::Message(1)], 100)).is_err());
        assert!(merged.next.is_some());
        // Groups, too.
        assert!(Fat::decode(&nested(&[Nest::Group(2)], 8)).is_ok());
        let error = Fat::decode(&nested(&[Nest::Group(2)], 100)).map(drop).unwrap_err();
        assert_eq!(
            (error.kind(), error.offset()),
            (DecodeErrorKind::DepthExceeded, error.path().steps().len() - 1)
        );
    });
}

#[test]
fn a_hundred_levels_take_little_stack() {
    words_1::all();
    words_8::all();
    words_40::all();
    words_82::all();
    words_330::all();
}
