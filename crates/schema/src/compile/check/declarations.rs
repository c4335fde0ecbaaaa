//! Extension declarations: who may extend a message by which number, checked as protoc does.
//!
//! A range says so in its options, `[declaration = {number: 4, full_name: ".p.a", type: "int32"}]`, which are for the source alone:
//! they are noted while the options are written, before they are left out, and checked when all names are known.

use crate::compile::error::{Faults, SourceErrorKind};
use crate::compile::load::DESCRIPTOR;
use crate::compile::names::symbols::{Symbols, around};
use crate::compile::parse::ast::{Ast, NONE, Texts};
use crate::compile::parse::codes::{label, type_code};
use crate::memory::{Room, RoomFull};
use alloc::vec::Vec;
use core::fmt;
use tablepb::wire::Reader;

/// Numbers of fields of `ExtensionRangeOptions`.
const DECLARATION: i32 = 2;
const VERIFICATION: i32 = 3;
/// Values of `VerificationState`.
const DECLARED_ONLY: u64 = 0;
const UNVERIFIED: u64 = 1;

/// The options of ranges that concern declarations.
#[derive(Debug, Default)]
pub(crate) struct Declarations {
    /// As they are on the wire.
    bytes: Vec<u8>,
    ranges: Vec<NotedRange>,
    /// What the range that ended last has of the bytes.
    last: (usize, usize),
}

/// A range that declares extensions, or asks that they are declared.
#[derive(Clone, Copy, Debug)]
struct NotedRange {
    message: u32,
    /// The first number, and the one after the last.
    numbers: (i32, i32),
    bytes: (usize, usize),
    /// Whether all its extensions have to be declared.
    strict: bool,
}

/// One declaration.
#[derive(Clone, Copy, Default)]
struct Declaration<'b> {
    message: u32,
    number: i32,
    name: Option<&'b str>,
    type_name: Option<&'b str>,
    reserved: bool,
    repeated: bool,
}

impl Declarations {
    /// Notes an option of the range that is being written.
    pub(crate) fn note(&mut self, number: i32, encoded: &[u8], room: &mut Room) -> Result<(), RoomFull> {
        if matches!(number, DECLARATION | VERIFICATION) {
            room.extend(&mut self.bytes, encoded)?;
        }
        Ok(())
    }

    /// Ends a range, whose options have been noted.
    pub(crate) fn end_range(
        &mut self,
        message: u32,
        numbers: (i32, i32),
        room: &mut Room,
    ) -> Result<(), RoomFull> {
        self.last = (self.last.1, self.bytes.len());
        self.same_range(message, numbers, room)
    }

    /// Ends a range with the options of the range before it.
    pub(crate) fn same_range(
        &mut self,
        message: u32,
        numbers: (i32, i32),
        room: &mut Room,
    ) -> Result<(), RoomFull> {
        if self.last.0 == self.last.1 {
            return Ok(());
        }
        room.push(&mut self.ranges, NotedRange { message, numbers, bytes: self.last, strict: false })
    }

    /// Checks all declarations, and all extensions against them.
    pub(crate) fn check(
        mut self,
        ast: &Ast,
        texts: &Texts,
        symbols: &Symbols,
        faults: &mut Faults,
        room: &mut Room,
    ) -> Result<(), RoomFull> {
        // Ranges with the same options one after the other.
        self.ranges.sort_unstable_by_key(|a| (a.message, a.bytes));
        let mut check = Check { ast, texts, symbols, faults, room, all: Vec::new(), count: 0 };
        for same in self.ranges.chunk_by_mut(|a, b| a.message == b.message) {
            let first = check.all.len();
            let (mut last, mut faulty) = ((0, 0), false);
            for range in same {
                // A declaration is for one range, so of ranges that share some all but one are at fault. Saying so for one is enough,
                // and ranges times declarations would not be linear.
                if range.bytes == last && faulty {
                    continue;
                }
                let options = self.bytes.get(range.bytes.0..range.bytes.1).unwrap_or_default();
                let before = check.count;
                range.strict = check.range(range, options)?;
                (last, faulty) = (range.bytes, check.count != before);
            }
            check.names(first)?;
        }
        if !self.ranges.is_empty() && check.faults.is_empty() {
            self.ranges.sort_unstable_by_key(|a| (a.message, a.numbers));
            check.all.sort_unstable_by_key(|a| (a.message, a.number));
            check.extensions(&self.ranges)?;
        }
        Ok(())
    }
}

