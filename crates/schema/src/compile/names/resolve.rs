//! Type names to messages and enums.

use crate::compile::error::{Faults, SourceErrorKind};
use crate::compile::names::symbols::{Scope, Symbol, Symbols, around};
use crate::compile::parse::ast::{Ast, NONE, Span, Texts};
use crate::compile::parse::codes::type_code;
use crate::memory::{Room, RoomFull};
use alloc::vec::Vec;
use core::fmt;

/// Fills in what the names of types, extended messages, inputs and outputs refer to.
pub(crate) fn resolve(
    ast: &mut Ast,
    texts: &Texts,
    symbols: &mut Symbols,
    faults: &mut Faults,
    room: &mut Room,
) -> Result<(), RoomFull> {
    let mut viewer = NONE;
    for index in 0..ast.fields.len() as u32 {
        let Some(field) = ast.fields.get(index) else { break };
        if field.file != viewer {
            viewer = field.file;
            symbols.view(ast, viewer, room)?;
        }
        let scope = around(ast, field.file, field.declared_in);
        let mut lookup = Lookup { ast, texts, symbols, faults, room, file: viewer };
        let (mut code, mut target, mut message) = (field.type_code, field.target, field.message);
        if !field.type_name.is_empty() {
            match lookup.find(scope, field.type_name, field.type_at, true)? {
                Some(Symbol::Message(found)) if i32::from(code) == type_code::GROUP => target = found,
                Some(Symbol::Message(found)) => (code, target) = (type_code::MESSAGE as u8, found),
                Some(Symbol::Enum(found)) => (code, target) = (type_code::ENUM as u8, found),
                Some(_) => lookup.wrong(field.type_name, field.type_at, "a type"),
                None => {}
            }
        }
        if !field.extendee.is_empty() {
            message = lookup.message(scope, field.extendee, field.extendee_at)?;
        }
        if let Some(field) = ast.fields.get_mut(index) {
            (field.type_code, field.target, field.message) = (code, target, message);
        }
    }
    for index in 0..ast.methods.len() as u32 {
        let Some(method) = ast.methods.get(index) else { break };
        let file = ast.services.get(method.service).map_or(NONE, |service| service.file);
        if file != viewer {
            viewer = file;
            symbols.view(ast, viewer, room)?;
        }
        let scope = Scope::Service(method.service);
        let mut lookup = Lookup { ast, texts, symbols, faults, room, file: viewer };
        let input = lookup.message(scope, method.input, method.input_at)?;
        let output = lookup.message(scope, method.output, method.output_at)?;
        if let Some(method) = ast.methods.get_mut(index) {
            (method.input_message, method.output_message) = (input, output);
        }
    }
    Ok(())
}

struct Lookup<'a> {
    ast: &'a Ast,
    texts: &'a Texts,
    symbols: &'a Symbols,
    faults: &'a mut Faults,
    room: &'a mut Room,
    /// The file of the names.
    file: u32,
}

impl Lookup<'_> {
    fn find(&mut self, scope: Scope, name: Span, at: u32, types: bool) -> Result<Option<Symbol>, RoomFull> {
        let text = self.texts.get(name);
        let found = self.symbols.resolve((self.ast, self.texts), scope, text, types);
        if found.is_none() && !self.faults.is_full() && !self.symbols.is_lost(self.ast, self.texts, text) {
            let closest = self.symbols.closest(self.texts, text, true);
            let meant = Meant::new((self.ast, self.texts), self.symbols, text, closest, self.room)?;
            let kind = SourceErrorKind::UnresolvedType;
            self.faults.add(kind, at, at + name.len, &format_args!("{text}{meant}"));
        }
        if let Some(symbol) = found {
            self.check_visibility(symbol, name, at);
        }
        Ok(found)
    }

    /// Whether a type of another file is exported.
    fn check_visibility(&mut self, symbol: Symbol, name: Span, at: u32) {
        let ast = self.ast;
        let declared = match symbol {
            Symbol::Message(index) => ast.messages.get(index).map(|of| (of.file, of.visibility, of.parent)),
            Symbol::Enum(index) => ast.enums.get(index).map(|of| (of.file, of.visibility, of.parent)),
            _ => None,
        };
        let Some((file, visibility, parent)) = declared.filter(|&(file, ..)| file != self.file) else {
            return;
        };
        let Some(file) = ast.files.get(file as usize) else { return };
        if !file.visibility.exports(visibility, parent != NONE) {
            let declared_in = self.texts.get(file.name);
            let detail = format_args!("{} is local to {declared_in}", self.texts.get(name));
            self.faults.add(SourceErrorKind::UnresolvedType, at, at + name.len, &detail);
        }
    }

    fn message(&mut self, scope: Scope, name: Span, at: u32) -> Result<u32, RoomFull> {
        match self.find(scope, name, at, false)? {
            Some(Symbol::Message(message)) => return Ok(message),
            Some(_) => self.wrong(name, at, "a message"),
            None => {}
        }
        Ok(NONE)
    }

    #[cold]
    fn wrong(&mut self, name: Span, at: u32, what: &str) {
        let detail = format_args!("{} is not {what}", self.texts.get(name));
        self.faults.add(SourceErrorKind::UnresolvedType, at, at + name.len, &detail);
    }
}

/// What a name that refers to nothing may mean.
pub(crate) struct Meant<'t> {
    written: &'t str,
    /// With a dot in front.
    name: Vec<u8>,
    /// The file that declares it, if it is not imported.
    file: Option<&'t str>,
}

impl<'t> Meant<'t> {
    #[cold]
    pub(crate) fn new(
        (ast, texts): (&Ast, &'t Texts),
        symbols: &Symbols,
        written: &'t str,
        closest: Option<(Scope, Span, u32)>,
        room: &mut Room,
    ) -> Result<Self, RoomFull> {
        let mut name = Vec::new();
        let mut file = None;
        if let Some((scope, span, declared_in)) = closest {
            symbols.full_name((ast, texts), scope, span, &mut name, room)?;
            let found = ast.files.get(declared_in as usize);
            file = found.filter(|_| !symbols.sees(declared_in)).map(|found| texts.get(found.name));
        }
        Ok(Self { written, name, file })
    }
}

impl fmt::Display for Meant<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(name) = core::str::from_utf8(&self.name).ok().and_then(|name| name.strip_prefix('.')) else {
            return Ok(());
        };
        let same = self.written.strip_prefix('.').unwrap_or(self.written) == name;
        match self.file {
            Some(file) if same => write!(f, " ({file} declares it, and is not imported)"),
            Some(file) => write!(f, " (did you mean {name}, in {file}, which is not imported?)"),
            // An inner scope has the first part of the name, and not the rest.
            None if same && self.written == name => write!(f, " (did you mean .{name}?)"),
            None if same => Ok(()),
            None => write!(f, " (did you mean {name}?)"),
        }
    }
}
