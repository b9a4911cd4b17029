use std::collections::BTreeMap;
use std::path::Path;

use bethink_core::{ContentId, DocumentId, Format, Language, PassageId, Sequence};
use bethink_index::{ContentSet, IndexError, LexicalPassage, Lexicon, LexiconWriter};
use bethink_text::query_terms;
use proptest::prelude::*;
use tempfile::TempDir;

use crate::random::Random;

const STORE: [u8; 16] = [3; 16];

fn writer(folder: &TempDir) -> LexiconWriter {
    LexiconWriter::open(folder.path(), STORE).unwrap()
}

fn add(writer: &mut LexiconWriter, content: u64, texts: &[(u64, &str)]) {
    let passages: Vec<LexicalPassage<'_>> = texts
        .iter()
        .map(|(passage, text)| LexicalPassage { passage: PassageId(*passage), heading: &[], text })
        .collect();
    writer.add_passages(ContentId(content), Format::Text, &passages).unwrap();
}

fn lexicon(folder: &TempDir) -> Lexicon {
    Lexicon::open(folder.path()).unwrap().unwrap()
}

fn found(lexicon: &Lexicon, query: &str) -> Vec<u64> {
    lexicon.passages(&query_terms(query), None, 50).unwrap().iter().map(|hit| hit.passage.0).collect()
}

/// A lexicon of one text a passage, numbered from 1.
fn of(texts: &[&str]) -> (TempDir, Lexicon) {
    let folder = TempDir::new().unwrap();
    let mut open = writer(&folder);
    for (number, text) in (1..).zip(texts) {
        add(&mut open, number, &[(number, text)]);
    }
    open.commit(Sequence(1)).unwrap();
    drop(open);
    let lexicon = lexicon(&folder);
    (folder, lexicon)
}

#[test]
fn no_word_is_mandatory_unless_quoted() {
    let (_folder, lexicon) =
        of(&["tram 28 ride in Lisbon", "a ride on the train", "the ride of the tram", "nothing of the kind"]);
    let mut both = found(&lexicon, "where was the tram ride?")[..2].to_vec();
    both.sort_unstable();
    assert_eq!(both, [1, 3]);
    assert_eq!(found(&lexicon, "Lisbon tram")[0], 1);
    assert_eq!(found(&lexicon, "Lisbon zeppelin"), [1]);
    assert_eq!(found(&lexicon, "\"tram ride\""), [] as [u64; 0]);
    assert_eq!(found(&lexicon, "\"tram 28\" kind"), [1]);
    assert_eq!(found(&lexicon, "zeppelin"), [] as [u64; 0]);
    assert_eq!(found(&lexicon, ""), [] as [u64; 0]);
}

#[test]
fn a_text_says_together_what_its_passages_say_apart() {
    let folder = TempDir::new().unwrap();
    let mut open = writer(&folder);
    add(&mut open, 1, &[(1, "the tram climbs slowly"), (2, "a view over Lisbon from above")]);
    add(&mut open, 2, &[(3, "the tram stands in the depot"), (4, "nothing of the kind")]);
    open.commit(Sequence(1)).unwrap();
    drop(open);
    let lexicon = lexicon(&folder);
    let query = query_terms("tram Lisbon");
    let passages = [PassageId(4), PassageId(3), PassageId(2), PassageId(1)];
    let contents = [ContentId(2), ContentId(2), ContentId(1), ContentId(1)];
    let apart = lexicon.score(&query, &passages).unwrap();
    let scores = lexicon.score_together(&query, &passages, &contents).unwrap();
    assert!(scores.iter().map(|score| score.own).eq(apart.iter().copied()), "{scores:?} {apart:?}");
    let together: Vec<f32> = scores.iter().map(|score| score.together).collect();
    assert!((together[3] - (apart[3] + apart[2])).abs() < 1e-5, "{together:?} {apart:?}");
    assert_eq!(together[3], together[2]);
    assert!((together[0] - apart[1]).abs() < 1e-5, "{together:?} {apart:?}");
    let alone = lexicon.score_together(&query, &passages[3..], &contents[3..]).unwrap();
    assert!((alone[0].together - apart[3]).abs() < 1e-5, "only the passages that are given count: {alone:?}");
    assert!(lexicon.score_together(&query, &[], &[]).unwrap().is_empty());
}

#[test]
fn scripts_without_spaces_are_found_by_two_characters() {
    let (_folder, lexicon) =
        of(&["中文合約轉換體驗課問題", "今日は成語しりとりをした", "끝말잇기 놀이", "重跑gen-itgc后50条", "設備清單"]);
    for (query, expected) in [("合約", 1), ("しりとり", 2), ("끝말잇기", 3), ("itgc", 4), ("設備", 5)] {
        assert_eq!(found(&lexicon, query).first(), Some(&expected), "{query}");
    }
    assert_eq!(found(&lexicon, "\"體驗課\""), [1]);
}

