//! SQL over files of Protocol Buffers, with DataFusion.
//!
//! [`register`] makes `CREATE EXTERNAL TABLE .. STORED AS PROTOBUF` known to a session. The files hold length-delimited messages of one type, which
//! a descriptor set describes at run time; no code is generated. [`ProtobufOptions`] lists the options.
//!
//! ```
//! use datafusion::prelude::SessionContext;
//! # let directory = tempfile::tempdir()?;
//! # let pool = tablepb_schema::SourceBuilder::new()
//! #     .source("log.proto", "syntax = 'proto3'; package example; message Log { string line = 1; int32 level = 2; }").build()?;
//! # std::fs::write(directory.path().join("log.set"), pool.encode_to_vec()?)?;
//! std::fs::write(directory.path().join("a.binpb"), b"\x06\x0a\x02hi\x10\x03\x04\x0a\x02ho")?;
//!
//! # tokio::runtime::Builder::new_multi_thread().build()?.block_on(async {
//! let context = SessionContext::new();
//! tablepb_datafusion::register(&context)?;
//! let create = format!(
//!     "CREATE EXTERNAL TABLE logs STORED AS PROTOBUF LOCATION '{0}/'
//!      OPTIONS (message 'example.Log', descriptors '{0}/log.set')",
//!     directory.path().display()
//! );
//! context.sql(&create).await?;
//! let batches = context.sql("SELECT line FROM logs WHERE level = 3").await?.collect().await?;
//! assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Columns are those of [`tablepb_arrow::mapping`], but that fields of a struct are null where the struct is. A column or a field of a struct that
//! the query does not use is skipped on the wire, and its content is not checked. `COUNT(*)` reads the lengths of the messages only.
#![forbid(unsafe_code)]

mod batches;
mod entries;
mod error;
mod filter;
mod format;
mod functions;
mod index;
mod input;
mod nulls;
mod options;
mod projection;
mod scan;
mod sink;
mod source;

pub use error::{ScanError, ScanErrorKind};
pub use format::{ProtobufFormat, ProtobufFormatFactory, ProtobufTableFactory, register};
pub use functions::{FunctionSet, register_functions};
pub use options::{Compression, ProtobufOptions};
pub use source::ProtobufSource;
pub use tablepb_arrow::mapping::{Enums, Options};

/// Compiles the code of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
