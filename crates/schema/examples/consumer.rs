//! A consumer of Kafka records in Confluent's framing: a pool for each schema id, a projection, and columns that it fills:
//! `cargo run --package tablepb-schema --example consumer`.

use std::collections::hash_map::{Entry, HashMap};
use std::error::Error;
use tablepb::partial::{Projection, ValuePath};
use tablepb::{Decoder, ValueRef, stream::confluent};
use tablepb_schema::SourceBuilder;

include!("../../../examples/common/say.rs");

const VERSION_1: &str = r#"
    syntax = "proto3"; message Heartbeat {}
    message Order { int64 id = 1; repeated Line lines = 2; }
    message Line { string sku = 1; uint32 quantity = 2; }"#;
const VERSION_2: &str = r#"
    syntax = "proto3"; message Shop {
        message Line { int64 quantity = 1; double price = 2; string sku = 3; }
        message Order { int64 id = 1; string customer = 2; repeated Line lines = 3; }
    }"#;

/// What a schema registry answers to `GET /schemas/ids/{id}`.
fn registry(id: u32) -> Option<&'static str> {
    HashMap::from([(7, VERSION_1), (9, VERSION_2)]).remove(&id)
}

/// The message type that a record names. The registry gives its schema as text.
fn message_type(record: &confluent::Record) -> Result<tablepb::MessageDescriptor, Box<dyn Error>> {
    let text = registry(record.schema_id).ok_or("no such schema")?;
    let file = SourceBuilder::new().source("schema", text).build()?.file("schema")?;
    Ok(file.message_at(record.indexes.iter()).ok_or("no such message type")?)
}

/// The fields that become columns.
const WANTED: [&str; 3] = ["id", "lines.sku", "lines.quantity"];

/// What reads the messages of one type.
struct Reader(Decoder, [ValuePath; 3]);

impl Reader {
    fn new(record: &confluent::Record) -> Result<Self, Box<dyn Error>> {
        let order = message_type(record)?;
        let wanted = Projection::new(&order, WANTED)?;
        let [id, sku, quantity] = WANTED.map(|path| wanted.path(path));
        Ok(Self(Decoder::new(&order).with_projection(&wanted), [id?, sku?, quantity?]))
    }
}

/// A row for each line of an order.
#[derive(Debug, Default)]
struct Columns {
    id: Vec<i64>,
    sku: Vec<String>,
    quantity: Vec<i64>,
}

/// The columns of Kafka records, in order.
fn consume<'r>(records: impl IntoIterator<Item = &'r [u8]>) -> Result<Columns, Box<dyn Error>> {
    let (mut readers, mut columns) = (HashMap::new(), Columns::default());
    for bytes in records {
        let record = confluent::read_record(bytes)?;
        let message = (record.schema_id, record.indexes.iter().collect::<Vec<_>>());
        let Reader(decoder, [id, sku, quantity]) = match readers.entry(message) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(Reader::new(&record)?),
        };
        let view = decoder.decode(record.payload)?;
        let whole = |n: ValueRef| n.as_i64().or(n.as_u32().map(i64::from));
        columns.quantity.extend(view.values(quantity).filter_map(whole));
        for sku in view.values(sku).filter_map(|value| value.as_str()) {
            columns.sku.push(sku.to_owned());
            columns.id.extend(view.values(id).filter_map(whole));
        }
    }
    Ok(columns)
}

/// A record as a producer writes it.
fn record(schema_id: u32, indexes: &[usize], json: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut bytes = Vec::new();
    confluent::append_header(schema_id, indexes, &mut bytes)?;
    let order = message_type(&confluent::read_record(&bytes)?)?;
    tablepb::json::message_from_slice(&order, json.as_bytes())?.encode(&mut bytes)?;
    Ok(bytes)
}

fn main() -> Result<(), Box<dyn Error>> {
    let records = [
        record(7, &[1], r#"{"id": 1, "lines": [{"sku": "tea", "quantity": 2}, {"sku": "pot"}]}"#)?,
        record(9, &[0, 1], r#"{"id": 2, "lines": [{"sku": "cup", "quantity": 6, "price": 3.5}]}"#)?,
        record(7, &[1], r#"{"id": 3}"#)?,
    ];
    let columns = consume(records.iter().map(Vec::as_slice)).inspect(|columns| say!("{columns:?}"))?;
    assert_eq!((columns.id, columns.quantity), (vec![1, 1, 2], vec![2, 0, 6]));

    for wrong in [&b"\0\0\0\0\x08\0"[..], &records[0][..10]] {
        say!("{}", consume([wrong]).unwrap_err());
    }
    Ok(())
}
