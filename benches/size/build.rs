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
    #[cfg(feature = "firmware-micropb")]
    {
        use micropb_gen::{Config, Generator};
        let mut generator = Generator::new();
        generator.use_container_heapless();
        generator.configure(".", Config::new().max_len(16).max_bytes(16));
        let out = std::env::var("OUT_DIR")? + "/micropb.rs";
        generator.compile_fdset_file("firmware.binpb", out)?;
    }
    Ok(())
}
