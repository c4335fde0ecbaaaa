//! Values in braces: messages in text format.

use super::{Done, Halt, MAX_DEPTH, Node, NodeValue, Options, extension_name};
use crate::compile::error::SourceErrorKind;
use crate::compile::names::symbols::{Scope, Symbol};
use crate::compile::parse::ast::{Chain, MessageKind, NONE};
use crate::compile::parse::codes::{label, type_code};
use crate::compile::parse::lexer::{Lexer, Token, TokenKind};
use crate::compile::wire::Out;
use crate::memory::Room;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

impl<'a> Options<'a> {
    /// The fields of a message up to the symbol that closes it.
    pub(super) fn aggregate(
        &mut self,
        lexer: &mut Lexer<'_>,
        message: u32,
        close: u8,
        depth: usize,
        room: &mut Room,
    ) -> Done<Chain> {
        let mut chain = Chain::default();
        loop {
            let token = lexer.next();
            if token.symbol == close {
                self.end_aggregate(&mut chain, message, token, room)?;
                return Ok(chain);
            }
            if depth > MAX_DEPTH {
                return Err(self.at(token, SourceErrorKind::TooDeep, &"more than 64 messages"));
            }
            if token.symbol == b'[' {
                self.bracketed(lexer, message, &mut chain, depth, room)?;
            } else if token.kind == TokenKind::Identifier {
                let name = self.text(token);
                let Some(field) = self.text_field(message, name, room)? else {
                    return Err(self.unknown(message, name, (token.start, token.end)));
                };
                self.field_values(lexer, field, (token.start, token.end), &mut chain, depth, room)?;
            } else {
                return Err(self.at(token, SourceErrorKind::InvalidSyntax, &"expected the name of a field"));
            }
            // A separator.
            let mut ahead = lexer.clone();
            if matches!(ahead.next().symbol, b',' | b';') {
                *lexer = ahead;
            }
        }
    }

    /// Checks what is set together, and completes the entry of a map.
    fn end_aggregate(&mut self, chain: &mut Chain, message: u32, close: Token, room: &mut Room) -> Done {
        let ast = self.ast;
        let base = self.sorted(*chain, |field| (field.oneof != NONE).then_some(field.oneof), room)?;
        let of = |index: &u32| {
            self.nodes
                .get(*index)
                .and_then(|node| ast.fields.get(node.field))
                .map_or(NONE, |field| field.oneof)
        };
        let members = self.order.get(base..).unwrap_or_default().windows(2);
        let second = members
            .filter_map(|two| two.split_last())
            .find(|(last, first)| first.first().map(of) == Some(of(last)));
        let second = second.and_then(|(&last, _)| self.nodes.get(last)).map(|node| (node.start, node.end));
        self.order.truncate(base);
        if let Some((start, end)) = second {
            let detail = "a member of its oneof is set already";
            return Err(self.fail(SourceErrorKind::InvalidOption, start, end, &detail));
        }
        let Some(found) = ast.messages.get(message) else { return Ok(()) };
        if found.kind == MessageKind::MapEntry {
            for (index, field) in ast.fields.of(found.fields) {
                if self.nodes.of(*chain).any(|(_, node)| node.field == index && !node.silent) {
                    continue;
                }
                let value = match i32::from(field.type_code) {
                    type_code::MESSAGE | type_code::GROUP => {
                        self.check_required(self.order.len(), field.target, (close.start, close.end))?;
                        NodeValue::Message(Chain::default())
                    }
                    type_code::STRING | type_code::BYTES => NodeValue::Bytes(0, 0),
                    _ => NodeValue::Number(0),
                };
                self.nodes.push(room, chain, Node::new(index, (close.start, close.end), value))?;
            }
        }
        if self.fields.required(message).is_empty() {
            return Ok(());
        }
        let base = self.sorted(*chain, |field| Some(field.number as u32), room)?;
        let checked = self.check_required(base, message, (close.start, close.end));
        self.order.truncate(base);
        checked
    }

    #[cold]
    fn at(&mut self, token: Token, kind: SourceErrorKind, detail: &dyn fmt::Display) -> Halt {
        self.fail(kind, token.start, token.end.max(token.start + 1), detail)
    }

