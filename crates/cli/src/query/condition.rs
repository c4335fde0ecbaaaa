//! What a row must be for a query to show it.

use super::place::{Elements, Place, Row, is_time, nanos};
use crate::failure::Failure;
use crate::format;
use regex_lite::Regex;
use std::cmp::Ordering;
use tablepb::schema::FieldKind;
use tablepb::table::Kind;
use tablepb::{MessageDescriptor, ValueRef, json, wkt};

/// What `--where` says.
pub enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    Test(Place, Test),
}

pub enum Test {
    Compare(Operator, Literal),
    In(Vec<Literal>),
    Matches(Regex),
    IsSet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
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
pub enum Literal {
    Integer(i128),
    Float(f64),
    Bool(bool),
    Text(String),
    Bytes(Vec<u8>),
    /// A time or a duration, in nanoseconds.
    Nanos(i128),
}

impl Condition {
    /// The condition that all these texts say, and the paths that it looks at.
    pub fn new<'t>(
        schema: &MessageDescriptor,
        elements: Option<&Elements>,
        texts: impl Iterator<Item = &'t str>,
    ) -> Result<(Self, Vec<String>), Failure> {
        let (mut all, mut paths) = (Vec::new(), Vec::new());
        for text in texts {
            let mut parser = Parser { schema, elements, text, rest: text, depth: 0, paths: &mut paths };
            let condition = parser.any()?;
            if !parser.rest.trim_start().is_empty() {
                return Err(parser.fail(format!("{:?} is left over", parser.rest.trim())));
            }
            all.push(condition);
        }
        Ok((Self::All(all), paths))
    }

    /// Whether a row meets it.
    pub fn holds(&self, row: Row<'_>) -> bool {
        match self {
            Self::All(all) => all.iter().all(|condition| condition.holds(row)),
            Self::Any(any) => any.iter().any(|condition| condition.holds(row)),
            Self::Not(condition) => !condition.holds(row),
            Self::Test(place, Test::IsSet) => place.is_given(row),
            // Of several values none may be the other.
            Self::Test(place, Test::Compare(Operator::NotEqual, literal)) => {
                !place.any(row, |value| compare(value, literal) == Some(Ordering::Equal))
            }
            Self::Test(place, Test::Compare(operator, literal)) => {
                place.any(row, |value| operator.allows(compare(value, literal)))
            }
            Self::Test(place, Test::In(literals)) => place.any(row, |value| {
                literals.iter().any(|literal| compare(value, literal) == Some(Ordering::Equal))
            }),
            Self::Test(place, Test::Matches(regex)) => place.any(row, |value| match (value, &place.kind) {
                (ValueRef::String(text), _) => regex.is_match(text),
                (ValueRef::EnumNumber(number), Kind::Enum(of)) => {
                    of.get_value(number).is_some_and(|value| regex.is_match(value.name()))
                }
                _ => false,
            }),
        }
    }
}

impl Operator {
    fn allows(self, order: Option<Ordering>) -> bool {
        match self {
            Self::Equal => order == Some(Ordering::Equal),
            Self::NotEqual => order != Some(Ordering::Equal),
            Self::Less => order == Some(Ordering::Less),
            Self::Greater => order == Some(Ordering::Greater),
            Self::LessOrEqual => order.is_some_and(Ordering::is_le),
            Self::GreaterOrEqual => order.is_some_and(Ordering::is_ge),
        }
    }
}

/// How deep parentheses stand in each other.
const MAX_DEPTH: usize = 100;

struct Parser<'p> {
    schema: &'p MessageDescriptor,
    elements: Option<&'p Elements>,
    text: &'p str,
    rest: &'p str,
    depth: usize,
    paths: &'p mut Vec<String>,
}

impl<'p> Parser<'p> {
    fn fail(&self, fault: impl std::fmt::Display) -> Failure {
        Failure::Usage(format!("{}: {fault}", self.text))
    }

    /// Takes a word, if it is next and ends there.
    fn word(&mut self, word: &str) -> bool {
        let rest = self.rest.trim_start();
        let Some(after) = rest.strip_prefix(word) else { return false };
        if !after.is_empty() && !after.starts_with(|c: char| c.is_whitespace() || matches!(c, '(' | ')')) {
            return false;
        }
        self.rest = after;
        true
    }

