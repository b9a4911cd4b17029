//! Making hosts know the server: `bethink install claude|claude-desktop|codex|cursor|vscode`.
//!
//! Promises: a host's file keeps everything else that it holds, byte for byte, comments and order
//! included, because it is edited as text and never written out anew; the edit is checked by reading
//! both versions and comparing them without our entry; the old file is kept beside the new one; the
//! new one takes its place in one step; installing twice changes nothing.
//!
//! Refuses: a file that it cannot read as what it should be, and an edit that it cannot prove. It
//! then says what to add by hand. It asks the environment for nothing: the binary passes the folders
//! in.

mod apply;
mod error;
mod host;
mod json;
mod plan;
mod toml_file;

pub use apply::{Applied, apply};
pub use error::InstallError;
pub use host::{Host, Launch, Places};
pub use plan::{Change, Plan, plan, snippet};
