//! Why a path is in the index or not: the answer behind `bethink doctor --why`.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::ignore_file::{self, IgnoreChain};
use super::{Exclusion, Rules, junk, private_key};
use crate::beneath::{open_below, outermost_root};

/// The answer for one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    /// The path that was asked about, absolute.
    pub path: PathBuf,
    /// Whether the rules let it in. Whether it has text is another question, which the document's
    /// outcome answers.
    pub indexed: bool,
    /// The root that it is under, if any.
    pub root: Option<PathBuf>,
    /// The rule that decided, in one word: `root`, `secret`, `junk`, `hidden`, `ignore-file`,
    /// `own-home`, `outside`, `missing`, `link`, `special`.
    pub rule: &'static str,
    /// One sentence for the user.
    pub reason: String,
    /// The path that the rule spoke about: the path itself or a folder above it.
    pub subject: PathBuf,
    /// The file and line that said so, for rules that stand in a file.
    pub said_by: Option<RuleLine>,
}

/// A line of an ignore file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleLine {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1; `None` if the file has changed meanwhile.
    pub line: Option<u32>,
    /// The pattern as written there.
    pub pattern: String,
}

impl Rules {
    /// Why a path is let in or left out, given the roots. Relative paths are taken from the current
    /// folder. Looks at the disk, into ignore files and cache tags, and into the head of a file that no
    /// other rule leaves out, for a private key.
    pub fn why(&self, path: &Path, roots: &[PathBuf]) -> Why {
        let path = absolute(path);
        // The root that gives the best answer is the one that lets the path in; else the nearest.
        let mut over: Vec<&PathBuf> = roots.iter().filter(|root| path.starts_with(root)).collect();
        over.sort_by_key(|root| std::cmp::Reverse(root.components().count()));
        let mut nearest = None;
        for root in over {
            let answer = self.why_under(&path, root);
            if answer.indexed {
                return without_key(answer, roots);
            }
            nearest.get_or_insert(answer);
        }
        nearest.unwrap_or_else(|| Why {
            indexed: false,
            root: None,
            rule: "outside",
            reason: "It is under none of the folders that are indexed; add one with `bethink index PATH`.".to_owned(),
            subject: path.clone(),
            said_by: None,
            path,
        })
    }

    fn why_under(&self, path: &Path, root: &Path) -> Why {
        let answer = |indexed: bool, rule: &'static str, reason: String, subject: &Path| Why {
            path: path.to_path_buf(),
            indexed,
            root: Some(root.to_path_buf()),
            rule,
            reason,
            subject: subject.to_path_buf(),
            said_by: None,
        };
        if let Some(exclusion) = self.forbids_root(root) {
            return explained(answer(false, "", String::new(), root), exclusion, root);
        }
        let mut chain = IgnoreChain::above_root(root);
        let Ok(below) = path.strip_prefix(root) else {
            return answer(false, "outside", "It is not under this root.".to_owned(), path);
        };
        let mut current = root.to_path_buf();
        let mut components = below.components().peekable();
        loop {
            let metadata = match current.symlink_metadata() {
                Ok(metadata) => metadata,
                Err(error) => {
                    return answer(false, "missing", format!("It cannot be seen on the disk: {error}."), &current);
                }
            };
            if metadata.is_symlink() {
                return answer(false, "link", "It is a link, and links are not followed.".to_owned(), &current);
            }
            if current != *root {
                let size = (!metadata.is_dir()).then_some(metadata.len());
                if let Some(exclusion) = self.exclusion(&chain, &current, metadata.is_dir(), size) {
                    return explained(answer(false, "", String::new(), &current), exclusion, &current);
                }
                if metadata.is_dir()
                    && let Some(reason) = junk::junk_by_telltale(&current)
                {
                    return explained(answer(false, "", String::new(), &current), Exclusion::Junk(reason), &current);
                }
            }
            let Some(next) = components.next() else {
                if metadata.is_dir() || metadata.is_file() {
                    return answer(
                        true,
                        "root",
                        "It is under an indexed folder and no rule leaves it out.".to_owned(),
                        root,
                    );
                }
                let reason = "It is a FIFO, a socket or a device, which is never read.".to_owned();
                return answer(false, "special", reason, &current);
            };
            chain = chain.enter(&current);
            current.push(next);
        }
    }
}

