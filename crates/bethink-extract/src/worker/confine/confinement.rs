//! How far a worker is confined, to be shown to whoever asks.

use std::fmt;

/// What this system takes from a worker process beyond what every process lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Confinement {
    /// Opening files and the network (Landlock).
    pub files_and_network: Enforcement,
    /// System calls that no parser needs, starting programs and processes among them (seccomp).
    pub system_calls: Enforcement,
    /// Memory, processor time, growing files and new descriptors (resource limits).
    pub resources: Enforcement,
}

impl Confinement {
    /// What is kept without the kernel's help.
    pub(super) fn of_resources() -> Self {
        let resources = match () {
            // The address space cannot be bounded there.
            () if cfg!(target_os = "macos") => Enforcement::Partial,
            () if cfg!(unix) => Enforcement::Full,
            () => Enforcement::Absent,
        };
        Self { files_and_network: Enforcement::Absent, system_calls: Enforcement::Absent, resources }
    }
}

impl fmt::Display for Confinement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { files_and_network, system_calls, resources } = self;
        write!(out, "files and network {files_and_network}, system calls {system_calls}, resources {resources}")
    }
}

/// How far one kind of confinement goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enforcement {
    /// All that is asked for.
    Full,
    /// What this version of the system knows of it.
    Partial,
    /// Nothing.
    Absent,
}

impl fmt::Display for Enforcement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Full => "closed",
            Self::Partial => "partly closed",
            Self::Absent => "open",
        })
    }
}
