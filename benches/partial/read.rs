//! What readers do: add up points, look at the names of spans.

use super::{spans, traces};
use tablepb::partial::ValuePath;
use tablepb::raw::RawFields;
use tablepb::{DecodeError, MessageView};

/// The sum of the points at the end of a path.
pub fn total(message: MessageView<'_, '_>, points: &ValuePath) -> i64 {
    message.values(points).filter_map(|value| value.as_i64()).sum()
}

/// The bytes of all names at the end of a path.
pub fn name_bytes(traces: MessageView<'_, '_>, names: &ValuePath) -> u64 {
    let names = traces.values(names).filter_map(|name| name.as_str());
    names.map(|name| std::hint::black_box(name).len() as u64).sum()
}

/// The bytes of all names without a schema.
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