/// The answer for a path that every other rule lets in, once its file has been looked into.
fn without_key(mut answer: Why, roots: &[PathBuf]) -> Why {
    let head = outermost_root(roots, &answer.path).and_then(|root| {
        let file = open_below(root, &answer.path).ok()?;
        if !file.metadata().ok()?.is_file() {
            return None;
        }
        let mut head = Vec::new();
        file.take(private_key::HEAD_BYTES as u64).read_to_end(&mut head).ok()?;
        Some(head)
    });
    if head.is_some_and(|head| private_key::is_in(&head)) {
        answer.indexed = false;
        answer.subject.clone_from(&answer.path);
        let subject = answer.subject.clone();
        return explained(answer, Exclusion::Secret(private_key::REASON), &subject);
    }
    answer
}

/// Fills an answer in from the exclusion that decided.
fn explained(mut why: Why, exclusion: Exclusion, subject: &Path) -> Why {
    let which = if why.path == subject { "It".to_owned() } else { format!("The folder {}", subject.display()) };
    (why.rule, why.reason) = match &exclusion {
        Exclusion::Secret(reason) => ("secret", format!("{which} {reason}, and is never read.")),
        Exclusion::Junk(reason) => {
            ("junk", format!("{which} {reason}; name it with `bethink index PATH` to have it indexed all the same."))
        }
        Exclusion::Hidden => (
            "hidden",
            format!("{which} has a name that begins with a dot; name it with `bethink index PATH` to have it indexed."),
        ),
        Exclusion::OwnHome => ("own-home", format!("{which} is bethink's own data.")),
        Exclusion::Ignored { file, pattern } => {
            why.said_by = Some(RuleLine {
                file: file.clone(),
                line: ignore_file::line_of(file, pattern),
                pattern: pattern.clone(),
            });
            ("ignore-file", format!("{which} is named by the pattern `{pattern}` in {}.", file.display()))
        }
    };
    why
}

fn absolute(path: &Path) -> PathBuf {
    // The parent is resolved and the name kept, so that a link is judged as a link.
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    match (path.parent().and_then(|parent| parent.canonicalize().ok()), path.file_name()) {
        (Some(parent), Some(name)) => parent.join(name),
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs;

    #[test]
    fn each_rule_says_which_file_and_line_decided() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("notes/deep")).unwrap();
        fs::create_dir_all(root.join(".ssh")).unwrap();
        fs::create_dir_all(root.join("node_modules/x")).unwrap();
        fs::write(root.join(".gitignore"), "# drafts are not for readers\n*.draft\n").unwrap();
        for file in ["notes/deep/a.md", "notes/a.draft", ".ssh/config", "node_modules/x/readme.md", ".hidden.md"] {
            fs::write(root.join(file), "x").unwrap();
        }
        let rules = Rules::without_home();
        let ask = |path: &str| rules.why(&root.join(path), std::slice::from_ref(&root));
        assert!(ask("notes/deep/a.md").indexed);
        let draft = ask("notes/a.draft");
        assert_eq!((draft.indexed, draft.rule), (false, "ignore-file"));
        assert_eq!(draft.said_by.as_ref().unwrap().line, Some(2));
        assert_eq!(draft.said_by.unwrap().file, root.join(".gitignore"));
        assert_eq!(ask(".ssh/config").rule, "secret");
        assert_eq!(ask("node_modules/x/readme.md").rule, "junk");
        assert_eq!(ask(".hidden.md").rule, "hidden");
        assert_eq!(ask("nowhere.md").rule, "missing");
        assert_eq!(rules.why(Path::new("/"), std::slice::from_ref(&root)).rule, "outside");
        assert!(rules.why(&root.join("node_modules/x/readme.md"), &[root.clone(), root.join("node_modules")]).indexed);
        assert_eq!(rules.why(&root.join(".ssh/config"), &[root.join(".ssh")]).rule, "secret", "secrets never");
        fs::write(root.join("notes/login.md"), "# Login\n\n-----BEGIN OPENSSH PRIVATE KEY-----\nx\n").unwrap();
        let login = ask("notes/login.md");
        assert_eq!((login.indexed, login.rule, login.subject), (false, "secret", root.join("notes/login.md")));
        assert_eq!(login.reason, "It holds a private key, and is never read.");
    }

    #[test]
    fn bethinks_own_home_is_never_let_in() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let home = root.join("bethink");
        fs::create_dir(&home).unwrap();
        fs::write(home.join("index.db"), "x").unwrap();
        let rules = Rules::new(&home);
        assert_eq!(rules.why(&home.join("index.db"), std::slice::from_ref(&root)).rule, "own-home");
        assert_eq!(rules.forbids_root(&home), Some(Exclusion::OwnHome));
    }
}
