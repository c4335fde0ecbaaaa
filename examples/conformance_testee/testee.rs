//! Answers conformance requests, with dynamic messages on both sides, or with the structs of a program.

use std::io::{self, Read, Write};
use tablepb::{AnyMessage, Decoder, DescriptorPool, DynamicMessage, EncodeOptions};
use tablepb::{MessageDescriptor, MessageView, Value, json, text};

/// Which path of the library turns the payload into the answer.
#[derive(Clone, Copy, Debug)]
pub enum Via {
    /// A borrowed view of a `Decoder`, encoded again.
    Decoder,
    /// A `DynamicMessage`, encoded again.
    Dynamic,
    /// Structs, which a program has that is compiled with them.
    #[allow(dead_code, reason = "for contrib/conformance")]
    Structs(fn(&Asked<'_>) -> Answer),
}

/// The member of `ConformanceResponse.result` to set, and its value.
pub type Answer = (&'static str, Value);

/// A message, and what is to become of it.
#[derive(Clone, Copy)]
pub struct Asked<'r> {
    /// The type of the message.
    #[allow(dead_code, reason = "for contrib/conformance")]
    pub name: &'r str,
    pub payload: Payload<'r>,
    pub output: Output,
}

/// A message in one of the formats.
#[derive(Clone, Copy)]
pub enum Payload<'r> {
    Binary(&'r [u8]),
    Json(&'r str, json::Parser),
    Text(&'r str),
}

/// The fields of `conformance.proto` that the testee reads and writes.
pub struct Testee {
    pool: DescriptorPool,
    response: MessageDescriptor,
    request: MessageDescriptor,
    via: Via,
}

/// The format that was asked for.
#[derive(Clone, Copy)]
pub struct Output {
    format: i32,
    print_unknown_fields: bool,
}

/// `WireFormat` of conformance.proto.
const PROTOBUF: i32 = 1;
const JSON: i32 = 2;
const TEXT: i32 = 4;
/// `TestCategory`: unknown fields and enum values in JSON are to be skipped.
const IGNORE_UNKNOWN: i32 = 3;
const FAILURE_SET: &str = "conformance.FailureSet";

impl Testee {
    /// A testee for the message types of a descriptor set, which must hold `conformance.proto` as well.
    pub fn new(descriptors: &[u8], via: Via) -> Result<Self, Box<dyn std::error::Error>> {
        let pool = DescriptorPool::decode(descriptors)?;
        let find = |name: &str| {
            pool.message(name).ok().ok_or_else(|| format!("{name} is not in the descriptor set"))
        };
        let request = find("conformance.ConformanceRequest")?;
        let response = find("conformance.ConformanceResponse")?;
        Ok(Self { pool, response, request, via })
    }

    /// The pool of the descriptor set.
    #[allow(dead_code, reason = "the test of the suite's cases reads them with it")]
    pub fn pool(&self) -> &DescriptorPool {
        &self.pool
    }

    /// Decodes a request and gives the encoded response.
    pub fn answer(&self, request: &[u8]) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
        let request = DynamicMessage::decode(&self.request, request)?;
        let (field, value) = self.result(request.as_view())?;
        let mut response = DynamicMessage::new(&self.response);
        response.set_field(field, value)?;
        Ok(response.encode_to_vec()?)
    }

    /// Answers requests until the input ends, each after its length in four bytes, little endian.
    #[allow(dead_code, reason = "the test of the suite's cases has no streams")]
    pub fn serve(
        &self,
        mut input: impl Read,
        mut output: impl Write,
    ) -> Result<(), Box<dyn std::error::Error>> {
        while let Some(request) = read_frame(&mut input)? {
            let response = self.answer(&request)?;
            output.write_all(&u32::try_from(response.len())?.to_le_bytes())?;
            output.write_all(&response)?;
            output.flush()?;
        }
        Ok(())
    }

    fn result(&self, request: MessageView<'_, '_>) -> Result<Answer, Box<dyn std::error::Error>> {
        let text = |name| request.get_field(name).ok().and_then(|v| v.as_str()).unwrap_or("");
        let name = text("message_type");
        if name == FAILURE_SET {
            // The runner asks once for the tests that are known to fail: none.
            let Some(failures) = self.pool.message(FAILURE_SET).ok() else {
                return Ok(("skipped", "no FailureSet".into()));
            };
            return Ok(("protobuf_payload", DynamicMessage::new(&failures).encode_to_vec()?.into()));
        }
        let number = |name| request.get_field(name).ok().and_then(|v| v.as_enum_number()).unwrap_or(0);
        let print_unknown_fields =
            request.get_field("print_unknown_fields").ok().and_then(|v| v.as_bool()).unwrap_or(false);
        let output = Output { format: number("requested_output_format"), print_unknown_fields };
        if !matches!(output.format, PROTOBUF | JSON | TEXT) {
            return Ok(("skipped", "only binary, JSON and text output".into()));
        }
        let bytes = |name| request.get_field(name).ok().and_then(|v| v.as_bytes()).unwrap_or_default();
        let payload = if request.has_field("protobuf_payload") {
            Payload::Binary(bytes("protobuf_payload"))
        } else if request.has_field("json_payload") {
            let strict = number("test_category") != IGNORE_UNKNOWN;
            Payload::Json(text("json_payload"), json::Parser::new().deny_unknown_fields(strict))
        } else if request.has_field("text_payload") {
            Payload::Text(text("text_payload"))
        } else {
            return Ok(("skipped", "only binary, JSON and text input".into()));
        };
        let asked = Asked { name, payload, output };
        if let Via::Structs(answer) = self.via {
            return Ok(answer(&asked));
        }
        let Some(descriptor) = self.pool.message(name).ok() else {
            return Ok(("runtime_error", format!("unknown message type {name}").into()));
        };
        Ok(self.answer_dynamic(&descriptor, &asked))
    }

    fn answer_dynamic(&self, descriptor: &MessageDescriptor, asked: &Asked<'_>) -> Answer {
        let parsed = match asked.payload {
            Payload::Binary(input) => return self.answer_binary(descriptor, input, asked.output),
            Payload::Json(json, parser) => parser.message_from_str(descriptor, json),
            Payload::Text(text) => text::message_from_str(descriptor, text),
        };
        self.answer_parsed(descriptor, parsed.map_err(|error| error.to_string()), asked.output)
    }

    fn answer_binary(&self, descriptor: &MessageDescriptor, input: &[u8], output: Output) -> Answer {
        let mut decoder = Decoder::new(descriptor);
        match self.via {
            Via::Decoder => match decoder.decode(input) {
                Ok(view) => write(&view, output),
                Err(error) => ("parse_error", error.to_string().into()),
            },
            Via::Dynamic | Via::Structs(_) => match DynamicMessage::decode(descriptor, input) {
                Ok(message) => write(&message, output),
                Err(error) => ("parse_error", error.to_string().into()),
            },
        }
    }

    /// Via a decoder, the message takes the way over its bytes.
    fn answer_parsed(
        &self,
        descriptor: &MessageDescriptor,
        message: Result<DynamicMessage, String>,
        output: Output,
    ) -> Answer {
        let message = match message {
            Ok(message) => message,
            Err(error) => return ("parse_error", error.into()),
        };
        match (self.via, message.encode_to_vec()) {
            (Via::Dynamic | Via::Structs(_), _) => write(&message, output),
            (Via::Decoder, Ok(bytes)) => self.answer_binary(descriptor, &bytes, output),
            (Via::Decoder, Err(error)) => ("serialize_error", error.to_string().into()),
        }
    }
}

/// The answer that is a message, in the format that was asked for.
pub fn write(message: &impl AnyMessage, output: Output) -> Answer {
    let written = match output.format {
        TEXT => {
            let options = text::Printer::new().pretty(true).skip_unknown_fields(!output.print_unknown_fields);
            options.to_string(message).map(|text| ("text_payload", text.into()))
        }
        JSON => json::to_string(message).map(|json| ("json_payload", json.into())),
        _ => {
            let mut bytes = Vec::new();
            EncodeOptions::new().encode(message, &mut bytes).map(|()| ("protobuf_payload", bytes.into()))
        }
    };
    written.unwrap_or_else(|error| ("serialize_error", error.to_string().into()))
}

/// One request, or `None` at the end of the input.
fn read_frame(input: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut prefix = [0; 4];
    match input.read_exact(&mut prefix) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let len = u32::from_le_bytes(prefix).into();
    let mut request = Vec::new();
    input.take(len).read_to_end(&mut request)?;
    if (request.len() as u64) < len {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(request))
}
