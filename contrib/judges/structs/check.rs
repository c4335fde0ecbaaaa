//! What a program of structs that `structs` wrote compares: each input, read by the struct and by a dynamic message.

use std::collections::BTreeMap;
use tablepb::bytes::{Buf, Bytes};
use tablepb::{
    DecodeErrorKind, DecodeFrom, DecodeOptions, DecodeOwned, DescriptorPool, DynamicMessage, EncodeOptions,
    Message, MessageDescriptor,
};

/// What was compared, and what differs: how many, and the first of each.
#[derive(Default)]
pub struct Report {
    counts: BTreeMap<&'static str, usize>,
    differences: BTreeMap<&'static str, Vec<String>>,
}

impl Report {
    fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    /// Counts a comparison of two outcomes. Why one refuses does not matter.
    fn same<T: PartialEq + AsRef<[u8]>, E: std::fmt::Display, F: std::fmt::Display>(
        &mut self,
        what: &'static str,
        case: &Case<'_>,
        one: &Result<T, E>,
        other: &Result<T, F>,
    ) {
        self.count(what);
        let how = match (one, other) {
            (Ok(one), Ok(other)) if one == other => return,
            (Err(_), Err(_)) => return,
            (Ok(one), Ok(other)) => {
                let [one, other] = [one.as_ref(), other.as_ref()];
                // From a few bytes before the first that differs.
                let at =
                    one.iter().zip(other).take_while(|(one, other)| one == other).count().saturating_sub(20);
                format!(
                    "from byte {at} on the struct has {:?}, the dynamic message {:?}",
                    String::from_utf8_lossy(&one[at..]),
                    String::from_utf8_lossy(&other[at..])
                )
            }
            (Ok(_), Err(error)) => format!("the dynamic message refuses it: {error}"),
            // Strings of structs are UTF-8, whatever the schema says.
            (Err(error), Ok(_)) if error.to_string().contains("UTF-8") => {
                return self.count("strings that are not UTF-8, which structs refuse");
            }
            (Err(error), Ok(_)) => format!("the struct refuses it: {error}"),
        };
        self.differences.entry(what).or_default().push(format!("{how}; {case}"));
    }

    /// Prints it. Returns whether nothing differs.
    pub fn print(&self) -> bool {
        for (what, count) in &self.counts {
            println!("{count:10} {what}");
        }
        for (what, cases) in &self.differences {
            println!("{:10} {what}: differ", cases.len());
            cases.iter().take(3).for_each(|case| println!("    {case}"));
        }
        self.differences.is_empty()
    }
}

/// Where an input comes from.
struct Case<'a> {
    schema: &'a str,
    number: usize,
    input: &'a [u8],
}

impl std::fmt::Display for Case<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "schema {}, input {}: ", self.schema, self.number)?;
        match std::str::from_utf8(self.input) {
            Ok(text) if text.bytes().all(|byte| byte >= b' ' || byte == b'\n') => f.write_str(text),
            _ => self.input.iter().try_for_each(|byte| write!(f, "{byte:02x}")),
        }
    }
}

/// Inputs, each after its length of four bytes.
fn inputs(mut file: &'static [u8]) -> Vec<&'static [u8]> {
    let mut inputs = Vec::new();
    while let Some((len, rest)) = file.split_first_chunk::<4>() {
        let (input, rest) = rest.split_at(u32::from_le_bytes(*len) as usize);
        inputs.push(input);
        file = rest;
    }
    inputs
}

/// The bytes that are the same for messages that are equal.
fn canonical(message: &DynamicMessage) -> Vec<u8> {
    let mut bytes = Vec::new();
    EncodeOptions::new().deterministic(true).allow_partial(true).encode(message, &mut bytes).unwrap();
    bytes
}

/// What a struct writes, read by a dynamic message. Required fields may be missing: merges do not look for them.
fn written<M: Message>(descriptor: &MessageDescriptor, message: &M) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let written = EncodeOptions::new().allow_partial(true).encode(message, &mut bytes);
    written.map_err(|error| format!("not written: {error}"))?;
    if bytes.len() != message.encoded_len() {
        return Err(format!("{} bytes, and encoded_len says {}", bytes.len(), message.encoded_len()));
    }
    let message = DecodeOptions::new().allow_partial(true).decode_dynamic(descriptor, &bytes);
    Ok(canonical(&message.map_err(|error| format!("written wrong: {error}"))?))
}

