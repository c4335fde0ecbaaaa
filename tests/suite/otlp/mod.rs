//! Telemetry through every way that tablepb reads and writes: as `examples/otlp` makes it, and as the official Python
//! exporter has encoded it.

#[path = "../../../examples/otlp/common.rs"]
mod common;
mod made;
mod metrics;

use crate::common::data::Data;
use metrics::{AggregationTemporality, Data as MetricData, ExportMetricsServiceRequest, Number};
use tablepb::{
    Decoder, DescriptorPool, DynamicMessage, FieldDescriptor, Message, MessageDescriptor, MessageView,
};

const METRICS: &str = "opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest";
const TRACES: &str = "opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest";

fn pool(data: Data) -> DescriptorPool {
    DescriptorPool::decode(&data.read("otlp/otlp.binpb")).expect("a descriptor set")
}

fn metrics(data: Data) -> (MessageDescriptor, Vec<u8>) {
    let schema = pool(data).message(METRICS).expect(METRICS);
    (schema, data.read("otlp/otlp_metrics.binpb"))
}

fn payloads(data: Data) -> [(MessageDescriptor, Vec<u8>); 2] {
    let schema = pool(data).message(TRACES).expect(TRACES);
    [metrics(data), (schema, data.read("otlp/otlp_traces.binpb"))]
}

/// Tests of both kinds of data.
macro_rules! tests {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            check::$name(Data::Made);
        })*

        mod needs_data {
            use super::*;

            $(#[test]
            #[ignore = "needs recorded data"]
            fn $name() {
                check::$name(Data::Recorded);
            })*
        }
    };
}

tests! {
    dynamic_messages_write_what_they_read
    views_write_what_they_read_again_and_again
    an_attribute_is_found_and_changed
    structs_write_what_they_read
    every_prefix_is_read_alike
}

mod check {
    use super::*;

    pub fn dynamic_messages_write_what_they_read(data: Data) {
        for (schema, bytes) in payloads(data) {
            let message = DynamicMessage::decode(&schema, &bytes).expect("a payload");
            assert!(message.unknown_fields().next().is_none());
            assert_eq!(message.encoded_len(), bytes.len());
            assert!(message.encode_to_vec().unwrap() == bytes, "{}: other bytes", schema.full_name());
            // The message holds the bytes it was decoded from.
            assert!(message.capacity() > bytes.len());
        }
    }

    pub fn views_write_what_they_read_again_and_again(data: Data) {
        for (schema, bytes) in payloads(data) {
            let mut decoder = Decoder::new(&schema);
            let mut buf = Vec::new();
            for _ in 0..3 {
                buf.clear();
                decoder.decode(&bytes).expect("a payload").encode(&mut buf).unwrap();
                assert!(buf == bytes, "{}: other bytes", schema.full_name());
            }
            let owned = decoder.decode(&bytes).unwrap().to_owned();
            assert_eq!(owned, DynamicMessage::decode(&schema, &bytes).unwrap());
        }
    }

    pub fn an_attribute_is_found_and_changed(data: Data) {
        let (schema, bytes) = metrics(data);
        let mut message = DynamicMessage::decode(&schema, &bytes).unwrap();
        let field = |message: &MessageDescriptor, name: &str| message.field(name).expect(name);
        let resource_metrics = field(&schema, "resource_metrics");
        let mut of_resource = message.element_mut(&resource_metrics, 0).unwrap();
        let resource = field(&of_resource.descriptor(), "resource");
        let mut resource = of_resource.message_mut(&resource).unwrap();
        let attributes = field(&resource.descriptor(), "attributes");
        let position = position(resource.as_view(), &attributes, "service.name").expect("a service name");
        let mut attribute = resource.element_mut(&attributes, position).unwrap();
        let value = field(&attribute.descriptor(), "value");
        attribute.message_mut(&value).unwrap().set_field("string_value", "payments").unwrap();

        // The new name is as long as the old one, so that nothing but the name differs.
        let changed = message.encode_to_vec().unwrap();
        assert_eq!(changed.len(), bytes.len());
        let differing: Vec<u8> =
            changed.iter().zip(&bytes).filter(|(a, b)| a != b).map(|(a, _)| *a).collect();
        assert!(!differing.is_empty() && differing.iter().all(|byte| b"payments".contains(byte)));
    }

    /// Where the attribute of this key stands.
    fn position(view: MessageView<'_, '_>, attributes: &FieldDescriptor, key: &str) -> Option<usize> {
        let list = view.get_field(attributes).unwrap().as_list()?;
        list.iter().position(|attribute| {
            let found = attribute.as_message().and_then(|a| a.get_field("key").ok()?.as_str());
            found == Some(key)
        })
    }

    pub fn structs_write_what_they_read(data: Data) {
        let (_, bytes) = metrics(data);
        let request = ExportMetricsServiceRequest::decode(&bytes).expect("a payload");
        assert_eq!(request.encoded_len(), bytes.len());
        assert!(request.encode_to_vec().unwrap() == bytes, "other bytes");

        let metrics = &request.resource_metrics[0].scope_metrics[0].metrics;
        let requests =
            metrics.iter().find(|metric| metric.name == "http.server.requests").expect("the counter");
        let Some(MetricData::Sum(sum)) = &requests.data else { panic!("the counter is a sum") };
        assert!(sum.is_monotonic && sum.aggregation_temporality == AggregationTemporality::Cumulative);
        assert!(sum.data_points.iter().all(|point| matches!(point.value, Some(Number::AsInt(_)))));
        // Names are borrowed from the payload.
        assert!(bytes.as_ptr_range().contains(&requests.name.as_ptr()));
    }

    pub fn every_prefix_is_read_alike(data: Data) {
        let (schema, bytes) = metrics(data);
        let mut decoder = Decoder::new(&schema);
        for end in 0..bytes.len().min(2000) {
            let view = decoder.decode(&bytes[..end]).map(|_| ());
            let typed = ExportMetricsServiceRequest::decode(&bytes[..end]).map(|_| ());
            let place =
                |error: tablepb::DecodeError| (error.kind(), error.offset(), error.path().to_string());
            assert_eq!(view.map_err(place), typed.map_err(place), "{end} bytes");
        }
    }
}

mod of_the_schema_needs_data {
    use super::*;

    /// The listing of the structs has the names, numbers and kinds of the .proto files.
    #[test]
    #[ignore = "needs recorded data"]
    fn the_listing_is_the_schema() {
        let listed = DescriptorPool::from_tables(&[ExportMetricsServiceRequest::TABLE]).expect("tables");
        let pool = pool(Data::Recorded);
        let mut compared = 0;
        for ours in listed.all_messages() {
            let theirs =
                pool.message(ours.full_name()).ok().unwrap_or_else(|| panic!("{}", ours.full_name()));
            assert_eq!(ours.fields().len(), theirs.fields().len(), "{}", ours.full_name());
            for field in ours.fields() {
                let other =
                    theirs.get_field(field.number()).unwrap_or_else(|| panic!("{}", field.full_name()));
                let facts = |f: &FieldDescriptor| {
                    let oneof = f.containing_oneof().map(|o| (o.name().to_owned(), o.is_synthetic()));
                    let kind = f.kind().map(|m| m.full_name().to_owned(), |e| e.full_name().to_owned());
                    let flags = (f.cardinality(), f.is_packed(), f.supports_presence());
                    (f.full_name().to_owned(), f.json_name().to_owned(), flags, oneof, kind)
                };
                assert!(facts(&field) == facts(&other), "{:?}\n{:?}", facts(&field), facts(&other));
                compared += 1;
            }
        }
        assert_eq!(compared, 98);
    }
}
