//! Linear layers on the tile unit of recent x86-64 servers (AMX), in bfloat16 with single-precision sums.
//!
//! Several times as fast as AVX-512 and still of the single-precision class: weights and inputs are
//! rounded to eight significant bits, products and sums are exact to single precision, and what is
//! rounded is centred before and after every layer, so vectors keep a cosine above 0.9999 to the plain
//! kernel's. Only the linear layers are done here; the rest is AVX-512.
//!
//! The tiles are a state that the operating system must be asked for once a process, and that each use
//! configures and releases again, so that no thread carries eight kilobytes of it about.
//!
//! # Layout of the weights
//!
//! For every 32 outputs, for every 32 inputs, two tiles of 16 outputs each. A tile has a row for every two
//! inputs, and a row has for every output the weights of both inputs side by side: what the tile
//! instruction takes as its right operand.

use std::arch::asm;
use std::arch::x86_64::*;
use std::sync::OnceLock;

use super::PANEL;
use super::lanes::Lanes;
use super::operations::Linear;
use super::vector::{AVX512, finish_row};

/// Rows and outputs of the block whose sums stay in tiles: two tiles of 16 each way.
const BLOCK: usize = 32;
/// Inputs of one tile: 64 bytes of bfloat16.
const DEPTH: usize = 32;
/// Bytes of a tile.
const TILE_BYTES: usize = 1024;

/// Whether the processor has the tile unit with bfloat16 and the operating system lets this process use it.
pub(crate) fn is_available() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| has_instructions() && may_use_tiles())
}

fn has_instructions() -> bool {
    const AMX_BF16: u32 = 1 << 22;
    const AMX_TILE: u32 = 1 << 24;
    if !is_x86_feature_detected!("avx512f") || __cpuid(0).eax < 7 {
        return false;
    }
    __cpuid_count(7, 0).edx & (AMX_BF16 | AMX_TILE) == AMX_BF16 | AMX_TILE
}

#[cfg(target_os = "linux")]
fn may_use_tiles() -> bool {
    /// From `asm/prctl.h`: asks for a processor state that is off unless asked for.
    const ARCH_REQ_XCOMP_PERM: libc::c_long = 0x1023;
    /// Number of the state that is the tiles' data.
    const XFEATURE_XTILEDATA: libc::c_long = 18;
    // SAFETY: the call takes two numbers and touches no memory of this process.
    unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0 }
}

#[cfg(not(target_os = "linux"))]
fn may_use_tiles() -> bool {
    false
}

/// Weights of `outputs * inputs`, given in panels, as tiles.
///
/// # Panics
///
/// When widths are no multiples of 32 or the weights too few, which is a fault of this crate.
pub(super) fn tiles(weights: &[f32], inputs: usize, outputs: usize) -> Vec<u16> {
    assert!(inputs.is_multiple_of(DEPTH) && outputs.is_multiple_of(BLOCK) && weights.len() >= inputs * outputs);
    let mut laid_out = Vec::with_capacity(inputs * outputs);
    for block in weights.chunks_exact(2 * PANEL * inputs) {
        let (left, right) = block.split_at(PANEL * inputs);
        for depth in 0..inputs / DEPTH {
            for panel in [left, right] {
                for pair in panel[depth * DEPTH * PANEL..][..DEPTH * PANEL].chunks_exact(2 * PANEL) {
                    let (even, odd) = pair.split_at(PANEL);
                    laid_out.extend(even.iter().zip(odd).flat_map(|(a, b)| [rounded(*a), rounded(*b)]));
                }
            }
        }
    }
    laid_out
}

/// The nearest bfloat16, ties to even.
fn rounded(number: f32) -> u16 {
    let bits = number.to_bits();
    (bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) >> 16) as u16
}

/// A linear layer whose weights have been laid out as tiles; without tiles it is AVX-512's.
/// Handed out only after [`is_available`] said yes.
pub(super) fn linear(mut job: Linear<'_>) {
    let Some(tiles) = job.tiles else { return (AVX512.linear)(job) };
    job.check();
    assert!(tiles.len() >= job.inputs * job.outputs && job.inputs.is_multiple_of(DEPTH));
    let rows = job.rows.next_multiple_of(BLOCK);
    let narrow = job.narrow.of((rows * job.inputs).div_ceil(2)).as_mut_ptr().cast::<u16>();
    // SAFETY: this function is only handed out where AVX-512 and the tiles may be used; `narrow` holds
    // `rows * inputs` numbers of two bytes; the other blocks have been checked.
    unsafe {
        narrow_rows(&job.input[..job.rows * job.inputs], narrow);
        multiply(&mut job, narrow, rows, tiles);
    }
}

/// # Safety
///
/// AVX-512F must be there, and as many bfloat16 numbers writable at `to` as `input` has, a multiple of 16.
#[target_feature(enable = "avx512f")]
unsafe fn narrow_rows(input: &[f32], to: *mut u16) {
    for (index, numbers) in input.chunks_exact(16).enumerate() {
        // SAFETY: 16 numbers are read from a chunk of 16 and written where the caller vouches.
        unsafe {
            let bits = _mm512_castps_si512(_mm512_loadu_ps(numbers.as_ptr()));
            let odd = _mm512_and_si512(_mm512_srli_epi32::<16>(bits), _mm512_set1_epi32(1));
            let up = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
            let halves = _mm512_cvtepi32_epi16(_mm512_srli_epi32::<16>(up));
            _mm256_storeu_si256(to.add(16 * index).cast(), halves);
        }
    }
}