/// The descriptor of a schema's first message.
pub fn descriptor(set: &[u8], name: &str) -> MessageDescriptor {
    DescriptorPool::decode(set).unwrap().message(name).unwrap()
}

/// Bytes: read, merged, written, cleared. What is in `lazy` members is read later, so the struct may take what the dynamic message refuses.
pub fn bytes<M: Message + DecodeFrom<'static>>(
    report: &mut Report,
    schema: &'static str,
    descriptor: &MessageDescriptor,
    lazy: bool,
    file: &'static [u8],
) {
    // Members of both are in use again and again.
    let (mut kept, mut kept_dynamic) = (M::default(), DynamicMessage::new(descriptor));
    kept.clear();
    for (number, input) in inputs(file).into_iter().enumerate() {
        let case = Case { schema, number, input };
        let (one, other) = (M::decode(input), DynamicMessage::decode(descriptor, input));
        if lazy && other.is_err() {
            continue;
        }
        one.iter().for_each(|one| outputs(report, &case, one));
        let one = one.map_err(|error| error.to_string()).and_then(|one| written(descriptor, &one));
        let other = other.map(|other| canonical(&other));
        within_budgets::<M>(report, &case, descriptor, &one);
        report.same("bytes", &case, &one, &other);
        if one.is_err() || other.is_err() {
            continue;
        }
        if number % 5 == 0 {
            kept.clear();
            kept_dynamic.clear();
        }
        let (one, other) = (kept.merge(input), kept_dynamic.merge(input));
        let one = one.map_err(|error| error.to_string()).and_then(|()| written(descriptor, &kept));
        let other = other.map(|()| canonical(&kept_dynamic));
        report.same("merged bytes", &case, &one, &other);
        if one.is_err() {
            (kept, kept_dynamic) = (M::default(), DynamicMessage::new(descriptor));
        }
    }
}

/// With a small budget a struct is the same, or too large.
fn within_budgets<M: Message + DecodeFrom<'static>>(
    report: &mut Report,
    case: &Case<'static>,
    descriptor: &MessageDescriptor,
    whole: &Result<Vec<u8>, String>,
) {
    for budget in [case.number * 37 % 600, case.input.len() * 4, 12_000 + case.number * 97 % 4_000] {
        let small = DecodeOptions::new().budget(budget).decode::<M>(case.input);
        if small.as_ref().is_err_and(|error| error.kind() == DecodeErrorKind::BudgetExceeded) {
            report.count("too large for a small budget");
            continue;
        }
        let small = small.map_err(|error| error.to_string()).and_then(|small| written(descriptor, &small));
        report.same("within a small budget", case, &small, whole);
    }
}

/// All outputs have the same bytes, and one that is too small has none.
fn outputs<M: Message>(report: &mut Report, case: &Case<'_>, message: &M) {
    let Ok(bytes) = message.encode_to_vec() else { return };
    let mut slice = vec![0; bytes.len()];
    let in_slice = message.encode_to_slice(&mut slice).map(|len| slice[..len].to_vec());
    report.same("in a slice", case, &in_slice, &Ok::<_, String>(bytes.clone()));
    let mut after = b"before".to_vec();
    let appended = message.encode(&mut after).map(|()| after[6..].to_vec());
    report.same("after something", case, &appended, &Ok::<_, String>(bytes.clone()));
    if let Some((_, small)) = slice.split_last_mut() {
        let refused = message.encode_to_slice(small).map(|_| Vec::new());
        report.same("in a slice that is too small", case, &refused, &Err::<Vec<u8>, _>("too small"));
    }
}

