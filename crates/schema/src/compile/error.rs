//! Why sources could not be compiled: all faults of the files, each with its place.

use crate::memory::RoomFull;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use tablepb::DescriptorError;
use tablepb::schema::DescriptorErrorKind;

/// What is wrong with a `.proto` source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SourceErrorKind {
    /// A character, a number, a string or a comment that the language does not have.
    InvalidToken,
    /// Something else is expected here.
    InvalidSyntax,
    /// A number that is out of range or not of the right form.
    InvalidNumber,
    /// A `syntax` or `edition` that this release does not know.
    UnsupportedEdition,
    /// A construct that the edition of the file does not have.
    NotInEdition,
    /// An imported file was not found.
    MissingImport,
    /// Files import each other in a circle.
    ImportCycle,
    /// A file could not be read.
    Unreadable,
    /// A type name refers to nothing that the file imports, or to a thing of another sort.
    UnresolvedType,
    /// There is no option of this name.
    UnknownOption,
    /// An option that is set twice, has a value of the wrong type, or cannot stand where it does.
    InvalidOption,
    /// A default value or JSON name that the field cannot have.
    InvalidDefault,
    /// The definitions contradict each other or the rules of the language; [`SourceDiagnostic::detail`] says how.
    InvalidSchema,
    /// Messages, or braces in the value of an option, are nested too deep.
    TooDeep,
    /// The sources are longer than 2 GiB, have more faults than are listed, or their public imports lead from thousands of
    /// files to thousands of others.
    TooMany,
    /// An import that nothing in the file refers to: a warning of
    /// [`SourceBuilder::build_with_warnings`](crate::SourceBuilder::build_with_warnings), never an error.
    UnusedImport,
    /// An option or an enum value that the edition of the file deprecates: a warning too.
    Deprecated,
    /// Two fields of a message with one JSON name where JSON is a best effort, as in proto2: a warning too.
    JsonNameConflict,
    /// A reserved name that no definition can have: a warning too.
    InvalidReservedName,
    /// Compiling takes more memory than [`PoolOptions`](tablepb::schema::PoolOptions) allows.
    BudgetExceeded,
    /// The allocator has no memory: for the pool, or for an error that says more.
    OutOfMemory,
}

impl fmt::Display for SourceErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InvalidToken => "invalid token",
            Self::InvalidSyntax => "unexpected token",
            Self::UnusedImport => "unused import",
            Self::Deprecated => "deprecated",
            Self::JsonNameConflict => "JSON names conflict",
            Self::InvalidReservedName => "invalid reserved name",
            Self::InvalidNumber => "invalid number",
            Self::UnsupportedEdition => "unsupported syntax or edition",
            Self::NotInEdition => "not part of this edition",
            Self::MissingImport => "import not found",
            Self::ImportCycle => "imports form a cycle",
            Self::Unreadable => "the file cannot be read",
            Self::UnresolvedType => "type not found",
            Self::UnknownOption => "option not found",
            Self::InvalidOption => "invalid option",
            Self::InvalidDefault => "invalid default value",
            Self::InvalidSchema => "invalid definition",
            Self::TooDeep => "nested too deep",
            Self::TooMany => "too much",
            Self::BudgetExceeded => "compiling takes too much memory",
            Self::OutOfMemory => "the allocator has no memory",
        })
    }
}

/// How many faults beside one are looked at for one that it may follow from.
const NEAR: usize = 8;
/// What helps against a bound.
pub(super) const RAISE: &str = "; PoolOptions::memory raises the bound";
/// The most faults that an error lists, by default.
pub(super) const MOST: usize = 100;
/// The most characters of a source line that an error shows.
const SHOWN: usize = 160;

/// The most bytes of a detail: names come from the sources, and may be long.
const MAX_DETAIL: usize = 1000;

/// A `String` that takes the first [`MAX_DETAIL`] bytes, and fewer where there is no memory.
struct Detail(String);

impl fmt::Write for Detail {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let left = MAX_DETAIL - self.0.len();
        let end = (0..=left.min(text.len())).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        self.0.try_reserve(end).map_err(|_| fmt::Error)?;
        self.0.push_str(text.get(..end).unwrap_or_default());
        if end == text.len() { Ok(()) } else { Err(fmt::Error) }
    }
}

