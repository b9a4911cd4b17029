//! Writing a plan: a copy of the old file beside it, then the new file in one step.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::error::InstallError;
use super::plan::{Change, Plan};

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The file, links followed; `None` where nothing had to be written.
    pub written: Option<PathBuf>,
    /// Where the old text is kept.
    pub backup: Option<PathBuf>,
}

/// Copies of one file that are kept at the most. Each is made only where its text differs from all
/// before, so that this many different files were met.
const MOST_BACKUPS: usize = 100;

/// Writes a plan.
///
/// # Errors
/// [`InstallError::ChangedMeanwhile`], [`InstallError::Read`], [`InstallError::Write`]. The host's
/// file is then as it was.
pub fn apply(plan: &Plan) -> Result<Applied, InstallError> {
    if plan.change == Change::Nothing {
        return Ok(Applied { written: None, backup: None });
    }
    // Whoever keeps settings elsewhere and links to them wants the link kept.
    let file = match fs::canonicalize(&plan.file) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => plan.file.clone(),
        Err(source) => return Err(InstallError::Read { path: plan.file.clone(), source }),
    };
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| InstallError::Write { path, source }
    };
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(failed(folder))?;
    }
    let now = match fs::read_to_string(&file) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(source) => return Err(InstallError::Read { path: file, source }),
    };
    if now != plan.before {
        return Err(InstallError::ChangedMeanwhile { path: file });
    }
    let backup = match &plan.before {
        Some(before) => Some(keep(&file, before)?),
        None => None,
    };
    let new = beside(&file, &format!("new-{}", std::process::id()));
    let outcome = write_new(&new, &file, &plan.after).and_then(|()| fs::rename(&new, &file));
    if let Err(source) = outcome {
        // What was begun is of no use to anybody; that it may not go either changes nothing.
        let _ = fs::remove_file(&new);
        return Err(InstallError::Write { path: file, source });
    }
    Ok(Applied { written: Some(file), backup })
}

/// A copy with the file's own permissions, since such files hold keys.
fn keep(file: &Path, before: &str) -> Result<PathBuf, InstallError> {
    for number in 1..=MOST_BACKUPS {
        let suffix = if number == 1 { "before-bethink".to_owned() } else { format!("before-bethink-{number}") };
        let copy = beside(file, &suffix);
        match fs::read_to_string(&copy) {
            Ok(text) if text == before => return Ok(copy),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return match fs::copy(file, &copy) {
                    Ok(_) => Ok(copy),
                    Err(source) => Err(InstallError::Write { path: copy, source }),
                };
            }
            Err(source) => return Err(InstallError::Read { path: copy, source }),
        }
    }
    let path = beside(file, "before-bethink");
    Err(InstallError::Write { path, source: io::Error::other("too many copies of it are kept; remove some") })
}

/// The file's path with a suffix to its name.
fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(suffix);
    file.with_file_name(name)
}

fn write_new(new: &Path, old: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let mut file = options.open(new)?;
    file.write_all(text.as_bytes())?;
    if let Ok(metadata) = fs::metadata(old) {
        file.set_permissions(metadata.permissions())?;
    }
    file.sync_all()
}
