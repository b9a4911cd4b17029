//! Rounding vectors: twelve bits a number for the rows that are stored, eight and fifteen for the query.
//!
//! A stored row is `scale × numbers`: the scale is the largest magnitude over 1,919. Of each number the upper
//! four bits, rounded to nearest, stand in the blocks that a scan streams; the lower eight, signed, are read
//! for the candidates only. 1,919 is the largest magnitude whose upper part still fits four bits.
//! How many of the nearest a scan of the upper bits brings up is measured by the `figures` example and
//! by a test; a certified scan brings up all of them, by the norm of what the upper bits leave out.

use crate::IndexError;

/// Rows are padded with zeros to a multiple of this: one 512-bit load of bytes.
pub(crate) const LANE_BYTES: usize = 64;

/// Largest magnitude of a stored number.
const ROW_LIMIT: f32 = 1919.0;
/// What one step of the upper part is worth in steps of the lower.
pub(crate) const COARSE_STEP: i32 = 256;
/// Largest magnitude of a lower part, which is a signed byte.
const LOWER_LIMIT: f32 = 128.0;
/// Largest magnitude of a query's number: its upper half, rounded to the nearest multiple of
/// 128, has to fit a signed byte.
const QUERY_LIMIT: f64 = 16_000.0;
/// Largest magnitude of a number of the query that meets the upper parts.
const COARSE_QUERY_LIMIT: f64 = 127.0;
/// Norms are computed in 64 bits and stored in 32; a bound takes this much more of them, so that no rounding
/// makes it too small.
const ROUNDED_UP: f64 = 1.0 + 1e-6;

/// Numbers that a row of this many takes.
pub(crate) fn stride_of(dimension: usize) -> usize {
    dimension.div_ceil(LANE_BYTES) * LANE_BYTES
}

fn length(vector: &[f32]) -> Result<f64, IndexError> {
    let squares: f64 = vector.iter().map(|number| f64::from(*number) * f64::from(*number)).sum();
    if squares.is_finite() && squares > f64::MIN_POSITIVE { Ok(squares.sqrt()) } else { Err(IndexError::NoDirection) }
}

/// The upper part of a number, −8 to 7, and the signed rest.
pub(crate) fn split(number: i16) -> (i8, i8) {
    let step = COARSE_STEP as i16;
    let upper = (number + step / 2).div_euclid(step);
    (upper as i8, (number - upper * step) as i8)
}

/// The number of two parts.
pub(crate) fn joined(upper: i8, lower: i8) -> i16 {
    i16::from(upper) * COARSE_STEP as i16 + i16::from(lower)
}

/// The norm of the lower parts of a row in units of its numbers, rounded up.
pub(crate) fn lower_norm(numbers: &[i16]) -> f32 {
    let squares: i64 = numbers.iter().map(|number| i64::from(split(*number).1).pow(2)).sum();
    ((squares as f64).sqrt() * ROUNDED_UP) as f32
}

/// Rows as they are stored, one after the other, each padded to the stride.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    pub(crate) numbers: Vec<i16>,
    pub(crate) scales: Vec<f32>,
}

impl Rows {
    /// Appends a vector, brought to unit length.
    pub(crate) fn push(&mut self, vector: &[f32]) -> Result<(), IndexError> {
        let length = length(vector)?;
        let largest = vector.iter().fold(0f32, |largest, number| largest.max(number.abs()));
        let start = self.numbers.len();
        let step = f64::from(largest) / f64::from(ROW_LIMIT);
        self.numbers.extend(vector.iter().map(|number| (f64::from(*number) / step).round() as i16));
        self.numbers.resize(start + stride_of(vector.len()), 0);
        self.scales.push((step / length) as f32);
        Ok(())
    }
}

/// A query, rounded to 15 bits and split for the kernels, and to 8 bits for the upper parts of rows.
pub(crate) struct QuantisedQuery {
    /// `number = 128 × upper + lower`, padded to the stride.
    pub(crate) upper: Vec<i8>,
    pub(crate) lower: Vec<i8>,
    /// The numbers themselves.
    pub(crate) whole: Vec<i16>,
    /// Their sum, which corrects for rows read with their sign bit flipped.
    pub(crate) sum: i32,
    /// What one unit stands for.
    pub(crate) scale: f32,
    /// The numbers for the upper parts.
    pub(crate) coarse: CoarseQuery,
}

/// A query of eight bits a number, for the upper parts of rows.
pub(crate) struct CoarseQuery {
    /// The numbers, padded to the stride.
    pub(crate) numbers: Vec<i8>,
    /// Their sum, which corrects for upper parts stored without a sign.
    pub(crate) sum: i32,
    /// What one unit stands for.
    pub(crate) scale: f32,
    /// The norm of what these numbers miss of the query of fifteen bits, rounded up.
    missed: f32,
    /// The norm of the query of fifteen bits, rounded up: one but for rounding.
    whole_norm: f32,
}

impl CoarseQuery {
    fn new(whole: &[i16], whole_scale: f64) -> Self {
        let largest = whole.iter().map(|number| f64::from(number.unsigned_abs())).fold(1.0, f64::max);
        let step = (largest / COARSE_QUERY_LIMIT).max(1.0);
        let numbers: Vec<i8> = whole.iter().map(|number| (f64::from(*number) / step).round() as i8).collect();
        let missed: f64 = numbers
            .iter()
            .zip(whole)
            .map(|(coarse, whole)| (f64::from(*coarse) * step - f64::from(*whole)).powi(2))
            .sum();
        let squares: f64 = whole.iter().map(|number| f64::from(*number).powi(2)).sum();
        Self {
            sum: numbers.iter().map(|number| i32::from(*number)).sum(),
            numbers,
            scale: (step * whole_scale) as f32,
            missed: (missed.sqrt() * whole_scale * ROUNDED_UP) as f32,
            whole_norm: (squares.sqrt() * whole_scale * ROUNDED_UP) as f32,
        }
    }

