//! Compiles the schemas with protox (no protoc needed) and generates the code of every contender from one descriptor set.

use prost::Message;
use std::{env, error::Error, fs, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=proto");
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut files: Vec<PathBuf> =
        fs::read_dir("proto")?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    files.sort();
    let set = protox::compile(&files, ["proto"])?;
    fs::write(out.join("ratio.binpb"), set.encode_to_vec())?;
    prost_build::Config::new().include_file("prost.rs").compile_fds(set)?;
    Ok(())
}
