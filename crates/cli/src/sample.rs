//! Built-in data: an order of a shop, written by a program that is newer than the schema.

use crate::failure::Failure;
use crate::inspect::{self, Summary};
use crate::output::Output;
use crate::source::Payload;
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use tablepb::wire::{Tag, WireType, Writer};
use tablepb::{Decoder, DescriptorPool, EncodeError, EnumValue, Message};

#[derive(Default)]
struct Order {
    id: u64,
    customer: Option<Customer>,
    items: Vec<Item>,
    status: EnumValue<Status>,
    labels: BTreeMap<String, String>,
    ratings: Vec<i32>,
    signature: Vec<u8>,
}

#[derive(Default)]
struct Customer {
    name: String,
    email: String,
}

#[derive(Default)]
struct Item {
    title: String,
    quantity: u32,
    price: f64,
}

#[derive(Clone, Copy)]
enum Status {
    Unspecified = 0,
    Paid = 1,
    Shipped = 2,
}

tablepb::message! {
    Order as "example.Order" {
        id: uint64 = 1,
        customer: message Customer = 2,
        items: repeated message Item = 3,
        status: enum Status = 4,
        labels: map<string, string> = 5,
        ratings: repeated sint32 = 6,
        signature: bytes = 7,
    }
    Customer as "example.Customer" { name: string = 1, email: string = 2 }
    Item as "example.Item" { title: string = 1, quantity: uint32 = 2, price: double = 3 }
}

tablepb::enumeration! {
    Status as "example.Status" {
        Unspecified as "STATUS_UNSPECIFIED" = 0,
        Paid as "STATUS_PAID" = 1,
        Shipped as "STATUS_SHIPPED" = 2,
    }
}

const NEXT: &str = "
Your own data (`cargo run --release --` stands for `tablepb` in a clone):

  tablepb inspect payload.bin
      without a schema, as above
  tablepb inspect --proto your.proto --type your.Message payload.bin
      with one; --descriptors set.binpb takes the output of protoc
  tablepb decode --proto your.proto --type your.Message payload.bin
      as JSON; `tablepb encode` goes back
  tablepb --help
      all commands
";

/// Shows a payload with its schema and without, and what to try next.
pub fn run() -> Result<(), Failure> {
    let mut stdout = BufWriter::new(io::stdout().lock());
    show(&mut stdout)?;
    Ok(stdout.flush()?)
}

fn show(stdout: &mut impl Write) -> Result<(), Failure> {
    let bytes = payload().map_err(|error| Failure::report(error.to_string()))?;
    let payload = Payload { name: "built-in data", bytes: &bytes, offset: 0, number: None };
    let pool = DescriptorPool::from_tables(&[Order::TABLE])
        .map_err(|error| Failure::descriptors("built-in tables", &[], &error))?;
    let Some(schema) = pool.message(Order::TABLE.full_name()).ok() else {
        return Err(Failure::report("the built-in tables have no such message"));
    };

    let mut output = Output::new(stdout, false);
    let mut summary = Summary::new();
    output.line(0, format_args!("A schema, which is a table in this program:\n"))?;
    for line in schema.to_proto().lines() {
        output.line(1, format_args!("{line}"))?;
    }
    output.line(0, format_args!("\nA payload, decoded with that schema:\n"))?;
    inspect::with_schema(&mut Decoder::new(&schema), &schema, &payload, &mut output, &mut summary)?;
    summary.print(&mut output)?;
    output.line(0, format_args!("\nThe same bytes without a schema:\n"))?;
    inspect::without_schema(&payload, &mut output, &mut Summary::new())?;
    Ok(stdout.write_all(NEXT.as_bytes())?)
}

/// The order, and two fields that the schema does not have.
fn payload() -> Result<Vec<u8>, EncodeError> {
    let item = |title: &str, quantity, price| Item { title: title.into(), quantity, price };
    let order = Order {
        id: 10_042,
        customer: Some(Customer { name: "Ada Lovelace".into(), email: "ada@example.com".into() }),
        items: vec![item("Paper tape, 100 m", 2, 7.5), item("Card punch", 1, 249.0)],
        status: Status::Paid.into(),
        labels: [("channel", "web"), ("gift", "no")].map(|(key, value)| (key.into(), value.into())).into(),
        ratings: vec![5, -1, 4],
        signature: (0..16).map(|byte: u8| byte.wrapping_mul(37)).collect(),
    };
    let mut bytes = order.encode_to_vec()?;
    let mut writer = Writer::new(&mut bytes);
    writer.write_tag(Tag::new(15, WireType::Varint));
    writer.write_varint(3);
    writer.write_tag(Tag::new(16, WireType::LengthDelimited));
    writer.write_length_delimited(b"warehouse-7")?;
    Ok(bytes)
}
