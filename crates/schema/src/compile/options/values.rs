//! Values of one token, or of some strings, by the type of their field.

use super::{Done, NodeValue, Options};
use crate::compile::error::SourceErrorKind;
use crate::compile::names::symbols::{Symbol, around};
use crate::compile::options::defaults::number_at;
use crate::compile::parse::ast::Field;
use crate::compile::parse::codes::type_code;
use crate::compile::parse::lexer::{Lexer, Token, TokenKind, integer, is_octal_or_hex};
use crate::compile::parse::strings::unescape;
use crate::memory::Room;
use tablepb::schema::Edition;

/// A value as it stands: sign and token.
#[derive(Clone, Copy)]
pub(super) struct Literal {
    pub(super) negative: bool,
    pub(super) token: Token,
    /// Where it begins, sign included.
    pub(super) start: u32,
}

impl<'a> Options<'a> {
    /// The value of an option, from a lexer in front of it.
    pub(super) fn option_value(
        &mut self,
        field: u32,
        lexer: &mut Lexer<'_>,
        room: &mut Room,
    ) -> Done<NodeValue> {
        let Some(found) = self.ast.fields.get(field) else { return Ok(NodeValue::Number(0)) };
        if found.is_unresolved() {
            return Err(super::Halt::Fault);
        }
        let literal = self.literal(lexer);
        if matches!(i32::from(found.type_code), type_code::MESSAGE | type_code::GROUP) {
            if literal.token.symbol != b'{' {
                return Err(self.wrong(literal, "the option is a message, whose value stands in braces"));
            }
            return self.aggregate(lexer, found.target, b'}', 1, room).map(NodeValue::Message);
        }
        self.scalar(found, literal, false, room)
    }

    pub(super) fn literal(&self, lexer: &mut Lexer<'_>) -> Literal {
        let first = lexer.next();
        let negative = first.symbol == b'-';
        let token = if negative { lexer.next() } else { first };
        Literal { negative, token, start: first.start }
    }

    #[cold]
    pub(super) fn wrong(&mut self, literal: Literal, detail: &str) -> super::Halt {
        let end = literal.token.end.max(literal.start + 1);
        self.fail(SourceErrorKind::InvalidOption, literal.start, end, &detail)
    }

    /// The value of a field that is no message. Text format takes more forms than options do.
    pub(super) fn scalar(
        &mut self,
        field: &Field,
        literal: Literal,
        text: bool,
        room: &mut Room,
    ) -> Done<NodeValue> {
        let code = i32::from(field.type_code);
        let word = if literal.token.kind == TokenKind::Identifier { self.text(literal.token) } else { "" };
        let number = match code {
            type_code::STRING | type_code::BYTES => return self.string(field, literal, room),
            type_code::BOOL => match word {
                _ if literal.negative => None,
                "true" => Some(1),
                "false" => Some(0),
                "t" | "True" if text => Some(1),
                "f" | "False" if text => Some(0),
                "" if text && literal.token.kind == TokenKind::Integer => {
                    integer(self.text(literal.token)).filter(|&value| value <= 1)
                }
                _ => None,
            },
            type_code::ENUM => return self.enum_value(field, literal, text, room),
            type_code::DOUBLE | type_code::FLOAT => self.float(code, literal, word, text),
            _ => self.integer(code, literal),
        };
        match number {
            Some(number) => Ok(NodeValue::Number(number)),
            None => Err(self.wrong(literal, expected(code))),
        }
    }

    fn string(&mut self, field: &Field, literal: Literal, room: &mut Room) -> Done<NodeValue> {
        let code = i32::from(field.type_code);
        if literal.token.kind != TokenKind::String || literal.negative {
            return Err(self.wrong(literal, expected(code)));
        }
        let start = self.bytes.len();
        unescape(&self.texts.sources, literal.token.start, &mut self.bytes, room)?;
        let value = self.bytes.get(start..).unwrap_or_default();
        // As in messages, strings of proto2 may hold any bytes.
        let is_checked =
            self.ast.files.get(field.file as usize).is_none_or(|file| file.edition != Edition::Proto2);
        if code == type_code::STRING && is_checked && core::str::from_utf8(value).is_err() {
            return Err(self.wrong(literal, "the string is not valid UTF-8"));
        }
        Ok(NodeValue::Bytes(start, self.bytes.len()))
    }