/// In pieces, and out of an input that is shared.
fn inputs_of_other_kinds<M: Message + DecodeOwned>(
    report: &mut Report,
    case: &Case<'_>,
    descriptor: &MessageDescriptor,
    whole: &[u8],
) {
    let whole = Ok::<_, String>(whole.to_vec());
    let (left, right) = case.input.split_at(case.number * 7 % (case.input.len() + 1));
    let pieces = M::decode_buf(left.chain(right)).map_err(|error| error.to_string());
    report.same("in pieces", case, &pieces.and_then(|message| written(descriptor, &message)), &whole);
    let shared = Bytes::copy_from_slice(case.input);
    let shared = M::decode_shared(&shared).map_err(|error| error.to_string());
    report.same("shared", case, &shared.and_then(|message| written(descriptor, &message)), &whole);
}

/// Without bytes: dynamic messages out of structs and back, and both printed. The entries of maps may be in any order.
pub fn dynamic<M: Message + DecodeOwned>(
    report: &mut Report,
    schema: &'static str,
    descriptor: &MessageDescriptor,
    file: &'static [u8],
) {
    for (number, input) in inputs(file).into_iter().enumerate() {
        let case = Case { schema, number, input };
        let (Ok(message), Ok(known)) = (M::decode(input), DynamicMessage::decode(descriptor, input)) else {
            continue;
        };
        inputs_of_other_kinds::<M>(report, &case, descriptor, &canonical(&known));
        let mut copy = DynamicMessage::new(descriptor);
        let one = copy.transcode_from(&message).map(|()| canonical(&copy));
        report.same("to a dynamic message", &case, &one, &Ok::<_, String>(canonical(&known)));
        let back = known.transcode_to::<M>();
        let back = back.map_err(|error| error.to_string()).and_then(|back| written(descriptor, &back));
        report.same("from a dynamic message", &case, &back, &Ok::<_, String>(canonical(&known)));
        for (what, text, other) in [
            ("printed JSON", tablepb::json::to_string(&message), tablepb::json::to_string(&known)),
            ("printed text", tablepb::text::to_string(&message), tablepb::text::to_string(&known)),
        ] {
            let form = |text: String| {
                let mut text = text.into_bytes();
                text.sort_unstable();
                text
            };
            report.same(what, &case, &text.map(form), &other.map(form));
        }
    }
}

/// JSON or text: parsed, and merged into a message that has something in it.
pub fn text<M: Message + DecodeOwned>(
    report: &mut Report,
    schema: &'static str,
    descriptor: &MessageDescriptor,
    json: bool,
    file: &'static [u8],
) {
    let (mut kept, mut kept_dynamic) = (M::default(), DynamicMessage::new(descriptor));
    kept.clear();
    for (number, input) in inputs(file).into_iter().enumerate() {
        let case = Case { schema, number, input };
        let (what, merged, one, other) = if json {
            let (one, other) =
                (tablepb::json::from_slice::<M>(input), tablepb::json::message_from_slice(descriptor, input));
            ("JSON", "merged JSON", one, other)
        } else {
            let (one, other) =
                (tablepb::text::from_slice::<M>(input), tablepb::text::message_from_slice(descriptor, input));
            ("text", "merged text", one, other)
        };
        let one = one.map_err(|error| error.to_string()).and_then(|one| written(descriptor, &one));
        let other = other.map(|other| canonical(&other));
        report.same(what, &case, &one, &other);
        let (one, other) = if json {
            (
                tablepb::json::merge_from_slice(&mut kept, input),
                tablepb::json::merge_from_slice(&mut kept_dynamic, input),
            )
        } else {
            (
                tablepb::text::merge_from_slice(&mut kept, input),
                tablepb::text::merge_from_slice(&mut kept_dynamic, input),
            )
        };
        let one = one.map_err(|error| error.to_string()).and_then(|()| written(descriptor, &kept));
        let other = other.map(|()| canonical(&kept_dynamic));
        report.same(merged, &case, &one, &other);
        if one.is_err() || number % 5 == 0 {
            (kept, kept_dynamic) = (M::default(), DynamicMessage::new(descriptor));
            kept.clear();
        }
    }
}
