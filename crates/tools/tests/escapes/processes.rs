//! Taking hold of other processes.

use std::process::{Child, Command};

use tools::SandboxKind;

use crate::cell::{BOTH, cells};

/// A process of the host that must be there at the end of the test.
struct Bystander(Child);

impl Bystander {
    fn new() -> Self {
        Self(Command::new("sleep").arg("600").spawn().unwrap())
    }

    fn is_unharmed(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for Bystander {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Attaches to the process, to itself and to its parent: `PTRACE_ATTACH`, then `PTRACE_SEIZE`.
#[tokio::test]
async fn no_process_is_traced() {
    let bystander = Bystander::new();
    let number = if cfg!(target_arch = "x86_64") { 101 } else { 117 };
    let attempt = format!(
        "perl -e 'for my $pid ({}, 1, getppid()) {{ for my $how (16, 0x4206) {{ \
        print q(ESC), qq(APED\\n) if syscall({number}, $how, $pid, 0, 0) == 0 }} }}'",
        bystander.0.id()
    );
    for cell in cells(BOTH) {
        cell.holds(&attempt).await;
    }
}

#[tokio::test]
async fn the_memory_of_other_processes_is_not_opened() {
    let bystander = Bystander::new();
    let attempt = format!(
        "for pid in {} $PPID; do (: </proc/$pid/mem) && echo ESCAPED; (: >/proc/$pid/mem) && echo ESCAPED; \
        cat /proc/$pid/maps | grep -q . && echo ESCAPED; done 2>/dev/null",
        bystander.0.id()
    );
    for cell in cells(BOTH) {
        // Under bubblewrap its parent is inside, too; the next test is about that one.
        let attempt = match cell.is(SandboxKind::Bubblewrap) {
            true => attempt.replace("$PPID", ""),
            false => attempt.clone(),
        };
        cell.holds(&attempt).await;
    }
}

/// A process that a command can reach has to be as confined as the command is.
#[tokio::test]
async fn every_process_that_can_be_reached_is_confined() {
    for cell in cells(BOTH).into_iter().filter(|cell| cell.is(SandboxKind::Bubblewrap)) {
        let text = cell
            .does("grep -h -E '^(CapEff|Seccomp):' /proc/[0-9]*/status | sort -u; ls -l /proc/1/fd")
            .await;
        let facts: Vec<_> = text.lines().filter(|line| line.contains(":\t")).collect();
        assert_eq!(facts, ["CapEff:\t0000000000000000", "Seccomp:\t2"], "{text}");
        assert!(!text.contains("socket:"), "{text}");
    }
}

#[tokio::test]
async fn no_process_outside_is_signalled() {
    let mut bystander = Bystander::new();
    for cell in cells(BOTH) {
        cell.prints(&format!("kill -9 {0}; kill -9 -{0}; perl -e 'kill 9, {0}'", bystander.0.id())).await;
        assert!(bystander.is_unharmed(), "{}", cell.name());
    }
}

#[tokio::test]
async fn there_is_no_terminal_to_type_into() {
    for cell in cells(BOTH) {
        cell.holds(
            "(: </dev/tty) 2>/dev/null && echo ESCAPED; (: >/dev/tty) 2>/dev/null && echo ESCAPED; \
            perl -e '$c = q(x); print q(ESC), qq(APED\\n) if ioctl(STDOUT, 0x5412, $c)'",
        )
        .await;
    }
}

#[tokio::test]
async fn no_privilege_is_left_or_won() {
    for cell in cells(BOTH) {
        let text = cell.does("grep -E '^(Cap(Inh|Prm|Eff|Amb)|NoNewPrivs|Seccomp):' /proc/self/status").await;
        let values: Vec<_> = text.lines().skip(1).filter_map(|line| line.split_whitespace().nth(1)).collect();
        let none = "0000000000000000";
        assert_eq!(values, [none, none, none, none, "1", "2"], "{}", cell.name());
    }
}

/// What the host's own parent left open for everybody: a folder outside, as it happens.
#[tokio::test]
async fn no_open_file_of_the_host_is_inherited() {
    let folder = std::fs::File::open("/").unwrap();
    let folder = rustix::io::dup(folder).unwrap();
    rustix::io::fcntl_setfd(&folder, rustix::io::FdFlags::empty()).unwrap();
    for cell in cells(BOTH) {
        let text = cell.does("exec 2>&1; ls -l /proc/self/fd/ /proc/$$/fd/").await;
        let open = text.lines().filter(|line| line.contains(" -> "));
        let strange: Vec<_> =
            open.filter(|line| line.ends_with(" -> /") || line.contains("socket:")).collect();
        assert!(strange.is_empty(), "{}: {strange:?}", cell.name());
    }
    drop(folder);
}
