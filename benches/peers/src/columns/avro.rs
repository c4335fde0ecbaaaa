//! The same rows as Avro, which arrow-avro writes and reads: what another format costs on equal data.

use arrow_array::RecordBatch;
use arrow_avro::reader::{Decoder, ReaderBuilder};
use arrow_avro::schema::{AvroSchema, FingerprintStrategy, SchemaStore};
use arrow_avro::writer::{WriterBuilder, format::AvroSoeFormat};

/// The rows of a batch as Avro, one after the other, each with the fingerprint of its schema, and a decoder of them.
pub struct Avro {
    rows: Vec<u8>,
    decoder: Decoder,
}

impl Avro {
    /// `None` for columns that arrow-avro does not take.
    pub fn new(batch: &RecordBatch) -> Option<Self> {
        let schema = batch.schema();
        let mut store = SchemaStore::new();
        store.register(AvroSchema::try_from(&*schema).ok()?).ok()?;
        let mut encoder = WriterBuilder::new(schema.as_ref().clone())
            .with_fingerprint_strategy(FingerprintStrategy::Rabin)
            .build_encoder::<AvroSoeFormat>()
            .ok()?;
        encoder.encode(batch).ok()?;
        let rows = encoder.flush().iter().flat_map(|row| row.to_vec()).collect();
        let decoder = ReaderBuilder::new()
            .with_batch_size(batch.num_rows())
            .with_utf8_view(true)
            .with_writer_schema_store(store)
            .build_decoder()
            .ok()?;
        let mut avro = Self { rows, decoder };
        assert_eq!(avro.read(), batch.num_rows());
        Some(avro)
    }

    /// One batch; gives the number of its rows.
    pub fn read(&mut self) -> usize {
        let mut rest = self.rows.as_slice();
        while !rest.is_empty() {
            let read = self.decoder.decode(rest).expect("rows that arrow-avro wrote");
            assert!(read > 0, "a batch that is full before its end");
            rest = &rest[read..];
        }
        self.decoder.flush().expect("a batch").expect("rows").num_rows()
    }
}
