//! Options: from their text in the source to the bytes of an options message.
//!
//! Each option becomes a tree of [`Node`]s: names are looked up in the options messages of descriptor.proto and among the
//! extensions that the file sees, values are read as the type of their field (`values.rs`, and `aggregate.rs` for those in
//! braces). Then all options of a definition are written as one message (`write.rs`), in the order of field numbers: this is where
//! options of one message come together, and where what is set twice is found.

mod aggregate;
pub(crate) mod defaults;
mod field_index;
mod paths;
mod values;
mod write;

use crate::compile::check::declarations::Declarations;
use crate::compile::check::warnings::Deprecated;
use crate::compile::error::{Faults, SourceErrorKind};
use crate::compile::names::resolve::Meant;
use crate::compile::names::symbols::{Scope, Symbol, Symbols, around};
use crate::compile::parse::ast::{Ast, Chain, NONE, Parts, RawOption, Span, Texts};
use crate::compile::parse::codes::{label, type_code};
use crate::compile::parse::lexer::{Lexer, Token, TokenKind};
use crate::compile::wire::Out;
use crate::memory::{Room, RoomFull};
use alloc::vec::Vec;
use core::fmt;
use field_index::FieldIndex;
pub(super) use paths::OptionPaths;
use tablepb::schema::Edition;

/// How deep values may be nested.
const MAX_DEPTH: usize = 64;

/// What options belong to; the number is that of `OptionTargetType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    File = 1,
    ExtensionRange,
    Message,
    Field,
    Oneof,
    Enum,
    EnumEntry,
    Service,
    Method,
}

impl Target {
    /// The name of the options message, and what users call the definition.
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::File => ("FileOptions", "file"),
            Self::ExtensionRange => ("ExtensionRangeOptions", "extension range"),
            Self::Message => ("MessageOptions", "message"),
            Self::Field => ("FieldOptions", "field"),
            Self::Oneof => ("OneofOptions", "oneof"),
            Self::Enum => ("EnumOptions", "enum"),
            Self::EnumEntry => ("EnumValueOptions", "enum entry"),
            Self::Service => ("ServiceOptions", "service"),
            Self::Method => ("MethodOptions", "method"),
        }
    }
}

/// A field of an options message, or of a message in it, that is set.
#[derive(Debug)]
struct Node {
    field: u32,
    /// The piece of the source that sets it.
    start: u32,
    end: u32,
    /// All of the field is set here: nothing can be added.
    whole: bool,
    /// A zero in braces for a field without presence: as if it was not there, but that it comes too late after another value.
    silent: bool,
    /// Another member of its oneof is set later.
    lost: bool,
    value: NodeValue,
}

impl Node {
    const fn new(field: u32, (start, end): (u32, u32), value: NodeValue) -> Self {
        Self { field, start, end, whole: true, silent: false, lost: false, value }
    }
}

#[derive(Clone, Copy, Debug)]
enum NodeValue {
    /// A number as the wire has it: zigzag is done, floats are bits.
    Number(u64),
    /// A range of `bytes`.
    Bytes(usize, usize),
    Message(Chain),
}

impl NodeValue {
    const fn is_zero(self) -> bool {
        match self {
            Self::Number(number) => number == 0,
            Self::Bytes(start, end) => start == end,
            Self::Message(_) => false,
        }
    }
}

/// Why an option is given up.
#[derive(Debug)]
enum Halt {
    Fault,
    Full(RoomFull),
}

impl From<RoomFull> for Halt {
    fn from(full: RoomFull) -> Self {
        Self::Full(full)
    }
}

type Done<T = ()> = Result<T, Halt>;

/// Interprets the options of one definition after the other.
pub(super) struct Options<'a> {
    pub(super) ast: &'a Ast,
    pub(super) texts: &'a Texts,
    pub(super) symbols: &'a mut Symbols,
    pub(super) faults: &'a mut Faults,
    pub(super) edition: Edition,
    target: Target,
    nodes: Parts<Node>,
    /// Strings, and the encoded messages in `google.protobuf.Any`.
    bytes: Vec<u8>,
    /// Nodes that are being sorted.
    order: Vec<u32>,
    fields: FieldIndex,
    /// Within the message of a `google.protobuf.Any`: its fields are data, no options.
    in_any: bool,
    /// The options messages by target, once they are needed.
    messages: [u32; 10],
    /// What the options of extension ranges declare.
    pub(super) declarations: Declarations,
    /// What is set and deprecated.
    pub(super) deprecated: Vec<Deprecated>,
    /// The paths of options, if they are wanted.
    pub(super) paths: Option<OptionPaths>,
    /// Options that are for the source alone are kept.
    pub(super) retain: bool,
}

