//! The messages of a stream one after another: from any format to the wire, and from the wire to any format.

use crate::failure::Failure;
use crate::format::{self, Format};
use crate::source::{self, Payload, Payloads};
use crate::wire_text;
use clap::{Arg, ArgAction};
use std::io::{self, Write};
use tablepb::json;
use tablepb::raw::RawFields;
use tablepb::text;
use tablepb::{Decoder, DynamicMessage, EncodeError, MessageDescriptor, MessageView};

/// Bad messages that are described; the others are only counted.
const DESCRIBED: u64 = 10;

/// `--skip-bad`.
pub fn skip_argument() -> Arg {
    Arg::new("skip-bad")
        .long("skip-bad")
        .help("Leave out messages that are at fault, and end with 1; otherwise the first one ends the run")
        .action(ArgAction::SetTrue)
}

/// Does something with each message. A bad one ends the run, or is described and left out.
pub fn each(
    payloads: Payloads,
    skip_bad: bool,
    mut action: impl FnMut(&Payload<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    each_while(payloads, skip_bad, |payload| action(payload).map(|()| true))
}

/// The same until the action returns false: the rest is not read.
pub fn each_while(
    mut payloads: Payloads,
    skip_bad: bool,
    mut action: impl FnMut(&Payload<'_>) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let (mut bad, mut count) = (0, 0);
    while let Some(payload) = payloads.next()? {
        count += 1;
        match action(&payload) {
            Err(failure @ Failure::Message(_)) if skip_bad => {
                bad += 1;
                if bad <= DESCRIBED {
                    let _ = write!(io::stderr(), "tablepb: {failure}");
                }
            }
            Ok(false) => break,
            result => drop(result?),
        }
    }
    if bad == 0 { Ok(()) } else { Err(Failure::Skipped { bad, count }) }
}

/// What is to be done after a run that came to its end, bad messages left out or not.
pub fn then(result: Result<(), Failure>, end: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    match result {
        Ok(()) => end(),
        Err(skipped @ Failure::Skipped { .. }) => end().and(Err(skipped)),
        failed => failed,
    }
}

/// Makes bytes of the wire out of payloads of one format.
pub struct Parser {
    schema: MessageDescriptor,
    format: Format,
    wire: Vec<u8>,
}

impl Parser {
    pub fn new(schema: &MessageDescriptor, format: Format) -> Self {
        Self { schema: schema.clone(), format, wire: Vec::new() }
    }

    /// The payload on the wire. JSON and text are checked against the schema; bytes of the wire are not.
    pub fn parse<'p>(&'p mut self, payload: &Payload<'p>) -> Result<Payload<'p>, Failure> {
        match self.message(payload)? {
            Some(message) => self.encode(payload, message.as_view()),
            None => source::undo(payload, self.format, &mut self.wire),
        }
    }

    /// The message that a payload of JSON or text is; `None` if it is on the wire.
    pub fn message(&self, payload: &Payload<'_>) -> Result<Option<DynamicMessage>, Failure> {
        if self.format.is_wire() {
            return Ok(None);
        }
        let message = match self.format {
            Format::Text => {
                let text = std::str::from_utf8(payload.bytes)
                    .map_err(|error| Failure::message(payload, format_args!("{error}")))?;
                tablepb::text::message_from_str(&self.schema, text)
                    .map_err(|error| Failure::message(payload, format_args!("{error}")))?
            }
            _ => tablepb::json::message_from_slice(&self.schema, payload.bytes)
                .map_err(|error| Failure::message(payload, format_args!("{error}")))?,
        };
        Ok(Some(message))
    }

    /// The bytes of such a message.
    pub fn encode<'p>(
        &'p mut self,
        payload: &Payload<'p>,
        message: MessageView<'_, '_>,
    ) -> Result<Payload<'p>, Failure> {
        self.wire.clear();
        message.encode(&mut self.wire).map_err(|error: EncodeError| Failure::encode(payload, &error))?;
        Ok(Payload { bytes: &self.wire, ..*payload })
    }
}

/// Writes messages in one format.
pub struct Printer {
    format: Format,
    count: u64,
    text: Vec<u8>,
}

impl Printer {
    pub fn new(format: Format) -> Self {
        Self { format, count: 0, text: Vec::new() }
    }

