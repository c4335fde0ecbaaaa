//! Random schemas and messages beside other implementations. The README has the protocol, what is compared and what came out.

#[allow(dead_code, reason = "the tests of the library use the rest")]
#[path = "../../../tests/common/choices.rs"]
mod choices;
mod judge;
mod mutate;
mod outcome;
#[allow(dead_code, reason = "the tests of the library use the rest")]
#[path = "../../../tests/common/payload.rs"]
mod payload;
mod report;
#[allow(dead_code, reason = "the tests of the library use the rest")]
#[path = "../../../tests/common/schema.rs"]
mod schema;
#[allow(dead_code, reason = "the tests of the library use the rest")]
#[path = "../../../tests/common/schema_gen.rs"]
mod schema_gen;
mod shrink;
#[allow(dead_code, reason = "the tests of the library use the rest")]
#[path = "../../../tests/common/wire.rs"]
mod wire;

use choices::Choices;
use clap::Parser;
use judge::{Answer, Court, Judge};
use outcome::{Outcome, Verdict, verdict};
use report::Report;
use schema::Syntax;
use schema_gen::Limits;
use std::error::Error;
use tablepb::{DecodeOptions, DynamicMessage, MessageDescriptor};

type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

/// Compares random messages with what other implementations make of them.
#[derive(Parser)]
struct Arguments {
    /// FROM..TO: a schema for each.
    #[arg(long, default_value = "0..100")]
    seeds: String,
    /// Messages of each schema.
    #[arg(long, default_value_t = 20)]
    messages: usize,
    /// With MessageSets, which not every implementation knows.
    #[arg(long)]
    message_sets: bool,
    /// Bytes only: no JSON, no text.
    #[arg(long)]
    binary: bool,
    /// Cases of each kind that are shown, each as small as it gets.
    #[arg(long, default_value_t = 3)]
    show: usize,
    /// NAME=COMMAND of each judge.
    #[arg(last = true, required = true)]
    judges: Vec<String>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let (from, to) = arguments.seeds.split_once("..").ok_or("--seeds takes FROM..TO")?;
    let judges: Result<Vec<Judge>> = arguments.judges.iter().map(|judge| Judge::start(judge)).collect();
    let mut session = Session {
        court: Court(judges?),
        report: Report::new(arguments.show),
        binary: arguments.binary,
        choices: Choices::seeded(0),
    };
    for seed in from.parse::<u64>()?..to.parse()? {
        session.schema(seed, &arguments)?;
    }
    print!("{}", session.report);
    if session.report.is_clean() { Ok(()) } else { Err("tablepb differs from all judges".into()) }
}

/// The forms of a message, the byte that asks for each, and what it is called in the report.
#[derive(Clone, Copy)]
enum Form {
    Binary,
    Json,
    Text,
}

struct Session {
    court: Court,
    report: Report,
    binary: bool,
    choices: Choices,
}

impl Session {
    fn schema(&mut self, seed: u64, arguments: &Arguments) -> Result<()> {
        self.choices = Choices::seeded(seed);
        let syntaxes = &[Syntax::Proto3, Syntax::Proto2, Syntax::Edition2023];
        let limits = Limits { syntaxes, message_sets: arguments.message_sets, wide: true };
        let mut schema = schema_gen::schema(&mut self.choices, limits);
        // C++ and Go refuse oneofs whose members are not one after the other.
        for message in &mut schema.messages {
            message.fields.sort_by_key(|field| field.oneof.map_or(0, |oneof| 1 + oneof));
        }
        self.report.count("schemas");
        let name = schema.full_name(0);
        let descriptor = schema.pool().message(&name)?;
        self.court.0.iter_mut().for_each(|judge| judge.sits = true);
        for (question, body) in [(b'S', schema.descriptor_set()), (b'T', name.into_bytes())] {
            let answers = self.court.ask(question, &body)?;
            for (judge, answer) in self.court.0.iter_mut().zip(answers) {
                if judge.sits && matches!(answer, Answer::Refused(_)) {
                    self.report.count(&format!("schemas that {} refuses", judge.name));
                    judge.sits = false;
                }
            }
        }
        for number in 0..arguments.messages {
            let case = format!("seed {seed}, message {number}");
            let mut payload = || payload::payload(&schema, 0, &mut self.choices, payload::TAME);
            let (bytes, other) = (payload(), payload());
            self.message(&case, &descriptor, &bytes, &other)?;
        }
        Ok(())
    }

