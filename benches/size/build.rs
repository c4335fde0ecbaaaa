//! Generates the code of prost and of buffa, from the descriptor set, so that no protoc is needed and none counts.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    #[cfg(feature = "prost")]
    {
        use prost::Message;
        let set = prost_types::FileDescriptorSet::decode(&std::fs::read("project.binpb")?[..])?;
        prost_build::Config::new().compile_fds(set)?;
    }
    #[cfg(feature = "buffa")]
    buffa_build::Config::new()
        .descriptor_set("project.binpb")
        .files(&["project.proto"])
        .include_file("buffa.rs")
        .compile()?;
    Ok(())
}
