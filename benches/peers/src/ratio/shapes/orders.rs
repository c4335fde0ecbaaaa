//! Orders: messages in messages.

use crate::generated::prost::orders::{
    Address, Amount, Card, Customer, Invoice, Line, Order, Point, Product, Shipment, Size, Stop, Times,
    order::Payment,
};
use crate::random::Random;

pub fn generate(r: &mut Random) -> Order {
    Order {
        id: r.hex(16),
        customer: Some(Customer { id: r.bits(36), name: r.name(6, 24), address: Some(address(r)) }),
        lines: r.list(1, 4, |r| Line {
            count: r.bits(5) as u32,
            product: Some(Product {
                id: r.bits(30),
                name: r.name(6, 30),
                size: r.maybe(2, |r| Size { width: r.f32(), height: r.f32(), depth: r.f32() }),
            }),
            price: Some(Amount { units: r.bits(14) as i64, nanos: r.range(0, 100) as i32 * 10_000_000 }),
        }),
        shipment: r.maybe(2, |r| Shipment {
            tracking: r.hex(20),
            address: r.maybe(3, address),
            stops: r.list(0, 3, |r| Stop { times: Some(times(r)), point: r.maybe(2, point) }),
        }),
        payment: Some(match r.one_in(2) {
            true => Payment::Card(Card {
                brand: r.pick(&["visa", "master", "maestro"]).to_owned(),
                last_digits: r.range(0, 10_000) as u32,
            }),
            false => Payment::Invoice(Invoice { number: r.hex(10), due: Some(times(r)) }),
        }),
        times: Some(times(r)),
    }
}

fn address(r: &mut Random) -> Address {
    Address {
        street: format!("{} {}", r.name(6, 20), r.range(1, 200)),
        city: r.name(4, 16),
        zip: r.range(10_000, 99_999).to_string(),
        point: r.maybe(2, point),
    }
}

fn point(r: &mut Random) -> Point {
    Point { latitude: r.f64(), longitude: r.f64() }
}

fn times(r: &mut Random) -> Times {
    Times { created: 1_600_000_000 + r.bits(26) as i64, updated: 1_600_000_000 + r.bits(27) as i64 }
}