    /// Writes a message, given on the wire and decoded. Nothing is written of one that cannot be printed.
    pub fn print(
        &mut self,
        payload: &Payload<'_>,
        view: MessageView<'_, '_>,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let text = &mut self.text;
        text.clear();
        match self.format {
            Format::WireText => return self.print_wire(payload, Some(&view.descriptor()), out),
            format if format.is_wire() => return self.print_wire(payload, None, out),
            Format::Json | Format::Ndjson => {
                let options = json::Printer::new().pretty(self.format == Format::Json);
                options
                    .append(text, &view)
                    .map_err(|error| Failure::message(payload, format_args!("{error}")))?;
            }
            _ => {
                if self.count > 0 {
                    text.push(b'\n');
                }
                text::Printer::new()
                    .pretty(true)
                    .append(text, &view)
                    .map_err(|error| Failure::message(payload, format_args!("{error}")))?;
            }
        }
        self.end(out)
    }

    /// Writes the bytes of a message in a format that is of the wire. The names of fields are comments in text.
    pub fn print_wire(
        &mut self,
        payload: &Payload<'_>,
        schema: Option<&MessageDescriptor>,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let text = &mut self.text;
        text.clear();
        if payload.bytes.len() > i32::MAX as usize {
            return Err(Failure::message(payload, format_args!("the message is longer than 2^31-1 bytes")));
        }
        match self.format {
            Format::Hex | Format::HexLines => format::to_hex(payload.bytes, text),
            Format::Base64 | Format::Base64Lines => format::to_base64(payload.bytes, text),
            Format::Delimited => {
                tablepb::stream::encode_length_delimiter(payload.bytes.len(), text)
                    .map_err(|error| Failure::encode(payload, &error))?;
                text.extend(payload.bytes);
            }
            Format::WireText => text.extend(wire_text::disassemble(payload.bytes, schema).bytes()),
            format => match format.header() {
                Some(header) => header.append(payload.bytes, text),
                None => text.extend(payload.bytes),
            },
        }
        self.end(out)
    }

    /// Writes what was made of a message.
    fn end(&mut self, out: &mut impl Write) -> Result<(), Failure> {
        use Format::{Base64, Binary, Delimited, Hex, WireText};
        if self.count > 0 && matches!(self.format, Binary | Hex | Base64 | WireText) {
            let text = "the input has more than one message, and this format holds one; \
                        --to delimited, hex-lines or base64-lines takes them all";
            return Err(Failure::report(text));
        }
        self.count += 1;
        let is_text = !matches!(self.format, Binary | Delimited) && self.format.header().is_none();
        // No message of no fields is no line.
        let is_whole = self.text.ends_with(b"\n") || (self.format == WireText && self.text.is_empty());
        if is_text && !is_whole {
            self.text.push(b'\n');
        }
        Ok(out.write_all(&self.text)?)
    }
}

/// Whether the messages of a run are of the type that was named: one field that the type lists, in one of them, is enough.
///
/// Bytes of another type mostly decode, to a message without fields, which JSON and text show as nothing.
#[derive(Default)]
pub struct Recognized {
    /// Messages with fields, all unknown.
    strange: u64,
    pub found: bool,
}

impl Recognized {
    /// Looks at a message, if none was recognized so far. All of it must have been decoded.
    pub fn look(&mut self, payload: &Payload<'_>, view: MessageView<'_, '_>) {
        let fields = if self.found { 0 } else { RawFields::new(payload.bytes).count() };
        if fields > 0 {
            self.found = view.unknown_fields().count() < fields;
            self.strange += 1;
        }
    }

    /// The result of a run, or what is wrong with all of its messages; `schema` is what should have their fields.
    pub fn finish(&self, schema: &str, result: Result<(), Failure>) -> Result<(), Failure> {
        if self.found || self.strange == 0 {
            return result;
        }
        result.and_then(|()| {
            let subject = if self.strange == 1 { "the message" } else { "the messages" };
            Err(Failure::report(format!(
                "{schema} lists no field of {subject}: all are unknown, so nothing of them is shown; \
                 the bytes are perhaps of another type, or in another format than --from says"
            )))
        })
    }
}

/// Decodes a payload on the wire, or says where it is at fault.
pub fn decode<'a, 'i>(
    decoder: &'a mut Decoder,
    payload: &Payload<'i>,
) -> Result<MessageView<'a, 'i>, Failure> {
    decoder.decode(payload.bytes).map_err(|error| Failure::decode(payload, &error))
}
