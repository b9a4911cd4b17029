//! Private keys by what they look like inside, whatever the file is called.
//!
//! A key is pasted into a note, kept in a settings file, or saved under a name that says nothing. The
//! head of every file is looked through before anything else is done with its bytes: such a file is
//! recorded by its name only, without so much as a hash of its bytes.
//!
//! Writing *about* keys is no key. A heading that is quoted, as `-----BEGIN PRIVATE KEY-----` is here,
//! counts only if what could be a key's body follows it.

/// Bytes at the head of a file that are looked through. A file that is a key is all head; a key deeper
/// in a long text would cost a search through every byte of every file.
pub const HEAD_BYTES: usize = 64 * 1024;

/// Rises whenever more is taken for a key, so that what was published by an earlier look is looked at
/// again.
pub const VERSION: u32 = 1;

/// What is said of such a file, as the end of a sentence.
pub const REASON: &str = "holds a private key";

/// The longest label of a heading, in bytes: `ENCRYPTED PRIVATE KEY` and its like have about 30.
const LONGEST_LABEL: usize = 64;

/// So many characters of base 64 in a row are a body; the lines of a key have 64 or 70, words do not.
const BODY_RUN: usize = 40;

/// Where a body is looked for after a heading, in bytes: there may be headers such as `Proc-Type` first.
const BODY_WITHIN: usize = 512;

/// Whether the bytes at the head of a file hold a private key.
pub fn is_in(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    // Text of two bytes a character has a zero in every other one, as far as keys go.
    if head.iter().take(64).filter(|byte| **byte == 0).count() >= 8 {
        let narrow: Vec<u8> = head.iter().copied().filter(|byte| *byte != 0).collect();
        return holds_key(&narrow);
    }
    holds_key(head)
}

fn holds_key(text: &[u8]) -> bool {
    positions(text, b"BEGIN ").any(|at| is_key_heading(text, at))
        || positions(text, b"PuTTY-User-Key-File-").any(|at| begins_line(text, at))
        || positions(text, b"AGE-SECRET-KEY-1").any(|at| run(&text[at + 16..], is_of_age) >= BODY_RUN)
}

/// Whether the word at `at` begins the heading of a private key that is not merely quoted.
fn is_key_heading(text: &[u8], at: usize) -> bool {
    // `-----BEGIN `, and `---- BEGIN ` as SSH2 has it.
    let before = text[..at].strip_suffix(b" ").unwrap_or(&text[..at]);
    if !before.ends_with(b"----") {
        return false;
    }
    let label = &text[at + b"BEGIN ".len()..];
    let length = run(&label[..label.len().min(LONGEST_LABEL)], |byte| {
        byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' '
    });
    let after = &label[length..];
    let label = label[..length].trim_ascii();
    if !(label.ends_with(b"PRIVATE KEY") || label.ends_with(b"PRIVATE KEY BLOCK")) || !after.starts_with(b"----") {
        return false;
    }
    let after = &after[run(after, |byte| byte == b'-')..];
    let is_quoted = after.first().is_some_and(|next| b"`\"')*<>,;.|]}".contains(next) || *next >= 0x80);
    !is_quoted || has_body(&after[..after.len().min(BODY_WITHIN)])
}

fn has_body(text: &[u8]) -> bool {
    text.split(|byte| !(byte.is_ascii_alphanumeric() || b"+/=".contains(byte))).any(|word| word.len() >= BODY_RUN)
}

fn begins_line(text: &[u8], at: usize) -> bool {
    let line = text[..at].rsplit(|byte| *byte == b'\n').next().unwrap_or(&[]);
    // A byte order mark may stand before the first line.
    line.iter().all(|byte| byte.is_ascii_whitespace() || b"\xef\xbb\xbf\xff\xfe".contains(byte))
}

fn is_of_age(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

/// How many bytes at the front are such bytes.
fn run(text: &[u8], is_such: impl Fn(u8) -> bool) -> usize {
    text.iter().position(|byte| !is_such(*byte)).unwrap_or(text.len())
}

fn positions<'text>(text: &'text [u8], wanted: &'text [u8]) -> impl Iterator<Item = usize> + 'text {
    text.windows(wanted.len()).enumerate().filter(move |(_, window)| *window == wanted).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_known_in_every_dress() {
        let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7";
        for text in [
            format!("-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n"),
            format!("-----BEGIN RSA PRIVATE KEY-----\r\nProc-Type: 4,ENCRYPTED\r\n\r\n{body}\r\n"),
            "-----BEGIN OPENSSH PRIVATE KEY-----\ncanary\n-----END OPENSSH PRIVATE KEY-----".to_owned(),
            "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\nlQOYBF".to_owned(),
            "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: x\n".to_owned(),
            "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n".to_owned(),
            "\u{feff}PuTTY-User-Key-File-2: ssh-rsa\n".to_owned(),
            format!("{{\"private_key\": \"-----BEGIN PRIVATE KEY-----\\n{body}\\n-----END\"}}"),
            format!("key = \"-----BEGIN EC PRIVATE KEY-----\" +\n  \"{body}\""),
            format!("KEY=-----BEGIN PRIVATE KEY----- {body}"),
            format!("My notes.\n\n    -----BEGIN DSA PRIVATE KEY-----\n    {body}\n"),
            "# created: today\nAGE-SECRET-KEY-1QQPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQQPZRY9X8GF2TVDW0S3JN54KH".to_owned(),
        ] {
            assert!(is_in(text.as_bytes()), "{text}");
            let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            assert!(is_in(&wide), "in UTF-16: {text}");
        }
    }

    #[test]
    fn their_false_friends_are_none() {
        for text in [
            "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1L\n",
            "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQENBF\n",
            "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBa\n",
            "The file begins with `-----BEGIN RSA PRIVATE KEY-----` and must stay at home.",
            "if text.contains(\"-----BEGIN PRIVATE KEY-----\") { refuse(); }",
            "A PRIVATE KEY should BEGIN its life in a safe place.",
            "BEGIN PRIVATE KEY",
            "It says PuTTY-User-Key-File-2 at the top.",
            "The prefix is AGE-SECRET-KEY-1 and then 58 characters.",
            "",
        ] {
            assert!(!is_in(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn only_the_head_is_looked_through() {
        let key = "\n-----BEGIN PRIVATE KEY-----\n";
        assert!(is_in(format!("{}{key}", "x".repeat(HEAD_BYTES - key.len())).as_bytes()));
        assert!(!is_in(format!("{}{key}", "x".repeat(HEAD_BYTES)).as_bytes()));
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_are_too_odd(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..300)) {
            let mut framed = b"-----BEGIN ".to_vec();
            framed.extend_from_slice(&bytes);
            let _ = is_in(&framed);
            framed.splice(0..0, bytes);
            framed.extend_from_slice(b"\n-----BEGIN PRIVATE KEY-----\n");
            proptest::prop_assert!(framed.len() > HEAD_BYTES || framed.contains(&0) || is_in(&framed));
        }
    }
}
