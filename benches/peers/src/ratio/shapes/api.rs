//! Replies of a web API.

use crate::generated::prost::api::{Account, Item, Money, Reply, Status};
use crate::random::Random;

pub fn generate(r: &mut Random) -> Reply {
    Reply {
        request_id: r.hex(12),
        status: Some(Status { code: 200, text: r.pick(&["OK", "partial", "cached"]).to_owned() }),
        account: r.maybe(2, |r| Account {
            id: r.bits(40),
            name: r.name(5, 16),
            plan: r.range(0, 4) as i32,
            active: r.one_in(2),
        }),
        items: r.list(1, 4, |r| Item {
            id: r.bits(40),
            sku: r.name(4, 12),
            count: r.bits(6) as u32,
            price: Some(Money {
                currency: r.pick(&["EUR", "USD", "JPY"]).to_owned(),
                units: r.bits(12) as i64,
                nanos: r.range(0, 100) as i32 * 10_000_000,
            }),
        }),
        next_page: r.maybe(2, |r| r.hex(16)).unwrap_or_default(),
    }
}
