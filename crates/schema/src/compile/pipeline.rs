//! The way from sources to a pool: read, name, resolve, write descriptors, load them.

use crate::compile::check::warnings::{self, Sources};
use crate::compile::check::{prefixes, style, support};
use crate::compile::emit::Emitter;
use crate::compile::error::{Fault, Faults, Phase, SourceDiagnostic, SourceError, SourceErrorKind};
use crate::compile::load::Loaded;
use crate::compile::load::request::Request;
use crate::compile::names::resolve::resolve;
use crate::compile::names::symbols::Symbols;
use crate::compile::options::{OptionPaths, Options};
use crate::compile::parse::ast::{Ast, Texts};
use crate::compile::parse::lexer::{Lexer, TokenKind};
use crate::memory::Room;
use alloc::vec::Vec;
use tablepb::schema::DescriptorErrorKind;
use tablepb::{DescriptorError, DescriptorPool};

/// What a compiler makes: the pool, and what is not wrong and yet worth saying.
pub(super) type Compiled = (DescriptorPool, Vec<SourceDiagnostic>);

/// Compiles what is asked for; looks for what is worth a warning if `warn`.
///
/// After a fault the work goes on with what is left, so that all faults are found; what follows from another fault is left out where it
/// can be told.
pub(super) fn pool(request: &Request<'_>, warn: bool) -> Result<Compiled, SourceError> {
    let len = request.sources.iter().map(|(_, source)| source.len()).fold(0, usize::saturating_add);
    let room = &mut Room::new(request.options.memory_for(len));
    let full = SourceError::full;
    let mut loaded = Loaded::load(request, room)?;
    let order = loaded.order(room).map_err(full)?;
    let Loaded { texts, mut ast, mut faults, .. } = loaded;
    faults.begin(Phase::Names);
    let mut symbols = Symbols::new(&mut ast, &texts, room).map_err(full)?;
    style::note_visibility(&mut ast, &texts);
    resolve(&mut ast, &texts, &mut symbols, &mut faults, room).map_err(full)?;
    all_seen(&ast, &texts, &symbols)?;
    style::check(&ast, &texts, &mut faults, room).map_err(full)?;
    prefixes::check(&ast, &texts, &mut faults, room).map_err(full)?;
    let mut options = Options::new(&ast, &texts, &mut symbols, &mut faults);
    options.paths = request.source_info.then(|| OptionPaths::new(request.retain_options));
    options.retain = request.retain_options;
    let mut emitter = Emitter::new(options, room);
    for &file in &order {
        if ast.files.get(file as usize).is_some_and(|file| !file.hidden) {
            emitter.file(file).map_err(full)?;
        }
    }
    let (set, declarations, deprecated) = emitter.into_set();
    all_seen(&ast, &texts, &symbols)?;
    support::check(&ast, &texts, &mut faults, room).map_err(full)?;
    if faults.is_empty() {
        declarations.check(&ast, &texts, &symbols, &mut faults, room).map_err(full)?;
    }
    let made = match request.options.max_faults(faults.room()).decode(&set) {
        Ok(pool) if faults.is_empty() => {
            if warn {
                let (ast, texts, symbols) = (&ast, &texts, &symbols);
                let sources = Sources { ast, texts, symbols, pool: &pool, roots: request.roots().collect() };
                warnings::check(&sources, &deprecated, &mut faults);
            }
            return Ok((pool, located(faults, &ast, &texts).into_diagnostics()));
        }
        Ok(_) => None,
        Err(error) => Some(error),
    };
    if let Some(error) = &made {
        faults.begin(Phase::Pool);
        let alone = faults.is_empty() && error.others().is_empty();
        let all = || core::iter::once(error).chain(error.others());
        for (index, error) in all().enumerate() {
            // The second of two definitions of one name is at fault, of three the third too.
            let is_same =
                |other: &&DescriptorError| other.kind() == error.kind() && other.name() == error.name();
            let nth = all().take(index).filter(is_same).count() + 1;
            match place(&ast, &texts, &symbols, error, nth) {
                Some((start, end)) if !follows(&ast, &texts, error, start) => {
                    faults.add(SourceErrorKind::InvalidSchema, start, end, &Fault(error));
                }
                None if alone => return Err(SourceError::of_pool(error)),
                _ => {}
            }
        }
    }
    Err(located(faults, &ast, &texts))
}

/// The faults with their places.
fn located(faults: Faults, ast: &Ast, texts: &Texts) -> SourceError {
    faults.into_error(&texts.sources, &|at| {
        let after = ast.files.partition_point(|file| file.start <= at);
        let file = ast.files.get(after.saturating_sub(1));
        file.map_or(("", 0, 0), |file| (texts.get(file.name), file.start, file.end))
    })
}

/// Whether a fault of the pool may come from a statement that was left out: what has too little in it, and has a part that was skipped.
#[cold]
fn follows(ast: &Ast, texts: &Texts, error: &DescriptorError, start: u32) -> bool {
    use DescriptorErrorKind::{InvalidField, InvalidNumber, InvalidOneof};
    let first = error.kind() == InvalidNumber && error.detail().starts_with("the first value");
    let empty = matches!(error.kind(), InvalidField | InvalidOneof)
        && (error.detail().ends_with("is empty") || error.detail().ends_with("without values"));
    if ast.skipped.is_empty() || !(first || empty) {
        return false;
    }
    let mut lexer = Lexer::new(&texts.sources, start);
    let mut depth = 0;
    // Up to the brace that closes what begins here, or around this.
    let end = loop {
        let token = lexer.next();
        match token.symbol {
            b'{' => depth += 1,
            b'}' if depth <= 1 => break token.start,
            b'}' => depth -= 1,
            _ if token.kind == TokenKind::End => break token.start,
            _ => {}
        }
    };
    // The value that would be the first one of an enum stands before the one at fault, after the brace.
    let before = texts.sources.get(..start as usize).unwrap_or_default();
    let from = if first { before.rfind('{').map_or(0, |brace| brace as u32) } else { start };
    ast.skipped.iter().any(|&(begin, last)| begin <= end && last.max(begin) >= from)
}

/// Fails if the imports of a file could not be followed to the end.
fn all_seen(ast: &Ast, texts: &Texts, symbols: &Symbols) -> Result<(), SourceError> {
    match symbols.unseen().and_then(|file| ast.files.get(file as usize)) {
        None => Ok(()),
        Some(file) => {
            let detail = "files that see each other through public imports";
            Err(SourceError::plain(SourceErrorKind::TooMany, texts.get(file.name), &detail))
        }
    }
}

/// Where the definition stands that the pool finds fault with; of several of its name the `nth` after the first, if that is the fault.
#[cold]
fn place(
    ast: &Ast,
    texts: &Texts,
    symbols: &Symbols,
    error: &DescriptorError,
    nth: usize,
) -> Option<(u32, u32)> {
    let twice = error.kind() == DescriptorErrorKind::DuplicateName;
    if let Some((at, len)) = symbols.place(ast, texts, error.name(), if twice { nth } else { 0 }) {
        return Some((at, at + len));
    }
    let file = ast.files.iter().find(|file| texts.get(file.name) == error.file())?;
    let imports = ast.imports.of(file.imports).map(|(_, import)| import);
    let mut imports = imports.filter(|import| texts.get(import.name) == error.name());
    let import = imports.nth(usize::from(twice))?;
    Some((import.at, import.at + import.name.len + 2))
}
