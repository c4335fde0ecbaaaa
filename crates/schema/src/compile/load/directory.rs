//! Directories of sources, as `protoc -I` takes them: reading no more than the bound on memory.

use crate::compile::error::{RAISE, SourceError, SourceErrorKind};
use crate::compile::parse::ast::MAX_TEXT;
use crate::compile::parse::lexer::{Lexer, TokenKind};
use crate::memory::RoomFull;
use alloc::string::String;
use alloc::vec::Vec;
use std::io::{ErrorKind, Read};
use std::path::Path;
use tablepb::schema::PoolOptions;

/// Reads the file of this name in a directory; `None` if there is none.
///
/// The length that the file system knows decides the default bound. Devices and pipes have none, and may never end.
pub(crate) fn read(
    directory: &Path,
    name: &str,
    options: &PoolOptions,
) -> Result<Option<String>, SourceError> {
    let unreadable = |error: std::io::Error| SourceError::plain(SourceErrorKind::Unreadable, name, &error);
    let file = match std::fs::File::open(directory.join(name)) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(unreadable(error)),
    };
    let known = file.metadata().map_err(unreadable)?.len();
    let limit = options.memory_for(usize::try_from(known).unwrap_or(usize::MAX)).min(MAX_TEXT);
    let mut bytes = Vec::new();
    // A file that is known to be too long is not read at all.
    if known <= limit as u64 {
        // One read, and one that finds the end; without it ten, of 32 bytes and then twice as many each time.
        if bytes.try_reserve_exact(known as usize + 1).is_err() {
            return Err(SourceError::full(RoomFull::Allocation));
        }
        (&file).take(limit as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    }
    if known > limit as u64 || bytes.len() > limit {
        let (kind, raise) = match limit {
            MAX_TEXT => (SourceErrorKind::TooMany, ""),
            _ => (SourceErrorKind::BudgetExceeded, RAISE),
        };
        let detail = format_args!("a source of more than {limit} bytes{raise}");
        return Err(SourceError::plain(kind, name, &detail));
    }
    match String::from_utf8(bytes) {
        Ok(source) => Ok(Some(source)),
        Err(error) => without_foreign_bytes(name, error.into_bytes()).map(Some),
    }
}

/// A source in which bytes of comments that are not UTF-8 are replaced, by `?` so that all places stay.
#[cold]
fn without_foreign_bytes(name: &str, mut bytes: Vec<u8>) -> Result<String, SourceError> {
    let mut replaced: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Err(error) = core::str::from_utf8(bytes.get(at..).unwrap_or_default()) {
        at += error.valid_up_to();
        let Some(byte) = bytes.get_mut(at) else { break };
        *byte = b'?';
        if replaced.try_reserve(1).is_err() {
            return Err(SourceError::full(RoomFull::Allocation));
        }
        replaced.push(at);
    }
    let source = String::from_utf8(bytes).unwrap_or_default();
    // What is in a token is in no comment.
    let mut lexer = Lexer::new(&source, 0);
    let mut places = replaced.iter().copied().peekable();
    loop {
        let token = lexer.next();
        if token.kind == TokenKind::End {
            return Ok(source);
        }
        while places.next_if(|&place| place < token.start as usize).is_some() {}
        if let Some(&place) = places.peek().filter(|&&place| place < token.end as usize) {
            let line = source.bytes().take(place).filter(|&byte| byte == b'\n').count() + 1;
            let detail = format_args!("line {line} has a byte that is not UTF-8 and not in a comment");
            return Err(SourceError::plain(SourceErrorKind::InvalidToken, name, &detail));
        }
    }
}
