//! Rules of editions for sources: how names are written, what nested types may be exported, how many parts definitions may have.
//!
//! Features switch them on and off, for a file or for a definition with all that is in it. protoc does not write those features to
//! descriptor sets, so sets are not checked for this.

use crate::compile::error::{Faults, SourceErrorKind};
use crate::compile::parse::ast::{
    Ast, Chain, DefaultVisibility, File, Message, MessageKind, NONE, Span, TO_MAX, Texts,
};
use crate::compile::parse::lexer::{Lexer, TokenKind};
use crate::memory::{Room, RoomFull};
use tablepb::schema::Edition;

/// The limits of edition 2026.
const MAX_FIELDS: usize = 1500;
const MAX_ONEOFS: usize = 1000;
const MAX_MEMBERS: usize = 1200;
const MAX_VALUES: usize = 1700;

/// Notes who sees the types of each file.
pub(crate) fn note_visibility(ast: &mut Ast, texts: &Texts) {
    for index in 0..ast.files.len() {
        let Some(file) = ast.files.get(index) else { return };
        let mut found = match file.edition {
            Edition::Edition2024 => DefaultVisibility::ExportTopLevel,
            edition if edition > Edition::Edition2024 => DefaultVisibility::Strict,
            _ => continue,
        };
        features(ast, texts, file.options, |name, value| match (name, value) {
            ("default_symbol_visibility", "EXPORT_ALL") => found = DefaultVisibility::ExportAll,
            ("default_symbol_visibility", "EXPORT_TOP_LEVEL") => found = DefaultVisibility::ExportTopLevel,
            ("default_symbol_visibility", "LOCAL_ALL") => found = DefaultVisibility::LocalAll,
            ("default_symbol_visibility", "STRICT") => found = DefaultVisibility::Strict,
            _ => {}
        });
        if let Some(file) = ast.files.get_mut(index) {
            file.visibility = found;
        }
    }
}

/// The features among options, by name and value.
fn features<'t>(ast: &Ast, texts: &'t Texts, options: Chain, mut each: impl FnMut(&'t str, &'t str)) {
    for (_, option) in ast.options.of(options) {
        let mut lexer = Lexer::new(&texts.sources, option.name);
        let mut word = || {
            let token = lexer.next();
            let text = texts.get(Span::new(token.start, token.end));
            (token.kind, token.symbol, text)
        };
        if word().2 != "features" {
            continue;
        }
        let after = word().1;
        if after == b'.' {
            // A name in parentheses is not one of these.
            let (kind, _, name) = word();
            if kind == TokenKind::Identifier && word().1 == b'=' {
                each(name, word().2);
            }
            continue;
        }
        // What is not in braces has no end that is looked for here: it would be found in an option far away, or not at all.
        if after != b'=' || word().1 != b'{' {
            continue;
        }
        let mut before = "";
        let mut depth = 1;
        loop {
            let (kind, symbol, text) = word();
            match (kind, symbol) {
                (TokenKind::End, _) => break,
                (_, b'{') => depth += 1,
                (_, b'}') if depth <= 1 => break,
                (_, b'}') => depth -= 1,
                (TokenKind::Identifier, _) if depth == 1 => {
                    each(before, text);
                    before = text;
                }
                _ => {}
            }
        }
    }
}

/// Which rules hold.
#[derive(Clone, Copy)]
struct Rules {
    style: bool,
    limits: bool,
}

/// How a name is written.
#[derive(Clone, Copy)]
enum Style {
    Title,
    LowerSnake,
    UpperSnake,
}

struct Checker<'a> {
    ast: &'a Ast,
    texts: &'a Texts,
    faults: &'a mut Faults,
}

