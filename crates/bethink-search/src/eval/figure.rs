//! The figures of one answered question.
//!
//! Files are judged once each, at their best rank. Passages are judged by line: a result is right if it
//! names a right file and a line within the right lines, [`LINE_SLACK`] more allowed on either side. Each
//! right place counts once; a result beside it keeps its rank, as it does for a reader.
//!
//! nDCG is that of Järvelin and Kekäläinen (2002) with the gain 2^grade − 1 and the discount
//! log₂(rank + 1), over the first ten; recall, reciprocal rank and success are the usual ones.

use std::collections::{BTreeMap, BTreeSet};

use super::judged::{JudgedQuestion, Place, RightPlace};

/// Lines beside the right ones that still land: the eye finds the answer on the same screen.
pub const LINE_SLACK: u32 = 3;

/// Grades above this count as this, so that a slip in a table cannot make every other answer worthless.
const HIGHEST_GRADE: u32 = 16;

/// Ranks that a reader looks at.
const FIRST_PAGE: usize = 10;

/// What is measured of one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Figure {
    /// nDCG of files over the first ten.
    Ndcg10,
    /// Right files among the first five, as a share of all right files.
    Recall5,
    /// Right files among the first ten.
    Recall10,
    /// Right files among the first hundred.
    Recall100,
    /// One over the rank of the first right file, if it is among the first ten.
    Mrr10,
    /// Whether the first file is right.
    Success1,
    /// Whether one of the first five files is right.
    Success5,
    /// Whether one of the first ten files is right.
    Success10,
    /// Results among the first ten whose file stands there already.
    Duplicates10,
    /// nDCG of passages over the first ten results.
    PassageNdcg10,
    /// Right places that one of the first five results hits.
    PassageRecall5,
    /// Right places that one of the first ten results hits.
    PassageRecall10,
    /// Right places that one of the first hundred results hits.
    PassageRecall100,
    /// One over the rank of the first result that hits a right place, if it is among the first ten.
    PassageMrr10,
    /// Whether the first result hits a right place.
    PassageSuccess1,
    /// Whether the first result in a right file hits a right place; of questions with a right file among
    /// the first ten results.
    Landing,
}

impl Figure {
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 16] = [
        Self::Ndcg10,
        Self::Recall5,
        Self::Recall10,
        Self::Recall100,
        Self::Mrr10,
        Self::Success1,
        Self::Success5,
        Self::Success10,
        Self::Duplicates10,
        Self::PassageNdcg10,
        Self::PassageRecall5,
        Self::PassageRecall10,
        Self::PassageRecall100,
        Self::PassageMrr10,
        Self::PassageSuccess1,
        Self::Landing,
    ];

    /// The name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ndcg10 => "ndcg10",
            Self::Recall5 => "recall5",
            Self::Recall10 => "recall10",
            Self::Recall100 => "recall100",
            Self::Mrr10 => "mrr10",
            Self::Success1 => "success1",
            Self::Success5 => "success5",
            Self::Success10 => "success10",
            Self::Duplicates10 => "dup10",
            Self::PassageNdcg10 => "p_ndcg10",
            Self::PassageRecall5 => "p_recall5",
            Self::PassageRecall10 => "p_recall10",
            Self::PassageRecall100 => "p_recall100",
            Self::PassageMrr10 => "p_mrr10",
            Self::PassageSuccess1 => "p_success1",
            Self::Landing => "land",
        }
    }
}

/// The figures of one question; those that do not apply are absent.
pub type Figures = BTreeMap<Figure, f64>;

/// Judges the answer to one question that has one; `answer` is best first.
pub fn judge(question: &JudgedQuestion, answer: &[Place]) -> Figures {
    let mut figures = Figures::new();
    judge_files(question, answer, &mut figures);
    if question.right.iter().any(|right| right.lines.is_some()) {
        judge_passages(question, answer, &mut figures);
    }
    figures
}

fn judge_files(question: &JudgedQuestion, answer: &[Place], figures: &mut Figures) {
    let mut grades: BTreeMap<&str, u32> = BTreeMap::new();
    for right in &question.right {
        let grade = grades.entry(&right.path).or_insert(0);
        *grade = right.grade.max(*grade);
    }
    let mut seen = BTreeSet::new();
    let found: Vec<u32> = answer
        .iter()
        .filter(|place| seen.insert(place.path.as_str()))
        .map(|place| grades.get(place.path.as_str()).copied().unwrap_or(0))
        .collect();
    figures.insert(Figure::Ndcg10, ndcg(&found, grades.values().copied().collect()));
    let share =
        |depth: usize| found.iter().take(depth).filter(|grade| **grade > 0).count() as f64 / grades.len().max(1) as f64;
    figures.insert(Figure::Recall5, share(5));
    figures.insert(Figure::Recall10, share(10));
    figures.insert(Figure::Recall100, share(100));
    figures.insert(Figure::Mrr10, reciprocal_rank(&found));
    for (figure, depth) in [(Figure::Success1, 1), (Figure::Success5, 5), (Figure::Success10, 10)] {
        figures.insert(figure, truth(found.iter().take(depth).any(|grade| *grade > 0)));
    }
    let page = &answer[..answer.len().min(FIRST_PAGE)];
    let distinct: BTreeSet<&str> = page.iter().map(|place| place.path.as_str()).collect();
    figures.insert(Figure::Duplicates10, (page.len() - distinct.len()) as f64);
}