impl<'a> Options<'a> {
    pub(super) fn new(
        ast: &'a Ast,
        texts: &'a Texts,
        symbols: &'a mut Symbols,
        faults: &'a mut Faults,
    ) -> Self {
        Self {
            ast,
            texts,
            symbols,
            faults,
            edition: Edition::Proto2,
            target: Target::File,
            nodes: Parts::default(),
            bytes: Vec::new(),
            order: Vec::new(),
            fields: FieldIndex::default(),
            in_any: false,
            messages: [NONE; 10],
            declarations: Declarations::default(),
            deprecated: Vec::new(),
            paths: None,
            retain: false,
        }
    }

    /// Writes the options message of a definition that is declared in `scope`, without tag and length.
    pub(super) fn write(
        &mut self,
        target: Target,
        options: Chain,
        scope: Scope,
        out: &mut Out,
        room: &mut Room,
    ) -> Result<(), RoomFull> {
        self.target = target;
        self.fields.make(self.ast, room)?;
        let mut root = Chain::default();
        let ast = self.ast;
        for (_, option) in ast.options.of(options) {
            match self.option(option, scope, &mut root, room) {
                Ok(()) | Err(Halt::Fault) => {}
                Err(Halt::Full(full)) => return Err(full),
            }
            self.in_any = false;
        }
        if let Some(paths) = &mut self.paths {
            paths.end_message(room)?;
        }
        let message = self.options_message(target);
        let written = self.message(root, message, out, room, 0);
        self.nodes.clear();
        self.bytes.clear();
        self.order.clear();
        match written {
            Ok(()) | Err(Halt::Fault) => Ok(()),
            Err(Halt::Full(full)) => Err(full),
        }
    }

    fn options_message(&mut self, target: Target) -> u32 {
        let Some(&known) = self.messages.get(target as usize) else { return NONE };
        if known != NONE {
            return known;
        }
        let found = self.symbols.options_message(self.texts, target.names().0);
        let Some(message) = found else { return NONE };
        if let Some(place) = self.messages.get_mut(target as usize) {
            *place = message;
        }
        message
    }