    fn symbol(&mut self, symbol: char) -> bool {
        let after = self.rest.trim_start().strip_prefix(symbol);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn any(&mut self) -> Result<Condition, Failure> {
        let mut any = vec![self.all()?];
        while self.word("or") {
            any.push(self.all()?);
        }
        Ok(if any.len() == 1 { any.remove(0) } else { Condition::Any(any) })
    }

    fn all(&mut self) -> Result<Condition, Failure> {
        let mut all = vec![self.one()?];
        while self.word("and") {
            all.push(self.one()?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Condition::All(all) })
    }

    fn one(&mut self) -> Result<Condition, Failure> {
        if self.depth == MAX_DEPTH {
            return Err(self.fail("parentheses are too deep"));
        }
        self.depth += 1;
        let found = if self.word("not") {
            Condition::Not(Box::new(self.one()?))
        } else if self.symbol('(') {
            let inner = self.any()?;
            if !self.symbol(')') {
                return Err(self.fail("a parenthesis is not closed"));
            }
            inner
        } else {
            self.test()?
        };
        self.depth -= 1;
        Ok(found)
    }

    fn test(&mut self) -> Result<Condition, Failure> {
        let rest = self.rest.trim_start();
        let end =
            rest.find(|c: char| c.is_whitespace() || matches!(c, '=' | '!' | '<' | '>' | '~' | '(' | ')'));
        let (path, rest) = rest.split_at(end.unwrap_or(rest.len()));
        self.rest = rest;
        let no_condition = "a condition is a path, one of = != < <= > >= ~ and a value, in (..) or is set";
        if path.is_empty() {
            return Err(self.fail(no_condition));
        }
        if self.word("is") {
            let not = self.word("not");
            if !self.word("set") {
                return Err(self.fail("`is set` or `is not set` was expected"));
            }
            let test = Condition::Test(self.place(path)?, Test::IsSet);
            return Ok(if not { Condition::Not(Box::new(test)) } else { test });
        }
        if self.word("in") {
            return self.one_of(path);
        }
        let rest = self.rest.trim_start();
        if let Some(after) = rest.strip_prefix('~') {
            self.rest = after;
            let pattern = self.value(false)?;
            let place = self.place(path)?;
            if !matches!(place.kind, Kind::String | Kind::Enum(_)) {
                return Err(self.fail("~ is for strings and enums"));
            }
            let regex = Regex::new(&pattern).map_err(|error| self.fail(error))?;
            return Ok(Condition::Test(place, Test::Matches(regex)));
        }
        let operator = OPERATORS.iter().find(|(sign, _)| rest.starts_with(sign));
        let Some(&(sign, operator)) = operator else { return Err(self.fail(no_condition)) };
        self.rest = &rest[sign.len()..];
        let text = self.value(false)?;
        let place = self.place(path)?;
        let literal = literal(&place.kind, &text).map_err(|fault| self.fail(fault))?;
        Ok(Condition::Test(place, Test::Compare(operator, literal)))
    }

    fn one_of(&mut self, path: &str) -> Result<Condition, Failure> {
        if !self.symbol('(') {
            return Err(self.fail("values in parentheses were expected"));
        }
        let place = self.place(path)?;
        let mut literals = Vec::new();
        loop {
            let text = self.value(true)?;
            literals.push(literal(&place.kind, &text).map_err(|fault| self.fail(fault))?);
            if self.symbol(')') {
                return Ok(Condition::Test(place, Test::In(literals)));
            }
            if !self.symbol(',') {
                return Err(self.fail("a parenthesis is not closed"));
            }
        }
    }

    fn place(&mut self, path: &str) -> Result<Place, Failure> {
        let place = Place::new(self.schema, path, self.elements)?;
        self.paths.push(path.to_owned());
        Ok(place)
    }

    /// A value: in quotes, or up to ` or `, ` and `, the parenthesis that closes one around it, or the end; in a list up to a comma too.
    fn value(&mut self, in_list: bool) -> Result<String, Failure> {
        let rest = self.rest.trim_start();
        if let Some(quote) = rest.chars().next().filter(|quote| matches!(quote, '"' | '\'')) {
            return self.quoted(&rest[1..], quote);
        }
        let closes = in_list || self.depth > 1;
        let words = ["or", "and"].into_iter().filter_map(|word| find_word(self.rest, word));
        let signs = self.rest.find(|c| closes && c == ')' || in_list && c == ',');
        let end = words.chain(signs).min().unwrap_or(self.rest.len());
        let (value, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(value.trim().to_owned())
    }

    fn quoted(&mut self, text: &'p str, quote: char) -> Result<String, Failure> {
        let mut value = String::new();
        let mut chars = text.char_indices();
        while let Some((at, c)) = chars.next() {
            if c == quote {
                self.rest = &text[at + 1..];
                return Ok(value);
            }
            // A backslash is before a quote or a backslash; elsewhere it is one, for patterns have many.
            let next = text[at + 1..].chars().next();
            match next {
                Some(next) if c == '\\' && (next == quote || next == '\\') => {
                    value.push(next);
                    chars.next();
                }
                _ => value.push(c),
            }
        }
        Err(self.fail("a quote is not closed"))
    }
}

/// Where the space before a word is.
fn find_word(text: &str, word: &str) -> Option<usize> {
    let space = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let ends = |after: &str| space(after.chars().next()) || after.starts_with('(');
    let mut places = text.match_indices(word).filter(|(at, _)| ends(&text[at + word.len()..]));
    let before =
        places.find_map(|(at, _)| text[..at].char_indices().next_back().filter(|(_, c)| c.is_whitespace()));
    before.map(|(at, _)| at)
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
            Err(missing) => match word.parse::<i32>() {
                Ok(number) => Ok(Literal::Integer(number.into())),
                Err(_) => {
                    let near = missing
                        .detail()
                        .split_once("; ")
                        .map_or_else(String::new, |(_, near)| format!(" ({near})"));
                    Err(no(&format!("a value of {}{near}", enumeration.full_name())))
                }
            },
        },
        Kind::Message(message) if is_time(message) => {
            let json = json::to_string(&wkt::StringValue { value: word.into() }).unwrap_or_default();
            let parsed = json::message_from_str(message, &json).ok();
            let found = parsed.and_then(|time| nanos(time.as_view()));
            let example = if message.name() == "Duration" {
                "a duration, as 1.5s"
            } else {
                "a time, as 2024-01-31T23:59:59Z"
            };
            found.map(Literal::Nanos).ok_or_else(|| no(example))
        }
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
        (ValueRef::Message(v), Literal::Nanos(l)) => Some(nanos(v)?.cmp(l)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
