//! The same with prost's generated code.

use prost::Message;

include!(concat!(env!("OUT_DIR"), "/example.rs"));

fn main() {
    let bytes: Vec<u8> = std::env::args().skip(1).flat_map(String::into_bytes).collect();
    let project = Project::decode(&bytes[..]).unwrap_or_default();
    println!("{:?}", project.encode_to_vec().len());
}
