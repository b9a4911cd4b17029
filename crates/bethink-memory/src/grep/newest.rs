//! The newest of many, in bounded room.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Place;

/// The newest places that were offered, up to a number.
#[derive(Debug)]
pub(super) struct Newest {
    limit: usize,
    kept: BinaryHeap<Reverse<Place>>,
    turned_away: bool,
}

impl Newest {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, kept: BinaryHeap::with_capacity(limit + 1), turned_away: false }
    }

    /// What a place must be newer than to be kept; `None` while there is room.
    pub(super) fn threshold(&self) -> Option<Place> {
        if self.kept.len() < self.limit { None } else { self.kept.peek().map(|Reverse(place)| *place) }
    }

    pub(super) fn offer(&mut self, place: Place) {
        self.kept.push(Reverse(place));
        if self.kept.len() > self.limit {
            self.kept.pop();
            self.turned_away = true;
        }
    }

    /// Remembers that something was passed over because it could not have been kept.
    pub(super) fn pass_over(&mut self) {
        self.turned_away = true;
    }

    /// Whether there may be more than is kept.
    pub(super) fn has_more(&self) -> bool {
        self.turned_away
    }

    /// The newest, newest first.
    pub(super) fn best(&self) -> Vec<Place> {
        let mut best: Vec<Place> = self.kept.iter().map(|Reverse(place)| *place).collect();
        best.sort_unstable_by(|one, other| other.cmp(one));
        best
    }
}

#[cfg(test)]
mod tests {
    use bethink_core::UnixMillis;

    use super::*;

    #[test]
    fn the_newest_are_kept_whatever_the_order() {
        let mut newest = Newest::new(2);
        assert_eq!(newest.threshold(), None);
        for (time, position) in [(5, 1), (9, 2), (1, 3), (7, 4)] {
            newest.offer((UnixMillis(time), position));
        }
        assert_eq!(newest.best(), [(UnixMillis(9), 2), (UnixMillis(7), 4)]);
        assert_eq!(newest.threshold(), Some((UnixMillis(7), 4)));
        assert!(newest.has_more());
    }
}
