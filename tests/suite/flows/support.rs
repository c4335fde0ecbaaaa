//! From datagrams to flows that can be compared.

use crate::common::protoc::{Dir, Protoc};
use crate::flows::capture::{self, Fragments, Outcome};
use crate::flows::collect::flow::Records;
use crate::flows::collect::{Collector, Datagram, columns};
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, ReflectMessage, Value};
use std::fmt;
use std::net::Ipv6Addr;
use tablepb::record::RecordPlan;

/// A collector, and the records that it has written.
pub struct Collected {
    pub plan: RecordPlan,
    pub collector: Collector,
    pub records: Records,
    pub fragments: Fragments,
}

impl Collected {
    pub fn new() -> Self {
        Self::with(columns::plan().unwrap())
    }

    pub fn with(plan: RecordPlan) -> Self {
        let records = Records::new(plan.clone()).unwrap();
        Self { plan, collector: Collector::new(), records, fragments: Fragments::default() }
    }

    pub fn receive(&mut self, payload: &[u8]) {
        let source = std::net::Ipv4Addr::new(192, 0, 2, 9).to_ipv6_mapped().octets();
        self.collector.receive(&Datagram { received: 1_700_000_000, source, payload }, &mut self.records);
        self.records.check().unwrap();
    }

    /// All datagrams in a capture file.
    pub fn read(&mut self, file: &[u8]) {
        for packet in capture::packets(file).unwrap() {
            match capture::datagram(&packet.unwrap()) {
                Outcome::Datagram(datagram) => self.collector.receive(&datagram, &mut self.records),
                Outcome::Fragment(fragment) => {
                    let whole = self.fragments.add(&fragment);
                    if let Some(datagram) = whole.as_ref().and_then(|whole| whole.datagram()) {
                        self.collector.receive(&datagram, &mut self.records);
                    }
                }
                Outcome::Other => {}
            }
        }
        self.records.check().unwrap();
    }

    /// The flows in the stream, as prost-reflect reads them with the descriptors of the plan.
    pub fn flows(&self) -> Vec<Flow> {
        let flows = self.flows_by(&self.descriptor());
        assert_eq!(flows.len() as u64, self.records.flows);
        flows
    }

    /// The flows in the stream, as prost-reflect reads them with the printed .proto.
    pub fn flows_by_proto(&self, protoc: &Protoc) -> Vec<Flow> {
        let dir = Dir::new(&format!("flows-{:?}", std::thread::current().id()));
        dir.write("flows.proto", &self.plan.to_proto());
        let set = protoc.compile(&dir.0, &["flows.proto".into()]).unwrap();
        let pool = DescriptorPool::decode(&set[..]).unwrap();
        self.flows_by(&pool.get_message_by_name(columns::MESSAGE).unwrap())
    }

    fn descriptor(&self) -> MessageDescriptor {
        let file = self.plan.descriptor().parent_file();
        let mut pool = DescriptorPool::new();
        pool.decode_file_descriptor_proto(file.file_descriptor_proto_bytes()).unwrap();
        pool.get_message_by_name(columns::MESSAGE).unwrap()
    }

    fn flows_by(&self, flow: &MessageDescriptor) -> Vec<Flow> {
        let (mut flows, mut stream) = (Vec::new(), &self.records.buffer[..]);
        while !stream.is_empty() {
            let len = prost::decode_length_delimiter(&mut stream).unwrap();
            let (record, rest) = stream.split_at(len);
            let message = DynamicMessage::decode(flow.clone(), record).unwrap();
            assert_eq!(message.unknown_fields().count(), 0, "all that is written is in the schema");
            flows.push(Flow(message));
            stream = rest;
        }
        flows
    }
}

/// A flow as prost-reflect has read it.
#[derive(Clone)]
pub struct Flow(DynamicMessage);

impl PartialEq for Flow {
    fn eq(&self, other: &Self) -> bool {
        self.all() == other.all()
    }
}

impl fmt::Debug for Flow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.all())
    }
}

impl Flow {
    /// A column as text; empty if it has no value.
    #[track_caller]
    pub fn get(&self, column: &str) -> String {
        let Some(field) = self.0.descriptor().get_field_by_name(column) else {
            panic!("there is no column {column}");
        };
        if self.0.has_field(&field) { text(&self.0.get_field(&field)) } else { String::new() }
    }

    /// Columns as text, separated by spaces; a dash for what has no value.
    #[track_caller]
    pub fn line(&self, columns: &str) -> String {
        let cells = columns.split(' ').map(|column| match self.get(column) {
            cell if cell.is_empty() => "-".into(),
            cell => cell,
        });
        cells.collect::<Vec<_>>().join(" ")
    }

    /// The columns that have values, with these.
    pub fn all(&self) -> String {
        let mut fields: Vec<_> = self.0.fields().collect();
        fields.sort_by_key(|(field, _)| field.number());
        let cells = fields.iter().map(|(field, value)| format!("{}={}", field.name(), text(value)));
        cells.collect::<Vec<_>>().join(" ")
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::U64(number) => number.to_string(),
        Value::U32(number) => number.to_string(),
        Value::EnumNumber(number) => number.to_string(),
        Value::Bytes(bytes) => {
            let address = Ipv6Addr::from(<[u8; 16]>::try_from(&bytes[..]).expect("16 bytes"));
            address.to_ipv4_mapped().map_or_else(|| address.to_string(), |v4| v4.to_string())
        }
        Value::List(items) => items.iter().map(text).collect::<Vec<_>>().join(","),
        other => panic!("{other:?}"),
    }
}
