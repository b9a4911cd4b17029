//! Products of bytes in vector registers, and the tables of the kernels that use them.
//!
//! VNNI multiplies four unsigned bytes with four signed ones and adds all to a sum in one instruction,
//! exactly. Before it there was only an instruction whose sums of two products saturate in 16 bits, so
//! without VNNI both sides are widened to 16 bits and multiplied in pairs: half the speed, the same sums.

use std::arch::x86_64::*;

use super::stage::{Product, Sums};
use super::{GROUP, LINE_BYTES, STEP};
use crate::transformer::PANEL;
use crate::transformer::vector::with_row_count;

/// Rows of a block: their results, 150 KB for MiniLM's widest layer, stay in the second-level cache.
const ROWS: usize = 24;
/// Rows of a tile: as many as registers hold sums for, two a row of 16 registers, or of 32.
const NARROW_TILE_ROWS: usize = 6;
const WIDE_TILE_ROWS: usize = 12;

macro_rules! build {
    ($table:ident, $features:literal, $lanes:ty, $product:ty, $linear:ident, $quantise:ident) => {
        #[doc = concat!("For processors with ", $features, ". Handed out only after detection: see `Operations::of`.")]
        pub(super) const $table: $crate::transformer::quantised::operations::LinearAndQuantise = (
            // SAFETY: `Operations::of` hands this table out only where the instructions are.
            |job| unsafe { $linear(job) },
            // SAFETY: as above.
            |job| unsafe { $quantise(job) },
        );

        #[target_feature(enable = $features)]
        fn $linear(job: $crate::transformer::quantised::operations::Linear<'_>) {
            // SAFETY: the instructions are enabled here, and `linear` checks all lengths.
            unsafe { $crate::transformer::quantised::stage::linear::<$lanes, $product>(job) }
        }

        #[target_feature(enable = $features)]
        fn $quantise(job: $crate::transformer::quantised::operations::Quantise<'_>) {
            // SAFETY: the instructions are enabled here, and `quantise` checks all lengths.
            unsafe { $crate::transformer::quantised::stage::quantise::<$lanes>(job) }
        }
    };
}
pub(super) use build;

build!(AVX2, "avx2,fma", __m256, Pairs, linear_avx2, quantise_avx2);
build!(AVX_VNNI, "avxvnni,avx2,fma", __m256, FoursNarrow, linear_avx_vnni, quantise_avx_vnni);
// Pairs in wider registers have no more multipliers at their disposal than in the narrow ones.
build!(AVX512, "avx512f,avx2,fma", __m512, Pairs, linear_avx512, quantise_avx512);
build!(AVX512_VNNI, "avx512f,avx512vnni,avx2,fma", __m512, FoursWide, linear_avx512_vnni, quantise_avx512_vnni);

/// Four bytes as one number, as they lie.
///
/// # Safety
///
/// Four bytes must be readable.
#[inline(always)]
unsafe fn group(from: *const u8) -> i32 {
    // SAFETY: see above; no alignment is asked for.
    unsafe { from.cast::<i32>().read_unaligned() }
}

/// AVX-512 with VNNI.
pub(super) struct FoursWide;

impl Product for FoursWide {
    const ROWS: usize = ROWS;

    #[inline(always)]
    unsafe fn multiply(rows: *const u8, count: usize, inputs: usize, weights: *const i8, sums: &mut Sums) {
        for first in (0..count).step_by(WIDE_TILE_ROWS) {
            // SAFETY: within what the caller vouches for; a row of sums is two registers.
            unsafe {
                let (rows, to) = (rows.add(first * inputs), sums.0.as_mut_ptr().add(first * STEP));
                with_row_count!(WIDE_TILE_ROWS.min(count - first), WIDE_TILE_ROWS, COUNT => {
                    tile_wide::<COUNT>(rows, inputs, weights, to);
                });
            }
        }
    }
}

/// # Safety
///
/// AVX-512 with VNNI must be there; `rows` must have `COUNT` rows of `inputs` bytes, `weights` two panels,
/// `to` room for `COUNT` rows of [`STEP`] sums.
#[inline(always)]
unsafe fn tile_wide<const COUNT: usize>(rows: *const u8, inputs: usize, weights: *const i8, to: *mut i32) {
    // SAFETY: every pointer below is within what the caller vouches for.
    unsafe {
        let mut sums = [[_mm512_setzero_si512(); 2]; COUNT];
        let second = weights.add(PANEL * inputs);
        for index in 0..inputs / GROUP {
            let left = _mm512_loadu_si512(weights.add(index * LINE_BYTES).cast());
            let right = _mm512_loadu_si512(second.add(index * LINE_BYTES).cast());
            let mut row = 0;
            while row < COUNT {
                let bytes = _mm512_set1_epi32(group(rows.add(row * inputs + index * GROUP)));
                sums[row][0] = _mm512_dpbusd_epi32(sums[row][0], bytes, left);
                sums[row][1] = _mm512_dpbusd_epi32(sums[row][1], bytes, right);
                row += 1;
            }
        }
        for (row, sums) in sums.iter().enumerate() {
            _mm512_storeu_si512(to.add(row * STEP).cast(), sums[0]);
            _mm512_storeu_si512(to.add(row * STEP + PANEL).cast(), sums[1]);
        }
    }
}

