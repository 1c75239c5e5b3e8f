use super::*;

fn folders() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let (workspace, data) = (root.path().join("work"), root.path().join("data"));
    std::fs::create_dir_all(&workspace).unwrap();
    (root, workspace, data)
}

fn cli(workspace: &Path, data: &Path) -> Cli {
    let config = workspace.parent().unwrap().join("none.toml");
    std::fs::write(&config, "").unwrap();
    Cli {
        workspace: Some(workspace.to_owned()),
        data: Some(data.to_owned()),
        config: Some(config),
        ..Cli::default()
    }
}

fn nothing(_: &str) -> Option<String> {
    None
}

#[test]
fn a_server_listens_on_loopback_unless_told_otherwise() {
    let (_root, workspace, data) = folders();
    let settings = Settings::resolve(&cli(&workspace, &data), nothing).unwrap();
    assert_eq!(settings.listen.to_string(), "127.0.0.1:7420");
}

#[test]
fn the_command_line_comes_before_the_file() {
    let (root, workspace, data) = folders();
    let config = root.path().join("waymark.toml");
    std::fs::write(&config, "listen = \"127.0.0.1:9000\"\n[goal]\nrounds = 7\n").unwrap();
    let from_file = Cli { config: Some(config), ..cli(&workspace, &data) };
    let settings = Settings::resolve(&from_file, nothing).unwrap();
    assert_eq!((settings.listen.port(), settings.limits.rounds_default), (9000, 7));
    let settings = Settings::resolve(&Cli { port: Some(9001), ..from_file }, nothing).unwrap();
    assert_eq!(settings.listen.port(), 9001);
}

#[test]
fn data_inside_the_workspace_is_refused_also_through_a_link() {
    let (root, workspace, _) = folders();
    let inside = Settings::resolve(&cli(&workspace, &workspace.join("data")), nothing);
    assert!(matches!(inside, Err(SettingsError::DataInWorkspace(_))));
    let link = root.path().join("link");
    std::os::unix::fs::symlink(&workspace, &link).unwrap();
    let linked = Settings::resolve(&cli(&workspace, &link.join("data")), nothing);
    assert!(matches!(linked, Err(SettingsError::DataInWorkspace(_))));
}

#[test]
fn an_address_beyond_loopback_needs_a_secret_that_somebody_chose() {
    let (_root, workspace, data) = folders();
    let cli = Cli { listen: Some("0.0.0.0:7420".parse().unwrap()), ..cli(&workspace, &data) };
    assert!(matches!(Settings::resolve(&cli, nothing), Err(SettingsError::NotLoopback(_))));
    let chosen = |token: &'static str| move |name: &str| (name == "WAYMARK_TOKEN").then(|| token.to_owned());
    for weak in ["short", "a secret with spaces in it, 32 or more", "0123456789abcdef0123456789abcde&"] {
        let refused = Settings::resolve(&cli, chosen(weak)).unwrap_err();
        assert!(matches!(refused, SettingsError::WeakToken));
        assert!(!refused.to_string().contains(weak));
    }
    let settings = Settings::resolve(&cli, chosen("0123456789abcdef0123456789abcdef")).unwrap();
    assert!(settings.launch_token.is_some() && !settings.listen.ip().is_loopback());
}

#[test]
fn an_unknown_setting_is_named_with_its_line() {
    let (root, workspace, data) = folders();
    let config = root.path().join("waymark.toml");
    std::fs::write(&config, "port = 1\n").unwrap();
    let cli = Cli { config: Some(config), ..cli(&workspace, &data) };
    let error = Settings::resolve(&cli, nothing).unwrap_err().to_string();
    assert!(error.contains("waymark.toml") && error.contains("`port`"), "{error}");
}

#[test]
fn a_round_budget_out_of_range_is_refused() {
    let (root, workspace, data) = folders();
    let config = root.path().join("waymark.toml");
    std::fs::write(&config, "[goal]\nrounds = 0\n").unwrap();
    let cli = Cli { config: Some(config), ..cli(&workspace, &data) };
    let error = Settings::resolve(&cli, nothing).unwrap_err().to_string();
    assert_eq!(error, "goal.rounds is 0, but it has to be 1 to 10000");
}

#[test]
fn a_todo_policy_is_true_or_false_and_several_items_may_be_in_progress_without_one() {
    let (root, workspace, data) = folders();
    let config = root.path().join("waymark.toml");
    let resolved = |text: &str| {
        std::fs::write(&config, text).unwrap();
        let cli = Cli { config: Some(config.clone()), ..cli(&workspace, &data) };
        Settings::resolve(&cli, nothing).map(|settings| settings.limits.allow_parallel_in_progress)
    };
    assert!(resolved("").unwrap());
    assert!(!resolved("[todo]\nallow_parallel_in_progress = false\n").unwrap());
    for wrong in ["\"yes\"", "1", "[]"] {
        let error =
            resolved(&format!("[todo]\nallow_parallel_in_progress = {wrong}\n")).unwrap_err().to_string();
        assert!(error.contains("expected a boolean"), "{error}");
    }
}

