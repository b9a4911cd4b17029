//! What holds keys, passwords or credentials.
//!
//! Decided by name, so that such a file is never opened. The table errs on the side of leaving out:
//! a public key that is not found is a small loss, a private key in an answer to an agent is not.

use std::path::Path;

use super::{ends_with_components, lower_name};

/// Up to this size a `.key` file is taken for a private key, above it for a deck of slides (which
/// Keynote also calls `.key`). Keys of 16,384 bits are 13 kB as PEM; no real deck is under 32 KiB.
pub const LARGEST_KEY_FILE_BYTES: u64 = 32 * 1024;

/// Up to this size a file whose name is a common word, such as `credentials.json`, is taken for
/// credentials, above it for data: a thousand of them with their keys still have less.
pub const LARGEST_CREDENTIALS_BYTES: u64 = 1024 * 1024;

const KEYS: &str = "holds keys";
const PASSWORDS: &str = "holds passwords";
const CREDENTIALS: &str = "holds credentials";
const BROWSER: &str = "is a browser's profile, with its passwords and cookies";
const WALLET: &str = "is a wallet";
const SETTINGS: &str = "holds settings that are usually secret";

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
    ("netrc", CREDENTIALS),
    ("secring.gpg", KEYS),
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
    (".tfvars", CREDENTIALS),
    (".tfvars.json", CREDENTIALS),
    (".env", SETTINGS),
];

/// What stands after `env.` in the name of a file of settings; `env.md` and `env.py` are something else.
const STAGES: &[&str] = &[
    "production",
    "prod",
    "live",
    "staging",
    "stage",
    "preprod",
    "uat",
    "qa",
    "development",
    "develop",
    "dev",
    "local",
    "testing",
    "test",
    "ci",
    "docker",
    "secret",
    "secrets",
    "private",
];

/// Files whose whole name, without the endings below, means credentials.
const CREDENTIAL_STEMS: &[&str] =
    &["credentials", "credential", "creds", "secrets", "client_secret", "client_secrets", "rootkey", "accesskeys"];

/// Endings under which credentials are kept; prose is not among them. Nothing after the stem is the
/// first of them.
const CREDENTIAL_ENDINGS: &[&str] =
    &["", ".json", ".csv", ".ini", ".yml", ".yaml", ".toml", ".xml", ".conf", ".cfg", ".properties", ".txt"];

/// The beginnings of names that the makers of credentials give to them, as JSON or CSV.
const CREDENTIAL_BEGINNINGS: &[&str] =
    &["service-account", "service_account", "serviceaccount", "client_secret_", "application_default_credentials"];

/// The ends of such names.
const CREDENTIAL_ENDS: &[&str] = &["_accesskeys.csv", "_credentials.csv", "-credentials.json", "_credentials.json"];

/// What programs and people add to a name when they keep an older copy, at its end,
const COPY_ENDINGS: &[&str] =
    &["~", ".bak", ".backup", ".old", ".orig", ".original", ".save", ".saved", ".copy", ".swp"];

/// and at its beginning.
const COPY_BEGINNINGS: &[&str] = &["copy of ", "backup of ", "kopie von ", "copie de ", "copia de "];

/// Layers of copy of copy that are looked through.
const MOST_COPIES: usize = 8;

/// Files by the beginning of their name: the private key and its companions.
const BEGINNINGS: &[&str] = &["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_xmss"];

/// What an entry holds that must not be read, or `None`. Only the entry itself is judged; callers
/// judge its ancestors on the way down. `size_bytes` is that of a file, and `None` for a folder or
/// where it is unknown: names that are common words mean secrets only for small files.
pub fn secret(path: &Path, size_bytes: Option<u64>) -> Option<&'static str> {
    let name = lower_name(path.file_name()?);
    // A copy of a secret is a secret.
    let mut judged = name;
    for _ in 0..MOST_COPIES {
        if let Some(reason) = secret_name(&judged, size_bytes) {
            return Some(reason);
        }
        match original_of(&judged) {
            Some(original) => judged = original,
            None => break,
        }
    }
    TAILS.iter().find(|(tail, _)| ends_with_components(path, tail)).map(|(_, reason)| *reason)
}

/// What a name in lower case says by itself.
fn secret_name(name: &str, size_bytes: Option<u64>) -> Option<&'static str> {
    if name.starts_with(".env.") || name == ".envrc" || is_staged_environment(name) {
        return Some(SETTINGS);
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
    let size_bytes = size_bytes?;
    if name.ends_with(".key") && size_bytes <= LARGEST_KEY_FILE_BYTES {
        return Some(KEYS);
    }
    (size_bytes <= LARGEST_CREDENTIALS_BYTES && is_named_credentials(name)).then_some(CREDENTIALS)
}

/// `env.production`, `app.env.local`, `env.prod.json`: settings of a stage.
fn is_staged_environment(name: &str) -> bool {
    let after = match name.strip_prefix("env.") {
        Some(after) => Some(after),
        None => name.split_once(".env.").map(|(_, after)| after),
    };
    after.is_some_and(|after| {
        let stage = after.split('.').next().unwrap_or(after);
        STAGES.contains(&stage)
    })
}

