//! What a message must be for a query to show it.

use super::cell;
use crate::failure::Failure;
use crate::format;
use crate::messages;
use crate::source::Payload;
use std::cmp::Ordering;
use tablepb::partial::{Projection, ValuePath};
use tablepb::schema::FieldKind;
use tablepb::table::Kind;
use tablepb::{Decoder, MessageDescriptor, ValueRef};

/// All of them must hold.
pub struct Conditions {
    /// Decodes the fields that they name.
    decoder: Decoder,
    all: Vec<Condition>,
}

struct Condition {
    path: ValuePath,
    operator: Operator,
    literal: Literal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// The longer ones first, for `<=` begins with `<`.
const OPERATORS: [(&str, Operator); 6] = [
    ("!=", Operator::NotEqual),
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("=", Operator::Equal),
    ("<", Operator::Less),
    (">", Operator::Greater),
];

#[derive(Debug, PartialEq)]
enum Literal {
    Integer(i128),
    Float(f64),
    Bool(bool),
    Text(String),
    Bytes(Vec<u8>),
}

impl Conditions {
    /// The conditions that these texts say.
    pub fn new<'t>(
        schema: &MessageDescriptor,
        texts: impl Iterator<Item = &'t str>,
    ) -> Result<Self, Failure> {
        let usage = |error: tablepb::partial::PathError| Failure::Usage(error.to_string());
        let (mut all, mut paths) = (Vec::new(), Vec::new());
        for text in texts {
            let Some((path, operator, value)) = split(text) else {
                let text = format!("{text}: a condition is a path, one of = != < <= > >= and a value");
                return Err(Failure::Usage(text));
            };
            let found = ValuePath::new(schema, path).map_err(usage)?;
            let literal = literal(&found.field().kind(), value)
                .map_err(|fault| Failure::Usage(format!("{text}: {fault}")))?;
            all.push(Condition { path: found, operator, literal });
            paths.push(cell::selected(schema, path));
        }
        let projection = Projection::new(schema, &paths).map_err(usage)?;
        Ok(Self { decoder: Decoder::new(schema).with_projection(&projection), all })
    }

    /// Whether a message meets all of them.
    pub fn hold(&mut self, payload: &Payload<'_>) -> Result<bool, Failure> {
        if self.all.is_empty() {
            return Ok(true);
        }
        let view = messages::decode(&mut self.decoder, payload)?;
        Ok(self.all.iter().all(|condition| {
            let mut values = view.values(&condition.path);
            match condition.operator {
                Operator::NotEqual => values.all(|value| condition.met_by(value)),
                _ => values.any(|value| condition.met_by(value)),
            }
        }))
    }
}

impl Condition {
    fn met_by(&self, value: ValueRef<'_, '_>) -> bool {
        let order = compare(value, &self.literal);
        match self.operator {
            Operator::Equal => order == Some(Ordering::Equal),
            Operator::NotEqual => order != Some(Ordering::Equal),
            Operator::Less => order == Some(Ordering::Less),
            Operator::Greater => order == Some(Ordering::Greater),
            Operator::LessOrEqual => order.is_some_and(Ordering::is_le),
            Operator::GreaterOrEqual => order.is_some_and(Ordering::is_ge),
        }
    }
}

/// Path, operator and value; the first operator counts.
fn split(text: &str) -> Option<(&str, Operator, &str)> {
    let at = text.find(['=', '!', '<', '>'])?;
    let (path, rest) = text.split_at(at);
    let (sign, operator) = OPERATORS.iter().find(|(sign, _)| rest.starts_with(sign))?;
    Some((path.trim(), *operator, &rest[sign.len()..]))
}

/// The value that a text means for a field of this kind, or why it means none.
fn literal(kind: &FieldKind, text: &str) -> Result<Literal, String> {
    let word = text.trim();
    let no = |expected: &str| format!("{text:?} is not {expected}");
    match kind {
        Kind::String => Ok(Literal::Text(text.into())),
        Kind::Float | Kind::Double => word.parse().map(Literal::Float).map_err(|_| no("a number")),
        Kind::Bool => word.parse().map(Literal::Bool).map_err(|_| no("true or false")),
        Kind::Bytes => {
            let mut bytes = Vec::new();
            let read = format::from_base64(text.as_bytes(), &mut bytes);
            read.map(|()| Literal::Bytes(bytes)).map_err(|_| no("base64"))
        }
        Kind::Enum(enumeration) => match enumeration.value(word) {
            Ok(value) => Ok(Literal::Integer(value.number().into())),
            Err(_) => match word.parse::<i32>() {
                Ok(number) => Ok(Literal::Integer(number.into())),
                Err(_) => Err(no(&format!("a value of {}", enumeration.full_name()))),
            },
        },
        Kind::Message(message) => {
            Err(format!("the field is a {}; a path goes on to one of its fields", message.full_name()))
        }
        _ => word.parse().map(Literal::Integer).map_err(|_| no("an integer")),
    }
}

/// How a value stands to a literal; `None` if they cannot be compared.
fn compare(value: ValueRef<'_, '_>, literal: &Literal) -> Option<Ordering> {
    match (value, literal) {
        (ValueRef::I32(v) | ValueRef::EnumNumber(v), Literal::Integer(l)) => Some(i128::from(v).cmp(l)),
        (ValueRef::I64(v), Literal::Integer(l)) => Some(i128::from(v).cmp(l)),
        (ValueRef::U32(v), Literal::Integer(l)) => Some(i128::from(v).cmp(l)),
        (ValueRef::U64(v), Literal::Integer(l)) => Some(i128::from(v).cmp(l)),
        // 0.1 means the float that is nearest to it.
        (ValueRef::F32(v), Literal::Float(l)) => v.partial_cmp(&(*l as f32)),
        (ValueRef::F64(v), Literal::Float(l)) => v.partial_cmp(l),
        (ValueRef::Bool(v), Literal::Bool(l)) => Some(v.cmp(l)),
        (ValueRef::String(v), Literal::Text(l)) => Some(v.cmp(l.as_str())),
        (ValueRef::Bytes(v), Literal::Bytes(l)) => Some(v.cmp(l.as_slice())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_operator_splits() {
        assert_eq!(split("a.b=c"), Some(("a.b", Operator::Equal, "c")));
        assert_eq!(split("a <= -5"), Some(("a", Operator::LessOrEqual, " -5")));
        assert_eq!(split("a!=b=c"), Some(("a", Operator::NotEqual, "b=c")));
        assert_eq!(split("a="), Some(("a", Operator::Equal, "")));
        assert_eq!((split("a"), split("a!b")), (None, None));
    }

    #[test]
    fn values_are_compared_by_their_kind() {
        let order = |value, text, kind| compare(value, &literal(&kind, text).unwrap());
        assert_eq!(
            order(ValueRef::U64(u64::MAX), "18446744073709551615", Kind::Uint64),
            Some(Ordering::Equal)
        );
        assert_eq!(order(ValueRef::I64(-10), "-9", Kind::Int64), Some(Ordering::Less));
        assert_eq!(order(ValueRef::F32(0.1), "0.1", Kind::Float), Some(Ordering::Equal));
        assert_eq!(order(ValueRef::F64(f64::NAN), "0", Kind::Double), None);
        assert_eq!(order(ValueRef::String("10"), "9", Kind::String), Some(Ordering::Less));
        assert!(literal(&Kind::Int32, "x").is_err() && literal(&Kind::Bool, "1").is_err());
    }
}