fn limits_of(text: &str) -> Result<Limits, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    limits(&file).map_err(|error| error.to_string())
}

#[test]
fn goals_have_budgets_as_people_write_them() {
    let text = "[goal]\nrounds = 20\ntokens = \"1.5M\"\ntime = \"2h\"\nno_progress = 5\ncount_cached_input = false\n\
                on_outage = \"retry\"\noutage_retries = 4\njudge = true";
    let set = limits_of(text).unwrap();
    assert_eq!((set.rounds_default, set.goal_tokens_default), (20, Some(1_500_000)));
    assert_eq!((set.goal_time_ms_default, set.no_progress_default), (Some(7_200_000), Some(5)));
    assert_eq!((set.cached_input_free, set.outage_retries_max, set.judge), (true, 4, true));
}

#[test]
fn a_goal_has_rounds_and_tries_for_progress_unless_configured_otherwise() {
    let set = limits_of("").unwrap();
    assert_eq!((set.goal_tokens_default, set.goal_time_ms_default), (None, None));
    assert_eq!((set.rounds_default, set.no_progress_default), (256, Some(3)));
    assert_eq!((set.cached_input_free, set.outage_retries_max, set.judge), (false, 0, false));
    assert_eq!(limits_of("[goal]\nno_progress = 0\ntokens = 5").unwrap().no_progress_default, None);
}

#[test]
fn a_goal_setting_out_of_range_is_named() {
    for (line, name) in [
        ("tokens = \"many\"", "goal.tokens"),
        ("tokens = 0", "goal.tokens"),
        ("time = \"90\"", "goal.time"),
        ("no_progress = 10001", "goal.no_progress"),
        ("outage_retries = 0", "goal.outage_retries"),
        ("rounds = 0", "goal.rounds"),
    ] {
        let told = limits_of(&format!("[goal]\n{line}")).unwrap_err();
        assert!(told.starts_with(name), "{told}");
    }
    assert!(limits_of("[goal]\non_outage = \"panic\"").is_err());
}

#[test]
fn mode_texts_are_read_for_all_models_and_for_one() {
    let (root, workspace, data) = folders();
    let config = root.path().join("waymark.toml");
    let file = "[modes]\nplan_text = \"look\"\nquestions_in_default = false\n[models.\"small:1b\"]\ndefault_text = \"\"\n";
    std::fs::write(&config, file).unwrap();
    let cli = Cli { config: Some(config), ..cli(&workspace, &data) };
    let settings = Settings::resolve(&cli, nothing).unwrap();
    assert_eq!(settings.mode_texts, ModeTexts { plan: Some("look".to_owned()), default: None });
    let small = ModeTexts { plan: None, default: Some(String::new()) };
    assert_eq!(settings.model_mode_texts, BTreeMap::from([("small:1b".to_owned(), small)]));
    assert!(!settings.limits.questions_in_default_mode);
}

#[test]
fn what_stays_in_memory_is_set_in_the_file() {
    let (root, workspace, data) = folders();
    let config = root.path().join("waymark.toml");
    let resolve = |text: &str| {
        std::fs::write(&config, text).unwrap();
        let cli = Cli { config: Some(config.clone()), ..cli(&workspace, &data) };
        Settings::resolve(&cli, nothing)
    };
    let residency = resolve("[sessions]\nin_memory = 8\nidle_minutes = 2\n").unwrap().residency;
    assert_eq!(residency, Residency { sessions_max: 8, idle_ms_max: 120_000 });
    assert_eq!(resolve("").unwrap().residency, Residency::default());
    let error = resolve("[sessions]\nin_memory = 0\n").unwrap_err().to_string();
    assert_eq!(error, "sessions.in_memory is 0, but it has to be 1 or more");
}

#[test]
fn what_comes_of_a_request_that_failed_is_set_in_the_file() {
    let policy = |text: &str| {
        let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
        file.retry.policy().map_err(|error| error.to_string())
    };
    assert_eq!(policy("").unwrap(), RetryPolicy::default());
    let text = "[retry]\nretries = 2\nfirst_wait_ms = 1\nwait_ms_max = 3\nasked_wait_ms_max = 4";
    let set = RetryPolicy { retries_max: 2, first_wait_ms: 1, wait_ms_max: 3, asked_wait_ms_max: 4 };
    assert_eq!(policy(text).unwrap(), set);
    assert_eq!(
        policy("[retry]\nretries = 101").unwrap_err(),
        "retry.retries is 101, but it has to be 0 to 100"
    );
    let told = policy("[retry]\nwait_ms_max = 3600001").unwrap_err();
    assert_eq!(told, "retry.wait_ms_max is 3600001, but it has to be at most an hour (3600000)");
    assert!(policy("[retry]\ntimes = 1").is_err());
}
