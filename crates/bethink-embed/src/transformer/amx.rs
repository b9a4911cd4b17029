//! Linear layers and attention on the tile unit of recent x86-64 servers (AMX), in bfloat16 with single-precision sums.
//!
//! Several times as fast as AVX-512 and still of the single-precision class: weights and inputs are
//! rounded to eight significant bits, products and sums are exact to single precision, and what is
//! rounded is centred before and after every layer, so vectors keep a cosine above 0.9999 to the plain
//! kernel's. Products of matrices are done here; the rest is AVX-512.
//!
//! The tiles are a state that the operating system must be asked for once a process, and that each use
//! configures and releases again, so that no thread carries eight kilobytes of it about.
//!
//! # Layout of the weights
//!
//! For every 32 outputs, for every 32 inputs, two tiles of 16 outputs each. A tile has a row for every two
//! inputs, and a row has for every output the weights of both inputs side by side: what the tile
//! instruction takes as its right operand. Keys and values of attention are laid out alike: for the scores
//! the tokens are the outputs and a head's numbers the inputs, for the context the other way about.

use std::arch::asm;
use std::arch::x86_64::*;
use std::sync::OnceLock;

use super::PANEL;
use super::buffer::Buffer;
use super::lanes::Lanes;
use super::operations::{Attention, Linear};
use super::vector::{AVX512, finish_row, soften};

/// Rows and outputs of the block whose sums stay in tiles: two tiles of 16 each way.
const BLOCK: usize = 32;
/// Inputs of one tile: 64 bytes of bfloat16.
const DEPTH: usize = 32;
/// Bytes of a tile.
const TILE_BYTES: usize = 1024;

/// Whether the processor has the tile unit with bfloat16 and bytes (all that have one do) and the operating system lets this process use it.
pub(crate) fn is_available() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| has_instructions() && may_use_tiles())
}

fn has_instructions() -> bool {
    const AMX_BF16: u32 = 1 << 22;
    const AMX_INT8: u32 = 1 << 25;
    const AMX_TILE: u32 = 1 << 24;
    if !is_x86_feature_detected!("avx512f") || __cpuid(0).eax < 7 {
        return false;
    }
    __cpuid_count(7, 0).edx & (AMX_BF16 | AMX_INT8 | AMX_TILE) == AMX_BF16 | AMX_INT8 | AMX_TILE
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
    // SAFETY: released below on this thread; nothing between can unwind, all blocks were checked before.
    unsafe { configure() };
    for column in (0..job.outputs).step_by(BLOCK) {
        let weights = &tiles[column * job.inputs..];
        for row in (0..padded_rows).step_by(BLOCK) {
            // SAFETY: the rows are within the padded input, the weights hold a block of all inputs.
            unsafe {
                multiply_block(input.add(row * job.inputs), job.inputs, weights.as_ptr(), sums.0.as_mut_ptr(), BLOCK);
                for offset in 0..BLOCK.min(job.rows - row) {
                    let left = __m512::load(sums.0.as_ptr().add(offset * BLOCK));
                    let right = __m512::load(sums.0.as_ptr().add(offset * BLOCK + PANEL));
                    finish_row::<__m512>([left, right], job, row + offset, column);
                }
            }
        }
    }
    // SAFETY: the tiles were configured above.
    unsafe { release() };
}

/// Takes the tiles for this thread.
///
/// # Safety
///
/// [`is_available`] must have said yes, and [`release`] must follow on this thread.
#[inline(always)]
pub(super) unsafe fn configure() {
    // SAFETY: reads the 64 bytes of a configuration that the tile unit knows.
    unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const CONFIGURATION.0, options(nostack, readonly)) };
}

/// Gives the tiles up again.
///
/// # Safety
///
/// The tiles must be configured.
#[inline(always)]
pub(super) unsafe fn release() {
    // SAFETY: touches the tiles only.
    unsafe { asm!("tilerelease", options(nostack, nomem)) };
}

