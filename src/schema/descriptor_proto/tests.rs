use super::*;

#[test]
fn the_tables_make_a_pool() {
    let pool = DescriptorPool::make_builtin().unwrap();
    let names: Vec<_> = pool.files().map(|f| alloc::string::String::from(f.name())).collect();
    assert_eq!(names, ["google/protobuf/descriptor.proto"]);
    let file = pool.get_file_by_name("google/protobuf/descriptor.proto").unwrap();
    assert_eq!(file.edition(), super::super::Edition::Proto2);
    let field = pool.get_message_by_name("google.protobuf.FieldDescriptorProto").unwrap();
    assert_eq!(field.fields().len(), 11);
    assert!(pool.get_enum_by_name("google.protobuf.FieldDescriptorProto.Type").unwrap().is_closed());
}
