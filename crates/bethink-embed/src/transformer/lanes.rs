//! A register of single-precision numbers, as wide as the processor has it.
//!
//! The two widths differ in instructions and in nothing else, so the arithmetic above is written once
//! over this trait. Every method must be inlined into a function that enables the width's instructions;
//! that is why all are `inline(always)` and unsafe.

use std::arch::x86_64::*;

/// Coefficients of 2^f for f in [-1/2, 1/2], highest first: minimax, relative error 2e-7.
const EXP2: [f32; 6] = [1.333_365e-3, 9.810_491e-3, 5.550_43e-2, 2.402_265e-1, std::f32::consts::LN_2, 1.0];

/// # Safety
///
/// All methods may be called only where the processor has the instructions of the width (AVX2 and FMA
/// for eight lanes, AVX-512F for sixteen), and `load` and `store` only where [`Lanes::COUNT`] numbers
/// may be read or written at the pointer.
pub(super) trait Lanes: Copy {
    /// Numbers in a register.
    const COUNT: usize;

    unsafe fn load(from: *const f32) -> Self;
    unsafe fn store(self, to: *mut f32);
    unsafe fn all(number: f32) -> Self;
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn subtract(self, other: Self) -> Self;
    unsafe fn multiply(self, other: Self) -> Self;
    /// One over each number, exact to about 2e-7, for numbers of usual size.
    unsafe fn reciprocal(self) -> Self;
    /// `self * factor + addend`, rounded once.
    unsafe fn multiply_add(self, factor: Self, addend: Self) -> Self;
    unsafe fn larger(self, other: Self) -> Self;
    unsafe fn smaller(self, other: Self) -> Self;
    unsafe fn absolute(self) -> Self;
    /// These magnitudes with the signs of `signs`.
    unsafe fn with_signs_of(self, signs: Self) -> Self;
    /// e to each number. Exact to about 3e-7 for numbers up to 0; zero below about -87.
    unsafe fn exponential(self) -> Self;
    unsafe fn sum(self) -> f32;
    unsafe fn largest(self) -> f32;
    unsafe fn smallest(self) -> f32;
    /// `sum - zero * total` for whole numbers, then as single precision.
    unsafe fn from_sums(sums: *const i32, zero: i32, totals: *const i32) -> Self;
    /// The nearest whole numbers, ties to even, plus `zero`, as bytes; what is below 0 or above 255 is cut.
    unsafe fn store_bytes(self, zero: i32, to: *mut u8);
}

impl Lanes for __m256 {
    const COUNT: usize = 8;

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe { _mm256_loadu_ps(from) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe { _mm256_storeu_ps(to, self) }
    }

