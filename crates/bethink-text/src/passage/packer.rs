//! Packing: which of the places where a text may be cut are taken.
//!
//! Filling passages from the top would be simple, but one line inserted at the top of a log would
//! then move every border below it, and every passage would have to be embedded again. So a place
//! is taken for what stands around it: a place is an anchor when no better one lies within
//! [`REACH_TOKENS`] on either side, where the better one has the greater strength (a definition
//! before a paragraph, a paragraph before a line) and among equals the greater hash of the lines
//! at it. An edit can only change anchors within reach of it. Between two anchors, a gap over the
//! limit is cut evenly, and cuts are given up again where the pieces at them fit one passage; both
//! look at what stands there alone.
//!
//! The ends of the stretch count as the best of all places, so that nothing small is left there.

use std::collections::VecDeque;

use super::PASSAGE_LIMIT_TOKENS;

/// The distance over which anchors compete, in model tokens. It must be below half the limit, so
/// that an evenly cut gap gives no smaller pieces than anchors do. Over eight megabytes of papers,
/// mail, minutes and source code, 90, 100 and 115 gave passages of 163–165, 163–167 and 163–171
/// tokens on average, with a twentieth of them below 105, 111 and 118.
const REACH_TOKENS: usize = 115;

/// How many tokens off the even size one step of strength is worth when a gap is cut.
const TOKENS_A_STRENGTH: usize = 15;

/// Lines that repeat without end have no anchors; a gap this long is cut evenly as it stands.
const LONGEST_GAP_TOKENS: usize = 20 * PASSAGE_LIMIT_TOKENS;

/// And so is one with this many places in it, whatever they cost.
const MOST_PLACES: usize = 8192;

/// A place where the text may be cut.
#[derive(Debug, Clone, Copy)]
struct Place {
    offset: usize,
    /// Tokens of the stretch in front of it.
    tokens: usize,
    strength: u8,
    hash: u32,
}

impl Place {
    fn rank(&self) -> (u8, u32) {
        (self.strength, self.hash)
    }
}

/// A cut that may still be given up.
#[derive(Debug, Clone, Copy)]
struct Cut {
    place: Place,
    /// Whether the pieces on both sides of it fit one passage.
    fits: bool,
}

/// Decides on the cuts of one stretch while it streams past.
#[derive(Debug)]
pub(super) struct Packer {
    /// Tokens so far.
    tokens: usize,
    /// Places behind the last anchor.
    places: Vec<Place>,
    /// Places that no later one has beaten, best first; the flag says that none before beats it.
    rivals: VecDeque<(Place, bool)>,
    /// Anchors found while the whole stretch could still be one passage.
    deferred: Vec<Place>,
    /// Where the last anchor is, in tokens.
    anchor: usize,
    /// The cut before the held one, or the start of the stretch, and whether it could be given up.
    before: Place,
    before_fits: bool,
    /// The cut that is decided on next.
    held: Option<Cut>,
    /// The newest cut.
    last: Option<Place>,
}

impl Packer {
    /// A packer for a stretch that begins here.
    pub(super) fn new() -> Self {
        Self {
            tokens: 0,
            places: Vec::new(),
            rivals: VecDeque::new(),
            deferred: Vec::new(),
            anchor: 0,
            before: Place { offset: 0, tokens: 0, strength: u8::MAX, hash: u32::MAX },
            before_fits: false,
            held: None,
            last: None,
        }
    }

    /// Text without a place inside it went by.
    pub(super) fn advance(&mut self, tokens: usize) {
        self.tokens += tokens;
    }

    /// A place to cut is reached.
    pub(super) fn place(&mut self, offset: usize, strength: u8, hash: u32, cuts: &mut Vec<usize>) {
        self.settle(cuts);
        let place = Place { offset, tokens: self.tokens, strength, hash };
        while self.rivals.back().is_some_and(|(rival, _)| rival.rank() < place.rank()) {
            self.rivals.pop_back();
        }
        let clear_start = place.tokens >= REACH_TOKENS;
        let clear = self.rivals.back().is_none_or(|(rival, _)| place.tokens - rival.tokens >= REACH_TOKENS);
        self.rivals.push_back((place, clear && clear_start));
        self.places.push(place);
        if self.tokens - self.anchor > LONGEST_GAP_TOKENS || self.places.len() > MOST_PLACES {
            self.flush_deferred(cuts);
            self.cut_gap(self.tokens, 2 * PASSAGE_LIMIT_TOKENS, cuts);
        }
    }