    /// By how much a row's cosine may exceed what its upper parts say of it.
    ///
    /// With q the query of fifteen bits and p that of eight, x a row, u its upper and l its lower part,
    /// q·x = p·u + (q − p)·u + q·l, and by Cauchy and Schwarz the last two are at most |q − p| |u| + |q| |l|,
    /// where |u| ≤ |x| + |l|. `lower_norm` is |l|; |x| is one but for rounding.
    #[inline]
    pub(crate) fn slack(&self, lower_norm: f32) -> f32 {
        self.missed * (ROW_NORM + lower_norm) + self.whole_norm * lower_norm + FLOAT_SLACK
    }
}

/// What the norm of a stored row is at most: one, and half a step of 1/1,919 of its largest number in each number,
/// for up to 8,192 numbers.
const ROW_NORM: f32 = 1.03;
/// What the conversions of a rough cosine to 32 bits may lose.
const FLOAT_SLACK: f32 = 1e-5;

impl QuantisedQuery {
    pub(crate) fn new(vector: &[f32]) -> Result<Self, IndexError> {
        let length = length(vector)?;
        let largest = vector.iter().fold(0f32, |largest, number| largest.max(number.abs()));
        // The product with a row has to fit 32 bits: a query of very many numbers keeps fewer bits.
        let stride = stride_of(vector.len());
        let limit = QUERY_LIMIT.min((f64::from(i32::MAX) / (f64::from(LOWER_LIMIT) * stride as f64)).floor()).max(1.0);
        let factor = limit / f64::from(largest);
        let scale = 1.0 / (factor * length);
        let (mut upper, mut lower, mut whole) = (vec![0; stride], vec![0; stride], vec![0; stride]);
        let mut sum = 0;
        for (at, number) in vector.iter().enumerate() {
            let rounded = (f64::from(*number) * factor).round() as i32;
            let half = (rounded + 64) >> 7;
            upper[at] = half as i8;
            lower[at] = (rounded - half * 128) as i8;
            whole[at] = rounded as i16;
            sum += rounded;
        }
        let coarse = CoarseQuery::new(&whole, scale);
        Ok(Self { upper, lower, whole, sum, scale: scale as f32, coarse })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_row_gives_its_vector_back_within_half_a_step(vector in prop::collection::vec(-1f32..1.0, 1..100)) {
            prop_assume!(vector.iter().any(|number| number.abs() > 1e-3));
            let mut rows = Rows::default();
            rows.push(&vector).unwrap();
            let length = length(&vector).unwrap() as f32;
            let largest = vector.iter().fold(0f32, |largest, number| largest.max(number.abs()));
            prop_assert_eq!(rows.numbers.len() % LANE_BYTES, 0);
            for (stored, number) in rows.numbers.iter().zip(&vector) {
                let (upper, lower) = split(*stored);
                prop_assert!((-8..=7).contains(&upper));
                prop_assert_eq!(joined(upper, lower), *stored);
                let back = f32::from(*stored) * rows.scales[0] * length;
                prop_assert!((back - number).abs() <= 0.501 * largest / ROW_LIMIT + 1e-6, "{back} for {number}");
            }
        }

        #[test]
        fn the_halves_of_a_query_are_its_whole(vector in prop::collection::vec(-1f32..1.0, 1..3000)) {
            prop_assume!(vector.iter().any(|number| number.abs() > 1e-3));
            let query = QuantisedQuery::new(&vector).unwrap();
            for at in 0..query.whole.len() {
                prop_assert_eq!(i32::from(query.upper[at]) * 128 + i32::from(query.lower[at]), i32::from(query.whole[at]));
            }
        }

        #[test]
        fn no_cosine_exceeds_its_bound(
            seeds in prop::collection::vec((-1f32..1.0, -1f32..1.0), 1..400),
            spike in prop_oneof![Just(1f32), Just(30.0)],
        ) {
            let (mut query, mut row): (Vec<f32>, Vec<f32>) = seeds.into_iter().unzip();
            query[0] = spike;
            row[0] = -spike;
            let query = QuantisedQuery::new(&query).unwrap();
            let mut rows = Rows::default();
            rows.push(&row).unwrap();
            let scale = f64::from(rows.scales[0]);
            let (mut whole, mut rough) = (0f64, 0f64);
            for (at, number) in rows.numbers.iter().enumerate() {
                whole += f64::from(query.whole[at]) * f64::from(*number);
                rough += f64::from(query.coarse.numbers[at]) * f64::from(split(*number).0);
            }
            whole *= f64::from(query.scale) * scale;
            rough *= f64::from(query.coarse.scale) * scale * f64::from(COARSE_STEP);
            let slack = query.coarse.slack(lower_norm(&rows.numbers) * rows.scales[0]);
            prop_assert!((whole - rough).abs() <= f64::from(slack), "{whole} {rough} {slack}");
        }
    }

    #[test]
    fn what_has_no_direction_is_refused() {
        for vector in [vec![0.0f32; 4], vec![f32::NAN, 1.0], vec![f32::INFINITY, 1.0]] {
            assert!(matches!(Rows::default().push(&vector), Err(IndexError::NoDirection)));
            assert!(matches!(QuantisedQuery::new(&vector), Err(IndexError::NoDirection)));
        }
    }
}
