//! Message types out of a schema registry: Confluent's, or any with its interface, such as Apicurio's (`/apis/ccompat/v7`).
//!
//! A record of Kafka in Confluent's framing begins with the id of its schema ([`tablepb::stream::confluent`]). A [`Registry`] has the message type for it, with
//! everything that its schema refers to, compiled once and kept; it registers schemas, and frames messages.
//!
//! ```no_run
//! use tablepb::DynamicMessage;
//! use tablepb_registry::{Registry, Schema, Version};
//!
//! let registry = Registry::new("http://localhost:8081")?;
//! let schema = Schema::new(r#"syntax = "proto3"; package shop; message Order { uint64 id = 1; }"#);
//! let id = registry.register("orders-value", &schema)?;
//!
//! // What a producer does.
//! let order = registry.file(id)?.parent_pool().message("shop.Order")?;
//! let message = tablepb::json::message_from_slice(&order, br#"{"id": 7}"#)?;
//! let mut record = Vec::new();
//! registry.append_record(id, &message, &mut record)?;
//!
//! // And a consumer.
//! let (order, payload) = registry.message(&record)?;
//! let message = DynamicMessage::decode(&order, payload)?;
//! assert_eq!(tablepb::json::to_string(&message)?, r#"{"id":"7"}"#);
//! assert_eq!(registry.version("orders-value", Version::Latest)?.id, id);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Calls block: the one that asks for a schema for the first time waits for the registry, and later ones find it here. A program that is asynchronous makes
//! the call where it may block (`tokio::task::spawn_blocking`), or looks with [`Registry::known`] first, which does not wait. All threads share one `Registry`.
//!
//! For columns, `tablepb_arrow::SchemaStore` takes the files of a registry: `store.insert(id, registry.file(id)?)`.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod builder;
mod cache;
mod error;
mod http;
mod model;
mod registry;
mod resolve;

pub use builder::RegistryBuilder;
pub use error::{RegistryError, RegistryErrorKind};
pub use model::{Reference, Registered, Schema, Version};
pub use registry::Registry;
