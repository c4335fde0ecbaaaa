//! The names of all definitions, and the rules by which a name in a source refers to one of them.
//!
//! A definition is found by its scope and its own name, in a sorted list. Where a name stands decides which scopes are
//! searched, and the imports of the file which definitions count; the rules are those of C++'s `DescriptorBuilder::LookupSymbol`.

use crate::compile::parse::ast::{Ast, NONE, Span, Texts};
use crate::compile::parse::lexer::{Lexer, TokenKind};
use crate::memory::{Room, RoomFull};
use alloc::vec::Vec;

/// Where names are declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    Package(u32),
    Message(u32),
    Service(u32),
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbol {
    Package(u32),
    Message(u32),
    Enum(u32),
    Value(u32),
    /// Extensions too.
    Field(u32),
    Oneof(u32),
    Service(u32),
    Method(u32),
}

impl Symbol {
    fn scope(self) -> Option<Scope> {
        match self {
            Self::Package(index) => Some(Scope::Package(index)),
            Self::Message(index) => Some(Scope::Message(index)),
            Self::Service(index) => Some(Scope::Service(index)),
            _ => None,
        }
    }

    /// Whether names can stand after it and a dot. Those of enums never do, for values are declared next to their enum.
    fn is_aggregate(self) -> bool {
        matches!(self, Self::Package(_) | Self::Message(_) | Self::Enum(_) | Self::Service(_))
    }

    fn is_type(self) -> bool {
        matches!(self, Self::Message(_) | Self::Enum(_))
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    scope: Scope,
    /// The first bytes of the name, as a number in the order of names.
    prefix: u64,
    name: Span,
    symbol: Symbol,
    file: u32,
}

#[derive(Debug)]
struct Package {
    parent: u32,
    name: Span,
    /// The last view in which it was found to be visible.
    stamp: u32,
}

/// All names.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    /// By scope, and in it by name.
    entries: Vec<Entry>,
    /// Where the entries of each scope begin, and after the last one where they end: of packages, of messages, of services.
    first: [Vec<u32>; 3],
    packages: Vec<Package>,
    /// For each file, the last view in which it was found to be visible.
    stamps: Vec<u32>,
    /// The number of this view; views are counted from 1 on.
    viewer: u32,
    /// How many more files and imports all views together may go through.
    steps_left: usize,
    /// The file whose view was one too many.
    unseen: Option<u32>,
    /// The file of this view.
    viewed: u32,
    /// Hashes of names that stand in what was not understood, in order, with their files.
    lost_words: Vec<(u64, u32)>,
}

/// How many files and imports all views together may go through, beside a few per byte of source. In a chain of public imports each
/// file sees all that follow, which would take the square of their number.
const FREE_STEPS: usize = 1 << 20;
const STEPS_PER_BYTE: usize = 8;

/// The package without a name.
const ROOT: u32 = 0;
/// The same for files that no other file sees, so that what they declare hides nothing.
const HIDDEN_ROOT: u32 = 1;

/// The deepest scope: packages have at most 68 parts, messages 32 levels.
const MAX_SCOPES: usize = 128;

/// The letters of a name, whatever its case.
fn letters(text: &str) -> impl Iterator<Item = u8> + '_ {
    text.bytes().filter(|byte| *byte != b'_').map(|byte| byte.to_ascii_lowercase())
}

/// FNV-1a. Two names of one hash hide a fault that follows a fault.
fn hash(name: &str) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

fn prefix(name: &str) -> u64 {
    let mut bytes = [0; 8];
    let len = name.len().min(8);
    bytes[..len].copy_from_slice(&name.as_bytes()[..len]);
    u64::from_be_bytes(bytes)
}

