//! SQL over files of Protocol Buffers on several machines: what [Ballista](https://datafusion.apache.org/ballista/) needs to run the tables of
//! `tablepb-datafusion`.
//!
//! A client plans a query as DataFusion's logical plan and sends it to a scheduler, which makes tasks of it for executors. [`LogicalCodec`] sends tables,
//! [`PhysicalCodec`] sends scans; both leave everything else to Ballista's own codecs. The message type travels with the plan: scheduler and executors need no
//! descriptors and no options. All of them must see the same files under the same paths.
//!
//! [`connect`] makes the session of a client, [`scheduler_config`] and [`executor_config`] the configurations of the servers. The program of this package
//! starts them on one machine.
#![forbid(unsafe_code)]

mod envelope;
mod logical;
mod physical;
mod recent;
mod servers;
mod session;
mod table;

pub use logical::LogicalCodec;
pub use physical::PhysicalCodec;
pub use servers::{executor_config, run_scheduler, scheduler_config};
pub use session::{connect, register};
pub use table::{PortableTable, PortableTableFactory};

/// Compiles the code of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
