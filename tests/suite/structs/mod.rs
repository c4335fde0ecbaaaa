//! Structs of `message!`.

mod custom;
mod custom_merges;
mod depth;
mod dynamic;
mod enums;
mod errors;
mod hostile;
mod kinds;
mod merges;
mod mistakes;
mod order;
mod prost;
mod prost_derive;
mod semantics;
mod wkt;
