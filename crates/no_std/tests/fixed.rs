//! Structs of fixed capacity beside prost, with an allocator in the library and, with `RUSTFLAGS="--cfg tablepb_no_alloc"`, without.

use heapless::{LinearMap, String as Text, Vec as List};
use tablepb::{DecodeErrorKind, DecodeOptions, EncodeErrorKind, EncodeOptions, Message};

#[derive(Clone, Debug, Default, PartialEq)]
struct Leaf {
    id: u64,
    values: List<i32, 3>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Branch {
    name: Text<8>,
    leaves: List<Leaf, 30>,
    plain: Leaf,
    byname: LinearMap<Text<4>, Leaf, 4>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Tree {
    branches: List<Branch, 8>,
    flags: List<bool, 100>,
    title: Option<Text<16>>,
}

tablepb::message! {
    Leaf as "no_std.Leaf" { id: uint64 = 1, values: repeated sint32 = 2 }
    Branch as "no_std.Branch" {
        name: string = 1,
        leaves: repeated message Leaf = 2,
        plain: message Leaf = 3,
        byname: map<string, message Leaf> = 4,
    }
    Tree as "no_std.Tree" {
        branches: repeated message Branch = 1,
        flags: repeated bool = 2,
        title: optional string = 3,
    }
}

mod oracle {
    use std::collections::BTreeMap;

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Leaf {
        #[prost(uint64, tag = "1")]
        pub id: u64,
        #[prost(sint32, repeated, tag = "2")]
        pub values: Vec<i32>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Branch {
        #[prost(string, tag = "1")]
        pub name: String,
        #[prost(message, repeated, tag = "2")]
        pub leaves: Vec<Leaf>,
        #[prost(message, optional, tag = "3")]
        pub plain: Option<Leaf>,
        #[prost(btree_map = "string, message", tag = "4")]
        pub byname: BTreeMap<String, Leaf>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Tree {
        #[prost(message, repeated, tag = "1")]
        pub branches: Vec<Branch>,
        #[prost(bool, repeated, tag = "2")]
        pub flags: Vec<bool>,
        #[prost(string, optional, tag = "3")]
        pub title: Option<String>,
    }
}

fn leaf(i: usize) -> Leaf {
    Leaf { id: (i as u64) << (i % 60), values: (0..i % 4).map(|v| v as i32 - 1).collect() }
}

/// `count` branches with lists and maps of all lengths.
fn tree(count: usize) -> Tree {
    let branch = |i: usize| Branch {
        name: Text::try_from(["", "a", "branch"][i % 3]).unwrap(),
        leaves: (0..(i * 7) % 31).map(leaf).collect(),
        plain: leaf(i % 2),
        byname: (1..i % 5).map(|key| (Text::try_from(&"wxyz"[..key]).unwrap(), leaf(key))).collect(),
    };
    Tree {
        branches: (0..count).map(branch).collect(),
        flags: (0..count * 12).map(|i| i % 3 == 0).collect(),
        title: (count % 2 == 1).then(|| Text::try_from("title").unwrap()),
    }
}

/// More nested messages than lengths fit the stack, and fewer.
#[test]
fn bytes_are_those_of_prost() {
    let mut slice = [0; 8000];
    for count in 0..=8 {
        let tree = tree(count);
        let options = EncodeOptions::new().deterministic(true);
        let len = options.encode_to_slice(&tree, &mut slice).unwrap();
        let expected: oracle::Tree = prost::Message::decode(&slice[..len]).unwrap();
        assert_eq!(prost::Message::encode_to_vec(&expected), slice[..len]);
        assert_eq!(tree.encoded_len(), len);
        assert_eq!(Tree::decode(&slice[..len]).unwrap(), tree);
        // One byte less is an error, and nothing is written.
        let mut short = vec![7; len.saturating_sub(1)];
        if len > 0 {
            assert_eq!(tree.encode_to_slice(&mut short).unwrap_err().kind(), EncodeErrorKind::BufferTooSmall);
            assert!(short.iter().all(|&byte| byte == 7));
        }
    }
}

#[test]
fn what_does_not_fit_has_a_place() {
    // The fourth value of the second leaf of the third branch.
    let input = b"\x0a\x00\x0a\x00\x0a\x0a\x12\x00\x12\x06\x12\x04\x02\x02\x02\x02";
    let error = Tree::decode(input).unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::CapacityExceeded);
    assert_eq!((error.path().to_string(), error.offset()), ("branches[2].leaves[1].values[3]".into(), 15));
    assert_eq!(
        error.to_string(),
        "the member has no room for the value at byte 15, in no_std.Tree: branches[2].leaves[1].values[3]"
    );
    // A map with a key too many; the key of an entry that is known needs no room.
    let entry = |key: &str| [b"\x22\x04\x0a\x02".as_slice(), key.as_bytes()].concat();
    let four = ["aa", "bb", "cc", "dd", "aa"].map(entry).concat();
    assert_eq!(Branch::decode(&four).unwrap().byname.len(), 4);
    let five = [four, entry("ee")].concat();
    let error = Branch::decode(&five).unwrap_err();
    assert_eq!(
        (error.kind(), error.path().to_string()),
        (DecodeErrorKind::CapacityExceeded, "byname".into())
    );
    // What was there before stays, and the message takes the next input.
    let mut tree = tree(2);
    assert!(tree.merge(input).is_err());
    assert_eq!(tree.branches.len(), 5);
    Message::clear(&mut tree);
    assert_eq!(tree, Tree::default());
    assert!(tree.merge(&input[..2]).is_ok());
}

/// Five levels down, which is further than a path goes without an allocator.
#[test]
fn paths_are_whole_or_empty() {
    macro_rules! levels {
        ($($outer:ident $inner:ident)*) => {$(
            #[derive(Debug, Default)]
            struct $outer { next: Option<$inner> }
            tablepb::message! { $outer as "no_std.Level" { next: message $inner = 1 } }
        )*};
    }
    levels! { A B B C C D D E E Leaf }
    let error = A::decode(b"\x0a\x08\x0a\x06\x0a\x04\x0a\x02\x0a\x05").unwrap_err();
    let path = if cfg!(tablepb_no_alloc) { "" } else { "next.next.next.next.next" };
    assert_eq!(
        (error.kind(), error.path().to_string().as_str(), error.offset()),
        (DecodeErrorKind::Overrun, path, 9)
    );
    let error = B::decode(b"\x0a\x06\x0a\x04\x0a\x02\x0a\x05").unwrap_err();
    assert_eq!((error.path().to_string().as_str(), error.offset()), ("next.next.next.next", 7));
}

/// Nothing keeps unknown fields, so an unlisted number of a closed enum is dropped.
#[test]
fn unlisted_numbers_of_closed_enums_are_dropped() {
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Level {
        Low = 1,
        High = 2,
    }
    tablepb::enumeration! { Level as "no_std.Level" syntax "proto2" { Low as "LOW" = 1, High as "HIGH" = 2 } }
    #[derive(Debug, Default, PartialEq)]
    struct Levels<'a> {
        one: Option<Level>,
        more: List<Level, 2>,
        text: &'a str,
        raw: [u8; 2],
    }
    tablepb::message! {
        Levels<'a> as "no_std.Levels" syntax "proto2" {
            one: optional enum Level = 1,
            more: repeated enum Level = 2,
            text: string = 3,
            raw: custom bytes = 4,
        }
    }
    let levels =
        Levels::decode(b"\x08\x07\x12\x04\x01\x09\x02\x09\x10\x63\x1a\x02hi\x22\x02\x01\x02\xf8\x07\x01")
            .unwrap();
    assert_eq!(
        levels,
        Levels { one: None, more: List::from_array([Level::Low, Level::High]), text: "hi", raw: [1, 2] }
    );
}

#[test]
fn limits_hold() {
    let deep = b"\x0a\x04\x12\x02\x12\x00";
    assert!(Tree::decode(deep).is_ok());
    let error = DecodeOptions::new().max_depth(1).decode::<Tree>(deep).unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::DepthExceeded);
    for cut in 1..deep.len() {
        assert!(Tree::decode(&deep[..cut]).is_err(), "{cut}");
    }
    assert_eq!(DecodeOptions::new().budget(0).decode::<Tree>(deep).unwrap().branches.len(), 1);
}
