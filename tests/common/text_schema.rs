//! A schema with all that text format treats in its own way, in text format: extensions, groups by both names, a MessageSet,
//! delimited fields of editions, reserved names, `Any`, strings with and without validation, open and closed enums.

use std::sync::OnceLock;
use tablepb::DescriptorPool;

/// The descriptor set.
pub const SCHEMA: &str = r#"
file {
  name: "google/protobuf/any.proto" package: "google.protobuf" syntax: "proto3"
  message_type {
    name: "Any"
    field { name: "type_url" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
    field { name: "value" number: 2 type: TYPE_BYTES label: LABEL_OPTIONAL }
  }
}
file {
  name: "t.proto" package: "t" dependency: "google/protobuf/any.proto"
  message_type {
    name: "All"
    field { name: "i32" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL }
    field { name: "i64" number: 2 type: TYPE_SINT64 label: LABEL_OPTIONAL }
    field { name: "u32" number: 3 type: TYPE_FIXED32 label: LABEL_OPTIONAL }
    field { name: "u64" number: 4 type: TYPE_UINT64 label: LABEL_OPTIONAL }
    field { name: "flag" number: 5 type: TYPE_BOOL label: LABEL_OPTIONAL }
    field { name: "single" number: 6 type: TYPE_FLOAT label: LABEL_OPTIONAL }
    field { name: "double" number: 7 type: TYPE_DOUBLE label: LABEL_OPTIONAL }
    field { name: "text" number: 8 type: TYPE_STRING label: LABEL_OPTIONAL }
    field { name: "data" number: 9 type: TYPE_BYTES label: LABEL_OPTIONAL }
    field { name: "color" number: 10 type: TYPE_ENUM type_name: ".t.Color" label: LABEL_OPTIONAL }
    field { name: "child" number: 11 type: TYPE_MESSAGE type_name: ".t.All" label: LABEL_OPTIONAL }
    field { name: "ints" number: 12 type: TYPE_INT32 label: LABEL_REPEATED }
    field { name: "texts" number: 13 type: TYPE_STRING label: LABEL_REPEATED }
    field { name: "children" number: 14 type: TYPE_MESSAGE type_name: ".t.All" label: LABEL_REPEATED }
    field { name: "by_name" number: 15 type: TYPE_MESSAGE type_name: ".t.All.ByNameEntry" label: LABEL_REPEATED }
    field { name: "by_id" number: 16 type: TYPE_MESSAGE type_name: ".t.All.ByIdEntry" label: LABEL_REPEATED }
    field { name: "one_int" number: 17 type: TYPE_INT32 label: LABEL_OPTIONAL oneof_index: 0 }
    field { name: "one_child" number: 18 type: TYPE_MESSAGE type_name: ".t.All" label: LABEL_OPTIONAL oneof_index: 0 }
    field { name: "mygroup" number: 19 type: TYPE_GROUP type_name: ".t.All.MyGroup" label: LABEL_OPTIONAL }
    field { name: "groups" number: 20 type: TYPE_GROUP type_name: ".t.All.Groups" label: LABEL_REPEATED }
    field { name: "any" number: 21 type: TYPE_MESSAGE type_name: ".google.protobuf.Any" label: LABEL_OPTIONAL }
    field { name: "anys" number: 22 type: TYPE_MESSAGE type_name: ".google.protobuf.Any" label: LABEL_REPEATED }
    field { name: "set" number: 23 type: TYPE_MESSAGE type_name: ".t.Set" label: LABEL_OPTIONAL }
    field { name: "strict" number: 24 type: TYPE_MESSAGE type_name: ".t.Strict" label: LABEL_OPTIONAL }
    field { name: "jsonName" number: 25 json_name: "renamed" type: TYPE_INT32 label: LABEL_OPTIONAL }
    field { name: "open" number: 26 type: TYPE_MESSAGE type_name: ".t3.Open" label: LABEL_OPTIONAL }
    nested_type {
      name: "ByNameEntry" options { map_entry: true }
      field { name: "key" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
      field { name: "value" number: 2 type: TYPE_MESSAGE type_name: ".t.All" label: LABEL_OPTIONAL }
    }
    nested_type {
      name: "ByIdEntry" options { map_entry: true }
      field { name: "key" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL }
      field { name: "value" number: 2 type: TYPE_ENUM type_name: ".t.Color" label: LABEL_OPTIONAL }
    }
    nested_type { name: "MyGroup" field { name: "x" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL } }
    nested_type { name: "Groups" field { name: "x" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL } }
    oneof_decl { name: "choice" }
    extension_range { start: 100 end: 1000 }
    reserved_name: "gone" reserved_name: "Left"
  }
  message_type { name: "Strict" field { name: "id" number: 1 type: TYPE_INT32 label: LABEL_REQUIRED } }
  message_type { name: "Set" options { message_set_wire_format: true } extension_range { start: 4 end: 2147483647 } }
  message_type {
    name: "Item"
    field { name: "x" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL }
    extension { name: "item" number: 50 type: TYPE_MESSAGE type_name: ".t.Item" label: LABEL_OPTIONAL extendee: ".t.Set" }
  }
  enum_type { name: "Color" value { name: "RED" number: 0 } value { name: "BLUE" number: -3 } value { name: "inf" number: 7 } }
  extension { name: "ext" number: 100 type: TYPE_INT32 label: LABEL_OPTIONAL extendee: ".t.All" }
  extension { name: "exts" number: 101 type: TYPE_STRING label: LABEL_REPEATED extendee: ".t.All" }
  extension { name: "ext_child" number: 102 type: TYPE_MESSAGE type_name: ".t.All" label: LABEL_OPTIONAL extendee: ".t.All" }
  dependency: "t3.proto"
}
file {
  name: "t3.proto" package: "t3" syntax: "proto3"
  message_type {
    name: "Open"
    field { name: "i32" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL }
    field { name: "single" number: 2 type: TYPE_FLOAT label: LABEL_OPTIONAL }
    field { name: "text" number: 3 type: TYPE_STRING label: LABEL_OPTIONAL }
    field { name: "color" number: 4 type: TYPE_ENUM type_name: ".t3.Color" label: LABEL_OPTIONAL }
  }
  enum_type { name: "Color" value { name: "ZERO" number: 0 } value { name: "ONE" number: 1 } }
}
file {
  name: "e.proto" package: "e" syntax: "editions" edition: EDITION_2023
  message_type {
    name: "Delimited"
    field {
      name: "grouplike" number: 1 type: TYPE_MESSAGE type_name: ".e.Delimited.GroupLike" label: LABEL_OPTIONAL
      options { features { message_encoding: DELIMITED } }
    }
    field {
      name: "other" number: 2 type: TYPE_MESSAGE type_name: ".e.Delimited.GroupLike" label: LABEL_OPTIONAL
      options { features { message_encoding: DELIMITED } }
    }
    field {
      name: "outside" number: 3 type: TYPE_MESSAGE type_name: ".e.Outside" label: LABEL_OPTIONAL
      options { features { message_encoding: DELIMITED } }
    }
    field { name: "plain" number: 4 type: TYPE_MESSAGE type_name: ".e.Delimited.Plain" label: LABEL_OPTIONAL }
    nested_type { name: "GroupLike" field { name: "x" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL } }
    nested_type { name: "Plain" }
  }
  message_type { name: "Outside" }
}
"#;

pub fn pool() -> &'static DescriptorPool {
    static POOL: OnceLock<DescriptorPool> = OnceLock::new();
    POOL.get_or_init(|| {
        let own = DescriptorPool::descriptor_proto();
        let set = own.message("google.protobuf.FileDescriptorSet").unwrap();
        let set = tablepb::text::message_from_str(&set, SCHEMA).unwrap_or_else(|e| panic!("{e}"));
        DescriptorPool::decode(&set.encode_to_vec().unwrap()).unwrap_or_else(|e| panic!("{e}"))
    })
}
