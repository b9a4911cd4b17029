//! Which segments to merge, and the merging.

use bethink_core::{ContentId, PassageId};

use super::manifest::DeadRows;
use super::segment::{RowSource, Segment};

/// More segments than this are merged down: each costs an open file and a search at scoring.
pub(crate) const MAX_SEGMENTS: usize = 8;
/// A merge takes at least this many of the smallest, so that not every commit merges.
const MERGE_AT_LEAST: usize = 5;
/// Share of dead rows above which a segment is written anew.
const MAX_DEAD_SHARE: f64 = 0.25;

/// The size of a segment as the policy sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) rows: usize,
    pub(crate) dead: usize,
}

/// The segments to write as one, by their places; empty when all is well. Larger segments join
/// while they are no larger than what is already merged, so that a row is copied a logarithmic
/// number of times and a large old segment is left alone.
pub(crate) fn choose(sizes: &[Size]) -> Vec<usize> {
    let mut chosen: Vec<usize> = (0..sizes.len())
        .filter(|place| sizes[*place].dead as f64 > MAX_DEAD_SHARE * sizes[*place].rows as f64)
        .collect();
    let dead_merge = usize::from(!chosen.is_empty());
    if sizes.len() - chosen.len() + dead_merge > MAX_SEGMENTS {
        let mut by_size: Vec<usize> = (0..sizes.len()).filter(|place| !chosen.contains(place)).collect();
        by_size.sort_by_key(|place| (sizes[*place].rows, *place));
        let mut merged: usize = chosen.iter().map(|place| sizes[*place].rows - sizes[*place].dead).sum();
        for (taken, place) in by_size.into_iter().enumerate() {
            if taken >= MERGE_AT_LEAST && sizes[place].rows > merged {
                break;
            }
            merged += sizes[place].rows;
            chosen.push(place);
        }
    }
    chosen.sort_unstable();
    chosen
}

/// The live rows of several segments, ascending by passage.
pub(crate) struct MergedRows<'a> {
    segments: Vec<&'a Segment>,
    /// Segment and row; eight bytes for each row that is merged.
    order: Vec<(u32, u32)>,
}

impl<'a> MergedRows<'a> {
    pub(crate) fn new(parts: &[(&'a Segment, &DeadRows)]) -> Self {
        let mut order = Vec::new();
        for (place, (segment, dead)) in parts.iter().enumerate() {
            order.extend((0..segment.rows()).filter(|row| !dead.contains(*row)).map(|row| (place as u32, row as u32)));
        }
        let segments: Vec<&Segment> = parts.iter().map(|(segment, _)| *segment).collect();
        // Stretches are sorted already; the standard sort finds and merges them.
        order.sort_by_key(|(place, row)| segments[*place as usize].passage(*row as usize));
        Self { segments, order }
    }

    fn at(&self, index: usize) -> (&'a Segment, usize) {
        let (place, row) = self.order[index];
        (self.segments[place as usize], row as usize)
    }
}

impl RowSource for MergedRows<'_> {
    fn rows(&self) -> usize {
        self.order.len()
    }

    fn numbers(&self, index: usize, into: &mut Vec<i16>) {
        let (segment, row) = self.at(index);
        segment.numbers(row, into);
    }

    fn scale(&self, index: usize) -> f32 {
        let (segment, row) = self.at(index);
        segment.scale(row)
    }

    fn passage(&self, index: usize) -> PassageId {
        let (segment, row) = self.at(index);
        segment.passage(row)
    }

    fn content(&self, index: usize) -> ContentId {
        let (segment, row) = self.at(index);
        segment.content(row)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn after_merging_there_are_few_segments_and_few_dead_rows(
            sizes in prop::collection::vec((0usize..5000, 0usize..5000), 0..40),
        ) {
            let sizes: Vec<Size> = sizes.iter().map(|(rows, dead)| Size { rows: *rows, dead: *dead.min(rows) }).collect();
            let chosen = choose(&sizes);
            let left = sizes.len() - chosen.len() + usize::from(!chosen.is_empty());
            prop_assert!(left <= MAX_SEGMENTS);
            for (place, size) in sizes.iter().enumerate() {
                if !chosen.contains(&place) {
                    prop_assert!(size.dead as f64 <= MAX_DEAD_SHARE * size.rows as f64);
                }
            }
        }
    }

    #[test]
    fn a_large_segment_stays_when_small_ones_pile_up() {
        let mut sizes = vec![Size { rows: 280_000, dead: 10 }];
        sizes.extend(std::iter::repeat_n(Size { rows: 100, dead: 0 }, MAX_SEGMENTS));
        let chosen = choose(&sizes);
        assert!(!chosen.contains(&0) && chosen.len() >= MERGE_AT_LEAST);
    }
}
