//! What all public types have: `Send`, `Sync` and `Debug`.

use std::fmt::Debug;
use tablepb::dynamic::{
    FieldMut, Fields, FieldsMut, ListIter, MapIter, Numbers, RawMessage, UnknownField, UnknownFields,
};
use tablepb::partial::{PathError, Projection, ValuePath, Values};
use tablepb::raw::{RawField, RawFields, RawValue};
use tablepb::record::{Field, RecordPlan, RecordWriter, kind};
use tablepb::schema::{
    EnumValueDescriptor, ExtensionDescriptor, FieldKind, FieldRef, FileDescriptor, MethodDescriptor,
    OneofDescriptor, PoolBuilder, PoolOptions, ServiceDescriptor,
};
use tablepb::table::{EnumTable, FieldTable, MessageTable};
use tablepb::wire::{PackedVarints, PathStep, Reader, Tag, WireType, Writer};
use tablepb::{
    DecodeError, DecodeOptions, Decoder, DescriptorError, DescriptorPool, DynamicMessage, EncodeError,
    EncodeOptions, EnumDescriptor, FieldDescriptor, FieldPath, ListRef, MapKey, MapKeyRef, MapRef,
    MessageDescriptor, MessageMut, MessageView, ParseError, Prepared, SetFieldError, SmallMap,
    UnknownFieldSet, Value, ValueRef, json, stream, text, wkt,
};

macro_rules! all {
    ($($type:ty),* $(,)?) => {{
        fn has<T: Send + Sync + Debug>() {}
        $(has::<$type>();)*
    }};
}

#[test]
fn public_types_are_send_and_sync_and_show_themselves() {
    all! {
        Decoder, DynamicMessage, MessageView<'_, '_>, MessageMut<'_>, ListRef<'_, '_>, MapRef<'_, '_>, MapKeyRef<'_>,
        MapKey, Value, ValueRef<'_, '_>, Prepared, SmallMap<i32, i32>, UnknownFieldSet,
        Fields<'_, '_>, FieldsMut<'_>, FieldMut<'_>, ListIter<'_, '_>, MapIter<'_, '_>, Numbers<'_, i32>,
        RawMessage<'_, '_>, UnknownField<'_>, UnknownFields<'_, '_>,
        DescriptorPool, MessageDescriptor, FieldDescriptor, EnumDescriptor, EnumValueDescriptor, ExtensionDescriptor,
        FieldKind, FieldRef<'_>, FileDescriptor, MethodDescriptor, OneofDescriptor, ServiceDescriptor, PoolBuilder,
        PoolOptions, EnumTable, FieldTable, MessageTable,
        DecodeOptions, EncodeOptions, json::Printer, json::Parser, text::Printer, text::Parser,
        DecodeError, EncodeError, DescriptorError, SetFieldError, ParseError, PathError, FieldPath, PathStep,
        stream::FrameError, wkt::ConvertError,
        Projection, ValuePath, Values<'_, '_>, RawFields<'_>, RawField<'_>, RawValue<'_>,
        RecordPlan, RecordWriter<'_>, Field<kind::Uint64>,
        Reader<'_>, Tag, PackedVarints<'_>, Writer<'_, Vec<u8>>,
        wkt::Timestamp, wkt::Duration, wkt::Any, wkt::Value, wkt::Struct, wkt::FieldMask,
    }
}

/// The line in this file where a call panics.
fn panics_at(call: impl FnOnce() + std::panic::UnwindSafe) -> Option<u32> {
    thread_local!(static LINE: std::cell::Cell<Option<u32>> = const { std::cell::Cell::new(None) });
    static HOOK: std::sync::Once = std::sync::Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let here = info.location().filter(|place| place.file() == file!());
            LINE.set(here.map(std::panic::Location::line));
            // Other tests see what they are used to.
            if here.is_none() {
                before(info);
            }
        }));
    });
    std::panic::catch_unwind(call).expect_err("a panic");
    LINE.take()
}

/// Calls that panic because the program is wrong have the place of the call in their message.
#[test]
fn a_wrong_call_panics_at_its_line() {
    static ONE: MessageTable =
        MessageTable::new("p.One", &[FieldTable::new("a", 1, tablepb::table::Kind::Int32)]);
    static TWO: MessageTable =
        MessageTable::new("p.Two", &[FieldTable::new("b", 1, tablepb::table::Kind::Int32)]);
    let pool = DescriptorPool::from_tables(&[&ONE, &TWO]).expect("a pool");
    let message = DynamicMessage::new(&pool.message("p.One").expect("a type"));
    let foreign = &pool.message("p.Two").expect("a type").field("b").expect("a field");
    let path = &ValuePath::new(&pool.message("p.Two").expect("a type"), "b").expect("a path");
    let message = std::panic::AssertUnwindSafe(&message);
    assert_eq!(panics_at(|| assert_eq!(Tag::new(0, WireType::Varint).number(), 0)), Some(line!()));
    assert_eq!(panics_at(|| drop(ValueRef::Unselected.to_owned())), Some(line!()));
    let group = || drop(Writer::new(&mut Vec::new()).write_group(0, |_| Ok(())));
    assert!(panics_at(group).is_some_and(|line| line + 1 == line!()));
    if cfg!(debug_assertions) {
        assert_eq!(panics_at(|| assert!(message.get(foreign).is_none())), Some(line!()));
        assert_eq!(panics_at(|| assert!(!message.has_field(foreign))), Some(line!()));
        assert_eq!(panics_at(|| assert!(!message.as_view().is_selected(foreign))), Some(line!()));
        assert_eq!(panics_at(|| drop(message.as_view().values(path))), Some(line!()));
    }
}
