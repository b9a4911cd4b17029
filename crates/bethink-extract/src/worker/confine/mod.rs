//! What the operating system takes from a worker before it sees its first byte.
//!
//! On every Unix: other descriptors, the terminal, growing files, new descriptors, core dumps and
//! priority (`resources`). On Linux also the file system, the network and every system call that a
//! parser does not need (`kernel`), as far as the kernel can: an older one takes less, and
//! [`confinement`] tells how much. On systems other than Unix a worker is a process and nothing more;
//! the parent's clock still ends it.
//!
//! Nothing is left to be opened, so whatever a parser needs from a disk has to be read
//! before: that is what [`enter`] is handed a function for.

mod confinement;
#[cfg(target_os = "linux")]
mod kernel;
#[cfg(unix)]
#[allow(unsafe_code)]
mod resources;

use std::fs::File;
use std::io;

pub use confinement::{Confinement, Enforcement};

/// Takes away what a parser never needs, once that which is read from a disk has been read. Returns
/// where answers go; whatever a library prints goes nowhere.
///
/// # Errors
/// When the pipe that is standard output cannot be duplicated.
pub(super) fn enter(prepare: impl FnOnce()) -> io::Result<File> {
    #[cfg(unix)]
    {
        let answers = resources::detach()?;
        prepare();
        #[cfg(target_os = "linux")]
        kernel::close_files_and_network();
        resources::seal(&answers)?;
        // Last, since it also takes the calls that the others are made with.
        #[cfg(target_os = "linux")]
        kernel::filter_system_calls();
        Ok(answers)
    }
    #[cfg(windows)]
    {
        use std::os::windows::io::AsHandle;
        prepare();
        Ok(File::from(io::stdout().as_handle().try_clone_to_owned()?))
    }
}

/// Bounds the process for its next file: so much address space, so many CPU seconds from here on.
///
/// # Errors
/// When the system refuses the limit.
pub(super) fn bound(memory_bytes: u64, cpu_seconds: u32) -> io::Result<()> {
    #[cfg(unix)]
    resources::bound(memory_bytes, cpu_seconds)?;
    #[cfg(not(unix))]
    let _ = (memory_bytes, cpu_seconds);
    Ok(())
}

/// How far this system confines a worker. Found out by trying: what the kernel takes, it takes from
/// the thread that asks, and the thread that asks here ends with the answer.
pub fn confinement() -> Confinement {
    #[cfg(target_os = "linux")]
    {
        let trying = std::thread::Builder::new().name("confinement".to_owned()).spawn(|| {
            let files_and_network = kernel::close_files_and_network();
            Confinement {
                files_and_network,
                system_calls: kernel::filter_system_calls(),
                ..Confinement::of_resources()
            }
        });
        let tried = trying.ok().and_then(|thread| thread.join().ok());
        tried.unwrap_or_else(Confinement::of_resources)
    }
    #[cfg(not(target_os = "linux"))]
    Confinement::of_resources()
}