impl Symbols {
    /// Whether a name is of a definition that was not understood: one of its words stands in what was skipped after a fault, or a part of
    /// it in the path of a file that this file imports and that was not found.
    pub(crate) fn is_lost(&self, ast: &Ast, texts: &Texts, name: &str) -> bool {
        let last = name.rsplit('.').next().unwrap_or(name);
        let wanted = hash(last);
        let first = self.lost_words.partition_point(|&(word, _)| word < wanted);
        let same = self.lost_words.iter().skip(first).take_while(|&&(word, _)| word == wanted);
        if same.into_iter().any(|&(_, file)| self.sees(file)) {
            return true;
        }
        let imports = ast.files.get(self.viewed as usize).map(|file| file.imports).unwrap_or_default();
        let mut missing = ast.imports.of(imports).filter(|(_, import)| import.file == NONE);
        missing.any(|(_, import)| {
            let path = texts.get(import.name);
            let parts = || path.split(['/', '.', '-', '_']);
            let stem = || path.rsplit('/').next().unwrap_or(path).split('.').next().unwrap_or(path);
            let package = name.trim_start_matches('.').split('.').next().filter(|_| name.contains('.'));
            package.is_some_and(|first| parts().any(|part| part == first))
                || letters(stem()).eq(letters(last))
        })
    }

    /// Notes the names that are declared in what was skipped: before a brace or `=`, or after the word for a type.
    fn note_lost(&mut self, ast: &Ast, texts: &Texts, room: &mut Room) -> Result<(), RoomFull> {
        for &(start, end) in &ast.skipped {
            let file = ast.files.partition_point(|file| file.start <= start).saturating_sub(1) as u32;
            let mut lexer = Lexer::new(&texts.sources, start);
            let (mut before, mut last) = ("", "");
            loop {
                let token = lexer.next();
                let declares =
                    matches!(token.symbol, b'{' | b'=') || matches!(before, "message" | "enum" | "group");
                if declares && !last.is_empty() {
                    room.push(&mut self.lost_words, (hash(last), file))?;
                }
                if token.start >= end || token.kind == TokenKind::End {
                    break;
                }
                let word = texts.get(Span::new(token.start, token.end));
                (before, last) = (last, if token.kind == TokenKind::Identifier { word } else { "" });
            }
        }
        self.lost_words.sort_unstable();
        self.lost_words.dedup();
        Ok(())
    }

    /// Collects all names, and gives each file its package.
    pub(crate) fn new(ast: &mut Ast, texts: &Texts, room: &mut Room) -> Result<Self, RoomFull> {
        let mut this = Self::default();
        this.add_packages(ast, texts, room)?;
        this.stamps = room.filled(0, ast.files.len())?;
        this.steps_left = FREE_STEPS + STEPS_PER_BYTE * texts.sources.len();
        let count = ast.messages.len()
            + ast.fields.len()
            + ast.oneofs.len()
            + ast.enums.len()
            + ast.values.len()
            + ast.services.len()
            + ast.methods.len();
        room.reserve(&mut this.entries, count + this.packages.len())?;
        this.collect(ast, texts, room)?;
        this.note_lost(ast, texts, room)?;
        this.entries.sort_unstable_by(|a, b| {
            (a.scope, a.prefix)
                .cmp(&(b.scope, b.prefix))
                .then_with(|| texts.get(a.name).cmp(texts.get(b.name)))
        });
        this.find_scopes([this.packages.len(), ast.messages.len(), ast.services.len()], room)?;
        Ok(this)
    }

    /// Notes where the entries of each scope begin. To search all of them for one name was a tenth of compiling 8 000 files: each step is
    /// memory that is far away.
    fn find_scopes(&mut self, counts: [usize; 3], room: &mut Room) -> Result<(), RoomFull> {
        let scopes = [Scope::Package, Scope::Message, Scope::Service];
        let mut at = 0;
        for ((first, count), scope) in self.first.iter_mut().zip(counts).zip(scopes) {
            *first = room.filled(0, count + 1)?;
            for (index, begin) in (0..).zip(first.iter_mut()) {
                *begin = at as u32;
                let own = |entry: &Entry| entry.scope <= scope(index);
                while index < count as u32 && self.entries.get(at).is_some_and(own) {
                    at += 1;
                }
            }
        }
        Ok(())
    }

