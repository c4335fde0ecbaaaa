//! Compiles the schemas to structs and stubs, and to a descriptor set for reflection.

fn main() -> Result<(), tablepb_build::BuildError> {
    let set = std::path::Path::new(&std::env::var_os("OUT_DIR").unwrap_or_default()).join("services.binpb");
    tablepb_build::Config::new()
        .service_generator(tablepb_tonic::generator())
        .file_descriptor_set_path(set)
        .include_file("services.rs")
        .compile(&["protos/helloworld.proto", "protos/route_guide.proto"], &["protos"])
}
