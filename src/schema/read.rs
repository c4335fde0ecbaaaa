//! The bytes of a `FileDescriptorSet` to plain file descriptors, through the tables of descriptor.proto.
//!
//! Field numbers are those of descriptor.proto. Nested messages wait on a list, so nothing here recurses; the
//! decoder has bounded nesting and memory before this starts.

use super::DescriptorPool;
use super::build::{Builder, MAX_NESTING};
use super::proto::{
    Edition, EnumProto, EnumValueProto, ExtensionRangeProto, FieldProto, FileProto, MessageProto,
    MethodProto, OneofProto, OptionsProto, ServiceProto,
};
use crate::decode::{DecodeOptions, decode_raw};
use crate::encode::encode_raw;
use crate::error::{DescriptorError, DescriptorErrorKind as Kind};
use crate::slab::{RawView, Slab};
use crate::wire::{Reader, WireType};
use alloc::{borrow::Cow, format, vec::Vec};

type Result<T> = core::result::Result<T, DescriptorError>;
type View<'a, 'i> = RawView<'a, 'i>;

/// Gives every file of a set to the builder.
pub(super) fn set<'i>(input: &'i [u8], builder: &mut Builder<'i>) -> Result<()> {
    let pool = DescriptorPool::descriptor_proto();
    let Some(set) = pool.get_message_by_name("google.protobuf.FileDescriptorSet") else {
        return Err(DescriptorError::new(Kind::NotFound, "google.protobuf.FileDescriptorSet", ""));
    };
    let mut slab = Slab::default();
    // Options may hold messages with required fields that are missing (`UninterpretedOption`); nobody looks there.
    let options = DecodeOptions::new().allow_partial(true);
    let view = decode_raw(pool.programs(), set.index(), input, &mut slab, &options)
        .map_err(|error| DescriptorError::malformed(set.name_error(error)))?;
    for (view, raw) in view.messages(1).zip(raw_files(input)) {
        let file = file(view).map_err(|e| e.in_file(view.str(1)))?;
        builder.add(file, raw)?;
    }
    Ok(())
}

/// The payloads of `FileDescriptorSet.file`.
fn raw_files(input: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut reader = Reader::new(input);
    core::iter::from_fn(move || {
        loop {
            let tag = reader.next_tag().ok()??;
            if (tag.number(), tag.wire_type()) == (1, WireType::LengthDelimited) {
                return reader.read_length_delimited().ok();
            }
            reader.skip_field(tag).ok()?;
        }
    })
}

fn file<'i>(view: View<'_, 'i>) -> Result<FileProto<'i>> {
    let (syntax, edition) = (view.str(12), view.i32(14));
    let Some(edition) = Edition::from_proto(syntax, edition) else {
        let detail = format!("syntax {syntax:?}, edition {edition}");
        return Err(DescriptorError::new(Kind::UnsupportedEdition, "", detail));
    };
    let mut file = FileProto {
        name: text(view, 1)?,
        package: text(view, 2)?,
        dependencies: texts(view, 3),
        public_dependencies: view.i32s(10).collect(),
        weak_dependencies: view.i32s(11).collect(),
        option_dependencies: texts(view, 15),
        messages: Vec::new(),
        enums: view.messages(5).map(|v| enumeration(v, None)).collect::<Result<_>>()?,
        extensions: view.messages(7).map(|v| field(v, None)).collect::<Result<_>>()?,
        services: view.messages(6).map(service).collect::<Result<_>>()?,
        options: options(view, 8, |view, options| {
            options.deprecated = view.bool(23);
            50
        }),
        edition,
    };
    messages(view, &mut file)?;
    Ok(file)
}

/// All messages of a file, each in front of those nested in it, with their enums and extensions.
fn messages<'i>(view: View<'_, 'i>, file: &mut FileProto<'i>) -> Result<()> {
    let mut todo: Vec<(View<'_, 'i>, Option<u32>, usize)> =
        view.messages(4).map(|view| (view, None, 0)).collect();
    todo.reverse();
    while let Some((view, parent, depth)) = todo.pop() {
        if depth >= MAX_NESTING {
            return Err(DescriptorError::new(Kind::TooDeep, view.str(1), format!("limit {MAX_NESTING}")));
        }
        let position = Some(file.messages.len() as u32);
        file.messages.push(message(view, parent)?);
        for enumeration in view.messages(4) {
            file.enums.push(self::enumeration(enumeration, position)?);
        }
        for extension in view.messages(6) {
            file.extensions.push(field(extension, position)?);
        }
        let first = todo.len();
        todo.extend(view.messages(3).map(|view| (view, position, depth + 1)));
        todo.get_mut(first..).unwrap_or_default().reverse();
    }
    Ok(())
}

