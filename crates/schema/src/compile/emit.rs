//! Definitions to the bytes of `FileDescriptorProto`, as `protoc --descriptor_set_out` writes them.
//!
//! Messages in messages are on an explicit stack: one is begun after the fields of the message around it, and ended before
//! that goes on.

use crate::compile::check::declarations::Declarations;
use crate::compile::check::warnings::Deprecated;
use crate::compile::error::SourceErrorKind;
use crate::compile::info;
use crate::compile::names::symbols::{Scope, around};
use crate::compile::options::defaults::{default_text, json_name};
use crate::compile::options::{Options, Target};
use crate::compile::parse::ast::{
    Ast, Chain, Enum, Field, File, ImportKind, Message, MessageKind, Method, NONE, Range, Service, Span,
    TO_MAX, Texts,
};
use crate::compile::parse::codes::{label, type_code};
use crate::compile::wire::Out;
use crate::memory::{Room, RoomFull};
use alloc::vec::Vec;
use tablepb::schema::Edition;

type Done<T = ()> = Result<T, RoomFull>;

/// The numbers after the last one that a field can have, in a message and in a MessageSet.
const MAX_END: i32 = 1 << 29;
const MAX_SET_END: i32 = i32::MAX;

pub(super) struct Emitter<'a, 'r> {
    options: Options<'a>,
    out: Out,
    room: &'r mut Room,
    file: u32,
}

/// A message that is begun.
struct Open {
    message: u32,
    start: usize,
    /// The next message in it.
    next: u32,
}

impl<'a, 'r> Emitter<'a, 'r> {
    pub(super) fn new(options: Options<'a>, room: &'r mut Room) -> Self {
        Self { options, out: Out::default(), room, file: 0 }
    }

    /// The set of all files so far, what their extension ranges declare, and what is set in them and deprecated.
    pub(super) fn into_set(self) -> (Vec<u8>, Declarations, Vec<Deprecated>) {
        (self.out.bytes, self.options.declarations, self.options.deprecated)
    }

