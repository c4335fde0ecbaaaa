//! The same with buffa's generated code.

use buffa::Message;

mod generated {
    #![allow(warnings)]
    include!(concat!(env!("OUT_DIR"), "/buffa.rs"));
}
use generated::example::Project;

fn main() {
    let bytes: Vec<u8> = std::env::args().skip(1).flat_map(String::into_bytes).collect();
    let project = Project::decode_from_slice(&bytes).unwrap_or_default();
    println!("{:?}", project.encode_to_vec().len());
}
