//! Tram.

/// Climbs.
pub fn climb(hill: u32) -> u32 {
    hill + 1
}
