//! Compiles the suite's messages to structs: `CONFORMANCE_DESCRIPTORS` is a descriptor set of them.

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-env-changed=CONFORMANCE_DESCRIPTORS");
    let set = std::env::var("CONFORMANCE_DESCRIPTORS")
        .map_err(|_| "CONFORMANCE_DESCRIPTORS is not set: see README.md")?;
    println!("cargo:rerun-if-changed={set}");
    let pool = tablepb::DescriptorPool::decode(&std::fs::read(set)?)?;
    let out = std::env::var_os("OUT_DIR").ok_or("no OUT_DIR")?;
    for file in
        tablepb_build::Config::new().include_file("messages.rs").unknown_fields(true).generate(&pool)?
    {
        file.write(Path::new(&out))?;
    }
    Ok(())
}
