//! What a command confined by Landlock may open.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, Scope, path_beneath_rules,
};

use super::{Plan, Profile};

/// The first with which a command cannot signal the processes around it.
const NEEDED: ABI = ABI::V6;
/// Folders that other processes talk through or that hold devices.
const SHUT: [&str; 3] = ["/dev", "/run", "/tmp"];
/// Devices without a memory.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];
/// What programs need of `/run`: on some systems they lie there themselves.
pub(super) const RUN_KEPT: [&str; 1] = ["/run/current-system"];
/// Where the addresses of name servers may lie.
pub(super) const RUN_RESOLVER: &str = "/run/systemd/resolve";

/// Confines this thread, and what it becomes, to what `plan` allows.
pub(super) fn confine(plan: &Plan) -> Result<(), RulesetError> {
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(NEEDED))?
        .scope(Scope::from_all(NEEDED))?;
    let ruleset = match plan.network {
        true => ruleset,
        false => ruleset.handle_access(AccessNet::from_all(NEEDED))?,
    };
    let ruleset = writable(readable(ruleset.create()?, plan)?, plan)?;
    ruleset.restrict_self().map(drop)
}

fn readable(ruleset: RulesetCreated, plan: &Plan) -> Result<RulesetCreated, RulesetError> {
    let shut: Vec<PathBuf> = SHUT.iter().map(PathBuf::from).chain(plan.protected.iter().cloned()).collect();
    let mut open = around(Path::new("/"), &shut);
    open.extend(around(&plan.workspace, &plan.protected));
    open.extend(RUN_KEPT.iter().map(PathBuf::from));
    if plan.network {
        open.push(RUN_RESOLVER.into());
    }
    ruleset.add_rules(path_beneath_rules(open, AccessFs::from_read(NEEDED)))
}

fn writable(ruleset: RulesetCreated, plan: &Plan) -> Result<RulesetCreated, RulesetError> {
    let device = AccessFs::ReadFile | AccessFs::WriteFile;
    // Nobody needs a device file, and one of a disk would hold every folder that is kept from the command.
    let all: BitFlags<AccessFs> = AccessFs::from_all(NEEDED) & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    let open = match plan.profile {
        Profile::ReadOnly => Vec::new(),
        Profile::Workspace | Profile::Off => around(&plan.workspace, &plan.protected),
    };
    ruleset
        .add_rules(path_beneath_rules(DEVICES, device))?
        .add_rules(path_beneath_rules(open, all))?
        .add_rules(path_beneath_rules([&plan.scratch], all))
}

/// Returns the entries that together make up `folder` without what is in `shut`. Links are left out: a rule
/// would be for what they lead to, which has its own place.
fn around(folder: &Path, shut: &[PathBuf]) -> Vec<PathBuf> {
    if shut.iter().any(|closed| folder.starts_with(closed)) {
        return Vec::new();
    }
    if !shut.iter().any(|closed| closed.starts_with(folder)) {
        return vec![folder.to_owned()];
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let real = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
    real.flat_map(|entry| around(&entry.path(), shut)).collect()
}
