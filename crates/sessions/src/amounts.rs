//! Amounts as people write them: tokens such as `1.5M`, durations such as `90m`.

use projections::DURATION_UNITS;

/// Returns the number that `text` writes: digits, `_` between them, a fraction, and `k`, `M` or `G` (any case) behind.
///
/// # Errors
///
/// What is wrong with it, as a sentence for a person.
pub fn parse_tokens(text: &str) -> Result<u64, String> {
    let scale = match text.bytes().last().map(|last| last.to_ascii_lowercase()) {
        Some(b'k') => 1_000,
        Some(b'm') => 1_000_000,
        Some(b'g') => 1_000_000_000,
        _ => 1,
    };
    let digits = if scale == 1 { text } else { &text[..text.len() - 1] };
    scaled(digits, scale)
        .filter(|tokens| *tokens > 0)
        .ok_or_else(|| format!("{text:?} is no number of tokens; write one such as 200k or 1.5M"))
}

/// Returns the milliseconds that `text` writes: parts such as `2h30m` of `d`, `h`, `m` and `s`, each at most once, in this
/// order; the last may have a fraction.
///
/// # Errors
///
/// What is wrong with it, as a sentence for a person.
pub fn parse_duration_ms(text: &str) -> Result<u64, String> {
    parts_ms(&text.to_ascii_lowercase())
        .filter(|ms| *ms > 0)
        .ok_or_else(|| format!("{text:?} is no duration; write one such as 90m, 2h or 1h30m"))
}

fn parts_ms(text: &str) -> Option<u64> {
    let mut rest = text;
    let mut sum = None;
    for (unit, scale) in DURATION_UNITS {
        let Some((digits, behind)) = rest.split_once(unit) else { continue };
        let part = scaled(digits, scale)?;
        sum = Some(u64::checked_add(sum.unwrap_or(0), part)?);
        rest = behind;
    }
    if rest.is_empty() { sum } else { None }
}

/// Returns `digits` times `scale`, when that is a whole number that JSON can carry.
fn scaled(digits: &str, scale: u64) -> Option<u64> {
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let mut sum = number(whole)?.checked_mul(scale)?;
    let mut place = scale;
    for digit in fraction.bytes() {
        place /= 10;
        let digit = u64::from(digit.checked_sub(b'0').filter(|digit| *digit < 10)?);
        if place == 0 && digit != 0 {
            return None;
        }
        sum = sum.checked_add(digit * place)?;
    }
    (!fraction.is_empty() && sum <= NUMBER_MAX).then_some(sum)
}

/// Bytes of a token, where nobody counted: about right for English and for code.
const BYTES_PER_TOKEN: usize = 4;

/// Returns a guess at the tokens of a text, for providers that do not say.
#[must_use]
pub fn tokens_of_bytes(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(BYTES_PER_TOKEN)).unwrap_or(u64::MAX)
}

/// The largest whole number that every JSON reader keeps exactly.
pub(crate) const NUMBER_MAX: u64 = (1 << 53) - 1;

fn number(digits: &str) -> Option<u64> {
    let is_grouped = !digits.starts_with('_') && !digits.ends_with('_') && !digits.contains("__");
    let plain = digits.replace('_', "");
    let all_digits = !plain.is_empty() && plain.bytes().all(|byte| byte.is_ascii_digit());
    if is_grouped && all_digits { plain.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_digits_with_a_unit() {
        let check = |text: &str, expected: u64| assert_eq!(parse_tokens(text), Ok(expected), "{text}");
        check("1", 1);
        check("200k", 200_000);
        check("200K", 200_000);
        check("1.5M", 1_500_000);
        check("1_000_000", 1_000_000);
        check("0.25g", 250_000_000);
        check("1.50k", 1_500);
    }

    #[test]
    fn what_is_no_number_of_tokens_is_refused() {
        for text in [
            "", "k", "0", "0k", "-5", "+5", "1.5", "1.", ".5M", "1.0005k", "_1", "1__0", "5 k", "1e6", "9g9",
            "∞",
        ] {
            assert!(parse_tokens(text).is_err(), "{text}");
        }
        assert!(parse_tokens("9007199254740991").is_ok());
        assert!(parse_tokens("9007199254740992").is_err());
        assert!(parse_tokens("99999999999999999999g").is_err());
    }

    #[test]
    fn durations_are_parts_in_order() {
        let check = |text: &str, expected: u64| assert_eq!(parse_duration_ms(text), Ok(expected), "{text}");
        check("90m", 5_400_000);
        check("2h", 7_200_000);
        check("1h30m", 5_400_000);
        check("1.5h", 5_400_000);
        check("1D", 86_400_000);
        check("45s", 45_000);
        check("1d2h3m4s", 93_784_000);
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        for text in ["", "90", "0m", "m", "30m1h", "1h1h", "2h 30m", "1w", "-1h", "h30m", "1h30"] {
            assert!(parse_duration_ms(text).is_err(), "{text}");
        }
    }
}