/// The configuration of the tiles: all eight with 16 rows of 64 bytes.
#[repr(C, align(64))]
struct Configuration([u8; 64]);

static CONFIGURATION: Configuration = {
    let mut bytes = [0u8; 64];
    bytes[0] = 1;
    let mut tile = 0;
    while tile < 8 {
        bytes[16 + 2 * tile] = 64;
        bytes[48 + tile] = 16;
        tile += 1;
    }
    Configuration(bytes)
};

/// Sums of a block.
#[repr(C, align(64))]
struct Sums([f32; BLOCK * BLOCK]);

/// # Safety
///
/// As [`linear`]; `input` must have `padded_rows` rows, a multiple of 32.
#[target_feature(enable = "avx512f,avx2,fma")]
unsafe fn multiply(job: &mut Linear<'_>, input: *const u16, padded_rows: usize, tiles: &[u16]) {
    let mut sums = Sums([0.0; BLOCK * BLOCK]);
    // SAFETY: the configuration is one that the tile unit knows; it is released below on this thread,
    // and nothing between can unwind: all blocks were checked before.
    unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const CONFIGURATION.0, options(nostack, readonly)) };
    for column in (0..job.outputs).step_by(BLOCK) {
        let weights = &tiles[column * job.inputs..];
        for row in (0..padded_rows).step_by(BLOCK) {
            // SAFETY: the rows are within the padded input, the weights hold a block of all inputs.
            unsafe {
                multiply_block(input.add(row * job.inputs), job.inputs, weights.as_ptr(), &mut sums);
                for offset in 0..BLOCK.min(job.rows - row) {
                    let left = __m512::load(sums.0.as_ptr().add(offset * BLOCK));
                    let right = __m512::load(sums.0.as_ptr().add(offset * BLOCK + PANEL));
                    finish_row::<__m512>([left, right], job, row + offset, column);
                }
            }
        }
    }
    // SAFETY: gives up what `ldtilecfg` took.
    unsafe { asm!("tilerelease", options(nostack, nomem)) };
}

/// Sums of 32 rows times 32 outputs over all inputs.
///
/// # Safety
///
/// The tiles must be configured; `input` must have 32 rows of `inputs` bfloat16 numbers, `weights` two
/// tiles for every 32 inputs.
#[inline(always)]
unsafe fn multiply_block(input: *const u16, inputs: usize, weights: *const u16, sums: &mut Sums) {
    let stride = 2 * inputs;
    // SAFETY: each turn reads 64 bytes of 32 rows and two tiles, `inputs / 32` times; the sums are
    // written to a block of exactly four tiles.
    unsafe {
        asm!(
            "tilezero tmm0",
            "tilezero tmm1",
            "tilezero tmm2",
            "tilezero tmm3",
            "2:",
            "tileloadd tmm4, [{upper} + {stride}]",
            "tileloadd tmm6, [{weights} + {row}]",
            "tileloadd tmm7, [{weights} + {row} + {tile}]",
            "tileloadd tmm5, [{lower} + {stride}]",
            "tdpbf16ps tmm0, tmm4, tmm6",
            "tdpbf16ps tmm1, tmm4, tmm7",
            "tdpbf16ps tmm2, tmm5, tmm6",
            "tdpbf16ps tmm3, tmm5, tmm7",
            "add {upper}, 64",
            "add {lower}, 64",
            "add {weights}, 2048",
            "dec {turns}",
            "jnz 2b",
            "tilestored [{sums} + {row}*2], tmm0",
            "tilestored [{sums} + {row}*2 + 64], tmm1",
            "tilestored [{sums} + {row}*2 + 2048], tmm2",
            "tilestored [{sums} + {row}*2 + 2112], tmm3",
            upper = inout(reg) input => _,
            lower = inout(reg) input.add(16 * inputs) => _,
            stride = in(reg) stride,
            weights = inout(reg) weights => _,
            row = in(reg) 64usize,
            tile = const TILE_BYTES,
            turns = inout(reg) inputs / DEPTH => _,
            sums = in(reg) sums.0.as_mut_ptr(),
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_to_the_nearest_and_to_even() {
        for bits in [0x3f80_0000_u32, 0x3f80_7fff, 0x3f80_8000, 0x3f80_8001, 0x3f81_8000, 0xc123_4567, 0x0000_0001] {
            let number = f32::from_bits(bits);
            assert_eq!(rounded(number), half::bf16::from_f32(number).to_bits(), "{bits:x}");
        }
    }

    #[test]
    fn lays_pairs_of_inputs_side_by_side() {
        let (inputs, outputs) = (64, 64);
        // In panels; the number at input i and output o is 64 * i + o, rounded.
        let value = |input: usize, output: usize| (64 * input + output) as f32;
        let mut panels = Vec::new();
        for panel in 0..outputs / PANEL {
            for input in 0..inputs {
                panels.extend((0..PANEL).map(|lane| value(input, panel * PANEL + lane)));
            }
        }
        let laid_out = tiles(&panels, inputs, outputs);
        for (input, output) in [(0, 0), (1, 0), (2, 1), (31, 15), (31, 16), (32, 0), (63, 33), (63, 63)] {
            let block = output / 32 * inputs * 32 + input / 32 * 1024 + output % 32 / 16 * 512;
            let place = block + input % 32 / 2 * 32 + output % 16 * 2 + input % 2;
            assert_eq!(laid_out[place], rounded(value(input, output)), "{input} {output}");
        }
    }
}