    /// The entries of a scope.
    fn of(&self, scope: Scope) -> &[Entry] {
        let [packages, messages, services] = &self.first;
        let (first, index) = match scope {
            Scope::Package(index) => (packages, index as usize),
            Scope::Message(index) => (messages, index as usize),
            Scope::Service(index) => (services, index as usize),
        };
        match first.get(index..).unwrap_or_default() {
            &[begin, end, ..] => self.entries.get(begin as usize..end as usize).unwrap_or_default(),
            _ => &[],
        }
    }

    fn add_packages(&mut self, ast: &mut Ast, texts: &Texts, room: &mut Room) -> Result<(), RoomFull> {
        for _ in [ROOT, HIDDEN_ROOT] {
            room.push(&mut self.packages, Package { parent: NONE, name: Span::EMPTY, stamp: 0 })?;
        }
        let mut order = room.list(0..ast.files.len())?;
        let name = |ast: &Ast, file: usize| ast.files.get(file).map_or("", |file| texts.get(file.package));
        // Those of one root after each other: a package of both would else be open for one while the files of the other come, and
        // be added once more.
        let hidden = |file: usize| ast.files.get(file).is_some_and(|file| file.hidden);
        order.sort_unstable_by(|&a, &b| {
            hidden(a).cmp(&hidden(b)).then_with(|| name(ast, a).split('.').cmp(name(ast, b).split('.')))
        });
        let mut open: Vec<u32> = Vec::new();
        for &index in &order {
            let Some(file) = ast.files.get_mut(index) else { continue };
            let whole = texts.get(file.package);
            let mut start = file.package.start;
            let mut at = 0;
            let mut parent = if file.hidden { HIDDEN_ROOT } else { ROOT };
            for part in whole.split('.').filter(|part| !part.is_empty()) {
                let span = Span { start, len: part.len() as u32 };
                start += span.len + 1;
                let same = open.get(at).and_then(|&p| self.packages.get(p as usize));
                let same = same.is_some_and(|p| p.parent == parent && texts.get(p.name) == part);
                if !same {
                    open.truncate(at);
                    let package = Package { parent, name: span, stamp: 0 };
                    room.push(&mut self.packages, package)?;
                    room.push(&mut open, self.packages.len() as u32 - 1)?;
                }
                parent = open.get(at).copied().unwrap_or(parent);
                at += 1;
            }
            open.truncate(at);
            file.scope = parent;
        }
        room.drop_list(order);
        room.drop_list(open);
        Ok(())
    }

    fn collect(&mut self, ast: &Ast, texts: &Texts, room: &mut Room) -> Result<(), RoomFull> {
        let mut add = |scope: Scope, name: Span, symbol: Symbol, file: u32| {
            let prefix = prefix(texts.get(name));
            room.push(&mut self.entries, Entry { scope, prefix, name, symbol, file })
        };
        for (index, package) in (0..).zip(&self.packages).skip(2) {
            add(Scope::Package(package.parent), package.name, Symbol::Package(index), NONE)?;
        }
        for (index, message) in (0..).zip(ast.messages.all()) {
            let scope = around(ast, message.file, message.parent);
            add(scope, message.name, Symbol::Message(index), message.file)?;
            for (oneof, found) in ast.oneofs.of(message.oneofs) {
                add(Scope::Message(index), found.name, Symbol::Oneof(oneof), message.file)?;
            }
        }
        for (index, field) in (0..).zip(ast.fields.all()) {
            add(around(ast, field.file, field.declared_in), field.name, Symbol::Field(index), field.file)?;
        }
        for (index, found) in (0..).zip(ast.enums.all()) {
            add(around(ast, found.file, found.parent), found.name, Symbol::Enum(index), found.file)?;
        }
        for (index, value) in (0..).zip(ast.values.all()) {
            let Some(owner) = ast.enums.get(value.owner) else { continue };
            add(around(ast, owner.file, owner.parent), value.name, Symbol::Value(index), owner.file)?;
        }
        for (index, service) in (0..).zip(ast.services.all()) {
            add(around(ast, service.file, NONE), service.name, Symbol::Service(index), service.file)?;
            for (method, found) in ast.methods.of(service.methods) {
                add(Scope::Service(index), found.name, Symbol::Method(method), service.file)?;
            }
        }
        Ok(())
    }

