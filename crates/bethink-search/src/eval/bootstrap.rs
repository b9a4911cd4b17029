//! Whether one run is better than another, or only luckier: the paired bootstrap (Efron and Tibshirani
//! 1993) over the questions that both were judged on.

use super::figure::Figure;
use super::summary::{Summary, quantile};

/// Resamples. Enough that the ends of the interval move by less than a thousandth.
const RESAMPLES: usize = 10_000;

/// Where the resampling starts; fixed, so that the same two runs compare the same every time.
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// A figure of two runs side by side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// How much the second is above the first, on the mean.
    pub difference: f64,
    /// Where the difference lies in 95 of 100 resamples.
    pub interval: (f64, f64),
    /// Questions on which the second is better.
    pub wins: usize,
    /// Questions on which it is worse.
    pub losses: usize,
    /// Questions that were compared.
    pub questions: usize,
}

/// Compares a figure of two runs over the questions that have it in both; `None` where no question has.
pub fn compare(first: &Summary, second: &Summary, figure: Figure) -> Option<Comparison> {
    let of_first: std::collections::BTreeMap<&str, f64> = first
        .figures
        .iter()
        .filter_map(|(id, figures)| figures.get(&figure).map(|value| (id.as_str(), *value)))
        .collect();
    let differences: Vec<f64> = second
        .figures
        .iter()
        .filter_map(|(id, figures)| Some(figures.get(&figure)? - of_first.get(id.as_str())?))
        .collect();
    if differences.is_empty() {
        return None;
    }
    let mut state = SEED;
    let mut means = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        let mut sum = 0.0;
        for _ in 0..differences.len() {
            let pick = (next(&mut state) % differences.len() as u64) as usize;
            sum += differences.get(pick).copied().unwrap_or_default();
        }
        means.push(sum / differences.len() as f64);
    }
    Some(Comparison {
        difference: differences.iter().sum::<f64>() / differences.len() as f64,
        interval: (quantile(&means, 0.025)?, quantile(&means, 0.975)?),
        wins: differences.iter().filter(|difference| **difference > 0.0).count(),
        losses: differences.iter().filter(|difference| **difference < 0.0).count(),
        questions: differences.len(),
    })
}

/// SplitMix64 (Steele, Lea and Flood 2014): even enough for resampling, and the same everywhere.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::figure::Figures;
    use super::*;

    fn summary(values: &[f64]) -> Summary {
        let figures = |value: &f64| Figures::from([(Figure::Ndcg10, *value)]);
        Summary {
            questions: values.len(),
            means: BTreeMap::new(),
            figures: values.iter().enumerate().map(|(id, value)| (id.to_string(), figures(value))).collect(),
            negatives: None,
        }
    }

    #[test]
    fn a_clear_gain_is_told_from_noise() {
        let nothing = summary(&[0.0; 50]);
        let half: Vec<f64> = (0..50).map(|id| f64::from(u8::from(id < 25))).collect();
        let gain = compare(&nothing, &summary(&half), Figure::Ndcg10).expect("both have it");
        assert!((gain.difference - 0.5).abs() < 1e-9 && gain.interval.0 > 0.3 && gain.interval.1 < 0.7, "{gain:?}");
        assert_eq!((gain.wins, gain.losses, gain.questions), (25, 0, 50));
        let swapped: Vec<f64> = half.iter().rev().copied().collect();
        let noise = compare(&summary(&half), &summary(&swapped), Figure::Ndcg10).expect("both have it");
        assert!(noise.interval.0 < 0.0 && noise.interval.1 > 0.0, "{noise:?}");
        assert_eq!(compare(&nothing, &summary(&half), Figure::Landing), None);
    }
}