    fn ast(&self) -> &'a Ast {
        self.options.ast
    }

    fn texts(&self) -> &'a Texts {
        self.options.texts
    }

    fn string(&mut self, number: i32, span: Span) -> Done {
        self.out.string(self.room, number, self.options.texts.get(span).as_bytes())
    }

    fn int(&mut self, number: i32, value: i32) -> Done {
        self.out.int(self.room, number, value)
    }

    /// The full name of a message or enum.
    fn type_name(&mut self, number: i32, scope: Scope, name: Span) -> Done {
        let start = self.out.begin(self.room, number)?;
        let of = (self.options.ast, self.options.texts);
        self.options.symbols.full_name(of, scope, name, &mut self.out.bytes, self.room)?;
        self.out.end(self.room, start)
    }

    fn message_name(&mut self, number: i32, message: u32) -> Done {
        let Some(found) = self.ast().messages.get(message) else { return Ok(()) };
        self.type_name(number, around(self.ast(), found.file, found.parent), found.name)
    }

    fn write_options(&mut self, number: i32, target: Target, options: Chain, scope: Scope) -> Done {
        if options.is_empty() {
            return Ok(());
        }
        let before = self.out.bytes.len();
        let start = self.out.begin(self.room, number)?;
        self.options.write(target, options, scope, &mut self.out, self.room)?;
        // What is left of options that are for the source alone.
        if self.out.bytes.len() == start {
            self.out.bytes.truncate(before);
            return Ok(());
        }
        self.out.end(self.room, start)
    }

    /// Appends a file to the set.
    pub(super) fn file(&mut self, index: u32) -> Done {
        let Some(file) = self.ast().files.get(index as usize) else { return Ok(()) };
        self.file = index;
        self.options.edition = file.edition;
        self.options.symbols.view(self.options.ast, index, self.room)?;
        let start = self.out.begin(self.room, 1)?;
        self.string(1, file.name)?;
        if file.has_package {
            self.string(2, file.package)?;
        }
        self.imports(file, 3, false)?;
        self.messages(4, file.body.messages)?;
        self.enums(5, file.body.enums, Scope::Package(file.scope))?;
        for (index, service) in self.ast().services.of(file.services) {
            self.service(index, service, file)?;
        }
        for (_, field) in self.ast().fields.of(file.body.extensions) {
            self.field(7, field)?;
        }
        self.write_options(8, Target::File, file.options, Scope::Package(file.scope))?;
        if let Some(paths) = &mut self.options.paths {
            let sources = &self.options.texts.sources;
            info::write(9, sources, file, paths, &mut self.out, self.room)?;
            paths.clear();
        }
        for (number, kind) in [(10, ImportKind::Public), (11, ImportKind::Weak)] {
            let found = self.ast().imports.of(file.imports).filter(|(_, i)| i.file != NONE);
            let plain = found.filter(|(_, i)| i.kind != ImportKind::Option);
            for (at, (_, import)) in (0..).zip(plain) {
                if import.kind == kind {
                    self.int(number, at)?;
                }
            }
        }
        if file.edition != Edition::Proto2 {
            self.out.string(self.room, 12, file.edition.syntax().as_bytes())?;
        }
        if file.edition > Edition::Proto3 {
            self.int(14, file.edition.number())?;
        }
        self.imports(file, 15, true)?;
        self.out.end(self.room, start)
    }

    fn imports(&mut self, file: &File, number: i32, option: bool) -> Done {
        for (_, import) in self.ast().imports.of(file.imports) {
            if (import.kind == ImportKind::Option) == option && import.file != NONE {
                self.string(number, import.name)?;
            }
        }
        Ok(())
    }

    /// All messages of a chain, with those in them.
    fn messages(&mut self, number: i32, chain: Chain) -> Done {
        let ast = self.ast();
        let mut stack: Vec<Open> = Vec::new();
        for (root, message) in ast.messages.of(chain) {
            let open = self.begin_message(number, root, message)?;
            self.room.push(&mut stack, open)?;
            while let Some(Open { message, start, next }) = stack.last_mut() {
                if let Some(inner) = ast.messages.get(*next) {
                    let index = core::mem::replace(next, ast.messages.after(*next));
                    let open = self.begin_message(3, index, inner)?;
                    self.room.push(&mut stack, open)?;
                    continue;
                }
                let (index, start) = (*message, *start);
                if let Some(message) = ast.messages.get(index) {
                    self.end_message(index, message)?;
                }
                self.out.end(self.room, start)?;
                stack.pop();
            }
        }
        self.room.drop_list(stack);
        Ok(())
    }

    fn begin_message(&mut self, number: i32, index: u32, message: &Message) -> Done<Open> {
        let start = self.out.begin(self.room, number)?;
        self.string(1, message.name)?;
        for (_, field) in self.ast().fields.of(message.fields) {
            self.field(2, field)?;
        }
        let next = self.ast().messages.of(message.body.messages).next().map_or(NONE, |(index, _)| index);
        Ok(Open { message: index, start, next })
    }

    fn end_message(&mut self, index: u32, message: &Message) -> Done {
        let ast = self.ast();
        let (inner, scope) = (Scope::Message(index), around(ast, message.file, message.parent));
        self.enums(4, message.body.enums, inner)?;
        let max = if message.message_set { MAX_SET_END } else { MAX_END };
        self.extension_ranges(index, message, max)?;
        for (_, field) in ast.fields.of(message.body.extensions) {
            self.field(6, field)?;
        }
        if message.kind == MessageKind::MapEntry {
            // map_entry
            self.out.string(self.room, 7, &[7 << 3, 1])?;
        }
        self.write_options(7, Target::Message, message.options, scope)?;
        for (_, oneof) in ast.oneofs.of(message.oneofs) {
            let start = self.out.begin(self.room, 8)?;
            self.string(1, oneof.name)?;
            self.write_options(2, Target::Oneof, oneof.options, inner)?;
            self.out.end(self.room, start)?;
        }
        for (_, range) in ast.ranges.of(message.reserved) {
            let start = self.begin_range(9, range, max)?;
            self.out.end(self.room, start)?;
        }
        for (_, &name) in ast.names.of(message.reserved_names) {
            self.string(10, name)?;
        }
        if message.visibility != 0 {
            self.int(11, message.visibility.into())?;
        }
        Ok(())
    }

    /// The ranges of one statement share their options, which are interpreted once: ranges times options would not be linear.
    fn extension_ranges(&mut self, index: u32, message: &Message, max: i32) -> Done {
        let (ast, scope) = (self.ast(), around(self.ast(), message.file, message.parent));
        let mut last = (Chain::default(), 0);
        for (_, range) in ast.ranges.of(message.ranges) {
            let numbers = (range.start, if range.end == TO_MAX { max } else { range.end });
            let before = self.out.bytes.len();
            let start = self.begin_range(5, range, max)?;
            if !range.options.is_empty() && last.0 == range.options {
                // They are the last part of the range before this one.
                self.out.repeat(self.room, before.saturating_sub(last.1)..before)?;
                self.options.declarations.same_range(index, numbers, self.room)?;
            } else {
                let from = self.out.bytes.len();
                self.write_options(3, Target::ExtensionRange, range.options, scope)?;
                last = (range.options, self.out.bytes.len() - from);
                self.options.declarations.end_range(index, numbers, self.room)?;
            }
            self.out.end(self.room, start)?;
        }
        Ok(())
    }

    fn begin_range(&mut self, number: i32, range: &Range, max: i32) -> Done<usize> {
        let start = self.out.begin(self.room, number)?;
        self.int(1, range.start)?;
        self.int(2, if range.end == TO_MAX { max } else { range.end })?;
        Ok(start)
    }

    fn field(&mut self, number: i32, field: &Field) -> Done {
        let ast = self.ast();
        // With a type that was not found, or of none that can be extended, the field is only checked.
        let code = if field.is_unresolved() { type_code::BYTES } else { i32::from(field.type_code) };
        let before = self.out.bytes.len();
        let start = self.out.begin(self.room, number)?;
        self.string(1, field.name)?;
        if !field.extendee.is_empty() {
            self.message_name(2, field.message)?;
        }
        self.int(3, field.number)?;
        self.int(4, field.label.into())?;
        self.int(5, code)?;
        match code {
            type_code::MESSAGE | type_code::GROUP => self.message_name(6, field.target)?,
            type_code::ENUM => {
                if let Some(found) = ast.enums.get(field.target) {
                    self.type_name(6, around(ast, found.file, found.parent), found.name)?;
                }
            }
            _ => {}
        }
        self.check_fitting(field, code);
        if field.default != NONE && !field.is_unresolved() {
            self.check_default(field, code);
            let text = default_text(self.texts(), code, field.default, self.room)?;
            self.out.string(self.room, 7, &text)?;
            self.room.drop_list(text);
        }
        self.write_options(8, Target::Field, field.options, around(ast, field.file, field.declared_in))?;
        if let Some(oneof) = ast.oneofs.get(field.oneof) {
            self.int(9, oneof.index as i32)?;
        }
        self.json_name(field)?;
        if field.proto3_optional {
            self.int(17, 1)?;
        }
        self.out.end(self.room, start)?;
        if !field.extendee.is_empty() && field.message == NONE {
            self.out.bytes.truncate(before);
        }
        Ok(())
    }

    fn json_name(&mut self, field: &Field) -> Done {
        let texts = self.texts();
        let start = self.out.bytes.len();
        json_name(texts, (field.name, field.json_name), 10, &mut self.out, self.room)?;
        if field.json_name != NONE && !field.extendee.is_empty() {
            let end = self.out.bytes.len();
            json_name(texts, (field.name, NONE), 10, &mut self.out, self.room)?;
            let own = self.out.bytes.get(start..end) != self.out.bytes.get(end..);
            self.out.bytes.truncate(end);
            if own {
                let detail = "an extension has no JSON name of its own";
                let (start, kind) = (field.json_name, SourceErrorKind::InvalidDefault);
                self.options.faults.add(kind, start, start + 1, &detail);
            }
        }
        Ok(())
    }

    /// Options that are for some types of fields: the pool does not look at them. In editions `packed` is a feature, which it checks.
    fn check_fitting(&mut self, field: &Field, code: i32) {
        let packable = i32::from(field.label) == label::REPEATED && type_code::is_packable(code);
        let legacy = matches!(self.options.edition, Edition::Proto2 | Edition::Proto3);
        let faults = [
            (
                legacy && field.encodings.packed == Some(true) && !packable,
                "packed is for repeated fields of numbers, bools and enums",
            ),
            (field.jstype && !type_code::is_long(code), "jstype is for fields of 64-bit integers"),
            (field.lazy && code != type_code::MESSAGE, "lazy is for fields of messages"),
        ];
        for (_, detail) in faults.into_iter().filter(|fault| fault.0 && !field.is_unresolved()) {
            let (start, kind) = (field.at, SourceErrorKind::InvalidOption);
            self.options.faults.add(kind, start, start + field.name.len, &detail);
        }
    }

    /// Faults of a default value that show only when the type is known, or whose field has none.
    fn check_default(&mut self, field: &Field, code: i32) {
        let detail = match code {
            type_code::MESSAGE | type_code::GROUP => "messages have no default values",
            _ if i32::from(field.label) == label::REPEATED => "repeated fields have no default values",
            _ => return,
        };
        self.options.faults.add(SourceErrorKind::InvalidDefault, field.default, field.default + 1, &detail);
    }

    fn enums(&mut self, number: i32, chain: Chain, scope: Scope) -> Done {
        for (_, found) in self.ast().enums.of(chain) {
            self.enumeration(number, found, scope)?;
        }
        Ok(())
    }

    fn enumeration(&mut self, number: i32, found: &Enum, scope: Scope) -> Done {
        let ast = self.ast();
        let start = self.out.begin(self.room, number)?;
        self.string(1, found.name)?;
        for (_, value) in ast.values.of(found.values) {
            let start = self.out.begin(self.room, 2)?;
            self.string(1, value.name)?;
            self.int(2, value.number)?;
            self.write_options(3, Target::EnumEntry, value.options, scope)?;
            self.out.end(self.room, start)?;
        }
        self.write_options(3, Target::Enum, found.options, scope)?;
        for (_, range) in ast.ranges.of(found.reserved) {
            let start = self.out.begin(self.room, 4)?;
            self.int(1, range.start)?;
            self.int(2, range.end)?;
            self.out.end(self.room, start)?;
        }
        for (_, &name) in ast.names.of(found.reserved_names) {
            self.string(5, name)?;
        }
        if found.visibility != 0 {
            self.int(6, found.visibility.into())?;
        }
        self.out.end(self.room, start)
    }

    fn service(&mut self, index: u32, service: &Service, file: &File) -> Done {
        let start = self.out.begin(self.room, 6)?;
        self.string(1, service.name)?;
        for (_, method) in self.ast().methods.of(service.methods) {
            self.method(method, Scope::Service(index))?;
        }
        self.write_options(3, Target::Service, service.options, Scope::Package(file.scope))?;
        self.out.end(self.room, start)
    }

    fn method(&mut self, method: &Method, scope: Scope) -> Done {
        let start = self.out.begin(self.room, 2)?;
        self.string(1, method.name)?;
        for (number, message) in [(2, method.input_message), (3, method.output_message)] {
            // In the place of one that was not found, so that the method is checked: any.
            let known = self.ast().messages.get(message).map(|_| message);
            self.message_name(number, known.unwrap_or(0))?;
        }
        if method.braces && method.options.is_empty() {
            self.out.string(self.room, 4, &[])?;
        }
        self.write_options(4, Target::Method, method.options, scope)?;
        if method.client_streaming {
            self.int(5, 1)?;
        }
        if method.server_streaming {
            self.int(6, 1)?;
        }
        self.out.end(self.room, start)
    }
}
