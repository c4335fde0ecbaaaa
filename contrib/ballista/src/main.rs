//! A scheduler, executors and queries on one machine, for trying out and for the test: `scheduler`, `executor`, `query`.

use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::config::{SchedulerConfig, TaskDistributionPolicy};
use std::error::Error;
use std::sync::Arc;

const USAGE: &str = "usage:
  tablepb-ballista scheduler PORT EXECUTORS        a scheduler, ready when it has so many executors
  tablepb-ballista executor SCHEDULER PORT DIR     an executor for the scheduler at that port, on PORT and the one after it;
                                                   DIR takes what tasks hand to each other
  tablepb-ballista query SCHEDULER SQL ..          runs statements and prints their rows
All ports are of 127.0.0.1. RUST_LOG=info shows what happens.";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    env_logger::init();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["scheduler", port, executors] => scheduler(port.parse()?, executors.parse()?).await,
        ["executor", scheduler, port, dir] => executor(scheduler.parse()?, port.parse()?, dir).await,
        ["query", scheduler, statements @ ..] if !statements.is_empty() => {
            query(scheduler.parse()?, statements).await
        }
        _ => Err(USAGE.into()),
    }
}

async fn scheduler(port: u16, executors: usize) -> Result<(), Box<dyn Error>> {
    let config = SchedulerConfig {
        bind_port: port,
        external_host: "127.0.0.1".to_owned(),
        min_ready_executors: executors,
        task_distribution: TaskDistributionPolicy::RoundRobin,
        // On one machine an executor that says nothing for so long has ended. Its tasks are given to others.
        executor_timeout_seconds: 10,
        expire_dead_executor_interval_seconds: 2,
        ..tablepb_ballista::scheduler_config()
    };
    Ok(tablepb_ballista::run_scheduler(config).await?)
}

async fn executor(scheduler: u16, port: u16, dir: &str) -> Result<(), Box<dyn Error>> {
    let config = ExecutorProcessConfig {
        scheduler_host: "127.0.0.1".to_owned(),
        scheduler_port: scheduler,
        scheduler_connect_timeout_seconds: 10,
        external_host: Some("127.0.0.1".to_owned()),
        port,
        grpc_port: port.checked_add(1).ok_or("PORT must be below 65535")?,
        work_dir: Some(dir.to_owned()),
        vcores: 2,
        executor_heartbeat_interval_seconds: 2,
        ..tablepb_ballista::executor_config()
    };
    Ok(start_executor_process(Arc::new(config)).await?)
}

async fn query(scheduler: u16, statements: &[&str]) -> Result<(), Box<dyn Error>> {
    let context = tablepb_ballista::connect(&format!("127.0.0.1:{scheduler}"))?;
    for statement in statements {
        let rows = context.sql(statement).await?;
        if !rows.schema().fields().is_empty() {
            rows.show().await?;
        }
    }
    Ok(())
}
