//! Telemetry with as little work as possible: constant parts are encoded once, unread parts are not decoded.
//!
//! ```text
//! cargo run --release --example otlp              # on data that it makes
//! cargo run --release --example otlp -- DIRECTORY # on otlp.binpb (a descriptor set), otlp_metrics.binpb, otlp_traces.binpb
//! ```

mod common;
mod metrics;
mod traces;

use common::Resource;
use metrics::{prepared, whole};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tablepb::partial::Projection;
use tablepb::raw::{RawFields, RawStep, RawValue};
use tablepb::table::Kind;
use tablepb::{
    Decoder, DescriptorPool, DynamicMessage, FieldDescriptor, Message, MessageDescriptor, MessageView,
    Prepared,
};

include!("../common/say.rs");

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const TRACES: &str = "opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest";
const EXPORTS: u64 = 1000;

fn main() -> Result<()> {
    let directory = std::env::args_os().nth(1).map(PathBuf::from);
    say!("data: {}\n", if directory.is_some() { "recorded exports" } else { "made here" });
    publish(resource(directory.as_deref())?)?;
    let (pool, export) = spans(directory.as_deref())?;
    let schema = pool.message(TRACES)?;
    read_names(&schema, &export)?;
    change_attribute(&schema, &export)?;
    change_attribute_on_the_wire(&export)
}

/// The resource of the recorded metrics, or one made up.
fn resource(directory: Option<&Path>) -> Result<Resource> {
    let Some(directory) = directory else { return Ok(common::resource()) };
    let bytes = std::fs::read(directory.join("otlp_metrics.binpb"))?;
    let resource = RawFields::new(&bytes).follow(&[1, 1])?.ok_or("no resource")?;
    Ok(Resource::decode(resource.bytes())?)
}

/// The schema of traces and an export of them.
fn spans(directory: Option<&Path>) -> Result<(DescriptorPool, Vec<u8>)> {
    Ok(match directory {
        Some(directory) => (
            DescriptorPool::decode(&std::fs::read(directory.join("otlp.binpb"))?)?,
            std::fs::read(directory.join("otlp_traces.binpb"))?,
        ),
        None => (DescriptorPool::from_tables(&[traces::Export::TABLE])?, traces::sample(0).encode_to_vec()?),
    })
}

/// Publishes the same counters a thousand times with new points: everything encoded each time, and the resource, the
/// scope and the attributes of the points only once.
fn publish(resource: Resource) -> Result<()> {
    let mut whole = metrics::sample(resource);
    let mut constant = prepare(&whole)?;
    let mut buf = Vec::new();
    let mut bytes = 0;
    let full = timed(|| {
        for number in 0..EXPORTS {
            whole.measure(number);
            buf.clear();
            whole.encode(&mut buf)?;
            bytes += buf.len();
        }
        Ok(())
    })?;
    let expected = buf.clone();
    let once = timed(|| {
        for number in 0..EXPORTS {
            constant.measure(number);
            buf.clear();
            constant.encode(&mut buf)?;
        }
        Ok(())
    })?;
    assert_eq!(buf, expected, "what is prepared cannot be told from what is not");
    say!("publish {EXPORTS} exports of {} bytes", bytes / EXPORTS as usize);
    say!("  all of it encoded      {full:>10.2?}");
    say!("  constant parts once    {once:>10.2?}  {:.1} times as fast\n", ratio(full, once));
    Ok(())
}

/// The same export with its constant parts prepared.
fn prepare(export: &whole::Export) -> Result<prepared::Export> {
    let mut prepared = prepared::Export::decode(&export.encode_to_vec()?)?;
    // Decoding has prepared them; each could also have been made from a message, as this one.
    for (from, to) in export.resource_metrics.iter().zip(&mut prepared.resource_metrics) {
        to.resource = from.resource.as_deref().map(Prepared::new).transpose()?;
    }
    Ok(prepared)
}

/// Reads the names of all spans and nothing else.
fn read_names(schema: &MessageDescriptor, export: &[u8]) -> Result<()> {
    let mut full = Decoder::new(schema);
    let names = Projection::new(schema, ["resource_spans.scope_spans.spans.name"])?;
    let mut partial = Decoder::new(schema).with_projection(&names);
    let path = SpanNames::of(schema).ok_or("the set has other fields")?;
    let expected = path.read(full.decode(export)?);
    assert_eq!(path.read(partial.decode(export)?), expected);

    const ROUNDS: u32 = 200;
    let time = |decoder: &mut Decoder| {
        timed(|| {
            for _ in 0..ROUNDS {
                assert_eq!(path.read(decoder.decode(export)?).len(), expected.len());
            }
            Ok(())
        })
    };
    let (full, partial) = (time(&mut full)? / ROUNDS, time(&mut partial)? / ROUNDS);
    let selected: usize = expected.iter().map(|name| name.len() + 2).sum();
    say!("read {} span names, {selected} of {} bytes", expected.len(), export.len());
    say!("  all of it decoded      {full:>10.2?}");
    say!("  the names decoded      {partial:>10.2?}  {:.1} times as fast\n", ratio(full, partial));
    Ok(())
}

