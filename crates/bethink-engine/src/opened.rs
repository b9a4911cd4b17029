//! When a file was last opened, and who says so.

use bethink_core::UnixMillis;

/// Who says when a file was last opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenedSource {
    /// The desktop's list of recently used files.
    RecentlyUsed,
    /// The desktop's activity store.
    DesktopActivity,
    /// The file system's access time, which some mounts keep only roughly.
    AccessTime,
}

impl OpenedSource {
    /// The word for it in output and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::RecentlyUsed => "recently-used",
            Self::DesktopActivity => "desktop-activity",
            Self::AccessTime => "access-time",
        }
    }
}

/// When a file was last opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opened {
    /// The moment.
    pub at: UnixMillis,
    /// Who says so.
    pub source: OpenedSource,
}
