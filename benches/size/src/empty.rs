//! What every program has.

fn main() {
    let bytes: Vec<u8> = std::env::args().skip(1).flat_map(String::into_bytes).collect();
    println!("{}", bytes.len());
}
