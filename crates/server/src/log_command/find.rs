//! Finds a session by the beginning of its id.

use anyhow::{Result, bail};
use events::SessionId;

/// Candidates that are named at most.
const NAMED_MAX: usize = 8;

/// Returns the one of `sessions` whose id begins with `prefix`, whatever the case of its letters.
pub(super) fn find(sessions: impl IntoIterator<Item = SessionId>, prefix: &str) -> Result<SessionId> {
    let wanted = prefix.to_ascii_lowercase();
    let fits = |session: &SessionId| session.to_string().starts_with(&wanted);
    let found: Vec<SessionId> = sessions.into_iter().filter(fits).collect();
    match found[..] {
        [session] => Ok(session),
        [] => bail!("no session starts with {prefix:?}; list them with: waymark log stat --all"),
        _ => bail!("{prefix:?} could be {}; give more of its id", candidates(&found)),
    }
}

fn candidates(found: &[SessionId]) -> String {
    let named: Vec<String> = found.iter().take(NAMED_MAX).map(SessionId::to_string).collect();
    let rest = match found.len() - named.len() {
        0 => String::new(),
        more => format!(" or one of {more} more"),
    };
    format!("{}{rest}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn sessions() -> Vec<SessionId> {
        [0xA1, 0xA2, 0xB1].map(|first: u128| SessionId(Uuid::from_u128(first << 120))).to_vec()
    }

    #[test]
    fn the_beginning_of_an_id_is_enough_when_one_fits() {
        assert_eq!(find(sessions(), "b").unwrap(), sessions()[2]);
        assert_eq!(find(sessions(), "A2").unwrap(), sessions()[1]);
    }

    #[test]
    fn none_that_fits_says_how_to_list_them() {
        let error = find(sessions(), "c0").unwrap_err().to_string();
        assert_eq!(error, "no session starts with \"c0\"; list them with: waymark log stat --all");
    }

    #[test]
    fn several_that_fit_are_named() {
        let error = find(sessions(), "a").unwrap_err().to_string();
        let [first, second, other] = sessions()[..] else { panic!("there are three") };
        assert!(error.contains(&first.to_string()) && error.contains(&second.to_string()), "{error}");
        assert!(!error.contains(&other.to_string()) && error.ends_with("give more of its id"), "{error}");
    }
}
