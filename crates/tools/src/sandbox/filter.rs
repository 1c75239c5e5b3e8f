//! System calls that a confined command does without.

use std::collections::BTreeMap;

use seccompiler::SeccompCmpArgLen::Dword;
use seccompiler::SeccompCmpOp::{Eq, MaskedEq, Ne};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

use super::entry::Broken;
use super::{Plan, Profile, SandboxKind};

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Looking into other processes, mounting, and ways round the rest of the filter: what `io_uring` does is
/// no system call.
const NEVER: [i64; 34] = [
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_open_by_handle_at,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_syslog,
    libc::SYS_quotactl,
];

/// What leads to another process or machine.
const NETWORK: [i64; 5] =
    [libc::SYS_connect, libc::SYS_bind, libc::SYS_listen, libc::SYS_accept, libc::SYS_accept4];

/// What changes a file without opening it for writing. The last four have no name in the `libc` crate on
/// every architecture: `fchmodat2`, `setxattrat`, `removexattrat`, `file_setattr`, the same number on all.
const METADATA: [i64; 15] = [
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    452,
    463,
    466,
    469,
];

/// The same by older calls, which newer architectures do not have.
#[cfg(target_arch = "x86_64")]
const METADATA_OLD: [i64; 6] = [
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const METADATA_OLD: [i64; 0] = [];

/// `TIOCSTI` and `TIOCLINUX` of `ioctl_tty(2)`: typing into a terminal.
const TYPING: [u64; 2] = [0x5412, 0x541c];
/// `FS_IOC_SETFLAGS` and `FS_IOC_FSSETXATTR` of `linux/fs.h`, 64 bits: attributes, by a file open for reading.
const ATTRIBUTES: [u64; 2] = [0x4008_6602, 0x401c_5820];
/// Kinds of socket other than a stream. A pair of those could be sent elsewhere later.
const NO_STREAM: [i32; 4] = [libc::SOCK_DGRAM, libc::SOCK_RAW, libc::SOCK_RDM, libc::SOCK_SEQPACKET];
/// The bits of a kind of socket that are no flags.
const SOCKET_KIND: u64 = 0xf;

/// Filters the system calls of this thread and of what it becomes.
pub(super) fn apply(plan: &Plan) -> Result<(), Broken> {
    // Its flags are in memory, where no filter looks; programs fall back to `clone` when it does not exist.
    let hidden_flags = always([libc::SYS_clone3]);
    install(hidden_flags, libc::ENOSYS)?;
    install(refused(plan)?, libc::EPERM)
}

fn install(rules: Rules, errno: i32) -> Result<(), Broken> {
    let arch: TargetArch = std::env::consts::ARCH.try_into()?;
    let action = SeccompAction::Errno(errno.unsigned_abs());
    let filter = SeccompFilter::new(also_x32(rules), SeccompAction::Allow, action, arch)?;
    let program: BpfProgram = filter.try_into()?;
    Ok(seccompiler::apply_filter(&program)?)
}

fn refused(plan: &Plan) -> Result<Rules, Broken> {
    let mut rules = always(NEVER);
    rules.insert(libc::SYS_clone, vec![rule(&[(0, MaskedEq(NEW_USER), NEW_USER)])?]);
    let mut ioctls = TYPING.to_vec();
    rules.extend(sockets(plan.network)?);
    // Under bubblewrap whatever must not change is mounted read-only.
    if plan.kind == SandboxKind::Landlock && plan.profile == Profile::ReadOnly {
        rules.extend(always(METADATA.into_iter().chain(METADATA_OLD)));
        ioctls.extend(ATTRIBUTES);
    }
    rules.insert(libc::SYS_ioctl, each(1, Eq, &ioctls)?);
    Ok(rules)
}

/// `CLONE_NEWUSER`: a user namespace of its own, where it would be allowed everything once more.
const NEW_USER: u64 = 0x1000_0000;

fn sockets(network: bool) -> Result<Rules, Broken> {
    let kinds = NO_STREAM.map(|kind| u64::from(kind.unsigned_abs()));
    let pairs = each(1, MaskedEq(SOCKET_KIND), &kinds)?;
    let mut rules = Rules::from([(libc::SYS_socketpair, pairs)]);
    if network {
        let [v4, v6] = [libc::AF_INET, libc::AF_INET6].map(|family| u64::from(family.unsigned_abs()));
        rules.insert(libc::SYS_socket, vec![rule(&[(0, Ne, v4), (0, Ne, v6)])?]);
    } else {
        rules.extend(always(NETWORK.into_iter().chain([libc::SYS_socket])));
    }
    Ok(rules)
}

fn always(calls: impl IntoIterator<Item = i64>) -> Rules {
    calls.into_iter().map(|call| (call, Vec::new())).collect()
}

/// One rule a value, of which any is enough.
fn each(argument: u8, how: SeccompCmpOp, values: &[u64]) -> Result<Vec<SeccompRule>, Broken> {
    values.iter().map(|value| rule(&[(argument, how.clone(), *value)])).collect()
}

fn rule(conditions: &[(u8, SeccompCmpOp, u64)]) -> Result<SeccompRule, Broken> {
    let one = |(argument, how, value): &(u8, SeccompCmpOp, u64)| {
        SeccompCondition::new(*argument, Dword, how.clone(), *value)
    };
    let conditions: Result<Vec<_>, _> = conditions.iter().map(one).collect();
    Ok(SeccompRule::new(conditions?)?)
}

/// Adds the same calls of the x32 interface, whose numbers are those of x86-64 with one bit more, but for
/// a few of their own.
#[cfg(target_arch = "x86_64")]
fn also_x32(rules: Rules) -> Rules {
    const X32: i64 = 0x4000_0000;
    /// `ioctl`, `ptrace`, `kexec_load`, `process_vm_readv`, `process_vm_writev` there.
    const OWN: [(i64, i64); 5] = [
        (libc::SYS_ioctl, 514),
        (libc::SYS_ptrace, 521),
        (libc::SYS_kexec_load, 528),
        (libc::SYS_process_vm_readv, 539),
        (libc::SYS_process_vm_writev, 540),
    ];
    let own = OWN.iter().filter_map(|(call, there)| Some((there | X32, rules.get(call)?.clone())));
    let same = rules.iter().map(|(call, rule)| (call | X32, rule.clone()));
    same.chain(own).chain(rules.clone()).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn also_x32(rules: Rules) -> Rules {
    rules
}