/// Checks all files whose edition has such rules.
pub(crate) fn check(ast: &Ast, texts: &Texts, faults: &mut Faults, room: &mut Room) -> Result<(), RoomFull> {
    if ast.files.iter().all(|file| file.edition < Edition::Edition2023) {
        return Ok(());
    }
    let mut checker = Checker { ast, texts, faults };
    let mut files = room.list(ast.files.iter().map(|_| Rules { style: false, limits: false }))?;
    for (file, rules) in ast.files.iter().zip(&mut files) {
        let by_edition = Rules {
            style: file.edition >= Edition::Edition2024,
            limits: file.edition >= Edition::Edition2026,
        };
        *rules = checker.rules(by_edition, file.options);
        if rules.style && file.has_package {
            checker.package(file.package);
        }
    }
    let mut oneofs = room.list(ast.oneofs.all().iter().map(|_| Rules { style: false, limits: false }))?;
    // Messages come after those around them.
    let mut messages = room.list(ast.messages.all().iter().map(|_| Rules { style: false, limits: false }))?;
    for (index, message) in ast.messages.all().iter().enumerate() {
        let outer = messages.get(message.parent as usize).or(files.get(message.file as usize));
        let Some(&outer) = outer else { continue };
        let rules = checker.rules(outer, message.options);
        if let Some(place) = messages.get_mut(index) {
            *place = rules;
        }
        checker.message(message, rules, &mut oneofs);
    }
    let around = |file: u32, parent: u32| messages.get(parent as usize).or(files.get(file as usize)).copied();
    for field in ast.fields.all() {
        let own = ast.messages.get(field.declared_in);
        if own.is_none_or(|message| message.kind != MessageKind::MapEntry)
            && let Some(outer) =
                oneofs.get(field.oneof as usize).copied().or_else(|| around(field.file, field.declared_in))
        {
            checker.named("field", Style::LowerSnake, (field.name, field.at), outer, field.options);
        }
    }
    for found in ast.enums.all() {
        let Some(outer) = around(found.file, found.parent) else { continue };
        let rules = checker.named("enum", Style::Title, (found.name, found.at), outer, found.options);
        checker.limit(rules, ("enum", found.name, found.at), "values", found.values, MAX_VALUES);
        for (_, value) in ast.values.of(found.values) {
            checker.named("enum value", Style::UpperSnake, (value.name, value.at), rules, value.options);
        }
        checker.export(found.file, found.visibility, found.parent, true, (found.name, found.at));
    }
    for service in ast.services.all() {
        let Some(outer) = around(service.file, NONE) else { continue };
        let rules =
            checker.named("service", Style::Title, (service.name, service.at), outer, service.options);
        for (_, method) in ast.methods.of(service.methods) {
            checker.named("method", Style::Title, (method.name, method.at), rules, method.options);
        }
    }
    room.drop_list(files);
    room.drop_list(messages);
    room.drop_list(oneofs);
    Ok(())
}