    /// The definition of this name in a scope, wherever it is.
    pub(crate) fn find(&self, texts: &Texts, scope: Scope, name: &str) -> Option<(Symbol, u32)> {
        let key = prefix(name);
        let order = |entry: &Entry| entry.prefix.cmp(&key).then_with(|| texts.get(entry.name).cmp(name));
        let entries = self.of(scope);
        let at = entries.binary_search_by(order).ok()?;
        entries.get(at).map(|entry| (entry.symbol, entry.file))
    }

    /// The message of this name in `google.protobuf`: that of the sources, or that of a hidden file.
    pub(crate) fn options_message(&self, texts: &Texts, name: &str) -> Option<u32> {
        let find =
            |root| match self.walk(texts, Scope::Package(root), ["google", "protobuf", name].into_iter()) {
                Some((Symbol::Message(message), _)) => Some(message),
                _ => None,
            };
        find(ROOT).or_else(|| find(HIDDEN_ROOT))
    }

    /// Resolves names as this file sees them, from now on: its own, those of its imports, and those that they import publicly.
    pub(crate) fn view(&mut self, ast: &Ast, file: u32, room: &mut Room) -> Result<(), RoomFull> {
        self.viewer += 1;
        self.viewed = file;
        let mut todo: Vec<u32> = Vec::new();
        room.push(&mut todo, file)?;
        while let Some(index) = todo.pop() {
            let Some(found) = ast.files.get(index as usize) else { continue };
            match self.stamps.get_mut(index as usize) {
                Some(stamp) if *stamp != self.viewer => *stamp = self.viewer,
                _ => continue,
            }
            if self.steps_left == 0 {
                self.unseen.get_or_insert(file);
                break;
            }
            let mut package = found.scope;
            while let Some(found) = self.packages.get_mut(package as usize) {
                found.stamp = self.viewer;
                package = found.parent;
            }
            self.steps_left = self.steps_left.saturating_sub(1);
            for (_, import) in ast.imports.of(found.imports) {
                self.steps_left = self.steps_left.saturating_sub(1);
                if index == file || import.kind == crate::compile::parse::ast::ImportKind::Public {
                    room.push(&mut todo, import.file)?;
                }
            }
        }
        room.drop_list(todo);
        Ok(())
    }

    /// The file whose view could not be made, because files see too many others; names were then not found.
    pub(crate) fn unseen(&self) -> Option<u32> {
        self.unseen
    }

    fn is_visible(&self, symbol: Symbol, file: u32) -> bool {
        let stamp = match symbol {
            Symbol::Package(index) => self.packages.get(index as usize).map(|package| package.stamp),
            _ => self.stamps.get(file as usize).copied(),
        };
        stamp == Some(self.viewer)
    }

    /// Whether the file that is being resolved sees this one.
    pub(crate) fn sees(&self, file: u32) -> bool {
        self.stamps.get(file as usize) == Some(&self.viewer)
    }

