//! `.proto` sources at run time: what protoc does, without protoc.

// `load.rs` reads files and what they import, `directory.rs` those of directories; `lexer.rs` and `parser/` make flat lists of definitions of them (`ast.rs`).
// `symbols.rs` has all names and finds what a name means, `resolve.rs` does so for types, `options/` for options. `emit.rs` writes
// descriptors as protoc does, with places and comments by `info/`, and the pool loads them, with all its checks: only what concerns
// sources alone is checked here: style (`style.rs`), declarations of extensions, and the editions that have an option (`support.rs`).

mod ast;
mod builder;
mod codes;
mod compile;
mod declarations;
mod defaults;
#[cfg(feature = "std")]
mod directory;
mod emit;
mod error;
mod info;
mod lexer;
mod load;
mod options;
mod parser;
mod request;
mod resolve;
mod resolver;
mod strings;
mod style;
mod support;
mod symbols;
mod wire;

pub use builder::SourceBuilder;
pub use error::{SourceDiagnostic, SourceError, SourceErrorKind};
pub use resolver::FileResolver;

#[cfg(test)]
mod tests;
