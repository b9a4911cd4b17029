//! Numbers for readers.

/// A count with its thousands apart: `7,201`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count with its noun: `1 file`, `7,201 files`. Only for nouns that take an `s`.
pub fn plural(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{} {noun}s", grouped(count)) }
}

/// A size in decimal units with two figures at least: `0 B`, `980 B`, `1.2 MB`, `34 GB`.
pub fn bytes(size: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if size < 1000 {
        return format!("{size} B");
    }
    let mut amount = size as f64 / 1000.0;
    let mut unit = 0;
    // 999.5 and above would print as 1000 of this unit.
    while amount >= 999.5 && unit + 1 < UNITS.len() {
        amount /= 1000.0;
        unit += 1;
    }
    if amount < 9.95 { format!("{amount:.1} {}", UNITS[unit]) } else { format!("{amount:.0} {}", UNITS[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_read_well() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(plural(1, "file"), "1 file");
        assert_eq!(plural(0, "file"), "0 files");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(1_240_000), "1.2 MB");
        assert_eq!(bytes(999_999), "1.0 MB");
        assert_eq!(bytes(34_000_000_000), "34 GB");
        assert_eq!(bytes(u64::MAX), "18 EB");
    }
}
