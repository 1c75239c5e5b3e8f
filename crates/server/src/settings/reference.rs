//! `docs/configuration.md`, checked against what is read.

use super::*;

const GUIDE: &str = include_str!("../../../../docs/configuration.md");

/// Returns the settings that the guide shows, in TOML.
fn shown() -> &'static str {
    GUIDE.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("it shows settings")
}

/// Returns the tables of the guide, with one that has no name first.
fn tables() -> Vec<&'static str> {
    let headers = shown().lines().filter_map(|line| line.strip_prefix('[')?.split(']').next());
    std::iter::once("").chain(headers).collect()
}

#[test]
fn what_the_guide_shows_is_understood() {
    let file: File = toml::from_str(shown()).unwrap();
    assert_eq!(file.providers.keys().collect::<Vec<_>>(), ["local"]);
}

#[test]
fn what_the_guide_calls_the_standard_is_the_standard() {
    let plain = shown().lines().filter(|line| line.starts_with('[') || !line.contains("an example:"));
    let file: File = toml::from_str(&plain.collect::<Vec<_>>().join("\n")).unwrap();
    assert_eq!(file.retry.policy().unwrap(), File::default().retry.policy().unwrap());
    assert_eq!(limits(&file).unwrap(), limits(&File::default()).unwrap());
    assert_eq!(residency(&file).unwrap(), residency(&File::default()).unwrap());
    assert_eq!(file.rehearsal.pace_ms, Some(models::REHEARSAL_PACE_MS));
    assert_eq!(file.listen.unwrap().port(), PORT);
}

#[test]
fn the_guide_shows_every_setting() {
    let tables = tables();
    assert!(tables.len() > 8, "{tables:?}");
    for table in tables {
        let header = if table.is_empty() { String::new() } else { format!("[{table}]\n") };
        let error = toml::from_str::<File>(&format!("{header}no_such_setting = 1")).unwrap_err().to_string();
        // Whoever refuses a setting names those that there are.
        let names = error.split("expected one of ").nth(1).or_else(|| error.split("expected ").nth(1));
        let names: Vec<&str> = names.unwrap_or_default().split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "{error}");
        for name in names {
            let begins = |line: &str| {
                let line = line.trim_start_matches(['#', ' ']);
                line.starts_with(&format!("{name} =")) || line.starts_with(&format!("[{name}"))
            };
            assert!(shown().lines().any(begins), "`{name}` of [{table}] is not in docs/configuration.md");
        }
    }
}