    /// A field by its name, or a group by the name of its type.
    fn text_field(&self, message: u32, name: &str, room: &mut Room) -> Done<Option<u32>> {
        if let Some(field) = self.field_of(message, name) {
            return Ok(Some(field));
        }
        if !name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Ok(None);
        }
        let mut lower = String::new();
        room.extend_text(&mut lower, name.len())?;
        lower.push_str(name);
        lower.make_ascii_lowercase();
        let found = self.field_of(message, &lower);
        room.drop_list(lower.into_bytes());
        let is_group = |index: &u32| {
            let Some(field) = self.ast.fields.get(*index) else { return false };
            let group = i32::from(field.type_code) == type_code::GROUP || self.is_delimited(field);
            let of = self.ast.messages.get(field.target);
            group && of.is_some_and(|of| self.texts.get(of.name) == name)
        };
        Ok(found.filter(is_group))
    }

    /// `[name]` of an extension, or `[url/name]` of the type in a `google.protobuf.Any`.
    fn bracketed(
        &mut self,
        lexer: &mut Lexer<'_>,
        message: u32,
        chain: &mut Chain,
        depth: usize,
        room: &mut Room,
    ) -> Done {
        let (name, (start, end), close) = extension_name(&self.texts.sources, lexer, room)?;
        if close.symbol != b']' {
            return Err(self.at(close, SourceErrorKind::InvalidSyntax, &"expected \"]\""));
        }
        let text = core::str::from_utf8(&name).unwrap_or("");
        let done = if let Some((_, type_name)) = text.rsplit_once('/') {
            self.any(lexer, message, (text, type_name, start, end), chain, depth, room)
        } else {
            let scope = self.scope_of(message);
            self.text_extension(message, text, scope, (start, end), room)
                .and_then(|field| self.field_values(lexer, field, (start, end), chain, depth, room))
        };
        room.drop_list(name);
        done
    }

    /// An extension by its name, or in a MessageSet by that of its type.
    fn text_extension(
        &mut self,
        message: u32,
        name: &str,
        scope: Scope,
        place: (u32, u32),
        room: &mut Room,
    ) -> Done<u32> {
        let (ast, texts) = (self.ast, self.texts);
        let set = ast.messages.get(message).is_some_and(|message| message.message_set);
        if set
            && let Some(Symbol::Message(item)) = self.symbols.resolve((ast, texts), scope, name, false)
            && let Some(field) = self.fields.item(item, message)
        {
            return Ok(field);
        }
        self.extension(message, name, scope, place, room)
    }

    /// A `google.protobuf.Any` with its message in clear.
    fn any(
        &mut self,
        lexer: &mut Lexer<'_>,
        message: u32,
        (url, name, start, end): (&str, &str, u32, u32),
        chain: &mut Chain,
        depth: usize,
        room: &mut Room,
    ) -> Done {
        let mut own = Vec::new();
        let scope = self.scope_of(message);
        if let Some(found) = self.ast.messages.get(message) {
            self.symbols.full_name((self.ast, self.texts), scope, found.name, &mut own, room)?;
        }
        let is_any = own == b".google.protobuf.Any";
        room.drop_list(own);
        let prefix = url.get(..url.len() - name.len()).unwrap_or("");
        let known = is_any && matches!(prefix, "type.googleapis.com/" | "type.googleprod.com/");
        let fields = self.field_of(message, "type_url").zip(self.field_of(message, "value"));
        let of = self.symbols.resolve((self.ast, self.texts), Scope::Package(0), name, true);
        let (Some((type_url, value)), Some(Symbol::Message(of)), true) = (fields, of, known) else {
            let detail = format_args!("{url} is not the URL of a type that this file sees");
            return Err(self.fail(SourceErrorKind::InvalidOption, start, end, &detail));
        };
        if self.nodes.of(*chain).any(|(_, node)| [type_url, value].contains(&node.field) && !node.silent) {
            return Err(self.fail(SourceErrorKind::InvalidOption, start, end, &"the Any is set already"));
        }
        let url_start = self.bytes.len();
        room.extend(&mut self.bytes, url.as_bytes())?;
        let url_value = NodeValue::Bytes(url_start, self.bytes.len());
        self.set(type_url, (start, end), url_value, chain, room)?;
        let token = after_colon(lexer);
        let outer = core::mem::replace(&mut self.in_any, true);
        let inner = self.braces(lexer, token, of, depth, room)?;
        let mut out = Out::default();
        self.message(inner, of, &mut out, room, depth)?;
        self.in_any = outer;
        let from = self.bytes.len();
        room.extend(&mut self.bytes, &out.bytes)?;
        room.drop_list(out.bytes);
        let content = NodeValue::Bytes(from, self.bytes.len());
        self.set(value, (start, end), content, chain, room)
    }

    /// Adds a field that stands in braces.
    fn set(
        &mut self,
        field: u32,
        place: (u32, u32),
        value: NodeValue,
        chain: &mut Chain,
        room: &mut Room,
    ) -> Done {
        let silent =
            value.is_zero() && self.ast.fields.get(field).is_some_and(|field| self.is_implicit(field));
        self.nodes.push(room, chain, Node { silent, ..Node::new(field, place, value) })?;
        Ok(())
    }

    /// What stands after the name of a field: a value, or a list of values.
    fn field_values(
        &mut self,
        lexer: &mut Lexer<'_>,
        field: u32,
        place: (u32, u32),
        chain: &mut Chain,
        depth: usize,
        room: &mut Room,
    ) -> Done {
        let Some(found) = self.ast.fields.get(field) else { return Ok(()) };
        let is_message = matches!(i32::from(found.type_code), type_code::MESSAGE | type_code::GROUP);
        let mut ahead = lexer.clone();
        let colon = ahead.next();
        if colon.symbol == b':' {
            *lexer = ahead.clone();
        } else if !is_message {
            return Err(self.at(colon, SourceErrorKind::InvalidSyntax, &"expected \":\""));
        } else {
            ahead = lexer.clone();
        }
        let is_list = ahead.next().symbol == b'[';
        if !is_list {
            return self.field_value(lexer, field, place, chain, depth, room);
        }
        *lexer = ahead;
        if i32::from(found.label) != label::REPEATED {
            let detail = "a list of values for a field that is not repeated";
            return Err(self.fail(SourceErrorKind::InvalidOption, place.0, place.1, &detail));
        }
        let mut ahead = lexer.clone();
        if ahead.next().symbol == b']' {
            *lexer = ahead;
            return Ok(());
        }
        loop {
            self.field_value(lexer, field, place, chain, depth, room)?;
            let token = lexer.next();
            match token.symbol {
                b',' => {}
                b']' => return Ok(()),
                _ => return Err(self.at(token, SourceErrorKind::InvalidSyntax, &"expected \",\" or \"]\"")),
            }
        }
    }

    fn field_value(
        &mut self,
        lexer: &mut Lexer<'_>,
        field: u32,
        place: (u32, u32),
        chain: &mut Chain,
        depth: usize,
        room: &mut Room,
    ) -> Done {
        let Some(found) = self.ast.fields.get(field) else { return Ok(()) };
        let value = if matches!(i32::from(found.type_code), type_code::MESSAGE | type_code::GROUP) {
            let token = lexer.next();
            NodeValue::Message(self.braces(lexer, token, found.target, depth, room)?)
        } else {
            let literal = self.literal(lexer);
            // Strings that stand next to each other are one.
            let mut ahead = lexer.clone();
            while literal.token.kind == TokenKind::String && ahead.next().kind == TokenKind::String {
                *lexer = ahead.clone();
            }
            self.scalar(found, literal, true, room)?
        };
        self.set(field, place, value, chain, room)
    }

    /// A message in braces or angle brackets, of which the first has been read.
    fn braces(
        &mut self,
        lexer: &mut Lexer<'_>,
        open: Token,
        message: u32,
        depth: usize,
        room: &mut Room,
    ) -> Done<Chain> {
        let close = match open.symbol {
            b'{' => b'}',
            b'<' => b'>',
            _ => return Err(self.at(open, SourceErrorKind::InvalidSyntax, &"expected \"{\"")),
        };
        debug_assert!(message != NONE);
        self.aggregate(lexer, message, close, depth + 1, room)
    }
}

/// The next token, or the one after it if it is a colon.
fn after_colon(lexer: &mut Lexer<'_>) -> Token {
    let token = lexer.next();
    if token.symbol == b':' { lexer.next() } else { token }
}