    #[inline(always)]
    unsafe fn all(number: f32) -> Self {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe { _mm256_set1_ps(number) }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe { _mm256_add_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn subtract(self, other: Self) -> Self {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe { _mm256_sub_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn multiply(self, other: Self) -> Self {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe { _mm256_mul_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn reciprocal(self) -> Self {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe { _mm256_div_ps(_mm256_set1_ps(1.0), self) }
    }

    #[inline(always)]
    unsafe fn multiply_add(self, factor: Self, addend: Self) -> Self {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe { _mm256_fmadd_ps(self, factor, addend) }
    }

    #[inline(always)]
    unsafe fn larger(self, other: Self) -> Self {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe { _mm256_max_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn absolute(self) -> Self {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self) }
    }

    #[inline(always)]
    unsafe fn with_signs_of(self, signs: Self) -> Self {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe {
            let sign = _mm256_set1_ps(-0.0);
            _mm256_or_ps(_mm256_andnot_ps(sign, self), _mm256_and_ps(sign, signs))
        }
    }

    #[inline(always)]
    unsafe fn exponential(self) -> Self {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe {
            // 2^n by the exponent's bits, 2^f by the polynomial. Below -126 the exponent would wrap.
            let x = _mm256_mul_ps(self, _mm256_set1_ps(std::f32::consts::LOG2_E));
            let x = _mm256_max_ps(x, _mm256_set1_ps(-126.0));
            let whole = _mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(x);
            let fraction = _mm256_sub_ps(x, whole);
            let mut power = _mm256_set1_ps(EXP2[0]);
            for coefficient in &EXP2[1..] {
                power = _mm256_fmadd_ps(power, fraction, _mm256_set1_ps(*coefficient));
            }
            let exponent = _mm256_slli_epi32::<23>(_mm256_add_epi32(_mm256_cvtps_epi32(whole), _mm256_set1_epi32(127)));
            _mm256_mul_ps(power, _mm256_castsi256_ps(exponent))
        }
    }

    #[inline(always)]
    unsafe fn sum(self) -> f32 {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe {
            let half = _mm_add_ps(_mm256_castps256_ps128(self), _mm256_extractf128_ps::<1>(self));
            let quarter = _mm_add_ps(half, _mm_movehl_ps(half, half));
            _mm_cvtss_f32(_mm_add_ss(quarter, _mm_movehdup_ps(quarter)))
        }
    }

    #[inline(always)]
    unsafe fn largest(self) -> f32 {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe {
            let half = _mm_max_ps(_mm256_castps256_ps128(self), _mm256_extractf128_ps::<1>(self));
            let quarter = _mm_max_ps(half, _mm_movehl_ps(half, half));
            _mm_cvtss_f32(_mm_max_ss(quarter, _mm_movehdup_ps(quarter)))
        }
    }

    #[inline(always)]
    unsafe fn smaller(self, other: Self) -> Self {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe { _mm256_min_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn smallest(self) -> f32 {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe {
            let half = _mm_min_ps(_mm256_castps256_ps128(self), _mm256_extractf128_ps::<1>(self));
            let quarter = _mm_min_ps(half, _mm_movehl_ps(half, half));
            _mm_cvtss_f32(_mm_min_ss(quarter, _mm_movehdup_ps(quarter)))
        }
    }

    #[inline(always)]
    unsafe fn from_sums(sums: *const i32, zero: i32, totals: *const i32) -> Self {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe {
            let shift = _mm256_mullo_epi32(_mm256_set1_epi32(zero), _mm256_loadu_si256(totals.cast()));
            _mm256_cvtepi32_ps(_mm256_sub_epi32(_mm256_loadu_si256(sums.cast()), shift))
        }
    }

    #[inline(always)]
    unsafe fn store_bytes(self, zero: i32, to: *mut u8) {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe {
            let whole = _mm256_add_epi32(_mm256_cvtps_epi32(self), _mm256_set1_epi32(zero));
            let (low, high) = (_mm256_castsi256_si128(whole), _mm256_extracti128_si256::<1>(whole));
            let words = _mm_packs_epi32(low, high);
            _mm_storel_epi64(to.cast(), _mm_packus_epi16(words, words));
        }
    }
}

impl Lanes for __m512 {
    const COUNT: usize = 16;

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe { _mm512_loadu_ps(from) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe { _mm512_storeu_ps(to, self) }
    }

    #[inline(always)]
    unsafe fn all(number: f32) -> Self {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe { _mm512_set1_ps(number) }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe { _mm512_add_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn subtract(self, other: Self) -> Self {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe { _mm512_sub_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn multiply(self, other: Self) -> Self {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe { _mm512_mul_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn reciprocal(self) -> Self {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe {
            // An estimate of 14 bits and one step of Newton's method: a third of a division's time.
            let estimate = _mm512_rcp14_ps(self);
            _mm512_mul_ps(estimate, _mm512_fnmadd_ps(self, estimate, _mm512_set1_ps(2.0)))
        }
    }

    #[inline(always)]
    unsafe fn multiply_add(self, factor: Self, addend: Self) -> Self {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe { _mm512_fmadd_ps(self, factor, addend) }
    }

    #[inline(always)]
    unsafe fn larger(self, other: Self) -> Self {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe { _mm512_max_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn absolute(self) -> Self {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe { _mm512_abs_ps(self) }
    }

    #[inline(always)]
    unsafe fn with_signs_of(self, signs: Self) -> Self {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe {
            // The logical operations on floats are of AVX-512DQ; those on integers are not.
            let sign = _mm512_set1_epi32(i32::MIN);
            let magnitude = _mm512_andnot_si512(sign, _mm512_castps_si512(self));
            _mm512_castsi512_ps(_mm512_or_si512(magnitude, _mm512_and_si512(sign, _mm512_castps_si512(signs))))
        }
    }

    #[inline(always)]
    unsafe fn exponential(self) -> Self {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe {
            let x = _mm512_mul_ps(self, _mm512_set1_ps(std::f32::consts::LOG2_E));
            let whole = _mm512_roundscale_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(x);
            let fraction = _mm512_sub_ps(x, whole);
            let mut power = _mm512_set1_ps(EXP2[0]);
            for coefficient in &EXP2[1..] {
                power = _mm512_fmadd_ps(power, fraction, _mm512_set1_ps(*coefficient));
            }
            _mm512_scalef_ps(power, whole)
        }
    }

    #[inline(always)]
    unsafe fn sum(self) -> f32 {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe { _mm512_reduce_add_ps(self) }
    }

    #[inline(always)]
    unsafe fn largest(self) -> f32 {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe { _mm512_reduce_max_ps(self) }
    }

    #[inline(always)]
    unsafe fn smaller(self, other: Self) -> Self {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe { _mm512_min_ps(self, other) }
    }

    #[inline(always)]
    unsafe fn smallest(self) -> f32 {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe { _mm512_reduce_min_ps(self) }
    }

    #[inline(always)]
    unsafe fn from_sums(sums: *const i32, zero: i32, totals: *const i32) -> Self {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe {
            let shift = _mm512_mullo_epi32(_mm512_set1_epi32(zero), _mm512_loadu_si512(totals.cast()));
            _mm512_cvtepi32_ps(_mm512_sub_epi32(_mm512_loadu_si512(sums.cast()), shift))
        }
    }

    #[inline(always)]
    unsafe fn store_bytes(self, zero: i32, to: *mut u8) {
        // SAFETY: the caller upholds what the trait asks for.
        unsafe {
            let whole = _mm512_add_epi32(_mm512_cvtps_epi32(self), _mm512_set1_epi32(zero));
            // The narrowing takes its numbers for unsigned, so what is below zero is cut first.
            let whole = _mm512_max_epi32(whole, _mm512_setzero_si512());
            _mm_storeu_si128(to.cast(), _mm512_cvtusepi32_epi8(whole));
        }
    }
}
