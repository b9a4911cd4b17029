//! What serving needs of a home: the token that lets a program ask, and the claim that one process
//! serves it at a time.
//!
//! The token is made at first use and kept in the file `token`, readable by its owner alone: whoever
//! can read it can read the indexed files anyway. One that others could read is not used any more.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use bethink_ingest::ExclusiveLock;

use crate::engine::Engine;
use crate::error::{EngineError, Result};

/// The file of the token.
const TOKEN: &str = "token";

/// Random bytes in a token: far beyond guessing.
const TOKEN_BYTES: usize = 32;

/// The longest token that is read; a user may have chosen one.
const LONGEST_TOKEN_BYTES: u64 = 512;

/// The shortest token that is accepted, so that an emptied or cut file admits nobody.
const SHORTEST_TOKEN_BYTES: usize = 16;

/// Held by the process that serves.
const LOCK: &str = "serve.lock";

/// Where the process that serves can be asked.
const ADDRESS: &str = "serve.address";

/// The claim to be the one that serves a home; it falls with the process.
#[derive(Debug)]
pub struct Serving {
    _lock: ExclusiveLock,
    address: PathBuf,
}

impl Serving {
    /// Lets others know where this process can be asked.
    ///
    /// # Errors
    /// [`EngineError::Home`] where that cannot be written down.
    pub fn announce(&self, address: &str) -> Result<()> {
        fs::write(&self.address, address).map_err(|source| EngineError::Home { path: self.address.clone(), source })
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // A note that stays behind is overwritten by the next, and read only while somebody serves.
        let _ = fs::remove_file(&self.address);
    }
}

impl Engine {
    /// Claims to be the process that serves this home.
    ///
    /// # Errors
    /// [`EngineError::AlreadyServing`] where another one does, or the home cannot be used.
    pub fn claim_serving(&self) -> Result<Serving> {
        self.home().create()?;
        let address = self.home().folder().join(ADDRESS);
        match ExclusiveLock::try_take(&self.home().folder().join(LOCK))? {
            Some(lock) => Ok(Serving { _lock: lock, address }),
            None => Err(EngineError::AlreadyServing {
                home: self.home().folder().to_owned(),
                address: fs::read_to_string(&address).ok().filter(|text| !text.is_empty() && text.len() < 200),
            }),
        }
    }

    /// The file that holds the token.
    pub fn token_file(&self) -> PathBuf {
        self.home().folder().join(TOKEN)
    }

    /// The token; made at first use.
    ///
    /// # Errors
    /// [`EngineError::Token`] where it cannot be trusted, [`EngineError::Home`] where it cannot be made
    /// or read.
    pub fn access_token(&self) -> Result<String> {
        self.home().create()?;
        let file = self.token_file();
        let failed = |source: io::Error| EngineError::Home { path: file.clone(), source };
        match read_token(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            outcome => return outcome.map_err(failed)?.map_err(|reason| EngineError::Token { path: file, reason }),
        }
        let unfinished = self.home().folder().join(format!("{TOKEN}.new-{}", std::process::id()));
        let made = write_token(&unfinished).and_then(|()| fs::hard_link(&unfinished, &file));
        let _ = fs::remove_file(&unfinished);
        match made {
            // Another process was first; its token holds.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            outcome => outcome.map_err(failed)?,
        }
        read_token(&file).map_err(failed)?.map_err(|reason| EngineError::Token { path: file.clone(), reason })
    }
}

/// A fresh token in a file of its own.
fn write_token(file: &Path) -> io::Result<()> {
    let mut random = [0_u8; TOKEN_BYTES];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    let token: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut handle = options.open(file)?;
    writeln!(handle, "{token}")?;
    handle.sync_all()
}

/// The token in a file, or why it is not used.
fn read_token(file: &Path) -> io::Result<std::result::Result<String, &'static str>> {
    let mut handle = fs::File::open(file)?;
    let metadata = handle.metadata()?;
    if !metadata.is_file() {
        return Ok(Err("it is no file"));
    }
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o077 != 0 {
        return Ok(Err("others could read or change it"));
    }
    let mut text = String::new();
    Read::by_ref(&mut handle).take(LONGEST_TOKEN_BYTES).read_to_string(&mut text)?;
    let token = text.trim();
    if token.len() < SHORTEST_TOKEN_BYTES || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ok(Err("it does not hold one line of at least 16 letters and digits"));
    }
    Ok(Ok(token.to_owned()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_token_is_long_private_and_its_own() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        write_token(&one).unwrap();
        write_token(&two).unwrap();
        assert_eq!(fs::metadata(&one).unwrap().permissions().mode() & 0o777, 0o600);
        let (first, second) = (read_token(&one).unwrap().unwrap(), read_token(&two).unwrap().unwrap());
        assert_eq!((first.len(), second.len()), (2 * TOKEN_BYTES, 2 * TOKEN_BYTES));
        assert_ne!(first, second);
        assert!(write_token(&one).is_err(), "a token is never overwritten");
    }

    #[cfg(unix)]
    #[test]
    fn a_token_that_others_could_know_or_guess_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        for (text, mode, is_used) in [
            ("0123456789abcdef\n", 0o600, true),
            ("0123456789abcdef\n", 0o400, true),
            ("0123456789abcdef\n", 0o640, false),
            ("0123456789abcdef\n", 0o604, false),
            ("0123456789abcde\n", 0o600, false),
            ("01234567 89abcdef\n", 0o600, false),
            ("", 0o600, false),
        ] {
            let _ = fs::remove_file(&file);
            fs::write(&file, text).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(read_token(&file).unwrap().is_ok(), is_used, "{text:?} {mode:o}");
        }
    }
}