/// VNNI in registers of AVX2.
pub(super) struct FoursNarrow;

impl Product for FoursNarrow {
    const ROWS: usize = ROWS;

    #[inline(always)]
    unsafe fn multiply(rows: *const u8, count: usize, inputs: usize, weights: *const i8, sums: &mut Sums) {
        for panel in 0..2 {
            for first in (0..count).step_by(NARROW_TILE_ROWS) {
                // SAFETY: within what the caller vouches for; a row of a panel's sums is two registers.
                unsafe {
                    let to = sums.0.as_mut_ptr().add(first * STEP + panel * PANEL);
                    let (rows, weights) = (rows.add(first * inputs), weights.add(panel * PANEL * inputs));
                    with_row_count!(NARROW_TILE_ROWS.min(count - first), NARROW_TILE_ROWS, COUNT => {
                        tile_narrow::<COUNT>(rows, inputs, weights, to);
                    });
                }
            }
        }
    }
}

/// # Safety
///
/// AVX-VNNI must be there; `rows` must have `COUNT` rows of `inputs` bytes, `weights` one panel, `to` room
/// for 16 sums in `COUNT` rows that are [`STEP`] apart.
#[inline(always)]
unsafe fn tile_narrow<const COUNT: usize>(rows: *const u8, inputs: usize, weights: *const i8, to: *mut i32) {
    // SAFETY: every pointer below is within what the caller vouches for.
    unsafe {
        let mut sums = [[_mm256_setzero_si256(); 2]; COUNT];
        for index in 0..inputs / GROUP {
            let line = weights.add(index * LINE_BYTES);
            let left = _mm256_loadu_si256(line.cast());
            let right = _mm256_loadu_si256(line.add(LINE_BYTES / 2).cast());
            let mut row = 0;
            while row < COUNT {
                let bytes = _mm256_set1_epi32(group(rows.add(row * inputs + index * GROUP)));
                sums[row][0] = _mm256_dpbusd_avx_epi32(sums[row][0], bytes, left);
                sums[row][1] = _mm256_dpbusd_avx_epi32(sums[row][1], bytes, right);
                row += 1;
            }
        }
        for (row, sums) in sums.iter().enumerate() {
            _mm256_storeu_si256(to.add(row * STEP).cast(), sums[0]);
            _mm256_storeu_si256(to.add(row * STEP + PANEL / 2).cast(), sums[1]);
        }
    }
}

/// AVX2 without VNNI: pairs of 16-bit numbers.
pub(super) struct Pairs;

/// Outputs of a tile of [`Pairs`]: a register holds the two half sums of four outputs.
const PAIR_OUTPUTS: usize = 8;

impl Product for Pairs {
    const ROWS: usize = ROWS;

    #[inline(always)]
    unsafe fn multiply(rows: *const u8, count: usize, inputs: usize, weights: *const i8, sums: &mut Sums) {
        for output in (0..STEP).step_by(PAIR_OUTPUTS) {
            for first in (0..count).step_by(NARROW_TILE_ROWS) {
                // SAFETY: within what the caller vouches for; eight outputs are half of every line of a panel.
                unsafe {
                    let to = sums.0.as_mut_ptr().add(first * STEP + output);
                    let panel = weights.add(output / PANEL * PANEL * inputs + output % PANEL * GROUP);
                    let rows = rows.add(first * inputs);
                    with_row_count!(NARROW_TILE_ROWS.min(count - first), NARROW_TILE_ROWS, COUNT => {
                        tile_pairs::<COUNT>(rows, inputs, panel, to);
                    });
                }
            }
        }
    }
}

