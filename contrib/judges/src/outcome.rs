//! [`Outcome`]: what an implementation made of an input, in a form in which all can be compared; and what the court says of it.

use crate::judge::{Answer, Court};
use serde_json::Value;
use tablepb::{DynamicMessage, MessageDescriptor};

#[derive(Clone, Debug)]
pub enum Outcome {
    /// With the error, which reports show.
    #[expect(dead_code, reason = "shown by Debug")]
    Refused(String),
    /// A message, as text: there is more than one NaN.
    Message(String),
    Json(Value),
}

impl Outcome {
    /// A message that a judge has written as bytes.
    pub fn message(descriptor: &MessageDescriptor, answer: Answer) -> Option<Self> {
        Some(match answer {
            Answer::Done(bytes) => match DynamicMessage::decode(descriptor, &bytes) {
                Ok(message) => Self::Message(message.to_string()),
                Err(error) => Self::Message(format!("{error} in {bytes:02x?}")),
            },
            Answer::Refused(error) => Self::Refused(error),
            Answer::Cannot => return None,
        })
    }

    /// What the library makes of it.
    pub fn ours(message: Result<DynamicMessage, impl ToString>) -> Self {
        match message {
            Ok(message) => Self::Message(message.to_string()),
            Err(error) => Self::Refused(error.to_string()),
        }
    }

    /// A document that a judge has printed.
    pub fn json(answer: Answer) -> Option<Self> {
        Some(match answer {
            Answer::Done(text) => match serde_json::from_slice(&text) {
                Ok(value) => Self::Json(value),
                Err(error) => Self::Message(format!("{error} in {}", String::from_utf8_lossy(&text))),
            },
            Answer::Refused(error) => Self::Refused(error),
            Answer::Cannot => return None,
        })
    }

    /// Whether both are the same. Why one refuses does not matter.
    pub fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Refused(_), Self::Refused(_)) => true,
            (Self::Message(one), Self::Message(other)) => one == other,
            (Self::Json(one), Self::Json(other)) => same(one, other),
            _ => false,
        }
    }
}

/// Whether two documents say the same: numbers that are equal may be spelt differently.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64().map(|x| x as f32) == other.as_f64().map(|x| x as f32)
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, value)| other.get(name).is_some_and(|other| same(value, other)))
        }
        (one, other) => one == other,
    }
}

/// What the court says of an outcome of ours.
#[derive(Debug)]
pub enum Verdict {
    /// All judges that answer say the same.
    Agreed,
    /// They agree with each other and not with us.
    Differs(Outcome),
    /// They differ: who says what we say, and who does not; and what these say.
    Split(String, String),
    /// None answers.
    None,
}

pub fn verdict(court: &Court, ours: &Outcome, theirs: Vec<Option<Outcome>>) -> Verdict {
    let said = || court.0.iter().zip(&theirs).filter_map(|(judge, said)| Some((judge, said.as_ref()?)));
    let Some((_, first)) = said().next() else { return Verdict::None };
    let with: Vec<&str> = said().filter(|(_, said)| said.is(ours)).map(|(judge, _)| &*judge.name).collect();
    if with.len() == said().count() {
        return Verdict::Agreed;
    }
    if with.is_empty() && said().all(|(_, said)| said.is(first)) {
        return Verdict::Differs(first.clone());
    }
    let against = said().filter(|(_, said)| !said.is(ours)).map(|(judge, said)| match said {
        Outcome::Refused(_) => format!("{} refuses", judge.name),
        _ => judge.name.clone(),
    });
    let against: Vec<String> = against.collect();
    let details = said().filter(|(_, said)| !said.is(ours));
    let details = details.map(|(judge, said)| format!("\n      {} {said:?}", judge.name)).collect();
    let ours = if matches!(ours, Outcome::Refused(_)) { "refuse" } else { "take" };
    Verdict::Split(format!("we {ours} with [{}], against [{}]", with.join(" "), against.join(" ")), details)
}
