//! [`ClickHouse`]: a table, over HTTP.

use super::Sink;
use crate::pipeline::Roll;
use arrow_ipc::writer::StreamWriter;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use std::error::Error;
use std::time::Duration;
use ureq::Agent;

/// A table of ClickHouse with a column for each of the rows' columns, in any order.
///
/// Each range of offsets is one insertion, a stream of Arrow. A range that is given twice is inserted twice: a table of the engine
/// `ReplacingMergeTree` with `ORDER BY (partition, offset)` keeps one of each record.
#[derive(Debug)]
pub struct ClickHouse {
    agent: Agent,
    url: String,
    table: String,
}

impl ClickHouse {
    /// A table, `TABLE` or `DATABASE.TABLE`, of a server such as `http://localhost:8123`.
    #[must_use]
    pub fn new(url: &str, table: &str) -> Self {
        let config =
            Agent::config_builder().timeout_global(Some(Duration::from_secs(60))).http_status_as_error(false);
        Self {
            agent: config.build().into(),
            url: url.trim_end_matches('/').to_owned(),
            table: table.to_owned(),
        }
    }
}

impl Sink for ClickHouse {
    fn write(&mut self, _: &str, roll: &Roll) -> Result<(), Box<dyn Error>> {
        if roll.rows() == 0 {
            return Ok(());
        }
        let mut writer = StreamWriter::try_new(Vec::new(), &roll.schema)?;
        for batch in &roll.batches {
            writer.write(batch)?;
        }
        let body = writer.into_inner()?;
        // Absent values are the defaults of their columns.
        let query = format!(
            "INSERT INTO {} SETTINGS input_format_null_as_default = 1 FORMAT ArrowStream",
            self.table
        );
        let url = format!("{}/?query={}", self.url, utf8_percent_encode(&query, NON_ALPHANUMERIC));
        let mut response = self.agent.post(url).send(&body)?;
        if !response.status().is_success() {
            let text = response.body_mut().with_config().limit(10_000).read_to_string()?;
            return Err(format!("ClickHouse: {}", text.trim()).into());
        }
        Ok(())
    }
}
