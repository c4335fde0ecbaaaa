//! The file as a whole: syntax, package, imports, and the loop over statements.

use super::{Block, Parsed, Parser};
use crate::compile::error::SourceErrorKind;
use crate::compile::parse::ast::{Import, ImportKind, NONE, text_in};
use crate::compile::parse::lexer::TokenKind;
use tablepb::schema::Edition;

/// The most parts of the name of a package, as in pools.
const MAX_PACKAGE: usize = 68;

impl Parser<'_, '_> {
    /// All of a file. The loop takes one statement after the other, of whatever block is open.
    pub(super) fn file(&mut self) -> Parsed {
        let start = self.token.start;
        if let Err(halt) = self.syntax() {
            self.last_end = self.text.len() as u32;
            self.note_skipped(start)?;
            return Err(halt);
        }
        let edition = self.edition;
        if let Some(file) = self.ast.files.get_mut(self.file as usize) {
            file.edition = edition;
        }
        while !self.faults.is_full() {
            let start = self.token.start;
            let parsed = match self.blocks.last().copied() {
                None if self.at_end() => break,
                Some(_) if self.at_end() => return Err(self.expected(&"\"}\"")),
                None => self.top_level(),
                Some(Block::Message(message)) if self.is_symbol(b'}') => self.end_message(message),
                Some(Block::Message(message)) => self.message_statement(message),
                Some(Block::Oneof { message, oneof, members }) => {
                    self.oneof_statement(message, oneof, members)
                }
                Some(Block::Extend { declared_in, extendee, at, members }) => {
                    self.extend_statement(declared_in, extendee, at, members)
                }
            };
            self.go_on(start, parsed)?;
            if self.blocks.is_empty() && self.is_symbol(b'}') {
                self.fail(SourceErrorKind::InvalidSyntax, &"this brace closes nothing");
                self.take();
            }
        }
        Ok(())
    }

    /// `syntax = ".."` or `edition = ".."`, which only the first statement can be.
    fn syntax(&mut self) -> Parsed {
        let is_edition = self.is_word("edition");
        if !is_edition && !self.is_word("syntax") {
            return Ok(());
        }
        self.take();
        self.symbol(b'=')?;
        let (name, token) = self.string_value("a string that names the version")?;
        let edition = match (is_edition, text_in(self.text, self.made, name)) {
            (false, "proto2") => Edition::Proto2,
            (false, "proto3") => Edition::Proto3,
            (true, "2023") => Edition::Edition2023,
            (true, "2024") => Edition::Edition2024,
            (true, "2026") => Edition::Edition2026,
            _ => {
                let known = if is_edition { "2023, 2024 and 2026" } else { "proto2 and proto3" };
                let detail =
                    format_args!("{}; known are {known}", self.text_of(token).trim_matches(['"', '\'']));
                self.fail_at(SourceErrorKind::UnsupportedEdition, token, &detail);
                // What follows is read as if it was of a known one.
                if is_edition { Edition::Edition2023 } else { Edition::Proto3 }
            }
        };
        self.edition = edition;
        self.end_of_statement()
    }

    pub(super) fn is_legacy(&self) -> bool {
        matches!(self.edition, Edition::Proto2 | Edition::Proto3)
    }

    fn top_level(&mut self) -> Parsed {
        if self.try_symbol(b';') {
            return Ok(());
        }
        let word = if self.token.kind == TokenKind::Identifier { self.text_of(self.token) } else { "" };
        match word {
            "message" => self.message_definition(NONE, 0),
            "enum" => self.enum_definition(NONE, 0),
            "service" => self.service_definition(),
            "extend" => self.extend_definition(NONE),
            "import" => self.import(),
            "package" => self.package(),
            "option" => self.file_option(),
            "export" | "local" if self.edition >= Edition::Edition2024 => self.visible_definition(NONE),
            _ => Err(self.expected(&"a definition, such as \"message\"")),
        }
    }

    /// `export` or `local` before a message or enum.
    pub(super) fn visible_definition(&mut self, parent: u32) -> Parsed {
        let visibility = if self.is_word("local") { 1 } else { 2 };
        self.take();
        if self.is_word("message") {
            self.message_definition(parent, visibility)
        } else if self.is_word("enum") {
            self.enum_definition(parent, visibility)
        } else {
            Err(self.expected(&"\"message\" or \"enum\""))
        }
    }

    fn file_option(&mut self) -> Parsed {
        let Some(file) = self.ast.files.get(self.file as usize) else { return Ok(()) };
        let (mut chain, mut encodings) = (file.options, file.encodings);
        let parsed = self.option_statement(&mut chain);
        if let Ok(note) = &parsed {
            encodings = self.encodings_of(note).or(encodings);
        }
        if let Some(file) = self.ast.files.get_mut(self.file as usize) {
            (file.options, file.encodings) = (chain, encodings);
        }
        parsed.map(drop)
    }

    fn package(&mut self) -> Parsed {
        let keyword = self.take();
        let (package, whole) = self.dotted(false, "the name of the package")?;
        let parts = text_in(self.text, self.made, package).split('.').count();
        if parts > MAX_PACKAGE {
            let detail = format_args!("a package of more than {MAX_PACKAGE} parts");
            return Err(self.fail_at(SourceErrorKind::TooDeep, whole, &detail));
        }
        let again = match self.ast.files.get_mut(self.file as usize) {
            Some(file) => {
                file.package = package;
                core::mem::replace(&mut file.has_package, true)
            }
            None => false,
        };
        if again {
            self.fail_at(SourceErrorKind::InvalidSyntax, keyword, &"the file has a package already");
        }
        self.end_of_statement()
    }

    fn import(&mut self) -> Parsed {
        let keyword = self.take();
        let kind = match self.text_of(self.token) {
            "public" => ImportKind::Public,
            "weak" => ImportKind::Weak,
            "option" => ImportKind::Option,
            _ => ImportKind::Plain,
        };
        if kind != ImportKind::Plain {
            self.take();
        }
        let modern = self.edition >= Edition::Edition2024;
        match kind {
            ImportKind::Option if !modern => {
                let detail = "option imports exist since edition 2024";
                self.fail_at(SourceErrorKind::NotInEdition, keyword, &detail);
            }
            ImportKind::Weak if modern => {
                let detail = "weak imports exist before edition 2024; option imports are similar";
                self.fail_at(SourceErrorKind::NotInEdition, keyword, &detail);
            }
            _ => {}
        }
        let (name, token) = self.string_value("a string that names the file to import")?;
        let Some(file) = self.ast.files.get(self.file as usize) else { return Ok(()) };
        let mut chain = file.imports;
        let after = file.option_imports && kind != ImportKind::Option;
        let import = Import { name, kind, file: NONE, at: token.start };
        self.ast.imports.push(self.room, &mut chain, import)?;
        if let Some(file) = self.ast.files.get_mut(self.file as usize) {
            file.imports = chain;
            file.option_imports |= kind == ImportKind::Option;
        }
        if after {
            let detail = "option imports stand after all others";
            self.fail_at(SourceErrorKind::InvalidSyntax, keyword, &detail);
        }
        self.end_of_statement()
    }
}
