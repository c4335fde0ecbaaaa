//! Fields, groups, maps, members of oneofs, extensions.

use super::definitions::span;
use super::options::OptionNote;
use super::{Parsed, Parser};
use crate::compile::error::SourceErrorKind;
use crate::compile::parse::ast::{Chain, Encodings, Field, Message, MessageKind, NONE, Span, make_text};
use crate::compile::parse::codes::{label, type_code, type_code_of};
use crate::compile::parse::lexer::{Lexer, Token, TokenKind};
use alloc::string::String;
use tablepb::schema::Edition;

/// The types of a map.
struct MapTypes {
    key: Type,
    value: Type,
}

/// A type: the code of a scalar, or a name.
#[derive(Clone, Copy)]
struct Type {
    code: u8,
    name: Span,
    at: u32,
}

impl<'s> Parser<'s, '_> {
    /// A new field of this file, with nothing set.
    fn new_field(&self) -> Field {
        Field {
            file: self.file,
            message: NONE,
            declared_in: NONE,
            target: NONE,
            oneof: NONE,
            default: NONE,
            json_name: NONE,
            support: NONE,
            ..Field::default()
        }
    }

    pub(super) fn labelled_field(&mut self, message: u32) -> Parsed {
        let mut field = Field { message, declared_in: message, ..self.new_field() };
        self.label(&mut field);
        self.field(field)
    }

    pub(super) fn extension_field(&mut self, declared_in: u32, extendee: Span, at: u32) -> Parsed {
        let mut field = Field { declared_in, extendee, extendee_at: at, ..self.new_field() };
        self.label(&mut field);
        self.field(field)
    }

    pub(super) fn oneof_member(&mut self, message: u32, oneof: u32) -> Parsed {
        if matches!(self.text_of(self.token), "required" | "optional" | "repeated") {
            self.fail(SourceErrorKind::InvalidSyntax, &"members of a oneof have no label");
            self.take();
        }
        let label = label::OPTIONAL as u8;
        let field = Field { message, declared_in: message, oneof, label, ..self.new_field() };
        self.field(field)
    }

    fn label(&mut self, field: &mut Field) {
        let editions = !self.is_legacy();
        if self.token.kind != TokenKind::Identifier {
            return;
        }
        field.label = match self.text_of(self.token) {
            "optional" => label::OPTIONAL as u8,
            "required" => label::REQUIRED as u8,
            "repeated" => label::REPEATED as u8,
            _ => return,
        };
        let token = self.take();
        field.proto3_optional = self.edition == Edition::Proto3 && field.label == label::OPTIONAL as u8;
        if editions && field.label != label::REPEATED as u8 {
            let detail = "editions have features.field_presence instead of this label";
            self.fail_at(SourceErrorKind::NotInEdition, token, &detail);
        }
    }

    /// A field after its label.
    fn field(&mut self, mut field: Field) -> Parsed {
        let map = self.field_type(&mut field)?;
        let name = self.identifier("the name of the field")?;
        (field.name, field.at) = (span(name), name.start);
        self.symbol(b'=')?;
        field.number = self.int("the number of the field")?;
        self.field_options(&mut field)?;
        let is_group = field.type_code == type_code::GROUP as u8;
        if is_group {
            return self.group(field, name);
        }
        if let Some(map) = map {
            self.map_entry(&mut field, name, &map)?;
        }
        self.add_field(field)?;
        self.end_of_statement()
    }

    fn add_field(&mut self, field: Field) -> Parsed {
        if !field.extendee.is_empty() {
            self.add_extension(field)?;
            return Ok(());
        }
        let index = field.message;
        let mut chain = self.ast.messages.get(index).map(|message| message.fields).unwrap_or_default();
        self.ast.fields.push(self.room, &mut chain, field)?;
        if let Some(message) = self.ast.messages.get_mut(index) {
            message.fields = chain;
        }
        Ok(())
    }

    /// The type of a field, and those of a map.
    fn field_type(&mut self, field: &mut Field) -> Parsed<Option<MapTypes>> {
        let first = self.token;
        if self.try_word("map") {
            if self.is_symbol(b'<') {
                return self.map_type(field, first).map(Some);
            }
            // A message or enum of that name, or in a package of that name.
            if self.is_symbol(b'.') {
                return Err(self.expected(&"the name of the field"));
            }
            (field.type_name, field.type_at) = (span(first), first.start);
            self.default_label(field, first);
            return Ok(None);
        }
        self.default_label(field, first);
        let found = self.any_type()?;
        (field.type_code, field.type_name, field.type_at) = (found.code, found.name, found.at);
        if field.type_code == type_code::GROUP as u8 && self.edition != Edition::Proto2 {
            self.fail_at(SourceErrorKind::NotInEdition, first, &"groups exist in proto2 alone");
        }
        Ok(None)
    }

    fn default_label(&mut self, field: &mut Field, first: Token) {
        if field.label == 0 {
            field.label = label::OPTIONAL as u8;
            if self.edition == Edition::Proto2 {
                let detail = "expected \"optional\", \"required\" or \"repeated\"";
                self.fail_at(SourceErrorKind::InvalidSyntax, first, &detail);
            }
        }
    }

    fn map_type(&mut self, field: &mut Field, first: Token) -> Parsed<MapTypes> {
        let refused = if !field.extendee.is_empty() {
            Some("extensions cannot be maps")
        } else if field.oneof != NONE {
            Some("members of a oneof cannot be maps")
        } else {
            (field.label != 0).then_some("maps have no label")
        };
        if let Some(detail) = refused {
            return Err(self.fail_at(SourceErrorKind::InvalidSyntax, first, &detail));
        }
        field.label = label::REPEATED as u8;
        field.type_at = first.start;
        self.symbol(b'<')?;
        let before = self.token;
        let key = self.any_type()?;
        if !type_code::is_map_key(key.code.into()) {
            let detail = "the keys of a map are integers, bools or strings";
            return Err(self.fail_at(SourceErrorKind::InvalidSyntax, before, &detail));
        }
        self.symbol(b',')?;
        let value = self.any_type()?;
        self.symbol(b'>')?;
        Ok(MapTypes { key, value })
    }

    fn any_type(&mut self) -> Parsed<Type> {
        let at = self.token.start;
        if self.token.kind == TokenKind::Identifier
            && let Some(code) = type_code_of(self.text_of(self.token))
        {
            self.take();
            return Ok(Type { code, name: Span::EMPTY, at });
        }
        let (name, _) = self.dotted(true, "a type")?;
        Ok(Type { code: 0, name, at })
    }

    /// The name of a message.
    pub(super) fn message_type(&mut self) -> Parsed<(Span, Token)> {
        if self.token.kind == TokenKind::Identifier && type_code_of(self.text_of(self.token)).is_some() {
            return Err(self.expected(&"the name of a message"));
        }
        self.dotted(true, "the name of a message")
    }

    fn group(&mut self, mut field: Field, name: Token) -> Parsed {
        let text = self.text_of(name);
        if !text.starts_with(|first: char| first.is_ascii_uppercase()) {
            let detail = "the name of a group starts with a capital letter";
            self.fail_at(SourceErrorKind::InvalidSyntax, name, &detail);
        }
        if !self.is_symbol(b'{') {
            return Err(self.expected(&"\"{\""));
        }
        let start = make_text(self.made, self.room, text)?;
        let from = self.made.len() - text.len();
        if let Some(lower) = self.made.get_mut(from..) {
            lower.make_ascii_lowercase();
        }
        field.name = start;
        (field.type_name, field.type_at) = (span(name), name.start);
        let message = Message {
            name: span(name),
            at: name.start,
            file: self.file,
            parent: field.declared_in,
            kind: MessageKind::Group,
            ..Message::default()
        };
        self.add_field(field)?;
        self.open_message(message)
    }

    /// The message of the entries of a map.
    fn map_entry(&mut self, field: &mut Field, name: Token, map: &MapTypes) -> Parsed {
        let mut text = String::new();
        let own = self.text_of(name);
        self.room.extend_text(&mut text, own.len() + "Entry".len())?;
        let mut capital = true;
        for letter in own.chars() {
            if letter != '_' {
                text.push(if capital { letter.to_ascii_uppercase() } else { letter });
            }
            capital = letter == '_';
        }
        text.push_str("Entry");
        let entry_name = make_text(self.made, self.room, &text)?;
        self.room.drop_list(text.into_bytes());
        field.type_name = entry_name;
        let entry = Message {
            name: entry_name,
            at: name.start,
            file: self.file,
            parent: field.message,
            kind: MessageKind::MapEntry,
            ..Message::default()
        };
        let message = self.add_message(entry)?;
        for (part, number, of) in [("key", 1, &map.key), ("value", 2, &map.value)] {
            let options = self.features_of(field.options)?;
            let own = Field {
                name: make_text(self.made, self.room, part)?,
                at: of.at,
                number,
                label: label::OPTIONAL as u8,
                type_code: of.code,
                type_name: of.name,
                type_at: of.at,
                message,
                declared_in: message,
                options,
                ..self.new_field()
            };
            self.add_field(own)?;
        }
        Ok(())
    }

    /// A copy of the options that are features: those of a map are those of its entries.
    fn features_of(&mut self, options: Chain) -> Parsed<Chain> {
        let mut features = Chain::default();
        let mut at = self.ast.options.of(options).next().map_or(NONE, |(index, _)| index);
        while let Some(&option) = self.ast.options.get(at) {
            if self.text_of(Lexer::new(self.text, option.name).next()) == "features" {
                self.ast.options.push(self.room, &mut features, option)?;
            }
            at = self.ast.options.after(at);
        }
        Ok(features)
    }

    /// Options in brackets, each shown to `note`.
    pub(super) fn options_with(
        &mut self,
        chain: &mut Chain,
        mut note: impl FnMut(&Self, &OptionNote<'s>),
    ) -> Parsed {
        if !self.try_symbol(b'[') {
            return Ok(());
        }
        loop {
            let option = self.option_assignment(chain)?;
            note(self, &option);
            if !self.try_symbol(b',') {
                return self.symbol(b']');
            }
        }
    }

    fn field_options(&mut self, field: &mut Field) -> Parsed {
        if !self.try_symbol(b'[') {
            return Ok(());
        }
        loop {
            match self.text_of(self.token) {
                "default" => self.default(field)?,
                "json_name" => self.json_name(field)?,
                _ => {
                    let mut chain = field.options;
                    let note = self.option_assignment(&mut chain)?;
                    field.options = chain;
                    self.note_field_option(field, &note);
                }
            }
            if !self.try_symbol(b',') {
                return self.symbol(b']');
            }
        }
    }

    fn note_field_option(&mut self, field: &mut Field, note: &OptionNote<'s>) {
        let value = self.text_of(note.value);
        match (note.name, note.longer) {
            ("packed", false) => {
                field.encodings = Encodings { packed: Some(value == "true"), ..field.encodings };
            }
            ("jstype", false) => field.jstype = value != "JS_NORMAL",
            ("lazy" | "unverified_lazy", false) => field.lazy |= value == "true",
            ("features", _) => field.encodings = self.encodings_of(note).or(field.encodings),
            ("retention", false) => field.source_retention = value == "RETENTION_SOURCE",
            ("targets", false) => field.targets |= target_bit(value),
            ("feature_support", false) => field.support = note.value.start,
            _ => {}
        }
    }

    fn default(&mut self, field: &mut Field) -> Parsed {
        if field.default != NONE {
            self.fail(SourceErrorKind::InvalidDefault, &"the field has a default value already");
        }
        self.take();
        self.symbol(b'=')?;
        field.default = self.token.start;
        self.default_value(field.type_code)
    }

    /// Takes a default value, and checks that it fits a scalar. That of an enum is checked when its type is known.
    fn default_value(&mut self, code: u8) -> Parsed {
        let (signed, bits) = match i32::from(code) {
            0 if self.is_symbol(b'{') => return self.aggregate(),
            0 => {
                self.take();
                return Ok(());
            }
            type_code::DOUBLE | type_code::FLOAT => {
                self.try_symbol(b'-');
                let word = matches!(self.text_of(self.token), "inf" | "nan");
                if word {
                    self.take();
                    return Ok(());
                }
                if matches!(self.token.kind, TokenKind::Integer | TokenKind::Float) {
                    return self.any_number();
                }
                return Err(self.expected(&"a number"));
            }
            type_code::BOOL => {
                if matches!(self.text_of(self.token), "true" | "false") {
                    self.take();
                    return Ok(());
                }
                return Err(self.expected(&"\"true\" or \"false\""));
            }
            type_code::STRING | type_code::BYTES => return self.string("a string").map(drop),
            type_code::GROUP => {
                let detail = "messages have no default values";
                return Err(self.fail(SourceErrorKind::InvalidDefault, &detail));
            }
            code => type_code::integer_shape(code),
        };
        let negative = self.is_symbol(b'-');
        if negative && !signed {
            let detail = "the default value of an unsigned field cannot be negative";
            self.fail(SourceErrorKind::InvalidDefault, &detail);
        }
        self.try_symbol(b'-');
        let most = match (signed, bits) {
            (true, bits) => (1u64 << (bits - 1)) - u64::from(!negative),
            (false, 32) => u32::MAX.into(),
            (false, _) => u64::MAX,
        };
        self.number(most, "an integer").map(drop)
    }

    fn json_name(&mut self, field: &mut Field) -> Parsed {
        if field.json_name != NONE {
            self.fail(SourceErrorKind::InvalidDefault, &"the field has a JSON name already");
        }
        self.take();
        self.symbol(b'=')?;
        let token = self.string("a string")?;
        field.json_name = token.start;
        Ok(())
    }
}

/// The bit of an `OptionTargetType`.
fn target_bit(name: &str) -> u16 {
    const NAMES: [&str; 10] = [
        "TARGET_TYPE_UNKNOWN",
        "TARGET_TYPE_FILE",
        "TARGET_TYPE_EXTENSION_RANGE",
        "TARGET_TYPE_MESSAGE",
        "TARGET_TYPE_FIELD",
        "TARGET_TYPE_ONEOF",
        "TARGET_TYPE_ENUM",
        "TARGET_TYPE_ENUM_ENTRY",
        "TARGET_TYPE_SERVICE",
        "TARGET_TYPE_METHOD",
    ];
    NAMES.iter().position(|&known| known == name).map_or(0, |bit| 1 << bit)
}
