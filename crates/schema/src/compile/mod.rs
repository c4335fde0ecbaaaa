//! `.proto` sources at run time: what protoc does, without protoc.

// `pipeline.rs` is the way of a source: `load/` reads files and what they import; `parse/` makes flat lists of definitions of them
// (`ast.rs`); `names/` finds what a name means; `options/` makes options messages; `emit.rs` writes descriptors as protoc does, with places
// and comments by `info/`, and the pool loads them, with all its checks. Only what concerns sources alone is checked here, in `check/`:
// style, declarations of extensions, and the editions that have an option.

mod builder;
mod check;
mod emit;
mod error;
mod info;
mod load;
mod names;
mod options;
mod parse;
mod pipeline;
mod wire;

pub use builder::SourceBuilder;
pub(crate) use error::syntax_error;
pub use error::{SourceDiagnostic, SourceError, SourceErrorKind};
pub use load::resolver::FileResolver;
pub(crate) use parse::lexer::{Lexer, TokenKind};

#[cfg(test)]
mod tests;