fn judge_passages(question: &JudgedQuestion, answer: &[Place], figures: &mut Figures) {
    let mut used = BTreeSet::new();
    let mut found = Vec::with_capacity(answer.len());
    for place in answer {
        let mut best = 0;
        for (number, right) in question.right.iter().enumerate() {
            if right.grade > 0 && hits(place, right) && used.insert(number) {
                best = right.grade.max(best);
            }
        }
        found.push(best);
    }
    let ideal = question.right.iter().map(|right| right.grade).collect();
    figures.insert(Figure::PassageNdcg10, ndcg(&found, ideal).min(1.0));
    // One result may cover several right places that lie side by side, so places are counted here.
    let share = |depth: usize| {
        let page = &answer[..answer.len().min(depth)];
        let hit = question.right.iter().filter(|right| page.iter().any(|place| hits(place, right))).count();
        hit as f64 / question.right.len().max(1) as f64
    };
    figures.insert(Figure::PassageRecall5, share(5));
    figures.insert(Figure::PassageRecall10, share(10));
    figures.insert(Figure::PassageRecall100, share(100));
    figures.insert(Figure::PassageMrr10, reciprocal_rank(&found));
    figures.insert(Figure::PassageSuccess1, truth(found.first().is_some_and(|grade| *grade > 0)));
    let first =
        answer.iter().take(FIRST_PAGE).find(|place| question.right.iter().any(|right| right.path == place.path));
    if let Some(first) = first {
        figures.insert(Figure::Landing, truth(question.right.iter().any(|right| hits(first, right))));
    }
}

fn hits(place: &Place, right: &RightPlace) -> bool {
    let on_line = |(from, to): (u32, u32)| {
        place.line.saturating_add(LINE_SLACK) >= from && place.line <= to.saturating_add(LINE_SLACK)
    };
    place.path == right.path && right.lines.is_none_or(on_line)
}

fn ndcg(found: &[u32], mut ideal: Vec<u32>) -> f64 {
    ideal.sort_unstable_by(|left, right| right.cmp(left));
    let best = discounted(&ideal);
    if best > 0.0 { discounted(found) / best } else { 0.0 }
}

fn discounted(grades: &[u32]) -> f64 {
    let gain = |grade: u32| f64::from(grade.min(HIGHEST_GRADE)).exp2() - 1.0;
    (2u32..).zip(grades.iter().take(FIRST_PAGE)).map(|(rank, grade)| gain(*grade) / f64::from(rank).log2()).sum()
}

fn reciprocal_rank(found: &[u32]) -> f64 {
    let first = found.iter().take(FIRST_PAGE).position(|grade| *grade > 0);
    first.map_or(0.0, |rank| 1.0 / (rank + 1) as f64)
}

fn truth(is_so: bool) -> f64 {
    f64::from(u8::from(is_so))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(path: &str, line: u32) -> Place {
        Place { path: path.to_owned(), line, score: 0.0 }
    }

    fn right(path: &str, lines: Option<(u32, u32)>, grade: u32) -> RightPlace {
        RightPlace { path: path.to_owned(), lines, grade }
    }

    fn about(figures: &Figures, figure: Figure, value: f64) {
        assert!((figures[&figure] - value).abs() < 1e-9, "{figure:?} {figures:?}");
    }

    #[test]
    fn files_and_places_are_judged_apart() {
        let question = JudgedQuestion {
            id: "q".to_owned(),
            right: vec![right("a", Some((10, 12)), 1), right("b", Some((5, 5)), 1)],
        };
        let figures = judge(&question, &[place("a", 40), place("a", 15), place("c", 1), place("b", 9)]);
        about(&figures, Figure::Recall5, 1.0);
        about(&figures, Figure::Success1, 1.0);
        about(&figures, Figure::Ndcg10, (1.0 + 0.5) / (1.0 + 1.0 / 3f64.log2()));
        about(&figures, Figure::Duplicates10, 1.0);
        about(&figures, Figure::PassageSuccess1, 0.0);
        // Line 15 is within three of 12, line 9 is four from 5.
        about(&figures, Figure::PassageRecall10, 0.5);
        about(&figures, Figure::PassageMrr10, 0.5);
        about(&figures, Figure::Landing, 0.0);
    }

    #[test]
    fn grades_weigh_and_an_empty_answer_counts_nothing() {
        let question = JudgedQuestion { id: "q".to_owned(), right: vec![right("a", None, 3), right("b", None, 1)] };
        about(&judge(&question, &[place("b", 0), place("a", 0)]), Figure::Ndcg10, {
            (1.0 + 7.0 / 3f64.log2()) / (7.0 + 1.0 / 3f64.log2())
        });
        let none = judge(&question, &[]);
        about(&none, Figure::Ndcg10, 0.0);
        about(&none, Figure::Recall100, 0.0);
        assert!(!none.contains_key(&Figure::PassageNdcg10), "no lines are judged where whole files are right");
    }
}
