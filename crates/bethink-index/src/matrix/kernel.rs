//! Inner products of a query with rows: of their upper parts, sixteen rows at a time, as a scan streams them; and
//! of signed bytes, row by row, for the few that a scan brings up.
//!
//! All kernels compute the same integers, so an answer does not depend on the processor: the plain
//! one is the definition, the others are compared with it.
//!
//! Upper parts stand in blocks of sixteen rows. For every eight numbers of the rows a block has one line of 64
//! bytes, four bytes a row: the low halves of row r's bytes are its numbers 0 to 3 of the eight, the high halves
//! 4 to 7, each plus eight. One line is one 512-bit load, its lanes are the rows, and no sum has to be
//! gathered across lanes.

use super::quantise::{CoarseQuery, LANE_BYTES, QuantisedQuery, split};

/// Rows of a block.
pub(crate) const BLOCK_ROWS: usize = 16;
/// Bytes of a block's line: eight halves of each of its rows.
const LINE_BYTES: usize = 64;
/// Numbers of a row that one line holds.
const LINE_NUMBERS: usize = 8;
/// What is added to an upper part, so that it has no sign.
pub(crate) const UPPER_OFFSET: i8 = 8;

/// Bytes of a block of rows of that stride.
pub(crate) fn block_bytes(stride: usize) -> usize {
    stride / LINE_NUMBERS * LINE_BYTES
}

/// Puts the upper parts of a row's numbers into its place in a block.
pub(crate) fn put_in_block(numbers: &[i16], place: usize, block: &mut [u8]) {
    let half = |number: i16| (split(number).0 + UPPER_OFFSET) as u8;
    for (line, numbers) in block.chunks_exact_mut(LINE_BYTES).zip(numbers.chunks_exact(LINE_NUMBERS)) {
        for (at, byte) in line[place * 4..place * 4 + 4].iter_mut().enumerate() {
            *byte = half(numbers[at]) | half(numbers[at + 4]) << 4;
        }
    }
}

