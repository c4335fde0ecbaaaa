//! The way from sources to a pool: read, name, resolve, write descriptors, load them.

use crate::compile::check::{style, support};
use crate::compile::emit::Emitter;
use crate::compile::error::{Fault, Faults, SourceError, SourceErrorKind};
use crate::compile::load::Loaded;
use crate::compile::load::request::Request;
use crate::compile::names::resolve::resolve;
use crate::compile::names::symbols::Symbols;
use crate::compile::options::{OptionPaths, Options};
use crate::compile::parse::ast::{Ast, Texts};
use crate::memory::Room;
use tablepb::{DescriptorError, DescriptorPool};

/// Compiles what is asked for.
pub(super) fn pool(request: &Request<'_>) -> Result<DescriptorPool, SourceError> {
    let len = request.sources.iter().map(|(_, source)| source.len()).fold(0, usize::saturating_add);
    let room = &mut Room::new(request.options.memory_for(len));
    let full = SourceError::full;
    let mut loaded = Loaded::load(request, room)?;
    let order = loaded.order(room).map_err(full)?;
    let Loaded { texts, mut ast, mut faults, .. } = loaded;
    let located = |ast: &Ast, faults: Faults| {
        faults.into_error(&texts.sources, &|at| {
            let after = ast.files.partition_point(|file| file.start <= at);
            let file = ast.files.get(after.saturating_sub(1));
            file.map_or(("", 0, 0), |file| (texts.get(file.name), file.start, file.end))
        })
    };
    if !faults.is_empty() {
        return Err(located(&ast, faults));
    }
    let mut symbols = Symbols::new(&mut ast, &texts, room).map_err(full)?;
    style::note_visibility(&mut ast, &texts);
    resolve(&mut ast, &texts, &mut symbols, &mut faults, room).map_err(full)?;
    all_seen(&ast, &texts, &symbols)?;
    style::check(&ast, &texts, &mut faults, room).map_err(full)?;
    if !faults.is_empty() {
        return Err(located(&ast, faults));
    }
    let mut options = Options::new(&ast, &texts, &mut symbols, &mut faults);
    options.paths = request.source_info.then(OptionPaths::default);
    let mut emitter = Emitter::new(options, room);
    for &file in &order {
        if ast.files.get(file as usize).is_some_and(|file| !file.hidden) {
            emitter.file(file).map_err(full)?;
        }
    }
    let (set, declarations) = emitter.into_set();
    all_seen(&ast, &texts, &symbols)?;
    if faults.is_empty() {
        support::check(&ast, &texts, &mut faults, room).map_err(full)?;
        declarations.check(&ast, &texts, &symbols, &mut faults, room).map_err(full)?;
    }
    if !faults.is_empty() {
        return Err(located(&ast, faults));
    }
    request.options.decode(&set).map_err(|error| {
        let place = place(&ast, &texts, &symbols, &error);
        match place {
            Some((start, end)) => {
                let mut faults = Faults::default();
                faults.add(SourceErrorKind::InvalidSchema, start, end, &Fault(&error));
                located(&ast, faults)
            }
            None => SourceError::of_pool(&error),
        }
    })
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

/// Where the definition stands that the pool finds fault with.
#[cold]
fn place(ast: &Ast, texts: &Texts, symbols: &Symbols, error: &DescriptorError) -> Option<(u32, u32)> {
    let (at, len) = symbols.place(ast, texts, error.name())?;
    Some((at, at + len))
}