struct Check<'a, 'b> {
    ast: &'a Ast,
    texts: &'a Texts,
    symbols: &'a Symbols,
    faults: &'a mut Faults,
    room: &'a mut Room,
    all: Vec<Declaration<'b>>,
    /// How many faults there were.
    count: usize,
}

impl<'b> Check<'_, 'b> {
    #[cold]
    fn fail(&mut self, message: u32, detail: &dyn fmt::Display) {
        let (at, len) = self.ast.messages.get(message).map_or((0, 0), |found| (found.at, found.name.len));
        self.faults.add(SourceErrorKind::InvalidOption, at, at + len, detail);
        self.count += 1;
    }

    /// Reads the declarations of a range, and checks each of them. Whether all extensions have to be declared.
    fn range(&mut self, range: &NotedRange, options: &'b [u8]) -> Result<bool, RoomFull> {
        let first = self.all.len();
        let mut verification = None;
        let mut reader = Reader::new(options);
        while let Ok(Some(tag)) = reader.next_tag() {
            match tag.number() as i32 {
                DECLARATION => {
                    let Ok(bytes) = reader.read_length_delimited() else { break };
                    let declaration = Declaration::read(range.message, bytes);
                    self.room.push(&mut self.all, declaration)?;
                }
                _ => verification = reader.read_varint().ok(),
            }
        }
        if verification == Some(UNVERIFIED) && self.all.len() > first {
            self.fail(range.message, &"an extension range with declarations cannot be UNVERIFIED");
        }
        for at in first..self.all.len() {
            let Some(&declaration) = self.all.get(at) else { break };
            self.declaration(range, &declaration);
        }
        let own = self.all.get_mut(first..).unwrap_or_default();
        own.sort_unstable_by_key(|a| a.number);
        let twice = own.windows(2).find_map(|pair| match pair {
            [a, b] if a.number == b.number => Some(a.number),
            _ => None,
        });
        if let Some(number) = twice {
            self.fail(range.message, &format_args!("extension number {number} is declared twice"));
        }
        Ok(self.all.len() > first || verification == Some(DECLARED_ONLY))
    }

    fn declaration(&mut self, range: &NotedRange, declaration: &Declaration<'_>) {
        let (message, number) = (range.message, declaration.number);
        if !(range.numbers.0..range.numbers.1).contains(&number) {
            let detail = format_args!("extension number {number} is declared, and not in its range");
            self.fail(message, &detail);
        }
        let (name, type_name) = match (declaration.name, declaration.type_name) {
            (Some(name), Some(type_name)) => (name, type_name),
            (None, None) if declaration.reserved => return,
            _ => {
                let detail = "is declared without both full_name and type";
                return self.fail(message, &format_args!("extension number {number} {detail}"));
            }
        };
        let types = if is_scalar(type_name) { None } else { Some(type_name) };
        for name in core::iter::once(name).chain(types).filter(|name| !is_absolute(name)) {
            self.fail(message, &format_args!("{name:?} is no full name with a dot in front"));
        }
    }

    /// Checks that the declarations of a message, from `first` on, have different names.
    fn names(&mut self, first: usize) -> Result<(), RoomFull> {
        let declared = self.all.get(first..).unwrap_or_default();
        let mut names: Vec<&str> = Vec::new();
        self.room.reserve(&mut names, declared.len())?;
        // One that lacks its type has been refused.
        names.extend(declared.iter().filter_map(|declaration| declaration.name));
        let message = declared.first().map_or(NONE, |declaration| declaration.message);
        names.sort_unstable();
        for pair in names.windows(2) {
            if let &[a, b] = pair
                && a == b
            {
                self.fail(message, &format_args!("the extension {} is declared twice", a.escape_debug()));
                break;
            }
        }
        self.room.drop_list(names);
        Ok(())
    }

    /// Checks the extensions of messages with declarations. Ranges and declarations are in order of message and number.
    fn extensions(&mut self, ranges: &[NotedRange]) -> Result<(), RoomFull> {
        let (ast, texts) = (self.ast, self.texts);
        let mut name = Vec::new();
        for field in ast.fields.all().iter().filter(|field| !field.extendee.is_empty()) {
            let key = (field.message, field.number);
            let after = ranges.partition_point(|range| (range.message, range.numbers.0) <= key);
            let range = after.checked_sub(1).and_then(|at| ranges.get(at));
            let strict =
                |range: &NotedRange| range.strict && range.message == key.0 && field.number < range.numbers.1;
            if !range.is_some_and(strict) || self.is_option(field.message) {
                continue;
            }
            let found = self.all.binary_search_by(|found| (found.message, found.number).cmp(&key));
            let found = found.ok().and_then(|at| self.all.get(at)).copied();
            name.clear();
            let scope = around(ast, field.file, field.declared_in);
            self.symbols.full_name((ast, texts), scope, field.name, &mut name, self.room)?;
            let fault = match found {
                None => Some("is not declared, in a range whose extensions are"),
                Some(found) if found.reserved => Some("has a number that the declarations reserve"),
                Some(found) if found.name.is_some_and(|declared| declared.as_bytes() != name) => {
                    Some("has another name in its declaration")
                }
                Some(found) if found.repeated != (i32::from(field.label) == label::REPEATED) => {
                    Some("is repeated, or is not, against its declaration")
                }
                Some(found) => {
                    self.field_type(field, &mut name)?;
                    let other = found.type_name.is_some_and(|declared| declared.as_bytes() != name);
                    other.then_some("has another type in its declaration")
                }
            };
            if let Some(fault) = fault {
                let detail = format_args!("the extension {} {fault}", texts.get(field.name));
                self.faults.add(SourceErrorKind::InvalidOption, field.at, field.at + field.name.len, &detail);
            }
        }
        self.room.drop_list(name);
        Ok(())
    }

    /// Whether a message is of descriptor.proto, whose declarations are not enforced: protoc leaves its extensions alone.
    fn is_option(&self, message: u32) -> bool {
        let file = self.ast.messages.get(message).and_then(|found| self.ast.files.get(found.file as usize));
        file.is_some_and(|file| self.texts.get(file.name) == DESCRIPTOR)
    }

    /// The type of a field as declarations name it.
    fn field_type(
        &mut self,
        field: &crate::compile::parse::ast::Field,
        name: &mut Vec<u8>,
    ) -> Result<(), RoomFull> {
        name.clear();
        let ast = self.ast;
        let code = i32::from(field.type_code);
        let found = match code {
            type_code::MESSAGE | type_code::GROUP => {
                ast.messages.get(field.target).map(|of| (of.file, of.parent, of.name))
            }
            type_code::ENUM => ast.enums.get(field.target).map(|of| (of.file, of.parent, of.name)),
            _ => {
                let scalar = usize::try_from(code - 1).ok().and_then(|at| SCALARS.get(at));
                return self.room.extend(name, scalar.map_or(&b""[..], |scalar| scalar.as_bytes()));
            }
        };
        match found {
            Some((file, parent, own)) => {
                let scope = around(ast, file, parent);
                self.symbols.full_name((ast, self.texts), scope, own, name, self.room)
            }
            None => Ok(()),
        }
    }
}