/// A row's upper parts from its place in a block.
pub(crate) fn upper_parts(block: &[u8], place: usize) -> impl Iterator<Item = i8> {
    block.chunks_exact(LINE_BYTES).flat_map(move |line| {
        let bytes = &line[place * 4..place * 4 + 4];
        let lows = bytes.iter().map(|byte| (byte & 0x0F) as i8 - UPPER_OFFSET);
        lows.chain(bytes.iter().map(|byte| (byte >> 4) as i8 - UPPER_OFFSET))
    })
}

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

    /// The inner product of the query with the upper parts of each row into `products`, a multiple of sixteen;
    /// `blocks` holds their blocks.
    ///
    /// # Panics
    /// When `blocks` is shorter than that.
    pub(crate) fn coarse_products(self, query: &CoarseQuery, blocks: &[u8], products: &mut [i32]) {
        let stride = query.numbers.len();
        assert!(stride.is_multiple_of(LANE_BYTES) && products.len().is_multiple_of(BLOCK_ROWS));
        let blocks = &blocks[..products.len() / BLOCK_ROWS * block_bytes(stride)];
        let correction = query.sum * i32::from(UPPER_OFFSET);
        match self {
            // SAFETY: `available` saw the features, and the lengths were just checked.
            #[cfg(target_arch = "x86_64")]
            Self::Vnni512 => unsafe { x86::coarse_vnni512(&query.numbers, correction, blocks, products) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { x86::coarse_avx2(&query.numbers, correction, blocks, products) },
            Self::Plain => plain_coarse(&query.numbers, correction, blocks, products),
        }
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

fn plain_coarse(query: &[i8], correction: i32, blocks: &[u8], products: &mut [i32]) {
    let blocks = blocks.chunks_exact(block_bytes(query.len()));
    for (sums, block) in products.chunks_exact_mut(BLOCK_ROWS).zip(blocks) {
        sums.fill(-correction);
        for (line, query) in block.chunks_exact(LINE_BYTES).zip(query.chunks_exact(LINE_NUMBERS)) {
            for (sum, bytes) in sums.iter_mut().zip(line.chunks_exact(4)) {
                for (at, byte) in bytes.iter().enumerate() {
                    *sum += i32::from(byte & 0x0F) * i32::from(query[at]);
                    *sum += i32::from(byte >> 4) * i32::from(query[at + 4]);
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{BLOCK_ROWS, LANE_BYTES, LINE_BYTES, LINE_NUMBERS, QuantisedQuery, block_bytes};

    /// Lines whose products fit 16 bits when they are added up: a line gives at most 2 × 2 × 15 × 127.
    const SHORT_LINES: usize = 4;

    /// Four numbers of the query as one 32-bit lane.
    ///
    /// # Safety
    /// `at + 4` lies within the query.
    #[inline]
    unsafe fn four(query: &[i8], at: usize) -> i32 {
        // SAFETY: the caller's promise; the read need not be aligned.
        unsafe { query.as_ptr().add(at).cast::<i32>().read_unaligned() }
    }

    /// # Safety
    /// The processor has the features; `blocks` holds `products.len() / 16` blocks of rows as long as the query,
    /// whose length is a multiple of 64.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) unsafe fn coarse_vnni512(query: &[i8], correction: i32, blocks: &[u8], products: &mut [i32]) {
        let half = _mm512_set1_epi8(0x0F);
        let blocks = blocks.chunks_exact(block_bytes(query.len()));
        for (sums, block) in products.chunks_exact_mut(BLOCK_ROWS).zip(blocks) {
            // Four chains of additions, since one instruction waits five cycles for the one before it.
            let mut chains = [
                _mm512_set1_epi32(-correction),
                _mm512_setzero_si512(),
                _mm512_setzero_si512(),
                _mm512_setzero_si512(),
            ];
            for pair in 0..query.len() / (2 * LINE_NUMBERS) {
                for odd in 0..2 {
                    let line = 2 * pair + odd;
                    // SAFETY: `line` is one of the block's, and its eight numbers are in the query.
                    let (bytes, low, high) = unsafe {
                        (
                            _mm512_loadu_si512(block.as_ptr().add(line * LINE_BYTES).cast()),
                            four(query, line * LINE_NUMBERS),
                            four(query, line * LINE_NUMBERS + 4),
                        )
                    };
                    let lows = _mm512_and_si512(bytes, half);
                    let highs = _mm512_and_si512(_mm512_srli_epi16::<4>(bytes), half);
                    chains[2 * odd] = _mm512_dpbusd_epi32(chains[2 * odd], lows, _mm512_set1_epi32(low));
                    chains[2 * odd + 1] = _mm512_dpbusd_epi32(chains[2 * odd + 1], highs, _mm512_set1_epi32(high));
                }
            }
            let sum = _mm512_add_epi32(_mm512_add_epi32(chains[0], chains[1]), _mm512_add_epi32(chains[2], chains[3]));
            // SAFETY: sixteen products of 32 bits are 64 bytes.
            unsafe { _mm512_storeu_si512(sums.as_mut_ptr().cast(), sum) };
        }
    }

    /// # Safety
    /// The processor has AVX2; the rest as for [`coarse_vnni512`].
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn coarse_avx2(query: &[i8], correction: i32, blocks: &[u8], products: &mut [i32]) {
        let half = _mm256_set1_epi8(0x0F);
        let ones = _mm256_set1_epi16(1);
        let blocks = blocks.chunks_exact(block_bytes(query.len()));
        for (sums, block) in products.chunks_exact_mut(BLOCK_ROWS).zip(blocks) {
            let mut whole = [_mm256_set1_epi32(-correction); 2];
            for lines in 0..query.len() / (SHORT_LINES * LINE_NUMBERS) {
                let mut short = [_mm256_setzero_si256(); 2];
                for line in lines * SHORT_LINES..(lines + 1) * SHORT_LINES {
                    // SAFETY: the line's eight numbers are in the query.
                    let (low, high) =
                        unsafe { (four(query, line * LINE_NUMBERS), four(query, line * LINE_NUMBERS + 4)) };
                    let (low, high) = (_mm256_set1_epi32(low), _mm256_set1_epi32(high));
                    for (place, short) in short.iter_mut().enumerate() {
                        // SAFETY: half a line of one of the block's lines.
                        let bytes =
                            unsafe { _mm256_loadu_si256(block.as_ptr().add(line * LINE_BYTES + place * 32).cast()) };
                        let lows = _mm256_maddubs_epi16(_mm256_and_si256(bytes, half), low);
                        let highs = _mm256_maddubs_epi16(_mm256_and_si256(_mm256_srli_epi16::<4>(bytes), half), high);
                        *short = _mm256_add_epi16(*short, _mm256_add_epi16(lows, highs));
                    }
                }
                for (whole, short) in whole.iter_mut().zip(short) {
                    *whole = _mm256_add_epi32(*whole, _mm256_madd_epi16(short, ones));
                }
            }
            // SAFETY: twice eight products of 32 bits.
            unsafe {
                _mm256_storeu_si256(sums.as_mut_ptr().cast(), whole[0]);
                _mm256_storeu_si256(sums.as_mut_ptr().add(BLOCK_ROWS / 2).cast(), whole[1]);
            }
        }
    }

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
            let lower: Vec<u8> = rows.numbers.iter().map(|number| split(*number).1 as u8).collect();
            let mut expected = vec![0; count];
            Kernel::Plain.products(&query, &lower, &mut expected);
            for kernel in Kernel::available() {
                let mut products = vec![0; count];
                kernel.products(&query, &lower, &mut products);
                prop_assert_eq!(&products, &expected, "{:?}", kernel);
            }

            let stride = query.whole.len();
            let upper: Vec<Vec<i8>> =
                rows.numbers.chunks(stride).map(|row| row.iter().map(|number| split(*number).0).collect()).collect();
            let mut block = vec![0; block_bytes(stride)];
            for (place, row) in rows.numbers.chunks(stride).enumerate() {
                put_in_block(row, place, &mut block);
            }
            for kernel in Kernel::available() {
                let mut products = vec![0; BLOCK_ROWS];
                kernel.coarse_products(&query.coarse, &block, &mut products);
                for (product, upper) in products.iter().zip(&upper) {
                    let by_definition: i32 =
                        upper.iter().zip(&query.coarse.numbers).map(|(row, query)| i32::from(*row) * i32::from(*query)).sum();
                    prop_assert_eq!(*product, by_definition, "{:?}", kernel);
                }
            }
            for (place, upper) in upper.iter().enumerate() {
                prop_assert!(upper_parts(&block, place).eq(upper.iter().copied()));
            }
        }
    }
}
