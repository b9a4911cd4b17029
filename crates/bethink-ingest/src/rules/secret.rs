//! What holds keys, passwords or credentials.
//!
//! Decided by name, so that such a file is never opened. The table errs on the side of leaving out:
//! a public key that is not found is a small loss, a private key in an answer to an agent is not.

use std::path::Path;

use super::{ends_with_components, lower_name};

/// Up to this size a `.key` file is taken for a private key, above it for a deck of slides (which
/// Keynote also calls `.key`). Keys of 16,384 bits are 13 kB as PEM; no real deck is under 32 KiB.
pub const LARGEST_KEY_FILE_BYTES: u64 = 32 * 1024;

const KEYS: &str = "holds keys";
const PASSWORDS: &str = "holds passwords";
const CREDENTIALS: &str = "holds credentials";
const BROWSER: &str = "is a browser's profile, with its passwords and cookies";
const WALLET: &str = "is a wallet";

/// Folders and files by their whole name.
const NAMES: &[(&str, &str)] = &[
    (".ssh", KEYS),
    (".gnupg", KEYS),
    (".pki", KEYS),
    (".putty", KEYS),
    (".age", KEYS),
    (".password-store", PASSWORDS),
    (".keepass", PASSWORDS),
    (".keepassxc", PASSWORDS),
    (".1password", PASSWORDS),
    (".lastpass", PASSWORDS),
    (".bitwarden", PASSWORDS),
    (".aws", CREDENTIALS),
    (".azure", CREDENTIALS),
    (".kube", CREDENTIALS),
    (".docker", CREDENTIALS),
    (".oci", CREDENTIALS),
    (".terraform.d", CREDENTIALS),
    (".vault-token", CREDENTIALS),
    (".netrc", CREDENTIALS),
    ("_netrc", CREDENTIALS),
    (".authinfo", CREDENTIALS),
    (".pgpass", CREDENTIALS),
    (".my.cnf", CREDENTIALS),
    (".mylogin.cnf", CREDENTIALS),
    (".npmrc", CREDENTIALS),
    (".yarnrc.yml", CREDENTIALS),
    (".pypirc", CREDENTIALS),
    (".git-credentials", CREDENTIALS),
    (".htpasswd", PASSWORDS),
    (".vault_pass", PASSWORDS),
    (".smbcredentials", CREDENTIALS),
    (".s3cfg", CREDENTIALS),
    (".boto", CREDENTIALS),
    (".rclone.conf", CREDENTIALS),
    ("rclone.conf", CREDENTIALS),
    (".msmtprc", CREDENTIALS),
    (".fetchmailrc", CREDENTIALS),
    (".mozilla", BROWSER),
    (".librewolf", BROWSER),
    (".waterfox", BROWSER),
    ("logins.json", PASSWORDS),
    ("key3.db", KEYS),
    ("key4.db", KEYS),
    ("signons.sqlite", PASSWORDS),
    ("login data", PASSWORDS),
    ("cookies.sqlite", CREDENTIALS),
    ("wallet.dat", WALLET),
    (".bitcoin", WALLET),
    (".ethereum", WALLET),
    (".electrum", WALLET),
    (".monero", WALLET),
    ("keychains", KEYS),
    ("keyrings", KEYS),
];

/// Folders by the last components of their path, all in lower case.
const TAILS: &[(&[&str], &str)] = &[
    (&[".config", "gcloud"], CREDENTIALS),
    (&[".config", "op"], PASSWORDS),
    (&[".config", "gh"], CREDENTIALS),
    (&[".config", "hub"], CREDENTIALS),
    (&[".config", "rclone"], CREDENTIALS),
    (&[".config", "sops"], KEYS),
    (&[".config", "keepassxc"], PASSWORDS),
    (&[".config", "bitwarden"], PASSWORDS),
    (&[".config", "google-chrome"], BROWSER),
    (&[".config", "google-chrome-beta"], BROWSER),
    (&[".config", "chromium"], BROWSER),
    (&[".config", "bravesoftware"], BROWSER),
    (&[".config", "microsoft-edge"], BROWSER),
    (&[".config", "vivaldi"], BROWSER),
    (&[".config", "opera"], BROWSER),
    (&[".config", "mozilla"], BROWSER),
    (&["snap", "firefox"], BROWSER),
    (&["snap", "chromium"], BROWSER),
    (&[".var", "app", "org.mozilla.firefox"], BROWSER),
    (&["application support", "google", "chrome"], BROWSER),
    (&["application support", "chromium"], BROWSER),
    (&["application support", "bravesoftware"], BROWSER),
    (&["application support", "microsoft edge"], BROWSER),
    (&["application support", "firefox"], BROWSER),
    (&["application support", "1password"], PASSWORDS),
    (&["google", "chrome", "user data"], BROWSER),
    (&["chromium", "user data"], BROWSER),
    (&["bravesoftware", "brave-browser", "user data"], BROWSER),
    (&["microsoft", "edge", "user data"], BROWSER),
    (&["mozilla", "firefox", "profiles"], BROWSER),
    (&["microsoft", "credentials"], CREDENTIALS),
    (&["microsoft", "protect"], KEYS),
    (&["microsoft", "vault"], PASSWORDS),
    (&["etc", "shadow"], PASSWORDS),
    (&["etc", "gshadow"], PASSWORDS),
    (&["etc", "ssl", "private"], KEYS),
    (&["etc", "letsencrypt"], KEYS),
];

