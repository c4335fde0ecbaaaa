//! proto2: groups, required and many optional fields.

use crate::generated::prost::legacy::{
    Document,
    document::{Section, Stats, section::Link},
};
use crate::random::Random;

pub fn generate(r: &mut Random) -> Document {
    Document {
        url: format!("https://{}.example/{}/{}", r.name(4, 12), r.name(3, 9), r.hex(12)),
        doc_id: Some(r.bits(50) as i64),
        language: r.maybe(3, |r| r.bits(5) as i32),
        title: r.maybe(2, |r| r.text(30)),
        indexed: r.maybe(4, |_| false),
        fingerprint: r.maybe(2, Random::u64),
        score: r.maybe(2, Random::f64),
        boost: r.maybe(5, Random::f32),
        charset: r.maybe(6, |_| "iso-8859-1".to_owned()),
        checksum: r.maybe(2, Random::u64),
        shard: r.maybe(3, |r| r.signed(8) as i32),
        crawled: r.maybe(2, |r| 1_600_000_000 + r.bits(26) as i64),
        modified: r.maybe(3, |r| 1_600_000_000 + r.bits(26) as i64),
        status: Some(200),
        signature: r.maybe(4, |r| r.bytes(20)),
        anchors: r.list(0, 12, |r| r.bits(14) as i32),
        parent: r.maybe(3, |r| r.bits(50) as i64),
        depth: r.maybe(2, |r| r.bits(4) as u32),
        links_in: r.maybe(3, |r| r.bits(12) as u32),
        links_out: r.maybe(3, |r| r.bits(8) as u32),
        section: r.list(1, 12, section),
        stats: r.maybe(2, |r| Stats {
            words: Some(r.bits(16)),
            images: r.maybe(2, |r| r.bits(6)),
            density: r.maybe(2, Random::f64),
        }),
        author: r.maybe(3, |r| r.name(5, 20)),
        publisher: r.maybe(4, |r| r.name(5, 20)),
        license: r.maybe(8, |_| "CC-BY-4.0".to_owned()),
        published: r.maybe(3, |r| 1_500_000_000 + r.bits(27) as i64),
        edition: r.maybe(8, |r| r.bits(4) as u32),
        price: r.maybe(8, Random::f64),
        paywalled: r.maybe(5, |r| r.one_in(2)),
        thumbnail: r.maybe(4, |r| r.name(12, 40)),
        width: r.maybe(4, |r| r.bits(11) as u32),
        height: r.maybe(4, |r| r.bits(11) as u32),
    }
}

fn section(r: &mut Random) -> Section {
    let len = r.range(20, 300);
    Section {
        heading: r.name(5, 30),
        body: r.maybe(2, |r| r.text(len)),
        level: r.maybe(2, |r| r.range(1, 7) as i32),
        link: r.list(0, 8, |r| Link {
            target: format!("/{}/{}", r.name(3, 9), r.hex(8)),
            text: r.maybe(2, |r| r.name(4, 20)),
            follow: r.maybe(6, |_| false),
        }),
    }
}
