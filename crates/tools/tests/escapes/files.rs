//! Changing what must stay as it is.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};

use tools::{Profile, SandboxKind};

use crate::cell::{BOTH, Cell, ESCAPED, cells, contents};

#[tokio::test]
async fn a_write_through_a_link_does_not_leave_the_workspace() {
    for cell in cells(BOTH) {
        symlink(cell.beside("outside"), cell.path("folder")).unwrap();
        symlink(cell.beside("outside/secret"), cell.path("link")).unwrap();
        cell.prints("echo new >link; echo new >folder/new; cp file folder/; rm -f folder/secret").await;
        assert_untouched(&cell);
    }
}

#[tokio::test]
async fn nothing_outside_the_workspace_is_written() {
    for cell in cells(BOTH) {
        let attempt = "cd $BASE/outside; echo new >new; echo more >>secret; : >secret; rm -f secret; mv secret gone; \
            mkdir folder; ln secret hard; ln secret ../root/hard; ln -s x soft; mkfifo pipe; truncate -s 0 secret; \
            mv $BASE/root/file .; touch $BASE/sibling";
        cell.prints(attempt).await;
        assert_untouched(&cell);
        assert!(!cell.beside("sibling").exists() && cell.path("file").exists(), "{}", cell.name());
    }
}

/// A link with a second name would be a way to change the file by.
#[tokio::test]
async fn a_file_outside_gets_no_second_name_in_the_workspace() {
    for cell in cells([Profile::Workspace]) {
        let cell = cell.ordinary();
        cell.holds("ln $BASE/outside/secret hard 2>/dev/null && echo new >hard && echo ESCAPED").await;
        assert_untouched(&cell);
    }
}

fn assert_untouched(cell: &Cell) {
    let left = contents(&cell.beside("outside"));
    assert_eq!(left, [(cell.beside("outside/secret"), crate::cell::SECRET.to_owned())], "{}", cell.name());
}

#[tokio::test]
async fn a_read_only_workspace_stays_as_it_is() {
    for cell in cells([Profile::ReadOnly]) {
        let before = contents(&cell.path(""));
        cell.prints("echo new >new; echo more >>file; : >file; rm -f file; mv file gone; mkdir folder; ln file hard; \
            ln -s x soft; mkfifo pipe; truncate -s 0 file; dd if=/dev/null of=file; perl -e 'truncate(q(file), 0)'")
            .await;
        assert_eq!(contents(&cell.path("")), before, "{}", cell.name());
    }
    let free = Cell::free();
    free.prints("echo new >new; : >file").await;
    assert_eq!((free.text("new").as_str(), free.text("file").as_str()), ("new\n", ""));
}

#[tokio::test]
async fn the_roots_of_processes_are_no_way_out() {
    for cell in cells(BOTH) {
        let attempt = "for pid in self 1 2 $$ $PPID; do root=/proc/$pid/root; \
            echo new >$root$BASE/outside/new && echo ESCAPED; echo new >$root$BASE/outside/secret && echo ESCAPED; \
            cat $root$BASE/data/secret; ls $root$BASE/data | grep secret && echo ESCAPED; \
            cat /proc/$pid/cwd/../data/secret; done 2>/dev/null";
        cell.holds(attempt).await;
        assert_untouched(&cell);
    }
}

const METADATA: &str = "chmod 777 FILE; chown 1:1 FILE; touch -d 2001-01-01 FILE; touch -h -d 2001-01-01 FILE; \
    perl -e 'chmod(0777, q(FILE)); utime(1, 1, q(FILE)); open(my $f, q(<), q(FILE)); chmod(0777, $f); \
    utime(1, 1, $f)'; chattr +d FILE; ";

/// Sets an extended attribute by number of the system call, and says so if that works.
fn set_attribute() -> String {
    let number = if cfg!(target_arch = "x86_64") { 188 } else { 5 };
    format!(
        "perl -e 'my ($f, $n, $v) = (q(FILE), q(user.x), q(y)); \
        print q(ESC), qq(APED\\n) if syscall({number}, $f, $n, $v, 1, 0) == 0'"
    )
}

