//! proto2: search results in groups.

use crate::generated::prost::search::{
    Results,
    results::{Hit, Timing, hit::Rank},
};
use crate::random::Random;

pub fn generate(r: &mut Random) -> Results {
    Results {
        query: format!("{} {}", r.name(3, 10), r.name(3, 10)),
        total: Some(r.bits(30) as i64),
        hit: r.list(1, 5, hit),
        timing: r.maybe(2, |r| Timing {
            parse_us: Some(r.bits(9) as u32),
            rank_us: r.maybe(2, |r| r.bits(14) as u32),
        }),
        shard: r.list(0, 4, |r| r.bits(9) as i32),
        next: r.maybe(2, |r| r.hex(16)),
    }
}

fn hit(r: &mut Random) -> Hit {
    Hit {
        url: format!("https://{}.example/{}/{}", r.name(4, 12), r.name(3, 9), r.name(4, 16)),
        title: r.maybe(2, |r| r.text(30)),
        snippet: r.list(1, 3, |r| {
            let len = r.range(10, 60);
            r.text(len)
        }),
        rank: r.maybe(2, |r| Rank { score: Some(r.f32()), position: r.maybe(2, |r| r.bits(6) as i32) }),
        crawled: r.maybe(2, |r| 1_600_000_000 + r.bits(26) as i64),
        cached: r.maybe(4, |r| r.one_in(2)),
    }
}
