//! The code of `json`: prost's structs with serde's derives and with pbjson's implementations, and buffa's with JSON.

use crate::real_oneof;
use prost::Message;
use prost_reflect::{DescriptorPool, Kind};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{error::Error, fs};

pub fn generate(
    files: &[PathBuf],
    set: &prost_types::FileDescriptorSet,
    pool: &DescriptorPool,
    out: &Path,
) -> Result<(), Box<dyn Error>> {
    equal_structs(set, pool, &out.join("serde"))?;
    pbjson(set, &set.encode_to_vec(), pool, &out.join("pbjson"))?;
    buffa(files, out)
}

/// prost's structs with serde's own derives: what a program has that keeps its own types. Unset members are left out.
fn equal_structs(
    set: &prost_types::FileDescriptorSet,
    pool: &DescriptorPool,
    out: &Path,
) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(out)?;
    let mut config = prost_build::Config::new();
    config.out_dir(out).include_file("prost.rs");
    let derive = "#[derive(serde::Serialize, serde::Deserialize)]";
    config.message_attribute(".", format!("{derive} #[serde(default, rename_all = \"camelCase\")]"));
    config.enum_attribute(".", format!("{derive} #[serde(rename_all = \"camelCase\")]"));
    for message in pool.all_messages().filter(|message| !message.is_map_entry()) {
        let name = format!(".{}", message.full_name());
        for field in message.fields() {
            let path = format!("{name}.{}", field.name());
            let skip = if field.is_list() {
                "Vec::is_empty"
            } else if field.is_map() {
                "std::collections::HashMap::is_empty"
            } else if real_oneof(&field).is_some() {
                continue;
            } else if field.cardinality() == prost_reflect::Cardinality::Required {
                continue;
            } else if field.supports_presence() {
                "Option::is_none"
            } else {
                "crate::is_default"
            };
            config.field_attribute(path, format!("#[serde(skip_serializing_if = \"{skip}\")]"));
        }
        for field in message.fields().filter(|field| matches!(field.kind(), Kind::Bytes)) {
            let oneof = real_oneof(&field);
            let path = match &oneof {
                Some(oneof) => format!("{name}.{}.{}", oneof.name(), field.name()),
                None => format!("{name}.{}", field.name()),
            };
            let optional = oneof.is_none() && field.supports_presence();
            let with = if optional { "crate::base64::option" } else { "crate::base64" };
            config.field_attribute(path, format!("#[serde(with = \"{with}\")]"));
        }
    }
    config.compile_fds(set.clone())?;
    Ok(())
}

/// prost's structs with the implementations that pbjson generates.
fn pbjson(
    set: &prost_types::FileDescriptorSet,
    bytes: &[u8],
    pool: &DescriptorPool,
    out: &Path,
) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(out)?;
    prost_build::Config::new().out_dir(out).include_file("prost.rs").compile_fds(set.clone())?;
    pbjson_build::Builder::new().register_descriptors(bytes)?.out_dir(out).build(&[".ratio"])?;
    // The code of pbjson goes to the end of prost's.
    let mut packages: Vec<String> = pool.files().map(|file| file.package_name().to_owned()).collect();
    packages.dedup();
    for package in packages {
        let (code, serde) = (out.join(format!("{package}.rs")), out.join(format!("{package}.serde.rs")));
        if serde.exists() {
            let text = fs::read_to_string(&code)? + &fs::read_to_string(serde)?;
            fs::write(code, text)?;
        }
    }
    Ok(())
}

fn buffa(files: &[PathBuf], out: &Path) -> Result<(), Box<dyn Error>> {
    let folder = out.join("buffa_json");
    fs::create_dir_all(&folder)?;
    let names: Vec<&OsStr> = files.iter().filter_map(|file| file.file_name()).collect();
    buffa_build::Config::new()
        .descriptor_set(out.join("ratio.binpb"))
        .files(&names)
        .out_dir(folder)
        .include_file("buffa.rs")
        .generate_json(true)
        .compile()?;
    Ok(())
}
