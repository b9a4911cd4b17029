//! The best few of many, in bounded memory.

use std::cmp::Ordering;

/// Beyond twice the limit, this many more are gathered before the worst are thrown away, so that
/// small limits do not select after every few pushes.
const SLACK: usize = 64;

/// Keeps the `limit` least elements under an order in which *less* means *better*. The order must
/// be total and tell any two elements apart, which makes the outcome independent of the order of
/// arrival.
pub(crate) struct Best<T, Order: Fn(&T, &T) -> Ordering> {
    limit: usize,
    kept: Vec<T>,
    full: bool,
    order: Order,
}

impl<T, Order: Fn(&T, &T) -> Ordering> Best<T, Order> {
    pub(crate) fn new(limit: usize, order: Order) -> Self {
        Self { limit, kept: Vec::new(), full: false, order }
    }

    /// The worst of the kept, once `limit` are kept: whatever is worse than it cannot get in.
    /// It may lag behind the true bound, never ahead of it.
    pub(crate) fn bound(&self) -> Option<&T> {
        if self.full { self.kept.get(self.limit.wrapping_sub(1)) } else { None }
    }

    /// Offers an element; true when the bound may have moved.
    pub(crate) fn push(&mut self, element: T) -> bool {
        if self.limit == 0 {
            return false;
        }
        if let Some(bound) = self.bound()
            && (self.order)(&element, bound) != Ordering::Less
        {
            return false;
        }
        self.kept.push(element);
        if self.kept.len() >= 2 * self.limit + SLACK || (!self.full && self.kept.len() == self.limit) {
            self.shrink();
            return true;
        }
        false
    }

    fn shrink(&mut self) {
        if self.kept.len() > self.limit {
            self.kept.select_nth_unstable_by(self.limit - 1, &self.order);
            self.kept.truncate(self.limit);
        }
        if self.kept.len() == self.limit {
            // The bound is read from the last place.
            if let Some(worst) = (0..self.kept.len()).max_by(|a, b| (self.order)(&self.kept[*a], &self.kept[*b])) {
                let last = self.kept.len() - 1;
                self.kept.swap(worst, last);
                self.full = true;
            }
        }
    }

    /// The kept elements, best first.
    pub(crate) fn into_sorted(mut self) -> Vec<T> {
        self.kept.sort_unstable_by(&self.order);
        self.kept.truncate(self.limit);
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_best_are_those_of_a_full_sort(values in prop::collection::vec(0u32..500, 0..900), limit in 0usize..40) {
            let mut best = Best::new(limit, |a: &(u32, usize), b: &(u32, usize)| a.cmp(b));
            let elements: Vec<(u32, usize)> = values.iter().copied().enumerate().map(|(at, value)| (value, at)).collect();
            for element in &elements {
                best.push(*element);
            }
            let mut expected = elements;
            expected.sort_unstable();
            expected.truncate(limit);
            prop_assert_eq!(best.into_sorted(), expected);
        }
    }
}
