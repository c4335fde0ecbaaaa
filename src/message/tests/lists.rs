//! Elements of lists: iterators from both ends, and the numbers of a list.

use super::*;
use crate::message::{ListRef, Number};
use alloc::string::ToString;

#[test]
fn lists_are_walked_from_both_ends() {
    static POINT: MessageTable = MessageTable::new("t.Point", &[FieldTable::new("x", 1, Kind::Int32)]);
    static LISTS: MessageTable = MessageTable::new(
        "t.Lists",
        &[
            FieldTable::new("short", 1, Kind::Int32).repeated(),
            FieldTable::new("long", 2, Kind::Sint64).repeated(),
            FieldTable::new("text", 3, Kind::String).repeated(),
            FieldTable::new("point", 4, Kind::Message(|| &POINT)).repeated(),
            FieldTable::new("list", 5, Kind::Message(|| &LISTS)).repeated(),
        ],
    );
    let pool = DescriptorPool::from_tables(&[&LISTS]).unwrap();
    let (lists, point) = (pool.find_message("t.Lists").unwrap(), pool.find_message("t.Point"));
    let mut message = DynamicMessage::new(&lists);
    for i in 0..7i32 {
        let mut inner = DynamicMessage::new(point.as_ref().unwrap());
        inner.set_field("x", i).unwrap();
        let mut outer = DynamicMessage::new(&lists);
        outer.push(&lists.get_field(1).unwrap(), i).unwrap();
        let values: [Value; 5] =
            [i.into(), Value::I64(-i as i64), format!("{i}").into(), inner.into(), outer.into()];
        for (field, value) in lists.fields().zip(values) {
            message.push(&field, value).unwrap();
        }
    }
    for field in lists.fields() {
        let list = message.get_field(&field).unwrap().as_list().unwrap();
        let all: alloc::vec::Vec<_> = (0..list.len()).map(|i| list.get(i).unwrap()).collect();
        assert_eq!(all.len(), 7);
        assert!(list.iter().eq(all.iter().copied()) && list.iter().rev().eq(all.iter().rev().copied()));
        assert_eq!((list.iter().last(), list.iter().count()), (all.last().copied(), 7));
        for n in 0..9 {
            let mut elements = list.iter();
            assert_eq!((elements.nth(n), elements.len()), (all.get(n).copied(), 6usize.saturating_sub(n)));
            let (mut elements, mut expected) = (list.iter(), all.iter().copied());
            for i in 0..9 {
                let front = (i + n) % 2 == 0;
                assert_eq!(elements.len(), expected.len());
                assert_eq!(
                    if front { elements.next() } else { elements.next_back() },
                    if front { expected.next() } else { expected.next_back() }
                );
            }
        }
    }
}

#[test]
fn numbers_are_the_values_of_a_list() {
    static ON: EnumTable = EnumTable::new("t.On", &[("OFF", 0), ("ON", 1)]);
    static LISTS: MessageTable = MessageTable::new(
        "t.Lists",
        &[
            FieldTable::new("bool", 1, Kind::Bool).repeated(),
            FieldTable::new("sint32", 2, Kind::Sint32).repeated(),
            FieldTable::new("fixed32", 3, Kind::Fixed32).repeated(),
            FieldTable::new("float", 4, Kind::Float).repeated(),
            FieldTable::new("enum", 5, Kind::Enum(|| &ON)).repeated(),
            FieldTable::new("int64", 6, Kind::Int64).repeated(),
            FieldTable::new("uint64", 7, Kind::Uint64).repeated(),
            FieldTable::new("double", 8, Kind::Double).repeated(),
            FieldTable::new("string", 9, Kind::String).repeated(),
        ],
    );
    fn same<T: Number + PartialEq + core::fmt::Debug>(
        list: ListRef<'_, '_>,
        as_number: fn(ValueRef<'_, '_>) -> Option<T>,
    ) {
        let values: Vec<T> = list.iter().filter_map(as_number).collect();
        assert_eq!(values.len(), 5);
        let numbers = || list.numbers::<T>().unwrap();
        assert_eq!((numbers().len(), numbers().count()), (5, 5));
        assert_eq!(numbers().fold(Vec::new(), |all, number| [all, vec![number]].concat()), values);
        let mut stepped = Vec::new();
        for number in numbers() {
            stepped.push(number);
        }
        assert_eq!(stepped, values);
        assert!(numbers().rev().eq(values.iter().rev().copied()));
        assert!(list.iter().rev().filter_map(as_number).eq(numbers().rev()));
        for n in 0..7 {
            assert_eq!(numbers().nth(n), values.get(n).copied());
            assert_eq!(list.iter().nth(n).and_then(as_number), values.get(n).copied());
        }
        let mut rest = numbers();
        assert_eq!((rest.nth(1), rest.len(), rest.nth(9), rest.next()), (Some(values[1]), 3, None, None));
    }
    let pool = DescriptorPool::from_tables(&[&LISTS]).unwrap();
    let lists = pool.find_message("t.Lists").unwrap();
    let mut message = DynamicMessage::new(&lists);
    for i in [0, -1, i64::MAX, 7, i64::MIN] {
        for (field, value) in lists.fields().zip([
            Value::Bool(i == 7),
            Value::I32(i as i32),
            Value::U32(i as u32),
            Value::F32(i as f32),
            Value::EnumNumber(i as i32),
            Value::I64(i),
            Value::U64(i as u64),
            Value::F64(i as f64),
            Value::String(i.to_string()),
        ]) {
            message.push(&field, value).unwrap();
        }
    }
    let list = |name: &str| message.get_field(name).ok().and_then(|v| v.as_list()).unwrap();
    same(list("bool"), |v| v.as_bool());
    same(list("sint32"), |v| v.as_i32());
    same(list("fixed32"), |v| v.as_u32());
    same(list("float"), |v| v.as_f32());
    same(list("enum"), |v| v.as_enum_number());
    same(list("int64"), |v| v.as_i64());
    same(list("uint64"), |v| v.as_u64());
    same(list("double"), |v| v.as_f64());
    let numbers = |name: &str| {
        let list = list(name);
        [
            list.numbers::<bool>().is_some(),
            list.numbers::<i32>().is_some(),
            list.numbers::<u32>().is_some(),
            list.numbers::<f32>().is_some(),
            list.numbers::<i64>().is_some(),
            list.numbers::<u64>().is_some(),
            list.numbers::<f64>().is_some(),
        ]
    };
    assert_eq!(numbers("enum"), [false, true, false, false, false, false, false]);
    assert_eq!(numbers("uint64"), [false, false, false, false, false, true, false]);
    assert_eq!(numbers("string"), [false; 7]);
}
