//! One message of `message!`, decoded and encoded: with the features for structs alone, and with default features.

use tablepb::Message;

#[derive(Debug, Default)]
struct Project {
    name: String,
    description: String,
    timestamp: u64,
    tags: Vec<String>,
}

tablepb::message! {
    Project as "example.Project" {
        name: string = 1,
        description: string = 2,
        timestamp: uint64 = 3,
        tags: repeated string = 4,
    }
}

fn main() {
    let bytes: Vec<u8> = std::env::args().skip(1).flat_map(String::into_bytes).collect();
    let project = Project::decode(&bytes).unwrap_or_default();
    println!("{:?}", project.encode_to_vec().map(|bytes| bytes.len()));
}
