//! What readers do: add up points, look at the names of spans.

use super::{spans, traces};
use tablepb::{DecodeError, FieldDescriptor, Kind, MessageDescriptor, MessageView, RawFields};

fn inside(field: &FieldDescriptor) -> MessageDescriptor {
    match field.kind() {
        Kind::Message(message) => message,
        _ => panic!("{} is not a message", field.full_name()),
    }
}

fn field(message: &MessageDescriptor, name: &str) -> FieldDescriptor {
    message.get_field_by_name(name).unwrap()
}

fn messages<'a, 'i>(
    view: MessageView<'a, 'i>,
    field: &FieldDescriptor,
) -> impl Iterator<Item = MessageView<'a, 'i>> + use<'a, 'i> {
    let list = view.get(field).and_then(|value| value.as_list());
    list.into_iter().flat_map(|list| (0..list.len()).filter_map(move |at| list.get(at)?.as_message()))
}

/// The fields on the way to the points of a metric.
#[derive(Clone)]
pub struct Points {
    series: FieldDescriptor,
    points: FieldDescriptor,
    value: FieldDescriptor,
}

impl Points {
    pub fn of(metric: &MessageDescriptor) -> Self {
        let series = field(metric, "series");
        let points = field(&inside(&series), "points");
        let value = field(&inside(&points), "value");
        Self { series, points, value }
    }

    pub fn total(&self, metric: MessageView<'_, '_>) -> i64 {
        messages(metric, &self.series)
            .flat_map(|series| messages(series, &self.points))
            .filter_map(|point| point.get(&self.value)?.as_i64())
            .sum()
    }
}

/// The fields on the way to the names of spans.
#[derive(Clone)]
pub struct Names {
    resource_spans: FieldDescriptor,
    scope_spans: FieldDescriptor,
    spans: FieldDescriptor,
    name: FieldDescriptor,
}

impl Names {
    pub fn of(traces: &MessageDescriptor) -> Self {
        let resource_spans = field(traces, "resource_spans");
        let scope_spans = field(&inside(&resource_spans), "scope_spans");
        let spans = field(&inside(&scope_spans), "spans");
        let name = field(&inside(&spans), "name");
        Self { resource_spans, scope_spans, spans, name }
    }

    /// The bytes of all names.
    pub fn bytes(&self, traces: MessageView<'_, '_>) -> u64 {
        let mut bytes = 0;
        for resource in messages(traces, &self.resource_spans) {
            for scope in messages(resource, &self.scope_spans) {
                for span in messages(scope, &self.spans) {
                    let name = span.get(&self.name).and_then(|name| name.as_str());
                    bytes += std::hint::black_box(name).map_or(0, str::len) as u64;
                }
            }
        }
        bytes
    }
}

/// The same without a schema, at any level but the last one the only field of its number.
pub fn raw_names(traces: &[u8]) -> Result<u64, DecodeError> {
    let mut bytes = 0;
    for resource in numbered(RawFields::new(traces), 1) {
        for scope in numbered(resource?, 2) {
            for span in numbered(scope?, 2) {
                for field in span? {
                    let field = field?;
                    if field.number() == 5 {
                        bytes += std::hint::black_box(field.as_str()?).map_or(0, str::len) as u64;
                    }
                }
            }
        }
    }
    Ok(bytes)
}

/// The messages of this field.
fn numbered(fields: RawFields<'_>, number: u32) -> impl Iterator<Item = Result<RawFields<'_>, DecodeError>> {
    fields.filter_map(move |field| match field {
        Ok(field) if field.number() == number => field.as_message().transpose(),
        Ok(_) => None,
        Err(error) => Some(Err(error)),
    })
}

/// The bytes of all names of structs.
pub fn names(traces: &traces::Export) -> u64 {
    let scopes = traces.resource_spans.iter().flat_map(|resource| &resource.scope_spans);
    let names =
        scopes.flat_map(|scope| &scope.spans).map(|span| std::hint::black_box(&span.name).len() as u64);
    names.sum()
}

pub fn prost_names(traces: &spans::Traces) -> u64 {
    let scopes = traces.resource_spans.iter().flat_map(|resource| &resource.scope_spans);
    let names =
        scopes.flat_map(|scope| &scope.spans).map(|span| std::hint::black_box(&span.name).len() as u64);
    names.sum()
}