#[test]
fn nothing_that_can_be_typed_is_an_error() {
    let (_folder, lexicon) = of(&["release 1.0.21 is out", "speak of GB/s and C++", "TODO: fix grammar::fa"]);
    let long = "word ".repeat(2000);
    for query in [
        "\"1.0.21\"",
        "a-b",
        "foo:bar(",
        "don't use agents",
        "GB/s",
        "grammar::fa",
        "TODO: fix",
        "C++",
        ".env.local",
        "NEAR(",
        "a AND",
        "*",
        "\"",
        "",
        " ",
        "\u{0}",
        "🎉",
        "\"\"",
        "\"*\"",
        "\"the\"",
        long.as_str(),
    ] {
        let query = query_terms(query);
        lexicon.passages(&query, None, 10).unwrap();
        lexicon.documents(&query, 10).unwrap();
        lexicon.score(&query, &[PassageId(1)]).unwrap();
        lexicon.term_statistics(&query).unwrap();
        lexicon.holds_phrases(&query, &[PassageId(1)]).unwrap();
        lexicon.matched_terms(&query, &[PassageId(1)]).unwrap();
    }
    assert_eq!(found(&lexicon, "\"1.0.21\""), [1]);
    assert_eq!(found(&lexicon, "GB/s")[0], 2);
    assert_eq!(found(&lexicon, "grammar::fa")[0], 3);
}

#[test]
fn a_small_folder_beside_a_large_one_is_searched_to_the_bottom() {
    let folder = TempDir::new().unwrap();
    let mut open = writer(&folder);
    // The many match better than the few, and there are more of them than any limit.
    for content in 0..3000 {
        add(&mut open, content, &[(content, "budget budget budget")]);
    }
    for content in 3000..3200 {
        add(&mut open, content, &[(content, "the budget is mentioned among a good many other words here")]);
    }
    open.commit(Sequence(1)).unwrap();
    let lexicon = lexicon(&folder);
    for scope in [5u64, 200] {
        let scope: ContentSet = (3000..3000 + scope).map(ContentId).collect();
        let hits = lexicon.passages(&query_terms("budget"), Some(&scope), 3).unwrap();
        let ids: Vec<u64> = hits.iter().map(|hit| hit.passage.0).collect();
        assert_eq!(ids, [3000, 3001, 3002]);
    }
    assert!(lexicon.passages(&query_terms("budget"), Some(&ContentSet::default()), 3).unwrap().is_empty());
}

#[test]
fn headings_code_and_unfinished_words_count() {
    let folder = TempDir::new().unwrap();
    let mut open = writer(&folder);
    let heading = ["Handbook".to_owned(), "Travel expenses".to_owned()];
    let under = LexicalPassage { passage: PassageId(1), heading: &heading, text: "Keep every receipt." };
    open.add_passages(ContentId(1), Format::Markdown, &[under]).unwrap();
    let code = LexicalPassage { passage: PassageId(2), heading: &[], text: "fn parseBudgetTable(rows: usize) {}" };
    open.add_passages(ContentId(2), Format::Code(Language::Rust), &[code]).unwrap();
    open.commit(Sequence(1)).unwrap();
    let lexicon = lexicon(&folder);
    assert_eq!(found(&lexicon, "travel"), [1]);
    assert_eq!(found(&lexicon, "\"travel expenses\""), [1]);
    assert_eq!(found(&lexicon, "parseBudgetTable"), [2]);
    assert_eq!(found(&lexicon, "budget"), [2]);
    assert_eq!(found(&lexicon, "expen"), [] as [u64; 0], "completions come from the passages' own words");
    assert_eq!(found(&lexicon, "recei"), [1]);
    let masks = lexicon.matched_terms(&query_terms("travel budget"), &[PassageId(1), PassageId(2)]).unwrap();
    assert!(masks[0].contains(0) && !masks[0].contains(1) && masks[1].contains(1) && !masks[1].contains(0));
}