    /// The stretch ends.
    pub(super) fn finish(mut self, end: usize, cuts: &mut Vec<usize>) {
        self.settle(cuts);
        if self.tokens <= PASSAGE_LIMIT_TOKENS {
            return;
        }
        self.flush_deferred(cuts);
        self.cut_gap(self.tokens, PASSAGE_LIMIT_TOKENS, cuts);
        let end = Place { offset: end, tokens: self.tokens, strength: u8::MAX, hash: u32::MAX };
        self.take(end, cuts);
        if let Some(held) = self.held.take() {
            self.decide(held, Cut { place: end, fits: false }, cuts);
        }
    }

    /// Takes the rivals that nothing can beat any more.
    fn settle(&mut self, cuts: &mut Vec<usize>) {
        while let Some((rival, clear)) = self.rivals.front().copied()
            && rival.tokens + REACH_TOKENS <= self.tokens
        {
            self.rivals.pop_front();
            if clear {
                self.deferred.push(rival);
            }
        }
        if self.tokens > PASSAGE_LIMIT_TOKENS {
            self.flush_deferred(cuts);
        }
    }

    fn flush_deferred(&mut self, cuts: &mut Vec<usize>) {
        for anchor in std::mem::take(&mut self.deferred) {
            if anchor.tokens <= self.anchor {
                continue;
            }
            self.cut_gap(anchor.tokens, PASSAGE_LIMIT_TOKENS, cuts);
            self.take(anchor, cuts);
            self.leave_behind(anchor.offset);
        }
    }

    /// Cuts what lies between the last anchor and `end` evenly until at most `remainder` is left.
    fn cut_gap(&mut self, end: usize, remainder: usize, cuts: &mut Vec<usize>) {
        let mut next = 0;
        let mut last = None;
        while end - self.anchor > remainder {
            let left = end - self.anchor;
            let pieces = left.div_ceil(PASSAGE_LIMIT_TOKENS);
            let even = left / pieces;
            let least = left.saturating_sub((pieces - 1) * PASSAGE_LIMIT_TOKENS).max(1);
            let mut best: Option<(bool, usize, usize)> = None;
            let mut chosen = None;
            for (index, place) in self.places.iter().enumerate().skip(next) {
                if place.tokens >= end {
                    break;
                }
                let size = place.tokens.saturating_sub(self.anchor);
                if size == 0 {
                    continue;
                }
                // Past the limit only the first place counts, and only when there was none before.
                if size > PASSAGE_LIMIT_TOKENS && chosen.is_some() {
                    break;
                }
                let fits = size >= least && size <= PASSAGE_LIMIT_TOKENS;
                let merit = usize::from(place.strength) * TOKENS_A_STRENGTH + PASSAGE_LIMIT_TOKENS;
                let score = (fits, merit.saturating_sub(size.abs_diff(even)), size);
                if best.is_none_or(|known| score > known) {
                    best = Some(score);
                    chosen = Some((index, *place));
                }
                if size > PASSAGE_LIMIT_TOKENS {
                    break;
                }
            }
            let Some((index, place)) = chosen else { break };
            self.take(place, cuts);
            next = index + 1;
            last = Some(place.offset);
        }
        if let Some(offset) = last {
            self.leave_behind(offset);
        }
    }

    /// A piece ends here. Decides on the cut two back, which is now known with all that matters.
    fn take(&mut self, cut: Place, cuts: &mut Vec<usize>) {
        self.anchor = cut.tokens;
        let Some(last) = self.last.replace(cut) else { return };
        // Whether the pieces on both sides of `last` fit one passage.
        let start = self.held.map_or(self.before.tokens, |held| held.place.tokens);
        let last = Cut { place: last, fits: cut.tokens - start <= PASSAGE_LIMIT_TOKENS };
        if let Some(held) = self.held.replace(last) {
            self.decide(held, last, cuts);
        }
    }

    /// A cut is given up where its pieces fit one passage, unless that holds for a neighbour as
    /// well and the neighbour is the worse cut. So no two neighbours are given up, and the decision
    /// hangs on the two cuts on either side alone.
    fn decide(&mut self, held: Cut, next: Cut, cuts: &mut Vec<usize>) {
        let worse_than = |other: &Cut| !other.fits || held.place.rank() < other.place.rank();
        let before = Cut { place: self.before, fits: self.before_fits };
        if !(held.fits && worse_than(&before) && worse_than(&next)) {
            cuts.push(held.place.offset);
        }
        self.before = held.place;
        self.before_fits = held.fits;
    }

    fn leave_behind(&mut self, offset: usize) {
        let behind = self.places.partition_point(|place| place.offset <= offset);
        self.places.drain(..behind);
    }
}
