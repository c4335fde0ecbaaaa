//! A producer of telemetry: records are written as spans end, with no message in between, and what is the same in every
//! record is encoded once: `cargo run --example producer`.

use std::error::Error;
use tablepb::record::RecordPlan;
use tablepb::record::{Field, kind};
use tablepb::stream::frames;
use tablepb::{DescriptorPool, Message, Prepared, SmallMap};

include!("common/say.rs");

/// A batch of spans, as a collector reads it.
#[derive(Debug, Default, PartialEq)]
struct Export {
    resource: Option<Resource>,
    spans: Vec<Span>,
}

#[derive(Debug, Default, PartialEq)]
struct Resource {
    service: String,
    host: String,
}

#[derive(Debug, Default, PartialEq)]
struct Span {
    name: String,
    start: u64,
    attributes: SmallMap<String, String>,
    stack: Option<String>,
}

tablepb::message! {
    Export as "telemetry.Export" { resource: message Resource = 1, spans: repeated message Span = 2 }
    Resource as "telemetry.Resource" { service: string = 1, host: string = 2 }
    Span as "telemetry.Span" {
        name: string = 1, start: fixed64 = 2, attributes: map<string, string> = 3, stack: optional string = 4,
    }
}

/// The fields that the producer writes, found once.
struct Producer {
    plan: RecordPlan,
    resource: Field<kind::Submessage>,
    span: Field<kind::Submessage>,
    name: Field<kind::Str>,
    start: Field<kind::Fixed64>,
    attributes: Field<kind::MapOf<kind::Str, kind::Str>>,
    stack: Field<kind::Str>,
    /// The same in every record.
    host: Prepared<Resource>,
}

impl Producer {
    /// A producer for one host; an operator names the fields to leave out.
    fn new(host: &Resource, disabled: &[&str]) -> Result<Self, Box<dyn Error>> {
        let pool = DescriptorPool::from_tables(&[Export::TABLE])?;
        let export = pool.message("telemetry.Export")?;
        let plan = disabled.iter().try_fold(RecordPlan::new(&export), |plan, name| plan.disable(name))?;
        let (resource, span, spans) = (plan.message("resource")?, plan.message("spans")?, plan.at("spans")?);
        let (name, start, stack) = (spans.string("name")?, spans.fixed64("start")?, spans.string("stack")?);
        let (attributes, host) = (spans.map("attributes")?, Prepared::new(host)?);
        Ok(Self { plan, resource, span, name, start, attributes, stack, host })
    }

    /// Appends a batch of requests that started at these times, after its length.
    fn export(&self, starts: &[u64], buf: &mut Vec<u8>) -> Result<(), Box<dyn Error>> {
        let mut record = self.plan.record(buf);
        record.prepared(self.resource, &self.host);
        for &start in starts {
            record.message(self.span, |span| {
                span.set(self.name, "GET /");
                span.set(self.start, start);
                span.insert(self.attributes, "http.method", "GET");
                // A disabled field costs a branch; what leads to its value can be left out too.
                if span.wants(self.stack) {
                    span.set(self.stack, &format!("request at {start}"));
                }
            });
        }
        record.finish()?;
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let host = Resource { service: "shop".into(), host: "web-1".into() };
    for disabled in [&["spans.stack"][..], &[], &["spans"]] {
        let (producer, mut buf) = (Producer::new(&host, disabled)?, Vec::new());
        producer.export(&[1_700_000_000, 1_700_000_005], &mut buf)?;
        producer.export(&[1_700_000_009], &mut buf)?;
        let exports = frames(&buf).map(|frame| Export::decode(frame?)).collect::<Result<Vec<_>, _>>()?;
        assert!(exports.iter().all(|export| export.resource.as_ref() == Some(&host)));
        let spans: Vec<_> = exports.iter().flat_map(|export| &export.spans).collect();
        assert!(spans.iter().all(|span| span.stack.is_some() == disabled.is_empty()));
        say!("without {disabled:?}: {} spans in {} bytes", spans.len(), buf.len());
    }
    Ok(())
}