/// The fields on the way to the names of all spans.
struct SpanNames {
    resource_spans: FieldDescriptor,
    scope_spans: FieldDescriptor,
    spans: FieldDescriptor,
    name: FieldDescriptor,
}

impl SpanNames {
    fn of(schema: &MessageDescriptor) -> Option<Self> {
        let resource_spans = schema.field("resource_spans").ok()?;
        let scope_spans = inside(&resource_spans)?.field("scope_spans").ok()?;
        let spans = inside(&scope_spans)?.field("spans").ok()?;
        let name = inside(&spans)?.field("name").ok()?;
        Some(Self { resource_spans, scope_spans, spans, name })
    }

    fn read<'i>(&self, export: MessageView<'_, 'i>) -> Vec<&'i str> {
        messages(export, &self.resource_spans)
            .flat_map(|resource| messages(resource, &self.scope_spans))
            .flat_map(|scope| messages(scope, &self.spans))
            .filter_map(|span| span.get(&self.name)?.as_str())
            .collect()
    }
}

/// The type of a message field.
fn inside(field: &FieldDescriptor) -> Option<MessageDescriptor> {
    match field.kind() {
        Kind::Message(message) => Some(message),
        _ => None,
    }
}

/// The messages of a repeated field.
fn messages<'a, 'i>(
    view: MessageView<'a, 'i>,
    field: &FieldDescriptor,
) -> impl Iterator<Item = MessageView<'a, 'i>> + use<'a, 'i> {
    let list = view.get(field).and_then(|value| value.as_list());
    list.into_iter().flat_map(|list| (0..list.len()).filter_map(move |at| list.get(at)?.as_message()))
}

/// Renames the service: decodes the attributes of the resources, changes one, and passes all the rest through.
fn change_attribute(schema: &MessageDescriptor, export: &[u8]) -> Result<()> {
    let attributes = Projection::new(schema, ["resource_spans.resource.attributes"])?.pass_through();
    let edit = |mut message: DynamicMessage| -> Result<Vec<u8>> {
        let mut spans = message.element_mut(&schema.field("resource_spans")?, 0)?;
        let resource = spans.descriptor().field("resource")?;
        let mut resource = spans.message_mut(&resource)?;
        let attributes = resource.descriptor().field("attributes")?;
        let position = messages(resource.as_view(), &attributes).position(|attribute| {
            attribute.get_field("key").ok().and_then(|key| key.as_str()) == Some("service.name")
        });
        let mut attribute = resource.element_mut(&attributes, position.ok_or("no service name")?)?;
        let value = attribute.descriptor().field("value")?;
        attribute.message_mut(&value)?.set_field("string_value", "renamed")?;
        Ok(message.encode_to_vec()?)
    };
    let start = Instant::now();
    let passed = edit(attributes.decode(export)?)?;
    let partial = start.elapsed();
    let start = Instant::now();
    let decoded = edit(DynamicMessage::decode(schema, export)?)?;
    let full = start.elapsed();
    assert_eq!(DynamicMessage::decode(schema, &passed)?, DynamicMessage::decode(schema, &decoded)?);
    say!("rename the service in {} bytes, which become {}", export.len(), passed.len());
    say!("  all of it decoded      {full:>10.2?}");
    say!("  the rest passed through{partial:>10.2?}  {:.1} times as fast", ratio(full, partial));
    Ok(())
}

/// The same without a schema: field numbers lead to the value, and lengths around it are written anew.
fn change_attribute_on_the_wire(export: &[u8]) -> Result<()> {
    let start = Instant::now();
    let fields = RawFields::new(export);
    let resource = fields.follow(&[RawStep::nth(1, 0), RawStep::last(1)])?.ok_or("no resource")?;
    let attributes = resource
        .as_message()?
        .ok_or("a resource is a message")?
        .filter(|field| field.as_ref().is_ok_and(|field| field.number() == 1));
    let mut position = None;
    for (at, attribute) in attributes.enumerate() {
        let key = attribute?.as_message()?.and_then(|fields| fields.find_last(1).transpose()).transpose()?;
        if key.and_then(|key| key.as_bytes()) == Some(b"service.name") {
            position = Some(at);
        }
    }
    let at = position.ok_or("no service name")?;
    let path =
        [RawStep::nth(1, 0), RawStep::last(1), RawStep::nth(1, at), RawStep::last(2), RawStep::last(1)];
    let mut changed = Vec::new();
    let found = fields.replace(&path, RawValue::LengthDelimited(b"renamed"), &mut changed)?;
    assert!(found && RawFields::new(&changed).follow(&path)?.and_then(|v| v.as_bytes()) == Some(b"renamed"));
    say!("  on the wire            {:>10.2?}", start.elapsed());
    Ok(())
}

fn timed(work: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}

fn ratio(slow: Duration, fast: Duration) -> f64 {
    slow.as_secs_f64() / fast.as_secs_f64()
}
