//! Text format of random messages between tablepb and prost-reflect.

use crate::common::choices::Choices;
use crate::common::format_case::{FormatCase, SHARED, STYLE, without_negative_zeros};
use crate::common::payload::payload;
use prost_reflect::DynamicMessage as Theirs;
use prost_reflect::prost::Message;
use tablepb::DynamicMessage;
use tablepb::text;

const PARTIAL: text::Parser = text::Parser::new().allow_partial(true);

/// prost-reflect prints floats without exponents; the text is the same in all other respects. It takes -0 for unset, in maps too.
#[test]
fn prost_reflect_agrees() {
    let (mut compared, mut same) = (0, 0);
    for seed in 0..if cfg!(debug_assertions) { 80 } else { 600 } {
        let mut choices = Choices::seeded(seed);
        let case = FormatCase::new(&mut choices, SHARED);
        // Groups that are not named after their types, which protoc does not make in proto2, go by the types all the same there.
        if case.schema.messages.iter().any(|m| m.fields.iter().any(|f| f.delimited)) {
            continue;
        }
        let pool = prost_reflect::DescriptorPool::decode(&case.schema.descriptor_set()[..]).unwrap();
        let theirs = pool.get_message_by_name(&case.schema.full_name(case.message)).unwrap();
        for _ in 0..4 {
            let bytes = payload(&case.schema, case.message, &mut choices, STYLE);
            let message = case.decode(&bytes);
            let values =
                |message: &DynamicMessage| without_negative_zeros(&case, case.message, &case.values(message));
            let expected = values(&message);
            let Ok(their_message) = Theirs::decode(theirs.clone(), &bytes[..]) else { continue };
            // What they print, we read; what we print, they read.
            let text = their_message.to_text_format();
            let back = PARTIAL.message_from_str(&case.ours, &text);
            assert_eq!(values(&back.unwrap_or_else(|e| panic!("{e}: {text}"))), expected, "{text}");
            let ours = tablepb::text::to_string(&message).unwrap();
            let back = Theirs::parse_text_format(theirs.clone(), &ours);
            let back = case.decode(&back.unwrap_or_else(|e| panic!("{e}: {ours}")).encode_to_vec());
            if !ours.contains("value:-0}") {
                assert_eq!(values(&back), expected, "{ours}");
            }
            compared += 1;
            same += usize::from(ours == text);
        }
    }
    assert!(compared > 100 && same > compared / 3, "{same} of {compared}");
}