fn is_named_credentials(name: &str) -> bool {
    let is_stem = CREDENTIAL_STEMS.iter().any(|stem| {
        name.strip_prefix(stem).is_some_and(|ending| {
            CREDENTIAL_ENDINGS.contains(&ending)
                // A note or a table about secrets may well be called just that.
                && !(*stem == "secrets" && ["", ".txt", ".csv"].contains(&ending))
        })
    });
    let is_data = name.ends_with(".json") || name.ends_with(".csv");
    is_stem
        || is_data && CREDENTIAL_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        || CREDENTIAL_ENDS.iter().any(|end| name.ends_with(end))
}

/// The name that a copy was made of, if the name is that of a copy.
fn original_of(name: &str) -> Option<String> {
    let shorter = COPY_ENDINGS
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .or_else(|| COPY_BEGINNINGS.iter().find_map(|beginning| name.strip_prefix(beginning)))
        // Emacs saves `#name#` beside the file.
        .or_else(|| name.strip_prefix('#').and_then(|rest| rest.strip_suffix('#')))
        // Vim's `.name.swp` has lost its ending by now.
        .or_else(|| name.strip_prefix('.').filter(|rest| rest.starts_with('.')));
    if let Some(original) = shorter {
        return (!original.is_empty()).then(|| original.to_owned());
    }
    // `name (1).json`, `.env (2)`, `name copy.json`, `name copy 2.json`, `name - copy.json`.
    let dot = name.rfind('.').filter(|dot| *dot > 0 && !name[*dot..].contains(' ')).unwrap_or(name.len());
    let (stem, ending) = name.split_at(dot);
    without_copy_number(stem).map(|stem| format!("{stem}{ending}"))
}

/// A name's stem without the mark of a second copy.
fn without_copy_number(stem: &str) -> Option<&str> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((original, number)) = stem.strip_suffix(')').and_then(|stem| stem.rsplit_once('('))
        && is_number(number)
    {
        return Some(original.trim_end()).filter(|original| !original.is_empty());
    }
    let stem = match stem.rsplit_once(' ') {
        Some((copy, number)) if is_number(number) => copy,
        _ => stem,
    };
    let original = stem.strip_suffix(" copy")?;
    Some(original.strip_suffix(" -").unwrap_or(original)).filter(|original| !original.is_empty())
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
            "/h/env.md",
            "/h/env.py",
            "/h/env.d.ts",
            "/h/Copy of environment.md",
            "/h/credentials-guide.md",
            "/h/credentials.md",
            "/h/secrets.txt",
            "/h/secrets.md",
            "/h/service-account-howto.md",
            "/h/public.asc",
            "/h/notes.bak",
            "/h/notes (1).md",
            "/h/netrc.md",
            "/h/netrc-format.txt",
            "/h/tfvars.md",
            "/h/copy.md",
            "/h/~",
            "/h/(1)",
            "/h/ copy",
        ] {
            assert_eq!(secret(Path::new(path), Some(100)), None, "{path}");
        }
    }

    #[test]
    fn a_key_file_is_told_from_a_deck_by_its_size() {
        assert!(secret(Path::new("/h/server.key"), Some(1_700)).is_some());
        assert_eq!(secret(Path::new("/h/Pitch.key"), Some(4_000_000)), None);
    }

    #[test]
    fn settings_and_credentials_are_known_by_their_common_names() {
        for path in [
            "/h/prod.env",
            "/h/env.production",
            "/h/ENV.Local",
            "/h/app.env.staging",
            "/h/netrc",
            "/h/credentials",
            "/h/credentials.json",
            "/h/Credentials.csv",
            "/h/credentials.ini",
            "/h/alice_accessKeys.csv",
            "/h/secrets.yaml",
            "/h/service-account.json",
            "/h/service_account-prod-123.json",
            "/h/client_secret_1234.apps.googleusercontent.com.json",
            "/h/prod.tfvars",
            "/h/prod.auto.tfvars.json",
            "/h/login.ppk",
            "/h/release.jks",
            "/h/debug.keystore",
        ] {
            assert!(secret(Path::new(path), Some(500)).is_some(), "{path}");
        }
    }

    #[test]
    fn a_copy_of_a_secret_is_a_secret() {
        for path in [
            "/h/Copy of .env",
            "/h/.env (1)",
            "/h/.env~",
            "/h/prod.env.bak",
            "/h/server.pem.old",
            "/h/server (1).pem",
            "/h/server.key.orig",
            "/h/credentials (2).json",
            "/h/credentials copy.json",
            "/h/credentials copy 2.json",
            "/h/credentials - Copy.json",
            "/h/credentials.json.save",
            "/h/Copy of Copy of credentials.csv.bak~",
            "/h/netrc.bak",
            "/h/.netrc.old",
            "/h/#.netrc#",
            "/h/..netrc.swp",
            "/h/Passwords.kdbx.backup",
            "/h/.ssh.bak",
        ] {
            assert!(secret(Path::new(path), Some(500)).is_some(), "{path}");
        }
    }

    #[test]
    fn folders_and_large_files_of_such_names_are_data() {
        for name in ["/h/credentials", "/h/credentials.json", "/h/secrets.yaml"] {
            assert_eq!(secret(Path::new(name), None), None, "{name}");
            assert_eq!(secret(Path::new(name), Some(LARGEST_CREDENTIALS_BYTES + 1)), None, "{name}");
        }
    }
}
