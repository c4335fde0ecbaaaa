//! Messages of NetFlow 9 and IPFIX, and what is collected from them.

use crate::flows::support::{Collected, Flow};
use crate::flows::traffic::Bytes;

/// A message of IPFIX of an observation domain.
pub fn ipfix_of(domain: u32, sets: &[(u16, &[u8])]) -> Vec<u8> {
    let body: Vec<u8> = sets.iter().flat_map(|(id, body)| set(*id, body)).collect();
    let mut out = Bytes::default();
    out.u16s(&[10, 16 + body.len() as u16]).u32s(&[1, 2, domain]).put(&body).0.clone()
}

pub fn ipfix(sets: &[(u16, &[u8])]) -> Vec<u8> {
    ipfix_of(1, sets)
}

pub fn netflow9(sets: &[(u16, &[u8])]) -> Vec<u8> {
    let body: Vec<u8> = sets.iter().flat_map(|(id, body)| set(*id, body)).collect();
    Bytes::default().u16s(&[9, sets.len() as u16]).u32s(&[1, 2, 3, 4]).put(&body).0.clone()
}

pub fn set(id: u16, body: &[u8]) -> Vec<u8> {
    Bytes::default().u16s(&[id, 4 + body.len() as u16]).put(body).0.clone()
}

/// A template record.
pub fn template(id: u16, fields: &[(u16, u16)]) -> Vec<u8> {
    let mut out = Bytes::default();
    out.u16s(&[id, fields.len() as u16]);
    fields.iter().fold(&mut out, |out, &(element, len)| out.u16s(&[element, len]));
    out.0
}

/// The only flow of one record by these fields, by either version.
#[track_caller]
pub fn record(fields: &[(u16, u16)], record: &[u8]) -> Flow {
    let template = template(300, fields);
    let [netflow, ipfix] =
        [netflow9(&[(0, &template), (300, record)]), ipfix(&[(2, &template), (300, record)])]
            .map(|payload| collect(&[payload]));
    assert_eq!(netflow.flows(), ipfix.flows());
    assert_eq!((ipfix.flows().len(), ipfix.collector.statistics.faults), (1, 0));
    ipfix.flows().remove(0)
}

pub fn collect(payloads: &[Vec<u8>]) -> Collected {
    let mut collected = Collected::new();
    payloads.iter().for_each(|payload| collected.receive(payload));
    collected
}

pub const ADDRESSES: [(u16, u16); 2] = [(8, 4), (12, 4)];
pub const V4: [u8; 8] = [192, 0, 2, 1, 198, 51, 100, 2];

/// An options template of IPFIX: scopes, and other fields.
pub fn options(id: u16, scopes: &[(u16, u16)], fields: &[(u16, u16)]) -> Vec<u8> {
    let mut out = Bytes::default();
    out.u16s(&[id, (scopes.len() + fields.len()) as u16, scopes.len() as u16]);
    scopes.iter().chain(fields).fold(&mut out, |out, &(element, len)| out.u16s(&[element, len]));
    out.0
}
