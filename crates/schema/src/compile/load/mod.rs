//! Reads the files that are asked for and all that they import, and puts them in order.

#[cfg(feature = "std")]
mod directory;
pub(crate) mod request;
pub(crate) mod resolver;

use crate::compile::error::{Faults, MOST, SourceError, SourceErrorKind};
use crate::compile::load::request::{Place, Request, Searched};
use crate::compile::load::resolver::well_known;
use crate::compile::parse;
use crate::compile::parse::ast::{Ast, Chain, Encodings, File, MAX_TEXT, NONE, Span, Texts, make_text};
use crate::memory::{Room, RoomFull};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use tablepb::schema::Edition;

/// The file whose messages options are.
pub(super) const DESCRIPTOR: &str = "google/protobuf/descriptor.proto";

/// All that was read.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    pub(super) texts: Texts,
    pub(super) ast: Ast,
    pub(super) faults: Faults,
    /// Indices of files, sorted by name.
    by_name: Vec<u32>,
}

impl Loaded {
    fn position(&self, name: &str) -> Result<usize, usize> {
        let text = |&index: &u32| self.ast.files.get(index as usize).map(|file| self.texts.get(file.name));
        self.by_name.binary_search_by(|index| text(index).cmp(&Some(name)))
    }

    /// The file of this name, if it has been read.
    pub(super) fn file(&self, name: &str) -> Option<u32> {
        self.by_name.get(self.position(name).ok()?).copied()
    }

    /// Reads a file that has not been read yet.
    fn add(&mut self, name: &str, source: &str, hidden: bool, room: &mut Room) -> Result<u32, SourceError> {
        let full = SourceError::full;
        let index = self.ast.files.len() as u32;
        let start = self.texts.sources.len();
        if start + source.len() + 1 > MAX_TEXT {
            let detail = format_args!("sources of more than {MAX_TEXT} bytes");
            return Err(SourceError::plain(SourceErrorKind::TooMany, name, &detail));
        }
        room.extend_text(&mut self.texts.sources, source.len() + 1).map_err(full)?;
        self.texts.sources.push_str(source);
        let end = self.texts.sources.len() as u32;
        // So that no token goes on in the next file.
        self.texts.sources.push('\n');
        let (sources, made) = self.texts.split();
        let file = File {
            name: make_text(made, room, name).map_err(full)?,
            start: start as u32,
            end,
            edition: Edition::Proto2,
            package: Span::EMPTY,
            has_package: false,
            scope: 0,
            imports: Chain::default(),
            visibility: crate::compile::parse::ast::DefaultVisibility::ExportAll,
            option_imports: false,
            body: crate::compile::parse::ast::Body::default(),
            services: Chain::default(),
            options: Chain::default(),
            encodings: Encodings::default(),
            hidden,
        };
        room.push(&mut self.ast.files, file).map_err(full)?;
        parse::parse(sources, made, &mut self.ast, room, &mut self.faults, index).map_err(full)?;
        if let Err(place) = self.position(name) {
            room.push(&mut self.by_name, index).map_err(full)?;
            if let Some(rest) = self.by_name.get_mut(place..) {
                rest.rotate_right(1);
            }
        }
        Ok(index)
    }