/// Files by the end of their name.
const ENDINGS: &[(&str, &str)] = &[
    (".pem", KEYS),
    (".ppk", KEYS),
    (".p12", KEYS),
    (".pfx", KEYS),
    (".p8", KEYS),
    (".jks", KEYS),
    (".keystore", KEYS),
    (".keychain", KEYS),
    (".keychain-db", KEYS),
    (".kdb", PASSWORDS),
    (".kdbx", PASSWORDS),
    (".psafe3", PASSWORDS),
    (".agilekeychain", PASSWORDS),
    (".opvault", PASSWORDS),
    (".1pif", PASSWORDS),
    (".1pux", PASSWORDS),
    (".ovpn", KEYS),
    (".tfstate", CREDENTIALS),
    (".tfstate.backup", CREDENTIALS),
];

/// Files by the beginning of their name: the private key and its companions.
const BEGINNINGS: &[&str] = &["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_xmss"];

/// What an entry holds that must not be read, or `None`. Only the entry itself is judged; callers
/// judge its ancestors on the way down.
pub fn secret(path: &Path, size_bytes: Option<u64>) -> Option<&'static str> {
    let name = lower_name(path.file_name()?);
    if name == ".env" || name.starts_with(".env.") || name == ".envrc" {
        return Some("holds settings that are usually secret");
    }
    if let Some((_, reason)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Some(reason);
    }
    if let Some((_, reason)) = ENDINGS.iter().find(|(ending, _)| name.ends_with(ending)) {
        return Some(reason);
    }
    if BEGINNINGS.iter().any(|beginning| {
        // `id_rsa`, `id_rsa.pub`, `id_rsa_work`, `id_rsa-old`, but not `id_rsabook.md`.
        name.strip_prefix(beginning).is_some_and(|rest| rest.chars().next().is_none_or(|next| !next.is_alphanumeric()))
    }) {
        return Some(KEYS);
    }
    if name.ends_with(".key") && size_bytes.is_some_and(|size| size <= LARGEST_KEY_FILE_BYTES) {
        return Some(KEYS);
    }
    TAILS.iter().find(|(tail, _)| ends_with_components(path, tail)).map(|(_, reason)| *reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_stores_and_credentials_are_known_whatever_their_case() {
        for path in [
            "/h/.ssh",
            "/h/.SSH",
            "/h/.gnupg",
            "/h/p/.env",
            "/h/p/.env.local",
            "/h/server.pem",
            "/h/Passwords.KDBX",
            "/h/id_rsa",
            "/h/id_ed25519.pub",
            "/h/id_rsa_work",
            "/h/.aws",
            "/h/.config/gcloud",
            "/h/Library/Application Support/Google/Chrome",
            "/h/terraform.tfstate",
            "/etc/shadow",
        ] {
            assert!(secret(Path::new(path), Some(100)).is_some(), "{path}");
        }
    }

    #[test]
    fn their_false_friends_are_not() {
        for path in [
            "/h/environment.md",
            "/h/id_rsabook.md",
            "/h/ssh.md",
            "/h/passwords and how to choose them.md",
            "/h/keys.txt",
            "/h/gcloud",
            "/h/chrome",
            "/h/.environment",
            "/h/openpem.rs",
        ] {
            assert_eq!(secret(Path::new(path), Some(100)), None, "{path}");
        }
    }

    #[test]
    fn a_key_file_is_told_from_a_deck_by_its_size() {
        assert!(secret(Path::new("/h/server.key"), Some(1_700)).is_some());
        assert_eq!(secret(Path::new("/h/Pitch.key"), Some(4_000_000)), None);
    }
}
