//! The hosts: what they are called, where their file is, and what stands in it.

use std::path::PathBuf;

use super::error::InstallError;

/// A program that starts MCP servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    /// Claude Code.
    Claude,
    /// The Claude desktop application.
    ClaudeDesktop,
    /// Codex (command line and editor extension).
    Codex,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    VsCode,
}

/// In which language a host's file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// JSON, perhaps with comments and trailing commas. The member that holds servers by name, and
    /// whether an entry says its transport.
    Json { servers: &'static str, says_type: bool },
    /// TOML, servers under `mcp_servers`.
    Toml,
}

impl Language {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Json { .. } => "JSON",
            Self::Toml => "TOML",
        }
    }
}

impl Host {
    /// Every host with the word for it in arguments.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Claude, "claude"),
        (Self::ClaudeDesktop, "claude-desktop"),
        (Self::Codex, "codex"),
        (Self::Cursor, "cursor"),
        (Self::VsCode, "vscode"),
    ];

    /// The host of that name.
    ///
    /// # Errors
    /// [`InstallError::UnknownHost`], which lists the names.
    pub fn from_name(name: &str) -> Result<Self, InstallError> {
        let wanted = name.trim().to_lowercase();
        let found = Self::ALL.iter().find(|(_, known)| *known == wanted).map(|(host, _)| *host);
        found.ok_or_else(|| InstallError::UnknownHost { name: name.to_owned() })
    }

    /// The word for it in arguments.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(host, _)| *host == self).map_or("", |(_, name)| name)
    }

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Codex => "Codex",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
        }
    }

    /// What makes it take the change up.
    pub fn next_step(self) -> &'static str {
        match self {
            Self::Claude => "Start a new session; `/mcp` lists bethink.",
            Self::ClaudeDesktop => "Quit and start Claude Desktop again; its tools menu lists bethink.",
            Self::Codex => "Start a new session; `codex mcp list` lists bethink.",
            Self::Cursor => "Open Settings, MCP: bethink is listed there and may want to be switched on.",
            Self::VsCode => "Run “MCP: List Servers” and start bethink.",
        }
    }

    pub(crate) fn names() -> String {
        Self::ALL.map(|(_, name)| name).join(", ")
    }

    /// The file that holds the user's servers.
    pub(crate) fn file(self, places: &Places) -> PathBuf {
        let home = &places.user_home;
        match self {
            Self::Claude => places.claude_config.as_ref().unwrap_or(home).join(".claude.json"),
            Self::ClaudeDesktop => places.config.join("Claude").join("claude_desktop_config.json"),
            Self::Codex => places.codex_home.clone().unwrap_or_else(|| home.join(".codex")).join("config.toml"),
            Self::Cursor => home.join(".cursor").join("mcp.json"),
            Self::VsCode => places.config.join("Code").join("User").join("mcp.json"),
        }
    }

    pub(crate) fn language(self) -> Language {
        match self {
            Self::Claude => Language::Json { servers: "mcpServers", says_type: true },
            Self::ClaudeDesktop | Self::Cursor => Language::Json { servers: "mcpServers", says_type: false },
            Self::Codex => Language::Toml,
            Self::VsCode => Language::Json { servers: "servers", says_type: true },
        }
    }
}

/// How the server is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The program, absolute: hosts do not share the shell's search path.
    pub program: PathBuf,
    /// Its arguments, `["mcp"]` as a rule.
    pub arguments: Vec<String>,
    /// What must be in its environment, for one a data home that is not the usual one.
    pub environment: Vec<(String, String)>,
}

impl Launch {
    pub(crate) fn command(&self) -> Result<&str, InstallError> {
        self.program.to_str().ok_or_else(|| InstallError::PathNotText { path: self.program.clone() })
    }
}

/// The folders in which hosts keep their files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The user's own folder.
    pub user_home: PathBuf,
    /// The folder of applications' settings: `$XDG_CONFIG_HOME` or `~/.config` on Linux,
    /// `~/Library/Application Support` on macOS, `%APPDATA%` on Windows.
    pub config: PathBuf,
    /// `$CODEX_HOME`, where set.
    pub codex_home: Option<PathBuf>,
    /// `$CLAUDE_CONFIG_DIR`, where set.
    pub claude_config: Option<PathBuf>,
}
