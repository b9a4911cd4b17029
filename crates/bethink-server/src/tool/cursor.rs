//! The way to the next page: where it begins, and of which question.
//!
//! ```text
//! b1.<offset in hexadecimal>.<64-bit FNV-1a of tool and question in hexadecimal>
//! ```
//!
//! The server keeps nothing: a cursor works in another process and after a restart. The hash only
//! guards against a cursor that is handed to another question; it is no secret.

use super::trouble::Trouble;

/// Offset of the next page for this question.
pub(crate) fn write(tool: &str, question: &str, offset: u64) -> String {
    format!("b1.{offset:x}.{:016x}", fingerprint(tool, question))
}

/// The offset that a cursor holds; 0 for no cursor.
///
/// # Errors
/// Where it is no cursor of ours or belongs to another question.
pub(crate) fn read(cursor: &str, tool: &str, question: &str) -> Result<u64, Trouble> {
    if cursor.is_empty() {
        return Ok(0);
    }
    let unknown = || {
        Trouble::arguments(
            "That cursor is not one of ours.",
            "Pass the `cursor` of the last answer unchanged, or leave it out to start over.",
        )
    };
    let mut parts = cursor.split('.');
    let (Some("b1"), Some(offset), Some(hash), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return Err(unknown());
    };
    let offset = u64::from_str_radix(offset, 16).map_err(|_| unknown())?;
    let hash = u64::from_str_radix(hash, 16).map_err(|_| unknown())?;
    if hash != fingerprint(tool, question) {
        return Err(Trouble::arguments(
            "That cursor belongs to another question.",
            "Repeat all arguments as they were and change only `cursor`, or leave `cursor` out to start over.",
        ));
    }
    Ok(offset)
}

fn fingerprint(tool: &str, question: &str) -> u64 {
    // FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/
    let bytes = tool.bytes().chain([0]).chain(question.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(question in any::<String>(), offset in any::<u64>()) {
            let cursor = write("t", &question, offset);
            prop_assert_eq!(read(&cursor, "t", &question), Ok(offset));
            prop_assert!(read(&cursor, "u", &question).is_err());
        }

        #[test]
        fn nothing_that_is_sent_breaks_it(cursor in any::<String>()) {
            prop_assume!(!cursor.is_empty());
            prop_assert!(read(&cursor, "t", "q").is_err());
        }
    }
}