/// Sums of 32 rows times 32 outputs over all inputs, written in rows that are `row_length` numbers apart.
///
/// # Safety
///
/// The tiles must be configured; `input` must have 32 rows of `inputs` bfloat16 numbers, `weights` two
/// tiles for every 32 inputs, and `to` room for 32 numbers in each of 32 rows.
#[inline(always)]
unsafe fn multiply_block(input: *const u16, inputs: usize, weights: *const u16, to: *mut f32, row_length: usize) {
    // SAFETY: each turn reads 64 bytes of 32 rows and two tiles, `inputs / 32` times; four tiles are
    // written, two side by side in the upper 16 rows and two in the lower.
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
            "tilestored [{to} + {to_stride}], tmm0",
            "tilestored [{to} + {to_stride} + 64], tmm1",
            "tilestored [{to_lower} + {to_stride}], tmm2",
            "tilestored [{to_lower} + {to_stride} + 64], tmm3",
            upper = inout(reg) input => _,
            lower = inout(reg) input.add(16 * inputs) => _,
            stride = in(reg) 2 * inputs,
            weights = inout(reg) weights => _,
            row = in(reg) 64usize,
            tile = const TILE_BYTES,
            turns = inout(reg) inputs / DEPTH => _,
            to = in(reg) to,
            to_lower = in(reg) to.add(16 * row_length),
            to_stride = in(reg) 4 * row_length,
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        );
    }
}

/// Attention with both products on the tile unit. Handed out only after [`is_available`] said yes.
pub(super) fn attention(mut job: Attention<'_>) {
    job.check();
    // SAFETY: this function is only handed out where AVX-512 and the tiles may be used; lengths have been checked.
    unsafe { attend(&mut job) };
}

/// # Safety
///
/// As [`attention`].
#[target_feature(enable = "avx512f,avx2,fma")]
unsafe fn attend(job: &mut Attention<'_>) {
    let (tokens, width) = (job.tokens, job.head_width);
    let padded = tokens.next_multiple_of(BLOCK);
    let hidden = job.heads * width;
    let queries = narrow_block(&mut job.scratch.queries, padded * width);
    let keys = narrow_block(&mut job.scratch.keys, padded * width);
    let values = narrow_block(&mut job.scratch.values, padded * width);
    let shares = narrow_block(&mut job.scratch.shares, BLOCK * padded);
    let scores = job.scratch.scores.of(BLOCK * padded);
    let mut sums = Sums([0.0; BLOCK * BLOCK]);
    // SAFETY: released below on this thread; nothing between can unwind, all blocks were checked before.
    unsafe { configure() };
    for head in 0..job.heads {
        let projections = &job.projections[head * width..];
        // SAFETY: the three parts of a token's row are `hidden` apart, and the job holds `tokens` rows; the
        // blocks written to hold `padded` tokens.
        unsafe {
            gather_queries(projections, 3 * hidden, tokens, width, queries);
            gather_keys(&projections[hidden..], 3 * hidden, tokens, width, keys);
            gather_values(&projections[2 * hidden..], 3 * hidden, tokens, width, values);
        }
        for row in (0..tokens).step_by(BLOCK) {
            let rows = BLOCK.min(tokens - row);
            let mut factors = [0.0f32; BLOCK];
            // SAFETY: queries have `padded` rows; keys a block for every 32 of `padded` tokens, `32 * width`
            // long; values `padded / 32` pairs of tiles for every 32 numbers of a head; scores and shares 32
            // rows of `padded`; rows that are stored are within the sequence.
            unsafe {
                for key in (0..padded).step_by(BLOCK) {
                    let to = scores.as_mut_ptr().add(key);
                    multiply_block(queries.add(row * width), width, keys.add(key * width), to, padded);
                }
                for (offset, factor) in factors.iter_mut().enumerate().take(rows) {
                    let scores = &mut scores[offset * padded..][..padded];
                    *factor = 1.0 / soften::<__m512>(scores, tokens);
                    narrow_rows(scores, shares.add(offset * padded));
                }
                for column in (0..width).step_by(BLOCK) {
                    multiply_block(shares, padded, values.add(column * padded), sums.0.as_mut_ptr(), BLOCK);
                    for (offset, factor) in factors.iter().enumerate().take(rows) {
                        let to = job.context.as_mut_ptr().add((row + offset) * hidden + head * width + column);
                        for half in [0, PANEL] {
                            let sum = __m512::load(sums.0.as_ptr().add(offset * BLOCK + half));
                            sum.multiply(__m512::all(*factor)).store(to.add(half));
                        }
                    }
                }
            }
        }
    }
    // SAFETY: the tiles were configured above.
    unsafe { release() };
}