    /// The names of `rest` after each other, from a scope on.
    fn walk<'n>(
        &self,
        texts: &Texts,
        mut scope: Scope,
        rest: impl Iterator<Item = &'n str>,
    ) -> Option<(Symbol, u32)> {
        let mut found = None;
        for part in rest {
            if let Some((symbol, _)) = found {
                scope = Symbol::scope(symbol)?;
            }
            found = Some(self.find(texts, scope, part)?);
        }
        found
    }

    /// What `name` refers to when it stands in `scope`; `types` skips what is no type if the name has one part.
    pub(crate) fn resolve(
        &self,
        (ast, texts): (&Ast, &Texts),
        scope: Scope,
        name: &str,
        types: bool,
    ) -> Option<Symbol> {
        let visible = |(symbol, file)| self.is_visible(symbol, file).then_some(symbol);
        if let Some(absolute) = name.strip_prefix('.') {
            return self.walk(texts, Scope::Package(ROOT), absolute.split('.')).and_then(visible);
        }
        let (first, rest) = name.split_once('.').map_or((name, None), |(first, rest)| (first, Some(rest)));
        let mut scope = Some(scope);
        while let Some(here) = scope {
            scope = self.outer(ast, here);
            let Some(symbol) = self.find(texts, here, first).and_then(visible) else { continue };
            match rest {
                None if types && !symbol.is_type() => {}
                None => return Some(symbol),
                // The innermost definition of the first part decides, even if it does not have the rest.
                Some(rest) if symbol.is_aggregate() => {
                    return self.walk(texts, symbol.scope()?, rest.split('.')).and_then(visible);
                }
                Some(_) => {}
            }
        }
        None
    }

    /// The scope around a scope.
    pub(crate) fn outer(&self, ast: &Ast, scope: Scope) -> Option<Scope> {
        match scope {
            Scope::Package(index) => {
                let parent = self.packages.get(index as usize)?.parent;
                (parent != NONE).then_some(Scope::Package(parent))
            }
            Scope::Message(index) => {
                ast.messages.get(index).map(|message| around(ast, message.file, message.parent))
            }
            Scope::Service(index) => ast.services.get(index).map(|service| around(ast, service.file, NONE)),
        }
    }

    /// The own name of a scope.
    fn name_of(&self, ast: &Ast, scope: Scope) -> Span {
        match scope {
            Scope::Package(index) => self.packages.get(index as usize).map(|package| package.name),
            Scope::Message(index) => ast.messages.get(index).map(|message| message.name),
            Scope::Service(index) => ast.services.get(index).map(|service| service.name),
        }
        .unwrap_or(Span::EMPTY)
    }

    /// Appends the full name of what is declared in `scope` under `name`: a dot before each part.
    pub(crate) fn full_name(
        &self,
        (ast, texts): (&Ast, &Texts),
        scope: Scope,
        name: Span,
        out: &mut Vec<u8>,
        room: &mut Room,
    ) -> Result<(), RoomFull> {
        let mut parts = [Span::EMPTY; MAX_SCOPES];
        let mut count = 0;
        let mut next = Some(scope);
        while let (Some(scope), Some(place)) = (next, parts.get_mut(count)) {
            *place = self.name_of(ast, scope);
            count += 1;
            next = self.outer(ast, scope);
        }
        let parts = parts.get(..count).unwrap_or_default().iter().rev();
        for part in parts.filter(|part| !part.is_empty()).chain([&name]) {
            room.push(out, b'.')?;
            room.extend(out, texts.get(*part).as_bytes())?;
        }
        Ok(())
    }

    /// The closest type, or extension, to a name that refers to nothing; its scope, name and file.
    #[cold]
    pub(crate) fn closest(&self, texts: &Texts, name: &str, types: bool) -> Option<(Scope, Span, u32)> {
        let wanted = name.rsplit('.').next().unwrap_or(name);
        let sort = |entry: &&Entry| match entry.symbol {
            Symbol::Field(_) => !types,
            symbol => types && symbol.is_type(),
        };
        let most = (wanted.len() / 3).clamp(1, 3);
        // So that a long list of names and a long list of faults take no long time together.
        let some = self.entries.iter().filter(sort).take(2000);
        let near = some.filter_map(|entry| {
            let far = distance(wanted.as_bytes(), texts.get(entry.name).as_bytes(), most)?;
            Some(((far, !self.sees(entry.file)), entry))
        });
        let (_, entry) = near.min_by_key(|&(key, _)| key)?;
        Some((entry.scope, entry.name, entry.file))
    }
}

