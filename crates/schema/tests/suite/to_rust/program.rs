// What the programs that the tests of `to_rust` compile have in common. Their arguments are files.

use tablepb::{DescriptorPool, DynamicMessage, EncodeOptions, Message, MessageDescriptor};

fn read(path: &str) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn schema(set: &str, name: &str) -> MessageDescriptor {
    DescriptorPool::decode(&read(set)).unwrap().message(name).expect(name)
}

fn canonical(message: &DynamicMessage) -> Vec<u8> {
    let mut bytes = Vec::new();
    EncodeOptions::new().deterministic(true).encode(message, &mut bytes).unwrap();
    bytes
}

/// The struct has the schema of the descriptor, and reads and writes what a dynamic message does. Gives what it wrote.
macro_rules! check {
    ($type:ty, $schema:expr, $payload:expr) => {{
        let (schema, payload) = ($schema, $payload);
        tablepb_schema::assert_matches(<$type>::TABLE, &schema);
        let bytes = <$type>::decode(&payload).unwrap().encode_to_vec().unwrap();
        let message = DynamicMessage::decode(&schema, &payload).unwrap();
        let again = DynamicMessage::decode(&schema, &bytes).unwrap();
        assert_eq!(canonical(&again), canonical(&message));
        bytes
    }};
}

