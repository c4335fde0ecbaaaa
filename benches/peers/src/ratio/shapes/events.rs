//! Deep events: oneofs and recursion.

use crate::generated::prost::events::{
    Actor, Click, Event, Failure, List, Member, Purchase, Struct, Value, actor::Origin, event::Payload,
    value::Kind,
};
use crate::random::Random;

pub fn generate(r: &mut Random) -> Event {
    event(r, 8)
}

fn event(r: &mut Random, depth: u64) -> Event {
    let children = if depth == 0 { 0 } else { r.range(1, 3) };
    Event {
        id: r.hex(12),
        time: 1_700_000_000_000 + r.bits(30) as i64,
        kind: r.pick(&["click", "purchase", "failure", "view", "login"]).to_owned(),
        payload: match r.range(0, 4) {
            0 => Some(Payload::Click(Click {
                x: r.bits(11) as i32,
                y: r.bits(11) as i32,
                target: r.name(4, 16),
            })),
            1 => Some(Payload::Purchase(Purchase {
                sku: r.name(8, 8),
                quantity: r.bits(4) as u32,
                price: r.f64(),
                coupons: r.list(0, 3, |r| r.name(5, 8)),
            })),
            2 => Some(Payload::Failure(Failure {
                code: r.signed(10) as i32,
                message: r.text(30),
                stack: r.list(0, 4, |r| r.name(8, 30)),
            })),
            _ => None,
        },
        context: r.maybe(2, |r| value(r, 4)),
        children: (0..children).map(|_| event(r, depth - 1)).collect(),
        actor: r.maybe(2, |r| Actor {
            user: r.name(4, 12),
            origin: match r.range(0, 4) {
                0 => Some(Origin::Address(format!("10.0.{}.{}", r.range(0, 256), r.range(0, 256)))),
                1 => Some(Origin::Device(r.bits(40))),
                2 => Some(Origin::Token(r.bytes(16))),
                _ => None,
            },
        }),
    }
}

fn value(r: &mut Random, depth: u64) -> Value {
    let kinds = if depth == 0 { 4 } else { 6 };
    let kind = match r.range(0, kinds) {
        0 => Kind::Flag(r.one_in(2)),
        1 => Kind::Number(r.f64()),
        2 => Kind::Integer(r.signed(40)),
        3 => Kind::Text(r.name(3, 20)),
        4 => Kind::List(List { values: r.list(0, 3, |r| value(r, depth - 1)) }),
        _ => Kind::Struct(Struct {
            members: r.list(1, 4, |r| Member { key: r.name(3, 10), value: Some(value(r, depth - 1)) }),
        }),
    };
    Value { kind: Some(kind) }
}