#[test]
fn documents_are_found_by_name_title_and_folder() {
    let folder = TempDir::new().unwrap();
    let mut open = writer(&folder);
    let put = |open: &mut LexiconWriter, id: u64, path: &str, title: Option<&str>| {
        open.put_document(DocumentId(id), Path::new(path), title).unwrap();
    };
    put(&mut open, 1, "/home/ada/work/Acme Financial - One Page Memo.pptx", None);
    put(&mut open, 2, "/home/ada/work/fermi_draft-v2.md", Some("On the radius of jaws"));
    put(&mut open, 3, "/home/ada/fermi/notes.md", None);
    open.commit(Sequence(1)).unwrap();
    let names = |lexicon: &Lexicon, query: &str| -> Vec<u64> {
        lexicon.documents(&query_terms(query), 10).unwrap().iter().map(|hit| hit.document.0).collect()
    };
    let before = lexicon(&folder);
    assert_eq!(names(&before, "financial memo"), [1]);
    assert_eq!(names(&before, "fermi"), [2, 3]);
    assert_eq!(names(&before, "jaw radius"), [2]);
    let odd = |document: DocumentId| document.0 != 2;
    assert_eq!(before.documents_where(&query_terms("fermi"), 1, &odd).unwrap()[0].document, DocumentId(3));
    let scores = before.score_documents(&query_terms("fermi"), &[DocumentId(3), DocumentId(1)]).unwrap();
    assert!(scores[0] > 0.0 && scores[1] == 0.0);
    // A move replaces the old name; a removal takes it away.
    put(&mut open, 2, "/home/ada/work/essay.md", None);
    open.remove_document(DocumentId(1)).unwrap();
    open.commit(Sequence(2)).unwrap();
    let after = lexicon(&folder);
    assert_eq!(names(&after, "fermi"), [3]);
    assert_eq!(names(&after, "essay"), [2]);
    assert_eq!(names(&after, "memo"), [] as [u64; 0]);
    assert_eq!(after.document_count(), 2);
    assert_eq!(names(&before, "financial memo"), [1], "an open reader keeps what it has");
}

/// The last thing said about each content.
type Model = BTreeMap<u64, Vec<(u64, String)>>;

fn text(random: &mut Random) -> String {
    const WORDS: [&str; 12] = [
        "budget", "river", "stone", "letter", "orange", "cloud", "kernel", "parser", "table", "garden", "moon", "iron",
    ];
    (0..1 + random.below(14)).map(|_| WORDS[random.below(WORDS.len())]).collect::<Vec<_>>().join(" ")
}

fn play(folder: &TempDir, steps: &[(u8, u64, u64)], model: &mut Model) {
    let mut open = writer(folder);
    for (kind, content, seed) in steps {
        match kind {
            0..=4 => {
                let mut random = Random::new(*seed);
                let passages: Vec<(u64, String)> =
                    (0..1 + random.below(4) as u64).map(|nth| (content * 10 + nth, text(&mut random))).collect();
                let borrowed: Vec<(u64, &str)> = passages.iter().map(|(id, text)| (*id, text.as_str())).collect();
                // Replacing what this very batch added needs a removal in between, as the log has it.
                open.remove_content(ContentId(*content)).unwrap();
                add(&mut open, *content, &borrowed);
                model.insert(*content, passages);
            }
            5 | 6 => {
                open.remove_content(ContentId(*content)).unwrap();
                model.remove(content);
            }
            7 | 8 => open.commit(Sequence(1)).unwrap(),
            _ => open.purge().unwrap(),
        }
    }
    open.commit(Sequence(2)).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    #[test]
    fn replaying_any_history_gives_the_same_answers(
        steps in prop::collection::vec((0u8..10, 0u64..15, any::<u64>()), 0..25),
    ) {
        let folder = TempDir::new().unwrap();
        let mut model = Model::new();
        play(&folder, &steps, &mut model);
        let once = lexicon(&folder);
        play(&folder, &steps, &mut model);
        let twice = lexicon(&folder);
        let living: usize = model.values().map(Vec::len).sum();
        prop_assert_eq!(twice.passage_count(), living as u64);
        for query in ["budget", "river stone", "\"orange cloud\" kernel"] {
            let query = query_terms(query);
            let hits = twice.passages(&query, None, 500).unwrap();
            let holds = |text: &str| {
                let text = format!(" {text} ");
                if query.phrases.is_empty() {
                    query.terms.iter().any(|term| text.contains(&format!(" {} ", term.original)))
                } else {
                    text.contains(" orange cloud ")
                }
            };
            let mut expected: Vec<u64> =
                model.values().flatten().filter(|(_, text)| holds(text)).map(|(id, _)| *id).collect();
            let mut found: Vec<u64> = hits.iter().map(|hit| hit.passage.0).collect();
            found.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(&found, &expected);
            let mut before: Vec<u64> = once.passages(&query, None, 500).unwrap().iter().map(|hit| hit.passage.0).collect();
            before.sort_unstable();
            prop_assert_eq!(&before, &expected);

            // A hit's score is the score of the passage by itself; limits cut the whole answer.
            let ids: Vec<PassageId> = hits.iter().map(|hit| hit.passage).collect();
            let scores: Vec<f32> = hits.iter().map(|hit| hit.score).collect();
            prop_assert_eq!(twice.score(&query, &ids).unwrap(), scores);
            prop_assert!(hits.is_sorted_by(|a, b| a.score > b.score || a.score == b.score && a.passage < b.passage));
            prop_assert_eq!(twice.passages(&query, None, 3).unwrap(), &hits[..hits.len().min(3)]);
            prop_assert!(twice.holds_phrases(&query, &ids).unwrap().iter().all(|holds| *holds));
            let scope: ContentSet = (0..7).map(ContentId).collect();
            let scoped: Vec<_> = hits.iter().copied().filter(|hit| hit.content.0 < 7).collect();
            prop_assert_eq!(twice.passages(&query, Some(&scope), 500).unwrap(), scoped);
        }
    }
}

