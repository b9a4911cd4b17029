//! Control characters, taken out of a text without moving a line.
//!
//! Kept: tab, line feed, carriage return, form feed. Terminal colours and titles vanish whole, a
//! backspace takes the character that it overstruck (manual pages are bold that way), a run of zero
//! bytes becomes one space, any other control character becomes a space.

/// The text without control characters. Line terminators are exactly those it came with.
pub(crate) fn without_controls(text: String) -> String {
    if is_clean(text.as_bytes()) {
        return text;
    }
    let mut clean = String::with_capacity(text.len());
    let mut rest = text.as_str();
    let mut after_zero = false;
    while let Some(character) = rest.chars().next() {
        let mut length = character.len_utf8();
        let is_zero = character == '\0';
        match character {
            '\0' if after_zero => {}
            '\x08' => {
                if clean.chars().next_back().is_some_and(|last| !matches!(last, '\n' | '\r')) {
                    clean.pop();
                }
            }
            '\x1b' => length = escape_length(rest.as_bytes()),
            control if is_unwanted(control) => clean.push(' '),
            wanted => clean.push(wanted),
        }
        after_zero = is_zero;
        rest = &rest[length..];
    }
    clean
}

/// Whether no byte is an unwanted control character. Without early exit inside a block, so that the
/// compiler makes vector code of it.
fn is_clean(bytes: &[u8]) -> bool {
    const BLOCK_BYTES: usize = 4096;
    bytes.chunks(BLOCK_BYTES).all(|block| {
        let unwanted = block.iter().fold(false, |found, byte| {
            found | ((*byte < 0x20) & !matches!(*byte, b'\t' | b'\n' | b'\r' | 0x0C)) | (*byte == 0x7F)
        });
        !unwanted
    })
}

fn is_unwanted(character: char) -> bool {
    (character < ' ' && !matches!(character, '\t' | '\n' | '\r' | '\x0C')) || character == '\x7f'
}

/// Bytes of the escape sequence at the start, which begins with ESC: a control sequence
/// (`ESC [ … letter`), an operating-system command (`ESC ] … BEL`), or ESC alone. Never past the line.
fn escape_length(bytes: &[u8]) -> usize {
    /// Longest sequence believed; beyond it the ESC stands alone.
    const LONGEST: usize = 4096;
    let bytes = &bytes[..bytes.len().min(LONGEST)];
    match bytes.get(1) {
        Some(b'[') => {
            let body = bytes[2..].iter().take_while(|byte| matches!(byte, 0x20..=0x3F)).count();
            match bytes.get(2 + body) {
                Some(0x40..=0x7E) => 3 + body,
                _ => 1,
            }
        }
        Some(b']') => {
            let body = bytes[2..].iter().take_while(|byte| !matches!(byte, 0x07 | 0x1B | b'\n' | b'\r')).count();
            match bytes.get(2 + body..) {
                Some([0x07, ..]) => 3 + body,
                Some([0x1B, b'\\', ..]) => 4 + body,
                _ => 1,
            }
        }
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_overstrikes_and_zeros_go_and_lines_stay() {
        let dirty =
            "\x1b[1;31merror\x1b[0m: x\r\nN\x08NA\x08AME\0\0\0end\rbell\x07 \x1b]0;title\x07tab\tform\x0Cfeed\n\x08";
        assert_eq!(without_controls(dirty.to_owned()), "error: x\r\nNAME end\rbell  tab\tform\x0Cfeed\n");
    }

    #[test]
    fn a_clean_text_is_the_same_allocation() {
        let text = "clean\n".to_owned();
        let address = text.as_ptr();
        let clean = without_controls(text);
        assert_eq!(clean.as_ptr(), address);
    }

    #[test]
    fn an_escape_that_never_ends_takes_nothing_with_it() {
        assert_eq!(without_controls("\x1b[12\nnext \x1b]open\nlast".to_owned()), "[12\nnext ]open\nlast");
    }
}
