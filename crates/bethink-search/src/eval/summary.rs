//! The figures of a whole run.

use std::collections::BTreeMap;

use super::figure::{Figure, Figures, judge};
use super::judged::{JudgedQuestion, Place};

/// What became of questions that nothing answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Negatives {
    /// How many there were.
    pub questions: usize,
    /// The share that was answered with nothing.
    pub empty: f64,
    /// The chance that the best score of a question with a right file among the first ten is above the
    /// best score of a question without an answer, ties counting half; `None` without either.
    pub separation: Option<f64>,
    /// The share that a cut would reject which keeps 95 of 100 of the well-answered questions.
    pub rejected_at_95: Option<f64>,
}

/// A run in figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Questions that have an answer.
    pub questions: usize,
    /// The mean of each figure over the questions that it applies to.
    pub means: BTreeMap<Figure, f64>,
    /// The figures of each question that has an answer, in the collection's order.
    pub figures: Vec<(String, Figures)>,
    /// Questions that have none; `None` where the collection has no such question.
    pub negatives: Option<Negatives>,
}

/// The score of a question that was answered with nothing, below every other.
const NOTHING: f64 = -1e9;

/// The share of well-answered questions that a cut must keep.
const KEPT: f64 = 0.95;

/// Judges a run. Answers are ordered by score, those of equal score as they stand; a question that the run
/// does not have counts as answered with nothing.
pub fn summarise(questions: &[JudgedQuestion], run: &BTreeMap<String, Vec<Place>>) -> Summary {
    let mut figures = Vec::new();
    let (mut good, mut negative) = (Vec::new(), Vec::new());
    let mut empty = 0;
    for question in questions {
        let mut answer = run.get(&question.id).cloned().unwrap_or_default();
        answer.sort_by(|left, right| right.score.total_cmp(&left.score));
        let best = answer.first().map_or(NOTHING, |place| place.score);
        if question.is_negative() {
            negative.push(best);
            empty += usize::from(answer.is_empty());
            continue;
        }
        let judged = judge(question, &answer);
        if judged.get(&Figure::Success10).is_some_and(|success| *success > 0.0) {
            good.push(best);
        }
        figures.push((question.id.clone(), judged));
    }
    let mut means = BTreeMap::new();
    for figure in Figure::ALL {
        let values: Vec<f64> = figures.iter().filter_map(|(_, figures)| figures.get(&figure).copied()).collect();
        if !values.is_empty() {
            means.insert(figure, values.iter().sum::<f64>() / values.len() as f64);
        }
    }
    let negatives = (!negative.is_empty()).then(|| Negatives {
        questions: negative.len(),
        empty: empty as f64 / negative.len() as f64,
        separation: separation(&good, &negative),
        rejected_at_95: quantile(&good, 1.0 - KEPT)
            .map(|cut| negative.iter().filter(|score| **score < cut).count() as f64 / negative.len() as f64),
    });
    Summary { questions: figures.len(), means, figures, negatives }
}

/// The area under the curve of true against false alarms, as the chance that one is above the other.
fn separation(good: &[f64], negative: &[f64]) -> Option<f64> {
    if good.is_empty() || negative.is_empty() {
        return None;
    }
    let mut ordered = negative.to_vec();
    ordered.sort_by(f64::total_cmp);
    let above: f64 = good
        .iter()
        .map(|score| {
            let below = ordered.partition_point(|other| other < score);
            let not_above = ordered.partition_point(|other| other <= score);
            (below + not_above) as f64 / 2.0
        })
        .sum();
    Some(above / (good.len() * negative.len()) as f64)
}

/// The value below which that share lies, between neighbours by their distance.
pub(super) fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let mut ordered = values.to_vec();
    ordered.sort_by(f64::total_cmp);
    let place = share.clamp(0.0, 1.0) * ordered.len().checked_sub(1)? as f64;
    let below = *ordered.get(place.floor() as usize)?;
    let above = *ordered.get(place.ceil() as usize)?;
    Some(below + (above - below) * place.fract())
}

#[cfg(test)]
mod tests {
    use super::super::judged::RightPlace;
    use super::*;

    fn run(answers: &[(&str, &[(&str, f64)])]) -> BTreeMap<String, Vec<Place>> {
        let place = |(path, score): &(&str, f64)| Place { path: (*path).to_owned(), line: 1, score: *score };
        answers.iter().map(|(id, places)| ((*id).to_owned(), places.iter().map(place).collect())).collect()
    }

    fn asked(id: &str, path: Option<&str>) -> JudgedQuestion {
        let right = path.map(|path| RightPlace { path: path.to_owned(), lines: None, grade: 1 });
        JudgedQuestion { id: id.to_owned(), right: right.into_iter().collect() }
    }

    #[test]
    fn unanswered_questions_count_and_negatives_are_told_apart() {
        let questions = [asked("1", Some("a")), asked("2", Some("b")), asked("n", None), asked("m", None)];
        let summary = summarise(&questions, &run(&[("1", &[("x", 0.1), ("a", 0.9)]), ("n", &[("a", 0.5)])]));
        assert_eq!(summary.questions, 2);
        assert!((summary.means[&Figure::Success1] - 0.5).abs() < 1e-9, "ordered by score: {summary:?}");
        let negatives = summary.negatives.expect("two questions have no answer");
        assert_eq!((negatives.questions, negatives.empty), (2, 0.5));
        assert_eq!((negatives.separation, negatives.rejected_at_95), (Some(1.0), Some(1.0)));
    }

    #[test]
    fn ties_count_half_and_quantiles_lie_between() {
        assert_eq!(separation(&[1.0], &[1.0]), Some(0.5));
        assert_eq!(separation(&[2.0, 3.0], &[1.0, 1.0]), Some(1.0));
        assert_eq!(separation(&[], &[1.0]), None);
        assert_eq!(quantile(&[4.0, 0.0], 0.25), Some(1.0));
        assert_eq!(quantile(&[], 0.5), None);
    }
}
