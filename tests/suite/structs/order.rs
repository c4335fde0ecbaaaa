//! Structs are written in the order of field numbers, however their fields are listed.

use tablepb::{Message, UnknownFieldSet};

#[derive(Clone, Debug, Default, PartialEq)]
struct Inner {
    x: f32,
    y: f32,
}

tablepb::message! { Inner as "order.Inner" { y: float = 2, x: float = 1 } }

#[derive(Clone, Debug, PartialEq)]
enum Choice {
    Low(u32),
    High(String),
}

/// Structs that differ in the order of their listing only, and the bytes of each.
macro_rules! listings {
    ($($order:tt)+) => {
        fn all(values: &Values) -> Vec<(&'static str, Vec<u8>, Vec<u8>)> {
            vec![$(one!($order values)),+]
        }
    };
}

macro_rules! one {
    ([$($part:ident)+] $values:ident) => {{
        #[derive(Clone, Debug, Default, PartialEq)]
        struct Listed<'a> {
            count: u32,
            name: &'a str,
            inner: Vec<Inner>,
            choice: Option<Choice>,
            unknown: UnknownFieldSet,
        }
        listing!([] $($part)+);
        let Values { count, name, inner, choice, unknown } = $values.clone();
        let listed = Listed { count, name, inner, choice, unknown };
        let bytes = listed.encode_to_vec().unwrap();
        assert_eq!(Listed::decode(&bytes).unwrap(), listed);
        let mut delimited = Vec::new();
        listed.encode_length_delimited(&mut delimited).unwrap();
        (stringify!($($part)+), bytes, delimited)
    }};
}

/// Turns the letters of an order into fields.
macro_rules! listing {
    ([$($fields:tt)*]) => { tablepb::message! { Listed<'a> as "order.Listed" { $($fields)* } } };
    ([$($fields:tt)*] count $($more:ident)*) => { listing!([$($fields)* count: uint32 = 9,] $($more)*); };
    ([$($fields:tt)*] name $($more:ident)*) => { listing!([$($fields)* name: string = 2,] $($more)*); };
    ([$($fields:tt)*] inner $($more:ident)*) => {
        listing!([$($fields)* inner: repeated message Inner = 300,] $($more)*);
    };
    ([$($fields:tt)*] choice $($more:ident)*) => {
        listing!([$($fields)* choice: oneof Choice { High: string = 40, Low: uint32 = 1 },] $($more)*);
    };
    ([$($fields:tt)*] unknown $($more:ident)*) => { listing!([$($fields)* unknown: unknown_fields,] $($more)*); };
}

#[derive(Clone, Default)]
struct Values {
    count: u32,
    name: &'static str,
    inner: Vec<Inner>,
    choice: Option<Choice>,
    unknown: UnknownFieldSet,
}

listings! {
    [count name inner choice unknown] [count name choice inner unknown] [count inner name choice unknown]
    [count inner choice name unknown] [count choice name inner unknown] [count choice inner name unknown]
    [name count inner unknown choice] [name count choice unknown inner] [name inner count unknown choice]
    [name inner choice unknown count] [name choice count unknown inner] [name choice inner unknown count]
    [inner name unknown count choice] [inner name unknown choice count] [inner count unknown name choice]
    [inner count unknown choice name] [inner choice unknown name count] [inner choice unknown count name]
    [unknown choice name inner count] [unknown choice name count inner] [unknown choice inner name count]
    [unknown choice inner count name] [unknown choice count name inner] [unknown choice count inner name]
}

#[test]
fn the_order_of_a_listing_does_not_change_what_is_written() {
    let inner = vec![Inner { x: 1.0, y: 0.0 }, Inner { x: 0.0, y: 2.0 }];
    let mut unknown = UnknownFieldSet::default();
    unknown.append(b"\x18\x07").unwrap();
    let high = Values { count: 7, name: "n", inner, choice: Some(Choice::High("h".into())), unknown };
    let low = Values { choice: Some(Choice::Low(300)), ..high.clone() };
    let few = Values { name: "", inner: Vec::new(), ..low.clone() };
    let tail = b"\xe2\x12\x05\x0d\0\0\x80\x3f\xe2\x12\x05\x15\0\0\0\x40\x18\x07";
    for (values, expected) in [
        (high, [&b"\x12\x01n\x48\x07\xc2\x02\x01h"[..], tail].concat()),
        (low, [&b"\x08\xac\x02\x12\x01n\x48\x07"[..], tail].concat()),
        (few, b"\x08\xac\x02\x48\x07\x18\x07".to_vec()),
        (Values::default(), Vec::new()),
    ] {
        for (order, bytes, delimited) in all(&values) {
            assert_eq!(bytes, expected, "{order}");
            assert_eq!(delimited, [&[expected.len() as u8][..], &expected].concat(), "{order}");
        }
    }
}