    fn integer(&self, code: i32, literal: Literal) -> Option<u64> {
        if literal.token.kind != TokenKind::Integer {
            return None;
        }
        let size = integer(self.text(literal.token))?;
        let (signed, bits) = type_code::integer_shape(code);
        if !signed {
            return (size <= u64::MAX >> (64 - bits) && !literal.negative).then_some(size);
        }
        let most = (1u64 << (bits - 1)) - u64::from(!literal.negative);
        let value = if literal.negative { (size as i64).wrapping_neg() } else { size as i64 };
        let number = match code {
            type_code::SINT32 | type_code::SINT64 => ((value << 1) ^ (value >> 63)) as u64,
            _ => value as u64,
        };
        (size <= most).then_some(number)
    }

    fn float(&self, code: i32, literal: Literal, word: &str, text: bool) -> Option<u64> {
        let is = |name: &str| if text { word.eq_ignore_ascii_case(name) } else { word == name };
        let value = match literal.token.kind {
            TokenKind::Integer if text && is_octal_or_hex(self.text(literal.token)) => return None,
            TokenKind::Integer | TokenKind::Float => number_at(self.texts, literal.token.start),
            _ if is("inf") || (text && is("infinity")) => f64::INFINITY,
            _ if is("nan") => f64::NAN,
            _ => return None,
        };
        // C++ takes `-nan` as `nan` and the integer `-0` as 0, but not in text format.
        let unsigned = value.is_nan() || literal.token.kind == TokenKind::Integer && value == 0.0;
        let value = if literal.negative && (text || !unsigned) { -value } else { value };
        Some(if code == type_code::FLOAT { (value as f32).to_bits().into() } else { value.to_bits() })
    }

    fn enum_value(
        &mut self,
        field: &Field,
        literal: Literal,
        text: bool,
        room: &mut Room,
    ) -> Done<NodeValue> {
        let ast = self.ast;
        let Some(owner) = ast.enums.get(field.target) else { return Ok(NodeValue::Number(0)) };
        let token = literal.token;
        let encodings =
            ast.files.get(owner.file as usize).map(|file| (owner.encodings.or(file.encodings), file.edition));
        let closed = encodings.is_some_and(|(own, edition)| own.closed.unwrap_or(edition == Edition::Proto2));
        if token.kind == TokenKind::Identifier && !literal.negative {
            let name = self.text(token);
            let scope = around(ast, owner.file, owner.parent);
            if let Some((Symbol::Value(index), _)) = self.symbols.find(self.texts, scope, name)
                && let Some(value) = ast.values.get(index)
                && value.owner == field.target
            {
                self.check_support(value.support, literal.start, token.end, room)?;
                return Ok(NodeValue::Number(i64::from(value.number) as u64));
            }
            let of = self.texts.get(owner.name);
            let detail = format_args!("{of} has no value {name}");
            return Err(self.fail(SourceErrorKind::InvalidOption, token.start, token.end, &detail));
        }
        if text && token.kind == TokenKind::Integer {
            let number = self.integer(type_code::INT32, literal);
            if let Some(number) = number
                && (!closed || self.fields.lists(ast, field.target, number as i32, room)?)
            {
                return Ok(NodeValue::Number(number));
            }
        }
        Err(self.wrong(literal, expected(type_code::ENUM)))
    }
}

/// What the value of a type is.
const fn expected(code: i32) -> &'static str {
    match code {
        type_code::STRING | type_code::BYTES => "the value is a string",
        type_code::BOOL => "the value is true or false",
        type_code::ENUM => "the value is the name of an enum value",
        type_code::DOUBLE | type_code::FLOAT => "the value is a number",
        _ => match type_code::integer_shape(code) {
            (true, 32) => "the value is an integer of 32 bits",
            (false, 32) => "the value is an integer of 32 bits without a sign",
            (true, _) => "the value is an integer of 64 bits",
            _ => "the value is an integer of 64 bits without a sign",
        },
    }
}
