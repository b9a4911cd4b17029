//! Products of bytes on the tile unit (AMX).
//!
//! A tile of the left side is 16 rows of 64 bytes, as they lie; one of the right side is 16 lines of a
//! panel, as they lie. Up to 16 rows, as most questions have, need one tile of rows; more need two.

use std::arch::asm;
use std::arch::x86_64::__m512;

use super::stage::{MOST_ROWS, Product, Sums};
use super::vector::build;
use crate::transformer::PANEL;
use crate::transformer::amx::{configure, release};

build!(AMX, "avx512f,avx2,fma", __m512, Tiles, linear_amx, quantise_amx);

/// Rows of a tile.
const TILE_ROWS: usize = 16;
/// Inputs of a tile.
pub(super) const DEPTH: usize = 64;

/// The tile unit in bytes.
pub(super) struct Tiles;

impl Product for Tiles {
    const ROWS: usize = MOST_ROWS;

    #[inline(always)]
    unsafe fn begin() {
        // SAFETY: the caller has seen that the tiles may be used, and will call `end`.
        unsafe { configure() }
    }

    #[inline(always)]
    unsafe fn end() {
        // SAFETY: `begin` came before.
        unsafe { release() }
    }

    #[inline(always)]
    unsafe fn multiply(rows: *const u8, count: usize, inputs: usize, weights: *const i8, sums: &mut Sums) {
        debug_assert!(inputs.is_multiple_of(DEPTH));
        // SAFETY: the caller vouches for a block of rows and two panels.
        unsafe {
            if count > TILE_ROWS {
                multiply_two(rows, inputs, weights, sums);
            } else {
                multiply_one(rows, inputs, weights, sums);
            }
        }
    }
}

/// Sums of 32 rows.
///
/// # Safety
///
/// The tiles must be configured, `rows` must have 32 rows of `inputs`, `weights` two panels.
#[inline(always)]
unsafe fn multiply_two(rows: *const u8, inputs: usize, weights: *const i8, sums: &mut Sums) {
    // SAFETY: each turn reads 64 bytes of 32 rows and 1,024 bytes of each panel, `inputs / 64` times; four
    // tiles are written, two side by side in the upper 16 rows and two in the lower.
    unsafe {
        asm!(
            "tilezero tmm0",
            "tilezero tmm1",
            "tilezero tmm2",
            "tilezero tmm3",
            "2:",
            "tileloadd tmm4, [{upper} + {stride}]",
            "tileloadd tmm6, [{left} + {line}]",
            "tileloadd tmm7, [{right} + {line}]",
            "tileloadd tmm5, [{lower} + {stride}]",
            "tdpbusd tmm0, tmm4, tmm6",
            "tdpbusd tmm1, tmm4, tmm7",
            "tdpbusd tmm2, tmm5, tmm6",
            "tdpbusd tmm3, tmm5, tmm7",
            "add {upper}, 64",
            "add {lower}, 64",
            "add {left}, 1024",
            "add {right}, 1024",
            "dec {turns}",
            "jnz 2b",
            "tilestored [{to} + {line}*2], tmm0",
            "tilestored [{to} + {line}*2 + 64], tmm1",
            "tilestored [{to} + {line}*2 + 2048], tmm2",
            "tilestored [{to} + {line}*2 + 2112], tmm3",
            upper = inout(reg) rows => _,
            lower = inout(reg) rows.add(TILE_ROWS * inputs) => _,
            stride = in(reg) inputs,
            left = inout(reg) weights => _,
            right = inout(reg) weights.add(PANEL * inputs) => _,
            line = in(reg) 64usize,
            turns = inout(reg) inputs / DEPTH => _,
            to = in(reg) sums.0.as_mut_ptr(),
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        );
    }
}

/// Sums of 16 rows.
///
/// # Safety
///
/// As [`multiply_two`], with 16 rows.
#[inline(always)]
unsafe fn multiply_one(rows: *const u8, inputs: usize, weights: *const i8, sums: &mut Sums) {
    // SAFETY: as in `multiply_two`, with the upper rows only.
    unsafe {
        asm!(
            "tilezero tmm0",
            "tilezero tmm1",
            "2:",
            "tileloadd tmm4, [{rows} + {stride}]",
            "tileloadd tmm6, [{left} + {line}]",
            "tileloadd tmm7, [{right} + {line}]",
            "tdpbusd tmm0, tmm4, tmm6",
            "tdpbusd tmm1, tmm4, tmm7",
            "add {rows}, 64",
            "add {left}, 1024",
            "add {right}, 1024",
            "dec {turns}",
            "jnz 2b",
            "tilestored [{to} + {line}*2], tmm0",
            "tilestored [{to} + {line}*2 + 64], tmm1",
            rows = inout(reg) rows => _,
            stride = in(reg) inputs,
            left = inout(reg) weights => _,
            right = inout(reg) weights.add(PANEL * inputs) => _,
            line = in(reg) 64usize,
            turns = inout(reg) inputs / DEPTH => _,
            to = in(reg) sums.0.as_mut_ptr(),
            out("tmm0") _, out("tmm1") _, out("tmm4") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        );
    }
}
