//! Scores as numbers that read well.

/// A score rounded to four places: more are noise, and a 32-bit float widened as it stands would
/// print as `0.8299999833106995`. What is not a number becomes 0, since JSON has no word for it.
pub(crate) fn rounded(score: f32) -> f64 {
    if score.is_finite() { (f64::from(score) * 1e4).round() / 1e4 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_read_well() {
        assert_eq!(serde_json::json!(rounded(0.83)).to_string(), "0.83");
        assert_eq!(serde_json::json!(rounded(1.0)).to_string(), "1.0");
        assert_eq!(rounded(f32::NAN), 0.0);
    }
}
