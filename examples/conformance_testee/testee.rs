//! Answers one conformance request, with dynamic messages on both sides.

use tablepb::json;
use tablepb::text;
use tablepb::{Decoder, DescriptorPool, DynamicMessage, MessageDescriptor, MessageView, Value};

/// Which path of the library turns the payload into the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// A borrowed view of a `Decoder`, encoded again.
    Decoder,
    /// A `DynamicMessage`, encoded again.
    Dynamic,
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
struct Output {
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

    /// The member of `ConformanceResponse.result` to set, and its value.
    fn result(
        &self,
        request: MessageView<'_, '_>,
    ) -> Result<(&'static str, Value), Box<dyn std::error::Error>> {
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
        let category = number("test_category");
        let print_unknown_fields =
            request.get_field("print_unknown_fields").ok().and_then(|v| v.as_bool()).unwrap_or(false);
        let output = Output { format: number("requested_output_format"), print_unknown_fields };
        let Some(descriptor) = self.pool.message(name).ok() else {
            return Ok(("runtime_error", format!("unknown message type {name}").into()));
        };
        let bytes = |name| request.get_field(name).ok().and_then(|v| v.as_bytes()).unwrap_or_default();
        if !matches!(output.format, PROTOBUF | JSON | TEXT) {
            return Ok(("skipped", "only binary, JSON and text output".into()));
        }
        if request.has_field("protobuf_payload") {
            return Ok(self.answer_binary(&descriptor, bytes("protobuf_payload"), output));
        }
        if request.has_field("json_payload") {
            let options = json::Parser::new().deny_unknown_fields(category != IGNORE_UNKNOWN);
            let json = text("json_payload").as_bytes();
            let message = options.message_from_slice(&descriptor, json);
            return Ok(self.answer_parsed(&descriptor, message.map_err(|error| error.to_string()), output));
        }
        if request.has_field("text_payload") {
            let message = tablepb::text::message_from_str(&descriptor, text("text_payload"));
            return Ok(self.answer_parsed(&descriptor, message.map_err(|error| error.to_string()), output));
        }
        Ok(("skipped", "only binary, JSON and text input".into()))
    }

    fn answer_binary(
        &self,
        descriptor: &MessageDescriptor,
        input: &[u8],
        output: Output,
    ) -> (&'static str, Value) {
        let mut decoder = Decoder::new(descriptor);
        match self.via {
            Via::Decoder => match decoder.decode(input) {
                Ok(view) => write(view, output),
                Err(error) => ("parse_error", error.to_string().into()),
            },
            Via::Dynamic => match DynamicMessage::decode(descriptor, input) {
                Ok(message) => write(message.as_view(), output),
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
    ) -> (&'static str, Value) {
        let message = match message {
            Ok(message) => message,
            Err(error) => return ("parse_error", error.into()),
        };
        match (self.via, message.encode_to_vec()) {
            (Via::Dynamic, _) => write(message.as_view(), output),
            (Via::Decoder, Ok(bytes)) => self.answer_binary(descriptor, &bytes, output),
            (Via::Decoder, Err(error)) => ("serialize_error", error.to_string().into()),
        }
    }
}

/// The member of `ConformanceResponse.result` for a message in the format that was asked for.
fn write(view: MessageView<'_, '_>, output: Output) -> (&'static str, Value) {
    let written = match output.format {
        TEXT => {
            let options = text::Printer::new().pretty(true).skip_unknown_fields(!output.print_unknown_fields);
            Ok(("text_payload", options.to_string(&view).unwrap().into()))
        }
        JSON => tablepb::json::to_string(&view)
            .map(|json| ("json_payload", json.into()))
            .map_err(|e| e.to_string()),
        _ => view.encode_to_vec().map(|bytes| ("protobuf_payload", bytes.into())).map_err(|e| e.to_string()),
    };
    written.unwrap_or_else(|error| ("serialize_error", error.into()))
}
