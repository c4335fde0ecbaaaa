//! A gateway: it gets its schema at run time, sets one field of each message, and passes everything else on as it came, the
//! fields that its schema does not know included. Only their order may change.
//!
//! ```text
//! cargo run --example gateway
//! ```

use std::error::Error;
use tablepb::partial::Projection;
use tablepb::table::{FieldTable, Kind, MessageTable};
use tablepb::{DescriptorPool, Message, Value};

include!("common/say.rs");

/// What is set: the field at the end of a path, in messages of one type.
struct Gateway {
    projection: Projection,
    path: String,
}

impl Gateway {
    /// Of a descriptor set, as `protoc` or a registry gives it.
    fn new(set: &[u8], message: &str, path: &str) -> Result<Self, Box<dyn Error>> {
        let pool = DescriptorPool::decode(set)?;
        let message = pool.message(message)?;
        // Decodes the field alone; the rest stays bytes.
        Ok(Self { projection: Projection::new(&message, [path])?.pass_through(), path: path.into() })
    }

    /// Appends the changed message to the buffer.
    fn forward(&self, payload: &[u8], value: &Value, out: &mut Vec<u8>) -> Result<(), Box<dyn Error>> {
        let mut message = self.projection.decode(payload)?;
        let (parents, field) = self.path.rsplit_once('.').unwrap_or(("", &self.path));
        let mut part = message.as_mut();
        for parent in parents.split_terminator('.') {
            part = part.into_message_mut(parent)?;
        }
        part.set_field(field, value.clone())?;
        Ok(message.encode(out)?)
    }
}

/// The schema of the gateway, which is older than that of the producer.
fn descriptor_set() -> Result<Vec<u8>, Box<dyn Error>> {
    static CUSTOMER: MessageTable = MessageTable::new(
        "shop.Customer",
        &[FieldTable::new("name", 1, Kind::String), FieldTable::new("region", 2, Kind::String)],
    );
    static ORDER: MessageTable = MessageTable::new(
        "shop.Order",
        &[
            FieldTable::new("id", 1, Kind::Uint64),
            FieldTable::new("customer", 2, Kind::Message(|| &CUSTOMER)),
        ],
    );
    Ok(DescriptorPool::from_tables(&[&ORDER])?.encode_to_vec()?)
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Order {
    id: u64,
    customer: Customer,
    coupons: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Customer {
    name: String,
    region: String,
    loyalty: u32,
}

tablepb::message! {
    Order as "shop.Order" { id: uint64 = 1, customer: message Customer = 2, coupons: repeated string = 9 }
    Customer as "shop.Customer" { name: string = 1, region: string = 2, loyalty: uint32 = 7 }
}

fn main() -> Result<(), Box<dyn Error>> {
    let customer = Customer { name: "Ada".into(), region: "us-2".into(), loyalty: 3 };
    let order = Order { id: 7, customer, coupons: vec!["SPRING".into(), "FRIEND".into()] };
    let payload = order.encode_to_vec()?;

    let gateway = Gateway::new(&descriptor_set()?, "shop.Order", "customer.region")?;
    let mut out = Vec::new();
    gateway.forward(&payload, &"eu-west-1".into(), &mut out)?;

    let mut expected = order.clone();
    expected.customer.region = "eu-west-1".into();
    assert_eq!(Order::decode(&out)?, expected, "every other field is as it was");
    say!("before {}", tablepb::text::to_string(&order).unwrap());
    say!("after  {}", tablepb::text::to_string(&Order::decode(&out)?).unwrap());

    // What does not fit is refused, and nothing is sent on.
    let refused = gateway.forward(&payload, &5.into(), &mut out).unwrap_err();
    say!("value: {refused}");
    let cut = gateway.forward(&payload[..9], &"eu".into(), &mut out).unwrap_err();
    say!("input: {cut}");
    assert_eq!(Order::decode(&out)?, expected);
    Ok(())
}
