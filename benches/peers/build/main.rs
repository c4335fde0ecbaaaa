//! Compiles the schemas with protox (no protoc needed) and generates the code of the contenders, for the programs that are built.

#[cfg(feature = "random")]
mod drawn;
mod growth;
#[cfg(feature = "json")]
mod json;
#[cfg(feature = "random")]
#[path = "../src/ratio/random.rs"]
#[allow(dead_code)]
mod random;
mod ratio;
mod reading;
#[cfg(feature = "rivals")]
mod rivals;
mod typed;

use prost::Message;
use prost_reflect::{DescriptorPool, FieldDescriptor, OneofDescriptor};
use std::path::{Path, PathBuf};
use std::{env, error::Error, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=proto");
    println!("cargo::rerun-if-changed=build");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut files: Vec<PathBuf> =
        fs::read_dir("proto")?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    files.sort();
    let set = protox::compile(&files, ["proto"])?;
    write_set(&set, &out.join("ratio.binpb"))?;
    let pool = DescriptorPool::from_file_descriptor_set(set.clone())?;
    fs::write(out.join("typed.rs"), typed::generate(&pool, "ratio.", true))?;
    growth::generate(&out)?;
    #[cfg(feature = "random")]
    drawn::generate(&out)?;
    #[cfg(feature = "json")]
    json::generate(&files, &set, &pool, &out)?;
    ratio::generate(&files, set, &pool, &out)
}

/// Writes a descriptor set.
fn write_set(set: &prost_types::FileDescriptorSet, path: &Path) -> std::io::Result<()> {
    fs::write(path, set.encode_to_vec())?;
    // buffa-build asks cargo to build again when this file is younger than the last build, which wrote it.
    fs::File::options().write(true).open(path)?.set_modified(std::time::UNIX_EPOCH)
}

/// A field, as a Rust member.
fn field_name(name: &str) -> String {
    if ["type", "struct"].contains(&name) { format!("r#{name}") } else { name.to_owned() }
}

/// The oneof that a field is in, unless it only stands for `optional`.
fn real_oneof(field: &FieldDescriptor) -> Option<OneofDescriptor> {
    field.containing_oneof().filter(|oneof| !oneof.is_synthetic())
}
