//! How long a provider asks to wait.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::header::HeaderMap;

/// Returns the wait in milliseconds that the headers name, if any.
///
/// `retry-after-ms` (OpenAI, Azure) is milliseconds; `retry-after` (RFC 9110, 10.2.3) is seconds or a date.
pub(super) fn of_headers(headers: &HeaderMap, now: SystemTime) -> Option<u64> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let exact = text("retry-after-ms").and_then(|ms| to_ms(ms, 1.0));
    exact.or_else(|| {
        let wait = text("retry-after")?;
        to_ms(wait, 1_000.0).or_else(|| Some(until(http_date(wait)?, now)))
    })
}

/// Reads a count that may have a fraction, and rounds it up to whole milliseconds.
fn to_ms(text: &str, ms_per_unit: f64) -> Option<u64> {
    let count: f64 = text.parse().ok().filter(|count: &f64| count.is_finite() && *count >= 0.0)?;
    let wait = Duration::try_from_secs_f64(count * ms_per_unit / 1_000.0).ok()?;
    u64::try_from(wait.as_nanos().div_ceil(1_000_000)).ok()
}

fn until(due: SystemTime, now: SystemTime) -> u64 {
    let wait = due.duration_since(now).unwrap_or_default();
    u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)
}

/// Reads a date in the one format that servers may still send: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date(text: &str) -> Option<SystemTime> {
    let (_, date) = text.split_once(", ")?;
    let [day, month, year, time, "GMT"] = date.split(' ').collect::<Vec<_>>()[..] else {
        return None;
    };
    let month = MONTHS.iter().position(|name| *name == month)?;
    let days = days_since_1970(year.parse().ok()?, u64::try_from(month).ok()? + 1, day.parse().ok()?)?;
    let [hour, minute, second] = time.split(':').map(|part| part.parse::<u64>().ok()).collect::<Vec<_>>()[..]
    else {
        return None;
    };
    let seconds = days * 86_400 + hour? * 3_600 + minute? * 60 + second?;
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Counts days in the Gregorian calendar, with years that begin in March so that a leap day comes last.
fn days_since_1970(year: u64, month: u64, day: u64) -> Option<u64> {
    if !(1970..=9999).contains(&year) || !(1..=31).contains(&day) {
        return None;
    }
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1;
    // 719,468 days lie between 1 March of year 0 and 1 January 1970.
    days.checked_sub(719_468)
}

#[cfg(test)]
mod tests;