/// The start of a value as text, as far as there is memory for it.
fn text(value: &dyn fmt::Display) -> String {
    let mut text = Detail(String::new());
    // An error means only that the text is truncated.
    let _ = fmt::write(&mut text, format_args!("{value}"));
    text.0
}

/// Why sources could not be compiled: one or more [`SourceDiagnostic`]s, in the order of files and lines.
///
/// `Display` prints each with its line and a caret. If there is no memory for them, the kind is `OutOfMemory` and nothing else is known.
///
/// ```
/// use tablepb_schema::{SourceBuilder, SourceErrorKind};
///
/// let source = "syntax = \"proto3\";\nmessage Log { Lebel level = 1; }\nenum Level { INFO = 0; }\n";
/// let error = SourceBuilder::new().source("log.proto", source).build().unwrap_err();
/// assert_eq!(error.kind(), SourceErrorKind::UnresolvedType);
/// assert_eq!(
///     error.to_string(),
///     "log.proto:2:15: type not found: Lebel (did you mean Level?)\n  \
///        | message Log { Lebel level = 1; }\n  \
///        |               ^^^^^"
/// );
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct SourceError(Vec<SourceDiagnostic>);

impl fmt::Debug for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SourceError({self})")
    }
}

/// One fault in a source.
///
/// The place is that of the first character at fault; lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceDiagnostic {
    kind: SourceErrorKind,
    file: String,
    line: usize,
    column: usize,
    width: usize,
    detail: String,
    source_line: String,
}

impl SourceDiagnostic {
    /// The kind of fault.
    #[must_use]
    pub fn kind(&self) -> SourceErrorKind {
        self.kind
    }

    /// The name of the file, or `""` if no file is at fault.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The line, from 1 on; 0 if no place is at fault.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    /// The column in characters, from 1 on; 0 if no place is at fault.
    #[must_use]
    pub fn column(&self) -> usize {
        self.column
    }

    /// How many characters of the line are at fault, at least 1; 0 if no place is.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// What is wrong, and where it can be guessed what was meant; may be `""`.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// The line of the source, without tabs, cut if it is long; `""` if no place is at fault.
    #[must_use]
    pub fn source_line(&self) -> &str {
        &self.source_line
    }
}

impl fmt::Display for SourceDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line != 0 {
            write!(f, "{}:{}:{}: ", self.file, self.line, self.column)?;
        } else if !self.file.is_empty() {
            write!(f, "{}: ", self.file)?;
        }
        write!(f, "{}", self.kind)?;
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        if self.source_line.is_empty() || self.column > SHOWN {
            return Ok(());
        }
        write!(f, "\n  | {}\n  | {:2$}", self.source_line, "", self.column - 1)?;
        (0..self.width.max(1)).try_for_each(|_| f.write_str("^"))
    }
}

impl SourceError {
    /// The kind of the first fault.
    #[must_use]
    pub fn kind(&self) -> SourceErrorKind {
        self.0.first().map_or(SourceErrorKind::OutOfMemory, |first| first.kind)
    }

    /// The faults, at most as many as [`SourceBuilder::max_faults`](crate::SourceBuilder::max_faults) says; none if there was no memory
    /// for them.
    #[must_use]
    pub fn diagnostics(&self) -> &[SourceDiagnostic] {
        &self.0
    }

    pub(super) fn into_diagnostics(self) -> Vec<SourceDiagnostic> {
        self.0
    }

    const OUT_OF_MEMORY: Self = Self(Vec::new());

    /// An allocation failed, or would exceed the bound.
    #[cold]
    pub(super) fn full(full: RoomFull) -> Self {
        match full {
            RoomFull::Allocation => Self::OUT_OF_MEMORY,
            RoomFull::Limit(limit) => Self::plain(
                SourceErrorKind::BudgetExceeded,
                "",
                &format_args!("more than {limit} bytes{RAISE}"),
            ),
        }
    }

