//! The packing of iWork's archives: Snappy's blocks in frames without checksums.
//!
//! Layout: frames of a zero byte, a length of three bytes (least significant first) and a block. A block
//! is its unpacked length as a varint, then tags: the low two bits tell a literal (0) or a copy of what was
//! unpacked before, with an offset of 11 bits (1), 16 bits (2) or 32 bits (3).

/// Most bytes that one archive unpacks to.
const UNPACKED_BYTES: usize = 64 << 20;

/// All frames unpacked; up to the first that is broken.
pub(super) fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while let [0, low, middle, high, after @ ..] = rest {
        let length = usize::from(*low) | usize::from(*middle) << 8 | usize::from(*high) << 16;
        let Some(block) = after.get(..length) else { break };
        if block_into(block, &mut out).is_none() {
            break;
        }
        rest = &after[length..];
    }
    out
}

/// Unpacks one block behind what is there already.
fn block_into(block: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let start = out.len();
    let mut at = 0;
    // The length that the block claims is passed over: nothing is allocated by it.
    while *block.get(at)? & 0x80 != 0 {
        at += 1;
    }
    at += 1;
    while let Some(tag) = block.get(at).copied() {
        at += 1;
        let (length, offset) = match tag & 3 {
            0 => {
                let short = usize::from(tag >> 2);
                let extra = short.saturating_sub(59);
                let length = if extra == 0 { short } else { little_endian(block.get(at..at + extra)?) };
                at += extra;
                let length = length.checked_add(1)?;
                out.extend_from_slice(block.get(at..at.checked_add(length)?)?);
                at += length;
                (0, 0)
            }
            1 => {
                let offset = usize::from(tag >> 5) << 8 | usize::from(*block.get(at)?);
                at += 1;
                (usize::from(tag >> 2 & 7) + 4, offset)
            }
            kind => {
                let width = if kind == 2 { 2 } else { 4 };
                let offset = little_endian(block.get(at..at + width)?);
                at += width;
                (usize::from(tag >> 2) + 1, offset)
            }
        };
        if length > 0 {
            let from = out.len().checked_sub(offset).filter(|from| *from >= start && offset > 0)?;
            // A copy may reach into what it writes itself.
            for place in from..from + length {
                out.push(*out.get(place)?);
            }
        }
        if out.len() > UNPACKED_BYTES {
            return None;
        }
    }
    Some(())
}

fn little_endian(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_copies_are_unpacked_and_broken_ones_end() {
        let block = [10, 0x08, b'a', b'b', b'c', 0x0D, 3];
        let frame = |block: &[u8]| [&[0, u8::try_from(block.len()).unwrap_or(0), 0, 0], block].concat();
        assert_eq!(unpacked(&frame(&block)), b"abcabcabca");
        assert_eq!(unpacked(&[frame(&block), vec![0, 9, 0, 0, 1]].concat()), b"abcabcabca");
        assert_eq!(unpacked(&frame(&[4, 0x01, 9])), b"");
        assert_eq!(unpacked(&frame(&[0x80; 5])), b"");
    }
}
