//! String-heavy log records with a map.

use crate::generated::prost::logs::Log;
use crate::random::Random;

const KEYS: &[&str] = &[
    "http.method",
    "http.status",
    "http.route",
    "net.peer.ip",
    "user.id",
    "session",
    "region",
    "zone",
    "pod",
    "container.id",
    "build",
    "request.id",
];

pub fn generate(r: &mut Random) -> Log {
    let line = r.range(40, 400);
    Log {
        timestamp: 1_700_000_000_000_000 + r.bits(44),
        severity: r.range(1, 24) as i32,
        service: format!("{}-service", r.name(4, 10)),
        host: format!("ip-10-{}-{}.compute.internal", r.range(0, 256), r.range(0, 256)),
        logger: format!("com.example.{}.{}", r.name(4, 9), r.name(6, 14)),
        message: r.text(line),
        trace_id: r.hex(32),
        span_id: r.hex(16),
        tags: r.list(0, 6, |r| r.name(3, 12)),
        attributes: r.list(2, 8, |r| (r.pick(KEYS).to_owned(), r.name(2, 24))).into_iter().collect(),
        file: format!("src/{}/{}.rs", r.name(3, 8), r.name(3, 12)),
        line: r.bits(12) as u32,
        function: r.name(6, 24),
    }
}
