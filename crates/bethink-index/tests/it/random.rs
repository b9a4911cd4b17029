//! Numbers that look random and are the same on every run.

use std::f32::consts::TAU;

/// Marsaglia's xorshift64*.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        ((self.bits() >> 32) as usize * limit) >> 32
    }

    /// From 0 to 1.
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Normally distributed (Box and Muller).
    pub fn normal(&mut self) -> f32 {
        (-2.0 * self.unit().max(1e-7).ln()).sqrt() * (TAU * self.unit()).cos()
    }

    pub fn vector(&mut self, dimension: usize) -> Vec<f32> {
        (0..dimension).map(|_| self.normal()).collect()
    }
}
