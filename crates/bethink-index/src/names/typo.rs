//! Misspellings: how many edits lie between two words, up to a few.

/// Longest word that misspellings are looked for in, in characters; longer ones are data.
pub(crate) const LONGEST: usize = 32;

/// How many edits a word of so many characters may be away. Short words have too many neighbours
/// (`memo`, `demo`); words of fewer than four letters are never misspelt, they are other words.
pub(crate) fn allowed(characters: usize) -> usize {
    match characters {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

/// The number of insertions, deletions, changes and swaps of neighbours that turn one word into
/// the other, if it is at most `limit` (optimal string alignment: no stretch is edited twice).
pub(crate) fn distance(left: &[char], right: &[char], limit: usize) -> Option<usize> {
    if left.len().abs_diff(right.len()) > limit || left.len() > LONGEST || right.len() > LONGEST {
        return None;
    }
    let mut before = [0usize; LONGEST + 1];
    let mut above = [0usize; LONGEST + 1];
    let mut row = [0usize; LONGEST + 1];
    for (column, cell) in above.iter_mut().enumerate() {
        *cell = column;
    }
    for (down, letter) in left.iter().enumerate() {
        row[0] = down + 1;
        let mut least = row[0];
        for (across, other) in right.iter().enumerate() {
            let change = above[across] + usize::from(letter != other);
            let mut cell = change.min(above[across + 1] + 1).min(row[across] + 1);
            if down > 0 && across > 0 && *letter == right[across - 1] && left[down - 1] == *other {
                cell = cell.min(before[across - 1] + 1);
            }
            row[across + 1] = cell;
            least = least.min(cell);
        }
        // A swap looks two rows back, so one row above the limit does not decide yet unless the
        // row before it is above the limit too; the rows never fall by more than that.
        if least > limit + 1 {
            return None;
        }
        before = above;
        above = row;
    }
    let found = above[right.len()];
    (found <= limit).then_some(found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The textbook recurrence, without bounds.
    fn plain(left: &[char], right: &[char]) -> usize {
        let mut table = vec![vec![0; right.len() + 1]; left.len() + 1];
        for i in 0..=left.len() {
            for j in 0..=right.len() {
                table[i][j] = if i == 0 || j == 0 {
                    i + j
                } else {
                    let mut cell = (table[i - 1][j - 1] + usize::from(left[i - 1] != right[j - 1]))
                        .min(table[i - 1][j] + 1)
                        .min(table[i][j - 1] + 1);
                    if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                        cell = cell.min(table[i - 2][j - 2] + 1);
                    }
                    cell
                };
            }
        }
        table[left.len()][right.len()]
    }

    proptest! {
        #[test]
        fn the_distance_is_that_of_the_whole_table(left in "[a-d]{0,10}", right in "[a-d]{0,10}", limit in 0usize..4) {
            let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
            let expected = plain(&left, &right);
            prop_assert_eq!(distance(&left, &right, limit), (expected <= limit).then_some(expected));
        }
    }

    #[test]
    fn everyday_slips_are_within_what_is_allowed() {
        for (typed, meant) in [
            ("finacial", "financial"),
            ("teh5", "the5"),
            ("recieve", "receive"),
            ("invioce", "invoice"),
            ("memos", "memo"),
        ] {
            let (typed, meant): (Vec<char>, Vec<char>) = (typed.chars().collect(), meant.chars().collect());
            assert!(distance(&typed, &meant, allowed(typed.len())).is_some());
        }
    }
}
