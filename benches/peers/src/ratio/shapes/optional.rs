//! Many optional scalars, about a third of them set.

use crate::generated::prost::optional::Profile;
use crate::random::Random;

pub fn generate(r: &mut Random) -> Profile {
    Profile {
        age: r.maybe(2, |r| r.range(1, 99) as i32),
        created: r.maybe(2, |r| 1_600_000_000 + r.bits(26) as i64),
        updated: r.maybe(2, |r| 1_600_000_000 + r.bits(26) as i64),
        visits: r.maybe(3, |r| r.bits(14) as u32),
        points: r.maybe(3, |r| r.bits(30)),
        active: r.maybe(2, |r| r.one_in(2)),
        verified: r.maybe(3, |r| r.one_in(2)),
        score: r.maybe(3, Random::f32),
        latitude: r.maybe(3, Random::f64),
        longitude: r.maybe(3, Random::f64),
        name: r.maybe(2, |r| r.name(4, 20)),
        email: r.maybe(2, |r| r.name(8, 16) + "@example.com"),
        city: r.maybe(3, |r| r.name(4, 12)),
        country: r.maybe(3, |r| r.name(2, 2)),
        phone: r.maybe(4, |r| r.hex(10)),
        balance: r.maybe(4, |r| r.signed(20) as i32),
        credit: r.maybe(4, |r| r.signed(30)),
        color: r.maybe(4, |r| r.u64() as u32),
        token: r.maybe(3, Random::u64),
        level: r.maybe(3, |r| r.bits(7) as i32),
        rank: r.maybe(3, |r| r.bits(20) as i32),
        friends: r.maybe(3, |r| r.bits(10) as u32),
        posts: r.maybe(3, |r| r.bits(12) as u32),
        likes: r.maybe(3, |r| r.bits(16) as u32),
        bytes_in: r.maybe(4, |r| r.bits(40)),
        bytes_out: r.maybe(4, |r| r.bits(40)),
        height: r.maybe(4, Random::f64),
        weight: r.maybe(4, Random::f64),
        ratio: r.maybe(4, Random::f32),
        bio: r.maybe(4, |r| r.text(60)),
        avatar_hash: r.maybe(4, |r| r.bytes(16)),
        newsletter: r.maybe(3, |r| r.one_in(2)),
        last_login: r.maybe(3, |r| 1_600_000_000 + r.bits(26) as i64),
        last_order: r.maybe(4, |r| 1_600_000_000 + r.bits(26) as i64),
        orders: r.maybe(4, |r| r.bits(8) as u32),
        returns: r.maybe(4, |r| r.bits(5) as u32),
        language: r.maybe(4, |r| r.name(2, 5)),
        currency: r.maybe(4, |r| r.name(3, 3)),
        timezone: r.maybe(4, |r| r.signed(5) as i32),
        lifetime_value: r.maybe(4, Random::f64),
    }
}
