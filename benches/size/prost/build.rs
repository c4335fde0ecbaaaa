//! Generates the code, from the descriptor set, so that no protoc is needed and none counts.

use prost::Message;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let set = prost_types::FileDescriptorSet::decode(&std::fs::read("../project.binpb")?[..])?;
    Ok(prost_build::Config::new().compile_fds(set)?)
}