/// # Safety
///
/// AVX2 must be there; `rows` must have `COUNT` rows of `inputs` bytes, `weights` half a line of a panel
/// every [`LINE_BYTES`], `to` room for eight sums in `COUNT` rows that are [`STEP`] apart.
#[inline(always)]
unsafe fn tile_pairs<const COUNT: usize>(rows: *const u8, inputs: usize, weights: *const i8, to: *mut i32) {
    // SAFETY: every pointer below is within what the caller vouches for.
    unsafe {
        let mut sums = [[_mm256_setzero_si256(); 2]; COUNT];
        for index in 0..inputs / GROUP {
            let line = weights.add(index * LINE_BYTES);
            let left = _mm256_cvtepi8_epi16(_mm_loadu_si128(line.cast()));
            let right = _mm256_cvtepi8_epi16(_mm_loadu_si128(line.add(16).cast()));
            let mut row = 0;
            while row < COUNT {
                let bytes = _mm_set1_epi32(group(rows.add(row * inputs + index * GROUP)));
                let bytes = _mm256_cvtepu8_epi16(bytes);
                sums[row][0] = _mm256_add_epi32(sums[row][0], _mm256_madd_epi16(bytes, left));
                sums[row][1] = _mm256_add_epi32(sums[row][1], _mm256_madd_epi16(bytes, right));
                row += 1;
            }
        }
        for (row, sums) in sums.iter().enumerate() {
            // Adding neighbours gives outputs 0, 1, 4, 5 and 2, 3, 6, 7; the quarters are put in order.
            let both = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_hadd_epi32(sums[0], sums[1]));
            _mm256_storeu_si256(to.add(row * STEP).cast(), both);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::plain::panel_sums;
    use super::super::stage::MOST_ROWS;
    use super::*;
    use crate::Kernel;
    use crate::transformer::noise::bits;

    /// Bytes without a pattern, the extremes among them.
    fn noise(count: usize, seed: u32) -> Vec<u8> {
        let byte = |bits: u32| match bits >> 28 {
            0 => 0,
            1 => 255,
            _ => (bits >> 16) as u8,
        };
        bits(seed).take(count).map(byte).collect()
    }

    type Multiply = unsafe fn(*const u8, usize, usize, *const i8, &mut Sums);

    #[target_feature(enable = "avx2,fma")]
    fn pairs(rows: *const u8, count: usize, inputs: usize, weights: *const i8, sums: &mut Sums) {
        // SAFETY: the caller upholds what the product asks for.
        unsafe { Pairs::multiply(rows, count, inputs, weights, sums) }
    }

    #[target_feature(enable = "avxvnni,avx2,fma")]
    fn narrow(rows: *const u8, count: usize, inputs: usize, weights: *const i8, sums: &mut Sums) {
        // SAFETY: the caller upholds what the product asks for.
        unsafe { FoursNarrow::multiply(rows, count, inputs, weights, sums) }
    }

    #[target_feature(enable = "avx512f,avx512vnni,avx2,fma")]
    fn wide(rows: *const u8, count: usize, inputs: usize, weights: *const i8, sums: &mut Sums) {
        // SAFETY: the caller upholds what the product asks for.
        unsafe { FoursWide::multiply(rows, count, inputs, weights, sums) }
    }

    fn tiles(rows: *const u8, count: usize, inputs: usize, weights: *const i8, sums: &mut Sums) {
        // SAFETY: only run where the tiles are available; the caller upholds what the product asks for.
        unsafe {
            super::super::tiles::Tiles::begin();
            super::super::tiles::Tiles::multiply(rows, count, inputs, weights, sums);
            super::super::tiles::Tiles::end();
        }
    }

    #[test]
    fn all_products_are_the_plain_ones_to_the_bit() {
        let all: [(Kernel, Multiply, usize); 4] = [
            (Kernel::Avx2, pairs, Pairs::ROWS),
            (Kernel::AvxVnni, narrow, FoursNarrow::ROWS),
            (Kernel::Avx512Vnni, wide, FoursWide::ROWS),
            (Kernel::Amx, tiles, super::super::tiles::Tiles::ROWS),
        ];
        for inputs in [64, 128, 384, 1536] {
            let bytes = noise(32 * inputs, 11);
            let weights: Vec<i8> = noise(STEP * inputs, 12).iter().map(|byte| (*byte as i8).max(-127)).collect();
            for (kernel, multiply, most) in all.iter().filter(|(kernel, ..)| kernel.is_available()) {
                for count in 1..=*most {
                    let mut sums = Sums([7; MOST_ROWS * STEP]);
                    // SAFETY: the processor has the kernel; there are 32 rows and two panels.
                    unsafe { multiply(bytes.as_ptr(), count, inputs, weights.as_ptr(), &mut sums) };
                    for (panel, weights) in weights.chunks_exact(PANEL * inputs).enumerate() {
                        let mut expected = vec![[0; PANEL]; count];
                        panel_sums(&bytes, inputs, weights, &mut expected);
                        for (row, expected) in expected.iter().enumerate() {
                            let found = &sums.0[row * STEP + panel * PANEL..][..PANEL];
                            assert_eq!(found, expected, "{kernel} {inputs} {count} {row} {panel}");
                        }
                    }
                }
            }
        }
    }
}
