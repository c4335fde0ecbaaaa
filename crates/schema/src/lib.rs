#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

mod breaking;
mod compile;
mod diff;
mod features;
mod format;
mod json_name;
mod memory;
mod named;
mod rust;

pub use breaking::{Breach, Category, Rule, UnknownRule, breaches};
pub use compile::{FileResolver, SourceBuilder, SourceDiagnostic, SourceError, SourceErrorKind};
pub use diff::{Comparable, Compatibility, Difference, DifferenceKind, assert_matches, diff};
pub use format::format;
pub use rust::{MapType, OpenEnumType, RustOptions, RustPackages, RustSource, TextType, rust_name, to_rust};
