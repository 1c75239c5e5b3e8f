//! The settings of requests that are made again.

use agent::RetryPolicy;
use serde::Deserialize;

use super::SettingsError;

/// The most further attempts that can be set.
const RETRIES_MAX: u32 = 100;
/// The longest wait that can be set, in milliseconds: an hour.
const WAIT_MS_MAX: u64 = 3_600_000;

/// The member `retry` of the configuration file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RetryFile {
    /// Further attempts in one step, for each model; 0 gives up at once.
    retries: Option<u32>,
    /// The first wait; each further one is twice as long.
    first_wait_ms: Option<u64>,
    /// The longest wait that is chosen here.
    wait_ms_max: Option<u64>,
    /// The longest wait that a provider may ask for.
    asked_wait_ms_max: Option<u64>,
}

impl RetryFile {
    /// Returns the policy that is set here.
    pub(super) fn policy(&self) -> Result<RetryPolicy, SettingsError> {
        let standard = RetryPolicy::default();
        let retries_max = self.retries.unwrap_or(standard.retries_max);
        if retries_max > RETRIES_MAX {
            return Err(out_of_range("retry.retries", retries_max.to_string(), "0 to 100"));
        }
        Ok(RetryPolicy {
            retries_max,
            first_wait_ms: wait("retry.first_wait_ms", self.first_wait_ms, standard.first_wait_ms)?,
            wait_ms_max: wait("retry.wait_ms_max", self.wait_ms_max, standard.wait_ms_max)?,
            asked_wait_ms_max: wait(
                "retry.asked_wait_ms_max",
                self.asked_wait_ms_max,
                standard.asked_wait_ms_max,
            )?,
        })
    }
}

fn wait(name: &'static str, set: Option<u64>, standard: u64) -> Result<u64, SettingsError> {
    let wait_ms = set.unwrap_or(standard);
    if wait_ms > WAIT_MS_MAX {
        return Err(out_of_range(name, wait_ms.to_string(), "at most an hour (3600000)"));
    }
    Ok(wait_ms)
}

fn out_of_range(name: &'static str, value: String, range: &'static str) -> SettingsError {
    SettingsError::OutOfRange { name, value, range }
}
