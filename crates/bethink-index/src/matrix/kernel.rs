//! Inner products of a query with rows of signed bytes.
//!
//! All kernels compute the same integer, so an answer does not depend on the processor: the plain
//! one is the definition, the others are compared with it. A prototype of them took, over 280,000 rows of 384 numbers:
//! AVX-512 VNNI 10.5 ms on one thread, which is the memory's own pace; AVX2 about half as fast.

use super::quantise::{LANE_BYTES, QuantisedQuery};

/// A way to compute inner products, chosen once by what the processor offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// Unsigned-by-signed byte products of 64 numbers an instruction.
    #[cfg(target_arch = "x86_64")]
    Vnni512,
    /// Products of 16-bit numbers, 16 an instruction.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Whatever the compiler makes of it.
    Plain,
}

impl Kernel {
    /// The kernels that this processor can run, best first.
    pub(crate) fn available() -> Vec<Self> {
        let mut kernels = Vec::with_capacity(3);
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vnni")
            {
                kernels.push(Self::Vnni512);
            }
            if is_x86_feature_detected!("avx2") {
                kernels.push(Self::Avx2);
            }
        }
        kernels.push(Self::Plain);
        kernels
    }

    /// The best kernel that this processor can run.
    pub(crate) fn best() -> Self {
        Self::available().first().copied().unwrap_or(Self::Plain)
    }

    /// The inner product of the query with each row into `products`; `rows` holds one row a
    /// product, each as long as the padded query.
    ///
    /// # Panics
    /// When `rows` is shorter than that.
    pub(crate) fn products(self, query: &QuantisedQuery, rows: &[u8], products: &mut [i32]) {
        let stride = query.whole.len();
        let rows = &rows[..stride * products.len()];
        assert!(stride.is_multiple_of(LANE_BYTES) && query.upper.len() == stride && query.lower.len() == stride);
        match self {
            // SAFETY: `available` saw the features, and the lengths were just checked.
            #[cfg(target_arch = "x86_64")]
            Self::Vnni512 => unsafe {
                // The usual dimensions (256, 384, 768) as constants let the query stay in registers.
                match stride / LANE_BYTES {
                    4 => x86::vnni512(query, rows, products, 4),
                    6 => x86::vnni512(query, rows, products, 6),
                    12 => x86::vnni512(query, rows, products, 12),
                    lanes => x86::vnni512(query, rows, products, lanes),
                }
            },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { x86::avx2(query, rows, products) },
            Self::Plain => {
                for (product, row) in products.iter_mut().zip(rows.chunks_exact(stride)) {
                    *product = query.whole.iter().zip(row).map(|(q, r)| i32::from(*q) * i32::from(*r as i8)).sum();
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{LANE_BYTES, QuantisedQuery};

    /// A row is read with its sign bits flipped, which makes it unsigned and adds 128 to each
    /// number; 128 × the query's sum is taken off again at the end. Additions wrap, and the true
    /// product fits 32 bits, so what wraps away comes back.
    ///
    /// # Safety
    /// The processor has the features; `rows` holds `products.len()` rows of `lanes` × 64 bytes,
    /// and so do the query's halves.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) unsafe fn vnni512(query: &QuantisedQuery, rows: &[u8], products: &mut [i32], lanes: usize) {
        let flip = _mm512_set1_epi8(-128);
        let correction = query.sum.wrapping_mul(128);
        let mut row = rows.as_ptr();
        for product in products {
            let mut upper_sum = _mm512_setzero_si512();
            let mut lower_sum = _mm512_setzero_si512();
            for lane in 0..lanes {
                let at = lane * LANE_BYTES;
                // SAFETY: `at + 64` is within a row and within the query's halves.
                let (bytes, upper, lower) = unsafe {
                    (
                        _mm512_loadu_si512(row.add(at).cast()),
                        _mm512_loadu_si512(query.upper.as_ptr().add(at).cast()),
                        _mm512_loadu_si512(query.lower.as_ptr().add(at).cast()),
                    )
                };
                let bytes = _mm512_xor_si512(bytes, flip);
                upper_sum = _mm512_dpbusd_epi32(upper_sum, bytes, upper);
                lower_sum = _mm512_dpbusd_epi32(lower_sum, bytes, lower);
            }
            let sum = _mm512_add_epi32(_mm512_slli_epi32::<7>(upper_sum), lower_sum);
            *product = _mm512_reduce_add_epi32(sum).wrapping_sub(correction);
            // SAFETY: at most one past the last row, which ends the allocation or lies before its end.
            row = unsafe { row.add(lanes * LANE_BYTES) };
        }
    }

    /// # Safety
    /// The processor has AVX2; `rows` holds `products.len()` rows as long as the padded query.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn avx2(query: &QuantisedQuery, rows: &[u8], products: &mut [i32]) {
        let stride = query.whole.len();
        let mut row = rows.as_ptr();
        for product in products {
            let mut even = _mm256_setzero_si256();
            let mut odd = _mm256_setzero_si256();
            let mut at = 0;
            while at < stride {
                // SAFETY: the stride is a multiple of 64, so `at + 32` is within row and query.
                let (first, second, query_first, query_second) = unsafe {
                    (
                        _mm256_cvtepi8_epi16(_mm_loadu_si128(row.add(at).cast())),
                        _mm256_cvtepi8_epi16(_mm_loadu_si128(row.add(at + 16).cast())),
                        _mm256_loadu_si256(query.whole.as_ptr().add(at).cast()),
                        _mm256_loadu_si256(query.whole.as_ptr().add(at + 16).cast()),
                    )
                };
                even = _mm256_add_epi32(even, _mm256_madd_epi16(first, query_first));
                odd = _mm256_add_epi32(odd, _mm256_madd_epi16(second, query_second));
                at += 32;
            }
            let sum = _mm256_add_epi32(even, odd);
            let half = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
            let quarter = _mm_add_epi32(half, _mm_shuffle_epi32::<0b0100_1110>(half));
            let whole = _mm_add_epi32(quarter, _mm_shuffle_epi32::<0b1011_0001>(quarter));
            *product = _mm_cvtsi128_si32(whole);
            // SAFETY: at most one past the last row.
            row = unsafe { row.add(stride) };
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;
    use crate::matrix::quantise::Rows;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn every_kernel_computes_the_plain_one(
            dimension in prop_oneof![Just(1usize), Just(64), Just(256), Just(384), Just(768), 1usize..1100],
            count in 0usize..9,
            seed in any::<u64>(),
            extreme in any::<bool>(),
        ) {
            let mut state = seed | 1;
            let mut number = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let number = (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
                if extreme { number.signum() } else { number + 1e-3 }
            };
            let query: Vec<f32> = (0..dimension).map(|_| number()).collect();
            let query = QuantisedQuery::new(&query).unwrap();
            let mut rows = Rows::default();
            for _ in 0..count {
                let row: Vec<f32> = (0..dimension).map(|_| number()).collect();
                rows.push(&row).unwrap();
            }
            let mut expected = vec![0; count];
            Kernel::Plain.products(&query, &rows.bytes, &mut expected);
            for kernel in Kernel::available() {
                let mut products = vec![0; count];
                kernel.products(&query, &rows.bytes, &mut products);
                prop_assert_eq!(&products, &expected, "{:?}", kernel);
            }
        }
    }
}