fn message<'i>(view: View<'_, 'i>, parent: Option<u32>) -> Result<MessageProto<'i>> {
    let extension_range = |view: View<'_, 'i>| ExtensionRangeProto {
        start: view.i32(1),
        end: view.i32(2),
        options: options(view, 3, |_, _| 50),
    };
    let oneof = |view: View<'_, 'i>| {
        Ok(OneofProto { name: name(view, "oneof")?, options: options(view, 2, |_, _| 1) })
    };
    Ok(MessageProto {
        parent,
        name: name(view, "message")?,
        fields: view.messages(2).map(|v| field(v, None)).collect::<Result<_>>()?,
        oneofs: view.messages(8).map(oneof).collect::<Result<_>>()?,
        extension_ranges: view.messages(5).map(extension_range).collect(),
        reserved_ranges: view.messages(9).map(|v| (v.i32(1), v.i32(2))).collect(),
        reserved_names: texts(view, 10),
        visibility: view.i32(11),
        options: options(view, 7, |view, options| {
            options.message_set = view.bool(1);
            options.deprecated = view.bool(3);
            options.map_entry = view.bool(7);
            12
        }),
    })
}

fn field<'i>(view: View<'_, 'i>, parent: Option<u32>) -> Result<FieldProto<'i>> {
    let optional = |number| if view.has(number) { text(view, number).map(Some) } else { Ok(None) };
    Ok(FieldProto {
        parent,
        name: name(view, "field")?,
        number: view.i32(3),
        label: view.i32(4),
        type_code: view.i32(5),
        type_name: text(view, 6)?,
        extendee: text(view, 2)?,
        default: optional(7)?,
        oneof_index: view.has(9).then(|| view.i32(9)),
        json_name: optional(10)?,
        proto3_optional: view.bool(17),
        options: options(view, 8, |view, options| {
            options.packed = view.has(2).then(|| view.bool(2));
            options.deprecated = view.bool(3);
            21
        }),
    })
}

fn enumeration<'i>(view: View<'_, 'i>, parent: Option<u32>) -> Result<EnumProto<'i>> {
    let value = |view: View<'_, 'i>| {
        Ok(EnumValueProto {
            name: name(view, "enum value")?,
            number: view.i32(2),
            options: options(view, 3, |view, options| {
                options.deprecated = view.bool(1);
                2
            }),
        })
    };
    Ok(EnumProto {
        parent,
        name: name(view, "enum")?,
        values: view.messages(2).map(value).collect::<Result<_>>()?,
        reserved_ranges: view.messages(4).map(|v| (v.i32(1), v.i32(2))).collect(),
        reserved_names: texts(view, 5),
        visibility: view.i32(6),
        options: options(view, 3, |view, options| {
            options.allow_alias = view.bool(2);
            options.deprecated = view.bool(3);
            7
        }),
    })
}

fn service<'i>(view: View<'_, 'i>) -> Result<ServiceProto<'i>> {
    let method = |view: View<'_, 'i>| {
        Ok(MethodProto {
            name: name(view, "method")?,
            input: text(view, 2)?,
            output: text(view, 3)?,
            client_streaming: view.bool(5),
            server_streaming: view.bool(6),
            options: options(view, 4, |view, options| {
                options.deprecated = view.bool(33);
                35
            }),
        })
    };
    Ok(ServiceProto {
        name: name(view, "service")?,
        methods: view.messages(2).map(method).collect::<Result<_>>()?,
        options: options(view, 3, |view, options| {
            options.deprecated = view.bool(33);
            34
        }),
    })
}

/// The options message at `number`. `pick` takes what it needs of it and says which field holds the features.
fn options(
    view: View<'_, '_>,
    number: u32,
    pick: impl FnOnce(View<'_, '_>, &mut OptionsProto) -> u32,
) -> OptionsProto {
    let mut options = OptionsProto::default();
    if let Some(view) = view.message(number) {
        options.bytes = encode_raw(view);
        let features = pick(view, &mut options);
        if let Some(view) = view.message(features) {
            for number in 1..=5 {
                options.features.set(number, view.i32(number));
            }
        }
    }
    options
}

/// The name of a definition. Checked here already, so that millions of empty definitions end at the first.
fn name<'i>(view: View<'_, 'i>, what: &str) -> Result<Cow<'i, str>> {
    let name = text(view, 1)?;
    if name.is_empty() {
        return Err(DescriptorError::new(Kind::InvalidName, "", format!("{what} without a name")));
    }
    Ok(name)
}

/// descriptor.proto is proto2, whose strings may be anything; these must be UTF-8.
fn text<'i>(view: View<'_, 'i>, number: u32) -> Result<Cow<'i, str>> {
    let bytes = view.bytes(number);
    core::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|_| {
        DescriptorError::new(Kind::InvalidName, "", format!("not UTF-8: \"{}\"", bytes.escape_ascii()))
    })
}

fn texts<'i>(view: View<'_, 'i>, number: u32) -> Vec<Cow<'i, str>> {
    view.strs(number).map(Cow::Borrowed).collect()
}
