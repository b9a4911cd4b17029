//! What Linux takes beyond resource limits: files and network by Landlock, system calls by seccomp.
//!
//! Both hold for the calling thread and all that it starts, for good. Either alone keeps a parser that
//! was taken over from reading a file or sending a byte; a kernel or a container may lack one of them,
//! or both, and then the worker goes without.
//!
//! The filter is a list of what is allowed, not of what is not: the calls that could do harm are many,
//! grow with every kernel, and have second numbers (x32) that a list of them would miss. What a
//! reading thread needs is short and old. A call that is not on the list fails as it would in a kernel
//! that has no such call, so that libraries fall back to an older one or do without; refused with
//! "not permitted", the C library would not try its older way to start a thread.

use std::collections::BTreeMap;

use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetStatus, Scope};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

use super::confinement::Enforcement;

/// The newest set of Landlock's rights that this was tried with. Older kernels enforce their part of it.
const LANDLOCK: ABI = ABI::V7;

/// Calls that a parser's thread makes, whatever their arguments: reading and answering, memory, locks,
/// clocks, signals (a crash is one), random seeds of hash tables, and its own end.
const ALLOWED: [libc::c_long; 38] = [
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_close,
    libc::SYS_lseek,
    libc::SYS_fstat,
    libc::SYS_ppoll,
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_futex,
    libc::SYS_membarrier,
    libc::SYS_rseq,
    libc::SYS_set_robust_list,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_getcpu,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    libc::SYS_getrandom,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_getrusage,
    libc::SYS_sysinfo,
    libc::SYS_uname,
    libc::SYS_getcwd,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// `prctl`'s option that names a stretch of memory for debuggers, which the C library's allocator uses.
const NAME_MEMORY: libc::c_int = 0x5356_4d41;

/// Denies every access to files, every connection, and signals to other processes.
pub(super) fn close_files_and_network() -> Enforcement {
    let restricted = Ruleset::default()
        .handle_access(AccessFs::from_all(LANDLOCK))
        .and_then(|ruleset| ruleset.handle_access(AccessNet::from_all(LANDLOCK)))
        .and_then(|ruleset| ruleset.scope(Scope::from_all(LANDLOCK)))
        .and_then(Ruleset::create)
        .and_then(landlock::RulesetCreated::restrict_self);
    match restricted.map(|status| status.ruleset) {
        Ok(RulesetStatus::FullyEnforced) => Enforcement::Full,
        Ok(RulesetStatus::PartiallyEnforced) => Enforcement::Partial,
        Ok(RulesetStatus::NotEnforced) | Err(_) => Enforcement::Absent,
    }
}

/// Leaves the calls on the list and no others.
pub(super) fn filter_system_calls() -> Enforcement {
    let filter = program().and_then(|program| seccompiler::apply_filter(&program));
    if filter.is_ok() { Enforcement::Full } else { Enforcement::Absent }
}

fn program() -> seccompiler::Result<BpfProgram> {
    // An architecture that the compiler of filters does not know goes without.
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    let refusal = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    let filter = SeccompFilter::new(rules()?, refusal, SeccompAction::Allow, architecture)?;
    Ok(BpfProgram::try_from(filter)?)
}

/// By call: the rules of which one must hold; none means that the call is always allowed.
fn rules() -> seccompiler::Result<BTreeMap<libc::c_long, Vec<SeccompRule>>> {
    let mut rules: BTreeMap<_, _> = ALLOWED.into_iter().map(|call| (call, Vec::new())).collect();
    // Threads, never processes.
    rules.insert(libc::SYS_clone, vec![when(0, has(libc::CLONE_THREAD))?]);
    // Memory that holds data, never code.
    rules.insert(libc::SYS_mmap, vec![when(2, lacks(libc::PROT_EXEC))?]);
    rules.insert(libc::SYS_mprotect, vec![when(2, lacks(libc::PROT_EXEC))?]);
    // A signal to itself (`abort`), its own limits, its own names; std asks of a descriptor that it
    // closes whether it was open.
    let own = libc::c_int::try_from(std::process::id()).unwrap_or(0);
    rules.insert(libc::SYS_tgkill, vec![when(0, is(own))?]);
    rules.insert(libc::SYS_prlimit64, vec![when(0, is(0))?, when(0, is(own))?]);
    rules.insert(libc::SYS_prctl, vec![when(0, is(libc::PR_SET_NAME))?, when(0, is(NAME_MEMORY))?]);
    rules.insert(libc::SYS_fcntl, vec![when(1, is(libc::F_GETFD))?, when(1, is(libc::F_GETFL))?]);
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_poll, Vec::new());
    Ok(rules)
}

/// A rule about the lower half of one argument, where all of these keep what they mean.
fn when(argument: u8, (operator, value): (SeccompCmpOp, u64)) -> seccompiler::Result<SeccompRule> {
    let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?;
    Ok(SeccompRule::new(vec![condition])?)
}

fn is(value: libc::c_int) -> (SeccompCmpOp, u64) {
    (SeccompCmpOp::Eq, u64::from(value.unsigned_abs()))
}

fn has(flag: libc::c_int) -> (SeccompCmpOp, u64) {
    let flag = u64::from(flag.unsigned_abs());
    (SeccompCmpOp::MaskedEq(flag), flag)
}

fn lacks(flag: libc::c_int) -> (SeccompCmpOp, u64) {
    (SeccompCmpOp::MaskedEq(u64::from(flag.unsigned_abs())), 0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs::{self, File};
    use std::net::UdpSocket;
    use std::process::Command;

    use super::*;

    /// Tries something in a thread of its own, which takes its confinement with it when it ends.
    fn alone(trying: impl FnOnce() + Send + 'static) {
        std::thread::spawn(trying).join().unwrap();
    }

    #[test]
    fn landlock_alone_closes_files() {
        alone(|| {
            if close_files_and_network() == Enforcement::Absent {
                println!("skipped: this kernel has no Landlock");
                return;
            }
            assert!(File::open("/etc/passwd").is_err());
            assert!(File::create(std::env::temp_dir().join("bethink-extract-landlock")).is_err());
            assert!(fs::read_dir("/").is_err());
            assert!(Command::new("/bin/true").status().is_err());
        });
        assert!(fs::read_dir("/").is_ok());
    }

    #[test]
    fn the_filter_alone_closes_files_network_and_programs() {
        alone(|| {
            if filter_system_calls() == Enforcement::Absent {
                println!("skipped: this kernel filters no system calls");
                return;
            }
            assert!(File::open("/etc/passwd").is_err());
            assert!(fs::metadata("/etc/passwd").is_err());
            assert!(UdpSocket::bind(("127.0.0.1", 0)).is_err());
            assert!(Command::new("/bin/true").status().is_err());
            assert_eq!(std::thread::spawn(|| vec![1; 1 << 22].len()).join().unwrap(), 1 << 22);
        });
        assert!(Command::new("/bin/true").status().unwrap().success());
    }
}
