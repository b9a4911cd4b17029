//! Names of cells: `B7`, `$AA$12`.

/// Row and column of a cell, both from 1.
pub(super) fn place(name: &str) -> Option<(u32, u32)> {
    let name = name.trim();
    let mut column = 0u32;
    let mut digits_at = name.len();
    for (at, byte) in name.bytes().enumerate() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' => {
                column = column.checked_mul(26)?.checked_add(u32::from(byte.to_ascii_uppercase() - b'A') + 1)?;
            }
            b'$' => {}
            _ => {
                digits_at = at;
                break;
            }
        }
    }
    let row: u32 = name.get(digits_at..)?.trim_start_matches('$').parse().ok()?;
    (column > 0 && row > 0).then_some((row, column))
}

/// Both corners of a range of cells: `B2:C3`, or one cell.
pub(super) fn range(name: &str) -> Option<((u32, u32), (u32, u32))> {
    let (first, last) = name.split_once(':').unwrap_or((name, name));
    Some((place(first)?, place(last)?))
}

/// The name of a cell, by its row and column from 1.
pub(super) fn name(row: u32, column: u32) -> String {
    let mut letters = Vec::new();
    let mut left = column;
    while left > 0 {
        left -= 1;
        letters.push(b'A' + (left % 26) as u8);
        left /= 26;
    }
    letters.iter().rev().map(|letter| char::from(*letter)).chain(row.to_string().chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_excel_reads_them() {
        assert_eq!(place("A1"), Some((1, 1)));
        assert_eq!(place("xfd1048576"), Some((1_048_576, 16_384)));
        assert_eq!(place("$B$7"), Some((7, 2)));
        for none in ["", "A", "7", "A0", "ZZZZZZZZZ1", "é1", "A99999999999"] {
            assert_eq!(place(none), None, "{none}");
        }
        for known in ["A1", "Z9", "AA10", "XFD1048576"] {
            let named = place(known).map(|(row, column)| name(row, column));
            assert_eq!(named.as_deref(), Some(known));
        }
        assert_eq!(range("B2:C3"), Some(((2, 2), (3, 3))));
    }
}
