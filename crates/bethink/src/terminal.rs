//! What a terminal can show: colours and links, only where somebody looks at it.

use std::fmt::Write as _;
use std::io::IsTerminal;
use std::path::Path;

use anstyle::{AnsiColor, Style};

use crate::cli::When;

/// How to mark up what goes to standard output.
#[derive(Debug, Clone, Copy)]
pub struct Markup {
    colors: bool,
    links: bool,
}

impl Markup {
    /// The mark-up for standard output under the user's wish and the terminal's abilities.
    pub fn for_stdout(when: When) -> Self {
        let stdout = std::io::stdout();
        let colors = match when {
            When::Always => true,
            When::Never => false,
            When::Auto => anstream::AutoStream::choice(&stdout) != anstream::ColorChoice::Never,
        };
        Self { colors, links: colors && stdout.is_terminal() }
    }

    fn paint(self, style: Style, text: &str) -> String {
        if self.colors { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    /// A path that opens when clicked, where the terminal knows links (OSC 8).
    pub fn path(self, shown: &str, absolute: &Path) -> String {
        let painted = self.paint(AnsiColor::Magenta.on_default(), shown);
        if !self.links {
            return painted;
        }
        let mut uri = String::from("file://");
        for byte in bethink_core::path_bytes(absolute) {
            if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
                uri.push(char::from(byte));
            } else {
                // Writing to a string cannot fail.
                let _ = write!(uri, "%{byte:02X}");
            }
        }
        format!("\u{1b}]8;;{uri}\u{1b}\\{painted}\u{1b}]8;;\u{1b}\\")
    }

    /// A line number.
    pub fn line(self, text: &str) -> String {
        self.paint(AnsiColor::Green.on_default(), text)
    }

    /// What matters less.
    pub fn dim(self, text: &str) -> String {
        self.paint(Style::new().dimmed(), text)
    }

    /// What matters most.
    pub fn strong(self, text: &str) -> String {
        self.paint(Style::new().bold(), text)
    }

    /// A text with the ranges that match standing out.
    pub fn matches(self, text: &str, ranges: &[std::ops::Range<usize>]) -> String {
        if !self.colors {
            return text.to_owned();
        }
        let mut marked = String::new();
        let mut at = 0;
        for range in ranges {
            let (Some(before), Some(inside)) = (text.get(at..range.start), text.get(range.clone())) else { continue };
            marked.push_str(before);
            marked.push_str(&self.paint(AnsiColor::Red.on_default().bold(), inside));
            at = range.end;
        }
        marked.push_str(text.get(at..).unwrap_or_default());
        marked
    }
}
