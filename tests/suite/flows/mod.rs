//! The flow collector of `examples/flows`: what it makes of captures and datagrams, read by others.
//!
//! `captures.rs`: captures of real exporters, against what tshark says of them. `made.rs`: two captures made up.
//! `records.rs` (sFlow), `netflow5.rs`, `templates.rs`, `elements.rs` and `packets.rs` (NetFlow 9, IPFIX, made with `messages.rs`): a
//! datagram for each rule of the formats. `files.rs`: formats of captures. `fragments.rs`: datagrams in several packets. `hostile.rs`: datagrams that were cut off, changed or made up. `program.rs`:
//! the command line. `parts.rs`: numbers and rates. `tunnels.rs`: packets inside of packets. `store.rs`: a column store.

#[path = "../../../examples/flows/capture/mod.rs"]
mod capture;
mod captures;
#[path = "../../../examples/flows/collect/mod.rs"]
mod collect;
mod elements;
mod files;
mod fragments;
mod hostile;
mod made;
mod messages;
mod netflow5;
mod packets;
mod parts;
mod program;
mod records;
mod store;
mod support;
mod templates;
#[path = "../../../examples/flows/traffic/mod.rs"]
#[allow(dead_code, reason = "the tests use parts of this")]
mod traffic;
mod tunnels;