impl Checker<'_> {
    /// The rules for a definition with these options.
    fn rules(&self, outer: Rules, options: Chain) -> Rules {
        let mut rules = outer;
        features(self.ast, self.texts, options, |name, value| match name {
            "enforce_naming_style" => rules.style = value != "STYLE_LEGACY",
            "enforce_proto_limits" => rules.limits = value != "LEGACY_NO_EXPLICIT_LIMITS",
            _ => {}
        });
        rules
    }

    /// Checks a message and its oneofs, and notes the rules for the members of each.
    fn message(&mut self, message: &Message, rules: Rules, oneofs: &mut [Rules]) {
        if message.kind == MessageKind::MapEntry {
            return;
        }
        let place = (message.name, message.at);
        if rules.style {
            self.name("message", Style::Title, place);
        }
        let named = ("message", message.name, message.at);
        self.limit(rules, named, "fields", message.fields, MAX_FIELDS);
        self.limit(rules, named, "oneofs", message.oneofs, MAX_ONEOFS);
        self.export(message.file, message.visibility, message.parent, false, place);
        // Members of a oneof stand next to each other.
        let mut fields = self.ast.fields.of(message.fields).map(|(_, field)| field.oneof).peekable();
        for (index, oneof) in self.ast.oneofs.of(message.oneofs) {
            let own = self.named("oneof", Style::LowerSnake, (oneof.name, oneof.at), rules, oneof.options);
            if let Some(place) = oneofs.get_mut(index as usize) {
                *place = own;
            }
            while fields.next_if(|&of| of != index).is_some() {}
            let mut members = 0;
            while fields.next_if(|&of| of == index).is_some() {
                members += 1;
            }
            let many = own.limits && members > MAX_MEMBERS;
            self.too_many(many, ("oneof", oneof.name, oneof.at), "fields", MAX_MEMBERS);
        }
    }

    /// Checks the name of a definition; the rules for what is in it.
    fn named(&mut self, what: &str, style: Style, place: (Span, u32), outer: Rules, options: Chain) -> Rules {
        let rules = self.rules(outer, options);
        if rules.style {
            self.name(what, style, place);
        }
        rules
    }

    fn name(&mut self, what: &str, style: Style, (name, at): (Span, u32)) {
        let text = self.texts.get(name);
        let fault = match style {
            Style::Title if is_title(text) => return,
            Style::LowerSnake if is_snake(text, u8::is_ascii_lowercase) => return,
            Style::UpperSnake if is_snake(text, u8::is_ascii_uppercase) => return,
            Style::Title => "TitleCase",
            Style::LowerSnake => "lower_snake_case, with a letter after each underscore",
            Style::UpperSnake => "UPPER_SNAKE_CASE, with a letter after each underscore",
        };
        self.style_fault(what, text, fault, at, name.len);
    }

    fn package(&mut self, name: Span) {
        let text = self.texts.get(name);
        let dots = text.bytes().filter(|&byte| byte != b'.');
        let letters =
            dots.clone().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        let first = text.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
        if letters && first && ends_of_words(text) {
            return;
        }
        self.style_fault(
            "package",
            text,
            "lower_snake_case, with a letter after each underscore",
            name.start,
            name.len,
        );
    }

    #[cold]
    fn style_fault(&mut self, what: &str, name: &str, style: &str, at: u32, len: u32) {
        let detail = format_args!(
            "the {what} name {name} is not {style}, and features.enforce_naming_style = STYLE_LEGACY is not set"
        );
        self.faults.add(SourceErrorKind::InvalidSchema, at, at + len, &detail);
    }

    /// A nested type can only be exported where that is allowed.
    fn export(&mut self, file: u32, visibility: u8, parent: u32, is_enum: bool, (name, at): (Span, u32)) {
        let Some(outer) = self.ast.messages.get(parent).filter(|_| visibility == 2) else { return };
        let strict = |file: &File| file.visibility == DefaultVisibility::Strict;
        if !self.ast.files.get(file as usize).is_some_and(strict) {
            return;
        }
        // A local message that is but a name space for enums.
        let space = outer.parent == NONE && outer.visibility != 2;
        // The range of all numbers leaves none for others.
        let reserved = self.ast.ranges.of(outer.reserved).next();
        if is_enum && space && reserved.is_some_and(|(_, range)| range.start == 1 && range.end == TO_MAX) {
            return;
        }
        let detail = "a nested type cannot be exported where default_symbol_visibility is STRICT";
        self.faults.add(SourceErrorKind::InvalidSchema, at, at + name.len, &detail);
    }

    fn limit(&mut self, rules: Rules, named: (&str, Span, u32), parts: &str, chain: Chain, most: usize) {
        if rules.limits {
            let many = match parts {
                "fields" => self.ast.fields.of(chain).nth(most).is_some(),
                "oneofs" => self.ast.oneofs.of(chain).nth(most).is_some(),
                _ => self.ast.values.of(chain).nth(most).is_some(),
            };
            self.too_many(many, named, parts, most);
        }
    }

    fn too_many(&mut self, many: bool, (what, name, at): (&str, Span, u32), parts: &str, most: usize) {
        if many {
            let detail = format_args!(
                "the {what} {} has more than {most} {parts}, and features.enforce_proto_limits = LEGACY_NO_EXPLICIT_LIMITS is not set",
                self.texts.get(name)
            );
            self.faults.add(SourceErrorKind::InvalidSchema, at, at + name.len, &detail);
        }
    }
}

fn is_title(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase()) && !name.contains('_')
}

/// Letters of one case and digits, with underscores before letters alone.
fn is_snake(name: &str, letter: fn(&u8) -> bool) -> bool {
    let known = |byte: u8| letter(&byte) || byte.is_ascii_digit() || byte == b'_';
    name.bytes().next().is_some_and(|first| letter(&first)) && name.bytes().all(known) && ends_of_words(name)
}

/// Whether a letter follows each underscore.
fn ends_of_words(name: &str) -> bool {
    name.split('_').skip(1).all(|part| part.starts_with(|first: char| first.is_ascii_alphabetic()))
}
