//! Generates the code, from the descriptor set, so that no protoc is needed and none counts.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    buffa_build::Config::new()
        .descriptor_set("../project.binpb")
        .files(&["project.proto"])
        .include_file("buffa.rs")
        .compile()
}