/// The scope in which a file, or a message in it, declares names.
pub(crate) fn around(ast: &Ast, file: u32, message: u32) -> Scope {
    match message {
        NONE => Scope::Package(ast.files.get(file as usize).map_or(0, |file| file.scope)),
        message => Scope::Message(message),
    }
}

/// How many letters have to be changed, added or left out to make one name of another, if at most `most`.
pub(crate) fn distance(a: &[u8], b: &[u8], most: usize) -> Option<usize> {
    const LONGEST: usize = 64;
    if a.len().abs_diff(b.len()) > most || a.len() > LONGEST || b.len() > LONGEST {
        return None;
    }
    let mut row: [usize; LONGEST + 1] = core::array::from_fn(|i| i);
    for (i, letter) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in b.iter().enumerate() {
            let changed = diagonal + usize::from(!letter.eq_ignore_ascii_case(other));
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    (row[b.len()] <= most).then_some(row[b.len()])
}

impl Symbols {
    /// Where a definition of a full name stands, and the length of its name there: of several, the `nth` from 0 on, or the last one.
    #[cold]
    pub(crate) fn place(&self, ast: &Ast, texts: &Texts, full_name: &str, nth: usize) -> Option<(u32, u32)> {
        // Of a name that is declared twice, only one has the rest.
        let mut scopes = [None; SAME];
        scopes[0] = Some(Scope::Package(ROOT));
        let mut parts = full_name.split('.').peekable();
        while let Some(part) = parts.next() {
            let found = scopes.into_iter().flatten().flat_map(|scope| self.all(texts, scope, part));
            if parts.peek().is_some() {
                let mut inner = [None; SAME];
                let scopes_in = found.filter_map(|entry| entry.symbol.scope());
                inner.iter_mut().zip(scopes_in).for_each(|(place, scope)| *place = Some(scope));
                scopes = inner;
                continue;
            }
            let mut places = [(u32::MAX, 0); SAME];
            let known = found.filter_map(|entry| Some((place_of(ast, entry.symbol)?, entry.name.len)));
            let count = places.iter_mut().zip(known).map(|(place, known)| *place = known).count();
            places.sort_unstable();
            return places.get(nth.min(count.checked_sub(1)?)).copied();
        }
        None
    }

    /// All definitions of this name in a scope.
    fn all<'s>(&'s self, texts: &'s Texts, scope: Scope, name: &'s str) -> impl Iterator<Item = &'s Entry> {
        let key = prefix(name);
        let order = |entry: &Entry| entry.prefix.cmp(&key).then_with(|| texts.get(entry.name).cmp(name));
        let entries = self.of(scope);
        let first = entries.partition_point(|entry| order(entry).is_lt());
        let rest = entries.get(first..).unwrap_or_default().iter();
        rest.take_while(move |entry| texts.get(entry.name) == name)
    }
}

/// How many definitions of one name are looked into for what is declared in them.
const SAME: usize = 16;

/// Where the name of a definition stands.
fn place_of(ast: &Ast, symbol: Symbol) -> Option<u32> {
    match symbol {
        Symbol::Message(index) => ast.messages.get(index).map(|found| found.at),
        Symbol::Enum(index) => ast.enums.get(index).map(|found| found.at),
        Symbol::Value(index) => ast.values.get(index).map(|found| found.at),
        Symbol::Field(index) => ast.fields.get(index).map(|found| found.at),
        Symbol::Oneof(index) => ast.oneofs.get(index).map(|found| found.at),
        Symbol::Service(index) => ast.services.get(index).map(|found| found.at),
        Symbol::Method(index) => ast.methods.get(index).map(|found| found.at),
        Symbol::Package(_) => None,
    }
}
