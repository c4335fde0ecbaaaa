//! Built-in data: the metrics of the quickstart, as a newer program would send them.

#[expect(dead_code, reason = "only its schema and its data are used here")]
#[path = "../quickstart.rs"]
mod quickstart;

use crate::failure::Failure;
use crate::output::Output;
use crate::source::Payload;
use crate::summary::Summary;
use quickstart::Metrics;
use std::io::Write;
use tablepb::wire::{Tag, WireType, Writer};
use tablepb::{Decoder, DescriptorPool, Message};

/// Shows a payload with its schema and without.
pub fn run(stdout: &mut impl Write) -> Result<(), Failure> {
    let bytes = payload().map_err(|error| Failure::report(error.to_string()))?;
    let payload = Payload { name: "built-in data", bytes: &bytes, offset: 0, number: None };
    let pool = DescriptorPool::from_tables(&[Metrics::TABLE])
        .map_err(|error| Failure::descriptors("built-in tables", &[], &error))?;
    let Some(schema) = pool.get_message_by_name(Metrics::TABLE.full_name()) else {
        return Err(Failure::report("the built-in tables have no such message"));
    };

    let mut output = Output::new(stdout, false);
    let mut summary = Summary::new();
    output.line(0, format_args!("Built-in metrics, with their schema:\n"))?;
    crate::with_schema(&mut Decoder::new(&schema), &schema, &payload, &mut output, &mut summary)?;
    summary.print(&mut output)?;
    output.line(0, format_args!("\nThe same bytes without a schema:\n"))?;
    crate::without_schema(&payload, &mut output, &mut Summary::new())?;
    output.line(
        0,
        format_args!("\nYour own: inspect --descriptors FILE --type NAME FILE; --help says more."),
    )?;
    Ok(())
}

/// The sample, and two fields that its schema does not have.
fn payload() -> Result<Vec<u8>, tablepb::EncodeError> {
    let mut bytes = quickstart::sample(2).encode_to_vec()?;
    let mut writer = Writer::new(&mut bytes);
    writer.write_tag(Tag::new(15, WireType::Varint));
    writer.write_varint(3);
    writer.write_tag(Tag::new(16, WireType::LengthDelimited));
    writer.write_length_delimited(b"collector-7")?;
    Ok(bytes)
}