    fn text(&self, token: Token) -> &'a str {
        self.texts.get(Span::new(token.start, token.end))
    }

    #[cold]
    fn fail(&mut self, kind: SourceErrorKind, start: u32, end: u32, detail: &dyn fmt::Display) -> Halt {
        self.faults.add(kind, start, end, detail);
        Halt::Fault
    }

    /// Reads one option and adds it to the options message.
    fn option(&mut self, option: &RawOption, scope: Scope, root: &mut Chain, room: &mut Room) -> Done {
        let mut lexer = Lexer::new(&self.texts.sources, option.name);
        let mut path = [(NONE, option.name, option.name); MAX_DEPTH];
        let mut len = 0;
        let mut message = self.options_message(self.target);
        loop {
            let (field, start, end) = self.name_part(&mut lexer, message, scope, room)?;
            let Some(place) = path.get_mut(len) else {
                return Err(self.fail(SourceErrorKind::TooDeep, start, end, &"more than 64 names"));
            };
            *place = (field, start, end);
            len += 1;
            if lexer.next().symbol != b'.' {
                break;
            }
            message = self.inner(field, start, end)?;
        }
        let Some(((field, start, end), outer)) = path.get(..len).and_then(|path| path.split_last()) else {
            return Ok(());
        };
        if let Some(paths) = &mut self.paths {
            let fields = path.get(..len).unwrap_or_default().iter();
            paths.add(self.ast, option.name, fields.map(|&(field, ..)| field), room)?;
        }
        let mut values = Lexer::new(&self.texts.sources, option.value);
        let value = self.option_value(*field, &mut values, room)?;
        let mut node = Node::new(*field, (*start, *end), value);
        for &(parent, start, end) in outer.iter().rev() {
            let mut chain = Chain::default();
            self.nodes.push(room, &mut chain, node)?;
            node = Node { whole: false, ..Node::new(parent, (start, end), NodeValue::Message(chain)) };
        }
        self.nodes.push(room, root, node)?;
        Ok(())
    }

    /// The message in which the next part of a name is looked for.
    fn inner(&mut self, field: u32, start: u32, end: u32) -> Done<u32> {
        let detail = match self.ast.fields.get(field) {
            Some(field) if i32::from(field.label) == label::REPEATED => {
                "a repeated option is set as a whole, with a value in braces"
            }
            // Its type was not found.
            Some(field) if field.is_unresolved() => return Err(Halt::Fault),
            Some(field) if matches!(i32::from(field.type_code), type_code::MESSAGE | type_code::GROUP) => {
                return Ok(field.target);
            }
            _ => "this option is not a message",
        };
        Err(self.fail(SourceErrorKind::InvalidOption, start, end, &detail))
    }

    /// One part of a name: the field that it stands for, and its place.
    fn name_part(
        &mut self,
        lexer: &mut Lexer<'_>,
        message: u32,
        scope: Scope,
        room: &mut Room,
    ) -> Done<(u32, u32, u32)> {
        let token = lexer.next();
        if token.symbol != b'(' {
            let name = self.text(token);
            if name == "uninterpreted_option" {
                let detail = "uninterpreted_option cannot be set";
                return Err(self.fail(SourceErrorKind::InvalidOption, token.start, token.end, &detail));
            }
            let found = self.field_of(message, name);
            return match found {
                Some(field) => Ok((field, token.start, token.end)),
                None => Err(self.unknown(message, name, (token.start, token.end))),
            };
        }
        let (name, (start, end), _) = extension_name(&self.texts.sources, lexer, room)?;
        let text = core::str::from_utf8(&name).unwrap_or("");
        let found = self.extension(message, text, scope, (start, end), room);
        room.drop_list(name);
        found.map(|field| (field, start, end))
    }

    /// The field of a message by its name.
    fn field_of(&self, message: u32, name: &str) -> Option<u32> {
        match self.symbols.find(self.texts, Scope::Message(message), name)? {
            (Symbol::Field(field), _) if self.ast.fields.get(field)?.extendee.is_empty() => Some(field),
            _ => None,
        }
    }

    /// The extension of a message, or the field of its own, by a name that stands in a scope.
    fn extension(
        &mut self,
        message: u32,
        name: &str,
        scope: Scope,
        (start, end): (u32, u32),
        room: &mut Room,
    ) -> Done<u32> {
        let found = self.symbols.resolve((self.ast, self.texts), scope, name, false);
        if let Some(Symbol::Field(field)) = found
            && let Some(extension) = self.ast.fields.get(field)
        {
            if extension.message == NONE {
                // What it extends was not found.
                return Err(Halt::Fault);
            }
            if extension.message == message {
                return Ok(field);
            }
            let of = self.ast.messages.get(message).map_or("", |message| self.texts.get(message.name));
            let what = if extension.extendee.is_empty() { "is a field of" } else { "extends" };
            let detail = format_args!("{name} {what} another message, not {of}");
            return Err(self.fail(SourceErrorKind::InvalidOption, start, end, &detail));
        }
        if self.faults.is_full() || self.symbols.is_lost(self.ast, self.texts, name) {
            return Err(Halt::Fault);
        }
        let closest = self.symbols.closest(self.texts, name, false);
        let meant = Meant::new((self.ast, self.texts), self.symbols, name, closest, room)?;
        let detail = format_args!("({name}){meant}");
        Err(self.fail(SourceErrorKind::UnknownOption, start, end, &detail))
    }

    #[cold]
    fn unknown(&mut self, message: u32, name: &str, (start, end): (u32, u32)) -> Halt {
        if self.faults.is_full() {
            return Halt::Fault;
        }
        let found = self.ast.messages.get(message);
        let of = found.map_or("", |message| self.texts.get(message.name));
        let fields = found.map(|message| message.fields).unwrap_or_default();
        let names = self.ast.fields.of(fields).take(200).map(|(_, field)| self.texts.get(field.name));
        let names = names.filter(|&known| known != name);
        let near = names.filter_map(|known| {
            let far = crate::compile::names::symbols::distance(
                name.as_bytes(),
                known.as_bytes(),
                (name.len() / 3).max(1),
            )?;
            Some((far, known))
        });
        match near.min_by_key(|&(far, _)| far) {
            Some((_, known)) => {
                let detail = format_args!("{name} in {of} (did you mean {known}?)");
                self.fail(SourceErrorKind::UnknownOption, start, end, &detail)
            }
            None => self.fail(SourceErrorKind::UnknownOption, start, end, &format_args!("{name} in {of}")),
        }
    }

    /// The scope in which extensions are looked for from within the text of a message.
    fn scope_of(&self, message: u32) -> Scope {
        let found = self.ast.messages.get(message);
        found.map_or(Scope::Package(0), |message| around(self.ast, message.file, message.parent))
    }
}

/// The dotted name of an extension, its place, and the token after it, which should close it.
///
/// A name cannot contain braces, `;` or `=`. One that is not closed ends there, since the names of many that are not would each go through all
/// that follows.
fn extension_name(text: &str, lexer: &mut Lexer<'_>, room: &mut Room) -> Done<(Vec<u8>, (u32, u32), Token)> {
    let mut name = Vec::new();
    let (mut start, mut end) = (NONE, 0);
    loop {
        let token = lexer.next();
        if matches!(token.symbol, b')' | b']' | b'{' | b'}' | b';' | b'=') || token.kind == TokenKind::End {
            return Ok((name, (start.min(token.start), end.max(start.min(token.start))), token));
        }
        start = start.min(token.start);
        end = token.end;
        let part = text.get(token.start as usize..token.end as usize).unwrap_or_default();
        room.extend(&mut name, part.as_bytes())?;
    }
}
