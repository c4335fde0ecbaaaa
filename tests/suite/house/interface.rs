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
use tablepb::wire::{PackedVarints, PathStep, Reader, Tag, Writer};
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