    /// An error without a place.
    #[cold]
    pub(super) fn plain(kind: SourceErrorKind, file: &str, detail: &dyn fmt::Display) -> Self {
        let one = SourceDiagnostic {
            kind,
            file: text(&file),
            line: 0,
            column: 0,
            width: 0,
            detail: text(detail),
            source_line: String::new(),
        };
        let mut all = Vec::new();
        if all.try_reserve_exact(1).is_err() {
            return Self::OUT_OF_MEMORY;
        }
        all.push(one);
        Self(all)
    }

    /// A fault that the pool found, without a place.
    #[cold]
    pub(super) fn of_pool(error: &DescriptorError) -> Self {
        match error.kind() {
            DescriptorErrorKind::OutOfMemory => Self::OUT_OF_MEMORY,
            DescriptorErrorKind::BudgetExceeded => {
                Self::plain(SourceErrorKind::BudgetExceeded, "", &format_args!("{}{RAISE}", error.detail()))
            }
            _ => Self::plain(SourceErrorKind::InvalidSchema, error.file(), &Fault(error)),
        }
    }
}

/// What a pool says, without the file.
pub(super) struct Fault<'e>(pub(super) &'e DescriptorError);

impl fmt::Display for Fault<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.kind())?;
        if !self.0.name().is_empty() {
            write!(f, ": {}", self.0.name())?;
        }
        if !self.0.detail().is_empty() {
            write!(f, " ({})", self.0.detail())?;
        }
        Ok(())
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.diagnostics().is_empty() {
            return write!(f, "{} (an allocation failed)", self.kind());
        }
        for (i, diagnostic) in self.diagnostics().iter().enumerate() {
            let before = if i == 0 { "" } else { "\n" };
            write!(f, "{before}{diagnostic}")?;
        }
        Ok(())
    }
}

impl core::error::Error for SourceError {}

/// A fault, while the sources are at hand.
#[derive(Debug)]
struct Found {
    kind: SourceErrorKind,
    /// The piece of the sources at fault.
    start: u32,
    end: u32,
    detail: String,
    phase: Phase,
}

/// What was done when a fault was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// The statement was not understood.
    #[default]
    Syntax,
    Names,
    /// The pool found it, which was made of what is left of faulty sources.
    Pool,
}

/// The faults found so far.
#[derive(Debug)]
pub(super) struct Faults {
    found: Vec<Found>,
    most: usize,
    phase: Phase,
    /// There was no memory for one.
    lost: bool,
}

impl Default for Faults {
    fn default() -> Self {
        Self::new(MOST)
    }
}

impl Faults {
    /// None yet, of at most so many.
    pub(super) fn new(most: usize) -> Self {
        Self { found: Vec::new(), most: most.max(1), phase: Phase::Syntax, lost: false }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty() && !self.lost
    }

    /// How many more there can be, and one.
    pub(super) fn room(&self) -> usize {
        (self.most - self.found.len().min(self.most)).max(1)
    }

    pub(super) fn is_full(&self) -> bool {
        self.found.len() >= self.most || self.lost
    }

    /// What is done from now on.
    pub(super) fn begin(&mut self, phase: Phase) {
        self.phase = phase;
    }

    #[cold]
    pub(super) fn add(&mut self, kind: SourceErrorKind, start: u32, end: u32, detail: &dyn fmt::Display) {
        if self.is_full() {
            return;
        }
        if self.found.try_reserve(1).is_err() {
            self.lost = true;
            return;
        }
        self.found.push(Found { kind, start, end, detail: text(detail), phase: self.phase });
    }

