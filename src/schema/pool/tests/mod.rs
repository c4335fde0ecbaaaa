//! Pools from hand-made sets, good and bad, and from const tables.

mod build;
mod builder;
mod errors;
mod hostile;
mod load;
mod strict;
mod tables;

use super::DescriptorPool;
use crate::wire::error::{DescriptorError, DescriptorErrorKind};
use crate::wire::{Tag, WireType, Writer};
use alloc::vec::Vec;

/// A message under construction, field by field.
#[derive(Clone, Default)]
struct Proto(Vec<u8>);

impl Proto {
    fn bytes(mut self, number: u32, value: &[u8]) -> Self {
        let mut out = Writer::new(&mut self.0);
        out.write_tag(Tag::new(number, WireType::LengthDelimited));
        out.write_length_delimited(value).unwrap();
        self
    }

    fn str(self, number: u32, value: &str) -> Self {
        self.bytes(number, value.as_bytes())
    }

    fn int(mut self, number: u32, value: i32) -> Self {
        let mut out = Writer::new(&mut self.0);
        out.write_tag(Tag::new(number, WireType::Varint));
        out.write_varint(value as i64 as u64);
        self
    }

    fn sub(self, number: u32, value: Proto) -> Self {
        self.bytes(number, &value.0)
    }

    fn subs(self, number: u32, values: impl IntoIterator<Item = Proto>) -> Self {
        values.into_iter().fold(self, |this, value| this.sub(number, value))
    }
}

const DOUBLE: i32 = 1;
const INT32: i32 = 5;
const STRING: i32 = 9;
const GROUP: i32 = 10;
const MESSAGE: i32 = 11;
const BYTES: i32 = 12;
const ENUM: i32 = 14;

const OPTIONAL: i32 = 1;
const REQUIRED: i32 = 2;
const REPEATED: i32 = 3;

/// Any of the descriptors: the name is field 1 in all of them.
fn named(name: &str) -> Proto {
    Proto::default().str(1, name)
}

/// A proto2 file of package `p`.
fn file(name: &str) -> Proto {
    named(name).str(2, "p")
}

fn proto3(name: &str) -> Proto {
    file(name).str(12, "proto3")
}

fn edition(name: &str, edition: i32) -> Proto {
    file(name).str(12, "editions").int(14, edition)
}

fn message(name: &str, fields: impl IntoIterator<Item = Proto>) -> Proto {
    named(name).subs(2, fields)
}

fn field(name: &str, number: i32, label: i32, kind: i32) -> Proto {
    named(name).int(3, number).int(4, label).int(5, kind)
}

fn typed(name: &str, number: i32, label: i32, kind: i32, type_name: &str) -> Proto {
    field(name, number, label, kind).str(6, type_name)
}

fn enumeration(name: &str, values: &[(&str, i32)]) -> Proto {
    named(name).subs(2, values.iter().map(|(name, number)| named(name).int(2, *number)))
}

/// A map entry message with these key and value fields.
fn entry(name: &str, key: Proto, value: Proto) -> Proto {
    message(name, [key, value]).sub(7, Proto::default().int(7, 1))
}

fn set(files: impl IntoIterator<Item = Proto>) -> Vec<u8> {
    Proto::default().subs(1, files).0
}

fn load(files: impl IntoIterator<Item = Proto>) -> Result<DescriptorPool, DescriptorError> {
    DescriptorPool::decode(&set(files))
}

#[track_caller]
fn assert_error(files: impl IntoIterator<Item = Proto>, kind: DescriptorErrorKind, name: &str) {
    let error = load(files).unwrap_err();
    assert_eq!((error.kind(), error.name()), (kind, name), "{error}");
}

/// The error of a proto2 file `f.proto` with these messages.
#[track_caller]
fn assert_message_error(messages: impl IntoIterator<Item = Proto>, kind: DescriptorErrorKind, name: &str) {
    let error = load([file("f.proto").subs(4, messages)]).unwrap_err();
    assert_eq!((error.kind(), error.name(), error.file()), (kind, name, "f.proto"), "{error}");
}