    /// Looks for a file, and reads it; `None` if it is nowhere.
    fn fetch(
        &mut self,
        name: &str,
        request: &Request<'_>,
        room: &mut Room,
    ) -> Result<Option<u32>, SourceError> {
        for place in &request.places {
            let found: Option<Cow<'_, str>> = match place {
                Place::Resolver(resolver) => resolver
                    .find(name)
                    .map_err(|detail| SourceError::plain(SourceErrorKind::Unreadable, name, &detail))?,
                #[cfg(feature = "std")]
                Place::Directory(directory) => {
                    directory::read(directory, name, &request.options)?.map(Cow::Owned)
                }
            };
            if let Some(source) = found {
                widen(room, request, source.len());
                return self.add(name, &source, false, room).map(Some);
            }
        }
        match well_known(name) {
            Some(source) => {
                widen(room, request, source.len());
                self.add(name, source, false, room).map(Some)
            }
            None => Ok(None),
        }
    }

    /// Reads everything.
    pub(super) fn load(request: &Request<'_>, room: &mut Room) -> Result<Self, SourceError> {
        let mut this = Self { faults: Faults::new(request.max_faults.unwrap_or(MOST)), ..Self::default() };
        for (name, source) in &request.sources {
            if this.file(name).is_none() {
                this.add(name, source, false, room)?;
            }
        }
        for name in &request.files {
            if this.file(name).is_some() {
                continue;
            }
            // No resolver is asked for a path that leads out of a directory, or for a second name of one file.
            if !is_plain(name) {
                let detail = "the name must be a plain path";
                return Err(SourceError::plain(SourceErrorKind::MissingImport, name, &detail));
            }
            if this.fetch(name, request, room)?.is_none() {
                let searched = Searched(request);
                return Err(SourceError::plain(
                    SourceErrorKind::MissingImport,
                    name,
                    &format_args!("no such file{searched}"),
                ));
            }
        }
        // Files are added at the end of the list while it is gone through.
        let mut next = 0;
        while let Some(file) = this.ast.files.get(next) {
            let mut import = this.ast.imports.of(file.imports).next().map_or(NONE, |(index, _)| index);
            while let Some(found) = this.ast.imports.get(import) {
                let (span, at) = (found.name, found.at);
                let name = copy(this.texts.get(span), room)?;
                let index = match this.file(&name) {
                    Some(index) => Some(index),
                    None if !is_plain(&name) => None,
                    None => this.fetch(&name, request, room)?,
                };
                if index.is_none() && !this.faults.is_full() {
                    let (kind, end) = (SourceErrorKind::MissingImport, at + span.len + 2);
                    if is_plain(&name) {
                        this.faults.add(kind, at, end, &format_args!("{name}{}", Searched(request)));
                    } else {
                        let detail = format_args!("{name}: the name must be a plain path");
                        this.faults.add(kind, at, end, &detail);
                    }
                }
                room.drop_list(name.into_bytes());
                if let Some(found) = this.ast.imports.get_mut(import) {
                    found.file = index.unwrap_or(NONE);
                }
                import = this.ast.imports.after(import);
            }
            next += 1;
        }
        if this.ast.options.len() != 0 && this.file(DESCRIPTOR).is_none() {
            let source = well_known(DESCRIPTOR).unwrap_or("");
            widen(room, request, source.len());
            this.add(DESCRIPTOR, source, true, room)?;
        }
        Ok(this)
    }

    /// The files in the order of `protoc`: after those that they import. Notes circles.
    pub(super) fn order(&mut self, room: &mut Room) -> Result<Vec<u32>, RoomFull> {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Open,
            Done,
        }
        let mut states = room.filled(State::New, self.ast.files.len())?;
        let mut order = Vec::new();
        room.reserve(&mut order, self.ast.files.len())?;
        // Files that are open, and the import of each that comes next.
        let mut stack: Vec<(u32, u32)> = Vec::new();
        for root in 0..self.ast.files.len() as u32 {
            let mut enter = Some(root);
            loop {
                if let Some(file) = enter.take()
                    && states.get(file as usize) == Some(&State::New)
                    && let Some(found) = self.ast.files.get(file as usize)
                {
                    states[file as usize] = State::Open;
                    let first = self.ast.imports.of(found.imports).next().map_or(NONE, |(index, _)| index);
                    room.push(&mut stack, (file, first))?;
                }
                let Some((file, import)) = stack.last_mut() else { break };
                let Some(found) = self.ast.imports.get(*import) else {
                    states[*file as usize] = State::Done;
                    room.push(&mut order, *file)?;
                    stack.pop();
                    continue;
                };
                *import = self.ast.imports.after(*import);
                if states.get(found.file as usize) == Some(&State::Open) {
                    let name = self.texts.get(found.name);
                    let end = found.at + found.name.len + 2;
                    let detail = format_args!("{name} imports this file, directly or not");
                    self.faults.add(SourceErrorKind::ImportCycle, found.at, end, &detail);
                }
                enter = Some(found.file);
            }
        }
        room.drop_list(states);
        room.drop_list(stack);
        Ok(order)
    }
}

/// Sources that the builder does not know from the start widen the bound.
fn widen(room: &mut Room, request: &Request<'_>, len: usize) {
    room.widen(request.options.memory_for(len) - request.options.memory_for(0));
}

fn copy(text: &str, room: &mut Room) -> Result<String, SourceError> {
    let mut copy = String::new();
    room.extend_text(&mut copy, text.len()).map_err(SourceError::full)?;
    copy.push_str(text);
    Ok(copy)
}

/// Whether a name is a path within a directory, as `protoc` wants it.
fn is_plain(name: &str) -> bool {
    !name.contains('\\') && name.split('/').all(|part| !matches!(part, "" | "." | ".."))
}
