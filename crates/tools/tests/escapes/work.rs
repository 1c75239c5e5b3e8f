//! Ordinary work, and what is said about the sandbox.

use std::path::{Path, PathBuf};

use tools::{Confinement, Profile, Sandbox, SandboxKind};

use crate::cell::{BOTH, Cell, cells, launcher};

#[tokio::test]
async fn pipelines_and_temporary_files_work() {
    for cell in cells(BOTH) {
        let cell = cell.ordinary();
        let command = "printf 'b\\na\\n' | sort >$TMPDIR/sorted && cat $TMPDIR/sorted && cat <<END\nhere\nEND\n\
            echo in >$(mktemp) && ls >/dev/null && pwd";
        let text = cell.does(command).await;
        let expected =
            format!("(exit status 0, sandbox {})\na\nb\nhere\n{}\n", cell.name(), cell.path("").display());
        assert_eq!(text.replace("//", "/").trim_end(), expected.trim_end().trim_end_matches('/'));
    }
}

#[tokio::test]
async fn the_workspace_is_written_under_its_profile() {
    for cell in cells([Profile::Workspace]) {
        let cell = cell.ordinary();
        cell.does("echo new >new && mkdir -p a/b && mv new a/b/ && echo more >>file && chmod +x file && rm -rf gone \
            && ln a/b/new hard && ln -s file soft && touch -d 2001-01-01 file && cp -a a c && mv c d")
            .await;
        assert_eq!((cell.text("a/b/new").as_str(), cell.text("file").as_str()), ("new\n", "old\nmore\n"));
    }
}

#[tokio::test]
async fn a_workspace_below_the_temporary_folder_is_there() {
    for cell in cells(BOTH) {
        let cell = Cell::in_folder("/tmp", cell.confinement).ordinary();
        cell.does("cat file && cat ./file | grep -q old").await;
        cell.holds("cat $BASE/outside/secret $BASE/data/secret").await;
        if cell.confinement.profile == Profile::Workspace {
            cell.does("echo new >new").await;
            assert_eq!(cell.text("new"), "new\n");
        }
    }
}

#[tokio::test]
async fn git_works_in_the_workspace() {
    for cell in cells(BOTH) {
        let cell = cell.ordinary();
        let git = "git -c user.name=a -c user.email=a@example.org";
        cell.freely(&format!("git init -q . && git add file && {git} commit -qm one && echo two >file"));
        let text = cell.does("git status --short && git log --format=%s").await;
        assert!(text.contains(" M file\n") && text.ends_with("one\n"), "{text}");
        if cell.confinement.profile == Profile::Workspace {
            let text = cell.does(&format!("{git} commit -qam two && git log --format=%s")).await;
            assert!(text.ends_with("two\none\n"), "{text}");
        }
    }
}

#[tokio::test]
async fn python_works_where_it_is() {
    for cell in cells(BOTH) {
        let there = cell.run("command -v python3").await;
        if there.is_error {
            println!("left out: no python3 in {}", cell.name());
            continue;
        }
        let text = cell
            .does(
                "python3 -c 'import subprocess, tempfile\n\
            tempfile.TemporaryFile().write(b\"x\")\n\
            print(subprocess.run([\"echo\", \"from python\"], capture_output=True, text=True).stdout)'",
            )
            .await;
        assert!(text.contains("from python"), "{text}");
    }
}

#[tokio::test]
async fn a_status_is_the_commands_own() {
    for cell in cells(BOTH) {
        let outcome = cell.run("echo why; exit 3").await;
        assert_eq!(outcome.code, Some("EXIT_STATUS"));
        assert_eq!(outcome.text, format!("(exit status 3, sandbox {})\nwhy\n", cell.name()));
        let outcome = cell.run("kill -9 $$").await;
        assert_eq!(outcome.text, format!("(exit status 137, sandbox {}, no output)", cell.name()));
    }
}

#[tokio::test]
async fn home_is_private_and_writable_under_read_only() {
    for cell in cells([Profile::ReadOnly]) {
        cell.does("cd && echo x >.settings && cat .settings && [ $HOME != /root ]").await;
    }
}

#[tokio::test]
async fn the_temporary_folder_is_gone_afterwards() {
    for cell in cells(BOTH) {
        let text =
            cell.does("mkdir -p $TMPDIR/deep/er && echo x >$TMPDIR/deep/er/file && echo $TMPDIR").await;
        let folder = Path::new(text.lines().nth(1).unwrap());
        assert!(!folder.join("deep").exists(), "{text}");
    }
}

#[tokio::test]
async fn a_command_without_a_sandbox_says_so_aloud() {
    let text = Cell::free().does("true").await;
    assert_eq!(text, "(exit status 0, WITHOUT A SANDBOX, no output)");
}

#[tokio::test]
async fn a_command_that_may_change_nothing_does_not_run_without_a_sandbox() {
    let mut cell = Cell::free();
    cell.confinement.profile = Profile::ReadOnly;
    let outcome = cell.run("touch ran").await;
    assert_eq!(outcome.code, Some("NO_SANDBOX"));
    assert!(!cell.path("ran").exists());
}

#[tokio::test]
async fn a_command_whose_sandbox_breaks_does_not_run() {
    for mut cell in cells(BOTH) {
        let folder = cell.path("");
        std::fs::rename(&folder, cell.beside("moved")).unwrap();
        std::fs::create_dir(&folder).unwrap();
        std::fs::remove_dir(&folder).unwrap();
        let outcome = cell.run("touch $BASE/moved/ran").await;
        assert!(outcome.is_error, "{outcome:?}");
        assert!(!cell.beside("moved/ran").exists());
        std::fs::create_dir(&folder).unwrap();
        cell.confinement.profile = Profile::Off;
    }
}

#[test]
fn a_program_that_does_not_take_over_is_no_launcher() {
    for program in ["/bin/true", "/bin/false", "/nonexistent"] {
        assert_eq!(Sandbox::probe(Some(PathBuf::from(program))).kind(), SandboxKind::None);
    }
    assert_eq!(Sandbox::probe(None).kind(), SandboxKind::None);
}

#[test]
fn the_strongest_kind_that_works_is_chosen() {
    let works = |kind| Sandbox::of_kind(kind, launcher()).is_some();
    let strongest = [SandboxKind::Bubblewrap, SandboxKind::Landlock].into_iter().find(|kind| works(*kind));
    let found = Sandbox::probe(Some(launcher()));
    assert_eq!(found.kind(), strongest.unwrap_or(SandboxKind::None));
    println!("{}", found.name(Profile::ReadOnly));
}

#[test]
fn the_default_lets_a_command_change_the_workspace() {
    for cell in cells([Profile::ReadOnly]) {
        assert_eq!(Confinement::default_of(&cell.confinement.sandbox).profile, Profile::Workspace);
        assert!(cell.name().ends_with(":read-only"));
    }
    let none = Confinement::default_of(&Sandbox::none());
    assert_eq!((none.profile, none.name().as_str()), (Profile::Off, "none"));
}