#[tokio::test]
async fn mode_owner_times_and_attributes_stay_under_read_only() {
    let attempt = format!("{METADATA}{}", set_attribute());
    for cell in cells([Profile::ReadOnly]) {
        for file in [cell.path("file"), cell.beside("outside/secret")] {
            let before = fs::metadata(&file).unwrap();
            cell.prints(&attempt.replace("FILE", file.to_str().unwrap())).await;
            cell.holds(&set_attribute().replace("FILE", file.to_str().unwrap())).await;
            let after = fs::metadata(&file).unwrap();
            let facts = |m: &fs::Metadata| (m.mode(), m.uid(), m.gid(), m.mtime(), m.ctime(), m.ctime_nsec());
            assert_eq!(facts(&after), facts(&before), "{}", cell.name());
        }
    }
    let free = Cell::free();
    let before = fs::metadata(free.path("file")).unwrap();
    let text = free.prints(&attempt.replace("FILE", "file")).await;
    let after = fs::metadata(free.path("file")).unwrap();
    assert!(after.mode() != before.mode() && after.mtime() != before.mtime());
    assert!(text.contains(ESCAPED), "{text}");
}

#[tokio::test]
async fn nothing_is_mounted() {
    for cell in cells(BOTH) {
        let attempt = "mkdir -p $TMPDIR/m; mount -t tmpfs none $TMPDIR/m && echo ESCAPED; \
            mount --bind $BASE/outside $TMPDIR/m && echo ESCAPED; mount -o remount,rw / && echo ESCAPED; \
            umount $BASE/data && echo ESCAPED; \
            unshare -Urm sh -c 'mount -o remount,rw / && echo ESCAPED'; unshare -m true && echo ESCAPED; \
            unshare -Ur true && echo ESCAPED; chroot / true && echo ESCAPED";
        cell.holds(attempt).await;
    }
}

#[tokio::test]
async fn no_device_is_made_or_read() {
    for cell in cells(BOTH) {
        cell.holds("for at in disk $TMPDIR/disk; do mknod $at b 254 0 && echo ESCAPED; head -c 1 <$at && echo ESCAPED; done; \
            for disk in /dev/vd* /dev/sd* /dev/nvme* /dev/dm-* /dev/mem /dev/kmsg; do \
            head -c 1 <$disk >/dev/null && echo ESCAPED; done 2>/dev/null")
            .await;
    }
}

#[tokio::test]
async fn settings_of_the_system_stay() {
    for cell in cells(BOTH) {
        cell.holds(
            "cat /proc/sys/vm/swappiness >/proc/sys/vm/swappiness && echo ESCAPED; \
            (: >>/proc/sysrq-trigger) && echo ESCAPED; hostname elsewhere && echo ESCAPED; \
            echo 0 >/sys/kernel/mm/ksm/run && echo ESCAPED",
        )
        .await;
    }
}

/// Landlock knows no exceptions below a writable folder.
#[tokio::test]
async fn hooks_and_settings_of_git_are_not_planted_under_bubblewrap() {
    for cell in cells([Profile::Workspace]).into_iter().filter(|cell| cell.is(SandboxKind::Bubblewrap)) {
        cell.freely("git init -q");
        fs::remove_dir_all(cell.path(".git/hooks")).unwrap();
        let before = fs::read_to_string(cell.path(".git/config")).unwrap();
        let attempt = "echo evil >.git/hooks/post-commit; echo evil >>.git/config; rm -rf .git/hooks; \
            git config core.fsmonitor evil; mv .git moved; mv .git/config .git/gone; mv .git/hooks .git/gone; \
            mkdir -p .git/hooks; cp file .git/hooks/post-commit; cp file .git/config";
        cell.prints(attempt).await;
        assert_eq!(fs::read_to_string(cell.path(".git/config")).unwrap(), before);
        assert_eq!(contents(&cell.path(".git/hooks")), []);
        assert!(!cell.path("moved").exists());
    }
}
