//! What is timed: the same operations by all contenders.

use super::record::{Borrowed, Generated, Record};
use std::cell::RefCell;
use std::hint::black_box;
use tablepb::{Decoder, DescriptorPool, DynamicMessage, Message, MessageDescriptor};

/// A way to encode and decode records.
pub trait Contender: Sync {
    fn name(&self) -> &'static str;

    /// The bytes of one record.
    fn bytes(&self) -> usize;

    /// Whether it can encode.
    fn encodes(&self) -> bool {
        true
    }

    /// Encodes the record at an index, which may be any number.
    fn encode(&self, index: usize) -> Vec<u8>;

    /// Decodes it. Memory of the thread may be used `again`.
    fn decode(&self, index: usize, again: bool);
}

/// Values in memory and in bytes, and functions between them.
struct Codec<T> {
    name: &'static str,
    values: Vec<T>,
    encoded: Vec<Vec<u8>>,
    encode: fn(&T) -> Vec<u8>,
    decode: fn(&[u8]) -> T,
}

impl<T: Sync> Contender for Codec<T> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn bytes(&self) -> usize {
        self.encoded[0].len()
    }

    fn encode(&self, index: usize) -> Vec<u8> {
        (self.encode)(&self.values[index % self.values.len()])
    }

    fn decode(&self, index: usize, _: bool) {
        drop(black_box((self.decode)(&self.encoded[index % self.encoded.len()])));
    }
}

/// A contender, checked: it encodes to what it decodes to the same.
fn codec<T: Sync + PartialEq + 'static>(
    name: &'static str,
    values: Vec<T>,
    encode: fn(&T) -> Vec<u8>,
    decode: fn(&[u8]) -> T,
) -> Box<dyn Contender> {
    let encoded: Vec<Vec<u8>> = values.iter().map(encode).collect();
    assert!(values.iter().zip(&encoded).all(|(value, bytes)| decode(bytes) == *value), "{name}");
    Box::new(Codec { name, values, encoded, encode, decode })
}

/// A struct that borrows from the input.
struct Borrowing(Vec<Vec<u8>>);

impl Contender for Borrowing {
    fn name(&self) -> &'static str {
        "tablepb borrowed"
    }

    fn bytes(&self) -> usize {
        self.0[0].len()
    }

    fn encodes(&self) -> bool {
        false
    }

    fn encode(&self, _: usize) -> Vec<u8> {
        Vec::new()
    }

    fn decode(&self, index: usize, _: bool) {
        drop(black_box(Borrowed::decode(&self.0[index % self.0.len()]).expect("valid")));
    }
}

/// A message whose schema is known at run time.
struct Dynamic {
    descriptor: MessageDescriptor,
    values: Vec<DynamicMessage>,
    encoded: Vec<Vec<u8>>,
}

impl Contender for Dynamic {
    fn name(&self) -> &'static str {
        "tablepb dynamic"
    }

    fn bytes(&self) -> usize {
        self.encoded[0].len()
    }

    fn encode(&self, index: usize) -> Vec<u8> {
        self.values[index % self.values.len()].encode_to_vec().expect("valid")
    }

    fn decode(&self, index: usize, _: bool) {
        let bytes = &self.encoded[index % self.encoded.len()];
        drop(black_box(DynamicMessage::decode(&self.descriptor, bytes).expect("valid")));
    }
}

/// The same into the memory of a decoder.
struct Reusing {
    descriptor: MessageDescriptor,
    encoded: Vec<Vec<u8>>,
}

thread_local! {
    static DECODER: RefCell<Option<Decoder>> = const { RefCell::new(None) };
}

impl Contender for Reusing {
    fn name(&self) -> &'static str {
        "tablepb decoder"
    }

    fn bytes(&self) -> usize {
        self.encoded[0].len()
    }

    fn encodes(&self) -> bool {
        false
    }

    fn encode(&self, _: usize) -> Vec<u8> {
        Vec::new()
    }

    fn decode(&self, index: usize, again: bool) {
        let bytes = &self.encoded[index % self.encoded.len()];
        DECODER.with_borrow_mut(|decoder| {
            if !again {
                *decoder = None;
            }
            let decoder = decoder.get_or_insert_with(|| Decoder::new(&self.descriptor));
            black_box(decoder.decode(bytes).expect("valid"));
        });
    }
}

/// All contenders, with the same records.
pub fn contenders(records: &[Record]) -> Vec<Box<dyn Contender>> {
    let encoded: Vec<Vec<u8>> =
        records.iter().map(|record| Message::encode_to_vec(record).expect("valid")).collect();
    let generated = |record: &Record| Generated {
        name: record.name.clone(),
        description: record.description.clone(),
        timestamp: record.timestamp,
        tags: record.tags.clone(),
    };
    let pool = DescriptorPool::from_tables(&[<Record as Message>::TABLE]).expect("a valid schema");
    let descriptor = pool.message("example.Project").expect("the record");
    let values = encoded.iter().map(|bytes| DynamicMessage::decode(&descriptor, bytes).expect("valid"));
    vec![
        codec(
            "tablepb typed",
            records.to_vec(),
            |record| Message::encode_to_vec(record).expect("valid"),
            |bytes| <Record as Message>::decode(bytes).expect("valid"),
        ),
        Box::new(Borrowing(encoded.clone())),
        Box::new(Dynamic {
            descriptor: descriptor.clone(),
            values: values.collect(),
            encoded: encoded.clone(),
        }),
        Box::new(Reusing { descriptor, encoded }),
        codec(
            "prost",
            records.iter().map(generated).collect(),
            |record: &Generated| prost::Message::encode_to_vec(record),
            |bytes| prost::Message::decode(bytes).expect("valid"),
        ),
        codec(
            "serde_json",
            records.to_vec(),
            |record| serde_json::to_vec(record).expect("valid"),
            |bytes| serde_json::from_slice(bytes).expect("valid"),
        ),
        codec(
            "sonic-rs",
            records.to_vec(),
            |record| sonic_rs::to_vec(record).expect("valid"),
            |bytes| sonic_rs::from_slice(bytes).expect("valid"),
        ),
    ]
}
