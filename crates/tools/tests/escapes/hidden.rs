//! Reading what must stay hidden.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Child, Command};

use tools::Profile;

use crate::cell::{BOTH, Cell, SECRET, cells};

const READ: &str = "cat $BASE/data/secret inside/config/secret inside/more/secret link/secret; ls $BASE/data inside/config inside/more | grep secret; \
    grep -r hunter $BASE/data inside; cp -r $BASE/data $TMPDIR/copy; cat $TMPDIR/copy/secret; \
    tar c $BASE/data | tr -d '\\0'; cd $BASE/data && cat secret; true";

#[tokio::test]
async fn a_protected_folder_is_not_read() {
    for cell in cells(BOTH) {
        symlink(cell.beside("data"), cell.path("link")).unwrap();
        let text = cell.prints(READ).await;
        assert!(
            !text.contains(SECRET) && !text.lines().any(|line| line == "secret"),
            "{}: {text}",
            cell.name()
        );
    }
    assert!(Cell::free().prints(READ).await.contains(SECRET));
}

#[tokio::test]
async fn a_protected_folder_is_not_written() {
    for cell in cells(BOTH) {
        let attempt = "for at in $BASE/data inside/config inside/more; do echo evil >$at/secret; echo evil >$at/new; \
            rm -rf $at; mv $at $at.moved; rmdir $at; ln -s /etc $at; done";
        cell.prints(attempt).await;
        for folder in [cell.beside("data"), cell.path("inside/config"), cell.path("inside/more")] {
            assert_eq!(fs::read_to_string(folder.join("secret")).unwrap(), SECRET, "{}", cell.name());
            assert_eq!(fs::read_dir(folder).unwrap().count(), 1, "{}", cell.name());
        }
    }
}

/// Whoever moves the folder above away can put another with the same name in its place.
#[tokio::test]
async fn a_protected_folder_is_not_moved_with_the_folder_above_it() {
    for cell in cells([Profile::Workspace]) {
        cell.prints(
            "mv inside elsewhere; mkdir -p inside/config; echo evil >inside/config/secret; \
            cat elsewhere/config/secret",
        )
        .await;
        assert_eq!(cell.text("inside/config/secret"), SECRET, "{}", cell.name());
    }
}

#[tokio::test]
async fn a_protected_folder_that_is_missing_is_not_filled() {
    for cell in cells(BOTH) {
        cell.prints(
            "mkdir -p later/config; echo evil >later/config/settings; mv later other; \
            mkdir -p later/config; echo evil >later/config/settings; ln -s $BASE/root/inside later",
        )
        .await;
        assert!(!cell.path("later/config/settings").exists(), "{}", cell.name());
    }
}

/// A process of the host, killed when the test is over.
struct Sleeper(Child);

impl Drop for Sleeper {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[tokio::test]
async fn the_environment_of_other_processes_is_not_read() {
    let sleeper = Sleeper(Command::new("sleep").arg("600").env("TOKEN", SECRET).spawn().unwrap());
    let attempt = format!(
        "for pid in $PPID 1 {} $(ls /proc | grep '^[0-9]'); do \
        tr '\\0' '\\n' </proc/$pid/environ | grep TOKEN; done 2>/dev/null",
        sleeper.0.id()
    );
    for cell in cells(BOTH) {
        cell.holds(&attempt).await;
    }
    assert!(Cell::free().prints(&attempt).await.contains(SECRET));
}

#[tokio::test]
async fn only_a_few_variables_are_inherited() {
    for cell in cells(BOTH) {
        let text = cell.does("env").await;
        let names = text.lines().skip(1).filter_map(|line| Some(line.split_once('=')?.0));
        let known =
            ["PATH", "HOME", "LANG", "TERM", "TMPDIR", "XDG_CACHE_HOME", "PWD", "OLDPWD", "SHLVL", "_"];
        let strange: Vec<_> = names.filter(|name| !known.contains(name)).collect();
        assert!(strange.is_empty(), "{}: {strange:?}", cell.name());
    }
}

#[tokio::test]
async fn what_others_keep_in_the_temporary_folder_is_not_seen() {
    let theirs = tempfile::tempdir_in("/tmp").unwrap();
    fs::write(theirs.path().join("secret"), SECRET).unwrap();
    for cell in cells(BOTH) {
        cell.holds(&format!("cat {0}/secret; ls {0} && echo ESCAPED", theirs.path().display())).await;
    }
}