/// Room for `count` numbers of two bytes.
fn narrow_block(buffer: &mut Buffer, count: usize) -> *mut u16 {
    buffer.of(count.div_ceil(2)).as_mut_ptr().cast()
}

/// Queries in rows, zeros behind the last token.
///
/// # Safety
///
/// AVX-512F must be there; `to` must have room for the tokens, padded to 32, times `width`.
#[target_feature(enable = "avx512f")]
unsafe fn gather_queries(from: &[f32], stride: usize, tokens: usize, width: usize, to: *mut u16) {
    for token in 0..tokens.next_multiple_of(BLOCK) {
        // SAFETY: every row written lies within what the caller vouches for.
        unsafe {
            let row = to.add(token * width);
            if token < tokens {
                narrow_rows(&from[token * stride..][..width], row);
            } else {
                row.write_bytes(0, width);
            }
        }
    }
}

/// Keys in tiles: a block of 32 tokens has for every 32 numbers two tiles, of which a row is two numbers
/// of 16 tokens. Zeros behind the last token.
///
/// # Safety
///
/// As [`gather_queries`].
#[target_feature(enable = "avx512f")]
unsafe fn gather_keys(from: &[f32], stride: usize, tokens: usize, width: usize, to: *mut u16) {
    for token in 0..tokens.next_multiple_of(BLOCK) {
        for depth in 0..width / DEPTH {
            let mut pairs = [0u32; PANEL];
            if token < tokens {
                // SAFETY: 32 numbers of two bytes are the 16 of four that `pairs` holds.
                unsafe { narrow_rows(&from[token * stride + depth * DEPTH..][..DEPTH], pairs.as_mut_ptr().cast()) };
            }
            let tile = token / BLOCK * BLOCK * width + depth * DEPTH * BLOCK + token % BLOCK / PANEL * (TILE_BYTES / 2);
            for (row, pair) in pairs.into_iter().enumerate() {
                // SAFETY: the place is within the tile, and the tile within the block of all tokens; a
                // buffer begins on a cache line, so pairs are aligned.
                unsafe { to.add(tile + 2 * PANEL * row).cast::<u32>().add(token % PANEL).write(pair) };
            }
        }
    }
}

/// Values in tiles: for every 32 numbers of a head there are two tiles for every 32 tokens, of which a row
/// is two tokens' 16 numbers. Zeros behind the last token.
///
/// # Safety
///
/// As [`gather_queries`].
#[target_feature(enable = "avx512f,avx2,fma")]
unsafe fn gather_values(from: &[f32], stride: usize, tokens: usize, width: usize, to: *mut u16) {
    let padded = tokens.next_multiple_of(BLOCK);
    let mut to = to;
    for column in (0..width).step_by(BLOCK) {
        for block in (0..padded).step_by(BLOCK) {
            for half in [0, PANEL] {
                for token in (block..block + BLOCK).step_by(2) {
                    let mut both = [0u16; 2 * PANEL];
                    // SAFETY: 16 numbers are read where a slice of 16 was taken, 32 are written to `both`,
                    // and 32 to a row of a tile; the rows of all tiles are written in their order.
                    unsafe {
                        for (place, token) in [token, token + 1].into_iter().enumerate() {
                            if token < tokens {
                                let numbers = &from[token * stride + column + half..][..PANEL];
                                narrow_rows(numbers, both.as_mut_ptr().add(place * PANEL));
                            }
                        }
                        let even = _mm512_cvtepu16_epi32(_mm256_loadu_si256(both.as_ptr().cast()));
                        let odd = _mm512_cvtepu16_epi32(_mm256_loadu_si256(both.as_ptr().add(PANEL).cast()));
                        _mm512_storeu_si512(to.cast(), _mm512_or_si512(even, _mm512_slli_epi32::<16>(odd)));
                        to = to.add(2 * PANEL);
                    }
                }
            }
        }
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
