//! Answers by structs: the types are those of the suite.

use crate::testee::{Answer, Asked, Payload, write};
use tablepb::{DecodeOwned, ParseText, text};

/// The answer to a request.
pub fn answer(asked: &Asked<'_>) -> Answer {
    use crate::messages::protobuf_test_messages as suite;
    match asked.name {
        "protobuf_test_messages.proto2.TestAllTypesProto2" => by::<suite::proto2::TestAllTypesProto2>(asked),
        "protobuf_test_messages.proto3.TestAllTypesProto3" => by::<suite::proto3::TestAllTypesProto3>(asked),
        "protobuf_test_messages.editions.TestAllTypesEdition2023" => {
            by::<suite::editions::TestAllTypesEdition2023>(asked)
        }
        "protobuf_test_messages.editions.proto2.TestAllTypesProto2" => {
            by::<suite::editions::proto2::TestAllTypesProto2>(asked)
        }
        "protobuf_test_messages.editions.proto3.TestAllTypesProto3" => {
            by::<suite::editions::proto3::TestAllTypesProto3>(asked)
        }
        "protobuf_test_messages.edition_unstable.TestAllTypesEditionUnstable" => {
            by::<suite::edition_unstable::TestAllTypesEditionUnstable>(asked)
        }
        name => ("runtime_error", format!("unknown message type {name}").into()),
    }
}

fn by<M: DecodeOwned + ParseText>(asked: &Asked<'_>) -> Answer {
    let parsed: Result<M, String> = match asked.payload {
        Payload::Binary(bytes) => M::decode(bytes).map_err(|error| error.to_string()),
        Payload::Json(json, parser) => parser.from_str(json).map_err(|error| error.to_string()),
        Payload::Text(source) => text::from_str(source).map_err(|error| error.to_string()),
    };
    match parsed {
        Ok(message) => write(&message, asked.output),
        Err(error) => ("parse_error", error.into()),
    }
}
