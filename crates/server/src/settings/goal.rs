//! The settings of goals: their budgets, what an outage does, and whether completion is judged.

use serde::Deserialize;
use sessions::{Limits, parse_duration_ms, parse_tokens};

use super::SettingsError;

/// How often in a row a goal that is to outlast outages tries again, unless configured.
const OUTAGE_RETRIES: u32 = 8;

/// The member `goal` of the configuration file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct GoalFile {
    /// Rounds of a goal that names none.
    rounds: Option<u32>,
    /// Tokens of a goal that names none, such as `"1.5M"`; unlimited when left out.
    tokens: Option<Amount>,
    /// Time of a goal that names none, such as `"2h"`; unlimited when left out.
    time: Option<String>,
    /// Rounds in a row that may change nothing; 0 for as many as there are.
    no_progress: Option<u32>,
    /// Whether input from the provider's cache counts as tokens used.
    count_cached_input: Option<bool>,
    on_outage: Option<OnOutage>,
    outage_retries: Option<u32>,
    judge: Option<bool>,
    blocked_after_rounds: Option<u32>,
}

/// A number, or one as people write it.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Amount {
    Number(u64),
    Text(String),
}

/// What a goal does when its provider has an outage.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum OnOutage {
    /// It waits for a person.
    Disarm,
    /// It waits and tries again.
    Retry,
}

impl GoalFile {
    /// Returns `limits` with what is set here.
    pub(super) fn over(&self, limits: Limits) -> Result<Limits, SettingsError> {
        let rounds_default = self.rounds.unwrap_or(limits.rounds_default);
        in_range("goal.rounds", rounds_default, 1..=limits.rounds_max, "1 to 10000")?;
        let blocked_after_rounds = self.blocked_after_rounds.unwrap_or(limits.blocked_after_rounds);
        in_range("goal.blocked_after_rounds", blocked_after_rounds, 1..=u32::MAX, "1 or more")?;
        let outage_retries = self.outage_retries.unwrap_or(OUTAGE_RETRIES);
        in_range("goal.outage_retries", outage_retries, 1..=1_000, "1 to 1000")?;
        let no_progress = self.no_progress.or(limits.no_progress_default).unwrap_or(0);
        in_range("goal.no_progress", no_progress, 0..=limits.rounds_max, "0 to 10000")?;
        Ok(Limits {
            rounds_default,
            blocked_after_rounds,
            goal_tokens_default: self.tokens()?,
            goal_time_ms_default: self.time_ms()?,
            no_progress_default: (no_progress > 0).then_some(no_progress),
            cached_input_free: !self.count_cached_input.unwrap_or(true),
            outage_retries_max: match self.on_outage.unwrap_or(OnOutage::Disarm) {
                OnOutage::Disarm => 0,
                OnOutage::Retry => outage_retries,
            },
            judge: self.judge.unwrap_or(limits.judge),
            ..limits
        })
    }

    fn tokens(&self) -> Result<Option<u64>, SettingsError> {
        let text = match &self.tokens {
            None => return Ok(None),
            Some(Amount::Number(tokens)) => tokens.to_string(),
            Some(Amount::Text(text)) => text.clone(),
        };
        let wrong = |_| out_of_range("goal.tokens", &text, "a number of tokens such as \"1.5M\"");
        parse_tokens(&text).map(Some).map_err(wrong)
    }

    fn time_ms(&self) -> Result<Option<u64>, SettingsError> {
        let Some(text) = &self.time else { return Ok(None) };
        let wrong = |_| out_of_range("goal.time", text, "a duration such as \"2h\" or \"90m\"");
        parse_duration_ms(text).map(Some).map_err(wrong)
    }
}

fn in_range(
    name: &'static str,
    value: u32,
    allowed: std::ops::RangeInclusive<u32>,
    range: &'static str,
) -> Result<(), SettingsError> {
    if allowed.contains(&value) { Ok(()) } else { Err(out_of_range(name, &value.to_string(), range)) }
}

fn out_of_range(name: &'static str, value: &str, range: &'static str) -> SettingsError {
    SettingsError::OutOfRange { name, value: value.to_owned(), range }
}