impl<'b> Declaration<'b> {
    fn read(message: u32, bytes: &'b [u8]) -> Self {
        let mut this = Self { message, ..Self::default() };
        let mut reader = Reader::new(bytes);
        while let Ok(Some(tag)) = reader.next_tag() {
            match tag.number() {
                2 => this.name = reader.read_str().ok(),
                3 => this.type_name = reader.read_str().ok(),
                number => {
                    let Ok(value) = reader.read_varint() else { break };
                    match number {
                        1 => this.number = value as i32,
                        5 => this.reserved = value != 0,
                        6 => this.repeated = value != 0,
                        _ => {}
                    }
                }
            }
        }
        this
    }
}

/// The types that have no full name, by `FieldDescriptorProto.Type`; those that have one are empty, but for `enum`, which protoc takes
/// too.
const SCALARS: [&str; 18] = [
    "double", "float", "int64", "uint64", "int32", "fixed64", "fixed32", "bool", "string", "", "", "bytes",
    "uint32", "enum", "sfixed32", "sfixed64", "sint32", "sint64",
];

fn is_scalar(name: &str) -> bool {
    !name.is_empty() && SCALARS.contains(&name)
}

/// A dot, and then words with a dot between each two. As protoc has it, a word may begin with a digit.
fn is_absolute(name: &str) -> bool {
    let word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    name.strip_prefix('.').is_some_and(|rest| rest.split('.').all(word))
}
