//! Amounts as people read them.

use std::fmt::Write;

/// The units that durations are written in, largest first, with their milliseconds.
pub const DURATION_UNITS: [(char, u64); 4] =
    [('d', 86_400_000), ('h', 3_600_000), ('m', 60_000), ('s', 1_000)];

/// Returns tokens as people read them, rounded down: `999`, `1.2k`, `15k`, `1.5M`.
#[must_use]
pub fn tokens_text(tokens: u64) -> String {
    match tokens {
        0..1_000 => tokens.to_string(),
        1_000..1_000_000 => in_units(tokens, 1_000, "k"),
        _ => in_units(tokens, 1_000_000, "M"),
    }
}

fn in_units(amount: u64, unit: u64, name: &str) -> String {
    let (whole, tenth) = (amount / unit, amount % unit / (unit / 10));
    if whole >= 10 || tenth == 0 { format!("{whole}{name}") } else { format!("{whole}.{tenth}{name}") }
}

/// Returns a duration as people read it, rounded down to its two largest units: `0s`, `45s`, `1h30m`, `2d`.
#[must_use]
pub fn duration_text(ms: u64) -> String {
    let mut rest = ms;
    let mut shown = String::new();
    let mut places = 0;
    for (unit, scale) in DURATION_UNITS {
        let amount = rest / scale;
        rest %= scale;
        places += u32::from(amount > 0 || places > 0);
        if amount > 0 && places <= 2 {
            write!(shown, "{amount}{unit}").expect("a string takes every text");
        }
    }
    if shown.is_empty() { "0s".to_owned() } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_shown_as_people_write_them() {
        let tokens = [0, 999, 1_000, 1_250, 15_900, 1_500_000, 12_345_678].map(tokens_text);
        assert_eq!(tokens, ["0", "999", "1k", "1.2k", "15k", "1.5M", "12M"]);
        let durations = [0, 999, 45_000, 5_400_000, 7_200_000, 93_784_000, 3_601_000].map(duration_text);
        assert_eq!(durations, ["0s", "0s", "45s", "1h30m", "2h", "1d2h", "1h"]);
    }
}
