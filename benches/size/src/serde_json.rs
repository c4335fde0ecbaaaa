//! The same record as JSON, for reference.

use serde::{Deserialize, Serialize};

#[derive(Default, Serialize, Deserialize)]
struct Project {
    name: String,
    description: String,
    timestamp: u64,
    tags: Vec<String>,
}

fn main() {
    let bytes: Vec<u8> = std::env::args().skip(1).flat_map(String::into_bytes).collect();
    let project: Project = serde_json::from_slice(&bytes).unwrap_or_default();
    println!("{:?}", serde_json::to_vec(&project).map(|bytes| bytes.len()).ok());
}
