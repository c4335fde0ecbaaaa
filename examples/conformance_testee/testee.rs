//! Answers one conformance request, with dynamic messages on both sides.

use tablepb::{
    Decoder, DescriptorPool, DynamicMessage, FieldDescriptor, MessageDescriptor, MessageView, Value,
};

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

const PROTOBUF: i32 = 1;
const FAILURE_SET: &str = "conformance.FailureSet";

impl Testee {
    /// A testee for the message types of a descriptor set, which must hold `conformance.proto` as well.
    pub fn new(descriptors: &[u8], via: Via) -> Result<Self, Box<dyn std::error::Error>> {
        let pool = DescriptorPool::decode(descriptors)?;
        let find = |name: &str| {
            pool.get_message_by_name(name).ok_or_else(|| format!("{name} is not in the descriptor set"))
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
        response.set_field_by_name(field, value)?;
        Ok(response.encode_to_vec()?)
    }

    /// The member of `ConformanceResponse.result` to set, and its value.
    fn result(
        &self,
        request: MessageView<'_, '_>,
    ) -> Result<(&'static str, Value), Box<dyn std::error::Error>> {
        let text = |name| request.get_field_by_name(name).and_then(|v| v.as_str()).unwrap_or("");
        let name = text("message_type");
        if name == FAILURE_SET {
            // The runner asks once for the tests that are known to fail: none.
            let Some(failures) = self.pool.get_message_by_name(FAILURE_SET) else {
                return Ok(("skipped", "no FailureSet".into()));
            };
            return Ok(("protobuf_payload", DynamicMessage::new(&failures).encode_to_vec()?.into()));
        }
        let output = request.get_field_by_name("requested_output_format").and_then(|v| v.as_enum_number());
        let payload =
            self.request.get_field_by_name("protobuf_payload").ok_or("conformance.proto is too old")?;
        if output != Some(PROTOBUF) || !request.has_field(&payload) {
            return Ok(("skipped", "only binary input and output".into()));
        }
        let Some(descriptor) = self.pool.get_message_by_name(name) else {
            return Ok(("runtime_error", format!("unknown message type {name}").into()));
        };
        Ok(self.round_trip(&descriptor, request, &payload))
    }

    fn round_trip(
        &self,
        descriptor: &MessageDescriptor,
        request: MessageView<'_, '_>,
        payload: &FieldDescriptor,
    ) -> (&'static str, Value) {
        let input = request.get_field(payload).as_bytes().unwrap_or_default();
        let mut output = Vec::new();
        let mut decoder = Decoder::new(descriptor);
        let encoded = match self.via {
            Via::Decoder => decoder.decode(input).map(|view| view.encode(&mut output)),
            Via::Dynamic => DynamicMessage::decode(descriptor, input).map(|m| m.encode(&mut output)),
        };
        match encoded {
            Ok(Ok(())) => ("protobuf_payload", output.into()),
            Ok(Err(error)) => ("serialize_error", error.to_string().into()),
            Err(error) => ("parse_error", error.to_string().into()),
        }
    }
}
