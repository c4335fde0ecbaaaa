//! Configurations of scheduler and executor.

use crate::logical::LogicalCodec;
use crate::physical::PhysicalCodec;
use ballista_core::error::{BallistaError, Result};
use ballista_executor::executor_process::ExecutorProcessConfig;
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::start_server;
use std::net::SocketAddr;
use std::sync::Arc;

/// Ballista's default configuration of a scheduler, with the codecs of this crate.
///
/// ```
/// let config = tablepb_ballista::scheduler_config();
/// assert!(config.override_logical_codec.is_some() && config.override_physical_codec.is_some());
/// ```
#[must_use]
pub fn scheduler_config() -> SchedulerConfig {
    SchedulerConfig {
        override_logical_codec: Some(Arc::new(LogicalCodec::default())),
        override_physical_codec: Some(Arc::new(PhysicalCodec::default())),
        ..SchedulerConfig::default()
    }
}

/// Ballista's default configuration of an executor, with the codecs of this crate.
///
/// ```
/// let config = tablepb_ballista::executor_config();
/// assert!(config.override_logical_codec.is_some() && config.override_physical_codec.is_some());
/// ```
#[must_use]
pub fn executor_config() -> ExecutorProcessConfig {
    ExecutorProcessConfig {
        override_logical_codec: Some(Arc::new(LogicalCodec::default())),
        override_physical_codec: Some(Arc::new(PhysicalCodec::default())),
        ..ExecutorProcessConfig::default()
    }
}

/// Runs a scheduler at the address of its configuration, until the process ends.
///
/// # Errors
/// The address is none or in use.
pub async fn run_scheduler(config: SchedulerConfig) -> Result<()> {
    let address = format!("{}:{}", config.bind_host, config.bind_port);
    let address: SocketAddr =
        address.parse().map_err(|error| BallistaError::Configuration(format!("{address}: {error}")))?;
    let cluster = BallistaCluster::new_from_config(&config).await?;
    start_server(cluster, address, Arc::new(config)).await
}
