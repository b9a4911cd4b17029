//! Numbers without a pattern, the same every time, for tests of kernels.

/// Thirty-two bits each, from a linear congruential generator (Numerical Recipes); the upper ones are the better.
pub(super) fn bits(seed: u32) -> impl Iterator<Item = u32> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state
    })
}

/// Numbers between -1/2 and 1/2.
pub(super) fn noise(count: usize, seed: u32) -> Vec<f32> {
    bits(seed).take(count).map(|bits| (bits >> 8) as f32 / (1 << 24) as f32 - 0.5).collect()
}
