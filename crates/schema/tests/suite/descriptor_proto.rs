//! The descriptor set of descriptor.proto that the library has, made of its source.

use std::path::Path;
use tablepb_schema::SourceBuilder;

#[test]
fn the_set_of_the_library_is_what_the_compiler_makes_of_the_source() {
    let compiled = SourceBuilder::new().file("google/protobuf/descriptor.proto").build().unwrap();
    let compiled = compiled.encode_to_vec().unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src/schema/pool/descriptor.binpb");
    if std::env::var_os("WRITE_DESCRIPTOR").is_some() {
        std::fs::write(&path, &compiled).unwrap();
    }
    let known = std::fs::read(path).unwrap();
    assert!(
        compiled == known,
        "`WRITE_DESCRIPTOR=1 cargo test --package tablepb-schema descriptor` writes it anew"
    );
    let built_in = tablepb::DescriptorPool::descriptor_proto().encode_to_vec().unwrap();
    assert!(built_in == known, "the file is new: run the test again, with a library that has it");
}
