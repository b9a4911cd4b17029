//! Limits that every Unix keeps for a process, and the descriptors that it starts with.
//!
//! The one place of this crate that speaks to the system in its own tongue, hence the one place with
//! `unsafe`.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, AsRawFd};

/// The lowest priority there is: a worker runs when nobody else wants to.
const NICENESS: libc::c_int = 19;

/// Descriptors 0, 1 and 2; all above are closed.
const FIRST_FOREIGN_DESCRIPTOR: libc::c_int = 3;

/// Keeps of the descriptors the two pipes, one of them under another number: what is printed goes
/// nowhere.
pub(super) fn detach() -> io::Result<File> {
    close_foreign_descriptors();
    let answers = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let nowhere = OpenOptions::new().write(true).open("/dev/null")?;
    for printed in [libc::STDOUT_FILENO, libc::STDERR_FILENO] {
        // SAFETY: both arguments are descriptor numbers; `nowhere` is open, and std never hands
        // out an owner of the standard descriptors that this could pull the rug from under.
        if unsafe { libc::dup2(nowhere.as_raw_fd(), printed) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(answers)
}

/// Forbids core dumps, growing files, and descriptors beyond those that are open.
pub(super) fn seal(answers: &File) -> io::Result<()> {
    set_limit(libc::RLIMIT_CORE, 0)?;
    set_limit(libc::RLIMIT_FSIZE, 0)?;
    // The limit is one above the highest number, and of what is open `answers` has that.
    set_limit(libc::RLIMIT_NOFILE, u64::try_from(answers.as_raw_fd()).unwrap_or(0) + 1)?;
    // Linux counts threads too, which a parser may start; there the filter of system calls knows the
    // difference.
    #[cfg(not(target_os = "linux"))]
    set_limit(libc::RLIMIT_NPROC, 0)?;
    // SAFETY: takes numbers only. A refusal is no reason not to read: the result is ignored.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, NICENESS) };
    Ok(())
}

/// Bounds the next file: so much address space, so many CPU seconds from here on.
pub(super) fn bound(memory_bytes: u64, cpu_seconds: u32) -> io::Result<()> {
    // macOS knows the address-space limit by name but refuses to lower it; the clock is what ends
    // a balloon there.
    match set_limit(libc::RLIMIT_AS, memory_bytes) {
        Err(error) if cfg!(not(target_os = "macos")) => return Err(error),
        _ => {}
    }
    // The limit counts from the start of the process, which has read other files before. The
    // hard limit stays, so that the next file can raise the soft one again. What was used is
    // rounded down, so that the file gets up to a second less, never more.
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is a valid place for the call to write one `rlimit`.
    if unsafe { libc::getrlimit(libc::RLIMIT_CPU, &raw mut limit) } < 0 {
        return Err(io::Error::last_os_error());
    }
    limit.rlim_cur = limit.rlim_max.min(used_cpu_seconds()? + libc::rlim_t::from(cpu_seconds));
    // SAFETY: `limit` is a valid `rlimit` that the call only reads.
    if unsafe { libc::setrlimit(libc::RLIMIT_CPU, &raw const limit) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// CPU time of this process so far, in whole seconds.
fn used_cpu_seconds() -> io::Result<libc::rlim_t> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: the pointer is to a place of the size of one `rusage`.
    if unsafe { libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) } < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call succeeded and so has written the whole structure.
    let usage = unsafe { usage.assume_init() };
    let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec;
    Ok(libc::rlim_t::try_from(seconds).unwrap_or(0))
}

#[cfg(target_os = "linux")]
type Resource = libc::__rlimit_resource_t;
#[cfg(not(target_os = "linux"))]
type Resource = libc::c_int;

/// Lowers a soft and hard limit for good, or to the hard limit where that is lower already.
fn set_limit(resource: Resource, most: u64) -> io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is a valid place for the call to write one `rlimit`.
    if unsafe { libc::getrlimit(resource, &raw mut limit) } < 0 {
        return Err(io::Error::last_os_error());
    }
    limit.rlim_max = limit.rlim_max.min(libc::rlim_t::try_from(most).unwrap_or(libc::rlim_t::MAX));
    limit.rlim_cur = limit.rlim_max;
    // SAFETY: `limit` is a valid `rlimit` that the call only reads.
    if unsafe { libc::setrlimit(resource, &raw const limit) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Closes what the parent's own parent left open: std opens nothing that survives an `exec`, but
/// shells and editors do.
fn close_foreign_descriptors() {
    /// Where the system cannot close a range, this many are tried one by one.
    #[cfg(not(target_os = "linux"))]
    const TRIED: libc::c_int = 1024;
    #[cfg(target_os = "linux")]
    // SAFETY: nothing in this process has opened a descriptor yet: `enter` runs first in `main`.
    // `CLOSE_RANGE` exists since Linux 5.9; an older kernel refuses and the descriptors stay.
    unsafe {
        libc::syscall(libc::SYS_close_range, FIRST_FOREIGN_DESCRIPTOR, libc::c_uint::MAX, 0);
    }
    #[cfg(not(target_os = "linux"))]
    for descriptor in FIRST_FOREIGN_DESCRIPTOR..TRIED {
        // SAFETY: as above; closing a number that is not open does nothing.
        unsafe { libc::close(descriptor) };
    }
}