#[test]
fn equal_passages_stand_in_the_order_of_their_ids_wherever_they_lie() {
    let folder = TempDir::new().unwrap();
    let mut open = writer(&folder);
    for batch in [[30u64, 7], [19, 2], [25, 11]] {
        for id in batch {
            add(&mut open, id, &[(id, "river stone river")]);
        }
        open.commit(Sequence(1)).unwrap();
    }
    drop(open);
    let lexicon = lexicon(&folder);
    assert_eq!(found(&lexicon, "stone river"), [2, 7, 11, 19, 25, 30]);
    let two = lexicon.passages(&query_terms("stone river"), None, 2).unwrap();
    assert_eq!([two[0].passage.0, two[1].passage.0], [2, 7]);
}

#[test]
fn what_is_not_committed_is_not_seen_and_a_second_writer_waits() {
    let folder = TempDir::new().unwrap();
    assert!(Lexicon::open(folder.path()).unwrap().is_none());
    let mut first = writer(&folder);
    add(&mut first, 1, &[(1, "river")]);
    assert!(Lexicon::open(folder.path()).unwrap().is_none());
    assert!(matches!(LexiconWriter::open(folder.path(), STORE), Err(IndexError::Busy { .. })));
    first.commit(Sequence(4)).unwrap();
    add(&mut first, 2, &[(2, "river")]);
    drop(first);
    assert_eq!(found(&lexicon(&folder), "river"), [1]);
    let second = writer(&folder);
    assert_eq!(second.stamp().sequence, Sequence(4));
    drop(second);
    let other = LexiconWriter::open(folder.path(), [9; 16]).unwrap();
    assert_eq!(other.stamp().sequence, Sequence(0));
    drop(other);
    assert!(Lexicon::open(folder.path()).unwrap().is_none());
}

#[test]
fn a_purged_word_is_in_no_file() {
    let folder = TempDir::new().unwrap();
    let mut open = writer(&folder);
    for content in 0..50 {
        add(&mut open, content, &[(content, "ordinary words that stay")]);
    }
    add(&mut open, 100, &[(100, "xylographer zwieback")]);
    open.put_document(DocumentId(1), Path::new("/tmp/quixotry.md"), None).unwrap();
    open.put_document(DocumentId(2), Path::new("/tmp/other.md"), None).unwrap();
    open.commit(Sequence(1)).unwrap();
    // Statistics count what is deleted for as long as it stands in a file.
    let standing = |query: &str| -> u64 {
        let statistics = lexicon(&folder).term_statistics(&query_terms(query)).unwrap();
        statistics.iter().map(|statistic| statistic.passages).sum()
    };
    assert_eq!(standing("xylographer zwieback"), 2);
    open.remove_content(ContentId(100)).unwrap();
    open.remove_document(DocumentId(1)).unwrap();
    open.commit(Sequence(2)).unwrap();
    assert!(found(&lexicon(&folder), "zwieback").is_empty());
    assert_eq!(standing("xylographer zwieback"), 2, "one deleted entry of many is not worth a rewrite");
    open.purge().unwrap();
    assert_eq!(standing("xylographer zwieback"), 0);
    let lexicon = lexicon(&folder);
    assert_eq!((lexicon.passage_count(), lexicon.stamp().sequence), (50, Sequence(2)));
    assert!(lexicon.verify().unwrap());
    // The writer goes on working after a purge.
    add(&mut open, 101, &[(101, "later river")]);
    open.commit(Sequence(3)).unwrap();
}

#[test]
fn statistics_count_passages() {
    let (_folder, lexicon) = of(&["river", "river stone", "moon"]);
    let statistics = lexicon.term_statistics(&query_terms("stone river zeppelin")).unwrap();
    let counts: Vec<u64> = statistics.iter().map(|statistic| statistic.passages).collect();
    assert_eq!((counts, lexicon.passage_count()), (vec![1, 2, 0], 3));
}
