//! The binary `waymark`, built when it is missing or older than its sources.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

/// Returns the path of the binary, which belongs to the same build as this test.
pub(crate) fn waymark() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let profile_folder = profile_folder();
        let binary = profile_folder.join("waymark");
        let locked = changed_at(&root().join("Cargo.lock"));
        if changed_at(&binary) < newest(&root().join("crates"), locked) {
            build(&profile_folder);
        }
        assert!(binary.is_file(), "{} is not there after its build", binary.display());
        binary
    })
}

/// Returns `target/debug` or its like: the folder above the one that this test lies in.
fn profile_folder() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows where it lies");
    test.ancestors().nth(2).expect("a test lies in a target folder").to_owned()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies in the repository")
}

fn changed_at(path: &Path) -> SystemTime {
    path.metadata().and_then(|found| found.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// Returns when the newest source below `folder` changed, `newest` at the least.
fn newest(folder: &Path, newest: SystemTime) -> SystemTime {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.fold(newest, |so_far, entry| {
        let path = entry.path();
        match path.file_name().and_then(|name| name.to_str()) {
            // The page's own sources are in the binary only as what `dist` holds.
            Some("ui" | "tests" | "benches") => so_far,
            _ if path.is_dir() => self::newest(&path, so_far),
            _ => so_far.max(changed_at(&path)),
        }
    })
}

fn build(profile_folder: &Path) {
    let target = profile_folder.parent().expect("a profile has a target folder");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--package", "server", "--bin", "waymark", "--target-dir"]).arg(target);
    if profile_folder.ends_with("release") {
        cargo.arg("--release");
    }
    let built = cargo.current_dir(root()).status().expect("cargo runs");
    assert!(built.success(), "the binary waymark does not build");
}
