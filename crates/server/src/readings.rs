//! What the process counts, in the text form of Prometheus.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use gateway::Readings;
use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};
use metrics_exporter_prometheus::PrometheusBuilder;

/// How often what was measured is gathered, also while nobody asks for it.
const UPKEEP_EVERY: Duration = Duration::from_secs(5);
/// Upper bounds of the classes that times are counted in, in seconds.
const SECONDS: [f64; 12] =
    [0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024];

/// Begins to count in this process, once.
///
/// # Errors
///
/// When something counts already.
pub(crate) fn begin() -> Result<Readings> {
    let builder = PrometheusBuilder::new().set_buckets(&SECONDS).context("the classes are in order")?;
    let handle = builder.install_recorder().context("cannot count what happens")?;
    describe();
    let gathered = handle.clone();
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(UPKEEP_EVERY);
        loop {
            ticks.tick().await;
            gathered.run_upkeep();
        }
    });
    Ok(Arc::new(move || handle.render()))
}

fn describe() {
    describe_histogram!("waymark_append_seconds", Unit::Seconds, "Time until a batch of events was durable");
    describe_histogram!("waymark_flush_seconds", Unit::Seconds, "Time of one flush of the log to the disk");
    describe_counter!("waymark_events_total", "Events appended");
    describe_counter!("waymark_turns_total", "Turns that ended, by how");
    describe_counter!("waymark_rounds_total", "Rounds of goals that were reserved");
    describe_counter!("waymark_goals_blocked_total", "Goals that were blocked");
    describe_counter!("waymark_tools_total", "Tool calls with a result, by outcome");
    describe_counter!("waymark_tokens_total", "Tokens of models: input, cached input, output");
    describe_gauge!("waymark_sockets", "WebSockets that are open");
    describe_gauge!("waymark_followers", "Sessions that clients follow, each counted for each client");
    describe_counter!("waymark_followers_skipped_total", "Times a slow client skipped to a new snapshot");
}