    /// Leaves out what may follow from another fault of its statement: all where that was not understood, and what the pool found beside
    /// anything else. Leaves out what two rules refuse, too.
    fn drop_followers(&mut self, sources: &str) {
        let mut known: Vec<(u32, Phase)> = Vec::new();
        if known.try_reserve_exact(self.found.len()).is_err() {
            return;
        }
        // An option at fault has no consequences.
        let has_consequences = |found: &&Found| {
            use SourceErrorKind::{InvalidDefault, NotInEdition, UnresolvedType};
            found.phase == Phase::Syntax
                || matches!(found.kind, InvalidDefault | NotInEdition | UnresolvedType)
        };
        known.extend(self.found.iter().filter(has_consequences).map(|found| (found.start, found.phase)));
        let together = |a: u32, b: u32| {
            let between = sources.get(a.min(b) as usize..=a.max(b) as usize).unwrap_or(";");
            let ends = |(at, byte)| byte == b';' || at + 1 < between.len() && matches!(byte, b'{' | b'}');
            !between.bytes().enumerate().any(ends)
        };
        self.found.retain(|found| {
            let excuses = |&(start, phase): &(u32, Phase)| {
                phase < found.phase
                    && (phase == Phase::Syntax || found.phase == Phase::Pool)
                    && together(start, found.start)
            };
            let at = known.partition_point(|&(start, _)| start < found.start);
            let (before, after) = known.split_at(at);
            // Those of a statement are next to each other.
            !before.iter().rev().take(NEAR).any(excuses) && !after.iter().take(NEAR).any(excuses)
        });
        // Ranges have the place of their message, so each is told by all that is said.
        let same = |a: &str, b: &str| {
            a == b
                || !a.contains("(range ")
                    && (a.split(" (").next() == b.split(" (").next()
                        || a.rsplit(" (").next() == b.rsplit(" (").next())
        };
        self.found.dedup_by(|b, a| match (a.phase, b.phase) {
            // Two rules that refuse one token; and, in a statement with an invalid token, the faults that come of it.
            (Phase::Syntax, Phase::Syntax) => {
                a.start == b.start
                    || a.kind == SourceErrorKind::InvalidToken
                        && b.kind != SourceErrorKind::InvalidToken
                        && together(a.start, b.start)
            }
            (Phase::Pool, Phase::Pool) => a.start == b.start && same(&a.detail, &b.detail),
            _ => false,
        });
    }

    /// The error that lists them, with what `file_at` knows of a position: name, start and end of its file.
    #[cold]
    pub(super) fn into_error<'s>(
        mut self,
        sources: &'s str,
        file_at: &dyn Fn(u32) -> (&'s str, u32, u32),
    ) -> SourceError {
        let mut all = Vec::new();
        if self.lost || all.try_reserve_exact(self.found.len()).is_err() {
            return SourceError::OUT_OF_MEMORY;
        }
        self.found.sort_by_key(|found| found.start);
        self.drop_followers(sources);
        for found in self.found {
            let (file, start, end) = file_at(found.start);
            let whole = sources.get(start as usize..end as usize).unwrap_or_default();
            all.push(locate(found, file, whole, start));
        }
        SourceError(all)
    }
}

/// One fault of a source that was not understood.
#[cold]
pub(crate) fn syntax_error(file: &str, source: &str, detail: &str, at: u32) -> SourceError {
    let mut faults = Faults::new(1);
    faults.add(SourceErrorKind::InvalidSyntax, at, at + 1, &detail);
    faults.into_error(source, &|_| (file, 0, u32::try_from(source.len()).unwrap_or(u32::MAX)))
}

/// Finds line and column of a fault in the source of its file.
#[cold]
fn locate(found: Found, file: &str, source: &str, start: u32) -> SourceDiagnostic {
    let at = (found.start.saturating_sub(start) as usize).min(source.len());
    let before = source.get(..at).unwrap_or(source);
    let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let rest = source.get(line_start..).unwrap_or_default();
    let whole = rest.split('\n').next().unwrap_or_default().trim_end_matches('\r');
    let column = source.get(line_start..at).unwrap_or_default().chars().count() + 1;
    let left = whole.chars().count().min(SHOWN).saturating_sub(column - 1);
    let width = source.get(at..at + found.end.saturating_sub(found.start) as usize).unwrap_or_default();
    let mut source_line = String::new();
    if source_line.try_reserve_exact(whole.len().min(4 * SHOWN)).is_ok() {
        let shown = whole.chars().take(SHOWN);
        source_line.extend(shown.map(|c| if c.is_control() { ' ' } else { c }));
    }
    SourceDiagnostic {
        kind: found.kind,
        file: text(&file),
        line,
        column,
        width: width.chars().count().clamp(1, left.max(1)),
        detail: found.detail,
        source_line,
    }
}