    /// A message in all forms; with another one after it, which is merged; and inputs that are nearly a message.
    fn message(
        &mut self,
        case: &str,
        descriptor: &MessageDescriptor,
        bytes: &[u8],
        other: &[u8],
    ) -> Result<()> {
        self.read(Form::Binary, "bytes", case, descriptor, bytes)?;
        self.read(Form::Binary, "merged bytes", case, descriptor, &[bytes, other].concat())?;
        for _ in 0..2 {
            let mut changed = bytes.to_vec();
            payload::mutate(&mut changed, &mut self.choices);
            self.read(Form::Binary, "changed bytes", case, descriptor, &changed)?;
        }
        let Ok(message) = DynamicMessage::decode(descriptor, bytes) else { return Ok(()) };
        if self.binary {
            return Ok(());
        }
        self.printed_json(case, bytes, &message)?;
        if let Ok(json) = tablepb::json::to_string(&message) {
            self.read(Form::Json, "JSON", case, descriptor, json.as_bytes())?;
            for _ in 0..3 {
                let changed = mutate::json(&json, &mut self.choices);
                self.read(Form::Json, "changed JSON", case, descriptor, changed.as_bytes())?;
            }
        }
        // Unknown fields are numbers in text, which readers refuse.
        let known = DecodeOptions::new().discard_unknown(true).decode_dynamic(descriptor, bytes)?;
        self.printed_text(case, descriptor, &known)?;
        let text = tablepb::text::to_string(&known)?;
        self.read(Form::Text, "text", case, descriptor, text.as_bytes())?;
        for _ in 0..2 {
            let changed = mutate::text(&text, &mut self.choices);
            self.read(Form::Text, "changed text", case, descriptor, changed.as_bytes())?;
        }
        Ok(())
    }

    /// An input that all read. What differs is made smaller as long as it differs.
    fn read(
        &mut self,
        form: Form,
        what: &str,
        case: &str,
        descriptor: &MessageDescriptor,
        input: &[u8],
    ) -> Result<()> {
        self.report.count(what);
        let found = self.judged(form, descriptor, input)?;
        let Verdict::Differs(_) = &found else {
            let shown =
                || format!("{}\n      ours {:?}", case_of(case, form, input), ours(form, descriptor, input));
            self.report.add(what, found, shown);
            return Ok(());
        };
        let mut differs =
            |input: &[u8]| matches!(self.judged(form, descriptor, input), Ok(Verdict::Differs(_)));
        let small = match (form, std::str::from_utf8(input)) {
            (Form::Json | Form::Text, Ok(text)) => {
                shrink::text(text, |text| differs(text.as_bytes())).into_bytes()
            }
            _ => shrink::bytes(input, differs),
        };
        let ours = ours(form, descriptor, &small);
        let found = self.judged(form, descriptor, &small)?;
        let shown = format!("{}\n      {descriptor:?}\n      ours {ours:?}", case_of(case, form, &small));
        self.report.add(what, found, || shown);
        Ok(())
    }

    fn judged(&mut self, form: Form, descriptor: &MessageDescriptor, input: &[u8]) -> Result<Verdict> {
        let question = match form {
            Form::Binary => b'B',
            Form::Json => b'J',
            Form::Text => b'X',
        };
        let answers = self.court.ask(question, input)?;
        let theirs = answers.into_iter().map(|answer| Outcome::message(descriptor, answer)).collect();
        Ok(verdict(&self.court, &ours(form, descriptor, input), theirs))
    }

    /// The JSON that all print.
    fn printed_json(&mut self, case: &str, bytes: &[u8], message: &DynamicMessage) -> Result<()> {
        self.report.count("printed JSON");
        let ours = match tablepb::json::to_string(message) {
            Ok(text) => Outcome::Json(serde_json::from_str(&text)?),
            Err(error) => Outcome::Refused(error.to_string()),
        };
        let theirs = self.court.ask(b'j', bytes)?.into_iter().map(Outcome::json).collect();
        let found = verdict(&self.court, &ours, theirs);
        self.report
            .add("printed JSON", found, || format!("{} ours {ours:?}", case_of(case, Form::Binary, bytes)));
        Ok(())
    }

    /// The text of each judge, which we read: all of them are the message.
    fn printed_text(
        &mut self,
        case: &str,
        descriptor: &MessageDescriptor,
        message: &DynamicMessage,
    ) -> Result<()> {
        self.report.count("printed text");
        let bytes = message.encode_to_vec()?;
        let ours = Outcome::Message(message.to_string());
        let read = |answer: Answer| match answer {
            Answer::Done(text) => {
                let text = String::from_utf8_lossy(&text).into_owned();
                Some(Outcome::ours(tablepb::text::message_from_str(descriptor, &text)))
            }
            Answer::Refused(error) => Some(Outcome::Refused(error)),
            Answer::Cannot => None,
        };
        let theirs = self.court.ask(b'x', &bytes)?.into_iter().map(read).collect();
        let found = verdict(&self.court, &ours, theirs);
        self.report.add("printed text", found, || case_of(case, Form::Binary, &bytes));
        Ok(())
    }
}

/// What the library makes of an input.
fn ours(form: Form, descriptor: &MessageDescriptor, input: &[u8]) -> Outcome {
    match form {
        Form::Binary => Outcome::ours(DynamicMessage::decode(descriptor, input)),
        Form::Json => Outcome::ours(tablepb::json::message_from_slice(descriptor, input)),
        Form::Text => match std::str::from_utf8(input) {
            Ok(text) => Outcome::ours(tablepb::text::message_from_str(descriptor, text)),
            Err(error) => Outcome::Refused(error.to_string()),
        },
    }
}

fn case_of(case: &str, form: Form, input: &[u8]) -> String {
    match form {
        Form::Binary => {
            format!("{case}: {}", input.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
        }
        Form::Json | Form::Text => format!("{case}: {}", String::from_utf8_lossy(input)),
    }
}
