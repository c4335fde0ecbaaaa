//! Places and comments of definitions: as protoc has them, and printed so that they stay.

use crate::common::data::Data;
use crate::common::protoc::{Dir, Protoc};
use crate::sources::{COMMENTS_2, COMMENTS_2024, assert_same, sources};
use std::path::Path;
use tablepb::schema::{Edition, FileDescriptor, PoolOptions};
use tablepb::{DescriptorPool, DynamicMessage, ValueRef};
use tablepb_schema::SourceBuilder;

/// One line, tabs, tokens on lines of their own, and nothing that ends the last comment.
const ODD: &str = "import weak \"two.proto\"; import public \"empty.proto\";\n\nmessage\n  Q\n{optional int32 a\n=\n1; /* a\n b */ \
    optional\tint32\tb = 2; // c\r\n\t }\n\n\nenum E { /*\n * x\n **y\n */ X = 0; Y = -1; /***/ } // no newline";

fn builder<'r>() -> SourceBuilder<'r> {
    SourceBuilder::new().with_options(PoolOptions::new().memory(1 << 30)).include_source_info(true)
}

fn compile(directory: &Path, name: &str) -> DescriptorPool {
    builder().include(directory).file(name).build().unwrap_or_else(|error| panic!("{error}"))
}

fn commented(dir: &Dir) -> [&'static str; 3] {
    dir.write("empty.proto", "");
    let files = [("two.proto", COMMENTS_2), ("odd.proto", ODD), ("edition.proto", COMMENTS_2024)];
    files.map(|(name, source)| {
        dir.write(name, source);
        name
    })
}

#[test]
#[ignore = "needs_protoc: compares with it"]
fn needs_protoc_places_and_comments_are_those_of_protoc() {
    let (protoc, dir) = (Protoc::find(), Dir::new("comments"));
    for name in commented(&dir) {
        if name.starts_with("edition") && !protoc.knows(Edition::Edition2024) {
            continue;
        }
        // The features of C++ are protoc's own file, which has comments that the one built in here has not.
        let set = protoc.compile_with_info(&dir.0, &[name.into()]).unwrap_or_else(|error| panic!("{error}"));
        let own = |file: &FileDescriptor| !file.name().starts_with("google/");
        assert_same(&compile(&dir.0, name), &set, own, name);
    }
}

#[test]
#[ignore = "needs_protoc, needs_data: protobuf's own sources"]
fn needs_data_needs_protoc_places_in_protobufs_sources_are_those_of_protoc() {
    let (protoc, directory) = (Protoc::find(), Data::Recorded.path("protos"));
    for name in sources(&directory) {
        let set = protoc.compile_with_info(&directory, std::slice::from_ref(&name));
        let set = set.unwrap_or_else(|error| panic!("{error}"));
        assert_same(&compile(&directory, &name), &set, |_| true, &name);
    }
}

#[test]
fn pools_have_no_places_unless_asked() {
    let source = "syntax = \"proto3\";\n// a\nmessage A {} // b\n";
    let without = SourceBuilder::new().source("a.proto", source).build().unwrap();
    let with = builder().source("a.proto", source).build().unwrap();
    let len = |pool: &DescriptorPool| pool.encode_to_vec().unwrap().len();
    assert!(len(&without) < 40 && len(&with) > len(&without) + 30, "{} {}", len(&without), len(&with));
    let print = |pool: &DescriptorPool| pool.file("a.proto").unwrap().to_proto();
    assert_eq!(print(&without), "syntax = \"proto3\";\n\nmessage A {}\n");
    assert_eq!(print(&with), "syntax = \"proto3\";\n\n// a\nmessage A {}\n");
}

/// The comments of a file by path.
fn comments(file: &FileDescriptor) -> Vec<(Vec<i32>, String)> {
    let descriptor = DescriptorPool::descriptor_proto();
    let descriptor = descriptor.message("google.protobuf.FileDescriptorProto").unwrap();
    let file = DynamicMessage::decode(&descriptor, file.file_descriptor_proto_bytes()).unwrap();
    let mut found = Vec::new();
    let Some(ValueRef::Message(info)) = file.get_field("source_code_info").ok() else { return found };
    let Some(ValueRef::List(locations)) = info.get_field("location").ok() else { return found };
    for location in locations.iter() {
        let ValueRef::Message(location) = location else { unreachable!() };
        let (mut path, mut text) = (Vec::new(), String::new());
        for (field, value) in location.fields() {
            match (field.name(), value) {
                ("path", ValueRef::List(numbers)) => path.extend(numbers.iter().map(|number| match number {
                    ValueRef::I32(number) => number,
                    other => panic!("{other:?}"),
                })),
                ("span", _) => {}
                // A block comment becomes line comments, which end with a newline.
                (name, ValueRef::String(text_of)) => {
                    text += &format!("{name}: {:?} ", text_of.strip_suffix('\n').unwrap_or(text_of));
                }
                (name, ValueRef::List(list)) => {
                    for one in list.iter() {
                        let ValueRef::String(one) = one else { unreachable!() };
                        text += &format!("{name}: {:?} ", one.strip_suffix('\n').unwrap_or(one));
                    }
                }
                other => panic!("{other:?}"),
            }
        }
        if !text.is_empty() {
            found.push((path, text));
        }
    }
    found.sort();
    found
}

/// Prints all files of a pool and compiles them: the same text again, and the same comments. How many there are.
fn again(pool: &DescriptorPool, name: &str) -> usize {
    let mut builder = builder();
    for file in pool.files() {
        builder = builder.source(file.name(), file.to_proto());
    }
    let second = builder.build().unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut count = 0;
    for file in pool.files() {
        let printed = second.file(file.name()).unwrap();
        assert_eq!(printed.to_proto(), file.to_proto(), "{}", file.name());
        assert_eq!(comments(&printed), comments(&file), "{}", file.name());
        count += comments(&file).len();
    }
    count
}

#[test]
fn comments_are_printed_where_they_belong() {
    let dir = Dir::new("printed");
    let counts = commented(&dir).map(|name| again(&compile(&dir.0, name), name));
    assert!(counts[0] > 4 && counts[1] > counts[0] && counts[2] > 20, "{counts:?}");
}

#[test]
#[ignore = "needs_data: protobuf's own sources"]
fn needs_data_comments_of_protobufs_sources_are_printed() {
    let directory = Data::Recorded.path("protos");
    let counts =
        sources(&directory).iter().map(|name| again(&compile(&directory, name), name)).sum::<usize>();
    assert!(counts > 2000, "{counts}");
}

#[test]
fn comments_are_printed_in_three_ways() {
    let source = "// License.\n\n// About the syntax.\nsyntax = \"proto3\"; // Trails it.\n\n// Alone.\n\n// First line.\n//\n\
        //   Third.\nmessage A { // Trails the brace.\n  // Of the range.\n  reserved 5; // Trails it.\n  \
        reserved 6;\n\n  // Of the field.\n  int32 a = 1;\n  // One\n  // and two.\n\n  // Next.\n  int32 b = 2;\n}\n";
    let pool = builder().source("a.proto", source).build().unwrap();
    assert_eq!(pool.file("a.proto").unwrap().to_proto(), source);
}
