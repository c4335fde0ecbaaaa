//! Log records with labels.

use crate::generated::prost::labels::{Record, Request, Severity, Source};
use crate::random::Random;

const KEYS: &[&str] = &[
    "app",
    "cluster",
    "container",
    "env",
    "image",
    "instance.id",
    "namespace",
    "node",
    "pod",
    "project",
    "region",
    "release",
    "team",
    "zone",
];

pub fn generate(r: &mut Random) -> Record {
    let len = r.range(80, 280);
    let severities = [Severity::Debug, Severity::Info, Severity::Warning, Severity::Error];
    Record {
        time: 1_700_000_000_000_000_000 + r.bits(50),
        severity: severities[r.index(4)].into(),
        logger: format!("shop.{}.{}", r.name(4, 9), r.name(4, 12)),
        text: r.text(len),
        labels: r.list(6, 12, |r| (r.pick(KEYS).to_owned(), r.name(3, 24))).into_iter().collect(),
        request: Some(Request {
            method: r.pick(&["GET", "POST", "PUT", "DELETE"]).to_owned(),
            url: format!("/v1/{}/{}/{}?page={}", r.name(4, 12), r.hex(16), r.name(4, 12), r.bits(6)),
            status: 200 + r.bits(8) as u32,
            request_bytes: r.bits(12),
            response_bytes: r.bits(20),
            agent: format!("{}/{}.{} (linux)", r.name(4, 12), r.bits(4), r.bits(6)),
            remote: format!("10.{}.{}.{}", r.range(0, 256), r.range(0, 256), r.range(0, 256)),
            latency_us: r.bits(22),
        }),
        source: Some(Source {
            file: format!("src/{}/{}.rs", r.name(3, 10), r.name(3, 12)),
            line: r.bits(11) as u32,
            function: format!("{}::{}", r.name(4, 10), r.name(4, 14)),
        }),
        trace: r.hex(32),
        span: r.u64(),
        sequence: r.bits(30),
    }
}
